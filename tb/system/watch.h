/* Judges every notification in the clock in which it is written: a good one must find the data it tells of in memory, whole, and, unless
 * the sender itself has reported losses, everything sent before it too.
 *
 *     watch *w = watch_new(b, 0, pieces, &count);     pieces that node 0 sends, in order; count grows as they are posted
 */
#ifndef TB_SYSTEM_WATCH_H
#define TB_SYSTEM_WATCH_H

#include "system_bench.h"

typedef struct watch {
    bench *b;
    int from;
    const piece *pieces;
    const unsigned *count;
    int sender_reports; /* 1: pieces may be missing that the sender has thrown away by a reset, and reported */
    uint64_t word;      /* bus address of the notification word */
    unsigned told;      /* pieces up to here have been told of, good or not */
    unsigned good, flagged;
    unsigned lies;      /* good ones for data that are not there */
    unsigned strangers; /* of no piece */
} watch;

void watch_start(watch *w, bench *b, int from, const piece *pieces, const unsigned *count, int sender_reports);
/* No lies, no strangers. */
void watch_sound(const watch *w);

#endif
