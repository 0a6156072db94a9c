/* nicxbar-sim with a switch of 12 ports. */
#include "chip_nic16.h"
#include "chip_switch12.h"
#include "program.h"

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&chip_switch12, &chip_nic16, NULL});
}
