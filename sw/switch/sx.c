#include "sx.h"

#include <stdarg.h>
#include <stdio.h>

#include "switch_register_map.h"

#define PAGE(port, offset) ((offset) + 0x400u * (port))

static int fail(sx_switch *sw, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(sx_switch *sw, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    vsnprintf(sw->error, sizeof sw->error, fmt, list);
    va_end(list);
    return -1;
}

static int get(sx_switch *sw, unsigned offset, uint32_t *value)
{
    return sw->platform->read32(sw->platform->self, offset, value) ? fail(sw, "no answer to a read of register 0x%04x", offset) : 0;
}

static int set(sx_switch *sw, unsigned offset, uint32_t value)
{
    if (!sw->platform->write32) return fail(sw, "this is a dump: register 0x%04x cannot be written", offset);
    return sw->platform->write32(sw->platform->self, offset, value) ? fail(sw, "no answer to a write of register 0x%04x", offset) : 0;
}

/* A field of a register's value. */
#define FIELD(value, name) (((value)&SWITCH_##name##_MASK) >> SWITCH_##name##_SHIFT)

int sx_open(sx_switch *sw, const struct sx_platform *platform)
{
    uint32_t version = 0, build = 0;
    *sw = (sx_switch){.platform = platform};
    if (get(sw, SWITCH_VERSION, &version) || get(sw, SWITCH_BUILD, &build) || get(sw, SWITCH_DOMAINS, &sw->clock_b)) return -1;
    if (FIELD(version, VERSION_MAGIC) != SWITCH_VERSION_RESET >> SWITCH_VERSION_MAGIC_SHIFT)
        return fail(sw, "VERSION is 0x%08x: this is no switch", version);
    if (FIELD(version, VERSION_MAJOR) != FIELD(SWITCH_VERSION_RESET, VERSION_MAJOR))
        return fail(sw, "VERSION is 0x%08x: a switch of major version %u, expected %u", version, FIELD(version, VERSION_MAJOR),
                    FIELD(SWITCH_VERSION_RESET, VERSION_MAJOR));
    sw->ports = FIELD(build, BUILD_PORTS);
    sw->stamps = (int)FIELD(build, BUILD_STAMPS);
    sw->counters = (int)FIELD(build, BUILD_MONITOR);
    if (sw->ports < 2 || sw->ports > SX_PORTS) return fail(sw, "BUILD is 0x%08x: %u ports, expected 2 to 16", build, sw->ports);
    return 0;
}

static int known_port(sx_switch *sw, const char *what, unsigned port)
{
    return port < sw->ports ? 0 : fail(sw, "%s %u: expected 0 to %u", what, port, sw->ports - 1);
}

int sx_flow_get(sx_switch *sw, unsigned output, unsigned input, sx_flow *f)
{
    uint32_t last = 0, range = 0, inside = 0;
    if (known_port(sw, "output", output) || known_port(sw, "input", input)) return -1;
    unsigned page = PAGE(output, 4 * input);
    if (get(sw, SWITCH_FLOW_WORDS + page, &f->words) || get(sw, SWITCH_FLOW_PACKETS + page, &f->packets) ||
        get(sw, SWITCH_FORWARD_LAST + page, &last) || get(sw, SWITCH_FORWARD_RANGE + page, &range) ||
        get(sw, SWITCH_OCCUPANCY + page, &inside))
        return -1;
    f->time_last = last;
    f->time_least = FIELD(range, FORWARD_RANGE_SHORTEST);
    f->time_most = FIELD(range, FORWARD_RANGE_LONGEST);
    f->measured = sw->counters && f->time_least <= f->time_most;
    f->occupancy = FIELD(inside, OCCUPANCY_NOW);
    f->occupancy_most = FIELD(inside, OCCUPANCY_MOST);
    return 0;
}

int sx_port_get(sx_switch *sw, unsigned port, sx_port *p)
{
    uint32_t control = 0, capacity = 0, status = 0, view = 0, weight = 0, node = 0;
    if (known_port(sw, "port", port)) return -1;
    *p = (sx_port){0};
    if (get(sw, PAGE(port, SWITCH_PORT_CONTROL), &control) || get(sw, PAGE(port, SWITCH_INPUT_ENABLE), &p->inputs) ||
        get(sw, PAGE(port, SWITCH_CAPACITY), &capacity) || get(sw, PAGE(port, SWITCH_PORT_STATUS), &status) ||
        get(sw, PAGE(port, SWITCH_PORT_VIEW), &view) || get(sw, PAGE(port, SWITCH_NODE_ID), &node))
        return -1;
    p->enabled = (int)FIELD(control, PORT_CONTROL_ENABLE);
    p->capacity = FIELD(capacity, CAPACITY_UNITS);
    p->node = FIELD(node, NODE_ID_GIVEN) ? FIELD(node, NODE_ID_ID) : port;
    p->sync = (int)FIELD(status, PORT_STATUS_SYNC);
    p->down = (int)FIELD(status, PORT_STATUS_DOWN);
    p->draining = (int)FIELD(status, PORT_STATUS_DRAINING);
    p->credits = (int)FIELD(status, PORT_STATUS_CREDITS);
    p->transmitted = FIELD(view, PORT_VIEW_TRANSMITTED);
    p->credit = FIELD(view, PORT_VIEW_CREDIT);
    for (unsigned e = 0; e < SX_EVENTS; e++)
        if (get(sw, PAGE(port, SWITCH_HEADER_ERRORS) + 4 * e, &p->event[e])) return -1;
    for (unsigned i = 0; i < sw->ports; i++) {
        if (get(sw, PAGE(port, SWITCH_WEIGHT) + 4 * i, &weight)) return -1;
        p->weight[i] = (uint8_t)FIELD(weight, WEIGHT_VALUE);
    }
    return 0;
}

/* Events are registers of their own in the map, one after the other. */
static const struct switch_register *event_register(unsigned event)
{
    for (unsigned n = 0; n < SWITCH_REGISTER_TABLE_COUNT; n++)
        if (switch_registers[n].offset == SWITCH_HEADER_ERRORS + 4 * event && event < SX_EVENTS) return &switch_registers[n];
    return NULL;
}

const char *sx_event_name(unsigned event)
{
    const struct switch_register *r = event_register(event);
    return r ? r->name : "?";
}

const char *sx_event_text(unsigned event)
{
    const struct switch_register *r = event_register(event);
    return r ? r->text : "?";
}

int sx_enable_set(sx_switch *sw, unsigned port, int enabled)
{
    return known_port(sw, "port", port) || set(sw, PAGE(port, SWITCH_PORT_CONTROL), enabled ? SWITCH_PORT_CONTROL_ENABLE_MASK : 0) ? -1 : 0;
}

int sx_inputs_set(sx_switch *sw, unsigned output, uint32_t mask)
{
    if (known_port(sw, "output", output)) return -1;
    if (mask >> sw->ports) return fail(sw, "inputs 0x%x: there are %u", mask, sw->ports);
    return set(sw, PAGE(output, SWITCH_INPUT_ENABLE), mask);
}

int sx_weight_set(sx_switch *sw, unsigned output, unsigned input, unsigned weight)
{
    if (known_port(sw, "output", output) || known_port(sw, "input", input)) return -1;
    if (weight < 1 || weight > 255) return fail(sw, "weight %u: expected 1 to 255", weight);
    return set(sw, PAGE(output, SWITCH_WEIGHT) + 4 * input, weight);
}

int sx_capacity_set(sx_switch *sw, unsigned port, unsigned units)
{
    if (known_port(sw, "port", port)) return -1;
    if (units < 1 || units > 4095) return fail(sw, "capacity %u: expected 1 to 4095 units", units);
    return set(sw, PAGE(port, SWITCH_CAPACITY), units);
}

int sx_node_set(sx_switch *sw, unsigned port, unsigned node)
{
    if (known_port(sw, "port", port)) return -1;
    if (node > 127) return fail(sw, "node %u: expected 0 to 127", node);
    return set(sw, PAGE(port, SWITCH_NODE_ID), SWITCH_NODE_ID_GIVEN_MASK | node);
}

int sx_down_time_set(sx_switch *sw, uint32_t clocks)
{
    if (clocks < 1 || clocks >> 24) return fail(sw, "down time %u: expected 1 to %u clocks", clocks, (1u << 24) - 1);
    return set(sw, SWITCH_DOWN_TIME, clocks);
}

int sx_down_time_get(sx_switch *sw, uint32_t *clocks)
{
    return get(sw, SWITCH_DOWN_TIME, clocks);
}

int sx_stamps_set(sx_switch *sw, int on)
{
    if (on && !sw->stamps) return fail(sw, "this switch was built without time stamps");
    return set(sw, SWITCH_TIME_STAMPS, on ? SWITCH_TIME_STAMPS_ENABLE_MASK : 0);
}

int sx_time_get(sx_switch *sw, uint32_t *now)
{
    return get(sw, SWITCH_TIME, now);
}

int sx_clear(sx_switch *sw)
{
    return set(sw, SWITCH_CLEAR, 1);
}
