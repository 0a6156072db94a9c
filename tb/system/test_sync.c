/* Remote queues, counters and words on the NICs (SYNC=1) around a switch: the scenarios of sim/traffic/sync with their
 * scoreboards, with faults, and what only the whole NIC shows. */
#include <string.h>

#include "crossbar8.h"
#include "nic_register_map.h"
#include "nic_sync.h"
#include "nx_sync.h"
#include "scenario_bench.h"
#include "sim/model/cable/frame_tap.h"
#include "sim/traffic/faults/faults.h"
#include "sim/traffic/sync/sync.h"
#include "sync_register_map.h"
#include "test.h"

static sync_params params;
static sync_result result;
static const char *plan_text; /* of faults; NULL: none */
static uint64_t fault_count;

CLEANUP(faults_free);

static scenario_bench *open_bench(unsigned nodes)
{
    fabric_params p;
    scenario_bench_params(&p, nodes, &nic_sync_config, nodes > 2 || !plan_text ? &crossbar8_config : NULL, NULL);
    p.driver.timeout_ns = 2 * 1000 * 1000;
    if (plan_text) p.sim.watchdog = 10 * SIM_MS;
    return scenario_bench_new(&p);
}

static void run_params(scenario_bench *b, int variation)
{
    (void)variation;
    sync_run_on(b->f, &params, &result);
}

static void scenario_good(unsigned nodes)
{
    scenario_bench *b = open_bench(nodes);
    fault_plan plan;
    char error[FAULT_ERROR];
    params.seed = sim_seed(b->f->s);
    if (plan_text) {
        ck_assert_msg(!fault_plan_read(plan_text, nodes, b->f->chip.model != NULL, &plan, error), "%s", error);
        params.faults = faults_new(&plan, b->f);
        params.lossy = plan.lossy;
        after_test(faults_free_cleanup, params.faults);
    }
    fabric_good(b, run_params, 0);
    ck_assert_msg(result.good, "%s", result.error);
    if (plan_text) fault_count = faults_get(params.faults, 0).struck;
}

TEST_CASE("scenarios", .timeout = 300);

/* One to seven senders, slots of every size, longest messages. */
TEST(messages_land_once_whole_and_in_order, .to = 7)
{
    static const unsigned words[] = {8, 1, 7, 15, 31, 62, 8};
    params = (sync_params){.run = SYNC_QUEUE, .message = words[_i], .slots = _i % 2 ? 8 : 128, .packets = 160};
    scenario_good(2 + (unsigned)_i);
    ck_assert_uint_eq(result.operations, 160);
    ck_assert_uint_eq(result.lost + result.damaged, 0);
}

/* Two slots; and a reader that looks at nothing for 1 ms: messages are refused with others behind them on their way. */
TEST(refused_messages_come_again, .to = 3)
{
    params = (sync_params){.run = SYNC_QUEUE, .message = 4, .slots = _i == 1 ? 64 : 2, .packets = 120};
    if (!_i) params.reader_takes = 2 * SIM_US;
    if (_i) params.stop_at = 5 * SIM_US, params.stop_for = SIM_MS;
    scenario_good(_i == 2 ? 8 : 5);
    ck_assert_uint_eq(result.operations, 120);
    ck_assert_uint_gt(result.refused, 10);
}

TEST(nobody_passes_a_barrier_early, .to = 2)
{
    params = (sync_params){.run = SYNC_BARRIER, .packets = _i ? 320 : 24};
    scenario_good(_i ? 8 : 2);
    ck_assert_uint_ge(result.operations, 4);
}

TEST(a_lock_has_one_holder)
{
    params = (sync_params){.run = SYNC_LOCK, .packets = 80};
    scenario_good(8);
    ck_assert_uint_ge(result.operations, 80);
}

/* Everybody asks everybody at once: the results are those of one order. */
TEST(results_of_atomic_operations_are_those_of_one_order, .to = 2)
{
    params = (sync_params){.run = SYNC_COUNTER, .packets = 600};
    scenario_good(_i ? 8 : 3);
    ck_assert_uint_ge(result.operations, 600);
}

/* ---- what the scoreboards must find ---- */

