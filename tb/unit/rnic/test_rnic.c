/* The NIC in C against itself on a wire: valid traffic, faults at random and one by one, and refusals. */
#include <string.h>

#include "rnic_bench.h"
#include "sim/core/kernel/sim.h"
#include "sim/traffic/faults/line.h"

#define counter(s, name) rnic_get_counters(b.side[s].r)->name

static const uint32_t starts[] = {0, 0xfffff0, 0x7ffff8};
static const unsigned pmtus[] = {256, 512, 1024, 2048, 4096};

static void expect_good(const traffic_params *t)
{
    const char *wrong = traffic(t);

    ck_assert_msg(!wrong, "%s", wrong);
}

TEST_CASE("traffic");

/* Every PMTU, IPv4 and IPv6, PSNs from 0 and over both edges. */
TEST(everything_comes_through_without_faults, .to = 30)
{
    bench_params p = bench_defaults();
    traffic_params t = traffic_defaults();

    p.connection.pmtu = pmtus[_i % 5];
    p.connection.send_psn = starts[_i / 5 % 3];
    p.ipv6 = _i >= 15;
    p.qps = 2;
    t.seed = (uint64_t)_i;
    t.messages = 40;
    t.longest = 12000;
    start(&p);
    expect_good(&t);
    for (int s = 0; s < 2; s++) {
        ck_assert_uint_eq(counter(s, completer_retry_err), 0);
        ck_assert_uint_eq(counter(s, duplicate_request), 0);
        ck_assert_uint_eq(counter(s, rcvd_pkts), counter(!s, sent_pkts));
    }
}

/* Each length around the borders of packets, as SEND, WRITE and READ. */
TEST(every_length_comes_whole, .to = 5)
{
    bench_params p = bench_defaults();
    unsigned pmtu = pmtus[_i];

    p.connection.pmtu = pmtu;
    start(&p);
    const unsigned around[] = {0, pmtu, 2 * pmtu, 3 * pmtu};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned d = 0; d < 11; d++) {
            unsigned length = around[i] + d - (around[i] ? 5 : 0), id = 11 * i + d;
            uint8_t *to = b.side[1].memory + SOURCE, *back = b.side[0].memory + SOURCE;

            memset(to, 0, 3 * SLOT);
            memset(back, 0, SLOT);
            b.polled = 0;
            post_receive(1, id, SOURCE + 1, length);
            post(0, RNIC_SEND, 1, id, length, 0);
            post(0, RNIC_WRITE, 2, id + 1, length, SOURCE + SLOT + 3);
            post(0, RNIC_READ, 3, SOURCE + 1, length, id + 2);
            run_to(b.now + SIM_MS);
            poll_side(1);
            ck_assert_uint_eq(b.polled, 1);
            ck_assert_uint_eq(b.completion[0].length, length);
            poll_side(0);
            ck_assert_uint_eq(b.polled, 4);
            for (unsigned c = 0; c < 4; c++) ck_assert_int_eq(b.completion[c].status, RNIC_SUCCESS);
            ck_assert_mem_eq(to + 1, b.side[0].memory + id, length);
            ck_assert_uint_eq(to[0] | to[length + 1], 0);
            ck_assert_mem_eq(to + SLOT + 3, b.side[0].memory + id + 1, length);
            ck_assert_uint_eq(to[SLOT + 2] | to[SLOT + length + 3], 0);
            ck_assert_mem_eq(back + 1, b.side[1].memory + id + 2, length);
            ck_assert_uint_eq(back[0] | back[length + 1], 0);
        }
}

static bench_params faulty(double rate, uint32_t psn, uint64_t seed)
{
    bench_params p = bench_defaults();

    p.connection.send_psn = psn;
    p.connection.retries = RNIC_FOREVER;
    p.connection.pmtu = 512;
    p.qps = QPS;
    p.wire.lose = p.wire.duplicate = p.wire.delay = p.wire.flip = rate;
    p.wire.seed = seed;
    return p;
}

