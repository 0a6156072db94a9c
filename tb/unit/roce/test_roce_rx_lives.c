/* roce_rx: queues at their largest level, the chip off and on again in traffic, and events that never come before what
 * they report. */
#include "rx_bench.h"

#include <string.h>

enum { KINDS = 2 };

static rx_bench *b;

TEST_CASE("rx_lives", .timeout = 120);

static void put(packet p) { rx_bench_packet(b, &p); }

/* Runs until `event` has come `count` times. */
static void until(int event, unsigned count)
{
    for (uint64_t end = b->clocks + 20000; b->events[event] < count;) {
        ck_must(b->clocks < end, "event %d has come %u times, expected %u", event, b->events[event], count);
        run_clocks(b->s, b->clk, 1);
    }
}

/* `own_busy` of a QP. */
static int busy(unsigned qp)
{
    sim_port_set(&b->p->own_qp, qp - 1);
    run_clocks(b->s, b->clk, 2);
    return (int)sim_port_get(&b->p->own_busy);
}

/* ---- capacity */

/* The checker is stopped and a stranger sends more frames than can wait: the rest is dropped and counted. Each packet
 * behind them is still checked by its own ICRC. */
TEST(more_frames_than_can_wait, .to = KINDS)
{
    b = rx_bench_new(_i);
    enum { OURS = 40, STRANGE = 560 };
    rx_bench_qp(b, 2, 0, 0, 8, 100, 0);
    axi_memory_stall(b->memory, 8000);
    uint32_t psn = 0;
    for (unsigned i = 0; i < OURS; i++) psn = rx_bench_message(b, 2, psn, text + i, 200);
    for (unsigned i = 0; i < STRANGE; i++) put(text_packet(SEND_ONLY, 7, i, 0));
    run_clocks(b->s, b->clk, 8000);
    rx_bench_run(b, 30000);
    ck_assert_uint_eq(b->events[EV_in_all], OURS + STRANGE);
    for (unsigned i = 0; i < 3; i++) {
        packet p = text_packet(SEND_ONLY, 2, psn, 100);
        p.corrupt_icrc = 1;
        put(p);
        put(text_packet(SEND_ONLY, 7, i, 100));
        psn = rx_bench_message(b, 2, psn, text + 7, 150);
    }
    rx_bench_run(b, 10000);
    rx_bench_holds(b);
}

/* Packets are multiples of 4 bytes with their pad, and an ACK has an AETH and nothing else. Other packets are dropped
 * (bit 10). */
TEST(lengths_that_iba_does_not_have, .to = KINDS)
{
    static const struct {
        unsigned opcode, length, pad, taken;
    } each[] = {{SEND_ONLY, 0, 3, 0},   {SEND_ONLY, 8, 1, 0},   {SEND_ONLY, 7, 1, 1},   {ACKNOWLEDGE, 0, 3, 0},
                {ACKNOWLEDGE, 4, 0, 0}, {ACKNOWLEDGE, 1, 3, 0}, {ACKNOWLEDGE, 0, 0, 1}, {READ_ONLY, 8, 2, 0}};
    b = rx_bench_new(_i);
    sim_port_set(&b->p->error_all, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    unsigned dropped = 0, responses = 0;
    for (unsigned i = 0; i < COUNT(each); i++) {
        packet p = text_packet(each[i].opcode, 2, 0, each[i].length);
        p.pad = each[i].pad;
        if (each[i].taken && each[i].opcode == SEND_ONLY) rx_bench_expect(b, 2, text, each[i].length);
        put(p);
        rx_bench_run(b, 2000);
        dropped += !each[i].taken;
        responses += each[i].taken && each[i].opcode == ACKNOWLEDGE;
        ck_assert_uint_eq(b->events[EV_in_dropped], dropped);
        ck_assert_uint_eq(b->response_count, responses);
        if (!each[i].taken) ck_assert_uint_eq(rx_word(b, ERRORS + 128 * (dropped - 1)), 1u << 10);
    }
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid], 0);
}

