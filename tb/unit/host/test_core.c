/* The host and the RTL of the NIC's bus interface: every access and every DMA under every behaviour of the bridge, and what goes wrong.
 * Every clock is judged by the monitor. */
#include <stdlib.h>
#include <string.h>

#include "behaviours.h"
#include "core_splits.h"
#include "core_user.h"
#include "sim/host/host.h"
#include "simulation.h"
#include "test.h"

enum { WINDOW = 0xc8000000u, REGISTERS = 0xd0000000u, SPLITS = 4 };

static sim *s;
static sim_clock *clk;
static host *h;
static core_splits *m;
static core_user user;
static int agent;

static void bring_up(void)
{
    host_reset(h);
    uint32_t id = 0;
    ck_assert_int_eq(host_config_read(h, 1, 0x00, 4, &id), PCIX_OK);
    ck_assert_uint_eq(id, 0x17df1600u);
    ck_assert_int_eq(host_config_write(h, 1, 0x10, 4, WINDOW), PCIX_OK);
    ck_assert_int_eq(host_config_write(h, 1, 0x14, 4, REGISTERS), PCIX_OK);
    ck_assert_int_eq(host_config_write(h, 1, 0x04, 2, 0x146), PCIX_OK); /* memory, master, parity response, SERR# */
    ck_assert_int_eq(host_config_write(h, 1, 0x4a, 2, 0x3c), PCIX_OK);  /* 4096-byte reads, as many splits as there are */
}

CLEANUP(host_free);

/* Runs `software` as a task on a fresh host and core. */
static void run(const host_params *p, void (*software)(void *))
{
    s = loud_sim(0);
    clk = make_clock(s, "pci", 10 * SIM_NS, 0);
    h = host_new(s, clk, p, "host");
    after_test(host_free_cleanup, h);
    ck_assert_ptr_nonnull(h);
    m = core_splits_new(s, "core");
    sim_model_clock(m->model, clk, m->clk);
    pcix_pins pins = CORE_PINS(m);
    agent = host_plug(h, 1, &pins);
    ck_assert_int_ge(agent, 0);
    core_user_init(&user, clk, m->model);
    sim_task_new(s, "software", software, NULL);
    int r = sim_run(s, 20 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(s));
    ck_assert_uint_eq(user.problems, 0);
    ck_assert_uint_eq(user.underflows, 0);
    ck_assert_uint_eq(pcix_monitor_violations(host_monitor(h)), 0);
    ck_assert_uint_eq(pcix_monitor_missing(host_monitor(h)), 0);
}

static void fill(void *to, size_t size)
{
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = (uint8_t)sim_random(s);
}

static int dma_done(void *arg)
{
    return ((core_dma *)arg)->done;
}
static void finish(core_dma *d)
{
    uint64_t until = sim_clock_cycles(clk) + 20000;
    while (!dma_done(d)) {
        ck_assert_msg(sim_clock_cycles(clk) < until, "DMA of %u words at %llx does not end", d->words, (unsigned long long)d->address);
        sim_wait_cycles(clk, 1);
    }
}

/* --- the CPU's accesses --- */

static void sizes_and_places(void *arg)
{
    (void)arg;
    static uint8_t want[CORE_REGISTERS];
    bring_up();
    for (int i = 0; i < 300; i++) {
        int size = (int)sim_random_below(s, 8) + 1;
        uint64_t at = 8 * sim_random_below(s, 64) + sim_random_below(s, (uint64_t)(9 - size)), value, got;
        fill(&value, 8);
        ck_assert_int_eq(host_write(h, REGISTERS + at, size, value), PCIX_OK);
        memcpy(want + at, &value, (size_t)size);
        at = 8 * sim_random_below(s, 64) + sim_random_below(s, (uint64_t)(9 - size));
        ck_assert_int_eq(host_read(h, REGISTERS + at, size, &got), PCIX_OK);
        value = 0;
        memcpy(&value, want + at, (size_t)size);
        ck_assert_uint_eq(got, value);
    }
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    ck_assert_mem_eq(user.registers, want, sizeof want);
}

