/* Packets of several links as one stream: link_order says in which order their headers came, dma_arrivals takes them
 * so, and checks their bodies. Played here: links whose words come with pauses, the CRC long behind the last one, too;
 * some bodies are damaged, some CRCs, some packets padded; the FIFO between the two blocks, a reader that stops.
 * Compared with the input. */
#include <stdio.h>
#include <string.h>

#include "arrivals_4.h"
#include "crc_reference.h"
#include "order_4.h"
#include "simulation.h"

enum { LINKS = 4, WORDS = 1 << 12, ORDERS = 1 << 11, HEADER = 1, END = 2, PADDED = 4, CRC = 8 };
enum { APART = 7 /* clocks between headers of a link, at least */ };

/* Faults between the modules, unknown to the checks: they must find it. */
typedef enum {
    NOTHING,
    HEADER_UNSEEN,
    ORDER_LOST,
    ORDER_TWICE,
    ORDER_CHANGED,
    WORD_CHANGED,
    WORD_LOST,
    CRC_CHANGED,
    PADDING_UNSEEN,
    FAULTS
} fault;

struct link {
    uint64_t word[WORDS];
    unsigned char flags[WORDS];
    unsigned char bad[WORDS]; /* with a CRC: the packet is */
    uint32_t crc;             /* over the packet that is coming */
    int damaged;
    unsigned put, shown, popped; /* words that will come, are in the FIFO, were taken */
    unsigned left, pause,
        quiet;            /* words of a packet that are still to come; clocks until the next; since the last header */
    uint64_t waits_since; /* clock of the header that link_order has not reported */
    int waits;
};

struct bench {
    sim *s;
    sim_clock *clk;
    sim_model *order, *arrivals;
    order_4 *o;
    arrivals_4 *a;
    const sim_port *words, *counts, *word;
    struct link link[LINKS];
    unsigned char path[ORDERS];
    unsigned ordered, visible, taken; /* orders written, shown to dma_arrivals, taken */
    unsigned open;                    /* words of the packet that is being taken have been */
    int ended, due_bad;               /* its last word was taken; in the last clock its CRC was, and it is bad */
    uint64_t clock;
    fault fault;
    unsigned long packets, together, bad, held;
    char wrong[200];
};

