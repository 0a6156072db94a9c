/* The round robin output scheduler: its order, its latency, its shares. The contract is checked in tb/contract. */

#include "output_scheduler.h"
#include "scheduler_contract.h"
#include "test.h"

#define INPUTS 8u

static scheduler_bench *b;

static void setup(void) { b = scheduler_bench_new(&output_scheduler_config, 0); }

static void teardown(void) { ck_assert_msg(!b->c.complaint[0], "%s", b->c.complaint); }

/* The first of `mask` after `last`, counting on from it. */
static unsigned next_of(uint32_t mask, unsigned last)
{
    for (unsigned step = 1; step <= INPUTS; step++)
        if (mask >> (last + step) % INPUTS & 1) return (last + step) % INPUTS;
    return last;
}

TEST_CASE("round robin", .setup = setup, .teardown = teardown);

TEST(the_choice_is_the_next_in_cyclic_order)
{
    unsigned last = 0, choices = 0;
    for (unsigned n = 0; n < 30000; n++) {
        uint32_t arrived = 0, eligible = 0;
        for (unsigned i = 0; i < INPUTS; i++)
            if (b->packets[i] < 20 && sim_random_below(b->c.s, 40) == 0) arrived |= 1u << i;
        if (sim_random_below(b->c.s, 100) == 0) scheduler_enable(b, (uint32_t)sim_random(b->c.s) & 255);
        for (unsigned i = 0; i < INPUTS; i++)
            if ((b->packets[i] || arrived >> i & 1) && b->enabled >> i & 1) eligible |= 1u << i;
        bool choose = sim_random_below(b->c.s, 2), before = b->choice;
        scheduler_step(b, arrived, choose, sim_random_below(b->c.s, 4) ? 0 : 6);
        if (!before && choose && eligible) {
            ck_assert_msg(b->choice, "no choice in the clock after 0x%x could be chosen", eligible);
            ck_assert_uint_eq(b->chosen_now, next_of(eligible, last));
            last = b->chosen_now;
            choices++;
        } else {
            ck_assert_int_eq(b->choice, before && !b->was_taken);
        }
    }
    ck_assert_uint_gt(choices, 3000);
}

TEST(the_decision_takes_one_clock)
{
    for (unsigned i = 0; i < INPUTS; i++) {
        for (unsigned n = 0; n < 5; n++) scheduler_step(b, 0, true, 0);
        ck_assert(!b->choice);
        scheduler_step(b, 1u << i, true, 0);
        ck_assert(b->choice);
        ck_assert_uint_eq(b->chosen_now, i);
        scheduler_step(b, 0, true, 6);
    }
}

TEST(saturated_inputs_get_the_same_number_of_packets)
{
    unsigned left = 0, gaps = 0;
    for (unsigned n = 0; n < 78125; n++) { /* 1 ms */
        uint32_t arrived = 0;
        for (unsigned i = 0; i < INPUTS; i++)
            if (b->packets[i] < 4) arrived |= 1u << i;
        bool take = b->choice && left == 0;
        gaps += n > 10 && left == 0 && !take;
        unsigned units = 6 + 2 * (unsigned)sim_random_below(b->c.s, 62);
        scheduler_step(b, arrived, left <= 3 && !take, take ? units : 0);
        left = take ? units : left ? left - 1 : 0;
    }
    unsigned least = b->served[0], most = b->served[0];
    for (unsigned i = 1; i < INPUTS; i++) {
        least = b->served[i] < least ? b->served[i] : least;
        most = b->served[i] > most ? b->served[i] : most;
    }
    ck_assert_uint_gt(least, 50);
    ck_assert_uint_le(most - least, 1);
    ck_assert_uint_eq(gaps, 0);
}
