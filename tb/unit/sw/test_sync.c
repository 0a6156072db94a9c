/* Counters, words, and what is made of them (sw/sync), against the fake device; remote queues: test_rqueues.c. */
#include <stdlib.h>
#include <string.h>

#include "fake_nodes.h"
#include "nic_register_map.h"
#include "nx_barrier.h"
#include "nx_shared.h"
#include "nx_stat.h"
#include "sync_register_map.h"
#include "test.h"

/* ---- life */

TEST_CASE("life", .setup = set_up, .teardown = tear_down);

TEST(a_device_without_sync_is_refused)
{
    device(0)->built = 0;
    fails(0, nx_sync_open(dev[0], &s[0]), NX_ERROR_NO_DEVICE, "expected a device with SYNC");
    ck_assert_ptr_null(s[0]);
    const nx_descriptor d = {.destination = nx_operation_word(NX_ADD, 1, 0), .words = 1, .flags = NX_OPERATION};
    fails(0, nx_post(dev[0], &d, NULL), NX_ERROR_ARGUMENT, "expected a device with SYNC");
}

TEST(wrong_arguments_are_refused)
{
    nx_rqueue *q;
    nx_rsender *r;
    uint64_t old;
    unsigned slot;
    open_sync();
    fails(0, nx_fetch_add(s[0], 1, 256, 1, &old), NX_ERROR_ARGUMENT, "word is 256, expected 0..255");
    fails(0, nx_word_ask(s[0], 1, NX_WRITE, 0, 0, 0, &slot), NX_ERROR_ARGUMENT, "has no answer");
    fails(0, nx_word_answer(s[0], 3, &old), NX_ERROR_ARGUMENT, "expected one of a request");
    fails(0, nx_counter_add(s[0], 1, 64, 1), NX_ERROR_ARGUMENT, "counter is 64, expected 0..63");
    fails(0, nx_rqueue_open(s[0], 16, NULL, &q), NX_ERROR_ARGUMENT, "queue is 16, expected 0..15");
    static const struct {
        nx_rqueue_params p;
        const char *text;
    } bad[] = {{{.slots = 3, .slot_bytes = 64}, "slots is 3"},
               {{.slots = 1, .slot_bytes = 64}, "slots is 1"},
               {{.slots = 8192, .slot_bytes = 64}, "slots is 8192"},
               {{.slots = 2, .slot_bytes = 32}, "slot_bytes is 32"},
               {{.slots = 2, .slot_bytes = 1024}, "slot_bytes is 1024"},
               {{.slots = 2, .slot_bytes = 96}, "slot_bytes is 96"},
               {{.slots = 2, .slot_bytes = 64, .sources = 0x10000}, "sources is 0x10000"}};
    for (int i = 0; i < COUNT(bad); i++)
        fails(0, nx_rqueue_open(s[0], 1, &bad[i].p, &q), NX_ERROR_ARGUMENT, bad[i].text);
    fails(0, nx_rsender_open(s[0], 8, 1, NULL, &r), NX_ERROR_ARGUMENT, "queue 1 of flow 8");
    fails(0, nx_rsender_open(s[0], 1, 1, &(nx_rsender_params){.window = 1}, &r), NX_ERROR_ARGUMENT, "window of 1");
    must(0, nx_rsender_open(s[0], 1, 1, &(nx_rsender_params){.words = 2}, &r));
    fails(0, nx_rsend(r, &old, 3), NX_ERROR_ARGUMENT, "message of 3 words, expected 1..2");
    nx_rsender_close(r);
}

