/* voq_path_credit against sums kept here: units sent and credited, of each path and lane, in numbers that do not wrap.
 */
#include "simulation.h"
#include "voq_path_credit.h"

enum { LANES = 8, PATHS = 4, WAIT = 3 /* clocks behind a packet without one */ };

struct account {
    unsigned sent, credited; /* [half units]; credited in steps of 16 */
    int seen;
};

struct bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    voq_path_credit *m;
    struct account at[LANES][PATHS];
    unsigned capacity; /* [units] */
    unsigned lower, waited, refused, fits;
};

static unsigned below(struct bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static void clock_once(struct bench *b)
{
    run_clocks(b->s, b->clk, 1);
    *b->m->clear = *b->m->sent_valid = 0;
}

static void clear(struct bench *b)
{
    for (unsigned i = 0; i < LANES * PATHS; i++) {
        *b->m->clear = 1;
        *b->m->clear_lane = (uint8_t)(i % LANES);
        *b->m->clear_path = (uint8_t)(i / LANES);
        sim_model_eval(b->model);
        ck_assert_uint_eq(*b->m->credit_taken, 0);
        clock_once(b);
        b->at[i % LANES][i / LANES] = (struct account){0};
    }
}

static void setup_bench(struct bench *b, uint64_t seed, unsigned capacity)
{
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->model = make_clocked(b->s, b->clk, &voq_path_credit_config, "dut");
    b->m = MODEL_AS(voq_path_credit, b->model, NULL);
    *b->m->cfg_capacity = (uint16_t)(b->capacity = capacity);
    clear(b);
}

/* All paths of a lane, for a packet of this many words. */
static void look(struct bench *b, unsigned lane, unsigned words)
{
    *b->m->look_lane = (uint8_t)lane;
    *b->m->look_words = (uint16_t)words;
    sim_model_eval(b->model);
    for (unsigned p = 0; p < PATHS; p++) {
        const struct account *x = &b->at[lane][p];
        unsigned out = x->sent - x->credited;
        int fits = x->seen && 2 * (out + words + 2) <= b->capacity;
        ck_must((*b->m->look_fits >> p & 1) == fits,
                "lane %u path %u: %u halves out, %u words, capacity %u: fits is %d", lane, p, out, words, b->capacity,
                !fits);
        if (x->seen)
            ck_must((*b->m->look_idle >> p & 1) == (out < 16), "lane %u path %u: %u halves out, idle is wrong", lane, p,
                    out);
        b->fits += (unsigned)fits;
        b->refused += x->seen && !fits;
    }
}

static void send(struct bench *b, unsigned lane, unsigned path, unsigned words)
{
    struct account *x = &b->at[lane][path];
    *b->m->sent_valid = 1;
    *b->m->sent_lane = (uint8_t)lane;
    *b->m->sent_path = (uint8_t)path;
    *b->m->sent_words = (uint16_t)words;
    sim_model_eval(b->model);
    ck_assert_uint_eq(*b->m->credit_taken, 0);
    ck_assert_uint_eq(*b->m->units, x->sent & 2047);
    x->sent += words + 2;
    ck_assert_uint_eq(*b->m->units_sent, x->sent & 2047);
}

/* A credit waits until it is taken; then it counts. One of a missing virtual channel is also taken. */
static void credit(struct bench *b)
{
    unsigned lane = *b->m->credit_lane;
    if (!*b->m->credit_valid) return;
    sim_model_eval(b->model);
    b->waited += !*b->m->credit_taken;
    ck_assert_uint_eq(*b->m->changed, *b->m->credit_taken && lane < LANES);
    if (!*b->m->changed) return;
    struct account *x = &b->at[lane][*b->m->credit_path];
    unsigned gain = (*b->m->credit_value - x->credited / 16) & 127;
    ck_assert_uint_eq(*b->m->units, x->sent & 2047);
    ck_assert_uint_eq(*b->m->lower, x->seen && gain >= 64);
    b->lower += *b->m->lower;
    x->credited += 16 * (gain < 64 ? gain : gain - 128);
    x->seen = 1;
}

static void traffic(struct bench *b, unsigned clocks, int skips_a_credit)
{
    for (unsigned quiet = 0; clocks; clocks--, quiet++) {
        unsigned lane = below(b, LANES), path = below(b, PATHS), words = 1 + below(b, below(b, 2) ? 512 : 16);
        look(b, lane, words);
        if (*b->m->look_fits >> path & 1 && quiet > WAIT && below(b, 2)) {
            send(b, lane, path, words);
            quiet = 0;
        }
        if (!*b->m->credit_valid && below(b, 2)) {
            unsigned of = below(b, 20) ? below(b, LANES) : LANES + below(b, LANES), by = below(b, PATHS);
            const struct account *x = &b->at[of % LANES][by];
            unsigned out = (x->sent - x->credited) / 16;
            int wrong = x->credited && below(b, 50) == 0; /* less than the last one */
            *b->m->credit_valid = 1;
            *b->m->credit_lane = (uint8_t)of;
            *b->m->credit_path = (uint8_t)by;
            *b->m->credit_value = (uint8_t)((x->credited / 16 + (wrong ? 127 : below(b, out + 1))) & 127);
        }
        credit(b);
        int taken = *b->m->credit_valid && *b->m->credit_taken;
        if (skips_a_credit && below(b, 20) == 0) *b->m->credit_valid = 0;
        clock_once(b);
        if (taken) *b->m->credit_valid = 0;
    }
}

TEST_CASE("path credit");

static const unsigned capacities[] = {2046, 1022, 256, 0};

TEST(each_path_of_each_lane_has_its_credit, .to = COUNT(capacities))
{
    struct bench *b = test_memory(sizeof *b);
    setup_bench(b, (uint64_t)_i, capacities[_i]);
    for (unsigned round = 0; round < 3; round++) {
        traffic(b, 20000, 0);
        clear(b);
    }
    if (!b->capacity) return;
    ck_assert_uint_gt(b->waited, 500);
    ck_assert_uint_gt(b->lower, 100);
    ck_assert_uint_gt(b->refused, 500);
    ck_assert_uint_gt(b->fits, 500);
}

/* The check can fail: a credit that counts here is kept from the module. */
TEST(checker_sees_a_credit_that_is_missing, .exit = 1)
{
    struct bench *b = test_memory(sizeof *b);
    setup_bench(b, 1, 256);
    for (unsigned n = 0; n < 50; n++) traffic(b, 1000, 1);
}
