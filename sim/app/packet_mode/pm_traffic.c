#include "sim/app/packet_mode/pm_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/traffic/workload/batches.h"

static double unit(uint64_t *random) { return ((double)(splitmix64(random) >> 11) + 0.5) / 9007199254740992.0; }

double pm_traffic_mean_words(const pm_traffic *t)
{
    const size_choice *s = &t->pattern.sizes;
    if (s->kind == SIZES_BIMODAL) return s->part_low * s->low + (1 - s->part_low) * s->high;
    return (s->low + s->high) / 2.0;
}

int pm_traffic_full(const pm_traffic *t) { return t->process == PM_SATURATED || t->process == PM_STAIRCASE; }

double pm_traffic_share(const pm_traffic *t, unsigned input, unsigned output)
{
    unsigned nodes = t->pattern.nodes;
    double sum = 0;
    if (t->pattern.kind) return t->pattern.kind->share(&t->pattern, input, output);
    for (unsigned r = 1; r <= nodes; r++) sum += pow(r, -t->zipf);
    return pow((output + nodes - input) % nodes + 1, -t->zipf) / sum;
}

double pm_traffic_most(const pm_traffic *t)
{
    double most = 0;
    for (unsigned o = 0; o < t->pattern.nodes; o++) {
        double load = 0;
        for (unsigned i = 0; i < t->pattern.nodes; i++) load += (t->load + t->high_load) * pm_traffic_share(t, i, o);
        most = fmax(most, load);
    }
    return most;
}

double pm_traffic_copies(const pm_traffic *t)
{
    unsigned outputs = t->outputs ? (unsigned)__builtin_popcount(t->outputs) : t->fanout;
    return 1 - t->multicast + t->multicast * outputs;
}

uint32_t pm_packet_outputs(const pm_packet *p) { return p->set ? p->set : 1u << p->output; }

/* ---- packets ---- */

typedef struct pm_substream substream;

static unsigned output_of(pm_stream *s, substream *of)
{
    unsigned o = 0;
    double u;
    if (s->t->pattern.kind) return pattern_destination(&of->source);
    u = unit(&of->random) * s->share[s->t->pattern.nodes - 1];
    while (o + 1 < s->t->pattern.nodes && u >= s->share[o]) o++;
    return o;
}

static unsigned words_of(const pm_stream *s, substream *of)
{
    const size_choice *z = &s->t->pattern.sizes;
    unsigned grain = s->t->padded ? 1 : s->t->grain;
    if (z->kind == SIZES_BIMODAL) return unit(&of->random) < z->part_low ? z->low : z->high;
    if (z->kind == SIZES_FIXED) return z->low;
    return z->low + grain * (unsigned)(unit(&of->random) * ((z->high - z->low) / grain + 1));
}

/* The output and, at random, others. */
static uint32_t set_of(const pm_stream *s, substream *of, unsigned output)
{
    const pm_traffic *t = s->t;
    uint32_t set = 1u << output;
    if (!t->multicast || unit(&of->set_random) >= t->multicast) return 0;
    if (t->outputs) return t->outputs;
    while ((unsigned)__builtin_popcount(set) < t->fanout)
        set |= 1u << (unsigned)(unit(&of->set_random) * t->pattern.nodes);
    return set;
}

/* Up to a multiple of the grain. */
static uint64_t to_grain(const pm_traffic *t, uint64_t clocks)
{
    return t->grain == 1 ? clocks : (clocks + t->grain - 1) / t->grain * t->grain;
}

static pm_packet next_of(pm_stream *s, unsigned priority)
{
    const pm_traffic *t = s->t;
    substream *of = &s->of[priority];
    pm_packet p = {.words = words_of(s, of), .output = output_of(s, of), .priority = priority};
    p.set = set_of(s, of, p.output);
    if (t->padded) p.words = (unsigned)to_grain(t, p.words);
    p.first = of->line_free;
    if (priority || t->process == PM_POISSON || t->process == PM_INSTANT) {
        of->instant -= of->gap * log(unit(&of->random));
        if (of->instant > (double)p.first) p.first = (uint64_t)ceil(of->instant);
        p.first = to_grain(t, p.first);
    } else if (of->log_stays < 0) p.first += t->grain * (uint64_t)(log(unit(&of->random)) / of->log_stays);
    of->line_free = p.first + (t->process == PM_INSTANT ? t->grain : to_grain(t, p.words));
    return p;
}

