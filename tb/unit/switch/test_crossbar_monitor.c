/* The switch's monitor alone, between two clocks: every register, in both clocks; counts against a reference under
 * random and the tightest traffic. Crosspoints and output ports are played in C, with the expected registers. */
#include <stdbool.h>
#include <string.h>

#include "monitor_16.h"
#include "monitor_2.h"
#include "monitor_8.h"
#include "monitor_none.h"
#include "simulation.h"
#include "switch_register_map.h"
#include "test.h"

#define MONITOR_PORTS 16
#define MONITOR_DEPTH 128 /* packets that may wait in a crosspoint, a power of 2 */

/* Expected registers of one flow. */
typedef struct {
    uint32_t words, packets;
    uint32_t last, shortest, longest; /* shortest > longest: none measured */
    unsigned most;
} flow_counts;

/* A crosspoint as its output sees it. */
typedef struct {
    unsigned occupancy, left;        /* left: words of the packet that has just left */
    unsigned waiting, first;         /* packets, index of the oldest in the ring */
    uint64_t arrival[MONITOR_DEPTH]; /* clock of each */
    unsigned units[MONITOR_DEPTH];
    uint64_t arrivals, departures; /* packets so far */
    bool measuring;
    uint64_t measured; /* the number of the packet under measurement */
} crosspoint_model;

typedef struct {
    sim *s;
    sim_clock *clk[2];
    unsigned ports, domain, offset; /* domain: mask of ports on clk[1] */
    sim_model *model;
    const monitor_8_ports *p;

    /* traffic */
    unsigned load;    /* arrivals per 1000 clocks and crosspoint; 0 = none */
    unsigned drained; /* of 100 packets that leave */
    bool tight;       /* packets leave as close to each other as is allowed, the smallest ones */
    bool events;      /* events of ports at random; else none */
    crosspoint_model point[MONITOR_PORTS][MONITOR_PORTS]; /* [output][input] */
    flow_counts flow[MONITOR_PORTS][MONITOR_PORTS];
    uint32_t event[MONITOR_PORTS][16];
    unsigned pause[MONITOR_PORTS]; /* clocks until output o may start again */
    uint64_t clock[2];
    unsigned access_clocks; /* of the last access */
    bool stopped;           /* the reference is not updated and nothing is driven */
} monitor_bench;
static monitor_bench *b;

#define PERIOD (12800)

