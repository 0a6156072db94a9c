/* DMA reads that are split: completions cut in every legal way, 64 and 32 bits wide, unexpected ones, messages, several
 * tags. */
#include "core_host.h"
#include "test.h"

static bench *set_up(int decode, int splits)
{
    bench *b = bench_with_host(decode, splits);
    b->target->normal.kind = PLAN_SPLIT;
    return b;
}

/* Asks for n words and waits for the Split Response. */
static void ask(bench *b, uint64_t address, unsigned n, unsigned tag)
{
    unsigned splits = b->u.ev.split_response;
    bench_read(b, address, n, tag);
    for (int i = 0; i < 60 && b->u.ev.split_response == splits; i++) bench_clock(b);
    ck_assert_uint_eq(b->u.ev.split_response, splits + 1);
}

static void check_done(bench *b, unsigned number, unsigned tag, unsigned status)
{
    bench_read_ends(b, number + 1, 10, status);
    ck_assert_uint_eq(b->u.rd_done.count, number + 1);
    ck_assert_uint_eq(b->u.rd_done.entry[number].tag, tag);
}

/* The read comes back whole and ends well, as number `done` of those that have ended; before it `from` words had come.
 */
static void complete(bench *b, unsigned done, unsigned tag, unsigned from, uint64_t address, unsigned n, int wide)
{
    ck_assert_uint_eq(host_complete(b, tag, address, 8 * n, 0, wide), 8 * n);
    host_check_read(b, from, address, n);
    check_done(b, done, tag, 0);
}

/* Returns the read in pieces: bit i of `cuts` = leave at the i-th ADB after the start, if that is at least four data
 * phases away. */
static void return_in_pieces(bench *b, unsigned tag, uint64_t address, unsigned bytes, unsigned cuts, int wide)
{
    unsigned width = wide ? 8 : 4;
    while (bytes) {
        unsigned adb = 128 - (unsigned)(address % 128), after = 0;
        for (unsigned i = 0; adb < bytes; adb += 128, i++)
            if (cuts >> i & 1 && adb / width >= 4) {
                after = adb / width;
                cuts >>= i + 1;
                break;
            }
        unsigned moved = host_complete(b, tag, address, bytes, after, wide);
        ck_assert_uint_eq(moved, after ? after * width : bytes);
        address += moved;
        bytes -= moved;
    }
}

/* Every subset of the boundaries inside the read, 64 and 32 bits wide. */
static void all_cuts(int decode)
{
    static const unsigned offsets[] = {0, 8, 64, 96, 104, 120};
    bench *b = set_up(decode, 1);
    unsigned done = 0, words = 0;
    for (unsigned o = 0; o < 6; o++)
        for (unsigned n = 1; n <= 64; n = n < 4 ? n + 1 : n * 2)
            for (int wide = 0; wide < 2; wide++) {
                uint64_t address = 0x20000 + 1024 * o + offsets[o];
                unsigned boundaries = (offsets[o] + 8 * n - 1) / 128;
                for (unsigned cuts = 0; cuts < 1u << boundaries; cuts++) {
                    ask(b, address, n, cuts % 32);
                    return_in_pieces(b, cuts % 32, address, 8 * n, cuts, wide);
                    host_check_read(b, words, address, n);
                    check_done(b, done % 256, cuts % 32, 0);
                    words += n;
                    if (++done % 256 == 0) { /* the log is short: start it again */
                        b->u.rd_done.count = 0;
                        done = 0;
                    }
                    if (words > LOG_MAX - 600) words = b->u.rd_data.count = 0;
                }
            }
    ck_assert_uint_eq(b->u.ev.unexpected, 0);
    ck_assert_uint_eq(b->u.ev.parity_error, 0);
    ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0);
}

TEST_CASE("pieces", .timeout = 240);

CALL_TEST(every_cut_at_boundaries_is_put_together, all_cuts(4))
CALL_TEST(every_cut_with_decode_a, all_cuts(2))
CALL_TEST(every_cut_with_decode_b, all_cuts(3))

BENCH_TEST(a_4_kb_read_comes_back_in_one_completion, set_up(4, 1))
{
    ask(b, 0x4000, 512, 3);
    complete(b, 0, 3, 0, 0x4000, 512, 1);
    ck_assert_uint_eq(b->u.ev.waits_over, 1);
}

/* S1 3.1.4.2: from the receipt of the Split Response to that of the first datum; a word leaves in the clock after its
 * data phase. */
