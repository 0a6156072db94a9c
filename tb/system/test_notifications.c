/* Order of notifications: no local one before its transfer has left, no remote one and no interrupt before the data are
 * in memory, whatever flags are combined, on whatever host. */
#include <string.h>

#include "sim/model/cable/sniffer.h"
#include "system_bench.h"
#include "test.h"

/* Checks the order of notifications, each in the clock in which it shows, by the wire and the buses of both nodes:
 *
 *   - a local notification (its FRAME# already) comes behind the last word of every transfer that it counts, as those
 * left on the wire;
 *   - a remote notification is that of a transfer whose data are in memory, whole;
 *   - INTA# falls behind the data, and the notification if it has one, of a transfer with the interrupt flag that had
 * not arrived when the flag was cleared last;
 *   - each is written once, and only for transfers that asked for it (local counts may be written once for several).
 */
enum {
    ORDER_PIECES = 4000,
    ORDER_QUEUES = 16,
    ORDER_EVENT =
        8 /* bus clocks at most from the last word to the device's flag, and to the record of the transaction */
};

typedef struct order_piece {
    piece p;
    unsigned queue, flags;
    uint64_t left;  /* clock of the sender's bus in which its last word was on the wire; 0: not yet */
    unsigned notes; /* remote notifications written for it */
    uint64_t whole; /* clock of the receiver's bus in which its notification, or its last data, were written, everything
                       being there; 0: not yet */
} order_piece;

typedef struct order_watch {
    bench *b;
    sniffer *wire;
    order_piece piece[ORDER_PIECES];
    unsigned count;
    unsigned in_queue[ORDER_QUEUES][ORDER_PIECES]; /* pieces of each queue in order */
    unsigned posted[ORDER_QUEUES];
    uint32_t departed[ORDER_QUEUES]; /* count when the watch began */
    uint32_t notified[ORDER_QUEUES]; /* last local notification, counted from there */
    uint64_t local_words;
    int inta;
    uint64_t edge, cleared, cleared_before; /* clocks: INTA# fell last; last write to the interrupt register, and the
                                               last one before the edge */
    /* observations */
    unsigned local, remote, interrupts;
    unsigned early_local, early_remote, early_interrupt; /* before their time */
    unsigned strangers;                                  /* not requested, or twice */
    uint64_t nearest; /* fewest bus clocks between the last word on the wire and FRAME# of the notification */
} order_watch;

/* The piece whose destination ends here; destinations never overlap. */
static order_piece *ends_at(order_watch *w, uint32_t end)
{
    for (unsigned i = w->count; i-- > 0;)
        if (w->piece[i].p.destination + 8 * w->piece[i].p.words == end) return &w->piece[i];
    return NULL;
}

/* The last word of a frame is on the wire. */
static void frame(void *self, const sniffer_frame *f)
{
    order_watch *w = self;
    if (f->from || !f->has_header || f->is_check || f->end != SNIFFER_COMPLETE) return;
    order_piece *p = ends_at(w, f->address + 8 * f->length);
    if (p && !p->left) p->left = pcix_bus_clock(host_bus(w->b->n[0]->host));
}

/* ---- the sender's bus */

/* One transaction on the sender's bus; also called by tests, to feed the watch its faults. */
static void order_watch_local(order_watch *w, const pcix_transaction *t)
{
    unsigned queue = (unsigned)((t->address - w->local_words) / 8);
    uint32_t count = t->first_word - w->departed[queue];
    int asked = 0;
    w->local++;
    if (count > w->posted[queue]) {
        w->strangers++;
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        const order_piece *p = &w->piece[w->in_queue[queue][i]];
        if (!p->left || p->left >= t->start) w->early_local++;
        else if (t->start - p->left < w->nearest) w->nearest = t->start - p->left;
        if (i >= w->notified[queue]) asked |= p->flags & NX_LOCAL;
    }
    if (!asked) w->strangers++; /* nothing new in it that wanted a notification */
    w->notified[queue] = count;
}

static void sender_bus(void *self, const pcix_transaction *t)
{
    order_watch *w = self;
    if (t->initiator != w->b->n[0]->nic_agent || !t->bytes || !pcix_is_memory_write(t->command)) return;
    if (t->address < w->local_words || t->address >= w->local_words + 8 * ORDER_QUEUES) return;
    order_watch_local(w, t);
}