void pm_stream_start(pm_stream *s, const pm_traffic *t, unsigned input)
{
    double sum = 0, mean = pm_traffic_mean_words(t);
    *s = (pm_stream){.t = t, .input = input};
    for (unsigned o = 0; o < t->pattern.nodes; o++) s->share[o] = sum += pm_traffic_share(t, input, o);
    for (unsigned k = 0; k < PM_PRIORITIES; k++) {
        substream *of = &s->of[k];
        if (t->pattern.kind) pattern_source_start(&of->source, &t->pattern, input);
        of->random = t->pattern.seed * 0x9e3779b97f4a7c15u + input + 1 + 0x10000 * k;
        splitmix64(&of->random);
        of->set_random = ~of->random;
        if (k) of->source.random ^= of->random;
        of->gap = mean * pm_traffic_copies(t) / (k ? t->high_load : t->load);
        if (!k && t->process == PM_ONOFF && of->gap > mean) {
            double grains = (of->gap - mean) / t->grain;
            of->log_stays = log(grains / (1 + grains));
        }
        if (t->high_load > 0) of->next = k || t->load > 0 ? next_of(s, k) : (pm_packet){.first = PM_NEVER};
    }
}

/* A line for both priorities: the one whose packet can begin first, high priority if both can. */
pm_packet pm_stream_next(pm_stream *s)
{
    pm_packet p;
    uint64_t start[PM_PRIORITIES];
    unsigned high;
    if (!(s->t->high_load > 0)) return next_of(s, 0);
    for (unsigned k = 0; k < PM_PRIORITIES; k++)
        start[k] = s->of[k].next.first > s->line_free ? s->of[k].next.first : s->line_free;
    high = start[1] <= start[0];
    p = s->of[high].next;
    p.first = start[high];
    s->line_free = p.first + to_grain(s->t, p.words);
    s->of[high].next = next_of(s, high);
    return p;
}

/* The input's next packet, as a number: of two inputs the one with the lower number is first. */
static uint64_t turn_of(const pm_arrivals *a, unsigned input)
{
    uint64_t first = a->next[input].first, never = PM_NEVER / PM_PORTS;
    return (first < never ? first : never) * PM_PORTS + input;
}

/* `turn` goes into the heap at or below this place, which is free. */
static void sink(pm_arrivals *a, unsigned at, uint64_t turn)
{
    for (unsigned child; (child = 2 * at + 1) < a->ports; at = child) {
        child += child + 1 < a->ports && a->heap[child + 1] < a->heap[child];
        if (turn < a->heap[child]) break;
        a->heap[at] = a->heap[child];
    }
    a->heap[at] = turn;
}

void pm_arrivals_start(pm_arrivals *a, const pm_traffic *t)
{
    a->ports = t->pattern.nodes;
    for (unsigned i = 0; i < a->ports; i++) {
        pm_stream_start(&a->stream[i], t, i);
        a->next[i] = pm_stream_next(&a->stream[i]);
        a->heap[i] = turn_of(a, i);
    }
    for (unsigned i = a->ports / 2; i-- > 0;) sink(a, i, a->heap[i]);
}

unsigned pm_arrivals_take(pm_arrivals *a, pm_packet *packet)
{
    unsigned input = a->heap[0] % PM_PORTS;
    *packet = a->next[input];
    a->next[input] = pm_stream_next(&a->stream[input]);
    sink(a, 0, turn_of(a, input));
    return input;
}

/* ---- the ideal switch ---- */

/* The line's traffic before `clock` is known. */
static void advance(pm_ideal *ideal, unsigned output, uint64_t clock)
{
    struct pm_ideal_low *low = &ideal->low[output];
    uint64_t now = low->known > ideal->line_free[output] ? low->known : ideal->line_free[output];
    while (low->take != low->put) {
        struct pm_ideal_packet *p = &low->ring[low->take & (low->size - 1)];
        uint64_t words;
        if (p->first > now) now = p->first;
        if (now >= clock) break;
        if (p->left == p->words && ideal->started) ideal->started(ideal->self, p->first, p->words, now - p->first);
        words = clock - now < p->left ? clock - now : p->left;
        p->left -= (unsigned)words;
        now += words;
        if (!p->left) low->take++;
    }
    low->known = clock;
}

uint64_t pm_ideal_delay(pm_ideal *ideal, const pm_packet *packet, unsigned output)
{
    uint64_t *line_free = &ideal->line_free[output], start;
    if (ideal->low[output].size) advance(ideal, output, packet->first);
    start = *line_free > packet->first ? *line_free : packet->first;
    *line_free = start + packet->words;
    return start - packet->first;
}

int pm_ideal_low(pm_ideal *ideal, const pm_packet *packet, unsigned output)
{
    struct pm_ideal_low *low = &ideal->low[output];
    if (low->put - low->take == low->size) {
        uint32_t size = low->size ? 2 * low->size : 64;
        struct pm_ideal_packet *ring = calloc(size, sizeof *ring);
        if (!ring) return -1;
        for (uint32_t k = low->take; k != low->put; k++) ring[k & (size - 1)] = low->ring[k & (low->size - 1)];
        free(low->ring);
        low->ring = ring;
        low->size = size;
    }
    advance(ideal, output, packet->first);
    low->ring[low->put++ & (low->size - 1)] =
        (struct pm_ideal_packet){.first = packet->first, .words = packet->words, .left = packet->words};
    return 0;
}

