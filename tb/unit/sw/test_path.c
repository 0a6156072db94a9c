/* Paths in use: masks, and messages of two drivers about links that are down. The fake devices lose packets where no
 * link in use is up at both ends; which of the others each packet takes is for tb/system/test_paths. */
#include <string.h>

#include "driver_bench.h"
#include "nx_path.h"
#include "test.h"

enum { ALL = 0x33333333, ROUND_STEPS = NX_PATH_SERVE_NS / 100, LINKS_2 = 0x80bff148, LINKS_4 = 0x80bff188 };

static void open_paths(uint32_t build)
{
    params.direct = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *reg = host[i].nic->reg;
        reg[NIC_BUILD / 4] = build;
        reg[NIC_PATH_STATUS / 4] = build == LINKS_2 ? 3 : 15;
    }
    open_both();
    ck_assert_uint_eq(nx_paths(dev[0]), build == LINKS_2 ? 2 : 4);
}

static void open_two_paths(void) { open_paths(LINKS_2); }

static void begin(unsigned i)
{
    nx_path_peer peer[2];
    for (unsigned k = 0; k < 2; k++) peer[k] = (nx_path_peer){k, nx_path_words(dev[k])};
    must(dev[i], nx_path_begin(dev[i], peer, 2));
}

static void watch(void)
{
    open_two_paths();
    for (unsigned i = 0; i < 2; i++) begin(i);
}

static void rounds(unsigned n)
{
    while (n--) {
        for (unsigned i = 0; i < 2; i++) must(dev[i], nx_path_serve(dev[i]));
        steps(ROUND_STEPS);
    }
}

static unsigned mask(unsigned i, unsigned reg, unsigned node) { return host[i].nic->reg[reg / 4] >> 4 * node & 15; }

static void masks_are(unsigned i, unsigned node, unsigned links)
{
    ck_assert_msg(mask(i, NIC_SEND_PATHS_LOW, node) == links && mask(i, NIC_RECEIVE_PATHS_LOW, node) == links,
                  "node %u: masks of node %u are 0x%x to it, 0x%x from it, expected 0x%x", i, node,
                  mask(i, NIC_SEND_PATHS_LOW, node), mask(i, NIC_RECEIVE_PATHS_LOW, node), links);
}

static void link_is(unsigned i, unsigned link, int up)
{
    uint32_t *status = &host[i].nic->reg[NIC_PATH_STATUS / 4];
    *status = (*status & ~(0x11u << link)) | (up ? 1u : 0x10u) << link;
}

TEST_CASE("paths", .setup = set_up, .teardown = tear_down);

TEST(masks_are_set_and_none_is_refused)
{
    open_two_paths();
    ck_assert_uint_eq(host[0].nic->reg[NIC_SEND_PATHS_LOW / 4], ALL);
    must(dev[0], nx_path_send_use(dev[0], 5, 2));
    must(dev[0], nx_path_receive_use(dev[0], 7, 1));
    ck_assert_uint_eq(host[0].nic->reg[NIC_SEND_PATHS_LOW / 4], 0x33233333);
    ck_assert_uint_eq(host[0].nic->reg[NIC_RECEIVE_PATHS_LOW / 4], 0x13333333);
    ck_assert_int_eq(nx_path_send_use(dev[0], 5, 0), NX_ERROR_ARGUMENT);
    ck_assert_str_eq(nx_last_error(dev[0]), "flow 5: links 0x0 in use, expected at least one of 0x3");
    ck_assert_int_eq(nx_path_receive_use(dev[0], 1, 4), NX_ERROR_ARGUMENT);
    ck_assert_str_eq(nx_last_error(dev[0]), "source 1: links 0x4 in use, expected at least one of 0x3");
    ck_assert_int_eq(nx_path_send_use(dev[0], 8, 1), NX_ERROR_ARGUMENT);
    ck_assert_int_eq(nx_path_serve(dev[0]), NX_ERROR_ARGUMENT);
    ck_assert_uint_eq(host[0].nic->reg[NIC_SEND_PATHS_LOW / 4], 0x33233333);
}

TEST(one_path_has_no_masks)
{
    const nx_path_peer peer = {0, 0};
    open_both();
    ck_assert_int_eq(nx_path_send_use(dev[0], 0, 1), NX_ERROR_ARGUMENT);
    ck_assert_str_eq(nx_last_error(dev[0]), "paths in use: a device with one path, expected several by packet");
    ck_assert_int_eq(nx_path_begin(dev[0], &peer, 1), NX_ERROR_ARGUMENT);
}

TEST(nothing_is_said_while_all_links_are_up)
{
    watch();
    rounds(20);
    ck_assert_uint_eq(host[0].nic->packets + host[1].nic->packets, 0);
    masks_are(0, 1, 3);
}

