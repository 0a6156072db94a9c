/* Waiting by interrupts: the race between enabling them and an arrival (S4 4.1), at every relative clock; coalescing
 * that loses no wake-up.
 *
 * Node 0 sends messages of one word into a ring at node 1. Node 1 sleeps in one of these ways:
 *   DRIVER   nx_wait_event: look; enable, which clears the flag; read a register; look again; sleep
 *   HANDLER  as the kernel of S4 4.1: the interrupt is switched off at once, all messages are taken, then as above
 * and in ways that are wrong and must show:
 *   FORGETFUL           the handler without the second look
 *   FORGETFUL_DRIVER    the driver without it
 *   LOSING              the handler on a device whose INTA# misses an arrival within LOSES clocks of the enabling write
 *
 * Arrivals are moved clock by clock as packets reach the NIC. The words it writes then and the accesses of the CPU take
 * turns on the bus, so events in memory and in the device keep some distance. That the device's flag itself follows the
 * rule when arrival and write meet in one clock is seen on its pins in tb/unit/pcix/test_config.c.
 */
#include "sim/core/kernel/model.h"
#include "sim/model/cable/sniffer.h"
#include "system_bench.h"
#include "test.h"

enum way { DRIVER, HANDLER, FORGETFUL, FORGETFUL_DRIVER, LOSING };
enum {
    RING = 64,
    INTERRUPT_REGISTER = 0x40,
    BEFORE = 20,
    BEHIND = 90,
    LOSES = 40,
    FALL = 4 /* clocks from an arrival to INTA# */
};

struct race {
    bench *b;
    node *n;
    enum way way;
    uint64_t ring, source;
    sniffer *wires;
    unsigned sent, taken;
    unsigned looks, forget; /* of the driver: the look that finds nothing */
    unsigned late;          /* a sleep ended without an interrupt, and a message was there */
    unsigned interrupts;    /* a sleep ended by one */
    /* one trial, in clocks of node 1; 0: not yet */
    uint64_t wire, first_look, write, event, look_again, note;
    int lost;      /* LOSING: INTA# says nothing of the last arrival */
    int low_later; /* INTA# low some clocks after both, before the register was written again */
    uint64_t writes, deadline;
};

/* ---- actions of the device, clock by clock */

static int low(const struct race *r) { return host_interrupt(r->n->host) && !r->lost; }

static void frame(void *self, const sniffer_frame *f)
{
    struct race *r = self;
    if (f->from == 0 && f->has_header && !f->is_check) r->wire = sim_clock_cycles(r->n->pci_clock);
}

static void sample(void *self)
{
    struct race *r = self;
    uint64_t now = sim_clock_cycles(r->n->pci_clock), event = 0, write = 0;
    if (sim_model_word(r->n->nic.model, "nic.pcix.config_space", "irq_event", &event) ||
        sim_model_word(r->n->nic.model, "nic.pcix.config_space", "write_irq", &write))
        sim_fail(r->b->s, "no signals irq_event and write_irq of the configuration space");
    if (event && !r->event) r->event = now;
    if (write && !r->writes++) r->write = now;
    r->lost = r->way == LOSING && r->writes == 1 && r->event >= r->write && r->event < r->write + LOSES;
    if (r->writes == 1 && r->event && now > r->event + FALL && now > r->write + FALL) r->low_later |= low(r);
}

static void written(void *self, const pcix_transaction *t)
{
    struct race *r = self;
    if (t->initiator == r->n->nic_agent && t->address == r->ring + 8 * ((r->sent - 1) % RING))
        r->note = sim_clock_cycles(r->n->pci_clock);
}

/* ---- node 1 */

static int there(const struct race *r)
{
    return memory_get64(host_memory(r->n->host), r->ring + 8 * (r->taken % RING)) == r->taken + 1;
}

static int look(void *arg)
{
    struct race *r = arg;
    r->looks++;
    if (r->looks == 2 && !r->look_again) r->look_again = sim_clock_cycles(r->n->pci_clock);
    return r->looks != r->forget && there(r);
}

static void set_interrupts(struct race *r, uint32_t on)
{
    ck_assert_int_eq(host_config_write(r->n->host, NODE_DEVICE, INTERRUPT_REGISTER, 4, on), 0);
}

static int low_or_late(void *arg)
{
    const struct race *r = arg;
    return low(r) || sim_now(r->b->s) >= r->deadline;
}

/* One round of the handler's sleep. */
static void handler_sleep(struct race *r)
{
    r->looks = 0;
    if (look(r)) return;
    set_interrupts(r, 1);
    bench_get(r->b, 1, NIC_CONTROL);
    if (look(r)) return;
    r->deadline = sim_now(r->b->s) + nx_parameters(r->n->dev)->interrupt_slice_ns * SIM_NS;
    sim_wait_until(r->n->pci_clock, low_or_late, r);
    if (!low(r)) {
        r->late += (unsigned)there(r);
        return;
    }
    r->interrupts++;
    set_interrupts(r, 0); /* top half */
}

