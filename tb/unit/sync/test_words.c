/* Counters, words and answers against the model of sync_bench. */
#include "sync_bench.h"

TEST_CASE("words", .timeout = 120);

static uint64_t arm(unsigned write, unsigned interrupt, unsigned mask, int32_t add)
{
    return (uint64_t)write << 63 | (uint64_t)interrupt << 62 | (uint64_t)mask << 32 | (uint32_t)add;
}

static void counter_is(struct sync_bench *b, unsigned c)
{
    uint64_t shown = sync_load(b, SYNC_COUNTER_VALUE + 8 * c);
    uint64_t must = (uint64_t)b->counter[c].write << 63 | (uint64_t)b->counter[c].interrupt << 62 |
                    (uint64_t)b->counter[c].armed << 61 | (uint64_t)b->counter[c].damaged << 60 |
                    (uint64_t)b->counter[c].times << 48 | (uint64_t)b->counter[c].mask << 32 |
                    (uint32_t)b->counter[c].value;
    if (shown != must)
        sync_complain(b, "counter %u is %016llx, expected %016llx", c, (unsigned long long)shown,
                      (unsigned long long)must);
}

/* Armed first or late, the action is once, at zero; the word tells how often. */
TEST(a_counter_acts_once_at_zero)
{
    struct sync_bench *b = sync_bench_new(1);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 3; i++) sync_operation(b, i, ADD, 5, 0, (uint32_t)-1, 0);
        sync_operation(b, 7, ARM, 5, 0, arm(1, 1, 0x21, 4), 0);
        sync_drain(b);
        ck_assert_uint_eq(b->releases, round);
        sync_operation(b, 3, ADD, 5, 0, (uint32_t)-1, 0);
        sync_operation(b, 3, ADD, 5, 0, 1, 0);
        sync_operation(b, 3, ADD, 5, 0, (uint32_t)-1, 0);
        sync_drain(b);
        counter_is(b, 5);
        ck_assert_uint_eq(b->releases, round + 1);
        ck_assert_uint_eq(b->released, 0x21);
        ck_assert_uint_eq(b->interrupts, round + 1);
    }
    for (unsigned i = 0; i < 2; i++) sync_operation(b, 0, ADD, 5, 0, (uint32_t)-1, 0);
    sync_operation(b, 0, ARM, 5, 0, arm(1, 0, 0, 2), 0); /* late: it acts at once */
    sync_drain(b);
    ck_assert_uint_eq(b->counts[6], 4);
    sync_good(b);
}

/* A counter wraps through all 32 bits. */
TEST(a_counter_wraps)
{
    struct sync_bench *b = sync_bench_new(1);
    sync_operation(b, 0, ARM, 63, 0, arm(1, 0, 0, 0x7fffffff), 0);
    for (unsigned i = 0; i < 2; i++) sync_operation(b, 0, ADD, 63, 0, 0x7fffffff, 0);
    sync_drain(b);
    counter_is(b, 63);
    sync_operation(b, 0, ADD, 63, 0, 0xffffffffu - 3u * 0x7fffffffu + 1u, 0);
    sync_drain(b);
    counter_is(b, 63);
    ck_assert_uint_eq(b->counts[6], 1);
    sync_good(b);
}

/* A release of a queue in which nothing is prepared is counted and sets STATUS. */
TEST(an_empty_release_is_counted)
{
    struct sync_bench *b = sync_bench_new(1);
    *b->m->prepared = 0xfffe;
    sync_operation(b, 0, ARM, 0, 0, arm(0, 0, 1, 0), 0);
    sync_operation(b, 0, ARM, 0, 0, arm(0, 0, 2, 0), 0);
    sync_drain(b);
    ck_assert_uint_eq(b->counts[7], 1);
    ck_assert_uint_eq(sync_load(b, SYNC_STATUS), SYNC_STATUS_RELEASED_NOTHING_MASK);
    sync_good(b);
}

/* What the host does by registers is what packets do. */
TEST(the_host_counts_and_asks_too)
{
    struct sync_bench *b = sync_bench_new(1);
    sync_host(b, ARM, 9, arm(1, 1, 4, 2), 0);
    sync_host(b, ADD, 9, (uint32_t)-2, 0);
    sync_drain(b);
    ck_assert_uint_eq(b->interrupts, 1);
    sync_host(b, ARM, 9, arm(1, 1, 4, 2), 0);
    sync_host(b, SET, 9, 77, 0);
    counter_is(b, 9);
    sync_store(b, SYNC_WORD + 8 * 200, 0x1234, 3);
    ck_assert_uint_eq(b->word[200] = sync_load(b, SYNC_WORD + 8 * 200), 0x1234);
    ck_assert_uint_eq(sync_host(b, FETCH_ADD, 200, ~0ull, 0), 0x1234);
    ck_assert_uint_eq(sync_host(b, SWAP, 200, 7, 0), 0x1233);
    ck_assert_uint_eq(sync_host(b, COMPARE_SWAP, 200, 8, 9), 7);
    ck_assert_uint_eq(sync_host(b, COMPARE_SWAP, 200, 7, 9), 7);
    sync_host(b, WRITE, 201, 5, 0);
    ck_assert_uint_eq(sync_load(b, SYNC_WORD + 8 * 200), 9);
    ck_assert_uint_eq(sync_load(b, SYNC_WORD + 8 * 201), 5);
    static const struct {
        unsigned operation, object, reason;
    } bad[] = {{ENQUEUE, 0, 7}, {8, 0, 7}, {14, 0, 7}, {ADD, 64, 5}, {WRITE, 256, 5}, {CLOSE, 64, 5}, {CLOSE, 3, 5}};
    for (int i = 0; i < COUNT(bad); i++) {
        sync_host(b, bad[i].operation, bad[i].object, 0, 0);
        ck_assert_uint_eq(sync_load(b, SYNC_HOST_COMMAND) & SYNC_HOST_COMMAND_REASON_MASK, bad[i].reason);
    }
    sync_drain(b);
    sync_good(b);
}