/* Word 1 of descriptors as rtl/sync/README.md has it. */
TEST(descriptors_of_operations_are_as_documented)
{
    open_sync();
    net.node[0].stuck = 1;
    must(0, nx_counter_add(s[0], 1, 5, -1));
    must(0, nx_counter_arm(s[0], 1, 6, 3, NX_AT_ZERO_WORD, 1 << 2));
    const nx_descriptor d[2] = {{.source = 0x80, .destination = 0x1000, .words = 2, .flow = 1, .flags = NX_GROUP(9)},
                                {.source = 5, .destination = 0x2000, .words = 1, .flow = 1, .flags = NX_IMMEDIATE}};
    must(0, nx_prepare(dev[0], d, 2, NULL));
    ck_assert_uint_eq(net.node[0].entry[1][0][0], 0xffffffff);
    ck_assert_uint_eq(net.node[0].entry[1][0][1], 0x8818000100510001);
    ck_assert_uint_eq(net.node[0].entry[1][1][0], 0x8000000400000003);
    ck_assert_uint_eq(net.node[0].entry[1][1][1], 0x8818000100620001);
    ck_assert_uint_eq(net.node[0].entry[1][2][1], 0x0010240200001000);
    ck_assert_uint_eq(net.node[0].entry[1][3][0], 5);
    ck_assert_uint_eq(net.node[0].entry[1][3][1], 0x201c000100002000);
    net.node[0].stuck = 0;
}

TEST(descriptors_that_a_device_would_skip_are_refused)
{
    static const struct {
        nx_descriptor d;
        const char *text;
    } bad[] = {
        {{.destination = 0x1000, .words = 1, .flags = NX_OPERATION}, "expected an operation: bit 0 is 1"},
        {{.destination = 0x1001, .words = 1}, "expected multiples of 8"},
        {{.destination = 1, .words = 63, .flags = NX_OPERATION}, "length is 63 words, expected 1..62 of an operation"},
        {{.destination = 8, .words = 2, .flags = NX_IMMEDIATE}, "length is 2 words, expected 1 of an immediate"}};
    open_sync();
    for (int i = 0; i < COUNT(bad); i++) fails(0, nx_post(dev[0], &bad[i].d, NULL), NX_ERROR_ARGUMENT, bad[i].text);
    fails(0, nx_prepare(dev[0], NULL, 0, NULL), NX_ERROR_ARGUMENT, "a cluster of 0 descriptors");
    const nx_descriptor start = {.destination = 8, .words = 1, .flags = NX_START};
    fails(0, nx_prepare(dev[0], &start, 1, NULL), NX_ERROR_ARGUMENT, "with a start flag");
}

static void post(unsigned node, enum nx_operation kind, unsigned object, unsigned words)
{
    const nx_descriptor d = {.source = MEMORY,
                             .destination = nx_operation_word(kind, object, 0),
                             .words = words,
                             .flow = 1,
                             .flags = NX_OPERATION | NX_START};
    must(node, nx_post(dev[node], &d, NULL));
}

/* What a device does not execute it counts, by kind. */
TEST(status_names_what_was_not_executed)
{
    nx_sync_status status;
    open_sync();
    must(1, nx_sync_status_read(s[1], &status));
    ck_assert_str_eq(status.text, "no errors\n");
    post(0, 3, 0, 1);
    post(0, NX_ADD, 64, 1);
    post(0, NX_ADD, 0, 2);
    post(0, NX_WRITE, 256, 1);
    post(0, NX_ENQUEUE, 3, 1);
    post(0, NX_REPLY, 3, 1);
    steps(50);
    must(1, nx_sync_status_read(s[1], &status));
    ck_assert_uint_eq(status.errors, 6);
    static const char *const lines[] = {"status BAD_OPERATION: ", "BAD_OPERATION 1: ",      "BAD_OBJECT 2: ",
                                        "BAD_LENGTH 1: ",         "UNEXPECTED_ANSWERS 1: ", "REFUSED_OFF 1: "};
    for (int i = 0; i < COUNT(lines); i++) ck_assert_msg(strstr(status.text, lines[i]) != NULL, "%s", status.text);
    must(1, nx_sync_status_clear(s[1], status.status));
    must(1, nx_sync_status_read(s[1], &status));
    ck_assert_uint_eq(status.status, 0);
}

static nx_stat look, loaded;
static char report[1 << 20], again[1 << 20];

