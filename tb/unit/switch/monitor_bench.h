/* The switch's monitor alone, between two clocks: crosspoints and output ports are played in C, with what the registers must show. */
#ifndef TB_SWITCH_MONITOR_BENCH_H
#define TB_SWITCH_MONITOR_BENCH_H

#include <stdbool.h>

#include "sim.h"
#include "switch_register_map.h"
#include "wires.h"

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
    void *model;
    void (*close)(void *model);
    wires rst[2], mon_valid, mon_we, mon_addr, mon_wdata, mon_ready, mon_rvalid, mon_rdata;
    wires port_enable, port_down_time, port_capacity, input_enable, weight, port_status, port_view;
    wires arrived, occupancy, out_start, out_drained, out_input, out_units, port_events;

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

typedef void monitor_opener(monitor_bench *b);

#define MONITOR_CANDIDATE(type, n, mask, added)                                                                                            \
    static void close_##type(void *model)                                                                                                  \
    {                                                                                                                                      \
        type##_free(model);                                                                                                                \
    }                                                                                                                                      \
    static void open_##type(monitor_bench *b)                                                                                              \
    {                                                                                                                                      \
        type *m = type##_new(b->s, "monitor");                                                                                             \
        b->ports = n, b->domain = mask, b->offset = added, b->model = m, b->close = close_##type;                                          \
        sim_model_clock(m->model, b->clk[0], m->clk_a);                                                                                    \
        sim_model_clock(m->model, b->clk[1], m->clk_b);                                                                                    \
        b->rst[0] = WIRES(m, rst_a), b->rst[1] = WIRES(m, rst_b), b->mon_valid = WIRES(m, mon_valid), b->mon_we = WIRES(m, mon_we);        \
        b->mon_addr = WIRES(m, mon_addr), b->mon_wdata = WIRES(m, mon_wdata), b->mon_ready = WIRES(m, mon_ready);                          \
        b->mon_rvalid = WIRES(m, mon_rvalid), b->mon_rdata = WIRES(m, mon_rdata), b->port_enable = WIRES(m, port_enable);                  \
        b->port_down_time = WIRES(m, port_down_time), b->port_capacity = WIRES(m, port_capacity);                                          \
        b->input_enable = WIRES(m, input_enable), b->weight = WIRES(m, weight), b->port_status = WIRES(m, port_status);                    \
        b->port_view = WIRES(m, port_view), b->arrived = WIRES(m, arrived), b->occupancy = WIRES(m, occupancy);                            \
        b->out_start = WIRES(m, out_start), b->out_drained = WIRES(m, out_drained), b->out_input = WIRES(m, out_input);                    \
        b->out_units = WIRES(m, out_units), b->port_events = WIRES(m, port_events);                                                        \
    }

/* After reset, without traffic. */
monitor_bench *monitor_bench_new(monitor_opener *open);
void monitor_bench_free(monitor_bench *b);
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
