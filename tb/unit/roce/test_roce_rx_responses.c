/* The receiver of the RoCE chip: datagrams of QP 1, and responses for the requester. */
#include "rx_messages.h"

/* ---- QP 1 */

static packet mad(unsigned length)
{
    packet p = text_packet(UD_SEND_ONLY, 1, 5, length);
    memset(p.from_mac, 0x77, 6);
    memset(p.from_ip, 0x13, 4);
    return p;
}

TEST_CASE("rx", .timeout = 120);

/* Datagrams for QP 1 come from anybody and arrive with all their headers. */
TEST(datagrams_arrive_with_their_headers, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 1, 0, 0, 2, 4, 0);
    uint8_t frame[FRAME_LONGEST];
    for (int v6 = 0; v6 < 2; v6++) {
        packet p = mad(256);
        if (v6) p.v6 = 1, memcpy(p.to_ip, our_ip6, 16);
        unsigned length = packet_frame(&p, frame);
        rx_bench_expect(b, 1, frame, length - 4);
        put(p);
    }
    packet bad_key = mad(256);
    bad_key.q_key++;
    put(bad_key);
    put(mad(512)); /* too long for the buffer with its headers */
    packet other = mad(256);
    other.opcode = SEND_ONLY;
    put(other);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_mad], 2);
    ck_assert_uint_eq(b->events[EV_irq_mad], 2);
    ck_assert_uint_eq(b->events[EV_in_dropped], 3);
    ck_assert_uint_eq(b->ack_count, 0);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid], 0);
}

/* QP 1 takes those of its own partition, and of the default one as full and as limited member. */
TEST(partitions_of_datagrams, .to = KINDS)
{
    static const struct {
        unsigned key, taken;
    } each[] = {{0x8123, 1}, {0xffff, 1}, {0x7fff, 1}, {0x8124, 0}, {0x0123, 1}, {0xfffe, 0}};
    b = rx_bench_new(_i);
    rx_bench_qp(b, 1, 0, 0, 2, 8, 0);
    b->rows[0][QPADVCONF] = 0x8123u << 16;
    for (unsigned i = 0; i < COUNT(each); i++) {
        uint8_t frame[FRAME_LONGEST];
        packet p = mad(256);
        p.key = each[i].key;
        unsigned length = packet_frame(&p, frame);
        if (each[i].taken) rx_bench_expect(b, 1, frame, length - 4);
        put(p);
    }
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_mad], 4);
    ck_assert_uint_eq(b->events[EV_in_dropped], 2);
}

/* ---- responses for the requester */

TEST(responses_go_to_the_requester, .to = 3 * KINDS)
{
    b = rx_bench_new(_i % 2);
    b->busy_percent = _i / 2 * 30;
    rx_bench_memory(b, 20, (unsigned)_i / 2 * 30);
    rx_bench_qp(b, 2, 0, 2, 8, 8, 0);
    b->answer.addr = READS + 3;
    static const unsigned opcodes[] = {READ_FIRST, READ_MIDDLE, READ_MIDDLE, READ_LAST,
                                       READ_ONLY,  ACKNOWLEDGE, ACKNOWLEDGE};
    static const unsigned lengths[] = {1024, 1024, 1024, 1001, 1, 0, 0};
    unsigned at = 0;
    for (unsigned round = 0; round < 10; round++)
        for (unsigned i = 0; i < 7; i++) {
            packet p = text_packet(opcodes[i], 2, 50 + i, lengths[i]);
            p.payload += at;
            p.syndrome = i == 6 ? NAK_ACCESS : i == 5 ? RNR_NAK : ACK_GOOD;
            p.msn = 1000 + i;
            at += lengths[i];
            put(p);
        }
    rx_bench_run(b, 40000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->response_count, 70);
    for (unsigned i = 0; i < 70; i++) {
        const struct rx_response *r = &b->responses[i];
        ck_assert_uint_eq(r->opcode, opcodes[i % 7]);
        ck_assert_uint_eq(r->length, lengths[i % 7]);
        ck_assert_uint_eq(r->psn, 50 + i % 7);
        if (opcodes[i % 7] == READ_MIDDLE) continue;
        ck_assert_uint_eq(r->syndrome, i % 7 == 6 ? NAK_ACCESS : i % 7 == 5 ? RNR_NAK : ACK_GOOD);
        ck_assert_uint_eq(r->msn, 1000 + i % 7);
    }
    ck_assert_mem_eq(rx_bytes(b, READS + 3, at), text, at);
    ck_assert_uint_eq(b->events[EV_put_valid], 50);
    ck_assert_uint_eq(b->events[EV_in_ack], 20);
    ck_assert_uint_eq(b->events[EV_in_nak], 20);
    ck_assert_uint_eq(b->nak_qp, 2);
    ck_assert_uint_eq(b->ack_count, 0);
}

