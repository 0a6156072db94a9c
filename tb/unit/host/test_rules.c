/* The monitor is fed every violation it must catch: each rule of pcix_rules.h has at least one case, and exactly that rule must fire. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/pcix_fault.h"
#include "sim/host/pcix_monitor.h"
#include "stage.h"
#include "test.h"

enum { START = 100, APART = 40, PLAYS = 3 };

/* --- changes of the values in a table --- */
static void upper_zero(play *p)
{
    p->values.address &= 0xffffffffu;
}
static void two_idsels(play *p)
{
    p->values.address |= 1u << 20;
}
static void attribute_31(play *p)
{
    p->values.attribute |= 1u << 31;
}
static void other_id(play *p)
{
    p->values.attribute |= 0x30u << 8;
}
static void bus_three(play *p)
{
    p->values.attribute |= 3;
}
static void thirty_two(play *p)
{
    p->values.attribute |= 32, p->values.attribute_cbe = 0;
}
static void thirty_two_tag1(play *p)
{
    thirty_two(p), p->values.attribute |= 1u << 24;
}
static void elsewhere(play *p)
{
    p->values.address += 0x2000;
}
static void count_12(play *p)
{
    p->values.attribute = (p->values.attribute & ~0xffu) | 12;
}
static void odd_dword(play *p)
{
    count_12(p), p->values.address += 4, p->enables[0] = 0x0f;
}
static void special(play *p)
{
    p->values.attribute = 0, p->enables[0] = 0xff;
}
static void three_words(play *p)
{
    p->values.address = 0x12340000;
}
static void late_grant(play *p)
{
    p->grant = false;
}
static void reserved_7(play *p)
{
    p->values.address |= 0x80;
}
static void lower_8(play *p)
{
    p->values.address |= 8;
}
static void bcm(play *p)
{
    p->values.attribute |= 1u << 31;
}
static void bcm_to_adb(play *p) /* 32 of the bytes that read_over_adb asks for */
{
    bcm(p), p->values.address |= 96;
}
static void read_over_adb(play *p)
{
    p->values.address = (p->values.address & ~127ull) | 96, p->values.attribute = (p->values.attribute & ~0xffu) | 64;
    p->values.attribute_cbe = 0;
}
static void bcm_message(play *p)
{
    bcm(p), p->values.attribute |= 1u << 29;
}
static void sce(play *p)
{
    p->values.attribute |= 1u << 30;
}
static void scm(play *p)
{
    p->values.attribute |= 1u << 29;
}
static void scm_lower(play *p)
{
    scm(p), lower_8(p);
}

/* --- preparations --- */
struct bench {
    stage s;
    pcix_monitor *m;
    pcix_faults *faults;
};
static void device_limits(struct bench *b)
{
    (void)b;
}
static void not_master(struct bench *b)
{
    pcix_monitor_set_agent(b->m, 1, PCIX_ID(0, 1, 0), 0);
}
static void flip_data(struct bench *b)
{
    pcix_fault f = {.initiator = -1, .phase = PCIX_PH_DATA, .index = 2, .ad = 0x10};
    pcix_monitor_set_agent(b->m, 1, PCIX_ID(0, 1, 0), 0x44);
    pcix_faults_add(b->faults, &f);
}
static void flip_address(struct bench *b)
{
    pcix_fault f = {.initiator = -1, .phase = PCIX_PH_ADDRESS, .ad = 0x10};
    pcix_monitor_set_agent(b->m, 1, PCIX_ID(0, 1, 0), 0x144);
    pcix_faults_add(b->faults, &f);
}