/* Packets of a connection from another MAC address than its peer's: dropped (bit 4), or taken, as XRNICADCONF says. */
TEST(any_source_mac, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    unsigned any = (unsigned)_i / KINDS;
    sim_port_set(&b->p->any_mac, any);
    sim_port_set(&b->p->error_all, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    packet p = text_packet(SEND_ONLY, 2, 0, 20);
    p.from_mac[5] ^= 1;
    if (any) rx_bench_expect(b, 2, text, 20);
    put(p);
    p.to_mac[5] ^= 1; /* its own address counts all the same */
    p.psn = any;
    put(p);
    rx_bench_run(b, 3000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_dropped], 2 - any);
    ck_assert_uint_eq(rx_word(b, ERRORS), any ? 1 : 1u << 28);
}

/* Frames of 16 KB and around, whole words and not, good and bad: the length that is kept of them is never 0. */
TEST(giant_frames_end, .to = 2 * KINDS)
{
    static const unsigned lengths[] = {16320, 16383, 16384, 16385, 16448, 20000, 32768};
    static uint8_t giant[32768];
    b = rx_bench_new(_i % KINDS);
    sim_port_set(&b->p->error_all, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 100, 0);
    packet p = text_packet(SEND_ONLY, 2, 0, 30);
    p.append = 100; /* of the IP length nothing is true */
    unsigned length = packet_frame(&p, giant);
    memset(giant + length, 0x55, sizeof giant - length);
    giant[50] ^= 1; /* its BTH: no ICRC is right */
    uint32_t psn = 0;
    unsigned entries = 0;
    for (unsigned i = 0; i < COUNT(lengths); i++) {
        rx_bench_frame(b, giant, lengths[i], _i / KINDS);
        psn = rx_bench_message(b, 2, psn, text, 300);
        rx_bench_run(b, 20000);
        entries += lengths[i] < 32768 - b->bytes; /* the ring has one word less */
        if (b->bytes == 64) entries = i + 1;
        ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), entries);
        int bad_fcs = _i / KINDS || lengths[i] >= 16384;
        ck_assert_mem_eq(rx_bytes(b, ERRORS + 128 * (entries - 1) + 4, 124), giant, 124);
        if (entries > i) ck_assert_uint_eq(rx_word(b, ERRORS + 128 * (entries - 1)), bad_fcs ? 1u << 31 : 1u << 30);
    }
    rx_bench_holds(b);
}

/* Memory answers 128 doorbells in a row while doorbells at the port take every second clock: each has its interrupt. */
TEST(interrupts_of_many_doorbells, .to = KINDS)
{
    b = rx_bench_new(_i);
    enum { BY_BUS = 124, BY_PORT = 100 };
    rx_bench_qp(b, 2, 0, 0, 8, 200, 0);
    rx_bench_qp(b, 3, 0, 0, 8, 200, 0);
    b->rows[1][QPCONF] |= QP_BY_BUS;
    b->rows[1][RQLENBA] = b->rows[2][RQLENBA] = 0;
    b->hold_bells = 1;
    for (unsigned i = 0; i < BY_BUS; i++) {
        rx_bench_memory(b, i ? 1 : 5000, 0); /* the answer that is late holds up all others */
        put(text_packet(SEND_ONLY, 2, i, 0));
        if (i == 0) run_clocks(b->s, b->clk, 100);
    }
    for (unsigned i = 0; i < BY_PORT; i++) {
        put(text_packet(SEND_ONLY, 3, i, 0));
        rx_bench_expect(b, 3, text, 0);
    }
    run_clocks(b->s, b->clk, 4000);
    until(EV_irq_rq, 1);
    b->hold_bells = 0;
    rx_bench_run(b, 20000);
    rx_bench_holds(b);
    ck_assert_uint_eq(rx_word(b, BELLS + 128), BY_BUS);
    ck_assert_uint_eq(b->events[EV_irq_rq], BY_BUS + BY_PORT);
}