/* The host's store in every clock around an operation on the same word: one of the two orders. */
TEST(a_store_and_an_addition_are_in_some_order, .to = 24)
{
    struct sync_bench *b = sync_bench_new(1);
    uint64_t one = 1;
    sync_store(b, SYNC_WORD + 8 * 3, 100, 3);
    b->refuse = 1;
    sync_packet(b, 2, FETCH_ADD, 3, 0x41, 1, &one, 0);
    sync_clocks(b, (unsigned)_i % 12);
    sync_store(b, SYNC_WORD + 8 * 3, 500, 3);
    if (_i >= 12) sync_store(b, SYNC_WORD + 8 * 4, 500, 3); /* a burst */
    sync_clocks(b, 40);
    uint64_t now = sync_load(b, SYNC_WORD + 8 * 3), old = *b->m->answer_word;
    ck_assert_uint_eq(*b->m->answer_valid, 1);
    ck_assert_uint_eq(*b->m->answer_header, 15u << 16 | 0x41 << 1 | 1);
    ck_assert(old == 100 ? now == 500 : old == 500 && now == 501);
}

/* The four operations, refusals of objects and lengths, answers in the order of each source's operations. */
TEST(random_operations, .to = 12)
{
    struct sync_bench *b = sync_bench_new((uint64_t)_i);
    b->slow = _i % 4 * 2;
    b->gaps = _i % 2;
    sync_make_queue(b, 2, 3, 1, 0xff);
    for (unsigned i = 0; i < 2000 && !*b->wrong; i++) {
        unsigned s = sync_below(b, NODES), operation = ENQUEUE + sync_below(b, 11), object = sync_below(b, 4);
        uint64_t data[3] = {sync_random_small(b), sync_random_small(b), 0};
        if (sync_below(b, 40) == 0) object = sync_below(b, 4096);
        if (sync_below(b, 30) == 0) s += 8;
        if (operation == ARM)
            data[0] = arm(sync_below(b, 2), sync_below(b, 2), sync_below(b, 0x10000), (int32_t)data[0]);
        if (s < NODES && b->reply_count[s] > 3) sync_drain(b);
        if (operation == ENQUEUE) sync_message(b, s, object, 1 + sync_below(b, 18), sync_below(b, 9) == 0);
        else {
            unsigned words = operation == COMPARE_SWAP ? 2 : 1;
            if (sync_below(b, 30) == 0) words = 1 + words % 3;
            sync_packet(b, s, operation, object, sync_below(b, 0x8000), words, data, sync_below(b, 9) == 0);
        }
        if (sync_below(b, 12) == 0)
            sync_group(b, sync_below(b, 9), 1 + sync_below(b, 3), 1 + sync_below(b, 62), sync_below(b, 4) == 0);
        if (sync_below(b, 25) == 0) {
            sync_drain(b);
            sync_read_queue(b, 2, (b->queue[2].tail - b->queue[2].head) & 8191);
            sync_host(b, sync_below(b, 2) ? ADD : FETCH_ADD, object & 3, sync_random_small(b), 0);
        }
        if (sync_below(b, 9) == 0) *b->m->answer_room = (uint8_t)sync_below(b, 256);
    }
    sync_drain(b);
    for (unsigned c = 0; c < 4; c++) counter_is(b, c);
    for (unsigned w = 0; w < 4; w++) ck_assert_uint_eq(sync_load(b, SYNC_WORD + 8 * w), b->word[w]);
    for (unsigned k = 0; k < 16; k++)
        if ((uint32_t)(sync_load(b, SYNC_MESSAGES + 8 * (k / 2)) >> 32 * (k % 2)) != b->counts[k])
            sync_complain(b, "count %u, expected %u", k, b->counts[k]);
    sync_good(b);
}

