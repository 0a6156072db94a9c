/* The requester of the RoCE chip, rule by rule: each test plays TX, the peer and memory by hand (requester_bench.h).
 * Rules: IBA 9.5 to 9.7 on the wire, S5 tables 2-1 to 2-4 in memory and registers, rtl/roce/README.md where both are
 * silent. */
#include "requester_rules.h"

TEST_CASE("requester", .timeout = 60);

/* A message of each kind by its packets. */
TEST(messages_are_cut_by_the_path_mtu, .to = KINDS)
{
    static const uint32_t lengths[] = {1, 16, 17, 255, 256, 257, 512, 513, 4096, 5000};
    rq_bench *b = bench_of(_i);
    for (unsigned n = 0; n < 5; n++) {
        unsigned qp = 1 + n, code = n < 4 ? n : 4 + (unsigned)_i % 4; /* 5 to 7 are reserved: also 4096 bytes */
        rq_open(b, qp, QP_ENTRIES, code, start_of(_i), 32);
        unsigned count = 0;
        for (int i = 0; i < COUNT(lengths); i++)
            for (unsigned kind = 0; kind <= 4; kind += 2) {
                rq_post_simple(b, qp, kind, lengths[i]);
                rq_ring(b, qp);
                rq_work *w = &b->qp[qp].work[count];
                uint32_t packets = kind == RQ_READ ? 1 : w->packets;
                for (uint32_t n = 0; n < packets; n++)
                    ck_assert_uint_eq(rq_next(b, 200)->psn, (w->first + n) & 0xffffff);
                if (kind != RQ_READ) rq_ack(b, qp, w->first + w->packets - 1);
                for (uint32_t n = 0; kind == RQ_READ && n < w->packets; n++) {
                    unsigned last = n + 1 == w->packets, opcode = opcode_in(READ_FIRST, !n, (int)last);
                    rq_answer *a = rq_respond(b, qp, opcode, w->first + n, ACK_GOOD,
                                              last ? w->length - n * b->qp[qp].mtu : b->qp[qp].mtu);
                    ck_assert(a->write && !a->drop && !a->error && !a->fatal);
                }
                rq_completed(b, qp, ++count, 300);
            }
    }
    rq_end(b);
}

static unsigned retries_of(rq_bench *b) { return rq_read(b, QP, STATQP) >> 24 & 7; }

TEST(one_ack_is_for_all_before_it, .to = KINDS)
{
    rq_bench *b = WITH(_i, WRITE_OF(600), SEND_OF(10), WRITE_OF(256), SEND_OF(300));
    packets_are(b, _i, 0, 7);
    rq_ack(b, QP, start_of(_i) + 1); /* in mid-message */
    rq_silence(b, 100);
    ck_assert_uint_eq(b->qp[QP].completed, 0);
    rq_ack(b, QP, start_of(_i) + 4);
    rq_completed(b, QP, 3, 300);
    rq_ack(b, QP, start_of(_i) + 6);
    rq_completed(b, QP, 4, 300);
    rq_end(b);
}

TEST(acks_outside_of_the_window_are_ignored, .to = KINDS)
{
    rq_bench *b = WITH(_i, WRITE_OF(600), SEND_OF(10));
    uint32_t s = start_of(_i);
    packets_are(b, _i, 0, 4);
    const uint32_t outside[] = {s - 1, s + 4, s + 0x7fffff, s + 0x800000, s + 0xf00000};
    for (int i = 0; i < COUNT(outside); i++) {
        static const unsigned syndromes[] = {ACK_GOOD, RNR_NAK | 1, NAK_SEQUENCE, NAK_ACCESS};
        for (int k = 0; k < COUNT(syndromes); k++) {
            const rq_answer *a = rq_respond(b, QP, ACKNOWLEDGE, outside[i], syndromes[k], 0);
            ck_assert(a->drop && !a->fatal && !a->error);
        }
        ck_assert(rq_respond(b, QP, READ_ONLY, outside[i], ACK_GOOD, 10)->drop);
    }
    ck_assert_uint_eq(rq_read(b, QP, STATRESPSN), s);
    ck_assert_uint_eq(b->qp[QP].completed, 0);
    rq_silence(b, 300);
    rq_ack(b, QP, s + 3);
    rq_completed(b, QP, 2, 300);
    rq_end(b);
}

