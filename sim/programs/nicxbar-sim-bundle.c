/* nicxbar-sim for two nodes and a cable of several links by byte. */
#include "crossbar2.h"
#include "nic_bundles.h"
#include "program.h"

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar2_config, &nic_config, nic_bundles});
}
