/* Frames of RoCE v2: one worked out by hand, the ICRC by another way, every bit turned, every length cut, every field
 * that must be refused.
 */
#include <string.h>

#include "sim/core/kernel/splitmix64.h"
#include "sim/model/rnic/rnic_packet.h"
#include "tb/unit/roce/roce_frames.h"
#include "test.h"

/* A READ request, field by field: 10.0.0.1 to 10.0.0.2, from port c001, to QP 11, PSN fffffe, 5000 bytes at
 * 7f5a16bff000, key 12e. */
static const uint8_t by_hand[] = {
    0x52, 0x54, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, /* Ethernet */
    0x45, 0x00, 0x00, 0x3c, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x26, 0xaf, 10,   0,    0,    1,
    10,   0,    0,    2,                                                                            /* IPv4, 60 bytes */
    0xc0, 0x01, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,                                                 /* UDP, 40 bytes */
    0x0c, 0x40, 0xff, 0xff, 0x00, 0x00, 0x00, 0x11, 0x80, 0xff, 0xff, 0xfe,                         /* BTH */
    0x00, 0x00, 0x7f, 0x5a, 0x16, 0xbf, 0xf0, 0x00, 0x00, 0x00, 0x01, 0x2e, 0x00, 0x00, 0x13, 0x88, /* RETH */
};

/* Ethernet's CRC-32 bit by bit (IEEE 802.3, 3.2.9), over the bytes of the ICRC (IBA A17.3.3). */
static uint32_t icrc_by_bits(const uint8_t *ip, size_t length, size_t udp)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < 8 + length; i++) {
        size_t at = i - 8;
        uint8_t byte = i < 8 ? 0xff : ip[at];

        if (i >= 8 && udp == 20 && (at == 1 || at == 8 || at == 10 || at == 11)) byte = 0xff;
        if (i >= 8 && udp == 40 && (at == 1 || at == 2 || at == 3 || at == 7)) byte = 0xff;
        if (i >= 8 && udp == 40 && at == 0) byte |= 0x0f;
        if (i >= 8 && (at == udp + 6 || at == udp + 7 || at == udp + 12)) byte = 0xff;
        for (unsigned bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (((crc ^ byte >> bit) & 1) ? 0xedb88320 : 0);
    }
    return ~crc;
}

static rnic_packet sample(uint8_t opcode, int v6, const uint8_t *payload, unsigned length)
{
    rnic_packet p = {.from = {.mac = {2, 0, 0, 0, 0, 1}},
                     .to = {.mac = {0x52, 0x54, 0, 0, 0, 2}},
                     .udp_source = 0xc001,
                     .opcode = opcode,
                     .migrated = 1,
                     .pkey = 0xffff,
                     .qp = 0x123456,
                     .psn = 0x89abcd,
                     .payload = payload,
                     .length = length};
    unsigned extension = rnic_extension(opcode);

    if (v6) {
        memcpy(p.from.ip, (uint8_t[16]){0xfe, 0x80, [15] = 1}, 16);
        memcpy(p.to.ip, (uint8_t[16]){0xfe, 0x80, [15] = 2}, 16);
    } else {
        rnic_set_ipv4(p.from.ip, 0x0a000001);
        rnic_set_ipv4(p.to.ip, 0x0a000002);
    }
    if (extension == 16) {
        p.address = 0x1122334455667788;
        p.rkey = 0x99aabbcc;
        p.dma_length = 0x11223344;
    } else if (extension == 4) {
        p.syndrome = 0x62;
        p.msn = 0x112233;
    } else if (extension == 8) {
        p.qkey = 0x80010000;
        p.source_qp = 0x778899;
    }
    return p;
}

static const uint8_t opcodes[] = {0, 1, 2, 4, 6, 7, 8, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x64};

TEST_CASE("frames");

TEST(a_frame_has_the_bytes_worked_out_by_hand)
{
    rnic_packet p = sample(RNIC_READ_REQUEST, 0, NULL, 0);
    uint8_t frame[RNIC_FRAME];
    uint32_t icrc = icrc_by_bits(by_hand + 14, sizeof by_hand - 14, 20);

    p.qp = 0x11;
    p.psn = 0xfffffe;
    p.ack_request = 1;
    p.address = 0x7f5a16bff000;
    p.rkey = 0x12e;
    p.dma_length = 5000;
    ck_assert_uint_eq(rnic_packet_write(&p, frame), sizeof by_hand + 4);
    ck_assert_mem_eq(frame, by_hand, sizeof by_hand);
    for (unsigned i = 0; i < 4; i++) ck_assert_uint_eq(frame[sizeof by_hand + i], icrc >> 8 * i & 0xff);
}

