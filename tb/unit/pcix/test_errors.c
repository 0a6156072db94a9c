/* Parity: checks of the core, PERR# and SERR#, status bits, and reports to its caller. */
#include <string.h>

#include "core_host.h"
#include "test.h"

enum { DETECTED = 0x8000, SIGNALED_SYSTEM = 0x4000, SIGNALED_TARGET_ABORT = 0x0800, MASTER_DATA = 0x0100 };
enum { COMMAND_ALL = 0x0146, COMMAND_NO_PARITY = 0x0106, COMMAND_NO_SERR = 0x0046 };

static bench *set_up(int decode, unsigned command, int recovery)
{
    bench *b = bench_with_host(decode, 1);
    host_config_write(b, 0x04, command, 0x3);
    host_config_write(b, 0x48, recovery ? 0x000f0000 : 0x000e0000, 0x4);
    return b;
}

static unsigned status(bench *b)
{
    bench_clocks(b, 4);
    return host_status(b);
}

/* Columns in which SERR# or PERR# was low since `from`; both must be three clocks after the bad phase. */
static unsigned lows(const bench *b, uint64_t from, int serr, uint64_t *last)
{
    unsigned n = 0;
    for (uint64_t c = from; c < b->now; c++)
        if (!(serr ? bench_at(b, c)->serr : bench_at(b, c)->level[PERR])) {
            n++;
            *last = c;
        }
    return n;
}

/* Writes 48 bytes to registers (or to `address`), with the errors of `t`, and runs until parity has been reported. */
static host_txn write_bad_parity(bench *b, host_txn t)
{
    static uint8_t data[48];
    t.command = MEMORY_WRITE_BLOCK;
    if (!t.address) t.address = HOST_BAR1 + 0x100;
    t.count = 48;
    t.data = data;
    host_take(b);
    host_run(b, &t);
    bench_clocks(b, 5);
    host_release(b);
    return t;
}

TEST_CASE("as_target");

TEST(bad_write_data_raise_perr_three_clocks_later)
{
    for (int decode = 2; decode <= 4; decode++)
        for (int upper = 0; upper < 2; upper++)
            for (int phase = 1; phase <= 6; phase++) {
                uint64_t at = 0;
                bench *b = set_up(decode, COMMAND_ALL, 0);
                host_txn t =
                    write_bad_parity(b, (host_txn){.wide = 1, .bad_parity_phase = phase, .bad_parity_upper = upper});
                /* the value of phase 1 is on the bus, wrong, also while the core does not answer: only the data phase
                 * counts */
                ck_assert_uint_eq(lows(b, t.start, 0, &at), 1);
                ck_assert_uint_eq(at, t.start + (unsigned)t.response + (unsigned)phase - 1 + 3);
                ck_assert_uint_eq(status(b), DETECTED);
                ck_assert_uint_eq(b->u.ev.parity_error, 1);
                ck_assert_uint_eq(b->serr, 0);
            }
}

BENCH_TEST(without_parity_response_only_the_status_tells, set_up(4, COMMAND_NO_PARITY, 0))
{
    host_txn t = write_bad_parity(b, (host_txn){.wide = 1, .bad_parity_phase = 2});
    ck_assert_uint_eq(host_perr(b, &t), 0);
    ck_assert_uint_eq(status(b), DETECTED);
}

BENCH_TEST(narrow_transfers_are_checked_on_the_lower_half, set_up(4, COMMAND_ALL, 0))
{
    host_txn t = write_bad_parity(b, (host_txn){.bad_parity_phase = 12});
    ck_assert_uint_eq(host_perr(b, &t), 1);
}

/* Decode C: such a transaction is not claimed. A and B have claimed already and end it with Target-Abort where they
 * can. */
