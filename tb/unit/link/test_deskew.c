/*
 * link_deskew alone: links that carry the same frames, each by a way of its own length that changes by a word in idle.
 * Each word of a frame says which one it is, so a word in the wrong place is seen in its clock. Allowed reactions to
 * damage: leave out the frame that is damaged, or show no word; never show a word for another. faulty_link_deskew
 * breaks these rules one at a time.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "faulty_link_deskew.h"
#include "faulty_link_deskew4.h"
#include "sim/core/kernel/splitmix64.h"
#include "simulation.h"

enum { MOST_LINKS = 4, KEPT = 64, QUIET = 64, PAUSE = 100, BURST = 4, MOST_WORDS = 20, LATENCY = 4, PATIENCE = 8 };

/* Words of all links in one clock, as sent: a word of a frame, 0 its SOP; or idle. */
struct slot {
    unsigned frame, word; /* frame 0: idle */
    uint64_t gap;         /* idle: which one of those between frames */
};

/* How the links are: clocks of each, and chances in 1/1000. */
struct manner {
    unsigned way[MOST_LINKS];
    int moves, sops, gaps, errors; /* per gap between frames and link; per frame; per clock */
    int first_sop;                 /* per start: the SOP of its first frame is damaged on link 1 */
    int same_length;               /* frames are of 4 words, without a gap */
};

struct bench {
    sim *s;
    sim_clock *clk;
    faulty_link_deskew *m;
    const faulty_link_deskew_ports *p;
    unsigned links;
    struct manner how;
    /* sender */
    struct slot slot[KEPT]; /* of clock n at n % KEPT */
    uint64_t clock, gap;
    unsigned frames, word, idle, burst, ends; /* of the frame under way; idle words still to come */
    unsigned stop;                            /* no more frames */
    /* ways */
    unsigned lag[MOST_LINKS];
    uint64_t moved_in[MOST_LINKS]; /* gap */
    unsigned broken, broken_link;  /* frame whose SOP is damaged on a link */
    uint64_t sop_came;             /* clock in which the last link has shown the SOP of the first frame */
    /* frames that come out */
    unsigned in, at, delivered, last, called_bad, wrong_in_a_row, cut, reported, damaged;
    int good, bad, inside;
    uint64_t sop_out; /* clock of the first one */
    char wrong[200];
};

static int happens(struct bench *b, int chance) { return chance && (int)sim_random_below(b->s, 1000) < chance; }

static void __attribute__((format(printf, 2, 3))) complain(struct bench *b, const char *format, ...)
{
    va_list list;
    if (*b->wrong) return;
    va_start(list, format);
    int n = snprintf(b->wrong, sizeof b->wrong, "clock %llu: ", (unsigned long long)b->clock);
    vsnprintf(b->wrong + n, sizeof b->wrong - (size_t)n, format, list);
    va_end(list);
}

/* ---- sender ---- */

static unsigned length(const struct bench *b, unsigned frame)
{
    return b->how.same_length ? 4 : 2 + (unsigned)(splitmix64_mix(frame) % (MOST_WORDS - 1));
}

/* The first word behind the SOP says which frame it is. */
static uint32_t content(unsigned frame, unsigned word, unsigned link)
{
    return word == 1 ? frame << 4 | link : (uint32_t)splitmix64_mix((uint64_t)frame << 20 | word << 4 | link);
}

/* Links that are not aligned give no credit: then only some frames go, after a silence. */
static struct slot next_slot(struct bench *b)
{
    if (b->word && b->word <= length(b, b->frames)) return (struct slot){b->frames, b->word++, 0};
    if (b->word) {
        b->word = 0;
        b->gap++;
        b->idle = b->how.same_length || happens(b, 500) ? 0 : 1 + (unsigned)sim_random_below(b->s, 3);
        if (!*b->m->aligned && ++b->burst % BURST == 0) b->idle = PAUSE;
    }
    if (b->idle || b->stop) {
        b->idle -= b->idle > 0;
        return (struct slot){0, 0, b->gap};
    }
    b->frames++;
    b->word = 1;
    if (happens(b, b->how.sops) || (!*b->m->aligned && b->burst % BURST == 0 && happens(b, b->how.first_sop))) {
        b->broken = b->frames;
        b->broken_link = b->how.first_sop ? 1 : (unsigned)sim_random_below(b->s, b->links);
        b->damaged++;
    }
    return (struct slot){b->frames, 0, 0};
}