BENCH_TEST(a_split_read_waits_from_the_response_to_its_first_datum, set_up(4, 1))
{
    for (unsigned i = 0; i < 8; i++) {
        unsigned before = b->u.ev.split_waiting;
        ask(b, 0x4000, 64, i);
        for (unsigned n = 0; n < i; n++) bench_clock(b);
        host_complete(b, i, 0x4000, 512, 0, i % 2);
        host_check_read(b, 64 * i, 0x4000, 64);
        ck_assert_uint_ge(b->u.word_at, b->u.split_at + 1 + i);
        /* 32 bits wide the first word needs a second data phase */
        ck_assert_uint_eq(b->u.ev.split_waiting - before, b->u.word_at - b->u.split_at - 1 - (i % 2 ? 0 : 1));
        ck_assert_uint_eq(b->u.ev.waits_over, i + 1);
    }
}

/* Several are out: the wait is over when none of them waits for its first datum. */
BENCH_TEST(the_first_datum_of_one_read_does_not_end_the_wait_of_another, set_up(4, 4))
{
    ask(b, 0x4000, 64, 0);
    ask(b, 0x8000, 64, 1);
    ck_assert_uint_eq(host_complete(b, 0, 0x4000, 512, 16, 1), 128);
    ck_assert_uint_eq(*b->p.split_waiting, 1);
    ck_assert_uint_eq(host_complete(b, 0, 0x4080, 384, 0, 1), 384);
    ck_assert_uint_eq(*b->p.split_waiting, 1);
    ck_assert_uint_eq(b->u.ev.waits_over, 0);
    ck_assert_uint_eq(host_complete(b, 1, 0x8000, 512, 16, 1), 128);
    ck_assert_uint_eq(*b->p.split_waiting, 0);
    ck_assert_uint_eq(b->u.ev.waits_over, 1);
}

TEST(completions_are_claimed_at_the_decode_speed_without_waits)
{
    for (int decode = 2; decode <= 4; decode++) {
        bench *b = set_up(decode, 1);
        ask(b, 0x4000, 16, 3);
        static uint8_t data[128];
        host_txn t = host_completion(3, 0, 128, 1, data);
        host_take(b);
        host_run(b, &t);
        ck_assert_int_eq(t.devsel, decode);
        ck_assert_int_eq(t.response, decode + 1);
        ck_assert_int_eq(t.acked64, 1);
        ck_assert_int_eq(t.last, decode + 16);
    }
}

/* ---- BCM: a completion that counts only its own bytes ---- */

TEST_CASE("bcm", .timeout = 120);

/* The first completion ends at the first ADB, up to 15 words away and down to one, and says no more; the rest comes as
 * ever, cut in every way. */
BENCH_TEST(a_first_completion_that_counts_to_the_first_adb_is_taken, set_up(_i, 1), .from = 2, .to = 5)
{
    unsigned words = 0, done = 0;
    for (unsigned offset = 0; offset < 16; offset++)
        for (unsigned cuts = 0; cuts < 8; cuts++)
            for (int wide = 0; wide < 2; wide++) {
                uint64_t address = 0x30000 + 0x1000 * cuts + 8 * offset;
                unsigned n = 50, first = 128 - 8 * offset;
                ask(b, address, n, offset);
                ck_assert_uint_eq(host_complete_part(b, offset, address, first, wide), first);
                return_in_pieces(b, offset, address + first, 8 * n - first, cuts, !wide);
                host_check_read(b, words, address, n);
                check_done(b, done, offset, 0);
                words += n;
                if (++done == 128) words = done = b->u.rd_data.count = b->u.rd_done.count = 0;
            }
    ck_assert_uint_eq(b->u.ev.unexpected, 0);
    ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0);
}

BENCH_TEST(a_4_kb_read_comes_back_as_128_and_3968_bytes_with_bcm, set_up(4, 1))
{
    ask(b, 0x4000, 512, 3);
    ck_assert_uint_eq(host_complete_part(b, 3, 0x4000, 128, 1), 128);
    ck_assert_uint_eq(host_complete(b, 3, 0x4080, 3968, 0, 1), 3968);
    host_check_read(b, 0, 0x4000, 512);
    check_done(b, 0, 3, 0);
    ck_assert_uint_eq(b->u.ev.unexpected, 0);
}

/* Rounds of four reads at a time, their completions in any order, cut at any ADB; with BCM each counts no more than its
 * own bytes. */
