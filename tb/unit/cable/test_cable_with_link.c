/*
 * Two link_ports joined by the cable: different crystals, real code errors, cuts. What must hold whatever happens on the wire: a packet
 * that is called good is one that was sent, whole and in order; N2H never overflows; what a chip sends is well formed (the sniffer says
 * so); an idle word comes at least once in 2048 words; and when the faults are over both ends agree on every word again and all traffic
 * arrives.
 *
 * Contents follow from direction and packet number, which is also the destination address; nothing is stored for comparison.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "link_port.h"
#include "sim/cable/cable.h"
#include "sim/cable/frame.h"
#include "sim/cable/sniffer.h"
#include "simulation.h"
#include "test.h"

enum {
    PERIOD = 12800,
    H2N_WORDS = 4096,
    N2H_WORDS = 1023,
    MANY_UNITS = 512 * 6, /* of 512 smallest packets, which no sequence number shows */
    FIRST_NODE = 3,       /* node ID of a; b has the next. Receivers know IDs below FLOWS */
    IDLE_DISTANCE = 2048, /* words, at most, from one idle word to the next */
    SETTLED = 40000       /* clocks after which faults are forgotten: all counters repaired, all packets through */
};

/* For use in every clock: ck_assert reports each time to the parent process. */
#define must(condition, ...)                                                                                                               \
    do {                                                                                                                                   \
        if (!(condition)) ck_abort_msg(__VA_ARGS__);                                                                                       \
    } while (0)

typedef struct {
    uint64_t data;
    uint8_t flags; /* [67:64] */
} word68;

struct bench;

/* One chip: a link_port between two FIFOs. The packets it sends are those of direction `number`. */
typedef struct {
    struct bench *bench;
    int number;
    link_port *port;
    uint64_t clocks;
    word68 h2n[H2N_WORDS], n2h[1024];
    unsigned h2n_in, h2n_out, n2h_in, n2h_out; /* free running */
    unsigned lasts, departed;                  /* packets with header [66], pulses of tx_departed */
    /* reader */
    int pop_percent;
    unsigned stalled; /* clocks in which the reader sleeps */
    uint64_t header;
    unsigned payload_words;
    int in_packet, spoilt;
    /* sender and receiver */
    unsigned sent, next, good, bad, missing;
    unsigned lost_units, told; /* of the missing packets; headers with [63], which says that MANY_UNITS more were lost */
    unsigned wrong;            /* called good, but is not what was sent */
    uint64_t good_words;
    int load;         /* keep packets waiting */
    int lies;         /* N2H claims to be empty */
    unsigned longest; /* payload */
    /* events, counted */
    unsigned rejected, drop_space, drop_length, drop_flow, overflows, header_errors, body_errors, alignment_errors, tx_step, tx_discard;
    /* transmit port */
    unsigned since_idle, longest_busy, frames, bad_frames;
} chip;

typedef struct bench {
    sim *sim;
    sim_clock *clock[2];
    chip chip[2];
    cable *cable;
    sniffer *sniffer;
    /* faults of the wire: chance per word in 1/100000 */
    int flip_chance, burst_chance, word_chance;
    unsigned burst_left[2];
    int forge_chance; /* two words changed so that the body CRC still fits */
    int forging[2];
    uint64_t faults;
} bench;

/* ---- packets ---- */

