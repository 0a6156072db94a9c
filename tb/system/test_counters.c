/* Every counter of the register map, compared with a count that knows nothing of the RTL: from the pins of bus, cable
 * and memory, from host memory, and from faults of the test itself. */
#include <string.h>

#include "counter_watch.h"
#include "sim/system/chips/nic_kinds.h"
#include "sim/traffic/scenario/traffic.h"
#include "system_bench.h"
#include "test.h"

enum { RUNS = 2, PACKETS = 300 };

static void compare(counter_watch *w, const char *where)
{
    static char text[4000];
    int bad = counter_watch_compare(w, text, sizeof text);
    ck_assert_msg(!bad, "%s:%s", where, text);
}

TEST_CASE("counters", .timeout = 240);

/* ---- random traffic: hosts and disturbance at random, nothing damaged on the cable */

static counter_watch *watches[2];

static void started(void *arg, pair *p)
{
    (void)arg;
    for (int i = 0; i < 2; i++) watches[i] = counter_watch_new(p, i);
}

static void ended(void *arg, pair *p, const traffic_counts counts[2])
{
    (void)arg, (void)p;
    for (int i = 0; i < 2; i++) {
        counter_watch_made(watches[i], NIC_H2N_DMA_OPS, (uint32_t)counts[i].posted);
        compare(watches[i], i ? "node 1" : "node 0");
    }
}

static uint8_t seen[0x400 / 4];

static void note_seen(void)
{
    for (int i = 0; i < 2; i++)
        for (unsigned offset = 0; offset < 4 * sizeof seen; offset += 4)
            seen[offset / 4] |= (uint8_t)counter_watch_has_seen(watches[i], offset);
}

static void random_traffic(unsigned number)
{
    traffic_params p = traffic_params_default();
    traffic_result r;
    p.nics = nic_kinds;
    p.seed += 4000 + (uint64_t)number;
    p.packets = PACKETS;
    p.started = started;
    p.ended = ended;
    int bad = traffic_run(&p, &r);
    ck_assert_msg(!bad, "seed %lu: %s", (unsigned long)p.seed, r.error);
    note_seen();
}

/* ---- faults on purpose */

static struct {
    const char *name;
    frame_damage damage;
    unsigned arg;
    change counted[4]; /* at the receiver, with the next packet */
} damages[] = {
    {"bad header CRC", frame_bad_header_crc, 0, {{NIC_HEADER_CRC_ERRORS, 1}, {NIC_SEQUENCE_GAPS, 1}}},
    {"bad body", frame_bad_body, 0, {{NIC_BODY_CRC_ERRORS, 1}}},
    {"truncated", frame_truncate, 30, {{NIC_BODY_CRC_ERRORS, 1}, {NIC_ALIGNMENT_ERRORS, 1}}},
    {"lost SOP", frame_lose_sop, 0, {{NIC_ALIGNMENT_ERRORS, 1}, {NIC_SEQUENCE_GAPS, 1}}},
};

static void both(const char *where)
{
    compare(watches[0], where);
    compare(watches[1], where);
}

static void sent(unsigned transfers) { counter_watch_made(watches[0], NIC_H2N_DMA_OPS, transfers); }

/* One transfer at a time, so that every REQ# belongs to it: the times are exact. */
static void alone(bench *b)
{
    uint32_t before = bench_get(b, 0, NIC_H2N_ACTIVE), before_write = bench_get(b, 1, NIC_N2H_ACTIVE);
    uint64_t least, most, first;
    bench_set(b, 0, NIC_CUMULATIVE_TIMER, 0);
    for (unsigned i = 0; i < 20; i++) {
        bench_send(b, 0, 1 + 25 * i, i % 2 ? NX_REMOTE | NX_INTERRUPT : 0);
        bench_wait(b, 20 * SIM_US);
        if (i) continue;
        uint32_t timer = bench_get(b, 0, NIC_CUMULATIVE_TIMER);
        counter_watch_value(watches[0], NIC_H2N_ACTIVE, "bus_read_time", &least, &first);
        ck_assert_msg(timer >= first && timer <= first + 16, "CUMULATIVE_TIMER %u, the first transfer took %u", timer,
                      (unsigned)first);
    }
    counter_watch_value(watches[0], NIC_H2N_ACTIVE, "bus_read_time", &least, &most);
    ck_assert_uint_eq(bench_get(b, 0, NIC_H2N_ACTIVE) - before, most);
    counter_watch_value(watches[1], NIC_N2H_ACTIVE, "bus_write_time", &least, &most);
    ck_assert_uint_eq(bench_get(b, 1, NIC_N2H_ACTIVE) - before_write, most);
    sent(20);
    both("alone");
}

