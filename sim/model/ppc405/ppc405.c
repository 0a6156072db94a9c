/* See ppc405.h. */
#include "sim/model/ppc405/ppc405.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8, WAITING = 2 /* requests that are not acknowledged */, READS = 2, BEATS = 4 };
enum { UNUSED, QUEUED, SHOWN, TAKEN, DONE };

typedef struct request {
    int state;
    uint64_t order;
    int write, line, dropped; /* dropped: nobody wants the value */
    int abort_after;          /* [clocks] on the pins, -1: never */
    int aborted, error;
    uint32_t address;
    uint8_t be;
    uint64_t data[BEATS];
    unsigned beat, beats;
    uint64_t ready; /* core clock from which it may be shown */
    uint64_t requested, acknowledged, done;
} request;

struct ppc405 {
    sim *s;
    sim_clock *plb;
    plb_master_pins pin;
    ppc405_params p;
    char name[24];
    uint64_t core;  /* of the program */
    uint64_t clock; /* that has begun */
    uint64_t from;  /* clock in which the pins may show a request again */
    request slot[SLOTS];
    uint64_t next_order;
    request *shown, *write; /* on the pins; acknowledged */
    request *read[READS];
    unsigned reads;
    uint64_t write_free, read_free; /* clocks in which another one may be shown */
    uint64_t acknowledged;          /* clock of the last addrack */
    int quiet;                      /* busy was low in a clock behind it */
    ppc405_stats stats;
    void (*on_access)(void *self, const ppc405_access *a);
    void *on_access_self;
};

ppc405_params ppc405_defaults(void) { return (ppc405_params){.ratio = 3, .issue = 2, .bypass = 1}; }

/* ---- pins ---- */

static void broken(ppc405 *c, const char *what)
{
    sim_fail(c->s, "%s: clock %llu: %s", c->name, (unsigned long long)c->clock, what);
}

static void complete(ppc405 *c, request *r)
{
    r->state = r->dropped || r->write ? UNUSED : DONE;
    r->done = c->clock;
    if (!r->write) c->stats.load_clocks += r->done - r->requested;
    if (r->error) {
        c->stats.errors++;
        c->stats.error_address = r->address;
    }
    ppc405_access a = {.address = r->address,
                       .value = r->line          ? r->data[0]
                                : r->address & 4 ? (uint32_t)r->data[0]
                                                 : r->data[0] >> 32,
                       .write = (unsigned)r->write,
                       .line = (unsigned)r->line,
                       .error = (unsigned)r->error,
                       .requested = r->requested,
                       .acknowledged = r->acknowledged,
                       .done = r->done};
    if (c->on_access) c->on_access(c->on_access_self, &a);
}

static void take(ppc405 *c)
{
    request *r = c->shown;
    int abort = r->aborted;
    c->shown = NULL;
    c->from = c->clock + 2;
    if (abort) {
        r->state = r->dropped ? UNUSED : DONE;
        c->stats.aborts++;
        return;
    }
    if (!*c->pin.ssize1) broken(c, "a slave of 32 bits has acknowledged, expected one of 64");
    r->state = TAKEN;
    r->acknowledged = c->acknowledged = c->clock;
    c->quiet = 0;
    if (r->write) c->write = r;
    else c->read[c->reads++] = r;
}

static void take_read(ppc405 *c)
{
    request *r = c->reads ? c->read[0] : NULL;
    if (!r || r->acknowledged == c->clock) {
        broken(c, "read data are acknowledged, and no read has been acknowledged before");
        return;
    }
    unsigned place = r->line ? *c->pin.rdwdaddr >> 1 & 3 : 0;
    r->data[place] = *c->pin.rddbus;
    r->error |= *c->pin.err & 1;
    if (r->error) r->data[place] = UINT64_MAX;
    if (++r->beat < r->beats) return;
    if (c->reads == READS) c->read_free = c->clock + 1;
    c->read[0] = c->read[1];
    c->reads--;
    complete(c, r);
}

