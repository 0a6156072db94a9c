/* Incoming half of the DMA engine: packets from N2H in, bus writes, notifications and interrupts out.
 *
 * The reference is a list of the writes that must appear, made packet by packet from design.md 3: the payload, then, if
 * asked for, the notification with its damage flag. */
#include "dma_bench.h"

#define MAX_EXPECTED 8192

struct expected {
    uint64_t address, header; /* header: of a notification, 0 = payload */
    unsigned words, status, irq;
    uint64_t salt;
};

struct plan {
    struct dma_bench *b;
    struct expected *writes;
    unsigned count;
    unsigned number[128], mark[128]; /* next number of each source that its sender will use; the receiver's mark */
    unsigned due[128];               /* number the receiver expects */
    unsigned gaps, bad, errors, flagged, irqs, notified, packets;
    int many_lost; /* the next header says so */
};

static unsigned planned_status(struct dma_bench *b, uint64_t address, unsigned words)
{
    struct plan *p = b->user;
    (void)address;
    (void)words;
    return b->write_count < p->count ? p->writes[b->write_count].status : 0;
}

static struct plan *plan_new(uint64_t seed)
{
    struct plan *p = test_memory(sizeof *p);
    p->writes = test_memory(MAX_EXPECTED * sizeof *p->writes);
    p->b = dma_bench_new(seed, 1);
    p->b->user = p;
    p->b->write_plan = planned_status;
    return p;
}

static struct expected *expect(struct plan *p, uint64_t address, unsigned words, unsigned status)
{
    ck_assert_uint_lt(p->count, MAX_EXPECTED);
    struct expected *e = &p->writes[p->count++];
    e->address = address;
    e->words = words;
    e->status = status;
    p->errors += status != 0;
    return e;
}

/* One packet of `source` with its sequence number, and the expected result. status1: of the payload's write, status2:
 * of the notification's. */
static void packet(struct plan *p, unsigned source, unsigned number, unsigned words, unsigned flags, int bad,
                   unsigned status1, unsigned status2)
{
    uint32_t address = (uint32_t)(sim_random(p->b->s) & 0xfffffff8);
    uint64_t header = dma_bench_header(source, number, words, flags, address), salt = sim_random(p->b->s) & ~7ull;
    int gap = !*p->b->m->cfg_sequence_zero && number % 512 != p->due[source] % 512;
    if (p->many_lost) {
        header |= 1ull << 63;
        for (unsigned i = 0; i < 128; i++) p->mark[i] = 1;
        p->many_lost = 0;
    }
    dma_bench_packet(p->b, header, salt, bad);
    p->due[source] = number + 1;
    p->packets++;
    p->gaps += (unsigned)gap;
    p->bad += (unsigned)bad;
    p->mark[source] |= (unsigned)(gap || bad || status1);
    struct expected *e = expect(p, address, words, status1);
    e->salt = salt;
    e->irq = (flags & NOTIFY_IRQ) && !(flags & NOTIFY_REMOTE);
    p->irqs += flags & NOTIFY_IRQ;
    if (flags & NOTIFY_REMOTE) {
        e = expect(p, REMOTE_NOTIFY + 8 * source, 1, status2);
        e->header = (header & ~(1ull << 63)) | (uint64_t)p->mark[source] << 63;
        e->irq = flags & NOTIFY_IRQ;
        p->notified += !status2;
        p->flagged += !status2 && p->mark[source];
        p->mark[source] = status2 != 0;
    }
}

/* Runs to the end and compares. */
static void check(struct plan *p, uint64_t clocks)
{
    struct dma_bench *b = p->b;
    dma_bench_finish(b, clocks);
    ck_assert_uint_eq(b->write_count, p->count);
    unsigned irqs = 0;
    for (unsigned i = 0; i < p->count; i++) {
        const struct expected *e = &p->writes[i];
        const struct dma_write *w = &b->writes[i];
        ck_assert_msg(w->address == e->address && w->words == e->words,
                      "write %u: %u words to %llx, expected %u to %llx", i, w->words, (unsigned long long)w->address,
                      e->words, (unsigned long long)e->address);
        for (unsigned k = 0; k < w->words; k++) {
            uint64_t data = e->header ? e->header : dma_bench_word(e->address + 8 * k + e->salt);
            ck_assert_msg(w->data[k] == data, "write %u word %u: %016llx, expected %016llx", i, k,
                          (unsigned long long)w->data[k], (unsigned long long)data);
        }
        if (e->irq) {
            ck_assert_msg(b->irq[irqs].after_writes == i + 1, "interrupt %u came after write %u, expected %u", irqs,
                          b->irq[irqs].after_writes, i + 1);
            ck_assert_uint_le(b->irq[irqs].clock - w->ended, 2);
            irqs++;
        }
    }
    ck_assert_uint_eq(b->ev.irq, p->irqs);
    ck_assert_uint_eq(irqs, p->irqs);
    ck_assert_uint_eq(b->ev.gap, p->gaps);
    ck_assert_uint_eq(b->ev.bad_body, p->bad);
    ck_assert_uint_eq(b->ev.write_error, p->errors);
    ck_assert_uint_eq(b->ev.remote_notified, p->notified);
    ck_assert_uint_eq(b->ev.flagged, p->flagged);
    ck_assert_uint_eq(b->ev.start, p->packets);
    ck_assert_uint_eq(b->ev.packet_written, p->packets);
}

