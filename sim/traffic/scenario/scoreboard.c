#include "sim/traffic/scenario/scoreboard.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/model/cable/frame.h"

enum { LOST_MANY = 2048 /* [link words] */ };

struct entry {
    sim_time created;
    uint64_t identity; /* first word of the contents: that of the original packet for an answer */
    uint32_t offset;   /* in both rings */
    uint32_t taken;    /* bytes of the ring, those skipped at its end included */
    uint32_t written;  /* bytes of it in memory */
    uint32_t shift;    /* packets of the flow before it that are not written down */
    uint16_t words;
    uint8_t came, bad;             /* all words are in memory; ... and differ from those sent */
    uint8_t notify, lost, suspect; /* suspect: its notification must be flagged */
};

struct flow {
    struct entry *entry; /* ring */
    uint32_t room;       /* of it, a power of two */
    /* entries: first <= landed <= made; first..landed: in memory, their notifications are still to come */
    uint32_t first, landed, made;
    sim_time begun;      /* the first word moved of a write that is not over; else 0 */
    uint32_t next, used; /* of the ring of bytes */
    int suspect;         /* something was lost or damaged since the last entry with a notification */
    unsigned again;      /* notifications that may carry a loss indication although their losses have been reported */
    uint32_t shift;      /* of the next entry */
    int sequence_known;
    uint32_t sequence_offset; /* sequence number in the header less the entry's number, modulo what it has */
    uint64_t packets, words;
};

struct scoreboard {
    scoreboard_params p;
    scoreboard_place place[SCOREBOARD_NODES];
    struct flow flow[SCOREBOARD_NODES][SCOREBOARD_NODES];
    scoreboard_counts counts;
    overtaking overtaking;
    fairness *fairness[SCOREBOARD_NODES]; /* by sender; NULL: none */
    int stops;                            /* receivers may stop */
    sim_time now;                         /* of the last write */
    unsigned crc_hits;                    /* still allowed */
    unsigned
        units[SCOREBOARD_NODES]; /* lost on the way to that node, less those that allowed another flag [link words] */
    char error[400];
};

