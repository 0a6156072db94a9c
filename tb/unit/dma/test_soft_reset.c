/* Software reset of the DMA engine at any time: it ends, everything goes on afterwards, every descriptor is accounted
 * for exactly once, and no notification of lost data is without the loss indication. */
#include "dma_bench.h"

#define SOURCES 5
#define PER_SOURCE 400u

struct packet {
    uint32_t address;
    unsigned words;
    int written;
};

struct load {
    struct dma_bench *b;
    struct packet sent[SOURCES][PER_SOURCE];
    unsigned count[SOURCES];
};

static struct load *load_new(uint64_t seed)
{
    struct load *l = test_memory(sizeof *l);
    l->b = dma_bench_new(seed, seed % 4 < 2 ? 1 : seed % 4 == 2 ? 4 : 2);
    l->b->expect_resets = 1;
    l->b->n2h_rate = 0.5;
    l->b->drain_percent = 45;
    l->b->read_latency = 30;
    return l;
}

/* Traffic in both directions. Addresses of packets are unique: source in [31:28]. */
static void more(struct load *l, unsigned transfers, unsigned packets)
{
    struct dma_bench *b = l->b;
    for (unsigned i = 0; i < transfers; i++)
        dma_bench_post(b, dma_bench_below(b, QUEUES), 1 + dma_bench_below(b, dma_bench_below(b, 2) ? 512 : 8),
                       dma_bench_below(b, 8), 1);
    for (unsigned i = 0; i < packets; i++) {
        unsigned s = dma_bench_below(b, SOURCES), n = l->count[s];
        if (n == PER_SOURCE) continue;
        struct packet *p = &l->sent[s][l->count[s]++];
        p->words = 1 + dma_bench_below(b, dma_bench_below(b, 2) ? 200 : 5);
        p->address = s << 28 | n << 13;
        dma_bench_packet(b, dma_bench_header(s, n, p->words, dma_bench_below(b, 8), p->address), 0, 0);
    }
}

/* It ends within 6000 clocks. */
static void reset_now(struct load *l)
{
    struct dma_bench *b = l->b;
    unsigned resets = b->ev.resets;
    uint64_t begin = b->clocks;
    *b->m->soft_reset = 1;
    while (b->ev.resets == resets && b->clocks < begin + 6000) dma_bench_run(b, 20);
    ck_assert_msg(b->ev.resets == resets + 1, "seed %llu: no end of the reset, states %08x",
                  (unsigned long long)sim_seed(b->s), *b->m->fsm_states);
}

/* Payloads whole and right; a clean notification only if all since the source's last notification have been written. */
static void check_incoming(struct load *l)
{
    struct dma_bench *b = l->b;
    unsigned last[SOURCES] = {0};
    for (unsigned i = 0; i < b->write_count; i++) {
        const struct dma_write *w = &b->writes[i];
        if (w->address >= LOCAL_NOTIFY && w->address < LOCAL_NOTIFY + 8 * QUEUES) continue;
        int notification = w->address >= REMOTE_NOTIFY && w->address < REMOTE_NOTIFY + 8 * 128;
        uint64_t address = notification ? w->data[0] & 0xffffffff : w->address;
        unsigned s = (unsigned)(address >> 28), n = (unsigned)(address >> 13) & 0x7fff;
        ck_assert_uint_lt(s, SOURCES);
        ck_assert_uint_lt(n, l->count[s]);
        struct packet *p = &l->sent[s][n];
        if (!notification) {
            ck_assert_uint_eq(w->words, p->words);
            for (unsigned k = 0; k < w->words; k++)
                ck_assert_msg(w->data[k] == dma_bench_word(address + 8 * k), "write %u word %u", i, k);
            p->written = 1;
            continue;
        }
        int lost = 0;
        for (unsigned k = last[s]; k <= n; k++) lost |= !l->sent[s][k].written;
        ck_assert_msg(!lost || w->data[0] >> 63, "seed %llu: source %u packet %u: a clean notification for lost data",
                      (unsigned long long)sim_seed(b->s), s, n);
        last[s] = n + 1;
    }
}

/* Afterwards all transfers go on, and no received data are wrong. */
static void goes_on(struct load *l)
{
    more(l, 40, 40);
    dma_bench_finish(l->b, 200000);
    check_incoming(l);
}

TEST_CASE("soft_reset", .timeout = 120);

TEST(reset_at_random_times, .to = 16)
{
    struct load *l = load_new((uint64_t)_i);
    struct dma_bench *b = l->b;
    if (_i % 2) b->fail_one_in = 8;
    if (_i % 3 == 0) b->ack_percent = 5;
    if (_i % 5 == 0) dma_bench_limit(b, 512);
    for (unsigned i = 0; i < 40; i++) {
        more(l, 12, 12);
        dma_bench_run(b, 1 + dma_bench_below(b, 1500));
        reset_now(l);
        dma_bench_run(b, dma_bench_below(b, 3) ? 1 + dma_bench_below(b, 30) : 1);
    }
    goes_on(l);
    ck_assert_uint_gt(b->transfers, 100);
}

