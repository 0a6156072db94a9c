/* One bit of a word damaged in external memory, of each kind of word and of each part of its code: losses are indicated
 * and counted, the rest arrives. Headers: their transfer is gone, and counts as skipped. */
#include "loss_bench.h"
#include "nic_1voq.h"
#include "test.h"

enum { X = 3, OTHER = 5, PIECES = 12, WORDS = 4 * 62, MEMORY_WORDS = 4096 * 64 };

/* Kinds of words, by the five bits of their tag byte (rtl/nic/voq/voq_encode.v). */
enum { DATA, LAST, HEADER, KINDS };
static const uint8_t codes[KINDS] = {0x00, 0x1a, 0x15};

static const unsigned bits[] = {0, 13, 33, 41, 52, 61, 63, 64, 65, 66, 67, 68, 69, 70, 71};
enum { BITS = COUNT(bits) };

/* The first word at or behind `from` of this kind that is in use. */
static uint64_t find(bench *b, uint64_t from, int kind)
{
    for (uint64_t at = from; at < MEMORY_WORDS; at++) {
        uint8_t tag;
        uint64_t word = external_get(b->n[0]->external, at, &tag);
        if (word && (tag & 0x1f) == codes[kind]) return at;
    }
    ck_abort_msg("no word of kind %d in external memory", kind);
    return 0;
}

static void hit(bench *b, uint64_t at, unsigned bit)
{
    uint8_t tag;
    uint64_t word = external_get(b->n[0]->external, at, &tag);
    external_put(b->n[0]->external, at, bit < 64 ? word ^ 1ull << bit : word,
                 bit < 64 ? tag : (uint8_t)(tag ^ 1u << (bit - 64)));
}

static uint32_t done(bench *b, unsigned queue)
{
    return bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * queue) + bench_get(b, 0, NIC_QUEUE_SKIPPED + 4 * queue);
}

static void damaged(bench *b, int variation)
{
    unsigned bit = bits[variation % BITS];
    int kind = variation / BITS, repaired = bit >= 64 && bit < 69;
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    far_end_stop(b->port->far, X);
    for (unsigned i = 0; i < PIECES; i++) bench_send(b, X, WORDS, i == PIECES - 1 ? NX_REMOTE : 0);
    bench_wait(b, 110 * SIM_US);
    unsigned queue = (bench_get(b, 0, NIC_VOQ_BUILD) & NIC_VOQ_BUILD_VOQS_MASK) == 1 ? 0 : X;
    ck_assert_uint_gt(bench_get(b, 0, NIC_VOQ_LEVEL + 4 * queue) >> 16, 0);
    hit(b, find(b, 300, kind), bit);
    far_end_go(b->port->far, X);
    ck_assert_int_eq(loss_notified(b, OTHER, 70), 0);
    ck_assert_int_eq(loss_reported(b, &b->flow[X].piece[PIECES]), !repaired);
    bench_wait(b, 20 * SIM_US);
    /* a wrong bit of the parity corrupts a packet whose data are right */
    ck_assert_uint_eq(bench_missing(b, &b->flow[X].piece[1], PIECES),
                      repaired || (bit >= 69 && kind != HEADER) ? 0 : 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_STATUS) & NIC_STATUS_MEMORY_ERROR_MASK, NIC_STATUS_MEMORY_ERROR_MASK);
    if (repaired) loss_expect(b, CHANGES({NIC_MEMORY_ERRORS, 1}));
    else if (kind == HEADER)
        loss_expect(b, CHANGES({NIC_MEMORY_ERRORS, 1}, {NIC_SEQUENCE_GAPS, 1}, {NIC_QUEUE_SKIPPED + 4 * X, 1},
                               {NIC_FLAGGED_NOTIFICATIONS, 1}));
    else loss_expect(b, CHANGES({NIC_MEMORY_ERRORS, 1}, {NIC_BODY_CRC_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    ck_assert_uint_eq(done(b, X), b->flow[X].posted);
    ck_assert_int_eq(loss_notified(b, X, 70), 0);
    loss_prove(b);
}

TEST_CASE("bits", .timeout = 60);

TEST(a_wrong_bit_in_external_memory, .to = KINDS * BITS) { loss_run(NULL, damaged, _i); }

TEST_CASE("shared", .timeout = 60);

static void one_queue(port_params *p, int variation)
{
    (void)variation;
    p->node.nic = &nic_1voq_config;
}

/* One queue for all destinations: a damaged header must still say whose it was. */
TEST(a_wrong_bit_with_one_queue_for_all, .to = KINDS * BITS) { loss_run(one_queue, damaged, _i); }

TEST_CASE("awaited", .timeout = 60);

/* A program that waits for the transfer that is lost gets an error, and soon. */
LOSS_TEST(a_program_that_waits_for_a_lost_transfer, .to = 1)
{
    far_end_stop(b->port->far, X);
    piece last = {0};
    for (unsigned i = 0; i < PIECES; i++) last = bench_send(b, X, WORDS, i == PIECES - 1 ? NX_LOCAL : 0);
    bench_wait(b, 110 * SIM_US);
    uint64_t at = 0, word;
    do {
        at = find(b, at + 1, HEADER);
        word = external_get(b->n[0]->external, at, &(uint8_t){0});
    } while (((uint32_t)word & ~7u) !=
             last.destination); /* with one queue for all, [2:0] have a meaning of their own */
    hit(b, at, 40);
    far_end_go(b->port->far, X);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &last.ticket), NX_ERROR_ABANDONED);
    ck_assert_int_eq(bench_arrived(b, &last), 0);
    ck_assert_int_eq(bench_arrived(b, &b->flow[X].piece[PIECES - 2]), 1);
    ck_assert_int_eq(loss_notified(b, X, 70), 1);
    bench_forgive(b, ALL);
    loss_prove(b);
}