static unsigned below(struct bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

#define COMPLAIN(b, ...) ((b)->wrong[0] ? 0 : snprintf((b)->wrong, sizeof(b)->wrong, __VA_ARGS__))

static int strikes(struct bench *b, fault what) { return b->fault == what && below(b, 50) == 0; }

/* A header now and then, at the same clock on several links, too; then its words. Bit mask of the headers. */
static unsigned links_go_on(struct bench *b, unsigned eager)
{
    unsigned headers = 0;
    int all = below(b, 20) == 0;
    for (unsigned l = 0; l < LINKS; l++) {
        struct link *x = &b->link[l];
        x->quiet++;
        int first = !x->left && x->quiet >= APART && x->put - x->popped < 1900 && (all || below(b, eager) == 0);
        if (!first && (!x->left || below(b, 3) == 0)) continue;
        if (x->pause && x->pause--) continue;
        if (first) {
            headers |= 1u << l;
            x->left = 2 + below(b, below(b, 2) ? 3 : 40); /* and the CRC */
            x->crc = 0xffffffff;
            x->damaged = 0;
            x->quiet = 0;
            if (x->waits)
                COMPLAIN(b, "clock %u: link %u is not reported before its next header", (unsigned)b->clock, l);
            x->waits = 1;
            x->waits_since = b->clock;
        } else x->left--;
        unsigned i = x->put++ % WORDS;
        x->word[i] = sim_random(b->s);
        x->flags[i] = (unsigned char)(first ? HEADER : x->left == 1 ? END : x->left ? 0 : CRC);
        if (x->flags[i] == CRC) {
            if (below(b, 20) == 0) x->flags[i] |= PADDED;
            x->word[i] = (x->word[i] & ~0xffffffffull) | x->crc; /* its upper half means nothing */
            if (below(b, 20) == 0) x->word[i] ^= 1ull << below(b, 32), x->damaged = 1;
            x->bad[i] = x->damaged || x->flags[i] & PADDED;
        } else if (!first) {
            if (x->left == 1 && below(b, 30) == 0) x->pause = 200; /* the CRC is late */
            x->crc = reference_crc32(x->crc, x->word[i], 64);
            if (below(b, 200) == 0) x->word[i] ^= 1ull << below(b, 64), x->damaged = 1;
        }
    }
    b->together += (headers & (headers - 1)) != 0;
    return headers;
}

static void note_order(struct bench *b)
{
    if (!*b->o->wr_valid) return;
    unsigned l = *b->o->wr_path;
    struct link *x = &b->link[l];
    if (!x->waits) COMPLAIN(b, "clock %u: link %u is reported without a header", (unsigned)b->clock, l);
    else if (b->clock - x->waits_since > LINKS)
        COMPLAIN(b, "clock %u: link %u has waited for too long", (unsigned)b->clock, l);
    x->waits = 0;
    for (unsigned i = strikes(b, ORDER_LOST) ? 0 : strikes(b, ORDER_TWICE) ? 2 : 1; i; i--)
        b->path[b->ordered++ % ORDERS] = (unsigned char)(strikes(b, ORDER_CHANGED) ? (l + 1) % LINKS : l);
}

/* The reader takes a word: it must be the next word of the granted link. */
static void take(struct bench *b)
{
    unsigned l = b->path[b->taken % ORDERS], i = b->link[l].popped;
    struct link *x = &b->link[l];
    unsigned flags = (unsigned)sim_port_field(b->word, 64, 4);
    if (*b->a->path != l)
        COMPLAIN(b, "clock %u: a word of link %u, expected of link %u", (unsigned)b->clock, *b->a->path, l);
    if (sim_port_field(b->word, 0, 64) != x->word[i % WORDS] || flags != x->flags[i % WORDS])
        COMPLAIN(b, "clock %u: word %u of link %u is another one", (unsigned)b->clock, i, l);
    if (!b->open != (flags == HEADER))
        COMPLAIN(b, "clock %u: link %u: a packet begins in another one", (unsigned)b->clock, l);
    if (*b->a->n2h_pop != 1u << l)
        COMPLAIN(b, "clock %u: links %x are popped, expected %x", (unsigned)b->clock, *b->a->n2h_pop, 1u << l);
    if (*b->a->order_pop) COMPLAIN(b, "clock %u: link %u: the order is popped with a word", (unsigned)b->clock, l);
    x->popped++;
    b->open = flags != END;
    b->ended = flags == END;
}

/* The clock behind the last word of a packet of link l takes its CRC out, and the next one reports it. */
static void take_crc(struct bench *b, unsigned l)
{
    struct link *x = &b->link[l];
    unsigned i = x->popped++ % WORDS;
    if (*b->a->valid || *b->a->n2h_pop != 1u << l || !*b->a->order_pop)
        COMPLAIN(b, "clock %u: link %u: its CRC is not taken", (unsigned)b->clock, l);
    b->due_bad = x->bad[i];
    b->ended = 0;
    b->taken++;
    b->packets++;
    b->bad += x->bad[i];
}

static void clock_once(struct bench *b, unsigned eager, unsigned sleepy)
{
    unsigned headers = links_go_on(b, eager), filled = 0;
    note_order(b);
    if (*b->a->bad != b->due_bad) COMPLAIN(b, "clock %u: bad is %u", (unsigned)b->clock, *b->a->bad);
    b->due_bad = 0;
    *b->o->header = (uint8_t)(strikes(b, HEADER_UNSEEN) ? headers & (headers - 1) : headers);
    for (unsigned l = 0; l < LINKS; l++) { /* words are seen by the other clock some time later */
        struct link *x = &b->link[l];
        if (x->shown < x->put && below(b, 4)) x->shown++;
        unsigned count = x->shown - x->popped, i = x->popped % WORDS;
        if (count && strikes(b, WORD_LOST)) x->popped++, count--, i = x->popped % WORDS;
        filled |= (unsigned)(count != 0) << l;
        int crc = count && x->flags[i] & CRC;
        sim_port_set_field(b->words, 68 * l, 64, x->word[i] ^ (count && strikes(b, crc ? CRC_CHANGED : WORD_CHANGED)));
        sim_port_set_field(b->words, 68 * l + 64, 4, x->flags[i] & ~(b->fault == PADDING_UNSEEN && crc ? PADDED : 0u));
        sim_port_set_field(b->counts, 11 * l, 11, count);
    }
    if (b->visible < b->ordered && below(b, 4)) b->visible++;
    *b->a->n2h_valid = (uint8_t)filled;
    *b->a->order_valid = b->visible != b->taken;
    *b->a->order_path = b->path[b->taken % ORDERS];
    *b->a->pop = 0;
    sim_model_eval(b->arrivals);
    unsigned l = *b->a->order_path, count = b->link[l].shown - b->link[l].popped, i = b->link[l].popped % WORDS;
    unsigned here = *b->a->order_valid && (filled >> l & 1), last = here && b->link[l].flags[i] == END;
    unsigned ready = here && !b->ended && !(last && count < 2);
    b->held += last && count < 2;
    if (*b->a->valid != ready) COMPLAIN(b, "clock %u: valid is %u", (unsigned)b->clock, *b->a->valid);
    if (ready && *b->a->count != sim_port_field(b->counts, 11 * l, 11))
        COMPLAIN(b, "clock %u: count %u", (unsigned)b->clock, *b->a->count);
    if (*b->a->valid && below(b, sleepy) == 0) {
        *b->a->pop = 1;
        sim_model_eval(b->arrivals);
        take(b);
    } else if (b->ended) {
        take_crc(b, l);
    } else if (*b->a->n2h_pop || *b->a->order_pop)
        COMPLAIN(b, "clock %u: popped, and no link has a word", (unsigned)b->clock);
    run_clocks(b->s, b->clk, 1);
    b->clock++;
}

static struct bench *bench_new(uint64_t seed)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->order = make_clocked(b->s, b->clk, &order_4_config, "order");
    b->arrivals = make_clocked(b->s, b->clk, &arrivals_4_config, "arrivals");
    b->o = MODEL_AS(order_4, b->order, NULL);
    b->a = MODEL_AS(arrivals_4, b->arrivals, NULL);
    b->words = sim_model_port(b->arrivals, "n2h_data");
    b->counts = sim_model_port(b->arrivals, "n2h_count");
    b->word = sim_model_port(b->arrivals, "data");
    *b->o->rst = *b->a->rst = 1;
    run_clocks(b->s, b->clk, 3);
    *b->o->rst = *b->a->rst = 0;
    return b;
}

