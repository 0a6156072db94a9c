/* The scoreboard of a run is fed traffic by hand: good traffic passes, each fault is found. No simulation. */
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/scenario/scoreboard.h"
#include "test.h"

enum { NODES = 3, RING = 2048, SEND = 0x100000, RECEIVE = 0x200000, NOTES = 0x300000, FAIRNESS = 150 /* words */ };

static const unsigned ids[NODES] = {9, 127, 0};

struct bench {
    scoreboard *c;
    memory *memory[NODES];
    unsigned landed, lost, failed;
    uint32_t sequence[NODES][NODES];
};

static void on_landed(void *self, unsigned from, unsigned to, unsigned words, sim_time created, sim_time when)
{
    struct bench *b = self;
    (void)from, (void)to, (void)words;
    ck_assert_uint_lt(created, when);
    b->landed++;
}

static void on_lost(void *self, unsigned from, unsigned to, unsigned words, sim_time created)
{
    struct bench *b = self;
    (void)from, (void)to, (void)words, (void)created;
    b->lost++;
}

static void on_failed(void *self, const char *text)
{
    struct bench *b = self;
    ck_assert_uint_gt(strlen(text), 10);
    b->failed++;
}

CLEANUP(scoreboard_free);
CLEANUP(memory_free);

static struct bench *bench_of(int lossy, int any_order)
{
    struct bench *b = test_memory(sizeof *b);
    scoreboard_params p = {.nodes = NODES,
                           .seed = 7,
                           .ring_bytes = RING,
                           .lossy = lossy,
                           .any_order = any_order,
                           .fairness = FAIRNESS,
                           .self = b};
    p.landed = on_landed;
    p.lost = on_lost;
    p.failed = on_failed;
    b->c = scoreboard_new(&p);
    after_test(scoreboard_free_cleanup, b->c);
    for (unsigned i = 0; i < NODES; i++) {
        b->memory[i] = memory_new();
        after_test(memory_free_cleanup, b->memory[i]);
        scoreboard_place place = {ids[i], b->memory[i], SEND, RECEIVE, NOTES};
        scoreboard_node(b->c, i, &place);
        for (unsigned k = 0; k < NODES; k++) b->sequence[i][k] = 500 + i; /* wraps at 512 */
    }
    return b;
}

static struct bench *bench_new(int lossy) { return bench_of(lossy, 0); }

static scoreboard_packet make(struct bench *b, unsigned from, unsigned to, unsigned words, int notify)
{
    scoreboard_packet p;
    ck_assert(scoreboard_room(b->c, from, to, words));
    scoreboard_make(b->c, from, to, words, b->landed, notify, &p);
    b->sequence[from][to]++;
    return p;
}

static void written(struct bench *b, unsigned node, uint64_t address, unsigned bytes)
{
    scoreboard_written(b->c, node, address, bytes, memory_get64(b->memory[node], address), 1000000);
}

/* Actions of the two NICs: data from `from` in pieces of at most `piece` bytes. */
static void move(struct bench *b, const scoreboard_packet *p, unsigned piece)
{
    uint8_t data[4096];
    memory_read(b->memory[p->from], p->source, data, 8 * p->words);
    for (unsigned at = 0; at < 8 * p->words; at += piece) {
        unsigned n = 8 * p->words - at < piece ? 8 * p->words - at : piece;
        memory_write(b->memory[p->to], p->destination + at, data + at, n);
        written(b, p->to, p->destination + at, n);
    }
}

static uint64_t header_of(const struct bench *b, const scoreboard_packet *p)
{
    (void)b;
    return (uint64_t)ids[p->from] << 56 | UINT64_C(1) << 54 | UINT64_C(1) << 51 |
           (uint64_t)((500 + p->from + p->number) & 511) << 42 | (uint64_t)p->words << 32 | p->destination;
}

static void notify(struct bench *b, const scoreboard_packet *p, uint64_t change)
{
    memory_put64(b->memory[p->to], NOTES + 8 * ids[p->from], header_of(b, p) ^ change, 0xff);
    written(b, p->to, NOTES + 8 * ids[p->from], 8);
}

TEST_CASE("scoreboard");

/* Between the scoreboard's packets go others: their numbers are missing, and without a report of them that is a breach.
 */
TEST(packets_of_others_between_have_numbers, .to = 2)
{
    struct bench *b = bench_new(0);
    scoreboard_packet p[3];
    for (int i = 0; i < 3; i++) {
        p[i] = make(b, 0, 1, 2, 1);
        if (i == 1 && _i) scoreboard_shift(b->c, 0, 1, p[i].number, 3);
        move(b, &p[i], 4096);
        uint64_t number = header_of(b, &p[i]) >> 42 & 511, ahead = number + (i ? 3 : 0);
        notify(b, &p[i], (number ^ (ahead & 511)) << 42);
    }
    ck_assert_uint_eq(b->failed, !_i);
    ck_assert(_i || strstr(scoreboard_error(b->c), "sequence number 504, expected 501") != NULL);
}

