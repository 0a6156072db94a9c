/* Remote queues (sw/sync) against the fake device. A message of n words from node i: i, number, then words that follow
 * from both. */
#include <stdlib.h>
#include <string.h>

#include "fake_nodes.h"
#include "sync_register_map.h"
#include "test.h"

enum { QUEUE = 5 };

TEST_CASE("queues", .timeout = 60, .setup = set_up_open, .teardown = tear_down);

static struct {
    unsigned words, messages, slots, bytes, stop;
    int lossy;
    unsigned next[NODES], taken, damaged, missing, out_of_order, half, ended;
} q;

static uint64_t word_of(unsigned from, unsigned number, unsigned i)
{
    return i ? ((uint64_t)from << 48 | (uint64_t)number << 16 | i) * 0x9e3779b97f4a7c15 : (uint64_t)from << 32 | number;
}

static void sender(unsigned me)
{
    nx_rsender *r;
    uint64_t message[NX_OPERATION_WORDS];
    int result;
    must(me, nx_rsender_open(s[me], 0, QUEUE, &(nx_rsender_params){.window = 16}, &r));
    for (unsigned k = 0; k < q.messages; k++) {
        for (unsigned i = 0; i < q.words; i++) message[i] = word_of(me, k, i);
        result = nx_rsend(r, message, q.words);
        if (result != NX_ERROR_FLAGGED || !q.lossy) must(me, result);
    }
    result = nx_rsender_flush(r);
    if (result != NX_ERROR_FLAGGED || !q.lossy) must(me, result);
    ck_assert_uint_eq(nx_rsender_get_counts(r).sent, q.messages);
    nx_rsender_close(r);
    q.ended++;
}

static void check_message(const nx_message *m)
{
    const uint64_t first = word_at(0, m->address);
    const unsigned from = (unsigned)(first >> 32), number = (unsigned)first;
    if (from != m->source || from >= NODES || m->words != q.words) {
        q.half++;
        return;
    }
    for (unsigned i = 1; i < q.words; i++) q.half += word_at(0, m->address + 8 * i) != word_of(from, number, i);
    q.damaged += m->damaged != 0;
    q.out_of_order += number < q.next[from] || (number > q.next[from] && !m->damaged);
    q.missing += number > q.next[from] ? number - q.next[from] : 0;
    q.next[from] = number + 1;
    q.taken++;
}

static void reader(void)
{
    const nx_rqueue_params p = {.slots = q.slots, .slot_bytes = q.bytes, .sources = 0xe};
    nx_rqueue *queue;
    nx_message m;
    unsigned quiet = 0;
    must(0, nx_rqueue_open(s[0], QUEUE, &p, &queue));
    for (unsigned k = 0; k < q.stop; k++) host[0].platform.wait(&host[0]);
    while (q.ended < NODES - 1 || quiet < 300) {
        const int there = nx_rqueue_poll(queue, &m);
        must(0, there);
        quiet = there ? 0 : quiet + 1;
        if (!there) host[0].platform.wait(&host[0]);
        if (!there) continue;
        check_message(&m);
        must(0, nx_rqueue_done(queue));
    }
    nx_rqueue_close(queue);
}

static void queue_body(void *arg)
{
    const unsigned me = *(unsigned *)arg;
    if (!me) reader();
    else {
        for (unsigned k = 0; k < 20; k++) host[me].platform.wait(&host[me]); /* the queue is open */
        sender(me);
    }
}

static void exchange(void)
{
    run(queue_body, NODES);
    ck_assert_uint_eq(q.half, 0);
    if (q.lossy) return;
    ck_assert_uint_eq(q.out_of_order + q.missing + q.damaged, 0);
    for (unsigned i = 1; i < NODES; i++) ck_assert_uint_eq(q.next[i], q.messages);
    ck_assert_uint_eq(q.taken, (NODES - 1) * q.messages);
}

TEST(every_message_lands_once_in_order_in_slots_of_every_size, .to = 4)
{
    static const unsigned words[] = {7, 15, 31, 62};
    q.bytes = 64u << _i;
    q.slots = 32;
    q.messages = 300;
    q.words = words[_i];
    exchange();
}

TEST(immediate_messages_of_one_word)
{
    q.bytes = 64;
    q.slots = 256;
    q.messages = 3000; /* numbers of the ring wrap around */
    q.words = 1;
    exchange();
}

/* Senders are refused most of the time: two slots, or a reader that stops; laps by odd steps. */
TEST(refused_messages_come_again_in_order, .to = 4)
{
    q.bytes = 128;
    q.slots = _i % 2 ? 2 : 16;
    q.stop = _i / 2 ? 10000 : 0; /* 1 ms */
    q.messages = 200;
    q.words = 4;
    exchange();
    if (_i) ck_assert_uint_gt(device(0)->reg[SYNC_REFUSED_FULL / 4], 20);
    ck_assert_uint_eq(device(0)->reg[SYNC_STATUS / 4], 0);
}

TEST(lost_answers_lose_no_messages, .to = 20)
{
    q.bytes = 64;
    q.slots = 4;
    q.messages = 60;
    q.words = 2;
    device(0)->lose_answer_at = 1 + (uint64_t)_i;
    exchange();
    ck_assert_uint_eq(device(0)->lose_answer_at, 0);
}

/* Packets lost or damaged on the way: no half message is shown as good, and what is missing is marked. */
TEST(lost_and_damaged_messages_are_marked, .to = 40)
{
    q.bytes = 64;
    q.slots = _i % 4 < 2 ? 64 : 4;
    q.messages = 100;
    q.words = 5;
    q.lossy = 1;
    if (_i % 2) net.node[1].damage_packet_at = 7 + (uint64_t)_i;
    else net.node[1].drop_packet_at = 7 + (uint64_t)_i;
    exchange();
    ck_assert_uint_eq(q.out_of_order, 0);
    ck_assert_uint_ge(q.damaged, q.next[1] == q.messages);
    for (unsigned i = 2; i < NODES; i++) ck_assert_uint_eq(q.next[i], q.messages);
    ck_assert_uint_eq(q.taken + q.missing + q.messages - q.next[1], 3 * q.messages);
}

