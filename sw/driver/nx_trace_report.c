// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Traces of a NIC as packets, and findings; see nx_trace.h. */
#include <inttypes.h>
#include <string.h>

#include "nx_decode.h"
#include "nx_findings.h"
#include "nx_internal.h"
#include "nx_payload.h"
#include "nx_trace.h"

enum { LANES = 128, LOOK_AHEAD = 16, SURE = 4, NEAR = 4, IDLE_CLOCKS = 2000, WINDOW = 4064 };

static unsigned length_of(uint64_t header) { return (unsigned)(header >> 32) & 0x3ff; }

static unsigned flow_of(uint64_t header) { return (unsigned)(header >> 56) & 0x7f; }

static const nx_trace_point *point_of(unsigned point) { return nx_trace_point_get(NX_TRACE_NIC, point); }

static const char *name_of(unsigned point) { return point_of(point)->name; }

/* Points of whole packets; RAW has words of a link. */
static int is_packets(unsigned point) { return point < NX_RAW; }

/* The points of the DMA engine's side are of all links by packet, the others of one. */
static int of_all_links(const nx_trace *t, unsigned point)
{
    return t->by_packet && (point == NX_H2N_IN || point == NX_N2H_OUT);
}

/* By packet: words of the FIFOs that are CRCs. */
static int is_crc(const nx_trace *t, unsigned point, const nx_trace_entry *e)
{
    return t->by_packet && (e->flags & (NX_TRACE_VALID | NX_TRACE_SOP)) == NX_TRACE_VALID &&
           ((point == NX_H2N_OUT && e->flags & NX_TRACE_CRC_OUT) || (point == NX_N2H_IN && e->flags & NX_TRACE_CRC_IN));
}

static unsigned sequences(const nx_trace *t) { return t->by_packet ? 0x3ff : 0x1ff; }

static unsigned sequence_of(const nx_trace *t, uint64_t header) { return (unsigned)(header >> 42) & sequences(t); }

/* In link words, as credits count a packet. */
static unsigned units_of(uint64_t header) { return 2 * length_of(header) + 4; }

static unsigned kind_of(const nx_trace_entry *e)
{
    return e->flags & (NX_TRACE_VALID | NX_TRACE_STALL) ? 0 : e->flags >> 4;
}

/* ---- packets ---- */

static void print_event(const nx_trace_entry *e, char *text, size_t size)
{
    unsigned d = (unsigned)e->data, clock = (unsigned)(e->data >> 32);
    switch (kind_of(e)) {
    case NX_TRACE_CREDIT:
    case NX_TRACE_REJECTED:
        snprintf(text, size, "clock %u: credit %s: lane %u forwarded %u, transmitted %u%s", clock,
                 kind_of(e) == NX_TRACE_CREDIT ? "came" : "REJECTED", d >> 24 & 0x7f, (d >> 16 & 0x7f) << 5, d & 0xfff,
                 d >> 31 ? "; another one before it" : "");
        break;
    case NX_TRACE_SENT:
        snprintf(text, size, "clock %u: credit sent: received %u, forwarded %u%s", clock, d >> 16 & 0xfff, d & 0xfff,
                 d >> 31 ? "; another one before it" : "");
        break;
    case NX_TRACE_DESKEW:
        snprintf(text, size, "clock %u: words wait %u %u %u %u clocks%s%s", clock, d & 15, d >> 4 & 15, d >> 8 & 15,
                 d >> 12 & 15, d >> 16 & 1 ? "" : "; not aligned", d >> 17 & 1 ? "; ALIGNMENT LOST" : "");
        break;
    case NX_TRACE_FROZEN:
        snprintf(text, size, "clock %u: ---- FROZEN here ----", clock);
        break;
    default:
        snprintf(text, size, "unknown entry, flags %02x, data %016" PRIx64, e->flags, e->data);
    }
}