/* So much of each of loss, duplicates, reordering and damage. */
TEST(every_message_comes_exactly_once_over_a_bad_wire, .to = 12)
{
    static const double rates[] = {0.01, 0.03, 0.1};
    bench_params p = faulty(rates[_i % 3], starts[_i / 3 % 3], (uint64_t)_i);
    traffic_params t = traffic_defaults();

    t.seed = (uint64_t)_i;
    t.messages = 150;
    t.late_receive = _i % 2 ? 20 : 0;
    p.ipv6 = _i % 4 == 3;
    p.connection.ack_delay = _i % 5 == 4 ? 2 * SIM_US : 0;
    p.connection.reads = 1 + (unsigned)_i % 16;
    p.connection.window = _i % 3 == 1 ? 20 : 1024;
    start(&p);
    expect_good(&t);
    ck_assert_uint_gt(counter(0, completer_retry_err), 0);
    ck_assert_uint_gt(counter(0, bad_icrc), 0);
    ck_assert_uint_gt(counter(0, duplicate_request), 0);
    if (t.late_receive) ck_assert_uint_eq(counter(0, rcvd_rnr_err) > 0, counter(1, send_rnr_err) > 0);
}

/* ---- the checker of the traffic notices */

static unsigned checked;

static void damage(int s, unsigned qp, uint8_t *data, uint32_t *length)
{
    (void)s;
    (void)qp;
    if (checked++ == 20 && *length) data[*length - 1] ^= 0x10;
}

static void overrun(int s, unsigned qp, uint8_t *data, uint32_t *length)
{
    (void)s;
    (void)qp;
    if (checked++ == 20) data[*length] ^= 0x10;
}

static void shorten(int s, unsigned qp, uint8_t *data, uint32_t *length)
{
    (void)s;
    (void)qp;
    (void)data;
    if (checked++ == 20 && *length) --*length;
}

/* A message that the peer never asked for. */
static void intrude(int s, unsigned qp, uint8_t *data, uint32_t *length)
{
    (void)data;
    (void)length;
    if (checked++ == 20) rnic_post_send(b.side[!s].qp[qp], &(rnic_send){.id = 7, .operation = RNIC_SEND, .length = 0});
}

static void scribble(int s, unsigned qp, uint8_t *data, uint32_t *length)
{
    (void)qp;
    (void)data;
    (void)length;
    if (checked++ == 20) b.side[s].memory[MEMORY - 1] = 0;
}

TEST(the_checker_of_the_traffic_notices, .to = 5)
{
    static void (*const faults[])(int, unsigned, uint8_t *, uint32_t *) = {damage, overrun, shorten, intrude, scribble};
    static const char *const texts[] = {"wrong bytes", "has changed", "bytes received on side",
                                        "bytes received on side", "has changed"};
    bench_params p = bench_defaults();
    traffic_params t = traffic_defaults();

    t.most = 10 * SIM_MS;
    t.longest = 3000;
    start(&p);
    checked = 0;
    before_judging = faults[_i];
    const char *wrong = traffic(&t);
    before_judging = NULL;
    ck_assert_msg(wrong && strstr(wrong, texts[_i]), "%s", wrong ? wrong : "nothing");
}

TEST(the_checker_notices_a_wire_that_loses_everything)
{
    bench_params p = bench_defaults();
    traffic_params t = traffic_defaults();

    p.connection.retries = RNIC_FOREVER;
    p.wire.lose = 1;
    t.most = 3 * SIM_MS;
    start(&p);
    const char *wrong = traffic(&t);
    ck_assert_msg(wrong && strstr(wrong, "not all is complete"), "%s", wrong ? wrong : "nothing");
}

/* ---- one fault at a time */

TEST_CASE("faults");

/*
 * Side 0 posts a SEND, a READ and a WRITE of 700 bytes with a PMTU of 256, PSNs 0..8. Without a fault
 *   from a: SEND first, middle, last (frames 0 1 2), READ request (3), WRITE first, middle, last (4 5 6)
 *   from b: ACK of the SEND (0), three READ responses (1 2 3), ACK of the WRITE (4)
 *
 * What comes a second time is answered with an ACK of the newest PSN (C9-105), or with the READ's data. Once all is
 * acknowledged those ACKs are ghosts; two that wait for the line are one.
 */
