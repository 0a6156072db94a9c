/* No good notification for lost data: a packet dropped, repeated or damaged at each place on its way shows in its source's next
 * notification and in a counter; other sources do not notice (design.md 3). */
#include "frame_tap.h"
#include "loss_bench.h"
#include "test.h"

enum { X = 3 /* the flow that suffers */, OTHER = 5 };

/* After a loss in flow X: everything that its source has posted before is told of with the next notification, others are good. */
static void next_is_flagged(loss *l)
{
    ck_assert_int_eq(loss_notified(l, OTHER, 70), 0);
    ck_assert_int_eq(loss_notified(l, X, 70), 1);
    ck_assert_int_eq(loss_notified(l, X, 70), 0);
}

/* ---- in the switch */

struct switch_fault {
    enum far_end_fault fault;
    int own; /* the damaged packet is the last of its piece and tells itself */
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
enum { SWITCH_FAULTS = sizeof switch_faults / sizeof switch_faults[0] };

TEST_CASE("switch", .timeout = 60);

/* variation: the fault, and which packet of the piece of four it strikes */
LOSS_TEST(a_packet_damaged_dropped_or_repeated_in_the_switch, .to = 4 * SWITCH_FAULTS)
{
    const struct switch_fault *f = &switch_faults[_i % SWITCH_FAULTS];
    unsigned packet = (unsigned)_i / SWITCH_FAULTS;
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_arm(l, packet, f->fault);
    loss_piece *bad = loss_send(l, X, 4 * 62, NX_REMOTE);
    change changes[6] = {{NIC_FLAGGED_NOTIFICATIONS, 1}};
    for (unsigned i = 0; f->changes[i].offset; i++) changes[i + 1] = f->changes[i];
    if (packet < 3) { /* later packets of the piece tell */
        ck_assert_int_eq(loss_told(l, bad), 1);
    } else if (f->own) {
        loss_wait(l, 30 * SIM_US);
        ck_assert_int_eq(loss_told(l, bad), 1);
        /* the first copy of a repeated packet is good, the second is flagged */
        ck_assert_uint_eq(l->flow[X].flagged, 1);
    } else {
        loss_wait(l, 30 * SIM_US);
        ck_assert_uint_eq(l->flow[X].told, 1);
        ck_assert_int_eq(loss_notified(l, OTHER, 62), 0);
        ck_assert_int_eq(loss_notified(l, X, 62), 1);
    }
    ck_assert_uint_eq(l->faults_done, 1);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_expect(l, changes);
    loss_prove(l);
}

TEST_CASE("unnotified", .timeout = 60);

/* The piece that is hit asks for no notification: its source's next one tells. */
LOSS_TEST(a_loss_without_a_notification_of_its_own, .to = SWITCH_FAULTS)
{
    const struct switch_fault *f = &switch_faults[_i];
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_arm(l, 1, f->fault);
    loss_send(l, X, 3 * 62, 0);
    loss_wait(l, 30 * SIM_US);
    ck_assert_uint_eq(l->faults_done, 1);
    ck_assert_uint_eq(l->flow[X].good + l->flow[X].flagged, 1);
    next_is_flagged(l);
    loss_prove(l);
}

/* ---- on the cable, on the way out and on the way back */

struct cable_fault {
    int from; /* 0 the NIC, 1 the far end */
    frame_damage damage;
    unsigned arg;
    int own; /* the packet arrives, damaged, and tells itself */
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
enum { CABLE_FAULTS = sizeof cable_faults / sizeof cable_faults[0] };

TEST_CASE("cable", .timeout = 60);

/* variation: the fault, and whether it strikes the last packet of the piece or the second of three */
LOSS_TEST(a_frame_damaged_or_lost_on_the_cable, .to = 2 * CABLE_FAULTS)
{
    struct cable_fault *f = &cable_faults[_i % CABLE_FAULTS];
    int middle = _i / CABLE_FAULTS;
    frame_tap *tap = frame_tap_new(l->p->wire);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    frame_tap_arm(tap, f->from, FRAME_DATA, middle ? 1 : 2, 1, f->damage, &f->arg);
    loss_piece *bad = loss_send(l, X, 3 * 62, NX_REMOTE);
    if (middle || f->own) {
        ck_assert_int_eq(loss_told(l, bad), 1);
    } else {
        loss_wait(l, 60 * SIM_US);
        ck_assert_uint_eq(l->flow[X].told, 1);
        ck_assert_int_eq(loss_notified(l, OTHER, 62), 0);
        ck_assert_int_eq(loss_notified(l, X, 62), 1);
    }
    ck_assert_uint_eq(frame_tap_done(tap, f->from), 1);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    change changes[6] = {{NIC_FLAGGED_NOTIFICATIONS, 1}};
    for (unsigned i = 0; f->changes[i].offset; i++) changes[i + 1] = f->changes[i];
    loss_expect(l, changes);
    loss_prove(l);
    frame_tap_free(tap);
}

/* A wrong code bit anywhere in a frame: in SOP, or so many words behind the start of the header. */
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
    frame_tap *tap = frame_tap_new(l->p->wire);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    frame_tap_arm(tap, _i & 1, FRAME_DATA, 1, 1, code_bit, &words[_i / 2]);
    loss_send(l, X, 3 * 62, 0);
    loss_wait(l, 60 * SIM_US);
    ck_assert_uint_eq(frame_tap_done(tap, _i & 1), 1);
    uint32_t damage = loss_get(l, NIC_SEQUENCE_GAPS) + loss_get(l, NIC_BODY_CRC_ERRORS);
    next_is_flagged(l);
    ck_assert_uint_eq(loss_get(l, NIC_SEQUENCE_GAPS) + loss_get(l, NIC_BODY_CRC_ERRORS), 1);
    ck_assert_uint_le(damage, 1);
    loss_prove(l);
    frame_tap_free(tap);
}

/* ---- reading host memory */

static void aim(loss *l, int by_nic, unsigned command, unsigned index, uint64_t ad, int parity)
{
    host *h = l->n->host;
    pcix_fault f = {.initiator = by_nic ? l->n->nic_agent : pcix_bridge_agent(host_bridge(h)),
                    .commands = 1u << command,
                    .phase = PCIX_PH_DATA,
                    .index = index,
                    .ad = ad,
                    .parity = parity};
    ck_assert(pcix_faults_add(host_faults(h), &f));
}

static void range(loss *l, uint64_t at, uint64_t bytes, int kind, unsigned value)
{
    host_range r = {at, at + bytes - 1, kind, value};
    ck_assert_int_ge(host_add_range(l->n->host, &r), 0);
}

static const struct {
    int kind;
    unsigned value;
} read_faults[] = {
    {HOST_RANGE_NOBODY, 0},
    {HOST_RANGE_TARGET_ABORT, 0},
    {HOST_RANGE_SPLIT_ERROR, 0x100},
    {HOST_RANGE_SPLIT_ERROR, 0x101 | 2u << 12}, /* after two pieces of data */
};
enum { READ_FAULTS = sizeof read_faults / sizeof read_faults[0] };

/* The transfer is given up: nothing of it may be taken for whole. */
static void read_failed(loss *l, const loss_piece *bad)
{
    ck_assert_int_eq(nx_wait(l->n->dev, &bad->ticket), NX_ERROR_ABANDONED);
    host_clear_ranges(l->n->host);
    loss_wait(l, 30 * SIM_US);
    ck_assert(!loss_arrived(l, bad));
    ck_assert_uint_eq(l->flow[X].told, 1);
    next_is_flagged(l);
    loss_expect(l, CHANGES({NIC_READ_ERRORS, 1}, {NIC_QUEUE_SKIPPED + 4 * X, 1}, {NIC_SEQUENCE_GAPS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(l);
}

TEST_CASE("read", .timeout = 60);

LOSS_TEST(a_read_of_host_memory_that_fails, .to = 2 * READ_FAULTS)
{
    unsigned words = _i & 1 && _i / 2 < READ_FAULTS - 1 ? 20 : 500;
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_piece *bad = loss_make(l, X, words);
    range(l, bad->source, 8 * words, read_faults[_i / 2].kind, read_faults[_i / 2].value);
    loss_post(l, bad, NX_REMOTE);
    read_failed(l, bad);
}

TEST_CASE("read_parity", .timeout = 60);

LOSS_TEST(wrong_data_of_a_read, .to = 10)
{
    static const unsigned index[] = {0, 61, 62, 200, 309};
    host_params p = l->n->params.host;
    p.cuts = 0; /* one completion */
    host_set_params(l->n->host, &p);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_piece *bad = loss_make(l, X, 5 * 62);
    aim(l, 0, PCIX_SPLIT_COMPLETION, index[_i / 2], _i & 1 ? 0 : 1ull << (_i * 5), _i & 1);
    loss_post(l, bad, NX_REMOTE);
    read_failed(l, bad);
    ck_assert_uint_eq(pcix_faults_done(host_faults(l->n->host)), 1);
}

/* ---- writing host memory */

TEST_CASE("write", .timeout = 60);

/* variation: kind of failure; the piece that is hit asks for a notification or not */
LOSS_TEST(a_write_to_host_memory_that_fails, .to = 8)
{
    unsigned flags = _i & 1 ? NX_REMOTE : 0;
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_piece *bad = loss_make(l, X, 2 * 62);
    switch (_i / 2) {
    case 0:
        range(l, bad->destination + 62 * 8, 62 * 8, HOST_RANGE_NOBODY, 0);
        break;
    case 1:
        range(l, bad->destination + 62 * 8, 62 * 8, HOST_RANGE_TARGET_ABORT, 0);
        break;
    case 2:
        aim(l, 1, PCIX_WRITE_BLOCK, 17, 1ull << 33, 0);
        break;
    default:
        aim(l, 1, PCIX_WRITE_BLOCK, 61, 0, 1);
        break;
    }
    loss_post(l, bad, flags);
    loss_wait(l, 60 * SIM_US);
    host_clear_ranges(l->n->host);
    if (flags) {
        ck_assert_int_eq(loss_told(l, bad), 1);
        ck_assert_int_eq(loss_notified(l, OTHER, 62), 0);
        ck_assert_int_eq(loss_notified(l, X, 62), 0);
    } else {
        next_is_flagged(l);
    }
    loss_expect(l, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(l);
}

TEST_CASE("notification", .timeout = 60);

/* The notification itself does not arrive: the next one tells. */
LOSS_TEST(a_notification_that_fails, .to = 3)
{
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    loss_piece *bad = loss_make(l, X, 8);
    pcix_fault f = {
        .initiator = l->n->nic_agent, .commands = 1u << PCIX_WRITE_BLOCK, .skip = 1, .phase = PCIX_PH_DATA, .ad = _i == 1 ? 1ull << 45 : 1};
    bad->destination = (bad->destination + 127) & ~127u; /* one transaction, then that of the notification */
    if (_i == 2) range(l, l->notes + 8 * X, 8, HOST_RANGE_NOBODY, 0);
    else ck_assert(pcix_faults_add(host_faults(l->n->host), &f));
    loss_post(l, bad, NX_REMOTE);
    loss_wait(l, 30 * SIM_US);
    ck_assert(loss_arrived(l, bad));
    host_clear_ranges(l->n->host);
    l->flow[X].told = 2; /* whatever was written there is no notification */
    l->strangers = 0;
    next_is_flagged(l);
    loss_expect(l, CHANGES({NIC_WRITE_ERRORS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(l);
}

/* ---- a software reset of either side */

static void ask_reset(loss *l)
{
    loss_put(l, NIC_CONTROL, loss_get(l, NIC_CONTROL) | NIC_CONTROL_SOFT_RESET_MASK);
}

static void reset_ends(loss *l)
{
    for (unsigned tries = 0; loss_get(l, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK; tries++)
        ck_assert_msg(tries < 1000, "the software reset does not end");
}

TEST_CASE("sender_reset", .timeout = 60);

/* Packets wait in the output queue of a stopped destination: on chip, or with many of them in external memory too. */
LOSS_TEST(a_software_reset_of_the_sender, .to = 4)
{
    enum { FEW = 8, MANY = 40 };
    unsigned n = _i & 1 ? MANY : FEW;
    loss_piece *first = NULL;
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    far_end_stop(l->p->far, X);
    for (unsigned i = 0; i < n; i++) {
        loss_piece *p = loss_send(l, X, 62, _i & 2 ? NX_REMOTE : 0);
        if (!i) first = p;
    }
    loss_wait(l, 150 * SIM_US);
    ck_assert_int_eq(n == MANY, loss_get(l, NIC_VOQ_LEVEL + 4 * X) >> NIC_VOQ_LEVEL_BLOCKS_SHIFT > 0);
    ask_reset(l);
    reset_ends(l);
    far_end_go(l->p->far, X);
    loss_wait(l, 100 * SIM_US);
    unsigned missing = 0;
    for (unsigned i = 0; i < n; i++) missing += !loss_arrived(l, first + i);
    ck_assert_uint_ge(missing, n - 6); /* four were at the far end, one or two in the link */
    ck_assert_uint_eq(loss_get(l, NIC_QUEUE_SKIPPED + 4 * X), missing);
    next_is_flagged(l);
    loss_expect(l, CHANGES({NIC_QUEUE_SKIPPED + 4 * X, missing}, {NIC_SEQUENCE_GAPS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(l);
}

TEST_CASE("receiver_reset", .timeout = 60);

/* Packets wait in the receive buffer because the host retries what is written; all of them have left the sender. */
LOSS_TEST(a_software_reset_of_the_receiver, .to = 2)
{
    enum { N = 5 };
    loss_piece *piece[N];
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    for (unsigned i = 0; i < N; i++) {
        piece[i] = loss_make(l, X, 62);
        range(l, piece[i]->destination, 8 * 62, HOST_RANGE_RETRY, 300);
        loss_post(l, piece[i], _i & 1 && i == N - 1 ? NX_REMOTE : 0);
    }
    ck_assert_int_eq(nx_drain(l->n->dev, X), NX_OK);
    loss_wait(l, 10 * SIM_US);
    ck_assert(!loss_arrived(l, piece[0]));
    ask_reset(l);
    loss_wait(l, 10 * SIM_US);
    host_clear_ranges(l->n->host); /* what has been retried before is retried to its end */
    reset_ends(l);
    loss_wait(l, 30 * SIM_US);
    unsigned missing = 0;
    for (unsigned i = 0; i < N; i++) missing += !loss_arrived(l, piece[i]);
    ck_assert_uint_ge(missing, N - 1);
    ck_assert_uint_eq(loss_get(l, NIC_QUEUE_SKIPPED + 4 * X), 0);
    next_is_flagged(l);
    loss_expect(l, CHANGES({NIC_SEQUENCE_GAPS, ANY}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
    loss_prove(l);
}

/* ---- in traffic on all flows, at random moments */

static void struck(void (*software)(loss *, int), int variation)
{
    port_params p;
    loss_params(&p);
    p.sim.seed += (uint64_t)variation << 32;
    loss_run(&p, software, variation);
}

static int cut_direction;

static void cut(loss *l)
{
    cable_cut(l->p->wire, cut_direction);
    loss_wait(l, 1 + sim_random_below(l->p->s, 30 * SIM_US));
    cable_reconnect(l->p->wire, cut_direction);
}

static void cuts(loss *l, int variation)
{
    cut_direction = 1 + variation % 3;
    loss_struck(l, cut, 1 + variation % 2);
}

TEST_CASE("cut", .timeout = 60);

TEST(a_cable_cut_in_traffic, .to = 9)
{
    struck(cuts, _i);
}

static void reset(loss *l)
{
    ask_reset(l);
    reset_ends(l);
}

/* What the NIC holds of both directions is thrown away. */
static void resets(loss *l, int variation)
{
    /* some destinations are slow, so that packets wait in the NIC */
    for (unsigned i = 0; i < LOSS_FLOWS; i++)
        if (sim_random_below(l->p->s, 3) == 0) far_end_rate(l->p->far, i, 20);
    loss_struck(l, reset, 1 + variation % 3);
}

TEST_CASE("reset", .timeout = 60);

TEST(software_resets_in_traffic, .to = 12)
{
    struck(resets, _i);
}

/* ---- the checker itself: without sequence numbers a lost packet goes unnoticed by the NIC, and must not by the checker */

TEST_CASE("checker", .timeout = 60);

LOSS_TEST(the_checker_catches_a_good_notification_for_lost_data, .to = 3)
{
    loss_put(l, NIC_CONTROL, loss_get(l, NIC_CONTROL) | NIC_CONTROL_SEQUENCE_ZERO_MASK);
    loss_get(l, NIC_CONTROL);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    ck_assert_uint_eq(l->lies, 0);
    loss_arm(l, (unsigned)_i, FAR_END_DROPPED);
    loss_send(l, X, 3 * 62, _i < 2 ? NX_REMOTE : 0);
    loss_wait(l, 60 * SIM_US);
    ck_assert_uint_eq(l->lies, _i < 2);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    ck_assert_uint_eq(l->lies, 1);
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    ck_assert_uint_eq(l->lies, 1);
    l->lies = 0; /* it was asked for */
}
