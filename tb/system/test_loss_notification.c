/* No good notification for lost data: a packet dropped, repeated or damaged at each place on its way shows in its
 * source's next notification and in a counter; other sources do not notice (design.md 3). */
#include "loss_bench.h"
#include "sim/model/cable/frame_tap.h"
#include "test.h"

enum { X = 3 /* the flow that suffers */, OTHER = 5 };

/* After a loss in flow X: everything that its source has posted before is covered by the next notification, others are
 * good. */
static void next_is_flagged(bench *b)
{
    ck_assert_int_eq(loss_notified(b, OTHER, 70), 0);
    ck_assert_int_eq(loss_notified(b, X, 70), 1);
    ck_assert_int_eq(loss_notified(b, X, 70), 0);
}

/* The loss shows in the notification of the piece itself or, if that is lost, of the next one. */
static void loss_shows(bench *b, const piece *bad, int itself)
{
    bench_wait(b, 60 * SIM_US);
    if (itself) {
        ck_assert_int_eq(loss_reported(b, bad), 1);
        return;
    }
    ck_assert_uint_eq(b->flow[X].notified, 1);
    ck_assert_int_eq(loss_notified(b, OTHER, 62), 0);
    ck_assert_int_eq(loss_notified(b, X, 62), 1);
}

/* Then all is well, and these counters have risen besides that of flagged notifications. */
static void counted(bench *b, const change *also)
{
    change changes[6] = {{NIC_FLAGGED_NOTIFICATIONS, 1}};
    for (unsigned i = 0; also[i].offset; i++) changes[i + 1] = also[i];
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    loss_expect(b, changes);
    loss_prove(b);
}

/* ---- in the switch */

