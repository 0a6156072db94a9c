#include "pm_run.h"

#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum {
    ERRORS = 6,
    EVENTS = 4,
    RESET_CLOCKS = 4,
    FIXED_AROUND = 7 /* clocks of an idle VPS beside the forward cable */,
    FIXED_IQ = 10,
    STAIRCASE = 4,   /* packets of each flow that are there when the staircase begins */
    STAIRS = 131080, /* ... in this clock, the first of a cell; */
    STEPS = STAIRS + 1000,
    LOOKS = 1024,  /* clocks from one look at what waits to the next */
    HANGS = 20000, /* ... in which some word leaves while any waits */
    TURNS = 32,    /* of each other one pass somebody who could have had his: tb/contract/README.md */
    LEAD = 131072  /* clocks from which on whole packets are brought to the cards before their instants; half of a card's memory */
};

/* What a flow is one of, beside its input and output: the sum of these. */
enum { HIGH = 1, SET = 2, CLASSES = 4 };

/* A packet on its way to an output. */
typedef struct packet {
    uint64_t first, link, column;
    uint32_t words;
    uint32_t number; /* in its payload: within its flow, or of all of its input that name sets */
    int64_t ideal;   /* clocks that it waits in the ideal switch; -1: not known yet */
} packet;

/* Packets of a flow from the oldest that has not left on; a ring. */
typedef struct flow {
    packet *ring;
    uint32_t size, put, brought, counted, leave, offset; /* packets; words of the one that leaves */
    uint64_t moved;                                      /* when a word left last, or the first one of those that wait came */
} flow;

/* A packet, or copy of one, on the line in. */
typedef struct sending {
    pm_packet packet;
    uint32_t number;
    int left_out; /* only its time is taken */
} sending;

typedef struct line {
    pm_packet next; /* that comes in */
    pm_packet held; /* the next one that counts, of arrivals of whole packets */
    sending *queue; /* what the line has to send, a ring: one packet, or copies that wait */
    uint32_t size, put, take, offset;
    uint32_t sets[PM_PRIORITIES]; /* packets that named sets */
    int leaving[PM_PRIORITIES];   /* input whose packet goes out, -1: none */
} line;

typedef struct run {
    const pm_run_params *p;
    pm_result *r;
    sim *s;
    unsigned ports, port_bits;
    int cells;                 /* the bufferless one */
    unsigned priorities, sets; /* the switch has two priorities; takes sets of outputs */
    int mixes;                 /* on a line out packets of high priority come between words of others */
    uint64_t clock, fixed;
    uint64_t moved, patience; /* when a word left last; clocks that a flow may wait for its next one, 0: not looked at */
    int stuck;                /* nothing more can be learned: a card's memory is full, or what came in the window does not leave */
    int64_t inside, memory;   /* words in the switch; a card holds so many */
    uint64_t waiting, waiting_of[PM_PRIORITIES];      /* packets of the window on their way */
    uint64_t first, last, input, priority, multicast; /* pins of the lines out in this clock */
    uint64_t midway;                                  /* lines out that are within a packet */
    int counting;                                     /* this clock is in the window */
    /* pins */
    uint8_t *rst, *line_held;
    sim_port line_valid, line_first, line_output, line_words, out_valid, out_first, out_last, out_input, link_valid, column_valid;
    sim_port line_priority, line_set, line_multicast, out_priority, out_multicast; /* where the switch has them */
    sim_port weight_write, weight_input, weight_output, weight;
    sim_port error[ERRORS], event[EVENTS], egress_most, line_full;
    uint8_t *line_word, *out_word, *link_word, *column_word;
    sim_port line_release, release_output;
    pm_arrivals arrivals, releases; /* whole packets: as they are brought to the cards, and as they count, LEAD clocks later */
    pm_ideal ideal;
    line line[PM_PORTS];
    flow flow[CLASSES][PM_PORTS][PM_PORTS];
    pm_statistics *statistics, *of[PM_PRIORITIES]; /* of all packets; of each priority, if that is asked for */
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

/* NULL: no packet of this number is on its way. Numbers of a flow grow. */
static packet *find(const flow *f, uint32_t number)
{
    uint32_t low = 0, high = f->counted - f->leave;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at(f, f->leave + middle)->number < number) low = middle + 1;
        else high = middle;
    }
    return low < f->counted - f->leave && at(f, f->leave + low)->number == number ? at(f, f->leave + low) : NULL;
}

