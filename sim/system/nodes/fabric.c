#include "sim/system/nodes/fabric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nic_states.h"
#include "nx_path.h"
#include "sim/core/kernel/model.h"
#include "switch_register_map.h"

enum { RESET_CLOCKS = 16, MONITOR_CLOCKS = 1000 };

void fabric_params_default(fabric_params *p, unsigned nodes, const sim_config *chip)
{
    *p = (fabric_params){
        .nodes = nodes, .chip = chip, .switch_period = 12800, .switch_ppm = {55, -70}, .switch_phase = {-1, -1}};
    sim_params_default(&p->sim);
    for (unsigned i = 0; i < FABRIC_NODES; i++) p->node[i] = node_params_default(i);
    cable_params_default(&p->cable);
    p->driver = nx_params_default();
}

/* ---- report of a run that ends badly ---- */

static unsigned look(const fabric *f, const char *format, unsigned a, unsigned b, const char *signal)
{
    char path[96];
    uint64_t value = 0;
    snprintf(path, sizeof path, format, a, b);
    sim_model_word(f->chip.model, path, signal, &value);
    return (unsigned)value;
}

static const char *state_name(unsigned state, const char *const *names, size_t count)
{
    return state < count ? names[state] : "unknown";
}

static void report_switch(void *self, FILE *out)
{
    static const char *const rx[] = {SWITCH_RX_HUNT}, *const tx[] = {SWITCH_TX_READY};
    const fabric *f = self;
    unsigned ports = f->chip.ports;
    for (unsigned p = 0; p < ports; p++) {
        const char *port = "crossbar.port_of[%u].unit.port";
        unsigned units = look(f, port, p, 0, "nic_units"), credit = look(f, port, p, 0, "nic_credit");
        fprintf(out,
                "  port %u (clk_%c): %s%s, receiver %s, sender %s; inputs with packets %x, chosen %x; sent to the NIC "
                "%u, last credit %u\n",
                p, f->chip.domain >> p & 1 ? 'b' : 'a', look(f, port, p, 0, "link_up") ? "up" : "no link",
                look(f, port, p, 0, "down") ? ", down" : "",
                state_name(look(f, "crossbar.port_of[%u].unit.port.rx", p, 0, "state"), rx, sizeof rx / sizeof rx[0]),
                state_name(look(f, "crossbar.port_of[%u].unit.port.tx", p, 0, "state"), tx, sizeof tx / sizeof tx[0]),
                look(f, port, p, 0, "rd_valid"), look(f, port, p, 0, "chosen_onehot"), units, credit);
    }
}

/* One line, if there are any. */
static void report_crosspoints(void *self, FILE *out)
{
    const fabric *f = self;
    unsigned any = 0;
    for (unsigned from = 0; from < f->chip.ports; from++)
        for (unsigned to = 0; to < f->chip.ports; to++) {
            unsigned words = look(f, "crossbar.port_of[%u].unit.row[%u].buffer", to, from, "occupancy");
            if (words) fprintf(out, "%s %u>%u: %u", any++ ? "," : "words in crosspoints", from, to, words);
        }
    if (any) fprintf(out, "\n");
}

/* ---- construction ---- */

static sim_clock *net_clock(const fabric *f, unsigned node)
{
    return f->cnode[node] ? f->cnode[node]->net_clock : f->node[node]->net_clock;
}

static const gt_pins *transceiver(const fabric *f, unsigned node)
{
    return f->cnode[node] ? &f->cnode[node]->chip.gt : &f->node[node]->nic.gt;
}

