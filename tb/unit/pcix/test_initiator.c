/* The core as initiator against targets of every behaviour, legal and not. */
#include "core_host.h"
#include "test.h"

enum { MASTER_ABORT = 1, TARGET_ABORT = 2 };

/* ---- any legal behaviour ---- */

/* A random legal answer to a transaction. */
static void draw_plan(bench *b, int is_read)
{
    static const int decodes[] = {2, 3, 4, 6};
    unsigned dice = (unsigned)bench_random(b, 8);
    target_plan *p = host_plan(b, dice == 0 ? PLAN_RETRY : dice == 1 ? PLAN_SINGLE : PLAN_DATA);
    p->decode = decodes[bench_random(b, 4)];
    p->waits = (int)(is_read ? bench_random(b, 6) : 2 * bench_random(b, 3));
    p->narrow = bench_random(b, 3) == 0;
    if (dice == 2 || dice == 3) p->stop_phase = 0;
    else if (dice == 4) p->stop_phase = (int)bench_random(b, 40);
}

TEST_CASE("answers", .timeout = 120);

BENCH_TEST(any_mix_of_answers_delivers_every_word_once, bench_with_host(4, 1))
{
    unsigned first = 0;
    for (int n = 0; n < 300; n++) {
        unsigned words = 1 + (unsigned)bench_random(b, bench_random(b, 3) ? 40 : 512);
        uint64_t address = 8 * bench_random(b, 60000 - words) + (bench_random(b, 3) ? 0 : 0x8700000000ull);
        b->gnt_mode = (int)bench_random(b, 3) == 0 ? GNT_PARKED
                      : bench_random(b, 2)         ? GNT_ON_REQUEST
                                                   : GNT_TAKEN_AFTER_FRAME;
        b->target->used = b->target->queued = 0;
        int is_read = (int)bench_random(b, 2);
        for (int i = 0; i < 250; i++) draw_plan(b, is_read);
        if (is_read) {
            b->u.rd_data.count = b->u.rd_done.count = 0;
            bench_read(b, address, words, (unsigned)n % 32);
            bench_read_ends(b, 1, 20000, 0);
            host_check_read(b, 0, address, words);
        } else {
            uint64_t before = host_memory_word(b, address - 8), after = host_memory_word(b, address + 8 * words);
            host_write_and_wait(b, address, words, first, 0);
            host_check_memory(b, address, words, first);
            ck_assert_uint_eq(host_memory_word(b, address - 8), before);
            ck_assert_uint_eq(host_memory_word(b, address + 8 * words), after);
            first += words;
        }
    }
    ck_assert_uint_eq(b->u.ev.underflow, 0);
    ck_assert_uint_eq(b->u.ev.parity_error, 0);
}

/* Every length against 64 and 32 bits, decode A to C: one transaction each, all phases without a gap. */
BENCH_TEST(every_short_length_takes_one_burst, bench_with_host(4, 1))
{
    unsigned n = 0;
    for (unsigned words = 1; words <= 40; words++)
        for (int narrow = 0; narrow < 2; narrow++)
            for (int decode = 2; decode <= 4; decode++) {
                b->target->used = b->target->queued = 0;
                target_plan *p = host_plan(b, PLAN_DATA);
                p->narrow = narrow;
                p->decode = decode;
                host_write_and_wait(b, 0x1000 + 8 * words, words, 100 * words, 0);
                host_check_memory(b, 0x1000 + 8 * words, words, 100 * words);
                const target_seen *t = host_seen(b, n++);
                unsigned phases = words << narrow, r = (unsigned)decode + 1;
                ck_assert_uint_eq(t->phases, phases);
                ck_assert_uint_eq(t->last - t->start, r + phases - 1);
                ck_assert_uint_eq(t->irdy_high - t->start, r + (phases > 2 ? phases : 2));
                ck_assert_uint_eq(t->frame_high - t->start, r + (phases > 4 ? phases - 2 : 2));
                ck_assert_uint_eq(b->target->count, n);
            }
}

