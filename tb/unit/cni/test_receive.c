/* The coherent NI receives: RDMA and notifications as lines, in every mode; messages of queues; losses. */
#include "cni_bench.h"

#include <string.h>

enum { NOTIFY_AT = 0x7000, QUEUE_AT = 0x10000 };

static void payload(cni_bench *b, uint64_t *data, unsigned words)
{
    for (unsigned i = 0; i < words; i++) data[i] = cni_random(b);
}

static void check(cni_bench *b, uint32_t address, const uint64_t *data, unsigned words)
{
    for (unsigned i = 0; i < words; i++) ck_assert_uint_eq(b->memory[address / 8 + i], data[i]);
}

TEST_CASE("receive", .timeout = 60);

/* Any place and length: the right words, one request a line, of the kind of the mode. */
TEST(payload_is_written_line_by_line, .to = 3)
{
    static const unsigned kinds[] = {CNI_INVALIDATE_WRITE, CNI_UPDATE, CNI_UPDATE};
    cni_bench *b = cni_bench_new(1);
    cni_write(b, CNI_OTHER_MODE, (unsigned)_i | 4);
    for (unsigned n = 0; n < 60; n++) {
        uint64_t data[64];
        unsigned words = 1 + (unsigned)(cni_random(b) % 62);
        uint32_t address = 0x2000 + 8 * (unsigned)(cni_random(b) % 512);
        payload(b, data, words);
        b->request_count = 0;
        b->pace = 1 + n % 4;
        cni_packet(b, 3, 0, address, data, words, 0);
        cni_settle(b, 3000);
        check(b, address, data, words);
        unsigned first = address / 32, lines = (address + 8 * words - 1) / 32 - first + 1;
        ck_assert_uint_eq(b->request_count, lines);
        for (unsigned i = 0; i < lines; i++) {
            cni_request *r = &b->requests[i];
            unsigned from = i ? 0 : address / 8 % 4, to = i == lines - 1 ? (address / 8 + words - 1) % 4 : 3;
            ck_assert_uint_eq(r->kind, kinds[_i]);
            ck_assert_uint_eq(r->line, first + i);
            ck_assert_uint_eq(r->mask, (0xfu << from & 0xf) & 0xfu >> (3 - to));
            ck_assert_uint_eq(r->full, r->mask == 0xf);
            ck_assert_uint_eq(r->allocate, _i == 2);
            ck_assert_uint_eq(r->cache, 1);
        }
    }
    ck_assert_uint_eq(cni_read(b, CNI_PACKETS_RECEIVED), 60);
}

/* Of two windows the lower number wins; outside both the mode is OTHER_MODE; mode uncached fills receive memory. */
TEST(windows_choose_the_mode)
{
    cni_bench *b = cni_bench_new(1);
    cni_write(b, CNI_WINDOW0_BASE, 0x4000 | 8 | 1);
    cni_write(b, CNI_WINDOW0_LAST, 0x5fe0);
    cni_write(b, CNI_WINDOW1_BASE, 0x5000 | 8 | 3);
    cni_write(b, CNI_WINDOW1_LAST, 0x6fe0);
    static const struct {
        uint32_t address;
        unsigned kind;
    } rows[] = {{0x3ff8, CNI_INVALIDATE_WRITE}, {0x4000, CNI_UPDATE}, {0x5ff8, CNI_UPDATE}, {0x6000, 99}, {0x6ff8, 99},
                {0x7000, CNI_INVALIDATE_WRITE}};
    for (int i = 0; i < COUNT(rows); i++) {
        uint64_t word = cni_random(b);
        b->request_count = 0;
        cni_packet(b, 1, 0, rows[i].address, &word, 1, 0);
        cni_settle(b, 500);
        if (rows[i].kind == 99) {
            unsigned at = 0x4000 + (rows[i].address & 0xfff);
            ck_assert_uint_eq(b->request_count, 0);
            ck_assert_uint_eq(cni_read(b, at), word >> 32);
            ck_assert_uint_eq(cni_read(b, at + 4), word & 0xffffffff);
        } else {
            ck_assert_uint_eq(b->request_count, 1);
            ck_assert_uint_eq(b->requests[0].kind, rows[i].kind);
        }
    }
}

