/* A scenario's run: rows of warm-up, measurement and drain, with everything that lands checked. */
#include "sim/traffic/scenario/scenario.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "sim/model/cable/frame.h"
#include "sim/system/nodes/fabric_space.h"
#include "sim/traffic/faults/faults.h"
#include "sim/traffic/scenario/scenario_private.h"

enum { SLICE = 5 /* [us] between two polls */, PATIENCE = 1000 /* [us] without a landing until a drain has failed */ };

static void fail(void *self, const void *text)
{
    struct scenario_state *x = self;
    if (*x->run->error) return;
    snprintf(x->run->error, sizeof x->run->error, "%s", (const char *)text);
    x->stop = 1;
    sim_fail(x->f->s, "%s", x->run->error);
}

void scenario_fail(struct scenario_state *x, const char *format, ...)
{
    char text[sizeof x->run->error];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sim_post(x->f->s, fail, x, text, strlen(text) + 1);
}

/* A call of a node's driver, in the node's group, and its result. */
struct at_node {
    struct scenario_state *x;
    unsigned node;
    const scoreboard_packet *packet;
    int notify, hold;
    struct said {
        int result;
        uint32_t notifications; /* bus address */
        uint64_t send, receive; /* the same of both rings; 0: no memory */
        uint64_t errors;        /* counters, summed */
        int reports;            /* `error` is what its NIC reports */
        uint32_t position;      /* of the packet in its request queue */
        char error[sizeof((nx_status *)0)->text];
    } said;
};

static void say(struct at_node *a)
{
    const nx_device *dev = a->x->f->node[a->node]->dev;
    snprintf(a->said.error, sizeof a->said.error, "%s", nx_last_error(dev));
}

/* 0, or -1 after scenario_fail. */
static int do_at(struct at_node *a, void (*fn)(void *))
{
    sim_do_in(a->x->f->node[a->node]->group, fn, a, &a->said, sizeof a->said);
    if (!a->said.result) return 0;
    scenario_fail(a->x, "node %u: %s", a->node, a->said.error);
    return -1;
}

static void post(void *arg)
{
    struct at_node *a = arg;
    const scoreboard_packet *p = a->packet;
    nx_ticket ticket = {0};
    a->said.result = nx_transfer(a->x->f->node[a->node]->dev, p->to, p->source, p->destination, 8 * (uint64_t)p->words,
                                 (a->notify ? NX_REMOTE : 0) | (a->hold ? NX_HOLD : 0), &ticket);
    a->said.position = ticket.position;
    if (a->said.result) say(a);
}

/* Drivers that exchange the state of links send packets of their own between those of the scoreboard. */
static void count_others(struct scenario_state *x, const scoreboard_packet *packet, uint32_t position)
{
    uint32_t *before = &x->position[packet->from][packet->to];
    if (*before && position - *before != 1)
        scoreboard_shift(x->scoreboard, packet->from, packet->to, packet->number, position - *before - 1);
    *before = position;
}

int scenario_post(struct scenario_state *x, const scoreboard_packet *packet, int notify, int hold)
{
    struct at_node a = {.x = x, .node = packet->from, .packet = packet, .notify = notify, .hold = hold};
    int result = do_at(&a, post);
    if (x->f->params.watch_paths) count_others(x, packet, a.said.position);
    x->posted[packet->from][packet->to]++;
    x->moved[packet->from][packet->to] = sim_now(x->f->s);
    return result;
}

/* ---- what lands ---- */

static void landed(void *self, unsigned from, unsigned to, unsigned words, sim_time created, sim_time when)
{
    struct scenario_state *x = self;
    x->landed[from][to]++;
    x->moved[from][to] = sim_now(x->f->s);
    x->landed_in_window++;
    x->open--;
    faults_landed(x->p->faults, from, to);
    if (x->f->watch.landed) x->f->watch.landed(x->f->watch.self, from, to, created, when);
    statistics_landed(x->statistics, from, to, 8 * words, created, when);
    sim_progress(x->f->s);
}

