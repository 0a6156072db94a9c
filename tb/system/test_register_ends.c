/* Every writable field of the register map at its ends: 0, 1, the largest value but one, the largest. The result is in a row of the table:
 * a transfer of 500 words each way arrives, or waits until the field is as before, or is abandoned and reported. A field of the map that
 * has neither a row nor another test that is named here fails. */
#include "system_space.h"
#include "test.h"

enum { ARRIVES, WAITS, ABANDONED }; /* fate of packets of node 0 */

static const struct field_row {
    unsigned offset, lsb;
    uint8_t follows[4];    /* of 0, 1, the largest but one, the largest */
    uint32_t most;         /* value read after a larger one; 0: as written */
    const char *elsewhere; /* the test that checks it */
} rows[] = {
    {NIC_CONTROL, NIC_CONTROL_LOOPBACK_SHIFT, {0}, 0, "test_loopback"},
    {NIC_CONTROL, NIC_CONTROL_QUEUE_RESET_SHIFT, {0}, 0, "test_descriptor_storm"},
    {NIC_CONTROL, NIC_CONTROL_TIME_STAMPS_SHIFT, {0}, 0, "test_monitored"},
    {NIC_CONTROL, NIC_CONTROL_BENCHMARK_SHIFT, {0}, 0, "tb/unit/dma/test_benchmark"},
    {NIC_CONTROL, NIC_CONTROL_STORE_AND_FORWARD_SHIFT, {0}, 0, NULL},
    {NIC_CONTROL, NIC_CONTROL_SEQUENCE_ZERO_SHIFT, {0}, 0, "tb/unit/voq/test_voq"},
    {NIC_CONTROL, NIC_CONTROL_SOFT_RESET_SHIFT, {0}, 0, "test_soft_reset"},
    {NIC_CONTROL, NIC_CONTROL_DIRECT_SHIFT, {0}, 0, "test_direct"},
    {NIC_CONTROL, NIC_CONTROL_INITIATOR_ENABLE_SHIFT, {WAITS, ARRIVES, WAITS, ARRIVES}, 0, NULL},
    {NIC_REMOTE_NOTIFY_LOW, 0, {0}, 0, "test_notifications"},
    {NIC_REMOTE_NOTIFY_HIGH, 0, {0}, 0, "test_notifications"},
    {NIC_LOCAL_NOTIFY_LOW, 0, {0}, 0, "test_notifications"},
    {NIC_LOCAL_NOTIFY_HIGH, 0, {0}, 0, "test_notifications"},
    {NIC_NODE_ID, 0, {0}, 0, "test_node_ids"},
    {NIC_PAYLOAD_LIMIT, 0, {0}, 0, NULL},
    {NIC_TX_CAPACITY, 0, {WAITS, WAITS, ARRIVES, ARRIVES}, 4064, NULL},
    {NIC_CUT_THROUGH, 0, {0}, 0, NULL},
    {NIC_VIEW_FLOW, 0, {0}, 0, NULL},
    {NIC_BODY_LIMIT, 0, {0}, 0, NULL},
    {NIC_COMPLETION_TIMER, 0, {ARRIVES, ABANDONED, ARRIVES, ARRIVES}, 0, NULL},
};

static void try_value(bench *b, const struct field_row *r, unsigned width, unsigned which)
{
    uint32_t largest = width == 32 ? ~0u : (1u << width) - 1, values[] = {0, 1, largest - 1, largest};
    uint32_t before = bench_get(b, 0, r->offset), value = values[which], mask = largest << r->lsb;
    bench_set(b, 0, r->offset, (before & ~mask) | value << r->lsb);
    uint32_t is = (bench_get(b, 0, r->offset) & mask) >> r->lsb, must = r->most && value > r->most ? r->most : value;
    if (r->offset == NIC_BODY_LIMIT) must &= 8191; /* the bits that 4096 blocks need */
    ck_assert_msg(is == must, "register %03x, value %x reads %x, expected %x", r->offset, value, is, must);
    piece out = bench_send(b, 0, 500, 0), in = bench_send(b, 1, 500, 0);
    int waits = r->follows[which] == WAITS, abandoned = r->follows[which] == ABANDONED;
    for (unsigned us = 0; us < 400 && (us < 40 || (!waits && !abandoned && !bench_arrived(b, &out))); us += 20) bench_wait(b, 20 * SIM_US);
    ck_assert_msg(bench_arrived(b, &out) == !(waits || abandoned), "register %03x, value %x: the piece has %sarrived", r->offset, value,
                  waits || abandoned ? "" : "not ");
    bench_set(b, 0, r->offset, before);
    bench_wait(b, 20 * SIM_US);
    if (!abandoned) bench_must_arrive(b, &out);
    /* Words that the link is said to bring faster than it does: the burst runs dry, and the next notification says so. */
    int flagged = bench_next(b, 1, 9), dry = !bench_arrived(b, &in);
    ck_assert_msg(!dry || (r->offset == NIC_CUT_THROUGH && flagged), "register %03x, value %x: the piece is damaged, %sreported", r->offset,
                  value, flagged ? "" : "not ");
    if (abandoned) {
        ck_assert_int_eq(nx_wait(b->n[0]->dev, &out.ticket), NX_ERROR_ABANDONED);
        ck_assert_int_eq(bench_next(b, 0, 9), 1);
    }
    bench_forgive(b, ALL);
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
}

TEST_CASE("ends", .timeout = 120);

SOFTWARE_TEST(every_writable_field_at_its_ends)
{
    unsigned found = 0;
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++) {
        const struct nic_register *reg = &nic_registers[i];
        int monitoring = reg->offset >= NIC_SAMPLE_INTERVAL && reg->offset <= NIC_MONITORING; /* tb/unit/monitor/test_monitoring */
        if (strcmp(reg->access, "rw") != 0 || reg->paths || monitoring) continue; /* of several links: test_path_numbers, test_paths */
        for (unsigned k = 0; k < COUNT(rows); k++) {
            const struct field_row *r = &rows[k];
            unsigned width = 32;
            if (r->offset != reg->offset) continue;
            for (unsigned f = 0; f < NIC_FIELD_TABLE_COUNT; f++)
                if (nic_fields[f].offset == r->offset && nic_fields[f].lsb == r->lsb) width = nic_fields[f].msb - r->lsb + 1, found++;
            found += width == 32;
            for (unsigned which = 0; which < 4 && !r->elsewhere; which++) try_value(b, r, width, which);
        }
        unsigned fields = 0, of_table = 0;
        for (unsigned f = 0; f < NIC_FIELD_TABLE_COUNT; f++) fields += nic_fields[f].offset == reg->offset;
        for (unsigned k = 0; k < COUNT(rows); k++) of_table += rows[k].offset == reg->offset;
        ck_assert_msg(of_table == (fields ? fields : 1), "%s: %u fields, %u rows", reg->name, fields ? fields : 1, of_table);
    }
    ck_assert_uint_eq(found, COUNT(rows));
    bench_prove(b);
}
