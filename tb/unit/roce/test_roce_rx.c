/* roce_rx: packets reach memory before they are reported and acknowledged. */
#include "rx_messages.h"
#include "sim/model/ethernet/pcap.h"

static const struct rx_ack *last_ack(void)
{
    ck_assert_uint_gt(b->ack_count, 0);
    return &b->acks[b->ack_count - 1];
}

static void one_ack(unsigned qp, unsigned psn, unsigned syndrome, unsigned msn)
{
    ck_assert_uint_eq(b->ack_count, 1);
    ck_assert_uint_eq(b->acks[0].qp, qp);
    ck_assert_uint_eq(b->acks[0].psn, psn);
    ck_assert_uint_eq(b->acks[0].syndrome, syndrome);
    ck_assert_uint_eq(b->acks[0].msn, msn);
}

TEST_CASE("rx", .timeout = 120);

/* Messages around each border of each PMTU, IPv4 and IPv6, PSNs over their borders; with a bus that stalls and without.
 */
TEST(messages_of_all_lengths, .to = 4 * KINDS)
{
    b = rx_bench_new(_i % 2);
    unsigned busy = _i / 2 % 2 ? 40 : 0, v6 = (unsigned)_i / 4, count = 0;
    b->idle_percent = b->busy_percent = busy;
    rx_bench_memory(b, 20, busy);
    for (unsigned code = 0; code < 5; code++) {
        unsigned qp = 2 + code, pmtu = 256u << code;
        static const uint32_t starts[] = {0, 0xfffff0, 0x7ffff8, 5, 0xffffff};
        uint32_t psn = starts[code];
        rx_bench_qp(b, qp, (int)v6, code, 40, 8, psn);
        const unsigned lengths[] = {1, 2, 3, 4, 5, 63, pmtu - 1, pmtu, pmtu + 1, 2 * pmtu, 2 * pmtu + 3, 0};
        for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++, count++) {
            psn = rx_bench_message(b, qp, psn, text + 11 * count, lengths[i]);
            if (i % 4 == 3) {
                rx_bench_run(b, 40000);
                b->rows[qp - 1][RQCI] = b->index[qp]; /* software has read them */
                ck_assert_uint_eq(last_ack()->qp, qp);
                ck_assert_uint_eq(last_ack()->psn, (psn - 1) & 0xffffff);
                ck_assert_uint_eq(last_ack()->msn, i + 1);
            }
        }
    }
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_dropped] + b->events[EV_in_invalid] + b->events[EV_set_fatal_valid], 0);
    ck_assert_uint_eq(b->events[EV_in_send], b->frame_count);
    ck_assert_uint_eq(b->events[EV_irq_rq], count);
}

/* One that does not fit into 64 KB. */
TEST(a_message_of_70000_bytes, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 4, 274, 4, 0xfffff8);
    rx_bench_message(b, 2, 0xfffff8, text, sizeof text);
    rx_bench_run(b, 12000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, 1);
}

/* ---- what Linux (rdma_rxe) sent in recorded exchanges (README.md) ---- */

enum { RECORDED = 6 };
#define SENDS (1u << SEND_FIRST | 1u << SEND_MIDDLE | 1u << SEND_LAST)
#define RESPONSES (1u << READ_FIRST | 1u << READ_MIDDLE | 1u << READ_LAST)
#define ACKS (1u << ACKNOWLEDGE)

static const struct recording {
    const char *file;
    int v6;
    uint32_t psn;   /* of its first SEND */
    unsigned kinds; /* opcodes in the file, one a bit */
    unsigned nak;   /* syndrome of a NAK in the file; 0: none */
    unsigned again; /* SENDs that are duplicates, at least */
} recordings[RECORDED] = {
    {"tb/unit/rnic/sends_writes_reads.pcap", 0, 0xfffffd, SENDS | RESPONSES | ACKS, 0, 4},
    {"tb/unit/roce/rxe-ipv4.pcap", 0, 0xfffff0, SENDS | 1u << SEND_ONLY | RESPONSES | 1u << READ_ONLY | ACKS, 0, 0},
    {"tb/unit/roce/rxe-ipv6.pcap", 1, 0xfffff0, SENDS | 1u << SEND_ONLY | RESPONSES | 1u << READ_ONLY | ACKS, 0, 0},
    {"tb/unit/roce/rxe-rnr.pcap", 0, 0xfffff0,
     1u << SEND_FIRST | 1u << SEND_LAST | 1u << READ_FIRST | 1u << READ_LAST | ACKS, RNR_NAK | 14, 0},
    {"tb/unit/roce/rxe-nak-sequence.pcap", 0, 0xfffff0,
     1u << SEND_FIRST | 1u << SEND_LAST | 1u << READ_FIRST | 1u << READ_LAST | ACKS, NAK_SEQUENCE, 0},
    {"tb/unit/roce/rxe-nak-access.pcap", 0, 0xfffff0, ACKS, NAK_ACCESS, 0},
};