static const struct {
    const char *plan;
    /* at the responder: NAKs for PSNs ahead, requests behind, at the requester: times it went back, of these timeouts,
     * gaps, ghosts */
    unsigned naks, duplicates, retries, timeouts, gaps, ghosts;
} single[] = {
    {"lose line 0%", 0, 0, 0, 0, 0, 0},
    {"lose a 0", 1, 0, 1, 0, 0, 0},
    {"lose a 1", 1, 0, 1, 0, 0, 0},
    {"lose a 2", 1, 0, 1, 0, 0, 0}, /* the READ request is ahead */
    {"lose a 3", 1, 0, 1, 0, 0, 0}, /* the WRITE is */
    {"lose a 6", 0, 2, 1, 1, 0, 1}, /* nothing comes behind: timeout, and first and middle were there already */
    {"lose a 3..6", 0, 0, 1, 1, 0, 0},
    {"lose b 0", 0, 0, 0, 0, 0, 0}, /* the READ's response acknowledges the SEND */
    {"lose b 1", 0, 4, 1, 0, 3, 1}, /* the READ again, and with it the WRITE; two responses and the ACK were beyond */
    {"lose b 2", 0, 4, 1, 0, 2, 2},
    {"lose b 3", 0, 4, 1, 0, 1, 2}, /* only the next ACK shows it */
    {"lose b 4", 0, 3, 1, 1, 0, 2},
    {"lose b 0..4", 0, 10, 2, 1, 3, 3},  /* all again; and the ACKs of the SEND, seen before the READ
                                            is answered, ask for it once more */
    {"duplicate a 0", 0, 1, 0, 0, 0, 0}, /* acknowledged at once: nothing yet, PSN behind 0 */
    {"duplicate b 0", 0, 0, 0, 0, 0, 1},
    {"duplicate b 2", 0, 0, 0, 0, 0, 1},
    {"flip a 1 bit 500", 1, 0, 1, 0, 0, 0},
    {"flip b 2 bit 500", 0, 4, 1, 0, 2, 2},
    {"spoil a 6 bit 500", 0, 2, 1, 1, 0, 1},
    {"cut a at 0us for 30us", 0, 0, 1, 1, 0, 0},
};

TEST(one_fault_costs_what_it_should, .to = 3 * COUNT(single))
{
    bench_params p = bench_defaults();
    int row = _i / 3;

    p.connection.pmtu = 256;
    p.connection.send_psn = starts[_i % 3];
    start(&p);
    ck_assert_msg(!ethernet_wire_plan(b.wire, single[row].plan, b.error), "%s", b.error);
    post_receive(1, 1, SOURCE, 700);
    post(0, RNIC_SEND, 1, 11, 700, 0);
    post(0, RNIC_READ, 2, SOURCE, 700, 22);
    post(0, RNIC_WRITE, 3, 33, 700, SOURCE + SLOT);
    run_to(SIM_MS);
    poll_side(0);
    ck_assert_uint_eq(b.polled, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(b.completion[i].id, i + 1);
        ck_assert_int_eq(b.completion[i].status, RNIC_SUCCESS);
    }
    poll_side(1);
    ck_assert_uint_eq(b.polled, 4);
    ck_assert_uint_eq(b.completion[3].length, 700);
    ck_assert_mem_eq(b.side[1].memory + SOURCE, b.side[0].memory + 11, 700);
    ck_assert_mem_eq(b.side[0].memory + SOURCE, b.side[1].memory + 22, 700);
    ck_assert_mem_eq(b.side[1].memory + SOURCE + SLOT, b.side[0].memory + 33, 700);
    const unsigned got[] = {(unsigned)counter(1, out_of_seq_request),
                            (unsigned)counter(1, duplicate_request),
                            (unsigned)counter(0, completer_retry_err),
                            (unsigned)counter(0, timeouts),
                            (unsigned)counter(0, gaps),
                            (unsigned)counter(0, ghosts)};
    const unsigned expected[] = {single[row].naks,     single[row].duplicates, single[row].retries,
                                 single[row].timeouts, single[row].gaps,       single[row].ghosts};
    ck_assert_msg(!memcmp(got, expected, sizeof got), "%s: %u %u %u %u %u %u, expected %u %u %u %u %u %u",
                  single[row].plan, got[0], got[1], got[2], got[3], got[4], got[5], expected[0], expected[1],
                  expected[2], expected[3], expected[4], expected[5]);
    ck_assert_uint_eq(counter(0, rcvd_seq_err), counter(1, out_of_seq_request));
}

