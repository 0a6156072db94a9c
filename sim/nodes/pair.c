#include "pair.h"

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
    pair *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->params = *params;
    p->s = sim_new(&params->sim);
    for (unsigned i = 0; i < 2 && p->s; i++) p->node[i] = node_new(p->s, i, &params->node[i]);
    if (p->node[0] && p->node[1])
        p->wire = cable_new(p->s, &params->cable, p->node[0]->net_clock, &p->node[0]->nic.gt, p->node[1]->net_clock, &p->node[1]->nic.gt,
                            "node0-node1");
    if (!p->wire) {
        fprintf(stderr, "cannot build the system: %s\n", p->s ? sim_error(p->s) : "out of memory");
        pair_free(p);
        return NULL;
    }
    p->far = p->wire;
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
    p->in = f;
    p->node[0] = f->node[a];
    p->node[1] = f->node[b];
    p->wire = fabric_wire(f, a, &end);
    p->far = fabric_wire(f, b, &end);
    return p;
}

void pair_free(pair *p)
{
    if (!p) return;
    if (p->in) {
        free(p);
        return;
    }
    cable_free(p->wire);
    for (unsigned i = 0; i < 2; i++) node_free(p->node[i]);
    sim_free(p->s);
    free(p);
}

struct start {
    node *n;
    nx_params driver;
    int result;
};

static void start_node(void *arg)
{
    struct start *s = arg;
    s->result = node_start(s->n, &s->driver);
}

int pair_start(pair *p)
{
    struct start start[2];
    sim_task *task[2];
    if (p->in) return fabric_start(p->in);
    for (unsigned i = 0; i < 2; i++) {
        start[i] = (struct start){p->node[i], p->params.driver, 0};
        task[i] = sim_task_new(p->s, i ? "start 1" : "start 0", start_node, &start[i]);
    }
    for (unsigned i = 0; i < 2; i++) sim_join(task[i]);
    return start[0].result ? start[0].result : start[1].result;
}

void pair_stop(pair *p)
{
    if (p->in) return;
    for (unsigned i = 0; i < 2; i++) {
        nx_close(p->node[i]->dev);
        p->node[i]->dev = NULL;
    }
}
