/* Reference model of one direction of random traffic: expected memory of the receiver, packets on the wire and
 * notifications. It covers several links by packet: its caller names the path of each packet.
 *
 *     traffic_model *m = traffic_model_new(&params);
 *     if (traffic_model_free_at(m, address, words)) traffic_model_post(m, queue, &transfer);     before the descriptor
 * is written traffic_model_begins(m, path, header);                a packet's header is on the wire
 *     traffic_model_ends(m, path, payload, bytes, crc_ok);  its last word is
 *     traffic_model_written(m, address, bytes);          the receiver's NIC has written to its host's memory
 *     traffic_model_notified(m, word); traffic_model_counted(m, queue, word);
 *     traffic_model_finish(m);
 *
 * Its caller reports posted transfers and observed events; the model computes the rest from design.md 3:
 *   - each queue's transfers leave in order, cut into packets of the payload limit and a rest, flags on the last one
 * only, sequence numbers one after the other, the payload that of the sender's memory;
 *   - packets land in the order of the wire, whole, and nothing is ever written elsewhere; then the words in memory are
 * those of the sender;
 *   - a remote notification follows each packet that asks for one, once, before the next packet is written, and is its
 * header;
 *   - a local count never includes a transfer that has not left, never goes back, and each one that was requested
 * comes;
 *   - at the end the whole target area and its surroundings are as computed.
 *
 * With several paths sequence numbers have ten bits and go on from packet to packet whatever their paths, and packets
 * overtake each other:
 *   - those of a path land in its order, one after the other, each in one piece;
 *   - a remote notification comes in the order of numbers, once all packets with lower numbers are in memory, and in
 * time for the end;
 *   - a local count includes a transfer only when all its packets and all before it in its queue have left, by any
 * path.
 *
 * With `fairness` no queue starves while others send.
 *
 * With `lossy` packets may fail to land or land damaged; then the next notification must carry the loss indication,
 * bit 63. With several paths that is the next one in the order of numbers. Packets that it has passed are lost: none of
 * their words is written any more.
 *
 * It knows no simulator: a test may feed it by hand. The first breach is in traffic_model_error.
 */
#ifndef SIM_TRAFFIC_SCENARIO_TRAFFIC_MODEL_H
#define SIM_TRAFFIC_SCENARIO_TRAFFIC_MODEL_H

#include "sim/model/host/memory.h"
#include "sim/traffic/scenario/fairness.h"

enum {
    TRAFFIC_QUEUES = 16,
    TRAFFIC_PATHS = 4,
    TRAFFIC_AREAS = 4,
    TRAFFIC_GUARD = 4096 /* bytes around each area that stay untouched */
};

typedef struct traffic_model_params {
    unsigned source;              /* flow in the headers: the sender's node ID */
    unsigned limit;               /* payload limit [64-bit words] */
    unsigned paths;               /* 1..TRAFFIC_PATHS */
    memory *from, *to;            /* of the sender, of the receiver */
    uint32_t area[TRAFFIC_AREAS]; /* bus addresses of the target areas at the receiver, multiples of 8 */
    uint32_t area_bytes;          /* of each, a multiple of 8 */
    int lossy;
    fairness *fairness; /* checks each packet that begins, its queue is the flow; NULL: none */
} traffic_model_params;

typedef struct traffic_transfer {
    uint64_t source;
    uint32_t destination;
    unsigned words;
    int remote, local, interrupt; /* flags of its descriptor */
} traffic_transfer;

typedef struct traffic_model traffic_model;

/* NULL: no memory. */
traffic_model *traffic_model_new(const traffic_model_params *params);
void traffic_model_free(traffic_model *m);

/* 1 if `words` words from there are in one area, and none of them in a transfer under way. */
int traffic_model_free_at(const traffic_model *m, uint32_t address, unsigned words);
/* 1 if the queue may have one more: the model follows at most 2048 transfers of a queue at a time. */
int traffic_model_room(const traffic_model *m, unsigned queue);
void traffic_model_post(traffic_model *m, unsigned queue, const traffic_transfer *t);

/* Each returns 0, or -1 after the first breach. */
int traffic_model_begins(traffic_model *m, unsigned path, uint64_t header);
/* Payload in words of 32 bits as on the wire, [63:32] first. */
int traffic_model_ends(traffic_model *m, unsigned path, const uint32_t *payload, unsigned bytes, int crc_ok);
int traffic_model_written(traffic_model *m, uint64_t address, unsigned bytes);
int traffic_model_notified(traffic_model *m, uint64_t word);
int traffic_model_counted(traffic_model *m, unsigned queue, uint64_t word);
/* 1 if no transfer is under way. */
int traffic_model_finish(traffic_model *m);
/* Remote notifications of packets that are in memory, which have not come. */
unsigned traffic_model_pending(const traffic_model *m);
const char *traffic_model_error(const traffic_model *m);

typedef struct traffic_counts {
    uint64_t posted, departed;               /* transfers; departed: its last packet has left */
    uint64_t begun, landed;                  /* packets */
    uint64_t bytes;                          /* landed */
    uint64_t notifications, flagged, counts; /* written; counts: local ones */
    uint64_t lost, damaged;                  /* packets, with `lossy` */
} traffic_counts;
traffic_counts traffic_model_counts(const traffic_model *m);
/* Checks that everything posted has landed or is lost, and that all notifications and counts have come. */
int traffic_model_done(const traffic_model *m);

#endif
