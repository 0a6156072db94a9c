/* Text to a plan of faults: valid plans, and that all others are refused with the column, the text there and the
 * expectation. */
#include <string.h>

#include "sim/traffic/faults/classes.h"
#include "sim/traffic/faults/plan.h"
#include "test.h"

static fault_plan plan;
static char error[FAULT_ERROR];

static void good(const char *text, int has_switch)
{
    ck_assert_msg(!fault_plan_read(text, has_switch ? 4 : 2, has_switch, &plan, error), "%s: %s", text, error);
}

TEST(a_plan_has_all_that_its_text_says)
{
    good("cut node1 at 200us for 5us; biterror node0>switch every 10000 words from 1ms ;credit switch>node2 drop at "
         "300ns times 3;"
         "retry host0 write 30%; ppm node2 +80; stop node3 random 100us for 1.5ms; completion host1 late 20us every 7",
         1);
    ck_assert_uint_eq(plan.count, 7);
    const fault *f = plan.fault;
    ck_assert_str_eq(f[0].class->name, "cut");
    ck_assert_str_eq(f[0].text, "cut node1 at 200us for 5us");
    ck_assert_int_eq(f[0].node, 1);
    ck_assert_int_eq(f[0].directions, FAULT_OUT | FAULT_IN);
    ck_assert_int_eq(f[0].when, FAULT_AT);
    ck_assert_uint_eq(f[0].time, 200 * SIM_US);
    ck_assert_uint_eq(f[0].length, 5 * SIM_US);
    ck_assert_uint_eq(f[0].times, 1);
    ck_assert_int_eq(f[1].directions, FAULT_OUT);
    ck_assert_int_eq(f[1].when, FAULT_EVERY);
    ck_assert_uint_eq(f[1].number, 10000);
    ck_assert_uint_eq(f[1].from, SIM_MS);
    ck_assert_uint_eq(f[1].times, UINT64_MAX);
    ck_assert_str_eq(f[2].class->kind, "drop");
    ck_assert_int_eq(f[2].node, 2);
    ck_assert_int_eq(f[2].directions, FAULT_IN);
    ck_assert_uint_eq(f[2].time, 300 * SIM_NS);
    ck_assert_uint_eq(f[2].times, 3);
    ck_assert_int_eq(f[3].when, FAULT_PART);
    ck_assert_double_eq_tol(f[3].part, 0.3, 1e-12);
    ck_assert_double_eq_tol(f[4].value, 80, 1e-12);
    ck_assert_int_eq(f[5].when, FAULT_RANDOM);
    ck_assert_uint_eq(f[5].number, 0);
    ck_assert_uint_eq(f[5].length, 1500 * SIM_US);
    ck_assert_double_eq_tol(f[6].value, 20, 1e-12);
    ck_assert_uint_eq(f[6].number, 7);
    ck_assert_int_eq(plan.lossy, 1);
    good("ppm node0 -20; retry host1 read every 3 reads; stop node0 at 1us for 1us; credit node1 drop 5%; record node1 "
         "drop every 2",
         1);
    ck_assert_int_eq(plan.lossy, 0);
}

TEST(a_late_completion_costs_data_only_when_it_comes_too_late)
{
    good("completion host1 late 100us every 7", 1);
    ck_assert_int_eq(plan.lossy, 0);
    good("completion host1 late 300us every 7", 1);
    ck_assert_int_eq(plan.lossy, 1);
}

TEST(without_a_switch_a_direction_is_named_by_both_nodes)
{
    good("cut node1>node0 at 1us for 1us; cut node0>node1 at 1us for 1us; cut node1 at 1us for 1us", 0);
    ck_assert_int_eq(plan.fault[0].node, 1);
    ck_assert_int_eq(plan.fault[0].directions, FAULT_OUT);
    ck_assert_int_eq(plan.fault[1].node, 0);
    ck_assert_int_eq(plan.fault[2].directions, FAULT_OUT | FAULT_IN);
}

TEST(a_cut_may_be_of_one_link_and_for_ever)
{
    good("cut node1.link3 at 20us for ever; cut node2 at 1us for 1us; cut node0.link0>switch at 5us for 2us", 1);
    ck_assert_int_eq(plan.fault[0].link, 3);
    ck_assert_int_eq(plan.fault[0].directions, FAULT_OUT | FAULT_IN);
    ck_assert_uint_eq(plan.fault[0].length, SIM_FOREVER);
    ck_assert_int_eq(plan.fault[1].link, -1);
    ck_assert_int_eq(plan.fault[2].link, 0);
    ck_assert_int_eq(plan.fault[2].directions, FAULT_OUT);
    good("cut node1.link1>node0 at 1us for 1us", 0);
    ck_assert_int_eq(plan.fault[0].link, 1);
}

