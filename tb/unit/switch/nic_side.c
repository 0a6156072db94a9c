/* A NIC at the end of a switch port's wire; the manual is in the header. */
#include "nic_side.h"
#include "test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_PERIOD = 2048, HOLD = 512, REFRESH = 4096, IDLE_EVERY = 2048 };

__attribute__((format(printf, 2, 3))) static void complain(struct nic_group *g, const char *format, ...)
{
    va_list list;

    if (g->complaints++) return;
    va_start(list, format);
    vsnprintf(g->first_complaint, sizeof g->first_complaint, format, list);
    va_end(list);
}

/* Payload word i of a packet. */
static uint64_t payload_word(unsigned from, unsigned to, uint32_t number, unsigned i)
{
    uint64_t x = ((uint64_t)from << 58 | (uint64_t)to << 52 | (uint64_t)number << 12 | i) * 0x9e3779b97f4a7c15ull;

    return x ^ x >> 29;
}

static uint64_t header_for(const struct nic_side *from, unsigned to, uint32_t number, unsigned flow)
{
    return header_of(flow, number % 8, number % 512, from->out[to].length[number % NIC_QUEUE], number);
}

/* ---- receiver ---- */

static void got_packet(struct nic_side *n, const struct link_item *item)
{
    struct nic_group *g = n->group;
    unsigned from = item->header >> 56 & 127, length = header_length(item->header), units = header_units(item->header);
    uint32_t number = (uint32_t)item->header;

    if (from >= g->nics) {
        complain(g, "NIC %u: a packet from port %u, which does not exist", n->number, from);
        return;
    }
    struct nic_side *source = g->nic[from];
    struct nic_flow_in *flow = &n->in[from];
    n->received = (n->received + units) & UNITS_MASK;
    n->occupied += units;
    n->packets_in++;
    if (n->occupied > n->most_occupied) n->most_occupied = n->occupied;
    if (n->occupied > NIC_UNITS)
        complain(g, "NIC %u: %u units in a buffer of %u", n->number, n->occupied, (unsigned)NIC_UNITS);
    if (g->foreign_packets) return;
    if (number < flow->expected || number >= source->out[n->number].sent) {
        complain(g, "NIC %u: packet %u from %u, expected %u", n->number, number, from, flow->expected);
        return;
    }
    if (item->header != header_for(source, n->number, number, from))
        complain(g, "NIC %u: header %016llx of packet %u from %u", n->number, (unsigned long long)item->header, number,
                 from);
    uint32_t missing = number - flow->expected;
    flow->missing += missing;
    if (missing && missing % 512 == 0 && !item->body_bad)
        complain(g, "NIC %u: %u packets from %u are missing, and packet %u does not report it", n->number, missing,
                 from, number);
    if (g->checked) g->checked(g->self, from, n->number, number, missing, !item->body_bad);
    if (number != flow->expected && !g->losses_allowed)
        complain(g, "NIC %u: packet %u from %u, expected %u", n->number, number, from, flow->expected);
    flow->expected = number + 1;
    if (item->body_bad) {
        flow->bad++;
        if (!g->losses_allowed) complain(g, "NIC %u: body CRC of packet %u from %u", n->number, number, from);
        return;
    }
    flow->good++;
    for (unsigned i = 0; i < length; i++)
        if (item->payload[i] != payload_word(from, n->number, number, i)) {
            complain(g, "NIC %u: word %u of packet %u from %u is wrong", n->number, i, number, from);
            break;
        }
    if (g->delivered) g->delivered(g->self, from, n->number, number, length);
    sim_progress(g->s);
}

