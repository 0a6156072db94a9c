/* The proof that no buffer space has leaked: both sides' accounts, and a buffer filled to its last word. */
#ifndef TB_SYSTEM_SPACE_H
#define TB_SYSTEM_SPACE_H

#include "system_bench.h"

typedef struct space {
    unsigned t, credit, r, f; /* [link words], modulo 4096 */
} space;
space bench_space(bench *b, int from);
/* Within this many periods of check records, without traffic: T = R = F, credit = F without its low 5 bits. */
void bench_agree(bench *b, int from, unsigned periods);
/* Fills the other side's buffer to the last word, empties it again, compares everything. */
void bench_fill(bench *b, int from);
/* The error counters have nothing to say, traffic goes on and space is whole, in both directions. */
void bench_prove(bench *b);

#endif