static void take_write(ppc405 *c)
{
    request *r = c->write;
    if (!r) {
        broken(c, "write data are acknowledged, and no write is open");
        return;
    }
    r->error |= *c->pin.err & 1;
    if (++r->beat < r->beats) return;
    c->write = NULL;
    c->write_free = c->clock + 1;
    complete(c, r);
}

static void sample(void *self)
{
    ppc405 *c = self;
    const plb_master_pins *p = &c->pin;
    if (!c->next_order) return; /* in reset, as the slave may be: its pins mean nothing */
    if (c->acknowledged < c->clock) c->quiet = !*p->busy;
    if (*p->addrack && !c->shown) broken(c, "addrack without a request");
    else if (c->shown && (*p->addrack || c->shown->aborted)) take(c);
    if (*p->rddack) take_read(c);
    if (*p->wrdack) take_write(c);
    if (*p->err && !*p->rddack && !*p->wrdack) c->stats.errors++;
}

static void show(ppc405 *c, request *r)
{
    const plb_master_pins *p = &c->pin;
    r->state = SHOWN;
    r->requested = c->clock;
    c->shown = r;
    *p->rnw = !r->write;
    *p->abus = r->address;
    *p->size2 = (uint8_t)r->line;
    *p->be = r->be;
    *p->cacheable = (uint8_t)r->line;
    *p->guarded = r->address >> 31 && !(r->address >> 30 & 1);
    *p->priority = (uint8_t)(c->p.priority << 1 | !r->write);
}

static request *oldest(ppc405 *c)
{
    request *found = NULL;
    for (unsigned i = 0; i < SLOTS; i++)
        if (c->slot[i].state == QUEUED && (!found || c->slot[i].order < found->order)) found = &c->slot[i];
    return found;
}

static void drive(void *self)
{
    ppc405 *c = self;
    const plb_master_pins *p = &c->pin;
    c->clock++;
    c->stats.clocks++;
    request *r = c->shown || c->clock < c->from ? NULL : oldest(c);
    if (r && r->ready <= c->clock * c->p.ratio &&
        (r->write ? !c->write && c->clock >= c->write_free : c->reads < READS && c->clock >= c->read_free))
        show(c, r);
    *p->request = c->shown != NULL;
    *p->abort = 0;
    if (c->shown && c->shown->abort_after >= 0 && c->clock - c->shown->requested >= (uint64_t)c->shown->abort_after)
        *p->abort = 1, c->shown->aborted = 1;
    const request *w = c->write ? c->write : c->shown && c->shown->write ? c->shown : NULL;
    if (w) *p->wrdbus = w->data[w->beat];
}

ppc405 *ppc405_new(sim *s, sim_clock *clock, const plb_master_pins *pins, const ppc405_params *params, const char *name)
{
    ppc405_params q = params ? *params : ppc405_defaults();
    const char *wrong = q.ratio < 1 || q.ratio > 4   ? "ratio must be 1..4"
                        : q.issue < 1 || q.issue > 8 ? "issue must be 1..8"
                        : q.bypass > 8               ? "bypass must be 0..8"
                        : q.priority > 1             ? "priority must be 0 or 1"
                                                     : NULL;
    ppc405 *c = wrong ? NULL : calloc(1, sizeof *c);
    if (!c) {
        sim_fail(s, "%s: %s", name, wrong ? wrong : "no memory left");
        return NULL;
    }
    c->s = s;
    c->plb = clock;
    c->pin = *pins;
    c->p = q;
    c->quiet = 1;
    strncat(c->name, name, sizeof c->name - 1);
    uint8_t *const low[] = {pins->request,  pins->rnw,       pins->size2,     pins->be,      pins->abort,
                            pins->priority, pins->cacheable, pins->writethru, pins->guarded, pins->u0attr};
    for (unsigned i = 0; i < sizeof low / sizeof *low; i++) *low[i] = 0;
    *pins->abus = 0;
    *pins->wrdbus = 0;
    sim_clock_attach(clock, sample, drive, c);
    return c;
}