TEST(how_far_packets_overtake_is_counted)
{
    static const unsigned order[] = {0, 3, 1, 2, 5, 4};
    struct bench *b = bench_of(0, 1);
    scoreboard_packet p[COUNT(order)];
    unsigned median, most;
    for (int i = 0; i < COUNT(order); i++) p[i] = make(b, 0, 1, 2, 0);
    move(b, &p[order[0]], 4096);
    memset(scoreboard_overtaking(b->c), 0, sizeof(overtaking));
    for (int i = 1; i < COUNT(order); i++) move(b, &p[order[i]], 4096); /* by 2, 0, 0, 1, 0 */
    overtaking_get(scoreboard_overtaking(b->c), &median, &most);
    ck_assert_uint_eq(median, 0);
    ck_assert_uint_eq(most, 2);
    ck_assert_uint_eq(b->landed, COUNT(order));
    ck_assert_uint_eq(b->failed, 0);
}

static void ck_missing(struct bench *b, const scoreboard_packet *p, uint32_t bytes, sim_time since)
{
    sim_time begun;
    ck_assert_uint_eq(scoreboard_missing(b->c, p->from, p->to, &begun), bytes);
    ck_assert_uint_eq(begun, since);
}

TEST(what_a_packet_misses_and_the_write_that_brings_it, .to = 2)
{
    struct bench *b = bench_new(_i);
    scoreboard_packet p = make(b, 0, 1, 20, 0), q = make(b, 0, 1, 3, 0), other = make(b, 2, 1, 3, 0);
    ck_missing(b, &p, _i ? 0 : 160, 0);
    scoreboard_begun(b->c, 1, p.destination, 77);
    ck_missing(b, &p, _i ? 0 : 160, 77);
    ck_missing(b, &other, _i ? 0 : 24, 0);
    memory_write(b->memory[1], p.destination, (uint64_t[]){memory_get64(b->memory[0], p.source)}, 8);
    written(b, 1, p.destination, 8);
    ck_missing(b, &p, _i ? 0 : 152, 0);
    scoreboard_begun(b->c, 1, NOTES, 88);
    ck_missing(b, &p, _i ? 0 : 152, 0);
    scoreboard_begun(b->c, 1, q.destination, 99);
    ck_missing(b, &q, _i ? 0 : 152, 99);
}

TEST(good_traffic_passes)
{
    struct bench *b = bench_new(0);
    unsigned n = 0;
    srand(3);
    for (unsigned i = 0; i < 5000; i++) {
        unsigned from = (unsigned)rand() % NODES, to = (unsigned)rand() % NODES;
        scoreboard_packet p = make(b, from, to, 1 + (unsigned)rand() % 62, i % 3 == 0), q = make(b, to, from, 1, 1);
        move(b, &p, i & 1 ? 128 : 4096);
        if (from == to) move(b, &q, 8);
        if (i % 3 == 0) notify(b, &p, 0);
        if (from != to) move(b, &q, 8);
        notify(b, &q, 0);
        n += 2;
    }
    ck_assert_msg(!b->failed, "%s", scoreboard_error(b->c));
    ck_assert_int_eq(scoreboard_finish(b->c), 0);
    ck_assert_uint_eq(b->landed, n);
    scoreboard_counts counts = scoreboard_count(b->c);
    ck_assert_uint_eq(counts.made, n);
    ck_assert_uint_eq(counts.landed, n);
    ck_assert_uint_eq(counts.flagged + counts.lost + counts.damaged, 0);
}

TEST(rings_never_hold_more_than_their_bytes)
{
    struct bench *b = bench_new(0);
    scoreboard_packet p[64];
    unsigned n = 0, bytes = 0;
    for (; scoreboard_room(b->c, 0, 1, 5); n++, bytes += 40) p[n] = make(b, 0, 1, 5, 0);
    ck_assert_uint_gt(n, 40);
    ck_assert_uint_le(bytes, RING);
    for (unsigned lap = 0; lap < 500; lap++)
        for (unsigned i = 0; i < n; i++) {
            move(b, &p[i], 4096);
            for (unsigned k = 0; k < n; k++) /* places of packets under way never overlap */
                if (k != i)
                    ck_assert(p[i].destination + 40 <= p[k].destination || p[k].destination + 40 <= p[i].destination);
            if (scoreboard_room(b->c, 0, 1, 5)) p[i] = make(b, 0, 1, 5, 0);
            else {
                memmove(p + i, p + i + 1, (--n - i) * sizeof *p);
                break;
            }
        }
    ck_assert_msg(!b->failed, "%s", scoreboard_error(b->c));
}

