#include "sim/traffic/workload/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"

/* ---- random numbers ---- */

/* The bias of a remainder is below n / 2^64. */
static unsigned below(uint64_t *state, unsigned n) { return (unsigned)(splitmix64(state) % n); }

/* 0 <= x < 1 */
static double fraction(uint64_t *state) { return (double)(splitmix64(state) >> 11) * 0x1p-53; }

/* ---- shares of each receiver in a sender's packets ---- */

static double between_two(const pattern *p, unsigned from, unsigned to)
{
    (void)p;
    return from + to == 1;
}

static double first_to_second(const pattern *p, unsigned from, unsigned to)
{
    (void)p;
    return from == 0 && to == 1;
}

static double first_to_itself(const pattern *p, unsigned from, unsigned to)
{
    (void)p;
    return from == 0 && to == 0;
}

static double three_to_fourth(const pattern *p, unsigned from, unsigned to)
{
    (void)p;
    return from < 3 && to == 3;
}

static double others_to_last(const pattern *p, unsigned from, unsigned to)
{
    return from != p->nodes - 1 && to == p->nodes - 1;
}

static double even(const pattern *p, unsigned from, unsigned to)
{
    (void)from;
    (void)to;
    return 1.0 / p->nodes;
}

static double to_hot(const pattern *p, unsigned from, unsigned to)
{
    (void)from;
    return p->part * (to == p->hot) + (1 - p->part) / p->nodes;
}

static double to_own(const pattern *p, unsigned from, unsigned to)
{
    return p->part * (to == from) + (1 - p->part) / p->nodes;
}

static double own_and_next(const pattern *p, unsigned from, unsigned to)
{
    return to == from ? 2.0 / 3 : to == (from + 1) % p->nodes ? 1.0 / 3 : 0;
}

/* Drawn by exchanging, so that each permutation is as likely as any other. */
static double to_partner(const pattern *p, unsigned from, unsigned to)
{
    unsigned partner[PATTERN_NODES];
    uint64_t state = p->seed ^ 0x7065726d75746174;
    for (unsigned i = 0; i < p->nodes; i++) partner[i] = i;
    for (unsigned i = p->nodes; i > 1; i--) {
        unsigned k = below(&state, i), old = partner[i - 1];
        partner[i - 1] = partner[k];
        partner[k] = old;
    }
    return partner[from] == to;
}

/* ---- destinations: to whom the next packet goes ---- */

/* The only receiver that the sender has. */
static unsigned only(pattern_source *s)
{
    unsigned to = 0;
    while (to + 1 < s->p->nodes && s->p->kind->share(s->p, s->node, to) <= 0) to++;
    return to;
}

static unsigned in_turn(pattern_source *s) { return s->turn++ % s->p->nodes; }

static unsigned any(pattern_source *s) { return below(&s->random, s->p->nodes); }

static unsigned hot_or_any(pattern_source *s) { return fraction(&s->random) < s->p->part ? s->p->hot : any(s); }

static unsigned own_or_any(pattern_source *s) { return fraction(&s->random) < s->p->part ? s->node : any(s); }

static unsigned own_or_next(pattern_source *s) { return (s->node + (below(&s->random, 3) == 2)) % s->p->nodes; }

/* ---- the patterns ---- */

enum { TEST = PATTERN_STEADY | PATTERN_SWEEP /* a validation test of S1 4.2, or like one */ };

/* clang-format off */
const pattern_kind pattern_kinds[] = {
    {"ping-pong", "nodes 0 and 1 in turns", 2, TEST | PATTERN_PAIR | PATTERN_ANSWERS, between_two, only},
    {"one-way", "node 0 to node 1", 2, TEST | PATTERN_PAIR, first_to_second, only},
    {"self", "node 0 to itself", 1, TEST, first_to_itself, only},
    {"three-to-one", "nodes 0, 1 and 2 to node 3", 4, TEST, three_to_fourth, only},
    {"n-to-one", "all others to the last node", 2, TEST | PATTERN_PAIR, others_to_last, only},
    {"round-robin", "each node to all in turn, itself included", 2, TEST, even, in_turn},
    {"uniform", "each node to any, itself included", 2, 0, even, any},
    {"hot-spot", "@part to node @hot, the rest to any", 2, PATTERN_PART | PATTERN_HOT, to_hot, hot_or_any},
    {"permutation", "each node to one, no two to the same", 2, 0, to_partner, only},
    {"diagonal", "each node two thirds to itself, one third to the next", 2, 0, own_and_next, own_or_next},
    {"unbalanced", "each node @part to itself, the rest to any", 2, PATTERN_PART, to_own, own_or_any},
    {0}
};
/* clang-format on */

