/* roce_rx: each rule of S5 table 2-3 with its syndrome, alone and with every other one. With both widths, from packet
 * numbers before and at their wrap and their sign on. */
#include "rx_rules.h"

/* ---- table 2-3 up to precedence 11: edits that break each rule */

enum { ANY, V4 };
enum { NEEDS_QP = 1, NO_QP = 2, NO_ICRC = 4 };

/* Its name, the bit of its syndrome, its precedence, the IP versions with it, its effect on the QP, and how a packet
 * breaks it. */
#define RULE_LIST(X)                                                                                                   \
    X(fcs, 31, 1, ANY, 0, (void)p)                                                                                     \
    X(icrc, 30, 2, ANY, 0, p->corrupt_icrc = 0x10000)                                                                  \
    X(to_mac, 0, 4, ANY, 0, p->to_mac[5] ^= 1)                                                                         \
    X(from_mac, 28, 4, ANY, NEEDS_QP, p->from_mac[0] ^= 0x80)                                                          \
    X(version, 2, 5, ANY, 0, p->version = 5)                                                                           \
    X(from_ip, 27, 5, ANY, NEEDS_QP, p->from_ip[3] ^= 1)                                                               \
    X(checksum, 9, 6, V4, 0, p->corrupt_sum = 1)                                                                       \
    X(options, 3, 7, V4, NO_ICRC | NO_QP, p->ihl = 8)                                                                  \
    X(flags, 5, 8, V4, 0, p->flags = 0)                                                                                \
    X(fragment, 6, 8, V4, 0, p->fragment = 3)                                                                          \
    X(to_ip, 8, 8, ANY, 0, p->to_ip[p->v6 ? 15 : 3] ^= 0x40)                                                           \
    X(too_long, 10, 8, ANY, 0, p->ip_extra = 4)                                                                        \
    X(too_short, 10, 8, ANY, 0, p->ip_extra = -(p->v6 ? 8 + 12 + 4 + p->length : 20 + 8 + 12 + 4 + p->length))         \
    X(udp, 12, 9, ANY, 0, p->udp_extra = 1)                                                                            \
    X(tver, 13, 10, ANY, 0, p->tver = 1)                                                                               \
    X(qp_0, 14, 10, ANY, NO_QP, p->qp = 0)                                                                             \
    X(qp_beyond, 14, 10, ANY, NO_QP, p->qp = OUR_QPS + 1)                                                              \
    X(qp_high, 14, 10, ANY, NO_QP, p->qp = 0x800002)                                                                   \
    X(opcode, 17, 10, ANY, 0, p->opcode = 0x24)                                                                        \
    X(p_key, 24, 10, ANY, NEEDS_QP, p->key = 0xfffe)                                                                   \
    X(qp_off, 15, 11, ANY, NO_QP, p->qp = 7)

#define RULE(name, bit, precedence, only, what, broken)                                                                \
    static void name(packet *p) { broken; }
RULE_LIST(RULE)
#undef RULE

static const struct rule {
    void (*breaks)(packet *p);
    unsigned bit, precedence;
    int only, what;
} rules[] = {
#define RULE(name, bit, precedence, only, what, broken) {name, bit, precedence, only, what},
    RULE_LIST(RULE)
#undef RULE
};
enum { RULES = COUNT(rules) };

/* Syndrome of a packet that breaks both. */
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

/* Rules that would set the same field to another value. */
static int excludes(const struct rule *x, const struct rule *y)
{
    return x != y && (x->bit == y->bit || (x->what & NO_QP && y->what & NO_QP));
}

/* A packet was refused with this syndrome, and is in the error buffer unchanged. */
static void is_recorded(unsigned number, uint32_t syndrome, const uint8_t *frame, unsigned length)
{
    uint32_t at = ERRORS + 128 * (number % 32);
    ck_must(rx_word(b, at) == syndrome, "packet %u: syndrome %x, expected %x", number, rx_word(b, at), syndrome);
    if (length > 124) length = 124;
    ck_must(!memcmp(rx_bytes(b, at + 4, length), frame, length), "packet %u: other bytes than came", number);
}

TEST_CASE("rx_rules", .timeout = 120);

/* Rule _i with itself and every other one: dropped, counted, recorded with the right syndrome and the unchanged frame.
 */
