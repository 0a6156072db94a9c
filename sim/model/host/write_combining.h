/* The write-combining buffers of a processor: stores to write-combining space collect in lines of 64 bytes and leave
 * later, in an order that software cannot rely on.
 *
 * A store goes into the line buffer of its address; bytes stored twice are sent once. A line leaves
 *   - when its 64 bytes are full;
 *   - when a store needs a buffer and all hold other lines: the oldest goes;
 *   - at a fence: all of them (S4 2.2's processor: sfence);
 *   - at an uncached access or an interrupt, if so set (as on x86);
 *   - at any other moment, if so set: a real buffer may be taken away by whatever else the processor does.
 *
 * A full line is one burst of 64 bytes. A line that is not full leaves as writes of 8 bytes (those of them that were
 * stored), in the order that is set; with `bursts`, neighbours among them that were stored without a gap between them
 * leave as one burst. Set `split`, and lines also break at multiples of 4 bytes. Lines that leave follow each other,
 * but pieces of one line may stand apart by up to `gap` clocks, and other accesses come in between.
 *
 * This file knows no clock and no bus: host.c asks for the next piece in every bus clock.
 */
#ifndef SIM_MODEL_HOST_WRITE_COMBINING_H
#define SIM_MODEL_HOST_WRITE_COMBINING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WC_LINE = 64 /* bytes */, WC_BUFFERS = 16, WC_ORDER = 16 };
enum { HOST_FLUSH_BREAK = 0xff /* in an order by hand: end the burst here */ };

enum wc_order { WC_ASCENDING, WC_DESCENDING, WC_SHUFFLED };

typedef struct write_combining_params {
    unsigned buffers;        /* lines, 1..16 */
    bool flush_on_uncached;  /* an uncached access waits until all lines have left */
    bool flush_on_interrupt; /* all lines leave when INTA# falls */
    unsigned evict;          /* [1/1000] chance in each bus clock that one line, any, leaves by itself */
    bool bursts;             /* contiguous bytes of a line that is not full leave as one burst */
    int order;               /* enum wc_order: of the pieces of a line; shuffled: also of the lines at a fence */
    unsigned split;          /* [1/1000] chance that a line breaks at a multiple of 4 bytes, at each of them */
    unsigned gap;            /* clocks between two pieces, 0..gap at random */
    unsigned
        pause; /* clocks between two stores of 8 bytes of one call, 0..pause at random: lines may leave in between */
} write_combining_params;

/* Six buffers, flushed by uncached accesses and interrupts, ascending, never torn: what a quiet x86 of the time does.
 */
write_combining_params write_combining_quiet(void);
/* Six buffers that do whatever they may: evicted at random, shuffled, torn, with gaps; an uncached access does not
 * flush them. */
write_combining_params write_combining_wild(void);
/* NULL if usable, else what is wrong. */
const char *write_combining_check(const write_combining_params *p);

/* A write on its way to the bus. */
typedef struct wc_piece {
    uint64_t address;
    unsigned size; /* 1..64 bytes */
    bool combined; /* more than 8 bytes: a burst */
    bool masked;   /* not all lanes */
    uint8_t data[WC_LINE];
    uint8_t lanes[WC_LINE]; /* 1: this byte is written */
} wc_piece;

typedef struct wc_stats {
    uint64_t stores, full_lines, partial_lines, pieces;
    uint64_t by_full, by_oldest, by_fence, by_uncached, by_interrupt, by_chance; /* why lines left */
} wc_stats;

enum wc_reason { WC_FULL, WC_OLDEST, WC_FENCE, WC_UNCACHED, WC_INTERRUPT, WC_CHANCE };

typedef struct write_combining write_combining;

/* `random(arg, n)` gives 0..n-1; it is called only for what the params leave to chance. NULL: no memory left. */
write_combining *write_combining_new(const write_combining_params *p, uint64_t (*random)(void *arg, uint64_t n),
                                     void *arg);
void write_combining_free(write_combining *w);
void write_combining_set_params(write_combining *w, const write_combining_params *p);

/* Stores bytes of one line. false: every buffer is in use; the oldest begins to leave, and the store must be tried
 * again when a piece has left. */
bool write_combining_store(write_combining *w, uint64_t address, const void *data, size_t size);
/* Throws everything away. */
void write_combining_clear(write_combining *w);
/* All lines begin to leave. */
void write_combining_flush(write_combining *w, enum wc_reason reason);
/* Nothing is held and nothing is leaving. */
bool write_combining_empty(const write_combining *w);
/* Nothing at all happens in the next clock. */
bool write_combining_idle(const write_combining *w);
/* Once per bus clock: chance takes its turn, gaps run. */
void write_combining_clock(write_combining *w);
/* The piece to be sent now, NULL if there is none or a gap runs; the next one after write_combining_sent. */
const wc_piece *write_combining_next(write_combining *w);
void write_combining_sent(write_combining *w);

/* An order by hand for everything that leaves from now on, full or not, in place of `order`, `split` and `gap`: numbers
 * 0..7 of 8-byte pieces; neighbours that ascend by one form a burst unless HOST_FLUSH_BREAK stands between them. Pieces
 * not named follow behind, ascending. count 0: back to the params. At most WC_ORDER entries. */
void write_combining_set_order(write_combining *w, const uint8_t *order, int count);

const wc_stats *write_combining_get_stats(const write_combining *w);

#endif
