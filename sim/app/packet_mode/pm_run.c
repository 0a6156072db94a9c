#include <math.h>
#include <stdlib.h>

#include "sim/app/packet_mode/pm_run_private.h"

enum { RESET_CLOCKS = 4, FIXED_AROUND = 3 /* clocks of an idle VPS without forward cable and decisions */ };

/* ---- the window ---- */

static int grows(const run *r)
{
    return pm_statistics_grows(r->statistics, r->p->next || pm_traffic_most(&r->p->traffic) >= 1);
}

/* The widest of the intervals that are asked for, in parts of that; INFINITY: one is not known, or a backlog seems to
 * grow, so none is. */
static double widest(const run *r)
{
    double widest = 0;
    if (!r->p->of_high && grows(r)) return INFINITY;
    for (pm_measure m = 0; m < PM_MEASURES; m++) {
        batches_mean b = pm_statistics_mean(r->p->of_high ? r->of_priority[1] : r->statistics, m, r->p->ideal);
        double limit = r->p->half_width / 100 * b.controlled, wide = b.controlled_half_width / limit;
        if (!(r->p->needed >> m & 1) || b.controlled_half_width <= limit) continue;
        if (!isfinite(wide)) return INFINITY;
        widest = fmax(widest, wide);
    }
    return widest;
}

static int prolong(run *r)
{
    for (unsigned k = 0; k < PM_PRIORITIES; k++)
        if (r->of_priority[k]) pm_statistics_prolong(r->of_priority[k]);
    if (pm_statistics_prolong(r->statistics)) return -1;
    for (unsigned k = 0; k < PM_PRIORITIES; k++) r->waiting[0][k] += r->waiting[1][k], r->waiting[1][k] = 0;
    return 0;
}

/* 1 if another window is needed and possible. */
static int goes_on(run *r, uint64_t waiting)
{
    double wide = waiting ? INFINITY : widest(r);
    return wide > 1 && !pm_statistics_hopeless(r->statistics, wide) && !prolong(r);
}

/* When all packets of the window have left, or the window's length after its end, it is checked, and prolonged or not.
 * Then arrivals end, and all packets in the switch must leave; a run with saturated lines ends with words inside. */
static void ends(run *r)
{
    uint64_t end = pm_statistics_end(r->statistics),
             waiting = r->waiting[0][1] + (r->p->of_high ? 0 : r->waiting[0][0]);
    if (r->closed) {
        if (!r->inside) sim_stop(r->s);
        return;
    }
    if (r->clock < end || (waiting && r->clock < end + r->p->clocks)) return;
    if (r->p->half_width > 0 && goes_on(r, waiting)) return;
    r->stuck = waiting != 0;
    r->closed = 1;
    memcpy(r->left, r->waiting[0], sizeof r->left);
    if (pm_traffic_full(&r->p->traffic) || r->p->next) sim_stop(r->s);
}

static void sample(void *self)
{
    run *r = self;
    r->clock++;
    if (!*r->rst) pm_run_out(r);
}

static void drive(void *self)
{
    run *r = self;
    if (r->clock < RESET_CLOCKS) return;
    *r->rst = 0;
    pm_run_in(r, r->clock - RESET_CLOCKS);
    if (part_at(r, r->clock) >= 0) pm_statistics_backlog(r->statistics, r->clock, (double)r->inside, &r->ideal);
    ends(r);
}

/* A packet of low priority starts in the ideal switch. */
static void low_starts(void *self, uint64_t first, unsigned words, uint64_t delay)
{
    run *r = self;
    if (part_at(r, first) < 0) return;
    pm_statistics_ideal(r->statistics, first, words, (double)delay);
    if (r->of_priority[0]) pm_statistics_ideal(r->of_priority[0], first, words, (double)delay);
}

static void progress(void *self, FILE *f)
{
    run *r = self;
    fprintf(f, "%lu of %lu clocks", r->clock, pm_statistics_end(r->statistics));
}

/* ---- a run ---- */

/* A port; of one that this architecture does not have, zeros. */
static sim_port pin(sim_model *m, const char *name)
{
    static uint64_t none[5]; /* as wide as the widest of these */
    size_t count;
    const sim_port *ports = sim_model_ports(m, &count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(ports[k].name, name)) return ports[k];
    return (sim_port){.name = name, .bits = 64, .output = 1, .at = none};
}

