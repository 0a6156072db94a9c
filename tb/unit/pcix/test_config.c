/* Configuration space: S1 3.1.2 with the corrections of design.md 3. Values are typed in from the documents. */
#include "core_host.h"
#include "test.h"

TEST_CASE("registers");

BENCH_TEST(reset_values_are_those_of_the_documents, bench_new(4, 1))
{
    static const uint32_t wanted[64] = {[0x00 / 4] = 0x17df1600, [0x04 / 4] = 0x04300000, [0x08 / 4] = 0x02000017,
                                        [0x0c / 4] = 0x00004000, [0x34 / 4] = 0x00000048, [0x3c / 4] = 0x00000100,
                                        [0x48 / 4] = 0x00020007, [0x4c / 4] = 0x0863fff8};
    for (unsigned i = 0; i < 64; i++) {
        uint32_t value = host_config_get(b, 4 * i);
        ck_assert_msg(value == wanted[i], "register %02x: %08x, not %08x", 4 * i, value, wanted[i]);
    }
}

BENCH_TEST(four_splits_announce_themselves, bench_new(4, 4))
{
    ck_assert_uint_eq(host_config_get(b, 0x4c) >> 23 & 7, 3); /* four */
    ck_assert_uint_eq(host_config_get(b, 0x4c) >> 26 & 7, 4); /* 16 KB */
    ck_assert_uint_eq(host_config_get(b, 0x48) >> 20 & 7, 3);
}

/* Only these bits take ones (sizes: BAR0 128 MB, BAR1 32 KB). */
TEST(only_the_documented_bits_are_writable)
{
    static const struct {
        unsigned reg;
        uint32_t mask, fixed;
    } rows[] = {
        {0x00, 0, 0x17df1600}, {0x04, 0x00000146, 0x04300000}, {0x08, 0, 0x02000017}, {0x0c, 0x0000f8ff, 0},
        {0x10, 0xf8000000, 0}, {0x14, 0xffff8000, 0},          {0x18, 0, 0},          {0x30, 0, 0},
        {0x34, 0, 0x48},       {0x3c, 0x000000ff, 0x100},      {0x40, 0x00000001, 0}, {0x48, 0x007f0000, 0x7},
    };
    bench *b = bench_new(4, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        host_config_write(b, rows[i].reg, 0xffffffff, 0xf);
        ck_assert_msg(host_config_get(b, rows[i].reg) == (rows[i].mask | rows[i].fixed), "ones to %02x read %08x",
                      rows[i].reg, host_config_get(b, rows[i].reg));
        host_config_write(b, rows[i].reg, 0, 0xf);
        ck_assert_msg(host_config_get(b, rows[i].reg) == rows[i].fixed, "zeros to %02x read %08x", rows[i].reg,
                      host_config_get(b, rows[i].reg));
    }
}

BENCH_TEST(byte_enables_select_bytes, bench_new(4, 1))
{
    host_config_write(b, 0x14, 0x11110000, 0xf);
    host_config_write(b, 0x14, 0x22222222, 0x8);
    ck_assert_uint_eq(host_config_get(b, 0x14), 0x22110000);
    host_config_write(b, 0x14, 0x33338000, 0x6);
    ck_assert_uint_eq(host_config_get(b, 0x14), 0x22338000);
    host_config_write(b, 0x14, 0xffffffff, 0x0);
    ck_assert_uint_eq(host_config_get(b, 0x14), 0x22338000);
    host_config_write(b, 0x0c, 0, 0xf);
    host_config_write(b, 0x0c, 0xffffffff, 0x1);
    ck_assert_uint_eq(host_config_get(b, 0x0c), 0x000000ff);
}

BENCH_TEST(only_our_function_is_claimed, bench_new(4, 1))
{
    uint32_t value;
    static const struct {
        uint64_t address;
        int result;
    } rows[] = {
        {0x00080000 | 3 << 11, MOVED},      {0x00080000 | 3 << 11 | 1 << 8, NOBODY}, /* function 1 */
        {0x00080000 | 3 << 11 | 1, NOBODY}, {0x00040000 | 2 << 11, NOBODY}, /* type 1; another device's IDSEL */
        {0x00080000 | 9 << 11, MOVED},      {0x00080000 | 3 << 11 | 7 << 8, NOBODY},
    };
    host_take(b);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        host_txn t = {.command = CONFIG_READ,
                      .address = rows[i].address,
                      .attribute = HOST_BUS,
                      .enables = 0xf,
                      .data = (uint8_t *)&value};
        host_run(b, &t);
        bench_clocks(b, 3);
        ck_assert_msg(t.result == rows[i].result, "row %u: result %d", i, t.result);
    }
}