static int rogue_kind;
static scenario_bench *victim;

static void stray(unsigned from, unsigned to, enum nx_operation kind, unsigned object, uint64_t data)
{
    const nx_descriptor d = {.source = data,
                             .destination = nx_operation_word(kind, object, 0),
                             .words = 1,
                             .flow = to,
                             .flags = NX_OPERATION | NX_IMMEDIATE | NX_START};
    ck_assert_int_eq(nx_post(victim->f->node[from]->dev, &d, NULL), 0);
}

/* Operations that the scenario knows nothing of. */
static void rogue(void *arg)
{
    (void)arg;
    sim_wait_time(victim->f->s, 60 * SIM_US);
    if (rogue_kind == 1) stray(0, 2, NX_ENQUEUE, 3, 5);                 /* a message that nobody has made */
    if (rogue_kind == 2) stray(0, 2, NX_ENQUEUE, 3, (uint64_t)1 << 56); /* one that has been there */
    if (rogue_kind == 3) stray(1, 0, NX_ADD, 8, (uint32_t)-1);          /* somebody has arrived twice */
    for (unsigned i = 0; i < 20 && rogue_kind == 4; i++) {              /* the lock is given by somebody else */
        stray(1, 0, NX_FETCH_ADD, 3, 1);
        sim_wait_time(victim->f->s, SIM_US);
    }
    if (rogue_kind == 5) stray(1, 0, NX_WRITE, 32, 3);      /* a value comes again */
    if (rogue_kind == 6) stray(1, 0, NX_WRITE, 33, 1);      /* a swap is undone */
    if (rogue_kind == 7) stray(1, 0, NX_WRITE, 34, 1 << 8); /* a version falls */
}

/* A bit of a message falls over in the reader's memory. */
static void flip(void *self, const pcix_transaction *t, sim_time when)
{
    memory *m = host_memory(victim->f->node[2]->host);
    (void)self, (void)when;
    if (t->bytes == 32 && sim_now(victim->f->s) > 60 * SIM_US)
        memory_put64(m, t->address + 16, memory_get64(m, t->address + 16) ^ 4, 0xff);
}

static void run_with_rogue(scenario_bench *b, int variation)
{
    (void)variation;
    sim_task_new(b->f->s, "rogue", rogue, NULL);
    ck_assert_int_eq(sync_run_on(b->f, &params, &result), -1);
}

static const struct {
    sync_run run;
    const char *text;
} found[] = {{SYNC_QUEUE, "word 2 is 0x"},
             {SYNC_QUEUE, "expected 4 words of a sender"},
             {SYNC_QUEUE, "expected 4 words of a sender"},
             {SYNC_BARRIER, "has passed barrier"},
             {SYNC_LOCK, "ticket"},
             {SYNC_COUNTER, "fetch-and-add"},
             {SYNC_COUNTER, "swaps at node 0"},
             {SYNC_COUNTER, "version"}};

TEST(each_check_finds_its_fault, .to = COUNT(found))
{
    rogue_kind = _i;
    params = (sync_params){.run = found[_i].run, .message = 4, .slots = 64, .packets = 600, .only = "counters flat"};
    victim = open_bench(3);
    params.seed = sim_seed(victim->f->s);
    if (!_i) host_on_written(victim->f->node[2]->host, flip, NULL);
    ck_assert_int_eq(fabric_run(victim, run_with_rogue, 0), SIM_FAILED);
    ck_assert(!result.good);
    ck_assert_msg(strstr(result.error, found[_i].text) != NULL, "the text is \"%s\"", result.error);
}

/* ---- faults ---- */

TEST_CASE("faults", .timeout = 300);

/* Packets damaged and lost in and between messages, of messages and of answers: no half message is shown as good, and
 * what is missing is marked. */
