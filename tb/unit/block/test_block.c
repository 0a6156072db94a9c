/* Disks over fake devices: integrity, rings of every size, numbers that wrap, splitting, slow disks, requests that cannot be. */
#include <string.h>

#include "block_mock.h"
#include "nx_block_internal.h"
#include "test.h"

TEST_CASE("block", .timeout = 120);

/* A slot that is still pending is written over: its last word has bit 63 and a number of less than 2^32, and so has the new one. */
static unsigned overwritten;
static void watch_slots(mock_nic *nic, uint64_t address, uint64_t value)
{
    const uint64_t old = mock_get64(nic, address);
    overwritten += address % 64 == 56 && old >> 32 == 0x80000000 && value >> 32 == 0x80000000;
}

static void good(block_bench *b)
{
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    for (unsigned i = 0; i < b->clients; i++) ck_assert_uint_eq(b->client[i].status[NX_BLOCK_OK], b->client[i].operations);
    for (unsigned i = 1; i < b->hosts; i++) ck_assert_uint_eq(b->counts[i].recoveries, 0);
}

TEST(what_is_written_is_read_by_interrupts_and_by_polling_with_flags_and_with_pointers, .to = 4)
{
    block_bench *b = block_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].poll = _i & 1;
        b->params[i].pointers = _i / 2;
    }
    block_mock_everything(b, 16, 400);
    block_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->counts[1].parts, b->counts[1].requests);
}

TEST(no_slot_is_overwritten_in_rings_of_any_size_and_answers_come_in_any_order, .to = 10)
{
    static const unsigned places[] = {1, 2, 3, 32, 128};
    block_bench *b = block_mock_new(2);
    overwritten = 0;
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].pointers = _i / COUNT(places);
        net.node[i].on_write = watch_slots;
    }
    b->params[_i & 1].places = places[_i % COUNT(places)];
    b->params[!(_i & 1)].places = 128;
    b->delay_random_ns = 20000;
    block_mock_everything(b, 32, 400);
    block_mock_run(b, NULL);
    good(b);
    ck_assert_uint_eq(overwritten, 0);
}

TEST(numbers_wrap, .to = 12)
{
    static const unsigned places[] = {1, 2, 3, 7, 32, 128};
    block_bench *b = block_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].places = places[_i % 6];
        b->params[i].pointers = _i / 6;
    }
    b->params[1].first_number = NUMBERS - 100;
    b->delay_random_ns = 5000;
    block_mock_everything(b, 32, 300);
    b->client[0].most = 8;
    block_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->target_counts.commands, 250);
}

TEST(three_initiators_at_once, .to = 2)
{
    block_bench *b = block_mock_new(4);
    for (unsigned i = 0; i < 4; i++) b->params[i].pointers = _i;
    b->delay_random_ns = 3000;
    block_mock_everything(b, 16, 200);
    block_mock_run(b, NULL);
    good(b);
    ck_assert_uint_eq(b->target_counts.sessions, 3);
}

TEST(two_initiators_write_the_same_blocks_and_each_sector_is_of_one_of_them)
{
    block_bench *b = block_mock_new(3);
    b->delay_random_ns = 3000;
    b->rule = BENCH_SHARED;
    block_mock_everything(b, 16, 300);
    for (unsigned i = 0; i < 2; i++) {
        b->client[i].first = 0;
        b->client[i].sectors = 24;
        b->client[i].most = 16;
    }
    block_mock_run(b, NULL);
    good(b);
}

TEST(write_combining_and_disconnects_of_any_kind_change_nothing)
{
    block_bench *b = block_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        mock_host_wild(&mock[i]);
        mock[i].nic->words_per_step = 1;
        mock[i].nic->write_delay = 3;
        b->params[i].poll = 1;
    }
    block_mock_everything(b, 8, 100);
    b->client[0].most = 4;
    block_mock_run(b, NULL);
    good(b);
}

