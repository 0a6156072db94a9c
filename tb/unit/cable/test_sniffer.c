/* The sniffer on frames built by hand: golden ones with CRCs computed bit by bit here, and one of each kind of broken
 * frame. */
#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/frame.h"
#include "sim/model/cable/sniffer.h"
#include "tb/unit/link/crc_reference.h"
#include "test.h"

enum { FRAMES = 16, K_SOP = 8, K_IDLE = 15, PAYLOAD_WORDS = 2046 };

static struct {
    sniffer *sniffer;
    sniffer_frame frame[FRAMES];
    uint32_t payload[PAYLOAD_WORDS]; /* of the last frame */
    unsigned frames;
    uint64_t word; /* of direction a */
} b;

static void note(void *self, const sniffer_frame *frame)
{
    (void)self;
    ck_assert_uint_lt(b.frames, FRAMES);
    b.frame[b.frames++] = *frame;
    memcpy(b.payload, frame->payload, frame->payload_bytes);
}

CLEANUP(sniffer_free);

static void start(void)
{
    memset(&b, 0, sizeof b);
    b.sniffer = sniffer_new(note, NULL);
    ck_assert_ptr_nonnull(b.sniffer);
    after_test(sniffer_free_cleanup, b.sniffer);
}

static void word(uint32_t data, unsigned k)
{
    sniffer_word(b.sniffer, 0, b.word, 12800 * b.word, b.word + 1, data, k);
    b.word++;
}

static uint64_t header_of(unsigned flow, unsigned sequence, unsigned length, uint32_t address)
{
    return (uint64_t)flow << 56 | 1ull << 51 | (uint64_t)sequence << 42 | (uint64_t)length << 32 | address;
}

static void sop(void) { word(0xfb5aa55a, K_SOP); }

static void idle(int count)
{
    while (count--) word(0xbcbcbcbc, K_IDLE);
}

static void send_header(uint64_t header, uint32_t crc_error)
{
    word((uint32_t)(header >> 32), 0);
    word((uint32_t)header, 0);
    word(reference_crc16(CRC16_START, header, 64) ^ crc_error, 0);
}

/* Payload words 0x10000 + i, then the body CRC. */
static void body(unsigned length, uint32_t crc_error)
{
    uint32_t crc = CRC32_START;

    for (unsigned i = 0; i < 2 * length; i++) {
        word(0x10000 + i, 0);
        crc = reference_crc32(crc, 0x10000 + i, 32);
    }
    word(crc ^ crc_error, 0);
}

/* SOP, header and body of a packet. */
static void packet(uint64_t header, uint32_t crc_error)
{
    sop();
    send_header(header, 0);
    body(header >> 32 & 1023, crc_error);
}

/* The SOP and a word of two credits. */
static void credits(uint16_t first, uint16_t second)
{
    sop();
    word((uint32_t)first << 16 | second, 0);
}

TEST_CASE("sniffer", .setup = start);

TEST(the_crcs_have_their_standard_check_values)
{
    ck_assert_uint_eq(frame_crc16(FRAME_HEADER_CRC_START, "123456789", 9), 0x29b1);
    ck_assert_uint_eq(frame_crc32(FRAME_BODY_CRC_START, "123456789", 9), 0x0376e6e7);
    ck_assert_uint_eq(frame_crc16_word(0x1234, 0x89abcdef), reference_crc16(0x1234, 0x89abcdef, 32));
    ck_assert_uint_eq(frame_crc32_word(0x12345678, 0x89abcdef), reference_crc32(0x12345678, 0x89abcdef, 32));
}

TEST(a_packet_is_taken_apart)
{
    uint64_t header = header_of(5, 0x155, 3, 0x12345678) | 1ull << 54 | 1ull << 52;
    const sniffer_frame *f = &b.frame[0];

    idle(7);
    sop();
    send_header(header, 0);
    ck_assert_uint_eq(b.frames, 0);
    body(3, 0);
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
    for (unsigned i = 0; i < 6; i++) ck_assert_uint_eq(b.payload[i], 0x10000 + i);
    ck_assert(sniffer_frame_is_good(f));
}

TEST(frames_may_follow_at_once)
{
    for (unsigned i = 0; i < 3; i++) {
        credits(frame_credit(2, 0x12), frame_credit(3, 0x13));
        send_header(header_of(1, (unsigned)i, 1, 0), 0);
        body(1, 0);
    }
    ck_assert_uint_eq(b.frames, 3);
    for (unsigned i = 0; i < 3; i++) {
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
}

TEST(the_longest_packet_fits)
{
    packet(header_of(1, 1, 1023, 0), 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].payload_bytes, 1023 * 8);
}

TEST(a_credit_frame_ends_at_the_next_k)
{
    sop();
    word(0xc0804080 | 0x8000u, 0); /* flow 1, counter 0: 1 1 0000001 0000000, twice */
    ck_assert_uint_eq(b.frames, 0);
    idle(1);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].words, 2);
    ck_assert_int_eq(b.frame[0].has_header, 0);
    ck_assert_uint_eq(b.frame[0].credit[0].flow, 1);
    ck_assert_uint_eq(b.frame[0].credit[1].flow, 1);
}

TEST(bad_credits_are_distinguished)
{
    uint32_t good = (uint32_t)frame_credit(1, 7) << 16 | frame_credit(1, 7);

    sop();
    word(good ^ 1u << 18, 0);
    sop();
    word(good ^ 1u << 15, 0);
    idle(1);
    ck_assert_uint_eq(b.frames, 2);
    ck_assert(!b.frame[0].credit[0].parity_ok && b.frame[0].credit[1].parity_ok);
    ck_assert(b.frame[1].credit[0].marked && !b.frame[1].credit[1].marked);
    ck_assert(!sniffer_frame_is_good(&b.frame[0]) && !sniffer_frame_is_good(&b.frame[1]));
}

