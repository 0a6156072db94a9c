#include "sim/traffic/scenario/traffic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/scenario/traffic_private.h"

traffic_params traffic_params_default(void)
{
    sim_params s;
    sim_params_default(&s);
    return (traffic_params){
        .packets = 10000, .links = 1, .seed = s.seed, .quiet = 1, .waves = s.waves, .waves_scopes = s.waves_scopes};
}

void traffic_fail(struct traffic_run *r, const char *format, ...)
{
    if (*r->out->error) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->out->error, sizeof r->out->error, format, arguments);
    va_end(arguments);
    sim_fail(r->p->s, "%s", r->out->error);
}

/* `result` of a call of the model. */
static void checked(struct traffic_run *r, int from, int result)
{
    if (result) traffic_fail(r, "%s", traffic_model_error(r->model[from]));
}

/* ---- the wire */

/* Both ways of all links. */
static int in_sync(const cable *wire)
{
    for (unsigned i = 0; i < 2 * cable_links(wire); i++)
        if (cable_state(wire, i % 2, i / 2) != GT_SYNC) return 0;
    return 1;
}

static void on_header(void *self, const sniffer_frame *f)
{
    const struct traffic_tap *t = self;
    struct traffic_run *r = t->r;
    if (r->active && r->params->by_packet) fairness_hold(r->fairness[f->from], !in_sync(r->p->wire));
    if (r->active && !f->is_check) checked(r, f->from, traffic_model_begins(r->model[f->from], t->path, f->header));
}

static void on_frame(void *self, const sniffer_frame *f)
{
    const struct traffic_tap *t = self;
    struct traffic_run *r = t->r;
    if (!r->active) return;
    if (!sniffer_frame_is_good(f)) traffic_fail(r, "node %d sends a bad frame, header %016" PRIx64, f->from, f->header);
    else if (f->has_header && !f->is_check)
        checked(r, f->from,
                traffic_model_ends(r->model[f->from], t->path, f->payload, f->payload_bytes, f->body_crc_ok));
}

/* ---- faults */

static void report_to_faults(struct traffic_run *r, int from)
{
    traffic_counts now = traffic_model_counts(r->model[from]), *reported = &r->reported[from];
    unsigned f = (unsigned)from, t = (unsigned)!from;
    if (!r->faults) return;
    for (; reported->lost < now.lost; reported->lost++) faults_lost(r->faults, f, t);
    for (; reported->damaged < now.damaged; reported->damaged++) faults_damaged(r->faults, f, t);
    for (; reported->landed < now.landed; reported->landed++) faults_landed(r->faults, f, t);
}

/* ---- what NICs write */

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    struct traffic_watch *w = self;
    struct traffic_run *r = w->r;
    node *n = r->p->node[w->node];
    int from = !w->node;
    uint64_t notice = w->remote + 8 * (uint64_t)r->p->node[from]->params.node_id;
    (void)when;
    if (!r->active || t->initiator != n->nic_agent) return;
    if (t->address >= w->local && t->address < w->local + 8 * TRAFFIC_QUEUES) {
        uint64_t word = memory_get64(host_memory(n->host), t->address);
        checked(r, (int)w->node, traffic_model_counted(r->model[w->node], (unsigned)(t->address - w->local) / 8, word));
    } else if (t->address == notice) {
        checked(r, from, traffic_model_notified(r->model[from], memory_get64(host_memory(n->host), t->address)));
    } else {
        checked(r, from, traffic_model_written(r->model[from], t->address, t->bytes));
        report_to_faults(r, from);
    }
    sim_progress(r->p->s);
}

/* ---- host software */

/* 1..512 words: any, few, or just around whole packets; of some queues always many, of others always few. */
static unsigned some_words(sim *s, unsigned limit, enum traffic_sizes sizes)
{
    unsigned words;
    if (sizes == MANY) return LONGEST - (unsigned)sim_random_below(s, 16);
    if (sizes == FEW) return 1 + (unsigned)sim_random_below(s, 4);
    switch (sim_random_below(s, 3)) {
    case 0:
        return 1 + (unsigned)sim_random_below(s, LONGEST);
    case 1:
        return 1 + (unsigned)sim_random_below(s, 8);
    default:
        words = limit * (unsigned)sim_random_below(s, LONGEST / limit + 1) + (unsigned)sim_random_below(s, 3);
        return words <= 1 ? 1 : words - 1 > LONGEST ? LONGEST : words - 1;
    }
}

