/* Every writable field of the switch's registers at its ends: 0, 1, the largest value but one, the largest, at port 1
 * of a crossbar. The result is in a row of the table: packets to the port and from it arrive, wait until the field is
 * as before, or are dropped. A field of the map that has neither a row nor another test that is named here fails. */
#include <string.h>

#include "crossbar2_traced.h"
#include "switch_bench.h"
#include "switch_register_map.h"
#include "test.h"

enum { ARRIVES, WAITS, DROPPED }; /* fate of packets to the port */
enum { PORT = 1, EVENT_RECORD = 7 };

static const struct field_row {
    unsigned offset, lsb;
    uint8_t follows[4];    /* of 0, 1, the largest but one, the largest */
    uint32_t bits;         /* those that stay; 0: all */
    uint32_t most;         /* value read after a larger one; 0: as written */
    const char *elsewhere; /* the test that checks it */
} rows[] = {
    {SWITCH_CLEAR, 0, {0}, 0, 0, NULL},
    {SWITCH_DOWN_TIME, 0, {DROPPED, DROPPED, WAITS, WAITS}, 0, 0, NULL}, /* and how long it is: test_switch_port */
    {SWITCH_TIME_STAMPS, 0, {0}, 0, 0, NULL},
    {SWITCH_WEIGHT, 0, {0}, 0, 0, NULL}, /* shares: test_output_scheduler_wrr */
    {SWITCH_PORT_CONTROL, 0, {DROPPED, ARRIVES, DROPPED, ARRIVES}, 0, 0, NULL},
    {SWITCH_INPUT_ENABLE, 0, {WAITS, ARRIVES, WAITS, ARRIVES}, 3, 0, NULL}, /* two inputs */
    {SWITCH_CAPACITY, 0, {WAITS, WAITS, ARRIVES, ARRIVES}, 0, 4064, NULL},
    {SWITCH_NODE_ID, SWITCH_NODE_ID_GIVEN_SHIFT, {0}, 0, 0, NULL},
    {SWITCH_NODE_ID, SWITCH_NODE_ID_ID_SHIFT, {0}, 0, 0, NULL},
    {SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_START_SHIFT, {0}, 0, 0, "test_crossbar_trace"},
    {SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_FREEZE_SHIFT, {0}, 0, 0, "test_crossbar_trace"},
    {SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_STOP_SHIFT, {0}, 0, 0, "test_crossbar_trace"},
    {SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_CIRCULAR_SHIFT, {0}, 0, 0, "test_crossbar_trace"},
    {SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_RUNNING_SHIFT, {0}, 0, 0, "read only"},
    {SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_PORT_SHIFT, {0}, 0, 0, "read only"},
    {SWITCH_TRACE_FREEZE, 0, {0}, 0, 0, NULL},
    {SWITCH_TRACE_AFTER, 0, {0}, 0, 0, NULL},
    {SWITCH_TRACE_INDEX, SWITCH_TRACE_INDEX_POINT_SHIFT, {0}, 0, 0, NULL},
    {SWITCH_TRACE_INDEX, SWITCH_TRACE_INDEX_ENTRY_SHIFT, {0}, 0, 0, NULL},
};

static struct switch_bench *b;
static unsigned source; /* of the last packet that NIC 0 has got */

/* Register of the port, or of the switch. */
static uint32_t get(unsigned offset) { return switch_bench_read(b, offset < 0x4000 ? 0 : PORT, offset); }

static void set(unsigned offset, uint32_t value) { switch_bench_write(b, offset < 0x4000 ? 0 : PORT, offset, value); }

/* Behind the SOP and a credit word, which has bit 31, comes the header; a check record has the length 0. */
static void see_source(struct nic_side *n, uint32_t *data, uint8_t *k)
{
    static int at_header;
    if (n->number != 0 || *k || !at_header) at_header = *k && *data == SOP_WORD;
    else if (!(*data >> 31)) {
        if (*data & 0x3f) source = *data >> 24;
        at_header = 0;
    }
}

static unsigned arrived(unsigned from)
{
    const struct nic_side *n = b->group.nic[!from];
    return b->group.foreign_packets ? (unsigned)n->packets_in : n->in[from].good;
}

/* The trace of the port records 1024 entries and more, and is frozen by the host: this many entries are behind the
 * mark. With events that freeze it a check record does, if its bit is set. */
static void trace_follows(const struct field_row *r, uint32_t value)
{
    set(SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_START_MASK | SWITCH_TRACE_CONTROL_CIRCULAR_MASK);
    switch_bench_run_loaded(b, 6000);
    uint32_t by_event = r->offset == SWITCH_TRACE_FREEZE ? value & 1u << EVENT_RECORD : 0;
    ck_assert_uint_eq(get(SWITCH_TRACE_CAUSE), by_event);
    set(SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_FREEZE_MASK);
    switch_bench_run_loaded(b, 4000);
    ck_assert_uint_eq(get(SWITCH_TRACE_CONTROL) & SWITCH_TRACE_CONTROL_START_MASK, 0);
    for (unsigned point = 0; point < 2; point++) {
        set(SWITCH_TRACE_INDEX, point << SWITCH_TRACE_INDEX_POINT_SHIFT);
        unsigned mark = (get(SWITCH_TRACE_LEVEL) - 1 - get(SWITCH_TRACE_AFTER)) & 1023;
        set(SWITCH_TRACE_INDEX, point << SWITCH_TRACE_INDEX_POINT_SHIFT | mark);
        ck_assert_uint_eq(get(SWITCH_TRACE_FLAGS), 0xf0);
    }
    switch_bench_drain(b);
}

