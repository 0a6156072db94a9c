/* Descriptors as host software can get them wrong: illegal, half written, torn, written twice. Neighbours are never
 * disturbed. */
#include <string.h>

#include "system_space.h"
#include "test.h"

/* Into the queue of node 1. */
static void raw(bench *b, unsigned slot, uint64_t word0, uint64_t word1, unsigned parts)
{
    bench_raw(b, 1, slot, word0, word1, parts);
}

/* Buffers with known contents; data of slot i go to destination + 64 i. */
struct buffers {
    uint64_t source;
    uint32_t destination;
    uint8_t data[64];
};

static struct buffers prepare(bench *b)
{
    struct buffers f = {.source = b->n[0]->platform.alloc(b->n[0], 8192, 4096),
                        .destination = (uint32_t)b->n[1]->platform.alloc(b->n[1], 8192, 4096)};
    for (int i = 0; i < 64; i++) f.data[i] = (uint8_t)(i * 7 + 1);
    memory_write(host_memory(b->n[0]->host), f.source, f.data, 64);
    return f;
}

static int arrived(bench *b, const struct buffers *f, unsigned slot)
{
    uint8_t got[64];
    memory_read(host_memory(b->n[1]->host), f->destination + 64 * slot, got, 64);
    return !memcmp(got, f->data, 64);
}

static const struct {
    unsigned words, source_off, destination_off, flow;
    uint32_t status;
} illegal[] = {
    {0, 0, 0, 1, NIC_STATUS_DESCRIPTOR_LENGTH_MASK},    {513, 0, 0, 1, NIC_STATUS_DESCRIPTOR_LENGTH_MASK},
    {1023, 0, 0, 1, NIC_STATUS_DESCRIPTOR_LENGTH_MASK}, {8, 4, 0, 1, NIC_STATUS_DESCRIPTOR_ADDRESS_MASK},
    {8, 0, 1, 1, NIC_STATUS_DESCRIPTOR_ADDRESS_MASK},   {8, 0, 0, 2, NIC_STATUS_DESCRIPTOR_FLOW_MASK},
    {8, 0, 0, 127, NIC_STATUS_DESCRIPTOR_FLOW_MASK},
};

TEST_CASE("descriptors", .timeout = 120);

SOFTWARE_TEST(an_illegal_descriptor_is_skipped_and_reported, .to = COUNT(illegal))
{
    struct buffers f = prepare(b);
    unsigned bad = (unsigned)_i;
    uint32_t errors = bench_get(b, 0, NIC_DESCRIPTOR_ERRORS);
    raw(b, 0, f.source, bench_word1(f.destination, 8, 1, 0), 0xf);
    raw(b, 1, f.source + illegal[bad].source_off,
        bench_word1(f.destination + 64 + illegal[bad].destination_off, illegal[bad].words, illegal[bad].flow, 0), 0xf);
    raw(b, 2, f.source, bench_word1(f.destination + 128, 8, 1, 1), 0xf);
    bench_wait(b, 20 * SIM_US);
    ck_assert(arrived(b, &f, 0) && !arrived(b, &f, 1) && arrived(b, &f, 2));
    ck_assert_uint_eq(bench_get(b, 0, NIC_DESCRIPTOR_ERRORS), errors + 1);
    ck_assert_uint_eq(bench_status(b, 0), illegal[bad].status);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_DEPARTED + 4), 2);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_SKIPPED + 4), 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_POINTERS + 4), 3u << 24 | 3u << 16);
    ck_assert_uint_eq(bench_status(b, 1), 0);
}

