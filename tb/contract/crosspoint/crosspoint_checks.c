/* The checks of the crosspoint's contract. */
#include <string.h>

#include "crosspoint_checks.h"

static unsigned random_below(crosspoint_bench *b, unsigned n)
{
    return (unsigned)sim_random_below(b->s, n);
}

/* A packet that fits into the candidate together with some others. */
static unsigned some_words(crosspoint_bench *b)
{
    unsigned most = b->words / 3 > 127 ? 127 : b->words / 3;

    return random_below(b, 2) ? 5 + random_below(b, 4) : 5 + random_below(b, most - 4);
}

static void every_word_comes_out_once(crosspoint_bench *b)
{
    static const int rates[][2] = {{100, 100}, {100, 50}, {40, 100}, {60, 60}, {100, 15}};

    b->spoiled_percent = 40;
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        b->write_percent = rates[i][0];
        b->pop_percent = rates[i][1];
        for (unsigned n = 0; n < 60; n++) crosspoint_queue(b, some_words(b));
        crosspoint_run(b, 2500);
    }
    b->pop_percent = b->write_percent = 100;
    crosspoint_drain(b);
}

static void it_holds_all_but_one_of_its_words(crosspoint_bench *b)
{
    for (int round = 0; round < 3; round++) {
        b->pop_percent = 0;
        for (unsigned i = 0; i < b->words / 5 + 2; i++) crosspoint_queue(b, 5);
        crosspoint_run(b, b->words + 100);
        if (b->written - b->taken < b->words - 1) crosspoint_complain(b, "no space after %u words of %u", b->written - b->taken, b->words);
        b->pop_percent = 100;
        crosspoint_drain(b);
    }
}

static void space_and_occupancy_settle(crosspoint_bench *b)
{
    for (unsigned n = 5; n < b->words - 10; n += 1 + random_below(b, 15)) {
        crosspoint_reset(b);
        b->pop_percent = 0;
        crosspoint_queue(b, n);
        crosspoint_run(b, n + 20);
        if (sim_port_get(&b->p->occupancy) != n)
            crosspoint_complain(b, "occupancy is %u with %u words inside", (unsigned)sim_port_get(&b->p->occupancy), n);
        if (sim_port_get(&b->p->wr_space) < b->words - 1 - n)
            crosspoint_complain(b, "wr_space is %u with %u of %u words inside", (unsigned)sim_port_get(&b->p->wr_space), n, b->words);
        b->pop_percent = 100;
        crosspoint_drain(b);
        if (sim_port_get(&b->p->occupancy) || sim_port_get(&b->p->wr_space) < b->words - 1)
            crosspoint_complain(b, "empty: occupancy %u, wr_space %u", (unsigned)sim_port_get(&b->p->occupancy),
                                (unsigned)sim_port_get(&b->p->wr_space));
    }
}

/* Packets of 5 words, as close as they can come, all waiting. */
static void every_packet_is_announced_once(crosspoint_bench *b)
{
    for (int round = 0; round < 3; round++) {
        b->pop_percent = 0;
        for (unsigned i = 0; i < (b->words - 1) / 5; i++) crosspoint_queue(b, 5);
        crosspoint_run(b, b->words + 100);
        if (b->packets_arrived != b->packets_written)
            crosspoint_complain(b, "%u packets were written, %u have arrived", b->packets_written, b->packets_arrived);
        b->pop_percent = 100;
        crosspoint_drain(b);
    }
}

static void an_arrival_is_announced_in_time(crosspoint_bench *b)
{
    b->pop_percent = 100;
    for (unsigned i = 0; i < 40; i++) {
        crosspoint_queue(b, 5 + random_below(b, 5));
        crosspoint_run(b, 25 + random_below(b, 10));
    }
    sim_time limit = (b->same_clock ? 1 : 3) * CROSSPOINT_PERIOD * 1.002;
    if (b->slowest_arrival > limit)
        crosspoint_complain(b, "arrived %.2f clocks after the first word was written", (double)b->slowest_arrival / CROSSPOINT_PERIOD);
    crosspoint_drain(b);
}

/* Written without a gap, read without a gap two clocks after `arrived`: packets of a whole crosspoint's length at most. */
static void a_packet_streams_through(crosspoint_bench *b)
{
    b->pop_percent = 100;
    b->streams = true;
    for (unsigned i = 0; i < 60; i++) {
        unsigned words = i % 4 == 0 ? (b->words > 130 ? 127 : b->words / 2) : some_words(b);
        crosspoint_queue(b, words);
        crosspoint_run(b, words + 10 + random_below(b, 20));
    }
    crosspoint_drain(b);
    b->keeps_to_space = false; /* and one behind the other: never more than some words inside */
    for (unsigned i = 0; i < 60; i++) crosspoint_queue(b, some_words(b));
    crosspoint_drain(b);
}

