/* See core_bench.h. */
#include "core_bench.h"

#include <stdarg.h>
#include <string.h>

#include "pcix_core.h"
#include "pcix_core_4.h"
#include "pcix_core_a.h"
#include "pcix_core_b.h"
#include "sim/core/kernel/splitmix64.h"
#include "simulation.h"
#include "test.h"

#define PERIOD 10000

static const char *line_name(int line) { return line == PAR64 ? "PAR64" : table_row_names[line]; }

uint64_t bench_word(unsigned n) { return splitmix64_mix(n + 1); }

void bench_problem(bench *b, const char *fmt, ...)
{
    if (b->problem[0]) return;
    int n = snprintf(b->problem, sizeof b->problem, "clock %lu: ", (unsigned long)b->now);
    va_list list;
    va_start(list, fmt);
    vsnprintf(b->problem + n, sizeof b->problem - (size_t)n, fmt, list);
    va_end(list);
}

const bus_column *bench_at(const bench *b, uint64_t c) { return &b->past[c % BENCH_HISTORY]; }

uint64_t bench_random(bench *b, uint64_t below) { return sim_random_below(b->s, below); }

/* ---- the wires ---- */

table_drive bench_nic(const bench *b)
{
    const pcix_core *p = &b->p;
    table_drive n = {.ad = *p->ad_o, .ad_halves = *p->ad_oe, .cbe = *p->cbe_n_o, .cbe_halves = *p->cbe_n_oe};
    const struct {
        int line;
        const uint8_t *out, *on;
    } pins[] = {
        {FRAME, p->frame_n_o, p->frame_n_oe},
        {REQ64, p->req64_n_o, p->req64_n_oe},
        {IRDY, p->irdy_n_o, p->irdy_n_oe},
        {TRDY, p->trdy_n_o, p->trdy_n_oe},
        {DEVSEL, p->devsel_n_o, p->devsel_n_oe},
        {STOP, p->stop_n_o, p->stop_n_oe},
        {PERR, p->perr_n_o, p->perr_n_oe},
        {ACK64, p->ack64_n_o, p->ack64_n_oe},
        {PAR, p->par_o, p->par_oe},
        {PAR64, p->par64_o, p->par64_oe},
    };
    for (int i = 0; i < COUNT(pins); i++) {
        n.level[pins[i].line] = *pins[i].out;
        n.on[pins[i].line] = *pins[i].on;
    }
    return n;
}

static unsigned parity(uint64_t x) { return (unsigned)__builtin_parityll(x); }

static void host_parity(bench *b)
{
    const bus_column *last = bench_at(b, b->now - 1);
    const table_drive *h = &last->host;
    for (int half = 0; half < 2; half++)
        if (h->ad_halves >> half & 1) {
            unsigned bit = parity((last->ad >> 32 * half) & 0xffffffff) ^ parity((last->cbe >> 4 * half) & 0xf);
            drive_line(&b->h, half ? PAR64 : PAR, (int)(bit ^ (b->bad_parity_before >> half & 1)));
        }
    b->bad_parity_before = b->bad_parity;
}

static void resolve(bench *b, bus_column *c)
{
    const table_drive *h = &c->host, *n = &c->nic;
    c->ad = ~0ull;
    c->cbe = 0xff;
    for (int half = 0; half < 2; half++) {
        uint64_t mask = 0xffffffffull << 32 * half;
        uint8_t small = (uint8_t)(0xf << 4 * half);
        if ((h->ad_halves & n->ad_halves) >> half & 1) bench_problem(b, "AD half %d has two drivers", half);
        if ((h->cbe_halves & n->cbe_halves) >> half & 1) bench_problem(b, "C/BE# half %d has two drivers", half);
        if ((h->ad_halves | n->ad_halves) >> half & 1)
            c->ad = (c->ad & ~mask) | ((h->ad_halves >> half & 1 ? h->ad : n->ad) & mask);
        if ((h->cbe_halves | n->cbe_halves) >> half & 1)
            c->cbe = (uint8_t)((c->cbe & ~small) | ((h->cbe_halves >> half & 1 ? h->cbe : n->cbe) & small));
    }
    for (int i = 0; i < LINES; i++) {
        if (h->on[i] && n->on[i]) bench_problem(b, "%s has two drivers", line_name(i));
        c->level[i] = h->on[i] ? h->level[i] : n->on[i] ? n->level[i] : 1;
    }
}

