/* dma_resequencer against a list per source, kept here: packets delivered by each path, written, notified. It says of
 * each notification whether it may be now, and how it must be flagged; of each number timed out whether one of the
 * rules of the module's head allows it; and how long something may wait for which a rule allows it to go on. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dma_resequencer.h"
#include "dma_resequencer_2.h"
#include "faulty_resequencer.h"
#include "simulation.h"

enum {
    SOURCES = 8,
    MOST_PATHS = 4,
    KEPT = 2048,  /* numbers of a source that the list holds */
    TAKEN = 200,  /* [clocks] from the module's note until it is taken, at most */
    LAG = 4000,   /* [clocks] for a search over all sources while others also go on */
    NOTIFIES = 4, /* header [54], [53], [52] as bits 2, 1, 0 */
    INTERRUPTS = 1
};

typedef enum { NOWHERE, WRITING, HERE, GONE } state;

struct packet {
    state state;
    unsigned flags, damaged;
    uint32_t address;
    uint64_t came;
};

struct source {
    struct packet at[KEPT];
    unsigned held;                /* of these WRITING or HERE */
    uint64_t next;                /* all below have been notified, passed or lost */
    uint64_t sent;                /* number that the sender uses next */
    uint64_t brought[MOST_PATHS]; /* number behind the last one that each path has brought; 0: none */
    uint64_t on_way[MOST_PATHS][KEPT], first[MOST_PATHS], count[MOST_PATHS];
    uint64_t went_on;    /* clock of the last notification */
    uint64_t late_since; /* clock of the first of several late packets */
    unsigned mark, forced, late_run;
    uint64_t stuck;
};

struct bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    dma_resequencer *m;
    unsigned paths, in_use, places, timeout, slow;
    struct source of[SOURCES];
    uint64_t lost, late, notified, flagged, clock;
    char wrong[200];
};

