/* Streams between two nodes over the fake devices: any length, both ways at once, and every way to go wrong. */
#include <stdlib.h>
#include <string.h>

#include "driver_bench.h"
#include "nx_file_internal.h"
#include "test.h"

static nx_file *file[2];
static nx_file_params file_params[2];

/* One end of a stream. The bytes are a function of stream number and place, so that bytes of another stream or place
 * are wrong. */
struct end {
    unsigned node, stream;
    uint64_t size;    /* sender: bytes to give */
    uint64_t at;      /* bytes given or taken */
    uint64_t wrong;   /* bytes taken that are not those given */
    uint64_t fail_at; /* callback fails at this byte; 0 = never */
    unsigned delay;   /* waits before the start */
    unsigned slow;    /* waits in each callback, at most */
    int sends, result;
    nx_file_result counts;
    char error[768];
};

static uint8_t content(unsigned stream, uint64_t at)
{
    uint64_t z = (at / 8 + 1) * 0x9e3779b97f4a7c15u ^ (stream + 1) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 31) * 0x94d049bb133111ebu;
    return (uint8_t)(z >> 8 * (at % 8));
}

static void dawdle(struct end *e)
{
    for (uint64_t k = e->slow ? mock_random(&net) % e->slow : 0; k; k--) host[e->node].platform.wait(&host[e->node]);
}

static long reader(void *self, void *to, size_t size)
{
    struct end *e = self;
    uint64_t n = e->size - e->at < size ? e->size - e->at : size;
    dawdle(e);
    if (e->fail_at && e->at + n >= e->fail_at) return -7;
    if (n > 1) n = 1 + mock_random(&net) % n; /* short reads */
    for (uint64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = content(e->stream, e->at++);
    return (long)n;
}

static int writer(void *self, const void *from, size_t size)
{
    struct end *e = self;
    dawdle(e);
    if (e->fail_at && e->at + size >= e->fail_at) return 9;
    for (size_t i = 0; i < size; i++) e->wrong += ((const uint8_t *)from)[i] != content(e->stream, e->at++);
    return 0;
}

static void run_end(void *arg)
{
    struct end *e = arg;
    for (unsigned i = 0; i < e->delay; i++) host[e->node].platform.wait(&host[e->node]);
    if (e->sends) e->result = nx_file_send(file[e->node], reader, e, &e->counts);
    else e->result = nx_file_receive(file[e->node], writer, e, &e->counts);
    strcpy(e->error, nx_file_last_error(file[e->node]));
}

static struct end ends[4]; /* of two streams */

/* Runs this many of them at once, from the first on. */
static void run(unsigned first, unsigned count)
{
    struct mock_task tasks[4];
    for (unsigned i = 0; i < count; i++) tasks[i] = (struct mock_task){run_end, &ends[first + i]};
    mock_run(tasks, count);
}

/* Sender and receiver of a stream, in ends[0] and [1], or if it is the second in [2] and [3]. */
static void pair(int second, unsigned from, unsigned stream, uint64_t size)
{
    ends[2 * second] = (struct end){.node = from, .stream = stream, .size = size, .sends = 1};
    ends[2 * second + 1] = (struct end){.node = 1 - from, .stream = stream};
}

static void check_pair(const struct end *ends)
{
    ck_assert_msg(ends[0].result == NX_OK, "sender of %llu: %s", (unsigned long long)ends[0].size, ends[0].error);
    ck_assert_msg(ends[1].result == NX_OK, "receiver of %llu: %s", (unsigned long long)ends[0].size, ends[1].error);
    ck_assert_uint_eq(ends[1].at, ends[0].size);
    ck_assert_uint_eq(ends[1].wrong, 0);
    ck_assert_uint_eq(ends[0].counts.bytes, ends[0].size);
    ck_assert_uint_eq(ends[1].counts.bytes, ends[0].size);
    ck_assert_uint_eq(ends[0].counts.blocks, ends[1].counts.blocks);
}

static void run_well(unsigned streams)
{
    run(0, 2 * streams);
    for (unsigned i = 0; i < streams; i++) check_pair(&ends[2 * i]);
}

static void transfer(unsigned from, uint64_t size)
{
    pair(0, from, (unsigned)size, size);
    run_well(1);
}

static void set_up_files(void)
{
    set_up();
    mock_forbid(&net.node[1], DESTINATION);
    for (unsigned i = 0; i < 2; i++) {
        net.node[i].words_per_step = 512;
        file_params[i] = nx_file_params_default();
        file_params[i].mailbox = MOCK_MAILBOX;
        file_params[i].timeout_ns = 2u * 1000 * 1000;
        file_params[i].block_bytes = 8192;
    }
    params.timeout_ns = 2u * 1000 * 1000;
}

static void open_files(void)
{
    for (unsigned i = 0; i < 2; i++) {
        int error = nx_file_open(dev[i], 1 - i, &file_params[i], &file[i]);
        ck_assert_msg(!error, "%s", nx_file_last_error(file[i]));
    }
}

static void open_all(void)
{
    open_both();
    open_files();
}

static void close_files(void)
{
    for (unsigned i = 0; i < 2; i++) {
        nx_file_close(file[i]);
        file[i] = NULL;
    }
}

static void tear_down_files(void)
{
    close_files();
    tear_down();
}

/* ---- good disturbance */

TEST_CASE("good_weather", .timeout = 300, .setup = set_up_files, .teardown = tear_down_files);

TEST(streams_of_any_length_arrive_whole)
{
    static const uint64_t SIZES[] = {0, 1, 7, 8, 9, 495, 496, 497, 8191, 8192, 8193, 65535, 65536, 65537, 100001};
    open_all();
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) transfer(i % 2, SIZES[i]);
}