TEST(a_nak_sequence_goes_back_to_its_psn, .to = KINDS)
{
    rq_bench *b = WITH(_i, WRITE_OF(600), SEND_OF(700), WRITE_OF(1));
    uint32_t s = start_of(_i);
    packets_are(b, _i, 0, 7);
    b->qp[QP].work[0].executed = 3;
    b->sent_delay = 1000;
    rq_respond(b, QP, ACKNOWLEDGE, s + 4, NAK_SEQUENCE, 0); /* second packet of the SEND */
    packets_are(b, _i, 4, 3);
    rq_completed(b, QP, 1, 300);
    ck_assert_uint_eq(b->retries, 3);
    ck_assert_uint_eq(retries_of(b), 1);
    rq_respond(b, QP, ACKNOWLEDGE, s + 4, NAK_SEQUENCE, 0); /* the same again: doubled on the way */
    rq_silence(b, 300);
    ck_assert_uint_eq(retries_of(b), 1);
    rq_ack(b, QP, s + 6);
    rq_completed(b, QP, 3, 1000);
    ck_assert_uint_eq(retries_of(b), 0);
    ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 11 & 1, 1);
    rq_end(b);
}

/* The ACK is of the next packet that would be sent again, or of one in the next message. */
TEST(an_ack_of_the_first_pass_ends_the_second, .to = 2 * KINDS)
{
    int kind = _i % KINDS;
    unsigned acked = _i / KINDS ? 4 : 1;
    rq_bench *b = bench_of(kind);
    rq_open(b, QP, QP_ENTRIES, 0, start_of(kind), 32);
    for (int i = 0; i < 3; i++) rq_post_simple(b, QP, RQ_WRITE, 600);
    rq_ring(b, QP);
    for (int i = 0; i < 9; i++) rq_next(b, 200);
    rq_run(b, 50);
    b->cmd_ready = 0; /* TX is busy: of the repetition only one packet gets out to it */
    rq_respond(b, QP, ACKNOWLEDGE, start_of(kind), NAK_SEQUENCE, 0);
    rq_run(b, 50);
    rq_ack(b, QP, start_of(kind) + acked); /* and now the answer to the earlier packets */
    b->cmd_ready = 100;
    ck_assert_uint_eq(rq_next(b, 50)->psn, start_of(kind));
    packets_are(b, kind, acked + 1, 8 - acked);
    rq_ack(b, QP, start_of(kind) + 8);
    rq_completed(b, QP, 3, 300);
    rq_end(b);
}

/* Waits of IBA table 45 [10 us]. */
static const uint32_t rnr_waits[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                       48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                       2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

/* Waits above 10 ms from one start and with one width, another one with the next seed; in the long form from all. */
TEST(an_rnr_nak_waits_as_long_as_it_says, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    unsigned turn = (unsigned)sim_seed(b->s) - (unsigned)_i, done = 0; /* bench_of has added it */
    rq_open(b, QP, QP_ENTRIES | QP_CQ_IRQ, 0, start_of(_i), 128);
    rq_timeouts(b, QP, 0, 3, 3);
    for (unsigned code = 0; code < 32; code++) {
        if (rnr_waits[code] > 1000 && !long_form() && (turn + code) % KINDS != (unsigned)_i) continue;
        uint32_t s = start_of(_i) + 2 * done;                           /* two WQEs are four packets */
        unsigned tick = b->tick_clocks = rnr_waits[code] > 100 ? 1 : 4; /* [clocks] for 4.096 us */
        rq_post_simple(b, QP, RQ_SEND, 600);
        rq_post_simple(b, QP, RQ_SEND, 20);
        rq_ring(b, QP);
        for (int i = 0; i < 4; i++) rq_next(b, 300);
        rq_silence(b, 200);
        uint64_t asked = rq_respond(b, QP, ACKNOWLEDGE, s, RNR_NAK | code, 0)->clock;
        rq_respond(b, QP, ACKNOWLEDGE, s, NAK_SEQUENCE, 0); /* later packets find a gap: nothing new */
        rq_respond(b, QP, ACKNOWLEDGE, s, RNR_NAK | code, 0);
        uint64_t least = (rnr_waits[code] * 10000ull + 4095) / 4096 * tick; /* [clocks] */
        uint64_t waited = rq_next(b, (unsigned)least + 100)->clock - asked;
        ck_assert_uint_ge(waited, least);
        ck_assert_uint_le(waited, least + 2 * tick + 40);
        ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 28 & 7, 1);
        for (int i = 0; i < 3; i++) rq_next(b, 100);
        rq_ack(b, QP, s + 3);
        rq_completed(b, QP, done += 2, 300);
        ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 28 & 7, 0);
    }
    ck_assert_uint_ge(done, 2 * 20);
    rq_end(b);
}

