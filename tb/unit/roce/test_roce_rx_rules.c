/* roce_rx: each rule of S5 table 2-3 with its syndrome, by itself and with every other one; frames of all lengths; every bit flipped; every
 * opcode in every state. */
#include "rx_bench.h"

#include <string.h>

enum { KINDS = 2 };

static uint8_t text[9000];
static rx_bench *b;

static void set_up(void)
{
    for (unsigned i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * 11 + (i >> 8) * 5 + 3);
}

TEST_CASE("rx_rules", .timeout = 120, .setup = set_up);

static packet send(uint32_t psn, unsigned length, int v6)
{
    packet p = packet_of(SEND_ONLY, 2, psn);
    p.payload = text;
    p.length = length;
    p.ack_request = 1;
    p.v6 = v6;
    if (v6) memcpy(p.to_ip, our_ip6, 16), memcpy(p.from_ip, peer_ip6, 16);
    return p;
}

/* ---- table 2-3 up to precedence 11: what makes a packet break it */

enum { ANY, V4 };
enum { NEEDS_QP = 1, NO_QP = 2, NO_ICRC = 4 };

static void fcs(packet *p)
{
    (void)p;
}
static void icrc(packet *p)
{
    p->spoil_icrc = 0x10000;
}
static void to_mac(packet *p)
{
    p->to_mac[5] ^= 1;
}
static void from_mac(packet *p)
{
    p->from_mac[0] ^= 0x80;
}
static void version(packet *p)
{
    p->version = 5;
}
static void from_ip(packet *p)
{
    p->from_ip[3] ^= 1;
}
static void checksum(packet *p)
{
    p->spoil_sum = 1;
}
static void options(packet *p)
{
    p->ihl = 8;
}
static void flags(packet *p)
{
    p->flags = 0;
}
static void fragment(packet *p)
{
    p->fragment = 3;
}
static void to_ip(packet *p)
{
    p->to_ip[p->v6 ? 15 : 3] ^= 0x40;
}
static void too_long(packet *p)
{
    p->ip_extra = 4;
}
static void too_short(packet *p)
{
    p->ip_extra = -(p->v6 ? 8 + 12 + 4 + p->length : 20 + 8 + 12 + 4 + p->length);
}
static void udp(packet *p)
{
    p->udp_extra = 1;
}
static void tver(packet *p)
{
    p->tver = 1;
}
static void qp_0(packet *p)
{
    p->qp = 0;
}
static void qp_beyond(packet *p)
{
    p->qp = OUR_QPS + 1;
}
static void qp_high(packet *p)
{
    p->qp = 0x800002;
}
static void opcode(packet *p)
{
    p->opcode = 0x24;
}
static void p_key(packet *p)
{
    p->key = 0xfffe;
}
static void qp_off(packet *p)
{
    p->qp = 7;
}

static const struct rule {
    void (*breaks)(packet *p);
    unsigned bit, precedence;
    int only, what;
} rules[] = {
    {fcs, 31, 1, ANY, 0},
    {icrc, 30, 2, ANY, 0},
    {to_mac, 0, 4, ANY, 0},
    {from_mac, 28, 4, ANY, NEEDS_QP},
    {version, 2, 5, ANY, 0},
    {from_ip, 27, 5, ANY, NEEDS_QP},
    {checksum, 9, 6, V4, 0},
    {options, 3, 7, V4, NO_ICRC | NO_QP},
    {flags, 5, 8, V4, 0},
    {fragment, 6, 8, V4, 0},
    {to_ip, 8, 8, ANY, 0},
    {too_long, 10, 8, ANY, 0},
    {too_short, 10, 8, ANY, 0},
    {udp, 12, 9, ANY, 0},
    {tver, 13, 10, ANY, 0},
    {qp_0, 14, 10, ANY, NO_QP},
    {qp_beyond, 14, 10, ANY, NO_QP},
    {qp_high, 14, 10, ANY, NO_QP},
    {opcode, 17, 10, ANY, 0},
    {p_key, 24, 10, ANY, NEEDS_QP},
    {qp_off, 15, 11, ANY, NO_QP},
};
enum { RULES = COUNT(rules) };