static void try_value(const struct field_row *r, unsigned width, unsigned which)
{
    uint32_t largest = width == 32 ? ~0u : (1u << width) - 1, mask = largest << r->lsb,
             value = (uint32_t[]){0, 1, largest - 1, largest}[which];
    uint32_t before = get(r->offset), must = r->offset == SWITCH_CLEAR    ? 0
                                             : r->most && value > r->most ? r->most
                                                                          : value;
    int waits = r->follows[which] == WAITS, dropped = r->follows[which] == DROPPED,
        unplugs = r->offset == SWITCH_DOWN_TIME;
    if (r->offset == SWITCH_NODE_ID && !r->lsb) before |= SWITCH_NODE_ID_GIVEN_MASK;
    if (r->bits) must &= r->bits;
    set(r->offset, (before & ~mask) | value << r->lsb);
    uint32_t is = (get(r->offset) & mask) >> r->lsb;
    ck_assert_msg(is == must, "register %04x, value %x reads %x, expected %x", r->offset, value, is, must);
    if (r->offset == SWITCH_CLEAR) ck_assert_uint_eq(get(SWITCH_FLOW_PACKETS), 0);
    if (r->offset == SWITCH_TIME_STAMPS) {
        uint32_t then = get(SWITCH_TIME);
        ck_assert_int_eq(get(SWITCH_TIME) != then, value);
    }
    b->unplugged[PORT] = unplugs;
    switch_bench_run(b, 400);
    if (unplugs) ck_assert_int_eq((get(SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK) != 0, dropped);
    unsigned out = arrived(0), in = arrived(1), marked = b->group.nic[PORT]->in[0].bad;
    nic_send(b->group.nic[0], PORT, 62);
    if (!unplugs) nic_send(b->group.nic[PORT], 0, 62);
    switch_bench_run(b, 2000);
    int came = r->follows[which] == ARRIVES;
    ck_assert_msg(arrived(0) - out == (unsigned)came, "register %04x, value %x: %u packets have arrived", r->offset,
                  value, arrived(0) - out);
    if (r->offset != SWITCH_NODE_ID)
        ck_assert_uint_eq(arrived(1) - in, !unplugs && !(r->offset == SWITCH_PORT_CONTROL && dropped));
    else ck_assert_uint_eq(source, r->lsb ? value ? 0 : PORT : value);
    if (!came) ck_assert_uint_eq(get(SWITCH_OCCUPANCY) & SWITCH_OCCUPANCY_NOW_MASK, waits ? 127 : 0);
    b->unplugged[PORT] = 0;
    set(r->offset, before);
    switch_bench_run(b, 2000);
    ck_assert_uint_eq(arrived(0) - out, !dropped);
    for (unsigned n = 0; dropped && n < 2; n++) { /* the first one reports the dropped ones */
        for (unsigned p = 0; p < 2; p++) nic_send(b->group.nic[p], !p, 62);
        switch_bench_run(b, 2000);
        ck_assert_uint_eq(b->group.nic[PORT]->in[0].bad - marked, 1);
        ck_assert_uint_eq(arrived(0) - out, n);
    }
    if (r->offset >= SWITCH_TRACE_FREEZE) {
        set(r->offset, value << r->lsb);
        trace_follows(r, value);
        set(r->offset, before);
    }
}

static unsigned width_of(const struct field_row *r)
{
    for (unsigned f = 0; f < SWITCH_FIELD_TABLE_COUNT; f++)
        if (switch_fields[f].offset == r->offset && switch_fields[f].lsb == r->lsb)
            return switch_fields[f].msb - r->lsb + 1;
    ck_assert_uint_eq(r->offset, SWITCH_CLEAR); /* it has no fields */
    return 32;
}

TEST_CASE("ends", .timeout = 60);

TEST(every_writable_field_at_its_ends, .to = COUNT(rows))
{
    const struct field_row *r = &rows[_i];
    if (r->elsewhere) return;
    b = switch_bench_new(
        &(struct switch_setup){.model = &crossbar2_traced_config, .ports = 2, .ppm_b = -100, .phase_b = -1});
    b->group.losses_allowed = 1;
    b->group.foreign_packets = r->offset == SWITCH_NODE_ID;
    b->expects_complaint = b->group.foreign_packets && r->lsb == SWITCH_NODE_ID_ID_SHIFT; /* there is no port 126 */
    b->group.nic[0]->tap_in = see_source;
    for (unsigned which = 0; which < 4; which++) try_value(r, width_of(r), which);
    switch_bench_drain(b);
}

TEST(every_writable_field_has_a_row)
{
    for (unsigned i = 0; i < SWITCH_REGISTER_TABLE_COUNT; i++) {
        const struct switch_register *reg = &switch_registers[i];
        unsigned fields = 0, of_table = 0;
        if (strcmp(reg->access, "rw") != 0) continue;
        for (unsigned f = 0; f < SWITCH_FIELD_TABLE_COUNT; f++) fields += switch_fields[f].offset == reg->offset;
        for (unsigned k = 0; k < COUNT(rows); k++) of_table += rows[k].offset == reg->offset;
        ck_assert_msg(of_table == (fields ? fields : 1), "%s: %u fields, %u rows", reg->name, fields ? fields : 1,
                      of_table);
    }
    for (unsigned k = 0; k < COUNT(rows); k++) width_of(&rows[k]);
}
