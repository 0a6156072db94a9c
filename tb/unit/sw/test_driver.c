/* The driver against the fake device: descriptors, slots, departures, errors. */
#include <stdlib.h>
#include <string.h>

#include "driver_bench.h"
#include "test.h"

/* ---- life */

TEST_CASE("life", .setup = set_up, .teardown = tear_down);

TEST(open_programs_the_device)
{
    mock_nic *nic = host[0].nic;
    params.payload_words = 512;
    params.tx_capacity = 1000;
    params.sequence_zero = 1;
    open_both();
    nic = host[1].nic;
    ck_assert_uint_eq(nic->reg[NIC_NODE_ID / 4], 1);
    ck_assert_uint_eq(nic->reg[NIC_PAYLOAD_LIMIT / 4], 512);
    ck_assert_uint_eq(nic->reg[NIC_TX_CAPACITY / 4], 1000);
    ck_assert_uint_eq(nic->reg[NIC_CONTROL / 4], 0x23); /* sequence zero, direct, initiator enable */
    ck_assert_uint_ne(nic->reg[NIC_REMOTE_NOTIFY_LOW / 4], 0);
    ck_assert_uint_ne(nic->reg[NIC_LOCAL_NOTIFY_LOW / 4], 0);
    ck_assert_uint_eq(nx_slots(dev[1]), 128);
    ck_assert_uint_eq(nx_queues(dev[1]), 8);
    ck_assert_uint_eq(nx_parameters(dev[1])->transfer_bytes, 4096);
    must(dev[1], nx_wait_link(dev[1]));
}

/* A virtual channel may have in flight what its receiver can hold: a NIC like this one, 1023 words of 64 bits, or 2
 * Kbyte of a crosspoint.
 */
TEST(every_open_and_reset_sets_the_buffer_of_the_peer)
{
    static const struct {
        int direct;
        unsigned given, units;
    } opens[] = {{1, 0, 2046}, {0, 0, 512}, {1, 100, 100}, {0, 300, 300}, {1, 0, 2046}};
    uint32_t *capacity = &host[0].nic->reg[NIC_TX_CAPACITY / 4];
    for (int i = 0; i < COUNT(opens); i++) {
        params.direct = opens[i].direct;
        params.tx_capacity = opens[i].given;
        nx_device *d = mock_open(&host[0], &params);
        ck_assert_uint_eq(*capacity, opens[i].units);
        ck_assert_uint_eq(nx_parameters(d)->tx_capacity, opens[i].units);
        *capacity = 7;
        must(d, nx_reset(d));
        ck_assert_uint_eq(*capacity, opens[i].units);
        nx_close(d);
    }
}

/* Packets of before the reset may wait for the link for a while, or for ever. */
TEST(a_change_of_direct_that_is_refused_is_tried_again, .to = 2)
{
    mock_nic *nic = host[0].nic;
    nx_device *d;
    nx_close(mock_open(&host[0], &params));
    ck_assert_uint_eq(nic->reg[NIC_CONTROL / 4] & NIC_CONTROL_DIRECT_MASK, NIC_CONTROL_DIRECT_MASK);
    params.direct = 0;
    nic->hold_direct = _i ? UINT32_MAX : 20;
    if (_i) {
        d = mock_try_open(&host[0], &params, NX_ERROR_TIMEOUT);
        ck_assert_msg(strstr(nx_last_error(d), "expected DIRECT = 0") != NULL, "%s", nx_last_error(d));
    } else {
        d = mock_open(&host[0], &params);
        ck_assert_uint_eq(nic->reg[NIC_CONTROL / 4] & NIC_CONTROL_DIRECT_MASK, 0);
        ck_assert_uint_eq(nic->reg[NIC_STATUS / 4], 0);
    }
    nx_close(d);
}

TEST(open_refuses_another_register_map_and_says_so)
{
    host[0].nic->reg[NIC_VERSION / 4] = 7;
    nx_device *d = mock_try_open(&host[0], NULL, NX_ERROR_DEVICE);
    ck_assert_str_eq(nx_last_error(d), "VERSION reads 0x00000007, expected 0x00000001");
    nx_close(d);
}

