#include "queue_choice.h"

#include <string.h>

#include "sim/core/kernel/splitmix64.h"

#define CHECK(...) CONTRACT_CHECK(choice_bench, __VA_ARGS__)

uint32_t choice_all(const choice_bench *b) { return (1u << b->queues) - 1; }

uint32_t choice_some(choice_bench *b) { return (uint32_t)sim_random(b->c.s) & choice_all(b); }

struct used_piece choice_any_piece(choice_bench *b)
{
    return (struct used_piece){contract_below(b, b->queues), 1 + contract_below(b, 512), contract_below(b, 2) != 0};
}

static void drive_use(choice_bench *b, bool used, unsigned queue, unsigned words, bool last)
{
    sim_port_set(b->used, used);
    sim_port_set(b->used_words, words);
    if (!b->used_queue) return;
    sim_port_set(b->used_queue, queue);
    sim_port_set(b->used_last, last);
}

/* The choice for the inputs as they are now: 0 for none. */
static uint32_t look(choice_bench *b)
{
    sim_model_eval(b->c.model);
    unsigned any = (unsigned)sim_port_get(b->any), index = (unsigned)sim_port_get(b->index);
    uint32_t grant = (uint32_t)sim_port_get(b->grant), eligible = (uint32_t)sim_port_get(b->eligible);
    if (any != (eligible != 0)) contract_complain(b, ANY, "any is %u, eligible 0x%x", any, eligible);
    if (!eligible && b->used_queue) return 0; /* only the VOQ scheduler promises a grant of 0 */
    if (grant & ~eligible) contract_complain(b, AMONG, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (!eligible) return 0;
    if (grant == 0 || (grant & (grant - 1))) contract_complain(b, ONE_HOT, "grant 0x%x is not one-hot", grant);
    if (index >= b->queues || grant != 1u << index)
        contract_complain(b, ONE_HOT, "index is %u, grant 0x%x", index, grant);
    return grant;
}

static void count(choice_bench *b, uint32_t eligible, const struct used_piece *used)
{
    if (used) contract_turn(b, used->queue);
    for (unsigned q = 0; q < b->queues; q++) {
        if (!b->follows || !(eligible >> q & 1) || (used && used->queue == q)) b->passed[q] = 0;
        else if (used) contract_passed(b, "queue", (int)q, ++b->passed[q], CONTRACT_PATIENCE * (b->queues - 1));
    }
}

/* Queue lengths, where the candidate has them as inputs: something changes sometimes. Returns whether it has. */
static bool lengthen(choice_bench *b)
{
    bool changes = b->shortest != QUEUES ? b->shortest != b->was_shortest : contract_below(b, 4) == 0;
    if (!b->level || !changes) return false;
    b->was_shortest = b->shortest;
    unsigned one = contract_below(b, b->queues);
    for (unsigned q = 0; q < b->queues; q++)
        if (b->shortest != QUEUES) sim_port_set_field(b->level, 12 * q, 12, q == b->shortest ? 1 : 4095);
        else if (q == one) sim_port_set_field(b->level, 12 * q, 12, contract_below(b, 4096));
    return true;
}

int choice_step(choice_bench *b, uint32_t eligible, uint32_t waiting, const struct used_piece *used)
{
    bool others = lengthen(b);
    waiting |= eligible;
    sim_port_set(b->eligible, eligible);
    sim_port_set(b->waiting, waiting);
    /* nothing is used, with random values on the other inputs; then its opposite */
    unsigned queue = contract_below(b, b->queues), words = contract_below(b, 1024), last = contract_below(b, 2);
    drive_use(b, false, queue, words, last);
    uint32_t grant = look(b);
    drive_use(b, false, b->queues - 1 - queue, 1023 - words, !last);
    if (look(b) != grant)
        contract_complain(b, BESIDE, "the choice depends on the inputs that belong to `%s` while that is low",
                          b->used->name);
    if (!b->fresh && !b->was_used && eligible == b->shown_eligible && waiting == b->shown_waiting && !others &&
        grant != b->shown_grant)
        contract_complain(b, STANDS, "changed its mind from 0x%x to 0x%x, and nothing was used", b->shown_grant, grant);
    int chosen = grant ? __builtin_ctz(grant) : -1;
    if (grant) contract_chosen(b, 0); /* else ANY is broken */
    struct used_piece of_choice;
    if (used && !b->used_queue) {
        of_choice = (struct used_piece){(unsigned)chosen, used->words, used->last};
        used = grant ? &of_choice : NULL;
    }
    if (used) {
        drive_use(b, true, used->queue, used->words, used->last);
        if (look(b) != grant)
            contract_complain(b, SAME_CLOCK, "the choice follows `%s` in the same clock", b->used->name);
    }
    contract_clocks(b, 1);
    count(b, eligible, used);
    b->shown_eligible = eligible;
    b->shown_waiting = waiting;
    b->shown_grant = grant;
    b->was_used = used != NULL;
    b->fresh = false;
    return chosen;
}

void choice_piece(choice_bench *b, uint32_t eligible, unsigned wait, unsigned later, unsigned words, unsigned pieces)
{
    for (unsigned i = 0; i < wait; i++) choice_step(b, eligible, choice_all(b), NULL);
    int q = choice_step(b, eligible, choice_all(b), NULL);
    if (q < 0 || b->c.rule) return;
    for (unsigned i = 0; i < later; i++) choice_step(b, eligible, choice_all(b), NULL);
    if (!b->left[q]) b->left[q] = pieces;
    b->left[q]--;
    choice_step(b, eligible, choice_all(b), &(struct used_piece){(unsigned)q, words, b->left[q] == 0});
}

void choice_reset(choice_bench *b, unsigned clocks)
{
    sim_port_set(b->rst, 1);
    drive_use(b, false, 0, 0, false);
    contract_clocks(b, clocks);
    sim_port_set(b->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->left, 0, sizeof b->left);
    b->fresh = true;
}

choice_bench *choice_bench_new(const sim_config *config, unsigned fault, const char *used, const char *used_words)
{
    choice_bench *b = contract_bench_new(sizeof *b, 10000, config, fault);
    b->rst = sim_model_port(b->c.model, "rst");
    b->eligible = sim_model_port(b->c.model, "eligible");
    b->waiting = sim_model_port(b->c.model, "waiting");
    b->any = sim_model_port(b->c.model, "any");
    b->grant = sim_model_port(b->c.model, "grant");
    b->index = sim_model_port(b->c.model, "index");
    b->used = sim_model_port(b->c.model, used);
    b->used_words = sim_model_port(b->c.model, used_words);
    b->queues = b->eligible->bits;
    b->shortest = b->was_shortest = QUEUES;
    choice_reset(b, 3);
    return b;
}

/* ---- the checks of both ---- */

/* Every set of eligible queues, or those that time allows, whatever else waits and is used. */
CHECK(it_chooses_among_the_eligible)
{
    for (uint32_t e = 0; e <= choice_all(b) && !b->c.rule; e += b->queues > 8 ? 1 + contract_below(b, 40) : 1) {
        struct used_piece u = choice_any_piece(b);
        choice_step(b, e, contract_below(b, 2) ? choice_all(b) : choice_some(b), contract_below(b, 2) ? &u : NULL);
    }
    for (unsigned n = 0; n < 2000 && !b->c.rule; n++) {
        uint32_t w = choice_some(b);
        struct used_piece u = choice_any_piece(b);
        choice_step(b, w & choice_some(b), w, contract_below(b, 3) ? NULL : &u);
    }
}

/* Queues come and go, often all of them; a choice is looked at for some clocks before something is used. */
static void bustle(choice_bench *b, unsigned pieces)
{
    b->shortest = QUEUES;
    uint64_t end = b->c.turns + pieces;
    while (b->c.turns < end && !b->c.rule) {
        uint32_t e = contract_below(b, 4)   ? choice_some(b)
                     : contract_below(b, 2) ? 1u << contract_below(b, b->queues)
                                            : 0,
                 w = choice_some(b);
        if (contract_below(b, 2)) choice_step(b, 0, w, NULL);
        for (unsigned i = contract_below(b, 6); i; i--) choice_step(b, e, w, NULL);
        struct used_piece u = choice_any_piece(b);
        choice_step(b, e, w, &u);
    }
}

CHECK(a_choice_stands_until_something_is_used) { bustle(b, 300); }

/* Which queues are eligible in addition to queue q in piece i. */
static uint32_t rivals(choice_bench *b, unsigned kind, unsigned q, unsigned i)
{
    switch (kind) {
    case 0: /* all */
        return ~0u;
    case 1: /* one, above */
        return 1u << (q + 1) % b->queues;
    case 2: /* one, below */
        return 1u << (q + b->queues - 1) % b->queues;
    case 3:
        return (uint32_t)sim_random(b->c.s);
    case 4: /* in two shifts */
        return 0x5555u << i % 2;
    default: /* all, but each is away in its turn */
        return ~(1u << i % b->queues);
    }
}
enum { RIVALS = 6 };

/* Queue q is always eligible, and sometimes the shortest. Its rivals are eligible, or come and go. Transfers are short
 * and long, pieces have few words or many, and the engine takes up a proposal at once or some clocks later. */
static void siege(choice_bench *b, unsigned q, unsigned kind, unsigned manner)
{
    static const struct {
        unsigned words, pieces, wait, later;
    } manners[] = {{5, 1, 0, 0}, {512, 1, 0, 1}, {64, 16, 0, 0}, {512, 16, 1, 2}, {1, 3, 2, 0}};
    manner %= COUNT(manners);
    b->follows = true;
    b->shortest = kind % 2 ? QUEUES : q;
    for (unsigned i = 0; i < b->queues * CONTRACT_PATIENCE && !b->c.rule; i++)
        choice_piece(b, (rivals(b, kind, q, i) & choice_all(b)) | 1u << q, manners[manner].wait, manners[manner].later,
                     manners[manner].words, manners[manner].pieces);
}

CHECK(nobody_starves)
{
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned kind = 0; kind < RIVALS; kind++) siege(b, q, kind, q + kind);
}

