/* The write-combining buffers of the CPU: contents, causes and pieces of each flush; then the same on the bus. */
#include <string.h>

#include "host_bench.h"
#include "test.h"

/* ---- the buffers alone; chance is a table of dice, then a generator */

static uint64_t seed;
static unsigned draws;
static uint64_t dice(void *arg, uint64_t n)
{
    (void)arg;
    draws++;
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (seed >> 33) % n;
}

CLEANUP(write_combining_free);

static write_combining_params q; /* quiet unless a test says otherwise */

static write_combining *make(void)
{
    seed = 0x5eed;
    draws = 0;
    ck_assert_ptr_null(write_combining_check(&q));
    write_combining *w = write_combining_new(&q, dice, NULL);
    after_test(write_combining_free_cleanup, w);
    return w;
}

static uint8_t pattern[256];
static void store(write_combining *w, uint64_t address, size_t size)
{
    ck_assert(write_combining_store(w, address, pattern + address % 256, size));
}

/* Takes the next piece, which must be this one, all lanes, with the pattern's bytes. */
static void leaves(write_combining *w, uint64_t address, unsigned size)
{
    const wc_piece *p = write_combining_next(w);
    ck_assert_msg(p != NULL, "nothing leaves, expected %u bytes at 0x%llx", size, (unsigned long long)address);
    ck_assert_uint_eq(p->address, address);
    ck_assert_uint_eq(p->size, size);
    ck_assert(!p->masked);
    ck_assert_int_eq(p->combined, size > 8);
    ck_assert_mem_eq(p->data, pattern + address % 256, size);
    write_combining_sent(w);
}

static void make_pattern(void)
{
    q = write_combining_quiet();
    for (unsigned i = 0; i < sizeof pattern; i++) pattern[i] = (uint8_t)(i * 37 + 11);
}

TEST_CASE("buffers", .timeout = 60, .setup = make_pattern);

TEST(a_full_line_is_one_burst)
{
    write_combining *w = make();
    for (unsigned i = 0; i < 64; i += 8) {
        ck_assert_ptr_null(write_combining_next(w));
        store(w, 0x1040 + (56 - i), 8); /* in any order */
    }
    leaves(w, 0x1040, 64);
    ck_assert_ptr_null(write_combining_next(w));
    ck_assert(write_combining_empty(w));
    ck_assert_uint_eq(write_combining_get_stats(w)->by_full, 1);
    ck_assert_uint_eq(draws, 0); /* nothing is left to chance */
}

TEST(a_partial_line_leaves_at_a_fence_in_writes_of_8_bytes, .to = 2)
{
    q.order = _i;
    write_combining *w = make();
    store(w, 0x10, 16);
    store(w, 0x24, 12); /* half of the piece at 0x20 */
    ck_assert_ptr_null(write_combining_next(w));
    ck_assert(!write_combining_empty(w));
    write_combining_flush(w, WC_FENCE);
    static const struct {
        unsigned at, size;
    } list[] = {{0x10, 8}, {0x18, 8}, {0x24, 4}, {0x28, 8}};
    for (int i = 0; i < 4; i++) leaves(w, list[_i ? 3 - i : i].at, list[_i ? 3 - i : i].size);
    ck_assert(write_combining_empty(w));
    ck_assert_uint_eq(write_combining_get_stats(w)->partial_lines, 1);
}

TEST(contiguous_bytes_of_a_partial_line_are_one_burst_if_so_set, .to = 2)
{
    q.order = _i;
    q.bursts = true;
    write_combining *w = make();
    store(w, 0x00, 8);
    store(w, 0x10, 16); /* a gap of 8 bytes before it */
    store(w, 0x20, 6);  /* contiguous, to the middle of a piece */
    store(w, 0x28, 2);  /* not so: two bytes are missing */
    store(w, 0x2f, 9);  /* over the end of a piece that is masked */
    write_combining_flush(w, WC_FENCE);
    static const struct {
        unsigned at, size;
    } list[] = {{0x00, 8}, {0x10, 22}, {0x28, 16}};
    for (int i = 0; i < 3; i++) {
        const wc_piece *p = write_combining_next(w);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq(p->address, list[_i ? 2 - i : i].at);
        ck_assert_uint_eq(p->size, list[_i ? 2 - i : i].size);
        ck_assert_int_eq(p->masked, p->address == 0x28);
        write_combining_sent(w);
    }
    ck_assert(write_combining_empty(w));
    /* a full line, and lines torn on purpose, as without */
    store(w, 0x40, 64);
    leaves(w, 0x40, 64);
    static const uint8_t order[] = {1, HOST_FLUSH_BREAK, 0};
    write_combining_set_order(w, order, sizeof order);
    store(w, 0x80, 16);
    write_combining_flush(w, WC_FENCE);
    leaves(w, 0x88, 8);
    leaves(w, 0x80, 8);
}

