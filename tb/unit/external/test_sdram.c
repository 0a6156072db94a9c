/* SDRAM and controller: commands and answers against tables worked by hand from the data sheet's rules, the checker of
 * commands against each violation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "external_bench.h"
#include "test.h"

/* Row, bank, column of the default part. */
static uint64_t at(unsigned row, unsigned bank, unsigned column) { return (uint64_t)row << 12 | bank << 10 | column; }

struct access {
    uint64_t from;
    char what; /* R, W; 0 ends the list */
    unsigned row, bank, column;
};

/* rcd 2, rp 2, ras 5, rc 7, rrd 2, rfc 7, wr 2, write to read 1, read to write 4, CAS latency 2, answer 1. A request
 * shown in clock n meets its first command in clock n + 1; READ in clock c is answered in clock c + 3. */
static const struct {
    const char *name;
    struct access list[12];
    const char *commands, *answers;
    unsigned hits_opens_misses[3];
} tables[] = {
    {"two reads of one row",
     {{1, 'R', 0, 0, 0}, {2, 'R', 0, 0, 9}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 5 READ 0 9; ",
     "7 8 ",
     {1, 1, 0}},
    {"an open row is read 4 clocks after it was asked for",
     {{1, 'R', 5, 2, 7}, {20, 'R', 5, 2, 8}},
     "2 ACTIVATE 2 5; 4 READ 2 7; 21 READ 2 8; ",
     "7 24 ",
     {1, 1, 0}},
    {"another row soon: tRAS, then tRP and tRC",
     {{1, 'R', 0, 0, 0}, {2, 'R', 1, 0, 3}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 7 PRECHARGE 0 0; 9 ACTIVATE 0 1; 11 READ 0 3; ",
     "7 14 ",
     {0, 1, 1}},
    {"another row later: tRP and tRCD",
     {{1, 'R', 0, 0, 0}, {30, 'R', 1, 0, 3}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 31 PRECHARGE 0 0; 33 ACTIVATE 0 1; 35 READ 0 3; ",
     "7 38 ",
     {0, 1, 1}},
    {"a read right behind a write",
     {{1, 'W', 0, 0, 0}, {2, 'R', 0, 0, 0}},
     "2 ACTIVATE 0 0; 4 WRITE 0 0; 5 READ 0 0; ",
     "8 ",
     {1, 1, 0}},
    {"a write behind a read waits for the data pins",
     {{1, 'R', 0, 0, 0}, {2, 'W', 0, 0, 1}, {3, 'W', 0, 0, 2}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 8 WRITE 0 1; 9 WRITE 0 2; ",
     "7 ",
     {2, 1, 0}},
    {"write recovery before the row is closed",
     {{1, 'W', 0, 0, 0}, {1, 'W', 0, 0, 1}, {1, 'W', 0, 0, 2}, {1, 'W', 0, 0, 3}, {1, 'W', 0, 0, 4}, {1, 'R', 1, 0, 0}},
     "2 ACTIVATE 0 0; 4 WRITE 0 0; 5 WRITE 0 1; 6 WRITE 0 2; 7 WRITE 0 3; 8 WRITE 0 4; 10 PRECHARGE 0 0; 12 ACTIVATE 0 "
     "1; 14 READ 0 0; ",
     "17 ",
     {4, 1, 1}},
    {"banks keep their rows",
     {{1, 'R', 0, 0, 0}, {2, 'R', 7, 1, 0}, {3, 'R', 0, 0, 1}, {4, 'R', 7, 1, 1}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 5 ACTIVATE 1 7; 7 READ 1 0; 8 READ 0 1; 9 READ 1 1; ",
     "7 10 11 12 ",
     {2, 2, 0}},
    {"a stream goes on in the next bank",
     {{1, 'R', 3, 0, 1023}, {2, 'R', 3, 1, 0}},
     "2 ACTIVATE 0 3; 4 READ 0 1023; 5 ACTIVATE 1 3; 7 READ 1 0; ",
     "7 10 ",
     {0, 2, 0}},
};

static external_bench *play(const external_params *p, const struct access *list, uint64_t clocks)
{
    external_bench *b = external_bench_new(p, 0);
    for (; list->what; list++)
        if (list->what == 'R') external_bench_read(b, list->from, at(list->row, list->bank, list->column));
        else
            external_bench_write(b, list->from, at(list->row, list->bank, list->column),
                                 0x1234567890abcdefu + list->column, 0x5a, 0x1ff);
    external_bench_run(b, clocks, SIM_TIME_LIMIT);
    return b;
}

TEST_CASE("sdram", .timeout = 60);

TEST(commands_come_as_the_data_sheet_allows, .to = COUNT(tables))
{
    external_params p = external_params_sdram();
    external_bench *b = play(&p, tables[_i].list, 60);
    ck_assert_msg(!strcmp(b->commands, tables[_i].commands), "%s: commands are\n%s, expected\n%s", tables[_i].name,
                  b->commands, tables[_i].commands);
    ck_assert_msg(!strcmp(b->read_clocks, tables[_i].answers), "%s: answers come at %s, expected %s", tables[_i].name,
                  b->read_clocks, tables[_i].answers);
    sdram_stats s = external_get_stats(b->m).sdram;
    ck_assert_uint_eq(s.row_hits, tables[_i].hits_opens_misses[0]);
    ck_assert_uint_eq(s.row_opens, tables[_i].hits_opens_misses[1]);
    ck_assert_uint_eq(s.row_misses, tables[_i].hits_opens_misses[2]);
}

/* The DDR DIMM: answer 2, wr 4, write to read 3, read to write 3, rfc 8; a line of four words, page open and closed. */
static const struct {
    struct access list[8];
    const char *commands, *answers;
} ddr[] = {
    {{{1, 'R', 0, 0, 0}, {2, 'R', 0, 0, 1}, {3, 'R', 0, 0, 2}, {4, 'R', 0, 0, 3}, {20, 'R', 0, 0, 8}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 5 READ 0 1; 6 READ 0 2; 7 READ 0 3; 21 READ 0 8; ",
     "8 9 10 11 25 "},
    {{{1, 'R', 0, 0, 0}, {30, 'R', 8191, 0, 3}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 31 PRECHARGE 0 0; 33 ACTIVATE 0 8191; 35 READ 0 3; ",
     "8 39 "},
    {{{1, 'W', 0, 0, 0}, {2, 'R', 0, 0, 0}}, "2 ACTIVATE 0 0; 4 WRITE 0 0; 7 READ 0 0; ", "11 "},
    {{{1, 'R', 0, 0, 0}, {2, 'W', 0, 0, 1}}, "2 ACTIVATE 0 0; 4 READ 0 0; 7 WRITE 0 1; ", "8 "},
    {{{1, 'W', 0, 0, 0}, {20, 'W', 0, 0, 1}, {21, 'R', 1, 0, 0}},
     "2 ACTIVATE 0 0; 4 WRITE 0 0; 21 WRITE 0 1; 25 PRECHARGE 0 0; 27 ACTIVATE 0 1; 29 READ 0 0; ",
     "33 "},
};

TEST(a_ddr_dimm_has_timings_of_its_own, .to = COUNT(ddr))
{
    external_params p = external_params_ddr();
    ck_assert_ptr_null(external_params_check(&p));
    ck_assert_uint_eq(UINT64_C(8) << (p.sdram.bank_bits + p.sdram.row_bits + p.sdram.column_bits), 256u << 20);
    external_bench *b = play(&p, ddr[_i].list, 60);
    ck_assert_str_eq(b->commands, ddr[_i].commands);
    ck_assert_str_eq(b->read_clocks, ddr[_i].answers);
}

/* Each timing shows where it binds: with this one larger, the command `commands` ends with comes that much later. */
static const struct access two_rows[] = {{1, 'R', 0, 0, 0}, {2, 'R', 1, 0, 0}, {0, 0, 0, 0, 0}},
                           write_rows[] = {{1, 'W', 0, 0, 0}, {6, 'W', 0, 0, 1}, {7, 'R', 1, 0, 0}, {0, 0, 0, 0, 0}},
                           two_banks[] = {{1, 'R', 0, 0, 0}, {2, 'R', 1, 1, 0}, {0, 0, 0, 0, 0}},
                           write_read[] = {{1, 'W', 0, 0, 0}, {2, 'R', 0, 0, 0}, {0, 0, 0, 0, 0}},
                           read_write[] = {{1, 'R', 0, 0, 0}, {2, 'W', 0, 0, 0}, {3, 'R', 0, 0, 1}, {0, 0, 0, 0, 0}};
static const struct {
    size_t field;
    unsigned value;
    const struct access *list;
    const char *commands, *answers;
} larger[] = {
#define F(name) offsetof(sdram_params, name)
    {F(rcd), 4, two_rows, "2 ACTIVATE 0 0; 6 READ 0 0; 7 PRECHARGE 0 0; 9 ACTIVATE 0 1; 13 READ 0 0; ", "9 16 "},
    {F(ras), 6, two_rows, "2 ACTIVATE 0 0; 4 READ 0 0; 8 PRECHARGE 0 0; 10 ACTIVATE 0 1; 12 READ 0 0; ", "7 15 "},
    {F(rp), 3, two_rows, "2 ACTIVATE 0 0; 4 READ 0 0; 7 PRECHARGE 0 0; 10 ACTIVATE 0 1; 12 READ 0 0; ", "7 15 "},
    {F(rc), 12, two_rows, "2 ACTIVATE 0 0; 4 READ 0 0; 7 PRECHARGE 0 0; 14 ACTIVATE 0 1; 16 READ 0 0; ", "7 19 "},
    {F(cas_latency), 3, two_rows, "2 ACTIVATE 0 0; 4 READ 0 0; 7 PRECHARGE 0 0; 9 ACTIVATE 0 1; 11 READ 0 0; ",
     "8 15 "},
    {F(answer), 0, two_rows, "2 ACTIVATE 0 0; 4 READ 0 0; 7 PRECHARGE 0 0; 9 ACTIVATE 0 1; 11 READ 0 0; ", "6 13 "},
    {F(wr), 4, write_rows, "2 ACTIVATE 0 0; 4 WRITE 0 0; 7 WRITE 0 1; 11 PRECHARGE 0 0; 13 ACTIVATE 0 1; 15 READ 0 0; ",
     "18 "},
    {F(rrd), 6, two_banks, "2 ACTIVATE 0 0; 4 READ 0 0; 8 ACTIVATE 1 1; 10 READ 1 0; ", "7 13 "},
    {F(write_to_read), 3, write_read, "2 ACTIVATE 0 0; 4 WRITE 0 0; 7 READ 0 0; ", "10 "},
    {F(read_to_write), 6, read_write, "2 ACTIVATE 0 0; 4 READ 0 0; 10 WRITE 0 0; 11 READ 0 1; ", "7 14 "},
};

TEST(each_timing_binds_where_it_must, .to = COUNT(larger))
{
    external_params p = external_params_sdram();
    p.sdram.rc = 8;
    if (larger[_i].field != F(rc) && larger[_i].field != F(ras) && larger[_i].field != F(rp)) p.sdram.rc = 7;
    *(unsigned *)(void *)((char *)&p.sdram + larger[_i].field) = larger[_i].value;
    external_bench *b = play(&p, larger[_i].list, 60);
    ck_assert_str_eq(b->commands, larger[_i].commands);
    ck_assert_str_eq(b->read_clocks, larger[_i].answers);
}

/* Refreshes are due in clocks 100, 200 ... */
static const struct {
    struct access list[4];
    const char *commands, *answers;
} refreshes[] = {
    /* all banks closed: at once */
    {{{0, 0, 0, 0, 0}}, "100 REFRESH 0 0; 200 REFRESH 0 0; 300 REFRESH 0 0; ", ""},
    /* a row open for long */
    {{{1, 'R', 0, 0, 0}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 100 PRECHARGE ALL 0 0; 102 REFRESH 0 0; 200 REFRESH 0 0; 300 REFRESH 0 0; ",
     "7 "},
    /* a row just opened: tRAS, tRP, and tRC to the refresh; the read restarts after tRFC */
    {{{97, 'R', 0, 0, 0}},
     "98 ACTIVATE 0 0; 103 PRECHARGE ALL 0 0; 105 REFRESH 0 0; 112 ACTIVATE 0 0; 114 READ 0 0; 200 PRECHARGE ALL 0 0; "
     "202 REFRESH 0 0; "
     "300 REFRESH 0 0; ",
     "117 "},
    /* a write in the clock before: tWR */
    {{{1, 'R', 0, 0, 0}, {98, 'W', 0, 0, 1}, {99, 'R', 2, 3, 1}},
     "2 ACTIVATE 0 0; 4 READ 0 0; 99 WRITE 0 1; 101 PRECHARGE ALL 0 0; 103 REFRESH 0 0; 110 ACTIVATE 3 2; 112 READ 3 "
     "1; "
     "200 PRECHARGE ALL 0 0; 202 REFRESH 0 0; 300 REFRESH 0 0; ",
     "7 115 "},
};

TEST(refreshes_close_all_rows_and_come_in_time, .to = COUNT(refreshes))
{
    external_params p = external_params_sdram();
    p.sdram.refi = 100;
    external_bench *b = play(&p, refreshes[_i].list, 320);
    ck_assert_str_eq(b->commands, refreshes[_i].commands);
    ck_assert_str_eq(b->read_clocks, refreshes[_i].answers);
    ck_assert_uint_eq(external_get_stats(b->m).sdram.refreshes, 3);
}

/* Commands "clock COMMAND bank address"; the last one breaks a rule and keeps it one clock later. */
struct step {
    uint64_t clock;
    sdram_command command;
    unsigned bank, address;
};
#define A SDRAM_ACTIVATE
#define R SDRAM_READ
#define W SDRAM_WRITE
#define P SDRAM_PRECHARGE
#define PA SDRAM_PRECHARGE_ALL
#define RF SDRAM_REFRESH
static const struct {
    const char *rule;
    struct step steps[6];
} violations[] = {
    {"tRCD", {{1, A, 0, 0}, {2, R, 0, 0}}},
    {"tRCD", {{1, A, 0, 0}, {2, W, 0, 0}}},
    {"tRAS", {{1, A, 0, 0}, {5, P, 0, 0}}},
    {"tRAS", {{1, A, 0, 0}, {5, PA, 0, 0}}},
    {"tRP", {{1, A, 0, 0}, {20, P, 0, 0}, {21, A, 0, 0}}},
    {"tRP", {{1, A, 0, 0}, {20, P, 0, 0}, {21, RF, 0, 0}}},
    {"tRC", {{1, A, 0, 0}, {6, P, 0, 0}, {9, A, 0, 1}}}, /* with rc 9 */
    {"tRC", {{1, A, 0, 0}, {6, P, 0, 0}, {9, RF, 0, 0}}},
    {"tRRD", {{1, A, 0, 0}, {2, A, 1, 0}}},
    {"tRFC", {{1, RF, 0, 0}, {7, A, 0, 0}}},
    {"tRFC", {{1, RF, 0, 0}, {7, RF, 0, 0}}},
    {"tWR", {{1, A, 0, 0}, {10, W, 0, 0}, {11, P, 0, 0}}},
    {"write to read", {{1, A, 0, 0}, {10, W, 0, 0}, {11, R, 0, 0}}}, /* with write_to_read 2 */
    {"read to write", {{1, A, 0, 0}, {10, R, 0, 0}, {13, W, 0, 0}}},
};

static const char *give(const sdram_params *p, const struct step *steps, unsigned count, unsigned later)
{
    static char text[200];
    sdram_chip *c = sdram_chip_new(p);
    for (unsigned i = 0; i < count; i++) {
        const char *wrong = sdram_chip_command(c, steps[i].clock + (i == count - 1 ? later : 0), steps[i].command,
                                               steps[i].bank, steps[i].address);
        snprintf(text, sizeof text, "%s", wrong ? wrong : "");
        if (i < count - 1) ck_assert_msg(!wrong, "step %u: %s", i, wrong);
    }
    sdram_chip_free(c);
    return text;
}

TEST(the_chips_catch_each_timing_and_nothing_else, .to = COUNT(violations))
{
    sdram_params p = sdram_params_default();
    unsigned count = 0;
    p.rc = 9;
    p.write_to_read = 2;
    while (violations[_i].steps[count].clock) count++;
    const char *wrong = give(&p, violations[_i].steps, count, 0);
    ck_assert_msg(!strncmp(wrong, violations[_i].rule, strlen(violations[_i].rule)), "the chips say '%s', expected %s",
                  wrong, violations[_i].rule);
    ck_assert_str_eq(give(&p, violations[_i].steps, count, 1), "");
}

static const struct {
    const char *text;
    struct step steps[4];
} states[] = {
    {"bank 0 is not open", {{1, R, 0, 0}}},
    {"bank 1 is not open", {{1, A, 0, 0}, {9, W, 1, 0}}},
    {"bank 0 is open already", {{1, A, 0, 0}, {20, A, 0, 0}}},
    {"bank 0 is open", {{1, A, 0, 0}, {20, RF, 0, 0}}},
    {"bank 0 has no such row", {{1, A, 0, 4096}}},
    {"bank 0 has no such column", {{1, A, 0, 0}, {9, R, 0, 1024}}},
    {"no such bank", {{1, A, 4, 0}}},
    {"more than one command in a clock", {{1, A, 0, 0}, {1, A, 1, 0}}},
    {"no refresh for 14060 clocks, expected one every 1562 on average, at most 8 late",
     {{2, RF, 0, 0}, {14062, A, 0, 0}}},
};

TEST(the_chips_catch_commands_in_the_wrong_state, .to = COUNT(states))
{
    sdram_params p = sdram_params_default();
    unsigned count = 0;
    while (states[_i].steps[count].clock) count++;
    ck_assert_str_eq(give(&p, states[_i].steps, count, 0), states[_i].text);
}

/* The checker listens in every run: banks closed behind the controller's back make its next command a wrong one. */
TEST(a_wrong_command_of_the_controller_ends_the_run)
{
    external_params p = external_params_sdram();
    external_bench *b = external_bench_new(&p, 0);
    external_bench_read(b, 1, at(0, 0, 0));
    external_bench_read(b, 30, at(0, 0, 1));
    external_bench_run(b, 20, SIM_TIME_LIMIT);
    ck_assert_ptr_null(sdram_chip_command(external_chip(b->m), 20, SDRAM_PRECHARGE_ALL, 0, 0));
    external_bench_run(b, 20, SIM_FAILED);
    ck_assert_str_eq(sim_error(b->s), "SDRAM: clock 31: READ of bank 0: bank 0 is not open");
}

TEST(parameters_that_contradict_each_other_are_refused)
{
    static const struct {
        size_t field;
        unsigned value;
    } bad[] = {{F(bank_bits), 4}, {F(row_bits), 3},     {F(column_bits), 13}, {F(cas_latency), 0},
               {F(rcd), 0},       {F(ras), 1},          {F(rc), 6},           {F(read_to_write), 2},
               {F(refi), 60},     {F(queue), 65},       {F(queue), 0},        {F(answer), 9},
               {F(wr), 0},        {F(write_to_read), 0}};
    external_params p = external_params_sdram();
    ck_assert_ptr_null(external_params_check(&p));
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        p = external_params_sdram();
        *(unsigned *)(void *)((char *)&p.sdram + bad[i].field) = bad[i].value;
        ck_assert_msg(external_params_check(&p) != NULL, "row %u is taken", i);
    }
}

/* 4096 words written and read, a request in every clock. Opening a row costs 2 clocks, a refresh 12 after a write and
 * 11 after a read with the row reopened; refreshes are due in the clocks 1562, 3124 ...: writes: bank 0 from 4 to 1027;
 * bank 1 from 1030, refresh, to 2065; bank 2 from 2068 to 3091; bank 3 from 3094, refresh, to 4129; reads, banks 0 to 2
 * closed by the refresh: bank 0 from 4132, refresh, to 5166; bank 1 from 5169 to 6192; bank 2 from 6195, refresh, to
 * 7229; bank 3, closed by that refresh, from 7232, refresh, to 8266. The answer comes 3 clocks later. */
TEST(a_stream_loses_only_what_rows_and_refreshes_cost)
{
    external_params p = external_params_sdram();
    external_bench *b = external_bench_new(&p, 0);
    for (unsigned i = 0; i < 4096; i++) external_bench_write(b, 1, i, i + UINT64_C(0x100000000), (uint8_t)i, 0x1ff);
    for (unsigned i = 0; i < 4096; i++) external_bench_read(b, 1, i);
    external_bench_run(b, 9000, SIM_TIME_LIMIT);
    ck_assert_uint_eq(b->answers, 4096);
    for (unsigned i = 0; i < 4096; i++) {
        ck_assert_uint_eq(b->answer[i], i + UINT64_C(0x100000000));
        ck_assert_uint_eq(b->answer_tag[i], i & 0xff);
    }
    ck_assert_uint_eq(b->answered_at[4095], 8269);
    sdram_stats s = external_get_stats(b->m).sdram;
    ck_assert_uint_eq(s.refreshes, 5);
    ck_assert_uint_eq(s.row_opens, 6 + 7);
    ck_assert_uint_eq(s.row_hits, 8192 - 13);
    ck_assert_uint_eq(s.row_misses, 0);
}
