/* nicxbar-sim: what the programs of all switch sizes share.
 *
 * A program is a file in sim/programs that names the chips it is linked with; the sizes of switches that are not named are not compiled.
 *
 *     int main(int argc, char **argv) { return nicxbar_sim(argc, argv, &(const program_chips){&chip_switch8, &chip_nic}); }
 */
#ifndef SIM_SYSTEM_PROGRAM_H
#define SIM_SYSTEM_PROGRAM_H

#include <stdint.h>

#include "fabric.h"
#include "report.h"
#include "scenario.h"
#include "sniffer.h"

typedef struct program_chips {
    const switch_kind *chip;
    const nic_kind *nic;
} program_chips;

/* The main function (main.c): 0 good, 1 not, 2 wrong options, 130 interrupted. */
int nicxbar_sim(int argc, char **argv, const program_chips *chips);

/* ---- between the files of the program */

typedef struct program_options {
    const program_chips *chips;
    const char *file, *waves, *json, *bridge, *only, *commands; /* commands: of the switch's monitor, NULL = none */
    uint64_t seed, wave_from_us, wave_to_us;
    unsigned payload, nodes; /* nodes 0: as many as the run needs */
    unsigned sniff_node;
    int both, cycles, figures, interrupts, sniff, monitor, direct;
    uint64_t soak; /* packets; 0: something else is asked for */
    int scenario_given;
    scenario_params scenario;
} program_options;

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
/* With no file named: the program that built us. */
const char *program_default_file(void);

/* A file transfer that has been run, for whoever reports it. */
typedef struct file_run {
    fabric *f; /* NULL without a switch */
    pair *p;
    exchange x;
    meter *meter;
    sim_cycles *cycles;
    sniffer *print;
    report report;
} file_run;

/* Builds and runs it. 0: it ran, report.result and report.good say how; -1: it could not be built (said on stderr). */
int file_run_do(const program_options *o, file_run *run);
void file_run_close(file_run *run);

#endif