TEST(bytes_that_were_not_stored_are_masked)
{
    write_combining *w = make();
    store(w, 0x41, 2);
    store(w, 0x46, 1);
    write_combining_flush(w, WC_FENCE);
    const wc_piece *p = write_combining_next(w);
    static const uint8_t lanes[] = {1, 1, 0, 0, 0, 1};
    ck_assert_uint_eq(p->address, 0x41);
    ck_assert_uint_eq(p->size, 6);
    ck_assert(p->masked);
    ck_assert_mem_eq(p->lanes, lanes, 6);
}

TEST(a_store_to_a_line_that_is_held_replaces_bytes)
{
    write_combining *w = make();
    uint64_t stale = 0;
    ck_assert(write_combining_store(w, 0x80, &stale, 8));
    store(w, 0x80, 8);
    write_combining_flush(w, WC_FENCE);
    leaves(w, 0x80, 8);
    ck_assert(write_combining_empty(w));
}

TEST(the_oldest_line_makes_room)
{
    q.buffers = 3;
    write_combining *w = make();
    store(w, 0x00, 8);
    store(w, 0x40, 8);
    store(w, 0x80, 8);
    store(w, 0x08, 8); /* younger bytes do not make the line younger */
    ck_assert(!write_combining_store(w, 0xc0, pattern, 8));
    leaves(w, 0x00, 8);
    ck_assert(!write_combining_store(w, 0xc0, pattern, 8)); /* its buffer is in use until the last piece is gone */
    leaves(w, 0x08, 8);
    ck_assert_ptr_null(write_combining_next(w));
    store(w, 0xc0, 8);
    ck_assert_uint_eq(write_combining_get_stats(w)->by_oldest, 1);
}

TEST(an_order_by_hand_holds_for_full_and_partial_lines)
{
    static const uint8_t order[] = {7, 2, 3, HOST_FLUSH_BREAK, 4, 0};
    q = write_combining_wild();
    write_combining *w = make();
    write_combining_set_order(w, order, sizeof order);
    store(w, 0, 64);
    leaves(w, 56, 8);
    leaves(w, 16, 16);
    leaves(w, 32, 8);
    leaves(w, 0, 8);
    leaves(w, 8, 8); /* not named: behind, ascending */
    leaves(w, 40, 8);
    leaves(w, 48, 8);
    store(w, 64 + 16, 48);
    write_combining_flush(w, WC_FENCE);
    leaves(w, 64 + 56, 8);
    leaves(w, 64 + 16, 16);
    leaves(w, 64 + 32, 8);
    leaves(w, 64 + 40, 8);
    leaves(w, 64 + 48, 8);
    ck_assert(write_combining_empty(w));
}

TEST(chance_evicts_and_gaps_part_the_pieces)
{
    q.evict = 100;
    q.gap = 5;
    write_combining *w = make();
    unsigned left_after[40] = {0}, seen[6] = {0};
    for (unsigned n = 0; n < 2000; n++) {
        unsigned clocks = 0, gap = 0;
        store(w, 0, 16);
        while (!write_combining_next(w)) {
            write_combining_clock(w);
            clocks++;
        }
        left_after[clocks < 39 ? clocks : 39]++;
        write_combining_sent(w);
        for (; !write_combining_next(w); gap++) write_combining_clock(w);
        ck_assert_uint_le(gap, 5);
        seen[gap]++;
        write_combining_sent(w);
        for (gap = 0; gap < 6; gap++) write_combining_clock(w);
    }
    /* a tenth leaves in each clock */
    ck_assert(left_after[1] > 150 && left_after[1] < 250);
    ck_assert(left_after[2] > 130 && left_after[2] < 230);
    for (unsigned i = 0; i < 6; i++) ck_assert_uint_gt(seen[i], 200);
    ck_assert_uint_eq(write_combining_get_stats(w)->by_chance, 2000);
}