/* One descriptor; 0, or -1: it was refused. */
static int post(struct traffic_sender *q, int start)
{
    struct traffic_run *r = q->r;
    node *n = r->p->node[q->node];
    sim *s = n->s;
    traffic_model *m = r->model[q->node];
    traffic_transfer t = {.words = some_words(s, r->p->params.driver.payload_words, q->sizes),
                          .remote = (int)sim_random_below(s, 2),
                          .interrupt = sim_random_below(s, 4) == 0,
                          .local = sim_random_below(s, 8) == 0 || ++q->since_local > 16};
    t.source = SOURCE + 8 * sim_random_below(s, SOURCE_BYTES / 8 - t.words + 1);
    do
        t.destination =
            r->area[!q->node][sim_random_below(s, TRAFFIC_AREAS)] + 8 * (uint32_t)sim_random_below(s, AREA_BYTES / 8);
    while (!traffic_model_free_at(m, t.destination, t.words));
    if (t.local) q->since_local = 0;
    nx_descriptor d = {.source = t.source,
                       .destination = t.destination,
                       .words = t.words,
                       .flow = q->queue,
                       .flags = (t.remote ? NX_REMOTE : 0u) | (t.local ? NX_LOCAL : 0u) |
                                (t.interrupt ? NX_INTERRUPT : 0u) | (start ? NX_START : 0u)};
    /* no other task runs between this and the slot's writing unless the queue is full; then the model knows a little
     * early */
    traffic_model_post(m, q->queue, &t);
    r->packets += (t.words + r->out->limit - 1) / r->out->limit;
    if (nx_post(n->dev, &d, NULL)) {
        traffic_fail(r, "%s: %s", n->name, nx_last_error(n->dev));
        return -1;
    }
    for (q->held++; start && q->held; q->held--)
        if (fairness_posted(r->fairness[q->node], q->queue)) traffic_fail(r, "out of memory");
    return 0;
}

void traffic_sender_task(void *arg)
{
    struct traffic_sender *q = arg;
    struct traffic_run *r = q->r;
    node *n = r->p->node[q->node];
    sim *s = n->s;
    while (!r->stop) {
        for (unsigned left = 1 + (unsigned)sim_random_below(s, 9); left--;)
            if (post(q, left == 0)) return;
        while (!traffic_model_room(r->model[q->node], q->queue) && !r->stop) sim_wait_time(s, SIM_US);
        if (sim_random_below(s, 20) == 0)
            sim_wait_time(s, sim_random_below(s, sim_random_below(s, 8) ? 5 * SIM_US : 50 * SIM_US));
        if (r->packets >= r->params->packets) r->stop = 1;
    }
    if (nx_drain(n->dev, q->queue)) traffic_fail(r, "%s: %s", n->name, nx_last_error(n->dev));
}

static int all_done(void *arg)
{
    struct traffic_run *r = arg;
    return traffic_model_done(r->model[0]) && traffic_model_done(r->model[1]);
}

static int prepare(struct traffic_run *r)
{
    pair *p = r->p;
    for (int i = 0; i < 2; i++) {
        struct traffic_watch *w = &r->watch[i];
        uint32_t remote = 0, local = 0;
        *w = (struct traffic_watch){.r = r, .node = (unsigned)i};
        nx_register_read(p->node[i]->dev, NIC_REMOTE_NOTIFY_LOW, &remote);
        nx_register_read(p->node[i]->dev, NIC_LOCAL_NOTIFY_LOW, &local);
        w->remote = remote;
        w->local = local;
        nx_register_write(p->node[i]->dev, NIC_NET_OUT_CYCLES,
                          0); /* clears the network counters: code errors of bring-up */
        for (uint64_t at = 0; at < SOURCE_BYTES; at += 8)
            memory_put64(host_memory(p->node[i]->host), SOURCE + at, sim_random(p->s), 0xff);
        for (unsigned k = 0; k < TRAFFIC_AREAS; k++)
            r->area[i][k] = AREAS_FROM + k * AREAS_STEP +
                            8 * (uint32_t)sim_random_below(p->s, (AREAS_STEP - AREA_BYTES - 2 * TRAFFIC_GUARD) / 8);
    }
    const unsigned links = r->params->by_packet ? r->params->links : 1;
    for (int i = 0; i < 2; i++) {
        const unsigned patience = r->params->patience ? r->params->patience : fairness_patience(p->params.node[i].nic);
        r->fairness[i] = fairness_new(QUEUES, fairness_bound(QUEUES, patience, links));
        if (!r->fairness[i]) return -1;
        traffic_model_params m = {.source = p->node[i]->params.node_id,
                                  .limit = p->params.driver.payload_words,
                                  .paths = links,
                                  .from = host_memory(p->node[i]->host),
                                  .to = host_memory(p->node[!i]->host),
                                  .area_bytes = AREA_BYTES,
                                  .lossy = r->lossy,
                                  .fairness = r->fairness[i]};
        memcpy(m.area, r->area[!i], sizeof m.area);
        r->model[i] = traffic_model_new(&m);
        if (!r->model[i]) return -1;
    }
    return 0;
}

