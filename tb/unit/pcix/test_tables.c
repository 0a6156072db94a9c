/* The clock tables of pcix.md 12, pin by pin: the core as target (decode C) and as initiator. And the player itself,
 * fed wrong tables. */
#include <stdio.h>
#include <string.h>

#include "core_host.h"
#include "test.h"

static uint64_t words[512];

/* Drives the cells of the host's side to the core, which plays side `nic`, and compares those of its side; in every
 * clock the core must drive nothing that is not its own. The first difference, or NULL. If the NIC is initiator, waits
 * up to 40 clocks for its FRAME#. */
static const char *difference(bench *b, const clock_table *t, enum table_side nic, const table_values *v)
{
    static char why[500];
    enum table_side host = nic == TABLE_INITIATOR ? TABLE_TARGET : TABLE_INITIATOR;
    for (int wait = 0; nic == TABLE_INITIATOR && !*b->p.frame_n_oe; wait++) {
        if (wait == 40) return "the NIC does not start";
        bench_clock(b);
    }
    for (int clock = t->first; clock <= t->last; clock++) {
        table_drive want = {0}, got = bench_nic(b);
        clock_table_drive(t, v, nic, clock, &want);
        if (clock_table_differ(t, clock, &want, &got, why, sizeof why) != 0) return why;
        clock_table_drive(t, v, host, clock, &b->h);
        b->idsel = strcmp(table_cell(&t->cell, ROW_AD, clock), "CFGAD") == 0 &&
                   strcmp(table_cell(&t->cell, ROW_FRAME, clock), "0") == 0;
        bench_clock(b);
        if (b->problem[0]) {
            snprintf(why, sizeof why, "clock %d: %s", clock, b->problem);
            return why;
        }
    }
    return NULL;
}

/* Plays the table of that name, in which the core is the target or the initiator; fails at the first difference. */
static void play(bench *b, const char *table, enum table_side nic, const table_values *v)
{
    clock_table t;
    clock_table_get(&t, table);
    const char *why = difference(b, &t, nic, v);
    ck_assert_msg(why == NULL, "table %s: %s", table, why);
}

/* Configured; the words that tables write are known. */
static bench *bench_of_tables(void)
{
    bench *b = bench_new(4, 1);
    for (unsigned i = 0; i < 512; i++) words[i] = bench_word(i);
    host_setup(b);
    return b;
}

static bench *set_up(void)
{
    bench *b = bench_of_tables();
    host_take(b);
    return b;
}

/* ---- the core as target ---- */

static void play_register_write(const char *table, unsigned count, uint8_t enables)
{
    bench *b = set_up();
    table_values v = {.address = HOST_BAR1 + 0x4040,
                      .attribute = 0x07002800 | (count & 0xff),
                      .attribute_cbe = count >> 8,
                      .data = words,
                      .enables = (const uint8_t[]){enables, enables}};
    play(b, table, TABLE_TARGET, &v);
    bench_clocks(b, 4);
    ck_assert_uint_eq(b->u.register_writes, (count + 7) / 8);
    for (unsigned i = 0; i < count / 8; i++) ck_assert_uint_eq(b->u.registers[0x4040 / 8 + i], words[i]);
    if (count == 4) ck_assert_uint_eq((uint32_t)b->u.registers[0x4040 / 8], (uint32_t)words[0]);
}

TEST_CASE("target");

/* table, bytes, C/BE# of its data phases where they are enables */
CALL_TEST(target_takes_a_block_write, play_register_write("a", 64, 0))
CALL_TEST(target_takes_a_block_write_with_dual_address, play_register_write("a_dac", 64, 0))
CALL_TEST(target_takes_a_dword, play_register_write("f", 4, 0xf0))
CALL_TEST(target_takes_a_dword_with_dual_address, play_register_write("f_dac", 4, 0xf0))
CALL_TEST(target_takes_two_phases, play_register_write("f_two", 16, 0))

BENCH_TEST(target_gives_a_dword, set_up())
{
    b->u.registers[0x200 / 8] = words[7];
    table_values v = {.address = HOST_BAR1 + 0x200, .attribute = 0x00002800, .data = &words[7]};
    play(b, "d", TABLE_TARGET, &v);
}

BENCH_TEST(target_gives_a_block, set_up())
{
    memcpy(&b->u.registers[0x100 / 8], words, 32);
    table_values v = {.address = HOST_BAR1 + 0x100, .attribute = 0x00002820, .data = words};
    play(b, "l", TABLE_TARGET, &v);
}

