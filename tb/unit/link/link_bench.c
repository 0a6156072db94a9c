/* The bench around link_port; the manual is in the header. */
#include "link_bench.h"
#include "crc_reference.h"
#include "link_port_half.h"
#include "simulation.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct character idle_character = {0xbc, 1, 0, 0};

/* ---- sampling ---- */

static void sample_h2n(struct link_end *e)
{
    uint64_t valid = sim_port_get(&e->ports->tx_valid), pop = sim_port_get(&e->ports->tx_pop);

    if (!pop) return;
    ck_must((pop & valid) == pop && pop != 2, "H2N is popped while it is empty");
    e->h2n_crcs -= e->h2n[e->h2n_out % H2N_WORDS].crc;
    e->h2n_out += pop == 3 ? 2 : 1;
    e->head_cycle = e->cycle + 1;
}

static void store_n2h(struct link_end *e, unsigned word)
{
    struct word68 *to = &e->n2h[e->n2h_in % 1024];
    int full = e->n2h_in - e->n2h_out >= N2H_WORDS;
    ck_must(!full || e->lies, "N2H is written while it is full");
    e->overflows += (unsigned)full;
    to->data = sim_port_field(&e->ports->rx_wr_data, 68 * word, 64);
    to->flags = (uint8_t)sim_port_field(&e->ports->rx_wr_data, 68 * word + 64, 4);
    e->n2h_in++;
    if (to->flags & 1) e->header_stored_cycle = e->cycle;
    e->last_stored_cycle = e->cycle;
}

static void sample_n2h(struct link_end *e)
{
    uint64_t valid = sim_port_get(&e->ports->rx_wr_valid);

    ck_must(valid != 2, "N2H: a second word without a first one");
    if (valid) store_n2h(e, 0);
    if (valid == 3) store_n2h(e, 1);
}

static void sample_line(struct link_end *e)
{
    uint32_t data[CABLE_LINKS];
    uint8_t k[CABLE_LINKS];

    for (unsigned l = 0; l < e->links; l++) {
        data[l] = (uint32_t)sim_port_field(&e->ports->gt_tx_data, 32 * l, 32);
        k[l] = (uint8_t)sim_port_field(&e->ports->gt_tx_k, 4 * l, 4);
    }
    if (k[0] == SOP_K) e->sop_cycle = e->cycle;
    if (e->links == 1) link_parser_word(&e->parser, e->cycle, data[0], k[0]);
    else link_parser_bundle(&e->parser, e->cycle, e->links, data, k);
}

static void sample(void *self)
{
    struct link_end *e = self;
    link_port *p = e->port;

    if (!*p->rst) {
        sample_h2n(e);
        sample_n2h(e);
        e->departed += *p->tx_departed;
        if (*p->tx_departed) e->departed_flow = *p->tx_departed_flow, e->departed_local = *p->tx_departed_local;
        if (*p->ev_credit_accepted) {
            e->accepted_lane = *p->accepted_lane;
            e->accepted_value = *p->accepted_value;
            e->accepted_again = *p->accepted_again;
        }
#define X(name) e->events.name += (unsigned)__builtin_popcount(*p->ev_##name);
        LINK_EVENTS(X)
#undef X
        sample_line(e);
    } else {
        e->parser.state = 0; /* a frame that reset cuts off is no fault */
    }
}

/* ---- driving ---- */

/* The packet is whole. */
static void packet_ends(struct link_end *e, int bad)
{
    e->packet.bad = bad;
    e->packet_words = -1;
    if (e->packet_sink) e->packet_sink(e->packet_self, &e->packet);
}

static void read_n2h(struct link_end *e)
{
    const struct word68 *w = &e->n2h[e->n2h_out++ % 1024];
    int length = (int)header_length(e->packet.header);

    if (w->flags & 1) {
        ck_must(e->packet_words < 0, "a header in N2H before the last word of the packet");
        e->packet.header = w->data;
        e->packet_words = 0;
        e->packet_crc = 0xffffffff;
        return;
    }
    ck_must(e->packet_words >= 0, "a word in N2H before a header");
    if (e->packet_words == length) {
        ck_must((w->flags & 0xb) == 8, "N2H: flags %x with a CRC", w->flags);
        packet_ends(e, w->flags & 4 || (uint32_t)w->data != e->packet_crc);
        return;
    }
    e->packet.payload[e->packet_words++] = w->data;
    e->packet_crc = e->by_packet ? reference_crc32(e->packet_crc, w->data, 64) : 0;
    int last = e->packet_words == length;
    ck_must(last == (w->flags >> 1 & 1), "N2H: the end of packet flag is not on the last word");
    ck_must((w->flags & (last && !e->by_packet ? 0x9 : 0xd)) == 0, "N2H: flags %x with word %d", w->flags,
            e->packet_words);
    if (last && !e->by_packet) packet_ends(e, w->flags >> 2 & 1);
}

