#include "pm_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* Delays by clocks up to FINE, and by 64 clocks above. */
enum { FINE = 1 << 16, COARSE = 1 << 17, HISTOGRAM = FINE + COARSE };

typedef struct sums {
    double n, sum, squares, words, weighted;
    uint32_t *histogram; /* the last place for all above */
} sums;

struct pm_statistics {
    unsigned ports, windows;
    uint64_t from, clocks, words; /* clocks: of one window */
    sums all, shorter, longer, ideally, voq, crosspoint, reassembly, of_flow[PM_PORTS][PM_PORTS];
    double words_out[PM_PORTS][PM_PORTS];
    batch_sums batch[PM_MEASURES][BATCHES_MOST];
    double backlog[BATCHES_MOST]; /* at the ends of the batches */
};

const char *const pm_measure_names[PM_MEASURES] = {"mean", "weighted", "shorter", "longer", "reassembly", "throughput"};

/* ---- sums ---- */

static unsigned place_of(double delay)
{
    if (delay < FINE) return (unsigned)delay;
    delay = FINE + (delay - FINE) / PM_UNIT;
    return delay < HISTOGRAM - 1 ? (unsigned)delay : HISTOGRAM - 1;
}

static void add(sums *s, double delay, double words)
{
    s->n++;
    s->sum += delay;
    s->squares += delay * delay;
    s->words += words;
    s->weighted += delay * words;
    if (s->histogram) s->histogram[place_of(delay)]++;
}

static pm_delays delays_of(const sums *s)
{
    pm_delays d = {.packets = (uint64_t)s->n};
    double count = 0;
    unsigned k = 0;
    if (!s->n) return d;
    d.words = s->words / s->n;
    d.mean = s->sum / s->n / PM_UNIT;
    d.weighted = s->weighted / s->words / PM_UNIT;
    d.deviation = sqrt(fmax(0, s->squares / s->n - s->sum / s->n * (s->sum / s->n))) / PM_UNIT;
    while (s->histogram && k < HISTOGRAM - 1 && (count += s->histogram[k]) < 0.99 * s->n) k++;
    d.p99 = k < FINE ? (double)k / PM_UNIT : k < HISTOGRAM - 1 ? FINE / PM_UNIT + k - FINE : NAN;
    return d;
}

/* ---- what is counted ---- */

