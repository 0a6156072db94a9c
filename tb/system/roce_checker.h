/* Checker of a line between the RoCE chip and the NIC in C: each end sends only what IBA allows after what it has
 * received. It knows the frames alone, neither registers nor memory. IBA 9.7.2 to 9.7.8.
 *
 *     roce_checker *j = roce_checker_new(sim, wire);
 *     roce_checker_expect(j, connection, 1024, 4, 1);            path MTU, code of the timeouts, it may be disturbed
 *     ... sim_run
 *     roce_checker_at_rest(j, connection);                       nothing is owed any more
 *     roce_checker_counts(j, connection, 0)->resent              of the chip's requests
 *
 * A requester goes on in order, or back once for a NAK or a gap in its answers, or after a timeout; never beyond the
 * first packet that is not acknowledged, and never to one that has been for a while. A responder reports each gap once,
 * by the PSN that it expects; an ACK names a packet that has come, with its MSN; each packet that asks for one and each
 * duplicate gets one. A connection that may not be disturbed never goes back, and sends no NAK. A violation ends the
 * run with sim_fail.
 */
#ifndef TB_SYSTEM_ROCE_CHECKER_H
#define TB_SYSTEM_ROCE_CHECKER_H

#include "sim/model/ethernet/ethernet_wire.h"
#include "sim/model/rnic/rnic_packet.h"
#include "simulation.h"

enum { ROCE_CONNECTIONS = 127, ROCE_FIRST_QP = 2 /* of the chip */, ROCE_FIRST_PEER_QP = 0x10 };

/* Requests from one end, and their answers from the other one. */
typedef struct roce_counts {
    unsigned requests; /* packets sent */
    unsigned resent;   /* ... of these once more */
    unsigned go_backs; /* times it went back for a NAK or a gap */
    unsigned timeouts; /* ... for nothing at all */
    unsigned naks_due, naks, naks_arrived /* of sequence: to be sent, sent, come to the requester */;
    unsigned rnrs;       /* RNR NAKs sent */
    unsigned duplicates; /* requests that arrived and had come before */
    unsigned early;      /* requests that arrived and before which one was missing */
    unsigned unwanted; /* answers that arrived when they were no longer awaited, and READ responses before which one was
                          missing */
    unsigned acks;     /* sent */
} roce_counts;

typedef struct roce_checker roce_checker;

/* Freed after the test. */
roce_checker *roce_checker_new(sim *s, ethernet_wire *wire);
/* A frame may wait in this end (0: the chip, 1: the peer) for this time [ps] after the decision to send it; default 4
 * us. */
void roce_checker_set_queue(roce_checker *j, int end, sim_time queue);
/* From now on, and from the next request of either end on, this connection is checked again: QP 2 + connection of the
 * chip, 10 (hexadecimal) + connection of the peer. */
void roce_checker_expect(roce_checker *j, unsigned connection, unsigned pmtu, unsigned timeout, int may_be_disturbed);
/* Something sent has not been acknowledged. */
int roce_checker_busy(const roce_checker *j, unsigned connection);
/* Everything that arrived has been answered, and everything sent acknowledged; else sim_fail. */
void roce_checker_at_rest(roce_checker *j, unsigned connection);
const roce_counts *roce_checker_counts(const roce_checker *j, unsigned connection, int from);

#endif