/* Path MTU codes that S5 reserves mean 4096 bytes. */
TEST(reserved_path_mtus, .to = 3 * KINDS)
{
    b = rx_bench_new(_i % KINDS);
    rx_bench_qp(b, 2, 0, 5 + (unsigned)(_i / KINDS), 64, 8, 0);
    rx_bench_message(b, 2, 0, text, 9000);
    rx_bench_run(b, 8000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, 1);
}

/* Only the end of a response may have pad. FIRST and MIDDLE with it are of no length that the requester could want: it
 * makes the QP fatal.
 */
TEST(pad_in_mid_response_is_reported_as_a_wrong_length, .to = KINDS)
{
    static const struct {
        unsigned opcode, length, pad, expected_count;
    } each[] = {
        {READ_FIRST, 1022, 2, 0x1fff}, {READ_MIDDLE, 1023, 1, 0x1fff}, {READ_LAST, 6, 2, 6}, {READ_ONLY, 1, 3, 1}};
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 2, 8, 8, 0);
    b->answer.drop = 1;
    for (unsigned i = 0; i < COUNT(each); i++) {
        packet p = text_packet(each[i].opcode, 2, 50 + i, each[i].length);
        p.pad = each[i].pad;
        p.syndrome = ACK_GOOD;
        put(p);
    }
    rx_bench_run(b, 4000);
    ck_assert_uint_eq(b->response_count, COUNT(each));
    for (unsigned i = 0; i < COUNT(each); i++) ck_assert_uint_eq(b->responses[i].length, each[i].expected_count);
}

/* The requester's verdict on a response: dropped, in error, fatal; and memory that fails. */
TEST(answers_of_the_requester, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t psn = psn_starts[_i / 2];
    sim_port_set(&b->p->error_all, 1);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    packet p = text_packet(READ_ONLY, 2, psn, 100);
    b->answer.write = 0, b->answer.drop = 1;
    put(p);
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(b->events[EV_in_duplicate], 1);
    b->answer = (struct rx_answer){.error = 1u << 22};
    put(p);
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(b->events[EV_in_invalid], 1);
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), 1);
    b->answer = (struct rx_answer){.error = 1u << 23, .fatal = 1, .code = 0x1a};
    p.syndrome = NAK_ACCESS;
    put(p);
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), 2);
    ck_assert_uint_eq(sim_port_get(&b->p->ipkterr_wptr), 1);
    const uint8_t expected[8] = {2, 0, 0x1a, READ_ONLY, (uint8_t)psn, (uint8_t)(psn >> 8), (uint8_t)(psn >> 16), 0x62};
    ck_assert_mem_eq(rx_bytes(b, STATUS, 8), expected, 8);
    ck_assert_uint_eq(rx_word(b, ERRORS + 128), 1u << 23);
    uint8_t frame[FRAME_LONGEST];
    packet_frame(&p, frame);
    ck_assert_mem_eq(rx_bytes(b, ERRORS + 132, 124), frame, 124);
    p.opcode = READ_MIDDLE; /* it has no AETH: no syndrome came */
    put(p);
    rx_bench_run(b, 2000);
    const uint8_t middle[8] = {2, 0, 0x1a, READ_MIDDLE, (uint8_t)psn, (uint8_t)(psn >> 8), (uint8_t)(psn >> 16), 0};
    ck_assert_mem_eq(rx_bytes(b, STATUS + 8, 8), middle, 8);
    p.opcode = READ_ONLY;
    ck_assert_uint_eq(rx_writes(b, b->rdrsp), 0);
    b->answer = (struct rx_answer){.write = 1, .addr = READS};
    axi_memory_add_range(b->memory, READS, 1, AXI_SLVERR);
    put(p);
    rx_bench_run(b, 2000);
    ck_assert_uint_eq(b->events[EV_put_error], 1);
    /* what no packet caused */
    sim_port_set(&b->p->err_valid, 1);
    sim_port_set(&b->p->err_qp, 6);
    sim_port_set(&b->p->err_code, 6);
    sim_port_set(&b->p->err_opcode, 0x0a);
    sim_port_set(&b->p->err_psn, 0xabcdef);
    run_clocks(b->s, b->clk, 1);
    sim_port_set(&b->p->err_valid, 0);
    rx_bench_run(b, 2000);
    const uint8_t other[8] = {7, 0, 6, 0x0a, 0xef, 0xcd, 0xab, 0};
    ck_assert_mem_eq(rx_bytes(b, STATUS + 16, 8), other, 8);
    rx_bench_holds(b);
}