TEST(a_look_at_a_device_has_its_queues_counters_and_answers)
{
    char why[256];
    open_sync();
    must(0, nx_counter_add(s[0], NX_SELF, 5, 77));
    must(0, nx_stat_take(dev[0], &look));
    FILE *file = fmemopen(report, sizeof report, "w+");
    ck_assert_int_eq(nx_stat_save(&look, file), 0);
    rewind(file);
    ck_assert_msg(!nx_stat_load(&loaded, file, why, sizeof why), "%s", why);
    fclose(file);
    file = fmemopen(again, sizeof again, "w");
    ck_assert_int_eq(nx_stat_save(&loaded, file), 0);
    fclose(file);
    ck_assert_str_eq(again, report);
    file = fmemopen(again, sizeof again, "w");
    nx_stat_print(&loaded, 0, file);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(again, "SYNC_COUNTER_VALUE[5]              77"));
    ck_assert_ptr_nonnull(strstr(again, "SYNC_BUILD"));
    ck_assert_ptr_null(strstr(again, "SYNC_WORD["));
}

/* ---- words */

TEST_CASE("words", .setup = set_up_open, .teardown = tear_down);

TEST(operations_on_words_return_the_old_value_and_leave_the_new_one, .to = 2)
{
    const unsigned to = _i ? 1 : NX_SELF, home = _i ? 1 : 0;
    uint64_t old, value;
    must(0, nx_word_write(s[0], to, 7, 0x123456789abcdef0));
    must(0, nx_fetch_add(s[0], to, 7, 0x10, &old));
    ck_assert_uint_eq(old, 0x123456789abcdef0);
    must(0, nx_swap(s[0], to, 7, 99, &old));
    ck_assert_uint_eq(old, 0x123456789abcdf00);
    must(0, nx_compare_swap(s[0], to, 7, 98, 1, &old));
    ck_assert_uint_eq(old, 99);
    must(0, nx_compare_swap(s[0], to, 7, 99, 2, &old));
    ck_assert_uint_eq(old, 99);
    must(0, nx_fetch_add(s[0], to, 7, UINT64_MAX, &old));
    ck_assert_uint_eq(old, 2);
    must(home, nx_word_read(s[home], 7, &value));
    ck_assert_uint_eq(value, 1);
}

TEST(four_requests_to_a_node_are_unanswered_at_most)
{
    unsigned slot[12];
    uint64_t old;
    device(1)->built = 0; /* answers nothing */
    for (unsigned i = 0; i < 12; i++) must(0, nx_word_ask(s[0], i < 6 ? 1 : 2, NX_FETCH_ADD, 3, 1, 0, &slot[i]));
    steps(100);
    ck_assert_uint_eq(device(0)->unanswered[1], 4);
    for (unsigned i = 0; i < 6; i++) ck_assert_int_eq(nx_word_answer(s[0], slot[i], &old), 0);
    for (unsigned i = 6; i < 12; i++) {
        ck_assert_int_eq(nx_word_answer(s[0], slot[i], &old), 1);
        ck_assert_uint_eq(old, i - 6);
    }
    device(1)->built = 1;
    for (unsigned i = 0; i < 4; i++) must(0, nx_word_forget(s[0], slot[i])); /* they are lost */
    steps(100);
    for (unsigned i = 4; i < 6; i++) ck_assert_int_eq(nx_word_answer(s[0], slot[i], &old), 1);
    ck_assert_uint_le(device(2)->most_waiting, 4);
}

TEST(there_are_as_many_requests_as_answer_slots)
{
    unsigned slot;
    device(1)->built = device(2)->built = 0;
    for (unsigned i = 0; i < MOCK_ANSWERS; i++) must(0, nx_word_ask(s[0], 1 + i % 2, NX_SWAP, 3, 1, 0, &slot));
    fails(0, nx_word_ask(s[0], 1, NX_SWAP, 3, 1, 0, &slot), NX_ERROR_NO_SPACE, "64 requests are unanswered");
    device(1)->built = device(2)->built = 1;
}

TEST(an_answer_that_is_lost_ends_in_a_timeout_and_leaves_room)
{
    uint64_t old = 0;
    for (unsigned i = 0; i < 6; i++) {
        device(1)->lose_answer_at = 1;
        fails(0, nx_fetch_add(s[0], 1, 3, 1, &old), NX_ERROR_TIMEOUT, "flow 1, word 3: waiting for the answer");
    }
    must(0, nx_fetch_add(s[0], 1, 3, 1, &old));
    ck_assert_uint_eq(old, 6);
}

