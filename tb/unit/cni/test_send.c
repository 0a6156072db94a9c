/* The coherent NI sends: slots in the three modes, RDMA, credit, notifications, what is refused. */
#include "cni_bench.h"

#include <string.h>

enum { RING = 0x20000, DATA_AT = 0x40000, REPORT_AT = 0x6000, LOCAL_AT = 0x6100, CACHABLE = 1, DOORBELL, UNCACHED };

static void start_queue(cni_bench *b, unsigned queue, unsigned mode, unsigned log2_slots, unsigned log2_slot,
                        unsigned delay)
{
    cni_write(b, CNI_SEND0_BASE + 32 * queue, RING + 0x8000 * queue);
    cni_write(b, CNI_SEND0_DOORBELL + 32 * queue, 0);
    cni_write(b, CNI_SEND0_CONTROL + 32 * queue, delay << 16 | log2_slots << 8 | log2_slot << 4 | mode);
}

static uint64_t *slot(cni_bench *b, unsigned queue, unsigned log2_slots, unsigned log2_slot, unsigned n)
{
    return b->memory + (RING + 0x8000 * queue + ((n & ((1u << log2_slots) - 1)) << log2_slot)) / 8;
}

static unsigned consumed(cni_bench *b, unsigned queue)
{
    return cni_read(b, CNI_SEND0_CONSUMED + 32 * queue) & CNI_SEND0_CONSUMED_SLOTS_MASK;
}

static void check(const cni_sent *p, uint64_t header, const uint64_t *data)
{
    ck_assert_uint_eq(p->header & ~(0x1ffull << 42), header);
    for (unsigned i = 0; i < (header >> 32 & 0x3ff); i++) ck_assert_uint_eq(p->data[i], data[i]);
}

static uint64_t header(unsigned flow, unsigned flags, unsigned words, uint32_t address)
{
    return (uint64_t)flow << 56 | (uint64_t)flags << 52 | 1ull << 51 | (uint64_t)words << 32 | address;
}

TEST_CASE("send", .timeout = 60);

static unsigned reads(const cni_bench *b, uint64_t *clock)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->request_count; i++)
        if (b->requests[i].kind == CNI_READ) n++, *clock = b->requests[i].clock;
    return n;
}

/* Virtual polling: no request while nothing is stored; an Upgrade of the line held leads to one Read after DELAY, and
 * the other lines are read ahead; a phase that has not turned leads to no more of them. */
TEST(cachable_polling)
{
    enum { DELAY = 20 };
    cni_bench *b = cni_bench_new(1);
    start_queue(b, 0, CACHABLE, 2, 7, DELAY);
    for (unsigned n = 0; n < 11; n++) {
        uint64_t *s = slot(b, 0, 2, 7, n), read = 0;
        unsigned line = (unsigned)(s - b->memory) / 4, words = 1 + n % 15;
        cni_run(b, 200);
        ck_assert_uint_eq(b->requests[b->request_count - 1].kind, CNI_READ);
        ck_assert_uint_eq(b->requests[b->request_count - 1].line, line);
        unsigned before = b->request_count, held = reads(b, &read);
        cni_run(b, 500);
        ck_assert_uint_eq(b->request_count, before);
        ck_assert_int_eq(cni_snoop(b, CNI_READ, line), 1); /* the processor loads it: it gets S */
        ck_assert_int_eq(cni_snoop(b, CNI_READ, line + 1), 0);
        for (unsigned i = 0; i < words; i++) s[1 + i] = cni_random(b);
        if (n % 3 == 1) { /* a store of payload to the first line comes long before the phase */
            ck_assert_int_eq(cni_snoop(b, CNI_UPGRADE, line), 1);
            uint64_t from = cni_clock(b);
            cni_run(b, 200);
            ck_assert_uint_eq(reads(b, &read), held + 1);
            ck_assert_uint_ge(read, from + DELAY - 5);
            if (n < 4) ck_assert_uint_le(read, from + DELAY + 5); /* later more lines are read ahead than it takes */
            ck_assert_uint_eq(b->sent_count, n);
        }
        ck_assert_int_eq(cni_snoop(b, n & 1 ? CNI_UPGRADE : CNI_READ_EXCLUSIVE, line), 1);
        ck_assert_int_eq(cni_snoop(b, CNI_READ, line), 0); /* it is gone */
        s[0] = cni_descriptor(3, 0, words, 0x1000 + 8 * n, !(n >> 2 & 1)) | 1ull << 51;
        cni_settle(b, 1000);
        ck_assert_uint_eq(b->sent_count, n + 1);
        check(&b->sent[n], header(3, 0, words, 0x1000 + 8 * n), s + 1);
        ck_assert_uint_eq(consumed(b, 0), n + 1);
    }
    ck_assert_uint_eq(cni_read(b, CNI_UPGRADES_SEEN), 15);
}