static void lost(void *self, unsigned from, unsigned to, unsigned words, sim_time created)
{
    struct scenario_state *x = self;
    x->landed[from][to]++;
    x->open--;
    statistics_lost(x->statistics, from, to, 8 * words, created, sim_now(x->f->s));
    faults_lost(x->p->faults, from, to);
}

static void damaged(void *self, unsigned from, unsigned to)
{
    struct scenario_state *x = self;
    faults_damaged(x->p->faults, from, to);
}

static void failed(void *self, const char *text) { scenario_fail(self, "%s", text); }

struct write {
    uint64_t address, word;
    sim_time when;
    unsigned bytes;
};

static void check_write(void *self, const void *event)
{
    struct scenario_watch *watch = self;
    const struct write *w = event;
    scoreboard_written(watch->x->scoreboard, watch->node, w->address, w->bytes, w->word, w->when);
}

static void check_begin(void *self, const void *event)
{
    struct scenario_watch *watch = self;
    scoreboard_begun(watch->x->scoreboard, watch->node, *(const uint64_t *)event, sim_now(watch->x->f->s));
}

static void on_data(void *self, const pcix_transaction *t)
{
    struct scenario_watch *watch = self;
    node *n = watch->x->f->node[watch->node];
    if (!watch->x->active || t->initiator != n->nic_agent || !pcix_is_memory_write(t->command)) return;
    sim_post(n->s, check_begin, watch, &t->address, sizeof t->address);
}

/* Other ranks check it in their own copy of the memory. */
struct copy {
    uint64_t address;
    unsigned bytes;
    unsigned char data[4096];
};

static void copy_write(void *self, const void *event)
{
    const struct scenario_watch *watch = self;
    const struct copy *c = event;
    memory_write(host_memory(watch->x->f->node[watch->node]->host), c->address, c->data, c->bytes);
}

static void tell_copy(struct scenario_watch *watch, uint64_t address, unsigned bytes)
{
    node *n = watch->x->f->node[watch->node];
    struct copy c;
    for (unsigned part; bytes; address += part, bytes -= part) {
        c.address = address;
        c.bytes = part = bytes < sizeof c.data ? bytes : sizeof c.data;
        memory_read(host_memory(n->host), address, c.data, part);
        sim_post_others(n->s, copy_write, watch, &c, offsetof(struct copy, data) + part);
    }
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    struct scenario_watch *watch = self;
    node *n = watch->x->f->node[watch->node];
    if (!watch->x->active || t->initiator != n->nic_agent) return;
    if (sim_has_others(n->s)) tell_copy(watch, t->address, t->bytes);
    struct write w = {
        .address = t->address, .word = memory_get64(host_memory(n->host), t->address), .when = when, .bytes = t->bytes};
    sim_post(n->s, check_write, watch, &w, sizeof w);
}

/* ---- life ---- */

scenario *scenario_new(fabric *f)
{
    scenario *run = calloc(1, sizeof *run);
    struct scenario_state *x = calloc(1, sizeof *x);
    if (!run || !x) {
        free(run);
        free(x);
        return NULL;
    }
    *run = (scenario){.f = f, .state = x};
    x->run = run;
    x->f = f;
    x->p = &run->params;
    sim_known(f->s, x, sizeof *x);
    for (unsigned i = 0; i < f->nodes; i++) {
        x->watch[i] = (struct scenario_watch){.x = x, .node = i};
        if (host_on_written(f->node[i]->host, on_written, &x->watch[i]) ||
            host_on_data(f->node[i]->host, on_data, &x->watch[i])) {
            scenario_free(run);
            return NULL;
        }
    }
    return run;
}

void scenario_free(scenario *run)
{
    if (!run) return;
    scoreboard_free(run->state->scoreboard);
    statistics_free(run->state->statistics);
    free(run->state->round_trip);
    free(run->state);
    free(run->row);
    free(run);
}

