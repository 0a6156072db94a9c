#include "sim/app/nicxbar/scenario_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "sim/core/kernel/text_table.h"

double scenario_unfairness(const scenario_row *row, unsigned nodes, int bytes)
{
    double worst = NAN;
    for (unsigned i = 0; i < nodes; i++)
        if (row->fair[i].largest_bytes > 0)
            worst = fmax(isnan(worst) ? 0 : worst, bytes ? row->fair[i].bytes : row->fair[i].packets);
    return worst;
}

static void offered(const scenario_params *p, char *text, size_t size)
{
    if (p->pattern.kind->traits & PATTERN_ANSWERS) snprintf(text, size, "one packet in play");
    else if (p->poisson) snprintf(text, size, "Poisson arrivals, load %g", p->pattern.load);
    else snprintf(text, size, "saturated");
}

/* Half of a confidence interval, if there is one. */
static const char *ci_text(double half, int digits, char text[16])
{
    if (isnan(half)) return " ";
    snprintf(text, 16, "+-%5.*f", digits, half);
    return text;
}

/* A matrix of more than one flow. */
static void flows(const scenario *x, const scenario_row *row, FILE *f)
{
    unsigned nodes = x->f->nodes, count = 0;
    for (unsigned to = 0; to < nodes; to++)
        count += (unsigned)__builtin_popcount(pattern_senders_to(&x->params.pattern, to));
    if (count < 2) return;
    char text[48];
    fprintf(f, "\npayload [MiB/s] of each flow, %s bytes\n", scenario_size_text(&row->sizes, text, sizeof text));
    char columns[16 + 12 * FABRIC_NODES];
    int length = sprintf(columns, "from \\ to");
    for (unsigned to = 0; to < nodes; to++) length += sprintf(columns + length, "\t>6 %u", to);
    sprintf(columns + length, "\t>6 sum");
    FILE *t = text_table(f, 0, columns);
    double column[FABRIC_NODES] = {0}, all = 0;
    for (unsigned from = 0; from < nodes; from++) {
        double sum = 0;
        fprintf(t, "%u", from);
        for (unsigned to = 0; to < nodes; to++) {
            double rate = row->flow[from][to].mib_per_s;
            fprintf(t, "\t%.1f", pattern_senders_to(&x->params.pattern, to) >> from & 1 ? rate : NAN);
            sum += rate;
            column[to] += rate;
        }
        fprintf(t, "\t%.1f\n", sum);
        all += sum;
    }
    fprintf(t, "sum");
    for (unsigned to = 0; to < nodes; to++) fprintf(t, "\t%.1f", column[to]);
    fprintf(t, "\t%.1f\n", all);
    fclose(t);
}

static void overloaded(FILE *f, const scenario_row *row)
{
    char text[48];
    if (!row->backlog.overloaded) return;
    fprintf(f,
            "%s bytes: overloaded. The backlog of hosts and NICs grows by %.1f +-%.1f MiB/s; latency depends on the "
            "length of the run.\n",
            scenario_size_text(&row->sizes, text, sizeof text), row->backlog.growth, row->backlog.growth_ci);
}

void paths_table(const paths_report *p, FILE *f)
{
    if (!p->links) return;
    FILE *t = text_table(f, 0, "<path\tpackets\tshare [%]\tuse [%]");
    fputs("\n", f);
    for (unsigned l = 0; l < p->links; l++)
        fprintf(t, "%u\t%" PRIu64 "\t%.2f\t%.1f\n", l, p->path[l].packets, 100 * p->path[l].share,
                100 * p->path[l].use);
    fclose(t);
    fprintf(f,
            "reordering: a packet was ahead of the oldest one due by %u in the median, %u at most; %" PRIu64
            " headers lost, %" PRIu64 " late\n",
            p->depth_median, p->depth_most, p->lost, p->late);
}

void scenario_paths_line(const scenario *x, FILE *f)
{
    const paths_report *p = &x->paths;
    if (!p->links) return;
    fprintf(f, "    paths:");
    for (unsigned l = 0; l < p->links; l++)
        fprintf(f, " %" PRIu64 " (%.1f %%, in use %.1f %%)", p->path[l].packets, 100 * p->path[l].share,
                100 * p->path[l].use);
    fprintf(f, "; ahead %u, at most %u; %" PRIu64 " lost, %" PRIu64 " late\n", p->depth_median, p->depth_most, p->lost,
            p->late);
}