static unsigned below(unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static unsigned log2_ports(void) { return b->p->out_input.bits / b->ports; }

/* The reference after a write to CLEAR (traffic must be stopped). */
static void cleared(void)
{
    for (unsigned o = 0; o < MONITOR_PORTS; o++) {
        for (unsigned i = 0; i < MONITOR_PORTS; i++) b->flow[o][i] = (flow_counts){.shortest = 0xffff};
        memset(b->event[o], 0, sizeof b->event[o]);
    }
}

/* Packets that arrive at the crosspoints of one output in this clock. */
static void arrive(unsigned o, uint64_t now)
{
    uint32_t arrived = 0;
    for (unsigned i = 0; i < b->ports; i++) {
        crosspoint_model *x = &b->point[o][i];
        unsigned units = b->tight ? 6 : 6 + 2 * below(62);
        if (x->waiting == 100 || x->occupancy + units > 500 || below(1000) >= b->load) continue;
        arrived |= 1u << i;
        unsigned at = (x->first + x->waiting++) % MONITOR_DEPTH;
        x->arrival[at] = now;
        x->units[at] = units;
        x->occupancy += units;
        x->arrivals++;
    }
    bool one = false; /* only the lowest input of those that arrive is measured */
    for (unsigned i = 0; i < b->ports; i++) {
        crosspoint_model *x = &b->point[o][i];
        if (!(arrived >> i & 1) || x->measuring || one) continue;
        x->measuring = one = true;
        x->measured = x->arrivals - 1;
    }
    sim_port_set_field(&b->p->arrived, o * b->ports, b->ports, arrived);
}

/* A packet that leaves one output in this clock; it has arrived in an earlier one. */
static void leave(unsigned o, uint64_t now)
{
    unsigned input = 0, choices = 0, drain = below(100) < b->drained;
    for (unsigned i = 0; i < b->ports; i++)
        if (b->point[o][i].waiting && b->point[o][i].arrival[b->point[o][i].first] < now && below(++choices) == 0)
            input = i;
    bool go = choices && b->pause[o] == 0 && (b->tight || below(20) == 0);
    if (b->pause[o]) b->pause[o]--;
    sim_port_set_field(&b->p->out_start, o, 1, go && !drain);
    sim_port_set_field(&b->p->out_drained, o, 1, go && drain);
    if (!go) return;
    crosspoint_model *x = &b->point[o][input];
    flow_counts *f = &b->flow[o][input];
    unsigned units = x->units[x->first];
    sim_port_set_field(&b->p->out_input, o * log2_ports(), log2_ports(), input);
    sim_port_set_field(&b->p->out_units, 10 * o, 10, units);
    b->pause[o] = drain ? units - 2 : units;
    if (x->occupancy > f->most) f->most = x->occupancy;
    if (!drain) f->words += units, f->packets++;
    if (x->measuring && x->departures == x->measured) {
        uint64_t clocks = now - x->arrival[x->first] + b->offset + 2 * ((b->domain >> input ^ b->domain >> o) & 1);
        x->measuring = false;
        if (!drain) {
            f->last = clocks > 65535 ? 65535 : (uint32_t)clocks;
            if (f->last < f->shortest) f->shortest = f->last;
            if (f->last > f->longest) f->longest = f->last;
        }
    }
    x->departures++;
    x->left = units;
    x->first = (x->first + 1) % MONITOR_DEPTH;
    x->waiting--;
}

/* All ports of one clock, after its edge: their actions in the clock that begins. */
static void drive(unsigned side)
{
    uint64_t now = b->clock[side]++;
    for (unsigned o = 0; o < b->ports; o++) {
        if ((b->domain >> o & 1) != side) continue;
        /* a packet that has left takes its words with it a clock later */
        for (unsigned i = 0; i < b->ports; i++) {
            crosspoint_model *x = &b->point[o][i];
            x->occupancy -= x->left;
            x->left = 0;
        }
        if (b->stopped) {
            sim_port_set_field(&b->p->arrived, o * b->ports, b->ports, 0);
            sim_port_set_field(&b->p->out_start, o, 1, 0);
            sim_port_set_field(&b->p->out_drained, o, 1, 0);
        } else {
            arrive(o, now);
            leave(o, now);
        }
        for (unsigned i = 0; i < b->ports; i++)
            sim_port_set_field(&b->p->occupancy, (o * b->ports + i) * 10, 10, b->point[o][i].occupancy);
        unsigned events = b->stopped || !b->events ? 0 : below(4) ? 1u << below(16) : below(65536);
        sim_port_set_field(&b->p->port_events, 16 * o, 16, events);
        for (unsigned e = 0; e < 16; e++) b->event[o][e] += events >> e & 1;
    }
}

static void drive_a(void *none)
{
    (void)none;
    drive(0);
}

static void drive_b(void *none)
{
    (void)none;
    drive(1);
}

/* Clocks of clk_a. */
static void run(unsigned clocks)
{
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + clocks * (sim_time)PERIOD), SIM_TIME_LIMIT);
}

