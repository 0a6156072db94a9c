/* Between the parts of the figures: how one is described, and the bench each is measured on. */
#ifndef SIM_APP_FIGURES_FIGURES_PRIVATE_H
#define SIM_APP_FIGURES_FIGURES_PRIVATE_H

#include "sim/system/nodes/pair.h"
#include "sim/traffic/scenario/meter.h"
#include "sim/traffic/scenario/scenario.h"

typedef struct figure {
    const char *name, *unit;
    const char *documents; /* what S1..S5 say, as text; NULL: nothing */
    char sense;            /* '<': at most limit, '>': at least, 0: report only */
    double limit;
    /* Measures it: 0, or -1 with the reason on stderr. */
    int (*measure)(const struct figure *f, uint64_t seed, double *value);
    /* variation of `measure` */
    const char *bridge;
    unsigned payload; /* [64-bit words] */
    int variant;
    const char *else_see; /* not NULL: missing the limit is no failure, this says where the rest goes */
    unsigned pci_mhz;     /* of both buses; 0 = 100 */
    const char
        *nic; /* of a pair, NULL: the default. A program that has none of that name does not measure this figure */
} figure;

/* Further NICs of the program, NULL: none. */
extern const nic_kind *figures_nics;

extern const figure figures_dma[], figures_nic[], figures_link[], figures_size[], figures_speed[], figures_switch[],
    figures_forward[], figures_voq[], figures_paths[], figures_coherent[], figures_cni[],
    figures_sync[]; /* each ends with a row without name */

/* The switch of the program, NULL: none. */
extern const sim_config *figures_chip;
extern const char *figures_synthesis; /* folder of the results of synthesis */

/* From a measurement: lines printed below its row and kept with it in the JSON file, each ending in a newline. */
__attribute__((format(printf, 1, 2))) void figure_note(const char *format, ...);

/* A pair of hosts with this bridge and payload limit, on which one task runs. */
typedef struct bench {
    pair *p;
    const figure *f;
    void *arg;
    char error[600];
} bench;

/* 1 if a value is within a limit; the limit as text. */
int figure_within(char sense, double limit, double value);
void figure_limit(char sense, double limit, char *text, size_t size);

host_params figure_host(const char *bridge);
/* The edge with which clock `clock` of a node's bus began. */
sim_time figure_bus_time(const node *n, uint64_t clock);
/* Parameters of the pair of a figure. */
void bench_params(const figure *f, uint64_t seed, pair_params *params);
/* Builds the pair: 0, or -1 with the reason on stderr. It stays until bench_close. */
int bench_open(bench *b, const figure *f, const pair_params *params);
/* Starts both nodes and runs `software` as a task until it ends; 0, or -1 with the reason on stderr. */
int bench_software(bench *b, void (*software)(bench *), void *arg);
/* Both in one. */
int bench_run(bench *b, const figure *f, const pair_params *params, void (*software)(bench *), void *arg);
void bench_close(bench *b);
/* From the software: ends with this reason. */
void bench_fail(bench *b, const char *what, const char *why);

/* A scenario around the switch of the program. The second half says how long its traffic took, without the start of the
 * nodes. */
typedef struct switch_bench {
    void (*made)(struct switch_bench *b); /* NULL, or called once all is built */
    void (*span)(struct switch_bench *b); /* NULL, or called where that time begins and where it ends */
    void *arg;
    unsigned threads;              /* as for sim_threads */
    const sim_config *nic;         /* NULL: the default */
    unsigned paths;                /* in use of several links by packet, a mask; 0: all */
    unsigned longer[FABRIC_LINKS]; /* [clocks] by which the cables of a path are longer than those of others */
    fabric *fabric;
    scenario *x;
    scenario_params p;
    double wall, cpu; /* [s] */
    uint64_t clocks;  /* of the network */
} switch_bench;

/* Runs it on `nodes` nodes, with the protocol monitor or without. 0, or -1 with the reason on stderr. Closed in either
 * case. */
int switch_bench_run(switch_bench *b, const figure *f, uint64_t seed, unsigned nodes, const char *scenario,
                     const char *sizes, const char *us, int monitor);
void switch_bench_close(switch_bench *b);

/* The packet to `destination` on a cable, from its end 0: when its SOP is on the transmit port there, and when at the
 * receive port of the other end. Set `found` and both times to 0 before the next one. */
typedef struct packet_watch {
    uint32_t destination;
    int armed, found;
    unsigned links;    /* of the cable, 1 or 2 by byte */
    uint64_t sop_word; /* index of the word sent */
    sim_time sop_out, sop_in;
    void (*arrived)(void *arg, int from, uint64_t word,
                    sim_time time); /* NULL, or called for every SOP and credit that arrives */
    void *arg;
} packet_watch;
void packet_watch_attach(packet_watch *w, cable *wire);

/* Seconds of processor time of this process. */
double figure_cpu(void);

/* From the software: sends 496-byte (payload limit) or 4096-byte transfers from node `from` without end, until *stop.
 */
typedef struct flood {
    bench *b;
    int from;
    uint64_t source, destination;
    volatile int stop;
    sim_task *task;
} flood;
void flood_start(flood *d, bench *b, int from);
void flood_end(flood *d);

#endif
