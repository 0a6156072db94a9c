#include "voq_reference.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

const char *const voq_rule_names[VOQ_RULES] = {"fine",    "form",   "header", "order", "flags", "sequence", "data",
                                               "visible", "credit", "turn",   "start", "stop",  "pace",     "moved",
                                               "reset",   "room",   "error",  "lost",  "memory"};

enum { START_AT_MOST = 16, STOP_AT = 60 };

static void free_lists(void *reference)
{
    struct voq_ref *r = reference;
    for (unsigned v = 0; v < r->voqs; v++) {
        for (unsigned i = 0; i < r->count[v]; i++) free(r->lists[v][i]);
        free(r->lists[v]);
    }
}

void voq_ref_init(struct voq_ref *r, unsigned queues, unsigned voqs)
{
    memset(r, 0, sizeof *r);
    r->queues = queues;
    r->voqs = voqs;
    after_test(free_lists, r);
}

void voq_ref_break(struct voq_ref *r, enum voq_rule rule, const char *fmt, ...)
{
    if (r->broken) return;
    va_list ap;
    va_start(ap, fmt);
    r->broken = rule;
    vsnprintf(r->text, sizeof r->text, fmt, ap);
    va_end(ap);
}

uint64_t voq_ref_word(unsigned id, unsigned index)
{
    uint64_t x = ((uint64_t)id << 20 | index) * 0x9e3779b97f4a7c15ull;
    return (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
}

uint64_t voq_ref_header(const struct voq_transfer *t)
{
    return (uint64_t)t->flags << 60 | (uint64_t)t->queue << 52 | (uint64_t)t->limit << 42 | (uint64_t)t->length << 32 |
           t->address;
}

struct voq_transfer *voq_ref_add(struct voq_ref *r, const struct voq_transfer *t)
{
    unsigned v = r->voqs == 1 ? 0 : t->queue;
    if (r->count[v] == r->space[v]) {
        r->space[v] = 2 * r->space[v] + 64;
        r->lists[v] = realloc(r->lists[v], r->space[v] * sizeof *r->lists[v]);
    }
    struct voq_transfer *n = malloc(sizeof *n);
    *n = *t;
    r->lists[v][r->count[v]++] = n;
    return n;
}

void voq_ref_credit(struct voq_ref *r, unsigned lane, unsigned value)
{
    r->lanes[lane].last = value & 127;
    r->lanes[lane].seen = 1;
}

static unsigned lane_of(const struct voq_ref *r, unsigned queue) { return r->direct ? 0 : queue; }

/* Is the transfer over? One that is aborted leaves a gap behind its last packet. */
static int over(const struct voq_transfer *t)
{
    if (t->lost) return t->reported || t->aborted;
    return t->nothing || t->sent == t->length || (t->aborted && t->sent == t->committed);
}

/* Drops transfers that are over from the front of a list. */
static struct voq_transfer *front(struct voq_ref *r, unsigned v)
{
    while (r->head[v] < r->count[v]) {
        struct voq_transfer *t = r->lists[v][r->head[v]];
        if (!over(t)) return t;
        for (int gaps = t->aborted + t->lost; gaps; gaps--) {
            /* With one sequence for several queues the gap may show at any packet from now on. */
            struct voq_lane *l = &r->lanes[lane_of(r, t->queue)];
            if (!r->direct || r->voqs == 1) l->gaps_at_least++;
            l->gaps_at_most++;
        }
        r->head[v]++;
    }
    return NULL;
}

static void check_number(struct voq_ref *r, unsigned queue, unsigned number)
{
    struct voq_lane *l = &r->lanes[lane_of(r, queue)];
    unsigned skipped = (number - l->number) & 511;
    if (r->sequence_zero) {
        if (number != 0) voq_ref_break(r, VOQ_SEQUENCE, "queue %u: number %u, not 0", queue, number);
        return;
    }
    if (skipped < l->gaps_at_least || skipped > l->gaps_at_most)
        voq_ref_break(r, VOQ_SEQUENCE, "queue %u: number %u, expected %u and %u..%u more", queue, number, l->number,
                      l->gaps_at_least, l->gaps_at_most);
    int shared = r->direct && r->voqs > 1;
    l->gaps_at_least = 0;
    l->gaps_at_most = shared ? l->gaps_at_most - skipped : 0;
    l->number = number + 1;
}

static void check_credit(struct voq_ref *r, unsigned queue, unsigned words)
{
    struct voq_lane *l = &r->lanes[lane_of(r, queue)];
    unsigned outstanding = (l->sent - (l->last << 5)) & 4095;
    if (!l->seen || outstanding + 2 * words + 4 > r->capacity)
        voq_ref_break(r, VOQ_CREDIT, "queue %u: %u words with %u units outstanding of %u%s", queue, words, outstanding,
                      r->capacity, l->seen ? "" : ", no credit seen");
    l->sent = (l->sent + 2 * words + 4) & 4095;
}

/* A packet of `queue` starts: those that could have gone instead have been passed. With one lane for all the receiver's
 * pace, not the size of a packet, decides when the next one goes: so credit is not asked for. */
static void check_turns(struct voq_ref *r, unsigned queue)
{
    for (unsigned v = 0; v < r->voqs && r->voqs > 1; v++) {
        unsigned i = r->head[v];
        while (i < r->count[v] && over(r->lists[v][i])) i++;
        const struct voq_transfer *t = i < r->count[v] ? r->lists[v][i] : NULL;
        unsigned left = t ? t->length - t->sent : 0, words = t && t->limit < left ? t->limit : left;
        const struct voq_lane *l = &r->lanes[v];
        int fits = r->direct || (l->seen && ((l->sent - (l->last << 5)) & 4095) + 2 * words + 4 <= r->capacity);
        int could = t && !t->lost && t->committed >= t->sent + words && fits && !r->resetting && !(r->bodies >> v & 1);
        r->passed[v] = could && v != queue ? r->passed[v] + 1 : 0;
        if (r->passed[v] > r->most_passed) r->most_passed = r->passed[v];
        if (r->passed[v] > 32 * (r->voqs - 1))
            voq_ref_break(r, VOQ_TURN, "queue %u, %u words next, has been passed by %u packets", v, words,
                          r->passed[v]);
    }
}

static void check_header(struct voq_ref *r, const struct voq_output *o)
{
    unsigned queue = o->data >> 56 & 127, length = o->data >> 32 & 1023;
    if (o->data >> 63 || !(o->data >> 51 & 1) || (o->data >> 55 & 1) || queue >= r->queues) {
        voq_ref_break(r, VOQ_HEADER, "header %016llx", (unsigned long long)o->data);
        return;
    }
    if (r->direct)
        for (unsigned v = 0; v < r->voqs; v++) front(r, v);
    struct voq_transfer *t = front(r, r->voqs == 1 ? 0 : queue);
    if (!t) {
        voq_ref_break(r, VOQ_ORDER, "queue %u: a packet, but it has no transfer", queue);
        return;
    }
    unsigned left = t->length - t->sent, words = left < t->limit ? left : t->limit;
    int last = words == left;
    unsigned flags = last ? t->flags : 0;
    if (t->lost) voq_ref_break(r, VOQ_ORDER, "queue %u: a packet of a transfer whose header is damaged", queue);
    if (t->queue != queue || length != words || (uint32_t)o->data != t->address + 8 * t->sent)
        voq_ref_break(r, VOQ_HEADER, "header %016llx, expected queue %u, %u words to %08x", (unsigned long long)o->data,
                      t->queue, words, t->address + 8 * t->sent);
    if ((o->data >> 52 & 7) != flags || (o->marks >> 2 & 1) != (unsigned)last)
        voq_ref_break(r, VOQ_FLAGS, "queue %u: flags %u, last %u; expected %u, %u", queue,
                      (unsigned)(o->data >> 52 & 7), o->marks >> 2 & 1, flags, last);
    if (t->committed < t->sent + words && !(t->eager && t->sent == 0))
        voq_ref_break(r, VOQ_VISIBLE, "queue %u: %u words after %u, but only %u are committed", queue, words, t->sent,
                      t->committed);
    if (o->count > START_AT_MOST)
        voq_ref_break(r, VOQ_START, "queue %u starts with %u words in the link FIFO", queue, o->count);
    if (r->resetting) voq_ref_break(r, VOQ_RESET, "queue %u starts during a software reset", queue);
    check_turns(r, queue);
    check_number(r, queue, o->data >> 42 & 511);
    check_credit(r, queue, words);
    r->packet = t;
    r->packet_at = t->sent;
    r->packet_left = words;
    r->packet_last = last;
    r->packet_corrupted = 0;
    t->sent += words;
    r->packets++;
    r->queue_packets[queue]++;
    r->queue_words[queue] += words;
    r->last_header_clock = r->clock;
}

void voq_ref_damage(struct voq_ref *r, struct voq_transfer *t, int index)
{
    if (index >= 0) {
        t->bad[index / 8] |= (uint8_t)(1u << index % 8);
    } else if (!t->lost) {
        t->lost = 1;
        r->lost++;
    }
}

/* The block says that a transfer has been dropped: it must be the next one of its queue, all of it must have gone in.
 */
static void lost_moved(struct voq_ref *r, unsigned queue)
{
    struct voq_transfer *t = queue < r->queues ? front(r, r->voqs == 1 ? 0 : queue) : NULL;
    if (!t || !t->lost || t->queue != queue || t->committed < t->length)
        voq_ref_break(r, VOQ_MOVED, "a transfer of queue %u is said to be lost", queue);
    else t->reported = 1;
}

void voq_ref_output(struct voq_ref *r, const struct voq_output *o)
{
    int moved = 0;
    unsigned count_before = r->count_before;
    r->clock++;
    r->count_before = o->count;
    if (o->error) voq_ref_break(r, VOQ_ERROR, "ev_overflow");
    if (r->broken) return;
    if (!o->valid) {
        r->quiet_clocks = r->packet_left && count_before < STOP_AT ? r->quiet_clocks + 1 : 0;
        if (r->quiet_clocks == 2)
            voq_ref_break(r, VOQ_PACE, "two clocks without a word, %u words in the link FIFO", o->count);
    } else if (r->packet_left == 0) {
        r->quiet_clocks = 0;
        if ((o->marks & ~4u) != 1) voq_ref_break(r, VOQ_FORM, "a header expected, not [67:64] = %x", o->marks);
        else check_header(r, o);
    } else {
        struct voq_transfer *t = r->packet;
        int last = r->packet_left == 1;
        int bad = t->bad[r->packet_at / 8] >> r->packet_at % 8 & 1;
        r->quiet_clocks = 0;
        r->bad_words += (unsigned)bad;
        if (count_before >= STOP_AT)
            voq_ref_break(r, VOQ_STOP, "a word although %u stood in the link FIFO", count_before);
        /* In a reset missing words are replaced by words that corrupt the packet. */
        if ((o->marks & 8) && r->resetting && t->eager && t->committed < r->packet_at + 1) r->packet_corrupted = 1;
        if ((o->marks & 7) != (last ? 2u : 0u) || ((o->marks & 8) != 0) != (r->packet_corrupted || bad))
            voq_ref_break(r, VOQ_FORM, "[67:64] = %x, %u words left", o->marks, r->packet_left);
        else if (!r->packet_corrupted && !bad && o->data != voq_ref_word(t->id, r->packet_at))
            voq_ref_break(r, VOQ_DATA, "queue %u, word %u: %016llx, expected %016llx", t->queue, r->packet_at,
                          (unsigned long long)o->data, (unsigned long long)voq_ref_word(t->id, r->packet_at));
        r->packet_at++;
        r->packet_left--;
        moved = last && r->packet_last && !r->packet_corrupted;
        r->transfers += (unsigned)moved;
    }
    if (o->moved && o->moved_lost && !moved) lost_moved(r, o->moved_queue);
    else if (o->moved != moved || (moved && (o->moved_lost || o->moved_queue != r->packet->queue)))
        voq_ref_break(r, VOQ_MOVED, "moved %d of queue %u, expected %d", o->moved, o->moved_queue, moved);
}

void voq_ref_reset_done(struct voq_ref *r, unsigned maybe, unsigned given_up)
{
    unsigned dropped = given_up, present = 0; /* bit per destination: something certainly, perhaps dropped */
    for (unsigned v = 0; v < r->voqs; v++) {
        for (; r->head[v] < r->count[v]; r->head[v]++) {
            struct voq_transfer *t = r->lists[v][r->head[v]];
            struct voq_lane *l = &r->lanes[lane_of(r, t->queue)];
            if (t->nothing) continue;
            if (t->lost) {
                /* The header may have been found before, and an abort mark behind it. */
                l->gaps_at_most += 1 + (unsigned)t->aborted;
                dropped |= 1u << t->queue;
                continue;
            }
            if (t->aborted && t->sent == t->committed) {
                /* The mark may have been found before the reset or have been dropped by it. */
                l->gaps_at_most++;
                dropped |= 1u << t->queue;
                continue;
            }
            if (t->committed > t->sent || (t->sent > 0 && t->sent < t->length)) dropped |= 1u << t->queue;
            if (t->eager) present |= 1u << t->queue;
        }
    }
    present |= dropped | maybe;
    if (r->voqs == 1 && present) present = ~0u; /* whose the words were is not known */
    if (r->direct) {
        dropped = dropped != 0;
        present = present != 0;
    }
    for (unsigned q = 0; q < r->queues; q++) {
        r->lanes[q].gaps_at_least += dropped >> q & 1;
        r->lanes[q].gaps_at_most += present >> q & 1;
    }
    if (r->packet_left) voq_ref_break(r, VOQ_RESET, "the reset is over, but a packet is not");
    r->resetting = 0;
}

unsigned voq_ref_inside(struct voq_ref *r)
{
    unsigned n = 0;
    for (unsigned v = 0; v < r->voqs; v++)
        for (unsigned i = r->head[v]; i < r->count[v]; i++) n += !over(r->lists[v][i]);
    return n;
}

void voq_ref_end(struct voq_ref *r)
{
    unsigned n = voq_ref_inside(r);
    if (n || r->packet_left)
        voq_ref_break(r, VOQ_LOST, "%u transfers have not left, %u words of a packet have not", n, r->packet_left);
}