TEST(each_rule_alone_and_with_every_other, .to = 2 * RULES * KINDS)
{
    int v6 = _i / KINDS % 2;
    const struct rule *x = &rules[_i / KINDS / 2];
    if (v6 && x->only == V4) return;
    bench(_i % KINDS);
    rx_bench_qp(b, 2, v6, 0, 8, 8, start);
    sim_port_set(&b->p->error_all, 1);
    sim_port_set(&b->p->errbuf_count, 32);
    unsigned count = 0;
    for (int k = 0; k < RULES; k++) {
        const struct rule *y = &rules[k];
        if ((v6 && y->only == V4) || excludes(x, y)) continue;
        packet p = send(start, 40, v6);
        x->breaks(&p);
        if (y != x) y->breaks(&p);
        uint8_t frame[FRAME_LONGEST];
        unsigned length = packet_frame(&p, frame);
        rx_bench_frame(b, frame, length, x->bit == 31 || y->bit == 31);
        count++;
    }
    rx_bench_run(b, 5000);
    for (unsigned i = 0, k = 0; i < count; i++, k++) {
        while ((v6 && rules[k].only == V4) || excludes(x, &rules[k])) k++;
        is_recorded(i, expected_syndrome(x, &rules[k]), b->frames[i].bytes, b->frames[i].length);
    }
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), count % 32);
    ck_assert_uint_eq(b->events[EV_in_dropped], count);
    ck_assert_uint_eq(b->events[EV_in_invalid], count);
    ck_assert_uint_eq(b->ack_count + b->bell_count + b->response_count + b->other_count + b->events[EV_set_fatal_valid],
                      0);
    packet good = send(start, 40, v6);
    rx_bench_expect(b, 2, text, 40);
    rx_bench_packet(b, &good);
    rx_bench_run(b, 1000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_all], count + 1);
}

/* A response that breaks one of them never reaches the requester, and READ data no memory. */
TEST(each_rule_with_responses, .to = 2 * KINDS)
{
    static const unsigned opcodes[] = {READ_ONLY, READ_MIDDLE, ACKNOWLEDGE};
    int v6 = _i / KINDS;
    bench(_i % KINDS);
    rx_bench_qp(b, 2, v6, 0, 8, 8, start);
    sim_port_set(&b->p->error_all, 1);
    sim_port_set(&b->p->errbuf_count, 32);
    for (int n = 0; n < COUNT(opcodes); n++) {
        packet p = send(start, opcodes[n] == ACKNOWLEDGE ? 0 : 40, v6);
        p.opcode = opcodes[n];
        p.ack_request = 0;
        uint8_t frame[FRAME_LONGEST];
        unsigned first = b->frame_count, count = 0, dropped = b->events[EV_in_dropped], responses = b->response_count;
        const struct rule *of[RULES];
        for (int k = 0; k < RULES; k++) {
            if ((v6 && rules[k].only == V4) || rules[k].breaks == opcode) continue;
            packet q = p;
            rules[k].breaks(&q);
            rx_bench_frame(b, frame, packet_frame(&q, frame), rules[k].bit == 31);
            of[count++] = &rules[k];
        }
        rx_bench_run(b, 5000);
        for (unsigned i = 0; i < count; i++)
            is_recorded(dropped + i, 1u << of[i]->bit, b->frames[first + i].bytes, b->frames[first + i].length);
        ck_assert_uint_eq(b->events[EV_in_dropped], dropped + count);
        ck_assert_uint_eq(b->response_count, responses);
        rx_bench_packet(b, &p);
        rx_bench_run(b, 1000);
        ck_assert_uint_eq(b->response_count, responses + 1);
    }
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_put_valid], 2);
    ck_assert_mem_eq(rx_bytes(b, READS, 40), text, 40);
    ck_assert_uint_eq(b->ack_count + b->bell_count + b->events[EV_set_fatal_valid], 0);
}

