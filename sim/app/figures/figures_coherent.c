/* Figures of the coherent node: its caches on the pins of the PLB ports, in clocks of 10 ns; data acknowledge less
 * first clock of the request. The node runs programs that are no scenarios. */

#include <string.h>

#include "sim/app/coherent/coherent_run.h"
#include "sim/app/figures/figures_private.h"

enum {
    MEMORY = 0x40000000,
    HELD = MEMORY + 0x40,
    SAME_SET = 8 << 10 /* [bytes] between lines of one set */,
    ROW = 8 << 10
};
enum { TRIES = 400, FLAG = MEMORY + 0x100000 };

/* Accesses of processor 0 to a range of addresses, while armed. */
struct watch {
    uint32_t from, to;
    int write, armed;
    uint64_t least, most, count;
    unsigned times[64]; /* by clocks */
};

static void on_access(void *self, const coherent_processor *p, const ppc405_access *a)
{
    struct watch *w = self;
    if (!w->armed || p != &p->run->processor[0][0] || a->write != (unsigned)w->write) return;
    if (a->address < w->from || a->address >= w->to) return;
    uint64_t clocks = a->done - a->requested;
    if (!w->count || clocks < w->least) w->least = clocks;
    if (clocks > w->most) w->most = clocks;
    w->times[clocks < 63 ? clocks : 63]++;
    w->count++;
}

static struct watch watch;

static uint32_t load(nc_cpu *cpu, uint32_t address) { return cpu->platform->load32(cpu->platform->self, address); }

static void store(nc_cpu *cpu, uint32_t address, uint32_t value)
{
    cpu->platform->store32(cpu->platform->self, address, value);
}

static void work(nc_cpu *cpu, uint32_t clocks) { cpu->platform->work(cpu->platform->self, clocks); }

static int nothing(nc_cpu *cpu)
{
    (void)cpu;
    return 0;
}

/* ---- hits of one processor, while the other one misses in lines of the same set ---- */

static int disturb(nc_cpu *cpu)
{
    for (unsigned i = 1; load(cpu, FLAG) == 0; i++) {
        store(cpu, HELD + 0x20 + SAME_SET * (i % 8), i);
        load(cpu, HELD + SAME_SET * (1 + i % 7) + 0x80000);
    }
    return 0;
}

static int hit(nc_cpu *cpu)
{
    if (cpu->processor) return disturb(cpu);
    store(cpu, HELD, 1);
    cpu->platform->sync(cpu->platform->self);
    for (unsigned i = 0; i < TRIES; i++) {
        watch.armed = 1;
        if (watch.write) store(cpu, HELD + 4 * (i % 8), i);
        else load(cpu, HELD + 4 * (i % 8));
        if (i % 3) work(cpu, i % 7);
    }
    cpu->platform->sync(cpu->platform->self);
    watch.armed = 0;
    store(cpu, FLAG, 1);
    return 0;
}

/* ---- a line that the other cache has in M ---- */

static int take_dirty(nc_cpu *cpu)
{
    for (unsigned i = 0; i < 64; i++) {
        uint32_t line = MEMORY + 0x20 * i;
        if (cpu->processor) {
            store(cpu, line, i);
            cpu->platform->sync(cpu->platform->self);
            store(cpu, FLAG, i + 1);
            while (load(cpu, FLAG + 0x40) != i + 1) work(cpu, 20);
        } else {
            while (load(cpu, FLAG) != i + 1) work(cpu, 20);
            work(cpu, 200 + i);
            watch.armed = 1;
            load(cpu, line);
            watch.armed = 0;
            store(cpu, FLAG + 0x40, i + 1);
        }
    }
    return 0;
}

/* ---- lines in no cache: their row of the DDR SDRAM is open, or its bank is closed by a refresh, or another row of it
 * is open ---- */

enum { OPEN, CLOSED, OTHER };
static int kind;

static int miss(nc_cpu *cpu)
{
    if (cpu->processor) return 0;
    for (unsigned i = 0; i < 64; i++) {
        uint32_t near = MEMORY + 0x200000 + 4 * ROW * i;
        if (kind != CLOSED) load(cpu, near);
        work(cpu, kind == CLOSED ? 3000 : 30);
        watch.armed = 1;
        load(cpu, kind == OTHER ? near + 4 * ROW * 64 : near + 0x100);
        watch.armed = 0;
    }
    return 0;
}

static int (*function)(nc_cpu *cpu);

static int of_node_0(nc_cpu *cpu) { return cpu->node ? 0 : function(cpu); }

/* Runs a program on one node of two. */
static int run_on_node(const figure *f, uint64_t seed, int (*what)(nc_cpu *cpu), unsigned processors, double *value)
{
    nc_program program = {.name = "figure",
                          .min_nodes = 2,
                          .max_nodes = 2,
                          .processors = processors,
                          .prepare = nothing,
                          .run = of_node_0};
    const coherent_chips chips = {nic_kind_of(figures_nics, "coherent"), figures_chip, &nic_config};
    char *arguments[] = {"figures", NULL}, error[OPTION_ERROR];
    coherent_options o;
    sim_params p;
    function = what;
    if (coherent_options_read(&o, 1, arguments, error)) return -1;
    o.program = &program;
    o.seed = seed;
    sim_params_default(&p);
    p.seed = seed;
    coherent_run *r = coherent_run_new(&o, &chips, &p, error);
    if (!r) {
        fprintf(stderr, "%s: %s\n", f->name, error);
        return -1;
    }
    r->on_access = on_access;
    r->self = &watch;
    int bad = coherent_run_simulate(r);
    coherent_run_free(r);
    *value = (double)watch.most;
    if (!bad && !watch.count) fprintf(stderr, "%s: there was nothing to measure\n", f->name);
    return bad || !watch.count ? -1 : 0;
}

static int measure_hit(const figure *f, uint64_t seed, double *value)
{
    watch = (struct watch){.from = HELD, .to = HELD + 0x20, .write = f->variant};
    return run_on_node(f, seed, hit, 2, value);
}

static int measure_cache_to_cache(const figure *f, uint64_t seed, double *value)
{
    watch = (struct watch){.from = MEMORY, .to = MEMORY + 0x20 * 64};
    return run_on_node(f, seed, take_dirty, 2, value);
}

static int measure_miss(const figure *f, uint64_t seed, double *value)
{
    watch = (struct watch){.from = MEMORY + 0x200000, .to = MEMORY + 0x10000000};
    kind = f->variant;
    int bad = run_on_node(f, seed, miss, 1, value);
    unsigned mode = 0; /* what most take; some meet a refresh */
    for (unsigned i = 1; i < 64; i++)
        if (watch.times[i] > watch.times[mode]) mode = i;
    *value = mode;
    return bad;
}

#define NODE .nic = "coherent"
const figure figures_coherent[] = {
    {"cache_hit_load", "clocks", NULL, '<', 2, measure_hit, .variant = 0, NODE},
    {"cache_hit_store", "clocks", NULL, '<', 2, measure_hit, .variant = 1, NODE},
    {"cache_to_cache", "clocks", NULL, '<', 12, measure_cache_to_cache, NODE},
    {"cache_miss_open", "clocks", NULL, 0, 0, measure_miss, .variant = OPEN, NODE},
    {"cache_miss_closed", "clocks", NULL, 0, 0, measure_miss, .variant = CLOSED, NODE},
    {"cache_miss_other_row", "clocks", NULL, 0, 0, measure_miss, .variant = OTHER, NODE},
    {0},
};
