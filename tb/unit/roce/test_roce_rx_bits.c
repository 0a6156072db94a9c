/* roce_rx: frames of all lengths; every bit flipped, of requests and of responses. */
#include "rx_rules.h"

TEST_CASE("rx_bits", .timeout = 120);

/* Frames as close as a queue of headers allows: with 64 bytes per clock a short one takes a clock or two, its check 11.
 */
static void leave_gaps(int kind) { b->idle_percent = kind % WIDTHS ? 92 : 0; }

/* Frames of every length up to 200 bytes (a stream has none of 0): noise leaves whole on the other stream; a packet
 * that is cut has no effect, or leaves there, too, if it can no longer be distinguished from others; a packet that is
 * whole, with zeros behind it, is taken.
 */
TEST(frames_of_all_lengths, .to = 2 * KINDS)
{
    enum { LONGEST = 200, SHORTEST = 14 + 8 + 12 + 4 };
    int v6 = _i / KINDS;
    bench(_i % KINDS);
    leave_gaps(_i);
    rx_bench_qp(b, 2, v6, 0, 8, 400, start);
    packet p = send(start, 250, v6);
    p.cut = packet_frame(&p, (uint8_t[FRAME_LONGEST]){0});
    for (unsigned length = 1; length <= LONGEST; length++) {
        p.cut--;
        rx_bench_packet(b, &p);
    }
    rx_bench_run(b, 30000);
    ck_assert_uint_eq(b->events[EV_in_send] + b->ack_count + b->bell_count + b->events[EV_set_fatal_valid], 0);
    ck_assert_uint_eq(b->other_count + b->events[EV_in_dropped], LONGEST);
    unsigned others = b->other_count, at = b->other_bytes;
    ck_assert_uint_gt(others, 13);
    for (unsigned length = 1; length <= LONGEST; length++) rx_bench_frame(b, text + 1000, length, 0);
    rx_bench_run(b, 30000);
    ck_assert_uint_eq(b->other_count, others + LONGEST);
    for (unsigned length = 1; length <= LONGEST; at += length, length++)
        ck_must(b->other_lengths[others + length - 1] == length && !memcmp(b->other + at, text + 1000, length),
                "frame of %u bytes", length);
    unsigned headers = SHORTEST + (v6 ? 40 : 20);
    p.cut = 0;
    for (unsigned length = headers; length <= LONGEST; length++) {
        p.length = (length - headers) / 4 * 4; /* without pad: all that there is room for */
        p.append = length - headers - p.length;
        for (unsigned pad = 0; pad < 2 && p.length; pad++, p.length -= 1 + length % 3) { /* and with pad */
            rx_bench_expect(b, 2, text, p.length);
            rx_bench_packet(b, &p);
            p.psn = after(p.psn, 1);
        }
    }
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_gt(b->bell_count, 200);
}

/* A byte that no check covers: UDP's checksum, a byte of the BTH, and in IPv6 traffic class, flow label and hop limit.
 */
static int is_open(unsigned bit, int v6)
{
    unsigned byte = bit / 8, ip = 14, udp = v6 ? 54 : 34;
    if (byte == udp + 6 || byte == udp + 7 || byte == udp + 12) return 1;
    return v6 && ((byte == ip && bit % 8 < 4) || (byte > ip && byte < ip + 4) || byte == ip + 7);
}

static unsigned open_bits(int v6) { return v6 ? 24 + 4 + 24 + 8 : 24; }

/* A good packet except for one bit of an IP address, its QP, its partition, or of a datagram's Q_Key: dropped. */
TEST(each_bit_of_an_address_counts, .to = 2 * WIDTHS)
{
    enum { QP_BITS = 24, PARTITION_BITS = 15, Q_KEY_BITS = 32, OTHERS = QP_BITS + PARTITION_BITS + Q_KEY_BITS };
    int v6 = _i / WIDTHS;
    unsigned ip_bits = v6 ? 128 : 32, count = 2 * ip_bits + OTHERS;
    bench(_i % WIDTHS);
    leave_gaps(_i);
    rx_bench_qp(b, 1, v6, 0, 8, 8, 0);
    rx_bench_qp(b, 2, v6, 0, 8, 8, start);
    for (unsigned i = 0; i < count; i++) {
        packet p = send(start, 40, v6);
        uint8_t *ip = i < ip_bits ? p.to_ip : p.from_ip;
        unsigned bit = i < 2 * ip_bits ? i % ip_bits : i - 2 * ip_bits;
        if (i < 2 * ip_bits) ip[bit / 8] ^= (uint8_t)(1 << bit % 8);
        else if (bit < QP_BITS) p.qp ^= 1u << bit;
        else if ((bit -= QP_BITS) < PARTITION_BITS) p.key ^= 1u << bit;
        else {
            p.opcode = UD_SEND_ONLY, p.qp = 1;
            p.q_key ^= 1u << (bit - PARTITION_BITS);
        }
        rx_bench_packet(b, &p);
    }
    rx_bench_run(b, 30000);
    ck_assert_uint_eq(b->events[EV_in_dropped], count);
    ck_assert_uint_eq(b->events[EV_in_invalid], count);
    ck_assert_uint_eq(b->ack_count + b->bell_count + b->other_count, 0);
    rx_bench_message(b, 2, start, text, 300);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
}