double pm_ideal_backlog(pm_ideal *ideal, uint64_t clock)
{
    double words = 0;
    for (unsigned o = 0; o < PM_PORTS; o++) {
        struct pm_ideal_low *low = &ideal->low[o];
        if (low->size) advance(ideal, o, clock + 1);
        if (ideal->line_free[o] > clock + 1) words += (double)(ideal->line_free[o] - clock - 1);
        for (uint32_t k = low->take; k != low->put; k++) words += low->ring[k & (low->size - 1)].left;
    }
    return words;
}

void pm_ideal_end(pm_ideal *ideal)
{
    for (unsigned o = 0; o < PM_PORTS; o++) advance(ideal, o, PM_NEVER);
}

void pm_ideal_free(pm_ideal *ideal)
{
    for (unsigned o = 0; o < PM_PORTS; o++) free(ideal->low[o].ring);
}

int pm_ideal_closed(const pm_traffic *t, pm_ideal_means *means)
{
    const size_choice *z = &t->pattern.sizes;
    double first = pm_traffic_mean_words(t), second, sum = 0, all = 0;
    if (t->process != PM_INSTANT || t->high_load > 0 || t->multicast > 0 ||
        (t->pattern.kind && !strcmp(t->pattern.kind->name, "round-robin")))
        return -1;
    if (z->kind == SIZES_BIMODAL) second = z->part_low * z->low * z->low + (1 - z->part_low) * z->high * z->high;
    else {
        double step = t->grain, n = (z->high - z->low) / step + 1;
        second = first * first + step * step * (n * n - 1) / 12;
    }
    for (unsigned o = 0; o < t->pattern.nodes; o++) {
        double load = 0;
        for (unsigned i = 0; i < t->pattern.nodes; i++) load += t->load * pm_traffic_share(t, i, o);
        sum += load * (load < 1 ? load * second / first / 2 / (1 - load) : INFINITY);
        all += load;
    }
    *means = (pm_ideal_means){.mean = sum / all, .weighted = sum / all, .shorter = sum / all, .longer = sum / all};
    return 0;
}

enum { BATCHES = 20 };

typedef struct long_run {
    uint64_t from, clocks;
    unsigned segment;
    batch_sums all[BATCHES], weighted[BATCHES], shorter[BATCHES], longer[BATCHES];
} long_run;

static void count(void *self, uint64_t first, unsigned words, uint64_t clocks)
{
    long_run *l = self;
    double delay = (double)clocks;
    unsigned b;
    batch_sums *own;
    if (first < l->from || first >= l->from + l->clocks) return;
    b = (unsigned)((first - l->from) * BATCHES / l->clocks);
    own = words <= l->segment ? &l->shorter[b] : &l->longer[b];
    l->all[b].count++;
    l->all[b].sum += delay;
    l->weighted[b].count += words;
    l->weighted[b].sum += delay * words;
    own->count++;
    own->sum += delay;
}

int pm_ideal_simulate(const pm_traffic *t, uint64_t clocks, unsigned segment, int priority, pm_ideal_means *means)
{
    long_run l = {.from = clocks / 10, .clocks = clocks, .segment = segment};
    pm_arrivals a;
    pm_ideal ideal = {.started = count, .self = &l};
    pm_packet p;
    int failed = 0;
    pm_arrivals_start(&a, t);
    do {
        pm_arrivals_take(&a, &p);
        for (uint32_t rest = pm_packet_outputs(&p); rest && !failed; rest &= rest - 1) {
            unsigned o = (unsigned)__builtin_ctz(rest);
            if (t->high_load > 0 && !p.priority) failed = priority != 1 && pm_ideal_low(&ideal, &p, o);
            else {
                uint64_t delay = pm_ideal_delay(&ideal, &p, o);
                if (priority) count(&l, p.first, p.words, delay);
            }
        }
    } while (!failed && p.first < clocks + clocks / 10);
    if (!failed) pm_ideal_end(&ideal);
    pm_ideal_free(&ideal);
    batches_mean all = batches_get(l.all, BATCHES, NAN, NAN), weighted = batches_get(l.weighted, BATCHES, NAN, NAN),
                 shorter = batches_get(l.shorter, BATCHES, NAN, NAN), longer = batches_get(l.longer, BATCHES, NAN, NAN);
    *means = (pm_ideal_means){all.mean,       weighted.mean,       shorter.mean,       longer.mean,
                              all.half_width, weighted.half_width, shorter.half_width, longer.half_width};
    return failed ? -1 : 0;
}

int pm_ideal_long_run(const pm_traffic *t, uint64_t clocks, unsigned segment, int priority, pm_ideal_means *means)
{
    return pm_ideal_closed(t, means) ? pm_ideal_simulate(t, clocks, segment, priority, means) : 0;
}
