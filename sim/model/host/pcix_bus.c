/* Gathering, wired resolution and history of the bus. See pcix_bus.h. */
#include "sim/model/host/pcix_bus.h"

#include <stdlib.h>
#include <string.h>

enum { PARITY = PCIX_BIT(PCIX_PAR) | PCIX_BIT(PCIX_PAR64) };

/* After this many equal clocks an agent in C has already evaluated the current sample. */
enum { ASKED = 2 };

/* A function of its own: an idle clock does not save its registers. */
#define SELDOM __attribute__((noinline))

/* The pins of a device that are one byte each lie close together, among others, so they are compared as a few large
 * numbers. */
enum { CHUNKS = 3 };
typedef uint64_t chunk __attribute__((vector_size(16)));

struct agent {
    const char *name;
    int number;
    /* one in C */
    pcix_step step; /* NULL: a device on pins */
    pcix_rest rests;
    void *self;
    /* a device */
    pcix_pins pins;
    int device;
    pcix_sample drives; /* in the clock made last: ones where it drives nothing; without the level of PAR and PAR64 */
    uint16_t parity;    /* that, ones elsewhere */
    uint64_t free_ad;   /* AD that it does not drive */
    const uint8_t *at[CHUNKS];         /* where its one-byte outputs lie, NULL: too far apart */
    chunk mask[CHUNKS], shown[CHUNKS]; /* which bytes they are, but for PAR and PAR64; those of the clock made last */
};

struct watcher {
    pcix_watch watch;
    void *self;
};

struct pcix_bus {
    struct pcix_bus_seen seen;
    struct agent agents[PCIX_AGENTS];
    struct agent *in_c[PCIX_AGENTS + 1], *devices[PCIX_AGENTS + 1]; /* of them, by kind; NULL at the end */
    int in_c_count, device_count;
    struct watcher watchers[PCIX_WATCHERS];
    int watcher_count;
    struct watcher fault;
    pcix_tracker *tracker;
    int rst_n;
    bool at_rest;    /* the next clock is like the one made last if all agents drive the same */
    unsigned rested; /* clocks in a row, up to ASKED, that were like the one before */
    uint16_t conflict;
    pcix_flip flips[4];
    pcix_flip no_flip;
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
    for (int i = 0; i < PCIX_HISTORY; i++) idle_sample(&bus->seen.ring[i]);
    return bus;
}

void pcix_bus_free(pcix_bus *bus)
{
    if (bus == NULL) return;
    pcix_tracker_free(bus->tracker);
    free(bus);
}

static struct agent *add(pcix_bus *bus, const char *name)
{
    if (bus->seen.agents == PCIX_AGENTS) return NULL;
    struct agent *a = &bus->agents[bus->seen.agents];
    a->name = name;
    a->number = bus->seen.agents++;
    bus->at_rest = false;
    return a;
}

int pcix_bus_add_agent(pcix_bus *bus, const char *name, pcix_step step, void *self)
{
    struct agent *a = add(bus, name);
    if (a == NULL) return -1;
    a->step = step;
    a->self = self;
    bus->in_c[bus->in_c_count++] = a;
    return a->number;
}

void pcix_bus_set_rest(pcix_bus *bus, int agent, pcix_rest rests) { bus->agents[agent].rests = rests; }

void pcix_bus_wake(pcix_bus *bus) { bus->rested = 0; }

/* The one-bit signals that a device drives; SERR# is only pulled low. */
#define PINS(apply)                                                                                                    \
    apply(PCIX_FRAME, frame_n), apply(PCIX_IRDY, irdy_n), apply(PCIX_DEVSEL, devsel_n), apply(PCIX_TRDY, trdy_n),      \
        apply(PCIX_STOP, stop_n), apply(PCIX_REQ64, req64_n), apply(PCIX_ACK64, ack64_n), apply(PCIX_PERR, perr_n),    \
        apply(PCIX_PAR, par), apply(PCIX_PAR64, par64)

