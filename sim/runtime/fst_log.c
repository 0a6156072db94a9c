/* What streams note, and how it becomes blocks of a file: by a thread of its own, or by the one that hands it on. */
#include "sim/runtime/fst_file.h"

#include <endian.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { CHUNK = 256 << 10, ARENA = 1 << 20, PIECE = 112, PIECE_MOST = 1008, NUMBER = 5 /* most bytes of one of 32 bits */ };

struct writer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool alone; /* there is no thread */
    bool busy, quit;
    uint64_t until;
    LIST(chunk) spare;
};

/* ---- noting ---- */

fst_stream *fst_stream_new(fst_file *f)
{
    fst_log *l = new_zeroed(sizeof *l);
    l->f = f;
    l->open.log = l;
    *list_add(&f->logs) = l;
    return &l->open;
}

/* What has been filled of the last chunk is one that is full. */
static void chunk_end(fst_log *l)
{
    notes *n = &l->filled;
    if (!l->open.end) return;
    n->chunks.at[n->chunks.count - 1].end = l->open.at;
    l->full += (size_t)(l->open.at - n->chunks.at[n->chunks.count - 1].begin);
    l->open.at = l->open.end = NULL;
}

void fst_room(fst_stream *st, size_t size)
{
    fst_log *l = st->log;
    struct writer *w = l->f->writer;
    chunk c = {0};
    chunk_end(l);
    pthread_mutex_lock(&w->lock);
    if (w->spare.count && size <= CHUNK) c = w->spare.at[--w->spare.count];
    pthread_mutex_unlock(&w->lock);
    if (size < CHUNK) size = CHUNK;
    if (!c.begin) c.begin = new_zeroed(size);
    *list_add(&l->filled.chunks) = c;
    st->at = c.begin;
    st->end = c.begin + size;
}

void fst_time(fst_stream *st, uint64_t time)
{
    if (time <= st->log->time) return;
    st->log->time = *list_add(&st->log->filled.times) = time;
    fst_put(st, 0, FST_TIME, 0, 0);
}

void fst_change_wide(fst_stream *st, uint32_t signal, const uint32_t *words, unsigned count)
{
    uint32_t number = st->numbers[signal], head = number << FST_KIND_BITS | FST_WIDE;
    size_t size = count * sizeof *words;
    if (!number) return;
    if ((size_t)(st->end - st->at) < 12 + size) fst_room(st, 12 + size);
    memcpy(st->at, &head, sizeof head);
    memcpy(st->at + sizeof head, words, size);
    st->at += sizeof head + size;
}

size_t fst_waiting(const fst_file *f)
{
    size_t waiting = 0;
    for (size_t i = 0; i < f->logs.count; i++) {
        const fst_log *l = f->logs.at[i];
        waiting += l->full;
        if (l->open.end) waiting += (size_t)(l->open.at - l->filled.chunks.at[l->filled.chunks.count - 1].begin);
    }
    return waiting;
}

/* ---- reading what is noted ---- */

typedef struct {
    uint32_t number; /* 0: the time goes on */
    unsigned kind;
    uint64_t value;
    const uint8_t *words; /* of more than 64 bits, not aligned; else NULL */
} entry;

static uint32_t words_of(const wave *s)
{
    return (s->bits + 31) / 32;
}

/* What the cursor stands at, and behind it; or at the end. */
static inline bool entry_next(const fst_log *l, cursor *c, entry *e)
{
    static const uint8_t size[] = {0, 1, 1, 2, 4, 8, 0, 0};
    static const uint64_t mask[] = {0, 0xff, 0xff, 0xffff, 0xffffffff, UINT64_MAX, 0, 0};
    while (!c->at || c->at == l->taken.chunks.at[c->chunk].end) {
        if (c->at) c->chunk++;
        if (c->chunk == l->taken.chunks.count) {
            c->at = NULL;
            return false;
        }
        c->at = l->taken.chunks.at[c->chunk].begin;
    }
    uint32_t head;
    memcpy(&head, c->at, sizeof head);
    e->number = head >> FST_KIND_BITS;
    e->kind = head & ((1 << FST_KIND_BITS) - 1);
    if (e->kind == FST_WIDE) {
        e->words = c->at + sizeof head;
        e->value = 0;
        c->at += sizeof head + words_of(&l->f->signals.at[e->number - 1]) * sizeof(uint32_t);
        return true;
    }
    e->words = NULL;
    memcpy(&e->value, c->at + sizeof head, sizeof e->value); /* up to eight bytes behind the chunk's last one: they are there */
    e->value &= mask[e->kind];
    c->at += sizeof head + size[e->kind];
    return true;
}

/* Back to before the entry that says that the time goes on. */
static void entry_back(cursor *c)
{
    c->at -= sizeof(uint32_t);
}

