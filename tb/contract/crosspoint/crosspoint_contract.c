/* The bench and the checks of the slot "crosspoint".
 *
 * The reference knows only the words that have been written and taken, with their times. At every edge the bench looks
 * whether the candidate keeps to the rules. */
#include "crosspoint_contract.h"

#include <stdlib.h>

#include "slot_crosspoint_two.h"

enum { PERIOD = 12800, LOG = 1 << 16, QUEUE = 1 << 10 };

/* Ways of a check: the two clocks against each other. Without a drift their phases differ by this many eighths of a
 * clock. */
enum { FASTER_READER = 1, FASTER_WRITER = 2, PHASE_0 = 4, EVERY_PHASE = 0x3c };
static const struct {
    int drift, jitter, eighths;
} ways[] = {{100, 200, -1}, {-100, 200, -1}, {0, 0, 0}, {0, 0, 1}, {0, 0, 4}, {0, 0, 7}};

struct written_word {
    uint32_t data;
    bool start, end, poisoned;
    sim_time at; /* edge that ended the write */
};

typedef struct crosspoint_bench {
    contract_bench c;
    sim_clock *read_clock; /* that of the writer with SAME_CLOCK */

    /* the candidate, by the names of its ports */
    bool same_clock;
    unsigned words; /* 2**LOG2_WORDS */
    const slot_crosspoint_two_ports *p;

    /* writer: a queue of packets, how often a word is ready, whether it respects the space */
    unsigned to_write[QUEUE]; /* lengths of packets [words] */
    unsigned write_in, write_out, written_of_packet;
    int write_percent, poisoned_percent;
    bool keeps_to_space;
    /* reader: how often it pops a word. It starts a packet two clocks after `arrived` */
    int pop_percent;
    bool pops_blindly; /* at random, with a word or without */
    bool streams;      /* a packet that has been started must never make it wait (the writer writes in every clock) */

    /* the reference */
    struct written_word log[LOG];
    unsigned written, taken; /* words, free running */
    unsigned packets_written, packets_arrived, packets_begun;
    sim_time start_at[LOG / 4];   /* of each packet: edge that ended the write of its first word */
    uint64_t arrived_at[LOG / 4]; /* read clock in which `arrived` was high */
    uint64_t read_cycle;
    bool in_packet; /* the first word of a packet has been taken, the last has not */
    unsigned overflows, underflows, blind_pops, writes_without_space;
    bool in_reset;
} crosspoint_bench;

#define CHECK(...) CONTRACT_CHECK(crosspoint_bench, __VA_ARGS__)

/* ---- writer ---- */

static void sample_write(void *self)
{
    crosspoint_bench *b = self;
    unsigned inside = b->written - b->taken, space = (unsigned)sim_port_get(&b->p->wr_space);

    if (b->in_reset) return;
    b->overflows += (unsigned)sim_port_get(&b->p->overflow);
    if (b->writes_without_space == 0 && space > b->words - inside)
        contract_complain(b, LEVELS, "wr_space is %u with %u of %u words inside", space, inside, b->words);
    if (b->overflows && !b->writes_without_space)
        contract_complain(b, OVERFLOWS, "overflow, and nothing was written without space");
    if (!sim_port_get(&b->p->wr_valid)) return;
    b->writes_without_space += space == 0;
    struct written_word *w = &b->log[b->written++ % LOG];
    *w =
        (struct written_word){(uint32_t)sim_port_get(&b->p->wr_data), sim_port_get(&b->p->wr_start) != 0,
                              sim_port_get(&b->p->wr_end) != 0, sim_port_get(&b->p->wr_poisoned) != 0, sim_now(b->c.s)};
    if (w->start) b->start_at[b->packets_written++ % (LOG / 4)] = w->at;
}

static void drive_write(void *self)
{
    crosspoint_bench *b = self;
    bool packet = b->write_in != b->write_out;
    bool write = packet && !b->in_reset && (int)sim_random_below(b->c.s, 100) < b->write_percent &&
                 (!b->keeps_to_space || sim_port_get(&b->p->wr_space));

    sim_port_set(&b->p->wr_valid, write);
    sim_port_set(&b->p->wr_data, (uint32_t)sim_random(b->c.s) | 1);
    sim_port_set(&b->p->wr_start, write ? b->written_of_packet == 0 : sim_random_below(b->c.s, 2));
    sim_port_set(&b->p->wr_end, sim_random_below(b->c.s, 2));
    sim_port_set(&b->p->wr_poisoned, sim_random_below(b->c.s, 2));
    if (!write) return;
    bool end = ++b->written_of_packet == b->to_write[b->write_out % QUEUE];
    sim_port_set(&b->p->wr_end, end);
    sim_port_set(&b->p->wr_poisoned, end && (int)sim_random_below(b->c.s, 100) < b->poisoned_percent);
    if (!end) return;
    b->written_of_packet = 0;
    b->write_out++;
}

