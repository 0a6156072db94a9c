/* A file crosses from one host to another, or between two hosts both ways at once. */
#include "sim/app/nicxbar/run.h"

static void started(void *arg)
{
    file_run *run = arg;
    meter_clear(run->meter);
    paths_begin(&run->paths, run->f);
    paths_window(&run->paths, 1);
    if (run->cycles) sim_cycles_start(run->cycles);
}

static void ended(void *arg)
{
    file_run *run = arg;
    sim_cycles_window(run->cycles, 0);
    paths_window(&run->paths, 0);
    if (paths_end(&run->paths, &run->carried)) sim_fail(run->f->s, "%s", run->paths.error);
    overtaking_get(meter_overtaking(run->meter), &run->carried.depth_median, &run->carried.depth_most);
}

int file_run_new(const program_options *o, fabric *f, file_run *run)
{
    *run = (file_run){.f = f, .x.interrupts = o->interrupts};
    for (int i = 0; i < 1 + o->both; i++)
        run->x.direction[i] = (exchange_direction){.path = o->file, .size = o->file_size};
    run->p = pair_in(f, 0, 1);
    if (!run->p) return -1;
    run->x.p = run->p;
    run->meter = meter_new(run->p);
    if (o->faults) {
        run->x.faults = faults_new(&o->plan, run->p->f);
        if (!run->x.faults) return -1;
        meter_tell(run->meter, run->x.faults);
    }
    run->cycles = program_cycles(o, f);
    run->x.started = started;
    run->x.ended = ended;
    run->x.arg = run;
    return 0;
}

void file_run_result(const program_options *o, file_run *run, int result, double wall)
{
    if (result != SIM_OK) exchange_same(&run->x);
    meter_same(run->meter);
    int accounted = !run->x.faults || !faults_good(run->x.faults, run->faulty, sizeof run->faulty);
    run->report = (report){.x = &run->x,
                           .meter = run->meter,
                           .carried = &run->carried,
                           .bridge = o->bridge,
                           .payload = o->payload,
                           .wall = wall,
                           .result = result,
                           .faulty = run->faulty,
                           .good = result == SIM_OK && exchange_good(&run->x) && accounted};
}

void file_run_close(file_run *run)
{
    sim_cycles_free(run->cycles);
    meter_free(run->meter);
    faults_free(run->x.faults);
    pair_free(run->p);
}

/* A transfer leaves the nodes of a fabric with a switch open: other pairs may use them. */
static void software(void *arg)
{
    file_run *run = arg;
    exchange_run(&run->x);
    if (!*run->x.error) fabric_stop(run->f);
}

int run_file(const program_options *o)
{
    file_run run;
    fabric_params p;
    program_fabric(o, &p);
    fabric *f = fabric_new(&p);
    if (!f) return 1;
    if (file_run_new(o, f, &run)) {
        fabric_free(f);
        return 1;
    }
    sniffers print;
    program_sniffer(o, f, &print);
    recordings made;
    if (program_record(o, f, &made)) return 1;
    program_windows(o, f);
    sim_task_new(f->s, "exchange", software, &run);
    double began = sim_wall(), wall;
    int result = program_sim(f->s);
    file_run_result(o, &run, result, wall = sim_wall() - began);
    report_print(&run.report, stdout);
    ranks_print(o, f, wall, stdout);
    json_t *all = report_json(&run.report);
    program_cycles_result(o, run.cycles, all);
    int code = program_verdict(o, result, run.report.good, all, &made, stdout);
    file_run_close(&run);
    fabric_free(f);
    program_sniffer_free(&print);
    return code;
}
