#include "monitor_bench.h"
#include "test.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD (12800)

static unsigned below(monitor_bench *b, unsigned n)
{
    return (unsigned)sim_random_below(b->s, n);
}
static unsigned log2_ports(const monitor_bench *b)
{
    return b->ports <= 2 ? 1 : b->ports <= 4 ? 2 : b->ports <= 8 ? 3 : 4;
}

static void fresh(flow_counts *f)
{
    *f = (flow_counts){.shortest = 0xffff};
}

void monitor_cleared(monitor_bench *b)
{
    for (unsigned o = 0; o < MONITOR_PORTS; o++) {
        for (unsigned i = 0; i < MONITOR_PORTS; i++) fresh(&b->flow[o][i]);
        memset(b->event[o], 0, sizeof b->event[o]);
    }
}

/* Packets that arrive at the crosspoints of one output in this clock. */
static void arrive(monitor_bench *b, unsigned o, uint64_t now)
{
    uint32_t arrived = 0;
    for (unsigned i = 0; i < b->ports; i++) {
        crosspoint_model *x = &b->point[o][i];
        unsigned units = b->tight ? 6 : 6 + 2 * below(b, 62);
        if (x->waiting == 100 || x->occupancy + units > 500 || below(b, 1000) >= b->load) continue;
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
static void leave(monitor_bench *b, unsigned o, uint64_t now)
{
    unsigned input = 0, choices = 0, drain = below(b, 100) < b->drained;
    for (unsigned i = 0; i < b->ports; i++)
        if (b->point[o][i].waiting && b->point[o][i].arrival[b->point[o][i].first] < now && below(b, ++choices) == 0) input = i;
    bool go = choices && b->pause[o] == 0 && (b->tight || below(b, 20) == 0);
    if (b->pause[o]) b->pause[o]--;
    sim_port_set_field(&b->p->out_start, o, 1, go && !drain);
    sim_port_set_field(&b->p->out_drained, o, 1, go && drain);
    if (!go) return;
    crosspoint_model *x = &b->point[o][input];
    flow_counts *f = &b->flow[o][input];
    unsigned units = x->units[x->first];
    sim_port_set_field(&b->p->out_input, o * log2_ports(b), log2_ports(b), input);
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
    x->first = (x->first + 1) % MONITOR_DEPTH;
    x->waiting--;
}

/* All ports of one clock, after its edge: what they do in the clock that begins. */
static void drive(monitor_bench *b, unsigned side)
{
    uint64_t now = b->clock[side]++;
    for (unsigned o = 0; o < b->ports; o++) {
        if ((b->domain >> o & 1) != side) continue;
        /* a packet that has left takes its words with it a clock later */
        unsigned inside[MONITOR_PORTS];
        for (unsigned i = 0; i < b->ports; i++) {
            crosspoint_model *x = &b->point[o][i];
            inside[i] = 0;
            for (unsigned n = 0; n < x->waiting; n++) inside[i] += x->units[(x->first + n) % MONITOR_DEPTH];
            x->occupancy = inside[i];
        }
        if (b->stopped) {
            sim_port_set_field(&b->p->arrived, o * b->ports, b->ports, 0);
            sim_port_set_field(&b->p->out_start, o, 1, 0);
            sim_port_set_field(&b->p->out_drained, o, 1, 0);
        } else {
            arrive(b, o, now);
            leave(b, o, now);
        }
        for (unsigned i = 0; i < b->ports; i++) sim_port_set_field(&b->p->occupancy, (o * b->ports + i) * 10, 10, b->point[o][i].occupancy);
        unsigned events = b->stopped || !b->events ? 0 : below(b, 4) ? 1u << below(b, 16) : below(b, 65536);
        sim_port_set_field(&b->p->port_events, 16 * o, 16, events);
        for (unsigned e = 0; e < 16; e++) b->event[o][e] += events >> e & 1;
    }
}

static void drive_a(void *self)
{
    drive(self, 0);
}
static void drive_b(void *self)
{
    drive(self, 1);
}

void monitor_run(monitor_bench *b, unsigned clocks)
{
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + clocks * (sim_time)PERIOD), SIM_TIME_LIMIT);
}

