/* See plb_memory.h. */
#include "sim/model/ppc405/plb_memory.h"

#include <stdlib.h>

#include "sim/model/host/memory.h"

enum { OPEN = 4 };

typedef struct access {
    uint32_t address;
    int write, line;
    unsigned beat, beats;
    uint8_t be;
    uint64_t due; /* clock of its next data */
} access;

struct plb_memory {
    sim *s;
    sim_clock *clock;
    plb_slave_pins pin;
    plb_memory_params p;
    memory *data;
    access open[OPEN];
    unsigned count;
    uint64_t now;
    uint64_t answer; /* clock of addrack for the request on the pins, 0: none is seen */
    int shows;       /* data of open[0] are acknowledged in this clock */
    uint64_t served;
};

plb_memory_params plb_memory_defaults(void)
{
    return (plb_memory_params){.to = UINT64_C(1) << 32, .address = 1, .data = 3, .write = 1};
}

static uint64_t more(plb_memory *m) { return m->p.spread ? sim_random_below(m->s, m->p.spread + 1) : 0; }

static uint64_t doubleword(const access *a)
{
    uint32_t at = a->address & ~7u;
    if (a->line) at = (at & ~31u) | ((at + (a->write ? 0 : 8 * a->beat)) & 31);
    if (a->line && a->write) at = (a->address & ~31u) + 8 * a->beat;
    return at;
}

/* Byte 0 is bits 63..56. */
static uint64_t swapped(uint64_t value) { return __builtin_bswap64(value); }

static void sample(void *self)
{
    plb_memory *m = self;
    const plb_slave_pins *p = &m->pin;
    if (m->shows) {
        access *a = &m->open[0];
        if (a->write && a->address >= m->p.from && a->address < m->p.to) {
            unsigned mask = 0;
            for (unsigned i = 0; i < 8; i++) mask |= (unsigned)(a->line || a->be >> (7 - i) & 1) << i;
            memory_put64(m->data, doubleword(a), swapped(*p->wrdbus), mask);
        }
        a->due = m->now + 1 + m->p.gap + more(m);
        if (++a->beat == a->beats) {
            m->served++;
            m->count--;
            for (unsigned i = 0; i < m->count; i++) m->open[i] = m->open[i + 1];
        }
    }
    if (!*p->request || *p->abort) m->answer = 0;
    else if (*p->addrack) {
        access a = {.address = *p->abus, .write = !*p->rnw, .line = *p->size2, .be = *p->be};
        a.beats = a.line ? 4 : 1;
        a.due = m->now + (a.write ? m->p.write : m->p.data) + more(m);
        m->open[m->count++] = a;
        m->answer = 0;
    } else if (!m->answer) m->answer = m->now + m->p.address + more(m);
}

static void drive(void *self)
{
    plb_memory *m = self;
    const plb_slave_pins *p = &m->pin;
    m->now++;
    *p->addrack = m->answer && m->answer <= m->now && m->count < OPEN;
    access *a = &m->open[0];
    m->shows = m->count && a->due <= m->now;
    int bad = m->shows && (a->address < m->p.from || a->address >= m->p.to);
    *p->rddack = m->shows && !a->write;
    *p->wrdack = m->shows && a->write;
    *p->err = (uint8_t)bad;
    *p->busy = m->count != 0;
    if (!*p->rddack) return;
    *p->rdwdaddr = (uint8_t)(doubleword(a) >> 2 & 7);
    *p->rddbus = bad ? UINT64_MAX : swapped(memory_get64(m->data, doubleword(a)));
}

plb_memory *plb_memory_new(sim *s, sim_clock *clock, const plb_slave_pins *pins, const plb_memory_params *params)
{
    plb_memory *m = calloc(1, sizeof *m);
    if (!m || !(m->data = memory_new())) {
        free(m);
        return NULL;
    }
    m->s = s;
    m->clock = clock;
    m->pin = *pins;
    m->p = params ? *params : plb_memory_defaults();
    *pins->addrack = *pins->rddack = *pins->rdwdaddr = *pins->wrdack = *pins->busy = *pins->err = 0;
    *pins->ssize1 = 1;
    *pins->rddbus = 0;
    sim_clock_attach(clock, sample, drive, m);
    return m;
}

void plb_memory_free(plb_memory *m)
{
    if (!m) return;
    sim_clock_detach(m->clock, m);
    memory_free(m->data);
    free(m);
}

uint32_t plb_memory_get(plb_memory *m, uint32_t address)
{
    uint64_t wide = swapped(memory_get64(m->data, address & ~7u));
    return (uint32_t)(address & 4 ? wide : wide >> 32);
}

void plb_memory_put(plb_memory *m, uint32_t address, uint32_t value)
{
    memory_put64(m->data, address & ~7u, swapped((uint64_t)value << 32 | value), address & 4 ? 0xf0 : 0x0f);
}

uint64_t plb_memory_served(const plb_memory *m) { return m->served; }
