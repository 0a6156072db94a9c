/* See pcix_initiator.h. All times are bus clocks; "m" is the clock being made, "n" = m-2 the newest one seen. */
#include "sim/model/host/pcix_initiator.h"

#include <string.h>

enum { STEPS = 4 }; /* clocks of address stepping before FRAME# of a configuration transaction (6.4) */

void pcix_initiator_reset(pcix_initiator *x)
{
    x->active = x->finished = false;
    x->perr_until = x->parity_of = 0;
    x->before_level = x->now_level = 0;
}

void pcix_initiator_start(pcix_initiator *x, const pcix_request *q, const pcix_sample *now)
{
    uint64_t m = now->clock + 2;
    x->q = *q;
    x->dword = pcix_is_dword(q->command);
    x->writes = !pcix_is_read(q->command);
    if (x->dword) x->q.wide = false;
    x->active = true;
    x->first = m;
    x->a0 = pcix_is_config(q->command) ? m + STEPS : m;
    x->a = x->a0 + (!pcix_is_config(q->command) && q->command != PCIX_SPLIT_COMPLETION && q->address >> 32 != 0);
    x->d = x->r = x->frame_rise = x->irdy_rise = 0;
    x->data = x->stop_seen = false;
    x->width = x->moved = 0;
    x->result = (pcix_result){.start = x->a0, .end = PCIX_END_MASTER_ABORT};
}

/* AD and C/BE# of data phase i. */
static void word(const pcix_initiator *x, unsigned i, uint64_t *ad, uint8_t *cbe)
{
    const pcix_request *q = &x->q;
    uint64_t value = 0;
    unsigned lanes = 0, width = x->q.wide && x->width != 4 ? 8 : 4;
    if (x->dword) {
        uint32_t w;
        memcpy(&w, q->data, 4);
        *ad = w | 0xffffffffull << 32;
        *cbe = 0xff;
        return;
    }
    int64_t first = (int64_t)i * width - (int64_t)(q->address & (width - 1)); /* index into q->data of lane 0 */
    if (width == 8 && first >= 0 && first + 8 <= (int64_t)q->count && q->lanes == NULL) { /* most words of a burst */
        memcpy(ad, q->data + first, 8);
        *cbe = q->command == PCIX_MEMORY_WRITE ? 0 : 0xff;
        return;
    }
    for (unsigned lane = 0; lane < width; lane++) {
        int64_t at = first + lane;
        if (at < 0 || at >= (int64_t)q->count) continue;
        value |= (uint64_t)q->data[at] << 8 * lane;
        if (q->lanes == NULL || q->lanes[at]) lanes |= 1u << lane;
    }
    unsigned enables = q->command == PCIX_MEMORY_WRITE ? ~lanes & 0xff : 0xff;
    if (width == 8 && i == 0 &&
        (q->address & 4) != 0) { /* the width is unknown at first: show an odd DWORD on both halves (8.3) */
        value |= value >> 32;
        enables = (enables & 0xf0) | enables >> 4;
    }
    if (width == 4) {
        value |= 0xffffffffull << 32;
        enables |= 0xf0;
    }
    *ad = value;
    *cbe = (uint8_t)enables;
}

