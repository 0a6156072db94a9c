/* The checks of the slot "DMA queue scheduler", in addition to those of queue_choice.c. The bench plays the engine. */
#include "dma_queue_scheduler_contract.h"

#include <string.h>

/* Pieces of a transfer, at most. */
#define PIECES 16

#define CHECK(...) CONTRACT_CHECK(choice_bench, __VA_ARGS__)

static void *bench_new(const sim_config *config, unsigned fault)
{
    choice_bench *b = choice_bench_new(config, fault, "used", "used_words");
    b->used_queue = sim_model_port(b->c.model, "used_queue");
    b->used_last = sim_model_port(b->c.model, "used_last");
    return b;
}

/* ---- the checks, in addition to those of queue_choice.c ---- */

/* As the engine does it: transfers of all lengths, each out of `eligible` while it has no room, and out of `waiting`
 * for a while before the next one comes. */
static void traffic(choice_bench *b, unsigned pieces)
{
    uint32_t idle = 0, full = 0;
    b->follows = true;
    for (unsigned n = 0; n < pieces && !b->c.rule; n++) {
        if (n % 500 == 0) idle = n % 1000 ? choice_some(b) : 0;
        if (contract_below(b, 4) == 0) full ^= 1u << contract_below(b, b->queues);
        choice_piece(b, choice_all(b) & ~idle & ~full, contract_below(b, 3), contract_below(b, 4),
                     1 + contract_below(b, 512), 1 + contract_below(b, PIECES));
        if (idle && contract_below(b, 3) == 0) idle &= idle - 1;
    }
}

CHECK(traffic_of_all_kinds) { traffic(b, 6000); }

/* Pieces of queues that were not proposed, are not eligible, do not even wait; nothing for a long time; then all is as
 * usual. */
CHECK(pieces_may_go_otherwise)
{
    for (unsigned round = 0; round < 20 && !b->c.rule; round++) {
        b->follows = false;
        for (unsigned n = 0; n < 100; n++) {
            struct used_piece u = choice_any_piece(b);
            choice_step(b, choice_some(b), choice_some(b), contract_below(b, 2) ? &u : NULL);
        }
        for (unsigned n = 0; n < 100; n++) choice_step(b, choice_some(b) & choice_some(b), 0, NULL);
        b->follows = true;
        memset(b->left, 0, sizeof b->left);
        for (unsigned n = 0; n < b->queues * CONTRACT_PATIENCE; n++)
            choice_piece(b, choice_all(b), 0, 0, 62, 1 + round % 16);
    }
}

/* A transfer that has begun leaves without a last piece (its read failed), or before its first one (it was skipped). */
CHECK(transfers_may_vanish)
{
    b->follows = true;
    for (unsigned n = 0; n < 1000 && !b->c.rule; n++) {
        int q = choice_step(b, choice_all(b), 0, NULL);
        if (q < 0) return;
        if (n % 2) choice_step(b, choice_all(b), 0, &(struct used_piece){(unsigned)q, 64, false});
        for (unsigned i = 0; i < 4; i++) choice_step(b, choice_all(b) & ~(1u << q), 0, NULL);
        b->left[q] = 0;
        choice_piece(b, choice_all(b) & ~(1u << q), 0, 1, 64, 1 + n % 16);
    }
}

/* ---- the long run ---- */

static void part(void *bench)
{
    choice_part(bench);
    traffic(bench, 300);
}

const contract_slot dma_queue_scheduler_slot = {"rtl/nic/dma/dma_queue_scheduler.v",
                                                "pieces",
                                                choice_rules,
                                                CHOICE_RULES,
                                                bench_new,
                                                part,
                                                choice_reset_sequence,
                                                choice_all_ask,
                                                false};