/* Whatever is stored, and however it leaves: memory ends as if each store had gone there at once, and no byte is
 * written that was not stored since it left last. */
TEST(nothing_is_lost_repeated_or_stale, .to = 24)
{
    enum { SIZE = 1024 };
    q = _i & 1 ? write_combining_wild() : write_combining_quiet();
    q.order = _i % 3;
    q.bursts = _i >= 12;
    q.buffers = 1 + (unsigned)_i % 12;
    write_combining *w = make();
    seed += (uint64_t)_i;
    static uint8_t want[SIZE], got[SIZE];
    static int owed[SIZE];
    memset(want, 0, SIZE);
    memset(got, 0, SIZE);
    memset(owed, 0, sizeof owed);
    unsigned torn = 0, disordered = 0;
    uint64_t last = 0;
    for (unsigned n = 0; n < 60000; n++) {
        unsigned size = 1 + (unsigned)dice(NULL, 16), at = (unsigned)dice(NULL, SIZE - 16);
        uint8_t bytes[16];
        if (at % 64 + size > 64) size = 64 - at % 64;
        for (unsigned i = 0; i < size; i++) bytes[i] = (uint8_t)dice(NULL, 256);
        if (n < 59000 && dice(NULL, 3) == 0 && write_combining_store(w, at, bytes, size))
            for (unsigned i = 0; i < size; i++) {
                want[at + i] = bytes[i];
                owed[at + i] = 1;
            }
        if (dice(NULL, 50) == 0) write_combining_flush(w, WC_FENCE);
        write_combining_clock(w);
        const wc_piece *p = dice(NULL, 2) ? write_combining_next(w) : NULL;
        if (!p) continue;
        for (unsigned i = 0; i < p->size; i++)
            if (!p->masked || p->lanes[i]) {
                got[p->address + i] = p->data[i];
                owed[p->address + i] = 0;
            }
        torn += p->size < 8;
        disordered += p->address < last && p->address / 64 == last / 64;
        last = p->address;
        write_combining_sent(w);
    }
    ck_assert(write_combining_empty(w));
    ck_assert_mem_eq(got, want, SIZE);
    for (unsigned i = 0; i < SIZE; i++) ck_assert(!owed[i]);
    if (q.order) ck_assert_uint_gt(disordered, 100);
    ck_assert_uint_gt(torn, 100);
}

TEST(full_lines_of_a_wild_processor_break_anywhere)
{
    q = write_combining_wild();
    write_combining *w = make();
    unsigned cuts[16] = {0}, whole = 0;
    for (unsigned n = 0; n < 1000; n++) {
        unsigned bytes = 0, pieces = 0;
        store(w, 0, 64);
        while (!write_combining_empty(w)) {
            const wc_piece *p = write_combining_next(w);
            write_combining_clock(w);
            if (!p) continue;
            ck_assert_uint_eq(p->address % 4, 0);
            if (p->address) cuts[p->address / 4]++;
            bytes += p->size;
            pieces++;
            write_combining_sent(w);
        }
        ck_assert_uint_eq(bytes, 64);
        whole += pieces == 1;
        for (unsigned i = 0; i < 64; i++) write_combining_clock(w);
    }
    for (unsigned i = 1; i < 16; i++)
        ck_assert_msg(cuts[i] > 120 && cuts[i] < 280, "%u cuts at byte %u of 1000 lines, expected 200", cuts[i], 4 * i);
    ck_assert_uint_gt(whole, 10); /* 0.8^15 = 3.5 % */
}

TEST(parameters_out_of_range_are_refused)
{
    host_params p = host_params_ideal();
    ck_assert_ptr_null(host_params_check(&p));
    write_combining_params bad[5];
    for (int i = 0; i < 5; i++) bad[i] = write_combining_quiet();
    bad[0].buffers = 0;
    bad[1].buffers = 17;
    bad[2].order = 3;
    bad[3].evict = 1001;
    bad[4].split = 1001;
    for (int i = 0; i < 5; i++) {
        p.combining = bad[i];
        ck_assert_ptr_nonnull(host_params_check(&p));
    }
}

/* ---- on the bus, with the device in C */

enum { BASE = HOST_REGISTERS };
static host_bench b;

