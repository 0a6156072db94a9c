/* The monitors are fed every violation that they must catch: each rule has at least one case, and it must be the first
 * that fires. */
#include <string.h>
#include <strings.h>

#include "axi_bench.h"
#include "axi_lite_properties.h"
#include "axi_properties_16.h"
#include "axi_stream_properties_mac.h"
#include "memory_bench.h"
#include "sim/model/axi/axi_lite_rules.h"
#include "sim/model/axi/axi_rules.h"
#include "sim/model/axi/axi_stream_rules.h"

CLEANUP(axi_monitor_free);
CLEANUP(axi_stream_monitor_free);

/* A write of two beats to 0x1000 without a pause, its response; a read of two beats. The bus has 8 bytes. */
#define AW "awvalid=1 awready=1 awaddr=1000 awlen=1 awsize=3 awburst=1 "
#define W "wvalid=1 wready=1 wstrb=ff "
#define AR "arvalid=1 arready=1 araddr=1000 arlen=1 arsize=3 arburst=1 "
#define WRITE "2 " AW "3 awvalid=0 " W "4 wlast=1 5 wvalid=0 "
#define READ "2 " AR "3 arvalid=0 "

static const axi_rule_case cases[] = {
    /* good ones */
    {"", WRITE "6 bvalid=1 bready=1 7 bvalid=0"},
    {"", READ "6 rvalid=1 rready=1 7 rlast=1 8 rvalid=0"},
    {"", "2 awvalid=1 awaddr=1ff8 awsize=3 awburst=1 5 awready=1 6 awvalid=0 " W
         "wlast=1 7 wvalid=0 8 bvalid=1 12 bready=1 13 bvalid=0"},
    {"", "2 " W "wlast=0 3 wlast=1 4 wvalid=0 5 " AW "6 awvalid=0 8 bvalid=1 bready=1 9 bvalid=0"}, /* data first */
    {"",
     "2 " AR
     "arid=1 3 arid=2 4 arvalid=0 6 rvalid=1 rready=1 rid=2 7 rid=1 8 rid=2 rlast=1 9 rid=1 10 rvalid=0"}, /* mixed */
    {"", "2 rst=1 6 rst=0 8 awvalid=1 9 awready=1 10 awvalid=0"},
    {"", "2 arvalid=1 arready=1 araddr=1010 arlen=3 arsize=3 arburst=2 3 arvalid=0"}, /* WRAP */
    {"", "2 awvalid=1 awready=1 awaddr=1004 awsize=2 awburst=1 3 awvalid=0 wvalid=1 wready=1 wstrb=30 wlast=1 4 "
         "wvalid=0"}, /* narrow */
    /* held until taken */
    {"AXI_AW_HELD", "2 awvalid=1 awsize=3 awburst=1 4 awvalid=0"},
    {"AXI_AW_HELD", "2 awvalid=1 awsize=3 awburst=1 4 awaddr=40"},
    {"AXI_AW_HELD", "2 awvalid=1 awsize=3 awburst=1 4 awid=1"},
    {"AXI_W_HELD", "2 wvalid=1 wdata=1 4 wdata=2"},
    {"AXI_W_HELD", "2 wvalid=1 wstrb=ff 4 wstrb=7f"},
    {"AXI_W_HELD", "2 wvalid=1 4 wvalid=0"},
    {"AXI_B_HELD", WRITE "6 bvalid=1 8 bvalid=0"},
    {"AXI_B_HELD", WRITE "6 bvalid=1 8 bresp=2"},
    {"AXI_AR_HELD", "2 arvalid=1 arsize=3 arburst=1 4 arlen=1"},
    {"AXI_AR_HELD", "2 arvalid=1 arsize=3 arburst=1 4 arvalid=0"},
    {"AXI_R_HELD", READ "6 rvalid=1 8 rdata=1"},
    {"AXI_R_HELD", READ "6 rvalid=1 8 rvalid=0"},
    /* reset */
    {"AXI_AW_RESET", "2 rst=1 4 awvalid=1"},
    {"AXI_AW_RESET", "2 rst=1 6 rst=0 awvalid=1"},
    {"AXI_W_RESET", "2 rst=1 4 wvalid=1"},
    {"AXI_B_RESET", "2 rst=1 4 bvalid=1"},
    {"AXI_AR_RESET", "2 rst=1 4 arvalid=1"},
    {"AXI_R_RESET", "2 rst=1 6 rst=0 rvalid=1"},
    /* addresses */
    {"AXI_AW_SIZE", "2 " AW "awsize=4"},
    {"AXI_AR_SIZE", "2 " AR "arsize=4"},
    {"AXI_AW_KIND", "2 " AW "awburst=3"},
    {"AXI_AW_KIND", "2 " AW "awburst=0 awlen=10"},
    {"AXI_AR_KIND", "2 " AR "arburst=2 arlen=2"},
    {"AXI_AR_KIND", "2 " AR "arburst=2 arlen=3 araddr=1004"},
    {"AXI_AW_4KB", "2 " AW "awaddr=1ff8"},
    {"AXI_AW_4KB", "2 " AW "awaddr=1808 awlen=ff"},
    {"", "2 " AW "awaddr=1801 awlen=ff 3 awvalid=0"}, /* 256 beats of 8 from 0x1800 end at 0x2000 */
    {"", "2 " AW "awaddr=1800 awlen=ff 3 awvalid=0"},
    {"AXI_AR_4KB", "2 " AR "araddr=fffffff8"},
    /* data of a write */
    {"AXI_W_STROBES", "2 " AW "awaddr=1002 3 awvalid=0 " W},
    {"AXI_W_STROBES", "2 " AW "awaddr=1004 awsize=2 awlen=0 3 awvalid=0 " W "wlast=1 wstrb=f"},
    {"AXI_W_STROBES", "2 " W "wstrb=1 3 wvalid=0 4 " AW "awaddr=1002"}, /* before its address */
    {"AXI_W_LAST", "2 " AW "3 awvalid=0 " W "wlast=1"},
    {"AXI_W_LAST", "2 " AW "3 awvalid=0 " W "5 wvalid=0"},
    /* responses */
    {"AXI_B_ALONE", "2 bvalid=1 bready=1"},
    {"AXI_B_ALONE", "2 " AW "3 awvalid=0 " W "4 wlast=1 bvalid=1 bready=1"}, /* in the clock of the last beat */
    {"AXI_B_ALONE", WRITE "6 bvalid=1 bready=1"},                            /* twice */
    {"AXI_B_ID", WRITE "6 bvalid=1 bready=1 bid=3"},
    {"AXI_B_RESP", WRITE "6 bvalid=1 bready=1 bresp=1"},
    {"AXI_R_ALONE", "2 rvalid=1 rready=1"},
    {"AXI_R_ALONE", "2 " AR "arlen=0 3 arvalid=0 6 rvalid=1 rready=1 rlast=1"},
    {"AXI_R_ALONE", "2 " AR "rvalid=1 rready=1"},
    {"AXI_R_ID", READ "6 rvalid=1 rready=1 rid=1"},
    {"AXI_R_LAST", READ "6 rvalid=1 rready=1 rlast=1"},
    {"AXI_R_LAST", READ "6 rvalid=1 rready=1 8 rvalid=0"},
    {"AXI_R_RESP", READ "6 rvalid=1 rready=1 rresp=1"},
};

