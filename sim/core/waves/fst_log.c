/* What streams note, and how it becomes blocks of a file: by threads of its own, or by those that hand it on.
 *
 * A block takes most of its time in jobs that several threads may do side by side, in any order, some microseconds at a
 * time: what each stream has noted is taken into its signals; then some neighbouring signals are packed. All else is
 * one thread's: conditions, to sort times, and to write what is packed. */
#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/fst_file.h"

#include <endian.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum { SECTION = 16 /* signals that are packed together */, SOME = 1000 /* changes that are taken at once */ };
enum {
    CHUNK = 256 << 10,
    ARENA = 1 << 20,
    PIECE = 112,
    PIECE_MOST = 1008,
    NUMBER = 5 /* most bytes of one of 32 bits */
};

struct writer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool alone; /* there is no thread */
    bool busy, quit;
    uint64_t until;
    LIST(chunk) spare;
    thread_pool *thread_pool; /* of this thread; NULL: it alone */

    /* the block that is being made */
    bool begun;                             /* its jobs wait for being done, or it for being written */
    bool is_last;                           /* recording ends with it */
    atomic_bool shared;                     /* any idle thread may do its jobs */
    atomic_size_t taken, next_pack, packed; /* streams; times, values and sections */
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

/* The filled part of the last chunk becomes a full one. */
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
    fst_put(st, 0, 0, 0);
}

