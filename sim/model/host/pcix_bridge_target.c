/* The bridge as target: memory writes are posted into the host's memory, reads are split (or answered at once),
 * completions of the CPU's own reads are taken in. See pcix_bridge.h. */
#include <string.h>

#include "sim/model/host/pcix_bridge_private.h"

static const host_range *range_of(const pcix_bridge *b, uint64_t address, int kind)
{
    for (unsigned i = 0; i < b->range_count; i++) {
        const host_range *r = &b->ranges[i];
        if (r->kind == kind && address >= r->from && address <= r->to) return r;
    }
    return NULL;
}

static bool claim(void *owner, const pcix_access *q, pcix_answer *a)
{
    pcix_bridge *b = owner;
    a->decode = b->p.decode;
    a->wide = !b->p.narrow;
    if (q->command == PCIX_SPLIT_COMPLETION) return (q->address >> 8 & 0xffff) == bridge_id(b);
    if (!pcix_is_memory_write(q->command) && !pcix_is_memory_read(q->command)) return false;
    if (q->address >= b->p.hole_from && q->address <= b->p.hole_to) return false;
    if (b->range_count != 0) {
        const host_range *r;
        if (range_of(b, q->address, HOST_RANGE_NOBODY) != NULL) return false;
        if (range_of(b, q->address, HOST_RANGE_NARROW) != NULL) a->wide = false;
        if ((r = range_of(b, q->address, HOST_RANGE_DECODE)) != NULL) a->decode = r->value;
    }
    if (q->dac && a->decode == 6)
        a->decode = 4; /* a Retry or Split Response would come later than 8 clocks after FRAME# (3.2) */
    return true;
}

/* Is this request to be retried? Each new one `times` times. */
static bool retry(pcix_bridge *b, const pcix_access *q, unsigned times)
{
    struct retried *slot = NULL;
    uint32_t attribute = q->attribute | (uint32_t)(q->attribute_cbe & 1) << 31;
    for (unsigned i = 0; i < BRIDGE_RETRIES; i++) {
        struct retried *r = &b->retried[i];
        if (r->used && r->command == q->command && r->address == q->address && r->attribute == attribute) {
            if (r->left > 0) {
                r->left--;
                return true;
            }
            r->used = false;
            return false;
        }
        if (!r->used) slot = r;
    }
    for (unsigned i = 0; i < b->asked; i++) times += b->on_request[i].fn(b->on_request[i].arg, q->command);
    if (times == 0) return false;
    if (slot == NULL) /* forget the oldest guess; it will be retried */
        slot = &b->retried[b->retried_turn++ % BRIDGE_RETRIES];
    *slot = (struct retried){true, q->command, q->address, attribute, times - 1};
    return true;
}

/* Signal Disconnect at Next ADB so that the burst ends `bytes` after its start, which is an ADB. */
static void disconnect_after(const pcix_access *q, pcix_answer *a, uint64_t bytes)
{
    unsigned width = q->req64 && a->wide ? 8 : 4;
    unsigned phases = pcix_phases(q->address, (unsigned)bytes, width);
    a->end = PCIX_END_TARGET;
    a->at = phases > 4 ? phases - 4 : 0;
}

static void answer_completion(pcix_bridge *b, const pcix_access *q)
{
    unsigned tag = q->address >> 24 & 31;
    pcix_call *c = b->calls[tag];
    b->completing = c != NULL && c->split ? c : NULL;
}

static void give_data(pcix_bridge *b, const pcix_access *q, pcix_answer *a)
{
    uint64_t from = pcix_is_dword(q->command) ? q->address & ~3ull : q->address;
    memory_read(b->memory, from, b->immediate, q->count);
    a->read = b->immediate;
    a->waits = b->p.read_waits;
}

static void answer_read(pcix_bridge *b, const pcix_access *q, pcix_answer *a, unsigned retries)
{
    const host_range *error = range_of(b, q->address, HOST_RANGE_SPLIT_ERROR);
    if (retry(b, q, retries)) {
        a->end = PCIX_END_RETRY;
    } else if (b->p.immediate_reads || range_of(b, q->address, HOST_RANGE_IMMEDIATE) != NULL) {
        give_data(b, q, a);
        b->stats.reads_immediate++;
    } else if (bridge_split_add(b, q, error != NULL ? (int)(error->value & 0xfff) : -1,
                                error != NULL ? error->value >> 12 : 0)) {
        a->end = PCIX_END_SPLIT;
        b->stats.reads_split++;
    } else {
        a->end = PCIX_END_RETRY;
    }
}

