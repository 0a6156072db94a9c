/* voq_ahead with switches played here: units that have left them are known exactly, and the module, which sees credits
 * in steps of 32 units only, must never let a number run past the bound, and must let everything go in the end. */
#include "simulation.h"
#include "voq_ahead.h"

enum {
    LANES = 8,
    PATHS = 4,
    CAPACITY = 256 /* [half units] of a crosspoint */,
    MOST = 128 /* packets in one */,
    PAST = 6 * PATHS
};

struct buffer {
    unsigned sent, left, credited; /* [half units], never wrap here */
    struct {
        unsigned number, sent;
    } packet[MOST];
    unsigned first, count;
    int stopped;
};

/* Clocks from the start of a packet to that of the next one at least; until every lane has been looked at, whatever
 * goes on. */
enum { SPACING = 4, ALL_LANES = 40 * LANES };

struct bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    voq_ahead *m;
    struct buffer at[LANES][PATHS];
    unsigned next[LANES], ahead;
    unsigned since; /* clocks since a packet was started */
    int ignores_hold, hurries;
    unsigned long packets, farthest, blocked;
};

static unsigned below(struct bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static void clock_once(struct bench *b)
{
    run_clocks(b->s, b->clk, 1);
    b->since++;
    *b->m->sent_valid = *b->m->step = *b->m->credit_valid = *b->m->clear = 0;
}

/* Units passed on by the switch of a path are credited, in steps of 16 half units. */
static void credit(struct bench *b, unsigned lane, unsigned path)
{
    struct buffer *x = &b->at[lane][path];
    x->credited = x->left;
    *b->m->credit_valid = 1;
    *b->m->credit_lane = (uint8_t)lane;
    *b->m->credit_path = (uint8_t)path;
    *b->m->credit_value = x->credited / 16 & 127;
    *b->m->credit_units = x->sent & 2047;
}

static void leave(struct buffer *x)
{
    if (!x->count || x->stopped) return;
    x->left = x->packet[x->first % MOST].sent;
    x->first++;
    x->count--;
}

/* Paths by which the next packet of a lane may go. */
static unsigned may_go(struct bench *b, unsigned lane)
{
    *b->m->look_lane = *b->m->next_lane = (uint8_t)lane;
    *b->m->look_idle = 0;
    for (unsigned p = 0; p < PATHS; p++)
        *b->m->look_idle |= (uint8_t)((b->at[lane][p].sent - b->at[lane][p].credited / 16 * 16 < 16) << p);
    sim_model_eval(b->model);
    ck_assert_uint_eq(*b->m->next_number, b->next[lane] & 1023);
    return *b->m->look_open;
}

/* As voq_departure does: a packet starts some clocks behind the one before it, and is counted in the clock behind that,
 * or one later. */
static void start(struct bench *b)
{
    for (sim_model_eval(b->model); b->since < SPACING || (*b->m->hold && !b->ignores_hold); sim_model_eval(b->model))
        clock_once(b);
    b->since = 0;
    clock_once(b);
    if (!b->hurries && below(b, 4) == 0) clock_once(b);
}

static void send(struct bench *b, unsigned lane, unsigned path, unsigned words)
{
    start(b);
    struct buffer *x = &b->at[lane][path];
    unsigned number = b->next[lane]++;
    for (unsigned p = 0; p < PATHS; p++) {
        const struct buffer *other = &b->at[lane][p];
        if (p == path || !other->count) continue;
        unsigned behind = number - other->packet[other->first % MOST].number;
        b->farthest = behind > b->farthest ? behind : b->farthest;
        ck_must(behind < b->ahead + PAST, "number %u by path %u: %u ahead of one in switch %u, bound %u", number, path,
                behind, p, b->ahead);
    }
    x->sent += words + 2;
    x->packet[(x->first + x->count) % MOST].number = number;
    x->packet[(x->first + x->count++) % MOST].sent = x->sent;
    *b->m->sent_valid = *b->m->step = 1;
    *b->m->sent_lane = *b->m->step_lane = (uint8_t)lane;
    *b->m->sent_path = (uint8_t)path;
    *b->m->sent_units = (uint16_t)(x->sent & 2047);
    clock_once(b);
    if (below(b, 2)) { /* a credit that waited for it */
        unsigned other = below(b, PATHS);
        leave(&b->at[lane][other]);
        credit(b, lane, other);
    }
    b->packets++;
}

static void idle(struct bench *b, unsigned clocks)
{
    while (clocks--) clock_once(b);
}

static struct bench *bench_new(uint64_t seed, unsigned ahead)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->model = make_clocked(b->s, b->clk, &voq_ahead_config, "dut");
    b->m = MODEL_AS(voq_ahead, b->model, NULL);
    *b->m->cfg_ahead = (uint16_t)(b->ahead = ahead);
    *b->m->look_in_use = (1 << PATHS) - 1;
    *b->m->credit_in_use = 1;
    for (unsigned lane = 0; lane < LANES; lane++) {
        *b->m->clear = 1;
        *b->m->clear_lane = (uint8_t)lane;
        clock_once(b);
    }
    idle(b, LANES * PATHS); /* each lane has been looked at */
    return b;
}

