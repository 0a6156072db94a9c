/* Traces of a port of the switch as frames, and findings; see sx_trace.h. */
#include <inttypes.h>
#include <string.h>

#include "nx_decode.h"
#include "nx_findings.h"
#include "sx_frame.h"
#include "sx_trace.h"

enum {
    LANES = 128,
    CROSSPOINT = 512, /* units that a NIC may have in one */
    NEAR = 4          /* entries: events may stand so far from where they belong */
};

static const char *name_of(unsigned point) { return nx_trace_point_get(NX_TRACE_SWITCH, point)->name; }

static int arrives(unsigned point) { return nx_trace_point_get(NX_TRACE_SWITCH, point)->arrives; }

static unsigned length_of(const sx_frame *f) { return (unsigned)(f->header >> 32) & 0x3ff; }

static unsigned flow_of(const sx_frame *f) { return (unsigned)(f->header >> 56) & 0x7f; }

/* One lane to the NIC, one for each output from it. */
static unsigned lane_of(unsigned point, const sx_frame *f) { return arrives(point) ? flow_of(f) : 0; }

/* ---- frames ---- */

static void print_events(const nx_trace *t, unsigned point, unsigned from, unsigned to, FILE *file)
{
    char text[512];
    for (unsigned i = from; i < to; i++) {
        const nx_trace_entry *e = &t->entry[point][i];
        unsigned kind = sx_entry_kind(e), d = (unsigned)e->data, clock = (unsigned)(e->data >> 32);
        sx_trace_names(d, text, sizeof text);
        if (kind == NX_TRACE_EVENTS)
            fprintf(file, "%6u  clock %u: %s%s\n", i, clock, text, d >> 31 ? "; another one before it" : "");
        else if (kind == NX_TRACE_FROZEN) fprintf(file, "%6u  clock %u: ---- FROZEN here ----\n", i, clock);
        else if (!(e->flags & NX_TRACE_VALID))
            fprintf(file, "%6u  unknown entry, flags %02x, data %016" PRIx64 "\n", i, e->flags, e->data);
    }
}

/* Two credits; one alone is there twice. */
static void print_credits(uint32_t word, FILE *file)
{
    for (int shift = 16; shift >= (word >> 16 == (word & 0xffff) ? 16 : 0); shift -= 16) {
        unsigned c = word >> shift & 0xffff;
        fprintf(file, "%slane %u forwarded %u%s", shift ? "credit " : ", ", c >> 7 & 0x7f, (c & 0x7f) << 5,
                __builtin_popcount(c & 0x7fff) & 1 || !(c >> 15) ? " (BAD)" : "");
    }
}

static void print_frame(const sx_frame *f, FILE *file)
{
    char text[256];
    fprintf(file, "%6u  ", f->at);
    if (!f->sop) {
        fprintf(file, "%u words without SOP\n", f->count);
        return;
    }
    if (f->credits) print_credits(f->word[0], file);
    if (f->credits && f->kind != SX_CREDITS) fprintf(file, "; ");
    nx_decode_header(f->header, text, sizeof text);
    if (f->kind == SX_BROKEN) fprintf(file, "%u words%s", f->count - f->header_at, f->cut ? "" : ", NO HEADER");
    if (f->kind >= SX_BAD_HEADER)
        fprintf(file, "%s, CRC %04x%s", text, f->word[f->header_at + 2], f->kind == SX_BAD_HEADER ? " WRONG" : "");
    if (f->kind == SX_PACKET && !f->cut && f->body == f->due)
        fprintf(file, "; to entry %u, body CRC %08x%s", f->end, f->word[f->count - 1], sx_body_good(f) ? "" : " WRONG");
    else if (f->body && !f->cut)
        fprintf(file, "; to entry %u, %u WORDS BEHIND IT instead of %u", f->end, f->body, f->due);
    if (f->stalls) fprintf(file, "; %u entries had to wait", f->stalls);
    if (!f->ended) fprintf(file, f->cut ? "; the trace ends here" : "; NO END");
    if (f->error >= 0) fprintf(file, "; CODE ERROR in entry %d", f->error);
    fprintf(file, "\n");
}

