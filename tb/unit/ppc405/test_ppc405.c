/* The processor's PLB port, clock by clock: a slave by script, and all pins that the processor drives. Figures 2-17 and
 * 2-18 of UG018 and its rules (2.3, "Address Pipelining", descriptions of the signals), worked by hand; without an
 * internal cache there is no transfer from the fill buffer, and no request waits for one. */
#include <stdio.h>
#include <string.h>

#include "sim/model/ppc405/plb_memory.h"
#include "sim/model/ppc405/ppc405.h"
#include "simulation.h"
#include "test.h"

enum { CLOCKS = 40 };

/* The pins, as a model would have them. */
typedef struct wires {
    uint8_t request, rnw, size2, be, abort, priority, cacheable, writethru, guarded, u0attr;
    uint32_t abus;
    uint64_t wrdbus;
    uint8_t addrack, ssize1, rddack, rdwdaddr, wrdack, busy, err;
    uint64_t rddbus;
} wires;

typedef struct wire_pointers {
    uint8_t *request, *rnw, *size2, *be, *abort, *priority, *cacheable, *writethru, *guarded, *u0attr;
    uint32_t *abus;
    uint64_t *wrdbus;
    uint8_t *addrack, *ssize1, *rddack, *rdwdaddr, *wrdack, *busy, *err;
    uint64_t *rddbus;
} wire_pointers;

typedef struct table {
    const char *name;
    void (*program)(ppc405 *c);
    /* of the slave, a column for each clock from 1 on; a number in rddack: the doubleword of a line */
    const char *addrack, *rddack, *wrdack, *busy;
    /* of the processor. request: a letter for each address, the first is a; what: r, w, R, W (a line). data: which
     * word is on wrdbus, x: any */
    const char *request, *what, *abort, *data;
} table;

typedef struct bench {
    sim *s;
    sim_clock *clock;
    wires w;
    ppc405 *c;
    const table *t;
    unsigned now;
    char request[CLOCKS + 1], what[CLOCKS + 1], abort[CLOCKS + 1], data[CLOCKS + 1];
} bench;

static uint32_t address_of(char letter) { return 0x40000100u + 0x20u * (unsigned)(letter - 'a'); }

static int in(const char *row, unsigned clock)
{
    return row && clock <= strlen(row) && row[clock - 1] != '.' && row[clock - 1] != ' ';
}

static void record(void *self)
{
    bench *b = self;
    const wires *w = &b->w;
    if (!b->now || b->now > CLOCKS) return;
    unsigned i = b->now - 1;
    b->request[i] = w->request ? (char)('a' + (w->abus - address_of('a')) / 0x20) : '.';
    b->what[i] = !w->request ? '.' : w->rnw ? (w->size2 ? 'R' : 'r') : (w->size2 ? 'W' : 'w');
    b->abort[i] = w->abort ? '#' : '.';
    b->data[i] = (char)('0' + (w->wrdbus & 15));
}

static void script(void *self)
{
    bench *b = self;
    wires *w = &b->w;
    b->now++;
    w->addrack = (uint8_t)in(b->t->addrack, b->now);
    w->rddack = (uint8_t)in(b->t->rddack, b->now);
    w->wrdack = (uint8_t)in(b->t->wrdack, b->now);
    w->busy = (uint8_t)in(b->t->busy, b->now);
    char place = w->rddack ? b->t->rddack[b->now - 1] : '#';
    w->rdwdaddr = place == '#' ? 0 : (uint8_t)(2 * (place - '0'));
    w->rddbus = w->rddack ? 0x1111111122222222u * (uint64_t)(place == '#' ? 1 : place - '0') : 0xdeadbeefdeadbeefu;
}

static void program(void *self)
{
    bench *b = self;
    b->t->program(b->c);
    sim_wait_cycles(b->clock, 4);
}

#define POINTERS(w)                                                                                                    \
    (&(wire_pointers){&(w)->request,  &(w)->rnw,       &(w)->size2,     &(w)->be,      &(w)->abort,                    \
                      &(w)->priority, &(w)->cacheable, &(w)->writethru, &(w)->guarded, &(w)->u0attr,                   \
                      &(w)->abus,     &(w)->wrdbus,    &(w)->addrack,   &(w)->ssize1,  &(w)->rddack,                   \
                      &(w)->rdwdaddr, &(w)->wrdack,    &(w)->busy,      &(w)->err,     &(w)->rddbus})

