/*
 * Two link_ports back to back over a delay line that breaks things: bits, characters, whole stretches, synchronisation,
 * byte offsets. Whatever happens: no wrong data in a packet that is called good, order kept, no buffer overrun; and
 * when it is over both ends agree on the free space again and can use all of it.
 */
#include <stdlib.h>
#include <string.h>

#include "link_traffic.h"
#include "test.h"

enum { DELAY = 23 };

static struct link_bench *b;
static struct traffic dir[2];

/* Faults of the delay line, by direction: chances per clock, in units of 1/100000. */
static struct line {
    int broken_bit, broken_k, not_in_table, silence, lost_sync, correction;
    unsigned silent_left, unsynced_left;
    unsigned faults;
} line[2];

static int happens(int chance) { return chance && (int)sim_random_below(b->s, 100000) < chance; }

/* The same, and counted as a fault. */
static int breaks(struct line *l, int chance)
{
    int now = happens(chance);
    l->faults += (unsigned)now;
    return now;
}

static void wire_word(const struct traffic *d, struct line *l)
{
    uint32_t data = *d->from->port->gt_tx_data;
    uint8_t k = *d->from->port->gt_tx_k, not_in_table = 0, disparity = 0;

    if (k == IDLE_K && happens(l->correction)) { /* clock correction moves the byte offset: 3 or 5 bytes of idle */
        wire_characters(d->to, sim_random_below(b->s, 2) ? 3 : 5, 0xbc, 1);
        return;
    }
    if (breaks(l, l->broken_bit)) {
        data ^= 1u << sim_random_below(b->s, 32);
        disparity = sim_random_below(b->s, 2) ? (uint8_t)(1u << sim_random_below(b->s, 4)) : 0;
    }
    if (breaks(l, l->broken_k)) k ^= (uint8_t)(1u << sim_random_below(b->s, 4));
    if (breaks(l, l->not_in_table)) {
        not_in_table = (uint8_t)(1u << sim_random_below(b->s, 4));
        data ^= 0xffu << 8 * sim_random_below(b->s, 4);
    }
    if (!l->silent_left && breaks(l, l->silence)) l->silent_left = 1 + (unsigned)sim_random_below(b->s, 600);
    if (l->silent_left) {
        l->silent_left--;
        data = IDLE_WORD;
        k = IDLE_K;
    }
    for (int i = 3; i >= 0; i--) {
        wire_characters(d->to, 1, (uint8_t)(data >> 8 * i), k >> i & 1);
        struct character *c = wire_at(d->to, d->to->wire_in, -1u);
        c->not_in_table = not_in_table >> i & 1;
        c->disparity = disparity >> i & 1;
    }
}

static void before_drive(void *self)
{
    (void)self;
    for (int i = 0; i < 2; i++) {
        struct traffic *d = &dir[i];
        struct line *l = &line[i];
        wire_word(d, l);
        /* corrections must not let the delay drift */
        const struct character *next = wire_at(d->to, d->to->wire_out, 0);
        if (wire_waiting(d->to) > 4 * (DELAY + 2) && next->k && next->byte == 0xbc) d->to->wire_out++;
        if (!l->unsynced_left && breaks(l, l->lost_sync)) l->unsynced_left = 1 + (unsigned)sim_random_below(b->s, 400);
        d->to->rx_loss_of_sync = l->unsynced_left != 0;
        l->unsynced_left -= l->unsynced_left != 0;
        traffic_feed(d);
    }
}

static void setup(void)
{
    b = link_bench_new(2);
    traffic_start(dir, b);
    memset(line, 0, sizeof line);
    for (int i = 0; i < 2; i++) wire_idle(&b->end[i], DELAY - 1);
    b->before = before_drive;
    bench_open(b);
}

static void set_faults(int rate)
{
    for (int i = 0; i < 2; i++) {
        line[i].broken_bit = line[i].broken_k = line[i].not_in_table = rate;
        line[i].silence = line[i].lost_sync = rate / 5;
    }
}

/* Stops traffic and faults, lets everything drain and a check record of the one lane pass, and compares the two views.
 */
