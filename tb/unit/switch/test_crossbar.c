/*
 * The whole switch between NICs in C: every packet exactly once, in order per flow, data and CRCs right, header
 * rebuilt, credits never exceeded and all returned, whatever the clocks' frequencies and phases.
 */
#include <stdio.h>
#include <stdlib.h>

#include "crossbar2.h"
#include "crossbar8.h"
#include "crossbar_4.h"
#include "crossbar_5_long.h"
#include "simulation.h"
#include "switch_bench.h"
#include "test.h"

static struct switch_bench *b;

static unsigned random_length(void)
{
    unsigned kind = (unsigned)sim_random_below(b->s, 4);

    return kind == 0  ? b->setup.longest
           : kind < 3 ? 1 + (unsigned)sim_random_below(b->s, 6)
                      : 1 + (unsigned)sim_random_below(b->s, b->setup.longest);
}

/* Each NIC queues `count` packets for random destinations. */
static void queue_uniform(unsigned count)
{
    for (unsigned p = 0; p < b->setup.ports; p++)
        for (unsigned i = 0; i < count; i++)
            nic_send(b->group.nic[p], (unsigned)sim_random_below(b->s, b->setup.ports), random_length());
}

static const struct switch_setup setups[] = {
    {&crossbar2_config, 2, 100, -100, -1, .jitter = 0},
    {&crossbar2_config, 2, -100, 100, 0, .jitter = 300},
    {&crossbar_4_config, 4, 100, -100, -1, .jitter = 300},
    {&crossbar_4_config, 4, -100, 100, -1, .jitter = 0},
    {&crossbar8_config, 8, 100, -100, -1, .jitter = 0},
    {&crossbar8_config, 8, 0, 0, 6400, .jitter = 0},
    {&crossbar_5_long_config, 5, 100, -100, -1, .jitter = 200, .domain = 0x0a, .longest = 64},
    {&crossbar_5_long_config, 5, -100, 100, 0, .jitter = 0, .domain = 0x0a},
};

TEST_CASE("traffic", .timeout = 600);

TEST(random_traffic_arrives_once_in_order_and_intact, .to = COUNT(setups))
{
    const struct switch_setup *setup = &setups[_i];

    b = switch_bench_new(setup);
    for (unsigned p = 0; p < setup->ports; p++) b->group.nic[p]->corrections = 20;
    for (int round = 0; round < 3; round++) {
        for (unsigned p = 0; p < setup->ports; p++) {
            b->group.nic[p]->pop_percent = (int[]){100, 60, 30}[(round + p) % 3];
            b->group.nic[p]->back_to_back = (round + p) % 2;
        }
        queue_uniform(150);
        switch_bench_run(b, 6000);
    }
    for (unsigned p = 0; p < setup->ports; p++) b->group.nic[p]->pop_percent = 100, b->group.nic[p]->back_to_back = 1;
    switch_bench_drain(b);
    ck_assert_uint_eq(switch_bench_good(b), 450 * setup->ports);
}

/* Keeps packets of `length` (0: random) waiting at every sender, more than leave in `clocks`; destinations by
 * `pattern`. */
enum pattern { TO_ONE, TO_ITSELF, PERMUTATION, ROUND };

static void keep_queued(unsigned senders, enum pattern pattern, unsigned length, unsigned clocks)
{
    static unsigned turn;
    unsigned ports = b->setup.ports, most = length ? 8 + clocks / (2 * length + 6) : 80;

    for (unsigned p = 0; p < senders; p++)
        while (nic_waiting(b->group.nic[p]) < most) {
            unsigned to = pattern == TO_ONE        ? ports - 1
                          : pattern == TO_ITSELF   ? p
                          : pattern == PERMUTATION ? (p + 1) % ports
                                                   : turn++ % ports;
            nic_send(b->group.nic[p], to, length ? length : random_length());
        }
}

static void run_saturated(unsigned senders, enum pattern pattern, unsigned length, unsigned clocks)
{
    enum { STEP = 500 };
    for (unsigned done = 0; done < clocks; done += STEP) {
        keep_queued(senders, pattern, length, STEP);
        switch_bench_run(b, STEP);
    }
}

/* Idle words on the lines of ports first..last while everybody sends: none but those for clock correction. */
static void saturated_lines_have_no_gaps(unsigned senders, enum pattern pattern, unsigned length, unsigned first,
                                         unsigned last)
{
    uint64_t idle[NICS_MAX];
    enum { CLOCKS = 5000 };

    run_saturated(senders, pattern, length, 1500);
    for (unsigned p = first; p <= last; p++) idle[p] = b->group.nic[p]->idle_words_in;
    run_saturated(senders, pattern, length, CLOCKS);
    for (unsigned p = first; p <= last; p++) {
        idle[p] = b->group.nic[p]->idle_words_in - idle[p];
        ck_assert_msg(idle[p] <= CLOCKS / 1024 + 2, "length %u, pattern %d: %u idle words at port %u", length,
                      (int)pattern, (unsigned)idle[p], p);
    }
}

