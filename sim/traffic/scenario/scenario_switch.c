/* Compares the switch's own counters with the scoreboard: packets of each flow, and errors at its ports. */
#include <stdio.h>

#include "sim/traffic/scenario/scenario_private.h"
#include "switch_register_map.h"

enum { PAGE = 0x400 /* bytes from the registers of a port to those of the next */ };

/* Events that must not happen at a port with a node, whatever the cables do; and those that must not with good cables.
 */
static const struct event {
    unsigned offset;
    const char *name;
    int never;
} events[] = {
    {SWITCH_HEADER_ERRORS, "headers with a wrong CRC", 0},
    {SWITCH_DROPPED_LENGTH, "packets dropped for their length", 0},
    {SWITCH_DROPPED_FLOW, "packets dropped for their output", 0},
    {SWITCH_DROPPED_SPACE, "packets dropped for lack of space", 1},
    {SWITCH_ALIGNMENT_ERRORS, "frames that ended early or late", 0},
    {SWITCH_PADDED, "packets padded", 0},
    {SWITCH_CREDITS_REJECTED, "credits rejected", 0},
    {SWITCH_SYNC_LOST, "losses of synchronisation", 0},
    {SWITCH_WENT_DOWN, "times down", 0},
    {SWITCH_DRAINED, "packets drained", 0},
    {SWITCH_CROSSPOINT_OVERFLOWS, "crosspoint overflows", 1},
    {SWITCH_CROSSPOINT_UNDERFLOWS, "crosspoints run dry", 0},
    {SWITCH_SCHEDULER_OVERFLOWS, "overflows of packet counters", 1},
    {SWITCH_CODE_ERRORS, "words with code errors", 0},
};
_Static_assert(sizeof events / sizeof events[0] == SCENARIO_EVENTS, "one count for each event");

/* Of several switches, one for each link, in sum. */
static uint32_t get(struct scenario_state *x, unsigned offset)
{
    uint32_t value = 0, sum = 0;
    for (unsigned l = 0; l < x->f->links; l++, sum += value)
        if (fabric_path_read(x->f, l, offset, &value))
            scenario_fail(x, "switch: no answer to a read of register 0x%04x", offset);
    return sum;
}

static int has_counters(struct scenario_state *x)
{
    uint32_t build = 0;
    if (x->f->chip.model && fabric_monitor_read(x->f, SWITCH_BUILD, &build))
        scenario_fail(x, "switch: no answer to a read of its BUILD");
    return build & SWITCH_BUILD_MONITOR_MASK;
}

static void read_all(struct scenario_state *x, struct scenario_switch *s)
{
    for (unsigned port = 0; port < x->f->nodes && !*x->run->error; port++) {
        for (unsigned from = 0; from < x->f->nodes; from++)
            s->packets[from][port] = get(x, SWITCH_FLOW_PACKETS + PAGE * port + 4 * from);
        for (unsigned e = 0; e < SCENARIO_EVENTS; e++) s->event[port][e] = get(x, events[e].offset + PAGE * port);
    }
}

void scenario_switch_begin(struct scenario_state *x)
{
    if (!has_counters(x)) return;
    read_all(x, &x->before);
    for (unsigned from = 0; from < x->f->nodes; from++)
        for (unsigned to = 0; to < x->f->nodes; to++) {
            uint64_t packets, words;
            scoreboard_flow_count(x->scoreboard, from, to, &packets, &words);
            x->before.packets[from][to] -= (uint32_t)packets;
        }
}

void scenario_switch_end(struct scenario_state *x)
{
    struct scenario_switch now = {0};
    if (!has_counters(x)) return;
    read_all(x, &now);
    for (unsigned from = 0; from < x->f->nodes && !x->p->lossy; from++)
        for (unsigned to = 0; to < x->f->nodes; to++) {
            uint64_t packets, words;
            scoreboard_flow_count(x->scoreboard, from, to, &packets, &words);
            uint32_t counted = now.packets[from][to] - x->before.packets[from][to];
            if (counted != (uint32_t)packets)
                scenario_fail(x, "switch: flow %u>%u: its monitor counts %u packets, %u have landed", from, to, counted,
                              (uint32_t)packets);
        }
    for (unsigned port = 0; port < x->f->nodes; port++)
        for (unsigned e = 0; e < SCENARIO_EVENTS; e++)
            if (now.event[port][e] != x->before.event[port][e] && (events[e].never || !x->p->lossy))
                scenario_fail(x, "switch, port %u: %u %s", port, now.event[port][e] - x->before.event[port][e],
                              events[e].name);
}