static void make(bench *b, const ppc405_params *p)
{
    b->s = quiet_sim(0);
    b->clock = make_clock(b->s, "plb", 10000, 10000);
    b->w.ssize1 = 1;
    plb_master_pins pins = PLB_MASTER_PINS(POINTERS(&b->w), );
    b->c = ppc405_new(b->s, b->clock, &pins, p, "cpu0");
    ck_assert_ptr_nonnull(b->c);
}

static int run(bench *b, const table *t, const ppc405_params *p)
{
    b->t = t;
    for (int i = 0; i < CLOCKS; i++) b->request[i] = b->what[i] = b->abort[i] = b->data[i] = '.';
    make(b, p);
    sim_clock_attach(b->clock, record, script, b);
    sim_task_new(b->s, "program", program, b);
    int result = sim_run(b->s, SIM_US);
    ppc405_free(b->c);
    return result;
}

static void load_of(ppc405 *c, char letter) { ppc405_load32(c, address_of(letter)); }
static void store_of(ppc405 *c, char letter, uint32_t value) { ppc405_store32(c, address_of(letter), value); }

static void three_lines(ppc405 *c)
{
    uint8_t line[32];
    ppc405_ticket t[3];
    for (int i = 0; i < 3; i++) t[i] = ppc405_line_begin(c, address_of((char)('a' + i)) + 8);
    for (int i = 0; i < 3; i++) {
        ppc405_line_end(c, t[i], line);
        for (unsigned k = 0; k < 4; k++) ck_assert_uint_eq(line[8 * k], 0x11 * k);
    }
}

static void line_word_line(ppc405 *c)
{
    uint8_t line[32];
    ppc405_ticket a = ppc405_line_begin(c, address_of('a')), b = ppc405_load_begin(c, address_of('b')),
                  d = ppc405_line_begin(c, address_of('c'));
    ppc405_line_end(c, a, line);
    ck_assert_uint_eq(ppc405_load_end(c, b), 0x11111111);
    ppc405_line_end(c, d, line);
}

static void three_words(ppc405 *c)
{
    ppc405_ticket t[3];
    for (int i = 0; i < 3; i++) t[i] = ppc405_load_begin(c, address_of((char)('a' + i)));
    for (int i = 0; i < 3; i++) ck_assert_uint_eq(ppc405_load_end(c, t[i]), 0x11111111);
}

static void three_loads(ppc405 *c)
{
    for (int l = 'a'; l <= 'c'; l++) load_of(c, (char)l);
}

static void two_stores(ppc405 *c)
{
    store_of(c, 'a', 1);
    store_of(c, 'b', 2);
    ppc405_sync(c);
}

static void store_load_store(ppc405 *c)
{
    store_of(c, 'a', 1);
    ppc405_ticket t = ppc405_load_begin(c, address_of('b'));
    store_of(c, 'c', 3);
    ppc405_load_end(c, t);
    ppc405_sync(c);
}

static void line_write_line_read(ppc405 *c)
{
    uint8_t line[32] = {[7] = 1, [15] = 2, [23] = 3, [31] = 4};
    ppc405_line_write(c, address_of('a'), line);
    ppc405_line_read(c, address_of('b'), line);
}

static void abort_then_load(ppc405 *c)
{
    ck_assert_int_eq(ppc405_load_aborted(c, address_of('a'), 0), 1);
    load_of(c, 'b');
}

static void abort_later(ppc405 *c) { ck_assert_int_eq(ppc405_load_aborted(c, address_of('a'), 2), 1); }

static void abort_too_late(ppc405 *c)
{
    ck_assert_int_eq(ppc405_load_aborted(c, address_of('a'), 3), 0);
    load_of(c, 'b');
}

static void store_sync_load(ppc405 *c)
{
    store_of(c, 'a', 1);
    ppc405_sync(c);
    load_of(c, 'b');
}