/* ---- words ---- */

/* The payload: input, class and output (0 with a set), number, offset. */
static uint64_t word_of(unsigned input, unsigned class, unsigned output, uint32_t number, unsigned offset)
{
    return (uint64_t)input << 56 | (uint64_t)(class << 4 | (class & SET ? 0 : output)) << 48 | (uint64_t)number << 16 | offset;
}

static unsigned class_of(const pm_packet *p)
{
    return (p->priority ? HIGH : 0) + (p->set ? SET : 0);
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
    return r->p->traffic.process == PM_INSTANT || (r->p->traffic.process == PM_STAIRCASE && r->clock < STEPS);
}

/* ---- what comes out ---- */

static int in_window(const run *r, uint64_t clock)
{
    return pm_statistics_in_window(r->statistics, clock);
}

static void leaves(run *r, unsigned i, unsigned o, unsigned class, const packet *p)
{
    pm_left left = {.input = i,
                    .output = o,
                    .words = p->words,
                    .first = p->first,
                    .delay = (double)(int64_t)(r->clock - p->first - r->fixed),
                    .ideal = (double)p->ideal,
                    .voq = (double)(p->link - p->first) - (r->cells ? FIXED_IQ - 1 : 3)};
    if (!in_window(r, p->first)) return;
    if (left.delay < 0) {
        sim_fail(r->s, "clock %lu: a packet from %u to %u was faster than through an idle switch", r->clock, i, o);
        return;
    }
    r->waiting--;
    r->waiting_of[class & HIGH]--;
    if (!r->cells) left.crosspoint = (double)(p->column - p->link) - (double)(r->fixed - 5);
    if (!r->cells) left.reassembly = (double)(r->clock - p->column) - 2;
    pm_statistics_packet(r->statistics, &left);
    if (r->of[class & HIGH]) pm_statistics_packet(r->of[class & HIGH], &left);
}

static void take_word(run *r, unsigned o)
{
    uint64_t w = word_at(r->out_word, o);
    unsigned i = (unsigned)(w >> 56), class = w >> 52 & 0xf, offset = w & 0xffff;
    line *l = &r->line[o];
    int *leaving = &l->leaving[class & HIGH];
    flow *f;
    packet *p;
    if (i >= r->ports || class >= CLASSES || (w >> 48 & 0xf) != (class & SET ? 0 : o) ||
        (r->input >> r->port_bits * o & ((1u << r->port_bits) - 1)) != i) {
        sim_fail(r->s, "clock %lu: output %u: the word %016lx is not of this output, or not of the input it is said to be", r->clock, o, w);
        return;
    }
    if ((r->priorities > 1 && (r->priority >> o & 1) != (class & HIGH)) || (r->sets && (r->multicast >> o & 1) != class / SET)) {
        sim_fail(r->s, "clock %lu: output %u: the word %016lx is not of the priority or kind that it is said to be", r->clock, o, w);
        return;
    }
    f = &r->flow[class][i][o];
    p = f->leave == f->counted ? NULL : at(f, f->leave);
    if (!p || word_of(i, class, o, p->number, f->offset) != w) {
        sim_fail(r->s, "clock %lu: output %u: packet %u, word %u from %u, expected packet %u, word %u", r->clock, o, (uint32_t)(w >> 16),
                 offset, i, p ? p->number : f->leave, f->offset);
        return;
    }
    if ((offset == 0) != (int)(r->first >> o & 1) || (offset == 0 ? *leaving != -1 : *leaving != (int)i)) {
        sim_fail(r->s, "clock %lu: output %u: packets from %u and %d are mixed on the line", r->clock, o, i, *leaving);
        return;
    }
    if (class & HIGH ? !r->mixes && l->leaving[0] >= 0 : l->leaving[HIGH] >= 0) {
        sim_fail(r->s, "clock %lu: output %u: a word of %s priority within a packet of %s", r->clock, o, class & HIGH ? "high" : "low",
                 class & HIGH ? "low" : "high");
        return;
    }
    if (offset == 0) leaves(r, i, o, class, p);
    *leaving = (int)i;
    r->midway |= 1ull << o;
    f->offset++;
    f->moved = r->moved = r->clock;
    r->inside--;
    if (r->counting) {
        pm_statistics_word(r->statistics, i, o);
        if (r->of[class & HIGH]) pm_statistics_word(r->of[class & HIGH], i, o);
    }
    if ((f->offset == p->words) != (int)(r->last >> o & 1)) {
        sim_fail(r->s, "clock %lu: output %u: word %u of %u of packet %u from %u is %smarked as the last", r->clock, o, f->offset, p->words,
                 p->number, i, f->offset == p->words ? "not " : "");
        return;
    }
    if (f->offset == p->words) {
        if (r->p->seen) r->p->seen(r->p->self, i, o, f->leave, r->clock + 1 - p->words, r->clock);
        *leaving = -1;
        if (l->leaving[0] + l->leaving[HIGH] == -2) r->midway &= ~(1ull << o);
        f->offset = 0;
        f->leave++;
        sim_progress(r->s);
    }
}