TEST_CASE("many", .timeout = 60);

/* Many wrong bits at once, anywhere in the bodies of all flows, headers included: whatever is missing is flagged,
 * software that counts transfers gets to the end, and afterwards all is well. */
LOSS_TEST(many_wrong_bits_in_external_memory, .to = 6)
{
    for (unsigned q = 0; q < BENCH_FLOWS; q++) far_end_stop(b->port->far, q);
    for (unsigned i = 0; i < PIECES; i++)
        for (unsigned q = 0; q < BENCH_FLOWS; q++)
            bench_send(b, q, 100 + (unsigned)sim_random_below(b->s, 150), i % 5 == 4 ? NX_REMOTE : 0);
    bench_wait(b, 400 * SIM_US);
    uint64_t at = 0;
    unsigned hits = 0;
    for (unsigned i = 0; i < 20; i++, hits++) {
        at = find(b, at + 1 + sim_random_below(b->s, 200), _i & 1 ? HEADER : i % KINDS);
        hit(b, at, (unsigned)sim_random_below(b->s, 72));
        if (at > 2500) break;
    }
    for (unsigned q = 0; q < BENCH_FLOWS; q++) far_end_go(b->port->far, q);
    bench_wait(b, 600 * SIM_US);
    unsigned missing = 0;
    for (unsigned q = 0; q < BENCH_FLOWS; q++) {
        unsigned here = bench_missing(b, b->flow[q].piece, PIECES);
        missing += here;
        int flagged = loss_notified(b, q, 62) || b->flow[q].flagged;
        ck_assert_msg(!here || flagged, "flow %u: %u pieces are missing, no notification says so", q, here);
        bench_wait(b, 10 * SIM_US);
        ck_assert_uint_eq(done(b, q), b->flow[q].posted);
    }
    ck_assert_uint_gt(missing, 0);
    ck_assert_uint_gt(hits, 5);
    ck_assert_uint_gt(bench_get(b, 0, NIC_MEMORY_ERRORS), 5);
    bench_forgive(b, ALL);
    loss_prove(b);
}
