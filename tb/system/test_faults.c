/* Each class of faults from its text in a plan, on two nodes and a cable: the account is compared with observations at
 * the pins of the NICs, on their buses and on the wire, independent of the injection; and faults that the account must
 * catch. */
#include <stddef.h>

#include "crossbar4.h"
#include "nic_register_map.h"
#include "scenario_bench.h"
#include "sim/model/cable/sniffer.h"
#include "sim/model/far_end/far_end.h"
#include "sim/traffic/faults/classes.h"
#include "sim/traffic/faults/faults.h"
#include "switch_register_map.h"
#include "test.h"

enum { NODES = 2 };

/* Observations of one direction of the cable, or of the node it comes from, independent of the faults. */
struct monitor {
    struct bench *b;
    far_end *checker; /* of the words at the pins of the NIC at the end */
    const gt_pins *pins;
    uint64_t packets, credits, records; /* frames that were sent */
    far_end_stats before;               /* the checker's, when these were 0 */
};

struct bench {
    fabric *f;
    scenario *x;
    fault_plan plan;
    faults *faults;
    struct monitor monitor[NODES]; /* from node */
    sniffer *wire;
    uint64_t retries[2], reads_split, completions, unasked; /* on the bus of node 0: retries of writes, of reads */
    uint64_t perr[NODES];                                   /* clocks with PERR# on each node's bus */
    uint32_t timer;                                         /* completion timer of node 0 when all was over */
    sim_time longest_wait, split[32];                       /* of node 0's reads; by tag: since when, 0: none */
    sim_time quiet_since;
    unsigned quiet; /* times node 0 did nothing on its bus for about 30 us */
    int result;
};
static struct bench b;

/* ---- seeing */

static void look_at_pins(void *self)
{
    const struct monitor *e = self;
    far_end_look(e->checker, e->pins);
}

static void on_frame(void *self, const sniffer_frame *f)
{
    struct bench *all = self;
    struct monitor *e = &all->monitor[f->from];
    e->credits += f->credits != 0;
    e->packets += f->has_header && !f->is_check;
    e->records += f->has_header && f->is_check;
}

static void on_transaction(void *self, const pcix_transaction *t)
{
    struct bench *all = self;
    sim_time now = sim_now(all->f->s);
    if (t->command == PCIX_SPLIT_COMPLETION && t->target == all->f->node[0]->nic_agent && t->bytes) {
        sim_time *split = &all->split[t->address >> 24 & 31];
        if (*split && now - *split > all->longest_wait) all->longest_wait = now - *split;
        all->unasked += !*split && t->bytes == t->byte_count;
        *split = 0;
        all->completions += t->bytes == t->byte_count;
    }
    if (t->initiator != all->f->node[0]->nic_agent) return;
    if (t->end == PCIX_END_RETRY) all->retries[pcix_is_memory_read(t->command)]++;
    if (t->end == PCIX_END_SPLIT) {
        all->reads_split++;
        all->split[t->attribute >> 24 & 31] = now;
    }
    all->quiet += now - all->quiet_since > 28 * SIM_US && now - all->quiet_since < 34 * SIM_US;
    all->quiet_since = now;
}

static void on_clock(void *self, const pcix_sample *s)
{
    uint64_t *perr = self;
    *perr += pcix_low(s, PCIX_PERR);
}

static const far_end_stats *seen(int from) { return far_end_get_stats(b.monitor[from].checker); }

/* ---- a run */

static void software(scenario_bench *run, int variation)
{
    (void)variation;
    for (int from = 0; from < NODES; from++) {
        far_end_forgive(b.monitor[from].checker);
        b.monitor[from].packets = b.monitor[from].credits = b.monitor[from].records = 0;
        b.monitor[from].before = *far_end_get_stats(b.monitor[from].checker);
    }
    b.result = scenario_run(b.x, &run->p);
    nx_register_read(b.f->node[0]->dev, NIC_COMPLETION_TIMER, &b.timer);
}

CLEANUP(faults_free);

