/* The bench: the bus interface, and the rules that hold in every clock. The checks are in arbiter_checks.h. */
#include "arbiter_contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 10000

void arbiter_complain(arbiter_bench *b, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    contract_complain(b->complaint, b->clock, fmt, list);
    va_end(list);
}

unsigned arbiter_below(arbiter_bench *b, unsigned n)
{
    return (unsigned)sim_random_below(b->s, n);
}

static void run(arbiter_bench *b, unsigned clocks)
{
    if (sim_run(b->s, sim_now(b->s) + (sim_time)clocks * PERIOD) != SIM_TIME_LIMIT)
        arbiter_complain(b, "the simulation ended: %s", sim_error(b->s));
    b->clock += clocks;
}

/* The choice with these two as they are given. */
static int chosen(arbiter_bench *b, bool started, bool started_write)
{
    sim_port_set(&b->p->arb_started, started);
    sim_port_set(&b->p->arb_started_write, started_write);
    sim_model_eval(b->model);
    return sim_port_get(&b->p->arb_pick_write) ? ARBITER_WRITE : ARBITER_READ;
}

/* Without arb_started the other one means nothing. */
static int tell(arbiter_bench *b, bool read, bool write)
{
    bool which = b->tell ? b->what == ARBITER_WRITE : arbiter_below(b, 2) != 0;
    sim_port_set(&b->p->arb_read, read);
    sim_port_set(&b->p->arb_write, write);
    int choice = chosen(b, false, false);
    if (read && write)
        for (int i = 1; i < 4; i++)
            if (chosen(b, i & 1, i & 2) != choice)
                arbiter_complain(b, "the choice follows `%s` in the same clock", i == 2 ? "arb_started_write" : "arb_started");
    chosen(b, b->tell, which);
    b->tell = false;
    return choice;
}

int arbiter_clock(arbiter_bench *b, bool read, bool write)
{
    int choice = tell(b, read, write);
    run(b, 1);
    return choice;
}

int arbiter_start(arbiter_bench *b, bool read, bool write, bool hold)
{
    static const char *const names[] = {"a read", "a write"};
    if (b->tell) arbiter_clock(b, read, write); /* no choice in the clock that tells */
    int choice = tell(b, read, write);
    bool may_write = write && !hold;
    if (!read && !may_write) {
        run(b, 1);
        return -1;
    }
    int what = may_write && (!read || choice == ARBITER_WRITE) ? ARBITER_WRITE : ARBITER_READ;
    b->passed[what] = 0;
    if (!(what == ARBITER_READ ? write : read)) b->passed[!what] = 0;
    else if (!(hold && write) && ++b->passed[!what] > ARBITER_PATIENCE)
        arbiter_complain(b, "%s starves: passed %u times", names[!what], b->passed[!what]);
    run(b, 1);
    b->starts[what]++;
    b->tell = true;
    b->what = what;
    return what;
}

void arbiter_reset(arbiter_bench *b, unsigned clocks)
{
    sim_port_set(&b->p->rst, 1);
    chosen(b, false, arbiter_below(b, 2));
    run(b, clocks);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    b->tell = false;
}

arbiter_bench *arbiter_bench_new(const sim_config *config, unsigned fault)
{
    arbiter_bench *b = calloc(1, sizeof *b);
    b->s = contract_sim(PERIOD, &b->clk);
    b->model = contract_model(b->s, b->clk, config, fault);
    b->p = PORTS_AS(slot_arbiter_2, b->model);
    sim_port_set(&b->p->arb_read, 0);
    sim_port_set(&b->p->arb_write, 0);
    arbiter_reset(b, 3);
    return b;
}

void arbiter_bench_free(arbiter_bench *b)
{
    sim_free(b->s);
    free(b);
}