TEST(answers_carry_the_original)
{
    struct bench *b = bench_new(0);
    for (unsigned i = 0; i < 100; i++) {
        scoreboard_packet there = make(b, 0, 2, 9, 1), back;
        move(b, &there, 4096);
        notify(b, &there, 0);
        scoreboard_echo(b->c, &there, 1000, 1, &back);
        ck_assert_uint_eq(back.from, 2);
        ck_assert_uint_eq(back.to, 0);
        ck_assert_uint_eq(back.source, there.destination);
        move(b, &back, 4096);
        notify(b, &back, 0);
    }
    ck_assert_msg(!b->failed, "%s", scoreboard_error(b->c));
    ck_assert_int_eq(scoreboard_finish(b->c), 0);
}

/* Each of these must be found, at once or at the end, and nothing before. */
enum fault {
    WRONG_BIT,
    WRONG_BIT_IN_LAST_WORD,
    LAST_WORD_MISSING,
    NEVER_CAME,
    OVERTAKEN,
    TWICE,
    TOO_LONG,
    OTHER_RECEIVER,
    OTHER_SENDERS_PLACE,
    STALE_CONTENTS,
    STRAY,
    NOTIFIED_BY_NOBODY,
    NOTIFIED_EARLY,
    NOTIFIED_TWICE,
    NOT_NOTIFIED,
    FLAGGED,
    WRONG_ADDRESS,
    WRONG_LENGTH,
    WRONG_SEQUENCE,
    WRONG_SOURCE,
    FAULTS
};

TEST(each_fault_is_found, .to = FAULTS)
{
    struct bench *b = bench_new(0);
    scoreboard_packet before = make(b, 0, 1, 62, 1), p, q;
    move(b, &before, 4096);
    notify(b, &before, 0);
    p = make(b, 0, 1, 10, 1);
    q = make(b, 0, 1, 10, 1);
    ck_assert_uint_eq(b->failed, 0);
    uint8_t data[80];
    memory_read(b->memory[0], p.source, data, 80);
    switch (_i) {
    case WRONG_BIT:
        memory_put64(b->memory[0], p.source + 24, memory_get64(b->memory[0], p.source + 24) ^ 1, 0xff);
        move(b, &p, 4096);
        break;
    case WRONG_BIT_IN_LAST_WORD:
        memory_put64(b->memory[0], p.source + 72, memory_get64(b->memory[0], p.source + 72) ^ UINT64_C(1) << 63, 0xff);
        move(b, &p, 4096);
        break;
    case LAST_WORD_MISSING:
        memory_write(b->memory[1], p.destination, data, 72);
        written(b, 1, p.destination, 72);
        move(b, &q, 4096);
        break;
    case NEVER_CAME:
        move(b, &p, 4096);
        notify(b, &p, 0);
        ck_assert_uint_eq(b->failed, 0);
        ck_assert_int_eq(scoreboard_finish(b->c), -1);
        break;
    case OVERTAKEN:
        move(b, &q, 4096);
        break;
    case TWICE:
        move(b, &p, 4096);
        ck_assert_uint_eq(b->failed, 0);
        move(b, &p, 4096);
        break;
    case TOO_LONG:
        memory_write(b->memory[1], p.destination, data, 80);
        written(b, 1, p.destination, 88);
        break;
    case OTHER_RECEIVER:
        p.to = 2;
        move(b, &p, 4096);
        break;
    case OTHER_SENDERS_PLACE:
        p.destination += 2 * RING;
        move(b, &p, 4096);
        break;
    case STALE_CONTENTS: /* the write is seen, memory did not change */
        written(b, 1, p.destination, 80);
        break;
    case STRAY:
        written(b, 1, 0x400000, 8);
        break;
    case NOTIFIED_BY_NOBODY:
        written(b, 1, NOTES + 8 * 8, 8);
        break;
    case NOTIFIED_EARLY:
        notify(b, &p, 0);
        break;
    case NOTIFIED_TWICE:
        move(b, &p, 4096);
        notify(b, &p, 0);
        ck_assert_uint_eq(b->failed, 0);
        notify(b, &p, 0);
        break;
    case NOT_NOTIFIED:
        move(b, &p, 4096);
        move(b, &q, 4096);
        notify(b, &p, 0);
        ck_assert_uint_eq(b->failed, 0);
        ck_assert_int_eq(scoreboard_finish(b->c), -1);
        break;
    case FLAGGED:
    case WRONG_ADDRESS:
    case WRONG_LENGTH:
    case WRONG_SEQUENCE:
    case WRONG_SOURCE: {
        static const uint64_t bit[] = {63, 12, 33, 44, 57};
        move(b, &p, 4096);
        ck_assert_uint_eq(b->failed, 0);
        notify(b, &p, UINT64_C(1) << bit[_i - FLAGGED]);
        break;
    }
    }
    ck_assert_uint_eq(b->failed, 1);
    ck_assert_int_eq(scoreboard_finish(b->c), -1);
}

