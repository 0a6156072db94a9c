#include "sim/traffic/scenario/fairness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flow {
    uint64_t *order;      /* of items, a ring */
    uint64_t room;        /* of it, a power of two */
    uint64_t first, next; /* items gone, posted; first is ahead of next while items have gone that are posted late */
    uint64_t words;       /* by which it has been passed since its last packet */
    uint32_t passed[FAIRNESS_FLOWS]; /* packets of others since then */
};

struct fairness {
    unsigned flows;
    int held;
    uint64_t bound, most, posted; /* posted: items of all flows */
    struct flow flow[FAIRNESS_FLOWS];
    char text[300];
};

uint64_t fairness_bound(unsigned flows, unsigned patience, unsigned links)
{
    enum { RING = 1023, PIECE = 512, PIECES = 8, STAGED = 4096 + 128, BACK = 5152, AHEAD = 66 + PIECE };
    return (uint64_t)(flows - 1) * (RING + patience * PIECE) + PIECES * PIECE + STAGED + BACK + (links - 1) * AHEAD;
}

unsigned fairness_patience(const sim_config *chip) { return chip && strstr(chip->blocks, "_SCHEDULER=") ? 32 : 1; }

fairness *fairness_new(unsigned flows, uint64_t bound)
{
    fairness *t = flows <= FAIRNESS_FLOWS ? calloc(1, sizeof *t) : NULL;
    if (!t) return NULL;
    t->flows = flows;
    t->bound = bound;
    return t;
}

void fairness_free(fairness *t)
{
    for (unsigned i = 0; t && i < t->flows; i++) free(t->flow[i].order);
    free(t);
}

void fairness_hold(fairness *t, int held) { t->held = held; }

static int has_item(const struct flow *f) { return f->first < f->next; }

static uint64_t *order_of(const struct flow *f, uint64_t item) { return &f->order[item & (f->room - 1)]; }

int fairness_posted(fairness *t, unsigned flow)
{
    struct flow *f = &t->flow[flow];
    if (f->first <= f->next && f->next - f->first == f->room) {
        struct flow more = {.room = f->room ? 2 * f->room : 64};
        if (!(more.order = malloc(more.room * sizeof *more.order))) return -1;
        for (uint64_t i = f->first; i != f->next; i++) *order_of(&more, i) = *order_of(f, i);
        free(f->order);
        f->order = more.order;
        f->room = more.room;
    }
    if (f->first <= f->next) *order_of(f, f->next) = t->posted++;
    f->next++;
    return 0;
}

static const char *stands_still(fairness *t, unsigned flow)
{
    const struct flow *f = &t->flow[flow];
    int n = snprintf(t->text, sizeof t->text,
                     "flow %u starves: item %" PRIu64 " of %" PRIu64 " posted is due, %" PRIu64
                     " words of others have gone since its last packet, limit %" PRIu64 "; packets of",
                     flow, f->first, f->next, f->words, t->bound);
    for (unsigned i = 0; i < t->flows && n < (int)sizeof t->text - 20; i++)
        if (f->passed[i]) n += snprintf(t->text + n, sizeof t->text - (size_t)n, " flow %u: %u", i, f->passed[i]);
    return t->text;
}

const char *fairness_gone(fairness *t, unsigned flow, unsigned words, int last)
{
    struct flow *f = &t->flow[flow];
    if (!has_item(f)) {
        f->first += last != 0;
        return NULL;
    }
    uint64_t order = *order_of(f, f->first);
    const char *wrong = NULL;
    for (unsigned i = 0; i < t->flows && !t->held; i++) {
        struct flow *g = &t->flow[i];
        if (!has_item(g) || *order_of(g, g->first) >= order) continue; /* including f itself */
        g->words += words;
        g->passed[flow]++;
        if (g->words > t->most) t->most = g->words;
        if (g->words > t->bound && !wrong) wrong = stands_still(t, i);
    }
    f->words = 0;
    memset(f->passed, 0, sizeof f->passed);
    f->first += last != 0;
    return wrong;
}

uint64_t fairness_most(const fairness *t) { return t->most; }