static uint32_t word_at(uint32_t address)
{
    uint32_t word;
    memcpy(&word, b->dr->memory + address, 4);
    return word;
}

/* What the syndrome of a packet that breaks both must be. */
static uint32_t expected_syndrome(const struct rule *x, const struct rule *y)
{
    if (y->what & NO_QP && x->what & NEEDS_QP) x = y;
    if (x->what & NO_QP && y->what & NEEDS_QP) y = x;
    if (y->what & NO_ICRC && x->bit == 30) x = y;
    if (x->what & NO_ICRC && y->bit == 30) y = x;
    if (x->breaks == opcode && y->bit == 14) x = y; /* of which QP would it be? */
    if (y->breaks == opcode && x->bit == 14) y = x;

    uint32_t bits = 1u << x->bit | 1u << y->bit;
    return x->precedence < y->precedence ? 1u << x->bit : y->precedence < x->precedence ? 1u << y->bit : bits;
}

/* Rule _i with itself and every other one: dropped, counted, recorded with the right syndrome and the frame as it came. */
TEST(each_rule_alone_and_with_every_other, .to = 2 * RULES * KINDS)
{
    int v6 = _i / 2 % 2;
    const struct rule *x = &rules[_i / 4];
    if (v6 && x->only == V4) return;
    b = rx_bench_new(_i % 2);
    rx_bench_qp(b, 2, v6, 0, 8, 8, 9);
    sim_port_set(&b->p->error_all, 1);
    unsigned count = 0;
    for (int k = 0; k < RULES; k++) {
        const struct rule *y = &rules[k];
        /* those that would set the same field to something else */
        int same = x != y && (x->bit == y->bit || (x->what & NO_QP && y->what & NO_QP));
        if ((v6 && y->only == V4) || same) continue;
        packet p = send(9, 40, v6);
        x->breaks(&p);
        if (y != x) y->breaks(&p);
        uint8_t frame[FRAME_LONGEST];
        unsigned length = packet_frame(&p, frame);
        rx_bench_frame(b, frame, length, x->bit == 31 || y->bit == 31);
        rx_bench_run(b, 1000);
        uint32_t at = ERRORS + 128 * (count++ % 16);
        ck_assert_msg(word_at(at) == expected_syndrome(x, y), "rules of bits %u and %u: syndrome %x", x->bit, y->bit, word_at(at));
        ck_assert_mem_eq(b->dr->memory + at + 4, frame, length < 124 ? length : 124);
        ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), count % 16);
        ck_assert_uint_eq(b->events[EV_in_dropped], count);
        ck_assert_uint_eq(b->events[EV_in_invalid], count);
    }
    ck_assert_uint_eq(b->ack_count + b->bell_count + b->response_count + b->other_count + b->events[EV_die_valid], 0);
    packet good = send(9, 40, v6);
    rx_bench_expect(b, 2, text, 40);
    rx_bench_packet(b, &good);
    rx_bench_run(b, 1000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_all], count + 1);
}

/* Unless all errors are wanted, only fatal ones are recorded; without a buffer none is. */
TEST(errors_are_recorded_as_wanted, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 9);
    packet p = send(9, 40, 0);
    p.spoil_icrc = 1;
    rx_bench_packet(b, &p);
    rx_bench_run(b, 1000);
    ck_assert_uint_eq(b->dr->answered, 0);
    sim_port_set(&b->p->error_all, 1);
    sim_port_set(&b->p->errbuf_size, 7);
    rx_bench_packet(b, &p);
    rx_bench_run(b, 1000);
    sim_port_set(&b->p->errbuf_count, 0);
    sim_port_set(&b->p->errbuf_size, 64);
    rx_bench_packet(b, &p);
    rx_bench_run(b, 1000);
    ck_assert_uint_eq(b->dr->answered, 0);
    sim_port_set(&b->p->errbuf_count, 2);
    for (unsigned i = 1; i < 6; i++) {
        rx_bench_packet(b, &p);
        rx_bench_run(b, 1000);
        ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), i % 2);
        ck_assert_uint_eq(b->dr->times[ERRORS + 63 + 64 * ((i - 1) % 2)], (i + 1) / 2);
        ck_assert_uint_eq(b->dr->times[ERRORS + 128], 0);
    }
    rx_bench_holds(b);
}

