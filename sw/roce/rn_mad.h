/* Management datagrams of the connection manager (IBA Volume 1, chapters 13 and 12): the frame that carries one, and
 * its messages parsed and built. Nothing here has a state. */
#ifndef RN_MAD_H
#define RN_MAD_H

#include "nx_error.h"
#include "rn_address.h"

enum {
    RN_MAD_BYTES = 256,
    RN_CM_HEADER = 24 /* of the datagram, before a message */,
    RN_CM_PRIVATE = 224 /* most private data */
};

/* A frame that came for QP 1, from its Ethernet header on, without ICRC. */
typedef struct rn_mad_frame {
    rn_address from, to;
    unsigned pkey, source_qp;
    uint32_t psn;
    const uint8_t *mad; /* RN_MAD_BYTES of it, in the frame */
} rn_mad_frame;
/* 0, or NX_ERROR_PROTOCOL: it is no datagram for QP 1, and *why gives the reason. */
int rn_mad_frame_parse(const uint8_t *frame, size_t size, rn_mad_frame *f, const char **why);

typedef enum rn_cm_kind {
    RN_CM_REQ = 0x10,
    RN_CM_MRA = 0x11,
    RN_CM_REJ = 0x12,
    RN_CM_REP = 0x13,
    RN_CM_RTU = 0x14,
    RN_CM_DREQ = 0x15,
    RN_CM_DREP = 0x16
} rn_cm_kind;

/* Reasons of REJ (IBA table 108) that are given here, or often seen. */
enum {
    RN_REJ_NO_QP = 1,
    RN_REJ_NO_RESOURCES = 3,
    RN_REJ_TIMEOUT = 4,
    RN_REJ_COMM_ID = 6,
    RN_REJ_SERVICE = 8,
    RN_REJ_TRANSPORT = 9,
    RN_REJ_STALE = 10,
    RN_REJ_MTU = 26,
    RN_REJ_RESPONDER_RESOURCES = 27,
    RN_REJ_CONSUMER = 28
};
/* In words; "reason of its own" for others. */
const char *rn_reject_text(unsigned reason);

/* A message: fields that its kind does not have are 0. `local` is the sender's side. */
typedef struct rn_cm_message {
    rn_cm_kind kind;
    uint64_t transaction;
    uint32_t local_id, remote_id;              /* communication IDs; REQ has no remote one */
    uint64_t service;                          /* REQ */
    uint8_t guid[8];                           /* REQ, REP */
    unsigned qp;                               /* REQ, REP: the sender's; DREQ: that of the receiver */
    uint32_t psn;                              /* REQ, REP: which the receiver of the message starts sending with */
    unsigned responder_resources;              /* REQ, REP: READs that the sender answers at a time */
    unsigned initiator_depth;                  /* REQ, REP: READs that the sender has outstanding at a time */
    unsigned remote_timeout;                   /* REQ: the receiver shall answer within 4.096 us * 2^it */
    unsigned local_timeout;                    /* REQ: the sender will answer within that */
    unsigned transport;                        /* REQ: 0 = reliable connection */
    unsigned retries, rnr_retries, cm_retries; /* REQ; REP: rnr_retries */
    unsigned pkey, pmtu_code /* 1 = 256 .. 5 = 4096 */, srq, flow_control;
    uint8_t local_gid[16], remote_gid[16]; /* REQ: of IPv4 ::ffff:a.b.c.d */
    uint32_t flow_label;
    unsigned packet_rate, traffic_class, hop_limit, ack_timeout; /* REQ */
    unsigned target_ack_delay;                                   /* REP */
    unsigned about;             /* REJ, MRA: 0 REQ, 1 REP, 2 no message, or another one */
    unsigned service_timeout;   /* MRA: the answer comes within 4.096 us * 2^it more */
    unsigned reason, info_size; /* REJ */
    uint8_t info[72];
    uint8_t private_data[RN_CM_PRIVATE]; /* all that the kind has room for */
} rn_cm_message;

/* Bytes of private data that a kind has room for. */
unsigned rn_cm_private_size(rn_cm_kind kind);
/* 0, or NX_ERROR_PROTOCOL with *why: no message of the connection manager, or one that is not known here. */
int rn_cm_decode(const uint8_t mad[RN_MAD_BYTES], rn_cm_message *m, const char **why);
void rn_cm_encode(const rn_cm_message *m, uint8_t mad[RN_MAD_BYTES]);

/* Service ID of rdma_cm for a TCP port, and who it is for: the first 36 bytes of a REQ's private data (IBA annex A11).
 */
#define RN_CM_TCP_SERVICE(port) (UINT64_C(0x0000000001060000) | (port))
enum { RN_CM_IP_HEADER = 36 };
void rn_cm_put_ip_header(uint8_t header[RN_CM_IP_HEADER], const rn_address *from, unsigned port, const rn_address *to);
void rn_cm_gid(uint8_t gid[16], const rn_address *who);

#endif