/* Of a byte offset; ends the test if there is no answer within 400 clocks. */
static uint32_t monitor_access(unsigned offset, bool write, uint32_t value)
{
    unsigned start = (unsigned)sim_clock_cycles(b->clk[0]), n = 0;
    sim_port_set(&b->p->mon_valid, 1);
    sim_port_set(&b->p->mon_we, write);
    sim_port_set(&b->p->mon_addr, offset / 4);
    sim_port_set(&b->p->mon_wdata, value);
    for (; !sim_port_get(&b->p->mon_ready) && n < 400; n++) run(1);
    run(1);
    sim_port_set(&b->p->mon_valid, 0);
    for (; !sim_port_get(write ? &b->p->mon_ready : &b->p->mon_rvalid) && n < 400; n++) run(1);
    ck_assert_msg(n < 400, "no answer from 0x%x", offset);
    b->access_clocks = (unsigned)sim_clock_cycles(b->clk[0]) - start;
    uint32_t answer = (uint32_t)sim_port_get(&b->p->mon_rdata);
    if (!write) { /* one clock long */
        run(1);
        ck_assert(!sim_port_get(&b->p->mon_rvalid));
    }
    return answer;
}

static uint32_t reg(unsigned port, unsigned offset, unsigned entry)
{
    return monitor_access(offset + 0x400 * port + 4 * entry, false, 0);
}

static void set_reg(unsigned port, unsigned offset, unsigned entry, uint32_t value)
{
    monitor_access(offset + 0x400 * port + 4 * entry, true, value);
}

#define SAME(what, is, must)                                                                                           \
    ck_assert_msg((is) == (must), "output %u, input or event %u: %s is %u, expected %u", o, i, what, (unsigned)(is),   \
                  (unsigned)(must))

/* Stops the traffic and compares every counter of every port with the reference. */
static void compare(void)
{
    b->stopped = true;
    run(60);
    for (unsigned o = 0; o < b->ports; o++) {
        for (unsigned i = 0; i < b->ports; i++) {
            const flow_counts *f = &b->flow[o][i];
            const crosspoint_model *x = &b->point[o][i];
            uint32_t range = reg(o, SWITCH_FORWARD_RANGE, i);
            uint32_t occupancy = reg(o, SWITCH_OCCUPANCY, i);
            SAME("FLOW_WORDS", reg(o, SWITCH_FLOW_WORDS, i), f->words);
            SAME("FLOW_PACKETS", reg(o, SWITCH_FLOW_PACKETS, i), f->packets);
            SAME("FORWARD_LAST", reg(o, SWITCH_FORWARD_LAST, i), f->last);
            SAME("SHORTEST", range & SWITCH_FORWARD_RANGE_SHORTEST_MASK, f->shortest);
            SAME("LONGEST", range >> SWITCH_FORWARD_RANGE_LONGEST_SHIFT, f->longest);
            SAME("NOW", occupancy & SWITCH_OCCUPANCY_NOW_MASK, x->occupancy);
            SAME("MOST", occupancy >> SWITCH_OCCUPANCY_MOST_SHIFT, f->most > x->occupancy ? f->most : x->occupancy);
        }
        for (unsigned i = 0; i < 16; i++) SAME("event", reg(o, SWITCH_HEADER_ERRORS, i), b->event[o][i]);
    }
}

