/* Both kinds of external memory: what holds for each of them, and the ZBT SRAM's timing. */
#include <stdlib.h>
#include <string.h>

#include "external_bench.h"
#include "memory_exerciser.h"
#include "simulation.h"
#include "test.h"

/* ---- the ZBT SRAM, clock by clock */

TEST_CASE("memories", .timeout = 60);

TEST(a_zbt_takes_one_access_per_clock_in_any_mixture)
{
    external_params p = external_params_zbt();
    external_bench *b = external_bench_new(&p, 0);
    /* clock: 1 W, 2 R, 3 W, 4 R ... each read of the word written the clock before; answers two clocks after their
     * request */
    for (unsigned i = 0; i < 100; i++) {
        external_bench_write(b, 1, 7 * i, 0x1111111100000000u + i, (uint8_t)(i + 1), 0x1ff);
        external_bench_read(b, 1, 7 * i);
    }
    external_bench_run(b, 210, SIM_TIME_LIMIT);
    ck_assert_uint_eq(b->answers, 100);
    for (unsigned i = 0; i < 200; i++) ck_assert_uint_eq(b->taken_at[i], i + 1);
    for (unsigned i = 0; i < 100; i++) {
        ck_assert_uint_eq(b->answered_at[i], 2 * i + 2 + 2);
        ck_assert_uint_eq(b->answer[i], 0x1111111100000000u + i);
        ck_assert_uint_eq(b->answer_tag[i], (uint8_t)(i + 1));
    }
}

TEST(the_latency_of_a_zbt_is_its_parameter, .from = 1, .to = 9)
{
    external_params p = external_params_zbt();
    p.zbt.latency = (unsigned)_i;
    external_bench *b = external_bench_new(&p, 0);
    external_bench_read(b, 1, 1);
    external_bench_read(b, 1, 2);
    external_bench_read(b, 10, 3);
    external_bench_run(b, 40, SIM_TIME_LIMIT);
    ck_assert_uint_eq(b->answers, 3);
    ck_assert_uint_eq(b->answered_at[0], 1 + (unsigned)_i);
    ck_assert_uint_eq(b->answered_at[1], 2 + (unsigned)_i);
    ck_assert_uint_eq(b->answered_at[2], 10 + (unsigned)_i);
}

/* ---- both kinds */

static external_params kind(int i)
{
    external_params p = i & 1 ? external_params_sdram() : external_params_zbt();
    p.stall_percent = i & 2 ? 40 : 0;
    if (i & 8) p.sdram = sdram_params_ddr();
    if (i & 4) { /* an awkward part */
        p.zbt.latency = 9;
        p.sdram.queue = 2;
        p.sdram.cas_latency = 3;
        p.sdram.read_to_write = 6;
        p.sdram.write_to_read = 3;
        p.sdram.refi = 120;
    }
    return p;
}

TEST(byte_enables_choose_bytes_and_the_tag, .to = 8)
{
    external_params p = kind(_i);
    external_bench *b = external_bench_new(&p, 0);
    external_put(b->m, 5, UINT64_C(0x8877665544332211), 0x99);
    external_bench_write(b, 1, 5, UINT64_C(0xffeeddccbbaa0900), 0x77, 0x0a4); /* bytes 2, 5, 7, no tag */
    external_bench_read(b, 1, 5);
    external_bench_write(b, 1, 5, 0, 0x66, 0x100);
    external_bench_read(b, 1, 5);
    external_bench_write(b, 1, 5, 0, 0, 0);
    external_bench_read(b, 1, 5);
    external_bench_run(b, 200, SIM_TIME_LIMIT);
    ck_assert_uint_eq(b->answers, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(b->answer[i], UINT64_C(0xff77dd5544aa2211));
        ck_assert_uint_eq(b->answer_tag[i], i ? 0x66 : 0x99);
    }
    uint8_t tag;
    ck_assert_uint_eq(external_get(b->m, 5, &tag), UINT64_C(0xff77dd5544aa2211));
    ck_assert_uint_eq(tag, 0x66);
}