/* 32-bit target that takes one dword at a time: every transaction resumes at the next dword. */
BENCH_TEST(a_32_bit_target_may_take_dword_by_dword, bench_with_host(4, 1))
{
    b->target->normal.kind = PLAN_SINGLE;
    b->target->normal.decode = 4;
    b->target->normal.narrow = 1;
    host_write_and_wait(b, 0x2000, 5, 0, 0);
    host_check_memory(b, 0x2000, 5, 0);
    ck_assert_uint_eq(b->target->count, 10);
    for (unsigned i = 0; i < 10; i++) {
        ck_assert_uint_eq(host_seen(b, i)->address, 0x2000 + 4 * i);
        ck_assert_uint_eq(host_seen(b, i)->count, 40 - 4 * i);
    }
    /* an odd dword meets a 64-bit target */
    b->target->count = 0;
    host_plan(b, PLAN_SINGLE)->narrow = 1;
    host_plan(b, PLAN_DATA)->narrow = 0;
    host_write_and_wait(b, 0x3000, 4, 50, 0);
    host_check_memory(b, 0x3000, 4, 50);
    ck_assert_uint_eq(b->target->count, 2);
    ck_assert_uint_eq(host_seen(b, 1)->address, 0x3004);
    ck_assert_uint_eq(host_seen(b, 1)->phases, 4);
    /* the same for a read, whose rest is then split */
    b->target->count = 0;
    host_plan(b, PLAN_SINGLE)->narrow = 1;
    host_plan(b, PLAN_SPLIT);
    bench_read(b, 0x3000, 4, 1);
    bench_clocks(b, 40);
    ck_assert_uint_eq(host_seen(b, 1)->address, 0x3004);
    ck_assert_uint_eq(host_seen(b, 1)->count, 28);
    ck_assert_uint_eq(host_complete(b, 1, 0x3004, 28, 0, 1), 28);
    bench_read_ends(b, 1, 10, 0);
    host_check_read(b, 0, 0x3000, 4);
}

BENCH_TEST(a_cut_sequence_resumes_with_the_rest, bench_with_host(4, 1))
{
    host_plan(b, PLAN_DATA)->stop_phase = 0;
    host_plan(b, PLAN_RETRY);
    host_plan(b, PLAN_DATA)->stop_phase = 13; /* too late for the ADB after 16 phases: runs to the next */
    host_plan(b, PLAN_DATA)->stop_phase = 12;
    host_write_and_wait(b, 0x10000 + 120, 100, 7, 0);
    host_check_memory(b, 0x10000 + 120, 100, 7);
    static const struct {
        unsigned address, count, phases;
    } rows[] = {{120, 800, 1}, {128, 792, 0}, {128, 792, 32}, {384, 536, 16}, {512, 408, 51}};
    ck_assert_uint_eq(b->target->count, 5);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_uint_eq(host_seen(b, i)->address, 0x10000 + rows[i].address);
        ck_assert_uint_eq(host_seen(b, i)->count, rows[i].count);
        ck_assert_uint_eq(host_seen(b, i)->phases, rows[i].phases);
        ck_assert_uint_eq(host_seen(b, i)->attribute & 0x7fffff00, 0x1f000000 | NIC_ID);
    }
    ck_assert_uint_eq(b->u.ev.write_request_done, 5);
    ck_assert_uint_eq(b->u.ev.write_disconnect, 0);
}

BENCH_TEST(a_sequence_may_cross_4_gb, bench_with_host(4, 1))
{
    host_plan(b, PLAN_DATA)->stop_phase = 0;
    host_write_and_wait(b, 0xffffff80, 32, 7, 0);
    ck_assert_uint_eq(host_seen(b, 0)->dual, 0);
    ck_assert_uint_eq(host_seen(b, 1)->dual, 1);
    ck_assert_uint_eq(host_seen(b, 1)->address, 0x100000000);
    host_check_memory(b, 0xffffff80, 32, 7);
}

/* ---- arbitration ---- */

TEST_CASE("arbitration");

BENCH_TEST(first_address_is_four_clocks_after_req, bench_with_host(4, 1))
{
    b->gnt_mode = GNT_ON_REQUEST;
    bench_write(b, 0x1000, 8, 0);
    uint64_t req = bench_first_low(b, -1), frame = bench_first_low(b, FRAME);
    ck_assert_uint_eq(frame - req, 4);
}

BENCH_TEST(a_parked_core_starts_with_its_req, bench_with_host(4, 1))
{
    bench_write(b, 0x1000, 8, 0);
    uint64_t asked = b->now, req = bench_first_low(b, -1), frame = bench_first_low(b, FRAME);
    ck_assert_uint_eq(frame, req);
    ck_assert_uint_le(frame - asked, 3);
}