/* First words on the links within the switch, for the parts of the delay. A packet that names a set is on the link for all of them, with
 * SPLIT when it is sent first. */
static void pass(run *r, const uint8_t *words, uint64_t valid, int column)
{
    for (; valid; valid &= valid - 1) {
        unsigned port = (unsigned)__builtin_ctzll(valid);
        uint64_t w = word_at(words, port);
        unsigned i = (unsigned)(w >> 56), class = w >> 52 & 0xf, o = w >> 48 & 0xf, to = o;
        packet *p;
        if (w & 0xffff || i >= r->ports || class >= CLASSES || o >= r->ports) continue; /* will be told at the line */
        if (class & SET) o = column ? port : 0, to = column ? port : r->ports - 1;
        for (; o <= to; o++) {
            if (!(p = find(&r->flow[class][i][o], (uint32_t)(w >> 16)))) continue;
            if (column) p->column = r->clock;
            else if (!p->link) p->link = r->clock;
        }
    }
}

static const struct {
    const char *words, *rule;
} errors[ERRORS] = {
    {"input %u: a packet was refused (VOQ memory), or is not whole", "a line card takes what comes, and forgets nothing"},
    {"input %u: more credit than the crosspoint has room", "credit comes back once for each word that was sent"},
    {"input %u: a notice that the input scheduler does not expect", "an input is told of a packet once, and in time (S3 III-B, IV-A)"},
    {"input %u: two outputs hold its lock", "a lock has one holder"},
    {"output %u: a crosspoint ran over or empty", "a unit is sent with credit for all of it, and read when it is there"},
    {"output %u: the egress card ran over, or a packet on the line has a gap", "a packet that has begun on a line goes on without a gap"},
};

/* What waits must move: some word, and of each flow the next one within what the schedulers of both ends may let pass. */
static void look_at_waiting(run *r)
{
    if (r->inside <= 0) r->moved = r->clock;
    if (r->clock - r->moved > HANGS) {
        r->r->rule = "while words wait, some word leaves";
        sim_fail(r->s, "clock %lu: nothing has left since clock %lu, and %ld words wait", r->clock, r->moved, r->inside);
        return;
    }
    if (!r->patience) return;
    for (unsigned kind = 0; kind < CLASSES; kind++) {
        if (r->p->traffic.high_load > 0 && !(kind & HIGH)) continue; /* may wait for ever */
        for (unsigned i = 0; i < r->ports; i++)
            for (unsigned o = 0; o < r->ports; o++) {
                const flow *f = &r->flow[kind][i][o];
                if (f->counted == f->leave || r->clock - f->moved <= r->patience) continue;
                r->r->rule = "nobody starves: of each other flow 32 turns pass it at most, at its input and at its output";
                sim_fail(r->s, "clock %lu: the flow from input %u to output %u starves: it waits since clock %lu, limit %lu", r->clock, i,
                         o, f->moved, r->patience);
                return;
            }
    }
}

/* A turn is a segment of 64 words, and the rest of a packet in packet mode; a packet where units are packets. A heavier flow has more.
 * Where a pair stays for whole packets (IQ) one that is always busy may starve others (S3 V). */
