/* The sniffer on frames built by hand: golden ones with CRCs computed bit by bit here, and one of each kind of broken frame. */
#include <stdlib.h>
#include <string.h>

#include "sim/cable/frame.h"
#include "sim/cable/sniffer.h"
#include "test.h"

enum { FRAMES = 16, K_SOP = 8, K_IDLE = 15, PAYLOAD_WORDS = 2046 };

typedef struct {
    sniffer *sniffer;
    sniffer_frame frame[FRAMES];
    uint32_t payload[PAYLOAD_WORDS]; /* of the last frame */
    unsigned frames;
    uint64_t word; /* of direction a */
} bench;

static void note(void *self, const sniffer_frame *frame)
{
    bench *b = self;

    ck_assert_uint_lt(b->frames, FRAMES);
    b->frame[b->frames++] = *frame;
    memcpy(b->payload, frame->payload, frame->payload_bytes);
}

static void start(bench *b)
{
    memset(b, 0, sizeof *b);
    b->sniffer = sniffer_new(note, b);
    ck_assert_ptr_nonnull(b->sniffer);
}

static void word(bench *b, uint32_t data, unsigned k)
{
    sniffer_word(b->sniffer, 0, b->word, 12800 * b->word, b->word + 1, data, k);
    b->word++;
}

/* One bit at a time from the most significant one: the definition of both CRCs. */
static uint32_t crc_bits(uint32_t crc, unsigned width, uint32_t polynomial, uint64_t value, unsigned bits)
{
    while (bits--) {
        uint32_t feedback = (crc >> (width - 1) ^ (uint32_t)(value >> bits)) & 1;

        crc = crc << 1 ^ (feedback ? polynomial : 0);
        if (width < 32) crc &= (1u << width) - 1;
    }
    return crc;
}

static uint32_t header_crc(uint64_t header)
{
    return crc_bits(0xffff, 16, 1u << 12 | 1u << 5 | 1u, header, 64);
}

/* Ethernet's polynomial, bit by bit as S1 3.1.6 lists it. */
static uint32_t ethernet_polynomial(void)
{
    static const int bit[] = {0, 1, 2, 4, 5, 7, 8, 10, 11, 12, 16, 22, 23, 26};
    uint32_t polynomial = 0;
    unsigned i;

    for (i = 0; i < sizeof bit / sizeof bit[0]; i++) polynomial |= 1u << bit[i];
    return polynomial;
}

static uint64_t header_of(unsigned flow, unsigned sequence, unsigned length, uint32_t address)
{
    return (uint64_t)flow << 56 | 1ull << 51 | (uint64_t)sequence << 42 | (uint64_t)length << 32 | address;
}

static void sop(bench *b)
{
    word(b, 0xfb5aa55a, K_SOP);
}

static void idle(bench *b, int count)
{
    while (count--) word(b, 0xbcbcbcbc, K_IDLE);
}

static void send_header(bench *b, uint64_t header, uint32_t crc_error)
{
    word(b, (uint32_t)(header >> 32), 0);
    word(b, (uint32_t)header, 0);
    word(b, header_crc(header) ^ crc_error, 0);
}

/* Payload words 0x10000 + i, then the body CRC. */
static void body(bench *b, unsigned length, uint32_t crc_error)
{
    uint32_t crc = 0xffffffff;
    unsigned i;

    for (i = 0; i < 2 * length; i++) {
        word(b, 0x10000 + i, 0);
        crc = crc_bits(crc, 32, ethernet_polynomial(), 0x10000 + i, 32);
    }
    word(b, crc ^ crc_error, 0);
}

TEST(the_crcs_have_their_standard_check_values)
{
    ck_assert_uint_eq(frame_crc16(FRAME_HEADER_CRC_START, "123456789", 9), 0x29b1);
    ck_assert_uint_eq(frame_crc32(FRAME_BODY_CRC_START, "123456789", 9), 0x0376e6e7);
    ck_assert_uint_eq(frame_crc16_word(0x1234, 0x89abcdef), crc_bits(0x1234, 16, 0x1021, 0x89abcdef, 32));
    ck_assert_uint_eq(frame_crc32_word(0x12345678, 0x89abcdef), crc_bits(0x12345678, 32, ethernet_polynomial(), 0x89abcdef, 32));
}

