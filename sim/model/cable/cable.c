/* The cable between two chips; the manual is in the header. */
#include "sim/model/cable/cable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MINIMUM_LATENCY_CLOCKS = 20 };

/* A field of some bits in a port that may be wider than one link: those of the mask. */
typedef struct field {
    uint8_t *byte;
    unsigned shift, mask;
} field;

/* One transceiver: the transmitter and the receiver of one link at one end. */
typedef struct transceiver {
    const uint32_t *tx_data;
    field tx_k, loopback;
    unsigned loopback_now;
    gt_line line;
    gt_receiver receiver;
    uint32_t *rx_data;
    uint32_t shown; /* flags of gt_output on the pins */
    field rx_k, rx_notintable, rx_disperr, rx_loss_of_sync, rx_buf_status, tx_buf_err;
    struct transceiver *peer;
    uint64_t delay, loopback_delay;
    uint64_t carried;  /* words of the line that another process has */
    uint32_t no_input; /* stands for inputs that are not connected, 0, */
    uint32_t nowhere;  /* and this one for outputs */
    unsigned link;
    struct cable_end *end;
} transceiver;

typedef struct cable_end {
    struct cable *cable;
    sim_clock *clock;
    sim_time edge; /* of the clock, the last one; sample and drive of one edge have the same time */
    transceiver link[CABLE_LINKS];
    const transceiver *behind; /* the last link */
    int number;
    unsigned cut;             /* links whose direction that ends here is cut */
    uint64_t tx_error_clocks; /* for which tx_buf_err stays, and one more, in which it goes to 0 */
} cable_end;

struct cable {
    sim *sim;
    int watched; /* by a tap, a witness or an observer */
    char *name;
    unsigned links;
    int by_byte, by_packet;
    cable_tap tap;
    void *tap_self;
    unsigned witnesses;
    struct {
        cable_witness call;
        void *self;
    } witness[CABLE_WITNESSES];
    cable_arrival arrival;
    void *arrival_self;
    unsigned observers;
    struct {
        cable_observer call;
        void *self;
    } observer[CABLE_OBSERVERS];
    cable_end end[2];
};

void cable_params_default(cable_params *params)
{
    *params = (cable_params){
        .links = 1,
        .latency_clocks = 23,
        .loopback_clocks = 21,
        .lock_clocks = 64,
        .alignment = GT_ALIGNMENT_RANDOM,
    };
}

/* ---- ports ---- */

static field field_at(const uint8_t *port, unsigned bits, unsigned index, uint32_t *without)
{
    unsigned shift = index * bits % 8;
    uint8_t *byte = port ? (uint8_t *)(uintptr_t)port + index * bits / 8 : (uint8_t *)without;

    return (field){byte, shift, ((1u << bits) - 1) << shift};
}

static inline unsigned field_read(const field *f) { return (*f->byte & f->mask) >> f->shift; }

static void field_write(const field *f, unsigned value)
{
    *f->byte = (uint8_t)((*f->byte & ~f->mask) | (value << f->shift & f->mask));
}

/* Data ports of two links are one 64-bit object of the model; memcpy may look at any of its halves. */
static inline uint32_t data_read(const uint32_t *port)
{
    uint32_t value;

    memcpy(&value, port, sizeof value);
    return value;
}

/* ---- one clock of one end ---- */

static void connect(transceiver *t, sim_time now)
{
    t->loopback_now = *t->loopback.byte & t->loopback.mask;
    if (t->loopback_now) gt_receiver_connect(&t->receiver, &t->line, t->loopback_delay, now);
    else if (t->end->cut >> t->link & 1) gt_receiver_connect(&t->receiver, NULL, 0, now);
    else gt_receiver_connect(&t->receiver, &t->peer->line, t->delay, now);
}

static inline void transmit(transceiver *t, sim_time now, uint32_t data, unsigned k, uint64_t flip)
{
    gt_transmit(&t->line, now, data, k, flip);
    if ((*t->loopback.byte & t->loopback.mask) != t->loopback_now) connect(t, now);
}

