/* Line buffers and their pieces. See write_combining.h. */
#include "sim/model/host/write_combining.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 8, HALF = 4, PIECES = WC_LINE / HALF };

struct line {
    enum { FREE, FILLING, LEAVING } state;
    uint64_t address;
    uint64_t valid; /* bit per byte */
    uint64_t age;   /* number of the store that took it */
    uint64_t turn;  /* LEAVING: lines leave in this order */
    uint8_t data[WC_LINE];
    /* LEAVING: [from, to) of each piece */
    uint8_t from[PIECES], to[PIECES];
    unsigned pieces, next;
};

struct write_combining {
    write_combining_params p;
    uint64_t (*random)(void *, uint64_t);
    void *arg;
    struct line line[WC_BUFFERS];
    uint64_t turn;
    unsigned filling, leaving, wait;
    uint8_t order[WC_ORDER];
    int order_count;
    wc_piece piece;
    bool have_piece;
    wc_stats stats;
};

write_combining_params write_combining_quiet(void)
{
    return (write_combining_params){
        .buffers = 6, .flush_on_uncached = true, .flush_on_interrupt = true, .order = WC_ASCENDING};
}

write_combining_params write_combining_wild(void)
{
    return (write_combining_params){
        .buffers = 6, .evict = 20, .order = WC_SHUFFLED, .split = 200, .gap = 40, .pause = 6};
}

const char *write_combining_check(const write_combining_params *p)
{
    if (p->buffers < 1 || p->buffers > WC_BUFFERS) return "write-combining buffers must be 1..16";
    if (p->order < WC_ASCENDING || p->order > WC_SHUFFLED)
        return "order of write-combining pieces must be an enum wc_order";
    if (p->evict > 1000 || p->split > 1000) return "chances of write combining are in 1/1000: 0..1000";
    return NULL;
}

write_combining *write_combining_new(const write_combining_params *p, uint64_t (*random)(void *arg, uint64_t n),
                                     void *arg)
{
    write_combining *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->p = *p;
    w->random = random;
    w->arg = arg;
    return w;
}

void write_combining_free(write_combining *w) { free(w); }

void write_combining_set_params(write_combining *w, const write_combining_params *p) { w->p = *p; }

void write_combining_set_order(write_combining *w, const uint8_t *order, int count)
{
    w->order_count = count < 0 ? 0 : count > WC_ORDER ? WC_ORDER : count;
    if (w->order_count) memcpy(w->order, order, (size_t)w->order_count);
}

/* ---- how a line leaves */

static unsigned chance(write_combining *w, unsigned permille) { return permille && w->random(w->arg, 1000) < permille; }

/* A piece from..to - 1, without unstored bytes at its ends; nothing if none of it was. */
static void add_piece(struct line *l, unsigned from, unsigned to)
{
    while (from < to && !(l->valid >> from & 1)) from++;
    while (from < to && !(l->valid >> (to - 1) & 1)) to--;
    if (from == to) return;
    l->from[l->pieces] = (uint8_t)from;
    l->to[l->pieces++] = (uint8_t)to;
}

static void cut_by_hand(const write_combining *w, struct line *l)
{
    unsigned named = 0;
    for (int i = 0; i < w->order_count;) {
        unsigned first = w->order[i++], next = first + 1;
        if (first > 7 || named >> first & 1) continue;
        while (i < w->order_count && w->order[i] == next && next < 8 && !(named >> next & 1)) {
            next++;
            i++;
        }
        for (unsigned k = first; k < next; k++) named |= 1u << k;
        add_piece(l, CHUNK * first, CHUNK * next);
    }
    for (unsigned k = 0; k < 8; k++)
        if (!(named >> k & 1)) add_piece(l, CHUNK * k, CHUNK * k + CHUNK);
}

/* May a piece go on at this multiple of 4 bytes? */
static bool goes_on(const write_combining *w, const struct line *l, unsigned at)
{
    bool both_sides = (l->valid >> (at - 1) & 3) == 3;
    return l->valid == UINT64_MAX || at % CHUNK || (w->p.bursts && both_sides);
}

static void cut_by_params(write_combining *w, struct line *l)
{
    unsigned from = 0;
    for (unsigned to = HALF; to <= WC_LINE; to += HALF) {
        if (to != WC_LINE && !chance(w, w->p.split) && goes_on(w, l, to)) continue;
        add_piece(l, from, to);
        from = to;
    }
    for (unsigned i = 0; i < l->pieces; i++) {
        unsigned k = i;
        if (w->p.order == WC_DESCENDING) k = l->pieces - 1 - i;
        if (w->p.order == WC_SHUFFLED) k = i + (unsigned)w->random(w->arg, l->pieces - i);
        if (w->p.order == WC_DESCENDING && k <= i) break;
        uint8_t f = l->from[i], t = l->to[i];
        l->from[i] = l->from[k];
        l->to[i] = l->to[k];
        l->from[k] = f;
        l->to[k] = t;
    }
}