TEST(a_check_record_ends_with_its_header_crc)
{
    sop();
    send_header(header_of(4, 0, 0, 0xabc) & ~(1ull << 51), 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(b.frame[0].is_check && sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].flow, 4);
    ck_assert_uint_eq(b.frame[0].address, 0xabc);
    ck_assert_uint_eq(b.frame[0].words, 4);
}

TEST(a_bad_body_crc_is_seen, .to = 32)
{
    packet(header_of(1, 0, 2, 0), 1u << _i);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(b.frame[0].header_crc_ok && !b.frame[0].body_crc_ok && !sniffer_frame_is_good(&b.frame[0]));
}

TEST(a_bad_header_crc_is_seen_and_the_length_not_believed, .to = 32)
{
    sop();
    send_header(header_of(1, 0, 1, 0), 1u << _i);
    body(5, 0);
    ck_assert_uint_eq(b.frames, 0);
    idle(1);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert_int_eq(b.frame[0].end, SNIFFER_UNTRUSTED);
    ck_assert(!b.frame[0].header_crc_ok && !sniffer_frame_is_good(&b.frame[0]));
    ck_assert_uint_eq(b.frame[0].payload_bytes, 4 * 11);
}

TEST(fixed_header_bits_are_checked, .to = 2)
{
    static const uint64_t bit[] = {1ull << 51, 1ull << 55};
    packet(header_of(1, 0, 1, 0) ^ bit[_i], 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(!b.frame[0].fixed_bits_ok && !sniffer_frame_is_good(&b.frame[0]));
}

TEST(frames_cut_short_are_reported_with_what_was_there)
{
    /* all lengths of a packet of two 64-bit words: SOP, 3 header words, 4 payload, body CRC */
    for (unsigned words = 0; words < 8; words++) {
        start();
        sop();
        for (unsigned i = 0; i < words; i++) {
            uint64_t header = header_of(1, 0, 2, 0);

            word(i == 0   ? (uint32_t)(header >> 32)
                 : i == 1 ? (uint32_t)header
                 : i == 2 ? reference_crc16(CRC16_START, header, 64)
                          : 0x10000 + i - 3,
                 0);
        }
        sop();
        ck_assert_uint_eq(b.frames, 1);
        ck_assert_int_eq(b.frame[0].end, words == 0 ? SNIFFER_EMPTY : SNIFFER_CUT_SHORT);
        ck_assert_uint_eq(b.frame[0].words, 1 + words);
        ck_assert_uint_eq(b.frame[0].payload_bytes, words > 3 ? 4 * (words - 3) : 0);
        ck_assert(!sniffer_frame_is_good(&b.frame[0]));
        sniffer_finish(b.sniffer);
        ck_assert_uint_eq(b.frames, 2);
    }
}

TEST(words_outside_of_frames_are_strays)
{
    word(0, 0);
    packet(header_of(1, 0, 1, 0), 0);
    word(1, 0);              /* surplus */
    word(0xfb5aa55b, K_SOP); /* no SOP */
    word(0xbcbcbcbc, 7);     /* no idle */
    idle(3);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert_uint_eq(sniffer_stray_words(b.sniffer, 0), 4);
    ck_assert_uint_eq(sniffer_stray_words(b.sniffer, 1), 0);
}

TEST(directions_do_not_mix)
{
    uint64_t header = header_of(1, 0, 1, 0);

    sop();
    for (unsigned i = 0; i < 3; i++) {
        word(i == 0   ? (uint32_t)(header >> 32)
             : i == 1 ? (uint32_t)header
                      : reference_crc16(CRC16_START, header, 64),
             0);
        sniffer_word(b.sniffer, 1, i, i, i, 0xbcbcbcbc, 15);
    }
    body(1, 0);
    ck_assert_uint_eq(b.frames, 1);
    ck_assert(sniffer_frame_is_good(&b.frame[0]));
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
    idle(1000);
    credits(frame_credit(0, 0x12), frame_credit(0, 0x13));
    send_header(header_of(3, 17, 1, 0x12340) | 1ull << 54, 0);
    body(1, 0);
    credits(frame_credit(0, 0x12), frame_credit(0, 0x12));
    sop();
    send_header(header_of(0, 0, 0, 0x1f4), 0);
    packet(header_of(3, 18, 1, 0x12348), 1);
    sop();
    send_header(header_of(3, 19, 1, 0x12350), 4);
    idle(1);
    sop();
    send_header(header_of(3, 20, 1, 0x00510013), 0); /* {object 5, operation 1, operand 9, 1} */
    body(1, 0);
    expect_line(&b.frame[0],
                "     12.8000 us a>b      0 data flow 3 seq 17 8 bytes to 00012340 notify remote, credit 0:12 0:13\n");
    expect_line(&b.frame[1], "     12.9024 us a>b      1 credit 0:12 0:12\n");
    expect_line(&b.frame[2], "     12.9280 us a>b      2 check flow 0 T 1f4\n");
    expect_line(&b.frame[3], "     12.9792 us a>b      3 data flow 3 seq 18 8 bytes to 00012348, BAD BODY CRC\n");
    expect_line(&b.frame[4],
                "     13.0688 us a>b      4 data flow 3 seq 19 8 bytes to 00012350, BAD HEADER CRC (0 bytes seen)\n");
    expect_line(&b.frame[5], "     13.1328 us a>b      5 data flow 3 seq 20 8 bytes add object 5 operand 9\n");
}
