/* Each fault of a host's bus during a transfer: it completes or is reported, and the next one succeeds. */
#include "system_space.h"
#include "test.h"

enum { PCIX_STATUS = 0x4c };

static void all_is_well(bench *b)
{
    bench_good(b, 0, 62);
    bench_good(b, 1, 512);
    bench_agree(b, 0, 8);
    bench_agree(b, 1, 8);
}

/* ---- the source cannot be read ---- */

struct read_case {
    int kind;
    unsigned value;
    uint32_t pci_status, pcix_status;
};
static const struct read_case read_cases[] = {
    {HOST_RANGE_NOBODY, 0, MASTER_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 0},
    {HOST_RANGE_SPLIT_ERROR, 0x100, 0, 1u << 29},            /* class 1, index 00h: master abort beyond the bridge */
    {HOST_RANGE_SPLIT_ERROR, 0x101 | 2u << 12, 0, 1u << 29}, /* after two pieces of data: target abort beyond it */
    {HOST_RANGE_SPLIT_ERROR, 0x200 | 1u << 12, 0, 1u << 29}, /* class 2: byte count out of range */
};

TEST_CASE("bus", .timeout = 120);

SOFTWARE_TEST(a_source_that_cannot_be_read_abandons_only_its_transfer, .to = COUNT(read_cases))
{
    const struct read_case *c = &read_cases[_i];
    all_is_well(b);
    bench_pci_status(b, 0);
    piece bad = bench_make(b, 0, 8 * 62);
    bench_range(b, 0, bad.source, 8 * bad.words, c->kind, c->value);
    bench_post(b, &bad, NX_REMOTE | NX_LOCAL);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &bad.ticket), NX_ERROR_ABANDONED);
    host_clear_ranges(b->n[0]->host);
    ck_assert_int_eq(bench_take(b, 0), 0); /* no notification for data that never left */
    bench_expect(b, 0, NIC_STATUS_READ_ERROR_MASK, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4, 1}));
    ck_assert_uint_eq(bench_pci_status(b, 0) & (MASTER_ABORT | TARGET_ABORT), c->pci_status);
    ck_assert_uint_eq(bench_config(b, 0, PCIX_STATUS, 4) & 1u << 29, c->pcix_status);
    bench_reported(b, 0, 62);
    all_is_well(b);
}

/* ---- the destination cannot be written ---- */

static const struct read_case write_cases[] = {
    {HOST_RANGE_NOBODY, 0, MASTER_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 1, TARGET_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 20, TARGET_ABORT, 0},
};

SOFTWARE_TEST(a_destination_that_cannot_be_written_is_flagged, .to = COUNT(write_cases))
{
    const struct read_case *c = &write_cases[_i];
    all_is_well(b);
    piece bad = bench_make(b, 0, 62);
    bench_range(b, 1, bad.destination, 8 * bad.words, c->kind, c->value);
    bench_post(b, &bad, NX_REMOTE);
    bench_notified(b, &bad, 1); /* its notification is written, and says that data are lost */
    host_clear_ranges(b->n[1]->host);
    ck_assert(!bench_arrived(b, &bad));
    bench_expect(b, 1, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    ck_assert_uint_eq(bench_pci_status(b, 1) & (MASTER_ABORT | TARGET_ABORT), c->pci_status);
    all_is_well(b);
    bench_fill(b, 0);
}

/* ---- unsolicited completions ---- */

SOFTWARE_TEST(an_unexpected_completion_is_swallowed_and_shown)
{
    node *n = b->n[0];
    all_is_well(b);
    uint32_t id = bench_config(b, 0, PCIX_STATUS, 4) & 0xffff;
    ck_assert_uint_eq(bench_config(b, 0, PCIX_STATUS, 4) & 1u << 19, 0);
    pcix_monitor_expect(host_monitor(n->host), PCIX_RULE_COMPLETION_UNEXPECTED);
    ck_assert(pcix_bridge_inject_completion(host_bridge(n->host), id, 9, 0, 64));
    bench_wait(b, 5 * SIM_US);
    ck_assert_uint_eq(bench_config(b, 0, PCIX_STATUS, 4) & 1u << 19, 1u << 19);
    host_config_write(n->host, NODE_DEVICE, PCIX_STATUS, 4, 1u << 19);
    ck_assert_uint_eq(bench_config(b, 0, PCIX_STATUS, 4) & 1u << 19, 0);
    ck_assert_uint_eq(bench_get(b, 0, NIC_UNEXPECTED_COMPLETIONS), 1);
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_UNEXPECTED_COMPLETION_MASK);
    all_is_well(b);
}

/* ---- slow and narrow targets ---- */