static unsigned below(struct bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static void __attribute__((format(printf, 2, 3))) complain(struct bench *b, const char *format, ...)
{
    va_list list;
    if (*b->wrong) return;
    va_start(list, format);
    int n = snprintf(b->wrong, sizeof b->wrong, "clock %llu: ", (unsigned long long)b->clock);
    vsnprintf(b->wrong + n, sizeof b->wrong - (size_t)n, format, list);
    va_end(list);
}

/* ---- the list ---- */

static struct packet *packet_of(struct source *x, uint64_t number) { return &x->at[number % KEPT]; }

static void is_now(struct source *x, struct packet *p, state state)
{
    x->held += (state == WRITING || state == HERE) - (p->state == WRITING || p->state == HERE);
    p->state = state;
}

static int all_later(const struct bench *b, const struct source *x, uint64_t number)
{
    for (unsigned p = 0; p < b->paths; p++)
        if (b->in_use >> p & 1 && x->brought[p] <= number + 1) return 0;
    return 1;
}

/* Headers have waited for the time-out. A note is looked at here up to TAKEN clocks after the module has gone on with
 * it. */
static int waited(const struct bench *b, struct source *x)
{
    if (!b->timeout || b->clock - x->went_on + TAKEN < b->timeout) return 0;
    for (uint64_t n = x->next; n < x->next + 512; n++)
        if (packet_of(x, n)->state == HERE && b->clock - packet_of(x, n)->came >= b->timeout) return 1;
    return 0;
}

/* All below this number is over, and it is notified, so flagged. */
static void passes(struct bench *b, unsigned s, uint64_t number, int flagged)
{
    struct source *x = &b->of[s];
    int timed_out = waited(b, x);
    for (; x->next < number; x->next++) {
        struct packet *p = packet_of(x, x->next);
        if (p->state == HERE && p->flags & (NOTIFIES | INTERRUPTS))
            complain(b, "source %u: %llu is reported, and %llu before it was not", s, (unsigned long long)number,
                     (unsigned long long)x->next);
        if (p->state == WRITING)
            complain(b, "source %u: %llu times out while it is written", s, (unsigned long long)x->next);
        if (p->state == HERE) x->mark |= p->damaged;
        else {
            if (!all_later(b, x, x->next) && !timed_out && !x->forced && p->state != GONE)
                complain(b, "source %u: %llu is reported, and %llu may still come", s, (unsigned long long)number,
                         (unsigned long long)x->next);
            b->lost++;
            x->mark = 1;
        }
        is_now(x, p, NOWHERE);
    }
    struct packet *p = packet_of(x, number);
    if (p->state != HERE)
        complain(b, "source %u: %llu is reported before it is in memory", s, (unsigned long long)number);
    x->mark |= p->damaged;
    if (p->flags & NOTIFIES) {
        if ((unsigned)flagged != x->mark)
            complain(b, "source %u: %llu is %sflagged, expected the contrary", s, (unsigned long long)number,
                     flagged ? "" : "not ");
        b->notified++;
        b->flagged += x->mark;
        x->mark = 0;
    }
    is_now(x, p, NOWHERE);
    x->next = number + 1;
    x->went_on = b->clock;
    x->forced = 0;
    x->stuck = 0;
}

/* Nothing waits that may go on. */
static void look_for_the_forgotten(struct bench *b)
{
    for (unsigned s = 0; s < SOURCES; s++) {
        struct source *x = &b->of[s];
        uint64_t n = x->next, open = 0, time;
        if (!x->held) n += 512;
        for (; n < x->next + 512; n++) {
            struct packet *p = packet_of(x, n);
            if (p->state == HERE && p->flags & (NOTIFIES | INTERRUPTS)) break;
            if (p->state == WRITING) n = x->next + 512;
            else if (p->state == NOWHERE && !all_later(b, x, n)) open++;
        }
        time = (open + 1) * b->timeout; /* each number that is missing may take the time-out again */
        int over = b->timeout && b->clock - x->went_on > time && b->clock - packet_of(x, n)->came > time;
        if (n >= x->next + 512 || (open && !over)) x->stuck = 0;
        else if (++x->stuck > LAG)
            complain(b, "source %u: %llu waits, and nothing is in its way", s, (unsigned long long)n);
    }
}

/* ---- clocks ---- */

static void clock_once(struct bench *b)
{
    run_clocks(b->s, b->clk, 1);
    b->clock++;
    look_for_the_forgotten(b);
}

static uint64_t near(const struct source *x, unsigned number)
{
    uint64_t n = (x->next & ~1023ull) | number;
    if (n + 512 < x->next) n += 1024;
    if (n > x->next + 512 && n >= 1024) n -= 1024;
    return n;
}

/* Takes due reports, as the caller does between two packets. */
static void take_notes(struct bench *b)
{
    sim_model_eval(b->model);
    while (*b->m->note_valid && !*b->wrong) {
        uint64_t h = *b->m->note_header;
        unsigned s = (unsigned)(h >> 56 & 127);
        uint64_t n = near(&b->of[s], (unsigned)(h >> 42 & 1023));
        struct packet *p = packet_of(&b->of[s], n);
        if ((uint32_t)h != p->address || (h >> 52 & 7) != p->flags)
            complain(b, "source %u: header %016llx", s, (unsigned long long)h);
        passes(b, s, n, h >> 63 & 1);
        for (unsigned i = below(b, b->slow + 1); i; i--) clock_once(b);
        *b->m->note_taken = 1;
        clock_once(b);
        *b->m->note_taken = 0;
        sim_model_eval(b->model);
    }
}

/* A packet comes, is written for some clocks, and done. */
static void comes(struct bench *b, unsigned s, unsigned path, uint64_t number, unsigned flags, unsigned damaged,
                  unsigned clocks)
{
    dma_resequencer *m = b->m;
    struct source *x = &b->of[s];
    if (number >= x->next + b->places) x->forced = 1;
    for (unsigned i = 0;; i++) {
        if (x->late_run && b->timeout && b->clock - x->late_since >= b->timeout)
            x->forced = 1; /* waiting packets go before a restart */
        take_notes(b);
        *m->ask_valid = 1;
        *m->ask_source = (uint8_t)s;
        *m->ask_number = (uint16_t)(number & 1023);
        *m->ask_path = (uint8_t)path;
        sim_model_eval(b->model);
        if (*m->ask_ready || i > 100000 || *b->wrong) break;
        clock_once(b);
        *m->ask_valid = 0;
    }
    int late = *m->ask_late;
    clock_once(b);
    *m->ask_valid = 0;
    sim_model_eval(b->model);
    if (*m->ev_restart) {
        if (!x->late_run || b->clock - x->late_since < b->timeout)
            complain(b, "source %u: %llu is taken up again", s, (unsigned long long)number);
        memset(x->brought, 0, sizeof x->brought);
        x->next = number;
        x->mark = 1;
    }
    if (late && !x->late_run) x->late_since = b->clock;
    x->late_run = late;
    x->brought[path] = number + 1;
    struct packet *p = packet_of(x, number);
    if (late) {
        if (number >= x->next && !all_later(b, x, number) && !waited(b, x) && !x->forced)
            complain(b, "source %u: %llu is late, and nothing allowed to give it up", s, (unsigned long long)number);
        b->late++;
        x->mark = 1;
        if (number >= x->next) is_now(x, p, GONE);
        return;
    }
    if (number < x->next) {
        complain(b, "source %u: %llu has timed out and is written", s, (unsigned long long)number);
        return;
    }
    is_now(x, p, WRITING);
    *p = (struct packet){WRITING, flags, damaged, (uint32_t)sim_random(b->s), 0};
    for (unsigned i = 0; i < clocks; i++) clock_once(b);
    *m->done_valid = 1;
    *m->done_kept = (uint64_t)flags << 42 | (uint64_t)17 << 32 | p->address;
    *m->done_damaged = (uint8_t)damaged;
    sim_model_eval(b->model);
    int now = *m->done_now, flagged = *m->done_flagged;
    is_now(x, p, HERE);
    p->came = b->clock;
    if (now) passes(b, s, number, flagged);
    clock_once(b);
    *m->done_valid = 0;
}

/* Which paths are used by all sources, and the time-out [clocks]. */
static void set_up(struct bench *b, unsigned in_use, unsigned timeout)
{
    const sim_port *paths = sim_model_port(b->model, "cfg_paths");
    b->in_use = in_use;
    b->timeout = timeout;
    for (unsigned s = 0; s < SOURCES; s++) sim_port_set_field(paths, s * b->paths, b->paths, in_use);
    *b->m->cfg_timeout = timeout;
    *b->m->time_runs = 1;
}

static struct bench *bench_new(const sim_config *config, uint64_t seed)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->model = make_clocked(b->s, b->clk, config, "dut");
    b->m = sim_model_as(b->model, &dma_resequencer_config, "cfg_paths");
    ck_assert_ptr_nonnull(b->m);
    b->paths = (unsigned)sim_config_parameter(config, "PATHS", 4);
    b->places = 1u << sim_config_parameter(config, "LOG2_PLACES", 9);
    set_up(b, (1u << b->paths) - 1, 2000);
    *b->m->rst = 1;
    run_clocks(b->s, b->clk, 3);
    *b->m->rst = 0;
    return b;
}

