/* The register block against the register map: every row, every offset between them, every input. The behaviour of a
 * row follows from its access type and fields in the map; which input belongs to it, and which place of the copied
 * network counters, is written here by hand. */
#include "map_bench.h"

#define NONE 0xffffu
#define WORDS 256 /* registers that the walks look at: 0x000 .. 0x3FC, beyond all rows of the map */

/* An event, the counter that counts it, and its bit in STATUS (-1: none). */
static const struct {
    const char *event;
    unsigned counter;
    int status;
} counted[] = {
    {"h2n_op", NIC_H2N_DMA_OPS, -1},
    {"n2h_op", NIC_N2H_DMA_OPS, -1},
    {"h2n_request", NIC_H2N_REQUESTS, -1},
    {"n2h_request", NIC_N2H_REQUESTS, -1},
    {"h2n_word", NIC_H2N_WORDS, -1},
    {"n2h_word", NIC_N2H_WORDS, -1},
    {"h2n_active", NIC_H2N_ACTIVE, -1},
    {"n2h_active", NIC_N2H_ACTIVE, -1},
    {"h2n_granted", NIC_H2N_GRANTED, -1},
    {"n2h_granted", NIC_N2H_GRANTED, -1},
    {"h2n_disconnect", NIC_H2N_DISCONNECTS, -1},
    {"n2h_disconnect", NIC_N2H_DISCONNECTS, -1},
    {"irq_active", NIC_IRQ_ACTIVE, -1},
    {"irq", NIC_IRQ_ASSERTIONS, -1},
    {"local_notified", NIC_LOCAL_NOTIFICATIONS, -1},
    {"remote_notified", NIC_REMOTE_NOTIFICATIONS, -1},
    {"split", NIC_SPLIT_OPS, -1},
    {"split_waiting", NIC_SPLIT_DURATION, -1},
    {"bad_body", NIC_BODY_CRC_ERRORS, NIC_STATUS_BODY_CRC_SHIFT},
    {"header_step", NIC_HEADER_ALIGNMENT_ERRORS, NIC_STATUS_HEADER_STEP_SHIFT},
    {"h2n_overflow", NIC_H2N_FIFO_FULL_ERRORS, -1},
    {"n2h_overflow", NIC_N2H_FIFO_FULL_ERRORS, -1},
    {"migrated", NIC_MIGRATED_WORDS, -1},
    {"fetched", NIC_FETCHED_WORDS, -1},
    {"body_exhausted", NIC_BODY_EXHAUSTED, -1},
    {"damaged", NIC_MEMORY_ERRORS, NIC_STATUS_MEMORY_ERROR_SHIFT},
    {"bad_length", NIC_DESCRIPTOR_ERRORS, NIC_STATUS_DESCRIPTOR_LENGTH_SHIFT},
    {"bad_address", NIC_DESCRIPTOR_ERRORS, NIC_STATUS_DESCRIPTOR_ADDRESS_SHIFT},
    {"bad_flow", NIC_DESCRIPTOR_ERRORS, NIC_STATUS_DESCRIPTOR_FLOW_SHIFT},
    {"overwrite", NIC_DESCRIPTOR_OVERWRITES, NIC_STATUS_DESCRIPTOR_OVERWRITE_SHIFT},
    {"partial", NONE, NIC_STATUS_DESCRIPTOR_PARTIAL_SHIFT},
    {"read_failed", NIC_READ_ERRORS, NIC_STATUS_READ_ERROR_SHIFT},
    {"write_error", NIC_WRITE_ERRORS, NIC_STATUS_WRITE_ERROR_SHIFT},
    {"read_abandoned", NIC_COMPLETION_TIMEOUTS, NIC_STATUS_COMPLETION_TIMEOUT_SHIFT},
    {"unexpected_completion", NIC_UNEXPECTED_COMPLETIONS, NIC_STATUS_UNEXPECTED_COMPLETION_SHIFT},
    {"gap", NIC_SEQUENCE_GAPS, NIC_STATUS_SEQUENCE_GAP_SHIFT},
    {"flagged", NIC_FLAGGED_NOTIFICATIONS, -1},
    {"packet_dropped", NONE, NIC_STATUS_PACKET_DROPPED_SHIFT},
    {"credit_rejected", NONE, NIC_STATUS_CREDIT_REJECTED_SHIFT},
    {"fifo_error", NONE, NIC_STATUS_FIFO_ERROR_SHIFT},
    {"direct_refused", NONE, NIC_STATUS_DIRECT_REFUSED_SHIFT},
    {"stamps_refused", NONE, NIC_STATUS_STAMPS_REFUSED_SHIFT},
};
_Static_assert(sizeof counted / sizeof *counted == NIC_EVENT_COUNT, "every event once");

