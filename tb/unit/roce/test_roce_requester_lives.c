/* The requester of the RoCE chip over time (requester_bench.h): what TX still has of a WQE when it is acknowledged,
 * when the timer runs, which answers are news; and QPs that are off for a while, by XRNICCONF or by QPS: their state is
 * kept until they are on again.
 */
#include "requester_bench.h"

TEST_CASE("lives", .timeout = 60);

enum { QP = 4, TICK = 8 };

/* QP 5 of S5, 256 bytes of path MTU, a tick each 8 clocks, no timeout; with these WQEs posted, all their packets sent.
 */
static rq_bench *with(int kind, const char *works)
{
    rq_bench *b = bench_of(kind);
    b->tick_clocks = TICK;
    rq_open(b, QP, QP_ENTRIES | QP_CQ_IRQ, 0, start_of(kind), 32);
    rq_timeouts(b, QP, 0, 3, 3);
    for (; *works; works++)
        rq_post_simple(b, QP, *works == 'R' ? RQ_READ : *works == 'S' ? RQ_SEND : RQ_WRITE, *works == 'L' ? 600 : 100);
    rq_ring(b, QP);
    rq_run(b, 400);
    b->looked = b->commands;
    return b;
}

static void chip(rq_bench *b, int on)
{
    *b->m->chip_enable = (uint8_t)on;
    *b->m->qp_limit = on ? 0xff : 0;
}

/* QP off: 0, with the chip; 1, as one beyond XRNICCONF.QPS. */
static void off(rq_bench *b, int way, int is_off)
{
    if (way) *b->m->qp_limit = is_off ? 0 : 0xff;
    else chip(b, !is_off);
    rq_run(b, 2);
}

static void latency(rq_bench *b, unsigned clocks)
{
    axi_memory_params p = axi_memory_defaults();
    p.latency = clocks;
    ck_assert(axi_memory_set(b->memory, &p) == NULL);
}

/* STATQP.BUSY of a QP that is switched off is 1 while anything of it is under way, and until then it does not start: a
 * packet or an ACK in TX, the read of a WQE, a completion entry, data of a READ, an illegal WQE on its way to the error
 * queue. */
TEST(a_qp_is_busy_and_does_not_start, .to = 6 * 2)
{
    enum { TX, ACK, FETCH, ENTRY, DATA, REFUSED, BUSY = 1 << 12, OTHER = 2 };
    int what = _i / 2;
    rq_bench *b = with(_i % 2, "");
    b->sent_delay = what == TX ? 600 : 1;
    b->put_delay = what == DATA ? 600 : 1;
    if (what == FETCH || what == REFUSED) latency(b, 400);
    if (what == REFUSED) rq_post(b, QP, (rq_work){.opcode = 1, .length = 5, .refused = 1});
    else if (what != ACK) rq_post_simple(b, QP, what == DATA ? RQ_READ : RQ_WRITE, 100);
    if (what != ACK) rq_ring(b, QP);
    if (what == FETCH) rq_run(b, 100);
    else if (what == REFUSED) rq_run(b, 500);
    else if (what != ACK) rq_next(b, 300);
    if (what == ENTRY) {
        rq_run(b, 20);
        latency(b, 400);
        rq_ack(b, QP, 0);
        rq_run(b, 40);
    }
    if (what == DATA) rq_respond(b, QP, READ_ONLY, 0, ACK_GOOD, 100);
    *b->m->ack_busy = what == ACK;
    *b->m->ack_busy_qp = QP;
    rq_switch(b, QP, 0);
    ck_assert_uint_eq(rq_read(b, QP, STATQP) & BUSY, BUSY);
    ck_assert_uint_eq(rq_read(b, OTHER, STATQP) & BUSY, 0);
    if (what == DATA || what == FETCH ||
        what == ENTRY) { /* roce_registers does not ask for a start while the QP is busy */
        rq_run(b, 700);
        ck_assert_uint_eq(rq_read(b, QP, STATQP) & BUSY, 0);
        return;
    }
    *b->m->own_valid = *b->m->own_start = 1;
    *b->m->own_qp = QP;
    for (unsigned i = 0; i < 60; i++) {
        rq_run(b, 1);
        ck_assert_uint_eq(*b->m->own_ready, 0);
    }
    *b->m->ack_busy = 0;
    for (unsigned i = 0; !*b->m->own_ready; i++) {
        ck_must(i < 1000, "the QP does not start");
        rq_run(b, 1);
    }
    rq_run(b, 1);
    *b->m->own_valid = *b->m->own_start = 0;
    ck_assert_uint_eq(rq_read(b, QP, STATQP) & BUSY, 0);
}

