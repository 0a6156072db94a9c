#include "sim/system/nodes/fabric_space.h"

#include <stdio.h>

#include "nic_register_map.h"
#include "switch_register_map.h"

enum {
    COUNT = 0xfff,
    CREDIT = 0xfe0 /* bits of a count that a credit carries */,
    LOOK = 5 /* [us] */,
    CROSSING = 300 /* [ns] of the lane's number to the network clock and of the counts back */
};

static int read_nic(fabric *f, unsigned node, unsigned offset, uint32_t *value, char *text, size_t size)
{
    if (!nx_register_read(f->node[node]->dev, offset, value)) return 0;
    snprintf(text, size, "node %u: %s", node, nx_last_error(f->node[node]->dev));
    return -1;
}

/* From now on registers show this link of the node. */
static int show(fabric *f, unsigned node, unsigned link, char *text, size_t size)
{
    uint32_t written;
    if (f->links == 1) return 0;
    if (nx_register_write(f->node[node]->dev, NIC_PATH_VIEW, link) ||
        read_nic(f, node, NIC_PATH_VIEW, &written, text, size))
        return -1;
    sim_wait_time(f->s, CROSSING * SIM_NS);
    return 0;
}

/* Towards the switch, or the other node: one lane. */
static int lane_agrees(fabric *f, unsigned node, unsigned lane, char *text, size_t size)
{
    uint32_t space;
    if (nx_register_write(f->node[node]->dev, NIC_VIEW_FLOW, lane) ||
        read_nic(f, node, NIC_VIEW_FLOW, &space, text, size))
        return -1;
    sim_wait_time(f->s, CROSSING * SIM_NS);
    if (read_nic(f, node, NIC_TX_SPACE, &space, text, size)) return -1;
    unsigned transmitted = space >> 16 & COUNT, credit = space & COUNT;
    if (credit == (transmitted & CREDIT)) return 1;
    snprintf(text, size, "node %u, lane %u: %u units transmitted, the last credit says %u", node, lane, transmitted,
             credit);
    return 0;
}

/* At the NIC's receiver. */
static int receiver_agrees(fabric *f, unsigned node, char *text, size_t size)
{
    uint32_t space;
    if (read_nic(f, node, NIC_RX_SPACE, &space, text, size)) return -1;
    unsigned received = space >> 16 & COUNT, forwarded = space & COUNT;
    if (received == forwarded) return 1;
    snprintf(text, size, "node %u: %u units received, %u forwarded", node, received, forwarded);
    return 0;
}

/* At the switch's transmitter: what the NIC says of its buffer. */
static int port_agrees(fabric *f, unsigned path, unsigned port, char *text, size_t size)
{
    uint32_t view = 0, space;
    if (read_nic(f, port, NIC_RX_SPACE, &space, text, size)) return -1;
    if (fabric_path_read(f, path, SWITCH_PORT_VIEW + 0x400 * port, &view)) {
        snprintf(text, size, "switch: no answer at the monitor port");
        return -1;
    }
    unsigned transmitted = view >> SWITCH_PORT_VIEW_TRANSMITTED_SHIFT & COUNT, credit = view & COUNT;
    unsigned received = space >> 16 & COUNT, forwarded = space & COUNT;
    if (transmitted == received && credit == (forwarded & CREDIT)) return 1;
    snprintf(text, size,
             "port %u: %u units transmitted, the last credit says %u; the NIC has received %u and forwarded %u", port,
             transmitted, credit, received, forwarded);
    return 0;
}

/* Nothing passes a link that is cut. */
static int is_cut(const fabric *f, unsigned node, unsigned link)
{
    int end;
    const cable *wire = fabric_link(f, node, link, &end);
    unsigned l = f->chip.model ? 0 : link;
    return cable_state(wire, 0, l) == GT_DARK || cable_state(wire, 1, l) == GT_DARK;
}

static int link_agrees(fabric *f, unsigned node, unsigned link, char *text, size_t size)
{
    if (is_cut(f, node, link)) return 1;
    if (show(f, node, link, text, size)) return -1;
    int result = receiver_agrees(f, node, text, size);
    if (result != 1 || (f->chip.model && (result = port_agrees(f, link, node, text, size)) != 1)) return result;
    for (unsigned lane = 0; lane < (f->chip.model ? f->nodes : 1); lane++)
        if ((result = lane_agrees(f, node, lane, text, size)) != 1) return result;
    return 1;
}

int fabric_agrees(fabric *f, char *text, size_t size)
{
    for (unsigned i = 0; i < f->nodes * f->links; i++) {
        int result = link_agrees(f, i / f->links, i % f->links, text, size);
        if (result != 1) return result;
    }
    return 1;
}

int fabric_settle(fabric *f, sim_time time, sim_time *took, char *text, size_t size)
{
    sim_time since = sim_now(f->s);
    int result;
    while (!(result = fabric_agrees(f, text, size)) && sim_now(f->s) - since < time) {
        sim_wait_time(f->s, LOOK * SIM_US);
        sim_progress(f->s);
    }
    if (took) *took = sim_now(f->s) - since;
    return result == 1;
}
