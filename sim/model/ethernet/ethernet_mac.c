/* A MAC on the AXI4-Stream pins of a chip; the manual is in the header. */
#include "sim/model/ethernet/ethernet_mac.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"

enum { WIDEST = 64, ROOM_WORDS = 4 /* of the chip, in front of the line */ };

typedef struct arrived {
    struct arrived *next;
    sim_time time;
    int bad_fcs;
    size_t length;
    uint8_t bytes[];
} arrived;

typedef struct word {
    uint8_t data[WIDEST], keep[WIDEST / 8], last, valid;
} word;

struct ethernet_mac {
    sim *sim;
    sim_clock *clock;
    char *name;
    ethernet_pins pins;
    ethernet_mac_params params;
    ethernet_wire *wire;
    int end, on;
    /* to the chip */
    arrived *frames, **frames_end;
    unsigned waiting;
    size_t sent;          /* bytes of the first frame that have been on the pins */
    sim_time begin, idle; /* of the first frame, if sent != 0; when the next one may begin */
    uint64_t noise;
    /* from the chip */
    word held; /* as it stood when it was not taken */
    int holding, bad, ready;
    size_t length;           /* of the frame under way, 0: none */
    sim_time start, line_to; /* it begins on the line; the line has bytes until then */
    uint8_t frame[ETHERNET_LONGEST + WIDEST];
    ethernet_mac_stats stats;
    char broken[160];
};

void ethernet_mac_params_default(ethernet_mac_params *params, unsigned bytes)
{
    *params = (ethernet_mac_params){
        .bytes = bytes, .shortest = ETHERNET_SHORTEST, .longest = ETHERNET_LONGEST, .strict = 1, .seed = 1};
}

/* ---- from the chip ---- */

__attribute__((format(printf, 3, 4))) static void break_rule(ethernet_mac *m, ethernet_mac_rule rule,
                                                             const char *format, ...)
{
    m->stats.broken[rule]++;
    m->bad = 1;
    if (m->broken[0]) return;
    int used = snprintf(m->broken, sizeof m->broken, "%s at %" PRIu64 " ps, frame %" PRIu64 " of the chip: ", m->name,
                        sim_now(m->sim), m->stats.tx_frames);
    va_list arguments;

    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof m->broken)
        vsnprintf(m->broken + used, sizeof m->broken - (size_t)used, format, arguments);
    va_end(arguments);
    if (m->params.strict) sim_fail(m->sim, "%s", m->broken);
}

/* Bytes that tkeep says are there; -1: it has a hole, or none. */
static int kept(const word *w, unsigned bytes)
{
    unsigned count = 0;

    while (count < bytes && w->keep[count / 8] >> count % 8 & 1) count++;
    for (unsigned i = count; i < bytes; i++)
        if (w->keep[i / 8] >> i % 8 & 1) return -1;
    return count ? (int)count : -1;
}

static void look(const ethernet_mac *m, word *w)
{
    memset(w, 0, sizeof *w);
    w->valid = *m->pins.tx_tvalid & 1;
    if (!w->valid) return;
    memcpy(w->data, m->pins.tx_tdata, m->params.bytes);
    memcpy(w->keep, m->pins.tx_tkeep, m->params.bytes / 8);
    w->last = *m->pins.tx_tlast & 1;
}

static void end_frame(ethernet_mac *m, sim_time now)
{
    if (m->length < m->params.shortest)
        break_rule(m, ETHERNET_MAC_SHORT, "%zu bytes, expected %u or more", m->length, m->params.shortest);
    m->stats.tx_frames++;
    m->stats.tx_bytes += m->length;
    m->stats.tx_last = now;
    if (ethernet_wire_send(m->wire, m->end, m->frame, m->length, m->bad, m->start) < 0)
        sim_fail(m->sim, "%s: %s", m->name, ethernet_wire_error(m->wire));
    m->length = 0;
    m->bad = 0;
}