void nx_trace_print(const nx_trace *t, FILE *file)
{
    char text[256];
    fprintf(file, "node %u, %s", t->number, t->direct ? "NIC to NIC" : "through a switch");
    if (t->links > 1)
        fprintf(file, ", %u links by %s, link %u chosen", t->links, t->by_packet ? "packet" : "byte", t->link);
    if (t->frozen) {
        nx_status_names(t->cause & 0x7fffffff, text, sizeof text);
        fprintf(file, "; frozen by %s%s",
                t->cause & 0x7fffffff ? text
                : t->cause            ? ""
                                      : "the host",
                t->cause >> 31 ? " HEADER_CRC" : "");
    }
    fprintf(file, "\n");
    for (unsigned p = 0; point_of(p); p++) {
        unsigned words = 0, stalls = 0;
        if (!is_packets(p) && (t->links < 2 || t->by_packet)) continue;
        fprintf(file, "%s, %u entries\n", name_of(p), t->entries[p]);
        for (unsigned i = 0; i < t->entries[p]; i++) {
            const nx_trace_entry *e = &t->entry[p][i];
            int passed = (e->flags & NX_TRACE_VALID) != 0;
            if (kind_of(e)) {
                print_event(e, text, sizeof text);
                fprintf(file, "%6u  %s\n", i, text);
            } else if (!is_packets(p)) {
                fprintf(file, "%6u  %s%016" PRIx64 "%s%s\n", i, e->flags & NX_TRACE_SOP ? "SOP " : "    ", e->data,
                        e->flags & NX_TRACE_HALF ? " (half)" : "", e->flags & NX_TRACE_BAD_CODE ? " CODE ERROR" : "");
            } else if (is_crc(t, p, e)) {
                continue;
            } else if (!passed) {
                fprintf(file, "%6u  %016" PRIx64 " %s\n", i, e->data,
                        point_of(p)->taken ? "TAKEN FROM AN EMPTY FIFO" : "REFUSED BY A FULL FIFO");
            } else if (e->flags & NX_TRACE_SOP) {
                nx_decode_header(e->data, text, sizeof text);
                if (t->by_packet)
                    snprintf(text + strlen(text), sizeof text - strlen(text), "; link %u", NX_TRACE_LINK_OF(e->flags));
                fprintf(file, "%6u  %s%s\n", i, text, e->flags & NX_TRACE_STALL ? "; had to wait" : "");
                words = stalls = 0;
            } else {
                words++;
                stalls += (e->flags & NX_TRACE_STALL) != 0;
                if (e->flags & NX_TRACE_EOP)
                    fprintf(file, "%6u    end after %u words, %u of them had to wait%s%s\n", i, words, stalls,
                            point_of(p)->arrives && e->flags & NX_TRACE_BAD_BODY ? "; BAD BODY" : "",
                            !point_of(p)->arrives && e->flags & NX_TRACE_DAMAGED ? "; DAMAGED" : "");
            }
        }
    }
}

/* ---- findings ---- */

/* One packet that passes a point. */
typedef struct passing {
    int open, overdue;
    uint32_t crc;                 /* of its words so far */
    unsigned at, words, repeated; /* entries of its header and, from 1 on, of the last word that was like the one
                                     before; words so far */
    uint64_t header, last;
} passing;

static void packet_ends(nx_findings *c, unsigned point, unsigned entry, const passing *p, int sop)
{
    unsigned length = length_of(p->header);
    if (sop) nx_find(c, point, entry, "SOP without EOP: the packet of entry %u has no end", p->at);
    if (p->words < length)
        nx_find(c, point, entry, "%u word%s omitted: the packet of entry %u has %u, its header says %u",
                length - p->words, length - p->words > 1 ? "s" : "", p->at, p->words, length);
    else if (p->words > length && p->repeated)
        nx_find(c, point, p->repeated, "word doubled: the packet of entry %u has %u words, its header says %u", p->at,
                p->words, length);
    else if (p->words > length)
        nx_find(c, point, entry, "%u too many: the packet of entry %u has %u words, its header says %u",
                p->words - length, p->at, p->words, length);
}

/* A packet that came whole, from entry `at` to entry `end`. Of a bad one whose payload contains its place it is known
 * what became of it. */
static void check_payload(nx_findings *c, unsigned point, unsigned at, unsigned end, int bad, nx_payload_base *base)
{
    static uint64_t words[NX_PAYLOAD_WORDS];
    static unsigned entries[NX_PAYLOAD_WORDS];
    const nx_trace_entry *e = c->t->entry[point];
    unsigned n = 0;
    char text[160];
    for (unsigned i = at + 1; i <= end && n < NX_PAYLOAD_WORDS; i++)
        if (e[i].flags & NX_TRACE_VALID) words[n] = e[i].data, entries[n++] = i;
    if (!n || n != length_of(e[at].data)) return;
    if (!bad) {
        nx_payload_learn(base, e[at].data, words, n);
        return;
    }
    int where = nx_payload_explain(base, e[at].data, words, n, c->t->by_packet ? 1 : c->t->links, text, sizeof text);
    if (where >= 0 && c->t->by_packet)
        nx_find(c, point, entries[where], "link %u: %s", NX_TRACE_LINK_OF(e[at].flags), text);
    else if (where >= 0) nx_find(c, point, entries[where], "%s", text);
}

