/* Outgoing half of the DMA engine: descriptors in, packets in H2N out. What is checked all the time stands in dma_bench.h. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dma_bench.h"

static const unsigned lengths[] = {1, 2, 3, 31, 32, 33, 61, 62, 63, 64, 124, 125, 128, 256, 496, 511, 512};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static void post_random(struct dma_bench *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned length = sim_random_below(b->s, 2) ? lengths[sim_random_below(b->s, LENGTHS)] : 1 + (unsigned)sim_random_below(b->s, 512);
        int start = i + 40 >= n || sim_random_below(b->s, 3) == 0;
        dma_bench_post(b, (unsigned)sim_random_below(b->s, QUEUES), length, (unsigned)sim_random_below(b->s, 8), start);
    }
    for (unsigned q = 0; q < QUEUES; q++)
        dma_bench_post(b, q, 1 + q, 0, 1);
}

START_TEST(one_transfer_becomes_one_packet)
{
    struct dma_bench *b = dma_bench_new(0);
    dma_bench_post(b, 3, 3, NOTIFY_LOCAL | NOTIFY_REMOTE, 1);
    dma_bench_finish(b, 1000);
    ck_assert_uint_eq(b->packets, 1);
    ck_assert_uint_eq(b->ev.transfer_read, 1);
    ck_assert_uint_eq(b->local_seen[3], 1);
    dma_bench_free(b);
}
END_TEST

/* Worked by hand from design.md 3: flow 5, three flags, [51], number, length 3, address. */
START_TEST(headers_are_those_of_the_design)
{
    static const uint64_t expected[] = {0x0578000312345678, 0x0578040312345678, 0x0508080112345600, 0x05280c0212345610};
    struct dma_bench *b = dma_bench_new(0);
    dma_bench_post(b, 5, 3, 7, 0)->destination = 0x12345678;
    dma_bench_post(b, 5, 3, 7, 0)->destination = 0x12345678;
    dma_bench_post(b, 5, 1, 0, 0)->destination = 0x12345600;
    dma_bench_post(b, 5, 2, NOTIFY_LOCAL, 1)->destination = 0x12345610;
    dma_bench_finish(b, 3000);
    static const unsigned at[] = {0, 4, 8, 10};
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_msg(b->h2n[at[i]].data == expected[i], "header %u is %016llx, expected %016llx", i,
                      (unsigned long long)b->h2n[at[i]].data, (unsigned long long)expected[i]);
        ck_assert_uint_eq(b->h2n[at[i]].mark, 5);
    }
    dma_bench_free(b);
}
END_TEST

/* 130 words at 62: 62, 62, 6; the flags and [66] stand in the last one only. */
START_TEST(flags_stand_in_the_last_packet_only)
{
    static const uint64_t expected[] = {0x0208003e00000400, 0x0208043e000005f0, 0x02780806000007e0};
    struct dma_bench *b = dma_bench_new(0);
    dma_bench_post(b, 2, 130, 7, 1)->destination = 0x400;
    dma_bench_finish(b, 3000);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_msg(b->h2n[63 * i].data == expected[i], "header %u is %016llx", i, (unsigned long long)b->h2n[63 * i].data);
        ck_assert_uint_eq(b->h2n[63 * i].mark, i == 2 ? 5 : 1);
    }
    dma_bench_free(b);
}
END_TEST

static const unsigned limits[] = {1, 2, 31, 32, 33, 62, 511, 512};
static const unsigned max_reads[] = {64, 128, 256, 512};

/* Every limit with every read size, on a bus at full speed and on a slow one. */
START_TEST(transfers_are_cut_at_the_limit)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i);
    unsigned limit = limits[_i / 4 % 8];
    dma_bench_limit(b, limit);
    b->limits[62] = limit == 62;
    b->limit_count = 1;
    *b->m->cfg_max_read_words = (uint16_t)max_reads[_i % 4];
    if (_i >= 32) {
        b->ack_percent = 20;
        b->read_percent = 60;
        b->read_latency = 60;
        b->drain_percent = 45;
    } else {
        b->read_latency = 1;
    }
    post_random(b, limit < 31 ? 40 : 150);
    dma_bench_finish(b, 600000);
    ck_assert_uint_eq(b->ev.transfer_read, b->transfers);
    dma_bench_free(b);
}
END_TEST

START_TEST(sequence_numbers_wrap)
{
    struct dma_bench *b = dma_bench_new(0);
    for (unsigned i = 0; i < 1100; i++)
        dma_bench_post(b, i % 2 ? 6 : 7, 1, 0, 1);
    dma_bench_finish(b, 100000);
    ck_assert_uint_eq(b->sequence[6], 550);
    dma_bench_free(b);
}
END_TEST

