/* The checks of the slot "credit scheduler", in addition to the rules of the bench (credit_contract.h). */
#include "credit_scheduler_contract.h"

#define CHECK(...) CONTRACT_CHECK(credit_bench, __VA_ARGS__)

/* ---- the checks ---- */

static unsigned inside(const credit_bench *b, unsigned i)
{
    return (b->lane[i].received - b->lane[i].forwarded) & 4095u;
}

static void store(credit_bench *b, unsigned lane, unsigned units, bool take)
{
    credit_step(b, &(credit_clock){.stored = true, .lane = lane, .amount = units, .take = take});
}

static void depart(credit_bench *b, unsigned lane, unsigned units)
{
    credit_clock c = {.departed = 1u << lane, .take = true};
    c.units[lane] = units;
    credit_step(b, &c);
}

/* After some quiet clocks the last credit of every virtual channel equals the units forwarded. */
static void settle(credit_bench *b)
{
    credit_idle(b, 3 * b->lanes + 3 * CREDIT_AGE);
    for (unsigned i = 0; i < b->lanes; i++)
        if (b->lane[i].last_sent != b->lane[i].forwarded >> 5)
            contract_complain(b, IN_TIME, "lane %u: %u forwarded, the last credit said %u", i, b->lane[i].forwarded,
                              32 * b->lane[i].last_sent);
}

/* After reset every lane is sent. */
static void begin(credit_bench *b)
{
    credit_idle(b, 3 * b->lanes + 3 * CREDIT_AGE);
    for (unsigned i = 0; i < b->lanes; i++)
        if (!b->lane[i].credits) contract_complain(b, CONTRACT_RESET, "lane %u: no credit after reset", i);
}

CHECK(every_lane_is_sent_after_reset)
{
    for (int round = 0; round < 2; round++) {
        begin(b);
        for (unsigned i = 0; i < b->lanes; i++) {
            store(b, i, 900, true);
            depart(b, i, 900);
        }
        settle(b);
        credit_reset(b);
    }
}

CHECK(departures_of_all_outputs_in_one_clock_count)
{
    settle(b);
    for (unsigned n = 0; n < 20 && !b->c.rule; n++) {
        credit_clock c = {.departed = (1u << b->lanes) - 1, .take = true};
        for (unsigned i = 0; i < b->lanes; i++) store(b, i, c.units[i] = 6 + 2 * contract_below(b, 62), true);
        credit_step(b, &c);
        settle(b);
    }
}

/* Packets of 1 and of 1023 units, one at a time. */
static void extremes(credit_bench *b, unsigned packets)
{
    for (unsigned n = 0; n < packets && !b->c.rule; n++) {
        unsigned i = n % b->lanes, units = n % 3 ? 1023 : 1;
        store(b, i, units, true);
        depart(b, i, units);
        settle(b);
    }
}

CHECK(counts_wrap_and_take_up_to_1023_units) { extremes(b, 200); }

/* Units stored and not departed: a packet that was stored counts at once, a departure up to CREDIT_AGE clocks later;
 * not asked for in the three clocks after a record, since the next packet's header cannot be there sooner. */
static void filling(credit_bench *b, unsigned events)
{
    uint64_t departed[CREDIT_LANES] = {0}, record = 0;
    for (unsigned n = 0; n < events && !b->c.rule; n++) {
        unsigned i = contract_below(b, b->lanes), units = 6 + 2 * contract_below(b, 62);
        if (n % 100 > 60) {
            credit_idle(b, 1);
        } else if (n % 100 == 60) {
            credit_step(b, &(credit_clock){.record = true, .lane = i, .amount = contract_below(b, 4096), .take = true});
            record = sim_clock_cycles(b->c.clk);
        } else if (n % 4 == 0 && inside(b, i) + units <= 512) {
            store(b, i, units, true);
        } else if (inside(b, i) && contract_below(b, 2)) {
            depart(b, i, inside(b, i) > 200 ? 128 : inside(b, i));
            departed[i] = sim_clock_cycles(b->c.clk);
        }
        for (unsigned l = 0; l < b->lanes && sim_clock_cycles(b->c.clk) > record + 3; l++) {
            unsigned is = credit_occupied(b, l);
            if (sim_clock_cycles(b->c.clk) > departed[l] + CREDIT_AGE ? is != inside(b, l) : is < inside(b, l))
                contract_complain(b, OCCUPIED, "occupied of lane %u is %u, inside are %u", l, is, inside(b, l));
        }
    }
}

