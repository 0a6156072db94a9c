/* Traffic into the lines of the switch. */
#include <stdlib.h>

#include "sim/app/packet_mode/pm_run_private.h"

static packet *put(run *r, flow *f)
{
    if (f->put - f->leave == f->size) {
        uint32_t size = f->size ? 2 * f->size : 16;
        packet *ring = calloc(size, sizeof *ring);
        if (!ring) {
            sim_fail(r->s, "memory is exhausted: %u packets of one flow are on their way", f->size);
            return NULL;
        }
        for (uint32_t k = f->leave; k != f->put; k++) ring[k & (size - 1)] = *at(f, k);
        free(f->ring);
        f->ring = ring;
        f->size = size;
    }
    return at(f, f->put++);
}

/* A packet counts from now on for this output: it can be chosen from the next clock on. */
static void counts(run *r, flow *f, unsigned input, unsigned output, unsigned priority)
{
    if (f->counted == f->leave) f->moved = r->clock;
    packet *p = at(f, f->counted++);
    pm_packet arrived = {.first = r->clock + 1, .words = p->words};
    p->first = arrived.first;
    if (r->p->came) r->p->came(r->p->self, input, output, p->words, p->first);
    if (r->p->traffic.high_load == 0 || priority) p->ideal = (int64_t)pm_ideal_delay(&r->ideal, &arrived, output);
    else if (!pm_traffic_full(&r->p->traffic) && pm_ideal_low(&r->ideal, &arrived, output))
        sim_fail(r->s, "memory is exhausted");
    int part = part_at(r, p->first);
    if (part < 0) return;
    r->waiting[part][priority]++;
    if (p->words > PM_UNIT) pm_statistics_count(r->statistics, p->first, PM_OF_SEGMENTS, 1);
}

/* The packet, or a copy, is for the line: it has to leave at these outputs. */
static void expect(run *r, unsigned i, sending *x)
{
    unsigned class = class_of(&x->packet);
    x->number = class & SET ? r->line[i].sets[x->packet.priority]++ : r->flow[class][i][x->packet.output].put;
    for (uint32_t rest = pm_packet_outputs(&x->packet); rest; rest &= rest - 1) {
        unsigned o = (unsigned)__builtin_ctz(rest);
        flow *f = &r->flow[class][i][o];
        packet *p = put(r, f);
        if (!p) return;
        *p = (packet){.words = x->packet.words, .number = x->number, .ideal = -1};
        if (!held(r)) counts(r, f, i, o, x->packet.priority);
    }
}

/* Appends to the packets that the line has to send. */
static sending *append(run *r, line *l)
{
    if (l->put - l->take == l->size) {
        uint32_t size = l->size ? 2 * l->size : 16;
        sending *queue = calloc(size, sizeof *queue);
        if (!queue) {
            sim_fail(r->s, "memory is exhausted: %u packets wait for a line", l->size);
            return NULL;
        }
        for (uint32_t k = l->take; k != l->put; k++) queue[k & (size - 1)] = l->queue[k & (l->size - 1)];
        free(l->queue);
        l->queue = queue;
        l->size = size;
    }
    return &l->queue[l->put++ & (l->size - 1)];
}

pm_packet pm_run_next(run *r, unsigned i)
{
    return r->p->next ? r->p->next(r->p->self, i) : pm_stream_next(&r->arrivals.stream[i]);
}

static void set_weight(run *r, uint64_t number)
{
    unsigned i = (unsigned)number / r->ports, o = (unsigned)number % r->ports;
    sim_port_set(&r->weight_write, i < r->ports);
    if (i >= r->ports) return;
    sim_port_set(&r->weight_input, i);
    sim_port_set(&r->weight_output, o);
    sim_port_set(&r->weight, r->p->weight[i][o]);
}

/* S3 V: to the flow that has the fewest packets, its own output first; of the first packets each input's is longer by a
 * step. */
static pm_packet stair(const run *r, unsigned i)
{
    const flow *f = r->flow[0][i];
    unsigned o = i, words = r->p->traffic.pattern.sizes.high;
    for (unsigned k = 1; k < r->ports; k++) {
        unsigned other = (i + k) % r->ports;
        if (f[other].put - f[other].leave < f[o].put - f[o].leave) o = other;
    }
    if (o == i && !f[i].put) words = words / r->ports / 8 * 8 * (i + 1);
    return (pm_packet){.words = words, .output = o};
}

/* The line is busy, or the staircase is built and the line waits until it is released. */
static int stair_waits(const run *r, unsigned i)
{
    unsigned put = 0;
    for (unsigned o = 0; o < r->ports && held(r); o++) put += r->flow[0][i][o].put;
    return put >= STAIRCASE * r->ports || r->line[i].take != r->line[i].put;
}

