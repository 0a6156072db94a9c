/* See pcix_arbiter.h. "m" is the clock being made, "n" = m-2 the newest one seen. */
#include "sim/model/host/pcix_arbiter.h"

enum {
    HOLD = 5,     /* clocks GNT# stays low on an idle bus at least (section 9) */
    PATIENCE = 16 /* clocks an owner may leave the idle bus unused while others wait */
};

void pcix_arbiter_reset(pcix_arbiter *x)
{
    x->owner = x->last_user = x->last_device = -1;
    x->since = 0;
    x->started = x->stays = false;
    x->was_idle = true;
    x->req_n = 0xffff;
    x->req_changed = 0;
    for (int i = 0; i < PCIX_AGENTS; i++) x->req_since[i] = 0;
}

static void note_requests(pcix_arbiter *x, const pcix_sample *now, int agents)
{
    if (now->req_n == x->req_n) return;
    x->req_n = now->req_n;
    x->req_changed = now->clock;
    for (int i = 0; i < agents; i++) {
        if (now->req_n >> i & 1) x->req_since[i] = 0;
        else if (x->req_since[i] == 0) x->req_since[i] = now->clock;
    }
}

static bool wants(const pcix_arbiter *x, int i, bool bridge_wants, uint64_t n)
{
    if (i == x->bridge) return bridge_wants;
    return x->req_since[i] != 0 && n >= x->req_since[i] + x->grant_delay;
}

/* Does the holder of GNT# request the bus? Without the delay, which is one before GNT#: an owner that has just lowered
 * REQ# asks. */
static bool owner_asks(const pcix_arbiter *x, bool bridge_wants)
{
    return x->owner == x->bridge ? bridge_wants : x->req_since[x->owner] != 0;
}

/* Round robin: the first requester after the last user; -1 none. */
static int next(const pcix_arbiter *x, bool bridge_wants, uint64_t n, int agents)
{
    if (!bridge_wants && (x->req_n | 1u << x->bridge) == 0xffff) return -1;
    int from = x->last_user < 0 ? agents - 1 : x->last_user;
    for (int k = 0, i = from; k < agents; k++) {
        if (++i >= agents) i = 0;
        if (wants(x, i, bridge_wants, n)) return i;
    }
    return -1;
}

static int parked(const pcix_arbiter *x, int agents)
{
    if (x->park == PCIX_PARK_NOBODY) return -1;
    if (x->park == PCIX_PARK_BRIDGE || agents < 2) return x->bridge;
    return x->last_device >= 0 ? x->last_device : x->bridge == 0 ? 1 : 0;
}

bool pcix_arbiter_settled(const pcix_arbiter *x, int agents)
{
    return x->was_idle && !x->started && (x->req_n | 1u << x->bridge) == 0xffff && x->owner == parked(x, agents);
}

void pcix_arbiter_decide(pcix_arbiter *x, const pcix_sample *now, bool bridge_wants, int agents)
{
    uint64_t n = now->clock, m = n + 2;
    bool idle = pcix_idle(now);
    bool begun = x->was_idle && pcix_low(now, PCIX_FRAME);
    int had = x->owner;

    x->was_idle = idle;
    note_requests(x, now, agents);
    if (begun)
        for (int i = 0; i < agents; i++)
            if (now->oe[i] & PCIX_BIT(PCIX_FRAME)) {
                x->last_user = i;
                if (i != x->bridge) x->last_device = i;
                x->started |= i == x->owner;
            }
    if (idle && x->started) { /* that transaction is over; if the owner keeps GNT#, it is as if granted again */
        x->started = false;
        x->since = m;
    }
    if (!idle && !x->started) /* granted while another agent's transaction runs: its time begins with the idle bus */
        x->since = m;
    int turn = next(x, bridge_wants, n, agents);
    if (x->owner >= 0) {
        bool asks = owner_asks(x, bridge_wants);
        if (asks && idle && !x->started && m >= x->since + PATIENCE) { /* it has had its chance */
            x->last_user = x->owner;
            turn = next(x, bridge_wants, n, agents);
        }
        bool seen = n >= x->since; /* its REQ# has been looked at since it has GNT# */
        bool held = x->started || (!asks && seen) || m >= x->since + HOLD;
        bool leave;
        if (x->started) leave = (turn >= 0 && turn != x->owner) || (!x->hidden && x->owner != x->bridge);
        else if (asks) leave = turn >= 0 && turn != x->owner && idle && m >= x->since + PATIENCE;
        else leave = turn >= 0 || parked(x, agents) != x->owner;
        if (leave && held) x->owner = -1;
    }
    if (x->owner < 0 && had < 0) { /* at least one clock with every GNT# high has gone by */
        int to = turn >= 0 ? turn : idle ? parked(x, agents) : -1;
        if (to >= 0 && (x->hidden || to == x->bridge || idle)) {
            x->owner = to;
            x->since = m;
            x->started = false;
        }
    }
    x->stays = !idle && !begun && x->owner == had && n >= x->req_changed + x->grant_delay;
    x->bridge_wanted = bridge_wants;
    x->gnt_n = (uint16_t) ~(x->owner >= 0 ? 1u << x->owner : 0);
}
