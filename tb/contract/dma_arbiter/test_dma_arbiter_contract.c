/* The contract of the slot "DMA arbiter" (the head of rtl/dma/dma_arbiter.v has it in words): every candidate keeps it, every broken one is
 * caught.
 *
 * The bench plays the bus interface: it says what could start, chooses the clock in which the bus is free, starts what is chosen and tells
 * so.
 *
 * CASE=slot judges what is in the slot: make contract SLOT=dma_arbiter BLOCK=name RTL=path. */
#include <string.h>

#include "dma_arbiter.h"
#include "dma_arbiter_1.h"
#include "dma_arbiter_writes_first.h"
#include "faulty_dma_arbiter.h"
#include "slot_arbiter_1.h"
#include "slot_arbiter_2.h"
#include "slot_arbiter_3.h"
#include "suite.h"

enum { READ, WRITE };

typedef struct arbiter_bench {
    contract_bench c;

    /* the candidate, by the names of its ports */
    const slot_arbiter_2_ports *p;

    bool tell;          /* in the next clock: something has started */
    int what;           /* ... this */
    unsigned passed[2]; /* starts of the other past a read, a write that could start as well */
    unsigned starts[2];
} arbiter_bench;

#define CHECK(...) CONTRACT_CHECK(arbiter_bench, __VA_ARGS__)

#define PERIOD 10000

/* The choice with these two as they are given. */
static int chosen(arbiter_bench *b, bool started, bool started_write)
{
    sim_port_set(&b->p->arb_started, started);
    sim_port_set(&b->p->arb_started_write, started_write);
    sim_model_eval(b->c.model);
    return sim_port_get(&b->p->arb_pick_write) ? WRITE : READ;
}

/* Without arb_started the other one means nothing. */
static int tell(arbiter_bench *b, bool read, bool write)
{
    bool which = b->tell ? b->what == WRITE : contract_below(b, 2) != 0;
    sim_port_set(&b->p->arb_read, read);
    sim_port_set(&b->p->arb_write, write);
    int choice = chosen(b, false, false);
    if (read && write)
        for (int i = 1; i < 4; i++)
            if (chosen(b, i & 1, i & 2) != choice)
                contract_complain(b, "the choice follows `%s` in the same clock", i == 2 ? "arb_started_write" : "arb_started");
    chosen(b, b->tell, which);
    b->tell = false;
    return choice;
}

/* One clock in which nothing may start. Returns what is chosen. */
static int no_start(arbiter_bench *b, bool read, bool write)
{
    int choice = tell(b, read, write);
    contract_clocks(b, 1);
    return choice;
}

/* One clock in which the bus is free: what is chosen starts, or what alone could; with `hold` no write does. Returns what started, -1
 * for nothing. */
static int start(arbiter_bench *b, bool read, bool write, bool hold)
{
    static const char *const names[] = {"a read", "a write"};
    if (b->tell) no_start(b, read, write); /* no choice in the clock that tells */
    int choice = tell(b, read, write);
    bool may_write = write && !hold;
    if (!read && !may_write) {
        contract_clocks(b, 1);
        return -1;
    }
    int what = may_write && (!read || choice == WRITE) ? WRITE : READ;
    b->passed[what] = 0;
    if (!(what == READ ? write : read)) b->passed[!what] = 0;
    else if (!(hold && write)) contract_passed(b, names[!what], -1, ++b->passed[!what], 1);
    contract_clocks(b, 1);
    b->starts[what]++;
    b->tell = true;
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
    b->tell = false;
}

/* A candidate after power-up and reset. */
static void *bench_new(const sim_config *config, unsigned fault)
{
    arbiter_bench *b = contract_bench_new(sizeof *b, PERIOD, config, fault);
    b->p = PORTS_AS(slot_arbiter_2, b->c.model);
    reset(b, 3);
    return b;
}

/* ---- the checks ---- */

enum { FEW = 3 * CONTRACT_PATIENCE, MANY = 300 };

/* So many clocks in which the bus is in use. */
static void busy(arbiter_bench *b, unsigned clocks, bool read, bool write)
{
    for (unsigned i = 0; i < clocks; i++) no_start(b, read, write);
}