TEST(a_reset_that_hangs_times_out)
{
    open_both();
    host[0].nic->reset_hangs = 1;
    ck_assert_int_eq(nx_reset(dev[0]), NX_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(nx_last_error(dev[0]), "expected bits 24 and 4 to fall"));
    host[0].nic->reset_hangs = 0;
}

TEST(a_link_that_stays_down_times_out)
{
    open_both();
    host[0].nic->reg[NIC_LINK_STATUS / 4] = 1;
    ck_assert_int_eq(nx_wait_link(dev[0]), NX_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(nx_last_error(dev[0]), "LINK_STATUS reads 0x00000001"));
}

TEST(illegal_parameters_are_refused)
{
    static const struct {
        nx_params p;
        const char *text;
    } BAD[] = {{{.node_id = 128, .payload_words = 62}, "node_id is 128"},
               {{.payload_words = 0}, "payload_words is 0, expected 1..512"},
               {{.payload_words = 513}, "payload_words is 513"},
               {{.payload_words = 62, .transfer_bytes = 4104}, "transfer_bytes is 4104"},
               {{.payload_words = 62, .transfer_bytes = 12}, "transfer_bytes is 12"},
               {{.payload_words = 62, .slots = 129}, "slots is 129, expected 2..128"},
               {{.payload_words = 62, .slots = 1}, "slots is 1"},
               {{.payload_words = 62, .cluster = 129}, "cluster is 129"},
               {{.payload_words = 62, .tx_capacity = 4065}, "tx_capacity is 4065"},
               {{.payload_words = 62, .loopback = 4}, "loopback is 4"}};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        nx_device *d = mock_try_open(&host[0], &BAD[i].p, NX_ERROR_ARGUMENT);
        ck_assert_msg(strstr(nx_last_error(d), BAD[i].text) != NULL, "%s", nx_last_error(d));
        nx_close(d);
    }
}

/* ---- posting */

TEST_CASE("posting", .timeout = 120, .setup = set_up, .teardown = tear_down);

TEST(descriptors_stand_in_the_queue_as_documented, .to = 3)
{
    static const struct {
        enum nx_posting posting;
        uint64_t stores32, stores64, bursts;
    } WAYS[] = {{NX_POST_STORES32, 16, 0, 0}, {NX_POST_STORES64, 0, 8, 0}, {NX_POST_COMBINED, 0, 0, 1}};
    mock_nic *nic = host[0].nic;
    uint64_t stores32;
    params.posting = WAYS[_i].posting;
    open_both();
    nic->stuck = 1;
    stores32 = host[0].writes32;
    for (unsigned i = 0; i < 4; i++) {
        nx_descriptor d = {.source = 0x123456780 + 8 * i, .destination = 0x89abcde0, .words = 1 + i, .flow = 1};
        if (i == 1) d.flags = NX_REMOTE | NX_INTERRUPT;
        if (i == 2) d.flags = NX_LOCAL;
        if (i == 3) d.flags = NX_START;
        must(dev[0], nx_post(dev[0], &d, NULL));
    }
    ck_assert_uint_eq(nic->entry[1][0][0], 0x123456780);
    ck_assert_uint_eq(nic->entry[1][0][1], 0x0010000189abcde0);
    ck_assert_uint_eq(nic->entry[1][1][1], 0x5010000289abcde0);
    ck_assert_uint_eq(nic->entry[1][2][1], 0x2010000389abcde0);
    ck_assert_uint_eq(nic->entry[1][3][0], 0x123456798);
    ck_assert_uint_eq(nic->entry[1][3][1], 0x0810000489abcde0);
    ck_assert_uint_eq(nic->tail[1], 4);
    ck_assert_uint_eq(host[0].writes32 - stores32, WAYS[_i].stores32);
    ck_assert_uint_eq(host[0].writes64, WAYS[_i].stores64);
    ck_assert_uint_eq(host[0].lines, WAYS[_i].bursts);
}

