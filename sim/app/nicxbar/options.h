/* The options of a run: the command line, read and checked. A new option is a row of the table in options.c and the
 * field it fills; one of the traffic is a row in sim/traffic/scenario/scenario_options.c. Help text, and variables of
 * make, follow. */
#ifndef SIM_APP_NICXBAR_OPTIONS_H
#define SIM_APP_NICXBAR_OPTIONS_H

#include "sim/app/nicxbar/chips.h"
#include "sim/model/cable/cable.h"
#include "sim/system/nodes/fabric_sizes.h"
#include "sim/traffic/faults/plan.h"
#include "sim/traffic/scenario/scenario_params.h"

/* Kinds of runs; bits, so that an option can list those it applies to. */
typedef enum program_run {
    RUN_SUITE = 1,
    RUN_FILE = 2,
    RUN_SCENARIO = 4,
    RUN_SOAK = 8,
    RUN_FIGURES = 16,
    RUN_PROGRAM = 32,
    RUN_MICROBENCH = 64
} program_run;

typedef struct program_options {
    const program_chips *chips;
    const struct program_line *line; /* the command line */
    program_run run;
    const sim_config *nic; /* that --nic names */
    const char *file;      /* to send, readable; NULL where none is sent */
    uint64_t file_size;    /* [bytes] */
    const char *waves, *wave_scopes, *wave_from, *wave_to, *pins, *json, *bridge, *memory, *pci_mhz, *nic_name,
        *node_ids, *capture, *out;
    const char *initial;            /* of registers: "0" or "random" */
    const char *trace, *trace_path; /* what: NULL, "1" or "packets"; where */
    sim_time trace_from, trace_to;  /* SIM_FOREVER: to the end */
    uint64_t trace_size;            /* [bytes] */
    const char *dump;               /* of the switch's registers; NULL: not asked for */
    const char *program;            /* shared object with nx_main */
    char **program_argv;            /* arguments after -- */
    int program_argc;
    const char *only, *benchmark;                       /* of the figures, of the micro-benchmarks; NULL: all */
    const char *programs, *message_sizes;               /* of the micro-benchmarks */
    const char *commands;                               /* of the switch's monitor, NULL = none */
    const char *synthesis;                              /* folder of the results of synthesis, for the figures */
    uint64_t seed, pins_to_us, wave_size;               /* pins_to_us 0: to the end; wave_size 0: all */
    sim_time wave_from_time, wave_to_time, wave_before; /* wave_to_time SIM_FOREVER: to the end */
    const char *wave_from_event, *wave_to_event;        /* NULL: none */
    uint64_t soak;                                      /* packets */
    unsigned payload, nodes, sniff_node, window, threads, lanes; /* threads, lanes 0: not said */
    unsigned node_id[FABRIC_NODES];                              /* of each of `nodes` */
    const char *skew, *paths_in_use, *path_latencies;            /* as they are given; NULL: not */
    sim_time link_skew[CABLE_LINKS];                             /* [ps] */
    unsigned paths, path_latency[FABRIC_LINKS];                  /* as in fabric_params */
    unsigned ranks;                                              /* 0: not said */
    const char *hosts;
    unsigned recorder;              /* the rank that runs the recorded groups */
    const char *recorder_host;      /* ... where it is not on the machine of the first one; else NULL */
    const sim_transport *transport; /* of a rank; NULL: none */
    void (*ranks_end)(void);        /* ... when it ends */
    const char *sort, *base;        /* of the table of cycles; a result to compare it with, NULL: none */
    double threshold;               /* ... from which no value may move further [points, %] */
    struct json_t *base_cycles;
    const char *system; /* the system, in words */
    unsigned sync;      /* NICs with rtl/sync are asked for */
    int both, cycles, interrupts, no_monitor, direct, sniff, check_lanes;
    const char *first_waves; /* of the first packets of the suite's file; NULL: none */
    int first_only;          /* this run records them, and is no more */
    int brief;               /* the suite with waves of all of it: a file and windows that are short */
    scenario_params scenario;
    const char *faults; /* NULL: none */
    fault_plan plan;
} program_options;

/* The table, around that of the traffic (scenario_params.h). */
extern const option program_what[], program_how[];
/* Options out of the command line, checked against each other and the chips, of which names and parameters are enough.
 * What is wrong is refused with exit code 2 (option_refuse). */
void program_read(program_options *o, int argc, char **argv, const program_chips *chips);
/* Then the commands of the monitor and the files that they name, before a run starts. */
program_options program_parse(int argc, char **argv, const program_chips *chips);
/* Results files are locked until the program ends; if another run holds one, this run gets another name (results.h). */
void program_claim(program_options *o);

#endif
