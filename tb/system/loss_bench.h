/* Losses on the way, each at one place: a node at a far end that hands every packet back, so that the way out and the way in are one NIC's.
 *
 * What goes to destination q comes back as from source q: eight flows, each with its own sequence, queue and notification word. Pieces have
 * random contents and targets of their own. Every notification is judged in the clock in which it is written:
 *
 *     a good one must find the piece it names whole in memory, and so every piece of its source posted since the last notification.
 *
 * `lies` counts good ones that do not.
 *
 *     static void software(loss *l, int variation) { loss_piece *x = loss_send(l, 3, 100, NX_REMOTE); ... }
 *     loss_run(NULL, software, _i);
 */
#ifndef TB_SYSTEM_LOSS_BENCH_H
#define TB_SYSTEM_LOSS_BENCH_H

#include "test.h"

#include "error_counters.h"
#include "nic_register_map.h"
#include "port.h"

enum { LOSS_FLOWS = 8, LOSS_PIECES = 400 };

typedef struct loss_piece {
    unsigned flow, words, flags;
    uint64_t source;
    uint32_t destination;
    nx_ticket ticket;
} loss_piece;

typedef struct loss_flow {
    loss_piece piece[LOSS_PIECES];
    unsigned posted;
    unsigned told; /* pieces up to here have been told of, good or not */
    unsigned good, flagged;
    uint64_t last; /* notification word written last */
} loss_flow;

typedef struct loss {
    port *p;
    node *n;
    loss_flow flow[LOSS_FLOWS];
    unsigned lies, strangers;
    /* the packet that is damaged on its way through the far end, counted over all from now on; -1: none */
    int fault_after;
    enum far_end_fault fault;
    unsigned faults_done;
    uint64_t next; /* where the next piece goes */
    error_counters errors;
    uint64_t notes; /* bus address of the notification words */
    void (*software)(struct loss *, int);
    int variation;
} loss;

/* server2004 host, 62-word packets, waits of the driver end after 2 ms. */
void loss_params(port_params *p);
/* Builds the port (NULL: loss_params), starts the node, runs `software`, which must end well. */
void loss_run(const port_params *params, void (*software)(loss *, int), int variation);

loss_piece *loss_make(loss *l, unsigned flow, unsigned words);
/* Makes one and posts it as one descriptor. */
loss_piece *loss_send(loss *l, unsigned flow, unsigned words, unsigned flags);
void loss_post(loss *l, loss_piece *p, unsigned flags);
int loss_arrived(const loss *l, const loss_piece *p);
void loss_wait(loss *l, sim_time time);
uint32_t loss_get(loss *l, unsigned offset);
void loss_put(loss *l, unsigned offset, uint32_t value);
/* Damages one packet in the far end: the one after `skip` more. */
void loss_arm(loss *l, unsigned skip, enum far_end_fault fault);
/* Posts a piece with NX_REMOTE and waits until it is told of: 0 good, 1 flagged. */
int loss_notified(loss *l, unsigned flow, unsigned words);
/* Waits until the notification of a piece is there: 0 good, 1 flagged. */
int loss_told(loss *l, const loss_piece *p);

/* Exactly these error counters have risen since the start or the last look, by so much. */
void loss_expect(loss *l, const change *list);
void loss_forgive(loss *l);

/* Every flow carries good pieces again with good notifications, and nobody has lied. */
void loss_prove(loss *l);

/* Starts random traffic on all flows, lets `strike` act some times at random moments, waits until everything has left; then what is missing
 * since a flow's last notification must be flagged by its next one, whatever its cause. Something must have been lost. */
void loss_struck(loss *l, void (*strike)(loss *l), int times);

/* A test that is such software: l and its variation _i. */
#define LOSS_TEST(name, ...)                                                                                                               \
    static void name##_software(loss *l, __attribute__((unused)) int _i);                                                                  \
    TEST(name, __VA_ARGS__)                                                                                                                \
    {                                                                                                                                      \
        loss_run(NULL, name##_software, _i);                                                                                               \
    }                                                                                                                                      \
    static void name##_software(loss *l, __attribute__((unused)) int _i)

#endif
