/* Senders of a scenario: one task for each host that sends. Packets arrive at the host, wait in a queue for each
 * receiver, and are posted when the device has a slot and the scoreboard room for them.
 *
 * Saturated, packets are drawn when few are left, and no fewer than the link carries: packets that wait for a slow
 * receiver do not reduce the offered load of the others. A packet that is drawn for a full queue is lost. */
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/faults/faults.h"
#include "sim/traffic/scenario/scenario_private.h"

enum {
    AHEAD = 32,       /* packets that a saturated host has drawn and not yet posted, at least */
    LINE_MOST = 4096, /* of them for one receiver, at most */
    LOOK_CLOCKS = 40, /* bus clocks between two looks at a full queue */
    NAP = 2 * SIM_US  /* longest sleep without arrivals */
};

struct waiting {
    sim_time created;
    unsigned words;
};

struct line {
    struct waiting *at; /* ring */
    uint32_t room, first, count;
    uint64_t numbered; /* packets posted: every nth asks for a notification */
    int held;          /* the last one posted waits for one behind it */
};

struct source {
    struct scenario_state *x;
    node *n;
    pattern_source pattern;
    struct line line[FABRIC_NODES];
    unsigned waiting; /* in all lines */
    sim_time next;    /* arrival; saturated: until when the packets drawn keep the link busy */
};

struct offer {
    unsigned from, to, bytes;
    sim_time arrived;
};

static void offered(void *self, const void *event)
{
    struct scenario_state *x = self;
    const struct offer *o = event;
    x->open++;
    statistics_offered(x->statistics, o->from, o->to, o->bytes, o->arrived);
}

/* A packet, `created` 0: when it is posted; its length. */
static unsigned arrive(struct source *s, sim_time created)
{
    unsigned to = pattern_destination(&s->pattern), words = pattern_words(&s->pattern);
    struct line *l = &s->line[to];
    struct offer offer = {s->n->id, to, 8 * words, created};
    if (created) sim_post(s->n->s, offered, s->x, &offer, sizeof offer);
    if (!s->x->p->poisson && l->count == LINE_MOST) return words;
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 64;
        struct waiting *at = malloc(room * sizeof *at);
        if (!at) {
            fprintf(stderr, "scenario: out of memory\n");
            exit(1);
        }
        for (uint32_t i = 0; i < l->count; i++) at[i] = l->at[(l->first + i) & (l->room - 1)];
        free(l->at);
        l->at = at;
        l->room = room;
        l->first = 0;
    }
    l->at[(l->first + l->count++) & (l->room - 1)] = (struct waiting){created, words};
    s->waiting++;
    return words;
}

static void arrivals(struct source *s)
{
    sim_time now = sim_now(s->x->f->s);
    if (!s->x->p->poisson) {
        while (s->waiting < AHEAD || s->next <= now)
            s->next += pattern_link_words(arrive(s, 0)) * s->x->pattern.word_time;
        return;
    }
    for (; s->next <= now; s->next += pattern_gap(&s->pattern)) {
        arrive(s, s->next);
        if (!s->x->stop) sim_progress(s->x->f->s);
    }
}

/* A packet that has been made, for other ranks. */
struct made {
    unsigned from, to, words;
    int notify;
    sim_time created;
};

static void made(void *self, const void *event)
{
    const struct scenario_state *x = self;
    const struct made *m = event;
    scoreboard_packet packet;
    scoreboard_make(x->scoreboard, m->from, m->to, m->words, m->created, m->notify, &packet);
    statistics_created(x->statistics, m->from, m->to, m->created);
}

/* Faults have hit all that is out, so that nothing can land behind it and show that it is lost. */
static int all_lost(struct scenario_state *x, unsigned from, unsigned to)
{
    if (!x->p->faults) return 0;
    sim_progress(x->f->s);
    sim_time calm = faults_calm_since(x->p->faults), since = x->moved[from][to] > calm ? x->moved[from][to] : calm;
    if (sim_now(x->f->s) < since + scenario_lost(x->f)) return 0;
    scoreboard_drop(x->scoreboard, from, to);
    return 1;
}

/* Counts the landings delivered so far. */
static int may_post(const struct source *s, unsigned to, unsigned words)
{
    struct scenario_state *x = s->x;
    unsigned from = s->n->id;
    if (!scoreboard_room(x->scoreboard, from, to, words) &&
        !(all_lost(x, from, to) && scoreboard_room(x->scoreboard, from, to, words)))
        return 0;
    return !x->p->outstanding || x->posted[from][to] - x->landed[from][to] < x->p->outstanding || all_lost(x, from, to);
}

/* Whether a packet may have landed whose event is not delivered: a bus moves no more than 8 bytes in a clock, and a
 * write is reported when it begins and when it ends. Clocks may be 1 % faster than nominal, and an edge is less than
 * half a period off. */