TEST(random_streams_cross_each_other, .to = 4)
{
    unsigned switched = 0;
    params.payload_words = (unsigned[]){62, 512, 5, 62}[_i];
    params.posting = (enum nx_posting)(_i % 3);
    params.direct = _i != 3;
    open_all();
    for (int i = 0; i < 2; i++) mock_host_wild(&host[i]);
    for (unsigned round = 0; round < 12; round++) {
        pair(0, 0, round, mock_random(&net) % 100001);
        pair(1, 1, 100 + round, mock_random(&net) % 100001);
        for (unsigned i = 0; i < 4; i++) {
            ends[i].delay = (unsigned)(mock_random(&net) % 300);
            ends[i].slow = round % 3 ? (unsigned)(mock_random(&net) % 100) : 0;
        }
        run_well(2);
        switched++;
    }
    ck_assert_uint_eq(switched, 12);
}

TEST(sides_may_differ_in_blocks, .to = 5)
{
    static const struct {
        uint32_t bytes[2];
        unsigned blocks[2];
    } CASES[] = {
        {{8, 8}, {1, 1}}, {{4096, 512}, {8, 3}}, {{512, 4096}, {3, 8}}, {{40, 1 << 16}, {64, 1}}, {{24, 16}, {2, 64}}};
    for (int i = 0; i < 2; i++) {
        file_params[i].block_bytes = CASES[_i].bytes[i];
        file_params[i].blocks = CASES[_i].blocks[i];
    }
    open_all();
    transfer(0, 5003);
    transfer(1, 4999);
}

TEST(all_slots_and_the_whole_window_are_in_use)
{
    uint64_t most = 0, descriptors;
    file_params[0].block_bytes = file_params[1].block_bytes = 0;
    open_all();
    ck_assert_uint_eq(nx_parameters(dev[0])->transfer_bytes, 3968);
    descriptors = net.node[0].descriptors;
    pair(0, 0, 1, 10 * 63488);
    run_well(1);
    /* sixteen transfers and one control block per block, an empty last block, a request or two */
    ck_assert_uint_eq(ends[0].counts.blocks, 11);
    most = net.node[0].descriptors - descriptors;
    ck_assert_uint_ge(most, 10 * 17 + 2);
    ck_assert_uint_le(most, 10 * 17 + 4);
    /* one local notification per block, plus those that the driver adds */
    ck_assert_uint_le(net.node[0].reg[NIC_LOCAL_NOTIFICATIONS / 4], 11 + 172 / 32 + 1);
}

TEST(interrupts_replace_polling)
{
    for (int i = 0; i < 2; i++) file_params[i].interrupt_peer = 1;
    open_all();
    for (int i = 0; i < 2; i++) ck_assert_int_eq(nx_use_interrupts(dev[i], 1), NX_OK);
    pair(0, 0, 1, 77777);
    pair(1, 1, 2, 99999);
    for (int i = 0; i < 4; i++) ends[i].slow = 50;
    run_well(2);
    for (int i = 0; i < 2; i++) ck_assert_uint_gt(nx_wait_counts(dev[i]).interrupts, 0);
}

TEST(handles_may_be_closed_and_opened_between_streams)
{
    open_all();
    for (unsigned i = 0; i < 5; i++) {
        transfer(0, 1000 + i);
        transfer(1, 20000 + i);
        close_files();
        open_files();
    }
}