/* The number of the event that a row above names. */
static unsigned event(unsigned row)
{
    for (unsigned i = 0; i < NIC_EVENT_COUNT; i++)
        if (strcmp(nic_events[i], counted[row].event) == 0) return i;
    ck_abort_msg("the map has no event %s", counted[row].event);
    return 0;
}

/* The network counters in the order in which they are handed over. */
static const unsigned copied[] = {
    NIC_NET_OUT_CYCLES,
    NIC_NET_IN_CYCLES,
    NIC_GT0_UNKNOWN_CHARACTERS,
    NIC_GT0_LOSS_OF_SYNC,
    NIC_GT0_PARITY_ERRORS,
    NIC_GT0_TX_BUFFER_FULL,
    NIC_NET_OUT_PACKETS,
    NIC_NET_OUT_WORDS,
    NIC_NET_IN_PACKETS,
    NIC_NET_IN_WORDS,
    NIC_HEADER_CRC_ERRORS,
    NIC_ALIGNMENT_ERRORS,
    NIC_BACKPRESSURE_CYCLES,
    NIC_H2N_STARTS,
    NIC_N2H_STARTS,
    NIC_PACKETS_DROPPED,
    NIC_CREDITS_REJECTED,
    NIC_RECORDS_SENT,
    NIC_RECORDS_RECEIVED,
    NIC_CREDITS_SENT,
    NIC_CREDITS_RECEIVED,
    NIC_GT1_UNKNOWN_CHARACTERS,
    NIC_GT1_LOSS_OF_SYNC,
    NIC_GT1_PARITY_ERRORS,
    NIC_GT1_TX_BUFFER_FULL,
    NIC_GT2_UNKNOWN_CHARACTERS,
    NIC_GT2_LOSS_OF_SYNC,
    NIC_GT2_PARITY_ERRORS,
    NIC_GT2_TX_BUFFER_FULL,
    NIC_GT3_UNKNOWN_CHARACTERS,
    NIC_GT3_LOSS_OF_SYNC,
    NIC_GT3_PARITY_ERRORS,
    NIC_GT3_TX_BUFFER_FULL,
};
/* number of them with one link */
enum { ONE_LINK = 21 };
_Static_assert(sizeof copied / sizeof *copied == NIC_NC_COUNT, "every network counter once");

/* ---- the map, looked at from an offset ---- */

static const struct nic_register *row_at(unsigned offset)
{
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        if (offset >= nic_registers[i].offset && offset < nic_registers[i].offset + 4 * nic_registers[i].count)
            return &nic_registers[i];
    return NULL;
}

static int is(const struct nic_register *row, const char *access) { return row && strcmp(row->access, access) == 0; }

/* The bits of its fields; all 32 for a register without fields. */
static uint32_t field_mask(const struct nic_register *row)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
        if (nic_fields[i].offset == row->offset)
            mask |= (uint32_t)(((1ull << (nic_fields[i].msb - nic_fields[i].lsb + 1)) - 1) << nic_fields[i].lsb);
    return mask ? mask : 0xffffffff;
}