TEST(a_disk_slower_than_any_timeout_is_not_taken_for_dead)
{
    block_bench *b = block_mock_new(2);
    b->delay_ns = 1000 * 1000;
    b->in_order = 1;
    block_mock_everything(b, 32, 64);
    b->client[0].most = 8;
    block_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->client[0].worst_ns, 20 * b->params[1].timeout_ns);
    ck_assert_uint_gt(b->target_counts.news, 50);
}

/* ---- one interrupt for each side, and what bad requests get ---- */

static unsigned do_it(block_bench *b, unsigned operation, uint64_t offset, uint32_t length, unsigned flags)
{
    static uint8_t data[1 << 20];
    return block_bench_do(b, 1, operation, offset, length, data, flags);
}

static void bad_requests(void *arg)
{
    block_bench *b = arg;
    static const struct {
        unsigned operation, flags;
        uint64_t offset;
        uint32_t length;
        unsigned status;
    } cases[] = {
        {NX_BLOCK_READ, 0, 0, 512, NX_BLOCK_OK},
        {NX_BLOCK_READ, 0, 0, 0, NX_BLOCK_EINVAL},
        {NX_BLOCK_READ, 0, 0, 511, NX_BLOCK_EINVAL},
        {NX_BLOCK_READ, 0, 8, 512, NX_BLOCK_EINVAL},
        {NX_BLOCK_READ, 0, 2048 * 512, 512, NX_BLOCK_EINVAL},
        {NX_BLOCK_READ, 0, 2047 * 512, 1024, NX_BLOCK_EINVAL},
        {NX_BLOCK_READ, 0, (uint64_t)0 - 512, 512, NX_BLOCK_EINVAL},
        {NX_BLOCK_WRITE, 0, 2048 * 512, 512, NX_BLOCK_ENOSPC},
        {NX_BLOCK_WRITE, 2, 0, 512, NX_BLOCK_EINVAL},
        {NX_BLOCK_WRITE_ZEROES, 0, 2047 * 512, 1024, NX_BLOCK_ENOSPC},
        {NX_BLOCK_FLUSH, 0, 512, 0, NX_BLOCK_EINVAL},
        {NX_BLOCK_FLUSH, 0, 0, 0, NX_BLOCK_OK},
        {NX_BLOCK_DISCARD, NX_BLOCK_FUA, 0, 2048 * 512, NX_BLOCK_OK},
        {0, 0, 0, 512, NX_BLOCK_EINVAL},
        {6, 0, 0, 512, NX_BLOCK_EINVAL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        unsigned status = do_it(b, cases[i].operation, cases[i].offset, cases[i].length, cases[i].flags);
        if (status != cases[i].status)
            block_bench_wrong(b, "case %d: %s, expected %s", i, nx_block_status_name(status), nx_block_status_name(cases[i].status));
    }
    b->over = 1;
}

TEST(requests_that_cannot_be_end_with_their_status)
{
    block_bench *b = block_mock_new(2);
    block_mock_run(b, bad_requests);
    good(b);
}

static void read_only(void *arg)
{
    block_bench *b = arg;
    unsigned reading = do_it(b, NX_BLOCK_READ, 0, 512, 0), writing = do_it(b, NX_BLOCK_WRITE, 0, 512, 0);
    if (reading || writing != NX_BLOCK_EPERM) block_bench_wrong(b, "read %u, written %u", reading, writing);
    b->over = 1;
}

TEST(a_disk_that_is_read_only_is_not_written)
{
    block_bench *b = block_mock_new(2);
    b->store.disk.flags |= NX_BLOCK_HAS_READ_ONLY;
    block_mock_run(b, read_only);
    good(b);
}

static void one_after_the_other(void *arg)
{
    block_bench *b = arg;
    for (int i = 0; i < 50; i++) {
        if (do_it(b, i % 2 ? NX_BLOCK_READ : NX_BLOCK_WRITE, 0, 4096, 0)) block_bench_wrong(b, "request %d failed", i);
        for (unsigned k = 0; k < 60; k++) b->platform[1]->wait(b->platform[1]->self);
    }
    memset(b->content, 0, 4096);
    b->over = 1;
}

TEST(one_request_at_a_time_costs_one_interrupt_for_each_side)
{
    block_bench *b = block_mock_new(2);
    block_mock_run(b, one_after_the_other);
    good(b);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_ge(nx_wait_counts(b->dev[i]).interrupts, 49);
        ck_assert_uint_le(nx_wait_counts(b->dev[i]).interrupts, 53); /* and the meeting */
        ck_assert_uint_eq(nx_wait_counts(b->dev[i]).late, 0);
    }
}

