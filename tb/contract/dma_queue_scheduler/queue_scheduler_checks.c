/* The stories that bring a candidate into the situations the contract speaks of. */
#include "queue_scheduler_checks.h"

#include <string.h>

#define CHECK(name) static void name(queue_scheduler_bench *b)

#define step queue_scheduler_step
#define piece queue_scheduler_piece
#define all queue_scheduler_all
#define below queue_scheduler_below

static uint32_t some(queue_scheduler_bench *b)
{
    return (uint32_t)sim_random(b->s) & all(b);
}

/* Any piece, of any queue. */
static struct used_piece a_piece(queue_scheduler_bench *b)
{
    return (struct used_piece){below(b, b->queues), 1 + below(b, 512), below(b, 2) != 0};
}

/* Every set of eligible queues, or as many as there is time for, whatever else waits and is used. */
CHECK(it_chooses_among_the_eligible)
{
    for (uint32_t e = 0; e <= all(b) && !b->complaint[0]; e += b->queues > 8 ? 1 + below(b, 40) : 1) {
        struct used_piece u = a_piece(b);
        step(b, e, below(b, 2) ? all(b) : some(b), below(b, 2) ? &u : NULL);
    }
    for (unsigned n = 0; n < 2000 && !b->complaint[0]; n++) {
        uint32_t w = some(b);
        struct used_piece u = a_piece(b);
        step(b, w & some(b), w, below(b, 3) ? NULL : &u);
    }
}

CHECK(a_choice_stands_until_something_is_used)
{
    for (unsigned n = 0; n < 300 && !b->complaint[0]; n++) {
        uint32_t e = some(b), w = some(b);
        struct used_piece u = a_piece(b);
        for (unsigned i = below(b, 8); i; i--) step(b, e, w, NULL);
        step(b, e, w, &u);
    }
}

/* Who is eligible beside queue q in piece i. */
static uint32_t rivals(queue_scheduler_bench *b, unsigned kind, unsigned q, unsigned i)
{
    switch (kind) {
    case 0: /* all */
        return ~0u;
    case 1: /* one, above */
        return 1u << (q + 1) % b->queues;
    case 2: /* one, below */
        return 1u << (q + b->queues - 1) % b->queues;
    case 3:
        return (uint32_t)sim_random(b->s);
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
    unsigned longest = b->queues * (QUEUE_SCHEDULER_PATIENCE + 1);
    b->follows = true;
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned kind = 0; kind < 6; kind++) {
            unsigned m = (q + kind) % 5;
            for (unsigned i = 0; i < longest && !b->complaint[0]; i++)
                piece(b, (rivals(b, kind, q, i) & all(b)) | 1u << q, manners[m].wait, manners[m].later, manners[m].words,
                      manners[m].pieces);
        }
}

/* As the engine does it: transfers of all lengths, each out of `eligible` while it has no room, and out of `waiting` for a while before
 * the next one comes. */
CHECK(traffic_of_all_kinds)
{
    uint32_t idle = 0, full = 0;
    b->follows = true;
    for (unsigned n = 0; n < 6000 && !b->complaint[0]; n++) {
        if (n % 500 == 0) idle = n % 1000 ? some(b) : 0;
        if (below(b, 4) == 0) full ^= 1u << below(b, b->queues);
        piece(b, all(b) & ~idle & ~full, below(b, 3), below(b, 4), 1 + below(b, 512), 1 + below(b, QUEUE_SCHEDULER_PIECES));
        if (idle && below(b, 3) == 0) idle &= idle - 1;
    }
}

CHECK(a_choice_is_never_missing)
{
    b->follows = true;
    for (unsigned n = 0; n < 2000 && !b->complaint[0]; n++) piece(b, 1u << below(b, b->queues), 0, 0, 1 + below(b, 100), 1 + below(b, 3));
    for (unsigned q = 0; q < b->queues; q++)
        for (unsigned n = 0; n < 300 && !b->complaint[0]; n++) piece(b, 1u << q, 0, 0, 3, 2);
}