/* The body CRC (S1 3.1.6) goes on with a word. */
static uint32_t crc_of(uint32_t crc, uint64_t word)
{
    for (int bit = 63; bit >= 0; bit--) crc = crc << 1 ^ (0x04c11db7u & -((crc >> 31 ^ (uint32_t)(word >> bit)) & 1));
    return crc;
}

/* By packet: the CRC behind the words of a packet. */
static void check_crc(nx_findings *c, unsigned point, unsigned i, passing *p, nx_payload_base *base)
{
    const nx_trace_entry *e = &c->t->entry[point][i];
    if (!p->open || p->words < length_of(p->header)) return; /* that of its header */
    int bad = (uint32_t)e->data != p->crc || (point == NX_N2H_IN && e->flags & NX_TRACE_BAD_BODY);
    if (bad && point == NX_H2N_OUT)
        nx_find(c, point, i, "a wrong CRC is sent: the packet of entry %u, link %u", p->at, NX_TRACE_LINK_OF(e->flags));
    if (bad && point == NX_N2H_IN)
        nx_find(c, point, i, "bad body: the packet of entry %u, link %u", p->at, NX_TRACE_LINK_OF(e->flags));
    if (point == NX_N2H_IN) check_payload(c, point, p->at, i - 1, bad, base);
    p->open = 0;
}

/* By packet, where all links arrive: a number is missing if each link that its flow uses has brought a later one, as
 * the NIC's resequencer has it. Numbers before the first one of any link came before the trace. */
static void check_numbers(nx_findings *c, unsigned point, unsigned flow)
{
    enum { SPAN = 4096, AROUND = 1024 };
    static uint16_t entry[SPAN]; /* plus 1, of each number */
    unsigned count = 0, latest = AROUND, first[4] = {0}, last[4] = {0}, low = 0, high = SPAN;
    for (unsigned i = 0; i < c->t->entries[point]; i++) {
        const nx_trace_entry *e = &c->t->entry[point][i];
        if ((e->flags & 5) != 5 || flow_of(e->data) != flow) continue;
        if (!count++) {
            memset(entry, 0, sizeof entry);
            latest = AROUND + sequence_of(c->t, e->data);
        }
        unsigned number = latest + (((sequence_of(c->t, e->data) - latest) + 512) & 0x3ff) - 512,
                 link = NX_TRACE_LINK_OF(e->flags);
        if (number >= SPAN) return;
        entry[number] = (uint16_t)(i + 1);
        if (number > latest) latest = number;
        if (!first[link]) first[link] = number;
        last[link] = number;
    }
    for (unsigned l = 0; l < 4; l++)
        if (first[l]) {
            if (first[l] > low) low = first[l];
            if (last[l] < high) high = last[l];
        }
    for (unsigned n = low, gone = 0; count && n < high; n++) {
        gone = entry[n] ? 0 : gone + 1;
        if (gone && entry[n + 1])
            nx_find(c, point, entry[n + 1] - 1u, "sequence %u of flow %u: %u packets missing before it",
                    (n + 1) & 0x3ff, flow, gone);
    }
}

