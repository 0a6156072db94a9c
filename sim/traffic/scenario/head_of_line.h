/* Head-of-line run: a host floods all destinations of a switch port; one of them is stopped for a while, then goes on.
 * The throughput of the others meanwhile is the purpose of virtual output queues.
 *
 *       flood ........................................................
 *       warm-up | before | ------------ stop ------------- | recovery | drained
 *                         destination stops     ... goes ^            ^ its packets queued then have arrived
 *
 * Every packet carries its queue, its number and a word pattern that follows from both; the link partner's callback
 * checks that each queue's packets arrive whole and in order. At the end nothing may be missing.
 */
#ifndef SIM_TRAFFIC_SCENARIO_HEAD_OF_LINE_H
#define SIM_TRAFFIC_SCENARIO_HEAD_OF_LINE_H

#include "sim/system/nodes/port.h"

typedef struct head_of_line_params {
    port_params port;
    unsigned bytes;   /* of a transfer, a multiple of 8 up to 4096; default 496 */
    unsigned victims; /* mask of the destinations that are stopped, not all of them; default 3 alone */
    int body_limit; /* register BODY_LIMIT: blocks that the body of one queue may take; default -1 = its reset value */
    unsigned slow;  /* rate of a stopped destination, in 1/256 of a link; default 0 = none */
    sim_time warm_up; /* [ps] until all queues are full of descriptors; default 1 ms */
    sim_time before;  /* [ps] measured before the stop; default 500 us */
    sim_time stop;    /* [ps] default 10 ms */
    /* called when the node is up, before the flood: the place for faults; may be NULL */
    void (*started)(void *arg, port *p);
    void *arg;
} head_of_line_params;
void head_of_line_params_default(head_of_line_params *p);

typedef struct head_of_line {
    /* payload of all, and of all but the victims, in MiB/s */
    double before, others_before, others_stopped, others_recovering;
    double slowest_stopped;     /* the least of the others, in MiB/s */
    double recovery_us;         /* from when they go on until the packets that waited for them then have arrived */
    double body_us;             /* ... until no block of external memory is taken, in steps of 10 */
    uint64_t packets;           /* delivered in all */
    uint64_t victims_waited;    /* transfers to the victims posted and not delivered when they went again */
    unsigned queued;            /* of these: in the request queues still, the least of the victims */
    unsigned blocks;            /* of external memory taken then */
    uint64_t migrated, fetched; /* words to external memory and back */
    uint32_t exhausted;         /* clocks in which a queue found no block */
    char error[400];            /* "" if all went well */
} head_of_line;

/* 0, or -1 with the reason in result->error. */
int head_of_line_run(const head_of_line_params *params, head_of_line *result);

#endif
