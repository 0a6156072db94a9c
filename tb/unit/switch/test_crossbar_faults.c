/*
 * Faults on the wires of a switch, and at its ends: lost and damaged credits, lost packets, bit errors, cuts, senders
 * without credit, resets of either side, ports with nothing behind them. Whatever happens: no wrong data in a packet
 * that is called good, order kept, nothing overflows; and when it is over both ends of every wire agree on the space
 * again.
 */
#include <stdlib.h>
#include <string.h>

#include "crossbar_4.h"
#include "switch_bench.h"
#include "switch_register_map.h"
#include "test.h"

enum { PORTS = 4, DOWN_CLOCKS = 4000 /* of crossbar_4, see models */ };

static struct switch_bench *b;

enum { TO_SWITCH, FROM_SWITCH };

/* Faults of the wires of a direction, chances per word in 1/100000. */
static struct faults {
    int frame_lost; /* this frame, once it has begun, is replaced by idle */
    int bit, k_flag, not_in_table;
    int credit_bits; /* a bit of a credit word */
} faults[2];

/* Faults of a wire. */
static struct wire {
    unsigned lost_frames, broken_words, broken_credits;
    int losing, after_sop;
} wires[2][PORTS];

static int happens(int chance) { return chance && (int)sim_random_below(b->s, 100000) < chance; }

static void corrupt(int direction, unsigned port, uint32_t *data, uint8_t *k, uint8_t *not_in_table)
{
    const struct faults *f = &faults[direction];
    struct wire *w = &wires[direction][port];
    int sop = *data == SOP_WORD && *k == SOP_K;

    if (sop) {
        w->losing = happens(f->frame_lost);
        w->lost_frames += (unsigned)w->losing;
    } else if (*k) {
        w->losing = 0;
    }
    if (w->after_sop && !*k && *data >> 31 && happens(f->credit_bits)) {
        *data ^= 1u << sim_random_below(b->s, 15) | 1u << (16 + sim_random_below(b->s, 15)); /* one bit of each */
        w->broken_credits++;
    }
    w->after_sop = sop;
    if (w->losing) {
        *data = IDLE_WORD;
        *k = IDLE_K;
    }
    if (happens(f->bit)) *data ^= 1u << sim_random_below(b->s, 32), w->broken_words++;
    if (happens(f->k_flag)) *k ^= (uint8_t)(1u << sim_random_below(b->s, 4)), w->broken_words++;
    if (happens(f->not_in_table)) *not_in_table = (uint8_t)(1u << sim_random_below(b->s, 4)), w->broken_words++;
}

static void tap_out(struct nic_side *n, uint32_t *data, uint8_t *k, uint8_t *not_in_table)
{
    corrupt(TO_SWITCH, n->number, data, k, not_in_table);
}

static void tap_in(struct nic_side *n, uint32_t *data, uint8_t *k)
{
    uint8_t not_in_table = 0;

    corrupt(FROM_SWITCH, n->number, data, k, &not_in_table);
}

static void setup(void)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar_4_config, PORTS, 100, -100, -1, .jitter = 200});
    memset(faults, 0, sizeof faults);
    memset(wires, 0, sizeof wires);
    for (unsigned p = 0; p < PORTS; p++) {
        b->group.nic[p]->tap_out = tap_out;
        b->group.nic[p]->tap_in = tap_in;
    }
    b->group.losses_allowed = 1;
}

static void run_loaded(unsigned clocks) { switch_bench_run_loaded(b, clocks); }

/* With these faults on all wires for this time; without any from then on. */
static void run_faulty(unsigned clocks, struct faults to_switch, struct faults from_switch)
{
    faults[TO_SWITCH] = to_switch;
    faults[FROM_SWITCH] = from_switch;
    run_loaded(clocks);
    memset(faults, 0, sizeof faults);
}

static uint32_t missing(void)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < PORTS; i++)
        for (unsigned j = 0; j < PORTS; j++) sum += b->group.nic[i]->in[j].missing + b->group.nic[i]->in[j].bad;
    return sum;
}

/* After the faults waiting packets leave, and every packet sent from now on arrives; `telling` flows have had packets
 * dropped by the switch, and the first one of those reports it by a wrong body. */
