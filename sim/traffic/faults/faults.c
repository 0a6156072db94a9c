/* The engine: strikes of each line of the plan, the counters that see them, lost data. */
#include "sim/traffic/faults/faults.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "sim/core/kernel/splitmix64.h"
#include "sim/traffic/faults/private.h"
#include "switch_register_map.h"

enum {
    PAGE = 0x400 /* registers of a port of the switch */,
    COPIED = 25 /* [us] network counters are copies: none is older */
};
/* [us] until a strike is counted; behind a switch the packet waits at its output first, by packet for a lost one */
enum { COUNTED = 15, COUNTED_BEHIND_SWITCH = 250, COUNTED_IN_ORDER = 2500 };

/* ---- when ---- */

static double drawn(struct fault_line *line)
{
    return ((double)(splitmix64(&line->random) >> 11) + 0.5) / 9007199254740992.0;
}

static sim_time gap(struct fault_line *line)
{
    return line->f->when == FAULT_RANDOM ? 1 + (sim_time)(-log(drawn(line)) * (double)line->f->time) : line->f->time;
}

/* The time at which a line without a count strikes next. */
static void next_time(struct fault_line *line, sim_time now)
{
    if (line->f->when == FAULT_AT) return;
    do line->due += gap(line);
    while (line->due <= now);
}

/* It may cost packets. */
static int costs(const struct fault_line *line) { return fault_is_lossy(line->f) && !line->f->class->intact; }

/* A strike not seen before the next one stays unseen: the next one may count twice. */
static void condemn(struct fault_line *line)
{
    if (*line->wrong) line->failed_before = 1;
}

static void write_down(struct fault_line *line, sim_time now)
{
    faults *x = line->all;
    for (unsigned i = 0; i < x->plan.count; i++) condemn(&x->line[i]);
    if (!line->struck++) line->first = now;
    line->fresh++;
    x->strikes++;
    line->last = line->ended = now;
    if (!line->open) line->since = now;
    line->open = 1;
    if (costs(line) && x->on_strike) x->on_strike(x->on_strike_arg);
}

int fault_strikes(struct fault_line *line)
{
    faults *x = line->all;
    const fault *f = line->f;
    sim_time now = sim_now(x->s) - x->began;
    if (!x->active || line->struck >= f->times || now < f->from) return 0;
    if (f->when == FAULT_PART) {
        if (drawn(line) >= f->part) return 0;
    } else if (f->number) {
        if (f->when == FAULT_RANDOM ? drawn(line) * (double)f->number >= 1 : ++line->passed < f->number) return 0;
        line->passed = 0;
    } else {
        if (now < line->due) return 0;
        next_time(line, now);
    }
    write_down(line, now);
    return 1;
}

/* Sleeps until then; 0 if the end of the plan comes first. */
static int sleep_until(faults *x, sim_time time)
{
    while (!x->ending && sim_now(x->s) < time) {
        sim_time left = time - sim_now(x->s);
        sim_wait_time(x->s, left < SIM_US ? left : SIM_US);
    }
    return !x->ending;
}

/* Links of a node without those cut for ever; a bundle by byte has all or none. */
static unsigned links_left(const fabric *f, unsigned node)
{
    unsigned left = 0, links = f->links * f->bundle;
    for (unsigned l = 0; l < links; l++) {
        int end;
        const cable *wire = fabric_link(f, node, l, &end);
        unsigned at = f->chip.model ? 0 : l;
        left += cable_state(wire, 0, at) != GT_DARK && cable_state(wire, 1, at) != GT_DARK;
    }
    return f->bundle > 1 && left < links ? 0 : left;
}

static int look_at_points(faults *x, int all);
static void close_line(faults *x, unsigned i);

/* A cut for ever that leaves a node no link ends the traffic. The account is closed before. */
static void end_without_links(struct fault_line *line)
{
    faults *x = line->all;
    unsigned node = line->f->node;
    if (links_left(x->f, node)) return;
    sim_wait_time(x->s, (COUNTED + COPIED) * SIM_US);
    if (look_at_points(x, 1)) return;
    for (unsigned i = 0; i < x->plan.count; i++) close_line(x, i);
    if (x->f->bundle > 1)
        snprintf(line->wrong, sizeof line->wrong,
                 "a bundle by byte is down until all of its links are back: nothing passes");
    else
        snprintf(line->wrong, sizeof line->wrong,
                 "node %u has no link left: nothing leaves it, and nothing comes to it", node);
    sim_fail(x->s, "fault '%s': %s", line->f->text, line->wrong);
}