/* ---- reader ---- */

static void look_at_arrival(crosspoint_bench *b)
{
    if (!sim_port_get(&b->p->arrived)) return;
    unsigned k = b->packets_arrived++ % (LOG / 4);
    if (b->packets_arrived > b->packets_written || b->start_at[k] >= sim_now(b->c.s)) {
        contract_complain(b, ANNOUNCED, "arrived %u times, %u packets have been begun", b->packets_arrived,
                          b->packets_written);
        return;
    }
    b->arrived_at[k] = b->read_cycle;
    unsigned limit = b->same_clock ? 1 : 3;
    sim_time late =
        sim_now(b->c.s) - b->start_at[k]; /* from the edge that ended the write to the one that ends `arrived` */
    contract_chosen(b, (double)late / PERIOD);
    if (late <= limit * PERIOD * 1.002 + 2 * ways[contract_way].jitter) return;
    if (b->packets_written > b->packets_arrived) /* it is the next one that has arrived */
        contract_complain(b, ANNOUNCED, "packet %u has not arrived, the next one has", b->packets_arrived - 1);
    else
        contract_complain(b, IN_TIME, "packet %u: arrived %.2f clocks after its first word was written, limit %u",
                          b->packets_arrived - 1, (double)late / PERIOD, limit);
}

static void look_at_word(crosspoint_bench *b, unsigned announced)
{
    struct written_word shown = {(uint32_t)sim_port_get(&b->p->rd_data), false, sim_port_get(&b->p->rd_end) != 0,
                                 sim_port_get(&b->p->rd_poisoned) != 0, 0};
    const struct written_word *w = &b->log[b->taken % LOG];

    if (!sim_port_get(&b->p->rd_valid)) {
        if (shown.data || shown.end || shown.poisoned)
            contract_complain(b, EMPTY, "without a word rd_data is %08x, rd_end %d, rd_poisoned %d", shown.data,
                              shown.end, shown.poisoned);
        if (!b->in_packet && b->packets_begun < announced)
            contract_complain(b, SHOWS, "packet %u has arrived, a clock later its first word does not show",
                              b->packets_begun);
        return;
    }
    if (b->taken == b->written || w->at >= sim_now(b->c.s))
        contract_complain(b, b->written ? WHOLE : CONTRACT_RESET, "word %u shows and has not been written", b->taken);
    else if (shown.data != w->data || shown.end != w->end || shown.poisoned != w->poisoned)
        contract_complain(b, WHOLE, "word %u is %08x, end %d, poisoned %d; written was %08x, %d, %d", b->taken,
                          shown.data, shown.end, shown.poisoned, w->data, w->end, w->poisoned);
}

static void sample_read(void *self)
{
    crosspoint_bench *b = self;
    unsigned announced = b->packets_arrived;

    b->read_cycle++;
    if (b->in_reset) return;
    look_at_arrival(b);
    b->underflows += (unsigned)sim_port_get(&b->p->underflow);
    if (b->underflows > b->blind_pops)
        contract_complain(b, UNDERFLOWS, "underflow, and nothing was popped without a word");
    if (sim_port_get(&b->p->occupancy) > b->written - b->taken)
        contract_complain(b, b->written ? LEVELS : CONTRACT_RESET, "occupancy is %u with %u words inside",
                          (unsigned)sim_port_get(&b->p->occupancy), b->written - b->taken);
    if (b->writes_without_space) return; /* the content is lost */
    look_at_word(b, announced);
    if (!sim_port_get(&b->p->rd_pop)) return;
    if (!sim_port_get(&b->p->rd_valid)) {
        b->blind_pops++;
        if (b->streams)
            contract_complain(b, STREAMS, "a reader two clocks behind `arrived` has to wait for word %u", b->taken);
        return;
    }
    const struct written_word *w = &b->log[b->taken++ % LOG];
    b->packets_begun += w->start;
    b->in_packet = !w->end;
    b->c.turns += w->end;
}

