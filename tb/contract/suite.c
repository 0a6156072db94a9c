#include "suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const contract *const now = &contract_of_program;
struct check {
    const char *name;
    void (*run)(void *bench);
    unsigned ways;
};
static struct check check[32];
static int checks;
unsigned contract_way;

void contract_check_add(const char *name, void (*run)(void *bench), contract_options options)
{
    check[checks++] = (struct check){name, run, options.ways ? options.ways : 1};
}

/* "" of a number that the slot has no rule of. */
static const char *rule_name(int rule)
{
    static const char *const common[] = {"nothing is wrong", "the simulation goes on", "nobody starves",
                                         "reset restarts the module"};
    const char *own = rule < now->slot->rule_count ? now->slot->rules[rule] : NULL;
    return own ? own : rule < CONTRACT_OWN ? common[rule] : "";
}

/* Turns of a long run: of one in make contract, which says for how many clocks at least, and of one in make test; then
 * of each while all ask. */
enum { LONG = 200000, SHORT = 10000, EACH = 240 };
static uint64_t turns, clocks;

/* The same candidate all the time. Now and then come some parts with a reset before each. */
static void run_long(void *bench)
{
    contract_bench *b = bench;
    while (!b->rule && (b->turns < turns || sim_clock_cycles(b->clk) < clocks)) {
        if (b->turns % (LONG / 2) < LONG / 32) now->slot->reset(b);
        now->slot->part(b);
    }
    if (!b->rule && now->slot->all_ask) now->slot->all_ask(b, EACH);
}
static const struct check long_run = {"the long run", run_long, 1};

/* Runs one check on a fresh candidate, a broken one with the fault (0 = none): the end of its bench. */
static contract_bench verify(const contract_candidate *c, unsigned fault, const struct check *k, unsigned way,
                             sim_time waves_from)
{
    contract_waves_from = waves_from;
    contract_way = way;
    contract_bench *b = now->slot->bench_new(c->config, fault), end;
    if (!b->rule) k->run(b);
    end = *b;
    clean_up();
    return end;
}

/* If waves are wanted: one file with the last clocks before the complaint, or with how the long run begins. */
static void record(const contract_candidate *c, const struct check *k, unsigned way, const contract_bench *end)
{
    const sim_time shown = 20 * SIM_US;
    if (!getenv("SIM_WAVES")) return;
    if (!end->rule) turns = clocks = 1;
    verify(c, 0, k, way, end->rule && end->time > shown ? end->time - shown : 0);
}

/* Latency and fairness, as three columns behind those of "kept": clocks on average, at most; how far the share of one
 * is from an equal one at most [%]. Empty where it means nothing. */
static void print_figures(const contract_bench *end)
{
    double turns_of_all = 0, off = 0;
    if (end->latency.choices)
        printf("\t%.2f\t%.4g", end->latency.clocks / (double)end->latency.choices, end->latency.most);
    else printf("\t\t");
    for (unsigned i = 0; i < end->asking; i++) turns_of_all += end->turns_of[i];
    for (unsigned i = 0; i < end->asking; i++) off = fmax(off, fabs(end->turns_of[i] * end->asking / turns_of_all - 1));
    if (end->asking > 1) printf("\t%.1f\n", 100 * off);
    else printf("\t\n");
}

/* Prints a line for scripts/contract.py: the current check, at the end the verdict. */
static void keeps(int candidate)
{
    const contract_candidate *c = &now->candidate[candidate];
    const char *size = strrchr(c->config->name, '_') + 1, *only = getenv("CONTRACT_SIZE"),
               *least = getenv("CONTRACT_CLOCKS");
    contract_bench all = {0}, end;
    printf("size\t%s\n", size);
    if (only && strcmp(only, size)) return;
    if (now->slot->may_refuse) {
        contract_bench *b = now->slot->bench_new(c->config, 0);
        if (b->rule == CONTRACT_ENDS && strstr(b->complaint, "called $finish")) {
            printf("refused\t%s\t%s\n", size, c->name);
            clean_up();
            return;
        }
        clean_up();
    }
    turns = least ? LONG : SHORT;
    clocks = least ? strtoull(least, NULL, 0) : 0;
    check[checks] = long_run;
    for (const struct check *k = check; k <= check + checks; k++)
        for (unsigned way = 0; k->ways >> way; way++) {
            if (!(k->ways >> way & 1)) continue;
            printf("checking\t%s\t%s\t%s\n", size, c->name, k->name);
            fflush(stdout);
            end = verify(c, 0, k, way, SIM_FOREVER);
            all.turns += end.turns;
            if (end.longest_wait.passed * all.longest_wait.limit >= all.longest_wait.passed * end.longest_wait.limit)
                all.longest_wait = end.longest_wait;
            if (!end.rule) continue;
            record(c, k, way, &end);
            printf("broken\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%.3f\t%s\t%s\n", size, c->name, k->name, rule_name(end.rule),
                   end.clock, (double)end.time / SIM_US, end.complaint, now->slot->words);
            fflush(stdout);
            ck_abort_msg("%s, %s breaks the contract: %s: clock %" PRIu64 ": %s", c->name, k->name, rule_name(end.rule),
                         end.clock, end.complaint);
        }
    record(c, &long_run, 0, &end);
    printf("kept\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s", size, c->name, all.turns,
           all.longest_wait.passed, all.longest_wait.limit, now->slot->turns, now->slot->words);
    print_figures(&end);
}

