#include "sim/app/roce/board/roce_board.h"

#include <stdlib.h>
#include <string.h>

const char *const roce_board_master_names[ROCE_BOARD_MASTERS] = {"rx_pkt_hndler_dr", "rx_pkt_hndler_rdrsp",
                                                                 "wqe_proc_top", "wqe_proc_wr_ddr", "qp_mgr"};
/* Streams and whether a frame must have no gap. */
static const struct {
    const char *prefix;
    int no_gaps;
} streams[ROCE_BOARD_STREAMS] = {
    {"rx_pkt_hndler_s_axis_", 0},
    {"tx_m_axis_", 1},
    {"rx_other_", 0},
    {"tx_other_", 0},
};

typedef struct frame {
    struct frame *next;
    size_t length;
    uint8_t bytes[];
} frame;

/* Sender and receiver of non-RoCE frames. */
struct roce_other {
    axi_stream_pins rx, tx;
    roce_on_other fn;
    void *self;
    unsigned stall;
    uint64_t random;
    uint8_t taken[ETHERNET_LONGEST + 64];
    size_t taken_length;
    frame *first, **last;
    size_t sent; /* of the first: bytes whose word is on the pins or was taken */
    int shown;   /* a word of it is on the pins */
};

roce_board_params roce_board_defaults(const sim_config *chip)
{
    roce_board_params p = {.chip = chip};
    p.memory = axi_memory_defaults();
    p.cpu = axi_cpu_defaults();
    return p;
}

/* ---- the other frames, at the chip's clock */

static unsigned keep_of(const sim_port *keep, unsigned bytes)
{
    return (unsigned)__builtin_popcountll(sim_port_field(keep, 0, bytes));
}

static void take_other(roce_board *b)
{
    struct roce_other *o = b->other;
    if (!sim_port_get(&o->rx.tvalid) || !sim_port_get(&o->rx.tready)) return;
    unsigned count = keep_of(&o->rx.tkeep, b->bytes);
    if (o->taken_length + count > ETHERNET_LONGEST) {
        sim_fail(b->sim, "rx_other: a frame of more than %d bytes", ETHERNET_LONGEST);
        return;
    }
    for (unsigned i = 0; i < count; i++) o->taken[o->taken_length++] = (uint8_t)sim_port_field(&o->rx.tdata, 8 * i, 8);
    if (!sim_port_get(&o->rx.tlast)) return;
    if (o->fn) o->fn(o->self, o->taken, o->taken_length);
    o->taken_length = 0;
}

static void show_other(roce_board *b)
{
    struct roce_other *o = b->other;
    if (o->shown) return;
    sim_port_set(&o->tx.tvalid, o->first != NULL);
    if (!o->first) return;
    size_t left = o->first->length - o->sent;
    unsigned count = left < b->bytes ? (unsigned)left : b->bytes;
    for (unsigned i = 0; i < count; i++) sim_port_set_field(&o->tx.tdata, 8 * i, 8, o->first->bytes[o->sent + i]);
    sim_port_set_field(&o->tx.tkeep, 0, b->bytes, count == 64 ? ~0ull : (1ull << count) - 1);
    sim_port_set(&o->tx.tlast, left == count);
    o->sent += count;
    o->shown = 1;
}

static void sample(void *self)
{
    roce_board *b = self;
    struct roce_other *o = b->other;
    if (b->reset_clocks) return;
    take_other(b);
    if (o->shown && sim_port_get(&o->tx.tready)) {
        o->shown = 0;
        if (o->sent == o->first->length) {
            frame *done = o->first;
            o->first = done->next;
            if (!o->first) o->last = &o->first;
            o->sent = 0;
            free(done);
        }
    }
}

