/* A synchronous DRAM and its controller.
 *
 * The controller serves requests in their order, one command per clock, the first of a request in the clock after it
 * was taken. Rows stay open until another row of their bank is wanted or a refresh is due (open row policy). Word
 * address, from above: row, bank, column; so a stream stays in one row for 2^column_bits words and then goes on in the
 * next bank.
 *
 * Every refi clocks it lets the command in hand be the last, closes all banks as soon as the chips allow, refreshes,
 * and goes on.
 *
 * A read whose row is open is answered 2 + cas_latency clocks after the one in which it is shown (with answer = 1); the
 * next one can be in the clock behind it.
 */
#ifndef SIM_MODEL_EXTERNAL_SDRAM_H
#define SIM_MODEL_EXTERNAL_SDRAM_H

#include "sim/model/external/sdram_chip.h"

typedef struct sdram_stats {
    uint64_t row_hits;   /* requests that found their row open */
    uint64_t row_opens;  /* ... their bank closed */
    uint64_t row_misses; /* ... another row open */
    uint64_t refreshes;
    uint64_t busy; /* clocks with a request in the controller */
} sdram_stats;

/* `word` is meant by READ and WRITE. */
typedef void (*sdram_on_command)(void *arg, uint64_t clock, sdram_command command, unsigned bank, unsigned address);

typedef struct sdram sdram;
const sdram_stats *sdram_get_stats(const sdram *d);

#endif
