/* nicxbar-sim with a switch of 2 ports. */
#include "chip_nic.h"
#include "chip_switch2.h"
#include "program.h"

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&chip_switch2, &chip_nic});
}