/* The bits of a register that a write leaves in it. */
static uint32_t storage(const struct nic_register *row)
{
    if (row->offset == NIC_CONTROL)
        return field_mask(row) & ~(NIC_CONTROL_SOFT_RESET_MASK | NIC_CONTROL_QUEUE_RESET_MASK);
    if (row->offset == NIC_BODY_CRC_ERRORS || row->offset == NIC_HEADER_ALIGNMENT_ERRORS ||
        row->offset == NIC_MEMORY_ERRORS)
        return 0xffff;
    if (row->offset == NIC_BODY_LIMIT) return 0x1fff;                                  /* 4096 blocks and less */
    if (row->offset >= NIC_SEND_PATHS_LOW && row->offset <= NIC_PATH_VIEW) return 0;   /* one link */
    if (row->offset >= NIC_SAMPLE_INTERVAL && row->offset <= NIC_MONITORING) return 0; /* monitoring.v keeps them */
    return is(row, "rw") ? field_mask(row) : is(row, "rc") ? 0xffffffff : 0;
}

static uint32_t lanes(unsigned be)
{
    return (be & 1 ? 0xffu : 0) | (be & 2 ? 0xff00u : 0) | (be & 4 ? 0xff0000u : 0) | (be & 8 ? 0xff000000u : 0);
}

/* The place of a network counter in the copy, NONE if the offset has none. */
static unsigned place_of(unsigned offset)
{
    for (unsigned i = 0; i < NIC_NC_COUNT; i++)
        if (copied[i] == offset) return i;
    return NONE;
}

static void snapshot(struct register_bench *b, uint32_t seen[WORDS])
{
    for (unsigned i = 0; i < WORDS; i += 2) {
        uint64_t both = register_bench_read_64(b, 4 * i);
        seen[i] = (uint32_t)both;
        seen[i + 1] = (uint32_t)(both >> 32);
    }
}

/* The first register that differs, NONE if none does. */
static unsigned difference(const uint32_t seen[WORDS], const uint32_t expected[WORDS])
{
    for (unsigned i = 0; i < WORDS; i++)
        if (seen[i] != expected[i]) return 4 * i;
    return NONE;
}

/* Every register reads its expected value. */
static void expect(struct register_bench *b, const uint32_t expected[WORDS], const char *after, unsigned where)
{
    uint32_t seen[WORDS];
    snapshot(b, seen);
    unsigned at = difference(seen, expected);
    const struct nic_register *row = row_at(at);
    ck_assert_msg(at == NONE, "%s %03x: register %03x (%s) reads %08x, expected %08x", after, where, at,
                  row ? row->name : "unused", at == NONE ? 0 : seen[at / 4], at == NONE ? 0 : expected[at / 4]);
}

static void clear_copies(unsigned built)
{
    for (unsigned i = 0; i < built; i++) register_bench_copy(b, i, 0);
}

/* ---- tests ---- */

TEST_CASE("map", .timeout = 60, .setup = make_bench);

TEST(every_register_has_its_reset_value_and_the_rest_reads_zero)
{
    clear_copies(ONE_LINK);
    for (unsigned offset = 0; offset < 0x4000; offset += 8) {
        uint64_t both = register_bench_read_64(b, offset);
        for (unsigned half = 0; half < 2; half++) {
            const struct nic_register *row = row_at(offset + 4 * half);
            uint32_t expected = row ? row->reset : 0;
            if (row && row->offset == NIC_BUILD) expected = 128u << 24 | 1023u << 12 | 1u << 8 | 1u << 5 | 8u;
            if (row && row->offset == NIC_VOQ_BUILD) expected = 128u << 17 | 12u << 13 | 6u << 9 | 10u << 5 | 8u;
            ck_assert_msg((uint32_t)(both >> 32 * half) == expected, "%03x reads %08x, expected %08x",
                          offset + 4 * half, (uint32_t)(both >> 32 * half), expected);
        }
    }
}

TEST(build_and_first_limits_follow_the_parameters)
{
    b = register_bench_new(1);
    ck_assert_uint_eq(register_bench_read(b, NIC_BUILD), 64u << 24 | 1u << 23 | 255u << 12 | 4u << 8 | 4u << 5 | 16u);
    ck_assert_uint_eq(register_bench_read(b, NIC_VOQ_BUILD), 256u << 17 | 9u << 13 | 7u << 9 | 11u << 5 | 16u);
    ck_assert_uint_eq(register_bench_read(b, NIC_BODY_LIMIT), 32); /* 512 blocks for 16 queues */
    ck_assert_uint_eq(register_bench_read(b, NIC_PAYLOAD_LIMIT), 512);
    ck_assert_uint_eq(register_bench_read(b, NIC_CUT_THROUGH), 128);
}

