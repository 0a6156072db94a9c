/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* nx_sync: remote queues, counters and words of a device with SYNC (rtl/sync/README.md), and barriers, a lock and a
 * work queue made of them.
 *
 *   nx_sync *s;
 *   nx_sync_open(dev, &s);
 *   nx_rqueue *q;                                          on node 1, which reads queue 5
 *   nx_rqueue_params p = nx_rqueue_params_default();
 *   nx_rqueue_open(s, 5, &p, &q);
 *   nx_message m;
 *   nx_rqueue_wait(q, &m);                                 the message is in memory at m.address
 *   nx_rqueue_done(q);                                     its slot may be overwritten
 *
 * and on node 0
 *
 *   nx_rsender *to;
 *   nx_rsender_open(s, 1, 5, NULL, &to);
 *   nx_rsend(to, words, 8);                                until the window is full it does not wait
 *   nx_rsender_flush(to);                                  all are in the queue
 *
 * Nodes are named by flow, as in nx.h; sources by what receivers see. NX_SELF is this node, reached by its registers.
 * Functions return NX_OK or a negative NX_ERROR_ (nx_error.h); the text is in nx_last_error of the device. Waits end
 * with NX_ERROR_TIMEOUT after timeout_ns of nx_params without an answer. One thread of control uses a nx_sync and what
 * was opened on it.
 */
#ifndef NX_SYNC_H
#define NX_SYNC_H

#include <stdint.h>

#include "nx.h"
#include "nx_operation.h"

enum { NX_SELF = 0xffff };

typedef struct nx_sync nx_sync;

/* Allocates the words that the device writes, and sets it up; counters and words are as they are, 0 after RST#.
 * NO_DEVICE: it was built without SYNC. */
int nx_sync_open(nx_device *dev, nx_sync **s);
/* What was opened on it must be closed before; it must be closed before the device. Takes NULL. */
void nx_sync_close(nx_sync *s);

/* ---- what went wrong */

typedef struct nx_sync_status {
    uint32_t status;  /* SYNC_STATUS_*_MASK */
    uint64_t errors;  /* sum of the error counters, since RST# */
    uint64_t refused; /* messages refused because a queue was full; no error */
    char text[2048];  /* one line per status bit and per error counter that is not 0; else "no errors\n" */
} nx_sync_status;
int nx_sync_status_read(nx_sync *s, nx_sync_status *status);
/* Clears bits of it. */
int nx_sync_status_clear(nx_sync *s, uint32_t bits);

/* ---- words (atomic among all operations, and those of this node) */

int nx_word_read(nx_sync *s, unsigned word, uint64_t *value);
int nx_word_write(nx_sync *s, unsigned flow, unsigned word, uint64_t value);
/* The word becomes value + add; value; or value if it is `expected`. *old is what it was before. */
int nx_fetch_add(nx_sync *s, unsigned flow, unsigned word, uint64_t add, uint64_t *old);
int nx_swap(nx_sync *s, unsigned flow, unsigned word, uint64_t value, uint64_t *old);
int nx_compare_swap(nx_sync *s, unsigned flow, unsigned word, uint64_t expected, uint64_t value, uint64_t *old);
/* The first half of these: the request is on its way, *slot names its answer. Several may be unanswered, from other
 * nodes or the same one. NO_SPACE: as many as there are slots. */
int nx_word_ask(nx_sync *s, unsigned flow, enum nx_operation kind, unsigned word, uint64_t first, uint64_t second,
                unsigned *slot);
/* The second half: 1 = here it is, 0 = not yet; ABANDONED: the node refused it. The slot is free after 1 and errors. */
int nx_word_answer(nx_sync *s, unsigned slot, uint64_t *old);
/* Gives up an answer that is lost, at both ends: the slot is free, and the device does not count on it. An answer that
 * comes all the same is not taken for another one's. */
int nx_word_forget(nx_sync *s, unsigned slot);

/* ---- counters */

