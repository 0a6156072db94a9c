#include "sim/app/figures/microbench.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/figures/micro.h"
#include "sim/core/kernel/results.h"
#include "sim/system/nodes/host_program.h"

enum { MOST_ARGUMENTS = 16 };
const char *const micro_hosts[MICRO_HOSTS] = {"server2004", "server2006"};
static const micro_benchmark *const all[] = {&micro_pcix, &micro_throughput, &micro_capacity, &micro_latency,
                                             &micro_distribution};
enum { COUNT = sizeof all / sizeof *all };

struct micro {
    const microbench_params *p;
    const char *benchmark;
    FILE *table;
    json_t *rows, *points, *last; /* last row */
    unsigned missed;
};

const char *micro_sizes(const micro *m, const char *otherwise) { return m->p->sizes ? m->p->sizes : otherwise; }

unsigned micro_links(const micro *m) { return m->p->nic ? (unsigned)sim_config_parameter(m->p->nic, "LINKS", 1) : 1; }

unsigned micro_nodes(const micro *m, unsigned most)
{
    unsigned ports = switch_ports(m->p->chip);
    return ports < most ? ports : most;
}

/* ---- a run ---- */

struct running {
    micro_run *r;
    host_program *program;
    FILE *said; /* by the program; for the user if it fails */
};

static void began(void *arg)
{
    struct running *x = arg;
    x->r->shared = host_program_shared(x->program);
    if (x->r->began) x->r->began(x->r);
}

static void print(void *arg, unsigned rank, const char *line)
{
    struct running *x = arg;
    fprintf(x->said, "%s, host %u: %s\n", x->r->program, rank, line);
}

static void on_figure(void *arg, unsigned rank, const char *name, double value, const char *unit)
{
    struct running *x = arg;
    (void)unit;
    if (x->r->figure) x->r->figure(x->r, rank, name, value);
}

