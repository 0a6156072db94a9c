/*
 * Packets that the switch drops because a port is down or disabled: the receiver must learn of it whatever their
 * number, since its sequence number has 9 bits. So the next packet of each flow concerned, and no other, comes with a
 * wrong body CRC.
 */
#include <stdlib.h>
#include <string.h>

#include "crossbar_4.h"
#include "switch_bench.h"
#include "switch_register_map.h"
#include "test.h"

enum { PORTS = 4, AWAY = 3 /* the port that is down */, DOWN_CLOCKS = 4000 /* of crossbar_4, see models */ };

static struct switch_bench *b;

/* Per flow: packets with a wrong body, and that number of them after which some were missing. */
static struct losses {
    unsigned packets, bad, bad_after_gap, gaps;
    uint32_t missing, last_bad;
} losses[PORTS][PORTS];

static void checked(void *self, unsigned from, unsigned to, uint32_t number, uint32_t missing, int good)
{
    struct losses *t = &losses[from][to];

    (void)self;
    t->packets++;
    t->gaps += missing != 0;
    t->missing += missing;
    if (good) return;
    t->bad++;
    t->bad_after_gap += missing != 0;
    t->last_bad = number;
}

static void setup(void)
{
    b = switch_bench_new(&(struct switch_setup){&crossbar_4_config, PORTS, 100, -100, -1, .jitter = 200});
    memset(losses, 0, sizeof losses);
    b->group.checked = checked;
}

static void send(unsigned from, unsigned to, unsigned count, unsigned length)
{
    for (unsigned i = 0; i < count; i++) nic_send(b->group.nic[from], to, length);
}

static void wait_sent(void)
{
    switch_bench_sent(b);
    switch_bench_run(b, 1500);
}

static void all_flows(unsigned count)
{
    for (unsigned from = 0; from < PORTS; from++)
        for (unsigned to = 0; to < PORTS; to++)
            send(from, to, count, 1 + (unsigned)sim_random_below(b->s, LONGEST_WORDS));
}

enum way { DISABLED, UNPLUGGED };