/* The words of each point are packets. Until the first header nothing is known. */
static void check_packets(nx_findings *c, unsigned point)
{
    nx_payload_base base = {0};
    passing p = {0};
    int started = 0, seen[LANES] = {0};
    unsigned sequence[LANES];
    for (unsigned i = 0; i < c->t->entries[point]; i++) {
        const nx_trace_entry *e = &c->t->entry[point][i];
        if (kind_of(e)) continue;
        if (is_crc(c->t, point, e)) {
            check_crc(c, point, i, &p, &base);
            continue;
        }
        if (!(e->flags & NX_TRACE_VALID)) {
            if (point_of(point)->taken)
                nx_find(c, point, i, "taken from an empty FIFO: %s",
                        started && e->data == p.last ? "the word before is repeated" : "no word was there");
            else nx_find(c, point, i, "refused by a full FIFO: this word is lost");
            continue;
        }
        if (e->flags & NX_TRACE_SOP) {
            unsigned flow = flow_of(e->data), number = sequence_of(c->t, e->data);
            if (p.open) packet_ends(c, point, i, &p, 1);
            if (!length_of(e->data) || length_of(e->data) > 512 || (!c->t->by_packet && !(e->data >> 51 & 1)) ||
                e->data >> 55 & 1) {
                char text[256];
                nx_decode_header(e->data, text, sizeof text);
                nx_find(c, point, i, "no header: %s", text);
            }
            if (seen[flow] && (!c->t->by_packet || point == NX_H2N_IN) &&
                number != ((sequence[flow] + 1) & sequences(c->t)) && (number || sequence[flow]))
                nx_find(c, point, i, "sequence %u of flow %u behind %u: %u packets missing", number, flow,
                        sequence[flow], (number - sequence[flow] - 1) & sequences(c->t));
            if (point_of(point)->arrives && e->data >> 63)
                nx_find(c, point, i, "flagged: packets of flow %u before it are lost", flow);
            seen[flow] = 1;
            sequence[flow] = number;
            p = (passing){.open = 1, .at = i, .header = e->data, .last = e->data, .crc = 0xffffffff};
            started = 1;
            if (e->flags & NX_TRACE_EOP && !(c->t->by_packet && point == NX_H2N_IN))
                nx_find(c, point, i, "a header that is an end");
            continue;
        }
        if (started && !p.open) nx_find(c, point, i, "a word without a header: %016" PRIx64, e->data);
        if (!p.open) {
            p.last = e->data;
            continue;
        }
        p.words++;
        if (p.words > 1 && e->data == p.last && !p.repeated) p.repeated = i;
        p.last = e->data;
        p.crc = crc_of(p.crc, e->data);
        if (e->flags & NX_TRACE_EOP) {
            packet_ends(c, point, i, &p, 0);
            int bad = point_of(point)->arrives && e->flags & NX_TRACE_BAD_BODY;
            if (bad && c->t->by_packet)
                nx_find(c, point, i, "bad body: the packet of entry %u, link %u", p.at, NX_TRACE_LINK_OF(e->flags));
            else if (bad) nx_find(c, point, i, "bad body: the packet of entry %u", p.at);
            if (!point_of(point)->arrives && e->flags & NX_TRACE_DAMAGED)
                nx_find(c, point, i, "damaged in external memory: the packet of entry %u", p.at);
            if (point == (c->t->by_packet ? NX_N2H_OUT : NX_N2H_IN)) check_payload(c, point, p.at, i, bad, &base);
            p.open = c->t->by_packet && !of_all_links(c->t, point); /* its CRC comes */
        }
    }
}

/* Words of a point that passed, by their entries; by packet those of the link chosen, without the CRCs. */
static unsigned words_of(const nx_trace *t, unsigned point, unsigned *at)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->entries[point]; i++) {
        const nx_trace_entry *e = &t->entry[point][i];
        if (e->flags & NX_TRACE_VALID && !is_crc(t, point, e) &&
            (!t->by_packet || NX_TRACE_LINK_OF(e->flags) == t->link))
            at[n++] = i;
    }
    return n;
}

/* By packet a header going to the link gets its flow there, and loses a mark. */
static int same(const nx_trace *t, const nx_trace_entry *a, const nx_trace_entry *b)
{
    int changes = t->by_packet && a->flags & b->flags & NX_TRACE_SOP;
    uint64_t fixed = changes ? ~(0x7full << 56 | 1ull << 55) : ~0ull;
    return !((a->data ^ b->data) & fixed) && !((a->flags ^ b->flags) & (NX_TRACE_SOP | (changes ? 0 : NX_TRACE_EOP)));
}