static void good(struct bench *b) { ck_assert_str_eq(b->wrong, ""); }

static void idle(struct bench *b, unsigned clocks)
{
    while (clocks-- && !*b->wrong) {
        take_notes(b);
        clock_once(b);
    }
}

/* ---- traffic at random ---- */

struct manner {
    unsigned in_use, timeout, one_in, slow; /* one packet in this many is lost, 0: none; clocks of a write at most */
    unsigned spread;                        /* numbers under way */
    unsigned silent;                        /* paths in use that carry nothing */
};

/* The sender of s puts its next packet on a path, or the wire loses it. */
static void send(struct bench *b, unsigned s, const struct manner *how)
{
    struct source *x = &b->of[s];
    unsigned path;
    do path = below(b, b->paths);
    while (!((how->in_use & ~how->silent) >> path & 1));
    if (!how->one_in || below(b, how->one_in)) x->on_way[path][x->count[path]++ % KEPT] = x->sent;
    x->sent++;
}

/* The oldest number that is still under way. */
static uint64_t oldest(const struct bench *b, const struct source *x)
{
    uint64_t n = x->sent;
    for (unsigned p = 0; p < b->paths; p++)
        if (x->first[p] < x->count[p] && x->on_way[p][x->first[p] % KEPT] < n) n = x->on_way[p][x->first[p] % KEPT];
    return n;
}

