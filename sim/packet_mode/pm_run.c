#include "pm_run.h"

#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum {
    ERRORS = 5,
    EVENTS = 4,
    RESET_CLOCKS = 4,
    FIXED_AROUND = 7 /* clocks of an idle VPS beside the forward cable */,
    FIXED_IQ = 10,
    LEAD = 131072 /* clocks from which on whole packets are brought to the cards before their instants; half of a card's memory */
};

/* A packet on its way. */
typedef struct packet {
    uint64_t first, link, column;
    uint32_t words;
    uint32_t ideal; /* clocks that it waits in the ideal switch */
} packet;

/* Packets of a flow from the oldest that has not left on; a ring. */
typedef struct flow {
    packet *ring;
    uint32_t size, put, counted, leave, offset; /* numbers of packets; words of the one that leaves */
} flow;

typedef struct line {
    pm_packet packet, next; /* that comes in, and the one behind it */
    pm_packet held;         /* the next one that counts, of arrivals of whole packets */
    uint32_t number, offset;
    int busy, leaving; /* leaving: input whose packet goes out, -1: none */
} line;

typedef struct run {
    const pm_run_params *p;
    pm_result *r;
    sim *s;
    unsigned ports, port_bits;
    int cells; /* the bufferless one */
    uint64_t clock, fixed, window, end;
    int64_t inside;   /* words */
    uint64_t waiting; /* packets of the window on their way */
    /* pins */
    uint8_t *rst;
    sim_port line_valid, line_first, line_output, line_words, out_valid, out_first, out_last, out_input, link_valid, column_valid;
    sim_port error[ERRORS], event[EVENTS], egress_most, line_full;
    uint8_t *line_word, *out_word, *link_word, *column_word;
    sim_port line_release, release_output;
    pm_arrivals arrivals, releases; /* whole packets: as they are brought to the cards, and as they count, LEAD clocks later */
    pm_ideal ideal;
    line line[PM_PORTS];
    flow flow[PM_PORTS][PM_PORTS];
    pm_statistics *statistics;
} run;

/* ---- flows ---- */

static packet *at(const flow *f, uint32_t number)
{
    return &f->ring[number & (f->size - 1)];
}

static packet *put(run *r, flow *f)
{
    if (f->put - f->leave == f->size) {
        uint32_t size = f->size ? 2 * f->size : 16;
        packet *ring = calloc(size, sizeof *ring);
        if (!ring) {
            sim_fail(r->s, "memory is exhausted: %u packets of one flow are on their way", f->size);
            return NULL;
        }
        for (uint32_t k = f->leave; k != f->put; k++) ring[k & (size - 1)] = *at(f, k);
        free(f->ring);
        f->ring = ring;
        f->size = size;
    }
    return at(f, f->put++);
}

/* ---- words ---- */

static uint64_t word_of(unsigned input, unsigned output, uint32_t number, unsigned offset)
{
    return (uint64_t)input << 56 | (uint64_t)output << 48 | (uint64_t)number << 16 | offset;
}

static uint64_t word_at(const uint8_t *words, unsigned port)
{
    uint64_t w;
    memcpy(&w, words + 8 * port, 8);
    return w;
}

/* Packets come whole. */
static int held(const run *r)
{
    return r->p->traffic.process == PM_INSTANT;
}

/* ---- what comes out ---- */

static int in_window(const run *r, uint64_t clock)
{
    return pm_statistics_in_window(r->statistics, clock);
}

static void leaves(run *r, unsigned i, unsigned o, const packet *p)
{
    pm_left left = {.input = i,
                    .output = o,
                    .words = p->words,
                    .first = p->first,
                    .delay = (double)(int64_t)(r->clock - p->first - r->fixed),
                    .ideal = p->ideal,
                    .voq = (double)(p->link - p->first) - (r->cells ? FIXED_IQ - 1 : 3)};
    if (!in_window(r, p->first)) return;
    if (left.delay < 0) sim_fail(r->s, "clock %lu: a packet from %u to %u was faster than through an idle switch", r->clock, i, o);
    r->waiting--;
    if (!r->cells) left.crosspoint = (double)(p->column - p->link) - (double)(r->fixed - 5);
    if (!r->cells) left.reassembly = (double)(r->clock - p->column) - 2;
    pm_statistics_packet(r->statistics, &left);
}

