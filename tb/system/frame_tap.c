#include "frame_tap.h"

#include <stdlib.h>

enum { DELAY = 5 };
static const uint32_t SOP_WORD = 0xfb5aa55a, IDLE_WORD = 0xbcbcbcbc;

struct direction {
    uint32_t data[DELAY];
    uint8_t k[DELAY];
    unsigned filled;
    frame_word now;
    int inside, damaging;
    int kinds;
    unsigned skip, count, done;
    frame_damage damage;
    void *arg;
};

struct frame_tap {
    cable *wire;
    struct direction d[2];
};

static int is_sop(uint32_t data, uint8_t k)
{
    return data == SOP_WORD && k == 8;
}

/* The SOP of a frame leaves the delay line; the words behind it are in the line already, `next` is the newest. */
static void classify(struct direction *d, uint32_t next, uint8_t next_k)
{
    uint32_t data[DELAY];
    uint8_t k[DELAY];
    for (unsigned i = 0; i + 1 < DELAY; i++) {
        data[i] = d->data[i + 1];
        k[i] = d->k[i + 1];
    }
    data[DELAY - 1] = next;
    k[DELAY - 1] = next_k;
    d->now.has_credit = !k[0] && data[0] >> 31;
    d->now.header = d->now.has_credit ? 2 : 1;
    unsigned at = d->now.header - 1;
    if (k[at]) {
        d->now.kind = FRAME_CREDIT;
        d->now.words = 2;
        return;
    }
    unsigned length = data[at] & 0x3ff;
    d->now.kind = length ? FRAME_DATA : FRAME_RECORD;
    d->now.words = d->now.header + 3 + (length ? 2 * length + 1 : 0);
}

static void tap(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    frame_tap *t = self;
    struct direction *d = &t->d[from];
    uint32_t in = *data, out = IDLE_WORD;
    uint8_t in_k = *k, out_k = 15;
    (void)word_index;
    if (d->filled == DELAY) {
        out = d->data[0];
        out_k = d->k[0];
        d->now.index++;
        if (is_sop(out, out_k)) {
            d->now.index = 0;
            classify(d, in, in_k);
            d->damaging = d->count && d->now.kind & d->kinds && !d->skip;
            if (d->damaging) {
                d->count--;
                d->done++;
            } else if (d->count && d->now.kind & d->kinds) {
                d->skip--;
            }
        }
        for (unsigned i = 0; i + 1 < DELAY; i++) {
            d->data[i] = d->data[i + 1];
            d->k[i] = d->k[i + 1];
        }
        d->data[DELAY - 1] = in;
        d->k[DELAY - 1] = in_k;
    } else {
        d->data[d->filled] = in;
        d->k[d->filled++] = in_k;
    }
    *data = out;
    *k = out_k;
    if (d->damaging) {
        d->now.from = from;
        d->now.data = data;
        d->now.k = k;
        d->now.flip = flip;
        d->damage(d->arg, &d->now);
    }
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
    d->kinds = kinds;
    d->skip = skip;
    d->count = count;
    d->done = 0;
    d->damage = damage;
    d->arg = arg;
    d->damaging = 0;
}

unsigned frame_tap_done(const frame_tap *t, int from)
{
    return t->d[from].done;
}

int frame_tap_finished(const frame_tap *t, int from)
{
    const struct direction *d = &t->d[from];
    return !d->count && !(d->damaging && d->now.index < d->now.words);
}

/* ---- damage */

static void idle(frame_word *w)
{
    *w->data = IDLE_WORD;
    *w->k = 15;
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
        *w->data = SOP_WORD;
        *w->k = 8;
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