static void take(ethernet_mac *m, const word *w, sim_time now)
{
    unsigned bytes = m->params.bytes;
    int count = kept(w, bytes);

    if (!m->length) {
        sim_time idle = ethernet_wire_idle_at(m->wire, m->end);

        m->start = idle > now ? idle : now;
        m->line_to = m->start + ethernet_wire_time(m->wire, ETHERNET_PREAMBLE);
        m->stats.tx_first = now;
    }
    if (count < 0) break_rule(m, ETHERNET_MAC_KEEP, "tkeep expected to be ones from byte 0 on, then zeros");
    else if (!w->last && count != (int)bytes)
        break_rule(m, ETHERNET_MAC_KEEP, "tkeep expected to be all ones before the last word");
    if (count < 0) count = (int)bytes;
    if (m->length + (unsigned)count > m->params.longest) {
        if (m->length <= m->params.longest) break_rule(m, ETHERNET_MAC_LONG, "more than %u bytes", m->params.longest);
        count = 0; /* the rest of it goes nowhere */
    }
    memcpy(m->frame + m->length, w->data, (size_t)count);
    m->length += (size_t)count;
    m->line_to += ethernet_wire_time(m->wire, (uint64_t)count);
    if (w->last) end_frame(m, now);
}

static void sample(void *self)
{
    ethernet_mac *m = self;
    sim_time now = sim_now(m->sim);
    word w;

    if (!m->on) return;
    look(m, &w);
    if (m->holding && memcmp(&w, &m->held, sizeof w) != 0)
        break_rule(m, ETHERNET_MAC_UNSTABLE,
                   w.valid ? "a word changed before it was taken" : "tvalid fell before the word was taken");
    m->holding = w.valid && !m->ready;
    if (m->holding) m->held = w;
    if (!m->ready) return;
    if (w.valid) take(m, &w, now);
    else if (m->length)
        break_rule(m, ETHERNET_MAC_GAP, "no word after %zu bytes, expected one in each clock", m->length);
}

/* Whether a word may be taken at the next edge: as long as there is room in front of the line. */
static int tx_ready(const ethernet_mac *m, sim_time now)
{
    sim_time next = now + sim_clock_period(m->clock),
             busy_to = m->length ? m->line_to : ethernet_wire_idle_at(m->wire, m->end);

    return busy_to <= next + ethernet_wire_time(m->wire, ETHERNET_PREAMBLE + ROOM_WORDS * m->params.bytes);
}

/* ---- to the chip ---- */

static void deliver(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    ethernet_mac *m = self;
    arrived *a;

    if (!m->on || !length) return;
    a = malloc(sizeof *a + length);
    if (!a) {
        sim_fail(m->sim, "%s: out of memory", m->name);
        return;
    }
    *a = (arrived){.time = time, .bad_fcs = bad_fcs, .length = length};
    memcpy(a->bytes, frame, length);
    *m->frames_end = a;
    m->frames_end = &a->next;
    m->waiting++;
}

static void drop_first(ethernet_mac *m)
{
    arrived *a = m->frames;

    m->frames = a->next;
    if (!m->frames) m->frames_end = &m->frames;
    m->waiting--;
    m->sent = 0;
    free(a);
}

static void put_noise(ethernet_mac *m, uint8_t *bytes, size_t count)
{
    for (uint64_t r = 0; count; count--, r >>= 8) {
        if (!r) r = splitmix64(&m->noise);
        *bytes++ = (uint8_t)r;
    }
}

static void show(ethernet_mac *m, const arrived *a, size_t count)
{
    unsigned bytes = m->params.bytes;
    int last = m->sent + count == a->length;
    uint64_t keep = count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;

    memcpy(m->pins.rx_tdata, a->bytes + m->sent, count);
    put_noise(m, m->pins.rx_tdata + count, bytes - count);
    for (unsigned i = 0; i < bytes / 8; i++) m->pins.rx_tkeep[i] = (uint8_t)(keep >> 8 * i);
    *m->pins.rx_tlast = (uint8_t)last;
    *m->pins.rx_tuser = (uint8_t)(last && a->bad_fcs);
    *m->pins.rx_tvalid = 1;
}