/* Payload, then the notification, in the order of the interconnect; losses are told by the next one and cleared. */
TEST(notifications_report_losses)
{
    static const struct {
        unsigned damage, flagged;
        uint32_t address;
    } rows[] = {{0, 0, 0x2000}, {1, 1, 0x2000}, {0, 0, 0x2000},    {2, 1, 0x2000},     {0, 0, 0x2000},
                {4, 1, 0x2000}, {0, 0, 0x2000}, {0, 1, 0xffffff8}, {0, 1, 0x10002000}, {0, 0, 0x2000}};
    cni_bench *b = cni_bench_new(1);
    uint64_t data[4];
    cni_write(b, CNI_REMOTE_NOTIFY, NOTIFY_AT);
    for (int i = 0; i < COUNT(rows); i++) {
        unsigned source = 5;
        payload(b, data, 4);
        b->request_count = 0;
        b->memory[NOTIFY_AT / 8 + source] = 0;
        cni_packet(b, source, CNI_NOTIFY | CNI_IRQ, rows[i].address, data, 4, rows[i].damage);
        cni_settle(b, 1000);
        uint64_t note = b->memory[NOTIFY_AT / 8 + source];
        ck_assert_uint_eq(note >> 63, rows[i].flagged);
        ck_assert_uint_eq(note & 0xffffffff, rows[i].address);
        ck_assert_uint_eq(note >> 56 & 0x7f, source);
        ck_assert_uint_eq(b->requests[b->request_count - 1].line, (NOTIFY_AT + 8 * source) / 32);
        if (rows[i].address == 0x2000) check(b, 0x2000, data, 4);
        else ck_assert_uint_eq(b->request_count, 1);
        ck_assert_uint_eq(cni_read(b, CNI_STATUS) >> 12 & 1, 1);
        cni_write(b, CNI_STATUS, ~0u);
    }
    ck_assert_uint_eq(cni_read(b, CNI_FLAGGED_NOTIFICATIONS), 5);
    ck_assert_uint_eq(cni_read(b, CNI_SEQUENCE_GAPS), 1);
    ck_assert_uint_eq(cni_read(b, CNI_BODY_CRC_ERRORS), 1);
    ck_assert_uint_eq(cni_read(b, CNI_ADDRESS_ERRORS), 2);
}

/* [63] of a header marks all sources. */
TEST(many_lost_packets_mark_all_sources)
{
    cni_bench *b = cni_bench_new(1);
    uint64_t word = 1;
    cni_write(b, CNI_REMOTE_NOTIFY, NOTIFY_AT);
    cni_packet(b, 2, 0, 0x2000, &word, 1, 4);
    for (unsigned s = 0; s < 16; s++) cni_packet(b, s, CNI_NOTIFY, 0x2000, &word, 1, 0);
    cni_settle(b, 5000);
    for (unsigned s = 0; s < 16; s++) ck_assert_uint_eq(b->memory[NOTIFY_AT / 8 + s] >> 63, 1);
}

static void make_queue(cni_bench *b, unsigned queue, unsigned log2_slots, unsigned log2_size, uint32_t base)
{
    cni_write(b, SYNC_QUEUE_BASE_LOW + 32 * queue, base);
    cni_write(b, SYNC_QUEUE_SOURCES + 32 * queue, 0xffff);
    cni_write(b, SYNC_QUEUE_SETUP + 32 * queue, 1u << 31 | log2_slots << 4 | (log2_size - 6));
}

/* Messages of every length in slots of every size, modes update (payload, then the first word alone) and memory
 * (payload, then the whole first line): the first word is with the last request, and the whole message is there. A bad
 * one leaves the first word as it was, and is counted. */
TEST(messages_fill_slots, .to = 8)
{
    cni_bench *b = cni_bench_new(1);
    unsigned log2_size = 6 + (unsigned)_i % 4, slot_words = 8u << _i % 4, update = _i < 4;
    cni_write(b, CNI_QUEUE_MODES_LOW, update ? 0x9999 : 0x8888);
    make_queue(b, 2, 3, log2_size, QUEUE_AT);
    unsigned slot = 0, taken = 0;
    for (unsigned n = 0; n < 80; n++) {
        uint64_t data[64];
        unsigned words = 1 + n % (slot_words - 1 > 62 ? 62 : slot_words - 1);
        unsigned bad = n % 7 == 3;
        uint32_t at = QUEUE_AT + (slot << log2_size);
        uint64_t before = b->memory[at / 8];
        payload(b, data, words);
        b->pace = 1 + n % 3;
        b->request_count = 0;
        cni_packet(b, 4, 0, cni_operation(2, 0, n), data, words, bad);
        cni_settle(b, 3000);
        if (bad) {
            ck_assert_uint_eq(b->memory[at / 8], before);
            for (unsigned i = 0; i < b->request_count; i++)
                ck_assert(b->requests[i].line != at / 32 || !(b->requests[i].mask & 1));
            continue;
        }
        uint64_t first = b->memory[at / 8];
        ck_assert_uint_eq(first >> 63, !(taken >> 3 & 1));
        ck_assert_uint_eq(first >> 56 & 0x7f, 4);
        ck_assert_uint_eq(first >> 32 & 0x3ff, words);
        ck_assert_uint_eq(first & 0x7fff, n);
        ck_assert_uint_eq(first >> 55 & 1, n % 7 == 4); /* the one behind a bad one */
        check(b, at + 8, data, words);
        cni_request *r = &b->requests[b->request_count - 1];
        ck_assert_uint_eq(r->line, at / 32);
        ck_assert_uint_eq(r->kind, update ? CNI_UPDATE : CNI_INVALIDATE_WRITE);
        ck_assert_uint_eq(r->mask, update ? 1 : words >= 3 ? 0xf : (2u << words) - 1);
        taken++;
        slot = (slot + 1) % 8;
        cni_write(b, SYNC_QUEUE_HEAD + 32 * 2, taken);
    }
}

