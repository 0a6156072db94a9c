/* dma_resequencer against a list per source (resequencer_bench.h): traffic at random, and each rule by itself. */
#include <string.h>

#include "dma_resequencer_2.h"
#include "faulty_resequencer.h"
#include "resequencer_bench.h"

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
    do path = reseq_below(b, b->paths);
    while (!((how->in_use & ~how->silent) >> path & 1));
    if (!how->one_in || reseq_below(b, how->one_in)) x->on_way[path][x->count[path]++ % KEPT] = x->sent;
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
    reseq_arrive(b, s, path, x->on_way[path][x->first[path]++ % KEPT], flags, reseq_below(b, 30) == 0,
                 1 + reseq_below(b, slow + 1));
}

static void traffic(struct bench *b, unsigned packets, const struct manner *how)
{
    reseq_set_up(b, how->in_use, how->timeout);
    b->slow = how->slow / 2;
    for (unsigned n = 0; n < packets && !*b->wrong;) {
        unsigned s = reseq_below(b, SOURCES), path = reseq_below(b, b->paths);
        struct source *x = &b->of[s];
        for (unsigned i = reseq_below(b, 6); i && x->sent - oldest(b, x) < how->spread && x->sent - x->next < 500; i--)
            send(b, s, how);
        for (unsigned i = 1 + reseq_below(b, 8); i; i--, n++) arrive(b, s, path, reseq_below(b, 8), how->slow);
        if (reseq_below(b, 50) == 0) reseq_idle(b, reseq_below(b, 100));
    }
    for (unsigned s = 0; s < SOURCES && !*b->wrong; s++)
        for (unsigned p = 0; p < b->paths; p++)
            while (b->of[s].first[p] < b->of[s].count[p] && !*b->wrong) arrive(b, s, p, reseq_below(b, 8), how->slow);
    /* at last one on each path, so that nothing is left open */
    for (unsigned s = 0; s < SOURCES && !*b->wrong; s++)
        for (unsigned p = 0; p < b->paths; p++)
            if ((how->in_use & ~how->silent) >> p & 1) reseq_arrive(b, s, p, b->of[s].sent++, NOTIFIES, 0, 3);
    reseq_idle(b, LAG + (how->silent ? 20 : 2) * how->timeout);
    for (unsigned s = 0; s < SOURCES && !*b->wrong; s++)
        if (b->of[s].next != b->of[s].sent)
            reseq_complain(b, "source %u: %llu is not reported", s, (unsigned long long)b->of[s].sent - 1);
}

TEST_CASE("resequencer", .timeout = 120);

static const struct manner manners[] = {
    {0xf, 0, 0, 4, 300, 0},  {0xf, 2000, 20, 4, 300, 0}, {0xf, 2000, 200, 30, 300, 0}, {0x5, 2000, 10, 4, 200, 0},
    {0x2, 0, 10, 4, 100, 0}, {0xf, 0, 40, 2, 60, 0},     {0x7, 300, 5, 10, 300, 0},    {0xf, 1500, 60, 4, 200, 0x8},
};

TEST(any_order_is_put_right, .to = COUNT(manners))
{
    struct bench *b = reseq_bench_new(&dma_resequencer_config, (uint64_t)_i);
    traffic(b, 6000, &manners[_i]);
    reseq_good(b);
    /* the module's counts equal those of the list, and numbers wrapped more than once */
    ck_assert_uint_gt(b->notified, 800);
    if (manners[_i].one_in) ck_assert_uint_gt(b->flagged, 50);
    else ck_assert_uint_eq(b->lost, 0);
}