/* SENDs arrive as messages; responses, ACKs and NAKs reach the requester with the fields that they have. Each comes
 * twice: first with its last bit before the ICRC flipped, as rxe would never send it, and so it is dropped. Frames that
 * are no RoCE v2 leave unchanged. */
TEST(frames_recorded_from_linux, .to = RECORDED * KINDS)
{
    const struct recording *x = &recordings[_i / KINDS];
    char error[ETHERNET_ERROR];
    pcap_reader *r = pcap_reader_new(x->file, error);
    ck_assert_msg(r != NULL, "%s", error);
    b = rx_bench_new(_i % KINDS);
    b->consumes = 1;
    static uint8_t message[8192], read[40000], other[4000], corrupted[FRAME_LONGEST];
    static struct rx_response expected[RX_LOG];
    unsigned qp = 0, bytes = 0, read_bytes = 0, other_bytes = 0, others = 0;
    unsigned expected_count = 0, acks = 0, again = 0, frames = 0, messages = 0, kinds = 0;
    uint32_t next = x->psn;
    pcap_frame f;
    int more;
    while ((more = pcap_read(r, &f, error)) == 1) {
        packet p;
        int roce = packet_read(&p, f.bytes, f.length);
        if (!memcmp(p.from_mac, our_mac, 6)) continue; /* the other end's */
        if (!roce || p.v6 != x->v6) {
            rx_bench_frame(b, f.bytes, f.length, 0);
            memcpy(other + other_bytes, f.bytes, f.length);
            other_bytes += f.length;
            others++;
            continue;
        }
        if (!qp) {
            qp = p.qp;
            for (unsigned i = 0; i < 16 && x->v6; i++) sim_port_set_field(&b->p->ipv6, 8 * (15 - i), 8, p.to_ip[i]);
            rx_bench_qp(b, qp, x->v6, 2, 24, 13, x->psn);
            packet_peer(b->rows[qp - 1], x->v6, p.from_mac, p.from_ip);
        }
        ck_assert_uint_eq(p.qp, qp);
        memcpy(corrupted, f.bytes, f.length);
        corrupted[f.length - 5] ^= 1;
        rx_bench_frame(b, corrupted, f.length, 0);
        rx_bench_frame(b, f.bytes, f.length, 0);
        frames++;
        kinds |= 1u << p.opcode;
        if (p.opcode > SEND_ONLY) {
            expected[expected_count++] = (struct rx_response){qp, p.opcode, p.psn, p.syndrome, p.msn, p.length};
            acks += p.opcode == ACKNOWLEDGE;
            memcpy(read + read_bytes, p.payload, p.length);
            read_bytes += p.length;
        } else if (p.psn == next) {
            memcpy(message + bytes, p.payload, p.length);
            bytes += p.length;
            next = (next + 1) & 0xffffff;
            if (p.opcode < SEND_LAST) continue;
            rx_bench_expect(b, qp, message, bytes);
            messages++;
            bytes = 0;
        } else again++;
    }
    ck_assert_msg(!more, "%s", error);
    pcap_reader_free(r);
    rx_bench_run(b, 100000);
    rx_bench_holds(b);
    ck_assert_uint_eq(kinds, x->kinds);
    ck_assert_uint_ge(again, x->again);
    ck_assert_uint_eq(b->events[EV_in_all], 2 * frames);
    ck_assert_uint_eq(b->events[EV_in_dropped], frames);
    ck_assert_uint_eq(b->events[EV_in_send], frames - expected_count - again);
    ck_assert_uint_eq(b->events[EV_in_duplicate], again);
    ck_assert_uint_eq(b->events[EV_in_read_response], expected_count - acks);
    ck_assert_uint_eq(b->events[EV_in_ack], acks);
    ck_assert_uint_eq(b->events[EV_in_invalid], frames);
    ck_assert_uint_eq(b->response_count, expected_count);
    unsigned naks = 0, found = 0;
    for (unsigned i = 0; i < expected_count; i++) {
        const struct rx_response *is = &b->responses[i], *want = &expected[i];
        ck_assert_uint_eq(is->qp, want->qp);
        ck_assert_uint_eq(is->opcode, want->opcode);
        ck_assert_uint_eq(is->psn, want->psn);
        ck_assert_uint_eq(is->length, want->length);
        if (want->opcode == READ_MIDDLE) continue;
        ck_assert_uint_eq(is->syndrome, want->syndrome);
        ck_assert_uint_eq(is->msn, want->msn);
        if (!(is->syndrome & 0x60)) continue;
        found += is->syndrome == x->nak;
        naks++;
    }
    ck_assert_int_eq(found > 0, x->nak > 0);
    ck_assert_uint_eq(b->events[EV_in_nak], naks);
    ck_assert_mem_eq(rx_bytes(b, READS, read_bytes), read, read_bytes);
    ck_assert_uint_eq(b->other_count, others);
    ck_assert_uint_eq(b->other_bytes, other_bytes);
    ck_assert_mem_eq(b->other, other, other_bytes);
    if (!messages) return;
    ck_assert_uint_eq(last_ack()->psn, (next - 1) & 0xffffff);
    ck_assert_uint_eq(last_ack()->msn, messages);
}