TEST(a_platform_without_write_combining_gets_stores)
{
    host[0].platform.write_combined = NULL;
    open_both();
    ck_assert_int_eq(nx_parameters(dev[0])->posting, NX_POST_STORES32);
    ck_assert_int_eq(nx_parameters(dev[1])->posting, NX_POST_COMBINED);
}

TEST(a_cluster_waits_for_its_start_flag, .to = 2)
{
    nx_descriptor d = descriptor(1, 0);
    nx_ticket ticket;
    params.posting = _i ? NX_POST_COMBINED : NX_POST_STORES32;
    open_both();
    for (int i = 0; i < 9; i++) must(dev[0], nx_post(dev[0], &d, NULL));
    steps(100);
    ck_assert_uint_eq(host[0].nic->descriptors, 0);
    must(dev[0], nx_post(dev[0], &d, &ticket));
    ck_assert_int_eq(nx_wait(dev[0], &ticket), NX_ERROR_ARGUMENT); /* would wait for ever */
    d.flags = NX_START | NX_LOCAL;
    must(dev[0], nx_post(dev[0], &d, &ticket));
    must(dev[0], nx_wait(dev[0], &ticket));
    ck_assert_uint_eq(host[0].nic->descriptors, 11);
}

TEST(a_cluster_that_fills_the_queue_is_started)
{
    nx_descriptor d = descriptor(1, 0);
    open_both();
    for (int i = 0; i < 300; i++) must(dev[0], nx_post(dev[0], &d, NULL));
    steps(1000);
    ck_assert_uint_eq(host[0].nic->descriptors, 256);
}

TEST(illegal_descriptors_are_refused_and_change_nothing)
{
    nx_descriptor bad[] = {descriptor(0, 0), descriptor(513, 0), descriptor(1, 0),
                           descriptor(1, 0), descriptor(1, 0),   descriptor(512, 0)};
    open_both();
    bad[2].source = 4;
    bad[3].destination = 0x1001;
    bad[4].flow = 8;
    bad[5].destination = 0xfffff008;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(nx_post(dev[0], &bad[i], NULL), NX_ERROR_ARGUMENT);
    ck_assert_int_eq(nx_free_slots(dev[0], 1), 128);
    ck_assert_int_eq(nx_transfer(dev[0], 8, SOURCE, DESTINATION, 8, 0, NULL), NX_ERROR_ARGUMENT);
    ck_assert_int_eq(nx_transfer(dev[0], 1, SOURCE, 0xfffffff8, 9, 0, NULL), NX_ERROR_ARGUMENT);
    ck_assert_int_eq(nx_transfer(dev[0], 1, SOURCE, DESTINATION, 0, NX_REMOTE, NULL), NX_ERROR_ARGUMENT);
    ck_assert_uint_eq(host[0].lines, 0);
}

TEST(transfers_are_cut_at_full_packets_with_the_flags_on_the_last)
{
    static const uint32_t LENGTHS[] = {496, 496, 259};
    uint64_t source = SOURCE, destination = DESTINATION;
    open_both();
    host[0].nic->stuck = 1;
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 2 * 3968 + 2065, NX_REMOTE, NULL));
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(host[0].nic->entry[1][i][0], source);
        ck_assert_uint_eq(host[0].nic->entry[1][i][1],
                          (i == 2 ? 0x4810ull << 48 : 0x0010ull << 48) | (uint64_t)LENGTHS[i] << 32 | destination);
        source += 3968;
        destination += 3968;
    }
    ck_assert_uint_eq(host[0].nic->tail[1], 3);
}

