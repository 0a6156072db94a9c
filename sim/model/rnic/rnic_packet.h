/* Packets of RoCE v2 as Ethernet frames: their one reader and writer in the C peer. Shares nothing with the RTL.
 *
 * Formats: InfiniBand Architecture Volume 1 ("IBA") 9.2 to 9.5 and Annex A17; RFC 791, 8200, 768. A frame is without
 * preamble and FCS:
 *
 *     Ethernet 14 | IPv4 20 or IPv6 40 | UDP 8, to port 4791 | BTH 12 | RETH 16, AETH 4 or DETH 8 | payload | pad 0..3
 * | ICRC 4
 */
#ifndef SIM_MODEL_RNIC_RNIC_PACKET_H
#define SIM_MODEL_RNIC_RNIC_PACKET_H

#include <stddef.h>
#include <stdint.h>

enum {
    RNIC_PAYLOAD = 4096, /* [bytes] most of a packet */
    RNIC_FRAME = 14 + 40 + 8 + 12 + 16 + RNIC_PAYLOAD + 4,
    RNIC_UDP_PORT = 4791,
    RNIC_PSNS = 1 << 24, /* and MSNs, and numbers of QPs */
    RNIC_PKEY = 0xffff   /* the default partition */
};

/* IBA table 38; those that this NIC speaks. */
enum {
    RNIC_SEND_FIRST = 0x00,
    RNIC_SEND_MIDDLE = 0x01,
    RNIC_SEND_LAST = 0x02,
    RNIC_SEND_ONLY = 0x04,
    RNIC_WRITE_FIRST = 0x06,
    RNIC_WRITE_MIDDLE = 0x07,
    RNIC_WRITE_LAST = 0x08,
    RNIC_WRITE_ONLY = 0x0a,
    RNIC_READ_REQUEST = 0x0c,
    RNIC_RESPONSE_FIRST = 0x0d,
    RNIC_RESPONSE_MIDDLE = 0x0e,
    RNIC_RESPONSE_LAST = 0x0f,
    RNIC_RESPONSE_ONLY = 0x10,
    RNIC_ACKNOWLEDGE = 0x11,
    RNIC_UD_SEND_ONLY = 0x64
};

/* Syndromes of the AETH, IBA 9.7.5.2.1: kind in [6:5], and for an ACK 31 = no credits, for an RNR NAK the code of the
 * time. */
enum {
    RNIC_ACK = 0x1f,
    RNIC_RNR_NAK = 0x20,
    RNIC_NAK_SEQUENCE = 0x60,
    RNIC_NAK_INVALID = 0x61,
    RNIC_NAK_ACCESS = 0x62,
    RNIC_NAK_OPERATION = 0x63
};

/* ip: an IPv6 address, or an IPv4 one as ::ffff:a.b.c.d */
typedef struct rnic_address {
    uint8_t mac[6], ip[16];
} rnic_address;

/* Sets ip to ::ffff:a.b.c.d, the first byte on the wire in [31:24]. */
void rnic_set_ipv4(uint8_t ip[16], uint32_t address);
int rnic_is_ipv4(const uint8_t ip[16]);

typedef struct rnic_packet {
    rnic_address from, to;
    uint16_t udp_source;
    uint8_t opcode;
    uint8_t solicited, migrated, pad; /* pad: set by the writer itself */
    uint16_t pkey;
    uint32_t qp; /* destination */
    int ack_request;
    uint32_t psn;
    uint64_t address; /* RETH: of WRITE first and only, READ request */
    uint32_t rkey, dma_length;
    uint8_t syndrome; /* AETH: of ACK, and of READ responses but middle ones */
    uint32_t msn;
    uint32_t qkey, source_qp; /* DETH: of UD SEND only */
    const uint8_t *payload;
    unsigned length; /* [bytes] of payload, without pad */
} rnic_packet;

typedef enum {
    RNIC_GOOD,
    RNIC_OTHER,     /* not UDP to port 4791 */
    RNIC_MALFORMED, /* lengths, versions, options, fragments, checksum of IPv4 */
    RNIC_BAD_ICRC
} rnic_verdict;

/* Parses a frame; the payload stays in it. Bytes behind the end of the IP packet are left alone. `why` gets a text if
 * it is neither good nor other. An opcode that is not named above is good, and everything behind its BTH is payload. */
rnic_verdict rnic_packet_read(rnic_packet *p, const uint8_t *frame, size_t length, const char **why);
/* Makes the frame of a packet with at most RNIC_PAYLOAD bytes of payload: its length. TTL 64, traffic class 0, UDP
 * checksum 0. */
size_t rnic_packet_write(const rnic_packet *p, uint8_t frame[RNIC_FRAME]);
/* The invariant CRC of an IP packet up to its ICRC, as a number whose lowest byte goes first (IBA 7.8.1, A17.3.3). */
uint32_t rnic_icrc(const uint8_t *ip, size_t length);

/* Bytes of RETH, AETH or DETH with this opcode. */
unsigned rnic_extension(uint8_t opcode);
/* "SEND first", for messages. */
const char *rnic_opcode_name(uint8_t opcode);

#endif
