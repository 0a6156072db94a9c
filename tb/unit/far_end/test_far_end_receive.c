/* The link partner's receiver, with frames made by hand: each kind of error is caught and counted. */
#include <string.h>

#include "far_end_bench.h"
#include "test.h"

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
    start(NULL);
    b.lane = (unsigned)_i;
    idle(200);
    for (unsigned n = 0; n < 40; n++) {
        put_packet(n % 8, 1 + n * 7 % 62, 0x1000 * n);
        idle(n % 3);
    }
    idle(200);
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
}

TEST(flags_of_the_header_are_handed_on)
{
    start(NULL);
    idle(10);
    for (unsigned flags = 0; flags < 8; flags++) {
        struct frame f;
        frame_to(&f, header_of(2, flags, flags, 1, 0x80 * flags));
        put_frame(&f, f.words);
    }
    idle(100);
    ck_assert_uint_eq(b.deliveries, 8);
    for (unsigned flags = 0; flags < 8; flags++) {
        const far_end_packet *p = &b.delivered[flags].p;
        ck_assert_int_eq(p->remote_notify, flags >> 2 & 1);
        ck_assert_int_eq(p->local_notify, flags >> 1 & 1);
        ck_assert_int_eq(p->remote_interrupt, flags & 1);
        ck_assert_uint_eq(p->payload[0], word_of(0x80 * flags, 0));
    }
    ck_assert_uint_eq(far_end_wrong(b.f), 0);
}

/* ---- each kind of wrong frame, between good ones: the frame of a packet with something changed, and words by hand
 * behind it */

enum { ALL = 9999 };

#define COUNTER(name) offsetof(far_end_stats, name)
#define HEADER(flow, sequence, words)                                                                                  \
    ((uint64_t)(flow) << 56 | 1ull << 51 | (uint64_t)(sequence) << 42 | (uint64_t)(words) << 32 | 0x4000)
static const struct wrong {
    size_t counter;
    int delivered;
    int gap_after;   /* the next good packet is out of sequence */
    unsigned words;  /* of the frame that are sent */
    uint64_t header; /* 0: of a packet of four words to flow 1, the next of its sequence */
    unsigned next;   /* in the sequence behind it; 0: as delivered and gap_after say */
    unsigned word;   /* this word of the frame is changed in the bits `flip` */
    uint32_t flip;
    unsigned by_hand;
    struct {
        uint32_t data;
        unsigned k, not_in_table, loss_of_sync;
    } hand[3];
} wrongs[] = {
    {COUNTER(bad_sop), 0, 1, .words = ALL, .word = 0, .flip = 1},
    {COUNTER(bad_sop), 0, 0, .by_hand = 1, .hand = {{0xfb5abc5a, 10}}},
    {COUNTER(empty), 0, 0, .words = 1},
    {COUNTER(empty), 0, 0, .words = 2},
    {COUNTER(header_crc), 0, 1, .words = ALL, .word = 1, .flip = 0x40},
    {COUNTER(header_crc), 0, 1, .words = ALL, .word = 3, .flip = 0x10000}, /* upper half of the CRC's word */
    {COUNTER(fixed_bits), 1, 0, .words = ALL, .header = HEADER(1, 1, 4) ^ 1ull << 51},
    {COUNTER(fixed_bits), 1, 0, .words = ALL, .header = HEADER(1, 1, 2) | 1ull << 55},
    {COUNTER(length), 0, 1, .words = ALL, .header = HEADER(1, 1, 63)},
    {COUNTER(flow), 0, 0, .words = ALL, .header = HEADER(8, 0, 4)},
    {COUNTER(gaps), 1, 0, .words = ALL, .header = HEADER(1, 2, 4), .next = 3},
    {COUNTER(gaps), 1, 0, .words = ALL, .header = HEADER(1, 0, 4), .next = 1},
    {COUNTER(body_crc), 1, 0, .words = ALL, .word = 7, .flip = 0x100},
    {COUNTER(body_crc), 1, 0, .words = ALL, .word = 12, .flip = 1}, /* the CRC itself */
    {COUNTER(cut_short), 1, 0, .words = 4 + 5},
    {COUNTER(cut_short), 1, 0, .words = 4 + 8}, /* before the CRC */
    {COUNTER(stray), 1, 0, .words = ALL, .by_hand = 2, .hand = {{0x12345678, 0}, {0x12345678, 0}}},
    {COUNTER(stray), 0, 0, .by_hand = 1, .hand = {{0x00345678, 0}}},
    {COUNTER(malformed_credits), 0, 0, .by_hand = 3, .hand = {{SOP_WORD, SOP_K}, {0x80008000, 0}, {0x80008000, 0}}},
    {COUNTER(malformed_credits), 0, 0, .by_hand = 2, .hand = {{SOP_WORD, SOP_K}, {0x80018000, 0}}}, /* parity */
    {COUNTER(malformed_credits), 0, 0, .by_hand = 2, .hand = {{SOP_WORD, SOP_K}, {0x80000000, 0}}}, /* [15] */
    {COUNTER(rejected_credits), 0, 0, .by_hand = 2, .hand = {{SOP_WORD, SOP_K}, {0xc0808000, 0}}},  /* flow 1 */
    {COUNTER(rejected_credits), 0, 0, .by_hand = 2,
     .hand = {{SOP_WORD, SOP_K}, {0xc0018000, 0}}}, /* 32 units: none are sent */
    {COUNTER(repairs), 0, 0, .words = 4, .header = 1ull << 56 | (6 + 32)},
    {COUNTER(fixed_bits), 0, 0, .words = 4, .header = 1ull << 56 | 1ull << 20 | 6},
    {COUNTER(code_errors), 0, 0, .by_hand = 1, .hand = {{IDLE_WORD, IDLE_K, .not_in_table = 2}}},
    {COUNTER(sync_losses), 0, 0, .by_hand = 1, .hand = {{IDLE_WORD, IDLE_K, .loss_of_sync = 1}}},
};

