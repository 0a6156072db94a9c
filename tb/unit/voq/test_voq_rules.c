/* Each rule of voq_reference catches the fault it is there for; and the block itself reports what the engine must never do. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "voq_bench.h"

/* Faults, put between the block and the reference once, after some thousand clocks. */
static int late(const struct voq_bench *b)
{
    return b->ref.clock > 3000;
}

static int header(const struct voq_bench *b, const struct voq_output *o)
{
    return o->valid && late(b) && b->ref.packet_left == 0;
}

static int word(const struct voq_bench *b, const struct voq_output *o)
{
    return o->valid && late(b) && b->ref.packet_left > 1;
}

static int last_of_packet(const struct voq_bench *b, const struct voq_output *o)
{
    return header(b, o) && (o->marks & 4);
}

/* Does `what` to the output o of the bench b, or to the bench, when it is time. */
#define FAULT(name, when, what)                                                                                                            \
    static void name(struct voq_bench *b, struct voq_output *o)                                                                            \
    {                                                                                                                                      \
        (void)o;                                                                                                                           \
        if (when) what;                                                                                                                    \
    }                                                                                                                                      \
    _Static_assert(1, "a declaration to end with a semicolon")

FAULT(header_without_mark, header(b, o), o->marks &= ~1u);
FAULT(end_mark_too_early, word(b, o), o->marks |= 2);
FAULT(spoil_mark, word(b, o), o->marks |= 8);
FAULT(wrong_address, header(b, o), o->data ^= 0x100);
FAULT(wrong_length, header(b, o), o->data += 1ull << 32);
FAULT(reserved_bit, header(b, o), o->data |= 1ull << 55);
FAULT(packet_of_an_empty_queue, header(b, o), o->data &= ~(127ull << 56));

static int has_a_transfer(const struct voq_bench *b, unsigned q)
{
    for (unsigned i = b->ref.head[q]; i < b->ref.count[q]; i++)
        if (!b->ref.lists[q][i]->aborted && b->ref.lists[q][i]->sent < b->ref.lists[q][i]->length) return 1;
    return 0;
}

/* One that has a transfer of its own to send: else it is a packet of an empty queue. */
static void another_queue(struct voq_bench *b, struct voq_output *o)
{
    unsigned queue = o->data >> 56 & 127, other = queue == 1 ? 2 : queue ^ 1;
    if (header(b, o) && has_a_transfer(b, other)) o->data ^= (uint64_t)(queue ^ other) << 56;
}

FAULT(flag_before_the_last_packet, header(b, o) && !(o->marks & 4), o->data |= 1ull << 53);
FAULT(flag_missing, last_of_packet(b, o), o->data &= ~(7ull << 52));
FAULT(last_mark_missing, last_of_packet(b, o), o->marks &= ~4u);
FAULT(number_skipped, header(b, o), o->data = (o->data & ~(511ull << 42)) | (((o->data >> 42) + 1) & 511) << 42);

/* The transfer before has been aborted: the packet gets the number that should be skipped. */
static void gap_missing(struct voq_bench *b, struct voq_output *o)
{
    if (!o->valid || b->ref.packet_left) return;
    unsigned q = o->data >> 56 & 15;
    struct voq_transfer *t = b->ref.head[q] < b->ref.count[q] ? b->ref.lists[q][b->ref.head[q]] : NULL;
    if (t && t->aborted && t->sent == t->committed) o->data = (o->data & ~(511ull << 42)) | (((o->data >> 42) - 1) & 511) << 42;
}

FAULT(bit_flipped, word(b, o), o->data ^= 1ull << 63);
FAULT(words_swapped, word(b, o), o->data = voq_ref_word(b->ref.packet->id, b->ref.packet_at + 1));
FAULT(commit_hidden, late(b), b->told.commit = NULL);
FAULT(credit_hidden, late(b), b->told.credit = 0);
FAULT(less_capacity, late(b), b->ref.capacity = 100);
FAULT(start_with_17, header(b, o), o->count = 17);
FAULT(word_at_60, word(b, o), b->ref.count_before = 60);

static void pause_of_two(struct voq_bench *b, struct voq_output *o)
{
    if (late(b) && b->ref.packet_left > 3) {
        o->valid = 0;
        b->ref.count_before = 0;
    }
}

static void moved_too_often(struct voq_bench *b, struct voq_output *o)
{
    if (late(b) && !o->moved) {
        o->moved = 1;
        o->moved_queue = 3;
    }
}

FAULT(moved_missing, late(b), o->moved = 0);
FAULT(moved_of_another, late(b) && o->moved, o->moved_queue ^= 1);
FAULT(start_in_a_reset, late(b), voq_ref_reset(&b->ref));
FAULT(packet_after_a_reset, word(b, o), voq_ref_reset_done(&b->ref, 0, 0));
FAULT(more_room_than_there_is, late(b), b->room_lie = 1100);
FAULT(error_event, late(b), o->error = 1);
FAULT(few_reads, late(b), b->reads_most = 1);

static void memory_forgotten(struct voq_bench *b, struct voq_output *o)
{
    (void)o;
    if (b->ref.clock % 1000 == 0)
        for (unsigned i = 0; i < b->size.blocks * b->size.block_words; i++) b->memory[i].written = 0;
}