/* Both credits of a word wrong, and a code error inside a credit word's frame. */
static void credits(bench *b, frame_tap *tap)
{
    unsigned which = 3, word = 0;
    counter_watch_damaged(watches[0]);
    frame_tap_arm(tap, 1, FRAME_CREDIT, 3, 1, frame_credit_parity, &which);
    for (unsigned i = 0; i < 100; i++) bench_send(b, 0, 62, 0);
    while (!frame_tap_finished(tap, 1)) bench_wait(b, SIM_US);
    bench_wait(b, 300 * SIM_US);
    counter_watch_made(watches[0], NIC_CREDITS_REJECTED, 2);
    sent(100);
    both("credits");
    frame_tap_arm(tap, 1, FRAME_RECORD, 0, 1, frame_code_error, &word);
    while (!frame_tap_finished(tap, 1)) bench_wait(b, SIM_US);
    bench_wait(b, 20 * SIM_US);
    counter_watch_made(watches[0], NIC_ALIGNMENT_ERRORS, 1); /* it was the SOP: words without a frame */
    counter_watch_damaged(watches[0]);
    both("code error");
}

/* A source and then a destination without a target. */
static void bus(bench *b)
{
    piece p = bench_make(b, 0, 62);
    bench_range(b, 0, p.source, 8 * 62, HOST_RANGE_NOBODY, 0);
    bench_post(b, &p, NX_REMOTE);
    bench_wait(b, 50 * SIM_US);
    host_clear_ranges(b->n[0]->host);
    counter_watch_made(watches[0], NIC_READ_ERRORS, 1);
    bench_send(b, 0, 62, NX_REMOTE);
    bench_wait(b, 50 * SIM_US);
    counter_watch_made(watches[1], NIC_SEQUENCE_GAPS, 1); /* the lost transfer has a number */
    sent(1);
    both("unreadable");
    p = bench_make(b, 0, 62);
    bench_range(b, 1, p.destination, 8 * 62, HOST_RANGE_NOBODY, 0);
    bench_post(b, &p, NX_REMOTE);
    bench_wait(b, 50 * SIM_US);
    host_clear_ranges(b->n[1]->host);
    counter_watch_made(watches[1], NIC_WRITE_ERRORS, 1);
    sent(1);
    both("unwritable");
}

/* A missing completion, and an unsolicited one. */
static void completions(bench *b)
{
    pcix_completion_fault f = {.kind = PCIX_COMPLETION_LATE, .value = 5000};
    bench_set(b, 0, NIC_COMPLETION_TIMER, 2000);
    host_params ideal = host_params_ideal(); /* one completion for a read */
    host_set_params(b->n[0]->host, &ideal);
    ck_assert(pcix_bridge_fail_completion(host_bridge(b->n[0]->host), &f));
    bench_send(b, 0, 8, NX_REMOTE);
    bench_wait(b, 40 * SIM_US); /* abandoned, and not yet come */
    counter_watch_given_up(watches[0]);
    bench_wait(b, 100 * SIM_US);
    host_set_params(b->n[0]->host, &b->n[0]->params.host);
    bench_send(b, 0, 62, NX_REMOTE);
    bench_wait(b, 50 * SIM_US);
    counter_watch_made(watches[0], NIC_READ_ERRORS, 1);
    counter_watch_made(watches[0], NIC_COMPLETION_TIMEOUTS, 1);
    counter_watch_made(watches[0], NIC_UNEXPECTED_COMPLETIONS, 1);
    counter_watch_made(watches[1], NIC_SEQUENCE_GAPS, 1);
    sent(1);
    both("completions");
}

/* Writes a descriptor of 8 words into a slot of the queue of node 1, behind the driver's back. */
static void raw(bench *b, unsigned slot, uint64_t source, unsigned start)
{
    bench_raw(b, 1, slot, source, bench_word1(0x50000000, 8, 1, start), 0xf);
}

/* One with a source that is no multiple of 8; then one that stays, and four DWORDs of another into its slot. The driver
 * knows nothing of them, so this comes last. */
static void descriptors(bench *b)
{
    unsigned slot = bench_get(b, 0, NIC_QUEUE_POINTERS + 4) >> 16 & 127;
    raw(b, slot, 0x10000004, 1);
    raw(b, slot + 1, 0x10000000, 0);
    raw(b, slot + 1, 0x10000000, 0);
    bench_wait(b, 20 * SIM_US);
    counter_watch_made(watches[0], NIC_DESCRIPTOR_ERRORS, 1);
    counter_watch_made(watches[0], NIC_DESCRIPTOR_OVERWRITES, 4);
    both("descriptors");
}

/* A receiver that takes now and then. */
static void held(bench *b)
{
    uint64_t least, most;
    bench_set(b, 0, NIC_BODY_LIMIT, 0); /* words from external memory may come late */
    bench_initiator(b, 1, 0);
    for (unsigned i = 0; i < 60; i++) bench_send(b, 0, 1 + (unsigned)sim_random_below(b->s, 512), 0);
    for (unsigned i = 0; i < 40; i++) {
        bench_wait(b, sim_random_below(b->s, 50 * SIM_US));
        bench_initiator(b, 1, 1);
        bench_wait(b, sim_random_below(b->s, 5 * SIM_US));
        bench_initiator(b, 1, 0);
    }
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x0d, 1, 0),
                     0); /* latency timer: any other request cuts our writes */
    bench_initiator(b, 1, 1);
    for (unsigned i = 0; i < 300; i++) bench_get(b, 1, NIC_STATUS);
    bench_wait(b, 500 * SIM_US);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x0d, 1, 0xf8), 0);
    bench_set(b, 0, NIC_BODY_LIMIT, NIC_BODY_LIMIT_RESET);
    counter_watch_value(watches[0], NIC_BACKPRESSURE_CYCLES, "held_clocks", &least, &most);
    ck_assert_msg(least > 10000 && most < least + least / 20, "%u..%u clocks without credit", (unsigned)least,
                  (unsigned)most);
    sent(60);
    both("held");
}

