/* Ping-pong: the initiator sends a packet and waits; the target sends the same packet back, out of the memory it came
 * into. Both wait for remote notifications, polling memory. */
#include <stdlib.h>

#include "sim/traffic/scenario/scenario_private.h"

enum { POLL_CLOCKS = 4 /* bus clocks between two polls of the notification word */, PATIENCE = 2 /* [ms] */ };

/* The next packet is in flight. */
static void in_play(void *self, const void *event)
{
    struct scenario_state *x = self;
    x->ball = *(const scoreboard_packet *)event;
    x->ball_posted = sim_now(x->f->s);
}

struct move {
    scoreboard_packet answered;
    unsigned words; /* 0: it is an answer */
    sim_time created;
};

static void write_down(struct scenario_state *x, const struct move *m, scoreboard_packet *packet)
{
    if (m->words) scoreboard_make(x->scoreboard, 0, 1, m->words, m->created, 1, packet);
    else scoreboard_echo(x->scoreboard, &m->answered, m->created, 1, packet);
    statistics_created(x->statistics, packet->from, packet->to, m->created);
}

/* In other ranks. */
static void moved(void *self, const void *event)
{
    scoreboard_packet packet;
    write_down(self, event, &packet);
}

/* 0, or -1 after scenario_fail. */
static int play(struct scenario_state *x, struct move m)
{
    sim *s = x->f->s;
    scoreboard_packet packet;
    m.created = sim_now(s);
    write_down(x, &m, &packet);
    sim_post_others(s, moved, x, &m, sizeof m);
    sim_post(s, in_play, x, &packet, sizeof packet);
    return scenario_post(x, &packet, 1, 0);
}

/* The packet has come to node `at`: 1, 0: the run ends, -1 after scenario_fail. */
static int wait_for_ball(struct scenario_state *x, unsigned at, unsigned from)
{
    node *n = x->f->node[at];
    sim_time began = sim_now(n->s);
    for (;;) {
        nx_notification note;
        int result = nx_notification_poll(n->dev, x->f->node[from]->params.node_id, &note);
        if (result < 0) {
            scenario_fail(x, "node %u: %s", at, nx_last_error(n->dev));
            return -1;
        }
        if (result || x->stop) sim_deliver(n->s); /* which packet is in flight, and whether it is answered */
        if (result && x->ball.to == at && note.destination == x->ball.destination) return 1;
        if (result) continue; /* of an earlier run */
        if (x->over < sim_now(n->s)) return 0;
        sim_time since = x->ball_posted > began ? x->ball_posted : began;
        if (x->ball.to == at && sim_now(n->s) > since + PATIENCE * SIM_MS) {
            scenario_fail(x, "ping-pong: packet %u from node %u to node %u has not come for %d ms", x->ball.number,
                          from, at, PATIENCE);
            return -1;
        }
        sim_wait_cycles(n->pci_clock, POLL_CLOCKS);
    }
}

/* A round trip has ended; the event is its begin. */
static void record(void *self, const void *event)
{
    struct scenario_state *x = self;
    sim_time began = *(const sim_time *)event;
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

static void over(void *self, const void *event)
{
    struct scenario_state *x = self;
    (void)event;
    x->over = sim_now(x->f->s);
}

void scenario_initiator(void *arg)
{
    const struct scenario_sender *sender = arg;
    struct scenario_state *x = sender->x;
    sim *s = x->f->s;
    pattern_source pattern;
    pattern_source_start(&pattern, &x->pattern, 0);
    while (!x->stop) {
        sim_time began = sim_now(s);
        if (play(x, (struct move){.words = pattern_words(&pattern)}) || wait_for_ball(x, 0, 1) <= 0) break;
        sim_post(s, record, x, &began, sizeof began);
    }
    sim_post(s, over, x, "", 1);
}

void scenario_target(void *arg)
{
    const struct scenario_sender *sender = arg;
    struct scenario_state *x = sender->x;
    while (wait_for_ball(x, 1, 0) > 0 && play(x, (struct move){.answered = x->ball}) == 0)
        ;
}
