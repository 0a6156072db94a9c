/* Two whole DMA engines with output queues: descriptors in, operations across a cable, answers back. */
#include "nodes_bench.h"

TEST_CASE("nodes", .timeout = 120);

static uint64_t slot_word(unsigned phase, unsigned source, unsigned words, unsigned number, unsigned operand)
{
    return (uint64_t)phase << 63 | (uint64_t)source << 56 | (uint64_t)words << 32 | (uint64_t)number << 16 | operand;
}

/* An immediate needs no read; the message and its first word are in the other host's memory. */
TEST(an_immediate_message_arrives)
{
    struct nodes *b = nodes_new(1);
    nodes_make_queue(b, 1, 2, 3, 0);
    nodes_immediate(b, 0, ENQUEUE, 2, 77, 0x1122334455667787ull, LOCAL | INTERRUPT);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 0x2008), 0x1122334455667787ull);
    ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 0x2000), slot_word(1, 0, 1, 0, 77));
    ck_assert_uint_eq(*nodes_at(b, 0, LOCAL_AT + 8), 1);
    ck_assert_uint_eq(b->node[1].interrupts, 1);
    ck_assert_uint_eq(b->node[0].transfers, 1);
}

/* Messages that are read from the host's memory, behind and before transfers, of every length. */
TEST(messages_keep_their_place_among_transfers, .to = 4)
{
    struct nodes *b = nodes_new((uint64_t)_i);
    b->slow = (unsigned)_i * 2;
    nodes_make_queue(b, 1, 0, 3, 3);
    for (unsigned i = 0; i < 1024; i++) b->node[0].memory[i] = sim_random(b->s);
    for (unsigned i = 1; i <= 40; i++) {
        unsigned words = 1 + i * 7 % 62;
        nodes_post(b, 0, 8 * i, START | REMOTE | 5ull << 32 | 0x8000);
        nodes_post(b, 0, 16 * i, OPERATION | START | (uint64_t)words << 32 | i << 1);
        nodes_drain(b);
        for (unsigned k = 0; k < words; k++)
            ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 512 * ((i - 1) % 8) + 8 + 8 * k), b->node[0].memory[2 * i + k]);
        ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 512 * ((i - 1) % 8)),
                          slot_word(!((i - 1) & 8), 0, words, i - 1, i));
        nodes_store(b, 1, SYNC_QUEUE_HEAD, i);
    }
    *b->node[0].m->view_pair = 0;
    sim_model_eval(b->node[0].model);
    ck_assert_uint_eq(*b->node[0].m->view_departed >> 32, 80);
}

/* FETCH_ADD in both directions at once, four unanswered: every old value comes once. */
TEST(both_ask_at_once, .to = 3)
{
    struct nodes *b = nodes_new((uint64_t)_i);
    b->slow = (unsigned)_i * 4;
    enum { ASKS = 40 };
    for (unsigned i = 0; i < ASKS; i++)
        for (unsigned n = 0; n < 2; n++) nodes_immediate(b, n, FETCH_ADD, 9 + n, (1 + i) << 6 | i, 1, 0);
    nodes_drain(b);
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned i = 0; i < ASKS; i++) {
            ck_assert_uint_eq(*nodes_at(b, n, ANSWERS_AT + 16 * i), i);
            ck_assert_uint_eq(*nodes_at(b, n, ANSWERS_AT + 16 * i + 8),
                              (uint64_t)((1 + i) & 1) << 63 | (uint64_t)(1 - n) << 56 | (1 + i) << 6 | i);
        }
        ck_assert_uint_eq(nodes_load(b, 1 - n, SYNC_WORD + 8 * (9 + n)), ASKS);
        ck_assert_uint_eq(nodes_load(b, n, SYNC_UNANSWERED_LOW), 0);
        ck_assert_uint_eq(b->node[n].answers, ASKS);
        *b->node[n].m->view_pair = 0;
        sim_model_eval(b->node[n].model);
        ck_assert_uint_eq((uint32_t)(*b->node[n].m->view_departed >> (n ? 0 : 32)), ASKS); /* answers do not count */
    }
}