static void interleave(bool bcm, unsigned rounds)
{
    bench *b = set_up(4, 4);
    static const unsigned tags[4] = {7, 0, 31, 12};
    uint64_t at[4];
    unsigned left[4], sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < 4; i++) {
            at[i] = 0x8000 + 0x1000 * i + 8 * bench_random(b, 16);
            left[i] = 8 * (60 + 50 * i);
            ask(b, at[i], left[i] / 8, tags[i]);
            sum += left[i] / 8;
        }
        bench_read(b, 0x100, 1, 1); /* a fifth is not accepted */
        bench_clocks(b, 50);
        ck_assert_int_eq(b->u.rd_waiting, 1);
        b->u.rd_waiting = 0;
        for (unsigned open = 4; open;) {
            unsigned i = (unsigned)bench_random(b, 4);
            if (!left[i]) continue;
            int wide = (int)bench_random(b, 2);
            unsigned part = 128 - (unsigned)(at[i] % 128) + 128 * (unsigned)bench_random(b, 3),
                     after = part / (wide ? 8 : 4);
            unsigned from = b->u.rd_data.count, moved;
            if (bcm && part < left[i]) moved = host_complete_part(b, tags[i], at[i], part, wide);
            else moved = host_complete(b, tags[i], at[i], left[i], part < left[i] && after >= 4 ? after : 0, wide);
            host_check_read(b, from, at[i], moved / 8);
            ck_assert_uint_eq(b->u.rd_data.tags[from], tags[i]);
            at[i] += moved;
            left[i] -= moved;
            open -= !left[i];
        }
    }
    bench_clocks(b, 5);
    ck_assert_uint_eq(b->u.rd_done.count, 4 * rounds);
    ck_assert_uint_eq(b->u.rd_data.count, sum);
    ck_assert_uint_eq(b->u.ev.unexpected, 0);
}

/* A completer may set BCM only in its first one; a requester ignores the bit, so it is taken in any, at any ADB. */
CALL_TEST(completions_that_count_their_own_bytes_are_taken_at_every_cut, interleave(true, 6))

/* Beyond the read, not at an ADB, or at another place than the next byte: not ours. */
TEST(a_part_that_does_not_fit_is_unexpected)
{
    static const struct {
        uint64_t address;
        unsigned count;
    } rows[] = {{0x1040, 320}, {0x1040, 128}, {0x1040, 60}, {0x1048, 56}, {0x1000, 128}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench *b = set_up(4, 1);
        ask(b, 0x1040, 32, 5);
        host_complete_part(b, 5, rows[i].address, rows[i].count, 1);
        ck_assert_uint_eq(b->u.ev.unexpected, 1);
        ck_assert_uint_eq(b->u.rd_data.count, 0);
        complete(b, 0, 5, 0, 0x1040, 32, 1);
    }
}

/* ---- completions that do not come ---- */

TEST_CASE("lost", .timeout = 120);

/* A single read is abandoned when its time is over, to the clock; later data are dropped, and the next read is served.
 */
TEST(a_read_times_out_when_its_time_is_over)
{
    static const unsigned limits[] = {1, 8, 100, 4096, 100000};
    for (int splits = 1; splits <= 4; splits += 3)
        for (unsigned i = 0; i < 5; i++) {
            bench *b = set_up(4, splits);
            unsigned limit = limits[i] < 8 ? 8 : limits[i] & ~7u;
            *b->p.cfg_completion_timer = limits[i];
            ask(b, 0x1000, 32, 5);
            uint64_t split = b->now;
            bench_read_ends(b, 1, limit + 20, 5);
            ck_assert_uint_eq(b->u.rd_done.entry[0].tag, 5);
            ck_assert_uint_ge(b->u.rd_done.entry[0].clock, split + limit);
            ck_assert_uint_le(b->u.rd_done.entry[0].clock, split + limit + 3);
            ck_assert_uint_eq(b->u.ev.abandoned, 1);
            *b->p.cfg_completion_timer = 0;
            ask(b, 0x2000, 4, 6);
            host_complete(b, 5, 0x1000, 256, 0, 1);
            ck_assert_uint_eq(b->u.ev.unexpected, 1);
            ck_assert_uint_eq(b->u.rd_data.count, 0);
            complete(b, 1, 6, 0, 0x2000, 4, 1);
        }
}

BENCH_TEST(without_a_limit_a_read_waits_for_ever, set_up(4, 1))
{
    ask(b, 0x1000, 32, 5);
    bench_clocks(b, 200000);
    ck_assert_uint_eq(b->u.rd_done.count, 0);
    complete(b, 0, 5, 0, 0x1000, 32, 1);
}