/* Four links by packet, sixteen destinations: which are used, how far numbers run ahead (limited), how long headers
 * wait. */
TEST(several_links_have_registers_of_their_paths)
{
    static const unsigned asked[] = {0, 7, 8, 300, 448, 449, 1023}, kept[] = {8, 8, 8, 300, 448, 448, 448};
    b = register_bench_new(1);
    for (unsigned offset = NIC_SEND_PATHS_LOW; offset <= NIC_RECEIVE_PATHS_HIGH; offset += 4) {
        ck_assert_uint_eq(register_bench_read(b, offset), 0xffffffff);
        register_bench_write(b, offset, 0x84218421, 15);
        ck_assert_uint_eq(register_bench_read(b, offset), 0x84218421);
    }
    ck_assert_uint_eq(register_bench_read(b, NIC_PATH_AHEAD), 256);
    for (int i = 0; i < COUNT(asked); i++) {
        register_bench_write(b, NIC_PATH_AHEAD, asked[i], 15);
        ck_assert_uint_eq(register_bench_read(b, NIC_PATH_AHEAD), kept[i]);
    }
    ck_assert_uint_eq(*b->m->cfg_payload_limit,
                      238); /* 255 words less header, CRC and 15 words not reported, of 512 requested */
    ck_assert_uint_eq(register_bench_read(b, NIC_RESEQ_TIMEOUT), 200000);
    register_bench_write(b, NIC_PATH_VIEW, 0xffffffff, 15);
    ck_assert_uint_eq(register_bench_read(b, NIC_PATH_VIEW), 0xf3);
}

/* All offsets, all byte enables: only the register itself changes, and only as its access allows. */
TEST(a_write_changes_what_its_access_says_and_nothing_else)
{
    uint32_t expected[WORDS];
    clear_copies(ONE_LINK);
    *b->m->soft_reset_done = 1;
    snapshot(b, expected);
    for (unsigned offset = 0; offset < 4 * WORDS; offset += 4)
        for (unsigned k = 0; k < 6; k++) {
            static const unsigned enables[6] = {15, 1, 2, 4, 8, 0};
            const struct nic_register *row = row_at(offset);
            unsigned be = enables[k];
            uint32_t value = k ? (uint32_t)sim_random(b->s) : 0xffffffff;
            uint32_t taken =
                !row || (is(row, "rc") && be != 15) ? 0 : lanes(be) & storage(row); /* counters take whole words */
            expected[offset / 4] = (expected[offset / 4] & ~taken) | (value & taken);
            if (offset == NIC_TX_CAPACITY && expected[offset / 4] > 4064) expected[offset / 4] = 4064;
            register_bench_write(b, offset, value, be);
            register_bench_step(b, 2);
            expect(b, expected, "after a write of", offset);
        }
    /* nothing above answers to a write either */
    for (unsigned offset = 4 * WORDS; offset < 0x4000; offset += 8)
        register_bench_write_64(b, offset, sim_random(b->s), 0xff);
    expect(b, expected, "after writes up to", 0x4000);
}

TEST(one_64_bit_write_sets_two_registers)
{
    register_bench_write_64(b, NIC_REMOTE_NOTIFY_LOW, 0x123456789abcdef8, 0xff);
    register_bench_write_64(b, NIC_LOCAL_NOTIFY_LOW, 0xfedcba9876543210, 0x3c);
    ck_assert_uint_eq(register_bench_read_64(b, NIC_REMOTE_NOTIFY_LOW), 0x123456789abcdef8);
    ck_assert_uint_eq(register_bench_read_64(b, NIC_LOCAL_NOTIFY_LOW), 0x0000ba9876540000);
    ck_assert_uint_eq(*b->m->cfg_remote_notify, 0x123456789abcdef8);
    ck_assert_uint_eq(*b->m->cfg_local_notify, 0x0000ba9876540000);
}