TEST_CASE("cpu");

TEST(registers_take_accesses_of_every_size_and_place, .to = behaviour_count())
{
    host_params p = behaviour_params(_i);
    run(&p, sizes_and_places);
}

static const uint8_t orders[][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, HOST_FLUSH_BREAK, 2, 3, HOST_FLUSH_BREAK, 4, 5, HOST_FLUSH_BREAK, 6, 7},
    {1, 3, 5, 7, 0, 2, 4, 6},
};
static const int order_counts[] = {8, 8, 8, 11, 8};
static const unsigned order_bursts[] = {1, 8, 2, 4, 8};
static int order;
static unsigned bursts;

static void count_bursts(void *arg, const pcix_transaction *t)
{
    (void)arg;
    bursts += t->command == PCIX_MEMORY_WRITE;
}

static void combined_lines(void *arg)
{
    (void)arg;
    uint8_t line[64];
    bring_up();
    host_on_transaction(h, count_bursts, NULL);
    host_set_flush_order(h, orders[order], order_counts[order]);
    bursts = 0;
    fill(line, 64);
    ck_assert_int_eq(host_write_combined(h, REGISTERS + 0x4000, line, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    sim_wait_cycles(clk, 10);
    ck_assert_mem_eq(user.registers + 0x4000, line, 64);
    ck_assert_uint_eq(bursts, order_bursts[order]);
    ck_assert_int_eq(host_write_combined(h, REGISTERS + 0x4050, line, 40), PCIX_OK);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    sim_wait_cycles(clk, 10);
    ck_assert_mem_eq(user.registers + 0x4050, line, 40 < 0x30 ? 40 : 0x30);
}

TEST(combined_lines_arrive_in_any_order, .to = COUNT(orders))
{
    host_params p = host_params_ideal();
    order = _i;
    run(&p, combined_lines);
}

static void blocks(void *arg)
{
    (void)arg;
    uint8_t got[4096];
    bring_up();
    fill(user.registers, sizeof user.registers);
    for (int i = 0; i < 40; i++) {
        size_t size = sim_random_below(s, 4096) + 1, at = sim_random_below(s, sizeof user.registers - size);
        ck_assert_int_eq(host_read_block(h, REGISTERS + at, got, size), PCIX_OK);
        ck_assert_mem_eq(got, user.registers + at, size);
    }
}

TEST(blocks_of_registers_are_read, .to = behaviour_count())
{
    host_params p = behaviour_params(_i);
    run(&p, blocks);
}

static void window_accesses(void *arg)
{
    (void)arg;
    uint8_t line[64], got[64];
    bring_up();
    fill(line, 64);
    ck_assert_int_eq(host_write_combined(h, WINDOW + 0x100, line, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    sim_wait_cycles(clk, 40);
    ck_assert_mem_eq(user.window + 0x100, line, 64);
    ck_assert_int_eq(host_read_block(h, WINDOW + 0x100, got, 64), PCIX_OK);
    ck_assert_mem_eq(got, line, 64);
    uint64_t word;
    ck_assert_int_eq(host_read(h, WINDOW + 0x104, 4, &word), PCIX_OK);
    ck_assert_mem_eq(&word, line + 4, 4);
}

TEST(window_is_written_and_read, .to = behaviour_count())
{
    host_params p = behaviour_params(_i);
    run(&p, window_accesses);
}

/* --- DMA --- */

static void mixed_dma(void *arg)
{
    (void)arg;
    enum { N = 12 };
    static uint64_t data[2][N][512];
    core_dma w[N], r[N];
    bring_up();
    fill(data[0], sizeof data[0]);
    for (int round = 0; round < 3; round++) {
        uint64_t base = round == 1 ? 0x3400000000ull : 0x100000;
        for (unsigned i = 0; i < N; i++) {
            unsigned words = i == 0 ? 512 : (unsigned)sim_random_below(s, round == 2 ? 8 : 512) + 1;
            uint64_t at = base + 0x4000 * i + 8 * sim_random_below(s, 300);
            w[i] = (core_dma){.address = at, .words = words, .data = data[0][i]};
            core_user_write(&user, &w[i]);
            /* reads of what other memory holds, at the same time */
            uint64_t from = base + 0x400000 + 0x4000 * i + 8 * sim_random_below(s, 300);
            memory_write(host_memory(h), from, data[0][i], 4096);
            r[i] = (core_dma){.address = from, .words = (unsigned)sim_random_below(s, 512) + 1, .data = data[1][i], .tag = i % SPLITS};
            core_user_read(&user, &r[i]);
        }
        for (unsigned i = 0; i < 100; i++) { /* and the CPU's accesses between them */
            uint64_t got;
            ck_assert_int_eq(host_write(h, REGISTERS + 8 * i, 8, i), PCIX_OK);
            ck_assert_int_eq(host_read(h, REGISTERS + 8 * i, 8, &got), PCIX_OK);
            ck_assert_uint_eq(got, i);
        }
        for (unsigned i = 0; i < N; i++) {
            uint8_t got[4096];
            finish(&w[i]);
            ck_assert_int_eq(w[i].status, 0);
            memory_read(host_memory(h), w[i].address, got, 8 * w[i].words);
            ck_assert_mem_eq(got, data[0][i], 8 * w[i].words);
            finish(&r[i]);
            ck_assert_int_eq(r[i].status, 0);
            ck_assert_mem_eq(data[1][i], data[0][i], 8 * r[i].words);
        }
    }
}

TEST_CASE("dma");

TEST(dma_and_cpu_share_the_bus, .to = behaviour_count())
{
    host_params p = behaviour_params(_i);
    run(&p, mixed_dma);
}

/* A behaviour drawn at random; `seed` says which. */
static host_params random_params(unsigned seed)
{
    static const unsigned decodes[] = {2, 3, 4, 6};
    host_params p = host_params_ideal();
    srand(seed);
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

TEST(dma_and_cpu_share_the_bus_of_a_random_bridge, .to = 40)
{
    sim_params sp;
    sim_params_default(&sp);
    host_params p = random_params((unsigned)sp.seed * 1000 + (unsigned)_i);
    run(&p, mixed_dma);
}

/* --- what goes wrong --- */

enum { BASE = 0x100000 };
static host_range range;
static pcix_fault fault;
static core_dma dma;
static uint64_t buffer[512];
static uint32_t status_bits; /* configuration register 04h, upper half, and PCI-X status after the trouble */
static uint32_t pcix_status;

static void one_dma(int write)
{
    bring_up();
    if (range.to != 0) host_add_range(h, &range);
    if (fault.phase != 0) pcix_faults_add(host_faults(h), &fault);
    dma = (core_dma){.address = BASE, .words = 64, .data = buffer};
    fill(buffer, sizeof buffer);
    if (write) core_user_write(&user, &dma);
    else core_user_read(&user, &dma);
    finish(&dma);
    sim_wait_cycles(clk, 50);
    uint32_t v;
    ck_assert_int_eq(host_config_read(h, 1, 0x04, 4, &v), PCIX_OK);
    status_bits = v >> 16;
    ck_assert_int_eq(host_config_read(h, 1, 0x4c, 4, &pcix_status), PCIX_OK);
    /* the next one is well again */
    host_clear_ranges(h);
    int status = dma.status;
    core_dma next = {.address = BASE + 0x10000, .words = 64, .data = buffer};
    if (write) core_user_write(&user, &next);
    else core_user_read(&user, &next);
    finish(&next);
    ck_assert_int_eq(next.status, 0);
    dma.status = status;
}

static void one_write(void *arg)
{
    (void)arg, one_dma(1);
}
static void one_read(void *arg)
{
    (void)arg, one_dma(0);
}

enum { MASTER_ABORT = 1, TARGET_ABORT = 2, PARITY = 3, MESSAGE = 4 };
static const struct trouble {
    int write, kind;
    unsigned value;
    int status;
    unsigned status_bit; /* of register 06h */
    unsigned pcix_bit;   /* of the PCI-X status, 0 = none */
} troubles[] = {
    {1, HOST_RANGE_NOBODY, 0, MASTER_ABORT, 13, 0},        {0, HOST_RANGE_NOBODY, 0, MASTER_ABORT, 13, 0},
    {1, HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 12, 0},  {0, HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 12, 0},
    {1, HOST_RANGE_TARGET_ABORT, 1, TARGET_ABORT, 12, 0},  {1, HOST_RANGE_TARGET_ABORT, 5, TARGET_ABORT, 12, 0},
    {1, HOST_RANGE_TARGET_ABORT, 61, TARGET_ABORT, 12, 0}, {1, HOST_RANGE_TARGET_ABORT, 62, TARGET_ABORT, 12, 0},
    {1, HOST_RANGE_TARGET_ABORT, 63, TARGET_ABORT, 12, 0}, {0, HOST_RANGE_TARGET_ABORT, 7, TARGET_ABORT, 12, 0},
    {0, HOST_RANGE_SPLIT_ERROR, 0x100, MESSAGE, 0, 29},    {0, HOST_RANGE_SPLIT_ERROR, 0x200 | 1 << 12, MESSAGE, 0, 29},
};

TEST_CASE("trouble");

TEST(failed_sequence_is_reported_and_the_next_one_works, .to = COUNT(troubles))
{
    const struct trouble *t = &troubles[_i];
    host_params p = host_params_ideal();
    p.cuts = 1;
    p.cut_adqs[0] = 1;
    range = (host_range){BASE, BASE + 0xfff, t->kind, t->value};
    fault = (pcix_fault){0};
    run(&p, t->write ? one_write : one_read);
    ck_assert_int_eq(dma.status, t->status);
    if (t->status_bit != 0) ck_assert_uint_ne(status_bits & 1u << t->status_bit, 0);
    if (t->pcix_bit != 0) ck_assert_uint_ne(pcix_status & 1u << t->pcix_bit, 0);
}

static const host_range awkward[] = {
    {0, 0, HOST_RANGE_NARROW, 0},      {0, 0, HOST_RANGE_RETRY, 9},      {0, 0, HOST_RANGE_SINGLE, 0},
    {0, 0, HOST_RANGE_DISCONNECT, 0},  {0, 0, HOST_RANGE_DISCONNECT, 3}, {0, 0, HOST_RANGE_DISCONNECT, 12},
    {0, 0, HOST_RANGE_DISCONNECT, 13}, {0, 0, HOST_RANGE_WAITS, 10},     {0, 0, HOST_RANGE_DECODE, 6},
};

static void awkward_dma(void *arg)
{
    static uint64_t back[512];
    (void)arg;
    bring_up();
    host_add_range(h, &range);
    for (unsigned offset = 0; offset < 128; offset += 8)
        for (int immediate = 0; immediate < 2; immediate++) {
            host_params p = host_params_ideal();
            p.immediate_reads = immediate;
            host_set_params(h, &p);
            unsigned words = (unsigned)sim_random_below(s, 40) + 1;
            dma = (core_dma){.address = BASE + offset, .words = words, .data = buffer};
            fill(buffer, sizeof buffer);
            core_user_write(&user, &dma);
            finish(&dma);
            ck_assert_int_eq(dma.status, 0);
            memory_read(host_memory(h), BASE + offset, back, 8 * words);
            ck_assert_mem_eq(back, buffer, 8 * words);
            memset(back, 0, sizeof back);
            dma = (core_dma){.address = BASE + offset, .words = words, .data = back};
            core_user_read(&user, &dma);
            finish(&dma);
            ck_assert_int_eq(dma.status, 0);
            ck_assert_mem_eq(back, buffer, 8 * words);
        }
}

TEST(dma_survives_awkward_targets, .to = COUNT(awkward))
{
    host_params p = host_params_ideal();
    range = awkward[_i];
    range.from = BASE;
    range.to = BASE + 0xffff;
    run(&p, awkward_dma);
}

/* Wrong bits on the wires, by phase and direction; which status the core gives, -1 = its DMA is not concerned. */
static const struct noise {
    int write, commands, phase;
    unsigned index;
    uint64_t ad;
    int status;
    unsigned status_bit;
} noises[] = {
    {1, 1 << PCIX_WRITE_BLOCK, PCIX_PH_DATA, 0, 1, PARITY, 8},
    {1, 1 << PCIX_WRITE_BLOCK, PCIX_PH_DATA, 63, 1ull << 63, PARITY, 8},
    {0, 1 << PCIX_SPLIT_COMPLETION, PCIX_PH_DATA, 2, 1ull << 32, PARITY, 15},
    {0, 1 << PCIX_SPLIT_COMPLETION, PCIX_PH_DATA, 63, 1, PARITY, 15},
};

TEST(wrong_bits_in_data_are_noticed, .to = COUNT(noises))
{
    const struct noise *n = &noises[_i];
    host_params p = host_params_ideal();
    range = (host_range){0};
    fault = (pcix_fault){.initiator = -1, .commands = (unsigned)n->commands, .phase = n->phase, .index = n->index, .ad = n->ad};
    run(&p, n->write ? one_write : one_read);
    ck_assert_int_eq(dma.status, n->status);
    ck_assert_uint_ne(status_bits & 1u << n->status_bit, 0);
}

static void noisy_store(void *arg)
{
    (void)arg;
    bring_up();
    pcix_faults_add(host_faults(h), &fault);
    uint8_t line[64];
    fill(line, 64);
    ck_assert_int_eq(host_write_combined(h, REGISTERS, line, 64), PCIX_OK);
    host_flush(h);
    sim_wait_cycles(clk, 20);
    uint32_t v;
    ck_assert_int_eq(host_config_read(h, 1, 0x04, 4, &v), PCIX_OK);
    ck_assert_uint_ne(v >> 16 & 1u << 15, 0);                                  /* detected parity error */
    if (fault.phase != PCIX_PH_DATA) ck_assert_uint_ne(v >> 16 & 1u << 14, 0); /* signalled SERR# */
    else ck_assert_uint_eq(pcix_bridge_get_stats(host_bridge(h))->perr_met, 1);
}

TEST(wrong_bits_in_a_store_are_noticed, .to = 3)
{
    static const int phases[] = {PCIX_PH_DATA, PCIX_PH_ADDRESS, PCIX_PH_ATTRIBUTE};
    host_params p = host_params_ideal();
    /* the byte count of the attribute stays, one reserved or identifying bit is wrong */
    fault = (pcix_fault){.initiator = -1, .commands = 1u << PCIX_MEMORY_WRITE, .phase = phases[_i], .index = 3, .ad = 1u << 12};
    run(&p, noisy_store);
}

static void unexpected(void *arg)
{
    (void)arg;
    bring_up();
    pcix_monitor_expect(host_monitor(h), PCIX_RULE_COMPLETION_UNEXPECTED);
    ck_assert(pcix_bridge_inject_completion(host_bridge(h), PCIX_ID(0, 1, 0), 3, 0, 256));
    sim_wait_cycles(clk, 100);
    ck_assert_int_eq(host_config_read(h, 1, 0x4c, 4, &pcix_status), PCIX_OK);
    ck_assert_uint_ne(pcix_status & 1u << 19, 0);
}

TEST(unexpected_completion_is_swallowed_and_noted)
{
    host_params p = host_params_ideal();
    run(&p, unexpected);
}