static void drive_read(void *self)
{
    crosspoint_bench *b = self;
    bool may_begin =
        b->packets_begun < b->packets_arrived && b->read_cycle > b->arrived_at[b->packets_begun % (LOG / 4)];
    bool wants = (b->in_packet || may_begin) && (int)sim_random_below(b->c.s, 100) < b->pop_percent;

    sim_port_set(&b->p->rd_pop, !b->in_reset && ((b->pops_blindly && sim_random_below(b->c.s, 2)) ||
                                                 (wants && (b->streams || sim_port_get(&b->p->rd_valid)))));
}

/* ---- both ---- */

static void sample_both(void *self)
{
    sample_write(self);
    sample_read(self);
}

static void drive_both(void *self)
{
    drive_write(self);
    drive_read(self);
}

static void set_reset(crosspoint_bench *b, bool reset)
{
    b->in_reset = reset;
    sim_port_set(&b->p->wr_rst, reset);
    sim_port_set(&b->p->rd_rst, reset);
    if (!reset) return;
    sim_port_set(&b->p->wr_valid, 0);
    sim_port_set(&b->p->rd_pop, 0);
    b->written = b->taken = b->packets_written = b->packets_arrived = b->packets_begun = 0;
    b->write_out = b->write_in;
    b->written_of_packet = 0;
    b->in_packet = false;
    b->overflows = b->underflows = b->blind_pops = b->writes_without_space = 0;
}

/* Both sides; the content of the candidate and of the writer's queue is dropped. */
static void reset(crosspoint_bench *b)
{
    set_reset(b, true);
    contract_clocks(b, 5);
    set_reset(b, false);
}

/* A candidate after reset, nothing queued; the writer writes whenever it can, the reader pops nothing. */
static void *bench_new(const sim_config *config, unsigned fault)
{
    crosspoint_bench *b = contract_bench_new(sizeof *b, 0, config, fault);
    b->p = PORTS_AS(slot_crosspoint_two, b->c.model);
    b->same_clock = sim_config_parameter(config, "SAME_CLOCK", 0) != 0;
    b->words = 1u << (b->p->occupancy.bits - 1);
    sim_clock_params w = {.name = "wr_clk",
                          .period = PERIOD,
                          .ppm = -ways[contract_way].drift,
                          .jitter = (sim_time)ways[contract_way].jitter};
    sim_clock_params r = {.name = "rd_clk", .period = PERIOD, .ppm = ways[contract_way].drift, .jitter = w.jitter};
    r.phase = ways[contract_way].eighths < 0 ? -1 : ways[contract_way].eighths * PERIOD / 8; /* -1: at random */
    b->c.clk = b->read_clock = sim_clock_new(b->c.s, &w);
    if (!b->same_clock) b->read_clock = sim_clock_new(b->c.s, &r);
    sim_model_clock(b->c.model, b->c.clk, b->p->wr_clk.at);
    sim_model_clock(b->c.model, b->read_clock, b->p->rd_clk.at);
    b->write_percent = 100;
    b->keeps_to_space = true;
    if (b->same_clock) {
        sim_clock_attach(b->c.clk, sample_both, drive_both, b);
    } else {
        sim_clock_attach(b->c.clk, sample_write, drive_write, b);
        sim_clock_attach(b->read_clock, sample_read, drive_read, b);
    }
    reset(b);
    return b;
}

/* Queues a packet of `words` words, at least 5, for the writer. */
static void queue(crosspoint_bench *b, unsigned words)
{
    if (b->write_in - b->write_out == QUEUE || words < 5) abort();
    b->to_write[b->write_in++ % QUEUE] = words;
}

/* Until everything has come out. */
static void drain(crosspoint_bench *b)
{
    for (int i = 0; i < 1000 && !b->c.rule && (b->write_in != b->write_out || b->taken != b->written); i++)
        contract_clocks(b, 100);
    contract_clocks(b, 20);
    if (b->write_in != b->write_out || b->taken != b->written)
        contract_complain(b, WHOLE, "%u packets are not written, %u of %u words have not come out",
                          b->write_in - b->write_out, b->written - b->taken, b->written);
    if (b->packets_arrived != b->packets_written)
        contract_complain(b, ANNOUNCED, "%u packets were written, %u have arrived", b->packets_written,
                          b->packets_arrived);
}