TEST(every_input_counts_in_its_own_counter_and_sets_its_own_status_bit)
{
    uint32_t expected[WORDS];
    clear_copies(ONE_LINK);
    snapshot(b, expected);
    for (unsigned i = 0; i < NIC_EVENT_COUNT; i++) {
        unsigned clocks = 2 + i;
        register_bench_pulse(b, event(i), clocks);
        if (counted[i].counter != NONE) expected[counted[i].counter / 4] += clocks;
        if (counted[i].status >= 0) expected[NIC_STATUS / 4] |= 1u << counted[i].status;
        expect(b, expected, counted[i].event, 0);
    }
}

/* Loading wins over an event in the same clock; counting goes on from the loaded value and wraps around. */
TEST(counters_can_be_loaded)
{
    for (unsigned i = 0; i < NIC_EVENT_COUNT; i++) {
        unsigned offset = counted[i].counter;
        if (offset == NONE) continue;
        uint32_t mask = storage(row_at(offset));
        register_bench_event(b, event(i), 1);
        register_bench_write(b, offset, 0xfffffffd, 15);
        register_bench_event(b, event(i), 0);
        ck_assert_uint_eq(register_bench_read(b, offset), 0xfffffffd & mask);
        for (uint32_t n = 0xfffffffe; n != 2; n++) {
            register_bench_pulse(b, event(i), 1);
            register_bench_step(b, 1);
            ck_assert_uint_eq(register_bench_read(b, offset), n & mask);
        }
    }
}

/* A bus that does nothing but load: bursts over the 12 words from 0x20 on, as short a way apart as transactions can be.
 * All others count every clock. */
TEST(loading_some_counters_loses_no_event_of_others)
{
    unsigned clocks = 0;
    register_bench_events(b, 1);
    for (unsigned n = 0; n < 100; n++) {
        for (unsigned offset = NIC_H2N_DMA_OPS; offset < NIC_NET_OUT_CYCLES && offset < NIC_H2N_DMA_OPS + 8 * 12;
             offset += 8) {
            register_bench_put(b, offset, 0, 0xff);
            clocks++;
        }
        register_bench_step(b, 6);
        clocks += 6;
    }
    register_bench_events(b, 0);
    for (unsigned i = 0; i < NIC_EVENT_COUNT; i++)
        if (counted[i].counter != NONE && counted[i].counter >= NIC_VERSION) {
            uint32_t count = register_bench_read(b, counted[i].counter);
            ck_assert_msg(count == clocks, "%s: %u events, expected %u", counted[i].event, count, clocks);
        }
}

TEST(one_descriptor_with_three_faults_counts_once)
{
    static const unsigned faults[] = {NIC_EVENT_BAD_LENGTH, NIC_EVENT_BAD_ADDRESS, NIC_EVENT_BAD_FLOW};
    for (int i = 0; i < 3; i++) register_bench_event(b, faults[i], 1);
    register_bench_step(b, 1);
    for (int i = 0; i < 3; i++) register_bench_event(b, faults[i], 0);
    ck_assert_uint_eq(register_bench_read(b, NIC_DESCRIPTOR_ERRORS), 1);
    ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), 7);
}

TEST(status_bits_are_cleared_by_writing_one)
{
    uint32_t all = field_mask(row_at(NIC_STATUS));
    register_bench_events(b, 1);
    register_bench_step(b, 1);
    register_bench_events(b, 0);
    ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), all);
    register_bench_write(b, NIC_STATUS, 0, 15);
    register_bench_write(b, NIC_STATUS, 0xffffffff, 0);
    ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), all);
    register_bench_write(b, NIC_STATUS, 0x0505, 15);
    ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), all & ~0x0505u);
    register_bench_write(b, NIC_STATUS, 0xffffffff, 2); /* a single byte */
    ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), all & ~0xff05u);
}

