/* The figures of pcix.md section 13 that the ready-made behaviours must reproduce, against a decode-C device in C and against the RTL.
 * Clocks are counted inclusively: from the first one named to the last one named, both counted. */

#include "bridge_bench.h"
#include "host_bench.h"
#include "test.h"

static uint8_t data[4096], back[4096];

/* --- the C device --- */

static bridge_bench b;

static unsigned dma(host_params p, int command)
{
    bench_init(&b, &p);
    c_dma d = {.command = command, .address = 0x100000, .count = 4096, .data = data};
    c_device_dma(&b.device, &d);
    bench_finish(&b, &d, 4000);
    uint64_t from = command == PCIX_WRITE_BLOCK ? d.requested : d.first_start;
    return (unsigned)(d.last_data - from + 1);
}

TEST_CASE("device");

TEST(server_writes_4_kb_in_570_clocks)
{
    ck_assert_uint_eq(dma(host_params_server2004(), PCIX_WRITE_BLOCK), 570);
    ck_assert_uint_eq(b.count, 8); /* of 512 bytes each */
}

TEST(server_reads_4_kb_in_592_clocks)
{
    ck_assert_uint_eq(dma(host_params_server2004(), PCIX_READ_BLOCK), 592);
    ck_assert_uint_eq(b.count, 4); /* the request and three completions */
    ck_assert_uint_eq(b.records[1].start - b.records[0].start, 55);
    for (unsigned i = 2; i < 4; i++) /* 10 clocks without data between them */
        ck_assert_uint_eq(b.records[i].first_data - b.records[i - 1].last_data - 1, 10);
}

TEST(ideal_bridge_adds_next_to_nothing)
{
    /* decode A: address, attribute, one response clock, 512 words; GNT# is parked with the device */
    ck_assert_uint_eq(dma(host_params_ideal(), PCIX_WRITE_BLOCK), 515);
    /* 16 clocks to the completion's address, then address, attribute, three response clocks (decode C), 512 words */
    ck_assert_uint_eq(dma(host_params_ideal(), PCIX_READ_BLOCK), 16 + 5 + 512);
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

static host_bench c = {.core = true};
static pcix_transaction records[256];
static unsigned count;

static void record(void *arg, const pcix_transaction *t)
{
    (void)arg;
    if (count < 256) records[count++] = *t;
}

static void bring_up(void)
{
    host_bench_up(&c);
    host_on_transaction(c.h, record, NULL);
    sim_wait_cycles(c.clk, 20);
    count = 0;
}

static unsigned figure[2]; /* what a run has measured */

static void core_write(__attribute__((unused)) int _i)
{
    bring_up();
    core_dma d = {.address = 0x100000, .words = 512, .data = (uint64_t *)data};
    core_user_write(&c.user, &d);
    while (!d.done) sim_wait_cycles(c.clk, 1);
    figure[0] = (unsigned)(records[count - 1].last_data - records[0].request + 1);
}

static void core_read(__attribute__((unused)) int _i)
{
    bring_up();
    core_dma d = {.address = 0x100000, .words = 512, .data = (uint64_t *)back};
    core_user_read(&c.user, &d);
    while (!d.done) sim_wait_cycles(c.clk, 1);
    figure[0] = (unsigned)(records[count - 1].last_data - records[0].start + 1);
}

/* Share of clocks with data while four reads are kept outstanding, in per mille. */
static void core_many_reads(__attribute__((unused)) int _i)
{
    enum { N = 32 };
    static core_dma d[N];
    bring_up();
    for (unsigned i = 0; i < N; i++) {
        d[i] = (core_dma){.address = 0x100000 + 4096 * i, .words = 512, .data = (uint64_t *)back, .tag = i % 4};
        core_user_read(&c.user, &d[i]);
    }
    while (!d[3].done) sim_wait_cycles(c.clk, 1);
    host_stats_clear(c.h);
    while (!d[N - 5].done) sim_wait_cycles(c.clk, 1);
    const host_stats *t = host_get_stats(c.h);
    figure[0] = (unsigned)(1000 * t->data_clocks / t->clocks);
}

/* From one descriptor of single stores to the next, and between combined lines. */
static void core_stores(__attribute__((unused)) int _i)
{
    bring_up();
    for (unsigned i = 0; i < 5; i++) ck_assert_int_eq(host_write(c.h, HOST_REGISTERS + 4 * i, 4, i), PCIX_OK);
    ck_assert_int_eq(host_flush(c.h), PCIX_OK);
    figure[0] = (unsigned)(records[4].start - records[0].start);
    count = 0;
    for (unsigned i = 0; i < 2; i++) ck_assert_int_eq(host_write_combined(c.h, HOST_REGISTERS + 64 * i, data, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(c.h), PCIX_OK);
    figure[1] = (unsigned)(records[1].start - records[0].start);
}

static unsigned measure(host_params p, void (*software)(int))
{
    host_bench_run(&c, p, software, 0);
    host_bench_ok(&c);
    return figure[0];
}

TEST_CASE("rtl");

TEST(rtl_writes_4_kb)
{
    ck_assert_uint_le(measure(host_params_server2004(), core_write), 570);
    ck_assert_uint_le(measure(host_params_ideal(), core_write), 530);
}

TEST(rtl_reads_4_kb)
{
    ck_assert_uint_le(measure(host_params_server2004(), core_read), 592);
    ck_assert_uint_le(measure(host_params_ideal(), core_read), 540);
}

TEST(rtl_keeps_the_bus_full_with_four_splits)
{
    ck_assert_uint_ge(measure(host_params_ideal(), core_many_reads), 950);
    ck_assert_uint_ge(measure(host_params_server2004(), core_many_reads), 930);
}

TEST(rtl_takes_descriptors)
{
    ck_assert_uint_eq(measure(host_params_server2004(), core_stores), 40);
    ck_assert_uint_eq(figure[1], 24);
    ck_assert_uint_le(measure(host_params_ideal(), core_stores), 40);
    ck_assert_uint_le(figure[1], 15);
}