BENCH_TEST(nothing_starts_without_grant_or_permission, bench_with_host(4, 1))
{
    b->gnt_mode = GNT_NEVER;
    bench_write(b, 0x1000, 8, 0);
    bench_clocks(b, 100);
    ck_assert_uint_eq(b->target->count, 0);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->req, 0);
    b->gnt_mode = GNT_PARKED;
    bench_write_ends(b, 1, 50, 0);
    host_config_write(b, 0x04, 0x0142, 0x3); /* bus master off */
    bench_write(b, 0x1000, 8, 0);
    bench_clocks(b, 100);
    ck_assert_uint_eq(b->target->count, 1);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->req, 1);
    host_config_write(b, 0x04, 0x0146, 0x3);
    bench_write_ends(b, 2, 50, 0);
}

TEST(req_is_high_for_two_clocks_after_the_target_ended_it)
{
    for (int kind = PLAN_DATA; kind <= PLAN_SINGLE; kind++) {
        if (kind == PLAN_SPLIT || kind == PLAN_ABORT) continue;
        bench *b = bench_with_host(4, 1);
        target_plan *p = host_plan(b, kind);
        if (kind == PLAN_DATA) p->stop_phase = 20;
        host_write_and_wait(b, 0x1000, 300, 0, 0);
        uint64_t end = host_seen(b, 0)->irdy_high;
        ck_assert_uint_eq(bench_at(b, end)->req, 1);
        ck_assert_uint_eq(bench_at(b, end + 1)->req, 1);
        ck_assert_uint_eq(bench_at(b, end + 2)->req, 0);
        ck_assert_uint_eq(host_seen(b, 1)->first, end + 2); /* parked: no clock is lost */
    }
}

/* A write goes ahead of a read that is retried again and again. */
BENCH_TEST(a_retried_read_does_not_block_writes, bench_with_host(4, 1))
{
    b->target->retry_reads = 1;
    bench_read(b, 0x5000, 8, 1);
    bench_clocks(b, 60);
    ck_assert_uint_gt(b->u.ev.read_request_done, 5);
    for (unsigned i = 0; i < 5; i++) {
        host_write_and_wait(b, 0x1000 + 64 * i, 8, 8 * i, 0);
        bench_clocks(b, 1 + i);
    }
    host_check_memory(b, 0x1000, 40, 0);
    ck_assert_uint_eq(b->u.rd_done.count, 0);
    b->target->retry_reads = 0;
    bench_read_ends(b, 1, 100, 0);
}

BENCH_TEST(writes_run_while_a_read_is_split, bench_with_host(4, 1))
{
    host_plan(b, PLAN_SPLIT);
    bench_read(b, 0x5000, 8, 1);
    bench_clocks(b, 20);
    host_write_and_wait(b, 0x1000, 100, 0, 0);
    host_check_memory(b, 0x1000, 100, 0);
    host_complete(b, 1, 0x5000, 64, 0, 1);
    bench_read_ends(b, 1, 10, 0);
}

TEST(the_arbiter_picks_when_both_wait)
{
    for (unsigned pick_write = 0; pick_write < 2; pick_write++) {
        bench *b = bench_with_host(4, 1);
        b->gnt_mode = GNT_NEVER;
        bench_read(b, 0x5000, 8, 1);
        bench_write(b, 0x1000, 8, 0);
        bench_clocks(b, 10);
        ck_assert_uint_eq(*b->p.arb_read & *b->p.arb_write, 1);
        *b->p.arb_pick_write = (uint8_t)pick_write;
        b->gnt_mode = GNT_PARKED;
        bench_clocks(b, 60);
        ck_assert_uint_eq(host_seen(b, 0)->command, pick_write ? MEMORY_WRITE_BLOCK : MEMORY_READ_BLOCK);
        ck_assert_uint_eq(host_seen(b, 1)->command, pick_write ? MEMORY_READ_BLOCK : MEMORY_WRITE_BLOCK);
        ck_assert_uint_eq(b->u.ev.started_read, 1);
        ck_assert_uint_eq(b->u.ev.started_write, 1);
    }
}

/* Latency timer 40h, GNT# taken as soon as FRAME# is seen: 4 KB leave in eight pieces of 512 bytes (pcix.md 13.4). */
TEST(the_latency_timer_cuts_4_kb_into_eight)
{
    for (int decode = 2; decode <= 4; decode++) {
        bench *b = bench_with_host(4, 1);
        b->target->normal.decode = decode;
        b->gnt_mode = GNT_TAKEN_AFTER_FRAME;
        host_write_and_wait(b, 0x8000, 512, 0, 0);
        host_check_memory(b, 0x8000, 512, 0);
        ck_assert_uint_eq(b->target->count, 8);
        for (unsigned i = 0; i < 8; i++) ck_assert_uint_eq(host_seen(b, i)->phases, 64);
        ck_assert_uint_eq(b->u.ev.write_disconnect, 7);
    }
}

