#include "pm_oracle_locks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pm_oracle_params pm_oracle_default(pm_oracle_kind kind, unsigned ports)
{
    static const unsigned crosspoint[] = {64, 64, 192, 1280, 0};
    return (pm_oracle_params){.kind = kind,
                              .ports = ports,
                              .segment = kind == ORACLE_IQ ? 8 : 64,
                              .crosspoint = crosspoint[kind],
                              .forward = 30,
                              .back = 31,
                              .credit = 2,
                              .scheduling = 2,
                              .look_back = 2,
                              .looks = 5,
                              .period = 8192 * ports,
                              .cell = 5};
}

void oracle_fail(oracle *s, const char *format, ...)
{
    va_list arguments;
    int n;
    if (*s->error) return;
    n = snprintf(s->error, sizeof s->error, "clock %lu: ", s->clock);
    va_start(arguments, format);
    vsnprintf(s->error + n, sizeof s->error - (size_t)n, format, arguments);
    va_end(arguments);
}

/* ---- lists ---- */

static void *grown(void *old, size_t size)
{
    void *new = realloc(old, size);
    if (!new) abort();
    return new;
}

static void push(parts *q, part p)
{
    if (q->put - q->get == q->size) {
        parts old = *q;
        q->size = old.size ? 2 * old.size : 8;
        q->ring = grown(NULL, q->size * sizeof(part));
        for (uint32_t k = old.get; k != old.put; k++) *at(q, k) = *at(&old, k);
        free(old.ring);
    }
    *at(q, q->put++) = p;
}

/* ---- ingress card ---- */

static void comes(oracle *s, uint32_t number)
{
    flow *f = &s->flow[s->j[number].input][s->j[number].output];
    if (f->come == f->size) f->packets = grown(f->packets, (f->size = f->size ? 2 * f->size : 16) * sizeof(uint32_t));
    f->packets[f->come++] = number;
    f->waiting += s->j[number].words;
}

/* S3 II: the first segment of a VOQ, or all of a shorter one. VPS: a packet. */
static unsigned unit_of(const oracle *s, const flow *f)
{
    if (s->p.kind == ORACLE_VPS) return f->waiting ? s->j[f->packets[f->head]].words : 0;
    return f->waiting < s->p.segment ? f->waiting : s->p.segment;
}

static int may_send(const oracle *s, const flow *f) { return f->waiting && f->room >= unit_of(s, f); }

static void send_unit(oracle *s, unsigned i, unsigned o)
{
    flow *f = &s->flow[i][o];
    input *in = &s->in[i];
    unsigned unit = unit_of(s, f);
    for (unsigned done = 0; done < unit;) {
        uint32_t packet = f->packets[f->head];
        unsigned left = s->j[packet].words - f->sent, words = left < unit - done ? left : unit - done;
        part p = {packet, words, done ? 0 : unit, words == left, s->clock + s->p.scheduling + s->p.forward + done};
        push(&f->crosspoint, p);
        if (!s->p.lock_release && p.ends && in->holder == (int)o && in->locked_packet == packet)
            in->unlock = p.came + words - 1;
        f->sent = p.ends ? 0 : f->sent + words;
        f->head += (uint32_t)p.ends;
        done += words;
    }
    in->within = f->sent > 0;
    in->last = o;
    in->free = s->clock + unit;
    f->waiting -= unit;
    f->room -= unit;
}

/* The packet has left the VOQ [IV-A]. */
static int has_left(const flow *f, uint32_t packet) { return f->head == f->come ? 1 : packet < f->packets[f->head]; }

