/* The bridge's behaviour, seen from a C device and from the CPU; the monitor checks every clock. */
#include <string.h>

#include "behaviours.h"
#include "host_bench.h"
#include "test.h"

static host_bench b;
static uint8_t data[4096], back[4096];

/* Bytes that differ from place to place. */
static void pattern(uint8_t *to, unsigned size, unsigned seed)
{
    for (unsigned i = 0; i < size; i++) to[i] = (uint8_t)(i * 7 + (i >> 8) * 31 + seed * 101);
}

/* A store that has been on the bus. */
static void store(uint64_t address, const void *from, unsigned size, bool combined)
{
    host_bench_post(&b, address, from, size, combined);
    host_bench_finish(&b, NULL, 200);
}

static c_dma run_dma(c_dma d)
{
    c_device_dma(&b.device, &d);
    host_bench_finish(&b, &d, 20000);
    return d;
}

/* A write of data that are known, and a read of such into `back`, to their ends. */
static c_dma write_dma(uint64_t address, unsigned count)
{
    pattern(data, sizeof data, count);
    return run_dma((c_dma){.command = PCIX_WRITE_BLOCK, .address = address, .count = count, .data = data});
}

static c_dma read_dma(uint64_t address, unsigned count)
{
    pattern(data, sizeof data, count);
    memory_write(b.memory, address, data, count);
    memset(back, 0, sizeof back);
    return run_dma((c_dma){.command = PCIX_READ_BLOCK, .address = address, .count = count, .data = back});
}

/* Up to 4 reads at once, one behind the other from 0x10000 on, the number of each its tag; `back` is to become `data`.
 */
static c_dma *start_reads(unsigned n, unsigned count)
{
    static c_dma d[4];
    pattern(data, sizeof data, 1);
    memory_write(b.memory, 0x10000, data, n * count);
    for (unsigned i = 0; i < n; i++) {
        d[i] = (c_dma){.command = PCIX_READ_BLOCK,
                       .address = 0x10000 + count * i,
                       .count = count,
                       .tag = i,
                       .data = back + count * i};
        c_device_dma(&b.device, &d[i]);
    }
    return d;
}

static void expect_written(uint64_t address, unsigned count)
{
    uint8_t got[4096];
    memory_read(b.memory, address, got, count);
    ck_assert_mem_eq(got, data, count);
}

/* --- DMA under every kind of answer: the data must arrive, whatever the bridge does --- */

static const struct {
    uint64_t address;
    unsigned count;
} shapes[] = {{0x10000, 4096}, {0x10000, 8},   {0x10078, 8},   {0x10008, 496},       {0x1ffc0, 256},
              {0x20070, 40},   {0x30000, 24},  {0x30068, 152}, {0x5600000040, 1024}, {0xfffffff00, 512},
              {0x40003, 1},    {0x40005, 300}, {0x4007c, 132}, {0x41000, 3968}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

TEST_CASE("dma");

HOST_TEST(dma_data_arrives_under_every_behaviour, p = behaviour_params(_i), .to = BEHAVIOURS)
{
    for (int i = 0; i < SHAPES; i++) {
        ck_assert_int_eq(write_dma(shapes[i].address, shapes[i].count).end, PCIX_END_COUNT);
        expect_written(shapes[i].address, shapes[i].count);
        ck_assert_int_eq(read_dma(shapes[i].address, shapes[i].count).end, PCIX_END_COUNT);
        ck_assert_mem_eq(back, data, shapes[i].count);
    }
}

HOST_TEST(neighbours_of_written_bytes_stay, p)
{
    uint8_t mark[64];
    memset(mark, 0xee, sizeof mark);
    memory_write(b.memory, 0x10000, mark, 64);
    write_dma(0x10013, 10);
    memory_read(b.memory, 0x10000, back, 64);
    ck_assert_mem_eq(back, mark, 0x13);
    ck_assert_mem_eq(back + 0x13, data, 10);
    ck_assert_mem_eq(back + 0x1d, mark, 64 - 0x1d);
}

/* GNT# leaves once FRAME# is seen. */
HOST_TEST(device_that_ignores_its_latency_timer_is_reported, p.hidden_arbitration = false)
{
    ck_assert_int_eq(host_config_write(b.h, 1, 0x0d, 1, 0x80), PCIX_OK);
    b.device.latency_timer = 0x80;
    write_dma(0x10000, 4096);                         /* the monitor would end the test */
    ck_assert_uint_eq(b.records[1].data_phases, 128); /* cut at 1024 bytes, the first ADB after 128 clocks */
    b.device.latency_timer = 1000;
    pcix_monitor_expect(b.monitor, PCIX_RULE_LATENCY_TIMER);
    write_dma(0x10000, 4096);
    ck_assert_uint_eq(pcix_monitor_missing(b.monitor), 0);
}

HOST_TEST(device_with_gnt_may_ignore_it, p)
{
    b.device.latency_timer = 1000;
    write_dma(0x10000, 4096);
    ck_assert_uint_eq(b.count, 1);
}

/* --- special ranges --- */

static unsigned ends(int end)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b.count; i++) n += b.records[i].end == end;
    return n;
}

