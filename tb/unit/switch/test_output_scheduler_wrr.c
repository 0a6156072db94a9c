/* The weighted round robin output scheduler: shares in words against the weights, whatever the sizes of the packets;
 * never idle while an input waits; no savings. */
#include <math.h>
#include <string.h>

#include "output_scheduler.h"
#include "output_scheduler_wrr.h"
#include "scheduler_contract.h"
#include "test.h"
#include "wrr_16.h"
#include "wrr_2.h"

enum { LONG, SHORT, MIXED, HEAVY_SHORT, HEAVY_LONG };

static scheduler_bench *b;

/* An output port. */
static struct {
    unsigned left;     /* words of the packet in flight that are still to go */
    unsigned gaps;     /* clocks without a packet in flight although one waited */
    unsigned size[16]; /* of each input's next packet */
    unsigned weight[16];
    int sizes;
    uint64_t before[16]; /* units of each input when shares began to count */
} port;

/* Link words of the next packet of an input. */
static unsigned size_of(unsigned weight)
{
    switch (port.sizes) {
    case LONG:
        return 128;
    case SHORT:
        return 6;
    case MIXED:
        return 6 + 2 * (unsigned)sim_random_below(b->c.s, 62);
    case HEAVY_SHORT:
        return weight > 10 ? 6 : 128;
    default:
        return weight > 10 ? 128 : 6;
    }
}

/* Clocks of the port; `active` inputs always have packets. */
static void port_run(unsigned clocks, uint32_t active)
{
    for (; clocks && !b->c.complaint[0]; clocks--) {
        uint32_t arrived = 0, waiting = 0;
        for (unsigned i = 0; i < b->inputs; i++) {
            if (b->packets[i] < 3 && active >> i & 1) arrived |= 1u << i;
            if (b->packets[i]) waiting |= 1u << i;
        }
        bool take = b->choice && port.left == 0;
        unsigned units = take ? port.size[b->chosen_now] : 0;
        if (take) port.size[b->chosen_now] = size_of(port.weight[b->chosen_now]);
        port.gaps += port.left == 0 && !take && waiting;
        scheduler_step(b, arrived, port.left <= 3 && !take, units);
        port.left = take ? units : port.left ? port.left - 1 : 0;
    }
}

static void set_weights(const unsigned weight[16])
{
    for (unsigned i = 0; i < b->inputs; i++) {
        port.weight[i] = weight[i];
        port.size[i] = size_of(weight[i]);
        scheduler_weight(b, i, weight[i]);
    }
}

static void good(void *bench)
{
    ck_assert_msg(!((scheduler_bench *)bench)->c.complaint[0], "%s", ((scheduler_bench *)bench)->c.complaint);
}

static void port_new(const sim_config *config, const unsigned weight[16], int sizes)
{
    b = scheduler_bench_new(config, 0);
    after_test(good, b);
    memset(&port, 0, sizeof port);
    port.sizes = sizes;
    set_weights(weight);
}

/* The largest deviation of a share in words from the weights, in % of that share, in this many clocks. */
static double deviation(unsigned clocks, uint32_t active)
{
    double units = 0, weights = 0, worst = 0;
    memcpy(port.before, b->units, sizeof port.before);
    port_run(clocks, active);
    for (unsigned i = 0; i < b->inputs; i++)
        if (active >> i & 1)
            units += (double)(b->units[i] - port.before[i]), weights += port.weight[i] ? port.weight[i] : 1;
    for (unsigned i = 0; i < b->inputs; i++) {
        double want = units * (port.weight[i] ? port.weight[i] : 1) / weights;
        if (active >> i & 1) worst = fmax(worst, fabs((double)(b->units[i] - port.before[i]) / want - 1) * 100);
    }
    return worst;
}