/* Work that is posted while the QP waits after an RNR NAK waits with it. */
TEST(what_is_posted_waits_after_an_rnr_nak, .to = KINDS)
{
    enum { CODE = 14, TICK = 4, TICKS = 313 /* 1.28 ms */ };
    rq_bench *b = WITH(_i, SEND_OF(600));
    b->tick_clocks = TICK;
    packets_are(b, _i, 0, 3);
    uint64_t asked = rq_respond(b, QP, ACKNOWLEDGE, start_of(_i), RNR_NAK | CODE, 0)->clock;
    rq_post_simple(b, QP, RQ_WRITE, 300);
    rq_ring(b, QP);
    ck_assert_uint_ge(rq_next(b, TICK * TICKS + 100)->clock - asked, TICK * TICKS);
    packets_are(b, _i, 1, 4);
    rq_ack(b, QP, start_of(_i) + 4);
    rq_completed(b, QP, 2, 300);
    rq_end(b);
}

TEST(rnr_naks_run_out_or_never_do, .to = 8 * KINDS)
{
    int kind = _i % KINDS, limit = _i / KINDS;
    rq_bench *b = WITH(kind, SEND_OF(20));
    b->tick_clocks = 4;
    rq_timeouts(b, QP, 0, 1, (unsigned)limit);
    packets_are(b, kind, 0, 1);
    int most = limit == 7 ? 20 : limit;
    for (int i = 0; i < most; i++) {
        ck_assert(!rq_respond(b, QP, ACKNOWLEDGE, start_of(kind), RNR_NAK | 1, 0)->fatal);
        rq_next(b, 200);
    }
    const rq_answer *a = rq_respond(b, QP, ACKNOWLEDGE, start_of(kind), RNR_NAK | 1, 0);
    if (limit == 7) {
        ck_assert(!a->fatal);
        rq_next(b, 200);
        rq_ack(b, QP, start_of(kind));
    } else {
        b->qp[QP].error_from = 0;
        is_fatal(b, QP, 13, a);
    }
    rq_completed(b, QP, 1, 300);
    rq_end(b);
}

/* Invalid request, remote access, remote operational error: S5 table 2-4, and its example in "Debugging". */
TEST(other_naks_are_fatal, .to = 3 * KINDS)
{
    int kind = _i / 3;
    rq_bench *b = WITH(kind, WRITE_OF(10), WRITE_OF(600), READ_OF(600), SEND_OF(1));
    for (int i = 0; i < 6; i++) rq_next(b, 1);
    rq_silence(b, 100);
    b->qp[QP].work[0].executed = 1;
    b->qp[QP].error_from = 1;
    is_fatal(b, QP, 10, rq_respond(b, QP, ACKNOWLEDGE, start_of(kind) + 2, NAK_INVALID + (unsigned)_i % 3, 0));
    rq_completed(b, QP, 4, 500);
    uint32_t status = rq_read(b, QP, STATQP);
    ck_assert_uint_eq(status & 0x7f0001, (NAK_INVALID + (unsigned)_i % 3) << 16 | 1);
    ck_assert_uint_eq(status >> 9 & 3, 3);
    for (int i = 0; i < 25; i++)
        rq_post_simple(b, QP, RQ_SEND, 1); /* later ones fail as well; more than the cache has */
    rq_ring(b, QP);
    rq_completed(b, QP, 29, 2000);
    ck_assert(rq_respond(b, QP, ACKNOWLEDGE, start_of(kind) + 2, ACK_GOOD, 0)->drop);
    rq_silence(b, 100);
    rq_end(b);
}

