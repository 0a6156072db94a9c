#include "sim/system/nodes/port.h"

#include <stdlib.h>

void port_params_default(port_params *p)
{
    sim_params_default(&p->sim);
    p->node = node_params_default(0);
    cable_params_default(&p->cable);
    p->driver = nx_params_default();
    p->driver.direct = 0;
    p->far_end = far_end_params_default();
    p->far_ppm = node_params_default(1).net_ppm;
}

port *port_new(const port_params *params, far_end_deliver deliver, void *self)
{
    port *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->params = *params;
    p->s = sim_new(&params->sim);
    if (p->s) p->n = node_new(p->s, 0, &params->node);
    if (p->n) p->far = far_end_new(&params->far_end, deliver, self);
    if (p->far) {
        sim_clock_params clock = {.name = "far_net",
                                  .period = params->node.net_period,
                                  .ppm = params->far_ppm,
                                  .jitter = params->node.jitter,
                                  .phase = -1};
        p->far_clock = sim_clock_new(p->s, &clock);
    }
    if (p->far_clock) {
        far_end_attach(p->far, p->s, p->far_clock);
        p->wire = cable_new(p->s, &params->cable, p->n->net_clock, &p->n->nic.gt, p->far_clock, far_end_pins(p->far),
                            "node0-port");
    }
    if (!p->wire) {
        fprintf(stderr, "cannot build the system: %s\n", p->s ? sim_error(p->s) : "out of memory");
        port_free(p);
        return NULL;
    }
    return p;
}

void port_free(port *p)
{
    if (!p) return;
    cable_free(p->wire);
    far_end_free(p->far);
    node_free(p->n);
    sim_free(p->s);
    free(p);
}

static int open_both_ways(void *arg)
{
    const port *p = arg;
    return far_end_is_up(p->far) && far_end_get_stats(p->far)->records >= p->params.far_end.destinations;
}

int port_start(port *p)
{
    nx_params driver = p->params.driver;
    if (!driver.tx_capacity) driver.tx_capacity = p->params.far_end.units;
    int result = node_start(p->n, &driver);
    if (!result) sim_wait_until(p->far_clock, open_both_ways, p);
    return result;
}

void port_stop(port *p)
{
    nx_close(p->n->dev);
    p->n->dev = NULL;
}
