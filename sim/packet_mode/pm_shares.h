/* packet-shares: what weights do in a packet-mode switch with weighted schedulers (S3 2, contributions 1 to 3), as a table and JSON. */
#ifndef SIM_PACKET_MODE_PM_SHARES_H
#define SIM_PACKET_MODE_PM_SHARES_H

#include "pm_program.h"

/* The program: returns its exit code, 1 if a share is off by more than 2 %. The table of architectures ends with a name NULL. */
int packet_shares(int argc, char **argv, const pm_architecture *architectures);

#endif
