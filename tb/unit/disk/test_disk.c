/* Disks over fake devices: integrity, rings of every size, numbers that wrap, splitting, slow disks, requests that
 * cannot be. */
#include <string.h>

#include "disk_mock.h"
#include "nx_disk_internal.h"
#include "test.h"

TEST_CASE("block", .timeout = 120);

/* A slot that is still pending is written over: its last word has bit 63 and a number of less than 2^32, and so has the
 * new one. */
static unsigned overwritten;
static void watch_slots(mock_nic *nic, uint64_t address, uint64_t value)
{
    const uint64_t old = mock_get64(nic, address);
    overwritten += address % 64 == 56 && old >> 32 == 0x80000000 && value >> 32 == 0x80000000;
}

static void good(disk_bench *b)
{
    ck_assert_msg(!*b->wrong, "%s", b->wrong);
    for (unsigned i = 0; i < b->clients; i++)
        ck_assert_uint_eq(b->client[i].status[NX_DISK_OK], b->client[i].operations);
    for (unsigned i = 1; i < b->hosts; i++) ck_assert_uint_eq(b->counts[i].recoveries, 0);
}

TEST(what_is_written_is_read_by_interrupts_and_by_polling_with_flags_and_with_pointers, .to = 4)
{
    disk_bench *b = disk_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].poll = _i & 1;
        b->params[i].pointers = _i / 2;
    }
    disk_mock_everything(b, 16, 400);
    disk_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->counts[1].parts, b->counts[1].requests);
}

TEST(no_slot_is_overwritten_in_rings_of_any_size_and_answers_come_in_any_order, .to = 10)
{
    static const unsigned places[] = {1, 2, 3, 32, 128};
    disk_bench *b = disk_mock_new(2);
    overwritten = 0;
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].pointers = _i / COUNT(places);
        net.node[i].on_write = watch_slots;
    }
    b->params[_i & 1].places = places[_i % COUNT(places)];
    b->params[!(_i & 1)].places = 128;
    b->delay_random_ns = 20000;
    disk_mock_everything(b, 32, 400);
    disk_mock_run(b, NULL);
    good(b);
    ck_assert_uint_eq(overwritten, 0);
}

TEST(numbers_wrap, .to = 12)
{
    static const unsigned places[] = {1, 2, 3, 7, 32, 128};
    disk_bench *b = disk_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].places = places[_i % 6];
        b->params[i].pointers = _i / 6;
    }
    b->params[1].first_number = NUMBERS - 100;
    b->delay_random_ns = 5000;
    disk_mock_everything(b, 32, 300);
    b->client[0].most = 8;
    disk_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->target_counts.commands, 250);
}

TEST(three_initiators_at_once, .to = 2)
{
    disk_bench *b = disk_mock_new(4);
    for (unsigned i = 0; i < 4; i++) b->params[i].pointers = _i;
    b->delay_random_ns = 3000;
    disk_mock_everything(b, 16, 200);
    disk_mock_run(b, NULL);
    good(b);
    ck_assert_uint_eq(b->target_counts.sessions, 3);
}

TEST(two_initiators_write_the_same_blocks_and_each_sector_is_of_one_of_them)
{
    disk_bench *b = disk_mock_new(3);
    b->delay_random_ns = 3000;
    b->rule = BENCH_SHARED;
    disk_mock_everything(b, 16, 300);
    for (unsigned i = 0; i < 2; i++) {
        b->client[i].first = 0;
        b->client[i].sectors = 24;
        b->client[i].most = 16;
    }
    disk_mock_run(b, NULL);
    good(b);
}

TEST(data_on_the_bus_go_straight_and_data_that_lie_apart_through_the_pool)
{
    disk_bench *b = disk_mock_new(2);
    b->delay_random_ns = 3000;
    disk_mock_everything(b, 16, 600);
    b->client[0].on_bus = 1;
    disk_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->counts[1].straight, 2 * b->counts[1].pooled);
    ck_assert_uint_gt(b->counts[1].pooled, 50);
    ck_assert_uint_eq(b->counts[1].offers, 1);
}

