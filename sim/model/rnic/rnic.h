/* An RDMA NIC for RoCE v2, in C: the peer of the RoCE chip. Reliable connections, both as requester and as responder,
 * and datagrams for QP 1.
 *
 * Written from the InfiniBand Architecture Specification, Volume 1 ("IBA"), chapters 9 and 10, and its Annex A17; it
 * shares no line and no table with the RTL. It knows neither a simulation nor a socket: frames go in and out as bytes,
 * time comes from a function.
 *
 *     rnic_params params = {.mac = {...}, .clock = now, .clock_self = sim};
 *     rnic_set_ipv4(params.ip[0], 0x0a000002);
 *     rnic *r = rnic_new(&params, error);
 *     uint32_t key = rnic_register(r, 1, memory, 0x10000000, sizeof memory, RNIC_LOCAL_WRITE | RNIC_REMOTE_READ);
 *     rnic_qp *qp = rnic_qp_new(r, &(rnic_qp_params){.number = 17, .domain = 1}, error);
 *     rnic_connection c;
 *     rnic_connection_default(&c);                        and .peer, .qp, .send_psn, .receive_psn ...
 *     rnic_connect(qp, &c, error);
 *     rnic_post_receive(qp, &(rnic_receive){.id = 1, .address = 0x10000000, .key = key, .length = 4096});
 *     rnic_post_send(qp, &(rnic_send){.id = 2, .operation = RNIC_SEND, .address = 0x10001000, .key = key, .length =
 * 100}); for (;;) {
 *         ... rnic_take(r, frame, length);                a frame that has come
 *         while ((length = rnic_give(r, frame))) ...      frames to send, as fast as the line takes them
 *         while (rnic_poll(r, &done)) ...                 what is complete
 *         ... until rnic_wakes(r), or another frame comes
 *     }
 *
 * Or rnic_port.h, which joins it to an Ethernet wire of a simulation.
 *
 * Times are in picoseconds. Whatever a packet does, it is checked by IBA's rules; the headers' fields that routers may
 * change (TTL, traffic class, ECN) are ignored. Memory is addressed by numbers: a region's address is what work
 * requests and remote NICs call it.
 */
#ifndef SIM_MODEL_RNIC_RNIC_H
#define SIM_MODEL_RNIC_RNIC_H

#include <stdio.h>

#include "sim/model/rnic/rnic_packet.h"

enum { RNIC_ERROR = 160 };
#define RNIC_NEVER UINT64_MAX

typedef struct rnic rnic;
typedef struct rnic_qp rnic_qp;

typedef struct rnic_params {
    uint8_t mac[6];
    uint8_t ip[2][16];             /* own addresses, an IPv4 one as rnic_set_ipv4 makes it; zeros: none */
    uint16_t udp_source;           /* of sent data; 0: 0xc000 + the lowest bits of the QP's number */
    uint64_t (*clock)(void *self); /* [ps] that never goes back */
    void *clock_self;
    /* Frames that are not RoCE v2, whatever their address; NULL: dropped. */
    void (*other)(void *self, const uint8_t *frame, size_t length);
    void *other_self;
} rnic_params;

/* NULL: no clock, or no memory; error says so. */
rnic *rnic_new(const rnic_params *params, char error[RNIC_ERROR]);
/* With its QPs and regions. */
void rnic_free(rnic *r);

/* ---- frames and time */

void rnic_take(rnic *r, const uint8_t *frame, size_t length);
/* The next frame to send, its length; 0: there is none now. */
size_t rnic_give(rnic *r, uint8_t frame[RNIC_FRAME]);
/* When rnic_give may have something without anything else having happened: a time that may be past, or RNIC_NEVER. */
uint64_t rnic_wakes(const rnic *r);

/* ---- memory (IBA 10.6) */

enum { RNIC_LOCAL_WRITE = 1, RNIC_REMOTE_WRITE = 2, RNIC_REMOTE_READ = 4 };
/* Makes `length` bytes at `memory` known as those from `address` on to QPs of this protection domain. The key, for
 * local and remote use; 0: no memory, or the addresses go beyond 2^64. The memory must stay until rnic_deregister. */
