/* Gathering, wired resolution and history of the bus. See pcix_bus.h. */
#include "pcix_bus.h"

#include <stdlib.h>
#include <string.h>

enum { CONTROL = PCIX_PULLED_UP & ~(PCIX_BIT(PCIX_PAR) | PCIX_BIT(PCIX_PAR64)) };

struct agent {
    const char *name;
    pcix_step step; /* NULL: a device on pins */
    void *self;
    pcix_pins pins;
    int device;
};

struct watcher {
    pcix_watch watch;
    void *self;
};

struct pcix_bus {
    struct agent agents[PCIX_AGENTS];
    int agent_count;
    struct watcher watchers[PCIX_WATCHERS];
    int watcher_count;
    struct watcher fault;
    pcix_tracker *tracker;
    uint64_t clock;
    int rst_n;
    uint16_t conflict;
    pcix_flip flips[4];
    pcix_flip no_flip;
    pcix_sample ring[PCIX_HISTORY];
};

static void idle_sample(pcix_sample *s)
{
    memset(s, 0, sizeof *s);
    s->ad = ~0ull;
    s->cbe = 0xff;
    s->level = PCIX_PULLED_UP;
    s->gnt_n = s->req_n = 0xffff;
}

pcix_bus *pcix_bus_new(void)
{
    pcix_bus *bus = calloc(1, sizeof *bus);
    if (bus == NULL) return NULL;
    bus->tracker = pcix_tracker_new();
    if (bus->tracker == NULL) {
        free(bus);
        return NULL;
    }
    for (int i = 0; i < PCIX_HISTORY; i++) idle_sample(&bus->ring[i]);
    return bus;
}

void pcix_bus_free(pcix_bus *bus)
{
    if (bus == NULL) return;
    pcix_tracker_free(bus->tracker);
    free(bus);
}

static int add(pcix_bus *bus, const char *name)
{
    if (bus->agent_count == PCIX_AGENTS) return -1;
    bus->agents[bus->agent_count].name = name;
    return bus->agent_count++;
}

int pcix_bus_add_agent(pcix_bus *bus, const char *name, pcix_step step, void *self)
{
    int n = add(bus, name);
    if (n >= 0) {
        bus->agents[n].step = step;
        bus->agents[n].self = self;
    }
    return n;
}

int pcix_bus_add_device(pcix_bus *bus, const char *name, int device, const pcix_pins *pins)
{
    int n = device >= 0 && device < 16 ? add(bus, name) : -1;
    if (n >= 0) {
        bus->agents[n].pins = *pins;
        bus->agents[n].device = device;
        *pins->rst_n = (uint8_t)bus->rst_n;
    }
    return n;
}

int pcix_bus_agents(const pcix_bus *bus)
{
    return bus->agent_count;
}
const char *pcix_bus_agent_name(const pcix_bus *bus, int agent)
{
    return agent >= 0 && agent < bus->agent_count ? bus->agents[agent].name : "nobody";
}

int pcix_bus_add_watcher(pcix_bus *bus, pcix_watch watch, void *self)
{
    if (bus->watcher_count == PCIX_WATCHERS) return -1;
    bus->watchers[bus->watcher_count++] = (struct watcher){watch, self};
    return 0;
}

void pcix_bus_set_fault(pcix_bus *bus, pcix_watch fault, void *self)
{
    bus->fault = (struct watcher){fault, self};
}
void pcix_bus_set_reset(pcix_bus *bus, int rst_n)
{
    bus->rst_n = rst_n != 0;
}
uint64_t pcix_bus_clock(const pcix_bus *bus)
{
    return bus->clock;
}
const pcix_sample *pcix_bus_at(const pcix_bus *bus, uint64_t clock)
{
    return &bus->ring[clock & (PCIX_HISTORY - 1)];
}
uint16_t pcix_bus_conflict(const pcix_bus *bus)
{
    return bus->conflict;
}
pcix_tracker *pcix_bus_tracker(pcix_bus *bus)
{
    return bus->tracker;
}

const pcix_flip *pcix_bus_flip_at(const pcix_bus *bus, uint64_t clock)
{
    const pcix_flip *f = &bus->flips[clock & 3];
    return f->clock == clock ? f : &bus->no_flip;
}

void pcix_bus_flip(pcix_bus *bus, uint64_t ad, uint8_t cbe, uint16_t level)
{
    pcix_flip *f = &bus->flips[bus->clock & 3];
    pcix_sample *s = &bus->ring[bus->clock & (PCIX_HISTORY - 1)];
    if (f->clock != bus->clock) *f = (pcix_flip){.clock = bus->clock};
    f->ad ^= ad;
    f->cbe ^= cbe;
    f->level ^= level;
    s->ad ^= ad;
    s->cbe ^= cbe;
    s->level ^= level;
}

