/* See c_device.h. */
#include "c_device.h"

#include <string.h>

static bool claim(void *owner, const pcix_access *q, pcix_answer *a)
{
    c_device *d = owner;
    a->decode = 4;
    a->wide = !d->narrow;
    if (pcix_is_config(q->command)) return q->idsel && (q->address & 3) == 0;
    if (q->command == PCIX_SPLIT_COMPLETION) return (q->address >> 8 & 0xffff) == d->id;
    return (pcix_is_memory_write(q->command) || pcix_is_memory_read(q->command)) && q->address >= d->base &&
           q->address < d->base + C_DEVICE_MEMORY;
}

static void answer(void *owner, const pcix_access *q, pcix_answer *a)
{
    c_device *d = owner;
    if (q->command == PCIX_SPLIT_COMPLETION) {
        c_dma *s = d->splits[q->address >> 24 & 31];
        d->completing = s;
        a->waits = d->waits;
        return;
    }
    if (pcix_is_config(q->command)) {
        a->read = d->config + (q->address & 0xfc);
        if (d->split_config && d->in == d->out) {
            bool write = q->command == PCIX_CONFIG_WRITE;
            memcpy(d->owed_data, a->read, 4);
            if (write) memset(d->owed_data, 0, 4);
            d->owed = (c_dma){.command = PCIX_SPLIT_COMPLETION,
                              .address = q->attribute & 0x1fffff00u,
                              .count = 4,
                              .data = d->owed_data,
                              .flags = write};
            c_device_dma(d, &d->owed);
            a->end = PCIX_END_SPLIT;
        }
    } else {
        uint64_t offset = pcix_is_dword(q->command) ? (q->address - d->base) & ~3ull : q->address - d->base;
        a->read = d->memory + offset;
        a->waits = d->waits;
        if (d->answers > 0) {
            d->answers--;
            a->end = d->answer;
            if (a->end == PCIX_END_RETRY || a->end == PCIX_END_SPLIT) a->waits = 0;
        }
    }
    if (q->command == PCIX_CONFIG_WRITE)
        d->id = PCIX_ID(q->attribute & 0xff, q->address >> 11 & 31, q->address >> 8 & 7);
}

static void take(void *owner, const pcix_access *q, uint64_t address, uint64_t ad, unsigned lanes)
{
    c_device *d = owner;
    if (q->command == PCIX_SPLIT_COMPLETION) {
        c_dma *s = d->completing;
        if (s == NULL) return;
        if (q->attribute >> 29 & 1) {
            s->message = (uint32_t)ad;
            return;
        }
        for (int i = 0; i < 8; i++)
            if (lanes >> i & 1) {
                uint64_t at = s->moved + (address + (uint64_t)i - q->address);
                if (pcix_is_dword(s->command)) at = (uint64_t)i;
                if (at < s->count) s->data[at] = (uint8_t)(ad >> 8 * i);
            }
        return;
    }
    uint8_t *to = pcix_is_config(q->command) ? d->config + (address & 0xfc) : d->memory + (address - d->base);
    for (int i = 0; i < 8; i++)
        if (lanes >> i & 1) to[i] = (uint8_t)(ad >> 8 * i);
}

static void finish(c_dma *s, int end)
{
    s->end = end;
    s->done = true;
}

static void ended(void *owner, const pcix_access *q, int end, unsigned bytes, bool parity_error)
{
    c_device *d = owner;
    (void)end;
    if (q->command != PCIX_SPLIT_COMPLETION || d->completing == NULL) return;
    c_dma *s = d->completing;
    unsigned tag = q->address >> 24 & 31;
    d->completing = NULL;
    s->parity_error |= parity_error;
    s->last_data = pcix_tracker_now(pcix_bus_tracker(d->bus))->last_data;
    s->transactions++;
    if (q->attribute >> 29 & 1) {
        s->error_message = true;
        d->splits[tag] = NULL;
        finish(s, PCIX_END_TARGET_ABORT);
        return;
    }
    s->moved += bytes;
    if (s->moved >= s->count || pcix_is_dword(s->command)) {
        d->splits[tag] = NULL;
        finish(s, PCIX_END_COUNT);
    }
}

static const pcix_target_calls calls = {claim, answer, take, ended};