BENCH_TEST(a_granted_core_ignores_its_timer, bench_with_host(4, 1))
{
    host_config_write(b, 0x0c, 0, 0x2);
    host_write_and_wait(b, 0x8000, 512, 0, 0);
    ck_assert_uint_eq(b->target->count, 1);
}

/* ---- broken targets ---- */

/* After the failure a normal write and a normal read must work. */
static void still_works(bench *b)
{
    b->target->used = b->target->queued;
    host_write_and_wait(b, 0x7000, 20, 500, 0);
    host_check_memory(b, 0x7000, 20, 500);
    unsigned done = b->u.rd_done.count, words = b->u.rd_data.count;
    bench_read(b, 0x7000, 20, 2);
    bench_read_ends(b, done + 1, 100, 0);
    host_check_read(b, words, 0x7000, 20);
}

static void read_fails(bench *b, unsigned words, unsigned status)
{
    unsigned done = b->u.rd_done.count;
    bench_read(b, 0x7000, words, 2);
    bench_read_ends(b, done + 1, 1000, status);
}

TEST_CASE("broken", .timeout = 120);

BENCH_TEST(nobody_answers, bench_with_host(4, 1))
{
    for (unsigned words = 1; words < 6; words++) {
        host_plan(b, PLAN_NOBODY);
        host_write_and_wait(b, 0x1000, words, 0, MASTER_ABORT);
        ck_assert_uint_eq(host_status(b), 0x2000);
        host_plan(b, PLAN_NOBODY);
        read_fails(b, words, MASTER_ABORT);
        ck_assert_uint_eq(host_status(b), 0x2000);
        still_works(b);
    }
}

/* In every phase of bursts of every short length. */
BENCH_TEST(target_abort_in_any_phase, bench_with_host(4, 1))
{
    for (unsigned words = 1; words < 12; words++)
        for (int phase = 0; phase < (int)words; phase++)
            for (int narrow = 0; narrow < 2; narrow++) {
                target_plan *p = host_plan(b, PLAN_DATA);
                p->abort_phase = phase;
                p->narrow = narrow;
                host_write_and_wait(b, 0x1000, words, 1000, TARGET_ABORT);
                host_check_memory(b, 0x1000, (unsigned)phase >> narrow, 1000);
                ck_assert_uint_eq(host_status(b), 0x1000);
                p = host_plan(b, PLAN_DATA);
                p->abort_phase = phase;
                p->narrow = narrow;
                unsigned got = b->u.rd_data.count;
                read_fails(b, words, TARGET_ABORT);
                ck_assert_uint_eq(b->u.rd_data.count - got, (unsigned)phase >> narrow);
                ck_assert_uint_eq(host_status(b), 0x1000);
                b->u.rd_done.count = b->u.rd_data.count = 0;
                b->target->used = b->target->queued = 0;
                if (phase == (int)words - 1) still_works(b);
                b->u.wr_done.count = 0;
            }
}

BENCH_TEST(a_target_that_stalls_in_mid_burst_or_for_ever, bench_with_host(4, 1))
{
    b->expect_problem = 1;
    for (int phase = 1; phase < 8; phase++) {
        host_plan(b, PLAN_DATA)->wait_phase = phase;
        host_write_and_wait(b, 0x1000, 8, 0, TARGET_ABORT);
        still_works(b);
    }
    host_plan(b, PLAN_NEVER);
    host_write_and_wait(b, 0x1000, 8, 0, TARGET_ABORT);
    still_works(b);
    host_plan(b, PLAN_NEVER);
    read_fails(b, 8, TARGET_ABORT);
    still_works(b);
    host_plan(b, PLAN_SPLIT); /* illegal for a write */
    host_write_and_wait(b, 0x1000, 8, 0, TARGET_ABORT);
    still_works(b);
}

