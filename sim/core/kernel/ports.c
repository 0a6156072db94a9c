/* Ports as data: the ports of a model as another configuration's binding, or without their C types. */
#include "sim/core/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Bits of the C type that carries so many, as words of model.h: 65 stands for all arrays. */
static unsigned carrier(unsigned bits)
{
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 65;
}

/* The C type that carries a part of a port: the whole, or a word of an array. */
static unsigned element_bits(const sim_port *p) { return p->bits > 64 ? 32 : carrier(p->bits); }

static const sim_port *find(const sim_model *m, const char *name)
{
    for (size_t i = 0; i < m->ports.count; i++)
        if (!strcmp(m->ports.at[i].name, name)) return &m->ports.at[i];
    return NULL;
}

bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

/* The port that stands for `as`, of any width or of one with the same C type; NULL with the reason in sim_error. */
static const sim_port *fitting(const sim_model *m, const sim_config *config, const sim_config_port *as, bool any_width)
{
    static const char *const way[] = {"input", "output"};
    const sim_port *p = find(m, as->name);
    unsigned most = carrier(as->bits);
    if (!p)
        sim_fail(m->s, "model %s (%s): no port %s, expected %s of %u bits as in %s", m->name, m->config->name, as->name,
                 way[as->output], as->bits, config->name);
    else if (p->output != as->output)
        sim_fail(m->s, "model %s (%s): port %s is an %s, expected an %s as in %s", m->name, m->config->name, as->name,
                 way[p->output], way[as->output], config->name);
    else if (!any_width && carrier(p->bits) != most && most == 65)
        sim_fail(m->s, "model %s (%s): port %s has %u bits, expected %u as in %s, or any above 64", m->name,
                 m->config->name, as->name, p->bits, as->bits, config->name);
    else if (!any_width && carrier(p->bits) != most)
        sim_fail(m->s, "model %s (%s): port %s has %u bits, expected %u as in %s, or any of %u .. %u", m->name,
                 m->config->name, as->name, p->bits, as->bits, config->name, most == 8 ? 1 : most / 2 + 1, most);
    else return p;
    return NULL;
}

long sim_config_parameter(const sim_config *c, const char *name, long otherwise)
{
    size_t length = strlen(name);
    for (const char *at = c->parameters; at && (at = strstr(at, name)); at += length)
        if ((at == c->parameters || at[-1] == ' ') && at[length] == '=') return strtol(at + length + 1, NULL, 0);
    return otherwise;
}

void *sim_model_as(sim_model *m, const sim_config *as, const char *varying)
{
    char *view = new_zeroed(as->binding_size);
    *list_add(&m->views) = view;
    memcpy(view, &m, sizeof m);
    for (size_t i = 0; i < as->port_count; i++) {
        bool any_width = listed(varying, as->ports[i].name);
        const sim_port *p = fitting(m, as, &as->ports[i], any_width);
        if (!p) return NULL;
        if (!any_width) memcpy(view + as->ports[i].offset, &p->at, sizeof p->at);
    }
    return view;
}

const void *sim_model_ports_as(sim_model *m, const sim_config *as)
{
    sim_port *view = new_zeroed(as->port_count * sizeof *view);
    *list_add(&m->views) = view;
    for (size_t i = 0; i < as->port_count; i++) {
        const sim_port *p = fitting(m, as, &as->ports[i], true);
        if (!p) return NULL;
        view[i] = *p;
    }
    return view;
}

const sim_port *sim_model_port(const sim_model *m, const char *name)
{
    const sim_port *p = find(m, name);
    if (!p) sim_fail(m->s, "model %s (%s): no port %s", m->name, m->config->name, name);
    return p;
}

/* ---- values ---- */

static uint64_t element_get(const void *at, unsigned bits)
{
    switch (bits) {
    case 8:
        return *(const uint8_t *)at;
    case 16:
        return *(const uint16_t *)at;
    case 32:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

static void element_set(void *at, unsigned bits, uint64_t value)
{
    switch (bits) {
    case 8:
        *(uint8_t *)at = (uint8_t)value;
        return;
    case 16:
        *(uint16_t *)at = (uint16_t)value;
        return;
    case 32:
        *(uint32_t *)at = (uint32_t)value;
        return;
    default:
        *(uint64_t *)at = value;
    }
}

static uint64_t ones(unsigned bits) { return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }

uint64_t sim_port_get(const sim_port *p) { return element_get(p->at, carrier(p->bits)); }

void sim_port_set(const sim_port *p, uint64_t value) { element_set(p->at, carrier(p->bits), value & ones(p->bits)); }

uint64_t sim_port_field(const sim_port *p, unsigned lsb, unsigned bits)
{
    unsigned element = element_bits(p);
    uint64_t value = 0;
    for (unsigned have = 0, take; have < bits; have += take) {
        unsigned low = (lsb + have) % element;
        take = bits - have < element - low ? bits - have : element - low;
        value |= (element_get((char *)p->at + (lsb + have) / element * (element / 8), element) >> low & ones(take))
                 << have;
    }
    return value;
}

void sim_port_set_field(const sim_port *p, unsigned lsb, unsigned bits, uint64_t value)
{
    unsigned element = element_bits(p);
    for (unsigned have = 0, take; have < bits; have += take) {
        unsigned low = (lsb + have) % element;
        take = bits - have < element - low ? bits - have : element - low;
        void *at = (char *)p->at + (lsb + have) / element * (element / 8);
        uint64_t mask = ones(take) << low;
        element_set(at, element, (element_get(at, element) & ~mask) | (value >> have << low & mask));
    }
}
