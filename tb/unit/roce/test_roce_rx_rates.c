/* roce_rx: packets per clock and clocks per packet; memory that stalls, queues that are full, resets, many QPs at once.
 */
#include "rx_bench.h"

#include <string.h>

enum { KINDS = 2 };

static rx_bench *b;

TEST_CASE("rx_rates", .timeout = 120);

/* Packets of PMTU 256 every 42.25 clocks of 8 bytes, every 5.28 clocks of 64 (a little faster than the line allows),
 * memory that answers after 200 clocks: messages of one packet and of four, and READ responses. Nothing is lost, and
 * the last doorbell rings soon after the last word. */
TEST(packets_at_line_rate, .to = 3 * KINDS)
{
    b = rx_bench_new(_i % 2);
    int wide = _i % 2, what = _i / 2;
    unsigned pmtu = 256, packets = wide ? 960 : 240, each = what == 1 ? 4 : 1;
    rx_bench_memory(b, 200, 0);
    b->answer_delay = 12;
    b->answer.addr = READS + 21; /* five beats of 64 bytes for a packet, as it has five words */
    b->line_gap = 24;            /* bytes between frames: preamble, FCS, pause */
    for (unsigned qp = 2; qp <= 5; qp++) rx_bench_qp(b, qp, 0, 0, 4, 64, 0);
    b->consumes = 1;
    uint32_t psn[6] = {0};
    for (unsigned i = 0; i < packets / each; i++) {
        unsigned qp = 2 + i % 4;
        if (what < 2) psn[qp] = rx_bench_message(b, qp, psn[qp], text + i % 7, each * pmtu);
        else {
            packet p = text_packet(READ_MIDDLE, qp, i, pmtu);
            p.payload += i % 7;
            rx_bench_packet(b, &p);
        }
        b->rows[qp - 1][RQLENBA] = 0; /* without lengths: they are words of their own */
    }
    uint64_t begun = b->clocks;
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_dropped], 0);
    double clocks = (double)(b->last_word - begun) / packets;
    ck_assert_double_le(clocks, wide ? 5.4 : 42.5);
    uint64_t last = what < 2 ? b->bells[b->bell_count - 1].clock : b->last_write;
    ck_assert_uint_le(last - b->last_word, 400);
    if (what == 2) ck_assert_uint_eq(b->events[EV_put_valid], packets);
}

/* A SEND of 64 bytes: from its last word to the doorbell and to the ACK, without memory's own time. */
TEST(latency_of_a_send, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % 2);
    int lengths = _i / 2;
    rx_bench_qp(b, 2, 0, 2, 16, 500, 0);
    if (!lengths) b->rows[1][RQLENBA] = 0;
    rx_bench_memory(b, 1, 0);
    uint32_t psn = 0;
    unsigned worst_bell = 0, worst_ack = 0;
    for (unsigned i = 0; i < 40; i++) {
        psn = rx_bench_message(b, 2, psn, text + i, 64);
        run_clocks(b->s, b->clk, i); /* any phase */
        rx_bench_run(b, 400);
        unsigned bell = (unsigned)(b->bells[b->bell_count - 1].clock - b->last_word);
        unsigned ack = (unsigned)(b->acks[b->ack_count - 1].clock - b->last_word);
        if (bell > worst_bell) worst_bell = bell;
        if (ack > worst_ack) worst_ack = ack;
    }
    rx_bench_holds(b);
    ck_assert_uint_le(worst_bell, 40);
    ck_assert_uint_le(worst_ack, 45); /* and 5 for TX */
}

/* Memory takes nothing for 6000 clocks: packets that fit wait, the others are dropped and counted, repeated ones are
 * accepted. Short packets fill the queue of headers, long ones the ring. */
TEST(memory_stands_still, .to = 2 * STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    int wide = _i % 2, large = _i / 2 / STARTS;
    unsigned count = large ? 100 : 400, length = large ? 4000 : 250;
    b->consumes = 1;
    uint32_t psn = psn_starts[_i / 2 % STARTS], start = psn;
    rx_bench_qp(b, 2, 0, large ? 4 : 0, 16, 16, psn);
    rx_bench_qp(b, 3, 0, 0, 16, 16, psn);
    axi_memory_stall(b->memory, 6000);
    unsigned first = b->frame_count;
    for (unsigned i = 0; i < count; i++) psn = rx_bench_message(b, 2, psn, text + i, length);
    run_clocks(b->s, b->clk, 6000);
    rx_bench_run(b, 100000);
    ck_assert_uint_gt(b->events[EV_in_dropped], large && !wide ? 2 : 50);
    ck_assert_uint_eq(b->events[EV_in_all], count);
    unsigned arrived = b->arrived[2];
    ck_assert_uint_gt(arrived, 6);
    /* the peer goes back to the first unacknowledged packet */
    b->idle_percent = wide && !large ? 70 : 0; /* short frames, 64 bytes per clock: no more than can be checked */
    for (unsigned i = arrived; i < count; i++)
        rx_bench_frame(b, b->frames[first + i].bytes, b->frames[first + i].length, 0);
    rx_bench_run(b, 100000);
    rx_bench_message(b, 3, start, text, 100);
    rx_bench_run(b, 10000);
    rx_bench_holds(b);
}

