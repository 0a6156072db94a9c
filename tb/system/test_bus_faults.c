/* Everything a host's bus can do to a transfer: it ends well or is told, and the next one goes through. */
#include "moves.h"
#include "test.h"

enum { PCI_STATUS = 0x06, PCIX_STATUS = 0x4c, MASTER_ABORT = 1 << 13, TARGET_ABORT = 1 << 12, PARITY_SEEN = 1 << 15, PARITY_DATA = 1 << 8 };

static uint32_t config(bench *b, int node, int reg, int size)
{
    uint32_t value = 0;
    ck_assert_int_eq(host_config_read(b->p->node[node]->host, NODE_DEVICE, reg, size, &value), 0);
    return value;
}

static void add_range(bench *b, int node, uint64_t from, uint64_t bytes, int kind, unsigned value)
{
    host_range r = {from, from + bytes - 1, kind, value};
    ck_assert_int_ge(host_add_range(b->p->node[node]->host, &r), 0);
}

static void all_is_well(bench *b)
{
    move_good(b, 0, 496);
    move_good(b, 1, 4096);
    bench_agree(b, 0, 8);
    bench_agree(b, 1, 8);
}

/* Addresses that the next move will use: the allocator hands out what follows. */
static uint64_t next_buffer(bench *b, int node)
{
    return b->p->node[node]->next;
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

MOVES_TEST(a_source_that_cannot_be_read_abandons_only_its_transfer, .to = COUNT(read_cases))
{
    const struct read_case *c = &read_cases[b->variation];
    node *sender = b->p->node[0];
    all_is_well(b);
    bench_status(b, 0);
    uint32_t errors = bench_get(b, 0, NIC_READ_ERRORS);
    add_range(b, 0, next_buffer(b, 0), 4096, c->kind, c->value);
    uint64_t source = sender->platform.alloc(sender, 4096, 8), destination = b->p->node[1]->platform.alloc(b->p->node[1], 4096, 8);
    nx_ticket ticket;
    ck_assert_int_eq(nx_transfer(sender->dev, 1, source, (uint32_t)destination, 4096 / 62 / 8 * 62 * 8, NX_REMOTE | NX_LOCAL, &ticket), 0);
    ck_assert_int_eq(nx_wait(sender->dev, &ticket), NX_ERROR_ABANDONED);
    host_clear_ranges(sender->host);
    nx_notification note;
    ck_assert_int_eq(nx_notification_poll(b->p->node[1]->dev, 0, &note), 0); /* no notification for data that never left */
    ck_assert_uint_eq(bench_get(b, 0, NIC_READ_ERRORS), errors + 1);
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_READ_ERROR_MASK);
    ck_assert_uint_eq(config(b, 0, PCI_STATUS, 2) & (MASTER_ABORT | TARGET_ABORT), c->pci_status);
    ck_assert_uint_eq(config(b, 0, PCIX_STATUS, 4) & 1u << 29, c->pcix_status);
    move_told(b, 0, 496);
    all_is_well(b);
}

/* ---- the destination cannot be written ---- */

static const struct read_case write_cases[] = {
    {HOST_RANGE_NOBODY, 0, MASTER_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 0, TARGET_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 1, TARGET_ABORT, 0},
    {HOST_RANGE_TARGET_ABORT, 20, TARGET_ABORT, 0},
};

MOVES_TEST(a_destination_that_cannot_be_written_is_flagged, .to = COUNT(write_cases))
{
    const struct read_case *c = &write_cases[b->variation];
    all_is_well(b);
    uint32_t errors = bench_get(b, 1, NIC_WRITE_ERRORS);
    add_range(b, 1, next_buffer(b, 1), 4096, c->kind, c->value);
    static move m;
    move_post(b, &m, 0, 496, NX_REMOTE);
    ck_assert_int_eq(move_notified(b, 0), NX_ERROR_FLAGGED); /* its notification is written, and says that data are lost */
    host_clear_ranges(b->p->node[1]->host);
    ck_assert(!move_arrived(b, &m));
    ck_assert_uint_eq(bench_get(b, 1, NIC_WRITE_ERRORS), errors + 1);
    ck_assert(bench_status(b, 1) & NIC_STATUS_WRITE_ERROR_MASK);
    ck_assert_uint_eq(config(b, 1, PCI_STATUS, 2) & (MASTER_ABORT | TARGET_ABORT), c->pci_status);
    all_is_well(b);
    move_fill(b, 0);
}

