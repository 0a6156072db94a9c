/* Requests and rates of the hosts, as a table and as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "sim/app/disk/disk_private.h"
#include "sim/core/kernel/text_table.h"

static const char *const operations[OPERATIONS] = {"", "read", "write", "flush", "discard", "write zeroes"};
static const char *const parts[PARTS] = {"waiting_for_a_place", "command_on_its_way",
                                         "at_the_target",       "data_and_completion_on_their_way",
                                         "interrupt",           "all"};

/* A latency is counted in one of 2048 columns of its power of two, so it is known to 0.05 %. */
enum { FINE = 11, COLUMNS = (33 - FINE) << FINE };

static unsigned column_of(uint32_t ns)
{
    unsigned coarse = 0;
    while (ns >> coarse >= 2u << FINE) coarse++;
    return (coarse << FINE) + (ns >> coarse);
}

/* The middle of a column. */
static double of_column(unsigned column)
{
    const unsigned coarse = column < 2u << FINE ? 0 : (column >> FINE) - 1;
    return ((double)(column - (coarse << FINE)) + 0.5) * (double)(1u << coarse) - 0.5;
}

void disk_count(host_seat *seat, const nx_disk_request *r)
{
    const nx_disk_times *t = &r->times;
    const uint64_t all = t->done - t->submitted;
    const uint32_t ns = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
    if (r->operation >= OPERATIONS) return;
    disk_figures *g = &seat->figures[r->operation];
    g->requests++;
    if (r->status != NX_DISK_OK) {
        g->failed++;
        return;
    }
    g->bytes += r->length;
    if (r->operation == NX_DISK_READ || r->operation == NX_DISK_WRITE) seat->moved += r->length;
    g->sum[PART_PLACE] += (double)(t->placed - t->submitted);
    g->sum[PART_COMMAND] += (double)(t->taken - t->placed);
    g->sum[PART_TARGET] += (double)(t->answered - t->taken);
    g->sum[PART_BACK] += (double)(seat->landed[t->slot] - t->answered);
    g->sum[PART_INTERRUPT] += (double)(t->done - seat->landed[t->slot]);
    g->sum[PART_ALL] += (double)all;
    if (!g->good++ || ns < g->least) g->least = ns;
    if (ns > g->most) g->most = ns;
    if (!g->latencies) g->latencies = calloc(COLUMNS, sizeof *g->latencies);
    if (g->latencies) g->latencies[column_of(ns)]++;
}

/* [us] of the part p of all, in order. */
static double at(const disk_figures *g, double p)
{
    uint64_t rank = g->good ? (uint64_t)(p * (double)(g->good - 1)) : 0;
    unsigned column = 0;
    if (!g->good || rank == 0) return 1e-3 * g->least;
    if (rank == g->good - 1 || !g->latencies) return 1e-3 * g->most;
    while (g->latencies[column] <= rank) rank -= g->latencies[column++];
    return 1e-3 * fmax(g->least, fmin(g->most, of_column(column)));
}

static double mean(const disk_figures *g, unsigned part) { return g->good ? 1e-3 * g->sum[part] / (double)g->good : 0; }

static double seconds(const disk_service *s) { return 1e-12 * (double)(sim_now(s->f->s) - s->began); }