/* A fault in the very clock in which its bit is cleared must not be lost. */
TEST(a_status_bit_set_while_it_is_cleared_stays_set)
{
    for (unsigned i = 0; i < NIC_EVENT_COUNT; i++) {
        if (counted[i].status < 0) continue;
        register_bench_pulse(b, event(i), 1);
        register_bench_put(b, NIC_STATUS & ~7u, ~0ull, 0xff);
        register_bench_pulse(b, event(i), 1);
        ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), 1u << counted[i].status);
        register_bench_write(b, NIC_STATUS, ~0u, 15);
        ck_assert_uint_eq(register_bench_read(b, NIC_STATUS), 0);
    }
}

TEST(network_counters_come_from_the_copy_each_from_its_place)
{
    for (unsigned links = 1; links <= 4; links += 3) {
        uint32_t expected[WORDS], copies[NIC_NC_COUNT] = {0};
        if (links == 4) b = register_bench_new(1);
        unsigned built = links == 1 ? ONE_LINK : NIC_NC_COUNT;
        clear_copies(built);
        snapshot(b, expected);
        for (unsigned round = 0; round < 2; round++) {
            for (unsigned i = 0; i < built; i++) register_bench_copy(b, i, copies[i] = (uint32_t)sim_random(b->s) | 1);
            for (unsigned i = 0; i < WORDS; i++)
                if (place_of(4 * i) != NONE) expected[i] = copies[place_of(4 * i)];
            expect(b, expected, "copies, round", round);
        }
    }
}

TEST(only_a_store_to_the_first_network_counter_clears_them)
{
    for (unsigned offset = 0; offset < 0x4000; offset += 4)
        for (unsigned be = 0; be < 16; be += 5) {
            unsigned pulses = 0;
            register_bench_write(b, offset, 0, be);
            for (unsigned i = 0; i < 3; i++) {
                pulses += *b->m->network_clear;
                register_bench_step(b, 1);
            }
            ck_assert_uint_eq(pulses, offset == 0x180 && be);
        }
}

TEST(arrays_show_each_queue)
{
    for (unsigned round = 0; round < 8; round++) {
        uint64_t heads = sim_random(b->s) >> 8, tails = sim_random(b->s) >> 8;
        sim_port_set(&b->ports->queue_heads, heads);
        sim_port_set(&b->ports->queue_tails, tails);
        uint8_t fulls = (uint8_t)sim_random(b->s);
        sim_port_set(&b->ports->queue_fulls, fulls);
        for (unsigned q = 0; q < 8; q++) {
            b->departed[q] = (uint32_t)sim_random(b->s);
            b->skipped[q] = (uint32_t)sim_random(b->s);
            sim_port_set_field(&b->ports->voq_words, 12 * q, 12, sim_random(b->s));
            sim_port_set_field(&b->ports->voq_blocks, 13 * q, 13, sim_random(b->s));
        }
        for (unsigned q = 0; q < 16; q++) {
            uint32_t pointers = (uint32_t)(heads >> 7 * (q % 8) & 127) << 24 |
                                (uint32_t)(tails >> 7 * (q % 8) & 127) << 16 | (uint32_t)(fulls >> q % 8 & 1) << 31;
            ck_assert_uint_eq(register_bench_read(b, NIC_QUEUE_POINTERS + 4 * q), q < 8 ? pointers : 0);
            ck_assert_uint_eq(register_bench_read(b, NIC_QUEUE_DEPARTED + 4 * q), q < 8 ? b->departed[q] : 0);
            ck_assert_uint_eq(register_bench_read(b, NIC_QUEUE_SKIPPED + 4 * q), q < 8 ? b->skipped[q] : 0);
            ck_assert_uint_eq(register_bench_read(b, NIC_VOQ_LEVEL + 4 * q),
                              q < 8 ? sim_port_field(&b->ports->voq_blocks, 13 * q, 13) << 16 |
                                          sim_port_field(&b->ports->voq_words, 12 * q, 12)
                                    : 0);
        }
        ck_assert_uint_eq(register_bench_read(b, NIC_HEAD_TAIL), (heads & 127) << 24 | (tails & 127) << 16);
    }
}

