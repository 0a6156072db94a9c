/* The credit scheduler that ships: its latency, its words by hand, its order. The contract is checked in
 * tb/contract/credit_scheduler. */

#include "credit_contract.h"
#include "credit_scheduler.h"
#include "test.h"

static credit_bench *b;

static void setup(void)
{
    b = credit_bench_new(&credit_scheduler_config, 0);
    credit_idle(b, 40);
}

static void teardown(void) { ck_assert_msg(!b->c.complaint[0], "%s", b->c.complaint); }

static uint32_t word(void) { return (uint32_t)sim_port_get(&b->p->word); }
static bool request(void) { return sim_port_get(&b->p->request); }

static void store(unsigned lane, unsigned units)
{
    credit_step(b, &(credit_clock){.stored = true, .lane = lane, .amount = units});
}

static void depart(uint32_t lanes, unsigned units)
{
    credit_clock c = {.departed = lanes};
    for (unsigned i = 0; i < 8; i++) c.units[i] = units;
    credit_step(b, &c);
}

static void pass(unsigned clocks)
{
    while (clocks--) credit_step(b, &(credit_clock){0});
}

TEST_CASE("credits", .setup = setup, .teardown = teardown);

/* One credit: bit 15, parity, lane, bits [11:5] of the count. */
TEST(words_by_hand)
{
    ck_assert(!request());
    store(3, 128);
    depart(1 << 3, 128);
    pass(4);
    ck_assert(request());
    ck_assert_uint_eq(word(), 0xc184c184); /* 1, parity 1, 0000011, 0000100: alone, twice */
    store(6, 1000);
    depart(1 << 6, 1000);
    pass(4);
    ck_assert_uint_eq(word(), 0xc184c31f); /* the other place: 1, 1, 0000110, 0011111: seven ones */
    credit_step(b, &(credit_clock){.take = true});
    pass(10);
    ck_assert(!request());
}

TEST(a_departure_asks_for_a_word_two_clocks_later)
{
    for (unsigned lane = 0; lane < 8; lane++) {
        store(lane, 64);
        depart(1u << lane, 64);
        ck_assert(!request());
        pass(1);
        ck_assert(request());
        ck_assert_uint_eq(word() >> 23 & 127, lane);
        ck_assert_uint_eq(word() >> 16 & 127, 2);
        credit_step(b, &(credit_clock){.take = true});
        pass(3);
        ck_assert(!request());
    }
}

/* Fewer than 32 units do not show in a credit; together with the next ones they do. */
TEST(small_departures_wait_until_they_add_up)
{
    for (unsigned n = 0; n < 5; n++) {
        store(2, 6);
        depart(1 << 2, 6);
        pass(10);
        ck_assert(!request());
    }
    store(2, 6);
    depart(1 << 2, 6); /* 36 */
    pass(2);
    ck_assert(request());
    credit_step(b, &(credit_clock){.take = true});
}

/* A word that waits follows the counts: at most three clocks behind a departure. */
TEST(a_word_that_waits_is_kept_fresh)
{
    store(1, 300);
    store(4, 300);
    depart(1 << 1 | 1 << 4, 32);
    pass(6);
    for (unsigned n = 2; n < 9; n++) {
        depart(1 << 1 | 1 << 4, 32);
        pass(2);
        ck_assert_uint_eq(word() >> 16 & 127, n);
        ck_assert_uint_eq(word() & 127, n);
        ck_assert_uint_eq(word() >> 23 & 127, 1);
        ck_assert_uint_eq(word() >> 7 & 127, 4);
    }
    credit_step(b, &(credit_clock){.take = true});
    pass(4);
    ck_assert(!request());
}

TEST(modified_lanes_go_in_cyclic_order)
{
    static const unsigned order[] = {2, 5, 6, 0};
    store(2, 64); /* the last one sent is 2 */
    depart(1 << 2, 64);
    pass(3);
    credit_step(b, &(credit_clock){.take = true});
    for (unsigned i = 0; i < 4; i++) store(order[i], 64);
    depart(1 << 0 | 1 << 2 | 1 << 5 | 1 << 6, 64);
    pass(3);
    ck_assert_uint_eq(word() >> 23 & 127, 5);
    ck_assert_uint_eq(word() >> 7 & 127, 6);
    credit_step(b, &(credit_clock){.take = true});
    pass(3);
    ck_assert_uint_eq(word() >> 23 & 127, 0);
    ck_assert_uint_eq(word() >> 7 & 127, 2);
    credit_step(b, &(credit_clock){.take = true});
}