struct step {
    const char *table, *edits;
    int initiator, target;
    void (*change)(play *p);
    int at; /* clock after START; 0: APART times the place in the list */
};
static const struct rule_case {
    int rule;
    struct step plays[PLAYS];
    void (*prepare)(struct bench *b);
    unsigned clocks; /* 0: enough for the tables */
} cases[] = {
#define RULE(id) .rule = PCIX_RULE_##id
#define EARLIER_END(c) "FRAME# " c " 1; REQ64# " c " 1; "
    {RULE(ONE_DRIVER), {{"a", "x:IRDY# 7 0", 0, 1, 0, 0}}},
    {RULE(ONE_DRIVER), {{"a", "x:AD 7 =0", 0, 1, 0, 0}}},
    {RULE(TURNAROUND), {{"a", "x:IRDY# 14 1", 0, 1, 0, 0}}},
    {RULE(STS_HIGH), {{"a", "IRDY# 13 z", 0, 1, 0, 0}}},
    {RULE(STS_HIGH), {{"a", "TRDY# 13 z", 0, 1, 0, 0}}},
    {RULE(STS_RELEASE), {{"a", "IRDY# 14 1", 0, 1, 0, 0}}},
    {RULE(STS_RELEASE), {{"a", "FRAME# 12 1", 0, 1, 0, 0}}},
    {RULE(STS_RELEASE), {{"a", "DEVSEL# 14 1", 0, 1, 0, 0}}},
    {RULE(STS_RELEASE), {{"f", "STOP# 7 1", 0, 1, 0, 0}}},
    {RULE(INITIATOR_ONLY), {{"a", "x:IRDY# 0 1", 0, 1, 0, 0}}},
    {RULE(TARGET_ONLY), {{"d", "x:ACK64# 6 1", 0, 1, 0, 0}}},
    {RULE(TARGET_EARLY), {{"a", "DEVSEL# 2 1", 0, 1, 0, 0}}},
    {RULE(IDLE_CONTROL), {{"a", "x:TRDY# 20 1", 0, 1, 0, 0}}},
    {RULE(IDLE_AD), {{"a", "x:AD 25 =12", 0, 1, 0, 0}}},
    {RULE(AD_OWNER), {{"l", "i:AD 3 =1", 0, 1, 0, 0}}},
    {RULE(AD_OWNER), {{"l", "AD 9 D3", 0, 1, 0, 0}}},
    {RULE(AD_DRIVEN), {{"a", "AD 9 z", 0, 1, 0, 0}}},
    {RULE(AD_DRIVEN), {{"l", "AD 6 z", 0, 1, 0, 0}}},
    {RULE(AD_DRIVEN), {{"l", "C/BE# 6 z", 0, 1, 0, 0}}},
    {RULE(INITIATOR_RELEASE), {{"a", "AD 13 D7", 0, 1, 0, 0}}},
    {RULE(INITIATOR_RELEASE), {{"l", "C/BE# 9 FF", 0, 1, 0, 0}}},
    {RULE(GNT_ONE), {{"a", "x:GNT# 3 0", 0, 1, 0, 0}}},
    {RULE(GNT_GAP), {{"a", "GNT# -9 1; x:GNT# -9 0", 0, 1, 0, 0}}},
    {RULE(GNT_HOLD), {{"a", "REQ# -14..0 0; GNT# -9..-7 1", 0, 1, 0, 0}}},
    {RULE(START_GNT), {{"a", "GNT# -2 1", 0, 1, 0, 0}}},
    {RULE(START_IDLE), {{"c_three", "C/BE# 0 F; GNT# 5..20 1", 0, 1, three_words, 0}, {"f", "GNT# -2..0 0", 1, 0, late_grant, 9}}},
    {RULE(STEP), {{"e_write", "AD -3 =0", 0, 1, 0, 0}}},
    {RULE(STEP), {{"e_write", "AD -4 z; C/BE# -4 z; PAR -3 z", 0, 1, 0, 0}}},
    {RULE(STEP), {{"e_read", "C/BE# -1 B", 0, 1, 0, 0}}},
    {RULE(STEP_GNT), {{"e_write", "GNT# -2 1", 0, 1, 0, 0}}},
    {RULE(COMMAND), {{"a", "C/BE# 0 9", 0, 1, 0, 0}}},
    {RULE(COMMAND), {{"l", "C/BE# 0 8", 0, 1, 0, 0}}},
    {RULE(COMMAND), {{"m", "C/BE# 0 5", 0, 1, 0, 0}}},
    {RULE(DAC_COMMAND), {{"a_dac", "C/BE# 0 =CD; C/BE# 1 =CC", 0, 1, 0, 0}}},
    {RULE(DAC_ZERO), {{"a_dac", "", 0, 1, upper_zero, 0}}},
    {RULE(REQ64_COMMAND), {{"d", "REQ64# 0..6 0; REQ64# 7 1", 0, 1, 0, 0}}},
    {RULE(REQ64_FRAME), {{"a", "REQ64# 11 0; REQ64# 12 1", 0, 1, 0, 0}}},
    {RULE(REQ64_FRAME), {{"a", "REQ64# 8 1", 0, 1, 0, 0}}},
    {RULE(UPPER_HIGH), {{"a", "AD 0 =12340000", 0, 1, 0, 0}}},
    {RULE(UPPER_HIGH), {{"a", "C/BE# 1 =70", 0, 1, 0, 0}}},
    {RULE(UPPER_DAC), {{"a_dac", "AD 0 =0000005712340000", 0, 1, 0, 0}}},
    {RULE(UPPER_DAC), {{"a_dac", "C/BE# 0 =ED", 0, 1, 0, 0}}},
    {RULE(CONFIG_ADDRESS), {{"e_write", "", 0, 1, two_idsels, 0}}},
    {RULE(BUS_MASTER), {{"a", "", 1, 0, 0, 0}}, not_master},
    {RULE(ATTRIBUTE_RESERVED), {{"a", "", 0, 1, attribute_31, 0}}},
    {RULE(ATTRIBUTE_RESERVED), {{"d", "", 0, 1, bus_three, 0}}},
    {RULE(REQUESTER_ID), {{"a", "", 0, 1, other_id, 0}}},
    {RULE(CONFIG_BUS), {{"e_write", "", 0, 1, bus_three, 0}}},
    {RULE(READ_LIMIT), {{"b_decode_a", "", 1, 0, 0, 0}}, device_limits},
    {RULE(SPLIT_LIMIT), {{"b_decode_a", "", 1, 0, thirty_two, 0}, {"b_decode_a", "", 1, 0, thirty_two_tag1, 0}}, device_limits},
    {RULE(TAG_REUSE), {{"b_decode_a", "", 1, 0, thirty_two, 0}, {"b_decode_a", "", 1, 0, thirty_two, 0}}},
    {RULE(SEQUENCE_RESUME), {{"g", "", 0, 1, 0, 0}, {"a", "", 0, 1, elsewhere, 0}}},
    {RULE(SEQUENCE_RESUME), {{"j", "", 0, 1, 0, 0}, {"a", "", 0, 1, 0, 0}}},
    {RULE(RETRY_REPEAT), {{"h", "", 0, 1, 0, 0}, {"a", "", 0, 1, elsewhere, 0}}},
    {RULE(RETRY_FORGOTTEN), {{"h", "", 0, 1, 0, 0}}, 0, 34500},
    {RULE(FRAME_EARLY), {{"a", EARLIER_END("4") "FRAME# 5..11 z; REQ64# 5..11 z", 0, 1, 0, 0}}},
    {RULE(FRAME_EARLY), {{"a", EARLIER_END("6") "FRAME# 7..11 z; REQ64# 7..11 z", 0, 1, 0, 0}}},
    {RULE(FRAME_LATE), {{"a", "FRAME# 11 0; REQ64# 11 0; FRAME# 12 1; REQ64# 12 1", 0, 1, 0, 0}}},
    {RULE(FRAME_LATE), {{"f", "FRAME# 7 0; FRAME# 8 1; IRDY# 7 0; IRDY# 8 1", 0, 1, 0, 0}}},
    {RULE(ADB_END), {{"a", EARLIER_END("8") "FRAME# 9..11 z; REQ64# 9..11 z", 0, 1, 0, 0}}},
    {RULE(IRDY_START), {{"a", "IRDY# 2 0", 0, 1, 0, 0}}},
    {RULE(IRDY_START), {{"a", "IRDY# 3 1", 0, 1, 0, 0}}},
    {RULE(IRDY_WAIT), {{"a", "IRDY# 8 1", 0, 1, 0, 0}}},
    {RULE(IRDY_END), {{"a", "IRDY# 13 0; IRDY# 14 1", 0, 1, 0, 0}}},
    {RULE(MASTER_ABORT), {{"m", "FRAME# 8 0; REQ64# 8 0; FRAME# 9 1; REQ64# 9 1", 0, 1, 0, 0}}},
    {RULE(MASTER_ABORT), {{"m", EARLIER_END("7") "IRDY# 7 1; FRAME# 8 z; REQ64# 8 z; IRDY# 8 z", 0, 1, 0, 0}}},
    {RULE(CBE_HIGH), {{"a", "C/BE# 9 =fe", 0, 1, 0, 0}}},
    {RULE(CBE_HIGH), {{"d", "C/BE# 3 =f0", 0, 1, 0, 0}}},
    {RULE(BYTE_ENABLES), {{"f_two", "", 0, 1, count_12, 0}}},
    {RULE(WRITE_HOLD), {{"a", "AD 4 D1", 0, 1, 0, 0}}},
    {RULE(WRITE_HOLD), {{"a_wait_pair", "AD 5 D1", 0, 1, 0, 0}}},
    {RULE(WRITE_HOLD), {{"f", "C/BE# 4 =fe", 0, 1, 0, 0}}},
    {RULE(UPPER_DUPLICATE), {{"f_two", "", 0, 1, odd_dword, 0}}},
    {RULE(DEVSEL_WINDOW), {{"a", "DEVSEL# 4 z; ACK64# 4 z; TRDY# 4 z; STOP# 4 z; TRDY# 5 1", 0, 1, 0, 0}}},
    {RULE(DEVSEL_COMMAND), {{"f", "C/BE# 0 1", 0, 1, special, 0}}},
    {RULE(TARGET_SELF), {{"a", "", 0, 0, 0, 0}}},
    {RULE(TARGET_DRIVE), {{"a", "STOP# 4 z", 0, 1, 0, 0}}},
    {RULE(RESPONSE_EARLY), {{"a", "TRDY# 4 0", 0, 1, 0, 0}}},
    {RULE(RESPONSE_LOST), {{"a", "DEVSEL# 5 1; ACK64# 5 1; TRDY# 5 1", 0, 1, 0, 0}}},
    {RULE(RESPONSE_COMMAND), {{"a", "DEVSEL# 5 1; ACK64# 5 1", 0, 1, 0, 0}}},
    {RULE(RESPONSE_COMMAND), {{"d", "STOP# 5 0", 0, 1, 0, 0}}},
    {RULE(RESPONSE_LATER), {{"a", "STOP# 7 0; TRDY# 7 1", 0, 1, 0, 0}}},
    {RULE(RESPONSE_LATER), {{"a", "DEVSEL# 7 1; ACK64# 7 1", 0, 1, 0, 0}}},
    {RULE(WAIT_PAIR), {{"a", "TRDY# 5 1", 0, 1, 0, 0}}},
    {RULE(LATENCY_DATA),
     {{"d_waits",
       "DEVSEL# 5..16 0; TRDY# 5..16 1; STOP# 5..16 1; FRAME# 5..16 0; IRDY# 5..16 0; AD 5..16 x; C/BE# 5..16 FF; PAR 9 p8; PAR 10 p9;"
       "PAR 11 p10; PAR 12 p11; PAR 13 p12; PAR 14 p13; PAR 15 p14; PAR 16 p15",
       0, 1, 0, 0}}},
    {RULE(LATENCY_END), {{"d_waits", "TRDY# 8 1; STOP# 8 0", 0, 1, 0, 0}}},
    {RULE(TARGET_WAIT), {{"a", "TRDY# 8 1", 0, 1, 0, 0}}},
    {RULE(STOP_STICKY), {{"i_first_far", "STOP# 8 1", 0, 1, 0, 0}}},
    {RULE(TARGET_STOP), {{"a", "TRDY# 13 0; TRDY# 14 1", 0, 1, 0, 0}}},
    {RULE(ACK64_ALONE), {{"d", "ACK64# 4..5 0; ACK64# 6 1", 0, 1, 0, 0}}},
    {RULE(ACK64_DEVSEL), {{"a", "ACK64# 8 1", 0, 1, 0, 0}}},
    {RULE(SPLIT_ONES), {{"b_decode_a", "AD 3 =1", 1, 0, thirty_two, 0}}},
    {RULE(PAR_DRIVE), {{"a", "PAR 8 z", 0, 1, 0, 0}}},
    {RULE(PAR_DRIVE), {{"a", "x:PAR 20 0", 0, 1, 0, 0}}},
    {RULE(PAR_VALUE), {{"a", "PAR 8 !p7L", 0, 1, 0, 0}}},
    {RULE(PAR_VALUE), {{"e_write", "PAR -1 !p-2", 0, 1, 0, 0}}},
    {RULE(PAR64_VALUE), {{"a", "PAR 8 !p7H", 0, 1, 0, 0}}},
    {RULE(PERR_SPURIOUS), {{"a", "PERR# 10 0; PERR# 11 1", 0, 1, 0, 0}}},
    {RULE(PERR_SPURIOUS), {{"a", "PERR# 9 0; PERR# 10 1", 0, 1, 0, 0}}, flip_data},
    {RULE(PERR_MISSING), {{"a", "", 0, 1, 0, 0}}, flip_data},
    {RULE(SERR_SPURIOUS), {{"a", "SERR# 10 0", 0, 1, 0, 0}}},
    {RULE(SERR_MISSING), {{"a", "", 0, 1, 0, 0}}, flip_address},
    {RULE(COMPLETION_UNEXPECTED), {{"c_four", "", 0, 1, 0, 0}}},
#define AFTER_READ                                                                                                                         \
    {                                                                                                                                      \
        "b_decode_a", "", 1, 0, thirty_two, 0                                                                                              \
    }
    {RULE(COMPLETION_ADDRESS), {AFTER_READ, {"c_four", "", 0, 1, reserved_7, 0}}},
    {RULE(COMPLETION_LOWER), {AFTER_READ, {"c_four", "", 0, 1, lower_8, 0}}},
    {RULE(COMPLETION_COUNT), {AFTER_READ, {"c_three", "", 0, 1, 0, 0}}},
    {RULE(COMPLETER_ID), {AFTER_READ, {"c_four", "", 0, 1, other_id, 0}}},
    {RULE(COMPLETER_BITS), {AFTER_READ, {"c_four", "", 0, 1, bcm, 0}}},
    {RULE(COMPLETER_BITS), {AFTER_READ, {"c_four", "", 0, 1, bcm_message, 0}}},
    {RULE(COMPLETER_BITS), {{"b_decode_a", "", 1, 0, read_over_adb, 0}, {"c_four", "", 0, 1, bcm_to_adb, 0}, {"c_four", "", 0, 1, bcm, 0}}},
    {RULE(COMPLETION_COUNT), {{"b_decode_a", "", 1, 0, read_over_adb, 0}, {"c_three", "", 0, 1, bcm_to_adb, 0}}},
    {RULE(COMPLETER_BITS), {AFTER_READ, {"c_four", "", 0, 1, sce, 0}}},
    {RULE(COMPLETION_MESSAGE), {AFTER_READ, {"c_four", "", 0, 1, scm, 0}}},
    {RULE(COMPLETION_MESSAGE), {AFTER_READ, {"c_four", "", 0, 1, scm_lower, 0}}},
    {RULE(COMPLETION_CLAIM), {AFTER_READ, {"c_four", "", 0, 2, 0, 0}}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static int seen[8], seen_count;

static void record(void *arg, const pcix_violation *v)
{
    (void)arg;
    if (seen_count < 8) seen[seen_count++] = v->rule;
}

static void reset(stage *s, unsigned after)
{
    pcix_bus_set_reset(s->bus, 0);
    stage_run(s, 10);
    pcix_bus_set_reset(s->bus, 1);
    stage_run(s, after);
}

CLEANUP(pcix_monitor_free);
CLEANUP(pcix_faults_free);

static void bench_init(struct bench *b, void (*prepare)(struct bench *b))
{
    stage_init(&b->s);
    b->m = pcix_monitor_new(b->s.bus);
    b->faults = pcix_faults_new(b->s.bus);
    after_test(pcix_monitor_free_cleanup, b->m);
    after_test(pcix_faults_free_cleanup, b->faults);
    pcix_monitor_on_violation(b->m, record, NULL);
    pcix_monitor_set_bridge(b->m, 0, 0, false);
    if (prepare == device_limits) pcix_monitor_set_capability(b->m, 1, 0x48);
    reset(&b->s, 20);
    pcix_monitor_set_agent(b->m, 1, PCIX_ID(0, 1, 0), 4);
    if (prepare != NULL) prepare(b);
    seen_count = 0;
}

TEST_CASE("violations");

TEST(monitor_reports_exactly_the_broken_rule, .to = CASES)
{
    const struct rule_case *c = &cases[_i];
    struct bench b;
    bench_init(&b, c->prepare);
    for (int i = 0; i < PLAYS && c->plays[i].table != NULL; i++) {
        const struct step *p = &c->plays[i];
        play *x = stage_add(&b.s, p->table, START + (uint64_t)(p->at ? p->at : APART * i), p->initiator, p->target);
        if (p->change != NULL) p->change(x);
        stage_edit(x, p->edits);
    }
    stage_run(&b.s, c->clocks ? c->clocks : 160);
    ck_assert_msg(seen_count > 0, "%s was not reported (case %d)", pcix_rule_name(c->rule), _i);
    ck_assert_msg(seen[0] == c->rule, "%s reported instead of %s (case %d)", pcix_rule_name(seen[0]), pcix_rule_name(c->rule), _i);
    ck_assert_msg(seen_count == 1, "%s reported after %s (case %d)", pcix_rule_name(seen[1]), pcix_rule_name(c->rule), _i);
}

TEST(every_rule_has_a_case)
{
    for (int rule = 0; rule < PCIX_RULES; rule++) {
        bool found = rule == PCIX_RULE_RESET_FLOAT || rule == PCIX_RULE_RESET_START /* below */ ||
                     rule == PCIX_RULE_LATENCY_TIMER; /* test_bridge.c: it takes a long burst */
        for (int i = 0; i < CASES; i++) found |= cases[i].rule == rule;
        ck_assert_msg(found, "no case for %s", pcix_rule_name(rule));
    }
}

TEST(driving_during_reset_is_reported)
{
    struct bench b;
    bench_init(&b, NULL);
    stage_add(&b.s, "a", START, 1, 0);
    stage_run(&b.s, START + 4 - (unsigned)pcix_bus_clock(b.s.bus));
    ck_assert_int_eq(seen_count, 0);
    pcix_bus_set_reset(b.s.bus, 0);
    stage_run(&b.s, 10);
    ck_assert_int_ge(seen_count, 1);
    ck_assert_int_eq(seen[0], PCIX_RULE_RESET_FLOAT);
}

TEST(starting_right_after_reset_is_reported)
{
    struct bench b;
    bench_init(&b, NULL);
    uint64_t rise = pcix_bus_clock(b.s.bus) + 11;
    stage_add(&b.s, "a", rise + 4, 1, 0);
    reset(&b.s, 60);
    ck_assert_int_eq(seen_count, 1);
    ck_assert_int_eq(seen[0], PCIX_RULE_RESET_START);
}

TEST_CASE("legal");

TEST(starting_five_clocks_after_reset_is_legal)
{
    struct bench b;
    bench_init(&b, NULL);
    uint64_t rise = pcix_bus_clock(b.s.bus) + 11;
    stage_add(&b.s, "a", rise + 5, 1, 0);
    reset(&b.s, 60);
    ck_assert_int_eq(seen_count, 0);
}

/* --- what must not be reported --- */

TEST(perr_three_clocks_after_a_wrong_word_is_legal)
{
    struct bench b;
    bench_init(&b, flip_data);
    play *p = stage_add(&b.s, "a", START, 0, 1);
    stage_edit(p, "PERR# 10 0; PERR# 11 1"); /* the word of clock 7 is bad */
    stage_run(&b.s, 160);
    ck_assert_int_eq(seen_count, 0);
    ck_assert_uint_eq(pcix_faults_done(b.faults), 1);
}

TEST(serr_three_clocks_after_a_wrong_address_is_legal)
{
    struct bench b;
    bench_init(&b, flip_address);
    play *p = stage_add(&b.s, "a", START, 0, 1);
    stage_edit(p, "SERR# 3 0");
    stage_run(&b.s, 160);
    ck_assert_int_eq(seen_count, 0);
}

TEST(start_rule_b_is_legal)
{
    struct bench b;
    bench_init(&b, NULL);
    play *p = stage_add(&b.s, "a", START, 0, 1);
    stage_edit(p, "GNT# 5..20 1");
    p = stage_add(&b.s, "a", START + 14, 1, 0); /* L = 12: next address at L+2 */
    p->grant = false;
    stage_edit(p, "GNT# -2..0 0");
    elsewhere(p);
    stage_run(&b.s, 160);
    ck_assert_int_eq(seen_count, 0);
}

TEST(read_is_split_and_completed)
{
    struct bench b;
    bench_init(&b, NULL);
    thirty_two(stage_add(&b.s, "b_decode_a", START, 1, 0));
    stage_add(&b.s, "c_four", START + APART, 0, 1);
    thirty_two(stage_add(&b.s, "b_decode_c", START + 2 * APART, 1, 0)); /* the Tag is free again */
    stage_run(&b.s, 200);
    ck_assert_int_eq(seen_count, 0);
}

/* BCM in a first completion that ends at its first ADB; what follows counts what remains. */
TEST(counting_only_to_the_first_adb_is_legal)
{
    struct bench b;
    bench_init(&b, NULL);
    read_over_adb(stage_add(&b.s, "b_decode_a", START, 1, 0));
    bcm_to_adb(stage_add(&b.s, "c_four", START + APART, 0, 1));
    stage_add(&b.s, "c_four", START + 2 * APART, 0, 1);
    stage_run(&b.s, 200);
    ck_assert_int_eq(seen_count, 0);
}

/* A read that its completer fails: what comes may be wrong, and other reads may be outstanding beside it. */
TEST(a_failing_completion_is_known)
{
    struct bench b;
    bench_init(&b, NULL);
    pcix_monitor_failing(b.m, PCIX_ID(0, 1, 0), 0);
    thirty_two(stage_add(&b.s, "b_decode_a", START, 1, 0));
    stage_add(&b.s, "c_three", START + APART, 0, 1);
    thirty_two_tag1(stage_add(&b.s, "b_decode_c", START + 2 * APART, 1, 0));
    stage_run(&b.s, 200);
    ck_assert_int_eq(seen_count, 0);
}

/* Its Tag is free when enough others have been used, and not before. */
TEST(the_tag_of_a_failing_completion_may_not_come_again_at_once)
{
    struct bench b;
    bench_init(&b, NULL);
    pcix_monitor_failing(b.m, PCIX_ID(0, 1, 0), 0);
    thirty_two(stage_add(&b.s, "b_decode_a", START, 1, 0));
    thirty_two_tag1(stage_add(&b.s, "b_decode_a", START + APART, 1, 0));
    thirty_two(stage_add(&b.s, "b_decode_a", START + 2 * APART, 1, 0));
    stage_run(&b.s, 200);
    ck_assert_int_eq(seen_count, 1);
    ck_assert_int_eq(seen[0], PCIX_RULE_TAG_REUSE);
}

TEST(retried_write_is_repeated)
{
    struct bench b;
    bench_init(&b, NULL);
    stage_add(&b.s, "h", START, 0, 1);
    stage_add(&b.s, "a", START + APART, 0, 1);
    stage_run(&b.s, 34500);
    ck_assert_int_eq(seen_count, 0);
}

TEST_CASE("handling");

TEST(expected_violation_is_swallowed_once)
{
    struct bench b;
    bench_init(&b, NULL);
    for (int i = 0; i < 2; i++) stage_edit(stage_add(&b.s, "a", START + (uint64_t)(APART * i), 0, 1), "TRDY# 8 1");
    pcix_monitor_expect(b.m, PCIX_RULE_TARGET_WAIT);
    ck_assert_uint_eq(pcix_monitor_missing(b.m), 1);
    stage_run(&b.s, 160);
    ck_assert_uint_eq(pcix_monitor_missing(b.m), 0);
    ck_assert_int_eq(seen_count, 1);
    ck_assert_uint_eq(pcix_monitor_violations(b.m), 1);
}

TEST(rule_can_be_switched_off)
{
    struct bench b;
    bench_init(&b, NULL);
    stage_edit(stage_add(&b.s, "a", START, 0, 1), "GNT# -2 1");
    pcix_monitor_enable(b.m, PCIX_RULE_START_GNT, false);
    stage_run(&b.s, 100);
    ck_assert_int_eq(seen_count, 0);
}
