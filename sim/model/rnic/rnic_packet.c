/* Frames of RoCE v2; the manual is in the header. */
#include "sim/model/rnic/rnic_packet.h"

#include <string.h>
#include <zlib.h>

enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40, UDP = 8, BTH = 12, RETH = 16, AETH = 4, DETH = 8, ICRC = 4 };
enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, PROTOCOL_UDP = 17 };

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

void rnic_set_ipv4(uint8_t ip[16], uint32_t address)
{
    memcpy(ip, mapped, sizeof mapped);
    for (int i = 0; i < 4; i++) ip[12 + i] = (uint8_t)(address >> (24 - 8 * i));
}

int rnic_is_ipv4(const uint8_t ip[16]) { return !memcmp(ip, mapped, sizeof mapped); }

/* Numbers have their highest byte first on the wire. */
static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    while (bytes--) value = value << 8 | *at++;
    return value;
}

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
    while (bytes--) {
        at[bytes] = (uint8_t)value;
        value >>= 8;
    }
}

unsigned rnic_extension(uint8_t opcode)
{
    switch (opcode) {
    case RNIC_WRITE_FIRST:
    case RNIC_WRITE_ONLY:
    case RNIC_READ_REQUEST:
        return RETH;
    case RNIC_RESPONSE_FIRST:
    case RNIC_RESPONSE_LAST:
    case RNIC_RESPONSE_ONLY:
    case RNIC_ACKNOWLEDGE:
        return AETH;
    case RNIC_UD_SEND_ONLY:
        return DETH;
    default:
        return 0;
    }
}

const char *rnic_opcode_name(uint8_t opcode)
{
    switch (opcode) {
    case RNIC_SEND_FIRST:
        return "SEND first";
    case RNIC_SEND_MIDDLE:
        return "SEND middle";
    case RNIC_SEND_LAST:
        return "SEND last";
    case RNIC_SEND_ONLY:
        return "SEND only";
    case RNIC_WRITE_FIRST:
        return "WRITE first";
    case RNIC_WRITE_MIDDLE:
        return "WRITE middle";
    case RNIC_WRITE_LAST:
        return "WRITE last";
    case RNIC_WRITE_ONLY:
        return "WRITE only";
    case RNIC_READ_REQUEST:
        return "READ request";
    case RNIC_RESPONSE_FIRST:
        return "READ response first";
    case RNIC_RESPONSE_MIDDLE:
        return "READ response middle";
    case RNIC_RESPONSE_LAST:
        return "READ response last";
    case RNIC_RESPONSE_ONLY:
        return "READ response only";
    case RNIC_ACKNOWLEDGE:
        return "ACK";
    case RNIC_UD_SEND_ONLY:
        return "UD SEND only";
    default:
        return "unknown opcode";
    }
}

uint32_t rnic_icrc(const uint8_t *ip, size_t length)
{
    static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint8_t head[IPV6 + UDP + BTH];
    int v6 = ip[0] >> 4 == 6;
    size_t udp = v6 ? IPV6 : IPV4, headers = udp + UDP + BTH;
    uLong crc = crc32(crc32(0, NULL, 0), ones, sizeof ones);

    if (headers > length) headers = length;
    memcpy(head, ip, headers);
    /* what routers and switches may change counts as ones */
    if (v6) {
        head[0] |= 0x0f; /* traffic class, flow label, hop limit */
        head[1] = head[2] = head[3] = head[7] = 0xff;
    } else head[1] = head[8] = head[10] = head[11] = 0xff; /* type of service, TTL, checksum */
    if (headers == udp + UDP + BTH)
        head[udp + 6] = head[udp + 7] = head[udp + UDP + 4] = 0xff; /* UDP checksum, FECN and BECN */
    crc = crc32(crc, head, (uInt)headers);
    return (uint32_t)crc32(crc, ip + headers, (uInt)(length - headers));
}