void ppc405_free(ppc405 *c)
{
    if (c) sim_clock_detach(c->plb, c);
    free(c);
}

/* ---- the program ---- */

/* The program is at an edge of the PLB's clock again; `after` core clocks behind its begin at the earliest. */
static void resumed(ppc405 *c, unsigned after)
{
    uint64_t now = c->clock * c->p.ratio + after;
    if (now <= c->core) return;
    c->stats.stall_clocks += now - c->core;
    c->core = now;
}

/* The clock of the PLB goes on to where the program is. */
static void follow(ppc405 *c)
{
    uint64_t clock = c->core / c->p.ratio;
    if (clock > c->clock) sim_wait_cycles(c->plb, clock - c->clock);
}

void ppc405_compute(ppc405 *c, uint64_t core_clocks)
{
    resumed(c, 0);
    c->core += core_clocks;
    follow(c);
}

static unsigned count(const ppc405 *c, int low, int high)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SLOTS; i++) n += c->slot[i].state >= low && c->slot[i].state <= high;
    return n;
}

static int room(void *arg)
{
    const ppc405 *c = arg;
    return count(c, QUEUED, SHOWN) < WAITING && count(c, QUEUED, DONE) < SLOTS;
}

static int is_done(void *arg) { return ((const request *)arg)->state == DONE; }

static int is_synced(void *arg)
{
    const ppc405 *c = arg;
    return !count(c, QUEUED, TAKEN) && c->quiet;
}

static request *ask(ppc405 *c, const request *with)
{
    if (c->core < c->clock * c->p.ratio) c->core = c->clock * c->p.ratio;
    follow(c);
    if (!room(c)) {
        sim_wait_until(c->plb, room, c);
        resumed(c, 0);
    }
    request *r = c->slot;
    while (r->state != UNUSED) r++;
    *r = *with;
    r->state = QUEUED;
    r->order = c->next_order++;
    r->beats = r->line ? BEATS : 1;
    r->ready = c->core + c->p.issue;
    c->core++;
    return r;
}

static void finish(ppc405 *c, request *r)
{
    sim_wait_until(c->plb, is_done, r);
    resumed(c, c->p.bypass);
    r->state = UNUSED;
}

/* Up to the end of the word of `address`, from the highest byte of `value` down. */
static request part(uint32_t address, unsigned bytes, int write, uint32_t value)
{
    unsigned byte = address & 7;
    uint32_t word = value << 8 * (4 - bytes) >> 8 * (address & 3);
    return (request){.write = write,
                     .abort_after = -1,
                     .address = address,
                     .be = (uint8_t)((0xff << (8 - bytes) & 0xff) >> byte),
                     .data = {(uint64_t)word << 32 | word}};
}

static uint32_t value_of(const request *r, unsigned bytes)
{
    return (uint32_t)(r->data[0] << 8 * (r->address & 7) >> 8 * (8 - bytes));
}

static uint32_t load(ppc405 *c, uint32_t address, unsigned bytes)
{
    unsigned first = 4 - (address & 3) < bytes ? 4 - (address & 3) : bytes;
    request with = part(address, first, 0, 0);
    c->stats.loads++;
    request *r = ask(c, &with);
    if (first == bytes) {
        finish(c, r);
        return value_of(r, bytes);
    }
    with = part(address + first, bytes - first, 0, 0);
    request *rest = ask(c, &with);
    finish(c, r);
    finish(c, rest);
    return value_of(r, first) << 8 * (bytes - first) | value_of(rest, bytes - first);
}

static void store(ppc405 *c, uint32_t address, unsigned bytes, uint32_t value)
{
    unsigned first = 4 - (address & 3) < bytes ? 4 - (address & 3) : bytes, rest = bytes - first;
    request with = part(address, first, 1, value >> 8 * rest);
    c->stats.stores++;
    ask(c, &with);
    if (!rest) return;
    with = part(address + first, rest, 1, value & ((1u << 8 * rest) - 1));
    ask(c, &with);
}