static void clean_traffic_but(unsigned telling)
{
    switch_bench_drain(b);
    uint64_t good = switch_bench_good(b);
    switch_bench_send_all(b, 100);
    switch_bench_drain(b);
    ck_assert_uint_eq(switch_bench_good(b) - good, 100 * PORTS - telling);
}

static void clean_traffic_loses_nothing(void) { clean_traffic_but(0); }

/* ---- credits ---- */

TEST_CASE("faults", .timeout = 600, .setup = setup);

TEST(lost_credits_only_delay, .to = 3)
{
    const struct faults f = {.credit_bits = (int[]){5000, 50000, 95000}[_i]};

    run_faulty(40000, f, f);
    for (unsigned p = 0; p < 2 * PORTS; p++) ck_assert_uint_gt(wires[p / PORTS][p % PORTS].broken_credits, 5);
    switch_bench_drain(b);
    ck_assert_uint_eq(missing(), 0);
    b->group.losses_allowed = 0;
    clean_traffic_loses_nothing();
}

/* All credits of some 100 us are lost: the refresh makes the last of them good. */
TEST(a_gap_in_the_credits_is_made_good_by_the_refresh)
{
    const struct faults f = {.credit_bits = 100000};

    run_faulty(8000, f, f);
    uint64_t good = switch_bench_good(b);
    run_faulty(4000, f, f);
    ck_assert_uint_eq(switch_bench_good(b), good); /* everything is stopped: no NIC sends without credit */
    switch_bench_drain(b);
    ck_assert_uint_eq(missing(), 0);
    b->group.losses_allowed = 0;
    clean_traffic_loses_nothing();
}

/* ---- packets ---- */

TEST(lost_frames_are_repaired_by_check_records, .to = 3)
{
    const struct faults f = {.frame_lost = (int[]){1000, 10000, 50000}[_i]};

    run_faulty(60000, f, f);
    for (unsigned p = 0; p < PORTS; p++) ck_assert_uint_gt(wires[TO_SWITCH][p].lost_frames, 5);
    switch_bench_drain(b);
    ck_assert_uint_gt(missing(), 10);
    clean_traffic_loses_nothing();
}

TEST(broken_bits_and_characters, .to = 2)
{
    int chance = (int[]){30, 300}[_i];

    run_faulty(60000, (struct faults){.bit = chance, .k_flag = chance, .not_in_table = chance},
               (struct faults){.bit = chance / 4, .k_flag = chance / 4});
    for (unsigned p = 0; p < PORTS; p++) ck_assert_uint_gt(wires[TO_SWITCH][p].broken_words, 20);
    clean_traffic_loses_nothing();
}

TEST(a_broken_elastic_buffer_starves_an_output)
{
    for (int i = 0; i < 300; i++) {
        run_loaded(500);
        b->buffer_error[sim_random_below(b->s, PORTS)] = 1 + (int)sim_random_below(b->s, 20);
    }
    switch_bench_drain(b);
    ck_assert_uint_gt(missing(), 10);
    clean_traffic_loses_nothing();
}

/* ---- cuts ---- */

TEST(a_cut_of_some_microseconds_only_delays_what_has_not_started)
{
    for (int i = 0; i < 12; i++) {
        unsigned p = (unsigned)sim_random_below(b->s, PORTS);
        run_loaded(1000);
        b->unplugged[p] = 1;
        run_loaded(500 + 500 * (unsigned)sim_random_below(b->s, 4)); /* less than DOWN_CLOCKS */
        b->unplugged[p] = 0;
    }
    clean_traffic_loses_nothing();
}