TEST(what_is_lost_is_marked, .to = 8)
{
    static const char *const plans[] = {
        "packet node0>switch body at 12us times 2",   "packet node0>switch header at 12us times 2",
        "packet switch>node4 body at 15us times 3",   "packet switch>node4 header at 15us times 3",
        "packet node4>switch header at 12us times 4", "packet node4>switch body at 12us times 4",
        "biterror node0>switch every 500 words",      "cut node4 at 20us for 30us",
    };
    plan_text = plans[_i];
    params = (sync_params){.run = SYNC_QUEUE, .message = 20, .slots = _i % 2 ? 4 : 64, .packets = 200};
    scenario_good(5);
    ck_assert_uint_gt(fault_count, 0);
    ck_assert_uint_ge(result.operations + result.lost, 200);
}

TEST(lost_answers_stop_nobody, .to = 3)
{
    static const char *const plans[] = {"packet node0>switch header at 15us times 5",
                                        "packet switch>node1 body at 15us times 5",
                                        "biterror node2>switch every 400 words"};
    plan_text = plans[_i];
    params = (sync_params){.run = SYNC_COUNTER, .packets = 300};
    scenario_good(4);
    ck_assert_uint_gt(fault_count, 0);
    ck_assert_uint_gt(result.lost, 0);
}

/* ---- what only the whole NIC shows ---- */

TEST_CASE("nic", .timeout = 300);

enum { QUEUE = 2, COUNTER = 7, WORD = 9 };
static nx_sync *sync_of[8];
static scenario_bench *bench;

static void good(unsigned node, int value)
{
    ck_assert_msg(value >= 0, "node %u: %s", node, nx_last_error(bench->f->node[node]->dev));
    sim_progress(bench->f->s);
}

static node *at(unsigned i) { return bench->f->node[i]; }

/* The software of a test on nodes with SYNC; all drivers are open. */
static void (*body)(void);
static void run_body(scenario_bench *b, int variation)
{
    (void)variation;
    bench = b;
    for (unsigned i = 0; i < b->f->nodes; i++)
        if (sim_config_parameter(b->f->node[i]->params.nic, "SYNC", 0)) good(i, nx_sync_open(at(i)->dev, &sync_of[i]));
    body();
    for (unsigned i = 0; i < b->f->nodes; i++) nx_sync_close(sync_of[i]);
}

static void on_nodes(unsigned nodes, void (*software)(void))
{
    body = software;
    fabric_good(open_bench(nodes), run_body, 0);
}

static void operation(unsigned from, unsigned to, enum nx_operation kind, unsigned object, unsigned operand,
                      uint64_t data)
{
    const nx_descriptor d = {.source = data,
                             .destination = nx_operation_word(kind, object, operand),
                             .words = 1,
                             .flow = to,
                             .flags = NX_OPERATION | NX_IMMEDIATE | NX_START};
    good(from, nx_post(at(from)->dev, &d, NULL));
}

static uint32_t refused_by_1(void) { return read_register(at(1), SYNC_SOURCE_MESSAGES + 8 * QUEUE); }

static void reopen_software(void)
{
    const nx_rqueue_params p = {.slots = 2, .slot_bytes = 64, .sources = 1};
    nx_rqueue *q;
    nx_message m;
    good(1, nx_rqueue_open(sync_of[1], QUEUE, &p, &q));
    for (unsigned i = 0; i < 5; i++) operation(0, 1, NX_ENQUEUE, QUEUE, i, 100 + i);
    pause_for(bench, 5);
    ck_assert_uint_eq(refused_by_1(), 2 << 16 | 3);
    for (unsigned i = 0; i < 2; i++) {
        good(1, nx_rqueue_wait(q, &m));
        ck_assert_uint_eq(memory_get64(host_memory(at(1)->host), m.address), 100 + i);
        good(1, nx_rqueue_done(q));
    }
    operation(0, 1, NX_REOPEN, QUEUE, 2, 0); /* not the count: it stays closed */
    operation(0, 1, NX_ENQUEUE, QUEUE, 0, 105);
    operation(0, 1, NX_REOPEN, QUEUE, 4, 0);
    operation(0, 1, NX_REOPEN, QUEUE, 4, 0);
    operation(0, 1, NX_ENQUEUE, QUEUE, 0, 106);
    operation(0, 1, NX_REOPEN, QUEUE, 4, 0);
    operation(0, 1, NX_REOPEN, QUEUE, 0, 0); /* it is open */
    operation(0, 1, NX_ENQUEUE, QUEUE, 0, 107);
    for (unsigned i = 0; i < 2; i++) {
        good(1, nx_rqueue_wait(q, &m));
        ck_assert_uint_eq(memory_get64(host_memory(at(1)->host), m.address), 106 + i);
        good(1, nx_rqueue_done(q));
    }
    ck_assert_uint_eq(refused_by_1(), 4 << 16 | 4);
    nx_rqueue_close(q);
}

