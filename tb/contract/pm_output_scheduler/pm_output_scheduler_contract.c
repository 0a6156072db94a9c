/* A column around the candidate: units come into crosspoints and leave, two clocks behind their choice; in DPM packets
 * in up to three parts, for some of which the lock of their input is asked for. */
#include "pm_output_scheduler_contract.h"

#include <string.h>

#include "slot_pm_output_ppm16.h"

enum { LONGEST = 1024 }; /* words of a packet */

#define CHECK(...) CONTRACT_CHECK(output_bench, __VA_ARGS__)

typedef struct output_bench {
    turn_bench t;
    const slot_pm_output_ppm16_ports *p;
    unsigned slack;
    uint64_t clock;
    /* per flow: units that wait (DPM: whole packets), when each of them came, the first one first; an incomplete packet
     */
    unsigned waiting[TURN_FLOWS];
    uint64_t came[TURN_FLOWS][4];
    uint32_t partial, lock_free;
    /* chosen in the clock before */
    bool pending, pending_partial, pending_stays;
    unsigned pending_flow;
    uint32_t pending_could;
    int pending_slack; /* clocks that its notice may wait; -1: it does not pair */
    /* the departing unit */
    unsigned left, parts, flow; /* words of the unit or part that are left, this clock's counted; parts behind it */
    bool first, packet, full, ends, ends_in_packet, locked, stayed, mode, in_mode;
    int notice_slack;
    /* how it is driven */
    unsigned longest, busy,
        lone;       /* words of a unit at most; a unit arrives in one of this many clocks; of flows below lone only */
    unsigned eager; /* this flow's next unit always comes in time for a look back; TURN_FLOWS: none's */
    unsigned shy, waits; /* DPM: this flow has arrived in part, its lock is free only while nothing is chosen for long;
                            clocks so far */
    unsigned part_passed[TURN_FLOWS]; /* DPM: words of others since a flow has arrived in part */
} output_bench;

static uint32_t waiting_flows(const output_bench *b)
{
    uint32_t m = 0;
    for (unsigned f = 0; f < b->t.flows; f++) m |= (uint32_t)(b->waiting[f] != 0) << f;
    return m;
}

/* The first word of a unit leaves: kind of the unit. */
static void serve(output_bench *b)
{
    b->left = b->flow == b->eager || turn_below(b, 3) ? b->longest : 1 + turn_below(b, b->longest);
    b->full = b->left == SEGMENT;
    /* a unit that is not full is the last waiting one, so packets end with it */
    b->ends = !b->full || turn_below(b, 2);
    b->ends_in_packet = b->full && (b->flow == b->eager || !b->ends || turn_below(b, 3));
    b->first = true;
}