/* Pieces of queues that were not proposed, are not eligible, do not even wait; nothing for a long time; then all is as usual. */
CHECK(pieces_may_go_otherwise)
{
    for (unsigned round = 0; round < 20 && !b->complaint[0]; round++) {
        b->follows = false;
        for (unsigned n = 0; n < 100; n++) {
            struct used_piece u = a_piece(b);
            step(b, some(b), some(b), below(b, 2) ? &u : NULL);
        }
        for (unsigned n = 0; n < 100; n++) step(b, some(b) & some(b), 0, NULL);
        b->follows = true;
        memset(b->left, 0, sizeof b->left);
        for (unsigned n = 0; n < b->queues * (QUEUE_SCHEDULER_PATIENCE + 1); n++) piece(b, all(b), 0, 0, 62, 1 + round % 16);
    }
}

/* A transfer that has begun leaves without a last piece (its read failed), or before its first one (it was skipped). */
CHECK(transfers_may_vanish)
{
    b->follows = true;
    for (unsigned n = 0; n < 1000 && !b->complaint[0]; n++) {
        int q = step(b, all(b), 0, NULL);
        if (q < 0) return;
        if (n % 2) step(b, all(b), 0, &(struct used_piece){(unsigned)q, 64, false});
        for (unsigned i = 0; i < 4; i++) step(b, all(b) & ~(1u << q), 0, NULL);
        b->left[q] = 0;
        piece(b, all(b) & ~(1u << q), 0, 1, 64, 1 + n % 16);
    }
}

/* The same story twice, once after power-up and then after any other one. All that counts is the same, all else is not. */
enum { STORY = 400 };
CHECK(reset_begins_anew)
{
    static struct {
        uint32_t eligible, waiting;
        int use, chosen;
        struct used_piece u;
    } story[STORY];
    for (unsigned n = 0; n < STORY; n++) {
        story[n].eligible = n == 0 ? all(b) : some(b);
        story[n].waiting = some(b) | story[n].eligible;
        story[n].use = below(b, 2) != 0;
        story[n].u = a_piece(b);
    }
    for (unsigned round = 0; round < 12 && !b->complaint[0]; round++) {
        for (unsigned n = 0; n < STORY && !b->complaint[0]; n++) {
            int q = step(b, story[n].eligible, story[n].waiting, story[n].use ? &story[n].u : NULL);
            if (round == 0) story[n].chosen = q;
            else if (q != story[n].chosen)
                queue_scheduler_complain(b, "%u clocks after reset the choice is %d, another time it was %d", n, q, story[n].chosen);
        }
        for (unsigned n = below(b, 300); n; n--) {
            struct used_piece u = a_piece(b);
            step(b, some(b), some(b), below(b, 2) ? &u : NULL);
        }
        queue_scheduler_reset(b, 1 + round % 3);
    }
}

const queue_scheduler_check queue_scheduler_checks[] = {
    {"it_chooses_among_the_eligible", it_chooses_among_the_eligible},
    {"a_choice_stands_until_something_is_used", a_choice_stands_until_something_is_used},
    {"nobody_starves", nobody_starves},
    {"traffic_of_all_kinds", traffic_of_all_kinds},
    {"a_choice_is_never_missing", a_choice_is_never_missing},
    {"pieces_may_go_otherwise", pieces_may_go_otherwise},
    {"transfers_may_vanish", transfers_may_vanish},
    {"reset_begins_anew", reset_begins_anew},
};
const unsigned queue_scheduler_check_count = sizeof queue_scheduler_checks / sizeof queue_scheduler_checks[0];

int queue_scheduler_judge(const sim_config *config, unsigned fault, const queue_scheduler_check *check, char complaint[CONTRACT_COMPLAINT])
{
    queue_scheduler_bench *b = queue_scheduler_bench_new(config, fault);
    if (!b->complaint[0]) check->run(b);
    memcpy(complaint, b->complaint, sizeof b->complaint);
    queue_scheduler_bench_free(b);
    return complaint[0] ? -1 : 0;
}