CHECK(a_choice_is_never_missing)
{
    b->follows = true;
    for (unsigned n = 0; n < 2000 && !b->c.rule; n++)
        choice_piece(b, 1u << contract_below(b, b->queues), 0, 0, 1 + contract_below(b, 100), 1 + contract_below(b, 3));
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned n = 0; n < 300 && !b->c.rule; n++) choice_piece(b, 1u << q, 0, 0, 3, 2);
}

/* ---- the long run ---- */

/* One queue against saturated others, long enough to show starvation; then random traffic, at times of one queue only.
 */
void choice_part(void *bench)
{
    choice_bench *b = bench;
    siege(b, contract_below(b, b->queues), contract_below(b, RIVALS), contract_below(b, 5));
    b->follows = b->used_queue == NULL;
    bustle(b, CONTRACT_PATIENCE * b->queues);
    b->follows = true;
    memset(b->left, 0, sizeof b->left);
    for (unsigned n = 0; n < 20 && !b->c.rule; n++)
        choice_piece(b, 1u << contract_below(b, b->queues), 0, contract_below(b, 2), 62, 1 + n % 2);
}

void choice_all_ask(void *bench, unsigned each)
{
    choice_bench *b = bench;
    b->follows = true;
    b->shortest = ALL_LONG;
    memset(b->left, 0, sizeof b->left);
    contract_all_ask(b, b->queues);
    for (unsigned n = 0; n < each * b->queues && !b->c.rule; n++) choice_piece(b, choice_all(b), 0, 0, 62, 1);
}

