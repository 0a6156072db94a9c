/* receive_timer: packets that come in one clock and are written in another, between a FIFO and a bus that are played
 * here. Each time it reports is the number of bus clocks from the SOP to REQ#, exactly; and it measures each packet
 * that it must, and no other. */
#include "receive_timer.h"
#include "receive_timer_4packet.h"
#include "receive_timer_byte.h"
#include "sim/core/kernel/sim.h"
#include "simulation.h"
#include "test.h"

#include <string.h>

enum { NET = 12800, PLACES = 64, HEADER = 6 /* clocks from the SOP on the pins to the header at the FIFO */ };

/* One link; four by packet: SOPs of others come between; by byte: its words wait `waits` clocks more, the SOP one. */
static const struct {
    const sim_config *config;
    unsigned links, waits;
} kinds[] = {{&receive_timer_config, 1, 0},
             {&receive_timer_4packet_config, 4, 0},
             {&receive_timer_byte_config, 1, 1},
             {&receive_timer_byte_config, 1, 14}};

typedef struct packet {
    unsigned words;         /* in the FIFO */
    uint64_t since;         /* bus clocks before its SOP stood on the pins */
    int dropped, candidate; /* it found the FIFO empty */
} packet;

static struct {
    sim *s;
    receive_timer *m;
    unsigned links, waits, link; /* link: of the packet that comes */
    sim_clock *net, *pci;
    packet at[PLACES];
    unsigned stored, popped;   /* packets */
    unsigned phase, gap, left; /* of the packet that comes: clocks since its SOP, until the next SOP, words to come */
    unsigned in_fifo;          /* words as the network clock knows them */
    unsigned freed, freed_was; /* words popped, and their number known in the network clock */
    uint64_t count[4];         /* bus clocks before the last network edges */
    uint64_t since;            /* of the packet that comes */
    unsigned written[2];       /* packets whose header is in the FIFO, 1 and 2 network clocks ago */
    unsigned seen[3];          /* ... and across the FIFO, 1..3 bus clocks ago */
    unsigned busy, words;      /* of the bus: clocks until something happens, words of the packet there */
    enum { IDLE, TAKEN, WRITING } bus;
    packet *open; /* the one that is being measured */
    unsigned measured, dropped, between;
    uint32_t clocks, packets; /* as reported last */
} t;

static void before_net_edge(void *self)
{
    (void)self;
    for (unsigned i = 3; i; i--) t.count[i] = t.count[i - 1];
    t.count[0] = sim_clock_cycles(t.pci);
}

/* A packet is SOP, header in 3 words, one more if a credit is with it, body, its CRC; at least this many clocks later
 * the next one. */
static void after_net_edge(void *self)
{
    (void)self;
    receive_timer *m = t.m;
    *m->sop = *m->stored = 0;
    t.written[1] = t.written[0];
    t.written[0] = t.stored;
    *m->net_now = (uint32_t)(t.count[3] & 0xffffff);
    t.in_fifo -= t.freed_was;
    t.freed_was = t.freed;
    t.freed = 0;
    *m->empty = t.in_fifo == 0;
    if (t.phase == 0) {
        if (t.gap) {
            t.gap--;
            return;
        }
        t.left = 1 + (unsigned)sim_random_below(t.s, 4) * (unsigned)sim_random_below(t.s, 16);
        t.since = t.count[0];
    }
    for (unsigned l = 0; l < t.links; l++)
        if (l != t.link && !sim_random_below(t.s, 4)) *m->sop |= (uint8_t)(1u << l);
    if (t.phase == (t.waits ? 3 + t.waits : 2)) *m->sop |= (uint8_t)(1u << t.link);
    if (t.phase == HEADER + t.waits) {
        packet *p = &t.at[t.stored % PLACES];
        ck_must(t.stored - t.popped < PLACES, "more packets than places");
        *p = (packet){
            .words = 1 + t.left, .since = t.since, .dropped = !sim_random_below(t.s, 6), .candidate = t.in_fifo == 0};
        *m->stored = (uint8_t)(1u << t.link);
        t.stored++;
        t.in_fifo += p->words;
    }
    if (++t.phase == HEADER + t.waits + 2 * t.left + 3) {
        t.phase = 0;
        t.link = (unsigned)sim_random_below(t.s, t.links);
        t.gap = sim_random_below(t.s, 3) ? (unsigned)sim_random_below(t.s, 150) : 0;
    }
}