TEST(a_port_that_is_down_is_drained)
{
    struct nic_side *sender = b->group.nic[0];
    const unsigned *seen = &b->group.nic[3]->parser.faults; /* it receives from the switch */

    b->unplugged[3] = 1;
    switch_bench_run(b, 100);
    for (unsigned i = 0; i < 200; i++) nic_send(sender, 3, 30);
    switch_bench_run(b, 2000);
    uint32_t sent = sender->out[3].sent; /* until the crosspoint is full */
    ck_assert_uint_eq(sent, CROSSPOINT_UNITS / 64);
    for (unsigned i = 0; i < 15; i++) nic_send(sender, 1, 30); /* the others go on */
    switch_bench_run(b, 1200);
    ck_assert_uint_eq(sender->out[3].sent, sent);
    ck_assert_uint_gt(b->group.nic[1]->in[0].good, 14);
    ck_assert_uint_eq(*seen, 0);
    switch_bench_run(b, DOWN_CLOCKS - 3300 + 400); /* down now: drained, a word per clock, credits returned */
    ck_assert_uint_gt(sender->out[3].sent, sent);
    uint64_t units = sender->out[3].units;
    switch_bench_run(b, 6400);
    ck_assert_uint_gt(sender->out[3].units - units, 6400 * 95 / 100); /* the line carries 65 words per 64 units */
    switch_bench_run(b, 10000);
    ck_assert_uint_eq(sender->out[3].sent, 200);
    ck_assert_uint_eq(sender->out[3].credit, sender->out[3].transmitted & ~31u);
    ck_assert_uint_eq(b->group.nic[3]->packets_in, 0);
    ck_assert_uint_gt(*seen, 8000); /* half of the words */
    unsigned rested = 0; /* the port keeps reporting, all else is idle between credits and records of the others */
    for (unsigned n = 0; n < 2000; n++) {
        switch_bench_run(b, 1);
        rested += !*b->m->run_a;
    }
    ck_assert_uint_gt(rested, 500);
    ck_assert_uint_gt(*seen, 9000);
    b->unplugged[3] = 0; /* and up again */
    switch_bench_run(b, 200);
    unsigned before = *seen;
    switch_bench_run(b, 11800);
    ck_assert_uint_eq(*seen, before);
    clean_traffic_but(1);
}

/* Packets of a NIC that receives nothing. */
static unsigned fault_turn;
static void hears_nothing(struct nic_side *n, uint32_t *data, uint8_t *k, uint8_t *not_in_table)
{
    (void)n;
    (void)not_in_table;
    if (*data == IDLE_WORD && *k == IDLE_K && fault_turn++ & 2) *data = FAULT_WORD;
}

static unsigned status_of_3(void)
{
    return switch_bench_read(b, 3, SWITCH_PORT_STATUS) &
           (SWITCH_PORT_STATUS_SYNC_MASK | SWITCH_PORT_STATUS_DOWN_MASK | SWITCH_PORT_STATUS_REMOTE_FAULT_MASK);
}

TEST(a_port_whose_nic_hears_nothing_is_drained_at_once)
{
    struct nic_side *sender = b->group.nic[0], *away = b->group.nic[3];

    ck_assert_uint_eq(status_of_3(), SWITCH_PORT_STATUS_SYNC_MASK);
    switch_bench_sent(b);
    away->tap_out = hears_nothing;
    away->mute = 1;
    switch_bench_run(b, 100);
    ck_assert_uint_eq(status_of_3(), SWITCH_PORT_STATUS_SYNC_MASK | SWITCH_PORT_STATUS_DOWN_MASK |
                                         SWITCH_PORT_STATUS_REMOTE_FAULT_MASK);
    uint64_t packets = away->packets_in;
    for (unsigned i = 0; i < 100; i++) nic_send(sender, 3, 30);
    for (unsigned i = 0; i < 15; i++) nic_send(sender, 1, 30);
    switch_bench_run(b, 12000);
    ck_assert_uint_eq(sender->out[3].sent, 100);
    ck_assert_uint_eq(sender->out[3].credit, sender->out[3].transmitted & ~31u);
    ck_assert_uint_eq(away->packets_in, packets);
    ck_assert_uint_gt(b->group.nic[1]->in[0].good, 14);
    ck_assert_uint_eq(away->parser.faults, 0); /* the switch receives from it */
    away->tap_out = NULL;
    away->mute = 0;
    switch_bench_run(b, 100);
    ck_assert_uint_eq(status_of_3(), SWITCH_PORT_STATUS_SYNC_MASK);
    switch_bench_run(b, 12000);
    clean_traffic_but(1);
}

