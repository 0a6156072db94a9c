#include "sim/app/nicxbar/scenario_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

double scenario_unfairness(const scenario_row *row, unsigned nodes, int bytes)
{
    double worst = NAN;
    for (unsigned i = 0; i < nodes; i++)
        if (row->fair[i].largest_bytes > 0) worst = fmax(isnan(worst) ? 0 : worst, bytes ? row->fair[i].bytes : row->fair[i].packets);
    return worst;
}

static void offered(const scenario_params *p, char *text, size_t size)
{
    if (p->pattern.kind->traits & PATTERN_ANSWERS) snprintf(text, size, "one packet in play");
    else if (p->poisson) snprintf(text, size, "Poisson arrivals, load %g", p->pattern.load);
    else snprintf(text, size, "saturated");
}

static void print_ci(FILE *f, double value, double half)
{
    if (isnan(half)) fprintf(f, " %8.1f        ", value);
    else fprintf(f, " %8.1f +-%5.1f", value, half);
}

static void latencies(FILE *f, const statistics_result *r)
{
    if (!r->timed) {
        fprintf(f, " %9s %9s        %9s %9s", "-", "-", "-", "-");
        return;
    }
    fprintf(f, " %9.0f %9.0f", r->latency_min, r->latency_mean);
    if (isnan(r->latency_mean_ci)) fprintf(f, "        ");
    else fprintf(f, " +-%5.0f", r->latency_mean_ci);
    fprintf(f, " %9.0f %9.0f", r->latency_median, r->latency_p99);
}

/* A matrix of more than one flow. */
static void flows(const scenario *x, const scenario_row *row, FILE *f)
{
    unsigned nodes = x->f->nodes, count = 0;
    for (unsigned to = 0; to < nodes; to++) count += (unsigned)__builtin_popcount(pattern_senders_to(&x->params.pattern, to));
    if (count < 2) return;
    char text[48];
    fprintf(f, "\npayload [MiB/s] of each flow, %s bytes\nfrom \\ to", scenario_size_text(&row->sizes, text, sizeof text));
    for (unsigned to = 0; to < nodes; to++) fprintf(f, " %7u", to);
    fprintf(f, "     sum\n");
    double column[FABRIC_NODES] = {0}, all = 0;
    for (unsigned from = 0; from < nodes; from++) {
        double sum = 0;
        fprintf(f, "%9u", from);
        for (unsigned to = 0; to < nodes; to++) {
            double rate = row->flow[from][to].mib_per_s;
            if (pattern_senders_to(&x->params.pattern, to) >> from & 1) fprintf(f, " %7.1f", rate);
            else fprintf(f, "       -");
            sum += rate;
            column[to] += rate;
        }
        fprintf(f, " %7.1f\n", sum);
        all += sum;
    }
    fprintf(f, "      sum");
    for (unsigned to = 0; to < nodes; to++) fprintf(f, " %7.1f", column[to]);
    fprintf(f, " %7.1f\n", all);
}

static void overloaded(FILE *f, const scenario_row *row)
{
    char text[48];
    if (!row->backlog.overloaded) return;
    fprintf(f,
            "%s bytes: overloaded. The backlog of hosts and NICs grows by %.1f +-%.1f MiB/s; latency depends on the length of the run.\n",
            scenario_size_text(&row->sizes, text, sizeof text), row->backlog.growth, row->backlog.growth_ci);
}

void paths_table(const paths_report *p, FILE *f)
{
    if (!p->links) return;
    fprintf(f, "\n%-12s %8s %10s %8s\n", "path", "packets", "share [%]", "use [%]");
    for (unsigned l = 0; l < p->links; l++)
        fprintf(f, "%-12u %8" PRIu64 " %10.2f %8.1f\n", l, p->path[l].packets, 100 * p->path[l].share, 100 * p->path[l].use);
    fprintf(f,
            "reordering: a packet was ahead of the oldest one due by %u in the median, %u at most; %" PRIu64 " headers lost, %" PRIu64
            " late\n",
            p->depth_median, p->depth_most, p->lost, p->late);
}

