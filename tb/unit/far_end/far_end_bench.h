/* A link partner driven word by word, with the frames of tb/unit/link/link_reference, and a reader of its words. */
#ifndef TB_FAR_END_BENCH_H
#define TB_FAR_END_BENCH_H

#include "sim/model/far_end/far_end.h"
#include "tb/unit/link/link_reference.h"

enum { BENCH_PACKETS = 600, BENCH_CREDITS = 4000 };

/* A packet delivered by the link partner, or read from its words. */
typedef struct seen {
    far_end_packet p;
    uint64_t payload[512];
    uint64_t clock;
    int header_bad, body_bad, short_of; /* read: CRCs, payload words that are missing */
} seen;

extern struct bench {
    far_end *f;
    uint64_t clock;
    unsigned lane;  /* byte lane in which our words begin, 0..3 */
    uint32_t carry; /* bytes of the last word not yet on the port */
    unsigned carry_k;
    unsigned sequence[128];
    seen delivered[BENCH_PACKETS];
    unsigned deliveries;
    /* words that it sends */
    seen sent[BENCH_PACKETS];
    unsigned packets;
    uint16_t credit[BENCH_CREDITS]; /* both of each word */
    unsigned credits;
    uint64_t record[BENCH_PACKETS]; /* headers of check records */
    unsigned records;
    uint32_t frame[1100]; /* being gathered, SOP included */
    unsigned words, since_idle, longest_without_idle;
    unsigned bad_frames;
} b;

/* NULL: the defaults. In synchronisation from the first clock; after the test all that was sent must have been well
 * formed. */
void start(const far_end_params *params);

/* Payload word i of the packet to that address. */
uint64_t word_of(uint32_t address, unsigned i);
/* The frame of a packet with such words. */
void frame_to(struct frame *f, uint64_t header);

/* One clock: a word in, a word out. */
void put(uint32_t data, unsigned k);
void put_flags(uint32_t data, unsigned k, unsigned not_in_table, unsigned loss_of_sync);
void idle(unsigned count);
/* The first words of a frame. */
void put_frame(const struct frame *f, unsigned words);
/* A whole good packet with the next sequence number of that flow, and no idle behind it. */
void put_packet(unsigned flow, unsigned words, uint32_t address);
void put_record(unsigned flow, unsigned units);
/* Two credits of lane 0, and an idle word. */
void put_credit(unsigned first, unsigned second);
/* Idle until the link is up and both records have come; then packets may be sent when a credit has come. */
void bring_up(void);
/* The last credit of a flow, -1: none so far. */
int last_credit(unsigned flow);

#endif
