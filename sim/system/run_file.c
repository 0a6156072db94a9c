/* A file crosses from one host to another, or between two hosts both ways at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

/* /usr/bin/make is on every machine that gets here, some 240 KB. */
static const char *const default_files[] = {"/usr/bin/make", "/usr/bin/gmake", "/bin/sh"};

const char *program_default_file(void)
{
    for (size_t i = 0; i < sizeof default_files / sizeof default_files[0]; i++)
        if (!access(default_files[i], R_OK)) return default_files[i];
    fprintf(stderr, "nicxbar-sim: no file to send is on this machine: name one with --file\n");
    exit(2);
}

uint64_t program_file_size(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st)) {
        fprintf(stderr, "nicxbar-sim: --file %s: %s\n", path, strerror(errno));
        exit(2);
    }
    fclose(f);
    if (!S_ISREG(st.st_mode)) {
        fprintf(stderr, "nicxbar-sim: --file %s: expected a regular file\n", path);
        exit(2);
    }
    return (uint64_t)st.st_size;
}

static void sim_options(const program_options *o, sim_params *p)
{
    p->seed = o->seed;
    p->quiet = 0;
    p->waves = o->waves;
    p->waves_from = o->wave_from_us * SIM_US;
    if (o->wave_to_us != UINT64_MAX) p->waves_to = o->wave_to_us * SIM_US;
}

static void node_options(const program_options *o, node_params *p)
{
    p->host = strcmp(o->bridge, "ideal") ? host_params_server2004() : host_params_ideal();
    p->host.monitor = o->monitor;
    p->nic = o->chips->nic;
}

void program_fabric(const program_options *o, unsigned nodes, fabric_params *p)
{
    fabric_params_default(p, nodes, o->direct ? NULL : o->chips->chip);
    sim_options(o, &p->sim);
    for (unsigned i = 0; i < nodes; i++) node_options(o, &p->node[i]);
    p->driver.payload_words = o->payload;
}

static pair *build(const program_options *o, file_run *run)
{
    if (!o->direct) {
        fabric_params p;
        program_fabric(o, 2, &p);
        run->f = fabric_new(&p);
        return run->f ? pair_in(run->f, 0, 1) : NULL;
    }
    pair_params p;
    pair_params_default(&p);
    sim_options(o, &p.sim);
    for (int i = 0; i < 2; i++) node_options(o, &p.node[i]);
    p.driver.payload_words = o->payload;
    return pair_new(&p);
}

static void started(void *arg)
{
    file_run *run = arg;
    meter_clear(run->meter);
    if (run->cycles) sim_cycles_start(run->cycles);
}

int file_run_do(const program_options *o, file_run *run)
{
    const char *file = o->file ? o->file : program_default_file();
    *run = (file_run){.x.interrupts = o->interrupts};
    for (int i = 0; i < 1 + (o->both || !o->file); i++)
        run->x.direction[i] = (exchange_direction){.path = file, .size = program_file_size(file)};
    run->p = build(o, run);
    if (!run->p) return -1;
    sim *s = run->p->s;
    run->x.p = run->p;
    run->meter = meter_new(run->p);
    if (o->sniff) {
        run->print = sniffer_new(sniffer_print_frame, stdout);
        sniffer_attach(run->print, o->sniff_node ? run->p->far : run->p->wire, 0);
    }
    if (o->cycles) {
        run->cycles = sim_cycles_new(s);
        for (int i = 0; i < 2; i++) sim_cycles_add(run->cycles, run->p->node[i]->nic.model);
        if (run->f) sim_cycles_add(run->cycles, run->f->chip.model);
    }
    run->x.started = started;
    run->x.arg = run;
    sim_task_new(s, "exchange", exchange_run, &run->x);

    double began = report_wall();
    int result = sim_run(s, SIM_FOREVER);
    run->report = (report){.x = &run->x,
                           .meter = run->meter,
                           .cycles = run->cycles,
                           .bridge = o->bridge,
                           .payload = o->payload,
                           .wall = report_wall() - began,
                           .result = result,
                           .good = result == SIM_OK && exchange_good(&run->x),
                           .waves = o->waves,
                           .json = o->json     ? o->json
                                   : o->cycles ? "build/cycles.json"
                                               : "build/sim.json"};
    return 0;
}

void file_run_close(file_run *run)
{
    sniffer_free(run->print);
    sim_cycles_free(run->cycles);
    meter_free(run->meter);
    pair_free(run->p);
    fabric_free(run->f);
}

int run_file(const program_options *o)
{
    file_run run;
    if (file_run_do(o, &run)) return 1;
    int good = report_print(&run.report, stdout) == 0 && run.report.good, result = run.report.result;
    file_run_close(&run);
    return good ? 0 : result == SIM_INTERRUPTED ? 130 : 1;
}
