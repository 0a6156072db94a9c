/* A word damaged in external memory: what is in it is lost, and the receiver is told. */
#include "loss_bench.h"

enum { X = 3, OTHER = 5, PIECES = 20, WORDS = 4 * 62, MEMORY_WORDS = 4096 * 64 };

/* Which bits of a word are hit, and which word: of a header, of data, the last one of a transfer. */
static const struct {
    uint64_t data;
    uint8_t tag;
} hits[] = {{1, 0}, {1ull << 63, 0}, {1ull << 33, 0}, {0, 1}, {0, 2}, {0, 4}, {0, 8}};
enum { HITS = sizeof hits / sizeof hits[0] };

/* The first word at or behind `from` with these tag bits that is in use. */
static uint64_t find(loss *l, uint64_t from, uint8_t tag)
{
    for (uint64_t at = from; at < MEMORY_WORDS; at++) {
        uint8_t have;
        uint64_t word = external_get(l->n->external, at, &have);
        if (word && (have & 7) == tag) return at;
    }
    ck_abort_msg("no word with tag %x in external memory", tag);
    return 0;
}

static void damaged(loss *l, int variation)
{
    static const uint8_t tags[] = {0, 1, 2};
    unsigned hit = (unsigned)variation % HITS, kind = (unsigned)variation / HITS;
    ck_assert_int_eq(loss_notified(l, X, 62), 0);
    far_end_stop(l->p->far, X);
    loss_piece *first = NULL;
    for (unsigned i = 0; i < PIECES; i++) {
        loss_piece *p = loss_send(l, X, WORDS, i == PIECES - 1 ? NX_REMOTE : 0);
        if (!i) first = p;
    }
    loss_wait(l, 200 * SIM_US);
    ck_assert_uint_gt(loss_get(l, NIC_VOQ_LEVEL + 4 * X) >> 16, 0);
    uint64_t at = find(l, 300, tags[kind]);
    uint8_t tag;
    uint64_t word = external_get(l->n->external, at, &tag);
    external_put(l->n->external, at, word ^ hits[hit].data, (uint8_t)(tag ^ hits[hit].tag));
    far_end_go(l->p->far, X);
    loss_wait(l, 300 * SIM_US);
    unsigned missing = 0;
    for (unsigned i = 0; i < PIECES; i++) missing += !loss_arrived(l, first + i);
    ck_assert_msg(l->lies == 0, "%u pieces are damaged, the notification is good", missing);
    /* a bit that nobody looks at does no harm */
    if (missing && !l->flow[X].flagged) ck_assert_int_eq(loss_notified(l, X, 70), 1);
    ck_assert_int_eq(loss_notified(l, OTHER, 70), 0);
    ck_assert_int_eq(loss_notified(l, X, 70), 0);
    loss_prove(l);
}

START_TEST(a_word_damaged_in_external_memory)
{
    loss_run(NULL, damaged, _i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loss_memory");
    loss_case(suite, "memory", a_word_damaged_in_external_memory, 3 * HITS);
    return loss_main(suite);
}
