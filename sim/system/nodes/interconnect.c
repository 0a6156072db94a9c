#include "sim/system/nodes/interconnect.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/core/kernel/model.h"

enum { LINES = 1 << 23, NEVER = 0, HAD, TAKEN, HINTED = 4 };
#define PATH "coherent_node.memory"

const char *const snoop_kind_names[SNOOP_KINDS] = {"READ",   "READ_EXCLUSIVE",   "UPGRADE",  "WRITEBACK",
                                                   "UPDATE", "INVALIDATE_WRITE", "READ_ONCE"};

/* Signals of coherent_memory, in the order of `names`. */
enum { VALID, KIND, LINE, SOURCE, ALLOCATE, CACHE, HAS, TAKES, HINT, TAKE, IN, SIGNALS };
static const char *const names[SIGNALS] = {"snoop_valid",    "snoop_kind",  "snoop_line", "snoop_source",
                                           "snoop_allocate", "snoop_cache", "answer_has", "answer_takes",
                                           "hint_valid",     "out_take",    "in_valid"};

struct interconnect {
    cnode *n;
    struct {
        const void *at;
        unsigned bytes;
    } signal[SIGNALS];
    interconnect_counts c;
    uint8_t *line[COHERENT_CPUS]; /* what became of each */
    unsigned since;               /* clocks since a broadcast, up to 3 */
    void (*on_broadcast)(void *self, unsigned kind, uint32_t line, unsigned source);
    void *self;
};

static uint32_t look(const interconnect *x, unsigned signal)
{
    return (uint32_t)sim_signal_value(x->signal[signal].at, x->signal[signal].bytes);
}

/* A request of cache k. */
static void asked(interconnect *x, unsigned k, unsigned kind, uint32_t line)
{
    cache_counts *c = &x->c.cache[k];
    uint8_t *state = &x->line[k][line];
    if (kind == SNOOP_UPGRADE) c->upgrades++;
    if (kind == SNOOP_UPDATE) c->updates++;
    if (kind == SNOOP_WRITEBACK) c->writebacks++;
    if (kind != SNOOP_READ && kind != SNOOP_READ_EXCLUSIVE && kind != SNOOP_UPGRADE) return;
    if (kind != SNOOP_UPGRADE) {
        if (*state & HINTED && kind == SNOOP_READ) c->allocated++;
        else if ((*state & 3) == NEVER) c->cold++;
        else if ((*state & 3) == TAKEN) c->coherence++;
        else c->capacity++;
    }
    *state = HAD;
}

static int takes_away(unsigned kind)
{
    return kind == SNOOP_READ_EXCLUSIVE || kind == SNOOP_UPGRADE || kind == SNOOP_INVALIDATE_WRITE;
}

/* The answers are there, in the second clock after the broadcast. */
static void answered(interconnect *x)
{
    unsigned kind = look(x, KIND), source = look(x, SOURCE), has = look(x, HAS), takes = look(x, TAKES);
    uint32_t line = look(x, LINE);
    for (unsigned k = 0; k < COHERENT_CPUS; k++) {
        cache_counts *c = &x->c.cache[k];
        if (k == source) continue;
        c->snoops++;
        c->found += has >> k & 1;
        if (has >> k & 1 && takes_away(kind)) {
            c->invalidated++;
            x->line[k][line] = TAKEN;
        }
        if (kind != SNOOP_UPDATE) continue;
        if (has >> k & 1) c->updates_taken++;
        else if (look(x, ALLOCATE) && look(x, CACHE) == k && takes >> k & 1 && !(has & 3)) {
            c->allocated++;
            x->line[k][line] = HAD;
        } else c->updates_missed++;
    }
}

static void sample(void *self)
{
    interconnect *x = self;
    if (!*x->n->chip.rst_n) return;
    x->c.clocks++;
    x->c.data += look(x, TAKE) || look(x, IN);
    if (x->since < 3) x->since++;
    if (x->since == 2) answered(x);
    for (unsigned k = 0, hint = look(x, HINT); k < COHERENT_CPUS && hint; k++)
        if (hint >> k & 1) x->line[k][look(x, LINE)] |= HINTED;
    if (!look(x, VALID)) return;
    unsigned kind = look(x, KIND), source = look(x, SOURCE);
    uint32_t line = look(x, LINE);
    x->since = 0;
    if (kind < SNOOP_KINDS) x->c.by_kind[kind]++;
    if (source < COHERENT_CPUS) asked(x, source, kind, line);
    if (x->on_broadcast) x->on_broadcast(x->self, kind, line, source);
}

interconnect *interconnect_new(cnode *n)
{
    interconnect *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->n = n;
    x->since = 3;
    sim_clock_attach(n->clock, sample, NULL, x);
    for (unsigned i = 0; i < SIGNALS; i++) {
        x->signal[i].at = sim_model_signal(n->chip.model, PATH, names[i], &x->signal[i].bytes);
        if (x->signal[i].at) continue;
        sim_fail(n->s, "%s: there is no public signal %s.%s", n->name, PATH, names[i]);
        interconnect_free(x);
        return NULL;
    }
    for (unsigned k = 0; k < COHERENT_CPUS; k++)
        if (!(x->line[k] = calloc(LINES, 1))) {
            interconnect_free(x);
            return NULL;
        }
    return x;
}

void interconnect_free(interconnect *x)
{
    if (!x) return;
    sim_clock_detach(x->n->clock, x);
    for (unsigned k = 0; k < COHERENT_CPUS; k++) free(x->line[k]);
    free(x);
}

interconnect_counts interconnect_get(const interconnect *x) { return x->c; }

void interconnect_clear(interconnect *x) { x->c = (interconnect_counts){0}; }

void interconnect_on_broadcast(interconnect *x, void (*fn)(void *self, unsigned kind, uint32_t line, unsigned source),
                               void *self)
{
    x->on_broadcast = fn;
    x->self = self;
}