static void expect(void)
{
    receive_timer *m = t.m;
    uint32_t counted = *m->packets - t.packets, took = *m->clocks - t.clocks;
    ck_assert_uint_eq(counted, t.between);
    if (counted) ck_assert_uint_eq(took, (uint32_t)t.open->since);
    t.packets = *m->packets;
    t.clocks = *m->clocks;
    t.measured += counted;
    t.between = 0;
    if (counted) t.open = NULL;
}

static void after_pci_edge(void *self)
{
    (void)self;
    receive_timer *m = t.m;
    uint64_t now = sim_clock_cycles(t.pci);
    expect();
    *m->now = (uint32_t)(now & 0xffffff);
    *m->taken = 0;
    unsigned there = t.seen[2];
    for (unsigned i = 2; i; i--) t.seen[i] = t.seen[i - 1];
    t.seen[0] = t.written[1];
    if (t.busy && --t.busy) return;
    packet *p = &t.at[t.popped % PLACES];
    if (t.bus == IDLE && there != t.popped) {
        *m->taken = 1;
        t.popped++;
        t.words = p->words;
        if (t.open) t.open = NULL; /* it was dropped: this one came while it was waited for */
        else if (p->candidate) t.open = p;
        t.bus = p->dropped ? IDLE : TAKEN;
        if (p->dropped) t.freed += p->words, t.dropped += t.open == p;
        t.busy = 1 + (unsigned)sim_random_below(t.s, p->dropped ? 2 : 40);
    } else if (t.bus == TAKEN) {
        *m->requested = 1;
        p = &t.at[(t.popped - 1) % PLACES];
        if (t.open == p) {
            p->since = now - p->since;
            t.between = *m->run;
        }
        t.bus = WRITING;
        t.busy = 1 + t.words;
    } else if (t.bus == WRITING) {
        *m->requested = 0;
        t.freed += t.words;
        t.bus = IDLE;
        t.busy = 1 + (unsigned)sim_random_below(t.s, 20);
    }
}

static void start(unsigned kind, sim_time pci_period)
{
    memset(&t, 0, sizeof t);
    t.s = loud_sim(0);
    t.pci = make_clock(t.s, "pci", pci_period, -1);
    t.net = make_clock(t.s, "net", NET, -1);
    t.m = MODEL_AS(receive_timer, make_model(t.s, kinds[kind].config, "timer"), NULL);
    t.links = kinds[kind].links;
    t.waits = kinds[kind].waits;
    clear_inputs(t.m->model);
    *t.m->sop_wait = (uint8_t)t.waits;
    sim_model_clock(t.m->model, t.pci, t.m->pci_clk);
    sim_model_clock(t.m->model, t.net, t.m->net_clk);
    *t.m->pci_rst = *t.m->net_rst = 1;
    run_clocks(t.s, t.net, 5);
    *t.m->pci_rst = *t.m->net_rst = 0;
    t.gap = 20;
    sim_clock_attach(t.net, before_net_edge, after_net_edge, NULL);
    sim_clock_attach(t.pci, NULL, after_pci_edge, NULL);
}

TEST_CASE("receive_timer", .timeout = 60);

TEST(each_time_is_that_of_the_pins, .to = 3 * COUNT(kinds))
{
    static const sim_time period[] = {7500, 10000, 15000};
    start((unsigned)_i / 3, period[_i % 3]);
    *t.m->run = 1;
    run_clocks(t.s, t.pci, 150000);
    ck_assert_uint_gt(t.measured, 300);
    ck_assert_uint_gt(t.dropped, 30);
    ck_assert_uint_gt(t.stored - t.measured - t.dropped, 100); /* the others found something in the FIFO */
}

TEST(without_time_nothing_is_measured)
{
    start(0, 10000);
    run_clocks(t.s, t.pci, 400);
    ck_assert_uint_eq(*t.m->packets, 0);
}