/* ---- WQEs held by TX */

/* The ACK of the first pass comes while TX has the second: the WQE's memory is read until that has left. */
TEST(a_wqe_completes_when_its_last_packet_has_left, .to = KINDS)
{
    rq_bench *b = with(_i, "LWW");
    b->sent_delay = 1000;
    rq_respond(b, QP, ACKNOWLEDGE, start_of(_i), NAK_SEQUENCE, 0);
    uint64_t last = 0;
    for (int i = 0; i < 5; i++) last = rq_next(b, 100)->clock;
    rq_ack(b, QP, start_of(_i) + 4);
    rq_run(b, 800);
    ck_assert_uint_eq(b->qp[QP].completed, 0);
    rq_completed(b, QP, 3, 500);
    ck_assert_uint_ge(b->clock, last + 1000);
    rq_end(b);
}

/* Memory of a WQE is deregistered after its ACK, or fails: no effect. Memory of the next WQE fails that one. */
TEST(what_is_acknowledged_cannot_fail_any_more, .to = KINDS)
{
    rq_bench *b = with(_i, "LW");
    b->sent_delay = 500;
    b->sent_error_at = b->sent_number + 2;
    rq_respond(b, QP, ACKNOWLEDGE, start_of(_i), NAK_SEQUENCE, 0);
    packets_are(b, _i, 0, 4);
    rq_ack(b, QP, start_of(_i) + 2);
    rq_completed(b, QP, 1, 800);
    rq_ack(b, QP, start_of(_i) + 3);
    rq_completed(b, QP, 2, 800);
    ck_assert_uint_eq(b->fatals, 0);
    b->sent_error_at = b->sent_number + 1;
    b->qp[QP].error_from = 2;
    rq_post_simple(b, QP, RQ_WRITE, 10);
    rq_ring(b, QP);
    rq_next(b, 100);
    rq_completed(b, QP, 3, 1000);
    ck_assert_uint_eq(b->fatals, 1);
    rq_end(b);
}

/* 32 ticks: from the clock in which the packet leaves, of the first pass and of the second, however long TX had it. */
TEST(the_timer_runs_from_leaving, .to = 2 * KINDS)
{
    enum { TIMEOUT = TICK << 5, WAITS = 2000 };
    int kind = _i % KINDS;
    rq_bench *b = with(kind, "");
    rq_timeouts(b, QP, 5, 3, 3);
    b->sent_delay = WAITS;
    rq_post_simple(b, QP, _i / KINDS ? RQ_READ : RQ_WRITE, 100);
    rq_ring(b, QP);
    uint64_t at = rq_next(b, 100)->clock;
    for (int pass = 0; pass < 2; pass++) {
        uint64_t next = rq_next(b, WAITS + TIMEOUT + 100)->clock;
        ck_assert_uint_ge(next - at, WAITS + TIMEOUT);
        ck_assert_uint_le(next - at, WAITS + TIMEOUT + 2 * TICK + 40);
        at = next;
    }
    rq_silence(b, WAITS);
    rq_end(b);
}

/* ---- which answers are news */