static void arrive(struct bench *b, unsigned s, unsigned path, unsigned flags, unsigned slow)
{
    struct source *x = &b->of[s];
    if (x->first[path] == x->count[path]) return;
    comes(b, s, path, x->on_way[path][x->first[path]++ % KEPT], flags, below(b, 30) == 0, 1 + below(b, slow + 1));
}

static void traffic(struct bench *b, unsigned packets, const struct manner *how)
{
    set_up(b, how->in_use, how->timeout);
    b->slow = how->slow / 2;
    for (unsigned n = 0; n < packets && !*b->wrong;) {
        unsigned s = below(b, SOURCES), path = below(b, b->paths);
        struct source *x = &b->of[s];
        for (unsigned i = below(b, 6); i && x->sent - oldest(b, x) < how->spread && x->sent - x->next < 500; i--)
            send(b, s, how);
        for (unsigned i = 1 + below(b, 8); i; i--, n++) arrive(b, s, path, below(b, 8), how->slow);
        if (below(b, 50) == 0) idle(b, below(b, 100));
    }
    for (unsigned s = 0; s < SOURCES && !*b->wrong; s++)
        for (unsigned p = 0; p < b->paths; p++)
            while (b->of[s].first[p] < b->of[s].count[p] && !*b->wrong) arrive(b, s, p, below(b, 8), how->slow);
    /* at last one on each path, so that nothing is left open */
    for (unsigned s = 0; s < SOURCES && !*b->wrong; s++)
        for (unsigned p = 0; p < b->paths; p++)
            if ((how->in_use & ~how->silent) >> p & 1) comes(b, s, p, b->of[s].sent++, NOTIFIES, 0, 3);
    idle(b, LAG + (how->silent ? 20 : 2) * how->timeout);
    for (unsigned s = 0; s < SOURCES && !*b->wrong; s++)
        if (b->of[s].next != b->of[s].sent)
            complain(b, "source %u: %llu is not reported", s, (unsigned long long)b->of[s].sent - 1);
}

TEST_CASE("resequencer", .timeout = 120);

static const struct manner manners[] = {
    {0xf, 0, 0, 4, 300, 0},  {0xf, 2000, 20, 4, 300, 0}, {0xf, 2000, 200, 30, 300, 0}, {0x5, 2000, 10, 4, 200, 0},
    {0x2, 0, 10, 4, 100, 0}, {0xf, 0, 40, 2, 60, 0},     {0x7, 300, 5, 10, 300, 0},    {0xf, 1500, 60, 4, 200, 0x8},
};

TEST(any_order_is_put_right, .to = COUNT(manners))
{
    struct bench *b = bench_new(&dma_resequencer_config, (uint64_t)_i);
    traffic(b, 6000, &manners[_i]);
    good(b);
    /* the module's counts equal those of the list, and numbers wrapped more than once */
    ck_assert_uint_gt(b->notified, 800);
    if (manners[_i].one_in) ck_assert_uint_gt(b->flagged, 50);
    else ck_assert_uint_eq(b->lost, 0);
}

