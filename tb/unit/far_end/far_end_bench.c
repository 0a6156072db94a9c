#include "far_end_bench.h"

#include <string.h>

#include "tb/unit/link/crc_reference.h"

uint16_t crc_of_header(uint64_t header)
{
    return reference_crc16(CRC16_START, header, 64);
}

uint32_t crc_of_body(const uint64_t *payload, unsigned words)
{
    uint32_t crc = CRC32_START;
    for (unsigned i = 0; i < words; i++) crc = reference_crc32(crc, payload[i], 64);
    return crc;
}

uint64_t header_of(unsigned flow, unsigned flags, unsigned sequence, unsigned words, uint32_t address)
{
    return (uint64_t)flow << 56 | (uint64_t)flags << 52 | 1ull << 51 | (uint64_t)(sequence & 511) << 42 | (uint64_t)words << 32 | address;
}

uint16_t credit_of(unsigned flow, unsigned units)
{
    unsigned bits = flow << 7 | (units >> 5 & 127);
    return (uint16_t)(0x8000 | (unsigned)__builtin_parity(bits) << 14 | bits);
}

uint64_t word_of(uint32_t address, unsigned i)
{
    uint64_t x = ((uint64_t)address << 16 | i) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

/* ---- what it sends */

static void read_packet(bench *b, unsigned at)
{
    uint64_t header = (uint64_t)b->frame[at] << 32 | b->frame[at + 1];
    unsigned length = header >> 32 & 1023, have = b->words - at - 3;
    seen *s = &b->sent[b->packets];
    ck_assert_uint_lt(b->packets, BENCH_PACKETS);
    *s = (seen){.clock = b->clock};
    s->p.header = header;
    s->header_bad = b->frame[at + 2] != crc_of_header(header);
    for (unsigned i = 0; i < length && 2 * i + 1 < have; i++)
        s->payload[i] = (uint64_t)b->frame[at + 3 + 2 * i] << 32 | b->frame[at + 4 + 2 * i];
    s->short_of = (int)(2 * length + 1 - have);
    s->body_bad = have < 2 * length + 1 || b->frame[at + 3 + 2 * length] != crc_of_body(s->payload, length);
    b->packets++;
}

static void read_frame(bench *b)
{
    unsigned at = 1;
    if (b->words < 2 || b->frame[0] != 0xfb5aa55a) {
        b->bad_frames++;
        return;
    }
    if (b->frame[at] >> 31) {
        ck_assert_uint_lt(b->credits, BENCH_CREDITS - 1);
        b->credit[b->credits++] = (uint16_t)(b->frame[at] >> 16);
        b->credit[b->credits++] = (uint16_t)b->frame[at];
        at++;
    }
    if (b->words == at) return;
    uint64_t header = (uint64_t)b->frame[at] << 32 | b->frame[at + 1];
    if (b->words < at + 3) b->bad_frames++;
    else if (header >> 32 & 1023) read_packet(b, at);
    else if (b->words == at + 3 && b->frame[at + 2] == crc_of_header(header)) b->record[b->records++] = header;
    else b->bad_frames++;
}

static void sent_word(bench *b, uint32_t data, unsigned k)
{
    if (k) {
        if (b->words) read_frame(b);
        b->words = 0;
    }
    if (k == 15 && data == 0xbcbcbcbc) {
        b->since_idle = 0;
        return;
    }
    if (++b->since_idle > b->longest_without_idle) b->longest_without_idle = b->since_idle;
    if ((k && k != 8) || (!k && !b->words) || b->words == 1100) b->bad_frames++;
    else b->frame[b->words++] = data;
}

/* ---- what it delivers */

static void deliver(void *self, const far_end_packet *p)
{
    bench *b = self;
    seen *s = &b->delivered[b->deliveries];
    ck_assert_uint_lt(b->deliveries, BENCH_PACKETS);
    b->deliveries++;
    s->p = *p;
    s->clock = b->clock;
    memcpy(s->payload, p->payload, 8 * p->words);
    s->p.payload = s->payload;
}

/* ---- life and words */

void bench_start(bench *b, const far_end_params *params)
{
    far_end_params defaults = far_end_params_default();
    memset(b, 0, sizeof *b);
    b->f = far_end_new(params ? params : &defaults, deliver, b);
    ck_assert_ptr_nonnull(b->f);
    b->carry = 0xbcbcbcbc;
    b->carry_k = 15;
}

void bench_end(bench *b)
{
    ck_assert_uint_eq(b->bad_frames, 0);
    ck_assert_uint_le(b->longest_without_idle, 2047);
    far_end_free(b->f);
}

void put_flags(bench *b, uint32_t data, unsigned k, unsigned not_in_table, unsigned loss_of_sync)
{
    uint64_t both = (uint64_t)b->carry << 32 | data;
    unsigned both_k = b->carry_k << 4 | k;
    far_end_input in = {.data = (uint32_t)(both >> (b->lane ? 8 * b->lane : 0)),
                        .k = both_k >> b->lane & 15,
                        .not_in_table = (uint8_t)not_in_table,
                        .loss_of_sync = (uint8_t)loss_of_sync};
    uint32_t out;
    uint8_t out_k;
    if (!b->lane) in.data = data, in.k = (uint8_t)k;
    b->carry = data;
    b->carry_k = k;
    b->clock++;
    far_end_clock(b->f, &in, &out, &out_k);
    sent_word(b, out, out_k);
}

void put(bench *b, uint32_t data, unsigned k)
{
    put_flags(b, data, k, 0, 0);
}

void sop(bench *b)
{
    put(b, 0xfb5aa55a, 8);
}

void idle(bench *b, unsigned count)
{
    while (count--) put(b, 0xbcbcbcbc, 15);
}

void put_header(bench *b, uint64_t header)
{
    put(b, (uint32_t)(header >> 32), 0);
    put(b, (uint32_t)header, 0);
    put(b, crc_of_header(header), 0);
}

void put_packet(bench *b, unsigned flow, unsigned words, uint32_t address)
{
    uint64_t payload[512];
    sop(b);
    put_header(b, header_of(flow, 0, b->sequence[flow]++, words, address));
    for (unsigned i = 0; i < words; i++) {
        payload[i] = word_of(address, i);
        put(b, (uint32_t)(payload[i] >> 32), 0);
        put(b, (uint32_t)payload[i], 0);
    }
    put(b, crc_of_body(payload, words), 0);
}

void put_record(bench *b, unsigned flow, unsigned units)
{
    sop(b);
    put_header(b, (uint64_t)flow << 56 | units);
}

void put_credit(bench *b, uint16_t first, uint16_t second)
{
    sop(b);
    put(b, (uint32_t)first << 16 | second, 0);
    idle(b, 1);
}

void open_lane(bench *b, unsigned units)
{
    for (unsigned i = 0; i < 5000 && b->records < 2; i++) idle(b, 1);
    ck_assert_uint_eq(b->records, 2);
    put_credit(b, credit_of(0, units), credit_of(0, units));
}

int last_credit(const bench *b, unsigned flow)
{
    for (unsigned i = b->credits; i--;)
        if ((b->credit[i] >> 7 & 127u) == flow) return (b->credit[i] & 127) << 5;
    return -1;
}
