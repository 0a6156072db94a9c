#include "sx.h"

#include <stdarg.h>
#include <stdio.h>

#include "switch_register_map.h"
#include "sx_internal.h"

int sx_fail(sx_switch *sw, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    vsnprintf(sw->error, sizeof sw->error, fmt, list);
    va_end(list);
    return -1;
}

int sx_get(sx_switch *sw, unsigned offset, uint32_t *value)
{
    return sw->platform->read32(sw->platform->self, offset, value)
               ? sx_fail(sw, "no answer to a read of register 0x%04x", offset)
               : 0;
}

int sx_set(sx_switch *sw, unsigned offset, uint32_t value)
{
    if (!sw->platform->write32) return sx_fail(sw, "this is a dump: register 0x%04x cannot be written", offset);
    return sw->platform->write32(sw->platform->self, offset, value)
               ? sx_fail(sw, "no answer to a write of register 0x%04x", offset)
               : 0;
}

int sx_open(sx_switch *sw, const struct sx_platform *platform)
{
    uint32_t version = 0, build = 0;
    *sw = (sx_switch){.platform = platform};
    if (sx_get(sw, SWITCH_VERSION, &version) || sx_get(sw, SWITCH_BUILD, &build) ||
        sx_get(sw, SWITCH_DOMAINS, &sw->clock_b))
        return -1;
    if (SX_FIELD(version, VERSION_MAGIC) != SWITCH_VERSION_RESET >> SWITCH_VERSION_MAGIC_SHIFT)
        return sx_fail(sw, "VERSION is 0x%08x: this is no switch", version);
    if (SX_FIELD(version, VERSION_MAJOR) != SX_FIELD(SWITCH_VERSION_RESET, VERSION_MAJOR))
        return sx_fail(sw, "VERSION is 0x%08x: a switch of major version %u, expected %u", version,
                       SX_FIELD(version, VERSION_MAJOR), SX_FIELD(SWITCH_VERSION_RESET, VERSION_MAJOR));
    sw->ports = SX_FIELD(build, BUILD_PORTS);
    sw->stamps = (int)SX_FIELD(build, BUILD_STAMPS);
    sw->counters = (int)SX_FIELD(build, BUILD_MONITOR);
    sw->traces = (int)SX_FIELD(build, BUILD_TRACE);
    if (sw->ports < 2 || sw->ports > SX_PORTS)
        return sx_fail(sw, "BUILD is 0x%08x: %u ports, expected 2 to 16", build, sw->ports);
    return 0;
}

int sx_known(sx_switch *sw, const char *what, unsigned port)
{
    return port < sw->ports ? 0 : sx_fail(sw, "%s %u: expected 0 to %u", what, port, sw->ports - 1);
}

int sx_flow_get(sx_switch *sw, unsigned output, unsigned input, sx_flow *f)
{
    uint32_t last = 0, range = 0, inside = 0;
    if (sx_known(sw, "output", output) || sx_known(sw, "input", input)) return -1;
    unsigned page = SX_PAGE(output, 4 * input);
    if (sx_get(sw, SWITCH_FLOW_WORDS + page, &f->words) || sx_get(sw, SWITCH_FLOW_PACKETS + page, &f->packets) ||
        sx_get(sw, SWITCH_FORWARD_LAST + page, &last) || sx_get(sw, SWITCH_FORWARD_RANGE + page, &range) ||
        sx_get(sw, SWITCH_OCCUPANCY + page, &inside))
        return -1;
    f->time_last = last;
    f->time_least = SX_FIELD(range, FORWARD_RANGE_SHORTEST);
    f->time_most = SX_FIELD(range, FORWARD_RANGE_LONGEST);
    f->measured = sw->counters && f->time_least <= f->time_most;
    f->occupancy = SX_FIELD(inside, OCCUPANCY_NOW);
    f->occupancy_most = SX_FIELD(inside, OCCUPANCY_MOST);
    return 0;
}