/* It comes when its slot has been given up, and may be in use again. */
TEST(a_late_answer_is_not_taken_for_another)
{
    unsigned slot, again;
    uint64_t old;
    net.node[1].latency = 60;
    must(0, nx_word_ask(s[0], 1, NX_FETCH_ADD, 3, 1, 0, &slot));
    steps(20);
    must(0, nx_word_forget(s[0], slot));
    steps(100);
    ck_assert_uint_eq(device(0)->reg[SYNC_UNEXPECTED_ANSWERS / 4], 1);
    for (again = slot + 1; again != slot;) { /* once around */
        must(0, nx_word_ask(s[0], 2, NX_FETCH_ADD, 3, 0, 0, &again));
        steps(50);
        ck_assert_int_eq(nx_word_answer(s[0], again, &old), 1);
        ck_assert_uint_eq(old, 0);
    }
}

TEST(an_answer_that_comes_twice_counts_once)
{
    uint64_t old;
    device(1)->answer_twice = 1;
    for (unsigned i = 0; i < 200; i++) {
        must(0, nx_fetch_add(s[0], 1, 3, 1, &old));
        ck_assert_uint_eq(old, i);
    }
    steps(20);
    ck_assert_uint_eq(device(0)->reg[SYNC_UNEXPECTED_ANSWERS / 4], 200);
}

static uint64_t seen[NODES][NODES * 300];
static void add_everywhere(void *arg)
{
    const unsigned me = *(unsigned *)arg;
    for (unsigned i = 0; i < 300; i++) {
        uint64_t old;
        must(me, nx_fetch_add(s[me], (unsigned)(mock_random(&net) % NODES), 9, 1, &old));
        must(me, nx_fetch_add(s[me], me ? 0 : NX_SELF, 10, 1, &old));
        seen[0][old]++;
    }
}

TEST(everybody_asks_everybody)
{
    uint64_t sum = 0, value;
    run(add_everywhere, NODES);
    for (unsigned i = 0; i < NODES; i++) {
        must(i, nx_word_read(s[i], 9, &value));
        sum += value;
        ck_assert_uint_le(device(i)->most_waiting, 4);
        ck_assert_uint_eq(device(i)->reg[SYNC_ANSWERS_LOST / 4], 0);
    }
    ck_assert_uint_eq(sum, NODES * 300);
    for (unsigned i = 0; i < NODES * 300; i++) ck_assert_uint_eq(seen[0][i], 1);
}

/* ---- counters */

TEST_CASE("counters", .setup = set_up_open, .teardown = tear_down);

TEST(a_counter_acts_once_at_zero_however_early_counts_are)
{
    uint32_t zeros;
    int32_t value;
    for (unsigned i = 0; i < 3; i++) must(1 + i, nx_counter_add(s[1 + i], 0, 8, -1));
    steps(50);
    must(0, nx_counter_read(s[0], 8, &value));
    ck_assert_int_eq(value, -3);
    must(0, nx_counter_zeros(s[0], 8, &zeros));
    ck_assert_uint_eq(zeros, 0);
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 5, NX_AT_ZERO_WORD, 0));
    steps(5);
    must(0, nx_counter_zeros(s[0], 8, &zeros));
    ck_assert_uint_eq(zeros, 0);
    for (unsigned i = 0; i < 3; i++) must(2, nx_counter_add(s[2], 0, 8, -1));
    must(0, nx_counter_wait(s[0], 8, 1));
    steps(50);
    must(0, nx_counter_read(s[0], 8, &value));
    ck_assert_int_eq(value, -1); /* the third came too late: kept */
    must(3, nx_counter_arm(s[3], 0, 8, 1, NX_AT_ZERO_WORD, 0));
    must(0, nx_counter_wait(s[0], 8, 2));
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 0, NX_AT_ZERO_WORD, 0)); /* it is 0 */
    must(0, nx_counter_wait(s[0], 8, 3));
}