/* One that lasts. */
static void timed_task(void *arg)
{
    struct fault_line *line = arg;
    faults *x = line->all;
    while (line->struck < line->f->times) {
        if (!sleep_until(x, x->began + line->due)) return;
        write_down(line, sim_now(x->s) - x->began);
        line->on = 1;
        line->f->class->turn(line, 1);
        if (line->f->length == SIM_FOREVER) {
            end_without_links(line);
            return;
        }
        sim_wait_time(x->s, line->f->length);
        line->f->class->turn(line, 0);
        line->on = 0;
        line->ended = sim_now(x->s) - x->began;
        next_time(line, sim_now(x->s) - x->began);
    }
}

/* ---- life ---- */

void fault_plan_clocks(const fault_plan *plan, node_params *node, unsigned nodes)
{
    for (unsigned i = 0; i < plan->count; i++)
        if (plan->fault[i].class->value == FAULT_VALUE_PPM && plan->fault[i].node < nodes)
            node[plan->fault[i].node].net_ppm += plan->fault[i].value;
}

frame_tap *fault_tap(faults *x, unsigned node, unsigned link)
{
    int end;
    cable *wire = fabric_link(x->f, node, link, &end);
    struct fault_tapped *t = x->tap;
    while (t < x->tap + x->taps && t->wire != wire) t++;
    if (t == x->tap + x->taps) {
        *t = (struct fault_tapped){wire, frame_tap_new(wire)};
        x->taps++;
    }
    return t->tap;
}

static int prepare(faults *x)
{
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        const fault *f = &x->plan.fault[i];
        uint64_t seed = sim_seed(x->s) + 0x9e3779b97f4a7c15u * (i + 1);
        *line = (struct fault_line){.all = x, .f = f, .argument = f->class->argument, .random = splitmix64(&seed)};
        for (unsigned l = 0; l < x->f->links; l++)
            for (int out = 1; out >= 0; out--)
                if (f->directions & (out ? FAULT_OUT : FAULT_IN) &&
                    (x->f->links == 1 || f->link < 0 || (unsigned)f->link == l))
                    line->site[line->sites++] =
                        (struct fault_site){line, out ? x->end[f->node] : !x->end[f->node], l, 0};
        if (f->class->start && f->class->start(line)) return -1;
    }
    return 0;
}

static faults *build(const fault_plan *plan, sim *s, node *const *node, unsigned nodes)
{
    faults *x = calloc(1, sizeof *x);
    if (!x) return NULL;
    x->plan = *plan;
    x->s = s;
    x->nodes = nodes;
    for (unsigned i = 0; i < nodes; i++) x->node[i] = node[i];
    return x;
}

faults *faults_new(const fault_plan *plan, fabric *f)
{
    faults *x = build(plan, f->s, f->node, f->nodes);
    if (!x) return NULL;
    x->f = f;
    for (unsigned i = 0; i < x->nodes; i++) fabric_wire(f, i, &x->end[i]);
    if (!prepare(x)) return x;
    faults_free(x);
    return NULL;
}

void faults_free(faults *x)
{
    if (!x) return;
    while (x->taps) frame_tap_free(x->tap[--x->taps].tap);
    free(x);
}

void faults_on_strike(faults *x, void (*fn)(void *arg), void *arg)
{
    x->on_strike = fn;
    x->on_strike_arg = arg;
}

const char *faults_error(const faults *x) { return x->error; }

/* It goes on and will end. */
static int ends(const struct fault_line *line) { return line->on && line->f->length != SIM_FOREVER; }

sim_time faults_calm_since(const faults *x)
{
    sim_time calm = 0;
    for (unsigned i = 0; x && i < x->plan.count; i++) {
        const struct fault_line *line = &x->line[i];
        sim_time hangs = line->f->class->timer ? FAULT_TIMER_US * SIM_US : 0;
        sim_time since = ends(line) ? sim_now(x->s) : line->struck ? x->began + line->ended + hangs : 0;
        if (since > calm) calm = since;
    }
    return calm;
}

/* ---- witnesses ---- */

static void add_point(struct fault_line *line, const fault_witness *w, enum fault_point_place where, unsigned at,
                      unsigned offset, unsigned path)
{
    for (unsigned i = 0; i < line->points; i++) {
        const struct fault_point *p = &line->point[i];
        if (p->where == where && p->at == at && p->offset == offset && p->path == path) return;
    }
    struct fault_point *p = &line->point[line->points++];
    *p = (struct fault_point){.where = where, .at = at, .offset = offset, .path = path, .witness = w};
    int n = snprintf(p->place, sizeof p->place, "%s %u", where == POINT_PORT ? "port" : "node", at);
    if (path) snprintf(p->place + n, sizeof p->place - (size_t)n, " of switch %u", path);
}

