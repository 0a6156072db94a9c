/* Options of packet-mode, and the parameters of a run that follow from them. */
#ifndef SIM_APP_PACKET_MODE_PM_OPTIONS_H
#define SIM_APP_PACKET_MODE_PM_OPTIONS_H

#include "sim/app/packet_mode/pm_setup.h"

typedef struct pm_options {
    pm_setup run;
    const char *waves, *json;
    double half_width;
    uint64_t wave_from, wave_clocks, ideal_clocks;
    int help;
} pm_options;

extern const option pm_options_table[];
#define PM_OPTIONS_HEAD "packet-mode: a switch for packets longer than its crosspoints (S3, appendix), line to line"

/* The arguments of a program. With help nothing else is looked at. -1: one of them is wrong, or does not go with the
 * others; of the architectures names and parameters are enough. */
int pm_options_read(pm_options *o, int argc, char **argv, const pm_architecture *architectures, pm_run_params *p,
                    char error[OPTION_ERROR]);

#endif