/* Any frame lost, doubled or delayed by up to 16: all comes through. */
TEST(any_frame_may_be_struck, .to = 3)
{
    static const char *const verbs[] = {"lose", "duplicate", "delay"};

    for (unsigned from = 0; from < 2; from++)
        for (unsigned frame = 0; frame < 12; frame++)
            for (unsigned by = 1; by <= (_i == 2 ? 16 : 1); by += 5) {
                bench_params p = bench_defaults();
                traffic_params t = traffic_defaults();
                char text[64];

                t.messages = 6;
                t.longest = 3000;
                start(&p);
                snprintf(text, sizeof text, _i == 2 ? "%s %s %u by %u" : "%s %s %u", verbs[_i], from ? "b" : "a", frame,
                         by);
                ck_assert_int_eq(ethernet_wire_plan(b.wire, text, b.error), 0);
                const char *wrong = traffic(&t);
                ck_assert_msg(!wrong, "%s: %s", text, wrong);
            }
}

/* ---- refusals */

TEST_CASE("refusals");

enum { NO_KEY, OLD_KEY, NO_WRITE_RIGHT, NO_READ_RIGHT, BEFORE, BEHIND, OTHER_DOMAIN, QP_FORBIDS };

/* A wrong remote key: NAK 62, the request completes with an error, later requests are flushed, nothing is written; both
 * QPs have failed.
 */
TEST(a_wrong_remote_key_is_refused, .to = 16)
{
    bench_params p = bench_defaults();
    rnic_operation operation = _i % 2 ? RNIC_READ : RNIC_WRITE;
    int what = _i / 2;

    if (what == QP_FORBIDS) p.connection.access = operation == RNIC_WRITE ? RNIC_REMOTE_READ : RNIC_REMOTE_WRITE;
    start(&p);
    side *other = &b.side[1];
    uint32_t rights = what == NO_WRITE_RIGHT ? RNIC_REMOTE_READ : what == NO_READ_RIGHT ? RNIC_REMOTE_WRITE : 6;
    uint32_t key =
        rnic_register(other->r, what == OTHER_DOMAIN ? 8 : DOMAIN_1, other->memory + SOURCE, 1000, 600, rights);
    rnic_send w = {.id = 1,
                   .operation = operation,
                   .address = BASE(0) + SOURCE,
                   .key = b.side[0].key,
                   .length = 600,
                   .remote = 1000,
                   .rkey = key};
    int refused = what != (operation == RNIC_WRITE ? NO_READ_RIGHT : NO_WRITE_RIGHT);

    if (what == NO_KEY) w.rkey = 0x12345678;
    if (what == OLD_KEY) ck_assert_int_eq(rnic_deregister(other->r, key), 0);
    if (what == BEFORE) w.remote--;
    if (what == BEHIND) w.remote++;
    memset(b.side[0].memory + SOURCE, 0x5a, 600);
    post_receive(0, 5, SOURCE, 1);
    ck_assert_int_eq(rnic_post_send(b.side[0].qp[0], &w), 0);
    post(0, RNIC_SEND, 2, 0, 1, 0);
    post_receive(1, 6, SOURCE + SLOT, 1);
    run_to(SIM_MS);
    poll_side(0);
    if (!refused) {
        ck_assert_uint_eq(b.polled, 2);
        return;
    }
    ck_assert_uint_eq(b.polled, 3);
    ck_assert_int_eq(b.completion[0].status, RNIC_REMOTE_ACCESS);
    ck_assert_int_eq(b.completion[1].status, RNIC_FLUSHED);
    ck_assert_int_eq(b.completion[2].status, RNIC_FLUSHED);
    ck_assert_uint_eq(b.completion[2].id, 5);
    ck_assert_uint_eq(counter(1, naks_sent), 1);
    ck_assert_uint_eq(counter(0, naks_received), 1);
    for (int s = 0; s < 2; s++) ck_assert_int_eq(rnic_qp_state(b.side[s].qp[0]), RNIC_FAILED);
    for (unsigned i = 0; i < 600; i++) {
        ck_assert_uint_eq(other->memory[SOURCE + i], 0xa5);
        ck_assert_uint_eq(b.side[0].memory[SOURCE + i], 0x5a);
    }
    ck_assert_int_eq(rnic_post_send(b.side[0].qp[0], &w), -1);
}

