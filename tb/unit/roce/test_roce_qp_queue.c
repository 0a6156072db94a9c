/* roce_qp_queue: QPs in line, each once. The reference is a list. */
#include "roce_qp_queue.h"
#include "simulation.h"

TEST_CASE("turns", .timeout = 60);

enum { QPS = 8 };

static sim *s;
static sim_clock *clk;
static roce_qp_queue *m;
static unsigned line[QPS], length;

static void set_up(void)
{
    s = loud_sim(0);
    clk = make_clock(s, "clk", 6400, 3200);
    m = MODEL_AS(roce_qp_queue, make_clocked(s, clk, &roce_qp_queue_config, "dut"), NULL);
}

/* After a reset the queue is empty, whatever was before. */
static void reset(void)
{
    *m->add = *m->take = 0;
    *m->rst = 1;
    run_clocks(s, clk, 2);
    *m->rst = 0;
    run_clocks(s, clk, QPS);
    length = 0;
}

/* A clock: compares the head of the line with the list; then its add and take. */
static int step(int add, unsigned qp, int take)
{
    int right = *m->waits == (length != 0) && (!length || *m->qp == line[0]);
    take = take && length;
    *m->add = (uint8_t)add;
    *m->add_qp = (uint8_t)qp;
    *m->take = (uint8_t)take;
    if (take) {
        length--;
        for (unsigned i = 0; i < length; i++) line[i] = line[i + 1];
    }
    int there = 0;
    for (unsigned i = 0; i < length; i++) there |= line[i] == qp;
    if (add && !there) line[length++] = qp;
    run_clocks(s, clk, 1);
    return right;
}

/* Wrong clocks in many, with resets in between. A fault: an add that the queue does not get. */
static unsigned rounds(int fault)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < 20000; i++) {
        if (i % 1000 == 0) reset();
        unsigned busy = i / 100 % 10 * 10;
        int add = sim_random_below(s, 100) < 50;
        unsigned qp = (unsigned)sim_random_below(s, QPS);
        if (fault && i == 19500) reset(), line[length++] = qp;
        wrong += !step(add, qp, sim_random_below(s, 100) >= busy);
    }
    return wrong;
}

TEST(at_random)
{
    set_up();
    ck_assert_uint_eq(rounds(0), 0);
}

TEST(checker_sees_one_that_is_not_there)
{
    set_up();
    ck_assert_uint_gt(rounds(1), 0);
}

/* All are in line once, in order; one that is added in the clock in which it is taken gets in again, behind the others.
 */
TEST(each_once)
{
    set_up();
    reset();
    for (int twice = 0; twice < 2; twice++)
        for (unsigned qp = 0; qp < QPS; qp++) ck_assert(step(1, (qp * 3 + 5) % QPS, 0));
    ck_assert(step(1, 5, 1));
    ck_assert_uint_eq(length, QPS);
    for (unsigned i = 1; i <= QPS; i++) {
        ck_assert_uint_eq(*m->qp, (i % QPS * 3 + 5) % QPS);
        ck_assert(step(0, 0, 1));
    }
    ck_assert_uint_eq(*m->waits, 0);
}
