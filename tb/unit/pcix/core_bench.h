/* Bench for pcix_core: the wires of one bus segment, the user side of the core, and checks that hold in every clock.
 *
 * One call of bench_clock() is one clock of the bus. "Column c" is what every agent samples at rising edge c. Before
 * each call the test (or the host in core_host.h, or the table player in test_tables.c) says in b->h what the host side
 * drives in that column; whatever is not mentioned is released. PAR and PAR64 of the host follow on their own.
 *
 * The user side is tb/unit/host/core_user.h.
 *
 * Checked in every clock: one driver per line; PAR/PAR64 driven by the driver of AD, and right for its values; a
 * sustained tri-state line is never released while low; REQ64# moves with FRAME#. The first problem is kept in
 * b->problem; with one the test fails after its end. */
#ifndef NICXBAR_TB_CORE_BENCH_H
#define NICXBAR_TB_CORE_BENCH_H

#include <stdint.h>

#include "tb/pcix_tables/clock_table.h"
#include "tb/unit/host/core_user.h"

/* Lines of one bit have the numbers they have in the clock tables. */
enum {
    FRAME = ROW_FRAME,
    IRDY = ROW_IRDY,
    TRDY = ROW_TRDY,
    DEVSEL = ROW_DEVSEL,
    STOP = ROW_STOP,
    REQ64 = ROW_REQ64,
    ACK64 = ROW_ACK64,
    PERR = ROW_PERR,
    PAR = ROW_PAR,
    PAR64 = LINE_PAR64,
    LINES = TABLE_LINES
};

/* One column of the past. */
typedef struct {
    uint64_t ad;
    uint8_t cbe;
    uint8_t level[LINES];
    uint8_t gnt, req, serr, inta; /* levels: 0 = asserted */
    table_drive host, nic;
} bus_column;

#define BENCH_HISTORY 8192

enum { GNT_PARKED, GNT_NEVER, GNT_ON_REQUEST, GNT_TAKEN_AFTER_FRAME };

typedef struct bench bench;
struct bench {
    sim *s;
    core_user u; /* its clock is `now` */
    pcix_core p; /* as in u */
    int narrow_slot;
    uint64_t now;  /* the column bench_clock() will play next */
    table_drive h; /* values driven by the host in it; these three are cleared afterwards */
    uint8_t idsel;
    uint8_t bad_parity; /* wrong parity of the host one clock later, bit 0 PAR, bit 1 PAR64 */
    bus_column past[BENCH_HISTORY];
    uint8_t bad_parity_before;
    int gnt_mode;
    int gnt_wanted; /* GNT# given in GNT_ON_REQUEST */
    char problem[400];
    int expect_problem; /* do not fail the test for one */

    uint64_t irq_at; /* irq_event is 1 in this column */
    unsigned serr;   /* columns with SERR# low */

    /* called in bench_clock before the wires are resolved, and after (core_host.c) */
    void (*agent_drive)(bench *);
    void (*agent_sample)(bench *);
    struct host_target *target; /* core_target.h */
};

/* decode 2 or 3 (SPLITS 1), or 4; splits 1 or 4 (with decode 4). Out of reset in PCI-X mode, nothing configured, GNT#
 * parked. */
bench *bench_new(int decode, int splits);
/* Same with another mode pattern {REQ64#, DEVSEL#, STOP#, TRDY#}: 5 is PCI-X 100 on 64 bits. */
bench *bench_new_pattern(int decode, int splits, unsigned pattern);
/* The number in the environment's SIM_SEED, for tests that draw at random. */
uint64_t bench_random(bench *b, uint64_t below);

void bench_clock(bench *b);
void bench_clocks(bench *b, unsigned n);
/* Signals driven by the NIC in the next column. */
table_drive bench_nic(const bench *b);
/* Column c of the past; the last BENCH_HISTORY are kept. */
const bus_column *bench_at(const bench *b, uint64_t c);
/* Notes a problem (only the first one is kept). */
void bench_problem(bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void drive_line(table_drive *d, int line, int level)
{
    d->on[line] = 1;
    d->level[line] = (uint8_t)level;
}
static inline void drive_ad(table_drive *d, uint64_t ad, int halves)
{
    d->ad = ad;
    d->ad_halves = (uint8_t)halves;
}
static inline void drive_cbe(table_drive *d, unsigned cbe, int halves)
{
    d->cbe = (uint8_t)cbe;
    d->cbe_halves = (uint8_t)halves;
}

/* ---- user side ---- */
/* Requests a DMA write of n words, data first, first + 1 ... (hashed, see bench_word); returns at once. */
void bench_write(bench *b, uint64_t address, unsigned n, unsigned first);
void bench_read(bench *b, uint64_t address, unsigned n, unsigned tag);
/* Clocks until this many writes, or reads, have ended, at most `limit`; the last of them must have this status. */
void bench_write_ends(bench *b, unsigned count, unsigned limit, unsigned status);
void bench_read_ends(bench *b, unsigned count, unsigned limit, unsigned status);
/* The next column, from the last one on, in which the line (FRAME ..., or -1: REQ#) is low; at most 60 clocks away. */
uint64_t bench_first_low(bench *b, int line);
/* The word with number n: looks random, so that a stale or repeated word is seen. */
uint64_t bench_word(unsigned n);

#endif
