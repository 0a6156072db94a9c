/* The observer is fed each fault that it must find: pins of a run without one, of which one lies. */
#include <string.h>

#include "coherent_bench.h"

TEST_CASE("observer", .timeout = 60);

/* What it sees in place of the pins. */
typedef struct liar {
    coherent_bench *b;
    observer *o;
    observer_pins true_pins;
    uint32_t rddbus[4];
    uint64_t ni_in_data;
    uint8_t answer_supplies, answer_dirty, answer_has, snoop_done, ni_out_mask;
    int what;
    uint64_t from, words[MEMORY_WORDS];
} liar;

enum { LOADS, INTERFACE, OWNS, HOLDS, FORGETS, MERGES, MASK, MEMORY, TIME, LIES };

static void lie(void *self)
{
    liar *l = self;
    const observer_pins *p = &l->true_pins;
    int now = l->b->now > l->from;
    memcpy(l->rddbus, p->rddbus, sizeof l->rddbus);
    l->ni_in_data = *p->ni_in_data;
    l->answer_supplies = *p->answer_supplies;
    l->answer_dirty = *p->answer_dirty;
    l->answer_has = *p->answer_has;
    l->snoop_done = *p->snoop_done;
    l->ni_out_mask = *p->ni_out_mask;
    if (!now) return;
    if (l->what == LOADS) l->rddbus[0] ^= 1, l->rddbus[1] ^= 1, l->rddbus[2] ^= 1, l->rddbus[3] ^= 1;
    if (l->what == INTERFACE) l->ni_in_data ^= 1ull << 40;
    if (l->what == OWNS) l->answer_supplies = l->answer_has;
    if (l->what == HOLDS) l->answer_has = 3;
    if (l->what == FORGETS) l->answer_dirty = 0;
    if (l->what == MERGES) l->snoop_done = 0; /* an UPDATE that never ends */
    if (l->what == MASK) l->ni_out_mask = 0xff;
}

static uint64_t peek(void *memory, uint64_t word) { return ((uint64_t *)memory)[word % MEMORY_WORDS]; }

static int accesses(coherent_bench *b, unsigned c, plb_access *a)
{
    *a = (plb_access){.address = at(below(b, 4), 4 * below(b, 8)), .write = (int)below(b, 2), .be = 0xff};
    a->data[0] = sim_random(b->s) | c;
    return 1;
}

static int requests(coherent_bench *b, ni_request *r)
{
    static const uint8_t kinds[] = {OBSERVER_READ, OBSERVER_READ_ONCE, OBSERVER_UPDATE};
    if (below(b, 40)) return 0;
    *r = (ni_request){.kind = kinds[below(b, 3)], .line = place(below(b, 4)), .last = 3};
    if (r->kind == OBSERVER_UPDATE) r->last = below(b, 4);
    for (unsigned w = 0; w < 4; w++) r->data[w] = sim_random(b->s), r->mask[w] = 0x0f;
    return 1;
}

CLEANUP(observer_free);

static const observer_rule found_by[LIES] = {OBSERVER_VALUE, OBSERVER_VALUE, OBSERVER_OWNER,
                                             OBSERVER_OWNER, OBSERVER_LOST,  OBSERVER_HALF,
                                             OBSERVER_VALUE, OBSERVER_TRUTH, OBSERVER_WAITS};

TEST(each_lie_is_found_by_its_rule, .to = LIES + 1)
{
    coherent_bench *b = coherent_bench_new(&coherent_memory_4_config, 30 + (unsigned)_i);
    liar *l = test_memory(sizeof *l);
    l->b = b;
    l->what = _i;
    l->from = b->now + 500;
    l->true_pins = (observer_pins)OBSERVER_PINS(b->p);
    memcpy(l->words, b->words, sizeof l->words);
    observer_pins pins = l->true_pins;
    pins.rddbus = l->rddbus;
    pins.ni_in_data = &l->ni_in_data;
    pins.answer_supplies = &l->answer_supplies;
    pins.answer_dirty = &l->answer_dirty;
    pins.answer_has = &l->answer_has;
    pins.snoop_done = &l->snoop_done;
    pins.ni_out_mask = &l->ni_out_mask;
    sim_clock_attach(b->clock, lie, NULL, l);
    l->o = observer_new(b->s, b->clock, &pins, peek, _i == MEMORY ? l->words : b->words);
    after_test(observer_free_cleanup, l->o);
    observer_quiet(l->o);
    observer_bound(l->o, _i == TIME ? 3 : 2000);
    b->next = accesses;
    b->next_request = requests;
    coherent_bench_run(b, 3000, 200000);
    observer_check_memory(l->o);
    const char *text;
    observer_rule rule = observer_violation(l->o, &text), expected = _i == LIES ? OBSERVER_FINE : found_by[_i];
    ck_assert_msg(rule == expected, "rule %d, expected %d: %s", rule, expected, text);
}