/* Both stand all the time, and what starts takes as long each time, so that the choices come in a rhythm; then in none. */
CHECK(both_stand_all_the_time)
{
    for (unsigned length = 0; length < 40 && !b->c.complaint[0]; length++)
        for (unsigned n = 0; n < FEW && !b->c.complaint[0]; n++) {
            start(b, true, true, false);
            busy(b, length < 20 ? length : contract_below(b, 2 * length), true, true);
        }
}

/* A read takes longer than a write, or the other way round. */
CHECK(reads_and_writes_of_different_length)
{
    for (unsigned n = 0; n < 20 * FEW && !b->c.complaint[0]; n++) {
        unsigned kind = n / FEW;
        int what = start(b, true, true, false);
        busy(b, what == READ ? kind % 5 : kind / 5, true, true);
    }
}

/* A request falls when its sequence has started, and the next one stands at the latest when the bus is free again: of reads, writes,
 * both. */
CHECK(requests_fall_between_two_starts)
{
    for (unsigned kind = 0; kind < 12 && !b->c.complaint[0]; kind++)
        for (unsigned n = 0; n < FEW && !b->c.complaint[0]; n++) {
            int what = start(b, true, true, false);
            bool read = kind % 3 == 1 || (kind % 3 == 0 && what == WRITE);
            bool write = kind % 3 == 0 && what == READ;
            busy(b, 1 + kind / 3, kind % 3 == 2 ? what == WRITE : read, kind % 3 == 2 ? true : write);
            busy(b, kind / 3 % 2, true, true);
        }
}

/* One is alone for a long time, or nobody is there; then both stand. */
CHECK(what_came_before_gives_no_right)
{
    for (unsigned kind = 0; kind < 4 && !b->c.complaint[0]; kind++) {
        for (unsigned n = 0; n < MANY; n++) {
            if (kind < 2) start(b, kind == READ, kind == WRITE, false);
            busy(b, 2, kind == 3, false);
        }
        for (unsigned n = 0; n < MANY && !b->c.complaint[0]; n++) {
            start(b, true, true, false);
            busy(b, 1 + contract_below(b, 5), true, true);
        }
    }
}

/* Writes are held back at every second to sixth choice, now and then for long; reads that start past them are not the arbiter's. */
CHECK(writes_are_held_back)
{
    for (unsigned every = 2; every <= 6 && !b->c.complaint[0]; every++)
        for (unsigned n = 0; n < MANY && !b->c.complaint[0]; n++) {
            start(b, true, true, n % every == every - 1);
            busy(b, contract_below(b, 4), true, true);
            if (n % 50) continue;
            for (unsigned i = 0; i < FEW; i++) start(b, true, true, true);
            for (unsigned i = 0; i < FEW; i++) start(b, true, true, false);
        }
}

/* Anything: requests come, go and are withdrawn, writes are held; in every other part they stay, and sequences start again and again, as
 * after a Retry. */
CHECK(anything_may_happen)
{
    bool read = false, write = false;
    for (unsigned n = 0; n < 20000 && !b->c.complaint[0]; n++) {
        bool stay = n / 1000 % 2;
        if (contract_below(b, stay ? 200 : 4) == 0) read = contract_below(b, 4) != 0;
        if (contract_below(b, stay ? 200 : 4) == 0) write = contract_below(b, 4) != 0;
        if (contract_below(b, 3)) {
            no_start(b, read, write);
            continue;
        }
        int what = start(b, read, write, contract_below(b, 5) == 0);
        if (what == READ && !stay && contract_below(b, 3)) read = false;
        if (what == WRITE && !stay && contract_below(b, 3)) write = false;
    }
}

/* The same story twice, once after power-up and then after any other one. All that counts is the same, all else is not. */
enum { STORY = 400 };
CHECK(reset_begins_anew)
{
    static struct {
        bool read, write, free;
        int chosen;
    } story[STORY];
    for (unsigned n = 0; n < STORY; n++) {
        story[n].read = n < 20 || contract_below(b, 4);
        story[n].write = n < 20 || contract_below(b, 4);
        story[n].free = n >= 2 && !story[n - 1].free && !story[n - 2].free && contract_below(b, 2);
    }
    for (unsigned round = 0; round < 24 && !b->c.complaint[0]; round++) {
        for (unsigned n = 0; n < STORY && !b->c.complaint[0]; n++) {
            int what = story[n].free ? start(b, story[n].read, story[n].write, false) : no_start(b, story[n].read, story[n].write);
            if (!story[n].read || !story[n].write) continue;
            if (round == 0) story[n].chosen = what;
            else if (what != story[n].chosen) contract_complain(b, "%u clocks after reset the choice is not the one of another time", n);
        }
        for (unsigned n = contract_below(b, 300); n; n--) {
            if (contract_below(b, 2)) start(b, contract_below(b, 3) != 0, contract_below(b, 3) != 0, contract_below(b, 5) == 0);
            else no_start(b, contract_below(b, 3) != 0, contract_below(b, 3) != 0);
        }
        reset(b, 1 + round % 3);
    }
}

