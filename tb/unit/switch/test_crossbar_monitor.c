/* The switch's monitor: every register, in both clocks; counts against a reference under random and the tightest traffic. */

#include "monitor_16.h"
#include "monitor_2.h"
#include "monitor_8.h"
#include "monitor_bench.h"
#include "monitor_none.h"
#include "test.h"

static const sim_config *const sizes[] = {&monitor_8_config, &monitor_2_config, &monitor_16_config};

/* What a register must read after reset; entries of arrays for inputs that are not built are 0. */
static uint32_t after_reset(const monitor_bench *b, const struct switch_register *r, unsigned entry)
{
    uint32_t mask = (1u << b->ports) - 1;
    if (r->offset == SWITCH_BUILD) return b->ports | (sim_model_config(b->model) == &monitor_none_config ? 0 : SWITCH_BUILD_MONITOR_MASK);
    if (r->offset == SWITCH_DOMAINS) return b->domain;
    if (r->offset == SWITCH_INPUT_ENABLE) return mask;
    if (r->offset == SWITCH_CAPACITY && b->ports == 2) return 1000;
    if (r->offset == SWITCH_DOWN_TIME && b->ports == 2) return 99;
    if (entry >= b->ports) return 0;
    if (r->offset == SWITCH_FORWARD_RANGE && sim_model_config(b->model) == &monitor_none_config) return 0;
    return r->reset;
}

static void all_read_as_after_reset(monitor_bench *b)
{
    for (unsigned n = 0; n < SWITCH_REGISTER_TABLE_COUNT; n++) {
        const struct switch_register *r = &switch_registers[n];
        for (unsigned p = 0; p < (r->offset < 0x4000 ? 1 : 16); p++)
            for (unsigned i = 0; i < r->count; i++) {
                uint32_t is = monitor_read(b, PAGE(p, r->offset) + 4 * i), must = p < b->ports ? after_reset(b, r, i) : 0;
                ck_assert_msg(is == must, "port %u: %s[%u] is 0x%x, expected 0x%x", p, r->name, i, is, must);
            }
    }
}

TEST_CASE("registers");

TEST(registers_have_their_reset_values, .to = 3)
{
    monitor_bench *b = monitor_bench_new(sizes[_i]);
    all_read_as_after_reset(b);
}

TEST(what_is_not_there_reads_0_and_takes_writes)
{
    static const unsigned nothing[] = {0x14, 0x100, 0x3ffc, 0x41d4, 0x43fc, 0x8000, 0xc000, 0xfffc};
    monitor_bench *b = monitor_bench_new(&monitor_8_config);
    for (unsigned n = 0; n < sizeof nothing / sizeof nothing[0]; n++) {
        monitor_write(b, nothing[n], 0xffffffff);
        ck_assert_uint_eq(monitor_read(b, nothing[n]), 0);
    }
    for (unsigned n = 0; n < SWITCH_REGISTER_TABLE_COUNT; n++) /* and read-only ones stay */
        if (switch_registers[n].access[0] != 'r' || switch_registers[n].access[1] != 'w')
            for (unsigned i = 0; i < switch_registers[n].count; i++) monitor_write(b, switch_registers[n].offset + 4 * i, 0xffffffff);
    all_read_as_after_reset(b);
}

