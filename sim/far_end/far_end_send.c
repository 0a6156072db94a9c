/* The transmitter: check records, packets as the NIC's credits allow, credit words; one word per clock. */
#include <stdlib.h>
#include <string.h>

#include "far_end_private.h"
#include "frame.h"

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
        far_end_count(f, &f->stats.rejected_credits, "credit of flow %u, %u, with %u transmitted", flow, value, t->transmitted);
        return;
    }
    t->credit = value;
    t->seen = 1;
}

static int queue(far_end *f, const far_end_packet *p, unsigned source, unsigned sequence, enum far_end_fault fault)
{
    if (source >= FAR_END_SOURCES || p->words < 1 || p->words > FAR_END_LONGEST || (p->address & 7) || fault >= FAR_END_FAULTS) return -1;
    stored *s = malloc(sizeof *s + p->words * sizeof s->payload[0]);
    if (!s) return -1;
    s->p = *p;
    s->p.flow = source;
    s->p.sequence = sequence;
    memcpy(s->payload, p->payload, p->words * sizeof s->payload[0]);
    s->fault = fault;
    far_end_list_add(&f->t.queue, s);
    f->t.sequence[source] = (sequence + 1) & 0x1ff;
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

static void put(transmitter *t, uint32_t word)
{
    t->word[t->count++] = word;
}

static void put_header(transmitter *t, uint64_t header, uint64_t wrong_bits, uint16_t wrong_crc)
{
    uint32_t high = (uint32_t)(header >> 32), low = (uint32_t)header;
    uint16_t crc = frame_crc16_word(frame_crc16_word(FRAME_HEADER_CRC_START, high), low);
    put(t, high ^ (uint32_t)(wrong_bits >> 32));
    put(t, low ^ (uint32_t)wrong_bits);
    put(t, crc ^ wrong_crc);
}

static void put_packet(transmitter *t, const stored *s)
{
    const far_end_packet *p = &s->p;
    uint32_t crc = FRAME_BODY_CRC_START;
    uint64_t header = (uint64_t)p->flow << 56 | (uint64_t) !!p->remote_notify << 54 | (uint64_t) !!p->local_notify << 53 |
                      (uint64_t) !!p->remote_interrupt << 52 | (uint64_t)1 << 51 | (uint64_t)p->sequence << 42 | (uint64_t)p->words << 32 |
                      p->address;
    put_header(t, header, s->fault == FAR_END_BAD_HEADER ? (uint64_t)1 << 20 : 0, s->fault == FAR_END_BAD_HEADER_CRC ? 0x0100 : 0);
    for (unsigned i = 0; i < 2 * p->words; i++) {
        uint32_t word = (uint32_t)(i & 1 ? s->payload[i / 2] : s->payload[i / 2] >> 32);
        if (s->fault == FAR_END_CUT_SHORT && i == p->words) return;
        crc = frame_crc32_word(crc, word);
        put(t, s->fault == FAR_END_BAD_BODY && i == p->words ? word ^ 0x00400000 : word);
    }
    put(t, s->fault == FAR_END_BAD_BODY_CRC ? crc ^ 1 : crc);
}

/* The first packet of the queue may go now. Those that are not to leave are accounted for and taken off. */
static int packet_may_go(far_end *f)
{
    transmitter *t = &f->t;
    for (stored *s; (s = t->queue.first);) {
        unsigned units = units_of(s->p.words);
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
    put(t, FRAME_SOP_DATA);
    if (credit) put(t, credit);
    put_packet(t, s);
    t->transmitted = (t->transmitted + units_of(s->p.words)) & MASK;
    f->stats.sent_packets++;
    if (s->fault == FAR_END_REPEATED) s->fault = FAR_END_GOOD;
    else free(far_end_list_take(&t->queue));
}

static void frame_record(far_end *f)
{
    transmitter *t = &f->t;
    put(t, FRAME_SOP_DATA);
    put_header(t, t->transmitted, 0, 0);
    t->record_owed = 0;
    f->stats.sent_records++;
    if (!t->recorded) t->hold = f->params.hold_clocks;
    t->recorded = 1;
}

/* What leaves next; nothing: idle. */
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
        if (units_of(t->queue.first->p.words) + 2 > room) return;
        uint32_t credit = far_end_lanes_credit(f);
        f->stats.sent_credit_words += credit != 0;
        frame_packet(f, credit);
    } else if (t->up) {
        uint32_t credit = far_end_lanes_credit(f);
        if (!credit) return;
        f->stats.sent_credit_words++;
        put(t, FRAME_SOP_DATA);
        put(t, credit);
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
        *data = FRAME_IDLE_DATA;
        *k = FRAME_IDLE_K;
        return;
    }
    t->since_idle++;
    *k = t->at == 0 ? FRAME_SOP_K : 0;
    *data = t->word[t->at++];
}