static void place(void *arg)
{
    struct at_node *a = arg;
    node *n = a->x->f->node[a->node];
    size_t bytes = (size_t)a->x->f->nodes * SCENARIO_RING;
    a->said.result = nx_register_read(n->dev, NIC_REMOTE_NOTIFY_LOW, &a->said.notifications);
    if (a->said.result) say(a);
    a->said.send = n->platform.alloc(n, bytes, 4096);
    a->said.receive = n->platform.alloc(n, bytes, 4096);
}

/* Rings and notification words of every node, once. */
static int prepare(struct scenario_state *x)
{
    fabric *f = x->f;
    scoreboard_params p = {.nodes = f->nodes,
                           .seed = sim_seed(f->s),
                           .ring_bytes = SCENARIO_RING,
                           .lossy = x->p->lossy,
                           .any_order = f->links > 1};
    unsigned patience = fairness_patience(f->node[0]->params.nic), output = fairness_patience(f->params.chip);
    p.fairness = fairness_bound(f->nodes, patience > output ? patience : output, f->links);
    p.landed = landed;
    p.lost = lost;
    p.damaged = damaged;
    p.failed = failed;
    p.self = x;
    x->scoreboard = scoreboard_new(&p);
    x->statistics = statistics_new(f->nodes, x->p->batches);
    if (!x->scoreboard || !x->statistics) {
        scenario_fail(x, "out of memory");
        return -1;
    }
    /* a SOP in front, on each link; several links of a node are as one that is so much faster */
    statistics_link(x->statistics, sim_clock_period(f->node[0]->net_clock) / (f->links * f->bundle),
                    f->bundle + frame_units(0));
    for (unsigned i = 0; i < f->nodes; i++) {
        node *n = f->node[i];
        struct at_node a = {.x = x, .node = i};
        if (do_at(&a, place)) return -1;
        if (!a.said.send || !a.said.receive) {
            scenario_fail(x, "node %u: no bus memory for the rings of %u flows", i, f->nodes);
            return -1;
        }
        scoreboard_place at = {n->params.node_id, host_memory(n->host), a.said.send, a.said.receive,
                               a.said.notifications};
        scoreboard_node(x->scoreboard, i, &at);
    }
    return 0;
}

/* ---- a row ---- */

static int number_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Writes the measured values into the row. */
static void close_row(struct scenario_state *x, scenario_row *row)
{
    statistics_get(x->statistics, STATISTICS_ALL, STATISTICS_ALL, &row->all);
    double load = pattern_load_mib(&x->pattern) * __builtin_popcount(pattern_senders(&x->pattern));
    if (x->p->poisson) row->backlog = statistics_get_backlog(x->statistics, load);
    for (unsigned to = 0; to < x->f->nodes; to++) {
        uint32_t senders = pattern_senders_to(&x->pattern, to);
        for (unsigned from = 0; from < x->f->nodes; from++)
            if (senders >> from & 1) statistics_get(x->statistics, (int)from, (int)to, &row->flow[from][to]);
        if (!x->p->poisson && pattern_contended(&x->pattern, to))
            row->fair[to] = statistics_fair(x->statistics, to, senders);
    }
    row->packets = scoreboard_count(x->scoreboard).landed - x->row_first;
    row->round_trips = x->round_trips;
    if (!x->round_trips) return;
    qsort(x->round_trip, x->round_trips, sizeof *x->round_trip, number_order);
    row->round_trip_min = x->round_trip[0];
    row->round_trip_median = x->round_trip[x->round_trips / 2];
    row->round_trip_p99 = x->round_trip[(x->round_trips * 99 - 1) / 100];
}

/* A pause between Poisson arrivals, with no packet anywhere, is no standstill. */
static void wait_slice(struct scenario_state *x, sim_time end)
{
    sim_time left = end - sim_now(x->f->s);
    sim_wait_time(x->f->s, left < SLICE * SIM_US ? left : SLICE * SIM_US);
    if (x->p->poisson && !x->open && !scoreboard_under_way(x->scoreboard, -1, -1)) sim_progress(x->f->s);
}