/* 16 places: a packet without a place advances E. Two paths. */
TEST(a_packet_without_a_place_skips_the_number_due)
{
    struct bench *b = bench_new(&dma_resequencer_2_config, 0);
    set_up(b, 3, 100000);
    comes(b, 2, 0, 1, NOTIFIES, 0, 5);
    comes(b, 2, 0, 15, NOTIFIES, 0, 5);
    idle(b, 200);
    ck_assert_uint_eq(b->notified, 0);
    comes(b, 2, 0, 16, NOTIFIES, 0, 5); /* 0 has to go, then 1 is notified */
    idle(b, 200);
    ck_assert_uint_eq(b->notified, 1);
    ck_assert_uint_eq(b->flagged, 1);
    comes(b, 2, 0, 40, NOTIFIES, 0, 5);
    idle(b, 200);
    good(b);
    ck_assert_uint_eq(b->notified, 3); /* 15 and 16, whose places are needed up to 24 */
    comes(b, 2, 1, 12, NOTIFIES, 0, 5);
    ck_assert_uint_eq(b->late, 1);
    good(b);
}

/* The number that is due, nothing else: notified in the clock of its end, however many others wait. */
TEST(what_is_due_is_reported_at_once)
{
    struct bench *b = bench_new(&dma_resequencer_config, 0);
    set_up(b, 0xf, 0);
    for (unsigned n = 1; n < 400; n++) comes(b, 3, n % 3, n, NOTIFIES, 0, 2);
    for (unsigned n = 0; n < 3000; n++) {
        uint64_t notified = b->notified;
        comes(b, 5, 1, n, NOTIFIES, 0, 3);
        ck_assert_uint_eq(b->notified, notified + 1);
    }
    good(b);
}

/* A sender was reset: its numbers are behind for the time-out, then they are restarted, with a mark. */
TEST(numbers_are_taken_up_again)
{
    struct bench *b = bench_new(&dma_resequencer_config, 0);
    struct source *x = &b->of[1];
    for (unsigned n = 0; n < 100; n++) comes(b, 1, n % 4, n, NOTIFIES, 0, 2);
    comes(b, 1, 0, 102, NOTIFIES, 0, 2); /* waits */
    dma_resequencer *m = b->m;
    unsigned late = 0, clocks = 0, number = 0;
    for (;; clocks += 40, number++) { /* 0, 1, 2 ... from the sender after its reset */
        take_notes(b);
        *m->ask_valid = 1;
        *m->ask_source = 1;
        *m->ask_number = (uint16_t)number;
        *m->ask_path = 2;
        sim_model_eval(b->model);
        if (!*m->ask_ready) {
            run_clocks(b->s, b->clk, 1);
            *m->ask_valid = 0;
            number--;
            continue;
        }
        late = *m->ask_late;
        run_clocks(b->s, b->clk, 1);
        *m->ask_valid = 0;
        if (!late) break;
        ck_assert_uint_lt(clocks, 3 * b->timeout);
        run_clocks(b->s, b->clk, 39);
        b->clock += 40;
        x->mark = 1;
    }
    ck_assert_uint_ge(clocks + 40, b->timeout);
    *m->done_valid = 1;
    *m->done_kept = (uint64_t)NOTIFIES << 42;
    sim_model_eval(b->model);
    ck_assert_int_eq(*m->done_now, 1);
    ck_assert_int_eq(*m->done_flagged, 1);
    run_clocks(b->s, b->clk, 1);
    *m->done_valid = 0;
    ck_assert_int_eq(*m->note_valid, 0);
    ck_assert_uint_eq(b->notified, 101); /* waiting packets were notified first */
    good(b);
}

/* A packet of source 1 beside the list: written for some clocks. Whether it was due. */
static int again(struct bench *b, unsigned path, unsigned number, unsigned clocks)
{
    dma_resequencer *m = b->m;
    *m->ask_valid = 1;
    *m->ask_source = 1;
    *m->ask_number = (uint16_t)number;
    *m->ask_path = (uint8_t)path;
    for (sim_model_eval(b->model); !*m->ask_ready; sim_model_eval(b->model)) run_clocks(b->s, b->clk, 1);
    int late = *m->ask_late;
    run_clocks(b->s, b->clk, 1);
    *m->ask_valid = 0;
    if (late) return 0;
    run_clocks(b->s, b->clk, clocks);
    *m->done_valid = 1;
    *m->done_kept = (uint64_t)NOTIFIES << 42;
    sim_model_eval(b->model);
    int now = *m->done_now;
    run_clocks(b->s, b->clk, 1);
    *m->done_valid = 0;
    return now;
}