static void breach(scoreboard *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void breach(scoreboard *c, const char *format, ...)
{
    if (*c->error) return;
    va_list list;
    va_start(list, format);
    vsnprintf(c->error, sizeof c->error, format, list);
    va_end(list);
    if (c->p.failed) c->p.failed(c->p.self, c->error);
}

scoreboard *scoreboard_new(const scoreboard_params *params)
{
    scoreboard *c = params->nodes <= SCOREBOARD_NODES ? calloc(1, sizeof *c) : NULL;
    if (!c) return NULL;
    c->p = *params;
    for (unsigned i = 0; i < params->nodes && params->fairness; i++)
        if (!(c->fairness[i] = fairness_new(params->nodes, params->fairness))) {
            scoreboard_free(c);
            return NULL;
        }
    return c;
}

void scoreboard_free(scoreboard *c)
{
    if (!c) return;
    for (unsigned i = 0; i < SCOREBOARD_NODES; i++)
        for (unsigned k = 0; k < SCOREBOARD_NODES; k++) free(c->flow[i][k].entry);
    for (unsigned i = 0; i < SCOREBOARD_NODES; i++) fairness_free(c->fairness[i]);
    free(c);
}

void scoreboard_node(scoreboard *c, unsigned node, const scoreboard_place *place) { c->place[node] = *place; }

void scoreboard_allow_losses(scoreboard *c, int lossy, unsigned crc_hits)
{
    c->p.lossy = lossy;
    c->crc_hits = crc_hits;
}

void scoreboard_allow_stops(scoreboard *c, int stops) { c->stops = stops; }

static struct entry *entry_at(const struct flow *f, uint32_t number) { return &f->entry[number & (f->room - 1)]; }

/* ---- contents ---- */

/* Sender, receiver, length, number; and six bits of the seed, so that the first word alone distinguishes runs. */
static uint64_t identity(const scoreboard *c, unsigned from, unsigned to, unsigned words, uint32_t number)
{
    return (uint64_t)from << 56 | (uint64_t)to << 48 | (splitmix64_mix(c->p.seed + 1) & 0x3f) << 42 |
           (uint64_t)words << 32 | number;
}

static uint64_t word_of(const scoreboard *c, uint64_t identity, unsigned i)
{
    return i ? splitmix64_mix(identity + c->p.seed * 0x9e3779b97f4a7c15u + i) : identity;
}

/* ---- making ---- */

static uint32_t needs(const scoreboard *c, const struct flow *f, unsigned words)
{
    uint32_t bytes = 8 * words, left = c->p.ring_bytes - f->next;
    return bytes <= left ? bytes : bytes + left;
}

int scoreboard_room(const scoreboard *c, unsigned from, unsigned to, unsigned words)
{
    const struct flow *f = &c->flow[from][to];
    return f->used + needs(c, f, words) <= c->p.ring_bytes;
}

uint32_t scoreboard_missing(const scoreboard *c, unsigned from, unsigned to, sim_time *since)
{
    const struct flow *f = &c->flow[from][to];
    *since = f->begun;
    return c->p.lossy || f->landed == f->made ? 0
                                              : 8u * entry_at(f, f->landed)->words - entry_at(f, f->landed)->written;
}

static void grow(struct flow *f)
{
    uint32_t room = f->room ? 2 * f->room : 256;
    struct entry *bigger = malloc(room * sizeof *bigger);
    if (!bigger) {
        fprintf(stderr, "scenario: out of memory\n");
        exit(1);
    }
    for (uint32_t i = f->first; i != f->made; i++) bigger[i & (room - 1)] = *entry_at(f, i);
    free(f->entry);
    f->entry = bigger;
    f->room = room;
}

static void write_down(scoreboard *c, const scoreboard_packet *want, uint64_t known, sim_time created, int notify,
                       scoreboard_packet *packet)
{
    struct flow *f = &c->flow[want->from][want->to];
    if (f->made - f->first >= f->room) grow(f);
    if (c->fairness[want->from] && fairness_posted(c->fairness[want->from], want->to)) breach(c, "out of memory");
    struct entry *e = entry_at(f, f->made);
    *e = (struct entry){
        .created = created, .words = (uint16_t)want->words, .notify = (uint8_t)(notify != 0), .shift = f->shift};
    e->taken = needs(c, f, want->words);
    e->offset = e->taken == 8 * want->words ? f->next : 0;
    e->identity = known ? known : identity(c, want->from, want->to, want->words, f->made);
    f->next = (e->offset + 8 * want->words) % c->p.ring_bytes;
    f->used += e->taken;
    *packet = *want;
    packet->number = f->made++;
    packet->source = c->place[want->from].send + (uint64_t)want->to * c->p.ring_bytes + e->offset;
    packet->destination = (uint32_t)(c->place[want->to].receive + (uint64_t)want->from * c->p.ring_bytes + e->offset);
}

void scoreboard_make(scoreboard *c, unsigned from, unsigned to, unsigned words, sim_time created, int notify,
                     scoreboard_packet *packet)
{
    scoreboard_packet want = {.from = from, .to = to, .words = words};
    write_down(c, &want, 0, created, notify, packet);
    for (unsigned i = 0; i < words; i++)
        memory_put64(c->place[from].memory, packet->source + 8 * i,
                     word_of(c, identity(c, from, to, words, packet->number), i), 0xff);
}

void scoreboard_echo(scoreboard *c, const scoreboard_packet *original, sim_time created, int notify,
                     scoreboard_packet *packet)
{
    scoreboard_packet want = {.from = original->to, .to = original->from, .words = original->words};
    write_down(c, &want, identity(c, original->from, original->to, original->words, original->number), created, notify,
               packet);
    packet->source = original->destination;
}

void scoreboard_shift(scoreboard *c, unsigned from, unsigned to, uint32_t number, uint32_t by)
{
    struct flow *f = &c->flow[from][to];
    for (; number != f->made; number++) entry_at(f, number)->shift += by;
    f->shift += by;
}

/* ---- checking ---- */

static int same(const scoreboard *c, unsigned node, uint64_t address, const struct entry *e, unsigned *where,
                uint64_t *got)
{
    for (unsigned i = 0; i < e->words; i++) {
        *where = i;
        *got = memory_get64(c->place[node].memory, address + 8 * i);
        if (*got != word_of(c, e->identity, i)) return 0;
    }
    return 1;
}

/* Over several paths a loss shows in the sequence numbers. If it is so large that numbers may wrap, each source that
 * may be affected gets a loss indication (rtl/nic/link/link_lost_many: 2048 units at least). */
static void expect_repeated(scoreboard *c, unsigned to, unsigned units)
{
    c->units[to] += units;
    if (!c->p.any_order || c->units[to] < LOST_MANY) return;
    c->units[to] -= LOST_MANY;
    for (unsigned from = 0; from < c->p.nodes; from++) c->flow[from][to].again++;
}

/* The oldest entry that has not landed is over: it is here, or lost. */
static void over(scoreboard *c, unsigned from, unsigned to)
{
    struct flow *f = &c->flow[from][to];
    struct entry *e = entry_at(f, f->landed++);
    f->used -= e->taken;
    const char *still = c->fairness[from] ? fairness_gone(c->fairness[from], to, e->words, 1) : NULL;
    if (still && !c->p.lossy && !c->stops)
        breach(c, "node %u: %s, landed at %.3f us", from, still, 1e-6 * (double)c->now);
    if (e->came) {
        f->suspect |= e->bad;
        if (e->notify) {
            e->suspect = (uint8_t)f->suspect;
            f->suspect = 0;
        }
        return;
    }
    e->lost = 1;
    f->suspect = 1;
    expect_repeated(c, to, frame_units(e->words));
    c->counts.lost++;
    if (c->p.lost) c->p.lost(c->p.self, from, to, e->words, e->created);
}

/* Entries up to `next` that have not landed are lost. */
static void skip_to(scoreboard *c, unsigned from, unsigned to, uint32_t next)
{
    while (c->flow[from][to].landed != next) over(c, from, to);
}

/* Removes the entries that need no notification any more. */
static void forget(struct flow *f)
{
    while (f->first != f->landed && (entry_at(f, f->first)->lost || !entry_at(f, f->first)->notify)) f->first++;
}

static void land(scoreboard *c, unsigned from, unsigned to, uint32_t number, sim_time when)
{
    struct flow *f = &c->flow[from][to];
    struct entry *e = entry_at(f, number);
    uint64_t address = c->place[to].receive + (uint64_t)from * c->p.ring_bytes + e->offset, got;
    unsigned where;
    if (!same(c, to, address, e, &where, &got)) {
        if (!c->p.lossy)
            breach(c,
                   "packet %u of flow %u>%u (%u words at node %u, 0x%" PRIx64 "): word %u is 0x%016" PRIx64
                   ", expected 0x%016" PRIx64,
                   number, from, to, e->words, to, address, where, got, word_of(c, e->identity, where));
        c->counts.damaged++;
        if (c->p.damaged) c->p.damaged(c->p.self, from, to);
        e->bad = 1;
    }
    e->came = 1;
    overtaking_add(&c->overtaking, number - f->landed);
    while (f->landed != f->made && entry_at(f, f->landed)->came) over(c, from, to);
    f->packets++;
    f->words += e->words;
    c->counts.landed++;
    c->counts.words += e->words;
    if (c->p.landed) c->p.landed(c->p.self, from, to, e->words, e->created, when);
    forget(f);
}

static void data_written(scoreboard *c, unsigned from, unsigned to, uint32_t offset, unsigned bytes, sim_time when)
{
    struct flow *f = &c->flow[from][to];
    uint32_t n = f->landed;
    f->begun = 0;
    /* the oldest packet it can belong to */
    while (n != f->made && (entry_at(f, n)->came || entry_at(f, n)->offset + entry_at(f, n)->written != offset)) n++;
    if (n == f->made) {
        breach(c,
               "flow %u>%u: %u bytes written at 0x%" PRIx64
               " of node %u, where no packet is due (next is packet %u of %u made)",
               from, to, bytes, c->place[to].receive + (uint64_t)from * c->p.ring_bytes + offset, to, f->landed,
               f->made);
        return;
    }
    if (n != f->landed && !c->p.any_order) {
        if (!c->p.lossy) {
            breach(c, "flow %u>%u: packet %u comes, packet %u has not (lost, cut short or out of order)", from, to, n,
                   f->landed);
            return;
        }
        skip_to(c, from, to, n);
    }
    struct entry *e = entry_at(f, n);
    e->written += bytes;
    if (e->written > 8u * e->words)
        breach(c, "flow %u>%u: packet %u has %u words, %u bytes have come", from, to, n, e->words, e->written);
    else if (e->written == 8u * e->words) land(c, from, to, n, when);
}

/* In any order, with losses: a notification belongs to the oldest packet with its address that requests one; packets
 * before it that have not landed are lost. */
static void skip_to_notified(scoreboard *c, unsigned from, unsigned to, uint64_t header)
{
    struct flow *f = &c->flow[from][to];
    uint64_t base = c->place[to].receive + (uint64_t)from * c->p.ring_bytes;
    uint32_t n = f->first;
    while (n != f->made && !(entry_at(f, n)->notify && entry_at(f, n)->came &&
                             (uint32_t)(base + entry_at(f, n)->offset) == (uint32_t)header))
        n++;
    if (n != f->made && n - f->landed < f->made - f->landed) skip_to(c, from, to, n + 1);
}

static void notified(scoreboard *c, unsigned from, unsigned to, uint64_t header)
{
    struct flow *f = &c->flow[from][to];
    unsigned id = c->place[from].id, numbers = c->p.any_order ? 2 * FRAME_SEQUENCES : FRAME_SEQUENCES;
    if (c->p.any_order && c->p.lossy) skip_to_notified(c, from, to, header);
    forget(f);
    if (f->first == f->landed) {
        breach(c, "flow %u>%u: notification 0x%016" PRIx64 " at node %u, and no packet in memory waits for one", from,
               to, header, to);
        return;
    }
    const struct entry *e = entry_at(f, f->first);
    uint32_t address = (uint32_t)(c->place[to].receive + (uint64_t)from * c->p.ring_bytes + e->offset);
    frame_header h = frame_header_read(header);
    unsigned sequence = (unsigned)(header >> 42) % numbers, flagged = (unsigned)(header >> 63);
    if (h.address != address || h.length != e->words || h.flow != id)
        breach(c, "flow %u>%u: notification 0x%016" PRIx64 ", expected source %u, %u words, address 0x%08x (packet %u)",
               from, to, header, id, e->words, address, f->first);
    if (flagged && !e->suspect && f->again) f->again--;
    else if (flagged && !e->suspect && c->crc_hits) c->crc_hits--;
    else if (flagged != e->suspect)
        breach(c, "flow %u>%u: the notification of packet %u is %s, expected %s", from, to, f->first,
               flagged ? "flagged" : "not flagged",
               e->suspect ? "flagged: data before it or its own are lost" : "good");
    if (!f->sequence_known) f->sequence_offset = (sequence - f->first - e->shift) % numbers;
    f->sequence_known = 1;
    if (sequence != (f->first + e->shift + f->sequence_offset) % numbers)
        breach(c, "flow %u>%u: packet %u has sequence number %u, expected %u", from, to, f->first, sequence,
               (f->first + e->shift + f->sequence_offset) % numbers);
    c->counts.notifications++;
    c->counts.flagged += flagged;
    f->first++;
    forget(f);
}

/* The node with that ID, -1: none. */
static int sender_of(const scoreboard *c, unsigned id)
{
    for (unsigned i = 0; i < c->p.nodes; i++)
        if (c->place[i].id == id) return (int)i;
    return -1;
}

void scoreboard_allow_hit(scoreboard *c) { c->crc_hits++; }

void scoreboard_drop(scoreboard *c, unsigned from, unsigned to)
{
    skip_to(c, from, to, c->flow[from][to].made);
    forget(&c->flow[from][to]);
}

int scoreboard_unreported(const scoreboard *c, unsigned from, unsigned to) { return c->flow[from][to].suspect; }

/* The flow whose packets lie there at the node; NULL: of none. `at`: the place in the rings of the node. */
static struct flow *flow_at(scoreboard *c, unsigned node, uint64_t address, uint64_t *at)
{
    *at = address - c->place[node].receive;
    return *at < (uint64_t)c->p.nodes * c->p.ring_bytes ? &c->flow[*at / c->p.ring_bytes][node] : NULL;
}

void scoreboard_begun(scoreboard *c, unsigned node, uint64_t address, sim_time when)
{
    uint64_t at;
    struct flow *f = flow_at(c, node, address, &at);
    if (f) f->begun = when;
}

void scoreboard_written(scoreboard *c, unsigned node, uint64_t address, unsigned bytes, uint64_t word, sim_time when)
{
    const scoreboard_place *p = &c->place[node];
    uint64_t at;
    c->now = when;
    if (flow_at(c, node, address, &at)) {
        data_written(c, (unsigned)(at / c->p.ring_bytes), node, (uint32_t)(at % c->p.ring_bytes), bytes, when);
    } else if (address - p->notifications < 1024) {
        int from = sender_of(c, (unsigned)(address - p->notifications) / 8);
        if (from < 0) breach(c, "node %u: a notification at 0x%" PRIx64 ": its source is no node", node, address);
        else if (bytes == 8) notified(c, (unsigned)from, node, word);
        else breach(c, "node %u: a notification of %u bytes at 0x%" PRIx64, node, bytes, address);
    } else if (address - p->notifications >= 4096) { /* the rest of the page: local notifications */
        breach(c, "node %u: its NIC wrote %u bytes at 0x%" PRIx64 ", where no packet is awaited", node, bytes, address);
    }
}

/* ---- the end ---- */

uint64_t scoreboard_under_way(const scoreboard *c, int from, int to)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < c->p.nodes; i++)
        for (unsigned k = 0; k < c->p.nodes; k++)
            if (from < 0 || (i == (unsigned)from && k == (unsigned)to)) n += c->flow[i][k].made - c->flow[i][k].first;
    return n;
}