static void input_step(oracle *s, unsigned i)
{
    input *in = &s->in[i];
    unsigned mask = 0;
    for (; in->get != in->put && in->flight[in->get % FLIGHT].counts <= s->clock; in->get++) {
        credit *c = &in->flight[in->get % FLIGHT];
        s->flow[i][c->output].room += c->words;
        if (!c->notice) continue;
        if (s->p.kind == ORACLE_DPM && has_left(&s->flow[i][c->output], c->packet)) continue;
        if (in->notice != NOBODY || in->mode != NOBODY) oracle_fail(s, "input %u: a second notice", i);
        in->notice = (int)c->output;
        in->notice_packet = c->packet;
    }
    if (s->clock < in->free) return;
    if (in->notice != NOBODY) {
        const flow *f = &s->flow[i][in->notice];
        if (s->p.kind == ORACLE_DPM ? !has_left(f, in->notice_packet) : in->within && in->notice == (int)in->last) {
            in->mode = in->notice;
            in->mode_packet = f->packets[f->head];
        }
        in->notice = NOBODY;
    }
    if (in->mode != NOBODY) {
        unsigned o = (unsigned)in->mode;
        if (!may_send(s, &s->flow[i][o])) return;
        send_unit(s, i, o);
        if (has_left(&s->flow[i][o], in->mode_packet)) in->mode = NOBODY;
        return;
    }
    for (unsigned o = 0; o < s->p.ports; o++) mask |= (unsigned)may_send(s, &s->flow[i][o]) << o;
    if (mask) send_unit(s, i, round_robin(mask, in->last));
}

/* ---- credit of a row [II] ---- */

static void row_step(oracle *s, unsigned i)
{
    input *in = &s->in[i];
    unsigned mask = 0, urgent = 0, o;
    flow *f;
    /* with locks an urgent one finds the row free */
    if (s->clock < in->row_free || in->urgent_comes == s->clock) return;
    for (o = 0; o < s->p.ports; o++) {
        f = &s->flow[i][o];
        if (!f->owed || f->owed_since >= s->clock) continue;
        mask |= 1u << o;
        urgent |= (unsigned)f->urgent << o;
    }
    if (!mask) return;
    o = round_robin(urgent ? urgent : mask, in->row_last);
    f = &s->flow[i][o];
    in->flight[in->put++ % FLIGHT] =
        (credit){s->clock + s->p.back - 1 - s->p.scheduling, o, f->owed, f->notice, f->notice_packet};
    f->owed = 0;
    f->urgent = f->notice = 0;
    in->row_last = o;
    in->row_free = s->clock + s->p.credit;
}

void oracle_owe(oracle *s, flow *f, unsigned words, int urgent, int notice, uint32_t packet)
{
    if (!f->owed) f->owed_since = s->clock;
    f->owed += words;
    f->urgent |= urgent;
    if (notice) {
        f->notice = 1;
        f->notice_packet = packet;
    }
}

void oracle_leaves(oracle *s, uint32_t packet, uint64_t clock)
{
    pm_journey *j = &s->j[packet];
    j->first = clock + INSIDE;
    j->last = j->first + j->words - 1;
    s->left++;
}

/* ---- outputs that take units: SM, PPM, VPS ---- */

/* A full unit that ends within a packet [III-A]. */
static int unfinished(const oracle *s, const parts *q)
{
    unsigned unit = at(q, q->get)->unit, done = 0, ends = 0;
    for (uint32_t k = q->get; done < unit; k++) {
        done += at(q, k)->words;
        ends = (unsigned)at(q, k)->ends;
    }
    return unit == s->p.segment && !ends;
}

/* S3 (1) [III-A]: the output begins to read at t_r the unit written since t_w. */
static int in_time(const oracle *s, uint64_t written, uint64_t read)
{
    return read - written <= (uint64_t)(s->p.segment - s->p.forward - s->p.back);
}

