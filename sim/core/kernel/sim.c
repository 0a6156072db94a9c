/* The scheduler: from edge to edge, and how a run ends. */
#include "sim/core/kernel/edge.h"
#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/waves.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void *new_zeroed(size_t size)
{
    void *p = calloc(1, size);
    if (!p) {
        fprintf(stderr, "sim: out of memory (%zu bytes)\n", size);
        exit(EXIT_FAILURE);
    }
    return p;
}

char *new_string(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(new_zeroed(size), text, size);
}

void *list_grow(void *at, size_t *room, size_t size)
{
    *room = *room ? 2 * *room : 8;
    at = realloc(at, *room * size);
    if (!at) {
        fprintf(stderr, "sim: out of memory (%zu bytes)\n", *room * size);
        exit(EXIT_FAILURE);
    }
    return at;
}

/* ---- random numbers ---- */

uint64_t random_hash(uint64_t seed, const char *name)
{
    uint64_t h = splitmix64(&seed);
    for (; *name; name++) {
        h ^= (unsigned char)*name;
        h = splitmix64(&h);
    }
    return h;
}

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t sim_random(sim *s)
{
    if (group_here(s))
        sim_fail(s, "a random number is drawn in a lookahead window: its value would depend on the order of groups");
    uint64_t *r = s->random, result = rotate(r[1] * 5, 7) * 9, t = r[1] << 17;
    r[2] ^= r[0];
    r[3] ^= r[1];
    r[1] ^= r[2];
    r[0] ^= r[3];
    r[2] ^= t;
    r[3] = rotate(r[3], 45);
    return result;
}

uint64_t sim_random_below(sim *s, uint64_t n)
{
    uint64_t
        x; /* 2^64 mod n values at the top are one round too many; below the last n values it need not be worked out */
    do x = sim_random(s);
    while (x > UINT64_MAX - n && x > UINT64_MAX - (UINT64_MAX % n + 1) % n);
    return x % n;
}

int sim_chance(sim *s, unsigned percent) { return percent && sim_random_below(s, 100) < percent; }

/* ---- making and freeing ---- */

void sim_params_default(sim_params *p)
{
    memset(p, 0, sizeof *p);
    p->seed = 1;
    const char *seed = getenv("SIM_SEED");
    if (seed && *seed) {
        char *end;
        errno = 0;
        p->seed = strtoull(seed, &end, 0);
        if (errno || *end || *seed == '-') {
            fprintf(stderr, "SIM_SEED=%s: expected a number from 0 to 2^64 - 1, such as 7 or 0x1f\n", seed);
            exit(EXIT_FAILURE);
        }
    }
    p->watchdog = SIM_MS;
    p->patience = 10;
    p->waves = getenv("SIM_WAVES");
    if (p->waves && !*p->waves) p->waves = NULL;
    p->waves_scopes = getenv("SIM_WAVES_SCOPES");
    if (p->waves_scopes && !*p->waves_scopes) p->waves_scopes = NULL;
    p->waves_to = p->pins_to = SIM_FOREVER;
    p->waves_free = 64 * 1024 * 1024;
}

/* SIM_WAVES names a test program's files; a program may make several sims. A name in the params is one file. */
static char *waves_base(const char *waves)
{
    static unsigned made;
    if (!waves) return NULL;
    char *base = new_zeroed(strlen(waves) + 16);
    strcpy(base, waves);
    const char *environment = getenv("SIM_WAVES");
    if (environment && !strcmp(waves, environment)) {
        if (++made > 1) sprintf(base + strlen(base), "-%u", made);
    } else {
        char *dot = strrchr(base, '.');
        if (dot && !strcmp(dot, ".fst")) *dot = '\0';
    }
    return base;
}

sim *sim_new(const sim_params *p)
{
    sim *s = new_zeroed(sizeof *s);
    uint64_t state = p->seed;
    s->params = *p;
    s->on_terminal = isatty(STDERR_FILENO);
    for (int i = 0; i < 4; i++) s->random[i] = splitmix64(&state);
    s->waves_base = waves_base(p->waves);
    s->least_latency = SIM_FOREVER;
    sim_threads(s, 1);
    group_new(s, "");
    if (p->ranks) ranks_new(s);
    return s;
}

void sim_free(sim *s)
{
    if (!s) return;
    waves_close(s, true);
    thread_pool_free(s->thread_pool);
    ranks_free(s);
    tasks_free(s);
    models_free(s);
    for (size_t i = 0; i < s->clocks.count; i++) clock_free(s->clocks.at[i]);
    for (size_t i = 0; i < s->groups.count; i++) group_free(s->groups.at[i]);
    list_free(&s->groups);
    list_free(&s->clocks);
    list_free(&s->rising);
    list_free(&s->teams);
    list_free(&s->reports);
    list_free(&s->waiting);
    free(s->waves_base);
    free(s->error);
    free(s);
}

