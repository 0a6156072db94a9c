/* The checks of the slot "DMA arbiter". The bench plays the bus interface: it shows possible starts, chooses the clock
 * in which the bus is free, starts the choice and reports it. */
#include "dma_arbiter_contract.h"

#include <string.h>

#include "sim/core/kernel/splitmix64.h"

#define CHECK(...) CONTRACT_CHECK(arbiter_bench, __VA_ARGS__)

/* The choice with these two as they are given. */
static int chosen(arbiter_bench *b, bool started, bool started_write)
{
    sim_port_set(&b->p->arb_started, started);
    sim_port_set(&b->p->arb_started_write, started_write);
    sim_model_eval(b->c.model);
    return sim_port_get(&b->p->arb_pick_write) ? WRITE : READ;
}

/* Without arb_started the other one means nothing; it is low then, or anything. */
static int ask_for(arbiter_bench *b, bool read, bool write)
{
    bool which = b->start_seen ? b->what == WRITE : !b->steady && contract_below(b, 2);
    sim_port_set(&b->p->arb_read, read);
    sim_port_set(&b->p->arb_write, write);
    int choice = chosen(b, false, false);
    if (read && write)
        for (int i = 1; i < 4; i++)
            if (chosen(b, i & 1, i & 2) != choice)
                contract_complain(b, SAME_CLOCK, "the choice follows `%s` in the same clock",
                                  i == 2 ? "arb_started_write" : "arb_started");
    chosen(b, b->start_seen, which);
    b->start_seen = false;
    return choice;
}

int arbiter_no_start(arbiter_bench *b, bool read, bool write)
{
    int choice = ask_for(b, read, write);
    contract_clocks(b, 1);
    return choice;
}

int arbiter_start(arbiter_bench *b, bool read, bool write, bool hold)
{
    static const char *const names[] = {"a read", "a write"};
    if (b->start_seen) arbiter_no_start(b, read, write); /* no choice in the clock that reports it */
    int choice = ask_for(b, read, write);
    bool may_write = write && !hold;
    if (!read && !may_write) {
        contract_clocks(b, 1);
        return -1;
    }
    int what = may_write && (!read || choice == WRITE) ? WRITE : READ;
    contract_chosen(b, 0); /* there is always one */
    b->passed[what] = 0;
    if (!(what == READ ? write : read)) b->passed[!what] = 0;
    else if (!(hold && write)) contract_passed(b, names[!what], -1, ++b->passed[!what], CONTRACT_PATIENCE);
    contract_clocks(b, 1);
    b->starts[what]++;
    contract_turn(b, (unsigned)what);
    b->start_seen = true;
    b->what = what;
    return what;
}

static void reset(arbiter_bench *b, unsigned clocks)
{
    sim_port_set(&b->p->rst, 1);
    chosen(b, false, contract_below(b, 2));
    contract_clocks(b, clocks);
    sim_port_set(&b->p->rst, 0);
    memset(b->passed, 0, sizeof b->passed);
    b->start_seen = false;
}

/* A candidate after power-up and reset. */
static void *bench_new(const sim_config *config, unsigned fault)
{
    arbiter_bench *b = contract_bench_new(sizeof *b, 10000, config, fault);
    b->p = PORTS_AS(slot_arbiter_2, b->c.model);
    reset(b, 3);
    return b;
}

/* ---- possible events ---- */

enum { FEW = 3 * CONTRACT_PATIENCE, MANY = 300 };

/* So many clocks in which the bus is in use. */
static void busy(arbiter_bench *b, unsigned clocks, bool read, bool write)
{
    for (unsigned i = 0; i < clocks; i++) arbiter_no_start(b, read, write);
}

/* Both request all the time; sequences have the same length, so that choices are periodic, or random ones. */
static void rhythm(arbiter_bench *b, unsigned length)
{
    for (unsigned n = 0; n < FEW && !b->c.rule; n++) {
        arbiter_start(b, true, true, false);
        busy(b, length < 20 ? length : contract_below(b, 2 * length), true, true);
    }
}
enum { RHYTHMS = 40 };

/* A read takes longer than a write, or the other way round. */
static void unlike(arbiter_bench *b, unsigned kind)
{
    for (unsigned n = 0; n < FEW && !b->c.rule; n++) {
        int what = arbiter_start(b, true, true, false);
        busy(b, what == READ ? kind % 5 : kind / 5, true, true);
    }
}
enum { UNLIKE = 20 };

/* A request falls when its sequence has started, and the next one is high at the latest when the bus is free again: of
 * reads, writes, both. */
static void falling(arbiter_bench *b, unsigned kind)
{
    for (unsigned n = 0; n < FEW && !b->c.rule; n++) {
        int what = arbiter_start(b, true, true, false);
        bool read = kind % 3 == 1 || (kind % 3 == 0 && what == WRITE);
        bool write = kind % 3 == 0 && what == READ;
        busy(b, 1 + kind / 3, kind % 3 == 2 ? what == WRITE : read, kind % 3 == 2 ? true : write);
        busy(b, kind / 3 % 2, true, true);
    }
}
enum { FALLING = 12 };

/* One requests alone for a long time, or none; then both request. */
static void alone(arbiter_bench *b, unsigned kind)
{
    for (unsigned n = 0; n < MANY && !b->c.rule; n++) {
        if (kind < 2) arbiter_start(b, kind == READ, kind == WRITE, false);
        busy(b, 2, kind == 3, false);
    }
    for (unsigned n = 0; n < MANY && !b->c.rule; n++) {
        arbiter_start(b, true, true, false);
        busy(b, 1 + contract_below(b, 5), true, true);
    }
}
enum { ALONE = 4 };

