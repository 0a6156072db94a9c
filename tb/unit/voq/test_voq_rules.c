/* Each rule of voq_reference catches its fault; and the module itself reports forbidden actions of the engine. */
#include "voq_bench.h"

/* Faults, put between the block and the reference once, after some thousand clocks. */
static int late(const struct voq_bench *b) { return b->ref.clock > 3000; }

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

/* A fault of the output o of the bench b, or of the bench, and the rule that must catch it. */
typedef void corruption(struct voq_bench *b, struct voq_output *o);
static struct fault {
    const char *name;
    corruption *corrupt;
    enum voq_rule rule;
} faults[40] = {{"nothing", NULL, VOQ_FINE}};
static int fault_count = 1;

/* One that no rule of this list catches; a row of the list; */
#define SPOILER(name)                                                                                                  \
    static void name(__attribute__((unused)) struct voq_bench *b, __attribute__((unused)) struct voq_output *o)
#define FAULT(rule, name)                                                                                              \
    static corruption name;                                                                                            \
    __attribute__((constructor)) static void name##_add(void)                                                          \
    {                                                                                                                  \
        faults[fault_count++] = (struct fault){#name, name, rule};                                                     \
    }                                                                                                                  \
    SPOILER(name)
/* ... a row that does `what` at its time. */
#define FAULT_WHEN(rule, name, when, what)                                                                             \
    FAULT(rule, name)                                                                                                  \
    {                                                                                                                  \
        if (when) what;                                                                                                \
    }                                                                                                                  \
    _Static_assert(1, "a declaration to end with a semicolon")

FAULT_WHEN(VOQ_FORM, header_without_mark, header(b, o), o->marks &= ~1u);
FAULT_WHEN(VOQ_FORM, end_mark_too_early, word(b, o), o->marks |= 2);
FAULT_WHEN(VOQ_FORM, corrupt_mark, word(b, o), o->marks |= 8);
FAULT_WHEN(VOQ_HEADER, wrong_address, header(b, o), o->data ^= 0x100);
FAULT_WHEN(VOQ_HEADER, wrong_length, header(b, o), o->data += 1ull << 32);
FAULT_WHEN(VOQ_HEADER, reserved_bit, header(b, o), o->data |= 1ull << 55);
FAULT_WHEN(VOQ_ORDER, packet_of_an_empty_queue, header(b, o), o->data &= ~(127ull << 56));

static int has_a_transfer(const struct voq_bench *b, unsigned q)
{
    for (unsigned i = b->ref.head[q]; i < b->ref.count[q]; i++)
        if (!b->ref.lists[q][i]->aborted && b->ref.lists[q][i]->sent < b->ref.lists[q][i]->length) return 1;
    return 0;
}

/* One that has a transfer of its own to send: else it is a packet of an empty queue. */
FAULT(VOQ_HEADER, another_queue)
{
    unsigned queue = o->data >> 56 & 127, other = queue == 1 ? 2 : queue ^ 1;
    if (header(b, o) && has_a_transfer(b, other)) o->data ^= (uint64_t)(queue ^ other) << 56;
}

FAULT_WHEN(VOQ_FLAGS, flag_before_the_last_packet, header(b, o) && !(o->marks & 4), o->data |= 1ull << 53);
FAULT_WHEN(VOQ_FLAGS, flag_missing, last_of_packet(b, o), o->data &= ~(7ull << 52));
FAULT_WHEN(VOQ_FLAGS, last_mark_missing, last_of_packet(b, o), o->marks &= ~4u);
FAULT_WHEN(VOQ_SEQUENCE, number_skipped, header(b, o),
           o->data = (o->data & ~(511ull << 42)) | (((o->data >> 42) + 1) & 511) << 42);

/* The transfer before has been aborted: the packet gets the number that should be skipped. */
SPOILER(gap_missing)
{
    if (!o->valid || b->ref.packet_left) return;
    unsigned q = o->data >> 56 & 15;
    struct voq_transfer *t = b->ref.head[q] < b->ref.count[q] ? b->ref.lists[q][b->ref.head[q]] : NULL;
    if (t && t->aborted && t->sent == t->committed)
        o->data = (o->data & ~(511ull << 42)) | (((o->data >> 42) - 1) & 511) << 42;
}

FAULT_WHEN(VOQ_DATA, bit_flipped, word(b, o), o->data ^= 1ull << 63);
FAULT_WHEN(VOQ_DATA, words_swapped, word(b, o), o->data = voq_ref_word(b->ref.packet->id, b->ref.packet_at + 1));
FAULT_WHEN(VOQ_VISIBLE, commit_hidden, late(b), b->given.commit = NULL);
FAULT_WHEN(VOQ_CREDIT, credit_hidden, late(b), b->given.credit = 0);
FAULT_WHEN(VOQ_CREDIT, less_capacity, late(b), b->ref.capacity = 100);

/* The block does not get the credits of a lane that the reference gets. */
FAULT(VOQ_TURN, queue_passed)
{
    struct voq_lane *l = &b->ref.lanes[3];
    b->drain_percent = 100;
    b->limit_most = 10;
    b->stopped = 8;
    if (late(b)) l->seen = 1, l->last = l->sent >> 5;
}

FAULT_WHEN(VOQ_START, start_with_17, header(b, o), o->count = 17);
FAULT_WHEN(VOQ_STOP, word_at_60, word(b, o), b->ref.count_before = 60);

FAULT(VOQ_PACE, pause_of_two)
{
    if (late(b) && b->ref.packet_left > 3) {
        o->valid = 0;
        b->ref.count_before = 0;
    }
}

FAULT(VOQ_MOVED, moved_too_often)
{
    if (late(b) && !o->moved) {
        o->moved = 1;
        o->moved_queue = 3;
    }
}

FAULT_WHEN(VOQ_MOVED, moved_missing, late(b), o->moved = 0);
FAULT_WHEN(VOQ_MOVED, moved_of_another, late(b) && o->moved, o->moved_queue ^= 1);
FAULT_WHEN(VOQ_RESET, start_in_a_reset, late(b), b->ref.resetting = 1);
FAULT_WHEN(VOQ_RESET, packet_after_a_reset, word(b, o), voq_ref_reset_done(&b->ref, 0, 0));
FAULT_WHEN(VOQ_ROOM, more_room_than_there_is, late(b), b->room_lie = 1100);
FAULT_WHEN(VOQ_ERROR, error_event, late(b), o->error = 1);

SPOILER(few_reads)
{
    if (late(b)) b->reads_most = 1;
}

SPOILER(memory_forgotten)
{
    if (b->ref.clock % 1000 == 0)
        for (unsigned i = 0; i < b->size.blocks * b->size.block_words; i++) b->memory[i].written = 0;
}

TEST_CASE("rules", .timeout = 120);

TEST(each_rule_catches_its_fault, .to = fault_count)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 20);
    b->queues_used = 0xfe;
    b->limit_most = 62;
    b->write_percent = 80;
    b->corrupt = faults[_i].corrupt;
    if (faults[_i].rule == VOQ_ROOM) b->credit_percent = 0;
    enum voq_rule broken = voq_bench_try(b, 20000);
    ck_assert_msg(broken == faults[_i].rule, "%s: rule '%s' (%s), expected '%s'", faults[_i].name,
                  voq_rule_names[broken], b->ref.text, voq_rule_names[faults[_i].rule]);
}