/* ---- the responder */

static packet send(unsigned opcode, uint32_t psn, unsigned length, int ask)
{
    packet p = text_packet(opcode, 2, psn, length);
    p.ack_request = (unsigned)ask;
    return p;
}

TEST(duplicates_are_acknowledged_and_nothing_else, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t psn = psn_starts[_i / 2];
    rx_bench_qp(b, 2, 0, 0, 8, 8, psn);
    uint32_t next = rx_bench_message(b, 2, psn, text, 600);
    next = rx_bench_message(b, 2, next, text + 5, 7);
    rx_bench_run(b, 4000);
    unsigned acks = b->ack_count;
    uint64_t answered = rx_writes(b, b->dr);
    static const unsigned again[] = {SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY, SEND_ONLY};
    for (unsigned i = 0; i < 5; i++) {
        put(send(again[i], i < 4 ? psn + i : next - 1 - 0x7fffff, i < 2 ? 256 : 7, 0));
        rx_bench_run(b, 2000);
        ck_assert_uint_eq(b->ack_count, acks + i + 1);
        ck_assert_uint_eq(last_ack()->psn, (next - 1) & 0xffffff);
        ck_assert_uint_eq(last_ack()->msn, 2);
        ck_assert_uint_eq(last_ack()->syndrome, ACK_GOOD);
    }
    ck_assert_uint_eq(rx_writes(b, b->dr), answered);
    ck_assert_uint_eq(b->bell_count, 2);
    ck_assert_uint_eq(b->events[EV_in_duplicate], 5);
    rx_bench_holds(b);
}

TEST(ahead_gives_one_nak_until_the_expected_one_comes, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t psn = psn_starts[_i / 2];
    rx_bench_qp(b, 2, 0, 0, 8, 8, psn);
    put(send(SEND_ONLY, psn + 1, 9, 1));
    put(send(SEND_ONLY, psn + 2, 9, 1));
    put(send(SEND_ONLY, psn + 0x7fffff, 9, 1));
    rx_bench_run(b, 3000);
    one_ack(2, psn, NAK_SEQUENCE, 0);
    ck_assert_uint_eq(b->bell_count, 0);
    ck_assert_uint_eq(b->events[EV_in_invalid], 3);
    psn = rx_bench_message(b, 2, psn, text, 9);
    put(send(SEND_ONLY, psn + 1, 9, 1));
    put(send(SEND_ONLY, psn + 2, 9, 1));
    rx_bench_run(b, 3000);
    ck_assert_uint_eq(b->ack_count, 3);
    ck_assert_uint_eq(b->acks[1].syndrome, ACK_GOOD);
    ck_assert_uint_eq(b->acks[2].syndrome, NAK_SEQUENCE);
    ck_assert_uint_eq(b->acks[2].psn, psn & 0xffffff);
    ck_assert_uint_eq(b->acks[2].msn, 1);
    rx_bench_holds(b);
}

