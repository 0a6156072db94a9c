/* A file crosses from one host to another, or between two hosts both ways at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

/* /usr/bin/make is on every machine that gets here, some 240 KB. */
static const char *const default_files[] = {"/usr/bin/make", "/usr/bin/gmake", "/bin/sh", NULL};
static const char *const brief_files[] = {"/etc/services", "/etc/passwd", "/bin/sh", NULL};

const char *program_default_file(int brief)
{
    for (const char *const *file = brief ? brief_files : default_files; *file; file++)
        if (!access(*file, R_OK)) return *file;
    fprintf(stderr, "nicxbar-sim: no file to send is on this machine: name one with --file\n");
    exit(2);
}

int program_brief(const program_options *o)
{
    return o->run == RUN_SUITE && o->waves && !o->wave_from_us && o->wave_to_us == UINT64_MAX;
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
    p->pins = o->pins;
    if (o->pins_to_us) p->pins_to = o->pins_to_us * SIM_US;
}

static void node_options(const program_options *o, node_params *p)
{
    p->host = strcmp(o->bridge, "ideal") ? host_params_server2004() : host_params_ideal();
    p->host.monitor = o->monitor;
    p->nic = o->nic;
    if (o->sdram) p->external = external_params_sdram();
}

void program_fabric(const program_options *o, unsigned nodes, fabric_params *p)
{
    fabric_params_default(p, nodes, o->direct ? NULL : o->chips->chip);
    sim_options(o, &p->sim);
    for (unsigned i = 0; i < nodes; i++) node_options(o, &p->node[i]);
    p->driver.payload_words = o->payload;
}

static pair *build(const program_options *o)
{
    pair_params p;
    pair_params_default(&p);
    sim_options(o, &p.sim);
    for (int i = 0; i < 2; i++) node_options(o, &p.node[i]);
    p.driver.payload_words = o->payload;
    return pair_new(&p);
}

sim_cycles *program_cycles(const program_options *o, sim *s, node *const *nodes, unsigned count, sim_model *chip)
{
    if (!o->cycles) return NULL;
    sim_cycles *cycles = sim_cycles_new(s);
    for (unsigned i = 0; i < count; i++) sim_cycles_add(cycles, nodes[i]->nic.model);
    if (chip) sim_cycles_add(cycles, chip);
    return cycles;
}

sniffer *program_sniffer(const program_options *o, cable *wire)
{
    if (!o->sniff) return NULL;
    sniffer *print = sniffer_new(sniffer_print_frame, stdout);
    sniffer_attach(print, wire, 0);
    return print;
}

static void started(void *arg)
{
    file_run *run = arg;
    meter_clear(run->meter);
    if (run->cycles) sim_cycles_start(run->cycles);
}

int file_run_new(const program_options *o, fabric *f, file_run *run)
{
    const char *file = o->file ? o->file : program_default_file(program_brief(o));
    *run = (file_run){.f = f, .x.interrupts = o->interrupts};
    for (int i = 0; i < 1 + (o->both || !o->file); i++)
        run->x.direction[i] = (exchange_direction){.path = file, .size = program_file_size(file)};
    run->p = f ? pair_in(f, 0, 1) : build(o);
    if (!run->p) return -1;
    run->x.p = run->p;
    run->meter = meter_new(run->p);
    if (f) run->cycles = program_cycles(o, f->s, f->node, f->nodes, f->chip.model);
    else run->cycles = program_cycles(o, run->p->s, run->p->node, 2, NULL);
    run->x.started = started;
    run->x.arg = run;
    return 0;
}

void file_run_result(const program_options *o, file_run *run, int result, double wall)
{
    run->report = (report){.x = &run->x,
                           .meter = run->meter,
                           .cycles = run->cycles,
                           .bridge = o->bridge,
                           .payload = o->payload,
                           .wall = wall,
                           .result = result,
                           .good = result == SIM_OK && exchange_good(&run->x),
                           .waves = o->waves,
                           .json = program_json(o)};
}

void file_run_close(file_run *run)
{
    sim_cycles_free(run->cycles);
    meter_free(run->meter);
    pair_free(run->p);
}

int run_file(const program_options *o)
{
    file_run run;
    fabric_params p;
    fabric *f = NULL;
    if (!o->direct) {
        program_fabric(o, o->nodes, &p);
        f = fabric_new(&p);
        if (!f) return 1;
    }
    if (file_run_new(o, f, &run)) {
        fabric_free(f);
        return 1;
    }
    int end;
    sniffer *print = program_sniffer(o, f ? fabric_wire(f, o->sniff_node, &end) : run.p->wire);
    sim_task_new(run.p->s, "exchange", exchange_run, &run.x);
    double began = sim_wall();
    int result = sim_run(run.p->s, SIM_FOREVER);
    file_run_result(o, &run, result, sim_wall() - began);
    int good = report_print(&run.report, stdout) == 0 && run.report.good;
    file_run_close(&run);
    fabric_free(f);
    sniffer_free(print);
    return good ? 0 : result == SIM_INTERRUPTED ? 130 : 1;
}