/* Words that enter a FIFO must leave it. Where the two begin together is found by a header and the words behind it. */
static void check_fifo(nx_findings *c, unsigned in, unsigned out)
{
    static unsigned a[NX_TRACE_ENTRIES], b[NX_TRACE_ENTRIES];
    const nx_trace_entry *x = c->t->entry[in], *y = c->t->entry[out];
    unsigned m = words_of(c->t, in, a), n = words_of(c->t, out, b), i = 0, j = 0, found = 0;
    for (j = 0; j < n && !found; j++)
        for (i = 0; y[b[j]].flags & NX_TRACE_SOP && i < m && !found; i++) {
            unsigned k = 0;
            while (k < SURE && i + k < m && j + k < n && same(c->t, &x[a[i + k]], &y[b[j + k]])) k++;
            found = k == SURE;
        }
    if (!found) return;
    i--;
    j--;
    while (i < m && j < n) {
        const nx_trace_entry *from = &x[a[i]], *to = &y[b[j]];
        unsigned skip = 1;
        if (same(c->t, from, to)) {
            i++;
            j++;
            continue;
        }
        if (j && same(c->t, &y[b[j - 1]], to) && (j + 1 == n || same(c->t, from, &y[b[j + 1]]))) {
            nx_find(c, out, b[j], "word doubled: it went into the FIFO once, as %s entry %u", name_of(in), a[i - 1]);
            j++;
            continue;
        }
        while (skip <= LOOK_AHEAD && i + skip < m && !same(c->t, &x[a[i + skip]], to)) skip++;
        if (skip <= LOOK_AHEAD && i + skip < m) {
            nx_find(c, out, b[j], "%u word%s omitted before it: %s entry %u did not come out", skip,
                    skip > 1 ? "s" : "", name_of(in), a[i]);
            i += skip;
            continue;
        }
        for (skip = 1; skip <= LOOK_AHEAD && j + skip < n && !same(c->t, from, &y[b[j + skip]]);) skip++;
        if (skip <= LOOK_AHEAD && j + skip < n) {
            nx_find(c, out, b[j], "%u word%s that did not go into the FIFO, before %s entry %u", skip,
                    skip > 1 ? "s" : "", name_of(in), a[i]);
            j += skip;
            continue;
        }
        nx_find(c, out, b[j], "is %016" PRIx64 ", went into the FIFO as %016" PRIx64 ", %s entry %u", to->data,
                from->data, name_of(in), a[i]);
        i++;
        j++;
    }
}

/* The account of one lane, in link words modulo 4096. */
typedef struct account {
    int known;            /* `offset` is */
    unsigned offset;      /* the count reported, less what has passed in the trace */
    unsigned passed;      /* packets whose header has passed */
    unsigned previous;    /* the last one of them, */
    unsigned previous_at; /* and its entry */
    int credited;         /* there was a credit: */
    unsigned last, clock; /* its value, and since when with nothing passing */
    unsigned passed_then;
    int slipped; /* that has been said */
} account;

/* The packet of that lane (all: -1) whose header comes next behind entry i, in link words; 0: none does. */
static unsigned next_packet(const nx_trace *t, unsigned point, unsigned i, int lane, unsigned *at)
{
    for (i++; i < t->entries[point]; i++) {
        *at = i;
        const nx_trace_entry *e = &t->entry[point][i];
        if ((e->flags & (NX_TRACE_VALID | NX_TRACE_SOP)) != (NX_TRACE_VALID | NX_TRACE_SOP)) continue;
        if (lane < 0 || (unsigned)lane == flow_of(e->data)) return units_of(e->data);
    }
    return 0;
}

static void count_packet(account *l, unsigned i, uint64_t header)
{
    l->previous = units_of(header);
    l->previous_at = i;
    l->passed += l->previous;
}

/* A count of transmitted or received words must follow the headers. A header and the count that holds it come some
 * clocks apart, in either order: that of the next header may be in it already, that of one just before not yet. */
static void check_count(nx_findings *c, unsigned point, unsigned i, account *l, unsigned seen, int lane,
                        const char *what)
{
    unsigned offset = (seen - l->passed) & 0xfff, at = 0, next = next_packet(c->t, point, i, lane, &at);
    unsigned near = c->t->by_packet ? NEAR : NEAR * (c->t->links > 2 ? 4 : c->t->links);
    int just_before = l->passed && i - l->previous_at <= near, just_behind = next && at - i <= near;
    if (!l->known) {
        l->known = !just_before && !just_behind;
        l->offset = offset;
    } else if (offset != l->offset && !(just_behind && offset == ((l->offset + next) & 0xfff)) &&
               !(just_before && offset == ((l->offset - l->previous) & 0xfff))) {
        nx_find(c, point, i, "the count of words %s slips by %d: %u, the headers make it %u", what,
                (int)(((offset - l->offset + 2048) & 0xfff)) - 2048, seen, (l->offset + l->passed) & 0xfff);
        l->offset = offset;
    }
}