static void find_pins(struct agent *a)
{
    const pcix_pins *p = &a->pins;
    const uint8_t *pin[] = {
#define OUTPUTS(signal, name) p->name##_oe, (signal) == PCIX_PAR || (signal) == PCIX_PAR64 ? p->name##_oe : p->name##_o
        PINS(OUTPUTS), p->serr_n_oe, p->ad_oe, p->cbe_n_oe, p->cbe_n_o, p->req_n_oe, p->req_n_o, p->inta_n_oe,
#undef OUTPUTS
    };
    const size_t count = sizeof pin / sizeof *pin;
    const uint8_t *from = pin[0], *to = pin[0];
    for (size_t i = 1; i < count; i++) {
        if ((uintptr_t)pin[i] < (uintptr_t)from) from = pin[i];
        if ((uintptr_t)pin[i] > (uintptr_t)to) to = pin[i];
    }
    size_t size = (uintptr_t)to - (uintptr_t)from + 1;
    if (size < sizeof(chunk) || size > sizeof a->mask) return;
    for (size_t c = 0; c < CHUNKS; c++) {
        uint8_t mask[sizeof(chunk)] = {0};
        a->at[c] = from + (c * sizeof mask < size - sizeof mask ? c * sizeof mask
                                                                : size - sizeof mask); /* none reaches past the pins */
        for (size_t i = 0; i < count; i++)
            if ((uintptr_t)pin[i] - (uintptr_t)a->at[c] < sizeof mask) mask[pin[i] - a->at[c]] = 0xff;
        memcpy(&a->mask[c], mask, sizeof mask);
    }
}

int pcix_bus_add_device(pcix_bus *bus, const char *name, int device, const pcix_pins *pins)
{
    struct agent *a = device >= 0 && device < 16 ? add(bus, name) : NULL;
    if (a == NULL) return -1;
    a->pins = *pins;
    a->device = device;
    find_pins(a);
    *pins->rst_n = (uint8_t)bus->rst_n;
    bus->devices[bus->device_count++] = a;
    return a->number;
}

const char *pcix_bus_agent_name(const pcix_bus *bus, int agent)
{
    return agent >= 0 && agent < bus->seen.agents ? bus->agents[agent].name : "nobody";
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
    bus->at_rest = false;
}
void pcix_bus_set_reset(pcix_bus *bus, int rst_n)
{
    bus->rst_n = rst_n != 0;
    bus->at_rest = false;
}
uint16_t pcix_bus_conflict(const pcix_bus *bus) { return bus->conflict; }
pcix_tracker *pcix_bus_tracker(pcix_bus *bus) { return bus->tracker; }

const pcix_flip *pcix_bus_flip_at(const pcix_bus *bus, uint64_t clock)
{
    const pcix_flip *f = &bus->flips[clock & 3];
    return f->clock == clock ? f : &bus->no_flip;
}

void pcix_bus_flip(pcix_bus *bus, uint64_t ad, uint8_t cbe, uint16_t level)
{
    pcix_flip *f = &bus->flips[bus->seen.clock & 3];
    pcix_sample *s = &bus->seen.ring[bus->seen.clock & (PCIX_HISTORY - 1)];
    if (f->clock != bus->seen.clock) *f = (pcix_flip){.clock = bus->seen.clock};
    bus->seen.flipped = bus->seen.clock;
    f->ad ^= ad;
    f->cbe ^= cbe;
    f->level ^= level;
    s->ad ^= ad;
    s->cbe ^= cbe;
    s->level ^= level;
}

static const uint64_t free_halves[4] = {~0ull, 0xffffffffull << 32, 0xffffffffull,
                                        0};                   /* by the two output enables of AD */
static const uint8_t free_nibbles[4] = {0xff, 0xf0, 0x0f, 0}; /* and of C/BE# */

/* Outputs of a device on pins, but for AD and its parity. A signal that is not enabled contributes nothing, whatever
 * its _o shows. */