/* An application takes no doorbell, the most messages wait: software reads registers all the same. */
TEST(registers_do_not_wait_for_doorbells, .to = KINDS)
{
    b = rx_bench_new(_i);
    enum { MESSAGES = 150 };
    rx_bench_qp(b, 2, 0, 0, 1, 200, 0);
    b->rows[1][RQLENBA] = 0;
    b->hold_bells = 1;
    uint32_t psn = 0;
    for (unsigned i = 0; i < MESSAGES; i++) psn = rx_bench_message(b, 2, psn, text, 3);
    rx_bench_run(b, 20000);
    ck_assert_uint_eq(rx_bench_own(b, 2, STATRQPIDB, 0, 0, 0), 0);
    ck_assert_uint_ge(rx_bench_own(b, 2, STATMSN, 0, 0, 0), 128);
    ck_assert_uint_lt(rx_bench_own(b, 2, STATMSN, 0, 0, 0), MESSAGES);
    rx_bench_own(b, 5, LSTRQREQ, 1, 0, 0x123456);
    ck_assert_uint_eq(rx_bench_own(b, 5, LSTRQREQ, 0, 0, 0), 0x123456);
    b->hold_bells = 0;
    while (b->bell_count < MESSAGES) { /* and go on reading */
        ck_assert_uint_lt(b->clocks, 40000);
        rx_bench_own(b, 2, STATMSN, 0, 0, 0);
    }
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(rx_bench_own(b, 2, STATMSN, 0, 0, 0), MESSAGES);
}

/* The requester takes no response, because data of READs wait for memory, or for the chip to be on: registers are read
 * all the same. */
TEST(registers_do_not_wait_for_responses, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 0, 1, 200, 77);
    b->busy_percent = 100;
    put(text_packet(ACKNOWLEDGE, 2, 5, 0));
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(rx_bench_own(b, 2, LSTRQREQ, 0, 0, 0) & 0xffffff, 76);
    ck_assert_uint_eq(b->response_count, 0);
    b->busy_percent = 0;
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(b->response_count, 1);
    ck_assert_uint_eq(b->events[EV_in_ack], 1);
}

/* A packet has been checked and waits for its place among the posts, which are all of another QP: its QP is busy, and
 * no third one. */
TEST(a_checked_packet_keeps_its_qp_busy, .to = KINDS)
{
    b = rx_bench_new(_i);
    b->consumes = 1;
    rx_bench_qp(b, 2, 0, 0, 1, 200, 0);
    rx_bench_qp(b, 3, 0, 0, 1, 200, 0);
    uint32_t psn = 0, most = 0;
    for (unsigned round = 0; round < 2; round++) {
        b->hold_bells = 1;
        for (unsigned i = 0; i < (round ? most : 150); i++) psn = rx_bench_message(b, 2, psn, text, 3);
        if (round) rx_bench_message(b, 3, 0, text, 3);
        rx_bench_run(b, 20000);
        if (!round) most = rx_bench_own(b, 2, STATMSN, 0, 0, 0); /* number of waiting posts */
        else ck_assert_uint_eq(rx_bench_own(b, 3, STATMSN, 0, 0, 0), 0);
        run_clocks(b->s, b->clk, 50);
        ck_assert(busy(2) && busy(3) == (int)round && !busy(4));
        b->hold_bells = 0;
        rx_bench_run(b, 20000);
        ck_assert(!busy(2) && !busy(3));
    }
    rx_bench_holds(b);
}

/* ---- lives */