TEST(a_packet_is_taken_apart)
{
    static bench b;
    uint64_t header = header_of(5, 0x155, 3, 0x12345678) | 1ull << 54 | 1ull << 52;
    const sniffer_frame *f = &b.frame[0];
    unsigned i;

    start(&b);
    idle(&b, 7);
    sop(&b);
    send_header(&b, header, 0);
    ck_assert_uint_eq(b.frames, 0);
    body(&b, 3, 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert_int_eq(f->end, SNIFFER_COMPLETE);
    ck_assert_uint_eq(f->word, 7);
    ck_assert_uint_eq(f->time, 7 * 12800);
    ck_assert_uint_eq(f->clock, 8);
    ck_assert_uint_eq(f->words, 1 + 3 + 6 + 1);
    ck_assert_uint_eq(f->credits, 0);
    ck_assert(f->has_header && !f->is_check && f->fixed_bits_ok && f->header_crc_ok && f->body_crc_ok);
    ck_assert_uint_eq(f->header, header);
    ck_assert_uint_eq(f->flow, 5);
    ck_assert_uint_eq(f->sequence, 0x155);
    ck_assert_uint_eq(f->length, 3);
    ck_assert_uint_eq(f->address, 0x12345678);
    ck_assert(f->remote_notify && !f->local_notify && f->remote_interrupt);
    ck_assert_uint_eq(f->payload_bytes, 24);
    for (i = 0; i < 6; i++) ck_assert_uint_eq(b.payload[i], 0x10000 + i);
    ck_assert(sniffer_frame_is_good(f));
    sniffer_free(b.sniffer);
}

TEST(frames_may_follow_at_once)
{
    static bench b;
    int i;

    start(&b);
    for (i = 0; i < 3; i++) {
        sop(&b);
        word(&b, (uint32_t)frame_credit(2, 0x12) << 16 | frame_credit(3, 0x13), 0);
        send_header(&b, header_of(1, (unsigned)i, 1, 0), 0);
        body(&b, 1, 0);
    }
    ck_assert_uint_eq(b.frames, 3);
    for (i = 0; i < 3; i++) {
        ck_assert(sniffer_frame_is_good(&b.frame[i]));
        ck_assert_uint_eq(b.frame[i].number, i);
        ck_assert_uint_eq(b.frame[i].sequence, i);
        ck_assert_uint_eq(b.frame[i].credits, 2);
        ck_assert_uint_eq(b.frame[i].credit_time, b.frame[i].time + 12800);
        ck_assert_uint_eq(b.frame[i].credit_clock, b.frame[i].clock + 1);
        ck_assert_uint_eq(b.frame[i].credit[0].flow, 2);
        ck_assert_uint_eq(b.frame[i].credit[0].counter, 0x12);
        ck_assert_uint_eq(b.frame[i].credit[1].flow, 3);
        ck_assert_uint_eq(b.frame[i].credit[1].counter, 0x13);
    }
    sniffer_free(b.sniffer);
}

TEST(the_longest_packet_fits)
{
    static bench b;

    start(&b);
    sop(&b);
    send_header(&b, header_of(1, 1, 1023, 0), 0);
    body(&b, 1023, 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].payload_bytes, 1023 * 8);
    sniffer_free(b.sniffer);
}

TEST(a_credit_frame_ends_at_the_next_k)
{
    static bench b;

    start(&b);
    sop(&b);
    word(&b, 0xc0804080 | 0x8000u, 0); /* flow 1, counter 0: 1 1 0000001 0000000, twice */
    ck_assert_uint_eq(b.frames, 0);
    idle(&b, 1);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].words, 2);
    ck_assert_int_eq(b.frame[0].has_header, 0);
    ck_assert_uint_eq(b.frame[0].credit[0].flow, 1);
    ck_assert_uint_eq(b.frame[0].credit[1].flow, 1);
    sniffer_free(b.sniffer);
}

TEST(bad_credits_are_told_apart)
{
    static bench b;
    uint32_t good = (uint32_t)frame_credit(1, 7) << 16 | frame_credit(1, 7);

    start(&b);
    sop(&b);
    word(&b, good ^ 1u << 18, 0);
    sop(&b);
    word(&b, good ^ 1u << 15, 0);
    idle(&b, 1);
    ck_assert_uint_eq(b.frames, 2);
    ck_assert(!b.frame[0].credit[0].parity_ok && b.frame[0].credit[1].parity_ok);
    ck_assert(b.frame[1].credit[0].marked && !b.frame[1].credit[1].marked);
    ck_assert(!sniffer_frame_is_good(&b.frame[0]) && !sniffer_frame_is_good(&b.frame[1]));
    sniffer_free(b.sniffer);
}

TEST(a_check_record_ends_with_its_header_crc)
{
    static bench b;

    start(&b);
    sop(&b);
    send_header(&b, header_of(4, 0, 0, 0xabc) & ~(1ull << 51), 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(b.frame[0].is_check && sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].flow, 4);
    ck_assert_uint_eq(b.frame[0].address, 0xabc);
    ck_assert_uint_eq(b.frame[0].words, 4);
    sniffer_free(b.sniffer);
}

TEST(a_bad_body_crc_is_seen, .to = 32)
{
    static bench b;

    start(&b);
    sop(&b);
    send_header(&b, header_of(1, 0, 2, 0), 0);
    body(&b, 2, 1u << _i);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(b.frame[0].header_crc_ok && !b.frame[0].body_crc_ok && !sniffer_frame_is_good(&b.frame[0]));
    sniffer_free(b.sniffer);
}

TEST(a_bad_header_crc_is_seen_and_the_length_not_believed, .to = 32)
{
    static bench b;

    start(&b);
    sop(&b);
    send_header(&b, header_of(1, 0, 1, 0), 1u << _i);
    body(&b, 5, 0);
    ck_assert_uint_eq(b.frames, 0);
    idle(&b, 1);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert_int_eq(b.frame[0].end, SNIFFER_UNTRUSTED);
    ck_assert(!b.frame[0].header_crc_ok && !sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].payload_bytes, 4 * 11);
    sniffer_free(b.sniffer);
}

