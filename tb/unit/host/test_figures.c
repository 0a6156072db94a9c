/* The figures of pcix.md section 13 that the ready-made behaviours must reproduce, against a decode-C device in C and against the RTL.
 * Clocks are counted inclusively: from the first one named to the last one named, both counted. */
#include <stdlib.h>
#include <string.h>

#include "bridge_bench.h"
#include "core_splits.h"
#include "core_user.h"
#include "sim/host/host.h"
#include "simulation.h"
#include "test.h"

static uint8_t data[4096], back[4096];

/* --- the C device --- */

static bridge_bench b;

static unsigned dma(const host_params *p, int command)
{
    bench_init(&b, p);
    c_dma d = {.command = command, .address = 0x100000, .count = 4096, .data = data};
    c_device_dma(&b.device, &d);
    bench_finish(&b, &d, 4000);
    uint64_t from = command == PCIX_WRITE_BLOCK ? d.requested : d.first_start;
    return (unsigned)(d.last_data - from + 1);
}

TEST_CASE("device");

TEST(server_writes_4_kb_in_570_clocks)
{
    host_params p = host_params_server2004();
    ck_assert_uint_eq(dma(&p, PCIX_WRITE_BLOCK), 570);
    ck_assert_uint_eq(b.count, 8); /* of 512 bytes each */
}

TEST(server_reads_4_kb_in_592_clocks)
{
    host_params p = host_params_server2004();
    ck_assert_uint_eq(dma(&p, PCIX_READ_BLOCK), 592);
    ck_assert_uint_eq(b.count, 4); /* the request and three completions */
    ck_assert_uint_eq(b.records[1].start - b.records[0].start, 55);
    for (unsigned i = 2; i < 4; i++) /* 10 clocks without data between them */
        ck_assert_uint_eq(b.records[i].first_data - b.records[i - 1].last_data - 1, 10);
}

TEST(ideal_bridge_adds_next_to_nothing)
{
    host_params p = host_params_ideal();
    /* decode A: address, attribute, one response clock, 512 words; GNT# is parked with the device */
    ck_assert_uint_eq(dma(&p, PCIX_WRITE_BLOCK), 515);
    /* 16 clocks to the completion's address, then address, attribute, three response clocks (decode C), 512 words */
    ck_assert_uint_eq(dma(&p, PCIX_READ_BLOCK), 16 + 5 + 512);
}

static unsigned stores(const host_params *p, unsigned count, unsigned size)
{
    bench_init(&b, p);
    for (unsigned i = 0; i <= count; i++) bench_post(&b, 0xd0000000 + size * i, data, size, size == 64);
    bench_finish(&b, NULL, 2000);
    return (unsigned)(b.records[count].start - b.records[0].start);
}

TEST(descriptor_of_single_stores)
{
    host_params server = host_params_server2004(), ideal = host_params_ideal();
    ck_assert_uint_eq(stores(&server, 4, 4), 40);
    ck_assert_uint_eq(stores(&ideal, 4, 4), 36); /* 9 each, the minimum for decode C */
}

TEST(combined_line)
{
    host_params server = host_params_server2004(), ideal = host_params_ideal();
    ck_assert_uint_eq(stores(&server, 3, 64), 3 * 24);
    ck_assert_uint_eq(stores(&ideal, 3, 64), 3 * 15);
    ideal.fast_start = true;
    ck_assert_uint_eq(stores(&ideal, 3, 64), 3 * 14);
}

/* --- the RTL --- */

enum { REGISTERS = 0xd0000000u, SEQUENCES = 8 };
static sim *s;
static sim_clock *clk;
static host *h;
static core_user user;
static pcix_transaction records[256];
static unsigned count;

static void record(void *arg, const pcix_transaction *t)
{
    (void)arg;
    if (count < 256) records[count++] = *t;
}

static void bring_up(void)
{
    host_reset(h);
    ck_assert_int_eq(host_config_write(h, 1, 0x14, 4, REGISTERS), PCIX_OK);
    ck_assert_int_eq(host_config_write(h, 1, 0x04, 2, 0x146), PCIX_OK);
    ck_assert_int_eq(host_config_write(h, 1, 0x4a, 2, 0x3c), PCIX_OK);
    sim_wait_cycles(clk, 20);
    count = 0;
}

