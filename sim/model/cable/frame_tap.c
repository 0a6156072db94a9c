/* Damage to frames; the manual is in the header. */
#include "sim/model/cable/frame_tap.h"

#include <stdlib.h>
#include <string.h>

enum { DELAY = 5, LEAST = 3 /* SOP, credits and half a header are in the line together */, MOST = 32 };

/* State of a link in a clock; of links by byte on all of them. */
struct word {
    uint32_t data[CABLE_LINKS];
    uint8_t k[CABLE_LINKS];
};

struct entry {
    int kinds;
    frame_choice choice;
    frame_damage damage;
    void *arg;
};

struct direction {
    unsigned links;   /* by byte, else 1 */
    unsigned lane_of; /* one of so many by byte, else 0 */
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
    struct direction d[2][CABLE_LINKS];
    struct direction lane[2][CABLE_LINKS]; /* each link by itself, behind all together */
    int lanes[2];                          /* that is looked at */
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

/* Words of the frame in the line behind the first one. */
static unsigned ahead(const struct direction *d)
{
    unsigned n = 0;
    while (n + 1 < d->filled && !d->line[n + 1].k[0]) n++;
    return n;
}

/* The SOP of a frame leaves the line; what follows it is there. */
static void classify(struct direction *d)
{
    if (d->lane_of) {
        unsigned words = ahead(d);
        d->now.index = 0;
        d->now.has_credit = 0;
        d->now.header = 1;
        d->now.kind = words > 3 - d->lane_of / 2 ? FRAME_DATA : words == 2 ? FRAME_RECORD : FRAME_CREDIT;
        return;
    }
    const struct word *next = &d->line[1];
    uint32_t w[CABLE_LINKS] = {next->data[0]};
    d->now.index = 0;
    if (d->links > 1) frame_of_links(w, next->data, d->links);
    d->now.has_credit = !next->k[0] && frame_is_credit(w[0]);
    d->now.header = d->now.has_credit ? 2 : 1;
    if (d->now.has_credit) next++;
    w[0] = next->data[0];
    if (d->links > 1) frame_of_links(w, next->data, d->links);
    unsigned length = frame_length(w[0]);
    d->now.kind = next->k[0] ? FRAME_CREDIT : length ? FRAME_DATA : FRAME_RECORD;
    d->now.words = next->k[0] ? 2 : d->now.header + 3 + (length ? 2 * length + 1 : 0);
    d->damaging = NULL;
    if (d->now.kind & d->armed.kinds && armed_choice(d)) d->damaging = &d->armed;
    for (unsigned i = 0; i < d->entries && !d->damaging; i++) {
        const struct entry *e = &d->added[i];
        if (e->choice && d->now.kind & e->kinds && e->choice(e->arg, &d->now)) d->damaging = e;
    }
}

static void shift(struct direction *d) { memmove(d->line, d->line + 1, --d->filled * sizeof d->line[0]); }

static int is_idle(const struct word *w) { return frame_is_idle(w->data[0], w->k[0]); }

/* A word of the frame, and who wants to damage it. */
static void one_word(struct direction *d, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    d->now.index++;
    d->now.data = data;
    d->now.k = k;
    d->now.flip = flip;
    if (frame_is_sop(*data, *k)) classify(d);
    if (d->lane_of && !*k) d->now.words = d->now.index + 1 + ahead(d);
    if (d->damaging) d->damaging->damage(d->damaging->arg, &d->now);
    for (unsigned i = 0; i < d->entries && !d->now.drop && !d->now.repeat; i++)
        if (!d->added[i].choice) d->added[i].damage(d->added[i].arg, &d->now);
}

/* A clock in which all links say the same: SOP, idle. */
static void same_words(struct direction *d, struct word *w, uint64_t *flip)
{
    one_word(d, &w->data[0], &w->k[0], &flip[0]);
    for (unsigned l = 1; l < d->links; l++) {
        w->data[l] = w->data[0];
        w->k[l] = w->k[0];
    }
}

/* As frame_of_links, and back: byte i is byte i / links of link i mod links. Each byte is `bits` wide. */
static void deal(const uint64_t *words, uint64_t *of_link, unsigned links, unsigned bits)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (unsigned l = 0; l < links; l++) of_link[l] = 0;
    for (unsigned i = 0; i < 4 * links; i++)
        of_link[i % links] |= (words[i / 4] >> bits * (3 - i % 4) & mask) << bits * (3 - i / links);
}

/* A clock of links by byte that is none of these. The credit word is there once for each link; words behind the frame's
 * end go with its last word. */