TEST(a_queue_is_open_again_when_the_count_of_refused_messages_is_known) { on_nodes(2, reopen_software); }

/* An operation behind a transfer in its flow takes effect when the data are in memory, whatever else arrives. */
enum { TRANSFERS = 150 };
static void flood(void *arg)
{
    node *n = arg;
    const uint64_t from = n->platform.alloc(n, 4096, 4096);
    for (unsigned i = 0; i < 400; i++)
        good(n->id, nx_transfer(n->dev, 1, from, 0x500000 + 0x1000 * n->id, 8 * (1 + i % 500), 0, NULL));
    good(n->id, nx_drain(n->dev, 1));
}

static void order_software(void)
{
    nx_rqueue *q;
    nx_message m;
    sim_task *other[2];
    node *from = at(0), *to = at(1);
    const uint64_t source = from->platform.alloc(from, 4096, 4096), target = 0x600000;
    good(1, nx_rqueue_open(sync_of[1], QUEUE, NULL, &q));
    for (unsigned i = 0; i < 2; i++) other[i] = sim_task_new(bench->f->s, "flood", flood, at(2 + i));
    for (unsigned i = 1; i <= TRANSFERS; i++) {
        const unsigned words = 1 + (unsigned)sim_random_below(bench->f->s, 300);
        for (unsigned w = 0; w < words; w++) memory_put64(host_memory(from->host), source + 8 * w, i * 1000 + w, 0xff);
        good(0, nx_transfer(from->dev, 1, source, (uint32_t)target, 8 * words, NX_HOLD, NULL));
        operation(0, 1, NX_ENQUEUE, QUEUE, 0, words);
        good(1, nx_rqueue_wait(q, &m));
        ck_assert_uint_eq(memory_get64(host_memory(to->host), m.address), words);
        for (unsigned w = 0; w < words; w++)
            ck_assert_uint_eq(memory_get64(host_memory(to->host), target + 8 * w), i * 1000 + w);
        good(1, nx_rqueue_done(q));
    }
    for (unsigned i = 0; i < 2; i++) sim_join(other[i]);
    nx_rqueue_close(q);
}

TEST(an_operation_takes_effect_behind_the_data_before_it) { on_nodes(4, order_software); }

/* Adds from the network and from the host meet in every clock: none is lost. Counts wrap around. */
static void remote_adds(void *arg)
{
    node *n = arg;
    for (unsigned i = 0; i < 300; i++) {
        operation(n->id, 0, NX_ADD, COUNTER, 0, 3);
        operation(n->id, 0, NX_WRITE, WORD + 1, 0, i);
        if (i % 16 == 0) sim_wait_time(bench->f->s, sim_random_below(bench->f->s, SIM_US));
    }
}

static void race_software(void)
{
    sim_task *other = sim_task_new(bench->f->s, "adds", remote_adds, at(1));
    int32_t value;
    uint64_t old, sum = 0;
    for (unsigned i = 0; i < 200; i++) {
        good(0, nx_counter_add(sync_of[0], NX_SELF, COUNTER, 5));
        good(0, nx_fetch_add(sync_of[0], NX_SELF, WORD, 7, &old));
        ck_assert_uint_eq(old, sum);
        sum += 7;
        sim_wait_cycles(at(0)->pci_clock, 1 + sim_random_below(bench->f->s, 9));
    }
    sim_join(other);
    pause_for(bench, 50);
    good(0, nx_counter_read(sync_of[0], COUNTER, &value));
    ck_assert_int_eq(value, 200 * 5 + 300 * 3);
    good(0, nx_word_read(sync_of[0], WORD + 1, &old));
    ck_assert_uint_eq(old, 299);
    /* over the largest number to the smallest, and up to 0 */
    good(1, nx_counter_add(sync_of[1], 0, COUNTER, INT32_MAX - 1900));
    good(1, nx_counter_add(sync_of[1], 0, COUNTER, 1));
    pause_for(bench, 5);
    good(0, nx_counter_read(sync_of[0], COUNTER, &value));
    ck_assert_int_eq(value, INT32_MIN);
    good(0, nx_counter_arm(sync_of[0], NX_SELF, COUNTER, INT32_MIN, NX_AT_ZERO_WORD, 0));
    good(0, nx_counter_wait(sync_of[0], COUNTER, 1));
}

