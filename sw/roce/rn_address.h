/* Where a host is on the network, and bytes in the order of the wire. */
#ifndef RN_ADDRESS_H
#define RN_ADDRESS_H

#include <stdint.h>
#include <string.h>

typedef struct rn_address {
    uint8_t mac[6];
    uint8_t ipv6;   /* 1: `ip` is an IPv6 address; 0: IPv4, in its first four bytes, the others are 0 */
    uint8_t ip[16]; /* the first byte on the wire first */
} rn_address;

/* The most significant byte first. */
static inline uint16_t rn_get16(const uint8_t *b) { return (uint16_t)(b[0] << 8 | b[1]); }
static inline uint32_t rn_get24(const uint8_t *b) { return (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2]; }
static inline uint32_t rn_get32(const uint8_t *b) { return (uint32_t)b[0] << 24 | rn_get24(b + 1); }
static inline uint64_t rn_get64(const uint8_t *b) { return (uint64_t)rn_get32(b) << 32 | rn_get32(b + 4); }
static inline void rn_put16(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)(value >> 8);
    b[1] = (uint8_t)value;
}
static inline void rn_put24(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)(value >> 16);
    rn_put16(b + 1, value);
}
static inline void rn_put32(uint8_t *b, uint32_t value)
{
    rn_put16(b, value >> 16);
    rn_put16(b + 2, value);
}
static inline void rn_put64(uint8_t *b, uint64_t value)
{
    rn_put32(b, (uint32_t)(value >> 32));
    rn_put32(b + 4, (uint32_t)value);
}

/* The checksum of IP, ICMP and ICMPv6 (RFC 1071): `sum` goes through all parts, an odd number of bytes only in the last
 * one. */
static inline uint32_t rn_sum(uint32_t sum, const uint8_t *b, size_t size)
{
    for (size_t i = 0; i + 1 < size; i += 2) sum += rn_get16(b + i);
    if (size & 1) sum += (uint32_t)b[size - 1] << 8;
    return (sum & 0xffff) + (sum >> 16);
}
/* Content of the packet; 0 over a packet whose checksum is right. */
static inline uint16_t rn_sum_end(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

#endif