static void take_word(run *r, unsigned o)
{
    uint64_t w = word_at(r->out_word, o);
    unsigned i = (unsigned)(w >> 56), offset = w & 0xffff;
    line *l = &r->line[o];
    flow *f;
    packet *p;
    if (i >= r->ports || (w >> 48 & 0xff) != o || sim_port_field(&r->out_input, r->port_bits * o, r->port_bits) != i) {
        sim_fail(r->s, "clock %lu: output %u: the word %016lx is not of this output, or not of the input it is said to be", r->clock, o, w);
        return;
    }
    f = &r->flow[i][o];
    if (f->leave == f->counted || word_of(i, o, f->leave, f->offset) != w) {
        sim_fail(r->s, "clock %lu: output %u: packet %u, word %u from %u, expected packet %u, word %u", r->clock, o, (uint32_t)(w >> 16),
                 offset, i, f->leave, f->offset);
        return;
    }
    p = at(f, f->leave);
    if ((offset == 0) != (int)sim_port_field(&r->out_first, o, 1) || (offset == 0 ? l->leaving != -1 : l->leaving != (int)i)) {
        sim_fail(r->s, "clock %lu: output %u: packets from %u and %d are mixed on the line", r->clock, o, i, l->leaving);
        return;
    }
    if (offset == 0) leaves(r, i, o, p);
    l->leaving = (int)i;
    f->offset++;
    r->inside--;
    if (in_window(r, r->clock)) pm_statistics_word(r->statistics, i, o);
    if ((f->offset == p->words) != (int)sim_port_field(&r->out_last, o, 1)) {
        sim_fail(r->s, "clock %lu: output %u: word %u of %u of packet %u from %u is %smarked as the last", r->clock, o, f->offset, p->words,
                 f->leave, i, f->offset == p->words ? "not " : "");
        return;
    }
    if (f->offset == p->words) {
        if (r->p->seen) r->p->seen(r->p->self, i, o, f->leave, r->clock + 1 - p->words, r->clock);
        l->leaving = -1;
        f->offset = 0;
        f->leave++;
        sim_progress(r->s);
    }
}

/* First words on the links within the switch, for the parts of the delay. */
static void pass(run *r, const uint8_t *words, uint64_t valid, int column)
{
    for (; valid; valid &= valid - 1) {
        uint64_t w = word_at(words, (unsigned)__builtin_ctzll(valid));
        unsigned i = (unsigned)(w >> 56), o = w >> 48 & 0xff;
        flow *f;
        if (w & 0xffff || i >= r->ports || o >= r->ports) continue;
        f = &r->flow[i][o];
        if ((uint32_t)(w >> 16) - f->leave >= f->counted - f->leave) continue; /* will be told at the line */
        if (column) at(f, (uint32_t)(w >> 16))->column = r->clock;
        else at(f, (uint32_t)(w >> 16))->link = r->clock;
    }
}

static const char *const errors[ERRORS] = {
    "input %u: a packet was refused (VOQ memory), or is not whole",
    "input %u: more credit than the crosspoint has room",
    "input %u: a notice that the input scheduler does not expect",
    "output %u: a crosspoint ran over or empty",
    "output %u: the egress card ran over, or a packet on the line has a gap",
};

static void sample(void *self)
{
    run *r = self;
    uint64_t valid;
    r->clock++;
    if (*r->rst) return;
    for (unsigned k = 0; k < ERRORS; k++) {
        uint64_t bits = sim_port_get(&r->error[k]);
        char text[120];
        if (!bits) continue;
        snprintf(text, sizeof text, errors[k], (unsigned)__builtin_ctzll(bits));
        sim_fail(r->s, "clock %lu: %s", r->clock, text);
        return;
    }
    if (in_window(r, r->clock)) {
        r->r->pairs += (unsigned)__builtin_popcountll(sim_port_get(&r->event[0]));
        r->r->cancelled += (unsigned)__builtin_popcountll(sim_port_get(&r->event[1]));
        r->r->refused += (unsigned)__builtin_popcountll(sim_port_get(&r->event[2]));
        r->r->lone += (unsigned)__builtin_popcountll(sim_port_get(&r->event[3]));
    }
    pass(r, r->link_word, sim_port_get(&r->link_valid), 0);
    pass(r, r->column_word, sim_port_get(&r->column_valid), 1);
    for (valid = sim_port_get(&r->out_valid); valid; valid &= valid - 1) take_word(r, (unsigned)__builtin_ctzll(valid));
    for (unsigned o = 0; o < r->ports; o++)
        if (r->line[o].leaving >= 0 && !(sim_port_get(&r->out_valid) >> o & 1) && r->flow[r->line[o].leaving][o].offset) {
            sim_fail(r->s, "clock %lu: output %u: the line rests within a packet from %d", r->clock, o, r->line[o].leaving);
            return;
        }
}

