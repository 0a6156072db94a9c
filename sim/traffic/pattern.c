#include "pattern.h"

#include <math.h>
#include <stddef.h>

#include "splitmix64.h"

static const struct {
    const char *name;
    unsigned nodes;
} kinds[PATTERN_KINDS] = {
    [PATTERN_PING_PONG] = {"ping-pong", 2},       [PATTERN_ONE_WAY] = {"one-way", 2},       [PATTERN_SELF] = {"self", 1},
    [PATTERN_THREE_TO_ONE] = {"three-to-one", 4}, [PATTERN_N_TO_ONE] = {"n-to-one", 2},     [PATTERN_ROUND_ROBIN] = {"round-robin", 2},
    [PATTERN_UNIFORM] = {"uniform", 2},           [PATTERN_HOT_SPOT] = {"hot-spot", 2},     [PATTERN_PERMUTATION] = {"permutation", 2},
    [PATTERN_DIAGONAL] = {"diagonal", 2},         [PATTERN_UNBALANCED] = {"unbalanced", 2},
};

const char *pattern_name(int kind)
{
    return kind >= 0 && kind < PATTERN_KINDS ? kinds[kind].name : NULL;
}

unsigned pattern_nodes(pattern_kind kind)
{
    return kinds[kind].nodes;
}

/* ---- random numbers ---- */

/* The bias of a remainder is below n / 2^64. */
static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)(splitmix64(state) % n);
}

/* 0 <= x < 1 */
static double fraction(uint64_t *state)
{
    return (double)(splitmix64(state) >> 11) * 0x1p-53;
}

/* ---- who sends to whom ---- */

/* Drawn by exchanging, so that each permutation is as likely as any other. */
static unsigned partner_of(const pattern *p, unsigned node)
{
    unsigned to[PATTERN_NODES];
    uint64_t state = p->seed ^ 0x7065726d75746174;
    for (unsigned i = 0; i < p->nodes; i++) to[i] = i;
    for (unsigned i = p->nodes; i > 1; i--) {
        unsigned k = below(&state, i), old = to[i - 1];
        to[i - 1] = to[k];
        to[k] = old;
    }
    return to[node];
}

uint32_t pattern_senders_to(const pattern *p, unsigned to)
{
    uint32_t all = (1u << p->nodes) - 1;
    switch (p->kind) {
    case PATTERN_PING_PONG:
        return to == 0 ? 2 : to == 1 ? 1 : 0;
    case PATTERN_ONE_WAY:
        return to == 1;
    case PATTERN_SELF:
        return to == 0;
    case PATTERN_THREE_TO_ONE:
        return to == 3 ? 7 : 0;
    case PATTERN_N_TO_ONE:
        return to == p->nodes - 1 ? all >> 1 : 0;
    case PATTERN_PERMUTATION:
        for (unsigned i = 0; i < p->nodes; i++)
            if (partner_of(p, i) == to) return 1u << i;
        return 0;
    case PATTERN_DIAGONAL:
        return 1u << to | 1u << (to + p->nodes - 1) % p->nodes;
    default:
        return all;
    }
}

uint32_t pattern_senders(const pattern *p)
{
    uint32_t senders = 0;
    for (unsigned to = 0; to < p->nodes; to++) senders |= pattern_senders_to(p, to);
    return senders;
}

int pattern_contended(const pattern *p, unsigned to)
{
    uint32_t senders = pattern_senders_to(p, to);
    if (!(senders & (senders - 1))) return 0;
    if (p->kind == PATTERN_HOT_SPOT) return to == p->hot || p->part <= 0;
    return p->kind != PATTERN_DIAGONAL && p->kind != PATTERN_UNBALANCED;
}

unsigned pattern_link_words(unsigned words)
{
    return 2 * words + 5;
}

double pattern_mean_link_words(const pattern *p)
{
    const size_choice *s = &p->sizes;
    double low = pattern_link_words(s->low), high = pattern_link_words(s->high);
    return s->kind == SIZES_BIMODAL ? s->part_low * low + (1 - s->part_low) * high : (low + high) / 2;
}

/* ---- one sender ---- */

void pattern_source_start(pattern_source *s, const pattern *p, unsigned node)
{
    *s = (pattern_source){.p = p, .node = node, .random = p->seed + 0x517cc1b727220a95u * (node + 1)};
    splitmix64(&s->random);
    if (p->kind == PATTERN_PERMUTATION) s->partner = partner_of(p, node);
    s->turn = node; /* round robin: the senders do not all begin with the same receiver */
}

unsigned pattern_destination(pattern_source *s)
{
    const pattern *p = s->p;
    switch (p->kind) {
    case PATTERN_PING_PONG:
        return !s->node;
    case PATTERN_ONE_WAY:
        return 1;
    case PATTERN_SELF:
        return 0;
    case PATTERN_THREE_TO_ONE:
        return 3;
    case PATTERN_N_TO_ONE:
        return p->nodes - 1;
    case PATTERN_ROUND_ROBIN:
        return s->turn++ % p->nodes;
    case PATTERN_HOT_SPOT:
        return fraction(&s->random) < p->part ? p->hot : below(&s->random, p->nodes);
    case PATTERN_PERMUTATION:
        return s->partner;
    case PATTERN_DIAGONAL:
        return (s->node + (below(&s->random, 3) == 2)) % p->nodes;
    case PATTERN_UNBALANCED:
        return fraction(&s->random) < p->part ? s->node : below(&s->random, p->nodes);
    default:
        return below(&s->random, p->nodes);
    }
}

unsigned pattern_words(pattern_source *s)
{
    const size_choice *c = &s->p->sizes;
    if (c->kind == SIZES_BIMODAL) return fraction(&s->random) < c->part_low ? c->low : c->high;
    return c->low + (c->high > c->low ? below(&s->random, c->high - c->low + 1) : 0);
}

sim_time pattern_gap(pattern_source *s)
{
    double mean = (double)s->p->word_time * pattern_mean_link_words(s->p) / s->p->load;
    return (sim_time)(-log(1 - fraction(&s->random)) * mean);
}