/* A packet comes: for the line, or its copies. */
static void comes(run *r, unsigned i)
{
    line *l = &r->line[i];
    pm_packet p = l->next;
    if (r->p->traffic.process == PM_STAIRCASE) p = stair(r, i);
    else l->next = pm_run_next(r, i);
    uint32_t copies = p.set && r->p->copies ? p.set : 1;
    for (; copies; copies &= copies - 1) {
        sending *x = append(r, l);
        if (!x) return;
        *x = (sending){.packet = p};
        if (p.set && r->p->copies) x->packet.set = 0, x->packet.output = (unsigned)__builtin_ctz(copies);
        /* saturated: a packet for a full VOQ is left out, and takes its time on the line */
        if (r->p->traffic.process == PM_SATURATED && !p.priority &&
            sim_port_field(&r->line_full, (r->ports + r->sets) * r->priorities * i + (p.set ? r->ports : p.output),
                           1)) {
            x->left_out = 1;
            if (part_at(r, r->clock + 1) >= 0) pm_statistics_count(r->statistics, r->clock + 1, PM_DROPPED, 1);
        } else expect(r, i, x);
    }
}

/* So many words like this one are in the switch from now on. */
static void add_inside(run *r, uint64_t word, unsigned words)
{
    r->inside += words;
    r->of[word >> 56] += words;
    if (r->levels) rises(&r->in_voq[place_of(word)], words, &r->r->most_voq);
}

/* The word that input i sends in this clock. Returns whether it sends one. */
static int sends(run *r, unsigned i)
{
    line *l = &r->line[i];
    const sending *x = l->take != l->put ? &l->queue[l->take & (l->size - 1)] : NULL;
    uint64_t w;
    int sent = x && !x->left_out;
    if (!x) return 0;
    if (sent) {
        w = word_of(i, class_of(&x->packet), x->packet.output, x->number, l->offset);
        memcpy(r->line_word + 8 * i, &w, 8);
        if (!held(r)) add_inside(r, w, x->packet.set ? (unsigned)__builtin_popcount(x->packet.set) : 1);
    }
    if (sent && l->offset == 0) {
        sim_port_set_field(&r->line_output, r->port_bits * i, r->port_bits, x->packet.output);
        sim_port_set_field(&r->line_words, 13 * i, 13, x->packet.words);
        if (r->priorities > 1) sim_port_set_field(&r->line_priority, i, 1, x->packet.priority);
        if (r->sets) sim_port_set_field(&r->line_multicast, i, 1, x->packet.set != 0);
        if (r->sets) sim_port_set_field(&r->line_set, r->ports * i, r->ports, x->packet.set);
    }
    if (++l->offset == x->packet.words) {
        l->offset = 0;
        l->take++;
        if (held(r)) r->flow[0][i][x->packet.output].brought++;
    }
    return sent;
}

/* Packets that have been brought count at their instants. */
static void release_held(run *r, uint64_t now)
{
    uint64_t valid = 0;
    for (unsigned i = 0; i < r->ports && !r->closed; i++) {
        line *l = &r->line[i];
        flow *f = &r->flow[0][i][l->held.output];
        if (r->p->traffic.process == PM_STAIRCASE) {
            /* in the clocks from STAIRS on each input's own flow first, then the others in turn */
            if (r->clock < STAIRS || r->clock >= STAIRS + STAIRCASE * r->ports) continue;
            l->held = (pm_packet){.first = now - LEAD, .output = (i + (unsigned)(r->clock - STAIRS)) % r->ports};
            f = &r->flow[0][i][l->held.output];
            l->held.words = at(f, f->counted)->words;
        }
        if (l->held.first + LEAD != now) continue;
        if (f->counted == f->brought) {
            sim_fail(r->s,
                     "clock %lu: input %u: the line cannot bring whole packets in time; a lower load can be simulated",
                     r->clock, i);
            return;
        }
        valid |= 1ull << i;
        add_inside(r, word_of(i, 0, l->held.output, 0, 0), l->held.words);
        sim_port_set_field(&r->release_output, r->port_bits * i, r->port_bits, l->held.output);
        counts(r, f, i, l->held.output, 0);
        if (r->p->traffic.process == PM_INSTANT) l->held = pm_stream_next(&r->releases.stream[i]);
    }
    sim_port_set(&r->line_release, valid);
}

void pm_run_in(run *r, uint64_t now)
{
    uint64_t valid = 0, first = 0;
    if (r->p->weight && now <= r->ports * r->ports) set_weight(r, now);
    if (held(r)) release_held(r, now);
    *r->line_held = (uint8_t)held(r);
    for (unsigned i = 0; i < r->ports; i++) {
        line *l = &r->line[i];
        if (!r->closed && (r->p->traffic.process == PM_STAIRCASE ? !stair_waits(r, i) : l->next.first <= now))
            comes(r, i);
        first |= (uint64_t)(l->offset == 0) << i;
        valid |= (uint64_t)sends(r, i) << i;
    }
    sim_port_set(&r->line_valid, valid);
    sim_port_set(&r->line_first, first & valid);
}
