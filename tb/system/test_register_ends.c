/* Every writable field of the register map at its ends: 0, 1, the largest value but one, the largest. The result is in
 * a row of the table: a transfer of 500 words each way arrives, or waits until the field is as before, or is abandoned
 * and reported. A field of the map that has neither a row nor another test that is named here fails. */
#include <unistd.h>

#include "nic_2paths.h"
#include "system_space.h"
#include "test.h"

enum { ARRIVES, WAITS, ABANDONED }; /* fate of packets of node 0 */
static const char ADDRESS[] = "tb/system/test_register_ends";

static const struct field_row {
    unsigned offset, lsb;
    uint8_t follows[4];    /* of 0, 1, the largest but one, the largest */
    uint32_t most;         /* value read after a larger one; 0: as written */
    const char *elsewhere; /* the test that checks it; ADDRESS: a test below */
} rows[] = {
    {NIC_CONTROL, NIC_CONTROL_LOOPBACK_SHIFT, {0}, 0, "tb/system/test_loopback"},
    {NIC_CONTROL, NIC_CONTROL_QUEUE_RESET_SHIFT, {0}, 0, "tb/system/test_descriptor_storm"},
    {NIC_CONTROL, NIC_CONTROL_TIME_STAMPS_SHIFT, {0}, 0, "tb/system/test_monitored"},
    {NIC_CONTROL, NIC_CONTROL_BENCHMARK_SHIFT, {0}, 0, "tb/unit/dma/test_benchmark"},
    {NIC_CONTROL, NIC_CONTROL_STORE_AND_FORWARD_SHIFT, {0}, 0, NULL},
    {NIC_CONTROL, NIC_CONTROL_SEQUENCE_ZERO_SHIFT, {0}, 0, "tb/unit/voq/test_voq"},
    {NIC_CONTROL, NIC_CONTROL_SOFT_RESET_SHIFT, {0}, 0, "tb/system/test_soft_reset"},
    {NIC_CONTROL, NIC_CONTROL_DIRECT_SHIFT, {0}, 0, "tb/system/test_direct"},
    {NIC_CONTROL, NIC_CONTROL_INITIATOR_ENABLE_SHIFT, {WAITS, ARRIVES, WAITS, ARRIVES}, 0, NULL},
    {NIC_REMOTE_NOTIFY_LOW, 0, {0}, 0, ADDRESS},
    {NIC_REMOTE_NOTIFY_HIGH, 0, {0}, 0, ADDRESS},
    {NIC_LOCAL_NOTIFY_LOW, 0, {0}, 0, ADDRESS},
    {NIC_LOCAL_NOTIFY_HIGH, 0, {0}, 0, ADDRESS},
    {NIC_NODE_ID, 0, {0}, 0, "tb/system/test_node_ids"},
    {NIC_PAYLOAD_LIMIT, 0, {0}, 0, NULL},
    {NIC_TX_CAPACITY, 0, {WAITS, WAITS, ARRIVES, ARRIVES}, 4064, NULL},
    {NIC_CUT_THROUGH, 0, {0}, 0, NULL},
    {NIC_VIEW_FLOW, 0, {0}, 0, NULL},
    {NIC_BODY_LIMIT, 0, {0}, 0, NULL},
    {NIC_COMPLETION_TIMER, 0, {ARRIVES, ABANDONED, ARRIVES, ARRIVES}, 0, NULL},
};

/* A register has this value while both nodes send; then it is as before. */
static void traffic_meets(bench *b, unsigned offset, uint32_t value, uint32_t reads, int follows)
{
    uint32_t before = bench_get(b, 0, offset);
    bench_set(b, 0, offset, value);
    uint32_t is = bench_get(b, 0, offset);
    ck_assert_msg(is == reads, "register %03x, written %x, reads %x, expected %x", offset, value, is, reads);
    piece out = bench_send(b, 0, 500, 0), in = bench_send(b, 1, 500, 0);
    int arrives = follows == ARRIVES;
    for (unsigned us = 0; us < 400 && (us < 40 || (arrives && !bench_arrived(b, &out))); us += 20)
        bench_wait(b, 20 * SIM_US);
    ck_assert_msg(bench_arrived(b, &out) == arrives, "register %03x, written %x: the piece has %sarrived", offset,
                  value, arrives ? "not " : "");
    bench_set(b, 0, offset, before);
    bench_wait(b, 20 * SIM_US);
    if (follows != ABANDONED) bench_must_arrive(b, &out);
    /* Words that the link is said to bring faster than it does: the burst runs dry, and the next notification says so.
     */
    int flagged = bench_next(b, 1, 9), dry = !bench_arrived(b, &in);
    ck_assert_msg(!dry || (offset == NIC_CUT_THROUGH && flagged),
                  "register %03x, written %x: the piece is damaged, %sreported", offset, value, flagged ? "" : "not ");
    if (follows == ABANDONED) {
        ck_assert_int_eq(nx_wait(b->n[0]->dev, &out.ticket), NX_ERROR_ABANDONED);
        ck_assert_int_eq(bench_next(b, 0, 9), 1);
    }
    bench_forgive(b, ALL);
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
}

