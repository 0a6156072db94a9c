/* The incoming side of dma_bench: the bus interface's write conversation, and the net-to-host FIFO (N2H) that packets come from. */
#ifndef TB_DMA_BENCH_IN_H
#define TB_DMA_BENCH_IN_H

#include "dma_bench.h"

void dma_bench_sample_write(struct dma_bench *b);
/* Before the engine's outputs have settled: the end of a sequence. After: pops and acknowledges, which depend on them. */
void dma_bench_drive_write_end(struct dma_bench *b);
void dma_bench_drive_write_pop(struct dma_bench *b);
void dma_bench_sample_n2h(struct dma_bench *b);
void dma_bench_drive_n2h(struct dma_bench *b);

#endif
