/* What a program and the network interface can count on, one thing at a time: clocks, traffic, states, order. */
#include <string.h>

#include "coherent_bench.h"
#include "coherent_memory_4_1.h"

TEST_CASE("accesses", .timeout = 60);

static coherent_bench *quick(unsigned seed)
{
    coherent_bench *b = coherent_bench_new(&coherent_memory_4_config, seed);
    b->ready_percent = 100;
    b->latency = 10;
    b->fixed = 1;
    return b;
}

static uint64_t broadcasts(coherent_bench *b)
{
    observer_stats t = observer_get_stats(b->o);
    uint64_t n = 0;
    for (unsigned a = 0; a < 3; a++)
        for (unsigned k = 0; k < OBSERVER_KINDS; k++) n += t.broadcasts[a][k];
    return n;
}

static ni_request write_line(unsigned kind, unsigned i, unsigned first, unsigned words, uint8_t mask, uint64_t value)
{
    ni_request r = {.kind = kind, .line = place(i), .word = first, .last = words - 1};
    for (unsigned w = 0; w < 4; w++) r.data[w] = value + w, r.mask[w] = mask;
    return r;
}

static uint64_t when;
static ni_request later;

static int in_its_clock(coherent_bench *b, ni_request *r)
{
    if (b->now != when) return 0;
    *r = later;
    return 1;
}

/* ---- clocks ---- */

TEST(a_hit_is_acknowledged_in_the_clock_after_its_request)
{
    coherent_bench *b = quick(1);
    load(b, 0, at(0, 8));
    coherent_bench_clocks(b, 10);
    for (unsigned i = 0; i < 10; i++) {
        load(b, 0, at(0, 4 * i % 32));
        ck_assert_uint_eq(b->clocks[0], 1);
        store(b, 0, at(0, 4 * i % 32), i);
        ck_assert_uint_le(b->clocks[0], 2); /* seen by `busy`, low one clock after it is performed */
    }
}

/* Loads of processor 0 that hit, in every clock that the port has, while everybody else does all that snoops. */
static int hits(coherent_bench *b, unsigned c, plb_access *a)
{
    *a = (plb_access){.address = at(c ? 1 + below(b, 3) : 0, 8 * below(b, 4)), .be = 0xf0};
    if (c) a->write = (int)below(b, 2), a->address += below(b, 8) ? 0 : 64 * 32 * 8;
    return 1;
}

static int snoops(coherent_bench *b, ni_request *r)
{
    *r = write_line(below(b, 2) ? OBSERVER_UPDATE : OBSERVER_INVALIDATE_WRITE, 1 + below(b, 7), 0, 4, 0xff, b->now);
    if (below(b, 4) == 0) r->kind = OBSERVER_READ_ONCE, r->line = place(0);
    return 1;
}

TEST(snoops_do_not_stop_hits)
{
    coherent_bench *b = quick(2);
    load(b, 0, at(0, 0));
    coherent_bench_clocks(b, 10);
    b->next = hits;
    b->done = NULL;
    b->next_request = snoops;
    coherent_bench_run(b, 4000, 100000);
    observer_stats t = observer_get_stats(b->o);
    ck_assert_uint_le(t.cache[0].worst_hit, 2);
    ck_assert_uint_gt(t.cache[0].hits, 1500);
    ck_assert_uint_gt(t.cache[0].snoops, 400);
}

TEST(first_word_of_a_dirty_line_comes_after_8_clocks)
{
    coherent_bench *b = quick(3);
    for (unsigned w = 0; w < 8; w++) {
        store(b, 1, at(0, 4 * w), 100 + w);
        ck_assert_uint_eq(load(b, 0, at(0, 4 * w)), 100 + w);
        ck_assert_uint_eq(b->clocks[0], 8);
        coherent_bench_clocks(b, 10);
        store(b, 0, at(0, 4 * w), 200 + w);
        coherent_bench_clocks(b, 10);
        ck_assert_uint_eq(load(b, 1, at(0, 4 * w)), 200 + w);
        ck_assert_uint_eq(b->clocks[1], 8);
        coherent_bench_clocks(b, 10);
    }
}

TEST(target_word_comes_first_on_a_miss)
{
    coherent_bench *b = quick(4);
    uint64_t clocks = 0;
    for (unsigned i = 0; i < 8; i++) {
        load(b, 0, at(i, 4 * i));
        if (i) ck_assert_uint_eq(b->clocks[0], clocks);
        clocks = b->clocks[0];
        coherent_bench_clocks(b, 20);
    }
    ck_assert_uint_eq(clocks, 10 + b->latency); /* two more than from a cache: the memory's queues */
}

/* A processor polls the first word of a line; from the request of an UPDATE to the load that sees it. */
static uint64_t seen;

