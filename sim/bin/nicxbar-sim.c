/* nicxbar-sim with a switch of 4 ports. */
#include "crossbar4.h"
#include "nic_kinds.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar4_config, &nic_config, nic_kinds});
}
