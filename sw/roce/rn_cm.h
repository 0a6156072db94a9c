/* Connection manager (IBA Volume 1, chapter 12): brings reliable connections up and down, as the active or the passive
 * side.
 *
 *     passive                                              active
 *     rn_cm_listen(cm, service)                            rn_cm_connect(cm, &peer, service, &offer, me, &id)    -->
 * REQ on_event(RN_CM_REQUESTED): set a QP up, rn_cm_accept(id, &offer)              REP -->    on_event(RN_CM_REPLIED):
 * set the QP up, return 0      --> RTU on_event(RN_CM_ESTABLISHED)                          on_event(RN_CM_ESTABLISHED)
 *     rn_cm_disconnect(id)                     DREQ -->    on_event(RN_CM_DISCONNECTED)                          -->
 * DREP on_event(RN_CM_DISCONNECTED) on_event(RN_CM_ENDED)                                on_event(RN_CM_ENDED): the id
 * is gone, its QP may be used again
 *
 * Messages that were lost are repeated: REQ, REP and DREQ by a timer, RTU and DREP when what they answer comes again.
 * rn_cm_poll must be called from time to time. While more than half of all connections wait for an RTU, none of them
 * waits longer than response_timeout, so that requests cannot lock out others. Messages of a third party, malformed or
 * unknown ones are counted and ignored, or answered by REJ as IBA says. The Starting PSN of REQ and REP is the one that
 * the receiver of the message starts sending with.
 */
#ifndef RN_CM_H
#define RN_CM_H

#include "rn.h"
#include "rn_mad.h"

typedef struct rn_cm rn_cm;
typedef struct rn_cm_id rn_cm_id;

typedef enum rn_cm_event {
    RN_CM_REQUESTED,    /* passive: a peer requests a connection: accept or reject it, now or later */
    RN_CM_REPLIED,      /* active: set the QP up and return 0; with another number the other side gets REJ */
    RN_CM_ESTABLISHED,  /* it may be used from both sides */
    RN_CM_REJECTED,     /* the other side refused: id->reason */
    RN_CM_UNREACHABLE,  /* no answer */
    RN_CM_DISCONNECTED, /* it is over: stop the QP */
    RN_CM_ENDED         /* nothing of it is on its way any more; always the last event; the id is gone after it */
} rn_cm_event;

typedef enum rn_cm_state {
    RN_CM_FREE,
    RN_CM_REQ_SENT,
    RN_CM_REQ_RECEIVED,
    RN_CM_REP_SENT,
    RN_CM_CONNECTED,
    RN_CM_DREQ_SENT,
    RN_CM_TIME_WAIT
} rn_cm_state;

/* Offer of one side. */
typedef struct rn_cm_offer {
    unsigned qp;                                   /* own number */
    uint32_t psn;                                  /* with which the other side shall start sending */
    unsigned responder_resources, initiator_depth; /* READs at a time: answered (the chip: 0), asked for */
    unsigned retries, rnr_retries;                 /* 0..7; accept: only rnr_retries */
    unsigned pmtu;                                 /* connect: [bytes] */
    unsigned ack_timeout;     /* connect: 4.096 us * 2^it, that the other side waits for our answers */
    unsigned port;            /* connect: own TCP port, for rdma_cm */
    const void *private_data; /* up to 56 bytes (connect), 196 (accept); NULL: none */
    unsigned private_size;
} rn_cm_offer;

struct rn_cm_id {
    rn_cm *cm;
    rn_cm_state state;
    int active;
    rn_address peer;
    rn_cm_message request, reply; /* REQ and REP of this connection */
    unsigned reason;              /* of REJ */
    void *user;                   /* yours */
    /* ours */
    uint32_t local_id, remote_id;
    rn_cm_message last; /* sent, repeated until it is answered */
    unsigned sends;
    uint64_t since, deadline; /* [ns] `last` was sent for the first time; is sent again */
};

typedef struct rn_cm_params {
    rn_address own;
    uint8_t guid[8];
    unsigned connections;      /* at most; default 128 */
    unsigned response_timeout; /* 4.096 us * 2^it: that we wait, and promise; default 18, about a second */
    unsigned longest_timeout;  /* of one wait, whatever a REQ or MRA says; default 20, four seconds */
    uint64_t longest_wait_ns;  /* of all waits for an answer, whatever a REQ or MRA says; default 75 s */
    unsigned retries;          /* of REQ and DREQ, 0..15; default 15 */
    uint64_t time_wait_ns;     /* before an id is gone; default 1 ms */
    uint32_t first_id;         /* communication IDs count up from here: should be random */
    void *self;                /* of the functions */
    int (*send)(void *self, const rn_address *to, const uint8_t mad[RN_MAD_BYTES]); /* 0 or negative */
    uint64_t (*now)(void *self);                                                    /* [ns] */
    int (*on_event)(void *self, rn_cm_id *id, rn_cm_event event);
} rn_cm_params;

rn_cm_params rn_cm_params_default(void);
/* NULL: no memory is left, or a function is missing. Params are copied. */
rn_cm *rn_cm_new(const rn_cm_params *params);
/* Forgets all connections, without a word and without events. */
void rn_cm_free(rn_cm *cm);

/* Up to 16 services. 0 or NX_ERROR_NO_SPACE. */
int rn_cm_listen(rn_cm *cm, uint64_t service);
int rn_cm_connect(rn_cm *cm, const rn_address *peer, uint64_t service, const rn_cm_offer *offer, void *user,
                  rn_cm_id **id);
/* NX_ERROR_ARGUMENT: not in this state, or the offer is out of range. */
int rn_cm_accept(rn_cm_id *id, const rn_cm_offer *offer);
int rn_cm_reject(rn_cm_id *id, unsigned reason);
int rn_cm_disconnect(rn_cm_id *id);
/* Passive: data came from the other side, so its RTU was lost. */
void rn_cm_heard(rn_cm_id *id);

/* A datagram that came from there: 0, or NX_ERROR_PROTOCOL and rn_cm_error says why it was left alone; other numbers
 * come from `send`. */
int rn_cm_receive(rn_cm *cm, const rn_address *from, const uint8_t mad[RN_MAD_BYTES]);
/* The same with the whole frame (rn_mad_receive). */
int rn_cm_receive_frame(rn_cm *cm, const uint8_t *frame, size_t size);
/* Repeats unanswered messages, ends connections that are over. */
int rn_cm_poll(rn_cm *cm);
const char *rn_cm_error(const rn_cm *cm);

/* Data for the driver: from REQ and REP, once both are there (passive: once accepted, or with `offer` just before
 * that). The code rnr_timer is up to the caller. reads_outstanding is what both sides can do, 0 if there can be no
 * READ. */
void rn_cm_connection(const rn_cm_id *id, const rn_cm_offer *offer, rn_connection *connection);

typedef struct rn_cm_stats {
    uint64_t sent, received, repeated, ignored, rejects;
} rn_cm_stats;
const rn_cm_stats *rn_cm_get_stats(const rn_cm *cm);

#endif