static void add_range(int kind, unsigned value)
{
    host_range r = {0x10000, 0x1ffff, kind, value};
    ck_assert(pcix_bridge_add_range(b.bridge, &r));
}

static c_dma range_write(int kind, unsigned value)
{
    add_range(kind, value);
    return write_dma(0x10000, 512);
}

TEST_CASE("ranges");

HOST_TEST(nobody_answers_in_a_hole, p)
{
    c_dma d = range_write(HOST_RANGE_NOBODY, 0);
    ck_assert_int_eq(d.end, PCIX_END_MASTER_ABORT);
    ck_assert_uint_eq(d.moved, 0);
}

HOST_TEST(target_abort_comes_in_the_asked_phase, p, .to = 10)
{
    c_dma d = range_write(HOST_RANGE_TARGET_ABORT, (unsigned)_i);
    ck_assert_int_eq(d.end, PCIX_END_TARGET_ABORT);
    ck_assert_uint_eq(b.records[0].data_phases, _i);
    ck_assert_uint_eq(d.moved, 8 * _i);
}

HOST_TEST(narrow_range_gives_no_ack64, p)
{
    range_write(HOST_RANGE_NARROW, 0);
    ck_assert(b.records[0].req64 && !b.records[0].ack64);
    ck_assert_uint_eq(b.records[0].data_phases, 128);
    expect_written(0x10000, 512);
}

HOST_TEST(range_retries_as_often_as_asked, p)
{
    range_write(HOST_RANGE_RETRY, 5);
    ck_assert_uint_eq(ends(PCIX_END_RETRY), 5);
    ck_assert_uint_eq(b.count, 6);
    expect_written(0x10000, 512);
}

HOST_TEST(single_data_phases_take_one_transaction_each, p)
{
    range_write(HOST_RANGE_SINGLE, 0);
    ck_assert_uint_eq(b.count, 64);
    ck_assert_uint_eq(ends(PCIX_END_SINGLE), 63);
    expect_written(0x10000, 512);
}

HOST_TEST(disconnect_ends_at_the_adb_of_the_rule, p, .to = 17)
{
    /* 5.2: phase 0 -> first ADB (16 phases); later -> an ADB at least four phases away, counting the one with STOP# */
    static const unsigned first_piece[] = {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 32, 32, 32, 32};
    range_write(HOST_RANGE_DISCONNECT, (unsigned)_i);
    ck_assert_uint_eq(b.records[0].data_phases, first_piece[_i]);
    ck_assert_int_eq(b.records[0].end, PCIX_END_TARGET);
    expect_written(0x10000, 512);
}

HOST_TEST(read_ends_with_the_error_message_after_the_data_before_it, (p.cuts = 1, p.cut_adqs[0] = 2), .to = 3)
{
    add_range(HOST_RANGE_SPLIT_ERROR, 0x101 | (unsigned)_i << 12);
    c_dma d = read_dma(0x10000, 1024);
    ck_assert(d.error_message);
    ck_assert_uint_eq(d.moved, 256 * _i);
    ck_assert_uint_eq(d.message >> 28, 1);        /* class: bridge */
    ck_assert_uint_eq(d.message >> 20 & 0xff, 1); /* index: target abort */
    ck_assert_uint_eq(d.message & 0xfff, 1024 - 256 * _i);
    ck_assert_uint_eq(pcix_bridge_get_stats(b.bridge)->error_messages, 1);
}

/* --- splits --- */

TEST_CASE("splits");

HOST_TEST(several_reads_are_outstanding_at_once,
          (p.split_latency = 200, p.interleave = _i, p.cuts = 1, p.cut_adqs[0] = 4), .to = 2)
{
    const c_dma *d = start_reads(4, 1024);
    for (int i = 0; i < 4; i++) host_bench_finish(&b, &d[i], 4000);
    ck_assert_mem_eq(back, data, 4096);
    /* four requests first, then completions: in order, or taking turns */
    ck_assert_uint_eq(ends(PCIX_END_SPLIT), 4);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(b.records[i].end, PCIX_END_SPLIT);
    unsigned second_tag = b.records[5].address >> 24 & 31;
    ck_assert_uint_eq(second_tag, _i ? 1 : 0);
}