static void expect(unsigned n, uint64_t address, unsigned bytes)
{
    ck_assert_msg(n < b.count, "only %u transactions, expected one to 0x%llx", b.count, (unsigned long long)address);
    ck_assert_msg(b.records[n].address == address && b.records[n].bytes == bytes,
                  "transaction %u: %u bytes at 0x%llx, expected %u at 0x%llx", n, b.records[n].bytes,
                  (unsigned long long)b.records[n].address, bytes, (unsigned long long)address);
}

HOST_TEST(lines_on_the_bus, p)
{
    uint64_t word;
    ck_assert_int_eq(host_combine(b.h, BASE + 0x20, pattern, 33), HOST_BAD_ARGUMENT);
    for (unsigned i = 0; i < 8; i++) ck_assert_int_eq(host_combine(b.h, BASE + 8 * i, pattern + 8 * i, 8), PCIX_OK);
    ck_assert_int_eq(host_combine(b.h, BASE + 0x40, pattern + 0x40, 20), PCIX_OK);
    sim_wait_cycles(b.clk, 500);
    ck_assert_uint_eq(b.count, 1); /* the second line would stay for ever */
    expect(0, BASE, 64);
    ck_assert_int_eq(host_fence(b.h), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    expect(1, BASE + 0x40, 8);
    expect(2, BASE + 0x48, 8);
    expect(3, BASE + 0x50, 4);
    ck_assert_mem_eq(b.device.memory, pattern, 0x54);
    /* an uncached store, a read and a configuration access follow the held stores */
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(host_combine(b.h, BASE + 0x100, pattern, 8), PCIX_OK);
        b.count = 0;
        if (i == 0) host_write(b.h, BASE + 0x200, 4, 1);
        if (i == 1) host_read(b.h, BASE + 0x200, 4, &word);
        if (i == 2) host_config_write(b.h, 1, 0x10, 4, 0);
        host_flush(b.h);
        ck_assert_uint_ge(b.count, 2);
        expect(0, BASE + 0x100, 8);
    }
    ck_assert_uint_eq(host_combining_stats(b.h)->by_uncached, 3);
    /* so does an interrupt */
    ck_assert_int_eq(host_combine(b.h, BASE + 0x140, pattern, 8), PCIX_OK);
    b.count = 0;
    b.device.inta = true;
    sim_wait_cycles(b.clk, 100);
    expect(0, BASE + 0x140, 8);
    /* once, not for as long as it lasts */
    ck_assert_int_eq(host_combine(b.h, BASE + 0x180, pattern, 8), PCIX_OK);
    sim_wait_cycles(b.clk, 100);
    ck_assert_uint_eq(b.count, 1);
    ck_assert_uint_eq(host_combining_stats(b.h)->by_interrupt, 1);
}

HOST_TEST(without_the_settings_other_accesses_overtake,
          p.combining.flush_on_uncached = p.combining.flush_on_interrupt = false)
{
    uint64_t word;
    ck_assert_int_eq(host_combine(b.h, BASE + 0x100, pattern, 8), PCIX_OK);
    host_write(b.h, BASE + 0x200, 4, 1);
    host_read(b.h, BASE + 0x200, 4, &word);
    b.device.inta = true;
    sim_wait_cycles(b.clk, 100);
    ck_assert_uint_eq(b.count, 2);
    expect(0, BASE + 0x200, 4);
    host_fence(b.h);
    host_flush(b.h);
    expect(b.count - 1, BASE + 0x100, 8);
}

/* Many lines of a wild processor: the device's memory ends right, through a bridge with few places. */
HOST_TEST(lines_of_a_wild_processor_end_in_the_right_place,
          (p = _i ? p : host_params_server2004(), p.combining = write_combining_wild(), p.post_depth = 2), .to = 2)
{
    static uint8_t want[4096];
    for (unsigned round = 0; round < 60; round++) {
        unsigned at = (unsigned)sim_random_below(b.s, sizeof want - 64), size = 1 + (unsigned)sim_random_below(b.s, 64);
        if (at % 64 + size > 64) size = 64 - at % 64;
        for (unsigned i = 0; i < size; i++) want[at + i] = (uint8_t)sim_random(b.s);
        ck_assert_int_eq(host_combine(b.h, BASE + at, want + at, size), PCIX_OK);
        b.count = 0;
    }
    host_fence(b.h);
    host_flush(b.h);
    ck_assert_mem_eq(b.device.memory, want, sizeof want);
}