void fst_change_wide(fst_stream *st, uint32_t signal, const uint32_t *words, unsigned count)
{
    uint32_t number = st->numbers[signal], head = number << FST_SIZE_BITS | FST_WIDE;
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

static void keep_value(wave *s, const entry *e)
{
    if (e->words) memcpy(s->words, e->words, words_of(s) * sizeof(uint32_t));
    else s->value = e->value;
}

void fst_log_skip(fst_file *f, uint64_t until)
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

/* With space for this many bytes. Pieces of one time stand side by side, so that those which are filled fit into a
 * processor's cache; those of a signal that changes often are longer, for a reader does not find the next one in the
 * cache. */
static void piece_new(bench *b, wave *s, uint32_t least)
{
    uint32_t room = s->latest ? 2 * s->latest->room : PIECE;
    if (room > PIECE_MOST) room = PIECE_MOST;
    if (room < least) room = least;
    room = ((room + (uint32_t)sizeof(piece) + 15) & ~15u) - (uint32_t)sizeof(piece);
    if (b->arena == b->arenas.count || b->arena_used + sizeof(piece) + room > ARENA) {
        if (b->arena < b->arenas.count) b->arena++;
        if (b->arena == b->arenas.count) *list_add(&b->arenas) = new_zeroed(ARENA);
        b->arena_used = 0;
    }
    piece *p = (piece *)(b->arenas.at[b->arena] + b->arena_used);
    b->arena_used += sizeof *p + room;
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

/* As the file wants it: how many times later than the change before, and the value, its highest bit first; of one bit
 * both in one number. The value is the signal's by now. Again at the same time: takes back what was there. Changes are
 * not predictable, so there are few branches. */
static inline void change(bench *b, wave *s, uint32_t time)
{
    uint32_t room = NUMBER + (s->bits > 64 ? s->size + 4u : 8);
    if (s->last && time == s->time) s->at = s->last;
    else s->before = s->time;
    if (s->end - s->at < (ptrdiff_t)room) piece_new(b, s, room);
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

/* The times of all streams before `until`. */
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
}

/* Those of a stream, as indices of the block's. */
static void find_times(const fst_file *f, fst_log *l)
{
    const uint64_t last = f->times.at[f->times.count - 1];
    l->where.count = 0;
    for (size_t a = 0, b = l->read.next; b < l->taken.times.count && l->taken.times.at[b] <= last; b++) {
        while (f->times.at[a] < l->taken.times.at[b]) a++;
        *list_add(&l->where) = (uint32_t)a;
    }
}

/* Some of what a stream has noted; or all that is left of it. */
static void take_changes(fst_file *f, fst_log *l, bench *b, size_t some)
{
    entry e;
    size_t done = l->done;
    uint32_t time = done ? l->where.at[done - 1] : 0;
    cursor at = l->read; /* which stays in registers */
    if (!done) find_times(f, l);
    while (entry_next(l, &at, &e)) {
        if (e.number) {
            wave *s = &f->signals.at[e.number - 1];
            keep_value(s, &e);
            change(b, s, time);
        } else if (done < l->where.count) time = l->where.at[done++];
        else {
            entry_back(&at);
            break;
        }
        if (!--some && done) {
            l->read = at;
            l->done = done;
            return;
        }
    }
    l->read = at;
    l->read.next += done;
    l->done = 0;
    atomic_store(&l->is_taken, true);
    atomic_fetch_add(&f->writer->taken, 1);
}

static size_t packs(const fst_file *f) { return 2 + f->sections.count; }

static void pack_some(fst_file *f, size_t n, bench *b)
{
    if (n == 0) fst_file_pack_times(f);
    else if (n == 1) fst_file_pack_values(f);
    else {
        section *of = &f->sections.at[n - 2];
        for (size_t i = of->first; i < of->behind; i++) piece_end(&f->signals.at[i]);
        fst_file_pack(f, b, of);
    }
    atomic_fetch_add(&f->writer->packed, 1);
}

static bool all_done(const fst_file *f)
{
    return atomic_load(&f->writer->taken) == f->logs.count && atomic_load(&f->writer->packed) == packs(f);
}

/* False: others are doing what there is to do. */
static bool do_some(fst_file *f, bench *b, size_t some)
{
    struct writer *w = f->writer;
    if (atomic_load(&w->taken) < f->logs.count) {
        for (size_t i = 0; i < f->logs.count; i++) {
            fst_log *l = f->logs.at[i];
            if (atomic_load(&l->is_taken) || atomic_exchange(&l->is_held, true)) continue;
            const bool left = !atomic_load(&l->is_taken);
            if (left) take_changes(f, l, b, some);
            atomic_store(&l->is_held, false);
            if (left) return true;
        }
        return false;
    }
    if (atomic_load(&w->next_pack) >= packs(f)) return false;
    const size_t n = atomic_fetch_add(&w->next_pack, 1);
    if (n < packs(f)) pack_some(f, n, b);
    return n < packs(f);
}

static void do_jobs(void *arg, unsigned thread)
{
    fst_file *f = arg;
    while (!all_done(f))
        if (!do_some(f, &f->benches.at[thread], SIZE_MAX)) sched_yield();
}

/* Begins a block of what happened after the one before it, and before `until`. Returns whether there is one. */
static bool block_begin(fst_file *f, uint64_t until, thread_pool *by)
{
    struct writer *w = f->writer;
    fst_log_skip(f, f->end + 1); /* what all was at the beginning */
    if (until <= f->end) return false;
    fst_file_turn(f);
    if (f->lost) return false;
    fst_file_values(f);
    sort_times(f, until);
    for (size_t i = 0; i < f->signals.count; i++) {
        wave *s = &f->signals.at[i];
        s->time = s->before = 0;
        s->at = s->end = s->last = NULL;
        s->first = s->latest = NULL;
    }
    for (size_t i = 0; i < f->logs.count; i++) atomic_store(&f->logs.at[i]->is_taken, false);
    while (f->benches.count < (by ? thread_pool_threads(by) : 1)) *list_add(&f->benches) = (bench){0};
    for (size_t i = 0; i < f->benches.count; i++) f->benches.at[i].arena = f->benches.at[i].arena_used = 0;
    atomic_store(&w->taken, 0);
    atomic_store(&w->next_pack, 0);
    atomic_store(&w->packed, 0);
    return true;
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

/* Logs handed over by the streams: up to where there are jobs to do. */
static void work_begin(fst_file *f, uint64_t until, thread_pool *by)
{
    struct writer *w = f->writer;
    w->begun = w->is_last = false;
    if (f->state == OVER) return;
    uint64_t end = f->state == WAITING || f->to.holds ? fst_conditions(f, until) : until;
    if (f->state == WAITING) fst_log_skip(f, until > f->before ? until - f->before : 0);
    else if (!f->lost) w->begun = block_begin(f, end, by);
    w->is_last = f->state == RECORDING && end < until;
}

/* ... and when these are done. */
static void work_end(fst_file *f)
{
    if (f->writer->begun) fst_file_block(f);
    f->writer->begun = false;
    if (f->lost || f->writer->is_last) f->state = OVER;
    if (f->state == OVER) fst_log_skip(f, UINT64_MAX);
    tidy(f);
}

static void do_all(fst_file *f, thread_pool *by)
{
    if (!f->writer->begun) return;
    if (by) thread_pool_run(by, do_jobs, f);
    else do_jobs(f, 0);
}

static void give_thread(struct writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->busy = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

int fst_help(fst_file *f, unsigned thread)
{
    struct writer *w = f->writer;
    if (!atomic_load(&w->shared)) return 0;
    if (do_some(f, &f->benches.at[thread], SOME)) return 1;
    /* all is done: only one finds it still shared, and only one thread writes */
    if (all_done(f) && atomic_exchange(&w->shared, false)) give_thread(w);
    return 0;
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
        if (!w->begun) {
            work_begin(f, until, w->thread_pool);
            do_all(f, w->thread_pool);
        }
        work_end(f);
        pthread_mutex_lock(&w->lock);
        w->busy = false;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Changes packed together. */
static void make_sections(fst_file *f)
{
    size_t digits = 0;
    for (size_t i = 0; i < f->signals.count; digits += f->signals.at[i++].bits) {
        if (i % SECTION == 0) *list_add(&f->sections) = (section){.first = i, .digits = digits};
        f->sections.at[f->sections.count - 1].behind = i + 1;
    }
}

void fst_begin(fst_file *f, uint64_t time, unsigned threads)
{
    make_sections(f);
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
    w->alone = !threads || pthread_create(&w->thread, NULL, write_on, f);
    if (!w->alone && threads > 1) w->thread_pool = thread_pool_new(threads);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* With the lock: no thread works. */
static void wait_idle(struct writer *w)
{
    while (w->busy) pthread_cond_wait(&w->changed, &w->lock);
}

/* The block before, if there is one, is written when this returns. */
static void finish_block(fst_file *f, thread_pool *by)
{
    struct writer *w = f->writer;
    const bool unfinished = atomic_exchange(&w->shared, false);
    pthread_mutex_lock(&w->lock);
    wait_idle(w);
    pthread_mutex_unlock(&w->lock);
    if (!unfinished) return;
    do_all(f, by);
    work_end(f);
}

int fst_write(fst_file *f, uint64_t until, thread_pool *by)
{
    struct writer *w = f->writer;
    finish_block(f, by);
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
    if (w->alone || by) work_begin(f, until, by);
    if (by && w->begun && !w->alone) atomic_store(&w->shared, true);
    else if (w->alone || by) {
        do_all(f, by);
        work_end(f);
    } else {
        w->until = until;
        give_thread(w);
    }
    return over;
}

void fst_logs_end(fst_file *f, thread_pool *by)
{
    struct writer *w = f->writer;
    if (w) {
        fst_write(f, UINT64_MAX, by);
        finish_block(f, by);
        pthread_mutex_lock(&w->lock);
        w->quit = true;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        if (!w->alone) pthread_join(w->thread, NULL);
        thread_pool_free(w->thread_pool);
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
        fst_places_end(l);
        free(l);
    }
    for (size_t i = 0; i < f->benches.count; i++) {
        bench *b = &f->benches.at[i];
        for (size_t k = 0; k < b->arenas.count; k++) free(b->arenas.at[k]);
        list_free(&b->arenas);
        list_free(&b->body);
        list_free(&b->packed);
    }
    for (size_t i = 0; i < f->sections.count; i++) {
        list_free(&f->sections.at[i].changes);
        list_free(&f->sections.at[i].sizes);
    }
    for (size_t i = 0; i < f->watched.count; i++) free(f->watched.at[i].words);
    list_free(&f->logs);
    list_free(&f->benches);
    list_free(&f->sections);
    list_free(&f->watched);
    list_free(&f->seen);
    list_free(&f->times);
    list_free(&f->merged);
}