/* A program that is ahead of the NI: all slots go, one after the other, without an Upgrade. */
TEST(slots_ahead)
{
    cni_bench *b = cni_bench_new(1);
    for (unsigned n = 0; n < 8; n++) {
        uint64_t *s = slot(b, 1, 3, 6, n);
        for (unsigned i = 1; i < 8; i++) s[i] = cni_random(b);
        s[0] = cni_descriptor(n, 0, 7, cni_operation(n, 0, n), 1) | 1ull << 51;
    }
    start_queue(b, 1, CACHABLE, 3, 6, 0);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 8);
    for (unsigned n = 0; n < 8; n++)
        check(&b->sent[n], header(n, 0, 7, cni_operation(n, 0, n)), slot(b, 1, 3, 6, n) + 1);
}

/* RDMA of any length from any place: packets of the payload limit, the flags with the last one; a read for each line
 * and packet. */
TEST(rdma, .to = 3)
{
    static const unsigned limits[] = {62, 17, 1};
    cni_bench *b = cni_bench_new(1);
    cni_write(b, CNI_PAYLOAD_LIMIT, limits[_i]);
    start_queue(b, 0, DOORBELL, 4, 6, 0);
    for (unsigned i = 0; i < 2048; i++) b->memory[DATA_AT / 8 + i] = cni_random(b);
    for (unsigned n = 0; n < 24; n++) {
        unsigned length = _i == 2 ? 1 + n : n < 8 ? 55 + n : 1 + (unsigned)(cni_random(b) % 512);
        unsigned source = DATA_AT + 8 * (unsigned)(cni_random(b) % 1024), target = 0x8000 + 8 * n;
        uint64_t *s = slot(b, 0, 4, 6, n);
        s[0] = cni_descriptor(2, 7, length, target, 0);
        s[1] = source;
        unsigned first = b->sent_count;
        cni_write(b, CNI_SEND0_DOORBELL, n + 1);
        cni_settle(b, 20000);
        unsigned done = 0;
        for (unsigned i = first; i < b->sent_count; i++) {
            unsigned words = length - done < limits[_i] ? length - done : limits[_i], is_last = done + words == length;
            check(&b->sent[i], header(2, is_last ? 7 : 0, words, target + 8 * done), b->memory + source / 8 + done);
            ck_assert_uint_eq(b->sent[i].last, is_last);
            done += words;
        }
        ck_assert_uint_eq(done, length);
        ck_assert_uint_eq(consumed(b, 0), n + 1);
    }
    for (unsigned i = 0; i < b->request_count; i++)
        ck_assert(b->requests[i].kind == CNI_READ_ONCE || b->requests[i].kind == CNI_INVALIDATE_WRITE);
}