static void leave(write_combining *w, struct line *l, enum wc_reason reason)
{
    uint64_t *const counts[] = {&w->stats.by_full,     &w->stats.by_oldest,    &w->stats.by_fence,
                                &w->stats.by_uncached, &w->stats.by_interrupt, &w->stats.by_chance};
    ++*counts[reason];
    if (l->valid == UINT64_MAX) w->stats.full_lines++;
    else w->stats.partial_lines++;
    l->state = LEAVING;
    l->turn = w->turn++;
    l->pieces = l->next = 0;
    w->filling--;
    w->leaving++;
    if (w->order_count) cut_by_hand(w, l);
    else cut_by_params(w, l);
}

static struct line *oldest(write_combining *w)
{
    struct line *found = NULL;
    for (unsigned i = 0; i < WC_BUFFERS; i++)
        if (w->line[i].state == FILLING && (!found || w->line[i].age < found->age)) found = &w->line[i];
    return found;
}

/* The nth line that is being filled. */
static struct line *any(write_combining *w, unsigned n)
{
    for (unsigned i = 0; i < WC_BUFFERS; i++)
        if (w->line[i].state == FILLING && !n--) return &w->line[i];
    return NULL;
}

/* ---- from the processor */

static struct line *find(write_combining *w, uint64_t address)
{
    for (unsigned i = 0; i < WC_BUFFERS; i++)
        if (w->line[i].state == FILLING && w->line[i].address == address) return &w->line[i];
    if (w->filling + w->leaving < w->p.buffers)
        for (unsigned i = 0; i < WC_BUFFERS; i++)
            if (w->line[i].state == FREE) {
                w->line[i] = (struct line){.state = FILLING, .address = address, .age = w->stats.stores};
                w->filling++;
                return &w->line[i];
            }
    return NULL;
}

bool write_combining_store(write_combining *w, uint64_t address, const void *data, size_t size)
{
    unsigned offset = (unsigned)(address % WC_LINE);
    struct line *l = find(w, address - offset);
    if (!l) {
        if (!w->leaving) leave(w, oldest(w), WC_OLDEST);
        return false;
    }
    memcpy(l->data + offset, data, size);
    l->valid |= (size == WC_LINE ? UINT64_MAX : (UINT64_C(1) << size) - 1) << offset;
    w->stats.stores++;
    if (l->valid == UINT64_MAX) leave(w, l, WC_FULL);
    return true;
}

void write_combining_clear(write_combining *w)
{
    memset(w->line, 0, sizeof w->line);
    w->filling = w->leaving = w->wait = 0;
    w->have_piece = false;
}

void write_combining_flush(write_combining *w, enum wc_reason reason)
{
    while (w->filling) {
        struct line *l = w->p.order == WC_SHUFFLED ? any(w, (unsigned)w->random(w->arg, w->filling)) : oldest(w);
        leave(w, l, reason);
    }
}

bool write_combining_empty(const write_combining *w) { return !w->filling && !w->leaving; }

bool write_combining_idle(const write_combining *w) { return !(w->leaving | w->wait) && !(w->filling && w->p.evict); }

/* ---- to the bus */

void write_combining_clock(write_combining *w)
{
    if (w->wait) w->wait--;
    if (w->filling && chance(w, w->p.evict)) leave(w, any(w, (unsigned)w->random(w->arg, w->filling)), WC_CHANCE);
}

static struct line *first_leaving(write_combining *w)
{
    struct line *found = NULL;
    for (unsigned i = 0; i < WC_BUFFERS; i++)
        if (w->line[i].state == LEAVING && (!found || w->line[i].turn < found->turn)) found = &w->line[i];
    return found;
}

const wc_piece *write_combining_next(write_combining *w)
{
    if (!w->leaving || w->wait) return NULL;
    if (w->have_piece) return &w->piece;
    const struct line *l = first_leaving(w);
    unsigned from = l->from[l->next], size = l->to[l->next] - from;
    wc_piece *p = &w->piece;
    p->address = l->address + from;
    p->size = size;
    p->combined = size > CHUNK;
    p->masked = false;
    memcpy(p->data, l->data + from, size);
    for (unsigned i = 0; i < size; i++) {
        p->lanes[i] = l->valid >> (from + i) & 1;
        p->masked |= !p->lanes[i];
    }
    w->have_piece = true;
    return p;
}

void write_combining_sent(write_combining *w)
{
    struct line *l = first_leaving(w);
    w->have_piece = false;
    w->stats.pieces++;
    if (++l->next == l->pieces) {
        l->state = FREE;
        w->leaving--;
    }
    if (w->p.gap && !w->order_count) w->wait = (unsigned)w->random(w->arg, w->p.gap + 1);
}

const wc_stats *write_combining_get_stats(const write_combining *w) { return &w->stats; }