static uint64_t patience_of(const run *r)
{
    const sim_config *m = r->p->model;
    uint64_t turn = PM_UNIT, weight = 1;
    if (r->p->traffic.process == PM_STAIRCASE || (r->cells && (pm_traffic_full(&r->p->traffic) || r->p->traffic.load > 0.7))) return 0;
    if (r->cells || sim_config_parameter(m, "PACKET_MODE", 0) || sim_config_parameter(m, "UNIT_IS_PACKET", 0))
        turn += (uint64_t)sim_config_parameter(m, "MOST_WORDS", 1024);
    for (unsigned i = 0; r->p->weight && i < r->ports; i++)
        for (unsigned o = 0; o < r->ports; o++)
            if (r->p->weight[i][o] > weight) weight = r->p->weight[i][o];
    return 2 * TURNS * r->ports * (1 + r->sets) * turn * weight;
}

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
        if (k == 0 && !pm_traffic_full(&r->p->traffic) && r->inside >= r->memory) {
            r->stuck = 1;
            sim_stop(r->s);
            return;
        }
        snprintf(text, sizeof text, errors[k].words, (unsigned)__builtin_ctzll(bits));
        r->r->rule = errors[k].rule;
        sim_fail(r->s, "clock %lu: %s", r->clock, text);
        return;
    }
    r->counting = in_window(r, r->clock);
    if (r->counting) {
        r->r->pairs += (unsigned)__builtin_popcountll(sim_port_get(&r->event[0]));
        r->r->cancelled += (unsigned)__builtin_popcountll(sim_port_get(&r->event[1]));
        r->r->refused += (unsigned)__builtin_popcountll(sim_port_get(&r->event[2]));
        r->r->lone += (unsigned)__builtin_popcountll(sim_port_get(&r->event[3]));
    }
    if (r->clock % LOOKS == 0) look_at_waiting(r);
    pass(r, r->link_word, sim_port_get(&r->link_valid), 0);
    pass(r, r->column_word, sim_port_get(&r->column_valid), 1);
    r->first = sim_port_get(&r->out_first);
    r->last = sim_port_get(&r->out_last);
    r->input = sim_port_get(&r->out_input);
    r->priority = sim_port_get(&r->out_priority);
    r->multicast = sim_port_get(&r->out_multicast);
    valid = sim_port_get(&r->out_valid);
    if (r->midway & ~valid) {
        unsigned o = (unsigned)__builtin_ctzll(r->midway & ~valid);
        const int *leaving = r->line[o].leaving;
        sim_fail(r->s, "clock %lu: output %u: the line rests within a packet from %d", r->clock, o, leaving[leaving[0] < 0]);
        return;
    }
    for (; valid; valid &= valid - 1) take_word(r, (unsigned)__builtin_ctzll(valid));
}

/* ---- what goes in ---- */

/* A packet counts from now on for this output: it can be chosen from the next clock on. */
static void counts(run *r, flow *f, unsigned input, unsigned output, unsigned priority)
{
    if (f->counted == f->leave) f->moved = r->clock;
    packet *p = at(f, f->counted++);
    pm_packet arrived = {.first = r->clock + 1, .words = p->words};
    p->first = arrived.first;
    if (r->p->came) r->p->came(r->p->self, input, output, p->words, p->first);
    if (r->p->traffic.high_load == 0 || priority) p->ideal = (int64_t)pm_ideal_delay(&r->ideal, &arrived, output);
    else if (!pm_traffic_full(&r->p->traffic) && pm_ideal_low(&r->ideal, &arrived, output)) sim_fail(r->s, "memory is exhausted");
    if (!in_window(r, p->first)) return;
    r->waiting++;
    r->waiting_of[priority]++;
    if (p->words > PM_UNIT) r->r->packets_of_segments++;
}

/* The packet, or a copy, is for the line: it has to leave at these outputs. */
static void expect(run *r, unsigned i, sending *x)
{
    unsigned class = class_of(&x->packet);
    x->number = class & SET ? r->line[i].sets[x->packet.priority]++ : r->flow[class][i][x->packet.output].put;
    for (uint32_t rest = pm_packet_outputs(&x->packet); rest; rest &= rest - 1) {
        unsigned o = (unsigned)__builtin_ctz(rest);
        flow *f = &r->flow[class][i][o];
        packet *p = put(r, f);
        if (!p) return;
        *p = (packet){.words = x->packet.words, .number = x->number, .ideal = -1};
        if (!held(r)) counts(r, f, i, o, x->packet.priority);
    }
}

