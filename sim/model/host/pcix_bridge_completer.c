/* The completer: reads of devices wait here until their data is due, then go out as Split Completions, cut as the
 * parameters say (pcix.md 7, 13.5). */
#include <string.h>

#include "sim/model/host/pcix_bridge_private.h"

static struct split *free_split(pcix_bridge *b)
{
    if ((unsigned)__builtin_popcount(b->split_used) >= b->p.splits) return NULL;
    int i = __builtin_ctz(~b->split_used);
    b->split_used |= 1u << i;
    return &b->splits[i];
}

/* One more read: does a fault hit it? */
static bool next_fault(pcix_bridge *b, pcix_completion_fault *hit)
{
    bool found = false;
    for (unsigned i = 0; i < b->fault_count; i++) {
        pcix_completion_fault *f = &b->faults[i];
        if (f->choose != NULL) {
            if (found || !f->choose(f->arg)) continue;
            found = true;
            *hit = *f;
        } else if (f->skip > 0) {
            f->skip--;
        } else if (!found) {
            found = true;
            *hit = *f;
            if (f->times-- <= 1) b->faults[i--] = b->faults[--b->fault_count];
        }
    }
    return found;
}

static void arm(pcix_bridge *b, struct split *s)
{
    pcix_completion_fault f = {.kind = -1};
    if (!next_fault(b, &f)) return;
    b->faults_done++;
    s->pieces = f.pieces;
    s->message = f.kind == PCIX_COMPLETION_MESSAGE ? (int)(f.value & 0xfff) : -1;
    if (s->message >= 0) return;
    s->fault = f.kind;
    s->value = f.value;
    if (b->on_fault != NULL) b->on_fault(b->on_fault_arg, s->requester, s->tag);
}

static void drop(pcix_bridge *b, const struct split *s) { b->split_used &= ~(1u << (s - b->splits)); }

/* At the start of a read and after each piece of it: what its fault does before the next piece. */
static void strike(pcix_bridge *b, struct split *s)
{
    if (s->fault < 0 || s->piece != s->pieces) return;
    if (s->fault == PCIX_COMPLETION_DROPPED) drop(b, s);
    if (s->fault == PCIX_COMPLETION_LATE) s->ready = (s->piece == 0 ? s->ready : pcix_bus_clock(b->bus)) + s->value;
}

/* To be called when a split has come, has gone, or is ready at another time. */
static void note_first(pcix_bridge *b)
{
    b->split_from = UINT64_MAX;
    for (uint32_t used = b->split_used; used != 0; used &= used - 1) {
        const struct split *s = &b->splits[__builtin_ctz(used)];
        if (s->ready < b->split_from) b->split_from = s->ready;
    }
}

bool pcix_bridge_fail_completion(pcix_bridge *b, const pcix_completion_fault *f)
{
    if (b->fault_count == BRIDGE_FAULTS || (f->kind == PCIX_COMPLETION_COUNT && (f->value & 0xfff) == 0) ||
        (f->kind == PCIX_COMPLETION_LOWER && (f->value & 0x7f) == 0))
        return false;
    b->faults[b->fault_count++] = *f;
    return true;
}

uint64_t pcix_bridge_completion_faults(const pcix_bridge *b) { return b->faults_done; }

void pcix_bridge_on_completion_fault(pcix_bridge *b, void (*fn)(void *arg, unsigned requester, unsigned tag), void *arg)
{
    b->on_fault = fn;
    b->on_fault_arg = arg;
}

bool bridge_split_add(pcix_bridge *b, const pcix_access *q, int message, unsigned pieces)
{
    struct split *s = free_split(b);
    if (s == NULL) return false;
    bridge_wake(b);
    *s = (struct split){
        .dword = pcix_is_dword(q->command),
        .relaxed = q->attribute >> 29 & 1,
        .address = pcix_is_dword(q->command) ? q->address & ~3ull : q->address,
        .ready = q->start + b->p.split_latency + b->p.split_growth * q->count / 4096,
        .served = ++b->order,
        .total = q->count,
        .requester = q->attribute >> 8 & 0xffff,
        .tag = q->attribute >> 24 & 31,
        .message = message,
        .fault = -1,
        .pieces = pieces,
    };
    if (q->command == PCIX_READ_BLOCK) arm(b, s);
    strike(b, s);
    note_first(b);
    return true;
}

bool pcix_bridge_inject_completion(pcix_bridge *b, unsigned requester, unsigned tag, unsigned lower_address,
                                   unsigned count)
{
    pcix_access q = {.command = PCIX_READ_BLOCK,
                     .address = lower_address & 127,
                     .attribute = (tag & 31) << 24 | (requester & 0xffff) << 8,
                     .count = count,
                     .start = pcix_bus_clock(b->bus)};
    unsigned faults = b->fault_count;
    b->fault_count = 0; /* they are for reads that were asked for */
    bool added = bridge_split_add(b, &q, -1, 0);
    b->fault_count = faults;
    return added;
}