/* After reset, without traffic. */
static void start(const sim_config *config)
{
    b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    b->clk[0] = make_clock(b->s, "clk_a", PERIOD, PERIOD / 2);
    b->clk[1] = sim_clock_new(b->s, &(sim_clock_params){.name = "clk_b", .period = PERIOD, .phase = -1, .ppm = 90});
    b->model = make_model(b->s, config, "monitor");
    b->p = PORTS_AS(monitor_8, b->model);
    sim_port_set_field(&b->p->now, 0, 32, 0);
    sim_model_clock(b->model, b->clk[0], b->p->clk_a.at);
    sim_model_clock(b->model, b->clk[0], b->p->run_clk_a.at);
    sim_model_clock(b->model, b->clk[1], b->p->clk_b.at);
    sim_model_clock(b->model, b->clk[1], b->p->run_clk_b.at);
    sim_port_set(&b->p->slept_a, 0);
    sim_port_set(&b->p->slept_b, 0);
    b->ports = b->p->port_enable.bits;
    b->domain = (unsigned)sim_config_parameter(config, "DOMAIN", 0);
    b->offset = (unsigned)sim_config_parameter(config, "FORWARDING_OFFSET", 0);
    b->stopped = true;
    cleared();
    sim_clock_attach(b->clk[0], NULL, drive_a, b);
    sim_clock_attach(b->clk[1], NULL, drive_b, b);
    for (unsigned bit = 0; bit < 8 * b->ports; bit += 8) sim_port_set_field(&b->p->port_status, bit, 8, 0);
    for (unsigned bit = 0; bit < 24 * b->ports; bit += 24) sim_port_set_field(&b->p->port_view, bit, 24, 0);
    for (unsigned o = 0; o < b->ports; o++) sim_port_set_field(&b->p->out_input, o * log2_ports(), log2_ports(), 0);
    sim_port_set(&b->p->mon_valid, 0);
    for (int side = 0; side < 2; side++) sim_port_set(side ? &b->p->rst_b : &b->p->rst_a, 1);
    run(5);
    for (int side = 0; side < 2; side++) sim_port_set(side ? &b->p->rst_b : &b->p->rst_a, 0);
    run(5);
}

static const sim_config *const sizes[] = {&monitor_8_config, &monitor_2_config, &monitor_16_config};

/* Value of a register after reset; entries of arrays for inputs that are not built are 0. */
static uint32_t after_reset(const struct switch_register *r, unsigned entry)
{
    uint32_t mask = (1u << b->ports) - 1;
    if (r->offset == SWITCH_BUILD && sim_model_config(b->model) == &monitor_none_config) return b->ports;
    if (r->offset == SWITCH_BUILD) return b->ports | SWITCH_BUILD_MONITOR_MASK | SWITCH_BUILD_STAMPS_MASK;
    if (r->offset == SWITCH_DOMAINS) return b->domain;
    if (r->offset == SWITCH_INPUT_ENABLE) return mask;
    if (r->offset == SWITCH_CAPACITY && b->ports == 2) return 1000;
    if (r->offset == SWITCH_DOWN_TIME && b->ports == 2) return 99;
    if (entry >= b->ports) return 0;
    if (r->offset == SWITCH_FORWARD_RANGE && sim_model_config(b->model) == &monitor_none_config) return 0;
    return r->reset;
}

static void all_read_as_after_reset(void)
{
    for (unsigned n = 0; n < SWITCH_REGISTER_TABLE_COUNT; n++) {
        const struct switch_register *r = &switch_registers[n];
        for (unsigned p = 0; p < (r->offset < 0x4000 ? 1 : 16); p++)
            for (unsigned i = 0; i < r->count; i++) {
                uint32_t is = reg(p, r->offset, i), must = p < b->ports ? after_reset(r, i) : 0;
                ck_assert_msg(is == must, "port %u: %s[%u] is 0x%x, expected 0x%x", p, r->name, i, is, must);
            }
    }
}

TEST_CASE("registers");

TEST(registers_have_their_reset_values, .to = 3)
{
    start(sizes[_i]);
    all_read_as_after_reset();
}

TEST(what_is_not_there_reads_0_and_takes_writes)
{
    static const unsigned nothing[] = {0x1c, 0x100, 0x3ffc, 0x41d4, 0x43fc, 0x8000, 0xc000, 0xfffc};
    start(&monitor_8_config);
    for (int n = 0; n < COUNT(nothing); n++) {
        set_reg(0, nothing[n], 0, 0xffffffff);
        ck_assert_uint_eq(reg(0, nothing[n], 0), 0);
    }
    for (unsigned n = 0; n < SWITCH_REGISTER_TABLE_COUNT; n++) /* and read-only ones stay */
        if (switch_registers[n].access[0] != 'r' || switch_registers[n].access[1] != 'w')
            for (unsigned i = 0; i < switch_registers[n].count; i++)
                set_reg(0, switch_registers[n].offset, i, 0xffffffff);
    all_read_as_after_reset();
}

