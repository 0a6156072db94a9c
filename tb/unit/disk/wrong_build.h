/* The library again, built so that it can be wrong on purpose: in which way (nx_disk_internal.h) is chosen at run time.
 * A test that includes this is linked with it in place of sw/disk. */
#ifndef TB_BLOCK_WRONG_BUILD_H
#define TB_BLOCK_WRONG_BUILD_H

extern unsigned wrong_build;

#endif