/* Congestion is no error: taken and counted. IPv6's and IPv4's. */
TEST(marked_packets_are_taken, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % 2);
    rx_bench_qp(b, 2, _i / 2, 0, 8, 8, 9);
    for (unsigned tos = 0; tos < 4; tos++) {
        packet p = send(9 + tos, 40, _i / 2);
        p.tos = 0x68 | tos;
        rx_bench_expect(b, 2, text, 40);
        rx_bench_packet(b, &p);
    }
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_marked], 1);
}

/* P_Keys: the same partition, and not two limited members. */
TEST(partitions, .to = 8)
{
    static const struct {
        unsigned ours, theirs;
        int taken;
    } all[] = {{0xffff, 0xffff, 1}, {0xffff, 0x7fff, 1}, {0x7fff, 0xffff, 1}, {0x7fff, 0x7fff, 0},
               {0x8001, 0x8002, 0}, {0x8001, 0x0001, 1}, {0x0001, 0x0001, 0}, {0xffff, 0x8001, 0}};
    b = rx_bench_new(0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 9);
    b->rows[1][0][1] = all[_i].ours << 16;
    packet p = send(9, 40, 0);
    p.key = all[_i].theirs;
    if (all[_i].taken) rx_bench_expect(b, 2, text, 40);
    rx_bench_packet(b, &p);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_invalid], (unsigned)!all[_i].taken);
}

/* Frames of every length: cut anywhere they have no effect; with zeros behind the packet they are taken. */
/* Frames as close as a queue of headers allows: with 64 bytes per clock a short one takes a clock or two, its check 11. */
static void leave_gaps(int kind)
{
    b->idle_percent = kind ? 92 : 0;
}

TEST(frames_of_all_lengths, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % 2);
    int v6 = _i / 2;
    leave_gaps(_i % 2);
    rx_bench_qp(b, 2, v6, 0, 8, 64, 9);
    packet p = send(9, 140, v6);
    unsigned length = packet_frame(&p, (uint8_t[FRAME_LONGEST]){0});
    for (p.cut = 1; p.cut < length; p.cut++) rx_bench_packet(b, &p);
    rx_bench_run(b, 20000);
    ck_assert_uint_eq(b->events[EV_in_send] + b->ack_count + b->bell_count + b->events[EV_die_valid], 0);
    ck_assert_uint_eq(b->other_count + b->events[EV_in_dropped], length - 1);
    p.cut = 0;
    uint32_t psn = 9;
    for (p.append = 0; p.append < 62; p.append++, psn++) {
        p.psn = psn;
        p.length = p.append % 5;
        rx_bench_expect(b, 2, text, p.length);
        rx_bench_packet(b, &p);
    }
    rx_bench_run(b, 20000);
    rx_bench_holds(b);
}

/* Every bit of a SEND flipped in turn. No effect, but for the fields that no check covers: UDP's checksum, a byte of the BTH, and in IPv6
 * traffic class, flow label and hop limit, where it is taken all the same. What is no RoCE v2 by it leaves on the other stream. */
TEST(every_bit_flipped, .to = 2 * KINDS)
{
    b = rx_bench_new(_i % 2);
    int v6 = _i / 2;
    leave_gaps(_i % 2);
    rx_bench_qp(b, 2, v6, 0, 8, 128, 0xfffff0);
    uint32_t psn = 0xfffff0;
    uint8_t frame[FRAME_LONGEST];
    packet p = send(psn, 21, v6);
    unsigned length = packet_frame(&p, frame), taken = 0;
    for (unsigned bit = 0; bit < 8 * length; bit++) {
        unsigned byte = bit / 8, ip = 14, behind = v6 ? 54 : 34;
        p.psn = psn;
        packet_frame(&p, frame);
        frame[byte] ^= (uint8_t)(1 << bit % 8);
        rx_bench_frame(b, frame, length, 0);
        int open = byte == behind + 6 || byte == behind + 7 || byte == behind + 12;
        if (v6) open = open || (byte == ip && bit % 8 < 4) || (byte > ip && byte < ip + 4) || byte == ip + 7;
        if (!open) continue;
        rx_bench_expect(b, 2, text, 21);
        psn = (psn + 1) & 0xffffff;
        taken++;
    }
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_eq(taken, v6 ? 24u + 4 + 24 + 8 : 24u);
    ck_assert_uint_eq(b->events[EV_in_send], taken);
    ck_assert_uint_eq(b->ack_count, taken);
    ck_assert_uint_eq(b->events[EV_in_dropped] + b->other_count + taken, 8 * length);
    ck_assert_uint_eq(b->events[EV_die_valid] + b->response_count, 0);
}

