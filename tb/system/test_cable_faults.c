/* A cable that is cut and joined again, one that makes wrong bits, and what is left of the traffic. */
#include "frame_tap.h"
#include "system_space.h"
#include "test.h"
#include "watch.h"

enum {
    LINK_ERRORS = NIC_STATUS_SEQUENCE_GAP_MASK | NIC_STATUS_BODY_CRC_MASK | NIC_STATUS_PACKET_DROPPED_MASK | NIC_STATUS_CREDIT_REJECTED_MASK
};

/* What each transfer of a stream became. */
static unsigned lost_of(bench *b, const piece *p, unsigned n)
{
    unsigned lost = 0;
    for (unsigned i = 0; i < n; i++) lost += !bench_arrived(b, &p[i]);
    return lost;
}

/* The next notification of `from` that tells of lost data is flagged, those after it are good; no FIFO has overflowed. */
static void recover(bench *b, int from, unsigned lost)
{
    nx_notification old;
    uint32_t before = bench_risen(b, !from, NIC_FLAGGED_NOTIFICATIONS);
    nx_notification_poll(b->n[!from]->dev, (unsigned)from, &old);
    piece next = bench_send(b, from, 9, NX_REMOTE);
    nx_notification note;
    int r = nx_notification_wait(b->n[!from]->dev, (unsigned)from, &note);
    ck_assert_msg(r == NX_OK || r == NX_ERROR_FLAGGED, "%s", nx_last_error(b->n[!from]->dev));
    bench_must_arrive(b, &next);
    uint32_t now = bench_risen(b, !from, NIC_FLAGGED_NOTIFICATIONS);
    ck_assert_msg(!lost || now, "%u transfers of node %d lost, none flagged", lost, from);
    ck_assert_uint_eq(now - before, r == NX_ERROR_FLAGGED);
    ck_assert_uint_eq(bench_get(b, !from, NIC_STATUS) & ~(uint32_t)LINK_ERRORS, 0);
    ck_assert_uint_eq(bench_get(b, from, NIC_STATUS) & ~(uint32_t)LINK_ERRORS, 0);
}

static void finish(bench *b)
{
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    bench_prove(b);
}

/* ---- cuts */

struct cut {
    int directions;
    sim_time start, length; /* [ps] after the stream has begun */
};
static const struct cut cuts[] = {
    {CABLE_A_TO_B, 20 * SIM_US, 1 * SIM_US}, {CABLE_A_TO_B, 31 * SIM_US, 10 * SIM_US},
    {CABLE_B_TO_A, 20 * SIM_US, 1 * SIM_US}, {CABLE_B_TO_A, 33 * SIM_US, 15 * SIM_US},
    {CABLE_BOTH, 25 * SIM_US, 3 * SIM_US},   {CABLE_BOTH, 17 * SIM_US, 50 * SIM_US},
    {CABLE_BOTH, 22 * SIM_US, 300 * SIM_US}, {CABLE_BOTH, 0, 2 * SIM_US},
};

struct sender {
    bench *b;
    int from;
    unsigned n;     /* to send */
    unsigned count; /* made so far */
    piece p[100];
    watch w;
};

static void send_task(void *arg)
{
    struct sender *s = arg;
    while (s->count < s->n) {
        piece *p = &s->p[s->count];
        *p = bench_make(s->b, s->from, 1 + (unsigned)sim_random_below(s->b->p->s, 62));
        s->count++;
        bench_post(s->b, p, NX_REMOTE | NX_LOCAL);
    }
    ck_assert_int_eq(nx_drain(s->b->n[s->from]->dev, (unsigned)!s->from), NX_OK);
}

TEST_CASE("cable_faults", .timeout = 60);

SOFTWARE_TEST(a_cut_cable_loses_packets_but_no_space, .to = COUNT(cuts))
{
    const struct cut *c = &cuts[_i];
    static struct sender s[2];
    sim_task *task[2];
    for (int i = 0; i < 2; i++) {
        s[i] = (struct sender){.b = b, .from = i, .n = 100};
        watch_start(&s[i].w, b, i, s[i].p, &s[i].count, 0);
        task[i] = sim_task_new(b->p->s, "sender", send_task, &s[i]);
    }
    bench_wait(b, c->start + 1000);
    cable_cut(b->p->wire, c->directions);
    bench_wait(b, c->length);
    cable_reconnect(b->p->wire, c->directions);
    for (int i = 0; i < 2; i++) sim_join(task[i]);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 4);
    for (int i = 0; i < 2; i++) {
        unsigned lost = lost_of(b, s[i].p, s[i].n);
        recover(b, i, lost);
        if (!(c->directions & (i ? CABLE_B_TO_A : CABLE_A_TO_B))) ck_assert_uint_eq(lost, 0);
        if (c->directions & (i ? CABLE_B_TO_A : CABLE_A_TO_B)) ck_assert_uint_gt(bench_get(b, !i, NIC_GT0_LOSS_OF_SYNC), 0);
        /* only what was on the wire is lost: the sender's transceiver does not know of the cut, so it goes on for as long as it has credit
         */
        ck_assert_uint_lt(lost, 60);
    }
    finish(b);
}

/* ---- a noisy cable */

struct noise {
    bench *b;
    uint64_t one_in; /* words */
    int heavy;       /* whole words are wrong, not one bit */
    uint64_t done;
};

static void noisy(void *arg, frame_word *w)
{
    struct noise *n = arg;
    if (sim_random_below(n->b->p->s, n->one_in)) return;
    n->done++;
    *w->flip ^= n->heavy ? sim_random(n->b->p->s) & 0xffffffffffu : (uint64_t)1 << sim_random_below(n->b->p->s, 40);
}

SOFTWARE_TEST(wrong_bits_lose_packets_but_no_space, .to = 8)
{
    static const unsigned one_in[] = {5000, 1000, 300, 100};
    struct noise n[2] = {{b, one_in[_i / 2], _i & 1, 0}, {b, one_in[_i / 2], _i & 1, 0}};
    static struct sender s[2];
    sim_task *task[2];
    frame_tap *tap = frame_tap_new(b->p->wire);
    for (int i = 0; i < 2; i++) frame_tap_arm(tap, i, FRAME_ANY, 0, ~0u, noisy, &n[i]);
    for (int i = 0; i < 2; i++) {
        s[i] = (struct sender){.b = b, .from = i, .n = 100};
        watch_start(&s[i].w, b, i, s[i].p, &s[i].count, 0);
        task[i] = sim_task_new(b->p->s, "sender", send_task, &s[i]);
    }
    for (int i = 0; i < 2; i++) sim_join(task[i]);
    frame_tap_free(tap);
    ck_assert_uint_gt(n[0].done + n[1].done, 0);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 6);
    for (int i = 0; i < 2; i++) recover(b, i, lost_of(b, s[i].p, s[i].n));
    finish(b);
}