/* Short and long packets by any path that may take them, looked at some clocks before they go; switches stop for a
 * while and go on. */
static void traffic(struct bench *b, unsigned clocks, unsigned longest, unsigned stops)
{
    while (clocks--) {
        unsigned lane = below(b, LANES), path = below(b, PATHS), words = 1 + below(b, longest);
        struct buffer *x = &b->at[lane][path];
        if (stops && below(b, stops) == 0) x->stopped = !x->stopped;
        for (unsigned i = below(b, 3); i; i--) leave(&b->at[below(b, LANES)][below(b, PATHS)]);
        if (below(b, 2)) idle(b, below(b, 8));
        unsigned open = may_go(b, lane);
        b->blocked += open != (1 << PATHS) - 1;
        if (below(b, 2)) idle(b, below(b, 8));
        if (open >> path & 1 && x->sent - x->credited / 16 * 16 + words + 2 <= CAPACITY && x->count < MOST)
            send(b, lane, path, words);
        else if (below(b, 2)) {
            credit(b, lane, path);
            clock_once(b);
        } else clock_once(b);
    }
}

TEST_CASE("ahead", .timeout = 60);

static const struct {
    unsigned ahead, longest, stops;
} manners[] = {{256, 1, 2000}, {64, 1, 500}, {8, 1, 200}, {8, 62, 100}, {448, 4, 3000}, {40, 120, 50}};

TEST(no_number_runs_past_the_bound, .to = COUNT(manners))
{
    struct bench *b = bench_new((uint64_t)_i, manners[_i].ahead);
    traffic(b, 60000, manners[_i].longest, manners[_i].stops);
    ck_assert_uint_gt(b->packets, 1500);
    ck_assert_uint_gt(b->blocked, 100);
    ck_assert_uint_gt(b->farthest, manners[_i].ahead / 2);
    /* all leaves, and is credited: whatever the credits cannot report, the next packets go */
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned p = 0; p < PATHS; p++) {
            b->at[lane][p].stopped = 0;
            while (b->at[lane][p].count) leave(&b->at[lane][p]);
            credit(b, lane, p);
            clock_once(b);
            clock_once(b);
        }
    for (unsigned n = 0; n < 4000; n++) {
        unsigned lane = n % LANES, open = may_go(b, lane);
        for (unsigned clocks = 0; !open && clocks < ALL_LANES; clocks++) {
            clock_once(b);
            open = may_go(b, lane);
        }
        ck_must(open, "lane %u: nothing may go, and nothing is under way", lane);
        unsigned p = (unsigned)__builtin_ctz(open);
        send(b, lane, p, 1);
        leave(&b->at[lane][p]);
        credit(b, lane, p);
        clock_once(b);
    }
}

/* A path taken out of use is waited for while its switch holds a packet that a credit can report, and no longer: a
 * credit says so, be it one that has been sent before. */