/* Memory refuses a doorbell while another QP gets a fatal error from a request: an entry for each. */
TEST(two_qps_get_fatal_errors_at_once, .to = KINDS)
{
    b = rx_bench_new(_i);
    ck_assert_int_eq(axi_memory_add_range(b->memory, BELLS + 128, 4, AXI_SLVERR), 0);
    for (unsigned i = 1; i < 30; i++) {
        for (unsigned qp = 2; qp <= 3; qp++) rx_bench_qp(b, qp, 0, 0, 8, 8, 0);
        b->rows[1][QPCONF] |= QP_BY_BUS;
        b->rows[1][RQLENBA] = 0;
        rx_bench_memory(b, i, 0);
        put(text_packet(SEND_ONLY, 2, 0, 0));
        put(text_packet(WRITE_ONLY, 3, 0, 0));
        rx_bench_run(b, 2000);
        ck_must(sim_port_get(&b->p->ipkterr_wptr) == 2 * i % 8, "latency %u: the pointer is %u", i,
                (unsigned)sim_port_get(&b->p->ipkterr_wptr));
        ck_assert_uint_eq(b->events[EV_set_fatal_valid], 2 * i);
    }
}

/* Memory refuses a doorbell, or the data of a message, in the clock in which another QP is restarted: the QP ends all
 * the same, so the message behind has no effect. */
TEST(a_qp_ends_while_another_one_starts, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    int by_bus = _i / KINDS;
    ck_assert_int_eq(axi_memory_add_range(b->memory, by_bus ? BELLS + 128 : rx_entry(2), 4, AXI_SLVERR), 0);
    rx_bench_memory(b, 150, 0);
    for (unsigned i = 1; i < 60; i++) {
        rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
        if (by_bus) b->rows[1][QPCONF] |= QP_BY_BUS;
        b->rows[1][RQLENBA] = 0;
        put(text_packet(SEND_ONLY, 2, 0, by_bus ? 0 : 4));
        put(text_packet(SEND_ONLY, 2, 1, 4)); /* its data go to memory behind them */
        run_clocks(b->s, b->clk, 140 + i);
        rx_bench_own(b, 3, QPCONF, 1, 1, 0);
        rx_bench_run(b, 2000);
        ck_must(b->events[EV_set_fatal_valid] == i && b->bell_count == 0,
                "%u clocks: QP 2 has ended %u times, expected %u; %u doorbells", 140 + i, b->events[EV_set_fatal_valid],
                i, b->bell_count);
        rx_bench_switch(b, 2, 0);
    }
}