/* Stores fill the buffer, that of the upper half of word 0 starts it; until it has left, stores are ignored. */
TEST(uncached)
{
    cni_bench *b = cni_bench_new(1);
    start_queue(b, 0, UNCACHED, 0, 0, 0);
    start_queue(b, 1, UNCACHED, 0, 0, 0);
    for (unsigned n = 0; n < 62; n++) {
        unsigned at = 0x2000 + 0x200 * (n & 1), words = n + 1;
        uint64_t data[63] = {0};
        data[0] = cni_descriptor(4, 0, words, cni_operation(1, 0, n), 0) | 1ull << 51;
        for (unsigned i = 1; i <= words; i++) data[i] = cni_random(b);
        for (unsigned i = words + 1; i--;) {
            cni_write(b, at + 8 * i + 4, (uint32_t)data[i]);
            cni_write(b, at + 8 * i, (uint32_t)(data[i] >> 32));
        }
        if (n == 61) {
            cni_write(b, at + 8, 0x12345678);
            ck_assert_uint_eq(cni_read(b, CNI_STATUS), 4);
        }
        cni_settle(b, 1000);
        ck_assert_uint_eq(b->sent_count, n + 1);
        check(&b->sent[n], header(4, 0, words, cni_operation(1, 0, n)), data + 1);
        ck_assert_uint_eq(cni_read(b, CNI_SEND0_CONSUMED + 32 * (n & 1)), n / 2 + 1);
    }
    ck_assert_uint_eq(b->request_count, 0);
}

/* What is illegal is skipped, counted, and the next slot goes. */
TEST(illegal_slots_are_skipped)
{
    static const struct {
        uint64_t set, clear, second;
    } rows[] = {
        {0, 0x3ffull << 32, 0},               /* length 0 */
        {513ull << 32, 0, 0},                 /* of RDMA above 512; here 513 | 4 */
        {1ull << 51 | 8ull << 32, 0, 0},      /* longer than the slot */
        {4, 0, 0},                            /* target no multiple of 8 */
        {1, 0, 0},                            /* an operation by address only */
        {1ull << 63, 0, 0},                   /* ... by [63] only */
        {1ull << 63 | 63ull << 32 | 1, 0, 0}, /* an operation longer than a packet */
        {1ull << 63 | 1ull << 62 | 1, 0, 0},  /* ... with a remote notification */
        {8ull << 52, 0, 0},                   /* no such flow */
        {1ull << 49, 0, 0},                   /* reserved */
        {1ull << 42, 0, 0},                   /* a group */
        {0, 0, 4},                            /* source no multiple of 8 */
        {0, 0, 0x10000000},                   /* ... not in coherent memory */
        {0, 0, 0xffffff0},                    /* ... nor its end */
        {0, 0, 1ull << 40},
    };
    cni_bench *b = cni_bench_new(1);
    start_queue(b, 0, DOORBELL, 3, 6, 0);
    for (unsigned i = 0; i < (unsigned)COUNT(rows); i++) {
        uint64_t *s = slot(b, 0, 3, 6, 2 * i);
        s[0] = (cni_descriptor(1, 0, 4, 0x3000, 0) | rows[i].set) & ~rows[i].clear;
        s[1] = rows[i].second ? rows[i].second : DATA_AT;
        s = slot(b, 0, 3, 6, 2 * i + 1);
        s[0] = cni_descriptor(1, 0, 1, 0x3000, 0) | 1ull << 51;
        cni_write(b, CNI_SEND0_DOORBELL, 2 * i + 2);
        cni_settle(b, 1000);
        ck_assert_uint_eq(b->sent_count, i + 1);
        ck_assert_uint_eq(cni_read(b, CNI_SLOTS_SKIPPED), i + 1);
    }
    ck_assert_uint_eq(cni_read(b, CNI_STATUS), 1);
}

/* A ring of an illegal size, or not at a multiple of its size, does not start. */
TEST(illegal_rings_are_refused)
{
    static const struct {
        unsigned base, log2_slots, log2_slot, legal;
    } rows[] = {{0, 0, 6, 0},         {0, 13, 6, 0},        {0, 4, 5, 0},         {0, 4, 10, 0},
                {0, 12, 9, 1},        {0, 4, 9, 1},         {0xfffe000, 4, 9, 1}, {0xfffe040, 4, 9, 0},
                {0xffff000, 4, 9, 0}, {0xfffff80, 1, 6, 1}, {0xfffffc0, 1, 6, 0}, {0xff00000, 12, 8, 1},
                {0xff80000, 12, 8, 0}};
    cni_bench *b = cni_bench_new(1);
    for (int i = 0; i < COUNT(rows); i++) {
        cni_write(b, CNI_SEND1_CONTROL, 0);
        cni_write(b, CNI_STATUS, ~0u);
        cni_write(b, CNI_SEND1_BASE, rows[i].base);
        cni_write(b, CNI_SEND1_CONTROL, rows[i].log2_slots << 8 | rows[i].log2_slot << 4 | DOORBELL);
        ck_assert_uint_eq(cni_read(b, CNI_SEND1_CONSUMED) >> 18 & 1, !rows[i].legal);
        ck_assert_uint_eq(cni_read(b, CNI_STATUS), rows[i].legal ? 0 : 2);
    }
}

