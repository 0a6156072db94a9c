/* roce_acks: time and content of each ACK. The reference is a list of events of each QP. */
#include "roce_acks.h"
#include "roce_frames.h"
#include "simulation.h"

#include <string.h>

TEST_CASE("acks", .timeout = 60);

enum { QPS = 8, LOG = 20000 };

static sim *s;
static sim_clock *clk;
static roce_acks *m;
static uint64_t clocks;
static unsigned busy_percent, tick_every;
static unsigned gone[QPS]; /* NAKs of a QP that count as gone */
static struct ack {
    unsigned qp, psn, syndrome, msn;
    uint64_t clock;
} seen[LOG];
static unsigned seen_count;

static void sample(void *self)
{
    (void)self;
    clocks++;
    if (!*m->rst && *m->nak_done) gone[*m->nak_done_qp]++;
    if (*m->rst || !*m->ack_valid || !*m->ack_ready) return;
    ck_must(seen_count < LOG, "too many ACKs");
    seen[seen_count++] = (struct ack){*m->ack_qp, *m->ack_psn, *m->ack_syndrome, *m->ack_msn, clocks};
}

static void drive(void *self)
{
    (void)self;
    *m->ack_ready = !sim_chance(s, busy_percent);
    *m->tick = tick_every && clocks % tick_every == 0;
}

static void set_up(unsigned mode)
{
    s = loud_sim(0);
    clk = make_clock(s, "clk", 6400, 3200);
    m = MODEL_AS(roce_acks, make_clocked(s, clk, &roce_acks_config, "dut"), NULL);
    sim_clock_attach(clk, sample, drive, NULL);
    clocks = seen_count = busy_percent = 0;
    memset(gone, 0, sizeof gone);
    tick_every = 700;
    *m->rst = 1;
    *m->ack_mode = (uint8_t)mode;
    *m->qp_limit = 0xff;
    for (unsigned qp = 0; qp < QPS; qp++) {
        *m->qp_switch = (uint16_t)(3u << 7 | qp); /* on */
        run_clocks(s, clk, 1);
    }
    *m->qp_switch = 0;
    *m->rst = 0;
}

/* Returns the clocks until it was taken. */
static unsigned post_ack(unsigned qp, unsigned psn, int now, unsigned syndrome)
{
    *m->ev_valid = 1;
    *m->ev_qp = (uint8_t)qp;
    *m->ev_psn = psn & 0xffffff;
    *m->ev_msn = (psn * 3) & 0xffffff;
    *m->ev_now = (uint8_t)now;
    *m->ev_nak = syndrome != 0;
    *m->ev_syndrome = (uint8_t)syndrome;
    for (unsigned n = 1;; n++) {
        int ready = *m->ev_ready;
        run_clocks(s, clk, 1);
        *m->ev_valid = !ready;
        if (ready) return n;
        ck_assert_uint_lt(n, 10000);
    }
}

static void saw(unsigned i, unsigned qp, unsigned psn, unsigned syndrome)
{
    ck_assert_uint_gt(seen_count, i);
    ck_assert_uint_eq(seen[i].qp, qp);
    ck_assert_uint_eq(seen[i].psn, psn & 0xffffff);
    ck_assert_uint_eq(seen[i].msn, (psn * 3) & 0xffffff);
    ck_assert_uint_eq(seen[i].syndrome, syndrome);
}

/* Asked for: at once, in the modes where it counts. Not asked for: 1..2 ticks after the oldest one, in the modes with a
 * timeout. */
TEST(each_mode, .to = 4)
{
    set_up((unsigned)_i);
    int at_once = _i != 1, timed = _i != 2;
    run_clocks(s, clk, 100);
    post_ack(3, 77, 1, 0);
    uint64_t sent = clocks;
    run_clocks(s, clk, 10);
    ck_assert_uint_eq(seen_count, (unsigned)at_once);
    if (at_once) ck_assert_uint_le(seen[0].clock - sent, 5);
    run_clocks(s, clk, 1500);
    saw(0, 3, 77, ACK_GOOD);
    ck_assert_uint_eq(seen_count, 1);
    post_ack(4, 5, 0, 0);
    sent = clocks;
    run_clocks(s, clk, 400);
    post_ack(4, 6, 0, 0); /* does not put it off */
    run_clocks(s, clk, 1700);
    ck_assert_uint_eq(seen_count, 1 + (unsigned)timed);
    if (!timed) return;
    saw(1, 4, 6, ACK_GOOD);
    ck_assert_uint_ge(seen[1].clock - sent, 700);
    ck_assert_uint_le(seen[1].clock - sent, 1420);
}