static void try_value(bench *b, const struct field_row *r, unsigned width, unsigned which)
{
    uint32_t largest = width == 32 ? ~0u : (1u << width) - 1, values[] = {0, 1, largest - 1, largest};
    uint32_t value = values[which], rest = bench_get(b, 0, r->offset) & ~(largest << r->lsb), reads = value;
    if (r->most && value > r->most) reads = r->most;
    if (r->offset == NIC_BODY_LIMIT) reads &= 8191; /* the bits that 4096 blocks need */
    traffic_meets(b, r->offset, rest | value << r->lsb, rest | reads << r->lsb, r->follows[which]);
}

TEST_CASE("ends", .timeout = 120);

SOFTWARE_TEST(every_writable_field_at_its_ends)
{
    unsigned found = 0;
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++) {
        const struct nic_register *reg = &nic_registers[i];
        int monitoring =
            reg->offset >= NIC_SAMPLE_INTERVAL && reg->offset <= NIC_MONITORING;  /* tb/unit/monitor/test_monitoring */
        if (strcmp(reg->access, "rw") != 0 || reg->paths || monitoring) continue; /* of several links: below */
        for (unsigned k = 0; k < COUNT(rows); k++) {
            const struct field_row *r = &rows[k];
            unsigned width = 32;
            if (r->offset != reg->offset) continue;
            for (unsigned f = 0; f < NIC_FIELD_TABLE_COUNT; f++)
                if (nic_fields[f].offset == r->offset && nic_fields[f].lsb == r->lsb)
                    width = nic_fields[f].msb - r->lsb + 1, found++;
            found += width == 32;
            for (unsigned which = 0; which < 4 && !r->elsewhere; which++) try_value(b, r, width, which);
            char file[64];
            snprintf(file, sizeof file, "%s.c", r->elsewhere ? r->elsewhere : ADDRESS);
            ck_assert_msg(!access(file, R_OK), "%s: %s is no file", reg->name, file);
        }
        unsigned fields = 0, of_table = 0;
        for (unsigned f = 0; f < NIC_FIELD_TABLE_COUNT; f++) fields += nic_fields[f].offset == reg->offset;
        for (unsigned k = 0; k < COUNT(rows); k++) of_table += rows[k].offset == reg->offset;
        ck_assert_msg(of_table == (fields ? fields : 1), "%s: %u fields, %u rows", reg->name, fields ? fields : 1,
                      of_table);
    }
    ck_assert_uint_eq(found, COUNT(rows));
    bench_prove(b);
}

/* Whatever is written: a node with one link has none of them. */
SOFTWARE_TEST(registers_of_several_links_read_0)
{
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        for (unsigned k = 0; k < nic_registers[i].count && nic_registers[i].paths; k++) {
            unsigned offset = nic_registers[i].offset + 4 * k;
            bench_set(b, 0, offset, ~0u);
            ck_assert_msg(!bench_get(b, 0, offset), "%s reads %08x", nic_registers[i].name, bench_get(b, 0, offset));
        }
    bench_prove(b);
}

/* Every 4096 network clocks (S1 3.1.4.2), also where nothing else keeps a network clock awake. */
SOFTWARE_TEST(a_link_at_rest_sends_its_credits_again)
{
    enum { PERIODS = 5 };
    bench_wait(b, 100 * SIM_US);
    for (int n = 0; n < 2; n++) {
        uint32_t sent = bench_get(b, n, NIC_CREDITS_SENT);
        bench_wait(b, PERIODS * 4096 * 16 * SIM_NS);
        sent = bench_get(b, n, NIC_CREDITS_SENT) - sent;
        ck_assert_msg(sent >= PERIODS - 1, "node %d: %u credit words in %d periods", n, sent, PERIODS);
    }
    bench_prove(b);
}