static const char *complaint(const fabric_params *p, char *text, size_t size)
{
    unsigned most = p->chip ? switch_ports(p->chip) : 2;
    *text = '\0';
    if (p->nodes < 2 || p->nodes > most)
        snprintf(text, size, "%u nodes, expected 2..%u with %s", p->nodes, most, p->chip ? p->chip->name : "no switch");
    for (unsigned i = 0; i < p->nodes && i < FABRIC_NODES && !*text; i++) {
        if (p->coherent >> i & 1) continue;
        if (p->node[i].node_id >= FABRIC_IDS)
            snprintf(text, size, "node %u has ID %u, expected 0..%d", i, p->node[i].node_id, FABRIC_IDS - 1);
        for (unsigned k = 0; k < i && p->chip; k++)
            if (!(p->coherent >> k & 1) && p->node[i].node_id == p->node[k].node_id)
                snprintf(text, size, "nodes %u and %u have the same ID, %u", k, i, p->node[i].node_id);
    }
    return *text ? text : NULL;
}

/* Inputs of ports without a cable: no light. Inputs of a model start with random values, so all are driven. */
static void dark_ports(const switch_chip *c)
{
    const gt_pins *pins = &c->pins;
    unsigned ports = c->ports;
    memset(pins->rx_data, 0, 4 * (size_t)ports);
    memset(pins->rx_k, 0, ports / 2);
    memset(pins->rx_notintable, 0xff, ports / 2);
    memset(pins->rx_disperr, 0, ports / 2);
    for (unsigned p = 0; p < ports; p++) {
        uint8_t bit = (uint8_t)(1u << p % 8), *lost = pins->rx_loss_of_sync + p / 8, *error = pins->tx_buf_err + p / 8;
        *lost = (uint8_t)(p % 8 ? *lost | bit : bit);
        if (p % 8 == 0) *error = 0;
    }
    memset(pins->rx_buf_status, 0, (ports + 3) / 4);
}

/* A switch with its clocks. The others' crystals are off by other amounts. */
static int add_switch(fabric *f, unsigned path, switch_chip *chip, sim_clock *clock[2])
{
    const fabric_params *p = &f->params;
    static const char *const names[FABRIC_LINKS][2] = {
        {"switch_a", "switch_b"}, {"switch1_a", "switch1_b"}, {"switch2_a", "switch2_b"}, {"switch3_a", "switch3_b"}};
    static const char *const chips[FABRIC_LINKS] = {"xbar", "xbar1", "xbar2", "xbar3"};
    static const double more_ppm[FABRIC_LINKS] = {0, -95, 40, 15};
    for (int i = 0; i < 2; i++) {
        sim_clock_params params = {.name = names[path][i],
                                   .period = p->switch_period,
                                   .ppm = p->switch_ppm[i] + more_ppm[path],
                                   .phase = p->switch_phase[i],
                                   .group = f->group};
        clock[i] = sim_clock_new(f->s, &params);
        if (!clock[i]) return -1;
    }
    if (switch_chip_make(p->chip, f->s, chips[path], chip)) return -1;
    sim_model_clock(chip->model, clock[0], chip->clk_a);
    sim_model_clock_buffered(chip->model, clock[0], chip->run_clk_a, chip->run_a);
    sim_model_clock(chip->model, clock[1], chip->clk_b);
    sim_model_clock_buffered(chip->model, clock[1], chip->run_clk_b, chip->run_b);
    dark_ports(chip);
    *chip->rst_n = 0;
    *chip->mon_valid = *chip->mon_we = 0;
    *chip->mon_addr = 0;
    *chip->mon_wdata = 0;
    return 0;
}

static int add_switches(fabric *f)
{
    f->group = sim_group_new(f->s, "xbar");
    if (add_switch(f, 0, &f->chip, f->clock)) return -1;
    sim_report(f->s, f->clock[0], report_switch, f, "xbar");
    sim_report_waiting(f->s, f->clock[0], report_crosspoints, f);
    for (unsigned l = 1; l < f->links; l++)
        if (add_switch(f, l, &f->path[l - 1].chip, f->path[l - 1].clock)) return -1;
    return 0;
}