static void begin(c_device *d, const pcix_sample *now)
{
    c_dma *s = d->queue[d->out % C_DEVICE_QUEUE];
    pcix_request q = {
        .command = s->command,
        .address = s->address + s->moved,
        .attribute = s->tag << 24 | d->id << 8 | s->flags << 29,
        .count = s->count - s->moved,
        .enables = 15,
        .wide = !pcix_is_dword(s->command) && s->command != PCIX_SPLIT_COMPLETION,
        .data = s->data + s->moved,
        .read = s->data + s->moved,
    };
    d->running = s;
    pcix_initiator_start(&d->initiator, &q, now);
}

static void result(c_device *d, uint64_t m)
{
    const pcix_result *r = &d->initiator.result;
    d->not_before = m;
    c_dma *s = d->running;
    d->running = NULL;
    if (s->transactions++ == 0) s->first_start = r->start;
    s->parity_error |= r->parity_error;
    /* REQ# stays high for two clocks after a disconnect by the target or a Retry */
    if (r->end == PCIX_END_RETRY || r->end == PCIX_END_TARGET || r->end == PCIX_END_SINGLE) d->not_before = m + 2;
    if (r->end == PCIX_END_RETRY) return;
    s->moved += r->bytes;
    s->last_data = d->initiator.data ? d->initiator.r + d->initiator.last : 0;
    if (r->end == PCIX_END_SPLIT) {
        d->splits[s->tag] = s;
        d->out++;
    } else if (r->end == PCIX_END_MASTER_ABORT || r->end == PCIX_END_TARGET_ABORT || s->moved >= s->count) {
        d->out++;
        finish(s, r->end);
    }
}

static void step(void *self, const pcix_sample *now, pcix_drive *out)
{
    c_device *d = self;
    uint64_t m = now->clock + 2;
    const pcix_sample *before = pcix_bus_at(d->bus, now->clock - 1);
    if (!now->rst_n) {
        pcix_initiator_reset(&d->initiator);
        pcix_target_reset(&d->target);
        d->parity = (pcix_parity_state){0};
        d->id = PCIX_ID(0xff, 0x1f, 0);
        return;
    }
    d->initiator.latency_timer = d->latency_timer;
    d->initiator.parity_response = d->target.parity_response = d->parity_response;
    d->target.serr_enable = d->serr_enable;
    pcix_initiator_see(&d->initiator, now);
    if (pcix_initiator_done(&d->initiator)) result(d, m);
    bool work = d->in != d->out && m >= d->not_before;
    bool tag_free = d->in == d->out || d->splits[d->queue[d->out % C_DEVICE_QUEUE]->tag] == NULL;
    bool asking = work && tag_free && !d->initiator.active;
    if (asking && pcix_initiator_may_start(&d->initiator, now)) begin(d, now);
    bool own = d->initiator.active && now->clock >= d->initiator.a0;
    pcix_target_step(&d->target, now, before, own, d->slot, out);
    pcix_initiator_step(&d->initiator, now, before, out);
    /* REQ# stays low while a Sequence is not through; a new one keeps it low too */
    bool more = d->initiator.active && d->running != NULL &&
                (m < d->initiator.a0 + 2 || d->running->count > 512 || d->out + 1 < d->in);
    bool request = (work && tag_free && !d->initiator.active) || more;
    if (request && d->in != d->out && d->queue[d->out % C_DEVICE_QUEUE]->requested == 0)
        d->queue[d->out % C_DEVICE_QUEUE]->requested = m;
    out->req_n = !request;
    out->inta = d->inta;
    pcix_drive_parity(&d->parity, out);
}

void c_device_init(c_device *d, pcix_bus *bus, int slot)
{
    *d = (c_device){.bus = bus, .slot = slot, .base = 0xd0000000u, .latency_timer = 64};
    d->config[0x00] = 0x34;
    d->config[0x01] = 0x12;
    d->target.calls = &calls;
    d->target.owner = d;
    d->agent = pcix_bus_add_agent(bus, "device", step, d);
    d->initiator.agent = d->agent;
    pcix_target_reset(&d->target);
    pcix_initiator_reset(&d->initiator);
}

void c_device_dma(c_device *d, c_dma *dma)
{
    dma->done = dma->error_message = dma->parity_error = false;
    dma->moved = dma->transactions = 0;
    dma->requested = dma->first_start = dma->last_data = 0;
    d->queue[d->in++ % C_DEVICE_QUEUE] = dma;
}

bool c_device_idle(const c_device *d) { return d->in == d->out && !d->initiator.active; }
