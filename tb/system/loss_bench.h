/* Losses on the way, each at one place: a node whose link partner hands every packet back, so that the way out and the
 * way in are one NIC's.
 *
 * What goes to destination q comes back as from source q: eight flows, each with its own sequence, queue and
 * notification word. The rest is as in system_bench.h.
 *
 *     LOSS_TEST(x) { piece p = bench_send(b, 3, 100, NX_REMOTE); ... }
 */
#ifndef TB_SYSTEM_LOSS_BENCH_H
#define TB_SYSTEM_LOSS_BENCH_H

#include "system_bench.h"

/* Builds the port (a server2004 host, 62-word packets, waits of the driver end after 2 ms), as `change` (may be NULL)
 * has altered it, starts the node, runs `software`, which must end well. Then no notification was false or unexpected.
 */
void loss_run(void (*change)(port_params *, int), void (*software)(bench *, int), int variation);

/* Damages one packet in the link partner: the one after `skip` more. */
void loss_arm(unsigned skip, enum far_end_fault fault);
/* How many were damaged. */
unsigned loss_faults(void);
/* Posts a piece with NX_REMOTE and waits until it is notified: 0 good, 1 flagged. */
int loss_notified(bench *b, unsigned flow, unsigned words);
/* Waits for the notification of a piece: 0 good, 1 with a loss indication. */
int loss_reported(bench *b, const piece *p);
/* Exactly these error counters have risen since the start or the last look, by this much. */
void loss_expect(bench *b, const change *list);

/* Every flow carries good pieces again with good notifications, and none was false. */
void loss_prove(bench *b);

/* Starts random traffic on all flows, lets `strike` act some times at random moments, waits until everything has left;
 * then losses since a flow's last notification must be indicated by its next one, whatever its cause. Something must
 * have been lost. */
void loss_struck(bench *b, void (*strike)(bench *b), int times);

/* A test that is such software: b and its variation _i. */
#define LOSS_TEST(name, ...) BENCH_TEST(loss_run, NULL, name, __VA_ARGS__)
#define LOSS_TEST_ON(change, name, ...) BENCH_TEST(loss_run, change, name, __VA_ARGS__)

#endif
