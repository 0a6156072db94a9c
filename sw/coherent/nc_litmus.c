/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* SCENARIO=litmus: the tests of nc_litmus_tests on node 0, each `rounds` times, with other delays and other contents of
 * the caches each time. An outcome that the memory model does not allow fails the run.
 *
 * A round: processor 0 of node 0 chooses between invalidating and UPDATE and whose cache takes what the NI writes,
 * sets the words to {round, 0} and meets processor 1. It tells node 1, if the test has
 * a third thread or the NI as reader, by a word there. All execute. Node 1 waits for what was sent to it, then writes
 * what has arrived, {round, value}, back into cells of node 0; that is its part of the outcome. The processors meet
 * again, and processor 0 puts the outcome together. */
#include "nc_litmus.h"

#include "nc_ni.h"

enum {
    AT_WORDS = NC_AT_PROGRAM, /* words in lines of their own, or in the first line */
    WORDS_BYTES = 0x200,
    AT_REGISTERS = AT_WORDS + WORDS_BYTES, /* of processor 1 */
    GO = NC_CELL_PROGRAM,                  /* in node 1: round that may begin */
    SENT = NC_CELL_PROGRAM + 1,            /* in node 1: what the NI has read, register r of processor p at + 4 p + r */
    DONE = NC_CELL_PROGRAM + 9,            /* in node 0: round that node 1 is through with */
    SEEN = NC_CELL_PROGRAM + 10,           /* in node 0: as SENT */
    DELAY = 48                             /* [clocks] at most, before a thread and between its operations */
};
_Static_assert(SEEN + 2 * NC_LITMUS_REGISTERS <= NC_CELLS, "cells");

typedef struct litmus {
    nc_cpu *cpu;
    nc_ni ni;
    const nc_litmus_test *test;
    nc_litmus_op op[NC_LITMUS_THREADS][NC_LITMUS_OPS];
    int ops[NC_LITMUS_THREADS];
    unsigned sends; /* operations G of both processors */
    uint32_t round;
    nc_outcome allowed[NC_LITMUS_SETS];
    int allowed_count;
    uint8_t reached[NC_LITMUS_SETS];
} litmus;

static uint32_t at_word(const litmus *l, unsigned word)
{
    return AT_WORDS + word * (l->test->one_line ? 8 : 2 * NC_LINE);
}

static int begin(litmus *l, const nc_litmus_test *test)
{
    l->test = test;
    l->sends = 0;
    for (unsigned t = 0; t < NC_LITMUS_THREADS; t++) {
        l->ops[t] = nc_litmus_parse(test->thread[t], l->op[t]);
        for (int i = 0; i < l->ops[t]; i++) l->sends += l->op[t][i].kind == 'G';
    }
    l->allowed_count = nc_litmus_allowed(test, &nc_memory_model_default, l->allowed);
    if (l->allowed_count < 0) return nc_fail(l->cpu, "litmus test \"%s\": no text of a test", test->name);
    for (int i = 0; i < l->allowed_count; i++) l->reached[i] = 0;
    return 0;
}

static unsigned dice(const litmus *l, unsigned place, unsigned below)
{
    return nc_value(l->cpu, l->round, 4 * l->cpu->node + l->cpu->processor, place) % below;
}