TEST(bytes_arrive_and_nothing_beyond_the_last_word_changes, .to = 3)
{
    mock_nic *from = host[0].nic, *to = host[1].nic;
    static const uint64_t SIZES[] = {1, 7, 8, 9, 495, 496, 497, 3968, 3969, 4096, 10000, 100001};
    params.posting = (enum nx_posting)(_i % 3);
    params.payload_words = (unsigned[]){62, 512, 7}[_i % 3];
    open_both();
    mock_host_wild(&host[0]);
    for (size_t i = 0; i < 200000; i++) from->memory[SOURCE + i] = (uint8_t)mock_random(&net);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        uint64_t whole = (SIZES[i] + 7) / 8 * 8;
        nx_notification n;
        nx_ticket ticket;
        memset(to->memory + DESTINATION, 0xee, 1 << 20);
        must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, SIZES[i], NX_REMOTE | NX_LOCAL, &ticket));
        must(dev[1], nx_notification_wait(dev[1], 0, &n));
        ck_assert_uint_eq(n.source, 0);
        ck_assert_int_eq(n.flagged, 0);
        ck_assert_uint_eq(n.destination + 8 * n.words, DESTINATION + whole);
        ck_assert_int_eq(memcmp(to->memory + DESTINATION, from->memory + SOURCE, whole), 0);
        for (unsigned k = 0; k < 8192; k++) ck_assert_uint_eq(to->memory[DESTINATION + whole + k], 0xee);
        must(dev[0], nx_wait(dev[0], &ticket));
        ck_assert_int_eq(nx_notification_poll(dev[1], 0, &n), 0);
    }
}

/* The checks in tear_down must see what they look for. */
TEST(the_fake_device_reports_wild_writes_and_overwrites)
{
    nx_ticket ticket;
    uint64_t queue;
    open_both();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, 0x700000, 8, NX_LOCAL, &ticket));
    must(dev[0], nx_wait(dev[0], &ticket));
    ck_assert_uint_eq(net.node[1].wild, 1);
    net.node[1].wild = 0;
    queue = net.node[0].config[0x17] * 0x1000000ull + 0x4000 + 0x20;
    host[0].platform.write32(&host[0], queue, 1);
    ck_assert_uint_eq(net.node[0].reg[NIC_DESCRIPTOR_OVERWRITES / 4], 0);
    host[0].platform.write32(&host[0], queue, 2);
    ck_assert_uint_eq(net.node[0].reg[NIC_DESCRIPTOR_OVERWRITES / 4], 1);
    net.node[0].reg[NIC_DESCRIPTOR_OVERWRITES / 4] = 0;
}

/* ---- slots */

TEST_CASE("slots", .timeout = 120, .setup = set_up, .teardown = tear_down);

TEST(counts_and_slots_wrap_around, .to = 2)
{
    nx_ticket ticket, old;
    params.slots = _i ? 128 : 5;
    host[0].nic->reg[NIC_QUEUE_DEPARTED / 4 + 1] = 0xffffffe0u;
    host[0].nic->reg[NIC_QUEUE_SKIPPED / 4 + 1] = 0xfffffff0u;
    open_both();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, &old));
    for (unsigned i = 0; i < 1000; i++)
        must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION + 8 * i, 8, 0, &ticket));
    must(dev[0], nx_wait(dev[0], &ticket));
    ck_assert_int_eq(nx_done(dev[0], &ticket), 1);
    ck_assert_int_eq(nx_done(dev[0], &old), 1);
    ck_assert_uint_eq(host[0].nic->descriptors, 1001);
    ck_assert_int_eq(nx_free_slots(dev[0], 1), (int)params.slots);
    ck_assert_uint_eq(host[0].nic->reg[NIC_QUEUE_DEPARTED / 4 + 1], (uint32_t)(0xffffffe0u + 1001));
}

TEST(notifications_are_read_only_when_slots_run_short)
{
    nx_descriptor d = descriptor(1, NX_START);
    uint64_t reads, registers;
    open_both();
    reads = host[0].mem_reads;
    registers = host[0].nic->register_reads;
    for (int i = 0; i < 128; i++) must(dev[0], nx_post(dev[0], &d, NULL));
    ck_assert_uint_eq(host[0].mem_reads, reads);
    ck_assert_uint_eq(host[0].nic->reg[NIC_LOCAL_NOTIFICATIONS / 4] > 0, 1);
    must(dev[0], nx_post(dev[0], &d, NULL));
    ck_assert_uint_gt(host[0].mem_reads, reads);
    for (int i = 0; i < 1000; i++) must(dev[0], nx_post(dev[0], &d, NULL));
    ck_assert_uint_eq(host[0].nic->register_reads, registers);
    /* one in 32 asks for a local notification */
    ck_assert_uint_le(host[0].nic->reg[NIC_LOCAL_NOTIFICATIONS / 4], 1129 / 32 + 1);
}