static void settle(void)
{
    set_faults(0);
    for (int i = 0; i < 2; i++) {
        dir[i].load = 0;
        b->end[i].pop_percent = 100;
    }
    for (int i = 0; i < 100 && (h2n_waiting(&b->end[0]) || h2n_waiting(&b->end[1])); i++) bench_run(b, 1000);
    bench_run(b, 3 * 2048 + 1000);
    for (int i = 0; i < 2; i++) traffic_settled(&dir[i]);
}

/* With the reader stopped the sender fills the FIFO to its last word, and not one packet is dropped. */
static void fill_to_the_last_word(int i)
{
    struct traffic *d = &dir[i];
    unsigned dropped = d->to->events.drop_space, kept = d->to->by_packet;

    /* The two CRC words of the packet on the wire need no place: 2 units more than 2 x 1023 are safe. Where CRCs are
     * kept they need one. */
    *d->from->port->cfg_tx_capacity = kept ? 2046 : 2048;
    for (int tries = 0;; tries++) { /* to a count that credits can express exactly */
        ck_must(tries < 10, "T is %u: no packet brings it to a multiple of 32", *d->from->port->view_tx_units);
        bench_run(b, 400);
        unsigned rest = -(unsigned)*d->from->port->view_tx_units & 31;
        if (rest == 0) break;
        traffic_put(d, rest >= 6 ? (rest - 4) / 2 : (rest + 28) / 2);
    }
    d->to->pop_percent = 0;
    for (int n = 0; n < 15; n++) traffic_put(d, 62);
    traffic_put(d, kept ? 61 : 62);
    if (!kept) traffic_put(d, 14);
    traffic_put(d, 1);
    bench_run(b, 3500);
    ck_assert_uint_eq(n2h_count(d->to), 1023);
    ck_assert_uint_eq(h2n_waiting(d->from), 2);
    ck_assert_uint_eq(d->to->events.drop_space, dropped);
    d->to->pop_percent = 100;
    *d->from->port->cfg_tx_capacity = 2046;
    bench_run(b, 2500);
    ck_assert_uint_eq(h2n_waiting(d->from), 0);
    ck_assert_uint_eq(n2h_count(d->to), 0);
}

TEST_CASE("pair", .timeout = 120, .setup = setup);

TEST(traffic_without_faults_loses_nothing)
{
    static const int pops[] = {100, 70, 35, 10};

    dir[0].load = dir[1].load = 1;
    for (int i = 0; i < 4; i++) {
        line[0].correction = line[1].correction = 20000 * (i & 1);
        b->end[0].pop_percent = pops[i];
        b->end[1].pop_percent = pops[3 - i];
        bench_run(b, 30000);
    }
    settle();
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(dir[i].good, dir[i].sent);
        ck_assert_uint_eq(dir[i].bad + dir[i].missing, 0);
        ck_assert_uint_eq(b->end[i].events.credit_rejected, 0);
        ck_assert_uint_eq(b->end[i].events.drop_space, 0);
        ck_assert_uint_eq(b->end[i].events.alignment_error, 0);
        ck_assert_uint_gt(dir[i].sent, 200);
    }
    fill_to_the_last_word(0);
    fill_to_the_last_word(1);
}

TEST(both_directions_at_once_run_at_line_rate)
{
    struct link_events before[2] = {b->end[0].events, b->end[1].events};

    for (int i = 0; i < 2; i++)
        for (int n = 0; n < 400; n++) traffic_put(&dir[i], 62);
    bench_run(b, 40000);
    for (int i = 0; i < 2; i++) {
        unsigned packets = b->end[i].events.out_packet - before[i].out_packet;
        ck_assert_uint_ge(packets, 40000 / 130 - 2);
        ck_assert_uint_eq(b->end[i].events.backpressure, before[i].backpressure);
    }
}

