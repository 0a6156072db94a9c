#include "sim/app/roce/roce_figures.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/board/roce_run.h"
#include "sim/app/roce/traffic/roce_traffic.h"
#include "sim/core/kernel/results.h"
#include "sim/core/kernel/text_table.h"

enum {
    LATENCY = 200 /* [clocks] of memory */,
    OVERHEAD = 82 /* [bytes] of a packet on the line */,
    SAMPLES = 1 << 16,
    NOT_YET = 0
};

typedef enum { PAYLOAD, CLOCKS_PER_PACKET, DOORBELL_TO_WIRE, WIRE_TO_DOORBELL, SEND_TO_ACK, KHZ, MBYTE_PER_S } quantity;

/* Limits: of 8 and of 64 bytes per clock; 0: none, it is only reported. */
typedef struct figure {
    const char *name;
    quantity what;
    unsigned kinds; /* bits: 1 << ROCE_WRITE for instance */
    unsigned pmtu, connections, messages, length, depth;
    double limit[2];
    sim_time line_latency; /* one way; 0: as it is by default */
    double loss;
} figure;

#define OUT (1u << ROCE_WRITE)
#define BACK (1u << ROCE_READ)
#define IN (1u << ROCE_SEND_IN)
#define SEND (1u << ROCE_SEND_OUT)

static const figure figures[] = {
    {"roce_write_payload_256", PAYLOAD, OUT, 256, 16, 4, 65536, 8, {99, 0}, 0, 0},
    {"roce_write_payload_1024", PAYLOAD, OUT, 1024, 16, 4, 65536, 8, {99, 99}, 0, 0},
    {"roce_write_payload_4096", PAYLOAD, OUT, 4096, 16, 4, 65536, 8, {99, 99}, 0, 0},
    {"roce_read_payload_256", PAYLOAD, BACK, 256, 16, 4, 65536, 8, {99, 0}, 0, 0},
    {"roce_read_payload_1024", PAYLOAD, BACK, 1024, 16, 4, 65536, 8, {99, 99}, 0, 0},
    {"roce_read_payload_4096", PAYLOAD, BACK, 4096, 16, 4, 65536, 8, {99, 99}, 0, 0},
    {"roce_send_in_payload_256", PAYLOAD, IN, 256, 16, 4, 65536, 8, {99, 0}, 0, 0},
    {"roce_send_in_payload_1024", PAYLOAD, IN, 1024, 16, 4, 65536, 8, {99, 99}, 0, 0},
    {"roce_send_in_payload_4096", PAYLOAD, IN, 4096, 16, 4, 65536, 8, {99, 99}, 0, 0},
    {"roce_both_ways_payload", PAYLOAD, OUT | IN, 4096, 16, 4, 65536, 8, {97, 97}, 0, 0},
    {"roce_one_qp_read_payload", PAYLOAD, BACK, 4096, 1, 400, 4096, 64, {99, 0}, 5 * SIM_US, 0},
    {"roce_goodput_loss_1e3", PAYLOAD, OUT, 4096, 16, 16, 65536, 8, {0, 0}, 0, 1e-3},
    {"roce_write_rate_1_qp", CLOCKS_PER_PACKET, OUT, 4096, 1, 1000, 64, 64, {60, 60}, 0, 0},
    {"roce_write_rate_64_qps", CLOCKS_PER_PACKET, OUT, 4096, 64, 64, 64, 64, {30, 30}, 0, 0},
    {"roce_doorbell_to_wire", DOORBELL_TO_WIRE, SEND, 4096, 1, 200, 64, 1, {60, 60}, 0, 0},
    {"roce_wire_to_doorbell", WIRE_TO_DOORBELL, IN, 4096, 1, 200, 64, 1, {40, 40}, 0, 0},
    {"roce_send_to_ack", SEND_TO_ACK, IN, 4096, 1, 200, 64, 1, {50, 50}, 0, 0},
    {"sim_roce_khz", KHZ, OUT | BACK | IN | SEND, 0, 7, 20, 16384, 8, {0, 0}, 0, 1e-3},
    {"sim_roce_mbyte_per_s", MBYTE_PER_S, OUT | BACK | IN | SEND, 0, 7, 20, 16384, 8, {0, 0}, 0, 1e-3},
};
enum { FIGURES = sizeof figures / sizeof *figures };
static const char *const units[] = {"%", "clocks/WQE", "clocks", "clocks", "clocks", "kHz", "MB/s"};

/* Packets of an end of the line: after each one with a payload its time, and the payload so far. */
typedef struct sent {
    struct {
        sim_time time;
        uint64_t bytes;
    } after[SAMPLES];
    unsigned packets;
    struct {
        int known;
        uint32_t psn;
    } newest[256]; /* by destination QP */
} sent;

