/* The scoreboard of a run: every packet that hosts post is written down, and every word that NICs write into host
 * memory is checked.
 *
 *     scoreboard *c = scoreboard_new(&params);
 *     scoreboard_node(c, i, &place);                                  each node: its memory, its rings, its
 * notification words if (scoreboard_room(c, from, to, words)) scoreboard_make(c, from, to, words, now, notify,
 * &packet);     then post it with the driver scoreboard_written(c, node, address, bytes, word, when);        for every
 * write of that node's NIC scoreboard_finish(c);                                           after the drain: everything
 * has come
 *
 * Each flow (sender, receiver) has a ring of bytes at its sender and one at its receiver; packets lie in them end to
 * end, so one that is too long, lands twice or lands elsewhere touches the place of another. A packet carries sender,
 * receiver, length and its number in the flow in the first word, and behind it a pattern that follows from these and
 * the seed. It counts when its last word is in memory, and then
 *   - it must be the oldest of its flow that has not come (order, nothing lost, nothing twice),
 *   - its whole contents are compared.
 * A remote notification must come after its packet, in order, with its address and length, with a sequence number that
 * counts the flow's packets, and not flagged.
 *
 * With `lossy` packets may be lost or damaged: they are counted, and the next notification of that flow must be
 * flagged, and no other (but see scoreboard_allow_losses). With `any_order` a receiver may flag one more of each flow
 * for 2048 link words lost on the way to it.
 *
 * With `fairness` no flow of a sender starves while its others land; receivers must never stop then.
 *
 * The first breach is passed to `failed` and is in scoreboard_error. The scoreboard knows no simulator: a test may feed
 * it by hand.
 */
#ifndef SIM_TRAFFIC_SCENARIO_SCOREBOARD_H
#define SIM_TRAFFIC_SCENARIO_SCOREBOARD_H

#include "sim/core/kernel/sim.h"
#include "sim/model/host/memory.h"
#include "sim/traffic/scenario/fairness.h"
#include "sim/traffic/scenario/paths.h"

enum { SCOREBOARD_NODES = 16 };

typedef struct scoreboard_params {
    unsigned nodes;
    uint64_t seed;
    uint32_t ring_bytes; /* of each flow at either end, a multiple of 8 */
    int lossy;
    int any_order; /* packets of a flow may come in any order, over several paths; their notifications come in order.
                      Numbers have ten bits */
    uint64_t fairness; /* bound of fairness.h for the flows of each sender; 0: none */
    /* all may be NULL */
    void (*landed)(void *self, unsigned from, unsigned to, unsigned words, sim_time created, sim_time landed);
    void (*lost)(void *self, unsigned from, unsigned to, unsigned words, sim_time created);
    void (*damaged)(void *self, unsigned from,
                    unsigned to); /* landed, and its contents are wrong; `landed` is called too */
    void (*failed)(void *self, const char *text);
    void *self;
} scoreboard_params;

/* Where a node keeps what; bus addresses. Both regions have ring_bytes for each node. */
typedef struct scoreboard_place {
    unsigned id; /* node ID, 0..127, of no other node: the source in headers */
    memory *memory;
    uint64_t send;          /* packets to node t: at + t x ring_bytes */
    uint64_t receive;       /* packets of node f: at + f x ring_bytes */
    uint64_t notifications; /* remote notification words, 8 bytes for each source; the 4 KB page of the driver */
} scoreboard_place;

typedef struct scoreboard scoreboard;

typedef struct scoreboard_packet {
    unsigned from, to, words;
    uint32_t number;      /* in its flow, from 0 */
    uint64_t source;      /* bus address at the sender */
    uint32_t destination; /* at the receiver */
} scoreboard_packet;

/* NULL: no memory, or too many nodes. */
scoreboard *scoreboard_new(const scoreboard_params *params);
void scoreboard_free(scoreboard *c);
void scoreboard_node(scoreboard *c, unsigned node, const scoreboard_place *place);

/* 1 if both rings of the flow have room for a packet of `words` words. */
int scoreboard_room(const scoreboard *c, unsigned from, unsigned to, unsigned words);
/* Bytes that are missing until the next packet of a flow has landed, 0 if packets may be lost; and since when a write
 * for it moves words, 0 if none does. */
uint32_t scoreboard_missing(const scoreboard *c, unsigned from, unsigned to, sim_time *since);
/* Records a packet and writes its contents into the sender's memory. Only with room. */
void scoreboard_make(scoreboard *c, unsigned from, unsigned to, unsigned words, sim_time created, int notify,
                     scoreboard_packet *packet);
/* The same for an answer: a landed packet is sent back unchanged, out of the memory it landed in. */
void scoreboard_echo(scoreboard *c, const scoreboard_packet *original, sim_time created, int notify,
                     scoreboard_packet *packet);
/* Before this packet of a flow `packets` others went that are not recorded here: numbers in headers are larger by that
 * from it on. */
void scoreboard_shift(scoreboard *c, unsigned from, unsigned to, uint32_t number, uint32_t by);
/* From now on losses are allowed, or not; `crc_hits` notifications may carry a loss indication although all data are
 * right: those of packets with an error only in the body CRC. */
void scoreboard_allow_losses(scoreboard *c, int lossy, unsigned crc_hits);
/* From now on receivers may stop, or not: with 1, and with losses, fairness is not checked. */
void scoreboard_allow_stops(scoreboard *c, int stops);
/* One more of the notifications of crc_hits. */
void scoreboard_allow_hit(scoreboard *c);
/* With losses allowed: all packets of the flow in flight are lost. */
void scoreboard_drop(scoreboard *c, unsigned from, unsigned to);
/* 1 if packets of the flow are lost or damaged and no notification has reported it. */
int scoreboard_unreported(const scoreboard *c, unsigned from, unsigned to);
/* A write of that node's NIC, reported later by scoreboard_written, moves its first word. Optional unless
 * scoreboard_missing is used. */
void scoreboard_begun(scoreboard *c, unsigned node, uint64_t address, sim_time when);
/* `word`: content of the address after the write. Contents of packets are read from memory: call this before anything
 * overwrites them. */
void scoreboard_written(scoreboard *c, unsigned node, uint64_t address, unsigned bytes, uint64_t word, sim_time when);

/* Recorded packets in flight; of one flow, or of all with from < 0. Notifications not yet seen count too. */
uint64_t scoreboard_under_way(const scoreboard *c, int from, int to);
/* 0 if no packet is in flight, else a breach. With `lossy` packets in flight are lost. */
int scoreboard_finish(scoreboard *c);
const char *scoreboard_error(const scoreboard *c);

typedef struct scoreboard_counts {
    uint64_t made, landed, lost, damaged; /* packets; damaged ones are landed too */
    uint64_t notifications, flagged;
    uint64_t words; /* landed, compared */
} scoreboard_counts;
scoreboard_counts scoreboard_count(const scoreboard *c);
/* Of all packets that have landed since it was cleared. */
overtaking *scoreboard_overtaking(scoreboard *c);
/* Most words of other flows of its sender between two packets of one (fairness.h). */
uint64_t scoreboard_passed(const scoreboard *c);
/* Packets and payload words of one flow that have landed. */
void scoreboard_flow_count(const scoreboard *c, unsigned from, unsigned to, uint64_t *packets, uint64_t *words);

#endif
