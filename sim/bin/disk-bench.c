/* disk-bench: disks over RDMA around a switch of 4 ports, measured. */
#include "crossbar4.h"
#include "nx_program.h"
#include "sim/app/disk/disk_figures.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv) { return disk_figures(argc, argv, &crossbar4_config); }