/* A quiet fabric with a plan of faults, and a scenario on it. */
static scenario_bench *bench_of(const fault_plan *plan, unsigned nodes, const sim_config *chip,
                                const char *const *options)
{
    fabric_params p;
    fabric_params_default(&p, nodes, chip);
    p.sim.quiet = 1;
    fault_plan_clocks(plan, p.node, nodes);
    scenario_bench *run = scenario_bench_new(&p);
    scenario_bench_set(run, options);
    scenario_bench_complete(run);
    run->p.lossy = plan->lossy;
    run->p.faults = faults_new(plan, run->f);
    ck_assert_ptr_nonnull(run->p.faults);
    after_test(faults_free_cleanup, run->p.faults);
    return run;
}

static void run_plan(const fault_plan *plan)
{
    static const char *const options[] = {"scenario", "one-way", "sizes",  "16..496", "warmup", "0",
                                          "measure",  "150",     "notify", "3",       NULL};
    scenario_bench *run = bench_of(plan, NODES, NULL, options);
    b.f = run->f;
    b.x = run->x;
    b.faults = run->p.faults;
    b.wire = sniffer_new(on_frame, &b);
    ck_assert_int_eq(sniffer_attach(b.wire, b.f->wire[0], 0), 0);
    for (int from = 0; from < NODES; from++) {
        far_end_params fe = far_end_params_default();
        fe.destinations = 8;
        fe.units = 4064;
        node *to = b.f->node[!from];
        b.monitor[from] = (struct monitor){.b = &b, .checker = far_end_new(&fe, NULL, NULL), .pins = &to->nic.gt};
        sim_clock_attach(to->net_clock, look_at_pins, NULL, &b.monitor[from]);
    }
    ck_assert_int_eq(host_on_transaction(b.f->node[0]->host, on_transaction, &b), 0);
    for (int i = 0; i < NODES; i++)
        ck_assert_int_eq(pcix_bus_add_watcher(host_bus(b.f->node[i]->host), on_clock, &b.perr[i]), 0);
    b.result = -1;
    int result = fabric_run(run, software, 0);
    ck_assert_msg((b.result && *b.x->error) || result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b.f->s));
}

static void run(const char *text)
{
    char error[FAULT_ERROR];
    ck_assert_msg(!fault_plan_read(text, NODES, 0, &b.plan, error), "%s: %s", text, error);
    run_plan(&b.plan);
}

/* ---- each class */

/* Outside observations at the end of a run. */
struct view {
    uint64_t wrong_codes, header_errors, body_errors, header_or_body_errors, early_ends, headers_or_early_ends,
        headers_or_surplus, packets_missing, credits_missing, bad_credits, records_missing, sync_losses, faster, quiet,
        writes_retried, reads_retried, reads_damaged, writes_damaged, reads_unanswered, long_waits, too_long_waits;
};

static struct view look(void)
{
    const far_end_stats *at_1 = seen(0), *at_0 = seen(1);
    const node *n = b.f->node[1];
    cable_stats s;
    cable_get_stats(b.f->wire[0], 0, 0, &s);
    double expected = (double)sim_now(b.f->s) / 12800 * (1 + 1e-6 * (n->params.net_ppm - 80)),
           more = (double)sim_clock_cycles(n->net_clock) - expected;
    return (struct view){
        .wrong_codes = s.received.not_in_table + s.received.disparity,
        .header_errors = at_1->header_crc,
        .body_errors = at_1->body_crc,
        .header_or_body_errors = at_1->header_crc + at_1->body_crc,
        .early_ends = at_1->cut_short,
        .headers_or_early_ends = at_1->header_crc + at_1->cut_short,
        .headers_or_surplus = at_1->header_crc + at_1->stray,
        .packets_missing = b.monitor[0].packets - (at_1->packets - b.monitor[0].before.packets),
        .credits_missing = b.monitor[1].credits - (at_0->credit_words - b.monitor[1].before.credit_words),
        .bad_credits = at_0->malformed_credits / 2,
        .records_missing = b.monitor[0].records - (at_1->records - b.monitor[0].before.records),
        .sync_losses = at_1->sync_losses,
        .faster = more > 0.9 * 80e-6 * expected &&
                  more<1.1 * 80e-6 * expected + 2, .quiet = b.quiet, .writes_retried = b.retries[0],
                       .reads_retried = b.retries[1], .reads_damaged = b.perr[0], .writes_damaged = b.perr[1],
                       .reads_unanswered = b.reads_split - b.completions, .long_waits = b.longest_wait> 20 *
                      SIM_US &&
                  b.longest_wait < 25 * SIM_US,
        .too_long_waits = b.unasked + (b.longest_wait > 230 * SIM_US && b.longest_wait < 235 * SIM_US),
    };
}