static const struct bad {
    const char *text;
    int has_switch;
    const char *error;
} bads[] = {
    {"", 1,
     "column 1: end, expected one of biterror, word, packet, credit, record, cut, ppm, stop, retry, parity, "
     "completion"},
    {"cutt node1 at 1us for 1us", 1, "column 1: 'cutt', expected one of biterror, "},
    {"cut node1 at 1us for 1us; ", 1, "column 27: end, expected one of biterror, "},
    {"cut node4 at 1us for 1us", 1, "column 5: 'node4', expected a cable: nodeN, nodeN>switch or switch>nodeN, N 0..3"},
    {"cut host1 at 1us for 1us", 1, "column 5: 'host1', expected a cable"},
    {"cut node1>node2 at 1us for 1us", 1, "column 5: 'node1>node2', expected a cable"},
    {"cut node1>switch at 1us for 1us", 0,
     "column 5: 'node1>switch', expected node0, node1, node0>node1 or node1>node0"},
    {"cut node1>node1 at 1us for 1us", 0, "column 5: 'node1>node1', expected node0"},
    {"cut node11 at 1us for 1us", 1, "column 5: 'node11', expected a cable"},
    {"cut node1.link at 1us for 1us", 1, "column 5: 'node1.link', expected a cable"},
    {"cut node1.link1x at 1us for 1us", 1, "column 5: 'node1.link1x', expected a cable"},
    {"cut node1.link100 at 1us for 1us", 1, "column 5: 'node1.link100', expected a cable"},
    {"cut node1.link4294967297 at 1us for 1us", 1, "column 5: 'node1.link4294967297', expected a cable"},
    {"cut node1.link18446744073709551614 at 1us for 1us", 1,
     "column 5: 'node1.link18446744073709551614', expected a cable"},
    {"stop node1.link1 at 1us for 1us", 1, "column 6: 'node1.link1', expected node0..node3"},
    {"cut node1 every 10us for ever", 1, "column 26: 'ever', expected a time above 0"},
    {"stop node1 at 10us for ever", 1, "column 24: 'ever', expected a time above 0"},
    {"cut", 1, "column 4: end, expected a cable"},
    {"stop node9 at 1us for 1us", 1, "column 6: 'node9', expected node0..node3"},
    {"retry node1 write 3%", 1, "column 7: 'node1', expected host0..host3"},
    {"packet node1 lose at 3us", 1,
     "column 14: 'lose', expected one of drop, sop, header, headercrc, body, bodycrc, truncate"},
    {"packet node1 at 3us", 1, "column 14: 'at', expected one of drop"},
    {"cut node1 200us for 5us", 1, "column 11: '200us', expected at, every or random"},
    {"cut node1 at 200 for 5us", 1, "column 14: '200', expected a time, as 20us (ns, us, ms)"},
    {"cut node1 at 0x10us for 1us", 1, "column 14: '0x10us', expected a time"},
    {"cut node1 at 1e3us for 1us", 1, "column 14: '1e3us', expected a time"},
    {"01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012"
     "34567890123456789"
     "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012"
     "34567890123456789",
     1, "column 1: '0123456789012345678901234567890123456789', expected one of biterror"},
    {"cut node1 at 200s for 5us", 1, "column 14: '200s', expected a time"},
    {"cut node1 at 200us", 1, "column 19: end, expected for and how long"},
    {"cut node1 at 200us for 0us", 1, "column 24: '0us', expected a time above 0"},
    {"cut node1 every 10 words for 5us", 1, "column 17: '10', expected a time above 0 (ns, us, ms)"},
    {"cut node1 10% for 5us", 1, "column 11: '10%', expected at, every or random"},
    {"biterror node1 every 0 words", 1, "column 22: '0', expected a time above 0 (ns, us, ms) or a number of words"},
    {"biterror node1 every 10 packets", 1, "column 25: 'packets', expected from, times, ; or the end"},
    {"biterror node1 at 1us for 3us", 1, "column 23: 'for', expected times, ; or the end"},
    {"biterror node1 at 1us from 3us", 1, "column 23: 'from', expected times, ; or the end"},
    {"biterror node1 at 1us times 0", 1, "column 29: '0', expected a number of times"},
    {"biterror node1 0%", 1, "column 16: '0%', expected at, every, random or a percentage above 0%"},
    {"biterror node1 101%", 1, "column 16: '101%', expected at"},
    {"ppm node1 +300", 1, "column 11: '+300', expected ppm from -200 to +200"},
    {"ppm node1 +30 at 3us", 1, "column 15: 'at', expected ; or the end"},
    {"completion host1 late every 3", 1, "column 23: 'every', expected a time above 0"},
};

TEST(a_wrong_plan_is_refused_with_the_place_and_what_is_expected, .to = COUNT(bads))
{
    const struct bad *b = &bads[_i];
    ck_assert_int_eq(fault_plan_read(b->text, b->has_switch ? 4 : 2, b->has_switch, &plan, error), -1);
    ck_assert_msg(!strncmp(error, b->error, strlen(b->error)), "%s: %s, expected %s", b->text, error, b->error);
    ck_assert_ptr_null(strchr(error, '\n'));
}

TEST(a_plan_has_so_many_faults_at_most)
{
    char text[FAULT_PLAN_MOST * 16 + 32] = "ppm node0 +1";
    for (unsigned i = 1; i < FAULT_PLAN_MOST; i++) strcat(text, "; ppm node0 +1");
    good(text, 1);
    ck_assert_uint_eq(plan.count, FAULT_PLAN_MOST);
    strcat(text, "; ppm node0 +1");
    ck_assert_int_eq(fault_plan_read(text, 4, 1, &plan, error), -1);
    ck_assert_ptr_nonnull(strstr(error, "expected at most"));
}

TEST(each_class_says_what_it_is)
{
    for (unsigned i = 0; i < fault_nic.count; i++) {
        const fault_class *c = &fault_nic.classes[i];
        ck_assert(*c->text && *c->repair);
        ck_assert(!c->timed == !c->turn);
        if (c->seen != FAULT_SEEN_MAYBE) ck_assert_int_ne(c->witness[0].where, FAULT_SEEN_NOWHERE);
        for (unsigned k = 0; k < i; k++) /* one name is one word order */
            if (!strcmp(c->name, fault_nic.classes[k].name)) {
                ck_assert_int_eq(c->place, fault_nic.classes[k].place);
                ck_assert_str_ne(c->kind, fault_nic.classes[k].kind);
            }
    }
}
