/* nicxbar-sim for make figures: a switch of 8 ports, and NICs with several links. */
#include "crossbar8.h"
#include "nic_bundles.h"
#include "program.h"

LANES("nic");

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar8_config, &nic_config, nic_bundles});
}