int bridge_split_choose(const pcix_bridge *b, uint64_t m)
{
    int best = -1;
    const struct post *head = b->posted_in != b->posted_out ? &b->posts[b->posted_out % BRIDGE_POSTS] : NULL;
    for (uint32_t used = b->split_used; used != 0; used &= used - 1) {
        int i = __builtin_ctz(used);
        const struct split *s = &b->splits[i];
        if (m < s->ready) continue;
        if (head != NULL && head->arrival <= s->ready && !s->relaxed) continue; /* must not overtake that write */
        if (best < 0 || s->served < b->splits[best].served) best = i;
    }
    return best;
}

/* Bytes until the end of the current piece, 0 = all the rest. */
static unsigned cut(const pcix_bridge *b, const struct split *s)
{
    uint64_t from = s->address + s->done, end = s->address & ~127ull;
    if (b->p.cuts == 0) return 0;
    /* a cut that came too soon after the start to be made is passed over: the piece went on to the next one */
    for (unsigned i = 0; i <= s->piece || end <= from; i++)
        end += 128ull * b->p.cut_adqs[i < b->p.cuts ? i : b->p.cuts - 1];
    return end - from < s->total - s->done ? (unsigned)(end - from) : 0;
}

static bool message_due(const struct split *s) { return s->message >= 0 && s->piece >= s->pieces; }

/* Is it now that this fault shows? */
static bool wrong(const struct split *s, int fault) { return s->fault == fault && s->piece >= s->pieces; }

void bridge_split_request(pcix_bridge *b, unsigned index, pcix_request *q)
{
    struct split *s = &b->splits[index];
    unsigned left = s->total - s->done;
    uint64_t from = s->address + s->done;

    *q = (pcix_request){
        .command = PCIX_SPLIT_COMPLETION,
        .attribute = bridge_id(b) << 8,
        .data = b->completion,
        .count = left,
    };
    unsigned lower = s->dword ? 0 : (unsigned)(from & 127);
    if (message_due(s)) {
        uint32_t text = (uint32_t)(s->message >> 8 & 15) << 28 | (uint32_t)(s->message & 0xff)
                                                                     << 20; /* class, index (6.7) */
        text |= (uint32_t)(from & 127) << 12 | (left & 0xfff);
        memcpy(b->completion, &text, 4);
        q->attribute |= 3u << 29;
        q->count = 4;
        lower = 0;
    } else {
        memory_read(b->memory, from, b->completion, left);
        q->wide = !s->dword && !b->p.narrow_completions;
        q->cut = cut(b, s);
        unsigned to_adb = 128 - (unsigned)(from & 127);
        if (b->p.count_modified && s->done == 0 && !s->dword && to_adb < left) {
            q->attribute |= 1u << 31;
            q->count = to_adb;
            q->cut = 0;
        }
        if (wrong(s, PCIX_COMPLETION_COUNT)) {
            q->count = (q->count ^ s->value) & 0xfff;
            if (q->count == 0) q->count = 4096;
            q->cut = 0;
        }
        if (wrong(s, PCIX_COMPLETION_LOWER)) {
            lower ^= s->value & 127;
            q->cut = 0;
        }
    }
    q->address = (uint64_t)s->relaxed << 29 | s->tag << 24 | s->requester << 8 | lower;
}

static void take_result(pcix_bridge *b, unsigned index, const pcix_initiator *x)
{
    struct split *s = &b->splits[index];
    const pcix_result *r = &x->result;
    bool message = message_due(s);

    if (r->end == PCIX_END_RETRY) {
        b->stats.retries_met++;
        s->ready = pcix_bus_clock(b->bus) + b->p.retry_delay;
        return;
    }
    b->completion_end = x->r != 0 && x->data ? x->r + x->last : x->irdy_rise;
    if (r->end == PCIX_END_MASTER_ABORT || r->end == PCIX_END_TARGET_ABORT) {
        b->stats.completions_discarded++;
        drop(b, s);
        return;
    }
    if (message) {
        b->stats.error_messages++;
        drop(b, s);
        return;
    }
    b->stats.completions++;
    b->stats.read_bytes += r->bytes;
    s->done += r->bytes;
    if (wrong(s, PCIX_COMPLETION_COUNT) || wrong(s, PCIX_COMPLETION_LOWER)) s->done = s->total;
    s->piece++;
    strike(b, s);
    if (b->p.interleave) s->served = ++b->order;
    if (s->done >= s->total) drop(b, s);
}

void bridge_split_result(pcix_bridge *b, unsigned index, const pcix_initiator *x)
{
    take_result(b, index, x);
    note_first(b);
}
