/* The transmitter: check records, packets as the NIC's credits allow, credit words; one word per clock. */
#include <stdlib.h>
#include <string.h>

#include "sim/model/far_end/far_end_private.h"

void far_end_credit_received(far_end *f, unsigned credit, int code_error)
{
    transmitter *t = &f->t;
    unsigned value = (credit & 0x7f) << 5, flow = credit >> 7 & 0x7f;
    if (code_error) return;
    if (frame_credit(flow, credit & 0x7f) != credit) {
        far_end_count(f, &f->stats.malformed_credits, "credit %04x", credit);
        return;
    }
    if (!t->recorded || (!t->seen && t->hold)) return;
    if (flow || ((t->transmitted - value) & MASK) > f->params.nic_units) {
        far_end_count(f, &f->stats.rejected_credits, "credit of flow %u, %u, with %u transmitted", flow, value,
                      t->transmitted);
        return;
    }
    t->credit = value;
    t->seen = 1;
}

static int queue(far_end *f, const far_end_packet *p, unsigned source, unsigned sequence, enum far_end_fault fault)
{
    if (source >= FAR_END_SOURCES || p->words < 1 || p->words > FAR_END_LONGEST || (p->address & 7) ||
        fault >= FAR_END_FAULTS)
        return -1;
    stored *s = malloc(sizeof *s + p->words * sizeof s->payload[0]);
    if (!s) return -1;
    s->p = *p;
    s->p.flow = source;
    s->p.sequence = sequence;
    memcpy(s->payload, p->payload, p->words * sizeof s->payload[0]);
    s->fault = fault;
    far_end_list_add(&f->t.queue, s);
    f->t.sequence[source] = (sequence + 1) % FRAME_SEQUENCES;
    return 0;
}

int far_end_send(far_end *f, const far_end_packet *p, enum far_end_fault fault)
{
    return queue(f, p, p->flow, p->flow < FAR_END_SOURCES ? f->t.sequence[p->flow] : 0, fault);
}

int far_end_forward(far_end *f, const far_end_packet *p, unsigned source, enum far_end_fault fault)
{
    return queue(f, p, source, p->sequence, fault == FAR_END_GOOD && p->damaged ? FAR_END_BAD_BODY_CRC : fault);
}

/* ---- frames */

/* The frame of a packet, with its damage. */
static void put_packet(transmitter *t, const stored *s, uint32_t credit)
{
    const far_end_packet *p = &s->p;
    frame_header h = {.flow = p->flow,
                      .sequence = p->sequence,
                      .length = p->words,
                      .remote_notify = p->remote_notify,
                      .local_notify = p->local_notify,
                      .remote_interrupt = p->remote_interrupt,
                      .address = p->address};
    uint64_t header = frame_header_write(&h);
    unsigned at = credit ? 2 : 1, middle = at + 3 + p->words;
    t->count = frame_write(t->word, credit, &header, s->payload);
    if (s->fault == FAR_END_BAD_HEADER) t->word[at + 1] ^= 1 << 20;
    if (s->fault == FAR_END_BAD_HEADER_CRC) t->word[at + 2] ^= 0x0100;
    if (s->fault == FAR_END_BAD_BODY) t->word[middle] ^= 0x00400000;
    if (s->fault == FAR_END_BAD_BODY_CRC) t->word[t->count - 1] ^= 1;
    if (s->fault == FAR_END_CUT_SHORT) t->count = middle;
}

/* The first packet of the queue may go now. Those that are not to leave are accounted for and taken off. */
static int packet_may_go(far_end *f)
{
    transmitter *t = &f->t;
    for (stored *s; (s = t->queue.first);) {
        unsigned units = frame_units(s->p.words);
        if (s->fault != FAR_END_DROPPED) {
            if (!t->up || !t->seen || ((t->transmitted - t->credit) & MASK) + units > f->params.nic_units) return 0;
            if (s->fault != FAR_END_LOST) return 1;
            t->transmitted = (t->transmitted + units) & MASK;
        }
        free(far_end_list_take(&t->queue));
    }
    return 0;
}

static void frame_packet(far_end *f, uint32_t credit)
{
    transmitter *t = &f->t;
    stored *s = t->queue.first;
    put_packet(t, s, credit);
    t->transmitted = (t->transmitted + frame_units(s->p.words)) & MASK;
    f->stats.sent_packets++;
    if (s->fault == FAR_END_REPEATED) s->fault = FAR_END_GOOD;
    else free(far_end_list_take(&t->queue));
}

static void frame_record(far_end *f)
{
    transmitter *t = &f->t;
    uint64_t header = frame_header_write(&(frame_header){.address = t->transmitted});
    t->count = frame_write(t->word, 0, &header, NULL);
    t->record_owed = 0;
    f->stats.sent_records++;
    if (!t->recorded) t->hold = f->params.hold_clocks;
    t->recorded = 1;
}

/* The next frame; nothing: idle. */
static void next_frame(far_end *f)
{
    transmitter *t = &f->t;
    unsigned room = f->params.idle_words - 1 - t->since_idle;
    int packet = packet_may_go(f);
    t->at = t->count = 0;
    if (t->since_idle >= f->params.idle_words - 6) return;
    if (t->record_owed && t->up) {
        frame_record(f);
    } else if (packet) {
        if (frame_units(t->queue.first->p.words) + 2 > room) return;
        uint32_t credit = far_end_lanes_credit(f);
        f->stats.sent_credit_words += credit != 0;
        frame_packet(f, credit);
    } else if (t->up) {
        uint32_t credit = far_end_lanes_credit(f);
        if (!credit) return;
        f->stats.sent_credit_words++;
        t->count = frame_write(t->word, credit, NULL, NULL);
    }
}

static void timers(far_end *f)
{
    transmitter *t = &f->t;
    if (++t->record_timer >= f->params.record_period) {
        t->record_timer = 0;
        t->record_owed = 1;
    }
    if (t->recorded && t->hold && !--t->hold) t->record_owed = 1;
    if (++t->refresh_timer >= f->params.refresh_period) {
        t->refresh_timer = 0;
        for (unsigned i = 0; i < f->params.destinations; i++) f->lane[i].due = 1;
    }
}

void far_end_transmit(far_end *f, uint32_t *data, uint8_t *k)
{
    transmitter *t = &f->t;
    timers(f);
    if (t->at == t->count) next_frame(f);
    if (t->at == t->count) {
        t->since_idle = 0;
        frame_put_idle(data, k);
        return;
    }
    t->since_idle++;
    *k = t->at == 0 ? FRAME_SOP_K : 0;
    *data = t->word[t->at++];
}