/* What the checks above must find. */
TEST(a_device_that_forgets_a_refused_source_is_caught)
{
    q.bytes = 64;
    q.slots = 2;
    q.messages = 200;
    q.words = 2;
    q.lossy = 1;
    device(0)->forgets_refused = 1;
    exchange();
    ck_assert_uint_gt(q.out_of_order, 0);
}

static uint64_t early;
static void see_phase(struct mock_nic *nic, uint64_t address, uint64_t value)
{
    const uint64_t ring = nic->sync.reg[(SYNC_QUEUE_BASE_LOW + 32 * QUEUE) / 4];
    if (ring && address >= ring && address < ring + q.slots * q.bytes && address % q.bytes == 0) {
        const unsigned from = value >> 56 & 127;
        early += mock_get64(nic, address + 8 * q.words) != word_of(from, value >> 0 & 0x7fff, q.words - 1);
    }
}

TEST(the_first_word_of_a_slot_is_written_last, .to = 2)
{
    q.bytes = 64;
    q.slots = 1024;
    q.messages = 50;
    q.words = 7;
    device(0)->phase_first = _i;
    net.node[0].on_write = see_phase;
    exchange();
    ck_assert_uint_eq(early != 0, _i);
}

/* Refusals of before, which the other node still counts, are not taken for new ones. */
TEST(a_sender_restarts_behind_refusals, .to = 3)
{
    const nx_rqueue_params p = {.slots = 4, .slot_bytes = 64, .sources = 0xf};
    nx_rqueue *queue;
    nx_rsender *r;
    nx_message m;
    uint64_t message = 0;
    must(0, nx_rqueue_open(s[0], QUEUE, &p, &queue));
    for (unsigned life = 0; life < 3; life++) {
        must(1, nx_rsender_open(s[1], 0, QUEUE, &(nx_rsender_params){.backoff_ns = 1000}, &r));
        for (unsigned i = 0; i < 9; i++) {
            must(1, nx_rsend(r, &message, 1));
            message++;
        }
        for (unsigned i = 0; i < 9; i++) { /* the last ones were refused */
            for (unsigned k = 0; k < 300 && !nx_rqueue_poll(queue, &m); k++) {
                must(1, nx_rsender_progress(r));
                steps(1);
            }
            must(0, nx_rqueue_wait(queue, &m));
            ck_assert_uint_eq(word_at(0, m.address), message - 9 + i);
            must(0, nx_rqueue_done(queue));
        }
        must(1, nx_rsender_flush(r));
        ck_assert_int_eq(nx_rqueue_poll(queue, &m), 0);
        ck_assert_uint_gt(nx_rsender_get_counts(r).refused, 0);
        nx_rsender_close(r);
        if (!_i) continue;
        nx_sync_close(s[1]);
        if (_i == 2) { /* with its driver: nothing is known of before */
            nx_params params = *nx_parameters(dev[1]);
            nx_close(dev[1]);
            dev[1] = mock_open(&host[1], &params);
        }
        must(1, nx_sync_open(dev[1], &s[1]));
    }
    nx_rqueue_close(queue);
}

TEST(a_refusal_that_will_not_change_ends_the_sender, .to = 4)
{
    static const char *const why[] = {"it is off", "does not take messages of this node", "longer than a slot",
                                      "it is off"};
    const nx_rqueue_params p = {.slots = 8, .slot_bytes = 64, .sources = _i == 1 ? 0xd : 0xf};
    uint64_t message[8] = {0};
    nx_rqueue *queue = NULL;
    nx_rsender *r;
    if (_i) must(0, nx_rqueue_open(s[0], QUEUE, &p, &queue));
    if (_i == 3) nx_rqueue_close(queue);
    must(1, nx_rsender_open(s[1], 0, QUEUE, NULL, &r));
    must(1, nx_rsend(r, message, 8 - (_i != 2)));
    fails(1, nx_rsender_flush(r), NX_ERROR_PEER, why[_i]);
    nx_rsender_close(r);
    if (_i != 3) nx_rqueue_close(queue);
}

TEST(a_reader_sleeps_until_a_message_comes)
{
    const nx_rqueue_params p = {.slots = 8, .slot_bytes = 64, .sources = 0xf, .interrupt = 1};
    uint64_t message = 77;
    nx_rqueue *queue;
    nx_rsender *r;
    nx_message m;
    must(0, nx_rqueue_open(s[0], QUEUE, &p, &queue));
    must(0, nx_use_interrupts(dev[0], 1));
    fails(0, nx_rqueue_wait(queue, &m), NX_ERROR_TIMEOUT, "waiting for a message");
    must(1, nx_rsender_open(s[1], 0, QUEUE, NULL, &r));
    for (unsigned i = 0; i < 10; i++) {
        must(1, nx_rsend(r, &message, 1));
        must(0, nx_rqueue_wait(queue, &m));
        ck_assert_uint_eq(word_at(0, m.address), 77);
        ck_assert_uint_eq(m.source, 1);
        must(0, nx_rqueue_done(queue));
    }
    ck_assert_uint_gt(nx_wait_counts(dev[0]).interrupts, 0);
    ck_assert_uint_eq(nx_wait_counts(dev[0]).late, 0);
    must(1, nx_rsender_flush(r));
    nx_rsender_close(r);
    nx_rqueue_close(queue);
}
