/* How fast an idle switch forwards: single packets, with no other frame in their way, between ports of the same clock
 * and of different clocks, at every byte lane, spread over all phases of the two clocks against each other; the slowest
 * counts. Clocks are those of the output.
 *
 *   switch_cut_through     from the clock in which the last byte of the header CRC is on gt_rx_data to that of the SOP
 * on gt_tx_data scheduler_decision     from the clock edge that writes a packet's first word into its crosspoint (the
 * start notification) to the edge after which the output scheduler's `chosen` is high
 */
#include <math.h>
#include <stdio.h>

#include "sim/app/figures/figures_private.h"
#include "sim/core/kernel/model.h"
#include "sim/model/cable/frame.h"

enum { NODES = 5 /* ports 0 to 3 are on clk_a, port 4 on clk_b */, PACKETS = 60, PATHS = 3 };

static const unsigned from_port[PATHS] = {0, 0, 4}, to_port[PATHS] = {1, 4, 0};

struct forward {
    fabric *f;
    unsigned path;
    /* receive pins of the input */
    uint64_t byte;         /* bytes since the last SOP's first, 0: none yet */
    uint64_t crc_last;     /* number of the byte that ends the header CRC; 0: not known yet */
    uint32_t last_word;    /* the last four bytes */
    int has_length;        /* the frame is a packet, no check record */
    sim_time crc, written; /* [ps] when they were there; 0: not yet */
    /* transmit pins of the output */
    int sop; /* the last word was one */
    sim_time sop_time;
    int busy, busy_at_sop;                            /* something else left meanwhile: a record or a credit */
    const uint8_t *row_start, *column_valid, *chosen; /* column_valid: a bit for each input */
    uint8_t was_chosen;
    double decision; /* of the packet chosen last */
    double worst_forward, worst_decision;
    unsigned forwarded;
};

static unsigned field(const uint8_t *port, unsigned bits, unsigned index)
{
    return port[index * bits / 8] >> index * bits % 8 & ((1u << bits) - 1);
}

/* In clocks of the output. */
static double clocks_between(const struct forward *r, sim_time from, sim_time to)
{
    const fabric_params *p = &r->f->params;
    double ppm = p->switch_ppm[switch_domain(p->chip) >> to_port[r->path] & 1];
    return (double)(to - from) / (double)p->switch_period * (1 + 1e-6 * ppm);
}

/* Words are read in the drive phase: those that the cable drives at this edge, and outputs of the models after it. */
static void input_clock(void *self)
{
    struct forward *r = self;
    const gt_pins *pins = &r->f->chip.pins;
    unsigned port = from_port[r->path], k = field(pins->rx_k, 4, port);
    uint32_t data = pins->rx_data[port];
    for (int lane = 3; lane >= 0; lane--) {
        unsigned byte = data >> 8 * lane & 0xff, is_k = k >> lane & 1;
        if (is_k && byte == FRAME_SOP_CHARACTER) {
            r->byte = 1;
            r->crc_last = 0;
            continue;
        }
        if (!r->byte) continue;
        if (is_k) {
            r->byte = 0;
            continue;
        }
        r->byte++;
        r->last_word = r->last_word << 8 | byte;
        if (r->byte + 8 == r->crc_last) r->has_length = frame_length(r->last_word) != 0;
        if (r->byte == 5) r->crc_last = byte & 0x80 ? 20 : 16; /* SOP, a credit word or none, header, CRC */
        if (r->byte == r->crc_last && r->has_length) {
            r->crc = sim_now(r->f->s);
            r->busy = 0;
        }
    }
}

/* Before the edge: a first word that is written by it. */
static void before_write(void *self)
{
    struct forward *r = self;
    if (*r->column_valid >> from_port[r->path] & *r->row_start & 1 && !r->written) r->written = sim_now(r->f->s);
}

static void output_clock(void *self)
{
    struct forward *r = self;
    const gt_pins *pins = &r->f->chip.pins;
    unsigned port = to_port[r->path], k = field(pins->tx_k, 4, port);
    uint32_t data = pins->tx_data[port];
    if (*r->chosen && !r->was_chosen && r->written) {
        r->decision = clocks_between(r, r->written, sim_now(r->f->s));
        r->written = 0;
    }
    r->was_chosen = *r->chosen;
    /* the frame of the packet: a header with a length behind the SOP, perhaps behind a credit word */
    if (r->sop && !k && !frame_is_credit(data) && frame_length(data) && r->crc && r->crc < r->sop_time &&
        !r->busy_at_sop) {
        r->worst_forward = fmax(r->worst_forward, clocks_between(r, r->crc, r->sop_time));
        r->worst_decision = fmax(r->worst_decision, r->decision);
        r->forwarded++;
    }
    if (frame_is_sop(data, k)) {
        r->sop = 1;
        r->sop_time = sim_now(r->f->s);
        r->busy_at_sop = r->busy;
    } else if (!(r->sop && frame_is_credit(data) && !k)) {
        r->sop = 0;
    }
    if (!frame_is_idle(data, k)) r->busy = 1;
}