HOST_TEST(more_reads_than_splits_are_retried, (p.splits = 1, p.split_latency = 100))
{
    const c_dma *d = start_reads(2, 128);
    for (int i = 0; i < 2; i++) host_bench_finish(&b, &d[i], 4000);
    ck_assert_uint_gt(ends(PCIX_END_RETRY), 0);
}

HOST_TEST(completion_does_not_overtake_an_earlier_posted_write, p)
{
    b.device.answer = PCIX_END_RETRY; /* the posted write is held up */
    b.device.answers = 6;
    uint32_t word = 0xabcd0123;
    host_bench_post(&b, 0xd0000000, &word, 4, false);
    host_bench_finish(&b, start_reads(1, 64), 4000);
    unsigned write = 0, completion = 0;
    for (unsigned i = 0; i < b.count; i++) {
        if (b.records[i].command == PCIX_MEMORY_WRITE && b.records[i].end == PCIX_END_COUNT) write = i;
        if (b.records[i].command == PCIX_SPLIT_COMPLETION) completion = i;
    }
    ck_assert_uint_gt(completion, write);
}

/* The completions with this tag; how many came. */
static unsigned completions(unsigned tag, const pcix_transaction *which[16])
{
    unsigned n = 0;
    for (unsigned i = 0; i < b.count; i++)
        if (b.records[i].command == PCIX_SPLIT_COMPLETION && (b.records[i].address >> 24 & 31) == tag && n < 16)
            which[n++] = &b.records[i];
    return n;
}

/* With BCM the first completion ends at the first ADB, however near that is, and says so. */
HOST_TEST(first_completion_counts_to_the_first_adb, p.count_modified = true, .to = 16)
{
    const pcix_transaction *c[16];
    c_dma d = read_dma(0x10000 + 8 * _i, 512);
    unsigned first = 128 - 8 * (unsigned)_i % 128;
    ck_assert_mem_eq(d.data, data, 512);
    ck_assert_uint_eq(completions(0, c), 2);
    ck_assert_uint_eq(c[0]->attribute >> 29, 4);
    ck_assert_uint_eq(c[0]->byte_count, first);
    ck_assert_uint_eq(c[1]->attribute >> 29, 0);
    ck_assert_uint_eq(c[1]->byte_count, 512 - first);
}

/* A failing completer: 0 dropped, 1 late, 2 wrong Byte Count, 3 wrong Lower Address, 4 error message; the second read
 * of three, after one good piece. The others are served as ever. */
HOST_TEST(the_completion_that_is_to_fail_fails_and_no_other, (p.cuts = 1, p.cut_adqs[0] = 2), .to = 5)
{
    static const unsigned values[] = {0, 3000, 0x40, 8, 0x101};
    const pcix_transaction *second[16];
    pcix_completion_fault f = {.kind = _i, .skip = 1, .pieces = 1, .value = values[_i]};
    ck_assert(pcix_bridge_fail_completion(b.bridge, &f));
    const c_dma *d = start_reads(3, 512);
    host_bench_finish(&b, &d[0], 2000);
    host_bench_finish(&b, &d[2], 2000);
    ck_assert(_i > 1 || !d[1].done); /* this device also takes wrong ones */
    sim_wait_cycles(b.clk, 4000);
    ck_assert_uint_eq(pcix_bridge_completion_faults(b.bridge), 1);
    ck_assert_mem_eq(back, data, 512);
    ck_assert_mem_eq(back + 1024, data + 1024, 512);
    unsigned n = completions(1, second);
    ck_assert_uint_eq(n, _i == 0 ? 1 : 2);
    ck_assert_uint_eq(second[0]->byte_count, 512);
    const pcix_transaction *last = second[n - 1];
    if (_i == PCIX_COMPLETION_LATE) {
        ck_assert(d[1].done);
        ck_assert_mem_eq(back + 512, data + 512, 512);
        ck_assert_uint_ge(last->start, second[0]->last_data + 3000);
    }
    if (_i == PCIX_COMPLETION_COUNT) ck_assert_uint_eq(last->byte_count, 256 ^ 0x40);
    if (_i == PCIX_COMPLETION_LOWER) ck_assert_uint_eq(last->address & 127, 8);
    if (_i == PCIX_COMPLETION_MESSAGE) ck_assert(d[1].error_message);
}

