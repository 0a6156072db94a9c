/* nicxbar-sim with a switch of 16 ports. */
#include "crossbar16.h"
#include "nic16.h"
#include "nx_program.h"
#include "program.h"

LANES("nic16");

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    return nicxbar_sim(argc, argv, &(const program_chips){&crossbar16_config, &nic16_config, NULL});
}
