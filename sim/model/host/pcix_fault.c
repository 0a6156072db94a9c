/* See pcix_fault.h. */
#include "sim/model/host/pcix_fault.h"

#include <stdlib.h>

enum { MOST = 16 };

struct entry {
    pcix_fault f;
    uint64_t last; /* number of the transaction counted last */
    bool armed;    /* that transaction is to be hit */
};

struct pcix_faults {
    pcix_bus *bus;
    struct entry list[MOST];
    int count;
    uint64_t done;
    bool flip_par;
};

static bool matches(const pcix_fault *f, const pcix_transaction *t)
{
    return (f->initiator < 0 || f->initiator == t->initiator) && (f->commands == 0 || f->commands >> t->command & 1);
}

/* One clock of one fault; true when it has done its work. */
static bool strike(pcix_faults *x, struct entry *e, const pcix_sample *s, const pcix_transaction *t)
{
    if (s->phase != e->f.phase || (s->phase == PCIX_PH_DATA && s->index != e->f.index) || !matches(&e->f, t))
        return false;
    if (e->last != t->number) {
        e->last = t->number;
        e->armed = e->f.choose ? e->f.choose(e->f.arg) : e->f.skip == 0;
        e->f.skip -= e->f.skip != 0;
    }
    if (!e->armed) return false;
    if (e->f.parity) x->flip_par = true;
    else pcix_bus_flip(x->bus, e->f.ad, e->f.cbe, 0);
    x->done++;
    e->armed = false;
    return !e->f.choose && (e->f.times <= 1 || --e->f.times == 0);
}

static void watch(void *self, const pcix_sample *s)
{
    pcix_faults *x = self;
    if (x->flip_par) {
        x->flip_par = false;
        pcix_bus_flip(x->bus, 0, 0, PCIX_BIT(PCIX_PAR));
    }
    if (x->count == 0) pcix_bus_set_fault(x->bus, NULL, NULL);
    if (x->count == 0 || s->phase == PCIX_PH_IDLE) return;
    const pcix_transaction *t = pcix_tracker_now(pcix_bus_tracker(x->bus));
    for (int i = 0; i < x->count;) {
        if (strike(x, &x->list[i], s, t)) x->list[i] = x->list[--x->count];
        else i++;
    }
}

pcix_faults *pcix_faults_new(pcix_bus *bus)
{
    pcix_faults *x = calloc(1, sizeof *x);
    if (x == NULL) return NULL;
    x->bus = bus;
    return x;
}

void pcix_faults_free(pcix_faults *x)
{
    if (x != NULL) pcix_bus_set_fault(x->bus, NULL, NULL);
    free(x);
}

bool pcix_faults_add(pcix_faults *x, const pcix_fault *f)
{
    if (x->count == MOST) return false;
    x->list[x->count++] = (struct entry){.f = *f};
    pcix_bus_set_fault(x->bus, watch, x);
    return true;
}

uint64_t pcix_faults_done(const pcix_faults *x) { return x->done; }
