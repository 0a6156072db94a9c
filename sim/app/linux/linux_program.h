/* make linux: Linux kernels as hosts of NICs around a switch. */
#ifndef SIM_APP_LINUX_LINUX_PROGRAM_H
#define SIM_APP_LINUX_LINUX_PROGRAM_H

#include "sim/system/chips/switch_chip.h"

/* The program: options by table, --help prints them. chips: switches of 2, 4 and 8 ports. The exit code: that of the
 * job of host1, 130 after Ctrl-C, 1 something failed, 2 a wrong option. */
int linux_program(int argc, char **argv, const sim_config *const chips[3]);

#endif
