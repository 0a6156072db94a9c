#include "scenario_bench.h"

static void body(void *arg)
{
    scenario_bench *b = arg;
    ck_assert_msg(fabric_start(b->f) == 0, "%s", fabric_error(b->f));
    if (!scenario_run(b->x, &b->p)) fabric_stop(b->f);
}

void scenario_bench_open(scenario_bench *b, fabric_params *p)
{
    p->sim.quiet = 1;
    b->f = fabric_new(p);
    ck_assert_ptr_nonnull(b->f);
    b->x = scenario_new(b->f);
    ck_assert_ptr_nonnull(b->x);
    scenario_params_default(&b->p);
}

void scenario_bench_open_with(scenario_bench *b, unsigned nodes, const sim_config *chip, const char *const *options)
{
    fabric_params p;
    fabric_params_default(&p, nodes, chip);
    scenario_bench_open(b, &p);
    scenario_bench_set(b, options);
}

void scenario_bench_set(scenario_bench *b, const char *const *options)
{
    char error[SCENARIO_ERROR];
    for (; *options; options += 2) ck_assert_msg(!scenario_set(&b->p, options[0], options[1], error), "%s", error);
}

int scenario_bench_run(scenario_bench *b)
{
    char error[SCENARIO_ERROR];
    unsigned payload = b->f->params.driver.payload_words;
    ck_assert_msg(!scenario_complete(&b->p, b->f->nodes, b->f->chip.model != NULL, payload, sim_seed(b->f->s), error), "%s", error);
    sim_task_new(b->f->s, "scenario", body, b);
    return sim_run(b->f->s, 1000 * SIM_MS);
}

void scenario_bench_good(scenario_bench *b)
{
    int result = scenario_bench_run(b);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b->f->s));
    ck_assert(b->x->good);
    ck_assert_uint_eq(b->x->rows, b->p.rows);
    ck_assert_uint_gt(b->x->counts.landed, 0);
    ck_assert_uint_eq(b->x->counts.made, b->x->counts.landed);
    ck_assert_uint_eq(b->x->counts.flagged + b->x->counts.lost + b->x->counts.damaged, 0);
}

void scenario_bench_close(scenario_bench *b)
{
    scenario_free(b->x);
    fabric_free(b->f);
}