static void answer_write(pcix_bridge *b, const pcix_access *q, pcix_answer *a, unsigned retries)
{
    if (retry(b, q, retries)) {
        a->end = PCIX_END_RETRY;
        return;
    }
    a->waits = b->p.write_waits;
    if (b->p.write_buffer != 0) {
        uint64_t room = b->p.write_buffer - q->address % b->p.write_buffer;
        if (q->count > room) disconnect_after(q, a, room);
    }
}

static void answer(void *owner, const pcix_access *q, pcix_answer *a)
{
    pcix_bridge *b = owner;
    const host_range *r;
    if (q->command == PCIX_SPLIT_COMPLETION) {
        answer_completion(b, q);
        return;
    }
    bool read = pcix_is_read(q->command);
    unsigned retries = read ? b->p.read_retries : b->p.write_retries;
    if (b->range_count != 0 && (r = range_of(b, q->address, HOST_RANGE_RETRY)) != NULL) retries = r->value;
    if (b->range_count != 0 && (r = range_of(b, q->address, HOST_RANGE_TARGET_ABORT)) != NULL) {
        if (read) give_data(b, q, a);
        a->end = PCIX_END_TARGET_ABORT;
        a->at = r->value;
    } else if (read) {
        answer_read(b, q, a, retries);
    } else {
        answer_write(b, q, a, retries);
    }
    if (a->end != PCIX_END_COUNT && a->end != PCIX_END_TARGET) return;
    if (b->range_count != 0) {
        if ((r = range_of(b, q->address, HOST_RANGE_WAITS)) != NULL) a->waits = r->value;
        if ((r = range_of(b, q->address, HOST_RANGE_DISCONNECT)) != NULL && !pcix_is_dword(q->command)) {
            a->end = PCIX_END_TARGET;
            a->at = r->value;
        }
        if (range_of(b, q->address, HOST_RANGE_SINGLE) != NULL) a->end = PCIX_END_SINGLE;
    }
}

static void take_completion(pcix_bridge *b, const pcix_access *q, uint64_t address, uint64_t ad, unsigned lanes)
{
    pcix_call *c = b->completing;
    if (c == NULL || q->attribute >> 29 & 1) { /* a message, or unsolicited */
        if (c != NULL) c->message = (uint32_t)ad;
        return;
    }
    unsigned width = q->req64 && !b->p.narrow ? 8 : 4;
    if (pcix_is_dword(c->command)) {
        memcpy(c->data, &ad, 4);
        c->moved = 4;
        return;
    }
    int64_t first = (int64_t)c->moved + (int64_t)(address - q->address); /* of lane 0, in the whole Sequence */
    for (unsigned lane = 0; lane < width; lane++) {
        int64_t at = first + lane;
        if ((lanes >> lane & 1) && at >= 0 && at < (int64_t)c->count) c->data[at] = (uint8_t)(ad >> 8 * lane);
    }
}

static void take(void *owner, const pcix_access *q, uint64_t address, uint64_t ad, unsigned lanes)
{
    pcix_bridge *b = owner;
    if (q->command == PCIX_SPLIT_COMPLETION) take_completion(b, q, address, ad, lanes);
    else if (address & 4) memory_put64(b->memory, address - 4, ad << 32, lanes << 4);
    else memory_put64(b->memory, address, ad, lanes);
}

static void end_completion(pcix_bridge *b, const pcix_access *q, unsigned bytes)
{
    unsigned tag = q->address >> 24 & 31;
    pcix_call *c = b->completing;
    b->completing = NULL;
    if (c == NULL || b->calls[tag] != c) return;
    if (q->attribute >> 29 & 1) {
        bridge_call_finish(b, tag, q->attribute >> 30 & 1 ? PCIX_ERROR_MESSAGE : PCIX_OK);
        return;
    }
    if (!pcix_is_dword(c->command)) c->moved += bytes;
    if (pcix_is_dword(c->command) || c->moved >= c->count) bridge_call_finish(b, tag, PCIX_OK);
}

static void ended(void *owner, const pcix_access *q, int end, unsigned bytes, bool parity_error)
{
    pcix_bridge *b = owner;
    b->stats.parity_errors += parity_error;
    if (q->command == PCIX_SPLIT_COMPLETION) {
        end_completion(b, q, bytes);
        return;
    }
    if (end == PCIX_END_RETRY) b->stats.retries_given++;
    else if (end == PCIX_END_TARGET || end == PCIX_END_SINGLE) b->stats.disconnects_given++;
    else if (end == PCIX_END_TARGET_ABORT) b->stats.aborts_given++;
    if (pcix_is_memory_write(q->command) && bytes > 0) {
        b->stats.writes_taken++;
        b->stats.write_bytes += bytes;
    } else if (bytes > 0) {
        b->stats.read_bytes += bytes;
    }
}

const pcix_target_calls bridge_target_calls = {claim, answer, take, ended};