/* The same sequence after each reset: it has the same end, whatever was before. All that counts is the same, all else
 * is not. */
enum { STORY = 400 };
struct choice_sequence {
    bool known;
    int chosen[STORY];
};
void choice_reset_sequence(void *bench)
{
    choice_bench *b = bench;
    if (!b->sequence) b->sequence = test_memory(sizeof *b->sequence);
    if (b->sequence->known) choice_reset(b, 1 + contract_below(b, 3));
    b->follows = false;
    b->shortest = 0;
    uint64_t same = 1;
    for (unsigned n = 0; n < STORY && !b->c.rule; n++) {
        uint64_t random = splitmix64(&same);
        uint32_t waiting = n ? (uint32_t)random & choice_all(b) : choice_all(b),
                 eligible = waiting & ((uint32_t)(random >> 16) | (n ? 0 : ~0u));
        struct used_piece u = {(unsigned)(random >> 32) % b->queues, 1 + (unsigned)(random >> 40) % 512,
                               random >> 62 & 1};
        int q = choice_step(b, eligible, waiting, random >> 63 ? &u : NULL);
        if (!b->sequence->known) b->sequence->chosen[n] = q;
        else if (q != b->sequence->chosen[n])
            contract_complain(b, CONTRACT_RESET, "%u clocks after reset the choice is %d, another time it was %d", n, q,
                              b->sequence->chosen[n]);
    }
    b->sequence->known = true;
    b->shortest = QUEUES;
    choice_reset(b, 1 + contract_below(b, 3));
}

CHECK(reset_begins_anew)
{
    for (unsigned round = 0; round < 12 && !b->c.rule; round++) {
        choice_reset_sequence(b);
        b->follows = b->used_queue == NULL;
        bustle(b, contract_below(b, 100));
    }
}

const char *const choice_rules[CHOICE_RULES] = {
    [ANY] = "any shows whether a queue is eligible",
    [AMONG] = "the choice is among the eligible",
    [ONE_HOT] = "grant is one-hot, index its number",
    [STANDS] = "a choice stays while nothing changes and nothing is used",
    [SAME_CLOCK] = "the choice does not depend on the use in the same clock",
    [BESIDE] = "inputs of an event have no effect without it",
};
