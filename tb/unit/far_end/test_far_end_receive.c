/* What the far end makes of a NIC's frames, frames made by hand: each kind of wrong one is caught, and counted as what it is. */
#include <string.h>

#include "far_end_bench.h"
#include "test.h"

static bench b;

static void must_be(const seen *s, unsigned flow, unsigned words, uint32_t address)
{
    ck_assert_uint_eq(s->p.flow, flow);
    ck_assert_uint_eq(s->p.words, words);
    ck_assert_uint_eq(s->p.address, address);
    for (unsigned i = 0; i < words; i++) ck_assert_uint_eq(s->payload[i], word_of(address, i));
}

TEST_CASE("receive");

TEST(packets_reach_their_destinations_in_any_byte_lane, .to = 4)
{
    bench_start(&b, NULL);
    b.lane = (unsigned)_i;
    idle(&b, 200);
    for (unsigned n = 0; n < 40; n++) {
        put_packet(&b, n % 8, 1 + n * 7 % 62, 0x1000 * n);
        idle(&b, n % 3);
    }
    idle(&b, 200);
    ck_assert_uint_eq(b.deliveries, 40);
    unsigned count[8] = {0};
    for (unsigned k = 0; k < 40; k++) {
        const seen *s = &b.delivered[k];
        unsigned n = s->p.flow + 8 * count[s->p.flow]++;
        must_be(s, n % 8, 1 + n * 7 % 62, 0x1000 * n);
        ck_assert_uint_eq(s->p.sequence, n / 8);
        ck_assert(!s->p.gap && !s->p.damaged);
    }
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
    bench_end(&b);
}

TEST(flags_of_the_header_are_handed_on)
{
    uint64_t payload = 0x0123456789abcdef;
    bench_start(&b, NULL);
    idle(&b, 10);
    for (unsigned flags = 0; flags < 8; flags++) {
        sop(&b);
        put_header(&b, header_of(2, flags, flags, 1, 0x80 * flags));
        put(&b, 0x01234567, 0);
        put(&b, 0x89abcdef, 0);
        put(&b, crc_of_body(&payload, 1), 0);
    }
    idle(&b, 100);
    ck_assert_uint_eq(b.deliveries, 8);
    for (unsigned flags = 0; flags < 8; flags++) {
        const far_end_packet *p = &b.delivered[flags].p;
        ck_assert_int_eq(p->remote_notify, flags >> 2 & 1);
        ck_assert_int_eq(p->local_notify, flags >> 1 & 1);
        ck_assert_int_eq(p->remote_interrupt, flags & 1);
        ck_assert_uint_eq(p->payload[0], payload);
    }
    ck_assert_uint_eq(far_end_wrong(b.f), 0);
    bench_end(&b);
}

/* ---- each kind of wrong frame, between good ones */

static void body(uint32_t address, unsigned words, unsigned flip_at, uint32_t crc_flip, unsigned count)
{
    uint64_t payload[64] = {0};
    for (unsigned i = 0; i < words; i++) payload[i] = word_of(address, i);
    uint32_t crc = crc_of_body(payload, words);
    for (unsigned i = 0; i < 2 * words && i < count; i++)
        put(&b, (uint32_t)(i & 1 ? payload[i / 2] : payload[i / 2] >> 32) ^ (i == flip_at ? 0x100 : 0), 0);
    if (count > 2 * words) put(&b, crc ^ crc_flip, 0);
}
enum { NOWHERE = 9999, ALL = 9999 };

