/* The bench: reference and the rules that hold in every clock and for every word. The checks are in
 * test_credit_scheduler_contract.c. */
#include "credit_contract.h"

#include <string.h>

#define PERIOD (12800)

static unsigned parity(unsigned v)
{
    unsigned p = 0;
    for (; v; v >>= 1) p ^= v & 1;
    return p;
}

/* A lane that must go before unmodified ones: modified for so long that the candidate must know. */
static bool is_waiting(const credit_lane *l) { return l->modified > CREDIT_AGE; }

/* The candidate need not know yet that this is in the word. */
static bool changed_lately(const credit_lane *l)
{
    bool changed = l->repaired <= CREDIT_AGE;
    for (unsigned i = 0; i < CREDIT_AGE; i++) changed |= l->past[i] >> 5 != l->past[i + 1] >> 5;
    return changed;
}

/* A credit of the word that is taken. */
static unsigned verify(credit_bench *b, unsigned credit, unsigned other_lane)
{
    unsigned lane = credit >> 7 & 127, value = credit & 127, waiting = 0;
    if (!(credit >> 15)) contract_complain(b, FORM, "credit 0x%04x: bit 15 is 0", credit);
    if ((credit >> 14 & 1) != parity(credit & 0x3fff))
        contract_complain(b, FORM, "credit 0x%04x: wrong parity", credit);
    if (lane >= b->lanes) {
        contract_complain(b, FORM, "credit 0x%04x: lane %u, there are %u", credit, lane, b->lanes);
        return lane;
    }
    credit_lane *l = &b->lane[lane];
    bool right = false;
    for (unsigned i = 0; i <= CREDIT_AGE; i++)
        right |= l->past[i] >> 5 == value ||
                 (l->repaired <= CREDIT_AGE && (((unsigned)l->past[i] - l->repair) & 4095) >> 5 == value);
    if (!right)
        contract_complain(b, b->touched ? RIGHT : CONTRACT_RESET, "lane %u: credit says %u, forwarded are %u", lane,
                          32 * value, l->forwarded);
    for (unsigned o = 0; o < b->lanes; o++)
        if (o != lane && o != other_lane && is_waiting(&b->lane[o])) waiting++;
    if (waiting && !l->modified && !l->maybe && lane != other_lane)
        contract_complain(b, MODIFIED_FIRST, "lane %u is sent unmodified while a modified one waits", lane);
    return lane;
}

static void sent(credit_bench *b, unsigned lane, unsigned value)
{
    credit_lane *l = &b->lane[lane];
    for (unsigned o = 0; o < b->lanes; o++)
        if (o != lane && is_waiting(&b->lane[o])) contract_passed(b, "lane", (int)o, ++b->lane[o].waited, 2 * b->lanes);
    l->last_sent = value;
    l->quiet = l->waited = 0;
    l->maybe = (l->modified && !is_waiting(l)) || changed_lately(l);
    l->modified = l->forwarded >> 5 != value; /* units that moved too late for this word */
    l->credits++;
    b->credits++;
    contract_turn(b, lane);
}