/* ---- ways ---- */

/* In a gap all links that move go the same way, against each other by one word: they show an idle word twice, or leave
 * one out. */
static void move(struct bench *b, unsigned l)
{
    const struct slot *now = &b->slot[(b->clock - b->lag[l]) % KEPT],
                      *before = &b->slot[(b->clock - b->lag[l] - 1) % KEPT];
    uint64_t gap = !now->frame ? now->gap : before->gap;
    int later = (int)(splitmix64_mix(gap) & 1), due = later ? now->frame && !before->frame : !now->frame;
    if (!gap || !due || b->moved_in[l] == gap) return;
    b->moved_in[l] = gap;
    if (!happens(b, b->how.moves)) return;
    if (later && b->lag[l] == b->how.way[l]) b->lag[l]++;
    else if (!later && b->lag[l] > b->how.way[l]) b->lag[l]--;
}

static void drive(void *self)
{
    struct bench *b = self;
    uint64_t valid = 0, sop = 0, k = 0, error = 0;
    b->clock++;
    b->slot[b->clock % KEPT] = next_slot(b);
    for (unsigned l = 0; l < b->links; l++) {
        move(b, l);
        const struct slot *w = &b->slot[(b->clock - b->lag[l]) % KEPT];
        uint32_t data = !w->frame ? 0xbcbcbcbc : !w->word ? 0xfb5aa55a : content(w->frame, w->word, l);
        int is_sop = w->frame && !w->word, broken = is_sop && w->frame == b->broken && l == b->broken_link;
        if (is_sop && w->frame == 1) b->sop_came = b->clock;
        if (happens(b, b->how.gaps)) { /* no data: they come a clock later, or are lost */
            b->lag[l] += b->lag[l] < b->how.way[l] + 3 && happens(b, 500);
            b->damaged++;
            sim_port_set_field(&b->p->lane_word, 32 * l, 32, sim_random(b->s));
            continue;
        }
        if (w->frame && w->word && happens(b, b->how.errors))
            data ^= 1u << sim_random_below(b->s, 32), error |= 1u << l, b->damaged++;
        valid |= 1u << l;
        if (is_sop && !broken) sop |= 1u << l;
        if (!w->frame || (is_sop && !broken)) k |= 1u << l;
        if (broken) data ^= 0x10000, error |= 1u << l;
        sim_port_set_field(&b->p->lane_word, 32 * l, 32, data);
    }
    sim_port_set(&b->p->lane_valid, valid);
    sim_port_set(&b->p->lane_sop, sop);
    sim_port_set(&b->p->lane_k, k);
    sim_port_set(&b->p->lane_error, error);
    *b->m->good = (uint8_t)b->good;
    *b->m->bad = (uint8_t)b->bad;
    b->good = b->bad = 0;
}

/* ---- the output, as a frame decoder sees it ---- */

/* The word of one link in a word of the bundle, whose byte i is byte i / links of link i mod links. */
static uint32_t of_link(const struct bench *b, unsigned link)
{
    uint32_t word = 0;
    for (unsigned j = 0; j < 4; j++)
        word = word << 8 | (uint32_t)sim_port_field(&b->p->word, 8 * (4 * b->links - 1 - b->links * j - link), 8);
    return word;
}

static void frame_ends(struct bench *b)
{
    if (b->inside && b->in && b->at <= length(b, b->in)) complain(b, "frame %u ends after %u words", b->in, b->at - 1);
    b->inside = 0;
}