/* A request is on the pins from clock 2 on: the program begins in clock 1, two of its three core clocks to issue. */
static const table tables[] = {
    {"figure 2-17: three line reads; the third when the first is complete", three_lines, ".#.#..#.........",
     "..12301230.1230.", "", "..############..",
     "."
     "a.b..c...",
     ".R.R..R...", "", ""},
    {"figure 2-18: line, word, line; the third when the first is complete", line_word_line, ".#.#..#.........",
     "..0123#0123.....", "", "..#########.....", ".a.b..c...", ".R.r..R...", "", ""},
    {"three words: every second clock", three_words, ".#.#.#..........", "..#.#.#.........", "", "..#.#.#.........",
     ".a.b.c....", ".r.r.r....", "", ""},
    {"two reads are in the pipeline, the third waits", three_words, ".#.#...#........", "......#..#..#...", "",
     "..##########....", ".a.b...c..", ".r.r...r..", "", ""},
    {"a request stays until it is acknowledged", three_words, "....#..#.#......", ".....#.. #.#....", "",
     "................", ".aaaa.bb.c..", ".rrrr.rr.r..", "", ""},
    {"loads whose values are used: data, bypass, next instruction, issue", three_loads, ".#..#..#........",
     "..#..#..#.......", "", "................", ".a..b..c.", ".r..r..r.", "", ""},
    {"word writes: a second one behind the data of the first", two_stores, ".#....#.........", "", "....#.#.........",
     "..###...........", ".a...bb...", ".w...ww...", "", "x11112 2"},
    {"write data may be taken with the address", two_stores, ".#.#............", "", ".#.#............",
     "................", ".a.b......", ".w.w......", "", "x1 2"},
    {"write, read, write: the read passes into the pipeline, the second write waits", store_load_store,
     ".#.#..#.........", "....#...........", ".....##.........", "..####..........", ".a.b..c...", ".w.r..w...", "",
     "x111113"},
    {"line write, line read: data of the write from its request on", line_write_line_read, "..#.#...........",
     "........0123....", "..##.##.........", "...######.......", ".aa.b.....", ".WW.R.....", "", "x112334"},
    {"an abort: the request is off for a clock", abort_then_load, "...#............", "....#...........", "", "",
     ".a.b......", ".r.r......", ".#........", ""},
    {"an abort beside addrack: the slave ignores the request", abort_then_load, ".#.#............", "....#...........",
     "", "", ".a.b......", ".r.r......", ".#........", ""},
    {"an abort after two clocks", abort_later, "", "", "", "", ".aaa......", ".rrr......", "...#......", ""},
    {"an abort that is too late", abort_too_late, "..#....#........", "...#....#.......", "", "", ".aa..bbb..",
     ".rr..rrr..", "..........", ""},
    {"sync waits until the slave is not busy", store_sync_load, ".#........#.....", "...........#....",
     "..#.............", "..######........", ".a........b.", ".w........r.", "", "x11"},
};

TEST_CASE("ppc405", .timeout = 60);

static void compare(const table *t, const char *what, const char *have, const char *expected)
{
    for (size_t i = 0; i < strlen(expected); i++)
        ck_assert_msg(expected[i] == ' ' || expected[i] == 'x' || have[i] == expected[i],
                      "%s: %s, clock %zu:\n%.20s, expected\n%s", t->name, what, i + 1, have, expected);
}

TEST(the_pins_are_those_of_the_diagrams, .to = COUNT(tables))
{
    bench b = {0};
    int result = run(&b, &tables[_i], NULL);
    ck_assert_msg(result == SIM_OK, "%s: %s %s, requests %s", tables[_i].name, sim_result_name(result), sim_error(b.s),
                  b.request);
    compare(&tables[_i], "request", b.request, tables[_i].request);
    compare(&tables[_i], "kind", b.what, tables[_i].what);
    compare(&tables[_i], "abort", b.abort, tables[_i].abort);
    compare(&tables[_i], "write data", b.data, tables[_i].data);
}

/* ---- lanes: what stands beside an address ---- */

static const struct {
    uint32_t address;
    unsigned bytes, write, be, guarded;
    uint64_t data;
} lanes[] = {
    {0x40000000, 4, 1, 0xf0, 0, 0x1234567812345678},
    {0x40000004, 4, 1, 0x0f, 0, 0x1234567812345678},
    {0x40000002, 2, 1, 0x30, 0, 0x0000567800005678},
    {0x40000006, 2, 1, 0x03, 0, 0x0000567800005678},
    {0x40000000, 1, 1, 0x80, 0, 0x7800000078000000},
    {0x40000005, 1, 1, 0x04, 0, 0x0078000000780000},
    {0x40000007, 1, 1, 0x01, 0, 0x0000007800000078},
    {0x80000010, 4, 1, 0xf0, 1, 0x1234567812345678},
    {0x80000014, 4, 0, 0x0f, 1, 0},
    {0x40000003, 1, 0, 0x10, 0, 0},
};
static int lane;

static void one_access(ppc405 *c)
{
    uint32_t a = lanes[lane].address;
    if (!lanes[lane].write && lanes[lane].bytes == 4) ck_assert_uint_eq(ppc405_load32(c, a), 0x22222222);
    else if (!lanes[lane].write) ck_assert_uint_eq(ppc405_load8(c, a), 0x11);
    else if (lanes[lane].bytes == 4) ppc405_store32(c, a, 0x12345678);
    else if (lanes[lane].bytes == 2) ppc405_store16(c, a, 0x5678);
    else ppc405_store8(c, a, 0x78);
    ppc405_sync(c);
}