void scenario_paths_line(const scenario *x, FILE *f)
{
    const paths_report *p = &x->paths;
    if (!p->links) return;
    fprintf(f, "    paths:");
    for (unsigned l = 0; l < p->links; l++)
        fprintf(f, " %" PRIu64 " (%.1f %%, in use %.1f %%)", p->path[l].packets, 100 * p->path[l].share, 100 * p->path[l].use);
    fprintf(f, "; ahead %u, at most %u; %" PRIu64 " lost, %" PRIu64 " late\n", p->depth_median, p->depth_most, p->lost, p->late);
}

void scenario_table(const scenario *x, FILE *f)
{
    const scenario_params *p = &x->params;
    char who[96], load[64], text[48];
    int ping_pong = (p->pattern.kind->traits & PATTERN_ANSWERS) != 0, unsent = 0;
    offered(p, load, sizeof load);
    fprintf(f, "\n%s: %s; %s\n", p->pattern.kind->name, pattern_sentence(p->pattern.kind, &p->pattern, who, sizeof who), load);
    fprintf(f, "%-12s %8s %10s %8s %16s %9s %9s        %9s %9s", "bytes", "packets", "packets/s", "offered", "payload [MiB/s]", "latency",
            "mean", "median", "p99 [ns]");
    fprintf(f, ping_pong ? " %16s\n" : " %16s\n", ping_pong ? "round trip [ns]" : "unfairness [%]");
    for (unsigned i = 0; i < x->rows; i++) {
        const scenario_row *r = &x->row[i];
        fprintf(f, "%-12s %8" PRIu64 " %10.0f", scenario_size_text(&r->sizes, text, sizeof text), r->all.packets, r->all.packets_per_s);
        if (p->poisson) fprintf(f, " %8.1f", r->backlog.offered);
        else fprintf(f, " %8s", "-");
        print_ci(f, r->all.mib_per_s, r->all.mib_per_s_ci);
        latencies(f, &r->all);
        double packets = scenario_unfairness(r, x->f->nodes, 0), bytes = scenario_unfairness(r, x->f->nodes, 1);
        if (ping_pong && r->round_trips) fprintf(f, " %16.0f", r->round_trip_median);
        else if (!isnan(packets)) fprintf(f, " %7.2f, %7.2f", 100 * packets, 100 * bytes);
        else fprintf(f, " %16s", "-");
        fprintf(f, "%s%s\n", r->backlog.overloaded ? "  overloaded" : "", r->complete ? "" : "  (stopped)");
        unsent |= r->unsent > 0;
    }
    for (unsigned i = 0; i < x->rows; i++) overloaded(f, &x->row[i]);
    if (!ping_pong && x->rows && x->f->nodes <= 8) flows(x, &x->row[x->rows - 1], f);
    paths_table(&x->paths, f);
    if (p->poisson) fprintf(f, "Unfairness is of saturated senders: with Poisson arrivals chance says how many packets each has.\n");
    if (unsent) fprintf(f, "More packets arrived at the hosts than the system took: \"unsent\" in the JSON file.\n");
    fprintf(f, "%" PRIu64 " packets, %" PRIu64 " words of payload and %" PRIu64 " notifications compared", x->counts.landed,
            x->counts.words, x->counts.notifications);
    if (x->counts.lost || x->counts.damaged)
        fprintf(f, "; %" PRIu64 " packets lost, %" PRIu64 " damaged", x->counts.lost, x->counts.damaged);
    fprintf(f, "%s%s\n", *x->error ? ": " : "", x->error);
}