/* Everything posted lands, or does not within some time after the last one that did. */
static void drain(struct scenario_state *x)
{
    uint64_t seen = 0;
    sim_time since = sim_now(x->f->s);
    while (!*x->run->error && scoreboard_under_way(x->scoreboard, -1, -1)) {
        uint64_t now = scoreboard_count(x->scoreboard).landed + scoreboard_count(x->scoreboard).notifications;
        if (x->p->faults) sim_progress(x->f->s); /* waiting for lost packets is no deadlock */
        sim_time calm = faults_calm_since(x->p->faults);
        if (now != seen) since = sim_now(x->f->s);
        if (calm > since) since = calm;
        seen = now;
        if (sim_now(x->f->s) > since + (x->p->faults ? scenario_lost(x->f) : PATIENCE * SIM_US)) break;
        sim_wait_time(x->f->s, SLICE * SIM_US);
    }
    scoreboard_finish(x->scoreboard); /* reports missing packets itself */
}

static void tell_window(const scenario *x, int open)
{
    if (x->window) x->window(x->arg, open);
}

static void measure(struct scenario_state *x, scenario_row *row)
{
    sim *s = x->f->s;
    sim_time from = sim_now(s) + x->p->warmup;
    while (!x->stop && sim_now(s) < from) wait_slice(x, from);
    row->from = from;
    row->to = from + x->p->measure;
    tell_window(x->run, 1);
    paths_window(&x->paths, 1);
    x->landed_in_window = 0;
    while (!x->stop && (x->p->packets ? x->landed_in_window < x->p->packets : sim_now(s) < row->to))
        wait_slice(x, x->p->packets ? SIM_FOREVER : row->to);
    if (x->p->packets) row->to = sim_now(s);
    tell_window(x->run, 0);
    paths_window(&x->paths, 0);
    statistics_cut(x->statistics, row->to);
    /* arrivals go on until the packets of the window have come: the last ones see the same traffic as the first */
    sim_time end = sim_now(s) + x->p->drain;
    while (!x->stop && statistics_open_packets(x->statistics) && sim_now(s) < end) sim_wait_time(s, SLICE * SIM_US);
}

static void run_row(struct scenario_state *x, scenario_row *row)
{
    static const char *const names[] = {"sender 0",  "sender 1",  "sender 2",  "sender 3", "sender 4",  "sender 5",
                                        "sender 6",  "sender 7",  "sender 8",  "sender 9", "sender 10", "sender 11",
                                        "sender 12", "sender 13", "sender 14", "sender 15"};
    static void (*const player[])(void *) = {scenario_initiator, scenario_target};
    struct scenario_sender sender[FABRIC_NODES] = {0};
    sim_task *task[FABRIC_NODES];
    unsigned tasks = 0;
    int ping_pong = (x->p->pattern.kind->traits & PATTERN_ANSWERS) != 0;
    x->pattern = x->p->pattern;
    x->pattern.sizes = row->sizes;
    x->pattern.word_time /= x->f->links * x->f->bundle;
    x->stop = *x->run->error != 0;
    x->round_trips = 0;
    x->open = 0;
    x->row_first = scoreboard_count(x->scoreboard).landed;
    sim_time from = sim_now(x->f->s) + x->p->warmup;
    statistics_open(x->statistics, from, x->p->packets ? SIM_FOREVER : from + x->p->measure);
    x->over = SIM_FOREVER;
    uint32_t senders = ping_pong ? 3 : pattern_senders(&x->pattern);
    for (unsigned i = 0; i < x->f->nodes; i++) {
        sender[i] = (struct scenario_sender){.x = x, .node = i};
        if (senders >> i & 1)
            task[tasks++] =
                sim_task_new_in(x->f->node[i]->group, names[i], ping_pong ? player[i] : scenario_source, &sender[i]);
    }
    measure(x, row);
    x->stop = 1;
    /* before the senders end: one whose packets are all lost waits for a time without faults */
    if (x->p->faults && x->run->rows + 1 == x->p->rows) faults_cease(x->p->faults);
    for (unsigned i = 0; i < tasks; i++) sim_join(task[i]);
    for (unsigned i = 0; i < x->f->nodes; i++) {
        sim_same(x->f->node[i]->group, &sender[i].unsent, sizeof sender[i].unsent);
        row->unsent += sender[i].unsent;
    }
    drain(x);
    close_row(x, row);
    row->complete = !*x->run->error;
    char text[48];
    if (x->f->watch.window)
        x->f->watch.window(x->f->watch.self, scenario_size_text(&row->sizes, text, sizeof text), row->from, row->to);
}

