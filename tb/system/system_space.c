#include "system_space.h"

enum { MASK = 0xfff, CREDIT_STEP = 32, PACKETS = 64 };

space bench_space(bench *b, int from)
{
    uint32_t tx = bench_get(b, from, NIC_TX_SPACE), rx = bench_get(b, !from, NIC_RX_SPACE);
    return (space){tx >> 16 & MASK, tx & MASK, rx >> 16 & MASK, rx & MASK};
}

/* No packet is under way, and sender and receiver agree on the credit. */
static int quiet(const space *s) { return s->t == s->r && s->credit == (s->f & ~(unsigned)(CREDIT_STEP - 1)); }

static space settle(bench *b, int from, unsigned periods)
{
    sim_time limit = sim_now(b->s) + periods * RECORD_PERIOD * b->n[from]->params.net_period;
    space s = bench_space(b, from), again;
    for (;; s = again) {
        bench_wait(b, SIM_US);
        again = bench_space(b, from);
        if (quiet(&s) && !memcmp(&s, &again, sizeof s)) return s;
        ck_assert_msg(sim_now(b->s) < limit,
                      "from node %d: T %u credit %u, R %u F %u do not agree within %u check records", from, again.t,
                      again.credit, again.r, again.f, periods);
    }
}

void bench_agree(bench *b, int from, unsigned periods)
{
    space s = settle(b, from, periods);
    bench_wait(b, 5 * SIM_US); /* words that have left the buffer may still be on their way over the bus */
    ck_assert_msg(s.f == s.t, "from node %d: T = R = %u, but only %u are forwarded although nothing is under way", from,
                  s.t, s.f);
}

/* This many packets of this many words; waits until both sides have accounted for them. */
static space add(bench *b, int from, unsigned words, unsigned packets, piece *p)
{
    const unsigned t = (bench_space(b, from).t + packets * (2 * words + 4)) & MASK;
    sim_time limit = sim_now(b->s) + packets * 100 * SIM_US;
    for (unsigned i = 0; i < packets; i++) p[i] = bench_send(b, from, words, 0);
    while (bench_space(b, from).t != t) {
        ck_assert_msg(sim_now(b->s) < limit,
                      "from node %d: %u packets of %u words do not leave; T %u credit %u F %u capacity %u", from,
                      packets, words, bench_space(b, from).t, bench_space(b, from).credit, bench_space(b, from).f,
                      bench_get(b, from, NIC_TX_CAPACITY));
        bench_wait(b, SIM_US);
    }
    return settle(b, from, 4);
}

/* A packet of w words counts 2 w + 4 with the sender; with the receiver, whose buffer holds no CRCs, 2 w + 2. The low
 * five bits of the units forwarded by the receiver are not in the credit. So a buffer of N link words is full to N - 2
 * when the last packet has been the first one after a step of the credit: the sequence below sees to that. */
void bench_fill(bench *b, int from)
{
    piece p[PACKETS], blocked;
    unsigned n = 0, capacity = bench_get(b, from, NIC_TX_CAPACITY);
    bench_agree(b, from, 4);
    bench_initiator(b, !from, 0);
    space s = settle(b, from, 4);
    unsigned room = capacity - ((s.t - s.credit) & MASK);
    ck_assert_uint_le(room, capacity);
    for (; room; room = capacity - ((s.t - s.credit) & MASK)) {
        unsigned words, packets = 1;
        if (room > 128 + 134) words = 62, packets = (room - 134 - 1) / 128;             /* bulk */
        else if (room > 128 + 6) words = (room - 132) / 2 < 62 ? (room - 132) / 2 : 62; /* leaves 128 */
        else if (s.f % CREDIT_STEP != CREDIT_STEP - 2 && room != CREDIT_STEP) words = 1;
        else words = (room - 4) / 2; /* fits exactly */
        if (words < 1) words = 1;
        ck_assert_uint_le(words, 62);
        ck_assert_uint_lt(n + packets, PACKETS);
        s = add(b, from, words, packets, &p[n]);
        n += packets;
    }
    ck_assert_msg(((s.r - s.f) & MASK) == capacity - 2, "node %d holds %u link words of %u", !from, (s.r - s.f) & MASK,
                  capacity);
    /* not one packet more */
    uint32_t waited = bench_get(b, from, NIC_BACKPRESSURE_CYCLES);
    blocked = bench_send(b, from, 1, NX_REMOTE);
    bench_wait(b, 10 * SIM_US);
    ck_assert_uint_eq(bench_space(b, from).t, s.t);
    ck_assert_uint_gt(bench_get(b, from, NIC_BACKPRESSURE_CYCLES), waited);
    for (unsigned i = 0; i < n; i++) bench_untouched(b, &p[i]);
    bench_initiator(b, !from, 1);
    bench_notified(b, &blocked, 0);
    for (unsigned i = 0; i < n; i++) bench_must_arrive(b, &p[i]);
    bench_must_arrive(b, &blocked);
    bench_agree(b, from, 4);
    bench_expect_nothing(b, ALL);
}

void bench_prove(bench *b)
{
    bench_expect_nothing(b, ALL);
    for (int from = 0; from < 2; from++) {
        bench_agree(b, from, 4);
        bench_good(b, from, 62);
        bench_good(b, from, 512);
        bench_fill(b, from);
    }
}