sim_group *group_here(const sim *s)
{
    sim_group *g = group_running;
    return g && g->s == s ? g : NULL;
}

sim_time sim_now(const sim *s)
{
    const sim_group *g = group_here(s);
    return g ? g->now : s->now;
}

uint64_t sim_seed(const sim *s) { return s->params.seed; }

/* ---- ends and reports ---- */

void sim_stop(sim *s)
{
    sim_group *g = group_here(s);
    *(g ? &g->stop : &s->stop) = true;
}

void sim_fail(sim *s, const char *fmt, ...)
{
    sim_group *g = group_here(s);
    char **error = g ? &g->error : &s->error;
    if (*error) return;
    va_list ap;
    va_start(ap, fmt);
    char text[1024];
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    *error = new_string(n < 0 ? "failed, and its message could not be formatted" : text);
}

const char *sim_error(const sim *s) { return s->error ? s->error : ""; }

void sim_progress(sim *s)
{
    sim_group *g = group_here(s);
    if (g) g->last_progress = g->now;
    else s->last_progress = s->now;
}

void sim_report(sim *s, const sim_clock *at, void (*dump)(void *self, FILE *f), void *self, const char *name)
{
    *list_add(&s->reports) = (report){dump, self, name, at ? at->group : NULL};
}

void sim_report_waiting(sim *s, const sim_clock *at, void (*print)(void *self, FILE *f), void *self)
{
    *list_add(&s->waiting) = (report){print, self, NULL, at ? at->group : NULL};
}

void sim_report_print(sim *s, FILE *f)
{
    for (size_t i = s->waiting.count; i--;) {
        const report *r = &s->waiting.at[i];
        if (s->ranks) ranks_report(s, r, f);
        else r->dump(r->self, f);
    }
    for (size_t i = 0; i < s->reports.count; i++) {
        const report *r = &s->reports.at[i];
        if (f && r->name) fprintf(f, "--- %s\n", r->name);
        if (s->ranks) ranks_report(s, r, f);
        else r->dump(r->self, f);
    }
}

void sim_status(sim *s, void (*print)(void *self, FILE *f), void *self)
{
    s->status = (report){.dump = print, .self = self};
}

const char *sim_result_name(int result)
{
    static const char *const names[] = {"ok", "stopped", "time limit", "watchdog", "failed", "interrupted"};
    return result >= 0 && result < (int)(sizeof names / sizeof names[0]) ? names[result] : "unknown";
}

/* ---- one edge ---- */

static sim_time next_event(const sim *s)
{
    sim_time t = SIM_FOREVER;
    if (!s->clocks.count) return tasks_next(s);
    for (size_t i = 0; i < s->groups.count; i++) t = s->groups.at[i]->next < t ? s->groups.at[i]->next : t;
    if (s->falls)
        for (size_t i = 0; i < s->clocks.count; i++)
            if (s->clocks.at[i]->fall < t) t = s->clocks.at[i]->fall;
    return t;
}

static void step(sim *s)
{
    const sim_time t = s->now;
    size_t order;
    if (s->falls)
        for (size_t i = 0; i < s->clocks.count; i++) {
            sim_clock *c = s->clocks.at[i];
            if (c->fall > t) continue;
            models_fall(c);
            c->fall = SIM_FOREVER;
        }
    s->rising.count = 0;
    for (size_t i = 0; i < s->groups.count; i++)
        if (s->groups.at[i]->next == t) group_rising(s->groups.at[i], &s->rising);
    edges_settle(&s->rising, t);
    lanes_run(false);
    edges_rise(&s->rising, t, &order);
    lanes_run(true);
    edges_drive(&s->rising, &order);
    if (s->rising.count || !s->clocks.count) tasks_run(s, 0);
    for (size_t i = 0; s->falls && i < s->rising.count; i++) {
        sim_clock *c = s->rising.at[i];
        if (c->falls) c->fall = t + (c->next.time - t) / 2;
    }
}

/* ---- a run ---- */