TEST(a_node_may_send_to_itself_through_a_switch)
{
    nx_file *own;
    nx_file *peers[2];
    params.direct = 0;
    open_all();
    memcpy(peers, file, sizeof peers);
    ck_assert_int_eq(nx_file_open(dev[0], 0, &file_params[0], &own), NX_OK);
    file[0] = own;
    pair(0, 0, 1, 50001);
    ends[1].node = 0;
    run_well(1);
    nx_file_close(own);
    memcpy(file, peers, sizeof peers);
}

/* ---- bad disturbance: whatever is lost, no wrong byte is accepted, and the next stream is good */

static void run_badly(void)
{
    run(0, 2);
    ck_assert_uint_eq(ends[1].wrong, 0);
    ck_assert_uint_le(ends[1].at, ends[0].size);
    if (ends[1].result == NX_OK) ck_assert_uint_eq(ends[1].at, ends[0].size);
    if (ends[0].result == NX_OK) ck_assert_int_eq(ends[1].result, NX_OK);
}

TEST_CASE("bad_weather", .timeout = 300, .setup = set_up_files, .teardown = tear_down_files);

TEST(lost_and_damaged_packets_are_never_believed, .to = 2)
{
    unsigned failed = 0;
    open_all();
    for (unsigned packet = 1; packet < 95; packet += 1 + (unsigned)(mock_random(&net) % 4)) {
        uint64_t good;
        pair(0, 0, packet, 40001);
        if (_i) net.node[0].damage_packet_at = packet;
        else net.node[0].drop_packet_at = packet;
        run_badly();
        good = ends[1].result == NX_OK;
        failed += !good;
        if (!good) {
            ck_assert_msg(ends[1].result == NX_ERROR_FLAGGED || ends[1].result == NX_ERROR_CHECKSUM ||
                              ends[1].result == NX_ERROR_PROTOCOL || ends[1].result == NX_ERROR_TIMEOUT ||
                              ends[1].result == NX_ERROR_PEER,
                          "receiver: %s", ends[1].error);
            ck_assert_msg(ends[0].result == NX_ERROR_PEER || ends[0].result == NX_ERROR_TIMEOUT, "sender: %s",
                          ends[0].error);
        }
        net.node[0].damage_packet_at = net.node[0].drop_packet_at = 0;
        transfer(0, 3000 + packet);
    }
    ck_assert_uint_gt(failed, 10);
}

TEST(a_flagged_notification_is_an_error_on_both_sides)
{
    file_params[0].blocks = file_params[1].blocks = 1; /* so that no later notification can hide it */
    open_all();
    pair(0, 0, 1, 30000);
    net.node[0].damage_packet_at = 30;
    run_badly();
    ck_assert_msg(ends[1].result == NX_ERROR_FLAGGED || ends[1].result == NX_ERROR_CHECKSUM, "%s", ends[1].error);
    ck_assert_int_eq(ends[0].result, NX_ERROR_PEER);
    ck_assert_ptr_nonnull(strstr(ends[0].error, "node 1 gave up after 1 blocks: "));
    transfer(0, 30000);
}

/* Damaged data without a loss indication: only the checksum shows them. */
TEST(silent_damage_is_found_by_the_checksum)
{
    open_all();
    for (unsigned stream = 1; stream < 6; stream++) {
        pair(0, 0, stream, 60000);
        net.node[0].damage_packet_at = 5 * stream;
        net.node[0].damage_silently = 1;
        run_badly();
        if (ends[1].result != NX_OK)
            ck_assert_msg(ends[1].result == NX_ERROR_CHECKSUM || ends[1].result == NX_ERROR_PROTOCOL, "%s",
                          ends[1].error);
        net.node[0].damage_packet_at = 0;
    }
    ck_assert_int_eq(ends[1].result, NX_ERROR_CHECKSUM);
    transfer(0, 100);
}

TEST(lost_requests_offers_and_acknowledgements_are_repeated)
{
    open_all();
    net.node[0].drop_bytes = 40; /* request */
    transfer(0, 1000);
    net.node[1].drop_bytes = 40; /* offer */
    transfer(0, 1000);
    /* the acknowledgement of a block in the middle: later ones, or repeats, carry the same */
    for (unsigned n = 2; n < 5; n++) {
        net.node[1].drop_packet_at = n;
        transfer(0, 100000);
    }
    close_files();
    file_params[0].blocks = 1;
    open_files();
    for (unsigned n = 2; n < 5; n++) {
        net.node[1].drop_packet_at = n;
        transfer(0, 100000);
    }
}

