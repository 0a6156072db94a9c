#include "resequencer_bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

unsigned reseq_below(struct bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

void reseq_complain(struct bench *b, const char *format, ...)
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

void reseq_set_state(struct source *x, struct packet *p, state state)
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
            reseq_complain(b, "source %u: %llu is reported, and %llu before it was not", s, (unsigned long long)number,
                           (unsigned long long)x->next);
        if (p->state == WRITING)
            reseq_complain(b, "source %u: %llu times out while it is written", s, (unsigned long long)x->next);
        if (p->state == HERE) x->mark |= p->damaged;
        else {
            if (!all_later(b, x, x->next) && !timed_out && !x->forced && p->state != GONE)
                reseq_complain(b, "source %u: %llu is reported, and %llu may still come", s, (unsigned long long)number,
                               (unsigned long long)x->next);
            b->lost++;
            x->mark = 1;
        }
        reseq_set_state(x, p, NOWHERE);
    }
    struct packet *p = packet_of(x, number);
    if (p->state != HERE)
        reseq_complain(b, "source %u: %llu is reported before it is in memory", s, (unsigned long long)number);
    x->mark |= p->damaged;
    if (p->flags & NOTIFIES) {
        if ((unsigned)flagged != x->mark)
            reseq_complain(b, "source %u: %llu is %sflagged, expected the contrary", s, (unsigned long long)number,
                           flagged ? "" : "not ");
        b->notified++;
        b->flagged += x->mark;
        x->mark = 0;
    }
    reseq_set_state(x, p, NOWHERE);
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
            reseq_complain(b, "source %u: %llu waits, and nothing is in its way", s, (unsigned long long)n);
    }
}

/* ---- clocks ---- */

void reseq_clock(struct bench *b)
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

void reseq_take_notes(struct bench *b)
{
    sim_model_eval(b->model);
    while (*b->m->note_valid && !*b->wrong) {
        uint64_t h = *b->m->note_header;
        unsigned s = (unsigned)(h >> 56 & 127);
        uint64_t n = near(&b->of[s], (unsigned)(h >> 42 & 1023));
        struct packet *p = packet_of(&b->of[s], n);
        if ((uint32_t)h != p->address || (h >> 52 & 7) != p->flags)
            reseq_complain(b, "source %u: header %016llx", s, (unsigned long long)h);
        passes(b, s, n, h >> 63 & 1);
        for (unsigned i = reseq_below(b, b->slow + 1); i; i--) reseq_clock(b);
        *b->m->note_taken = 1;
        reseq_clock(b);
        *b->m->note_taken = 0;
        sim_model_eval(b->model);
    }
}

void reseq_arrive(struct bench *b, unsigned s, unsigned path, uint64_t number, unsigned flags, unsigned damaged,
                  unsigned clocks)
{
    dma_resequencer *m = b->m;
    struct source *x = &b->of[s];
    if (number >= x->next + b->places) x->forced = 1;
    for (unsigned i = 0;; i++) {
        if (x->late_run && b->timeout && b->clock - x->late_since >= b->timeout)
            x->forced = 1; /* waiting packets go before a restart */
        reseq_take_notes(b);
        *m->ask_valid = 1;
        *m->ask_source = (uint8_t)s;
        *m->ask_number = (uint16_t)(number & 1023);
        *m->ask_path = (uint8_t)path;
        sim_model_eval(b->model);
        if (*m->ask_ready || i > 100000 || *b->wrong) break;
        reseq_clock(b);
        *m->ask_valid = 0;
    }
    int late = *m->ask_late;
    reseq_clock(b);
    *m->ask_valid = 0;
    sim_model_eval(b->model);
    if (*m->ev_restart) {
        if (!x->late_run || b->clock - x->late_since < b->timeout)
            reseq_complain(b, "source %u: %llu is taken up again", s, (unsigned long long)number);
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
            reseq_complain(b, "source %u: %llu is late, and nothing allowed to give it up", s,
                           (unsigned long long)number);
        b->late++;
        x->mark = 1;
        if (number >= x->next) reseq_set_state(x, p, GONE);
        return;
    }
    if (number < x->next) {
        reseq_complain(b, "source %u: %llu has timed out and is written", s, (unsigned long long)number);
        return;
    }
    reseq_set_state(x, p, WRITING);
    *p = (struct packet){WRITING, flags, damaged, (uint32_t)sim_random(b->s), 0};
    for (unsigned i = 0; i < clocks; i++) reseq_clock(b);
    *m->done_valid = 1;
    *m->done_kept = (uint64_t)flags << 42 | (uint64_t)17 << 32 | p->address;
    *m->done_damaged = (uint8_t)damaged;
    sim_model_eval(b->model);
    int now = *m->done_now, flagged = *m->done_flagged;
    reseq_set_state(x, p, HERE);
    p->came = b->clock;
    if (now) passes(b, s, number, flagged);
    reseq_clock(b);
    *m->done_valid = 0;
}

void reseq_set_up(struct bench *b, unsigned in_use, unsigned timeout)
{
    const sim_port *paths = sim_model_port(b->model, "cfg_paths");
    b->in_use = in_use;
    b->timeout = timeout;
    for (unsigned s = 0; s < SOURCES; s++) sim_port_set_field(paths, s * b->paths, b->paths, in_use);
    *b->m->cfg_timeout = timeout;
    *b->m->time_runs = 1;
}

struct bench *reseq_bench_new(const sim_config *config, uint64_t seed)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->model = make_clocked(b->s, b->clk, config, "dut");
    b->m = sim_model_as(b->model, &dma_resequencer_config, "cfg_paths");
    ck_assert_ptr_nonnull(b->m);
    b->paths = (unsigned)sim_config_parameter(config, "PATHS", 4);
    b->places = 1u << sim_config_parameter(config, "LOG2_PLACES", 9);
    reseq_set_up(b, (1u << b->paths) - 1, 2000);
    *b->m->rst = 1;
    run_clocks(b->s, b->clk, 3);
    *b->m->rst = 0;
    return b;
}

void reseq_good(struct bench *b) { ck_assert_str_eq(b->wrong, ""); }

void reseq_idle(struct bench *b, unsigned clocks)
{
    while (clocks-- && !*b->wrong) {
        reseq_take_notes(b);
        reseq_clock(b);
    }
}
