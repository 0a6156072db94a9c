/* The requests of one end of a connection and the answers of the other, as on the line: the counts that both must have
 * of them, by the rules of IBA alone (9.7.4, 9.7.5). It knows neither the chip nor rdma_rxe, so it checks both.
 *
 *     roce_flow *f = roce_flow_new(psn, pmtu);          for the requests of either end one
 *     roce_flow_sent(f, &packet);                       of every packet of these requests and of their answers: as its
 * sender sent it, roce_flow_arrived(f, &packet);                    and as it arrived with a right ICRC, both in the
 * order of the line roce_flow_count(f, quiet, &counts);               when all is done
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_FLOW_H
#define SIM_APP_ROCE_LINUX_ROCE_FLOW_H

#include "sim/model/rnic/rnic_packet.h"

typedef struct roce_flow roce_flow;

/* The PSN of the first request. NULL: no memory. */
roce_flow *roce_flow_new(uint32_t psn, unsigned pmtu);
/* NULL is allowed. */
void roce_flow_free(roce_flow *f);
/* An answer (READ response or ACK), and so of the flow the other way; else a request. */
int roce_flow_is_answer(const rnic_packet *p);
void roce_flow_sent(roce_flow *f, const rnic_packet *p);
void roce_flow_arrived(roce_flow *f, const rnic_packet *p);

typedef struct roce_flow_counts {
    /* at the requester */
    uint32_t again;   /* requests with a PSN that was sent before */
    uint32_t outside; /* answers to requests not (or no longer) outstanding */
    uint32_t early;   /* READ responses that came before another one that is missing */
    uint32_t news; /* NAK-sequence that came and acknowledged a part of a message, which is all that rdma_rxe counts of
                      them */
    /* at the responder */
    uint32_t duplicates; /* requests that came when their PSN had been taken */
    uint32_t gaps;       /* times that a PSN was missing: one NAK-sequence each */
} roce_flow_counts;
/* quiet: after an RNR NAK the receiver sends no NAK for missing packets; the chip and the NIC in C do so, rdma_rxe does
 * not. 0, or -1: no memory for the packets on the line. */
int roce_flow_count(const roce_flow *f, int quiet, roce_flow_counts *counts);

#endif
