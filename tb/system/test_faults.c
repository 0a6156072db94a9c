/* Each class of faults from its text in a plan, on two nodes and a cable: what the account says is compared with what is seen at the pins
 * of the NICs, on their buses and on the wire, by none of what made the fault; and what the account must catch. */
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "crossbar4.h"
#include "fabric.h"
#include "far_end.h"
#include "faults.h"
#include "nic_register_map.h"
#include "scenario.h"
#include "sniffer.h"
#include "switch_register_map.h"
#include "test.h"

enum { NODES = 2 };

/* What is seen of one direction of the cable, or of the node it comes from, without the faults knowing. */
struct eye {
    struct bench *b;
    far_end *judge; /* of the words at the pins of the NIC at the end */
    const gt_pins *pins;
    uint64_t packets, credits, records; /* frames that were sent */
    far_end_stats before;               /* the judge's, when these were 0 */
};

struct bench {
    fabric *f;
    scenario *x;
    fault_plan plan;
    faults *faults;
    struct eye eye[NODES]; /* from node */
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
    struct eye *e = self;
    far_end_input in = {.data = *e->pins->rx_data,
                        .k = *e->pins->rx_k & 15,
                        .not_in_table = *e->pins->rx_notintable & 15,
                        .disparity = *e->pins->rx_disperr & 15,
                        .loss_of_sync = *e->pins->rx_loss_of_sync & 1,
                        .buffer_error = *e->pins->rx_buf_status >> 1 & 1};
    uint32_t data;
    uint8_t k;
    far_end_clock(e->judge, &in, &data, &k);
}

static void on_frame(void *self, const sniffer_frame *f)
{
    struct bench *all = self;
    struct eye *e = &all->eye[f->from];
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

static const far_end_stats *seen(int from)
{
    return far_end_get_stats(b.eye[from].judge);
}

/* ---- a run */

static void software(void *arg)
{
    scenario_params *p = arg;
    ck_assert_msg(!fabric_start(b.f), "%s", fabric_error(b.f));
    for (int from = 0; from < NODES; from++) {
        far_end_forgive(b.eye[from].judge);
        b.eye[from].packets = b.eye[from].credits = b.eye[from].records = 0;
        b.eye[from].before = *far_end_get_stats(b.eye[from].judge);
    }
    b.result = scenario_run(b.x, p);
    nx_register_read(b.f->node[0]->dev, NIC_COMPLETION_TIMER, &b.timer);
    if (!b.result) fabric_stop(b.f);
}

static void run_plan(const fault_plan *plan)
{
    static const char *const options[] = {"scenario", "one-way", "sizes", "16..496", "warmup", "0", "measure", "150", "notify", "3", NULL};
    static scenario_params p;
    fabric_params fp;
    char error[SCENARIO_ERROR];
    fabric_params_default(&fp, NODES, NULL);
    fp.sim.quiet = 1;
    fault_plan_clocks(plan, fp.node, NODES);
    b.f = fabric_new(&fp);
    ck_assert_ptr_nonnull(b.f);
    b.x = scenario_new(b.f);
    b.faults = faults_new(plan, b.f);
    ck_assert(b.x && b.faults);
    b.wire = sniffer_new(on_frame, &b);
    ck_assert_int_eq(sniffer_attach(b.wire, b.f->wire[0], 0), 0);
    for (int from = 0; from < NODES; from++) {
        far_end_params fe = far_end_params_default();
        fe.destinations = 8;
        fe.units = 4064;
        node *to = b.f->node[!from];
        b.eye[from] = (struct eye){.b = &b, .judge = far_end_new(&fe, NULL, NULL), .pins = &to->nic.gt};
        sim_clock_attach(to->net_clock, look_at_pins, NULL, &b.eye[from]);
    }
    ck_assert_int_eq(host_on_transaction(b.f->node[0]->host, on_transaction, &b), 0);
    for (int i = 0; i < NODES; i++) ck_assert_int_eq(pcix_bus_add_watcher(host_bus(b.f->node[i]->host), on_clock, &b.perr[i]), 0);
    scenario_params_default(&p);
    for (int i = 0; options[i]; i += 2) ck_assert_msg(!scenario_set(&p, options[i], options[i + 1], error), "%s", error);
    ck_assert_msg(!scenario_complete(&p, NODES, 0, 62, 1, error), "%s", error);
    p.lossy = plan->lossy;
    p.faults = b.faults;
    sim_task_new(b.f->s, "software", software, &p);
    b.result = -1;
    int result = sim_run(b.f->s, 40 * SIM_MS);
    ck_assert_msg((b.result && *b.x->error) || result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b.f->s));
}