/* A counter of link 0 of a NIC that has its like for the others; the rest are in sum. */
static unsigned of_link(unsigned counter, unsigned link)
{
    static const unsigned counters[][FABRIC_LINKS] = {
        {NIC_GT0_LOSS_OF_SYNC, NIC_GT1_LOSS_OF_SYNC, NIC_GT2_LOSS_OF_SYNC, NIC_GT3_LOSS_OF_SYNC},
        {NIC_GT0_UNKNOWN_CHARACTERS, NIC_GT1_UNKNOWN_CHARACTERS, NIC_GT2_UNKNOWN_CHARACTERS,
         NIC_GT3_UNKNOWN_CHARACTERS},
        {NIC_GT0_PARITY_ERRORS, NIC_GT1_PARITY_ERRORS, NIC_GT2_PARITY_ERRORS, NIC_GT3_PARITY_ERRORS},
    };
    for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; i++)
        if (counters[i][0] == counter) return counters[i][link];
    return counter;
}

static void add_receivers(struct fault_line *line, const fault_witness *w, unsigned link)
{
    unsigned node = line->f->node;
    if (line->f->directions & FAULT_IN) add_point(line, w, POINT_NIC, node, of_link(w->nic, link), 0);
    if (!(line->f->directions & FAULT_OUT)) return;
    if (!line->all->f->chip.model) add_point(line, w, POINT_NIC, !node, of_link(w->nic, link), 0);
    else if (w->port) add_point(line, w, POINT_PORT, node, w->port + PAGE * node, link);
}

static void add_points(struct fault_line *line, const fault_witness *w)
{
    const faults *x = line->all;
    unsigned links = x->f->links * x->f->bundle;
    switch (w->where) {
    case FAULT_SEEN_NOWHERE:
        break;
    case FAULT_SEEN_AT_RECEIVER:
        for (unsigned l = 0; l < links; l++)
            if (line->f->link < 0 || (unsigned)line->f->link == l) add_receivers(line, w, l);
        break;
    case FAULT_SEEN_AT_NODE:
        add_point(line, w, POINT_NIC, line->f->node, w->nic, 0);
        break;
    case FAULT_SEEN_ANYWHERE:
        for (unsigned i = 0; i < x->nodes; i++) add_point(line, w, POINT_NIC, i, w->nic, 0);
        break;
    case FAULT_SEEN_OUTSIDE:
        add_point(line, w, POINT_OUTSIDE, line->f->node, 0, 0);
        break;
    }
}

static int look(faults *x, const struct fault_line *line, const struct fault_point *p, uint64_t *count)
{
    uint32_t value = 0;
    if (p->where == POINT_OUTSIDE) {
        *count = p->witness->count(line);
        return 0;
    }
    if (p->where == POINT_PORT ? fabric_path_read(x->f, p->path, p->offset, &value)
                               : nx_register_read(x->node[p->at]->dev, p->offset, &value)) {
        snprintf(x->error, sizeof x->error, "%s: register 0x%04x cannot be read", p->place, p->offset);
        return -1;
    }
    *count = value;
    return 0;
}

/* Shortens the completion timer, so that a short run sees its end. */
static int shorten_timers(faults *x)
{
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        const node *n = x->node[line->f->node];
        if (!line->f->class->timer || !fault_is_lossy(line->f)) continue;
        uint32_t clocks = (uint32_t)(FAULT_TIMER_US * SIM_US / sim_clock_period(n->pci_clock)) & ~7u;
        if (nx_register_read(n->dev, NIC_COMPLETION_TIMER, &line->timer) ||
            nx_register_write(n->dev, NIC_COMPLETION_TIMER, clocks)) {
            snprintf(x->error, sizeof x->error, "node %u: %s", n->id, nx_last_error(n->dev));
            return -1;
        }
    }
    return 0;
}

/* Backwards: two lines may have changed the same one. */
static void restore_timers(faults *x)
{
    for (unsigned i = x->plan.count; i--;)
        if (x->line[i].timer)
            nx_register_write(x->node[x->line[i].f->node]->dev, NIC_COMPLETION_TIMER, x->line[i].timer);
}

/* ---- lost data ---- */

static int touches(const struct fault_line *line, unsigned from, unsigned to)
{
    unsigned node = line->f->node;
    return from == node || to == node;
}

