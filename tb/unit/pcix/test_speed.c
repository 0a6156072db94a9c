/* The clocks a DMA takes at the pins (design.md 6). */
#include "core_host.h"
#include "test.h"

TEST_CASE("dma");

BENCH_TEST(write_of_4_kb_is_one_burst, bench_with_host(4, 1))
{
    host_write_and_wait(b, 0x8000, 512, 0, 0);
    const target_seen *t = host_seen(b, 0);
    uint64_t req = t->first;
    while (!bench_at(b, req - 1)->req) req--;
    ck_assert_uint_eq(t->phases, 512);
    ck_assert_uint_eq(t->last - t->first, 514);
    ck_assert_uint_le(t->last - req, 530);
    /* the pulse is in the cycle after edge last + 4, seen at edge last + 5: PERR# for the last phase is on the bus at
     * last + 3 */
    ck_assert_uint_eq(b->u.wr_done.entry[0].clock, t->last + 5);
    ck_assert_uint_eq(b->u.ev.write_bus, 515);
}

/* 16 clocks of host latency between the request and the address phase of the completion. */
BENCH_TEST(read_of_4_kb_is_one_completion, bench_with_host(4, 1))
{
    host_plan(b, PLAN_SPLIT);
    bench_read(b, 0x8000, 512, 4);
    uint64_t frame = bench_first_low(b, FRAME);
    b->gnt_mode = GNT_NEVER;
    while (b->now < frame + 16) bench_clock(b);
    static uint8_t data[4096];
    host_txn t = host_completion(4, 0, 4096, 1, data);
    host_run(b, &t);
    ck_assert_uint_le(t.start + (unsigned)t.last - frame, 540);
    ck_assert_uint_eq(t.start + (unsigned)t.last - frame, 16 + 5 + 511);
    bench_read_ends(b, 1, 5, 0);
    ck_assert_uint_eq(b->u.rd_done.entry[0].clock, t.start + (unsigned)t.last + 3);
}

/* With the next request waiting, a new sequence has its address phase three clocks after the last data phase of the one
 * before: the earliest that start rule (a) allows. */
TEST(sequences_follow_without_wasted_clocks)
{
    for (unsigned words = 1; words < 20; words++) {
        bench *b = bench_with_host(4, 1);
        for (unsigned i = 0; i < 6; i++) {
            while (b->u.wr_waiting) bench_clock(b);
            bench_write(b, 0x1000 * (i + 1), words, words * i);
        }
        bench_write_ends(b, 6, 500, 0);
        for (unsigned i = 0; i < 6; i++) {
            host_check_memory(b, 0x1000 * (i + 1), words, words * i);
            ck_assert_uint_eq(b->u.wr_done.entry[i].status, 0);
            if (i) ck_assert_uint_eq(host_seen(b, i)->first, host_seen(b, i - 1)->irdy_high + 2);
        }
    }
}
