/* See dma_bench_voq.h. */
#include "dma_bench_voq.h"

#include <string.h>

enum { HEADER = 1, END = 2, ABORT = 4 };

static struct stream_word *word_at(struct voq *v, unsigned position) { return &v->ring[position % VOQ_WORDS]; }

unsigned dma_bench_in_voq(const struct dma_bench *b, unsigned queue)
{
    return b->voq[queue].written - b->voq[queue].left;
}

/* The packets of the first bad piece that were complete, without its last one, and all before that piece. */
unsigned dma_bench_sent_of_failed(const struct descriptor *d)
{
    for (unsigned i = 0; i < d->piece_count; i++) {
        const struct read_piece *p = &d->pieces[i];
        if (!p->done || !p->status) continue;
        unsigned limit = d->limit ? d->limit : 512, packets = p->delivered / limit, most = (p->words - 1u) / limit;
        return p->offset + (packets < most ? packets : most) * limit;
    }
    return 0;
}

/* The descriptor whose transfer must come next on this queue, NULL if none may come. */
static struct descriptor *next_to_write(struct dma_bench *b, unsigned q)
{
    for (; b->current[q] < b->written[q]; b->current[q]++) {
        struct descriptor *d = &b->posted[q][b->current[q]];
        if (!d->bad && !d->whole && !d->aborted && !d->given_up) return d;
    }
    return NULL;
}

/* ---- commits ---- */

static void commit_header(struct dma_bench *b, unsigned q, uint64_t header)
{
    struct voq *v = &b->voq[q];
    struct descriptor *d = v->writing = next_to_write(b, q);
    if (!d) {
        dma_bench_mistake(b, "header %016llx on queue %u, where none is due", (unsigned long long)header, q);
        return;
    }
    unsigned limit = (unsigned)(header >> 42) & 1023;
    uint64_t expected = (uint64_t)d->flags << 60 | (uint64_t)q << 52 | (uint64_t)limit << 42 |
                        (uint64_t)d->length << 32 | d->destination;
    if (header != expected)
        dma_bench_mistake(b, "header %016llx on queue %u, expected %016llx", (unsigned long long)header, q,
                          (unsigned long long)expected);
    if (limit == 0 || limit > 512 || !(b->limits[limit] || limit == dma_bench_longest(b)))
        dma_bench_mistake(b, "a limit of %u words, which never was in force", limit);
    d->limit = limit;
}

static void commit_abort(struct dma_bench *b, unsigned q)
{
    struct voq *v = &b->voq[q];
    struct descriptor *d = v->writing ? v->writing : next_to_write(b, q);
    if (!d || !d->failed) dma_bench_mistake(b, "an abort mark on queue %u, where no read has failed", q);
    else if (d->sent != dma_bench_sent_of_failed(d))
        dma_bench_mistake(b, "queue %u: %u words before the abort mark, expected %u", q, d->sent,
                          dma_bench_sent_of_failed(d));
    if (d) d->aborted = 1;
    v->writing = NULL;
    b->aborts++;
}

static void commit_word(struct dma_bench *b, unsigned q, const struct stream_word *w)
{
    struct voq *v = &b->voq[q];
    struct descriptor *d = v->writing;
    if (!d) {
        dma_bench_mistake(b, "queue %u: word %016llx belongs to no transfer", q, (unsigned long long)w->data);
        return;
    }
    uint64_t data = d->zeros ? 0 : dma_bench_word(d->source + 8 * d->sent);
    int last = d->sent + 1 == d->length;
    if (w->data != data || w->mark != (last ? END : 0))
        dma_bench_mistake(b, "queue %u word %u is %016llx mark %u, expected %016llx", q, d->sent,
                          (unsigned long long)w->data, w->mark, (unsigned long long)data);
    d->sent++;
    for (unsigned i = 0; !d->zeros && i < d->piece_count; i++)
        if (d->pieces[i].offset + d->pieces[i].words == d->sent && (!d->pieces[i].done || d->pieces[i].status))
            dma_bench_mistake(b, "queue %u: the last packet of a piece is visible before its read has ended well", q);
    if (last) {
        d->whole = 1;
        b->transfers++;
        v->writing = NULL;
    }
}

static void commit(struct dma_bench *b, unsigned q)
{
    struct voq *v = &b->voq[q];
    b->commit_clock = b->clocks;
    if (v->committed == v->written) dma_bench_mistake(b, "queue %u: a commit of nothing", q);
    for (; v->committed < v->written; v->committed++) {
        const struct stream_word *w = word_at(v, v->committed);
        if (w->mark == ABORT) commit_abort(b, q);
        else if (w->mark == HEADER) commit_header(b, q, w->data);
        else commit_word(b, q, w);
    }
    if (v->writing && v->writing->limit && v->writing->sent % v->writing->limit)
        dma_bench_mistake(b, "queue %u: a commit in the middle of a packet", q);
    v->fresh = 0;
}

