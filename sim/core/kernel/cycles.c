/* Counts what the probes of modules show. */
#include "sim/core/kernel/cycles.h"
#include "sim/core/kernel/kernel.h"
#include "sim/core/kernel/results.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICES = 128, STATES = 256 };
#define FIRST_SLICE (10 * SIM_NS)

struct group;

typedef struct {
    sim_cycles_row row;
    struct group *group;
    const uint8_t *busy, *start, *done;
    const uint8_t **stall;     /* of each row.reason; the one without a name is the last */
    sim_cycles_reason *reason; /* = row.reason */
    histogram latency, level;
    const void *level_at; /* NULL: has none */
    unsigned level_bytes;
    const uint8_t **state; /* of each row.machine */
    uint64_t **in_state;
    uint64_t since; /* counted clocks of its group when it came */
    /* starts without a done yet, oldest at [first]; room is a power of two */
    uint64_t *starts;
    size_t first, held, room;
    uint32_t slice_busy[SLICES], slice_stalled[SLICES];
} instance;

/* All instances on one clock share an attachment. */
typedef struct group {
    sim_cycles *of;
    sim_clock *clock;
    uint64_t edges, clocks; /* since start; of these in windows */
    sim_time slice_length, slice_end;
    unsigned slice;
    uint32_t slice_clocks[SLICES];
    LIST(instance *) instances;
} group;

typedef struct {
    sim_time from, to;
} window;

typedef struct {
    char *from, *to;
} pair_of_names;

struct sim_cycles {
    sim *s;
    bool on, open;
    sim_time from, to, window_from;
    LIST(window) windows;
    LIST(pair_of_names) links;
    LIST(instance *) instances;
    LIST(group *) groups;
};

static const uint8_t never;

sim_cycles *sim_cycles_new(sim *s)
{
    sim_cycles *c = new_zeroed(sizeof *c);
    c->s = s;
    return c;
}

static void instance_free(instance *n)
{
    for (size_t i = 0; i < n->row.machines; i++) free(n->in_state[i]);
    free((void *)n->row.machine);
    free(n->in_state);
    free(n->state);
    free(n->reason);
    free(n->stall);
    histogram_clear(&n->latency);
    histogram_clear(&n->level);
    free(n->starts);
    free(n);
}

void sim_cycles_free(sim_cycles *c)
{
    if (!c) return;
    sim_cycles_stop(c);
    for (size_t i = 0; i < c->groups.count; i++) {
        list_free(&c->groups.at[i]->instances);
        free(c->groups.at[i]);
    }
    for (size_t i = 0; i < c->instances.count; i++) instance_free(c->instances.at[i]);
    for (size_t i = 0; i < c->links.count; i++) {
        free(c->links.at[i].from);
        free(c->links.at[i].to);
    }
    list_free(&c->links);
    list_free(&c->windows);
    list_free(&c->groups);
    list_free(&c->instances);
    free(c);
}

/* ---- counting ---- */

static void begin(instance *n, uint64_t clock)
{
    if (n->held == n->room) {
        size_t room = n->room ? 2 * n->room : 16;
        uint64_t *starts = new_zeroed(room * sizeof *starts);
        for (size_t i = 0; i < n->held; i++) starts[i] = n->starts[(n->first + i) & (n->room - 1)];
        free(n->starts);
        n->starts = starts;
        n->room = room;
        n->first = 0;
    }
    n->starts[(n->first + n->held++) & (n->room - 1)] = clock;
}

static void finish(instance *n, uint64_t clock, bool open)
{
    if (!n->held) return;
    uint64_t latency = clock - n->starts[n->first];
    n->first = (n->first + 1) & (n->room - 1);
    n->held--;
    if (!open) return;
    histogram_add(&n->latency, latency);
    n->row.operations++;
}

static void look(instance *n, const group *g, bool open)
{
    size_t why = 0;
    while (why < n->row.reasons && !*n->stall[why]) why++;
    bool stalled = why < n->row.reasons, busy = !stalled && *n->busy;
    n->slice_busy[g->slice] += busy;
    n->slice_stalled[g->slice] += stalled;
    if (n->row.latency) {
        if (*n->start) begin(n, g->edges);
        if (*n->done) finish(n, g->edges, open);
    } else if (open && (*n->start || *n->done)) n->row.operations++;
    if (!open) return;
    n->row.busy += busy;
    n->row.stalled += stalled;
    if (stalled) n->reason[why].clocks++;
    if (n->level_at) histogram_add(&n->level, sim_signal_value(n->level_at, n->level_bytes));
    for (size_t i = 0; i < n->row.machines; i++) n->in_state[i][*n->state[i]]++;
}

