/* The host and the RTL of the NIC's bus interface: every access and every DMA under every behaviour of the bridge, and
 * errors. The monitor checks every clock. */
#include <stdlib.h>
#include <string.h>

#include "behaviours.h"
#include "host_bench.h"
#include "test.h"

enum { SPLITS = 4 };

static host_bench b = {.core = true};

static void fill(void *to, size_t size)
{
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = (uint8_t)sim_random(b.s);
}

/* Waits for its end; returns its status. */
static int finish(const core_dma *d)
{
    uint64_t until = sim_clock_cycles(b.clk) + 20000;
    while (!d->done) {
        ck_assert_msg(sim_clock_cycles(b.clk) < until, "DMA of %u words at %llx does not end", d->words,
                      (unsigned long long)d->address);
        sim_wait_cycles(b.clk, 1);
    }
    return d->status;
}

/* One write or read, to its end; returns its status. */
static int move(bool write, uint64_t address, unsigned words, uint64_t *data)
{
    core_dma d = {.address = address, .words = words, .data = data};
    (write ? core_user_write : core_user_read)(&b.user, &d);
    return finish(&d);
}

/* --- the CPU's accesses --- */

TEST_CASE("cpu");

HOST_TEST(registers_take_accesses_of_every_size_and_place, p = behaviour_params(_i), .to = BEHAVIOURS)
{
    static uint8_t want[8 * REGISTER_WORDS];
    for (int i = 0; i < 300; i++) {
        int size = (int)sim_random_below(b.s, 8) + 1;
        uint64_t at = 8 * sim_random_below(b.s, 64) + sim_random_below(b.s, (uint64_t)(9 - size)), value, got;
        fill(&value, 8);
        ck_assert_int_eq(host_write(b.h, HOST_REGISTERS + at, size, value), PCIX_OK);
        memcpy(want + at, &value, (size_t)size);
        at = 8 * sim_random_below(b.s, 64) + sim_random_below(b.s, (uint64_t)(9 - size));
        ck_assert_int_eq(host_read(b.h, HOST_REGISTERS + at, size, &got), PCIX_OK);
        value = 0;
        memcpy(&value, want + at, (size_t)size);
        ck_assert_uint_eq(got, value);
    }
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    ck_assert_mem_eq(b.user.register_bytes, want, sizeof want);
}

static const struct {
    uint8_t order[16];
    int count;
    unsigned bursts;
} orders[] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}, 8, 1},
    {{7, 6, 5, 4, 3, 2, 1, 0}, 8, 8},
    {{4, 5, 6, 7, 0, 1, 2, 3}, 8, 2},
    {{0, 1, HOST_FLUSH_BREAK, 2, 3, HOST_FLUSH_BREAK, 4, 5, HOST_FLUSH_BREAK, 6, 7}, 11, 4},
    {{1, 3, 5, 7, 0, 2, 4, 6}, 8, 8},
};

