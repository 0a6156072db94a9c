/* Destinations: what waits for them, when it goes on, and the credits that say so. */
#include <stdlib.h>
#include <string.h>

#include "sim/model/far_end/far_end_private.h"

unsigned far_end_lane_forwarded(const lane *l) { return (l->received - l->occupied) & MASK; }

static unsigned *sequence_due(far_end *f, lane *l) { return f->params.one_sequence ? &f->one_next : &l->next; }

static void check_header(far_end *f, uint64_t header)
{
    if (!frame_header_fixed_bits_ok(header))
        far_end_count(f, &f->stats.fixed_bits, "header %016llx: [63] is to be 0, [51] 1, [55] 0 in short packets",
                      (unsigned long long)header);
}

stored *far_end_lane_header(far_end *f, uint64_t header, lane **to)
{
    frame_header h = frame_header_read(header);
    unsigned flow = h.flow, length = h.length, number = h.sequence;
    check_header(f, header);
    if (flow >= f->params.destinations) {
        far_end_count(f, &f->stats.flow, "flow %u, expected 0..%u", flow, f->params.destinations - 1);
        return NULL;
    }
    lane *l = &f->lane[flow];
    l->received = (l->received + frame_units(length)) & MASK;
    if (length > f->params.longest) {
        far_end_count(f, &f->stats.length, "a packet of %u words, expected at most %u", length, f->params.longest);
        return NULL;
    }
    if (l->occupied + frame_units(length) > f->params.units) {
        far_end_count(f, &f->stats.overrun, "destination %u: %u units on top of %u, there is room for %u", flow,
                      frame_units(length), l->occupied, f->params.units);
        return NULL;
    }
    stored *s = calloc(1, sizeof *s + length * sizeof s->payload[0]);
    if (!s) {
        fprintf(stderr, "link partner: out of memory\n");
        exit(1);
    }
    unsigned due = f->params.sequence_zero ? 0 : *sequence_due(f, l);
    s->p = (far_end_packet){.flow = flow,
                            .sequence = number,
                            .words = length,
                            .address = h.address,
                            .remote_notify = h.remote_notify,
                            .local_notify = h.local_notify,
                            .remote_interrupt = h.remote_interrupt,
                            .payload = s->payload,
                            .header = header,
                            .gap = number != due,
                            .number = l->packets++,
                            .header_clock = f->clock};
    if (s->p.gap)
        far_end_count(f, &f->stats.gaps, "destination %u: sequence number %u, expected %u", flow, number, due);
    *sequence_due(f, l) = (number + 1) % FRAME_SEQUENCES;
    l->occupied += frame_units(length);
    far_end_list_add(&l->buffer, s);
    f->stats.packets++;
    f->stats.words += length;
    *to = l;
    return s;
}

/* All of it is here. */
void far_end_lane_body(far_end *f, lane *l, stored *s, int damaged)
{
    (void)f;
    (void)l;
    s->p.damaged = damaged;
    s->complete = 1;
}

/* The sender's count of what it has transmitted is binding: losses on the wire are corrected here. */
void far_end_lane_record(far_end *f, uint64_t header)
{
    unsigned flow = frame_header_read(header).flow;
    f->stats.records++;
    if (header & ~((uint64_t)0x7f << 56 | MASK))
        far_end_count(f, &f->stats.fixed_bits, "check record %016llx", (unsigned long long)header);
    if (flow >= f->params.destinations) {
        far_end_count(f, &f->stats.flow, "check record of flow %u, expected 0..%u", flow, f->params.destinations - 1);
        return;
    }
    lane *l = &f->lane[flow];
    unsigned transmitted = (unsigned)header & MASK;
    if (transmitted != l->received)
        far_end_count(f, &f->stats.repairs, "destination %u: transmitted %u, received %u", flow, transmitted,
                      l->received);
    l->received = transmitted;
    l->forced = 1;
}

/* ---- outputs */

static void lane_clock(far_end *f, lane *l)
{
    stored *s = l->buffer.first;
    if (l->sending && l->left > 0) l->left -= l->rate;
    if (l->sending && l->left <= 0 && s->complete) {
        far_end_list_take(&l->buffer);
        l->sending = 0;
        l->delivered++;
        l->words += s->p.words;
        f->stats.delivered++;
        if (f->deliver) f->deliver(f->self, &s->p);
        free(s);
        s = l->buffer.first;
    }
    if (!l->sending && s && !l->stopped && f->clock - s->p.header_clock >= f->params.start_clocks) {
        l->sending = 1;
        l->left += (int64_t)(frame_units(s->p.words) + 1) * FAR_END_FULL_RATE;
        l->occupied -= frame_units(s->p.words);
    } else if (!l->sending) {
        l->left = 0;
    }
}

void far_end_lanes_clock(far_end *f)
{
    for (unsigned i = 0; i < f->params.destinations; i++)
        if (f->lane[i].buffer.count) lane_clock(f, &f->lane[i]);
}

/* ---- credits */

/* The lane after `last` with the most urgent need, or -1; `except` is left out. */
static int pick(const far_end *f, unsigned last, int except)
{
    unsigned n = f->params.destinations;
    int relaxed = -1;
    for (unsigned i = 1; i <= n; i++) {
        int at = (int)((last + i) % n);
        const lane *l = &f->lane[at];
        if (at == except) continue;
        if (l->forced || far_end_lane_forwarded(l) >> 5 != l->credit_sent) return at;
        if (l->due && relaxed < 0) relaxed = at;
    }
    return relaxed;
}

static uint16_t take(far_end *f, int at)
{
    lane *l = &f->lane[at];
    l->credit_sent = far_end_lane_forwarded(l) >> 5;
    l->forced = l->due = 0;
    f->t.last_lane = (unsigned)at;
    return frame_credit((unsigned)at, l->credit_sent);
}

uint32_t far_end_lanes_credit(far_end *f)
{
    int first = pick(f, f->t.last_lane, -1);
    if (first < 0) return 0;
    uint32_t one = take(f, first);
    int second = pick(f, (unsigned)first, first);
    return one << 16 | (second < 0 ? one : take(f, second));
}