/* A NAK that comes twice before the repetition has left counts once; later it reports the loss of the repetition. */
TEST(a_nak_of_the_repetition_is_answered, .to = KINDS)
{
    rq_bench *b = with(_i, "LW");
    uint32_t s = start_of(_i);
    b->sent_delay = 400;
    rq_respond(b, QP, ACKNOWLEDGE, s + 1, NAK_SEQUENCE, 0);
    packets_are(b, _i, 1, 3);
    rq_respond(b, QP, ACKNOWLEDGE, s + 1, NAK_SEQUENCE, 0);
    rq_silence(b, 400);
    rq_respond(b, QP, ACKNOWLEDGE, s + 1, NAK_SEQUENCE, 0);
    packets_are(b, _i, 1, 3);
    ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 24 & 7, 2);
    rq_ack(b, QP, s + 3);
    rq_completed(b, QP, 2, 800);
    rq_end(b);
}

/* The answer of the first READ is lost. A WRITE that comes again is answered with the newest PSN: that says nothing of
 * the READs behind. */
TEST(acks_of_what_came_twice_are_not_news, .to = KINDS)
{
    rq_bench *b = with(_i, "RWRWRW");
    uint32_t s = start_of(_i);
    for (unsigned i = 0; i < 6; i++) b->qp[QP].work[i].executed = 1;
    for (unsigned i = 1; i < 6; i += 2) rq_respond(b, QP, ACKNOWLEDGE, s + i, ACK_GOOD, 0);
    packets_are(b, _i, 0, 6);
    for (unsigned i = 0; i < 6; i += 2) {
        ck_assert(rq_respond(b, QP, READ_ONLY, s + i, ACK_GOOD, 100)->write);
        rq_respond(b, QP, ACKNOWLEDGE, s + 5, ACK_GOOD, 0);
        rq_silence(b, 100);
    }
    rq_completed(b, QP, 6, 300);
    ck_assert_uint_eq(b->retries, 6);
    for (unsigned i = 0; i < 2; i++) rq_post_simple(b, QP, i ? RQ_WRITE : RQ_READ, 100); /* new WQEs count as before */
    rq_ring(b, QP);
    packets_are(b, _i, 6, 2);
    b->qp[QP].work[7].executed = 1;
    rq_respond(b, QP, ACKNOWLEDGE, s + 7, ACK_GOOD, 0);
    packets_are(b, _i, 6, 2);
    rq_respond(b, QP, READ_ONLY, s + 6, ACK_GOOD, 100);
    rq_ack(b, QP, s + 7);
    rq_completed(b, QP, 8, 300);
    rq_end(b);
}

/* RNR NAKs in a row are those of one packet: the last one that may come for A, then one for B, which acknowledges A. */
TEST(an_rnr_nak_that_acknowledges_is_the_first_one, .to = KINDS)
{
    rq_bench *b = with(_i, "SS");
    rq_timeouts(b, QP, 0, 3, 1);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(!rq_respond(b, QP, ACKNOWLEDGE, start_of(_i) + i, RNR_NAK | 1, 0)->fatal);
        b->qp[QP].work[i].executed = 1;
        packets_are(b, _i, i, 2 - i);
    }
    ck_assert_uint_eq(rq_read(b, QP, STATQP) >> 28 & 7, 1);
    rq_ack(b, QP, start_of(_i) + 1);
    rq_completed(b, QP, 2, 300);
    rq_end(b);
}

/* ---- off for a while */

/* The timer ends while the QP is off: 0, 1 the timeout; 2, 3 the wait after an RNR NAK. */
TEST(a_timer_that_ends_while_off, .to = 4 * KINDS)
{
    int kind = _i % KINDS, rnr = _i / KINDS / 2;
    rq_bench *b = with(kind, "");
    rq_timeouts(b, QP, rnr ? 0 : 5, 3, 3);
    rq_post_simple(b, QP, RQ_SEND, 100);
    rq_ring(b, QP);
    packets_are(b, kind, 0, 1);
    if (rnr) rq_respond(b, QP, ACKNOWLEDGE, start_of(kind), RNR_NAK | 6, 0);
    off(b, _i / KINDS % 2, 1);
    rq_silence(b, 1000);
    off(b, _i / KINDS % 2, 0);
    packets_are(b, kind, 0, 1);
    rq_ack(b, QP, start_of(kind));
    rq_completed(b, QP, 1, 300);
    rq_end(b);
}