/* At most depth - 1 entries are in use; never in mid-message; all codes of the timer. Another QP goes on. */
TEST(no_free_entry_gives_an_rnr_nak, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t psn = psn_starts[_i / 2], other = psn;
    rx_bench_qp(b, 2, 0, 0, 8, 4, psn);
    rx_bench_qp(b, 3, 0, 0, 8, 40, psn);
    for (int i = 0; i < 3; i++) psn = rx_bench_message(b, 2, psn, text + i, 300); /* of two packets each */
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    for (unsigned code = 0; code < 32; code++) {
        b->rows[1][TIMEOUTCONF] = code << 16;
        unsigned acks = b->ack_count;
        put(send(code % 2 ? SEND_FIRST : SEND_ONLY, psn, 256, 1));
        put(send(SEND_LAST, psn + 1, 1, 1));
        rx_bench_run(b, 3000);
        ck_assert_uint_eq(b->ack_count, acks + 1);
        ck_assert_uint_eq(last_ack()->qp, 2);
        ck_assert_uint_eq(last_ack()->syndrome, RNR_NAK | code);
        ck_assert_uint_eq(last_ack()->psn, psn);
        ck_assert_uint_eq(last_ack()->msn, 3);
        other = rx_bench_message(b, 3, other, text + code, 20);
        rx_bench_run(b, 3000);
        rx_bench_holds(b);
    }
    ck_assert_uint_eq(b->events[EV_rnr_valid], 32);
    b->rows[1][RQCI] = 1;
    rx_bench_message(b, 2, psn, text, 300);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(last_ack()->syndrome, ACK_GOOD);
    ck_assert_uint_eq(last_ack()->msn, 4);
}

/* Requests that end their QP: the answer, the status, and that all earlier ones still arrive. */
TEST(bad_requests_end_the_qp, .to = 16 * 3 * KINDS)
{
    static const struct bad {
        int inside; /* a message has begun */
        unsigned opcode, length, pad, code;
    } all[] = {
        {0, SEND_MIDDLE, 256, 0, 1}, {0, SEND_LAST, 9, 0, 1},     {1, SEND_FIRST, 256, 0, 1},
        {1, SEND_ONLY, 9, 0, 1},     {0, SEND_FIRST, 255, 0, 2},  {0, SEND_FIRST, 257, 0, 2},
        {1, SEND_MIDDLE, 4, 0, 2},   {1, SEND_LAST, 257, 0, 2},   {1, SEND_LAST, 0, 0, 2},
        {0, SEND_ONLY, 300, 0, 2},   {0, SEND_MIDDLE, 9, 0, 3},   {0, SEND_FIRST, 252, 4, 2},
        {0, WRITE_ONLY, 16, 0, 4},   {0, READ_REQUEST, 16, 0, 4}, {1, 0x03, 4, 0, 4},
        {0, 0x1f, 0, 0, 4},
    };
    const struct bad *bad = &all[_i / 2 / 3];
    uint32_t start = psn_starts[_i / 2 % 3];
    b = rx_bench_new(_i % 2);
    rx_bench_memory(b, 150, 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, start);
    rx_bench_qp(b, 3, 0, 0, 8, 8, start);
    uint32_t psn = rx_bench_message(b, 2, start, text, 100);
    if (bad->inside) put(send(SEND_FIRST, psn++, 256, 0));
    packet p = send(bad->opcode, psn, bad->length, 1);
    if (bad->pad) p.pad = 3, p.length = 253;
    put(p);
    put(send(SEND_ONLY, psn + 1, 9, 1)); /* nothing more is taken, not even the expected packet */
    put(send(bad->inside ? SEND_LAST : SEND_ONLY, psn, 9, 1));
    rx_bench_message(b, 3, start, text, 50);
    rx_bench_run(b, 6000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_in_send], 2 + (unsigned)bad->inside);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid], 1);
    ck_assert_uint_eq(b->set_fatal_qp, 2);
    ck_assert_uint_eq(b->set_fatal_code, bad->code);
    unsigned naks = 0;
    for (unsigned i = 0; i < b->ack_count; i++) {
        naks += b->acks[i].syndrome == NAK_INVALID;
        if (b->acks[i].syndrome == NAK_INVALID) ck_assert_uint_eq(b->acks[i].psn, psn);
    }
    ck_assert_uint_eq(naks, 1);
    ck_assert_uint_eq(b->bell_count, 2);
    const uint8_t expected[8] = {
        2, 0, (uint8_t)bad->code, (uint8_t)bad->opcode, (uint8_t)psn, (uint8_t)(psn >> 8), (uint8_t)(psn >> 16), 0x61};
    ck_assert_mem_eq(rx_bytes(b, STATUS, 8), expected, 8);
    ck_assert_uint_eq(sim_port_get(&b->p->ipkterr_wptr), 1);
    ck_assert_uint_eq(sim_port_get(&b->p->errbuf_wptr), 1); /* a fatal packet is always recorded */
}