uint32_t rnic_register(rnic *r, unsigned domain, void *memory, uint64_t address, uint64_t length, unsigned access);
/* The key is dead from now on, also for work under way. -1: there is no such key. */
int rnic_deregister(rnic *r, uint32_t key);

/* ---- queue pairs */

typedef enum { RNIC_RC, RNIC_UD } rnic_type;
typedef struct rnic_qp_params {
    uint32_t number; /* 1 .. 2^24 - 1; QP 1 is of type RNIC_UD */
    rnic_type type;
    unsigned domain;
    unsigned sends, receives; /* entries of the queues; 0: 128 */
    uint32_t qkey;            /* of datagrams; 0: 80010000, that of QP 1 */
} rnic_qp_params;
/* A QP of type RNIC_UD works at once, one of RNIC_RC with rnic_connect; receives may be posted before. NULL: error says
 * why. */
rnic_qp *rnic_qp_new(rnic *r, const rnic_qp_params *params, char error[RNIC_ERROR]);
void rnic_qp_free(rnic_qp *qp);

enum { RNIC_FOREVER = 255 };
typedef struct rnic_connection {
    rnic_address peer;
    uint32_t qp;                    /* the peer's */
    unsigned pmtu;                  /* [bytes] 256, 512, 1024, 2048, 4096; default 1024 */
    uint32_t send_psn, receive_psn; /* first ones */
    unsigned timeout;               /* 0..31: 4.096 us x 2^timeout; 0 = never; default 14 */
    unsigned retries;               /* 0..7, or RNIC_FOREVER; default 7 */
    unsigned rnr_retries;           /* 0..7, 7 = for ever; default 7 */
    unsigned rnr_timer;             /* 0..31: code that its RNR NAKs carry, IBA table 45; default 12, 0.64 ms */
    unsigned reads;                 /* own READs outstanding, 1..16; default 16 */
    unsigned answers;               /* READs of the peer that may be outstanding, 0..16; default 16 */
    unsigned access;                /* RNIC_REMOTE_WRITE, RNIC_REMOTE_READ: what the peer may do; default both */
    unsigned window;                /* packets sent and not acknowledged, 1..2^22; default 1024 */
    unsigned ack_every;             /* within a message every n-th packet requests an ACK; default 32 */
    uint64_t ack_delay;             /* [ps] an ACK waits this long for more to acknowledge; default 0 */
} rnic_connection;
void rnic_connection_default(rnic_connection *c);
/* -1: a field is out of range, or the QP is no RNIC_RC in reset; error says which, and what was expected. */
int rnic_connect(rnic_qp *qp, const rnic_connection *c, char error[RNIC_ERROR]);
/* Whatever is posted completes as RNIC_FLUSHED, and the QP is as it was when new. */
void rnic_reset(rnic_qp *qp);

typedef enum { RNIC_RESET, RNIC_READY, RNIC_FAILED } rnic_state;
rnic_state rnic_qp_state(const rnic_qp *qp);
uint32_t rnic_qp_number(const rnic_qp *qp);

/* ---- work (IBA 10.8, 11.4) */

typedef enum { RNIC_SEND, RNIC_WRITE, RNIC_READ } rnic_operation;
typedef struct rnic_send {
    uint64_t id;
    rnic_operation operation;
    uint64_t address; /* own memory */
    uint32_t key, length;
    uint64_t remote; /* WRITE, READ */
    uint32_t rkey;
    rnic_address peer; /* datagrams */
    uint32_t qp;
} rnic_send;
typedef struct rnic_receive {
    uint64_t id, address;
    uint32_t key, length;
} rnic_receive;
/* -1: the queue is full, the QP is not ready, a message is longer than 2^31 bytes, or a datagram than 4096. */
int rnic_post_send(rnic_qp *qp, const rnic_send *work);
/* -1: the queue is full. On a QP that has failed it completes as RNIC_FLUSHED. */
int rnic_post_receive(rnic_qp *qp, const rnic_receive *work);