uint32_t ppc405_load32(ppc405 *c, uint32_t address) { return load(c, address, 4); }
uint16_t ppc405_load16(ppc405 *c, uint32_t address) { return (uint16_t)load(c, address, 2); }
uint8_t ppc405_load8(ppc405 *c, uint32_t address) { return (uint8_t)load(c, address, 1); }
void ppc405_store32(ppc405 *c, uint32_t address, uint32_t value) { store(c, address, 4, value); }
void ppc405_store16(ppc405 *c, uint32_t address, uint16_t value) { store(c, address, 2, value); }
void ppc405_store8(ppc405 *c, uint32_t address, uint8_t value) { store(c, address, 1, value); }

ppc405_ticket ppc405_load_begin(ppc405 *c, uint32_t address)
{
    request with = part(address & ~3u, 4, 0, 0);
    c->stats.loads++;
    return (ppc405_ticket){(unsigned)(ask(c, &with) - c->slot)};
}

uint32_t ppc405_load_end(ppc405 *c, ppc405_ticket t)
{
    request *r = &c->slot[t.slot];
    finish(c, r);
    return value_of(r, 4);
}

static void swap_line(uint64_t data[BEATS], uint8_t line[32], int to_line)
{
    for (unsigned i = 0; i < 32; i++) {
        unsigned shift = 56 - 8 * (i & 7);
        if (to_line) line[i] = (uint8_t)(data[i / 8] >> shift);
        else data[i / 8] = (data[i / 8] & ~(UINT64_C(0xff) << shift)) | (uint64_t)line[i] << shift;
    }
}

ppc405_ticket ppc405_line_begin(ppc405 *c, uint32_t address)
{
    request with = {.line = 1, .address = address & ~3u, .abort_after = -1};
    c->stats.line_reads++;
    return (ppc405_ticket){(unsigned)(ask(c, &with) - c->slot)};
}

void ppc405_line_end(ppc405 *c, ppc405_ticket t, uint8_t line[32])
{
    request *r = &c->slot[t.slot];
    finish(c, r);
    swap_line(r->data, line, 1);
}

void ppc405_line_read(ppc405 *c, uint32_t address, uint8_t line[32])
{
    ppc405_line_end(c, ppc405_line_begin(c, address), line);
}

void ppc405_line_write(ppc405 *c, uint32_t address, const uint8_t line[32])
{
    request with = {.write = 1, .line = 1, .address = address & ~31u, .abort_after = -1};
    uint8_t copy[32];
    memcpy(copy, line, sizeof copy);
    swap_line(with.data, copy, 0);
    c->stats.line_writes++;
    ask(c, &with);
}

int ppc405_load_aborted(ppc405 *c, uint32_t address, unsigned clocks)
{
    request with = part(address & ~3u, 4, 0, 0);
    with.abort_after = (int)clocks;
    request *r = ask(c, &with);
    finish(c, r);
    return r->aborted;
}

void ppc405_sync(ppc405 *c)
{
    c->stats.syncs++;
    follow(c);
    sim_wait_until(c->plb, is_synced, c);
    resumed(c, 0);
    c->core++;
}

uint64_t ppc405_now(const ppc405 *c) { return c->core; }
uint64_t ppc405_clock(const ppc405 *c) { return c->clock; }
ppc405_stats ppc405_get_stats(const ppc405 *c) { return c->stats; }

void ppc405_print(const ppc405 *c, FILE *f)
{
    static const char *const states[] = {"", "waits for its request", "is requested", "is acknowledged", "is done"};
    for (unsigned i = 0; i < SLOTS; i++)
        if (c->slot[i].state != UNUSED && c->slot[i].state != DONE)
            fprintf(f, "    %s of 0x%08x %s\n", c->slot[i].write ? "store" : "load", c->slot[i].address,
                    states[c->slot[i].state]);
}

void ppc405_on_access(ppc405 *c, void (*fn)(void *self, const ppc405_access *a), void *self)
{
    c->on_access = fn;
    c->on_access_self = self;
}
