#include "roce_frames.h"

#include <string.h>
#include <zlib.h>

const uint8_t our_mac[6] = {0x02, 0, 0, 0, 0, 0x01}, peer_mac[6] = {0x52, 0x54, 0, 0, 0, 0x02};
const uint8_t our_ip4[4] = {10, 0, 0, 1}, peer_ip4[4] = {10, 0, 0, 2};
const uint8_t our_ip6[16] = {0xfe, 0x80, [9] = 0x11, [15] = 0x01}, peer_ip6[16] = {0xfe, 0x80, [9] = 0x54, [11] = 0xff, [15] = 0x02};

packet packet_of(unsigned opcode, unsigned qp, uint32_t psn)
{
    packet p = {.version = 4, .ihl = 5, .flags = 2, .protocol = 17, .port = 4791, .opcode = opcode, .key = 0xffff, .qp = qp, .psn = psn};
    memcpy(p.to_mac, our_mac, 6);
    memcpy(p.from_mac, peer_mac, 6);
    memcpy(p.to_ip, our_ip4, 4);
    memcpy(p.from_ip, peer_ip4, 4);
    p.id = 0x1234, p.ttl = 64, p.flow = 0x12345, p.from_port = 0xc001, p.udp_sum = 0xbeef, p.migrates = 1, p.reserved = 0x80;
    p.syndrome = 0x1f;
    p.q_key = 0x80010000;
    p.from_qp = 1;
    return p;
}

static uint8_t *put(uint8_t *to, uint64_t value, unsigned bytes)
{
    while (bytes--) *to++ = (uint8_t)(value >> 8 * bytes);
    return to;
}

unsigned packet_frame(const packet *p, uint8_t frame[FRAME_LONGEST])
{
    uint8_t *at = frame, *ip, *udp, *bth;
    unsigned pad = p->pad ? p->pad : -p->length & 3;
    unsigned has_aeth = p->opcode >= READ_FIRST && p->opcode <= ACKNOWLEDGE && p->opcode != READ_MIDDLE, is_ud = p->opcode == UD_SEND_ONLY;
    unsigned udp_length = 8 + 12 + 4 * has_aeth + 8 * is_ud + 16 * (unsigned)p->reth + p->length + pad + 4;
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
        put(ip + 10, (0xffff ^ sum) + p->spoil_sum, 2);
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
    if (has_aeth) at = put(at, (uint32_t)p->syndrome << 24 | (p->msn & 0xffffff), 4);
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
    uint32_t icrc = (uint32_t)crc32(crc32(0, ones, 8), copy, (uInt)covered) ^ p->spoil_icrc;
    for (int i = 0; i < 4; i++) *at++ = (uint8_t)(icrc >> 8 * i);
    return (unsigned)(at - frame) - p->cut + p->append;
}
