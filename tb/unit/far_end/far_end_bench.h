/* A far end driven word by word, with frames made here bit by bit from design.md 3, and a reader of what it sends. */
#ifndef TB_FAR_END_BENCH_H
#define TB_FAR_END_BENCH_H

#include <check.h>

#include "far_end.h"

enum { BENCH_PACKETS = 600, BENCH_CREDITS = 4000 };

/* A packet delivered by the far end, or read from what it sends. */
typedef struct seen {
    far_end_packet p;
    uint64_t payload[512];
    uint64_t clock;
    int header_bad, body_bad, short_of; /* read: CRCs, payload words that are missing */
} seen;

typedef struct bench {
    far_end *f;
    uint64_t clock;
    unsigned lane;  /* byte lane in which our words begin, 0..3 */
    uint32_t carry; /* bytes of the last word not yet on the port */
    unsigned carry_k;
    unsigned sequence[128];
    seen delivered[BENCH_PACKETS];
    unsigned deliveries;
    /* what it sends */
    seen sent[BENCH_PACKETS];
    unsigned packets;
    uint16_t credit[BENCH_CREDITS]; /* both of each word */
    unsigned credits;
    uint64_t record[BENCH_PACKETS]; /* headers of check records */
    unsigned records;
    uint32_t frame[1100]; /* being gathered, SOP included */
    unsigned words, since_idle, longest_without_idle;
    unsigned bad_frames;
} bench;

/* NULL: the defaults. In synchronisation from the first clock. */
void bench_start(bench *b, const far_end_params *params);
void bench_end(bench *b);

uint16_t crc_of_header(uint64_t header);
uint32_t crc_of_body(const uint64_t *payload, unsigned words);
uint64_t header_of(unsigned flow, unsigned flags, unsigned sequence, unsigned words, uint32_t address);
uint16_t credit_of(unsigned flow, unsigned units);
/* Payload word i of the packet to that address. */
uint64_t word_of(uint32_t address, unsigned i);

/* One clock: a word in, a word out. */
void put(bench *b, uint32_t data, unsigned k);
void put_flags(bench *b, uint32_t data, unsigned k, unsigned not_in_table, unsigned loss_of_sync);
void sop(bench *b);
void idle(bench *b, unsigned count);
/* The three words of a header. */
void put_header(bench *b, uint64_t header);
/* A whole good packet with the next sequence number of that flow, and no idle behind it. */
void put_packet(bench *b, unsigned flow, unsigned words, uint32_t address);
void put_record(bench *b, unsigned flow, unsigned units);
void put_credit(bench *b, uint16_t first, uint16_t second);
/* Idle until the link is up, the record has been answered with this credit and packets may be sent. */
void open_lane(bench *b, unsigned units);
/* The last credit of a flow, -1: none so far. */
int last_credit(const bench *b, unsigned flow);

#endif
