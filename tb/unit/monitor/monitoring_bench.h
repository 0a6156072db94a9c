/* The sampling facility and the tracing memories (rtl/nic/monitor/monitoring.v) between two clocks, with random words
 * at all four points, and a log of the words there, taken from the module's pins alone.
 *
 * Registers are written by byte offset and read from the bits that the module shows. */
#ifndef TB_MONITORING_BENCH_H
#define TB_MONITORING_BENCH_H

#include "monitoring.h"
#include "nic_register_map.h"
#include "sim/core/kernel/sim.h"

enum { H2N_IN, H2N_OUT, N2H_IN, N2H_OUT, RAW, POINTS, ENTRIES = 2048, LOG = 60000, LINKS = 4 };

/* A word, or an event, at one point. */
typedef struct seen {
    uint64_t clock; /* of the point's clock */
    uint64_t data;
    uint8_t flags; /* as TRACE_FLAGS; STALL of a word that passed as the pins say */
} seen;

typedef struct point_log {
    seen word[LOG], event[LOG];
    unsigned words, events;
    int held; /* since the last word */
} point_log;

/* What it was built for. */
typedef struct monitoring_kind {
    const sim_config *config;
    unsigned columns; /* of the samples: 3, or 2 without the last one */
    unsigned links;   /* by packet */
    unsigned bundle;  /* by byte */
} monitoring_kind;
/* One link; that without the last column; and all with several links. */
enum { ONE, TWO_COLUMNS, KINDS = 6 };
extern const monitoring_kind monitoring_kinds[KINDS];

typedef struct monitoring_bench {
    const monitoring_kind *kind;
    unsigned points, words; /* words that may pass in a network clock */
    sim *s;
    sim_clock *pci, *net;
    monitoring *m;
    const monitoring_ports *ports;
    unsigned busy; /* words arrive in this many of 8 clocks */
    point_log point[POINTS];
    struct {
        uint64_t out[LINKS], in[LINKS], stalled;
        int dma;
    } now, clock[LOG];      /* sums of all clocks so far; at the end of each PCI clock, and `dma` in it */
    uint32_t credit_before; /* credit of the last network clock, with bit 31; 0: none */
    unsigned body_ends;     /* N2H_OUT: bit n: n clocks ago a word with EOP was taken */
    /* of the chosen link before the deskew: words of the frame that wait, 0 to 2 */
    struct {
        uint64_t pair;
        unsigned count, first, error, left; /* left: words of the frame under way that are still to come */
        uint32_t news;
    } raw;
} monitoring_bench;

/* Out of reset, words run. */
monitoring_bench *monitoring_bench_new(const monitoring_kind *kind);
void monitoring_bench_step(monitoring_bench *b, unsigned pci_clocks);
/* A whole 32-bit register; it has its effect in the clock that is returned. */
uint64_t monitoring_bench_write(monitoring_bench *b, unsigned offset, uint32_t value);
uint32_t monitoring_bench_read(monitoring_bench *b, unsigned offset);
/* An entry of a tracing memory. */
seen monitoring_bench_entry(monitoring_bench *b, unsigned point, unsigned entry);
#endif
