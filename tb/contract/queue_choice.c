#include "queue_choice.h"

#include <string.h>

#define CHECK(...) CONTRACT_CHECK(choice_bench, __VA_ARGS__)

uint32_t choice_all(const choice_bench *b)
{
    return (1u << b->queues) - 1;
}

uint32_t choice_some(choice_bench *b)
{
    return (uint32_t)sim_random(b->c.s) & choice_all(b);
}

struct used_piece choice_any_piece(choice_bench *b)
{
    return (struct used_piece){contract_below(b, b->queues), 1 + contract_below(b, 512), contract_below(b, 2) != 0};
}

static void tell(choice_bench *b, bool used, unsigned queue, unsigned words, bool last)
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
    if (any != (eligible != 0)) contract_complain(b, "any is %u, eligible 0x%x", any, eligible);
    if (!eligible && b->used_queue) return 0; /* only the VOQ scheduler promises a grant of 0 */
    if (grant & ~eligible) contract_complain(b, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (!eligible) return 0;
    if (grant == 0 || (grant & (grant - 1))) contract_complain(b, "grant 0x%x is not one-hot", grant);
    if (index >= b->queues || grant != 1u << index) contract_complain(b, "index is %u, grant 0x%x", index, grant);
    return grant;
}

static void count(choice_bench *b, uint32_t eligible, const struct used_piece *used)
{
    if (used) b->served[used->queue]++;
    for (unsigned q = 0; q < b->queues; q++) {
        if (!b->follows || !(eligible >> q & 1) || (used && used->queue == q)) b->passed[q] = 0;
        else if (used) contract_passed(b, "queue", (int)q, ++b->passed[q], b->queues - 1);
    }
}

/* How long the queues are, where the candidate is told: something changes sometimes. Returns whether it has. */
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
    /* nothing is used, and beside that stands what means nothing; then its opposite */
    unsigned queue = contract_below(b, b->queues), words = contract_below(b, 1024), last = contract_below(b, 2);
    tell(b, false, queue, words, last);
    uint32_t grant = look(b);
    tell(b, false, b->queues - 1 - queue, 1023 - words, !last);
    if (look(b) != grant) contract_complain(b, "the choice follows what stands beside `%s` when that is low", b->used->name);
    if (!b->fresh && !b->was_used && eligible == b->shown_eligible && waiting == b->shown_waiting && !others &&
        grant != b->shown_grant)
        contract_complain(b, "changed its mind from 0x%x to 0x%x, and nothing was used", b->shown_grant, grant);
    int chosen = grant ? __builtin_ctz(grant) : -1;
    struct used_piece of_choice;
    if (used && !b->used_queue) {
        of_choice = (struct used_piece){(unsigned)chosen, used->words, used->last};
        used = grant ? &of_choice : NULL;
    }
    if (used) {
        tell(b, true, used->queue, used->words, used->last);
        if (look(b) != grant) contract_complain(b, "the choice follows `%s` in the same clock", b->used->name);
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
    if (q < 0 || b->c.complaint[0]) return;
    for (unsigned i = 0; i < later; i++) choice_step(b, eligible, choice_all(b), NULL);
    if (!b->left[q]) b->left[q] = pieces;
    b->left[q]--;
    choice_step(b, eligible, choice_all(b), &(struct used_piece){(unsigned)q, words, b->left[q] == 0});
}

void choice_reset(choice_bench *b, unsigned clocks)
{
    sim_port_set(b->rst, 1);
    tell(b, false, 0, 0, false);
    contract_clocks(b, clocks);
    sim_port_set(b->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->served, 0, sizeof b->served);
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

/* Every set of eligible queues, or as many as there is time for, whatever else waits and is used. */
CHECK(it_chooses_among_the_eligible)
{
    for (uint32_t e = 0; e <= choice_all(b) && !b->c.complaint[0]; e += b->queues > 8 ? 1 + contract_below(b, 40) : 1) {
        struct used_piece u = choice_any_piece(b);
        choice_step(b, e, contract_below(b, 2) ? choice_all(b) : choice_some(b), contract_below(b, 2) ? &u : NULL);
    }
    for (unsigned n = 0; n < 2000 && !b->c.complaint[0]; n++) {
        uint32_t w = choice_some(b);
        struct used_piece u = choice_any_piece(b);
        choice_step(b, w & choice_some(b), w, contract_below(b, 3) ? NULL : &u);
    }
}

CHECK(a_choice_stands_until_something_is_used)
{
    for (unsigned n = 0; n < 300 && !b->c.complaint[0]; n++) {
        uint32_t e = choice_some(b), w = choice_some(b);
        struct used_piece u = choice_any_piece(b);
        for (unsigned i = contract_below(b, 8); i; i--) choice_step(b, e, w, NULL);
        choice_step(b, e, w, &u);
    }
}

/* Who is eligible beside queue q in piece i. */
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

/* Each queue in turn is always eligible, and its rivals are or come and go. Transfers are short and long, pieces have few words or many,
 * and the engine takes up a proposal at once or some clocks later. */
CHECK(nobody_starves)
{
    static const struct {
        unsigned words, pieces, wait, later;
    } manners[] = {{5, 1, 0, 0}, {512, 1, 0, 1}, {64, 16, 0, 0}, {512, 16, 1, 2}, {1, 3, 2, 0}};
    unsigned longest = b->queues * CONTRACT_PATIENCE;
    b->follows = true;
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned kind = 0; kind < 6; kind++) {
            unsigned m = (q + kind) % 5;
            b->shortest = kind % 2 ? QUEUES : q;
            for (unsigned i = 0; i < longest && !b->c.complaint[0]; i++)
                choice_piece(b, (rivals(b, kind, q, i) & choice_all(b)) | 1u << q, manners[m].wait, manners[m].later, manners[m].words,
                             manners[m].pieces);
        }
}

CHECK(a_choice_is_never_missing)
{
    b->follows = true;
    for (unsigned n = 0; n < 2000 && !b->c.complaint[0]; n++)
        choice_piece(b, 1u << contract_below(b, b->queues), 0, 0, 1 + contract_below(b, 100), 1 + contract_below(b, 3));
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned n = 0; n < 300 && !b->c.complaint[0]; n++) choice_piece(b, 1u << q, 0, 0, 3, 2);
}
