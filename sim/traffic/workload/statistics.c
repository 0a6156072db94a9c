#include "sim/traffic/workload/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    uint64_t packets, bytes;
    uint64_t offered, lost; /* [bytes] */
    uint64_t timed;
    double latency; /* sum [ns] */
};

struct flow {
    uint64_t created, timed, lost; /* of the window */
    uint32_t *latency;             /* [ps / 100] */
    size_t room;
    struct batch batch[STATISTICS_BATCHES];
};

struct landing {
    sim_time at;
    unsigned from, bytes;
};

/* Of one receiver, in the order of time, from the opening of the window on. */
struct landings {
    struct landing *at;
    size_t count, room;
};

struct statistics {
    unsigned nodes, batches;
    sim_time from, to, batch_time;
    unsigned whole; /* batches that count for intervals */
    unsigned used;  /* batches that may have something in them */
    int growing;    /* the window is open: batches are joined when there are too many */
    struct flow *flow;
    sim_time word; /* on the link [ps], 0: not known */
    unsigned overhead;
    struct landings *landings; /* of each receiver */
};

enum { FIRST_BATCH = SIM_US /* of an open window, until batches are joined */ };
enum { LATENCY_UNIT = 100 /* [ps] of the stored samples: 0.4 s fit */ };
static const double MIB = 1 / (1024.0 * 1024.0);
enum { OVERLOADED = 3 /* standard errors by which growth is more than chance */ };

statistics *statistics_new(unsigned nodes, unsigned batches)
{
    statistics *st = calloc(1, sizeof *st);
    if (!st) return NULL;
    st->nodes = nodes;
    st->batches = batches;
    st->flow = calloc((size_t)nodes * nodes, sizeof *st->flow);
    st->landings = calloc(nodes, sizeof *st->landings);
    if (!st->flow || !st->landings) {
        free(st->flow);
        free(st->landings);
        free(st);
        return NULL;
    }
    return st;
}

void statistics_free(statistics *st)
{
    if (!st) return;
    for (unsigned i = 0; i < st->nodes * st->nodes; i++) free(st->flow[i].latency);
    for (unsigned i = 0; i < st->nodes; i++) free(st->landings[i].at);
    free(st->landings);
    free(st->flow);
    free(st);
}

void statistics_link(statistics *st, sim_time word, unsigned overhead)
{
    st->word = word;
    st->overhead = overhead;
}

void statistics_open(statistics *st, sim_time from, sim_time to)
{
    st->from = from;
    st->growing = to == SIM_FOREVER;
    st->batch_time = st->growing ? FIRST_BATCH : (to - from) / st->batches;
    if (!st->batch_time) st->batch_time = 1;
    st->to = st->growing ? SIM_FOREVER : from + st->batch_time * st->batches;
    st->used = st->growing ? STATISTICS_BATCHES : st->batches;
    st->whole = st->growing ? 0 : st->batches;
    for (unsigned i = 0; i < st->nodes; i++) st->landings[i].count = 0;
    for (unsigned i = 0; i < st->nodes * st->nodes; i++) {
        struct flow *f = &st->flow[i];
        uint32_t *latency = f->latency;
        size_t room = f->room;
        memset(f, 0, sizeof *f);
        f->latency = latency;
        f->room = room;
    }
}

static void add_batch(struct batch *sum, const struct batch *b)
{
    sum->packets += b->packets;
    sum->bytes += b->bytes;
    sum->offered += b->offered;
    sum->lost += b->lost;
    sum->timed += b->timed;
    sum->latency += b->latency;
}

/* Two batches become one, of each flow. */
static void join_batches(statistics *st)
{
    for (unsigned i = 0; i < st->nodes * st->nodes; i++) {
        struct batch *b = st->flow[i].batch;
        for (unsigned k = 0; k < STATISTICS_BATCHES / 2; k++) {
            b[k] = b[2 * k];
            add_batch(&b[k], &b[2 * k + 1]);
        }
        memset(b + STATISTICS_BATCHES / 2, 0, STATISTICS_BATCHES / 2 * sizeof *b);
    }
    st->batch_time *= 2;
}

/* The batch of a time in the window. */
static unsigned batch_at(statistics *st, sim_time t)
{
    while (st->growing && (t - st->from) / st->batch_time >= STATISTICS_BATCHES) join_batches(st);
    return (unsigned)((t - st->from) / st->batch_time);
}

void statistics_cut(statistics *st, sim_time now)
{
    if (st->growing && now <= st->from) st->to = st->from;
    if (now >= st->to || now <= st->from) return;
    if (st->growing) {
        batch_at(st, now);
        while (st->batch_time * 2 * st->batches <= now - st->from) join_batches(st);
    }
    st->growing = 0;
    st->to = now;
    st->whole = (unsigned)((now - st->from) / st->batch_time);
}

static struct flow *flow_at(const statistics *st, unsigned from, unsigned to)
{
    return &st->flow[from * st->nodes + to];
}

