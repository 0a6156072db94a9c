/* The switch's monitor alone, between two clocks: crosspoints and output ports are played in C, with what the registers must show. */
#ifndef TB_SWITCH_MONITOR_BENCH_H
#define TB_SWITCH_MONITOR_BENCH_H

#include <stdbool.h>

#include "monitor_8.h"
#include "simulation.h"
#include "switch_register_map.h"

#define MONITOR_PORTS 16
#define MONITOR_DEPTH 128 /* packets that may wait in a crosspoint, a power of 2 */

/* What the registers of one flow must show. */
typedef struct {
    uint32_t words, packets;
    uint32_t last, shortest, longest; /* shortest > longest: none measured */
    unsigned most;
} flow_counts;

/* A crosspoint as its output sees it. */
typedef struct {
    unsigned occupancy;
    unsigned waiting, first;         /* packets, index of the oldest in the ring */
    uint64_t arrival[MONITOR_DEPTH]; /* clock of each */
    unsigned units[MONITOR_DEPTH];
    uint64_t arrivals, departures; /* packets so far */
    bool measuring;
    uint64_t measured; /* the number of the packet under measurement */
} crosspoint_model;

typedef struct monitor_bench monitor_bench;

struct monitor_bench {
    sim *s;
    sim_clock *clk[2];
    unsigned ports, domain, offset; /* domain: mask of ports on clk[1] */
    sim_model *model;
    const monitor_8_ports *p;

    /* traffic */
    unsigned load;                                        /* arrivals per 1000 clocks and crosspoint; 0 = none */
    unsigned drained;                                     /* of 100 packets that leave */
    bool tight;                                           /* packets leave as close to each other as is allowed, the smallest ones */
    bool events;                                          /* events of ports at random; else none */
    crosspoint_model point[MONITOR_PORTS][MONITOR_PORTS]; /* [output][input] */
    flow_counts flow[MONITOR_PORTS][MONITOR_PORTS];
    uint32_t event[MONITOR_PORTS][16];
    unsigned pause[MONITOR_PORTS]; /* clocks until output o may start again */
    uint64_t clock[2];
    unsigned access_clocks; /* of the last access */
    bool stopped;           /* the reference is not updated and nothing is driven */
};

/* After reset, without traffic. */
monitor_bench *monitor_bench_new(const sim_config *config);
/* Clocks of clk_a. */
void monitor_run(monitor_bench *b, unsigned clocks);
/* Byte offset; ends the test if there is no answer within 200 clocks. */
uint32_t monitor_read(monitor_bench *b, unsigned offset);
void monitor_write(monitor_bench *b, unsigned offset, uint32_t value);
/* The offset of a register of port p. */
#define PAGE(p, offset) ((offset) + 0x400u * (p))

/* Stops the traffic and compares every counter of every port with the reference. */
void monitor_compare(monitor_bench *b);
/* The reference after a write to CLEAR (traffic must be stopped). */
void monitor_cleared(monitor_bench *b);

/* One packet by hand (traffic off): it arrives, and leaves `after` clocks of the output later. */
void monitor_arrive(monitor_bench *b, unsigned output, uint32_t inputs);

#endif