TEST(a_failing_callback_stops_both_sides, .to = 2)
{
    open_all();
    pair(0, 0, 1, 50000);
    ends[_i].fail_at = 30000;
    run_badly();
    ck_assert_int_eq(ends[_i].result, NX_ERROR_CALLBACK);
    ck_assert_int_eq(ends[1 - _i].result, NX_ERROR_PEER);
    ck_assert_ptr_nonnull(strstr(ends[_i].error, _i ? "the writer returned 9" : "the reader returned -7 at byte"));
    ck_assert_ptr_nonnull(strstr(ends[1 - _i].error, "reader or writer failed"));
    transfer(0, 50000);
}

TEST(descriptors_lost_by_the_own_device_are_reported)
{
    for (unsigned n = 1; n < 30; n += 4) {
        if (n == 1) open_all();
        pair(0, 0, n, 40001);
        net.node[0].fail_read_at = n;
        run_badly();
        ck_assert_int_ne(ends[0].result == NX_OK, ends[1].result != NX_OK);
        net.node[0].fail_read_at = 0;
        for (int i = 0; i < 2; i++) (void)nx_drain(dev[i], 1 - i);
        transfer(0, 10000);
    }
}

static const nx_record offers[] = {
    {{0, 0xfffffffffffff000, 4096, 1}}, {{0, 0x1001, 4096, 1}}, {{0, 0x1000, 4095, 1}}, {{0, 0x1000, 4096, 65}},
    {{0, 0xfffff000, 4096, 2}},         {{0, 0x1000, 0, 1}},    {{0, 0x1000, 4096, 0}}};
static void offer_badly(void *arg)
{
    const struct nx_platform *p = &host[0].platform;
    nx_record r = *(const nx_record *)arg;
    uint8_t bytes[RECORD_BYTES];
    while (!(r.word[0] = mock_get64(&net.node[1], MOCK_MAILBOX + BOX_REQUEST))) p->wait(p->self);
    for (unsigned i = 0; i < RECORD_WORDS; i++) nx_put64(bytes + 8 * i, r.word[i]);
    nx_put64(bytes + 8 * RECORD_WORDS, nx_check(BOX_OFFER, r.word, RECORD_WORDS));
    p->mem_write(p->self, MOCK_MAILBOX + NX_FILE_MAILBOX_BYTES + BOX_OFFER, bytes, sizeof bytes);
}

TEST(an_offer_of_memory_that_cannot_be_is_refused, .to = COUNT(offers))
{
    open_all();
    pair(0, 0, 1, 100);
    const struct mock_task tasks[] = {{run_end, &ends[0]}, {offer_badly, (void *)(uintptr_t)&offers[_i]}};
    mock_run(tasks, 2);
    ck_assert_int_eq(ends[0].result, NX_ERROR_PROTOCOL);
    ck_assert_msg(strstr(ends[0].error, "node 1 offers") != NULL, "%s", ends[0].error);
}

TEST(nobody_there_times_out)
{
    open_all();
    pair(0, 0, 1, 100);
    run(0, 1);
    ck_assert_int_eq(ends[0].result, NX_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(ends[0].error, "node 1: waiting for a receiver: nothing received for 2000 us"));
    for (int i = 0; i < 100; i++) mock_step(&net); /* its last record, that it has stopped, arrives */
    run(1, 1);
    ck_assert_int_eq(ends[1].result, NX_ERROR_TIMEOUT);
    ck_assert_str_eq(ends[1].error, "node 0: no sender for 2000 us");
    transfer(0, 100);
}

TEST(a_sender_that_crashes_leaves_a_receiver_that_times_out)
{
    open_all();
    pair(0, 0, 1, 60000);
    net.node[0].fail_read_at = 12;
    net.node[0].die_with_read_error = 1;
    run_badly();
    ck_assert_int_ne(ends[0].result, NX_OK);
    ck_assert_int_eq(ends[1].result, NX_ERROR_TIMEOUT);
    net.node[0].stuck = 0;
    nx_file_close(file[0]);
    ck_assert_int_eq(nx_reset(dev[0]), NX_OK);
    ck_assert_int_eq(nx_file_open(dev[0], 1, &file_params[0], &file[0]), NX_OK);
    transfer(0, 60000);
}

/* A link on which a block takes 100 us, and a window of blocks longer than the time-out. */
static void open_slow_files(void)
{
    for (unsigned i = 0; i < 2; i++) {
        net.node[i].words_per_step = 1;
        file_params[i].timeout_ns = 300 * 1000;
    }
    open_all();
}

/* The request of the next stream does not wait behind the blocks of the one that has failed. */
TEST(a_stream_that_fails_leaves_the_next_its_time)
{
    open_slow_files();
    for (unsigned round = 1; round < 4; round++) {
        pair(0, 0, round, 100000);
        net.node[0].damage_packet_at = 3 * round;
        run_badly();
        ck_assert_int_ne(ends[1].result, NX_OK);
        transfer(0, 70000 + round);
    }
}

