/* Frames of RoCE v2 made by hand, field by field, with zlib's CRC for the ICRC: what a peer sends, what it never
 * should, and what the chip must send. */
#ifndef TB_ROCE_FRAMES_H
#define TB_ROCE_FRAMES_H

#include <stdint.h>

#include "qp_registers.h"

enum { FRAME_LONGEST = 9000, OUR_QPS = 8 };

/* Opcodes of IBA 9.2 that tests name. */
enum {
    SEND_FIRST = 0x00,
    SEND_MIDDLE = 0x01,
    SEND_LAST = 0x02,
    SEND_ONLY = 0x04,
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE = 0x07,
    WRITE_LAST = 0x08,
    WRITE_ONLY = 0x0A,
    READ_REQUEST = 0x0C,
    READ_FIRST = 0x0D,
    READ_MIDDLE = 0x0E,
    READ_LAST = 0x0F,
    READ_ONLY = 0x10,
    ACKNOWLEDGE = 0x11,
    UD_SEND_ONLY = 0x64,
};
/* Syndromes of IBA 9.7.5.2.1; the RNR NAK's timer is added. No credits: all its five bits. */
enum {
    ACK_GOOD = 0x1f,
    RNR_NAK = 0x20,
    NAK_SEQUENCE = 0x60,
    NAK_INVALID = 0x61,
    NAK_ACCESS = 0x62,
    NAK_OPERATIONAL = 0x63
};
/* Packet numbers at which each rule must hold: at 0, and before their wrap and their sign. */
enum { STARTS = 3 };
extern const uint32_t psn_starts[STARTS];
/* The opcode of a packet in a message of SENDs, WRITEs or READ responses, which is named by the opcode of its first
 * one. */
unsigned opcode_in(unsigned message, int first, int last);
/* These begin with an RETH. */
int opcode_has_reth(unsigned opcode);

/* The addresses of the chip under test and of its peer, numbers with the first byte on the wire highest. */
extern const uint8_t our_mac[6], peer_mac[6], our_ip4[4], peer_ip4[4], our_ip6[16], peer_ip6[16];

typedef struct packet {
    int v6;
    uint8_t to_mac[6], from_mac[6];
    uint8_t to_ip[16], from_ip[16]; /* of IPv4 the first 4 */
    unsigned version, ihl;          /* of the IP header; ihl > 5: options of zeros */
    unsigned tos, flags, fragment, protocol, port, ip_extra, udp_extra; /* _extra: added to the right length */
    unsigned id, ttl, flow, from_port, udp_sum; /* id: IPv4's identification; flow: IPv6's label */
    unsigned corrupt_sum;                       /* added to the IPv4 checksum */
    unsigned opcode, migrates, pad, tver, key, reserved, qp, ack_request,
        psn;  /* migrates: MigReq; reserved: the byte before QP */
    int reth; /* 1: it has one: */
    uint64_t va;
    unsigned r_key, dma_length;
    unsigned syndrome, msn;  /* AETH of responses */
    unsigned q_key, from_qp; /* DETH of UD */
    const uint8_t *payload;
    unsigned length;       /* of the payload without pad */
    uint32_t corrupt_icrc; /* added to the ICRC by XOR */
    unsigned cut, append;  /* bytes taken off the end of the frame, zeros put there */
} packet;

/* A good one from the peer to this QP (of S5, from 1 on). Fields ignored by a receiver are not 0. */
packet packet_of(unsigned opcode, unsigned qp, uint32_t psn);
/* Sets its pad by its length. Returns the frame's length. */
unsigned packet_frame(const packet *p, uint8_t frame[FRAME_LONGEST]);
/* The fields of a frame that is good, a recorded one; its payload stays where it is. 0: it is no RoCE v2. */
int packet_read(packet *p, const uint8_t *frame, unsigned length);
/* The registers of a QP with its peer's addresses: MACDESADDLSB, MACDESADDMSB and IPDESADDR. */
void packet_peer(uint32_t row[QP_WORDS], int v6, const uint8_t mac[6], const uint8_t *ip);

#endif
