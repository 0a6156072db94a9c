/* coherent-sim: the program behind make sim NODE=... and make cycles NODE=... */
#ifndef SIM_APP_COHERENT_COHERENT_PROGRAM_H
#define SIM_APP_COHERENT_COHERENT_PROGRAM_H

#include "sim/app/coherent/coherent_run.h"

/* The exit code. */
int coherent_sim(int argc, char **argv, const coherent_chips *chips);

#endif