static void connect(run *r, sim_model *m)
{
    static const char *const error_pins[ERRORS] = {"error_line", "error_credit", "error_notice",
                                                   "error_lock", "error_words",  "error_egress"};
    static const char *const event_pins[EVENTS] = {"event_pair", "event_cancel", "event_refused", "event_ended",
                                                   "event_lone"};
    r->rst = pin(m, "rst").at;
    r->weight_write = pin(m, "weight_write");
    r->weight_input = pin(m, "weight_input");
    r->weight_output = pin(m, "weight_output");
    r->weight = pin(m, "weight");
    const sim_port of_sets = pin(m, "weight_multicast"); /* weights are those of single outputs */
    sim_port_set(&of_sets, 0);
    r->line_valid = pin(m, "line_valid");
    r->line_first = pin(m, "line_first");
    r->line_output = pin(m, "line_output");
    r->line_words = pin(m, "line_words");
    r->line_word = pin(m, "line_word").at;
    r->line_full = pin(m, "line_full");
    r->line_release = pin(m, "line_release");
    r->release_output = pin(m, "release_output");
    r->line_held = pin(m, "line_held").at;
    r->out_valid = pin(m, "out_valid");
    r->out_first = pin(m, "out_first");
    r->out_last = pin(m, "out_last");
    r->out_input = pin(m, "out_input");
    r->out_word = pin(m, "out_word").at;
    r->link_valid = pin(m, "link_valid");
    r->link_word = pin(m, "link_word").at;
    r->column_valid = pin(m, "column_valid");
    r->column_word = pin(m, "column_word").at;
    r->egress_most = pin(m, "egress_most");
    r->line_priority = pin(m, "line_priority");
    r->line_multicast = pin(m, "line_multicast");
    r->line_set = pin(m, "line_set");
    r->out_priority = pin(m, "out_priority");
    r->out_multicast = pin(m, "out_multicast");
    for (unsigned k = 0; k < ERRORS; k++) r->error[k] = pin(m, error_pins[k]);
    for (unsigned k = 0; k < EVENTS; k++) r->event[k] = pin(m, event_pins[k]);
}

static void results(run *r)
{
    r->r->clocks = r->clock;
    for (unsigned o = 0; o < r->ports; o++) {
        unsigned most = (unsigned)sim_port_field(&r->egress_most, 20 * o, 20);
        if (most > r->r->most_reassembly) r->r->most_reassembly = most;
    }
    int full = pm_traffic_full(&r->p->traffic), of_high = r->p->of_high;
    pm_ideal_end(&r->ideal);
    r->r->unstable = !full && (r->stuck || grows(r));
    pm_statistics_results(r->statistics, full || of_high ? NULL : r->p->ideal, r->r);
    for (int k = 0; k < PM_PRIORITIES; k++) {
        pm_result *of = &r->p->priority[k];
        pm_ideal_means ideal;
        int known = k == 1 || (!full && !of_high);
        if (!r->of_priority[k]) continue;
        if (of_high && k == 1 && r->p->ideal) ideal = *r->p->ideal;
        else if (known && pm_ideal_long_run(&r->p->traffic, 50 * r->p->clocks, PM_UNIT, k, &ideal))
            r->r->error = "memory is exhausted";
        of->unstable = known && r->left[k];
        pm_statistics_results(r->of_priority[k], known ? &ideal : NULL, of);
    }
}

/* Of the window. */
static uint64_t first_clock(const pm_run_params *p)
{
    return RESET_CLOCKS + p->warmup +
           (p->traffic.process == PM_INSTANT     ? LEAD
            : p->traffic.process == PM_STAIRCASE ? STEPS
                                                 : 0);
}

static pm_statistics *statistics_of(const pm_run_params *p)
{
    return pm_statistics_new(p->traffic.pattern.nodes, first_clock(p), p->clocks,
                             p->half_width > 0 ? PM_PROLONGED + 1 : 1);
}