/* A notification goes to the address in the registers, without its lowest three bits, wherever that is. */
SOFTWARE_TEST(notifications_follow_their_address_to_its_ends, .to = 4)
{
    int local = _i % 2, high = _i / 2;
    unsigned low = local ? NIC_LOCAL_NOTIFY_LOW : NIC_REMOTE_NOTIFY_LOW, flow = local ? 0 : 1;
    static const uint32_t values[] = {0, 1, 0xfffffffe, 0xffffffff};
    for (unsigned which = 0; which < COUNT(values); which++) {
        uint32_t before = bench_get(b, 0, low + 4 * (unsigned)high);
        bench_set(b, 0, low + 4 * (unsigned)high, values[which]);
        ck_assert_uint_eq(bench_get(b, 0, low + 4 * (unsigned)high), values[which]);
        uint64_t base = (uint64_t)bench_get(b, 0, low + 4) << 32 | bench_get(b, 0, low);
        uint64_t word = (base + 8 * (local ? b->flow[0].queue : b->flow[1].id)) & ~UINT64_C(7);
        uint64_t old = memory_get64(host_memory(b->n[0]->host), word);
        piece p = bench_send(b, flow, 9, local ? NX_LOCAL : NX_REMOTE);
        bench_wait(b, 40 * SIM_US);
        bench_must_arrive(b, &p);
        uint64_t is = memory_get64(host_memory(b->n[0]->host), word);
        ck_assert_msg(is != old && (local || (uint32_t)is == p.destination), "%s %x: %016llx at %016llx",
                      high ? "high half" : "low half", values[which], (unsigned long long)is, (unsigned long long)word);
        bench_set(b, 0, low + 4 * (unsigned)high, before);
        bench_expect_nothing(b, ALL);
        bench_take(b, flow); /* where the address was the usual one */
        bench_good(b, 0, 62);
        bench_good(b, 1, 62);
    }
}

static void two_paths(pair_params *p, int variation)
{
    (void)variation;
    for (int i = 0; i < 2; i++) p->node[i].nic = &nic_2paths_config;
}

/* DIRECT: all is sent to destination 0. Of 8 destinations the high registers have none. */
static const struct path_row {
    unsigned offset;
    uint32_t value, reads;
    int follows;
} paths[] = {
    {NIC_SEND_PATHS_LOW, 0, 0, WAITS},
    {NIC_SEND_PATHS_LOW, 1, 1, ARRIVES},
    {NIC_SEND_PATHS_LOW, 0xfffffffe, 0x33333332, ARRIVES},
    {NIC_SEND_PATHS_LOW, 0xffffffff, 0x33333333, ARRIVES},
    {NIC_SEND_PATHS_HIGH, 0, 0, ARRIVES},
    {NIC_SEND_PATHS_HIGH, 1, 0, ARRIVES},
    {NIC_SEND_PATHS_HIGH, 0xfffffffe, 0, ARRIVES},
    {NIC_SEND_PATHS_HIGH, 0xffffffff, 0, ARRIVES},
    {NIC_RECEIVE_PATHS_LOW, 0, 0, ARRIVES},
    {NIC_RECEIVE_PATHS_LOW, 1, 1, ARRIVES},
    {NIC_RECEIVE_PATHS_LOW, 0xfffffffe, 0x33333332, ARRIVES},
    {NIC_RECEIVE_PATHS_LOW, 0xffffffff, 0x33333333, ARRIVES},
    {NIC_RECEIVE_PATHS_HIGH, 0, 0, ARRIVES},
    {NIC_RECEIVE_PATHS_HIGH, 1, 0, ARRIVES},
    {NIC_RECEIVE_PATHS_HIGH, 0xfffffffe, 0, ARRIVES},
    {NIC_RECEIVE_PATHS_HIGH, 0xffffffff, 0, ARRIVES},
    {NIC_PATH_AHEAD, 0, 8, ARRIVES},
    {NIC_PATH_AHEAD, 1, 8, ARRIVES},
    {NIC_PATH_AHEAD, 0x3fe, 448, ARRIVES},
    {NIC_PATH_AHEAD, 0x3ff, 448, ARRIVES},
    {NIC_RESEQ_TIMEOUT, 0, 0, ARRIVES},
    {NIC_RESEQ_TIMEOUT, 1, 1, ARRIVES},
    {NIC_RESEQ_TIMEOUT, 0xfffffffe, 0xfffffe, ARRIVES},
    {NIC_RESEQ_TIMEOUT, 0xffffffff, 0xffffff, ARRIVES},
    {NIC_PATH_VIEW, 0, 0, ARRIVES},
    {NIC_PATH_VIEW, 1, 1, ARRIVES},
    {NIC_PATH_VIEW, 0xfffffffe, 0x32, ARRIVES},
    {NIC_PATH_VIEW, 0xffffffff, 0x33, ARRIVES},
};

SOFTWARE_TEST_ON(two_paths, every_register_of_several_links_at_its_ends)
{
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++) {
        const struct nic_register *reg = &nic_registers[i];
        unsigned tried = 0;
        for (unsigned k = 0; k < COUNT(paths); k++) {
            if (paths[k].offset != reg->offset) continue;
            traffic_meets(b, reg->offset, paths[k].value, paths[k].reads, paths[k].follows);
            tried++;
        }
        ck_assert_msg(tried == (reg->paths && !strcmp(reg->access, "rw") ? 4 : 0), "%s: %u values tried", reg->name,
                      tried);
    }
}