static void a_pop_without_a_word_does_nothing(crosspoint_bench *b)
{
    b->pops_blindly = true;
    b->write_percent = 50;
    for (unsigned i = 0; i < 20; i++) {
        crosspoint_queue(b, some_words(b));
        crosspoint_run(b, 40);
    }
    crosspoint_drain(b);
    b->pops_blindly = false;
    crosspoint_run(b, 10);
    if (b->underflows != b->blind_pops) crosspoint_complain(b, "%u pops without a word, %u underflows", b->blind_pops, b->underflows);
}

static void a_write_without_space_is_reported(crosspoint_bench *b)
{
    b->keeps_to_space = false;
    b->pop_percent = 0;
    for (unsigned i = 0; i < b->words / 5 + 5; i++) crosspoint_queue(b, 5);
    crosspoint_run(b, b->words + 100);
    if (!b->writes_without_space) crosspoint_complain(b, "%u words fit in", b->written);
    if (!b->overflows) crosspoint_complain(b, "no overflow after %u writes without space", b->writes_without_space);
    crosspoint_reset(b);
    b->keeps_to_space = true;
    every_packet_is_announced_once(b);
}

static void reset_forgets_everything(crosspoint_bench *b)
{
    for (int i = 0; i < 10; i++) {
        b->pop_percent = i % 2 ? 30 : 0;
        for (unsigned n = 0; n < 20; n++) crosspoint_queue(b, some_words(b));
        crosspoint_run(b, 50 + random_below(b, 400));
        crosspoint_reset(b);
        crosspoint_run(b, 20);
        if (sim_port_get(&b->p->rd_valid) || sim_port_get(&b->p->occupancy) || sim_port_get(&b->p->wr_space) < b->words - 1)
            crosspoint_complain(b, "after reset: rd_valid %u, occupancy %u, wr_space %u", (unsigned)sim_port_get(&b->p->rd_valid),
                                (unsigned)sim_port_get(&b->p->occupancy), (unsigned)sim_port_get(&b->p->wr_space));
    }
    b->pop_percent = 100;
    for (unsigned n = 0; n < 20; n++) crosspoint_queue(b, some_words(b));
    crosspoint_drain(b);
}

#define FASTER_READER                                                                                                                      \
    {                                                                                                                                      \
        -100, 100, -1, 200                                                                                                                 \
    }
#define FASTER_WRITER                                                                                                                      \
    {                                                                                                                                      \
        100, -100, -1, 200                                                                                                                 \
    }
#define PHASE(eighths)                                                                                                                     \
    {                                                                                                                                      \
        0, 0, (eighths)*CROSSPOINT_PERIOD / 8, 0                                                                                           \
    }

const crosspoint_check crosspoint_checks[] = {
    {"every_word_comes_out_once", every_word_comes_out_once, FASTER_READER},
    {"every_word_comes_out_once", every_word_comes_out_once, FASTER_WRITER},
    {"every_word_comes_out_once", every_word_comes_out_once, PHASE(0)},
    {"it_holds_all_but_one_of_its_words", it_holds_all_but_one_of_its_words, FASTER_READER},
    {"space_and_occupancy_settle", space_and_occupancy_settle, FASTER_WRITER},
    {"every_packet_is_announced_once", every_packet_is_announced_once, FASTER_READER},
    {"every_packet_is_announced_once", every_packet_is_announced_once, FASTER_WRITER},
    {"an_arrival_is_announced_in_time", an_arrival_is_announced_in_time, PHASE(0)},
    {"an_arrival_is_announced_in_time", an_arrival_is_announced_in_time, PHASE(1)},
    {"an_arrival_is_announced_in_time", an_arrival_is_announced_in_time, PHASE(4)},
    {"an_arrival_is_announced_in_time", an_arrival_is_announced_in_time, PHASE(7)},
    {"a_packet_streams_through", a_packet_streams_through, FASTER_READER},
    {"a_packet_streams_through", a_packet_streams_through, FASTER_WRITER},
    {"a_packet_streams_through", a_packet_streams_through, PHASE(0)},
    {"a_pop_without_a_word_does_nothing", a_pop_without_a_word_does_nothing, FASTER_READER},
    {"a_write_without_space_is_reported", a_write_without_space_is_reported, FASTER_WRITER},
    {"reset_forgets_everything", reset_forgets_everything, FASTER_READER},
};
const unsigned crosspoint_check_count = sizeof crosspoint_checks / sizeof crosspoint_checks[0];

int crosspoint_judge(const sim_config *config, unsigned fault, const crosspoint_check *check, char complaint[CONTRACT_COMPLAINT])
{
    crosspoint_bench *b = crosspoint_bench_new(config, fault, &check->clocks);

    check->run(b);
    memcpy(complaint, b->complaint, sizeof b->complaint);
    crosspoint_bench_free(b);
    return complaint[0] ? -1 : 0;
}
