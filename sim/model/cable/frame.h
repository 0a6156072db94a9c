/*
 * Frames of the link (design: "Packet on the link", "Header", "Credit", "Check record"): how they are written and read,
 * word by word.
 *
 * Everything in sim/ that makes, reads or damages frames uses this header: sniffer, link partner, traffic, figures,
 * faults. It shares nothing with the RTL: its CRCs go byte by byte, [31:24] first as on the wire. tb/unit/link has a
 * reference of its own.
 */
#ifndef SIM_MODEL_CABLE_FRAME_H
#define SIM_MODEL_CABLE_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* ---- words: 32 bits of data and 4 K flags */

#define FRAME_IDLE_DATA 0xbcbcbcbcu /* four K28.5 */
#define FRAME_IDLE_K 15u
#define FRAME_SOP_DATA 0xfb5aa55au /* K27.7 5A A5 5A */
#define FRAME_SOP_K 8u
#define FRAME_FAULT_DATA                                                                                               \
    0x3c3c3c3cu /* four K28.1, remote fault: its sender receives nothing (rtl/nic/link/link_gt_tx.v) */
enum { FRAME_IDLE_CHARACTER = 0xbc, FRAME_SOP_CHARACTER = 0xfb };

static inline int frame_is_sop(uint32_t data, unsigned k) { return data == FRAME_SOP_DATA && k == FRAME_SOP_K; }

static inline int frame_is_idle(uint32_t data, unsigned k) { return data == FRAME_IDLE_DATA && k == FRAME_IDLE_K; }

static inline int frame_is_fault(uint32_t data, unsigned k) { return data == FRAME_FAULT_DATA && k == FRAME_IDLE_K; }

static inline void frame_put_idle(uint32_t *data, uint8_t *k)
{
    *data = FRAME_IDLE_DATA;
    *k = FRAME_IDLE_K;
}

/* ---- CRCs */

enum { FRAME_HEADER_CRC_START = 0xffff };
#define FRAME_BODY_CRC_START 0xffffffffu

/* CRC-16/IBM-3740: polynomial 1021, start FFFF, not reflected, no final inversion; "123456789" gives 29B1. */
uint16_t frame_crc16(uint16_t crc, const void *bytes, size_t count);
uint16_t frame_crc16_word(uint16_t crc, uint32_t word);

/* CRC-32/MPEG-2: polynomial 04C11DB7, start FFFFFFFF, not reflected, no final inversion; "123456789" gives 0376E6E7. */
uint32_t frame_crc32(uint32_t crc, const void *bytes, size_t count);
uint32_t frame_crc32_word(uint32_t crc, uint32_t word);

/* ---- header */

enum { FRAME_LENGTH_MAX = 1023 /* 64-bit words that a header can name */, FRAME_SEQUENCES = 512, FRAME_STAMPED = 3 };

/* A header; one of length 0 is a check record: flow, and T in the address. */
typedef struct frame_header {
    unsigned flow, sequence, length; /* length in 64-bit words */
    int remote_notify, local_notify, remote_interrupt;
    int stamps; /* the payload begins with time stamps (S2 5.3) */
    uint32_t address;
} frame_header;

/* With the fixed bits of a packet, or of a record where the length is 0. */
uint64_t frame_header_write(const frame_header *fields);
frame_header frame_header_read(uint64_t header);
/* The upper bit of ten, of a sequence number on links by packet. */
#define FRAME_TENTH_BIT ((uint64_t)1 << 51)
/* [63] = 0; [51] = 1, unless it is a check record; [55] = 0, unless there is room for time stamps: FRAME_STAMPED words
 * or more. */
int frame_header_fixed_bits_ok(uint64_t header);
/* The word behind the header. */
uint16_t frame_header_crc(uint64_t header);

/* Length in the header whose upper half this is. */
static inline unsigned frame_length(uint32_t high) { return high & FRAME_LENGTH_MAX; }

/* Credit units of a packet with this many 64-bit words [link words]. */
static inline unsigned frame_units(unsigned length) { return 2 * length + 4; }

/* ---- credit */

typedef struct frame_credit_fields {
    uint8_t flow, counter; /* counter bits [11:5] */
    uint8_t marked;        /* bit 15 is 1 */
    uint8_t parity_ok;
} frame_credit_fields;

/* One credit: [15] = 1, [14] = xor of [13:0], [13:7] flow, [6:0] counter bits [11:5]. A credit word holds two, [31:16]
 * first. */
uint16_t frame_credit(unsigned flow, unsigned counter_bits);
frame_credit_fields frame_credit_read(uint16_t credit);

/* The word behind the SOP: credits, not a header. */
static inline int frame_is_credit(uint32_t first) { return first >> 31; }

/* ---- links by byte: byte i of a frame behind its SOP is byte i / links of link i mod links (rtl/nic/link/bundle.md)
 */

/* One clock of them, without K flags: as many words of the frame. */
void frame_of_links(uint32_t *words, const uint32_t *data, unsigned links);

/* ---- reading a frame word by word */

typedef enum frame_part {
    FRAME_OUTSIDE,
    FRAME_FIRST,  /* credits or the upper half of a header */
    FRAME_SECOND, /* behind the credits */
    FRAME_HEADER_LOW,
    FRAME_HEADER_CHECK,
    FRAME_PAYLOAD,
    FRAME_BODY_CHECK,
    FRAME_ENDED,    /* behind the last word of a packet or a record */
    FRAME_UNTRUSTED /* behind a header with a wrong CRC: where it ends is not known */
} frame_part;

typedef struct frame_reader {
    frame_part due; /* what the next word is */
    uint64_t header;
    uint32_t header_check, body_check; /* the CRC words as they came */
    int header_ok, body_ok;            /* ... and whether they are right */
    unsigned left;                     /* words of 32 bits of the payload that are still to come */
    uint32_t body_crc;
} frame_reader;

/* A SOP has come. */
void frame_reader_begin(frame_reader *r);
/* A word without K flags has come: what it was. Both halves of FRAME_FIRST: FRAME_FIRST for credits, FRAME_SECOND for a
 * header. */
frame_part frame_reader_word(frame_reader *r, uint32_t word);

/* ---- writing a frame */

enum { FRAME_WORDS_MAX = 2 * FRAME_LENGTH_MAX + 6 };

/* The words of a frame, from the SOP on, into `words`: the credit word unless it is 0; the packet or the record of
 * `header` unless that is NULL, with as many words of payload, [63:32] first, as it names. Returns how many; the header
 * begins at 1, behind credits at 2. */
unsigned frame_write(uint32_t words[FRAME_WORDS_MAX], uint32_t credit, const uint64_t *header, const uint64_t *payload);

#endif