/* ---- what goes in ---- */

/* A packet counts from now on: it can be chosen from the next clock on. */
static void counts(run *r, flow *f, unsigned output)
{
    packet *p = at(f, f->counted++);
    p->first = r->clock + 1;
    p->ideal = (uint32_t)pm_ideal_delay(&r->ideal, &(pm_packet){.first = p->first, .words = p->words, .output = output});
    if (!in_window(r, p->first)) return;
    r->waiting++;
    if (p->words > PM_UNIT) r->r->packets_of_segments++;
}

static void begins(run *r, unsigned i)
{
    line *l = &r->line[i];
    flow *f;
    packet *p;
    l->packet = l->next;
    l->next = pm_stream_next(&r->arrivals.stream[i]);
    l->offset = 0;
    l->busy = 1;
    f = &r->flow[i][l->packet.output];
    /* saturated: a packet for a full VOQ is left out, and takes its time on the line */
    if (r->p->traffic.process == PM_SATURATED && sim_port_field(&r->line_full, r->ports * i + l->packet.output, 1)) {
        l->busy = -1;
        if (in_window(r, r->clock + 1)) r->r->dropped++;
        return;
    }
    l->number = f->put;
    p = put(r, f);
    if (!p) return;
    *p = (packet){.words = l->packet.words};
    if (!held(r)) counts(r, f, l->packet.output);
    sim_port_set_field(&r->line_output, r->port_bits * i, r->port_bits, l->packet.output);
    sim_port_set_field(&r->line_words, 13 * i, 13, l->packet.words);
}

/* Packets that have been brought count at their instants. */
static void release(run *r, uint64_t now)
{
    uint64_t valid = 0;
    for (unsigned i = 0; i < r->ports; i++) {
        line *l = &r->line[i];
        flow *f = &r->flow[i][l->held.output];
        if (l->held.first + LEAD != now) continue;
        if (f->counted == f->put || (l->busy && l->packet.output == l->held.output && l->number == f->counted)) {
            sim_fail(r->s, "clock %lu: input %u: the line cannot bring whole packets in time; a lower load can be simulated", r->clock, i);
            return;
        }
        valid |= 1ull << i;
        r->inside += l->held.words;
        sim_port_set_field(&r->release_output, r->port_bits * i, r->port_bits, l->held.output);
        counts(r, f, l->held.output);
        l->held = pm_stream_next(&r->releases.stream[i]);
    }
    sim_port_set(&r->line_release, valid);
}

static void drive(void *self)
{
    run *r = self;
    uint64_t now = r->clock, valid = 0, first = 0;
    if (now < RESET_CLOCKS) return;
    *r->rst = 0;
    now -= RESET_CLOCKS;
    if (held(r)) release(r, now);
    for (unsigned i = 0; i < r->ports; i++) {
        line *l = &r->line[i];
        if (!l->busy && l->next.first <= now) begins(r, i);
        if (l->busy > 0) {
            uint64_t w = word_of(i, l->packet.output, l->number, l->offset);
            memcpy(r->line_word + 8 * i, &w, 8);
            valid |= 1ull << i;
            first |= (uint64_t)(l->offset == 0) << i;
            if (!held(r)) r->inside++;
        }
        if (l->busy && ++l->offset == l->packet.words) l->busy = 0;
    }
    sim_port_set(&r->line_valid, valid);
    sim_port_set(&r->line_first, first);
    if (in_window(r, r->clock)) pm_statistics_backlog(r->statistics, r->clock, (double)r->inside);
    /* the end: what came in the window has left, or does not */
    if (r->clock >= r->end && (!r->waiting || r->clock >= r->end + (r->end - r->window))) sim_stop(r->s);
}

static void progress(void *self, FILE *f)
{
    run *r = self;
    fprintf(f, "%lu of %lu clocks", r->clock, r->end);
}

/* ---- a run ---- */