/* A NAK leaves at once, before ACKs that wait, in the order of the NAKs; the ACK of its QP need not follow. */
TEST(naks_go_first)
{
    set_up(0);
    busy_percent = 100;
    run_clocks(s, clk, 1);
    post_ack(0, 1, 1, 0); /* waits at TX's input */
    run_clocks(s, clk, 6);
    post_ack(1, 10, 1, 0);
    post_ack(2, 20, 1, 0);
    post_ack(1, 11, 0, NAK_SEQUENCE);
    post_ack(3, 30, 0, NAK_INVALID);
    post_ack(3, 31, 0, RNR_NAK | 14);
    busy_percent = 0;
    run_clocks(s, clk, 3000);
    ck_assert_uint_eq(seen_count, 5);
    saw(0, 0, 1, ACK_GOOD);
    saw(1, 1, 11, NAK_SEQUENCE);
    saw(2, 3, 30, NAK_INVALID);
    saw(3, 3, 31, RNR_NAK | 14);
    saw(4, 2, 20, ACK_GOOD);
}

/* An ACK event after a NAK leaves after it. */
TEST(an_ack_does_not_overtake_a_nak)
{
    set_up(0);
    busy_percent = 100;
    run_clocks(s, clk, 1);
    post_ack(0, 1, 1, 0);
    run_clocks(s, clk, 6);
    post_ack(5, 9, 0, NAK_SEQUENCE);
    post_ack(5, 9, 1, 0);
    post_ack(5, 10, 1, 0);
    busy_percent = 0;
    run_clocks(s, clk, 3000);
    ck_assert_uint_eq(seen_count, 3);
    saw(1, 5, 9, NAK_SEQUENCE);
    saw(2, 5, 10, ACK_GOOD); /* both packets by one */
}

/* One after a NAK that is not requested leaves in its time, though the NAK has replaced a queued ACK. */
TEST(the_timeout_outlives_a_nak)
{
    set_up(0);
    busy_percent = 100;
    run_clocks(s, clk, 1);
    post_ack(0, 1, 1, 0);
    run_clocks(s, clk, 6);
    post_ack(6, 2, 1, 0);
    post_ack(5, 9, 1, 0);
    post_ack(5, 10, 0, 0x60);
    post_ack(5, 10, 0, 0);
    busy_percent = 0;
    run_clocks(s, clk, 3000);
    ck_assert_uint_eq(seen_count, 4);
    saw(1, 5, 10, 0x60);
    saw(2, 6, 2, 0x1f);
    saw(3, 5, 10, 0x1f);
}

/* A newer packet of the same QP in any clock while the ACK of the older one is under way: the newest is acknowledged.
 */
TEST(a_newer_packet_at_any_moment, .to = 20)
{
    set_up(0);
    busy_percent = _i < 10 ? 0 : 100;
    run_clocks(s, clk, 1);
    post_ack(4, 3, 1, 0);
    post_ack(5, 8, 1, 0);
    if (_i % 10) run_clocks(s, clk, (unsigned)_i % 10);
    busy_percent = 0;
    post_ack(5, 9, 1, 0);
    run_clocks(s, clk, 100);
    ck_assert_uint_ge(seen_count, 2);
    saw(seen_count - 1, 5, 9, ACK_GOOD);
}

/* TX takes nothing: NAKs fill their queue and then wait outside, none is lost. */
TEST(no_nak_is_lost)
{
    set_up(0);
    busy_percent = 97;
    for (unsigned i = 0; i < 60; i++) post_ack(i % QPS, 100 + i, 0, NAK_SEQUENCE);
    run_clocks(s, clk, 4000);
    ck_assert_uint_eq(seen_count, 60);
    for (unsigned i = 0; i < 60; i++) saw(i, i % QPS, 100 + i, NAK_SEQUENCE);
}

