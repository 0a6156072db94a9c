/* make disk-bench: rates, latencies, shares and interrupts of disks over RDMA, measured on the RTL against their
 * limits. */
#ifndef SIM_APP_DISK_DISK_FIGURES_H
#define SIM_APP_DISK_DISK_FIGURES_H

#include "sim/system/chips/switch_chip.h"

/* The program: options --seed N, --json PATH, --only NAME, --help. The exit code: 0 all limits are met, 1 not, 2 a
 * wrong option. */
int disk_figures(int argc, char **argv, const sim_config *chip);

#endif
