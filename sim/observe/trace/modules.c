/* Probes of modules (sim/core/kernel/cycles.h): when each was at work, stalled, and its units of work. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/model.h"
#include "sim/observe/trace/trace_private.h"

enum {
    PAUSE = 8 /* [clocks] longer ones end a slice */,
    SHOWN = 8 /* units of work of a module that are shown at one time */,
    REASONS = 8 /* to stall */
};

typedef struct unit {
    uint64_t clock;
    sim_time at;
    unsigned lane;
} unit;

typedef struct instance {
    const uint8_t *busy, *start, *done, *stall[REASONS];
    unsigned reasons;
    unsigned process, number; /* of its first track */
    char name[160];
    track work, unit_track[SHOWN];
    unsigned used;                /* lanes of units that have begun and not ended */
    bool working;                 /* a slice is under way */
    sim_time begin, last;         /* of it; the end of its last clock at work */
    sim_time stall_begin;         /* of the stall under way */
    uint64_t stall_length, pause; /* [clocks] of it; since the last clock at work */
    uint64_t busy_clocks, stalled_clocks, units, latency;
    unit *open; /* begun, not ended, the oldest at [first]; room is a power of two */
    size_t first, held, room;
} instance;

/* All on one clock. */
typedef struct group {
    struct group *next;
    trace *t;
    sim_clock *clock;
    uint64_t clocks;
    sim_time before; /* its last edge */
    instance **at;
    size_t count;
} group;

struct modules {
    trace *t;
    group *groups;
};

static const uint8_t never;

/* Where a slice ends: a first edge soon after 0 ps ends one that is long enough to be written. */
static sim_time end_at(sim_time edge) { return edge < SIM_NS ? SIM_NS : edge; }

static bool stalls(const instance *n)
{
    unsigned i = 0;
    while (i < n->reasons && !*n->stall[i]) i++;
    return i < n->reasons;
}

/* The longer stalls stand inside the slice, so it is written behind them. */
static void end_stall(trace *t, instance *n)
{
    if (n->stall_length > PAUSE && trace_takes(t, n->stall_begin, n->last))
        trace_file_slice(t->file, n->process, n->number, n->stall_begin, n->last, "stalled", NULL);
    n->stall_length = 0;
}

static void end_work(trace *t, instance *n)
{
    char args[120];
    if (!n->working) return;
    end_stall(t, n);
    int length =
        snprintf(args, sizeof args, "\"busy\":%" PRIu64 ",\"stalled\":%" PRIu64, n->busy_clocks, n->stalled_clocks);
    if (n->units)
        snprintf(args + length, sizeof args - (size_t)length, ",\"operations\":%" PRIu64 ",\"latency\":%" PRIu64,
                 n->units, n->latency);
    trace_slice(t, &n->work, n->begin, n->last,
                n->busy_clocks      ? "work"
                : n->stalled_clocks ? "stalled"
                                    : "done",
                args, n->name);
    n->working = false;
    n->busy_clocks = n->stalled_clocks = n->units = n->latency = n->pause = 0;
}

static void unit_begins(instance *n, const group *g)
{
    unsigned lane = 0;
    if (n->held == n->room) {
        size_t room = n->room ? 2 * n->room : 8;
        unit *all = trace_memory(room * sizeof *all);
        for (size_t i = 0; i < n->held; i++) all[i] = n->open[(n->first + i) & (n->room - 1)];
        free(n->open);
        n->open = all;
        n->room = room;
        n->first = 0;
    }
    while (lane < SHOWN && (n->used >> lane & 1 || n->unit_track[lane].free_at > g->before)) lane++;
    n->used |= 1u << lane;
    n->open[(n->first + n->held++) & (n->room - 1)] = (unit){g->clocks, g->before, lane};
}

static void unit_ends(trace *t, instance *n, uint64_t clock, sim_time at, sim_time now, const char *name)
{
    char args[64], track_name[200];
    unit u = n->open[n->first];
    n->first = (n->first + 1) & (n->room - 1);
    n->held--;
    n->latency += clock - u.clock;
    if (u.lane == SHOWN) return;
    n->used &= ~(1u << u.lane);
    snprintf(args, sizeof args, "\"clocks\":%" PRIu64, clock - u.clock);
    snprintf(track_name, sizeof track_name, u.lane ? "%s, operations %u" : "%s, operations", n->name, u.lane + 1);
    trace_slice(t, &n->unit_track[u.lane], u.at, end_at(clock == u.clock ? now : at), name, args,
                track_name); /* at least a clock */
}

static void look(group *g, instance *n, sim_time now)
{
    bool stalled = stalls(n), busy = !stalled && *n->busy, done = *n->done;
    if (*n->start) unit_begins(n, g);
    done = done && n->held;
    if (done) unit_ends(g->t, n, g->clocks, g->before, now, "operation");
    if (!busy && !stalled && !done) {
        if (!n->working) return;
        end_stall(g->t, n);
        if (++n->pause > PAUSE) end_work(g->t, n);
        return;
    }
    if (!n->working) n->begin = g->before;
    n->working = true;
    if (!stalled) end_stall(g->t, n);
    else if (!n->stall_length++) n->stall_begin = g->before;
    n->last = end_at(now);
    n->pause = 0;
    n->busy_clocks += busy;
    n->stalled_clocks += stalled;
    n->units += done;
}

