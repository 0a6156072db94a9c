/* Everything that can go wrong on the cable: what is lost is counted and told, nothing else is disturbed, and the views of the receive
 * buffer agree again without a reset. */
#include "moves.h"
#include "test.h"

enum fault { NONE, BAD_HEADER_CRC, LOST_SOP, TRUNCATED, OVERLONG, BAD_BODY, LOST_PACKET, BAD_CREDITS, LOST_CREDITS };

/* Follows the words of one direction and damages its next data packet, or what passes while it is armed. */
struct damage {
    enum fault fault;
    int from, armed, hit;
    int in_frame, position; /* words since SOP; credit words not counted */
    unsigned length;        /* of the packet [64-bit words], 0: not a packet */
    int surplus;            /* words to add */
};

static void idle(uint32_t *data, uint8_t *k)
{
    *data = 0xbcbcbcbc;
    *k = 0xf;
}

static void tap(void *self, int from, uint64_t word, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct damage *d = self;
    (void)word;
    (void)flip;
    if (from != d->from) return;
    if (d->surplus) { /* in the place of what follows the packet: idle words, or a record or credit, which come again */
        d->surplus--;
        *data = 0x12345678;
        *k = 0;
        return;
    }
    if (*k == 8 && *data >> 24 == 0xfb) {
        d->in_frame = 1;
        d->position = 0;
        d->length = 0;
        if (d->armed && d->fault == LOST_SOP) {
            d->hit++;
            idle(data, k);
        }
    } else if (*k) {
        d->in_frame = 0;
    } else if (d->in_frame && d->position == 0 && *data >> 31) { /* a credit word */
        if (d->armed && d->fault == BAD_CREDITS) {
            d->hit++;
            *data ^= 0x00010001; /* one bit of each credit: parity wrong */
        }
    } else if (d->in_frame) {
        d->position++;
        if (d->position == 1) d->length = *data & 0x3ff;
        if (d->armed && d->length) {
            int last = 3 + 2 * (int)d->length + 1; /* header 2, its CRC, payload, body CRC */
            if (d->fault == BAD_HEADER_CRC && d->position == 3) {
                *data ^= 0x0100;
                d->armed = 0;
                d->hit++;
            } else if (d->fault == BAD_BODY && d->position == 5) {
                *data ^= 0x00400000;
                d->armed = 0;
                d->hit++;
            } else if (d->fault == TRUNCATED && d->position >= 8) {
                idle(data, k);
                d->hit++;
                if (d->position == last) d->armed = 0;
            } else if (d->fault == OVERLONG && d->position == last) {
                d->surplus = 6;
                d->armed = 0;
                d->hit++;
            }
        }
    }
    if (d->armed && (d->fault == LOST_PACKET || d->fault == LOST_CREDITS)) {
        d->hit += *k == 8;
        idle(data, k);
    }
}

static void arm(bench *b, struct damage *d, enum fault fault, int from)
{
    *d = (struct damage){.fault = fault, .from = from, .armed = 1};
    cable_set_tap(b->p->wire, tap, d);
}

static void disarm(bench *b, struct damage *d)
{
    ck_assert_msg(d->hit > 0, "the fault did not happen");
    cable_set_tap(b->p->wire, NULL, NULL);
}

/* ---- packets that never arrive ---- */

static void lost_body(bench *b)
{
    static struct damage d;
    static move lost;
    move_good(b, 0, 496);
    move_good(b, 1, 496);
    uint32_t crc_errors = bench_get(b, 1, NIC_HEADER_CRC_ERRORS), gaps = bench_get(b, 1, NIC_SEQUENCE_GAPS);
    arm(b, &d, (enum fault)b->variation, 0);
    move_post(b, &lost, 0, 496, NX_REMOTE);
    bench_wait(b, 8 * SIM_US);
    disarm(b, &d);
    nx_notification note;
    ck_assert_int_eq(nx_notification_poll(b->p->node[1]->dev, 0, &note), 0); /* none, neither good nor bad */
    ck_assert(!move_arrived(b, &lost));
    bench_wait(b, 20 * SIM_US); /* counters are copies */
    if (b->variation == BAD_HEADER_CRC) ck_assert_uint_eq(bench_get(b, 1, NIC_HEADER_CRC_ERRORS), crc_errors + 1);
    /* the next transfer of that source arrives, and its notification tells of the loss */
    static move next;
    move_post(b, &next, 0, 496, NX_REMOTE);
    ck_assert_int_eq(move_notified(b, 0), NX_ERROR_FLAGGED);
    ck_assert(move_arrived(b, &next));
    ck_assert_uint_eq(bench_get(b, 1, NIC_SEQUENCE_GAPS), gaps + 1);
    ck_assert(bench_status(b, 1) & NIC_STATUS_SEQUENCE_GAP_MASK);
    move_good(b, 0, 24); /* only the next one is flagged */
    move_fill(b, 0);
    move_fill(b, 1);
}

