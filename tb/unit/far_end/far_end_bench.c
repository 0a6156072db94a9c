#include "far_end_bench.h"

#include <string.h>

#include "test.h"

struct bench b;

uint64_t word_of(uint32_t address, unsigned i)
{
    uint64_t x = ((uint64_t)address << 16 | i) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

/* ---- words that it sends */

static void read_packet(unsigned at)
{
    uint64_t header = (uint64_t)b.frame[at] << 32 | b.frame[at + 1];
    unsigned length = header >> 32 & 1023, have = b.words - at - 3;
    seen *s = &b.sent[b.packets];
    ck_assert_uint_lt(b.packets, BENCH_PACKETS);
    *s = (seen){.clock = b.clock};
    s->p.header = header;
    s->header_bad = b.frame[at + 2] != reference_crc16(CRC16_START, header, 64);
    uint32_t crc = CRC32_START;
    for (unsigned i = 0; i < length && 2 * i + 1 < have; i++) {
        s->payload[i] = (uint64_t)b.frame[at + 3 + 2 * i] << 32 | b.frame[at + 4 + 2 * i];
        crc = reference_crc32(crc, s->payload[i], 64);
    }
    s->short_of = (int)(2 * length + 1 - have);
    s->body_bad = have < 2 * length + 1 || b.frame[at + 3 + 2 * length] != crc;
    b.packets++;
}

static void read_frame(void)
{
    unsigned at = 1;
    if (b.words < 2 || b.frame[0] != SOP_WORD) {
        b.bad_frames++;
        return;
    }
    if (b.frame[at] >> 31) {
        ck_assert_uint_lt(b.credits, BENCH_CREDITS - 1);
        b.credit[b.credits++] = (uint16_t)(b.frame[at] >> 16);
        b.credit[b.credits++] = (uint16_t)b.frame[at];
        at++;
    }
    if (b.words == at) return;
    uint64_t header = (uint64_t)b.frame[at] << 32 | b.frame[at + 1];
    if (b.words < at + 3) b.bad_frames++;
    else if (header >> 32 & 1023) read_packet(at);
    else if (b.words == at + 3 && b.frame[at + 2] == reference_crc16(CRC16_START, header, 64))
        b.record[b.records++] = header;
    else b.bad_frames++;
}

static void sent_word(uint32_t data, unsigned k)
{
    if (k) {
        if (b.words) read_frame();
        b.words = 0;
    }
    if (k == IDLE_K && data == IDLE_WORD) {
        b.since_idle = 0;
        return;
    }
    if (++b.since_idle > b.longest_without_idle) b.longest_without_idle = b.since_idle;
    if ((k && k != SOP_K) || (!k && !b.words) || b.words == 1100) b.bad_frames++;
    else b.frame[b.words++] = data;
}

/* ---- packets that it delivers */

static void deliver(void *self, const far_end_packet *p)
{
    (void)self;
    seen *s = &b.delivered[b.deliveries];
    ck_assert_uint_lt(b.deliveries, BENCH_PACKETS);
    b.deliveries++;
    s->p = *p;
    s->clock = b.clock;
    memcpy(s->payload, p->payload, 8 * p->words);
    s->p.payload = s->payload;
}

/* ---- life and words */

static void end_check(void *none)
{
    (void)none;
    ck_assert_uint_eq(b.bad_frames, 0);
    ck_assert_uint_le(b.longest_without_idle, 2047);
}

CLEANUP(far_end_free);

void start(const far_end_params *params)
{
    far_end_params defaults = far_end_params_default();
    memset(&b, 0, sizeof b);
    b.f = far_end_new(params ? params : &defaults, deliver, NULL);
    ck_assert_ptr_nonnull(b.f);
    after_test(far_end_free_cleanup, b.f);
    after_test(end_check, NULL);
    b.carry = IDLE_WORD;
    b.carry_k = IDLE_K;
}

void put_flags(uint32_t data, unsigned k, unsigned not_in_table, unsigned loss_of_sync)
{
    uint64_t both = (uint64_t)b.carry << 32 | data;
    unsigned both_k = b.carry_k << 4 | k;
    far_end_input in = {.data = (uint32_t)(both >> (b.lane ? 8 * b.lane : 0)),
                        .k = both_k >> b.lane & 15,
                        .not_in_table = (uint8_t)not_in_table,
                        .loss_of_sync = (uint8_t)loss_of_sync};
    uint32_t out;
    uint8_t out_k;
    if (!b.lane) in.data = data, in.k = (uint8_t)k;
    b.carry = data;
    b.carry_k = k;
    b.clock++;
    far_end_clock(b.f, &in, &out, &out_k);
    sent_word(out, out_k);
}

void put(uint32_t data, unsigned k) { put_flags(data, k, 0, 0); }

void idle(unsigned count)
{
    while (count--) put(IDLE_WORD, IDLE_K);
}

void put_frame(const struct frame *f, unsigned words)
{
    for (unsigned i = 0; i < words && i < f->words; i++) put(f->data[i], f->k[i]);
}

void frame_to(struct frame *f, uint64_t header)
{
    uint64_t payload[512];
    for (unsigned i = 0; i < 512; i++) payload[i] = word_of((uint32_t)header, i);
    frame_start(f);
    frame_packet(f, header, payload);
}

void put_packet(unsigned flow, unsigned words, uint32_t address)
{
    struct frame f;
    frame_to(&f, header_of(flow, 0, b.sequence[flow]++, words, address));
    put_frame(&f, f.words);
}

void put_record(unsigned flow, unsigned units)
{
    struct frame f;
    frame_start(&f);
    frame_record(&f, flow, units);
    put_frame(&f, f.words);
}

void put_credit(unsigned first, unsigned second)
{
    struct frame f;
    frame_start(&f);
    frame_credits(&f, credit_of(0, first), credit_of(0, second));
    put_frame(&f, f.words);
    idle(1);
}

void bring_up(void)
{
    for (unsigned i = 0; i < 5000 && b.records < 2; i++) idle(1);
    ck_assert_uint_eq(b.records, 2);
}

int last_credit(unsigned flow)
{
    for (unsigned i = b.credits; i--;)
        if ((b.credit[i] >> 7 & 127u) == flow) return (b.credit[i] & 127) << 5;
    return -1;
}
