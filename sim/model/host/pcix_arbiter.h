/* The arbiter of a bus: one GNT# low at a time, one clock without any between two owners, held until the owner's FRAME#
 * falls or its REQ# is gone (pcix.md 9). Round robin: the last user of the bus comes last.
 *
 * `hidden` = the next owner is chosen while a transaction runs; otherwise devices get GNT# only once the bus has been
 * seen idle, and lose it when FRAME# has been seen (the bridge's own requests are always hidden).
 */
#ifndef SIM_MODEL_HOST_PCIX_ARBITER_H
#define SIM_MODEL_HOST_PCIX_ARBITER_H

#include "sim/model/host/host_params.h"
#include "sim/model/host/pcix.h"

typedef struct pcix_arbiter {
    /* data; set by the owner before use */
    int bridge; /* agent number of the bridge */
    bool hidden;
    int park;             /* enum pcix_park */
    unsigned grant_delay; /* [clocks] between a device's REQ# seen and its GNT#, beyond the minimum of two */

    /* state */
    int owner;      /* agent whose GNT# is low; -1 none */
    uint16_t gnt_n; /* the same as bits */
    uint64_t since; /* clock in which its GNT# fell */
    bool started;   /* it has begun a transaction since */
    int last_user, last_device;
    uint64_t req_since[PCIX_AGENTS]; /* clock REQ# was first seen low; 0 = high */
    uint16_t req_n;                  /* REQ# of all as seen last */
    uint64_t req_changed;            /* clock in which that was new */
    bool was_idle, bridge_wanted;    /* in the step before */
    bool stays; /* in the middle of a transaction: a step that finds nothing new changes nothing. The owner sets it to
                   false if it changes the data */
} pcix_arbiter;

void pcix_arbiter_reset(pcix_arbiter *x);
/* Nobody asks, the bus is idle and GNT# rests where it is parked: the next step would change nothing if its sample is
 * like the last. */
bool pcix_arbiter_settled(const pcix_arbiter *x, int agents);
/* For the function below only: a step in which something may change. */
void pcix_arbiter_decide(pcix_arbiter *x, const pcix_sample *now, bool bridge_wants, int agents);
/* Fills in out->gnt_n. `bridge_wants`: the bridge's own request, known without a pin. */
static inline void pcix_arbiter_step(pcix_arbiter *x, const pcix_sample *now, bool bridge_wants, int agents,
                                     pcix_drive *out)
{
    if (!x->stays || now->req_n != x->req_n || bridge_wants != x->bridge_wanted || pcix_idle(now))
        pcix_arbiter_decide(x, now, bridge_wants, agents);
    else if (!x->started) x->since = now->clock + 2;
    out->gnt_n = x->gnt_n;
}

#endif
