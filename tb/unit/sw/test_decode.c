/* Words in words, against words put together by hand from design.md 3. */
#include <stdlib.h>
#include <string.h>

#include "nx_decode.h"
#include "nx_dump.h"
#include "test.h"

static char text[512];

TEST(headers_and_notifications)
{
    /* flow 5 = 0000101, remote, interrupt, bit 51, sequence 3, length 62 */
    nx_decode_header(0x055c0c3e12345678, text, sizeof text);
    ck_assert_str_eq(text, "flow 5 sequence 259 length 62 words to 0x12345678 REMOTE INTERRUPT");
    nx_decode_header((uint64_t)5 << 56 | (uint64_t)1 << 53 | (uint64_t)1 << 51 | (uint64_t)511 << 42 |
                         (uint64_t)512 << 32 | 8,
                     text, sizeof text);
    ck_assert_str_eq(text, "flow 5 sequence 511 length 512 words to 0x00000008 LOCAL");
    nx_decode_header(0x05dc0c0312345678, text, sizeof text);
    ck_assert_str_eq(text, "flow 5 sequence 259 length 3 words to 0x12345678 REMOTE INTERRUPT STAMPS");
    nx_decode_header((uint64_t)1 << 55 | (uint64_t)1 << 51 | (uint64_t)2 << 32, text, sizeof text);
    ck_assert_str_eq(text, "flow 0 sequence 0 length 2 words to 0x00000000; bit 55 is 1, expected 0 below 3 words");
    nx_decode_header((uint64_t)1 << 63 | (uint64_t)513 << 32, text, sizeof text);
    ck_assert_str_eq(
        text,
        "flow 0 sequence 0 length 513 words to 0x00000000; FLAGGED: data of this source are lost or damaged (bit 63); "
        "bit 51 is 0, expected 1, or over several paths the top of ten bits of sequence; "
        "illegal length, expected 1..512");
    nx_decode_header((uint64_t)7 << 56 | 0xfff, text, sizeof text);
    ck_assert_str_eq(text, "check record flow 7 T 4095");
}

TEST(descriptors)
{
    nx_decode_descriptor(0x123456780, 0x5810003e00020000 | (uint64_t)1 << 61, text, sizeof text);
    ck_assert_str_eq(text, "flow 1 length 62 words from 0x123456780 to 0x00020000 REMOTE LOCAL INTERRUPT START");
    nx_decode_descriptor(4, (uint64_t)1 << 63 | (uint64_t)1 << 49 | 2, text, sizeof text);
    ck_assert_str_eq(
        text,
        "flow 0 length 0 words from 0x4 to 0x00000002; illegal length, expected 1..512; illegal source, expected a "
        "multiple of 8; bits 63 and 0 differ, expected 1 and 1 of an operation; bits 49:48 are 0x2, expected 0");
    nx_decode_descriptor(0, (uint64_t)1 << 32 | 4, text, sizeof text);
    ck_assert_str_eq(text,
                     "flow 0 length 1 words from 0x0 to 0x00000004; illegal destination, expected a multiple of 8");
}

/* {object 5, operation, operand 9, 1} */
TEST(operations)
{
    nx_decode_header(0x0508000800500013 | (uint64_t)1 << 42, text, sizeof text);
    ck_assert_str_eq(text, "flow 5 sequence 1 length 8 words ENQUEUE object 5 operand 9");
    nx_decode_header(0x05080001fff70001, text, sizeof text);
    ck_assert_str_eq(text, "flow 5 sequence 0 length 1 words COMPARE_SWAP object 4095 operand 0");
    nx_decode_header(0x0508000100530001, text, sizeof text);
    ck_assert_str_eq(text, "flow 5 sequence 0 length 1 words unknown operation 3 object 5");
    nx_decode_descriptor(3, 0xa818000100510001, text, sizeof text);
    ck_assert_str_eq(text, "flow 1 length 1 words immediate 0x3 ADD object 5 operand 0 LOCAL START");
    nx_decode_descriptor(8, 0x8818000200510001, text, sizeof text);
    ck_assert_str_eq(text, "flow 1 length 2 words immediate 0x8 ADD object 5 operand 0 START; illegal length of an "
                           "immediate, expected 1");
    nx_decode_descriptor(8, 0x8810003f00500001, text, sizeof text);
    ck_assert_str_eq(text, "flow 1 length 63 words from 0x8 ENQUEUE object 5 operand 0 START; illegal length of an "
                           "operation, expected 1..62");
    nx_decode_descriptor(8, 0x800c000100510001, text, sizeof text);
    ck_assert_str_eq(text, "flow 0 length 1 words immediate 0x8 ADD object 5 operand 0 END");
    nx_decode_descriptor(8, 0x08005c0100000010, text, sizeof text);
    ck_assert_str_eq(text, "flow 0 length 1 words from 0x8 to 0x00000010 GROUP 23 START");
}

