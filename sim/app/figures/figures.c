#include "sim/app/figures/figures.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/app/figures/figures_private.h"
#include "sim/core/kernel/results.h"
#include "sim/core/kernel/text_table.h"

host_params figure_host(const char *bridge)
{
    host_params p;
    host_params_named(bridge, &p);
    return p;
}

sim_time figure_bus_time(const node *n, uint64_t clock)
{
    return sim_now(n->s) - (sim_clock_cycles(n->pci_clock) - clock) * sim_clock_period(n->pci_clock);
}

const nic_kind *figures_nics;

void bench_params(const figure *f, uint64_t seed, pair_params *params)
{
    pair_params_default(params);
    params->sim.seed = seed;
    for (int i = 0; i < 2; i++) {
        params->node[i].host = figure_host(f->bridge ? f->bridge : "server2004");
        if (f->pci_mhz) params->node[i].pci_mhz = f->pci_mhz;
        if (f->nic) params->node[i].nic = nic_kind_of(figures_nics, f->nic);
    }
    if (f->payload) params->driver.payload_words = f->payload;
}

struct body {
    bench *b;
    void (*software)(bench *);
};

static void run_body(void *arg)
{
    struct body *body = arg;
    pair *p = body->b->p;
    if (pair_start(p)) {
        bench_fail(body->b, p->node[0]->error, p->node[1]->error);
        return;
    }
    body->software(body->b);
    if (!*body->b->error) pair_stop(p);
}

int bench_open(bench *b, const figure *f, const pair_params *params)
{
    *b = (bench){.f = f};
    b->p = pair_new(params);
    return b->p ? 0 : -1;
}

int bench_software(bench *b, void (*software)(bench *), void *arg)
{
    b->arg = arg;
    struct body body = {b, software};
    sim_task_new(b->p->s, b->f->name, run_body, &body);
    int result = sim_run(b->p->s, SIM_FOREVER);
    if (result == SIM_OK && !*b->error) return 0;
    fprintf(stderr, "%s: %s\n", b->f->name, *b->error ? b->error : sim_error(b->p->s));
    return -1;
}

int bench_run(bench *b, const figure *f, const pair_params *params, void (*software)(bench *), void *arg)
{
    return bench_open(b, f, params) ? -1 : bench_software(b, software, arg);
}

void bench_close(bench *b)
{
    pair_free(b->p);
    b->p = NULL;
}

void bench_fail(bench *b, const char *what, const char *why)
{
    snprintf(b->error, sizeof b->error, "%s: %s", what, why);
    sim_fail(b->p->s, "%s", b->error);
}

enum { FLOOD_BYTES = 1 << 18 };

/* Uses its own node only: nodes may run in windows. */
static void flood_task(void *arg)
{
    flood *d = arg;
    node *from = d->b->p->node[d->from];
    nx_ticket ticket;
    while (!d->stop)
        if (nx_transfer(from->dev, !d->from, d->source, (uint32_t)d->destination, FLOOD_BYTES, 0, &ticket)) {
            bench_fail(d->b, from->name, nx_last_error(from->dev));
            return;
        }
    if (nx_drain(from->dev, !d->from)) bench_fail(d->b, from->name, nx_last_error(from->dev));
}

void flood_start(flood *d, bench *b, int from)
{
    node *n = b->p->node[from], *to = b->p->node[!from];
    *d = (flood){.b = b, .from = from};
    d->source = n->platform.alloc(n, FLOOD_BYTES, 4096);
    d->destination = to->platform.alloc(to, FLOOD_BYTES, 4096);
    for (uint64_t at = 0; at < FLOOD_BYTES; at += 8)
        memory_put64(host_memory(n->host), d->source + at, sim_random(n->s), 0xff);
    d->task = sim_task_new_in(n->group, from ? "flood from 1" : "flood from 0", flood_task, d);
}

void flood_end(flood *d)
{
    d->stop = 1;
    sim_join(d->task);
}

const char *figures_synthesis = "build";

static char notes[1024];

void figure_note(const char *format, ...)
{
    size_t used = strlen(notes);
    va_list args;
    va_start(args, format);
    vsnprintf(notes + used, sizeof notes - used, format, args);
    va_end(args);
}

int figure_within(char sense, double limit, double value)
{
    return sense == '<' ? value <= limit : sense == '>' ? value >= limit : 1;
}

void figure_limit(char sense, double limit, char *text, size_t size)
{
    if (sense) snprintf(text, size, "%s %g", sense == '<' ? "<=" : ">=", limit);
    else snprintf(text, size, "report");
}

/* Measures one row and adds it to the table and the list: 0 good, 1 not. */
static int run_one(const figure *f, uint64_t seed, FILE *t, json_t *list)
{
    const char *documents = f->documents ? f->documents : "-";
    double value = NAN;
    char limit[32], command[96];
    *notes = '\0';
    int failed = f->measure(f, seed, &value) != 0;
    int met = !failed && figure_within(f->sense, f->limit, value), good = met || (!failed && f->else_see);
    figure_limit(f->sense, f->limit, limit, sizeof limit);
    snprintf(command, sizeof command, "make figures FIGURE=%s", f->name);
    const char *verdict = failed ? "NOT MEASURED" : met ? "" : good ? "over: see " : "MISSED";
    fprintf(t, "%s\t%s\t%s\t%.*f\t%s\t%s%s\n", f->name, f->unit, documents, value < 10 ? 2 : 1, failed ? NAN : value,
            limit, verdict, !failed && !met && good ? f->else_see : "");
    fputs(notes, stdout);
    fflush(stdout);
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", f->name, "unit", f->unit, "documents", documents,
                            "limit", limit, "command", command);
    json_object_set_new(row, "value", failed ? json_null() : json_real(value));
    if (*notes) json_object_set_new(row, "notes", json_string(notes));
    json_array_append_new(list, row);
    return !good;
}

int figures_run(const char *only, uint64_t seed, const char *json, const sim_config *chip, const nic_kind *nics,
                const char *synthesis)
{
    figures_chip = chip;
    figures_nics = nics;
    figures_synthesis = synthesis;
    const figure *const parts[] = {figures_dma, figures_nic,    figures_link,    figures_paths,
                                   figures_voq, figures_switch, figures_forward, figures_coherent,
                                   figures_cni, figures_sync,   figures_size,    figures_speed};
    json_t *list = json_array();
    int bad = 0;
    unsigned done = 0;
    FILE *t = text_table(stdout, 1, "<33 figure\t<10 unit\t>12 documents\t>9 ours\t<8 limit");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (const figure *f = parts[i]; f->name; f++)
            if ((!only || !strcmp(only, f->name)) && (!f->nic || nic_kind_of(figures_nics, f->nic)) &&
                !sim_interrupted()) {
                bad |= run_one(f, seed, t, list);
                done++;
            }
    fclose(t);
    if (!done) {
        fprintf(stderr, "nicxbar-sim: --figures %s: no such figure; there are:", only);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            for (const figure *f = parts[i]; f->name; f++) fprintf(stderr, " %s", f->name);
        fprintf(stderr, "\n");
        json_decref(list);
        return 2;
    }
    if (results_write(list, json)) return 1;
    printf("%s: %u figures in %s\n", sim_interrupted() ? "INTERRUPTED" : bad ? "MISSED" : "GOOD", done, json);
    return sim_interrupted() ? 130 : bad;
}
