/* Answers that a host must give besides RDMA to be found: ARP, ICMP echo (ping), and over IPv6 neighbour discovery and
 * ICMPv6 echo; and how it finds others. Frames are those of the chip's second stream, from the Ethernet header on,
 * without FCS.
 *
 *     rn_net *net = rn_net_new(&(rn_net_params){.mac = ..., .ipv4 = ..., .ipv6 = ..., .self = me, .send = send, .now =
 * now}); rn_net_receive(net, frame, size);                            every frame that comes; answers go to `send` at
 * once while ((result = rn_net_resolve(net, &peer)) == 0) wait;     peer.mac is filled in with 1
 */
#ifndef RN_NET_H
#define RN_NET_H

#include <stddef.h>

#include "nx_error.h"
#include "rn_address.h"

enum {
    RN_FRAME = 9018 /* longest that is looked at */,
    RN_FRAME_LEAST = 60 /* shorter answers are padded to that */,
    RN_NEIGHBOURS = 64
};

typedef struct rn_net_params {
    uint8_t mac[6], ipv4[4], ipv6[16];                          /* own; an address of zeros: none of that kind */
    void *self;                                                 /* of the functions below */
    int (*send)(void *self, const uint8_t *frame, size_t size); /* takes a copy; negative: it cannot go */
    uint64_t (*now)(void *self);                                /* [ns] */
    uint64_t retry_ns;                                          /* a question is asked again; 0 = 1 ms */
    unsigned retries;                                           /* so often; 0 = 10 */
} rn_net_params;

typedef struct rn_net rn_net;

/* The params are copied. NULL: no memory is left. */
rn_net *rn_net_new(const rn_net_params *params);
void rn_net_free(rn_net *net);

/* 1: it was for us, and answered or learned from; 0: nothing of ours; NX_ERROR_PROTOCOL: it is malformed, rn_net_error
 * says how, and nothing was done; other negative numbers come from `send`. */
int rn_net_receive(rn_net *net, const uint8_t *frame, size_t size);
/* Error of the last malformed frame. */
const char *rn_net_error(const rn_net *net);

/* The MAC address of a host with this IP address: 1, filled in; 0: it was asked for, try again later; NX_ERROR_TIMEOUT:
 * no answer (the next call asks again); other negative numbers come from `send`. */
int rn_net_resolve(rn_net *net, rn_address *who);
/* Makes one known by hand. */
void rn_net_learn(rn_net *net, const rn_address *who);

typedef struct rn_net_stats {
    uint64_t arp_answers, neighbour_answers, echoes, questions, malformed;
} rn_net_stats;
const rn_net_stats *rn_net_get_stats(const rn_net *net);

#endif