static void sample(void *self)
{
    group *g = self;
    sim_time now = sim_now(g->t->s);
    if (g->t->over) return;
    if (!g->clocks && now > sim_clock_period(g->clock)) g->before = now - sim_clock_period(g->clock);
    if (now >= g->t->p.from) {
        for (size_t i = 0; i < g->count; i++) look(g, g->at[i], now);
        g->clocks++;
    }
    g->before = now;
}

static group *group_of(modules *m, sim_clock *clock)
{
    group *g = m->groups;
    while (g && g->clock != clock) g = g->next;
    if (g) return g;
    g = trace_memory(sizeof *g);
    *g = (group){.next = m->groups, .t = m->t, .clock = clock};
    m->groups = g;
    sim_clock_attach(clock, sample, NULL, g);
    return g;
}

/* 0, or -1: the model does not show them. */
static int find_signals(instance *n, const sim_model *model, const sim_probe *p)
{
    n->busy = n->start = n->done = &never;
    for (size_t i = 0; i < p->count; i++) {
        unsigned bytes;
        const uint8_t *at = sim_model_signal(model, p->scope, p->signals[i].name, &bytes);
        if (!at) return -1;
        if (p->signals[i].kind == SIM_PROBE_BUSY) n->busy = at;
        if (p->signals[i].kind == SIM_PROBE_START) n->start = at;
        if (p->signals[i].kind == SIM_PROBE_DONE) n->done = at;
        if (p->signals[i].kind == SIM_PROBE_STALL && n->reasons < REASONS) n->stall[n->reasons++] = at;
    }
    if (n->start == &never || n->done == &never) n->start = n->done = &never; /* no units of work */
    return 0;
}

static int add(modules *m, sim_model *model, unsigned process)
{
    const sim_config *kind = sim_model_config(model);
    for (size_t i = 0; i < kind->probe_count; i++) {
        const sim_probe *p = &kind->probes[i];
        sim_clock *clock = sim_model_clock_at(model, p->clock);
        if (!clock) continue;
        instance *n = trace_memory(sizeof *n);
        if (find_signals(n, model, p)) {
            sim_fail(m->t->s, "trace: the model does not show the probes of %s.%s", sim_model_name(model), p->path);
            free(n);
            return -1;
        }
        n->process = process;
        n->number = (SHOWN + 1) * (unsigned)(i + 1);
        snprintf(n->name, sizeof n->name, "%s.%s%s%s", sim_model_name(model), p->path, *p->side ? ":" : "", p->side);
        n->work = (track){.process = process, .number = n->number};
        for (unsigned k = 0; k < SHOWN; k++)
            n->unit_track[k] = (track){.process = process, .number = n->number + 1 + k};
        group *g = group_of(m, clock);
        g->at = realloc(g->at, (g->count + 1) * sizeof(instance *));
        if (!g->at) trace_memory(SIZE_MAX);
        g->at[g->count++] = n;
    }
    return 0;
}

modules *modules_new(trace *t)
{
    modules *m = trace_memory(sizeof *m);
    char name[NAME_ROOM];
    m->t = t;
    for (unsigned i = 0; i < t->nodes; i++) {
        snprintf(name, sizeof name, "modules of %s", t->seat[i]->n->nic_name);
        trace_file_process(t->file, P_NIC_MODULES + i, name);
        if (add(m, t->seat[i]->n->nic.model, P_NIC_MODULES + i)) return NULL;
    }
    for (unsigned l = 0; l < t->f->links && t->f->chip.model; l++) {
        snprintf(name, sizeof name, t->f->links > 1 ? "modules of switch %u" : "modules of the switch", l);
        trace_file_process(t->file, P_SWITCH_MODULES + l, name);
        if (add(m, l ? t->f->path[l - 1].chip.model : t->f->chip.model, P_SWITCH_MODULES + l)) return NULL;
    }
    return m;
}

void modules_end(modules *m)
{
    for (group *g = m ? m->groups : NULL; g; g = g->next)
        for (size_t i = 0; i < g->count; i++) {
            instance *n = g->at[i];
            while (n->held) unit_ends(m->t, n, g->clocks, g->before, g->before, "open");
            end_work(m->t, n);
        }
}

void modules_free(modules *m)
{
    if (!m) return;
    for (group *g; (g = m->groups) != NULL;) {
        m->groups = g->next;
        sim_clock_detach(g->clock, g);
        for (size_t i = 0; i < g->count; i++) {
            free(g->at[i]->open);
            free(g->at[i]);
        }
        free(g->at);
        free(g);
    }
    free(m);
}