CLEANUP(host_free);

static void run(const host_params *p, void (*software)(void *), void *arg)
{
    s = loud_sim(0);
    clk = make_clock(s, "pci", 10 * SIM_NS, 0);
    h = host_new(s, clk, p, "host");
    after_test(host_free_cleanup, h);
    core_splits *m = core_splits_new(s, "core");
    sim_model_clock(m->model, clk, m->clk);
    pcix_pins pins = CORE_PINS(m);
    host_plug(h, 1, &pins);
    core_user_init(&user, clk, m->model);
    host_on_transaction(h, record, NULL);
    sim_task_new(s, "software", software, arg);
    int r = sim_run(s, 20 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(s));
}

static void core_write(void *clocks)
{
    bring_up();
    core_dma d = {.address = 0x100000, .words = 512, .data = (uint64_t *)data};
    core_user_write(&user, &d);
    while (!d.done) sim_wait_cycles(clk, 1);
    *(unsigned *)clocks = (unsigned)(records[count - 1].last_data - records[0].request + 1);
}

static void core_read(void *clocks)
{
    bring_up();
    core_dma d = {.address = 0x100000, .words = 512, .data = (uint64_t *)back};
    core_user_read(&user, &d);
    while (!d.done) sim_wait_cycles(clk, 1);
    *(unsigned *)clocks = (unsigned)(records[count - 1].last_data - records[0].start + 1);
}

TEST_CASE("rtl");

TEST(rtl_writes_4_kb)
{
    host_params server = host_params_server2004(), ideal = host_params_ideal();
    unsigned clocks;
    run(&server, core_write, &clocks);
    ck_assert_uint_le(clocks, 570);
    run(&ideal, core_write, &clocks);
    ck_assert_uint_le(clocks, 530);
}

TEST(rtl_reads_4_kb)
{
    host_params server = host_params_server2004(), ideal = host_params_ideal();
    unsigned clocks;
    run(&server, core_read, &clocks);
    ck_assert_uint_le(clocks, 592);
    run(&ideal, core_read, &clocks);
    ck_assert_uint_le(clocks, 540);
}

/* Share of clocks with data while four reads are kept outstanding, in per mille. */
static void core_many_reads(void *share)
{
    static core_dma d[SEQUENCES * 4];
    enum { N = SEQUENCES * 4 };
    bring_up();
    for (unsigned i = 0; i < N; i++) {
        d[i] = (core_dma){.address = 0x100000 + 4096 * i, .words = 512, .data = (uint64_t *)back, .tag = i % 4};
        core_user_read(&user, &d[i]);
    }
    while (!d[3].done) sim_wait_cycles(clk, 1);
    host_stats_clear(h);
    while (!d[N - 5].done) sim_wait_cycles(clk, 1);
    const host_stats *t = host_get_stats(h);
    *(unsigned *)share = (unsigned)(1000 * t->data_clocks / t->clocks);
}

TEST(rtl_keeps_the_bus_full_with_four_splits)
{
    host_params server = host_params_server2004(), ideal = host_params_ideal();
    unsigned share;
    run(&ideal, core_many_reads, &share);
    ck_assert_uint_ge(share, 950);
    run(&server, core_many_reads, &share);
    ck_assert_uint_ge(share, 930);
}

static void core_stores(void *arg)
{
    unsigned *clocks = arg;
    bring_up();
    for (unsigned i = 0; i < 5; i++) ck_assert_int_eq(host_write(h, REGISTERS + 4 * i, 4, i), PCIX_OK);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    clocks[0] = (unsigned)(records[4].start - records[0].start);
    count = 0;
    for (unsigned i = 0; i < 2; i++) ck_assert_int_eq(host_write_combined(h, REGISTERS + 64 * i, data, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    clocks[1] = (unsigned)(records[1].start - records[0].start);
}

TEST(rtl_takes_descriptors)
{
    host_params server = host_params_server2004(), ideal = host_params_ideal();
    unsigned clocks[2];
    run(&server, core_stores, clocks);
    ck_assert_uint_eq(clocks[0], 40);
    ck_assert_uint_eq(clocks[1], 24);
    run(&ideal, core_stores, clocks);
    ck_assert_uint_le(clocks[0], 40);
    ck_assert_uint_le(clocks[1], 15);
}
