/* Packets from one link_end to the other whose contents follow from direction and number: the receiver knows the
 * expected contents, and nothing is stored for comparison. The number is also the address. Of what may never be the
 * test fails at once: another order, a header that was not sent, loss that is not reported, wrong data in a packet that
 * is called good (unless `forged`). */
#ifndef TB_LINK_TRAFFIC_H
#define TB_LINK_TRAFFIC_H

#include "link_bench.h"

enum { MANY_UNITS = 512 * 6 /* of 512 smallest packets, which no sequence number shows */ };

struct traffic {
    struct link_end *from, *to;
    unsigned number;                   /* of the direction */
    int load;                          /* packets are kept waiting if 1 */
    int longest;                       /* payload of packets of any length; if 62, all have that */
    int forged;                        /* wrong data in good packets is counted */
    unsigned sent, good, bad, missing; /* packets; missing = gaps seen at the receiver */
    unsigned wrong;
    unsigned lost_units, reported; /* of the missing ones; headers that said that many were lost */
    unsigned next_expected;
    unsigned lasts; /* sent with [66] in their header */
    uint64_t good_words;
};

/* Both directions of a bench with two ends. */
void traffic_start(struct traffic dir[2], struct link_bench *b);
uint64_t traffic_word(const struct traffic *d, unsigned n, unsigned i);
/* The next packet, of this length or (0) any. */
void traffic_put(struct traffic *d, unsigned length);
/* Keeps packets waiting under load; once a clock. */
void traffic_feed(void *traffic);
void traffic_take(void *traffic, const struct stored_packet *p);
/* Everything has arrived and been forwarded, and both ends agree on it. */
void traffic_settled(const struct traffic *d);

#endif