/* An observer sees the words sent, and may change them. */
static __attribute__((noinline)) void sample_watched(cable_end *end, sim_time now)
{
    cable *c = end->cable;
    uint64_t words = gt_line_words(&end->link[0].line);
    uint32_t data[CABLE_LINKS];
    uint8_t k[CABLE_LINKS];
    uint64_t flip[CABLE_LINKS] = {0};
    unsigned link, i;

    for (link = 0; link < c->links; link++) {
        data[link] = data_read(end->link[link].tx_data);
        k[link] = (uint8_t)field_read(&end->link[link].tx_k);
    }
    if (c->observers) {
        uint64_t clock = sim_clock_cycles(end->clock);

        for (i = 0; i < c->observers; i++)
            c->observer[i].call(c->observer[i].self, end->number, words, end->edge, clock, data, k);
    }
    if (c->tap) c->tap(c->tap_self, end->number, words, data, k, flip);
    for (i = 0; i < c->witnesses; i++)
        c->witness[i].call(c->witness[i].self, end->number, words, end->edge, data, k, flip);
    for (link = 0; link < c->links; link++) transmit(&end->link[link], now, data[link], k[link] & 15, flip[link]);
}

static void sample(void *self)
{
    cable_end *end = self;
    sim_time now = sim_now(end->cable->sim);
    transceiver *t = end->link;

    if (end->cable->watched) sample_watched(end, now);
    else {
        do transmit(t, now, data_read(t->tx_data), field_read(&t->tx_k), 0);
        while (++t < end->behind);
    }
    end->edge = now;
}

static __attribute__((noinline)) void show_flags(transceiver *t, uint32_t flags)
{
    field_write(&t->rx_k, flags >> GT_K);
    field_write(&t->rx_notintable, flags >> GT_NOT_IN_TABLE);
    field_write(&t->rx_disperr, flags >> GT_DISPARITY);
    field_write(&t->rx_loss_of_sync, flags >> GT_LOSS_OF_SYNC);
    field_write(&t->rx_buf_status, flags >> GT_BUF_STATUS);
    t->shown = flags;
}

static __attribute__((noinline)) void tx_error_clock(cable_end *end)
{
    end->tx_error_clocks--;
    for (unsigned link = 0; link < end->cable->links; link++)
        field_write(&end->link[link].tx_buf_err, end->tx_error_clocks != 0);
}

/* Idle words come one after the other: the flags on the pins are left alone then. */
static void drive(void *self)
{
    cable_end *end = self;
    transceiver *t = end->link;

    do {
        gt_output output = gt_receive(&t->receiver, end->edge);

        memcpy(t->rx_data, &output.data, sizeof output.data);
        if (output.flags != t->shown) show_flags(t, output.flags);
    } while (++t < end->behind);
    if (end->tx_error_clocks) tx_error_clock(end);
}

static void frame_begins(void *self, uint64_t word)
{
    transceiver *t = self;
    cable *c = t->end->cable;

    if (!t->loopback_now)
        c->arrival(c->arrival_self, !t->end->number, t->link, word, sim_now(c->sim), sim_clock_cycles(t->end->clock));
}

static void print_direction(const cable *cable, int from, FILE *out)
{
    for (unsigned link = 0; link < cable->links; link++) {
        cable_stats s;

        cable_get_stats(cable, from, link, &s);
        fprintf(out, "%s %s link %u: %s, lane %d; sent %" PRIu64 " words (%" PRIu64 " idle), %" PRIu64 " frames; ",
                cable->name, from ? "b>a" : "a>b", link, gt_state_name(cable_state(cable, from, link)),
                cable_alignment(cable, from, link), s.words, s.idle_words, s.frames);
        fprintf(out,
                "K28.5 removed %" PRIu64 " repeated %" PRIu64 "; not in table %" PRIu64 ", disparity %" PRIu64
                ", buffer errors %" PRIu64 ", sync lost %" PRIu64 ", bring-ups %" PRIu64 "\n",
                s.received.removed, s.received.repeated, s.received.not_in_table, s.received.disparity,
                s.received.overflows + s.received.underflows, s.received.sync_losses, s.received.bring_ups);
    }
}

/* Words arriving at this end. */
static void dump(void *self, FILE *out)
{
    const cable_end *end = self;

    print_direction(end->cable, !end->number, out);
}

/* ---- ends in two processes ---- */

static size_t take(void *self, void *to, size_t room)
{
    transceiver *t = self;

    return gt_line_take(&t->line, &t->carried, to, room);
}

static void put(void *self, const void *data, size_t size)
{
    transceiver *t = self;

    gt_line_put(&t->line, data, size);
}

/* ---- construction ---- */