/* Two slices become one, so that there is room behind them. */
static void halve(uint32_t *slice)
{
    for (unsigned i = 0; i < SLICES / 2; i++) slice[i] = slice[2 * i] + slice[2 * i + 1];
    memset(slice + SLICES / 2, 0, SLICES / 2 * sizeof *slice);
}

static void lengthen(group *g)
{
    halve(g->slice_clocks);
    for (size_t i = 0; i < g->instances.count; i++) {
        halve(g->instances.at[i]->slice_busy);
        halve(g->instances.at[i]->slice_stalled);
    }
    g->slice /= 2;
    g->slice_length *= 2;
    g->slice_end = g->of->from + (g->slice + 1) * g->slice_length;
}

static void sample(void *self)
{
    group *g = self;
    bool open = g->of->open;
    for (sim_time now = sim_now(g->of->s); now >= g->slice_end;)
        if (g->slice + 1 == SLICES) lengthen(g);
        else {
            g->slice++;
            g->slice_end += g->slice_length;
        }
    for (size_t i = 0; i < g->instances.count; i++) look(g->instances.at[i], g, open);
    g->slice_clocks[g->slice]++;
    g->edges++;
    if (open) g->clocks++;
}

/* ---- what is counted ---- */

static void group_begin(group *g)
{
    g->edges = g->clocks = 0;
    g->slice = 0;
    g->slice_length = FIRST_SLICE;
    g->slice_end = g->of->from + FIRST_SLICE;
    memset(g->slice_clocks, 0, sizeof g->slice_clocks);
}

static group *group_of(sim_cycles *c, sim_clock *clock)
{
    for (size_t i = 0; i < c->groups.count; i++)
        if (c->groups.at[i]->clock == clock) return c->groups.at[i];
    group *g = new_zeroed(sizeof *g);
    g->of = c;
    g->clock = clock;
    *list_add(&c->groups) = g;
    group_begin(g);
    if (c->on) sim_clock_attach(clock, sample, NULL, g);
    return g;
}

/* Signals of one kind. */
static size_t count_kind(const sim_probe *p, sim_probe_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++) n += p->signals[i].kind == kind;
    return n;
}

/* 0, or -1: the model does not show them. */
static int find_signals(instance *n, const sim_model *m, const sim_probe *p)
{
    size_t stalls = count_kind(p, SIM_PROBE_STALL), machines = count_kind(p, SIM_PROBE_STATE);
    sim_cycles_machine *machine = new_zeroed(machines * sizeof *machine);
    n->reason = new_zeroed(stalls * sizeof *n->reason);
    n->stall = new_zeroed(stalls * sizeof *n->stall);
    n->state = new_zeroed(machines * sizeof *n->state);
    n->in_state = new_zeroed(machines * sizeof *n->in_state);
    n->busy = n->start = n->done = &never;
    n->row.reason = n->reason;
    n->row.machine = machine;
    for (size_t i = 0; i < p->count; i++) {
        const sim_probe_signal *signal = &p->signals[i];
        unsigned bytes;
        const void *at = sim_model_signal(m, p->scope, signal->name, &bytes);
        if (!at) return -1;
        switch (signal->kind) {
        case SIM_PROBE_BUSY:
            n->busy = at;
            break;
        case SIM_PROBE_START:
            n->start = at;
            break;
        case SIM_PROBE_DONE:
            n->done = at;
            break;
        case SIM_PROBE_STALL: { /* one without a name counts when no other does */
            size_t place = *signal->label ? n->row.reasons : stalls - 1;
            n->row.reasons += *signal->label != 0;
            n->reason[place].name = *signal->label ? signal->label : "other";
            n->stall[place] = at;
            break;
        }
        case SIM_PROBE_LEVEL:
            n->level_at = at;
            n->level_bytes = bytes;
            n->row.level = &n->level;
            break;
        case SIM_PROBE_STATE:
            n->state[n->row.machines] = at;
            n->in_state[n->row.machines] = new_zeroed(STATES * sizeof **n->in_state);
            machine[n->row.machines] =
                (sim_cycles_machine){signal->label, signal->states, n->in_state[n->row.machines], STATES};
            n->row.machines++;
            break;
        }
    }
    n->row.reasons = stalls;
    n->row.has_operations = n->start != &never || n->done != &never;
    n->row.latency = n->start != &never && n->done != &never ? &n->latency : NULL;
    return 0;
}

