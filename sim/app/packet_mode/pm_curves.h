/* The program pm-curves: makes missing points, two at a time, and draws all points. */
#ifndef SIM_APP_PACKET_MODE_PM_CURVES_H
#define SIM_APP_PACKET_MODE_PM_CURVES_H

#include "sim/app/packet_mode/pm_setup.h"

/* Returns the exit code: 0 good, 1 a point failed or a file cannot be written, 2 a wrong option, 130 interrupted. */
int pm_curves(int argc, char **argv, const pm_architecture *architectures);

#endif