double sim_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* On a terminal, one line on stderr some times a second. */
static void show_progress(const sim *s, double started, sim_time from, double *shown)
{
    double now = sim_wall(), seconds = now - started;
    if (now - *shown < 0.25 || seconds < 0.5) return;
    fputs("\r\033[K", stderr);
    if (s->status.dump) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        s->status.dump(s->status.self, f);
        fclose(f);
        while (size && strchr(" ,:;", text[size - 1])) text[--size] = '\0';
        fprintf(stderr, "%s%s", text, size ? "; " : "");
        free(text);
    }
    fprintf(stderr, "%.3f us simulated, %.1f us per second ", (double)s->now * 1e-6,
            (double)(s->now - from) * 1e-6 / seconds);
    fflush(stderr);
    *shown = now;
}

/* Any edge: before the first one there is nothing to report. */
static bool begun(const sim *s)
{
    for (size_t i = 0; i < s->clocks.count; i++)
        if (s->clocks.at[i]->cycles) return true;
    return false;
}

static void end_badly(sim *s, int result)
{
    waves_close(s, true);
    if (s->params.quiet) {
        if (s->ranks && result != SIM_INTERRUPTED) sim_report_print(s, NULL);
        return;
    }
    fprintf(stderr, "sim: %s at %.3f us, seed %" PRIu64 "%s%s\n", sim_result_name(result), (double)s->now * 1e-6,
            s->params.seed, s->error ? ": " : "", sim_error(s));
    if (result != SIM_INTERRUPTED && begun(s)) sim_report_print(s, stderr);
    if (s->waves_left) fprintf(stderr, "sim: waves in %s.fst\n", s->waves_base);
}

int sim_recorded(sim *s, int result)
{
    waves_ended(s);
    for (size_t i = 0; i < s->models.count; i++) pins_close(s->models.at[i]);
    if (s->ranks) ranks_agree(s);
    if (result >= SIM_WATCHDOG || !s->error) return result;
    end_badly(s, SIM_FAILED);
    return SIM_FAILED;
}

static int ended(sim *s, bool had_tasks)
{
    if (s->error) return SIM_FAILED;
    if (s->stop) return SIM_STOPPED;
    if (had_tasks && !s->common.count && !tasks_live(s)) return SIM_OK;
    if (s->ranks ? ranks_interrupted(s) : sim_interrupted()) return SIM_INTERRUPTED;
    if (s->params.watchdog && s->now - s->last_progress > s->params.watchdog) {
        sim_fail(s, "no progress for %.3f us", (double)(s->now - s->last_progress) * 1e-6);
        return SIM_WATCHDOG;
    }
    return -1;
}

/* A run from `from` on: edge by edge, or window by window. */
typedef struct {
    sim *s;
    sim_time limit, from;
    bool had_tasks;
    int result;            /* -1: it goes on */
    double started, shown; /* [s] when it began, negative: without a progress line; when that was written last */
} course;

static void run_on(void *arg)
{
    course *r = arg;
    sim *s = r->s;
    for (unsigned n = 1; r->result < 0; n++) {
        sim_time t = next_event(s);
        if (t == SIM_FOREVER) {
            sim_fail(s, "nothing can happen any more: no clocks, %zu tasks wait", tasks_live(s));
            r->result = SIM_FAILED;
        } else if (t > r->limit) {
            if (r->limit > s->now) s->now = r->limit;
            r->result = SIM_TIME_LIMIT;
        } else {
            waves_window(s, t);
            if (s->error &&
                !s->ranks) { /* it cannot be recorded as asked for: before anything has happened, or from the outside */
                r->result = SIM_FAILED;
                break;
            }
            const sim_time limit = waves_limit(s, t); /* with ranks all know of an error behind the window */
            if (window_run(s, t, r->limit < limit ? r->limit : limit)) n |= 8191;
            else {
                s->now = t;
                step(s);
            }
            if (s->waves) waves_keep_up(s);
            r->result = ended(s, r->had_tasks);
        }
        if (r->started >= 0 && n % 8192 == 8191) show_progress(s, r->started, r->from, &r->shown);
    }
}

int sim_run(sim *s, sim_time limit)
{
    if (s->params.cycles) cycles_follow(s);
    course r = {
        .s = s, .limit = limit, .from = s->now, .had_tasks = tasks_live(s) > 0, .result = s->error ? SIM_FAILED : -1};
    r.started = !s->params.quiet && s->on_terminal ? sim_wall() : -1;
    guard_signals();
    guard_thread();
    if (!guard_run(run_on, &r)) {
        if (s->ranks) ranks_fail(s, guard_complaint());
        sim_fail(s, "%s", guard_complaint());
        r.result = SIM_FAILED;
    }
    s->stop = false;
    if (r.shown > 0) fputs("\r\033[K", stderr);
    if (r.result >= SIM_WATCHDOG) end_badly(s, r.result);
    guard_signals_end();
    return r.result;
}
