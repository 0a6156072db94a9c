/* Losses between the nodes and the switch: credits, packets, a cable for some microseconds. Traffic goes on, data that
 * are lost are flagged, the views of buffer space agree again without a reset, nothing overflows, and afterwards
 * everything runs as before.
 *
 * A fabric meets several losses one after the other: each must be healed before the next. */
#include "crossbar4.h"
#include "scenario_bench.h"
#include "sim/system/nodes/fabric_space.h"
#include "system_bench.h"
#include "test.h"

enum { NODES = 4 };

/* Records of all 8 lanes of a NIC, and once more for a record that is lost itself. */
static const sim_time REPAIR = 2 * 8 * 2048 * 12800;

static double rate; /* of a run without losses, before */

/* A run with the options given, in pairs, NULL at the end. crc_hits: body CRCs that may be all that is hit of a packet.
 */
static void run_hit(scenario_bench *b, int lossy, unsigned crc_hits, const char *const *options)
{
    scenario_params_default(&b->p);
    scenario_bench_set(b, options);
    scenario_bench_complete(b);
    b->p.lossy = lossy;
    b->p.crc_hits = crc_hits;
    ck_assert_msg(!scenario_run(b->x, &b->p), "%s", b->x->error);
}

static void run(scenario_bench *b, int lossy, const char *const *options) { run_hit(b, lossy, 0, options); }

static const char *const usual[] = {"scenario", "round-robin", "sizes", "496", "warmup", "40", "measure", "150", NULL};

static void settle(scenario_bench *b, const char *after, int number)
{
    char text[200];
    ck_assert_msg(fabric_settle(b->f, REPAIR, NULL, text, sizeof text), "after %s %d: %s", after, number, text);
}

/* After a loss: every flow carries some packets, so that all flags that are due come; then space is whole. */
static void recover(scenario_bench *b, const char *after, int number)
{
    run(b, 1,
        (const char *const[]){"scenario", "round-robin", "sizes", "8..496", "warmup", "0", "measure", "30", "notify",
                              "1", "outstanding", "4", NULL});
    settle(b, after, number);
    for (unsigned i = 0; i < NODES; i++) {
        uint32_t status = 0;
        nx_register_read(b->f->node[i]->dev, NIC_STATUS, &status);
        status &= NIC_STATUS_FIFO_ERROR_MASK | NIC_STATUS_HEADER_STEP_MASK;
        ck_assert_msg(!status, "after %s %d: node %u has status %x", after, number, i, (unsigned)status);
    }
}

static void before(scenario_bench *b)
{
    run(b, 0, usual);
    rate = b->x->row[0].all.mib_per_s;
    ck_assert_double_gt(rate, NODES * 270);
}

/* After the last loss traffic runs as ever. */
static void as_before(scenario_bench *b)
{
    run(b, 0, usual);
    ck_assert_double_gt(b->x->row[0].all.mib_per_s, 0.98 * rate);
    settle(b, "all", 0);
}

static void fabric_test(void (*software)(scenario_bench *, int), int variation)
{
    fabric_params p;
    fabric_params_default(&p, NODES, &crossbar4_config);
    fabric_good(scenario_bench_new(&p), software, variation);
}

static const char *const traffic[] = {"scenario", "uniform", "sizes",  "8..496", "warmup", "0",
                                      "measure",  "100",     "notify", "2",      NULL};

/* ---- frames ---- */

/* Each strikes frames both ways, from node to switch and from switch to node, at the same time: records that repair one
 * way are in frames of the other. One way alone is what cut cables strike below. */
static const struct loss {
    int kinds;
    unsigned skip, count; /* of each way */
    frame_damage damage;
    int loses_packets;
} losses[] = {
    {FRAME_CREDIT, 3, 1, frame_lose_credit, 0},
    {FRAME_ANY, 0, 40, frame_lose_credit, 0},
    {FRAME_CREDIT, 2, 10, frame_credit_parity, 0},
    {FRAME_CREDIT, 2, 1, frame_code_error, 0},
    {FRAME_RECORD, 0, 3, frame_lose, 0},
    {FRAME_DATA, 5, 1, frame_lose, 1},
    {FRAME_DATA, 5, 8, frame_lose, 1},
    {FRAME_DATA, 5, 3, frame_bad_header_crc, 1},
    {FRAME_DATA, 5, 3, frame_bad_body, 1},
    {FRAME_DATA, 5, 3, frame_truncate, 1},
    {FRAME_DATA, 5, 3, frame_surplus, 0},
    {FRAME_DATA | FRAME_CREDIT, 2, 30, frame_lose, 1},
};

