#include "sim/app/coherent/coherent_run.h"

#include <stdlib.h>
#include <string.h>

/* ---- a processor as programs see it ---- */

/* Who loads from ever new places is getting on, too: who waits polls one word, or two of a lock. */
static void moved(coherent_processor *p, uint32_t address)
{
    if (address == p->polled[0] || address == p->polled[1]) return;
    p->polled[1] = p->polled[0];
    p->polled[0] = address;
    sim_progress(p->node->s);
}

static uint32_t load32(void *self, uint32_t address)
{
    coherent_processor *p = self;
    moved(p, address);
    return ppc405_load32(p->cpu, address);
}

/* Who stores is getting on: nobody polls by stores. */
static void store32(void *self, uint32_t address, uint32_t value)
{
    coherent_processor *p = self;
    ppc405_store32(p->cpu, address, value);
    sim_progress(p->node->s);
}

/* A loop that has two loads under way, as many as the processor can. */
static void load_block(void *self, uint32_t address, uint32_t *to, unsigned words)
{
    ppc405 *cpu = ((coherent_processor *)self)->cpu;
    ppc405_ticket ticket[2];
    for (unsigned i = 0; i < words + 2; i++) {
        if (i >= 2) to[i - 2] = ppc405_load_end(cpu, ticket[i % 2]);
        if (i < words) ticket[i % 2] = ppc405_load_begin(cpu, address + 4 * i);
    }
}

static void synchronise(void *self) { ppc405_sync(((coherent_processor *)self)->cpu); }

static void work(void *self, uint32_t clocks) { ppc405_compute(((coherent_processor *)self)->cpu, clocks); }

/* The program may be some core clocks ahead of the bus. */
static uint64_t now(void *self)
{
    const coherent_processor *p = self;
    unsigned ratio = p->node->params.cpu.ratio;
    uint64_t core = ppc405_now(p->cpu), bus = ppc405_clock(p->cpu) * ratio;
    return sim_now(p->node->s) + (core > bus ? (core - bus) * sim_clock_period(p->node->clock) / ratio : 0);
}

static void note_error(void *self, const ppc405_access *a)
{
    coherent_processor *p = self;
    if (p->run->on_access) p->run->on_access(p->run->self, p, a);
    if (!a->error) return;
    p->errors++;
    p->error_address = a->address;
}

/* ---- the course of a run ---- */

static nc_cpu *cpu_of(const coherent_processor *p)
{
    coherent_run *r = p->run;
    for (unsigned i = 0; i < r->cpus; i++)
        if (r->cpu[i].platform == (p->host ? &p->host->platform : &p->platform)) return &r->cpu[i];
    return NULL;
}

static void perform(void *self)
{
    coherent_processor *p = self;
    nc_cpu *cpu = cpu_of(p);
    p->result = p->function(cpu);
    if (p->result) sim_fail(p->run->f->s, "%s", *cpu->error ? cpu->error : "the program has failed");
    if (p->errors)
        sim_fail(p->node->s, "%s: processor %u: %llu accesses were answered with an error, the last one at 0x%08x",
                 p->node->name, cpu->processor, (unsigned long long)p->errors, p->error_address);
}

/* On this many processors of each node. */
static void on_all(coherent_run *r, int (*function)(nc_cpu *cpu), unsigned processors)
{
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < processors; k++) {
            coherent_processor *p = &r->processor[i][k];
            char name[32];
            if (!p->node && !p->host) continue;
            snprintf(name, sizeof name, "%s.cpu%u", p->host ? p->host->n->name : p->node->name, k);
            p->function = function;
            p->task = sim_task_new_in(p->host ? p->host->n->group : p->node->group, name, perform, p);
        }
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < processors; k++)
            if (r->processor[i][k].task) sim_join(r->processor[i][k].task);
}

static void open_host(void *self)
{
    coherent_processor *p = self;
    p->result = coherent_host_open(p->host, p->host->n, &p->run->o.run);
}

static void close_host(void *self) { coherent_host_close(((coherent_processor *)self)->host); }

static void on_host(coherent_processor *p, void (*function)(void *self))
{
    sim_join(sim_task_new_in(p->host->n->group, "host", function, p));
}

/* The PCI-X hosts of a mixed fabric, whose memory lies where their allocators say. */
static int open_hosts(coherent_run *r)
{
    for (unsigned i = 0; i < r->f->nodes; i++) {
        coherent_processor *p = &r->processor[i][0];
        if (!p->host) continue;
        on_host(p, open_host);
        if (p->result) return -1;
        r->o.run.base[i] = p->host->base;
    }
    for (unsigned i = 0; i < r->f->nodes; i++)
        if (r->processor[i][0].host) memcpy(r->host[i].options.base, r->o.run.base, sizeof r->o.run.base);
    return 0;
}