static void got_credit(struct nic_side *n, uint16_t credit)
{
    struct nic_group *g = n->group;
    unsigned lane = credit >> 7 & 127, value = (credit & 127u) << 5;

    if (credit != credit_of(lane, value) || lane >= g->nics) {
        if (!g->losses_allowed) complain(g, "NIC %u: credit %04x", n->number, credit);
        return;
    }
    struct nic_flow_out *flow = &n->out[lane];
    if (!flow->recorded || flow->hold) return;
    if (((flow->transmitted - value) & UNITS_MASK) <= CROSSPOINT_UNITS) {
        flow->credit = value;
        flow->credit_seen = 1;
    } else if (!g->losses_allowed) {
        complain(g, "NIC %u: credit %03x of lane %u, transmitted %03x", n->number, value, lane, flow->transmitted);
    }
}

static void got_record(struct nic_side *n, uint64_t header)
{
    unsigned units = header & UNITS_MASK;

    if (header >> 56 || header & 0x00fffffffffff000ull)
        complain(n->group, "NIC %u: record %016llx", n->number, (unsigned long long)header);
    if (units != n->received && !n->group->losses_allowed)
        complain(n->group, "NIC %u: a record says %03x, received %03x", n->number, units, n->received);
    n->received = units;
    n->owes_credit = 1;
}

static void got_item(void *self, const struct link_item *item)
{
    struct nic_side *n = self;

    switch (item->kind) {
    case ITEM_PACKET:
        got_packet(n, item);
        break;
    case ITEM_CREDIT:
        got_credit(n, item->credit[0]);
        got_credit(n, item->credit[1]);
        break;
    case ITEM_RECORD:
        got_record(n, item->header);
        break;
    default:
        if (!n->group->losses_allowed) complain(n->group, "NIC %u: %s", n->number, item->wrong);
    }
}

void nic_receive(struct nic_side *n, sim_time now, uint32_t data, uint8_t k)
{
    unsigned slot = (unsigned)(n->cycle % WIRE_CLOCKS);
    uint32_t old_data = n->back[slot].data;
    uint8_t old_k = n->back[slot].k;

    n->cycle++;
    n->sent_since_idle = k == IDLE_K && data == IDLE_WORD ? 0 : n->sent_since_idle + 1;
    if (n->sent_since_idle >= IDLE_EVERY)
        complain(n->group, "NIC %u: no idle word in %u words", n->number, n->sent_since_idle);
    if (old_k == SOP_K && old_data == SOP_WORD)
        n->sop_time = n->back[slot].time, n->sop_was_alone = n->back[slot].alone;
    n->back[slot].time = now;
    n->back[slot].alone = n->last_k == IDLE_K;
    n->last_k = k;
    n->back[slot].data = data;
    n->back[slot].k = k;
    if (n->tap_in) n->tap_in(n, &old_data, &old_k);
    n->idle_words_in += old_k == IDLE_K && old_data == IDLE_WORD;
    link_parser_word(&n->parser, n->cycle, old_data, old_k);
    for (int i = 0; i < 2; i++)
        if (n->occupied && (int)sim_random_below(n->group->s, 100) < n->pop_percent) n->occupied--;
}

/* ---- sender ---- */

uint32_t nic_send(struct nic_side *n, unsigned to, unsigned length)
{
    struct nic_flow_out *flow = &n->out[to];

    if (flow->queued - flow->sent >= NIC_QUEUE / 2) abort();
    flow->length[flow->queued % NIC_QUEUE] = (uint8_t)length;
    return flow->queued++;
}

unsigned nic_waiting(const struct nic_side *n)
{
    unsigned waiting = 0;

    for (unsigned i = 0; i < n->group->nics; i++) waiting += n->out[i].queued - n->out[i].sent;
    return waiting;
}

static int may_send(const struct nic_side *n, const struct nic_flow_out *flow)
{
    if (flow->sent == flow->queued) return 0;
    if (!n->obeys_credits) return 1;
    unsigned units = 2u * flow->length[flow->sent % NIC_QUEUE] + 4;
    return flow->credit_seen && ((flow->transmitted - flow->credit) & UNITS_MASK) + units <= CROSSPOINT_UNITS;
}