/* Link l of each node to switch l. */
static int add_path(fabric *f, unsigned l)
{
    switch_chip *chip = l ? &f->path[l - 1].chip : &f->chip;
    sim_clock **clock = l ? f->path[l - 1].clock : f->clock;
    cable_params params = f->params.cable;
    params.by_packet = f->links > 1;
    if (f->params.path_latency[l]) params.latency_clocks = f->params.path_latency[l];
    for (unsigned i = 0; i < f->nodes; i++) {
        gt_pins port = chip->pins, own = *transceiver(f, i);
        char name[48];
        port.first_link = i;
        own.first_link = l;
        snprintf(name, sizeof name, f->links == 1 ? "node%u-port%u" : "node%u-port%u-switch%u", i, i, l);
        cable **wire = l ? &f->path[l - 1].wire[i] : &f->wire[i];
        *wire = cable_new(f->s, &params, net_clock(f, i), &own, clock[chip->domain >> i & 1], &port, name);
        if (!*wire) return -1;
    }
    return 0;
}

static int add_cables(fabric *f)
{
    cable_params params = f->params.cable;
    for (unsigned l = 0; l < f->links && f->chip.model; l++)
        if (add_path(f, l)) return -1;
    if (f->chip.model) return 0;
    params.links = f->links * f->bundle;
    params.by_byte = f->bundle > 1;
    params.by_packet = f->links > 1;
    f->wire[0] =
        cable_new(f->s, &params, net_clock(f, 0), transceiver(f, 0), net_clock(f, 1), transceiver(f, 1), "node0-node1");
    return f->wire[0] ? 0 : -1;
}

static int build(fabric *f)
{
    char text[160];
    if (complaint(&f->params, text, sizeof text)) {
        sim_fail(f->s, "%s", text);
        return -1;
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        if (f->params.coherent >> i & 1) f->cnode[i] = cnode_new(f->s, i, &f->params.cnode[i]);
        else f->node[i] = node_new(f->s, i, &f->params.node[i]);
        if (!f->node[i] && !f->cnode[i]) return -1;
    }
    if (f->params.chip && add_switches(f)) return -1;
    return add_cables(f);
}

/* ---- ranks ---- */

/* Costs of parts of the work, as multiples of a node whose NIC is evaluated alone: a node but for its NIC, some NICs in
 * lanes, the switch for each of its nodes (callgrind, saturated). */
static const double host_work = 0.2, lanes_work = 2.7, switch_work = 0.2;
enum { LANES_PAY = 4 /* NICs */ };

static double nodes_work(const fabric_params *p, unsigned nodes)
{
    const sim_lanes *lanes = p->sim.lanes ? p->node[0].nic->lanes : NULL;
    double work = host_work * nodes;
    unsigned alone = nodes;
    while (lanes && alone >= LANES_PAY) {
        alone -= alone < lanes->width ? alone : lanes->width;
        work += lanes_work;
    }
    return work + (1 - host_work) * alone;
}

/* Number of nodes of the first rank that minimises the work of the busiest rank; the others share those that are left.
 */
void fabric_divide(const fabric_params *p, unsigned ranks, unsigned char rank[FABRIC_NODES + 1])
{
    unsigned others = ranks - 1, first = p->nodes;
    double least = INFINITY;
    for (unsigned n = p->chip == NULL; n <= p->nodes && others; n++) {
        double mine = nodes_work(p, n) + (p->chip ? switch_work * p->nodes : 0),
               theirs = nodes_work(p, (p->nodes - n + others - 1) / others);
        if (p->nodes - n < others || fmax(mine, theirs) >= least) continue;
        least = fmax(mine, theirs);
        first = n;
    }
    for (unsigned i = 0; i < p->nodes; i++)
        rank[i] = (unsigned char)(i < first ? 0 : 1 + (i - first) * others / (p->nodes - first));
    rank[p->nodes] = 0;
}

static void share_out(fabric *f)
{
    fabric_params *p = &f->params;
    unsigned here = 0;
    if (!p->transport) return;
    fabric_divide(p, p->transport->count, f->rank);
    for (unsigned i = 0; i < f->nodes; i++) here += f->rank[i] == p->transport->rank;
    if (here < LANES_PAY && p->sim.lanes == SIM_LANES_ON) p->sim.lanes = SIM_LANES_OFF;
    f->ranks = (sim_ranks){p->transport, f->rank};
    p->sim.ranks = &f->ranks;
}

