/* The registers of the switch in the whole crossbar: counters compared with observations of NICs in C, and effects of
 * settings. */
#include <math.h>
#include <stdlib.h>

#include "crossbar_4.h"
#include "crossbar_4_wrr.h"
#include "switch_bench.h"
#include "sx.h"
#include "test.h"

#define PORTS 4u

static struct switch_bench *b;
static sx_switch sw;
static struct sx_platform platform;

static int read32(void *self, unsigned offset, uint32_t *value)
{
    return *value = switch_bench_read(self, 0, offset), 0;
}
static int write32(void *self, unsigned offset, uint32_t value)
{
    return switch_bench_write(self, 0, offset, value), 0;
}

#define good(call) ck_assert_msg((call) == 0, "%s", sw.error)

static void start(const sim_config *model, double ppm_b)
{
    b = switch_bench_new(&(struct switch_setup){.model = model, .ports = PORTS, .ppm_b = ppm_b, .phase_b = -1});
    platform = (struct sx_platform){b, read32, write32};
    good(sx_open(&sw, &platform));
    ck_assert_uint_eq(sw.ports, PORTS);
    ck_assert_uint_eq(sw.clock_b, 0xc);
}

static unsigned random_length(void) { return 1 + (unsigned)sim_random_below(b->s, sim_random_below(b->s, 2) ? 6 : 62); }

TEST_CASE("registers");

TEST(flows_count_what_has_arrived, .to = 2)
{
    uint32_t packets[PORTS][PORTS] = {{0}}, words[PORTS][PORTS] = {{0}};
    start(&crossbar_4_config, _i ? -100 : 130);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned n = 0; n < 600; n++) {
            unsigned from = (unsigned)sim_random_below(b->s, PORTS), to = (unsigned)sim_random_below(b->s, PORTS),
                     length = random_length();
            nic_send(b->group.nic[from], to, length);
            packets[to][from]++;
            words[to][from] += 2 * length + 4;
        }
        for (unsigned p = 0; p < PORTS; p++) b->group.nic[p]->pop_percent = round == 1 ? 40 : 100;
        switch_bench_drain(b);
        for (unsigned o = 0; o < PORTS; o++) {
            sx_port port;
            good(sx_port_get(&sw, o, &port));
            ck_assert(port.enabled && port.sync && !port.down && !port.draining && port.credits);
            ck_assert_uint_eq(port.transmitted, b->group.nic[o]->received);
            for (unsigned e = 0; e < SX_EVENTS; e++) /* nothing but check records, four lanes each */
                if (e != 7 && e != 15)
                    ck_assert_msg(!port.event[e], "port %u: %u %s", o, port.event[e], sx_event_name(e));
            ck_assert_uint_gt(port.event[7], 4);
            for (unsigned i = 0; i < PORTS; i++) {
                sx_flow f;
                good(sx_flow_get(&sw, o, i, &f));
                ck_assert_uint_eq(f.packets, packets[o][i]);
                ck_assert_uint_eq(f.words, words[o][i]);
                ck_assert_uint_eq(f.occupancy, 0);
                ck_assert_uint_gt(f.occupancy_most, 0);
                ck_assert_uint_le(f.occupancy_most, 511);
                ck_assert(f.measured && f.time_least >= 6 && f.time_last <= f.time_most);
            }
        }
    }
}

/* Single packets through an idle switch at all phases; the bench takes the time on the pins, in picoseconds. */
TEST(forwarding_times_are_those_on_the_pins)
{
    double off = 0;
    start(&crossbar_4_config, 2000);
    for (unsigned n = 0; n < 400; n++) {
        unsigned from = n % PORTS, to = n / PORTS % PORTS;
        b->measured = 0;
        nic_send(b->group.nic[from], to, 1 + n % 3);
        switch_bench_run(b, 150 + (unsigned)sim_random_below(b->s, 50));
        if (b->measured != 1) continue;
        sx_flow f;
        good(sx_flow_get(&sw, to, from, &f));
        double on_pins = (double)b->longest / SWITCH_PERIOD, error = f.time_last - on_pins;
        if (switch_domain(b, from) == switch_domain(b, to))
            ck_assert_msg(fabs(error) < 0.1, "%u to %u: register %u, pins %.2f", from, to, f.time_last, on_pins);
        else
            ck_assert_msg(error > -0.1 && error < 1.1, "%u to %u: register %u, pins %.2f", from, to, f.time_last,
                          on_pins);
        off = fmax(off, error);
    }
    ck_assert_double_gt(off, 0.5); /* phases have gone round */
}

