#include "voq_scheduler_contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 10000

static void complain(voq_scheduler_bench *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void complain(voq_scheduler_bench *b, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    contract_complain(b->complaint, b->clock, fmt, list);
    va_end(list);
}

static unsigned below(voq_scheduler_bench *b, unsigned n)
{
    return (unsigned)sim_random_below(b->s, n);
}

static uint32_t all(const voq_scheduler_bench *b)
{
    return (1u << b->queues) - 1;
}

/* The outputs for the inputs as they are now. */
static uint32_t look(voq_scheduler_bench *b)
{
    sim_model_eval(b->model);
    unsigned any = (unsigned)sim_port_get(&b->p->any), index = (unsigned)sim_port_get(&b->p->index);
    uint32_t grant = (uint32_t)sim_port_get(&b->p->grant), eligible = (uint32_t)sim_port_get(&b->p->eligible);
    if (any != (eligible != 0)) complain(b, "any is %u, eligible 0x%x", any, eligible);
    if (grant & ~eligible) complain(b, "grant 0x%x is not among eligible 0x%x", grant, eligible);
    if (any ? grant == 0 || (grant & (grant - 1)) : grant != 0) complain(b, "grant 0x%x is not one-hot", grant);
    if (any && (index >= b->queues || grant != 1u << index)) complain(b, "index is %u, grant 0x%x", index, grant);
    return grant;
}

/* One clock. The packet of the choice starts if `words` is not 0. Returns the queue chosen, -1 if there was none. */
static int step(voq_scheduler_bench *b, uint32_t eligible, uint32_t waiting, unsigned words)
{
    waiting |= eligible;
    sim_port_set(&b->p->eligible, eligible);
    sim_port_set(&b->p->waiting, waiting);
    sim_port_set(&b->p->take, 0);
    sim_port_set(&b->p->take_words, 1 + below(b, 512));
    uint32_t grant = look(b);
    if (!b->fresh && !b->was_taken && eligible == b->shown_eligible && waiting == b->shown_waiting && grant != b->shown_grant)
        complain(b, "changed its mind from 0x%x to 0x%x without a take", b->shown_grant, grant);
    bool take = words && grant;
    if (take) {
        sim_port_set(&b->p->take, 1);
        sim_port_set(&b->p->take_words, words);
        if (look(b) != grant) complain(b, "the choice follows `take` or `take_words` in the same clock");
    }
    if (sim_run(b->s, sim_now(b->s) + PERIOD) != SIM_TIME_LIMIT) complain(b, "the simulation ended: %s", sim_error(b->s));
    b->clock++;
    b->shown_eligible = eligible;
    b->shown_waiting = waiting;
    b->shown_grant = grant;
    b->was_taken = take;
    b->fresh = false;
    for (unsigned q = 0; q < b->queues; q++) {
        if (!(eligible >> q & 1) || (take && grant >> q & 1)) b->passed[q] = 0;
        else if (take && ++b->passed[q] > b->queues * VOQ_SCHEDULER_PATIENCE)
            complain(b, "queue %u starves: %u packets of others since it became eligible", q, b->passed[q]);
        if (take && grant >> q & 1) {
            b->served[q]++;
            b->words[q] += words;
        }
    }
    for (int q = 0; q < (int)b->queues; q++)
        if (grant >> q & 1) return q;
    return -1;
}

static void reset(voq_scheduler_bench *b)
{
    sim_port_set(&b->p->rst, 1);
    sim_port_set(&b->p->take, 0);
    if (sim_run(b->s, sim_now(b->s) + 3 * PERIOD) != SIM_TIME_LIMIT) complain(b, "the simulation ended: %s", sim_error(b->s));
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    memset(b->served, 0, sizeof b->served);
    memset(b->words, 0, sizeof b->words);
    b->fresh = true;
}

/* ---- the checks ---- */

static void it_chooses_among_the_eligible(voq_scheduler_bench *b)
{
    for (uint32_t e = 0; e <= all(b) && !b->complaint[0]; e += b->queues > 8 ? 1 + below(b, 40) : 1)
        step(b, e, below(b, 2) ? all(b) : (uint32_t)sim_random(b->s) & all(b), below(b, 2) ? 1 + below(b, 512) : 0);
}

static void a_choice_stands_until_taken(voq_scheduler_bench *b)
{
    for (unsigned n = 0; n < 300 && !b->complaint[0]; n++) {
        uint32_t e = (uint32_t)sim_random(b->s) & all(b), w = (uint32_t)sim_random(b->s) & all(b);
        for (unsigned i = below(b, 6); i; i--) step(b, e, w, 0);
        step(b, e, w, 1 + below(b, 512));
    }
}

static void nobody_starves(voq_scheduler_bench *b)
{
    unsigned long_enough = 2 * b->queues * VOQ_SCHEDULER_PATIENCE;
    for (unsigned q = 0; q < b->queues && !b->complaint[0]; q++) {
        /* q is always eligible; its rivals too, then at random, then in turns; packets are short, then of all lengths */
        for (unsigned n = 0; n < 3 * long_enough; n++) {
            uint32_t others = n < long_enough ? ~0u : n < 2 * long_enough ? (uint32_t)sim_random(b->s) : n & 1 ? 0x5555u : 0xaaaau;
            step(b, (others & all(b)) | 1u << q, all(b), n < long_enough ? 5 : n % 3 ? 1 : 512);
        }
    }
}

static void a_choice_is_never_missing(voq_scheduler_bench *b)
{
    for (unsigned n = 0; n < 2000 && !b->complaint[0]; n++) step(b, 1u << below(b, b->queues), 0, 1 + below(b, 100));
    for (unsigned n = 0; n < 500 && !b->complaint[0]; n++) step(b, 1u << (b->queues - 1), 0, 3);
}

/* With all queues eligible and packets of one length each gets its part; then only some of them, then other lengths. */
static void shares_are_equal(voq_scheduler_bench *b)
{
    for (unsigned round = 0; round < 6 && !b->complaint[0]; round++) {
        uint32_t e = round % 3 == 0 ? all(b) : round % 3 == 1 ? 0x3333u & all(b) : 0x9u & all(b);
        unsigned members = 0, takes;
        if (!e) continue;
        for (unsigned q = 0; q < b->queues; q++) members += e >> q & 1;
        takes = members * 200;
        reset(b);
        for (unsigned n = 0; n < takes; n++) step(b, e, all(b), round < 3 ? 62 : 5);
        for (unsigned q = 0; q < b->queues; q++)
            if ((e >> q & 1) && (b->served[q] < 190 || b->served[q] > 210))
                complain(b, "queue %u: %u of %u packets, eligible 0x%x", q, b->served[q], takes, e);
    }
}

static void reset_begins_anew(voq_scheduler_bench *b)
{
    uint32_t first = 0;
    for (unsigned round = 0; round < 2 * b->queues && !b->complaint[0]; round++) {
        reset(b);
        int q = step(b, all(b), 0, 0);
        if (round == 0) first = (uint32_t)q;
        else if ((uint32_t)q != first) complain(b, "queue %d comes first after reset, not %u", q, first);
        for (unsigned n = 0; n < round; n++) step(b, all(b), 0, 10);
    }
}

const voq_scheduler_check voq_scheduler_checks[] = {
    {"it_chooses_among_the_eligible", it_chooses_among_the_eligible},
    {"a_choice_stands_until_taken", a_choice_stands_until_taken},
    {"nobody_starves", nobody_starves},
    {"a_choice_is_never_missing", a_choice_is_never_missing},
    {"shares_are_equal", shares_are_equal},
    {"reset_begins_anew", reset_begins_anew},
};
const size_t voq_scheduler_check_count = sizeof voq_scheduler_checks / sizeof voq_scheduler_checks[0];

int voq_scheduler_judge(const sim_config *config, unsigned fault, const voq_scheduler_check *check, char complaint[200])
{
    voq_scheduler_bench *b = calloc(1, sizeof *b);
    b->s = contract_sim(PERIOD, &b->clk);
    b->model = contract_model(b->s, b->clk, config, fault);
    b->p = PORTS_AS(slot_voq_scheduler_8, b->model);
    b->queues = b->p->eligible.bits;
    sim_port_set(&b->p->eligible, 0);
    sim_port_set(&b->p->waiting, 0);
    reset(b);
    check->run(b);
    memcpy(complaint, b->complaint, sizeof b->complaint);
    sim_free(b->s);
    free(b);
    return complaint[0] != 0;
}
