/* nicxbar-sim with a switch of 8 ports. */
#include "chip_nic.h"
#include "chip_nic_1voq.h"
#include "chip_nic_4splits.h"
#include "chip_switch8.h"
#include "program.h"

static const struct program_nic others[] = {{"4splits", &chip_nic_4splits}, {"1voq", &chip_nic_1voq}, {NULL, NULL}};

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&chip_switch8, &chip_nic, others});
}