static void course(void *self)
{
    coherent_run *r = self;
    if (fabric_start(r->f)) {
        sim_fail(r->f->s, "%s", fabric_error(r->f));
        return;
    }
    if (open_hosts(r)) return;
    on_all(r, r->o.program->prepare, 1);
    for (unsigned i = 0; i < r->f->nodes; i++)
        for (unsigned k = 0; k < COHERENT_CPUS; k++)
            if (r->processor[i][k].node) r->processor[i][k].before = ppc405_get_stats(r->processor[i][k].cpu);
    for (unsigned i = 0; i < r->f->nodes; i++)
        if (r->f->cnode[i]) r->before[i] = observer_get_stats(r->f->cnode[i]->observer);
    r->from = sim_now(r->f->s);
    if (r->cycles) sim_cycles_start(r->cycles);
    on_all(r, r->o.program->run, r->o.program->processors);
    if (r->cycles) sim_cycles_stop(r->cycles);
    r->to = sim_now(r->f->s);
    for (unsigned i = 0; i < r->f->nodes; i++)
        if (r->processor[i][0].host) on_host(&r->processor[i][0], close_host);
    fabric_stop(r->f);
}

static void add_processors(coherent_run *r, unsigned i)
{
    for (unsigned k = 0; k < COHERENT_CPUS; k++) {
        coherent_processor *p = &r->processor[i][k];
        *p = (coherent_processor){.run = r,
                                  .node = r->f->cnode[i],
                                  .cpu = r->f->cnode[i]->cpu[k],
                                  .platform = {.self = p,
                                               .load32 = load32,
                                               .store32 = store32,
                                               .load_block = load_block,
                                               .sync = synchronise,
                                               .work = work,
                                               .now = now}};
        ppc405_on_access(p->cpu, note_error, p);
        if (k < r->o.program->processors || !k)
            nc_cpu_init(&r->cpu[r->cpus++], r->o.program, &p->platform, &r->o.run, i, k);
    }
}

static void add_host(coherent_run *r, unsigned i)
{
    coherent_processor *p = &r->processor[i][0];
    r->host[i].n = r->f->node[i];
    *p = (coherent_processor){.run = r, .host = &r->host[i]};
    nc_cpu_init(&r->cpu[r->cpus++], r->o.program, &r->host[i].platform, &r->host[i].options, i, 0);
}

static int add_cycles(coherent_run *r, char error[OPTION_ERROR])
{
    r->cycles = sim_cycles_new(r->f->s);
    for (unsigned i = 0; r->cycles && i < r->f->nodes; i++)
        if (sim_cycles_add(r->cycles, r->f->cnode[i] ? r->f->cnode[i]->chip.model : r->f->node[i]->nic.model) < 0) {
            snprintf(error, OPTION_ERROR, "cycles: %s", sim_error(r->f->s));
            return -1;
        }
    if (r->cycles && r->f->chip.model && sim_cycles_add(r->cycles, r->f->chip.model) < 0) return -1;
    return r->cycles ? 0 : -1;
}

coherent_run *coherent_run_new(const coherent_options *o, const coherent_chips *chips, const sim_params *sim,
                               char error[OPTION_ERROR])
{
    static fabric_params p;
    coherent_run *r = calloc(1, sizeof *r);
    snprintf(error, OPTION_ERROR, "no memory left");
    if (!r) return NULL;
    r->o = *o;
    fabric_params_default(&p, o->nodes, o->direct ? NULL : chips->crossbar);
    p.sim = *sim;
    for (unsigned i = 0; i < o->nodes; i++) {
        p.node[i].nic = chips->nic;
        if (o->mixed && i % 2) continue;
        p.coherent |= 1u << i;
        p.cnode[i] = cnode_params_default(i, chips->node);
        p.cnode[i].cpu.ratio = o->ratio;
    }
    r->f = fabric_new(&p);
    if (!r->f || (o->cycles && add_cycles(r, error))) {
        if (!r->f) snprintf(error, OPTION_ERROR, "the system cannot be built, see above");
        coherent_run_free(r);
        return NULL;
    }
    for (unsigned i = 0; i < o->nodes; i++)
        if (r->f->cnode[i]) add_processors(r, i);
        else add_host(r, i);
    if (sim_task_new(r->f->s, "course", course, r)) return r;
    coherent_run_free(r);
    return NULL;
}

void coherent_run_free(coherent_run *r)
{
    if (!r) return;
    sim_cycles_free(r->cycles);
    fabric_free(r->f);
    free(r);
}

int coherent_run_simulate(coherent_run *r)
{
    sim *s = r->f->s;
    double from = sim_wall();
    int result = sim_recorded(s, sim_run(s, SIM_FOREVER));
    r->wall = sim_wall() - from;
    if (result == SIM_INTERRUPTED) return 130;
    r->lines = nc_fold(r->cpu, r->cpus, r->line);
    if (result != SIM_OK) printf("BAD: %s: %s\n", sim_result_name(result), sim_error(s));
    else if (sim_waves_missing(s)) puts("BAD: no waves are recorded");
    return result != SIM_OK || sim_waves_missing(s);
}
