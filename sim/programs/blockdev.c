/* blockdev: a file as a disk over RDMA around a switch of 2 or 4 ports, for NBD clients. */
#include "block_program.h"
#include "crossbar2.h"
#include "crossbar4.h"

int main(int argc, char **argv)
{
    return block_program(argc, argv, &crossbar2_config, &crossbar4_config);
}