SOFTWARE_TEST(a_half_written_descriptor_waits_for_its_other_half, .from = 1, .to = 15)
{
    struct buffers f = prepare(b);
    /* every order in which two halves can come: the parts in arg first, the rest later */
    raw(b, 0, f.source, bench_word1(f.destination, 8, 1, 1), (unsigned)_i);
    bench_wait(b, 10 * SIM_US);
    ck_assert(!arrived(b, &f, 0));
    /* a whole descriptor behind it waits for it, start flag or not */
    raw(b, 1, f.source, bench_word1(f.destination + 64, 8, 1, 1), 0xf);
    bench_wait(b, 10 * SIM_US);
    ck_assert(!arrived(b, &f, 0) && !arrived(b, &f, 1));
    raw(b, 0, f.source, bench_word1(f.destination, 8, 1, 1), 0xf & ~(unsigned)_i);
    bench_wait(b, 10 * SIM_US);
    ck_assert(arrived(b, &f, 0) && arrived(b, &f, 1));
    ck_assert_uint_eq(bench_status(b, 0), 0);
}

SOFTWARE_TEST(a_write_to_an_unserved_slot_is_rejected_and_counted)
{
    struct buffers f = prepare(b);
    raw(b, 0, f.source, bench_word1(f.destination, 8, 1, 0), 0xf); /* no start flag: it stays */
    uint32_t rejected = bench_get(b, 0, NIC_DESCRIPTOR_OVERWRITES);
    raw(b, 0, f.source + 64, bench_word1(f.destination + 64, 8, 1, 1), 0xf);
    ck_assert_uint_eq(bench_get(b, 0, NIC_DESCRIPTOR_OVERWRITES), rejected + 4);
    ck_assert_uint_eq(bench_status(b, 0), NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK);
    raw(b, 1, f.source, bench_word1(f.destination + 128, 8, 1, 1), 0xf);
    bench_wait(b, 20 * SIM_US);
    ck_assert(arrived(b, &f, 0) && !arrived(b, &f, 1) && arrived(b, &f, 2)); /* the first writing counts */
}

static void torn(pair_params *p, int variation)
{
    (void)variation;
    p->driver.posting = NX_POST_COMBINED;
    p->driver.transfer_bytes = 496;
}

SOFTWARE_TEST_ON(torn, torn_and_disordered_write_combining_releases_no_stale_descriptor, .to = 4)
{
    static const uint8_t orders[][10] = {
        {7, 6, 5, 4, 3, 2, 1, 0},
        {1, 0, 3, 2, 5, 4, 7, 6},
        {0, HOST_FLUSH_BREAK, 1, 2, 3, HOST_FLUSH_BREAK, 4, 5, 6, 7},
        {4, 5, 6, 7, 0, 1, 2, 3},
    };
    static const int lengths[] = {8, 8, 10, 8};
    host_set_flush_order(b->n[0]->host, orders[_i], lengths[_i]);
    for (unsigned i = 0; i < 40; i++)
        ck_assert_int_eq(bench_transfer(b->n[0], b->n[1], 1, 8 * (unsigned)(1 + sim_random_below(b->s, 512))),
                         NX_OK); /* slots wrap around */
    bench_expect_nothing(b, ALL);
}

/* In DIRECT mode all queues lead to one receiver, which sees one source: their packets are numbered together. */
SOFTWARE_TEST(all_queues_of_a_direct_link_share_one_sequence)
{
    struct buffers f = prepare(b);
    for (unsigned i = 0; i < 24; i++) { /* queue i % 8, slot i / 8 */
        uint64_t second = bench_word1(f.destination + 64 * i, 8, i % 8, 1) | (uint64_t)(i == 23) << 62;
        host_write(b->n[0]->host, bench_slot(b, i % 8, i / 8), 8, f.source);
        host_write(b->n[0]->host, bench_slot(b, i % 8, i / 8) + 8, 8, second);
    }
    bench_wait(b, 60 * SIM_US);
    ck_assert_int_eq(bench_take(b, 0), 1);
    for (unsigned i = 0; i < 24; i++) ck_assert(arrived(b, &f, i));
    ck_assert_uint_eq(bench_get(b, 1, NIC_SEQUENCE_GAPS), 0);
    ck_assert_uint_eq(bench_status(b, 0) | bench_status(b, 1), 0);
}