static uint32_t access(monitor_bench *b, unsigned offset, bool write, uint32_t value)
{
    unsigned start = (unsigned)sim_clock_cycles(b->clk[0]), n = 0;
    sim_port_set(&b->p->mon_valid, 1);
    sim_port_set(&b->p->mon_we, write);
    sim_port_set(&b->p->mon_addr, offset / 4);
    sim_port_set(&b->p->mon_wdata, value);
    for (; !sim_port_get(&b->p->mon_ready) && n < 400; n++) monitor_run(b, 1);
    monitor_run(b, 1);
    sim_port_set(&b->p->mon_valid, 0);
    for (; !sim_port_get(write ? &b->p->mon_ready : &b->p->mon_rvalid) && n < 400; n++) monitor_run(b, 1);
    ck_assert_msg(n < 400, "no answer from 0x%x", offset);
    b->access_clocks = (unsigned)sim_clock_cycles(b->clk[0]) - start;
    uint32_t answer = (uint32_t)sim_port_get(&b->p->mon_rdata);
    if (!write) { /* one clock long */
        monitor_run(b, 1);
        ck_assert(!sim_port_get(&b->p->mon_rvalid));
    }
    return answer;
}

uint32_t monitor_read(monitor_bench *b, unsigned offset)
{
    return access(b, offset, false, 0);
}
void monitor_write(monitor_bench *b, unsigned offset, uint32_t value)
{
    access(b, offset, true, value);
}

#define SAME(what, is, must)                                                                                                               \
    ck_assert_msg((is) == (must), "output %u, input or event %u: %s is %u, expected %u", o, i, what, (unsigned)(is), (unsigned)(must))

void monitor_compare(monitor_bench *b)
{
    b->stopped = true;
    monitor_run(b, 60);
    for (unsigned o = 0; o < b->ports; o++) {
        for (unsigned i = 0; i < b->ports; i++) {
            const flow_counts *f = &b->flow[o][i];
            const crosspoint_model *x = &b->point[o][i];
            uint32_t range = monitor_read(b, PAGE(o, SWITCH_FORWARD_RANGE) + 4 * i);
            uint32_t occupancy = monitor_read(b, PAGE(o, SWITCH_OCCUPANCY) + 4 * i);
            SAME("FLOW_WORDS", monitor_read(b, PAGE(o, SWITCH_FLOW_WORDS) + 4 * i), f->words);
            SAME("FLOW_PACKETS", monitor_read(b, PAGE(o, SWITCH_FLOW_PACKETS) + 4 * i), f->packets);
            SAME("FORWARD_LAST", monitor_read(b, PAGE(o, SWITCH_FORWARD_LAST) + 4 * i), f->last);
            SAME("SHORTEST", range & SWITCH_FORWARD_RANGE_SHORTEST_MASK, f->shortest);
            SAME("LONGEST", range >> SWITCH_FORWARD_RANGE_LONGEST_SHIFT, f->longest);
            SAME("NOW", occupancy & SWITCH_OCCUPANCY_NOW_MASK, x->occupancy);
            SAME("MOST", occupancy >> SWITCH_OCCUPANCY_MOST_SHIFT, f->most > x->occupancy ? f->most : x->occupancy);
        }
        for (unsigned i = 0; i < 16; i++) SAME("event", monitor_read(b, PAGE(o, SWITCH_HEADER_ERRORS) + 4 * i), b->event[o][i]);
    }
}

monitor_bench *monitor_bench_new(const sim_config *config)
{
    monitor_bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    b->clk[0] = make_clock(b->s, "clk_a", PERIOD, PERIOD / 2);
    b->clk[1] = sim_clock_new(b->s, &(sim_clock_params){.name = "clk_b", .period = PERIOD, .phase = -1, .ppm = 90});
    b->model = make_model(b->s, config, "monitor");
    b->p = PORTS_AS(monitor_8, b->model);
    sim_model_clock(b->model, b->clk[0], b->p->clk_a.at);
    sim_model_clock(b->model, b->clk[1], b->p->clk_b.at);
    b->ports = b->p->port_enable.bits;
    b->domain = (unsigned)sim_config_parameter(config, "DOMAIN", 0);
    b->offset = (unsigned)sim_config_parameter(config, "FORWARDING_OFFSET", 0);
    b->stopped = true;
    monitor_cleared(b);
    sim_clock_attach(b->clk[0], NULL, drive_a, b);
    sim_clock_attach(b->clk[1], NULL, drive_b, b);
    for (unsigned bit = 0; bit < 8 * b->ports; bit += 8) sim_port_set_field(&b->p->port_status, bit, 8, 0);
    for (unsigned bit = 0; bit < 24 * b->ports; bit += 24) sim_port_set_field(&b->p->port_view, bit, 24, 0);
    for (unsigned o = 0; o < b->ports; o++) sim_port_set_field(&b->p->out_input, o * log2_ports(b), log2_ports(b), 0);
    sim_port_set(&b->p->mon_valid, 0);
    for (int side = 0; side < 2; side++) sim_port_set(side ? &b->p->rst_b : &b->p->rst_a, 1);
    monitor_run(b, 5);
    for (int side = 0; side < 2; side++) sim_port_set(side ? &b->p->rst_b : &b->p->rst_a, 0);
    monitor_run(b, 5);
    return b;
}