TEST(zeros_count_on_when_the_device_wraps_around)
{
    for (uint32_t i = 1; i <= 600; i++) {
        must(0, nx_counter_arm(s[0], NX_SELF, 8, 0, NX_AT_ZERO_WORD, 0));
        must(0, nx_counter_wait(s[0], 8, i));
    }
    nx_sync_close(s[0]);
    must(0, nx_sync_open(dev[0], &s[0]));
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 0, NX_AT_ZERO_WORD, 0));
    must(0, nx_counter_wait(s[0], 8, 1));
    fails(0, nx_counter_wait(s[0], 8, 2), NX_ERROR_TIMEOUT, "waiting for a counter");
}

TEST(a_lost_packet_marks_the_next_word_of_a_counter)
{
    net.node[1].drop_packet_at = 1;
    must(1, nx_counter_add(s[1], 0, 8, -1));
    must(1, nx_counter_add(s[1], 0, 8, -1));
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 1, NX_AT_ZERO_WORD, 0));
    fails(0, nx_counter_wait(s[0], 8, 1), NX_ERROR_FLAGGED, "counter 8: packets of source");
    must(0, nx_counter_wait(s[0], 8, 1));
}

TEST(a_counter_releases_prepared_clusters_of_several_queues)
{
    const nx_descriptor d[2] = {
        {.source = 1000, .destination = MEMORY, .words = 1, .flow = 1, .flags = NX_IMMEDIATE},
        {.source = 1001, .destination = MEMORY + 8, .words = 1, .flow = 1, .flags = NX_IMMEDIATE}};
    nx_descriptor other = d[0];
    nx_ticket ticket;
    other.flow = 2;
    must(0, nx_prepare(dev[0], d, 2, &ticket));
    must(0, nx_prepare(dev[0], &other, 1, NULL));
    other.source = 7;
    must(0, nx_prepare(dev[0], &other, 1, NULL));
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 1, 0, 1 << 1 | 1 << 2));
    steps(100);
    ck_assert_uint_eq(word_at(1, MEMORY), 0);
    must(3, nx_counter_add(s[3], 0, 8, -1));
    must(0, nx_wait(dev[0], &ticket));
    steps(20);
    ck_assert_uint_eq(word_at(1, MEMORY), 1000);
    ck_assert_uint_eq(word_at(1, MEMORY + 8), 1001);
    ck_assert_uint_eq(word_at(2, MEMORY), 1000); /* the second cluster waits */
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 0, 0, 1 << 2));
    steps(20);
    ck_assert_uint_eq(word_at(2, MEMORY), 7);
    must(0, nx_transfer(dev[0], 2, 0x800000, MEMORY + 64, 8, NX_LOCAL, &ticket));
    must(0, nx_wait(dev[0], &ticket));
}

/* A start flag behind a prepared cluster would release it: other posts wait. */
TEST(nothing_passes_a_prepared_cluster)
{
    const nx_descriptor d = {.source = 1, .destination = MEMORY, .words = 1, .flow = 1, .flags = NX_IMMEDIATE};
    must(0, nx_prepare(dev[0], &d, 1, NULL));
    fails(0, nx_transfer(dev[0], 1, 0x800000, MEMORY + 64, 8, 0, NULL), NX_ERROR_TIMEOUT,
          "waiting for a prepared cluster");
    ck_assert_uint_eq(word_at(1, MEMORY), 0);
    must(0, nx_counter_arm(s[0], NX_SELF, 8, 0, 0, 1 << 1));
    must(0, nx_transfer(dev[0], 1, 0x800000, MEMORY + 64, 8, 0, NULL));
    steps(20);
    ck_assert_uint_eq(word_at(1, MEMORY), 1);
}

TEST(packets_of_a_group_count_their_words)
{
    enum { WORDS = 700 };
    for (unsigned i = 0; i < 2; i++) must(i, nx_register_write(dev[i], SYNC_CONTROL, SYNC_CONTROL_GROUPS_MASK));
    must(1, nx_counter_arm(s[1], NX_SELF, 9, WORDS, NX_AT_ZERO_WORD, 0));
    must(0, nx_transfer(dev[0], 1, 0x800000, MEMORY, 8 * WORDS, NX_GROUP(9), NULL));
    must(1, nx_counter_wait(s[1], 9, 1));
    ck_assert_uint_eq(net.node[1].reg[NIC_SEQUENCE_GAPS / 4], 0);
    must(1, nx_counter_arm(s[1], NX_SELF, 9, WORDS, NX_AT_ZERO_WORD, 0));
    net.node[0].drop_packet_at = 3;
    must(0, nx_transfer(dev[0], 1, 0x800000, MEMORY, 8 * WORDS, NX_GROUP(9), NULL));
    fails(1, nx_counter_wait(s[1], 9, 2), NX_ERROR_TIMEOUT, "waiting for a counter"); /* it never ends */
}