/* One bit for the ports of each clock, and the count that the switch shows; without time stamps nothing. */
TEST(time_stamps_are_for_both_clocks, .to = 2)
{
    start(_i ? &monitor_none_config : &monitor_8_config);
    for (unsigned on = 2; on--;) {
        set_reg(0, SWITCH_TIME_STAMPS, 0, on);
        run(50);
        ck_assert_uint_eq(sim_port_field(&b->p->stamp, 0, 2), on && !_i ? 3 : 0);
        ck_assert_uint_eq(reg(0, SWITCH_TIME_STAMPS, 0), on && !_i);
        sim_port_set_field(&b->p->now, 0, 32, 0x9abcdef0 + on);
        ck_assert_uint_eq(reg(0, SWITCH_TIME, 0), 0x9abcdef0 + on);
    }
}

TEST(settings_reach_their_port_and_no_other, .to = 4)
{
    start(_i < 3 ? sizes[_i] : &monitor_none_config);
    const uint32_t all = (1u << b->ports) - 1;
    const struct {
        unsigned offset, entries, bits;
        const sim_port *wire; /* those of all ports */
        uint32_t reset;
    } setting[] = {
        {SWITCH_PORT_CONTROL, 1, 1, &b->p->port_enable, 1},
        {SWITCH_INPUT_ENABLE, 1, b->ports, &b->p->input_enable, all},
        {SWITCH_CAPACITY, 1, 12, &b->p->port_capacity, b->ports == 2 ? 1000 : 2046},
        {SWITCH_WEIGHT, b->ports, 8, &b->p->weight, 1},
        {SWITCH_NODE_ID, 1, 8, &b->p->port_node, 0},
    };
    uint32_t is[COUNT(setting)][16][16];
    for (int s = 0; s < COUNT(setting); s++)
        for (unsigned n = 0; n < 256; n++) is[s][n / 16][n % 16] = setting[s].reset;
    for (unsigned n = 0; n < 300; n++) {
        unsigned p = below(b->ports), i = below(b->ports), which = below(COUNT(setting) + 1);
        uint32_t value = below(4) ? (uint32_t)sim_random(b->s) : below(2) ? 0xffffffff - below(2) : below(2);
        if (which == COUNT(setting)) {
            set_reg(0, SWITCH_DOWN_TIME, 0, value);
            for (unsigned o = 0; o < b->ports; o++)
                ck_assert_uint_eq(sim_port_field(&b->p->port_down_time, 24 * o, 24), value & 0xffffff);
            ck_assert_uint_eq(reg(0, SWITCH_DOWN_TIME, 0), value & 0xffffff);
        } else {
            unsigned entry = i % setting[which].entries;
            set_reg(p, setting[which].offset, entry, value);
            is[which][p][entry] = value & ((1u << setting[which].bits) - 1);
            if (setting[which].offset == SWITCH_CAPACITY && is[which][p][entry] > 4064) is[which][p][entry] = 4064;
        }
        for (int s = 0; s < COUNT(setting); s++) {
            unsigned entries = setting[s].entries, bits = setting[s].bits;
            for (unsigned o = 0; o < b->ports; o++)
                for (unsigned k = 0; k < entries; k++)
                    ck_assert_uint_eq(sim_port_field(setting[s].wire, bits * (o * entries + k), bits), is[s][o][k]);
            ck_assert_uint_eq(reg(p, setting[s].offset, i % entries), is[s][p][i % entries]);
        }
    }
}

TEST(status_and_view_are_those_of_the_port)
{
    start(&monitor_8_config);
    for (unsigned p = 0; p < 8; p++) {
        sim_port_set_field(&b->p->port_status, 8 * p, 8, 0x0f ^ p);
        sim_port_set_field(&b->p->port_view, 24 * p, 24, 0x123456 * (p + 1));
    }
    for (unsigned p = 0; p < 8; p++) {
        ck_assert_uint_eq(reg(p, SWITCH_PORT_STATUS, 0), 0x0f ^ p);
        ck_assert_uint_eq(reg(p, SWITCH_PORT_VIEW, 0), 0x123456 * (p + 1) & 0xffffff);
    }
}