typedef enum {
    RNIC_SUCCESS,
    RNIC_LOCAL_LENGTH,     /* a message was longer than the receive */
    RNIC_LOCAL_PROTECTION, /* own key */
    RNIC_FLUSHED,          /* the QP has failed, or was reset, before it was its turn */
    RNIC_BAD_RESPONSE,     /* a READ response of wrong opcode or length */
    RNIC_REMOTE_INVALID,   /* NAK 61 */
    RNIC_REMOTE_ACCESS,    /* NAK 62 */
    RNIC_REMOTE_OPERATION, /* NAK 63 */
    RNIC_RETRIES_OUT,      /* no answer */
    RNIC_RNR_RETRIES_OUT,  /* the peer has never been ready */
    RNIC_STATUSES
} rnic_status;
const char *rnic_status_name(rnic_status status);

typedef struct rnic_completion {
    uint64_t id;
    uint32_t qp; /* own */
    int receive; /* of a receive; else of a send */
    rnic_operation operation;
    rnic_status status;
    uint32_t length;    /* [bytes] received */
    rnic_address from;  /* of a datagram */
    uint32_t source_qp; /* of a datagram */
} rnic_completion;
/* The oldest completion of all QPs that has not been taken: 1, or 0 if there is none. A QP's sends complete in order,
 * and so do its receives.
 */
int rnic_poll(rnic *r, rnic_completion *completion);

/* ---- what has been seen. The first ones are those of Linux' rdma_rxe (hw_counters), counted at the same events. */

#define RNIC_COUNTERS(X)                                                                                               \
    X(sent_pkts)                                                                                                       \
    X(rcvd_pkts)              /* good RoCE v2 for an own address */                                                    \
    X(duplicate_request)      /* requests whose PSN was behind */                                                      \
    X(out_of_seq_request)     /* NAKs sent for a PSN that was ahead */                                                 \
    X(rcvd_rnr_err)           /* RNR NAKs received */                                                                  \
    X(send_rnr_err)           /* RNR NAKs sent */                                                                      \
    X(rcvd_seq_err)           /* NAKs received for a PSN that was ahead */                                             \
    X(retry_exceeded_err)     /* QPs whose retries ran out */                                                          \
    X(retry_rnr_exceeded_err) /* ... for RNR NAKs */                                                                   \
    X(completer_retry_err)    /* times that a QP went back: timeouts, NAKs, gaps in responses */                       \
    X(rdma_sends)             /* SENDs complete */                                                                     \
    X(rdma_recvs)             /* receives complete */                                                                  \
    X(timeouts)                                                                                                        \
    X(resent_pkts) /* requests sent once more */                                                                       \
    X(gaps)        /* responses that were ahead: an answer has been lost */                                            \
    X(ghosts)      /* ACKs and responses outside of the PSNs outstanding */                                            \
    X(naks_sent)   /* 61, 62, 63 */                                                                                    \
    X(naks_received)                                                                                                   \
    X(bad_icrc)                                                                                                        \
    X(malformed)                                                                                                       \
    X(foreign)    /* not for this NIC, or not from the QP's peer */                                                    \
    X(no_qp)      /* no such QP, or it is not ready */                                                                 \
    X(bad_key)    /* P_Key or Q_Key */                                                                                 \
    X(no_receive) /* datagrams without a receive that is long enough */                                                \
    X(others)     /* frames that are not RoCE v2 */

typedef struct rnic_counters {
#define RNIC_COUNTER(name) uint64_t name;
    RNIC_COUNTERS(RNIC_COUNTER)
#undef RNIC_COUNTER
} rnic_counters;
const rnic_counters *rnic_get_counters(const rnic *r);
/* A line for each counter that is not 0, and one for each QP that has not come to its end: PSNs, and remaining work. */
void rnic_print(const rnic *r, FILE *out);

/* Sees every good packet for or from this NIC, at once when it is taken or given. One observer; NULL takes it off. */
typedef void (*rnic_observer)(void *self, int sent, const rnic_packet *packet);
void rnic_observe(rnic *r, rnic_observer observer, void *self);

#endif