/* ---- possible events ---- */

/* A packet that fits into the candidate together with some others. */
static unsigned some_words(crosspoint_bench *b)
{
    unsigned most = b->words / 3 > 127 ? 127 : b->words / 3;

    return contract_below(b, 2) ? 5 + contract_below(b, 4) : 5 + contract_below(b, most - 4);
}

/* Packets, written and read at these rates [%]; then all goes at full rate until everything is out. */
static void traffic(crosspoint_bench *b, unsigned packets, int write_percent, int pop_percent)
{
    b->write_percent = write_percent;
    b->pop_percent = pop_percent;
    for (unsigned n = 0; n < packets; n++) queue(b, some_words(b));
    contract_clocks(b, 40 * packets);
    b->pop_percent = b->write_percent = 100;
    drain(b);
}

/* As many of the shortest packets as fit in, as close as they can come, all waiting. */
static void fill(crosspoint_bench *b)
{
    b->pop_percent = 0;
    for (unsigned i = 0; i < b->words / 5 + 2; i++) queue(b, 5);
    contract_clocks(b, b->words + 100);
    if (b->written - b->taken < b->words - 1)
        contract_complain(b, ROOM, "no space after %u words, expected after %u at the soonest", b->written - b->taken,
                          b->words - 1);
    if (b->packets_arrived != b->packets_written)
        contract_complain(b, ANNOUNCED, "%u packets were written, %u have arrived", b->packets_written,
                          b->packets_arrived);
    b->pop_percent = 100;
    drain(b);
}

/* Nothing moves: the levels are those of `words` words inside. */
static void levels(crosspoint_bench *b, unsigned words)
{
    unsigned occupancy = (unsigned)sim_port_get(&b->p->occupancy), space = (unsigned)sim_port_get(&b->p->wr_space);
    if (occupancy != words)
        contract_complain(b, ROOM, "occupancy is %u at rest with %u words inside", occupancy, words);
    if (space < b->words - 1 - words)
        contract_complain(b, ROOM, "wr_space is %u at rest with %u of %u words inside", space, words, b->words);
}

/* One packet of this many words, stored completely. */
static void rest(crosspoint_bench *b, unsigned words)
{
    b->pop_percent = 0;
    queue(b, words);
    contract_clocks(b, words + 20);
    levels(b, words);
    b->pop_percent = 100;
    drain(b);
    levels(b, 0);
}

/* Written without a gap, read without a gap two clocks after `arrived`: packets of a whole crosspoint's length at most.
 */
static void stream(crosspoint_bench *b, unsigned packets)
{
    b->pop_percent = 100;
    b->streams = true;
    for (unsigned i = 0; i < packets && !b->c.rule; i++) {
        unsigned words = i % 4 == 0 ? (b->words > 130 ? 127 : b->words / 2) : some_words(b);
        queue(b, words);
        contract_clocks(b, words + 10 + contract_below(b, 20));
    }
    drain(b);
    b->keeps_to_space = false; /* and one behind the other: never more than some words inside */
    for (unsigned i = 0; i < packets; i++) queue(b, some_words(b));
    drain(b);
    b->keeps_to_space = true;
    b->streams = false;
}

/* Pops at random, with a word or without. */
static void pop_blindly(crosspoint_bench *b, unsigned packets)
{
    b->pops_blindly = true;
    b->write_percent = 50;
    for (unsigned i = 0; i < packets && !b->c.rule; i++) {
        queue(b, some_words(b));
        contract_clocks(b, 40);
    }
    drain(b);
    b->pops_blindly = false;
    b->write_percent = 100;
    contract_clocks(b, 10);
    if (b->underflows != b->blind_pops)
        contract_complain(b, UNDERFLOWS, "%u pops without a word, %u underflows", b->blind_pops, b->underflows);
}

/* A writer that does not keep to the space, and a reset. */
static void overflow(crosspoint_bench *b)
{
    b->keeps_to_space = false;
    b->pop_percent = 0;
    for (unsigned i = 0; i < b->words / 5 + 5; i++) queue(b, 5);
    contract_clocks(b, b->words + 100);
    if (!b->writes_without_space) contract_complain(b, LEVELS, "%u words fit in, there are %u", b->written, b->words);
    if (!b->overflows)
        contract_complain(b, OVERFLOWS, "no overflow after %u writes without space", b->writes_without_space);
    reset(b);
    b->keeps_to_space = true;
}