static uint16_t ipv4_checksum(const uint8_t *ip)
{
    uint32_t sum = 0;

    for (int i = 0; i < IPV4; i += 2) sum += (uint32_t)get(ip + i, 2);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* ---- reading ---- */

static rnic_verdict malformed(const char **why, const char *text)
{
    *why = text;
    return RNIC_MALFORMED;
}

/* The IP header: where UDP begins, and how long the packet is from there. */
static rnic_verdict read_ip(rnic_packet *p, const uint8_t *ip, size_t length, size_t *udp, size_t *left,
                            const char **why)
{
    if (get(ip - 2, 2) == TYPE_IPV4) {
        size_t total;

        if (length < IPV4) return malformed(why, "shorter than an IPv4 header");
        if (ip[0] >> 4 != 4) return malformed(why, "IP version is not 4");
        if (ip[9] != PROTOCOL_UDP) return RNIC_OTHER;
        if (ip[0] != 0x45) return malformed(why, "IPv4 options");
        if (get(ip + 6, 2) & 0x3fff) return malformed(why, "a fragment");
        if (ipv4_checksum(ip)) return malformed(why, "checksum of the IPv4 header");
        total = get(ip + 2, 2);
        if (total < IPV4 + UDP || total > length) return malformed(why, "length in the IPv4 header");
        rnic_set_ipv4(p->from.ip, (uint32_t)get(ip + 12, 4));
        rnic_set_ipv4(p->to.ip, (uint32_t)get(ip + 16, 4));
        *udp = IPV4;
        *left = total - IPV4;
        return RNIC_GOOD;
    }
    if (get(ip - 2, 2) != TYPE_IPV6) return RNIC_OTHER;
    if (length < IPV6) return malformed(why, "shorter than an IPv6 header");
    if (ip[0] >> 4 != 6) return malformed(why, "IP version is not 6");
    if (ip[6] != PROTOCOL_UDP) return RNIC_OTHER;
    *udp = IPV6;
    *left = get(ip + 4, 2);
    if (*left < UDP || *left > length - IPV6) return malformed(why, "length in the IPv6 header");
    memcpy(p->from.ip, ip + 8, 16);
    memcpy(p->to.ip, ip + 24, 16);
    return RNIC_GOOD;
}

static rnic_verdict read_transport(rnic_packet *p, const uint8_t *bth, size_t left, const char **why)
{
    const uint8_t *more = bth + BTH;
    unsigned extension;

    p->opcode = bth[0];
    p->solicited = bth[1] >> 7;
    p->migrated = bth[1] >> 6 & 1;
    p->pad = bth[1] >> 4 & 3;
    if (bth[1] & 15) return malformed(why, "version of the transport header is not 0");
    p->pkey = (uint16_t)get(bth + 2, 2);
    p->qp = (uint32_t)get(bth + 5, 3);
    p->ack_request = bth[8] >> 7;
    p->psn = (uint32_t)get(bth + 9, 3);
    extension = rnic_extension(p->opcode);
    if (left < extension) return malformed(why, "shorter than the headers of its opcode");
    if (left - extension < p->pad) return malformed(why, "more pad than payload");
    if (extension == RETH) {
        p->address = get(more, 8);
        p->rkey = (uint32_t)get(more + 8, 4);
        p->dma_length = (uint32_t)get(more + 12, 4);
    } else if (extension == AETH) {
        p->syndrome = more[0];
        p->msn = (uint32_t)get(more + 1, 3);
    } else if (extension == DETH) {
        p->qkey = (uint32_t)get(more, 4);
        p->source_qp = (uint32_t)get(more + 5, 3);
    }
    p->payload = more + extension;
    p->length = (unsigned)(left - extension - p->pad);
    if ((p->length + p->pad) % 4) return malformed(why, "payload and pad are not a multiple of 4 bytes");
    return RNIC_GOOD;
}

rnic_verdict rnic_packet_read(rnic_packet *p, const uint8_t *frame, size_t length, const char **why)
{
    const uint8_t *ip = frame + ETHERNET, *udp;
    size_t at, left;
    rnic_verdict verdict;
    uint32_t icrc;

    memset(p, 0, sizeof *p);
    if (length < ETHERNET) return RNIC_OTHER;
    memcpy(p->to.mac, frame, 6);
    memcpy(p->from.mac, frame + 6, 6);
    verdict = read_ip(p, ip, length - ETHERNET, &at, &left, why);
    if (verdict != RNIC_GOOD) return verdict;
    udp = ip + at;
    if (get(udp + 2, 2) != RNIC_UDP_PORT) return RNIC_OTHER;
    p->udp_source = (uint16_t)get(udp, 2);
    if (get(udp + 4, 2) != left) return malformed(why, "length in the UDP header");
    if (left < UDP + BTH + ICRC) return malformed(why, "shorter than a transport header and an ICRC");
    icrc = rnic_icrc(ip, at + left - ICRC);
    for (unsigned i = 0; i < ICRC; i++)
        if (udp[left - ICRC + i] != (uint8_t)(icrc >> 8 * i)) {
            *why = "ICRC";
            return RNIC_BAD_ICRC;
        }
    return read_transport(p, udp + UDP, left - UDP - BTH - ICRC, why);
}

/* ---- writing ---- */

static size_t write_ip(const rnic_packet *p, uint8_t *ip, size_t udp_length)
{
    if (rnic_is_ipv4(p->to.ip)) {
        memset(ip, 0, IPV4);
        ip[0] = 0x45;
        put(ip + 2, 2, IPV4 + udp_length);
        ip[6] = 0x40; /* do not fragment */
        ip[8] = 64;
        ip[9] = PROTOCOL_UDP;
        memcpy(ip + 12, p->from.ip + 12, 4);
        memcpy(ip + 16, p->to.ip + 12, 4);
        put(ip + 10, 2, ipv4_checksum(ip));
        return IPV4;
    }
    memset(ip, 0, IPV6);
    ip[0] = 0x60;
    put(ip + 4, 2, udp_length);
    ip[6] = PROTOCOL_UDP;
    ip[7] = 64;
    memcpy(ip + 8, p->from.ip, 16);
    memcpy(ip + 24, p->to.ip, 16);
    return IPV6;
}

size_t rnic_packet_write(const rnic_packet *p, uint8_t frame[RNIC_FRAME])
{
    unsigned extension = rnic_extension(p->opcode), pad = -p->length & 3;
    size_t udp_length = UDP + BTH + extension + p->length + pad + ICRC, length;
    uint8_t *ip = frame + ETHERNET, *udp, *bth, *more;
    uint32_t icrc;

    memcpy(frame, p->to.mac, 6);
    memcpy(frame + 6, p->from.mac, 6);
    put(frame + 12, 2, rnic_is_ipv4(p->to.ip) ? TYPE_IPV4 : TYPE_IPV6);
    udp = ip + write_ip(p, ip, udp_length);
    put(udp, 2, p->udp_source);
    put(udp + 2, 2, RNIC_UDP_PORT);
    put(udp + 4, 2, udp_length);
    put(udp + 6, 2, 0);
    bth = udp + UDP;
    bth[0] = p->opcode;
    bth[1] = (uint8_t)(p->solicited << 7 | p->migrated << 6 | pad << 4);
    put(bth + 2, 2, p->pkey);
    put(bth + 4, 4, p->qp);
    put(bth + 8, 4, (uint32_t)(p->ack_request != 0) << 31 | p->psn);
    more = bth + BTH;
    if (extension == RETH) {
        put(more, 8, p->address);
        put(more + 8, 4, p->rkey);
        put(more + 12, 4, p->dma_length);
    } else if (extension == AETH) put(more, 4, (uint32_t)p->syndrome << 24 | p->msn);
    else if (extension == DETH) put(more, 8, (uint64_t)p->qkey << 32 | p->source_qp);
    if (p->length) memcpy(more + extension, p->payload, p->length);
    memset(more + extension + p->length, 0, pad);
    length = (size_t)(udp - ip) + udp_length - ICRC;
    icrc = rnic_icrc(ip, length);
    for (unsigned i = 0; i < ICRC; i++) ip[length + i] = (uint8_t)(icrc >> 8 * i);
    return ETHERNET + length + ICRC;
}