START_TEST(sequence_zero_restores_the_zeros)
{
    struct dma_bench *b = dma_bench_new(0);
    *b->m->cfg_sequence_zero = 1;
    dma_bench_post(b, 1, 200, 0, 1);
    dma_bench_finish(b, 3000);
    ck_assert_uint_eq(b->packets, 4);
    ck_assert_uint_eq(b->h2n[63].data >> 42 & 511, 0);
    dma_bench_free(b);
}
END_TEST

/* Each kind of illegal descriptor between two good ones, on its own queue and with others under way. */
START_TEST(illegal_descriptors_are_skipped)
{
    struct dma_bench *b = dma_bench_new(0);
    for (unsigned round = 0; round < 20; round++)
        for (unsigned q = 0; q < QUEUES; q++) {
            dma_bench_post(b, q, 5, NOTIFY_LOCAL, 0);
            struct descriptor *d = dma_bench_post(b, q, 7, 7, 0);
            switch (q) {
            case 0: d->length = 0; break;
            case 1: d->length = 513; break;
            case 2: d->length = 1023; break;
            case 3: d->source |= 1u << round % 3; break;
            case 4: d->destination |= 1u << round % 3; break;
            case 5: d->flow = 4; break;
            case 6: d->flow = 6 + 8 * (1 + round % 15); break;
            default: break;
            }
            dma_bench_post(b, q, 9, 0, round % 4 != 0 || round == 19);
        }
    dma_bench_finish(b, 60000);
    ck_assert_uint_eq(b->ev.bad_length, 60);
    ck_assert_uint_eq(b->ev.bad_address, 40);
    ck_assert_uint_eq(b->ev.bad_flow, 40);
    ck_assert_uint_eq(b->transfers, 20 * (24 - 7));
    dma_bench_free(b);
}
END_TEST

/* ---- read errors ---- */

static void fail_at(struct dma_bench *b, const struct descriptor *d, unsigned words, unsigned *deliver, unsigned *status)
{
    const unsigned *plan = b->user;   /* words of the transfer that come, status */
    if (d->flow != 2 || d->asked < plan[0] || (d->asked == plan[0] && plan[0] < d->length))
        return;
    *deliver = words - (d->asked - plan[0]);
    *status = plan[1];
}

/* A transfer of 130 words whose read fails after 0..130 of them, read in pieces of 64, with every status; others before and after. */
START_TEST(failed_read_rolls_back)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i);
    unsigned plan[2] = {0, 1 + (unsigned)_i};
    *b->m->cfg_max_read_words = 64;
    b->user = plan;
    b->read_plan = fail_at;
    for (plan[0] = 0; plan[0] <= 130; plan[0] += plan[0] % 62 < 3 || plan[0] % 62 > 59 || plan[0] > 125 ? 1 : 9) {
        unsigned failed = b->ev.read_failed, transfers = b->transfers;
        dma_bench_post(b, 1, 20, 2, 1);
        dma_bench_post(b, 2, 130, 7, 1);
        dma_bench_post(b, 3, 20, 2, 1);
        dma_bench_finish(b, 5000);
        ck_assert_uint_eq(b->ev.read_failed, failed + 1);
        ck_assert_uint_eq(b->transfers, transfers + 2);
    }
    dma_bench_free(b);
}
END_TEST
static void fail_sometimes(struct dma_bench *b, const struct descriptor *d, unsigned words, unsigned *deliver, unsigned *status)
{
    (void)d;
    if (sim_random_below(b->s, 5))
        return;
    *status = 1 + (unsigned)sim_random_below(b->s, 4);
    *deliver = *status == 3 ? words : (unsigned)sim_random_below(b->s, words + 1);
}

START_TEST(random_read_errors)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i);
    dma_bench_limit(b, limits[_i]);
    b->limits[62] = limits[_i] == 62;
    b->limit_count = 1;
    *b->m->cfg_max_read_words = 128;
    b->read_plan = fail_sometimes;
    b->read_latency = _i % 2 ? 1 : 40;
    b->read_percent = _i % 2 ? 100 : 70;
    post_random(b, limits[_i] < 31 ? 60 : 300);
    dma_bench_finish(b, 900000);
    ck_assert_uint_gt(b->ev.read_failed, 10);
    dma_bench_free(b);
}
END_TEST

/* ---- room ---- */

/* The link takes words so slowly that H2N is full nearly all the time, or not at all for a while. */
START_TEST(fifo_never_overflows)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i);
    unsigned limit = limits[_i % 8];
    dma_bench_limit(b, limit);
    b->limits[62] = limit == 62;
    b->limit_count = 1;
    *b->m->cfg_max_read_words = (uint16_t)max_reads[_i / 8];
    b->read_latency = 1;
    b->drain_percent = 0;
    if (limit < 31)
        for (unsigned i = 0; i < 40; i++)
            dma_bench_post(b, i % QUEUES, 100 + i, 0, 1);
    else
        post_random(b, 120);
    dma_bench_run(b, 6000);
    ck_assert_uint_gt(b->max_in_h2n, _i / 8 == 3 ? 400 : 700);
    for (unsigned i = 0; i < 30; i++) {
        b->drain_percent = 1 + (unsigned)sim_random_below(b->s, 60);
        dma_bench_run(b, 1000);
    }
    b->drain_percent = 100;
    dma_bench_finish(b, 400000);
    dma_bench_free(b);
}
END_TEST