static void drive_wire(struct link_end *e)
{
    uint32_t data = 0;
    uint8_t k = 0, not_in_table = 0, disparity = 0;
    int buf_error = e->wire_out - e->buf_error_from < e->buf_error_to - e->buf_error_from;

    for (int i = 3; i >= 0; i--) {
        struct character c = e->wire_out == e->wire_in ? idle_character : e->wire[e->wire_out++ % WIRE_CHARACTERS];
        data |= (uint32_t)c.byte << (8 * i);
        k |= (uint8_t)(c.k << i);
        not_in_table |= (uint8_t)(c.not_in_table << i);
        disparity |= (uint8_t)(c.disparity << i);
    }
    *e->port->gt_rx_data = data;
    *e->port->gt_rx_k = k;
    *e->port->gt_rx_notintable = not_in_table;
    *e->port->gt_rx_disperr = disparity;
    *e->port->gt_rx_loss_of_sync = (uint8_t)e->rx_loss_of_sync;
    *e->port->gt_rx_buf_status = (uint8_t)(buf_error << 1);
}

static void drive(void *self)
{
    struct link_end *e = self;
    link_port *p = e->port;
    unsigned waiting = e->h2n_in - e->h2n_out;
    int was_valid = sim_port_get(&e->ports->tx_valid) != 0;
    /* behind a rest the second word shows a clock after the first one, and is counted with it (fifo_async) */
    unsigned shown = was_valid || e->words == 1 ? waiting : waiting != 0;

    e->cycle++;
    if (e->words == 2 && waiting > shown + 1) waiting = shown + 1;
    sim_port_set(&e->ports->tx_valid, shown > 1 && e->words == 2 ? 3 : shown != 0);
    for (unsigned w = 0; w < e->words; w++) {
        const struct word68 *word = &e->h2n[(e->h2n_out + w) % H2N_WORDS];
        sim_port_set_field(&e->ports->tx_data, 68 * w, 64, word->data);
        sim_port_set_field(&e->ports->tx_data, 68 * w + 64, 4, word->flags);
    }
    *p->tx_count = (uint16_t)(waiting < 1023 ? waiting : 1023);
    if (waiting && !was_valid) e->head_cycle = e->cycle;
    if (e->n2h_in != e->n2h_out && (int)sim_random_below(e->s, 100) < e->pop_percent)
        for (unsigned w = 0; w < e->words && e->n2h_in != e->n2h_out; w++) read_n2h(e);
    *p->rx_wr_count = (uint16_t)n2h_count(e);
    if (!e->on_cable) drive_wire(e);
}

static void before_ends(void *self)
{
    struct link_bench *b = self;

    if (b->before) b->before(b->user);
}

/* ---- making ---- */

static void no_wrong_items(void *self, const struct link_item *item)
{
    struct link_end *e = self;

    e->records_of_0 += item->kind == ITEM_RECORD && !(item->header & UNITS_MASK) && e->events.out_packet;
    ck_must(item->kind != ITEM_WRONG, "sent at clock %llu: %s", (unsigned long long)item->cycle, item->wrong);
}

/* Ports that are wider in a bundle. */
#define WIDER                                                                                                          \
    "tx_valid tx_data tx_pop rx_wr_valid rx_wr_data gt_tx_data gt_tx_k gt_rx_data gt_rx_k gt_rx_notintable "           \
    "gt_rx_disperr "                                                                                                   \
    "gt_rx_loss_of_sync gt_rx_buf_status gt_tx_buf_err waits raw"

static struct link_bench *make(sim *s, sim_clock *const clk[], const sim_config *kind, int ends, int on_cable, int kept)
{
    static const char *names[] = {"a", "b"};
    struct link_bench *b = test_memory(sizeof *b);

