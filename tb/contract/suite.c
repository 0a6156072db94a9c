#include "suite.h"

#include <string.h>

static const contract *const now = &contract_of_suite;
static struct check {
    const char *name;
    void (*run)(void *bench);
    unsigned ways;
} check[32];
static int checks;
unsigned contract_way;

void contract_check_add(const char *name, void (*run)(void *bench), contract_options options)
{
    check[checks++] = (struct check){name, run, options.ways ? options.ways : 1};
}

/* Runs one check on a fresh candidate, a broken one with the fault (0 = none): what is wrong, "" if nothing is. */
static const char *judge(unsigned candidate, unsigned fault, const struct check *c, unsigned way)
{
    static char complaint[sizeof((contract_bench *)0)->complaint];
    contract_way = way;
    contract_bench *b = now->bench_new(now->candidate[candidate].config, fault);
    if (!b->complaint[0]) c->run(b);
    memcpy(complaint, b->complaint, sizeof complaint);
    clean_up();
    return complaint;
}

static void keeps(unsigned candidate)
{
    for (const struct check *c = check; c < check + checks; c++)
        for (unsigned way = 0; c->ways >> way; way++) {
            const char *complaint = c->ways >> way & 1 ? judge(candidate, 0, c, way) : "";
            ck_assert_msg(!complaint[0], "%s breaks the contract in %s: %s", now->candidate[candidate].name, c->name, complaint);
        }
}

/* The first candidate of a kind, or where it would be. */
static int first(int kind)
{
    int i = 0;
    while (i < (int)now->candidates && (int)now->candidate[i].is < kind) i++;
    return i;
}

TEST_CASE("slot", .timeout = 300);

TEST(the_block_in_the_slot_keeps_the_contract, .from = first(IN_SLOT), .to = first(OTHER_BLOCK))
{
    keeps((unsigned)_i);
}

TEST_CASE("other", .timeout = 300);

TEST(another_block_keeps_the_contract, .from = first(OTHER_BLOCK), .to = first(BROKEN_BLOCK))
{
    keeps((unsigned)_i);
}

TEST_CASE("broken", .timeout = 300);

TEST(without_a_fault_it_passes, .from = first(BROKEN_BLOCK), .to = (int)now->candidates)
{
    keeps((unsigned)_i);
}

TEST(a_broken_block_is_caught, .to = (int)now->faults)
{
    const contract_fault *f = &now->fault[_i];
    const struct check *c = check;
    while (c < check + checks && strcmp(c->name, f->check)) c++;
    ck_assert_msg(c < check + checks, "no check %s", f->check);
    for (unsigned i = (unsigned)first(BROKEN_BLOCK); i < now->candidates; i++) {
        const char *complaint = judge(i, f->fault, c, (unsigned)__builtin_ctz(c->ways));
        ck_assert_msg(complaint[0], "%s: fault %u passes %s", now->candidate[i].name, f->fault, f->check);
        ck_assert_msg(strstr(complaint, f->says) != NULL, "%s: fault %u: %s", now->candidate[i].name, f->fault, complaint);
    }
    ck_assert_int_lt(first(BROKEN_BLOCK), (int)now->candidates);
}