TEST(reserved_nak_codes_do_nothing, .to = KINDS)
{
    rq_bench *b = bench_of(_i);
    rq_open(b, QP, QP_ENTRIES | QP_CQ_IRQ, 0, start_of(_i), 32);
    rq_timeouts(b, QP, 0, 3, 3);
    for (unsigned code = 0x40, done = 0; code < 0x100; code++) {
        if ((code & 0xe0) == 0x60 && (code & 0x1f) < 4) continue;
        rq_post_simple(b, QP, RQ_WRITE, 10);
        rq_ring(b, QP);
        rq_next(b, 300);
        const rq_answer *a = rq_respond(b, QP, ACKNOWLEDGE, start_of(_i) + done, code, 0);
        ck_assert(a->error == 1u << 22 && !a->fatal && !a->drop && !a->write);
        rq_silence(b, 100);
        rq_ack(b, QP, start_of(_i) + done);
        rq_completed(b, QP, ++done, 300);
    }
    rq_end(b);
}

TEST(a_read_is_asked_for_again_from_its_first_missing_byte, .to = KINDS)
{
    rq_bench *b = WITH(_i, READ_OF(1100), WRITE_OF(10), READ_OF(20));
    uint32_t s = start_of(_i);
    ck_assert_uint_eq(rq_next(b, 1)->psn, s);
    ck_assert_uint_eq(rq_next(b, 1)->psn, (s + 5) & 0xffffff);
    ck_assert_uint_eq(rq_next(b, 1)->psn, (s + 6) & 0xffffff);
    ck_assert(rq_respond(b, QP, READ_FIRST, s, ACK_GOOD, 256)->write);
    ck_assert(rq_respond(b, QP, READ_MIDDLE, s + 1, 0, 256)->write);
    ck_assert(rq_respond(b, QP, READ_MIDDLE, s + 3, 0, 256)->drop); /* s + 2 is lost */
    const rq_command *c = rq_next(b, 100);
    ck_assert_uint_eq(c->opcode, READ_REQUEST);
    ck_assert_uint_eq(c->psn, (s + 2) & 0xffffff);
    ck_assert_uint_eq(c->dma_length, 1100 - 512);
    packets_are(b, _i, 5, 2);
    /* the rest of the first answers: all beyond the gap, and it has been asked for */
    ck_assert(rq_respond(b, QP, READ_LAST, s + 4, ACK_GOOD, 76)->drop);
    b->qp[QP].work[1].executed = 1;
    ck_assert(!rq_respond(b, QP, ACKNOWLEDGE, s + 5, ACK_GOOD, 0)->fatal);
    ck_assert(rq_respond(b, QP, READ_ONLY, s + 6, ACK_GOOD, 20)->drop);
    rq_silence(b, 100);
    ck_assert_uint_eq(retries_of(b), 1);
    /* the second ones */
    ck_assert(rq_respond(b, QP, READ_FIRST, s + 2, ACK_GOOD, 256)->write);
    ck_assert(rq_respond(b, QP, READ_MIDDLE, s + 3, 0, 256)->write);
    ck_assert(rq_respond(b, QP, READ_LAST, s + 4, ACK_GOOD, 76)->write);
    ck_assert(rq_respond(b, QP, READ_FIRST, s + 2, ACK_GOOD, 256)->drop); /* from the past */
    ck_assert(rq_respond(b, QP, READ_ONLY, s + 6, ACK_GOOD, 20)->write);  /* acknowledges the WRITE */
    rq_completed(b, QP, 3, 300);
    rq_end(b);
}