/* The bridge's resources of a dropped read are free. */
HOST_TEST(dropped_reads_leave_room_for_others, p.splits = 1)
{
    pcix_completion_fault f = {.kind = PCIX_COMPLETION_DROPPED, .times = 3};
    ck_assert(pcix_bridge_fail_completion(b.bridge, &f));
    const c_dma *d = start_reads(4, 64);
    host_bench_finish(&b, &d[3], 2000);
    ck_assert_uint_eq(pcix_bridge_completion_faults(b.bridge), 3);
    ck_assert_uint_eq(ends(PCIX_END_RETRY), 0);
}

HOST_TEST(a_fault_that_changes_nothing_is_refused, p)
{
    pcix_completion_fault count = {.kind = PCIX_COMPLETION_COUNT, .value = 0x1000},
                          lower = {.kind = PCIX_COMPLETION_LOWER, .value = 0x80};
    ck_assert(!pcix_bridge_fail_completion(b.bridge, &count));
    ck_assert(!pcix_bridge_fail_completion(b.bridge, &lower));
    pcix_completion_fault f = {.kind = PCIX_COMPLETION_DROPPED};
    for (int i = 0; i < 16; i++) ck_assert(pcix_bridge_fail_completion(b.bridge, &f));
    ck_assert(!pcix_bridge_fail_completion(b.bridge, &f));
}

/* --- the CPU's accesses --- */

TEST_CASE("cpu");

HOST_TEST(configuration_reaches_the_device, p, .to = 2)
{
    uint32_t value = 0x55667788, got = 0;
    b.device.split_config = _i;
    ck_assert_int_eq(host_config_write(b.h, 1, 0x10, 4, value), PCIX_OK);
    if (!_i) {
        ck_assert_int_eq(host_config_read(b.h, 1, 0x10, 4, &got), PCIX_OK);
        ck_assert_uint_eq(got, value);
    }
    ck_assert_int_eq(host_config_read(b.h, 1, 0x00, 4, &got), PCIX_OK);
    ck_assert_uint_eq(got & 0xffff, 0x1234);
}