/* The fifth waits while no answer comes. COMPARE_SWAP has its two words in memory. */
TEST(the_fifth_waits)
{
    struct nodes *b = nodes_new(1);
    b->node[1].memory[4] = 0;
    b->node[0].memory[4] = 0;
    b->node[0].memory[5] = 50;
    b->lose = 1; /* everything is lost */
    for (unsigned i = 0; i < 6; i++) nodes_immediate(b, 0, FETCH_ADD, 3, 64 + i, 1, 0);
    nodes_run(b, 500);
    ck_assert_uint_eq(nodes_load(b, 0, SYNC_UNANSWERED_LOW), 4 << 4);
    b->lose = 0;
    nodes_store(b, 0, SYNC_HOST_COMMAND, 2u << 20 | 15u << 16); /* CLOSE slot 2 */
    nodes_drain(b);
    ck_assert_uint_eq(nodes_load(b, 1, SYNC_WORD + 8 * 3), 2);
    nodes_post(b, 0, 32, OPERATION | START | 2ull << 32 | 4u << 20 | COMPARE_SWAP << 16 | (64 + 9) << 1);
    nodes_drain(b);
    ck_assert_uint_eq(nodes_load(b, 1, SYNC_WORD + 8 * 4), 50);
    ck_assert_uint_eq(nodes_load(b, 0, SYNC_UNANSWERED_LOW), 3 << 4); /* three lost ones are still awaited */
}

/* A counter releases the prepared cluster, up to its end flag; the other cluster stays. */
TEST(a_counter_releases_a_prepared_cluster)
{
    struct nodes *b = nodes_new(1);
    nodes_make_queue(b, 0, 1, 3, 0);
    uint64_t message = OPERATION | IMMEDIATE | 1ull << 32 | 1u << 20;
    for (unsigned i = 0; i < 6; i++) nodes_post(b, 1, 100 + i, message | i << 1 | (i % 3 == 2 ? END : 0));
    nodes_immediate(b, 0, ARM, 8, 0, 1ull << 63 | 1ull << 32 | 2, 0); /* word, release queue 0, after two */
    nodes_immediate(b, 0, ADD, 8, 0, (uint32_t)-1, 0);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 0, RING_AT + 0x1000), 0);
    nodes_immediate(b, 0, ADD, 8, 0, (uint32_t)-1, 0);
    nodes_drain(b);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(*nodes_at(b, 0, RING_AT + 0x1000 + 64 * i), slot_word(1, 1, 1, i, i));
        ck_assert_uint_eq(*nodes_at(b, 0, RING_AT + 0x1008 + 64 * i), 100 + i);
    }
    ck_assert_uint_eq(*nodes_at(b, 0, RING_AT + 0x1000 + 64 * 3), 0);
    ck_assert_uint_eq(*nodes_at(b, 1, COUNTERS_AT + 64), 1ull << 63 | 8ull << 48 | 1);
    nodes_immediate(b, 0, ARM, 8, 0, 1ull << 32, 0);
    nodes_immediate(b, 0, ARM, 8, 0, 1ull << 32, 0); /* nothing is left for it, or the cluster is still leaving */
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 0, RING_AT + 0x1000 + 64 * 5), slot_word(1, 1, 1, 5, 5));
    nodes_immediate(b, 0, ARM, 8, 0, 1ull << 32, 0);
    nodes_drain(b);
    ck_assert_uint_ge(nodes_load(b, 1, SYNC_RELEASED_NOTHING), 1);
    nodes_post(b, 1, 106, message | 6u << 1 | END); /* an empty release is not kept */
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 0, RING_AT + 0x1000 + 64 * 6), 0);
}

