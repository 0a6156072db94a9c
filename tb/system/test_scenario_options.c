/* Options and patterns of scenarios, without a simulation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/scenario/scenario.h"
#include "test.h"

static char error[SCENARIO_ERROR];

TEST_CASE("options");

TEST(wrong_values_name_option_value_and_what_is_expected)
{
    static const char *const bad[][3] = {
        {"scenario", "ping", "ping-pong"},
        {"sizes", "", "multiples of 8"},
        {"sizes", "12", "multiples of 8"},
        {"sizes", "0", "multiples of 8"},
        {"sizes", "496..8", "LEAST..MOST"},
        {"sizes", "8..", "LEAST..MOST"},
        {"sizes", "8/496", "PERCENT_SMALL"},
        {"sizes", "8/496/101", "PERCENT"},
        {"sizes", "4104", "4096"},
        {"sizes", "8,,x", "BYTES"},
        {"load", "0", "0.001 to 2"},
        {"load", "nan", "0.001 to 2"},
        {"load", "-1", "0.001 to 2"},
        {"load", "80%", "0.001 to 2"},
        {"arrivals", "bernoulli", "poisson or saturated"},
        {"arrivals", "poisson or saturated", "poisson or saturated"},
        {"arrivals", "or", "poisson or saturated"},
        {"arrivals", "poiss", "poisson or saturated"},
        {"arrivals", "", "poisson or saturated"},
        {"packets", "0x", "1 to 1000000000"},
        {"notify", " 7", "1 to 100000"},
        {"warmup", "x", "microseconds"},
        {"measure", "0", "microseconds, 1"},
        {"part", "1.5", "0 to 1"},
        {"hot", "16", "0 to 15"},
        {"hot", "-1", "0 to 15"},
        {"notify", "0", "1 to 100000"},
        {"body-limit", "4097", "blocks of external memory"},
        {"packets", "0", "1 to 1000000000"},
        {"colour", "blue", "no such option"},
    };
    scenario_params p;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scenario_params_default(&p);
        ck_assert_msg(scenario_set(&p, bad[i][0], bad[i][1], error) == -1, "%s %s was taken", bad[i][0], bad[i][1]);
        ck_assert_msg(strstr(error, bad[i][0]) && strstr(error, bad[i][1]) && strstr(error, "expected") &&
                          strstr(error, bad[i][2]),
                      "%s %s: the text is \"%s\"", bad[i][0], bad[i][1], error);
    }
}

TEST(what_does_not_go_together_is_refused)
{
    static const struct {
        const char *option[3][2];
        unsigned nodes;
        int has_switch;
        unsigned payload;
        const char *text;
    } bad[] = {
        {{{"scenario", "three-to-one"}}, 3, 1, 62, "at least 4"},
        {{{"scenario", "self"}}, 2, 0, 62, "no switch"},
        {{{"scenario", "uniform"}, {"load", "0.5"}, {"arrivals", "saturated"}}, 4, 1, 62, "poisson"},
        {{{"scenario", "ping-pong"}, {"load", "0.5"}}, 4, 1, 62, "no load"},
        {{{"scenario", "hot-spot"}, {"hot", "4"}}, 4, 1, 62, "0 to 3"},
        {{{"scenario", "uniform"}, {"hot", "1"}}, 4, 1, 62, "hot-spot"},
        {{{"scenario", "diagonal"}, {"part", "0.1"}}, 4, 1, 62, "unbalanced"},
        {{{"scenario", "uniform"}, {"sizes", "8..504"}}, 4, 1, 62, "at most 496"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        scenario_params p;
        scenario_params_default(&p);
        for (int k = 0; k < 3 && bad[i].option[k][0]; k++)
            ck_assert_msg(!scenario_set(&p, bad[i].option[k][0], bad[i].option[k][1], error), "%s", error);
        ck_assert_int_eq(scenario_complete(&p, bad[i].nodes, bad[i].has_switch, bad[i].payload, 1, error), -1);
        ck_assert_msg(strstr(error, bad[i].text), "case %zu: the text is \"%s\"", i, error);
    }
}

TEST(sizes_are_read_as_written)
{
    scenario_params p;
    char text[32];
    scenario_params_default(&p);
    ck_assert_int_eq(scenario_set(&p, "sizes", "496,8..496,40/496/62.5", error), 0);
    ck_assert_uint_eq(p.rows, 3);
    ck_assert_uint_eq(p.sizes[0].low, 62);
    ck_assert_uint_eq(p.sizes[1].low, 1);
    ck_assert_uint_eq(p.sizes[1].high, 62);
    ck_assert_double_eq(p.sizes[2].part_low, 0.625);
    ck_assert_str_eq(scenario_size_text(&p.sizes[0], text, sizeof text), "496");
    ck_assert_str_eq(scenario_size_text(&p.sizes[1], text, sizeof text), "8..496");
    ck_assert_str_eq(scenario_size_text(&p.sizes[2], text, sizeof text), "40/496/62.5");
    ck_assert_int_eq(scenario_set(&p, "sizes", "sweep", error), 0);
    ck_assert_uint_eq(p.sizes[0].low, 1);
    ck_assert_uint_eq(p.sizes[p.rows - 1].high, 62);
}

/* ---- patterns: how often each pair occurs, against the definition ---- */