/* Behind what the line has to send. */
static sending *append(run *r, line *l)
{
    if (l->put - l->take == l->size) {
        uint32_t size = l->size ? 2 * l->size : 16;
        sending *queue = calloc(size, sizeof *queue);
        if (!queue) {
            sim_fail(r->s, "memory is exhausted: %u packets wait for a line", l->size);
            return NULL;
        }
        for (uint32_t k = l->take; k != l->put; k++) queue[k & (size - 1)] = l->queue[k & (l->size - 1)];
        free(l->queue);
        l->queue = queue;
        l->size = size;
    }
    return &l->queue[l->put++ & (l->size - 1)];
}

static pm_packet next_packet(run *r, unsigned i)
{
    return r->p->next ? r->p->next(r->p->self, i) : pm_stream_next(&r->arrivals.stream[i]);
}

static void set_weight(run *r, uint64_t number)
{
    unsigned i = (unsigned)number / r->ports, o = (unsigned)number % r->ports;
    sim_port_set(&r->weight_write, i < r->ports);
    if (i >= r->ports) return;
    sim_port_set(&r->weight_input, i);
    sim_port_set(&r->weight_output, o);
    sim_port_set(&r->weight, r->p->weight[i][o]);
}

/* S3 V: to the flow that has the fewest packets, its own output first; of the first packets each input's is longer by a step. */
static pm_packet stair(const run *r, unsigned i)
{
    const flow *f = r->flow[0][i];
    unsigned o = i, words = r->p->traffic.pattern.sizes.high;
    for (unsigned k = 1; k < r->ports; k++) {
        unsigned other = (i + k) % r->ports;
        if (f[other].put - f[other].leave < f[o].put - f[o].leave) o = other;
    }
    if (o == i && !f[i].put) words = words / r->ports / 8 * 8 * (i + 1);
    return (pm_packet){.words = words, .output = o};
}

/* The line is busy, or the staircase is built and the line waits until it is released. */
static int stair_waits(const run *r, unsigned i)
{
    unsigned put = 0;
    for (unsigned o = 0; o < r->ports && held(r); o++) put += r->flow[0][i][o].put;
    return put >= STAIRCASE * r->ports || r->line[i].take != r->line[i].put;
}

/* A packet comes: for the line, or its copies. */
static void comes(run *r, unsigned i)
{
    line *l = &r->line[i];
    pm_packet p = l->next;
    if (r->p->traffic.process == PM_STAIRCASE) p = stair(r, i);
    else l->next = next_packet(r, i);
    uint32_t copies = p.set && r->p->copies ? p.set : 1;
    for (; copies; copies &= copies - 1) {
        sending *x = append(r, l);
        if (!x) return;
        *x = (sending){.packet = p};
        if (p.set && r->p->copies) x->packet.set = 0, x->packet.output = (unsigned)__builtin_ctz(copies);
        /* saturated: a packet for a full VOQ is left out, and takes its time on the line */
        if (r->p->traffic.process == PM_SATURATED && !p.priority &&
            sim_port_field(&r->line_full, (r->ports + r->sets) * r->priorities * i + (p.set ? r->ports : p.output), 1)) {
            x->left_out = 1;
            if (in_window(r, r->clock + 1)) r->r->dropped++;
        } else expect(r, i, x);
    }
}