/* ---- the receiver's bus */

/* The NIC has written something that ends at `end`. */
static void data_written(order_watch *w, uint32_t end, uint64_t clock)
{
    order_piece *p = ends_at(w, end);
    if (p && !(p->flags & NX_REMOTE) && bench_arrived(w->b, &p->p)) p->whole = clock;
}

static void note_written(order_watch *w, uint64_t clock)
{
    uint64_t note = memory_get64(host_memory(w->b->n[1]->host), w->b->flow[0].word);
    frame_header h = frame_header_read(note);
    order_piece *p = ends_at(w, h.address + 8 * h.length);
    w->remote++;
    if (!p || !(p->flags & NX_REMOTE) || p->notes++) w->strangers++;
    else if (!bench_arrived(w->b, &p->p)) w->early_remote++;
    else p->whole = clock;
}

static void receiver_bus(void *self, const pcix_transaction *t)
{
    order_watch *w = self;
    if (t->command == PCIX_CONFIG_WRITE && (t->address & 0xfc) == 0x40) w->cleared = t->last_data;
}

static void written(void *self, const pcix_transaction *t, sim_time when)
{
    order_watch *w = self;
    (void)when;
    if (t->initiator != w->b->n[1]->nic_agent) return;
    if (t->address == w->b->flow[0].word) note_written(w, t->last_data);
    else data_written(w, (uint32_t)(t->address + t->bytes), t->last_data);
}

/* INTA# fell: for something that became whole before that, and not before the flag was cleared. */
static int has_cause(const order_watch *w)
{
    for (unsigned i = w->count; i-- > 0;) {
        const order_piece *p = &w->piece[i];
        if (p->flags & NX_INTERRUPT && p->whole && p->whole < w->edge && p->whole + ORDER_EVENT >= w->cleared_before)
            return 1;
    }
    return 0;
}

static void receiver_clock(void *self, const pcix_sample *s)
{
    order_watch *w = self;
    uint64_t now = pcix_bus_clock(host_bus(w->b->n[1]->host));
    if (s->inta && !w->inta) {
        w->interrupts++;
        w->edge = now;
        w->cleared_before = w->cleared;
    }
    /* writes are checked some clocks late */
    if (w->edge && now == w->edge + 2 * ORDER_EVENT) w->early_interrupt += !has_cause(w);
    w->inta = s->inta != 0;
}

/* ---- life */

/* For packets of node 0; once per simulation. */
static void order_watch_start(order_watch *w, bench *b)
{
    memset(w, 0, sizeof *w); /* it is large for the stack of a task */
    w->b = b;
    w->nearest = UINT64_MAX;
    w->local_words = bench_get(b, 0, NIC_LOCAL_NOTIFY_LOW);
    for (unsigned q = 0; q < nx_queues(b->n[0]->dev); q++) w->departed[q] = bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * q);
    w->wire = sniffer_new(frame, w);
    ck_assert_int_eq(sniffer_attach(w->wire, b->wire, 0), 0);
    ck_assert_int_ge(host_on_transaction(b->n[0]->host, sender_bus, w), 0);
    ck_assert_int_ge(host_on_transaction(b->n[1]->host, receiver_bus, w), 0);
    ck_assert_int_ge(host_on_written(b->n[1]->host, written, w), 0);
    ck_assert_int_ge(pcix_bus_add_watcher(host_bus(b->n[1]->host), receiver_clock, w), 0);
}

/* Posts one transfer of `words` on a queue, with NX_REMOTE, NX_LOCAL, NX_INTERRUPT, NX_START. */
static void order_watch_post(order_watch *w, unsigned words, unsigned queue, unsigned flags)
{
    ck_assert_uint_lt(w->count, ORDER_PIECES);
    order_piece *o = &w->piece[w->count];
    *o = (order_piece){.p = bench_make(w->b, 0, words), .queue = queue, .flags = flags};
    w->in_queue[queue][w->posted[queue]++] = w->count++;
    bench_post_on(w->b, &o->p, queue, flags);
}