#define SEEN(what) offsetof(struct view, what)
static const struct class_case {
    const char *text;
    size_t seen;           /* strikes in a view */
    uint64_t slack, fewer; /* allowed difference: frames on the wire when counting begins or ends */
    unsigned data;         /* packets that a strike costs: lost and damaged */
    uint64_t least;        /* strikes */
    const char *counter;   /* counter of the class, with the same count; "": none sees it; NULL: not checked */
} cases[] = {
    {"biterror node0>node1 every 700 words", SEEN(wrong_codes), 200, 0, 1, 8, NULL},
    {"word node0>node1 drop every 700", SEEN(headers_or_early_ends), 0, 0, 1, 8, NULL},
    {"word node0>node1 repeat every 700 words", SEEN(headers_or_surplus), 0, 0, 1, 8, NULL},
    {"word node0>node1 stale every 700", SEEN(header_or_body_errors), 0, 0, 1, 8, NULL},
    {"packet node0>node1 drop every 20 packets", SEEN(packets_missing), 0, 0, 1, 4, NULL},
    {"packet node0>node1 sop every 15us", SEEN(packets_missing), 0, 0, 1, 4, NULL},
    {"packet node0>node1 header random 15", SEEN(header_errors), 0, 0, 1, 2, NULL},
    {"packet node0>node1 headercrc 10%", SEEN(header_errors), 0, 0, 1, 4, NULL},
    {"packet node0>node1 body at 30us times 3", SEEN(body_errors), 0, 0, 1, 3, NULL},
    {"packet node0>node1 bodycrc every 17", SEEN(body_errors), 0, 0, 0, 4, NULL},
    {"packet node0>node1 truncate every 17", SEEN(early_ends), 0, 0, 1, 4, NULL},
    {"credit node1>node0 drop every 3", SEEN(credits_missing), 2, 2, 0, 8, NULL},
    {"credit node1>node0 parity every 7 credits", SEEN(bad_credits), 0, 0, 0, 8, NULL},
    {"credit node0>node1 code random 10us", SEEN(wrong_codes), 200, 0, 0, 1, NULL},
    {"record node0>node1 drop every 2", SEEN(records_missing), 2, 2, 0, 2, NULL},
    {"record node0>node1 headercrc every 2 records", SEEN(header_errors), 0, 0, 0, 2, NULL},
    {"cut node0>node1 every 50us for 3us", SEEN(sync_losses), 0, 0, 8, 2,
     NULL}, /* until synchronised again 5 us, at 0.8 us a packet */
    {"ppm node1 +80", SEEN(faster), 0, 0, 0, 1, NULL},
    {"stop node0 at 50us for 30us", SEEN(quiet), 0, 0, 0, 1, NULL},
    {"retry host0 read every 5", SEEN(reads_retried), 0, 0, 0, 8, NULL},
    {"retry host0 write 50%", SEEN(writes_retried), 0, 0, 0, 1, NULL},
    {"parity host0 read every 20", SEEN(reads_damaged), 0, 0, 1, 4, "READ_ERRORS"},
    {"parity host1 write every 25", SEEN(writes_damaged), 0, 0, 1, 4, "WRITE_ERRORS"},
    {"completion host0 missing at 40us", SEEN(reads_unanswered), 0, 0, 1, 1, "COMPLETION_TIMEOUTS"},
    {"completion host0 late 20us at 40us", SEEN(long_waits), 0, 0, 0, 1, ""},
    {"completion host0 late 230us at 40us", SEEN(too_long_waits), 0, 0, 1, 1, "COMPLETION_TIMEOUTS"},
};

TEST_CASE("account", .timeout = 120);