CHECK(it_tells_how_full_a_crosspoint_is) { filling(b, 8000); }

/* Packets, records that repair losses, a line that takes words at its own pace. */
static void traffic(credit_bench *b, unsigned clocks, unsigned pace)
{
    unsigned until_store = 0, until[CREDIT_LANES] = {0};
    for (unsigned n = 0; n < clocks && !b->c.rule; n++) {
        credit_clock c = {.take = contract_below(b, pace) == 0, .lane = contract_below(b, b->lanes)};
        if (until_store) until_store--;
        else if (contract_below(b, 100) == 0) {
            c.record = true;
            c.amount = (b->lane[c.lane].received + (contract_below(b, 2) ? contract_below(b, 4096) : 0)) & 4095;
            until_store = 3;
        } else if (inside(b, c.lane) < 384) {
            c.stored = true;
            c.amount = 6 + 2 * contract_below(b, 62);
            until_store = 6 + contract_below(b, 20);
        }
        for (unsigned i = 0; i < b->lanes; i++)
            if (until[i]) until[i]--;
            else if (inside(b, i) && contract_below(b, 20) == 0) {
                unsigned units = inside(b, i) > 128 ? 6 + 2 * contract_below(b, 62) : inside(b, i);
                c.departed |= 1u << i;
                c.units[i] = units;
                until[i] = 7;
            }
        credit_step(b, &c);
    }
    settle(b);
}

CHECK(credits_are_right_on_an_idle_line) { traffic(b, 20000, 1); }
CHECK(credits_are_right_on_a_busy_line) { traffic(b, 40000, 130); }

CHECK(a_record_repairs_and_is_answered)
{
    settle(b);
    for (unsigned n = 0; n < 60 && !b->c.rule; n++) {
        unsigned i = n % b->lanes, credits;
        store(b, i, 64, true);
        settle(b);
        credits = b->lane[i].credits;
        unsigned t = (b->lane[i].received + (n % 3 ? 32 * contract_below(b, 128) : 0)) & 4095;
        credit_step(b, &(credit_clock){.record = true, .lane = i, .amount = t, .take = true});
        settle(b);
        if (b->lane[i].credits == credits) contract_complain(b, IN_TIME, "the record of lane %u was not answered", i);
        depart(b, i, 64);
        settle(b);
    }
}

/* A packet leaves this many clocks after the record, which are -3 to 3. */
static void meeting(credit_bench *b, unsigned i, int shift)
{
    for (int n = 0; n < 2; n++) store(b, i, 96, true);
    unsigned t = (b->lane[i].received + 160) & 4095;
    for (int n = -3; n <= 3; n++) {
        credit_clock c = {.take = true, .lane = i};
        if (n == 0) c.record = true, c.amount = t;
        if (n == shift) c.departed = (1u << b->lanes) - 1, c.units[i] = 96;
        credit_step(b, &c);
    }
    settle(b);
    depart(b, i, 96);
    settle(b);
}

CHECK(records_and_departures_may_meet)
{
    for (int shift = -3; shift <= 3; shift++)
        for (unsigned i = 0; i < b->lanes && !b->c.rule; i++) meeting(b, i, shift);
}

static void quiet(credit_bench *b)
{
    unsigned credits[CREDIT_LANES];
    settle(b);
    for (unsigned i = 0; i < b->lanes; i++) credits[i] = b->lane[i].credits;
    credit_idle(b, 10 * CREDIT_REFRESH);
    for (unsigned i = 0; i < b->lanes; i++) {
        unsigned n = b->lane[i].credits - credits[i];
        if (n < 9 || n > 11) contract_complain(b, PERIODIC, "lane %u: %u credits in 10 refresh periods", i, n);
    }
}