/* A message that does not fit into its buffer, by one byte; one that just does. */
TEST(a_message_longer_than_its_buffer, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t psn = psn_starts[_i / 2];
    rx_bench_qp(b, 2, 0, 0, 2, 8, psn);
    psn = rx_bench_message(b, 2, psn, text, 512);
    put(send(SEND_FIRST, psn, 256, 0));
    put(send(SEND_MIDDLE, psn + 1, 256, 0));
    put(send(SEND_LAST, psn + 2, 1, 1));
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(last_ack()->syndrome, NAK_INVALID);
    ck_assert_uint_eq(last_ack()->psn, psn + 2);
    ck_assert_uint_eq(b->set_fatal_code, 2);
    ck_assert_uint_eq(rx_word(b, ERRORS), 1u << 26);
}

/* Memory answers SLVERR: for a payload, a length, a doorbell. */
TEST(memory_errors_end_the_qp, .to = 3 * 3 * KINDS)
{
    b = rx_bench_new(_i % 2);
    int what = _i / 2 / 3;
    uint32_t psn = psn_starts[_i / 2 % 3];
    rx_bench_memory(b, 100, 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, psn);
    rx_bench_qp(b, 3, 0, 0, 8, 8, psn);
    if (what == 2) b->rows[1][QPCONF] |= QP_BY_BUS;
    axi_memory_add_range(b->memory,
                         what == 0   ? rx_entry(2) + 300
                         : what == 1 ? LENGTHS + 0x400
                                     : BELLS + 128,
                         4, AXI_SLVERR);
    put(send(SEND_FIRST, psn, 256, 0));
    put(send(SEND_LAST, psn + 1, 100, 1));
    put(send(SEND_ONLY, psn + 2, 10, 1));
    rx_bench_message(b, 3, psn, text, 50);
    rx_bench_run(b, 6000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->events[EV_set_fatal_valid], 1);
    ck_assert_uint_eq(b->set_fatal_qp, 2);
    ck_assert_uint_eq(b->set_fatal_code, 5);
    ck_assert_uint_eq(b->bell_count, 1);
    if (what == 2) { /* no packet is to blame */
        ck_assert_mem_eq(rx_bytes(b, STATUS, 8), ((const uint8_t[8]){2, 0, 5}), 8);
        return;
    }
    unsigned naks = 0;
    for (unsigned i = 0; i < b->ack_count; i++)
        if (b->acks[i].qp == 2) {
            ck_assert_uint_eq(b->acks[i].syndrome, NAK_OPERATIONAL);
            ck_assert_uint_eq(b->acks[i].psn, psn + 1);
            naks++;
        }
    ck_assert_uint_eq(naks, 1);
    const uint8_t expected[8] = {2,   0, 5, SEND_LAST, (uint8_t)(psn + 1), (uint8_t)(psn >> 8), (uint8_t)(psn >> 16),
                                 0x63};
    ck_assert_mem_eq(rx_bytes(b, STATUS, 8), expected, 8);
}

/* Memory refuses the doorbell of a QP that has been switched off meanwhile and is being restarted: its next life is not
 * to blame. */
TEST(a_doorbell_of_a_former_life_fails, .to = STARTS * KINDS)
{
    b = rx_bench_new(_i % 2);
    uint32_t psn = psn_starts[_i / 2];
    rx_bench_memory(b, 400, 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, psn);
    b->rows[1][QPCONF] |= QP_BY_BUS;
    axi_memory_add_range(b->memory, BELLS + 128, 4, AXI_SLVERR);
    put(send(SEND_ONLY, psn, 10, 1));
    while (!b->ack_count) { /* it leaves with the doorbell */
        ck_must(b->clocks < 4000, "no ACK");
        run_clocks(b->s, b->clk, 1);
    }
    run_clocks(b->s, b->clk, 40);
    rx_bench_switch(b, 2, 0);
    rx_bench_qp(b, 2, 0, 0, 8, 8, psn); /* by handshake now */
    uint64_t begun = b->clocks;
    rx_bench_message(b, 2, psn, text, 300);
    rx_bench_run(b, 6000);
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, 1);
    ck_assert_uint_ge(begun, 800); /* both answers of memory were waited for */
}