/* Groups: packets of several lengths are subtracted from their counters; no order is checked. */
TEST(groups_are_counted)
{
    struct nodes *b = nodes_new(1);
    for (unsigned n = 0; n < 2; n++) nodes_store(b, n, SYNC_BUILD, (uint64_t)SYNC_CONTROL_GROUPS_MASK << 32);
    nodes_immediate(b, 0, ARM, 17, 0, 1ull << 63 | 300, 0);
    nodes_post(b, 0, 0, START | 200ull << 32 | 17ull << 42 | 0x9000);
    nodes_post(b, 0, 0, START | 50ull << 32 | 18ull << 42 | 0x9000);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 1, COUNTERS_AT + 8 * 17), 0);
    nodes_post(b, 0, 0, START | 100ull << 32 | 17ull << 42 | 0x9000);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 1, COUNTERS_AT + 8 * 17), 1ull << 63 | 17ull << 48 | 1);
    ck_assert_uint_eq((uint32_t)nodes_load(b, 1, SYNC_COUNTER_VALUE + 8 * 18), (uint32_t)-50);
    ck_assert_uint_eq(b->node[1].gaps, 0);
}

/* Refused: told to the sender's memory; REOPEN opens. */
TEST(a_refusal_is_told_and_reopened)
{
    struct nodes *b = nodes_new(1);
    nodes_make_queue(b, 1, 4, 1, 0);
    for (unsigned i = 0; i < 5; i++) nodes_immediate(b, 0, ENQUEUE, 4, i, i, 0);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 0, REFUSED_AT + 128 + 8 * 4), 1ull << 56 | 3ull << 32 | 2);
    nodes_store(b, 1, SYNC_QUEUE_HEAD + 32 * 4, 2);
    nodes_immediate(b, 0, REOPEN, 4, 3, 0, 0);
    nodes_immediate(b, 0, ENQUEUE, 4, 9, 9, 0);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 0x4000), slot_word(0, 0, 1, 2, 9));
}

/* Illegal descriptors are skipped and counted, their queue goes on. */
TEST(illegal_descriptors_are_skipped)
{
    struct nodes *b = nodes_new(1);
    static const uint64_t bad[] = {
        1ull << 63 | 1ull << 32,            /* [63] alone */
        1ull << 32 | 1,                     /* odd alone */
        OPERATION | 63ull << 32,            /* longer than a packet */
        OPERATION,                          /* length 0 */
        OPERATION | IMMEDIATE | 2ull << 32, /* immediate of two words */
        IMMEDIATE | 2ull << 32,             /* the same, a transfer */
        OPERATION | REMOTE | 1ull << 32,    /* remote notification */
        OPERATION | 1ull << 32 | 14u << 16, /* the hardware's */
        OPERATION | 1ull << 32 | 15u << 16,
    };
    for (int i = 0; i < COUNT(bad); i++) nodes_post(b, 0, 0, START | bad[i]);
    nodes_immediate(b, 0, WRITE, 1, 0, 5, 0);
    nodes_post(b, 0, 0xfeed, START | IMMEDIATE | REMOTE | 1ull << 32 | 0x9000); /* an immediate transfer */
    nodes_drain(b);
    ck_assert_uint_eq(b->node[0].skipped, COUNT(bad));
    ck_assert_uint_eq(nodes_load(b, 1, SYNC_WORD + 8), 5);
    ck_assert_uint_eq(*nodes_at(b, 1, 0x9000), 0xfeed);
    ck_assert_uint_ne(*nodes_at(b, 1, NOTIFY_AT), 0);
}

/* Damage and losses at random: a slot is whole or not there, marked when something was lost before it, and the marks of
 * notifications and counters are others'. */