TEST(a_word_is_on_its_lanes, .to = COUNT(lanes))
{
    static const table read = {"", one_access, "..#", "...#", "", "", "", "", "", ""},
                       write = {"", one_access, "..#", "", "...#", "", "", "", "", ""};
    bench b = {0};
    lane = _i;
    ck_assert_int_eq(run(&b, lanes[_i].write ? &write : &read, &(ppc405_params){1, 1, 0, 1}), SIM_OK);
    ck_assert_uint_eq(b.w.abus, lanes[_i].address);
    ck_assert_uint_eq(b.w.be, lanes[_i].be);
    ck_assert_uint_eq(b.w.rnw, !lanes[_i].write);
    ck_assert_uint_eq(b.w.priority, lanes[_i].write ? 2 : 3);
    ck_assert_uint_eq(b.w.guarded, lanes[_i].guarded);
    ck_assert_uint_eq(b.w.size2 | b.w.cacheable | b.w.writethru | b.w.u0attr, 0);
    if (lanes[_i].write) ck_assert_uint_eq(b.w.wrdbus, lanes[_i].data);
}

/* ---- a slave that breaks a rule ends the run ---- */

static const struct {
    const char *addrack, *rddack, *wrdack, *error;
    int wide;
} broken[] = {
    {"..##", "", "", "addrack without a request", 1},
    {".#", ".#", "", "read data are acknowledged, and no read", 1},
    {".#", "..##", "", "read data are acknowledged, and no read", 1},
    {".#", "..#", "..#", "write data are acknowledged, and no write", 1},
    {".#", "", "", "a slave of 32 bits", 0},
};

static void one_load(ppc405 *c) { load_of(c, 'a'); }

TEST(a_slave_that_breaks_a_rule_is_named, .to = COUNT(broken))
{
    table t = {"", one_load, broken[_i].addrack, broken[_i].rddack, broken[_i].wrdack, "", "", "", "", ""};
    bench b = {.t = &t};
    make(&b, NULL);
    b.w.ssize1 = (uint8_t)broken[_i].wide;
    sim_clock_attach(b.clock, record, script, &b);
    sim_task_new(b.s, "program", program, &b);
    ck_assert_int_eq(sim_run(b.s, SIM_US), SIM_FAILED);
    ck_assert_msg(strstr(sim_error(b.s), broken[_i].error) != NULL, "%s", sim_error(b.s));
}

/* ---- a memory behind it: values, sizes, ratios ---- */

typedef struct random_run {
    bench b;
    plb_memory *m;
    unsigned steps;
    uint8_t shadow[1024];
} random_run;