static void take_away(enum way way)
{
    if (way == DISABLED) {
        switch_bench_write(b, AWAY, SWITCH_PORT_CONTROL, 0);
    } else {
        b->unplugged[AWAY] = 1;
        switch_bench_run(b, DOWN_CLOCKS + 400);
    }
    ck_assert_uint_ne(switch_bench_read(b, AWAY, SWITCH_PORT_STATUS) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
}

static void bring_back(enum way way)
{
    if (way == DISABLED) switch_bench_write(b, AWAY, SWITCH_PORT_CONTROL, 1);
    b->unplugged[AWAY] = 0;
    switch_bench_run(b, 12000); /* link up, records of all lanes and credits have gone round */
}

static const unsigned numbers[] = {1, 511, 512, 513, 1024};

/* While AWAY is gone this many packets of each flow are sent. Those from or to it are dropped, as the counter says; of
 * a flow that has lost some the first packet after them is corrupted, none else. */
static void flows_tell(enum way way, unsigned sent[PORTS][PORTS], unsigned counter)
{
    unsigned dropped = 0;

    all_flows(3);
    wait_sent();
    b->group.losses_allowed = 1;
    take_away(way);
    switch_bench_write(b, 0, SWITCH_CLEAR, 0);
    for (unsigned from = 0; from < PORTS; from++)
        for (unsigned to = 0; to < PORTS; to++) {
            send(from, to, sent[from][to], 1 + (unsigned)sim_random_below(b->s, 10));
            dropped += from == AWAY || to == AWAY ? sent[from][to] : 0;
        }
    wait_sent();
    ck_assert_uint_eq(switch_bench_read(b, AWAY, counter), dropped);
    bring_back(way);
    all_flows(10);
    switch_bench_drain(b);
    for (unsigned from = 0; from < PORTS; from++)
        for (unsigned to = 0; to < PORTS; to++) {
            const struct losses *t = &losses[from][to];
            unsigned lost = from == AWAY || to == AWAY ? sent[from][to] : 0, packets = 13 + sent[from][to] - lost;
            ck_assert_msg(
                t->packets == packets && t->missing == lost && t->bad == (lost != 0) && t->bad_after_gap == t->bad,
                "flow %u to %u: %u packets, %u missing before, %u bad (%u right after those); expected %u, %u, %u",
                from, to, t->packets, t->missing, t->bad, t->bad_after_gap, packets, lost, lost != 0);
            if (lost) ck_assert_uint_eq(t->last_bad, 3 + lost);
        }
    ck_assert_uint_eq(switch_bench_read(b, AWAY, SWITCH_CROSSPOINT_UNDERFLOWS), 0);
}

TEST_CASE("drained", .timeout = 600, .setup = setup);

/* Flow 0 > AWAY loses `n`, flow 2 > AWAY five; 1 > AWAY and AWAY's own have sent nothing meanwhile; all others run. */
TEST(drained_packets_are_reported, .to = 2 * COUNT(numbers))
{
    unsigned n = numbers[_i % COUNT(numbers)];
    flows_tell(_i / COUNT(numbers), (unsigned[PORTS][PORTS]){{20, 20, 20, n}, {20, 20, 20, 0}, {20, 20, 20, 5}},
               SWITCH_DRAINED);
}

/* A disabled port takes nothing from its NIC: of the flows concerned, those from it, the next packet reports the loss
 * as well. */
TEST(packets_that_a_disabled_port_refuses_are_reported, .to = COUNT(numbers))
{
    flows_tell(DISABLED, (unsigned[PORTS][PORTS]){[AWAY] = {numbers[_i], 0, 5, 0}}, SWITCH_DROPPED_FLOW);
}

/* The port goes at any moment of traffic, in mid-packet too. The receivers lose only drained packets, so packets of a
 * flow to AWAY are corrupted after a gap and nowhere else; packets of AWAY's own NIC meanwhile are lost on its wire. */
TEST(ports_that_go_in_traffic_corrupt_one_packet_after_each_gap)
{
    uint32_t missing = 0;

    b->group.losses_allowed = 1;
    switch_bench_write(b, 0, SWITCH_CLEAR, 0);
    for (int round = 0; round < 8; round++) {
        enum way way = (enum way)(round % 2);
        switch_bench_run_loaded(b, 1500 + (unsigned)sim_random_below(b->s, 500));
        switch_bench_run(b, (unsigned)sim_random_below(b->s, 250));
        take_away(way);
        wait_sent();
        bring_back(way);
    }
    all_flows(2);
    switch_bench_drain(b);
    for (unsigned from = 0; from < AWAY; from++) {
        const struct losses *t = &losses[from][AWAY];
        missing += t->missing;
        ck_assert_uint_gt(t->gaps, 2);
        ck_assert_uint_eq(t->bad_after_gap, t->gaps);
        ck_assert_uint_eq(t->bad, t->gaps);
        for (unsigned to = 0; to < AWAY; to++) ck_assert_uint_eq(losses[from][to].missing + losses[from][to].bad, 0);
    }
    uint32_t drained = switch_bench_read(b, AWAY, SWITCH_DRAINED);
    ck_assert_uint_gt(drained, 50);
    ck_assert_uint_le(missing, drained);
    ck_assert_uint_ge(missing + losses[AWAY][AWAY].missing, drained);
}

/* The check itself: 512 packets that were not counted. */
TEST(a_good_packet_after_512_lost_ones_is_seen)
{
    all_flows(2);
    switch_bench_drain(b);
    b->group.losses_allowed = 1;
    b->group.nic[1]->out[2].sent += 512; /* as if they had left the NIC */
    b->group.nic[1]->out[2].queued += 512;
    b->expects_complaint = 1;
    send(1, 2, 1, 5);
    wait_sent();
    ck_assert_msg(strstr(b->group.first_complaint, "512 packets from 1 are missing"), "%s", b->group.first_complaint);
}