/* The word that input i sends in this clock. Returns whether it sends one. */
static int sends(run *r, unsigned i)
{
    line *l = &r->line[i];
    const sending *x = l->take != l->put ? &l->queue[l->take & (l->size - 1)] : NULL;
    uint64_t w;
    int sent = x && !x->left_out;
    if (!x) return 0;
    if (sent) {
        w = word_of(i, class_of(&x->packet), x->packet.output, x->number, l->offset);
        memcpy(r->line_word + 8 * i, &w, 8);
        if (!held(r)) r->inside += x->packet.set ? __builtin_popcount(x->packet.set) : 1;
    }
    if (sent && l->offset == 0) {
        sim_port_set_field(&r->line_output, r->port_bits * i, r->port_bits, x->packet.output);
        sim_port_set_field(&r->line_words, 13 * i, 13, x->packet.words);
        if (r->priorities > 1) sim_port_set_field(&r->line_priority, i, 1, x->packet.priority);
        if (r->sets) sim_port_set_field(&r->line_multicast, i, 1, x->packet.set != 0);
        if (r->sets) sim_port_set_field(&r->line_set, r->ports * i, r->ports, x->packet.set);
    }
    if (++l->offset == x->packet.words) {
        l->offset = 0;
        l->take++;
        if (held(r)) r->flow[0][i][x->packet.output].brought++;
    }
    return sent;
}

/* Packets that have been brought count at their instants. */
static void release_held(run *r, uint64_t now)
{
    uint64_t valid = 0;
    for (unsigned i = 0; i < r->ports; i++) {
        line *l = &r->line[i];
        flow *f = &r->flow[0][i][l->held.output];
        if (r->p->traffic.process == PM_STAIRCASE) {
            /* in the clocks from STAIRS on each input's own flow first, then the others in turn */
            if (r->clock < STAIRS || r->clock >= STAIRS + STAIRCASE * r->ports) continue;
            l->held = (pm_packet){.first = now - LEAD, .output = (i + (unsigned)(r->clock - STAIRS)) % r->ports};
            f = &r->flow[0][i][l->held.output];
            l->held.words = at(f, f->counted)->words;
        }
        if (l->held.first + LEAD != now) continue;
        if (f->counted == f->brought) {
            sim_fail(r->s, "clock %lu: input %u: the line cannot bring whole packets in time; a lower load can be simulated", r->clock, i);
            return;
        }
        valid |= 1ull << i;
        r->inside += l->held.words;
        sim_port_set_field(&r->release_output, r->port_bits * i, r->port_bits, l->held.output);
        counts(r, f, i, l->held.output, 0);
        if (r->p->traffic.process == PM_INSTANT) l->held = pm_stream_next(&r->releases.stream[i]);
    }
    sim_port_set(&r->line_release, valid);
}

/* Intervals are as narrow as they are asked for; with a backlog that seems to grow, none is. */
static int good_enough(const run *r)
{
    if (!r->p->of_high && pm_statistics_grows(r->statistics)) return 0;
    for (pm_measure m = 0; m < PM_MEASURES; m++) {
        batches_mean b = pm_statistics_mean(r->p->of_high ? r->of[1] : r->statistics, m, r->p->ideal);
        /* !(<=): NAN is not narrow */
        if (r->p->needed >> m & 1 && !(b.controlled_half_width <= r->p->half_width / 100 * b.controlled)) return 0;
    }
    return 1;
}

static int prolong(run *r)
{
    for (unsigned k = 0; k < PM_PRIORITIES; k++)
        if (r->of[k]) pm_statistics_prolong(r->of[k]);
    return pm_statistics_prolong(r->statistics);
}

/* The end of the window may be put off; then what came in it has left, or does not. */
static void ends(run *r)
{
    uint64_t end = pm_statistics_end(r->statistics), waiting = r->p->of_high ? r->waiting_of[1] : r->waiting;
    if (r->clock < end) return;
    if (r->clock == end && r->p->half_width > 0 && !good_enough(r) && !prolong(r)) return;
    r->stuck = r->clock >= end + r->p->clocks && waiting;
    if (!waiting || r->stuck) sim_stop(r->s);
}

static void drive(void *self)
{
    run *r = self;
    uint64_t now = r->clock, valid = 0, first = 0;
    if (now < RESET_CLOCKS) return;
    *r->rst = 0;
    now -= RESET_CLOCKS;
    if (r->p->weight && now <= r->ports * r->ports) set_weight(r, now);
    if (held(r)) release_held(r, now);
    *r->line_held = (uint8_t)held(r);
    for (unsigned i = 0; i < r->ports; i++) {
        line *l = &r->line[i];
        if (r->p->traffic.process == PM_STAIRCASE ? !stair_waits(r, i) : l->next.first <= now) comes(r, i);
        first |= (uint64_t)(l->offset == 0) << i;
        valid |= (uint64_t)sends(r, i) << i;
    }
    sim_port_set(&r->line_valid, valid);
    sim_port_set(&r->line_first, first & valid);
    if (in_window(r, r->clock)) pm_statistics_backlog(r->statistics, r->clock, (double)r->inside);
    ends(r);
}