static const char *complaint(const cable_params *params)
{
    if (params->links < 1 || params->links > CABLE_LINKS) return "links: expected 1..4";
    if (params->latency_clocks < MINIMUM_LATENCY_CLOCKS || params->loopback_clocks < MINIMUM_LATENCY_CLOCKS)
        return "latency_clocks, loopback_clocks: expected at least 20";
    if (params->alignment < GT_ALIGNMENT_RANDOM || params->alignment > 3)
        return "alignment: expected 0..3 or GT_ALIGNMENT_RANDOM";
    return NULL;
}

static int build_link(cable *c, const cable_params *params, const gt_pins *pins, int number, unsigned link)
{
    cable_end *end = &c->end[number];
    transceiver *t = &end->link[link];
    unsigned index = pins->first_link + link;
    sim_time period = sim_clock_period(end->clock), peer_period = sim_clock_period(c->end[!number].clock);
    sim_time skew = params->skew[!number][link], peer_skew = params->skew[number][link];
    /* a line is read by the other end, which may be behind by the flight (sim_latency), or by the own one in loopback;
     * both look back over flight and elastic buffer */
    uint64_t words = 2 * (params->latency_clocks + peer_skew / period) + params->loopback_clocks + GT_BUFFER_BYTES / 4;

    t->end = end;
    t->link = link;
    t->peer = &c->end[!number].link[link];
    t->tx_data = pins->tx_data ? pins->tx_data + index : &t->no_input;
    t->rx_data = pins->rx_data ? pins->rx_data + index : &t->nowhere;
    t->tx_k = field_at(pins->tx_k, 4, index, &t->no_input);
    t->loopback = field_at(pins->loopback, 2, index, &t->no_input);
    t->rx_k = field_at(pins->rx_k, 4, index, &t->nowhere);
    t->rx_notintable = field_at(pins->rx_notintable, 4, index, &t->nowhere);
    t->rx_disperr = field_at(pins->rx_disperr, 4, index, &t->nowhere);
    t->rx_loss_of_sync = field_at(pins->rx_loss_of_sync, 1, index, &t->nowhere);
    t->rx_buf_status = field_at(pins->rx_buf_status, 2, index, &t->nowhere);
    t->tx_buf_err = field_at(pins->tx_buf_err, 1, index, &t->nowhere);
    t->shown = ~(uint32_t)0;
    /* a word is sampled one clock after it came onto the port */
    t->delay = gt_delay(peer_period / 4, params->latency_clocks - 1) + skew;
    t->loopback_delay = gt_delay(period / 4, params->loopback_clocks - 1);
    gt_receiver_init(&t->receiver, peer_period / 4, params->lock_clocks * period, sim_random(c->sim));
    t->receiver.alignment = params->alignment;
    return gt_line_init(&t->line, (unsigned)words);
}

cable *cable_new(sim *sim, const cable_params *params, sim_clock *a, const gt_pins *pins_a, sim_clock *b,
                 const gt_pins *pins_b, const char *name)
{
    const char *wrong = complaint(params);
    cable *c;
    int number;
    unsigned link;

    if (wrong) {
        sim_fail(sim, "cable %s: parameter %s", name, wrong);
        return NULL;
    }
    c = aligned_alloc(_Alignof(cable), sizeof *c);
    if (c) {
        memset(c, 0, sizeof *c);
        c->name = strdup(name);
    }
    if (!c || !c->name) {
        free(c);
        sim_fail(sim, "cable %s: out of memory", name);
        return NULL;
    }
    c->sim = sim;
    c->links = params->links;
    c->by_byte = params->by_byte;
    c->by_packet = params->by_packet;
    c->end[0].clock = a;
    c->end[1].clock = b;
    for (number = 0; number < 2; number++) {
        cable_end *end = &c->end[number];

        end->cable = c;
        end->number = number;
        end->behind = end->link + c->links;
        end->tx_error_clocks = 1;
        for (link = 0; link < c->links; link++)
            if (build_link(c, params, number ? pins_b : pins_a, number, link) < 0) {
                cable_free(c);
                sim_fail(sim, "cable %s: out of memory", name);
                return NULL;
            }
    }
    for (number = 0; number < 2; number++) {
        for (link = 0; link < c->links; link++) connect(&c->end[number].link[link], sim_now(sim));
        sim_clock_attach(c->end[number].clock, sample, drive, &c->end[number]);
    }
    for (link = 0; link < c->links; link++)
        for (number = 0; number < 2; number++) {
            sim_latency(sim, a, b, c->end[number].link[link].delay);
            sim_carry(sim, &(sim_carrier){c->end[number].clock, c->end[!number].clock, take, put,
                                          &c->end[number].link[link]});
        }
    sim_report(sim, b, dump, &c->end[1], c->name);
    sim_report(sim, a, dump, &c->end[0], NULL);
    return c;
}