static void take(struct race *r)
{
    if (!r->first_look) r->first_look = sim_clock_cycles(r->n->pci_clock);
    while (!there(r)) {
        if (r->way == DRIVER || r->way == FORGETFUL_DRIVER) {
            nx_wait_statistics before = nx_wait_counts(r->n->dev);
            r->looks = 0;
            ck_assert_int_eq(nx_wait_event(r->n->dev, look, r), 0);
            r->late += (unsigned)(nx_wait_counts(r->n->dev).late - before.late);
            r->interrupts += (unsigned)(nx_wait_counts(r->n->dev).interrupts - before.interrupts);
        } else {
            handler_sleep(r);
        }
    }
    /* each is taken once: the next round of the ring has another number in this place */
    r->taken++;
}

static void send(struct race *r, unsigned flags)
{
    nx_descriptor d = {.source = r->source + 8 * (r->sent % RING),
                       .destination = (uint32_t)r->ring + 8 * (r->sent % RING),
                       .words = 1,
                       .flow = 1,
                       .flags = flags | NX_START | NX_INTERRUPT};
    uint64_t number = ++r->sent;
    memory_write(host_memory(r->b->n[0]->host), d.source, &number, 8);
    bench_ok(r->b, 0, nx_post(r->b->n[0]->dev, &d, NULL));
}

static void start(struct race *r, bench *b, enum way way)
{
    *r = (struct race){.b = b, .n = b->n[1], .way = way, .forget = way == FORGETFUL || way == FORGETFUL_DRIVER ? 2 : 0};
    r->ring = b->n[1]->platform.alloc(b->n[1], 8 * RING, 4096);
    r->source = b->n[0]->platform.alloc(b->n[0], 8 * RING, 4096);
    if (way == DRIVER || way == FORGETFUL_DRIVER) ck_assert_int_eq(nx_use_interrupts(b->n[1]->dev, 1), 0);
    sim_clock_attach(r->n->pci_clock, sample, NULL, r);
    r->wires = sniffer_new(frame, r);
    ck_assert_int_eq(sniffer_attach(r->wires, b->wire, 0), 0);
    ck_assert_int_ge(host_on_transaction(r->n->host, written, r), 0);
}

/* ---- the race */

struct sweep {
    uint64_t way_in; /* clocks from the last word on the wire to the word in memory, with an idle bus */
    /* trials by clocks from the first look to the moment in which the word would be in memory on an idle bus, -BEFORE
     * .. BEHIND */
    unsigned arrivals[BEFORE + BEHIND + 1];
    unsigned sum;                     /* clocks waited + that offset, which hardly varies */
    uint64_t to_write, to_look_again; /* clocks from the first look, at most */
    unsigned trials, lost_by_device, lost_by_driver, between;
};

static void trial(struct race *r, struct sweep *s, unsigned wait, unsigned flags)
{
    nx_notification note;
    if (r->way >= HANDLER && r->way != FORGETFUL_DRIVER) set_interrupts(r, 0);
    bench_wait(r->b, sim_random_below(r->b->s, SIM_US)); /* any phase of the two clocks */
    r->wire = r->first_look = r->write = r->event = r->look_again = r->note = 0;
    r->low_later = 0;
    r->writes = 0;
    unsigned late = r->late, taken = r->taken;
    send(r, flags);
    sim_wait_cycles(r->n->pci_clock, wait);
    take(r);
    sim_wait_cycles(r->n->pci_clock, 40);
    ck_assert_uint_eq(r->taken, taken + 1);
    ck_assert(r->event && r->note);
    ck_assert_int_eq(nx_notification_poll(r->n->dev, 0, &note), flags & NX_REMOTE ? 1 : 0);
    ck_assert_int_eq(nx_notification_poll(r->n->dev, 0, &note), 0);
    s->trials++;
    s->lost_by_driver += r->late - late;
    int64_t f = (int64_t)(r->wire + s->way_in - r->first_look), d = (int64_t)(r->event - r->write);
    s->sum = (unsigned)((int)wait + (int)f);
    if (f >= -BEFORE && f <= BEHIND) s->arrivals[f + BEFORE]++;
    if (!r->write) return; /* it was there at the first look */
    if (r->write - r->first_look > s->to_write) s->to_write = r->write - r->first_look;
    if (r->look_again > r->first_look + s->to_look_again) s->to_look_again = r->look_again - r->first_look;
    /* an arrival in the clock of the write wins; one before it is cleared */
    if (r->writes == 1 && d >= 0) s->lost_by_device += !r->low_later;
    if (r->writes == 1 && d < 0)
        ck_assert_msg(!r->low_later, "INTA# is low after an arrival %lld clocks before the write", (long long)-d);
    if (d < 0 && r->note > r->first_look) s->between++;
}

