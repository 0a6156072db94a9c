/* The figures of design.md 6 that systems can show, measured on the RTL. */
#ifndef SIM_APP_FIGURES_FIGURES_H
#define SIM_APP_FIGURES_FIGURES_H

#include <stdint.h>

#include "sim/system/chips/nic_chip.h"
#include "sim/system/chips/switch_chip.h"

/* `chip`: the switch of the figures about switches. `nics`: further NICs, NULL: none; figures about others of them are
 * left out. `synthesis`: folder of the results of synthesis. Measures all figures, or the one named `only` (NULL =
 * all); prints name, documents, ours, limit and writes them to `json`. Returns 0, 1 if a figure misses its limit or a
 * run failed, 2 if there is no such figure. */
int figures_run(const char *only, uint64_t seed, const char *json, const sim_config *chip, const nic_kind *nics,
                const char *synthesis);

#endif