int micro_run_program(const micro *m, const char *what, micro_run *r)
{
    char path[512], text[512], *argv[MOST_ARGUMENTS], *save;
    int argc = 0, result = -1;
    fabric_params p;
    fabric_params_default(&p, r->nodes ? r->nodes : 2, r->nodes ? m->p->chip : NULL);
    p.sim.seed = m->p->seed;
    for (unsigned i = 0; i < p.nodes; i++) {
        p.node[i].host = figure_host(micro_hosts[r->host]);
        const sim_config *nic = r->nodes || r->stamps ? m->p->monitored : m->p->nic;
        if (nic) p.node[i].nic = nic;
    }
    p.driver.payload_words = r->payload;
    p.driver.posting = r->posting;
    p.driver.tx_capacity = r->tx_capacity;
    snprintf(path, sizeof path, "%s/%s.so", m->p->programs, r->program);
    snprintf(text, sizeof text, "%s", r->arguments);
    for (char *word = strtok_r(text, " ", &save); word && argc < MOST_ARGUMENTS; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    char *said = NULL;
    size_t size;
    struct running x = {.r = r, .said = open_memstream(&said, &size)};
    r->f = x.said ? fabric_new(&p) : NULL;
    if (r->f)
        x.program = host_program_new(r->f, path, argc, argv, &(host_program_calls){&x, began, NULL, print, on_figure});
    if (x.program) {
        host_program_start(x.program);
        result = sim_run(r->f->s, SIM_FOREVER);
        if (result != SIM_OK)
            fprintf(stderr, "%s, %s, %s: %s\n", m->benchmark, what, micro_hosts[r->host], sim_error(r->f->s));
    }
    if (x.said) fclose(x.said);
    if (said && result != SIM_OK) fputs(said, stderr);
    free(said);
    if (r->ended) r->ended(r);
    host_program_free(x.program);
    fabric_free(r->f);
    r->f = NULL;
    return result == SIM_OK ? 0 : -1;
}

/* ---- results ---- */

void micro_put(micro *m, const micro_row *row, const double value[MICRO_HOSTS])
{
    micro_put_beyond(m, row, value, NULL);
}

void micro_put_beyond(micro *m, const micro_row *row, const double value[MICRO_HOSTS], const char *reason)
{
    int measured = !isnan(value[0]), met = !measured || figure_within(row->sense, row->limit, value[0]);
    char limit[32];
    figure_limit(row->sense, row->limit, limit, sizeof limit);
    fprintf(m->table, "%s\t%s\t%s", row->name, row->unit, row->documents ? row->documents : "");
    m->last = json_pack("{s:s, s:s, s:s, s:s, s:s}", "benchmark", m->benchmark, "name", row->name, "unit", row->unit,
                        "documents", row->documents ? row->documents : "-", "limit", limit);
    for (unsigned i = 0; i < MICRO_HOSTS; i++) {
        fprintf(m->table, "\t%.*f", fabs(value[i]) < 10 ? 2 : 1, value[i]);
        json_object_set_new(m->last, micro_hosts[i], isnan(value[i]) ? json_null() : json_real(value[i]));
    }
    fprintf(m->table, "\t%s\t%s\n", limit, met ? measured ? "" : "not measured" : reason ? "beyond reach:" : "MISSED");
    if (row->counted) json_object_set_new(m->last, "counted", json_string(row->counted));
    json_object_set_new(m->last, "met", measured ? json_boolean(met) : json_null());
    json_array_append_new(m->rows, m->last);
    m->missed += !met && !reason;
    if (!met && reason) micro_note(m, "%s", reason);
    fflush(stdout);
}

void micro_note(micro *m, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("    %s\n", text);
    json_t *notes = json_object_get(m->last, "notes");
    if (!notes) json_object_set_new(m->last, "notes", notes = json_array());
    json_array_append_new(notes, json_string(text));
}

void micro_point(micro *m, const char *picture, const char *curve, double x, double y)
{
    json_array_append_new(m->points,
                          json_pack("{s:s, s:s, s:f, s:f}", "picture", picture, "curve", curve, "x", x, "y", y));
}

/* Where the counts of a benchmark's rows start and end. */
static void print_counted(const micro *m, const char *benchmark)
{
    size_t i;
    json_t *row;
    json_array_foreach(m->rows, i, row)
    {
        const char *counted = json_string_value(json_object_get(row, "counted"));
        if (counted && !strcmp(json_string_value(json_object_get(row, "benchmark")), benchmark))
            printf("  %s: %s\n", json_string_value(json_object_get(row, "name")), counted);
    }
}

int microbench_run(const microbench_params *p)
{
    micro m = {.p = p, .rows = json_array(), .points = json_array()};
    unsigned failed = 0;
    for (unsigned i = 0; i < COUNT && !sim_interrupted(); i++) {
        if (p->only ? strcmp(p->only, all[i]->name) : !p->chip && all[i] == &micro_distribution) continue;
        m.benchmark = all[i]->name;
        printf("%s%s: %s\n", i && !p->only ? "\n" : "", all[i]->name, all[i]->what);
        m.table = text_table(stdout, 1, "<53 \t<6 unit\t>12 documents\tserver2004\tserver2006\t<8 limit");
        failed += all[i]->run(&m) != 0;
        fclose(m.table);
        printf("Counted:\n");
        print_counted(&m, all[i]->name);
    }
    int stopped = sim_interrupted(), good = !failed && !m.missed && !stopped;
    json_t *file = json_pack("{s:b, s:I, s:I, s:o, s:o}", "good", good, "seed", (json_int_t)p->seed, "links",
                             (json_int_t)micro_links(&m), "rows", m.rows, "points", m.points);
    int unwritten = results_write(file, p->json);
    printf("%s: %s%s\n",
           stopped              ? "INTERRUPTED"
           : good && !unwritten ? "GOOD"
           : failed             ? "FAILED"
                                : "MISSED",
           unwritten ? "results not written" : "results in ", unwritten ? "" : p->json);
    return stopped ? 130 : !good || unwritten;
}