/* The figure's part that is the NI's: last word of a 64-byte message at N2H to the broadcast of its first word. */
TEST(message_latency)
{
    cni_bench *b = cni_bench_new(1);
    uint64_t data[8];
    b->patience = 0;
    cni_write(b, CNI_QUEUE_MODES_LOW, 0x9);
    make_queue(b, 0, 4, 7, QUEUE_AT);
    unsigned worst = 0;
    for (unsigned n = 0; n < 12; n++) {
        payload(b, data, 8);
        b->request_count = 0;
        b->pace = 2 + n % 2;
        cni_packet(b, 1, 0, cni_operation(0, 0, 0), data, 8, 0);
        cni_settle(b, 500);
        unsigned took = (unsigned)(b->requests[b->request_count - 1].clock - b->last_word);
        if (took > worst) worst = took;
        cni_write(b, SYNC_QUEUE_HEAD, n + 1);
    }
    ck_assert_uint_le(worst, 13);
}

/* A queue in receive memory: no request on the interconnect, the program reads it by loads. */
TEST(uncached_queue)
{
    cni_bench *b = cni_bench_new(1);
    cni_write(b, CNI_QUEUE_MODES_LOW, 0xb0);
    make_queue(b, 1, 2, 7, 0x20200);
    ck_assert_uint_eq(cni_read(b, 0x4200), 0);
    for (unsigned n = 0; n < 10; n++) {
        uint64_t data[15];
        payload(b, data, 15);
        cni_packet(b, 3, 0, cni_operation(1, 0, n), data, 15, 0);
        cni_settle(b, 1000);
        unsigned at = 0x4200 + n % 4 * 128;
        ck_assert_uint_eq(cni_read(b, at) >> 31, !(n / 4 & 1));
        for (unsigned i = 0; i < 15; i++) {
            ck_assert_uint_eq(cni_read(b, at + 8 + 8 * i), data[i] >> 32);
            ck_assert_uint_eq(cni_read(b, at + 12 + 8 * i), data[i] & 0xffffffff);
        }
        cni_write(b, SYNC_QUEUE_HEAD + 32, n + 1);
    }
    ck_assert_uint_eq(b->request_count, 0);
}

/* Counting groups: packets carry a group instead of a number, no order is checked, and the counter of the group falls
 * by their words once these are in memory; at zero it acts. */
TEST(counting_groups)
{
    cni_bench *b = cni_bench_new(1);
    uint64_t data[62], arm = 1ull << 63 | 150;
    cni_write(b, SYNC_COUNTER_BASE_LOW, 0x8000 | 1);
    cni_write(b, SYNC_CONTROL, SYNC_CONTROL_GROUPS_MASK);
    cni_packet(b, 2, 0, cni_operation(9, 2, 0), &arm, 1, 0);
    b->group = 9;
    for (unsigned n = 0; n < 3; n++) {
        payload(b, data, 50);
        ck_assert_uint_eq(b->memory[0x8000 / 8 + 9], 0);
        cni_packet(b, 1 + n, 0, 0x2000 + 0x400 * n, data, 50, 2);
        cni_settle(b, 2000);
        check(b, 0x2000 + 0x400 * n, data, 50);
        ck_assert_int_eq((int)cni_read(b, SYNC_COUNTER_VALUE + 8 * 9), 100 - 50 * (int)n);
    }
    ck_assert_uint_eq(b->memory[0x8000 / 8 + 9] >> 63, 1);
    ck_assert_uint_eq(cni_read(b, CNI_SEQUENCE_GAPS), 0);
    /* and what is sent has the group of its slot */
    b->memory[0x20000 / 8] = cni_descriptor(1, 0, 1, 0x3000, 0) | 1ull << 51 | 9ull << 42;
    cni_write(b, CNI_SEND0_BASE, 0x20000);
    cni_write(b, CNI_SEND0_DOORBELL, 1);
    cni_write(b, CNI_SEND0_CONTROL, 4 << 8 | 6 << 4 | 2);
    cni_settle(b, 1000);
    ck_assert_uint_eq(b->sent_count, 1);
}