/* The other node takes it out of use for both directions, and in again, within 200 us. */
TEST(a_dead_link_goes_out_of_use_at_both_ends_and_comes_back, .to = 2)
{
    unsigned link = (unsigned)_i, left = 3 & ~(1u << link);
    int agreed;
    watch();
    for (int again = 0; again < 3; again++) {
        link_is(1, link, 0);
        rounds(4);
        masks_are(0, 1, left);
        masks_are(1, 0, left);
        masks_are(1, 1, left); /* packets to itself */
        masks_are(0, 0, 3);
        ck_assert_uint_eq(nx_path_in_use(dev[0], 1, &agreed), left);
        link_is(1, link, 1);
        rounds(4);
        masks_are(0, 1, 3);
        masks_are(1, 0, 3);
        masks_are(1, 1, 3);
        ck_assert_uint_eq(nx_path_in_use(dev[1], 0, &agreed), 3);
        ck_assert_int_eq(agreed, 1);
    }
    uint64_t said = host[0].nic->packets + host[1].nic->packets;
    rounds(100);
    ck_assert_uint_eq(host[0].nic->packets + host[1].nic->packets, said);
}

/* Nothing goes over a link that is back before the receiver waits for what may come over it. */
TEST(nothing_is_sent_over_a_link_before_the_receiver_knows)
{
    watch();
    link_is(1, 1, 0);
    rounds(4);
    link_is(1, 1, 1);
    must(dev[1], nx_path_serve(dev[1]));
    ck_assert_uint_eq(mask(1, NIC_RECEIVE_PATHS_LOW, 0), 3);
    ck_assert_uint_eq(mask(1, NIC_SEND_PATHS_LOW, 0), 1);
    steps(ROUND_STEPS);
    must(dev[0], nx_path_serve(dev[0]));
    masks_are(0, 1, 3);
    ck_assert_uint_eq(mask(1, NIC_SEND_PATHS_LOW, 0), 1);
    steps(ROUND_STEPS);
    must(dev[1], nx_path_serve(dev[1]));
    masks_are(1, 0, 3);
}

/* Words and answers that are lost or damaged are said again. */
TEST(words_are_repeated_until_they_are_answered, .to = 4)
{
    watch();
    mock_nic *nic = host[_i / 2].nic;
    if (_i % 2) nic->damage_packet_at = 1;
    else nic->drop_packet_at = 1;
    link_is(1, 1, 0);
    rounds(12);
    masks_are(0, 1, 1);
    masks_are(1, 0, 1);
    ck_assert_uint_eq(nic->drop_packet_at + nic->damage_packet_at, 0);
}

/* Over several paths an older word may come behind a newer one. */
TEST(an_older_word_changes_nothing)
{
    watch();
    uint64_t address = nx_path_words(dev[0]) + 8;
    link_is(1, 1, 0);
    rounds(4);
    uint64_t old = mock_get64(&net.node[0], address);
    link_is(1, 1, 1);
    rounds(4);
    masks_are(0, 1, 3);
    uint64_t new = mock_get64(&net.node[0], address);
    ck_assert_uint_ne(new, old);
    mock_set64(&net.node[0], address, old);
    rounds(4);
    masks_are(0, 1, 3);
    for (int bit = 0; bit < 64; bit++) { /* nor does one that is damaged */
        mock_set64(&net.node[0], address, new ^ (uint64_t)1 << bit);
        rounds(1);
        masks_are(0, 1, 3);
    }
}

/* No mask ever is 0, and with no link left nothing can be said; then links that are back are reported. */
TEST(all_links_down_and_one_back)
{
    watch();
    link_is(1, 0, 0);
    link_is(1, 1, 0);
    rounds(4);
    masks_are(0, 1, 3);
    link_is(1, 1, 1);
    rounds(4);
    masks_are(0, 1, 2);
    masks_are(1, 0, 2);
    link_is(0, 1, 0); /* no link is up at both ends: the masks stay */
    link_is(0, 0, 1);
    rounds(8);
    ck_assert_uint_ne(mask(0, NIC_SEND_PATHS_LOW, 1), 0);
    ck_assert_uint_ne(mask(1, NIC_SEND_PATHS_LOW, 0), 0);
}

/* Both ends have lost their links in use, or hold links in use that the other one has lost; a word about the link that
 * is back still comes.
 */
TEST(nodes_without_a_common_link_talk_again, .to = 2)
{
    watch();
    link_is(0, 0, 0);
    link_is(1, 1, 0);
    rounds(40);
    link_is(_i, (unsigned)_i, 1);
    rounds(40);
    masks_are(0, 1, 1u << _i);
    masks_are(1, 0, 1u << _i);
}

/* Of four links one is up at both ends; each end uses the links that the other one has lost since its last message. */
TEST(nodes_that_know_none_of_their_common_links_talk_again, .to = 2)
{
    open_paths(LINKS_4);
    for (unsigned i = 0; i < 2; i++) {
        link_is(i, 3, 0);
        if (!i || _i) link_is(i, 2, 0);
        begin(i);
    }
    rounds(8);
    masks_are(0, 1, 3);
    masks_are(1, 0, 3);
    for (unsigned i = 0; i < 2; i++) {
        link_is(i, 1 - i, 0);
        link_is(i, 2, 1);
    }
    rounds(_i ? 800 : 300);
    masks_are(0, 1, 4);
    masks_are(1, 0, 4);
    rounds(100); /* the last answers have come */
    ck_assert_uint_eq(nx_path_in_use(dev[0], 1, NULL), 4);
}

