/* A host program (nx_host.h) runs on all hosts at once. With faults by plan its return value says whether they have
 * hurt it; the account has strikes and counters, but no lost packets: only the program knows what it sends. */
#include "sim/system/nodes/host_program.h"

#include <jansson.h>

#include "sim/app/nicxbar/run.h"
#include "sim/system/nodes/switch_access.h"

/* With faults: how long the driver waits for what may be lost. */
enum { WAITS_US = 2000 };

typedef struct run {
    const program_options *o;
    fabric *f;
    host_program *program;
    sim_cycles *cycles;
    faults *faults; /* NULL: none */
    json_t *figures[FABRIC_NODES];
} run;

static void began(void *arg)
{
    run *r = arg;
    char error[SWITCH_ERROR];
    if (r->o->commands && switch_settings(r->f, r->o->commands, error)) sim_fail(r->f->s, "%s", error);
    if (r->cycles) sim_cycles_start(r->cycles);
    if (r->faults && faults_begin(r->faults)) sim_fail(r->f->s, "%s", faults_error(r->faults));
}

static void ended(void *arg)
{
    const run *r = arg;
    char error[SWITCH_ERROR], wrong[300];
    sim_cycles_window(r->cycles, 0);
    if (r->faults && faults_end(r->faults)) sim_fail(r->f->s, "%s", faults_error(r->faults));
    else if (r->faults && faults_good(r->faults, wrong, sizeof wrong)) sim_fail(r->f->s, "%s", wrong);
    if (r->o->commands && (switch_tables(r->f, r->o->commands, error) || switch_dump(r->f, r->o->dump, error)))
        sim_fail(r->f->s, "%s", error);
}

static void print(void *arg, unsigned rank, const char *line)
{
    (void)arg;
    printf("host %u: %s\n", rank, line);
}

static void figure(void *arg, unsigned rank, const char *name, double value, const char *unit)
{
    run *r = arg;
    printf("host %u: %-40s %14.3f %s\n", rank, name, value, unit);
    json_array_append_new(r->figures[rank], json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit));
}

static json_t *results(const run *r, int result, double wall)
{
    const program_options *o = r->o;
    json_t *hosts = json_array(), *arguments = json_array();
    for (int i = 0; i < o->program_argc; i++) json_array_append_new(arguments, json_string(o->program_argv[i]));
    for (unsigned i = 0; i < r->f->nodes; i++) {
        host_program_end end = host_program_get_end(r->program, i);
        json_t *host = json_pack("{s:i, s:O}", "rank", (int)i, "figures", r->figures[i]);
        if (end.returned) {
            json_object_set_new(host, "returned", json_integer(end.value));
            json_object_set_new(host, "us", json_real(1e-6 * (double)(end.when - host_program_began(r->program))));
        }
        json_array_append_new(hosts, host);
    }
    json_t *all =
        json_pack("{s:b, s:s, s:s, s:s, s:o, s:I, s:s, s:f, s:f, s:o}", "good", result == SIM_OK, "result",
                  sim_result_name(result), "error", sim_error(r->f->s), "program", host_program_name(r->program),
                  "arguments", arguments, "seed", (json_int_t)o->seed, "bridge", o->bridge, "simulated_ms",
                  1e-9 * (double)sim_now(r->f->s), "wall_s", wall, "hosts", hosts);
    program_cycles_result(o, r->cycles, all);
    if (r->faults) json_object_set_new(all, "faults", faults_json(r->faults));
    return all;
}

int run_program(const program_options *o)
{
    fabric_params p;
    program_fabric(o, &p);
    if (o->faults) p.driver.timeout_ns = WAITS_US * 1000;
    run r = {.o = o, .f = fabric_new(&p)};
    int code = 1;
    if (!r.f) goto end;
    for (unsigned i = 0; i < r.f->nodes; i++) r.figures[i] = json_array();
    if (o->faults && !(r.faults = faults_new(&o->plan, r.f))) {
        fprintf(stderr, "nicxbar-sim: out of memory\n");
        goto end;
    }
    r.program = host_program_new(r.f, o->program, o->program_argc, o->program_argv,
                                 &(host_program_calls){&r, began, ended, print, figure});
    if (!r.program) goto end;
    recordings made;
    if (program_record(o, r.f, &made)) goto end;
    sniffers frames;
    program_sniffer(o, r.f, &frames);
    r.cycles = program_cycles(o, r.f);
    host_program_start(r.program);
    double start = sim_wall();
    int result = program_sim(r.f->s);
    double wall = sim_wall() - start;
    if (r.faults) faults_print(r.faults, stdout);
    printf("%s on %u hosts, %s; hosts %s; seed %llu; %.3f ms simulated in %.1f s\n", host_program_name(r.program),
           r.f->nodes, r.f->chip.model ? r.f->chip.kind->name : "no switch", o->bridge, (unsigned long long)o->seed,
           1e-9 * (double)sim_now(r.f->s), wall);
    code = program_verdict(o, result, 1, results(&r, result, wall), &made, stdout);
    sim_cycles_free(r.cycles);
    program_sniffer_free(&frames);
end:
    host_program_free(r.program);
    faults_free(r.faults);
    for (unsigned i = 0; i < FABRIC_NODES; i++) json_decref(r.figures[i]);
    fabric_free(r.f);
    return code;
}
