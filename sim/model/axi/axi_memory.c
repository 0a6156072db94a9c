/* See axi_memory.h. */
#include "sim/model/axi/axi_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PORTS = 8,
    RANGES = 16,
    LISTENERS = 8,
    MOST = 256 /* bursts of a direction */,
    BURST_CLOCKS = 64 /* of unused bandwidth kept */
};

struct beat {
    uint64_t strobes;
    uint8_t data[AXI_MOST_BYTES];
};

struct access {
    axi_burst at;
    uint64_t due;      /* clock; writes: once the data are complete */
    unsigned done;     /* beats */
    struct beat *data; /* of a write, at.beats of them */
};

struct list {
    struct access at[MOST];
    unsigned count;
};

struct port {
    char name[48];
    axi_pins p;
    struct list reads, writes; /* in the order of their addresses */
    struct beat early[MOST];
    unsigned early_count;
    int reading;                     /* place in `reads` of the burst that is shown; -1: none */
    bool response_taken, beat_taken; /* at the edge */
    axi_memory_stats stats;
};

struct axi_memory {
    sim *s;
    sim_clock *clock;
    const char *name;
    axi_memory_params params;
    memory *bytes;
    struct port *ports[PORTS];
    int port_count;
    uint64_t now, stalled_until;
    int64_t tokens; /* bytes that may move */
    struct {
        uint64_t address, size;
        int response;
    } ranges[RANGES];
    int range_count;
    struct {
        axi_on_written fn;
        void *arg;
    } listeners[LISTENERS];
    int listener_count;
};

axi_memory_params axi_memory_defaults(void)
{
    return (axi_memory_params){.latency = 20, .outstanding = 16, .early_beats = 4};
}

const char *axi_memory_params_check(const axi_memory_params *p)
{
    if (p->latency < 1) return "latency must be 1 clock or more";
    if (p->outstanding < 1 || p->outstanding > MOST) return "outstanding must be 1..256";
    if (p->early_beats < 1 || p->early_beats > MOST) return "early_beats must be 1..256";
    for (int i = 0; i < AXI_CHANNELS; i++)
        if (p->stall[i] > 99) return "stall must be 0..99 percent";
    if (p->interleave && !p->reorder) return "interleave needs reorder";
    return NULL;
}

/* ---- lists */

static void forget(struct list *l, unsigned i)
{
    free(l->at[i].data);
    memmove(&l->at[i], &l->at[i + 1], (--l->count - i) * sizeof l->at[0]);
}

static void forget_all(struct port *p)
{
    while (p->reads.count) forget(&p->reads, p->reads.count - 1);
    while (p->writes.count) forget(&p->writes, p->writes.count - 1);
    p->early_count = 0;
    p->reading = -1;
}

static uint64_t due(axi_memory *m)
{
    return m->now + m->params.latency + (m->params.spread ? sim_random_below(m->s, m->params.spread + 1) : 0);
}

static bool complete(const struct access *a) { return !a->data || a->done == a->at.beats; }

/* One of the accesses that may be answered now: due, and the oldest of its ID; without `reorder` the oldest of all. -1:
 * none. */
static int choose(axi_memory *m, const struct list *l)
{
    int found = -1;
    unsigned candidates = 0;
    for (unsigned i = 0; i < l->count; i++) {
        bool oldest = true;
        for (unsigned k = 0; k < i && oldest; k++) oldest = l->at[k].at.id != l->at[i].at.id;
        if (oldest && complete(&l->at[i]) && l->at[i].due <= m->now && sim_random_below(m->s, ++candidates) == 0)
            found = (int)i;
        if (!m->params.reorder) break;
    }
    return found;
}

static int response_of(const axi_memory *m, uint64_t address, unsigned bytes)
{
    for (int i = 0; i < m->range_count; i++)
        if (address < m->ranges[i].address + m->ranges[i].size && address + bytes > m->ranges[i].address)
            return m->ranges[i].response;
    return AXI_OKAY;
}