/* What a device on pins drives. A signal that is not enabled contributes nothing, whatever its _o shows. */
static void gather(const pcix_pins *p, pcix_drive *d)
{
    unsigned oe = 0, level = 0;
#define PINS(apply)                                                                                                                        \
    (apply(PCIX_FRAME, frame_n), apply(PCIX_IRDY, irdy_n), apply(PCIX_DEVSEL, devsel_n), apply(PCIX_TRDY, trdy_n),                         \
     apply(PCIX_STOP, stop_n), apply(PCIX_REQ64, req64_n), apply(PCIX_ACK64, ack64_n), apply(PCIX_PERR, perr_n), apply(PCIX_PAR, par),     \
     apply(PCIX_PAR64, par64))
#define ENABLE(signal, name) (oe |= (unsigned)*p->name##_oe << (signal))
#define LEVEL(signal, name) (level |= (unsigned)*p->name##_o << (signal))
    PINS(ENABLE);
    oe |= (unsigned)*p->serr_n_oe << PCIX_SERR;
    oe |= (unsigned)*p->ad_oe << PCIX_AD; /* two bits each: AD, AD64 and CBE, CBE64 are neighbours */
    oe |= (unsigned)*p->cbe_n_oe << PCIX_CBE;
    d->req_n = (uint8_t)(!*p->req_n_oe || *p->req_n_o);
    d->inta = *p->inta_n_oe;
    if (oe == 0) return;
    PINS(LEVEL);
#undef PINS
#undef ENABLE
#undef LEVEL
    d->oe = (uint16_t)oe;
    d->level = (uint16_t)level;
    d->ad = *p->ad_o;
    d->cbe = *p->cbe_n_o;
}

/* `b` is what the pins show already: on an idle bus, and inside a burst but for AD and parity, little changes from clock to clock. */
static void put_pins(const pcix_pins *p, int agent, int device, const pcix_sample *s, const pcix_sample *b)
{
    unsigned level = s->level;
    *p->par_i = level >> PCIX_PAR & 1;
    *p->par64_i = level >> PCIX_PAR64 & 1;
    *p->ad_i = s->ad;
    *p->idsel_i = s->ad >> (16 + device) & 1;
    if (((level ^ b->level) & CONTROL) == 0 && s->cbe == b->cbe && s->gnt_n == b->gnt_n && s->rst_n == b->rst_n && s->rst_n) return;
    *p->cbe_n_i = s->cbe;
#define PUT(signal, name) (*p->name##_i = level >> (signal)&1)
    PUT(PCIX_FRAME, frame_n);
    PUT(PCIX_IRDY, irdy_n);
    PUT(PCIX_DEVSEL, devsel_n);
    PUT(PCIX_TRDY, trdy_n);
    PUT(PCIX_STOP, stop_n);
    PUT(PCIX_REQ64, req64_n);
    PUT(PCIX_ACK64, ack64_n);
    PUT(PCIX_PERR, perr_n);
    PUT(PCIX_SERR, serr_n);
#undef PUT
    *p->gnt_n_i = s->gnt_n >> agent & 1;
    *p->rst_n = s->rst_n;
}

void pcix_bus_tick(pcix_bus *bus)
{
    uint64_t m = ++bus->clock;
    const pcix_sample *now = pcix_bus_at(bus, m - 2);
    pcix_sample *s = &bus->ring[m & (PCIX_HISTORY - 1)];
    unsigned driven = 0, conflict = 0, low = 0, cbe = 0xff, gnt_n = 0xffff, req_n = 0xffff, inta = 0;
    uint64_t ad = ~0ull;

    s->clock = m;
    s->rst_n = (uint8_t)bus->rst_n;
    s->index = 0;
    for (int i = 0; i < bus->agent_count; i++) {
        struct agent *a = &bus->agents[i];
        pcix_drive d = {.gnt_n = 0xffff, .req_n = 1};
        if (a->step != NULL) a->step(a->self, now, &d);
        else gather(&a->pins, &d);
        s->oe[i] = d.oe;
        conflict |= driven & d.oe;
        driven |= d.oe;
        low |= (unsigned)d.oe & ~(unsigned)d.level;
        if (d.oe & PCIX_OE_AD) {
            uint64_t mask = (d.oe & PCIX_BIT(PCIX_AD) ? 0xffffffffull : 0) | (d.oe & PCIX_BIT(PCIX_AD64) ? 0xffffffffull << 32 : 0);
            ad &= d.ad | ~mask;
        }
        if (d.oe & PCIX_OE_CBE) {
            unsigned mask = (d.oe & PCIX_BIT(PCIX_CBE) ? 0x0fu : 0) | (d.oe & PCIX_BIT(PCIX_CBE64) ? 0xf0u : 0);
            cbe &= d.cbe | ~mask;
        }
        req_n &= ~((unsigned)!d.req_n << i);
        gnt_n &= d.gnt_n;
        inta |= (unsigned)d.inta << i;
    }
    s->ad = ad;
    s->cbe = (uint8_t)cbe;
    s->req_n = (uint16_t)req_n;
    s->gnt_n = (uint16_t)gnt_n;
    s->inta = (uint8_t)inta;
    s->driven = (uint16_t)driven;
    s->level = (uint16_t)(PCIX_PULLED_UP & ~low);
    bus->conflict = (uint16_t)(conflict & ~PCIX_BIT(PCIX_SERR));

    pcix_tracker_clock(bus->tracker, s, pcix_bus_at(bus, m - 1));
    if (bus->fault.watch != NULL) bus->fault.watch(bus->fault.self, s);
    for (int i = 0; i < bus->agent_count; i++)
        if (bus->agents[i].step == NULL) put_pins(&bus->agents[i].pins, i, bus->agents[i].device, s, pcix_bus_at(bus, m - 1));
    for (int i = 0; i < bus->watcher_count; i++) bus->watchers[i].watch(bus->watchers[i].self, s);
}