/* The bus is taken away (bus mastering off) while anything is under way: the reset ends all the same. Acknowledged
 * sequences end when the bus is back. */
TEST(reset_ends_without_the_bus, .to = 12)
{
    struct load *l = load_new(50 + (uint64_t)_i);
    struct dma_bench *b = l->b;
    for (unsigned i = 0; i < 30; i++) {
        more(l, 10, 10);
        dma_bench_run(b, 1 + dma_bench_below(b, 1500));
        b->ack_percent = 0;
        dma_bench_run(b, 1);
        *b->m->cfg_bus_master =
            (uint8_t)(_i % 2); /* odd: the bus interface never answers requests that it has not taken */
        b->bus_off = 1;
        if (_i % 2 == 1 && (b->reading_count || b->writing)) {
            b->bus_off = 0;
            dma_bench_run(b, 700);
        }
        dma_bench_run(b, dma_bench_below(b, 100) + 1);
        reset_now(l);
        dma_bench_run(b, dma_bench_below(b, 100) + 1);
        if (dma_bench_below(b, 2)) reset_now(l);
        *b->m->cfg_bus_master = 1;
        b->bus_off = 0;
        dma_bench_run(b, 1);
        b->ack_percent = 100;
    }
    goes_on(l);
}

/* A bus that does nothing more, though bus mastering is on: 0 no completion comes, 1 nothing moves at all, 2 both after
 * a while. The reset ends within 6000 clocks, a second one too, and afterwards everything goes on. */
TEST(reset_ends_whatever_the_bus_does, .to = 12)
{
    struct load *l = load_new(90 + (uint64_t)_i);
    struct dma_bench *b = l->b;
    for (unsigned i = 0; i < 12; i++) {
        more(l, 10, 10);
        dma_bench_run(b, 1 + dma_bench_below(b, 1500));
        b->completions_off = _i % 3 != 1;
        b->bus_off = _i % 3 == 1;
        if (_i % 3 == 2) dma_bench_run(b, dma_bench_below(b, 6000));
        b->bus_off |= _i % 3 == 2;
        reset_now(l);
        dma_bench_run(b, dma_bench_below(b, 300) + 1);
        if (dma_bench_below(b, 2)) reset_now(l);
        b->bus_off = b->completions_off = 0;
    }
    goes_on(l);
}

/* Output queues full and the link stopped: waiting transfers are dropped and counted as skipped. */
TEST(reset_empties_the_output_queues, .to = 2)
{
    struct load *l = load_new(2 * (uint64_t)_i);
    struct dma_bench *b = l->b;
    unsigned before = 0;
    b->drain_percent = 0;
    more(l, 100, 0);
    dma_bench_run(b, 8000);
    for (unsigned q = 0; q < QUEUES; q++) before += dma_bench_in_voq(b, q);
    ck_assert_uint_gt(before, 3000);
    *b->m->cfg_initiator_enable = 0;
    reset_now(l);
    for (unsigned q = 0; q < QUEUES; q++) {
        ck_assert_uint_eq(dma_bench_in_voq(b, q), 0);
        ck_assert_uint_eq(dma_bench_skipped(b, q), b->heads[q]);
    }
    *b->m->cfg_initiator_enable = 1;
    b->drain_percent = 50;
    more(l, 20, 0);
    dma_bench_finish(b, 100000);
    ck_assert_uint_ge(b->transfers_moved, 20);
}

/* Hundreds of transfers wait in the output queues, and a context waits for each queue: all are abandoned, each counted
 * once. */
TEST(reset_with_many_transfers_waiting, .to = 2)
{
    struct load *l = load_new(2 * (uint64_t)_i);
    struct dma_bench *b = l->b;
    b->drain_percent = 0;
    b->voq_words = 4096;
    for (unsigned i = 0; i < 2000; i++) dma_bench_post(b, i % 4 ? 2 : i / 4 % QUEUES, i % 7 ? 1 : 300, 0, 1);
    dma_bench_run(b, 60000);
    ck_assert_uint_ge(b->transfers, 400);
    reset_now(l);
    b->drain_percent = 90;
    dma_bench_finish(b, 200000);
}

