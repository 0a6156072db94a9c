/* A NIC in C at an Ethernet wire; the manual is in the header. */
#include "sim/model/rnic/rnic_port.h"

#include <stdlib.h>

struct rnic_port {
    sim *sim;
    sim_clock *clock;
    rnic *nic;
    ethernet_wire *wire;
    int end;
    uint64_t bad_fcs;
};

uint64_t rnic_port_clock(void *sim) { return sim_now(sim); }

static void take(void *self, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    rnic_port *port = self;

    (void)time;
    if (bad_fcs) port->bad_fcs++;
    else rnic_take(port->nic, frame, length);
}

static void drive(void *self)
{
    rnic_port *port = self;
    sim_time now = sim_now(port->sim), soon = now + sim_clock_period(port->clock);
    uint8_t frame[RNIC_FRAME];
    size_t length;

    ethernet_wire_run(port->wire, now);
    if (rnic_wakes(port->nic) > now) return;
    while (ethernet_wire_idle_at(port->wire, port->end) <= soon && (length = rnic_give(port->nic, frame)) != 0)
        if (ethernet_wire_send(port->wire, port->end, frame, length, 0, now) < 0) {
            sim_fail(port->sim, "RNIC: %s", ethernet_wire_error(port->wire));
            return;
        }
}

static void dump(void *self, FILE *out)
{
    const rnic_port *port = self;

    rnic_print(port->nic, out);
}

rnic_port *rnic_port_new(sim *sim, sim_clock *clock, rnic *r, ethernet_wire *wire, int end)
{
    rnic_port *port = calloc(1, sizeof *port);

    if (!port) {
        sim_fail(sim, "RNIC: out of memory");
        return NULL;
    }
    *port = (rnic_port){.sim = sim, .clock = clock, .nic = r, .wire = wire, .end = end};
    ethernet_wire_connect(wire, end, take, port);
    sim_clock_attach(clock, NULL, drive, port);
    sim_report(sim, clock, dump, port, "RNIC");
    return port;
}

void rnic_port_free(rnic_port *port)
{
    if (!port) return;
    sim_clock_detach(port->clock, port);
    ethernet_wire_connect(port->wire, port->end, NULL, NULL);
    free(port);
}

uint64_t rnic_port_bad_fcs(const rnic_port *port) { return port->bad_fcs; }
