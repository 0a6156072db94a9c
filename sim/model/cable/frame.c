/* Frames of the link; the manual is in the header. */
#include "sim/model/cable/frame.h"

static uint16_t table16[256];
static uint32_t table32[256];

static void build_tables(void)
{
    unsigned byte, bit;

    for (byte = 0; byte < 256; byte++) {
        uint32_t crc16 = byte << 8, crc32 = byte << 24;

        for (bit = 0; bit < 8; bit++) {
            crc16 = crc16 << 1 ^ (crc16 & 0x8000 ? 0x1021 : 0);
            crc32 = crc32 << 1 ^ (crc32 & 0x80000000u ? 0x04c11db7u : 0);
        }
        table16[byte] = (uint16_t)crc16;
        table32[byte] = crc32;
    }
}

uint16_t frame_crc16(uint16_t crc, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;

    if (!table16[1]) build_tables();
    while (count--) crc = (uint16_t)(crc << 8 ^ table16[(crc >> 8 ^ *byte++) & 0xff]);
    return crc;
}

uint32_t frame_crc32(uint32_t crc, const void *bytes, size_t count)
{
    const uint8_t *byte = bytes;

    if (!table32[1]) build_tables();
    while (count--) crc = crc << 8 ^ table32[(crc >> 24 ^ *byte++) & 0xff];
    return crc;
}

uint16_t frame_crc16_word(uint16_t crc, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    return frame_crc16(crc, bytes, 4);
}

uint32_t frame_crc32_word(uint32_t crc, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    return frame_crc32(crc, bytes, 4);
}

uint16_t frame_credit(unsigned flow, unsigned counter_bits)
{
    unsigned low = (flow & 0x7f) << 7 | (counter_bits & 0x7f);

    return (uint16_t)(0x8000 | (__builtin_popcount(low) & 1) << 14 | low);
}

frame_credit_fields frame_credit_read(uint16_t credit)
{
    return (frame_credit_fields){.flow = credit >> 7 & 0x7f,
                                 .counter = credit & 0x7f,
                                 .marked = credit >> 15,
                                 .parity_ok = (__builtin_popcount(credit & 0x7fff) & 1) == 0};
}

/* ---- header ---- */

uint64_t frame_header_write(const frame_header *h)
{
    return (uint64_t)(h->flow & 0x7f) << 56 | (uint64_t) !!h->stamps << 55 | (uint64_t) !!h->remote_notify << 54 |
           (uint64_t) !!h->local_notify << 53 | (uint64_t) !!h->remote_interrupt << 52 |
           (uint64_t)(h->length != 0) << 51 | (uint64_t)(h->sequence % FRAME_SEQUENCES) << 42 |
           (uint64_t)(h->length & FRAME_LENGTH_MAX) << 32 | h->address;
}

frame_header frame_header_read(uint64_t header)
{
    return (frame_header){.flow = header >> 56 & 0x7f,
                          .stamps = header >> 55 & 1,
                          .remote_notify = header >> 54 & 1,
                          .local_notify = header >> 53 & 1,
                          .remote_interrupt = header >> 52 & 1,
                          .sequence = header >> 42 & (FRAME_SEQUENCES - 1),
                          .length = frame_length((uint32_t)(header >> 32)),
                          .address = (uint32_t)header};
}

int frame_header_fixed_bits_ok(uint64_t header)
{
    unsigned length = frame_length((uint32_t)(header >> 32));
    return !(header >> 63) && (length >= FRAME_STAMPED || !(header >> 55 & 1)) && (!length || header >> 51 & 1);
}

uint16_t frame_header_crc(uint64_t header)
{
    return frame_crc16_word(frame_crc16_word(FRAME_HEADER_CRC_START, (uint32_t)(header >> 32)), (uint32_t)header);
}

/* ---- reader ---- */

void frame_of_links(uint32_t *words, const uint32_t *data, unsigned links)
{
    for (unsigned i = 0; i < 4 * links; i++) {
        if (i % 4 == 0) words[i / 4] = 0;
        words[i / 4] |= (data[i % links] >> (24 - 8 * (i / links)) & 0xff) << (24 - 8 * (i % 4));
    }
}

void frame_reader_begin(frame_reader *r) { *r = (frame_reader){.due = FRAME_FIRST, .body_crc = FRAME_BODY_CRC_START}; }

frame_part frame_reader_word(frame_reader *r, uint32_t word)
{
    frame_part was = r->due;

    switch (was) {
    case FRAME_FIRST:
        if (frame_is_credit(word)) {
            r->due = FRAME_SECOND;
            return FRAME_FIRST;
        }
        /* fall through */
    case FRAME_SECOND:
        r->header = (uint64_t)word << 32;
        r->due = FRAME_HEADER_LOW;
        return FRAME_SECOND;
    case FRAME_HEADER_LOW:
        r->header |= word;
        r->due = FRAME_HEADER_CHECK;
        break;
    case FRAME_HEADER_CHECK:
        r->header_check = word;
        r->header_ok = word == frame_header_crc(r->header);
        r->left = 2 * frame_length((uint32_t)(r->header >> 32));
        r->due = !r->header_ok ? FRAME_UNTRUSTED : r->left ? FRAME_PAYLOAD : FRAME_ENDED;
        break;
    case FRAME_PAYLOAD:
        r->body_crc = frame_crc32_word(r->body_crc, word);
        if (!--r->left) r->due = FRAME_BODY_CHECK;
        break;
    case FRAME_BODY_CHECK:
        r->body_check = word;
        r->body_ok = word == r->body_crc;
        r->due = FRAME_ENDED;
        break;
    case FRAME_UNTRUSTED:
    case FRAME_ENDED:
    case FRAME_OUTSIDE:
        break;
    }
    return was;
}

/* ---- writer ---- */

unsigned frame_write(uint32_t words[FRAME_WORDS_MAX], uint32_t credit, const uint64_t *header, const uint64_t *payload)
{
    unsigned n = 0, i, length;
    uint32_t crc = FRAME_BODY_CRC_START;

    words[n++] = FRAME_SOP_DATA;
    if (credit) words[n++] = credit;
    if (!header) return n;
    length = frame_length((uint32_t)(*header >> 32));
    words[n++] = (uint32_t)(*header >> 32);
    words[n++] = (uint32_t)*header;
    words[n++] = frame_header_crc(*header);
    if (!length) return n;
    for (i = 0; i < 2 * length; i++) {
        words[n] = (uint32_t)(i & 1 ? payload[i / 2] : payload[i / 2] >> 32);
        crc = frame_crc32_word(crc, words[n++]);
    }
    words[n++] = crc;
    return n;
}
