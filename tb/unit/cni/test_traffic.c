/* Everything at once in the coherent NI, at random: packets of RDMA, messages, counters and words arrive while both
 * queues send in different modes, destinations lose and regain credit. At the end each word is where it belongs, each
 * message was taken once, whole and in order, and each slot left once. */
#include "cni_bench.h"

#include <string.h>

enum { QUEUES_AT = 0x10000, RINGS_AT = 0x20000, DATA_AT = 0x30000, TARGET_AT = 0x50000, SLOTS = 8, SLOT = 128 };

typedef struct reader {
    unsigned read, last[16];
} reader;

static cni_bench *b;
static reader readers[4];
static unsigned operand[16][4]; /* of the next message of a source to a queue, from 1 on */

static uint64_t pattern(unsigned source, unsigned queue, unsigned n, unsigned i)
{
    return (uint64_t)source << 56 | (uint64_t)queue << 48 | (uint64_t)n << 16 | i;
}

static void read_queues(void)
{
    for (unsigned q = 0; q < 4; q++) {
        reader *r = &readers[q];
        uint64_t *s = b->memory + (QUEUES_AT + 0x1000 * q + r->read % SLOTS * SLOT) / 8;
        if (s[0] >> 63 != !(r->read / SLOTS & 1)) continue;
        unsigned source = s[0] >> 56 & 0x7f, words = s[0] >> 32 & 0x3ff, n = s[0] & 0x7fff;
        ck_must(source < 16 && n == ++r->last[source], "queue %u: message %u of source %u, expected %u", q, n, source,
                r->last[source]);
        for (unsigned i = 0; i < words; i++)
            ck_must(s[1 + i] == pattern(source, q, n, i), "queue %u: word %u of message %u: %016llx, expected %016llx",
                    q, i, n, (unsigned long long)s[1 + i], (unsigned long long)pattern(source, q, n, i));
        r->read++;
        cni_write(b, SYNC_QUEUE_HEAD + 32 * q, r->read);
    }
}

static void arrive(uint64_t *expected)
{
    uint64_t data[62];
    unsigned source = (unsigned)(cni_random(b) % 8), words = 1 + (unsigned)(cni_random(b) % 62);
    switch (cni_random(b) % 4) {
    case 0: {
        unsigned at = (unsigned)(cni_random(b) % (1024 - 62));
        for (unsigned i = 0; i < words; i++) expected[at + i] = data[i] = cni_random(b);
        cni_packet(b, source, 0, TARGET_AT + 8 * at, data, words, 0);
        break;
    }
    case 1: {
        uint64_t one = 1;
        cni_packet(b, source, 0, cni_operation(7, 1, 0), &one, 1, 0); /* ADD */
        expected[1024]++;
        break;
    }
    default: {
        unsigned q = (unsigned)(cni_random(b) % 4), n = operand[source][q] + 1;
        unsigned under_way = 0;
        for (unsigned s = 0; s < 16; s++) under_way += operand[s][q] - readers[q].last[s];
        if (under_way >= SLOTS) return; /* it would be refused */
        operand[source][q] = n;
        if (words > 15) words = 15;
        for (unsigned i = 0; i < words; i++) data[i] = pattern(source, q, n, i);
        cni_packet(b, source, 0, cni_operation(q, 0, n), data, words, 0);
    }
    }
}

TEST_CASE("traffic", .timeout = 300);