/* An illegal WQE is written while the QP is off. With the chip off its queue is off, too: the entry is written again,
 * at the first place.
 */
TEST(a_wqe_that_is_refused_while_off, .to = 2 * KINDS)
{
    int kind = _i % KINDS, way = _i / KINDS;
    rq_bench *b = with(kind, "");
    b->merges = 1;
    latency(b, 300);
    for (unsigned i = 0; i < 2; i++) rq_post(b, QP, (rq_work){.opcode = 1, .length = 5, .refused = 1});
    rq_post_simple(b, QP, RQ_WRITE, 100);
    rq_ring(b, QP);
    while (b->illegals < 1) rq_run(b, 1);
    rq_run(b, 100);
    off(b, way, 1);
    rq_silence(b, 800);
    ck_assert_uint_eq(*b->m->opkterr_wptr, way ? 2 : 0);
    off(b, way, 0);
    ck_assert_uint_eq(rq_next(b, 1000)->psn, start_of(kind));
    ck_assert_uint_eq(*b->m->opkterr_wptr, way ? 2 : 1);
    ck_assert_uint_eq(b->illegals, 2);
    uint8_t entry[64], posted[64];
    memory_read(axi_memory_bytes(b->memory), RQ_ERRORS + (way ? 64 : 0), entry, 64);
    memory_read(axi_memory_bytes(b->memory), RQ_SQ(QP) + 64, posted, 64);
    ck_assert_mem_eq(entry + 20, posted + 20, 44);
    ck_assert_mem_eq(entry + 4, posted + 4, 13);
    rq_ack(b, QP, start_of(kind));
    rq_completed(b, QP, 3, 1500);
}

/* The queue of illegal WQEs begins at its first place when the chip is turned on, or where it has become smaller than
 * it was. */
TEST(a_smaller_queue_of_illegal_wqes, .to = 2 * KINDS)
{
    rq_bench *b = with(_i % KINDS, "");
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 5; i++) rq_post(b, QP, (rq_work){.opcode = 1, .length = 5, .refused = 1});
        rq_ring(b, QP);
        rq_completed(b, QP, 5 + 5 * round, 3000);
        ck_assert_uint_eq(*b->m->opkterr_wptr, round ? 1 : 5);
        *b->m->opkterr_size = 2;
        if (_i / KINDS) off(b, 0, 1), off(b, 0, 0);
        uint8_t none[64] = {0};
        if (!round) memory_write(axi_memory_bytes(b->memory), RQ_ERRORS + 128, none, 64);
    }
    uint64_t behind[8];
    memory_read(axi_memory_bytes(b->memory), RQ_ERRORS + 128, behind, 64);
    for (unsigned i = 0; i < 8; i++) ck_assert_uint_eq(behind[i], 0);
    rq_end(b);
}

/* Data of a READ do not get into memory while the QP is off: the WQE has ERRFLAG, and the error is reported when the
 * queues are on. */
TEST(read_data_that_fail_while_off, .to = 2 * KINDS)
{
    int kind = _i % KINDS, way = _i / KINDS;
    rq_bench *b = with(kind, "RR");
    b->put_error_at = 1;
    b->put_delay = 300;
    b->qp[QP].error_from = 0;
    ck_assert(rq_respond(b, QP, READ_ONLY, start_of(kind), ACK_GOOD, 100)->write);
    off(b, way, 1);
    rq_run(b, 600);
    ck_assert_uint_eq(b->errors, way);
    off(b, way, 0);
    rq_completed(b, QP, 2, 500);
    ck_assert_uint_eq(b->errors, 1);
    ck_assert_uint_eq(b->error[0].code, 7);
    ck_assert_uint_eq(b->fatals, 1);
    rq_end(b);
}