static void check_clock(bench *b, const bus_column *c)
{
    const bus_column *last = bench_at(b, b->now - 1);
    for (int half = 0; half < 2; half++) {
        int line = half ? PAR64 : PAR;
        unsigned drove = last->nic.ad_halves >> half & 1;
        unsigned bit = parity((last->ad >> 32 * half) & 0xffffffff) ^ parity((last->cbe >> 4 * half) & 0xf);
        if (drove != c->nic.on[line])
            bench_problem(b, "%s %s driven, but AD was%s one clock before", line_name(line), drove ? "not" : "is",
                          drove ? "" : " not");
        else if (drove && c->level[line] != bit)
            bench_problem(b, "%s is wrong for AD %016lx C/BE# %02x", line_name(line), (unsigned long)last->ad,
                          last->cbe);
    }
    for (int i = 0; i < LINES; i++)
        if (i != PAR && i != PAR64 && last->nic.on[i] && !last->nic.level[i] && !c->nic.on[i])
            bench_problem(b, "%s released while low", line_name(i));
    if (b->narrow_slot && (c->nic.on[REQ64] || c->nic.on[ACK64]))
        bench_problem(b, "REQ64# or ACK64# driven in a 32-bit slot");
    if ((c->nic.on[FRAME] != c->nic.on[REQ64] && !b->narrow_slot) ||
        (c->nic.on[FRAME] && c->nic.on[REQ64] && c->nic.level[FRAME] != c->nic.level[REQ64]))
        bench_problem(b, "REQ64# does not move with FRAME#");
}

static unsigned grant(bench *b)
{
    const bus_column *two_ago = bench_at(b, b->now - 2);
    if (b->gnt_mode < 0) return 1; /* the host has taken the bus */
    switch (b->gnt_mode) {
    case GNT_PARKED:
        return 0;
    case GNT_NEVER:
        return 1;
    case GNT_ON_REQUEST:
        return two_ago->req;
    default:
        if (!two_ago->level[FRAME] && two_ago->nic.on[FRAME]) b->gnt_wanted = 0;
        else if (!two_ago->req && two_ago->level[FRAME] && two_ago->level[IRDY]) b->gnt_wanted = 1;
        return !b->gnt_wanted;
    }
}

static void set_inputs(bench *b, const bus_column *c)
{
    pcix_core *p = &b->p;
    *p->ad_i = c->ad;
    *p->cbe_n_i = c->cbe;
    *p->frame_n_i = c->level[FRAME];
    *p->irdy_n_i = c->level[IRDY];
    *p->trdy_n_i = c->level[TRDY];
    *p->devsel_n_i = c->level[DEVSEL];
    *p->stop_n_i = c->level[STOP];
    *p->req64_n_i = c->level[REQ64];
    *p->ack64_n_i = c->level[ACK64];
    *p->perr_n_i = c->level[PERR];
    *p->par_i = c->level[PAR];
    *p->par64_i = c->level[PAR64];
    *p->serr_n_i = c->serr;
    *p->idsel_i = b->idsel;
    *p->gnt_n_i = c->gnt;
}

void bench_clock(bench *b)
{
    bus_column *c = &b->past[b->now % BENCH_HISTORY];
    if (b->agent_drive) b->agent_drive(b);
    host_parity(b);
    memset(c, 0, sizeof *c);
    c->host = b->h;
    c->nic = bench_nic(b);
    resolve(b, c);
    c->req = *b->p.req_n_oe ? *b->p.req_n_o : 1;
    c->serr = !*b->p.serr_n_oe;
    c->inta = !*b->p.inta_n_oe;
    b->serr += !c->serr;
    c->gnt = (uint8_t)grant(b);
    check_clock(b, c);
    if (b->agent_sample) b->agent_sample(b);
    set_inputs(b, c);
    if (b->irq_at) *b->p.irq_event = b->now == b->irq_at;
    core_user_drive(&b->u);
    b->h = (table_drive){0};
    b->idsel = b->bad_parity = 0;
    int result = sim_run(b->s, (sim_time)(b->now + 1) * PERIOD);
    ck_assert_msg(result == SIM_TIME_LIMIT, "simulation ended: %s %s", sim_result_name(result), sim_error(b->s));
    if (b->u.problem) bench_problem(b, "%s", b->u.problem);
    b->now++;
}