TEST(words_of_operations)
{
    static const struct {
        const char *kind;
        uint64_t word;
        const char *text;
    } rows[] = {
        {"slot", 0x8580000812340007,
         "phase 1 source 5 length 8 words message 4660 operand 7 DAMAGED: packets of this source are lost or damaged"},
        {"refused", 0x0200000300000012, "refused 3 taken 18 (modulo 2^16), first reason: queue off"},
        {"answer", 0x8100000000000045, "phase 1 source 1 slot 5 tag 1, done"},
        {"answer", 0x0100000000050045, "phase 0 source 1 slot 5 tag 1, no such object"},
        {"counter", 0x02210000000000ff, "phase 0 source 2 counter 33 has acted 255 times (modulo 256)"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        ck_assert(nx_decode_sync(rows[i].kind, rows[i].word, text, sizeof text));
        ck_assert_str_eq(text, rows[i].text);
    }
    ck_assert(!nx_decode_sync("lost", 0, text, sizeof text));
    ck_assert_int_eq(nx_register_offset("SYNC_QUEUE_HEAD"), 0x410);
    nx_register_format(0x430, 7, text, sizeof text);
    ck_assert_str_eq(text, "SYNC_QUEUE_HEAD[1] 0x00000007  NUMBER=7\n");
    nx_register_format(0x418, 7, text, sizeof text);
    ck_assert_str_eq(text, "0x418 0x00000007\n");
}

TEST(credits)
{
    nx_decode_credit(0xc000 | 3 << 7 | 5, text, sizeof text); /* four ones: parity 0, so bit 14 is wrong */
    ck_assert_str_eq(text, "flow 3 counter 160 (modulo 4096); parity bit 14 is 1, expected 0");
    nx_decode_credit(0x8000 | 3 << 7 | 5, text, sizeof text);
    ck_assert_str_eq(text, "flow 3 counter 160 (modulo 4096)");
    nx_decode_credit(0x407f, text, sizeof text);
    ck_assert_str_eq(text, "flow 0 counter 4064 (modulo 4096); bit 15 is 0, expected 1");
}

TEST(local_notifications)
{
    nx_decode_local(4000000000u, text, sizeof text);
    ck_assert_str_eq(text, "4000000000 descriptors have departed (modulo 2^32)");
    nx_decode_local((uint64_t)2 << 32 | 1, text, sizeof text);
    ck_assert_str_eq(text, "1 descriptors have departed (modulo 2^32); bits 63:32 are 0x2, expected 0");
}

TEST(registers)
{
    ck_assert_int_eq(nx_register_offset("NODE_ID"), 0x208);
    ck_assert_int_eq(nx_register_offset("NODE"), NX_ERROR_ARGUMENT);
    nx_register_format(0x208, 5, text, sizeof text);
    ck_assert_str_eq(text, "NODE_ID 0x00000005  ID=5\n");
    nx_register_format(0x284, 0x7f010000, text, sizeof text);
    ck_assert_str_eq(text, "QUEUE_POINTERS[1] 0x7f010000  FULL=0 HEAD=127 TAIL=1\n");
    nx_register_format(0x1d8, 0xfff20d31, text, sizeof text);
    ck_assert_str_eq(text,
                     "RECEIVE_PATHS_LOW 0xfff20d31  node0=0 node1=0,1 node2=0,2,3 node3=none node4=1 node5=0,1,2,3 "
                     "node6=0,1,2,3 node7=0,1,2,3\n");
    nx_register_format(0x1d4, 0xf, text, sizeof text);
    ck_assert_str_eq(
        text, "SEND_PATHS_HIGH 0x0000000f  node8=0,1,2,3 node9=none node10=none node11=none node12=none node13=none "
              "node14=none node15=none\n");
    nx_register_format(0x1cc, 0x2d, text, sizeof text);
    ck_assert_str_eq(text, "PATH_STATUS 0x0000002d  UP=13 DEAD=2 REMOTE_FAULT=0\n");
    nx_register_format(0x3ff8, 7, text, sizeof text);
    ck_assert_str_eq(text, "0x3ff8 0x00000007\n");
    nx_register_format(0x25c, 0x1271, text,
                       sizeof text); /* dma_outgoing.v, dma_voq_writer.v, dma_incoming.v, dma_reset.v */
    ck_assert_str_eq(text,
                     "DMA_STATES 0x00001271  outgoing=unknown_0x7 writer=DATA incoming=WAIT software_reset=ENGINE\n");
    nx_register_format(0x260, 0x524, text, sizeof text);
    ck_assert_str_eq(
        text, "BUS_STATES 0x00000524  target=DATA initiator=ATTRIBUTE window=PORT_WRITE window_read=READ_FETCH\n");
    nx_states_format(0x264, 0x1a152, text, sizeof text);
    ck_assert_str_eq(
        text, "sender HEADER_HI, credit none, check_record waits, held_for_a_record yes, receiver BODY_HI, store BODY, "
              "receive_buffer 0x2");
    nx_states_format(0x268, 0x40b11, text, sizeof text);
    ck_assert_str_eq(text, "head_is_read yes, head_uncounted no, head_is_loaded no, body READ, body_has_come_back no, "
                           "body_waits_for_a_turn yes, software_reset HALT, queues_without_credit 0x4");
}

/* A short buffer cuts the text and nothing else. */
TEST(text_never_leaves_its_buffer)
{
    for (size_t size = 1; size < 100; size++) {
        char *exact = malloc(size);
        nx_decode_header((uint64_t)1 << 63, exact, size);
        nx_decode_descriptor(4, 2, exact, size);
        ck_assert_uint_eq(strlen(exact), size - 1);
        nx_register_format(0x214, 0xffffffffu, exact, size);
        ck_assert_uint_eq(strlen(exact), size - 1);
        free(exact);
    }
}