TEST(several_inputs_fill_one_output_without_a_gap, .to = COUNT(setups))
{
    unsigned lengths[] = {1, 2, 3, 7, 31, setups[_i].longest ? setups[_i].longest : LONGEST_WORDS, 0};

    b = switch_bench_new(&setups[_i]);
    for (int i = 0; i < COUNT(lengths); i++) {
        saturated_lines_have_no_gaps(b->setup.ports, TO_ONE, lengths[i], b->setup.ports - 1, b->setup.ports - 1);
        switch_bench_drain(b);
    }
}

/* 7 inputs to one output for 1 ms: are each one's packets within 1 % of a seventh? The choice between them goes in
 * turn, so whatever their sizes they differ by one packet at either end of the window. */
static int shares_are_equal(unsigned length)
{
    uint64_t packets[NICS_MAX], sum = 0;
    enum { SENDERS = 7, CLOCKS = 78125 };
    struct nic_side *to = b->group.nic[SENDERS];
    int equal = 1;

    run_saturated(SENDERS, TO_ONE, length, 4000);
    for (unsigned p = 0; p < SENDERS; p++) packets[p] = to->in[p].good;
    run_saturated(SENDERS, TO_ONE, length, CLOCKS);
    for (unsigned p = 0; p < SENDERS; p++) sum += packets[p] = to->in[p].good - packets[p];
    for (unsigned p = 0; p < SENDERS; p++) {
        uint64_t share = packets[p] * SENDERS * 100; /* of sum: 100 % */
        if (share < 99 * sum || share > 101 * sum) equal = 0;
    }
    return equal;
}

TEST(saturated_inputs_get_equal_shares)
{
    static const unsigned lengths[] = {0, 1,
                                       30}; /* any mix; one word; of 62 words 1 % of a share is less than a packet */

    b = switch_bench_new(&setups[4]);
    for (int i = 0; i < COUNT(lengths); i++) {
        ck_assert_msg(shares_are_equal(lengths[i]), "length %u: shares are not equal to 1 %%", lengths[i]);
        switch_bench_drain(b);
    }
}

/* Each input has the link to itself; a packet of 62 words in 129 clocks, and a credit word with it in the other
 * direction's service. */
TEST(all_outputs_at_once_run_at_line_rate, .to = COUNT(setups))
{
    b = switch_bench_new(&setups[_i]);
    for (unsigned pattern = TO_ITSELF; pattern <= ROUND; pattern++) {
        enum { CLOCKS = 8000 };
        run_saturated(b->setup.ports, pattern, b->setup.longest, 2000);
        uint64_t before = switch_bench_good(b);
        run_saturated(b->setup.ports, pattern, b->setup.longest, CLOCKS);
        uint64_t packets = switch_bench_good(b) - before, most = CLOCKS * b->setup.ports / (2 * b->setup.longest + 6);
        ck_assert_msg(packets >= most * 97 / 100, "pattern %u: %u packets of %u", pattern, (unsigned)packets,
                      (unsigned)most);
        switch_bench_drain(b);
    }
}

/* An output whose NIC takes nothing holds up the packets for it only; nothing is dropped, and all of it comes when the
 * NIC reads again. */
TEST(a_full_column_holds_up_nobody_else, .to = COUNT(setups))
{
    b = switch_bench_new(&setups[_i]);
    unsigned ports = b->setup.ports, stopped = ports / 2;

    b->group.nic[stopped]->pop_percent = 0;
    for (unsigned p = 0; p < ports; p++)
        for (unsigned i = 0; i < 124; i++) nic_send(b->group.nic[p], stopped, 1 + i % 62);
    switch_bench_run(b, 10000);
    for (unsigned p = 0; p < ports;
         p++) { /* crosspoints and NIC are full to within a packet and the resolution of credits */
        unsigned in_switch =
            (unsigned)(b->group.nic[p]->out[stopped].transmitted - b->group.nic[p]->out[stopped].credit) & UNITS_MASK;
        ck_assert_uint_gt(in_switch, CROSSPOINT_UNITS - 128 - 32);
    }
    ck_assert_uint_gt(b->group.nic[stopped]->most_occupied, NIC_UNITS - 128 - 32);
    uint64_t before = switch_bench_good(b);
    for (unsigned p = 0; p < ports; p++)
        for (unsigned i = 0; i < 40; i++) nic_send(b->group.nic[p], (stopped + 1 + i % (ports - 1)) % ports, 62);
    switch_bench_run(b, 40 * 140 * 2);
    ck_assert_uint_eq(switch_bench_good(b) - before, 40 * ports);
    b->group.nic[stopped]->pop_percent = 100;
    switch_bench_drain(b);
    ck_assert_uint_eq(switch_bench_good(b), 164 * ports);
}
