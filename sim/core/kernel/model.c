/* Models: their life, their clocks, and looking into them. */
#include "sim/core/parallel/parallel.h"
#include "sim/core/waves/waves.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

void *sim_model_prepare(sim *s, const sim_engine *engine, const char *instance)
{
    const char *c = instance;
    while (isalnum((unsigned char)*c) || *c == '_') c++;
    if (c == instance || *c) {
        sim_fail(s, "model name \"%s\": expected letters, digits and _", instance);
        return NULL;
    }
    for (size_t i = 0; i < s->models.count; i++)
        if (!strcmp(s->models.at[i]->name, instance)) {
            sim_fail(s, "model name \"%s\" is taken", instance);
            return NULL;
        }
    void *context = s->context = engine->context_new(s->params.initial_zero);
    s->engine = engine;
    engine->context_time(context, 0); /* a newer Verilator takes new models only then */
    engine->context_seed(context, (uint32_t)(random_hash(s->params.seed, instance) % 0x7fffffff) + 1);
    return context;
}

sim_model *sim_model_new(sim *s, const sim_config *config, void *impl, void *binding, const char *instance)
{
    sim_model *m = new_zeroed(sizeof *m);
    m->s = s;
    m->config = config;
    m->impl = impl;
    m->binding = binding;
    m->context = s->context;
    s->engine->context_time(m->context, s->now);
    m->name = new_string(instance);
    guard_thread();
    lanes_take(m);
    for (size_t i = 0; i < config->port_count; i++) {
        const sim_config_port *p = &config->ports[i];
        *list_add(&m->ports) = (sim_port){p->name, p->bits, p->output, *(void **)((char *)binding + p->offset)};
    }
    *list_add(&s->models) = m;
    return m;
}

void sim_model_free(sim_model *m)
{
    if (!m) return;
    sim *s = m->s;
    waves_close(s, true);
    cycles_end(s);
    for (size_t i = 0; i < m->clocks.count; i++) {
        sim_clock *c = m->clocks.at[i].clock;
        size_t kept = 0;
        for (size_t k = 0; k < c->ports.count; k++)
            if (c->ports.at[k].model != m) c->ports.at[kept++] = c->ports.at[k];
        c->ports.count = kept;
        kept = 0;
        for (size_t k = 0; k < c->models.count; k++)
            if (c->models.at[k] != m) c->models.at[kept++] = c->models.at[k];
        c->models.count = kept;
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->models.count; i++)
        if (s->models.at[i] != m) s->models.at[kept++] = s->models.at[i];
    s->models.count = kept;
    pins_close(m);
    lanes_show(m);
    s->engine->context_time(m->context, s->now);
    m->config->free(m->impl);
    s->engine->context_free(m->context);
    list_free(&m->clocks);
    list_free(&m->low);
    list_free(&m->ports);
    for (size_t i = 0; i < m->views.count; i++) free(m->views.at[i]);
    list_free(&m->views);
    free(m->binding);
    free(m->name);
    free(m);
}

void models_free(sim *s)
{
    while (s->models.count) sim_model_free(s->models.at[s->models.count - 1]);
    list_free(&s->models);
    lanes_free(s);
}

static const uint8_t always = 1;

static bool uses_falls(const sim_model *m, const uint8_t *port)
{
    for (size_t i = 0; i < m->ports.count; i++)
        if (m->ports.at[i].at == port) return listed(m->config->falling, m->ports.at[i].name);
    return false;
}

static void find_low(sim_model *m)
{
    m->low.count = 0;
    for (size_t k = 0; k < m->clocks.count; k++)
        if (!m->clocks.at[k].clock->falls) *list_add(&m->low) = m->clocks.at[k].port;
}

void sim_model_clock(sim_model *m, sim_clock *c, uint8_t *port) { sim_model_clock_buffered(m, c, port, &always); }

void sim_model_clock_buffered(sim_model *m, sim_clock *c, uint8_t *port, const uint8_t *enable)
{
    if (m->s->params.buffers_open) enable = &always;
    if (uses_falls(m, port)) c->falls = c->s->falls = true;
    *list_add(&m->clocks) = (connection){c, port, enable};
    *list_add(&c->ports) = (clocked_port){.model = m, .port = port, .enable = enable};
    bool there = false;
    for (size_t k = 0; k < c->models.count; k++) there |= c->models.at[k] == m;
    if (!there) *list_add(&c->models) = m;
    for (size_t k = 0; k < c->models.count; k++) find_low(c->models.at[k]);
}

/* ---- looking in ---- */

const char *sim_model_name(const sim_model *m) { return m->name; }

const sim_config *sim_model_config(const sim_model *m) { return m->config; }

void *sim_model_binding(const sim_model *m) { return m->binding; }

sim *sim_model_sim(const sim_model *m) { return m->s; }

const sim_port *sim_model_ports(const sim_model *m, size_t *count)
{
    *count = m->ports.count;
    return m->ports.at;
}

static const connection *connected(const sim_model *m, const char *port)
{
    for (size_t i = 0; i < m->ports.count; i++)
        if (!strcmp(m->ports.at[i].name, port))
            for (size_t k = 0; k < m->clocks.count; k++)
                if (m->clocks.at[k].port == m->ports.at[i].at) return &m->clocks.at[k];
    return NULL;
}

sim_clock *sim_model_clock_at(const sim_model *m, const char *port)
{
    const connection *c = connected(m, port);
    return c ? c->clock : NULL;
}

const uint8_t *sim_model_clock_enable(const sim_model *m, const char *port)
{
    const connection *c = connected(m, port);
    return c ? c->enable : NULL;
}

const void *sim_model_signal(const sim_model *m, const char *path, const char *name, unsigned *bytes)
{
    char full[1024];
    int n = snprintf(full, sizeof full, "%s.%s", m->name, path);
    return n > 0 && (size_t)n < sizeof full ? m->s->engine->signal(m->context, full, name, bytes) : NULL;
}

int sim_model_word(const sim_model *m, const char *path, const char *name, uint64_t *value)
{
    unsigned bytes;
    lanes_show(m);
    const void *signal = sim_model_signal(m, path, name, &bytes);
    if (signal) *value = sim_signal_value(signal, bytes);
    return signal ? 0 : -1;
}

/* ---- evaluating ---- */

void sim_model_eval(sim_model *m)
{
    model_evaluate(m, sim_now(m->s));
    if (m->recorder && !m->clocks.count) {
        m->edge = sim_now(m->s);
        waves_show(m);
    }
}
