/* Packets, from their descriptors to their notifications. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/observe/trace/trace_private.h"

static const char *const stage_names[STAGES] = {"host",      "request queue", "DMA read", "VOQ",
                                                "cable",     "switch",        "cable",    "receive buffer",
                                                "DMA write", "notification"};

void life_name(const descriptor *d, const char *what, uint64_t number, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%s%s%u>%u #%" PRIu64, what, *what ? " " : "", d->from, d->to, number);
}

static void packet_name(const packet *p, const char *what, char name[NAME_ROOM])
{
    life_name(p->d, what, p->number, name);
}

static void let_go(descriptor *d)
{
    if (--d->users) return;
    free(d->part);
    free(d);
}

/* ---- the end of a packet ---- */

static void lives(trace *t, const packet *p, sim_time end, const char *how)
{
    const descriptor *d = p->d;
    char name[NAME_ROOM], args[200];
    uint64_t id = ++t->ids;
    int last = -1;
    sim_time begin = p->begin[HOST] ? p->begin[HOST] : p->begin[QUEUE], latency = p->landed - begin;
    if (!trace_takes(t, begin, end)) return;
    snprintf(name, sizeof name, "%u>%u", d->from, d->to);
    int n = snprintf(args, sizeof args, "\"from\":%u,\"to\":%u,\"number\":%" PRIu64 ",\"bytes\":%u", d->from, d->to,
                     p->number, 8 * p->words);
    if (p->landed)
        n += snprintf(args + n, sizeof args - (size_t)n, ",\"latency_ns\":%" PRIu64 ".%03" PRIu64, latency / SIM_NS,
                      latency % SIM_NS);
    if (how) snprintf(args + n, sizeof args - (size_t)n, ",\"%s\":1", how);
    trace_file_span(t->file, 'b', P_LIVES, begin, id, name, args);
    for (int i = 0; i < STAGES; i++) {
        if (!p->begin[i]) continue;
        if (last >= 0) trace_file_span(t->file, 'e', P_LIVES, p->begin[i], id, stage_names[last], NULL);
        trace_file_span(t->file, 'b', P_LIVES, p->begin[i], id, stage_names[last = i], NULL);
    }
    trace_file_span(t->file, 'e', P_LIVES, end, id, stage_names[last], NULL);
    trace_file_span(t->file, 'e', P_LIVES, end, id, name, NULL);
}

