/* The runs, and their common parts. */
#ifndef SIM_APP_NICXBAR_RUN_H
#define SIM_APP_NICXBAR_RUN_H

#include "sim/app/nicxbar/options.h"
#include "sim/app/nicxbar/program.h"
#include "sim/app/nicxbar/report.h"
#include "sim/core/kernel/cycles.h"
#include "sim/model/cable/capture.h"
#include "sim/model/cable/sniffer.h"
#include "sim/observe/trace/trace.h"
#include "sim/traffic/faults/faults.h"
#include "sim/traffic/scenario/scenario.h"

/* With --ranks: starts them, or if this is one of them fills in what reaches the others (ranks.c). Refuses what ranks
 * cannot do. */
void ranks_begin(program_options *o, int argc, char **argv);
/* After program_claim: all know what files are called. */
void ranks_share(program_options *o);
/* Prints a line with the costs of ranks after a run of `seconds` seconds; without ranks nothing. */
void ranks_print(const program_options *o, const fabric *f, double wall, FILE *out);

/* Each returns the exit code of the program. A file crosses between two nodes, directly or through the switch
 * (run_file.c). */
int run_file(const program_options *o);
/* One scenario (run_scenario.c). */
int run_scenario(const program_options *o);
/* One of remote queues, barriers, locks or counters (run_sync.c). */
int run_sync(const program_options *o);
/* The file transfer and the five tests of S1 4.2, as one table against the documents (run_suite.c). */
int run_suite(const program_options *o);
/* Random traffic against the reference model (run_soak.c). */
int run_soak(const program_options *o, const nic_kind *nics);
/* A program that runs on all hosts at once (run_program.c). */
int run_program(const program_options *o);

/* ---- the system of the options (system.c) */

/* A fabric of `nodes` nodes. */
void program_fabric(const program_options *o, fabric_params *p);
/* Windows as long as the options say (sim_lookahead); none in a run with a recorder of several nodes. */
void program_windows(const program_options *o, fabric *f);
/* Attaches the probes of every module of nodes and switch, NULL if not asked for; and the sniffer of a cable. */
sim_cycles *program_cycles(const program_options *o, fabric *f);
/* Adds their counts to the results, for program_verdict; cycles may be NULL. */
void program_cycles_result(const program_options *o, sim_cycles *cycles, struct json_t *results);
typedef struct sniffers {
    sniffer *of_link[FABRIC_LINKS]; /* NULL: not asked for */
} sniffers;
void program_sniffer(const program_options *o, fabric *f, sniffers *made);
void program_sniffer_free(sniffers *made);
/* Files that are written as the run goes: frames of all its cables, lives of packets; NULL: not asked for. */
typedef struct recordings {
    capture *frames;
    trace *lives;
    const sim *s; /* which records waves */
} recordings;
/* Not 0: one cannot be made (said on stderr). */
int program_record(const program_options *o, fabric *f, recordings *made);
/* The run, to its end, and all that it records. */
int program_sim(sim *s);
/* The end of every run: prints counts, writes the results, ends the recordings, and prints the last line: the verdict
 * and where the files are. A run is good if its result and `good` say so, all files are whole, and nothing that was
 * counted has moved too far from the base. Returns the exit code; frees `results`. */
int program_verdict(const program_options *o, int result, int good, struct json_t *results, recordings *made,
                    FILE *out);

/* ---- a file transfer (run_file.c) */

typedef struct file_run {
    fabric *f;
    pair *p;
    exchange x; /* exchange_run(&x) in a task is the transfer */
    meter *meter;
    paths paths;
    paths_report carried; /* by several links by packet */
    sim_cycles *cycles;   /* NULL: not asked for */
    report report;
    char faulty[300]; /* error in the account of the faults */
} file_run;

/* The transfer that the options ask for, between nodes 0 and 1 of `f`. 0, or -1: it could not be built (said on
 * stderr). */
int file_run_new(const program_options *o, fabric *f, file_run *run);
/* After exchange_run: how it went, into run->report. */
void file_run_result(const program_options *o, file_run *run, int result, double wall);
/* The fabric stays. */
void file_run_close(file_run *run);

#endif
