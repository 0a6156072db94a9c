/* The bridge's step and its CPU side. See pcix_bridge.h. */
#include "sim/model/host/pcix_bridge.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/host/pcix_bridge_private.h"

enum { ONE_BIT = PCIX_PULLED_UP & ~(PCIX_BIT(PCIX_PAR) | PCIX_BIT(PCIX_PAR64)) }; /* all of them high: idle */

static void apply_params(pcix_bridge *b, const host_params *p)
{
    b->p = *p;
    b->arbiter.hidden = p->hidden_arbitration;
    b->arbiter.park = p->park;
    b->arbiter.grant_delay = p->grant_delay;
    b->initiator.latency_timer = p->latency_timer;
    b->initiator.parity_response = b->target.parity_response = b->target.serr_enable = p->parity_response;
    b->initiator.fast_start = p->fast_start;
    b->arbiter.stays = false;
    bridge_wake(b);
}

static bool usable(const struct post *p, uint64_t m) { return m >= p->arrival && m >= p->not_before; }

static int ready_post(const pcix_bridge *b, uint64_t m)
{
    const struct post *head = &b->posts[b->posted_out % BRIDGE_POSTS];
    return b->posted_in != b->posted_out && usable(head, m) ? (int)(b->posted_out % BRIDGE_POSTS) : -1;
}

static int ready_call(const pcix_bridge *b, uint64_t m)
{
    for (unsigned k = 0; k < PCIX_CALLS && b->call_count != 0; k++) {
        unsigned i = (b->call_turn + k) % PCIX_CALLS;
        const pcix_call *c = b->calls[i];
        if (c != NULL && !c->split && b->posted_out >= c->push && m >= c->not_before) return (int)i;
    }
    return -1;
}

static void request_post(pcix_bridge *b, unsigned i, pcix_request *q)
{
    struct post *p = &b->posts[i];
    unsigned left = p->size - p->moved;
    uint64_t from = p->address + p->moved;
    *q = (pcix_request){
        .command = PCIX_MEMORY_WRITE,
        .address = from,
        .attribute = bridge_id(b) << 8,
        .count = left,
        .wide = !b->p.narrow_writes && (from & 3) + left > 4,
        .data = p->data + p->moved,
        .lanes = p->masked ? p->lanes + p->moved : NULL,
    };
}

static void request_call(pcix_bridge *b, unsigned tag, pcix_request *q)
{
    pcix_call *c = b->calls[tag];
    bool config = pcix_is_config(c->command), dword = pcix_is_dword(c->command);
    *q = (pcix_request){
        .command = c->command,
        .address = c->address + c->moved,
        .attribute = tag << 24 | bridge_id(b) << 8 | (config ? b->p.bus_number : 0u),
        .count = c->count - c->moved,
        .enables = c->enables,
        .wide = !dword && !b->p.narrow_writes,
        .data = c->data,
        .read = c->data + (dword ? 0 : c->moved),
    };
}

/* Begins the next piece of work that may start in clock m. The three kinds take turns. */
static void choose(pcix_bridge *b, uint64_t m, const pcix_sample *now)
{
    pcix_request q;
    for (int k = 1; k <= 3; k++) {
        int kind = (b->last_work + k - 1) % 3 + 1;
        int i = kind == WORK_POST ? ready_post(b, m) : kind == WORK_CALL ? ready_call(b, m) : bridge_split_ready(b, m);
        if (i < 0) continue;
        if (kind == WORK_CALL && pcix_is_config(b->calls[i]->command) && b->arbiter.owner != b->agent)
            continue; /* GNT# is leaving: the address could not stay for its four clocks (6.4) */
        if (kind == WORK_POST) request_post(b, (unsigned)i, &q);
        else if (kind == WORK_CALL) request_call(b, (unsigned)i, &q);
        else bridge_split_request(b, (unsigned)i, &q);
        b->work = b->last_work = kind;
        b->work_index = (unsigned)i;
        pcix_initiator_start(&b->initiator, &q, now);
        return;
    }
}

static int status_of(int end)
{
    return end == PCIX_END_MASTER_ABORT   ? PCIX_MASTER_ABORT
           : end == PCIX_END_TARGET_ABORT ? PCIX_TARGET_ABORT
                                          : PCIX_OK;
}

static void post_result(pcix_bridge *b, const pcix_result *r)
{
    struct post *p = &b->posts[b->work_index];
    int status = status_of(r->end);
    if (r->end == PCIX_END_RETRY) {
        b->stats.retries_met++;
        p->not_before = pcix_bus_clock(b->bus) + b->p.retry_delay;
        return;
    }
    p->moved += r->bytes;
    if (status == PCIX_OK && p->moved < p->size) return;
    b->stats.posted++;
    b->stats.posted_failed += status != PCIX_OK;
    b->posted_out++;
    if (b->on_posted != NULL) b->on_posted(b->on_posted_arg, status);
}