TEST(each_rule_of_axi_catches_its_violation, .to = COUNT(cases))
{
    axi_bench *b = axi_bench_new(BENCH_AXI, 8, NULL);
    axi_monitor *m = axi_monitor_new(b->s, b->clock, &b->pins, "port");
    after_test(axi_monitor_free_cleanup, m);
    axi_monitor_on_violation(m, axi_bench_broken, b);
    axi_bench_check(b, &cases[_i]);
}

/* Data of a counting master: the monitor counts as well. */
TEST(a_port_without_rlast, .to = 2)
{
    static const axi_rule_case counted[] = {
        {"", READ "6 rvalid=1 rready=1 8 rvalid=0 10 arvalid=1 11 arvalid=0 15 rvalid=1 17 rvalid=0"},
        {"AXI_R_ALONE", READ "6 rvalid=1 rready=1 9 rvalid=0"}};
    axi_bench *b = axi_bench_new(BENCH_AXI, 8, " RLAST ");
    axi_monitor *m = axi_monitor_new(b->s, b->clock, &b->pins, "port");
    after_test(axi_monitor_free_cleanup, m);
    axi_monitor_on_violation(m, axi_bench_broken, b);
    axi_bench_check(b, &counted[_i]);
    ck_assert_uint_eq(axi_monitor_outstanding(m), 0);
}