static uint64_t step(void *bench)
{
    output_bench *b = bench;
    if (b->t.c.rule) return 0;
    bool dpm = b->t.mode == DETERMINISTIC, ppm = b->t.mode == PROBABILISTIC;
    uint32_t arrived = 0, before = waiting_flows(b);
    b->clock++;
    /* arrivals; those requested by packet mode come in time, mostly */
    for (unsigned f = 0; f < b->t.flows; f++) {
        bool wanted = b->in_mode && f == b->flow && b->left <= 2 && !b->waiting[f] && turn_below(b, 16);
        if (dpm && f == b->shy) {
            if (!(b->pending && b->pending_flow == f) && !(b->left && b->flow == f)) b->partial |= 1u << f;
            continue;
        }
        if (f == b->eager) {
            wanted = b->flow == f ? b->left == 2 && b->ends_in_packet : !(b->pending && b->pending_flow == f);
            if (!wanted || b->waiting[f]) continue;
        }
        if (!wanted && (f >= b->lone || b->waiting[f] > 3 || turn_below(b, b->busy))) continue;
        if (dpm && turn_below(b, 2)) {
            if (!b->waiting[f] && !(b->pending && b->pending_flow == f) && !(b->left && b->flow == f))
                b->partial |= 1u << f;
            continue;
        }
        if (dpm && b->partial >> f & 1) b->partial &= ~(1u << f);
        arrived |= 1u << f;
        b->came[f][b->waiting[f]++] = b->clock;
    }
    if (dpm && turn_below(b, 8) == 0) b->lock_free = turn_some(b);
    uint32_t waiting = waiting_flows(b), arriving = arrived & ~before, partial = b->partial & ~waiting;
    bool served = b->left && b->first, granted = b->pending && (!b->pending_partial || turn_below(b, 4));
    bool refused = b->pending && !granted;
    bool choose = (!b->pending || refused) && (!b->left || (b->left <= 2 && !b->parts));
    if (dpm && b->shy < b->t.flows) {
        b->lock_free &= ~(1u << b->shy);
        if (choose && b->waits > 8) b->lock_free |= 1u << b->shy;
    }
    bool continues = b->left && b->ends_in_packet && (b->left == 1 || !b->first);
    unsigned late = turn_below(b, 3) ? 0 : turn_below(b, 16);
    sim_port_set(&b->p->waiting, waiting);
    sim_port_set(&b->p->arriving, arriving);
    sim_port_set(&b->p->partial, dpm ? partial : turn_some(b) & ~waiting);
    sim_port_set(&b->p->lock_free, dpm ? b->lock_free : turn_some(b));
    sim_port_set(&b->p->choose, choose);
    sim_port_set(&b->p->continues, choose && !dpm ? continues : turn_below(b, 2));
    sim_port_set(&b->p->served, served);
    sim_port_set(&b->p->served_words, served ? b->left : turn_below(b, 1024));
    sim_port_set(&b->p->served_full, served && !dpm ? b->full : turn_below(b, 2));
    sim_port_set(&b->p->served_ends, served && !dpm ? b->ends : turn_below(b, 2));
    sim_port_set(&b->p->served_whole, turn_below(b, 2));
    sim_port_set(&b->p->served_late, late);
    sim_port_set(&b->p->served_locked, dpm && served ? b->locked : turn_below(b, 2));
    sim_port_set(&b->p->served_packet, dpm && served ? b->packet : turn_below(b, 2));
    sim_model_eval(b->t.c.model);

    /* outputs with the first word */
    bool notice = sim_port_get(&b->p->notice), urgent = sim_port_get(&b->p->urgent), mode = sim_port_get(&b->p->mode);
    bool must = dpm && served && b->locked && b->packet;
    bool goes_on = ppm && served && b->stayed && !b->ends;
    if (notice && ppm && !(served && !goes_on && b->full && !b->ends && b->notice_slack >= (int)late))
        contract_complain(b, PAIRS, "a notice with %s: it may wait for %d clocks, and would for %u",
                          !served    ? "no unit"
                          : !b->full ? "a unit that is not full"
                          : b->ends  ? "a unit in which its packet ends"
                          : goes_on  ? "a packet that is in packet mode"
                                     : "this unit",
                          b->notice_slack, late);
    if (!ppm && notice != must)
        contract_complain(b, TELLS, notice ? "a notice, and no lock was taken" : "no notice, though a lock was taken");
    if (served) b->in_mode = ppm && (goes_on || notice);
    bool hurry = served && (dpm ? b->locked : b->in_mode);
    if (urgent != hurry) contract_complain(b, TELLS, "urgent is %d, expected %d", urgent, hurry);
    if (b->left && mode != b->in_mode) contract_complain(b, SURE, "mode is %d, expected %d", mode, b->in_mode);

    /* the choice */
    bool chosen = sim_port_get(&b->p->chosen), asks = sim_port_get(&b->p->chosen_partial);
    unsigned flow = (unsigned)sim_port_get(&b->p->chosen_flow);
    uint32_t could = waiting | (dpm ? partial & b->lock_free : 0);
    bool stay = b->in_mode && continues && choose && !dpm;
    if (chosen && (!choose || flow >= b->t.flows || !((asks ? could & ~waiting : waiting) >> flow & 1)))
        contract_complain(b, AMONG, "chose flow %u%s: waiting 0x%x, partial 0x%x, choose is %d", flow,
                          asks ? " with its lock" : "", waiting, could & ~waiting, choose);
    if (chosen && stay && flow != b->flow)
        contract_complain(b, STAYS, "chose flow %u in packet mode with flow %u", flow, b->flow);
    /* DPM: it may wait for a lock, for a flow that a longest packet of each other one has passed */
    bool waits = false;
    for (unsigned f = 0; dpm && f < b->t.flows; f++) {
        if (!(partial >> f & 1) || (served && b->packet && b->flow == f)) b->part_passed[f] = 0;
        else if (served) {
            b->part_passed[f] += b->left;
            contract_passed(b, "flow", (int)f, b->part_passed[f] / LONGEST,
                            (uint64_t)CONTRACT_PATIENCE * (b->t.flows - 1));
        }
        waits |= (partial & ~b->lock_free) >> f & 1 && b->part_passed[f] >= LONGEST * (b->t.flows - 1);
    }
    if (choose) b->waits = chosen ? 0 : b->waits + 1;
    if (choose && !chosen && !waits && (stay ? waiting >> b->flow & 1 : could))
        contract_complain(b, AT_ONCE, "no choice, could be 0x%x", could);
    contract_clocks(b, 1);
    sim_port_set(b->t.weight_write, 0);
    if (b->t.c.rule) return 0;

    /* departure in the next clock */
    if (b->left) b->first = false;
    if (b->left && --b->left == 0 && b->parts) {
        b->parts--;
        serve(b);
        b->packet = false;
    }
    if (granted) {
        b->flow = b->pending_flow;
        b->stayed = b->pending_stays;
        b->notice_slack = b->pending_slack;
        b->locked = b->pending_partial;
        serve(b);
        b->packet = true;
        b->parts = dpm ? (b->locked ? 1 + turn_below(b, 2) : turn_below(b, 2)) : 0;
        if (b->locked) {
            b->partial &= ~(1u << b->flow);
            turn_passes(b, b->flow, b->longest, b->pending_could);
        }
    }
    b->pending = chosen;
    if (chosen) {
        b->pending_flow = flow;
        b->pending_partial = asks;
        b->pending_stays = stay;
        b->pending_slack = (int)b->slack - (int)(b->clock - b->came[flow][0]);
        if (!asks) memmove(b->came[flow], b->came[flow] + 1, --b->waiting[flow] * sizeof b->came[flow][0]);
        b->pending_could = could;
        /* a choice that the lock may refuse is no turn yet; longest units, for the word counts are drawn later */
        if (!stay && !asks) turn_passes(b, flow, b->longest, could);
    }
    return (uint64_t)chosen << 8 | (chosen ? flow : 0) | (uint64_t)notice << 9 | (uint64_t)urgent << 10;
}

