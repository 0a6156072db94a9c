/* The bench: the engine, and the rules that hold in every clock. The checks are in queue_scheduler_checks.h. */
#include "queue_scheduler_contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 10000

void queue_scheduler_complain(queue_scheduler_bench *b, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    contract_complain(b->complaint, b->clock, fmt, list);
    va_end(list);
}

unsigned queue_scheduler_below(queue_scheduler_bench *b, unsigned n)
{
    return (unsigned)sim_random_below(b->s, n);
}

uint32_t queue_scheduler_all(const queue_scheduler_bench *b)
{
    return (1u << b->queues) - 1;
}

static void run(queue_scheduler_bench *b, unsigned clocks)
{
    if (sim_run(b->s, sim_now(b->s) + (sim_time)clocks * PERIOD) != SIM_TIME_LIMIT)
        queue_scheduler_complain(b, "the simulation ended: %s", sim_error(b->s));
    b->clock += clocks;
}

/* `used` low, and with it values that mean nothing. */
static void nothing_used(queue_scheduler_bench *b)
{
    sim_port_set(&b->p->used, 0);
    sim_port_set(&b->p->used_queue, queue_scheduler_below(b, b->queues));
    sim_port_set(&b->p->used_words, queue_scheduler_below(b, 1024));
    sim_port_set(&b->p->used_last, queue_scheduler_below(b, 2));
}

/* The choice for the inputs as they are now: 0 for none. */
static uint32_t look(queue_scheduler_bench *b)
{
    sim_model_eval(b->model);
    unsigned any = (unsigned)sim_port_get(&b->p->any), index = (unsigned)sim_port_get(&b->p->index);
    uint32_t grant = (uint32_t)sim_port_get(&b->p->grant), eligible = (uint32_t)sim_port_get(&b->p->eligible);
    if (any != (eligible != 0)) queue_scheduler_complain(b, "any is %u, eligible 0x%x", any, eligible);
    if (!eligible) return 0;
    if (grant & ~eligible) queue_scheduler_complain(b, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (grant == 0 || (grant & (grant - 1))) queue_scheduler_complain(b, "grant 0x%x is not one-hot", grant);
    if (index >= b->queues || grant != 1u << index) queue_scheduler_complain(b, "index is %u, grant 0x%x", index, grant);
    return grant;
}

static void count(queue_scheduler_bench *b, uint32_t eligible, const struct used_piece *used)
{
    for (unsigned q = 0; q < b->queues; q++) {
        if (!b->follows || !(eligible >> q & 1) || (used && used->queue == q)) b->passed[q] = 0;
        else if (used && ++b->passed[q] > b->queues * QUEUE_SCHEDULER_PATIENCE)
            queue_scheduler_complain(b, "queue %u starves: %u pieces of others since it became eligible", q, b->passed[q]);
    }
}

int queue_scheduler_step(queue_scheduler_bench *b, uint32_t eligible, uint32_t waiting, const struct used_piece *used)
{
    waiting |= eligible;
    sim_port_set(&b->p->eligible, eligible);
    sim_port_set(&b->p->waiting, waiting);
    nothing_used(b);
    uint32_t grant = look(b);
    if (!b->fresh && !b->was_used && eligible == b->shown_eligible && waiting == b->shown_waiting && grant != b->shown_grant)
        queue_scheduler_complain(b, "changed its mind from 0x%x to 0x%x, and nothing was used", b->shown_grant, grant);
    nothing_used(b);
    if (look(b) != grant) queue_scheduler_complain(b, "the choice follows what stands beside `used` when that is low");
    if (used) {
        sim_port_set(&b->p->used, 1);
        sim_port_set(&b->p->used_queue, used->queue);
        sim_port_set(&b->p->used_words, used->words);
        sim_port_set(&b->p->used_last, used->last);
        if (look(b) != grant) queue_scheduler_complain(b, "the choice follows `used` in the same clock");
    }
    run(b, 1);
    count(b, eligible, used);
    b->shown_eligible = eligible;
    b->shown_waiting = waiting;
    b->shown_grant = grant;
    b->was_used = used != NULL;
    b->fresh = false;
    for (int q = 0; q < (int)b->queues; q++)
        if (grant >> q & 1) return q;
    return -1;
}

void queue_scheduler_piece(queue_scheduler_bench *b, uint32_t eligible, unsigned wait, unsigned later, unsigned words, unsigned pieces)
{
    for (unsigned i = 0; i < wait; i++) queue_scheduler_step(b, eligible, queue_scheduler_all(b), NULL);
    int q = queue_scheduler_step(b, eligible, queue_scheduler_all(b), NULL);
    if (q < 0 || b->complaint[0]) return;
    for (unsigned i = 0; i < later; i++) queue_scheduler_step(b, eligible, queue_scheduler_all(b), NULL);
    if (!b->left[q]) b->left[q] = pieces;
    b->left[q]--;
    struct used_piece piece = {(unsigned)q, words, b->left[q] == 0};
    queue_scheduler_step(b, eligible, queue_scheduler_all(b), &piece);
}

void queue_scheduler_reset(queue_scheduler_bench *b, unsigned clocks)
{
    sim_port_set(&b->p->rst, 1);
    nothing_used(b);
    run(b, clocks);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->left, 0, sizeof b->left);
    b->fresh = true;
}

queue_scheduler_bench *queue_scheduler_bench_new(const sim_config *config, unsigned fault)
{
    queue_scheduler_bench *b = calloc(1, sizeof *b);
    b->s = contract_sim(PERIOD, &b->clk);
    b->model = contract_model(b->s, b->clk, config, fault);
    b->p = PORTS_AS(slot_queue_scheduler_8, b->model);
    b->queues = b->p->eligible.bits;
    sim_port_set(&b->p->eligible, 0);
    sim_port_set(&b->p->waiting, 0);
    queue_scheduler_reset(b, 3);
    return b;
}

void queue_scheduler_bench_free(queue_scheduler_bench *b)
{
    sim_free(b->s);
    free(b);
}