static const axi_rule_case lite_cases[] = {
    {"",
     "2 awvalid=1 awready=1 awaddr=4 wvalid=1 wready=1 wstrb=f 3 awvalid=0 wvalid=0 5 bvalid=1 7 bready=1 8 bvalid=0"},
    {"", "2 wvalid=1 wready=1 3 wvalid=0 6 awvalid=1 awready=1 7 awvalid=0 8 bvalid=1 bready=1 9 bvalid=0"},
    {"", "2 arvalid=1 4 arready=1 5 arvalid=0 6 rvalid=1 rready=1 7 rvalid=0"},
    {"AXI_LITE_AW_HELD", "2 awvalid=1 3 awaddr=8"},
    {"AXI_LITE_W_HELD", "2 wvalid=1 3 wdata=8"},
    {"AXI_LITE_B_HELD", "2 awvalid=1 awready=1 wvalid=1 wready=1 3 awvalid=0 wvalid=0 5 bvalid=1 6 bvalid=0"},
    {"AXI_LITE_AR_HELD", "2 arvalid=1 3 arvalid=0"},
    {"AXI_LITE_R_HELD", "2 arvalid=1 arready=1 3 arvalid=0 5 rvalid=1 6 rdata=1"},
    {"AXI_LITE_AW_RESET", "2 rst=1 4 awvalid=1"},
    {"AXI_LITE_W_RESET", "2 rst=1 4 wvalid=1"},
    {"AXI_LITE_B_RESET", "2 rst=1 4 bvalid=1"},
    {"AXI_LITE_AR_RESET", "2 rst=1 4 arvalid=1"},
    {"AXI_LITE_R_RESET", "2 rst=1 4 rvalid=1"},
    {"AXI_LITE_B_ALONE", "2 awvalid=1 awready=1 3 awvalid=0 5 bvalid=1 bready=1"}, /* without data */
    {"AXI_LITE_B_RESP", "2 awvalid=1 awready=1 wvalid=1 wready=1 3 awvalid=0 wvalid=0 5 bvalid=1 bready=1 bresp=1"},
    {"AXI_LITE_R_ALONE", "2 rvalid=1 rready=1"},
    {"AXI_LITE_R_RESP", "2 arvalid=1 arready=1 3 arvalid=0 5 rvalid=1 rready=1 rresp=1"},
};

TEST(each_rule_of_axi_lite_catches_its_violation, .to = COUNT(lite_cases))
{
    axi_bench *b = axi_bench_new(BENCH_LITE, 4, NULL);
    axi_monitor *m = axi_monitor_new(b->s, b->clock, &b->pins, "port");
    after_test(axi_monitor_free_cleanup, m);
    axi_monitor_on_violation(m, axi_bench_broken, b);
    axi_bench_check(b, &lite_cases[_i]);
}

/* Frames of at most 20 bytes; the MAC takes every word from clock 1 on unless a case says otherwise. */
static const axi_rule_case stream_cases[] = {
    {"", "1 tready=1 2 tvalid=1 tkeep=ff 4 tlast=1 tkeep=1 5 tvalid=0"},
    {"", "1 tready=1 2 tvalid=1 tkeep=ff tlast=1 4 tvalid=0"},
    {"", "2 tvalid=1 tkeep=ff 9 tready=1 11 tlast=1 tkeep=f 12 tvalid=0"},
    {"AXI_STREAM_HELD", "2 tvalid=1 tkeep=ff tlast=1 3 tvalid=0"},
    {"AXI_STREAM_HELD", "2 tvalid=1 tkeep=ff tlast=1 3 tdata=1"},
    {"AXI_STREAM_HELD", "2 tvalid=1 tkeep=ff tlast=1 3 tuser=1"},
    {"AXI_STREAM_RESET", "1 rst=1 3 tvalid=1"},
    {"AXI_STREAM_KEEP", "1 tready=1 2 tvalid=1 tkeep=7f"},
    {"AXI_STREAM_KEEP_LAST", "1 tready=1 2 tvalid=1 tkeep=0 tlast=1"},
    {"AXI_STREAM_KEEP_LAST", "1 tready=1 2 tvalid=1 tkeep=5 tlast=1"},
    {"AXI_STREAM_KEEP_LAST", "1 tready=1 2 tvalid=1 tkeep=fe tlast=1"},
    {"AXI_STREAM_GAP", "1 tready=1 2 tvalid=1 tkeep=ff 3 tvalid=0"},
    {"AXI_STREAM_LONG", "1 tready=1 2 tvalid=1 tkeep=ff 4 tlast=1 tkeep=1f 5 tvalid=0"},
};

