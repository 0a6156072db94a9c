/* Judges the order of notifications, each in the clock in which it shows, from what is on the wire and on the buses of both nodes:
 *
 *   - a local notification (its FRAME# already) comes behind the last word of every transfer that it counts, as those left on the
 * wire;
 *   - a remote notification is that of a transfer whose data are in memory, whole;
 *   - INTA# falls behind the data, and the notification if it has one, of a transfer with the interrupt flag that was not there yet when
 * the flag was cleared last;
 *   - each is written once, and only for transfers that asked for it (local counts may be written once for several).
 *
 *     static order_watch w;
 *     order_watch_start(&w, b, 0);                       node 0 sends
 *     order_watch_post(&w, words, queue, flags);         ...
 *     order_watch_end(&w);                               everything has come that must
 */
#ifndef TB_SYSTEM_ORDER_WATCH_H
#define TB_SYSTEM_ORDER_WATCH_H

#include "sniffer.h"
#include "system_bench.h"

enum {
    ORDER_PIECES = 4000,
    ORDER_QUEUES = 16,
    ORDER_EVENT = 8 /* bus clocks at most from the last word to the device's flag, and to the record of the transaction */
};

typedef struct order_piece {
    piece p;
    unsigned queue, flags;
    uint64_t left;  /* clock of the sender's bus in which its last word was on the wire; 0: not yet */
    unsigned notes; /* remote notifications written for it */
    uint64_t whole; /* clock of the receiver's bus in which its notification, or its last data, were written, everything being there; 0: not
                       yet */
} order_piece;

typedef struct order_watch {
    bench *b;
    int from;
    sniffer *wire;
    order_piece piece[ORDER_PIECES];
    unsigned count;
    unsigned in_queue[ORDER_QUEUES][ORDER_PIECES]; /* pieces of each queue in order */
    unsigned posted[ORDER_QUEUES];
    uint32_t departed[ORDER_QUEUES]; /* count when the watch began */
    uint32_t told[ORDER_QUEUES];     /* last local notification, counted from there */
    uint64_t local_words, remote_word;
    int inta;
    uint64_t edge, cleared,
        cleared_before; /* clocks: INTA# fell last; last write to the interrupt register, and the last one before the edge */
    /* what was seen */
    unsigned local, remote, interrupts;
    unsigned early_local, early_remote, early_interrupt; /* before their time */
    unsigned strangers;                                  /* nobody asked for them, or twice */
    uint64_t nearest; /* fewest bus clocks between the last word on the wire and FRAME# of the notification */
} order_watch;

/* From node `from`; once per simulation and direction. */
void order_watch_start(order_watch *w, bench *b, int from);
/* Posts one transfer of `words` on a queue, with NX_REMOTE, NX_LOCAL, NX_INTERRUPT, NX_START. */
void order_watch_post(order_watch *w, unsigned words, unsigned queue, unsigned flags);
/* Waits until everything has left and come; nothing was early, strange or missing, all data are there. */
void order_watch_end(order_watch *w);
/* One transaction on the sender's bus, as the watch judges it: to feed it what it must catch. */
void order_watch_local(order_watch *w, const pcix_transaction *t);

#endif