TEST(departure_is_found_without_any_local_notification)
{
    nx_ticket ticket;
    open_both();
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, 0, &ticket));
    ck_assert_int_eq(nx_done(dev[0], &ticket), 0);
    must(dev[0], nx_wait(dev[0], &ticket));
    ck_assert_uint_eq(host[0].nic->reg[NIC_LOCAL_NOTIFICATIONS / 4], 0);
}

TEST(lost_descriptors_are_reported_and_leak_no_slots)
{
    nx_status status;
    open_both();
    for (int i = 0; i < 400; i++) {
        nx_ticket ticket;
        int error;
        host[0].nic->fail_read_at = 1;
        error = nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL | NX_REMOTE, &ticket);
        ck_assert_int_eq(error, NX_OK);
        error = nx_wait(dev[0], &ticket);
        ck_assert_int_eq(error, NX_ERROR_ABANDONED);
        must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, &ticket));
        must(dev[0], nx_wait(dev[0], &ticket));
    }
    ck_assert_str_eq(nx_last_error(dev[0]),
                     "flow 1: 1 descriptors skipped or abandoned by the device; STATUS 0x010: READ_ERROR");
    ck_assert_int_eq(nx_free_slots(dev[0], 1), 128);
    must(dev[0], nx_status_read(dev[0], &status));
    ck_assert_uint_eq(status.lost[1], 400);
    ck_assert_uint_eq(status.status, NIC_STATUS_READ_ERROR_MASK);
    ck_assert_ptr_nonnull(strstr(status.text, "status READ_ERROR: "));
    ck_assert_ptr_nonnull(strstr(status.text, "READ_ERRORS 400: "));
    must(dev[0], nx_status_clear(dev[0], status.status));
    must(dev[0], nx_status_read(dev[0], &status));
    ck_assert_uint_eq(status.status, 0);
}

TEST(a_loss_is_found_while_waiting_for_slots)
{
    nx_descriptor d = descriptor(1, NX_START);
    int error = NX_OK, posted = 0;
    open_both();
    host[0].nic->fail_read_at = 64; /* it carries a local notification that never comes */
    for (; !error && posted < 1000; posted++) error = nx_post(dev[0], &d, NULL);
    if (!error) error = nx_drain(dev[0], 1);
    ck_assert_int_eq(error, NX_ERROR_ABANDONED);
    for (int i = 0; i < 300; i++) must(dev[0], nx_post(dev[0], &d, NULL));
    must(dev[0], nx_drain(dev[0], 1));
    ck_assert_int_eq(nx_free_slots(dev[0], 1), 128);
}

TEST(everybody_who_waits_hears_of_a_loss)
{
    nx_ticket early, late;
    open_both();
    host[0].nic->fail_read_at = 2;
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, &early));
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, NULL));
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, NX_LOCAL, &late));
    ck_assert_int_eq(nx_wait(dev[0], &late), NX_ERROR_ABANDONED);
    ck_assert_int_eq(nx_wait(dev[0], &early), NX_ERROR_ABANDONED);
}