/* With losses allowed: they are counted, and exactly the next notification must be flagged. */
TEST(losses_must_be_flagged, .to = 4)
{
    struct bench *b = bench_new(1);
    const uint64_t flag = UINT64_C(1) << 63;
    scoreboard_packet p[6];
    for (unsigned i = 0; i < 6; i++) p[i] = make(b, 0, 1, 4, i != 1);
    move(b, &p[0], 4096);
    notify(b, &p[0], 0);
    /* packet 1 is lost; packet 2 says so; packet 3 comes damaged and says so; packet 4 is good; packet 5 is lost at the
     * end */
    move(b, &p[2], 4096);
    notify(b, &p[2], _i == 1 ? 0 : flag);
    memory_put64(b->memory[0], p[3].source + 8, 0, 0xff);
    move(b, &p[3], 4096);
    notify(b, &p[3], _i == 2 ? 0 : flag);
    move(b, &p[4], 4096);
    notify(b, &p[4], _i == 3 ? flag : 0);
    ck_assert_uint_eq(b->failed, _i != 0);
    if (!_i) {
        ck_assert_int_eq(scoreboard_finish(b->c), 0);
        scoreboard_counts counts = scoreboard_count(b->c);
        ck_assert_uint_eq(counts.lost, 2);
        ck_assert_uint_eq(b->lost, 2);
        ck_assert_uint_eq(counts.damaged, 1);
        ck_assert_uint_eq(counts.flagged, 2);
        ck_assert_uint_eq(counts.landed, 4);
        /* the loss at the end is flagged later */
        scoreboard_packet next = make(b, 0, 1, 4, 1);
        move(b, &next, 4096);
        notify(b, &next, flag);
        ck_assert_uint_eq(b->failed, 0);
    }
}

/* A packet of which only the body CRC was hit is flagged though its data are right: as often as that is allowed. */
TEST(a_hit_on_a_crc_alone_is_believed_as_often_as_announced)
{
    struct bench *b = bench_new(1);
    const uint64_t flag = UINT64_C(1) << 63;
    scoreboard_allow_losses(b->c, 1, 2);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(b->failed, 0);
        scoreboard_packet p = make(b, 0, 1, 4, 1), q = make(b, 0, 1, 4, 1);
        move(b, &p, 4096);
        notify(b, &p, 0);
        move(b, &q, 4096);
        notify(b, &q, flag);
    }
    ck_assert_uint_eq(b->failed, 1);
}

/* Lands, and its notification is flagged; ten bits of its number, which are 1012 at the beginning. */
static void flagged(struct bench *b, unsigned words)
{
    scoreboard_packet p = make(b, 0, 1, words, 1);
    move(b, &p, 4096);
    notify(b, &p, UINT64_C(1) << 63 | (p.number < 12 ? 0 : UINT64_C(1) << 51));
}

/* Over several paths large losses may be reported of each flow once more: after 16 packets of 128 units, once. */
TEST(many_losses_over_several_paths_may_be_reported_once_more, .from = 14, .to = 17)
{
    struct bench *b = bench_of(1, 1);
    for (int i = 0; i < _i; i++) {
        (void)make(b, 0, 1, 62, 0); /* is lost */
        flagged(b, 62);
    }
    ck_assert_uint_eq(b->failed, 0);
    flagged(b, 4);
    ck_assert_uint_eq(b->failed, _i < 16);
    if (_i < 16) return;
    flagged(b, 4);
    ck_assert_uint_eq(b->failed, 1);
}

/* Packets of one flow land while another one's, made before them, do not. */
TEST(a_flow_that_stands_still_is_named, .to = 2)
{
    struct bench *b = bench_new(0);
    scoreboard_packet first = make(b, 0, 1, 3, 0);
    scoreboard_allow_stops(b->c, _i);
    for (unsigned i = 0; i < 3; i++) {
        scoreboard_packet p = make(b, 0, 2, 60, 0);
        ck_assert(!scoreboard_error(b->c)[0]);
        move(b, &p, 4096);
    }
    ck_assert_uint_eq(scoreboard_passed(b->c), 180);
    ck_assert_int_eq(strstr(scoreboard_error(b->c), "node 0: flow 1 starves") != NULL, !_i);
    move(b, &first, 4096);
}
