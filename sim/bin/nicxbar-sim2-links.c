/* nicxbar-sim with switches of 2 ports and NICs of two links, by byte and by packet: for tests, which need no more models than these. */
#include "crossbar2.h"
#include "nic_2links.h"
#include "nic_2paths.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const nic_kind nics[] = {{"2links", &nic_2links_config}, {"2paths", &nic_2paths_config}, {NULL, NULL}};
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar2_config, &nic_config, nics});
}
