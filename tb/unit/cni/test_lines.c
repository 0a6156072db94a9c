/* cni_lines: words of three clients become lines; each request is the one expected, in the order in which the lines
 * were closed, with the words and the mask that were put in. And each of its faulty copies is found. */
#include "faulty_cni_lines.h"
#include "simulation.h"
#include "test.h"

#include <string.h>

enum { PLACES = 64, FAULTS = 10 };

typedef struct expected_line {
    unsigned line, mask, mode; /* mode: {cache, mode[1:0]} */
    uint64_t data[4];
} expected_line;

typedef struct word {
    unsigned address, last, keep, start, queue; /* queue 16: none */
    uint64_t data;
} word;

static struct {
    sim *s;
    sim_clock *clk;
    faulty_cni_lines *m;
    word to_come[3][256]; /* of the clients */
    unsigned put[3], got[3];
    expected_line open, kept, lines[PLACES];
    unsigned is_open, opener, line_put, line_got;
    uint64_t uncached[512];
    unsigned fences, fence_at[2], asked[2]; /* lines closed before the fence that waits */
    unsigned clock, moving, first, last;    /* of the request that moves */
    int wrong;
} t;

static const struct {
    unsigned base, last, mode;
} windows[2] = {{0x100, 0x17f, 1}, {0x140, 0x1ff, 6}};
enum { OTHER = 4, QUEUE_MODES = 0xa }; /* other: memory; queue 0: use it, allocate in 0; queue 1: none of its own */

static unsigned mode_of(unsigned line, unsigned queue)
{
    if (queue == 0) return QUEUE_MODES & 7;
    for (int i = 0; i < 2; i++)
        if (line >= windows[i].base && line <= windows[i].last) return windows[i].mode;
    return OTHER;
}

static void close_line(const expected_line *l) { t.lines[t.line_put++ % PLACES] = *l; }

/* A word that is taken. */
static void account(unsigned client, const word *w)
{
    if (t.is_open && client != t.opener) t.wrong = __LINE__;
    t.opener = client;
    unsigned line = w->address / 4, at = w->address % 4, mode = mode_of(line, w->queue);
    if ((mode & 3) == 3) {
        t.uncached[w->address % 512] = w->data;
        return;
    }
    int kept = w->keep && (mode & 3) == 0;
    expected_line *l = kept ? &t.kept : &t.open;
    if (kept ? w->start : !t.is_open) l->mask = 0;
    l->line = line;
    l->mode = mode;
    l->mask |= 1u << at;
    l->data[at] = w->data;
    if (kept) {
        if (at == 0) close_line(l);
    } else {
        t.is_open = !(w->last || at == 3);
        if (!t.is_open) close_line(l);
    }
}

static void sample(void *self)
{
    (void)self;
    faulty_cni_lines *m = t.m;
    for (unsigned c = 0; c < 3; c++)
        if ((*m->word_valid >> c & 1) && (*m->word_ready >> c & 1)) {
            account(c, &t.to_come[c][t.got[c]++ % 256]);
        }
    for (unsigned k = 0; k < 2; k++)
        if (*m->fence >> k & 1) t.asked[k] = 1, t.fence_at[k] = t.line_put;
    for (unsigned k = 0; k < 2; k++)
        if (*m->fence_done >> k & 1) {
            if (!t.asked[k] || t.line_got - (t.moving != 0) < t.fence_at[k]) t.wrong = __LINE__;
            t.asked[k] = 0;
            t.fences++;
        }
    expected_line *l = &t.lines[(t.line_got - 1) % PLACES];
    if (t.moving && t.clock >= 5 && t.clock - 5 <= t.last) {
        unsigned at = (t.first + t.clock - 5) % 4;
        if (*m->out_mask != ((l->mask >> at & 1) ? 0xff : 0) || ((l->mask >> at & 1) && *m->out_data != l->data[at]))
            t.wrong = __LINE__;
    }
}