static void reset(void *bench)
{
    output_bench *b = bench;
    sim_port_set(&b->p->waiting, 0);
    sim_port_set(&b->p->arriving, 0);
    sim_port_set(&b->p->partial, 0);
    sim_port_set(&b->p->choose, 0);
    sim_port_set(&b->p->served, 0);
    turn_reset(b);
    memset(b->waiting, 0, sizeof b->waiting);
    memset(b->part_passed, 0, sizeof b->part_passed);
    b->eager = b->shy = TURN_FLOWS;
    b->waits = 0;
    b->partial = b->left = b->parts = b->flow = 0;
    b->pending = b->in_mode = b->stayed = false;
    b->lock_free = turn_all(&b->t);
    b->longest = SEGMENT;
    b->busy = 60;
    b->lone = b->t.flows;
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    output_bench *b = turn_bench_new(sizeof *b, config, fault);
    b->p = PORTS_AS(slot_pm_output_ppm16, b->t.c.model);
    b->slack = (unsigned)sim_config_parameter(config, "SLACK", 1);
    reset(b);
    return b;
}

/* ---- the checks ---- */

static void run(output_bench *b, unsigned clocks)
{
    while (clocks-- && !b->t.c.rule) step(b);
}

CHECK(it_chooses_what_waits_at_once)
{
    b->longest = 2;
    b->busy = 4 * b->t.flows;
    run(b, 4000);
}

/* Few flows, so that units are read while they come. */
CHECK(packet_mode_is_kept_and_reported)
{
    b->lone = 2;
    for (unsigned n = 0; n < 30 && !b->t.c.rule; n++) {
        b->busy = 10 + turn_below(b, 300);
        run(b, 1000);
    }
}

/* One flow has something all the time, others do or come and go. */
static void siege(output_bench *b, unsigned flow, unsigned turns)
{
    for (uint64_t end = b->t.c.turns + turns, n = 0; b->t.c.turns < end && n < 200ull * turns && !b->t.c.rule; n++) {
        if (!b->waiting[flow]) b->came[flow][b->waiting[flow]++] = 0;
        if (b->t.mode == DETERMINISTIC) b->partial &= ~(1u << flow);
        b->busy = flow % 2 ? 4 : 300;
        step(b);
    }
    b->busy = 60;
}