static void drive(void *self)
{
    roce_board *b = self;
    if (b->reset_clocks && !--b->reset_clocks) {
        sim_port_set(&b->rst, 0);
        ethernet_mac_enable(b->mac, 1);
    }
    if (b->reset_clocks) return;
    show_other(b);
    b->other->random = b->other->random * 6364136223846793005ull + 1442695040888963407ull;
    sim_port_set(&b->other->rx.tready, (b->other->random >> 33) % 100 >= b->other->stall);
}

static void empty_other(struct roce_other *o)
{
    while (o->first) {
        frame *next = o->first->next;
        free(o->first);
        o->first = next;
    }
    o->last = &o->first;
    o->sent = o->taken_length = 0;
    o->shown = 0;
}

void roce_board_on_other(roce_board *b, roce_on_other fn, void *self)
{
    b->other->fn = fn;
    b->other->self = self;
}

int roce_board_send_other(roce_board *b, const uint8_t *bytes, size_t length)
{
    if (length < 14 || length > ETHERNET_LONGEST) return -1;
    size_t whole = length < ETHERNET_SHORTEST ? ETHERNET_SHORTEST : length;
    frame *f = calloc(1, sizeof *f + whole);
    if (!f) return -1;
    f->length = whole;
    memcpy(f->bytes, bytes, length);
    *b->other->last = f;
    b->other->last = &f->next;
    return 0;
}

/* ---- the board */

void roce_board_reset(roce_board *b, unsigned clocks)
{
    sim_port_set(&b->rst, 1);
    ethernet_mac_enable(b->mac, 0);
    empty_other(b->other);
    sim_port_set(&b->other->tx.tvalid, 0);
    b->reset_clocks = clocks ? clocks : 1;
}

unsigned roce_board_interrupts(const roce_board *b)
{
    unsigned levels = 0;
    for (unsigned i = 0; i < ROCE_BOARD_INTERRUPTS; i++) levels |= (unsigned)sim_port_get(&b->interrupt[i]) << i;
    return levels;
}

int roce_board_idle(const roce_board *b)
{
    return axi_memory_idle(b->memory) && axi_doorbells_idle(b->doorbells) && !ethernet_mac_waiting(b->mac) &&
           !b->other->first;
}

static int pin(roce_board *b, const char *name, sim_port *to)
{
    const sim_port *p = sim_model_port(b->chip, name);
    if (!p) {
        sim_fail(b->sim, "%s", sim_error(b->sim));
        return -1;
    }
    *to = *p;
    return 0;
}

static int find_pins(roce_board *b)
{
    sim_port clk;
    if (pin(b, "clk", &clk) || pin(b, "rst", &b->rst)) return -1;
    sim_model_clock(b->chip, b->clock, clk.at);
    for (unsigned i = 0; i < ROCE_BOARD_INTERRUPTS; i++) {
        char name[] = "xrnic_intr0";
        name[sizeof name - 2] = (char)('0' + i);
        if (pin(b, name, &b->interrupt[i])) return -1;
    }
    return axi_stream_pins_of(b->chip, "rx_other_", &b->other->rx) ||
                   axi_stream_pins_of(b->chip, "tx_other_", &b->other->tx)
               ? -1
               : 0;
}

static int plug_memory(roce_board *b, const roce_board_params *params, const char *name)
{
    b->memory = axi_memory_new(b->sim, b->clock, &params->memory, name);
    if (!b->memory) return -1;
    b->bytes_of = axi_memory_bytes(b->memory);
    for (unsigned i = 0; i < ROCE_BOARD_MASTERS; i++) {
        axi_pins pins;
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s_m_axi_", roce_board_master_names[i]);
        if (axi_pins_of(b->chip, prefix, &pins)) return -1;
        if (axi_memory_plug(b->memory, &pins, roce_board_master_names[i]) < 0) return -1;
        if (!(b->masters[i] = axi_monitor_new(b->sim, b->clock, &pins, roce_board_master_names[i]))) return -1;
    }
    return 0;
}