TEST_CASE("incoming", .timeout = 120);

/* Worked by hand: source 9, number 0, three words, notified and interrupting; then number 2, where 1 is missing; then
 * 3, clean again. */
TEST(notification_is_the_header_with_the_flag)
{
    static const uint64_t expected[] = {0x0958000300001000, 0x89480803000010c0, 0x09480c0300001200};
    struct dma_bench *b = dma_bench_new(0, 1);
    dma_bench_packet(b, 0x0958000300001000, 0, 0);
    dma_bench_packet(b, 0x09480803000010c0, 0, 0);
    dma_bench_packet(b, 0x09480c0300001200, 0, 0);
    dma_bench_finish(b, 3000);
    ck_assert_uint_eq(b->write_count, 6);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(b->writes[2 * i + 1].address, REMOTE_NOTIFY + 72);
        ck_assert_msg(b->writes[2 * i + 1].data[0] == expected[i], "%016llx",
                      (unsigned long long)b->writes[2 * i + 1].data[0]);
    }
    ck_assert_uint_eq(b->ev.irq, 1);
    ck_assert_uint_eq(b->ev.gap, 1);
    ck_assert_uint_eq(b->ev.flagged, 1);
}

static unsigned random_words(struct dma_bench *b)
{
    unsigned r = dma_bench_below(b, 10);
    return r < 3 ? 1 + dma_bench_below(b, 4) : r < 8 ? 62 : 1 + dma_bench_below(b, 512);
}

/* Clean packets of many sources, all flags, various bus speeds. */
TEST(payloads_and_notifications_in_order, .to = 12)
{
    struct plan *p = plan_new((uint64_t)_i);
    struct dma_bench *b = p->b;
    b->ack_percent = _i % 2 ? 100 : 20;
    b->write_latency = _i % 3 ? 1 : 60;
    b->write_percent = _i % 4 == 3 ? 50 : 100;
    *b->m->cfg_cut_through = _i < 8 ? 96 : 0;
    for (unsigned i = 0; i < 200; i++) {
        unsigned source = dma_bench_below(b, _i % 2 ? 8 : 128);
        packet(p, source, p->number[source]++, random_words(b), dma_bench_below(b, 8), 0, 0, 0);
    }
    check(p, 300000);
}

/* Gaps, bad bodies, failed writes of payload and notification: each source's flag separately. */
TEST(damage_is_flagged_for_its_source, .to = 4)
{
    struct plan *p = plan_new((uint64_t)_i);
    struct dma_bench *b = p->b;
    b->write_latency = 20;
    for (unsigned i = 0; i < 300; i++) {
        unsigned source = dma_bench_below(b, _i ? 5 : 1), dice = dma_bench_below(b, 10);
        unsigned flags = dma_bench_below(b, 8), status = 1 + dma_bench_below(b, 3);
        if (dice == 0) p->number[source] += 1 + dma_bench_below(b, 600); /* a gap of 512 cannot be seen: none here */
        if ((p->number[source] - p->due[source]) % 512 == 0) p->number[source] = p->due[source];
        packet(p, source, p->number[source]++, dice == 4 ? 1 : random_words(b) % 80 + 1, flags, dice == 1,
               dice == 2 ? status : 0, dice == 3 ? status : 0);
    }
    check(p, 600000);
    ck_assert_uint_gt(p->flagged, 20);
}

/* The link says that many packets were lost (header [63]): every source is marked, also one of which exactly 512 are
 * missing, which no number shows. */