/* Four at different times: each ends between 7/8 of the limit and the limit, one at a time. */
BENCH_TEST(each_of_several_reads_has_its_own_time, set_up(4, 4))
{
    uint64_t split[4];
    *b->p.cfg_completion_timer = 4000;
    for (unsigned i = 0; i < 4; i++) {
        ask(b, 0x1000 * i, 32, 8 + i);
        split[i] = b->now;
        bench_clocks(b, (unsigned)bench_random(b, 900));
    }
    bench_read_ends(b, 4, 9000, 5);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(b->u.rd_done.entry[i].tag, 8 + i);
        ck_assert_uint_eq(b->u.rd_done.entry[i].status, 5);
        ck_assert_uint_ge(b->u.rd_done.entry[i].clock, split[i] + 3500);
        ck_assert_uint_le(b->u.rd_done.entry[i].clock, split[i] + 4008);
    }
    ck_assert_uint_eq(b->u.ev.abandoned, 4);
}

/* The time runs out in every clock around the completion: the read ends once, well with all its words or abandoned. */
TEST(time_runs_out_in_every_clock_of_a_completion)
{
    for (int message = 0; message < 2; message++)
        for (unsigned early = 0; early < 160; early++) {
            bench *b = set_up(4, 4);
            ask(b, 0x1000, 16, 5);
            ask(b, 0x2000, 16, 6);
            *b->p.cfg_completion_timer = early / 8 * 8 + 8;
            bench_clocks(b, 7 - early % 8); /* the limit has steps of 8 clocks */
            if (message) host_message(b, 6, 3, 0x10000000);
            else host_complete(b, 6, 0x2000, 128, 0, 1);
            bench_clocks(b, early + 40);
            ck_assert_uint_eq(b->u.rd_done.count, 2);
            for (unsigned i = 0; i < 2; i++) {
                unsigned status = b->u.rd_done.entry[i].status;
                if (b->u.rd_done.entry[i].tag == 5) ck_assert_uint_eq(status, 5);
                else ck_assert(status == 5 || status == (message ? 4u : 0u));
                if (status == 0) ck_assert_uint_eq(b->u.rd_data.count, 16);
            }
            ck_assert_uint_ne(b->u.rd_done.entry[0].tag, b->u.rd_done.entry[1].tag);
        }
}

/* The caller may abandon reads that are split when it drops them, at once and one after the other; a request that is
 * split later is outstanding to the host, and stays. */
BENCH_TEST(abandoned_reads_end_at_once, set_up(4, 4))
{
    for (unsigned i = 0; i < 3; i++) ask(b, 0x1000 * i, 32, i);
    for (unsigned i = 0; i < 12; i++) host_plan(b, PLAN_RETRY);
    bench_read(b, 0x5000, 4, 9);
    bench_clocks(b, 40);
    *b->p.rd_abandon = 1;
    bench_clocks(b, 20);
    ck_assert_uint_eq(b->u.rd_done.count, 0);
    *b->p.rd_abandon = 3;
    bench_clocks(b, 8);
    ck_assert_uint_eq(b->u.rd_done.count, 3);
    for (unsigned i = 0; i < 3; i++) ck_assert_uint_eq(b->u.rd_done.entry[i].status, 5);
    bench_clocks(b, 400);
    ck_assert_uint_eq(b->u.rd_done.count, 3);
}

/* ---- several at a time ---- */

TEST_CASE("several");

CALL_TEST(four_reads_may_interleave, interleave(false, 6))

BENCH_TEST(software_may_allow_fewer_than_built, set_up(4, 4))
{
    host_config_write(b, 0x48, 0x001e0000, 0xc); /* two */
    ask(b, 0x1000, 4, 0);
    ask(b, 0x2000, 4, 1);
    bench_read(b, 0x3000, 4, 2);
    bench_clocks(b, 60);
    ck_assert_int_eq(b->u.rd_waiting, 1);
    host_complete(b, 1, 0x2000, 32, 0, 1);
    bench_clocks(b, 10);
    ck_assert_int_eq(b->u.rd_waiting, 0);
}

BENCH_TEST(one_split_means_one_read_at_a_time, set_up(4, 1))
{
    ask(b, 0x1000, 4, 0);
    bench_read(b, 0x3000, 4, 2);
    bench_clocks(b, 60);
    ck_assert_int_eq(b->u.rd_waiting, 1);
    host_complete(b, 0, 0x1000, 32, 0, 1);
    bench_clocks(b, 20);
    ck_assert_int_eq(b->u.rd_waiting, 0);
    ck_assert_uint_eq(b->u.ev.split_response, 2);
}

/* ---- unexpected ones ---- */

TEST_CASE("unexpected");