static void bad_sop(void)
{
    put(&b, 0xfb5aa55b, 8);
    put_header(&b, header_of(1, 0, 1, 4, 0x4000));
    body(0x4000, 4, NOWHERE, 0, ALL);
}
static void k_in_sop(void)
{
    put(&b, 0xfb5abc5a, 10);
    idle(&b, 1);
}
static void empty_frame(void)
{
    sop(&b);
    idle(&b, 1);
}
static void half_header(void)
{
    sop(&b);
    put(&b, (uint32_t)(header_of(1, 0, 1, 4, 0) >> 32), 0);
    idle(&b, 1);
}
static void header_bit(void)
{
    uint64_t header = header_of(1, 0, 1, 4, 0x4000);
    sop(&b);
    put(&b, (uint32_t)(header >> 32) ^ 0x40, 0);
    put(&b, (uint32_t)header, 0);
    put(&b, crc_of_header(header), 0);
    body(0x4000, 4, NOWHERE, 0, ALL);
}
static void crc_upper_half(void)
{
    uint64_t header = header_of(1, 0, 1, 4, 0x4000);
    sop(&b);
    put(&b, (uint32_t)(header >> 32), 0);
    put(&b, (uint32_t)header, 0);
    put(&b, crc_of_header(header) | 0x10000, 0);
    body(0x4000, 4, NOWHERE, 0, ALL);
}
static void packet(uint64_t header, unsigned flip_at, uint32_t crc_flip, unsigned count)
{
    sop(&b);
    put_header(&b, header);
    body((uint32_t)header, (unsigned)(header >> 32 & 63), flip_at, crc_flip, count);
}
static void fixed_51(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000) & ~(1ull << 51), NOWHERE, 0, ALL);
}
static void fixed_55(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000) | 1ull << 55, NOWHERE, 0, ALL);
}
static void too_long(void)
{
    uint64_t header = header_of(1, 0, 1, 63, 0x4000);
    packet(header, NOWHERE, 0, ALL);
}
static void no_such_flow(void)
{
    packet(header_of(8, 0, 0, 4, 0x4000), NOWHERE, 0, ALL);
}
static void gap(void)
{
    packet(header_of(1, 0, 2, 4, 0x4000), NOWHERE, 0, ALL);
}
static void repeated(void)
{
    packet(header_of(1, 0, 0, 4, 0x4000), NOWHERE, 0, ALL);
}
static void body_bit(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000), 3, 0, ALL);
}
static void body_crc(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000), NOWHERE, 1, ALL);
}
static void cut(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000), NOWHERE, 0, 5);
}
static void cut_before_crc(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000), NOWHERE, 0, 8);
}
static void surplus(void)
{
    packet(header_of(1, 0, 1, 4, 0x4000), NOWHERE, 0, ALL);
    put(&b, 0x12345678, 0);
    put(&b, 0x12345678, 0);
}
static void stray(void)
{
    idle(&b, 1);
    put(&b, 0x00345678, 0);
}
static void two_credit_words(void)
{
    sop(&b);
    put(&b, 0x80008000, 0);
    put(&b, 0x80008000, 0);
}
static void credit_parity(void)
{
    put_credit(&b, credit_of(0, 0) ^ 1, credit_of(0, 0));
}
static void credit_mark(void)
{
    put_credit(&b, credit_of(0, 0), credit_of(0, 0) & 0x7fff);
}
static void credit_flow(void)
{
    put_credit(&b, credit_of(1, 0), credit_of(0, 0));
}
static void credit_beyond(void)
{
    put_credit(&b, credit_of(0, 32), credit_of(0, 0)); /* nothing has been transmitted */
}
static void record_other(void)
{
    put_record(&b, 1, 6 + 32);
}
static void record_bits(void)
{
    sop(&b);
    put_header(&b, 1ull << 56 | 1ull << 20 | 6);
}
static void bad_character(void)
{
    put_flags(&b, 0xbcbcbcbc, 15, 2, 0);
}
static void lost_sync(void)
{
    put_flags(&b, 0xbcbcbcbc, 15, 0, 1);
}

#define COUNTER(name) offsetof(far_end_stats, name)
static const struct wrong {
    void (*make)(void);
    size_t counter;
    int delivered;
    int gap_after; /* the next good packet is out of sequence */
} wrongs[] = {
    {bad_sop, COUNTER(bad_sop), 0, 1},
    {k_in_sop, COUNTER(bad_sop), 0, 0},
    {empty_frame, COUNTER(empty), 0, 0},
    {half_header, COUNTER(empty), 0, 0},
    {header_bit, COUNTER(header_crc), 0, 1},
    {crc_upper_half, COUNTER(header_crc), 0, 1},
    {fixed_51, COUNTER(fixed_bits), 1, 0},
    {fixed_55, COUNTER(fixed_bits), 1, 0},
    {too_long, COUNTER(length), 0, 1},
    {no_such_flow, COUNTER(flow), 0, 0},
    {gap, COUNTER(gaps), 1, 0},
    {repeated, COUNTER(gaps), 1, 0},
    {body_bit, COUNTER(body_crc), 1, 0},
    {body_crc, COUNTER(body_crc), 1, 0},
    {cut, COUNTER(cut_short), 1, 0},
    {cut_before_crc, COUNTER(cut_short), 1, 0},
    {surplus, COUNTER(stray), 1, 0},
    {stray, COUNTER(stray), 0, 0},
    {two_credit_words, COUNTER(malformed_credits), 0, 0},
    {credit_parity, COUNTER(malformed_credits), 0, 0},
    {credit_mark, COUNTER(malformed_credits), 0, 0},
    {credit_flow, COUNTER(rejected_credits), 0, 0},
    {credit_beyond, COUNTER(rejected_credits), 0, 0},
    {record_other, COUNTER(repairs), 0, 0},
    {record_bits, COUNTER(fixed_bits), 0, 0},
    {bad_character, COUNTER(code_errors), 0, 0},
    {lost_sync, COUNTER(sync_losses), 0, 0},
};