TEST(all_at_once, .to = 4)
{
    static uint64_t expected[1025];
    memset(expected, 0, sizeof expected);
    memset(readers, 0, sizeof readers);
    memset(operand, 0, sizeof operand);
    b = cni_bench_new(1);
    b->patience = (unsigned)_i * 3;
    b->pace = 1 + (unsigned)_i % 3;
    cni_write(b, CNI_QUEUE_MODES_LOW, 0x9d8a); /* update, allocate in 1, memory, allocate in 0 */
    for (unsigned q = 0; q < 4; q++) {
        cni_write(b, SYNC_QUEUE_BASE_LOW + 32 * q, QUEUES_AT + 0x1000 * q);
        cni_write(b, SYNC_QUEUE_SOURCES + 32 * q, 0xffff);
        cni_write(b, SYNC_QUEUE_SETUP + 32 * q, 1u << 31 | 3 << 4 | 1);
    }
    for (unsigned i = 0; i < 4096; i++) b->memory[DATA_AT / 8 + i] = cni_random(b);
    for (unsigned q = 0; q < 2; q++) {
        cni_write(b, CNI_SEND0_BASE + 32 * q, RINGS_AT + 0x8000 * q);
        cni_write(b, CNI_SEND0_CONTROL + 32 * q, 5 << 16 | 4 << 8 | 6 << 4 | (q ? 2 : 1));
    }
    unsigned written[2] = {0}, words_out[2] = {0}, words_sent[2] = {0}, checked = 0;
    for (unsigned turn = 0; turn < 1500 || written[0] < 100; turn++) {
        if (b->n2h_put - b->n2h_got < 200) arrive(expected);
        read_queues();
        unsigned q = turn & 1;
        if (written[q] - (cni_read(b, CNI_SEND0_CONSUMED + 32 * q) & 0xffff) < 15) {
            uint64_t *s = b->memory + (RINGS_AT + 0x8000 * q + written[q] % 16 * 64) / 8;
            unsigned words = 1 + (unsigned)(cni_random(b) % (turn % 3 ? 7 : 200));
            int in_slot = words < 8 && turn % 2;
            s[1] = in_slot ? cni_random(b) : DATA_AT + 8 * (cni_random(b) % 3000);
            s[0] = cni_descriptor(1 + 2 * q, 0, words, 0x3000 + 0x1000 * q, !(written[q] / 16 & 1)) | (uint64_t)in_slot
                                                                                                          << 51;
            written[q]++;
            words_out[q] += words;
            if (q) cni_write(b, CNI_SEND1_DOORBELL, written[1] & 0xffff);
            else cni_snoop(b, CNI_UPGRADE, (unsigned)(s - b->memory) / 4);
        }
        if (turn % 100 == 50) b->blocked = 1u << (cni_random(b) % 8);
        if (turn % 100 == 80) b->blocked = 0;
        cni_run(b, (unsigned)(cni_random(b) % 60));
        for (; checked < b->sent_count; checked++)
            words_sent[(b->sent[checked].header >> 56 & 7) == 3] += b->sent[checked].header >> 32 & 0x3ff;
        if (b->sent_count > 900) {
            memmove(b->sent, b->sent + b->gone_count, (b->sent_count - b->gone_count) * sizeof b->sent[0]);
            checked -= b->gone_count;
            b->sent_count -= b->gone_count;
            b->gone_count = 0;
        }
        if (b->request_count > 3500)
            b->request_count = b->b.busy ? (b->requests[0] = *b->b.log, b->b.log = b->requests, 1) : 0;
    }
    b->blocked = 0;
    for (unsigned i = 0; i < 400; i++) {
        read_queues();
        cni_run(b, 100);
        if (b->request_count > 3500)
            b->request_count = b->b.busy ? (b->requests[0] = *b->b.log, b->b.log = b->requests, 1) : 0;
    }
    cni_settle(b, 100000);
    for (; checked < b->sent_count; checked++)
        words_sent[(b->sent[checked].header >> 56 & 7) == 3] += b->sent[checked].header >> 32 & 0x3ff;
    for (unsigned q = 0; q < 4; q++)
        for (unsigned s = 0; s < 16; s++) ck_assert_uint_eq(readers[q].last[s], operand[s][q]);
    for (unsigned i = 0; i < 1024; i++)
        if (expected[i]) ck_assert_uint_eq(b->memory[TARGET_AT / 8 + i], expected[i]);
    ck_assert_uint_eq(cni_read(b, SYNC_COUNTER_VALUE + 8 * 7), expected[1024]);
    for (unsigned q = 0; q < 2; q++) {
        ck_assert_uint_eq(cni_read(b, CNI_SEND0_CONSUMED + 32 * q) & 0xffff, written[q]);
        ck_assert_uint_eq(words_sent[q], words_out[q]);
    }
    ck_assert_uint_eq(cni_read(b, CNI_STATUS), 0);
    ck_assert_uint_eq(cni_read(b, SYNC_STATUS), 0);
}
