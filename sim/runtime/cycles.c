/* Counts what the probes of modules show. */
#include "sim/runtime/cycles.h"
#include "sim/runtime/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sim_cycles_row row;
    sim_clock *clock;
    const uint8_t *busy, *stall, *start, *done;
    uint64_t latency_sum;
    uint64_t since; /* clocks of its group when it came */
    /* starts without a done yet, oldest at [first]; room is a power of two */
    uint64_t *starts;
    size_t first, held, room;
} instance;

/* All instances on one clock share an attachment. */
typedef struct {
    sim_clock *clock;
    uint64_t clocks;
    LIST(instance *) instances;
} group;

struct sim_cycles {
    sim *s;
    bool on;
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

void sim_cycles_free(sim_cycles *c)
{
    if (!c) return;
    sim_cycles_stop(c);
    for (size_t i = 0; i < c->groups.count; i++) {
        list_free(&c->groups.at[i]->instances);
        free(c->groups.at[i]);
    }
    for (size_t i = 0; i < c->instances.count; i++) {
        free(c->instances.at[i]->starts);
        free(c->instances.at[i]);
    }
    list_free(&c->groups);
    list_free(&c->instances);
    free(c);
}

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

static void finish(instance *n, uint64_t clock)
{
    if (!n->held) return;
    uint64_t latency = clock - n->starts[n->first];
    n->first = (n->first + 1) & (n->room - 1);
    n->held--;
    if (!n->row.operations || latency < n->row.latency_min) n->row.latency_min = latency;
    if (latency > n->row.latency_max) n->row.latency_max = latency;
    n->latency_sum += latency;
    n->row.operations++;
}

static void sample(void *self)
{
    group *g = self;
    for (size_t i = 0; i < g->instances.count; i++) {
        instance *n = g->instances.at[i];
        if (*n->stall) n->row.stalled++;
        else if (*n->busy) n->row.busy++;
        if (*n->start) begin(n, g->clocks);
        if (*n->done) finish(n, g->clocks);
    }
    g->clocks++;
}

static group *group_of(sim_cycles *c, sim_clock *clock)
{
    for (size_t i = 0; i < c->groups.count; i++)
        if (c->groups.at[i]->clock == clock) return c->groups.at[i];
    group *g = new_zeroed(sizeof *g);
    g->clock = clock;
    *list_add(&c->groups) = g;
    if (c->on) sim_clock_attach(clock, sample, NULL, g);
    return g;
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
        n->clock = clock;
        n->busy = sim_model_signal(m, p->path, "probe_busy");
        n->stall = p->stall ? sim_model_signal(m, p->path, "probe_stall") : &never;
        bool latency = p->start && p->done;
        n->start = latency ? sim_model_signal(m, p->path, "probe_start") : &never;
        n->done = latency ? sim_model_signal(m, p->path, "probe_done") : &never;
        if (!n->busy || !n->stall || !n->start || !n->done) {
            sim_fail(c->s, "cycles: the model does not show the probes of %s.%s%s", sim_model_name(m), p->path,
                     kind->waves ? "" : ": it is built for speed; the same program below build/full has others");
            free(n);
            return -1;
        }
        n->row.model = sim_model_name(m);
        n->row.path = p->path;
        n->row.module = p->module;
        n->row.clock = sim_clock_name(clock);
        n->row.has_latency = latency;
        *list_add(&c->instances) = n;
        group *g = group_of(c, clock);
        n->since = g->clocks;
        *list_add(&g->instances) = n;
    }
    return (int)kind->probe_count;
}

void sim_cycles_start(sim_cycles *c)
{
    for (size_t i = 0; i < c->instances.count; i++) {
        instance *n = c->instances.at[i];
        n->row.busy = n->row.stalled = n->row.operations = n->row.latency_min = n->row.latency_max = n->latency_sum = 0;
        n->first = n->held = 0;
        n->since = 0;
    }
    for (size_t i = 0; i < c->groups.count; i++) {
        c->groups.at[i]->clocks = 0;
        if (!c->on) sim_clock_attach(c->groups.at[i]->clock, sample, NULL, c->groups.at[i]);
    }
    c->on = true;
}