static int credit_is_due(struct nic_side *n)
{
    unsigned forwarded = (n->received - n->occupied) & UNITS_MASK;

    return n->owes_credit || forwarded >> 5 != n->credit_sent >> 5 || n->credit_timer >= REFRESH;
}

static void add_credit(struct nic_side *n)
{
    unsigned forwarded = (n->received - n->occupied) & UNITS_MASK;

    frame_credits(&n->frame, credit_of(0, forwarded), credit_of(0, forwarded));
    n->credit_sent = forwarded;
    n->owes_credit = 0;
    n->credit_timer = 0;
}

static void start_packet(struct nic_side *n, unsigned to)
{
    struct nic_flow_out *flow = &n->out[to];
    uint32_t number = flow->sent++;
    uint64_t header = header_for(n, to, number, to), payload[PAYLOAD_WORDS];

    for (unsigned i = 0; i < header_length(header) && i < PAYLOAD_WORDS; i++)
        payload[i] = payload_word(n->number, to, number, i);
    n->header_crc_at = n->frame.words + 2;
    n->frame_is_packet = 1;
    frame_packet(&n->frame, header, payload);
    flow->transmitted = (flow->transmitted + header_units(header)) & UNITS_MASK;
    flow->units += header_units(header);
}

/* Puts the next frame into n->frame; 0 if an idle word is due. */
static int next_frame(struct nic_side *n)
{
    unsigned nics = n->group->nics;

    n->frame_is_packet = 0;
    n->frame_word = 0;
    frame_start(&n->frame);
    if (n->mute || n->words_since_idle > IDLE_EVERY - 140) return 0;
    for (unsigned i = 0; i < nics; i++) {
        struct nic_flow_out *flow = &n->out[i];
        if (!flow->record_owed) continue;
        frame_record(&n->frame, i, flow->transmitted);
        flow->record_owed = 0;
        if (!flow->recorded) flow->hold = HOLD;
        flow->recorded = 1;
        return 1;
    }
    if (n->back_to_back || sim_random_below(n->group->s, 20) == 0)
        for (unsigned i = 1; i <= nics; i++) {
            unsigned to = (n->next_flow + i) % nics;
            if (!may_send(n, &n->out[to])) continue;
            if (credit_is_due(n)) add_credit(n);
            n->next_flow = to;
            start_packet(n, to);
            return 1;
        }
    if (!credit_is_due(n)) return 0;
    add_credit(n);
    return 1;
}

static void put(struct nic_side *n, uint8_t byte, uint8_t k, uint8_t not_in_table)
{
    if (n->wire_in - n->wire_out >= NIC_WIRE) abort();
    n->wire[n->wire_in++ % NIC_WIRE] = (struct nic_character){byte, k, not_in_table};
}

static void put_word(struct nic_side *n, uint32_t data, uint8_t k)
{
    uint8_t not_in_table = 0;

    if (n->tap_out) n->tap_out(n, &data, &k, &not_in_table);
    for (int i = 3; i >= 0; i--) put(n, (uint8_t)(data >> 8 * i), k >> i & 1, not_in_table >> i & 1);
}

void nic_script(struct nic_side *n, uint32_t data, uint8_t k)
{
    if (n->script_in - n->script_out >= NIC_SCRIPT) abort();
    n->script[n->script_in % NIC_SCRIPT].data = data;
    n->script[n->script_in++ % NIC_SCRIPT].k = k;
}

void nic_script_frame(struct nic_side *n, const struct frame *f, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) nic_script(n, f->data[i], f->k[i]);
}

static void timers(struct nic_side *n)
{
    n->credit_timer++;
    for (unsigned i = 0; i < n->group->nics; i++)
        if (n->out[i].hold && --n->out[i].hold == 0) n->out[i].record_owed = 1;
    if (++n->record_timer >= RECORD_PERIOD) {
        n->record_timer = 0;
        n->out[n->record_lane].record_owed = 1;
        n->record_lane = (n->record_lane + 1) % n->group->nics;
    }
}