/* Bits of responses: a bit that is not covered changes nothing of what the requester gets; all others drop them. */
TEST(every_bit_of_an_ack_flipped, .to = KINDS)
{
    b = rx_bench_new(_i);
    leave_gaps(_i);
    rx_bench_qp(b, 2, 0, 0, 8, 128, 0);
    uint8_t frame[FRAME_LONGEST];
    packet p = packet_of(ACKNOWLEDGE, 2, 77);
    unsigned length = packet_frame(&p, frame);
    for (unsigned bit = 0; bit < 8 * length; bit++) {
        packet_frame(&p, frame);
        frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
        rx_bench_frame(b, frame, length, 0);
    }
    rx_bench_run(b, 60000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->response_count, 24);
    for (unsigned i = 0; i < 24; i++) {
        ck_assert_uint_eq(b->responses[i].psn, 77);
        ck_assert_uint_eq(b->responses[i].syndrome, 0x1f);
    }
}

static int is_response(unsigned opcode)
{
    return opcode >= READ_FIRST && opcode <= ACKNOWLEDGE;
}

/* Every opcode, outside and inside of a message, with the expected PSN, one behind and one ahead. */
TEST(every_opcode_in_every_state, .to = 6 * KINDS)
{
    int inside = _i / 2 % 2, shift = _i / 4 - 1;
    b = rx_bench_new(_i % 2);
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        sim_port_set_field(&b->p->qp_enabled, 1, 1, 0);
        rx_bench_qp(b, 2, 0, 0, 8, 8, 50);
        unsigned before[EV_COUNT], acks = b->ack_count, bells = b->bell_count, responses = b->response_count;
        packet p = packet_of(inside ? SEND_FIRST : SEND_ONLY, 2, 50);
        p.payload = text;
        p.length = 256;
        if (!inside) rx_bench_expect(b, 2, text, 256);
        rx_bench_packet(b, &p);
        p.opcode = opcode;
        p.psn = 51 + (unsigned)shift;
        p.ack_request = 1;
        int request = opcode < 0x20 && !is_response(opcode) && opcode != 0x12;
        int is_send = opcode <= SEND_ONLY && opcode != 3;
        int first = opcode == SEND_FIRST || opcode == SEND_ONLY, last = opcode == SEND_LAST || opcode == SEND_ONLY;
        int right = is_send && shift == 0 && first != inside, refused = request && shift == 0 && !right;
        if (right && last) {
            uint8_t both[512];
            memcpy(both, text, 256), memcpy(both + 256, text, 256);
            rx_bench_expect(b, 2, both, inside ? 512 : 256);
        }
        memcpy(before, b->events, sizeof before);
        rx_bench_packet(b, &p);
        rx_bench_run(b, 1000);
        rx_bench_holds(b);
        unsigned answers = b->ack_count - acks;
        const char *what = "";
        if (is_response(opcode) != (int)(b->response_count - responses)) what = "response";
        if ((unsigned)refused != b->events[EV_die_valid] - before[EV_die_valid]) what = "fatal";
        if ((unsigned)(right && last) + (unsigned)!inside != b->bell_count - bells) what = "doorbell";
        unsigned expected = (unsigned)((right && 1) || refused || (request && shift > 0) || (is_send && shift < 0));
        if (answers != expected) what = "ACK";
        if (expected && answers) {
            const struct rx_ack *a = &b->acks[b->ack_count - 1];
            unsigned syndrome = refused ? 0x61 : shift > 0 ? 0x60 : 0x1f;
            if (a->syndrome != syndrome || a->psn != (unsigned)(refused || shift > 0 || right ? 51 : 50)) what = "syndrome";
        }
        ck_assert_msg(!*what, "opcode %02x, inside %d, PSN %+d: %s", opcode, inside, shift, what);
    }
}
