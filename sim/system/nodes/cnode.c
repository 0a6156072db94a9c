#include "sim/system/nodes/cnode.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/core/kernel/model.h"
#include "sim/system/nodes/node.h"

enum { RESET_CLOCKS = 16, CLEAR_CLOCKS = 1040 /* receive memory and the memory of objects */ };

cnode_params cnode_params_default(unsigned id, const sim_config *chip)
{
    node_params like = node_params_default(id);
    return (cnode_params){.chip = chip,
                          .cpu = ppc405_defaults(),
                          .private_memory = plb_memory_defaults(),
                          .memory = external_params_ddr(),
                          .period = 10000,
                          .net_period = like.net_period,
                          .ppm = like.pci_ppm,
                          .net_ppm = like.net_ppm};
}

static sim_clock *new_clock(cnode *n, const char *which, sim_time period, double ppm)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s", n->name, which);
    return sim_clock_new(
        n->s,
        &(sim_clock_params){
            .name = name, .period = period, .ppm = ppm, .jitter = n->params.jitter, .phase = -1, .group = n->group});
}

/* What the processors wait for, for the report of a run that ends badly. */
static void report(void *self, FILE *f)
{
    const cnode *n = self;
    for (unsigned i = 0; i < COHERENT_CPUS; i++) {
        ppc405_stats s = ppc405_get_stats(n->cpu[i]);
        fprintf(f, "  processor %u: %llu loads, %llu stores, %llu errors (last at 0x%08x)\n", i,
                (unsigned long long)s.loads, (unsigned long long)s.stores, (unsigned long long)s.errors,
                s.error_address);
        ppc405_print(n->cpu[i], f);
    }
}

static int add_processor(cnode *n, unsigned i)
{
    char name[32];
    snprintf(name, sizeof name, "%s.cpu%u", n->name, i);
    n->cpu[i] = ppc405_new(n->s, n->clock, &n->chip.plb[i], &n->params.cpu, name);
    n->private_memory[i] = plb_memory_new(n->s, n->clock, &n->chip.private_plb[i], &n->params.private_memory);
    return n->cpu[i] && n->private_memory[i] ? 0 : -1;
}

/* ---- the observer sees pins of both processors side by side */

static void see(void *self)
{
    cnode *n = self;
    struct cnode_seen *w = &n->seen;
    *w = (struct cnode_seen){.rst = !*n->chip.rst_n};
    for (unsigned i = 0; i < COHERENT_CPUS; i++) {
        const plb_master_pins *p = &n->chip.plb[i];
        w->request |= (uint8_t)(*p->request << i);
        w->rnw |= (uint8_t)(*p->rnw << i);
        w->size2 |= (uint8_t)(*p->size2 << i);
        w->cancel |= (uint8_t)(*p->abort << i);
        w->addrack |= (uint8_t)(*p->addrack << i);
        w->rddack |= (uint8_t)(*p->rddack << i);
        w->wrdack |= (uint8_t)(*p->wrdack << i);
        w->busy |= (uint8_t)(*p->busy << i);
        w->be |= (uint16_t)(*p->be << 8 * i);
        w->abus |= (uint64_t)*p->abus << 32 * i;
        for (unsigned k = 0; k < 2; k++) {
            w->wrdbus[2 * i + k] = (uint32_t)(*p->wrdbus >> 32 * k);
            w->rddbus[2 * i + k] = (uint32_t)(*p->rddbus >> 32 * k);
        }
    }
}

static uint64_t peek(void *memory, uint64_t word) { return external_get(memory, word, NULL); }

/* A port of coherent_memory. */
static const void *port_of(cnode *n, const char *name)
{
    unsigned bytes;
    const void *at = sim_model_signal(n->chip.model, "coherent_node.memory", name, &bytes);
    if (!at) sim_fail(n->s, "%s: there is no public signal coherent_node.memory.%s", n->name, name);
    return at;
}

#define OF(name) .name = port_of(n, #name)
static observer *observe(cnode *n)
{
    const struct cnode_seen *w = &n->seen;
    const observer_pins pins = {.rst = &w->rst,
                                .request = &w->request,
                                .rnw = &w->rnw,
                                .size2 = &w->size2,
                                .cancel = &w->cancel,
                                .addrack = &w->addrack,
                                .rddack = &w->rddack,
                                .wrdack = &w->wrdack,
                                .busy = &w->busy,
                                .abus = &w->abus,
                                .be = &w->be,
                                .wrdbus = w->wrdbus,
                                .rddbus = w->rddbus,
                                OF(snoop_valid),
                                OF(snoop_kind),
                                OF(snoop_source),
                                OF(snoop_allocate),
                                OF(snoop_cache),
                                OF(snoop_done),
                                OF(snoop_line),
                                OF(answer_has),
                                OF(answer_supplies),
                                OF(answer_dirty),
                                OF(answer_takes),
                                OF(ni_has),
                                OF(ni_tag),
                                OF(ni_word),
                                OF(ni_out_take),
                                OF(ni_out_word),
                                OF(ni_out_mask),
                                OF(ni_in_valid),
                                OF(ni_in_word),
                                OF(ni_in_tag),
                                OF(ni_out_data),
                                OF(ni_in_data)};
    if (*sim_error(n->s)) return NULL;
    sim_clock_attach(n->clock, see, NULL, n);
    return observer_new(n->s, n->clock, &pins, peek, n->memory);
}

cnode *cnode_new(sim *s, unsigned id, const cnode_params *params)
{
    cnode *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->s = s;
    n->id = id;
    n->params = *params;
    snprintf(n->name, sizeof n->name, "node%u", id);
    snprintf(n->chip_name, sizeof n->chip_name, "coherent%u", id);
    n->group = sim_group_new(s, n->name);
    n->clock = new_clock(n, "plb", params->period, params->ppm);
    n->net_clock = new_clock(n, "net", params->net_period, params->net_ppm);
    if (!n->clock || !n->net_clock || coherent_chip_make(params->chip, s, n->chip_name, &n->chip)) {
        cnode_free(n);
        return NULL;
    }
    sim_model_clock(n->chip.model, n->clock, n->chip.clk);
    sim_model_clock(n->chip.model, n->net_clock, n->chip.net_clk);
    *n->chip.rst_n = 0;
    n->memory = external_new(s, n->clock, &n->chip.memory, &params->memory);
    if (!n->memory || add_processor(n, 0) || add_processor(n, 1) || !(n->observer = observe(n))) {
        cnode_free(n);
        return NULL;
    }
    sim_report(s, n->net_clock, report, n, n->name);
    return n;
}

void cnode_free(cnode *n)
{
    if (!n) return;
    if (n->observer) sim_clock_detach(n->clock, n);
    observer_free(n->observer);
    for (unsigned i = 0; i < COHERENT_CPUS; i++) {
        ppc405_free(n->cpu[i]);
        plb_memory_free(n->private_memory[i]);
    }
    external_free(n->memory);
    sim_model_free(n->chip.model);
    free(n);
}

void cnode_reset(cnode *n)
{
    sim_wait_cycles(n->clock, RESET_CLOCKS);
    *n->chip.rst_n = 1;
    sim_wait_cycles(n->clock, CLEAR_CLOCKS);
}
