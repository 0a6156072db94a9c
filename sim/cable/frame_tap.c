/* Damage to frames; the manual is in the header. */
#include "frame_tap.h"

#include <stdlib.h>
#include <string.h>

enum { DELAY = 5, LEAST = 3 /* SOP, credits and half a header are in the line together */, MOST = 32 };

struct word {
    uint32_t data;
    uint8_t k;
};

struct entry {
    int kinds;
    frame_choice choice;
    frame_damage damage;
    void *arg;
};

struct direction {
    struct word line[MOST];
    unsigned filled, nominal;
    int again; /* the first word of the line has been sent once */
    frame_word now;
    struct entry armed, added[FRAME_TAP_ENTRIES];
    unsigned entries;
    const struct entry *damaging; /* the frame under way */
    unsigned skip, count, done;   /* of `armed` */
};

struct frame_tap {
    cable *wire;
    struct direction d[2];
};

static int armed_choice(struct direction *d)
{
    if (!d->count) return 0;
    if (d->skip) {
        d->skip--;
        return 0;
    }
    d->count--;
    d->done++;
    return 1;
}

/* The SOP of a frame leaves the line; what follows it is there. */
static void classify(struct direction *d)
{
    const struct word *next = &d->line[1];
    d->now.index = 0;
    d->now.has_credit = !next[0].k && frame_is_credit(next[0].data);
    d->now.header = d->now.has_credit ? 2 : 1;
    const struct word *high = &next[d->now.header - 1];
    unsigned length = frame_length(high->data);
    d->now.kind = high->k ? FRAME_CREDIT : length ? FRAME_DATA : FRAME_RECORD;
    d->now.words = high->k ? 2 : d->now.header + 3 + (length ? 2 * length + 1 : 0);
    d->damaging = NULL;
    if (d->now.kind & d->armed.kinds && armed_choice(d)) d->damaging = &d->armed;
    for (unsigned i = 0; i < d->entries && !d->damaging; i++) {
        const struct entry *e = &d->added[i];
        if (e->choice && d->now.kind & e->kinds && e->choice(e->arg, &d->now)) d->damaging = e;
    }
}

static void shift(struct direction *d)
{
    memmove(d->line, d->line + 1, --d->filled * sizeof d->line[0]);
}

static void tap(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    frame_tap *t = self;
    struct direction *d = &t->d[from];
    (void)word_index;
    /* the delay does not begin inside a frame */
    if (!d->nominal && !frame_is_idle(*data, *k) && !frame_is_sop(*data, *k)) return;
    d->line[d->filled++] = (struct word){*data, *k};
    if (d->nominal < DELAY) { /* the line fills */
        d->nominal++;
        frame_put_idle(data, k);
        return;
    }
    do {
        /* idle words are put in or taken out until the delay is as it was */
        while (d->filled > DELAY + 1 && frame_is_idle(d->line[0].data, d->line[0].k)) shift(d);
        *data = d->line[0].data;
        *k = d->line[0].k;
        if (d->filled <= DELAY && frame_is_idle(*data, *k)) return;
        if (d->again) {
            d->again = 0;
            shift(d);
            return;
        }
        d->now.index++;
        d->now.drop = d->now.repeat = 0;
        d->now.may_drop = d->filled > LEAST;
        d->now.may_repeat = d->filled < MOST - 1;
        d->now.from = from;
        d->now.data = data;
        d->now.k = k;
        d->now.flip = flip;
        if (frame_is_sop(*data, *k)) classify(d);
        if (d->damaging) d->damaging->damage(d->damaging->arg, &d->now);
        for (unsigned i = 0; i < d->entries && !d->now.drop && !d->now.repeat; i++)
            if (!d->added[i].choice) d->added[i].damage(d->added[i].arg, &d->now);
        if (d->now.repeat) {
            d->line[0] = (struct word){*data, *k};
            d->again = 1;
        } else {
            shift(d);
        }
    } while (d->now.drop);
}

frame_tap *frame_tap_new(cable *wire)
{
    frame_tap *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->wire = wire;
    cable_set_tap(wire, tap, t);
    return t;
}

void frame_tap_free(frame_tap *t)
{
    if (!t) return;
    cable_set_tap(t->wire, NULL, NULL);
    free(t);
}

void frame_tap_arm(frame_tap *t, int from, int kinds, unsigned skip, unsigned count, frame_damage damage, void *arg)
{
    struct direction *d = &t->d[from];
    d->armed = (struct entry){kinds, NULL, damage, arg};
    d->skip = skip;
    d->count = count;
    d->done = 0;
    if (d->damaging == &d->armed) d->damaging = NULL;
}

unsigned frame_tap_done(const frame_tap *t, int from)
{
    return t->d[from].done;
}

int frame_tap_finished(const frame_tap *t, int from)
{
    const struct direction *d = &t->d[from];
    return !d->count && !(d->damaging == &d->armed && d->now.index < d->now.words);
}

int frame_tap_add(frame_tap *t, int from, int kinds, frame_choice choice, frame_damage damage, void *arg)
{
    struct direction *d = &t->d[from];
    if (d->entries == FRAME_TAP_ENTRIES) return -1;
    d->added[d->entries++] = (struct entry){kinds, choice, damage, arg};
    return 0;
}

/* ---- damage */

static void idle(frame_word *w)
{
    frame_put_idle(w->data, w->k);
}

void frame_lose(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index < w->words) idle(w);
}

void frame_lose_sop(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index == 0) idle(w);
}

/* Within a data frame the SOP moves to the credit word's place: the frame looks as if it had never had one. */
void frame_lose_credit(void *arg, frame_word *w)
{
    if (w->kind == FRAME_CREDIT) {
        frame_lose(arg, w);
    } else if (w->has_credit && w->index == 0) {
        idle(w);
    } else if (w->has_credit && w->index == 1) {
        *w->data = FRAME_SOP_DATA;
        *w->k = FRAME_SOP_K;
    }
}

void frame_bad_header_crc(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index == w->header + 2) *w->data ^= 0x0100;
}

void frame_bad_header(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index == w->header) *w->data ^= 2;
}

void frame_bad_body_crc(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index == w->words - 1) *w->data ^= 0x80000000;
}

void frame_bad_body(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index == w->header + 3) *w->data ^= 0x10;
}

void frame_truncate(void *arg, frame_word *w)
{
    if (w->index >= w->header + 3 + *(unsigned *)arg && w->index < w->words) idle(w);
}

void frame_surplus(void *arg, frame_word *w)
{
    if (w->index >= w->words && w->index < w->words + *(unsigned *)arg) {
        *w->data = 0x01234567 * w->index;
        *w->k = 0;
    }
}

void frame_credit_parity(void *arg, frame_word *w)
{
    if (w->has_credit && w->index == 1) *w->data ^= (*(unsigned *)arg & 1 ? 0x00010000u : 0) | (*(unsigned *)arg & 2 ? 1u : 0);
}

void frame_code_error(void *arg, frame_word *w)
{
    if (w->index == *(unsigned *)arg) *w->flip ^= (uint64_t)1 << 17;
}