HOST_TEST(configuration_of_an_empty_slot_is_a_master_abort, p)
{
    uint32_t value = 0;
    ck_assert_int_eq(host_config_read(b.h, 2, 0x00, 4, &value), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(value, 0xffffffffu);
}

HOST_TEST(stores_of_every_size_and_place_arrive, p.narrow_writes = _i & 1, .to = 4)
{
    b.device.narrow = _i & 2;
    uint8_t want[64] = {0};
    for (unsigned offset = 0; offset < 16; offset++)
        for (unsigned size = 1; size <= 24; size++) {
            pattern(data, size, offset + size);
            memcpy(want + offset, data, size);
            store(0xd0000000 + offset, data, size, false);
            ck_assert_mem_eq(b.device.memory, want, 64);
        }
}

HOST_TEST(stores_with_holes_write_only_their_bytes, p)
{
    uint8_t lanes[64], want[64];
    memset(b.device.memory, 0xee, 64);
    memset(want, 0xee, 64);
    pattern(data, 64, 3);
    for (unsigned i = 0; i < 64; i++) {
        lanes[i] = (i * 5 % 7) < 4;
        if (lanes[i]) want[i] = data[i];
    }
    ck_assert(pcix_bridge_post(b.bridge, 0xd0000000, data, 64, lanes, true));
    host_bench_finish(&b, NULL, 200);
    ck_assert_mem_eq(b.device.memory, want, 64);
}

HOST_TEST(loads_get_the_data, p, .to = 4)
{
    b.device.narrow = _i & 1;
    b.device.waits = _i & 2 ? 4 : 0;
    pattern(b.device.memory, 4096, 9);
    uint64_t word = 0;
    ck_assert_int_eq(host_read(b.h, 0xd0000014, 4, &word), PCIX_OK);
    ck_assert_mem_eq(&word, b.device.memory + 0x14, 4);
    for (int i = 0; i < SHAPES; i++) {
        if (shapes[i].count > 4096 - (shapes[i].address & 0xfff)) continue;
        uint64_t offset = shapes[i].address & 0xfff;
        memset(back, 0, sizeof back);
        ck_assert_int_eq(host_read_block(b.h, 0xd0000000 + offset, back, shapes[i].count), PCIX_OK);
        ck_assert_mem_eq(back, b.device.memory + offset, shapes[i].count);
    }
}

HOST_TEST(cpu_accesses_survive_the_devices_answers, p, .to = 3)
{
    static const int answers[] = {PCIX_END_RETRY, PCIX_END_SINGLE, PCIX_END_TARGET};
    pattern(data, 64, 5);
    b.device.answer = answers[_i];
    b.device.answers = 4;
    host_bench_post(&b, 0xd0000040, data, 64, true);
    host_bench_finish(&b, NULL, 600);
    ck_assert_mem_eq(b.device.memory + 0x40, data, 64);
    b.device.answers = 4;
    ck_assert_int_eq(host_read_block(b.h, 0xd0000040, back, 64), PCIX_OK);
    ck_assert_mem_eq(back, data, 64);
}

HOST_TEST(aborted_load_gives_ones_and_says_so, p)
{
    b.device.answer = PCIX_END_TARGET_ABORT;
    b.device.answers = 1;
    memset(back, 0, 16);
    ck_assert_int_eq(host_read_block(b.h, 0xd0000000, back, 16), PCIX_TARGET_ABORT);
    ck_assert_int_eq(back[0] & back[15], 0xff);
    ck_assert_int_eq(host_read_block(b.h, 0xe0000000, back, 16), PCIX_MASTER_ABORT);
}

HOST_TEST(aborted_store_is_reported_and_does_not_block, p)
{
    uint32_t word = 0x01020304;
    store(0xe0000000, &word, 4, false);
    ck_assert_int_eq(host_flush(b.h), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(pcix_bridge_get_stats(b.bridge)->posted_failed, 1);
    store(0xd0000000, &word, 4, false);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    ck_assert_mem_eq(b.device.memory, &word, 4);
}

HOST_TEST(load_does_not_overtake_stores, p = host_params_server2004())
{
    uint32_t word = 0x01020304;
    uint64_t got = 0;
    for (unsigned i = 0; i < 4; i++) host_bench_post(&b, 0xd0000000 + 4 * i, &word, 4, false);
    ck_assert_int_eq(host_read(b.h, 0xd000000c, 4, &got), PCIX_OK);
    ck_assert_uint_eq(got, word);
}

HOST_TEST(long_addresses_use_dual_address_cycles, p)
{
    b.device.base = 0x7700000000;
    pattern(data, 64, 5);
    host_bench_post(&b, 0x7700000100, data, 64, true);
    store(0x7700000140, data, 4, false);
    ck_assert(b.records[0].dac && b.records[1].dac);
    ck_assert_int_eq(host_read_block(b.h, 0x7700000100, back, 64), PCIX_OK);
    ck_assert_mem_eq(back, data, 64);
}

HOST_TEST(reset_ends_everything_under_way, p)
{
    uint32_t word = 0;
    pcix_call c = {.command = PCIX_MEMORY_READ_DWORD, .address = 0xd0000000, .enables = 15, .data = (uint8_t *)&word};
    host_bench_post(&b, 0xd0000000, data, 64, true);
    ck_assert(pcix_bridge_begin(b.bridge, &c));
    c.status = 1;
    sim_wait_cycles(b.clk, 8);
    pcix_bus_set_reset(host_bus(b.h), 0);
    sim_wait_cycles(b.clk, 10);
    ck_assert_uint_eq(pcix_bridge_posted(b.bridge), 0);
    ck_assert_int_eq(c.status, PCIX_MASTER_ABORT);
}

/* --- parity --- */

TEST_CASE("parity");

HOST_TEST(wrong_bits_on_the_wires_are_reported_by_the_receiver, p, .to = 4)
{
    static const struct {
        int command, phase;
    } kinds[] = {{PCIX_WRITE_BLOCK, PCIX_PH_DATA},
                 {PCIX_SPLIT_COMPLETION, PCIX_PH_DATA},
                 {PCIX_MEMORY_WRITE, PCIX_PH_DATA},
                 {PCIX_WRITE_BLOCK, PCIX_PH_ATTRIBUTE}};
    b.device.parity_response = b.device.serr_enable = true;
    pcix_fault f = {
        .initiator = -1, .commands = 1u << kinds[_i].command, .phase = kinds[_i].phase, .index = 2, .ad = 1ull << 40};
    if (kinds[_i].phase == PCIX_PH_ATTRIBUTE) f.ad = 1u << 29;
    ck_assert(pcix_faults_add(b.faults, &f));
    write_dma(0x10000, 64);
    c_dma r = read_dma(0x20000, 64);
    store(0xd0000000, data, 64, true);
    ck_assert_uint_eq(pcix_faults_done(b.faults), 1);
    if (_i == 0) ck_assert_uint_eq(pcix_bridge_get_stats(b.bridge)->parity_errors, 1);
    if (_i == 1) ck_assert(r.parity_error);
    if (_i == 2) ck_assert_uint_eq(pcix_bridge_get_stats(b.bridge)->perr_met, 1);
}