fabric *fabric_new(const fabric_params *params)
{
    fabric *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->params = *params;
    f->nodes = params->nodes;
    unsigned links = (unsigned)sim_config_parameter(params->node[0].nic, "LINKS", 1);
    int by_packet = sim_config_parameter(params->node[0].nic, "BOND", 0) != 0;
    f->links = by_packet ? links : 1;
    f->bundle = by_packet ? 1 : links;
    share_out(f);
    f->s = sim_new(&f->params.sim);
    if (!f->s || build(f)) {
        fprintf(stderr, "cannot build the system: %s\n", f->s && *sim_error(f->s) ? sim_error(f->s) : "out of memory");
        fabric_free(f);
        return NULL;
    }
    return f;
}

void fabric_free(fabric *f)
{
    if (!f) return;
    for (unsigned i = 0; i < FABRIC_NODES; i++) cable_free(f->wire[i]);
    for (unsigned i = 0; i < FABRIC_NODES * (FABRIC_LINKS - 1); i++)
        cable_free(f->path[i / FABRIC_NODES].wire[i % FABRIC_NODES]);
    for (unsigned i = 0; i < FABRIC_NODES; i++) node_free(f->node[i]), cnode_free(f->cnode[i]);
    sim_model_free(f->chip.model);
    for (unsigned l = 1; l < FABRIC_LINKS; l++) sim_model_free(f->path[l - 1].chip.model);
    sim_free(f->s);
    free(f);
}

cable *fabric_link(const fabric *f, unsigned node, unsigned link, int *end)
{
    *end = f->chip.model ? 0 : (int)node;
    if (!f->chip.model) return f->wire[0];
    return link ? f->path[link - 1].wire[node] : f->wire[node];
}

cable *fabric_wire(const fabric *f, unsigned node, int *end) { return fabric_link(f, node, 0, end); }

/* ---- start and stop ---- */

struct start {
    node *n;
    cnode *c; /* instead */
    nx_params driver;
    unsigned nodes, links, paths;
    int result;
    uint32_t words; /* nx_path_words */
};

/* Which links are used: of packets sent, and of those received. */
static int use_paths(struct start *s)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i++) mask |= (uint32_t)s->paths << 4 * i;
    unsigned high = nx_queues(s->n->dev) > 8;
    return nx_register_write(s->n->dev, NIC_SEND_PATHS_LOW, mask) ||
           nx_register_write(s->n->dev, NIC_RECEIVE_PATHS_LOW, mask) ||
           (high && (nx_register_write(s->n->dev, NIC_SEND_PATHS_HIGH, mask) ||
                     nx_register_write(s->n->dev, NIC_RECEIVE_PATHS_HIGH, mask)));
}

static void start_node(void *arg)
{
    struct start *s = arg;
    if (s->c) {
        cnode_reset(s->c);
        return;
    }
    s->result = node_start(s->n, &s->driver);
    if (!s->result) s->words = nx_path_words(s->n->dev);
    if (!s->result && s->links > 1 && s->paths && use_paths(s)) {
        s->result = NX_ERROR_DEVICE;
        snprintf(s->n->error, sizeof s->n->error, "%s: %s", s->n->name, nx_last_error(s->n->dev));
    }
    if (!s->result && nx_queues(s->n->dev) < s->nodes) {
        s->result = NX_ERROR_ARGUMENT;
        snprintf(s->n->error, sizeof s->n->error, "%s: %u queues, expected at least one for each of the %u nodes",
                 s->n->name, nx_queues(s->n->dev), s->nodes);
    }
}

static int set_port(fabric *f, unsigned path, unsigned port, unsigned offset, uint32_t value, const char *what)
{
    sim_wait_cycles(f->clock[0], RESET_CLOCKS); /* the reset has reached all of it */
    if (!fabric_path_write(f, path, offset + 0x400 * port, value)) return 0;
    snprintf(f->node[port]->error, sizeof f->node[port]->error, "port %u of the switch does not take %s", port, what);
    return -1;
}