/* The processor's part; registers of loads. */
static int execute(litmus *l, unsigned t, uint32_t registers[NC_LITMUS_REGISTERS])
{
    nc_cpu *cpu = l->cpu;
    for (int i = 0; i < l->ops[t]; i++) {
        const nc_litmus_op *op = &l->op[t][i];
        uint32_t at = at_word(l, op->word), low = NC_COHERENT + at + 4;
        unsigned wait = i ? dice(l, 8 + (unsigned)i, 3) ? 0 : dice(l, 16 + (unsigned)i, DELAY) : dice(l, 7, DELAY);
        if (wait) nc_work(cpu, wait);
        if (op->kind == 'S') nc_sync(cpu);
        else if (op->kind == 'R') registers[op->operand] = nc_load(cpu, low);
        else if (op->kind == 'T') registers[op->operand] = nc_test_and_set(cpu, low);
        else if (op->kind == 'I') registers[op->operand] = nc_increment(cpu, low);
        else if (t == 2) {
            if (nc_ni_write(&l->ni, 0, at, l->round, op->operand)) return -1;
        } else if (op->kind == 'W') nc_store(cpu, low, op->operand);
        else if (nc_ni_transfer(&l->ni, 1, at, NC_AT_CELL(SENT + t * NC_LITMUS_REGISTERS + op->operand), 8)) return -1;
    }
    return 0;
}

/* Of some rounds: stores update the other cache, and the NI's lines go into cache 1. */
static void choose(litmus *l)
{
    nc_update_range(l->cpu, 0, AT_WORDS, l->round & 1 ? WORDS_BYTES : 0);
    nc_ni_window(l->cpu, AT_WORDS, WORDS_BYTES, l->cpu->options->ni, l->round >> 1 & 1);
}

/* The line of a word may be in the cache before, in any state. */
static void stir(litmus *l)
{
    for (unsigned w = 0; w < NC_LITMUS_WORDS; w++)
        if (dice(l, w, 2)) nc_load(l->cpu, NC_COHERENT + at_word(l, w) + 4);
}

static int cell_of_round(litmus *l, unsigned cell)
{
    uint64_t since = nc_now(l->cpu);
    while (nc_load(l->cpu, l->ni.cells + 8 * cell) != l->round) {
        nc_work(l->cpu, NC_WORK_LOOP);
        if (nc_waited(l->cpu, since, "the other node")) return -1;
    }
    return 0;
}

static int judge(litmus *l, nc_outcome outcome)
{
    for (int i = 0; i < l->allowed_count; i++)
        if (l->allowed[i] == outcome) {
            l->reached[i] = 1;
            return 0;
        }
    return nc_fail(l->cpu, "litmus test \"%s\" (%s | %s | %s), round %u: outcome %06x is not allowed", l->test->name,
                   l->test->thread[0] ? l->test->thread[0] : "", l->test->thread[1] ? l->test->thread[1] : "",
                   l->test->thread[2] ? l->test->thread[2] : "", l->round, outcome);
}

static int is_of_two_nodes(const litmus *l) { return l->ops[2] || l->sends; }

static int round_of_0(litmus *l)
{
    nc_cpu *cpu = l->cpu;
    uint32_t registers[2][NC_LITMUS_REGISTERS] = {{0}};
    unsigned p = cpu->processor;
    if (p == 0) choose(l);
    for (unsigned w = 0; w < NC_LITMUS_WORDS && p == 0; w++) nc_set(cpu, at_word(l, w), l->round, 0);
    nc_meet(cpu, NC_COHERENT + NC_AT_MEET);
    stir(l);
    if (p == 0 && is_of_two_nodes(l) && nc_ni_write(&l->ni, 1, NC_AT_CELL(GO), l->round, 0)) return -1;
    nc_meet(cpu, NC_COHERENT + NC_AT_MEET);
    /* there and back the links take longer than a thread */
    if (l->ops[2]) nc_work(cpu, dice(l, 6, 900));
    if (execute(l, p, registers[p])) return -1;
    if (p == 1)
        for (unsigned r = 0; r < NC_LITMUS_REGISTERS; r++)
            nc_store(cpu, NC_COHERENT + AT_REGISTERS + 4 * r, registers[1][r]);
    if (p == 0 && is_of_two_nodes(l) && cell_of_round(l, DONE)) return -1;
    nc_meet(cpu, NC_COHERENT + NC_AT_MEET);
    if (p == 1) return 0;
    nc_outcome outcome = 0;
    for (unsigned r = 0; r < NC_LITMUS_REGISTERS; r++)
        registers[1][r] = nc_load(cpu, NC_COHERENT + AT_REGISTERS + 4 * r);
    for (unsigned t = 0; t < 2; t++) {
        for (int i = 0; i < l->ops[t]; i++)
            if (l->op[t][i].kind == 'G') {
                unsigned r = l->op[t][i].operand;
                registers[t][r] = nc_ni_cell(&l->ni, SEEN + t * NC_LITMUS_REGISTERS + r);
            }
        for (unsigned r = 0; r < NC_LITMUS_REGISTERS; r++)
            outcome |= (registers[t][r] & 3) << 2 * (t * NC_LITMUS_REGISTERS + r);
    }
    for (unsigned w = 0; w < NC_LITMUS_WORDS; w++)
        outcome |= (nc_load(cpu, NC_COHERENT + at_word(l, w) + 4) & 3) << 2 * (2 * NC_LITMUS_REGISTERS + w);
    return judge(l, outcome);
}