/* ---- who is judged ---- */

static const contract_candidate candidates[] = {
    {"the block in the slot, READS_IN_ROW = 1", IN_SLOT, &slot_arbiter_1_config},
    {"the block in the slot, READS_IN_ROW = 2", IN_SLOT, &slot_arbiter_2_config},
    {"the block in the slot, READS_IN_ROW = 3", IN_SLOT, &slot_arbiter_3_config},
    {"dma_arbiter_writes_first", OTHER_BLOCK, &dma_arbiter_writes_first_config},
    {"the broken one", BROKEN_BLOCK, &faulty_dma_arbiter_config},
};

static const contract_fault faults[] = {
    {1, "both_stand_all_the_time", "a write starves"},
    {2, "both_stand_all_the_time", "a read starves"},
    {3, "both_stand_all_the_time", "starves"},
    {4, "both_stand_all_the_time", "follows `arb_started`"},
    {5, "both_stand_all_the_time", "follows `arb_started_write`"},
    {6, "reset_begins_anew", "after reset"},
    {7, "reset_begins_anew", "after reset"},
    {8, "both_stand_all_the_time", "a write starves"},
    {8, "anything_may_happen", "a write starves"},
    {9, "what_came_before_gives_no_right", "a read starves"},
    {9, "writes_are_held_back", "a read starves"},
    {10, "requests_fall_between_two_starts", "a write starves"},
    {11, "requests_fall_between_two_starts", "a write starves"},
    {12, "reads_and_writes_of_different_length", "a write starves"},
    {13, "writes_are_held_back", "a write starves"},
    {14, "both_stand_all_the_time", "starves"},
    {15, "reset_begins_anew", "after reset"},
};

CONTRACT(bench_new);

TEST_CASE("policies");

/* The two policies are two: else the one passing would say nothing of the other. */
TEST(the_policies_differ)
{
    arbiter_bench *b = bench_new(&dma_arbiter_writes_first_config, 0);
    for (unsigned n = 0; n < 10; n++) ck_assert_int_eq(start(b, true, true, false), n % 5 == 4 ? READ : WRITE);
    b = bench_new(&faulty_dma_arbiter_config, 0);
    for (unsigned n = 0; n < 9; n++) ck_assert_int_eq(start(b, true, true, false), n % 3 == 2 ? WRITE : READ);
}

/* The arbiter that ships: reads first, but no write waits for more than two reads, or for more than one if built so. What could start comes
 * and goes. */
TEST(a_write_waits_for_few_reads, .from = 1, .to = 3)
{
    arbiter_bench *b = bench_new(_i == 1 ? &dma_arbiter_1_config : &dma_arbiter_config, 0);
    bool could[2] = {false, false};
    unsigned reads_passed = 0, worst = 0, read_beaten = 0; /* reads_passed: past a write that could start, since the last write */
    for (unsigned n = 0; n < 20000; n++) {
        if (contract_below(b, 4)) {
            no_start(b, could[READ], could[WRITE]);
            for (int k = READ; k <= WRITE; k++) could[k] |= contract_below(b, 3) == 0;
            continue;
        }
        int what = start(b, could[READ], could[WRITE], false);
        if (what < 0) continue;
        reads_passed = what == WRITE ? 0 : reads_passed + could[WRITE];
        worst = reads_passed > worst ? reads_passed : worst;
        read_beaten += what == WRITE && could[READ];
        if (contract_below(b, 3)) could[what] = false;
    }
    ck_assert_str_eq(b->c.complaint, "");
    ck_assert_uint_eq(worst, (unsigned)_i);
    ck_assert_uint_gt(b->starts[READ], 1000);
    ck_assert_uint_gt(b->starts[WRITE], 1000);
    ck_assert_uint_gt(read_beaten, 100);
}