/* Table 2-3 from precedence 12 on, and what it says against those before: requests that are answered with a NAK. */
static const struct {
    int inside, full; /* a message has begun; the receive queue has no free entry */
    unsigned opcode, ahead, length, pad, bits, nak;
} refusals[] = {
    {0, 0, SEND_ONLY, 1, 40, 0, 1 << 21, 0x60},
    {0, 1, SEND_ONLY, 1, 40, 0, 1 << 21, 0x60},
    {0, 0, SEND_LAST, 1, 300, 0, 1 << 21, 0x60},
    {1, 0, SEND_FIRST, 0x7fffff, 4, 0, 1 << 21, 0x60},
    {0, 1, SEND_ONLY, 0, 40, 0, 1 << 20, 0x2e},
    {0, 1, SEND_FIRST, 0, 256, 3, 1 << 20, 0x2e},
    {0, 1, SEND_FIRST, 0, 40, 0, 1 << 20, 0x2e},
    {0, 1, SEND_LAST, 0, 40, 0, 1 << 16, 0x61},
    {0, 0, SEND_MIDDLE, 0, 256, 0, 1 << 16, 0x61},
    {1, 0, SEND_ONLY, 0, 300, 0, 1 << 16 | 1 << 19, 0x61},
    {1, 0, SEND_LAST, 0, 0, 0, 1 << 19, 0x61},
    {1, 0, SEND_MIDDLE, 0, 253, 3, 1 << 18 | 1 << 19, 0x61},
    {0, 0, SEND_FIRST, 0, 256, 3, 1 << 18, 0x61},
    {1, 0, SEND_LAST, 0, 257, 0, 1 << 19 | 1 << 26, 0x61}, /* behind a message as long as the buffer */
    {0, 0, WRITE_ONLY, 0, 40, 0, 1 << 17, 0x61},
};

static packet refusal(int which, int v6)
{
    packet p = send(after(start + (unsigned)refusals[which].inside, refusals[which].ahead), refusals[which].length, v6);
    p.opcode = refusals[which].opcode;
    p.pad = refusals[which].pad;
    return p;
}

/* Each of them with every rule of lower precedence, whose syndrome it has then and which drops it; then by itself.
 * Another QP goes on. */
TEST(rules_of_the_transport_come_after_all_others, .to = 2 * COUNT(refusals) * KINDS)
{
    int v6 = _i / KINDS % 2, which = _i / KINDS / 2, full = refusals[which].full;
    bench(_i % KINDS);
    rx_bench_qp(b, 2, v6, 0, refusals[which].bits >> 26 ? 1 : 8, full ? 2 : 8, start);
    rx_bench_qp(b, 3, v6, 0, 8, 8, start);
    if (full) b->rows[1][RQCI] = 1;
    sim_port_set(&b->p->error_all, 1);
    sim_port_set(&b->p->errbuf_count, 32);
    if (refusals[which].inside) {
        packet first = send(start, 256, v6);
        first.opcode = SEND_FIRST;
        first.ack_request = 0;
        rx_bench_packet(b, &first);
    }
    uint8_t frame[FRAME_LONGEST];
    unsigned count = 0;
    const struct rule *of[RULES];
    for (int k = 0; k < RULES; k++) {
        if ((v6 && rules[k].only == V4) || rules[k].breaks == opcode) continue;
        packet p = refusal(which, v6);
        rules[k].breaks(&p);
        unsigned length = packet_frame(&p, frame);
        rx_bench_frame(b, frame, length, rules[k].bit == 31);
        of[count++] = &rules[k];
    }
    packet alone = refusal(which, v6);
    unsigned length = packet_frame(&alone, frame);
    rx_bench_run(b, 5000);
    for (unsigned i = 0; i < count; i++) {
        const struct rx_frame *f = &b->frames[b->frame_count - count + i];
        /* an opcode out of place is reported with the rule of its precedence */
        uint32_t other = refusals[which].bits == 1 << 17 && of[i]->precedence == 10 && of[i]->bit != 14 ? 1 << 17 : 0;
        if (refusals[which].bits == 1 << 17 && of[i]->precedence > 10) is_recorded(i, 1 << 17, f->bytes, f->length);
        else is_recorded(i, 1u << of[i]->bit | other, f->bytes, f->length);
    }
    ck_assert_uint_eq(b->ack_count + b->bell_count + b->events[EV_set_fatal_valid], 0);
    rx_bench_frame(b, frame, length, 0);
    rx_bench_message(b, 3, start, text, 600);
    rx_bench_run(b, 3000);
    rx_bench_holds(b);
    is_recorded(count, refusals[which].bits, frame, length);
    unsigned naks = 0;
    for (unsigned i = 0; i < b->ack_count; i++)
        if (b->acks[i].qp == 2) {
            ck_assert_uint_eq(b->acks[i].syndrome, refusals[which].nak);
            ck_assert_uint_eq(b->acks[i].psn, after(start, (unsigned)refusals[which].inside));
            naks++;
        }
    ck_assert_uint_eq(naks, 1);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid], refusals[which].nak == 0x61);
    ck_assert_uint_eq(b->bell_count, 1); /* QP 3's */
}