void faults_landed(faults *x, unsigned from, unsigned to)
{
    if (!x) return;
    sim_time now = sim_now(x->s) - x->began;
    x->checked = 1;
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        if (!line->open || ends(line) || !touches(line, from, to)) continue;
        if (now - line->since > line->recovery) line->recovery = now - line->since;
        line->open = 0;
    }
}

static struct fault_line *cause(faults *x, unsigned from, unsigned to)
{
    struct fault_line *latest = NULL;
    x->checked = 1;
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        if (!line->struck || !costs(line) || !touches(line, from, to)) continue;
        if (!latest || line->on > latest->on || (line->on == latest->on && line->last > latest->last)) latest = line;
    }
    if (!latest && !x->strange++) {
        x->strange_from = from;
        x->strange_to = to;
    }
    return latest;
}

void faults_lost(faults *x, unsigned from, unsigned to)
{
    struct fault_line *line = x ? cause(x, from, to) : NULL;
    if (line) line->lost++;
}

void faults_damaged(faults *x, unsigned from, unsigned to)
{
    struct fault_line *line = x ? cause(x, from, to) : NULL;
    if (line) line->damaged++;
}

/* ---- the account ---- */

static const char *counter_name(const struct fault_point *p)
{
    if (p->where == POINT_OUTSIDE) return p->witness->name;
    if (p->where == POINT_PORT) {
        for (unsigned i = 0; i < SWITCH_REGISTER_TABLE_COUNT; i++)
            if (switch_registers[i].offset == p->witness->port) return switch_registers[i].name;
    } else {
        for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
            if (nic_registers[i].offset == p->offset) return nic_registers[i].name;
    }
    return "?";
}

static int same_point(const struct fault_point *a, const struct fault_point *b)
{
    return a->where == b->where && a->at == b->at && a->path == b->path && a->offset == b->offset &&
           (a->where != POINT_OUTSIDE || a->witness == b->witness);
}

static int share(const struct fault_line *a, const struct fault_line *b)
{
    for (unsigned i = 0; i < a->points; i++)
        for (unsigned k = 0; k < b->points; k++)
            if (!a->point[i].witness->shown_only && !b->point[k].witness->shown_only &&
                same_point(&a->point[i], &b->point[k]))
                return 1;
    return 0;
}

static int is_to_be_seen(const struct fault_line *line)
{
    const fault_class *c = line->f->class;
    int overdue = !c->timer || c->value != FAULT_VALUE_TIME || line->f->value >= FAULT_TIMER_US;
    return line->fresh && c->seen != FAULT_SEEN_MAYBE && overdue;
}

/* Lines whose strikes raise the same counters are checked together: `member` says which ones. */
static void gather(const faults *x, unsigned of, unsigned char member[FAULT_PLAN_MOST])
{
    int more;
    memset(member, 0, FAULT_PLAN_MOST);
    member[of] = 1;
    do {
        more = 0;
        for (unsigned i = 0; i < x->plan.count; i++)
            for (unsigned k = 0; k < x->plan.count && !member[i]; k++)
                if (member[k] && is_to_be_seen(&x->line[i]) && share(&x->line[i], &x->line[k])) more = member[i] = 1;
    } while (more);
}

static void check_sight(faults *x, unsigned of)
{
    unsigned char member[FAULT_PLAN_MOST];
    struct fault_line *line = &x->line[of];
    uint64_t due = 0, seen = 0, own = 0;
    gather(x, of, member);
    for (unsigned i = 0; i < x->plan.count; i++) {
        const struct fault_line *l = &x->line[i];
        if (!member[i]) continue;
        due += l->f->class->seen == FAULT_SEEN_EACH ? l->fresh : 1;
        for (unsigned k = 0; k < l->points; k++) {
            int known = l->point[k].witness->shown_only;
            for (unsigned j = 0; j < i && !known; j++)
                for (unsigned n = 0; n < x->line[j].points && member[j] && !known; n++)
                    known = same_point(&l->point[k], &x->line[j].point[n]);
            if (!known) seen += l->point[k].fresh;
        }
    }
    for (unsigned k = 0; k < line->points; k++)
        if (!line->point[k].witness->shown_only) own += line->point[k].fresh;
    if (!own)
        snprintf(line->wrong, sizeof line->wrong, "struck %" PRIu64 " times, and no counter has seen it", line->fresh);
    else if (seen < due)
        snprintf(line->wrong, sizeof line->wrong,
                 "struck %" PRIu64 " times; the counters that see it rose by %" PRIu64 ", expected at least %" PRIu64,
                 line->fresh, seen, due);
}