/* QPs that are off, fatal, or restarted send no ACK; a fatal one its NAK. */
TEST(no_ack_of_a_dead_qp)
{
    set_up(0);
    busy_percent = 100;
    run_clocks(s, clk, 1);
    post_ack(0, 1, 1, 0);
    run_clocks(s, clk, 6);
    for (unsigned qp = 1; qp < 5; qp++) post_ack(qp, 8, 1, 0);
    post_ack(2, 9, 0, NAK_INVALID);
    *m->qp_fatal = 1 << 2 | 1 << 3;
    *m->qp_switch = 1u << 8 | 4; /* off */
    *m->restart_valid = 1;
    *m->restart_qp = 1;
    run_clocks(s, clk, 1);
    *m->qp_switch = 0;
    *m->restart_valid = 0;
    busy_percent = 0;
    run_clocks(s, clk, 3000);
    ck_assert_uint_eq(seen_count, 2);
    saw(1, 2, 9, NAK_INVALID);
    post_ack(1, 12, 1, 0);
    run_clocks(s, clk, 20);
    saw(2, 1, 12, ACK_GOOD);
}

/* A NAK counts as gone when TX is offered it; that is of a QP's former life when the QP is restarted. NAKs of others,
 * and new ones, leave; none does while `nak_hold`. */
TEST(no_nak_of_a_former_life)
{
    set_up(0);
    busy_percent = 100;
    run_clocks(s, clk, 1);
    for (unsigned i = 0; i < 4; i++) post_ack(i ? 2 : 1, 20 + i, 0, NAK_SEQUENCE);
    run_clocks(s, clk, 6);
    ck_assert_uint_eq(gone[1], 1);
    ck_assert_uint_eq(gone[2], 0);
    *m->restart_valid = 1;
    *m->restart_qp = 1;
    *m->nak_hold = 1;
    run_clocks(s, clk, 1);
    *m->restart_valid = 0;
    busy_percent = 0;
    run_clocks(s, clk, 50);
    ck_assert_uint_eq(seen_count + gone[2], 0);
    *m->nak_hold = 0;
    post_ack(1, 40, 0, NAK_INVALID);
    run_clocks(s, clk, 100);
    ck_assert_uint_eq(seen_count, 4);
    for (unsigned i = 0; i < 3; i++) saw(i, 2, 21 + i, NAK_SEQUENCE);
    saw(3, 1, 40, NAK_INVALID);
    ck_assert_uint_eq(gone[1], 2);
    ck_assert_uint_eq(gone[2], 3);
}

/* At random: every packet is acknowledged in time by itself or a later one, ACKs of a QP never go back, and nothing
 * else is acknowledged.
 */
static unsigned rounds(unsigned percent, int fault)
{
    set_up(0);
    busy_percent = percent;
    unsigned sent[QPS] = {0}, wrong = 0;
    uint64_t since[QPS] = {0};
    unsigned acked[QPS] = {0}, done = 0;
    for (unsigned i = 0; i < 6000; i++) {
        unsigned qp = (unsigned)sim_random_below(s, QPS);
        post_ack(qp, ++sent[qp], sim_random_below(s, 3) == 0, 0);
        if (fault && i == 5999) sent[qp] += 5;
        if (sent[qp] - 1 == acked[qp]) since[qp] = clocks;
        run_clocks(s, clk, sim_random_below(s, 100) == 0 ? 2500 : sim_random_below(s, 20));
        for (; done < seen_count; done++) {
            const struct ack *a = &seen[done];
            wrong += a->psn <= acked[a->qp] || a->psn > sent[a->qp] || a->msn != a->psn * 3 || a->syndrome != ACK_GOOD;
            acked[a->qp] = a->psn;
            since[a->qp] = a->clock;
        }
        for (unsigned q = 0; q < QPS; q++) wrong += acked[q] != sent[q] && clocks - since[q] > 2 * 700 + 2500;
    }
    run_clocks(s, clk, 3000);
    for (; done < seen_count; done++) acked[seen[done].qp] = seen[done].psn;
    for (unsigned q = 0; q < QPS; q++) wrong += acked[q] != sent[q];
    return wrong;
}

TEST(at_random, .to = 3)
{
    static const unsigned percents[] = {0, 50, 90};
    ck_assert_uint_eq(rounds(percents[_i], 0), 0);
    ck_assert_uint_gt(seen_count, 1000);
}

TEST(checker_sees_what_is_not_acknowledged) { ck_assert_uint_gt(rounds(0, 1), 0); }