static void sample(void *self)
{
    struct bench *b = self;
    faulty_link_deskew *m = b->m;
    if (*m->rst) return;
    b->reported += *m->ev_deskew;
    if (!*m->aligned) b->wrong_in_a_row = 0;
    if (!*m->word_valid || (b->inside && *m->word_error && !*m->word_k)) {
        b->cut += (unsigned)b->inside;
        b->inside = 0;
    } else if (*m->word_sop) {
        frame_ends(b);
        if (!b->sop_out) b->sop_out = b->clock;
        b->inside = b->at = 1;
        b->in = 0;
    } else if (*m->word_k) {
        frame_ends(b);
    } else if (b->inside) {
        unsigned wrong = 0, frame = of_link(b, 0) >> 4;
        if (b->at == 1) {
            for (unsigned l = 0; l < b->links; l++) wrong += of_link(b, l) != content(frame, 1, l);
            b->inside = b->good = !wrong;
            b->bad = wrong != 0;
            b->called_bad += wrong != 0;
            b->wrong_in_a_row = wrong ? b->wrong_in_a_row + 1 : 0;
            if (b->wrong_in_a_row > PATIENCE)
                complain(b, "%u frames in a row are wrong, and there is no new start", b->wrong_in_a_row);
            if (!wrong && (frame <= b->last || frame > b->frames)) complain(b, "frame %u after %u", frame, b->last);
            if (!wrong) b->in = b->last = frame;
        } else {
            for (unsigned l = 0; l < b->links && b->at <= length(b, b->in); l++)
                if (of_link(b, l) != content(b->in, b->at, l))
                    complain(b, "frame %u: word %u of link %u is wrong", b->in, b->at, l);
            if (b->at > length(b, b->in)) complain(b, "frame %u has more than its %u words", b->in, b->at - 1);
        }
        b->delivered += b->inside && b->at == length(b, b->in);
        b->at++;
    }
}

/* ---- making and running ---- */

static struct bench *bench_new(unsigned links)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    b->clk = make_clock(b->s, "clk", 12800, 0);
    sim_model *model =
        make_clocked(b->s, b->clk, links == 4 ? &faulty_link_deskew4_config : &faulty_link_deskew_config, "deskew");
    b->m = MODEL_AS(faulty_link_deskew, model, "lane_word lane_valid lane_sop lane_k lane_error word waits");
    b->p = PORTS_AS(faulty_link_deskew, model);
    b->links = links;
    *b->m->rst = 1;
    sim_clock_attach(b->clk, sample, drive, b);
    b->idle = ~0u;
    run_clocks(b->s, b->clk, 2 * KEPT);
    *b->m->rst = 0;
    return b;
}

/* Frames for this many clocks, and time for the last ones. */
static void run(struct bench *b, const struct manner *how, unsigned clocks, unsigned fault)
{
    b->how = *how;
    for (unsigned l = 0; l < b->links; l++) b->lag[l] = how->way[l];
    *b->m->fault = (uint8_t)fault;
    b->idle = 2 * QUIET;
    run_clocks(b->s, b->clk, clocks);
    b->how.sops = b->how.gaps = b->how.errors = b->how.first_sop = 0;
    b->stop = 1;
    run_clocks(b->s, b->clk, 4 * QUIET);
    b->stop = 0;
    unsigned before = b->delivered, sent = b->frames;
    run_clocks(b->s, b->clk, 4 * PAUSE + 600);
    b->stop = 1;
    run_clocks(b->s, b->clk, 4 * QUIET);
    if (b->delivered - before + BURST < b->frames - sent || b->delivered - before < BURST)
        complain(b, "%u frames were sent without damage, %u came out", b->frames - sent, b->delivered - before);
}

static void good(const struct bench *b) { ck_assert_str_eq(b->wrong, ""); }

TEST_CASE("deskew", .timeout = 120);

