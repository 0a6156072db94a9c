/* make disk: a file as a disk over RDMA, for NBD clients. */
#ifndef SIM_APP_DISK_DISK_PROGRAM_H
#define SIM_APP_DISK_DISK_PROGRAM_H

#include "sim/system/chips/switch_chip.h"

/* The program: options by table, --help prints them. two: a switch of two ports; four: of four. The exit code: that of
 * the command that it ran, 130 after Ctrl-C, 1 something failed, 2 a wrong option, without a message that is not one
 * line. */
int disk_program(int argc, char **argv, const sim_config *two, const sim_config *four);

#endif