TEST_CASE("faults", .timeout = 120);

TEST(a_bad_header_crc_drops_the_packet_and_its_space_comes_back)
{
    moves_run(NULL, lost_body, BAD_HEADER_CRC);
}
TEST(a_lost_sop_loses_the_packet_and_its_space_comes_back)
{
    moves_run(NULL, lost_body, LOST_SOP);
}
TEST(a_packet_lost_on_the_wire_is_told_and_its_space_comes_back)
{
    moves_run(NULL, lost_body, LOST_PACKET);
}

/* ---- packets that arrive damaged ---- */

static void damaged_body(bench *b)
{
    static struct damage d;
    static move bad;
    move_good(b, 0, 496);
    uint32_t errors = bench_get(b, 1, NIC_BODY_CRC_ERRORS);
    arm(b, &d, (enum fault)b->variation, 0);
    move_post(b, &bad, 0, 496, NX_REMOTE);
    ck_assert_int_eq(move_notified(b, 0), NX_ERROR_FLAGGED);
    disarm(b, &d);
    ck_assert(!move_arrived(b, &bad));
    ck_assert_uint_eq(bench_get(b, 1, NIC_BODY_CRC_ERRORS), errors + 1);
    ck_assert(bench_status(b, 1) & NIC_STATUS_BODY_CRC_MASK);
    move_good(b, 0, 496);
    move_fill(b, 0);
}

TEST(a_bad_body_crc_is_counted_and_its_notification_flagged)
{
    moves_run(NULL, damaged_body, BAD_BODY);
}
TEST(a_truncated_packet_is_padded_counted_and_flagged)
{
    moves_run(NULL, damaged_body, TRUNCATED);
}

MOVES_TEST(surplus_words_behind_a_packet_are_discarded_and_counted)
{
    static struct damage d;
    move_good(b, 0, 496);
    uint32_t errors = bench_get(b, 1, NIC_ALIGNMENT_ERRORS);
    arm(b, &d, OVERLONG, 0);
    move_good(b, 0, 496); /* surplus words hurt nobody */
    disarm(b, &d);
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(bench_get(b, 1, NIC_ALIGNMENT_ERRORS), errors + 1);
    move_good(b, 0, 496);
    move_fill(b, 0);
}

/* ---- credits ---- */

static void credit_body(bench *b)
{
    static struct damage d;
    move_good(b, 0, 496);
    uint32_t rejected = bench_get(b, 0, NIC_CREDITS_REJECTED);
    arm(b, &d, (enum fault)b->variation, 1);
    for (int i = 0; i < 10; i++) move_good(b, 0, 496); /* nine packets fit without any credit */
    disarm(b, &d);
    bench_wait(b, 20 * SIM_US);
    if (b->variation == BAD_CREDITS) {
        ck_assert_uint_gt(bench_get(b, 0, NIC_CREDITS_REJECTED), rejected);
        ck_assert(bench_status(b, 0) & NIC_STATUS_CREDIT_REJECTED_MASK);
    }
    bench_agree(b, 0, 8);
    for (int i = 0; i < 30; i++) move_good(b, 0, 496);
    move_fill(b, 0);
}

TEST(corrupted_credits_are_rejected_and_replaced)
{
    moves_run(NULL, credit_body, BAD_CREDITS);
}
TEST(lost_credits_are_replaced)
{
    moves_run(NULL, credit_body, LOST_CREDITS);
}

/* ---- the cable ---- */

MOVES_TEST(a_cable_cut_for_microseconds_only_loses_what_was_on_it)
{
    static move m[40];
    move_good(b, 0, 496);
    move_good(b, 1, 496);
    for (int i = 0; i < 20; i++) {
        move_post(b, &m[2 * i], 0, 496, 0);
        move_post(b, &m[2 * i + 1], 1, 496, 0);
        if (i == 8) cable_cut(b->p->wire, CABLE_BOTH);
    }
    bench_wait(b, 5 * SIM_US);
    cable_reconnect(b->p->wire, CABLE_BOTH);
    bench_wait(b, 200 * SIM_US);
    bench_agree(b, 0, 8);
    bench_agree(b, 1, 8);
    for (int from = 0; from < 2; from++) {
        int lost = 0;
        for (int i = 0; i < 20; i++) lost += !move_arrived(b, &m[2 * i + from]);
        static move next;
        move_post(b, &next, from, 496, NX_REMOTE);
        /* the loss, if there was one, is told by the next notification */
        ck_assert_int_eq(move_notified(b, from), lost ? NX_ERROR_FLAGGED : NX_OK);
        move_good(b, from, 496);
        move_fill(b, from);
    }
}

MOVES_TEST(a_receiver_switched_off_and_on_loses_nothing)
{
    move_good(b, 0, 496);
    for (int round = 0; round < 3; round++)
        for (int from = 0; from < 2; from++) bench_fill(b, from);
    ck_assert_uint_eq(bench_status(b, 0) | bench_status(b, 1), 0);
}
