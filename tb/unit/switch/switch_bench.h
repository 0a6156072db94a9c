/*
 * A crossbar of any size between NICs in C (nic_side.h), on two clocks of different frequency and phase. The bench also
 * measures, for every packet, the time from its header CRC on the receive port to its SOP on the transmit port.
 *
 *     struct switch_bench *b = switch_bench_new(&(struct switch_setup){&crossbar_4_config, 4, .ppm_b = 100});
 *     nic_send(b->group.nic[0], 3, 62);
 *     switch_bench_drain(b);                    until everything has arrived and all credits are back
 */
#ifndef TB_SWITCH_BENCH_H
#define TB_SWITCH_BENCH_H

#include "crossbar2.h"
#include "nic_side.h"
#include "sim/core/kernel/sim.h"

enum { SWITCH_PERIOD = 12800, PACKET_STAMPS = 1 << 10 };

struct switch_setup {
    const sim_config *model; /* a crossbar of any size */
    unsigned ports;          /* of it, at most 8 */
    double ppm_a, ppm_b;
    int64_t phase_b;  /* [ps] of clock b against a; -1 random */
    sim_time jitter;  /* [ps] */
    unsigned domain;  /* its DOMAIN; 0: the default, upper half on clock b */
    unsigned longest; /* its MAX_WORDS; 0: the default, LONGEST_WORDS */
    unsigned away;    /* mask of ports that nothing is behind: unplugged from the start, losses allowed */
};

struct switch_bench {
    sim *s;
    sim_clock *clk[2];
    crossbar2 *m;             /* clocks, reset and monitor */
    const crossbar2_ports *p; /* all; vectors as in the Verilog */
    struct nic_group group;
    struct switch_setup setup;
    struct {
        struct switch_bench *bench;
        sim_time edge; /* last edge of this clock */
        unsigned domain;
    } side[2];
    int unplugged[NICS_MAX];    /* loss of sync at the switch's receiver, noise on the data */
    int buffer_error[NICS_MAX]; /* clocks for which the elastic buffer still reports an error */
    /* header CRC on the receive port, per flow and packet */
    struct {
        sim_time at;
        uint32_t number;
    } stamp[NICS_MAX][NICS_MAX][PACKET_STAMPS];
    sim_time shortest, longest; /* header CRC to SOP, of all packets since they were cleared */
    uint64_t measured;
    int only_alone;        /* measure only packets before which the line was idle */
    int expects_complaint; /* 1: the test fails if there is none */
};

/* With links up, records out, and valid credits of every output at every NIC. */
struct switch_bench *switch_bench_new(const struct switch_setup *setup);
/* Clocks of a. Fails the test on a complaint, unless one is expected. */
void switch_bench_run(struct switch_bench *b, unsigned clocks);
/* So long, with packets of any length to any destination waiting at every NIC. */
void switch_bench_run_loaded(struct switch_bench *b, unsigned clocks);
/* `count` packets from every NIC to all destinations in turn, of all lengths. */
void switch_bench_send_all(struct switch_bench *b, unsigned count);
/* Until all packets have left their NICs, except unplugged ones. */
void switch_bench_sent(struct switch_bench *b);
/* Until all packets have been sent and taken in, then until every credit and record has gone round; then checks the
 * accounts. */
void switch_bench_drain(struct switch_bench *b);
unsigned switch_domain(const struct switch_bench *b, unsigned port);
uint64_t switch_bench_good(const struct switch_bench *b); /* packets delivered, over all flows */
/* Write and read of a register of port p, or of the switch (p = 0); runs the simulation until it is done. */
void switch_bench_write(struct switch_bench *b, unsigned p, unsigned address, uint32_t value);
uint32_t switch_bench_read(struct switch_bench *b, unsigned p, unsigned address);

#endif
