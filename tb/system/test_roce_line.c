/* Traffic of all kinds over a line that is cut, and over a bad one, in front of the whole RoCE v2 chip: all messages
 * arrive once, in order and whole (roce_traffic: doorbell, completion, memory), and neither end violates IBA
 * (roce_checker). */
#include <string.h>

#include "roce_bench.h"

TEST_CASE("roce_line", .timeout = 120);

enum { RUNS = ROCE_CHIPS * ROCE_STARTS, CONNECTIONS = 5 };

/* All path MTUs, one after the other. All connections except the last `calm` ones may be disturbed. */
static roce_bench *some_of_all_kinds(int variation, roce_system_params *p, unsigned connections, unsigned messages,
                                     unsigned calm)
{
    roce_traffic_params m = roce_traffic_defaults();
    m.connections = connections;
    m.timeout = 4;
    m.handshake = 1;
    m.psn = roce_starts[variation % ROCE_STARTS];
    for (int k = 0; k < ROCE_KINDS; k++) m.messages[k] = messages;
    roce_bench *b = roce_bench_new(p, &m);
    memset(b->disturbed, 1, connections - calm);
    roce_bench_watch(b, &m);
    return b;
}

/* Every packet of one direction, then of the other one is lost for longer than a timeout (65 us), in the middle of all.
 */
TEST(the_line_is_cut_for_a_while, .to = RUNS)
{
    int wide = _i / ROCE_STARTS;
    roce_system_params p = roce_system_defaults(roce_chips[wide]);
    p.faults = wide ? "cut chip at 45us for 100us; cut peer at 180us for 100us"
                    : "cut chip at 70us for 100us; cut peer at 260us for 100us";
    roce_bench *b = some_of_all_kinds(_i, &p, CONNECTIONS, 16, 0);
    roce_bench_run(b);
    for (int end = 0; end < 2; end++)
        ck_assert_uint_gt(ethernet_wire_get_stats(b->system->wire, end).struck[ETHERNET_CUT], 0);
    ck_assert_uint_gt(b->retries, 0);
    ck_assert_uint_gt(rnic_get_counters(b->system->peer)->resent_pkts, 0);
}

static void faults_at_random(roce_system_params *p, double probability, int variation)
{
    p->wire.lose = p->wire.duplicate = p->wire.delay = probability;
    p->wire.flip = p->wire.spoil = probability / 2;
    p->wire.seed = 11 + (uint64_t)variation;
}

/* One packet in 50 each lost, doubled, late and damaged, and memory that stalls now and then. */
TEST(a_bad_line_loses_nothing, .to = RUNS * (long_form() ? 60 : 1))
{
    roce_system_params p = roce_system_defaults(roce_chips[_i % RUNS / ROCE_STARTS]);
    faults_at_random(&p, 0.02, _i);
    for (int c = 0; c < AXI_CHANNELS; c++) p.board.memory.stall[c] = 10;
    roce_bench_run(some_of_all_kinds(_i % RUNS, &p, CONNECTIONS, 14, 0));
}

/* One packet in a hundred each lost, doubled, late and damaged. */
TEST(a_soak_of_20000_packets_loses_nothing)
{
    roce_system_params p = roce_system_defaults(roce_chips[0]);
    faults_at_random(&p, 0.01, 0);
    roce_bench *b = some_of_all_kinds(1, &p, 7, 220, 0);
    roce_bench_run(b);
    uint64_t frames = 0;
    for (int end = 0; end < 2; end++) frames += ethernet_wire_get_stats(b->system->wire, end).frames;
    ck_assert_uint_ge(frames, 20000);
}

/* The checker of undisturbed connections, fed its fault: a packet of one of them is lost. */
static ethernet_fault lose_of_the_third(void *self, int from, uint64_t index, const uint8_t *frame, size_t length)
{
    roce_seen f;
    (void)index;
    int its =
        roce_see(from, frame, length, &f) && f.connection == 2 && from == *(int *)self && f.opcode <= RNIC_SEND_ONLY;
    return (ethernet_fault){its ? ETHERNET_LOSE : ETHERNET_NO_FAULT, 0};
}

TEST(a_connection_that_sends_twice_is_noticed, .to = 2)
{
    int from = _i;
    roce_system_params p = roce_system_defaults(roce_chips[0]);
    roce_bench *b = some_of_all_kinds(0, &p, CONNECTIONS, 8, CONNECTIONS);
    ethernet_wire_set_tap(b->system->wire, lose_of_the_third, &from);
    ck_assert_int_eq(sim_run(b->sim, 20 * SIM_MS), SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(b->sim), "connection 2: the "));
}