static const struct {
    const char *name;
    void (*spoil)(struct voq_bench *b, struct voq_output *o);
    enum voq_rule rule;
} faults[] = {
    {"nothing", NULL, VOQ_FINE},
    {"header without mark", header_without_mark, VOQ_FORM},
    {"end mark too early", end_mark_too_early, VOQ_FORM},
    {"spoil mark", spoil_mark, VOQ_FORM},
    {"wrong address", wrong_address, VOQ_HEADER},
    {"wrong length", wrong_length, VOQ_HEADER},
    {"reserved bit", reserved_bit, VOQ_HEADER},
    {"packet of an empty queue", packet_of_an_empty_queue, VOQ_ORDER},
    {"another queue", another_queue, VOQ_HEADER},
    {"flag before the last packet", flag_before_the_last_packet, VOQ_FLAGS},
    {"flag missing", flag_missing, VOQ_FLAGS},
    {"last mark missing", last_mark_missing, VOQ_FLAGS},
    {"number skipped", number_skipped, VOQ_SEQUENCE},
    {"bit flipped", bit_flipped, VOQ_DATA},
    {"words swapped", words_swapped, VOQ_DATA},
    {"commit hidden", commit_hidden, VOQ_VISIBLE},
    {"credit hidden", credit_hidden, VOQ_CREDIT},
    {"less capacity", less_capacity, VOQ_CREDIT},
    {"start with 17", start_with_17, VOQ_START},
    {"word at 60", word_at_60, VOQ_STOP},
    {"pause of two clocks", pause_of_two, VOQ_PACE},
    {"moved too often", moved_too_often, VOQ_MOVED},
    {"moved missing", moved_missing, VOQ_MOVED},
    {"moved of another queue", moved_of_another, VOQ_MOVED},
    {"start in a reset", start_in_a_reset, VOQ_RESET},
    {"packet after a reset", packet_after_a_reset, VOQ_RESET},
    {"more room than there is", more_room_than_there_is, VOQ_ROOM},
    {"error event", error_event, VOQ_ERROR},
};

TEST_CASE("rules", .timeout = 120);

TEST(each_rule_catches_its_fault, .to = COUNT(faults))
{
    struct voq_bench *b = voq_bench_new(20);
    b->queues_used = 0xfe;
    b->limit_most = 62;
    b->write_percent = 80;
    b->spoil = faults[_i].spoil;
    if (faults[_i].rule == VOQ_ROOM) b->credit_percent = 0;
    enum voq_rule broken = voq_bench_try(b, 20000);
    ck_assert_msg(broken == faults[_i].rule, "%s: rule '%s' (%s), expected '%s'", faults[_i].name, voq_rule_names[broken], b->ref.text,
                  voq_rule_names[faults[_i].rule]);
    voq_bench_free(b);
}

/* Rules about memory need bodies: four lanes stand still and their queues fill up, on chip and outside. Then the lanes go on, and before
 * what is on chip has left (8 x 1023 words, 40 in 100 clocks) the bodies are read. */
TEST(each_rule_about_memory_catches_its_fault, .to = 3)
{
    static void (*const spoils[])(struct voq_bench * b, struct voq_output * o) = {NULL, few_reads, memory_forgotten};
    struct voq_bench *b = voq_bench_new(21);
    voq_bench_body_limit(b, 4096);
    b->stopped = 0xf0;
    ck_assert_int_eq(voq_bench_try(b, 40000), VOQ_FINE);
    ck_assert_uint_lt(voq_bench_free_blocks(b), b->size.blocks);
    b->stopped = 0;
    b->spoil = spoils[_i];
    ck_assert_int_eq(voq_bench_try(b, 40000), _i ? VOQ_MEMORY : VOQ_FINE);
    voq_bench_free(b);
}

TEST(a_gap_that_is_missing_shows)
{
    struct voq_bench *b = voq_bench_new(22);
    b->fail_percent = 20;
    ck_assert_int_eq(voq_bench_try(b, 20000), VOQ_FINE);
    ck_assert_uint_gt(b->aborts, 0);
    b->spoil = gap_missing; /* what is inside now, with its gaps, has left after some 8 x 1023 words, 40 in 100 clocks */
    ck_assert_int_eq(voq_bench_try(b, 40000), VOQ_SEQUENCE);
    voq_bench_free(b);
}

TEST(what_does_not_come_out_is_lost)
{
    struct voq_bench *b = voq_bench_new(23);
    b->stopped = 8;
    b->transfers_wanted = 50;
    ck_assert_int_eq(voq_bench_try(b, 20000), VOQ_FINE);
    voq_ref_end(&b->ref);
    ck_assert_int_eq(b->ref.broken, VOQ_LOST);
    voq_bench_free(b);
}

/* ---- ev_overflow: the block's own report ---- */

static void words_without_a_piece(struct voq_bench *b, struct voq_output *o)
{
    (void)o;
    *b->p.voq_wr_valid = b->piece_count == 0 && late(b);
}

/* A piece is written longer than it was reserved. */
FAULT(longer_than_reserved, late(b) && *b->p.voq_reserve, *b->p.voq_reserve_words = 1);

/* Pieces are written that were reserved with too few words, until the ring is full. */
static void ring_too_full(struct voq_bench *b, struct voq_output *o)
{
    (void)o;
    if (late(b)) b->room_lie = 2000;
    if (*b->p.voq_reserve) *b->p.voq_reserve_words = 3;
}

TEST(the_block_reports_what_must_not_happen, .to = 3)
{
    static void (*const spoils[])(struct voq_bench * b, struct voq_output * o) = {words_without_a_piece, longer_than_reserved,
                                                                                  ring_too_full};
    struct voq_bench *b = voq_bench_new(24);
    if (spoils[_i] == words_without_a_piece) b->transfers_wanted = 10;
    b->body_limit = 1; /* no judgement of the room by the bench; the block has its limit 0 */
    b->spoil = spoils[_i];
    ck_assert_int_eq(voq_bench_try(b, 30000), VOQ_ERROR);
    voq_bench_free(b);
}
