/* See pcix_target.h. "m" is the clock being made, "n" = m-2 the newest one seen. */
#include "sim/model/host/pcix_target.h"

#include <string.h>

enum { IDLE = PCIX_TARGET_IDLE, ADDRESS2, ATTRIBUTE, RUN };

void pcix_target_reset(pcix_target *x)
{
    x->state = IDLE;
    x->was_idle = true;
    x->parity_of = x->perr_until = 0;
}

bool pcix_target_idle(const pcix_target *x) { return x->state == IDLE && x->was_idle; }

static void claim(pcix_target *x, const pcix_sample *now)
{
    x->a = now->clock;
    x->d = x->r = 0;
    x->data = x->bad_word = false;
    x->taken = 0;
    x->answer = (pcix_answer){.decode = 2, .end = PCIX_END_COUNT};
    x->parity_of = now->clock;
    x->parity_data = false;
    x->state = IDLE;
    if (x->calls->claim(x->owner, &x->q, &x->answer)) {
        x->d = x->a + x->answer.decode;
        x->wide = x->answer.wide && x->q.req64;
        x->state = ATTRIBUTE;
    }
}

static void see_address(pcix_target *x, const pcix_sample *now, int device)
{
    x->q = (pcix_access){
        .command = now->cbe & 15,
        .address = now->ad & 0xffffffffu,
        .req64 = pcix_low(now, PCIX_REQ64),
        .idsel = device >= 0 && (now->ad >> (16 + device) & 1),
        .start = now->clock,
        .dac = (now->cbe & 15) == PCIX_DUAL_ADDRESS,
    };
    x->parity_of = now->clock;
    x->parity_data = false;
    if (x->q.dac) x->state = ADDRESS2;
    else claim(x, now);
}

static void see_attribute(pcix_target *x, const pcix_sample *now)
{
    bool dword = pcix_is_dword(x->q.command);
    x->q.attribute = (uint32_t)now->ad;
    x->q.attribute_cbe = now->cbe & 15;
    x->q.count = dword ? 4 : pcix_byte_count(x->q.attribute, now->cbe);
    x->parity_of = now->clock;
    x->parity_data = false;
    x->calls->answer(x->owner, &x->q, &x->answer);
    x->r = x->d + 1 + x->answer.waits;
    x->width = x->wide ? 8 : 4;
    x->last = dword ? 0 : pcix_phases(x->q.address, x->q.count, x->width) - 1;
    x->data = x->answer.end == PCIX_END_COUNT || x->answer.end == PCIX_END_TARGET || x->answer.end == PCIX_END_SINGLE ||
              (x->answer.end == PCIX_END_TARGET_ABORT && x->answer.at > 0);
    if (!x->data || x->answer.end == PCIX_END_SINGLE) x->last = 0;
    if (x->answer.end == PCIX_END_TARGET) {
        unsigned at = x->answer.at, adb = pcix_phases_to_adb(x->q.address, x->width, at == 0 ? 1 : at + 4) - 1;
        if (adb < x->last) x->last = adb;
        else if (x->last < at) x->answer.end = PCIX_END_COUNT;
    } else if (x->answer.end == PCIX_END_TARGET_ABORT && x->answer.at < x->last) {
        x->last = x->answer.at;
    }
    x->state = RUN;
}

/* Does phase i move a word? */
static bool moves(const pcix_target *x, unsigned i)
{
    return x->data && i <= x->last && !(x->answer.end == PCIX_END_TARGET_ABORT && i == x->answer.at);
}

static void take_word(pcix_target *x, const pcix_sample *now, unsigned i)
{
    const pcix_access *q = &x->q;
    uint64_t base = (q->address & ~(uint64_t)(x->width - 1)) + (uint64_t)i * x->width, end = q->address + q->count;
    unsigned lanes = 0;
    if (pcix_is_dword(q->command)) {
        x->calls->take(x->owner, q, q->address & ~3ull, now->ad, ~(unsigned)q->attribute_cbe & 15);
        return;
    }
    if (q->command != PCIX_MEMORY_WRITE && base >= q->address && base + x->width <= end) { /* most words of a burst */
        x->calls->take(x->owner, q, base, now->ad, x->width == 8 ? 0xff : 0x0f);
        return;
    }
    for (unsigned lane = 0; lane < x->width; lane++) {
        uint64_t at = base + lane;
        bool enabled = q->command != PCIX_MEMORY_WRITE || !(now->cbe >> lane & 1);
        if (at - q->address < end - q->address && enabled) lanes |= 1u << lane;
    }
    x->calls->take(x->owner, q, base, now->ad, lanes);
}

static void read_word(const pcix_target *x, unsigned i, pcix_drive *out)
{
    const pcix_access *q = &x->q;
    out->cbe = 0xff;
    out->oe = (uint16_t)(out->oe | PCIX_BIT(PCIX_AD) | (x->wide ? PCIX_BIT(PCIX_AD64) : 0));
    if (x->answer.end == PCIX_END_SPLIT || x->answer.read == NULL) {
        out->ad = ~0ull;
        return;
    }
    out->ad = 0;
    if (pcix_is_dword(q->command)) {
        memcpy(&out->ad, x->answer.read, 4);
        return;
    }
    int64_t first = (int64_t)i * x->width - (int64_t)(q->address & (x->width - 1));
    for (unsigned lane = 0; lane < x->width; lane++)
        if (first + lane >= 0 && first + lane < (int64_t)q->count)
            out->ad |= (uint64_t)x->answer.read[first + lane] << 8 * lane;
}