int scoreboard_finish(scoreboard *c)
{
    for (unsigned i = 0; i < c->p.nodes; i++)
        for (unsigned k = 0; k < c->p.nodes; k++) {
            struct flow *f = &c->flow[i][k];
            if (f->landed != f->made) {
                if (!c->p.lossy)
                    breach(c, "flow %u>%u: packets %u to %u never came (%u bytes of the first have)", i, k, f->landed,
                           f->made - 1, entry_at(f, f->landed)->written);
                skip_to(c, i, k, f->made);
            }
            forget(f);
            if (f->first != f->landed)
                breach(c, "flow %u>%u: the notification of packet %u never came", i, k, f->first);
            f->first = f->landed;
        }
    return *c->error ? -1 : 0;
}

const char *scoreboard_error(const scoreboard *c) { return c->error; }

uint64_t scoreboard_passed(const scoreboard *c)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < SCOREBOARD_NODES; i++)
        if (c->fairness[i] && fairness_most(c->fairness[i]) > most) most = fairness_most(c->fairness[i]);
    return most;
}

scoreboard_counts scoreboard_count(const scoreboard *c)
{
    scoreboard_counts counts = c->counts;
    for (unsigned i = 0; i < c->p.nodes; i++)
        for (unsigned k = 0; k < c->p.nodes; k++) counts.made += c->flow[i][k].made;
    return counts;
}

overtaking *scoreboard_overtaking(scoreboard *c) { return &c->overtaking; }

void scoreboard_flow_count(const scoreboard *c, unsigned from, unsigned to, uint64_t *packets, uint64_t *words)
{
    *packets = c->flow[from][to].packets;
    *words = c->flow[from][to].words;
}