static int may_have_landed(const struct source *s, unsigned to)
{
    const struct scenario_state *x = s->x;
    sim_time since, clock = sim_clock_period(x->f->node[to]->pci_clock);
    uint32_t words = scoreboard_missing(x->scoreboard, s->n->id, to, &since) / 8;
    if (!since) since = sim_delivered(x->f->s);
    return words < 2 || sim_now(x->f->s) >= since + (words - 1) * (clock - clock / 100);
}

/* 1: posted, 0: cannot be now, -1: failed. */
static int post_one(struct source *s, unsigned to, int last)
{
    struct scenario_state *x = s->x;
    struct line *l = &s->line[to];
    const struct waiting *w = &l->at[l->first & (l->room - 1)];
    int may = may_post(s, to, w->words), slots = nx_free_slots(s->n->dev, to);
    if (slots < 0) {
        scenario_fail(x, "node %u: %s", s->n->id, nx_last_error(s->n->dev));
        return -1;
    }
    if (!slots) return 0;
    if (!may) {
        if (!may_have_landed(s, to)) return 0;
        sim_deliver(s->n->s); /* landed packets make room, and never take any */
        if (!may_post(s, to, w->words)) return 0;
    }
    /* if all earlier packets are lost, only its own landing makes room for the next; over several paths its
     * notification does */
    int alone =
        x->p->faults && x->p->outstanding && x->posted[s->n->id][to] - x->landed[s->n->id][to] + 1 >= x->p->outstanding;
    int notify = l->numbered++ % x->p->notify == 0 || last || (alone && x->f->links > 1);
    /* where one packet follows another four share a burst; a packet that nothing follows leaves at once */
    int hold = !last && (l->count > 1 || (!x->p->poisson && x->pattern.kind->traits & PATTERN_STEADY));
    if (alone) hold = 0;
    sim_time created = w->created ? w->created : sim_now(x->f->s);
    scoreboard_packet packet;
    struct made m = {s->n->id, to, w->words, notify, created};
    scoreboard_make(x->scoreboard, s->n->id, to, w->words, created, notify, &packet);
    statistics_created(x->statistics, s->n->id, to, created);
    sim_post_others(s->n->s, made, x, &m, sizeof m);
    l->first++;
    l->count--;
    l->held = hold;
    s->waiting--;
    return scenario_post(x, &packet, notify, hold) ? -1 : 1;
}

/* Packets that wait in the device or the driver for one behind them get it. */
static int release(struct source *s)
{
    for (unsigned to = 0; to < s->x->f->nodes; to++) {
        struct line *l = &s->line[to];
        int result = 0;
        if (!l->held) continue;
        if (!l->count) { /* one more of the usual kind */
            pattern_source other = s->pattern;
            l->count = 1;
            l->at[l->first & (l->room - 1)] = (struct waiting){0, pattern_words(&other)};
            s->waiting++;
        }
        while ((result = post_one(s, to, 1)) == 0) sim_wait_cycles(s->n->pci_clock, LOOK_CLOCKS);
        if (result < 0) return -1;
    }
    return 0;
}

static void work(struct source *s)
{
    struct scenario_state *x = s->x;
    for (unsigned turn = 0;; turn++) {
        if (x->stop) return;
        arrivals(s);
        unsigned posted = 0;
        for (unsigned i = 0; i < x->f->nodes && !x->stop; i++) {
            unsigned to = (turn + i) % x->f->nodes;
            if (!s->line[to].count) continue;
            int result = post_one(s, to, 0);
            if (result < 0) return;
            posted += (unsigned)result;
        }
        if (posted) continue;
        if (s->waiting) sim_wait_cycles(s->n->pci_clock, LOOK_CLOCKS);
        else {
            sim_time now = sim_now(x->f->s), left = s->next > now ? s->next - now : 1;
            sim_wait_time(x->f->s, left < NAP ? left : NAP);
        }
    }
}

void scenario_source(void *arg)
{
    struct scenario_sender *sender = arg;
    struct scenario_state *x = sender->x;
    struct source *s = calloc(1, sizeof *s);
    if (!s) {
        fprintf(stderr, "scenario: out of memory\n");
        exit(1);
    }
    s->x = x;
    s->n = x->f->node[sender->node];
    pattern_source_start(&s->pattern, &x->pattern, sender->node);
    s->next = sim_now(x->f->s) + (x->p->poisson ? pattern_gap(&s->pattern) : 0);
    work(s);
    if (!*x->run->error) release(s);
    if (x->p->poisson) sender->unsent = s->waiting;
    for (unsigned i = 0; i < FABRIC_NODES; i++) free(s->line[i].at);
    free(s);
}