void credit_step(credit_bench *b, const credit_clock *c)
{
    bool request = sim_port_get(&b->p->request), take = c->take && request;
    uint32_t word = (uint32_t)sim_port_get(&b->p->word);

    sim_port_set(&b->p->departed, c->departed);
    for (unsigned i = 0; i < b->lanes; i++)
        if (c->departed >> i & 1) sim_port_set_field(&b->p->departed_units, 10 * i, 10, c->units[i]);
    sim_port_set(&b->p->stored, c->stored);
    sim_port_set(&b->p->stored_output, c->lane);
    sim_port_set(&b->p->stored_units, c->stored ? c->amount : 0);
    sim_port_set(&b->p->record, c->record);
    sim_port_set(&b->p->record_output, c->lane);
    sim_port_set(&b->p->record_units, c->record ? c->amount : 0);
    sim_port_set(&b->p->take, take);
    sim_port_set(&b->p->refresh, sim_clock_cycles(b->c.clk) % CREDIT_REFRESH == CREDIT_REFRESH - 1);

    if (take) {
        unsigned first = word >> 16, second = word & 0xffff, lane = first >> 7 & 127;
        unsigned last = verify(b, second, lane);
        verify(b, first, last);
        if (!b->c.rule) {
            sent(b, lane, first & 127);
            if (last != lane) sent(b, last, second & 127);
        }
    }

    contract_clocks(b, 1);
    if (request && !take && !sim_port_get(&b->p->request)) contract_complain(b, STAYS, "request fell without take");

    int waits = -1;
    bool modified = false;
    for (unsigned i = 0; i < b->lanes; i++) {
        credit_lane *l = &b->lane[i];
        bool record = c->record && c->lane == i;
        b->touched |= record || c->departed >> i & 1;
        memmove(l->past + 1, l->past, sizeof l->past - sizeof l->past[0]);
        l->repaired += l->repaired <= CREDIT_AGE;
        if (record) {
            unsigned inside = (l->received - l->forwarded) & 4095;
            l->repair = (c->amount - l->received) & 4095;
            l->repaired = 0;
            l->received = c->amount & 4095;
            l->forwarded = (l->received - inside) & 4095;
        }
        if (c->departed >> i & 1) l->forwarded = (l->forwarded + c->units[i]) & 4095;
        if (c->stored && c->lane == i) l->received = (l->received + c->amount) & 4095;
        l->past[0] = l->forwarded;
        if (l->modified) l->modified++;
        else if (record || l->forwarded >> 5 != l->last_sent) l->modified = 1, l->waited = 0;
        if (++l->quiet > b->most_quiet) b->most_quiet = l->quiet;
        if (is_waiting(l)) waits = (int)i;
        modified |= l->modified != 0;
    }
    bool requests = sim_port_get(&b->p->request) != 0;
    if (modified && requests && !request) contract_chosen(b, b->idle + 1);
    b->idle = modified && !requests ? b->idle + 1 : 0;
    if (waits >= 0 && !sim_port_get(&b->p->request) && !take)
        contract_complain(b, IN_TIME, "no request although lane %d has been modified for %d clocks", waits, CREDIT_AGE);
}

unsigned credit_occupied(credit_bench *b, unsigned lane)
{
    sim_port_set(&b->p->record, 0);
    sim_port_set(&b->p->stored, 0);
    sim_port_set(&b->p->stored_output, lane);
    sim_model_eval(b->c.model);
    return (unsigned)sim_port_get(&b->p->occupied);
}

void credit_idle(credit_bench *b, unsigned clocks)
{
    const credit_clock c = {.take = true};
    while (clocks-- && !b->c.rule) credit_step(b, &c);
}

void credit_reset(credit_bench *b)
{
    sim_port_set(&b->p->departed, 0);
    sim_port_set(&b->p->stored, 0);
    sim_port_set(&b->p->record, 0);
    sim_port_set(&b->p->take, 0);
    sim_port_set(&b->p->refresh, 0);
    sim_port_set(&b->p->rst, 1);
    contract_clocks(b, 3);
    sim_port_set(&b->p->rst, 0);
    memset(b->lane, 0, sizeof b->lane);
    for (unsigned i = 0; i < b->lanes; i++)
        b->lane[i].modified = 1, b->lane[i].repaired = CREDIT_AGE + 1; /* reset makes all lanes modified */
    b->credits = b->most_quiet = b->idle = 0;
    b->touched = false;
}

void *credit_bench_new(const sim_config *config, unsigned fault)
{
    credit_bench *b = contract_bench_new(sizeof *b, PERIOD, config, fault);
    b->p = PORTS_AS(slot_credits_8, b->c.model);
    b->lanes = b->p->departed.bits;
    credit_reset(b);
    return b;
}