BENCH_TEST(every_write_captures_bus_and_device, bench_new(4, 1))
{
    uint32_t value = 0;
    host_take(b);
    for (unsigned i = 0; i < 3; i++) {
        unsigned bus = 0x40 + i, device = 5 + i;
        host_txn t = {.command = CONFIG_WRITE,
                      .address = 0x00080000 | device << 11 | (i == 1 ? 0x30 : 0x3c),
                      .attribute = 0x2000 | bus,
                      .enables = i == 2 ? 0 : 0xf,
                      .data = (uint8_t *)&value};
        host_run(b, &t);
        bench_clocks(b, 3);
        host_txn r = {.command = CONFIG_READ,
                      .address = 0x00080000 | 17 << 11 | 0x4c,
                      .attribute = 0x99,
                      .enables = 0xf,
                      .data = (uint8_t *)&value};
        host_run(b, &r);
        bench_clocks(b, 3);
        ck_assert_uint_eq(value, (0x0863fff8 & ~0xffffu) | bus << 8 | device << 3);
        value = 0;
    }
}

BENCH_TEST(read_size_and_switches_reach_the_outside, bench_new(4, 1))
{
    for (unsigned code = 0; code < 4; code++) {
        host_config_write(b, 0x48, code << 18, 0x4);
        ck_assert_uint_eq(*b->p.cfg_max_read_words, 64u << code);
    }
    for (unsigned command = 0; command < 8; command++) {
        host_config_write(b, 0x04, command, 0xf);
        ck_assert_uint_eq(*b->p.cfg_memory_enable, command >> 1 & 1);
        ck_assert_uint_eq(*b->p.cfg_bus_master, command >> 2 & 1);
    }
}

/* Status bits are cleared by writing ones, and only those written. */
BENCH_TEST(status_bits_clear_where_one_is_written, bench_with_host(4, 1))
{
    host_plan(b, PLAN_NOBODY);
    host_plan(b, PLAN_ABORT);
    bench_write(b, 0x1000, 4, 0);
    bench_write_ends(b, 1, 100, 1);
    bench_write(b, 0x1000, 4, 0);
    bench_write_ends(b, 2, 100, 2);
    ck_assert_uint_eq(host_config_get(b, 0x04) >> 16, 0x3430);
    host_config_write(b, 0x04, 0, 0xc);
    ck_assert_uint_eq(host_config_get(b, 0x04) >> 16, 0x3430);
    host_config_write(b, 0x04, 0xffffffff, 0x4);
    ck_assert_uint_eq(host_config_get(b, 0x04) >> 16, 0x3430);
    host_config_write(b, 0x04, 0x20000000, 0x8);
    ck_assert_uint_eq(host_config_get(b, 0x04) >> 16, 0x1430);
    host_config_write(b, 0x04, 0xf9000000, 0x8);
    ck_assert_uint_eq(host_config_get(b, 0x04) >> 16, 0x0430);
    ck_assert_uint_eq(host_config_get(b, 0x04) & 0xffff, 0x0146);
}

/* ---- interrupt register ---- */

static void arrival(bench *b)
{
    *b->p.irq_event = 1;
    bench_clock(b);
    *b->p.irq_event = 0;
}

TEST_CASE("interrupt");

BENCH_TEST(interrupt_follows_enable_and_flag, bench_new(4, 1))
{
    *b->p.queue0_head = 0x55;
    *b->p.queue0_tail = 0x2a;
    ck_assert_uint_eq(host_config_get(b, 0x40), 0x552a0000);
    arrival(b);
    bench_clocks(b, 3);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->inta, 1); /* not enabled */
    ck_assert_uint_eq(host_config_get(b, 0x40), 0x552a0010);
    host_config_write(b, 0x40, 0x11, 0xf); /* enables, clears the flag */
    ck_assert_uint_eq(host_config_get(b, 0x40), 0x552a0001);
    arrival(b);
    bench_clocks(b, 3);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->inta, 0);
    ck_assert_uint_eq(*b->p.irq_active, 1);
    ck_assert_uint_eq(b->u.ev.irq_assert, 1);
    ck_assert_uint_eq(host_config_get(b, 0x40), 0x552a0011);
    /* a write to other bytes leaves the flag alone */
    host_config_write(b, 0x40, 0, 0xe);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->inta, 0);
    host_config_write(b, 0x40, 0, 0xf);
    bench_clocks(b, 2);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->inta, 1);
}

