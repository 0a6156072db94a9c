#include "wrong_build.h"

#define NX_BLOCK_WRONG wrong_build
unsigned wrong_build;
#include "sw/block/nx_block_wire.c"

#include "sw/block/nx_block_initiator.c"

#include "sw/block/nx_block_target.c"