/* A queue whose destination has no credit holds up neither the other one nor answers. */
TEST(a_blocked_queue_blocks_nobody)
{
    cni_bench *b = cni_bench_new(1);
    b->blocked = 1u << 5;
    start_queue(b, 0, DOORBELL, 6, 6, 0);
    start_queue(b, 1, DOORBELL, 6, 6, 0);
    for (unsigned n = 0; n < 64; n++)
        for (unsigned q = 0; q < 2; q++) {
            uint64_t *s = slot(b, q, 6, 6, n);
            s[0] = cni_descriptor(q ? 2 : 5, 0, 60, 0x3000, 0);
            s[1] = DATA_AT;
        }
    cni_write(b, CNI_SEND0_DOORBELL, 64);
    cni_write(b, CNI_SEND1_DOORBELL, 64);
    cni_settle(b, 60000);
    unsigned of[8] = {0};
    for (unsigned i = 0; i < b->sent_count; i++) of[b->sent[i].header >> 56 & 7]++;
    ck_assert_uint_eq(of[2], 64);
    ck_assert_uint_eq(of[5], 2046 / 124);
    uint64_t one = 1; /* answers to 5 and to 3 */
    cni_packet(b, 5, 0, cni_operation(7, 5, 0), &one, 1, 0);
    cni_packet(b, 3, 0, cni_operation(7, 5, 0), &one, 1, 0);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent[b->sent_count - 1].header >> 56 & 7, 3);
    b->blocked = 0;
    cni_settle(b, 60000);
    ck_assert_uint_eq(b->sent_count, 130);
}

/* Departed transfers and consumed slots are told in memory. */
TEST(notifications_and_reports)
{
    cni_bench *b = cni_bench_new(1);
    cni_write(b, CNI_LOCAL_NOTIFY, LOCAL_AT);
    cni_write(b, CNI_SEND1_REPORT, REPORT_AT | 1);
    start_queue(b, 1, DOORBELL, 4, 6, 0);
    unsigned left = 0;
    for (unsigned n = 0; n < 40; n++) {
        uint64_t *s = slot(b, 1, 4, 6, n);
        unsigned bad = n % 5 == 4, local = n % 3 != 0;
        s[0] = cni_descriptor(1, local ? CNI_LOCAL : 0, bad ? 0 : 100, 0x3000, 0);
        s[1] = DATA_AT;
        cni_write(b, CNI_SEND1_DOORBELL, n + 1);
        cni_settle(b, 3000);
        left += !bad;
        if (local && !bad) ck_assert_uint_eq(b->memory[LOCAL_AT / 8 + 1], left);
        ck_assert_uint_eq(b->memory[REPORT_AT / 8], (n + 1) / 4 * 4);
    }
    ck_assert_uint_eq(b->memory[LOCAL_AT / 8], 0);
}

