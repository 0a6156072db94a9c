/* The stories that bring a candidate into the situations the contract speaks of. */
#include "arbiter_checks.h"

#include <string.h>

#define CHECK(name) static void name(arbiter_bench *b)
#define below arbiter_below

enum { FEW = 3 * ARBITER_PATIENCE, MANY = 300 };

/* So many clocks in which the bus is in use. */
static void busy(arbiter_bench *b, unsigned clocks, bool read, bool write)
{
    for (unsigned i = 0; i < clocks; i++) arbiter_clock(b, read, write);
}

/* Both stand all the time, and what starts takes as long each time, so that the choices come in a rhythm; then in none. */
CHECK(both_stand_all_the_time)
{
    for (unsigned length = 0; length < 40 && !b->complaint[0]; length++)
        for (unsigned n = 0; n < FEW && !b->complaint[0]; n++) {
            arbiter_start(b, true, true, false);
            busy(b, length < 20 ? length : below(b, 2 * length), true, true);
        }
}

/* A read takes longer than a write, or the other way round. */
CHECK(reads_and_writes_of_different_length)
{
    for (unsigned n = 0; n < 20 * FEW && !b->complaint[0]; n++) {
        unsigned kind = n / FEW;
        int what = arbiter_start(b, true, true, false);
        busy(b, what == ARBITER_READ ? kind % 5 : kind / 5, true, true);
    }
}

/* A request falls when its sequence has started, and the next one stands at the latest when the bus is free again: of reads, writes,
 * both. */
CHECK(requests_fall_between_two_starts)
{
    for (unsigned kind = 0; kind < 12 && !b->complaint[0]; kind++)
        for (unsigned n = 0; n < FEW && !b->complaint[0]; n++) {
            int what = arbiter_start(b, true, true, false);
            bool read = kind % 3 == 1 || (kind % 3 == 0 && what == ARBITER_WRITE);
            bool write = kind % 3 == 0 && what == ARBITER_READ;
            busy(b, 1 + kind / 3, kind % 3 == 2 ? what == ARBITER_WRITE : read, kind % 3 == 2 ? true : write);
            busy(b, kind / 3 % 2, true, true);
        }
}

/* One is alone for a long time, or nobody is there; then both stand. */
CHECK(what_came_before_gives_no_right)
{
    for (unsigned kind = 0; kind < 4 && !b->complaint[0]; kind++) {
        for (unsigned n = 0; n < MANY; n++) {
            if (kind < 2) arbiter_start(b, kind == ARBITER_READ, kind == ARBITER_WRITE, false);
            busy(b, 2, kind == 3, false);
        }
        for (unsigned n = 0; n < MANY && !b->complaint[0]; n++) {
            arbiter_start(b, true, true, false);
            busy(b, 1 + below(b, 5), true, true);
        }
    }
}

/* Writes are held back at every second to sixth choice, now and then for long; reads that start past them are not the arbiter's. */
CHECK(writes_are_held_back)
{
    for (unsigned every = 2; every <= 6 && !b->complaint[0]; every++)
        for (unsigned n = 0; n < MANY && !b->complaint[0]; n++) {
            arbiter_start(b, true, true, n % every == every - 1);
            busy(b, below(b, 4), true, true);
            if (n % 50) continue;
            for (unsigned i = 0; i < 30; i++) arbiter_start(b, true, true, true);
            for (unsigned i = 0; i < FEW; i++) arbiter_start(b, true, true, false);
        }
}

/* Anything: requests come, go and are withdrawn, writes are held; in every other part they stay, and sequences start again and again, as
 * after a Retry. */
CHECK(anything_may_happen)
{
    bool read = false, write = false;
    for (unsigned n = 0; n < 20000 && !b->complaint[0]; n++) {
        bool stay = n / 1000 % 2;
        if (below(b, stay ? 200 : 4) == 0) read = below(b, 4) != 0;
        if (below(b, stay ? 200 : 4) == 0) write = below(b, 4) != 0;
        if (below(b, 3)) {
            arbiter_clock(b, read, write);
            continue;
        }
        int what = arbiter_start(b, read, write, below(b, 5) == 0);
        if (what == ARBITER_READ && !stay && below(b, 3)) read = false;
        if (what == ARBITER_WRITE && !stay && below(b, 3)) write = false;
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
        story[n].read = n < 20 || below(b, 4);
        story[n].write = n < 20 || below(b, 4);
        story[n].free = n >= 2 && !story[n - 1].free && !story[n - 2].free && below(b, 2);
    }
    for (unsigned round = 0; round < 24 && !b->complaint[0]; round++) {
        for (unsigned n = 0; n < STORY && !b->complaint[0]; n++) {
            int what =
                story[n].free ? arbiter_start(b, story[n].read, story[n].write, false) : arbiter_clock(b, story[n].read, story[n].write);
            if (!story[n].read || !story[n].write) continue;
            if (round == 0) story[n].chosen = what;
            else if (what != story[n].chosen) arbiter_complain(b, "%u clocks after reset the choice is not the one of another time", n);
        }
        for (unsigned n = below(b, 300); n; n--) {
            if (below(b, 2)) arbiter_start(b, below(b, 3) != 0, below(b, 3) != 0, below(b, 5) == 0);
            else arbiter_clock(b, below(b, 3) != 0, below(b, 3) != 0);
        }
        arbiter_reset(b, 1 + round % 3);
    }
}

const arbiter_check arbiter_checks[] = {
    {"both_stand_all_the_time", both_stand_all_the_time},
    {"reads_and_writes_of_different_length", reads_and_writes_of_different_length},
    {"requests_fall_between_two_starts", requests_fall_between_two_starts},
    {"what_came_before_gives_no_right", what_came_before_gives_no_right},
    {"writes_are_held_back", writes_are_held_back},
    {"anything_may_happen", anything_may_happen},
    {"reset_begins_anew", reset_begins_anew},
};
const unsigned arbiter_check_count = sizeof arbiter_checks / sizeof arbiter_checks[0];

int arbiter_judge(const sim_config *config, unsigned fault, const arbiter_check *check, char complaint[CONTRACT_COMPLAINT])
{
    arbiter_bench *b = arbiter_bench_new(config, fault);
    if (!b->complaint[0]) check->run(b);
    memcpy(complaint, b->complaint, sizeof b->complaint);
    arbiter_bench_free(b);
    return complaint[0] ? -1 : 0;
}