/* Memory fails for a QP whose life has ended, the chip on or off: it has no effect, and the QP is quiet. _i: data of a
 * READ, or a payload.
 */
TEST(memory_that_fails_behind_a_life, .to = 4 * KINDS)
{
    int kind = _i % KINDS, chip_off = _i / KINDS & 1, payload = _i / KINDS >> 1;
    rq_bench *b = with(kind, payload ? "" : "RR");
    b->put_error_at = b->sent_error_at = 1;
    b->put_delay = b->sent_delay = 300;
    if (payload) {
        b->sent_number = 0;
        rq_post_simple(b, QP, RQ_WRITE, 100);
        rq_ring(b, QP);
        rq_next(b, 100);
    } else ck_assert(rq_respond(b, QP, READ_ONLY, start_of(kind), ACK_GOOD, 100)->write);
    rq_switch(b, QP, 0);
    if (chip_off) off(b, 0, 1);
    rq_run(b, 50);
    ck_assert(rq_read(b, QP, STATQP) & QP_BUSY);
    rq_run(b, 400);
    ck_assert(!(rq_read(b, QP, STATQP) & QP_BUSY));
    if (chip_off) off(b, 0, 0);
    rq_run(b, 400);
    ck_assert_uint_eq(b->errors + b->fatals, 0);
    ck_must(!b->wrong[0], "%s", b->wrong);
}

/* A datagram whose payload fails while the chip is off: it is not repeated, so nothing else would report it. */
TEST(a_datagram_that_fails_while_off, .to = 2 * KINDS)
{
    rq_bench *b = with(_i % KINDS, "");
    rq_open(b, 0, QP_ENTRIES, 0, 0, 8);
    b->sent_error_at = 1;
    b->sent_delay = 300;
    b->qp[0].error_from = 0;
    rq_post_simple(b, 0, RQ_SEND, 100);
    rq_ring(b, 0);
    rq_next(b, 100);
    off(b, _i / KINDS, 1);
    rq_run(b, 600);
    off(b, _i / KINDS, 0);
    rq_completed(b, 0, 1, 500);
    ck_assert_uint_eq(b->errors, 1);
    rq_end(b);
}

/* A request was fatal while the QP is off: it is FATAL when it is on. */
TEST(a_fatal_request_while_off, .to = 2 * KINDS)
{
    rq_bench *b = with(_i % KINDS, "WW");
    off(b, _i / KINDS, 1);
    b->set_fatal = 1;
    b->set_fatal_qp = QP;
    rq_run(b, 300);
    b->qp[QP].error_from = 0;
    off(b, _i / KINDS, 0);
    rq_completed(b, QP, 2, 500);
    ck_assert_uint_eq(rq_read(b, QP, STATQP) & 1, 1);
    ck_assert_uint_eq(b->fatals, 1);
    rq_end(b);
}

/* Completions get into memory while the QP is off: CQHEAD has moved on, one doorbell and one interrupt come when it is
 * on. _i: entries or none, the doorbell by handshake or through memory, whose write may be the one that is under way.
 */
TEST(completions_while_off_are_reported, .to = 8 * KINDS)
{
    int kind = _i % KINDS, how = _i / KINDS;
    rq_bench *b = with(kind, "");
    b->merges = 1;
    rq_open(b, QP, (how & 1 ? QP_BY_BUS : 0) | QP_ENTRIES | QP_CQ_IRQ, 0, start_of(kind), 8);
    rq_timeouts(b, QP, 0, 3, 3);
    for (int i = 0; i < 3; i++) rq_post_simple(b, QP, RQ_WRITE, 100);
    rq_ring(b, QP);
    packets_are(b, kind, 0, 3);
    latency(b, 200);
    rq_ack(b, QP, start_of(kind) + 2);
    rq_run(b, how & 2 ? 260 : 60);
    off(b, how >> 2, 1);
    rq_run(b, 1000);
    ck_assert_uint_eq(rq_read(b, QP, CQHEAD), b->qp[QP].entries);
    unsigned interrupts = b->qp[QP].interrupts;
    off(b, how >> 2, 0);
    rq_completed(b, QP, 3, 1500);
    rq_run(b, 500);
    ck_assert(b->qp[QP].interrupts > interrupts || interrupts == 3);
    ck_must(!b->wrong[0], "%s", b->wrong);
}