/* Transfers moved to the link before the reset depart after it, and are counted and notified then. */
TEST(moved_transfers_depart_after_the_reset, .to = 2)
{
    struct load *l = load_new(2 * (uint64_t)_i);
    struct dma_bench *b = l->b;
    dma_bench_post(b, 3, 4, NOTIFY_LOCAL, 1);
    while (!b->departing_count) dma_bench_run(b, 1);
    b->departing[0] += 200;
    reset_now(l);
    ck_assert_uint_eq(dma_bench_skipped(b, 3), 0);
    ck_assert_uint_eq(dma_bench_departed(b, 3), b->departing_count ? 0 : 1);
    dma_bench_finish(b, 5000);
    ck_assert_uint_eq(dma_bench_departed(b, 3), 1);
    ck_assert_uint_eq(b->local_seen[3], 1);
}

/* A reset in every clock around the beginning, the end and the failure of a read of several pieces. */
TEST(reset_in_every_clock, .to = 8)
{
    struct load *l = load_new((uint64_t)_i);
    struct dma_bench *b = l->b;
    if (_i % 2) b->fail_one_in = 8;
    b->drain_percent = 100;
    *b->m->cfg_max_read_words = 64;
    *b->m->cfg_benchmark = _i / 4 == 1;
    for (unsigned clock = 0; clock < 160; clock++) {
        dma_bench_post(b, clock % QUEUES, 1 + clock % 140, 2, 1);
        dma_bench_post(b, clock % QUEUES, clock % 3 ? 64 + clock % 70 : 0, 2, 1);
        dma_bench_post(b, (clock + 3) % QUEUES, 63, 2, 1);
        dma_bench_run(b, 1 + clock);
        reset_now(l);
    }
    dma_bench_finish(b, 10000);
}

/* Dropped packets give their source a loss indication even if exactly 512 are lost, which no sequence number shows. */
TEST(lost_packets_are_marked_whatever_their_number)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->expect_resets = 1;
    b->n2h_rate = 1;
    *b->m->cfg_initiator_enable = 0;
    for (unsigned i = 0; i < 512; i++) dma_bench_packet(b, dma_bench_header(3, i, 1, NOTIFY_REMOTE, 8 * i), 0, 0);
    *b->m->soft_reset = 1;
    dma_bench_run(b, 4000);
    ck_assert_uint_eq(b->n2h_popped, 1024);
    *b->m->cfg_initiator_enable = 1;
    dma_bench_packet(b, dma_bench_header(3, 512, 1, NOTIFY_REMOTE, 0x8000), 0, 0);
    dma_bench_packet(b, dma_bench_header(3, 513, 1, NOTIFY_REMOTE, 0x8008), 0, 0);
    dma_bench_finish(b, 1000);
    ck_assert_uint_eq(b->write_count, 4);
    ck_assert_uint_eq(b->writes[1].data[0] >> 63, 1);
    ck_assert_uint_eq(b->writes[3].data[0] >> 63, 0);
}

/* A header that says that many packets were lost on the link ([63]) is dropped: all sources are marked nevertheless. */
TEST(what_the_link_lost_is_reported_through_a_reset)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->expect_resets = 1;
    *b->m->cfg_initiator_enable = 0;
    dma_bench_packet(b, dma_bench_header(3, 0, 1, 0, 0), 0, 0);
    dma_bench_packet(b, dma_bench_header(3, 1, 1, 0, 8) | 1ull << 63, 0, 0);
    *b->m->soft_reset = 1;
    dma_bench_run(b, 1000);
    *b->m->cfg_initiator_enable = 1;
    dma_bench_packet(b, dma_bench_header(127, 0, 1, NOTIFY_REMOTE, 0x8000), 0, 0);
    dma_bench_packet(b, dma_bench_header(127, 1, 1, NOTIFY_REMOTE, 0x8008), 0, 0);
    dma_bench_packet(b, dma_bench_header(0, 0, 1, NOTIFY_REMOTE, 0x8010), 0, 0);
    dma_bench_finish(b, 1000);
    ck_assert_uint_eq(b->write_count, 6);
    ck_assert_uint_eq(b->writes[1].data[0] >> 63, 1);
    ck_assert_uint_eq(b->writes[3].data[0] >> 63, 0);
    ck_assert_uint_eq(b->writes[5].data[0] >> 63, 1);
}

/* Packets that come as fast as they are dropped do not keep the reset from its end. */
TEST(reset_ends_under_a_flood)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->expect_resets = 1;
    b->n2h_rate = 1.5;
    for (unsigned i = 0; i < 40; i++) dma_bench_packet(b, dma_bench_header(3, i, 500, NOTIFY_REMOTE, 0x1000), 0, 0);
    dma_bench_run(b, 900);
    *b->m->soft_reset = 1;
    dma_bench_run(b, 3000);
    ck_assert_uint_eq(b->ev.resets, 1);
    ck_assert_uint_lt(b->n2h_popped, b->n2h_queued);
    dma_bench_finish(b, 60000);
}