struct switch_fault {
    enum far_end_fault fault;
    int own; /* the damaged packet is the last of its piece and carries the loss indication */
    change changes[5];
};
static const struct switch_fault switch_faults[] = {
    {FAR_END_DROPPED, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {FAR_END_LOST, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {FAR_END_REPEATED, 1, {{NIC_SEQUENCE_GAPS, 1}}},
    {FAR_END_BAD_HEADER, 0, {{NIC_SEQUENCE_GAPS, 1}, {NIC_HEADER_CRC_ERRORS, 1}}},
    {FAR_END_BAD_HEADER_CRC, 0, {{NIC_SEQUENCE_GAPS, 1}, {NIC_HEADER_CRC_ERRORS, 1}}},
    {FAR_END_BAD_BODY, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {FAR_END_BAD_BODY_CRC, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {FAR_END_CUT_SHORT, 1, {{NIC_BODY_CRC_ERRORS, 1}, {NIC_ALIGNMENT_ERRORS, 1}}},
};
enum { SWITCH_FAULTS = COUNT(switch_faults) };

TEST_CASE("switch", .timeout = 60);

/* variation: the fault, and which packet of the piece of four it strikes */
LOSS_TEST(a_packet_damaged_dropped_or_repeated_in_the_switch, .to = 4 * SWITCH_FAULTS)
{
    const struct switch_fault *f = &switch_faults[_i % SWITCH_FAULTS];
    unsigned packet = (unsigned)_i / SWITCH_FAULTS;
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    loss_arm(packet, f->fault);
    piece bad = bench_send(b, X, 4 * 62, NX_REMOTE);
    loss_shows(b, &bad, f->own || packet < 3); /* later packets of the piece report it */
    /* the first copy of a repeated packet is good, the second is flagged */
    ck_assert_uint_eq(b->flow[X].flagged, 1);
    ck_assert_uint_eq(loss_faults(), 1);
    counted(b, f->changes);
}

TEST_CASE("unnotified", .timeout = 60);

/* The damaged piece requests no notification: its source's next one reports the loss. */
LOSS_TEST(a_loss_without_a_notification_of_its_own, .to = SWITCH_FAULTS)
{
    const struct switch_fault *f = &switch_faults[_i];
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    loss_arm(1, f->fault);
    bench_send(b, X, 3 * 62, 0);
    bench_wait(b, 30 * SIM_US);
    ck_assert_uint_eq(loss_faults(), 1);
    ck_assert_uint_eq(b->flow[X].good + b->flow[X].flagged, 1);
    next_is_flagged(b);
    loss_prove(b);
}

/* ---- on the cable, on the way out and on the way back */

struct cable_fault {
    int from; /* 0 the NIC, 1 the link partner */
    frame_damage damage;
    unsigned arg;
    int own; /* the packet arrives, damaged, and carries the loss indication */
    change changes[5];
};
static struct cable_fault cable_faults[] = {
    {0, frame_lose, 0, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {0, frame_lose_sop, 0, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {0, frame_bad_header, 0, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {0, frame_bad_header_crc, 0, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {0, frame_bad_body, 0, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {0, frame_bad_body_crc, 0, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {0, frame_truncate, 33, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {1, frame_lose, 0, 0, {{NIC_SEQUENCE_GAPS, 1}}},
    {1, frame_lose_sop, 0, 0, {{NIC_SEQUENCE_GAPS, 1}, {NIC_ALIGNMENT_ERRORS, 1}}},
    {1, frame_bad_header, 0, 0, {{NIC_SEQUENCE_GAPS, 1}, {NIC_HEADER_CRC_ERRORS, 1}}},
    {1, frame_bad_header_crc, 0, 0, {{NIC_SEQUENCE_GAPS, 1}, {NIC_HEADER_CRC_ERRORS, 1}}},
    {1, frame_bad_body, 0, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {1, frame_bad_body_crc, 0, 1, {{NIC_BODY_CRC_ERRORS, 1}}},
    {1, frame_truncate, 33, 1, {{NIC_BODY_CRC_ERRORS, 1}, {NIC_ALIGNMENT_ERRORS, 1}}},
};
enum { CABLE_FAULTS = COUNT(cable_faults) };

TEST_CASE("cable", .timeout = 60);

/* variation: the fault, and whether it strikes the last packet of the piece or the second of three */
LOSS_TEST(a_frame_damaged_or_lost_on_the_cable, .to = 2 * CABLE_FAULTS)
{
    struct cable_fault *f = &cable_faults[_i % CABLE_FAULTS];
    int middle = _i / CABLE_FAULTS;
    frame_tap *tap = tap_on(b->wire);
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    frame_tap_arm(tap, f->from, FRAME_DATA, middle ? 1 : 2, 1, f->damage, &f->arg);
    piece bad = bench_send(b, X, 3 * 62, NX_REMOTE);
    loss_shows(b, &bad, middle || f->own);
    ck_assert_uint_eq(frame_tap_done(tap, f->from), 1);
    counted(b, f->changes);
}

/* A wrong code bit anywhere in a frame: in SOP, or this many words behind the start of the header. */
enum { IN_SOP = 999 };
static void code_bit(void *arg, frame_word *w)
{
    unsigned at = *(unsigned *)arg;
    if (at == IN_SOP ? w->index == 0 : w->index == w->header + at) *w->flip ^= (uint64_t)1 << 17;
}

TEST_CASE("code", .timeout = 60);

LOSS_TEST(a_wrong_code_bit_in_a_frame, .to = 20)
{
    static unsigned words[] = {IN_SOP, 0, 1, 2, 3, 4, 40, 125, 126, 127};
    frame_tap *tap = tap_on(b->wire);
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    frame_tap_arm(tap, _i & 1, FRAME_DATA, 1, 1, code_bit, &words[_i / 2]);
    bench_send(b, X, 3 * 62, 0);
    bench_wait(b, 60 * SIM_US);
    ck_assert_uint_eq(frame_tap_done(tap, _i & 1), 1);
    uint32_t damage = bench_get(b, 0, NIC_SEQUENCE_GAPS) + bench_get(b, 0, NIC_BODY_CRC_ERRORS);
    next_is_flagged(b);
    ck_assert_uint_eq(bench_get(b, 0, NIC_SEQUENCE_GAPS) + bench_get(b, 0, NIC_BODY_CRC_ERRORS), 1);
    ck_assert_uint_le(damage, 1);
    loss_prove(b);
}

/* ---- reading host memory */

static const struct {
    int kind;
    unsigned value;
} read_faults[] = {
    {HOST_RANGE_NOBODY, 0},
    {HOST_RANGE_TARGET_ABORT, 0},
    {HOST_RANGE_SPLIT_ERROR, 0x100},
    {HOST_RANGE_SPLIT_ERROR, 0x101 | 2u << 12}, /* after two pieces of data */
};

/* The transfer is abandoned: nothing of it may be taken for whole. */
static void read_failed(bench *b, const piece *bad)
{
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &bad->ticket), NX_ERROR_ABANDONED);
    host_clear_ranges(b->n[0]->host);
    bench_wait(b, 30 * SIM_US);
    ck_assert(!bench_arrived(b, bad));
    ck_assert_uint_eq(b->flow[X].notified, 1);
    next_is_flagged(b);
    loss_expect(b, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4 * X, 1}, {NIC_SEQUENCE_GAPS, 1},
                           {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(b);
}

TEST_CASE("read", .timeout = 60);

LOSS_TEST(a_read_of_host_memory_that_fails, .to = 2 * COUNT(read_faults))
{
    unsigned words = _i & 1 && _i / 2 < COUNT(read_faults) - 1 ? 20 : 500;
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    piece bad = bench_make(b, X, words);
    bench_range(b, 0, bad.source, 8 * words, read_faults[_i / 2].kind, read_faults[_i / 2].value);
    bench_post(b, &bad, NX_REMOTE);
    read_failed(b, &bad);
}

TEST_CASE("read_parity", .timeout = 60);

LOSS_TEST(wrong_data_of_a_read, .to = 10)
{
    static const unsigned index[] = {0, 61, 62, 200, 309};
    host_params p = b->n[0]->params.host;
    p.cuts = 0; /* one completion */
    host_set_params(b->n[0]->host, &p);
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    piece bad = bench_make(b, X, 5 * 62);
    bench_bus_fault(
        b, 0, 0, PCIX_SPLIT_COMPLETION,
        (pcix_fault){
            .phase = PCIX_PH_DATA, .index = index[_i / 2], .ad = _i & 1 ? 0 : 1ull << (_i * 5), .parity = _i & 1});
    bench_post(b, &bad, NX_REMOTE);
    read_failed(b, &bad);
    ck_assert_uint_eq(bench_bus_faults(b, 0), 1);
}

/* ---- writing host memory */

TEST_CASE("write", .timeout = 60);

/* variation: kind of failure; the piece that is hit asks for a notification or not */
LOSS_TEST(a_write_to_host_memory_that_fails, .to = 8)
{
    static const pcix_fault wrong[] = {{.phase = PCIX_PH_DATA, .index = 17, .ad = 1ull << 33},
                                       {.phase = PCIX_PH_DATA, .index = 61, .parity = true}};
    unsigned flags = _i & 1 ? NX_REMOTE : 0;
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    piece bad = bench_make(b, X, 2 * 62);
    if (_i / 2 < 2)
        bench_range(b, 0, bad.destination + 62 * 8, 62 * 8, _i / 2 ? HOST_RANGE_TARGET_ABORT : HOST_RANGE_NOBODY, 0);
    else bench_bus_fault(b, 0, 1, PCIX_WRITE_BLOCK, wrong[_i / 2 - 2]);
    bench_post(b, &bad, flags);
    bench_wait(b, 60 * SIM_US);
    host_clear_ranges(b->n[0]->host);
    if (flags) {
        ck_assert_int_eq(loss_reported(b, &bad), 1);
        ck_assert_int_eq(loss_notified(b, OTHER, 62), 0);
        ck_assert_int_eq(loss_notified(b, X, 62), 0);
    } else {
        next_is_flagged(b);
    }
    loss_expect(b, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(b);
}

TEST_CASE("notification", .timeout = 60);

/* The notification itself does not arrive: the next one reports the loss. */
LOSS_TEST(a_notification_that_fails, .to = 3)
{
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    piece bad = bench_make(b, X, 8);
    bad.destination = (bad.destination + 127) & ~127u; /* one transaction, then that of the notification */
    if (_i == 2) bench_range(b, 0, b->flow[X].word, 8, HOST_RANGE_NOBODY, 0);
    else
        bench_bus_fault(b, 0, 1, PCIX_WRITE_BLOCK,
                        (pcix_fault){.skip = 1, .phase = PCIX_PH_DATA, .ad = _i == 1 ? 1ull << 45 : 1});
    bench_post(b, &bad, NX_REMOTE);
    bench_wait(b, 30 * SIM_US);
    ck_assert(bench_arrived(b, &bad));
    host_clear_ranges(b->n[0]->host);
    b->flow[X].notified = 2; /* whatever was written there is no notification */
    b->flow[X].strangers = 0;
    next_is_flagged(b);
    loss_expect(b, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(b);
}

/* ---- a software reset of either side */

TEST_CASE("sender_reset", .timeout = 60);

/* Packets wait in the output queue of a stopped destination: on chip, or with many of them in external memory too. */
LOSS_TEST(a_software_reset_of_the_sender, .to = 4)
{
    enum { FEW = 8, MANY = 40 };
    unsigned n = _i & 1 ? MANY : FEW;
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    far_end_stop(b->port->far, X);
    for (unsigned i = 0; i < n; i++) bench_send(b, X, 62, _i & 2 ? NX_REMOTE : 0);
    bench_wait(b, 150 * SIM_US);
    ck_assert_int_eq(n == MANY, bench_get(b, 0, NIC_VOQ_LEVEL + 4 * X) >> NIC_VOQ_LEVEL_BLOCKS_SHIFT > 0);
    bench_soft_reset(b, 0);
    far_end_go(b->port->far, X);
    bench_wait(b, 100 * SIM_US);
    unsigned missing = bench_missing(b, &b->flow[X].piece[1], n);
    ck_assert_uint_ge(missing, n - 6); /* four were at the link partner, one or two in the link */
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_SKIPPED + 4 * X), missing);
    next_is_flagged(b);
    loss_expect(b,
                CHANGES({NIC_QUEUE_SKIPPED + 4 * X, missing}, {NIC_SEQUENCE_GAPS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(b);
}

TEST_CASE("receiver_reset", .timeout = 60);

/* Packets wait in the receive buffer because the host retries writes; all of them have left the sender. */
LOSS_TEST(a_software_reset_of_the_receiver, .to = 2)
{
    enum { N = 5 };
    piece p[N];
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    for (unsigned i = 0; i < N; i++) {
        p[i] = bench_make(b, X, 62);
        bench_range(b, 0, p[i].destination, 8 * 62, HOST_RANGE_RETRY, 300);
        bench_post(b, &p[i], _i & 1 && i == N - 1 ? NX_REMOTE : 0);
    }
    ck_assert_int_eq(nx_drain(b->n[0]->dev, X), NX_OK);
    bench_wait(b, 10 * SIM_US);
    ck_assert(!bench_arrived(b, p));
    bench_ask_reset(b, 0);
    bench_wait(b, 10 * SIM_US);
    host_clear_ranges(b->n[0]->host); /* earlier retries go on to their end */
    bench_reset_ends(b, 0);
    bench_wait(b, 30 * SIM_US);
    ck_assert_uint_ge(bench_missing(b, p, N), N - 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_SKIPPED + 4 * X), 0);
    next_is_flagged(b);
    loss_expect(b, CHANGES({NIC_SEQUENCE_GAPS, ANY}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(b);
}

/* ---- in traffic on all flows, at random moments */

static void other_seed(port_params *p, int variation) { p->sim.seed += (uint64_t)variation << 32; }

static int cut_direction;

static void cut(bench *b)
{
    cable_cut(b->wire, cut_direction);
    bench_wait(b, 1 + sim_random_below(b->s, 30 * SIM_US));
    cable_reconnect(b->wire, cut_direction);
}

TEST_CASE("cut", .timeout = 60);

LOSS_TEST_ON(other_seed, a_cable_cut_in_traffic, .to = 9)
{
    cut_direction = 1 + _i % 3;
    loss_struck(b, cut, 1 + _i % 2);
}

static void reset(bench *b) { bench_soft_reset(b, 0); }

TEST_CASE("reset", .timeout = 60);

/* Packets of both directions in the NIC are dropped. */
LOSS_TEST_ON(other_seed, software_resets_in_traffic, .to = 12)
{
    /* some destinations are slow, so that packets wait in the NIC */
    for (unsigned i = 0; i < BENCH_FLOWS; i++)
        if (sim_random_below(b->s, 3) == 0) far_end_rate(b->port->far, i, 50);
    loss_struck(b, reset, 1 + _i % 3);
}

/* ---- the checker itself: without sequence numbers a lost packet goes unnoticed by the NIC, and must not by the
 * checker */

TEST_CASE("checker", .timeout = 60);

LOSS_TEST(the_checker_catches_a_good_notification_for_lost_data, .to = 3)
{
    bench_set(b, 0, NIC_CONTROL, bench_get(b, 0, NIC_CONTROL) | NIC_CONTROL_SEQUENCE_ZERO_MASK);
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    ck_assert_uint_eq(b->flow[X].lies, 0);
    loss_arm((unsigned)_i, FAR_END_DROPPED);
    bench_send(b, X, 3 * 62, _i < 2 ? NX_REMOTE : 0);
    bench_wait(b, 60 * SIM_US);
    ck_assert_uint_eq(b->flow[X].lies, _i < 2);
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    ck_assert_uint_eq(b->flow[X].lies, 1);
    ck_assert_int_eq(loss_notified(b, X, 62), 0);
    ck_assert_uint_eq(b->flow[X].lies, 1);
    b->flow[X].lies = 0; /* it was asked for */
}