/* ---- what a port has done, before the edge */

static void start(axi_memory *m, struct port *p, axi_channel_name channel)
{
    struct list *l = channel == AXI_AW ? &p->writes : &p->reads;
    struct access a = {.at = axi_burst_at(&p->p, channel), .due = due(m)};
    bool write = channel == AXI_AW;
    if (a.at.size > p->p.bytes || a.at.kind > AXI_WRAP || l->count == MOST) {
        sim_fail(m->s, "%s: port %s: a burst of kind %u with beats of %u bytes cannot be served", m->name, p->name,
                 a.at.kind, a.at.size);
        return;
    }
    if (write && !(a.data = calloc(a.at.beats, sizeof *a.data))) {
        sim_fail(m->s, "%s: no memory left", m->name);
        return;
    }
    l->at[l->count++] = a;
    unsigned *most = write ? &p->stats.most_writes : &p->stats.most_reads;
    if (l->count > *most) *most = l->count;
}

/* Early beats go to the oldest write that lacks data. */
static void place_data(axi_memory *m, struct port *p)
{
    unsigned used = 0;
    for (unsigned i = 0; i < p->writes.count && used < p->early_count; i++) {
        struct access *w = &p->writes.at[i];
        while (w->done < w->at.beats && used < p->early_count) {
            w->data[w->done++] = p->early[used++];
            if (w->done == w->at.beats) w->due = due(m);
        }
    }
    if (used) memmove(p->early, p->early + used, (p->early_count -= used) * sizeof p->early[0]);
}

static void sample(void *self)
{
    axi_memory *m = self;
    for (int i = 0; i < m->port_count; i++) {
        struct port *p = m->ports[i];
        const axi_pins *pins = &p->p;
#define TAKEN(channel) (axi_bit(&pins->pin[AXI_##channel##VALID]) && axi_bit(&pins->pin[AXI_##channel##READY]))
        if (axi_in_reset(&pins->rst)) {
            forget_all(p);
            continue;
        }
        if (TAKEN(AW)) start(m, p, AXI_AW);
        if (TAKEN(AR)) start(m, p, AXI_AR);
        if (TAKEN(W)) {
            struct beat *b = &p->early[p->early_count++];
            b->strobes = axi_get(pins, AXI_WSTRB, 0);
            memcpy(b->data, pins->pin[AXI_WDATA].at, pins->bytes);
            m->tokens -= (int64_t)pins->bytes;
        }
        p->response_taken = pins->writes && TAKEN(B);
        p->beat_taken = pins->reads && TAKEN(R);
#undef TAKEN
        if (p->early_count) place_data(m, p);
    }
}

/* ---- what it is shown, after the edge */

static void store(axi_memory *m, int port, unsigned place)
{
    struct port *p = m->ports[port];
    struct access *w = &p->writes.at[place];
    unsigned bus = p->p.bytes, count = 0;
    uint64_t begin = UINT64_MAX, end = 0; /* of what is written */
    int worst = AXI_OKAY;
    for (unsigned i = 0; i < w->at.beats; i++) {
        uint64_t address = axi_beat_address(&w->at, i), base = address & ~(uint64_t)(bus - 1),
                 strobes = w->data[i].strobes;
        p->stats.written_bytes += w->at.size - (unsigned)(address & (w->at.size - 1));
        if (!strobes) continue;
        uint64_t first = base + (unsigned)__builtin_ctzll(strobes),
                 after = base + 64 - (unsigned)__builtin_clzll(strobes);
        int response = response_of(m, first, (unsigned)(after - first));
        if (first < begin) begin = first;
        if (after > end) end = after;
        count += (unsigned)__builtin_popcountll(strobes);
        if (response > worst) worst = response;
        for (unsigned k = 0; response == AXI_OKAY && k < bus; k += 8)
            if (strobes >> k & 0xff) {
                uint64_t word;
                memcpy(&word, w->data[i].data + k, 8);
                memory_put64(m->bytes, base + k, word, (unsigned)(strobes >> k & 0xff));
            }
    }
    p->stats.writes++;
    p->stats.errors += worst != AXI_OKAY;
    axi_set(&p->p, AXI_BVALID, 1);
    axi_set(&p->p, AXI_BID, w->at.id);
    axi_set(&p->p, AXI_BRESP, (uint64_t)worst);
    axi_written event = {port,         count ? begin : w->at.address, count ? (unsigned)(end - begin) : 0, count, worst,
                         sim_now(m->s)};
    forget(&p->writes, place);
    for (int i = 0; i < m->listener_count; i++) m->listeners[i].fn(m->listeners[i].arg, &event);
}