/* A port; of one that this architecture does not have, zeros. */
static sim_port pin(sim_model *m, const char *name)
{
    static uint64_t none[2];
    size_t count;
    const sim_port *ports = sim_model_ports(m, &count);
    for (size_t k = 0; k < count; k++)
        if (!strcmp(ports[k].name, name)) return ports[k];
    return (sim_port){.name = name, .bits = 64, .output = 1, .at = none};
}

static void connect(run *r, sim_model *m)
{
    static const char *const error_pins[ERRORS] = {"error_line", "error_credit", "error_notice", "error_words", "error_egress"};
    static const char *const event_pins[EVENTS] = {"event_pair", "event_cancel", "event_refused", "event_lone"};
    r->rst = pin(m, "rst").at;
    r->line_valid = pin(m, "line_valid");
    r->line_first = pin(m, "line_first");
    r->line_output = pin(m, "line_output");
    r->line_words = pin(m, "line_words");
    r->line_word = pin(m, "line_word").at;
    r->line_full = pin(m, "line_full");
    r->line_release = pin(m, "line_release");
    r->release_output = pin(m, "release_output");
    *(uint8_t *)pin(m, "line_held").at = (uint8_t)held(r);
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
    for (unsigned k = 0; k < ERRORS; k++) r->error[k] = pin(m, error_pins[k]);
    for (unsigned k = 0; k < EVENTS; k++) r->event[k] = pin(m, event_pins[k]);
}

static void results(run *r)
{
    r->r->clocks = r->clock;
    for (unsigned o = 0; o < r->ports; o++) {
        unsigned most = (unsigned)sim_port_field(&r->egress_most, 16 * o, 16);
        if (most > r->r->most_reassembly) r->r->most_reassembly = most;
    }
    pm_statistics_results(r->statistics, &r->p->traffic, r->waiting > 0, r->r);
}

/* Of the window. */
static uint64_t first_clock(const pm_run_params *p)
{
    return RESET_CLOCKS + p->warmup + (p->traffic.process == PM_INSTANT ? LEAD : 0);
}

pm_result pm_run(const pm_run_params *params)
{
    static char error[400];
    pm_result out = {0};
    run *r = calloc(1, sizeof *r);
    double started = sim_wall();
    if (r) r->statistics = pm_statistics_new(params->traffic.pattern.nodes, first_clock(params), first_clock(params) + params->clocks);
    if (!r || !r->statistics) {
        free(r);
        out.error = "memory is exhausted";
        return out;
    }
    sim_params sp;
    sim_params_default(&sp);
    sp.seed = params->traffic.pattern.seed;
    sp.watchdog = 0;
    sp.quiet = params->quiet;
    sp.waves = params->waves;
    if (params->waves) sp.waves_to = params->wave_clocks * 3200;
    sim *s = sim_new(&sp);
    sim_model *m = s ? params->model->make(s, "switch") : NULL;
    sim_clock *clock = s ? sim_clock_new(s, &(sim_clock_params){.name = "clk", .period = 3200, .phase = 0}) : NULL;
    r->p = params;
    r->r = &out;
    r->s = s;
    r->ports = params->traffic.pattern.nodes;
    r->port_bits = r->ports > 8 ? 4 : r->ports > 4 ? 3 : r->ports > 2 ? 2 : 1;
    r->cells = !strcmp(params->model->module, "pm_iq");
    r->fixed = r->cells ? FIXED_IQ : FIXED_AROUND + (uint64_t)sim_config_parameter(params->model, "FORWARD_CLOCKS", 30);
    r->window = first_clock(params);
    r->end = r->window + params->clocks;
    if (m && clock) {
        connect(r, m);
        for (unsigned i = 0; i < r->ports; i++) {
            pm_stream_start(&r->arrivals.stream[i], &params->traffic, i);
            r->line[i].next = pm_stream_next(&r->arrivals.stream[i]);
            pm_stream_start(&r->releases.stream[i], &params->traffic, i);
            r->line[i].held = pm_stream_next(&r->releases.stream[i]);
            r->line[i].leaving = -1;
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
    sim_free(s);
    for (unsigned i = 0; i < PM_PORTS; i++)
        for (unsigned o = 0; o < PM_PORTS; o++) free(r->flow[i][o].ring);
    pm_statistics_free(r->statistics);
    free(r);
    out.wall = sim_wall() - started;
    return out;
}