    b->s = s;
    b->clk = clk[0];
    b->ends = ends;
    sim_clock_attach(b->clk, NULL, before_ends, b);
    for (int i = 0; i < ends; i++) {
        struct link_end *e = &b->end[i];
        e->bench = b;
        e->s = s;
        /* of two ends the second one is as of several links by packet, one alone with even seeds, or if it is asked for
         */
        e->by_packet = kind == &link_port_config && (ends > 1 ? i == 1 : kept || sim_seed(s) % 2 == 0);
        sim_model *model = make_model(s, e->by_packet ? &link_port_half_config : kind, names[i]);
        e->links = (unsigned)sim_config_parameter(kind, "LINKS", 1);
        e->words = e->links == 4 ? 2 : 1;
        e->port = MODEL_AS(link_port, model, e->links > 1 ? WIDER : NULL);
        e->ports = PORTS_AS(link_port, model);
        sim_model_clock(e->port->model, clk[i], e->port->clk);
        sim_model_clock(e->port->model, clk[i], e->port->run_clk);
        e->packet_words = -1;
        e->pop_percent = 100;
        e->on_cable = on_cable;
        e->parser.sink = no_wrong_items;
        e->parser.self = e;
        *e->port->rst = 1; /* inputs of a new model are random: every one is set here or in drive() */
        *e->port->view_flow = *e->port->cfg_stamp = *e->port->tx_discard = *e->port->tx_fault = *e->port->rx_suspects =
            0;
        *e->port->now = 0;
        *e->port->cfg_bus_class = 2;
        sim_port_set(&e->ports->gt_tx_buf_err, 0);
        sim_port_set(&e->ports->tx_valid, 0);
        *e->port->cfg_direct = 1;
        *e->port->cfg_node_id = (uint8_t)i;
        *e->port->cfg_tx_capacity = 2046;
        *e->port->cfg_max_words = 512;
        *e->port->cfg_flow_enable = 0xff;
        for (unsigned l = 0; l < e->links; l++) {
            sim_port_set_field(&e->ports->gt_rx_k, 4 * l, 4, IDLE_K);
            sim_port_set_field(&e->ports->gt_rx_data, 32 * l, 32, IDLE_WORD);
        }
        sim_clock_attach(clk[i], sample, drive, e);
    }
    bench_run(b, 10);
    for (int i = 0; i < ends; i++) *b->end[i].port->rst = 0;
    return b;
}

static struct link_bench *off_cable(int ends, int kept)
{
    sim *s = loud_sim(0);
    sim_clock *clk = make_clock(s, "clk", LINK_PERIOD, 0);
    return make(s, (sim_clock *[]){clk, clk}, &link_port_config, ends, 0, kept);
}

struct link_bench *link_bench_new(int ends) { return off_cable(ends, 0); }

struct link_bench *link_bench_kept(void) { return off_cable(1, 1); }

struct link_bench *link_bench_on_cable(sim *s, sim_clock *const clk[2])
{
    return make(s, clk, &link_port_config, 2, 1, 0);
}

struct link_bench *link_bench_bundle(sim *s, sim_clock *const clk[2], const sim_config *kind)
{
    return make(s, clk, kind, 2, 1, 0);
}

gt_pins link_pins(const struct link_end *e)
{
    const link_port_ports *p = e->ports;

    return (gt_pins){p->gt_rx_data.at,
                     p->gt_rx_k.at,
                     p->gt_rx_notintable.at,
                     p->gt_rx_disperr.at,
                     p->gt_rx_loss_of_sync.at,
                     p->gt_rx_buf_status.at,
                     p->gt_tx_buf_err.at,
                     p->gt_tx_data.at,
                     p->gt_tx_k.at,
                     NULL,
                     0};
}

void bench_run(struct link_bench *b, unsigned clocks)
{
    ck_must(sim_clock_cycles(b->clk) < CLOCK_LIMIT, "more than %d clocks", CLOCK_LIMIT);
    int result = sim_run(b->s, sim_now(b->s) + (sim_time)clocks * LINK_PERIOD);

    ck_assert_msg(result == SIM_TIME_LIMIT, "the run ended with %s: %s", sim_result_name(result), sim_error(b->s));
}

void bench_open(struct link_bench *b)
{
    bench_run(b, 800);
    for (unsigned lane = 0; b->ends == 1 && lane < 8; lane++) wire_credit(&b->end[0], lane, 0);
    bench_run(b, 100);
    for (int i = 0; i < b->ends; i++) memset(&b->end[i].events, 0, sizeof b->end[i].events);
}

void link_reset(struct link_end *e, unsigned clocks)
{
    *e->port->rst = 1;
    bench_run(e->bench, clocks);
    *e->port->rst = 0;
}

/* ---- FIFOs and wire ---- */

static void put_word(struct link_end *e, struct word68 word)
{
    ck_must(e->h2n_in - e->h2n_out < H2N_WORDS, "the bench's H2N is too small");
    e->h2n[e->h2n_in++ % H2N_WORDS] = word;
    e->h2n_crcs += word.crc;
}

void h2n_put(struct link_end *e, uint64_t data, unsigned flags)
{
    int header = flags & 1;

    if (!e->by_packet) {
        put_word(e, (struct word68){data, (uint8_t)flags, 0});
        return;
    }
    if (header && *e->port->cfg_direct) data = (data & ~(0x7full << 56)) | (uint64_t)*e->port->cfg_node_id << 56;
    e->h2n_crc = header ? CRC32_START : reference_crc32(e->h2n_crc, data, 64);
    e->h2n_corrupted = flags >> 3 | (e->h2n_corrupted && !header);
    put_word(e, (struct word68){data, flags & 5, 0});
    uint64_t rest = sim_random(e->s) << 32; /* of a word with a CRC */
    if (header) put_word(e, (struct word68){rest | reference_crc16(CRC16_START, data, 64), 0, 1});
    else if (flags & 2)
        put_word(e, (struct word68){rest | (e->h2n_crc ^ (uint32_t)e->h2n_corrupted), e->h2n_corrupted ? 8 : 0, 1});
}

