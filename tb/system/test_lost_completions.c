/* A completer that fails: completions that do not come, come late, come wrong. Only the affected transfer is lost, and
 * reported; traffic goes on within the time of COMPLETION_TIMER, the space is whole, and RST# is not needed. */
#include "nic_4splits.h"
#include "system_space.h"
#include "test.h"

enum { TIME = 2000 /* PCI clocks */, PIECES = 16, WORDS = 50, HIT = 5 };

static void four_splits(pair_params *p, int variation)
{
    (void)variation;
    for (int i = 0; i < 2; i++) p->node[i].nic = &nic_4splits_config;
}

/* Every other one. */
static void both_kinds(pair_params *p, int variation)
{
    if (variation & 1) four_splits(p, variation);
}

static void let_fail(bench *b, int kind, unsigned pieces, unsigned value, unsigned skip, unsigned times)
{
    pcix_completion_fault f = {.kind = kind, .skip = skip, .times = times, .pieces = pieces, .value = value};
    ck_assert(pcix_bridge_fail_completion(host_bridge(b->n[0]->host), &f));
}

/* A fault, and the expected report of node 0. */
static const struct {
    int kind;
    unsigned pieces, value, timeouts, unexpected;
} faults[] = {
    {PCIX_COMPLETION_DROPPED, 0, 0, 1, 0},        {PCIX_COMPLETION_DROPPED, 2, 0, 1, 0},
    {PCIX_COMPLETION_LATE, 0, TIME + 3000, 1, 4}, /* four pieces of a read from the beginning of an ADQ */
    {PCIX_COMPLETION_LATE, 2, TIME + 3000, 1, 2}, {PCIX_COMPLETION_LATE, 1, TIME / 2, 0, 0}, /* in time */
    {PCIX_COMPLETION_COUNT, 0, 0x40, 1, 1},       {PCIX_COMPLETION_COUNT, 1, 0x800, 1, 1},
    {PCIX_COMPLETION_LOWER, 0, 0x08, 1, 1},       {PCIX_COMPLETION_LOWER, 2, 0x40, 1, 1},
    {PCIX_COMPLETION_MESSAGE, 1, 0x101, 0, 0},
};

/* Pieces of a stream in one direction, one of which is hit, while the other direction also sends. */
static void one_fails(bench *b, int variation)
{
    int lost = faults[variation].kind == PCIX_COMPLETION_MESSAGE || faults[variation].timeouts;
    for (int i = 0; i < 2; i++) bench_set(b, i, NIC_COMPLETION_TIMER, TIME);
    bench_small_completions(b, false);
    let_fail(b, faults[variation].kind, faults[variation].pieces, faults[variation].value, HIT, 1);
    sim_time begin = sim_now(b->s);
    for (unsigned k = 0; k < PIECES; k++)
        for (unsigned i = 0; i < 2; i++) {
            b->next[i] = (b->next[i] + 127) & ~(uint64_t)127;
            bench_send(b, i, WORDS, k == HIT ? 0 : NX_REMOTE);
        }
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), lost ? NX_ERROR_ABANDONED : NX_OK);
    ck_assert_int_eq(nx_drain(b->n[1]->dev, 0), NX_OK);
    /* all of the traffic alone takes less than 60 us; a loss may cost its timeout once */
    ck_assert_uint_lt(sim_now(b->s) - begin, 60 * SIM_US + TIME * 10 * SIM_NS);
    bench_wait(b, 100 * SIM_US);
    for (unsigned k = 0; k < PIECES; k++) {
        bench_must_arrive(b, &b->flow[1].piece[k]);
        if (k != HIT || !lost) bench_must_arrive(b, &b->flow[0].piece[k]);
        else bench_untouched(b, &b->flow[0].piece[k]);
    }
    ck_assert_uint_eq(pcix_bridge_completion_faults(host_bridge(b->n[0]->host)), 1);
    bench_expect(b, 0,
                 (lost ? NIC_STATUS_READ_ERROR_MASK : 0) |
                     (faults[variation].timeouts ? NIC_STATUS_COMPLETION_TIMEOUT_MASK : 0) |
                     (faults[variation].unexpected ? NIC_STATUS_UNEXPECTED_COMPLETION_MASK : 0),
                 CHANGES({NIC_READ_ERRORS, (uint32_t)lost}, {NIC_QUEUE_SKIPPED + 4, (uint32_t)lost},
                         {NIC_COMPLETION_TIMEOUTS, faults[variation].timeouts},
                         {NIC_UNEXPECTED_COMPLETIONS, faults[variation].unexpected}));
    bench_expect(b, 1, lost ? NIC_STATUS_SEQUENCE_GAP_MASK : 0,
                 CHANGES({NIC_SEQUENCE_GAPS, (uint32_t)lost}, {NIC_FLAGGED_NOTIFICATIONS, (uint32_t)lost}));
    for (unsigned i = 0; i < 2; i++) bench_take(b, i);
    bench_agree(b, 0, 4);
    bench_agree(b, 1, 4);
    bench_prove(b);
}