TEST(the_account_of_a_fault_is_what_is_seen_from_outside, .to = COUNT(cases))
{
    const struct class_case *c = &cases[_i];
    run(c->text);
    ck_assert_msg(!b.result, "%s: %s", c->text, b.x->error);
    fault_account a = faults_get(b.faults, 0);
    struct view v = look();
    uint64_t count = *(const uint64_t *)((const char *)&v + c->seen);
    ck_assert_msg(!*a.wrong, "%s", a.wrong);
    ck_assert_uint_ge(a.struck, c->least);
    ck_assert_msg(count + c->fewer >= a.struck && count <= a.struck + c->slack, "%s: struck %lu times, %lu seen",
                  c->text, (unsigned long)a.struck, (unsigned long)count);
    ck_assert_uint_le(a.lost + a.damaged, c->data * a.struck);
    ck_assert_uint_eq(a.lost + a.damaged, b.x->counts.lost + b.x->counts.damaged);
    ck_assert(a.last >= a.first);
    if (c->data == 1) ck_assert_uint_gt(a.lost + a.damaged, 0);
    ck_assert_uint_eq(b.timer, NIC_COMPLETION_TIMER_RESET); /* again, if the plan has changed it */
    ck_assert_uint_lt(sim_now(b.f->s), 4 * SIM_MS);         /* the default of 10 ms is not used */
    if (!c->counter) return;
    ck_assert_uint_eq(a.sights > 0, *c->counter != 0);
    if (!a.sights) return;
    ck_assert_str_eq(a.sight[0].name, c->counter);
    ck_assert_str_eq(a.sight[0].place, strstr(c->text, "host1") ? "node 1" : "node 0");
    ck_assert_uint_eq(a.sight[0].count, a.struck);
}

TEST(every_class_has_a_case)
{
    for (unsigned i = 0; i < fault_nic.count; i++) {
        const fault_class *class = &fault_nic.classes[i];
        int found = 0;
        for (int k = 0; k < COUNT(cases); k++) {
            fault_plan plan;
            char error[FAULT_ERROR];
            ck_assert_msg(!fault_plan_read(cases[k].text, NODES, 0, &plan, error), "%s: %s", cases[k].text, error);
            found |= plan.fault[0].class == class;
        }
        ck_assert_msg(found, "%s %s", class->name, class->kind ? class->kind : "");
    }
}

TEST(several_faults_share_what_they_cost)
{
    run("packet node0>node1 drop every 30; packet node0>node1 body every 40; parity host1 write every 50; credit "
        "node1>node0 parity 5%");
    ck_assert_msg(!b.result, "%s", b.x->error);
    uint64_t sum = 0;
    for (unsigned i = 0; i < faults_count(b.faults); i++)
        sum += faults_get(b.faults, i).lost + faults_get(b.faults, i).damaged;
    ck_assert_uint_eq(sum, b.x->counts.lost + b.x->counts.damaged);
    ck_assert_uint_eq(look().packets_missing, faults_get(b.faults, 0).struck);
    ck_assert_uint_eq(look().body_errors, faults_get(b.faults, 1).struck);
}

TEST(the_same_plan_and_seed_strike_the_same, .to = 2)
{
    static const char *const texts[] = {"packet node0>node1 body random 10", "cut node0 random 60us for 2us"};
    fault_account first;
    run(texts[_i]);
    ck_assert_msg(!b.result, "%s", b.x->error);
    first = faults_get(b.faults, 0);
    run(texts[_i]);
    ck_assert_uint_eq(faults_get(b.faults, 0).struck, first.struck);
    ck_assert_uint_eq(faults_get(b.faults, 0).first, first.first);
    ck_assert_uint_eq(faults_get(b.faults, 0).last, first.last);
}

/* ---- a port of the switch that goes down */

enum { PORTS = 4, CUT_OFF = 1, DOWN_US = 100 };

static struct {
    uint32_t went_down, drained; /* of the port */
    int result;
} around;

static void software_around(scenario_bench *run, int variation)
{
    (void)variation;
    ck_assert(!fabric_monitor_write(run->f, SWITCH_DOWN_TIME, DOWN_US * SIM_US / run->f->node[0]->params.net_period));
    around.result = scenario_run(run->x, &run->p);
    ck_assert(!fabric_monitor_read(run->f, SWITCH_WENT_DOWN + 0x400 * CUT_OFF, &around.went_down));
    ck_assert(!fabric_monitor_read(run->f, SWITCH_DRAINED + 0x400 * CUT_OFF, &around.drained));
}