static int polls(coherent_bench *b, unsigned c, plb_access *a)
{
    (void)b;
    *a = (plb_access){.address = at(0, 0), .be = 0xf0};
    return c == 0;
}

static void polled(coherent_bench *b, unsigned c, const plb_access *a, const uint64_t *loaded)
{
    (void)c, (void)a;
    if (!seen && loaded[0] >> 32 == 42) seen = b->now;
}

TEST(an_update_is_seen_9_clocks_after_its_request, .to = 12)
{
    coherent_bench *b = quick(14);
    load(b, 0, at(0, 0));
    coherent_bench_clocks(b, 10 + (unsigned)_i);
    seen = 0;
    later = write_line(OBSERVER_UPDATE, 0, 0, 4, 0xff, 42ull << 32);
    when = b->now + 2;
    b->next_request = in_its_clock;
    b->next = polls;
    b->done = polled;
    coherent_bench_clocks(b, 40);
    ck_assert_uint_gt(seen, 0);
    ck_assert_uint_le(seen - when, 10); /* broadcast 2 clocks after the request */
}

/* ---- traffic ---- */

TEST(polling_a_line_makes_no_traffic)
{
    coherent_bench *b = quick(5);
    request(b, (ni_request){.kind = OBSERVER_READ, .line = place(0), .last = 3});
    load(b, 0, at(0, 0));
    load(b, 1, at(0, 0));
    uint64_t before = broadcasts(b);
    for (unsigned i = 0; i < 300; i++) load(b, i & 1, at(0, 0));
    ck_assert_uint_eq(broadcasts(b), before);
    request(b, write_line(OBSERVER_UPDATE, 0, 0, 1, 0xff, 42ull << 32));
    ck_assert_uint_eq(load(b, 0, at(0, 0)), 42);
    ck_assert_uint_eq(load(b, 1, at(0, 0)), 42);
    ck_assert_uint_eq(broadcasts(b), before + 1);
}

TEST(lines_start_invalid_whatever_memories_hold, .to = 6)
{
    /* memories of a model start at random; each line's first access must be a broadcast and give memory's word */
    coherent_bench *b =
        coherent_bench_new(_i & 1 ? &coherent_memory_4_1_config : &coherent_memory_4_config, (unsigned)_i);
    for (unsigned line = 0; line < MEMORY_WORDS / 4; line += 1 + below(b, 9)) {
        uint64_t before = broadcasts(b);
        uint32_t got = load(b, line & 1, 0x40000000 + line * 32);
        ck_assert_uint_eq(got, (uint32_t)(b->words[4 * line] >> 32));
        ck_assert_uint_eq(broadcasts(b), before + 1);
    }
}

TEST(a_second_reset_empties_the_caches)
{
    coherent_bench *b = quick(6);
    for (unsigned i = 0; i < LINES; i++) load(b, 0, at(i, 0)), store(b, 1, at(i, 4), i);
    b->now = 0; /* reset again */
    coherent_bench_clocks(b, 80);
    for (unsigned i = 0; i < LINES; i++) {
        uint64_t before = broadcasts(b);
        ck_assert_uint_eq(load(b, 0, at(i, 4)), (uint32_t)b->words[4 * place(i)]);
        ck_assert_uint_eq(broadcasts(b), before + 1);
    }
}

/* ---- requests ---- */

static uint64_t of(coherent_bench *b, unsigned agent, unsigned kind)
{
    return observer_get_stats(b->o).broadcasts[agent][kind];
}

TEST(stores_update_in_ranges_while_others_share)
{
    coherent_bench *b = quick(7);
    *b->p->range_enable = 2;
    *b->p->range_base = (uint64_t)place(1) << 23;
    *b->p->range_last = (uint64_t)place(1) << 23;
    load(b, 0, at(1, 0));
    load(b, 1, at(1, 0));
    for (unsigned i = 0; i < 5; i++) { /* each seen by the other without a miss */
        store(b, 0, at(1, 4), i);
        uint64_t before = broadcasts(b);
        ck_assert_uint_eq(load(b, 1, at(1, 4)), i);
        ck_assert_uint_eq(broadcasts(b), before);
    }
    ck_assert_uint_eq(of(b, 0, OBSERVER_UPDATE), 5);
    ck_assert_uint_eq(of(b, 0, OBSERVER_UPGRADE), 0);
    load(b, 1, at(2, 0)); /* processor 1 loses the line: two others in its set */
    load(b, 1, at(3, 0));
    store(b, 0, at(1, 4), 77); /* nobody has it any more: from now on in silence */
    uint64_t before = broadcasts(b);
    store(b, 0, at(1, 4), 78);
    ck_assert_uint_eq(broadcasts(b), before);
    ck_assert_uint_eq(load(b, 1, at(1, 4)), 78);
    /* a store that misses reads first; outside the range it is READ_EXCLUSIVE */
    store(b, 0, at(4, 0), 1);
    ck_assert_uint_eq(of(b, 0, OBSERVER_READ_EXCLUSIVE), 1);
    store(b, 0, at(1, 0), 9);
    coherent_bench_check(b);
}

