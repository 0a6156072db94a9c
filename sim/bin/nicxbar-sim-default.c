/* nicxbar-sim with a switch of 4 ports and the default NIC alone: `make sim` records the first packets with its full models. */
#include "crossbar4.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar4_config, &nic_config, NULL});
}