/* The front part of the progress line. */
static void progress(void *self, FILE *f)
{
    const struct scenario_state *x = self;
    char text[48];
    if (x->run->rows >= x->p->rows) return;
    fprintf(f, "%s, %s bytes (%u of %u): ", x->p->pattern.kind->name,
            scenario_size_text(&x->p->sizes[x->run->rows], text, sizeof text), x->run->rows + 1, x->p->rows);
}

/* ---- the whole run ---- */

/* Set up as asked for, and without the errors from before, when the links came up. */
static void prepare_device(void *arg)
{
    struct at_node *a = arg;
    const struct scenario_state *x = a->x;
    nx_device *dev = x->f->node[a->node]->dev;
    nx_status status;
    a->said.result = (x->p->body_limit != ~0u && nx_register_write(dev, NIC_BODY_LIMIT, x->p->body_limit)) ||
                     nx_status_read(dev, &status) || nx_status_clear(dev, status.status);
    if (a->said.result) say(a);
    else a->said.errors = status.errors;
}

static void prepare_devices(struct scenario_state *x)
{
    for (unsigned i = 0; i < x->f->nodes && !*x->run->error; i++) {
        struct at_node a = {.x = x, .node = i};
        do_at(&a, prepare_device);
        x->errors[i] = a.said.errors;
    }
}

static void look_at_device(void *arg)
{
    struct at_node *a = arg;
    nx_status status;
    a->said.result = nx_status_read(a->x->f->node[a->node]->dev, &status);
    if (a->said.result) {
        say(a);
        return;
    }
    a->said.reports = status.status || status.errors != a->x->errors[a->node];
    snprintf(a->said.error, sizeof a->said.error, "%s", status.text);
}

/* No NIC has anything to complain of. */
static void look_at_devices(struct scenario_state *x)
{
    for (unsigned i = 0; i < x->f->nodes && !*x->run->error; i++) {
        struct at_node a = {.x = x, .node = i};
        if (!do_at(&a, look_at_device) && a.said.reports && !x->p->lossy)
            scenario_fail(x, "node %u: its NIC reports: %s", i, a.said.error);
    }
}

/* ---- faults ---- */

/* Two packets at most have nothing wrong but what their notification says: the one that was hit in each direction of a
 * cable. */
static void on_strike(void *arg)
{
    struct scenario_state *x = arg;
    scoreboard_allow_hit(x->scoreboard);
    scoreboard_allow_hit(x->scoreboard);
}

static void begin_faults(struct scenario_state *x)
{
    if (!x->p->faults) return;
    faults_on_strike(x->p->faults, on_strike, x);
    if (faults_begin(x->p->faults)) scenario_fail(x, "%s", faults_error(x->p->faults));
}

