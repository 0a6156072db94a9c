/* nicxbar-linux: Linux kernels as hosts of NICs around a switch of 2, 4 or 8 ports. */
#include "crossbar2.h"
#include "crossbar4.h"
#include "crossbar8.h"
#include "nx_program.h"
#include "sim/app/linux/linux_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{
    static const sim_config *const chips[3] = {&crossbar2_config, &crossbar4_config, &crossbar8_config};
    return linux_program(argc, argv, chips);
}