int sx_port_get(sx_switch *sw, unsigned port, sx_port *p)
{
    uint32_t control = 0, capacity = 0, status = 0, view = 0, weight = 0, node = 0;
    if (sx_known(sw, "port", port)) return -1;
    *p = (sx_port){0};
    if (sx_get(sw, SX_PAGE(port, SWITCH_PORT_CONTROL), &control) ||
        sx_get(sw, SX_PAGE(port, SWITCH_INPUT_ENABLE), &p->inputs) ||
        sx_get(sw, SX_PAGE(port, SWITCH_CAPACITY), &capacity) ||
        sx_get(sw, SX_PAGE(port, SWITCH_PORT_STATUS), &status) || sx_get(sw, SX_PAGE(port, SWITCH_PORT_VIEW), &view) ||
        sx_get(sw, SX_PAGE(port, SWITCH_NODE_ID), &node))
        return -1;
    p->enabled = (int)SX_FIELD(control, PORT_CONTROL_ENABLE);
    p->capacity = SX_FIELD(capacity, CAPACITY_UNITS);
    p->node = SX_FIELD(node, NODE_ID_GIVEN) ? SX_FIELD(node, NODE_ID_ID) : port;
    p->sync = (int)SX_FIELD(status, PORT_STATUS_SYNC);
    p->down = (int)SX_FIELD(status, PORT_STATUS_DOWN);
    p->draining = (int)SX_FIELD(status, PORT_STATUS_DRAINING);
    p->credits = (int)SX_FIELD(status, PORT_STATUS_CREDITS);
    p->transmitted = SX_FIELD(view, PORT_VIEW_TRANSMITTED);
    p->credit = SX_FIELD(view, PORT_VIEW_CREDIT);
    for (unsigned e = 0; e < SX_EVENTS; e++)
        if (sx_get(sw, SX_PAGE(port, SWITCH_HEADER_ERRORS) + 4 * e, &p->event[e])) return -1;
    for (unsigned i = 0; i < sw->ports; i++) {
        if (sx_get(sw, SX_PAGE(port, SWITCH_WEIGHT) + 4 * i, &weight)) return -1;
        p->weight[i] = (uint8_t)SX_FIELD(weight, WEIGHT_VALUE);
    }
    return 0;
}

/* Events are registers of their own in the map, one after the other. */
static const struct switch_register *event_register(unsigned event)
{
    for (unsigned n = 0; n < SWITCH_REGISTER_TABLE_COUNT; n++)
        if (switch_registers[n].offset == SWITCH_HEADER_ERRORS + 4 * event && event < SX_EVENTS)
            return &switch_registers[n];
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
    return sx_known(sw, "port", port) ||
                   sx_set(sw, SX_PAGE(port, SWITCH_PORT_CONTROL), enabled ? SWITCH_PORT_CONTROL_ENABLE_MASK : 0)
               ? -1
               : 0;
}

int sx_inputs_set(sx_switch *sw, unsigned output, uint32_t mask)
{
    if (sx_known(sw, "output", output)) return -1;
    if (mask >> sw->ports) return sx_fail(sw, "inputs 0x%x: there are %u", mask, sw->ports);
    return sx_set(sw, SX_PAGE(output, SWITCH_INPUT_ENABLE), mask);
}

int sx_weight_set(sx_switch *sw, unsigned output, unsigned input, unsigned weight)
{
    if (sx_known(sw, "output", output) || sx_known(sw, "input", input)) return -1;
    if (weight < 1 || weight > 255) return sx_fail(sw, "weight %u: expected 1 to 255", weight);
    return sx_set(sw, SX_PAGE(output, SWITCH_WEIGHT) + 4 * input, weight);
}

int sx_capacity_set(sx_switch *sw, unsigned port, unsigned units)
{
    if (sx_known(sw, "port", port)) return -1;
    if (units < 1 || units > 4064) return sx_fail(sw, "capacity %u: expected 1 to 4064 units", units);
    return sx_set(sw, SX_PAGE(port, SWITCH_CAPACITY), units);
}

int sx_node_set(sx_switch *sw, unsigned port, unsigned node)
{
    if (sx_known(sw, "port", port)) return -1;
    if (node > 127) return sx_fail(sw, "node %u: expected 0 to 127", node);
    return sx_set(sw, SX_PAGE(port, SWITCH_NODE_ID), SWITCH_NODE_ID_GIVEN_MASK | node);
}

int sx_down_time_set(sx_switch *sw, uint32_t clocks)
{
    if (clocks < 1 || clocks >> 24) return sx_fail(sw, "down time %u: expected 1 to %u clocks", clocks, (1u << 24) - 1);
    return sx_set(sw, SWITCH_DOWN_TIME, clocks);
}

int sx_down_time_get(sx_switch *sw, uint32_t *clocks) { return sx_get(sw, SWITCH_DOWN_TIME, clocks); }

int sx_stamps_set(sx_switch *sw, int on)
{
    if (on && !sw->stamps) return sx_fail(sw, "this switch was built without time stamps");
    return sx_set(sw, SWITCH_TIME_STAMPS, on ? SWITCH_TIME_STAMPS_ENABLE_MASK : 0);
}

int sx_time_get(sx_switch *sw, uint32_t *now) { return sx_get(sw, SWITCH_TIME, now); }

int sx_clear(sx_switch *sw) { return sx_set(sw, SWITCH_CLEAR, 1); }