TEST(what_is_out_of_use_is_waited_for_until_it_is_idle, .to = 3)
{
    static const unsigned first[] = {62, 30, 1}; /* words; units not shown by a credit: none, 16 units, all */
    struct bench *b = bench_new(0, 8);
    b->at[3][1].stopped = 1;
    send(b, 3, 1, first[_i]);
    *b->m->look_in_use = ~2u & ((1u << PATHS) - 1);
    while (may_go(b, 3) & 1) {
        send(b, 3, 0, 1);
        leave(&b->at[3][0]);
        ck_assert_uint_le(b->next[3], 8);
    }
    ck_assert_uint_ge(b->next[3], 6); /* two below the bound */
    for (unsigned again = 0; again < 2; again++) {
        *b->m->credit_in_use = 0;
        credit(b, 3, 1);
        clock_once(b);
        idle(b, PATHS * LANES);
        ck_assert_uint_eq(may_go(b, 3) & 1, first[_i] == 1 || again);
        if (first[_i] == 1) return;
        b->at[3][1].stopped = 0;
        leave(&b->at[3][1]);
    }
    *b->m->credit_in_use = 1;
    for (unsigned n = 0; n < 600; n++) { /* and never again */
        ck_assert_uint_eq(may_go(b, 3) & 3, 1);
        send(b, 3, 0, 1);
        leave(&b->at[3][0]);
        credit(b, 3, 0);
        clock_once(b);
    }
}

/* ... or dead. */
TEST(what_is_out_of_use_is_waited_for_until_it_is_dead)
{
    struct bench *b = bench_new(0, 8);
    b->at[3][1].stopped = 1;
    send(b, 3, 1, 62);
    *b->m->look_in_use = 1;
    while (may_go(b, 3) & 1) send(b, 3, 0, 1);
    *b->m->dead = 2;
    idle(b, PATHS * LANES);
    ck_assert_uint_eq(may_go(b, 3), 1);
}

/* A lane that had to wait for a path, which has gone on since, while another one sends as fast as it can. */
static void wait_beside_short_packets(struct bench *b)
{
    b->hurries = 1;
    b->at[5][1].stopped = 1;
    send(b, 5, 1, 62);
    while (may_go(b, 5) & 1) send(b, 5, 0, 1);
    b->at[5][1].left = b->at[5][1].sent;
    for (unsigned n = 0; n < 4 + ALL_LANES / SPACING; n++) {
        send(b, 0, 0, 1);
        leave(&b->at[0][0]);
        credit(b, n == 4 ? 5 : 0, n == 4 ? 1 : 0);
    }
    ck_must(may_go(b, 5) & 1, "virtual channel 5 still waits for units passed on %u clocks ago", ALL_LANES);
}

TEST(every_lane_has_its_turn) { wait_beside_short_packets(bench_new(0, 8)); }

TEST(checker_sees_a_lane_without_its_turn, .exit = 1)
{
    struct bench *b = bench_new(0, 8);
    b->ignores_hold = 1;
    wait_beside_short_packets(b);
}

/* A path that was dead, in use again after many numbers: its earlier units are not waited for. */
TEST(what_was_dead_has_nothing_when_it_is_back)
{
    struct bench *b = bench_new(0, 64);
    for (unsigned lane = 0; lane < LANES; lane++) send(b, lane, 1, 62);
    *b->m->dead = 2;
    for (unsigned lane = 0; lane < LANES; lane++) {
        b->at[lane][1].count = 0;
        clock_once(b);
        clock_once(b);
    }
    *b->m->dead = 0;
    for (unsigned n = 0; n < 600; n++) {
        ck_assert_uint_eq(may_go(b, 3), (1 << PATHS) - 1);
        send(b, 3, 0, 1);
        leave(&b->at[3][0]);
        credit(b, 3, 0);
        clock_once(b);
    }
}

/* The check can fail: the module gets a larger bound than the one it is checked by. */
TEST(checker_sees_a_number_past_the_bound, .exit = 1)
{
    struct bench *b = bench_new(1, 64);
    *b->m->cfg_ahead = 200;
    traffic(b, 60000, 1, 500);
}