/* The same frame by roce_frames.h, with which the chip's blocks are tested: written independently from the same
 * documents. */
static size_t written_by_another(const rnic_packet *p, int v6, uint8_t frame[FRAME_LONGEST])
{
    packet q = packet_of(p->opcode, p->qp, p->psn);
    q.v6 = v6;
    memcpy(q.to_mac, p->to.mac, 6);
    memcpy(q.from_mac, p->from.mac, 6);
    memcpy(q.to_ip, p->to.ip + (v6 ? 0 : 12), v6 ? 16 : 4);
    memcpy(q.from_ip, p->from.ip + (v6 ? 0 : 12), v6 ? 16 : 4);
    q.id = q.flow = q.udp_sum = q.reserved = 0;
    q.from_port = p->udp_source;
    q.migrates = p->migrated;
    q.ack_request = (unsigned)p->ack_request;
    q.reth = opcode_has_reth(p->opcode);
    q.va = p->address, q.r_key = p->rkey, q.dma_length = p->dma_length;
    q.syndrome = p->syndrome, q.msn = p->msn;
    q.q_key = p->qkey, q.from_qp = p->source_qp;
    q.payload = p->payload, q.length = p->length;
    return packet_frame(&q, frame);
}

/* Every opcode and pad: read as it was written, and as another one writes it; the ICRC of both kinds of IP as bit by
 * bit. */
TEST(what_is_written_is_read, .to = 2)
{
    uint8_t payload[64], frame[RNIC_FRAME], other[FRAME_LONGEST];
    uint64_t seed = 5;
    const char *why = "";

    for (unsigned i = 0; i < sizeof payload; i++) payload[i] = (uint8_t)splitmix64(&seed);
    for (unsigned o = 0; o < sizeof opcodes; o++)
        for (unsigned length = 0; length < 9; length++) {
            rnic_packet p = sample(opcodes[o], _i, payload, length), q;
            p.ack_request = length & 1;
            size_t udp = _i ? 40 : 20, whole = rnic_packet_write(&p, frame);

            ck_assert_uint_eq(whole, 14 + udp + 8 + 12 + rnic_extension(p.opcode) + (length + 3) / 4 * 4 + 4);
            ck_assert_uint_eq(written_by_another(&p, _i, other), whole);
            ck_assert_mem_eq(frame, other, whole);
            ck_assert_uint_eq(rnic_icrc(frame + 14, whole - 18), icrc_by_bits(frame + 14, whole - 18, udp));
            memset(frame + whole, 0xee, 4); /* behind its end */
            ck_assert_msg(rnic_packet_read(&q, frame, whole + 4, &why) == RNIC_GOOD, "%s", why);
            ck_assert_mem_eq(q.payload, payload, length);
            ck_assert_uint_eq(q.pad, -length & 3);
            p.pad = q.pad;
            p.payload = q.payload;
            ck_assert_mem_eq(&p, &q, sizeof p);
        }
}

/* Bits whose change is not noticed: Ethernet's addresses; traffic class, flow label, TTL; UDP checksum; byte 4 of the
 * BTH (FECN, BECN). */
static int left_out(size_t byte, unsigned bit, int v6)
{
    size_t udp = v6 ? 54 : 34;

    if (byte < 12 || byte == udp + 6 || byte == udp + 7 || byte == udp + 12) return 1;
    if (v6) return byte == 15 || byte == 16 || byte == 17 || byte == 21 || (byte == 14 && bit < 4);
    return 0; /* IPv4's own checksum covers them */
}

TEST(every_bit_counts_but_those_that_routers_change, .to = 2)
{
    rnic_packet p = sample(RNIC_RESPONSE_LAST, _i, by_hand, 30), q;
    uint8_t frame[RNIC_FRAME];
    size_t whole = rnic_packet_write(&p, frame);
    const char *why;

    for (size_t bit = 0; bit < 8 * whole; bit++) {
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        int good = rnic_packet_read(&q, frame, whole, &why) == RNIC_GOOD;
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        ck_assert_msg(good == left_out(bit / 8, bit % 8, _i), "bit %zu of byte %zu", bit % 8, bit / 8);
    }
}

/* However it is cut, it is refused, and nothing behind its end is looked at (the sanitizer watches). */
TEST(a_cut_frame_is_refused, .to = 2)
{
    rnic_packet p = sample(RNIC_WRITE_ONLY, _i, by_hand, 30), q;
    uint8_t frame[RNIC_FRAME];
    size_t whole = rnic_packet_write(&p, frame);
    const char *why;

    for (size_t length = 0; length < whole; length++) {
        uint8_t *cut = test_memory(length + 1);

        memcpy(cut, frame, length);
        ck_assert_int_ne(rnic_packet_read(&q, cut, length, &why), RNIC_GOOD);
    }
}

