/* Shared by the files of sim/model/rnic. PSNs and MSNs are numbers modulo 2^24; "behind" and "ahead" are within half of
 * that (IBA 9.7.2).
 */
#ifndef SIM_MODEL_RNIC_RNIC_INTERNAL_H
#define SIM_MODEL_RNIC_RNIC_INTERNAL_H

#include "sim/model/rnic/rnic.h"

enum { CHAINS = 256, DEFAULT_DEPTH = 128, MOST_READS = 16, STARTS = 4, ANSWERS = 2 * MOST_READS + 4 };
#define MOST_BYTES 0x80000000u /* of a message, IBA 9.7.7 */

static inline uint32_t psn_add(uint32_t psn, uint32_t n) { return (psn + n) & (RNIC_PSNS - 1); }

/* a - b: -2^23 .. 2^23 - 1 */
static inline int32_t psn_diff(uint32_t a, uint32_t b) { return (int32_t)((a - b) << 8) >> 8; }

typedef struct region {
    uint32_t key; /* 0: free */
    uint8_t tag;  /* of the next key in this place */
    unsigned domain, access;
    uint8_t *memory;
    uint64_t address, length;
} region;

/* A send on its way. */
typedef struct request {
    rnic_send work;
    uint32_t first, packets; /* PSNs */
    uint32_t start[STARTS];  /* READ: PSNs of the requests sent for it, the newest first */
    unsigned starts;
} request;

/* Responses still to be sent, in the order of PSNs. */
typedef struct answer {
    enum { ANSWER_READ, ANSWER_ACK } kind;
    uint32_t psn;              /* of the ACK; next one of the READ */
    uint32_t first, stop, end; /* READ: of the request; where it ends now; where the request ended */
    uint64_t address, due;     /* address: of `first`; due: not before [ps] */
    uint32_t rkey, length, msn;
    uint8_t syndrome;
} answer;

struct rnic_qp {
    rnic *nic;
    rnic_qp *next, *chained; /* of all; with the same low bits */
    rnic_qp_params params;
    rnic_connection c;
    rnic_state state;
    int answers_turn; /* the next packet is an answer, if there is one */

    /* requester (rnic_requester.c): indices count from 0 for ever, entries are at index % params.sends */
    request *sends;
    uint64_t head, sending, tail; /* oldest one not complete; next to send; next to be posted */
    uint32_t unacknowledged;      /* PSN: oldest packet, or next response of a READ */
    uint32_t next_psn;            /* to send */
    uint32_t sent_to;             /* PSN behind the newest that was ever sent */
    uint32_t posted_to;           /* PSN behind all that is posted */
    unsigned retries, rnr_retries;
    int gap;     /* the answers that are missing have been asked for again */
    int refused; /* the oldest packet has met an RNR NAK, so later packets are ahead: it all goes again when the time is
                    up */
    uint64_t timeout_at, rnr_until;

    /* responder (rnic_responder.c) */
    rnic_receive *receives;
    uint64_t receive_head, receive_tail;
    uint32_t expected, msn;
    int nak_sent;                                /* packets ahead get no more NAKs */
    enum { BETWEEN, IN_SEND, IN_WRITE } message; /* what a middle or last packet belongs to */
    uint32_t received;                           /* bytes of the message */
    uint64_t write_address;
    uint32_t write_key, write_length;
    answer answers[ANSWERS];
    unsigned answer_count;
};

struct rnic {
    rnic_params params;
    rnic_qp *qps, *chain[CHAINS];
    rnic_qp *turn; /* who is asked first for a packet */
    region *regions;
    unsigned region_count;
    rnic_completion *done;
    size_t done_first, done_count, done_room;
    unsigned acks;     /* ACKs and NAKs that wait, of all QPs: they go before all else */
    int pending;       /* a QP may have a packet to send */
    uint64_t timer_at; /* no timer is due before */
    rnic_counters counters;
    rnic_observer observer;
    void *observer_self;
};

static inline uint64_t rnic_now(const rnic *r) { return r->params.clock(r->params.clock_self); }

/* A timer of some QP is due then. */
static inline void rnic_timer(rnic *r, uint64_t at)
{
    if (at < r->timer_at) r->timer_at = at;
}

/* Packets of a message with this many bytes. */
static inline uint32_t rnic_packets(const rnic_qp *qp, uint32_t length)
{
    return length ? (uint32_t)(((uint64_t)length + qp->c.pmtu - 1) / qp->c.pmtu) : 1;
}

/* The memory behind a key, or NULL: there is no such key in this domain, or not these rights, or not all of these
 * bytes. */
uint8_t *rnic_memory(const rnic *r, unsigned domain, uint32_t key, uint64_t address, uint64_t length, unsigned access);
void rnic_complete(rnic *r, const rnic_completion *completion);
/* Header fields that all packets of a connection have. */
void rnic_address_packet(const rnic_qp *qp, rnic_packet *p);

/* ---- requester */
void requester_start(rnic_qp *qp);
/* Everything posted completes; the oldest one with `status`, if it is not RNIC_FLUSHED. */
void requester_flush(rnic_qp *qp, rnic_status status);
/* An ACK, NAK or READ response. */
void requester_take(rnic_qp *qp, const rnic_packet *p);
/* The next packet, 1, or 0: there is none now. */
int requester_give(rnic_qp *qp, rnic_packet *p);
void requester_timers(rnic_qp *qp, uint64_t now);

/* ---- responder */
void responder_start(rnic_qp *qp);
void responder_flush(rnic_qp *qp);
/* Nothing is answered any more. */
void responder_forget(rnic_qp *qp);
/* A request. */
void responder_take(rnic_qp *qp, const rnic_packet *p);
void responder_take_datagram(rnic_qp *qp, const rnic_packet *p);
int responder_give(rnic_qp *qp, rnic_packet *p);
void responder_timers(rnic_qp *qp, uint64_t now);

/* The QP fails: posted work completes, the oldest send as `status`. Pending answers are still sent. */
void rnic_fail(rnic_qp *qp, rnic_status status);

#endif