/* Evaluates the newest sample for the running transaction. */
static void digest(pcix_target *x, const pcix_sample *now)
{
    uint64_t n = now->clock;
    if (n < x->r) return;
    unsigned i = (unsigned)(n - x->r);
    if (x->data && !pcix_low(now, PCIX_FRAME) && i + 1 < x->last && i >= 2) x->last = i + 1;
    if (!moves(x, i)) return;
    x->taken = i + 1;
    if (!pcix_is_read(x->q.command)) {
        x->parity_of = n;
        x->parity_data = true;
        take_word(x, now, i);
    }
}

static void drive(pcix_target *x, uint64_t m, pcix_drive *out)
{
    unsigned claim_bits = PCIX_BIT(PCIX_DEVSEL) | (x->wide ? PCIX_BIT(PCIX_ACK64) : 0);
    bool reading = pcix_is_read(x->q.command);
    if (m < x->d || (x->state == RUN && m > x->r + x->last + 1)) return;
    pcix_put(out, PCIX_BIT(PCIX_TRDY) | PCIX_BIT(PCIX_STOP) | claim_bits, 1);
    if (x->state == ATTRIBUTE ||
        m < x->r) { /* DEVSEL# alone: decoded, or a wait state. Decode A comes before the attribute is seen */
        pcix_put(out, claim_bits, 0);
        if (reading && m > x->d && x->data) read_word(x, 0, out);
        return;
    }
    unsigned i = (unsigned)(m - x->r);
    if (i > x->last) /* one clock after the end: everything high */
        return;
    if (reading && (x->data || x->answer.end == PCIX_END_SPLIT)) read_word(x, i, out);
    switch (x->answer.end) {
    case PCIX_END_RETRY:
        pcix_put(out, claim_bits | PCIX_BIT(PCIX_STOP), 0);
        break;
    case PCIX_END_SPLIT:
        pcix_put(out, PCIX_BIT(PCIX_TRDY), 0);
        break;
    case PCIX_END_SINGLE:
        pcix_put(out, PCIX_BIT(PCIX_TRDY) | PCIX_BIT(PCIX_STOP), 0);
        break;
    case PCIX_END_TARGET_ABORT:
        pcix_put(out, moves(x, i) ? claim_bits | PCIX_BIT(PCIX_TRDY) : PCIX_BIT(PCIX_STOP), 0);
        break;
    default:
        pcix_put(out, claim_bits | PCIX_BIT(PCIX_TRDY), 0);
        if (x->answer.end == PCIX_END_TARGET && i >= x->answer.at) pcix_put(out, PCIX_BIT(PCIX_STOP), 0);
    }
}

/* Parity of clock n-1 with PAR of clock n; PERR# or SERR# in n+2 (section 10). */
static void check_parity(pcix_target *x, const pcix_sample *now, const pcix_sample *before, pcix_drive *out)
{
    uint64_t n = now->clock;
    if (x->parity_of != 0 && x->parity_of == n - 1) {
        bool bad = ((pcix_parity(before->ad, before->cbe) ^ now->level >> PCIX_PAR) &
                    (x->parity_data && x->width == 8 ? 3 : 1)) != 0;
        if (bad && !x->parity_data) {
            x->q.parity_error = true;
            if (x->serr_enable) pcix_put(out, PCIX_BIT(PCIX_SERR), 0);
        } else if (bad) {
            x->bad_word = true;
            if (x->parity_response) {
                pcix_put(out, PCIX_BIT(PCIX_PERR), 0);
                x->perr_until = n + 3;
                return;
            }
        }
    }
    if (x->perr_until == n + 2) pcix_put(out, PCIX_BIT(PCIX_PERR), 1);
}

static void finish(pcix_target *x)
{
    int end = x->answer.end;
    unsigned bytes = 0;
    if (x->data) {
        bytes = pcix_is_dword(x->q.command) ? 4 : pcix_bytes(x->q.address, x->q.count, x->width, x->taken);
        if (bytes == x->q.count) end = PCIX_END_COUNT;
        else if (end == PCIX_END_COUNT) end = PCIX_END_INITIATOR;
    }
    x->state = IDLE;
    x->calls->end(x->owner, &x->q, end, bytes, x->bad_word);
}

void pcix_target_act(pcix_target *x, const pcix_sample *now, const pcix_sample *before, bool own, int device,
                     pcix_drive *out)
{
    uint64_t n = now->clock, m = n + 2;
    check_parity(x, now, before, out);
    switch (x->state) {
    case IDLE:
        if (x->was_idle && pcix_low(now, PCIX_FRAME) && !own) see_address(x, now, device);
        break;
    case ADDRESS2:
        x->q.address |= now->ad << 32;
        x->q.command = now->cbe & 15;
        claim(x, now);
        break;
    case ATTRIBUTE:
        if (n == x->a + 1) see_attribute(x, now);
        break;
    default:
        digest(x, now);
    }
    if (x->state == RUN && m > x->r + x->last + 2) finish(x);
    else if (x->state == ATTRIBUTE || x->state == RUN) drive(x, m, out);
}