static void run(const char *text)
{
    char error[FAULT_ERROR];
    ck_assert_msg(!fault_plan_read(text, NODES, 0, &b.plan, error), "%s: %s", text, error);
    run_plan(&b.plan);
}

/* ---- each class */

static uint64_t wrong_codes(void)
{
    cable_stats s;
    cable_get_stats(b.f->wire[0], 0, 0, &s);
    return s.received.not_in_table + s.received.disparity;
}
static uint64_t header_errors(void)
{
    return seen(0)->header_crc;
}
static uint64_t body_errors(void)
{
    return seen(0)->body_crc;
}
static uint64_t early_ends(void)
{
    return seen(0)->cut_short;
}
static uint64_t headers_or_early_ends(void)
{
    return seen(0)->header_crc + seen(0)->cut_short;
}
static uint64_t headers_or_surplus(void)
{
    return seen(0)->header_crc + seen(0)->stray;
}
static uint64_t packets_missing(void)
{
    return b.eye[0].packets - (seen(0)->packets - b.eye[0].before.packets);
}
static uint64_t credits_missing(void)
{
    return b.eye[1].credits - (seen(1)->credit_words - b.eye[1].before.credit_words);
}
static uint64_t bad_credits(void)
{
    return seen(1)->malformed_credits / 2;
}
static uint64_t records_missing(void)
{
    return b.eye[0].records - (seen(0)->records - b.eye[0].before.records);
}
static uint64_t sync_losses(void)
{
    return seen(0)->sync_losses;
}
static uint64_t faster(void)
{
    const node *n = b.f->node[1];
    double clocks = (double)sim_clock_cycles(n->net_clock),
           expected = (double)sim_now(b.f->s) / 12800 * (1 + 1e-6 * (n->params.net_ppm - 80));
    return clocks - expected > 0.9 * 80e-6 * expected && clocks - expected < 1.1 * 80e-6 * expected + 2;
}
static uint64_t quiet(void)
{
    return b.quiet;
}
static uint64_t writes_retried(void)
{
    return b.retries[0];
}
static uint64_t reads_retried(void)
{
    return b.retries[1];
}
static uint64_t reads_damaged(void)
{
    return b.perr[0];
}
static uint64_t writes_damaged(void)
{
    return b.perr[1];
}
static uint64_t reads_unanswered(void)
{
    return b.reads_split - b.completions;
}
static uint64_t long_waits(void)
{
    return b.longest_wait > 20 * SIM_US && b.longest_wait < 25 * SIM_US;
}
static uint64_t too_long_waits(void)
{
    return b.unasked + (b.longest_wait > 230 * SIM_US && b.longest_wait < 235 * SIM_US);
}

static const struct class_case {
    const char *text;
    uint64_t (*count)(void); /* strikes as they are seen from outside */
    uint64_t slack, fewer;   /* so many more or fewer: frames that are on the wire when counting begins or ends */
    unsigned data;           /* packets that a strike costs: lost and damaged */
    uint64_t least;          /* strikes */
    const char *counter;     /* that is there for them, and says as many; "": none sees anything; NULL: not asked */
} cases[] = {
    {"biterror node0>node1 every 700 words", wrong_codes, 200, 0, 1, 8, NULL},
    {"word node0>node1 drop every 700", headers_or_early_ends, 0, 0, 1, 8, NULL},
    {"word node0>node1 repeat every 700 words", headers_or_surplus, 0, 0, 1, 8, NULL},
    {"packet node0>node1 drop every 20 packets", packets_missing, 0, 0, 1, 4, NULL},
    {"packet node0>node1 sop every 15us", packets_missing, 0, 0, 1, 4, NULL},
    {"packet node0>node1 header random 15", header_errors, 0, 0, 1, 2, NULL},
    {"packet node0>node1 headercrc 10%", header_errors, 0, 0, 1, 4, NULL},
    {"packet node0>node1 body at 30us times 3", body_errors, 0, 0, 1, 3, NULL},
    {"packet node0>node1 bodycrc every 17", body_errors, 0, 0, 0, 4, NULL},
    {"packet node0>node1 truncate every 17", early_ends, 0, 0, 1, 4, NULL},
    {"credit node1>node0 drop every 3", credits_missing, 2, 2, 0, 8, NULL},
    {"credit node1>node0 parity every 7 credits", bad_credits, 0, 0, 0, 8, NULL},
    {"credit node0>node1 code random 10us", wrong_codes, 200, 0, 0, 1, NULL},
    {"record node0>node1 drop every 2", records_missing, 2, 2, 0, 2, NULL},
    {"record node0>node1 headercrc every 2 records", header_errors, 0, 0, 0, 2, NULL},
    {"cut node0>node1 every 50us for 3us", sync_losses, 0, 0, 8, 2, NULL}, /* until synchronised again 5 us, at 0.8 us a packet */
    {"ppm node1 +80", faster, 0, 0, 0, 1, NULL},
    {"stop node0 at 50us for 30us", quiet, 0, 0, 0, 1, NULL},
    {"retry host0 read every 5", reads_retried, 0, 0, 0, 8, NULL},
    {"retry host0 write 50%", writes_retried, 0, 0, 0, 1, NULL},
    {"parity host0 read every 20", reads_damaged, 0, 0, 1, 4, "READ_ERRORS"},
    {"parity host1 write every 25", writes_damaged, 0, 0, 1, 4, "WRITE_ERRORS"},
    {"completion host0 missing at 40us", reads_unanswered, 0, 0, 1, 1, "COMPLETION_TIMEOUTS"},
    {"completion host0 late 20us at 40us", long_waits, 0, 0, 0, 1, ""},
    {"completion host0 late 230us at 40us", too_long_waits, 0, 0, 1, 1, "COMPLETION_TIMEOUTS"},
};

