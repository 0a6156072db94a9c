/* The program packet-mode: options, a run, its table and its JSON. */
#ifndef SIM_APP_PACKET_MODE_PM_PROGRAM_H
#define SIM_APP_PACKET_MODE_PM_PROGRAM_H

#include "sim/app/packet_mode/pm_setup.h"

/* `architectures`: an entry without a name ends the table. Returns the exit code: 0 good, 1 the run failed, 2 a wrong
 * option, 130 interrupted. */
int packet_mode(int argc, char **argv, const pm_architecture *architectures);

#endif