static void keep_value(wave *s, const entry *e)
{
    if (e->kind == FST_WIDE) memcpy(s->words, e->words, words_of(s) * sizeof(uint32_t));
    else s->value = e->value;
}

/* What happened before `until` is not recorded, but the values are kept. */
static void skip(fst_file *f, uint64_t until)
{
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        entry e;
        while (entry_next(l, &l->read, &e)) {
            if (e.number) keep_value(&f->signals.at[e.number - 1], &e);
            else if (l->taken.times.at[l->read.next] < until) l->read.next++;
            else {
                entry_back(&l->read);
                break;
            }
        }
    }
}

/* ---- what signals do in a block ---- */

size_t fst_number_put(uint8_t *at, uint64_t n)
{
    size_t i = 0;
    for (; n >> 7; n >>= 7) at[i++] = (uint8_t)(n | 0x80);
    at[i++] = (uint8_t)n;
    return i;
}

static void piece_end(wave *s)
{
    if (s->latest) s->latest->size = (uint32_t)(s->at - s->latest->at);
}

/* With room for so many bytes. Pieces of one time stand side by side, so that those which are filled fit into a processor's cache; those of
 * a signal that changes often are longer, for a reader does not find the next one in the cache. */
static void piece_new(fst_file *f, wave *s, uint32_t least)
{
    uint32_t room = s->latest ? 2 * s->latest->room : PIECE;
    if (room > PIECE_MOST) room = PIECE_MOST;
    if (room < least) room = least;
    room = ((room + (uint32_t)sizeof(piece) + 15) & ~15u) - (uint32_t)sizeof(piece);
    if (f->arena == f->arenas.count || f->arena_used + sizeof(piece) + room > ARENA) {
        if (f->arena < f->arenas.count) f->arena++;
        if (f->arena == f->arenas.count) *list_add(&f->arenas) = new_zeroed(ARENA);
        f->arena_used = 0;
    }
    piece *p = (piece *)(f->arenas.at[f->arena] + f->arena_used);
    f->arena_used += sizeof *p + room;
    piece_end(s);
    *p = (piece){.room = room};
    if (s->latest) s->latest->next = p;
    else s->first = p;
    s->latest = p;
    s->at = p->at;
    s->end = p->at + room;
}

static void put_wide(uint8_t *to, const wave *s)
{
    uint32_t shift = (32 - s->bits % 32) % 32;
    for (uint32_t i = words_of(s); i--; to += 4) {
        uint64_t both = (uint64_t)s->words[i] << 32 | (i ? s->words[i - 1] : 0);
        uint32_t word = htobe32((uint32_t)(both << shift >> 32));
        memcpy(to, &word, sizeof word);
    }
}

/* As the file wants it: how many times later than the change before, and the value, its highest bit first; of one bit both in one number.
 * The value is the signal's by now. Again at the same time: takes back what was there. What one change is does not tell what the next one
 * is, so there are few branches. */
static inline void change(fst_file *f, wave *s, uint32_t time)
{
    uint32_t room = NUMBER + (s->bits > 64 ? s->size + 4u : 8);
    if (s->last && time == s->time) s->at = s->last;
    else s->before = s->time;
    if (s->end - s->at < (ptrdiff_t)room) piece_new(f, s, room);
    unsigned single = !s->size;
    uint64_t number = (uint64_t)(time - s->before) << (1 + single) | (s->value & single) << 1;
    uint8_t *at = s->last = s->at;
    s->time = time;
    if (number < 128) *at++ = (uint8_t)number;
    else at += fst_number_put(at, number);
    if (s->bits > 64) put_wide(at, s);
    else {
        uint64_t value = htobe64(s->value << (64 - s->bits));
        memcpy(at, &value, sizeof value);
    }
    s->at = at + s->size;
}

/* The times of all streams before `until`, and of each where it is among them. */
static void sort_times(fst_file *f, uint64_t until)
{
    f->times.count = 0;
    *list_add(&f->times) = f->end;
    for (size_t i = 0; i < f->logs.count; i++) {
        const fst_log *l = f->logs.at[i];
        const uint64_t *times = l->taken.times.at;
        size_t a = 0, b = l->read.next, most = b;
        while (most < l->taken.times.count && times[most] < until) most++;
        f->merged.count = 0;
        while (a < f->times.count || b < most) {
            uint64_t x = a < f->times.count ? f->times.at[a] : UINT64_MAX, y = b < most ? times[b] : UINT64_MAX;
            *list_add(&f->merged) = x < y ? x : y;
            a += x <= y;
            b += y <= x;
        }
        uint64_t *at = f->times.at;
        size_t room = f->times.room;
        f->times.at = f->merged.at;
        f->times.count = f->merged.count;
        f->times.room = f->merged.room;
        f->merged.at = at;
        f->merged.room = room;
    }
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        l->where.count = 0;
        for (size_t a = 0, b = l->read.next; b < l->taken.times.count && l->taken.times.at[b] < until; b++) {
            while (f->times.at[a] < l->taken.times.at[b]) a++;
            *list_add(&l->where) = (uint32_t)a;
        }
    }
}