/* 16 places: a packet without a place advances E. Two paths. */
TEST(a_packet_without_a_place_skips_the_number_due)
{
    struct bench *b = reseq_bench_new(&dma_resequencer_2_config, 0);
    reseq_set_up(b, 3, 100000);
    reseq_arrive(b, 2, 0, 1, NOTIFIES, 0, 5);
    reseq_arrive(b, 2, 0, 15, NOTIFIES, 0, 5);
    reseq_idle(b, 200);
    ck_assert_uint_eq(b->notified, 0);
    reseq_arrive(b, 2, 0, 16, NOTIFIES, 0, 5); /* 0 has to go, then 1 is notified */
    reseq_idle(b, 200);
    ck_assert_uint_eq(b->notified, 1);
    ck_assert_uint_eq(b->flagged, 1);
    reseq_arrive(b, 2, 0, 40, NOTIFIES, 0, 5);
    reseq_idle(b, 200);
    reseq_good(b);
    ck_assert_uint_eq(b->notified, 3); /* 15 and 16, whose places are needed up to 24 */
    reseq_arrive(b, 2, 1, 12, NOTIFIES, 0, 5);
    ck_assert_uint_eq(b->late, 1);
    reseq_good(b);
}

/* The number that is due, nothing else: notified in the clock of its end, however many others wait. */
TEST(what_is_due_is_reported_at_once)
{
    struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
    reseq_set_up(b, 0xf, 0);
    for (unsigned n = 1; n < 400; n++) reseq_arrive(b, 3, n % 3, n, NOTIFIES, 0, 2);
    for (unsigned n = 0; n < 3000; n++) {
        uint64_t notified = b->notified;
        reseq_arrive(b, 5, 1, n, NOTIFIES, 0, 3);
        ck_assert_uint_eq(b->notified, notified + 1);
    }
    reseq_good(b);
}