static int plug_software(roce_board *b, const roce_board_params *params)
{
    axi_pins pins;
    if (axi_pins_of(b->chip, "s_axi_lite_", &pins)) return -1;
    b->cpu = axi_cpu_new(b->sim, b->clock, &pins, &params->cpu, "cpu");
    b->lite = axi_monitor_new(b->sim, b->clock, &pins, "s_axi_lite");
    b->doorbells = axi_doorbells_new(b->sim, b->clock, b->chip, &params->doorbells, "application");
    if (b->doorbells) axi_doorbells_serial(b->doorbells, b->cpu);
    return b->cpu && b->lite && b->doorbells ? 0 : -1;
}

static int plug_ethernet(roce_board *b, ethernet_wire *wire, int end, const char *name)
{
    axi_stream_pins found[ROCE_BOARD_STREAMS];
    for (unsigned i = 0; i < ROCE_BOARD_STREAMS; i++) {
        if (axi_stream_pins_of(b->chip, streams[i].prefix, &found[i])) return -1;
        axi_stream_params params = {.no_gaps = streams[i].no_gaps, .most_bytes = ETHERNET_LONGEST};
        if (!(b->streams[i] = axi_stream_monitor_new(b->sim, b->clock, &found[i], &params, streams[i].prefix)))
            return -1;
    }
    const axi_stream_pins *rx = &found[0], *tx = &found[1];
    const ethernet_pins pins = {rx->tdata.at, rx->tkeep.at, rx->tlast.at, rx->tuser.at,  rx->tvalid.at,
                                tx->tdata.at, tx->tkeep.at, tx->tlast.at, tx->tvalid.at, tx->tready.at};
    ethernet_mac_params params;
    ethernet_mac_params_default(&params, b->bytes);
    return (b->mac = ethernet_mac_new(b->sim, b->clock, &pins, &params, wire, end, name)) ? 0 : -1;
}

roce_board *roce_board_new(sim *s, const roce_board_params *params, ethernet_wire *wire, int end, const char *name)
{
    roce_board *b = calloc(1, sizeof *b);
    struct roce_other *o = calloc(1, sizeof *o);
    char label[80];
    if (!b || !o) {
        free(b);
        free(o);
        sim_fail(s, "%s: no memory left", name);
        return NULL;
    }
    b->sim = s;
    b->other = o;
    o->last = &o->first;
    o->stall = params->other_stall;
    o->random = sim_seed(s) + (uint64_t)end;
    b->bytes = (unsigned)sim_config_parameter(params->chip, "BYTES", 8);
    b->qps = (unsigned)sim_config_parameter(params->chip, "NUM_QP", 8);
    snprintf(label, sizeof label, "%s_clk", name);
    const sim_clock_params clock = {
        .name = label, .period = b->bytes == 8 ? 6400 : 5000, .ppm = params->ppm, .phase = -1};
    if (!(b->clock = sim_clock_new(s, &clock)) || !(b->chip = params->chip->make(s, name)) || find_pins(b) ||
        plug_memory(b, params, name) || plug_software(b, params) || plug_ethernet(b, wire, end, name)) {
        if (!*sim_error(s)) sim_fail(s, "%s: no memory left", name);
        roce_board_free(b);
        return NULL;
    }
    sim_clock_attach(b->clock, sample, drive, b);
    roce_board_reset(b, 16);
    return b;
}

void roce_board_free(roce_board *b)
{
    if (!b) return;
    sim_clock_detach(b->clock, b);
    ethernet_mac_free(b->mac);
    for (unsigned i = 0; i < ROCE_BOARD_STREAMS; i++) axi_stream_monitor_free(b->streams[i]);
    for (unsigned i = 0; i < ROCE_BOARD_MASTERS; i++) axi_monitor_free(b->masters[i]);
    axi_monitor_free(b->lite);
    axi_doorbells_free(b->doorbells);
    axi_cpu_free(b->cpu);
    axi_memory_free(b->memory);
    empty_other(b->other);
    free(b->other);
    free(b);
}
