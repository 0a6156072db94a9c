/* nicxbar-sim for two nodes and a cable of several links by byte. */
#include "crossbar2.h"
#include "nic_bundles.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar2_config, &nic_config, nic_bundles});
}