/* A flow with an unreported loss gets one packet more: its notification must carry the loss indication. */
static void ask_for_losses(struct scenario_state *x)
{
    unsigned unreported = 0;
    for (unsigned from = 0; from < x->f->nodes; from++)
        for (unsigned to = 0; to < x->f->nodes && !*x->run->error; to++) {
            scoreboard_packet packet;
            if (!scoreboard_unreported(x->scoreboard, from, to)) continue;
            scoreboard_make(x->scoreboard, from, to, 1, sim_now(x->f->s), 1, &packet);
            scenario_post(x, &packet, 1, 0);
            unreported++;
        }
    if (!unreported) return;
    drain(x);
    for (unsigned from = 0; from < x->f->nodes; from++)
        for (unsigned to = 0; to < x->f->nodes; to++)
            if (scoreboard_unreported(x->scoreboard, from, to))
                scenario_fail(
                    x, "flow %u>%u: packets are lost, and it has no later one whose notification could report it", from,
                    to);
}

/* After the last fault: checks that every loss is reported, all credit is restored, and every fault has its account. */
static void end_faults(struct scenario_state *x)
{
    enum { LANES = 16, RECORDS = 2048 /* clocks between two records */ };
    char text[300];
    if (!x->p->faults || *x->run->error) return;
    if (faults_end(x->p->faults)) scenario_fail(x, "%s", faults_error(x->p->faults));
    ask_for_losses(x);
    if (*x->run->error) return;
    if (fabric_settle(x->f, 3 * LANES * RECORDS * x->f->node[0]->params.net_period, NULL, text, sizeof text) != 1)
        scenario_fail(x, "after the faults the views of buffer space differ: %s", text);
    if (faults_good(x->p->faults, text, sizeof text)) scenario_fail(x, "%s", text);
}

int scenario_run(scenario *run, const scenario_params *p)
{
    struct scenario_state *x = run->state;
    run->params = *p;
    run->rows = 0;
    run->good = 0;
    free(run->row);
    run->row = calloc(p->rows, sizeof *run->row);
    if (!run->row || (!x->scoreboard && prepare(x))) {
        if (!*run->error) scenario_fail(x, "out of memory");
        return -1;
    }
    scoreboard_counts before = scoreboard_count(x->scoreboard);
    prepare_devices(x);
    scenario_switch_begin(x);
    paths_begin(&x->paths, x->f);
    memset(&run->paths, 0, sizeof run->paths);
    memset(scoreboard_overtaking(x->scoreboard), 0, sizeof(overtaking));
    scoreboard_allow_losses(x->scoreboard, p->lossy, p->crc_hits);
    scoreboard_allow_stops(x->scoreboard, p->faults != NULL);
    x->active = 1;
    begin_faults(x);
    sim_status(x->f->s, progress, x);
    for (; run->rows < p->rows && !*run->error; run->rows++) {
        run->row[run->rows].sizes = p->sizes[run->rows];
        run_row(x, &run->row[run->rows]);
    }
    sim_status(x->f->s, NULL, NULL);
    end_faults(x);
    look_at_devices(x);
    scenario_switch_end(x);
    x->active = 0;
    if (!*run->error && paths_end(&x->paths, &run->paths)) scenario_fail(x, "%s", x->paths.error);
    if (run->paths.links)
        overtaking_get(scoreboard_overtaking(x->scoreboard), &run->paths.depth_median, &run->paths.depth_most);
    run->counts = scoreboard_count(x->scoreboard);
    run->counts.made -= before.made;
    run->counts.landed -= before.landed;
    run->counts.lost -= before.lost;
    run->counts.damaged -= before.damaged;
    run->counts.notifications -= before.notifications;
    run->counts.flagged -= before.flagged;
    run->counts.words -= before.words;
    run->good = !*run->error;
    return run->good ? 0 : -1;
}

void scenario_interrupted(scenario *run)
{
    struct scenario_state *x = run->state;
    if (!x->scoreboard || !x->active || run->rows == run->params.rows) return;
    scenario_row *row = &run->row[run->rows++];
    if (row->to && sim_now(x->f->s) < row->to) row->to = sim_now(x->f->s);
    statistics_cut(x->statistics, sim_now(x->f->s));
    close_row(x, row);
    run->counts = scoreboard_count(x->scoreboard);
}