static void lose_frames(scenario_bench *b, frame_tap *tap, int number)
{
    const struct loss *l = &losses[number];
    static unsigned argument;
    argument = l->damage == frame_credit_parity ? 3 : 1;
    for (int from = 0; from < 2; from++) frame_tap_arm(tap, from, l->kinds, l->skip, l->count, l->damage, &argument);
    run(b, 1, traffic);
    for (int from = 0; from < 2; from++)
        ck_assert_msg(frame_tap_finished(tap, from), "loss %d: only %u frames of %u were damaged", number,
                      frame_tap_done(tap, from), l->count);
    const scoreboard_counts *c = &b->x->counts;
    unsigned long gone = c->lost + c->damaged;
    ck_assert_msg(l->loses_packets ? gone >= 2 && gone <= 2 * l->count : gone == 0, "loss %d: %lu packets are gone",
                  number, gone);
    for (int from = 0; from < 2; from++) frame_tap_arm(tap, from, 0, 0, 0, NULL, NULL);
    recover(b, "loss", number);
}

enum { LOSSES_OF_A_FABRIC = 12 };

static void lose_all(scenario_bench *b, int first)
{
    before(b);
    frame_tap *tap = tap_on(b->f->wire[1]);
    for (int i = first; i < first + LOSSES_OF_A_FABRIC && i < COUNT(losses); i++) lose_frames(b, tap, i);
    as_before(b);
}

TEST_CASE("losses", .timeout = 120);

TEST(lost_frames_leave_no_trace, .to = (COUNT(losses) + LOSSES_OF_A_FABRIC - 1) / LOSSES_OF_A_FABRIC)
{
    fabric_test(lose_all, _i * LOSSES_OF_A_FABRIC);
}

/* ---- cables ---- */

static const struct cut {
    unsigned node;
    int directions;
    sim_time at, length; /* [us] */
} cuts[] = {
    {1, CABLE_A_TO_B, 100, 1},  {1, CABLE_B_TO_A, 100, 1}, {2, CABLE_BOTH, 90, 3},  {3, CABLE_A_TO_B, 110, 20},
    {3, CABLE_B_TO_A, 110, 20}, {0, CABLE_BOTH, 80, 60},   {1, CABLE_BOTH, 70, 10},
};

struct cutter {
    scenario_bench *b;
    const struct cut *c;
};

static void cut_task(void *arg)
{
    const struct cutter *k = arg;
    cable *wire = k->b->f->wire[k->c->node];
    sim_wait_time(k->b->f->s, k->c->at * SIM_US);
    cable_cut(wire, k->c->directions);
    sim_wait_time(k->b->f->s, k->c->length * SIM_US);
    cable_reconnect(wire, k->c->directions);
}

static void cut(scenario_bench *b, int number)
{
    struct cutter k = {b, &cuts[number]};
    sim_task *t = sim_task_new(b->f->s, "cut", cut_task, &k);
    run_hit(b, 1, k.c->directions == CABLE_BOTH ? 2 : 1, traffic); /* the last packet of each direction ends there */
    sim_join(t);
    const scoreboard_counts *c = &b->x->counts;
    ck_assert_msg(c->landed > 200, "cut %d: only %lu packets landed", number, (unsigned long)c->landed);
    if (k.c->length > 5) ck_assert_msg(c->lost + c->damaged > 0, "cut %d has hit nothing", number);
    recover(b, "cut", number);
}

static void cut_all(scenario_bench *b, int unused)
{
    (void)unused;
    before(b);
    for (int i = 0; i < COUNT(cuts); i++) cut(b, i);
    as_before(b);
}

TEST(a_cable_cut_for_microseconds_delays_but_leaks_nothing) { fabric_test(cut_all, 0); }

/* ---- the checks themselves ---- */

/* A credit that is not repaired is seen: asked right after a packet, before its credit is back, the views do not agree.
 */
static void unsettled(scenario_bench *b, int variation)
{
    char text[200] = "";
    node *n = b->f->node[0];
    uint64_t source = n->platform.alloc(n, 496, 8), destination = b->f->node[1]->platform.alloc(b->f->node[1], 496, 8);
    (void)variation;
    before(b);
    settle(b, "traffic", 0);
    frame_tap *tap = tap_on(b->f->wire[0]);
    frame_tap_arm(tap, 1, FRAME_CREDIT, 0, 1000000, frame_lose, NULL);
    ck_assert_int_eq(nx_transfer(n->dev, 1, source, (uint32_t)destination, 496, 0, NULL), 0);
    sim_wait_time(b->f->s, 20 * SIM_US);
    ck_assert_int_eq(fabric_agrees(b->f, text, sizeof text), 0);
    ck_assert_msg(strstr(text, "node 0, lane 1"), "the text is \"%s\"", text);
}

TEST(views_that_differ_are_seen) { fabric_test(unsettled, _i); }