TEST(a_credit_is_back_soon_after_the_packet)
{
    /* Everything but the cable: SOP out at a, to its credit word in at a, words taken as they come. 2 x 23 clocks are
     * the cable, 3 + 3 the receiver and the way of the credit; the 16th word (with the header) brings 32 units together
     * after 36 clocks. */
    for (int n = 0; n < 20; n++) {
        bench_run(b, 200 + (unsigned)sim_random_below(b->s, 100));
        uint64_t accepted = b->end[0].events.credit_accepted;
        traffic_put(&dir[0], 62);
        bench_run(b, 4);
        uint64_t sop = b->end[0].sop_cycle, clocks = 0;
        while (b->end[0].events.credit_accepted == accepted && clocks++ < 300) bench_run(b, 1);
        ck_assert_uint_le(b->end[0].cycle - sop, 2 * DELAY + 36 + 14);
    }
}

TEST(lanes_open_a_round_trip_after_the_hold)
{
    uint64_t start[2] = {b->end[0].cycle, b->end[1].cycle};

    link_reset(&b->end[0], 5);
    ck_assert(*b->end[1].port->view_credit_seen);
    while (!*b->end[0].port->view_credit_seen && b->end[0].cycle - start[0] < 2000) bench_run(b, 1);
    uint64_t clocks = b->end[0].cycle - start[0];
    ck_assert_uint_ge(clocks, 128 + 512);
    ck_assert_uint_le(clocks, 128 + 512 + 2 * DELAY + 40);
}

TEST(after_faults_of_every_kind_both_ends_agree_again)
{
    static const int rates[] = {3, 20, 100, 500};

    for (int round = 0; round < 12; round++) {
        int rate = rates[round % 4];
        for (int i = 0; i < 2; i++) {
            dir[i].load = 1;
            line[i].correction = round & 1 ? 5000 : 0;
            b->end[i].pop_percent = 20 + (int)sim_random_below(b->s, 81);
        }
        set_faults(rate);
        bench_run(b, 20000);
        settle();
        fill_to_the_last_word(round & 1);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_gt(line[i].faults, 500);
        ck_assert_uint_gt(dir[i].good, 300);
        ck_assert_uint_gt(dir[i].bad, 20);
        ck_assert_uint_gt(dir[i].missing, 20);
        ck_assert_uint_gt(dir[i].reported, 0);
        ck_assert_uint_gt(b->end[i].events.header_crc_error, 0);
        ck_assert_uint_gt(b->end[i].events.alignment_error, 20);
        ck_assert_uint_gt(b->end[i].events.credit_rejected, 5);
    }
}

TEST(one_way_faults_on_credits_alone_lose_no_data)
{
    dir[0].load = 1;
    line[1].broken_bit = line[1].not_in_table = line[1].broken_k = 1000;
    line[1].silence = 200;
    bench_run(b, 60000);
    settle();
    ck_assert_uint_eq(dir[0].good, dir[0].sent);
    ck_assert_uint_eq(dir[0].bad + dir[0].missing, 0);
    ck_assert_uint_gt(b->end[0].events.credit_rejected, 10);
    fill_to_the_last_word(0);
}

TEST(a_reset_of_one_end_alone_is_repaired)
{
    for (int round = 0; round < 6; round++) {
        struct link_end *e = &b->end[round & 1];
        dir[0].load = dir[1].load = 1;
        bench_run(b, 5000 + (unsigned)sim_random_below(b->s, 3000));
        dir[0].load = dir[1].load = 0;
        bench_run(b,
                  12000); /* drained: a reset in the middle of a packet would leave half of one in the bench's FIFOs */
        ck_assert_uint_eq(h2n_waiting(e) + n2h_count(e), 0);
        link_reset(e, 1 + (unsigned)sim_random_below(b->s, 50));
        dir[0].load = dir[1].load = 1;
        bench_run(b, 8000);
        settle();
        ck_assert_uint_eq(dir[0].bad + dir[1].bad, 0);
        fill_to_the_last_word(round & 1);
        fill_to_the_last_word(~round & 1);
    }
    ck_assert_uint_gt(dir[0].good, 100);
}

/* A sender is reset after all it had credit for was lost: the receiver never learns how much that was. With losses
 * after the reset it is more than 512 packets. */