void sx_trace_print(const nx_trace *t, FILE *file)
{
    char text[512];
    sx_frame f;
    fprintf(file, "port %u of a switch", t->number);
    sx_trace_names(t->cause, text, sizeof text);
    if (t->frozen) fprintf(file, "; frozen by %s", t->cause ? text : "the host");
    fprintf(file, "\n");
    for (unsigned p = 0; nx_trace_point_get(t->device, p); p++) {
        unsigned at = 0, from = 0;
        fprintf(file, "%s, %u entries\n", name_of(p), t->entries[p]);
        while (sx_frame_next(t, p, &at, &f)) {
            print_events(t, p, from, f.at, file);
            print_frame(&f, file);
            print_events(t, p, f.at, at, file);
            from = at;
        }
        print_events(t, p, from, t->entries[p], file);
    }
}

/* ---- findings ---- */

/* The first of `n` words in the body that are those before them once more; with `right` only if the body CRC is right
 * without them. -1: none. */
static int repeated(const sx_frame *f, unsigned n, int right)
{
    const uint32_t *body = f->word + f->header_at + 3;
    for (unsigned k = n > 1 ? n : 0; k + n < f->body; k++)
        if (!memcmp(body + k, body + k - n, n * sizeof *body) &&
            (!right || sx_body_crc(body, f->body - 1, k, n) == body[f->body - 1]))
            return (int)k;
    return -1;
}

static void check_body(nx_findings *c, unsigned point, const sx_frame *f)
{
    const uint32_t *body = f->word + f->header_at + 3;
    const uint16_t *entry = f->entry + f->header_at + 3;
    unsigned length = length_of(f);
    int again;
    if (f->body == f->due && sx_body_good(f)) return;
    if (f->body != f->due && sx_body_good(f)) {
        nx_find(c, point, f->at,
                "its header says %u words of 64 bits, %u of 32 bits are there, and their CRC is right: not the "
                "header's length",
                length, f->body - 1);
    } else if (f->body < f->due) {
        nx_find(c, point, f->end,
                "%u word%s of 32 bits omitted: the packet of entry %u has %u behind its header, length %u makes it %u",
                f->due - f->body, f->due - f->body > 1 ? "s" : "", f->at, f->body, length, f->due);
    } else if (f->body > f->due && (again = repeated(f, f->body - f->due, 1)) >= 0) {
        nx_find(c, point, entry[again],
                "%u word%s of 32 bits doubled: without, the packet of entry %u has its length %u, and its CRC is right",
                f->body - f->due, f->body - f->due > 1 ? "s" : "", f->at, length);
    } else if (f->body > f->due) {
        nx_find(c, point, f->end,
                "%u word%s of 32 bits too many: the packet of entry %u has %u behind its header, length %u makes it %u",
                f->body - f->due, f->body - f->due > 1 ? "s" : "", f->at, f->body, length, f->due);
    } else if (sx_body_crc(body, f->body - 1, 0, 0) == ~body[f->body - 1]) {
        nx_find(c, point, f->end,
                "the packet of entry %u is marked bad: its body CRC is the inverse of the right one (filled up, or "
                "packets before it were "
                "lost)",
                f->at);
    } else if ((again = repeated(f, 2, 0)) >= 0 || (again = repeated(f, 1, 0)) >= 0) {
        nx_find(
            c, point, entry[again],
            "the word before is repeated, as from an empty FIFO, and the body CRC of the packet of entry %u is wrong",
            f->at);
    } else {
        nx_find(c, point, f->end, "bad body: the packet of entry %u has CRC %08x, its words make it %08x", f->at,
                body[f->body - 1], sx_body_crc(body, f->body - 1, 0, 0));
    }
}

static void check_frame(nx_findings *c, unsigned point, const sx_frame *f, unsigned next)
{
    char text[256];
    if (!f->sop)
        nx_find(c, point, f->at, "%u word%s without a SOP: %08x", f->count, f->count > 1 ? "s" : "", f->word[0]);
    if (!f->ended && !f->cut) nx_find(c, point, next, "SOP without EOP: the frame of entry %u has no end", f->at);
    if (f->error >= 0) nx_find(c, point, (unsigned)f->error, "a code error in the frame of entry %u", f->at);
    if (!f->sop) return;
    nx_decode_header(f->header, text, sizeof text);
    if (f->kind == SX_BROKEN && !f->cut) nx_find(c, point, f->at, "a frame that ends in its header");
    else if (f->doubled)
        nx_find(c, point, f->entry[f->doubled],
                "1 word of 32 bits doubled: without, the header of entry %u and its CRC are right", f->at);
    else if (f->kind == SX_BAD_HEADER)
        nx_find(c, point, f->at, "header CRC %08x, the header makes it %04x: %s", f->word[f->header_at + 2],
                f->header_crc, text);
    else if (f->kind == SX_RECORD && f->body)
        nx_find(c, point, f->at, "%u word%s too many behind a check record", f->body, f->body > 1 ? "s" : "");
    else if (f->kind == SX_PACKET && !f->cut) check_body(c, point, f);
    if (f->kind == SX_PACKET && (f->header >> 63 || !(f->header >> 51 & 1) || length_of(f) > 512))
        nx_find(c, point, f->at, "no header: %s", text);
}