TEST(many_lost_marks_every_source, .to = 2)
{
    struct plan *p = plan_new((uint64_t)_i);
    struct dma_bench *b = p->b;
    unsigned sources = _i ? 128 : 4, unseen = 0;
    for (unsigned i = 0; i < 600; i++) {
        unsigned source = dma_bench_below(b, sources);
        if (dma_bench_below(b, 40) == 0) {
            unsigned lost = dma_bench_below(b, sources);
            p->number[lost] += 512;
            unseen++;
            p->many_lost = 1;
        }
        packet(p, source, p->number[source]++, 1 + dma_bench_below(b, 20), dma_bench_below(b, 8), 0, 0, 0);
    }
    check(p, 600000);
    ck_assert_uint_eq(p->gaps, 0);
    ck_assert_uint_gt(unseen, 5);
    ck_assert_uint_gt(p->flagged, 20);
}

/* With SEQUENCE_ZERO numbers are not looked at. */
TEST(sequence_zero_checks_no_numbers)
{
    struct plan *p = plan_new(0);
    *p->b->m->cfg_sequence_zero = 1;
    for (unsigned i = 0; i < 20; i++) packet(p, i % 3, 0, 5, NOTIFY_REMOTE, 0, 0, 0);
    check(p, 20000);
    ck_assert_uint_eq(p->gaps, 0);
}

TEST(words_without_a_header_are_skipped)
{
    struct plan *p = plan_new(0);
    unsigned skipped = 0;
    for (unsigned i = 0; i < 50; i++) {
        for (unsigned k = dma_bench_below(p->b, 4); k > 0; k--, skipped++)
            dma_bench_put(p->b, sim_random(p->b->s), k == 2 ? 2 : 0);
        packet(p, 4, p->number[4]++, 1 + i % 7, NOTIFY_REMOTE | NOTIFY_IRQ, 0, 0, 0);
    }
    check(p, 40000);
    ck_assert_uint_eq(p->b->ev.step, skipped);
}

/* Without SYNC a packet with an odd address, an operation, is dropped and counted; its source is marked. */
TEST(operations_are_dropped)
{
    struct plan *p = plan_new(0);
    struct dma_bench *b = p->b;
    for (unsigned i = 0; i < 3; i++) {
        dma_bench_packet(b, dma_bench_header(5, p->number[5]++, 1 + i * 30, NOTIFY_IRQ, 0x41 + i * 8), 0, 0);
        p->due[5]++;
        p->mark[5] = 1;
        packet(p, 6, p->number[6]++, 4, NOTIFY_REMOTE, 0, 0, 0);
        packet(p, 5, p->number[5]++, 4, NOTIFY_REMOTE, 0, 0, 0);
    }
    dma_bench_finish(b, 20000);
    ck_assert_uint_eq(b->ev.step, 3);
    ck_assert_uint_eq(b->write_count, 12);
    ck_assert_uint_eq(b->ev.flagged, 3);
    ck_assert_uint_eq(b->ev.gap, 0);
    for (unsigned i = 0; i < 12; i++) ck_assert_uint_eq(b->writes[i].address, p->writes[i].address);
}

/* ---- cut-through ---- */

static const unsigned burst_words[] = {1, 2, 5, 6, 7, 8, 15, 62, 64, 128, 400, 511, 512};
static const unsigned ratios[] = {1, 13, 96, 97, 128, 192, 255, 256};

/* Words arrive at the configured rate, or 200 ppm slower or faster, and the bus takes them at once: it never runs dry
 * (the bench fails if it does), and the request stands 2 clocks after the rule allows it: W - floor(W * ratio / 256) +
 * 6 words, or all of them. */
TEST(burst_starts_when_the_rule_allows, .to = 24)
{
    struct plan *p = plan_new((uint64_t)_i);
    struct dma_bench *b = p->b;
    unsigned ratio = ratios[_i % 8];
    b->write_latency = 1;
    *b->m->cfg_cut_through = (uint16_t)ratio;
    uint64_t worst = 0;
    for (unsigned i = 0; i < 13; i++) {
        unsigned words = burst_words[i], first = b->n2h_queued, before = b->write_count;
        b->n2h_rate = ratio / 256.0 * (1 + (_i / 8 - 1) * 200e-6);
        b->n2h_credit = 1 - (double)dma_bench_below(b, 100) / 100;
        packet(p, 3, p->number[3]++, words, 0, 0, 0, 0);
        unsigned needed = words - words * ratio / 256 + 6;
        if (needed > words) needed = words;
        while (b->write_count == before) dma_bench_run(b, 20);
        uint64_t allowed = b->n2h_arrival[first + needed] + 1;
        if (b->n2h_arrival[first] + 4 > allowed)
            allowed = b->n2h_arrival[first] + 4; /* header shown 1, taken 2, checked 3, looked at 4 */
        ck_assert_msg(b->writes[before].begun > b->n2h_arrival[first + needed], "%u words at %u/256: started too early",
                      words, ratio);
        uint64_t late = b->writes[before].begun - allowed;
        worst = late > worst ? late : worst;
        dma_bench_run(b, 60 + dma_bench_below(b, 40));
    }
    ck_assert_msg(worst <= 1, "request %llu clocks after the rule allows it", (unsigned long long)worst);
    check(p, 100000);
    ck_assert_uint_eq(b->underflows, 0);
}

