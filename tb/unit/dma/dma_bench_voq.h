/* The output queues behind the DMA engine, and the link behind them, for dma_bench.
 *
 * Always checked: a piece is reserved only where its room is shown, at most every third clock, at most 8 at a time, and
 * never during a software reset; nothing is written outside a reserved piece, or before the clock after its
 * reservation, or beyond what it reserved; committed words are the next transfer of its queue (header, data or zeros,
 * last word), or an abort mark where a read failed and nowhere else; it ends where a packet ends; the last packet of a
 * piece waits for the good end of its read; what a failed read had not completed never shows; after an eager header a
 * word comes in every clock.
 *
 * Room is wrong in the clock after a reservation (at random), and shown as none now and then (`flicker_percent`). */
#ifndef TB_DMA_BENCH_VOQ_H
#define TB_DMA_BENCH_VOQ_H

#include "dma_bench.h"

/* Words of a failed transfer that are committed before its abort mark. */
unsigned dma_bench_sent_of_failed(const struct descriptor *d);
void dma_bench_sample_voq(struct dma_bench *b);
void dma_bench_drive_voq(struct dma_bench *b);

#endif