/* A sender was reset: its numbers are behind for the time-out, then they are restarted, with a mark. */
TEST(numbers_are_taken_up_again)
{
    struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
    struct source *x = &b->of[1];
    for (unsigned n = 0; n < 100; n++) reseq_arrive(b, 1, n % 4, n, NOTIFIES, 0, 2);
    reseq_arrive(b, 1, 0, 102, NOTIFIES, 0, 2); /* waits */
    dma_resequencer *m = b->m;
    unsigned late = 0, clocks = 0, number = 0;
    for (;; clocks += 40, number++) { /* 0, 1, 2 ... from the sender after its reset */
        reseq_take_notes(b);
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
    reseq_good(b);
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
        struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
        reseq_set_up(b, 3, 0);
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
    struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
    rule(b);
    reseq_good(b);
}

/* One path is silent, and nothing times out for that: packets of the other one wait as long as there are places. Beyond
 * that the numbers missing are lost, and nothing that has come is, as 512 ahead is not late on a path that keeps the
 * order. */
static void long_hole(struct bench *b)
{
    reseq_set_up(b, 3, 0);
    for (unsigned n = 0; n < 3000 && !*b->wrong; n += 2) reseq_arrive(b, 5, 0, n, NOTIFIES, 0, 2);
    if (b->late || b->notified < 1500 - 257)
        reseq_complain(b, "%u late, %u notified", (unsigned)b->late, (unsigned)b->notified);
    reseq_set_up(b, 1, 0);
    reseq_idle(b, 6000);
    if (b->notified != 1500) reseq_complain(b, "%u notified", (unsigned)b->notified);
}

TEST(a_hole_longer_than_all_numbers_costs_nothing_that_came) { keeps(long_hole); }

/* The receiver takes nothing for ten times the timeout: packets delayed by that do not time out. */
static void long_rest(struct bench *b)
{
    reseq_set_up(b, 0xf, 2000);
    reseq_arrive(b, 5, 0, 1, NOTIFIES, 0, 2);
    *b->m->time_runs = 0;
    run_clocks(b->s, b->clk, 10 * b->timeout);
    *b->m->time_runs = 1;
    reseq_arrive(b, 5, 1, 0, NOTIFIES, 0, 2);
    reseq_idle(b, 100);
    if (b->late + b->lost || b->notified != 2)
        reseq_complain(b, "%u late, %u lost", (unsigned)b->late, (unsigned)b->lost);
}

TEST(time_stands_still_while_nothing_is_taken) { keeps(long_rest); }

/* The write of the packet that is due takes ten times the time-out, and another one waits for it. */
static void long_write(struct bench *b)
{
    reseq_set_up(b, 0xf, 2000);
    reseq_arrive(b, 5, 0, 1, NOTIFIES, 0, 2);
    reseq_arrive(b, 5, 1, 0, NOTIFIES, 0, 10 * b->timeout);
    reseq_idle(b, 100);
    if (b->lost || b->flagged || b->notified != 2) reseq_complain(b, "%u lost", (unsigned)b->lost);
}

TEST(what_is_being_written_does_not_time_out) { keeps(long_write); }

/* A number is lost at each place of the ten bits, also where they wrap: the packet behind it is notified, with a loss
 * indication. */
TEST(a_loss_at_each_number_is_reported)
{
    struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
    reseq_set_up(b, 3, 0);
    for (unsigned n = 0; n < 3 * 1024 && !*b->wrong; n += 3) {
        reseq_arrive(b, 5, n & 1, n + 1 + (n >> 1 & 1), NOTIFIES, 0, 2);
        reseq_arrive(b, 5, !(n & 1), n + 2 - (n >> 1 & 1), NOTIFIES, 0, 2);
        reseq_idle(b, 40);
        ck_assert_uint_eq(b->lost, n / 3 + 1);
    }
    reseq_good(b);
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
    reseq_set_up(b, 0xf, 0);
    for (unsigned s = 0; s < SOURCES; s += 2)
        for (unsigned n = 1; n < 40; n++)
            if (n % 7) reseq_arrive(b, s, n % 4 == 3, n, n % 2 ? NOTIFIES : INTERRUPTS, 0, 2);
    *b->m->flush = 1;
    for (; *b->m->holds && clocks < 4000 && !*b->wrong; clocks++) {
        if (*b->m->note_valid) reseq_complain(b, "a report without a packet");
        run_clocks(b->s, b->clk, 1);
    }
    *b->m->flush = 0;
    if (!clocks || clocks == 4000) reseq_complain(b, "%u clocks", clocks);
    for (unsigned s = 0; s < SOURCES; s += 2) {
        for (unsigned n = 0; n < 40; n++) reseq_set_state(&b->of[s], &b->of[s].at[n], NOWHERE);
        b->of[s].next = 40;
        b->of[s].mark = 1;
    }
    for (unsigned s = 0; s < SOURCES; s++)
        for (unsigned n = 40; n < 43 && !*b->wrong; n++) reseq_arrive(b, s, 0, s % 2 ? n - 40 : n, NOTIFIES, 0, 2);
}

TEST(a_software_reset_tells_nothing_that_waits)
{
    struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
    reset(b);
    reseq_good(b);
    ck_assert_uint_eq(b->notified, 3 * SOURCES);
    ck_assert_uint_eq(b->flagged, SOURCES / 2);
}

/* A loss indication from outside is in the next notification of that source. */
TEST(marks_from_outside_are_kept)
{
    struct bench *b = reseq_bench_new(&dma_resequencer_config, 0);
    for (unsigned s = 0; s < SOURCES; s++) reseq_arrive(b, s, 0, 0, NOTIFIES, 0, 2);
    *b->m->mark_valid = 1;
    *b->m->mark_source = 6;
    reseq_clock(b);
    *b->m->mark_valid = 0;
    b->of[6].mark = 1;
    for (unsigned n = 1; n < 3; n++)
        for (unsigned s = 0; s < SOURCES; s++) reseq_arrive(b, s, 0, n, NOTIFIES, 0, 2);
    reseq_good(b);
    ck_assert_uint_eq(b->flagged, 1);
}

/* Each fault is found by the tests above. */
TEST(checker_sees_each_fault, .from = 1, .to = 12)
{
    static const unsigned with[] = {0, 0, 1, 6, 7, 7, 3, 2};
    struct bench *b = reseq_bench_new(&faulty_resequencer_config, 0);
    const sim_port *fault = sim_model_port(b->model, "fault");
    static void (*const rule[])(struct bench *) = {long_write, long_hole, long_rest, reset};
    if (_i < COUNT(with)) {
        traffic(b, 500, &manners[with[_i]]);
        reseq_good(b);
    }
    sim_port_set(fault, (unsigned)_i);
    if (_i < COUNT(with)) traffic(b, 6000, &manners[with[_i]]);
    else rule[_i - COUNT(with)](b);
    ck_assert_str_ne(b->wrong, "");
}