TEST(an_access_takes_few_clocks)
{
    start(&monitor_8_config);
    reg(0, SWITCH_VERSION, 0);
    ck_assert_uint_le(b->access_clocks, 8);
    reg(1, SWITCH_FLOW_WORDS, 0);
    ck_assert_uint_le(b->access_clocks, 10);
    reg(5, SWITCH_FLOW_WORDS, 0);
    ck_assert_uint_le(b->access_clocks, 60);
}

static void traffic(unsigned clocks)
{
    b->stopped = false;
    run(clocks);
    compare();
}

TEST_CASE("counts");

TEST(counts_follow_random_traffic, .to = 6)
{
    start(sizes[_i % 3]);
    b->load = _i / 3 ? 3 : 40;
    b->drained = 10;
    b->events = true;
    traffic(5000);
    traffic(20000);
}

/* The smallest packets leave back to back, some are drained in 5 clocks; the counters are read meanwhile. */
TEST(counts_survive_the_tightest_traffic, .to = 3)
{
    start(sizes[_i]);
    b->load = 200;
    b->drained = 40;
    b->tight = b->events = true;
    b->stopped = false;
    for (unsigned n = 0; n < 1000; n++) {
        unsigned o = below(b->ports), i = below(b->ports);
        uint32_t before = b->flow[o][i].packets, is = reg(o, SWITCH_FLOW_PACKETS, i);
        ck_assert_msg(is + 2 >= before && is <= b->flow[o][i].packets, "FLOW_PACKETS is %u, was %u, became %u", is,
                      before, b->flow[o][i].packets);
    }
    compare();
    ck_assert_uint_gt(b->flow[0][0].packets, 50);
}

TEST(clear_sets_everything_to_0, .to = 3)
{
    start(sizes[_i]);
    b->load = 40;
    b->drained = 10;
    b->events = true;
    for (unsigned round = 0; round < 3; round++) {
        traffic(4000);
        set_reg(0, SWITCH_CLEAR, 0, 0);
        ck_assert_uint_eq(reg(0, SWITCH_CLEAR, 0), 0);
        cleared();
        compare();
    }
    traffic(4000);
}

/* A bit high for a clock. */
static void pulse(const sim_port *port, unsigned bit)
{
    sim_run(b->s, sim_now(b->s) + 1);
    sim_port_set_field(port, bit, 1, 1);
    run(1);
    sim_port_set_field(port, bit, 1, 0);
}

/* Hand-worked: input 3 has packets in output 6's crosspoint that leave 20, 48, and 70000 clocks after they came; 5
 * clocks are added in any case, and 2 because 3 is in the other clock; then the same for input 4, which is not. */
TEST(forwarding_time_by_hand, .to = 2)
{
    start(&monitor_8_config);
    const unsigned o = 6, i = _i ? 4 : 3, added = _i ? 5 : 7;
    sim_clock_detach(b->clk[1], b);
    sim_port_set_field(&b->p->out_input, 3 * o, 3, i);
    sim_port_set_field(&b->p->out_units, 10 * o, 10, 24);
    for (unsigned n = 0; n < 2; n++) {
        pulse(&b->p->arrived, o * 8 + i);
        run(9);
    }
    pulse(&b->p->out_start, o); /* 20 clocks after the first arrival */
    run(37);
    ck_assert_uint_eq(reg(o, SWITCH_FORWARD_LAST, i), 20 + added);
    pulse(&b->p->out_start, o); /* not measured: it came while the first was */
    run(37);
    ck_assert_uint_eq(reg(o, SWITCH_FORWARD_LAST, i), 20 + added);
    pulse(&b->p->arrived, o * 8 + i);
    run(47);
    pulse(&b->p->out_start, o);
    run(37);
    ck_assert_uint_eq(reg(o, SWITCH_FORWARD_LAST, i), 48 + added);
    ck_assert_uint_eq(reg(o, SWITCH_FORWARD_RANGE, i), (48 + added) << 16 | (20 + added));
    pulse(&b->p->arrived, o * 8 + i);
    run(70000);
    pulse(&b->p->out_start, o);
    run(37);
    ck_assert_uint_eq(reg(o, SWITCH_FORWARD_RANGE, i), 0xffffu << 16 | (20 + added));
    ck_assert_uint_eq(reg(o, SWITCH_FLOW_PACKETS, i), 4);
    ck_assert_uint_eq(reg(o, SWITCH_FLOW_WORDS, i), 96);
}