TEST(write_combining_and_disconnects_of_any_kind_change_nothing)
{
    disk_bench *b = disk_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        mock_host_wild(&mock[i]);
        mock[i].nic->words_per_step = 1;
        mock[i].nic->write_delay = 3;
        b->params[i].poll = 1;
    }
    disk_mock_everything(b, 8, 100);
    b->client[0].most = 4;
    disk_mock_run(b, NULL);
    good(b);
}

TEST(a_disk_slower_than_any_timeout_is_not_taken_for_dead)
{
    disk_bench *b = disk_mock_new(2);
    b->delay_ns = 1000 * 1000;
    b->in_order = 1;
    disk_mock_everything(b, 32, 64);
    b->client[0].most = 8;
    disk_mock_run(b, NULL);
    good(b);
    ck_assert_uint_gt(b->client[0].worst_ns, 20 * b->params[1].timeout_ns);
    ck_assert_uint_gt(b->target_counts.news, 50);
}

/* ---- one interrupt for each side, and answers to bad requests ---- */

static unsigned do_it(disk_bench *b, unsigned operation, uint64_t offset, uint32_t length, unsigned flags)
{
    static uint8_t data[1 << 20];
    return disk_bench_do(b, 1, operation, offset, length, data, flags);
}

static void bad_requests(void *arg)
{
    disk_bench *b = arg;
    static const struct {
        unsigned operation, flags;
        uint64_t offset;
        uint32_t length;
        unsigned status;
    } cases[] = {
        {NX_DISK_READ, 0, 0, 512, NX_DISK_OK},
        {NX_DISK_READ, 0, 0, 0, NX_DISK_EINVAL},
        {NX_DISK_READ, 0, 0, 511, NX_DISK_EINVAL},
        {NX_DISK_READ, 0, 8, 512, NX_DISK_EINVAL},
        {NX_DISK_READ, 0, 2048 * 512, 512, NX_DISK_EINVAL},
        {NX_DISK_READ, 0, 2047 * 512, 1024, NX_DISK_EINVAL},
        {NX_DISK_READ, 0, (uint64_t)0 - 512, 512, NX_DISK_EINVAL},
        {NX_DISK_WRITE, 0, 2048 * 512, 512, NX_DISK_ENOSPC},
        {NX_DISK_WRITE, 2, 0, 512, NX_DISK_EINVAL},
        {NX_DISK_WRITE_ZEROES, 0, 2047 * 512, 1024, NX_DISK_ENOSPC},
        {NX_DISK_FLUSH, 0, 512, 0, NX_DISK_EINVAL},
        {NX_DISK_FLUSH, 0, 0, 0, NX_DISK_OK},
        {NX_DISK_DISCARD, NX_DISK_FUA, 0, 2048 * 512, NX_DISK_OK},
        {0, 0, 0, 512, NX_DISK_EINVAL},
        {6, 0, 0, 512, NX_DISK_EINVAL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        unsigned status = do_it(b, cases[i].operation, cases[i].offset, cases[i].length, cases[i].flags);
        if (status != cases[i].status)
            disk_bench_wrong(b, "case %d: %s, expected %s", i, nx_disk_status_name(status),
                             nx_disk_status_name(cases[i].status));
    }
    b->over = 1;
}

static void bad_places(void *arg)
{
    static const uint64_t places[] = {1, 4, 0xfffffe08, 0x100000000};
    static uint8_t data[512];
    disk_bench *b = arg;
    for (int i = 0; i < COUNT(places); i++) {
        nx_disk_request r = {.operation = NX_DISK_READ, .length = sizeof data, .data = data, .bus = places[i]};
        const unsigned status = disk_bench_request(b, 1, &r);
        if (status != NX_DISK_EINVAL) disk_bench_wrong(b, "case %d: %s", i, nx_disk_status_name(status));
    }
    b->over = 1;
}

TEST(places_on_the_bus_that_cannot_be_are_refused)
{
    disk_bench *b = disk_mock_new(2);
    disk_mock_run(b, bad_places);
    good(b);
}

TEST(requests_that_cannot_be_end_with_their_status)
{
    disk_bench *b = disk_mock_new(2);
    disk_mock_run(b, bad_requests);
    good(b);
}

static void read_only(void *arg)
{
    disk_bench *b = arg;
    unsigned reading = do_it(b, NX_DISK_READ, 0, 512, 0), writing = do_it(b, NX_DISK_WRITE, 0, 512, 0);
    if (reading || writing != NX_DISK_EPERM) disk_bench_wrong(b, "read %u, written %u", reading, writing);
    b->over = 1;
}

TEST(a_disk_that_is_read_only_is_not_written)
{
    disk_bench *b = disk_mock_new(2);
    b->store.disk.flags |= NX_DISK_HAS_READ_ONLY;
    disk_mock_run(b, read_only);
    good(b);
}

static void one_after_the_other(void *arg)
{
    disk_bench *b = arg;
    for (int i = 0; i < 50; i++) {
        if (do_it(b, i % 2 ? NX_DISK_READ : NX_DISK_WRITE, 0, 4096, 0)) disk_bench_wrong(b, "request %d failed", i);
        for (unsigned k = 0; k < 60; k++) b->platform[1]->wait(b->platform[1]->self);
    }
    memset(b->content, 0, 4096);
    b->over = 1;
}

TEST(one_request_at_a_time_costs_one_interrupt_for_each_side)
{
    disk_bench *b = disk_mock_new(2);
    disk_mock_run(b, one_after_the_other);
    good(b);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_ge(nx_wait_counts(b->dev[i]).interrupts, 49);
        ck_assert_uint_le(nx_wait_counts(b->dev[i]).interrupts, 53); /* and the meeting */
        ck_assert_uint_eq(nx_wait_counts(b->dev[i]).late, 0);
    }
}