static void show_beat(axi_memory *m, struct port *p, unsigned place)
{
    struct access *r = &p->reads.at[place];
    unsigned bus = p->p.bytes;
    uint64_t address = axi_beat_address(&r->at, r->done);
    unsigned size = r->at.size - (unsigned)(address & (r->at.size - 1));
    int response = response_of(m, address, size);
    uint8_t data[AXI_MOST_BYTES];
    memory_read(m->bytes, address & ~(uint64_t)(bus - 1), data, bus);
    if (response != AXI_OKAY) memset(data, 0xee, bus); /* no data */
    memcpy(p->p.pin[AXI_RDATA].at, data, bus);
    bool last = ++r->done == r->at.beats;
    axi_set(&p->p, AXI_RVALID, 1);
    axi_set(&p->p, AXI_RID, r->at.id);
    axi_set(&p->p, AXI_RRESP, (uint64_t)response);
    axi_set(&p->p, AXI_RLAST, last);
    m->tokens -= (int64_t)bus;
    p->stats.read_bytes += size;
    p->stats.errors += response != AXI_OKAY;
    p->stats.reads += last;
    p->reading = last ? -1 : (int)place;
    if (last) forget(&p->reads, place);
}

static void drive_port(axi_memory *m, int port)
{
    struct port *p = m->ports[port];
    const axi_pins *pins = &p->p;
    const axi_memory_params *q = &m->params;
    bool stalled = axi_in_reset(&pins->rst) || m->now < m->stalled_until, may_move = !q->bandwidth || m->tokens > 0;
#define READY(channel, room)                                                                                           \
    axi_set_bit(&pins->pin[AXI_##channel##READY],                                                                      \
                !stalled && (room) && !sim_chance(m->s, q->stall[AXI_##channel]) &&                                    \
                    (!q->ready_after_valid || axi_bit(&pins->pin[AXI_##channel##VALID])))
    if (p->response_taken || axi_in_reset(&pins->rst)) axi_set_bit(&pins->pin[AXI_BVALID], 0);
    if (p->beat_taken || axi_in_reset(&pins->rst)) axi_set_bit(&pins->pin[AXI_RVALID], 0);
    p->response_taken = p->beat_taken = false;
    if (pins->writes) {
        READY(AW, p->writes.count < q->outstanding);
        READY(W, p->early_count < q->early_beats && may_move);
        if (!stalled && !axi_bit(&pins->pin[AXI_BVALID]) && p->writes.count && !sim_chance(m->s, q->stall[AXI_B])) {
            int i = choose(m, &p->writes);
            if (i >= 0) store(m, port, (unsigned)i);
        }
    }
    if (pins->reads) {
        READY(AR, p->reads.count < q->outstanding);
        if (!stalled && !axi_bit(&pins->pin[AXI_RVALID]) && p->reads.count && may_move &&
            !sim_chance(m->s, q->stall[AXI_R])) {
            int i = p->reading >= 0 && !q->interleave ? p->reading : choose(m, &p->reads);
            if (i >= 0) show_beat(m, p, (unsigned)i);
        }
    }
#undef READY
}

static void drive(void *self)
{
    axi_memory *m = self;
    m->now++;
    m->tokens += m->params.bandwidth;
    if (m->tokens > (int64_t)m->params.bandwidth * BURST_CLOCKS)
        m->tokens = (int64_t)m->params.bandwidth * BURST_CLOCKS;
    for (int i = 0; i < m->port_count; i++)
        drive_port(m, (int)((m->now + (unsigned)i) % (unsigned)m->port_count)); /* in turn */
}

/* ---- life */

axi_memory *axi_memory_new(sim *s, sim_clock *clock, const axi_memory_params *params, const char *name)
{
    const char *wrong = axi_memory_params_check(params);
    if (wrong) {
        sim_fail(s, "%s: %s", name, wrong);
        return NULL;
    }
    axi_memory *m = calloc(1, sizeof *m);
    if (!m || !(m->bytes = memory_new())) {
        free(m);
        return NULL;
    }
    m->s = s;
    m->clock = clock;
    m->name = name;
    m->params = *params;
    sim_clock_attach(clock, sample, drive, m);
    return m;
}

void axi_memory_free(axi_memory *m)
{
    if (!m) return;
    sim_clock_detach(m->clock, m);
    for (int i = 0; i < m->port_count; i++) {
        forget_all(m->ports[i]);
        free(m->ports[i]);
    }
    memory_free(m->bytes);
    free(m);
}

int axi_memory_plug(axi_memory *m, const axi_pins *pins, const char *name)
{
    const char *wrong = !pins->master            ? "the pins are those of a slave, expected a master"
                        : pins->lite             ? "the pins are those of AXI4-Lite, expected AXI4"
                        : pins->bytes < 8        ? "the data bus has 32 bits, expected 64 .. 512"
                        : m->port_count == PORTS ? "too many ports"
                                                 : NULL;
    struct port *p = wrong ? NULL : calloc(1, sizeof *p);
    if (!p) {
        sim_fail(m->s, "%s: port %s: %s", m->name, name, wrong ? wrong : "no memory left");
        return -1;
    }
    snprintf(p->name, sizeof p->name, "%s", name);
    p->p = *pins;
    p->reading = -1;
    for (int i = 0; i < AXI_SIGNALS; i++)
        if (p->p.pin[i].at && !p->p.pin[i].output && i != AXI_RDATA) axi_set(&p->p, (axi_signal)i, 0);
    m->ports[m->port_count] = p;
    return m->port_count++;
}

memory *axi_memory_bytes(axi_memory *m) { return m->bytes; }

const char *axi_memory_set(axi_memory *m, const axi_memory_params *params)
{
    const char *wrong = axi_memory_params_check(params);
    if (!wrong) m->params = *params;
    return wrong;
}

int axi_memory_add_range(axi_memory *m, uint64_t address, uint64_t size, int response)
{
    if (m->range_count == RANGES) return -1;
    m->ranges[m->range_count].address = address;
    m->ranges[m->range_count].size = size;
    m->ranges[m->range_count++].response = response;
    return 0;
}

void axi_memory_clear_ranges(axi_memory *m) { m->range_count = 0; }

void axi_memory_stall(axi_memory *m, uint64_t clocks) { m->stalled_until = m->now + clocks + 1; }

int axi_memory_idle(const axi_memory *m)
{
    for (int i = 0; i < m->port_count; i++)
        if (m->ports[i]->reads.count || m->ports[i]->writes.count || m->ports[i]->early_count) return 0;
    return 1;
}

int axi_memory_on_written(axi_memory *m, axi_on_written fn, void *arg)
{
    if (m->listener_count == LISTENERS) return -1;
    m->listeners[m->listener_count].fn = fn;
    m->listeners[m->listener_count++].arg = arg;
    return 0;
}

const axi_memory_stats *axi_memory_get_stats(const axi_memory *m, int port) { return &m->ports[port]->stats; }