static void no_errors(struct traffic_run *r)
{
    sim_wait_time(r->p->s, 20 * SIM_US); /* network counters are copies */
    for (int i = 0; i < 2; i++) {
        nx_status status;
        node *n = r->p->node[i];
        if (nx_status_read(n->dev, &status)) traffic_fail(r, "%s: %s", n->name, nx_last_error(n->dev));
        else if (status.errors || status.status) traffic_fail(r, "%s reports errors: %s", n->name, status.text);
    }
}

/* Packets may be lost: waits until none can be in flight and, with several paths, until awaited sequence numbers have
 * timed out. */
static void wait_for_what_is_left(struct traffic_run *r)
{
    sim *s = r->p->s;
    sim_wait_time(s, 500 * SIM_US);
    for (int i = 0; i < 100 && r->params->by_packet && !all_done(r); i++) {
        sim_wait_time(s, 100 * SIM_US);
        sim_progress(s);
    }
}

static void software(void *arg)
{
    struct traffic_run *r = arg;
    pair *p = r->p;
    sim_task *disturbance[3] = {0};
    if (pair_start(p) || prepare(r)) {
        traffic_fail(r, "%s %s", p->node[0]->error, p->node[1]->error);
        return;
    }
    traffic_body_limits(r);
    if (r->params->started) r->params->started(r->params->arg, p);
    r->active = 1;
    if (r->faults && faults_begin(r->faults)) traffic_fail(r, "%s", faults_error(r->faults));
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned q = 0; q < QUEUES; q++) {
            r->sender[i][q] = (struct traffic_sender){
                .r = r, .node = i, .queue = q, .sizes = (enum traffic_sizes)sim_random_below(p->s, 4)};
            r->sender[i][q].task =
                sim_task_new(p->s, i ? "sender 1" : "sender 0", traffic_sender_task, &r->sender[i][q]);
        }
        if (!r->params->calm)
            disturbance[i] = sim_task_new(p->s, "disturbance", traffic_disturbance_task, &r->watch[i]);
    }
    if (r->params->cuts) disturbance[2] = sim_task_new(p->s, "cuts", traffic_cuts_task, r);
    for (unsigned i = 0; i < 2 * QUEUES; i++) sim_join(r->sender[i / QUEUES][i % QUEUES].task);
    r->over = 1;
    for (unsigned i = 0; i < 3; i++)
        if (disturbance[i]) sim_join(disturbance[i]);
    if (r->faults && faults_end(r->faults)) traffic_fail(r, "%s", faults_error(r->faults));
    if (r->lossy) wait_for_what_is_left(r);
    else sim_wait_until(p->node[0]->pci_clock, all_done, r);
    if (!r->lossy) no_errors(r);
    for (int i = 0; i < 2; i++) {
        uint32_t migrated = 0;
        nx_register_read(p->node[i]->dev, NIC_MIGRATED_WORDS, &migrated);
        r->out->migrated[i] = migrated;
        checked(r, i, traffic_model_finish(r->model[i]));
        report_to_faults(r, i);
    }
    char text[300];
    if (r->faults && faults_good(r->faults, text, sizeof text)) traffic_fail(r, "%s", text);
    r->active = 0;
    if (r->params->ended && !*r->out->error) {
        traffic_counts counts[2] = {traffic_model_counts(r->model[0]), traffic_model_counts(r->model[1])};
        r->params->ended(r->params->arg, p, counts);
    }
    pair_stop(p);
}

/* ---- a run */

static void status(void *self, FILE *f)
{
    struct traffic_run *r = self;
    uint64_t landed = 0;
    for (int i = 0; i < 2; i++) landed += r->model[i] ? traffic_model_counts(r->model[i]).landed : 0;
    fprintf(f, "%" PRIu64 " of %" PRIu64 " packets, seed %" PRIu64, r->params->before + landed,
            r->params->all ? r->params->all : r->params->packets, r->params->seed);
}