const pattern_kind *pattern_find(const char *name)
{
    for (const pattern_kind *kind = pattern_kinds; kind->name; kind++)
        if (!strcmp(kind->name, name)) return kind;
    return NULL;
}

int pattern_count(void) { return (int)(sizeof pattern_kinds / sizeof pattern_kinds[0]) - 1; }

const char *pattern_names(unsigned traits, char *text, size_t size)
{
    const pattern_kind *last = NULL;
    size_t used = 0;
    *text = '\0';
    for (const pattern_kind *kind = pattern_kinds; kind->name; kind++)
        if ((kind->traits & traits) == traits) last = kind;
    for (const pattern_kind *kind = pattern_kinds; last && kind <= last && used < size; kind++)
        if ((kind->traits & traits) == traits)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used == 0      ? ""
                                     : kind == last ? " or "
                                                    : ", ",
                                     kind->name);
    return text;
}

const char *pattern_sentence(const pattern_kind *kind, const pattern *p, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (const char *at = kind->sentence; *at && used < size;) {
        char part[32] = "P", hot[16] = "NODE";
        if (p) snprintf(part, sizeof part, "%g %%", 100 * p->part);
        if (p) snprintf(hot, sizeof hot, "%u", p->hot);
        size_t length = strcspn(at, "@");
        if (length) used += (size_t)snprintf(text + used, size - used, "%.*s", (int)length, at);
        else if (!strncmp(at, "@part", length = 5)) used += (size_t)snprintf(text + used, size - used, "%s", part);
        else if (!strncmp(at, "@hot", length = 4)) used += (size_t)snprintf(text + used, size - used, "%s", hot);
        at += length;
    }
    return text;
}

uint32_t pattern_senders_to(const pattern *p, unsigned to)
{
    uint32_t senders = 0;
    for (unsigned from = 0; from < p->nodes; from++) senders |= (uint32_t)(p->kind->share(p, from, to) > 0) << from;
    return senders;
}

uint32_t pattern_senders(const pattern *p)
{
    uint32_t senders = 0;
    for (unsigned to = 0; to < p->nodes; to++) senders |= pattern_senders_to(p, to);
    return senders;
}

int pattern_contended(const pattern *p, unsigned to)
{
    double first = 0, sum = 0;
    unsigned senders = 0;
    for (unsigned from = 0; from < p->nodes; from++) {
        double share = p->kind->share(p, from, to);
        if (share <= 0) continue;
        if (senders++ == 0) first = share;
        else if (fabs(share - first) > 1e-9) return 0;
        sum += share;
    }
    return senders > 1 && sum > 1 - 1e-9;
}

unsigned pattern_link_words(unsigned words) { return 2 * words + 5; }

double pattern_mean_link_words(const pattern *p)
{
    const size_choice *s = &p->sizes;
    double low = pattern_link_words(s->low), high = pattern_link_words(s->high);
    return s->kind == SIZES_BIMODAL ? s->part_low * low + (1 - s->part_low) * high : (low + high) / 2;
}

double pattern_load_mib(const pattern *p)
{
    double link = pattern_mean_link_words(p),
           payload = 4 * (link - pattern_link_words(0)); /* of a packet: words of 32 bits, bytes */
    return p->load * payload / (link * 1e-12 * (double)p->word_time) / (1024.0 * 1024.0);
}

/* ---- one sender ---- */

void pattern_source_start(pattern_source *s, const pattern *p, unsigned node)
{
    *s = (pattern_source){.p = p, .node = node, .random = p->seed + 0x517cc1b727220a95u * (node + 1)};
    splitmix64(&s->random);
    s->turn = node; /* round robin: the senders do not all begin with the same receiver */
}

unsigned pattern_destination(pattern_source *s) { return s->p->kind->destination(s); }

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