TEST_CASE("lost_completions", .timeout = 120);

SOFTWARE_TEST(a_completion_that_fails_loses_one_transfer, .to = COUNT(faults)) { one_fails(b, _i); }

SOFTWARE_TEST_ON(four_splits, one_of_four_completions_that_fails_loses_one_transfer, .to = COUNT(faults))
{
    one_fails(b, _i);
}

/* The text of nx_status names the error. */
SOFTWARE_TEST(status_names_what_was_lost)
{
    nx_status s;
    bench_set(b, 0, NIC_COMPLETION_TIMER, TIME);
    let_fail(b, PCIX_COMPLETION_LATE, 0, TIME + 500, 0, 1);
    bench_send(b, 0, WORDS, 0);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), NX_ERROR_ABANDONED);
    bench_wait(b, 20 * SIM_US);
    ck_assert_int_eq(nx_status_read(b->n[0]->dev, &s), NX_OK);
    ck_assert_ptr_nonnull(strstr(s.text, "status COMPLETION_TIMEOUT: "));
    ck_assert_ptr_nonnull(strstr(s.text, "status UNEXPECTED_COMPLETION: "));
    ck_assert_ptr_nonnull(strstr(s.text, "COMPLETION_TIMEOUTS 1: "));
    ck_assert_ptr_nonnull(strstr(s.text, "UNEXPECTED_COMPLETIONS 1: "));
    bench_forgive(b, 0);
    bench_reported(b, 0, 10);
    bench_prove(b);
}

/* Many reads in a row get nothing, or too late: each is abandoned in its turn, and nothing is exhausted by it. */
SOFTWARE_TEST_ON(both_kinds, many_in_a_row_exhaust_nothing, .to = 4)
{
    int late = _i / 2;
    enum { MANY = 100 };
    bench_set(b, 0, NIC_COMPLETION_TIMER, 400);
    let_fail(b, late ? PCIX_COMPLETION_LATE : PCIX_COMPLETION_DROPPED, 0, 900, 0, MANY);
    for (unsigned k = 0; k < MANY; k++) bench_send(b, 0, WORDS, 0);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), NX_ERROR_ABANDONED);
    bench_wait(b, 100 * SIM_US);
    bench_expect(b, 0,
                 NIC_STATUS_READ_ERROR_MASK | NIC_STATUS_COMPLETION_TIMEOUT_MASK |
                     (late ? NIC_STATUS_UNEXPECTED_COMPLETION_MASK : 0),
                 CHANGES({NIC_READ_ERRORS, MANY}, {NIC_QUEUE_SKIPPED + 4, MANY}, {NIC_COMPLETION_TIMEOUTS, MANY},
                         {NIC_UNEXPECTED_COMPLETIONS, late ? SOME : 0}));
    if (late) ck_assert_uint_ge(bench_get(b, 0, NIC_UNEXPECTED_COMPLETIONS), MANY);
    bench_set(b, 0, NIC_COMPLETION_TIMER, NIC_COMPLETION_TIMER_RESET); /* reads of 4 KB take longer than that */
    bench_reported(b, 0, 10);
    bench_prove(b);
}

/* Without a time limit a read that gets nothing stops all sending. A software reset ends it, within 8192 PCI clocks,
 * and then all is well.
 */
