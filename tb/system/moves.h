/* For tests that provoke one thing: transfers of bytes with random data that are posted, looked at and forgotten; a body without a
 * variation of its own. Everything else is in system_bench.h. */
#ifndef TB_SYSTEM_MOVES_H
#define TB_SYSTEM_MOVES_H

#include "system_space.h"

/* Runs `body` on a new pair; `change` (may be NULL) alters the parameters first. `arg` is handed to `change` and stands in b->variation.
 * Fails the test unless the simulation ends well within 100 ms. */
void moves_run(void (*change)(pair_params *, int arg), void (*body)(bench *), int arg);

/* A transfer that has been posted. */
typedef struct move {
    int from;
    unsigned bytes;
    uint64_t source;
    uint32_t destination;
    uint8_t data[4096];
} move;

/* Posts one of `bytes` (a multiple of 8, at most 4096) with these NX_ flags. */
void move_post(bench *b, move *m, int from, unsigned bytes, unsigned flags);
/* 1 if its data are in the receiver's memory. */
int move_arrived(bench *b, const move *m);
/* Takes the next notification at the receiver: its result (NX_OK, NX_ERROR_FLAGGED, NX_ERROR_TIMEOUT). */
int move_notified(bench *b, int from);
/* Posts one, waits for its notification, which must be good, and compares the data. */
void move_good(bench *b, int from, unsigned bytes);
/* The same after the sender has lost a transfer: the data arrive, the notification is flagged, and the receiver has counted a gap. */
void move_told(bench *b, int from, unsigned bytes);

/* Forgets what the counters did and fills the other side's buffer to the last word (bench_fill). */
void move_fill(bench *b, int from);

/* A test that is such a body; its variation is b->variation. */
#define MOVES_TEST(name, ...)                                                                                                              \
    static void name##_body(bench *b);                                                                                                     \
    TEST(name, __VA_ARGS__)                                                                                                                \
    {                                                                                                                                      \
        moves_run(NULL, name##_body, _i);                                                                                                  \
    }                                                                                                                                      \
    static void name##_body(bench *b)

#endif