TEST_CASE("account", .timeout = 120);

TEST(the_account_of_a_fault_is_what_is_seen_from_outside, .to = COUNT(cases))
{
    const struct class_case *c = &cases[_i];
    run(c->text);
    ck_assert_msg(!b.result, "%s: %s", c->text, b.x->error);
    fault_account a = faults_get(b.faults, 0);
    uint64_t count = c->count();
    ck_assert_msg(!*a.wrong, "%s", a.wrong);
    ck_assert_uint_ge(a.struck, c->least);
    ck_assert_msg(count + c->fewer >= a.struck && count <= a.struck + c->slack, "%s: struck %lu times, %lu seen", c->text,
                  (unsigned long)a.struck, (unsigned long)count);
    ck_assert_uint_le(a.lost + a.damaged, c->data * a.struck);
    ck_assert_uint_eq(a.lost + a.damaged, b.x->counts.lost + b.x->counts.damaged);
    ck_assert(a.last >= a.first);
    if (c->data == 1) ck_assert_uint_gt(a.lost + a.damaged, 0);
    ck_assert_uint_eq(b.timer, NIC_COMPLETION_TIMER_RESET); /* again, if the plan has changed it */
    ck_assert_uint_lt(sim_now(b.f->s), 4 * SIM_MS);         /* nobody waits the 10 ms of that */
    if (!c->counter) return;
    ck_assert_uint_eq(a.sights > 0, *c->counter != 0);
    if (!a.sights) return;
    ck_assert_str_eq(a.sight[0].name, c->counter);
    ck_assert_str_eq(a.sight[0].place, strstr(c->text, "host1") ? "node 1" : "node 0");
    ck_assert_uint_eq(a.sight[0].count, a.struck);
}