/* ---- barriers, lock, work queue */

TEST_CASE("shared", .timeout = 60, .setup = set_up_open, .teardown = tear_down);

enum { ROUNDS = 60 };
static nx_barrier_params barrier;
static unsigned entered[ROUNDS];

static void meet(void *arg)
{
    const unsigned me = *(unsigned *)arg;
    nx_barrier_params p = barrier;
    nx_barrier *b;
    p.rank = me;
    if (p.sync) p.sync = s[me];
    must(me, nx_barrier_open(dev[me], &p, &b));
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (uint64_t k = mock_random(&net) % 30; k; k--) host[me].platform.wait(&host[me]);
        entered[i]++;
        must(me, nx_barrier_wait(b));
        ck_assert_uint_eq(entered[i], p.nodes);
    }
    nx_barrier_close(b);
}

/* By counters and by software; of 2 to 4 nodes; flat, and trees of one and two children. */
TEST(nobody_passes_a_barrier_before_all_have_come, .to = 18)
{
    barrier = (nx_barrier_params){.nodes = 2 + (unsigned)_i / 2 % 3,
                                  .arity = (unsigned)_i / 6,
                                  .sync = _i % 2 ? s[0] : NULL,
                                  .counter = 20,
                                  .flags = MEMORY + 4096};
    run(meet, barrier.nodes);
}

TEST(a_barrier_ends_if_a_node_does_not_come, .to = 2)
{
    const nx_barrier_params p = {.nodes = 3, .sync = _i ? s[0] : NULL, .counter = 20, .flags = MEMORY + 4096};
    nx_barrier *b;
    must(0, nx_barrier_open(dev[0], &p, &b));
    fails(0, nx_barrier_wait(b), NX_ERROR_TIMEOUT, "barrier 1 of 3 nodes: not all have arrived");
    nx_barrier_close(b);
    nx_barrier_params bad = p;
    bad.rank = 3;
    fails(0, nx_barrier_open(dev[0], &bad, &b), NX_ERROR_ARGUMENT, "node 3 of 3");
}

static unsigned holders, passes, work[100];
static void share(void *arg)
{
    const unsigned me = *(unsigned *)arg;
    nx_mutex m = {.sync = s[me], .home = me == 2 ? NX_SELF : 2, .word = 30, .pause_ns = 1000};
    for (unsigned i = 0; i < 30; i++) {
        must(me, nx_mutex_take(&m));
        ck_assert_uint_eq(holders++, 0);
        for (uint64_t k = mock_random(&net) % 5; k; k--) host[me].platform.wait(&host[me]);
        ck_assert_uint_eq(holders--, 1);
        passes++;
        must(me, nx_mutex_give(&m));
    }
    for (unsigned count = 1; count;) {
        uint64_t first;
        must(me, nx_work_take(s[me], me == 2 ? NX_SELF : 2, 40, 3, COUNT(work), &first, &count));
        for (unsigned i = 0; i < count; i++) work[first + i]++;
    }
}

TEST(a_lock_has_one_holder_and_work_is_taken_once)
{
    run(share, NODES);
    ck_assert_uint_eq(passes, 30 * NODES);
    for (int i = 0; i < COUNT(work); i++) ck_assert_uint_eq(work[i], 1);
}

TEST(a_lock_that_nobody_gives_ends_in_a_timeout)
{
    nx_mutex a = {.sync = s[0], .home = 2, .word = 30}, b = {.sync = s[1], .home = 2, .word = 30};
    must(0, nx_mutex_take(&a));
    fails(1, nx_mutex_take(&b), NX_ERROR_TIMEOUT, "ticket 0 served for");
}