/* Packets that wait at a port until it is down are dropped and reported; others arrive afterwards. */
TEST(packets_for_a_cable_that_is_cut_are_reported_or_come_later, .to = 2)
{
    static const char *const texts[] = {"cut node1 at 20us for 150us", "cut node1 at 20us for 60us"};
    static const char *const options[] = {"scenario", "uniform", "sizes", "8..496", "warmup",
                                          "0",        "measure", "200",   NULL};
    fault_plan plan;
    char wrong[FAULT_ERROR];
    int down = _i == 0;
    ck_assert_msg(!fault_plan_read(texts[_i], PORTS, 1, &plan, wrong), "%s", wrong);
    scenario_bench *run = bench_of(&plan, PORTS, &crossbar4_config, options);
    fabric_good(run, software_around, 0);
    ck_assert_msg(!around.result, "%s", run->x->error);
    fault_account a = faults_get(run->p.faults, 0);
    uint64_t hit = a.lost + a.damaged;
    ck_assert_uint_eq(around.went_down, down);
    ck_assert_uint_eq(around.drained > 0, down);
    ck_assert_uint_ge(hit, around.drained + 1); /* one is on the wire when it is cut */
    ck_assert_uint_eq(hit, run->x->counts.lost + run->x->counts.damaged);
    ck_assert(a.recovered && a.recovery > plan.fault[0].length && a.recovery < plan.fault[0].length + 20 * SIM_US);
}

/* ---- faults that the account must catch */

TEST_CASE("verdict", .timeout = 120);

static void must_fail(const char *text)
{
    ck_assert_int_eq(b.result, -1);
    ck_assert_msg(strstr(b.x->error, text) != NULL, "the error is \"%s\", expected %s", b.x->error, text);
}

TEST(a_fault_that_never_strikes_is_no_good_run)
{
    run("cut node0 at 3ms for 1us");
    must_fail("fault 'cut node0 at 3ms for 1us': never struck");
}

static void nothing(void *arg, frame_word *w)
{
    (void)arg;
    (void)w;
}

static fault_class bad_body(void)
{
    const fault_class *class = fault_nic.classes;
    while (class->damage != frame_bad_body) class ++;
    return *class;
}

/* A plan with a class of the test's own. */
static void run_class(const fault_class *class, const char *text)
{
    char error[FAULT_ERROR];
    ck_assert(!fault_plan_read(text, NODES, 0, &b.plan, error));
    b.plan.fault[0].class = class;
    run_plan(&b.plan);
}

TEST(a_fault_that_nobody_sees_is_no_good_run)
{
    fault_class class = bad_body();
    class.damage = nothing;
    run_class(&class, "packet node0>node1 body every 20");
    must_fail("and no counter has seen it");
}

/* The first strike does nothing; each one after it shows in two counters. */
static unsigned struck_so_far;
static void none_then_two(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index != w->header + 3 || !struck_so_far++) return;
    *w->flip ^= (uint64_t)1 << 17;
}

TEST(a_strike_that_nobody_sees_does_not_hide_behind_one_that_counts_twice)
{
    fault_class class = bad_body();
    class.damage = none_then_two;
    class.witness[1] = (fault_witness){.where = FAULT_SEEN_AT_RECEIVER, .nic = NIC_GT0_UNKNOWN_CHARACTERS};
    class.witness[2] = (fault_witness){.where = FAULT_SEEN_AT_RECEIVER, .nic = NIC_GT0_PARITY_ERRORS};
    struck_so_far = 0;
    run_class(&class, "packet node0>node1 body every 60us");
    must_fail("struck 1 times, and no counter has seen it");
    fault_account a = faults_get(b.faults, 0);
    uint64_t seen = 0;
    for (unsigned i = 0; i < a.sights; i++) seen += a.sight[i].count;
    ck_assert_uint_ge(a.struck, 2);
    ck_assert_uint_ge(seen, a.struck); /* the sums alone would not show it */
}

TEST(losses_on_a_way_that_no_fault_touches_are_no_good_run)
{
    fault_class class = bad_body();
    class.lossy = 0; /* says that it costs nothing */
    run_class(&class, "packet node0>node1 body every 20");
    must_fail("packets lost or damaged on paths without a fault");
}