static void dealt_words(struct direction *d, struct word *w, uint64_t *flip)
{
    int credit = d->now.has_credit && !d->now.index;
    uint32_t data[CABLE_LINKS];
    uint64_t words[CABLE_LINKS], flips[CABLE_LINKS] = {0}, ks[CABLE_LINKS], out[CABLE_LINKS];
    uint8_t k[CABLE_LINKS] = {0};
    frame_of_links(data, w->data, d->links);
    for (unsigned i = 0; i < d->links; i++) {
        if (!credit || !i) one_word(d, &data[i], &k[i], &flips[i]);
        else data[i] = data[0];
        if (i && d->now.index >= d->now.words && k[i - 1]) frame_put_idle(&data[i], &k[i]);
        words[i] = data[i];
        ks[i] = k[i];
    }
    deal(words, out, d->links, 8);
    for (unsigned l = 0; l < d->links; l++) w->data[l] = credit && k[0] ? data[0] : (uint32_t)out[l];
    deal(ks, out, d->links, 1);
    for (unsigned l = 0; l < d->links; l++) w->k[l] = credit && k[0] ? k[0] : (uint8_t)out[l];
    deal(flips, out, d->links, 10);
    for (unsigned l = 0; l < d->links; l++) flip[l] ^= out[l];
}

static void tap_link(struct direction *d, int from, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct word *first = &d->line[0];
    size_t bytes = d->links * sizeof *data;
    /* the delay does not begin inside a frame */
    if (!d->nominal && !frame_is_idle(*data, *k) && !frame_is_sop(*data, *k)) return;
    memcpy(d->line[d->filled].data, data, bytes);
    memcpy(d->line[d->filled++].k, k, d->links);
    if (d->nominal < DELAY) { /* the line fills */
        d->nominal++;
        for (unsigned l = 0; l < d->links; l++) frame_put_idle(&data[l], &k[l]);
        return;
    }
    do {
        /* idle words are put in or taken out until the delay is as it was */
        while (d->filled > DELAY + 1 && is_idle(first)) shift(d);
        struct word w = *first;
        if (!(d->filled <= DELAY && is_idle(first)) && !d->again) {
            d->now.drop = d->now.repeat = 0;
            d->now.may_drop = d->filled > LEAST;
            d->now.may_repeat = d->filled < MOST - 1;
            d->now.from = from;
            if (d->links == 1 || w.k[0] || !d->now.words) same_words(d, &w, flip);
            else dealt_words(d, &w, flip);
        }
        memcpy(data, w.data, bytes);
        memcpy(k, w.k, d->links);
        if (d->filled <= DELAY && is_idle(first)) return;
        if (d->again) {
            d->again = 0;
            shift(d);
            return;
        }
        if (d->now.repeat) {
            *first = w;
            d->again = 1;
        } else {
            shift(d);
        }
    } while (d->now.drop);
}

static void tap(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    frame_tap *t = self;
    unsigned links = cable_links(t->wire);
    (void)word_index;
    for (unsigned l = 0; l < links; l += t->d[from][l].links) tap_link(&t->d[from][l], from, &data[l], &k[l], &flip[l]);
    for (unsigned l = 0; l < links && t->lanes[from]; l++) tap_link(&t->lane[from][l], from, &data[l], &k[l], &flip[l]);
}

frame_tap *frame_tap_new(cable *wire)
{
    frame_tap *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->wire = wire;
    for (unsigned i = 0; i < 2 * CABLE_LINKS; i++)
        t->d[i & 1][i / 2].links = cable_by_byte(wire) ? cable_links(wire) : 1;
    for (unsigned i = 0; i < 2 * CABLE_LINKS; i++)
        t->lane[i & 1][i / 2] = (struct direction){.links = 1, .lane_of = cable_links(wire)};
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
    struct direction *d = &t->d[from][0];
    d->armed = (struct entry){kinds, NULL, damage, arg};
    d->skip = skip;
    d->count = count;
    d->done = 0;
    if (d->damaging == &d->armed) d->damaging = NULL;
}

unsigned frame_tap_done(const frame_tap *t, int from) { return t->d[from][0].done; }

int frame_tap_finished(const frame_tap *t, int from)
{
    const struct direction *d = &t->d[from][0];
    return !d->count && !(d->damaging == &d->armed && d->now.index < d->now.words);
}

int frame_tap_add(frame_tap *t, int from, unsigned link, int kinds, frame_choice choice, frame_damage damage, void *arg)
{
    struct direction *d = &t->d[from][link];
    if (d->entries == FRAME_TAP_ENTRIES) return -1;
    d->added[d->entries++] = (struct entry){kinds, choice, damage, arg};
    return 0;
}

int frame_tap_add_lane(frame_tap *t, int from, unsigned link, frame_damage damage, void *arg)
{
    struct direction *d = &t->lane[from][link];
    if (d->entries == FRAME_TAP_ENTRIES) return -1;
    d->added[d->entries++] = (struct entry){FRAME_ANY, NULL, damage, arg};
    t->lanes[from] = 1;
    return 0;
}

/* ---- damage */

static void idle(frame_word *w) { frame_put_idle(w->data, w->k); }

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
    if (w->has_credit && w->index == 1)
        *w->data ^= (*(unsigned *)arg & 1 ? 0x00010000u : 0) | (*(unsigned *)arg & 2 ? 1u : 0);
}

void frame_code_error(void *arg, frame_word *w)
{
    if (w->index == *(unsigned *)arg) *w->flip ^= (uint64_t)1 << 17;
}