TEST(adds_of_the_network_and_of_the_host_are_all_counted) { on_nodes(2, race_software); }

/* ---- releases */

static void prepare_one(uint64_t value, uint32_t to)
{
    const nx_descriptor d = {.source = value, .destination = to, .words = 1, .flow = 1, .flags = NX_IMMEDIATE};
    good(0, nx_prepare(at(0)->dev, &d, 1, NULL));
}

static void release(void) { good(0, nx_counter_arm(sync_of[0], NX_SELF, COUNTER, 0, 0, 1 << 1)); }

static void expect_now(uint64_t address, uint64_t value)
{
    ck_assert_uint_eq(memory_get64(host_memory(at(1)->host), address), value);
}

static void expect(uint64_t address, uint64_t value)
{
    pause_for(bench, 8);
    expect_now(address, value);
}

static void release_software(void)
{
    enum { TO = 0x600000 };
    memory_put64(host_memory(at(1)->host), TO, 0, 0xff);
    release(); /* of an empty queue */
    pause_for(bench, 5);
    ck_assert_uint_eq(read_register(at(0), SYNC_RELEASED_NOTHING), 1);
    prepare_one(11, TO);
    expect(TO, 0);                             /* the release before has been used up */
    write_register(at(0), NIC_TX_CAPACITY, 0); /* blocked: it waits for credit */
    release();
    expect(TO, 0);
    write_register(at(0), NIC_TX_CAPACITY, 512);
    expect(TO, 11);
    prepare_one(12, TO);
    prepare_one(13, TO);
    release();
    expect(TO, 12);
    release();
    expect(TO, 13);
    ck_assert_uint_eq(read_register(at(0), SYNC_RELEASED_NOTHING), 1);
}

TEST(a_release_lets_one_prepared_cluster_leave) { on_nodes(2, release_software); }

/* Counters act and release, everybody asks, while node 0 is reset. */
static void meanwhile(void *arg)
{
    unsigned *left = arg;
    for (; *left; sim_wait_time(bench->f->s, 300 * SIM_NS)) {
        operation(1, 0, NX_ARM, COUNTER, 0, (uint64_t)(1 << 1) << 32);
        operation(1, 0, NX_ADD, COUNTER + 1, 0, 1);
    }
}

static void reset_software(void)
{
    enum { TO = 0x600000 };
    unsigned left = 12;
    uint64_t old;
    sim_task *other = sim_task_new(bench->f->s, "meanwhile", meanwhile, &left);
    for (; left; left--) {
        prepare_one(left, TO);
        operation(0, 1, NX_ENQUEUE, QUEUE, 0, 1); /* refused: it is off */
        sim_wait_cycles(at(0)->pci_clock, sim_random_below(bench->f->s, 200));
        nx_sync_close(sync_of[0]);
        good(0, nx_reset(at(0)->dev));
        good(0, nx_sync_open(at(0)->dev, &sync_of[0]));
        good(0, nx_fetch_add(sync_of[0], 1, WORD, 1, &old));
    }
    sim_join(other);
    pause_for(bench, 20);
    good(0, nx_fetch_add(sync_of[0], 1, WORD, 1, &old));
    ck_assert_uint_ge(old, 12);
    prepare_one(99, TO);
    release();
    expect(TO, 99);
}

TEST(releases_and_requests_survive_resets) { on_nodes(2, reset_software); }

/* Packets of a counting group: their words count down a counter that knows nothing of order. A lost packet leaves it
 * above zero; a damaged one is counted, and marks it. */
CLEANUP(frame_tap_free);

