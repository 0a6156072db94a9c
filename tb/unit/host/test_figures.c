/* The figures of pcix.md section 13 that the ready-made behaviours must reproduce, against a decode-C device in C and
 * against the RTL. Clocks are counted inclusively: from the first one named to the last one named, both counted. */
#include "host_bench.h"
#include "test.h"

static uint8_t data[4096], back[4096];
static host_bench b;
static unsigned figure[2]; /* results of a run */

static unsigned measure(host_params p, void (*software)(int), int _i)
{
    host_bench_run(&b, p, software, _i);
    host_bench_ok(&b);
    return figure[0];
}

/* --- the C device --- */

static void dma(int command)
{
    c_dma d = {.command = command, .address = 0x100000, .count = 4096, .data = data};
    c_device_dma(&b.device, &d);
    host_bench_finish(&b, &d, 4000);
    uint64_t from = command == PCIX_WRITE_BLOCK ? d.requested : d.first_start;
    figure[0] = (unsigned)(d.last_data - from + 1);
}

TEST_CASE("device");

TEST(server_writes_4_kb_in_570_clocks)
{
    ck_assert_uint_eq(measure(host_params_server2004(), dma, PCIX_WRITE_BLOCK), 570);
    ck_assert_uint_eq(b.count, 8); /* of 512 bytes each */
}

TEST(server_reads_4_kb_in_592_clocks)
{
    ck_assert_uint_eq(measure(host_params_server2004(), dma, PCIX_READ_BLOCK), 592);
    ck_assert_uint_eq(b.count, 4); /* the request and three completions */
    ck_assert_uint_eq(b.records[1].start - b.records[0].start, 55);
    for (unsigned i = 2; i < 4; i++) /* 10 clocks without data between them */
        ck_assert_uint_eq(b.records[i].first_data - b.records[i - 1].last_data - 1, 10);
}

TEST(server_of_s4_reads_4_kb_in_577_clocks)
{
    measure(host_params_server2006(), dma, PCIX_READ_BLOCK);
    ck_assert_uint_eq(b.count, 2);                                              /* one completion */
    ck_assert_uint_eq(b.records[1].first_data - b.records[0].response - 1, 57); /* waiting */
    ck_assert_uint_eq(b.records[1].last_data - b.records[0].request + 1, 577);
}

TEST(ideal_bridge_adds_next_to_nothing)
{
    /* decode A: address, attribute, one response clock, 512 words; GNT# is parked with the device */
    ck_assert_uint_eq(measure(host_params_ideal(), dma, PCIX_WRITE_BLOCK), 515);
    /* 16 clocks to the completion's address, then address, attribute, three response clocks (decode C), 512 words */
    ck_assert_uint_eq(measure(host_params_ideal(), dma, PCIX_READ_BLOCK), 16 + 5 + 512);
}

/* Clocks for four stores of that size. */
static void stores(int size)
{
    for (int i = 0; i <= 4; i++)
        host_bench_post(&b, HOST_REGISTERS + (unsigned)(size * i), data, (unsigned)size, size == 64);
    host_bench_finish(&b, NULL, 2000);
    figure[0] = (unsigned)(b.records[4].start - b.records[0].start);
}

TEST(descriptor_of_single_stores)
{
    ck_assert_uint_eq(measure(host_params_server2004(), stores, 4), 40);
    ck_assert_uint_eq(measure(host_params_server2006(), stores, 4), 40 - 2); /* the first one waits for GNT# */
    ck_assert_uint_eq(measure(host_params_ideal(), stores, 4), 36);          /* 9 each, the minimum for decode C */
}

TEST(combined_line)
{
    host_params ideal = host_params_ideal();
    ck_assert_uint_eq(measure(host_params_server2004(), stores, 64), 4 * 24);
    ck_assert_uint_eq(measure(ideal, stores, 64), 4 * 15);
    ideal.fast_start = true;
    ck_assert_uint_eq(measure(ideal, stores, 64), 4 * 14);
}

/* Clocks for four parts of lines, of that many bytes. */
static void parts(int size)
{
    for (unsigned i = 0; i <= 4; i++) {
        ck_assert_int_eq(host_combine(b.h, HOST_REGISTERS + 64 * i, data, (size_t)size), PCIX_OK);
        ck_assert_int_eq(host_fence(b.h), PCIX_OK);
    }
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    figure[0] = (unsigned)(b.records[4].start - b.records[0].start);
}