/* A packet of output 2 starts in this many clocks; 0: none is due. */
static unsigned due;
static void start_when_due(void *none)
{
    (void)none;
    sim_port_set_field(&b->p->out_start, 2, 1, due == 1);
    due -= due > 0;
}

/* OCCUPANCY is read at each phase of the first packet after CLEAR: MOST of an earlier packet, which the memory still
 * holds, never shows. */
TEST(no_read_shows_what_clear_has_cleared)
{
    start(&monitor_8_config);
    const unsigned o = 2, i = 3, at = (o * 8 + i) * 10;
    sim_clock_detach(b->clk[0], b);
    sim_clock_attach(b->clk[0], NULL, start_when_due, b);
    sim_port_set_field(&b->p->out_input, 3 * o, 3, i);
    sim_port_set_field(&b->p->out_units, 10 * o, 10, 10);
    for (int phase = -10; phase <= 10; phase++) {
        sim_port_set_field(&b->p->occupancy, at, 10, 400);
        due = 1;
        run(20);
        ck_assert_uint_eq(reg(o, SWITCH_OCCUPANCY, i), 400u << 16 | 400);
        set_reg(0, SWITCH_CLEAR, 0, 0);
        run(20);
        sim_port_set_field(&b->p->occupancy, at, 10, 10);
        due = phase < 1 ? 1 : (unsigned)phase;
        if (phase < 1) run((unsigned)-phase);
        uint32_t occupancy = reg(o, SWITCH_OCCUPANCY, i);
        ck_assert_msg(occupancy == (10u << 16 | 10), "packet %d clocks after the read began: OCCUPANCY is %08x", phase,
                      occupancy);
        run(30);
    }
}

TEST(each_event_counts_in_its_place)
{
    start(&monitor_8_config);
    sim_clock_detach(b->clk[0], b);
    sim_clock_detach(b->clk[1], b);
    for (unsigned p = 0; p < 4; p++)
        for (unsigned e = 0; e < 16; e++) {
            sim_port_set_field(&b->p->port_events, 16 * p + e, 1, 1);
            run(10 * p + e + 1);
            sim_port_set_field(&b->p->port_events, 16 * p + e, 1, 0);
        }
    run(40);
    for (unsigned p = 0; p < 8; p++)
        for (unsigned e = 0; e < 16; e++)
            ck_assert_uint_eq(reg(p, SWITCH_HEADER_ERRORS, e), p < 4 ? 10 * p + e + 1 : 0);
    sim_port_set_field(&b->p->port_events, 16, 16, 0xffff); /* all of them in every clock */
    run(1000);
    sim_port_set_field(&b->p->port_events, 16, 16, 0);
    run(40);
    for (unsigned e = 0; e < 16; e++) ck_assert_uint_eq(reg(1, SWITCH_HEADER_ERRORS, e), 11 + e + 1000);
}

TEST(without_counters_they_read_0)
{
    start(&monitor_none_config);
    b->load = 40;
    b->events = true;
    b->stopped = false;
    run(3000);
    b->stopped = true;
    all_read_as_after_reset();
}