/* A sender was reset behind its first packets: number 1 comes again while the first one waits, or is just being passed.
 * Nothing is left behind, and what follows is due at once. */
TEST(a_number_that_comes_again_leaves_nothing_behind, .to = 2)
{
    for (unsigned clocks = 0; clocks < 40; clocks++) {
        struct bench *b = bench_new(&dma_resequencer_config, 0);
        set_up(b, 3, 0);
        *b->m->note_taken = 1;
        run_clocks(b->s, b->clk, SOURCES << 9);
        again(b, 1, 1, 5);
        if (_i) again(b, 1, 1, clocks);
        again(b, 0, 0, 5);
        if (!_i) again(b, 1, 1, clocks);
        run_clocks(b->s, b->clk, 200);
        ck_must(!*b->m->holds, "written for %u clocks: a header still waits", clocks);
        for (unsigned n = 2; n < 20; n++)
            ck_must(again(b, n & 1, n, 5), "written for %u clocks: %u is not due", clocks, n);
        ck_assert_uint_eq(*b->m->holds, 0);
    }
}

/* A rule, which reports its violation. */
static void keeps(void (*rule)(struct bench *))
{
    struct bench *b = bench_new(&dma_resequencer_config, 0);
    rule(b);
    good(b);
}

/* One path is silent, and nothing times out for that: packets of the other one wait as long as there are places. Beyond
 * that the numbers missing are lost, and nothing that has come is, as 512 ahead is not late on a path that keeps the
 * order. */
static void long_hole(struct bench *b)
{
    set_up(b, 3, 0);
    for (unsigned n = 0; n < 3000 && !*b->wrong; n += 2) comes(b, 5, 0, n, NOTIFIES, 0, 2);
    if (b->late || b->notified < 1500 - 257)
        complain(b, "%u late, %u notified", (unsigned)b->late, (unsigned)b->notified);
    set_up(b, 1, 0);
    idle(b, 6000);
    if (b->notified != 1500) complain(b, "%u notified", (unsigned)b->notified);
}

TEST(a_hole_longer_than_all_numbers_costs_nothing_that_came) { keeps(long_hole); }

/* The receiver takes nothing for ten times the timeout: packets delayed by that do not time out. */
static void long_rest(struct bench *b)
{
    set_up(b, 0xf, 2000);
    comes(b, 5, 0, 1, NOTIFIES, 0, 2);
    *b->m->time_runs = 0;
    run_clocks(b->s, b->clk, 10 * b->timeout);
    *b->m->time_runs = 1;
    comes(b, 5, 1, 0, NOTIFIES, 0, 2);
    idle(b, 100);
    if (b->late + b->lost || b->notified != 2) complain(b, "%u late, %u lost", (unsigned)b->late, (unsigned)b->lost);
}

TEST(time_stands_still_while_nothing_is_taken) { keeps(long_rest); }

/* The write of the packet that is due takes ten times the time-out, and another one waits for it. */
static void long_write(struct bench *b)
{
    set_up(b, 0xf, 2000);
    comes(b, 5, 0, 1, NOTIFIES, 0, 2);
    comes(b, 5, 1, 0, NOTIFIES, 0, 10 * b->timeout);
    idle(b, 100);
    if (b->lost || b->flagged || b->notified != 2) complain(b, "%u lost", (unsigned)b->lost);
}

TEST(what_is_being_written_does_not_time_out) { keeps(long_write); }

/* A number is lost at each place of the ten bits, also where they wrap: the packet behind it is notified, with a loss
 * indication. */