TEST(unexpected_completions_are_swallowed_and_flagged)
{
    static const struct {
        unsigned tag, low, count;
    } rows[] = {
        {6, 0x40, 256},                                                  /* tag */
        {5, 0x48, 256},                                                  /* lower address */
        {5, 0x40, 248},                                                  /* byte count */
        {5, 0x00, 192}, {5, 0x40, 4096}, {5, 0x44, 252}, {5, 0x44, 256}, /* not a multiple of 8 */
        {5, 0x41, 256},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int wide = 0; wide < 2; wide++) {
            bench *b = set_up(4, 1);
            static uint8_t data[4096];
            ask(b, 0x1040, 32, 5);
            host_txn t = host_completion(rows[i].tag, rows[i].low, rows[i].count, wide, data);
            host_once(b, &t);
            ck_assert_int_eq(t.result, MOVED);
            ck_assert_uint_eq(t.moved, rows[i].count);
            ck_assert_uint_eq(b->u.rd_data.count, 0);
            ck_assert_uint_eq(b->u.ev.unexpected, 1);
            ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0x00080000);
            /* the read that is really outstanding is unharmed */
            complete(b, 0, 5, 0, 0x1040, 32, wide);
            /* write 1 to clear */
            host_config_write(b, 0x4c, 0xffffffff, 0xb);
            ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0x00080000);
            host_config_write(b, 0x4c, 0xffffffff, 0x4);
            ck_assert_uint_eq(host_config_get(b, 0x4c), 0x08630000 | HOST_BUS << 8 | HOST_DEVICE << 3);
        }
}

BENCH_TEST(a_completion_after_the_last_is_unexpected, set_up(4, 1))
{
    ask(b, 0x1000, 16, 5);
    complete(b, 0, 5, 0, 0x1000, 16, 1);
    host_complete(b, 5, 0x1000, 128, 0, 1);
    ck_assert_uint_eq(b->u.ev.unexpected, 1);
    ck_assert_uint_eq(b->u.rd_data.count, 16);
    ck_assert_uint_eq(b->u.rd_done.count, 1);
}

/* A completion may not come before the Split Response. */
BENCH_TEST(a_retried_read_has_no_completion_yet, set_up(4, 1))
{
    host_plan(b, PLAN_RETRY);
    b->gnt_mode = GNT_TAKEN_AFTER_FRAME;
    bench_read(b, 0x1000, 4, 5);
    bench_clocks(b, 14);
    host_complete(b, 5, 0x1000, 32, 0, 1);
    ck_assert_uint_eq(b->u.ev.unexpected, 1);
    ck_assert_uint_eq(b->u.rd_data.count, 0);
    bench_clocks(b, 30);
    ck_assert_uint_eq(b->u.ev.split_response, 1);
    host_complete(b, 5, 0x1000, 32, 0, 1);
    host_check_read(b, 0, 0x1000, 4);
}

/* ---- messages ---- */

TEST_CASE("messages");

TEST(an_error_message_ends_the_read)
{
    static const uint32_t messages[] = {0x10000000, 0x10100000, 0x20000100, 0x28000000, 0x70000000};
    for (unsigned i = 0; i < 5; i++) {
        bench *b = set_up(4, 1);
        ask(b, 0x1000, 32, 5);
        host_complete(b, 5, 0x1000, 256, 16, 1); /* half of it arrives */
        host_message(b, 5, 3, messages[i]);
        check_done(b, 0, 5, 4);
        ck_assert_uint_eq(b->u.rd_data.count, 16);
        ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0x20000000);
        host_config_write(b, 0x4c, 0x20000000, 0x8);
        ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0);
        /* the tag is free again */
        ask(b, 0x2000, 2, 5);
        complete(b, 1, 5, 16, 0x2000, 2, 1);
    }
}

BENCH_TEST(an_error_message_for_nobody_is_unexpected, set_up(4, 1))
{
    ask(b, 0x1000, 32, 5);
    host_message(b, 4, 3, 0x10000000);
    ck_assert_uint_eq(b->u.ev.unexpected, 1);
    ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0x00080000);
    ck_assert_uint_eq(b->u.rd_done.count, 0);
}

/* "Write completed" for a read: nothing more will come, so the read must not wait for ever. */
BENCH_TEST(a_write_message_for_a_read_ends_it_with_an_error, set_up(4, 1))
{
    ask(b, 0x1000, 32, 5);
    host_message(b, 5, 1, 0);
    check_done(b, 0, 5, 4);
    ck_assert_uint_eq(host_config_get(b, 0x4c) & 0x200c0000, 0x00080000);
}
