/* packet-shares: what weights do in a packet-mode switch with weighted schedulers (S3 2, contributions 1 to 3), as a
 * table and JSON. */
#ifndef SIM_APP_PACKET_MODE_PM_SHARES_H
#define SIM_APP_PACKET_MODE_PM_SHARES_H

#include "sim/app/packet_mode/pm_program.h"

/* Some inputs send all that their lines take, each to the output to which least is on its way. */
typedef struct pm_shares_trial {
    const sim_config *model;            /* whose schedulers look at weights */
    unsigned inputs, outputs;           /* bit i: input i sends; to outputs 0 .. outputs - 1 */
    uint8_t weight[PM_PORTS][PM_PORTS]; /* by input and output: shares are to be in proportion */
    const uint8_t (*set)[PM_PORTS];     /* NULL: the switch gets these weights; else others, a planted fault */
    unsigned units;                     /* of 64 words, that the smallest share has in the window */
    uint64_t seed;
    double off, throughput; /* result: the largest deviation of a share [%]; words per line out and clock */
} pm_shares_trial;
/* NULL, or an error text. */
const char *pm_shares_measure(pm_shares_trial *s);

/* The program: returns its exit code, 1 if a share is off by more than 2 %. The table of architectures ends with a name
 * NULL. */
int packet_shares(int argc, char **argv, const pm_architecture *architectures);

#endif