/* Both store to the same line, the second one `apart` clocks later. */
static plb_access first_of[2];

static int once(coherent_bench *b, unsigned c, plb_access *a)
{
    (void)b;
    if (!first_of[c].address) return 0;
    *a = first_of[c];
    first_of[c].address = 0;
    return 1;
}

static void both(coherent_bench *b, uint32_t first, uint32_t second, unsigned apart)
{
    uint64_t before = b->accesses;
    first_of[0] = (plb_access){.address = first, .write = 1, .be = 0xf0, .data = {1ull << 32}};
    first_of[1] = (plb_access){.address = second, .write = 1, .be = 0x0f, .data = {2}};
    b->cpu[1].pause = apart;
    b->next = once;
    b->done = NULL;
    while (b->accesses < before + 2) coherent_bench_clocks(b, 1);
}

TEST(a_lost_upgrade_reads_the_line, .to = 12)
{
    /* both share it and store at about the same time */
    coherent_bench *b = quick(8);
    load(b, 0, at(0, 0));
    load(b, 1, at(0, 0));
    both(b, at(0, 0), at(0, 4), (unsigned)_i);
    ck_assert_uint_eq(load(b, 0, at(0, 0)), 1);
    ck_assert_uint_eq(load(b, 0, at(0, 4)), 2);
    ck_assert_uint_eq(load(b, 1, at(0, 0)), 1);
    ck_assert_uint_eq(load(b, 1, at(0, 4)), 2);
}

TEST(allocate_puts_a_line_into_the_cache_in_e, .to = 4)
{
    /* whole or in part; room, or a dirty victim in each way */
    coherent_bench *b = quick(9);
    int whole = _i & 1, dirty = _i & 2;
    if (dirty) store(b, 1, at(2, 0), 5), store(b, 1, at(3, 0), 6);
    ni_request r = write_line(OBSERVER_UPDATE, 1, 0, whole ? 4 : 2, 0xff, 1000);
    r.allocate = 1;
    r.cache = 1;
    request(b, r);
    coherent_bench_clocks(b, 80); /* if it is read behind it, it comes by itself */
    uint64_t before = broadcasts(b);
    ck_assert_uint_eq(load(b, 1, at(1, 12)), 1001);
    store(b, 1, at(1, 16), 7); /* E: no request */
    ck_assert_uint_eq(broadcasts(b), before);
    ck_assert_uint_eq(observer_get_stats(b->o).cache[1].allocated, whole && !dirty);
    ck_assert_uint_eq(load(b, 0, at(1, 16)), 7);
    ck_assert_uint_eq(load(b, 0, at(2, 0)), dirty ? 5 : (uint32_t)(b->words[4 * place(2)] >> 32));
    coherent_bench_check(b);
}

TEST(invalidate_write_keeps_the_other_bytes_of_a_dirty_line, .to = 2)
{
    coherent_bench *b = quick(10);
    store(b, 0, at(0, 4), 0x11223344);
    store(b, 0, at(0, 24), 0x55667788);
    request(b, write_line(OBSERVER_INVALIDATE_WRITE, 0, 0, _i ? 4 : 1, _i ? 0xff : 0x03, 0xaabbccdd99887766));
    ck_assert_uint_eq(load(b, 1, at(0, 4)), _i ? 0x99887766 : 0x11227766);
    ck_assert_uint_eq(load(b, 1, at(0, 24)), _i ? 0xaabbccdd : 0x55667788);
}

TEST(the_interface_shares_and_sees_the_first_store)
{
    coherent_bench *b = quick(11);
    load(b, 0, at(0, 0)); /* E */
    request(b, (ni_request){.kind = OBSERVER_READ, .line = place(0), .last = 3});
    ck_assert(b->shares[0] == (int)place(0) || b->shares[1] == (int)place(0));
    store(b, 0, at(0, 0), 3);
    ck_assert_uint_eq(of(b, 0, OBSERVER_UPGRADE), 1);
    ck_assert(b->shares[0] != (int)place(0) && b->shares[1] != (int)place(0));
    request(b, (ni_request){.kind = OBSERVER_READ, .line = place(0), .last = 3});
    load(b, 1, at(0, 0)); /* S, since others have it */
    uint64_t before = broadcasts(b);
    store(b, 1, at(0, 4), 3);
    ck_assert_uint_eq(broadcasts(b), before + 1);
}

/* ---- atomic loads ---- */