/* Credits that come: against what has left. */
static void check_credits(nx_findings *c)
{
    static account lanes[LANES];
    const nx_trace *t = c->t;
    memset(lanes, 0, sizeof lanes);
    for (unsigned i = 0; i < t->entries[NX_H2N_OUT]; i++) {
        const nx_trace_entry *e = &t->entry[NX_H2N_OUT][i];
        unsigned kind = kind_of(e), d = (unsigned)e->data, clock = (unsigned)(e->data >> 32);
        unsigned lane = d >> 24 & 0x7f, value = (d >> 16 & 0x7f) << 5, transmitted = d & 0xfff;
        if ((e->flags & 5) == 5) count_packet(&lanes[t->direct ? 0 : flow_of(e->data)], i, e->data);
        if (kind == NX_TRACE_REJECTED)
            nx_find(c, NX_H2N_OUT, i, "credit rejected: lane %u, forwarded %u, transmitted %u: %s", lane, value,
                    transmitted,
                    ((transmitted - value) & 0xfff) > t->capacity ? "more than was transmitted"
                                                                  : "its parity, its lane or its frame");
        if (kind != NX_TRACE_CREDIT) continue;
        account *l = &lanes[lane];
        unsigned step = (value - l->last) & 0xfff, open = (transmitted - value) & 0xfff;
        check_count(c, NX_H2N_OUT, i, l, transmitted, t->direct ? -1 : (int)lane, "transmitted");
        if (open > t->capacity)
            nx_find(c, NX_H2N_OUT, i, "a credit jumps: lane %u, forwarded %u, %u more than transmitted", lane, value,
                    4096 - open);
        else if (l->credited && step > WINDOW / 2)
            nx_find(c, NX_H2N_OUT, i, "a credit jumps back: lane %u, forwarded %u behind %u", lane, value, l->last);
        int still = l->credited && !step && l->passed == l->passed_then;
        if (still && open >= 32 && open <= t->capacity && clock - l->clock >= IDLE_CLOCKS && !l->slipped) {
            nx_find(
                c, NX_H2N_OUT, i,
                "credits slipped: lane %u, %u words were transmitted and not credited in %u clocks without a packet",
                lane, open, clock - l->clock);
            l->slipped = 1;
        }
        if (!still) {
            l->clock = clock;
            l->slipped = 0;
        }
        l->credited = 1;
        l->last = value;
        l->passed_then = l->passed;
    }
}

/* Credits that go: against what has come. */
static void check_own_credits(nx_findings *c)
{
    const nx_trace *t = c->t;
    account l = {0};
    for (unsigned i = 0; i < t->entries[NX_N2H_IN]; i++) {
        const nx_trace_entry *e = &t->entry[NX_N2H_IN][i];
        unsigned d = (unsigned)e->data, received = d >> 16 & 0xfff, forwarded = d & 0xfff;
        if ((e->flags & 5) == 5) count_packet(&l, i, e->data);
        if (kind_of(e) != NX_TRACE_SENT) continue;
        check_count(c, NX_N2H_IN, i, &l, received, -1, "received");
        if (((received - forwarded) & 0xfff) > WINDOW)
            nx_find(c, NX_N2H_IN, i, "a credit of ours jumps: forwarded %u, received %u", forwarded, received);
        else if (l.credited && ((forwarded - l.last) & 0xfff) > WINDOW / 2)
            nx_find(c, NX_N2H_IN, i, "a credit of ours jumps back: forwarded %u behind %u", forwarded, l.last);
        l.credited = 1;
        l.last = forwarded;
    }
}

unsigned nx_trace_check(const nx_trace *t, FILE *file)
{
    nx_findings c = {t, file, 0};
    for (unsigned p = 0; is_packets(p); p++) check_packets(&c, p);
    for (unsigned flow = 0; t->by_packet && flow < LANES; flow++) check_numbers(&c, NX_N2H_OUT, flow);
    check_fifo(&c, NX_H2N_IN, NX_H2N_OUT);
    check_fifo(&c, NX_N2H_IN, NX_N2H_OUT);
    check_credits(&c);
    check_own_credits(&c);
    return c.found;
}
