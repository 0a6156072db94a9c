#include <jansson.h>
#include <limits.h>

#include "sim/app/linux/linux_world.h"
#include "sim/core/kernel/text_table.h"

void linux_report(const linux_world *w, FILE *out)
{
    FILE *t = text_table(
        out, 0,
        "<host\tconfig.\nreads\twrites\tregister\nreads\twrites\tof more\nthan 8 B\tfailed\tINTA#\nmessages\t"
        "bus\ntransactions\tMiB\texit\ncode\tjob");
    for (unsigned i = 0; i < w->guests; i++) {
        const linux_guest *g = &w->guest[i];
        const guest_bus_counts *c = guest_bus_get_counts(g->bus);
        const host_stats *s = host_get_stats(w->f->node[i]->host);
        fprintf(t, "%s\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%.3f", g->name,
                (unsigned long long)c->config_reads, (unsigned long long)c->config_writes, (unsigned long long)c->reads,
                (unsigned long long)c->writes, (unsigned long long)c->combined, (unsigned long long)c->failed,
                (unsigned long long)c->raised, (unsigned long long)s->transactions, (double)s->bytes / 1048576);
        fprintf(t, g->exit < 0 ? "\t-" : "\t%d", g->exit);
        fprintf(t, g->status < 0 ? "\t-\n" : "\t%d\n", g->status);
    }
    fclose(t);
    for (unsigned i = 0; i < w->guests; i++)
        if (*w->guest[i].bad) fprintf(out, "%s: %s\n", w->guest[i].name, w->guest[i].bad);
    linux_faults_print(&w->faults, out);
    fprintf(out,
            "guests' time %.3f ms: %.3f ms simulated, %.3f ms skipped in %llu jumps; %.1f s of wall time, %.1f s of it "
            "in the RTL\n",
            1e-6 * (double)w->skipped + 1e-9 * (double)w->simulated, 1e-9 * (double)w->simulated,
            1e-6 * (double)w->skipped, (unsigned long long)w->skips, sim_wall() - w->began, w->wall_running);
}

static json_t *guest_json(const linux_world *w, unsigned i)
{
    const linux_guest *g = &w->guest[i];
    const guest_bus_counts *c = guest_bus_get_counts(g->bus);
    const host_stats *s = host_get_stats(w->f->node[i]->host);
    return json_pack("{s:s, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "host", g->name, "exit",
                     g->exit, "status", g->status, "config_reads", (json_int_t)c->config_reads, "config_writes",
                     (json_int_t)c->config_writes, "register_reads", (json_int_t)c->reads, "register_writes",
                     (json_int_t)c->writes, "combined_writes", (json_int_t)c->combined, "failed", (json_int_t)c->failed,
                     "interrupt_messages", (json_int_t)c->raised, "bus_transactions", (json_int_t)s->transactions,
                     "bus_bytes", (json_int_t)s->bytes, "dropped", g->error, "bad_line", g->bad);
}

/* Rows of a table that the job of host1 has left, one a line: {"step": "copy", "ms": 1.5, ...}. */
static json_t *steps_json(const linux_world *w)
{
    char path[PATH_MAX], line[1000];
    json_t *steps = json_array();
    snprintf(path, sizeof path, "%s/steps", w->guest[0].folder);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) json_array_append_new(steps, json_loads(line, 0, NULL));
    if (f) fclose(f);
    return steps;
}

struct json_t *linux_json(const linux_world *w)
{
    json_t *guests = json_array();
    for (unsigned i = 0; i < w->guests; i++) json_array_append_new(guests, guest_json(w, i));
    return json_pack("{s:s, s:I, s:f, s:f, s:I, s:f, s:f, s:i, s:s, s:o, s:o, s:o}", "job", w->o.job, "seed",
                     (json_int_t)w->o.seed, "simulated_ms", 1e-9 * (double)w->simulated, "skipped_ms",
                     1e-6 * (double)w->skipped, "skips", (json_int_t)w->skips, "wall_s", sim_wall() - w->began,
                     "wall_rtl_s", w->wall_running, "code", w->code, "failure", w->failure, "faults",
                     linux_faults_json(&w->faults), "steps", steps_json(w), "guests", guests);
}