/* The unit's first word leaves, its credit goes to the row, and the egress card learns the next word. */
static void unit_leaves(oracle *s, unsigned o)
{
    output *out = &s->out[o];
    input *in = &s->in[out->from];
    flow *f = &s->flow[out->from][o];
    parts *q = &f->crosspoint;
    unsigned words = at(q, q->get)->unit, done = 0;
    int pairs = 0;
    if (s->p.kind == ORACLE_PPM) {
        uint64_t written = at(q, q->get)->came, start = in->row_free > s->clock + 1 ? in->row_free : s->clock + 1;
        /* A segment inside a packet, such as 2 and 3 in fig. 3 [III-A]. With the first words of a packet behind the end
         * of another, or with its tail, nothing begins: the output needs no notice to send these [III-A]. The credit
         * must leave in time, too. */
        int inside = at(q, q->get)->words == words && !at(q, q->get)->ends;
        pairs = inside && out->mode == NOBODY && in_time(s, written, start - 1);
        out->mode = inside && (pairs || out->mode != NOBODY) ? (int)out->from : NOBODY;
        /* One that comes still, all of one packet, would have paired, had it been read sooner [III-B]. */
        out->look = out->mode == NOBODY && unfinished(s, q) &&
                    (s->p.look_back == 2 || (s->p.look_back == 1 && inside && s->clock - written < words));
    }
    oracle_owe(s, f, words, out->mode != NOBODY, pairs, 0);
    for (; done < words; q->get++) {
        const part *p = at(q, q->get);
        if (s->p.kind == ORACLE_VPS) oracle_leaves(s, p->packet, s->clock);
        else if ((p->ends || out->mode != NOBODY) && f->sure != p->packet + 1) {
            /* The rest of the packet follows without a gap. */
            push(&f->reassembly, (part){.packet = p->packet, .came = s->clock + done});
            f->sure = p->packet + 1;
        }
        done += p->words;
    }
    out->starting = 0;
}

static void output_step(oracle *s, unsigned o)
{
    output *out = &s->out[o];
    unsigned mask = 0, i;
    const part *h;
    if (s->clock < out->free) return;
    if (out->mode != NOBODY) {
        i = (unsigned)out->mode;
        h = head(&s->flow[i][o].crosspoint);
        if (!h || h->came > s->clock) {
            oracle_fail(s, "output %u: the crosspoint of %u is empty in packet mode", o, i);
            return;
        }
    } else {
        for (i = 0; i < s->p.ports; i++) {
            h = head(&s->flow[i][o].crosspoint);
            if (h && h->came <= s->clock) mask |= 1u << i;
        }
        i = out->last;
        h = head(&s->flow[i][o].crosspoint);
        if (s->clock >= out->free + s->p.scheduling) out->look = 0; /* "its subsequent decision slot" [III-B] is over */
        if (!out->look || out->looked == s->p.looks || !(mask >> i & 1) ||
            !in_time(s, h->came, s->clock + s->p.scheduling)) {
            if (!mask) return;
            i = round_robin(mask, out->last);
            out->looked = 0;
        } else out->looked++;
        out->look = 0;
    }
    h = head(&s->flow[i][o].crosspoint);
    out->last = out->from = i;
    out->starting = 1;
    out->start = s->clock;
    out->free = s->clock + (h->unit > s->p.scheduling ? h->unit : s->p.scheduling);
}

/* ---- egress card ---- */

static void egress_step(oracle *s, unsigned o)
{
    output *out = &s->out[o];
    unsigned mask = 0, i;
    uint32_t packet;
    if (s->clock < out->line_free) return;
    for (i = 0; i < s->p.ports; i++) {
        const part *h = head(&s->flow[i][o].reassembly);
        if (h && h->came <= s->clock) mask |= 1u << i;
    }
    if (!mask) return;
    i = out->line_last = round_robin(mask, out->line_last);
    packet = at(&s->flow[i][o].reassembly, s->flow[i][o].reassembly.get++)->packet;
    oracle_leaves(s, packet, s->clock);
    out->line_free = s->clock + s->j[packet].words;
}

/* ---- IQ: cells, iSLIP with one iteration; a pair stays until its packet's last cell [VI-A] ---- */