/* Waits until everything has left and arrived; nothing was early, unexpected or missing, all data are in memory. */
static void order_watch_end(order_watch *w)
{
    for (unsigned q = 0; q < ORDER_QUEUES; q++)
        if (w->posted[q]) bench_ok(w->b, 0, nx_drain(w->b->n[0]->dev, q));
    /* a receive buffer full of small packets takes a slow bus some time */
    for (unsigned tries = 0, i = 0; tries < 100; tries++) {
        while (i < w->count && bench_arrived(w->b, &w->piece[i].p)) i++;
        if (i == w->count) break;
        bench_wait(w->b, 5 * SIM_US);
    }
    bench_wait(w->b, 10 * SIM_US); /* the last notification */
    ck_assert_msg(!w->early_local, "%u local notifications counted transfers that had not left", w->early_local);
    ck_assert_msg(!w->early_remote, "%u remote notifications before their data", w->early_remote);
    ck_assert_msg(!w->early_interrupt, "%u interrupts before their data", w->early_interrupt);
    ck_assert_msg(!w->strangers, "%u notifications without a request", w->strangers);
    for (unsigned q = 0; q < ORDER_QUEUES; q++)
        for (unsigned i = 0; i < w->posted[q]; i++) {
            const order_piece *o = &w->piece[w->in_queue[q][i]];
            bench_must_arrive(w->b, &o->p);
            ck_assert_uint_gt(o->left, 0);
            ck_assert_uint_eq(o->notes, o->flags & NX_REMOTE ? 1 : 0);
            if (o->flags & NX_LOCAL)
                ck_assert_msg(w->notified[q] > i, "queue %u: no local notification for transfer %u", q, i);
        }
}

/* ---- tests */

enum { PIECES = 160 };

static order_watch w;

/* The driver adds local notifications of its own so that slots come free. */
static unsigned with_own(const bench *b, unsigned flags, unsigned since_last)
{
    return since_last + 1 >= nx_parameters(b->n[0]->dev)->notify_every ? flags | NX_LOCAL : flags;
}

/* Takes interrupts as they come: an enabling write clears the flag, and the next interrupt shows as an edge. */
static int over;
static int interrupted_or_over(void *arg) { return over || host_interrupt(arg); }

static void handler(void *arg)
{
    node *n = arg;
    for (;;) {
        sim_wait_until(n->pci_clock, interrupted_or_over, n->host);
        if (over) return;
        sim_wait_cycles(n->pci_clock, sim_random_below(n->s, 200));
        host_config_write(n->host, NODE_DEVICE, 0x40, 4, 1);
        sim_wait_cycles(n->pci_clock, 2);
    }
}

TEST_CASE("notifications", .timeout = 60);

static void hosts(pair_params *p, int variation)
{
    p->sim.seed += (uint64_t)variation;
    for (int i = 0; i < 2; i++) {
        host_params *h = &p->node[i].host;
        switch (variation & 7) {
        case 0:
            break;
        case 1:
            *h = host_params_ideal();
            break;
        case 2: /* retries everywhere: each half of the device has to come again */
            h->write_retries = 3;
            h->read_retries = 2;
            break;
        case 3: /* writes in pieces of 128 bytes */
            *h = host_params_ideal();
            h->write_buffer = 128;
            break;
        case 4: /* wait states, slow decoding, 32 bits */
            h->write_waits = 6;
            h->decode = 6;
            h->narrow = true;
            break;
        case 5: /* slow reads, so that departures come one by one */
            h->split_latency = 400;
            break;
        case 6: /* the sender much slower than the link */
            p->node[i].pci_mhz = 66;
            break;
        case 7:
            p->driver.payload_words = 7;
            break;
        }
    }
}

