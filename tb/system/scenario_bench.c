#include "scenario_bench.h"

#include <string.h>

#include "test.h"

CLEANUP(fabric_free);
CLEANUP(scenario_free);

void scenario_bench_params(fabric_params *p, unsigned nodes, const sim_config *nic, const sim_config *chip,
                           const unsigned *latency)
{
    fabric_params_default(p, nodes, chip);
    p->sim.quiet = 1;
    for (unsigned i = 0; i < nodes; i++) p->node[i].nic = nic;
    for (unsigned l = 0; latency && l < FABRIC_LINKS; l++) p->path_latency[l] = latency[l];
}

uint32_t read_register(const node *n, unsigned offset)
{
    uint32_t value;
    ck_assert_msg(!nx_register_read(n->dev, offset, &value), "%s", nx_last_error(n->dev));
    return value;
}

void write_register(const node *n, unsigned offset, uint32_t value)
{
    ck_assert_msg(!nx_register_write(n->dev, offset, value), "%s", nx_last_error(n->dev));
}

cable *link_of(const scenario_bench *b, unsigned node, unsigned link)
{
    int end;
    return fabric_link(b->f, node, link, &end);
}

void pause_for(scenario_bench *b, sim_time us)
{
    for (sim_time end = sim_now(b->f->s) + us * SIM_US; sim_now(b->f->s) < end;) {
        sim_time left = end - sim_now(b->f->s);
        sim_wait_time(b->f->s, left < 50 * SIM_US ? left : 50 * SIM_US);
        sim_progress(b->f->s);
    }
}

void all_departed(scenario_bench *b, const char *what)
{
    for (unsigned i = 0; i < b->f->nodes; i++)
        for (unsigned to = 0; to < b->f->nodes; to++) {
            nx_device *dev = b->f->node[i]->dev;
            uint32_t lost;
            int result = nx_drain(dev, to);
            ck_assert_msg(!result || result == NX_ERROR_ABANDONED, "%s: %s", what, nx_last_error(dev));
            ck_assert_msg(nx_free_slots_now(dev, to, &lost) == (int)nx_slots(dev),
                          "%s: node %u has not all slots to %u", what, i, to);
        }
}

scenario_bench *scenario_bench_new(const fabric_params *p)
{
    scenario_bench *b = test_memory(sizeof *b);
    b->f = fabric_new(p);
    ck_assert_ptr_nonnull(b->f);
    after_test(fabric_free_cleanup, b->f);
    b->x = scenario_new(b->f);
    ck_assert_ptr_nonnull(b->x);
    after_test(scenario_free_cleanup, b->x);
    scenario_params_default(&b->p);
    return b;
}

static void task(void *arg)
{
    scenario_bench *b = arg;
    ck_assert_msg(fabric_start(b->f) == 0, "%s", fabric_error(b->f));
    b->software(b, b->variation);
    if (!*b->x->error) fabric_stop(b->f);
}

int fabric_run(scenario_bench *b, void (*software)(scenario_bench *, int), int variation)
{
    b->software = software;
    b->variation = variation;
    sim_task_new(b->f->s, "test", task, b);
    return sim_run(b->f->s, 200 * SIM_MS);
}

void fabric_good(scenario_bench *b, void (*software)(scenario_bench *, int), int variation)
{
    int result = fabric_run(b, software, variation);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b->f->s));
}

scenario_bench *scenario_bench_open(unsigned nodes, const sim_config *chip, const char *const *options)
{
    fabric_params p;
    fabric_params_default(&p, nodes, chip);
    p.sim.quiet = 1;
    scenario_bench *b = scenario_bench_new(&p);
    scenario_bench_set(b, options);
    return b;
}

void scenario_bench_set(scenario_bench *b, const char *const *options)
{
    char error[SCENARIO_ERROR];
    for (; *options; options += 2) ck_assert_msg(!scenario_set(&b->p, options[0], options[1], error), "%s", error);
}

void scenario_bench_complete(scenario_bench *b)
{
    char error[SCENARIO_ERROR];
    unsigned payload = b->f->params.driver.payload_words;
    ck_assert_msg(!scenario_complete(&b->p, b->f->nodes, b->f->chip.model != NULL, payload, sim_seed(b->f->s), error),
                  "%s", error);
}

static void run(scenario_bench *b, int variation)
{
    (void)variation;
    scenario_run(b->x, &b->p);
}

int scenario_bench_run(scenario_bench *b)
{
    scenario_bench_complete(b);
    return fabric_run(b, run, 0);
}

const scenario *scenario_bench_good(scenario_bench *b)
{
    int result = scenario_bench_run(b);
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(b->f->s));
    ck_assert(b->x->good);
    ck_assert_uint_eq(b->x->rows, b->p.rows);
    ck_assert_uint_gt(b->x->counts.landed, 0);
    ck_assert_uint_eq(b->x->counts.made, b->x->counts.landed);
    ck_assert_uint_eq(b->x->counts.flagged + b->x->counts.lost + b->x->counts.damaged, 0);
    return b->x;
}

void scenario_bench_fails(scenario_bench *b, const char *text)
{
    ck_assert_int_eq(scenario_bench_run(b), SIM_FAILED);
    ck_assert(!b->x->good);
    ck_assert_msg(strstr(b->x->error, text), "the text is \"%s\"", b->x->error);
}