/* Lengths in IP and UDP that disagree with each other or with the frame, by every number of bytes. Where the IP length
 * says that the ICRC stands there is none; a packet cannot be shorter than its headers, or longer than its frame. */
TEST(lengths_that_disagree, .to = 2 * KINDS)
{
    int v6 = _i / KINDS;
    bench(_i % KINDS);
    b->idle_percent = _i % WIDTHS ? 92 : 0;
    rx_bench_qp(b, 2, v6, 0, 8, 8, start);
    sim_port_set(&b->p->error_all, 1);
    sim_port_set(&b->p->errbuf_count, 32);
    static const int far[] = {-0x1000, -84, 1000, 1456, 0x7000};
    unsigned count = 0, expected[64];
    for (int which = 0; which < 3; which++) /* IP, UDP, both alike */
        for (int k = -70; k < 70 + COUNT(far); k++) {
            int extra = k < 70 ? k : far[k - 70];
            if (!extra) continue;
            packet p = send(start, 40, v6);
            if (which != 1) p.ip_extra = (unsigned)extra;
            if (which) p.udp_extra = (unsigned)extra;
            rx_bench_packet(b, &p);
            int shorter = extra < 0 && extra >= -40; /* the headers have room */
            expected[count++] = which == 1 ? 1u << 12 : shorter ? 1u << 30 : 1u << 10;
            if (count < 16) continue;
            rx_bench_run(b, 5000);
            for (unsigned i = 0; i < count; i++) {
                const struct rx_frame *f = &b->frames[b->frame_count - count + i];
                is_recorded(b->frame_count - count + i, expected[i], f->bytes, f->length);
            }
            count = 0;
        }
    rx_bench_run(b, 5000);
    ck_assert_uint_eq(b->events[EV_in_dropped], b->frame_count);
    ck_assert_uint_eq(b->ack_count + b->bell_count + b->other_count + b->events[EV_set_fatal_valid], 0);
    rx_bench_message(b, 2, start, text, 300);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
}

/* Unless all errors are wanted, only fatal ones are recorded; without a buffer none is. */
TEST(errors_are_recorded_as_wanted, .to = KINDS)
{
    bench(_i);
    rx_bench_qp(b, 2, 0, 0, 8, 8, start);
    packet p = send(start, 40, 0);
    p.corrupt_icrc = 1;
    rx_bench_packet(b, &p);
    rx_bench_run(b, 1000);
    ck_assert_uint_eq(rx_writes(b, b->dr), 0);
    sim_port_set(&b->p->error_all, 1);
    sim_port_set(&b->p->errbuf_size, 7);
    rx_bench_packet(b, &p);
    rx_bench_run(b, 1000);
    sim_port_set(&b->p->errbuf_count, 0);
    sim_port_set(&b->p->errbuf_size, 64);
    rx_bench_packet(b, &p);
    rx_bench_run(b, 1000);
    ck_assert_uint_eq(rx_writes(b, b->dr), 0);
    sim_port_set(&b->p->errbuf_count, 2);
    static const uint8_t nothing[3 * 64];
    uint8_t frame[FRAME_LONGEST];
    packet_frame(&p, frame);
    for (unsigned i = 1; i < 6; i++) { /* into one entry and the other, by turns */
        uint32_t at = ERRORS + 64 * ((i - 1) % 2), other = ERRORS + 64 * (i % 2);
        memory_write(axi_memory_bytes(b->memory), ERRORS, nothing, sizeof nothing);
        rx_bench_packet(b, &p);
        rx_bench_run(b, 1000);
        ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), i % 2);
        ck_assert_uint_eq(rx_word(b, at), 1u << 30);
        ck_assert_mem_eq(rx_bytes(b, at + 4, 60), frame, 60);
        ck_assert_mem_eq(rx_bytes(b, other, 64), nothing, 64);
        ck_assert_mem_eq(rx_bytes(b, ERRORS + 128, 64), nothing, 64);
    }
    rx_bench_holds(b);
}

/* Congestion is no error: taken and counted. IPv6's and IPv4's. */
TEST(marked_packets_are_taken, .to = 2 * KINDS)
{
    int v6 = _i / KINDS;
    bench(_i % KINDS);
    rx_bench_qp(b, 2, v6, 0, 8, 8, after(start, 14));
    for (unsigned tos = 0; tos < 4; tos++) {
        packet p = send(after(start, 14 + tos), 40, v6);
        p.tos = 0x68 | tos;
        rx_bench_expect(b, 2, text, 40);
        rx_bench_packet(b, &p);
    }
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_marked], 1);
}

