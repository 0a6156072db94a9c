/* nicxbar-sim: common part of the programs of all switch sizes.
 *
 * A program is a file in sim/bin that names the chips it is linked with; the sizes of switches that are not named are
 * not compiled.
 *
 *     int main(int argc, char **argv) { return nicxbar_sim(argc, argv, &(const program_chips){&crossbar8_config,
 * &nic_config, NULL}); }
 */
#ifndef SIM_APP_NICXBAR_PROGRAM_H
#define SIM_APP_NICXBAR_PROGRAM_H

#include "sim/app/nicxbar/chips.h"
#include "sim/system/chips/nic_chip.h"
#include "sim/system/chips/switch_chip.h"

/* LANES("NAME"): several models NAME of this program may be evaluated together (scripts/lanes.py, scripts/programs.py).
 */
#define LANES(model) _Static_assert(sizeof(model) > 1, "the name of a model")

/* The main function (main.c): 0 good, 1 not, 2 wrong options, 130 interrupted. */
int nicxbar_sim(int argc, char **argv, const program_chips *chips);

#endif