TEST(a_disabled_port_is_drained_and_takes_nothing)
{
    run_loaded(3000);
    switch_bench_sent(b);
    switch_bench_run(b, 3000);
    uint64_t to_3 = b->group.nic[3]->packets_in, from_3 = 0;
    for (unsigned p = 0; p < PORTS; p++) from_3 += b->group.nic[p]->in[3].good;
    switch_bench_write(b, 3, SWITCH_PORT_CONTROL, 0);
    switch_bench_write(b, 0, SWITCH_CLEAR, 0);
    ck_assert_uint_ne(switch_bench_read(b, 3, SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
    switch_bench_send_all(b, 100);
    switch_bench_drain(b); /* accounts agree: drained and dropped units are credited */
    for (unsigned p = 0; p < 3; p++)
        for (unsigned from = 0; from < 3; from++) ck_assert_uint_eq(b->group.nic[p]->in[from].missing, 0);
    ck_assert_uint_eq(b->group.nic[3]->packets_in, to_3);
    for (unsigned p = 0; p < PORTS; p++) from_3 -= b->group.nic[p]->in[3].good;
    ck_assert_uint_eq(from_3, 0);
    ck_assert_uint_eq(switch_bench_read(b, 3, SWITCH_DRAINED), 75);
    ck_assert_uint_eq(switch_bench_read(b, 3, SWITCH_DROPPED_FLOW), 100);
    switch_bench_write(b, 3, SWITCH_PORT_CONTROL, 1);
    clean_traffic_but(PORTS + PORTS - 1); /* all from or to it */
}

TEST(ports_without_anything_behind_them_harm_nobody, .to = 4)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar_4_config, PORTS, 100, -100, -1, .jitter = 200,
                                                .away = 1u << _i | 1u << (_i ^ 2)});
    switch_bench_run(b, DOWN_CLOCKS);
    for (unsigned p = 0; p < PORTS; p++)
        if (b->unplugged[p]) b->group.nic[p]->mute = 1;
        else
            for (unsigned i = 0; i < 400; i++) nic_send(b->group.nic[p], i % PORTS, 1 + i % 62);
    switch_bench_drain(b);
    for (unsigned i = 0; i < PORTS; i++)
        for (unsigned j = 0; j < PORTS; j++)
            ck_assert_uint_eq(b->group.nic[i]->in[j].good, b->unplugged[i] || b->unplugged[j] ? 0 : 100);
}

/* ---- senders and resets ---- */

static uint32_t gaps, gaps_reported;

static void checked(void *self, unsigned from, unsigned to, uint32_t number, uint32_t missing_before, int good)
{
    (void)self, (void)from, (void)to, (void)number;
    gaps += missing_before != 0;
    gaps_reported += missing_before && !good;
}

TEST(a_sender_without_credit_loses_its_packets_and_nobody_elses)
{
    uint32_t lost = 0, bad = 0;

    gaps = gaps_reported = 0;
    b->group.checked = checked;
    b->group.nic[1]->obeys_credits = 0;
    b->group.nic[2]->pop_percent = 20;
    for (unsigned i = 0; i < 400; i++) nic_send(b->group.nic[1], 2, 1 + i % 62);
    run_loaded(30000);
    b->group.nic[1]->obeys_credits = 1;
    b->group.nic[2]->pop_percent = 100;
    switch_bench_drain(b);
    nic_send(b->group.nic[1], 2, 1); /* reports it if the last one has been dropped */
    switch_bench_drain(b);
    for (unsigned i = 0; i < PORTS; i++)
        for (unsigned j = 0; j < PORTS; j++) {
            const struct nic_flow_in *in = &b->group.nic[i]->in[j];
            if (j == 1) lost += in->missing, bad += in->bad;
            else ck_assert_uint_eq(in->missing + in->bad, 0);
        }
    ck_assert_uint_eq(gaps_reported, gaps); /* dropped whole, and the next one of the flow reports it */
    ck_assert_uint_eq(bad, gaps);
    ck_assert_uint_gt(lost, 20);
    clean_traffic_loses_nothing();
}

TEST(a_nic_is_reset_in_traffic)
{
    for (int i = 0; i < 8; i++) {
        run_loaded(1000 + 500 * (unsigned)sim_random_below(b->s, 5));
        nic_side_reset(b->group.nic[sim_random_below(b->s, PORTS)]);
    }
    run_loaded(10000);
    clean_traffic_loses_nothing();
}

TEST(the_switch_is_reset_in_traffic)
{
    for (int i = 0; i < 4; i++) {
        run_loaded(1000 + 500 * (unsigned)sim_random_below(b->s, 5));
        *b->m->rst_n = 0;
        switch_bench_run(b, 5 + (unsigned)sim_random_below(b->s, 200));
        *b->m->rst_n = 1;
    }
    run_loaded(10000);
    clean_traffic_loses_nothing();
}