void disk_service_report(const disk_service *s, FILE *out)
{
    uint64_t recoveries = 0;
    FILE *t = text_table(
        out, 0,
        "<host,\t<operation\trequests\tMiB\tMiB/s\nsimul.\t<|\n|\tlatency [us]\nmin\tmedian\tp99\tmax\t<|\n|\t"
        "of it, on average [us]\nplace\tcommand\ttarget\tback\tinterr.");
    for (unsigned i = 1; i < s->nodes; i++)
        for (unsigned k = 1; k < OPERATIONS; k++) {
            const disk_figures *g = &s->seat[i].figures[k];
            if (!g->requests) continue;
            fprintf(t, "%u\t%s\t%llu\t%.2f\t%.1f\t|\t%.2f\t%.2f\t%.2f\t%.2f\t|\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", i,
                    operations[k], (unsigned long long)g->requests, (double)g->bytes / 1048576,
                    (double)g->bytes / 1048576 / seconds(s), at(g, 0), at(g, 0.5), at(g, 0.99), at(g, 1),
                    mean(g, PART_PLACE), mean(g, PART_COMMAND), mean(g, PART_TARGET), mean(g, PART_BACK),
                    mean(g, PART_INTERRUPT));
            fprintf(t, g->failed ? "\t%llu failed\n" : "\n", (unsigned long long)g->failed);
        }
    fclose(t);
    for (unsigned i = 0; i < s->nodes; i++) {
        uint64_t requests = 0;
        for (unsigned k = 1; k < OPERATIONS; k++)
            for (unsigned h = i ? i : 1; h < (i ? i + 1 : s->nodes); h++) requests += s->seat[h].figures[k].requests;
        if (i) recoveries += nx_disk_get_counts(s->seat[i].disk).recoveries;
        if (requests)
            fprintf(out, "host %u: %.2f interrupts and %.2f sleeps for a request\n", i,
                    (double)s->seat[i].interrupts / (double)requests, (double)s->seat[i].sleeps / (double)requests);
    }
    fprintf(out, "%llu recoveries; %.3f ms simulated in %.1f s of wall time, and %.1f s stopped\n",
            (unsigned long long)recoveries, 1e3 * seconds(s), s->running, s->standing);
    disk_fault_print(s, out);
    fprintf(out, "rates and latencies are in simulated time; those that a client prints (fio, nbdcopy) are in "
                 "wall-clock time\n");
}

static json_t *operation_json(const disk_service *s, unsigned host, unsigned k)
{
    const disk_figures *g = &s->seat[host].figures[k];
    json_t *means = json_object();
    for (unsigned i = 0; i < PARTS; i++) json_object_set_new(means, parts[i], json_real(mean(g, i)));
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:{s:f, s:f, s:f, s:f}, s:o}", "operation", operations[k], "requests",
                     (json_int_t)g->requests, "failed", (json_int_t)g->failed, "bytes", (json_int_t)g->bytes,
                     "mib_per_s", (double)g->bytes / 1048576 / seconds(s), "latency_us", "min", at(g, 0), "median",
                     at(g, 0.5), "p99", at(g, 0.99), "max", at(g, 1), "mean_us", means);
}

struct json_t *disk_service_json(const disk_service *s)
{
    json_t *hosts = json_array();
    for (unsigned i = 0; i < s->nodes; i++) {
        json_t *done = json_array(), *losses = json_object();
        nx_disk_counts c = {0};
        nx_disk_target_counts t = {0};
        if (s->target) t = nx_disk_target_get_counts(s->target);
        if (i) c = nx_disk_get_counts(s->seat[i].disk);
        for (unsigned k = 1; k < OPERATIONS; k++)
            if (s->seat[i].figures[k].requests) json_array_append_new(done, operation_json(s, i, k));
        for (unsigned k = 0; k < 8; k++) {
            uint64_t lost = i ? c.losses[k] : t.losses[k];
            if (lost) json_object_set_new(losses, nx_disk_loss_name(k), json_integer((json_int_t)lost));
        }
        json_array_append_new(
            hosts, json_pack("{s:i, s:s, s:I, s:I, s:I, s:o, s:o}", "host", (int)i, "role", i ? "initiator" : "target",
                             "interrupts", (json_int_t)s->seat[i].interrupts, "sleeps", (json_int_t)s->seat[i].sleeps,
                             "recoveries", (json_int_t)c.recoveries, "losses", losses, "operations", done));
    }
    return json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:o}", "image", s->p.image, "bytes", (json_int_t)s->disk.bytes,
                     "seed", (json_int_t)sim_seed(s->f->s), "simulated_ms", 1e3 * seconds(s), "wall_running_s",
                     s->running, "wall_standing_s", s->standing, "hosts", hosts);
}