/* Doorbells through memory: after the message, then the interrupt. */
TEST(doorbells_through_memory, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 2, 0, 0, 8, 4, 0);
    b->rows[1][QPCONF] |= QP_BY_BUS;
    uint32_t psn = 0;
    for (unsigned i = 1; i < 9; i++) {
        for (unsigned at = 0; at < 700; at += 256) {
            packet p = send(opcode_in(SEND_FIRST, at == 0, at == 512), psn++, at == 512 ? 188 : 256, at == 512);
            p.payload = text + i + at;
            put(p);
        }
        b->rows[1][RQCI] = (i - 1) % 4;
        rx_bench_run(b, 3000);
        ck_assert_uint_eq(rx_word(b, BELLS + 128), i % 4);
        ck_assert_uint_eq(rx_word(b, LENGTHS + 0x400 + 4 * ((i - 1) % 4)), 700);
        ck_assert_mem_eq(rx_bytes(b, rx_entry(2) + 2048 * ((i - 1) % 4), 700), text + i, 700);
        ck_assert_uint_eq(b->events[EV_irq_rq], i);
        ck_assert_uint_eq(b->irq_qp, 2);
        ck_assert_uint_eq(rx_bench_own(b, 2, STATRQPIDB, 0, 0, 0), i % 4);
    }
    rx_bench_holds(b);
    ck_assert_uint_eq(b->bell_count, 0);
}

/* The registers of the receive path. */
TEST(registers, .to = KINDS)
{
    b = rx_bench_new(_i);
    rx_bench_qp(b, 5, 0, 0, 8, 16, 0x123456);
    ck_assert_uint_eq(rx_bench_own(b, 5, LSTRQREQ, 0, 0, 0), 0x123455);
    rx_bench_message(b, 5, 0x123456, text, 513);
    rx_bench_message(b, 5, 0x123459, text, 5);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(rx_bench_own(b, 5, LSTRQREQ, 0, 0, 0), 0x04123459);
    ck_assert_uint_eq(rx_bench_own(b, 5, STATMSN, 0, 0, 0), 2);
    ck_assert_uint_eq(rx_bench_own(b, 5, STATRQBUFCA, 0, 0, 0), rx_entry(5) + 2 * 2048);
    ck_assert_uint_eq(rx_bench_own(b, 5, STATRQPIDB, 0, 0, 0), 2);
    rx_bench_own(b, 5, STATRQPIDB, 1, 0, 9); /* by SW override */
    b->rows[4][RQCI] = 9;
    b->index[5] = 9;
    ck_assert_uint_eq(rx_bench_own(b, 5, STATRQPIDB, 0, 0, 0), 9);
    rx_bench_message(b, 5, 0x12345a, text, 5);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(rx_bench_own(b, 5, STATRQPIDB, 0, 0, 0), 10);
    /* off and on again: indices and MSN restart */
    rx_bench_switch(b, 5, 0);
    rx_bench_qp(b, 5, 0, 0, 8, 16, 77);
    ck_assert_uint_eq(rx_bench_own(b, 5, STATMSN, 0, 0, 0), 0);
    ck_assert_uint_eq(rx_bench_own(b, 5, STATRQPIDB, 0, 0, 0), 0);
    rx_bench_message(b, 5, 77, text, 5);
    rx_bench_run(b, 4000);
    rx_bench_holds(b);
    ck_assert_uint_eq(last_ack()->msn, 1);
}

/* ---- checkers */

TEST(bench_sees_each_fault, .to = 4 * KINDS)
{
    b = rx_bench_new(_i % 2);
    rx_bench_qp(b, 2, 0, 0, 8, 8, 0);
    rx_bench_message(b, 2, 0, text, 300);
    switch (_i / 2) {
    case 0:
        b->expected[2][0].bytes[299] ^= 1;
        break;
    case 1:
        b->expected[2][0].length--;
        break;
    case 2:
        b->index[2] = 3;
        break;
    case 3:
        rx_bench_expect(b, 2, text, 3);
        break;
    }
    rx_bench_run(b, 4000);
    ck_assert_str_ne(rx_bench_wrong(b), "");
}