TEST(settings_reach_their_port_and_no_other, .to = 4)
{
    monitor_bench *b = monitor_bench_new(_i < 3 ? sizes[_i] : &monitor_none_config);
    uint32_t all = (1u << b->ports) - 1, enable[16], inputs[16], capacity[16], node[16], weight[16][16];
    for (unsigned p = 0; p < b->ports; p++) {
        enable[p] = 1, node[p] = 0, inputs[p] = all, capacity[p] = b->ports == 2 ? 1000 : 2046;
        for (unsigned i = 0; i < 16; i++) weight[p][i] = 1;
    }
    for (unsigned n = 0; n < 300; n++) {
        unsigned p = (unsigned)sim_random_below(b->s, b->ports), i = (unsigned)sim_random_below(b->s, b->ports);
        uint32_t value = (uint32_t)sim_random(b->s);
        switch (sim_random_below(b->s, 6)) {
        case 4:
            monitor_write(b, PAGE(p, SWITCH_NODE_ID), value);
            node[p] = value & 255;
            break;
        case 0:
            monitor_write(b, PAGE(p, SWITCH_PORT_CONTROL), value);
            enable[p] = value & 1;
            break;
        case 1:
            monitor_write(b, PAGE(p, SWITCH_INPUT_ENABLE), value);
            inputs[p] = value & all;
            break;
        case 2:
            monitor_write(b, PAGE(p, SWITCH_CAPACITY), value);
            capacity[p] = value & 4095;
            break;
        case 3:
            monitor_write(b, PAGE(p, SWITCH_WEIGHT) + 4 * i, value);
            weight[p][i] = value & 255;
            break;
        default:
            monitor_write(b, SWITCH_DOWN_TIME, value);
            for (unsigned o = 0; o < b->ports; o++) ck_assert_uint_eq(sim_port_field(&b->p->port_down_time, 24 * o, 24), value & 0xffffff);
            ck_assert_uint_eq(monitor_read(b, SWITCH_DOWN_TIME), value & 0xffffff);
        }
        for (unsigned o = 0; o < b->ports; o++) {
            ck_assert_uint_eq(sim_port_field(&b->p->port_enable, o, 1), enable[o]);
            ck_assert_uint_eq(sim_port_field(&b->p->input_enable, o * b->ports, b->ports), inputs[o]);
            ck_assert_uint_eq(sim_port_field(&b->p->port_capacity, 12 * o, 12), capacity[o]);
            ck_assert_uint_eq(sim_port_field(&b->p->port_node, 8 * o, 8), node[o]);
            for (unsigned k = 0; k < b->ports; k++)
                ck_assert_uint_eq(sim_port_field(&b->p->weight, 8 * (o * b->ports + k), 8), weight[o][k]);
        }
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_PORT_CONTROL)), enable[p]);
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_INPUT_ENABLE)), inputs[p]);
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_CAPACITY)), capacity[p]);
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_NODE_ID)), node[p]);
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_WEIGHT) + 4 * i), weight[p][i]);
    }
}

TEST(status_and_view_are_those_of_the_port)
{
    monitor_bench *b = monitor_bench_new(&monitor_8_config);
    for (unsigned p = 0; p < 8; p++) {
        sim_port_set_field(&b->p->port_status, 8 * p, 8, 0x0f ^ p);
        sim_port_set_field(&b->p->port_view, 24 * p, 24, 0x123456 * (p + 1));
    }
    for (unsigned p = 0; p < 8; p++) {
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_PORT_STATUS)), 0x0f ^ p);
        ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_PORT_VIEW)), 0x123456 * (p + 1) & 0xffffff);
    }
}

TEST(an_access_takes_few_clocks)
{
    monitor_bench *b = monitor_bench_new(&monitor_8_config);
    monitor_read(b, SWITCH_VERSION);
    ck_assert_uint_le(b->access_clocks, 8);
    monitor_read(b, PAGE(1, SWITCH_FLOW_WORDS));
    ck_assert_uint_le(b->access_clocks, 10);
    monitor_read(b, PAGE(5, SWITCH_FLOW_WORDS));
    ck_assert_uint_le(b->access_clocks, 60);
}

static void traffic(monitor_bench *b, unsigned clocks)
{
    b->stopped = false;
    monitor_run(b, clocks);
    monitor_compare(b);
}

TEST_CASE("counts");

TEST(counts_follow_random_traffic, .to = 6)
{
    monitor_bench *b = monitor_bench_new(sizes[_i % 3]);
    b->load = _i / 3 ? 3 : 40;
    b->drained = 10;
    b->events = true;
    traffic(b, 5000);
    traffic(b, 20000);
}

/* The smallest packets leave back to back, some are drained in 5 clocks; the counters are read meanwhile. */
TEST(counts_survive_the_tightest_traffic, .to = 3)
{
    monitor_bench *b = monitor_bench_new(sizes[_i]);
    b->load = 200;
    b->drained = 40;
    b->tight = b->events = true;
    b->stopped = false;
    for (unsigned n = 0; n < 1000; n++) {
        unsigned o = (unsigned)sim_random_below(b->s, b->ports), i = (unsigned)sim_random_below(b->s, b->ports);
        uint32_t before = b->flow[o][i].packets, is = monitor_read(b, PAGE(o, SWITCH_FLOW_PACKETS) + 4 * i);
        ck_assert_msg(is + 2 >= before && is <= b->flow[o][i].packets, "FLOW_PACKETS is %u, was %u, became %u", is, before,
                      b->flow[o][i].packets);
    }
    monitor_compare(b);
    ck_assert_uint_gt(b->flow[0][0].packets, 50);
}