static const struct {
    const sim_config *config;
    int sizes;
    unsigned weights[16];
    unsigned clocks;
} cases[] = {
    {&output_scheduler_wrr_config, LONG, {1, 1, 1, 1, 1, 1, 1, 1}, 100000},
    {&output_scheduler_wrr_config, SHORT, {1, 1, 1, 1, 1, 1, 1, 1}, 50000},
    {&output_scheduler_wrr_config, MIXED, {1, 1, 1, 1, 1, 1, 1, 1}, 200000},
    {&output_scheduler_wrr_config, MIXED, {1, 2, 3, 4, 5, 6, 7, 8}, 400000},
    {&output_scheduler_wrr_config, SHORT, {8, 7, 6, 5, 4, 3, 2, 1}, 100000},
    {&output_scheduler_wrr_config, LONG, {16, 16, 16, 16, 1, 1, 1, 1}, 700000},
    {&output_scheduler_wrr_config, HEAVY_SHORT, {16, 16, 16, 16, 1, 1, 1, 1}, 700000},
    {&output_scheduler_wrr_config, HEAVY_LONG, {16, 16, 16, 16, 1, 1, 1, 1}, 300000},
    {&output_scheduler_wrr_config, MIXED, {255, 200, 150, 100, 90, 80, 70, 60}, 400000},
    {&wrr_16_config, MIXED, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 40}, 1000000},
    {&wrr_16_config, HEAVY_SHORT, {9, 9, 9, 9, 9, 9, 9, 9, 11, 11, 11, 11, 11, 11, 11, 11}, 300000},
    {&wrr_2_config, HEAVY_SHORT, {255, 1}, 2000000},
    {&wrr_2_config, MIXED, {0, 3}, 50000},
};

TEST_CASE("shares");

TEST(shares_in_words_follow_the_weights, .to = COUNT(cases))
{
    port_new(cases[_i].config, cases[_i].weights, cases[_i].sizes);
    double worst = deviation(cases[_i].clocks, (1u << b->inputs) - 1);
    ck_assert_msg(worst <= 2, "case %d: %.2f %% off the weights", _i, worst);
    ck_assert_uint_le(port.gaps, 1); /* the first decision */
}

/* The same measurement finds that plain round robin does not look at weights, nor at sizes. */
TEST(plain_round_robin_would_not_pass)
{
    port_new(&output_scheduler_config, (unsigned[16]){1, 2, 3, 4, 5, 6, 7, 8}, LONG);
    ck_assert_double_gt(deviation(100000, 255), 100);
    port_new(&output_scheduler_config, (unsigned[16]){11, 10, 11, 10, 11, 10, 11, 10}, HEAVY_SHORT);
    ck_assert_double_gt(deviation(100000, 255), 50);
}

TEST(new_weights_count_at_once)
{
    port_new(&output_scheduler_wrr_config, (unsigned[16]){8, 7, 6, 5, 4, 3, 2, 1}, MIXED);
    port_run(100000, 255);
    set_weights((unsigned[16]){1, 1, 1, 1, 1, 1, 1, 50});
    ck_assert_double_le(deviation(1000000, 255), 2);
}

TEST_CASE("idle");

/* Some inputs have nothing for a while: the rest share by their weights; afterwards no input gets more for having been
 * idle. */
TEST(idle_inputs_neither_lose_nor_save)
{
    port_new(&output_scheduler_wrr_config, (unsigned[16]){1, 2, 3, 4, 5, 6, 7, 8}, MIXED);
    port_run(50000, 255);
    for (unsigned round = 0; round < 6; round++) {
        uint32_t active = round % 2 ? 255 : 0x5a >> round % 4 & 255;
        port_run(3000, active);
        double worst = deviation(150000, active);
        ck_assert_msg(worst <= 2, "0x%x active: %.2f %% off", active, worst);
    }
    ck_assert_uint_le(port.gaps, 1);
}

/* Inputs come and go at random, so that often only inputs in debt wait: the output is never idle. */
TEST(the_output_never_idles_while_a_packet_waits)
{
    port_new(&output_scheduler_wrr_config, (unsigned[16]){1, 1, 2, 255, 1, 9, 1, 30}, MIXED);
    unsigned waited = 0, late = 0;
    for (unsigned n = 0; n < 300000; n++) {
        uint32_t before = 0;
        for (unsigned i = 0; i < 8; i++) before |= b->packets[i] ? 1u << i : 0;
        port_run(1,
                 sim_random_below(b->c.s, 30) ? 0 : (uint32_t)sim_random(b->c.s) & (uint32_t)sim_random(b->c.s) & 255);
        waited = before && port.left == 0 && !b->choice ? waited + 1 : 0;
        late = waited > late ? waited : late;
    }
    ck_assert_uint_le(late, 1);
    ck_assert_uint_gt(b->served[0] + b->served[3], 1000);
}

/* A packet that finds the output idle is chosen one clock after its arrival, also from an input in debt. */
TEST(debt_does_not_delay_a_lone_packet)
{
    port_new(&output_scheduler_wrr_config, (unsigned[16]){1, 1, 1, 1, 1, 1, 1, 1}, LONG);
    for (unsigned n = 0; n < 50; n++) {
        scheduler_step(b, 4, true, 0);
        ck_assert(b->choice);
        ck_assert_uint_eq(b->chosen_now, 2);
        scheduler_step(b, 0, false, 128);
    }
}
