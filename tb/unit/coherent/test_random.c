/* Both processors and the network interface at random on few lines, with the observer on all of it; each field of the
 * table state x request x own request under way is ticked off. */
#include <stdio.h>
#include <string.h>

#include "coherent_bench.h"
#include "coherent_memory_4_1.h"

TEST_CASE("random", .timeout = 120);

static unsigned lines, pressure; /* in use; of the network interface: a request in so many clocks */

/* An access makes three requests at most (evicts, reads, updates). Each waits for 10 broadcasts of others at most,
 * which last 13 clocks and move 8 words to memory, and for four lines that are being read (rtl/coherent/README.md). */
static uint64_t worst(const coherent_bench *b)
{
    unsigned word = (100 + b->ready_percent - 1) / b->ready_percent;
    return 3 * (10 * (5 + 8 * word) + 4 * (b->latency + 4 * word));
}

static int random_access(coherent_bench *b, unsigned c, plb_access *a)
{
    unsigned what = below(b, 100), size = below(b, 3), word = below(b, 8);
    if (below(b, 4) == 0) b->cpu[c].pause = below(b, pressure == 1 ? 6 : 30);
    a->address = at(below(b, lines), word * 4);
    a->be = (uint8_t)(word & 1 ? 0x0f : 0xf0);
    if (size == 1) a->be &= below(b, 2) ? 0xcc : 0x33;
    if (size == 2) a->be &= (uint8_t)(0x11 << below(b, 4));
    for (unsigned i = 0; i < 4; i++) a->data[i] = sim_random(b->s);
    a->write = what >= 45;
    if (what >= 90) {
        a->write = 0;
        a->be = (uint8_t)(word & 1 ? 0x0f : 0xf0);
        a->address += below(b, 2) ? 0x10000000 : 0x20000000;
    } else if (what >= 86) {
        a->line = 1;
        a->address &= ~31u;
        a->write = (int)below(b, 2);
        a->be = 0xff;
    }
    if (below(b, 20) == 0) a->cancel = 1 + (int)below(b, 6);
    return 1;
}

static int random_request(coherent_bench *b, ni_request *r)
{
    static const uint8_t kinds[] = {OBSERVER_READ,   OBSERVER_READ_ONCE, OBSERVER_UPDATE,          OBSERVER_UPDATE,
                                    OBSERVER_UPDATE, OBSERVER_UPDATE,    OBSERVER_INVALIDATE_WRITE};
    if (below(b, pressure)) return 0;
    r->kind = kinds[below(b, COUNT(kinds))];
    r->line = place(below(b, lines));
    r->word = below(b, 4);
    r->last = r->kind == OBSERVER_UPDATE || r->kind == OBSERVER_INVALIDATE_WRITE ? below(b, 4) : 3;
    r->allocate = r->kind == OBSERVER_UPDATE && below(b, 2);
    r->cache = below(b, 2);
    int all = below(b, 2) == 0;
    if (all) r->last = 3;
    for (unsigned i = 0; i <= r->last; i++) {
        unsigned w = (r->word + i) & 3;
        r->data[w] = sim_random(b->s);
        r->mask[w] = all ? 0xff : (uint8_t)sim_random(b->s);
    }
    return 1;
}

/* Fields that no run can have, since what the cache asks for fits its state. Three more would need two broadcasts of
 * the same line by the other cache while the WRITEBACK waits; the arbiter's turns put it between them. */
static int possible(unsigned state, unsigned kind, unsigned under_way)
{
    enum { I, S, E, M };
    switch (under_way) {
    case 0:
        return 1;
    case 1 + OBSERVER_READ:
    case 1 + OBSERVER_READ_EXCLUSIVE:
        return state == I;
    case 1 + OBSERVER_WRITEBACK:
        return state == M || (state != E && kind != OBSERVER_UPGRADE && (state == I || kind != OBSERVER_WRITEBACK));
    default:
        return state == I || state == S; /* UPGRADE, UPDATE: it was S, and may be lost */
    }
}

static void run(const sim_config *config, unsigned seed, uint64_t accesses, coherent_bench *all)
{
    coherent_bench *b = coherent_bench_new(config, seed);
    *b->p->range_enable = seed & 3;
    *b->p->range_base = (uint64_t)place(2) << 23 | place(4);
    *b->p->range_last = (uint64_t)place(3) << 23 | place(6);
    lines = seed % 3 ? LINES : 2 + seed / 3 % 2;
    pressure = seed % 3 ? 12 : 1;
    if (seed % 5 == 0) b->latency = 40, b->ready_percent = 40;
    if (seed % 5 == 1) b->latency = 1, b->ready_percent = 100;
    observer_bound(b->o, worst(b));
    b->next = random_access;
    b->next_request = random_request;
    coherent_bench_run(b, accesses, accesses * 100);
    coherent_bench_check(b);
    for (unsigned c = 0; c < 2; c++)
        for (unsigned i = 0; i < 4 * TABLE_KINDS * TABLE_UNDER_WAY; i++)
            (&all->ticked[c][0][0][0])[i] += (&b->ticked[c][0][0][0])[i];
    clean_up();
}

TEST(accesses_of_three_agents_are_one_order, .to = 8)
{
    static coherent_bench all;
    run(_i & 1 ? &coherent_memory_4_1_config : &coherent_memory_4_config, (unsigned)_i,
        (uint64_t)long_runs(1300, 125000), &all);
}

TEST(each_state_meets_each_request)
{
    static coherent_bench all;
    char missing[2048] = "";
    unsigned fields = 0, ticked = 0;
    for (unsigned i = 0; i < 24; i++)
        run(i & 1 ? &coherent_memory_4_1_config : &coherent_memory_4_config, 102 + 3 * i, 20000, &all);
    for (unsigned s = 0; s < 4; s++)
        for (unsigned k = 0; k < TABLE_KINDS; k++)
            for (unsigned u = 0; u < TABLE_UNDER_WAY; u++) {
                unsigned n = all.ticked[0][s][k][u] + all.ticked[1][s][k][u];
                if (possible(s, k, u)) {
                    fields++;
                    ticked += n > 0;
                }
                if (!n == !possible(s, k, u)) continue;
                size_t at = strlen(missing);
                snprintf(missing + at, sizeof missing - at, " %c/%s/%s%s", "ISEM"[s],
                         k == ALLOCATE_HERE ? "ALLOCATE" : observer_kind_name(k), u ? observer_kind_name(u - 1) : "-",
                         n ? "!" : "");
            }
    ck_assert_msg(!*missing, "state/request/own request: %u of %u fields; missing, or with ! impossible:%s", ticked,
                  fields, missing);
}