static void take_changes(fst_file *f, fst_log *l)
{
    entry e;
    size_t done = 0;
    uint32_t time = 0;
    while (entry_next(l, &l->read, &e)) {
        if (e.number) {
            wave *s = &f->signals.at[e.number - 1];
            keep_value(s, &e);
            change(f, s, time);
        } else if (done < l->where.count) time = l->where.at[done++];
        else {
            entry_back(&l->read);
            break;
        }
    }
    l->read.next += done;
}

/* A block of what happened after the one before it, and before `until`. */
static void block(fst_file *f, uint64_t until)
{
    skip(f, f->end + 1); /* what all was at the beginning */
    if (until <= f->end) return;
    fst_file_values(f);
    sort_times(f, until);
    for (size_t i = 0; i < f->signals.count; i++) {
        wave *s = &f->signals.at[i];
        s->time = s->before = 0;
        s->at = s->end = s->last = NULL;
        s->first = s->latest = NULL;
    }
    f->arena = f->arena_used = 0;
    for (size_t i = 0; i < f->logs.count; i++) take_changes(f, f->logs.at[i]);
    for (size_t i = 0; i < f->signals.count; i++) piece_end(&f->signals.at[i]);
    fst_file_block(f);
}

/* ---- conditions ---- */

void fst_wait(fst_file *f, const fst_condition *from, uint64_t before, const fst_condition *to)
{
    const fst_condition *both[] = {from, to};
    f->before = before;
    if (from) f->from = *from;
    if (to) f->to = *to;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; both[i] && k < both[i]->count; k++) {
            wave *s = &f->signals.at[f->numbers.at[both[i]->signals[k]] - 1];
            if (s->watched) continue;
            *list_add(&f->watched) = (watched){both[i]->signals[k], new_zeroed((words_of(s) + 1) * sizeof(uint32_t))};
            s->watched = (uint16_t)f->watched.count;
        }
}

uint64_t fst_bits(const fst_file *f, uint32_t signal, unsigned lsb, unsigned bits)
{
    const watched *w = f->watched.at;
    uint64_t value = 0;
    while (w->signal != signal) w++;
    for (unsigned i = 0; i < bits; i++) value |= (uint64_t)(w->words[(lsb + i) / 32] >> (lsb + i) % 32 & 1) << i;
    return value;
}

static int by_time(const void *a, const void *b)
{
    const seen *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* What has happened to the signals of conditions, in the order of time. */
static void look(fst_file *f, uint64_t until)
{
    f->seen.count = 0;
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        entry e;
        while (entry_next(l, &l->look, &e)) {
            if (!e.number) {
                if (l->taken.times.at[l->look.next] < until) {
                    l->looked = l->taken.times.at[l->look.next++];
                    continue;
                }
                entry_back(&l->look);
                break;
            }
            const wave *s = &f->signals.at[e.number - 1];
            if (!s->watched) continue;
            seen *x = list_add(&f->seen);
            *x = (seen){.time = l->looked, .value = e.value, .order = f->seen.count, .which = s->watched - 1u};
            x->size = words_of(s) * (uint32_t)sizeof(uint32_t);
            x->words = e.words;
        }
    }
    qsort(f->seen.at, f->seen.count, sizeof f->seen.at[0], by_time);
}

/* Begins and ends recording where the conditions say so. Returns the time behind the last one that is recorded. */
static uint64_t judge(fst_file *f, uint64_t until)
{
    look(f, until);
    for (size_t i = 0; i < f->seen.count; i++) {
        const seen *x = &f->seen.at[i];
        memcpy(f->watched.at[x->which].words, x->words ? x->words : (const uint8_t *)&x->value, x->size);
        if (i + 1 < f->seen.count && f->seen.at[i + 1].time == x->time) continue;
        if (f->state == WAITING && f->from.holds(f->from.self)) {
            uint64_t begin = x->time > f->begin + f->before ? x->time - f->before : f->begin;
            f->state = RECORDING;
            skip(f, begin + 1);
            fst_file_begin(f, begin);
        } else if (f->state == RECORDING && f->to.holds && f->to.holds(f->to.self)) return x->time + 1;
    }
    return until;
}

/* ---- handing over ---- */