TEST(losses_before_and_after_a_reset_of_the_sender_add_up)
{
    struct link_end *e = &b->end[0];
    traffic_put(&dir[0], 1);
    bench_run(b, 5000);
    for (int round = 0; round < 2; round++) {
        line[0].unsynced_left = 6000;
        for (int i = 0; i < 340; i++) traffic_put(&dir[0], 1); /* 2040 units: there is credit for 2046 */
        bench_run(b, 5000);
        ck_assert_uint_eq(h2n_waiting(e), 0);
        if (round == 0) link_reset(e, 10);
        bench_run(b, 4000);
    }
    traffic_put(&dir[0], 1);
    settle();
    ck_assert_uint_eq(dir[0].good, 2);
    ck_assert_uint_eq(dir[0].reported, 1);
}

TEST(resets_of_an_idle_sender_alone_mark_nobody)
{
    struct link_end *e = &b->end[0];
    for (int round = 0; round < 20; round++) {
        for (unsigned i = 1 + (unsigned)sim_random_below(b->s, 40); i--;)
            traffic_put(&dir[0], 1 + (unsigned)sim_random_below(b->s, 62));
        bench_run(b, 8000);
        ck_assert_uint_eq(dir[0].good, dir[0].sent);
        link_reset(e, 1 + (unsigned)sim_random_below(b->s, 50));
        bench_run(b, 1000);
    }
    traffic_put(&dir[0], 5);
    settle();
    ck_assert_uint_eq(dir[0].good, dir[0].sent);
    ck_assert_uint_eq(dir[0].reported, 0);
}

TEST(a_cable_cut_for_some_time_only_delays_what_has_not_started)
{
    dir[0].load = 1;
    bench_run(b, 5000);
    line[0].unsynced_left = line[1].unsynced_left = 5000;
    bench_run(b, 4000);
    unsigned sent = b->end[0].events.out_packet;
    bench_run(b, 900);
    ck_assert_uint_eq(b->end[0].events.out_packet, sent);
    settle();
    ck_assert_uint_le(dir[0].bad + dir[0].missing, 2); /* in flight: the one on the wire, and the one being sent */
    ck_assert_uint_eq(dir[0].good + dir[0].bad + dir[0].missing, dir[0].sent);
    fill_to_the_last_word(0);
}

/* ---- the checkers ---- */

TEST(a_lost_packet_without_records_would_be_noticed)
{
    /* One packet lost on the wire, views compared before the next record can have passed. */
    traffic_put(&dir[0], 20);
    bench_run(b, 2);
    line[0].silent_left = 60;
    bench_run(b, 150);
    ck_assert_uint_ne(*b->end[1].port->rx_units, *b->end[0].port->view_tx_units);
    settle();
}

/* A sender that takes the buffer for one word larger than it is: where CRCs are kept one word is missing then, so a
 * packet is dropped whole and reported; nothing is written over. */
TEST(a_word_too_much_of_credit_is_noticed)
{
    struct traffic *d = &dir[0]; /* to the end that keeps CRCs */
    d->to->pop_percent = 0;
    *d->from->port->cfg_tx_capacity = 2048;
    for (int n = 0; n < 16; n++) traffic_put(d, 62);
    bench_run(b, 3500);
    ck_assert_uint_eq(h2n_waiting(d->from), 0);
    ck_assert_uint_eq(n2h_count(d->to), 15 * 64);
    ck_assert_uint_eq(d->to->events.drop_space, 1);
    *d->from->port->cfg_tx_capacity = 2046;
    settle();
    ck_assert_uint_eq(d->missing, 0); /* the last one: no later packet shows it */
    ck_assert_uint_eq(d->good, d->sent - 1);
}

TEST(a_wrong_word_in_a_good_packet_is_noticed, .exit = 1)
{
    traffic_put(&dir[0], 1);
    const struct word68 *word = b->end[0].h2n; /* DIRECT: from node 0 */
    struct stored_packet p = {.header = word[0].data & ~(0x7full << 56), .payload = {word[1].data ^ 1}};
    traffic_take(&dir[0], &p); /* must fail */
}
