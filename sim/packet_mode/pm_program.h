/* The program packet-mode: options, a run, its table and its JSON. */
#ifndef SIM_PACKET_MODE_PM_PROGRAM_H
#define SIM_PACKET_MODE_PM_PROGRAM_H

#include "model.h"

typedef struct pm_architecture {
    const char *name, *words;
    const sim_config *model[4]; /* of 16 ports, of 4; the same with SPLIT, NULL: there is none */
} pm_architecture;

/* `architectures`: behind the last one stands one without a name. Returns the exit code: 0 good, 1 the run failed, 2 a wrong option, 130
 * interrupted. */
int packet_mode(int argc, char **argv, const pm_architecture *architectures);

#endif