/* STRICT_S5: what table 2-3 says of bits 4, 18 and 19, alone: the packet is dropped, with nothing sent; the QP goes on
 * with the same packet number. Of precedence 14, bit 16 is answered NAK-invalid whatever else is wrong. */
TEST(table_2_3_as_written, .to = 2 * STARTS)
{
    static const struct {
        unsigned inside, opcode, length, pad, tos, bits, nak;
    } rows[] = {
        {0, SEND_ONLY, 40, 0, 3, 1 << 4, 0},
        {0, SEND_FIRST, 256, 3, 0, 1 << 18, 0},
        {0, SEND_FIRST, 252, 0, 0, 1 << 19, 0},
        {0, SEND_ONLY, 300, 0, 0, 1 << 19, 0},
        {0, READ_FIRST, 256, 3, 0, 1 << 18, 0},
        {0, READ_MIDDLE, 256, 1, 0, 1 << 18, 0},
        {1, SEND_MIDDLE, 253, 3, 0, 1 << 18 | 1 << 19, 0},
        {1, SEND_LAST, 0, 0, 0, 1 << 19, 0},
        {1, SEND_ONLY, 300, 0, 0, 1 << 16 | 1 << 19, 0x61},
        {0, SEND_MIDDLE, 256, 0, 0, 1 << 16, 0x61},
    };
    for (int which = 0; which < COUNT(rows); which++) {
        int v6 = _i % 2, inside = (int)rows[which].inside;
        b = rx_bench_new(2);
        start = psn_starts[_i / 2];
        rx_bench_qp(b, 2, v6, 0, 8, 8, start);
        sim_port_set(&b->p->error_all, 1);
        sim_port_set(&b->p->errbuf_count, 32);
        packet first = send(start, 256, v6), p = send(after(start, (unsigned)inside), rows[which].length, v6);
        first.opcode = SEND_FIRST;
        first.ack_request = 0;
        if (inside) rx_bench_packet(b, &first);
        p.opcode = rows[which].opcode;
        p.pad = rows[which].pad;
        p.tos = rows[which].tos;
        uint8_t frame[FRAME_LONGEST];
        unsigned length = packet_frame(&p, frame);
        rx_bench_frame(b, frame, length, 0);
        rx_bench_run(b, 2000);
        rx_bench_holds(b);
        is_recorded(0, rows[which].bits, frame, length);
        ck_assert_uint_eq(b->ack_count, rows[which].nak != 0);
        if (rows[which].nak) ck_assert_uint_eq(b->acks[0].syndrome, rows[which].nak);
        ck_assert_uint_eq(b->events[EV_set_fatal_valid], rows[which].nak != 0);
        ck_assert_uint_eq(b->events[EV_in_dropped], rows[which].nak == 0);
        ck_assert_uint_eq(b->response_count + b->bell_count, 0);
        if (rows[which].nak || inside) continue;
        p = send(start, 40, v6);
        rx_bench_expect(b, 2, text, 40);
        rx_bench_packet(b, &p);
        rx_bench_run(b, 2000);
        rx_bench_holds(b);
        ck_assert_uint_eq(b->bell_count, 1);
    }
}

/* P_Keys: the same partition, and not two limited members. */
TEST(partitions, .to = 8 * KINDS)
{
    static const struct {
        unsigned ours, theirs;
        int taken;
    } all[] = {{0xffff, 0xffff, 1}, {0xffff, 0x7fff, 1}, {0x7fff, 0xffff, 1}, {0x7fff, 0x7fff, 0},
               {0x8001, 0x8002, 0}, {0x8001, 0x0001, 1}, {0x0001, 0x0001, 0}, {0xffff, 0x8001, 0}};
    int which = _i / KINDS;
    bench(_i % KINDS);
    rx_bench_qp(b, 2, 0, 0, 8, 8, start);
    b->rows[1][QPADVCONF] = all[which].ours << 16;
    packet p = send(start, 40, 0);
    p.key = all[which].theirs;
    if (all[which].taken) rx_bench_expect(b, 2, text, 40);
    rx_bench_packet(b, &p);
    rx_bench_run(b, 2000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_invalid], (unsigned)!all[which].taken);
}
