/* Shared by the micro-benchmarks: runs of host programs, rows and curves of results. */
#ifndef SIM_APP_FIGURES_MICRO_H
#define SIM_APP_FIGURES_MICRO_H

#include "sim/app/figures/figures_private.h"
#include "sim/app/figures/microbench.h"
#include "sim/core/kernel/text_table.h"

/* The hosts: columns of the tables; limits are for the first. */
enum { MICRO_HOSTS = 2 };
extern const char *const micro_hosts[MICRO_HOSTS];

typedef struct micro micro;

/* One run of a program on two nodes and a cable, or around a switch. */
typedef struct micro_run {
    const char *program;
    const char *arguments; /* with spaces between them */
    unsigned host;         /* which of micro_hosts */
    enum nx_posting posting;
    unsigned payload;     /* of a packet [64-bit words] */
    unsigned tx_capacity; /* 0: all there is */
    unsigned nodes;       /* around a switch, with NICs and switch that put in time stamps; 0: two and a cable */
    int stamps;           /* NICs with time stamps */
    void (*began)(struct micro_run *r);
    void (*ended)(struct micro_run *r); /* the system is still there */
    void (*figure)(struct micro_run *r, unsigned rank, const char *name, double value);
    void *arg;
    /* while it runs */
    fabric *f;
    uint64_t shared; /* where the programs' memory is */
} micro_run;

/* 0, or -1: it failed, and why is said on stderr. `what` names the run there. */
int micro_run_program(const micro *m, const char *what, micro_run *r);
/* Links of the NICs of two nodes and a cable, 1 or 2. */
unsigned micro_links(const micro *m);
/* This number of nodes, at most one for each port. */
unsigned micro_nodes(const micro *m, unsigned most);
/* The sizes asked for, or these. */
const char *micro_sizes(const micro *m, const char *otherwise);

/* A row of the table and of the JSON file. */
typedef struct micro_row {
    const char *name, *unit;
    const char *documents; /* NULL: nothing */
    char sense;            /* as in figures */
    double limit;
    const char *counted; /* the counted events, from begin to end; NULL: as in the row above */
} micro_row;
/* `value` NAN: not measured, because sizes were left out. */
void micro_put(micro *m, const micro_row *row, const double value[MICRO_HOSTS]);
/* The same of a limit that cannot be reached: where it is missed, this is said, and nothing fails. */
void micro_put_beyond(micro *m, const micro_row *row, const double value[MICRO_HOSTS], const char *reason);
/* A point of a curve. */
void micro_point(micro *m, const char *picture, const char *curve, double x, double y);
/* Below a row, and kept with it. */
__attribute__((format(printf, 2, 3))) void micro_note(micro *m, const char *format, ...);

typedef struct micro_benchmark {
    const char *name, *what;
    int (*run)(micro *m);
} micro_benchmark;
extern const micro_benchmark micro_pcix, micro_throughput, micro_capacity, micro_latency, micro_distribution;

#endif