typedef struct bench {
    const figure *f;
    unsigned bytes; /* per clock */
    sim *sim;
    roce_system *system;
    roce_traffic *traffic;
    sent *from[2];
    double wall;
    /* at the chip's pins */
    sim_port rx_valid, rx_last, tx_valid, tx_ready, tx_last, doorbell, aw_valid, aw_ready, aw_address, w_valid, w_ready;
    uint64_t start, longest; /* clocks; start: NOT_YET, or of what the next latency counts from */
    uint64_t register_written;
    int in_frame;
} bench;

/* ---- on the line */

static void observe(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    enum { BTH = 42, ICRC = 4 };
    bench *b = self;
    sent *s = b->from[from];
    if (bad_fcs || length < BTH + 12 + ICRC || frame[12] != 8 || frame[13] || frame[23] != 17) return;
    unsigned opcode = frame[BTH], header = 12 + ICRC + (frame[BTH + 1] >> 4 & 3);
    if (opcode == 0x06 || opcode == 0x0a) header += 16;                       /* RETH */
    else if (opcode == 0x0d || opcode == 0x0f || opcode == 0x10) header += 4; /* AETH */
    else if (opcode > 0x0a && opcode != 0x0e) return;                         /* no payload */
    uint32_t psn = (uint32_t)frame[BTH + 9] << 16 | (uint32_t)frame[BTH + 10] << 8 | frame[BTH + 11];
    unsigned qp = frame[BTH + 7];
    if (s->newest[qp].known && ((psn - s->newest[qp].psn - 1) & 0xffffff) >= 0x800000) return; /* once more */
    s->newest[qp].known = 1;
    s->newest[qp].psn = psn;
    if (s->packets == SAMPLES) return;
    s->after[s->packets].time = time;
    s->after[s->packets].bytes = (s->packets ? s->after[s->packets - 1].bytes : 0) + length - BTH - header;
    s->packets++;
}

/* The first packet after which `quarters` quarters of the payload were sent. */
static unsigned quarter(const sent *s, unsigned quarters)
{
    unsigned i = 0;
    while (i + 1 < s->packets && s->after[i].bytes * 4 < s->after[s->packets - 1].bytes * quarters) i++;
    return i;
}

static double payload(const bench *b)
{
    double least = NAN;
    sim_time from = 0, to = SIM_FOREVER;
    for (int end = 0; end < 2; end++) { /* both ways: while both send */
        const sent *s = b->from[end];
        if (!s->packets) continue;
        sim_time first = s->after[quarter(s, 1)].time, last = s->after[quarter(s, 3)].time;
        if (first > from) from = first;
        if (last < to) to = last;
    }
    for (int end = 0; end < 2; end++) {
        const sent *s = b->from[end];
        unsigned i = 0, k;
        if (!s->packets) continue;
        while (i + 1 < s->packets && s->after[i].time < from) i++;
        for (k = i; k + 1 < s->packets && s->after[k + 1].time <= to;) k++;
        if (k == i) return NAN;
        double bits = 8.0 * (double)(s->after[k].bytes - s->after[i].bytes),
               seconds = (double)(s->after[k].time - s->after[i].time) / 1e12;
        double part = 100 * bits / seconds * (b->f->pmtu + OVERHEAD) / b->f->pmtu / (b->bytes == 64 ? 100e9 : 10e9);
        if (!(part >= least)) least = part;
    }
    return least;
}

static double clocks_per_packet(const bench *b)
{
    const sent *s = b->from[0];
    unsigned i = quarter(s, 1), k = quarter(s, 3);
    double period = b->bytes == 64 ? 5000 : 6400;
    return k > i ? (double)(s->after[k].time - s->after[i].time) / period / (k - i) : NAN;
}

/* ---- at the pins */

static int find_pins(bench *b)
{
    const struct {
        const char *name;
        sim_port *to;
    } pins[] = {
        {"rx_pkt_hndler_s_axis_tvalid", &b->rx_valid},
        {"rx_pkt_hndler_s_axis_tlast", &b->rx_last},
        {"tx_m_axis_tvalid", &b->tx_valid},
        {"tx_m_axis_tready", &b->tx_ready},
        {"tx_m_axis_tlast", &b->tx_last},
        {"rx_pkt_hndler_o_rq_db_data_valid", &b->doorbell},
        {"s_axi_lite_awvalid", &b->aw_valid},
        {"s_axi_lite_awready", &b->aw_ready},
        {"s_axi_lite_awaddr", &b->aw_address},
        {"s_axi_lite_wvalid", &b->w_valid},
        {"s_axi_lite_wready", &b->w_ready},
    };
    for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
        const sim_port *p = sim_model_port(b->system->board->chip, pins[i].name);
        if (!p) return -1;
        *pins[i].to = *p;
    }
    return 0;
}