void bridge_call_finish(pcix_bridge *b, unsigned tag, int status)
{
    pcix_call *c = b->calls[tag];
    b->calls[tag] = NULL;
    b->call_count--;
    b->stats.calls++;
    c->status = status;
    if (c->done != NULL) c->done(c->arg);
}

static void call_result(pcix_bridge *b, const pcix_result *r)
{
    pcix_call *c = b->calls[b->work_index];
    int status = status_of(r->end);
    if (r->end == PCIX_END_RETRY) {
        b->stats.retries_met++;
        c->not_before = pcix_bus_clock(b->bus) + b->p.retry_delay;
        b->call_turn = b->work_index + 1; /* another call may get on meanwhile */
        return;
    }
    if (r->end == PCIX_END_SPLIT) {
        c->split = true;
        return;
    }
    if (status != PCIX_OK) {
        if (pcix_is_read(c->command)) memset(c->data, 0xff, pcix_is_dword(c->command) ? 4 : c->count);
        bridge_call_finish(b, b->work_index, status);
        return;
    }
    c->moved += r->bytes;
    if (pcix_is_dword(c->command) || c->moved >= c->count)
        bridge_call_finish(b, b->work_index, r->parity_error ? PCIX_PARITY_ERROR : PCIX_OK);
}

static void finish_work(pcix_bridge *b)
{
    int work = b->work;
    b->work = WORK_NONE;
    if (work == WORK_POST) post_result(b, &b->initiator.result);
    else if (work == WORK_CALL) call_result(b, &b->initiator.result);
    else if (work == WORK_SPLIT) bridge_split_result(b, b->work_index, &b->initiator);
}

/* Would the bridge use the bus soon? */
static bool wants(const pcix_bridge *b, uint64_t m)
{
    if (b->initiator.active && m <= b->initiator.a0 + 2) return true; /* until the arbiter has seen FRAME# */
    m += BRIDGE_LEAD;
    return ready_post(b, m) >= 0 || bridge_split_ready(b, m) >= 0 || ready_call(b, m) >= 0;
}

/* Mode pattern {DEVSEL#,STOP#,TRDY#} and REQ64# around the rising edge of RST# (1.2); driven high one clock before
 * release. */
static void drive_pattern(pcix_bridge *b, pcix_drive *out)
{
    unsigned low = (b->p.mode & 4 ? PCIX_BIT(PCIX_DEVSEL) : 0) | (b->p.mode & 2 ? PCIX_BIT(PCIX_STOP) : 0) |
                   (b->p.mode & 1 ? PCIX_BIT(PCIX_TRDY) : 0) | PCIX_BIT(PCIX_REQ64);
    pcix_put(out, PCIX_OE_TARGET | PCIX_BIT(PCIX_REQ64), 1);
    if (b->pattern) pcix_put(out, low, 0);
    b->pattern_release = b->pattern;
}

static void clear_work(pcix_bridge *b)
{
    pcix_initiator_reset(&b->initiator);
    pcix_target_reset(&b->target);
    pcix_arbiter_reset(&b->arbiter);
    b->parity = (pcix_parity_state){0};
    b->work = WORK_NONE;
    b->completion_end = 0;
    b->split_used = 0;
    b->split_from = UINT64_MAX;
    memset(b->retried, 0, sizeof b->retried);
    b->completing = NULL;
    b->posted_out = b->posted_in;
    b->last_arrival = 0;
    for (unsigned tag = 0; tag < PCIX_CALLS && b->call_count != 0; tag++)
        if (b->calls[tag] != NULL) bridge_call_finish(b, tag, PCIX_MASTER_ABORT);
}

/* An idle bus that stays with its present owner. */
static bool nothing_new(const pcix_bridge *b, const pcix_sample *now)
{
    return (now->level & ONE_BIT) == ONE_BIT && now->req_n == b->arbiter.req_n && now->rst_n;
}

static bool rests(void *self, const pcix_sample *now)
{
    const pcix_bridge *b = self;
    return b->asleep && nothing_new(b, now);
}

