/*
 * Format of the link's frames, written from S1 3.1.6, 3.3 and design.md 3 and independent of the RTL: frames as words
 * with K flags, and a parser for a transmitter's words. Their CRCs: crc_reference.h.
 */
#ifndef TB_LINK_REFERENCE_H
#define TB_LINK_REFERENCE_H

#include <stdint.h>

#include "crc_reference.h"

enum {
    FRAME_MAX = 2100,   /* words of the longest frame a header can announce, with some to spare */
    UNITS_MASK = 0xfff, /* counters of words have 12 bits */
};
#define SOP_WORD 0xfb5aa55au
#define SOP_K 8u
#define IDLE_WORD 0xbcbcbcbcu
#define IDLE_K 15u
#define FAULT_WORD 0x3c3c3c3cu /* remote fault; with IDLE_K */

/* A frame as words; bit 3 of k belongs to [31:24]. */
struct frame {
    uint32_t data[FRAME_MAX];
    uint8_t k[FRAME_MAX];
    unsigned words;
};
void frame_start(struct frame *f);               /* empties it and puts the SOP in */
void frame_word(struct frame *f, uint32_t data); /* one data word */
void frame_credits(struct frame *f, uint16_t first, uint16_t second);
/* Header, its CRC, the payload words and their CRC; the number of words is that of the header. */
void frame_packet(struct frame *f, uint64_t header, const uint64_t *payload);
void frame_record(struct frame *f, unsigned flow, unsigned units);

/* A credit as S1 3.3.1 prints it; `units` is the whole counter, its low five bits are cut off. */
uint16_t credit_of(unsigned flow, unsigned units);
/* A header with every field of design.md 3. */
uint64_t header_of(unsigned flow, unsigned flags, unsigned sequence, unsigned length, uint32_t address);
unsigned header_length(uint64_t header);
/* Units that a packet with this header counts for: 2 x length + 4. */
unsigned header_units(uint64_t header);

/* ---- parser of a transmitter's words ---- */

enum link_item_kind { ITEM_PACKET, ITEM_CREDIT, ITEM_RECORD, ITEM_WRONG };
struct link_item {
    enum link_item_kind kind;
    uint64_t cycle;        /* of the SOP */
    unsigned words;        /* of the whole frame so far, SOP included */
    uint16_t credit[2];    /* ITEM_CREDIT */
    uint64_t header;       /* ITEM_PACKET, ITEM_RECORD */
    uint64_t payload[512]; /* ITEM_PACKET */
    int body_bad;          /* ITEM_PACKET: the body CRC is wrong */
    const char *wrong;     /* ITEM_WRONG: the violation of the format */
};
/* Gets one item per credit word and per packet or record. ITEM_WRONG is anything outside the format. */
typedef void (*link_item_sink)(void *self, const struct link_item *item);

struct link_parser {
    struct link_item item;
    int state; /* 0 outside of frames, else the next item */
    int credit_seen;
    unsigned body_words;
    uint32_t high, crc;
    unsigned words_since_idle, longest_without_idle;
    unsigned faults; /* words of remote fault */
    link_item_sink sink;
    void *self;
};
void link_parser_word(struct link_parser *p, uint64_t cycle, uint32_t data, uint8_t k);
/* The same for a bundle by byte: the words of 2 or 4 links in one clock. Byte i of a frame behind the SOP is byte i /
 * links of link i mod links; a credit word is on all links; behind the last byte of a frame are zeros. item.words is
 * that of one link of all bytes. */
void link_parser_bundle(struct link_parser *p, uint64_t cycle, unsigned links, const uint32_t *data, const uint8_t *k);

#endif