/* More unanswered operations than a source may have: the answerer drops answers, counts them, and goes on. */
TEST(a_fifth_answer_has_no_place)
{
    struct sync_bench *b = sync_bench_new(1);
    b->refuse = 1;
    uint64_t one = 1;
    for (unsigned i = 0; i < 7; i++) {
        if (i > 3) b->reply_count[1] = 3; /* the model's check is not for this */
        sync_packet(b, 1, FETCH_ADD, 0, i, 1, &one, 0);
    }
    sync_operation(b, 2, FETCH_ADD, 0, 0, 1, 0);
    sync_drain(b);
    ck_assert_uint_eq(sync_load(b, SYNC_UNEXPECTED_ANSWERS) >> 32, 3);
    ck_assert_uint_eq(sync_load(b, SYNC_WORD), 8);
    ck_assert_str_eq(b->wrong, "");
}

static void ask(struct sync_bench *b, unsigned queue, unsigned operand)
{
    *b->m->ask_valid = 1;
    *b->m->ask_queue = (uint8_t)queue;
    *b->m->ask_operand = (uint16_t)operand;
    sync_clocks(b, 1);
    *b->m->ask_valid = 0;
    sync_clocks(b, 2);
}

static void awaited(struct sync_bench *b, unsigned source, unsigned operand, uint64_t value)
{
    struct sync_write *w = &b->expected[(b->expected_first + b->expected_count) % EXPECTED];
    *w = (struct sync_write){.address = ANSWERS + 16 * (operand & 63), .words = 1, .data = {value}};
    w = &b->expected[(b->expected_first + b->expected_count + 1) % EXPECTED];
    *w = (struct sync_write){.address = ANSWERS + 16 * (operand & 63) + 8,
                             .words = 1,
                             .data = {(uint64_t)(operand >> 6 & 1) << 63 | (uint64_t)source << 56 | operand}};
    b->expected_count += 2;
    sync_packet(b, source, REPLY, 0, operand, 1, &value, 0);
}

/* Four asked operations of a queue may wait; an answer, or CLOSE, makes room; late and foreign answers do nothing. */
TEST(four_operations_wait_for_an_answer)
{
    struct sync_bench *b = sync_bench_new(1);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(*b->m->ask_full & 8, 0);
        ask(b, 3, 0x100 + i);
    }
    ck_assert_uint_eq(*b->m->ask_full, 8);
    ck_assert_uint_eq(sync_load(b, SYNC_UNANSWERED_LOW), 4 << 12);
    ck_assert_uint_eq((uint32_t)sync_load(b, SYNC_ASKED + 8 * 2), 1u << 31 | 3 << 16 | 0x102);
    awaited(b, 6, 0x102, 0xabcdef);
    sync_drain(b);
    ck_assert_uint_eq(*b->m->ask_full, 0);
    ck_assert_uint_eq(sync_load(b, SYNC_ASKED + 8 * 2), 0);
    ask(b, 3, 0x142);
    uint64_t value = 5;
    sync_packet(b, 6, REPLY, 0, 0x102, 1, &value, 0); /* twice: the tag is an old one */
    sync_packet(b, 6, REPLY, 0, 0x033, 1, &value, 0); /* never asked */
    sync_drain(b);
    ck_assert_uint_eq(*b->m->ask_full, 8);
    ck_assert_uint_eq((uint32_t)sync_load(b, SYNC_UNEXPECTED_ANSWERS), 2);
    sync_host(b, CLOSE, 1, 0, 0);
    ck_assert_uint_eq(*b->m->ask_full, 0);
    *b->m->flush = 1;
    sync_clocks(b, 80);
    ck_assert_uint_eq(*b->m->idle, 1);
    *b->m->flush = 0;
    ck_assert_uint_eq(sync_load(b, SYNC_UNANSWERED_LOW), 0);
    ck_assert_uint_eq(sync_load(b, SYNC_ASKED + 8 * 2), 0);
    uint64_t refused = 1ull << 56 | 3ull << 32 | 9;
    sync_packet(b, 4, REFUSED, 11, 0, 1, &refused, 0);
    sync_drain(b);
    sync_good(b);
}

/* Everything is in flight at RST#: afterwards everything is 0 again. */
TEST(a_hard_reset_clears_everything)
{
    struct sync_bench *b = sync_bench_new(1);
    sync_make_queue(b, 0, 4, 0, 0xff);
    for (unsigned i = 0; i < 3; i++) sync_message(b, i, 0, 5, 0);
    sync_operation(b, 2, FETCH_ADD, 8, 0, 1, 0);
    ask(b, 1, 5);
    *b->m->rst = 1;
    run_clocks(b->s, b->clk, 2);
    *b->m->rst = 0;
    run_clocks(b->s, b->clk, 1030);
    b->bus = b->closing = 0;
    for (unsigned at = 0x400; at < 0x2000; at += 8) {
        uint64_t shown = sync_load(b, at);
        if (at == SYNC_BUILD) ck_assert_uint_eq(shown, 0xc0000000u | 64 << 20 | 256 << 8 | 16);
        else ck_assert_uint_eq(shown, 0);
    }
    ck_assert_uint_eq(*b->m->busy, 0);
}