/* Memory refuses a doorbell of a QP whose life has ended: nothing is reported. */
TEST(a_doorbell_that_fails_behind_a_life, .to = KINDS)
{
    b = rx_bench_new(_i);
    ck_assert_int_eq(axi_memory_add_range(b->memory, BELLS + 128, 4, AXI_SLVERR), 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    b->rows[1][QPCONF] |= QP_BY_BUS;
    b->rows[1][RQLENBA] = 0;
    rx_bench_memory(b, 500, 0);
    put(text_packet(SEND_ONLY, 2, 0, 0));
    run_clocks(b->s, b->clk, 200);
    rx_bench_switch(b, 2, 0);
    rx_bench_run(b, 3000);
    ck_assert_uint_eq(sim_port_get(&b->p->ipkterr_wptr), 0);
}

/* The chip is off while memory answers for a message: software gets its report, and the peer that sends it again gets
 * its ACK. */
TEST(a_message_taken_before_the_chip_is_off_is_reported, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    int by_bus = _i / KINDS;
    rx_bench_qp(b, 2, 0, 0, 8, 100, 0);
    if (by_bus) b->rows[1][QPCONF] |= QP_BY_BUS;
    rx_bench_memory(b, 1000, 0);
    if (by_bus) put(text_packet(SEND_ONLY, 2, 0, 100));
    else rx_bench_message(b, 2, 0, text, 100);
    run_clocks(b->s, b->clk, 200);
    ck_assert_uint_eq(b->events[EV_in_send], 1);
    sim_port_set(&b->p->qp_limit, 0);
    rx_bench_run(b, 4000);
    sim_port_set(&b->p->qp_limit, 0xff);
    put(text_packet(SEND_ONLY, 2, 0, 100));
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    if (by_bus) ck_assert_uint_eq(rx_word(b, BELLS + 128), 1);
    ck_assert_uint_eq(b->events[EV_irq_rq], 1);
    ck_assert_uint_eq(rx_bench_own(b, 2, STATRQPIDB, 0, 0, 0), 1);
    ck_assert_uint_eq(b->acks[b->ack_count - 1].psn, 0);
}

/* NAKs wait while TX takes none: their QP is busy until they have left, another one is not. */
TEST(a_qp_is_busy_while_its_naks_wait, .to = KINDS)
{
    b = rx_bench_new(_i);
    for (unsigned qp = 2; qp <= 3; qp++) rx_bench_qp(b, qp, 0, 0, 8, 8, 0);
    b->hold_acks = 1;
    for (unsigned qp = 3; qp >= 2; qp--) put(text_packet(SEND_ONLY, qp, 5, 20)); /* ahead; TX is offered that of QP 3 */
    rx_bench_run(b, 2000);
    for (unsigned i = 0; i < 3; i++) {
        rx_bench_switch(b, 2, 0);
        sim_port_set(&b->p->own_qp, i % 2 ? 2 : 1);
        run_clocks(b->s, b->clk, 300);
        ck_assert_uint_eq(sim_port_get(&b->p->own_busy), i % 2 == 0);
    }
    b->hold_acks = 0;
    run_clocks(b->s, b->clk, 300);
    ck_assert_uint_eq(sim_port_get(&b->p->own_busy), 0);
    ck_assert_uint_eq(b->ack_count, 2);
}

/* The chip goes off and on while entries of both error queues are on their way to memory: the queues of its next life
 * begin at 0, and no entry of the former one counts. */
TEST(error_queues_begin_at_0_in_each_life, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    unsigned off = _i / KINDS ? 200 : 2; /* clocks; the entries are under way for longer */
    sim_port_set(&b->p->error_all, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    rx_bench_qp(b, 3, 0, 0, 8, 8, 0);
    rx_bench_memory(b, 1000, 0);
    for (unsigned qp = 2; qp <= 3; qp++) {
        put(text_packet(SEND_ONLY, 8, 5, 20));
        put(text_packet(WRITE_ONLY, qp, 0, 20)); /* fatal */
        run_clocks(b->s, b->clk, 300);
        ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr) + sim_port_get(&b->p->ipkterr_wptr), 0);
        if (qp == 3) break;
        sim_port_set(&b->p->chip_enable, 0);
        run_clocks(b->s, b->clk, off);
        ck_assert(busy(1) && !busy(5)); /* the queues are those of QP 1 then */
        sim_port_set(&b->p->chip_enable, 1);
    }
    ck_assert(!busy(1));
    rx_bench_run(b, 8000);
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), 2);
    ck_assert_uint_eq(sim_port_get(&b->p->ipkterr_wptr), 1);
    ck_assert_uint_eq(rx_word(b, STATUS) & 0xffff, 3);
    ck_assert_uint_eq(rx_bytes(b, ERRORS + 4 + 49, 1)[0], 8); /* the BTH's QP, of the first */
    sim_port_set(&b->p->chip_enable, 0);
    ck_assert(!busy(1));
}