int sim_cycles_add(sim_cycles *c, sim_model *m)
{
    const sim_config *kind = sim_model_config(m);
    for (size_t i = 0; i < kind->probe_count; i++) {
        const sim_probe *p = &kind->probes[i];
        sim_clock *clock = sim_model_clock_at(m, p->clock);
        if (!clock) {
            sim_fail(c->s, "cycles: %s.%s runs on port %s, which has no clock", sim_model_name(m), p->path, p->clock);
            return -1;
        }
        instance *n = new_zeroed(sizeof *n);
        if (find_signals(n, m, p)) {
            sim_fail(c->s, "cycles: the model does not show the probes of %s.%s%s", sim_model_name(m), p->path,
                     kind->waves ? "" : ": it is built for speed; the same program below build/full has others");
            instance_free(n);
            return -1;
        }
        n->row.model = sim_model_name(m);
        n->row.path = p->path;
        n->row.side = p->side;
        n->row.module = p->module;
        n->row.by = p->by;
        n->row.clock = sim_clock_name(clock);
        n->group = group_of(c, clock);
        n->since = n->group->clocks;
        *list_add(&c->instances) = n;
        *list_add(&n->group->instances) = n;
    }
    return (int)kind->probe_count;
}

void sim_cycles_link(sim_cycles *c, const char *from, const char *to)
{
    *list_add(&c->links) = (pair_of_names){new_string(from), new_string(to)};
}

/* ---- start, stop, windows ---- */

static void instance_begin(instance *n)
{
    n->row.busy = n->row.stalled = n->row.operations = n->since = 0;
    n->first = n->held = 0;
    histogram_clear(&n->latency);
    histogram_clear(&n->level);
    for (size_t i = 0; i < n->row.reasons; i++) n->reason[i].clocks = 0;
    for (size_t i = 0; i < n->row.machines; i++) memset(n->in_state[i], 0, STATES * sizeof **n->in_state);
    memset(n->slice_busy, 0, sizeof n->slice_busy);
    memset(n->slice_stalled, 0, sizeof n->slice_stalled);
}

void sim_cycles_start(sim_cycles *c)
{
    c->from = c->window_from = sim_now(c->s);
    c->windows.count = 0;
    for (size_t i = 0; i < c->instances.count; i++) instance_begin(c->instances.at[i]);
    for (size_t i = 0; i < c->groups.count; i++) {
        group_begin(c->groups.at[i]);
        if (!c->on) sim_clock_attach(c->groups.at[i]->clock, sample, NULL, c->groups.at[i]);
    }
    c->on = c->open = true;
}

void sim_cycles_window(sim_cycles *c, int open)
{
    if (!c || !c->on || c->open == open) return;
    sim_time now = sim_now(c->s);
    if (c->open && now > c->window_from) *list_add(&c->windows) = (window){c->window_from, now};
    c->window_from = now;
    c->open = open;
}

void sim_cycles_stop(sim_cycles *c)
{
    if (!c->on) return;
    sim_cycles_window(c, 0);
    for (size_t i = 0; i < c->groups.count; i++) sim_clock_detach(c->groups.at[i]->clock, c->groups.at[i]);
    c->to = sim_now(c->s);
    c->on = false;
}

/* ---- results ---- */

size_t sim_cycles_count(const sim_cycles *c) { return c->instances.count; }

int sim_cycles_get(const sim_cycles *c, size_t i, sim_cycles_row *row)
{
    if (i >= c->instances.count) return -1;
    const instance *n = c->instances.at[i];
    *row = n->row;
    row->clocks = n->group->clocks - n->since;
    row->idle = row->clocks - row->busy - row->stalled;
    row->open = n->held;
    return 0;
}

static json_t *slices(const uint32_t *slice, unsigned count)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++) json_array_append_new(list, json_integer(slice[i]));
    return list;
}

static json_t *machine_json(const sim_cycles_machine *m)
{
    json_t *clocks = json_object();
    const char *name = m->states;
    for (size_t i = 0; i < m->count; i++) {
        char text[64];
        int length = (int)strcspn(name, " ");
        if (!length && !m->clocks[i]) continue;
        if (length) snprintf(text, sizeof text, "%.*s", length, name);
        else snprintf(text, sizeof text, "%zu", i);
        json_object_set_new(clocks, text, json_integer((json_int_t)m->clocks[i]));
        name += length;
        name += *name == ' ';
    }
    return json_pack("{s:s, s:o}", "name", m->name, "clocks", clocks);
}