enum { NODES = 5, DRAWS = 40000 };

/* By hand, of 5 nodes with `hot` 2 and `part` 0.4: percent of the packets of the row's node that go to the column's;
 * the receivers that several senders contend for, all alike. A pattern that is not here fails. */
static const struct {
    const char *name;
    double percent[NODES][NODES];
    unsigned contended;
    const char *who;
} defined[] = {
    {"ping-pong", {{0, 100}, {100}}, 0, "nodes 0 and 1 in turns"},
    {"one-way", {{0, 100}}, 0, "node 0 to node 1"},
    {"self", {{100}}, 0, "node 0 to itself"},
    {"three-to-one", {{0, 0, 0, 100}, {0, 0, 0, 100}, {0, 0, 0, 100}}, 8, "nodes 0, 1 and 2 to node 3"},
    {"n-to-one",
     {{0, 0, 0, 0, 100}, {0, 0, 0, 0, 100}, {0, 0, 0, 0, 100}, {0, 0, 0, 0, 100}},
     16,
     "all others to the last node"},
    {"round-robin",
     {{20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}},
     31,
     "each node to all in turn, itself included"},
    {"uniform",
     {{20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}, {20, 20, 20, 20, 20}},
     31,
     "each node to any, itself included"},
    {"hot-spot",
     {{12, 12, 52, 12, 12}, {12, 12, 52, 12, 12}, {12, 12, 52, 12, 12}, {12, 12, 52, 12, 12}, {12, 12, 52, 12, 12}},
     4,
     "40 % to node 2, the rest to any"},
    {"permutation", {{0}}, 0, "each node to one, no two to the same"}, /* drawn from the seed: see below */
    {"diagonal",
     {{200 / 3.0, 100 / 3.0},
      {0, 200 / 3.0, 100 / 3.0},
      {0, 0, 200 / 3.0, 100 / 3.0},
      {0, 0, 0, 200 / 3.0, 100 / 3.0},
      {100 / 3.0, 0, 0, 0, 200 / 3.0}},
     0,
     "each node two thirds to itself, one third to the next"},
    {"unbalanced",
     {{52, 12, 12, 12, 12}, {12, 52, 12, 12, 12}, {12, 12, 52, 12, 12}, {12, 12, 12, 52, 12}, {12, 12, 12, 12, 52}},
     0,
     "each node 40 % to itself, the rest to any"},
};

/* Each to the first receiver it draws; those of all nodes differ. */
static void draw_partners(const pattern *p, double percent[NODES][NODES])
{
    unsigned receivers = 0;
    for (unsigned from = 0; from < NODES; from++) {
        pattern_source s;
        pattern_source_start(&s, p, from);
        unsigned to = pattern_destination(&s);
        percent[from][to] = 100;
        receivers |= 1u << to;
    }
    ck_assert_uint_eq(receivers, (1u << NODES) - 1);
}

TEST(patterns_send_where_they_say, .to = pattern_count())
{
    pattern p = {
        .kind = &pattern_kinds[_i], .nodes = NODES, .hot = 2, .part = 0.4, .seed = 11, .sizes = {SIZES_FIXED, 3, 3, 0}};
    double percent[NODES][NODES];
    char who[100];
    int row = 0;
    while (row < COUNT(defined) && strcmp(defined[row].name, p.kind->name)) row++;
    ck_assert_msg(row < COUNT(defined), "%s is not defined in this test", p.kind->name);
    memcpy(percent, defined[row].percent, sizeof percent);
    ck_assert_str_eq(pattern_sentence(p.kind, &p, who, sizeof who), defined[row].who);
    if (!strcmp(p.kind->name, "permutation")) draw_partners(&p, percent);
    for (unsigned from = 0; from < NODES; from++) {
        pattern_source s;
        unsigned count[NODES] = {0};
        int sends = pattern_senders(&p) >> from & 1;
        pattern_source_start(&s, &p, from);
        for (unsigned i = 0; i < DRAWS && sends; i++) count[pattern_destination(&s)]++;
        for (unsigned to = 0; to < NODES; to++) {
            double want = percent[from][to] / 100, got = (double)count[to] / DRAWS;
            ck_assert_msg(fabs(got - want) <= 5 * sqrt(want * (1 - want) / DRAWS),
                          "%s %u>%u: %g of the packets, expected %g", p.kind->name, from, to, got, want);
            ck_assert_double_eq_tol(p.kind->share(&p, from, to), want, 1e-12);
            ck_assert_int_eq(pattern_senders_to(&p, to) >> from & 1, want > 0);
            ck_assert_int_eq(pattern_contended(&p, to), defined[row].contended >> to & 1);
        }
        if (p.kind->traits & PATTERN_PAIR) ck_assert(percent[from][from] <= 0);
    }
}