/* Held slots wait, in their order, for RELEASE or a counter; a release before it is kept. */
TEST(held_slots_wait_for_a_release)
{
    cni_bench *b = cni_bench_new(1);
    start_queue(b, 0, CACHABLE, 4, 6, 0);
    for (unsigned n = 0; n < 9; n++) {
        uint64_t *s = slot(b, 0, 4, 6, n);
        s[0] = cni_descriptor(1, 0, 1, 0x3000 + 8 * n, 1) | 1ull << 51 | (n % 3 == 1 ? 1ull << 50 : 0);
    }
    cni_snoop(b, CNI_UPGRADE, RING / 32);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 1);
    ck_assert_uint_eq(cni_read(b, CNI_SEND0_CONSUMED), 1 | 1 << 17);
    cni_write(b, CNI_RELEASE, 1);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 4);
    cni_write(b, CNI_RELEASE, 2); /* of the other queue */
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 4);
    /* counter 3 counts to 0 by two packets */
    uint64_t arm = 1ull << 32 | 0xffffffff, add = 1;
    cni_packet(b, 2, 0, cni_operation(3, 2, 0), &arm, 1, 0);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 4);
    cni_packet(b, 2, 0, cni_operation(3, 1, 0), &add, 1, 0);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 7);
    cni_write(b, CNI_RELEASE, 1);
    cni_write(b, CNI_RELEASE, 1);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 9);
    slot(b, 0, 4, 6, 9)[0] = cni_descriptor(1, 0, 1, 0x3000, 1) | 1ull << 51 | 1ull << 50;
    cni_snoop(b, CNI_UPGRADE, (RING + 9 * 64) / 32);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 10);
}

/* Four operations per destination may wait for their answers, the fifth waits in its queue. */
TEST(four_operations_unanswered)
{
    cni_bench *b = cni_bench_new(1);
    cni_write(b, SYNC_ANSWER_BASE_LOW, 0x9000 | 1);
    start_queue(b, 0, DOORBELL, 4, 6, 0);
    for (unsigned n = 0; n < 8; n++) {
        uint64_t *s = slot(b, 0, 4, 6, n);
        s[0] = cni_descriptor(6, 0, 1, cni_operation(1, 5, n), 0) | 1ull << 51;
        s[1] = 1;
    }
    cni_write(b, CNI_SEND0_DOORBELL, 8);
    cni_settle(b, 3000);
    ck_assert_uint_eq(b->sent_count, 4);
    for (unsigned n = 0; n < 4; n++) {
        uint64_t value = 100 + n;
        cni_packet(b, 6, 0, cni_operation(0, 15, n), &value, 1, 0);
        cni_settle(b, 3000);
        ck_assert_uint_eq(b->sent_count, 5 + n);
        ck_assert_uint_eq(b->memory[0x9000 / 8 + 2 * n], value);
    }
}

/* Clocks of cni.md: all found in an idle NI, a request taken after one clock. */
TEST(latencies)
{
    enum { DELAY = 30 };
    cni_bench *b = cni_bench_new(1);
    b->patience = b->latency = 0;
    for (unsigned n = 0; n < 2; n++)
        for (unsigned q = 0; q < 2; q++)
            slot(b, q, 1, 6, n)[0] = cni_descriptor(1, 0, 1, 0x3000, q ? 0 : n == 2) | 1ull << 51;
    start_queue(b, 0, CACHABLE, 1, 6, DELAY);
    start_queue(b, 1, DOORBELL, 1, 6, 0);
    cni_settle(b, 500);
    cni_snoop(b, CNI_UPGRADE, RING / 32);
    uint64_t seen = b->snoop_clock;
    slot(b, 0, 1, 6, 0)[0] |= 1ull << 59;
    b->request_count = 0;
    cni_settle(b, 500);
    ck_assert_uint_eq(b->requests[0].clock - seen, DELAY + 3);
    ck_assert_uint_le(b->sent[0].clock - b->requests[0].clock, 7 + 4); /* its last word comes after 7 */
    b->request_count = 0;
    cni_write(b, CNI_SEND1_DOORBELL, 1);
    uint64_t store = cni_clock(b);
    cni_settle(b, 500);
    ck_assert_uint_le(b->requests[0].clock - store, 2);
    cni_write(b, CNI_SEND0_CONTROL, UNCACHED);
    cni_write(b, CNI_SEND0_CONTROL, 0);
    cni_settle(b, 500);
    cni_write(b, CNI_SEND0_CONTROL, UNCACHED);
    cni_write(b, 0x2008, 1);
    cni_write(b, 0x2004, 0x3000);
    cni_write(b, 0x2000, (uint32_t)(cni_descriptor(1, 0, 1, 0x3000, 0) >> 32) | 1u << 19);
    store = cni_clock(b);
    cni_settle(b, 500);
    ck_assert_uint_le(b->sent[2].clock - store, 6);
}