static unsigned turns[2];
static uint32_t sum[2];

static int increments(coherent_bench *b, unsigned c, plb_access *a)
{
    b->cpu[c].pause = below(b, 12);
    *a = (plb_access){.address = at(0, 4) + 0x20000000, .be = 0x0f};
    return turns[c]++ < 500;
}

static void counted(coherent_bench *b, unsigned c, const plb_access *a, const uint64_t *loaded)
{
    (void)b, (void)a;
    sum[c] += (uint32_t)loaded[0];
}

TEST(fetch_and_increment_gives_each_value_once)
{
    coherent_bench *b = quick(12);
    store(b, 0, at(0, 4), 0);
    store(b, 0, at(0, 0), 0xffffffff);
    turns[0] = turns[1] = sum[0] = sum[1] = 0;
    b->accesses = 0;
    b->next = increments;
    b->done = counted;
    coherent_bench_run(b, 1000, 100000);
    ck_assert_uint_eq(sum[0] + sum[1], 999 * 1000 / 2);
    ck_assert_uint_eq(load(b, 0, at(0, 4)), 1000);
    ck_assert_uint_eq(load(b, 1, at(0, 0)), 0xffffffff); /* the other half of the word */
}

TEST(test_and_set_sets_its_word)
{
    coherent_bench *b = quick(13);
    store(b, 0, at(0, 8), 0);
    store(b, 0, at(0, 12), 0);
    ck_assert_uint_eq(load(b, 1, at(0, 8) + 0x10000000), 0);
    ck_assert_uint_eq(load(b, 0, at(0, 8) + 0x10000000), 0xffffffff);
    ck_assert_uint_eq(load(b, 0, at(0, 12)), 0);
    store(b, 0, at(0, 8) + 0x10000000, 5); /* a store through an alias is a store */
    ck_assert_uint_eq(load(b, 1, at(0, 8)), 5);
}

/* ---- a request of the interface at each clock relative to an access ---- */

enum { HIT, STORE_HIT, MISS, STORE_MISS, EVICTION, UPGRADE, RANGE_STORE, ATOMIC, WHATS };

static int pending;
static plb_access meets;

static int met(coherent_bench *b, unsigned c, plb_access *a)
{
    (void)b;
    if (c || !pending) return 0;
    pending = 0;
    *a = meets;
    return 1;
}

static void meet(coherent_bench *b, unsigned what, unsigned kind, unsigned offset)
{
    static const unsigned kinds[] = {OBSERVER_UPDATE,           OBSERVER_UPDATE,    OBSERVER_UPDATE,
                                     OBSERVER_INVALIDATE_WRITE, OBSERVER_READ_ONCE, OBSERVER_READ};
    request(b, write_line(OBSERVER_INVALIDATE_WRITE, 0, 0, 4, 0xff, b->now)); /* nobody has it */
    *b->p->range_enable = what == RANGE_STORE;
    *b->p->range_base = *b->p->range_last = place(0);
    if (what == HIT || what == STORE_HIT || what == UPGRADE || what == RANGE_STORE) load(b, 0, at(0, 0));
    if (what == UPGRADE || what == RANGE_STORE) load(b, 1, at(0, 0));
    if (what == EVICTION) load(b, 0, at(1, 0)), store(b, 0, at(0, 0), offset);
    later = write_line(kinds[kind], 0, kind, kind == 0 ? 1 : 4, kind == 1 || kind == 3 ? 0x3c : 0xff, b->now << 8);
    later.allocate = kind == 2;
    meets = (plb_access){.address = at(what == EVICTION ? 2 : 0, 4), .be = 0x0f, .data = {0x1234567800000000 + b->now}};
    meets.write = what != HIT && what != MISS && what != ATOMIC;
    if (what == ATOMIC) meets.address += 0x20000000;
    uint64_t before = b->accesses;
    when = b->now + 1 + offset;
    pending = 1;
    b->cpu[0].pause = 20; /* the request first for small offsets */
    b->next = met;
    b->done = NULL;
    b->next_request = in_its_clock;
    for (uint64_t end = b->now + 200; b->accesses == before || b->now <= when || b->shown || b->reads_open;
         coherent_bench_clocks(b, 1))
        ck_assert_uint_lt(b->now, end);
    coherent_bench_clocks(b, 30);
    for (unsigned w = 0; w < 8; w++) load(b, w & 1, at(0, 4 * w));
    coherent_bench_check(b);
}

TEST(a_request_at_each_clock_of_an_access, .to = WHATS)
{
    coherent_bench *b = quick(20 + (unsigned)_i);
    for (unsigned kind = 0; kind < 6; kind++)
        for (unsigned offset = 0; offset < 60; offset++) meet(b, (unsigned)_i, kind, offset);
}