/* The candidates of a kind, as a range of tests; an empty range other than 0 .. 0 means none. */
static int first(int kind)
{
    int i = 0;
    while (i < now->candidates && (int)now->candidate[i].is < kind) i++;
    return i;
}
static int from(int kind) { return first(kind) == first(kind + 1) ? 1 : first(kind); }
static int to(int kind) { return first(kind) == first(kind + 1) ? 1 : first(kind + 1); }

TEST_CASE("slot");

TEST(the_block_in_the_slot_keeps_the_contract, .from = from(IN_SLOT), .to = to(IN_SLOT)) { keeps(_i); }

TEST_CASE("other");

TEST(another_block_keeps_the_contract, .from = from(OTHER_BLOCK), .to = to(OTHER_BLOCK)) { keeps(_i); }

TEST_CASE("broken");

TEST(without_a_fault_it_passes, .from = from(BROKEN_BLOCK), .to = to(BROKEN_BLOCK)) { keeps(_i); }

/* Each broken block with the fault is rejected, for the rule that it breaks, or for any. */
static void rejects(const contract_fault *f, unsigned when, const struct check *k, bool any)
{
    turns = LONG;
    for (int i = first(BROKEN_BLOCK); i < now->candidates; i++) {
        const contract_candidate *c = &now->candidate[i];
        unsigned only = f->but & (FIRST_ONLY | SECOND_ONLY | THIRD_ONLY);
        if (only && !(only >> (i - first(BROKEN_BLOCK)) & FIRST_ONLY)) continue;
        contract_bench end = verify(c, f->fault | when, k, (unsigned)__builtin_ctz(k->ways), SIM_FOREVER);
        ck_assert_msg(end.rule == f->rule || (any && end.rule) || (when == RESETS && end.rule == CONTRACT_RESET),
                      "%s: fault %u%s breaks \"%s\", and in %s this was found: %s: %s", c->name, f->fault,
                      when == RARELY   ? " (rarely)"
                      : when == LATE   ? " (late)"
                      : when == RESETS ? " (after resets)"
                                       : "",
                      rule_name(f->rule), k->name, rule_name(end.rule), end.complaint);
    }
}

static int fault_from(void) { return now->faults ? 0 : 1; }
static int fault_to(void) { return now->faults ? now->faults : 1; }

TEST(a_broken_block_is_caught, .from = fault_from(), .to = fault_to())
{
    const contract_fault *f = &now->fault[_i];
    const struct check *k = check;
    while (k < check + checks && strcmp(k->name, f->check)) k++;
    ck_assert_msg(k < check + checks, "no check %s", f->check);
    rejects(f, 0, k, (f->but & ANY_RULE) == ANY_RULE);
}

TEST(a_fault_that_shows_late_or_rarely_is_caught_in_the_long_run, .from = fault_from(), .to = fault_to())
{
    const contract_fault *f = &now->fault[_i];
    if (!(f->but & NOT_LATE)) rejects(f, LATE, &long_run, f->but & AS_ANOTHER);
    if (!(f->but & NOT_RESETS)) rejects(f, RESETS, &long_run, f->but & AS_ANOTHER);
    if (!(f->but & NOT_RARELY)) rejects(f, RARELY, &long_run, f->but & AS_ANOTHER);
}

TEST(every_rule_is_broken_by_a_block, .from = fault_from(), .to = 1)
{
    for (int rule = CONTRACT_STARVES; rule < now->slot->rule_count; rule++) {
        int f = 0;
        while (f < now->faults && now->fault[f].rule != rule) f++;
        ck_assert_msg(f < now->faults || !rule_name(rule)[0], "no fault breaks \"%s\"", rule_name(rule));
    }
}