pm_statistics *pm_statistics_new(unsigned ports, uint64_t from, uint64_t clocks)
{
    pm_statistics *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->ports = ports;
    s->from = from;
    s->clocks = clocks;
    s->windows = 1;
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

int pm_statistics_prolong(pm_statistics *s)
{
    if (s->windows > PM_PROLONGED) return -1;
    s->windows++;
    return 0;
}

uint64_t pm_statistics_end(const pm_statistics *s)
{
    return s->from + s->windows * s->clocks;
}

int pm_statistics_in_window(const pm_statistics *s, uint64_t clock)
{
    return clock >= s->from && clock < pm_statistics_end(s);
}

static unsigned batch_at(const pm_statistics *s, uint64_t clock)
{
    return (unsigned)((clock - s->from) * PM_BATCHES / s->clocks);
}

static void put(batch_sums *b, double count, double delay)
{
    b->count += count;
    b->sum += count * delay / PM_UNIT;
}

void pm_statistics_ideal(pm_statistics *s, uint64_t first, unsigned words, double delay)
{
    unsigned b = batch_at(s, first);
    double units = delay / PM_UNIT;
    add(&s->ideally, delay, words);
    s->batch[PM_MEAN][b].control += units;
    s->batch[PM_WEIGHTED][b].control += words * units;
    s->batch[words > PM_UNIT ? PM_LONGER : PM_SHORTER][b].control += units;
    if (words > PM_UNIT) s->batch[PM_REASSEMBLY][b].control += units;
}

void pm_statistics_packet(pm_statistics *s, const pm_left *p)
{
    unsigned b = batch_at(s, p->first);
    double words = p->words;
    int longer = p->words > PM_UNIT;
    add(&s->all, p->delay, words);
    add(longer ? &s->longer : &s->shorter, p->delay, words);
    if (p->ideal >= 0) pm_statistics_ideal(s, p->first, p->words, p->ideal);
    add(&s->of_flow[p->input][p->output], p->delay, words);
    add(&s->voq, p->voq, words);
    add(&s->crosspoint, p->crosspoint, words);
    add(&s->reassembly, p->reassembly, words);
    put(&s->batch[PM_MEAN][b], 1, p->delay);
    put(&s->batch[PM_WEIGHTED][b], words, p->delay);
    put(&s->batch[longer ? PM_LONGER : PM_SHORTER][b], 1, p->delay);
    if (longer) put(&s->batch[PM_REASSEMBLY][b], 1, p->reassembly);
}

void pm_statistics_word(pm_statistics *s, unsigned input, unsigned output)
{
    s->words_out[input][output]++;
    s->words++;
}

void pm_statistics_backlog(pm_statistics *s, uint64_t clock, double words)
{
    unsigned b = batch_at(s, clock);
    s->backlog[b] = words;
    s->batch[PM_THROUGHPUT][b].count += s->ports;
    s->batch[PM_THROUGHPUT][b].sum = (double)s->words; /* so far; see throughput */
}

/* Words that left in each batch. */
static void throughput(const pm_statistics *s, batch_sums *b)
{
    double before = 0;
    for (unsigned k = 0; k < s->windows * PM_BATCHES; k++) {
        b[k] = s->batch[PM_THROUGHPUT][k];
        b[k].sum -= before;
        before += b[k].sum;
    }
}

/* A line through the backlog at the ends of the batches goes up by more than its interval. What is above the line stays so for some time:
 * as long as neighbours depend on each other two become one, or chance would seem smaller than it is. Where the window has been prolonged
 * its second half counts: in heavy traffic the switch fills slowly. */
int pm_statistics_grows(const pm_statistics *s)
{
    double t[BATCHES_MOST] = {0}, y[BATCHES_MOST] = {0}, end_ci, start_ci, end, start, unused;
    batch_sums off[BATCHES_MOST];
    unsigned all = s->windows * PM_BATCHES, n = s->windows > 1 ? all / 2 : all;
    for (unsigned k = 0; k < n; k++) {
        t[k] = k;
        y[k] = s->backlog[all - n + k];
    }
    const double last = n - 1;
    for (;;) {
        start = statistics_line(t, y, n, 0, &start_ci);
        end = statistics_line(t, y, n, last, &end_ci);
        for (unsigned k = 0; k < n; k++) off[k] = (batch_sums){1, y[k] - statistics_line(t, y, n, t[k], &unused), 0};
        if (n < 10 || batches_correlation(off, n) <= 0.3) break;
        n /= 2;
        for (unsigned k = 0; k < n; k++) {
            t[k] = (t[2 * k] + t[2 * k + 1]) / 2;
            y[k] = (y[2 * k] + y[2 * k + 1]) / 2;
        }
    }
    return end - start > end_ci + start_ci && end - start > 1024.0 * s->ports;
}

batches_mean pm_statistics_mean(const pm_statistics *s, pm_measure m, const pm_ideal_means *ideal)
{
    batch_sums b[BATCHES_MOST];
    double of[PM_MEASURES] = {NAN, NAN, NAN, NAN, NAN, NAN}, ci[PM_MEASURES] = {0};
    if (m == PM_THROUGHPUT) throughput(s, b);
    if (ideal) {
        of[PM_MEAN] = ideal->mean;
        of[PM_WEIGHTED] = ideal->weighted;
        of[PM_SHORTER] = ideal->shorter;
        of[PM_LONGER] = of[PM_REASSEMBLY] = ideal->longer;
        ci[PM_MEAN] = ideal->mean_ci;
        ci[PM_WEIGHTED] = ideal->weighted_ci;
        ci[PM_SHORTER] = ideal->shorter_ci;
        ci[PM_LONGER] = ci[PM_REASSEMBLY] = ideal->longer_ci;
    }
    return batches_get(m == PM_THROUGHPUT ? b : s->batch[m], s->windows * PM_BATCHES, of[m] / PM_UNIT, ci[m] / PM_UNIT);
}

/* ---- results ---- */

/* Of a switch that does not carry its load, delays are those of the time that it was watched for. */
static void forget_delays(pm_result *out)
{
    pm_delays *const of[] = {&out->all, &out->shorter, &out->longer, &out->ideal};
    double *const means[] = {&out->in_voq,       &out->in_crosspoint,       &out->in_reassembly,       &out->least_flow,
                             &out->weighted_voq, &out->weighted_crosspoint, &out->weighted_reassembly, &out->most_flow};
    for (unsigned k = 0; k < 4; k++) of[k]->mean = of[k]->weighted = of[k]->p99 = of[k]->deviation = NAN;
    for (unsigned k = 0; k < 8; k++) *means[k] = NAN;
    for (pm_measure m = 0; m < PM_THROUGHPUT; m++) {
        out->measure[m] = (batches_mean){NAN, NAN, NAN, NAN, out->measure[m].batches, 0};
        memset(out->batch[m], 0, sizeof out->batch[m]);
    }
}

void pm_statistics_results(const pm_statistics *s, const pm_ideal_means *ideal, pm_result *out)
{
    double window = (double)(s->windows * s->clocks) * s->ports;
    out->windows = s->windows;
    out->throughput = (double)s->words / window;
    out->offered = s->all.words / window;
    out->all = delays_of(&s->all);
    out->shorter = delays_of(&s->shorter);
    out->longer = delays_of(&s->longer);
    out->ideal = delays_of(&s->ideally);
    if (ideal) out->long_run = *ideal;
    memcpy(out->batch, s->batch, sizeof out->batch);
    throughput(s, out->batch[PM_THROUGHPUT]);
    for (pm_measure m = 0; m < PM_MEASURES; m++) out->measure[m] = pm_statistics_mean(s, m, ideal);
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
    if (out->unstable) forget_delays(out);
}