enum {
    NX_AT_ZERO_WORD = 1,     /* a word in memory counts: nx_counter_zeros */
    NX_AT_ZERO_INTERRUPT = 2 /* this node's interrupt */
};
/* Adds to a counter of a node; at 0, if it is armed, it acts once. */
int nx_counter_add(nx_sync *s, unsigned flow, unsigned counter, int32_t add);
/* Adds, and arms: NX_AT_ZERO_ flags, and mask of the request queues of that node whose prepared clusters (nx_prepare)
 * are released. */
int nx_counter_arm(nx_sync *s, unsigned flow, unsigned counter, int32_t add, unsigned at_zero, unsigned release);
/* How often a counter of this node has written its word since nx_sync_open. FLAGGED, once: packets of a source were
 * lost or damaged before. */
int nx_counter_zeros(nx_sync *s, unsigned counter, uint32_t *zeros);
/* Waits until that many. */
int nx_counter_wait(nx_sync *s, unsigned counter, uint32_t zeros);
int nx_counter_read(nx_sync *s, unsigned counter, int32_t *value);

/* ---- remote queues: the reader */

typedef struct nx_rqueue nx_rqueue;
typedef struct nx_rqueue_params {
    unsigned slots;      /* 2..4096, a power of two; default 128 */
    unsigned slot_bytes; /* 64, 128, 256 or 512, 8 of them for the first word; default 512 */
    uint32_t sources;    /* bit i: source i, 0..15, may send here; default all */
    int interrupt;       /* when it was empty; default 0 */
} nx_rqueue_params;
nx_rqueue_params nx_rqueue_params_default(void);

typedef struct nx_message {
    uint64_t address; /* of its first word, in own memory */
    unsigned words;
    unsigned source;
    int damaged;     /* messages of this source before this one, or other packets, are lost or damaged */
    unsigned number; /* as the device counts */
} nx_message;

/* Opens queue `number` of this node. ARGUMENT; NO_SPACE: no memory for the ring. */
int nx_rqueue_open(nx_sync *s, unsigned number, const nx_rqueue_params *params, nx_rqueue **q);
/* Messages from now on are refused. Takes NULL. */
void nx_rqueue_close(nx_rqueue *q);
/* The oldest message that nx_rqueue_done has not freed: 1, or 0 if there is none. Reads memory only. */
int nx_rqueue_poll(nx_rqueue *q, nx_message *m);
int nx_rqueue_wait(nx_rqueue *q, nx_message *m);
/* Frees the slot of the oldest message. QUEUE_HEAD is written now and then. */
int nx_rqueue_done(nx_rqueue *q);

/* ---- remote queues: a sender. Messages of one sender arrive in order, each once. Refused ones are sent again until
 * they are taken; a copy of each is kept until then. One sender per node and queue. */

typedef struct nx_rsender nx_rsender;
typedef struct nx_rsender_params {
    unsigned window; /* messages not known to be taken, 2..1024; default 64 */
    unsigned words;  /* of a message, at most; default 62 */
    uint64_t
        backoff_ns; /* between a refusal and the next attempt, to begin with; doubled up to 64 times; default 2 us */
} nx_rsender_params;
typedef struct nx_rsender_counts {
    uint64_t sent;    /* messages given to nx_rsend */
    uint64_t taken;   /* known to be in the queue */
    uint64_t refused; /* refusals reported to this node, the repeated ones too */
    uint64_t reopened;
} nx_rsender_counts;

/* NULL: defaults. Asks the node for its counts the first time: TIMEOUT if it does not answer. */
int nx_rsender_open(nx_sync *s, unsigned flow, unsigned queue, const nx_rsender_params *params, nx_rsender **sender);
void nx_rsender_close(nx_rsender *sender);
/* Sends a message of 1.. words. Waits only while the window is full. */
int nx_rsend(nx_rsender *sender, const uint64_t *message, unsigned words);
/* Waits until all messages are taken. nx_rsend too: PEER: the node refuses for a reason that will not change. FLAGGED:
 * messages were lost, and are not sent again; the message given now is. */
int nx_rsender_flush(nx_rsender *sender);
/* What nx_rsend and nx_rsender_flush do while they wait: looks at answers, repeats what was refused. */
int nx_rsender_progress(nx_rsender *sender);
nx_rsender_counts nx_rsender_get_counts(const nx_rsender *sender);

#endif
