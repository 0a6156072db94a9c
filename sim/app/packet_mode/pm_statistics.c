#include "sim/app/packet_mode/pm_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/workload/statistics.h"

/* Delays by clocks up to FINE, and by 64 clocks above. */
enum { FINE = 1 << 16, COARSE = 1 << 17, HISTOGRAM = FINE + COARSE };

typedef struct sums {
    double n, sum, squares, words, weighted;
    uint32_t *histogram; /* the last place for all above */
} sums;

enum { ALL, SHORTER, LONGER, IDEALLY, HISTOGRAMS, VOQ = HISTOGRAMS, CROSSPOINT, REASSEMBLY, SUMS };

typedef struct part {
    sums of[SUMS], of_flow[PM_PORTS][PM_PORTS];
    uint64_t words, words_out[PM_PORTS][PM_PORTS], counts[PM_COUNTS];
} part;

struct pm_statistics {
    unsigned ports, windows, most;
    uint64_t from, clocks, words; /* clocks: of one window; words that have left, of both parts */
    part part[2];                 /* of the window; of its possible extension */
    batch_sums batch[PM_MEASURES][BATCHES_MOST];
    double backlog[BATCHES_MOST],
        ideally[BATCHES_MOST]; /* at the ends of the batches: in the switch, in the ideal one */
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

/* ---- counters ---- */

pm_statistics *pm_statistics_new(unsigned ports, uint64_t from, uint64_t clocks, unsigned most)
{
    pm_statistics *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (pm_statistics){.ports = ports, .from = from, .clocks = clocks, .windows = 1, .most = most};
    for (unsigned k = 0; k < 2 * HISTOGRAMS; k++)
        if (!(s->part[k % 2].of[k / 2].histogram = calloc(HISTOGRAM, sizeof(uint32_t)))) {
            pm_statistics_free(s);
            return NULL;
        }
    return s;
}

void pm_statistics_free(pm_statistics *s)
{
    if (!s) return;
    for (unsigned k = 0; k < 2 * HISTOGRAMS; k++) free(s->part[k % 2].of[k / 2].histogram);
    free(s);
}

static void move(sums *to, sums *from)
{
    uint32_t *histogram = from->histogram;
    to->n += from->n;
    to->sum += from->sum;
    to->squares += from->squares;
    to->words += from->words;
    to->weighted += from->weighted;
    for (unsigned k = 0; histogram && k < HISTOGRAM; k++) to->histogram[k] += histogram[k];
    if (histogram) memset(histogram, 0, HISTOGRAM * sizeof *histogram);
    *from = (sums){.histogram = histogram};
}

int pm_statistics_prolong(pm_statistics *s)
{
    part *to = &s->part[0], *from = &s->part[1];
    if (s->windows == s->most) return -1;
    s->windows++;
    for (unsigned k = 0; k < SUMS; k++) move(&to->of[k], &from->of[k]);
    to->words += from->words;
    from->words = 0;
    for (unsigned k = 0; k < PM_COUNTS; k++) to->counts[k] += from->counts[k], from->counts[k] = 0;
    for (unsigned i = 0; i < s->ports; i++)
        for (unsigned o = 0; o < s->ports; o++) {
            move(&to->of_flow[i][o], &from->of_flow[i][o]);
            to->words_out[i][o] += from->words_out[i][o];
            from->words_out[i][o] = 0;
        }
    return 0;
}

int pm_statistics_hopeless(const pm_statistics *s, double wide)
{
    return s->windows > 1 && isfinite(wide) && wide * sqrt((double)s->windows / s->most) > 2;
}

uint64_t pm_statistics_end(const pm_statistics *s) { return s->from + s->windows * s->clocks; }

int pm_statistics_part(const pm_statistics *s, uint64_t clock)
{
    uint64_t end = pm_statistics_end(s);
    if (clock < s->from || clock >= end + (s->windows < s->most ? s->clocks : 0)) return -1;
    return clock >= end;
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
    add(&s->part[pm_statistics_part(s, first)].of[IDEALLY], delay, words);
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
    part *to = &s->part[pm_statistics_part(s, p->first)];
    add(&to->of[ALL], p->delay, words);
    add(&to->of[longer ? LONGER : SHORTER], p->delay, words);
    if (p->ideal >= 0) pm_statistics_ideal(s, p->first, p->words, p->ideal);
    add(&to->of_flow[p->input][p->output], p->delay, words);
    add(&to->of[VOQ], p->voq, words);
    add(&to->of[CROSSPOINT], p->crosspoint, words);
    add(&to->of[REASSEMBLY], p->reassembly, words);
    put(&s->batch[PM_MEAN][b], 1, p->delay);
    put(&s->batch[PM_WEIGHTED][b], words, p->delay);
    put(&s->batch[longer ? PM_LONGER : PM_SHORTER][b], 1, p->delay);
    if (longer) put(&s->batch[PM_REASSEMBLY][b], 1, p->reassembly);
}

void pm_statistics_word(pm_statistics *s, uint64_t clock, unsigned input, unsigned output)
{
    part *to = &s->part[pm_statistics_part(s, clock)];
    to->words_out[input][output]++;
    to->words++;
    s->words++;
}

void pm_statistics_count(pm_statistics *s, uint64_t clock, pm_count what, unsigned n)
{
    s->part[pm_statistics_part(s, clock)].counts[what] += n;
}

void pm_statistics_backlog(pm_statistics *s, uint64_t clock, double words, pm_ideal *ideal)
{
    unsigned b = batch_at(s, clock);
    s->batch[PM_THROUGHPUT][b].count += s->ports;
    s->batch[PM_THROUGHPUT][b].sum = (double)s->words; /* so far; see throughput */
    if (batch_at(s, clock + 1) == b) return;
    s->backlog[b] = words;
    s->ideally[b] = pm_ideal_backlog(ideal, clock);
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

/* A line through the backlog at the ends of the batches goes up by more than its interval. What is above the line stays
 * so for some time: as long as neighbours depend on each other two become one, or chance would seem smaller than it is.
 * Where the window has been prolonged its second half counts: in heavy traffic the switch fills slowly. Then what goes
 * up and down with the backlog of the ideal switch is the luck of the arrivals, and taken off. */
int pm_statistics_grows(const pm_statistics *s, int overloaded)
{
    double t[BATCHES_MOST] = {0}, x[BATCHES_MOST] = {0}, y[BATCHES_MOST] = {0}, end_ci, start_ci, end, start, unused;
    batch_sums off[BATCHES_MOST];
    unsigned all = s->windows * PM_BATCHES, n = s->windows > 1 ? all / 2 : all;
    for (unsigned k = 0; k < n; k++) {
        t[k] = k;
        x[k] = s->ideally[all - n + k];
        y[k] = s->backlog[all - n + k];
    }
    const double last = n - 1;
    for (unsigned k = 0; k < n && !overloaded; k++)
        x[k] = statistics_line(&s->ideally[all - n], &s->backlog[all - n], n, x[k], &unused);
    for (unsigned k = 0; k < n && !overloaded; k++) y[k] -= x[k];
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
    const part *p = &s->part[0];
    const sums *all = &p->of[ALL];
    double window = (double)(s->windows * s->clocks) * s->ports;
    out->windows = s->windows;
    out->throughput = (double)p->words / window;
    out->offered = all->words / window;
    out->all = delays_of(all);
    out->shorter = delays_of(&p->of[SHORTER]);
    out->longer = delays_of(&p->of[LONGER]);
    out->ideal = delays_of(&p->of[IDEALLY]);
    if (ideal) out->long_run = *ideal;
    memcpy(out->batch, s->batch, sizeof out->batch);
    throughput(s, out->batch[PM_THROUGHPUT]);
    for (pm_measure m = 0; m < PM_MEASURES; m++) out->measure[m] = pm_statistics_mean(s, m, ideal);
    if (all->n) {
        out->in_voq = p->of[VOQ].sum / all->n / PM_UNIT;
        out->in_crosspoint = p->of[CROSSPOINT].sum / all->n / PM_UNIT;
        out->in_reassembly = p->of[REASSEMBLY].sum / all->n / PM_UNIT;
        out->weighted_voq = p->of[VOQ].weighted / all->words / PM_UNIT;
        out->weighted_crosspoint = p->of[CROSSPOINT].weighted / all->words / PM_UNIT;
        out->weighted_reassembly = p->of[REASSEMBLY].weighted / all->words / PM_UNIT;
    }
    out->pairs = p->counts[PM_PAIRS];
    out->cancelled = p->counts[PM_CANCELLED];
    out->refused = p->counts[PM_REFUSED];
    out->ended = p->counts[PM_ENDED];
    out->lone = p->counts[PM_LONE];
    out->dropped = p->counts[PM_DROPPED];
    out->packets_of_segments = p->counts[PM_OF_SEGMENTS];
    out->least_flow = INFINITY;
    for (unsigned i = 0; i < s->ports; i++)
        for (unsigned o = 0; o < s->ports; o++) {
            const sums *f = &p->of_flow[i][o];
            out->share[i][o] = p->words ? (double)p->words_out[i][o] / (double)p->words : 0;
            if (!f->n) continue;
            out->least_flow = fmin(out->least_flow, f->sum / f->n / PM_UNIT);
            out->most_flow = fmax(out->most_flow, f->sum / f->n / PM_UNIT);
        }
    if (out->unstable) forget_delays(out);
}
