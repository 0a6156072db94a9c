/* Life of a scenario of operations, its values, and their table. */
#include "sim/traffic/sync/sync.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/core/kernel/text_table.h"
#include "sim/traffic/faults/faults.h"
#include "sim/traffic/sync/sync_private.h"

void sync_params_of(const scenario_params *p, sync_params *params)
{
    *params = (sync_params){.run = p->sync->run,
                            .message = p->message,
                            .slots = p->slots,
                            .packets = p->packets,
                            .seed = p->pattern.seed,
                            .lossy = p->lossy,
                            .faults = p->faults};
}

void sync_fail(sync_state *x, const char *format, ...)
{
    va_list list;
    if (*x->r->error) return;
    va_start(list, format);
    vsnprintf(x->r->error, sizeof x->r->error, format, list);
    va_end(list);
    sim_fail(x->f->s, "%s", x->r->error);
}

int sync_failed(const sync_state *x) { return *x->r->error != 0; }

int sync_good(sync_state *x, unsigned node, int result)
{
    sim_progress(x->f->s);
    if (result >= 0) return 1;
    sync_fail(x, "node %u: %s", node, nx_last_error(x->f->node[node]->dev));
    return 0;
}

/* ---- values ---- */

void sync_value_add(sync_state *x, const char *unit, double value, const char *format, ...)
{
    sync_value *v = &x->r->value[x->r->values];
    va_list list;
    if (x->r->values == SYNC_VALUES) return;
    va_start(list, format);
    vsnprintf(v->name, sizeof v->name, format, list);
    va_end(list);
    v->value = value;
    v->unit = unit;
    x->r->values++;
}

double sync_get(const sync_result *r, const char *name)
{
    for (unsigned i = 0; i < r->values; i++)
        if (!strcmp(r->value[i].name, name)) return r->value[i].value;
    return NAN;
}

void sync_time_add(sync_times *t, double ns)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->at = realloc(t->at, t->room * sizeof *t->at);
        if (!t->at) {
            fprintf(stderr, "sync: out of memory\n");
            exit(1);
        }
    }
    t->at[t->count++] = ns;
}

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sync_time_values(sync_state *x, const char *name, sync_times *t)
{
    if (t->count) {
        qsort(t->at, t->count, sizeof *t->at, number_order);
        sync_value_add(x, "ns", t->at[0], "%s min", name);
        sync_value_add(x, "ns", t->at[t->count / 2], "%s median", name);
        sync_value_add(x, "ns", t->at[(t->count * 99 - 1) / 100], "%s p99", name);
    }
    free(t->at);
    *t = (sync_times){0};
}

/* ---- tasks ---- */

uint64_t sync_random(struct sync_node *n, uint64_t below) { return splitmix64(&n->random) % below; }

void sync_pause(struct sync_node *n, unsigned ns)
{
    sim_wait_time(n->x->f->s, sync_random(n, ns + 1) * SIM_NS);
    sim_progress(n->x->f->s);
}

void sync_tasks(sync_state *x, void (*fn)(void *node), uint32_t mask)
{
    sim_task *task[FABRIC_NODES];
    static const char *const names[] = {"host 0",  "host 1",  "host 2",  "host 3", "host 4",  "host 5",
                                        "host 6",  "host 7",  "host 8",  "host 9", "host 10", "host 11",
                                        "host 12", "host 13", "host 14", "host 15"};
    for (unsigned i = 0; i < x->f->nodes; i++)
        if (mask >> i & 1) task[i] = sim_task_new(x->f->s, names[i], fn, &x->at[i]);
    for (unsigned i = 0; i < x->f->nodes; i++)
        if (mask >> i & 1) sim_join(task[i]);
}

/* ---- a run ---- */