/* One bit of a word of the body that waits in external memory. */
static void memory_word(bench *b)
{
    uint64_t at = 300, word;
    uint8_t tag;
    bench_set(b, 0, NIC_BODY_LIMIT, 40); /* less than is sent: the queue is refused more */
    bench_initiator(b, 1, 0);
    for (unsigned i = 0; i < 20; i++) bench_send(b, 0, 4 * 62, 0);
    bench_wait(b, 200 * SIM_US);
    do {
        ck_assert_uint_lt(++at, 4096 * 64);
        word = external_get(b->n[0]->external, at, &tag);
    } while (!word || (tag & 0x1f) != 0); /* a word of data (rtl/nic/voq/voq_encode.v) */
    external_put(b->n[0]->external, at, word ^ 0x100, tag);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x0d, 1, 0),
                     0); /* latency timer: any other request cuts our writes */
    bench_initiator(b, 1, 1);
    for (unsigned i = 0; i < 300; i++) bench_get(b, 1, NIC_STATUS);
    bench_wait(b, 500 * SIM_US);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x0d, 1, 0xf8), 0);
    bench_set(b, 0, NIC_BODY_LIMIT, NIC_BODY_LIMIT_RESET);
    counter_watch_made(watches[0], NIC_MEMORY_ERRORS, 1);
    counter_watch_made(watches[1], NIC_BODY_CRC_ERRORS, 1);
    sent(20);
    both("memory");
}

/* A sender that assumes too much space: packets sent and never written have been dropped. */
static void space(bench *b)
{
    uint64_t least, most, written;
    bench_put(b, 0, NIC_TX_CAPACITY, 4064);
    bench_initiator(b, 1, 0);
    for (unsigned i = 0; i < 60; i++) bench_send(b, 0, 62, 0);
    bench_wait(b, 200 * SIM_US);
    bench_initiator(b, 1, 1);
    bench_wait(b, 200 * SIM_US);
    bench_put(b, 0, NIC_TX_CAPACITY, 2046);
    counter_watch_value(watches[1], 0, "received_packets", &least, &most);
    counter_watch_value(watches[1], 0, "bus_packets_written", &least, &written);
    ck_assert_uint_gt(most, written);
    counter_watch_made(watches[1], NIC_PACKETS_DROPPED, (uint32_t)(most - written));
    bench_send(b, 0, 62, NX_REMOTE);
    bench_wait(b, 50 * SIM_US);
    counter_watch_made(watches[1], NIC_SEQUENCE_GAPS, 1);
    counter_watch_damaged(watches[1]);
    sent(61);
    both("space");
}

/* A transmit buffer that reports an error, and a cable that comes loose while nothing is under way. */
static void cable_at_its_ends(bench *b)
{
    cable_tx_buffer_error(b->wire, 0, 5);
    bench_wait(b, 10 * SIM_US);
    cable_cut(b->wire, CABLE_A_TO_B);
    bench_wait(b, 10 * SIM_US);
    cable_reconnect(b->wire, CABLE_A_TO_B);
    bench_wait(b, 100 * SIM_US);
    counter_watch_damaged(watches[1]);
    both("cable");
}

static void on_purpose(bench *b, int variation)
{
    (void)variation;
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x40, 4, 1), 0); /* interrupts on */
    started(NULL, b->p);
    alone(b);
    frame_tap *tap = tap_on(b->wire);
    for (unsigned i = 0; i < (unsigned)COUNT(damages); i++) {
        frame_tap_arm(tap, 0, FRAME_DATA, 0, 1, damages[i].damage, &damages[i].arg);
        for (unsigned k = 0; k < 2; k++) {
            bench_send(b, 0, 62, NX_REMOTE);
            bench_wait(b, 100 * SIM_US);
        }
        for (const change *c = damages[i].counted; c->offset; c++) counter_watch_made(watches[1], c->offset, c->by);
        counter_watch_damaged(watches[1]);
        sent(2);
        both(damages[i].name);
    }
    credits(b, tap);
    cable_set_tap(b->wire, NULL, NULL);
    bus(b);
    completions(b);
    memory_word(b);
    held(b);
    space(b);
    cable_at_its_ends(b);
    descriptors(b);
}

TEST(every_counter_counts_what_pins_and_cable_show)
{
    for (unsigned i = 0; i < RUNS; i++) random_traffic(i);
    bench_run(NULL, on_purpose, 0);
    note_seen();
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++)
        if (strcmp(r->access, "rc") == 0 || strcmp(r->access, "nc") == 0)
            ck_assert_msg(seen[r->offset / 4] || !strcmp(r->compare, "never"), "%s has counted nothing", r->name);
}