TEST(each_kind_of_wrong_frame_is_caught, .to = COUNT(wrongs))
{
    const struct wrong *w = &wrongs[_i];
    start(NULL);
    bring_up();
    put_credit(0, 0);
    put_packet(1, 1, 0x100);
    idle(40);
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
    struct frame f;
    frame_to(&f, w->header ? w->header : HEADER(1, 1, 4));
    f.data[w->word] ^= w->flip;
    put_frame(&f, w->words);
    for (unsigned i = 0; i < w->by_hand; i++)
        put_flags(w->hand[i].data, w->hand[i].k, w->hand[i].not_in_table, w->hand[i].loss_of_sync);
    idle(200);
    uint64_t one;
    memcpy(&one, (const char *)far_end_get_stats(b.f) + w->counter, sizeof one);
    ck_assert_msg(one == 1 && far_end_wrong(b.f) == 1, "%lu of its kind, %lu in all; first: %s", (unsigned long)one,
                  (unsigned long)far_end_wrong(b.f), far_end_first_wrong(b.f));
    ck_assert_uint_eq(b.deliveries, 1 + (unsigned)w->delivered);
    if (w->delivered) {
        const seen *s = &b.delivered[1];
        ck_assert_int_eq(s->p.gap, w->counter == COUNTER(gaps));
        ck_assert_int_eq(s->p.damaged, w->counter == COUNTER(body_crc) || w->counter == COUNTER(cut_short));
        if (!s->p.damaged) must_be(s, 1, w->header ? w->header >> 32 & 1023 : 4, 0x4000);
    }
    /* the next one is received correctly */
    far_end_forgive(b.f);
    b.sequence[1] = w->next ? w->next : w->delivered || w->gap_after ? 2 : 1;
    put_packet(1, 5, 0x8000);
    idle(100);
    must_be(&b.delivered[b.deliveries - 1], 1, 5, 0x8000);
    ck_assert_uint_eq(far_end_wrong(b.f), (uint64_t)w->gap_after);
    ck_assert_int_eq(b.delivered[b.deliveries - 1].p.gap, w->gap_after);
}

/* A credit in a frame with a code error is not believed; the value it names would be right. */
TEST(a_credit_with_a_code_error_is_not_believed)
{
    start(NULL);
    bring_up();
    far_end_packet p = {.words = 1, .payload = (const uint64_t[]){5}};
    ck_assert_int_eq(far_end_send(b.f, &p, FAR_END_GOOD), 0);
    put(SOP_WORD, SOP_K);
    put_flags((uint32_t)credit_of(0, 0) << 16 | credit_of(0, 0), 0, 1, 0);
    idle(50);
    ck_assert_uint_eq(b.packets, 0);
    put_credit(0, 0);
    idle(50);
    ck_assert_uint_eq(b.packets, 1);
}

TEST(one_sequence_for_all_or_none_at_all, .to = 2)
{
    far_end_params p = far_end_params_default();
    p.one_sequence = _i == 0;
    p.sequence_zero = _i == 1;
    start(&p);
    idle(10);
    for (unsigned n = 0; n < 20; n++) {
        b.sequence[n % 8] = _i == 0 ? n : 0;
        put_packet(n % 8, 2, 64 * n);
    }
    idle(100);
    ck_assert_uint_eq(b.deliveries, 20);
    ck_assert_msg(!far_end_wrong(b.f), "%s", far_end_first_wrong(b.f));
    put_packet(0, 2, 0);
    ck_assert_uint_eq(far_end_get_stats(b.f)->gaps, 1);
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
