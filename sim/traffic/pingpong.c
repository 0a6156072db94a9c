/* Ping-pong: the initiator sends a packet and waits; the target sends the same packet back, out of the memory it came into. Both wait for
 * remote notifications, polling memory. */
#include <stdlib.h>

#include "scenario_private.h"

enum { POLL_CLOCKS = 4 /* bus clocks between two looks at the notification word */, PATIENCE = 2 /* [ms] */ };

/* What stands at the node, wherever that runs. */
struct poll {
    int result;
    nx_notification note;
    char error[512];
};

static struct poll poll(node *n, unsigned source)
{
    struct poll p;
    p.result = 0;
    if (sim_group_here(n->group)) {
        p.result = nx_notification_poll(n->dev, source, &p.note);
        if (p.result < 0) snprintf(p.error, sizeof p.error, "%s", nx_last_error(n->dev));
    }
    sim_same(n->group, &p, sizeof p);
    return p;
}

/* The packet in play has come to node `at`: 1, 0: the run ends, -1 after scenario_fail. */
static int wait_for_ball(struct scenario_state *x, unsigned at, unsigned from)
{
    node *n = x->f->node[at];
    sim_time since = sim_now(x->f->s);
    for (;;) {
        struct poll p = poll(n, x->f->node[from]->params.node_id);
        if (p.result < 0) {
            scenario_fail(x, "node %u: %s", at, p.error);
            return -1;
        }
        if (p.result && x->ball.to == at && p.note.destination == x->ball.destination) return 1;
        if (p.result) continue; /* of an earlier run */
        if (!x->playing) return 0;
        if (x->ball.to != at) since = sim_now(x->f->s);
        if (sim_now(x->f->s) - since > PATIENCE * SIM_MS) {
            scenario_fail(x, "ping-pong: packet %u from node %u to node %u has not come for %d ms", x->ball.number, from, at, PATIENCE);
            return -1;
        }
        sim_wait_cycles(n->pci_clock, POLL_CLOCKS);
    }
}

static void record(struct scenario_state *x, sim_time began)
{
    if (x->round_trips == x->round_trip_room) {
        x->round_trip_room = x->round_trip_room ? 2 * x->round_trip_room : 256;
        x->round_trip = realloc(x->round_trip, x->round_trip_room * sizeof *x->round_trip);
        if (!x->round_trip) {
            fprintf(stderr, "scenario: out of memory\n");
            exit(1);
        }
    }
    x->round_trip[x->round_trips++] = 1e-3 * (double)(sim_now(x->f->s) - began);
}

void scenario_initiator(void *arg)
{
    const struct scenario_sender *sender = arg;
    struct scenario_state *x = sender->x;
    pattern_source pattern;
    pattern_source_start(&pattern, &x->pattern, 0);
    while (!x->stop) {
        sim_time began = sim_now(x->f->s);
        ledger_make(x->ledger, 0, 1, pattern_words(&pattern), began, 1, &x->ball);
        statistics_created(x->statistics, 0, 1, began);
        if (scenario_post(x, &x->ball, 1, 0) || wait_for_ball(x, 0, 1) <= 0) break;
        record(x, began);
    }
    x->playing = 0;
}

void scenario_target(void *arg)
{
    const struct scenario_sender *sender = arg;
    struct scenario_state *x = sender->x;
    while (x->playing && wait_for_ball(x, 1, 0) > 0) {
        ledger_packet ping = x->ball;
        sim_time began = sim_now(x->f->s);
        ledger_echo(x->ledger, &ping, began, 1, &x->ball);
        statistics_created(x->statistics, 1, 0, began);
        if (scenario_post(x, &x->ball, 1, 0)) break;
    }
}