TEST(a_bad_address_raises_serr_and_is_not_obeyed)
{
    for (int decode = 2; decode <= 4; decode++)
        for (int dual = 0; dual < 2; dual++) {
            uint64_t at = 0;
            bench *b = set_up(decode, COMMAND_ALL, 0);
            host_txn t = write_bad_parity(b, (host_txn){.wide = 1, .bad_parity_address = 1, .dual = dual});
            ck_assert_int_eq(t.result, decode == 2 ? ABORTED : NOBODY);
            ck_assert_uint_eq(lows(b, t.start - 1, 1, &at), 1u + (unsigned)dual);
            ck_assert_uint_eq(at, t.start + 3);
            ck_assert_uint_eq(b->u.register_writes, 0);
            ck_assert_uint_eq(status(b), DETECTED | SIGNALED_SYSTEM | (decode == 2 ? SIGNALED_TARGET_ABORT : 0));
        }
}

TEST(a_bad_attribute_raises_serr)
{
    for (int decode = 3; decode <= 4; decode++) {
        uint64_t at = 0;
        bench *b = set_up(decode, COMMAND_ALL, 0);
        host_txn t = write_bad_parity(b, (host_txn){.wide = 1, .bad_parity_attribute = 1});
        ck_assert_int_eq(t.result, decode == 4 ? NOBODY : ABORTED);
        ck_assert_uint_eq(lows(b, t.start, 1, &at), 1);
        ck_assert_uint_eq(at, t.start + 1 + 3);
        ck_assert_uint_eq(b->u.register_writes, 0);
    }
}

TEST(serr_needs_both_command_bits)
{
    static const unsigned commands[] = {COMMAND_NO_PARITY, COMMAND_NO_SERR};
    for (int i = 0; i < 2; i++) {
        bench *b = set_up(4, commands[i], 0);
        write_bad_parity(b, (host_txn){.wide = 1, .bad_parity_address = 1});
        ck_assert_uint_eq(b->serr, 0);
        ck_assert_uint_eq(status(b), DETECTED);
    }
}

/* Transactions that are not ours are watched too. */
BENCH_TEST(a_bad_address_of_others_is_reported, set_up(4, COMMAND_ALL, 0))
{
    host_txn t = write_bad_parity(b, (host_txn){.address = 0x100, .wide = 1, .bad_parity_address = 1});
    ck_assert_int_eq(t.result, NOBODY);
    ck_assert_uint_eq(b->serr, 1);
}

/* ---- as requester ---- */

TEST_CASE("as_requester");

TEST(perr_on_a_write_reaches_its_caller)
{
    for (int recovery = 0; recovery < 2; recovery++)
        for (unsigned words = 1; words < 8; words++)
            for (int phase = 0; phase < (int)words; phase++) {
                bench *b = set_up(4, COMMAND_ALL, recovery);
                host_plan(b, PLAN_DATA)->perr_phase = phase;
                bench_write(b, 0x1000, words, 0);
                bench_write_ends(b, 1, 60, 3);
                bench_write(b, 0x2000, words, 0); /* the next one is clean */
                bench_write_ends(b, 2, 60, 0);
                ck_assert_uint_eq(b->serr, recovery ? 0 : 1);
                ck_assert_uint_eq(status(b), MASTER_DATA | (recovery ? 0 : SIGNALED_SYSTEM));
            }
}

/* Sequences back to back: the error belongs to the one whose last phase was bad. */
BENCH_TEST(a_late_perr_is_not_blamed_on_the_next_sequence, set_up(4, COMMAND_ALL, 1))
{
    host_plan(b, PLAN_DATA)->perr_phase = 7;
    bench_write(b, 0x1000, 8, 0);
    while (b->u.wr_waiting) bench_clock(b);
    bench_write(b, 0x2000, 8, 8);
    bench_write_ends(b, 2, 100, 0);
    ck_assert_uint_eq(b->target->seen[1].first - b->target->seen[0].last, 3);
    ck_assert_uint_eq(b->u.wr_done.entry[0].status, 3);
}

BENCH_TEST(perr_in_a_cut_sequence_is_remembered, set_up(4, COMMAND_ALL, 1))
{
    target_plan *p = host_plan(b, PLAN_DATA);
    p->perr_phase = 2;
    p->stop_phase = 0;
    bench_write(b, 0x1000, 64, 0);
    bench_write_ends(b, 1, 200, 3);
    ck_assert_uint_eq(b->target->count, 2);
}