static void at_random(void *self)
{
    random_run *r = self;
    ppc405 *c = r->b.c;
    for (unsigned n = 0; n < r->steps; n++) {
        uint32_t place = (uint32_t)sim_random_below(r->b.s, 1000), value = (uint32_t)sim_random(r->b.s);
        uint8_t *at = r->shadow + place, line[32];
        switch (sim_random_below(r->b.s, 10)) {
        case 0:
            ck_assert_uint_eq(ppc405_load8(c, 0x1000 + place), *at);
            break;
        case 1:
            ck_assert_uint_eq(ppc405_load16(c, 0x1000 + place), (unsigned)at[0] << 8 | at[1]);
            break;
        case 2:
        case 3:
            ck_assert_uint_eq(ppc405_load32(c, 0x1000 + place),
                              (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
            break;
        case 4:
            ppc405_store8(c, 0x1000 + place, (uint8_t)value);
            at[0] = (uint8_t)value;
            break;
        case 5:
            ppc405_store16(c, 0x1000 + place, (uint16_t)value);
            at[0] = (uint8_t)(value >> 8), at[1] = (uint8_t)value;
            break;
        case 6:
            ppc405_store32(c, 0x1000 + place, value);
            for (unsigned i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
            break;
        case 7:
            ppc405_line_read(c, 0x1000 + place, line);
            ck_assert_mem_eq(line, r->shadow + (place & ~31u), 32);
            break;
        case 8:
            for (unsigned i = 0; i < 32; i++) line[i] = (uint8_t)(value + 7 * i);
            ppc405_line_write(c, 0x1000 + place, line);
            memcpy(r->shadow + (place & ~31u), line, 32);
            break;
        default:
            if (value & 1) ppc405_load_aborted(c, 0x1000 + place, value >> 1 & 3);
            else if (value & 2) ppc405_sync(c);
            else ppc405_compute(c, value >> 2 & 15);
        }
        sim_progress(r->b.s);
    }
    ppc405_sync(c);
}

TEST(memory_is_what_was_written, .to = 8)
{
    static random_run r;
    ppc405_params p = ppc405_defaults();
    plb_memory_params slow = plb_memory_defaults();
    p.ratio = 1 + (unsigned)_i % 4;
    slow.spread = _i / 4 ? 3 : 0;
    r.steps = 4000;
    make(&r.b, &p);
    plb_slave_pins pins = PLB_SLAVE_PINS(POINTERS(&r.b.w), );
    r.m = plb_memory_new(r.b.s, r.b.clock, &pins, &slow);
    ck_assert_ptr_nonnull(r.m);
    sim_task_new(r.b.s, "program", at_random, &r);
    ck_assert_msg(sim_run(r.b.s, 100 * SIM_MS) == SIM_OK, "%s", sim_error(r.b.s));
    for (uint32_t i = 0; i < 1000; i += 4) ck_assert_uint_eq(plb_memory_get(r.m, 0x1000 + i) >> 24, r.shadow[i]);
    ck_assert_uint_eq(ppc405_get_stats(r.b.c).errors, 0);
    plb_memory_free(r.m);
    ppc405_free(r.b.c);
}

/* Clocks of the core in clocks of the PLB, and an address without memory. */
static struct {
    bench b;
    ppc405_access seen;
    uint64_t core, plb;
} timed;

static void see(void *self, const ppc405_access *a)
{
    (void)self;
    timed.seen = *a;
}

static void computes(void *self)
{
    (void)self;
    ppc405_compute(timed.b.c, 120);
    timed.core = ppc405_now(timed.b.c);
    timed.plb = ppc405_clock(timed.b.c);
    ck_assert_uint_eq(ppc405_load32(timed.b.c, 0x2000), UINT32_MAX);
}

TEST(core_clocks_are_a_multiple_and_errors_are_counted, .from = 1, .to = 5)
{
    ppc405_params p = ppc405_defaults();
    plb_memory_params small = plb_memory_defaults();
    p.ratio = (unsigned)_i;
    small.to = 0x2000;
    make(&timed.b, &p);
    ppc405_on_access(timed.b.c, see, NULL);
    plb_slave_pins pins = PLB_SLAVE_PINS(POINTERS(&timed.b.w), );
    plb_memory *m = plb_memory_new(timed.b.s, timed.b.clock, &pins, &small);
    sim_task_new(timed.b.s, "program", computes, NULL);
    ck_assert_int_eq(sim_run(timed.b.s, SIM_MS), SIM_OK);
    ck_assert_uint_eq(timed.core, (unsigned)_i + 120);
    ck_assert_uint_eq(timed.plb, 1 + 120 / (unsigned)_i);
    ck_assert_uint_eq(timed.seen.acknowledged, timed.seen.requested + 1);
    ck_assert_uint_eq(timed.seen.done, timed.seen.acknowledged + 3);
    ck_assert_uint_eq(timed.seen.error, 1);
    ppc405_stats s = ppc405_get_stats(timed.b.c);
    ck_assert_uint_eq(s.errors, 1);
    ck_assert_uint_eq(s.error_address, 0x2000);
    plb_memory_free(m);
    ppc405_free(timed.b.c);
}

static const struct {
    ppc405_params p;
    const char *error;
} refused[] = {
    {{.ratio = 0, .issue = 2, .bypass = 1}, "ratio must be 1..4"},
    {{.ratio = 5, .issue = 2}, "ratio must be 1..4"},
    {{.ratio = 1, .issue = 0}, "issue must be 1..8"},
    {{.ratio = 1, .issue = 9}, "issue must be 1..8"},
    {{.ratio = 1, .issue = 1, .bypass = 9}, "bypass must be 0..8"},
    {{.ratio = 1, .issue = 1, .priority = 2}, "priority"},
};

TEST(parameters_out_of_range_are_refused, .to = COUNT(refused))
{
    wires w = {0};
    sim *s = quiet_sim(0);
    sim_clock *clock = make_clock(s, "plb", 10000, 0);
    plb_master_pins pins = PLB_MASTER_PINS(POINTERS(&w), );
    ck_assert_ptr_null(ppc405_new(s, clock, &pins, &refused[_i].p, "cpu0"));
    ck_assert_msg(strstr(sim_error(s), refused[_i].error) != NULL, "%s", sim_error(s));
}
