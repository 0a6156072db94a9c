#include "roce_frames.h"

#include <string.h>
#include <zlib.h>

const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x01}, peer_mac[6] = {0x52, 0x54, 0, 0, 0, 0x02};
const uint8_t our_ip4[4] = {10, 0, 0, 1}, peer_ip4[4] = {10, 0, 0, 2};
const uint32_t psn_starts[STARTS] = {0, 0xfffff0, 0x7ffff8};
const uint8_t our_ip6[16] = {0xfe, 0x80, [9] = 0x11, [15] = 0x01},
              peer_ip6[16] = {0xfe, 0x80, [9] = 0x54, [11] = 0xff, [15] = 0x02};

packet packet_of(unsigned opcode, unsigned qp, uint32_t psn)
{
    packet p = {.version = 4,
                .ihl = 5,
                .flags = 2,
                .protocol = 17,
                .port = 4791,
                .opcode = opcode,
                .key = 0xffff,
                .qp = qp,
                .psn = psn};
    memcpy(p.to_mac, our_mac, 6);
    memcpy(p.from_mac, peer_mac, 6);
    memcpy(p.to_ip, our_ip4, 4);
    memcpy(p.from_ip, peer_ip4, 4);
    p.id = 0x1234, p.ttl = 64, p.flow = 0x12345, p.from_port = 0xc001, p.udp_sum = 0xbeef, p.migrates = 1,
    p.reserved = 0x80;
    p.syndrome = ACK_GOOD;
    p.q_key = 0x80010000;
    p.from_qp = 1;
    return p;
}

static uint8_t *put(uint8_t *to, uint64_t value, unsigned bytes)
{
    while (bytes--) *to++ = (uint8_t)(value >> 8 * bytes);
    return to;
}

static uint64_t take(const uint8_t **from, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--) value = value << 8 | *(*from)++;
    return value;
}

static int has_aeth(unsigned opcode) { return opcode >= READ_FIRST && opcode <= ACKNOWLEDGE && opcode != READ_MIDDLE; }

unsigned opcode_in(unsigned message, int first, int last)
{
    unsigned only = message == READ_FIRST ? READ_ONLY - READ_FIRST : SEND_ONLY - SEND_FIRST;
    return message + (first && last ? only : first ? 0 : last ? 2 : 1);
}

int opcode_has_reth(unsigned opcode) { return opcode == WRITE_FIRST || opcode == WRITE_ONLY || opcode == READ_REQUEST; }

unsigned packet_frame(const packet *p, uint8_t frame[FRAME_LONGEST])
{
    uint8_t *at = frame, *ip, *udp, *bth;
    unsigned pad = p->pad ? p->pad : -p->length & 3;
    unsigned aeth = (unsigned)has_aeth(p->opcode), is_ud = p->opcode == UD_SEND_ONLY;
    unsigned udp_length = 8 + 12 + 4 * aeth + 8 * is_ud + 16 * (unsigned)p->reth + p->length + pad + 4;
    memset(frame, 0, FRAME_LONGEST);
    memcpy(at, p->to_mac, 6);
    memcpy(at + 6, p->from_mac, 6);
    ip = put(at + 12, p->v6 ? 0x86dd : 0x0800, 2);
    if (p->v6) {
        at = put(ip, (uint64_t)(p->version == 4 ? 6 : p->version) << 28 | p->tos << 20 | p->flow, 4);
        at = put(at, udp_length + p->ip_extra, 2);
        at = put(at, p->protocol, 1);
        at = put(at, p->ttl, 1);
        memcpy(at, p->from_ip, 16);
        memcpy(at + 16, p->to_ip, 16);
        udp = at + 32;
    } else {
        at = put(ip, p->version << 4 | p->ihl, 1);
        at = put(at, p->tos, 1);
        at = put(at, 4 * p->ihl + udp_length + p->ip_extra, 2);
        at = put(at, p->id, 2);
        at = put(at, p->flags << 13 | p->fragment, 2);
        at = put(at, p->ttl, 1);
        at = put(at, p->protocol, 1);
        memcpy(ip + 12, p->from_ip, 4);
        memcpy(ip + 16, p->to_ip, 4);
        udp = ip + (p->ihl > 5 ? 4 * p->ihl : 20);
        unsigned sum = 0;
        for (uint8_t *half = ip; half < udp; half += 2) sum += (unsigned)half[0] << 8 | half[1];
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        put(ip + 10, (0xffff ^ sum) + p->corrupt_sum, 2);
    }
    at = put(udp, p->from_port, 2);
    at = put(at, p->port, 2);
    at = put(at, udp_length + p->udp_extra, 2);
    bth = put(at, p->udp_sum, 2);
    at = put(bth, p->opcode, 1);
    at = put(at, p->migrates << 6 | pad << 4 | p->tver, 1);
    at = put(at, p->key, 2);
    at = put(at, p->reserved << 24 | p->qp, 4);
    at = put(at, (uint32_t)p->ack_request << 31 | (p->psn & 0xffffff), 4);
    if (aeth) at = put(at, (uint32_t)p->syndrome << 24 | (p->msn & 0xffffff), 4);
    if (is_ud) at = put(put(at, p->q_key, 4), p->from_qp, 4);
    if (p->reth) at = put(put(put(at, p->va, 8), p->r_key, 4), p->dma_length, 4);
    if (p->length) memcpy(at, p->payload, p->length);
    at += p->length + pad;

    uint8_t copy[FRAME_LONGEST];
    size_t covered = (size_t)(at - ip);
    memcpy(copy, ip, covered);
    if (p->v6) copy[0] |= 0x0f, copy[1] = copy[2] = copy[3] = 0xff, copy[7] = 0xff;
    else copy[1] = 0xff, copy[8] = 0xff, copy[10] = copy[11] = 0xff;
    copy[udp - ip + 6] = copy[udp - ip + 7] = 0xff;
    copy[bth - ip + 4] = 0xff;
    static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint32_t icrc = (uint32_t)crc32(crc32(0, ones, 8), copy, (uInt)covered) ^ p->corrupt_icrc;
    for (int i = 0; i < 4; i++) *at++ = (uint8_t)(icrc >> 8 * i);
    return (unsigned)(at - frame) - p->cut + p->append;
}