static unsigned shut_down;
static void ended(nx_disk_request *r) { shut_down += r->status == NX_DISK_ESHUTDOWN; }

static void stop_in_between(void *arg)
{
    static uint8_t data[40][65536];
    static nx_disk_request r[40];
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[1];
    while (!nx_disk_get_disk(b->disk[1])) p->wait(p->self);
    for (int i = 0; i < 40; i++) {
        r[i] = (nx_disk_request){.operation = NX_DISK_READ, .length = 65536, .data = data[i], .done = ended};
        nx_disk_submit(b->disk[1], &r[i]);
    }
    for (int i = 0; i < 100; i++) p->wait(p->self);
    nx_disk_stop(b->disk[1]);
    if (nx_disk_submit(b->disk[1], &r[0]) != NX_ERROR_ARGUMENT)
        disk_bench_wrong(b, "a request was taken after the stop");
    for (int i = 0; i < 400; i++) p->wait(p->self);
    if (nx_disk_busy(b->disk[1])) disk_bench_wrong(b, "something is under way after the stop");
    b->over = 1;
}

TEST(requests_end_when_the_initiator_is_stopped)
{
    disk_bench *b = disk_mock_new(2);
    shut_down = 0;
    disk_mock_run(b, stop_in_between);
    good(b);
    ck_assert_uint_gt(shut_down, 30);
}

TEST(parameters_that_cannot_be_are_refused)
{
    static const struct {
        nx_disk_params p;
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
    disk_bench *b = disk_mock_new(2);
    for (int i = 0; i < COUNT(cases); i++) {
        nx_disk *d;
        ck_assert_int_eq(nx_disk_open(b->dev[1], 0, &cases[i].p, &d), NX_ERROR_ARGUMENT);
        ck_assert_msg(!strncmp(nx_disk_last_error(d), cases[i].text, strlen(cases[i].text)), "%s",
                      nx_disk_last_error(d));
        nx_disk_close(d);
    }
}
