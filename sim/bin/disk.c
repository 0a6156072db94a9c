/* disk: a file as a disk over RDMA around a switch of 2 or 4 ports, for NBD clients. */
#include "crossbar2.h"
#include "crossbar4.h"
#include "nx_program.h"
#include "sim/app/disk/disk_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv) { return disk_program(argc, argv, &crossbar2_config, &crossbar4_config); }