static void step(void *self, const pcix_sample *now, pcix_drive *out)
{
    pcix_bridge *b = self;
    uint64_t m = now->clock + 2;

    if (rests(b, now)) {
        out->gnt_n = b->arbiter.gnt_n;
        return;
    }
    const pcix_sample *before = pcix_bus_at(b->bus, now->clock - 1);
    if (b->pattern || b->pattern_release) drive_pattern(b, out);
    if (!now->rst_n) {
        clear_work(b);
        return;
    }
    b->stats.perr_met += pcix_low(now, PCIX_PERR);
    pcix_initiator_see(&b->initiator, now);
    if (pcix_initiator_lost_grant(&b->initiator, now))
        b->work = WORK_NONE; /* the call is still in its place and will be tried again */
    if (pcix_initiator_done(&b->initiator)) finish_work(b);
    if (pcix_initiator_may_start(&b->initiator, now)) choose(b, m, now);
    bool own = b->initiator.active && now->clock >= b->initiator.a0;
    pcix_target_step(&b->target, now, before, own, 0, out);
    pcix_initiator_step(&b->initiator, now, before, out);
    bool want = wants(b, m);
    pcix_arbiter_step(&b->arbiter, now, want, pcix_bus_agents(b->bus), out);
    out->req_n = !want;
    pcix_drive_parity(&b->parity, out);
    b->asleep = out->oe == 0 && nothing_new(b, now) && b->posted_in == b->posted_out && b->call_count == 0 &&
                b->split_used == 0 && !b->pattern && !b->initiator.active && pcix_target_idle(&b->target) &&
                pcix_arbiter_settled(&b->arbiter, pcix_bus_agents(b->bus));
}

pcix_bridge *pcix_bridge_new(pcix_bus *bus, memory *m, const host_params *params)
{
    pcix_bridge *b = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->bus = bus;
    b->memory = m;
    b->agent = pcix_bus_add_agent(bus, "bridge", step, b);
    if (b->agent < 0) {
        free(b);
        return NULL;
    }
    pcix_bus_set_rest(bus, b->agent, rests);
    b->target.calls = &bridge_target_calls;
    b->target.owner = b;
    b->initiator.agent = b->arbiter.bridge = b->agent;
    b->last_work = WORK_SPLIT;
    apply_params(b, params);
    clear_work(b);
    return b;
}

void pcix_bridge_free(pcix_bridge *b) { free(b); }
int pcix_bridge_agent(const pcix_bridge *b) { return b->agent; }
unsigned pcix_bridge_posted(const pcix_bridge *b) { return (unsigned)(b->posted_in - b->posted_out); }
const pcix_bridge_stats *pcix_bridge_get_stats(const pcix_bridge *b) { return &b->stats; }
void pcix_bridge_set_params(pcix_bridge *b, const host_params *params) { apply_params(b, params); }
void pcix_bridge_clear_ranges(pcix_bridge *b) { b->range_count = 0; }
void pcix_bridge_pattern(pcix_bridge *b, bool on)
{
    b->pattern = on;
    bridge_wake(b);
}

void pcix_bridge_on_posted(pcix_bridge *b, void (*fn)(void *arg, int status), void *arg)
{
    b->on_posted = fn;
    b->on_posted_arg = arg;
}

bool pcix_bridge_on_request(pcix_bridge *b, unsigned (*fn)(void *arg, int command), void *arg)
{
    if (b->asked == BRIDGE_ASKED) return false;
    b->on_request[b->asked].fn = fn;
    b->on_request[b->asked++].arg = arg;
    return true;
}

bool pcix_bridge_add_range(pcix_bridge *b, const host_range *r)
{
    if (b->range_count == BRIDGE_RANGES) return false;
    b->ranges[b->range_count++] = *r;
    return true;
}

bool pcix_bridge_post(pcix_bridge *b, uint64_t address, const void *data, size_t size, const uint8_t *lanes,
                      bool combined)
{
    if (pcix_bridge_posted(b) >= b->p.post_depth || size == 0 || size > PCIX_POST) return false;
    struct post *p = &b->posts[b->posted_in % BRIDGE_POSTS];
    unsigned period = !combined ? b->p.write_period : size == PCIX_POST ? b->p.combined_period : 0;
    uint64_t earliest = pcix_bus_clock(b->bus) + 1;
    if (b->last_arrival != 0 && earliest < b->last_arrival + period) earliest = b->last_arrival + period;
    *p = (struct post){.address = address, .arrival = earliest, .size = (unsigned)size, .masked = lanes != NULL};
    memcpy(p->data, data, size);
    if (lanes != NULL) memcpy(p->lanes, lanes, size);
    b->last_arrival = earliest;
    b->posted_in++;
    bridge_wake(b);
    return true;
}

bool pcix_bridge_begin(pcix_bridge *b, pcix_call *call)
{
    for (unsigned i = 0; i < PCIX_CALLS; i++) {
        unsigned tag = (b->call_turn + i) % PCIX_CALLS;
        if (b->calls[tag] != NULL) continue;
        call->push = b->posted_in;
        call->not_before = pcix_bus_clock(b->bus) + 1;
        call->moved = 0;
        call->split = false;
        b->calls[tag] = call;
        b->call_count++;
        bridge_wake(b);
        return true;
    }
    return false;
}