CHECK(nobody_starves)
{
    b->longest = 4;
    for (unsigned f = 0; f < b->t.flows; f += 1 + b->t.flows / 3)
        siege(b, f, CONTRACT_PATIENCE * SEGMENT / 4 * b->t.flows + 100);
}

/* All others wait while PPM's output finds the next unit of flow 1 just coming each time when it looks back; while the
 * lock of DPM's flow 1 is never free when the output looks. */
static void lure(output_bench *b, unsigned clocks)
{
    b->eager = b->shy = 1;
    for (; clocks && !b->t.c.rule; clocks--) {
        for (unsigned f = 0; f < b->t.flows; f++)
            if (f != b->shy && !b->waiting[f]) b->came[f][b->waiting[f]++] = 0;
        b->partial &= 1u << b->shy;
        step(b);
    }
    b->eager = b->shy = TURN_FLOWS;
}

CHECK(a_flow_is_not_passed_for_ever)
{
    if (b->t.mode == PROBABILISTIC) lure(b, 3 * SEGMENT * CONTRACT_PATIENCE * b->t.flows);
    else if (b->t.mode == DETERMINISTIC) lure(b, 2 * LONGEST * CONTRACT_PATIENCE * b->t.flows);
}

CHECK(reset_begins_anew)
{
    for (unsigned n = 0; n < 8 && !b->t.c.rule; n++) {
        turn_sequence(b, step, reset);
        for (unsigned k = turn_below(b, 8); k; k--) {
            turn_weight(b, turn_below(b, b->t.flows), 1 + turn_below(b, 20));
            step(b);
        }
        run(b, turn_below(b, 3000));
    }
}

/* ---- the long run ---- */

static void part(void *bench)
{
    output_bench *b = bench;
    unsigned heaviest = turn_below(b, 2) ? 1 : 8;
    for (unsigned f = 0; f < b->t.flows; f++) {
        turn_weight(b, f, 1 + turn_below(b, heaviest));
        step(b);
    }
    b->lone = turn_below(b, 2) ? 2 : b->t.flows;
    b->longest = turn_below(b, 2) ? SEGMENT : 2;
    b->busy = 10 + turn_below(b, 300);
    run(b, 2000);
    b->lone = b->t.flows;
    siege(b, turn_below(b, b->t.flows), CONTRACT_PATIENCE * b->t.flows);
    if (b->t.mode == PROBABILISTIC && turn_below(b, 8) == 0) lure(b, 3 * SEGMENT * CONTRACT_PATIENCE * b->t.flows);
}

static void part_of_resets(void *bench) { turn_sequence(bench, step, reset); }

static void all_ask(void *bench, unsigned each)
{
    output_bench *b = bench;
    reset(b);
    b->longest = 1;
    contract_all_ask(b, b->t.flows < CONTRACT_MOST ? b->t.flows : CONTRACT_MOST);
    for (uint64_t end = b->t.c.turns + each * b->t.flows; b->t.c.turns < end && !b->t.c.rule;) {
        for (unsigned f = 0; f < b->t.flows; f++) b->waiting[f] = 3;
        b->partial = 0;
        b->busy = 1000000;
        step(b);
    }
}

static const char *const rules[OUTPUT_RULES] = {
    [AMONG] = "only a flow that waits is chosen, a part of a packet only with a free lock, and only when asked for",
    [AT_ONCE] = "a choice comes in the clock in which it is possible",
    [STAYS] = "in packet mode the output stays with the flow until the packet has left",
    [PAIRS] =
        "packet mode begins with a full unit inside a packet that came just now, and with a notice that is in time",
    [TELLS] = "notice and urgent are those of the packet mode",
    [SURE] = "mode is high as long as the rest of the packet follows",
};

const contract_slot pm_output_scheduler_slot = {"rtl/packet_mode/contracts.md",
                                                "units",
                                                rules,
                                                OUTPUT_RULES,
                                                bench_new,
                                                part,
                                                part_of_resets,
                                                all_ask,
                                                .may_refuse = true};