static int inside(const statistics *st, sim_time t) { return t >= st->from && t < st->to; }

void statistics_created(statistics *st, unsigned from, unsigned to, sim_time created)
{
    if (inside(st, created)) flow_at(st, from, to)->created++;
}

void statistics_offered(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time arrived)
{
    if (inside(st, arrived)) flow_at(st, from, to)->batch[batch_at(st, arrived)].offered += bytes;
}

void statistics_lost(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time created, sim_time when)
{
    if (inside(st, when)) flow_at(st, from, to)->batch[batch_at(st, when)].lost += bytes;
    if (inside(st, created)) flow_at(st, from, to)->lost++;
}

/* Room for one more of `size` bytes. */
static void *grown(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * size);
    if (!array) {
        fprintf(stderr, "statistics: out of memory\n");
        exit(1);
    }
    return array;
}

void statistics_landed(statistics *st, unsigned from, unsigned to, unsigned bytes, sim_time created, sim_time landed)
{
    struct flow *f = flow_at(st, from, to);
    struct landings *l = &st->landings[to];
    if (st->word && landed >= st->from) {
        l->at = grown(l->at, l->count, &l->room, sizeof *l->at);
        l->at[l->count++] = (struct landing){landed, from, bytes};
    }
    if (inside(st, landed)) {
        struct batch *b = &f->batch[batch_at(st, landed)];
        b->packets++;
        b->bytes += bytes;
    }
    if (inside(st, created)) {
        struct batch *b = &f->batch[batch_at(st, created)];
        f->latency = grown(f->latency, f->timed, &f->room, sizeof *f->latency);
        f->latency[f->timed++] = (uint32_t)((landed - created) / LATENCY_UNIT);
        b->timed++;
        b->latency += 1e-3 * (double)(landed - created);
    }
}

uint64_t statistics_open_packets(const statistics *st)
{
    uint64_t open = 0;
    for (unsigned i = 0; i < st->nodes * st->nodes; i++)
        open += st->flow[i].created - st->flow[i].timed - st->flow[i].lost;
    return open;
}

/* ---- results ---- */

static double student(unsigned degrees)
{
    /* 97.5 % quantiles of Student's t for 1..30 degrees of freedom; beyond, the first terms of its expansion about the
     * normal one */
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                               2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return degrees <= 30 ? t[degrees - 1] : 1.95996 + 2.3722 / degrees;
}

double statistics_mean(const double *value, unsigned n, double *half_width)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < n; i++) sum += value[i];
    double mean = n ? sum / n : 0;
    *half_width = NAN;
    if (n < 2) return mean;
    for (unsigned i = 0; i < n; i++) squares += (value[i] - mean) * (value[i] - mean);
    *half_width = student(n - 1) * sqrt(squares / (n - 1) / n);
    return mean;
}