/* The reader of other frames stops: SENDs go on. Other frames that have no room are lost and counted; those that leave
 * are whole. */
TEST(other_frames_stop_nothing, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 0, 4, 500, 0);
    uint8_t arp[FRAME_LONGEST];
    memcpy(arp, text, sizeof arp);
    memcpy(arp + 12, "\x08\x06", 2);
    b->busy_percent = 100;
    uint32_t psn = 0;
    for (unsigned i = 0; i < 30; i++) {
        rx_bench_frame(b, arp, 1000 + i, 0);
        psn = rx_bench_message(b, 2, psn, text, 20);
    }
    b->hold_bells = b->hold_acks = 0;
    b->other_only = 1;
    rx_bench_run(b, 20000);
    rx_bench_holds(b);
    unsigned lost = b->events[EV_in_dropped];
    ck_assert_uint_gt(lost, 5);
    b->busy_percent = 30;
    rx_bench_run(b, 20000);
    ck_assert_uint_eq(b->other_count, 30 - lost);
    for (unsigned i = 0; i < b->other_count; i++) ck_assert_uint_eq(b->other_lengths[i], 1000 + i);
    ck_assert_mem_eq(b->other, arp, 1000);
    rx_bench_frame(b, arp, 60, 1); /* bad FCS: never */
    rx_bench_frame(b, arp, 61, 0);
    rx_bench_run(b, 20000);
    ck_assert_uint_eq(b->other_count, 31 - lost);
    ck_assert_uint_eq(b->other_lengths[30 - lost], 61);
}

/* An application takes no doorbell for long: responses still come in, and afterwards all are reported, in order. Some
 * QPs have their doorbells in memory; no interrupt is lost. */
TEST(doorbells_that_wait, .to = KINDS)
{
    b = rx_bench_new(_i);
    uint32_t psn = 0;
    rx_bench_qp(b, 2, 0, 0, 4, 100, 0);
    rx_bench_qp(b, 3, 0, 0, 4, 100, 0);
    b->rows[2][QPCONF] |= QP_BY_BUS;
    b->hold_bells = 1;
    for (unsigned i = 0; i < 12; i++) {
        psn = rx_bench_message(b, 2, psn, text, 30);
        packet p = text_packet(SEND_ONLY, 3, i, 30);
        rx_bench_packet(b, &p);
        p = text_packet(READ_ONLY, 2, i, 30);
        rx_bench_packet(b, &p);
    }
    rx_bench_run(b, 4000);
    ck_assert_uint_eq(b->bell_count, 0);
    ck_assert_uint_le(b->ack_count, 1); /* of the message whose doorbell waits: its data can be read */
    ck_assert_uint_eq(b->events[EV_put_valid], 12);
    b->hold_bells = 0;
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_irq_rq], 24);
}

/* While the chip is off, RoCE v2 vanishes, all else passes. */
TEST(a_chip_that_is_off, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 0, 4, 100, 0);
    sim_port_set(&b->p->chip_enable, 0);
    packet p = text_packet(SEND_ONLY, 2, 0, 30);
    rx_bench_packet(b, &p);
    p.port = 4790;
    rx_bench_packet(b, &p);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->other_count, 1);
    ck_assert_uint_eq(b->events[EV_in_all] + b->ack_count, 0);
    sim_port_set(&b->p->chip_enable, 1);
    rx_bench_message(b, 2, 0, text, 30);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
}

