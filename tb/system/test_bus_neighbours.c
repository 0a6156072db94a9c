/* Bus faults in the middle of traffic: exactly the transfers that are hit are lost or flagged and counted, their
 * neighbours in both directions are not touched; and reads answered in any pieces. */
#include "system_space.h"
#include "test.h"

enum { PIECES = 26, WORDS = 50, HIT = 17 /* the piece that is hit */ };

/* Fault of one piece: its source cannot be read, or its destination cannot be written. */
struct hit {
    const char *name;
    int write;
    host_range range[2]; /* kind and value; kind -1: none */
    uint32_t pci;        /* status bits of that node */
};
#define NONE                                                                                                           \
    {                                                                                                                  \
        0, 0, -1, 0                                                                                                    \
    }
#define RANGE(kind, value)                                                                                             \
    {                                                                                                                  \
        0, 0, HOST_RANGE_##kind, value                                                                                 \
    }
#define ONLY(kind, value)                                                                                              \
    {                                                                                                                  \
        RANGE(kind, value), NONE                                                                                       \
    }

static struct hit hits[] = {
    {"read, nobody", 0, ONLY(NOBODY, 0), MASTER_ABORT},
    {"read, target abort", 0, ONLY(TARGET_ABORT, 0), TARGET_ABORT},
    {"immediate read, target abort later", 0, {RANGE(TARGET_ABORT, 5), RANGE(IMMEDIATE, 0)}, TARGET_ABORT},
    {"immediate read, target abort in the last word", 0, {RANGE(TARGET_ABORT, 49), RANGE(IMMEDIATE, 0)}, TARGET_ABORT},
    {"error message", 0, ONLY(SPLIT_ERROR, 0x100), 0},
    {"error message after a piece", 0, ONLY(SPLIT_ERROR, 0x1100), 0},
    {"parity error message after three pieces", 0, ONLY(SPLIT_ERROR, 0x3201),
     PARITY_DATA}, /* pcix.md 10: class 2 index 01h */
    {"write, nobody", 1, ONLY(NOBODY, 0), MASTER_ABORT},
    {"write, target abort", 1, ONLY(TARGET_ABORT, 0), TARGET_ABORT},
    {"write, target abort in the second word", 1, ONLY(TARGET_ABORT, 1), TARGET_ABORT},
    {"write, target abort later", 1, ONLY(TARGET_ABORT, 13), TARGET_ABORT},
    {"write, target abort in the last word", 1, ONLY(TARGET_ABORT, 49), TARGET_ABORT},
};

/* The fault strikes the piece HIT of node 0. */
static const struct hit *fault;

static unsigned draw(bench *b, unsigned flow, piece *p)
{
    b->next[flow] = (b->next[flow] + 127) & ~(uint64_t)127; /* four pieces of at most 128 bytes each */
    *p = bench_make(b, flow, WORDS);
    for (int i = 0; i < 2 && !flow && b->flow[0].posted == HIT; i++)
        if (fault->range[i].kind >= 0)
            bench_range(b, fault->write, fault->write ? p->destination : p->source, 8 * WORDS, fault->range[i].kind,
                        fault->range[i].value);
    return NX_REMOTE;
}

TEST_CASE("bus_neighbours", .timeout = 60);

SOFTWARE_TEST(a_bus_fault_hits_one_transfer_only, .to = COUNT(hits))
{
    const struct hit *h = &hits[_i];
    fault = h;
    if (!h->write) bench_small_completions(b, false);
    for (unsigned i = 0; i < 2; i++) {
        bench_pci_status(b, (int)i);
        bench_stream(b, i, PIECES, draw, 1);
    }
    bench_join(b);
    for (int i = 0; i < 2; i++) bench_agree(b, i, 4);
    for (int i = 0; i < 2; i++)
        for (unsigned k = 0; k < PIECES; k++)
            if (i || k != HIT) bench_must_arrive(b, &b->flow[i].piece[k]);
    const piece *bad = &b->flow[0].piece[HIT];
    ck_assert(!bench_arrived(b, bad));
    if (!h->write) bench_untouched(b, bad); /* nothing of a transfer in one packet leaves when its read fails */
    for (unsigned i = 0; i < 2; i++) bench_sound(b, i);
    /* a piece that was not read is reported by the notification of the next, one that was not written by its own */
    ck_assert_uint_eq(b->flow[0].good, h->write ? PIECES - 1 : PIECES - 2);
    ck_assert_uint_eq(b->flow[0].flagged, 1);
    ck_assert_uint_eq(b->flow[1].good, PIECES);
    ck_assert_uint_eq(bench_pci_status(b, h->write), h->pci);
    ck_assert_uint_eq(bench_pci_status(b, !h->write), 0);
    if (h->write) {
        bench_expect_nothing(b, 0);
        bench_expect(b, 1, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    } else {
        bench_expect(b, 0, NIC_STATUS_READ_ERROR_MASK, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4, 1}));
        bench_expect(b, 1, NIC_STATUS_SEQUENCE_GAP_MASK,
                     CHANGES({NIC_SEQUENCE_GAPS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
        ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_DEPARTED + 4), PIECES - 1);
    }
    host_clear_ranges(b->n[h->write]->host);
    for (unsigned i = 0; i < 2; i++) bench_take(b, i);
    bench_prove(b);
}