TEST(each_rule_of_axi_stream_catches_its_violation, .to = COUNT(stream_cases))
{
    axi_bench *b = axi_bench_new(BENCH_AXI, 8, NULL);
    axi_stream_monitor *m =
        axi_stream_monitor_new(b->s, b->clock, &b->stream, &(axi_stream_params){.no_gaps = 1, .most_bytes = 20}, "mac");
    after_test(axi_stream_monitor_free_cleanup, m);
    axi_stream_monitor_on_violation(m, axi_bench_broken, b);
    axi_bench_check(b, &stream_cases[_i]);
}

/* ---- rules of memory_bench.h. Each burst of the script has one or two beats of 8 bytes; the memory is always ready.
 */
#define ADDRESS "awvalid=1 awsize=3 awburst=1 awlen=1 bready=1 "
static const axi_rule_case memory_cases[] = {
    {"", "5 " ADDRESS "wvalid=1 wstrb=f0 6 awvalid=0 wstrb=1f wlast=1 7 wvalid=0"},
    {"", "5 " ADDRESS "6 awvalid=0 8 wvalid=1 wstrb=80 9 wstrb=1 wlast=1 10 wvalid=0"},
    {"", "5 " ADDRESS "awlen=0 wvalid=1 wstrb=8 wlast=1 6 awvalid=0 wvalid=0 rst=1 9 rst=0"},
    {"WITHIN_WORD", "5 " ADDRESS "awaddr=1004"},
    {"WITHIN_WORD", "5 arvalid=1 arsize=3 arburst=1 araddr=1001"},
    {"DATA_FIRST", "4 wvalid=1 wstrb=ff 5 " ADDRESS "wlast=1 6 awvalid=0 wvalid=0"},
    {"DATA_FIRST", "5 " ADDRESS "awlen=0 wvalid=1 wstrb=f0 wlast=1 6 awvalid=0"},
    {"DATA_FIRST", "5 " ADDRESS "6 rst=1 awvalid=0 9 rst=0 12 wvalid=1"},
    {"HOLE", "5 " ADDRESS "wvalid=1 wstrb=50 6 awvalid=0 wstrb=0 wlast=1 7 wvalid=0"},
    {"HOLE", "5 " ADDRESS "wvalid=1 wstrb=70 6 awvalid=0 wstrb=ff wlast=1 7 wvalid=0"},
    {"HOLE", "5 " ADDRESS "wvalid=1 wstrb=ff 6 awvalid=0 wstrb=fe wlast=1 7 wvalid=0"},
    {"HOLE", "5 " ADDRESS "wvalid=1 wstrb=0 6 awvalid=0 wlast=1 7 wvalid=0"},
};

TEST(each_rule_of_the_chips_masters_catches_its_violation, .to = COUNT(memory_cases))
{
    axi_bench *b = axi_bench_new(BENCH_AXI, 8, NULL);
    memory_port *p = memory_bench_pins(memory_bench_new(b->s, b->clock, NULL), b->s, b->clock, &b->pins, "port");
    p->checker.report = axi_bench_broken;
    p->checker.arg = b;
    memory_bench_rules(p);
    axi_bench_check(b, &memory_cases[_i]);
}

/* ---- The same scripts for the property files of the proofs: their bits are the rules in the order of the list. */

static struct {
    axi_bench *b;
    sim_model *model;
    const sim_port *pins[AXI_SIGNALS], *rst, *stream[6], *broken;
    uint64_t first; /* bits set in the first clock with any */
} gates;

