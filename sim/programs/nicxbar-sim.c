/* nicxbar-sim with a switch of 4 ports. */
#include "crossbar4.h"
#include "nic_kinds.h"
#include "program.h"

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar4_config, &nic_config, nic_kinds});
}