static void rx_clock(ethernet_mac *m, sim_time now)
{
    arrived *a = m->frames;
    size_t count;

    if (a && !m->sent) m->begin = a->time > m->idle ? a->time : m->idle;
    count = a ? a->length - m->sent : 0;
    if (count > m->params.bytes) count = m->params.bytes;
    if (!a || m->begin + ethernet_wire_time(m->wire, ETHERNET_PREAMBLE + m->sent + count) > now) {
        if (*m->pins.rx_tvalid) {
            *m->pins.rx_tvalid = 0;
            put_noise(m, m->pins.rx_tdata, m->params.bytes);
            *m->pins.rx_tlast = *m->pins.rx_tuser = 0;
        }
        return;
    }
    show(m, a, count);
    if (!m->sent) m->stats.rx_first = now;
    m->sent += count;
    if (m->sent < a->length) return;
    m->stats.rx_last = now;
    m->stats.rx_frames++;
    m->stats.rx_bytes += a->length;
    m->stats.rx_bad += a->bad_fcs != 0;
    m->idle =
        m->begin + ethernet_wire_time(m->wire, ETHERNET_PREAMBLE +
                                                   (a->length < ETHERNET_SHORTEST ? ETHERNET_SHORTEST : a->length) +
                                                   ETHERNET_FCS + ETHERNET_GAP);
    drop_first(m);
}

static void drive(void *self)
{
    ethernet_mac *m = self;
    sim_time now = sim_now(m->sim);

    ethernet_wire_run(m->wire, now);
    rx_clock(m, now);
    m->ready = m->on && tx_ready(m, now);
    *m->pins.tx_tready = (uint8_t)m->ready;
}

/* ---- life ---- */

static void dump(void *self, FILE *out)
{
    const ethernet_mac *m = self;
    const ethernet_mac_stats *s = &m->stats;

    fprintf(out,
            "%s: to the chip %" PRIu64 " frames (%" PRIu64 " with a wrong FCS), %u waiting; from it %" PRIu64
            " frames%s%s\n",
            m->name, s->rx_frames, s->rx_bad, m->waiting, s->tx_frames, m->broken[0] ? "; " : "", m->broken);
}

static const char *complaint(const ethernet_mac_params *p)
{
    if (p->bytes != 8 && p->bytes != 64) return "bytes: expected 8 or 64";
    if (p->longest < 1 || p->longest > ETHERNET_LONGEST || p->shortest > p->longest)
        return "shortest, longest: expected no more than 9216 bytes, and shortest no more than longest";
    return NULL;
}

ethernet_mac *ethernet_mac_new(sim *sim, sim_clock *clock, const ethernet_pins *pins, const ethernet_mac_params *params,
                               ethernet_wire *wire, int end, const char *name)
{
    const char *wrong = complaint(params);
    ethernet_mac *m = wrong ? NULL : calloc(1, sizeof *m);

    if (m) m->name = strdup(name);
    if (!m || !m->name) {
        free(m);
        sim_fail(sim, "MAC %s: %s", name, wrong ? wrong : "out of memory");
        return NULL;
    }
    m->sim = sim;
    m->clock = clock;
    m->pins = *pins;
    m->params = *params;
    m->wire = wire;
    m->end = end;
    m->on = 1;
    m->frames_end = &m->frames;
    m->noise = params->seed;
    *m->pins.rx_tvalid = *m->pins.rx_tlast = *m->pins.rx_tuser = *m->pins.tx_tready = 0;
    put_noise(m, m->pins.rx_tdata, params->bytes);
    memset(m->pins.rx_tkeep, 0xff, params->bytes / 8);
    ethernet_wire_connect(wire, end, deliver, m);
    sim_clock_attach(clock, sample, drive, m);
    sim_report(sim, clock, dump, m, "MAC");
    return m;
}

void ethernet_mac_free(ethernet_mac *m)
{
    if (!m) return;
    sim_clock_detach(m->clock, m);
    ethernet_wire_connect(m->wire, m->end, NULL, NULL);
    while (m->frames) drop_first(m);
    free(m->name);
    free(m);
}

void ethernet_mac_enable(ethernet_mac *m, int on)
{
    if (m->on && !on) {
        while (m->frames) drop_first(m);
        m->length = 0;
        m->bad = m->holding = m->ready = 0;
        *m->pins.tx_tready = 0;
    }
    m->on = on;
}

const ethernet_mac_stats *ethernet_mac_get_stats(const ethernet_mac *m) { return &m->stats; }

const char *ethernet_mac_first_broken(const ethernet_mac *m) { return m->broken; }

unsigned ethernet_mac_waiting(const ethernet_mac *m) { return m->waiting; }