SOFTWARE_TEST_ON(both_kinds, reset_ends_a_read_that_waits_for_ever, .to = 8)
{
    static const int kinds[] = {PCIX_COMPLETION_DROPPED, PCIX_COMPLETION_COUNT, PCIX_COMPLETION_LOWER,
                                PCIX_COMPLETION_LATE};
    int kind = kinds[_i / 2];
    unsigned reads = (bench_get(b, 0, NIC_BUILD) & NIC_BUILD_SPLITS_MASK) >> NIC_BUILD_SPLITS_SHIFT;
    bench_set(b, 0, NIC_COMPLETION_TIMER, 0);
    let_fail(b, kind, 0, kind == PCIX_COMPLETION_LATE ? 200000 : 0x40, 0, reads);
    for (unsigned k = 0; k < 10; k++) bench_send(b, 0, WORDS, 0);
    bench_wait(b, 500 * SIM_US);
    ck_assert_uint_eq(bench_get(b, 0, NIC_READ_ERRORS), 0);
    bench_soft_reset(b, 0);
    bench_forgive(b, ALL);
    bench_ok(b, 0, nx_reset(b->n[0]->dev));
    b->flow[0].sender_reports = 1;
    bench_next(b, 0, WORDS); /* flagged if packets were dropped behind their numbers */
    bench_forgive(b, ALL);
    bench_prove(b);
}

/* With BCM in the first completion of each read every transfer arrives. */
SOFTWARE_TEST_ON(both_kinds, completions_that_count_only_their_own_bytes_are_taken, .to = 2)
{
    bench_small_completions(b, true);
    for (unsigned words = 1; words <= 512; words = words * 5 / 3 + 1) bench_good(b, 0, words);
    host_params p = host_params_server2004();
    p.count_modified = true;
    host_set_params(b->n[0]->host, &p);
    for (unsigned i = 0; i < 6; i++) bench_good(b, 0, 512);
    bench_agree(b, 0, 8);
    bench_expect_nothing(b, 0);
}

/* ---- a reset of the queues while a read waits */

enum { RAW_QUEUE = 3 };

/* Puts a descriptor into a slot of a queue that the driver does not use. */
static void post_raw(bench *b, unsigned slot, const piece *p)
{
    bench_raw(b, RAW_QUEUE, slot, p->source, bench_word1(p->destination, p->words, RAW_QUEUE, 1), 0xf);
}

TEST_CASE("queue_reset", .timeout = 60);

/* Transfers taken before a reset of the queues fail after it: nothing that has been posted since is taken for it. */
SOFTWARE_TEST_ON(both_kinds, a_read_that_fails_after_a_queue_reset_takes_nothing_with_it, .to = 2)
{
    bench_set(b, 0, NIC_COMPLETION_TIMER, 20 * TIME);
    piece old = bench_make(b, 0, 8), next = bench_make(b, 0, 512);
    const nx_function *nic = nx_bus_find(b->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0);
    /* reads of 512 bytes: of the next one there is always more to ask for */
    ck_assert_int_eq(host_config_write(b->n[0]->host, NODE_DEVICE, nic->pcix + 2, 2, nic->pcix_command & ~0xcu), 0);
    let_fail(b, PCIX_COMPLETION_DROPPED, 0, 0, 0, 1);
    post_raw(b, 0, &old);
    bench_wait(b, 10 * SIM_US);
    uint32_t control = bench_get(b, 0, NIC_CONTROL);
    bench_set(b, 0, NIC_CONTROL, control | NIC_CONTROL_QUEUE_RESET_MASK);
    while (bench_get(b, 0, NIC_CONTROL) & NIC_CONTROL_QUEUE_RESET_MASK) bench_wait(b, SIM_US);
    ck_assert_uint_eq(bench_get(b, 0, NIC_COMPLETION_TIMEOUTS), 0);
    post_raw(b, 0, &next);
    bench_wait(b, 20 * TIME * 10 * SIM_NS + 50 * SIM_US);
    ck_assert_uint_eq(bench_get(b, 0, NIC_COMPLETION_TIMEOUTS), 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_READ_ERRORS), 1);
    bench_untouched(b, &old);
    bench_must_arrive(b, &next);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * RAW_QUEUE), 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_SKIPPED + 4 * RAW_QUEUE), 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_POINTERS + 4 * RAW_QUEUE), 1u << 24 | 1u << 16);
}