TEST(arrays_show_all_16_queues_of_a_larger_build)
{
    b = register_bench_new(1);
    for (unsigned q = 0; q < 16; q++) {
        b->departed[q] = (uint32_t)sim_random(b->s);
        b->skipped[q] = (uint32_t)sim_random(b->s);
    }
    for (unsigned bit = 0; bit < 16 * 7; bit++) {
        if (bit > 0) sim_port_set_field(&b->ports->queue_heads, bit - 1, 1, 0);
        sim_port_set_field(&b->ports->queue_heads, bit, 1, 1);
        for (unsigned q = 0; q < 16; q++) {
            ck_assert_uint_eq(register_bench_read(b, NIC_QUEUE_POINTERS + 4 * q),
                              q == bit / 7 ? 1u << (24 + bit % 7) : 0);
            ck_assert_uint_eq(register_bench_read(b, NIC_QUEUE_DEPARTED + 4 * q), b->departed[q]);
            ck_assert_uint_eq(register_bench_read(b, NIC_QUEUE_SKIPPED + 4 * q), b->skipped[q]);
        }
    }
}

/* 3/2 and 3/4 of what suits 100 MHz; a bus that said nothing, 0, is taken for one of 100. */
TEST(reset_sets_the_cut_through_ratio_for_the_class_of_the_bus)
{
    static const uint32_t ratio[] = {96, 144, 96, 72};
    for (unsigned class = 0; class < 4; class ++) {
        sim_port_set_field(&b->ports->views, NIC_VIEW_BUS_CLASS_FREQUENCY, 2, class);
        ck_assert_uint_eq(register_bench_read(b, NIC_BUS_CLASS), class);
        register_bench_reset(b);
        ck_assert_uint_eq(register_bench_read(b, NIC_CUT_THROUGH), ratio[class]);
        register_bench_write(b, NIC_CUT_THROUGH, 33, 15);
        ck_assert_uint_eq(register_bench_read(b, NIC_CUT_THROUGH), 33);
    }
}

TEST(views_show_their_inputs)
{
    sim_port_set_field(&b->ports->views, NIC_VIEW_LINK_STATUS_UP, 1, 1);
    sim_port_set_field(&b->ports->views, NIC_VIEW_LINK_STATUS_LOSS_OF_SYNC, 1, 1);
    sim_port_set_field(&b->ports->views, NIC_VIEW_TX_SPACE_TRANSMITTED, 12, 0xabc);
    sim_port_set_field(&b->ports->views, NIC_VIEW_TX_SPACE_CREDIT, 12, 0x123);
    sim_port_set_field(&b->ports->views, NIC_VIEW_RX_SPACE_RECEIVED, 12, 0x456);
    sim_port_set_field(&b->ports->views, NIC_VIEW_RX_SPACE_FORWARDED, 12, 0xdef);
    sim_port_set_field(&b->ports->views, NIC_VIEW_DMA_STATES, 32, 0x11223344);
    sim_port_set_field(&b->ports->views, NIC_VIEW_BUS_STATES, 32, 0x55667788);
    sim_port_set_field(&b->ports->views, NIC_VIEW_LINK_STATES, 32, 0x99aabbcc);
    sim_port_set_field(&b->ports->views, NIC_VIEW_VOQ_STATES, 32, 0xddeeff00);
    *b->m->free_blocks = 0x1234 & 0x1fff;
    static const uint32_t shown[][2] = {{NIC_LINK_STATUS, 5},         {NIC_TX_SPACE, 0x0abc0123},
                                        {NIC_RX_SPACE, 0x04560def},   {NIC_DMA_STATES, 0x11223344},
                                        {NIC_BUS_STATES, 0x55667788}, {NIC_LINK_STATES, 0x99aabbcc},
                                        {NIC_VOQ_STATES, 0xddeeff00}, {NIC_BODY_FREE, 0x1234}};
    for (int i = 0; i < COUNT(shown); i++) ck_assert_uint_eq(register_bench_read(b, shown[i][0]), shown[i][1]);
}