TEST(fixed_header_bits_are_checked, .to = 2)
{
    static const uint64_t bit[] = {1ull << 51, 1ull << 55};
    static bench b;

    start(&b);
    sop(&b);
    send_header(&b, header_of(1, 0, 1, 0) ^ bit[_i], 0);
    body(&b, 1, 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(!b.frame[0].fixed_bits_ok && !sniffer_frame_is_good(&b.frame[0]));
    sniffer_free(b.sniffer);
}

TEST(frames_cut_short_are_reported_with_what_was_there)
{
    static bench b;
    unsigned words;

    /* all lengths of a packet of two 64-bit words: SOP, 3 header words, 4 payload, body CRC */
    for (words = 0; words < 8; words++) {
        unsigned i;

        start(&b);
        sop(&b);
        for (i = 0; i < words; i++) {
            uint64_t header = header_of(1, 0, 2, 0);

            word(&b, i == 0 ? (uint32_t)(header >> 32) : i == 1 ? (uint32_t)header : i == 2 ? header_crc(header) : 0x10000 + i - 3, 0);
        }
        sop(&b);
        ck_assert_uint_eq(b.frames, 1);
        ck_assert_int_eq(b.frame[0].end, words == 0 ? SNIFFER_EMPTY : SNIFFER_CUT_SHORT);
        ck_assert_uint_eq(b.frame[0].words, 1 + words);
        ck_assert_uint_eq(b.frame[0].payload_bytes, words > 3 ? 4 * (words - 3) : 0);
        ck_assert(!sniffer_frame_is_good(&b.frame[0]));
        sniffer_finish(b.sniffer);
        ck_assert_uint_eq(b.frames, 2);
        sniffer_free(b.sniffer);
    }
}

TEST(words_outside_of_frames_are_strays)
{
    static bench b;

    start(&b);
    word(&b, 0, 0);
    sop(&b);
    send_header(&b, header_of(1, 0, 1, 0), 0);
    body(&b, 1, 0);
    word(&b, 1, 0);              /* surplus */
    word(&b, 0xfb5aa55b, K_SOP); /* no SOP */
    word(&b, 0xbcbcbcbc, 7);     /* no idle */
    idle(&b, 3);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert_uint_eq(sniffer_stray_words(b.sniffer, 0), 4);
    ck_assert_uint_eq(sniffer_stray_words(b.sniffer, 1), 0);
    sniffer_free(b.sniffer);
}

TEST(directions_do_not_mix)
{
    static bench b;
    uint64_t header = header_of(1, 0, 1, 0);
    unsigned i;

    start(&b);
    sop(&b);
    for (i = 0; i < 3; i++) {
        word(&b, i == 0 ? (uint32_t)(header >> 32) : i == 1 ? (uint32_t)header : header_crc(header), 0);
        sniffer_word(b.sniffer, 1, i, i, i, 0xbcbcbcbc, 15);
    }
    body(&b, 1, 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(sniffer_frame_is_good(&b.frame[0]));
    sniffer_free(b.sniffer);
}

/* One printed line. */
static void expect_line(const sniffer_frame *frame, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(file);
    sniffer_print_frame(file, frame);
    fclose(file);
    ck_assert_str_eq(text, expected);
    free(text);
}

TEST(a_frame_prints_as_one_line)
{
    static bench b;

    start(&b);
    idle(&b, 1000);
    sop(&b);
    word(&b, (uint32_t)frame_credit(0, 0x12) << 16 | frame_credit(0, 0x13), 0);
    send_header(&b, header_of(3, 17, 1, 0x12340) | 1ull << 54, 0);
    body(&b, 1, 0);
    sop(&b);
    word(&b, (uint32_t)frame_credit(0, 0x12) << 16 | frame_credit(0, 0x12), 0);
    sop(&b);
    send_header(&b, header_of(0, 0, 0, 0x1f4), 0);
    sop(&b);
    send_header(&b, header_of(3, 18, 1, 0x12348), 0);
    body(&b, 1, 1);
    sop(&b);
    send_header(&b, header_of(3, 19, 1, 0x12350), 4);
    idle(&b, 1);
    expect_line(&b.frame[0], "     12.8000 us a>b      0 data flow 3 seq 17 8 bytes to 00012340 notify remote, credit 0:12 0:13\n");
    expect_line(&b.frame[1], "     12.9024 us a>b      1 credit 0:12 0:12\n");
    expect_line(&b.frame[2], "     12.9280 us a>b      2 check flow 0 T 1f4\n");
    expect_line(&b.frame[3], "     12.9792 us a>b      3 data flow 3 seq 18 8 bytes to 00012348, BAD BODY CRC\n");
    expect_line(&b.frame[4], "     13.0688 us a>b      4 data flow 3 seq 19 8 bytes to 00012350, BAD HEADER CRC (0 bytes seen)\n");
    sniffer_free(b.sniffer);
}
