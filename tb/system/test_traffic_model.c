/* The reference model of random traffic, fed by hand: a correct run passes, and each kind of breach is caught when it
 * happens. */
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/scenario/traffic_model.h"
#include "test.h"

enum { LIMIT = 4, SOURCE = 0x8000, AREA_BYTES = 0x1000 };

static memory *from, *to;
static traffic_model *m;
static const uint32_t area[TRAFFIC_AREAS] = {0x100000, 0x200000, 0x300000, 0x400008};

CLEANUP(traffic_model_free);
CLEANUP(memory_free);

static void start_paths(int lossy, unsigned paths)
{
    traffic_model_params p = {.source = 5, .limit = LIMIT, .paths = paths, .area_bytes = AREA_BYTES, .lossy = lossy};
    p.from = from = memory_new();
    p.to = to = memory_new();
    memcpy(p.area, area, sizeof area);
    for (uint64_t i = 0; i < 64; i++) memory_put64(from, SOURCE + 8 * i, i * 0x0123456789abcdefull + 1, 0xff);
    m = traffic_model_new(&p);
    after_test(memory_free_cleanup, from);
    after_test(memory_free_cleanup, to);
    after_test(traffic_model_free_cleanup, m);
}

static void start_lossless(void) { start_paths(0, 1); }

TEST_CASE("traffic_model", .setup = start_lossless);

static void good(int result) { ck_assert_msg(!result && !*traffic_model_error(m), "%s", traffic_model_error(m)); }

static void caught(int result, const char *text)
{
    ck_assert_int_eq(result, -1);
    ck_assert_msg(strstr(traffic_model_error(m), text) != NULL, "\"%s\" was expected in \"%s\"", text,
                  traffic_model_error(m));
    ck_assert_int_eq(traffic_model_finish(m), -1);
}

static uint64_t header(unsigned flags, unsigned sequence, unsigned words, uint32_t address)
{
    return 5ull << 56 | (uint64_t)flags << 52 | 1ull << 51 | (uint64_t)sequence << 42 | (uint64_t)words << 32 | address;
}

static void post(unsigned queue, unsigned source_word, uint32_t destination, unsigned words, unsigned flags)
{
    traffic_transfer t = {SOURCE + 8 * source_word, destination, words, flags >> 2 & 1, flags >> 1 & 1, flags & 1};
    ck_assert_int_eq(traffic_model_free_at(m, destination, words), 1);
    traffic_model_post(m, queue, &t);
    ck_assert_int_eq(traffic_model_free_at(m, destination, words), 0);
}

static int ends_on(unsigned path, unsigned source_word, unsigned words, uint32_t flip, int crc_ok)
{
    uint32_t payload[2 * LIMIT];
    for (unsigned i = 0; i < words; i++) {
        uint64_t word = memory_get64(from, SOURCE + 8 * (uint64_t)(source_word + i));
        payload[2 * i] = (uint32_t)(word >> 32);
        payload[2 * i + 1] = (uint32_t)word;
    }
    payload[2 * words - 1] ^= flip;
    return traffic_model_ends(m, path, payload, 8 * words, crc_ok);
}

static int ends(unsigned source_word, unsigned words, uint32_t flip, int crc_ok)
{
    return ends_on(0, source_word, words, flip, crc_ok);
}

static int lands(unsigned source_word, uint32_t address, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        memory_put64(to, address + 8 * i, memory_get64(from, SOURCE + 8 * (uint64_t)(source_word + i)), 0xff);
    return traffic_model_written(m, address, 8 * words);
}

/* Two transfers of two queues: six words with all flags to area 0, three words with none to area 1; packets 0 and 1,
 * and 2. */
enum { A = 0x100010, B = 0x200000 };
static void two(void)
{
    post(1, 0, A, 6, 7);
    post(2, 20, B, 3, 0);
}

TEST(a_right_run_passes)
{
    two();
    good(traffic_model_begins(m, 0, header(0, 0, 4, A)));
    good(ends(0, 4, 0, 1));
    good(traffic_model_begins(m, 0, header(0, 1, 3, B))); /* queues interleave */
    good(lands(0, A, 2));
    good(lands(2, A + 16, 2)); /* a write that was cut */
    good(ends(20, 3, 0, 1));
    good(traffic_model_begins(m, 0, header(7, 2, 2, A + 32)));
    good(lands(20, B, 3));
    good(lands(4, A + 32, 2));
    good(traffic_model_notified(m, header(7, 2, 2, A + 32)));
    ck_assert_int_eq(traffic_model_done(m), 0);
    good(ends(4, 2, 0, 1));
    good(traffic_model_counted(m, 1, 1));
    ck_assert_int_eq(traffic_model_done(m), 1);
    good(traffic_model_finish(m));
    traffic_counts n = traffic_model_counts(m);
    ck_assert_uint_eq(n.landed, 3);
    ck_assert_uint_eq(n.bytes, 72);
    ck_assert_uint_eq(n.notifications, 1);
    ck_assert_uint_eq(n.counts, 1);
    ck_assert_int_eq(traffic_model_free_at(m, A, 6), 1);
}