static void cell_step(oracle *s)
{
    unsigned asked[PORTS] = {0}, granted[PORTS] = {0};
    unsigned cell = s->p.segment;
    for (unsigned i = 0; i < s->p.ports; i++)
        for (unsigned o = 0; o < s->p.ports; o++)
            if (s->in[i].free <= s->clock && s->flow[i][o].waiting) asked[o] |= 1u << i;
    for (unsigned o = 0; o < s->p.ports; o++)
        if (s->out[o].free <= s->clock && asked[o]) granted[round_robin(asked[o], s->out[o].last)] |= 1u << o;
    for (unsigned i = 0; i < s->p.ports; i++) {
        unsigned o;
        flow *f;
        pm_journey *j;
        if (!granted[i]) continue;
        o = s->in[i].last = round_robin(granted[i], s->in[i].last);
        s->out[o].last = i;
        f = &s->flow[i][o];
        j = &s->j[f->packets[f->head]];
        f->waiting -= j->words;
        s->in[i].free = s->out[o].free = s->clock + (j->words + cell - 1) / cell * cell;
        oracle_leaves(s, f->packets[f->head++], s->clock + cell);
    }
}

/* ---- all of it ---- */

static void step(oracle *s)
{
    unsigned n = s->p.ports;
    for (unsigned i = 0; i < n; i++) input_step(s, i);
    if (s->p.kind == ORACLE_DPM)
        for (unsigned o = 0; o < n; o++) {
            const taken *t = &s->out[o].taken[s->out[o].get % 8];
            if (s->out[o].get != s->out[o].put && t->sent == s->clock && t->locked)
                s->in[t->from].urgent_comes = s->clock;
        }
    for (unsigned i = 0; i < n; i++) row_step(s, i);
    if (s->p.kind == ORACLE_DPM) {
        oracle_locking_outputs(s);
        return;
    }
    for (unsigned o = 0; o < n; o++) {
        if (s->out[o].starting && s->out[o].start + s->p.scheduling == s->clock) unit_leaves(s, o);
        output_step(s, o);
        egress_step(s, o);
    }
}

const char *pm_oracle_run(const pm_oracle_params *params, pm_journey *journeys, size_t count)
{
    static char error[200];
    oracle *s = grown(NULL, sizeof *s);
    size_t next = 0;
    uint64_t quiet = 0;
    memset(s, 0, sizeof *s);
    s->p = *params;
    s->j = journeys;
    s->count = count;
    for (unsigned i = 0; i < params->ports; i++) {
        s->in[i].notice = s->in[i].mode = s->in[i].holder = s->out[i].mode = s->out[i].asks = NOBODY;
        for (unsigned o = 0; o < params->ports; o++) s->flow[i][o].room = params->crosspoint;
        if (params->kind == ORACLE_IQ) s->in[i].last = s->out[i].last = params->ports - 1;
    }
    for (size_t k = 0; k < count; k++) journeys[k].first = journeys[k].last = 0;
    for (s->clock = count ? journeys[0].came : 0; s->left < count && !*s->error; s->clock++) {
        size_t left = s->left;
        if (params->kind == ORACLE_IQ) {
            while (next < count && journeys[next].came <= s->clock) comes(s, (uint32_t)next++);
            if (s->clock % params->segment == params->cell % params->segment) cell_step(s);
        } else {
            while (next < count && journeys[next].came < s->clock) comes(s, (uint32_t)next++);
            step(s);
        }
        quiet = s->left == left && next == count ? quiet + 1 : 0;
        if (quiet > 100000) oracle_fail(s, "%zu packets do not leave", count - s->left);
    }
    strcpy(error, s->error);
    for (unsigned i = 0; i < PORTS; i++)
        for (unsigned o = 0; o < PORTS; o++) {
            free(s->flow[i][o].packets);
            free(s->flow[i][o].crosspoint.ring);
            free(s->flow[i][o].reassembly.ring);
        }
    free(s);
    return *error ? error : NULL;
}