/* The arrival is moved clock by clock across the write: after it the flag must be set for every clock from the one of
 * the write on. */
TEST(arrival_in_the_clock_of_the_write_wins)
{
    int set_from = -1;
    for (int at = 0; at < 16; at++) {
        bench *b = bench_new(4, 1);
        uint32_t one = 1;
        host_txn t = {
            .command = CONFIG_WRITE, .address = 0x00080000 | 3 << 11 | 0x40, .enables = 1, .data = (uint8_t *)&one};
        arrival(b);
        b->irq_at = b->now + (unsigned)at;
        host_run(b, &t);
        bench_clocks(b, 10);
        int flag = host_config_get(b, 0x40) >> 4 & 1;
        if (flag && set_from < 0) set_from = at;
        ck_assert_msg(flag == (set_from >= 0), "arrival at %d: flag %d", at, flag);
    }
    /* the data phase is in column 5, captured at its edge; the register changes with the next edge, column 6 */
    ck_assert_int_eq(set_from, 6);
}

/* ---- mode pattern ---- */

TEST_CASE("reset");

TEST(mode_pattern_decides_whether_the_core_lives)
{
    /* {DEVSEL#, STOP#, TRDY#}: 66, 100, 133 MHz; conventional; reserved */
    static const struct {
        unsigned pattern;
        int lives;
    } rows[] = {{6, 1}, {5, 1}, {4, 1}, {7, 0}, {3, 0}, {0, 0}};
    for (unsigned i = 0; i < 6; i++) {
        bench *b = bench_new_pattern(4, 1, rows[i].pattern);
        uint32_t value;
        ck_assert_int_eq(host_config_read(b, 0, &value), rows[i].lives ? MOVED : NOBODY);
    }
}

/* REQ64# high while RST# rises: the slot has no upper half. The core neither requests 64 bits nor sees requests of
 * others. */
BENCH_TEST(a_slot_of_32_bits_is_never_used_with_64, bench_new_pattern(4, 1, 8 | 5))
{
    host_setup(b);
    host_target_on(b);
    host_write_and_wait(b, 0x1008, 37, 0, 0);
    host_check_memory(b, 0x1008, 37, 0);
    ck_assert_uint_eq(b->target->seen[0].phases, 74);
    bench_read(b, 0x1008, 37, 3);
    bench_read_ends(b, 1, 400, 0);
    host_check_read(b, 0, 0x1008, 37);
    uint8_t data[64];
    for (unsigned i = 0; i < 64; i++) data[i] = (uint8_t)(i * 7 + 1);
    host_txn x = {.command = MEMORY_WRITE,
                  .address = HOST_BAR1 + 0x40,
                  .count = 64,
                  .wide = 1,
                  .attribute = NIC_ID ^ 0x800,
                  .data = data};
    host_once(b, &x); /* its REQ64# leads nowhere */
    ck_assert_int_eq(x.result, MOVED);
    ck_assert_int_eq(x.acked64, 0);
    ck_assert_mem_eq(&b->u.registers[8], data, 64);
}

BENCH_TEST(reset_releases_every_pin_at_once, bench_with_host(4, 1))
{
    bench_write(b, 0x1000, 64, 0);
    bench_clocks(b, 20);
    ck_assert_uint_ne(*b->p.ad_oe, 0);
    *b->p.rst_n_pin = 0;
    sim_model_eval(b->p.model);
    const uint8_t *const enables[] = {b->p.ad_oe,  b->p.cbe_n_oe, b->p.frame_n_oe, b->p.irdy_n_oe, b->p.req64_n_oe,
                                      b->p.par_oe, b->p.par64_oe, b->p.req_n_oe,   b->p.trdy_n_oe, b->p.perr_n_oe};
    for (unsigned i = 0; i < sizeof enables / sizeof enables[0]; i++) ck_assert_uint_eq(*enables[i], 0);
    b->expect_problem = 1;
}