/* ---- writes ---- */

static void reserve(struct dma_bench *b)
{
    dma_engine *m = b->m;
    unsigned q = *m->voq_reserve_queue, words = *m->voq_reserve_words;
    if (*m->voq_pause) dma_bench_mistake(b, "queue %u: room is reserved during a pause", q);
    if (b->clocks - b->reserve_clock < 3)
        dma_bench_mistake(b, "two reservations in %llu clocks", (unsigned long long)(b->clocks - b->reserve_clock));
    if (words > b->room_shown[q] || words < 3 || words > 514)
        dma_bench_mistake(b, "%u words reserved on queue %u, where %u are shown", words, q, b->room_shown[q]);
    if (b->piece_count == 8) {
        dma_bench_mistake(b, "9 pieces are reserved");
        return;
    }
    b->pieces[b->piece_count].queue = q;
    b->pieces[b->piece_count].words = words;
    b->pieces[b->piece_count].written = 0;
    b->pieces[b->piece_count].clock = b->clocks;
    b->piece_count++;
    b->most_pieces = b->piece_count > b->most_pieces ? b->piece_count : b->most_pieces;
    b->voq[q].reserved += words;
    b->reserve_clock = b->clocks;
}

static void write_word(struct dma_bench *b, unsigned q)
{
    dma_engine *m = b->m;
    struct voq *v = &b->voq[q];
    struct stream_word *w = word_at(v, v->written++);
    w->data = m->voq_wr_data[0] | (uint64_t)m->voq_wr_data[1] << 32;
    w->mark = m->voq_wr_data[2];
    if (b->pieces[0].written++ == b->pieces[0].words)
        dma_bench_mistake(b, "queue %u: more words than were reserved", q);
    else v->reserved--;
    if (w->mark == HEADER) {
        b->header_clock = b->clocks;
        struct descriptor *d = next_to_write(b, q);
        if (d && *m->voq_wr_eager) {
            d->zeros = 1;
            b->eager = 1;
        }
        v->write_limit = (unsigned)(w->data >> 42) & 1023;
    } else if (w->mark != ABORT) {
        b->words_written++;
        if (v->fresh++ == v->write_limit) dma_bench_mistake(b, "queue %u: a packet is complete but not visible", q);
    }
}

static void piece_end(struct dma_bench *b, unsigned q)
{
    struct voq *v = &b->voq[q];
    if (v->committed != v->written) dma_bench_mistake(b, "queue %u: a piece ends with words that are not visible", q);
    v->reserved -= b->pieces[0].words - b->pieces[0].written;
    memmove(b->pieces, b->pieces + 1, --b->piece_count * sizeof b->pieces[0]);
    b->eager = 0;
}

static void roll_back(struct dma_bench *b, unsigned q)
{
    struct voq *v = &b->voq[q];
    unsigned words = v->written - v->committed;
    v->written -= words;
    v->reserved += words;
    b->pieces[0].written -= words;
    v->fresh = 0;
}

static void begin_flush(struct dma_bench *b)
{
    b->flushing = 1;
    b->idle_wait = dma_bench_below(b, 20);
    b->piece_count = 0;
    b->eager = 0;
    for (unsigned q = 0; q < QUEUES; q++) {
        struct voq *v = &b->voq[q];
        v->left = v->committed = v->written;
        v->reserved = v->fresh = v->leaving = 0;
        v->writing = NULL;
    }
}

void dma_bench_sample_voq(struct dma_bench *b)
{
    dma_engine *m = b->m;
    int any = *m->voq_wr_valid | *m->voq_wr_commit | *m->voq_wr_rollback | *m->voq_piece_end;
    if (*m->flush) {
        if (any | *m->voq_reserve) dma_bench_mistake(b, "output queues written or reserved during a software reset");
        if (!b->flushing) begin_flush(b);
        memset(b->given_up, 0, sizeof b->given_up);
    } else {
        b->flushing = 0;
        if (b->eager && !*m->voq_wr_valid) dma_bench_mistake(b, "a gap after an eager header");
        if (any && (!b->piece_count || b->pieces[0].clock == b->clocks)) {
            dma_bench_mistake(b, "output queues written without a reserved piece");
            return;
        }
        unsigned q = b->pieces[0].queue;
        if (*m->voq_wr_valid) write_word(b, q);
        if (*m->voq_wr_commit) commit(b, q);
        if (*m->voq_wr_rollback) roll_back(b, q);
        if (*m->voq_piece_end) piece_end(b, q);
        if (*m->voq_reserve) reserve(b);
    }
}