/* Against an array: any words, any enables, any pauses. */
TEST(random_traffic_reads_what_was_written, .to = 12)
{
    enum { WORDS = 512, COUNT = 15000 };
    external_params p = kind(_i);
    external_bench *b = external_bench_new(&p, (uint64_t)_i);
    static uint64_t data[WORDS], expected[COUNT];
    static uint8_t tags[WORDS], expected_tag[COUNT];
    memset(data, 0, sizeof data);
    memset(tags, 0, sizeof tags);
    unsigned reads = 0;
    uint64_t from = 1;
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned k = (unsigned)sim_random_below(b->s, WORDS);
        uint64_t word = (uint64_t)(k >> 6) << 16 | (k & 0x30) << 6 | (k & 15);
        if (sim_random_below(b->s, 10) == 0) from += sim_random_below(b->s, 40);
        if (sim_random_below(b->s, 2)) {
            uint64_t value = sim_random(b->s);
            uint8_t tag = (uint8_t)sim_random(b->s);
            uint16_t enables = sim_random_below(b->s, 2) ? 0x1ff : (uint16_t)sim_random_below(b->s, 512);
            external_bench_write(b, from, word, value, tag, enables);
            for (unsigned lane = 0; lane < 8; lane++)
                if (enables >> lane & 1)
                    data[k] = (data[k] & ~(UINT64_C(0xff) << 8 * lane)) | (value & UINT64_C(0xff) << 8 * lane);
            if (enables >> 8) tags[k] = tag;
        } else {
            external_bench_read(b, from, word);
            expected[reads] = data[k];
            expected_tag[reads++] = tags[k];
        }
    }
    external_bench_run(b, 400000, SIM_TIME_LIMIT);
    ck_assert_uint_eq(b->answers, reads);
    for (unsigned i = 0; i < reads; i++) {
        ck_assert_uint_eq(b->answer[i], expected[i]);
        ck_assert_uint_eq(b->answer_tag[i], expected_tag[i]);
    }
    external_stats s = external_get_stats(b->m);
    ck_assert_uint_eq(s.reads + s.writes, COUNT);
    if (p.kind == EXTERNAL_SDRAM) ck_assert_uint_eq(s.sdram.row_hits + s.sdram.row_opens + s.sdram.row_misses, COUNT);
    if (p.stall_percent) ck_assert_uint_gt(s.refused, COUNT / 4);
    else if (p.kind == EXTERNAL_ZBT) ck_assert_uint_eq(s.refused, 0);
}

TEST(a_seventeenth_read_outstanding_ends_the_run, .to = 2)
{
    external_params p = external_params_zbt();
    p.zbt.latency = 40;
    external_bench *b = external_bench_new(&p, 0);
    b->most = EXTERNAL_READS + (unsigned)_i;
    for (unsigned i = 0; i < 30; i++) external_bench_read(b, 1, i);
    external_bench_run(b, 200, _i ? SIM_FAILED : SIM_TIME_LIMIT);
    if (_i) ck_assert_str_eq(sim_error(b->s), "external memory: clock 18: 17 reads outstanding, expected at most 16");
}

TEST(address_bits_above_the_part_are_not_connected, .to = 2)
{
    external_params p = kind(_i);
    p.zbt.log2_words = 19;
    p.sdram.row_bits = 7;
    external_bench *b = external_bench_new(&p, 0);
    external_bench_write(b, 1, (5u << 19) + 77, 0x4711, 1, 0x1ff);
    external_bench_read(b, 1, 77);
    external_bench_run(b, 100, SIM_TIME_LIMIT);
    ck_assert_uint_eq(b->answer[0], 0x4711);
}

TEST(wrong_parameters_are_refused_with_a_reason)
{
    external_params p = external_params_zbt();
    sim *s = quiet_sim(0);
    sim_clock *clock = make_clock(s, "c", 10000, 0);
    external_pins pins = {0};
    p.stall_percent = 100;
    ck_assert_ptr_null(external_new(s, clock, &pins, &p));
    ck_assert_str_eq(sim_error(s), "external memory: stall_percent must be 0..99");
    p = external_params_zbt();
    p.zbt.latency = 0;
    ck_assert_ptr_nonnull(external_params_check(&p));
    p = external_params_zbt();
    p.zbt.log2_words = 25;
    ck_assert_ptr_nonnull(external_params_check(&p));
}

/* ---- through the pins of a compiled model */

struct exercise {
    sim_clock *clock;
    memory_exerciser *x;
    external *m;
    int break_it;
};

static void exercise(void *arg)
{
    struct exercise *e = arg;
    sim_wait_cycles(e->clock, 4);
    *e->x->rst = 0;
    *e->x->enable = 1;
    sim_wait_cycles(e->clock, 10000);
    if (e->break_it) /* the checker must see one wrong tag bit; each word of the exerciser is read sooner or later */
        for (unsigned k = 0; k < 256; k++) {
            uint64_t word = (uint64_t)(k >> 6) << 16 | (k & 0x30) << 6 | (k & 15);
            uint8_t tag;
            uint64_t data = external_get(e->m, word, &tag);
            external_put(e->m, word, data, tag ^ 0x80);
        }
    sim_wait_cycles(e->clock, 10000);
    *e->x->enable = 0;
    sim_wait_cycles(e->clock, 200);
}

TEST(a_compiled_model_sees_the_same_port, .to = 9)
{
    external_params p = kind(_i);
    sim_params sp;
    sim_params_default(&sp);
    sim *s = sim_of(&sp);
    struct exercise e = {.clock = make_clock(s, "pci", 10000, 0), .break_it = _i == 8};
    e.x = memory_exerciser_new(s, "exerciser");
    sim_model_clock(e.x->model, e.clock, e.x->clk);
    *e.x->rst = 1;
    *e.x->enable = 0;
    external_pins pins = EXTERNAL_PINS(e.x);
    e.m = external_new(s, e.clock, &pins, &p);
    sim_task_new(s, "exercise", exercise, &e);
    ck_assert_int_eq(sim_run(s, SIM_FOREVER), SIM_OK);
    ck_assert_uint_gt(*e.x->answers, 1000);
    ck_assert_uint_eq(*e.x->outstanding, 0);
    if (e.break_it) ck_assert_uint_gt(*e.x->errors, 0);
    else ck_assert_uint_eq(*e.x->errors, 0);
    external_free(e.m);
}
