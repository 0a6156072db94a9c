/* Which sources may have lost 1024 packets in a row, from the reports of four links. The limit is worked out by hand:
 * 1024 smallest packets are 6144 units, of which a full buffer on each link, 4 x 1022, may not have been reported: 2056
 * have been. A source is suspect then at the latest, and not before half of it. */
#include "link_lost_many4.h"
#include "simulation.h"
#include "test.h"

enum {
    LINKS = 4,
    SOURCES = 8,
    LIMIT = 6144 - 4 * 1022,
    HALF = LIMIT / 2,
    PERIOD = 12800,
    STEPS = 4 * 4096 / HALF + 2 /* clocks for all of them */
};

static sim *s;
static link_lost_many4 *m;
static const sim_port *report_port;
static unsigned since[SOURCES]; /* units reported since the source's last packet */

static void clocks(unsigned n) { ck_assert_int_eq(sim_run(s, sim_now(s) + n * (sim_time)PERIOD), SIM_TIME_LIMIT); }

static void setup(void)
{
    s = loud_sim(0);
    sim_clock *clk = make_clock(s, "clk", PERIOD, 0);
    m = link_lost_many4_new(s, "many");
    sim_model_clock(m->model, clk, m->clk);
    report_port = sim_model_port(m->model, "lost_units");
    *m->rst = 1;
    sim_port_set_field(report_port, 0, 13 * LINKS, 0);
    *m->stored = 0;
    *m->stored_source = 0;
    clocks(4);
    *m->rst = 0;
    for (unsigned i = 0; i < SOURCES; i++) since[i] = 0;
}

static void teardown(void) { link_lost_many4_free(m); }

TEST_CASE("lost many", .setup = setup, .teardown = teardown);

static void compare(void)
{
    for (unsigned i = 0; i < SOURCES; i++) {
        unsigned suspect = *m->suspect >> i & 1;
        ck_assert_msg(suspect || since[i] < LIMIT,
                      "source %u: %u lost units since its last packet, and it is not suspect", i, since[i]);
        ck_assert_msg(!suspect || since[i] >= HALF, "source %u: suspect after %u units", i, since[i]);
    }
}

/* Some links report missing units, then packets arrive on some. */
static void news(const unsigned *units, const int *source)
{
    for (unsigned l = 0; l < LINKS; l++) {
        sim_port_set_field(report_port, 13 * l, 13, units[l]);
        for (unsigned i = 0; i < SOURCES; i++) since[i] += units[l];
    }
    clocks(1);
    sim_port_set_field(report_port, 0, 13 * LINKS, 0);
    clocks(STEPS);
    compare();
    for (unsigned l = 0; l < LINKS; l++) {
        *m->stored = source[l] >= 0;
        *m->stored_source = source[l] < 0 ? (uint8_t)sim_random_below(s, SOURCES) : (uint8_t)source[l];
        if (source[l] >= 0) since[source[l]] = 0;
        clocks(1);
    }
    *m->stored = 0;
    clocks(1);
    compare();
}

TEST(any_losses_and_packets)
{
    unsigned suspects = 0;
    for (unsigned n = 0; n < 5000; n++) {
        unsigned units[LINKS];
        int source[LINKS];
        for (unsigned l = 0; l < LINKS; l++) {
            units[l] = sim_random_below(s, 4) ? 0 : (unsigned)sim_random_below(s, sim_random_below(s, 8) ? 300 : 4097);
            source[l] =
                sim_random_below(s, 3) ? -1 : (int)(sim_random_below(s, SOURCES) & sim_random_below(s, SOURCES));
        }
        news(units, source);
        suspects += *m->suspect != 0;
    }
    ck_assert_uint_gt(suspects, 250);
}

TEST(a_source_that_comes_is_not_suspect_whatever_others_lose)
{
    for (unsigned n = 0; n < 200; n++) {
        news((unsigned[]){300, 200, 100, 400}, (int[]){-1, 3, -1, -1});
        ck_assert_uint_eq(*m->suspect >> 3 & 1, 0);
    }
    ck_assert_uint_eq(*m->suspect, 0xf7);
}
