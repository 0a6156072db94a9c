/* An ingress card around the candidate: units of random lengths leave, packets end within them, outputs send the
 * notices of the packet mode that it is made for. */
#include "pm_input_scheduler_contract.h"

#include <string.h>

#include "slot_pm_input_ppm16.h"

#define CHECK(...) CONTRACT_CHECK(input_bench, __VA_ARGS__)

typedef struct input_bench {
    turn_bench t;
    const slot_pm_input_ppm16_ports *p;
    /* the unit in flight: words that are left, this clock's counted */
    unsigned left, words, flow;
    unsigned rest[TURN_FLOWS]; /* of each flow's packet */
    uint8_t id[TURN_FLOWS];    /* its number */
    /* packet mode, by the contract */
    bool stays, noticed, asked;
    unsigned asked_flow;
    uint8_t asked_id;
    /* how it is driven */
    unsigned longest, packets, noisy; /* words of units and packets at most; clocks between notices, 0: none */
    uint32_t eligible;
    int misplaced; /* in the next clock comes a notice that should not */
} input_bench;

static unsigned notice_flow(const input_bench *b) { return (unsigned)sim_port_get(&b->p->notice_flow); }

/* 1 if a notice may come in this clock; its flow and its packet. */
static bool send_notice(input_bench *b, bool packet_end)
{
    unsigned flow = b->t.mode == DETERMINISTIC ? turn_below(b, b->t.flows) : b->flow;
    bool may = b->t.mode == DETERMINISTIC ? !b->asked || (packet_end && b->flow == b->asked_flow)
                                          : b->t.mode == PROBABILISTIC && b->left && !b->noticed && !b->stays;
    bool sends = b->misplaced ? !may || b->misplaced == 2 : may && b->noisy && turn_below(b, b->noisy) == 0;
    sim_port_set(&b->p->notice, sends);
    if (b->misplaced == 2) flow = (b->flow + 1) % b->t.flows; /* of a flow that sends nothing */
    sim_port_set(&b->p->notice_flow, sends ? flow : turn_below(b, b->t.flows));
    sim_port_set(&b->p->notice_id, sends ? (uint8_t)(b->id[flow] - (turn_below(b, 4) == 0)) : turn_below(b, 256));
    return sends;
}

/* One clock; the observations in it. */
static uint64_t step(void *bench)
{
    input_bench *b = bench;
    if (b->t.c.rule) return 0;
    bool unit_start = b->left && b->left == b->words, unit_end = b->left == 1, choose = b->left <= 1;
    if (b->left && !b->rest[b->flow]) b->rest[b->flow] = 1 + turn_below(b, b->packets);
    bool packet_end = b->left && b->rest[b->flow] == 1;
    bool notice = send_notice(b, packet_end);
    unsigned wanted = b->flow, notice_id = (unsigned)sim_port_get(&b->p->notice_id);
    bool stay = false, error = notice;
    if (b->t.mode == PROBABILISTIC) {
        stay = (b->stays || (unit_end && (b->noticed || notice))) && !packet_end;
        error = notice && (b->noticed || !b->left || notice_flow(b) != b->flow || b->stays);
        if (notice && b->stays && !error) error = true;
    }
    if (b->t.mode == DETERMINISTIC) {
        error = notice && b->asked && !(packet_end && b->flow == b->asked_flow);
        if (notice) b->asked_flow = notice_flow(b), b->asked_id = (uint8_t)notice_id;
        wanted = b->asked_flow;
        uint8_t head = (uint8_t)(b->id[wanted] + (packet_end && b->flow == wanted));
        stay = (notice || b->asked) && head == b->asked_id;
    }
    sim_port_set(&b->p->eligible, b->eligible);
    sim_port_set(&b->p->choose, choose);
    sim_port_set(&b->p->flow, b->flow);
    sim_port_set(&b->p->unit_start, unit_start);
    sim_port_set(&b->p->unit_words, unit_start ? b->words : turn_below(b, 1024));
    sim_port_set(&b->p->unit_end, unit_end);
    sim_port_set(&b->p->packet_end, packet_end);
    sim_model_eval(b->t.c.model);
    bool chosen = sim_port_get(&b->p->chosen);
    unsigned flow = (unsigned)sim_port_get(&b->p->chosen_flow);
    /* a second notice in one unit is reported at its end, at the latest */
    if (b->misplaced || !error) {
        bool noticed = sim_port_get(&b->p->error);
        if (noticed != (notice && error))
            contract_complain(b, TELLS,
                              noticed ? "error, and no notice is out of place"
                                      : "a notice out of place of flow %u, and no error",
                              notice_flow(b));
    }
    if (chosen && (!choose || flow >= b->t.flows || !(b->eligible >> flow & 1)))
        contract_complain(b, AMONG, "chose flow %u: eligible 0x%x, choose is %d", flow, b->eligible, choose);
    if (!error && sim_port_get(&b->p->stay) != stay)
        contract_complain(b, STAYS, "stay is %d, packet mode with flow %u is %d", !stay, wanted, stay);
    if (chosen && stay && flow != wanted)
        contract_complain(b, STAYS, "chose flow %u in packet mode with flow %u", flow, wanted);
    if (choose && !chosen && (stay ? b->eligible >> wanted & 1 : b->eligible))
        contract_complain(b, AT_ONCE, "no choice, eligible 0x%x", b->eligible);
    contract_clocks(b, 1);
    sim_port_set(b->t.weight_write, 0);

    if (packet_end) b->id[b->flow]++;
    if (b->left) b->rest[b->flow]--;
    b->stays = stay;
    b->asked = stay;
    b->noticed = (b->noticed || notice) && !unit_end;
    if (b->left) b->left--;
    if (chosen && !b->t.c.rule) {
        b->left = b->words = 1 + turn_below(b, b->longest);
        b->flow = flow;
        if (!stay) turn_passes(b, flow, b->words, b->eligible);
        else memset(b->t.passed, 0, sizeof b->t.passed);
    }
    return (uint64_t)chosen << 8 | (chosen ? flow : 0);
}

