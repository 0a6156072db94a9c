/* Common part of the files of the traffic (roce_traffic.h). A connection is a QP of the chip, and one of the peer or of
 * another chip. Both ends have the same places for messages under way in their memory. */
#ifndef SIM_APP_ROCE_TRAFFIC_ROCE_TRAFFIC_INTERNAL_H
#define SIM_APP_ROCE_TRAFFIC_ROCE_TRAFFIC_INTERNAL_H

#include "sim/app/roce/board/roce_last_packet.h"
#include "sim/app/roce/traffic/roce_traffic.h"

enum { FIRST_PEER_QP = 0x10, DOMAIN = 1, POLL = 64 /* [clocks] of software that waits */ };

/* Messages of one kind on one QP; ended: with a completion of the chip that posted them. */
typedef struct stream {
    unsigned posted, taken, ended, all;
} stream;

enum { REMEMBERED = 1024 };
/* A request that left. */
typedef struct request {
    uint32_t psn;
    uint64_t sum; /* of its bytes; 0: none has left */
} request;

/* Of one QP at one end with a chip. */
typedef struct side {
    struct connection *connection;
    roce_system *y;
    rn_qp *qp;
    uint64_t memory; /* for each kind `depth` places of `place` bytes */
    uint64_t random;
    uint8_t order[64 * ROCE_KINDS]; /* kinds of the chip's outstanding messages, a ring */
    unsigned order_first, order_count;
    sim_task *task;
} side;

typedef struct connection {
    struct roce_traffic *traffic;
    unsigned number;      /* 0.. */
    side side[2];         /* the second one: of another chip */
    rnic_qp *peer;        /* or the peer in C, */
    uint8_t *peer_memory; /* with the same places */
    uint64_t peer_base;
    uint32_t key;
    stream kind[ROCE_KINDS];
    roce_last_packet last[2]; /* from each end */
    request request[2][REMEMBERED];
} connection;

struct roce_traffic {
    roce_system *y;
    roce_traffic_params p;
    size_t place;
    connection *connections;
    uint8_t *buffer;
    roce_traffic_kind kinds[ROCE_KINDS];
    sim_task *opener;
    int opened;
    sim_time said[2]; /* when each end has said something last */
};

/* ---- roce_traffic_messages.c: content and place of a message, and its checker */

uint64_t traffic_key(const connection *l, roce_kind kind, unsigned message);
uint32_t traffic_length(const connection *l, roce_kind kind, unsigned message);
/* In the memory of each end, and of the peer. Its first byte has any alignment: by the number of the message. */
size_t traffic_place(const connection *l, roce_kind kind, unsigned message);
uint8_t *traffic_peer_at(const connection *l, roce_kind kind, unsigned message);
/* It was posted. */
void traffic_posted(connection *l, roce_kind kind);
/* The next message of this kind has come, its bytes are these: right ones count, wrong ones end the run. */
void traffic_taken(connection *l, roce_kind kind, const uint8_t *bytes, uint32_t length);
void traffic_wrong(const connection *l, roce_kind kind, unsigned message, const char *what);
int traffic_connection_done(const connection *l);

/* ---- roce_traffic.c */

/* The last packet from that end, as text. Returns text. */
const char *traffic_last(const connection *l, int end, char text[ROCE_LAST_PACKET]);

/* ---- roce_traffic_software.c: tasks that post, and take completions */

/* Of a chip's QP. */
void traffic_side_task(void *side);
/* Of all QPs of the peer in C. */
void traffic_peer_task(void *traffic);
/* The receive of this message, if there is one. */
void traffic_post_receive(connection *l, unsigned message);

#endif