static unsigned shut_down;
static void ended(nx_block_request *r)
{
    shut_down += r->status == NX_BLOCK_ESHUTDOWN;
}

static void stop_in_between(void *arg)
{
    static uint8_t data[40][65536];
    static nx_block_request r[40];
    block_bench *b = arg;
    const struct nx_platform *p = b->platform[1];
    while (!nx_block_get_disk(b->disk[1])) p->wait(p->self);
    for (int i = 0; i < 40; i++) {
        r[i] = (nx_block_request){.operation = NX_BLOCK_READ, .length = 65536, .data = data[i], .done = ended};
        nx_block_submit(b->disk[1], &r[i]);
    }
    for (int i = 0; i < 100; i++) p->wait(p->self);
    nx_block_stop(b->disk[1]);
    if (nx_block_submit(b->disk[1], &r[0]) != NX_ERROR_ARGUMENT) block_bench_wrong(b, "a request was taken after the stop");
    for (int i = 0; i < 400; i++) p->wait(p->self);
    if (nx_block_busy(b->disk[1])) block_bench_wrong(b, "something is under way after the stop");
    b->over = 1;
}

TEST(requests_end_when_the_initiator_is_stopped)
{
    block_bench *b = block_mock_new(2);
    shut_down = 0;
    block_mock_run(b, stop_in_between);
    good(b);
    ck_assert_uint_gt(shut_down, 30);
}

TEST(parameters_that_cannot_be_are_refused)
{
    static const struct {
        nx_block_params p;
        const char *text;
    } cases[] = {
        {{.mailbox = 0, .places = 1, .place_bytes = 4096, .timeout_ns = 1000}, "mailbox: expected"},
        {{.mailbox = 8, .places = 1, .place_bytes = 4096, .timeout_ns = 1000}, "mailbox: expected"},
        {{.mailbox = 0xffffff00, .places = 1, .place_bytes = 4096, .timeout_ns = 1000}, "mailbox: expected"},
        {{.mailbox = 64, .places = 0, .place_bytes = 4096, .timeout_ns = 1000}, "places: expected 1..128"},
        {{.mailbox = 64, .places = 129, .place_bytes = 4096, .timeout_ns = 1000}, "places: expected 1..128"},
        {{.mailbox = 64, .places = 1, .place_bytes = 5000, .timeout_ns = 1000}, "place_bytes: expected"},
        {{.mailbox = 64, .places = 1, .place_bytes = 4096, .timeout_ns = 1}, "timeout_ns: expected 1000"},
        {{.mailbox = 64, .places = 1, .place_bytes = 4096, .timeout_ns = 150000}, "timeout_ns: expected at least 4 x"},
    };
    block_bench *b = block_mock_new(2);
    for (int i = 0; i < COUNT(cases); i++) {
        nx_block *d;
        ck_assert_int_eq(nx_block_open(b->dev[1], 0, &cases[i].p, &d), NX_ERROR_ARGUMENT);
        ck_assert_msg(!strncmp(nx_block_last_error(d), cases[i].text, strlen(cases[i].text)), "%s", nx_block_last_error(d));
        nx_block_close(d);
    }
}