static void close_line(faults *x, unsigned i)
{
    struct fault_line *line = &x->line[i];
    for (unsigned k = 0; k < line->points; k++) {
        const struct fault_point *p = &line->point[k];
        if (p->rise) line->sight[line->sights++] = (fault_sight){p->place, counter_name(p), p->rise};
    }
    if (!line->failed_before) *line->wrong = 0;
    if (!line->struck)
        snprintf(line->wrong, sizeof line->wrong, "never struck: nothing of its kind came by in its time");
    else if (is_to_be_seen(line) && !line->failed_before) check_sight(x, i);
}

/* Reads the counters of all points, or those of the lines that must see each strike. 0 or -1. */
static int look_at_points(faults *x, int all)
{
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        for (unsigned k = 0; k < line->points && (all || line->f->class->seen == FAULT_SEEN_EACH); k++) {
            struct fault_point *p = &line->point[k];
            if (look(x, line, p, &p->value)) return -1;
            p->rise = p->where == POINT_OUTSIDE ? p->value - p->before : (uint32_t)(p->value - p->before);
            p->fresh = p->where == POINT_OUTSIDE ? p->value - p->looked : (uint32_t)(p->value - p->looked);
        }
    }
    return 0;
}

/* Checks all strikes up to a quiet time against the counts since the quiet time before. */
static void check_fresh(faults *x)
{
    int bad = 0;
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        if (line->failed_before || line->f->class->seen != FAULT_SEEN_EACH) continue;
        *line->wrong = 0;
        if (is_to_be_seen(line)) check_sight(x, i);
        bad |= *line->wrong != 0;
    }
    for (unsigned i = 0; i < x->plan.count && !bad; i++) {
        struct fault_line *line = &x->line[i];
        if (line->f->class->seen != FAULT_SEEN_EACH) continue;
        line->fresh = 0;
        for (unsigned k = 0; k < line->points; k++) line->point[k].looked = line->point[k].value;
    }
}

/* Looks at the counters whenever all that has struck must have been counted. */
static void watch_task(void *arg)
{
    faults *x = arg;
    sim_time known = COPIED + (x->f->links > 1    ? COUNTED_IN_ORDER
                               : x->f->chip.model ? COUNTED_BEHIND_SWITCH
                                                  : COUNTED),
             looked = 0;
    known *= SIM_US;
    while (!x->ending) {
        uint64_t strikes = x->strikes, fresh = 0;
        for (unsigned i = 0; i < x->plan.count; i++)
            if (x->line[i].f->class->seen == FAULT_SEEN_EACH && !x->line[i].failed_before) fresh += x->line[i].fresh;
        sim_time calm = faults_calm_since(x), since = calm > looked ? calm : looked;
        if (fresh && sim_now(x->s) >= since + known) {
            if (look_at_points(x, 0)) return;
            looked = sim_now(x->s);
            if (x->strikes == strikes) check_fresh(x);
        }
        sim_wait_time(x->s, 2 * SIM_US);
    }
}

/* ---- beginning and end */

int faults_begin(faults *x)
{
    if (shorten_timers(x)) return -1;
    sim_wait_time(x->s, COPIED * SIM_US);
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        for (unsigned k = 0; k < FAULT_WITNESSES; k++) add_points(line, &line->f->class->witness[k]);
        for (unsigned k = 0; k < line->points; k++) {
            if (look(x, line, &line->point[k], &line->point[k].before)) return -1;
            line->point[k].looked = line->point[k].before;
        }
    }
    x->began = sim_now(x->s);
    x->active = 1;
    for (unsigned i = 0; i < x->plan.count; i++) {
        struct fault_line *line = &x->line[i];
        line->due = line->f->when == FAULT_AT ? line->f->time : line->f->from + gap(line);
        if (line->f->when == FAULT_ALWAYS) line->struck = line->fresh = 1;
        else if (line->f->class->turn) line->task = sim_task_new(x->s, "fault", timed_task, line);
    }
    x->watch = sim_task_new(x->s, "faults", watch_task, x);
    return 0;
}

void faults_cease(faults *x)
{
    x->ending = 1;
    x->active = 0;
}

int faults_end(faults *x)
{
    faults_cease(x);
    for (unsigned i = 0; i < x->plan.count; i++)
        if (x->line[i].task) sim_join(x->line[i].task);
    if (x->watch) sim_join(x->watch);
    if (*x->error) return -1;
    sim_wait_time(x->s, COPIED * SIM_US);
    if (look_at_points(x, 1)) return -1;
    for (unsigned i = 0; i < x->plan.count; i++) close_line(x, i);
    restore_timers(x);
    return 0;
}
