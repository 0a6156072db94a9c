/* Packets that came to Linux when it had ended their connection: rdma_rxe drops them without counting them, so its
 * counters may be smaller than the packets sent. They occur when Linux, whose timeouts are in wall-clock time, has
 * repeated a packet without need and leaves before the second answer has come.
 *
 * Linux ends a QP a moment before it says so (DREQ). A packet behind a DREQ on the line is not counted; one before it
 * may be uncounted only if it repeats an earlier one: Linux does not leave before it has the packets it waits for.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_LATE_H
#define SIM_APP_ROCE_LINUX_ROCE_LATE_H

#include "sim/model/ethernet/ethernet_wire.h"

typedef struct roce_late roce_late;

/* Linux is at this end of the line. NULL: no memory. */
roce_late *roce_late_new(ethernet_wire *wire, int end);
/* Before the wire. NULL is allowed. */
void roce_late_free(roce_late *l);

typedef struct roce_late_counts {
    uint32_t packets, requests;                   /* behind a DREQ; the requests among them */
    uint32_t repeated_packets, repeated_requests; /* before it, with a PSN that had come already */
} roce_late_counts;
roce_late_counts roce_late_count(const roce_late *l);

#endif