TEST(an_ack_beyond_an_unanswered_read_means_that_read_again, .to = KINDS)
{
    rq_bench *b = WITH(_i, WRITE_OF(300), READ_OF(600), SEND_OF(9));
    uint32_t s = start_of(_i);
    for (int i = 0; i < 4; i++) rq_next(b, 1);
    rq_silence(b, 100);
    b->qp[QP].work[0].executed = 2;
    rq_respond(b, QP, ACKNOWLEDGE, s + 5, ACK_GOOD, 0);
    ck_assert_uint_eq(rq_next(b, 100)->psn, (s + 2) & 0xffffff);
    packets_are(b, _i, 5, 1);
    rq_completed(b, QP, 1, 300);
    for (unsigned i = 0; i < 3; i++)
        ck_assert(
            rq_respond(b, QP, opcode_in(READ_FIRST, i == 0, i == 2), s + 2 + i, ACK_GOOD, i < 2 ? 256 : 88)->write);
    ck_assert_uint_eq(b->qp[QP].completed, 1);
    rq_completed(b, QP, 2, 300);
    rq_ack(b, QP, s + 5);
    rq_completed(b, QP, 3, 300);
    rq_end(b);
}

/* Answers that no responder may give: y2 opcode, y1 length, y0 syndrome of FATAL 11y2y1y0 (S5 table 2-4). */
static const struct {
    unsigned at, opcode, syndrome, length, code;
} bad_answers[] = {
    {0, READ_FIRST, ACK_GOOD, 255, 0x1a}, {0, READ_FIRST, ACK_GOOD, 257, 0x1a}, {0, READ_MIDDLE, ACK_GOOD, 256, 0x1c},
    {0, READ_LAST, ACK_GOOD, 256, 0x1c},  {0, READ_ONLY, ACK_GOOD, 88, 0x1e},   {0, READ_FIRST, 0x62, 256, 0x19},
    {0, READ_ONLY, 0x20, 1, 0x1f},        {1, READ_FIRST, ACK_GOOD, 256, 0x1c}, {1, READ_MIDDLE, 0xff, 100, 0x1a},
    {1, READ_LAST, ACK_GOOD, 256, 0x1c},  {1, READ_ONLY, ACK_GOOD, 256, 0x1c},  {2, READ_MIDDLE, 0, 88, 0x1c},
    {2, READ_LAST, ACK_GOOD, 89, 0x1a},   {2, READ_LAST, ACK_GOOD, 87, 0x1a},   {2, READ_LAST, ACK_GOOD, 256, 0x1a},
    {2, READ_LAST, 0x61, 88, 0x19},
};

TEST(a_wrong_read_answer_is_fatal, .to = COUNT(bad_answers) * KINDS)
{
    int kind = _i % KINDS, which = _i / KINDS;
    rq_bench *b = WITH(kind, WRITE_OF(1), READ_OF(600), SEND_OF(1));
    uint32_t s = start_of(kind);
    for (int i = 0; i < 3; i++) rq_next(b, 1);
    rq_ack(b, QP, s);
    unsigned at = bad_answers[which].at;
    for (unsigned i = 0; i < at; i++)
        ck_assert(rq_respond(b, QP, i ? READ_MIDDLE : READ_FIRST, s + 1 + i, ACK_GOOD, 256)->write);
    b->qp[QP].error_from = 1;
    const rq_answer *a = rq_respond(b, QP, bad_answers[which].opcode, s + 1 + at, bad_answers[which].syndrome,
                                    bad_answers[which].length);
    unsigned code = bad_answers[which].code;
    ck_assert(!a->write);
    ck_assert_uint_eq(a->error, 1u << 23 | (code >> 2 & 1) << 16 | (code >> 1 & 1) << 19 | (code & 1) << 22);
    is_fatal(b, QP, code, a);
    rq_completed(b, QP, 3, 300);
    rq_end(b);
}