TEST(every_class_has_a_case)
{
    for (unsigned i = 0; i < fault_class_count; i++) {
        const fault_class *class = &fault_classes[i];
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
    run("packet node0>node1 drop every 30; packet node0>node1 body every 40; parity host1 write every 50; credit node1>node0 parity 5%");
    ck_assert_msg(!b.result, "%s", b.x->error);
    uint64_t sum = 0;
    for (unsigned i = 0; i < faults_count(b.faults); i++) sum += faults_get(b.faults, i).lost + faults_get(b.faults, i).damaged;
    ck_assert_uint_eq(sum, b.x->counts.lost + b.x->counts.damaged);
    ck_assert_uint_eq(packets_missing(), faults_get(b.faults, 0).struck);
    ck_assert_uint_eq(body_errors(), faults_get(b.faults, 1).struck);
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
    fabric *f;
    scenario *x;
    scenario_params p;
    uint32_t went_down, drained; /* of the port */
    int result;
} around;

static void software_around(void *arg)
{
    (void)arg;
    ck_assert_msg(!fabric_start(around.f), "%s", fabric_error(around.f));
    ck_assert(!fabric_monitor_write(around.f, SWITCH_DOWN_TIME, DOWN_US * SIM_US / around.f->node[0]->params.net_period));
    around.result = scenario_run(around.x, &around.p);
    ck_assert(!fabric_monitor_read(around.f, SWITCH_WENT_DOWN + 0x400 * CUT_OFF, &around.went_down));
    ck_assert(!fabric_monitor_read(around.f, SWITCH_DRAINED + 0x400 * CUT_OFF, &around.drained));
    fabric_stop(around.f);
}

/* What waits at a port that is down is thrown away and told; what waits for less than that comes afterwards. */
TEST(packets_for_a_cable_that_is_cut_are_told_or_come_later, .to = 2)
{
    static const char *const texts[] = {"cut node1 at 20us for 150us", "cut node1 at 20us for 60us"};
    static const char *const options[] = {"scenario", "uniform", "sizes", "8..496", "warmup", "0", "measure", "200", NULL};
    fabric_params fp;
    fault_plan plan;
    char error[SCENARIO_ERROR], wrong[FAULT_ERROR];
    int down = _i == 0;
    ck_assert_msg(!fault_plan_read(texts[_i], PORTS, 1, &plan, wrong), "%s", wrong);
    fabric_params_default(&fp, PORTS, &crossbar4_config);
    fp.sim.quiet = 1;
    around.f = fabric_new(&fp);
    ck_assert_ptr_nonnull(around.f);
    around.x = scenario_new(around.f);
    scenario_params_default(&around.p);
    for (int i = 0; options[i]; i += 2) ck_assert_msg(!scenario_set(&around.p, options[i], options[i + 1], error), "%s", error);
    ck_assert_msg(!scenario_complete(&around.p, PORTS, 1, 62, 1, error), "%s", error);
    around.p.lossy = plan.lossy;
    around.p.faults = faults_new(&plan, around.f);
    ck_assert(around.x && around.p.faults);
    sim_task_new(around.f->s, "software", software_around, NULL);
    int result = sim_run(around.f->s, 40 * SIM_MS);
    ck_assert_msg(result == SIM_OK && !around.result, "%s: %s %s", sim_result_name(result), sim_error(around.f->s), around.x->error);
    fault_account a = faults_get(around.p.faults, 0);
    uint64_t hit = a.lost + a.damaged;
    ck_assert_uint_eq(around.went_down, down);
    ck_assert_uint_eq(around.drained > 0, down);
    ck_assert_uint_ge(hit, around.drained + 1); /* one is on the wire when it is cut */
    ck_assert_uint_eq(hit, around.x->counts.lost + around.x->counts.damaged);
    ck_assert(a.recovered && a.recovery > plan.fault[0].length && a.recovery < plan.fault[0].length + 20 * SIM_US);
    faults_free(around.p.faults);
    scenario_free(around.x);
    fabric_free(around.f);
}

/* ---- what the account must catch */

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
    fault_class class;
    for (unsigned i = 0; i < fault_class_count; i++)
        if (fault_classes[i].damage == frame_bad_body) class = fault_classes[i];
    class.damage = nothing;
    run_class(&class, "packet node0>node1 body every 20");
    must_fail("and nobody has seen it");
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
    fault_class class;
    for (unsigned i = 0; i < fault_class_count; i++)
        if (fault_classes[i].damage == frame_bad_body) class = fault_classes[i];
    class.damage = none_then_two;
    class.witness[1] = (fault_witness){.where = FAULT_SEEN_AT_RECEIVER, .nic = NIC_GT0_UNKNOWN_CHARACTERS};
    class.witness[2] = (fault_witness){.where = FAULT_SEEN_AT_RECEIVER, .nic = NIC_GT0_PARITY_ERRORS};
    struck_so_far = 0;
    run_class(&class, "packet node0>node1 body every 60us");
    must_fail("struck 1 times, and nobody has seen it");
    fault_account a = faults_get(b.faults, 0);
    uint64_t seen = 0;
    for (unsigned i = 0; i < a.sights; i++) seen += a.sight[i].count;
    ck_assert_uint_ge(a.struck, 2);
    ck_assert_uint_ge(seen, a.struck); /* the sums alone would not tell */
}

TEST(losses_on_a_way_that_no_fault_touches_are_no_good_run)
{
    fault_class class;
    for (unsigned i = 0; i < fault_class_count; i++)
        if (fault_classes[i].damage == frame_bad_body) class = fault_classes[i];
    class.lossy = 0; /* says that it costs nothing */
    run_class(&class, "packet node0>node1 body every 20");
    must_fail("packets lost or damaged on ways that no fault touched");
}