static void gates_drive(void *self)
{
    (void)self;
    const axi_bench *b = gates.b;
    const uint64_t stream[] = {b->tvalid, b->tready, b->tdata, b->tkeep, b->tlast, b->tuser};
    for (int i = 0; i < AXI_SIGNALS; i++)
        if (gates.pins[i]) sim_port_set_field(gates.pins[i], 0, gates.pins[i]->bits, b->value[i][0]);
    for (int i = 0; i < COUNT(stream); i++)
        if (gates.stream[i]) sim_port_set(gates.stream[i], stream[i]);
    sim_port_set(gates.rst, b->rst);
}

static void gates_sample(void *self)
{
    (void)self;
    sim_model_eval(gates.model);
    if (!gates.first) gates.first = sim_port_get(gates.broken);
}

/* In the first clock in which the gates name a rule it must be the case's alone. */
static void gates_name(axi_bench *b, const sim_config *config, const axi_rule_case *c, const char *const rules[],
                       int count)
{
    static const char *const names[] = {
#define SIGNAL(name, channel, needed) #name,
        AXI_SIGNAL_LIST(SIGNAL)
#undef SIGNAL
    };
    static const char *const stream[] = {"tvalid", "tready", "tdata", "tkeep", "tlast", "tuser"};
    gates.b = b;
    gates.model = make_clocked(b->s, b->clock, config, "properties");
    size_t ports;
    const sim_port *port = sim_model_ports(gates.model, &ports);
    for (; ports--; port++) {
        for (int i = 0; i < AXI_SIGNALS; i++)
            if (!strcasecmp(port->name, names[i])) gates.pins[i] = port;
        for (int i = 0; i < COUNT(stream); i++)
            if (!strcmp(port->name, stream[i])) gates.stream[i] = port;
        if (!strcmp(port->name, "rst")) gates.rst = port;
        if (!strcmp(port->name, "broken")) gates.broken = port;
    }
    sim_clock_attach(b->clock, gates_sample, gates_drive, &gates);
    axi_bench_play(b, c->script, BENCH_CASE);
    uint64_t expected = 0;
    for (int r = 0; r < count; r++)
        if (!strcmp(rules[r], c->rule)) expected = UINT64_C(1) << r;
    ck_assert_msg(gates.first == expected, "%s: rules %llx are broken, expected %llx (%s)", c->script,
                  (unsigned long long)gates.first, (unsigned long long)expected, c->rule);
}

TEST(gates_of_axi_name_the_same_rules, .to = COUNT(cases))
{
    static const char *const rules[] = {
#define RULE(id, by, section, text) "AXI_" #id,
        AXI_RULE_LIST(RULE)
#undef RULE
    };
    gates_name(axi_bench_new(BENCH_AXI, 8, NULL), &axi_properties_16_config, &cases[_i], rules, COUNT(rules));
}

TEST(gates_of_axi_lite_name_the_same_rules, .to = COUNT(lite_cases))
{
    static const char *const rules[] = {
#define RULE(id, by, section, text) "AXI_LITE_" #id,
        AXI_LITE_RULE_LIST(RULE)
#undef RULE
    };
    gates_name(axi_bench_new(BENCH_LITE, 4, NULL), &axi_lite_properties_config, &lite_cases[_i], rules, COUNT(rules));
}

TEST(gates_of_axi_stream_name_the_same_rules, .to = COUNT(stream_cases))
{
    static const char *const rules[] = {
#define RULE(id, section, text) "AXI_STREAM_" #id,
        AXI_STREAM_RULE_LIST(RULE)
#undef RULE
    };
    gates_name(axi_bench_new(BENCH_AXI, 8, NULL), &axi_stream_properties_mac_config, &stream_cases[_i], rules,
               COUNT(rules));
}

static int has_case(const axi_rule_case *c, int count, const char *rule)
{
    for (; count--; c++)
        if (!strcmp(c->rule, rule)) return 1;
    return 0;
}