/* A stopped receiver: its column fills, the registers say how far. */
TEST(occupancy_is_what_waits)
{
    start(&crossbar_4_config, 50);
    b->group.nic[1]->pop_percent = 0;
    for (unsigned n = 0; n < 60; n++)
        for (unsigned i = 0; i < PORTS; i++) nic_send(b->group.nic[i], 1, 62);
    switch_bench_run(b, 20000);
    for (unsigned i = 0; i < PORTS; i++) {
        sx_flow f;
        good(sx_flow_get(&sw, 1, i, &f));
        unsigned sent = b->group.nic[i]->out[1].sent, left = b->group.nic[1]->in[i].expected;
        ck_assert_uint_eq(f.occupancy, (sent - left) * 127);
        ck_assert_uint_eq(f.packets, left);
        ck_assert_uint_ge(f.occupancy_most, f.occupancy);
    }
    b->group.nic[1]->pop_percent = 100;
    switch_bench_drain(b);
}

TEST(an_output_serves_the_inputs_it_may)
{
    start(&crossbar_4_config, 50);
    good(sx_inputs_set(&sw, 3, 0xb)); /* not input 2 */
    for (unsigned n = 0; n < 3; n++)
        for (unsigned i = 0; i < PORTS; i++) nic_send(b->group.nic[i], 3, 20);
    switch_bench_run(b, 5000);
    for (unsigned i = 0; i < PORTS; i++) ck_assert_uint_eq(b->group.nic[3]->in[i].good, i == 2 ? 0 : 3);
    sx_flow f;
    good(sx_flow_get(&sw, 3, 2, &f));
    ck_assert_uint_eq(f.occupancy, 3 * 43);
    good(sx_inputs_set(&sw, 3, 0xf));
    switch_bench_drain(b);
    ck_assert_uint_eq(b->group.nic[3]->in[2].good, 3);
}

/* A port that is down drains its whole column, also the packets of an input that it does not serve: their senders get
 * the credit back. */
TEST(a_port_that_is_down_drains_inputs_that_it_does_not_serve)
{
    sx_port port;
    sx_flow f;
    start(&crossbar_4_config, 50);
    b->group.losses_allowed = 1;
    good(sx_inputs_set(&sw, 3, 0xb)); /* not input 2 */
    for (unsigned n = 0; n < 3; n++) nic_send(b->group.nic[2], 3, 20);
    switch_bench_run(b, 2000);
    good(sx_enable_set(&sw, 3, 0));
    switch_bench_run(b, 2000);
    good(sx_port_get(&sw, 3, &port));
    good(sx_flow_get(&sw, 3, 2, &f));
    ck_assert(port.down && !port.draining);
    ck_assert_uint_eq(f.occupancy, 0);
    good(sx_enable_set(&sw, 3, 1));
    good(sx_inputs_set(&sw, 3, 0xf));
    nic_send(b->group.nic[2], 3, 20);
    switch_bench_drain(b);
}

static uint64_t taken[PORTS];
static void count_units(void *self, unsigned from, unsigned to, uint32_t number, unsigned length)
{
    (void)self, (void)to, (void)number;
    taken[from] += 2 * length + 4;
}

/* Four saturated inputs to one output of either clock, weights through the register port; heavy ones send short packets
 * and light ones long, or the other way round, or any. */
static const struct {
    unsigned output, weight[PORTS], heavy, light; /* lengths; 0: random */
} cases[] = {
    {0, {1, 2, 4, 8}, 1, 62},
    {3, {20, 3, 3, 7}, 62, 1},
    {3, {5, 5, 5, 5}, 1, 62},
    {1, {9, 1, 3, 6}, 0, 0},
};

TEST_CASE("weights");

TEST(shares_in_words_follow_the_weights, .to = 4)
{
    enum { CLOCKS = 150000 };
    unsigned output = cases[_i].output, sum = 0;
    uint64_t before[PORTS] = {0}, all = 0;
    start(&crossbar_4_wrr_config, 80);
    b->group.delivered = count_units;
    for (unsigned i = 0; i < PORTS; i++)
        good(sx_weight_set(&sw, output, i, cases[_i].weight[i])), sum += cases[_i].weight[i];
    for (unsigned done = 0; done < CLOCKS + 5000; done += 500) {
        for (unsigned i = 0; i < PORTS; i++)
            while (nic_waiting(b->group.nic[i]) < 150) {
                unsigned length =
                    4 * cases[_i].weight[i] > sum || (_i == 2 && i < 2) ? cases[_i].heavy : cases[_i].light;
                nic_send(b->group.nic[i], output, length ? length : random_length());
            }
        if (done == 5000)
            for (unsigned i = 0; i < PORTS; i++) before[i] = taken[i];
        switch_bench_run(b, 500);
    }
    for (unsigned i = 0; i < PORTS; i++) all += taken[i] - before[i];
    for (unsigned i = 0; i < PORTS; i++) {
        double share = (double)(taken[i] - before[i]) / (double)all, want = (double)cases[_i].weight[i] / sum;
        ck_assert_msg(fabs(share / want - 1) < 0.02, "input %u: %.4f of the words, expected %.4f", i, share, want);
    }
}