/* A good packet except for one bit of its Ethernet type, its protocol or its UDP port: it is passed on unchanged. */
TEST(what_is_no_roce_v2_leaves, .to = 2 * WIDTHS)
{
    enum { PORTS = 16, PROTOCOLS = 8, TYPES = 16, FRAMES = PORTS + PROTOCOLS + TYPES };
    int v6 = _i / WIDTHS;
    bench(_i % WIDTHS);
    leave_gaps(_i);
    rx_bench_qp(b, 2, v6, 0, 8, 8, start);
    uint8_t frame[FRAME_LONGEST];
    for (unsigned i = 0; i < FRAMES; i++) {
        packet p = send(start, 40, v6);
        if (i < PORTS) p.port ^= 1u << i;
        else if (i < PORTS + PROTOCOLS) p.protocol ^= 1u << (i - PORTS);
        unsigned length = packet_frame(&p, frame), bit = i - PORTS - PROTOCOLS;
        if (i >= PORTS + PROTOCOLS) frame[12 + bit / 8] ^= (uint8_t)(1 << bit % 8);
        rx_bench_frame(b, frame, length, 0);
    }
    rx_bench_run(b, 20000);
    ck_assert_uint_eq(b->other_count, FRAMES);
    for (unsigned i = 0, at = 0; i < FRAMES; at += b->frames[i].length, i++) {
        ck_assert_uint_eq(b->other_lengths[i], b->frames[i].length);
        ck_assert_mem_eq(b->other + at, b->frames[i].bytes, b->frames[i].length);
    }
    ck_assert_uint_eq(b->events[EV_in_all] + b->ack_count + b->bell_count, 0);
    rx_bench_message(b, 2, start, text, 300);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
}

/* Every bit of a SEND flipped in turn. No effect, but for what no check covers, where it is taken all the same. A frame
 * that is no RoCE v2 then leaves on the other stream. */
TEST(every_bit_flipped, .to = 2 * KINDS)
{
    int v6 = _i / KINDS;
    bench(_i % KINDS);
    leave_gaps(_i);
    rx_bench_qp(b, 2, v6, 0, 8, 128, start);
    uint32_t psn = start;
    uint8_t frame[FRAME_LONGEST];
    packet p = send(psn, 21, v6);
    unsigned length = packet_frame(&p, frame), taken = 0;
    for (unsigned bit = 0; bit < 8 * length; bit++) {
        p.psn = psn;
        packet_frame(&p, frame);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        rx_bench_frame(b, frame, length, 0);
        if (!is_open(bit, v6)) continue;
        rx_bench_expect(b, 2, text, 21);
        psn = after(psn, 1);
        taken++;
    }
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_eq(taken, open_bits(v6));
    ck_assert_uint_eq(b->events[EV_in_send], taken);
    ck_assert_uint_eq(b->ack_count, taken);
    ck_assert_uint_eq(b->events[EV_in_dropped] + b->other_count + taken, 8 * length);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid] + b->response_count, 0);
}

/* Bits of responses, an ACK's and those of READ responses, with and without AETH: an uncovered bit changes neither the
 * requester's input nor memory; all others drop them. */
TEST(every_bit_of_a_response_flipped, .to = 2 * 3 * KINDS)
{
    static const unsigned opcodes[] = {ACKNOWLEDGE, READ_ONLY, READ_MIDDLE};
    int v6 = _i / KINDS % 2;
    unsigned opcode = opcodes[_i / KINDS / 2], size = opcode == ACKNOWLEDGE ? 0 : opcode == READ_ONLY ? 21 : 32;
    bench(_i % KINDS);
    leave_gaps(_i);
    rx_bench_qp(b, 2, v6, 0, 8, 128, start);
    uint8_t frame[FRAME_LONGEST];
    packet p = send(start, size, v6);
    p.opcode = opcode;
    p.ack_request = 0;
    p.msn = 7;
    unsigned length = packet_frame(&p, frame), taken = open_bits(v6);
    for (unsigned bit = 0; bit < 8 * length; bit++) {
        packet_frame(&p, frame);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        rx_bench_frame(b, frame, length, 0);
    }
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->response_count, taken);
    for (unsigned i = 0; i < taken; i++) {
        const struct rx_response *r = &b->responses[i];
        ck_must(r->qp == 2 && r->opcode == opcode && r->psn == start && r->length == size, "response %u", i);
        ck_must(opcode == READ_MIDDLE || (r->syndrome == ACK_GOOD && r->msn == 7), "AETH of response %u", i);
        ck_must(!memcmp(rx_bytes(b, READS + i * size, size), text, size), "data of response %u", i);
    }
    ck_assert_mem_eq(rx_bytes(b, READS + taken * size, 64), ((const uint8_t[64]){0}), 64);
    ck_assert_uint_eq(b->events[EV_in_dropped] + b->other_count + taken, 8 * length);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid] + b->ack_count + b->bell_count, 0);
}