double statistics_line(const double *x, const double *y, unsigned n, double at, double *half_width)
{
    double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0, errors = 0;
    for (unsigned i = 0; i < n; i++) {
        mean_x += x[i] / n;
        mean_y += y[i] / n;
    }
    for (unsigned i = 0; i < n; i++) {
        sxx += (x[i] - mean_x) * (x[i] - mean_x);
        sxy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    double slope = sxx > 0 ? sxy / sxx : 0, off = at - mean_x;
    *half_width = NAN;
    if (n < 3) return mean_y + slope * off;
    for (unsigned i = 0; i < n; i++) errors += pow(y[i] - mean_y - slope * (x[i] - mean_x), 2);
    *half_width = student(n - 2) * sqrt(errors / (n - 2) * (1.0 / n + (sxx > 0 ? off * off / sxx : 0)));
    return mean_y + slope * off;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct sum {
    struct batch batch[STATISTICS_BATCHES];
    uint32_t *latency;
    size_t timed;
};

static void add(struct sum *s, const struct flow *f)
{
    for (unsigned i = 0; i < STATISTICS_BATCHES; i++) {
        add_batch(&s->batch[i], &f->batch[i]);
    }
    if (!f->timed) return;
    s->latency = realloc(s->latency, (s->timed + f->timed) * sizeof *s->latency);
    if (!s->latency) {
        fprintf(stderr, "statistics: out of memory\n");
        exit(1);
    }
    memcpy(s->latency + s->timed, f->latency, f->timed * sizeof *s->latency);
    s->timed += f->timed;
}

static void latencies(const struct sum *s, const statistics *st, statistics_result *out)
{
    double means[STATISTICS_BATCHES], sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < st->used; i++) {
        sum += s->batch[i].latency;
        if (i < st->whole && s->batch[i].timed) means[n++] = s->batch[i].latency / (double)s->batch[i].timed;
    }
    out->timed = s->timed;
    statistics_mean(means, n, &out->latency_mean_ci);
    out->latency_min = out->latency_median = out->latency_p99 = out->latency_max = out->latency_mean = NAN;
    if (!s->timed) return;
    const double unit = 1e-3 * LATENCY_UNIT;
    out->latency_mean = sum / (double)s->timed;
    qsort(s->latency, s->timed, sizeof *s->latency, compare);
    out->latency_min = unit * s->latency[0];
    out->latency_median = unit * s->latency[s->timed / 2];
    out->latency_p99 = unit * s->latency[(s->timed * 99 - 1) / 100];
    out->latency_max = unit * s->latency[s->timed - 1];
}

/* Traffic over the link of a receiver within the window, from one sender or all. */
static void add_carried(const statistics *st, int from, unsigned to, double *packets, double *bytes)
{
    const struct landings *l = &st->landings[to];
    double begin = INFINITY, first = (double)st->from, last = (double)st->to;
    for (size_t i = l->count; i-- > 0;) {
        const struct landing *p = &l->at[i];
        double time = (double)st->word * (p->bytes / 4 + st->overhead), end = fmin((double)p->at, begin);
        begin = end - time;
        double part = (fmin(end, last) - fmax(begin, first)) / time;
        if (end <= first) break;
        if (part <= 0 || (from != STATISTICS_ALL && (unsigned)from != p->from)) continue;
        *packets += part;
        *bytes += part * p->bytes;
    }
}

void statistics_get(const statistics *st, int from, int to, statistics_result *out)
{
    struct sum s = {0};
    for (unsigned i = 0; i < st->nodes; i++)
        for (unsigned k = 0; k < st->nodes; k++)
            if ((from == STATISTICS_ALL || from == (int)i) && (to == STATISTICS_ALL || to == (int)k))
                add(&s, flow_at(st, i, k));
    *out = (statistics_result){0};
    double rate[STATISTICS_BATCHES], mib[STATISTICS_BATCHES];
    double batch_s = 1e-12 * (double)st->batch_time, window_s = 1e-12 * (double)(st->to - st->from);
    for (unsigned i = 0; i < st->used; i++) {
        out->packets += s.batch[i].packets;
        out->bytes += s.batch[i].bytes;
        rate[i] = (double)s.batch[i].packets / batch_s;
        mib[i] = MIB * (double)s.batch[i].bytes / batch_s;
    }
    statistics_mean(rate, st->whole, &out->packets_per_s_ci);
    statistics_mean(mib, st->whole, &out->mib_per_s_ci);
    double packets = 0, bytes = 0;
    for (unsigned k = 0; k < st->nodes && st->word; k++)
        if (to == STATISTICS_ALL || to == (int)k) add_carried(st, from, k, &packets, &bytes);
    if (window_s > 0) {
        out->packets_per_s = (st->word ? packets : (double)out->packets) / window_s;
        out->mib_per_s = MIB * (st->word ? bytes : (double)out->bytes) / window_s;
    }
    latencies(&s, st, out);
    free(s.latency);
}

statistics_backlog statistics_get_backlog(const statistics *st, double load)
{
    double offered[STATISTICS_BATCHES], growth[STATISTICS_BATCHES], arrived = 0;
    double batch_s = 1e-12 * (double)st->batch_time, window_s = 1e-12 * (double)(st->to - st->from);
    statistics_backlog b = {0};
    for (unsigned i = 0; i < st->used; i++) {
        struct batch sum = {0};
        for (unsigned k = 0; k < st->nodes * st->nodes; k++) add_batch(&sum, &st->flow[k].batch[i]);
        arrived += MIB * (double)sum.offered;
        offered[i] = MIB * (double)sum.offered / batch_s;
        growth[i] = MIB * ((double)sum.offered - (double)sum.bytes - (double)sum.lost) / batch_s;
    }
    if (window_s > 0) b.offered = arrived / window_s;
    b.growth = statistics_line(offered, growth, st->whole, load, &b.growth_ci);
    b.overloaded = st->whole > 2 && b.growth > OVERLOADED / student(st->whole - 2) * b.growth_ci;
    return b;
}

statistics_fairness statistics_fair(const statistics *st, unsigned to, uint32_t senders)
{
    statistics_fairness f = {.smallest_bytes = 1};
    uint64_t packets = 0, bytes = 0;
    unsigned n = 0;
    statistics_result r[32];
    for (unsigned i = 0; i < st->nodes; i++) {
        if (!(senders >> i & 1)) continue;
        statistics_get(st, (int)i, (int)to, &r[n]);
        packets += r[n].packets;
        bytes += r[n++].bytes;
    }
    if (!packets) return (statistics_fairness){0};
    for (unsigned i = 0; i < n; i++) {
        double share = (double)r[i].bytes / (double)bytes;
        f.packets = fmax(f.packets, fabs((double)r[i].packets * n / (double)packets - 1));
        f.bytes = fmax(f.bytes, fabs(share * n - 1));
        f.smallest_bytes = fmin(f.smallest_bytes, share);
        f.largest_bytes = fmax(f.largest_bytes, share);
    }
    return f;
}