TEST(a_queue_that_does_not_move_times_out_with_its_state)
{
    nx_ticket ticket;
    uint64_t before;
    params.timeout_ns = 1000 * 1000;
    open_both();
    host[0].nic->stuck = 1;
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, 0, &ticket));
    before = net.now;
    ck_assert_int_eq(nx_wait(dev[0], &ticket), NX_ERROR_TIMEOUT);
    ck_assert_uint_ge(net.now - before, 1000 * 1000);
    ck_assert_uint_le(net.now - before, 1100 * 1000);
    ck_assert_str_eq(nx_last_error(dev[0]),
                     "flow 1: waiting for departure: nothing departed for 1000 us; posted 1 departed 0 lost 0 head 0 "
                     "tail 1 STATUS 0x000: none, link up");
    must(dev[0], nx_reset(dev[0]));
    host[0].nic->stuck = 0;
    must(dev[0], nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, 0, &ticket));
    must(dev[0], nx_wait(dev[0], &ticket));
}

TEST(impossible_counts_are_refused)
{
    uint64_t words;
    open_both();
    words = host[0].nic->reg[NIC_LOCAL_NOTIFY_LOW / 4];
    mock_set64(host[0].nic, words + 8, 1);
    ck_assert_int_eq(nx_free_slots(dev[0], 1), NX_ERROR_DEVICE);
    ck_assert_str_eq(nx_last_error(dev[0]),
                     "flow 1: the local notification word says 1 descriptors have departed, expected at most 0");
    mock_set64(host[0].nic, words + 8, 1ull << 32);
    ck_assert_int_eq(nx_free_slots(dev[0], 1), NX_ERROR_DEVICE);
    mock_set64(host[0].nic, words + 8, 0);
    ck_assert_int_eq(nx_free_slots(dev[0], 1), 128);
}

TEST(failing_bus_accesses_are_passed_on)
{
    nx_status status;
    open_both();
    host[0].fail_reads = 1;
    ck_assert_int_eq(nx_status_read(dev[0], &status), NX_ERROR_BUS);
    ck_assert_str_eq(nx_last_error(dev[0]), "read of the register at 0x214 failed");
    ck_assert_int_eq(nx_reset(dev[0]), NX_ERROR_BUS);
    host[0].fail_reads = 0;
    host[0].nic->config[4] = 0; /* memory decoding off */
    ck_assert_int_eq(nx_transfer(dev[0], 1, SOURCE, DESTINATION, 8, 0, NULL), NX_ERROR_BUS);
    host[0].nic->config[4] = 0x46;
}

/* Two tasks post to one queue, and switch at every bus access. */
static void post_many(void *arg)
{
    unsigned me = *(unsigned *)arg;
    nx_ticket ticket;
    for (unsigned i = 0; i < 500; i++) {
        unsigned at = 2 * i + me;
        must(dev[0], nx_transfer(dev[0], 1, SOURCE + 8 * at, DESTINATION + 8 * at, 8, i % 3 ? NX_HOLD : 0, &ticket));
    }
    must(dev[0], nx_transfer(dev[0], 1, SOURCE + 8 * me, DESTINATION + 8 * me, 8, NX_LOCAL, &ticket));
    must(dev[0], nx_wait(dev[0], &ticket));
}

TEST(tasks_share_a_queue, .to = 3)
{
    unsigned ids[2] = {0, 1};
    struct mock_task tasks[2] = {{post_many, &ids[0]}, {post_many, &ids[1]}};
    params.posting = (enum nx_posting)_i;
    params.slots = 16;
    open_both();
    mock_host_wild(&host[0]);
    for (uint64_t i = 0; i < 1000; i++) mock_set64(host[0].nic, SOURCE + 8 * i, 1000 + i);
    mock_run(tasks, 2);
    must(dev[0], nx_drain(dev[0], 1));
    steps(1000);
    for (uint64_t i = 0; i < 1000; i++) ck_assert_uint_eq(mock_get64(host[1].nic, DESTINATION + 8 * i), 1000 + i);
    ck_assert_uint_eq(host[0].nic->descriptors, 1002);
}

TEST_CASE("life");

TEST(every_error_has_words)
{
    for (int e = 0; e >= NX_ERROR_CALLBACK; e--) ck_assert_str_ne(nx_strerror(e), "unknown error");
    ck_assert_str_eq(nx_strerror(1), "unknown error");
    ck_assert_str_eq(nx_strerror(NX_ERROR_CALLBACK - 1), "unknown error");
}