static void group_software(void)
{
    enum { GROUP = 9, WORDS = 1000, TO = 0x600000 };
    static const frame_damage damages[] = {frame_lose, frame_bad_body};
    node *from = at(0);
    const uint64_t source = from->platform.alloc(from, 8 * WORDS, 4096);
    frame_tap *tap = frame_tap_new(link_of(bench, 0, 0));
    int32_t left;
    after_test(frame_tap_free_cleanup, tap);
    for (unsigned i = 0; i < 2; i++) write_register(at(i), SYNC_CONTROL, SYNC_CONTROL_GROUPS_MASK);
    for (unsigned w = 0; w < WORDS; w++) memory_put64(host_memory(from->host), source + 8 * w, w + 1, 0xff);
    for (unsigned round = 0; round < 3; round++) {
        if (round) frame_tap_arm(tap, 0, FRAME_DATA, 2, 1, damages[round - 1], NULL);
        good(1, nx_counter_arm(sync_of[1], NX_SELF, GROUP, WORDS, NX_AT_ZERO_WORD, 0));
        good(0, nx_transfer(from->dev, 1, source, TO, 8 * WORDS, NX_GROUP(GROUP), NULL));
        pause_for(bench, 60);
        good(1, nx_counter_read(sync_of[1], GROUP, &left));
        ck_assert_int_eq(left, round == 1 ? 62 : 0);
        if (round == 1) good(1, nx_counter_add(sync_of[1], NX_SELF, GROUP, -62)); /* as after a timeout */
        const int result = nx_counter_wait(sync_of[1], GROUP, round + 1);
        ck_assert_int_eq(result, round == 2 ? NX_ERROR_FLAGGED : NX_OK);
        if (round) continue;
        for (unsigned w = 0; w < WORDS; w++) expect_now(TO + 8 * w, w + 1);
    }
    ck_assert_uint_eq(read_register(at(1), NIC_SEQUENCE_GAPS), 0);
}

TEST(the_words_of_a_group_are_counted) { on_nodes(2, group_software); }

/* ---- with others */

static void sleeper_software(void)
{
    const nx_rqueue_params p = {.slots = 8, .slot_bytes = 64, .sources = 1, .interrupt = 1};
    nx_rqueue *q;
    nx_message m;
    good(1, nx_rqueue_open(sync_of[1], QUEUE, &p, &q));
    good(1, nx_use_interrupts(at(1)->dev, 1));
    for (unsigned i = 0; i < 10; i++) {
        operation(0, 1, NX_ENQUEUE, QUEUE, 0, i);
        good(1, nx_rqueue_wait(q, &m));
        good(1, nx_rqueue_done(q));
        pause_for(bench, 3);
    }
    ck_assert_uint_eq(nx_wait_counts(at(1)->dev).late, 0);
    ck_assert_uint_gt(nx_wait_counts(at(1)->dev).interrupts, 5);
    nx_rqueue_close(q);
}

TEST(a_reader_sleeps_until_a_message_comes) { on_nodes(2, sleeper_software); }

/* A NIC without SYNC drops operations, counts them, and goes on. */
static void without_software(void)
{
    nx_status status;
    node *n = at(0);
    const uint64_t source = n->platform.alloc(n, 64, 64);
    memory_put64(host_memory(n->host), source, 5, 0xff);
    for (unsigned i = 0; i < 4; i++) operation(0, 1, NX_ENQUEUE, i, 0, 1);
    good(0, nx_transfer(n->dev, 1, source, 0x600000, 8, NX_LOCAL, NULL));
    expect(0x600000, 5);
    ck_assert_int_eq(nx_status_read(at(1)->dev, &status), 0);
    ck_assert_msg(status.errors >= 4, "%s", status.text);
    ck_assert_int_eq(nx_sync_open(at(1)->dev, &sync_of[1]), NX_ERROR_NO_DEVICE);
}

TEST(a_nic_without_sync_drops_and_counts_operations)
{
    fabric_params p;
    scenario_bench_params(&p, 2, &nic_sync_config, &crossbar8_config, NULL);
    p.node[1].nic = &nic_config;
    body = without_software;
    fabric_good(scenario_bench_new(&p), run_body, 0);
}