static uint64_t random_step(void *bench)
{
    input_bench *b = bench;
    if (b->t.random_state) b->noisy = 0;
    if (turn_below(b, 4) == 0) b->eligible = turn_below(b, 3) ? turn_some(b) : turn_below(b, 2) ? turn_all(&b->t) : 0;
    return step(b);
}

static void reset(void *bench)
{
    input_bench *b = bench;
    sim_port_set(&b->p->notice, 0);
    sim_port_set(&b->p->eligible, 0);
    sim_port_set(&b->p->unit_start, 0);
    sim_port_set(&b->p->unit_end, 0);
    sim_port_set(&b->p->packet_end, 0);
    turn_reset(b);
    memset(b->rest, 0, sizeof b->rest);
    memset(b->id, 0, sizeof b->id);
    b->left = b->flow = b->eligible = 0;
    b->stays = b->noticed = b->asked = false;
    b->misplaced = 0;
    b->longest = SEGMENT;
    b->packets = 200;
    b->noisy = 40;
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    input_bench *b = turn_bench_new(sizeof *b, config, fault);
    b->p = PORTS_AS(slot_pm_input_ppm16, b->t.c.model);
    reset(b);
    return b;
}

/* ---- the checks ---- */

static void run(input_bench *b, unsigned clocks)
{
    while (clocks-- && !b->t.c.rule) random_step(b);
}

CHECK(it_chooses_what_is_eligible_at_once)
{
    b->longest = 3;
    b->noisy = 0;
    run(b, 3000);
}

CHECK(it_stays_as_long_as_packet_mode_lasts)
{
    b->noisy = 4;
    run(b, 10000);
    b->longest = 3;
    b->packets = 10;
    run(b, 3000);
}

/* All are eligible, or one and others that come and go; units are short and long. */
static void siege(input_bench *b, unsigned flow, unsigned turns)
{
    for (uint64_t end = b->t.c.turns + turns, n = 0; b->t.c.turns < end && n < 200ull * turns && !b->t.c.rule; n++) {
        b->eligible = (flow % 2 ? turn_all(&b->t) : turn_some(b)) | 1u << flow;
        step(b);
    }
}

CHECK(nobody_starves)
{
    b->noisy = 0;
    for (unsigned f = 0; f < b->t.flows; f += 1 + b->t.flows / 3) siege(b, f, 3 * CONTRACT_PATIENCE * b->t.flows);
}

/* In each packet mode those that may not come. */
CHECK(a_notice_out_of_place_is_reported)
{
    for (unsigned n = 0; n < 40 && !b->t.c.rule; n++) {
        reset(b);
        b->eligible = turn_all(&b->t);
        for (unsigned k = 5 + turn_below(b, 100); k; k--) step(b);
        /* one that may come, then another one */
        b->noisy = b->t.mode == NO_MODE ? 0 : 1;
        while (b->noisy && !(b->t.mode == PROBABILISTIC ? b->noticed && b->left > 1 : b->asked && b->left > 1) &&
               !b->t.c.rule)
            step(b);
        b->noisy = 0;
        b->misplaced = b->t.mode == PROBABILISTIC ? 1 + (int)(n % 2) : 1;
        step(b);
        b->misplaced = 0;
    }
    reset(b);
}

CHECK(reset_begins_anew)
{
    for (unsigned n = 0; n < 8 && !b->t.c.rule; n++) {
        turn_sequence(b, random_step, reset);
        for (unsigned k = turn_below(b, 8); k; k--) {
            turn_weight(b, turn_below(b, b->t.flows), 1 + turn_below(b, 20));
            step(b);
        }
        if (n > 3) run(b, turn_below(b, 3000));
    }
}

/* ---- the long run ---- */

static void part(void *bench)
{
    input_bench *b = bench;
    unsigned heaviest = turn_below(b, 2) ? 1 : 8;
    for (unsigned f = 0; f < b->t.flows; f++) {
        turn_weight(b, f, 1 + turn_below(b, heaviest));
        step(b);
    }
    b->longest = turn_below(b, 2) ? SEGMENT : 4;
    b->packets = turn_below(b, 2) ? 300 : 4;
    b->noisy = 1 + turn_below(b, 60);
    run(b, 1000);
    siege(b, turn_below(b, b->t.flows), CONTRACT_PATIENCE * b->t.flows);
    run(b, 1000);
}

static void part_of_resets(void *bench) { turn_sequence(bench, random_step, reset); }

static void all_ask(void *bench, unsigned each)
{
    input_bench *b = bench;
    reset(b);
    b->noisy = 0;
    b->longest = 1;
    contract_all_ask(b, b->t.flows < CONTRACT_MOST ? b->t.flows : CONTRACT_MOST);
    siege(b, 1, each * b->t.flows);
}

static const char *const rules[INPUT_RULES] = {
    [AMONG] = "only an eligible flow is chosen, and only when asked for",
    [AT_ONCE] = "a choice comes in the clock in which it is possible",
    [STAYS] = "in packet mode the input stays with the flow, and says so",
    [TELLS] = "error reports an unexpected notice, and nothing else",
};

const contract_slot pm_input_scheduler_slot = {"rtl/packet_mode/contracts.md",
                                               "units",
                                               rules,
                                               INPUT_RULES,
                                               bench_new,
                                               part,
                                               part_of_resets,
                                               all_ask,
                                               .may_refuse = true};