/* A packet of low priority starts in the ideal switch. */
static void low_starts(void *self, uint64_t first, unsigned words, uint64_t delay)
{
    run *r = self;
    if (!in_window(r, first)) return;
    pm_statistics_ideal(r->statistics, first, words, (double)delay);
    if (r->of[0]) pm_statistics_ideal(r->of[0], first, words, (double)delay);
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
    static uint64_t none[2];
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
    static const char *const event_pins[EVENTS] = {"event_pair", "event_cancel", "event_refused", "event_lone"};
    r->rst = pin(m, "rst").at;
    r->weight_write = pin(m, "weight_write");
    r->weight_input = pin(m, "weight_input");
    r->weight_output = pin(m, "weight_output");
    r->weight = pin(m, "weight");
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
        unsigned most = (unsigned)sim_port_field(&r->egress_most, 17 * o, 17);
        if (most > r->r->most_reassembly) r->r->most_reassembly = most;
    }
    int full = pm_traffic_full(&r->p->traffic), of_high = r->p->of_high;
    pm_ideal_end(&r->ideal);
    r->r->unstable = !full && (r->stuck || pm_statistics_grows(r->statistics));
    pm_statistics_results(r->statistics, full || of_high ? NULL : r->p->ideal, r->r);
    for (int k = 0; k < PM_PRIORITIES; k++) {
        pm_result *of = &r->p->priority[k];
        pm_ideal_means ideal;
        int known = k == 1 || (!full && !of_high);
        if (!r->of[k]) continue;
        if (of_high && k == 1 && r->p->ideal) ideal = *r->p->ideal;
        else if (known && pm_ideal_long_run(&r->p->traffic, 50 * r->p->clocks, PM_UNIT, k, &ideal)) r->r->error = "memory is exhausted";
        of->unstable = known && (r->waiting_of[k] || pm_statistics_grows(r->of[k]));
        pm_statistics_results(r->of[k], known ? &ideal : NULL, of);
    }
}

/* Of the window. */
static uint64_t first_clock(const pm_run_params *p)
{
    return RESET_CLOCKS + p->warmup + (p->traffic.process == PM_INSTANT ? LEAD : p->traffic.process == PM_STAIRCASE ? STEPS : 0);
}

static pm_statistics *statistics_of(const pm_run_params *p)
{
    return pm_statistics_new(p->traffic.pattern.nodes, first_clock(p), p->clocks);
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
    for (unsigned k = 0; k < PM_PRIORITIES; k++) pm_statistics_free(r->of[k]);
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
        complete = (r->of[k] = statistics_of(params)) != NULL;
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
    r->fixed = r->cells ? FIXED_IQ : FIXED_AROUND + (uint64_t)sim_config_parameter(params->model, "FORWARD_CLOCKS", 30);
    r->priorities = (unsigned)sim_config_parameter(params->model, "PRIORITIES", 1);
    r->sets = (unsigned)sim_config_parameter(params->model, "MULTICAST", 0);
    r->mixes = (int)sim_config_parameter(params->model, "REASSEMBLY", 1);
    r->ideal.started = low_starts;
    r->ideal.self = r;
    r->patience = patience_of(r);
    r->memory = 64 * (int64_t)sim_config_parameter(params->model, "VOQ_BLOCKS", 4096);
    if (m && clock) {
        connect(r, m);
        for (unsigned i = 0; i < r->ports; i++) {
            pm_stream_start(&r->arrivals.stream[i], &params->traffic, i);
            r->line[i].next = next_packet(r, i);
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
    else if (!out.rule) /* what judges words names their clock */
        out.rule = !strncmp(error, "clock ", 6) ? "each word leaves once, in the order of its flow, on its line" : "the simulation goes on";
    out.clocks = r->clock;
    sim_free(s);
    release(r);
    out.wall = sim_wall() - started;
    return out;
}
