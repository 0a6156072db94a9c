/* What the hosts did, as a table and as JSON. */
#include <jansson.h>
#include <stdlib.h>

#include "block_private.h"

static const char *const operations[OPERATIONS] = {"", "read", "write", "flush", "discard", "write zeroes"};
static const char *const parts[PARTS] = {
    "waiting_for_a_place", "command_on_its_way", "at_the_target", "data_and_completion_on_their_way", "interrupt", "all"};

void block_count(host_seat *seat, const nx_block_request *r)
{
    const nx_block_times *t = &r->times;
    if (r->operation >= OPERATIONS) return;
    block_figures *g = &seat->figures[r->operation];
    g->requests++;
    if (r->status != NX_BLOCK_OK) {
        g->failed++;
        return;
    }
    g->bytes += r->length;
    g->sum[PART_PLACE] += (double)(t->placed - t->submitted);
    g->sum[PART_COMMAND] += (double)(t->taken - t->placed);
    g->sum[PART_TARGET] += (double)(t->answered - t->taken);
    g->sum[PART_BACK] += (double)(seat->landed[t->slot] - t->answered);
    g->sum[PART_INTERRUPT] += (double)(t->done - seat->landed[t->slot]);
    g->sum[PART_ALL] += (double)(t->done - t->submitted);
    if (g->latencies == g->room) {
        uint64_t room = g->room ? 2 * g->room : 1024;
        uint32_t *more = realloc(g->latency, room * sizeof *more);
        if (!more) return;
        g->latency = more;
        g->room = room;
    }
    g->latency[g->latencies++] = (uint32_t)(t->done - t->submitted);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* [us] of the part p of all, in order. */
static double at(const block_figures *g, double p)
{
    return g->latencies ? 1e-3 * g->latency[(uint64_t)(p * (double)(g->latencies - 1))] : 0;
}

static double mean(const block_figures *g, unsigned part)
{
    return g->latencies ? 1e-3 * g->sum[part] / (double)g->latencies : 0;
}

static double seconds(const block_service *s)
{
    return 1e-12 * (double)(sim_now(s->f->s) - s->began);
}

void block_service_report(const block_service *s, FILE *out)
{
    uint64_t recoveries = 0;
    fprintf(out, "%-18s %9s %9s %8s | %-31s | %s\n", "", "requests", "MiB", "MiB/s", "latency [us]", "of it, on average [us]");
    fprintf(out, "%-18s %9s %9s %8s | %7s %7s %7s %7s | %7s %7s %7s %7s %7s\n", "host, operation", "", "", "simul.", "min", "median", "p99",
            "max", "place", "command", "target", "back", "interr.");
    for (unsigned i = 1; i < s->nodes; i++)
        for (unsigned k = 1; k < OPERATIONS; k++) {
            const block_figures *g = &s->seat[i].figures[k];
            if (!g->requests) continue;
            qsort(g->latency, g->latencies, sizeof *g->latency, ascending);
            fprintf(out, "%-4u %-13s %9llu %9.2f %8.1f | %7.2f %7.2f %7.2f %7.2f | %7.2f %7.2f %7.2f %7.2f %7.2f", i, operations[k],
                    (unsigned long long)g->requests, (double)g->bytes / 1048576, (double)g->bytes / 1048576 / seconds(s), at(g, 0),
                    at(g, 0.5), at(g, 0.99), at(g, 1), mean(g, PART_PLACE), mean(g, PART_COMMAND), mean(g, PART_TARGET), mean(g, PART_BACK),
                    mean(g, PART_INTERRUPT));
            fprintf(out, g->failed ? "  %llu failed\n" : "\n", (unsigned long long)g->failed);
        }
    for (unsigned i = 0; i < s->nodes; i++) {
        uint64_t requests = 0;
        for (unsigned k = 1; k < OPERATIONS; k++)
            for (unsigned h = i ? i : 1; h < (i ? i + 1 : s->nodes); h++) requests += s->seat[h].figures[k].requests;
        if (i) recoveries += nx_block_get_counts(s->seat[i].disk).recoveries;
        if (requests)
            fprintf(out, "host %u: %.2f interrupts and %.2f sleeps for a request\n", i, (double)s->seat[i].interrupts / (double)requests,
                    (double)s->seat[i].sleeps / (double)requests);
    }
    fprintf(out, "%llu recoveries; %.3f ms simulated in %.1f s of wall time, and %.1f s standing still\n", (unsigned long long)recoveries,
            1e3 * seconds(s), s->running, s->standing);
    block_fault_print(s, out);
    fprintf(out, "rates and latencies are of simulated time; what a client prints (fio, nbdcopy) is of the clock on the wall\n");
}

static json_t *operation_json(const block_service *s, unsigned host, unsigned k)
{
    const block_figures *g = &s->seat[host].figures[k];
    json_t *means = json_object();
    qsort(g->latency, g->latencies, sizeof *g->latency, ascending);
    for (unsigned i = 0; i < PARTS; i++) json_object_set_new(means, parts[i], json_real(mean(g, i)));
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:{s:f, s:f, s:f, s:f}, s:o}", "operation", operations[k], "requests",
                     (json_int_t)g->requests, "failed", (json_int_t)g->failed, "bytes", (json_int_t)g->bytes, "mib_per_s",
                     (double)g->bytes / 1048576 / seconds(s), "latency_us", "min", at(g, 0), "median", at(g, 0.5), "p99", at(g, 0.99),
                     "max", at(g, 1), "mean_us", means);
}

struct json_t *block_service_json(const block_service *s)
{
    json_t *hosts = json_array();
    for (unsigned i = 0; i < s->nodes; i++) {
        json_t *done = json_array(), *losses = json_object();
        nx_block_counts c = {0};
        nx_block_target_counts t = {0};
        if (s->target) t = nx_block_target_get_counts(s->target);
        if (i) c = nx_block_get_counts(s->seat[i].disk);
        for (unsigned k = 1; k < OPERATIONS; k++)
            if (s->seat[i].figures[k].requests) json_array_append_new(done, operation_json(s, i, k));
        for (unsigned k = 0; k < 8; k++) {
            uint64_t lost = i ? c.losses[k] : t.losses[k];
            if (lost) json_object_set_new(losses, nx_block_loss_name(k), json_integer((json_int_t)lost));
        }
        json_array_append_new(hosts, json_pack("{s:i, s:s, s:I, s:I, s:I, s:o, s:o}", "host", (int)i, "role", i ? "initiator" : "target",
                                               "interrupts", (json_int_t)s->seat[i].interrupts, "sleeps", (json_int_t)s->seat[i].sleeps,
                                               "recoveries", (json_int_t)c.recoveries, "losses", losses, "operations", done));
    }
    return json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:o}", "image", s->p.image, "bytes", (json_int_t)s->disk.bytes, "seed",
                     (json_int_t)sim_seed(s->f->s), "simulated_ms", 1e3 * seconds(s), "wall_running_s", s->running, "wall_standing_s",
                     s->standing, "hosts", hosts);
}
