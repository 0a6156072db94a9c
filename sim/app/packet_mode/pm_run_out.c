/* Checks the words on the lines out of the switch. */
#include "sim/app/packet_mode/pm_run_private.h"

enum {
    LOOKS = 1024,  /* clocks between two checks of waiting flows */
    HANGS = 20000, /* ... in which some word leaves while any waits */
    TURNS = 32     /* grants to each other flow that may pass a flow with work: tb/contract/README.md */
};

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

static uint64_t word_at(const uint8_t *words, unsigned port)
{
    uint64_t w;
    memcpy(&w, words + 8 * port, 8);
    return w;
}

static void leaves(run *r, unsigned i, unsigned o, unsigned class, const packet *p)
{
    pm_left left = {.input = i,
                    .output = o,
                    .words = p->words,
                    .first = p->first,
                    .delay = (double)(int64_t)(r->clock - p->first - r->fixed),
                    .ideal = (double)p->ideal,
                    .voq = (double)(p->link - p->first) - (r->cells ? FIXED_IQ - 1 : 1 + r->scheduling)};
    int part = part_at(r, p->first);
    if (part < 0) return;
    if (left.delay < 0) {
        sim_fail(r->s, "clock %lu: a packet from %u to %u was faster than through an idle switch", r->clock, i, o);
        return;
    }
    r->waiting[part][class & HIGH]--;
    if (!r->cells) left.crosspoint = (double)(p->column - p->link) - (double)(r->fixed - 3 - r->scheduling);
    if (!r->cells) left.reassembly = (double)(r->clock - p->column) - 2;
    pm_statistics_packet(r->statistics, &left);
    if (r->of_priority[class & HIGH]) pm_statistics_packet(r->of_priority[class & HIGH], &left);
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
        sim_fail(r->s,
                 "clock %lu: output %u: the word %016lx is not of this output, or not of the input it is said to be",
                 r->clock, o, w);
        return;
    }
    if ((r->priorities > 1 && (r->priority >> o & 1) != (class & HIGH)) ||
        (r->sets && (r->multicast >> o & 1) != class / SET)) {
        sim_fail(r->s, "clock %lu: output %u: the word %016lx is not of the priority or kind that it is said to be",
                 r->clock, o, w);
        return;
    }
    f = &r->flow[class][i][o];
    p = f->leave == f->counted ? NULL : at(f, f->leave);
    if (!p || word_of(i, class, o, p->number, f->offset) != w) {
        sim_fail(r->s, "clock %lu: output %u: packet %u, word %u from %u, expected packet %u, word %u", r->clock, o,
                 (uint32_t)(w >> 16), offset, i, p ? p->number : f->leave, f->offset);
        return;
    }
    if ((offset == 0) != (int)(r->first >> o & 1) || (offset == 0 ? *leaving != -1 : *leaving != (int)i)) {
        sim_fail(r->s, "clock %lu: output %u: packets from %u and %d are mixed on the line", r->clock, o, i, *leaving);
        return;
    }
    if (class & HIGH ? !r->mixes && l->leaving[0] >= 0 : l->leaving[HIGH] >= 0) {
        sim_fail(r->s, "clock %lu: output %u: a word of %s priority within a packet of %s", r->clock, o,
                 class & HIGH ? "high" : "low", class & HIGH ? "low" : "high");
        return;
    }
    if (offset == 0) leaves(r, i, o, class, p);
    *leaving = (int)i;
    r->midway |= 1ull << o;
    f->offset++;
    f->moved = r->moved = r->clock;
    r->inside--;
    r->of[i]--;
    if (r->counting) {
        pm_statistics_word(r->statistics, r->clock, i, o);
        if (r->of_priority[class & HIGH]) pm_statistics_word(r->of_priority[class & HIGH], r->clock, i, o);
    }
    if ((f->offset == p->words) != (int)(r->last >> o & 1)) {
        sim_fail(r->s, "clock %lu: output %u: word %u of %u of packet %u from %u is %smarked as the last", r->clock, o,
                 f->offset, p->words, p->number, i, f->offset == p->words ? "not " : "");
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

/* Words on the links within the switch; the first ones for the parts of the delay. A packet that names a set is on the
 * link for all of them, with SPLIT when it is sent first. */
static void pass(run *r, const uint8_t *words, uint64_t valid, int column)
{
    for (; valid; valid &= valid - 1) {
        unsigned port = (unsigned)__builtin_ctzll(valid);
        uint64_t w = word_at(words, port);
        if (r->levels && column) r->in_crosspoint[place_of(w)]--;
        else if (r->levels) {
            r->in_voq[place_of(w)]--;
            if (r->levels == VOQS_AND_CROSSPOINTS) rises(&r->in_crosspoint[place_of(w)], 1, &r->r->most_crosspoint);
        }
        unsigned i = (unsigned)(w >> 56), class = w >> 52 & 0xf, o = w >> 48 & 0xf, to = o;
        packet *p;
        if (w & 0xffff || i >= r->ports || class >= CLASSES || o >= r->ports) continue; /* reported at the line */
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
    {"input %u: a packet was refused (VOQ memory), or is not whole", "a line card takes each packet, and loses none"},
    {"input %u: more credit than the crosspoint has room", "credit comes back once for each word that was sent"},
    {"input %u: a notice that the input scheduler does not expect",
     "an input gets one notice of a packet, in time (S3 III-B, IV-A)"},
    {"input %u: two outputs hold its lock", "a lock has one holder"},
    {"output %u: a crosspoint overflowed or underflowed",
     "a unit is sent with credit for all of it, and read when it has arrived"},
    {"output %u: the egress card ran over, a packet on the line has a gap, or the line rests though a whole one waits",
     "a line does not rest while a whole packet waits, or within one"},
};

/* Waiting words must move: any of them, and the next one of each flow within the grants to others that both schedulers
 * allow. */
static void look_at_waiting(run *r)
{
    if (r->inside <= 0) r->moved = r->clock;
    if (r->clock - r->moved > HANGS) {
        r->r->rule = "while words wait, some word leaves";
        sim_fail(r->s, "clock %lu: nothing has left since clock %lu, and %ld words wait", r->clock, r->moved,
                 r->inside);
        return;
    }
    if (!r->patience) return;
    for (unsigned kind = 0; kind < CLASSES; kind++) {
        if (r->p->traffic.high_load > 0 && !(kind & HIGH)) continue; /* may wait for ever */
        for (unsigned i = 0; i < r->ports; i++)
            for (unsigned o = 0; o < r->ports; o++) {
                const flow *f = &r->flow[kind][i][o];
                if (f->counted == f->leave || r->clock - f->moved <= r->patience) continue;
                r->r->rule =
                    "no flow starves: at most 32 grants to each other flow pass it, at its input and at its output";
                sim_fail(r->s,
                         "clock %lu: the flow from input %u to output %u starves: it waits since clock %lu, limit %lu",
                         r->clock, i, o, f->moved, r->patience);
                return;
            }
    }
}

/* A turn is a segment of 64 words, and the rest of a packet in packet mode; a packet where units are packets. A heavier
 * flow has more. Where a pair stays for whole packets (IQ) one that is always busy may starve others (S3 V). */
uint64_t pm_run_patience(const run *r)
{
    const sim_config *m = r->p->model;
    uint64_t turn = PM_UNIT, weight = 1;
    if (r->p->traffic.process == PM_STAIRCASE ||
        (r->cells && (pm_traffic_full(&r->p->traffic) || r->p->traffic.load > 0.7)))
        return 0;
    if (r->cells || sim_config_parameter(m, "PACKET_MODE", 0) || sim_config_parameter(m, "UNIT_IS_PACKET", 0))
        turn += (uint64_t)sim_config_parameter(m, "MOST_WORDS", 1024);
    for (unsigned i = 0; r->p->weight && i < r->ports; i++)
        for (unsigned o = 0; o < r->ports; o++)
            if (r->p->weight[i][o] > weight) weight = r->p->weight[i][o];
    return 2 * TURNS * r->ports * (1 + r->sets) * turn * weight;
}

void pm_run_out(run *r)
{
    uint64_t valid;
    for (unsigned k = 0; k < ERRORS; k++) {
        uint64_t bits = sim_port_get(&r->error[k]);
        char text[120];
        if (!bits) continue;
        if (k == 0 && !pm_traffic_full(&r->p->traffic) && r->of[__builtin_ctzll(bits)] >= r->memory) {
            r->stuck = 1;
            sim_stop(r->s);
            return;
        }
        snprintf(text, sizeof text, errors[k].words, (unsigned)__builtin_ctzll(bits));
        r->r->rule = errors[k].rule;
        sim_fail(r->s, "clock %lu: %s", r->clock, text);
        return;
    }
    r->counting = part_at(r, r->clock) >= 0;
    for (unsigned k = 0; k < EVENTS && r->counting; k++)
        if ((valid = sim_port_get(&r->event[k])))
            pm_statistics_count(r->statistics, r->clock, PM_PAIRS + k, (unsigned)__builtin_popcountll(valid));
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
        sim_fail(r->s, "clock %lu: output %u: the line rests within a packet from %d", r->clock, o,
                 leaving[leaving[0] < 0]);
        return;
    }
    for (; valid; valid &= valid - 1) take_word(r, (unsigned)__builtin_ctzll(valid));
}