void bench_clocks(bench *b, unsigned n)
{
    while (n--) bench_clock(b);
}

/* ---- life ---- */

static void end_check(void *bench_with_problem)
{
    bench *b = bench_with_problem;
    ck_assert_msg(!b->problem[0] || b->expect_problem, "%s", b->problem);
}

bench *bench_new_pattern(int decode, int splits, unsigned pattern)
{
    bench *b = test_memory(sizeof *b);
    after_test(end_check, b);
    b->s = loud_sim(0);
    sim_clock *clock = make_clock(b->s, "pci", PERIOD, PERIOD);
    const sim_config *config = decode == 2   ? &pcix_core_a_config
                               : decode == 3 ? &pcix_core_b_config
                               : splits == 4 ? &pcix_core_4_config
                                             : &pcix_core_config;
    core_user_init(&b->u, b->s, make_model(b->s, config, "core"));
    b->u.window_latency = 0;
    b->p = b->u.p;
    sim_model_clock(b->p.model, clock, b->p.pin_clk);
    sim_model_clock(b->p.model, clock, b->p.clk);
    sim_clock_attach(clock, core_user_sample, NULL, &b->u);
    for (unsigned i = 0; i < BENCH_HISTORY; i++) {
        bus_column *c = &b->past[i];
        c->ad = ~0ull;
        c->cbe = 0xff;
        c->gnt = c->req = c->serr = c->inta = 1;
        memset(c->level, 1, sizeof c->level);
    }
    b->now = 0;
    b->gnt_mode = GNT_NEVER;
    *b->p.rst_n_pin = 0;
    b->narrow_slot = pattern >> 3 & 1;
    sim_model_eval(b->p.model);
    for (int i = 0; i < 16; i++) {
        if (i == 13) *b->p.rst_n_pin = 1;
        if (i < 14) {
            drive_line(&b->h, DEVSEL, pattern >> 2 & 1);
            drive_line(&b->h, STOP, pattern >> 1 & 1);
            drive_line(&b->h, TRDY, pattern & 1);
            drive_line(&b->h, REQ64, pattern >> 3 & 1);
        }
        bench_clock(b);
    }
    *b->p.rst = 0;
    bench_clocks(b, 5);
    b->gnt_mode = GNT_PARKED;
    return b;
}

bench *bench_new(int decode, int splits) { return bench_new_pattern(decode, splits, 5); }

/* ---- requests ---- */

void bench_write(bench *b, uint64_t address, unsigned n, unsigned first)
{
    uint64_t words[512];
    for (unsigned i = 0; i < n; i++) words[i] = bench_word(first + i);
    core_user_ask_write(&b->u, address, n, words);
}

void bench_read(bench *b, uint64_t address, unsigned n, unsigned tag) { core_user_ask_read(&b->u, address, n, tag); }

static void ends(bench *b, const done_log *log, unsigned count, unsigned limit, unsigned status)
{
    while (log->count < count && limit--) bench_clock(b);
    ck_assert_uint_ge(log->count, count);
    ck_assert_uint_eq(log->entry[(count - 1) % 256].status, status);
}

void bench_write_ends(bench *b, unsigned count, unsigned limit, unsigned status)
{
    ends(b, &b->u.wr_done, count, limit, status);
}

void bench_read_ends(bench *b, unsigned count, unsigned limit, unsigned status)
{
    ends(b, &b->u.rd_done, count, limit, status);
}

uint64_t bench_first_low(bench *b, int line)
{
    for (int i = 0; i < 60; i++) {
        const bus_column *c = bench_at(b, b->now - 1);
        if (line < 0 ? !c->req : !c->level[line]) return b->now - 1;
        bench_clock(b);
    }
    ck_abort_msg("line %d never falls", line);
}
