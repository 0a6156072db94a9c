/* nicxbar-sim with switches of 8 ports and NICs of several links by packet. */
#include "crossbar8.h"
#include "nic_by_packet.h"
#include "nx_program.h"
#include "program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar8_config, &nic_config, nic_by_packet});
}