int nic_transmit(struct nic_side *n, struct nic_character out[4])
{
    timers(n);
    int scripted = n->frame_word == n->frame.words && n->script_in != n->script_out;
    if (!scripted && n->frame_word == n->frame.words && !next_frame(n)) n->frame.words = n->frame_word = 0;
    if (scripted) {
        unsigned slot = n->script_out++ % NIC_SCRIPT;
        put_word(n, n->script[slot].data, n->script[slot].k);
        n->words_since_idle++;
    } else if (n->frame.words) {
        if (n->frame_is_packet && n->frame_word == n->header_crc_at) n->header_crc_wire = n->wire_in;
        put_word(n, n->frame.data[n->frame_word], n->frame.k[n->frame_word]);
        n->frame_word++;
        n->words_since_idle++;
    } else { /* clock correction takes a byte out or puts one in; the fill of the wire stays within 4 bytes */
        int more = (int)(n->wire_in - n->wire_out) - (int)(4 * WIRE_CLOCKS);
        int corrects = (int)sim_random_below(n->group->s, 100) < n->corrections;
        n->words_since_idle = 0;
        put_word(n, IDLE_WORD, IDLE_K);
        if (corrects && (more < 0 || (!more && sim_random_below(n->group->s, 2)))) put(n, 0xbc, 1, 0);
        else if (corrects) n->wire_in--;
    }
    int here = n->header_crc_wire - n->wire_out < 4;
    for (int i = 0; i < 4; i++)
        out[i] = n->wire_out == n->wire_in ? (struct nic_character){0xbc, 1, 0} : n->wire[n->wire_out++ % NIC_WIRE];
    return here;
}

/* ---- both ---- */

void nic_side_reset(struct nic_side *n)
{
    for (unsigned i = 0; i < NICS_MAX; i++) {
        struct nic_flow_out *flow = &n->out[i];
        flow->transmitted = flow->credit = flow->hold = 0;
        flow->credit_seen = flow->recorded = 0;
        flow->record_owed = 1;
    }
    n->frame.words = n->frame_word = 0;
    n->received = n->occupied = 0;
    n->credit_sent = 0;
    n->owes_credit = 1;
    n->record_timer = 0;
    n->parser.state = 0;
}

struct nic_side *nic_side_new(struct nic_group *g, unsigned number)
{
    struct nic_side *n = test_memory(sizeof *n);

    n->group = g;
    n->number = number;
    n->pop_percent = 100;
    n->obeys_credits = 1;
    n->back_to_back = 1;
    n->parser.sink = got_item;
    n->parser.self = n;
    n->header_crc_wire = UINT64_MAX;
    for (unsigned i = 0; i < WIRE_CLOCKS; i++) n->back[i].data = IDLE_WORD, n->back[i].k = IDLE_K;
    nic_side_reset(n);
    for (unsigned i = 0; i < 4 * WIRE_CLOCKS; i++) put(n, 0xbc, 1, 0);
    return n;
}

void nic_check_settled(const struct nic_side *n)
{
    for (unsigned i = 0; i < n->group->nics; i++) {
        const struct nic_flow_out *out = &n->out[i];
        const struct nic_flow_in *in = &n->in[i];
        uint32_t sent = n->group->nic[i]->out[n->number].sent;
        if (out->sent != out->queued)
            complain(n->group, "NIC %u: %u packets for %u were not sent", n->number, out->queued - out->sent, i);
        if (out->credit != (out->transmitted & ~31u))
            complain(n->group, "NIC %u: credit of lane %u is %03x, transmitted %03x", n->number, i, out->credit,
                     out->transmitted);
        if (!n->group->losses_allowed && in->good != sent)
            complain(n->group, "NIC %u: %u packets from %u, %u were sent", n->number, in->good, i, sent);
    }
    if (n->occupied) complain(n->group, "NIC %u: the buffer is not empty", n->number);
}