/* A transfer of several packets whose read fails in the middle: no notification of its own, and the next one reports
 * the loss. */
static void a_long_read_fails(bench *b, unsigned pieces)
{
    piece bad = bench_make(b, 0, 512);
    bench_range(b, 0, bad.source, 4096, HOST_RANGE_SPLIT_ERROR, 0x100u | pieces << 12);
    bench_post(b, &bad, NX_REMOTE | NX_LOCAL);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &bad.ticket), NX_ERROR_ABANDONED);
    bench_wait(b, 10 * SIM_US);
    host_clear_ranges(b->n[0]->host);
    ck_assert_int_eq(bench_take(b, 0), 0);
    ck_assert(!bench_arrived(b, &bad));
    bench_expect(b, 0, NIC_STATUS_READ_ERROR_MASK, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4, 1}));
    ck_assert_uint_eq((unsigned)nx_free_slots(b->n[0]->dev, 1), nx_slots(b->n[0]->dev));
    bench_expect_nothing(b, 1);
    bench_reported(b, 0, 10);
}

enum { FAILS = 8 /* one after the other between the same nodes */ };

SOFTWARE_TEST(a_long_read_may_fail_after_any_piece,
              .to = 32 / FAILS) /* pieces of data before the error message: up to 31 of 128 bytes */
{
    bench_small_completions(b, false);
    for (unsigned i = 0; i < FAILS; i++) a_long_read_fails(b, FAILS * (unsigned)_i + i);
    bench_prove(b);
}

/* The notification itself cannot be written: the next one that can be reports it. */
SOFTWARE_TEST(a_notification_that_cannot_be_written_is_reported_by_the_next, .to = 2)
{
    bench_range(b, 1, b->flow[0].word, 8, _i ? HOST_RANGE_TARGET_ABORT : HOST_RANGE_NOBODY, 0);
    piece p = bench_send(b, 0, WORDS, NX_REMOTE);
    bench_wait(b, 20 * SIM_US);
    host_clear_ranges(b->n[1]->host);
    bench_must_arrive(b, &p);
    piece next = bench_send(b, 0, WORDS, NX_REMOTE);
    bench_notified(b, &next, 1);
    bench_must_arrive(b, &next);
    bench_expect(b, 1, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    bench_prove(b);
}

/* The local notification cannot be written: the driver finds out by the registers. */
SOFTWARE_TEST(a_local_notification_may_be_lost)
{
    bench_range(b, 0, bench_get(b, 0, NIC_LOCAL_NOTIFY_LOW) + 8, 8, HOST_RANGE_NOBODY, 0);
    piece p = bench_send(b, 0, WORDS, NX_REMOTE | NX_LOCAL);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &p.ticket), NX_OK);
    bench_notified(b, &p, 0);
    host_clear_ranges(b->n[0]->host);
    bench_expect(b, 0, NIC_STATUS_WRITE_ERROR_MASK, CHANGES({NIC_WRITE_ERRORS, 1}));
    bench_prove(b);
}

/* ---- a read answered in pieces */

SOFTWARE_TEST(a_read_may_be_answered_in_any_pieces, .to = 2)
{
    node *n = b->n[0];
    for (unsigned i = 0; i < 40; i++) {
        host_params p = n->params.host;
        p.cuts = HOST_CUTS;
        for (unsigned k = 0; k < HOST_CUTS; k++) p.cut_adqs[k] = 1 + (unsigned)sim_random_below(b->s, i & 1 ? 3 : 12);
        p.narrow_completions = _i & 1;
        p.count_modified = i & 4;
        p.completion_gap = 2 + (unsigned)sim_random_below(b->s, 8);
        host_set_params(n->host, &p);
        b->next[0] += 8 * sim_random_below(b->s, 16);
        bench_good(b, 0, i & 2 ? 512 : 1 + (unsigned)sim_random_below(b->s, 512));
    }
    bench_expect_nothing(b, ALL);
}