static void run(sync_state *x)
{
    static void (*const scenario[])(sync_state *) = {[SYNC_QUEUE] = sync_queue,
                                                     [SYNC_BARRIER] = sync_barrier,
                                                     [SYNC_LOCK] = sync_lock,
                                                     [SYNC_COUNTER] = sync_counter};
    sim *s = x->f->s;
    char text[300];
    if (x->p->faults && faults_begin(x->p->faults)) sync_fail(x, "%s", faults_error(x->p->faults));
    if (x->p->window) x->p->window(x->p->arg, 1);
    x->r->from = sim_now(s);
    if (!sync_failed(x)) scenario[x->p->run](x);
    if (!x->r->to) x->r->to = sim_now(s);
    if (x->p->window) x->p->window(x->p->arg, 0);
    if (!x->p->faults || sync_failed(x)) return;
    if (faults_end(x->p->faults)) sync_fail(x, "%s", faults_error(x->p->faults));
    else if (faults_good(x->p->faults, text, sizeof text)) sync_fail(x, "%s", text);
}

/* Error counters of a NIC, summed; what it reports is in `text`. */
static uint64_t errors_of(sync_state *x, unsigned node, char text[sizeof((sync_result *)0)->error])
{
    nx_status nic;
    nx_sync_status operations;
    if (!sync_good(x, node, nx_status_read(x->f->node[node]->dev, &nic)) ||
        !sync_good(x, node, nx_sync_status_read(x->sync[node], &operations)))
        return 0;
    snprintf(text, sizeof((sync_result *)0)->error, "%.500s%.500s", nic.text, operations.text);
    return nic.errors + operations.errors;
}

int sync_run_on(fabric *f, const sync_params *p, sync_result *r)
{
    uint64_t errors[FABRIC_NODES] = {0};
    char text[sizeof r->error];
    sync_state x = {.f = f, .p = p, .r = r};
    *r = (sync_result){0};
    for (unsigned i = 0; i < f->nodes && !sync_failed(&x); i++) {
        x.at[i] = (struct sync_node){&x, i, p->seed + 0x517cc1b727220a95u * (i + 1)};
        if (sync_good(&x, i, nx_sync_open(f->node[i]->dev, &x.sync[i]))) errors[i] = errors_of(&x, i, text);
    }
    if (!sync_failed(&x)) run(&x);
    for (unsigned i = 0; i < f->nodes && !p->faults && !sync_failed(&x); i++)
        if (errors_of(&x, i, text) != errors[i]) sync_fail(&x, "node %u: its NIC reports: %s", i, text);
    for (unsigned i = 0; i < f->nodes; i++) nx_sync_close(x.sync[i]);
    r->good = !sync_failed(&x);
    return r->good ? 0 : -1;
}

/* ---- output ---- */

static const sync_kind *kind_of(const sync_params *p)
{
    const sync_kind *k = sync_kinds;
    while (k->run != p->run) k++;
    return k;
}

void sync_print(const sync_params *p, const sync_result *r, FILE *out)
{
    const sync_kind *k = kind_of(p);
    fprintf(out, "\n%s: %s\n", k->name, k->sentence);
    FILE *t = text_table(out, 0, "<value\tmeasured\t<unit");
    for (unsigned i = 0; i < r->values; i++)
        fprintf(t, "%s\t%.*f\t%s\n", r->value[i].name, r->value[i].value < 10 ? 3 : 1, r->value[i].value,
                r->value[i].unit);
    fclose(t);
    fprintf(out, "%" PRIu64 " operations compared", r->operations);
    if (r->refused) fprintf(out, "; %" PRIu64 " messages refused and sent again", r->refused);
    if (r->lost || r->damaged)
        fprintf(out, "; %" PRIu64 " lost, %" PRIu64 " slots with a loss indication", r->lost, r->damaged);
    fprintf(out, "%s%s\n", *r->error ? ": " : "", r->error);
}

struct json_t *sync_json(const sync_params *p, const sync_result *r)
{
    json_t *values = json_object();
    for (unsigned i = 0; i < r->values; i++)
        json_object_set_new(values, r->value[i].name,
                            isfinite(r->value[i].value) ? json_real(r->value[i].value) : json_null());
    return json_pack("{s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:o}", "good", r->good, "error", r->error, "scenario",
                     kind_of(p)->name, "operations", (json_int_t)r->operations, "refused", (json_int_t)r->refused,
                     "lost", (json_int_t)r->lost, "damaged", (json_int_t)r->damaged, "us",
                     1e-6 * (double)(r->to - r->from), "values", values);
}