/* Descriptors behind the driver's back: what is illegal is skipped and counted, the next one is served. */
enum { LENGTH = NIC_STATUS_DESCRIPTOR_LENGTH_MASK, ADDRESS = NIC_STATUS_DESCRIPTOR_ADDRESS_MASK };
#define BIT(n) ((uint64_t)1 << (n))
static const struct {
    uint64_t word1;     /* without start flag and flow */
    uint32_t status[2]; /* without SYNC, with it; 0: it is legal */
} descriptors[] = {
    {2 * BIT(32) | BIT(51) | 0x600000, {ADDRESS, LENGTH}},              /* immediate of two words */
    {63 * BIT(32) | BIT(63) | 0x00200001, {ADDRESS, LENGTH}},           /* operation longer than a packet */
    {1 * BIT(32) | BIT(63) | 0x00200000, {ADDRESS, ADDRESS}},           /* one of the two marks alone */
    {1 * BIT(32) | 0x00200001, {ADDRESS, ADDRESS}},                     /* ... the other one */
    {1 * BIT(32) | BIT(63) | BIT(62) | 0x00200001, {ADDRESS, ADDRESS}}, /* remote notification of an operation */
    {1 * BIT(32) | BIT(48) | 0x600000, {0, ADDRESS}},                   /* reserved bits */
    {1 * BIT(32) | BIT(49) | 0x600000, {0, ADDRESS}},
    {1 * BIT(32) | BIT(63) | BIT(51) | 0x00710001, {ADDRESS, 0}}, /* ADD to counter 7 */
    {1 * BIT(32) | BIT(51) | 0x600000, {ADDRESS, 0}},             /* immediate */
};

static void raw_descriptors(unsigned sender)
{
    node *n = at(sender);
    const int with = sim_config_parameter(n->params.nic, "SYNC", 0) != 0;
    const uint64_t queue =
        nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + 0x4000 + (1 - sender) * 128 * 16;
    uint32_t skipped = 0;
    for (int i = 0; i < COUNT(descriptors); i++) {
        const uint64_t word1 = descriptors[i].word1 | BIT(59) | (uint64_t)(1 - sender) << 52;
        ck_assert_int_eq(n->platform.write64(n, queue + 16 * (unsigned)i, 0x700000), 0);
        ck_assert_int_eq(n->platform.write64(n, queue + 16 * (unsigned)i + 8, word1), 0);
        pause_for(bench, 4);
        skipped += descriptors[i].status[with] != 0;
        const uint32_t status = read_register(n, NIC_STATUS) & (LENGTH | ADDRESS | NIC_STATUS_DESCRIPTOR_FLOW_MASK);
        ck_assert_msg(status == descriptors[i].status[with], "descriptor %d%s: STATUS 0x%x, expected 0x%x", i,
                      with ? " with SYNC" : "", status, descriptors[i].status[with]);
        write_register(n, NIC_STATUS, status);
        ck_assert_uint_eq(read_register(n, NIC_QUEUE_SKIPPED + 4 * (1 - sender)), skipped);
        ck_assert_uint_eq(read_register(n, NIC_DESCRIPTOR_ERRORS), skipped);
    }
}

static void descriptors_software(void)
{
    raw_descriptors(0);
    raw_descriptors(1);
}

TEST(illegal_descriptors_are_skipped_and_counted)
{
    fabric_params p;
    scenario_bench_params(&p, 2, &nic_sync_config, &crossbar8_config, NULL);
    p.node[1].nic = &nic_config;
    body = descriptors_software;
    fabric_good(scenario_bench_new(&p), run_body, 0);
}

/* NICs with SYNC carry the traffic of today as it is. */
TEST(rdma_traffic_is_as_without_sync, .to = 2)
{
    static const char *const names[] = {"uniform", "n-to-one"};
    fabric_params p;
    scenario_bench_params(&p, 8, &nic_sync_config, &crossbar8_config, NULL);
    scenario_bench *b = scenario_bench_new(&p);
    SET(b, "scenario", names[_i], "sizes", "8..496", "measure", "60", "warmup", "10");
    scenario_bench_good(b);
}