HOST_TEST(combined_lines_arrive_in_any_order, p, .to = COUNT(orders))
{
    uint8_t line[64];
    unsigned bursts = 0;
    host_set_flush_order(b.h, orders[_i].order, orders[_i].count);
    fill(line, 64);
    ck_assert_int_eq(host_write_combined(b.h, HOST_REGISTERS + 0x4000, line, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    sim_wait_cycles(b.clk, 10);
    ck_assert_mem_eq(b.user.register_bytes + 0x4000, line, 64);
    for (unsigned i = 0; i < b.count; i++) bursts += b.records[i].command == PCIX_MEMORY_WRITE;
    ck_assert_uint_eq(bursts, orders[_i].bursts);
    ck_assert_int_eq(host_write_combined(b.h, HOST_REGISTERS + 0x4050, line, 40), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    sim_wait_cycles(b.clk, 10);
    ck_assert_mem_eq(b.user.register_bytes + 0x4050, line, 40 < 0x30 ? 40 : 0x30);
}

HOST_TEST(blocks_of_registers_are_read, p = behaviour_params(_i), .to = BEHAVIOURS)
{
    uint8_t got[4096];
    fill(b.user.register_bytes, sizeof b.user.register_bytes);
    for (int i = 0; i < 40; i++) {
        size_t size = sim_random_below(b.s, 4096) + 1, at = sim_random_below(b.s, sizeof b.user.register_bytes - size);
        ck_assert_int_eq(host_read_block(b.h, HOST_REGISTERS + at, got, size), PCIX_OK);
        ck_assert_mem_eq(got, b.user.register_bytes + at, size);
    }
}

HOST_TEST(window_is_written_and_read, p = behaviour_params(_i), .to = BEHAVIOURS)
{
    uint8_t line[64], got[64];
    fill(line, 64);
    ck_assert_int_eq(host_write_combined(b.h, HOST_WINDOW + 0x100, line, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    sim_wait_cycles(b.clk, 40);
    ck_assert_mem_eq(b.user.window_bytes + 0x100, line, 64);
    ck_assert_int_eq(host_read_block(b.h, HOST_WINDOW + 0x100, got, 64), PCIX_OK);
    ck_assert_mem_eq(got, line, 64);
    uint64_t word;
    ck_assert_int_eq(host_read(b.h, HOST_WINDOW + 0x104, 4, &word), PCIX_OK);
    ck_assert_mem_eq(&word, line + 4, 4);
}

/* --- DMA --- */

static void mixed_dma(void)
{
    enum { N = 12 };
    static uint64_t data[2][N][512];
    core_dma w[N], r[N];
    fill(data[0], sizeof data[0]);
    for (int round = 0; round < 3; round++) {
        uint64_t base = round == 1 ? 0x3400000000ull : 0x100000;
        for (unsigned i = 0; i < N; i++) {
            unsigned words = i == 0 ? 512 : (unsigned)sim_random_below(b.s, round == 2 ? 8 : 512) + 1;
            uint64_t at = base + 0x4000 * i + 8 * sim_random_below(b.s, 300);
            w[i] = (core_dma){.address = at, .words = words, .data = data[0][i]};
            core_user_write(&b.user, &w[i]);
            /* reads of other memory, at the same time */
            uint64_t from = base + 0x400000 + 0x4000 * i + 8 * sim_random_below(b.s, 300);
            memory_write(b.memory, from, data[0][i], 4096);
            r[i] = (core_dma){.address = from,
                              .words = (unsigned)sim_random_below(b.s, 512) + 1,
                              .data = data[1][i],
                              .tag = i % SPLITS};
            core_user_read(&b.user, &r[i]);
        }
        for (unsigned i = 0; i < 100; i++) { /* and the CPU's accesses between them */
            uint64_t got;
            ck_assert_int_eq(host_write(b.h, HOST_REGISTERS + 8 * i, 8, i), PCIX_OK);
            ck_assert_int_eq(host_read(b.h, HOST_REGISTERS + 8 * i, 8, &got), PCIX_OK);
            ck_assert_uint_eq(got, i);
        }
        for (unsigned i = 0; i < N; i++) {
            uint8_t got[4096];
            ck_assert_int_eq(finish(&w[i]), 0);
            memory_read(b.memory, w[i].address, got, 8 * w[i].words);
            ck_assert_mem_eq(got, data[0][i], 8 * w[i].words);
            ck_assert_int_eq(finish(&r[i]), 0);
            ck_assert_mem_eq(data[1][i], data[0][i], 8 * r[i].words);
        }
    }
}

TEST_CASE("dma");

HOST_TEST(dma_and_cpu_share_the_bus, p = behaviour_params(_i), .to = BEHAVIOURS) { mixed_dma(); }

/* A behaviour drawn at random: number `i` of this run's seed. */
static host_params random_params(int i)
{
    static const unsigned decodes[] = {2, 3, 4, 6};
    host_params p = host_params_ideal();
    sim_params run;
    sim_params_default(&run);
    srand((unsigned)run.seed * 1000 + (unsigned)i);
    p.decode = decodes[rand() % 4];
    p.hidden_arbitration = rand() % 2;
    p.park = rand() % 3;
    p.grant_delay = (unsigned)rand() % 6;
    p.narrow = rand() % 4 == 0;
    p.write_waits = 2 * ((unsigned)rand() % 4);
    p.read_waits = (unsigned)rand() % 8;
    p.write_retries = rand() % 3 == 0 ? (unsigned)rand() % 4 : 0;
    p.read_retries = rand() % 3 == 0 ? (unsigned)rand() % 4 : 0;
    p.write_buffer = rand() % 2 ? 128u << rand() % 5 : 0;
    p.immediate_reads = rand() % 4 == 0;
    p.splits = 1 + (unsigned)rand() % 6;
    p.split_latency = 8 + (unsigned)rand() % 150;
    p.completion_gap = 2 + (unsigned)rand() % 8;
    p.cuts = (unsigned)rand() % 4;
    for (unsigned i = 0; i < p.cuts; i++) p.cut_adqs[i] = 1 + (unsigned)rand() % 12;
    p.interleave = rand() % 2;
    p.narrow_completions = rand() % 4 == 0;
    p.latency_timer = rand() % 2 ? (unsigned)rand() % 100 : 1u << 30;
    p.fast_start = rand() % 2;
    p.post_depth = 1 + (unsigned)rand() % 16;
    p.retry_delay = 2 + (unsigned)rand() % 20;
    p.narrow_writes = rand() % 4 == 0;
    p.count_modified = rand() % 4 == 0;
    return p;
}

HOST_TEST(dma_and_cpu_share_the_bus_of_a_random_bridge, p = random_params(_i), .to = 40) { mixed_dma(); }

/* --- errors --- */

enum { BASE = 0x100000 };
static uint64_t buffer[512];

static uint32_t config(int reg)
{
    uint32_t value;
    ck_assert_int_eq(host_config_read(b.h, 1, reg, 4, &value), PCIX_OK);
    return value;
}

/* One DMA that must end with this status and leave this bit in register 06h (-1: none) and that one in the PCI-X
 * status; the next one is well again. */
static void one_dma(bool write, int status, int status_bit, int pcix_bit)
{
    fill(buffer, sizeof buffer);
    ck_assert_int_eq(move(write, BASE, 64, buffer), status);
    sim_wait_cycles(b.clk, 50);
    if (status_bit >= 0) ck_assert_uint_ne(config(0x04) >> 16 & 1u << status_bit, 0);
    if (pcix_bit >= 0) ck_assert_uint_ne(config(0x4c) & 1u << pcix_bit, 0);
    host_clear_ranges(b.h);
    ck_assert_int_eq(move(write, BASE + 0x10000, 64, buffer), 0);
}

enum { MASTER_ABORT = 1, TARGET_ABORT = 2, PARITY = 3, MESSAGE = 4 };
static const struct trouble {
    int write, kind;
    unsigned value;
    int status, status_bit, pcix_bit; /* as one_dma takes them */
} troubles[] = {
    {1, HOST_RANGE_NOBODY, 0, MASTER_ABORT, 13, -1},
    {0, HOST_RANGE_NOBODY, 0, MASTER_ABORT, 13, -1},
    {1, HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 12, -1},
    {0, HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 12, -1},
    {1, HOST_RANGE_TARGET_ABORT, 1, TARGET_ABORT, 12, -1},
    {1, HOST_RANGE_TARGET_ABORT, 5, TARGET_ABORT, 12, -1},
    {1, HOST_RANGE_TARGET_ABORT, 61, TARGET_ABORT, 12, -1},
    {1, HOST_RANGE_TARGET_ABORT, 62, TARGET_ABORT, 12, -1},
    {1, HOST_RANGE_TARGET_ABORT, 63, TARGET_ABORT, 12, -1},
    {0, HOST_RANGE_TARGET_ABORT, 7, TARGET_ABORT, 12, -1},
    {0, HOST_RANGE_SPLIT_ERROR, 0x100, MESSAGE, -1, 29},
    {0, HOST_RANGE_SPLIT_ERROR, 0x200 | 1 << 12, MESSAGE, -1, 29},
};

/* --- an idle bus --- */

/* Of two runs. In the first the bridge gets its parameters again in each clock, after which it neither rests nor leaves
 * out anything. */
static struct rest_run {
    bool may_rest;
    uint64_t seen, clocks, steps;
    host_params p;
} rest_run[2];

static void note_clock(void *run, const pcix_sample *s)
{
    struct rest_run *r = run;
    const uint64_t parts[] = {s->clock, s->ad, s->wires, s->driven, s->oe[0], s->oe[1], s->inta, s->phase, s->index};
    for (unsigned k = 0; k < COUNT(parts); k++) r->seen = (r->seen ^ parts[k]) * 0x9e3779b97f4a7c15u + (r->seen >> 29);
    r->clocks++;
    if (!r->may_rest) pcix_bridge_set_params(b.bridge, &r->p);
}

/* An agent that does nothing: it is evaluated in the clocks in which another agent may act. */
static void count_step(void *run, __attribute__((unused)) const pcix_sample *now,
                       __attribute__((unused)) pcix_drive *out)
{
    ((struct rest_run *)run)->steps++;
}
static bool always(__attribute__((unused)) void *self, __attribute__((unused)) const pcix_sample *now) { return true; }

static void work_and_rest(int i)
{
    pcix_bus *bus = host_bus(b.h);
    pcix_bus_set_rest(bus, pcix_bus_add_agent(bus, "counter", count_step, &rest_run[i]), always);
    pcix_bus_add_watcher(bus, note_clock, &rest_run[i]);
    for (unsigned k = 0; k < 60; k++) {
        uint64_t data[3][40] = {{k}}, value;
        core_dma d[3];
        sim_wait_cycles(b.clk, sim_random_below(b.s, 60));
        unsigned what = (unsigned)sim_random_below(b.s, 8);
        if (what & 1) ck_assert_int_eq(host_write(b.h, HOST_REGISTERS + 8, 8, k), PCIX_OK);
        for (unsigned n = 0; n < 3; n++)
            d[n] = (core_dma){.address = 0x100000 + 512 * n, .words = 40, .data = data[n], .tag = n};
        for (unsigned n = 0; n < (what & 2 ? 3 : 0); n++) (n == 1 ? core_user_write : core_user_read)(&b.user, &d[n]);
        if (what & 4) ck_assert_int_eq(host_read(b.h, HOST_REGISTERS + 8, 8, &value), PCIX_OK);
        for (unsigned n = 0; n < (what & 2 ? 3 : 0); n++) ck_assert_int_eq(finish(&d[n]), 0);
    }
    sim_wait_cycles(b.clk, 100);
}

TEST_CASE("rest");

TEST(bus_that_may_rest_makes_the_same_clocks, .to = BEHAVIOURS)
{
    for (int i = 0; i < 2; i++) {
        rest_run[i] = (struct rest_run){.may_rest = i != 0, .p = behaviour_params(_i)};
        host_bench_run(&b, rest_run[i].p, work_and_rest, i);
        host_bench_ok(&b);
    }
    ck_assert_uint_eq(rest_run[0].steps, rest_run[0].clocks);
    ck_assert_uint_lt(rest_run[1].steps, rest_run[1].clocks - 200);
    ck_assert_uint_eq(rest_run[1].clocks, rest_run[0].clocks);
    ck_assert_uint_eq(rest_run[1].seen, rest_run[0].seen);
}

TEST_CASE("trouble");

HOST_TEST(failed_sequence_is_reported_and_the_next_one_works, (p.cuts = 1, p.cut_adqs[0] = 1), .to = COUNT(troubles))
{
    const struct trouble *t = &troubles[_i];
    host_add_range(b.h, &(host_range){BASE, BASE + 0xfff, t->kind, t->value});
    one_dma(t->write, t->status, t->status_bit, t->pcix_bit);
}

static const struct {
    int kind;
    unsigned value;
} awkward[] = {{HOST_RANGE_NARROW, 0},      {HOST_RANGE_RETRY, 9},      {HOST_RANGE_SINGLE, 0},
               {HOST_RANGE_DISCONNECT, 0},  {HOST_RANGE_DISCONNECT, 3}, {HOST_RANGE_DISCONNECT, 12},
               {HOST_RANGE_DISCONNECT, 13}, {HOST_RANGE_WAITS, 10},     {HOST_RANGE_DECODE, 6}};

HOST_TEST(dma_survives_awkward_targets, p, .to = COUNT(awkward))
{
    static uint64_t back[512];
    host_add_range(b.h, &(host_range){BASE, BASE + 0xffff, awkward[_i].kind, awkward[_i].value});
    for (unsigned offset = 0; offset < 128; offset += 8)
        for (int immediate = 0; immediate < 2; immediate++) {
            host_params p = host_params_ideal();
            p.immediate_reads = immediate;
            host_set_params(b.h, &p);
            unsigned words = (unsigned)sim_random_below(b.s, 40) + 1;
            fill(buffer, sizeof buffer);
            ck_assert_int_eq(move(true, BASE + offset, words, buffer), 0);
            memory_read(b.memory, BASE + offset, back, 8 * words);
            ck_assert_mem_eq(back, buffer, 8 * words);
            memset(back, 0, sizeof back);
            ck_assert_int_eq(move(false, BASE + offset, words, back), 0);
            ck_assert_mem_eq(back, buffer, 8 * words);
        }
}

/* Wrong bits on the wires in data, by direction; in which word, and the core's report. */
static const struct noise {
    bool write;
    unsigned index;
    uint64_t ad;
    int status_bit;
} noises[] = {{true, 0, 1, 8}, {true, 63, 1ull << 63, 8}, {false, 2, 1ull << 32, 15}, {false, 63, 1, 15}};

HOST_TEST(wrong_bits_in_data_are_noticed, p, .to = COUNT(noises))
{
    const struct noise *n = &noises[_i];
    unsigned command = n->write ? PCIX_WRITE_BLOCK : PCIX_SPLIT_COMPLETION;
    pcix_fault f = {.initiator = -1, .commands = 1u << command, .phase = PCIX_PH_DATA, .index = n->index, .ad = n->ad};
    pcix_faults_add(b.faults, &f);
    one_dma(n->write, PARITY, n->status_bit, -1);
}

HOST_TEST(wrong_bits_in_a_store_are_noticed, p, .to = 3)
{
    static const int phases[] = {PCIX_PH_DATA, PCIX_PH_ADDRESS, PCIX_PH_ATTRIBUTE};
    /* the byte count of the attribute stays, one reserved or identifying bit is wrong */
    pcix_fault f = {
        .initiator = -1, .commands = 1u << PCIX_MEMORY_WRITE, .phase = phases[_i], .index = 3, .ad = 1u << 12};
    uint8_t line[64];
    pcix_faults_add(b.faults, &f);
    fill(line, 64);
    ck_assert_int_eq(host_write_combined(b.h, HOST_REGISTERS, line, 64), PCIX_OK);
    host_flush(b.h);
    sim_wait_cycles(b.clk, 20);
    uint32_t status = config(0x04) >> 16;
    ck_assert_uint_ne(status & 1u << 15, 0);                              /* detected parity error */
    if (f.phase != PCIX_PH_DATA) ck_assert_uint_ne(status & 1u << 14, 0); /* signalled SERR# */
    else ck_assert_uint_eq(pcix_bridge_get_stats(b.bridge)->perr_met, 1);
}

HOST_TEST(unexpected_completion_is_swallowed_and_noted, p)
{
    pcix_monitor_expect(b.monitor, PCIX_RULE_COMPLETION_UNEXPECTED);
    ck_assert(pcix_bridge_inject_completion(b.bridge, PCIX_ID(0, 1, 0), 3, 0, 256));
    sim_wait_cycles(b.clk, 100);
    ck_assert_uint_ne(config(0x4c) & 1u << 19, 0);
}