/* A doorbell that the application has not taken, and an ACK that TX has, are of this life: the next one waits for them.
 */
TEST(no_doorbell_of_a_former_life_is_offered, .to = KINDS)
{
    rq_bench *b = with(_i, "W");
    b->db_ready = 0;
    rq_ack(b, QP, start_of(_i));
    rq_run(b, 100);
    ck_assert(*b->m->cq_db_valid);
    rq_switch(b, QP, 0);
    *b->m->own_valid = *b->m->own_start = 1;
    *b->m->own_qp = QP;
    for (int i = 0; i < 500; i++) {
        rq_run(b, 1);
        ck_assert(!*b->m->own_ready);
    }
    b->db_ready = 100;
    *b->m->ack_busy = 1;
    *b->m->ack_busy_qp = QP;
    rq_run(b, 100);
    ck_assert(!*b->m->own_ready && !*b->m->cq_db_valid);
    *b->m->ack_busy = 0;
    for (int i = 0; !*b->m->own_ready; i++) {
        ck_assert_int_lt(i, 100);
        rq_run(b, 1);
    }
    ck_assert(!*b->m->cq_db_valid);
}

/* QPs and the chip go off and on under traffic with losses: every WQE is executed once, in order, and completed. */
TEST(off_and_on_under_traffic, .to = 16)
{
    rq_bench *b = rq_new(_i & 1 ? 64 : 8, 8, 700 + (unsigned)_i);
    b->peer = b->merges = 1;
    b->lose = b->twice = b->rnr = 2;
    b->cmd_ready = b->db_ready = 50;
    b->sent_delay = 15;
    *b->m->retry_for_ever = 1;
    latency(b, 60);
    for (unsigned qp = 1; qp < 8; qp++) {
        rq_open(b, qp, QP_ENTRIES | (qp & 2 ? QP_BY_BUS : 0) | QP_CQ_IRQ, qp % 3, psn_starts[qp % STARTS], 8 + qp);
        rq_timeouts(b, qp, 4, 7, 7);
    }
    enum { EACH = 25 };
    for (unsigned left = 7, i = 0; left; i++) {
        ck_must(i < 20000 && !b->wrong[0], "seed %llu: not at its end; %s", (unsigned long long)sim_seed(b->s),
                b->wrong);
        unsigned qp = 1 + (unsigned)sim_random_below(b->s, 7);
        rq_qp *q = &b->qp[qp];
        for (; q->posted < EACH && q->posted - q->completed < q->depth - 1;)
            if (sim_random_below(b->s, 12) == 0) rq_post(b, qp, (rq_work){.opcode = 2, .length = 0, .refused = 2});
            else
                rq_post_simple(b, qp, (unsigned)sim_random_below(b->s, 3) * 2,
                               1 + (unsigned)sim_random_below(b->s, 1500));
        rq_ring(b, qp);
        rq_run(b, (unsigned)sim_random_below(b->s, 200));
        int way = (int)sim_random_below(b->s, 4);
        if (way < 2) {
            off(b, way, 1);
            rq_run(b, (unsigned)sim_random_below(b->s, 300));
            off(b, way, 0);
        }
        left = 0;
        for (qp = 1; qp < 8; qp++) left += b->qp[qp].completed < EACH;
    }
    rq_run(b, 500);
    ck_must(!b->wrong[0], "%s", b->wrong);
    ck_assert_uint_eq(b->fatals, 0);
}
