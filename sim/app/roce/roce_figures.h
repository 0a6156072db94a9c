/* Figures of the RoCE v2 chip, measured at its pins and on the line, each with its limit.
 *
 *     roce_figures("roce_read", 1, json, chips)       those whose name contains "roce_read"; "all": all of them
 *
 * What follows holds for all that measure payload: IPv4, memory that answers after 200 clocks and serves 64 bursts of a
 * port at once (the chip asks for no more), messages of 64 KB. 100 % is what a full line carries, path MTU of path MTU
 * + 82 bytes (headers, ICRC, FCS, preamble, gap). Only packets count whose number is new on their QP, from the moment
 * in which a quarter of the run's payload has been sent to that in which three quarters have. Latencies are the longest
 * of 200 messages of 64 bytes that come one by one, less 200 clocks for each access to memory on their way.
 */
#ifndef SIM_APP_ROCE_ROCE_FIGURES_H
#define SIM_APP_ROCE_ROCE_FIGURES_H

#include <stdint.h>

#include "sim/core/kernel/model.h"

/* Prints a table and writes it to the file `json`, if that is not NULL: what results_claim returned. Chips end with
 * NULL. 0: all is within its limits; 1: something is not, or cannot be measured; 2: no figure has such a name (on
 * stderr: all names); 130: interrupted. */
int roce_figures(const char *part_of_name, uint64_t seed, const char *json, const sim_config *const chips[]);
#endif