void h2n_packet(struct link_end *e, uint64_t header, const uint64_t *payload, int last)
{
    unsigned n = header_length(header);

    h2n_put(e, header, last ? 5 : 1);
    for (unsigned i = 0; i < n; i++) h2n_put(e, payload[i], i == n - 1 ? 2 : 0);
}

unsigned h2n_waiting(const struct link_end *e) { return e->h2n_in - e->h2n_out - e->h2n_crcs; }

unsigned n2h_count(const struct link_end *e) { return e->lies ? 0 : e->n2h_in - e->n2h_out; }

unsigned n2h_places(const struct link_end *e, unsigned length) { return length + 1 + e->by_packet; }

static void wire_put(struct link_end *e, struct character c)
{
    ck_must(wire_waiting(e) < WIRE_CHARACTERS, "the bench's wire is too small");
    e->wire[e->wire_in++ % WIRE_CHARACTERS] = c;
}

void wire_characters(struct link_end *e, unsigned n, uint8_t byte, uint8_t k)
{
    while (n--) wire_put(e, (struct character){byte, k, 0, 0});
}

void wire_idle(struct link_end *e, unsigned words) { wire_characters(e, 4 * words, 0xbc, 1); }

void wire_credit(struct link_end *e, unsigned lane, unsigned units)
{
    struct frame f;
    frame_start(&f);
    frame_credits(&f, credit_of(lane, units), credit_of(lane, units));
    wire_frame(e, &f);
}

void wire_packet(struct link_end *e, uint64_t header, const uint64_t *payload)
{
    struct frame f;
    frame_start(&f);
    frame_packet(&f, header, payload);
    wire_frame(e, &f);
}

void wire_record(struct link_end *e, unsigned lane, unsigned units)
{
    struct frame f;
    frame_start(&f);
    frame_record(&f, lane, units);
    wire_frame(e, &f);
}

void wire_part(struct link_end *e, const struct frame *f, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        for (int j = 3; j >= 0; j--)
            wire_put(e, (struct character){(uint8_t)(f->data[i] >> (8 * j)), f->k[i] >> j & 1, 0, 0});
}

void wire_frame(struct link_end *e, const struct frame *f) { wire_part(e, f, 0, f->words); }

unsigned wire_waiting(const struct link_end *e) { return e->wire_in - e->wire_out; }

struct character *wire_at(struct link_end *e, unsigned from, unsigned n)
{
    return &e->wire[(from + n) % WIRE_CHARACTERS];
}

/* ---- logs ---- */

/* Room for one more element of this size in a log. */
static void *with_room(void *elements, unsigned n, unsigned *room, size_t size)
{
    if (n < *room) return elements;
    *room = *room ? 2 * *room : 16;
    void *more = test_memory(*room * size);
    if (n) memcpy(more, elements, n * size);
    return more;
}

static void log_item(void *self, const struct link_item *item)
{
    struct sent_log *log = self;

    log->items = with_room(log->items, log->n, &log->room, sizeof *log->items);
    log->items[log->n++] = *item;
    ck_must(item->kind != ITEM_WRONG, "sent at clock %llu: %s", (unsigned long long)item->cycle, item->wrong);
}

void sent_log_start(struct link_end *e, struct sent_log *log)
{
    memset(log, 0, sizeof *log);
    e->parser.sink = log_item;
    e->parser.self = log;
}

unsigned sent_count(const struct sent_log *log, enum link_item_kind kind)
{
    unsigned n = 0;

    for (unsigned i = 0; i < log->n; i++) n += log->items[i].kind == kind;
    return n;
}

const struct link_item *sent_nth(const struct sent_log *log, enum link_item_kind kind, unsigned n)
{
    for (unsigned i = 0; i < log->n; i++)
        if (log->items[i].kind == kind && n-- == 0) return &log->items[i];
    ck_abort_msg("%u items of kind %d more were expected", n + 1, (int)kind);
}

static void log_packet(void *self, const struct stored_packet *p)
{
    struct stored_log *log = self;

    log->packets = with_room(log->packets, log->n, &log->room, sizeof *log->packets);
    log->packets[log->n++] = *p;
}

void stored_log_start(struct link_end *e, struct stored_log *log)
{
    memset(log, 0, sizeof *log);
    e->packet_sink = log_packet;
    e->packet_self = log;
}