/* Any values on the target's lines, clock after clock: the core must always come off the bus and answer its caller. */
BENCH_TEST(noise_on_the_target_lines_never_hangs_the_core, bench_new(4, 1))
{
    host_setup(b);
    b->expect_problem = 1;
    for (unsigned n = 0; n < 200; n++) {
        unsigned quiet = (unsigned)bench_random(b, 4) + 1;
        bench_write(b, 0x1000 * n, 1 + (unsigned)bench_random(b, 40), 0);
        bench_read(b, 0x1000 * n, 1 + (unsigned)bench_random(b, 40), n % 32);
        for (int i = 0; i < 8000 && (b->u.wr_done.count <= n || b->u.rd_done.count <= n || b->u.wr_waiting); i++) {
            static const int lines[] = {DEVSEL, TRDY, STOP, ACK64};
            for (int k = 0; k < 4; k++)
                if (bench_random(b, quiet) == 0) drive_line(&b->h, lines[k], (int)bench_random(b, 2));
            bench_clock(b);
            /* a split read waits for its completion: give it an error message by hand */
            if (b->u.ev.split_response && b->u.rd_done.count <= n) {
                b->u.ev.split_response = 0;
                host_message(b, n % 32, 3, 0x10000000);
            }
        }
        ck_assert_msg(b->u.wr_done.count > n && b->u.rd_done.count > n, "hangs in round %u: %u %u", n,
                      b->u.wr_done.count, b->u.rd_done.count);
        ck_assert_uint_eq(b->u.source_head, b->u.source_tail);
    }
}

BENCH_TEST(the_core_does_not_answer_itself, bench_with_host(4, 1))
{
    b->target->normal.kind = PLAN_NOBODY;
    host_write_and_wait(b, HOST_BAR1 + 0x100, 4, 0, MASTER_ABORT);
    ck_assert_uint_eq(b->u.register_writes, 0);
}

/* The source runs dry: the burst goes on, the caller gets a report, no word is lost or left over. */
TEST(a_dry_source_is_reported_and_drained)
{
    for (unsigned ready = 0; ready < 20; ready++) {
        bench *b = bench_with_host(4, 1);
        bench_write(b, 0x1000, 20, 0);
        b->u.source_ready = ready;
        bench_clocks(b, 60);
        ck_assert_uint_ge(b->u.ev.underflow, 1);
        ck_assert_uint_eq(b->u.wr_done.count, 0);
        ck_assert_uint_eq(b->u.source_head, ready);
        host_check_memory(b, 0x1000, ready > 2 ? ready : 0, 0);
        b->u.source_ready = 20;
        bench_write_ends(b, 1, 40, 0);
        ck_assert_uint_eq(b->u.source_head, 20);
        still_works(b);
    }
}

TEST_CASE("arbitration");

/* An agent with GNT# on an idle bus drives AD, C/BE# and their parity, so that they do not float: from at most 8 clocks
 * after the bus became idle, with one value, until two clocks after GNT# went. (The bench checks the parity and that
 * there is no other driver.) */
BENCH_TEST(a_parked_core_drives_the_idle_bus, bench_with_host(4, 1))
{
    host_write_and_wait(b, 0x1000, 5, 0, 0);
    bench_clocks(b, 40);
    uint64_t end = b->now - 1, begin = end;
    while (bench_at(b, begin)->level[IRDY]) begin--;
    for (uint64_t c = begin + 9; c <= end; c++) {
        const bus_column *x = bench_at(b, c);
        ck_assert_msg(x->nic.ad_halves == 3 && x->nic.cbe_halves == 3, "clock %u of the idle bus",
                      (unsigned)(c - begin));
        ck_assert(c == begin + 9 || (x->nic.on[PAR] && x->nic.on[PAR64]));
        ck_assert_uint_eq(x->ad, bench_at(b, end)->ad);
        ck_assert_uint_eq(x->cbe, bench_at(b, end)->cbe);
        ck_assert(!x->nic.on[FRAME] && !x->nic.on[IRDY] && !x->nic.on[REQ64]);
    }
    b->gnt_mode = GNT_NEVER;
    bench_clocks(b, 20);
    for (uint64_t c = end + 1; c < b->now; c++) {
        const bus_column *x = bench_at(b, c);
        int gone = bench_at(b, c - 2)->gnt;
        ck_assert_msg(x->nic.ad_halves == (gone ? 0 : 3) && x->nic.cbe_halves == (gone ? 0 : 3),
                      "%u clocks after GNT# went", (unsigned)(c - end));
    }
    bench_clocks(b, 5);
    ck_assert_uint_eq(bench_at(b, b->now - 1)->nic.on[PAR], 0);
}

/* GNT# while others use the bus, or for fewer clocks than that: nothing is driven between two transactions. */
BENCH_TEST(a_busy_bus_is_left_alone, bench_with_host(4, 1))
{
    for (unsigned i = 0; i < 40; i++) {
        uint32_t value;
        ck_assert_int_eq(host_config_read(b, 0, &value), MOVED);
        bench_clocks(b, (unsigned)bench_random(b, 12));
        host_write_and_wait(b, 0x1000, 1 + (unsigned)bench_random(b, 20), 0, 0);
        bench_clocks(b, (unsigned)bench_random(b, 12));
    }
}