void scenario_table(const scenario *x, FILE *f)
{
    const scenario_params *p = &x->params;
    char who[96], load[64], text[48], half[16], columns[128];
    int ping_pong = (p->pattern.kind->traits & PATTERN_ANSWERS) != 0, unsent = 0;
    offered(p, load, sizeof load);
    fprintf(f, "\n%s: %s; %s\n", p->pattern.kind->name, pattern_sentence(p->pattern.kind, &p->pattern, who, sizeof who),
            load);
    snprintf(columns, sizeof columns,
             "<bytes\tpackets\tpackets/s\toffered\tpayload [MiB/s]\t<\tlatency\tmean\t<\tmedian\tp99 [ns]\t%s",
             ping_pong ? "round trip [ns]" : "unfairness [%]");
    FILE *t = text_table(f, 0, columns);
    for (unsigned i = 0; i < x->rows; i++) {
        const scenario_row *r = &x->row[i];
        fprintf(t, "%s\t%" PRIu64 "\t%.0f\t%.1f\t%.1f\t%s", scenario_size_text(&r->sizes, text, sizeof text),
                r->all.packets, r->all.packets_per_s, p->poisson ? r->backlog.offered : NAN, r->all.mib_per_s,
                ci_text(r->all.mib_per_s_ci, 1, half));
        fprintf(t, "\t%.0f\t%.0f\t%s\t%.0f\t%.0f\t", r->all.latency_min, r->all.latency_mean,
                ci_text(r->all.latency_mean_ci, 0, half), r->all.latency_median, r->all.latency_p99);
        double packets = scenario_unfairness(r, x->f->nodes, 0), bytes = scenario_unfairness(r, x->f->nodes, 1);
        if (ping_pong && r->round_trips) fprintf(t, "%.0f", r->round_trip_median);
        else if (!isnan(packets)) fprintf(t, "%.2f, %.2f", 100 * packets, 100 * bytes);
        fprintf(t, "\t%s%s\n", r->backlog.overloaded ? "overloaded" : "", r->complete ? "" : "  (stopped)");
        unsent |= r->unsent > 0;
    }
    fclose(t);
    for (unsigned i = 0; i < x->rows; i++) overloaded(f, &x->row[i]);
    if (!ping_pong && x->rows && x->f->nodes <= 8) flows(x, &x->row[x->rows - 1], f);
    paths_table(&x->paths, f);
    if (p->poisson)
        fprintf(f,
                "Unfairness is of saturated senders: with Poisson arrivals chance says how many packets each has.\n");
    if (unsent) fprintf(f, "More packets arrived at the hosts than the system took: \"unsent\" in the JSON file.\n");
    fprintf(f, "%" PRIu64 " packets, %" PRIu64 " words of payload and %" PRIu64 " notifications compared",
            x->counts.landed, x->counts.words, x->counts.notifications);
    if (x->counts.lost || x->counts.damaged)
        fprintf(f, "; %" PRIu64 " packets lost, %" PRIu64 " damaged", x->counts.lost, x->counts.damaged);
    fprintf(f, "%s%s\n", *x->error ? ": " : "", x->error);
}

/* ---- JSON ---- */

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *result_json(const statistics_result *r)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o, s:o, s:o}}", "packets",
                     (json_int_t)r->packets, "payload_bytes", (json_int_t)r->bytes, "packets_per_s",
                     number(r->packets_per_s), "packets_per_s_ci95", number(r->packets_per_s_ci), "payload_mib_per_s",
                     number(r->mib_per_s), "payload_mib_per_s_ci95", number(r->mib_per_s_ci), "latency_ns", "packets",
                     (json_int_t)r->timed, "min", number(r->latency_min), "median", number(r->latency_median), "p99",
                     number(r->latency_p99), "max", number(r->latency_max), "mean", number(r->latency_mean),
                     "mean_ci95", number(r->latency_mean_ci));
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
            json_array_append_new(fair, json_pack("{s:i, s:f, s:f, s:f, s:f}", "to", (int)to, "packets",
                                                  row->fair[to].packets, "bytes", row->fair[to].bytes,
                                                  "smallest_share_of_bytes", row->fair[to].smallest_bytes,
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
                            json_pack("{s:I, s:f, s:f, s:f}", "round_trips", (json_int_t)row->round_trips, "min",
                                      row->round_trip_min, "median", row->round_trip_median, "p99",
                                      row->round_trip_p99));
    return all;
}

json_t *paths_json(const paths_report *p)
{
    json_t *list = json_array();
    for (unsigned l = 0; l < p->links; l++)
        json_array_append_new(list, json_pack("{s:i, s:I, s:f, s:f}", "path", (int)l, "packets",
                                              (json_int_t)p->path[l].packets, "share", p->path[l].share, "use",
                                              p->path[l].use));
    return json_pack("{s:o, s:i, s:i, s:I, s:I}", "paths", list, "depth_median", (int)p->depth_median, "depth_most",
                     (int)p->depth_most, "headers_lost", (json_int_t)p->lost, "headers_late", (json_int_t)p->late);
}

json_t *scenario_json(const scenario *x)
{
    const scenario_params *p = &x->params;
    char who[96];
    json_t *rows = json_array();
    for (unsigned i = 0; i < x->rows; i++) json_array_append_new(rows, row_json(x, &x->row[i]));
    json_t *all =
        json_pack("{s:b, s:s, s:s, s:s, s:i, s:s, s:o}", "good", x->good, "error", x->error, "scenario",
                  p->pattern.kind->name, "who", pattern_sentence(p->pattern.kind, &p->pattern, who, sizeof who),
                  "nodes", (int)x->f->nodes, "switch", x->f->chip.model ? x->f->chip.kind->name : "none", "rows", rows);
    const char *arrivals = p->pattern.kind->traits & PATTERN_ANSWERS ? "one in play"
                           : p->poisson                              ? "poisson"
                                                                     : "saturated";
    json_object_set_new(all, "arrivals", json_string(arrivals));
    if (p->poisson) json_object_set_new(all, "load", json_real(p->pattern.load));
    if (x->paths.links) json_object_set_new(all, "reordering", paths_json(&x->paths));
    json_object_set_new(all, "checked",
                        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "made", (json_int_t)x->counts.made, "landed",
                                  (json_int_t)x->counts.landed, "lost", (json_int_t)x->counts.lost, "damaged",
                                  (json_int_t)x->counts.damaged, "notifications", (json_int_t)x->counts.notifications,
                                  "flagged", (json_int_t)x->counts.flagged, "payload_words",
                                  (json_int_t)x->counts.words));
    return all;
}