/* A header of each link in this many clocks, if allowed; the reader takes one word in `sleepy` clocks. At the end all
 * that came is taken.
 */
static void traffic(struct bench *b, unsigned clocks, unsigned eager, unsigned sleepy)
{
    while (clocks-- && !*b->wrong) clock_once(b, eager, sleepy);
    for (unsigned l = 0; l < LINKS; l++) b->link[l].quiet = 0;
    for (unsigned n = 0; n < 4 * LINKS * WORDS && !*b->wrong; n++) {
        for (unsigned l = 0; l < LINKS; l++)
            if (!b->link[l].left) b->link[l].quiet = 0; /* no more headers */
        clock_once(b, 1000, 1);
    }
    for (unsigned l = 0; l < LINKS; l++)
        if (b->link[l].popped != b->link[l].put)
            COMPLAIN(b, "link %u: %u words came, %u were taken", l, b->link[l].put, b->link[l].popped);
    if (*b->o->busy) COMPLAIN(b, "busy, and no header waits");
}

TEST_CASE("arrivals", .timeout = 60);

static const struct {
    unsigned eager, sleepy;
} manners[] = {{1, 1}, {30, 1}, {400, 1}, {200, 3}, {5, 4}};

TEST(packets_come_whole_in_the_order_of_their_headers, .to = COUNT(manners))
{
    struct bench *b = bench_new((uint64_t)_i);
    traffic(b, 12000, manners[_i].eager, manners[_i].sleepy);
    ck_assert_str_eq(b->wrong, "");
    ck_assert_uint_gt(b->packets, 80);
    ck_assert_uint_gt(b->together, 20);
    ck_assert_uint_gt(b->bad, 8);
    if (manners[_i].sleepy == 1) ck_assert_uint_gt(b->held, 0);
}

TEST(checker_sees_each_fault, .from = 1, .to = FAULTS)
{
    struct bench *b = bench_new(9);
    b->fault = (fault)_i;
    traffic(b, 4000, 10, 1);
    ck_assert_str_ne(b->wrong, "");
}
