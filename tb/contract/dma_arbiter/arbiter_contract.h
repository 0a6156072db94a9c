/* Contract of the slot "DMA arbiter" as checks that judge any candidate alone (the head of rtl/dma/dma_arbiter.v has it in words).
 *
 * A bench holds one candidate and plays the bus interface: it says what could start, chooses the clock in which the bus is free, starts
 * what is chosen and tells so. A check (arbiter_checks.h) is a story that brings the candidate into a situation. What is wrong is not a
 * failure of the test program but a complaint, so that broken candidates can be judged, too. */
#ifndef TB_CONTRACT_ARBITER_H
#define TB_CONTRACT_ARBITER_H

#include <stdbool.h>

#include "contract.h"
#include "sim.h"
#include "slot_arbiter_2.h"

/* Starts of the other that may pass a read or a write that could start, too. */
#define ARBITER_PATIENCE 16

enum { ARBITER_READ, ARBITER_WRITE };

typedef struct arbiter_bench {
    sim *s;
    sim_clock *clk;

    /* the candidate, by the names of its ports */
    sim_model *model;
    const slot_arbiter_2_ports *p;

    bool tell;          /* in the next clock: something has started */
    int what;           /* ... this */
    unsigned passed[2]; /* starts of the other past a read, a write that could start as well */
    unsigned starts[2];
    uint64_t clock;
    char complaint[CONTRACT_COMPLAINT]; /* "" = none; the first one stands */
} arbiter_bench;

/* A candidate after power-up and reset. */
arbiter_bench *arbiter_bench_new(const sim_config *config, unsigned fault);
void arbiter_bench_free(arbiter_bench *b);

/* One clock in which nothing may start. Returns what is chosen. */
int arbiter_clock(arbiter_bench *b, bool read, bool write);
/* One clock in which the bus is free: what is chosen starts, or what alone could; with `hold` no write does. Returns what started, -1
 * for nothing. */
int arbiter_start(arbiter_bench *b, bool read, bool write, bool hold);
void arbiter_reset(arbiter_bench *b, unsigned clocks);
unsigned arbiter_below(arbiter_bench *b, unsigned n);
void arbiter_complain(arbiter_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
