/* nicxbar-sim: what the programs of all switch sizes share.
 *
 * A program is a file in sim/programs that names the chips it is linked with; the sizes of switches that are not named are not compiled.
 *
 *     int main(int argc, char **argv) { return nicxbar_sim(argc, argv, &(const program_chips){&chip_switch8, &chip_nic, NULL}); }
 */
#ifndef SIM_PROGRAM_PROGRAM_H
#define SIM_PROGRAM_PROGRAM_H

#include <stdint.h>

#include "fabric.h"
#include "report.h"
#include "scenario.h"
#include "sniffer.h"

typedef struct program_chips {
    const switch_kind *chip;
    const nic_kind *nic; /* the default */
    const struct program_nic {
        const char *name;
        const nic_kind *nic;
    } * others; /* for --nic, NULL: none; ends with a NULL name */
} program_chips;

/* The main function (main.c): 0 good, 1 not, 2 wrong options, 130 interrupted. */
int nicxbar_sim(int argc, char **argv, const program_chips *chips);

/* ---- between the files of the program */

/* What is run; bits, so that an option can say where it means something. */
typedef enum program_run { RUN_SUITE = 1, RUN_FILE = 2, RUN_SCENARIO = 4, RUN_SOAK = 8, RUN_FIGURES = 16 } program_run;

typedef struct program_options {
    const program_chips *chips;
    program_run run;
    const nic_kind *nic;                                        /* that --nic names */
    const char *file, *waves, *pins, *json, *bridge, *only, *commands; /* commands: of the switch's monitor, NULL = none */
    const char *sizes;                                          /* folder of the results of synthesis, for the figures */
    uint64_t seed, wave_from_us, wave_to_us, pins_to_us; /* pins_to_us 0: to the end */
    unsigned payload, nodes; /* nodes 0: as many as the run needs */
    unsigned sniff_node;
    int both, cycles, interrupts, sniff, monitor, direct, sdram;
    uint64_t soak; /* packets */
    scenario_params scenario;
} program_options;

/* Options out of the command line, checked against each other, the chips and the files they name: all that can be refused is refused
 * here, with exit code 2, before a run starts (options.c). */
program_options program_parse(int argc, char **argv, const program_chips *chips);
/* Where the results go. */
const char *program_json(const program_options *o);

/* A file crosses between two nodes, directly or through the switch (run_file.c). */
int run_file(const program_options *o);
/* One scenario (run_scenario.c). */
int run_scenario(const program_options *o);
/* The file transfer and the five tests of S1 4.2, as one table against the documents (run_suite.c). */
int run_suite(const program_options *o);

/* Random traffic against the reference model (run_soak.c). */
int run_soak(const program_options *o);

/* Parameters of a fabric of so many nodes as the options want it. */
void program_fabric(const program_options *o, unsigned nodes, fabric_params *p);
/* Size of the file to send; ends the program if it cannot be read. */
uint64_t program_file_size(const char *path);
/* With no file named: the program that built us, or a short one. */
const char *program_default_file(int brief);
/* The suite with waves of all of it: a file and windows that are short. */
int program_brief(const program_options *o);

/* A file transfer, for whoever runs and reports it. */
typedef struct file_run {
    fabric *f; /* NULL without a switch */
    pair *p;
    exchange x; /* exchange_run(&x) in a task is the transfer */
    meter *meter;
    sim_cycles *cycles; /* NULL: not asked for */
    report report;
} file_run;

/* The transfer that the options ask for, between nodes 0 and 1 of `f`, or of a pair of its own where `f` is NULL. 0, or -1: it could not
 * be built (said on stderr). */
int file_run_new(const program_options *o, fabric *f, file_run *run);
/* After exchange_run: how it went, into run->report. */
void file_run_result(const program_options *o, file_run *run, int result, double wall);
/* The fabric stays. */
void file_run_close(file_run *run);

/* What the options want to watch: every module of the nodes and of the switch, NULL if not asked for; and frames on a cable. */
sim_cycles *program_cycles(const program_options *o, sim *s, node *const *nodes, unsigned count, sim_model *chip);
sniffer *program_sniffer(const program_options *o, cable *wire);

#endif