/* ---- packets leave ---- */

/* The next packet of a queue, if all of it is visible: its words; 0 if there is none. Headers and abort marks are taken
 * here. */
static unsigned next_packet(struct voq *v)
{
    while (v->left < v->committed) {
        const struct stream_word *w = word_at(v, v->left);
        if (w->mark == ABORT || w->mark == HEADER) {
            v->leaving = w->mark == ABORT ? 0 : (unsigned)(w->data >> 32) & 1023;
            v->limit = w->mark == ABORT ? v->limit : (unsigned)(w->data >> 42) & 1023;
            v->local = (unsigned)(w->data >> 61) & 1;
            v->left++;
            continue;
        }
        unsigned words = v->leaving < v->limit ? v->leaving : v->limit;
        return v->committed - v->left >= words ? words : 0;
    }
    return 0;
}

static void packet_left(struct dma_bench *b)
{
    unsigned q = b->link_queue, wait = b->departing_count ? b->departing[b->departing_count - 1] & 255 : 0;
    unsigned delay = 1 + dma_bench_below(b, 28);
    b->packets++;
    if (!b->link_last) return;
    ck_assert_uint_lt(b->departing_count, 64);
    b->moving = 1 + q;
    b->transfers_moved++;
    b->voq[q].moved++;
    b->departing[b->departing_count++] = (delay > wait ? delay : wait + 1) | q << 8 | b->voq[q].local << 16;
}

static void drive_link(struct dma_bench *b)
{
    dma_engine *m = b->m;
    *m->moved_valid = b->moving != 0;
    *m->moved_lost = 0;
    *m->moved_queue = (uint8_t)(b->moving ? b->moving - 1 : dma_bench_below(b, QUEUES));
    b->moving = 0;
    *m->departed_valid = 0;
    *m->departed_queue = (uint8_t)dma_bench_below(b, QUEUES);
    *m->departed_local = (uint8_t)dma_bench_below(b, 2);
    for (unsigned i = 0; i < b->departing_count; i++)
        if ((b->departing[i] & 255) > 0) b->departing[i]--;
    if (b->departing_count && (b->departing[0] & 255) == 0) {
        unsigned q = b->departing[0] >> 8 & 255;
        *m->departed_valid = 1;
        *m->departed_queue = (uint8_t)q;
        *m->departed_local = (uint8_t)(b->departing[0] >> 16);
        b->voq[q].departed++;
        if (b->departing[0] >> 16) b->local_due[q] = b->voq[q].departed;
        memmove(b->departing, b->departing + 1, --b->departing_count * sizeof b->departing[0]);
    }
    if (!dma_bench_chance(b, b->drain_percent)) return;
    unsigned first = dma_bench_below(b, QUEUES);
    for (unsigned i = 0; !b->link_left && !b->flushing && i < QUEUES && b->departing_count < 60; i++) {
        struct voq *v = &b->voq[b->link_queue = (first + i) % QUEUES];
        if (v->blocked) continue;
        b->link_left = next_packet(v);
        b->link_last = b->link_left && b->link_left == v->leaving;
        v->leaving -= b->link_left;
        if (b->link_left) return;
    }
    if (!b->link_left) return;
    if (!b->flushing) b->voq[b->link_queue].left++;
    if (--b->link_left == 0) packet_left(b);
}

void dma_bench_drive_voq(struct dma_bench *b)
{
    dma_engine *m = b->m;
    drive_link(b);
    memset(m->voq_room, 0, 4 * ((QUEUES * 11 + 31) / 32));
    *m->voq_pause = b->flicker_percent && dma_bench_below(b, 100) < b->flicker_percent;
    for (unsigned q = 0; q < QUEUES; q++) {
        struct voq *v = &b->voq[q];
        unsigned used = v->written - v->left + v->reserved, room = used < b->voq_words ? b->voq_words - used : 0;
        if (room > 2047) room = 2047;
        if (dma_bench_below(b, 100) < b->flicker_percent) room = 0;
        b->room_shown[q] = room;
        if (b->clocks == b->reserve_clock) room = dma_bench_below(b, 2048);
        for (unsigned i = 0; i < 11; i++) m->voq_room[(11 * q + i) / 32] |= (room >> i & 1) << (11 * q + i) % 32;
    }
    if (b->flushing && b->idle_wait) b->idle_wait--;
    *m->voq_idle = b->flushing ? !b->link_left && !b->moving && !b->idle_wait : (uint8_t)dma_bench_below(b, 2);
}
