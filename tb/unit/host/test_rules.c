/* The monitor is fed every violation it must catch: each rule of pcix_rules.h has at least one case, and exactly that
 * rule must fire. */
#include "pcix_properties.h"
#include "sim/model/host/pcix_fault.h"
#include "sim/model/host/pcix_monitor.h"
#include "simulation.h"
#include "stage.h"
#include "test.h"

enum { START = 120, APART = 40, PLAYS = 3 };

/* --- preparations --- */
static struct {
    stage s;
    pcix_monitor *m;
    pcix_faults *faults;
    int seen[8], count; /* rules that were broken */
} b;

static void reset(unsigned after)
{
    pcix_bus_set_reset(b.s.bus, 0);
    stage_run(&b.s, 10);
    pcix_bus_set_reset(b.s.bus, 1);
    stage_run(&b.s, after);
}

/* Out of reset, the device a bus master. */
static void restart(void)
{
    reset(20);
    pcix_monitor_set_agent(b.m, 1, PCIX_ID(0, 1, 0), 4);
}

static void device_limits(void)
{
    pcix_monitor_set_capability(b.m, 1, 0x48);
    restart();
}
static void not_master(void) { pcix_monitor_set_agent(b.m, 1, PCIX_ID(0, 1, 0), 0); }
static void flip_data(void)
{
    pcix_fault f = {.initiator = -1, .phase = PCIX_PH_DATA, .index = 2, .ad = 0x10};
    pcix_monitor_set_agent(b.m, 1, PCIX_ID(0, 1, 0), 0x44);
    pcix_faults_add(b.faults, &f);
}
static void flip_address(void)
{
    pcix_fault f = {.initiator = -1, .phase = PCIX_PH_ADDRESS, .ad = 0x10};
    pcix_monitor_set_agent(b.m, 1, PCIX_ID(0, 1, 0), 0x144);
    pcix_faults_add(b.faults, &f);
}
static void failing_completer(void) { pcix_monitor_failing(b.m, PCIX_ID(0, 1, 0), 0); }