static json_t *row_json(const sim_cycles_row *r)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "model", r->model, "path", r->path, "side",
                          r->side, "module", r->module, "clock", r->clock, "clocks", (json_int_t)r->clocks, "busy",
                          (json_int_t)r->busy, "stalled", (json_int_t)r->stalled, "idle", (json_int_t)r->idle);
    if (*r->by) json_object_set_new(o, "by", json_string(r->by));
    if (r->reasons) {
        json_t *reasons = json_object();
        for (size_t i = 0; i < r->reasons; i++)
            json_object_set_new(reasons, r->reason[i].name, json_integer((json_int_t)r->reason[i].clocks));
        json_object_set_new(o, "reasons", reasons);
    }
    if (r->has_operations) json_object_set_new(o, "operations", json_integer((json_int_t)r->operations));
    if (r->latency) {
        json_object_set_new(o, "open", json_integer((json_int_t)r->open));
        json_object_set_new(o, "latency", histogram_json(r->latency));
    }
    if (r->level) json_object_set_new(o, "level", histogram_json(r->level));
    if (r->machines) {
        json_t *machines = json_array();
        for (size_t i = 0; i < r->machines; i++) json_array_append_new(machines, machine_json(&r->machine[i]));
        json_object_set_new(o, "machines", machines);
    }
    return o;
}

json_t *sim_cycles_json(sim_cycles *c, const char *name)
{
    sim_time length = FIRST_SLICE, to = c->on ? sim_now(c->s) : c->to;
    unsigned count = 0;
    for (size_t i = 0; i < c->groups.count; i++)
        if (c->groups.at[i]->slice_length > length) length = c->groups.at[i]->slice_length;
    json_t *clocks = json_array(), *instances = json_array(), *windows = json_array(), *links = json_array();
    for (size_t i = 0; i < c->groups.count; i++) {
        while (c->groups.at[i]->slice_length < length) lengthen(c->groups.at[i]);
        if (c->groups.at[i]->slice + 1 > count) count = c->groups.at[i]->slice + 1;
    }
    for (size_t i = 0; i < c->groups.count; i++) {
        const group *g = c->groups.at[i];
        json_array_append_new(clocks, json_pack("{s:s, s:I, s:o}", "name", sim_clock_name(g->clock), "period_ps",
                                                (json_int_t)sim_clock_period(g->clock), "slices",
                                                slices(g->slice_clocks, count)));
    }
    for (size_t i = 0; i < c->windows.count; i++)
        json_array_append_new(windows,
                              json_pack("[I, I]", (json_int_t)c->windows.at[i].from, (json_int_t)c->windows.at[i].to));
    if (c->on && c->open && to > c->window_from)
        json_array_append_new(windows, json_pack("[I, I]", (json_int_t)c->window_from, (json_int_t)to));
    for (size_t i = 0; i < c->links.count; i++)
        json_array_append_new(links, json_pack("[s, s]", c->links.at[i].from, c->links.at[i].to));
    sim_cycles_row r;
    for (size_t i = 0; !sim_cycles_get(c, i, &r); i++) {
        const instance *n = c->instances.at[i];
        json_t *o = row_json(&r);
        bool idle = true;
        for (unsigned k = 0; k < count && idle; k++) idle = !n->slice_busy[k] && !n->slice_stalled[k];
        if (!idle) {
            json_object_set_new(o, "slices_busy", slices(n->slice_busy, count));
            json_object_set_new(o, "slices_stalled", slices(n->slice_stalled, count));
        }
        json_array_append_new(instances, o);
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "name", name, "from_ps", (json_int_t)c->from, "to_ps",
                     (json_int_t)to, "slice_ps", (json_int_t)length, "windows", windows, "links", links, "clocks",
                     clocks, "instances", instances);
}

/* ---- of a whole simulation ---- */

static bool is_followed(const sim_cycles *c, const sim_model *m)
{
    for (size_t i = 0; i < c->instances.count; i++)
        if (c->instances.at[i]->row.model == sim_model_name(m)) return true;
    return false;
}

/* A bench may evaluate a model by hand, without clocks. */
static bool has_clocks(const sim_model *m)
{
    const sim_config *kind = sim_model_config(m);
    for (size_t i = 0; i < kind->probe_count; i++)
        if (!sim_model_clock_at(m, kind->probes[i].clock)) return false;
    return true;
}

void cycles_follow(sim *s)
{
    if (!s->cycles) {
        s->cycles = sim_cycles_new(s);
        sim_cycles_start(s->cycles);
    }
    for (size_t i = 0; i < s->models.count; i++) {
        sim_model *m = s->models.at[i];
        if (!is_followed(s->cycles, m) && has_clocks(m)) sim_cycles_add(s->cycles, m);
    }
}

void cycles_end(sim *s)
{
    if (!s->cycles) return;
    if (sim_cycles_count(s->cycles)) {
        static unsigned number; /* of this process and those it was forked from */
        char path[4096];
        do snprintf(path, sizeof path, "%s/%06u.json", s->params.cycles, number++);
        while (!access(path, F_OK));
        results_write(sim_cycles_json(s->cycles, s->params.cycles_name ? s->params.cycles_name : ""), path);
    }
    sim_cycles_free(s->cycles);
    s->cycles = NULL;
}