/* ---- completions nobody asked for ---- */

MOVES_TEST(an_unexpected_completion_is_swallowed_and_shown)
{
    node *n = b->p->node[0];
    all_is_well(b);
    uint32_t id = config(b, 0, PCIX_STATUS, 4) & 0xffff;
    ck_assert_uint_eq(config(b, 0, PCIX_STATUS, 4) & 1u << 19, 0);
    pcix_monitor_expect(host_monitor(n->host), PCIX_RULE_COMPLETION_UNEXPECTED);
    ck_assert(pcix_bridge_inject_completion(host_bridge(n->host), id, 9, 0, 64));
    bench_wait(b, 5 * SIM_US);
    ck_assert_uint_eq(config(b, 0, PCIX_STATUS, 4) & 1u << 19, 1u << 19);
    host_config_write(n->host, NODE_DEVICE, PCIX_STATUS, 4, 1u << 19);
    ck_assert_uint_eq(config(b, 0, PCIX_STATUS, 4) & 1u << 19, 0);
    ck_assert_uint_eq(bench_get(b, 0, NIC_UNEXPECTED_COMPLETIONS), 1);
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_UNEXPECTED_COMPLETION_MASK);
    all_is_well(b);
}

/* ---- slow and narrow targets ---- */

MOVES_TEST(a_retry_storm_only_takes_time)
{
    all_is_well(b);
    add_range(b, 0, next_buffer(b, 0), 8192, HOST_RANGE_RETRY, 400);
    add_range(b, 1, next_buffer(b, 1), 8192, HOST_RANGE_RETRY, 300);
    move_good(b, 0, 4096);
    host_clear_ranges(b->p->node[0]->host);
    host_clear_ranges(b->p->node[1]->host);
    all_is_well(b);
}

static const struct {
    int kind;
    unsigned value;
} awkward[] = {
    {HOST_RANGE_NARROW, 0}, {HOST_RANGE_SINGLE, 0}, {HOST_RANGE_DISCONNECT, 0}, {HOST_RANGE_DISCONNECT, 5},
    {HOST_RANGE_WAITS, 2},  {HOST_RANGE_WAITS, 6},  {HOST_RANGE_DECODE, 4},     {HOST_RANGE_DECODE, 6},
};

MOVES_TEST(targets_that_are_narrow_slow_or_disconnect_get_every_word, .to = COUNT(awkward))
{
    all_is_well(b);
    add_range(b, 1, next_buffer(b, 1), 0x10000, awkward[b->variation].kind, awkward[b->variation].value);
    for (unsigned bytes = 8; bytes <= 4096; bytes = bytes * 3 / 16 * 8 + 8) move_good(b, 0, bytes);
    host_clear_ranges(b->p->node[1]->host);
    all_is_well(b);
}

/* ---- completions in any legal cutting ---- */

MOVES_TEST(completions_may_be_cut_at_every_boundary, .to = 2)
{
    node *n = b->p->node[0];
    host_params p = n->params.host;
    for (unsigned first = 1; first <= 32; first++) {
        p.cuts = first < 32 ? 2 : 1;
        p.cut_adqs[0] = first;
        p.cut_adqs[1] = 1 + first % 5;
        p.narrow_completions = b->variation & 1;
        p.interleave = false;
        host_set_params(n->host, &p);
        n->platform.alloc(n, 8 * first, 8); /* other distances to the next boundary */
        move_good(b, 0, 4096);
        move_good(b, 0, 8 * first + 120);
    }
    bench_agree(b, 0, 8);
}