int packet_read(packet *p, const uint8_t *frame, unsigned length)
{
    const uint8_t *at = frame + 12;
    uint64_t type = take(&at, 2), word = take(&at, 4);
    *p = (packet){.v6 = type == 0x86dd, .version = 4, .ihl = 5};
    memcpy(p->to_mac, frame, 6);
    memcpy(p->from_mac, frame + 6, 6);
    if (!p->v6 && type != 0x0800) return 0;
    if (p->v6) {
        p->tos = word >> 20 & 0xff;
        p->flow = word & 0xfffff;
        at += 2; /* its length */
        p->protocol = (unsigned)take(&at, 1);
        p->ttl = (unsigned)take(&at, 1);
        memcpy(p->from_ip, at, 16);
        memcpy(p->to_ip, at + 16, 16);
        at += 32;
    } else {
        p->tos = word >> 16 & 0xff;
        p->id = (unsigned)take(&at, 2);
        p->flags = (unsigned)take(&at, 2) >> 13;
        p->ttl = (unsigned)take(&at, 1);
        p->protocol = (unsigned)take(&at, 1);
        memcpy(p->from_ip, at + 2, 4);
        memcpy(p->to_ip, at + 6, 4);
        at += 10;
    }
    p->from_port = (unsigned)take(&at, 2);
    p->port = (unsigned)take(&at, 2);
    if (p->protocol != 17 || p->port != 4791) return 0;
    at += 2;
    p->udp_sum = (unsigned)take(&at, 2);
    p->opcode = (unsigned)take(&at, 1);
    word = take(&at, 1);
    p->migrates = word >> 6 & 1, p->pad = word >> 4 & 3, p->tver = word & 15;
    p->key = (unsigned)take(&at, 2);
    word = take(&at, 4);
    p->reserved = (unsigned)(word >> 24), p->qp = word & 0xffffff;
    word = take(&at, 4);
    p->ack_request = (unsigned)(word >> 31), p->psn = word & 0xffffff;
    if (has_aeth(p->opcode)) {
        word = take(&at, 4);
        p->syndrome = (unsigned)(word >> 24), p->msn = word & 0xffffff;
    } else if (p->opcode == UD_SEND_ONLY) {
        p->q_key = (unsigned)take(&at, 4);
        p->from_qp = (unsigned)take(&at, 4);
    } else if (opcode_has_reth(p->opcode)) {
        p->reth = 1;
        p->va = take(&at, 8);
        p->r_key = (unsigned)take(&at, 4);
        p->dma_length = (unsigned)take(&at, 4);
    }
    p->payload = at;
    p->length = length - (unsigned)(at - frame) - p->pad - 4;
    return 1;
}

void packet_peer(uint32_t row[QP_WORDS], int v6, const uint8_t mac[6], const uint8_t *ip)
{
    row[MACDESADDLSB] = (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5];
    row[MACDESADDMSB] = (uint32_t)mac[0] << 8 | mac[1];
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *part = v6 ? ip + 12 - 4 * i : ip;
        row[IPDESADDR + i] = v6 || !i ? (uint32_t)take(&part, 4) : 0;
    }
}