SOFTWARE_TEST(a_retry_storm_only_takes_time)
{
    all_is_well(b);
    piece p = bench_make(b, 0, 512);
    bench_range(b, 0, p.source, 4096, HOST_RANGE_RETRY, 400);
    bench_range(b, 1, p.destination, 4096, HOST_RANGE_RETRY, 300);
    bench_post(b, &p, NX_REMOTE);
    bench_notified(b, &p, 0);
    bench_must_arrive(b, &p);
    host_clear_ranges(b->n[0]->host);
    host_clear_ranges(b->n[1]->host);
    all_is_well(b);
}

static const struct {
    int kind;
    unsigned value;
} awkward[] = {
    {HOST_RANGE_NARROW, 0}, {HOST_RANGE_SINGLE, 0}, {HOST_RANGE_DISCONNECT, 0}, {HOST_RANGE_DISCONNECT, 5},
    {HOST_RANGE_WAITS, 2},  {HOST_RANGE_WAITS, 6},  {HOST_RANGE_DECODE, 4},     {HOST_RANGE_DECODE, 6},
};

SOFTWARE_TEST(targets_that_are_narrow_slow_or_disconnect_get_every_word, .to = COUNT(awkward))
{
    all_is_well(b);
    bench_range(b, 1, BENCH_DESTINATIONS, 0x10000, awkward[_i].kind, awkward[_i].value);
    for (unsigned words = 1; words <= 512; words = words * 3 / 2 + 1) bench_good(b, 0, words);
    host_clear_ranges(b->n[1]->host);
    all_is_well(b);
}

/* ---- completions in any legal cutting ---- */

SOFTWARE_TEST(completions_may_be_cut_at_every_boundary, .to = 2)
{
    node *n = b->n[0];
    host_params p = n->params.host;
    for (unsigned first = 1; first <= 32; first++) {
        p.cuts = first < 32 ? 2 : 1;
        p.cut_adqs[0] = first;
        p.cut_adqs[1] = 1 + first % 5;
        p.narrow_completions = _i & 1;
        p.interleave = false;
        host_set_params(n->host, &p);
        b->next[0] += 8 * first; /* other distances to the next boundary */
        bench_good(b, 0, 512);
        bench_good(b, 0, first + 15);
    }
    bench_agree(b, 0, 8);
}

/* ---- parity ---- */

SOFTWARE_TEST(bad_parity_in_a_completion_abandons_the_transfer, .to = 2)
{
    all_is_well(b);
    bench_bus_fault(b, 0, 0, PCIX_SPLIT_COMPLETION,
                    (pcix_fault){.phase = PCIX_PH_DATA, .index = (unsigned)_i * 61, .ad = 1ull << 37});
    piece bad = bench_send(b, 0, 62, NX_REMOTE);
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(bench_bus_faults(b, 0), 1);
    ck_assert(!bench_arrived(b, &bad));
    ck_assert_int_eq(bench_take(b, 0), 0);
    bench_expect(b, 0, NIC_STATUS_READ_ERROR_MASK, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4, 1}));
    ck_assert_uint_eq(bench_pci_status(b, 0) & (PARITY_SEEN | PARITY_DATA), PARITY_SEEN | PARITY_DATA);
    nx_drain(b->n[0]->dev, 1); /* takes note of the descriptor that was abandoned */
    bench_reported(b, 0, 62);
    all_is_well(b);
}

SOFTWARE_TEST(perr_on_a_write_is_flagged)
{
    all_is_well(b);
    bench_bus_fault(b, 1, 1, PCIX_WRITE_BLOCK, (pcix_fault){.phase = PCIX_PH_DATA, .index = 7, .ad = 2});
    piece bad = bench_send(b, 0, 62, NX_REMOTE);
    bench_notified(b, &bad, 1);
    bench_expect(b, 1, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    ck_assert_uint_eq(bench_pci_status(b, 1) & PARITY_DATA, PARITY_DATA);
    all_is_well(b);
}

SOFTWARE_TEST(bad_parity_of_an_address_or_attribute_raises_serr_and_writes_nothing, .to = 2)
{
    all_is_well(b);
    uint32_t before = bench_get(b, 0, NIC_NODE_ID);
    /* in the address another register of the same device: it must not be written */
    bench_bus_fault(b, 0, 0, PCIX_MEMORY_WRITE,
                    (pcix_fault){.phase = _i ? PCIX_PH_ATTRIBUTE : PCIX_PH_ADDRESS, .ad = _i ? 0x40000000 : 0x10});
    nx_register_write(b->n[0]->dev, NIC_NODE_ID, 5);
    host_flush(b->n[0]->host);
    ck_assert_uint_eq(bench_bus_faults(b, 0), 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_NODE_ID), before); /* nothing was written */
    ck_assert_uint_eq(bench_pci_status(b, 0) & (PARITY_SEEN | SERR), PARITY_SEEN | SERR);
    bench_set(b, 0, NIC_NODE_ID, before);
    all_is_well(b);
}