/* Rules about memory need bodies: four virtual channels stop and their queues fill up, on chip and outside. Then they
 * go on, and before the words on chip have left (8 x 1023 words, 40 in 100 clocks) the bodies are read. */
TEST(each_rule_about_memory_catches_its_fault, .to = 3)
{
    static corruption *const corruptions[] = {NULL, few_reads, memory_forgotten};
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 21);
    voq_bench_body_limit(b, 4096);
    b->stopped = 0xf0;
    ck_assert_int_eq(voq_bench_try(b, 40000), VOQ_FINE);
    ck_assert_uint_lt(voq_bench_free_blocks(b), b->size.blocks);
    b->stopped = 0;
    b->corrupt = corruptions[_i];
    ck_assert_int_eq(voq_bench_try(b, 40000), _i ? VOQ_MEMORY : VOQ_FINE);
}

TEST(a_gap_that_is_missing_shows)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 22);
    b->fail_percent = 20;
    ck_assert_int_eq(voq_bench_try(b, 20000), VOQ_FINE);
    ck_assert_uint_gt(b->aborts, 0);
    b->corrupt = gap_missing; /* the packets inside now, with their gaps, have left after some 8 x 1023 words, 40 in 100
                                 clocks */
    ck_assert_int_eq(voq_bench_try(b, 40000), VOQ_SEQUENCE);
}

TEST(what_does_not_come_out_is_lost)
{
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 23);
    b->stopped = 8;
    b->transfers_wanted = 50;
    ck_assert_int_eq(voq_bench_try(b, 20000), VOQ_FINE);
    voq_ref_end(&b->ref);
    ck_assert_int_eq(b->ref.broken, VOQ_LOST);
}

/* ---- ev_overflow: the block's own report ---- */

SPOILER(words_without_a_piece) { *b->p.voq_wr_valid = b->piece_count == 0 && late(b); }

/* A piece is written longer than it was reserved. */
SPOILER(longer_than_reserved)
{
    if (late(b) && *b->p.voq_reserve) *b->p.voq_reserve_words = 1;
}

/* Pieces are written that were reserved with too few words, until the ring is full. */
SPOILER(ring_too_full)
{
    if (late(b)) b->room_lie = 2000;
    if (*b->p.voq_reserve) *b->p.voq_reserve_words = 3;
}

TEST(the_block_reports_what_must_not_happen, .to = 3)
{
    static corruption *const corruptions[] = {words_without_a_piece, longer_than_reserved, ring_too_full};
    struct voq_bench *b = voq_bench_new(VOQ_DEFAULT, 24);
    if (corruptions[_i] == words_without_a_piece) b->transfers_wanted = 10;
    b->body_limit = 1; /* the bench does not check the room; the module has its limit 0 */
    b->corrupt = corruptions[_i];
    ck_assert_int_eq(voq_bench_try(b, 30000), VOQ_ERROR);
}