/* Gives back what has been read. */
static void tidy(fst_file *f)
{
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        notes *n = &l->taken;
        size_t chunks = l->read.chunk, times = l->read.next;
        pthread_mutex_lock(&f->writer->lock);
        for (size_t k = 0; k < chunks; k++) *list_add(&f->writer->spare) = n->chunks.at[k];
        pthread_mutex_unlock(&f->writer->lock);
        if (chunks) memmove(n->chunks.at, n->chunks.at + chunks, (n->chunks.count - chunks) * sizeof n->chunks.at[0]);
        if (times) memmove(n->times.at, n->times.at + times, (n->times.count - times) * sizeof n->times.at[0]);
        n->chunks.count -= chunks;
        n->times.count -= times;
        l->read.chunk = l->read.next = 0;
        l->look.chunk = l->look.chunk > chunks ? l->look.chunk - chunks : 0;
        l->look.next = l->look.next > times ? l->look.next - times : 0;
    }
}

/* What the streams have handed on. */
static void work(fst_file *f, uint64_t until)
{
    if (f->state != OVER) {
        uint64_t end = f->state == WAITING || f->to.holds ? judge(f, until) : until;
        if (f->state == WAITING) skip(f, until > f->before ? until - f->before : 0);
        else if (!f->lost) block(f, end);
        if (f->lost || (f->state == RECORDING && end < until)) f->state = OVER;
    }
    if (f->state == OVER) skip(f, UINT64_MAX);
    tidy(f);
}

static void *write_on(void *arg)
{
    fst_file *f = arg;
    struct writer *w = f->writer;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->busy && !w->quit) pthread_cond_wait(&w->changed, &w->lock);
        if (!w->busy) break;
        uint64_t until = w->until;
        pthread_mutex_unlock(&w->lock);
        work(f, until);
        pthread_mutex_lock(&w->lock);
        w->busy = false;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

void fst_begin(fst_file *f, uint64_t time)
{
    for (size_t i = 0; i < f->claimed.count; i++) f->numbers.at[f->claimed.at[i]] = 0;
    for (size_t i = 0; i < f->logs.count; i++) {
        f->logs.at[i]->time = f->logs.at[i]->looked = time;
        f->logs.at[i]->open.numbers = f->numbers.at;
    }
    f->begin = f->end = time;
    f->state = f->from.holds ? WAITING : RECORDING;
    if (f->state == RECORDING) fst_file_begin(f, time);
    struct writer *w = f->writer = new_zeroed(sizeof *w);
    sigset_t all, old;
    sigfillset(&all);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    pthread_sigmask(SIG_BLOCK, &all, &old); /* signals are for the others */
    w->alone = sim_processors() < 2 || pthread_create(&w->thread, NULL, write_on, f);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* With the lock: nobody works. */
static void wait_idle(struct writer *w)
{
    while (w->busy) pthread_cond_wait(&w->changed, &w->lock);
}

int fst_write(fst_file *f, uint64_t until)
{
    struct writer *w = f->writer;
    pthread_mutex_lock(&w->lock);
    wait_idle(w);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        notes *from = &l->filled, *to = &l->taken;
        chunk_end(l);
        l->full = 0;
        for (size_t k = 0; k < from->chunks.count; k++) *list_add(&to->chunks) = from->chunks.at[k];
        for (size_t k = 0; k < from->times.count; k++) *list_add(&to->times) = from->times.at[k];
        from->chunks.count = from->times.count = 0;
    }
    int over = f->lost || f->state == OVER;
    if (w->alone) {
        work(f, until);
        return over;
    }
    pthread_mutex_lock(&w->lock);
    w->until = until;
    w->busy = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return over;
}

void fst_logs_end(fst_file *f)
{
    struct writer *w = f->writer;
    if (w) {
        fst_write(f, UINT64_MAX);
        pthread_mutex_lock(&w->lock);
        wait_idle(w);
        w->quit = true;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        if (!w->alone) pthread_join(w->thread, NULL);
        for (size_t i = 0; i < w->spare.count; i++) free(w->spare.at[i].begin);
        list_free(&w->spare);
        pthread_mutex_destroy(&w->lock);
        pthread_cond_destroy(&w->changed);
        free(w);
    }
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        for (size_t k = 0; k < l->taken.chunks.count; k++) free(l->taken.chunks.at[k].begin);
        list_free(&l->taken.chunks);
        list_free(&l->taken.times);
        list_free(&l->filled.chunks);
        list_free(&l->filled.times);
        list_free(&l->where);
        free(l);
    }
    for (size_t i = 0; i < f->arenas.count; i++) free(f->arenas.at[i]);
    for (size_t i = 0; i < f->watched.count; i++) free(f->watched.at[i].words);
    list_free(&f->logs);
    list_free(&f->arenas);
    list_free(&f->watched);
    list_free(&f->seen);
    list_free(&f->times);
    list_free(&f->merged);
}