/* By default a port sends receivers its own number as node ID, and assumes a NIC's default buffer: sets both where they
 * differ. */
static int set_ports(fabric *f, unsigned path)
{
    for (unsigned i = 0; i < f->nodes; i++) {
        if (f->cnode[i]) continue; /* its ID is its port, its buffer that of a NIC */
        unsigned id = f->node[i]->params.node_id;
        unsigned buffer = 2 * ((1u << sim_config_parameter(f->node[i]->params.nic, "LOG2_FIFO", 10)) - 1);
        if (id != i && set_port(f, path, i, SWITCH_NODE_ID, SWITCH_NODE_ID_GIVEN_MASK | id, "its node ID")) return -1;
        if (buffer != SWITCH_CAPACITY_RESET && set_port(f, path, i, SWITCH_CAPACITY, buffer, "the buffer of its NIC"))
            return -1;
    }
    return 0;
}

/* ---- drivers that exchange the state of their links ---- */

struct watcher {
    node *n;
    const int *stopping;
    nx_path_peer peer[FABRIC_NODES];
    unsigned nodes;
    int result;
};

static void begin_watch(void *arg)
{
    struct watcher *w = arg;
    w->result = nx_path_begin(w->n->dev, w->peer, w->nodes);
    if (w->result) snprintf(w->n->error, sizeof w->n->error, "%s: %s", w->n->name, nx_last_error(w->n->dev));
}

static void watch_links(void *arg)
{
    struct watcher w = *(struct watcher *)arg;
    free(arg);
    while (!*w.stopping) {
        if (w.n->dev && nx_path_serve(w.n->dev)) {
            sim_fail(w.n->s, "%s: paths: %s", w.n->name, nx_last_error(w.n->dev));
            return;
        }
        sim_wait_time(w.n->s, NX_PATH_SERVE_NS * SIM_NS);
    }
}

static int watch_paths(fabric *f, const struct start *start)
{
    f->stopping = 0;
    for (unsigned i = 0; i < f->nodes; i++) {
        struct watcher *w = malloc(sizeof *w);
        if (!w) return NX_ERROR_NO_MEMORY;
        *w = (struct watcher){.n = f->node[i], .stopping = &f->stopping, .nodes = f->nodes};
        for (unsigned k = 0; k < f->nodes; k++) w->peer[k] = (nx_path_peer){f->node[k]->params.node_id, start[k].words};
        sim_do_in(w->n->group, begin_watch, w, &w->result, sizeof w->result);
        if (w->result) {
            int result = w->result;
            free(w);
            return result;
        }
        f->path_watch[i] = sim_task_new_in(w->n->group, "paths", watch_links, w);
    }
    return 0;
}

int fabric_start_switch(fabric *f)
{
    if (!f->chip.model) return 0;
    sim_wait_cycles(f->clock[0], RESET_CLOCKS);
    *f->chip.rst_n = 1;
    for (unsigned l = 1; l < f->links; l++) *f->path[l - 1].chip.rst_n = 1;
    for (unsigned l = 0; l < f->links; l++)
        if (set_ports(f, l)) return -1;
    return 0;
}

int fabric_start(fabric *f)
{
    struct start start[FABRIC_NODES];
    sim_task *task[FABRIC_NODES];
    int result = 0;
    if (f->started) return 0;
    if (fabric_start_switch(f)) return -1;
    for (unsigned i = 0; i < f->nodes; i++) {
        start[i] = (struct start){f->node[i], f->cnode[i], f->params.driver, f->nodes, f->links, f->params.paths, 0, 0};
        start[i].driver.direct = !f->chip.model;
        task[i] = sim_task_new_in(f->cnode[i] ? f->cnode[i]->group : f->node[i]->group,
                                  f->cnode[i] ? f->cnode[i]->name : f->node[i]->name, start_node, &start[i]);
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        sim_join(task[i]);
        if (f->cnode[i]) continue;
        sim_same(f->node[i]->group, &start[i].result, sizeof start[i].result);
        sim_same(f->node[i]->group, f->node[i]->error, sizeof f->node[i]->error);
        sim_same(f->node[i]->group, &start[i].words, sizeof start[i].words);
        if (!result) result = start[i].result;
    }
    f->started = !result;
    return result || !f->params.watch_paths || f->links == 1 ? result : watch_paths(f, start);
}