/* Paths taken out of use before stay out of use. */
TEST(more_than_was_allowed_is_never_used)
{
    open_two_paths();
    must(dev[0], nx_path_send_use(dev[0], 1, 2));
    for (unsigned i = 0; i < 2; i++) begin(i);
    link_is(1, 0, 0);
    rounds(4);
    link_is(1, 0, 1);
    rounds(4);
    ck_assert_uint_eq(mask(0, NIC_SEND_PATHS_LOW, 1), 2);
    ck_assert_uint_eq(mask(0, NIC_RECEIVE_PATHS_LOW, 1), 3);
}

/* A node that has been restarted knows nothing, and its numbers restart: both say all again. */
TEST(a_node_restarted_is_reported_again, .to = 2)
{
    watch();
    for (int again = 0; again < 3; again++) {
        link_is(1, 1, again % 2);
        rounds(4);
    }
    if (_i) { /* the whole driver */
        nx_close(dev[0]);
        params.node_id = 0;
        dev[0] = mock_open(&host[0], &params);
        for (unsigned i = 0; i < 2; i++) begin(i);
    } else {
        must(dev[0], nx_reset(dev[0]));
    }
    link_is(0, 0, 0);
    link_is(0, 0, 1);
    rounds(8);
    masks_are(0, 1, 1);
    masks_are(1, 0, 1);
}

/* The queue to that node is full and stopped: a slot is kept for one message, and for one only. */
TEST(a_full_queue_has_a_slot_for_the_word)
{
    watch();
    nx_descriptor d = descriptor(1, NX_START);
    ck_assert_uint_eq(nx_slots(dev[0]), 127);
    host[0].nic->stuck = 1;
    for (unsigned i = 0; i < 127; i++) must(dev[0], nx_post(dev[0], &d, NULL));
    ck_assert_int_eq(nx_free_slots(dev[0], 1), 0);
    link_is(0, 1, 0);
    rounds(100);
    ck_assert_int_eq(nx_free_slots(dev[0], 1), 0);
    host[0].nic->stuck = 0;
    rounds(8);
    masks_are(1, 0, 1);
}

TEST(status_tells_of_paths)
{
    nx_status s;
    open_two_paths();
    must(dev[0], nx_status_read(dev[0], &s));
    ck_assert_str_eq(s.text, "no errors\n");
    ck_assert_uint_eq(s.paths.up, 3);
    ck_assert_uint_eq(s.paths.receive[7], 3);
    link_is(0, 1, 0);
    host[0].nic->reg[NIC_SEND_PATHS_LOW / 4] = 0x33333203;
    host[0].nic->reg[NIC_RECEIVE_PATHS_LOW / 4] = 0x33333331;
    host[0].nic->reg[NIC_RESEQ_EVENTS / 4] = 0x20003;
    host[0].nic->reg[NIC_RESEQ_DEPTH / 4] = 77;
    must(dev[0], nx_status_read(dev[0], &s));
    ck_assert_str_eq(s.text, "path 1: link is dead: down for 1 ms, packets to send are dropped\n"
                             "packets from 0: paths in use 0\n"
                             "packets to 1: paths in use none\n"
                             "packets to 1 wait: no path\n"
                             "packets to 2: paths in use 1\n"
                             "packets to 2 wait: no path\n"
                             "3 packets arrived after their sequence number had timed out and were dropped\n"
                             "2 restarts of a source's sequence numbers\n");
    ck_assert_uint_eq(s.paths.dead, 2);
    ck_assert_uint_eq(s.paths.send[2], 2);
    ck_assert_uint_eq(s.paths.depth, 77);
    host[0].nic->reg[NIC_PATH_STATUS / 4] = 1; /* not yet for 1 ms */
    must(dev[0], nx_status_read(dev[0], &s));
    ck_assert_ptr_nonnull(strstr(s.text, "path 1: link is down\n"));
}

/* By packet a packet must fit into the buffer of one link, here and behind it; else it would wait for ever. */
TEST(a_payload_that_no_buffer_takes_is_refused)
{
    static const struct {
        nx_params p;
        unsigned build;
        const char *text;
    } tried[] = {
        {{.payload_words = 240, .direct = 0},
         LINKS_2,
         "payload_words is 240, expected at most 239, what a buffer of 512 units always"},
        {{.payload_words = 495, .direct = 1},
         0x809ff148,
         "payload_words is 495, expected at most 494, what a buffer of 1022 units always"},
        {{.payload_words = 62, .tx_capacity = 127},
         LINKS_2,
         "payload_words is 62, expected at most 46, what a buffer of 127 units always"},
    };
    for (int i = 0; i < COUNT(tried); i++) {
        host[0].nic->reg[NIC_BUILD / 4] = tried[i].build;
        nx_device *d = mock_try_open(&host[0], &tried[i].p, NX_ERROR_ARGUMENT);
        ck_assert_msg(strstr(nx_last_error(d), tried[i].text) != NULL, "%s", nx_last_error(d));
        nx_close(d);
    }
}
