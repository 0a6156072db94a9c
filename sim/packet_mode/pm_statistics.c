#include "pm_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

enum { HISTOGRAM = 1 << 17 };

typedef struct sums {
    double n, sum, squares, words, weighted;
    uint32_t *histogram; /* of clocks; the last place for all above */
} sums;

typedef struct batch {
    double n, sum, words, weighted, ideal, ideal_weighted, backlog;
} batch;

struct pm_statistics {
    unsigned ports;
    uint64_t from, to, words;
    sums all, shorter, longer, ideally, voq, crosspoint, reassembly, of_flow[PM_PORTS][PM_PORTS];
    double words_out[PM_PORTS][PM_PORTS];
    batch batch[PM_BATCHES];
};

/* ---- sums ---- */

static void add(sums *s, double delay, double words)
{
    s->n++;
    s->sum += delay;
    s->squares += delay * delay;
    s->words += words;
    s->weighted += delay * words;
    if (s->histogram) s->histogram[delay < HISTOGRAM - 1 ? (unsigned)delay : HISTOGRAM - 1]++;
}

static pm_delays delays_of(const sums *s)
{
    pm_delays d = {.packets = (uint64_t)s->n, .mean_ci = NAN};
    double count = 0;
    unsigned k = 0;
    if (!s->n) return d;
    d.mean = s->sum / s->n / PM_UNIT;
    d.weighted = s->weighted / s->words / PM_UNIT;
    d.deviation = sqrt(fmax(0, s->squares / s->n - s->sum / s->n * (s->sum / s->n))) / PM_UNIT;
    while (s->histogram && k < HISTOGRAM - 1 && (count += s->histogram[k]) < 0.99 * s->n) k++;
    d.p99 = (double)k / PM_UNIT;
    return d;
}

/* ---- what is counted ---- */

pm_statistics *pm_statistics_new(unsigned ports, uint64_t from, uint64_t to)
{
    pm_statistics *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->ports = ports;
    s->from = from;
    s->to = to;
    sums *with[] = {&s->all, &s->shorter, &s->longer, &s->ideally};
    for (unsigned k = 0; k < 4; k++)
        if (!(with[k]->histogram = calloc(HISTOGRAM, sizeof(uint32_t)))) {
            pm_statistics_free(s);
            return NULL;
        }
    return s;
}

void pm_statistics_free(pm_statistics *s)
{
    if (!s) return;
    free(s->all.histogram);
    free(s->shorter.histogram);
    free(s->longer.histogram);
    free(s->ideally.histogram);
    free(s);
}

int pm_statistics_in_window(const pm_statistics *s, uint64_t clock)
{
    return clock >= s->from && clock < s->to;
}

static batch *batch_at(pm_statistics *s, uint64_t clock)
{
    return &s->batch[(clock - s->from) * PM_BATCHES / (s->to - s->from)];
}

void pm_statistics_ideal(pm_statistics *s, uint64_t first, unsigned words, double delay)
{
    batch *b = batch_at(s, first);
    add(&s->ideally, delay, words);
    b->ideal += delay;
    b->ideal_weighted += delay * words;
}

void pm_statistics_packet(pm_statistics *s, const pm_left *p)
{
    batch *b = batch_at(s, p->first);
    double words = p->words;
    add(&s->all, p->delay, words);
    add(p->words <= PM_UNIT ? &s->shorter : &s->longer, p->delay, words);
    if (p->ideal >= 0) pm_statistics_ideal(s, p->first, p->words, p->ideal);
    add(&s->of_flow[p->input][p->output], p->delay, words);
    add(&s->voq, p->voq, words);
    add(&s->crosspoint, p->crosspoint, words);
    add(&s->reassembly, p->reassembly, words);
    b->n++;
    b->sum += p->delay;
    b->words += words;
    b->weighted += p->delay * words;
}

void pm_statistics_word(pm_statistics *s, unsigned input, unsigned output)
{
    s->words_out[input][output]++;
    s->words++;
}

void pm_statistics_backlog(pm_statistics *s, uint64_t clock, double words)
{
    batch_at(s, clock)->backlog = words;
}

/* ---- intervals ---- */