TEST(a_read_answer_for_a_write_is_fatal, .to = KINDS)
{
    rq_bench *b = WITH(_i, WRITE_OF(1), WRITE_OF(300));
    packets_are(b, _i, 0, 3);
    b->qp[QP].work[0].executed = 1;
    b->qp[QP].error_from = 1;
    is_fatal(b, QP, 12, rq_respond(b, QP, READ_ONLY, start_of(_i) + 1, ACK_GOOD, 256));
    rq_completed(b, QP, 2, 300);
    rq_end(b);
}

TEST(a_timeout_is_4_096_us_times_a_power_of_two, .to = 13)
{
    rq_bench *b = bench_of(_i & 1);
    b->tick_clocks = 8;
    rq_open(b, QP, QP_ENTRIES, 0, 0, 32);
    static const unsigned exponents[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 31, 32, 62, 63};
    unsigned v = exponents[_i], ticks = 1u << (v & 31);
    rq_timeouts(b, QP, v, 3, 3);
    rq_post_simple(b, QP, RQ_SEND, 600);
    rq_ring(b, QP);
    for (int i = 0; i < 2; i++) rq_next(b, 100);
    uint64_t at = rq_next(b, 100)->clock;
    if (v == 0 || v > 8) rq_silence(b, 8 * 600);
    else {
        for (int i = 0; i < 3; i++) {
            uint64_t next = rq_next(b, 8 * ticks + 100)->clock;
            ck_assert_uint_ge(next - at + 20, 8 * ticks); /* from the last packet's way to TX to the first one's way */
            ck_assert_uint_le(next - at, 8 * ticks + 8 * 2 + 40);
            rq_next(b, 100);
            at = rq_next(b, 100)->clock;
        }
        b->qp[QP].error_from = 0;
        rq_completed(b, QP, 1, 8 * ticks + 200);
        is_fatal(b, QP, 6, NULL);
        ck_assert_uint_eq(b->error[0].psn, 0);
        ck_assert_uint_eq(b->retries, 9);
    }
    rq_end(b);
}

/* A timeout of 32 ticks restarts with each ACK of something new, and with the first packet after a rest. */
TEST(each_acknowledgement_starts_the_timer_again, .to = KINDS)
{
    enum { TICK = 8, TIMEOUT = TICK << 5, LATE = 2 * TICK + 40, BEFORE = TIMEOUT - 60 };
    rq_bench *b = bench_of(_i);
    uint32_t s = start_of(_i);
    b->tick_clocks = TICK;
    rq_open(b, QP, QP_ENTRIES, 0, s, 32);
    rq_timeouts(b, QP, 5, 3, 3);
    rq_post_simple(b, QP, RQ_WRITE, 10);
    rq_post_simple(b, QP, RQ_WRITE, 10);
    rq_ring(b, QP);
    packets_are(b, _i, 0, 2);
    uint64_t from = rq_ack(b, QP, s)->clock, next = rq_next(b, TIMEOUT + 100)->clock;
    ck_assert_uint_ge(next - from + 20, TIMEOUT);
    ck_assert_uint_le(next - from, TIMEOUT + LATE);
    rq_ack(b, QP, s + 1);
    rq_completed(b, QP, 2, 300);
    rq_run(b, BEFORE);
    rq_post_simple(b, QP, RQ_WRITE, 10);
    rq_ring(b, QP);
    from = rq_next(b, 100)->clock;
    next = rq_next(b, TIMEOUT + 100)->clock;
    ck_assert_uint_ge(next - from + 20, TIMEOUT);
    ck_assert_uint_le(next - from, TIMEOUT + LATE);
    rq_ack(b, QP, s + 2);
    rq_completed(b, QP, 3, 300);
    rq_end(b);
}

/* After a timeout everything is sent again: a NAK of this second pass is a new one. Its acknowledgement is progress:
 * one go-back is left.
 */
