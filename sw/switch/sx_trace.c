/* Tracing memories of the switch: access; see sx_trace.h. */
#include "sx_trace.h"

#include <string.h>

#include "switch_register_map.h"
#include "sx_internal.h"

enum { ROUNDS = 1000 };

uint32_t sx_trace_events(const char *names)
{
    uint32_t bits = 0;
    if (!strcmp(names, "any")) return SX_TRACE_ANY;
    for (const char *name = names; name; name = strchr(name, ',')) {
        name += *name == ',';
        size_t length = strcspn(name, ",");
        unsigned e = 0;
        while (e < SX_EVENTS && (strlen(sx_event_name(e)) != length || strncmp(sx_event_name(e), name, length) != 0))
            e++;
        if (e == SX_EVENTS) return 0;
        bits |= SX_TRACE_EVENT(e);
    }
    return bits;
}

void sx_trace_names(uint32_t events, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (unsigned e = 0; e < SX_EVENTS && used < size; e++)
        if (events & SX_TRACE_EVENT(e))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", sx_event_name(e));
}

static int built(sx_switch *sw, unsigned port)
{
    if (sx_known(sw, "port", port)) return -1;
    return sw->traces ? 0
                      : sx_fail(sw, "this switch was built without tracing memories, expected one built with TRACE=1 "
                                    "(make sim SWITCH=traced)");
}

static int control(sx_switch *sw, unsigned port, uint32_t bits)
{
    return sx_set(sw, SX_PAGE(port, SWITCH_TRACE_CONTROL), bits);
}

static int stop(sx_switch *sw, unsigned port)
{
    uint32_t value = 0;
    if (control(sw, port, SWITCH_TRACE_CONTROL_STOP_MASK)) return -1;
    for (unsigned n = 0; n < ROUNDS; n++) {
        if (sx_get(sw, SX_PAGE(port, SWITCH_TRACE_CONTROL), &value)) return -1;
        if (!(value & SWITCH_TRACE_CONTROL_START_MASK)) return 0;
    }
    return sx_fail(sw, "TRACE_CONTROL of port %u reads 0x%x, expected an end after STOP", port, value);
}

int sx_trace_start(sx_switch *sw, unsigned port, int circular, uint32_t events, unsigned after)
{
    unsigned most = nx_trace_room(NX_TRACE_SWITCH) - 1;
    if (built(sw, port)) return -1;
    if (after > most) return sx_fail(sw, "%u entries kept, expected 0 to %u", after, most);
    if (events >> SX_EVENTS) return sx_fail(sw, "events 0x%x: there are %d", events, SX_EVENTS);
    if (stop(sw, port) || sx_set(sw, SX_PAGE(port, SWITCH_TRACE_FREEZE), events) ||
        sx_set(sw, SX_PAGE(port, SWITCH_TRACE_AFTER), after))
        return -1;
    return control(sw, port, SWITCH_TRACE_CONTROL_START_MASK | (circular ? SWITCH_TRACE_CONTROL_CIRCULAR_MASK : 0));
}

int sx_trace_freeze(sx_switch *sw, unsigned port)
{
    return built(sw, port) || control(sw, port, SWITCH_TRACE_CONTROL_FREEZE_MASK) ? -1 : 0;
}

int sx_trace_clear(sx_switch *sw, unsigned port)
{
    return sx_trace_start(sw, port, 0, 0, 0) || stop(sw, port) ? -1 : 0;
}

int sx_trace_state_get(sx_switch *sw, unsigned port, sx_trace_state *s)
{
    uint32_t value = 0, after = 0;
    if (built(sw, port) || sx_get(sw, SX_PAGE(port, SWITCH_TRACE_CONTROL), &value) ||
        sx_get(sw, SX_PAGE(port, SWITCH_TRACE_FREEZE), &s->events) ||
        sx_get(sw, SX_PAGE(port, SWITCH_TRACE_AFTER), &after) ||
        sx_get(sw, SX_PAGE(port, SWITCH_TRACE_CAUSE), &s->cause))
        return -1;
    s->port = SX_FIELD(value, TRACE_CONTROL_PORT);
    s->running = SX_FIELD(value, TRACE_CONTROL_RUNNING);
    s->frozen = SX_FIELD(value, TRACE_CONTROL_FREEZE) != 0;
    s->circular = SX_FIELD(value, TRACE_CONTROL_CIRCULAR) != 0;
    s->after = after;
    return 0;
}

static int take_entry(sx_switch *sw, unsigned port, unsigned point, unsigned at, nx_trace_entry *entry)
{
    uint32_t low = 0, high = 0, flags = 0;
    if (sx_set(sw, SX_PAGE(port, SWITCH_TRACE_INDEX), point << SWITCH_TRACE_INDEX_POINT_SHIFT | at) ||
        sx_get(sw, SX_PAGE(port, SWITCH_TRACE_FLAGS), &flags) ||
        sx_get(sw, SX_PAGE(port, SWITCH_TRACE_DATA_LOW), &low) ||
        sx_get(sw, SX_PAGE(port, SWITCH_TRACE_DATA_HIGH), &high))
        return -1;
    *entry = (nx_trace_entry){(uint64_t)high << 32 | low, (uint8_t)flags};
    return 0;
}

int sx_trace_take(sx_switch *sw, unsigned port, nx_trace *t)
{
    sx_trace_state state;
    uint32_t units = 0, level = 0;
    memset(t, 0, sizeof *t);
    if (built(sw, port) || stop(sw, port) || sx_trace_state_get(sw, port, &state) ||
        sx_get(sw, SX_PAGE(port, SWITCH_CAPACITY), &units))
        return -1;
    if (state.port != port)
        return sx_fail(
            sw, "the memories of its clock hold a trace of port %u, not of port %u: a clock traces one port at a time",
            state.port, port);
    t->device = NX_TRACE_SWITCH;
    t->links = 1;
    t->number = port;
    t->capacity = SX_FIELD(units, CAPACITY_UNITS);
    t->frozen = state.frozen;
    t->cause = state.cause;
    unsigned room = nx_trace_room(t->device);
    for (unsigned p = 0; nx_trace_point_get(t->device, p); p++) {
        if (sx_set(sw, SX_PAGE(port, SWITCH_TRACE_INDEX), p << SWITCH_TRACE_INDEX_POINT_SHIFT) ||
            sx_get(sw, SX_PAGE(port, SWITCH_TRACE_LEVEL), &level))
            return -1;
        int wrapped = SX_FIELD(level, TRACE_LEVEL_WRAPPED) != 0;
        unsigned next = SX_FIELD(level, TRACE_LEVEL_NEXT);
        t->entries[p] = wrapped ? room : next;
        for (unsigned i = 0; i < t->entries[p]; i++)
            if (take_entry(sw, port, p, wrapped ? (next + i) % room : i, &t->entry[p][i])) return -1;
    }
    return 0;
}