CHECK(unmodified_lanes_are_sent_on_a_slow_timer)
{
    quiet(b);
    if (b->most_quiet > 2 * CREDIT_REFRESH)
        contract_complain(b, PERIODIC, "a lane was quiet for %u clocks", b->most_quiet);
}

/* The line is busy with packets, some lanes are always modified, the refresh comes due in between. */
CHECK(modified_lanes_go_first)
{
    settle(b);
    for (unsigned n = 0; n < 30 * CREDIT_REFRESH && !b->c.rule; n++) {
        unsigned i = n / 40 % 2;
        credit_clock c = {.take = n % 50 == 49};
        if (n % 40 == 0) c.stored = true, c.lane = i, c.amount = 128;
        if (n % 40 == 20) c.departed = 1u << i, c.units[i] = 128;
        credit_step(b, &c);
    }
    settle(b);
}

/* All lanes are modified all the time. */
static void crowd(credit_bench *b, unsigned clocks)
{
    contract_all_ask(b, b->lanes);
    for (unsigned n = 0; n < clocks && !b->c.rule; n++) {
        credit_clock c = {.take = n % 4 == 3, .stored = true, .lane = n % b->lanes, .amount = 96};
        c.departed = n >= b->lanes ? 1u << c.lane : 0;
        c.units[c.lane] = 96;
        credit_step(b, &c);
    }
}

static void take_turns(credit_bench *b, unsigned clocks)
{
    unsigned least = ~0u, most = 0;
    settle(b);
    crowd(b, clocks);
    for (unsigned i = 0; i < b->lanes; i++) {
        unsigned n = b->c.turns_of[i];
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    for (unsigned i = 0; i < b->lanes; i++) depart(b, i, inside(b, i));
    if (most > least + 2 + least / 50)
        contract_complain(b, CONTRACT_STARVES, "with all lanes modified one had %u credits, another %u", least, most);
    settle(b);
}

CHECK(modified_lanes_take_turns) { take_turns(b, 20000); }

/* ---- the long run ---- */

/* A word of two credits in 4 clocks. */
static void all_ask(void *bench, unsigned each)
{
    credit_bench *b = bench;
    settle(b);
    crowd(b, 2 * each * b->lanes);
}

static void part(void *bench)
{
    static const unsigned paces[] = {1, 1, 1, 1, 2, 2, 3, 20};
    credit_bench *b = bench;
    switch (contract_below(b, 16)) {
    case 0:
        quiet(b);
        break;
    case 1:
        take_turns(b, 2000);
        break;
    case 2:
        filling(b, 2000);
        settle(b);
        break;
    case 3:
        extremes(b, 50);
        break;
    case 4:
        for (int shift = -3; shift <= 3 && !b->c.rule; shift++) meeting(b, contract_below(b, b->lanes), shift);
        break;
    default:
        traffic(b, 3000, contract_below(b, 40) ? paces[contract_below(b, COUNT(paces))] : 130);
    }
}

static void reset(void *bench)
{
    credit_bench *b = bench;
    filling(b, contract_below(b, 200));
    credit_reset(b);
    begin(b);
}

static const char *const rules[CREDIT_RULES] = {
    [CONTRACT_STARVES] = "modified lanes take turns",
    [FORM] = "a credit has bit 15, even parity and a lane",
    [RIGHT] = "a credit is a count of forwarded units at most 6 clocks old",
    [MODIFIED_FIRST] = "modified lanes go first",
    [PERIODIC] = "unmodified lanes go once after each refresh",
    [IN_TIME] = "a modified lane makes a request within 6 clocks",
    [STAYS] = "a request stays until it is taken",
    [OCCUPIED] = "occupied is the content of a crosspoint",
};

const contract_slot credit_scheduler_slot = {
    "rtl/switch/contracts.md", "credits", rules, COUNT(rules), credit_bench_new, part, reset, all_ask, false};