static void on_report(void *self, FILE *f)
{
    status(self, f);
    fprintf(f, "\n");
}

static int build(struct traffic_run *r)
{
    pair_params p;
    if (traffic_setting(r->params, &p)) {
        snprintf(r->out->error, sizeof r->out->error, "this program has no NICs %s; expected one that has",
                 r->params->links > 1 ? "with that number of links" : "4splits and 1voq");
        return -1;
    }
    r->out->limit = p.driver.payload_words;
    if (r->params->plan) fault_plan_clocks(r->params->plan, p.node, 2);
    r->lossy = r->params->cuts || (r->params->plan && r->params->plan->lossy);
    r->p = pair_new(&p);
    if (!r->p) return -1;
    if (r->params->plan && !(r->faults = faults_new(r->params->plan, r->p->f))) return -1;
    for (unsigned path = 0; path < (r->params->by_packet ? r->params->links : 1); path++) {
        struct traffic_tap *t = &r->tap[path];
        *t = (struct traffic_tap){r, path, sniffer_new(on_frame, t)};
        if (!t->sniffer) return -1;
        sniffer_on_header(t->sniffer, on_header);
        if (sniffer_attach(t->sniffer, r->p->wire, path)) return -1;
    }
    for (int i = 0; i < 2; i++) {
        r->watch[i] = (struct traffic_watch){.r = r, .node = (unsigned)i};
        if (host_on_written(r->p->node[i]->host, on_written, &r->watch[i])) return -1;
    }
    sim_status(r->p->s, status, r);
    sim_report(r->p->s, NULL, on_report, r, "traffic");
    return 0;
}

int traffic_run(const traffic_params *params, traffic_result *result)
{
    struct traffic_run *r = calloc(1, sizeof *r);
    *result = (traffic_result){0};
    if (!r) {
        snprintf(result->error, sizeof result->error, "out of memory");
        return -1;
    }
    r->params = params;
    r->out = result;
    if (build(r)) {
        if (!*result->error) snprintf(result->error, sizeof result->error, "the system cannot be built");
    } else {
        sim_task_new(r->p->s, "traffic", software, r);
        result->result = sim_recorded(r->p->s, sim_run(r->p->s, SIM_FOREVER));
        if (result->result != SIM_OK && !*result->error)
            snprintf(result->error, sizeof result->error, "%s: %s", sim_result_name(result->result),
                     sim_error(r->p->s));
        else if (sim_waves_missing(r->p->s)) snprintf(result->error, sizeof result->error, "no waves are recorded");
        result->time = sim_now(r->p->s);
        for (int i = 0; i < 2; i++)
            if (r->model[i]) result->from[i] = traffic_model_counts(r->model[i]);
    }
    if (r->faults && params->account) faults_print(r->faults, params->account);
    faults_free(r->faults);
    pair_free(r->p);
    for (unsigned path = 0; path < TRAFFIC_PATHS; path++) sniffer_free(r->tap[path].sniffer);
    for (int i = 0; i < 2; i++) {
        if (r->fairness[i] && fairness_most(r->fairness[i]) > result->passed)
            result->passed = fairness_most(r->fairness[i]);
        fairness_free(r->fairness[i]);
        traffic_model_free(r->model[i]);
    }
    free(r);
    return *result->error ? -1 : 0;
}

void traffic_print(const traffic_params *params, const traffic_result *r, FILE *out)
{
    const traffic_counts *a = &r->from[0], *b = &r->from[1];
    fprintf(out,
            "%s: %" PRIu64 " packets, %" PRIu64 " transfers, %.1f MiB, %" PRIu64 " remote and %" PRIu64
            " local notifications, %" PRIu64 " words through external memory",
            *r->error ? "BAD" : "GOOD", a->landed + b->landed, a->departed + b->departed,
            (double)(a->bytes + b->bytes) / (1024.0 * 1024.0), a->notifications + b->notifications,
            a->counts + b->counts, r->migrated[0] + r->migrated[1]);
    if (params->cuts || params->plan)
        fprintf(out, "; %" PRIu64 " packets lost, %" PRIu64 " damaged, %" PRIu64 " notifications flagged",
                a->lost + b->lost, a->damaged + b->damaged, a->flagged + b->flagged);
    fprintf(out,
            "; a queue passed by %" PRIu64 " words at most; %.3f ms simulated, payload limit %u words, seed %" PRIu64
            "\n",
            r->passed, 1e-9 * (double)r->time, r->limit, params->seed);
    if (*r->error) fprintf(out, "%s\n", r->error);
}