/* A reset while packets are under way. */
static void reset_amidst(void *bench)
{
    crosspoint_bench *b = bench;
    if (contract_below(b, 2)) overflow(b);
    b->pop_percent = contract_below(b, 2) ? 30 : 0;
    for (unsigned n = 0; n < 20; n++) queue(b, some_words(b));
    contract_clocks(b, 50 + contract_below(b, 400));
    reset(b);
    contract_clocks(b, 20);
    unsigned valid = (unsigned)sim_port_get(&b->p->rd_valid), occupancy = (unsigned)sim_port_get(&b->p->occupancy);
    unsigned space = (unsigned)sim_port_get(&b->p->wr_space);
    if (valid || occupancy || space < b->words - 1)
        contract_complain(b, CONTRACT_RESET, "after reset: rd_valid %u, occupancy %u, wr_space %u", valid, occupancy,
                          space);
}

/* ---- the checks ---- */

static const int rates[][2] = {{100, 100}, {100, 50}, {40, 100}, {60, 60}, {100, 15}};

CHECK(every_word_comes_out_once, .ways = FASTER_READER | FASTER_WRITER | PHASE_0)
{
    b->poisoned_percent = 40;
    for (int i = 0; i < COUNT(rates); i++) traffic(b, 60, rates[i][0], rates[i][1]);
}
CHECK(it_holds_all_but_one_of_its_words)
{
    for (int round = 0; round < 3; round++) fill(b);
}
CHECK(every_packet_is_announced_once, .ways = FASTER_READER | FASTER_WRITER)
{
    for (int round = 0; round < 3; round++) fill(b);
}
CHECK(space_and_occupancy_settle, .ways = FASTER_WRITER)
{
    for (unsigned n = 5; n < b->words - 10 && !b->c.rule; n += 1 + contract_below(b, 15)) {
        reset(b);
        rest(b, n);
    }
}
CHECK(an_arrival_is_announced_in_time, .ways = EVERY_PHASE)
{
    b->pop_percent = 100;
    for (unsigned i = 0; i < 40; i++) {
        queue(b, 5 + contract_below(b, 5));
        contract_clocks(b, 25 + contract_below(b, 10));
    }
    drain(b);
}
CHECK(a_packet_streams_through, .ways = FASTER_READER | FASTER_WRITER | PHASE_0) { stream(b, 60); }
CHECK(a_pop_without_a_word_does_nothing) { pop_blindly(b, 20); }
CHECK(a_write_without_space_is_reported, .ways = FASTER_WRITER)
{
    overflow(b);
    for (int round = 0; round < 3; round++) fill(b);
}
CHECK(reset_forgets_everything)
{
    for (int i = 0; i < 10; i++) reset_amidst(b);
    traffic(b, 20, 100, 100);
}

/* ---- the long run ---- */

static void part(void *bench)
{
    crosspoint_bench *b = bench;
    unsigned rate = contract_below(b, COUNT(rates));
    b->poisoned_percent = 40;
    traffic(b, 300, rates[rate][0], rates[rate][1]);
    fill(b);
    rest(b, 5 + contract_below(b, b->words - 15));
    stream(b, 60);
    pop_blindly(b, 60);
}

static const char *const rules[CROSSPOINT_RULES] = {
    [CONTRACT_STARVES] = "", /* no starvation rule */
    [WHOLE] = "every word comes out once, in order, with its marks",
    [ANNOUNCED] = "arrived once per packet, none lost",
    [IN_TIME] = "arrived 1 or 3 read clocks after the first word was written",
    [SHOWS] = "the first word shows at the latest a clock after arrived",
    [STREAMS] = "a reader two clocks behind arrived never waits",
    [LEVELS] = "wr_space and occupancy are never too high",
    [ROOM] = "all words but one fit, and levels settle",
    [EMPTY] = "without rd_valid all is 0",
    [OVERFLOWS] = "overflow reports a write without space, and nothing else",
    [UNDERFLOWS] = "underflow reports a pop without a word, and nothing else",
};

const contract_slot crosspoint_slot = {
    "rtl/switch/contracts.md", "packets", rules, COUNT(rules), bench_new, part, reset_amidst, NULL, false};