TEST(a_loss_at_each_number_is_reported)
{
    struct bench *b = bench_new(&dma_resequencer_config, 0);
    set_up(b, 3, 0);
    for (unsigned n = 0; n < 3 * 1024 && !*b->wrong; n += 3) {
        comes(b, 5, n & 1, n + 1 + (n >> 1 & 1), NOTIFIES, 0, 2);
        comes(b, 5, !(n & 1), n + 2 - (n >> 1 & 1), NOTIFIES, 0, 2);
        idle(b, 40);
        ck_assert_uint_eq(b->lost, n / 3 + 1);
    }
    good(b);
    ck_assert_uint_eq(b->notified, 2 * 1024);
    ck_assert_uint_eq(b->flagged, 1024);
    ck_assert_uint_eq(b->late, 0);
}

/* A software reset: waiting packets are not notified, then or later, and all that comes after it is, the first of each
 * source with a mark.
 */
static void reset(struct bench *b)
{
    unsigned clocks = 0;
    set_up(b, 0xf, 0);
    for (unsigned s = 0; s < SOURCES; s += 2)
        for (unsigned n = 1; n < 40; n++)
            if (n % 7) comes(b, s, n % 4 == 3, n, n % 2 ? NOTIFIES : INTERRUPTS, 0, 2);
    *b->m->flush = 1;
    for (; *b->m->holds && clocks < 4000 && !*b->wrong; clocks++) {
        if (*b->m->note_valid) complain(b, "a report without a packet");
        run_clocks(b->s, b->clk, 1);
    }
    *b->m->flush = 0;
    if (!clocks || clocks == 4000) complain(b, "%u clocks", clocks);
    for (unsigned s = 0; s < SOURCES; s += 2) {
        for (unsigned n = 0; n < 40; n++) is_now(&b->of[s], &b->of[s].at[n], NOWHERE);
        b->of[s].next = 40;
        b->of[s].mark = 1;
    }
    for (unsigned s = 0; s < SOURCES; s++)
        for (unsigned n = 40; n < 43 && !*b->wrong; n++) comes(b, s, 0, s % 2 ? n - 40 : n, NOTIFIES, 0, 2);
}

TEST(a_software_reset_tells_nothing_that_waits)
{
    struct bench *b = bench_new(&dma_resequencer_config, 0);
    reset(b);
    good(b);
    ck_assert_uint_eq(b->notified, 3 * SOURCES);
    ck_assert_uint_eq(b->flagged, SOURCES / 2);
}

/* A loss indication from outside is in the next notification of that source. */
TEST(marks_from_outside_are_kept)
{
    struct bench *b = bench_new(&dma_resequencer_config, 0);
    for (unsigned s = 0; s < SOURCES; s++) comes(b, s, 0, 0, NOTIFIES, 0, 2);
    *b->m->mark_valid = 1;
    *b->m->mark_source = 6;
    clock_once(b);
    *b->m->mark_valid = 0;
    b->of[6].mark = 1;
    for (unsigned n = 1; n < 3; n++)
        for (unsigned s = 0; s < SOURCES; s++) comes(b, s, 0, n, NOTIFIES, 0, 2);
    good(b);
    ck_assert_uint_eq(b->flagged, 1);
}

/* Each fault is found by the tests above. */
TEST(checker_sees_each_fault, .from = 1, .to = 12)
{
    static const unsigned with[] = {0, 0, 1, 6, 7, 7, 3, 2};
    struct bench *b = bench_new(&faulty_resequencer_config, 0);
    const sim_port *fault = sim_model_port(b->model, "fault");
    static void (*const rule[])(struct bench *) = {long_write, long_hole, long_rest, reset};
    if (_i < COUNT(with)) {
        traffic(b, 500, &manners[with[_i]]);
        good(b);
    }
    sim_port_set(fault, (unsigned)_i);
    if (_i < COUNT(with)) traffic(b, 6000, &manners[with[_i]]);
    else rule[_i - COUNT(with)](b);
    ck_assert_str_ne(b->wrong, "");
}
