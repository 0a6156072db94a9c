/* nicxbar-sim with a switch of 8 ports. */
#include "crossbar8.h"
#include "nic_kinds.h"
#include "nx_program.h"
#include "program.h"

LANES("nic");

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar8_config, &nic_config, nic_kinds});
}