static void drive(void *self)
{
    (void)self;
    faulty_cni_lines *m = t.m;
    *m->req_taken = *m->snoop_done = *m->out_take = 0;
    if (t.moving == 2) t.moving = 0;
    if (t.moving) {
        t.clock++;
        if (t.clock >= 4 && t.clock - 4 <= t.last) {
            *m->out_take = 1;
            *m->out_word = (uint8_t)((t.first + t.clock - 4) % 4);
        }
        if (t.clock == 5 + t.last) {
            *m->snoop_done = 1;
            t.moving = 2;
        }
    } else if (*m->req_valid && !sim_random_below(t.s, 3)) {
        expected_line *l = &t.lines[t.line_got % PLACES];
        unsigned first = (unsigned)__builtin_ctz(l->mask | 16), last = 31u - (unsigned)__builtin_clz(l->mask | 1);
        if (t.line_got == t.line_put || *m->req_line != l->line || *m->req_invalidate != ((l->mode & 3) == 0) ||
            *m->req_allocate != ((l->mode & 3) == 2) || ((l->mode & 3) == 2 && *m->req_cache != l->mode >> 2) ||
            *m->req_full != (l->mask == 15) || *m->req_word != first || *m->req_last != last - first)
            t.wrong = __LINE__;
        t.line_got++;
        *m->req_taken = 1;
        t.moving = t.clock = 1;
        t.first = *m->req_word;
        t.last = *m->req_last;
    }
    *m->word_valid = 0;
    *m->fence = 0;
    memset(m->word_address, 0, 12);
    memset(m->word_data, 0, 24);
    *m->word_last = *m->word_keep = *m->word_start = *m->word_of_queue = *m->word_queue = 0;
    for (unsigned c = 0; c < 3; c++) {
        if (t.put[c] == t.got[c] || sim_random_below(t.s, 3) == 0) continue;
        const word *w = &t.to_come[c][t.got[c] % 256];
        *m->word_valid |= (uint8_t)(1u << c);
        for (unsigned i = 0; i < 25; i++)
            m->word_address[(25 * c + i) / 32] |= (w->address >> i & 1) << (25 * c + i) % 32;
        m->word_data[2 * c] = (uint32_t)w->data;
        m->word_data[2 * c + 1] = (uint32_t)(w->data >> 32);
        *m->word_last |= (uint8_t)(w->last << c);
        if (c == 2) continue;
        *m->word_keep |= (uint8_t)(w->keep << c);
        *m->word_start |= (uint8_t)(w->start << c);
        *m->word_of_queue |= (uint8_t)((w->queue < 16) << c);
        *m->word_queue |= (uint8_t)((w->queue & 15) << 4 * c);
    }
    for (unsigned k = 0; k < 2; k++)
        if (!t.asked[k] && !t.is_open && !sim_random_below(t.s, 20)) *m->fence |= (uint8_t)(1u << k);
}

static void put(unsigned c, unsigned address, unsigned last, unsigned keep, unsigned start, unsigned queue)
{
    t.to_come[c][t.put[c]++ % 256] = (word){address, last, keep, start, queue, sim_random(t.s)};
}

/* More words of a client: a run of them, or (clients 0, 1, one after the other) a message of a slot, some of them bad.
 */
static void more(unsigned c)
{
    unsigned address = (unsigned)sim_random_below(t.s, 0x240 * 4),
             words = 1 + (unsigned)sim_random_below(t.s, sim_random_below(t.s, 2) ? 4 : 20);
    if (t.put[c] - t.got[c] > 100) return;
    if (c == 2) put(2, address, 1, 0, 0, 16);
    else if (sim_random_below(t.s, 2))
        for (unsigned i = 0; i < words; i++) put(c, address + i, i == words - 1, 0, 0, 16);
    else if (t.put[!c] == t.got[!c]) {
        unsigned queue = sim_random_below(t.s, 4) != 0, bad = !sim_random_below(t.s, 4);
        address &= sim_random_below(t.s, 2) ? 0x3f8 : ~7u; /* half of them outside the windows */
        for (unsigned i = 1; i <= words; i++) put(c, address + i, i == words, i < 4, i == 1, queue);
        if (!bad) put(c, address, 1, 1, 0, queue);
    }
}

static int run(unsigned fault)
{
    memset(&t, 0, sizeof t);
    t.s = quiet_sim(0);
    t.clk = make_clock(t.s, "clk", 10000, 0);
    t.m = MODEL_AS(faulty_cni_lines, make_clocked(t.s, t.clk, &faulty_cni_lines_config, "lines"), NULL);
    faulty_cni_lines *m = t.m;
    *m->fault = (uint8_t)fault;
    *m->cfg_other = OTHER;
    *m->cfg_enable = 3;
    *m->cfg_base = windows[0].base | (uint64_t)windows[1].base << 23;
    *m->cfg_last = windows[0].last | (uint64_t)windows[1].last << 23;
    *m->cfg_mode = (uint8_t)(windows[0].mode | windows[1].mode << 3);
    *m->cfg_queues = QUEUE_MODES;
    *m->rst = 1;
    run_clocks(t.s, t.clk, 4);
    *m->rst = 0;
    sim_clock_attach(t.clk, sample, drive, NULL);
    for (unsigned i = 0; i < 4000 && !t.wrong; i++) {
        more((unsigned)sim_random_below(t.s, 3));
        run_clocks(t.s, t.clk, (unsigned)sim_random_below(t.s, 20));
    }
    for (unsigned i = 0; i < 200 && !t.wrong; i++) run_clocks(t.s, t.clk, 20);
    if (!t.wrong && (t.line_got != t.line_put || t.moving || t.fences < 50)) t.wrong = __LINE__;
    return t.wrong;
}

TEST_CASE("lines", .timeout = 120);

TEST(lines_are_those_of_the_words) { ck_assert_int_eq(run(0), 0); }

TEST(faulty_copies_are_found, .from = 1, .to = FAULTS + 1) { ck_assert_int_ne(run((unsigned)_i), 0); }
