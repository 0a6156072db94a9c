/* A scenario of remote queues, barriers, locks or counters on a fabric of its own. */
#include <jansson.h>

#include "sim/app/nicxbar/run.h"
#include "sim/system/nodes/switch_access.h"
#include "sim/traffic/sync/sync.h"

/* With faults: how long the driver waits for what may be lost. */
enum { WAITS_US = 2000 };

struct body {
    const program_options *o;
    fabric *f;
    sync_params params;
    sync_result result;
    sim_cycles *cycles;
};

static void window(void *arg, int open) { sim_cycles_window(arg, open); }

static void software(void *arg)
{
    struct body *b = arg;
    char error[SWITCH_ERROR];
    if (fabric_start(b->f)) {
        sim_fail(b->f->s, "%s", fabric_error(b->f));
        return;
    }
    if (b->o->commands && switch_settings(b->f, b->o->commands, error)) {
        sim_fail(b->f->s, "%s", error);
        return;
    }
    if (b->cycles) sim_cycles_start(b->cycles);
    if (sync_run_on(b->f, &b->params, &b->result)) return;
    if (b->o->commands && (switch_tables(b->f, b->o->commands, error) || switch_dump(b->f, b->o->dump, error)))
        sim_fail(b->f->s, "%s", error);
    fabric_stop(b->f);
}

static int verdict(struct body *b, recordings *made, int result, double wall)
{
    const program_options *o = b->o;
    const fabric *f = b->f;
    const double ms = 1e-9 * (double)sim_now(f->s);
    sync_print(&b->params, &b->result, stdout);
    if (b->params.faults) faults_print(b->params.faults, stdout);
    printf("%u nodes, %s; hosts %s, seed %llu; %.3f ms simulated in %.2f s\n", f->nodes,
           f->chip.model ? f->chip.kind->name : "no switch", o->bridge, (unsigned long long)o->seed, ms, wall);
    json_t *all =
        json_pack("{s:b, s:s, s:s, s:I, s:s, s:f, s:f, s:o}", "good", result == SIM_OK && b->result.good, "result",
                  sim_result_name(result), "error", sim_error(f->s), "seed", (json_int_t)o->seed, "bridge", o->bridge,
                  "simulated_ms", ms, "wall_s", wall, "scenario", sync_json(&b->params, &b->result));
    program_cycles_result(o, b->cycles, all);
    if (b->params.faults) json_object_set_new(all, "faults", faults_json(b->params.faults));
    return program_verdict(o, result, b->result.good, all, made, stdout);
}

int run_sync(const program_options *o)
{
    fabric_params p;
    int code = 1;
    program_fabric(o, &p);
    if (o->faults) p.driver.timeout_ns = WAITS_US * 1000;
    struct body b = {.o = o, .f = fabric_new(&p)};
    if (!b.f) return 1;
    sync_params_of(&o->scenario, &b.params);
    if (o->faults && !(b.params.faults = faults_new(&o->plan, b.f))) {
        fprintf(stderr, "nicxbar-sim: out of memory\n");
        fabric_free(b.f);
        return 1;
    }
    recordings made;
    if (!program_record(o, b.f, &made)) {
        sniffers print;
        program_sniffer(o, b.f, &print);
        b.cycles = program_cycles(o, b.f);
        b.params.window = b.cycles ? window : NULL;
        b.params.arg = b.cycles;
        sim_task_new(b.f->s, "scenario", software, &b);
        const double began = sim_wall();
        const int result = program_sim(b.f->s);
        code = verdict(&b, &made, result, sim_wall() - began);
        sim_cycles_free(b.cycles);
        program_sniffer_free(&print);
    }
    faults_free(b.params.faults);
    fabric_free(b.f);
    return code;
}
