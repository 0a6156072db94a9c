/* One scenario on a fabric of its own. */
#include <jansson.h>
#include <string.h>

#include "sim/app/nicxbar/run.h"
#include "sim/app/nicxbar/scenario_report.h"
#include "sim/system/nodes/switch_access.h"

struct body {
    fabric *f;
    scenario *x;
    const scenario_params *p;
    const char *commands, *dump; /* for the monitor of the switch, or NULL; where its registers go */
    sim_cycles *cycles;
    const char *error;
    recordings made;
};

static void window(void *arg, int open) { sim_cycles_window(arg, open); }

static void software(void *arg)
{
    struct body *b = arg;
    if (fabric_start(b->f)) {
        sim_fail(b->f->s, "%s", fabric_error(b->f));
        return;
    }
    char error[SWITCH_ERROR];
    if (b->commands && switch_settings(b->f, b->commands, error)) {
        sim_fail(b->f->s, "%s", error);
        return;
    }
    if (b->cycles) sim_cycles_start(b->cycles);
    window(b->cycles, 0);
    if (scenario_run(b->x, b->p)) return;
    if (b->commands) {
        int bad = switch_tables(b->f, b->commands, error) || switch_dump(b->f, b->dump, error);
        sim_same(b->f->group, &bad, sizeof bad); /* only the first rank writes a file, and it has the switch */
        if (bad) sim_same(b->f->group, error, sizeof error);
        if (bad) sim_fail(b->f->s, "%s", error);
    }
    fabric_stop(b->f);
}

static int report_all(const program_options *o, struct body *b, int result, double wall)
{
    const fabric *f = b->f;
    scenario_table(b->x, stdout);
    if (b->p->faults) faults_print(b->p->faults, stdout);
    double ms = 1e-9 * (double)sim_now(f->s), khz = 1e-3 * (double)sim_clock_cycles(f->node[0]->net_clock) / wall;
    printf("%u nodes, %s; hosts %s, seed %llu; %.3f ms simulated in %.2f s: %.1f kHz network clock\n", f->nodes,
           f->chip.model ? f->chip.kind->name : "no switch", o->bridge, (unsigned long long)o->seed, ms, wall, khz);
    ranks_print(o, f, wall, stdout);
    const sim_window_counts w = sim_windows(f->s);
    json_t *all =
        json_pack("{s:b, s:s, s:s, s:I, s:s, s:f, s:f, s:f, s:f, s:o}", "good", result == SIM_OK && b->x->good,
                  "result", sim_result_name(result), "error", sim_error(f->s), "seed", (json_int_t)o->seed, "bridge",
                  o->bridge, "simulated_ms", ms, "wall_s", wall, "net_khz", khz, "rounds_per_window",
                  w.windows ? (double)w.rounds / (double)w.windows : 0, "scenario", scenario_json(b->x));
    program_cycles_result(o, b->cycles, all);
    if (b->p->faults) json_object_set_new(all, "faults", faults_json(b->p->faults));
    return program_verdict(o, result, b->x->good, all, &b->made, stdout);
}

int run_scenario(const program_options *o)
{
    fabric_params p;
    program_fabric(o, &p);
    scenario_params scenario = o->scenario;
    struct body b = {.f = fabric_new(&p), .p = &scenario, .commands = o->commands, .dump = o->dump};
    if (!b.f) return 1;
    if (o->faults && !(scenario.faults = faults_new(&o->plan, b.f))) {
        fprintf(stderr, "nicxbar-sim: out of memory\n");
        return 1;
    }
    b.x = scenario_new(b.f);
    if (!b.x) {
        fprintf(stderr, "nicxbar-sim: out of memory\n");
        fabric_free(b.f);
        return 1;
    }
    if (program_record(o, b.f, &b.made)) return 1;
    program_windows(o, b.f);
    b.x->params = *b.p; /* the report names them even if the run does not begin */
    sniffers print;
    program_sniffer(o, b.f, &print);
    b.cycles = program_cycles(o, b.f);
    b.x->window = window;
    b.x->arg = b.cycles;
    sim_task_new(b.f->s, "scenario", software, &b);
    double began = sim_wall();
    int result = program_sim(b.f->s);
    if (result != SIM_OK) scenario_interrupted(b.x);
    int code = report_all(o, &b, result, sim_wall() - began);
    sim_cycles_free(b.cycles);
    scenario_free(b.x);
    faults_free(scenario.faults);
    fabric_free(b.f);
    program_sniffer_free(&print);
    return code;
}
