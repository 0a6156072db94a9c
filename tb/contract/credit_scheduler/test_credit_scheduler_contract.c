/* The contract of the slot "credit scheduler": the block in it keeps it, every broken one is caught.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=credit_scheduler BLOCK=name RTL=path. */
#include "credit_contract.h"
#include "faulty_credit_scheduler.h"
#include "slot_credits_16.h"
#include "slot_credits_2.h"
#include "slot_credits_5.h"
#include "slot_credits_8.h"
#include "suite.h"

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

/* After some quiet clocks the last credit of every lane says what has been forwarded. */
static void settle(credit_bench *b)
{
    credit_idle(b, 3 * b->lanes + 3 * CREDIT_AGE);
    for (unsigned i = 0; i < b->lanes; i++)
        if (b->lane[i].last_sent != b->lane[i].forwarded >> 5)
            contract_complain(b, "lane %u: %u forwarded, the last credit said %u", i, b->lane[i].forwarded, 32 * b->lane[i].last_sent);
}

CHECK(every_lane_is_sent_after_reset)
{
    for (int round = 0; round < 2; round++) {
        credit_idle(b, 3 * b->lanes + 3 * CREDIT_AGE);
        for (unsigned i = 0; i < b->lanes; i++)
            if (!b->lane[i].credits) contract_complain(b, "lane %u: no credit after reset", i);
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
    for (unsigned n = 0; n < 20 && !b->c.complaint[0]; n++) {
        credit_clock c = {.departed = (1u << b->lanes) - 1, .take = true};
        for (unsigned i = 0; i < b->lanes; i++) store(b, i, c.units[i] = 6 + 2 * contract_below(b, 62), true);
        credit_step(b, &c);
        settle(b);
    }
}

CHECK(counts_wrap_and_take_up_to_1023_units)
{
    for (unsigned n = 0; n < 200 && !b->c.complaint[0]; n++) {
        unsigned i = n % b->lanes, units = n % 3 ? 1023 : 1;
        store(b, i, units, true);
        depart(b, i, units);
        settle(b);
    }
}

/* What is stored and has not departed: a packet that was stored counts at once, a departure up to CREDIT_AGE clocks later; not asked for in
 * the three clocks after a record, since the next packet's header cannot be there sooner. */
CHECK(it_tells_how_full_a_crosspoint_is)
{
    uint64_t departed[CREDIT_LANES] = {0}, record = 0;
    for (unsigned n = 0; n < 8000 && !b->c.complaint[0]; n++) {
        unsigned i = contract_below(b, b->lanes), units = 6 + 2 * contract_below(b, 62);
        if (n % 100 > 60) {
            credit_idle(b, 1);
        } else if (n % 100 == 60) {
            credit_step(b, &(credit_clock){.record = true, .lane = i, .amount = contract_below(b, 4096), .take = true});
            record = b->c.clock;
        } else if (n % 4 == 0 && inside(b, i) + units <= 512) {
            store(b, i, units, true);
        } else if (inside(b, i) && contract_below(b, 2)) {
            depart(b, i, inside(b, i) > 200 ? 128 : inside(b, i));
            departed[i] = b->c.clock;
        }
        for (unsigned l = 0; l < b->lanes && b->c.clock > record + 3; l++) {
            unsigned is = credit_occupied(b, l);
            if (b->c.clock > departed[l] + CREDIT_AGE ? is != inside(b, l) : is < inside(b, l))
                contract_complain(b, "occupied of lane %u is %u, inside are %u", l, is, inside(b, l));
        }
    }
}

/* Packets, records that repair losses, a line that takes words at its own pace. */
static void traffic(credit_bench *b, unsigned clocks, unsigned pace)
{
    unsigned until_store = 0, until[CREDIT_LANES] = {0};
    for (unsigned n = 0; n < clocks && !b->c.complaint[0]; n++) {
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
    if (b->most_waited > 2 * b->lanes) contract_complain(b, "a modified lane has waited for %u credits of others", b->most_waited);
    settle(b);
}

CHECK(credits_are_right_on_an_idle_line)
{
    traffic(b, 20000, 1);
}
CHECK(credits_are_right_on_a_busy_line)
{
    traffic(b, 40000, 130);
}

CHECK(a_record_repairs_and_is_answered)
{
    settle(b);
    for (unsigned n = 0; n < 60 && !b->c.complaint[0]; n++) {
        unsigned i = n % b->lanes, credits;
        store(b, i, 64, true);
        settle(b);
        credits = b->lane[i].credits;
        unsigned t = (b->lane[i].received + (n % 3 ? 32 * contract_below(b, 128) : 0)) & 4095;
        credit_step(b, &(credit_clock){.record = true, .lane = i, .amount = t, .take = true});
        settle(b);
        if (b->lane[i].credits == credits) contract_complain(b, "the record of lane %u was not answered", i);
        depart(b, i, 64);
        settle(b);
    }
}

/* A packet leaves in the clock of the record, or up to three clocks before or after it. */
CHECK(records_and_departures_may_meet)
{
    for (int shift = -3; shift <= 3; shift++)
        for (unsigned i = 0; i < b->lanes && !b->c.complaint[0]; i++) {
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
}

CHECK(unmodified_lanes_are_sent_on_a_slow_timer)
{
    unsigned credits[CREDIT_LANES];
    settle(b);
    for (unsigned i = 0; i < b->lanes; i++) credits[i] = b->lane[i].credits;
    credit_idle(b, 10 * CREDIT_REFRESH);
    for (unsigned i = 0; i < b->lanes; i++) {
        unsigned n = b->lane[i].credits - credits[i];
        if (n < 9 || n > 11) contract_complain(b, "lane %u: %u credits in 10 refresh periods", i, n);
    }
    if (b->most_quiet > 2 * CREDIT_REFRESH) contract_complain(b, "a lane was quiet for %u clocks", b->most_quiet);
}

/* The line is busy with packets, some lanes are always modified, the refresh comes due in between. */
CHECK(modified_lanes_go_first)
{
    settle(b);
    for (unsigned n = 0; n < 30 * CREDIT_REFRESH && !b->c.complaint[0]; n++) {
        unsigned i = n / 40 % 2;
        credit_clock c = {.take = n % 50 == 49};
        if (n % 40 == 0) c.stored = true, c.lane = i, c.amount = 128;
        if (n % 40 == 20) c.departed = 1u << i, c.units[i] = 128;
        credit_step(b, &c);
    }
    settle(b);
}

CHECK(modified_lanes_take_turns)
{
    unsigned credits[CREDIT_LANES], least = ~0u, most = 0;
    settle(b);
    for (unsigned i = 0; i < b->lanes; i++) credits[i] = b->lane[i].credits;
    for (unsigned n = 0; n < 20000 && !b->c.complaint[0]; n++) {
        credit_clock c = {.take = n % 4 == 3, .stored = true, .lane = n % b->lanes, .amount = 96};
        c.departed = n >= b->lanes ? 1u << c.lane : 0;
        c.units[c.lane] = 96;
        credit_step(b, &c);
    }
    for (unsigned i = 0; i < b->lanes; i++) {
        unsigned n = b->lane[i].credits - credits[i];
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (most > least + 2 + least / 50) contract_complain(b, "with all lanes modified one had %u credits, another %u", least, most);
    if (b->most_waited > 2 * b->lanes) contract_complain(b, "a modified lane has waited for %u credits of others", b->most_waited);
}

/* ---- who is judged ---- */

static const contract_candidate candidates[] = {
    {"the block in the slot, 2 outputs", IN_SLOT, &slot_credits_2_config},
    {"the block in the slot, 5 outputs", IN_SLOT, &slot_credits_5_config},
    {"the block in the slot, 8 outputs", IN_SLOT, &slot_credits_8_config},
    {"the block in the slot, 16 outputs", IN_SLOT, &slot_credits_16_config},
    {"the broken one", BROKEN_BLOCK, &faulty_credit_scheduler_config},
};

static const contract_fault faults[] = {
    {1, "departures_of_all_outputs_in_one_clock_count", "no request"},
    {2, "every_lane_is_sent_after_reset", "wrong parity"},
    {3, "a_record_repairs_and_is_answered", "credit says"},
    {4, "a_record_repairs_and_is_answered", "no request"},
    {5, "unmodified_lanes_are_sent_on_a_slow_timer", "0 credits in 10"},
    {6, "records_and_departures_may_meet", "forwarded"},
    {7, "counts_wrap_and_take_up_to_1023_units", "forwarded"},
    {8, "credits_are_right_on_a_busy_line", "credit says"},
    {9, "modified_lanes_take_turns", "one had"},
    {10, "modified_lanes_go_first", "is sent unmodified"},
    {11, "modified_lanes_go_first", "request fell"},
    {12, "unmodified_lanes_are_sent_on_a_slow_timer", "credits in 10"},
    {13, "credits_are_right_on_an_idle_line", "credit says"},
    {14, "every_lane_is_sent_after_reset", "credit says"},
    {15, "counts_wrap_and_take_up_to_1023_units", "forwarded"},
    {16, "it_tells_how_full_a_crosspoint_is", "occupied of lane"},
};

CONTRACT(credit_bench_new);