/* Each bit of the vector is one bit of one register, and all bits of these registers are shown. */
TEST(what_monitoring_keeps_is_shown_at_its_offsets)
{
    uint32_t shown[WORDS] = {0};
    for (unsigned at = 0; at < NIC_MONITORING_BITS; at++) {
        uint64_t sum = 0;
        sim_port_set_field(&b->ports->monitoring, at, 1, 1);
        for (unsigned offset = NIC_SAMPLE_INTERVAL; offset <= NIC_MONITORING; offset += 4) {
            uint32_t value = register_bench_read(b, offset);
            shown[offset / 4] |= value;
            sum += value;
        }
        sim_port_set_field(&b->ports->monitoring, at, 1, 0);
        ck_assert_msg(sum && !(sum & (sum - 1)), "bit %u shows as %llx", at, (unsigned long long)sum);
    }
    for (unsigned offset = NIC_SAMPLE_INTERVAL; offset <= NIC_MONITORING; offset += 4)
        ck_assert_uint_eq(shown[offset / 4], field_mask(row_at(offset)));
}

TEST(soft_reset_reads_one_until_it_is_done)
{
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_SOFT_RESET_MASK | NIC_CONTROL_DIRECT_MASK, 15);
    for (unsigned i = 0; i < 20; i++) {
        ck_assert_uint_eq(*b->m->soft_reset, 1);
        ck_assert_uint_eq(register_bench_read(b, NIC_CONTROL), NIC_CONTROL_SOFT_RESET_MASK | NIC_CONTROL_DIRECT_MASK);
    }
    register_bench_write(b, NIC_CONTROL, 0, 15); /* cannot be called off */
    ck_assert_uint_eq(register_bench_read(b, NIC_CONTROL), NIC_CONTROL_SOFT_RESET_MASK);
    *b->m->soft_reset_done = 1;
    register_bench_step(b, 1);
    ck_assert_uint_eq(*b->m->soft_reset, 0);
    *b->m->soft_reset_done = 0;
    register_bench_step(b, 3);
    ck_assert_uint_eq(register_bench_read(b, NIC_CONTROL), 0);
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_SOFT_RESET_MASK, 14); /* its byte is not written */
    ck_assert_uint_eq(*b->m->soft_reset, 0);
}

/* The pulse, then the level of the queues; between both there is no clock in which the bit reads 0. */
TEST(queue_reset_pulses_once_and_reads_one_until_the_queues_are_ready)
{
    unsigned pulses = 0, ones = 0, zero_before_end = 0;
    *b->m->rd_addr = NIC_CONTROL / 8;
    register_bench_put(b, NIC_CONTROL, NIC_CONTROL_QUEUE_RESET_MASK, 0x0f);
    for (unsigned i = 0; i < 12; i++) {
        *b->m->rd_addr = NIC_CONTROL / 8;
        register_bench_step(b, 1);
        pulses += *b->m->cfg_queue_reset;
        if (i > 0) *b->m->queues_resetting = i < 6; /* the queues answer one clock after the pulse */
        int one = (*b->m->rd_data & NIC_CONTROL_QUEUE_RESET_MASK) != 0;
        zero_before_end += i > 0 && i < 6 && !one;
        ones += (unsigned)one;
    }
    ck_assert_uint_eq(pulses, 1);
    ck_assert_uint_eq(zero_before_end, 0);
    ck_assert_uint_eq(ones, 6);
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_QUEUE_RESET_MASK, 7); /* its byte is not written */
    ck_assert_uint_eq(*b->m->cfg_queue_reset, 0);
}

TEST_CASE("map");

/* The walk's own check: a counter that moved without being named is found. */
TEST(the_walk_finds_a_counter_that_should_not_have_moved)
{
    uint32_t before[WORDS], after[WORDS];
    clear_copies(ONE_LINK);
    snapshot(b, before);
    register_bench_pulse(b, NIC_EVENT_FLAGGED, 1);
    snapshot(b, after);
    ck_assert_uint_eq(difference(after, before), NIC_FLAGGED_NOTIFICATIONS);
}
