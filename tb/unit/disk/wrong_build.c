#include "wrong_build.h"

#define NX_DISK_WRONG wrong_build
unsigned wrong_build;
#include "sw/disk/nx_disk_wire.c"

#include "sw/disk/nx_disk_completion.c"
#include "sw/disk/nx_disk_initiator.c"

#include "sw/disk/nx_disk_target.c"