static void software(void *arg)
{
    struct forward *r = arg;
    fabric *f = r->f;
    if (fabric_start(f)) {
        sim_fail(f->s, "%s", fabric_error(f));
        return;
    }
    unsigned from = from_port[r->path], to = to_port[r->path];
    node *n = f->node[from];
    uint64_t source = n->platform.alloc(n, 496, 8), destination = f->node[to]->platform.alloc(f->node[to], 496, 8);
    sim_clock *in = f->clock[f->chip.domain >> from & 1], *out = f->clock[f->chip.domain >> to & 1];
    sim_clock_attach(in, before_write, input_clock, r);
    sim_clock_attach(out, NULL, output_clock, r);
    for (unsigned i = 0; i < PACKETS; i++) {
        sim_wait_time(f->s, 10 * SIM_US + sim_random_below(f->s, 4 * SIM_US));
        r->crc = r->written = 0;
        /* short and long: 24 and 496 bytes */
        if (nx_transfer(n->dev, to, source, (uint32_t)destination, i & 1 ? 24 : 496, 0, NULL))
            sim_fail(f->s, "%s", nx_last_error(n->dev));
        sim_progress(f->s);
    }
    sim_wait_time(f->s, 10 * SIM_US);
    fabric_stop(f);
}

static int find_signals(struct forward *r)
{
    char path[96];
    unsigned bytes; /* of all: one */
    snprintf(path, sizeof path, "crossbar.port_of[%u].unit", from_port[r->path]);
    r->row_start = sim_model_signal(r->f->chip.model, path, "row_start", &bytes);
    snprintf(path, sizeof path, "crossbar.port_of[%u].unit", to_port[r->path]);
    r->column_valid = sim_model_signal(r->f->chip.model, path, "column_valid", &bytes);
    snprintf(path, sizeof path, "crossbar.port_of[%u].unit.scheduler", to_port[r->path]);
    r->chosen = sim_model_signal(r->f->chip.model, path, "chosen", &bytes);
    return r->row_start && r->column_valid && r->chosen ? 0 : -1;
}

static int run_path(const figure *f, uint64_t seed, unsigned path, int lane, double *value)
{
    fabric_params p;
    struct forward r = {.path = path};
    fabric_params_default(&p, NODES, figures_chip);
    p.sim.seed = seed;
    p.cable.alignment = lane;
    r.f = fabric_new(&p);
    if (!r.f) return -1;
    int result = find_signals(&r);
    if (!result) {
        sim_task_new(r.f->s, f->name, software, &r);
        result = sim_run(r.f->s, SIM_FOREVER) == SIM_OK && r.forwarded >= PACKETS / 2 ? 0 : -1;
    }
    if (result)
        fprintf(stderr, "%s: port %u to port %u: %s; %u packets seen to be forwarded\n", f->name, from_port[path],
                to_port[path], *sim_error(r.f->s) ? sim_error(r.f->s) : "signals or packets not seen", r.forwarded);
    *value = fmax(*value, f->variant ? r.worst_decision : r.worst_forward);
    fabric_free(r.f);
    return result;
}

static int measure_forward(const figure *f, uint64_t seed, double *value)
{
    if (!figures_chip || switch_ports(figures_chip) < NODES) {
        fprintf(stderr, "%s: expected a switch of at least %d ports, as make figures has\n", f->name, NODES);
        return -1;
    }
    *value = 0;
    for (unsigned path = 0; path < PATHS; path++)
        for (int lane = 0; lane < (f->variant ? 1 : 4); lane++)
            if (run_path(f, seed, path, lane, value)) return -1;
    return 0;
}

const figure figures_forward[] = {
    {"scheduler_decision", "clocks", "5", '<', 5, measure_forward, "server2004", 62, 1, NULL, 0, NULL},
    {"switch_cut_through", "clocks", "8", '<', 8, measure_forward, "server2004", 62, 0, NULL, 0, NULL},
    {0},
};
