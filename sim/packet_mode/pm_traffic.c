#include "pm_traffic.h"

#include <math.h>

#include "splitmix64.h"

static double unit(uint64_t *random)
{
    return ((double)(splitmix64(random) >> 11) + 0.5) / 9007199254740992.0;
}

double pm_traffic_mean_words(const pm_traffic *t)
{
    const size_choice *s = &t->pattern.sizes;
    if (s->kind == SIZES_BIMODAL) return s->part_low * s->low + (1 - s->part_low) * s->high;
    return (s->low + s->high) / 2.0;
}

double pm_traffic_share(const pm_traffic *t, unsigned input, unsigned output)
{
    unsigned nodes = t->pattern.nodes;
    double sum = 0;
    if (t->pattern.kind) return t->pattern.kind->share(&t->pattern, input, output);
    for (unsigned r = 1; r <= nodes; r++) sum += pow(r, -t->zipf);
    return pow((output + nodes - input) % nodes + 1, -t->zipf) / sum;
}

void pm_stream_start(pm_stream *s, const pm_traffic *t, unsigned input)
{
    double sum = 0;
    *s = (pm_stream){.t = t, .input = input, .random = t->pattern.seed * 0x9e3779b97f4a7c15u + input + 1};
    splitmix64(&s->random);
    if (t->pattern.kind) pattern_source_start(&s->source, &t->pattern, input);
    for (unsigned o = 0; o < t->pattern.nodes; o++) s->share[o] = sum += pm_traffic_share(t, input, o);
}

static unsigned output_of(pm_stream *s)
{
    unsigned o = 0;
    double u;
    if (s->t->pattern.kind) return pattern_destination(&s->source);
    u = unit(&s->random) * s->share[s->t->pattern.nodes - 1];
    while (o + 1 < s->t->pattern.nodes && u >= s->share[o]) o++;
    return o;
}

static unsigned words_of(pm_stream *s)
{
    const size_choice *z = &s->t->pattern.sizes;
    unsigned grain = s->t->grain;
    if (z->kind == SIZES_BIMODAL) return unit(&s->random) < z->part_low ? z->low : z->high;
    if (z->kind == SIZES_FIXED) return z->low;
    return z->low + grain * (unsigned)(unit(&s->random) * ((z->high - z->low) / grain + 1));
}

pm_packet pm_stream_next(pm_stream *s)
{
    const pm_traffic *t = s->t;
    double gap = pm_traffic_mean_words(t) / t->load;
    pm_packet p = {.words = words_of(s), .output = output_of(s)};
    p.first = s->line_free;
    if (t->process == PM_POISSON || t->process == PM_INSTANT) {
        s->instant -= gap * log(unit(&s->random));
        if (ceil(s->instant) > (double)p.first) p.first = (uint64_t)ceil(s->instant);
        p.first += (t->grain - p.first % t->grain) % t->grain;
    } else if (t->process == PM_ONOFF && t->load < 1) {
        double grains = (gap - pm_traffic_mean_words(t)) / t->grain, stays = grains / (1 + grains);
        p.first += t->grain * (uint64_t)(log(unit(&s->random)) / log(stays));
    }
    s->line_free = p.first + (t->process == PM_INSTANT ? t->grain : (p.words + t->grain - 1) / t->grain * t->grain);
    return p;
}

void pm_arrivals_start(pm_arrivals *a, const pm_traffic *t)
{
    a->ports = t->pattern.nodes;
    for (unsigned i = 0; i < a->ports; i++) {
        pm_stream_start(&a->stream[i], t, i);
        a->next[i] = pm_stream_next(&a->stream[i]);
    }
}

unsigned pm_arrivals_take(pm_arrivals *a, pm_packet *packet)
{
    unsigned input = 0;
    for (unsigned i = 1; i < a->ports; i++)
        if (a->next[i].first < a->next[input].first) input = i;
    *packet = a->next[input];
    a->next[input] = pm_stream_next(&a->stream[input]);
    return input;
}

uint64_t pm_ideal_delay(pm_ideal *ideal, const pm_packet *packet)
{
    uint64_t *line_free = &ideal->line_free[packet->output], start = *line_free > packet->first ? *line_free : packet->first;
    *line_free = start + packet->words;
    return start - packet->first;
}

void pm_ideal_long_run(const pm_traffic *t, uint64_t clocks, double *mean, double *weighted)
{
    pm_arrivals a;
    pm_ideal ideal = {{0}};
    pm_packet p;
    double sum = 0, packets = 0, weighted_sum = 0, words = 0;
    pm_arrivals_start(&a, t);
    do {
        double delay;
        pm_arrivals_take(&a, &p);
        delay = (double)pm_ideal_delay(&ideal, &p);
        if (p.first < clocks / 10) continue;
        sum += delay;
        packets++;
        weighted_sum += delay * p.words;
        words += p.words;
    } while (p.first < clocks + clocks / 10);
    *mean = packets ? sum / packets : 0;
    *weighted = words ? weighted_sum / words : 0;
}