static void ends(bench *b, uint64_t now)
{
    if (b->start == NOT_YET) return;
    if (now - b->start > b->longest) b->longest = now - b->start;
    b->start = NOT_YET;
}

static void sample(void *self)
{
    enum { SQPI = 0x38, FIRST_QP = 0x200 };
    bench *b = self;
    uint64_t now = sim_clock_cycles(b->system->board->clock);
    int sends = sim_port_get(&b->tx_valid) && sim_port_get(&b->tx_ready), first = sends && !b->in_frame;
    if (sends) b->in_frame = !sim_port_get(&b->tx_last);
    if (first && b->f->what != WIRE_TO_DOORBELL) ends(b, now);
    if (b->f->what == WIRE_TO_DOORBELL && sim_port_get(&b->doorbell)) ends(b, now);
    if (b->f->what == DOORBELL_TO_WIRE) {
        if (sim_port_get(&b->aw_valid) && sim_port_get(&b->aw_ready))
            b->register_written = sim_port_get(&b->aw_address);
        if (sim_port_get(&b->w_valid) && sim_port_get(&b->w_ready) && b->register_written >= FIRST_QP &&
            (b->register_written & 0xff) == SQPI)
            b->start = now;
    } else if (sim_port_get(&b->rx_valid) && sim_port_get(&b->rx_last)) b->start = now;
}

static int at_pins(const figure *f)
{
    return f->what == DOORBELL_TO_WIRE || f->what == WIRE_TO_DOORBELL || f->what == SEND_TO_ACK;
}

/* ---- a run */

static void end_task(void *self)
{
    bench *b = self;
    roce_traffic_wait(b->traffic);
    roce_system_close(b->system);
}

static double value_of(const bench *b)
{
    uint64_t bytes = 0;
    switch (b->f->what) {
    case PAYLOAD:
        return payload(b);
    case CLOCKS_PER_PACKET:
        return clocks_per_packet(b);
    case DOORBELL_TO_WIRE:
        return b->longest ? (double)b->longest - 2 * LATENCY : NAN; /* the WQE and its data */
    case WIRE_TO_DOORBELL:
    case SEND_TO_ACK:
        return b->longest ? (double)b->longest - LATENCY : NAN;
    case KHZ:
        return (double)sim_clock_cycles(b->system->board->clock) / b->wall / 1e3;
    case MBYTE_PER_S:
        break;
    }
    for (int i = 0; i < ROCE_KINDS; i++) bytes += roce_traffic_kinds(b->traffic)[i].bytes;
    return (double)bytes / b->wall / 1e6;
}

static int open_bench(bench *b, const sim_config *chip, uint64_t seed, char *error)
{
    const figure *f = b->f;
    int speed = f->what == KHZ || f->what == MBYTE_PER_S;
    roce_traffic_params t = roce_traffic_defaults();
    for (int i = 0; i < ROCE_KINDS; i++) t.messages[i] = f->kinds >> i & 1 ? f->messages : 0;
    t.connections = f->connections;
    t.shortest = speed ? 1 : f->length;
    t.longest = f->length;
    t.pmtu = f->pmtu;
    t.ip = speed ? 0 : 4;
    t.depth = f->depth;
    /* Where nothing is lost no answer may be late: 16.8 ms, longer than the queues of 16 QPs last. */
    t.timeout = speed ? 3 : f->loss > 0 ? 6 : 12;
    t.handshake = f->what == WIRE_TO_DOORBELL ? 2 : 0;
    roce_system_params p = roce_system_defaults(chip);
    p.qps = f->connections + 1;
    if (!speed) {
        p.board.memory.latency = LATENCY;
        p.board.memory.outstanding = 64; /* the limit of the chip's masters */
    }
    p.wire.lose = f->loss;
    p.wire.seed = seed;
    if (f->line_latency) p.wire.latency = f->line_latency;
    if (!(b->system = roce_system_new(b->sim, &p, error)) || !(b->traffic = roce_traffic_new(b->system, &t, error)))
        return -1;
    snprintf(error, ROCE_SYSTEM_ERROR, "no memory left");
    if (!speed && ethernet_wire_observe(b->system->wire, ETHERNET_SENT, observe, b)) return -1;
    if (at_pins(f)) {
        if (find_pins(b)) return snprintf(error, ROCE_SYSTEM_ERROR, "%s", sim_error(b->sim)), -1;
        sim_clock_attach(b->system->board->clock, sample, NULL, b);
    }
    return sim_task_new(b->sim, "end", end_task, b) ? 0 : -1;
}