static void take_word(pcix_initiator *x, const pcix_sample *now, unsigned i)
{
    const pcix_request *q = &x->q;
    if (q->read == NULL) return;
    if (x->dword) {
        memcpy(q->read, &now->ad, 4);
        return;
    }
    int64_t first = (int64_t)i * x->width - (int64_t)(q->address & (x->width - 1));
    for (unsigned lane = 0; lane < x->width; lane++)
        if (first + lane >= 0 && first + lane < (int64_t)q->count)
            q->read[first + lane] = (uint8_t)(now->ad >> 8 * lane);
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void set_last(pcix_initiator *x, unsigned last)
{
    x->last = last;
    x->frame_rise = later(x->r + last - 1, x->r + 2);
    x->irdy_rise = later(x->r + last + 1, x->r + 2);
}

static void terminate(pcix_initiator *x, uint64_t clock, int end)
{
    uint64_t rise = clock + 2;
    x->result.end = end;
    if (x->frame_rise == 0 || x->frame_rise > rise) x->frame_rise = rise;
    if (x->irdy_rise == 0 || x->irdy_rise > rise) x->irdy_rise = rise;
}

static void cut_at(pcix_initiator *x, unsigned last, int end)
{
    if (last < x->last) {
        set_last(x, last);
        x->result.end = end;
    }
}

static void first_response(pcix_initiator *x, const pcix_sample *now, bool devsel, bool trdy, bool stop)
{
    const pcix_request *q = &x->q;
    x->r = now->clock;
    if (!trdy) {
        terminate(x, x->r, devsel ? PCIX_END_RETRY : PCIX_END_TARGET_ABORT);
        return;
    }
    if (!devsel && !stop) {
        terminate(x, x->r, PCIX_END_SPLIT);
        return;
    }
    x->data = true;
    x->result.end = PCIX_END_COUNT;
    set_last(x, x->phases - 1);
    if (!devsel) {
        set_last(x, 0);
        x->result.end = x->phases == 1 ? PCIX_END_COUNT : PCIX_END_SINGLE;
        return;
    }
    if (q->cut != 0) {
        unsigned phases = pcix_phases(q->address, q->cut, x->width);
        if (phases >= 4) cut_at(x, phases - 1, PCIX_END_INITIATOR);
        else cut_at(x, pcix_phases_to_adb(q->address, x->width, 4) - 1, PCIX_END_INITIATOR);
    }
}

/* Evaluates the sample for the running transaction. */
static void digest(pcix_initiator *x, const pcix_sample *now)
{
    uint64_t n = now->clock;
    bool devsel = pcix_low(now, PCIX_DEVSEL), trdy = pcix_low(now, PCIX_TRDY), stop = pcix_low(now, PCIX_STOP);
    if (n < x->a + 2 || (x->r != 0 && !x->data)) return;
    if (x->d == 0) {
        if (devsel) {
            x->d = n;
            x->width = x->q.wide && pcix_low(now, PCIX_ACK64) ? 8 : 4;
            x->phases = x->dword ? 1 : pcix_phases(x->q.address, x->q.count, x->width);
        } else if (n == x->a + 6) {
            x->r = n;
            terminate(x, n, PCIX_END_MASTER_ABORT);
        }
        return;
    }
    if (x->r == 0) {
        if (devsel && !trdy && !stop) return;
        first_response(x, now, devsel, trdy, stop);
    }
    unsigned i = (unsigned)(n - x->r);
    if (!x->data || i > x->last) return;
    if (!trdy && !devsel && stop) {
        terminate(x, n, PCIX_END_TARGET_ABORT);
        x->last = i;
        return;
    }
    if (!trdy) return;
    if (!x->writes) {
        take_word(x, now, i);
        x->parity_of = n;
    }
    x->moved = i + 1;
    if (devsel && stop && !x->stop_seen) {
        x->stop_seen = true;
        cut_at(x, pcix_phases_to_adb(x->q.address, x->width, i == 0 ? 1 : i + 4) - 1, PCIX_END_TARGET);
    }
}

/* Latency timer and GNT#: leave at the first ADB that can still be made (5.5). */
static void heed_latency_timer(pcix_initiator *x, const pcix_sample *now)
{
    uint64_t m = now->clock + 2;
    if (m - x->a0 <= x->latency_timer || !x->data || x->dword || m >= x->frame_rise || !(now->gnt_n >> x->agent & 1))
        return;
    unsigned least = (unsigned)(m + 2 - x->r); /* FRAME# rises now: one more phase after this one */
    cut_at(x, pcix_phases_to_adb(x->q.address, x->width, least < 4 ? 4 : least) - 1, PCIX_END_INITIATOR);
}

static void drive_address(const pcix_initiator *x, uint64_t m, pcix_drive *out)
{
    const pcix_request *q = &x->q;
    uint32_t upper = 0xffffffffu;
    unsigned cbe = 0xf0u | (unsigned)q->command;
    uint32_t low = (uint32_t)q->address;
    if (m == x->a + 1) {
        low = q->attribute;
        if (x->dword) {
            cbe = 0xf0u | (~q->enables & 15u);
        } else {
            low = (low & ~0xffu) | (q->count & 0xff);
            cbe = 0xf0u | (q->count >> 8 & 15);
        }
    } else if (x->a != x->a0) { /* dual address cycle: upper halves as in 8.2 */
        upper = (uint32_t)(q->address >> 32);
        cbe = (unsigned)q->command << 4 | (m == x->a0 ? (unsigned)PCIX_DUAL_ADDRESS : (unsigned)q->command);
        if (m == x->a) low = upper;
    }
    out->ad = low | (uint64_t)upper << 32;
    out->cbe = (uint8_t)cbe;
}

static void drive(pcix_initiator *x, uint64_t m, pcix_drive *out)
{
    unsigned halves = x->q.wide ? PCIX_OE_AD | PCIX_OE_CBE : PCIX_BIT(PCIX_AD) | PCIX_BIT(PCIX_CBE);
    bool ended = x->irdy_rise != 0 && m >= x->irdy_rise;

    if (x->data && m < x->frame_rise) { /* in the middle of a burst */
        pcix_put(out, PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_IRDY) | (x->q.wide ? PCIX_BIT(PCIX_REQ64) : 0), 0);
    } else {
        if (m >= x->a0 && (x->frame_rise == 0 || m <= x->frame_rise))
            pcix_put(out, PCIX_BIT(PCIX_FRAME) | (x->q.wide ? PCIX_BIT(PCIX_REQ64) : 0), m == x->frame_rise);
        if (m > x->a0 && (x->irdy_rise == 0 || m <= x->irdy_rise))
            pcix_put(out, PCIX_BIT(PCIX_IRDY), m < x->a + 3 || m == x->irdy_rise);
    }
    if (m <= x->a + 1) {
        drive_address(x, m, out);
        out->oe = (uint16_t)(out->oe | halves);
    } else if (!ended) {
        unsigned i = 0;
        if (x->data) i = (unsigned)(m - x->r) < x->phases ? (unsigned)(m - x->r) : x->phases - 1;
        else if (x->d != 0 && x->phases > 1 && m > x->d + 1) i = (m - x->d) & 1 ? 0 : 1;
        out->cbe = 0xff;
        if (x->writes) word(x, i, &out->ad, &out->cbe);
        else halves &= PCIX_OE_CBE;
        out->oe = (uint16_t)(out->oe | halves);
    }
}

