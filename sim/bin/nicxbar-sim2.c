/* nicxbar-sim with a switch of 2 ports. */
#include "crossbar2.h"
#include "nic_kinds.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar2_config, &nic_config, nic_kinds});
}