/* All links that are in the mask are late by 0 .. 8 words. */
TEST(words_of_links_with_any_skew_stand_side_by_side, .to = 2 * 9)
{
    unsigned links = _i % 2 ? 4 : 2, skew = (unsigned)_i / 2;
    for (unsigned late = 1; late < (1u << links) - 1; late++) {
        struct manner how = {.moves = late % 2 ? 300 : 0};
        for (unsigned l = 0; l < links; l++) how.way[l] = late >> l & 1 ? skew : 0;
        struct bench *b = bench_new(links);
        run(b, &how, 1500, 0);
        good(b);
        ck_assert_uint_eq(b->delivered, b->frames);
        ck_assert_uint_eq(b->reported + b->called_bad + b->cut, 0);
        ck_assert_uint_eq(b->sop_out - b->sop_came, LATENCY);
        for (unsigned l = 0; l < links; l++) {
            int waits = (int)sim_port_field(&b->p->waits, 4 * l, 4) - (int)sim_port_field(&b->p->waits, 0, 4);
            ck_assert_int_le(abs(waits - ((int)b->lag[0] - (int)b->lag[l])), how.moves != 0);
        }
        clean_up();
    }
}

TEST(more_skew_is_reported_and_no_word_is_shown, .from = 10, .to = 21)
{
    for (unsigned links = 2; links <= 4; links += 2)
        for (unsigned late = 0; late < links; late++) {
            struct bench *b = bench_new(links);
            struct manner how = {.same_length = 0};
            how.way[late] = (unsigned)_i;
            run(b, &how, 1500, 0);
            ck_assert_uint_eq(b->delivered, 0);
            ck_assert_uint_gt(b->reported, 5);
            for (unsigned l = 0; l < links; l++) /* by which the others are ahead, as far as four bits go */
                ck_assert_uint_eq(sim_port_field(&b->p->waits, 4 * l, 4), l == late ? 0 : _i < 15 ? _i : 15);
            clean_up();
        }
}

/* Manners with damage, and the fault that each must show. */
static const struct manner manners[] = {
    {{3, 0, 5, 1}, 200, 0, 3, 0, 0, 0}, /* S4's fault */
    {{3, 0, 5, 1}, 200, 0, 0, 0, 0, 0}, {{0, 2, 1, 0}, 0, 0, 0, 0, 0, 0},   {{1, 0, 8, 2}, 200, 50, 0, 0, 0, 0},
    {{0, 8, 0, 3}, 0, 0, 2, 0, 0, 0},   {{0, 1, 2, 2}, 0, 0, 1, 0, 700, 1}, {{4, 4, 0, 0}, 200, 0, 0, 5, 0, 0},
};

static void with_damage(struct bench *b, int i, unsigned fault)
{
    const struct manner *how = &manners[i];
    run(b, how, 20000, fault);
    if (how->gaps && b->reported < b->damaged / 20)
        complain(b, "links had no data %u times, %u are reported", b->damaged, b->reported);
    if (!how->gaps && !how->first_sop && b->delivered + (how->moves ? 2 : 1) * b->damaged < b->frames)
        complain(b, "%u frames of %u came out, %u were damaged", b->delivered, b->frames, b->damaged);
}

TEST(damage_costs_frames_and_never_shows_a_wrong_word, .to = 2 * COUNT(manners))
{
    struct bench *b = bench_new(_i % 2 ? 4 : 2);
    with_damage(b, _i / 2, 0);
    good(b);
    ck_assert_uint_gt(b->delivered, 20);
    if (_i / 2 != 1 && _i / 2 != 2) ck_assert_uint_gt(b->damaged, 10);
}

TEST(checker_sees_each_fault, .to = 2 * COUNT(manners))
{
    struct bench *b = bench_new(_i % 2 ? 4 : 2);
    with_damage(b, _i / 2, (unsigned)_i / 2 + 1);
    ck_assert_str_ne(b->wrong, "");
}