/* Every offset from before the first look to well behind the beginning of the sleep. */
static void sweep(struct race *r, struct sweep *s)
{
    static const unsigned flags[] = {0, NX_REMOTE, NX_LOCAL, NX_REMOTE | NX_LOCAL};
    unsigned arrival, missing = 0;
    nx_notification note;
    uint64_t begin = sim_clock_cycles(r->n->pci_clock);
    send(r, NX_REMOTE | NX_LOCAL); /* how long a message takes */
    while (!there(r)) sim_wait_cycles(r->n->pci_clock, 1);
    arrival = (unsigned)(sim_clock_cycles(r->n->pci_clock) - begin);
    bench_wait(r->b, SIM_US);
    s->way_in = r->note - r->wire;
    r->taken++;
    ck_assert_int_eq(nx_notification_poll(r->n->dev, 0, &note), 1);
    ck_assert_uint_gt(arrival, BEHIND + 75);
    for (unsigned k = arrival - BEHIND - 75; k < arrival + BEFORE + 5; k++) trial(r, s, k, flags[k % 4]);
    /* cases that the phases of the clocks have left out */
    for (int f = -BEFORE; f <= BEHIND; f++)
        for (unsigned tries = 0; !s->arrivals[f + BEFORE] && tries < 60; tries++)
            trial(r, s, (unsigned)((int)s->sum - f - 4 + (int)sim_random_below(r->b->s, 9)), flags[tries % 4]);
    for (unsigned i = 0; i < BEFORE + BEHIND + 1; i++) missing += !s->arrivals[i];
    ck_assert_msg(!missing, "%u offsets were not met in %u trials", missing, s->trials);
    ck_assert_uint_gt(BEHIND, s->to_look_again + 30); /* well into the sleep */
}

TEST_CASE("interrupts", .timeout = 120);

static void long_cable(pair_params *p, int variation)
{
    if (variation >= 5) p->node[0].host = p->node[1].host = host_params_ideal();
    p->cable.latency_clocks = 150; /* time enough to send first and begin to wait afterwards */
}

SOFTWARE_TEST_ON(long_cable, an_arrival_is_seen_at_every_clock_around_the_enabling_write, .to = 10)
{
    static struct race r;
    static struct sweep s;
    s = (struct sweep){0};
    start(&r, b, (enum way)(_i % 5));
    sweep(&r, &s);
    ck_assert_uint_gt(s.between, 0); /* the case that needs the second look was there */
    switch (r.way) {
    case DRIVER:
    case HANDLER:
        ck_assert_uint_eq(s.lost_by_device, 0);
        ck_assert_uint_eq(s.lost_by_driver, 0);
        break;
    case FORGETFUL:
    case FORGETFUL_DRIVER: /* every arrival between the first look and the write: found 50 us late */
        ck_assert_uint_eq(s.lost_by_device, 0);
        ck_assert_uint_eq(s.lost_by_driver, s.between);
        break;
    case LOSING:
        ck_assert_uint_gt(s.lost_by_device, 0);
        ck_assert_uint_gt(s.lost_by_driver, 0);
        break;
    }
    bench_expect_nothing(b, ALL);
    sim_clock_detach(r.n->pci_clock, &r);
}

/* ---- coalescing */

enum { MESSAGES = 300 };

static void flood(void *arg)
{
    struct race *r = arg;
    static const unsigned flags[] = {0, NX_REMOTE, NX_LOCAL, NX_REMOTE | NX_LOCAL};
    sim *s = r->b->s;
    while (r->sent < MESSAGES) {
        while (r->sent - r->taken >= RING - 1) sim_wait_cycles(r->b->n[0]->pci_clock, 50);
        send(r, flags[sim_random_below(s, 4)]);
        if (sim_random_below(s, 3) == 0) sim_wait_cycles(r->b->n[0]->pci_clock, sim_random_below(s, 700));
    }
}

static void hosts(pair_params *p, int variation)
{
    p->sim.seed += (uint64_t)variation;
    if (variation & 2) p->node[0].host = p->node[1].host = host_params_ideal();
    if (variation & 4) p->node[0].host.combining = p->node[1].host.combining = write_combining_wild();
}

SOFTWARE_TEST_ON(hosts, many_messages_share_interrupts_and_none_is_missed, .to = 8)
{
    static struct race r;
    start(&r, b, (enum way)(_i % 2));
    sim_task *task = sim_task_new(b->s, "flood", flood, &r);
    while (r.taken < MESSAGES) {
        take(&r);
        if (sim_random_below(b->s, 4) == 0) sim_wait_cycles(r.n->pci_clock, sim_random_below(b->s, 600));
    }
    sim_join(task);
    ck_assert_uint_eq(r.taken, r.sent);
    ck_assert_uint_eq(r.late, 0);
    ck_assert_uint_gt(r.interrupts, MESSAGES / 20);
    ck_assert_uint_lt(r.interrupts, MESSAGES * 2 / 3); /* several messages, one interrupt */
    bench_expect_nothing(b, ALL);
    sim_clock_detach(r.n->pci_clock, &r);
}