TEST(one_and_two_descriptors_in_a_line)
{
    ck_assert_uint_eq(measure(host_params_server2004(), parts, 16), 4 * 9); /* S4 2.6: 90 ns, */
    ck_assert_uint_eq(measure(host_params_server2006(), parts, 16), 4 * 9);
    ck_assert_uint_eq(measure(host_params_server2004(), parts, 32),
                      4 * 11); /* and 110: one burst of 2 or 4 data phases */
    ck_assert_uint_eq(b.count, 5);
    host_params quiet = host_params_server2004();
    quiet.combining = write_combining_quiet();
    measure(quiet, parts, 16); /* two stores each */
    ck_assert_uint_eq(b.records[4].start - b.records[0].start, 4 * 10);
}

/* --- the RTL --- */

static void the_core(void) { b.core = true; }

TEST_CASE("rtl", .setup = the_core);

static void core_write(__attribute__((unused)) int _i)
{
    core_dma d = {.address = 0x100000, .words = 512, .data = (uint64_t *)data};
    core_user_write(&b.user, &d);
    while (!d.done) sim_wait_cycles(b.clk, 1);
    figure[0] = (unsigned)(b.records[b.count - 1].last_data - b.records[0].request + 1);
}

TEST(rtl_writes_4_kb)
{
    ck_assert_uint_le(measure(host_params_server2004(), core_write, 0), 570);
    ck_assert_uint_le(measure(host_params_ideal(), core_write, 0), 530);
}

static void core_read(__attribute__((unused)) int _i)
{
    core_dma d = {.address = 0x100000, .words = 512, .data = (uint64_t *)back};
    core_user_read(&b.user, &d);
    while (!d.done) sim_wait_cycles(b.clk, 1);
    figure[0] = (unsigned)(b.records[b.count - 1].last_data - b.records[0].start + 1);
}

TEST(rtl_reads_4_kb)
{
    ck_assert_uint_le(measure(host_params_server2004(), core_read, 0), 592);
    ck_assert_uint_le(measure(host_params_ideal(), core_read, 0), 540);
}

/* Clocks from the Split Response to the first word of a read with this many. */
static void core_split(int words)
{
    core_dma d = {.address = 0x100000, .words = (unsigned)words, .data = (uint64_t *)back};
    core_user_read(&b.user, &d);
    while (!d.done) sim_wait_cycles(b.clk, 1);
    figure[0] = (unsigned)(b.records[1].first_data - b.records[0].response - 1);
    figure[1] = (unsigned)(b.records[1].last_data - b.records[0].request + 1);
}

TEST(rtl_waits_for_the_server_of_s4)
{
    ck_assert_uint_eq(measure(host_params_server2006(), core_split, 1), 46);
    ck_assert_uint_eq(measure(host_params_server2006(), core_split, 512), 57);
    ck_assert_uint_eq(figure[1], 577);
}

/* Share of clocks with data while four reads are kept outstanding, in per mille. */
static void core_many_reads(__attribute__((unused)) int _i)
{
    enum { N = 32 };
    static core_dma d[N];
    for (unsigned i = 0; i < N; i++) {
        d[i] = (core_dma){.address = 0x100000 + 4096 * i, .words = 512, .data = (uint64_t *)back, .tag = i % 4};
        core_user_read(&b.user, &d[i]);
    }
    while (!d[3].done) sim_wait_cycles(b.clk, 1);
    host_stats_clear(b.h);
    while (!d[N - 5].done) sim_wait_cycles(b.clk, 1);
    const host_stats *t = host_get_stats(b.h);
    figure[0] = (unsigned)(1000 * t->data_clocks / t->clocks);
}

TEST(rtl_keeps_the_bus_full_with_four_splits)
{
    ck_assert_uint_ge(measure(host_params_ideal(), core_many_reads, 0), 950);
    ck_assert_uint_ge(measure(host_params_server2004(), core_many_reads, 0), 930);
}

/* Clocks for four single stores, and from one combined line to the next. */
static void core_stores(__attribute__((unused)) int _i)
{
    for (unsigned i = 0; i < 5; i++) ck_assert_int_eq(host_write(b.h, HOST_REGISTERS + 4 * i, 4, i), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    figure[0] = (unsigned)(b.records[4].start - b.records[0].start);
    b.count = 0;
    for (unsigned i = 0; i < 2; i++)
        ck_assert_int_eq(host_write_combined(b.h, HOST_REGISTERS + 64 * i, data, 64), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    figure[1] = (unsigned)(b.records[1].start - b.records[0].start);
}

TEST(rtl_takes_descriptors)
{
    ck_assert_uint_eq(measure(host_params_server2004(), core_stores, 0), 40);
    ck_assert_uint_eq(figure[1], 24);
    ck_assert_uint_le(measure(host_params_ideal(), core_stores, 0), 40);
    ck_assert_uint_le(figure[1], 15);
}
