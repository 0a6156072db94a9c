/* Remote queues, counters and words on the NICs (SYNC=1) around a switch: the scenarios of sim/traffic/sync with their
 * scoreboards, with faults, and what only the whole NIC shows. */
#include <string.h>

#include "crossbar8.h"
#include "nic_register_map.h"
#include "nic_sync.h"
#include "nx_sync.h"
#include "scenario_bench.h"
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

static void no_errors(scenario_bench *b)
{
    for (unsigned i = 0; i < b->f->nodes; i++) {
        nx_sync *s;
        nx_sync_status status;
        ck_assert_msg(!nx_sync_open(b->f->node[i]->dev, &s), "%s", nx_last_error(b->f->node[i]->dev));
        ck_assert_int_eq(nx_sync_status_read(s, &status), 0);
        ck_assert_msg(!status.errors && !status.status, "node %u: %s", i, status.text);
        nx_sync_close(s);
    }
}

static void run_params(scenario_bench *b, int variation)
{
    (void)variation;
    if (!sync_run_on(b->f, &params, &result) && !plan_text) no_errors(b);
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