/* Without parity response PERR# is nothing to us... but the caller's data are as bad: the status says so all the same.
 */
BENCH_TEST(perr_is_reported_even_without_parity_response, set_up(4, COMMAND_NO_PARITY, 0))
{
    host_plan(b, PLAN_DATA)->perr_phase = 2;
    bench_write(b, 0x1000, 8, 0);
    bench_write_ends(b, 1, 60, 3);
    ck_assert_uint_eq(status(b), 0);
}

TEST(bad_immediate_read_data)
{
    for (int narrow = 0; narrow < 2; narrow++)
        for (unsigned words = 1; words < 6; words++)
            for (int phase = 0; phase < (int)words; phase++) {
                uint64_t at = 0;
                bench *b = set_up(4, COMMAND_ALL, 0);
                target_plan *p = host_plan(b, PLAN_DATA);
                p->bad_parity_phase = phase;
                p->narrow = narrow;
                bench_read(b, 0x1000, words, 1);
                bench_read_ends(b, 1, 60, 3);
                bench_clocks(b, 4);
                ck_assert_uint_eq(b->u.rd_data.count, words);
                const target_seen *t = &b->target->seen[0];
                ck_assert_uint_eq(lows(b, t->start, 0, &at), 1);
                ck_assert_uint_eq(at, t->response + (unsigned)phase + 3);
                ck_assert_uint_eq(b->serr, 1);
                ck_assert_uint_eq(status(b), DETECTED | MASTER_DATA | SIGNALED_SYSTEM);
            }
}

/* Asks for 8 words, which are split. */
static void split_read(bench *b)
{
    b->target->normal.kind = PLAN_SPLIT;
    bench_read(b, 0x1000, 8, 1);
    bench_clocks(b, 20);
}

TEST(bad_completion_data)
{
    for (int wide = 0; wide < 2; wide++)
        for (int phase = 1; phase <= 8; phase++) {
            static uint8_t data[64];
            bench *b = set_up(4, COMMAND_ALL, 1);
            host_txn t = host_completion(1, 0, 64, wide, data);
            t.bad_parity_phase = phase;
            split_read(b);
            host_take(b);
            host_run(b, &t);
            bench_read_ends(b, 1, 5, 3);
            host_release(b);
            ck_assert_uint_eq(b->u.rd_data.count, 8);
            ck_assert_uint_eq(host_perr(b, &t), 1);
            ck_assert_uint_eq(b->serr, 0);
            ck_assert_uint_eq(status(b), DETECTED | MASTER_DATA);
            /* the next read is clean again */
            split_read(b);
            host_complete(b, 1, 0x1000, 64, 0, wide);
            bench_read_ends(b, 2, 5, 0);
        }
}

/* Messages that report bad data of a write set Master Data Parity Error too (pcix.md 10). */
TEST(a_message_about_bad_data_sets_master_data_parity)
{
    static const struct {
        uint32_t message;
        unsigned status;
    } rows[] = {{0x10200000, MASTER_DATA}, {0x20100000, MASTER_DATA}, {0x10100000, 0}, {0x20000000, 0}};
    for (unsigned i = 0; i < 4; i++) {
        bench *b = set_up(4, COMMAND_ALL, 1);
        split_read(b);
        host_message(b, 1, 3, rows[i].message);
        ck_assert_uint_eq(status(b), rows[i].status);
    }
}

/* The bench's own checks: a core whose parity were wrong would not pass unnoticed. */
BENCH_TEST(the_bench_notices_a_second_driver, set_up(4, COMMAND_ALL, 1))
{
    bench_write(b, 0x1000, 8, 0);
    bench_clocks(b, 2);
    for (int i = 0; i < 10; i++) {
        drive_ad(&b->h, 0, 3);
        bench_clock(b);
    }
    ck_assert_msg(strstr(b->problem, "two drivers") != NULL, "%s", b->problem);
    b->expect_problem = 1;
}