/* A QP is turned off in mid-message and restarted; another one notices nothing. */
TEST(a_qp_is_turned_off_in_mid_message, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t start = psn_starts[_i / 2];
    rx_bench_memory(b, 300, 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, start);
    rx_bench_qp(b, 3, 0, 0, 8, 8, start);
    packet p = text_packet(SEND_FIRST, 2, start, 256);
    rx_bench_packet(b, &p);
    p.opcode = SEND_LAST, p.psn = start + 1, p.ack_request = 1;
    rx_bench_packet(b, &p);
    uint32_t psn = rx_bench_message(b, 3, start, text, 700);
    run_clocks(b->s, b->clk, 200);
    rx_bench_switch(b, 2, 0); /* its last packet is in memory's hands */
    rx_bench_run(b, 5000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, 1);
    ck_assert_uint_eq(b->ack_count, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 8, start + 100);
    rx_bench_message(b, 2, start + 100, text, 300);
    rx_bench_message(b, 3, psn, text, 300);
    rx_bench_run(b, 5000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->ack_count, 3);
}

/* A QP is restarted while a packet for it comes in, whose headers have been looked at: nothing of its former life is
 * taken. */
TEST(a_qp_is_set_up_again_in_mid_packet, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t start = psn_starts[_i / 2];
    rx_bench_qp(b, 2, 0, 4, 40, 8, start);
    packet p = text_packet(SEND_ONLY, 2, start, 4096);
    rx_bench_packet(b, &p);
    b->idle_percent = _i % 2 ? 80 : 0; /* 64 bytes per clock: the packet takes as long as software */
    run_clocks(b->s, b->clk, 40);
    rx_bench_switch(b, 2, 0);
    rx_bench_qp(b, 2, 0, 4, 40, 8, start);
    ck_assert_uint_eq(b->frame_now, 0);
    rx_bench_run(b, 3000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_dropped], 1);
    ck_assert_uint_eq(b->ack_count, 0);
    rx_bench_message(b, 2, start, text, 5000);
    rx_bench_run(b, 5000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->ack_count, 1);
}

/* A reset in full traffic, then everything again. The memory drops its requests. */
TEST(reset_in_full_traffic, .to = 4 * STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t start = psn_starts[_i / 2 % STARTS], psn = start;
    rx_bench_qp(b, 2, 0, 0, 8, 100, start);
    for (int i = 0; i < 60; i++) psn = rx_bench_message(b, 2, psn, text, 700);
    run_clocks(b->s, b->clk, 300 + 37 * (unsigned)_i);
    while (b->at) run_clocks(b->s, b->clk, 1); /* the MAC ends its frame */
    sim_port_set(&b->p->rst, 1);
    b->frame_now = b->frame_count;
    rx_bench_all_off(b);
    sim_port_set(&b->p->rst, 0);
    rx_bench_run(b, 2000);
    unsigned bells = b->bell_count;
    rx_bench_qp(b, 2, 0, 0, 8, 100, start);
    rx_bench_message(b, 2, start, text + 1, 700);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, bells + 1);
}

/* Registers are read all the time, all takers and memory pause at random, QPs take turns: all arrives, in order,
 * acknowledged. */
TEST(everything_at_once, .to = 4 * KINDS)
{
    b = rx_bench_new(_i % 2);
    static const unsigned percents[] = {0, 20, 50, 70};
    unsigned percent = percents[_i / 2];
    b->busy_percent = b->idle_percent = percent;
    rx_bench_memory(b, 60, percent / 2);
    b->line_gap = 24;
    if (_i % 2) b->idle_percent = 70;
    uint32_t psn[8] = {0};
    for (unsigned qp = 2; qp < 8; qp++) rx_bench_qp(b, qp, qp & 1, qp % 3, 16, 100, psn[qp] = 0xfffff0);
    for (unsigned i = 0; i < 150; i++) {
        unsigned qp = 2 + (unsigned)sim_random_below(b->s, 6), length = (unsigned)sim_random_below(b->s, 1500);
        psn[qp] = rx_bench_message(b, qp, psn[qp], text + i, length);
    }
    while (b->frame_now < b->frame_count) {
        unsigned qp = 2 + (unsigned)sim_random_below(b->s, 6);
        ck_assert_uint_lt(rx_bench_own(b, qp, STATRQPIDB, 0, 0, 0), 100);
        ck_assert_uint_lt(b->clocks, 300000);
    }
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_dropped], 0);
    for (unsigned qp = 2; qp < 8; qp++) {
        unsigned newest = 0;
        for (unsigned i = 0; i < b->ack_count; i++)
            if (b->acks[i].qp == qp) newest = b->acks[i].psn;
        if (b->expected_count[qp]) ck_assert_uint_eq(newest, (psn[qp] - 1) & 0xffffff);
        ck_assert_uint_eq(rx_bench_own(b, qp, STATMSN, 0, 0, 0), b->expected_count[qp]);
    }
}
