/* The port: pins, contents, answers in order. See external.h. */
#include "sim/model/external/external.h"

#include <stdlib.h>

#include "sim/model/external/external_private.h"
#include "sim/model/host/memory.h"

enum { ANSWERS = 128 };

struct answer {
    uint64_t due; /* clock */
    uint64_t data;
    uint8_t tag;
};

struct external {
    sim *s;
    sim_clock *clock;
    external_pins pins;
    external_params p;
    memory *data, *tags; /* bytes at 8 x word, at word */
    const external_ops *ops;
    void *part;
    uint64_t now; /* number of the clock that has begun */
    external_request request;
    int taken; /* at the edge: request is valid */
    struct answer answers[ANSWERS];
    unsigned first, count;
    unsigned reads; /* taken and not answered */
    int rests;      /* the pins stay as they are until a request is taken */
    external_stats stats;
};

external_params external_params_zbt(void)
{
    return (external_params){.kind = EXTERNAL_ZBT, .zbt = zbt_params_default(), .sdram = sdram_params_default()};
}

external_params external_params_sdram(void)
{
    external_params p = external_params_zbt();
    p.kind = EXTERNAL_SDRAM;
    return p;
}

external_params external_params_ddr(void)
{
    external_params p = external_params_sdram();
    p.sdram = sdram_params_ddr();
    return p;
}

const char *external_params_check(const external_params *p)
{
    if (p->kind != EXTERNAL_ZBT && p->kind != EXTERNAL_SDRAM) return "kind must be EXTERNAL_ZBT or EXTERNAL_SDRAM";
    if (p->stall_percent > 99) return "stall_percent must be 0..99";
    return p->kind == EXTERNAL_ZBT ? zbt_params_check(&p->zbt) : sdram_params_check(&p->sdram);
}

void external_access(external *m, const external_request *r, uint64_t word, unsigned delay)
{
    uint8_t tag;
    if (r->write) {
        memory_put64(m->data, 8 * word, r->data, r->enables & 0xff);
        if (r->enables >> 8) memory_write(m->tags, word, &r->tag, 1);
        return;
    }
    memory_read(m->tags, word, &tag, 1);
    if (m->count == ANSWERS) {
        sim_fail(m->s, "external memory: more than %d answers under way", ANSWERS);
        return;
    }
    m->answers[(m->first + m->count++) % ANSWERS] =
        (struct answer){m->now + delay, memory_get64(m->data, 8 * word), tag};
}

static void sample(void *self)
{
    external *m = self;
    const external_pins *p = &m->pins;
    m->stats.clocks++;
    m->taken = 0;
    if (!*p->mem_valid) return;
    m->taken = *p->mem_ready;
    m->stats.refused += !m->taken;
    if (!m->taken) return;
    m->request = (external_request){.word = *p->mem_addr,
                                    .data = p->mem_wdata[0] | (uint64_t)p->mem_wdata[1] << 32,
                                    .tag = (uint8_t)p->mem_wdata[2],
                                    .enables = *p->mem_we ? *p->mem_be & 0x1ff : 0,
                                    .write = *p->mem_we};
    if (m->request.write) m->stats.writes++;
    else m->stats.reads++;
    m->reads += !m->request.write;
}

static void drive(void *self)
{
    external *m = self;
    m->now++;
    if (m->rests && !m->taken) return;
    if (m->taken || m->ops->every_clock) m->ops->clock(m->part, m->now, m->taken ? &m->request : NULL);
    *m->pins.mem_rvalid = 0;
    if (m->count && m->answers[m->first].due <= m->now) {
        const struct answer *a = &m->answers[m->first];
        *m->pins.mem_rvalid = 1;
        m->pins.mem_rdata[0] = (uint32_t)a->data;
        m->pins.mem_rdata[1] = (uint32_t)(a->data >> 32);
        m->pins.mem_rdata[2] = a->tag;
        m->first = (m->first + 1) % ANSWERS;
        m->count--;
        m->reads--;
    }
    if (m->taken && m->reads > EXTERNAL_READS)
        sim_fail(m->s, "external memory: clock %llu: %u reads outstanding, expected at most %d",
                 (unsigned long long)m->now, m->reads, EXTERNAL_READS);
    *m->pins.mem_ready = (uint8_t)((!m->ops->room || m->ops->room(m->part)) && !sim_chance(m->s, m->p.stall_percent));
    m->rests = !m->count && !*m->pins.mem_rvalid && !m->ops->every_clock && !m->ops->room && !m->p.stall_percent;
}

external *external_new(sim *s, sim_clock *clock, const external_pins *pins, const external_params *params)
{
    const char *wrong = external_params_check(params);
    if (wrong) {
        sim_fail(s, "external memory: %s", wrong);
        return NULL;
    }
    external *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->s = s;
    m->clock = clock;
    m->pins = *pins;
    m->p = *params;
    m->data = memory_new();
    m->tags = memory_new();
    m->ops = params->kind == EXTERNAL_ZBT ? &zbt_ops : &sdram_ops;
    m->part = params->kind == EXTERNAL_ZBT ? zbt_new(m, &params->zbt) : sdram_new(s, m, &params->sdram);
    if (!m->data || !m->tags || !m->part) {
        external_free(m);
        return NULL;
    }
    *m->pins.mem_ready = *m->pins.mem_rvalid = 0;
    sim_clock_attach(clock, sample, drive, m);
    return m;
}

void external_free(external *m)
{
    if (!m) return;
    sim_clock_detach(m->clock, m);
    memory_free(m->data);
    memory_free(m->tags);
    if (m->part) m->ops->free(m->part);
    free(m);
}

uint64_t external_get(external *m, uint64_t word, uint8_t *tag)
{
    if (tag) memory_read(m->tags, word, tag, 1);
    return memory_get64(m->data, 8 * word);
}

void external_put(external *m, uint64_t word, uint64_t data, uint8_t tag)
{
    memory_put64(m->data, 8 * word, data, 0xff);
    memory_write(m->tags, word, &tag, 1);
}

external_stats external_get_stats(const external *m)
{
    external_stats stats = m->stats;
    if (m->p.kind == EXTERNAL_SDRAM) stats.sdram = *sdram_get_stats(m->part);
    return stats;
}

sdram_chip *external_chip(external *m) { return m->p.kind == EXTERNAL_SDRAM ? sdram_get_chip(m->part) : NULL; }

void external_on_command(external *m, sdram_on_command fn, void *arg)
{
    if (m->p.kind == EXTERNAL_SDRAM) sdram_set_on_command(m->part, fn, arg);
}