TEST(every_rule_has_a_case)
{
#define HAS(list, prefix, id) ck_assert_msg(has_case(list, COUNT(list), prefix #id), "%s%s has no case", prefix, #id);
#define RULE(id, by, section, text) HAS(cases, "AXI_", id)
    AXI_RULE_LIST(RULE)
#undef RULE
#define RULE(id, by, section, text) HAS(lite_cases, "AXI_LITE_", id)
    AXI_LITE_RULE_LIST(RULE)
#undef RULE
#define RULE(id, section, text) HAS(stream_cases, "AXI_STREAM_", id)
    AXI_STREAM_RULE_LIST(RULE)
#undef RULE
#define RULE(id, text) HAS(memory_cases, "", id)
    MEMORY_RULE_LIST(RULE)
#undef RULE
}

TEST(a_violation_ends_the_run_and_names_port_clock_time_and_rule)
{
    axi_bench *b = axi_bench_new(BENCH_AXI, 8, NULL);
    axi_monitor *m = axi_monitor_new(b->s, b->clock, &b->pins, "qp_mgr");
    after_test(axi_monitor_free_cleanup, m);
    b->script = "2 " AR "araddr=1ff8";
    ck_assert_int_eq(sim_run(b->s, 100 * BENCH_PERIOD), SIM_FAILED);
    /* set after the edge at 5 ns, the second one; seen at the third, at 10 ns */
    ck_assert_str_eq(sim_error(b->s),
                     "qp_mgr: clock 2, 10.000 ns: AXI_AR_4KB (master, A3.4.1): a read goes over a multiple of 4 KB: "
                     "2 beats of 8 bytes at 0x1ff8");
}

TEST(counts_what_passes_and_what_is_outstanding)
{
    axi_bench *b = axi_bench_new(BENCH_AXI, 8, NULL);
    axi_monitor *m = axi_monitor_new(b->s, b->clock, &b->pins, "port");
    after_test(axi_monitor_free_cleanup, m);
    axi_bench_play(b, "2 arvalid=1 arlen=1 arsize=3 arburst=1 5 arready=1 6 arvalid=0 9 rvalid=1 rready=1 10 rvalid=0",
                   12);
    const axi_monitor_stats *stats = axi_monitor_get_stats(m);
    ck_assert_uint_eq(axi_monitor_outstanding(m), 1);
    ck_assert_uint_eq(stats->reads, 1);
    ck_assert_uint_eq(stats->read_beats, 1);
    ck_assert_uint_eq(stats->valid[AXI_AR], 4);
    ck_assert_uint_eq(stats->waits[AXI_AR], 3);
    ck_assert_uint_eq(stats->most_outstanding, 1);
    axi_bench_play(b, "15 rvalid=1 rlast=1 16 rvalid=0", 6);
    ck_assert_uint_eq(axi_monitor_outstanding(m), 0);
}

/* ---- pins that do not fit */

TEST(pins_that_do_not_make_a_port_are_refused)
{
    static const struct {
        int signal; /* taken away, or given other bits */
        unsigned bits;
        const char *text;
    } wrong[] = {
        {AXI_WLAST, 0, "there is no WLAST"},
        {AXI_RDATA, 0, "there is no RDATA"},
        {AXI_BREADY, 0, "there is no BREADY"},
        {AXI_WSTRB, 4, "wstrb has 4 bits, expected 8 as data has bytes"},
        {AXI_RDATA, 128, "wdata has 64 bits and rdata 128, expected the same"},
        {AXI_AWVALID, 2, "AWVALID has 2 bits, expected 1"},
        {AXI_WDATA, 72, "data has 72 bits, expected 32, 64, 128, 256 or 512"},
    };
    for (int i = 0; i < COUNT(wrong); i++) {
        axi_bench *b = axi_bench_new(BENCH_AXI, 8, NULL);
        axi_pins p = b->pins;
        if (wrong[i].bits) p.pin[wrong[i].signal].bits = wrong[i].bits;
        else p.pin[wrong[i].signal].at = NULL;
        const char *text = axi_pins_check(&p);
        ck_assert_msg(text && !strcmp(text, wrong[i].text), "%s, expected %s", text ? text : "accepted", wrong[i].text);
    }
    axi_pins none = {0};
    ck_assert_str_eq(axi_pins_check(&none), "there is neither awvalid nor arvalid");
}