/* The check can fail: words come at half the configured rate. */
TEST(checker_sees_a_burst_running_dry)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->no_fail = 1;
    b->write_latency = 1;
    b->n2h_rate = 96 / 512.0;
    dma_bench_packet(b, dma_bench_header(1, 0, 512, 0, 0x1000), 0, 0);
    dma_bench_run(b, 4000);
    ck_assert_uint_gt(b->underflows, 0);
    ck_assert_uint_gt(b->mistakes, 0);
}

/* A burst that ran dry has written undefined words: its notification is flagged, the next one is not. */
TEST(a_burst_that_ran_dry_is_flagged)
{
    struct dma_bench *b = dma_bench_new(0, 1);
    b->underflows_allowed = 1000;
    b->write_latency = 1;
    b->n2h_rate = 96 / 512.0;
    dma_bench_packet(b, dma_bench_header(1, 0, 512, NOTIFY_REMOTE, 0x1000), 0, 0);
    dma_bench_finish(b, 5000);
    b->n2h_rate = 1;
    dma_bench_packet(b, dma_bench_header(1, 1, 5, NOTIFY_REMOTE, 0x1000), 0, 0);
    dma_bench_finish(b, 5000);
    ck_assert_uint_gt(b->underflows, 0);
    ck_assert_uint_eq(b->writes[1].data[0] >> 63, 1);
    ck_assert_uint_eq(b->writes[3].data[0] >> 63, 0);
}

TEST(store_and_forward_waits_for_the_whole_packet)
{
    struct plan *p = plan_new(0);
    struct dma_bench *b = p->b;
    *b->m->cfg_cut_through = 0;
    b->n2h_rate = 0.01;
    packet(p, 3, p->number[3]++, 62, 0, 0, 0, 0);
    check(p, 10000);
    ck_assert_uint_gt(b->writes[0].begun, b->n2h_arrival[62]);
}

/* Off: nothing is taken from N2H or written; on again: all goes on. */
TEST(nothing_moves_while_off, .to = 2)
{
    struct plan *p = plan_new((uint64_t)_i);
    struct dma_bench *b = p->b;
    uint8_t *bit = _i ? b->m->cfg_bus_master : b->m->cfg_initiator_enable;
    b->n2h_rate = 0.5;
    *bit = 0;
    for (unsigned i = 0; i < 100; i++) packet(p, i % 5, p->number[i % 5]++, 1 + dma_bench_below(b, 100), 7, 0, 0, 0);
    dma_bench_run(b, 500);
    ck_assert_uint_eq(b->n2h_popped, 0);
    *bit = 1;
    for (unsigned i = 0; i < 60; i++) {
        dma_bench_run(b, 1 + dma_bench_below(b, 300));
        b->ack_percent = 0;
        dma_bench_run(b, 1);
        *bit = 0;
        unsigned done = b->write_count + (unsigned)b->writing;
        dma_bench_run(b, 800);
        ck_assert_uint_eq(b->write_count, done);
        b->ack_percent = 100;
        dma_bench_run(b, 50);
        ck_assert_uint_eq(b->write_count, done);
        *bit = 1;
    }
    check(p, 100000);
}

/* Short transfers without end, each read with a long latency, that never fill H2N: received packets are written all the
 * same. */
TEST(incoming_goes_on_during_short_reads, .to = 4)
{
    struct plan *p = plan_new((uint64_t)_i);
    struct dma_bench *b = p->b;
    b->read_latency = _i ? 1 : 400;
    b->read_percent = _i == 3 ? 1 : 100;
    for (unsigned i = 0; i < 900; i++) dma_bench_post(b, i % QUEUES, _i == 2 ? 512 : 62, 0, 1);
    for (unsigned i = 0; i < 40; i++) packet(p, 1, p->number[1]++, 62, 0, 0, 0, 0);
    dma_bench_run(b, 40 * 63 * 256 / 96 + 4000);
    ck_assert_uint_gt(b->posts[0], b->heads[0]); /* outgoing transfers are still waiting */
    ck_assert_uint_eq(b->write_count, 40);
    b->read_percent = 100;
    check(p, 600000);
}