TEST(a_nak_counts_again_after_a_timeout_and_after_progress, .to = KINDS)
{
    enum { TICK = 8, TIMEOUT = TICK << 7 };
    rq_bench *b = bench_of(_i);
    uint32_t s = start_of(_i);
    b->tick_clocks = TICK;
    rq_open(b, QP, QP_ENTRIES, 0, s, 32);
    rq_timeouts(b, QP, 7, 2, 3);
    rq_post_simple(b, QP, RQ_WRITE, 600);
    rq_ring(b, QP);
    packets_are(b, _i, 0, 3);
    ck_assert_uint_eq(rq_next(b, TIMEOUT + 100)->psn, s);
    packets_are(b, _i, 1, 2);
    rq_respond(b, QP, ACKNOWLEDGE, s, NAK_SEQUENCE, 0);
    packets_are(b, _i, 0, 3);
    ck_assert_uint_eq(retries_of(b), 2); /* no more */
    rq_respond(b, QP, ACKNOWLEDGE, s + 1, NAK_SEQUENCE, 0);
    packets_are(b, _i, 1, 2);
    ck_assert_uint_eq(retries_of(b), 1);
    rq_ack(b, QP, s + 2);
    rq_completed(b, QP, 1, 300);
    rq_end(b);
}

TEST(with_retries_for_ever_none_run_out, .to = 2)
{
    rq_bench *b = bench_of(_i);
    b->tick_clocks = 4;
    *b->m->retry_for_ever = 1;
    rq_open(b, QP, QP_ENTRIES, 0, 0, 32);
    rq_timeouts(b, QP, 2, 1, 1);
    rq_post_simple(b, QP, RQ_READ, 60);
    rq_ring(b, QP);
    for (int i = 0; i < 30; i++) ck_assert_uint_eq(rq_next(b, 200)->psn, 0);
    ck_assert_uint_eq(retries_of(b), 7);
    rq_respond(b, QP, READ_ONLY, 0, ACK_GOOD, 60);
    rq_completed(b, QP, 1, 300);
    ck_assert_uint_eq(b->fatals, 0);
    rq_end(b);
}

TEST(at_most_rdlimit_reads_are_outstanding, .to = 2 * 20)
{
    unsigned limit = _i / 2 < 18 ? (unsigned)_i / 2 : 12 + (unsigned)_i / 2,
             most = limit == 0 || limit > 16 ? 16 : limit;
    rq_bench *b = bench_of(_i & 1);
    rq_open(b, QP, QP_ENTRIES, 0, 0, 64);
    rq_timeouts(b, QP, 0, 3, 3);
    rq_rdlimit(b, QP, limit);
    for (unsigned i = 0; i < 20; i++) rq_post_simple(b, QP, RQ_READ, 100);
    rq_ring(b, QP);
    unsigned sent = 0;
    for (; sent < most; sent++) rq_next(b, 300);
    rq_silence(b, 400);
    for (unsigned i = 0; i < 20; i++) {
        rq_respond(b, QP, READ_ONLY, i, ACK_GOOD, 100);
        if (sent < 20) rq_next(b, 300), sent++;
        rq_silence(b, 200);
    }
    rq_completed(b, QP, 20, 500);
    rq_end(b);
}

TEST(a_datagram_completes_when_it_is_sent, .to = 2)
{
    rq_bench *b = bench_of(_i);
    b->sent_delay = 400;
    rq_open(b, 0, QP_ENTRIES, 0, 0, 8);
    for (int i = 0; i < 3; i++) rq_post_simple(b, 0, RQ_SEND, 256);
    rq_post(b, 0, (rq_work){.opcode = RQ_WRITE, .length = 1, .refused = 0x20});
    rq_post(b, 0, (rq_work){.opcode = RQ_SEND, .length = 257, .refused = 0x20});
    rq_post_simple(b, 0, RQ_SEND, 17);
    rq_ring(b, 0);
    for (int i = 0; i < 3; i++) ck_assert_uint_eq(rq_next(b, 300)->opcode, UD_SEND_ONLY);
    rq_run(b, 300);
    ck_assert_uint_eq(b->qp[0].completed, 0);
    ck_assert_uint_eq(rq_next(b, 1000)->length, 17);
    rq_completed(b, 0, 6, 1500);
    ck_assert_uint_eq(b->illegals, 2);
    rq_end(b);
}