/* Batches whose means depend on their neighbours are merged. */
static unsigned merged(batch *b, unsigned n, int weighted)
{
    while (n >= 10) {
        double mean = 0, both = 0, own = 0, y[PM_BATCHES];
        for (unsigned k = 0; k < n; k++) {
            y[k] = weighted ? b[k].weighted / fmax(1, b[k].words) : b[k].sum / fmax(1, b[k].n);
            mean += y[k] / n;
        }
        for (unsigned k = 0; k < n; k++) {
            own += (y[k] - mean) * (y[k] - mean);
            if (k) both += (y[k] - mean) * (y[k - 1] - mean);
        }
        if (both <= 0.3 * own) break;
        for (unsigned k = 0; k < n / 2; k++) {
            batch *to = &b[k], x = b[2 * k], y2 = b[2 * k + 1];
            *to = (batch){x.n + y2.n,         x.sum + y2.sum,
                          x.words + y2.words, x.weighted + y2.weighted,
                          x.ideal + y2.ideal, x.ideal_weighted + y2.ideal_weighted,
                          y2.backlog};
        }
        n /= 2;
    }
    return n;
}

/* Mean of the batches in units, plain and at the ideal's long-run mean on the line through (ideal, delay). */
static void interval(const pm_statistics *s, int weighted, double ideal, double *plain_ci, double *cv, double *cv_ci)
{
    batch b[PM_BATCHES];
    double x[PM_BATCHES], y[PM_BATCHES];
    unsigned n;
    memcpy(b, s->batch, sizeof b);
    n = merged(b, PM_BATCHES, weighted);
    for (unsigned k = 0; k < n; k++) {
        double count = fmax(1, weighted ? b[k].words : b[k].n);
        y[k] = (weighted ? b[k].weighted : b[k].sum) / count / PM_UNIT;
        x[k] = (weighted ? b[k].ideal_weighted : b[k].ideal) / count / PM_UNIT;
    }
    statistics_mean(y, n, plain_ci);
    *cv = statistics_line(x, y, n, ideal, cv_ci);
}

/* The backlog grows over the window, by more than chance and by more than a longest packet per line. */
static int grows(const pm_statistics *s)
{
    double t[PM_BATCHES], y[PM_BATCHES], end_ci, start_ci, end, start;
    for (unsigned k = 0; k < PM_BATCHES; k++) {
        t[k] = k;
        y[k] = s->batch[k].backlog;
    }
    start = statistics_line(t, y, PM_BATCHES, 0, &start_ci);
    end = statistics_line(t, y, PM_BATCHES, PM_BATCHES - 1, &end_ci);
    return end - start > 2 * (end_ci + start_ci) && end - start > 1024.0 * s->ports;
}

/* ---- results ---- */

void pm_statistics_results(const pm_statistics *s, const pm_traffic *t, int priority, int waiting, pm_result *out)
{
    double window = (double)(s->to - s->from) * s->ports;
    int saturated = t->process == PM_SATURATED && priority != 1;
    out->throughput = (double)s->words / window;
    out->offered = s->all.words / window;
    out->unstable = !saturated && (waiting || grows(s));
    out->all = delays_of(&s->all);
    out->shorter = delays_of(&s->shorter);
    out->longer = delays_of(&s->longer);
    out->ideal = delays_of(&s->ideally);
    if (!saturated) {
        if (pm_ideal_long_run(t, 50 * (s->to - s->from), priority, &out->ideal_long_mean, &out->ideal_long_weighted))
            out->error = "memory is exhausted";
        out->ideal_long_mean /= PM_UNIT;
        out->ideal_long_weighted /= PM_UNIT;
    }
    interval(s, 0, out->ideal_long_mean, &out->all.mean_ci, &out->mean_cv, &out->mean_cv_ci);
    interval(s, 1, out->ideal_long_weighted, &out->weighted_ci, &out->weighted_cv, &out->weighted_cv_ci);
    if (s->all.n) {
        out->in_voq = s->voq.sum / s->all.n / PM_UNIT;
        out->in_crosspoint = s->crosspoint.sum / s->all.n / PM_UNIT;
        out->in_reassembly = s->reassembly.sum / s->all.n / PM_UNIT;
        out->weighted_voq = s->voq.weighted / s->all.words / PM_UNIT;
        out->weighted_crosspoint = s->crosspoint.weighted / s->all.words / PM_UNIT;
        out->weighted_reassembly = s->reassembly.weighted / s->all.words / PM_UNIT;
    }
    out->least_flow = INFINITY;
    for (unsigned i = 0; i < s->ports; i++)
        for (unsigned o = 0; o < s->ports; o++) {
            const sums *f = &s->of_flow[i][o];
            out->share[i][o] = s->words ? s->words_out[i][o] / (double)s->words : 0;
            if (!f->n) continue;
            out->least_flow = fmin(out->least_flow, f->sum / f->n / PM_UNIT);
            out->most_flow = fmax(out->most_flow, f->sum / f->n / PM_UNIT);
        }
}