void sim_cycles_stop(sim_cycles *c)
{
    if (!c->on) return;
    for (size_t i = 0; i < c->groups.count; i++) sim_clock_detach(c->groups.at[i]->clock, c->groups.at[i]);
    c->on = false;
}

size_t sim_cycles_count(const sim_cycles *c)
{
    return c->instances.count;
}

int sim_cycles_get(const sim_cycles *c, size_t i, sim_cycles_row *row)
{
    if (i >= c->instances.count) return -1;
    const instance *n = c->instances.at[i];
    *row = n->row;
    for (size_t k = 0; k < c->groups.count; k++)
        if (c->groups.at[k]->clock == n->clock) row->clocks = c->groups.at[k]->clocks - n->since;
    row->idle = row->clocks - row->busy - row->stalled;
    row->open = n->held;
    row->latency_mean = row->operations ? (double)n->latency_sum / (double)row->operations : 0;
    return 0;
}

int sim_cycles_table(const sim_cycles *c, FILE *f)
{
    int width = 8, kind = 6;
    sim_cycles_row r;
    for (size_t i = 0; !sim_cycles_get(c, i, &r); i++) {
        int w = (int)(strlen(r.model) + 1 + strlen(r.path));
        if (w > width) width = w;
        if ((int)strlen(r.module) > kind) kind = (int)strlen(r.module);
    }
    fprintf(f, "%-*s  %-*s %12s %7s %7s %7s %10s %9s\n", width, "instance", kind, "module", "clocks", "busy", "stalled", "idle",
            "operations", "latency min/mean/max");
    for (size_t i = 0; !sim_cycles_get(c, i, &r); i++) {
        double all = r.clocks ? (double)r.clocks / 100 : 1;
        fprintf(f, "%s.%-*s  %-*s %12" PRIu64 " %6.1f%% %6.1f%% %6.1f%%", r.model, width - (int)strlen(r.model) - 1, r.path, kind, r.module,
                r.clocks, (double)r.busy / all, (double)r.stalled / all, (double)r.idle / all);
        if (r.operations)
            fprintf(f, " %10" PRIu64 " %5" PRIu64 " / %.1f / %" PRIu64, r.operations, r.latency_min, r.latency_mean, r.latency_max);
        else if (r.has_latency) fprintf(f, " %10d", 0);
        fputc('\n', f);
    }
    return ferror(f) ? -1 : 0;
}

json_t *sim_cycles_json(const sim_cycles *c)
{
    json_t *rows = json_array();
    sim_cycles_row r;
    for (size_t i = 0; !sim_cycles_get(c, i, &r); i++) {
        json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "model", r.model, "path", r.path, "module", r.module, "clock",
                              r.clock, "clocks", (json_int_t)r.clocks, "busy", (json_int_t)r.busy, "stalled", (json_int_t)r.stalled, "idle",
                              (json_int_t)r.idle);
        if (r.has_latency) {
            json_object_set_new(o, "operations", json_integer((json_int_t)r.operations));
            json_object_set_new(o, "open", json_integer((json_int_t)r.open));
        }
        if (r.operations) {
            json_object_set_new(o, "latency_min", json_integer((json_int_t)r.latency_min));
            json_object_set_new(o, "latency_mean", json_real(r.latency_mean));
            json_object_set_new(o, "latency_max", json_integer((json_int_t)r.latency_max));
        }
        json_array_append_new(rows, o);
    }
    return rows;
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
        printf("%s\n", s->params.cycles);
        sim_cycles_table(s->cycles, stdout);
        fflush(stdout);
    }
    sim_cycles_free(s->cycles);
    s->cycles = NULL;
}