TEST(each_kind_of_wrong_frame_is_caught, .to = COUNT(wrongs))
{
    const struct wrong *w = &wrongs[_i];
    bench_start(&b, NULL);
    open_lane(&b, 0);
    put_packet(&b, 1, 1, 0x100);
    idle(&b, 40);
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
    w->make();
    idle(&b, 200);
    uint64_t one;
    memcpy(&one, (const char *)far_end_get_stats(b.f) + w->counter, sizeof one);
    ck_assert_msg(one == 1 && far_end_wrong(b.f) == 1, "%lu of its kind, %lu in all; first: %s", (unsigned long)one,
                  (unsigned long)far_end_wrong(b.f), far_end_first_wrong(b.f));
    ck_assert_uint_eq(b.deliveries, 1 + (unsigned)w->delivered);
    if (w->delivered) {
        const seen *s = &b.delivered[1];
        ck_assert_int_eq(s->p.gap, w->counter == COUNTER(gaps));
        ck_assert_int_eq(s->p.damaged, w->counter == COUNTER(body_crc) || w->counter == COUNTER(cut_short));
        if (!s->p.damaged) must_be(s, 1, 4, 0x4000);
    }
    /* the next one is taken for what it is */
    far_end_forgive(b.f);
    b.sequence[1] = w->make == gap ? 3 : w->make == repeated ? 1 : w->delivered || w->gap_after ? 2 : 1;
    put_packet(&b, 1, 5, 0x8000);
    idle(&b, 100);
    must_be(&b.delivered[b.deliveries - 1], 1, 5, 0x8000);
    ck_assert_uint_eq(far_end_wrong(b.f), (uint64_t)w->gap_after);
    ck_assert_int_eq(b.delivered[b.deliveries - 1].p.gap, w->gap_after);
    bench_end(&b);
}

/* A credit in a frame with a code error is not believed; the value it names would be right. */
TEST(a_credit_with_a_code_error_is_not_believed)
{
    bench_start(&b, NULL);
    for (unsigned i = 0; i < 5000 && b.records < 2; i++) idle(&b, 1);
    far_end_packet p = {.words = 1, .payload = (const uint64_t[]){5}};
    ck_assert_int_eq(far_end_send(b.f, &p, FAR_END_GOOD), 0);
    sop(&b);
    put_flags(&b, (uint32_t)credit_of(0, 0) << 16 | credit_of(0, 0), 0, 1, 0);
    idle(&b, 50);
    ck_assert_uint_eq(b.packets, 0);
    put_credit(&b, credit_of(0, 0), credit_of(0, 0));
    idle(&b, 50);
    ck_assert_uint_eq(b.packets, 1);
    bench_end(&b);
}

TEST(one_sequence_for_all_or_none_at_all, .to = 2)
{
    far_end_params p = far_end_params_default();
    p.one_sequence = _i == 0;
    p.sequence_zero = _i == 1;
    bench_start(&b, &p);
    idle(&b, 10);
    for (unsigned n = 0; n < 20; n++) {
        b.sequence[n % 8] = _i == 0 ? n : 0;
        put_packet(&b, n % 8, 2, 64 * n);
    }
    idle(&b, 100);
    ck_assert_uint_eq(b.deliveries, 20);
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
    put_packet(&b, 0, 2, 0);
    ck_assert_uint_eq(far_end_get_stats(b.f)->gaps, 1);
    bench_end(&b);
}

TEST(parameters_out_of_range_are_refused, .to = 6)
{
    static const size_t field[] = {offsetof(far_end_params, destinations),  offsetof(far_end_params, units),
                                   offsetof(far_end_params, longest),       offsetof(far_end_params, nic_units),
                                   offsetof(far_end_params, record_period), offsetof(far_end_params, idle_words)};
    far_end_params p = far_end_params_default();
    unsigned zero = 0;
    memcpy((char *)&p + field[_i], &zero, sizeof zero);
    ck_assert_ptr_null(far_end_new(&p, NULL, NULL));
}