/* A QP that has failed can be restarted, and another one has noticed nothing. */
TEST(after_a_reset_a_queue_pair_works_again)
{
    bench_params p = bench_defaults();

    p.qps = 2;
    start(&p);
    post(0, RNIC_WRITE, 1, 0, 100, MEMORY - 50);
    run_to(SIM_MS);
    for (int s = 0; s < 2; s++) {
        rnic_connection c = p.connection;

        ck_assert_int_eq(rnic_qp_state(b.side[s].qp[0]), RNIC_FAILED);
        ck_assert_int_eq(rnic_qp_state(b.side[s].qp[1]), RNIC_READY);
        rnic_reset(b.side[s].qp[0]);
        c.peer.mac[0] = 2;
        c.peer.mac[5] = !s;
        rnic_set_ipv4(c.peer.ip, 0x0a000002 - (uint32_t)s);
        c.qp = FIRST_QP;
        c.send_psn = c.receive_psn = 77;
        ck_assert_int_eq(rnic_connect(b.side[s].qp[0], &c, b.error), 0);
        rnic_completion done;
        while (rnic_poll(b.side[s].r, &done))
            ;
    }
    traffic_params t = traffic_defaults();
    expect_good(&t);
}

TEST(a_receiver_that_is_not_ready_is_asked_again_after_its_time, .to = 2)
{
    bench_params p = bench_defaults();

    p.connection.rnr_timer = 14; /* 1.28 ms */
    p.connection.rnr_retries = _i ? 7 : 2;
    start(&p);
    post(0, RNIC_SEND, 1, 0, 3000, 0);
    post(0, RNIC_SEND, 2, 0, 10, 0);
    run_to(SIM_MS * 5);
    poll_side(0);
    if (_i) {
        ck_assert_uint_eq(b.polled, 0);
        ck_assert_uint_eq(counter(0, rcvd_rnr_err), 4); /* at 0, 1.28, 2.56, 3.84 ms */
        post_receive(1, 1, SOURCE, 3000);
        post_receive(1, 2, SOURCE + SLOT, 3000);
        run_to(SIM_MS * 6);
        poll_side(0);
        ck_assert_uint_eq(b.polled, 2);
        ck_assert_int_eq(b.completion[1].status, RNIC_SUCCESS);
        ck_assert_uint_eq(counter(1, out_of_seq_request), 0);
        ck_assert_uint_eq(counter(0, completer_retry_err), 0);
    } else {
        ck_assert_uint_eq(counter(0, rcvd_rnr_err), 3);
        ck_assert_uint_eq(counter(0, retry_rnr_exceeded_err), 1);
        ck_assert_uint_eq(b.polled, 2);
        ck_assert_int_eq(b.completion[0].status, RNIC_RNR_RETRIES_OUT);
        ck_assert_int_eq(b.completion[1].status, RNIC_FLUSHED);
    }
}

/* Timeout 4.096 us x 2^4 = 65.5 us: 1 + 3 tries, then an error after 262 us. */
TEST(retries_run_out)
{
    bench_params p = bench_defaults();

    p.connection.retries = 3;
    p.wire.lose = 1;
    start(&p);
    post(0, RNIC_WRITE, 1, 0, 10, SOURCE);
    run_to(261 * SIM_US);
    poll_side(0);
    ck_assert_uint_eq(b.polled, 0);
    run_to(264 * SIM_US);
    poll_side(0);
    ck_assert_uint_eq(b.polled, 1);
    ck_assert_int_eq(b.completion[0].status, RNIC_RETRIES_OUT);
    ck_assert_uint_eq(counter(0, sent_pkts), 4);
    ck_assert_uint_eq(counter(0, retry_exceeded_err), 1);
}

TEST(a_message_longer_than_its_receive_is_refused)
{
    bench_params p = bench_defaults();

    start(&p);
    post_receive(1, 1, SOURCE, 1999);
    post(0, RNIC_SEND, 1, 0, 2000, 0);
    run_to(SIM_MS);
    poll_side(0);
    poll_side(1);
    ck_assert_uint_eq(b.polled, 2);
    ck_assert_int_eq(b.completion[0].status, RNIC_REMOTE_INVALID);
    ck_assert_int_eq(b.completion[1].status, RNIC_LOCAL_LENGTH);
}