/* ---- JSON ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *result_json(const statistics_result *r)
{
    int any = r->timed > 0;
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o, s:o, s:o}}", "packets", (json_int_t)r->packets,
                     "payload_bytes", (json_int_t)r->bytes, "packets_per_s", number(r->packets_per_s), "packets_per_s_ci95",
                     number(r->packets_per_s_ci), "payload_mib_per_s", number(r->mib_per_s), "payload_mib_per_s_ci95",
                     number(r->mib_per_s_ci), "latency_ns", "packets", (json_int_t)r->timed, "min", number(any ? r->latency_min : NAN),
                     "median", number(any ? r->latency_median : NAN), "p99", number(any ? r->latency_p99 : NAN), "max",
                     number(any ? r->latency_max : NAN), "mean", number(any ? r->latency_mean : NAN), "mean_ci95",
                     number(any ? r->latency_mean_ci : NAN));
}

static json_t *row_json(const scenario *x, const scenario_row *row)
{
    char text[48];
    json_t *flows = json_array(), *fair = json_array(), *all = result_json(&row->all);
    for (unsigned from = 0; from < x->f->nodes; from++)
        for (unsigned to = 0; to < x->f->nodes; to++)
            if (pattern_senders_to(&x->params.pattern, to) >> from & 1) {
                json_t *flow = result_json(&row->flow[from][to]);
                json_object_set_new(flow, "from", json_integer(from));
                json_object_set_new(flow, "to", json_integer(to));
                json_array_append_new(flows, flow);
            }
    for (unsigned to = 0; to < x->f->nodes; to++)
        if (row->fair[to].largest_bytes > 0)
            json_array_append_new(fair, json_pack("{s:i, s:f, s:f, s:f, s:f}", "to", (int)to, "packets", row->fair[to].packets, "bytes",
                                                  row->fair[to].bytes, "smallest_share_of_bytes", row->fair[to].smallest_bytes,
                                                  "largest_share_of_bytes", row->fair[to].largest_bytes));
    if (x->params.poisson) {
        json_object_set_new(all, "offered_mib_per_s", number(row->backlog.offered));
        json_object_set_new(all, "backlog_growth_mib_per_s", number(row->backlog.growth));
        json_object_set_new(all, "backlog_growth_mib_per_s_ci95", number(row->backlog.growth_ci));
        json_object_set_new(all, "overloaded", json_boolean(row->backlog.overloaded));
    }
    json_object_set_new(all, "sizes", json_string(scenario_size_text(&row->sizes, text, sizeof text)));
    json_object_set_new(all, "complete", json_boolean(row->complete));
    json_object_set_new(all, "window_us", json_real(1e-6 * (double)(row->to - row->from)));
    json_object_set_new(all, "packets_checked", json_integer((json_int_t)row->packets));
    json_object_set_new(all, "unsent", json_integer((json_int_t)row->unsent));
    json_object_set_new(all, "flows", flows);
    json_object_set_new(all, "unfairness", fair);
    if (row->round_trips)
        json_object_set_new(all, "round_trip_ns",
                            json_pack("{s:I, s:f, s:f, s:f}", "round_trips", (json_int_t)row->round_trips, "min", row->round_trip_min,
                                      "median", row->round_trip_median, "p99", row->round_trip_p99));
    return all;
}

json_t *paths_json(const paths_report *p)
{
    json_t *list = json_array();
    for (unsigned l = 0; l < p->links; l++)
        json_array_append_new(list, json_pack("{s:i, s:I, s:f, s:f}", "path", (int)l, "packets", (json_int_t)p->path[l].packets, "share",
                                              p->path[l].share, "use", p->path[l].use));
    return json_pack("{s:o, s:i, s:i, s:I, s:I}", "paths", list, "depth_median", (int)p->depth_median, "depth_most", (int)p->depth_most,
                     "headers_lost", (json_int_t)p->lost, "headers_late", (json_int_t)p->late);
}

json_t *scenario_json(const scenario *x)
{
    const scenario_params *p = &x->params;
    char who[96];
    json_t *rows = json_array();
    for (unsigned i = 0; i < x->rows; i++) json_array_append_new(rows, row_json(x, &x->row[i]));
    json_t *all = json_pack("{s:b, s:s, s:s, s:s, s:i, s:s, s:o}", "good", x->good, "error", x->error, "scenario", p->pattern.kind->name,
                            "who", pattern_sentence(p->pattern.kind, &p->pattern, who, sizeof who), "nodes", (int)x->f->nodes, "switch",
                            x->f->chip.model ? x->f->chip.kind->name : "none", "rows", rows);
    const char *arrivals = p->pattern.kind->traits & PATTERN_ANSWERS ? "one in play" : p->poisson ? "poisson" : "saturated";
    json_object_set_new(all, "arrivals", json_string(arrivals));
    if (p->poisson) json_object_set_new(all, "load", json_real(p->pattern.load));
    if (x->paths.links) json_object_set_new(all, "reordering", paths_json(&x->paths));
    json_object_set_new(all, "checked",
                        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "made", (json_int_t)x->counts.made, "landed",
                                  (json_int_t)x->counts.landed, "lost", (json_int_t)x->counts.lost, "damaged",
                                  (json_int_t)x->counts.damaged, "notifications", (json_int_t)x->counts.notifications, "flagged",
                                  (json_int_t)x->counts.flagged, "payload_words", (json_int_t)x->counts.words));
    return all;
}