TEST(targets_lie_in_the_areas_and_do_not_meet)
{
    post(0, 0, 0x100800, 8, 0);
    ck_assert_int_eq(traffic_model_free_at(m, 0x1007f8, 1), 1);
    ck_assert_int_eq(traffic_model_free_at(m, 0x1007f8, 2), 0);
    ck_assert_int_eq(traffic_model_free_at(m, 0x100838, 1), 0);
    ck_assert_int_eq(traffic_model_free_at(m, 0x100840, 1), 1);
    ck_assert_int_eq(traffic_model_free_at(m, 0x100ff8, 1), 1);
    ck_assert_int_eq(traffic_model_free_at(m, 0x100ff8, 2), 0);
    ck_assert_int_eq(traffic_model_free_at(m, 0x0ffff8, 1), 0);
    ck_assert_int_eq(traffic_model_free_at(m, 0x400008, AREA_BYTES / 8), 1);
}

/* ---- the wire */

static void first_packet(void)
{
    two();
    good(traffic_model_begins(m, 0, header(0, 0, 4, A)));
    good(ends(0, 4, 0, 1));
    good(lands(0, A, 4));
}

static const struct {
    uint64_t header;
    const char *text;
} wrong_headers[] = {
    {5ull << 56 | 7ull << 52 | 1ull << 51 | 1ull << 42 | 2ull << 32 | (A + 40), "of no queue the next"},
    {5ull << 56 | 1ull << 51 | 1ull << 42 | 3ull << 32 | (A), "of no queue the next"}, /* again */
    {5ull << 56 | 7ull << 52 | 1ull << 51 | 2ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 7ull << 52 | 1ull << 51 | 0ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 7ull << 52 | 1ull << 51 | 1ull << 42 | 1ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 3ull << 52 | 1ull << 51 | 1ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 5ull << 52 | 1ull << 51 | 1ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 6ull << 52 | 1ull << 51 | 1ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {4ull << 56 | 7ull << 52 | 1ull << 51 | 1ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 7ull << 52 | 0ull << 51 | 1ull << 42 | 2ull << 32 | (A + 32), "expected"},
    {5ull << 56 | 4ull << 52 | 1ull << 51 | 1ull << 42 | 3ull << 32 | (B), "expected"}, /* flags that were not given */
};

TEST(a_wrong_header_is_caught, .to = COUNT(wrong_headers))
{
    first_packet();
    caught(traffic_model_begins(m, 0, wrong_headers[_i].header), wrong_headers[_i].text);
}

TEST(transfers_of_a_queue_keep_their_order)
{
    post(1, 0, A, 2, 0);
    post(1, 2, B, 2, 0);
    caught(traffic_model_begins(m, 0, header(0, 0, 2, B)), "of no queue the next");
}

TEST(a_flag_before_the_last_packet_is_caught)
{
    two();
    caught(traffic_model_begins(m, 0, header(4, 0, 4, A)), "expected");
}

TEST(a_wrong_payload_on_the_wire_is_caught, .to = 4)
{
    two();
    good(traffic_model_begins(m, 0, header(0, 0, 4, A)));
    if (_i == 0) caught(ends(0, 4, 0x80, 1), "of the frame");
    if (_i == 1) caught(ends(1, 4, 0, 1), "of the frame"); /* from the wrong place */
    if (_i == 2) caught(ends(0, 4, 0, 0), "body CRC wrong");
    if (_i == 3) caught(ends(0, 3, 0, 1), "bytes");
}

/* ---- memory */

TEST(a_write_to_the_wrong_place_is_caught, .to = 5)
{
    static const uint32_t where[] = {A + 32, A - 8, A + 8, 0x7000, B};
    two();
    good(traffic_model_begins(m, 0, header(0, 0, 4, A)));
    good(traffic_model_begins(m, 0, header(0, 1, 3, B)));
    caught(traffic_model_written(m, where[_i], 8), "of no packet the next"); /* the last: out of order */
}

TEST(a_write_that_is_too_long_is_caught, .to = 3)
{
    two();
    good(traffic_model_begins(m, 0, header(0, 0, 4, A)));
    if (_i == 0) caught(traffic_model_written(m, A, 40), "more than the packet's");
    if (_i == 1) caught(traffic_model_written(m, A, 28), "more than the packet's");
    if (_i == 2) {
        good(lands(0, A, 4));
        caught(traffic_model_written(m, A, 8), "of no packet the next"); /* a second time */
    }
}

TEST(wrong_data_in_memory_are_caught, .to = 2)
{
    two();
    good(traffic_model_begins(m, 0, header(0, 0, 4, A)));
    good(ends(0, 4, 0, 1));
    good(lands(0, A, 3));
    memory_put64(to, A + 24, ~memory_get64(from, SOURCE + 24), _i ? 0x80 : 0xff);
    caught(traffic_model_written(m, A + 24, 8), "in memory");
}

static void all_of_it(void)
{
    first_packet();
    good(traffic_model_begins(m, 0, header(7, 1, 2, A + 32)));
    good(ends(4, 2, 0, 1));
    good(lands(4, A + 32, 2));
    good(traffic_model_notified(m, header(7, 1, 2, A + 32)));
    good(traffic_model_counted(m, 1, 1));
    good(traffic_model_begins(m, 0, header(0, 2, 3, B)));
    good(ends(20, 3, 0, 1));
    good(lands(20, B, 3));
}

TEST(a_byte_touched_elsewhere_is_caught, .to = 8)
{
    static const uint32_t where[] = {A - 8, A + 48, A, B + 24, 0x100000 - 8, 0x100000 + AREA_BYTES, 0x400000, 0x300ff8};
    all_of_it();
    memory_put64(to, where[_i], 0x5500, 2);
    caught(traffic_model_finish(m), "memory at");
}

/* ---- notifications */

TEST(a_wrong_notification_is_caught, .to = 7)
{
    uint64_t right = header(7, 1, 2, A + 32);
    first_packet();
    good(traffic_model_begins(m, 0, right));
    good(ends(4, 2, 0, 1));
    if (_i == 0) caught(traffic_model_notified(m, right), "none is due"); /* before its data */
    else good(lands(4, A + 32, 2));
    if (_i == 1) caught(traffic_model_notified(m, right ^ 1ull << 42), "expected");
    if (_i == 2) caught(traffic_model_notified(m, right ^ 8), "expected");
    if (_i == 3) caught(traffic_model_notified(m, right | 1ull << 63), "is flagged");
    if (_i == 4) {
        good(traffic_model_notified(m, right));
        caught(traffic_model_notified(m, right), "none is due"); /* twice */
    }
    if (_i == 5) {
        good(traffic_model_begins(m, 0, header(0, 2, 3, B)));
        caught(traffic_model_written(m, B, 24), "before notification"); /* left out, or late */
    }
    if (_i == 6) {
        good(traffic_model_begins(m, 0, header(0, 2, 3, B)));
        good(ends(20, 3, 0, 1));
        good(traffic_model_counted(m, 1, 1));
        caught(traffic_model_finish(m), "landed");
    }
}

TEST(a_packet_without_flag_gets_no_notification)
{
    first_packet();
    caught(traffic_model_notified(m, header(0, 0, 4, A)), "none is due");
}

TEST(a_wrong_local_count_is_caught, .to = 6)
{
    first_packet();
    if (_i == 0) caught(traffic_model_counted(m, 1, 1), "have left"); /* half of it has */
    else good(traffic_model_begins(m, 0, header(7, 1, 2, A + 32)));
    if (_i == 1) caught(traffic_model_counted(m, 1, 1), "have left"); /* its last packet has only begun */
    if (_i > 1) {
        good(ends(4, 2, 0, 1));
        good(lands(4, A + 32, 2));
        good(traffic_model_notified(m, header(7, 1, 2, A + 32)));
    }
    if (_i == 2) caught(traffic_model_counted(m, 2, 1), "have left"); /* another queue's */
    if (_i == 3) caught(traffic_model_counted(m, 16, 1), "a local count");
    if (_i == 4) {
        good(traffic_model_counted(m, 1, 1));
        caught(traffic_model_counted(m, 1, 0), "goes back");
    }
    if (_i == 5) {
        good(traffic_model_begins(m, 0, header(0, 2, 3, B)));
        good(ends(20, 3, 0, 1));
        good(lands(20, B, 3));
        caught(traffic_model_finish(m), "was asked for");
    }
}

TEST(what_has_not_come_is_missed_at_the_end, .to = 3)
{
    if (_i == 0) {
        two();
        caught(traffic_model_finish(m), "have left");
    } else {
        post(0, 0, A, 2, _i == 1 ? 0 : 4);
        good(traffic_model_begins(m, 0, header(_i == 1 ? 0 : 4, 0, 2, A)));
        good(ends(0, 2, 0, 1));
        if (_i == 2) good(lands(0, A, 2));
        caught(traffic_model_finish(m), _i == 1 ? "landed" : "not come");
    }
}

/* ---- losses */

static void send(unsigned queue, unsigned source_word, uint32_t address, unsigned sequence, unsigned flags)
{
    post(queue, source_word, address, 2, flags);
    good(traffic_model_begins(m, 0, header(flags, sequence, 2, address)));
    good(ends(source_word, 2, 0, 1));
}

TEST(a_good_notification_for_lost_data_is_caught, .to = 4)
{
    start_paths(1, 1);
    send(0, 0, A, 0, 4);
    good(lands(0, A, 2));
    good(traffic_model_notified(m, header(4, 0, 2, A)));
    send(0, 2, A + 0x100, 1, 4);
    send(1, 4, A + 0x200, 2, 4);
    if (_i < 2) { /* the second one is lost */
        good(lands(4, A + 0x200, 2));
        if (_i == 0) caught(traffic_model_notified(m, header(4, 2, 2, A + 0x200)), "lost or damaged");
        else good(traffic_model_notified(m, 1ull << 63 | header(4, 2, 2, A + 0x200)));
    } else { /* the second one is damaged */
        memory_put64(to, A + 0x100, 99, 0xff);
        good(traffic_model_written(m, A + 0x100, 16));
        if (_i == 2) caught(traffic_model_notified(m, header(4, 1, 2, A + 0x100)), "lost or damaged");
        else good(traffic_model_notified(m, 1ull << 63 | header(4, 1, 2, A + 0x100)));
        if (_i == 3) {
            good(lands(4, A + 0x200, 2));
            good(traffic_model_notified(m, header(4, 2, 2, A + 0x200))); /* notified once */
        }
    }
    if (_i & 1) {
        good(traffic_model_finish(m));
        ck_assert_uint_eq(traffic_model_counts(m).lost + traffic_model_counts(m).damaged, 1);
        ck_assert_uint_eq(traffic_model_counts(m).flagged, 1);
    }
}

/* ---- several paths: numbers of ten bits */

static uint64_t numbered(unsigned flags, unsigned number, unsigned words, uint32_t address)
{
    return 5ull << 56 | (uint64_t)flags << 52 | (uint64_t)number << 42 | (uint64_t)words << 32 | address;
}

/* `two` on two paths: packet 1 is on path 1 before packet 0 is on path 0, and has left and landed before it. */
static void overtaken(int lossy)
{
    start_paths(lossy, 2);
    two();
    good(traffic_model_begins(m, 1, numbered(7, 1, 2, A + 32)));
    good(traffic_model_begins(m, 0, numbered(0, 0, 4, A)));
    good(ends_on(1, 4, 2, 0, 1));
    good(lands(4, A + 32, 2));
}

TEST(packets_of_several_paths_overtake_each_other)
{
    overtaken(0);
    good(traffic_model_begins(m, 1, numbered(0, 2, 3, B)));
    good(ends_on(1, 20, 3, 0, 1));
    good(lands(20, B, 3));
    good(ends_on(0, 0, 4, 0, 1));
    good(lands(0, A, 4));
    ck_assert_uint_eq(traffic_model_pending(m), 1);
    good(traffic_model_counted(m, 1, 1));
    ck_assert_int_eq(traffic_model_done(m), 0);
    good(traffic_model_notified(m, numbered(7, 1, 2, A + 32)));
    ck_assert_int_eq(traffic_model_done(m), 1);
    good(traffic_model_finish(m));
}

TEST(numbers_go_round_on_several_paths)
{
    start_paths(0, 2);
    for (unsigned n = 0; n < 2100; n += 2) { /* each pair turned round */
        post(0, 0, A, 1, 4);
        post(0, 1, B, 1, 4);
        good(traffic_model_begins(m, 1, numbered(4, (n + 1) % 1024, 1, B)));
        good(traffic_model_begins(m, 0, numbered(4, n % 1024, 1, A)));
        good(ends_on(1, 1, 1, 0, 1));
        good(lands(1, B, 1));
        good(ends_on(0, 0, 1, 0, 1));
        good(lands(0, A, 1));
        good(traffic_model_notified(m, numbered(4, n % 1024, 1, A)));
        good(traffic_model_notified(m, numbered(4, (n + 1) % 1024, 1, B)));
    }
    good(traffic_model_finish(m));
}

TEST(what_must_not_be_on_several_paths_is_caught, .to = 10)
{
    if (_i < 2) overtaken(0);
    else start_paths(0, 2), two();
    if (_i == 0) caught(traffic_model_notified(m, numbered(7, 1, 2, A + 32)), "packet 0 is due");
    if (_i == 1) caught(traffic_model_counted(m, 1, 1), "have left"); /* the last packet has, the first has not */
    if (_i == 2) {
        good(traffic_model_begins(m, 1, numbered(0, 1, 4, A)));
        caught(traffic_model_begins(m, 0, numbered(7, 0, 2, A + 32)), "is not the next of queue 1");
    }
    if (_i >= 3 && _i < 7) good(traffic_model_begins(m, 0, numbered(0, 0, 4, A)));
    if (_i == 3) caught(traffic_model_begins(m, 1, numbered(7, 1024 - 1, 2, A + 32)), "ahead"); /* behind */
    if (_i == 4) caught(traffic_model_begins(m, 1, numbered(0, 1, 4, A)), "of no queue the next");
    if (_i == 5 || _i == 6) good(traffic_model_begins(m, _i == 6, numbered(7, 1, 2, A + 32)));
    if (_i == 5) caught(lands(4, A + 32, 2), "of no packet the next"); /* on the same path */
    if (_i == 6) {
        good(lands(0, A, 2));
        caught(lands(4, A + 32, 2), "while the packet to");
    }
    if (_i == 7) caught(traffic_model_begins(m, 0, numbered(0, 512, 4, A)), "512 ahead");
    if (_i == 8) caught(traffic_model_begins(m, 0, numbered(0, 0, 3, A)), "expected");
    if (_i == 9) {
        post(3, 8, 0x300000, 1, 4);
        post(3, 9, 0x300008, 1, 4);
        for (unsigned n = 0; n < 2; n++) {
            good(traffic_model_begins(m, n, numbered(4, n, 1, 0x300000 + 8 * n)));
            good(lands(8 + n, 0x300000 + 8 * n, 1));
        }
        caught(traffic_model_notified(m, numbered(4, 1, 1, 0x300008)), "packet 0 is due");
    }
}

/* Packet 0 is lost, or comes after the notification of packet 1. */
TEST(what_a_notification_has_passed_is_lost, .to = 4)
{
    overtaken(1);
    uint64_t notification = numbered(7, 1, 2, A + 32);
    good(ends_on(0, 0, 4, 0, 1));
    if (_i == 0) caught(traffic_model_notified(m, notification), "lost or damaged");
    else good(traffic_model_notified(m, notification | 1ull << 63));
    if (_i == 1) caught(traffic_model_written(m, A, 8), "of no packet the next");
    if (_i < 2) return;
    good(traffic_model_begins(m, 0, numbered(0, 2, 3, B)));
    good(ends_on(0, 20, 3, 0, 1));
    good(lands(20, B, 3));
    good(traffic_model_counted(m, 1, 1));
    if (_i == 2) caught(traffic_model_notified(m, notification), "none is due"); /* twice */
    else good(traffic_model_finish(m));
    ck_assert_uint_eq(traffic_model_counts(m).lost, 1);
}

/* A queue is passed by transfers posted behind its own, not by those posted before it, nor by those on hold. */
TEST(a_queue_that_stands_still_is_named, .to = 3)
{
    enum { LIMIT_WORDS = 4 * LIMIT };
    fairness *t = fairness_new(3, LIMIT_WORDS);
    uint64_t gone = 0;
    const char *wrong = NULL;
    for (unsigned i = 0; i < 6; i++) {
        if (i == (_i ? 0 : 6)) ck_assert_int_eq(fairness_posted(t, 2), 0);
        ck_assert_int_eq(fairness_posted(t, 1), 0);
    }
    if (!_i) ck_assert_int_eq(fairness_posted(t, 2), 0);
    fairness_hold(t, _i == 2);
    for (unsigned i = 0; i < 6 && !wrong; i++, gone++) wrong = fairness_gone(t, 1, LIMIT, 1);
    ck_assert_uint_eq(gone, _i == 1 ? 5 : 6);
    ck_assert_uint_eq(fairness_most(t), _i == 1 ? 5 * LIMIT : 0);
    if (_i == 1) ck_assert_msg(wrong && strstr(wrong, "flow 2 starves") && strstr(wrong, "flow 1: 5"), "%s", wrong);
    ck_assert(!fairness_gone(t, 2, 1, 1));
    fairness_free(t);
}
