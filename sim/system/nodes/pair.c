#include "sim/system/nodes/pair.h"

#include <stdlib.h>

void pair_params_default(pair_params *p)
{
    sim_params_default(&p->sim);
    for (unsigned i = 0; i < 2; i++) p->node[i] = node_params_default(i);
    cable_params_default(&p->cable);
    p->driver = nx_params_default();
}

pair *pair_new(const pair_params *params)
{
    fabric_params fp;
    fabric_params_default(&fp, 2, NULL);
    fp.sim = params->sim;
    for (unsigned i = 0; i < 2; i++) fp.node[i] = params->node[i];
    fp.cable = params->cable;
    fp.driver = params->driver;
    fabric *f = fabric_new(&fp);
    pair *p = f ? pair_in(f, 0, 1) : NULL;
    if (!p) {
        fabric_free(f);
        return NULL;
    }
    p->params = *params;
    p->own = 1;
    return p;
}

pair *pair_in(fabric *f, unsigned a, unsigned b)
{
    pair *p = calloc(1, sizeof *p);
    int end;
    if (!p) return NULL;
    pair_params_default(&p->params);
    p->params.driver = f->params.driver;
    p->s = f->s;
    p->f = f;
    p->node[0] = f->node[a];
    p->node[1] = f->node[b];
    p->wire = fabric_wire(f, a, &end);
    p->far = fabric_wire(f, b, &end);
    return p;
}

void pair_free(pair *p)
{
    if (p && p->own) fabric_free(p->f);
    free(p);
}

int pair_start(pair *p) { return fabric_start(p->f); }

void pair_stop(pair *p)
{
    if (!p->f->chip.model) fabric_stop(p->f);
}
