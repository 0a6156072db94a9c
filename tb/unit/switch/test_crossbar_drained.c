/*
 * Packets that the switch throws away because a port is down or disabled: the receiver must learn of it whatever their number, since its
 * sequence number has 9 bits. So the next packet of each flow concerned, and no other, comes with a wrong body CRC.
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
static struct told {
    unsigned packets, bad, bad_after_gap, gaps;
    uint32_t missing, last_bad;
} told[PORTS][PORTS];

static void judged(void *self, unsigned from, unsigned to, uint32_t number, uint32_t missing, int good)
{
    struct told *t = &told[from][to];

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
    memset(told, 0, sizeof told);
    b->group.judged = judged;
    switch_bench_open(b);
}

/* Sends `count` packets of a flow, and waits until they have left their NIC. */
static void send(unsigned from, unsigned to, unsigned count, unsigned length)
{
    for (unsigned i = 0; i < count; i++) nic_send(b->group.nic[from], to, length);
}

static void wait_sent(void)
{
    unsigned waiting = 1;

    for (int i = 0; i < 2000 && waiting; i++) {
        waiting = 0;
        switch_bench_run(b, 100);
        for (unsigned p = 0; p < PORTS; p++) waiting += b->unplugged[p] ? 0 : nic_waiting(b->group.nic[p]);
    }
    ck_assert_uint_eq(waiting, 0);
    switch_bench_run(b, 1500);
}

static void all_flows(unsigned count)
{
    for (unsigned from = 0; from < PORTS; from++)
        for (unsigned to = 0; to < PORTS; to++) send(from, to, count, 1 + (unsigned)sim_random_below(b->s, LONGEST_WORDS));
}

enum way { DISABLED, UNPLUGGED };

static void take_away(enum way way)
{
    if (way == DISABLED) {
        switch_bench_write(b, SWITCH_PORT_CONTROL + 0x400 * AWAY, 0);
    } else {
        b->unplugged[AWAY] = 1;
        switch_bench_run(b, DOWN_CLOCKS + 400);
    }
    ck_assert_uint_ne(switch_bench_read(b, SWITCH_PORT_STATUS + 0x400 * AWAY) & SWITCH_PORT_STATUS_DOWN_MASK, 0);
}

static void bring_back(enum way way)
{
    if (way == DISABLED) switch_bench_write(b, SWITCH_PORT_CONTROL + 0x400 * AWAY, 1);
    b->unplugged[AWAY] = 0;
    switch_bench_run(b, 12000); /* link up, records of all lanes and credits have gone round */
}

static const unsigned numbers[] = {1, 511, 512, 513, 1024};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

/* Of a flow with `lost` packets thrown away the first one after them is spoiled, none else. */
static void check_flow(unsigned from, unsigned to, unsigned packets, unsigned lost, uint32_t first)
{
    const struct told *t = &told[from][to];

    ck_assert_msg(t->packets == packets && t->missing == lost && t->bad == (lost != 0) && t->bad_after_gap == t->bad,
                  "flow %u to %u: %u packets, %u missing before, %u bad (%u right after those); expected %u, %u, %u", from, to, t->packets,
                  t->missing, t->bad, t->bad_after_gap, packets, lost, lost != 0);
    if (lost) ck_assert_uint_eq(t->last_bad, first);
}

TEST_CASE("drained", .timeout = 600, .setup = setup);

