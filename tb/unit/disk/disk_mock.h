/* A block bench on fake devices around a switch (tb/unit/sw/mock_nic.h). */
#ifndef TB_BLOCK_MOCK_H
#define TB_BLOCK_MOCK_H

#include "disk_bench.h"
#include "mock_host.h"

extern mock_net net;
extern mock_host mock[BENCH_HOSTS];

/* So many hosts with open devices; a disk of 2048 sectors, places of 8 KiB, timeouts of 300 us. */
disk_bench *disk_mock_new(unsigned hosts);
/* The clients of all initiators do everything, each in a part of the disk of its own. */
disk_client *disk_mock_everything(disk_bench *b, unsigned depth, unsigned operations);
/* Opens all, runs hosts and clients, and `sequence` (NULL: none) as one more task; closes all and checks the disk. */
void disk_mock_run(disk_bench *b, void (*sequence)(void *bench));

#endif