/* NAN: it cannot be measured, and stderr says why. *interrupted: by a signal. */
static double measure(const figure *f, const sim_config *chip, uint64_t seed, int *interrupted)
{
    char error[ROCE_SYSTEM_ERROR] = "no memory left";
    double value = NAN;
    bench b = {.f = f,
               .bytes = (unsigned)sim_config_parameter(chip, "BYTES", 8),
               .from = {calloc(1, sizeof(sent)), calloc(1, sizeof(sent))}};
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = seed;
    sp.watchdog = 100 * SIM_MS;
    b.sim = sim_new(&sp);
    if (b.sim && b.from[0] && b.from[1] && !open_bench(&b, chip, seed, error)) {
        double from = sim_wall();
        int result = sim_run(b.sim, SIM_FOREVER);
        b.wall = sim_wall() - from;
        *interrupted = result == SIM_INTERRUPTED;
        snprintf(error, sizeof error, "%s", result == SIM_OK ? "nothing was seen" : sim_error(b.sim));
        if (result == SIM_OK) value = value_of(&b);
    }
    if (isnan(value) && !*interrupted) fprintf(stderr, "roce-sim: %s_%u: %s\n", f->name, b.bytes, error);
    if (b.sim) {
        if (b.system && at_pins(f)) sim_clock_detach(b.system->board->clock, &b);
        roce_traffic_free(b.traffic);
        roce_system_free(b.system);
        sim_free(b.sim);
    }
    free(b.from[0]);
    free(b.from[1]);
    return value;
}

/* ---- the table */

/* 1: within its limit, or without one. */
static int print_one(const figure *f, const char *name, double limit, double value, FILE *t, json_t *list)
{
    int most = f->what != PAYLOAD, met = !isnan(value) && (limit <= 0 || (most ? value <= limit : value >= limit));
    char text[32] = "report";
    if (limit > 0) snprintf(text, sizeof text, "%s %g", most ? "<=" : ">=", limit);
    const char *verdict = met ? "" : isnan(value) ? "NOT MEASURED" : "MISSED";
    fprintf(t, "%s\t%s\t%.*f\t%s\t%s\n", name, units[f->what], value < 10 || f->what == PAYLOAD ? 2 : 1, value, text,
            verdict);
    json_t *row = json_pack("{ss ss ss sb}", "name", name, "unit", units[f->what], "limit", text, "met", met);
    json_object_set_new(row, "value", isnan(value) ? json_null() : json_real(value));
    json_array_append_new(list, row);
    return met;
}

int roce_figures(const char *part_of_name, uint64_t seed, const char *json, const sim_config *const chips[])
{
    int bad = 0, interrupted = 0;
    json_t *list = json_array();
    FILE *t = text_table(stdout, 1, "<29 figure\t<10 unit\t>9 measured\t<7 limit");
    for (unsigned wide = 0; wide < 2; wide++)
        for (unsigned i = 0; i < FIGURES && !interrupted; i++) {
            const figure *f = &figures[i];
            unsigned bytes = wide ? 64 : 8;
            char name[64];
            snprintf(name, sizeof name, "%s_%u", f->name, bytes);
            if (strcmp(part_of_name, "all") != 0 && !strstr(name, part_of_name)) continue;
            double value = measure(f, roce_chip_with(chips, bytes, f->connections), seed, &interrupted);
            if (!interrupted) bad += !print_one(f, name, f->limit[wide], value, t, list);
        }
    unsigned done = (unsigned)json_array_size(list);
    fclose(t);
    if (interrupted) {
        puts("INTERRUPTED: results are not saved");
        json_decref(list);
        return 130;
    }
    if (!done) {
        fprintf(stderr, "roce-sim: figures=%s: expected all, or a part of a name of:", part_of_name);
        for (unsigned i = 0; i < FIGURES; i++) fprintf(stderr, " %s", figures[i].name);
        fputs(" (behind each _8 or _64)\n", stderr);
        json_decref(list);
        return 2;
    }
    if (json && results_write(list, json)) {
        puts("BAD: the results are not saved");
        return 1;
    }
    if (!json) json_decref(list);
    if (bad)
        printf("BAD: %d of %u figures are beyond their limits%s%s\n", bad, done, json ? "; all are in " : "",
               json ? json : "");
    else printf("GOOD: %u figures%s%s\n", done, json ? " in " : "", json ? json : "");
    return bad != 0;
}