TEST(clear_sets_everything_to_0, .to = 3)
{
    monitor_bench *b = monitor_bench_new(sizes[_i]);
    b->load = 40;
    b->drained = 10;
    b->events = true;
    for (unsigned round = 0; round < 3; round++) {
        traffic(b, 4000);
        monitor_write(b, SWITCH_CLEAR, 0);
        ck_assert_uint_eq(monitor_read(b, SWITCH_CLEAR), 0);
        monitor_cleared(b);
        monitor_compare(b);
    }
    traffic(b, 4000);
}

/* Hand-worked: input 3 has packets in output 6's crosspoint that leave 20, 48, and 70000 clocks after they came; 5 clocks are added in any
 * case, and 2 because 3 is in the other clock; then the same for input 4, which is not. */
TEST(forwarding_time_by_hand, .to = 2)
{
    monitor_bench *b = monitor_bench_new(&monitor_8_config);
    const unsigned o = 6, i = _i ? 4 : 3, added = _i ? 5 : 7;
#define PULSE(wire, lsb, value)                                                                                                            \
    (sim_run(b->s, sim_now(b->s) + 1), sim_port_set_field(&b->p->wire, lsb, 1, 1), monitor_run(b, 1),                                      \
     sim_port_set_field(&b->p->wire, lsb, 1, 0))
    sim_clock_detach(b->clk[1], b);
    sim_port_set_field(&b->p->out_input, 3 * o, 3, i);
    sim_port_set_field(&b->p->out_units, 10 * o, 10, 24);
    for (unsigned n = 0; n < 2; n++) {
        PULSE(arrived, o * 8 + i, 1);
        monitor_run(b, 9);
    }
    PULSE(out_start, o, 1); /* 20 clocks after the first arrival */
    monitor_run(b, 37);
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FORWARD_LAST) + 4 * i), 20 + added);
    PULSE(out_start, o, 1); /* not measured: it came while the first was */
    monitor_run(b, 37);
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FORWARD_LAST) + 4 * i), 20 + added);
    PULSE(arrived, o * 8 + i, 1);
    monitor_run(b, 47);
    PULSE(out_start, o, 1);
    monitor_run(b, 37);
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FORWARD_LAST) + 4 * i), 48 + added);
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FORWARD_RANGE) + 4 * i), (48 + added) << 16 | (20 + added));
    PULSE(arrived, o * 8 + i, 1);
    monitor_run(b, 70000);
    PULSE(out_start, o, 1);
    monitor_run(b, 37);
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FORWARD_RANGE) + 4 * i), 0xffffu << 16 | (20 + added));
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FLOW_PACKETS) + 4 * i), 4);
    ck_assert_uint_eq(monitor_read(b, PAGE(o, SWITCH_FLOW_WORDS) + 4 * i), 96);
}

TEST(each_event_counts_in_its_place)
{
    monitor_bench *b = monitor_bench_new(&monitor_8_config);
    sim_clock_detach(b->clk[0], b);
    sim_clock_detach(b->clk[1], b);
    for (unsigned p = 0; p < 4; p++)
        for (unsigned e = 0; e < 16; e++) {
            sim_port_set_field(&b->p->port_events, 16 * p + e, 1, 1);
            monitor_run(b, 10 * p + e + 1);
            sim_port_set_field(&b->p->port_events, 16 * p + e, 1, 0);
        }
    monitor_run(b, 40);
    for (unsigned p = 0; p < 8; p++)
        for (unsigned e = 0; e < 16; e++)
            ck_assert_uint_eq(monitor_read(b, PAGE(p, SWITCH_HEADER_ERRORS) + 4 * e), p < 4 ? 10 * p + e + 1 : 0);
    sim_port_set_field(&b->p->port_events, 16, 16, 0xffff); /* all of them in every clock */
    monitor_run(b, 1000);
    sim_port_set_field(&b->p->port_events, 16, 16, 0);
    monitor_run(b, 40);
    for (unsigned e = 0; e < 16; e++) ck_assert_uint_eq(monitor_read(b, PAGE(1, SWITCH_HEADER_ERRORS) + 4 * e), 11 + e + 1000);
}

TEST(without_counters_they_read_0)
{
    monitor_bench *b = monitor_bench_new(&monitor_none_config);
    b->load = 40;
    b->events = true;
    b->stopped = false;
    monitor_run(b, 3000);
    b->stopped = true;
    all_read_as_after_reset(b);
}