static void stop_node(void *arg)
{
    node *n = arg;
    nx_close(n->dev);
    n->dev = NULL;
}

void fabric_stop(fabric *f)
{
    f->stopping = 1;
    for (unsigned i = 0; i < f->nodes; i++)
        if (f->path_watch[i]) sim_join(f->path_watch[i]), f->path_watch[i] = NULL;
    for (unsigned i = 0; i < f->nodes; i++)
        if (f->node[i]) sim_do_in(f->node[i]->group, stop_node, f->node[i], NULL, 0);
    f->started = 0;
}

void fabric_lookahead(fabric *f, unsigned clocks, unsigned threads)
{
    sim_lookahead(f->s, clocks * f->params.switch_period);
    sim_threads(f->s, threads);
}

const char *fabric_error(const fabric *f)
{
    for (unsigned i = 0; i < f->nodes; i++)
        if (f->node[i] && *f->node[i]->error) return f->node[i]->error;
    return "";
}

/* ---- monitor port: one access at a time ---- */

struct access {
    fabric *f;
    const switch_chip *chip;
    sim_clock *clock;
    unsigned address;
    int taken, answered, read;
    struct answer {
        unsigned clocks;
        uint32_t value;
    } is;
};

static void monitor_sample(void *self)
{
    struct access *a = self;
    a->is.clocks++;
    const switch_chip *chip = a->chip;
    if (!a->taken && *chip->mon_valid && *chip->mon_ready) a->taken = 1;
    if (a->read && *chip->mon_rvalid && !a->answered) {
        a->answered = 1;
        a->is.value = *chip->mon_rdata;
    }
}

static void monitor_drive(void *self)
{
    struct access *a = self;
    if (a->taken) *a->chip->mon_valid = 0;
}

static int monitor_over(void *arg)
{
    const struct access *a = arg;
    return (a->taken && (!a->read || a->answered)) || a->is.clocks > MONITOR_CLOCKS;
}

static void access_monitor(void *arg)
{
    struct access *a = arg;
    const switch_chip *chip = a->chip;
    *chip->mon_addr = (uint16_t)(a->address / 4);
    *chip->mon_wdata = a->is.value;
    *chip->mon_we = !a->read;
    *chip->mon_valid = 1;
    sim_clock_attach(a->clock, monitor_sample, monitor_drive, a);
    sim_wait_until(a->clock, monitor_over, a);
    sim_clock_detach(a->clock, a);
    *chip->mon_valid = 0;
}

static int monitor(fabric *f, unsigned path, struct access *a)
{
    if (!f->chip.model) return -1;
    a->f = f;
    a->chip = path ? &f->path[path - 1].chip : &f->chip;
    a->clock = path ? f->path[path - 1].clock[0] : f->clock[0];
    sim_do_in(f->group, access_monitor, a, &a->is, sizeof a->is);
    sim_progress(f->s); /* thousands of these, of a trace, are no standstill */
    return a->is.clocks > MONITOR_CLOCKS ? -1 : 0;
}

int fabric_path_read(fabric *f, unsigned path, unsigned address, uint32_t *value)
{
    struct access a = {.address = address, .read = 1};
    int result = monitor(f, path, &a);
    *value = a.is.value;
    return result;
}

int fabric_path_write(fabric *f, unsigned path, unsigned address, uint32_t value)
{
    return monitor(f, path, &(struct access){.address = address, .is.value = value});
}

int fabric_monitor_read(fabric *f, unsigned address, uint32_t *value) { return fabric_path_read(f, 0, address, value); }

int fabric_monitor_write(fabric *f, unsigned address, uint32_t value)
{
    return fabric_path_write(f, 0, address, value);
}