/* ---- errors with right checksum and ICRC */

enum { UDP = 34, BTH = 42 };

static void mend(uint8_t *frame, size_t whole)
{
    uint32_t sum = 0, icrc;

    frame[24] = frame[25] = 0;
    for (int i = 14; i < 34; i += 2) sum += (uint32_t)(frame[i] << 8 | frame[i + 1]);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    frame[24] = (uint8_t)(~sum >> 8);
    frame[25] = (uint8_t)~sum;
    icrc = icrc_by_bits(frame + 14, whole - 18, 20);
    for (int i = 0; i < 4; i++) frame[whole - 4 + (size_t)i] = (uint8_t)(icrc >> 8 * i);
}

TEST(fields_that_must_not_be_are_named, .to = 14)
{
    static const struct {
        size_t at;
        uint8_t value;
        rnic_verdict verdict;
        const char *why;
    } rows[] = {
        {12, 0x86, RNIC_OTHER, NULL}, /* no EtherType of IP */
        {14, 0x65, RNIC_MALFORMED, "IP version is not 4"},
        {14, 0x46, RNIC_MALFORMED, "IPv4 options"},
        {17, 70, RNIC_MALFORMED, "length in the UDP header"}, /* one byte less */
        {17, 90, RNIC_MALFORMED, "length in the IPv4 header"},
        {17, 27, RNIC_MALFORMED, "length in the IPv4 header"},
        {20, 0x20, RNIC_MALFORMED, "a fragment"},
        {21, 0x01, RNIC_MALFORMED, "a fragment"},
        {23, 6, RNIC_OTHER, NULL}, /* TCP */
        {UDP + 3, 0xb6, RNIC_OTHER, NULL},
        {UDP + 5, 50, RNIC_MALFORMED, "length in the UDP header"},
        {BTH + 1, 0x41, RNIC_MALFORMED, "version of the transport header is not 0"},
        {BTH + 1, 0x70, RNIC_MALFORMED, "payload and pad are not a multiple of 4 bytes"}, /* cannot be: see below */
        {BTH + 0, 0x11, RNIC_GOOD, NULL},
    };
    rnic_packet p = sample(RNIC_SEND_ONLY, 0, by_hand, 27), q;
    uint8_t frame[RNIC_FRAME];
    size_t whole = rnic_packet_write(&p, frame);
    const char *why = NULL;

    ck_assert_uint_eq(whole, 14 + 71 + 1);
    frame[rows[_i].at] = rows[_i].value;
    mend(frame, whole);
    rnic_verdict verdict = rnic_packet_read(&q, frame, whole, &why);
    if (_i == 12) { /* any pad fits bytes that are a multiple of 4: 3 instead of 1 are a shorter payload */
        ck_assert_int_eq(verdict, RNIC_GOOD);
        ck_assert_uint_eq(q.length, 25);
        return;
    }
    ck_assert_int_eq(verdict, rows[_i].verdict);
    if (rows[_i].why) ck_assert_str_eq(why, rows[_i].why);
}

TEST(a_payload_that_is_no_multiple_of_4_bytes_is_refused)
{
    rnic_packet p = sample(RNIC_SEND_ONLY, 0, by_hand, 28), q;
    uint8_t frame[RNIC_FRAME];
    size_t whole = rnic_packet_write(&p, frame) - 1;
    const char *why = NULL;

    frame[17]--;
    frame[UDP + 5]--;
    mend(frame, whole);
    ck_assert_int_eq(rnic_packet_read(&q, frame, whole, &why), RNIC_MALFORMED);
    ck_assert_str_eq(why, "payload and pad are not a multiple of 4 bytes");
    p = sample(RNIC_SEND_ONLY, 0, by_hand, 0);
    whole = rnic_packet_write(&p, frame);
    frame[BTH + 1] |= 0x10;
    mend(frame, whole);
    ck_assert_int_eq(rnic_packet_read(&q, frame, whole, &why), RNIC_MALFORMED);
    ck_assert_str_eq(why, "more pad than payload");
    frame[BTH + 1] &= 0xcf;
    frame[BTH] = RNIC_ACKNOWLEDGE;
    mend(frame, whole);
    ck_assert_int_eq(rnic_packet_read(&q, frame, whole, &why), RNIC_MALFORMED);
    ck_assert_str_eq(why, "shorter than the headers of its opcode");
}
