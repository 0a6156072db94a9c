/* roce-sim: the RoCE v2 chip and a NIC in C at the ends of an Ethernet line (make sim CHIP=roce). Options, table, JSON.
 */
#ifndef SIM_APP_ROCE_ROCE_PROGRAM_H
#define SIM_APP_ROCE_ROCE_PROGRAM_H

#include "sim/core/kernel/model.h"

/* chips: configurations of rtl/roce.v, NULL at the end; of those with the BYTES asked for the first with QPs enough is
 * used. The exit code: 0 good, 1 bad, 2 wrong options, 130 interrupted. */
int roce_program(int argc, char **argv, const sim_config *const chips[]);
/* roce-storage: a storage node on that chip (make sim CHIP=roce STORAGE=1). */
int roce_storage_program(int argc, char **argv, const sim_config *const chips[]);
/* roce-rping: rping of Linux against one of these chips, row by row in one boot (a part of make interop). A line "good
 * NAME  ..." or "BAD NAME  ..." for each row. */
int roce_rping_program(int argc, char **argv, const sim_config *const chips[]);
/* roce-verbs: the same with a program of ours in Linux, row by row; and the NIC in C in the chip's place. */
int roce_verbs_program(int argc, char **argv, const sim_config *const chips[]);

#endif