static void release(run *r)
{
    if (!r) return;
    for (unsigned i = 0; i < PM_PORTS; i++) {
        for (unsigned k = 0; k < CLASSES; k++)
            for (unsigned o = 0; o < PM_PORTS; o++) free(r->flow[k][i][o].ring);
        free(r->line[i].queue);
    }
    pm_ideal_free(&r->ideal);
    pm_statistics_free(r->statistics);
    for (unsigned k = 0; k < PM_PRIORITIES; k++) pm_statistics_free(r->of_priority[k]);
    free(r);
}

pm_result pm_run(const pm_run_params *params)
{
    static char error[400];
    pm_result out = {0};
    run *r = calloc(1, sizeof *r);
    double started = sim_wall();
    int complete = r && (r->statistics = statistics_of(params));
    for (unsigned k = 0; complete && params->priority && k < PM_PRIORITIES; k++) {
        params->priority[k] = (pm_result){0};
        complete = (r->of_priority[k] = statistics_of(params)) != NULL;
    }
    if (!complete) {
        release(r);
        out.error = "memory is exhausted";
        return out;
    }
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = params->traffic.pattern.seed;
    sp.watchdog = 0;
    sp.quiet = params->quiet;
    sp.waves = params->waves;
    if (params->waves) sp.waves_from = params->wave_from * 3200;
    if (params->waves) sp.waves_to = (params->wave_from + params->wave_clocks) * 3200;
    sim *s = sim_new(&sp);
    sim_model *m = s ? params->model->make(s, "switch") : NULL;
    sim_clock *clock = s ? sim_clock_new(s, &(sim_clock_params){.name = "clk", .period = 3200, .phase = 0}) : NULL;
    r->p = params;
    r->r = &out;
    r->s = s;
    r->ports = params->traffic.pattern.nodes;
    r->port_bits = r->ports > 8 ? 4 : r->ports > 4 ? 3 : r->ports > 2 ? 2 : 1;
    r->cells = !strcmp(params->model->module, "pm_iq");
    r->scheduling = (unsigned)sim_config_parameter(params->model, "SCHEDULING_CLOCKS", 2);
    r->fixed = FIXED_AROUND + 2 * r->scheduling + (uint64_t)sim_config_parameter(params->model, "FORWARD_CLOCKS", 30);
    if (r->cells) r->fixed = FIXED_IQ;
    r->priorities = (unsigned)sim_config_parameter(params->model, "PRIORITIES", 1);
    r->sets = (unsigned)sim_config_parameter(params->model, "MULTICAST", 0);
    r->levels = params->traffic.multicast > 0 && !params->copies ? UNCOUNTED : r->cells ? VOQS : VOQS_AND_CROSSPOINTS;
    r->mixes = (int)sim_config_parameter(params->model, "REASSEMBLY", 1);
    r->ideal.started = low_starts;
    r->ideal.self = r;
    r->patience = params->patience ? params->patience : pm_run_patience(r);
    r->memory = 64 * (int64_t)sim_config_parameter(params->model, "VOQ_BLOCKS", 4096);
    if (m && clock) {
        connect(r, m);
        for (unsigned i = 0; i < r->ports; i++) {
            pm_stream_start(&r->arrivals.stream[i], &params->traffic, i);
            r->line[i].next = pm_run_next(r, i);
            pm_stream_start(&r->releases.stream[i], &params->traffic, i);
            r->line[i].held = pm_stream_next(&r->releases.stream[i]);
            r->line[i].leaving[0] = r->line[i].leaving[HIGH] = -1;
        }
        *r->rst = 1;
        sim_model_clock(m, clock, pin(m, "clk").at);
        sim_clock_attach(clock, sample, drive, r);
        sim_status(s, progress, r);
        int result = sim_run(s, SIM_FOREVER);
        out.interrupted = result == SIM_INTERRUPTED;
        if (result == SIM_STOPPED) results(r);
    }
    if (!s || *sim_error(s)) snprintf(error, sizeof error, "%s", s ? sim_error(s) : "memory is exhausted");
    if (!s || *sim_error(s)) out.error = error;
    if (!out.error) out.rule = NULL;
    else if (!out.rule) /* what checks words names their clock */
        out.rule = !strncmp(error, "clock ", 6) ? "each word leaves once, in the order of its flow, on its line"
                                                : "the simulation goes on";
    out.clocks = r->clock;
    sim_free(s);
    release(r);
    out.wall = sim_wall() - started;
    return out;
}