SELDOM static void gather(struct agent *a)
{
    const pcix_pins *p = &a->pins;
    unsigned oe = 0, level = 0;
    for (unsigned c = 0; c < CHUNKS && a->at[c] != NULL; c++) memcpy(&a->shown[c], a->at[c], sizeof a->shown[c]);
#define ENABLE(signal, name) (oe |= (unsigned)*p->name##_oe << (signal))
#define LEVEL(signal, name) (level |= (unsigned)*p->name##_o << (signal))
    (void)(PINS(ENABLE));
    oe |= (unsigned)*p->serr_n_oe << PCIX_SERR;
    oe |= (unsigned)*p->ad_oe << PCIX_AD; /* two bits each: AD, AD64 and CBE, CBE64 are neighbours */
    oe |= (unsigned)*p->cbe_n_oe << PCIX_CBE;
    a->drives = (pcix_sample){
        .ad = ~0ull, .wires = ~0ull, .driven = (uint16_t)oe, .inta = (uint8_t)(*p->inta_n_oe << a->number)};
    a->parity = 0xffff;
    if (*p->req_n_oe && !*p->req_n_o) a->drives.req_n = (uint16_t) ~(1u << a->number);
    if (oe == 0) return;
    (void)(PINS(LEVEL));
#undef ENABLE
#undef LEVEL
    a->drives.level = (uint16_t)(level | ~oe | PARITY);
    a->drives.cbe = *p->cbe_n_o | free_nibbles[oe >> PCIX_CBE & 3];
    a->free_ad = free_halves[oe >> PCIX_AD & 3];
}

/* Are the one-byte outputs but for PAR and PAR64 what they were? */
static bool same_control(const struct agent *a)
{
    chunk now[CHUNKS];
    if (a->at[0] == NULL) return false;
    memcpy(&now[0], a->at[0], sizeof *now);
    memcpy(&now[1], a->at[1], sizeof *now);
    memcpy(&now[2], a->at[2], sizeof *now);
    now[0] = ((now[0] ^ a->shown[0]) & a->mask[0]) | ((now[1] ^ a->shown[1]) & a->mask[1]) |
             ((now[2] ^ a->shown[2]) & a->mask[2]);
    return (now[0][0] | now[0][1]) == 0;
}

/* Brings what a device drives up to date; true if it is what it was. From clock to clock it is mostly AD and its parity
 * that change. */
static bool look(struct agent *a)
{
    const pcix_pins *p = &a->pins;
    bool same = same_control(a);
    if (!same) gather(a);
    if (a->drives.driven == 0) return same;
    unsigned parity =
        (unsigned)*p->par_o << PCIX_PAR | (unsigned)*p->par64_o << PCIX_PAR64 | ~(a->drives.driven & (unsigned)PARITY);
    uint64_t ad = *p->ad_o | a->free_ad;
    same = same && (uint16_t)parity == a->parity && ad == a->drives.ad;
    a->parity = (uint16_t)parity;
    a->drives.ad = ad;
    return same;
}

static const pcix_sample undriven = {.level = PCIX_PULLED_UP, .gnt_n = 0xffff, .req_n = 0xffff, .cbe = 0xff};