TEST(a_wrong_own_key_is_noticed_before_anything_is_sent)
{
    bench_params p = bench_defaults();

    start(&p);
    post(0, RNIC_WRITE, 1, 0, 10, SOURCE);
    rnic_send w = {
        .id = 2, .operation = RNIC_WRITE, .address = BASE(0) + MEMORY - 9, .key = b.side[0].key, .length = 10};
    ck_assert_int_eq(rnic_post_send(b.side[0].qp[0], &w), 0);
    run_to(SIM_MS);
    poll_side(0);
    ck_assert_uint_eq(b.polled, 2);
    ck_assert_int_eq(b.completion[0].status, RNIC_SUCCESS);
    ck_assert_int_eq(b.completion[1].status, RNIC_LOCAL_PROTECTION);
    ck_assert_uint_eq(counter(0, sent_pkts), 1);
}

TEST(datagrams_come_with_their_sender, .to = 2)
{
    bench_params p = bench_defaults();
    rnic_qp *qp[2];

    start(&p);
    for (int s = 0; s < 2; s++) {
        qp[s] = rnic_qp_new(b.side[s].r, &(rnic_qp_params){.number = 1, .type = RNIC_UD, .domain = DOMAIN_1}, b.error);
        ck_assert_msg(qp[s] != NULL, "%s", b.error);
    }
    rnic_send w = {.id = 9,
                   .address = BASE(0) + 5,
                   .key = b.side[0].key,
                   .length = 256,
                   .peer = {.mac = {2, 0, 0, 0, 0, 1}},
                   .qp = 1};
    if (_i) memcpy(w.peer.ip, (uint8_t[16]){0xfd, [15] = 2}, 16);
    else rnic_set_ipv4(w.peer.ip, 0x0a000002);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(rnic_post_send(qp[0], &w), 0);
    for (unsigned i = 0; i < 2; i++)
        rnic_post_receive(
            qp[1],
            &(rnic_receive){.id = i, .address = BASE(1) + SOURCE + SLOT * i, .key = b.side[1].key, .length = 256});
    run_to(SIM_MS);
    poll_side(1);
    ck_assert_uint_eq(b.polled, 2);
    ck_assert_uint_eq(counter(1, no_receive), 1);
    ck_assert_uint_eq(b.completion[1].source_qp, 1);
    ck_assert_uint_eq(b.completion[1].length, 256);
    ck_assert_uint_eq(b.completion[1].from.mac[5], 0);
    ck_assert_uint_eq(b.completion[1].from.ip[15], 1);
    ck_assert_mem_eq(b.side[1].memory + SOURCE + SLOT, b.side[0].memory + 5, 256);
    poll_side(0);
    ck_assert_uint_eq(b.polled, 5);
}

TEST(wrong_parameters_are_reported)
{
    bench_params p = bench_defaults();
    rnic_connection c = p.connection;

    start(&p);
    ck_assert_ptr_null(rnic_qp_new(b.side[0].r, &(rnic_qp_params){.number = FIRST_QP}, b.error));
    ck_assert_str_eq(b.error, "QP 32: number: there is such a QP already");
    ck_assert_ptr_null(rnic_qp_new(b.side[0].r, &(rnic_qp_params){.number = 1}, b.error));
    ck_assert_str_eq(b.error, "QP 1: type: expected datagrams for QP 1, and for it alone");
    ck_assert_int_eq(rnic_connect(b.side[0].qp[0], &c, b.error), -1);
    ck_assert_str_eq(b.error, "QP 32: expected a QP for a connection that is in reset");
    rnic_reset(b.side[0].qp[0]);
    c.pmtu = 1500;
    ck_assert_int_eq(rnic_connect(b.side[0].qp[0], &c, b.error), -1);
    ck_assert_str_eq(b.error, "QP 32: pmtu: expected 256, 512, 1024, 2048 or 4096");
    ck_assert_ptr_null(rnic_new(&(rnic_params){.mac = {2}}, b.error));
    ck_assert_str_eq(b.error, "RNIC: clock: expected a function");
}