/* At the ends of `part` both patterns become others. */
TEST(a_part_of_nothing_and_of_everything)
{
    for (int all = 0; all < 2; all++) {
        pattern hot = {.kind = pattern_find("hot-spot"), .nodes = 4, .hot = 1, .part = all};
        pattern own = {.kind = pattern_find("unbalanced"), .nodes = 4, .part = all};
        for (unsigned to = 0; to < 4; to++) {
            ck_assert_uint_eq(pattern_senders_to(&hot, to), !all || to == 1 ? 15 : 0);
            ck_assert_uint_eq(pattern_senders_to(&own, to), all ? 1u << to : 15);
            ck_assert_int_eq(pattern_contended(&hot, to), !all || to == 1);
            ck_assert_int_eq(pattern_contended(&own, to), !all);
        }
    }
}

TEST(names_and_sentences_for_the_help_text)
{
    char text[200];
    ck_assert_str_eq(pattern_names(PATTERN_PART, text, sizeof text), "hot-spot or unbalanced");
    ck_assert_str_eq(pattern_names(PATTERN_HOT, text, sizeof text), "hot-spot");
    ck_assert_str_eq(pattern_names(PATTERN_PAIR, text, sizeof text), "ping-pong, one-way or n-to-one");
    ck_assert_str_eq(pattern_sentence(pattern_find("hot-spot"), NULL, text, sizeof text),
                     "P to node NODE, the rest to any");
    ck_assert_ptr_null(pattern_find("hotspot"));
}

TEST(round_robin_takes_turns)
{
    pattern p = {.kind = pattern_find("round-robin"), .nodes = 4, .sizes = {SIZES_FIXED, 1, 1, 0}};
    for (unsigned node = 0; node < 4; node++) {
        pattern_source s;
        pattern_source_start(&s, &p, node);
        for (unsigned i = 0; i < 20; i++) ck_assert_uint_eq(pattern_destination(&s), (node + i) % 4);
    }
}

TEST(sizes_and_gaps_have_their_means)
{
    static const size_choice sizes[] = {
        {SIZES_FIXED, 62, 62, 0}, {SIZES_UNIFORM, 1, 62, 0}, {SIZES_BIMODAL, 5, 62, 0.7}};
    static const double mean_words[] = {62, 31.5, 0.7 * 5 + 0.3 * 62};
    for (int i = 0; i < 3; i++) {
        pattern p = {.kind = pattern_find("uniform"),
                     .nodes = 4,
                     .sizes = sizes[i],
                     .load = 0.25,
                     .word_time = 12800,
                     .seed = 3};
        pattern_source s;
        double words = 0, time = 0;
        pattern_source_start(&s, &p, 1);
        for (int k = 0; k < DRAWS; k++) {
            words += pattern_words(&s);
            time += (double)pattern_gap(&s);
        }
        ck_assert_double_eq_tol(words / DRAWS, mean_words[i], 0.4);
        /* a packet of L words takes 2 L + 5 words of the link; a quarter of the link is asked for */
        double want = (2 * mean_words[i] + 5) * 12800 / 0.25;
        ck_assert_double_eq_tol(pattern_mean_link_words(&p), 2 * mean_words[i] + 5, 1e-9);
        /* 12.8 ns for 32 bits: 298.02 MiB/s; of them the payload, 2 L of 2 L + 5 words */
        ck_assert_double_eq_tol(pattern_load_mib(&p), 0.25 * 298.0232 * 2 * mean_words[i] / (2 * mean_words[i] + 5),
                                1e-3);
        ck_assert_double_eq_tol(time / DRAWS / want, 1, 5 / sqrt(DRAWS));
    }
}

TEST(senders_have_streams_of_their_own)
{
    pattern p = {.kind = pattern_find("uniform"), .nodes = 16, .sizes = {SIZES_UNIFORM, 1, 62, 0}, .seed = 9};
    pattern_source a, b, again;
    unsigned same = 0, repeated = 0;
    pattern_source_start(&a, &p, 3);
    pattern_source_start(&b, &p, 4);
    pattern_source_start(&again, &p, 3);
    for (int i = 0; i < 1000; i++) {
        unsigned x = pattern_destination(&a);
        same += x == pattern_destination(&b);
        repeated += x == pattern_destination(&again);
    }
    ck_assert_uint_lt(same, 120);
    ck_assert_uint_eq(repeated, 1000);
}