/* Sample `s` of the clock that is being made: agents in C make their step, devices have been looked at. */
static void resolve(pcix_bus *bus, pcix_sample *s, const pcix_sample *now)
{
    unsigned conflict = 0, driven = 0;
    s->clock = bus->seen.clock;
    s->ad = ~0ull;
    s->wires = undriven.wires;
    s->inta = 0;
    s->index = 0;
    for (int i = 0; bus->devices[i] != NULL; i++) {
        const struct agent *a = bus->devices[i];
        s->oe[a->number] = a->drives.driven;
        conflict |= driven & a->drives.driven;
        driven |= a->drives.driven;
        s->ad &= a->drives.ad;
        s->wires &= a->drives.wires;
        s->level &= a->parity;
        s->inta |= a->drives.inta;
    }
    s->rst_n = (uint8_t)bus->rst_n;
    for (int i = 0; bus->in_c[i] != NULL; i++) {
        const struct agent *a = bus->in_c[i];
        pcix_drive d = {.gnt_n = 0xffff, .req_n = 1};
        a->step(a->self, now, &d);
        s->oe[a->number] = d.oe;
        s->gnt_n &= d.gnt_n;
        if (!d.req_n) s->req_n &= (uint16_t) ~(1u << a->number);
        if (d.inta) s->inta |= (uint8_t)(1u << a->number);
        if (d.oe == 0) continue;
        conflict |= driven & d.oe;
        driven |= d.oe;
        s->level &= (uint16_t)(d.level | ~d.oe);
        if ((d.oe & (PCIX_OE_AD | PCIX_OE_CBE)) == 0) continue;
        s->ad &= d.ad | free_halves[d.oe >> PCIX_AD & 3];
        s->cbe &= d.cbe | free_nibbles[d.oe >> PCIX_CBE & 3];
    }
    s->driven = (uint16_t)driven;
    bus->conflict = (uint16_t)(conflict & ~PCIX_BIT(PCIX_SERR));
}

/* Of what a device sees it is AD and parity that change from clock to clock; this is the rest. */
static const pcix_sample control = {.level = PCIX_PULLED_UP & ~PARITY, .gnt_n = 0xffff, .cbe = 0xff, .rst_n = 0xff};

/* `b` is what the pins show already: on an idle bus, and inside a burst but for AD and parity, little changes from
 * clock to clock. */
static void put_pins(const struct agent *a, const pcix_sample *s, const pcix_sample *b)
{
    const pcix_pins *p = &a->pins;
    unsigned level = s->level;
    *p->par_i = level >> PCIX_PAR & 1;
    *p->par64_i = level >> PCIX_PAR64 & 1;
    *p->ad_i = s->ad;
    *p->idsel_i = s->ad >> (16 + a->device) & 1;
    if (((s->wires ^ b->wires) & control.wires) == 0 && s->rst_n) return;
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
    *p->gnt_n_i = s->gnt_n >> a->number & 1;
    *p->rst_n = s->rst_n;
}

/* A clock that is not idle. */
SELDOM static void make_clock(pcix_bus *bus, pcix_sample *s, const pcix_sample *before, const pcix_sample *now)
{
    resolve(bus, s, now);
    pcix_tracker_clock(bus->tracker, s, before);
    if (bus->fault.watch != NULL) bus->fault.watch(bus->fault.self, s);
    bus->at_rest = s->phase == PCIX_PH_IDLE && pcix_idle(s) && s->rst_n && bus->fault.watch == NULL &&
                   bus->seen.flipped != s->clock;
    for (int i = 0; bus->devices[i] != NULL; i++) put_pins(bus->devices[i], s, before);
}

const pcix_sample *pcix_bus_tick(pcix_bus *bus)
{
    uint64_t m = ++bus->seen.clock;
    const pcix_sample *before = pcix_bus_at(bus, m - 1), *now = pcix_bus_at(bus, m - 2);
    pcix_sample *s = &bus->seen.ring[m & (PCIX_HISTORY - 1)];
    bool same = bus->at_rest;

    for (int i = 0; bus->devices[i] != NULL; i++) same = look(bus->devices[i]) && same;
    if (bus->rested < ASKED)
        for (int i = 0; same && bus->in_c[i] != NULL; i++)
            same = bus->in_c[i]->rests != NULL && bus->in_c[i]->rests(bus->in_c[i]->self, now);
    if (same) {
        *s = *before;
        s->clock = m;
        bus->rested += bus->rested < ASKED;
    } else {
        make_clock(bus, s, before, now);
        bus->rested = 0;
    }
    for (int i = 0; i < bus->watcher_count; i++) bus->watchers[i].watch(bus->watchers[i].self, s);
    return s;
}