static uint64_t hash(unsigned direction, unsigned packet, unsigned index)
{
    uint64_t x = ((uint64_t)direction << 62 | (uint64_t)packet << 16 | index) * 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

static unsigned length_of(const chip *c, unsigned packet)
{
    uint64_t x = hash((unsigned)c->number, packet, 0xffff);

    if (c->longest == 62) return 62;
    return x & 3 ? 1 + (unsigned)(x >> 8) % 62 : 1 + (unsigned)(x >> 8) % c->longest;
}

static uint64_t header_of(const chip *c, unsigned packet)
{
    uint64_t x = hash((unsigned)c->number, packet, 0xfffe);

    return (uint64_t)(x & 7) << 56 | (x >> 3 & 7) << 52 | 1ull << 51 | (uint64_t)(packet & 0x1ff) << 42 |
           (uint64_t)length_of(c, packet) << 32 | packet;
}

static void put_word(chip *c, uint64_t data, unsigned flags)
{
    c->h2n[c->h2n_in++ % H2N_WORDS] = (word68){data, (uint8_t)flags};
}

static void put_packet(chip *c)
{
    unsigned length = length_of(c, c->sent), last = hash((unsigned)c->number, c->sent, 0xfffd) & 1, i;

    put_word(c, header_of(c, c->sent), 1 | last << 2);
    for (i = 0; i < length; i++) put_word(c, hash((unsigned)c->number, c->sent, i), i + 1 == length ? 2 : 0);
    c->lasts += last;
    c->sent++;
}

/* One word that came out of N2H of `c`; the other chip sent it. */
static void take_word(chip *c, word68 w)
{
    chip *from = &c->bench->chip[!c->number];
    unsigned packet = (uint32_t)c->header;

    if (w.flags & 1) {
        must(!c->in_packet, "a header before the last word of packet %u", packet);
        packet = (uint32_t)w.data;
        must(packet >= c->next && packet < from->sent, "packet %u after %u", packet, c->next);
        for (unsigned i = c->next; i < packet; i++) c->lost_units += 2 * length_of(from, i) + 4;
        c->told += w.data >> 63;
        must(c->told * MANY_UNITS <= c->lost_units, "packet %u: only %u units are lost", packet, c->lost_units);
        w.data &= ~(1ull << 63);
        /* DIRECT: the flow is the sender's node */
        must(w.data == ((header_of(from, packet) & ~(0x7full << 56)) | (uint64_t)(FIRST_NODE + from->number) << 56),
             "packet %u has header %016" PRIx64, packet, w.data);
        c->missing += packet - c->next;
        c->next = packet + 1;
        c->header = w.data;
        c->in_packet = 1;
        c->payload_words = 0;
        c->spoilt = 0;
        return;
    }
    must(c->in_packet, "a word outside of a packet");
    c->spoilt |= w.data != hash((unsigned)from->number, packet, c->payload_words);
    c->payload_words++;
    must((c->payload_words == (c->header >> 32 & 0x3ff)) == (w.flags >> 1 & 1), "end of packet %u in the wrong place", packet);
    if (!(w.flags & 2)) return;
    c->in_packet = 0;
    if (w.flags & 4) {
        c->bad++;
        return;
    }
    c->wrong += c->spoilt;
    c->good++;
    c->good_words += c->payload_words;
    sim_progress(c->bench->sim);
}

/* ---- a chip ---- */

static void chip_sample(void *self)
{
    chip *c = self;
    link_port *p = c->port;

    if (*p->rst) return;
    if (*p->tx_pop) {
        must(*p->tx_valid, "H2N is popped while empty");
        c->h2n_out++;
    }
    if (*p->rx_wr_valid) {
        const uint32_t *w = p->rx_wr_data;

        c->overflows += c->n2h_in - c->n2h_out >= N2H_WORDS;
        c->n2h[c->n2h_in++ % 1024] = (word68){w[0] | (uint64_t)w[1] << 32, (uint8_t)(w[2] & 15)};
    }
    c->departed += *p->tx_departed;
    c->rejected += *p->ev_credit_rejected;
    c->drop_space += *p->ev_drop_space;
    c->drop_length += *p->ev_drop_length;
    c->drop_flow += *p->ev_drop_flow;
    c->header_errors += *p->ev_header_crc_error;
    c->body_errors += *p->ev_body_crc_error;
    c->alignment_errors += *p->ev_alignment_error;
    c->tx_step += *p->ev_tx_step;
    c->tx_discard += *p->ev_tx_discard;
}

static void chip_drive(void *self)
{
    chip *c = self;
    link_port *p = c->port;
    const word68 *head;

    c->clocks++;
    *p->rst = c->clocks < 10;
    while (c->load && c->h2n_in - c->h2n_out < H2N_WORDS / 2) put_packet(c);
    head = &c->h2n[c->h2n_out % H2N_WORDS];
    *p->tx_valid = c->h2n_in != c->h2n_out;
    p->tx_data[0] = (uint32_t)head->data;
    p->tx_data[1] = (uint32_t)(head->data >> 32);
    p->tx_data[2] = head->flags;
    if (c->stalled) c->stalled--;
    else if (c->n2h_in != c->n2h_out && (int)sim_random_below(c->bench->sim, 100) < c->pop_percent)
        take_word(c, c->n2h[c->n2h_out++ % 1024]);
    *p->rx_wr_count = (uint16_t)(c->lies ? 0 : c->n2h_in - c->n2h_out);
}

/* ---- the wire ---- */

static void watch(void *self, int from, uint64_t word, sim_time time, uint64_t clock, const uint32_t *data, const uint8_t *k)
{
    chip *c = &((bench *)self)->chip[from];

    (void)word;
    (void)time;
    (void)clock;
    c->since_idle = k[0] == FRAME_IDLE_K && data[0] == FRAME_IDLE_DATA ? 0 : c->since_idle + 1;
    c->longest_busy = c->since_idle > c->longest_busy ? c->since_idle : c->longest_busy;
}

static void judge_frame(void *self, const sniffer_frame *frame)
{
    bench *b = self;

    if (b->chip[frame->from].clocks < 12) return; /* before and in reset */
    b->chip[frame->from].frames++;
    if (!sniffer_frame_is_good(frame)) {
        b->chip[frame->from].bad_frames++;
        sniffer_print_frame(stderr, frame);
    }
}

static int happens(bench *b, int chance)
{
    return chance && (int)sim_random_below(b->sim, 100000) < chance;
}

static void damage(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    static const struct {
        uint32_t data;
        uint8_t k;
    } word[] = {{FRAME_IDLE_DATA, 15}, {FRAME_SOP_DATA, 8}, {0xfbfbfbfb, 15}, {0, 0}, {0xbcbcbc00, 14}, {0x81028102, 0}};
    bench *b = self;

    (void)word_index;
    if (happens(b, b->flip_chance)) {
        *flip = 1ull << sim_random_below(b->sim, 40);
        b->faults++;
    }
    if (!b->burst_left[from] && happens(b, b->burst_chance)) {
        b->burst_left[from] = 1 + (unsigned)sim_random_below(b->sim, 30);
        b->faults++;
    }
    if (b->burst_left[from]) {
        b->burst_left[from]--;
        *flip = sim_random(b->sim) & sim_random(b->sim) & 0xffffffffffull;
    }
    /* the generator polynomial itself, 33 bits over two words, is a multiple of the polynomial: no CRC sees it */
    if (b->forging[from]) *data ^= 0x04c11db7;
    b->forging[from] = !b->forging[from] && !*k && happens(b, b->forge_chance);
    if (b->forging[from]) *data ^= 1;
    if (happens(b, b->word_chance)) {
        unsigned i = (unsigned)sim_random_below(b->sim, sizeof word / sizeof word[0]);

        *data = word[i].data;
        *k = word[i].k;
        b->faults++;
    }
}

/* ---- making and running ---- */

static void start(bench *b, double ppm_a, double ppm_b)
{
    cable_params params;
    int i;

    memset(b, 0, sizeof *b);
    b->sim = loud_sim(0);
    for (i = 0; i < 2; i++) {
        sim_clock_params cp = {.name = i ? "b" : "a", .period = PERIOD, .ppm = i ? ppm_b : ppm_a, .jitter = 100, .phase = -1};
        chip *c = &b->chip[i];
        link_port *p = link_port_new(b->sim, i ? "b" : "a");

        b->clock[i] = sim_clock_new(b->sim, &cp);
        sim_model_clock(p->model, b->clock[i], p->clk);
        *c = (chip){.bench = b, .number = i, .port = p, .pop_percent = 100, .longest = 512};
        *p->rst = 1;
        *p->cfg_direct = 1;
        *p->cfg_node_id = (uint8_t)(FIRST_NODE + i);
        *p->cfg_tx_capacity = 2046;
        *p->cfg_max_words = 512;
        *p->cfg_flow_enable = 0xff;
        *p->view_flow = 0;
        sim_clock_attach(b->clock[i], chip_sample, chip_drive, c);
    }
    cable_params_default(&params);
    b->cable = cable_new(b->sim, &params, b->clock[0], GT_PINS_PLAIN(b->chip[0].port), b->clock[1], GT_PINS_PLAIN(b->chip[1].port), "wire");
    ck_assert_ptr_nonnull(b->cable);
    b->sniffer = sniffer_new(judge_frame, b);
    ck_assert_int_eq(sniffer_attach(b->sniffer, b->cable, 0), 0);
    ck_assert_int_eq(cable_add_observer(b->cable, watch, b), 0);
    cable_set_tap(b->cable, damage, b);
}

static void run(bench *b, uint64_t clocks)
{
    ck_assert_int_eq(sim_run(b->sim, sim_now(b->sim) + clocks * PERIOD), SIM_TIME_LIMIT);
}

static void load(bench *b, int on)
{
    b->chip[0].load = b->chip[1].load = on;
}

/* Everything has arrived and been forwarded, and both ends agree on it. */
static void must_be_settled(bench *b)
{
    int i;

    for (i = 0; i < 2; i++) {
        chip *c = &b->chip[i], *from = &b->chip[!i];

        ck_assert_int_eq(*c->port->link_up, 1);
        ck_assert_uint_eq(from->h2n_in, from->h2n_out);
        ck_assert_uint_eq(from->lasts, from->departed);
        ck_assert_uint_eq(c->n2h_in, c->n2h_out);
        ck_assert_int_eq(c->in_packet, 0);
        ck_assert_uint_eq(*from->port->view_tx_units, *c->port->rx_units);
        ck_assert_uint_eq(*c->port->rx_units, *c->port->rx_forwarded);
        ck_assert_uint_eq((*from->port->view_tx_units - *from->port->view_tx_credit) & 0xfff & ~31u, 0);
        ck_assert_uint_eq(from->tx_step + from->tx_discard, 0);
    }
}

static void throw_away(bench *b)
{
    cable_free(b->cable);
    sniffer_free(b->sniffer);
}

static void finish(bench *b)
{
    int i;

    for (i = 0; i < 2; i++) {
        ck_assert_uint_eq(b->chip[i].bad_frames, 0);
        ck_assert_uint_gt(b->chip[i].frames, 10);
        ck_assert_uint_eq(b->chip[i].wrong, 0);
        ck_assert_uint_eq(b->chip[i].overflows, 0);
        ck_assert_uint_le(b->chip[i].longest_busy, IDLE_DISTANCE);
    }
    throw_away(b);
}

/* The faults are over: waits until all is settled, then wants some thousand packets through without a loss. */
static void must_recover(bench *b)
{
    unsigned bad[2], missing[2];
    uint64_t words[2];
    int i;

    b->flip_chance = b->burst_chance = b->word_chance = 0;
    cable_reconnect(b->cable, CABLE_BOTH);
    load(b, 0);
    run(b, SETTLED);
    must_be_settled(b);
    for (i = 0; i < 2; i++) {
        chip *c = &b->chip[i];

        c->missing += b->chip[!i].sent - c->next; /* the last ones were lost */
        c->next = b->chip[!i].sent;
        ck_assert_uint_eq(c->good + c->bad + c->missing, b->chip[!i].sent);
        words[i] = c->good_words;
        bad[i] = c->bad;
        missing[i] = c->missing;
    }
    load(b, 1);
    run(b, 60000);
    load(b, 0);
    run(b, SETTLED);
    must_be_settled(b);
    for (i = 0; i < 2; i++) {
        ck_assert_uint_gt(b->chip[i].good_words, words[i] + 60000 / 2 * 9 / 10); /* the whole buffer is in use again */
        ck_assert_uint_eq(b->chip[i].bad, bad[i]);
        ck_assert_uint_eq(b->chip[i].missing, missing[i]);
        ck_assert_uint_eq(b->chip[i].next, b->chip[!i].sent);
    }
}

/* ---- tests ---- */

static const struct {
    double a, b;
} crystals[] = {{100, -100}, {-100, 100}, {0, 0}, {200, -200}};

TEST_CASE("link", .timeout = 300);

TEST(packets_cross_between_different_crystals_unharmed, .to = COUNT(crystals))
{
    static bench b;
    cable_stats stats;
    int i;

    start(&b, crystals[_i].a, crystals[_i].b);
    load(&b, 1);
    run(&b, 200000);
    load(&b, 0);
    run(&b, SETTLED);
    must_be_settled(&b);
    for (i = 0; i < 2; i++) {
        ck_assert_uint_eq(b.chip[i].good, b.chip[!i].sent);
        ck_assert_uint_gt(b.chip[i].good, 1000);
        ck_assert_uint_eq(b.chip[i].rejected, 0);
        ck_assert_uint_eq(b.chip[i].drop_space + b.chip[i].drop_length + b.chip[i].drop_flow, 0);
        ck_assert_uint_eq(b.chip[i].header_errors + b.chip[i].body_errors + b.chip[i].alignment_errors, 0);
        cable_get_stats(b.cable, i, 0, &stats);
        ck_assert_uint_eq(stats.received.overflows + stats.received.underflows, 0);
        ck_assert_uint_eq(stats.received.sync_losses, 0);
        ck_assert_uint_le(stats.bad_controls, 4); /* one word before reset: registers hold anything then */
        if (crystals[_i].a != crystals[_i].b) ck_assert_uint_gt(stats.received.removed + stats.received.repeated, 100);
    }
    finish(&b);
}

TEST(both_directions_run_at_line_rate)
{
    static bench b;
    uint64_t words[2];
    int i;

    start(&b, 100, -100);
    b.chip[0].longest = b.chip[1].longest = 62;
    load(&b, 1);
    run(&b, 5000);
    words[0] = b.chip[0].good_words;
    words[1] = b.chip[1].good_words;
    run(&b, 100000);
    for (i = 0; i < 2; i++) {
        double rate = (double)(b.chip[i].good_words - words[i]) * 2 / 100000;

        ck_assert_double_ge(rate, 282.0 / 298.0);
    }
    finish(&b);
}

TEST(a_sleepy_reader_is_waited_for)
{
    static bench b;
    int i;

    start(&b, -100, 100);
    b.chip[0].pop_percent = 20;
    load(&b, 1);
    for (i = 0; i < 100; i++) {
        b.chip[1].stalled = (unsigned)sim_random_below(b.sim, 6000);
        run(&b, sim_random_below(b.sim, 6000));
    }
    load(&b, 0);
    run(&b, 3 * SETTLED);
    must_be_settled(&b);
    for (i = 0; i < 2; i++) {
        ck_assert_uint_eq(b.chip[i].good, b.chip[!i].sent);
        ck_assert_uint_eq(b.chip[i].drop_space, 0);
    }
    finish(&b);
}

/* Chances per word in 1/100000: single bits, bursts, whole words. */
static const struct {
    int flip, burst, word;
} noise[] = {{100, 0, 0}, {1000, 0, 0}, {0, 30, 0}, {0, 0, 100}, {0, 0, 2000}, {100, 20, 100}};

TEST(no_fault_of_the_wire_harms_a_good_packet, .to = COUNT(noise))
{
    static bench b;
    int i;

    start(&b, 100, -100);
    b.flip_chance = noise[_i].flip;
    b.burst_chance = noise[_i].burst;
    b.word_chance = noise[_i].word;
    load(&b, 1);
    run(&b, 300000);
    for (i = 0; i < 2; i++) {
        ck_assert_uint_gt(b.chip[i].bad + b.chip[i].missing, 10);
        ck_assert_uint_gt(b.chip[i].good, 10);
    }
    must_recover(&b);
    ck_assert_uint_gt(b.faults, 50);
    finish(&b);
}

TEST(a_cut_cable_delays_and_loses_only_what_was_on_it)
{
    static bench b;
    int i, n;

    start(&b, 100, -100);
    load(&b, 1);
    run(&b, 5000);
    for (n = 0; n < 60; n++) {
        cable_cut(b.cable, 1 + (int)sim_random_below(b.sim, 3));
        run(&b, 1 + sim_random_below(b.sim, 3000));
        cable_reconnect(b.cable, CABLE_BOTH);
        run(&b, sim_random_below(b.sim, 8000));
    }
    for (i = 0; i < 2; i++) ck_assert_uint_gt(b.chip[i].good, 500);
    must_recover(&b);
    for (i = 0; i < 2; i++) ck_assert_uint_eq(b.chip[i].drop_space, 0);
    finish(&b);
}

TEST(crystals_out_of_tolerance_lose_packets_but_harm_none)
{
    static bench b;
    cable_stats stats;
    int i;

    start(&b, 1500, -1500);
    load(&b, 1);
    run(&b, 200000);
    load(&b, 0);
    run(&b, SETTLED);
    must_be_settled(&b);
    for (i = 0; i < 2; i++) {
        cable_get_stats(b.cable, i, 0, &stats);
        ck_assert_uint_gt(i ? stats.received.underflows : stats.received.overflows, 10);
        b.chip[!i].missing += b.chip[i].sent - b.chip[!i].next;
        ck_assert_uint_gt(b.chip[!i].bad + b.chip[!i].missing, 10);
        ck_assert_uint_gt(b.chip[!i].good, 100);
        ck_assert_uint_eq(b.chip[!i].good + b.chip[!i].bad + b.chip[!i].missing, b.chip[i].sent);
    }
    finish(&b);
}

/* ---- the checks of this bench see what they are for ---- */

TEST(a_forged_payload_is_noticed)
{
    static bench b;

    start(&b, 0, 0);
    b.forge_chance = 100;
    load(&b, 1);
    run(&b, 50000);
    ck_assert_uint_gt(b.chip[0].wrong + b.chip[1].wrong, 10);
    throw_away(&b);
}

TEST(an_overflow_is_noticed)
{
    static bench b;

    start(&b, 0, 0);
    b.chip[0].lies = 1;
    b.chip[0].stalled = 20000;
    load(&b, 1);
    run(&b, 10000);
    ck_assert_uint_gt(b.chip[0].overflows, 0);
    ck_assert_uint_eq(b.chip[1].overflows, 0);
    throw_away(&b);
}

TEST(the_distance_between_idles_is_measured)
{
    static bench b;

    start(&b, 0, 0);
    load(&b, 1);
    run(&b, 20000);
    ck_assert_uint_gt(b.chip[0].longest_busy, IDLE_DISTANCE / 2);
    ck_assert_uint_gt(b.chip[1].longest_busy, IDLE_DISTANCE / 2);
    finish(&b);
}