/* Packets that wait when the chip goes off leave no entry behind. */
TEST(no_entry_of_a_chip_that_is_off, .to = KINDS)
{
    b = rx_bench_new(_i);
    sim_port_set(&b->p->error_all, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    axi_memory_stall(b->memory, 3000);
    for (unsigned i = 0; i < 60; i++) put(text_packet(i % 2 ? WRITE_ONLY : SEND_ONLY, i % 2 ? 2 : 8, 0, 20));
    run_clocks(b->s, b->clk, 1500);
    sim_port_set(&b->p->chip_enable, 0);
    sim_port_set(&b->p->qp_limit, 0);
    run_clocks(b->s, b->clk, 2000);
    rx_bench_run(b, 8000);
    uint64_t writes = rx_writes(b, b->dr);
    ck_assert_uint_le(writes, 30); /* those under way */
    sim_port_set(&b->p->chip_enable, 1);
    sim_port_set(&b->p->qp_limit, 0xff);
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(rx_writes(b, b->dr), writes);
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr) + sim_port_get(&b->p->ipkterr_wptr), 0);
}

/* A reset in mid-frame: the rest of the frame, whatever is in there, is no frame. The next one is. */
TEST(the_rest_of_a_frame_behind_a_reset, .to = 3 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    uint8_t arp[1600];
    memcpy(arp, text, sizeof arp);
    memcpy(arp + 12, "\x08\x06", 2);
    memcpy(arp + 64 * 12 + 12, "\x08\x06", 2);
    unsigned ends = _i / KINDS == 2; /* the reset comes behind the frame's end */
    rx_bench_frame(b, arp, 1472, 0);
    rx_bench_frame(b, arp, 200 + b->bytes, 0);
    while (ends ? !b->frame_now : b->at < (_i / KINDS ? 1472 - b->bytes : 64 * 12)) run_clocks(b->s, b->clk, 1);
    sim_port_set(&b->p->rst, 1);
    rx_bench_all_off(b);
    sim_port_set(&b->p->rst, 0);
    if (ends) { /* the MAC has a pause then */
        b->idle_percent = 100;
        run_clocks(b->s, b->clk, 20);
        b->idle_percent = 0;
    }
    rx_bench_run(b, 4000);
    ck_assert_uint_eq(b->other_count, 1);
    ck_assert_uint_eq(b->other_lengths[0], 200 + b->bytes);
    ck_assert_mem_eq(b->other, arp, 200 + b->bytes);
}

/* ---- order */

/* The interrupt of a datagram whose doorbell goes to memory: the doorbell can be read then. */
TEST(datagrams_interrupt_behind_their_doorbell, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 1, 0, 0, 2, 8, 0);
    b->rows[0][QPCONF] |= QP_BY_BUS;
    rx_bench_memory(b, 500, 0);
    for (unsigned i = 1; i <= 2; i++) {
        packet p = text_packet(UD_SEND_ONLY, 1, 5, 256);
        memset(p.from_mac, 0x77, 6);
        put(p);
        until(EV_irq_mad, i);
        ck_assert_uint_eq(rx_word(b, BELLS + 64), i);
    }
    rx_bench_run(b, 3000);
    ck_assert_uint_eq(b->events[EV_irq_mad], 2);
    ck_assert_uint_eq(b->events[EV_irq_rq], 2);
}

/* The interrupt of a packet that fails a check: its entry can be read and the pointer has moved; at once if no entry is
 * written. */
TEST(invalid_packets_interrupt_behind_their_entry, .to = 3 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    int recorded = _i / KINDS == 0, all = _i / KINDS < 2;
    sim_port_set(&b->p->error_all, (unsigned)all);
    if (!recorded) sim_port_set(&b->p->errbuf_count, 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    rx_bench_memory(b, 500, 0);
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t begun = b->clocks;
        put(text_packet(i == 2 ? READ_ONLY : SEND_ONLY, i == 2 ? 2 : 8, 5, 20));
        b->answer = (struct rx_answer){.error = 1u << 22};
        until(EV_irq_invalid, i);
        if (recorded) ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), i);
        else ck_assert_uint_lt(b->clocks - begun, 100);
    }
    rx_bench_run(b, 3000);
    ck_assert_uint_eq(b->events[EV_irq_invalid], 3);
    ck_assert_uint_eq(b->events[EV_in_invalid], 3);
}