/* Parity of immediate read data: AD of clock n-1 with PAR of clock n; PERR# in n+2 (section 10). */
static void check_parity(pcix_initiator *x, const pcix_sample *now, const pcix_sample *before, pcix_drive *out)
{
    uint64_t n = now->clock;
    if (x->parity_of != 0 && x->parity_of == n - 1) {
        bool bad = ((pcix_parity(before->ad, before->cbe) ^ now->level >> PCIX_PAR) & (x->width == 8 ? 3 : 1)) != 0;
        x->result.parity_error |= bad;
        if (bad && x->parity_response) {
            pcix_put(out, PCIX_BIT(PCIX_PERR), 0);
            x->perr_until = n + 3;
            return;
        }
    }
    if (x->perr_until == n + 2) pcix_put(out, PCIX_BIT(PCIX_PERR), 1);
}

void pcix_initiator_take(pcix_initiator *x, const pcix_sample *now)
{
    uint64_t m = now->clock + 2;
    digest(x, now);
    heed_latency_timer(x, now);
    /* immediate reads wait one clock more: for the parity of the last word */
    if (x->irdy_rise != 0 && m > x->irdy_rise + (x->data && !x->writes)) {
        x->active = false;
        x->finished = true;
        if (x->moved != 0) x->result.bytes = x->dword ? 4 : pcix_bytes(x->q.address, x->q.count, x->width, x->moved);
    }
}

void pcix_initiator_go_on(pcix_initiator *x, const pcix_sample *now, const pcix_sample *before, pcix_drive *out)
{
    uint64_t m = now->clock + 2;
    if (x->active && m >= x->first) drive(x, m, out);
    check_parity(x, now, before, out);
}
