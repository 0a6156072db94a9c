/* Frames of the link as the documents describe them; the manual is in the header. */
#include "link_reference.h"

#include <stdlib.h>

static void put(struct frame *f, uint32_t data, uint8_t k)
{
    if (f->words == FRAME_MAX) abort();
    f->data[f->words] = data;
    f->k[f->words++] = k;
}

void frame_start(struct frame *f)
{
    f->words = 0;
    put(f, SOP_WORD, SOP_K);
}

void frame_word(struct frame *f, uint32_t data) { put(f, data, 0); }

void frame_credits(struct frame *f, uint16_t first, uint16_t second) { put(f, (uint32_t)first << 16 | second, 0); }

static void put_header(struct frame *f, uint64_t header)
{
    put(f, (uint32_t)(header >> 32), 0);
    put(f, (uint32_t)header, 0);
    put(f, reference_crc16(0xffff, header, 64), 0);
}

void frame_packet(struct frame *f, uint64_t header, const uint64_t *payload)
{
    uint32_t crc = 0xffffffff;

    put_header(f, header);
    for (unsigned i = 0; i < header_length(header); i++) {
        put(f, (uint32_t)(payload[i] >> 32), 0);
        put(f, (uint32_t)payload[i], 0);
        crc = reference_crc32(crc, payload[i], 64);
    }
    put(f, crc, 0);
}

void frame_record(struct frame *f, unsigned flow, unsigned units) { put_header(f, (uint64_t)flow << 56 | units); }

uint16_t credit_of(unsigned flow, unsigned units)
{
    unsigned bits = (flow & 127) << 7 | (units >> 5 & 127);

    return (uint16_t)(0x8000 | (unsigned)__builtin_parity(bits) << 14 | bits);
}

uint64_t header_of(unsigned flow, unsigned flags, unsigned sequence, unsigned length, uint32_t address)
{
    return (uint64_t)flow << 56 | (uint64_t)(flags & 7) << 52 | (uint64_t)1 << 51 | (uint64_t)(sequence & 511) << 42 |
           (uint64_t)(length & 1023) << 32 | address;
}

unsigned header_length(uint64_t header) { return header >> 32 & 1023; }

unsigned header_units(uint64_t header) { return 2 * header_length(header) + 4; }

/* ---- parser ---- */

enum { OUTSIDE, FIRST, AFTER_CREDIT, HEADER_LOW, HEADER_CRC, BODY, BODY_CRC };

static void say(struct link_parser *p, enum link_item_kind kind, const char *wrong)
{
    p->item.kind = kind;
    p->item.wrong = wrong;
    p->sink(p->self, &p->item);
    if (kind == ITEM_WRONG) p->state = OUTSIDE;
}

static void special(struct link_parser *p, uint64_t cycle, uint32_t data, uint8_t k)
{
    if (p->state != OUTSIDE && p->state != AFTER_CREDIT) say(p, ITEM_WRONG, "a frame breaks off");
    p->state = OUTSIDE;
    if (data == SOP_WORD && k == SOP_K) {
        p->state = FIRST;
        p->item.cycle = cycle;
        p->item.words = 1;
    } else if (data == FAULT_WORD && k == IDLE_K) {
        p->faults++;
    } else if (data != IDLE_WORD || k != IDLE_K) {
        say(p, ITEM_WRONG, "a word with K characters that is neither idle, SOP nor remote fault");
    }
}

static void header_complete(struct link_parser *p, uint32_t data)
{
    if (data != reference_crc16(0xffff, p->item.header, 64)) {
        say(p, ITEM_WRONG, "header CRC");
    } else if (!header_length(p->item.header)) {
        say(p, ITEM_RECORD, 0);
        p->state = OUTSIDE;
    } else {
        p->state = BODY;
        p->body_words = 0;
        p->crc = 0xffffffff;
    }
}

void link_parser_word(struct link_parser *p, uint64_t cycle, uint32_t data, uint8_t k)
{
    if (k == IDLE_K && data == IDLE_WORD) p->words_since_idle = 0;
    else if (++p->words_since_idle > p->longest_without_idle) p->longest_without_idle = p->words_since_idle;
    if (k) {
        special(p, cycle, data, k);
        return;
    }
    p->item.words++;
    switch (p->state) {
    case FIRST:
    case AFTER_CREDIT:
        if (data >> 31 && p->state == FIRST) {
            p->item.credit[0] = (uint16_t)(data >> 16);
            p->item.credit[1] = (uint16_t)data;
            p->state = AFTER_CREDIT;
            say(p, ITEM_CREDIT, 0);
        } else if (data >> 31) {
            say(p, ITEM_WRONG, "a second credit word");
        } else {
            p->high = data;
            p->state = HEADER_LOW;
        }
        return;
    case HEADER_LOW:
        p->item.header = (uint64_t)p->high << 32 | data;
        p->state = HEADER_CRC;
        return;
    case HEADER_CRC:
        header_complete(p, data);
        return;
    case BODY:
        if (p->body_words++ % 2 == 0) {
            p->high = data;
            return;
        }
        p->item.payload[p->body_words / 2 - 1] = (uint64_t)p->high << 32 | data;
        p->crc = reference_crc32(p->crc, (uint64_t)p->high << 32 | data, 64);
        if (p->body_words == 2 * header_length(p->item.header)) p->state = BODY_CRC;
        return;
    case BODY_CRC:
        p->item.body_bad = data != p->crc;
        p->state = OUTSIDE;
        say(p, ITEM_PACKET, 0);
        return;
    default:
        say(p, ITEM_WRONG, "a data word outside of frames");
    }
}

void link_parser_bundle(struct link_parser *p, uint64_t cycle, unsigned links, const uint32_t *data, const uint8_t *k)
{
    uint32_t word[4] = {0};
    int credit = p->state == FIRST;
    unsigned since_idle = p->words_since_idle; /* in clocks */

    for (unsigned l = 1; l < links; l++)
        if (k[l] != k[0] || (k[0] && data[l] != data[0])) {
            say(p, ITEM_WRONG, "SOP, idle or data on some links only");
            return;
        }
    if (k[0]) {
        link_parser_word(p, cycle, data[0], k[0]);
        return;
    }
    for (unsigned i = 0; i < 4 * links; i++)
        word[i / 4] |= (data[i % links] >> (24 - 8 * (i / links)) & 0xff) << (24 - 8 * (i % 4));
    credit &= word[0] >> 31 & 1;
    for (unsigned i = 0; i < links; i++) {
        if (i && credit && word[i] != word[0]) say(p, ITEM_WRONG, "credits that are not repeated");
        else if (i && !credit && p->state == OUTSIDE && word[i])
            say(p, ITEM_WRONG, "something behind the end of a frame");
        else if (i == 0 || (!credit && p->state != OUTSIDE)) {
            p->words_since_idle = since_idle;
            link_parser_word(p, cycle, word[i], 0);
        }
    }
}
