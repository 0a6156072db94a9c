/* A run and its result as JSON. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "sim/app/packet_mode/pm_setup.h"

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *delays_json(const pm_delays *d)
{
    return json_pack("{sI sf so so so so}", "packets", (json_int_t)d->packets, "words", d->words, "mean",
                     number(d->mean), "weighted", number(d->weighted), "p99", number(d->p99), "deviation",
                     number(d->deviation));
}

json_t *pm_setup_json(const pm_setup *s)
{
    json_t *all = json_pack("{ss si ss ss ss ss sf sf si sI sI sI}", "arch", s->arch, "ports", (int)s->ports, "sizes",
                            s->sizes, "pattern", s->pattern, "arrivals", s->arrivals, "cells", s->cells, "load",
                            s->load, "part", s->part, "hot", (int)s->hot, "clocks", (json_int_t)s->clocks, "warmup",
                            (json_int_t)(s->warmup == UINT64_MAX ? pm_setup_warmup(s->clocks) : s->warmup), "seed",
                            (json_int_t)s->seed);
    if (s->priorities == 2)
        json_object_update_new(all, json_pack("{si sf}", "priorities", 2, "high_load", s->high_load));
    if (s->multicast > 0)
        json_object_update_new(all, json_pack("{sf si ss* sb sb}", "multicast", s->multicast, "fanout",
                                              s->fanout ? (int)s->fanout : 4, "set", s->set, "copies", (int)s->copies,
                                              "split", (int)s->split));
    return all;
}

/* Means with their intervals. */
static json_t *measures_json(const pm_result *r)
{
    json_t *measures = json_object();
    for (pm_measure m = 0; m < PM_MEASURES; m++) {
        const batches_mean *b = &r->measure[m];
        json_object_set_new(measures, pm_measure_names[m],
                            json_pack("{so so so so si sb}", "mean", number(b->mean), "half_width",
                                      number(b->half_width), "controlled", number(b->controlled),
                                      "controlled_half_width", number(b->controlled_half_width), "batches",
                                      (int)b->batches, "dependent", b->dependent));
    }
    return measures;
}

/* Of all, or of the packets of a priority: delays and throughput alone. */
static json_t *results_json(const pm_result *r)
{
    const pm_ideal_means *l = &r->long_run;
    return json_pack(
        "{sb si so so so so so so so s{so so so so so so so so}}", "unstable", r->unstable, "windows", (int)r->windows,
        "offered", number(r->offered), "throughput", number(r->throughput), "all", delays_json(&r->all), "shorter",
        delays_json(&r->shorter), "longer", delays_json(&r->longer), "ideal", delays_json(&r->ideal), "measures",
        measures_json(r), "ideal_long_run", "mean", number(l->mean / PM_UNIT), "weighted",
        number(l->weighted / PM_UNIT), "shorter", number(l->shorter / PM_UNIT), "longer", number(l->longer / PM_UNIT),
        "mean_half_width", number(l->mean_ci / PM_UNIT), "weighted_half_width", number(l->weighted_ci / PM_UNIT),
        "shorter_half_width", number(l->shorter_ci / PM_UNIT), "longer_half_width", number(l->longer_ci / PM_UNIT));
}

json_t *pm_result_json(const pm_setup *s, const pm_result *r, const pm_result *priority)
{
    json_t *all = pm_setup_json(s), *shares = json_array(), *batches = json_object();
    for (unsigned i = 0; i < s->ports; i++) {
        json_t *row = json_array();
        for (unsigned k = 0; k < s->ports; k++) json_array_append_new(row, json_real(r->share[i][k]));
        json_array_append_new(shares, row);
    }
    for (pm_measure m = 0; m < PM_MEASURES; m++) {
        json_t *list = json_array();
        for (unsigned k = 0; k < r->windows * PM_BATCHES; k++)
            json_array_append_new(list,
                                  json_pack("[fff]", r->batch[m][k].count, r->batch[m][k].sum, r->batch[m][k].control));
        json_object_set_new(batches, pm_measure_names[m], list);
    }
    json_object_update_new(all, results_json(r));
    double share =
        strcmp(s->arch, "iq") && r->packets_of_segments ? (double)r->pairs / (double)r->packets_of_segments : NAN;
    json_object_update_new(
        all,
        json_pack("{s[ooo] s[ooo] s[oo] sI so sI sI sI sI sI sI si si si so so}", "parts", number(r->in_voq),
                  number(r->in_crosspoint), number(r->in_reassembly), "weighted_parts", number(r->weighted_voq),
                  number(r->weighted_crosspoint), number(r->weighted_reassembly), "flow_means", number(r->least_flow),
                  number(r->most_flow), "pairs", (json_int_t)r->pairs, "packet_mode_share", number(share), "cancelled",
                  (json_int_t)r->cancelled, "refused", (json_int_t)r->refused, "ended", (json_int_t)r->ended, "lone",
                  (json_int_t)r->lone, "dropped", (json_int_t)r->dropped, "longer_packets",
                  (json_int_t)r->packets_of_segments, "most_reassembly", (int)r->most_reassembly, "most_voq",
                  (int)r->most_voq, "most_crosspoint", (int)r->most_crosspoint, "shares", shares, "batches", batches));
    if (s->priorities == 2)
        json_object_update_new(
            all, json_pack("{so so}", "high", results_json(&priority[1]), "low", results_json(&priority[0])));
    return all;
}