/* ---- parity ---- */

static void completion_parity_body(bench *b)
{
    node *sender = b->p->node[0];
    all_is_well(b);
    uint32_t errors = bench_get(b, 0, NIC_READ_ERRORS);
    pcix_fault f = {
        .initiator = -1, .commands = 1u << PCIX_SPLIT_COMPLETION, .phase = PCIX_PH_DATA, .index = (unsigned)b->variation, .ad = 1ull << 37};
    ck_assert(pcix_faults_add(host_faults(sender->host), &f));
    static move m;
    move_post(b, &m, 0, 496, NX_REMOTE);
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(pcix_faults_done(host_faults(sender->host)), 1);
    ck_assert(!move_arrived(b, &m));
    nx_notification note;
    ck_assert_int_eq(nx_notification_poll(b->p->node[1]->dev, 0, &note), 0);
    ck_assert_uint_eq(bench_get(b, 0, NIC_READ_ERRORS), errors + 1);
    ck_assert_uint_eq(config(b, 0, PCI_STATUS, 2) & (PARITY_SEEN | PARITY_DATA), PARITY_SEEN | PARITY_DATA);
    nx_drain(sender->dev, 1); /* takes note of the descriptor that was abandoned */
    move_told(b, 0, 496);
    all_is_well(b);
}

TEST(bad_parity_in_a_completion_abandons_the_transfer, .to = 2)
{
    moves_run(NULL, completion_parity_body, _i * 61);
}

MOVES_TEST(perr_on_a_write_is_flagged)
{
    node *receiver = b->p->node[1];
    all_is_well(b);
    uint32_t errors = bench_get(b, 1, NIC_WRITE_ERRORS);
    pcix_fault f = {.initiator = receiver->nic_agent, .commands = 1u << PCIX_WRITE_BLOCK, .phase = PCIX_PH_DATA, .index = 7, .ad = 2};
    ck_assert(pcix_faults_add(host_faults(receiver->host), &f));
    static move m;
    move_post(b, &m, 0, 496, NX_REMOTE);
    ck_assert_int_eq(move_notified(b, 0), NX_ERROR_FLAGGED);
    ck_assert_uint_eq(bench_get(b, 1, NIC_WRITE_ERRORS), errors + 1);
    ck_assert_uint_eq(config(b, 1, PCI_STATUS, 2) & PARITY_DATA, PARITY_DATA);
    all_is_well(b);
}

static void address_parity_body(bench *b)
{
    node *n = b->p->node[0];
    all_is_well(b);
    uint32_t before = bench_get(b, 0, NIC_NODE_ID);
    pcix_fault f = {
        .initiator = pcix_bridge_agent(host_bridge(n->host)), .commands = 1u << PCIX_MEMORY_WRITE, .phase = b->variation, .ad = 0x40000000};
    if (b->variation == PCIX_PH_ADDRESS) f.ad = 0x10; /* another register of the same device: it must not be written */
    ck_assert(pcix_faults_add(host_faults(n->host), &f));
    nx_register_write(n->dev, NIC_NODE_ID, 5);
    host_flush(n->host);
    ck_assert_uint_eq(pcix_faults_done(host_faults(n->host)), 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_NODE_ID), before); /* nothing was written */
    ck_assert_uint_eq(config(b, 0, PCI_STATUS, 2) & (PARITY_SEEN | 1 << 14), PARITY_SEEN | 1 << 14);
    bench_set(b, 0, NIC_NODE_ID, before);
    all_is_well(b);
}

TEST(bad_parity_of_an_address_or_attribute_raises_serr_and_writes_nothing, .to = 2)
{
    moves_run(NULL, address_parity_body, _i ? PCIX_PH_ATTRIBUTE : PCIX_PH_ADDRESS);
}