/* Units that a sender has transmitted on each of its lanes, modulo 4096: check records say how many, and each packet
 * adds its own. */
typedef struct account {
    int known;
    unsigned offset, passed;
} account;

/* 1: a check record does not go with the packets before it; `was`: what they make of it. */
static int count_frame(account *lanes, unsigned point, const sx_frame *f, unsigned *was)
{
    account *l = &lanes[lane_of(point, f)];
    if (f->kind == SX_PACKET) l->passed += 2 * length_of(f) + 4;
    if (f->kind != SX_RECORD) return 0;
    unsigned offset = ((unsigned)f->header - l->passed) & 0xfff;
    int slips = l->known && offset != l->offset;
    *was = (l->offset + l->passed) & 0xfff;
    l->known = 1;
    l->offset = offset;
    return slips;
}

static void check_frames(nx_findings *c, unsigned point)
{
    static account lanes[LANES];
    int seen[LANES] = {0}, started = 0;
    unsigned sequence[LANES], at = 0, was;
    sx_frame f;
    memset(lanes, 0, sizeof lanes);
    while (sx_frame_next(c->t, point, &at, &f)) {
        started |= f.sop;
        if (!started) continue; /* the trace begins within a frame */
        check_frame(c, point, &f, at);
        if (!f.sop) continue;
        if (count_frame(lanes, point, &f, &was))
            nx_find(c, point, f.at,
                    "the count of words transmitted slips by %d: check record flow %u says %u, the packets make it %u",
                    (int)(((unsigned)f.header - was + 2048) & 0xfff) - 2048, flow_of(&f), (unsigned)f.header & 0xfff,
                    was);
        if (f.kind != SX_PACKET) continue;
        unsigned flow = flow_of(&f), number = (unsigned)(f.header >> 42) & 0x1ff,
                 missing = (number - sequence[flow] - 1) & 0x1ff;
        if (seen[flow] && missing && (number || sequence[flow]))
            nx_find(c, point, f.at, "sequence %u of flow %u behind %u: %u packet%s missing", number, flow,
                    sequence[flow], missing, missing > 1 ? "s" : "");
        seen[flow] = 1;
        sequence[flow] = number;
    }
}

/* Units transmitted on a virtual channel (lane) up to an entry, as far as check records report; -1: they do not. */
static int transmitted(const nx_trace *t, unsigned point, unsigned lane, unsigned entry)
{
    static account lanes[LANES];
    unsigned at = 0, was, passed = 0, offset = 0;
    int known = 0;
    sx_frame f;
    memset(lanes, 0, sizeof lanes);
    while (sx_frame_next(t, point, &at, &f)) {
        if (!f.sop || (count_frame(lanes, point, &f, &was), lane_of(point, &f) != lane)) continue;
        if (f.at <= entry + NEAR) passed = lanes[lane].passed;
        if (lanes[lane].known && (f.at <= entry + NEAR || !known)) offset = lanes[lane].offset;
        known = lanes[lane].known;
    }
    return known ? (int)((offset + passed) & 0xfff) : -1;
}

static uint32_t clock_of(const nx_trace_entry *e) { return (uint32_t)(e->data >> 32); }

/* The next entry that has a clock, from entry i on, and not before that clock; -1: none. */
static int event_from(const nx_trace *t, unsigned point, unsigned i, uint32_t clock)
{
    for (; i < t->entries[point]; i++)
        if (sx_entry_kind(&t->entry[point][i]) && clock_of(&t->entry[point][i]) + NEAR >= clock) return (int)i;
    return -1;
}

/* What the other direction had transmitted on a lane by the next event behind entries `from` to `to`, which both points
 * have; -1: that is not known, or there is so much time between that event and the one before `from` that counts modulo
 * 4096 do not show it. */