/* Offers and acknowledgements wait behind the blocks of the other direction. */
TEST(blocks_of_the_other_direction_are_no_silence)
{
    open_slow_files();
    pair(0, 0, 1, 100000);
    pair(1, 1, 2, 120000);
    ends[2].delay = 100; /* the window is full before the first offer */
    run_well(2);
}

/* A sender times out before the offer has come; the receiver that made it takes the next stream. */
TEST(an_old_abort_does_not_end_a_new_start)
{
    file_params[0].timeout_ns = 300 * 1000;
    net.node[1].latency = 1000;
    open_all();
    pair(0, 0, 1, 5000);
    pair(1, 0, 1, 5000);
    ends[1].delay = 900; /* three tasks: 270 us */
    ends[2].delay = 1600;
    run(0, 3);
    ck_assert_int_eq(ends[0].result, NX_ERROR_TIMEOUT);
    ends[0] = ends[2];
    check_pair(ends);
}

TEST(one_call_at_a_time_per_direction)
{
    open_all();
    pair(0, 0, 1, 60000);
    ends[2] = (struct end){.node = 0, .stream = 3, .size = 10, .sends = 1, .delay = 50};
    run(0, 3);
    ck_assert_int_eq(ends[2].result, NX_ERROR_ARGUMENT);
    check_pair(ends);
}

static const unsigned ids[][2] = {{9, 8}, {127, 0}, {64, 64}, {3, 100}};

TEST(nodes_of_any_id_exchange_streams, .to = COUNT(ids))
{
    for (unsigned i = 0; i < 2; i++) {
        params.node_id = ids[_i][i];
        dev[i] = mock_open(&host[i], &params);
    }
    for (unsigned i = 0; i < 2; i++)
        ck_assert_int_eq(nx_file_open(dev[i], ids[_i][1 - i], &file_params[i], &file[i]), NX_OK);
    pair(0, 0, 1, 100001);
    pair(1, 1, 2, 65536);
    run_well(2);
}

TEST(a_peer_behind_a_switch_needs_a_queue_of_its_own)
{
    nx_file *f;
    params.direct = 0;
    open_all();
    ck_assert_int_eq(nx_file_open(dev[0], 8, &file_params[0], &f), NX_ERROR_ARGUMENT);
    ck_assert_msg(strstr(nx_file_last_error(f), "peer is 8, expected 0..7") != NULL, "%s", nx_file_last_error(f));
    nx_file_close(f);
    file_params[0].queue = 2;
    ck_assert_int_eq(nx_file_open(dev[0], 8, &file_params[0], &f), NX_OK);
    nx_file_close(f);
}

TEST(illegal_parameters_are_refused)
{
    static const struct {
        unsigned peer;
        nx_file_params p;
        const char *text;
    } BAD[] = {{128, {.mailbox = MOCK_MAILBOX, .blocks = 8}, "peer is 128, expected 0..127"},
               {1, {.mailbox = MOCK_MAILBOX, .blocks = 8, .queue = 9}, "queue is 9, expected 0..8"},
               {1, {.blocks = 8}, "mailbox 0x0"},
               {1, {.mailbox = 0x100004, .blocks = 8}, "mailbox 0x100004"},
               {1, {.mailbox = 0xfff80000, .blocks = 8}, "mailbox 0xfff80000"},
               {1, {.mailbox = MOCK_MAILBOX, .blocks = 0}, "blocks is 0, expected 1..64"},
               {1, {.mailbox = MOCK_MAILBOX, .blocks = 65}, "blocks is 65"},
               {1, {.mailbox = MOCK_MAILBOX, .blocks = 8, .block_bytes = 12}, "block_bytes is 12"},
               {1, {.mailbox = MOCK_MAILBOX, .blocks = 8, .block_bytes = (16 << 20) + 8}, "block_bytes is 16777224"}};
    open_all();
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        nx_file *f;
        ck_assert_int_eq(nx_file_open(dev[0], BAD[i].peer, &BAD[i].p, &f), NX_ERROR_ARGUMENT);
        ck_assert_msg(strstr(nx_file_last_error(f), BAD[i].text) != NULL, "%s", nx_file_last_error(f));
        nx_file_close(f);
    }
    nx_file *f;
    nx_file_params large = file_params[0];
    large.blocks = 64;
    large.block_bytes = 16 << 20;
    ck_assert_int_eq(nx_file_open(dev[0], 1, &large, &f), NX_ERROR_NO_SPACE);
    nx_file_close(f);
}
