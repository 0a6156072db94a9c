/* A file crosses from one host to another, or between two hosts both ways at once. */
#include "run.h"

static void started(void *arg)
{
    file_run *run = arg;
    meter_clear(run->meter);
    if (run->cycles) sim_cycles_start(run->cycles);
}

int file_run_new(const program_options *o, fabric *f, file_run *run)
{
    *run = (file_run){.f = f, .x.interrupts = o->interrupts};
    for (int i = 0; i < 1 + o->both; i++) run->x.direction[i] = (exchange_direction){.path = o->file, .size = o->file_size};
    run->p = f ? pair_in(f, 0, 1) : program_pair(o);
    if (!run->p) return -1;
    run->x.p = run->p;
    run->meter = meter_new(run->p);
    if (o->faults) {
        run->x.faults = faults_new(&o->plan, run->p->f);
        if (!run->x.faults) return -1;
        meter_tell(run->meter, run->x.faults);
    }
    if (f) run->cycles = program_cycles(o, f->s, f->node, f->nodes, f->chip.model);
    else run->cycles = program_cycles(o, run->p->s, run->p->node, 2, NULL);
    run->x.started = started;
    run->x.arg = run;
    return 0;
}

void file_run_result(const program_options *o, file_run *run, int result, double wall)
{
    int accounted = !run->x.faults || !faults_good(run->x.faults, run->faulty, sizeof run->faulty);
    run->report = (report){.x = &run->x,
                           .meter = run->meter,
                           .cycles = run->cycles,
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

int run_file(const program_options *o)
{
    file_run run;
    fabric_params p;
    fabric *f = NULL;
    if (!o->direct) {
        program_fabric(o, &p);
        f = fabric_new(&p);
        if (!f) return 1;
    }
    if (file_run_new(o, f, &run)) {
        fabric_free(f);
        return 1;
    }
    int end;
    sniffer *print = program_sniffer(o, f ? fabric_wire(f, o->sniff_node, &end) : run.p->wire);
    recordings made;
    if (program_record(o, run.p->f, &made)) return 1;
    sim_task_new(run.p->s, "exchange", exchange_run, &run.x);
    double began = sim_wall();
    int result = program_sim(run.p->s);
    file_run_result(o, &run, result, sim_wall() - began);
    report_print(&run.report, stdout);
    int code = program_verdict(o, result, run.report.good, report_json(&run.report), &made, stdout);
    file_run_close(&run);
    fabric_free(f);
    sniffer_free(print);
    return code;
}