TEST(damage_never_shows_half_a_message, .to = 6)
{
    struct nodes *b = nodes_new((uint64_t)_i);
    b->damage = 6;
    b->lose = 7;
    nodes_make_queue(b, 1, 0, 6, 0);
    unsigned sent = 0;
    for (unsigned i = 0; i < 40; i++) b->node[0].memory[i] = sim_random(b->s);
    for (unsigned i = 0; i < 60; i++) {
        unsigned words = 1 + (unsigned)sim_random_below(b->s, 7);
        if (i % 4 == 3) nodes_post(b, 0, 0, START | 10ull << 32 | 0x8000);
        else nodes_post(b, 0, 8 * words, OPERATION | START | (uint64_t)words << 32 | sent++ << 1);
        if (i % 10 == 9) nodes_drain(b);
    }
    b->damage = b->lose = 0;
    nodes_post(b, 0, 8, OPERATION | START | 1ull << 32 | sent++ << 1);
    nodes_drain(b);
    unsigned taken = (unsigned)nodes_load(b, 1, SYNC_QUEUE_TAIL), last = 0, marks = 0;
    ck_assert_uint_gt(taken, 15);
    ck_assert_uint_lt(taken, sent);
    for (unsigned i = 0; i < taken; i++) {
        uint64_t first = *nodes_at(b, 1, RING_AT + 64 * i);
        unsigned words = first >> 32 & 1023, number = first & 0x7fff, marked = first >> 55 & 1;
        ck_assert_uint_eq(first >> 63, 1);
        for (unsigned k = 0; k < words; k++)
            ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 64 * i + 8 + 8 * k), b->node[0].memory[words + k]);
        if (number != last) ck_assert_uint_eq(marked, 1);
        marks += marked;
        last = number + 1;
    }
    ck_assert_uint_eq(last, sent);
    ck_assert_uint_gt(marks, 0);
}

/* A software reset of either node at any time: afterwards both work, nothing is told twice. */
TEST(a_reset_in_traffic, .to = 24)
{
    struct nodes *b = nodes_new((uint64_t)_i);
    unsigned n = _i % 2;
    nodes_make_queue(b, 1, 0, 6, 0);
    for (unsigned i = 0; i < 12; i++) {
        nodes_immediate(b, 0, i % 2 ? FETCH_ADD : ENQUEUE, 0, i % 2 ? 64 + i : i, 1, 0);
        nodes_immediate(b, 1, FETCH_ADD, 5, 64 + i, 1, 0);
    }
    nodes_run(b, 10 + 13 * (unsigned)_i);
    *b->node[n].m->soft_reset = 1;
    for (unsigned i = 0; i < 10000 && !*b->node[n].m->soft_reset_done; i++) nodes_run(b, 1);
    ck_assert_uint_eq(*b->node[n].m->soft_reset_done, 1);
    *b->node[n].m->soft_reset = 0;
    nodes_drain(b);
    ck_assert_uint_eq(nodes_load(b, n, SYNC_UNANSWERED_LOW), 0);
    for (unsigned i = 0; i < 64; i++) { /* what the other one has lost */
        nodes_store(b, 1 - n, SYNC_HOST_COMMAND, i << 20 | 15u << 16);
        nodes_run(b, 20);
    }
    nodes_drain(b);
    unsigned before = (unsigned)nodes_load(b, 1, SYNC_QUEUE_TAIL);
    for (unsigned i = 0; i < before; i++) ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 64 * i) >> 63, 1);
    for (unsigned k = 0; k < 2; k++) nodes_immediate(b, k, FETCH_ADD, 200, 127 << 6 | 7, 1, 0);
    nodes_immediate(b, 0, ENQUEUE, 0, 0x123, 1, 0);
    nodes_drain(b);
    ck_assert_uint_eq(*nodes_at(b, 1, RING_AT + 64 * before) & 0x7fff, 0x123);
    for (unsigned k = 0; k < 2; k++)
        ck_assert_uint_eq(*nodes_at(b, k, ANSWERS_AT + 16 * 7 + 8),
                          1ull << 63 | (uint64_t)(1 - k) << 56 | 127 << 6 | 7);
}