static int by_time(const void *a, const void *b)
{
    const touch *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void arrow(trace *t, touch *at, unsigned count, uint64_t id)
{
    if (count < 2) return;
    qsort(at, count, sizeof *at, by_time);
    for (unsigned i = 0; i < count; i++)
        trace_file_arrow(t->file, i == 0 ? 's' : i + 1 == count ? 'f' : 't', at[i].process, at[i].track, at[i].at, id);
}

/* No cable knows it any more. */
static void forget(trace *t, const packet *p)
{
    for (unsigned i = 0; i < t->wires; i++)
        for (int from = 0; from < 2; from++) {
            lane *l = &t->wire[i]->lane[from];
            if (l->now == p) l->now = NULL;
            for (unsigned k = 0; k < l->count; k++) {
                struct flying *f = &l->flying[(l->first + k) % FLIGHT];
                if (f->p == p) f->p = NULL;
            }
        }
}

/* How it ended, NULL: as it should. */
static void finish(trace *t, packet *p, const char *how)
{
    lives(t, p, p->notified ? p->notified : p->landed ? p->landed : p->latest, how);
    if (trace_takes(t, p->latest, p->latest)) arrow(t, p->touch, p->touches, ++t->ids);
    if (how) forget(t, p);
    let_go(p->d);
    free(p);
}

static void lost(trace *t, packet *p)
{
    long *held = &t->held[p->link][p->d->from][p->d->to];
    if (p->begin[SWITCH] && !p->begin[CABLE_IN]) *held -= frame_units(p->words);
    if (p->begin[RECEIVE]) t->seat[p->d->to]->received -= 8 * p->words - p->written;
    p->latest = sim_now(t->s);
    t->result.lost++;
    finish(t, p, "lost");
}

/* Those in front of `p` in its flow and on its link that are not yet in this stage will never be: it has overtaken
 * them. */
static void overtakes(trace *t, const packet *p, enum stage stage)
{
    packet **at = &t->flight[p->d->from][p->d->to];
    while (*at != p) {
        packet *before = *at;
        if (before->begin[stage] || before->link != p->link) {
            at = &before->next;
            continue;
        }
        *at = before->next;
        lost(t, before);
    }
}

void life_touches(packet *p, touch at)
{
    if (at.process && p->touches < TOUCHES) p->touch[p->touches++] = at;
}

/* ---- at the sender ---- */

void life_posted(seat *h, unsigned slot)
{
    trace *t = h->t;
    const uint32_t *w = h->word + 4 * slot;
    unsigned q = slot / h->depth, flow = w[3] >> 20 & 127, words = w[3] & 1023, to = t->f->chip.model ? flow : !h->i;
    uint64_t ordinal = ++h->ordinal[q];
    if (!words || words > 512 || to >= t->nodes) return; /* skipped by the NIC, or without a receiver */
    descriptor *d = trace_memory(sizeof *d), **end = &h->queue[q];
    *d = (descriptor){.from = h->i,
                      .to = to,
                      .words = words,
                      .users = 1,
                      .remote = w[3] >> 30 & 1,
                      .local = w[3] >> 29 & 1,
                      .source = (uint64_t)w[1] << 32 | w[0],
                      .destination = w[2],
                      .ordinal = ordinal,
                      .posted = sim_now(t->s)};
    while (*end) end = &(*end)->next;
    *end = d;
    h->fresh[h->fresh_count++] = d;
    trace_value(t, P_NIC + h->i, "request queue [descriptors]", ++h->waiting);
}

descriptor *life_read(seat *h, uint64_t address)
{
    descriptor *found = NULL;
    for (int q = 0; q < QUEUES; q++) {
        descriptor *d = h->queue[q];
        while (d && d->requested == 8 * d->words) d = d->next;
        if (d && d->source + d->requested == address && (!found || d->posted < found->posted)) found = d;
    }
    return found;
}

/* The one that a packet with this address belongs to. On one link its packets leave in order, and those in front of it
 * in its queue have been abandoned. */
static descriptor *sender_of(seat *h, unsigned q, uint32_t address)
{
    descriptor *d = h->queue[q];
    bool in_order = h->t->f->links == 1;
    while (d && (in_order ? d->destination + 8 * d->sent != address : address - d->destination >= 8 * d->words))
        d = d->next;
    while (d && in_order && h->queue[q] != d) {
        descriptor *skipped = h->queue[q];
        if (!skipped->requested) h->waiting--;
        h->queue[q] = skipped->next;
        let_go(skipped);
    }
    return d;
}

static void count_sent(wire *w, lane *l, unsigned flow, unsigned words)
{
    char name[NAME_ROOM];
    l->sent[flow] = (l->sent[flow] + frame_units(words)) & 0xfff;
    snprintf(name, sizeof name, "%s, not credited, flow %u [words]", l->from ? "in" : "out", flow);
    trace_value(w->t, w->process, name, (l->sent[flow] - l->credit[flow]) & 0xfff);
}

static void leaves_voq(seat *h, packet *p, unsigned first, sim_time sop)
{
    char name[NAME_ROOM], track[NAME_ROOM];
    descriptor *d = p->d;
    p->begin[QUEUE] = d->posted;
    p->begin[READ] = p->begin[VOQ] = sop;
    life_touches(p, d->post);
    for (unsigned i = 0; i < d->parts; i++) {
        const struct part *r = &d->part[i];
        if (r->end <= 8 * first) continue;
        if (p->begin[READ] == sop) {
            p->begin[READ] = r->begin;
            life_touches(p, r->touch);
        }
        if (r->end < 8 * (first + p->words)) continue;
        if (r->done && r->done < sop) p->begin[VOQ] = r->done;
        break;
    }
    h->voq[d->to] -= 8 * p->words;
    snprintf(track, sizeof track, "VOQ of node %u [bytes]", d->to);
    trace_value(h->t, P_NIC + h->i, track, h->voq[d->to] > 0 ? h->voq[d->to] : 0);
    packet_name(p, "", name);
    snprintf(track, sizeof track, "VOQ of node %u, first in it", d->to);
    life_touches(p, trace_slice(h->t, &h->voq_head[d->to], p->begin[VOQ], sop, name, NULL, track));
}

void life_sent(wire *w, lane *l, const sniffer_frame *f)
{
    trace *t = w->t;
    bool direct = !t->f->chip.model;
    seat *h = t->seat[direct && l->from ? 1 : w->node];
    descriptor *d = NULL;
    unsigned q = direct ? 0 : f->flow;
    for (; !d && q < (direct ? QUEUES : f->flow + 1) && q < QUEUES; q++) d = sender_of(h, q, f->address);
    if (!d) return;
    q--;
    packet *p = trace_memory(sizeof *p), **end = &t->flight[d->from][d->to];
    *p = (packet){.d = d,
                  .number = t->number[d->from][d->to]++,
                  .words = f->length,
                  .link = w->link,
                  .address = f->address,
                  .header = f->header,
                  .remote = f->remote_notify,
                  .latest = sim_now(t->s)};
    unsigned first = (f->address - d->destination) / 8;
    d->sent += f->length;
    d->users++;
    leaves_voq(h, p, first, f->time);
    p->begin[CABLE] = f->time;
    while (*end) end = &(*end)->next;
    *end = p;
    l->now = p;
    count_sent(w, l, direct ? 0 : d->to, f->length);
    if (d->sent < d->words) return;
    if (d->local) {
        local *due = trace_memory(sizeof *due), **at = &h->local[q];
        *due = (local){.ordinal = d->ordinal};
        while (*at && (*at)->ordinal < d->ordinal) at = &(*at)->next;
        due->next = *at;
        *at = due;
    }
    descriptor **at = &h->queue[q];
    while (*at != d) at = &(*at)->next;
    *at = d->next;
    let_go(d);
}

/* ---- on the way ---- */

void life_frame_ended(wire *w, lane *l, const sniffer_frame *f)
{
    trace *t = w->t;
    packet *p = l->now;
    char name[NAME_ROOM], args[64];
    if (!p) return;
    l->now = NULL;
    packet_name(p, "", name);
    snprintf(args, sizeof args, "\"bytes\":%u,\"sequence\":%u,\"flow\":%u", 8 * f->length, f->sequence, f->flow);
    bool out = t->f->chip.model && l->from;
    char track[NAME_ROOM];
    if (out) snprintf(track, sizeof track, "output %u", w->node);
    else snprintf(track, sizeof track, w->link ? "link %u, out" : "link, out", w->link);
    touch at = trace_slice(t, &l->link, f->time, sim_now(t->s), name, args, track);
    life_touches(p, at);
    if (out || p->d->sent < p->d->words || !p->d->local) return;
    for (unsigned q = 0; q < QUEUES; q++) /* the local notification shows that it has left */
        for (local *due = t->seat[p->d->from]->local[q]; due; due = due->next)
            if (due->ordinal == p->d->ordinal && !due->departed.process) due->departed = at;
}

void life_flies(wire *w, lane *l, uint64_t header)
{
    trace *t = w->t;
    bool out = t->f->chip.model && l->from;
    unsigned node = l->from && !out ? 1 : w->node;
    packet *p = NULL;
    for (unsigned other = 0; other < t->nodes && !p; other++) {
        p = out ? t->flight[other][node] : t->flight[node][other];
        while (p && (p->header != header || p->link != w->link || p->begin[out ? RECEIVE : SWITCH] ||
                     (out && !p->begin[CABLE_IN])))
            p = p->next;
    }
    if (!p) return; /* a fault has changed it */
    if (l->count == FLIGHT) {
        l->first++;
        l->count--;
    }
    l->flying[(l->first + l->count++) % FLIGHT] = (struct flying){l->sop, p};
}

void life_arrived(wire *w, lane *l, uint64_t word, sim_time when)
{
    trace *t = w->t;
    packet *p = NULL;
    char name[NAME_ROOM], track[NAME_ROOM];
    while (l->count && l->flying[l->first % FLIGHT].word <= word) {
        const struct flying *f = &l->flying[l->first++ % FLIGHT];
        l->count--;
        if (f->word == word) p = f->p;
    }
    if (!p) return;
    unsigned from = p->d->from, to = p->d->to, lane = 0;
    bool in = t->f->chip.model && !l->from;
    p->begin[in ? SWITCH : RECEIVE] = p->latest = when;
    sim_time sop = p->begin[p->begin[CABLE_IN] ? CABLE_IN : CABLE];
    while (lane + 1 < FLIGHT_TRACKS && l->flight[lane].free_at > sop) lane++;
    packet_name(p, "", name);
    snprintf(track, sizeof track, "%s, %u", l->from ? "to the node" : "from the node", lane);
    life_touches(p, trace_slice(t, &l->flight[lane], sop, when, name, NULL, track));
    if (in) {
        snprintf(track, sizeof track, "crosspoint %u>%u [words]", from, to);
        trace_value(t, P_SWITCH + w->link, track, t->held[w->link][from][to] += frame_units(p->words));
    } else {
        trace_value(t, P_NIC + to, "receive buffer [bytes]", t->seat[to]->received += 8 * p->words);
    }
}

void life_switched(wire *w, lane *l, const sniffer_frame *f)
{
    trace *t = w->t;
    unsigned from = 0, to = w->node;
    char name[NAME_ROOM], track[NAME_ROOM];
    while (from < t->nodes && t->seat[from]->n->params.node_id != f->flow) from++;
    if (from == t->nodes) return;
    packet *p = t->flight[from][to];
    while (p && (!p->begin[SWITCH] || p->begin[CABLE_IN] || p->link != w->link || p->address != f->address ||
                 (p->header ^ f->header) >> 42 & (2 * FRAME_SEQUENCES - 1)))
        p = p->next;
    if (!p) return;
    overtakes(t, p, CABLE_IN);
    p->begin[CABLE_IN] = f->time;
    p->latest = sim_now(t->s);
    p->header = f->header;
    packet_name(p, "", name);
    snprintf(track, sizeof track, "crosspoint %u>%u, first in it", from, to);
    life_touches(p, trace_slice(t, &t->cross[w->link][from][to], p->begin[SWITCH], f->time, name, NULL, track));
    snprintf(track, sizeof track, "crosspoint %u>%u [words]", from, to);
    trace_value(t, P_SWITCH + w->link, track, t->held[w->link][from][to] -= frame_units(p->words));
    l->now = p;
    count_sent(w, l, 0, f->length);
}

/* ---- at the receiver ---- */

static void push(packet **list, packet *p)
{
    while (*list) list = &(*list)->next;
    p->next = NULL;
    *list = p;
}

static packet *written_to(seat *h, uint64_t address)
{
    packet *found = NULL;
    for (unsigned from = 0; from < h->t->nodes; from++)
        for (packet *p = h->t->flight[from][h->i]; p; p = p->next)
            if (p->begin[RECEIVE] && p->address + p->written == address) {
                if (!found || p->begin[RECEIVE] < found->begin[RECEIVE]) found = p;
                break;
            }
    return found;
}

static packet *notified(seat *h, sim_time end, char name[NAME_ROOM])
{
    packet **at = &h->notified, *p;
    while ((p = *at) != NULL && (p->header ^ h->first_word) << 1) at = &p->next; /* bit 63: something was lost */
    if (!p) return NULL;
    *at = p->next;
    p->begin[NOTIFY] = p->landed;
    p->notified = p->latest = end;
    push(&h->done, p);
    packet_name(p, "notification", name);
    return p;
}

packet *life_written(seat *h, uint64_t address, unsigned bytes, sim_time begin, sim_time end, char name[NAME_ROOM],
                     int *queue)
{
    trace *t = h->t;
    char label[NAME_ROOM];
    packet *p = written_to(h, address);
    if (!p) {
        if (bytes == 8 && (p = notified(h, end, name)) != NULL) return p;
        if (address - h->locals >= 8 * QUEUES || !h->locals) return NULL;
        *queue = (int)(address - h->locals) / 8;
        snprintf(name, NAME_ROOM, "local notification, queue %d", *queue);
        return NULL;
    }
    overtakes(t, p, WRITE);
    packet_name(p, "write", name);
    if (!p->written) p->begin[WRITE] = begin;
    p->written += bytes;
    p->latest = end;
    trace_value(t, P_NIC + h->i, "receive buffer [bytes]", h->received -= bytes);
    if (p->written < 8 * p->words) return p;
    p->landed = end;
    t->result.packets++;
    packet **at = &t->flight[p->d->from][h->i];
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    packet_name(p, "", label);
    life_touches(
        p, trace_slice(t, &h->buffer, p->begin[RECEIVE], p->begin[WRITE], label, NULL, "receive buffer, first in it"));
    push(p->remote ? &h->notified : &h->done, p);
    return p;
}

void life_local(seat *h, int queue, touch at)
{
    uint32_t count = (uint32_t)h->first_word;
    for (local *due; (due = h->local[queue]) != NULL && due->ordinal <= count;) {
        touch ends[2] = {due->departed, at};
        h->local[queue] = due->next;
        if (at.process && due->departed.process) arrow(h->t, ends, 2, ++h->t->ids);
        free(due);
    }
}

void life_made(void *self, unsigned from, unsigned to, sim_time created, sim_time landed)
{
    trace *t = self;
    if (t->over) return;
    packet *const lists[] = {t->seat[to]->done, t->seat[to]->notified};
    for (int i = 0; i < 2; i++)
        for (packet *p = lists[i]; p; p = p->next)
            if (p->d->from == from && p->landed == landed) p->begin[HOST] = created;
}

void life_flush(seat *h)
{
    while (h->done) {
        packet *p = h->done;
        h->done = p->next;
        finish(h->t, p, NULL);
    }
}

void life_end(trace *t)
{
    for (unsigned i = 0; i < t->nodes; i++) {
        seat *h = t->seat[i];
        life_flush(h);
        for (packet *p; (p = h->notified) != NULL; finish(t, p, "open")) h->notified = p->next;
        for (unsigned k = 0; k < t->nodes; k++)
            for (packet *p; (p = t->flight[i][k]) != NULL; finish(t, p, "open")) {
                t->flight[i][k] = p->next;
                p->latest = sim_now(t->s);
            }
        for (unsigned q = 0; q < QUEUES; q++) {
            for (descriptor *d; (d = h->queue[q]) != NULL; let_go(d)) h->queue[q] = d->next;
            for (local *due; (due = h->local[q]) != NULL; free(due)) h->local[q] = due->next;
        }
    }
}