BENCH_TEST(target_takes_a_configuration_write, set_up())
{
    uint64_t data = 0xffffffff00000085;
    table_values v = {
        .address = 0x00081000 | 5 << 11 | 0x3c, .attribute = 0x00002877, .attribute_cbe = 0xe, .data = &data};
    play(b, "e_write", TABLE_TARGET, &v);
    host_release(b);
    ck_assert_uint_eq(host_config_get(b, 0x3c), 0x00000185);
    /* bus and device number captured */
    ck_assert_uint_eq(host_config_get(b, 0x4c) & 0xffff, 0x7700 | 7 << 3);
}

BENCH_TEST(target_gives_configuration_data, set_up())
{
    uint64_t data = 0x17df1600;
    table_values v = {.address = 0x00080000 | HOST_DEVICE << 11, .attribute = 0x00002800 | HOST_BUS, .data = &data};
    play(b, "e_read", TABLE_TARGET, &v);
}

/* The second write meets the window's full buffer. */
BENCH_TEST(target_retries_a_window_write, set_up())
{
    b->u.window_latency = 60;
    table_values v = {.address = HOST_BAR0 + 0x40, .attribute = 0x00002840, .data = words};
    play(b, "j", TABLE_TARGET, &v);
    v.data = words + 2;
    play(b, "h", TABLE_TARGET, &v);
    bench_clocks(b, 80);
    ck_assert_uint_eq(b->u.window_writes, 1);
    ck_assert_uint_eq(b->u.window[8], words[0]);
}

static void play_completion(const char *table, unsigned n)
{
    bench *b = set_up();
    host_target_on(b);
    host_plan(b, PLAN_SPLIT);
    bench_read(b, 0x1230, n, 9);
    host_release(b);
    bench_clocks(b, 30);
    ck_assert_uint_eq(b->u.ev.split_response, 1);
    host_take(b);
    table_values v = {.address = 9 << 24 | NIC_ID | 0x30, .attribute = 0x00250000 | n * 8, .data = words};
    play(b, table, TABLE_TARGET, &v);
    bench_read_ends(b, 1, 8, 0);
    ck_assert_uint_eq(b->u.rd_done.entry[0].tag, 9);
    ck_assert_uint_eq(b->u.rd_data.count, n);
    ck_assert(memcmp(b->u.rd_data.words, words, n * 8) == 0);
}

CALL_TEST(target_takes_a_completion_of_four, play_completion("c_four", 4))
CALL_TEST(target_takes_a_completion_of_three, play_completion("c_three", 3))

/* ---- the core as initiator ---- */

/* Plays a table in which the core writes n words. */
static void play_write(const char *table, unsigned n, uint64_t address)
{
    bench *b = bench_of_tables();
    table_values v = {.address = address,
                      .attribute = 0x1f000000 | NIC_ID | (n * 8 & 0xff),
                      .attribute_cbe = n * 8 >> 8 & 0xf,
                      .data = words};
    bench_write(b, address, n, 0);
    /* the rest of a cut sequence must not start inside the table */
    b->gnt_mode = GNT_TAKEN_AFTER_FRAME;
    play(b, table, TABLE_INITIATOR, &v);
}

TEST_CASE("initiator");

CALL_TEST(initiator_writes_to_decode_c, play_write("a", 8, 0x12345640))
CALL_TEST(initiator_writes_to_decode_a, play_write("a_decode_a", 8, 0x12345640))
CALL_TEST(initiator_alternates_while_waiting, play_write("a_wait_pair", 8, 0x12345640))
CALL_TEST(initiator_uses_dual_address_above_4g, play_write("a_dac", 8, 0x0000009a12345640))
CALL_TEST(initiator_writes_two_phases, play_write("f_two_block", 2, 0x12345640))
CALL_TEST(initiator_writes_one_phase, play_write("one_block", 1, 0x12345648))
CALL_TEST(initiator_leaves_after_retry, play_write("h", 8, 0x12345640))
CALL_TEST(initiator_leaves_when_told_late, play_write("i_late", 32, 0x12345640))
CALL_TEST(initiator_leaves_when_told_at_once, play_write("i_first_far", 32, 0x12345640))
CALL_TEST(initiator_leaves_two_phases_before_the_boundary, play_write("i_first_near", 32, 0x12345670))
CALL_TEST(initiator_leaves_after_a_single_data_phase, play_write("j", 8, 0x12345640))
CALL_TEST(initiator_leaves_after_target_abort, play_write("k", 8, 0x12345640))
CALL_TEST(initiator_gives_up_without_devsel, play_write("m", 8, 0x12345640))