static int transmitted_by(const nx_trace *t, unsigned point, unsigned other, unsigned lane, unsigned from, unsigned to,
                          unsigned most)
{
    int next = event_from(t, point, to, 0), before = (int)from - 1;
    while (before >= 0 && !sx_entry_kind(&t->entry[point][before])) before--;
    if (next < 0 || before < 0) return -1;
    int there = event_from(t, other, 0, clock_of(&t->entry[point][next]));
    if (there < 0 || clock_of(&t->entry[other][there]) - clock_of(&t->entry[point][before]) + most >= 4096) return -1;
    return transmitted(t, other, lane, (unsigned)there);
}

/* Credits of one direction: each against the one before it, and against what was transmitted in the other one. Between
 * two credits no more is forwarded than the buffer holds, nor more than was transmitted. */
static void check_credits(nx_findings *c, unsigned point, unsigned other)
{
    const nx_trace *t = c->t;
    unsigned last[LANES], at = 0, most = arrives(point) ? t->capacity : CROSSPOINT;
    int credited[LANES] = {0};
    sx_frame f;
    while (sx_frame_next(t, point, &at, &f)) {
        if (!f.sop || !f.credits || f.error >= 0) continue;
        for (int shift = 16; shift >= (f.word[0] >> 16 == (f.word[0] & 0xffff) ? 16 : 0); shift -= 16) {
            unsigned credit = f.word[0] >> shift & 0xffff, lane = credit >> 7 & 0x7f, value = (credit & 0x7f) << 5;
            unsigned step = credited[lane] ? (value - last[lane]) & 0xfff : 0;
            int sent = credited[lane] ? transmitted_by(t, point, other, lane, f.at, at, most) : -1;
            if (!(credit >> 15) || __builtin_popcount(credit & 0x7fff) & 1) {
                nx_find(c, point, f.at, "a credit with wrong parity: %04x, lane %u, forwarded %u", credit, lane, value);
                continue;
            }
            if (step > most)
                nx_find(c, point, f.at, "a credit jumps%s: lane %u, forwarded %u behind %u, expected at most %u more",
                        step > 2048 ? " back" : "", lane, value, last[lane], most);
            else if (sent >= 0 && step > (((unsigned)sent - last[lane]) & 0xfff))
                nx_find(c, point, f.at,
                        "a credit jumps: lane %u, forwarded %u behind %u, %s had transmitted %u by the next event",
                        lane, value, last[lane], name_of(other), (unsigned)sent);
            credited[lane] = 1;
            last[lane] = value;
        }
    }
}

/* Both points have the port's events: those of the first, and of the second what it has from before or after that. */
static void check_events(nx_findings *c)
{
    const nx_trace *t = c->t;
    uint32_t first = 0, last = 0;
    int any = 0;
    for (unsigned p = NX_PORT_IN; p <= NX_PORT_OUT; p++)
        for (unsigned i = 0; i < t->entries[p]; i++) {
            const nx_trace_entry *e = &t->entry[p][i];
            uint32_t clock = (uint32_t)(e->data >> 32);
            unsigned kind = sx_entry_kind(e);
            if (!(e->flags & NX_TRACE_VALID) && kind != NX_TRACE_EVENTS && kind != NX_TRACE_FROZEN)
                nx_find(c, p, i, "unknown entry, flags %02x", e->flags);
            if (kind != NX_TRACE_EVENTS || (p == NX_PORT_OUT && any && clock + NEAR >= first && clock <= last + NEAR))
                continue;
            if (p == NX_PORT_IN) {
                first = any++ ? first : clock;
                last = clock;
            }
            for (unsigned n = 0; n < SX_EVENTS; n++)
                if ((unsigned)e->data & SX_TRACE_ANY & SX_TRACE_EVENT(n))
                    nx_find(c, p, i, "clock %u: %s, %s", clock, sx_event_name(n), sx_event_text(n));
        }
}

unsigned sx_trace_check(const nx_trace *t, FILE *file)
{
    nx_findings c = {t, file, 0};
    check_frames(&c, NX_PORT_IN);
    check_frames(&c, NX_PORT_OUT);
    check_credits(&c, NX_PORT_IN, NX_PORT_OUT);
    check_credits(&c, NX_PORT_OUT, NX_PORT_IN);
    check_events(&c);
    return c.found;
}