/* Writes are held back at each of this many choices, now and then for long; reads that start past them are not the
 * arbiter's. */
static void held(arbiter_bench *b, unsigned every)
{
    for (unsigned n = 0; n < MANY && !b->c.rule; n++) {
        arbiter_start(b, true, true, n % every == every - 1);
        busy(b, contract_below(b, 4), true, true);
        if (n % 50) continue;
        for (unsigned i = 0; i < FEW; i++) arbiter_start(b, true, true, true);
        for (unsigned i = 0; i < FEW; i++) arbiter_start(b, true, true, false);
    }
}
enum { HELD_FIRST = 2, HELD_LAST = 6 };

/* Anything: requests come, go and are withdrawn, writes are held; or they stay, and sequences start again and again, as
 * after a Retry. */
static void anything(arbiter_bench *b, unsigned clocks, bool stay)
{
    bool read = false, write = false;
    while (clocks-- && !b->c.rule) {
        if (contract_below(b, stay ? 200 : 4) == 0) read = contract_below(b, 4) != 0;
        if (contract_below(b, stay ? 200 : 4) == 0) write = contract_below(b, 4) != 0;
        if (contract_below(b, 3)) {
            arbiter_no_start(b, read, write);
            continue;
        }
        int what = arbiter_start(b, read, write, contract_below(b, 5) == 0);
        if (what == READ && !stay && contract_below(b, 3)) read = false;
        if (what == WRITE && !stay && contract_below(b, 3)) write = false;
    }
}

/* The same sequence after a reset, whatever was before; and again, with other values on ignored inputs. */
static void sequence(arbiter_bench *b, bool steady)
{
    uint64_t same = 1;
    b->steady = steady;
    for (unsigned n = 0, used = 0; n < STORY && !b->c.rule; n++) {
        uint64_t random = splitmix64(&same);
        bool read = n < 20 || random & 3, write = n < 20 || random >> 2 & 3, may = n >= used + 3 && random >> 4 & 1;
        if (may) used = n;
        int what = may ? arbiter_start(b, read, write, false) : arbiter_no_start(b, read, write);
        if (!read || !write) continue;
        if (!b->known) b->chosen[n] = what;
        else if (what != b->chosen[n])
            contract_complain(b, steady ? CONTRACT_RESET : BESIDE,
                              "%u clocks after reset a %s is chosen, another time a %s", n,
                              what == WRITE ? "write" : "read", what == WRITE ? "read" : "write");
    }
    b->known = true;
    b->steady = false;
}

static void reset_sequence(void *bench)
{
    arbiter_bench *b = bench;
    if (b->known) reset(b, 1 + contract_below(b, 3));
    for (int n = b->known; n < 3; n++) {
        sequence(b, n < 2);
        reset(b, 1 + contract_below(b, 3));
    }
}

/* ---- the checks ---- */

CHECK(both_stand_all_the_time)
{
    for (unsigned length = 0; length < RHYTHMS; length++) rhythm(b, length);
}
CHECK(reads_and_writes_of_different_length)
{
    for (unsigned kind = 0; kind < UNLIKE; kind++) unlike(b, kind);
}
CHECK(requests_fall_between_two_starts)
{
    for (unsigned kind = 0; kind < FALLING; kind++) falling(b, kind);
}
CHECK(what_came_before_gives_no_right)
{
    for (unsigned kind = 0; kind < ALONE; kind++) alone(b, kind);
}
CHECK(writes_are_held_back)
{
    for (unsigned every = HELD_FIRST; every <= HELD_LAST; every++) held(b, every);
}
CHECK(anything_may_happen)
{
    for (unsigned n = 0; n < 20; n++) anything(b, 1000, n % 2);
}
CHECK(reset_begins_anew)
{
    for (unsigned round = 0; round < 24 && !b->c.rule; round++) {
        reset_sequence(b);
        anything(b, contract_below(b, 300), false);
    }
}

/* ---- the long run ---- */

static void part(void *bench)
{
    arbiter_bench *b = bench;
    switch (contract_below(b, 6)) {
    case 0:
        rhythm(b, contract_below(b, RHYTHMS));
        break;
    case 1:
        unlike(b, contract_below(b, UNLIKE));
        break;
    case 2:
        falling(b, contract_below(b, FALLING));
        break;
    case 3:
        alone(b, contract_below(b, ALONE));
        break;
    case 4:
        held(b, HELD_FIRST + contract_below(b, HELD_LAST - HELD_FIRST + 1));
        break;
    default:
        anything(b, 1000, contract_below(b, 2));
    }
}

static void all_ask(void *bench, unsigned each)
{
    arbiter_bench *b = bench;
    contract_all_ask(b, 2);
    for (unsigned n = 0; n < 2 * each && !b->c.rule; n++) {
        arbiter_start(b, true, true, false);
        busy(b, 1, true, true);
    }
}

static const char *const rules[ARBITER_RULES] = {
    [SAME_CLOCK] = "the choice does not follow arb_started and arb_started_write in the same clock",
    [BESIDE] = "arb_started_write means nothing without arb_started",
};

const contract_slot dma_arbiter_slot = {
    "rtl/nic/dma/dma_arbiter.v", "starts", rules, COUNT(rules), bench_new, part, reset_sequence, all_ask, false};
