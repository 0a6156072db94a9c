/* Which credits go on into a FIFO that may be full: its last output must be the credit accepted last, once that has
 * been repeated.
 */
#include "link_credit_news.h"
#include "simulation.h"
#include "test.h"

#include <stdint.h>

enum { FLOWS = 8, PERIOD = 12800, NONE = -1 };

static sim *s;
static link_credit_news *m;
static int accepted[FLOWS], sent[FLOWS]; /* the last value of each lane, and the last one that went into the FIFO */

static void clocks(unsigned n) { ck_assert_int_eq(sim_run(s, sim_now(s) + n * (sim_time)PERIOD), SIM_TIME_LIMIT); }

static void setup(void)
{
    s = loud_sim(0);
    m = link_credit_news_new(s, "news");
    sim_model_clock(m->model, make_clock(s, "clk", PERIOD, 0), m->clk);
    *m->rst = 1;
    *m->accepted = *m->again = *m->lane = *m->full = 0;
    clocks(2);
    *m->rst = 0;
    for (unsigned i = 0; i < FLOWS; i++) accepted[i] = sent[i] = NONE;
}

static void teardown(void) { link_credit_news_free(m); }

TEST_CASE("credit news", .setup = setup, .teardown = teardown);

/* One credit; whether it is news. */
static int credit(unsigned lane, int value, int full)
{
    *m->accepted = 1;
    *m->lane = (uint8_t)lane;
    *m->again = accepted[lane] == value;
    *m->full = full != 0;
    sim_model_eval(m->model);
    int news = *m->news;
    clocks(1);
    *m->accepted = 0;
    accepted[lane] = value;
    if (news && !full) sent[lane] = value;
    return news;
}

TEST(the_same_value_goes_over_once)
{
    for (unsigned lane = 0; lane < FLOWS; lane++) {
        ck_assert_int_eq(credit(lane, 0, 0), 1); /* after reset any value is news */
        ck_assert_int_eq(credit(lane, 0, 0), 0);
        ck_assert_int_eq(credit(lane, 5, 0), 1);
        ck_assert_int_eq(credit(lane, 5, 0), 0);
        ck_assert_int_eq(credit(lane, 5, 1), 0); /* nothing goes in, so a full FIFO loses nothing */
        ck_assert_int_eq(credit(lane, 5, 0), 0);
    }
}

TEST(what_a_full_fifo_refused_is_news_until_it_has_gone_in)
{
    credit(3, 1, 0);
    ck_assert_int_eq(credit(3, 2, 1), 1);
    ck_assert_int_eq(credit(3, 2, 1), 1);
    ck_assert_int_eq(credit(4, 2, 0), 1);
    ck_assert_int_eq(credit(3, 2, 0), 1);
    ck_assert_int_eq(credit(3, 2, 0), 0);
}

TEST(after_reset_nothing_is_known)
{
    credit(2, 7, 0);
    *m->rst = 1;
    clocks(1);
    *m->rst = 0;
    ck_assert_int_eq(credit(2, 7, 0), 1);
}

TEST(any_credits)
{
    unsigned quiet = 0, refused = 0;
    int owed[FLOWS] = {0}; /* the lane's last news has been refused */
    for (unsigned n = 0; n < 20000; n++) {
        unsigned lane = (unsigned)sim_random_below(s, FLOWS);
        int value = (int)sim_random_below(s, 3), full = n / 500 % 2 && !sim_random_below(s, 3);
        int expected = owed[lane] || accepted[lane] != value, news = credit(lane, value, full);
        ck_assert_msg(news == expected, "credit %u, lane %u: %d is %snews, %d has gone in last", n, lane, value,
                      news ? "" : "no ", sent[lane]);
        if (news) owed[lane] = full;
        else ck_assert_int_eq(sent[lane], value);
        quiet += !news;
        refused += news && full;
        clocks((unsigned)sim_random_below(s, 3));
    }
    ck_assert_uint_gt(quiet, 2000);
    ck_assert_uint_gt(refused, 1000);
}