static int round_of_1(litmus *l)
{
    if (!is_of_two_nodes(l)) return 0;
    if (cell_of_round(l, GO) || execute(l, 2, NULL)) return -1;
    for (unsigned t = 0; t < 2; t++)
        for (int i = 0; i < l->ops[t]; i++) {
            unsigned r = t * NC_LITMUS_REGISTERS + l->op[t][i].operand;
            if (l->op[t][i].kind != 'G') continue;
            if (cell_of_round(l, SENT + r)) return -1;
            if (nc_ni_write(&l->ni, 0, NC_AT_CELL(SEEN + r), l->round, nc_ni_cell(&l->ni, SENT + r))) return -1;
        }
    return nc_ni_write(&l->ni, 0, NC_AT_CELL(DONE), l->round, 0);
}

static nc_ni_plan plan_of(const nc_options *o) { return (nc_ni_plan){.ni = o->ni, .send = o->send, .message = 8}; }

static int prepare(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu->options);
    return nc_ni_prepare(cpu, &plan);
}

static int run(nc_cpu *cpu)
{
    litmus l = {.cpu = cpu};
    nc_ni_plan plan = plan_of(cpu->options);
    unsigned rounds = nc_rounds(cpu), outcomes = 0, reached = 0;
    if (cpu->node > 1 || (cpu->node == 1 && cpu->processor)) return 0;
    if (nc_ni_open(&l.ni, cpu, &plan)) return -1;
    for (unsigned t = 0; t < nc_litmus_count; t++) {
        if (begin(&l, &nc_litmus_tests[t])) return -1;
        for (unsigned i = 0; i < rounds; i++) {
            l.round++;
            if (cpu->node ? round_of_1(&l) : round_of_0(&l)) return -1;
        }
        outcomes += (unsigned)l.allowed_count;
        for (int i = 0; i < l.allowed_count; i++) reached += l.reached[i];
    }
    if (cpu->node || cpu->processor) return 0;
    nc_add(cpu, "rounds", "", l.round, NC_SUM);
    nc_add(cpu, "outcomes allowed", "", outcomes, NC_SUM);
    nc_add(cpu, "of these seen", "", reached, NC_SUM);
    return 0;
}

static const char *refusal(const nc_options *o)
{
    if (o->ni == NC_UNCACHED) return "NI=memory, update or allocate expected: uncached words are in no cache";
    return o->send == NC_SEND_UNCACHED ? "SEND=cachable or doorbell expected: uncached sends no memory" : NULL;
}

const nc_program nc_litmus = {.name = "litmus",
                              .help = "outcomes of small programs, the NI among them, against the memory model",
                              .uses = NC_USES_NI | NC_USES_SEND | NC_USES_ROUNDS,
                              .min_nodes = 2,
                              .max_nodes = 8,
                              .processors = 2,
                              .rounds = 10,
                              .refusal = refusal,
                              .prepare = prepare,
                              .run = run};