void cable_free(cable *cable)
{
    unsigned link;

    if (!cable) return;
    sim_clock_detach(cable->end[0].clock, &cable->end[0]);
    sim_clock_detach(cable->end[1].clock, &cable->end[1]);
    for (link = 0; link < CABLE_LINKS; link++) {
        gt_line_free(&cable->end[0].link[link].line);
        gt_line_free(&cable->end[1].link[link].line);
    }
    free(cable->name);
    free(cable);
}

/* ---- faults and observation ---- */

void cable_set_tap(cable *cable, cable_tap tap, void *self)
{
    cable->tap = tap;
    cable->tap_self = self;
    cable->watched = tap || cable->witnesses || cable->observers;
}

int cable_add_witness(cable *cable, cable_witness witness, void *self)
{
    if (cable->witnesses == CABLE_WITNESSES) return -1;
    cable->witness[cable->witnesses].call = witness;
    cable->witness[cable->witnesses++].self = self;
    cable->watched = 1;
    return 0;
}

int cable_add_observer(cable *cable, cable_observer observer, void *self)
{
    if (cable->observers == CABLE_OBSERVERS) return -1;
    cable->observer[cable->observers].call = observer;
    cable->observer[cable->observers++].self = self;
    cable->watched = 1;
    return 0;
}

void cable_set_arrival(cable *cable, cable_arrival arrival, void *self)
{
    int number;
    unsigned link;

    cable->arrival = arrival;
    cable->arrival_self = self;
    for (number = 0; number < 2; number++)
        for (link = 0; link < cable->links; link++) {
            cable->end[number].link[link].receiver.frame_begins = arrival ? frame_begins : NULL;
            cable->end[number].link[link].receiver.frame_self = &cable->end[number].link[link];
        }
}

static void set_cut(cable *cable, int directions, unsigned links, int cut)
{
    for (int number = 0; number < 2; number++) {
        cable_end *end = &cable->end[number];

        if (!(directions & (number ? CABLE_A_TO_B : CABLE_B_TO_A))) continue;
        for (unsigned link = 0; link < cable->links; link++) {
            if (!(links >> link & 1) || (end->cut >> link & 1) == (unsigned)cut) continue;
            end->cut ^= 1u << link;
            if (!end->link[link].loopback_now) connect(&end->link[link], sim_now(cable->sim));
        }
    }
}

void cable_cut(cable *cable, int directions) { set_cut(cable, directions, CABLE_ALL_LINKS, 1); }

void cable_reconnect(cable *cable, int directions) { set_cut(cable, directions, CABLE_ALL_LINKS, 0); }

void cable_cut_links(cable *cable, int directions, unsigned links) { set_cut(cable, directions, links, 1); }

void cable_reconnect_links(cable *cable, int directions, unsigned links) { set_cut(cable, directions, links, 0); }

void cable_tx_buffer_error(cable *cable, int end, unsigned clocks)
{
    cable->end[end].tx_error_clocks = (uint64_t)clocks + 1;
}

/* ---- state ---- */

uint64_t cable_sent(const cable *cable, int from, unsigned link, uint64_t *idle)
{
    const gt_line *line = &cable->end[from].link[link].line;

    *idle = line->idle_words;
    return line->words;
}

void cable_get_stats(const cable *cable, int from, unsigned link, cable_stats *stats)
{
    const gt_line *line = &cable->end[from].link[link].line;

    stats->words = cable_sent(cable, from, link, &stats->idle_words);
    stats->bytes = 4 * (line->words - line->idle_words);
    stats->frames = line->frames;
    stats->bad_controls = line->bad_controls;
    stats->received = cable->end[!from].link[link].receiver.stats;
}

int cable_alignment(const cable *cable, int from, unsigned link)
{
    return gt_receiver_alignment(&cable->end[!from].link[link].receiver);
}

gt_state cable_state(const cable *cable, int from, unsigned link)
{
    return cable->end[!from].link[link].receiver.state;
}

unsigned cable_links(const cable *cable) { return cable->links; }

int cable_by_byte(const cable *cable) { return cable->by_byte; }

int cable_by_packet(const cable *cable) { return cable->by_packet; }

const char *cable_name(const cable *cable) { return cable->name; }

void cable_print(const cable *cable, FILE *out)
{
    for (int from = 0; from < 2; from++) print_direction(cable, from, out);
}