/* Flow 0 > AWAY loses `n`, flow 2 > AWAY five; 1 > AWAY and AWAY's own have sent nothing meanwhile; all others run. */
TEST(drained_packets_are_told_of, .to = 2 * NUMBERS)
{
    enum way way = (enum way)(_i / NUMBERS);
    unsigned n = numbers[_i % NUMBERS];

    all_flows(3);
    wait_sent();
    b->group.losses_allowed = 1;
    take_away(way);
    switch_bench_write(b, SWITCH_CLEAR, 0);
    send(0, AWAY, n, 1);
    send(2, AWAY, 5, 40);
    for (unsigned from = 0; from < AWAY; from++)
        for (unsigned to = 0; to < AWAY; to++) send(from, to, 20, 10);
    wait_sent();
    ck_assert_uint_eq(switch_bench_read(b, SWITCH_DRAINED + 0x400 * AWAY), n + 5);
    bring_back(way);
    all_flows(10);
    switch_bench_drain(b);
    for (unsigned from = 0; from < PORTS; from++)
        for (unsigned to = 0; to < PORTS; to++) {
            unsigned lost = to != AWAY ? 0 : from == 0 ? n : from == 2 ? 5 : 0;
            check_flow(from, to, 13 + (from != AWAY && to != AWAY ? 20 : 0), lost, 3 + lost);
        }
    ck_assert_uint_eq(switch_bench_read(b, SWITCH_CROSSPOINT_UNDERFLOWS + 0x400 * AWAY), 0);
}

/* A disabled port takes nothing from its NIC: of the flows concerned, those from it, the next packet tells as well. */
TEST(packets_that_a_disabled_port_refuses_are_told_of, .to = NUMBERS)
{
    unsigned n = numbers[_i];

    all_flows(3);
    wait_sent();
    b->group.losses_allowed = 1;
    take_away(DISABLED);
    switch_bench_write(b, SWITCH_CLEAR, 0);
    send(AWAY, 0, n, 1);
    send(AWAY, 2, 5, 40);
    wait_sent();
    ck_assert_uint_eq(switch_bench_read(b, SWITCH_DROPPED_FLOW + 0x400 * AWAY), n + 5);
    bring_back(DISABLED);
    all_flows(10);
    switch_bench_drain(b);
    for (unsigned from = 0; from < PORTS; from++)
        for (unsigned to = 0; to < PORTS; to++) {
            unsigned lost = from != AWAY ? 0 : to == 0 ? n : to == 2 ? 5 : 0;
            check_flow(from, to, 13, lost, 3 + lost);
        }
}

/* The port goes at any moment of traffic, in mid-packet too. The receivers lose nothing but what is drained, so packets of a flow to AWAY
 * are spoiled after a gap and nowhere else; what AWAY's own NIC sends meanwhile is lost on its wire. */
TEST(ports_that_go_in_traffic_spoil_one_packet_after_each_gap)
{
    uint32_t drained = 0, missing = 0;

    b->group.losses_allowed = 1;
    switch_bench_write(b, SWITCH_CLEAR, 0);
    for (int round = 0; round < 8; round++) {
        enum way way = (enum way)(round % 2);
        for (unsigned done = 0; done < 1500 + sim_random_below(b->s, 500); done += 250) {
            for (unsigned p = 0; p < PORTS; p++)
                while (nic_waiting(b->group.nic[p]) < 60)
                    nic_send(b->group.nic[p], (unsigned)sim_random_below(b->s, PORTS), 1 + (unsigned)sim_random_below(b->s, LONGEST_WORDS));
            switch_bench_run(b, 250);
        }
        take_away(way);
        wait_sent();
        bring_back(way);
    }
    all_flows(2);
    switch_bench_drain(b);
    for (unsigned from = 0; from < AWAY; from++) {
        const struct told *t = &told[from][AWAY];
        ck_assert_uint_gt(t->gaps, 2);
        ck_assert_uint_eq(t->bad_after_gap, t->gaps);
        ck_assert_uint_eq(t->bad, t->gaps);
        for (unsigned to = 0; to < AWAY; to++) ck_assert_uint_eq(told[from][to].missing + told[from][to].bad, 0);
    }
    for (unsigned from = 0; from < AWAY; from++) missing += told[from][AWAY].missing;
    drained = switch_bench_read(b, SWITCH_DRAINED + 0x400 * AWAY);
    ck_assert_uint_gt(drained, 50);
    ck_assert_uint_le(missing, drained);
    ck_assert_uint_ge(missing + told[AWAY][AWAY].missing, drained);
}

/* The check itself: 512 packets that nobody counted. */
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
