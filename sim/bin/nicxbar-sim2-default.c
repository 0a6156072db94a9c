/* nicxbar-sim with a switch of 2 ports and the default NIC alone: tests of recordings need one model of a NIC, not one of each kind. */
#include "crossbar2.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar2_config, &nic_config, NULL});
}