SOFTWARE_TEST_ON(hosts, no_notification_comes_before_its_time, .to = 16)
{
    unsigned since[ORDER_QUEUES] = {0};
    over = 0;
    order_watch_start(&w, b);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x40, 4, 1), 0);
    sim_task_new(b->s, "handler", handler, b->n[1]);
    for (unsigned i = 0; i < PIECES; i++) {
        unsigned queue = (unsigned)sim_random_below(b->s, 8), flags = NX_START;
        unsigned words = 1 + (unsigned)sim_random_below(b->s, sim_random_below(b->s, 3) ? 20 : 512);
        if (sim_random_below(b->s, 2)) flags |= NX_REMOTE;
        if (sim_random_below(b->s, 2)) flags |= NX_LOCAL;
        if (sim_random_below(b->s, 3) == 0) flags |= NX_INTERRUPT;
        flags = with_own(b, flags, since[queue]);
        since[queue] = flags & NX_LOCAL ? 0 : since[queue] + 1;
        order_watch_post(&w, words, queue, flags);
        if (sim_random_below(b->s, 10) == 0) bench_wait(b, sim_random_below(b->s, 10 * SIM_US));
        if (_i & 8 && i % 60 == 30) { /* the receiver stops: packets wait for credit, without notifications */
            bench_initiator(b, 1, 0);
            bench_wait(b, 60 * SIM_US);
            bench_initiator(b, 1, 1);
        }
    }
    order_watch_end(&w);
    ck_assert_uint_gt(w.local, PIECES / 4);
    ck_assert_uint_gt(w.remote, PIECES / 3);
    ck_assert_uint_gt(w.interrupts, PIECES / 10);
    bench_expect_nothing(b, ALL);
    over = 1;
}

/* ---- the watch must see each fault */

SOFTWARE_TEST(the_watch_catches_early_and_strange_local_notifications, .to = 4)
{
    over = 0;
    order_watch_start(&w, b);
    bench_initiator(b, 1, 0); /* nothing more is taken at the receiver ... */
    for (unsigned i = 0; i < 60; i++) order_watch_post(&w, 62, 1, NX_START | NX_LOCAL);
    bench_wait(b, 100 * SIM_US);
    unsigned left = 0;
    while (left < 60 && w.piece[left].left) left++;
    ck_assert_uint_gt(left, 5);
    ck_assert_uint_lt(left, 50); /* ... so these have not left */
    ck_assert_uint_eq(w.notified[1], left);
    ck_assert_uint_eq(w.early_local, 0);
    uint64_t now = pcix_bus_clock(host_bus(b->n[0]->host));
    pcix_transaction t = {
        .address = w.local_words + 8, .start = now, .first_word = w.departed[1] + left + (unsigned)_i};
    switch (_i) {
    case 0: /* notified again */
        order_watch_local(&w, &t);
        ck_assert_uint_eq(w.early_local, 0);
        ck_assert_uint_eq(w.strangers, 1);
        break;
    case 1: /* one too many */
        order_watch_local(&w, &t);
        ck_assert_uint_eq(w.early_local, 1);
        break;
    case 2: /* right, but begun before the last word had left */
        t.first_word = w.departed[1] + left;
        t.start = w.piece[left - 1].left;
        w.notified[1] = left - 1;
        order_watch_local(&w, &t);
        ck_assert_uint_eq(w.early_local, 1);
        break;
    case 3: /* more than were ever posted */
        t.first_word = w.departed[1] + 61;
        order_watch_local(&w, &t);
        ck_assert_uint_eq(w.strangers, 1);
        break;
    default:
        break;
    }
    over = 1;
}

/* The last word of the data is taken away as it comes, as if not yet written, before the watch sees it. */
struct thief {
    bench *b;
    unsigned thefts;
};

static void steal(void *self, const pcix_transaction *t, sim_time when)
{
    struct thief *f = self;
    uint64_t zero = 0;
    (void)when;
    if (!w.count) return;
    const order_piece *p = &w.piece[w.count - 1];
    if (t->initiator != f->b->n[1]->nic_agent || t->address == w.b->flow[0].word) return;
    if (t->address + t->bytes != p->p.destination + 8 * p->p.words) return;
    memory_write(host_memory(f->b->n[1]->host), p->p.destination + 8 * (p->p.words - 1), &zero, 8);
    f->thefts++;
}

SOFTWARE_TEST(the_watch_catches_notifications_and_interrupts_before_the_data, .to = 2)
{
    static struct thief f;
    f = (struct thief){b, 0};
    ck_assert_int_eq(host_on_written(b->n[1]->host, steal, &f), 0);
    over = 0;
    order_watch_start(&w, b);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x40, 4, 1), 0);
    order_watch_post(&w, 30, 1, NX_START | (_i ? NX_INTERRUPT : NX_REMOTE));
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(f.thefts, 1);
    ck_assert_uint_eq(w.early_remote, _i ? 0 : 1);
    ck_assert_uint_eq(w.early_interrupt, _i ? 1 : 0);
    over = 1;
}