/* At most 256 transfers wait for their departure. */
START_TEST(transfers_in_flight_are_bounded)
{
    struct dma_bench *b = dma_bench_new(0);
    b->drain_percent = 0;
    for (unsigned i = 0; i < 600; i++)
        dma_bench_post(b, i % QUEUES, 1, i % 3 ? NOTIFY_LOCAL : 0, 1);
    dma_bench_run(b, 20000);
    ck_assert_uint_gt(b->transfers_in, 240);
    ck_assert_uint_le(b->transfers_in, 256);
    b->drain_percent = 50;
    dma_bench_finish(b, 60000);
    ck_assert_uint_eq(b->transfers, 600);
    dma_bench_free(b);
}
END_TEST

/* Changing the payload limit while transfers are under way disturbs none: each keeps the one it began with. */
START_TEST(limit_changes_between_transfers)
{
    struct dma_bench *b = dma_bench_new(0);
    *b->m->cfg_max_read_words = 512;
    b->read_latency = 1;
    for (unsigned i = 0; i < 200; i++)
        dma_bench_post(b, (unsigned)sim_random_below(b->s, QUEUES), 300 + (unsigned)sim_random_below(b->s, 213), 0, 1);
    for (unsigned i = 0; i < 400; i++) {
        dma_bench_limit(b, limits[sim_random_below(b->s, 8)]);
        dma_bench_run(b, 1 + sim_random_below(b->s, 300));
    }
    dma_bench_limit(b, 62);
    dma_bench_finish(b, 200000);
    dma_bench_free(b);
}
END_TEST

/* Bus mastering or the initiator off: no request, nothing lost; on again: all goes on. */
START_TEST(nothing_is_asked_while_off)
{
    struct dma_bench *b = dma_bench_new((uint64_t)_i);
    uint8_t *bit = _i ? b->m->cfg_bus_master : b->m->cfg_initiator_enable;
    post_random(b, 200);
    for (unsigned i = 0; i < 60; i++) {
        dma_bench_run(b, 1 + sim_random_below(b->s, 400));
        /* an acknowledge is never given while the switch moves, as in the bus interface */
        unsigned ack = b->ack_percent;
        b->ack_percent = 0;
        dma_bench_run(b, 1);
        *bit = 0;
        dma_bench_run(b, 2);
        b->ack_percent = ack;
        for (unsigned k = 0; k < 50; k++) {
            dma_bench_run(b, 1);
            ck_assert_uint_eq(*b->m->rd_req | *b->m->wr_req, 0);
        }
        *bit = 1;
    }
    dma_bench_finish(b, 200000);
    dma_bench_free(b);
}
END_TEST

/* ---- the checks can fail ---- */

/* The bench is told something else than the engine: each check must notice. */
START_TEST(checker_sees_wrong_packets)
{
    struct dma_bench *b = dma_bench_new(0);
    b->no_fail = 1;
    dma_bench_post(b, 1, 100, 7, 1);
    dma_bench_run(b, 20);
    ck_assert_uint_eq(b->mistakes, 0);
    struct descriptor *d = &b->posted[1][0];
    switch (_i) {
    case 0: d->flags = 3; break;
    case 1: d->destination ^= 8; break;
    case 2: d->length = 101; break;
    case 3: b->sequence[1] = 1; break;
    case 4: d->source ^= 8; break;
    case 5: d->bad = 1; break;
    default: d->whole = 1; break;
    }
    dma_bench_run(b, 400);
    ck_assert_uint_gt(b->mistakes, 0);
    dma_bench_free(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outgoing");
    TCase *t = tcase_create("outgoing");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, one_transfer_becomes_one_packet);
    tcase_add_test(t, headers_are_those_of_the_design);
    tcase_add_test(t, flags_stand_in_the_last_packet_only);
    tcase_add_loop_test(t, transfers_are_cut_at_the_limit, 0, 64);
    tcase_add_test(t, sequence_numbers_wrap);
    tcase_add_test(t, sequence_zero_restores_the_zeros);
    tcase_add_test(t, illegal_descriptors_are_skipped);
    tcase_add_loop_test(t, failed_read_rolls_back, 0, 4);
    tcase_add_loop_test(t, random_read_errors, 0, 8);
    tcase_add_loop_test(t, fifo_never_overflows, 0, 32);
    tcase_add_test(t, transfers_in_flight_are_bounded);
    tcase_add_test(t, limit_changes_between_transfers);
    tcase_add_loop_test(t, nothing_is_asked_while_off, 0, 2);
    tcase_add_loop_test(t, checker_sees_wrong_packets, 0, 7);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