struct step {
    const char *table, *edits;
    int initiator, target;
    int at; /* clock after START; 0: APART times the place in the list */
};
static const struct rule_case {
    int rule; /* -1: none is broken */
    struct step plays[PLAYS];
    void (*prepare)(void);
    unsigned clocks; /* 0: enough for the tables */
} cases[] = {
#define RULE(id) .rule = PCIX_RULE_##id
/* A read of 32 bytes by the device, to be split; one of 64 bytes of which 32 are before the ADB, and its first
 * completion with BCM. */
#define READ "b_decode_a", "attribute | 20", 1, 0, 0
#define READ_OVER_ADB "b_decode_a", "address | 60; attribute | 40", 1, 0, 0
#define TO_ADB "address | 60; attribute | 80000000"
#define EARLIER_END(c) "FRAME# " c " 1; REQ64# " c " 1; "
    {RULE(ONE_DRIVER), {{"a", "x:IRDY# 7 0", 0, 1, 0}}},
    {RULE(ONE_DRIVER), {{"a", "x:AD 7 =0", 0, 1, 0}}},
    {RULE(TURNAROUND), {{"a", "x:IRDY# 14 1", 0, 1, 0}}},
    {RULE(STS_HIGH), {{"a", "IRDY# 13 z", 0, 1, 0}}},
    {RULE(STS_HIGH), {{"a", "TRDY# 13 z", 0, 1, 0}}},
    {RULE(STS_RELEASE), {{"a", "IRDY# 14 1", 0, 1, 0}}},
    {RULE(STS_RELEASE), {{"a", "FRAME# 12 1", 0, 1, 0}}},
    {RULE(STS_RELEASE), {{"a", "DEVSEL# 14 1", 0, 1, 0}}},
    {RULE(STS_RELEASE), {{"f", "STOP# 7 1", 0, 1, 0}}},
    {RULE(INITIATOR_ONLY), {{"a", "x:IRDY# 0 1", 0, 1, 0}}},
    {RULE(TARGET_ONLY), {{"d", "x:ACK64# 6 1", 0, 1, 0}}},
    {RULE(TARGET_EARLY), {{"a", "DEVSEL# 2 1", 0, 1, 0}}},
    {RULE(IDLE_CONTROL), {{"a", "x:TRDY# 20 1", 0, 1, 0}}},
    {RULE(IDLE_AD), {{"a", "x:AD 25 =12", 0, 1, 0}}},
    {RULE(AD_OWNER), {{"l", "i:AD 3 =1", 0, 1, 0}}},
    {RULE(AD_OWNER), {{"l", "AD 9 D3", 0, 1, 0}}},
    {RULE(AD_DRIVEN), {{"a", "AD 9 z", 0, 1, 0}}},
    {RULE(AD_DRIVEN), {{"l", "AD 6 z", 0, 1, 0}}},
    {RULE(AD_DRIVEN), {{"l", "C/BE# 6 z", 0, 1, 0}}},
    {RULE(INITIATOR_RELEASE), {{"a", "AD 13 D7", 0, 1, 0}}},
    {RULE(INITIATOR_RELEASE), {{"l", "C/BE# 9 FF", 0, 1, 0}}},
    {RULE(GNT_ONE), {{"a", "x:GNT# 3 0", 0, 1, 0}}},
    {RULE(GNT_GAP), {{"a", "GNT# -9 1; x:GNT# -9 0", 0, 1, 0}}},
    {RULE(GNT_HOLD), {{"a", "REQ# -14..0 0; GNT# -9..-7 1", 0, 1, 0}}},
    {RULE(START_GNT), {{"a", "GNT# -2 1", 0, 1, 0}}},
    {RULE(START_IDLE),
     {{"c_three", "C/BE# 0 F; GNT# 5..20 1; address = 12340000", 0, 1, 0},
      {"f", "GNT# -12..20 1; GNT# -2..0 0", 1, 0, 9}}},
    {RULE(STEP), {{"e_write", "AD -3 =0", 0, 1, 0}}},
    {RULE(STEP), {{"e_write", "AD -4 z; C/BE# -4 z; PAR -3 z", 0, 1, 0}}},
    {RULE(STEP), {{"e_read", "C/BE# -1 B", 0, 1, 0}}},
    {RULE(STEP_GNT), {{"e_write", "GNT# -2 1", 0, 1, 0}}},
    {RULE(COMMAND), {{"a", "C/BE# 0 9", 0, 1, 0}}},
    {RULE(COMMAND), {{"l", "C/BE# 0 8", 0, 1, 0}}},
    {RULE(COMMAND), {{"m", "C/BE# 0 5", 0, 1, 0}}},
    {RULE(DAC_COMMAND), {{"a_dac", "C/BE# 0 =CD; C/BE# 1 =CC", 0, 1, 0}}},
    {RULE(DAC_ZERO), {{"a_dac", "address & ffffffff", 0, 1, 0}}},
    {RULE(REQ64_COMMAND), {{"d", "REQ64# 0..6 0; REQ64# 7 1", 0, 1, 0}}},
    {RULE(REQ64_FRAME), {{"a", "REQ64# 11 0; REQ64# 12 1", 0, 1, 0}}},
    {RULE(REQ64_FRAME), {{"a", "REQ64# 8 1", 0, 1, 0}}},
    {RULE(UPPER_HIGH), {{"a", "AD 0 =12340000", 0, 1, 0}}},
    {RULE(UPPER_HIGH), {{"a", "C/BE# 1 =70", 0, 1, 0}}},
    {RULE(UPPER_DAC), {{"a_dac", "AD 0 =0000005712340000", 0, 1, 0}}},
    {RULE(UPPER_DAC), {{"a_dac", "C/BE# 0 =ED", 0, 1, 0}}},
    {RULE(CONFIG_ADDRESS), {{"e_write", "address | 100000", 0, 1, 0}}},
    {RULE(BUS_MASTER), {{"a", "", 1, 0, 0}}, not_master},
    {RULE(ATTRIBUTE_RESERVED), {{"a", "attribute | 80000000", 0, 1, 0}}},
    {RULE(ATTRIBUTE_RESERVED), {{"d", "attribute | 3", 0, 1, 0}}},
    {RULE(REQUESTER_ID), {{"a", "attribute | 3000", 0, 1, 0}}},
    {RULE(CONFIG_BUS), {{"e_write", "attribute | 3", 0, 1, 0}}},
    {RULE(READ_LIMIT), {{"b_decode_a", "", 1, 0, 0}}, device_limits},
    {RULE(SPLIT_LIMIT), {{READ}, {"b_decode_a", "attribute | 1000020", 1, 0, 0}}, device_limits},
    {RULE(TAG_REUSE), {{READ}, {READ}}},
    {RULE(SEQUENCE_RESUME), {{"g", "", 0, 1, 0}, {"a", "address + 2000", 0, 1, 0}}},
    {RULE(SEQUENCE_RESUME), {{"j", "", 0, 1, 0}, {"a", "", 0, 1, 0}}},
    {RULE(RETRY_REPEAT), {{"h", "", 0, 1, 0}, {"a", "address + 2000", 0, 1, 0}}},
    {RULE(RETRY_FORGOTTEN), {{"h", "", 0, 1, 0}}, 0, 34500},
    {RULE(FRAME_EARLY), {{"a", EARLIER_END("4") "FRAME# 5..11 z; REQ64# 5..11 z", 0, 1, 0}}},
    {RULE(FRAME_EARLY), {{"a", EARLIER_END("6") "FRAME# 7..11 z; REQ64# 7..11 z", 0, 1, 0}}},
    {RULE(FRAME_LATE), {{"a", "FRAME# 11 0; REQ64# 11 0; FRAME# 12 1; REQ64# 12 1", 0, 1, 0}}},
    {RULE(FRAME_LATE), {{"f", "FRAME# 7 0; FRAME# 8 1; IRDY# 7 0; IRDY# 8 1", 0, 1, 0}}},
    {RULE(ADB_END), {{"a", EARLIER_END("8") "FRAME# 9..11 z; REQ64# 9..11 z", 0, 1, 0}}},
    {RULE(IRDY_START), {{"a", "IRDY# 2 0", 0, 1, 0}}},
    {RULE(IRDY_START), {{"a", "IRDY# 3 1", 0, 1, 0}}},
    {RULE(IRDY_WAIT), {{"a", "IRDY# 8 1", 0, 1, 0}}},
    {RULE(IRDY_END), {{"a", "IRDY# 13 0; IRDY# 14 1", 0, 1, 0}}},
    {RULE(MASTER_ABORT), {{"m", "FRAME# 8 0; REQ64# 8 0; FRAME# 9 1; REQ64# 9 1", 0, 1, 0}}},
    {RULE(MASTER_ABORT), {{"m", EARLIER_END("7") "IRDY# 7 1; FRAME# 8 z; REQ64# 8 z; IRDY# 8 z", 0, 1, 0}}},
    {RULE(CBE_HIGH), {{"a", "C/BE# 9 =fe", 0, 1, 0}}},
    {RULE(CBE_HIGH), {{"d", "C/BE# 3 =f0", 0, 1, 0}}},
    {RULE(BYTE_ENABLES), {{"f_two", "attribute = c", 0, 1, 0}}},
    {RULE(WRITE_HOLD), {{"a", "AD 4 D1", 0, 1, 0}}},
    {RULE(WRITE_HOLD), {{"a_wait_pair", "AD 5 D1", 0, 1, 0}}},
    {RULE(WRITE_HOLD), {{"f", "C/BE# 4 =fe", 0, 1, 0}}},
    {RULE(UPPER_DUPLICATE), {{"f_two", "attribute = c; address + 4; enables = f", 0, 1, 0}}},
    {RULE(DEVSEL_WINDOW), {{"a", "DEVSEL# 4 z; ACK64# 4 z; TRDY# 4 z; STOP# 4 z; TRDY# 5 1", 0, 1, 0}}},
    {RULE(DEVSEL_COMMAND), {{"f", "C/BE# 0 1; attribute = 0; enables = ff", 0, 1, 0}}},
    {RULE(TARGET_SELF), {{"a", "", 0, 0, 0}}},
    {RULE(TARGET_DRIVE), {{"a", "STOP# 4 z", 0, 1, 0}}},
    {RULE(RESPONSE_EARLY), {{"a", "TRDY# 4 0", 0, 1, 0}}},
    {RULE(RESPONSE_LOST), {{"a", "DEVSEL# 5 1; ACK64# 5 1; TRDY# 5 1", 0, 1, 0}}},
    {RULE(RESPONSE_COMMAND), {{"a", "DEVSEL# 5 1; ACK64# 5 1", 0, 1, 0}}},
    {RULE(RESPONSE_COMMAND), {{"d", "STOP# 5 0", 0, 1, 0}}},
    {RULE(RESPONSE_LATER), {{"a", "STOP# 7 0; TRDY# 7 1", 0, 1, 0}}},
    {RULE(RESPONSE_LATER), {{"a", "DEVSEL# 7 1; ACK64# 7 1", 0, 1, 0}}},
    {RULE(WAIT_PAIR), {{"a", "TRDY# 5 1", 0, 1, 0}}},
    {RULE(LATENCY_DATA),
     {{"d_waits",
       "DEVSEL# 5..16 0; TRDY# 5..16 1; STOP# 5..16 1; FRAME# 5..16 0; IRDY# 5..16 0; AD 5..16 x; C/BE# 5..16 FF; PAR "
       "9 p8; PAR 10 p9;"
       "PAR 11 p10; PAR 12 p11; PAR 13 p12; PAR 14 p13; PAR 15 p14; PAR 16 p15",
       0, 1, 0}}},
    {RULE(LATENCY_END), {{"d_waits", "TRDY# 8 1; STOP# 8 0", 0, 1, 0}}},
    {RULE(TARGET_WAIT), {{"a", "TRDY# 8 1", 0, 1, 0}}},
    {RULE(STOP_STICKY), {{"i_first_far", "STOP# 8 1", 0, 1, 0}}},
    {RULE(TARGET_STOP), {{"a", "TRDY# 13 0; TRDY# 14 1", 0, 1, 0}}},
    {RULE(ACK64_ALONE), {{"d", "ACK64# 4..5 0; ACK64# 6 1", 0, 1, 0}}},
    {RULE(ACK64_DEVSEL), {{"a", "ACK64# 8 1", 0, 1, 0}}},
    {RULE(SPLIT_ONES), {{"b_decode_a", "AD 3 =1; attribute | 20", 1, 0, 0}}},
    {RULE(PAR_DRIVE), {{"a", "PAR 8 z", 0, 1, 0}}},
    {RULE(PAR_DRIVE), {{"a", "x:PAR 20 0", 0, 1, 0}}},
    {RULE(PAR_VALUE), {{"a", "PAR 8 !p7L", 0, 1, 0}}},
    {RULE(PAR_VALUE), {{"e_write", "PAR -1 !p-2", 0, 1, 0}}},
    {RULE(PAR64_VALUE), {{"a", "PAR 8 !p7H", 0, 1, 0}}},
    {RULE(PERR_SPURIOUS), {{"a", "PERR# 10 0; PERR# 11 1", 0, 1, 0}}},
    {RULE(PERR_SPURIOUS), {{"a", "PERR# 9 0; PERR# 10 1", 0, 1, 0}}, flip_data},
    {RULE(PERR_MISSING), {{"a", "", 0, 1, 0}}, flip_data},
    {RULE(SERR_SPURIOUS), {{"a", "SERR# 10 0", 0, 1, 0}}},
    {RULE(SERR_MISSING), {{"a", "", 0, 1, 0}}, flip_address},
    {RULE(COMPLETION_UNEXPECTED), {{"c_four", "", 0, 1, 0}}},
    {RULE(COMPLETION_ADDRESS), {{READ}, {"c_four", "address | 80", 0, 1, 0}}},
    {RULE(COMPLETION_LOWER), {{READ}, {"c_four", "address | 8", 0, 1, 0}}},
    {RULE(COMPLETION_COUNT), {{READ}, {"c_three", "", 0, 1, 0}}},
    {RULE(COMPLETER_ID), {{READ}, {"c_four", "attribute | 3000", 0, 1, 0}}},
    {RULE(COMPLETER_BITS), {{READ}, {"c_four", "attribute | 80000000", 0, 1, 0}}},
    {RULE(COMPLETER_BITS), {{READ}, {"c_four", "attribute | a0000000", 0, 1, 0}}},
    {RULE(COMPLETER_BITS), {{READ_OVER_ADB}, {"c_four", TO_ADB, 0, 1, 0}, {"c_four", "attribute | 80000000", 0, 1, 0}}},
    {RULE(COMPLETION_COUNT), {{READ_OVER_ADB}, {"c_three", TO_ADB, 0, 1, 0}}},
    {RULE(COMPLETER_BITS), {{READ}, {"c_four", "attribute | 40000000", 0, 1, 0}}},
    {RULE(COMPLETION_MESSAGE), {{READ}, {"c_four", "attribute | 20000000", 0, 1, 0}}},
    {RULE(COMPLETION_MESSAGE), {{READ}, {"c_four", "attribute | 20000000; address | 8", 0, 1, 0}}},
    {RULE(COMPLETION_CLAIM), {{READ}, {"c_four", "", 0, 2, 0}}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void record(void *arg, const pcix_violation *v)
{
    (void)arg;
    if (b.count < COUNT(b.seen)) b.seen[b.count++] = v->rule;
}

CLEANUP(pcix_monitor_free);
CLEANUP(pcix_faults_free);

static void set_up(void)
{
    stage_init(&b.s);
    b.m = pcix_monitor_new(b.s.bus);
    b.faults = pcix_faults_new(b.s.bus);
    after_test(pcix_monitor_free_cleanup, b.m);
    after_test(pcix_faults_free_cleanup, b.faults);
    pcix_monitor_on_violation(b.m, record, NULL);
    pcix_monitor_set_bridge(b.m, 0, 0, false);
    restart();
    b.count = 0;
}

/* Exactly this rule was broken, once; -1: none. */
static void expect(int rule)
{
    const char *name = rule < 0 ? "nothing" : pcix_rule_name(rule);
    if (rule >= 0) ck_assert_msg(b.count > 0, "%s was not reported", name);
    if (b.count > 0) ck_assert_msg(b.seen[0] == rule, "%s reported instead of %s", pcix_rule_name(b.seen[0]), name);
    if (b.count > 1) ck_abort_msg("%s reported after %s", pcix_rule_name(b.seen[1]), name);
}

static void verify(const struct rule_case *c)
{
    if (c->prepare != NULL) c->prepare();
    for (int i = 0; i < PLAYS && c->plays[i].table != NULL; i++) {
        const struct step *p = &c->plays[i];
        stage_edit(stage_add(&b.s, p->table, START + (uint64_t)(p->at ? p->at : APART * i), p->initiator, p->target),
                   p->edits);
    }
    stage_run(&b.s, c->clocks ? c->clocks : 200);
    expect(c->rule);
    ck_assert_uint_eq(pcix_faults_done(b.faults), c->prepare == flip_data || c->prepare == flip_address);
}

TEST_CASE("violations", .setup = set_up);

TEST(monitor_reports_exactly_the_broken_rule, .to = CASES) { verify(&cases[_i]); }

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
    stage_add(&b.s, "a", START, 1, 0);
    stage_run(&b.s, START + 4 - (unsigned)pcix_bus_clock(b.s.bus));
    ck_assert_int_eq(b.count, 0);
    pcix_bus_set_reset(b.s.bus, 0);
    stage_run(&b.s, 10);
    ck_assert_int_ge(b.count, 1);
    ck_assert_int_eq(b.seen[0], PCIX_RULE_RESET_FLOAT);
}

/* A transaction this many clocks after RST# rises. */
static void start_after_reset(unsigned clocks)
{
    stage_add(&b.s, "a", pcix_bus_clock(b.s.bus) + 11 + clocks, 1, 0);
    reset(60);
}

TEST(starting_right_after_reset_is_reported)
{
    start_after_reset(4);
    expect(PCIX_RULE_RESET_START);
}

/* ---- The same plays for the property file of the proofs: its bits are the rules in the order of the list. */

static struct {
    pcix_properties *p;
    uint32_t by[2][(PCIX_RULES + 31) / 32]; /* bits set in the first clock with any: initiator, target */
    bool any;
} gates;

static void gates_clock(void)
{
    *gates.p->clk = 1;
    sim_model_eval(gates.p->model);
    *gates.p->clk = 0;
    sim_model_eval(gates.p->model);
}

static void gates_watch(void *self, const pcix_sample *s)
{
    (void)self;
    const pcix_properties *p = gates.p;
    const play *now = &b.s.plays[0], *granted = now;
    pcix_flip flip = *pcix_bus_flip_at(b.s.bus, s->clock);
    if (pcix_bus_flipped(b.s.bus) != s->clock) flip = (pcix_flip){0};
    for (int i = 1; i < b.s.count; i++) {
        if (b.s.plays[i].at <= s->clock) now = &b.s.plays[i];
        if (b.s.plays[i].at <= s->clock + 3) granted = &b.s.plays[i];
    }
    *p->rst = !s->rst_n;
    *p->ad = s->ad ^ flip.ad;
    *p->cbe_n = s->cbe ^ flip.cbe;
    *p->level = (s->level ^ flip.level) & PCIX_PULLED_UP;
    *p->initiator_oe = s->oe[now->initiator];
    *p->target_oe = s->oe[now->target];
    *p->gnt_n = s->gnt_n >> granted->initiator & 1;
    sim_model_eval(p->model);
    for (int i = 0; i < COUNT(gates.by[0]) && !gates.any; i++) {
        gates.by[0][i] = p->by_initiator[i];
        gates.by[1][i] = p->by_target[i];
    }
    for (int i = 0; i < COUNT(gates.by[0]); i++) gates.any |= gates.by[0][i] != 0 || gates.by[1][i] != 0;
    gates_clock();
}

/* What takes an arbiter, an electrical error, byte enables, more transactions than one, or the configuration. */
static bool gates_know(int rule)
{
    static const int absent[] = {PCIX_RULE_RESET_FLOAT, PCIX_RULE_STEP,         PCIX_RULE_STEP_GNT,
                                 PCIX_RULE_BUS_MASTER,  PCIX_RULE_REQUESTER_ID, PCIX_RULE_CONFIG_BUS,
                                 PCIX_RULE_BYTE_ENABLES};
    bool known = rule >= 0 && !(rule >= PCIX_RULE_GNT_ONE && rule <= PCIX_RULE_GNT_HOLD) &&
                 !(rule >= PCIX_RULE_READ_LIMIT && rule <= PCIX_RULE_RETRY_FORGOTTEN) && rule < PCIX_RULE_PERR_SPURIOUS;
    for (int i = 0; i < COUNT(absent); i++) known &= rule != absent[i];
    return known;
}

/* In the first clock in which the gates name rules the case's is among them, and all are of the same side. */
static void gates_name(const struct rule_case *c)
{
    gates.p = pcix_properties_new(quiet_sim(0), "gates");
    clear_inputs(gates.p->model);
    *gates.p->latency_timer = 0xff;
    *gates.p->level = PCIX_PULLED_UP;
    *gates.p->rst = 1;
    for (int i = 0; i < 4; i++) gates_clock();
    pcix_bus_add_watcher(b.s.bus, gates_watch, NULL);
    verify(c);
    bool of[2] = {false, false}, named = false;
    char names[400] = "";
    for (int side = 0; side < 2; side++)
        for (int rule = 0; rule < PCIX_RULES; rule++)
            if (gates.by[side][rule / 32] >> rule % 32 & 1) {
                of[side] = true;
                named |= rule == c->rule;
                strcat(strcat(names, side ? " target:" : " initiator:"), pcix_rule_name(rule));
            }
    if (gates_know(c->rule))
        ck_assert_msg(named && !(of[0] && of[1]), "%s: the gates say%s", pcix_rule_name(c->rule), names);
    else ck_assert_msg(names[0] == 0, "the gates say%s", names);
}

TEST(gates_name_the_same_rules, .to = CASES)
{
    for (int i = 0; i < PLAYS; i++)
        if (cases[_i].rule == PCIX_RULE_TARGET_SELF ||
            (cases[_i].plays[i].edits && strstr(cases[_i].plays[i].edits, "x:")))
            return; /* they know two agents */
    gates_name(&cases[_i]);
}

TEST_CASE("legal", .setup = set_up);

TEST(starting_five_clocks_after_reset_is_legal)
{
    start_after_reset(5);
    expect(-1);
}

/* --- no false reports --- */

/* A test of these plays, and all else that a rule_case says: nothing is broken. */
#define LEGAL(name, ...)                                                                                               \
    TEST(name) { gates_name(&(struct rule_case){.rule = -1, .plays = __VA_ARGS__}); }

/* the initiator has decided to leave at the ADB before it can see the Target-Abort */
LEGAL(leaving_at_an_adb_while_the_target_aborts_is_legal,
      {{"g",
        "DEVSEL# 8..9 1; ACK64# 8..9 1; TRDY# 8..9 1; STOP# 8 0; DEVSEL# 10..11 z; ACK64# 10..11 z; TRDY# 10..11 z;"
        "STOP# 10..11 z; IRDY# 10 1; IRDY# 11 z; AD 10 z; C/BE# 10 z; PAR 11 z",
        0, 1, 0},
       {"g",
        "DEVSEL# 9..10 1; ACK64# 9..10 1; TRDY# 9..10 1; STOP# 9 0; DEVSEL# 11 z; ACK64# 11 z; TRDY# 11 z; STOP# 11 z",
        0, 1, 0}})

/* the word of clock 7 is bad */
LEGAL(perr_three_clocks_after_a_wrong_word_is_legal, {{"a", "PERR# 10 0; PERR# 11 1", 0, 1, 0}}, flip_data)

LEGAL(serr_three_clocks_after_a_wrong_address_is_legal, {{"a", "SERR# 3 0", 0, 1, 0}}, flip_address)

/* L = 12: next address at L+2 */
LEGAL(start_rule_b_is_legal,
      {{"a", "GNT# 5..20 1", 0, 1, 0}, {"a", "GNT# -12..20 1; GNT# -2..0 0; address + 2000", 1, 0, 14}})

/* the Tag is free again */
LEGAL(read_is_split_and_completed, {{READ}, {"c_four", "", 0, 1, 0}, {"b_decode_c", "attribute | 20", 1, 0, 0}})

/* BCM in a first completion that ends at its first ADB; the next byte count is the remainder. */
LEGAL(counting_only_to_the_first_adb_is_legal, {{READ_OVER_ADB}, {"c_four", TO_ADB, 0, 1, 0}, {"c_four", "", 0, 1, 0}})

/* A read that its completer fails: its completion may be wrong, and other reads may be outstanding. */
LEGAL(a_failing_completion_is_known, {{READ}, {"c_three", "", 0, 1, 0}, {"b_decode_c", "attribute | 1000020", 1, 0, 0}},
      failing_completer)

/* Its Tag is free when enough others have been used, and not before. */
TEST(the_tag_of_a_failing_completion_may_not_come_again_at_once)
{
    verify(&(struct rule_case){
        RULE(TAG_REUSE), {{READ}, {"b_decode_a", "attribute | 1000020", 1, 0, 0}, {READ}}, failing_completer});
}

LEGAL(retried_write_is_repeated, {{"h", "", 0, 1, 0}, {"a", "", 0, 1, 0}}, .clocks = 34500)

TEST_CASE("handling", .setup = set_up);

TEST(expected_violation_is_swallowed_once)
{
    pcix_monitor_expect(b.m, PCIX_RULE_START_GNT);
    ck_assert_uint_eq(pcix_monitor_missing(b.m), 1);
    verify(&(struct rule_case){RULE(START_GNT), {{"a", "GNT# -2 1", 0, 1, 0}, {"a", "GNT# -2 1", 0, 1, 0}}, NULL, 0});
    ck_assert_uint_eq(pcix_monitor_missing(b.m), 0);
    ck_assert_uint_eq(pcix_monitor_violations(b.m), 1);
}

TEST(rule_can_be_switched_off)
{
    pcix_monitor_enable(b.m, PCIX_RULE_START_GNT, false);
    verify(&(struct rule_case){.rule = -1, .plays = {{"a", "GNT# -2 1", 0, 1, 0}}});
}