/* Latency timer 0 and GNT# gone: leaves at the first ADB. */
BENCH_TEST(initiator_disconnects_at_a_boundary, bench_of_tables())
{
    host_config_write(b, 0x0c, 0x0000, 0x2);
    b->gnt_mode = GNT_TAKEN_AFTER_FRAME;
    bench_write(b, 0x12345640, 32, 0);
    table_values v = {.address = 0x12345640, .attribute = 0x1f000000 | NIC_ID, .attribute_cbe = 1, .data = words};
    play(b, "g", TABLE_INITIATOR, &v);
    ck_assert_uint_eq(b->u.ev.write_disconnect, 1);
    /* and resumes at the ADB with the remainder */
    v = (table_values){
        .address = 0x12345680, .attribute = 0x1f000000 | NIC_ID | 192, .attribute_cbe = 0, .data = words + 8};
    play(b, "m", TABLE_INITIATOR, &v);
}

static void play_read(const char *table, unsigned n)
{
    bench *b = bench_of_tables();
    bench_read(b, 0x12345640, n, 11);
    b->gnt_mode = GNT_TAKEN_AFTER_FRAME;
    table_values v = {.address = 0x12345640,
                      .attribute = 0x0b000000 | NIC_ID | (n * 8 & 0xff),
                      .attribute_cbe = n * 8 >> 8 & 0xf,
                      .data = words};
    play(b, table, TABLE_INITIATOR, &v);
    bench_clocks(b, 5);
    if (n == 4) {
        bench_read_ends(b, 1, 0, 0);
        ck_assert_uint_eq(b->u.rd_data.count, 4);
        ck_assert(memcmp(b->u.rd_data.words, words, 32) == 0);
    } else ck_assert_uint_eq(b->u.ev.split_response, 1);
}

CALL_TEST(initiator_reads_and_is_split_by_decode_a, play_read("b_decode_a", 512))
CALL_TEST(initiator_reads_and_is_split_by_decode_c, play_read("b_decode_c", 512))
CALL_TEST(initiator_takes_immediate_data, play_read("l", 4))

/* ---- the player notices any single wrong cell ---- */

/* Plays the table with one cell of the core's side changed; the player must name that one. */
static void play_bad_parity(bench *b, const char *name, enum table_side nic, const table_values *v, int row, int clock)
{
    char place[60];
    clock_table t;
    clock_table_get(&t, name);
    clock_table_bad_parity(&t, row, clock);
    snprintf(place, sizeof place, "table %s, clock %d, %s:", name, clock, table_row_names[row]);
    const char *why = difference(b, &t, nic, v);
    ck_assert_msg(why != NULL && strstr(why, place) == why, "%s '%s'", place, why ? why : "");
    b->expect_problem = 1;
}

TEST_CASE("player", .timeout = 60);

TEST(player_catches_every_wrong_cell_of_a_target)
{
    static const int rows[] = {ROW_DEVSEL, ROW_ACK64, ROW_TRDY, ROW_STOP};
    for (int r = 0; r < 4; r++)
        for (int clock = 0; clock < 16; clock++) {
            bench *b = set_up();
            table_values v = {.address = HOST_BAR1 + 0x4040, .attribute = 0x07002840, .data = words};
            play_bad_parity(b, "a", TABLE_TARGET, &v, rows[r], clock);
        }
}

TEST(player_catches_every_wrong_cell_of_an_initiator)
{
    static const int rows[] = {ROW_FRAME, ROW_REQ64, ROW_IRDY, ROW_AD, ROW_CBE, ROW_PAR};
    for (int r = 0; r < 6; r++)
        for (int clock = 0; clock < 14; clock++) {
            bench *b = bench_of_tables();
            table_values v = {.address = 0x12345640, .attribute = 0x1f000040 | NIC_ID, .data = words};
            bench_write(b, 0x12345640, 8, 0);
            play_bad_parity(b, "a_decode_a", TABLE_INITIATOR, &v, rows[r], clock);
        }
}

TEST(player_catches_wrong_data)
{
    clock_table t;
    clock_table_get(&t, "a_decode_a");
    bench *b = bench_of_tables();
    bench_write(b, 0x12345640, 8, 0);
    words[5] ^= 1ull << 40;
    table_values v = {.address = 0x12345640, .attribute = 0x1f000040 | NIC_ID, .data = words};
    const char *why = difference(b, &t, TABLE_INITIATOR, &v);
    ck_assert_msg(why != NULL && strstr(why, "clock 8, AD") != NULL, "%s", why ? why : "");
    b->expect_problem = 1;
}
