/* Order of notifications: no local one before its transfer has left, no remote one and no interrupt before the data are in memory, whatever
 * flags are combined, on whatever host. */
#include "order_watch.h"
#include "test.h"

enum { PIECES = 160 };

static order_watch w;

/* The driver adds local notifications of its own so that slots come free. */
static unsigned with_own(const bench *b, unsigned flags, unsigned since_last)
{
    return since_last + 1 >= nx_parameters(b->n[0]->dev)->notify_every ? flags | NX_LOCAL : flags;
}

/* Takes interrupts as they come: an enabling write clears the flag, and the next interrupt shows as an edge. */
static int over;
static int interrupted_or_over(void *arg)
{
    return over || host_interrupt(arg);
}

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

static void mixed(bench *b, int variation)
{
    unsigned since[ORDER_QUEUES] = {0};
    over = 0;
    order_watch_start(&w, b, 0);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x40, 4, 1), 0);
    sim_task_new(b->p->s, "handler", handler, b->n[1]);
    for (unsigned i = 0; i < PIECES; i++) {
        unsigned queue = (unsigned)sim_random_below(b->p->s, 8), flags = NX_START;
        unsigned words = 1 + (unsigned)sim_random_below(b->p->s, sim_random_below(b->p->s, 3) ? 20 : 512);
        if (sim_random_below(b->p->s, 2)) flags |= NX_REMOTE;
        if (sim_random_below(b->p->s, 2)) flags |= NX_LOCAL;
        if (sim_random_below(b->p->s, 3) == 0) flags |= NX_INTERRUPT;
        flags = with_own(b, flags, since[queue]);
        since[queue] = flags & NX_LOCAL ? 0 : since[queue] + 1;
        order_watch_post(&w, words, queue, flags);
        if (sim_random_below(b->p->s, 10) == 0) bench_wait(b, sim_random_below(b->p->s, 10 * SIM_US));
        if (variation & 8 && i % 60 == 30) { /* the receiver stops: packets wait for credit, and nothing is told of them */
            bench_initiator(b, 1, 0);
            bench_wait(b, 60 * SIM_US);
            bench_initiator(b, 1, 1);
        }
    }
    order_watch_end(&w);
    ck_assert_uint_gt(w.local, PIECES / 4);
    ck_assert_uint_gt(w.remote, PIECES / 3);
    ck_assert_uint_gt(w.interrupts, PIECES / 10);
    bench_expect_nothing(b, 0);
    bench_expect_nothing(b, 1);
    over = 1;
}

TEST_CASE("notifications", .timeout = 60);

TEST(no_notification_comes_before_its_time, .to = 16)
{
    pair_params p;
    bench_params(&p);
    p.sim.seed += (uint64_t)_i;
    for (int i = 0; i < 2; i++) {
        host_params *h = &p.node[i].host;
        switch (_i & 7) {
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
            p.node[i].pci_mhz = 66;
            break;
        case 7:
            p.driver.payload_words = 7;
            break;
        }
    }
    bench_run_for(&p, mixed, _i, 100 * SIM_MS);
}

/* ---- the watch must see what it looks for */

SOFTWARE_TEST(the_watch_catches_early_and_strange_local_notifications, .to = 4)
{
    over = 0;
    order_watch_start(&w, b, 0);
    bench_initiator(b, 1, 0); /* nothing more is taken at the receiver ... */
    for (unsigned i = 0; i < 60; i++) order_watch_post(&w, 62, 1, NX_START | NX_LOCAL);
    bench_wait(b, 100 * SIM_US);
    unsigned left = 0;
    while (left < 60 && w.piece[left].left) left++;
    ck_assert_uint_gt(left, 5);
    ck_assert_uint_lt(left, 50); /* ... so these have not left */
    ck_assert_uint_eq(w.told[1], left);
    ck_assert_uint_eq(w.early_local, 0);
    uint64_t now = pcix_bus_clock(host_bus(b->n[0]->host));
    pcix_transaction t = {.address = w.local_words + 8, .start = now, .first_word = w.departed[1] + left + (unsigned)_i};
    switch (_i) {
    case 0: /* told again */
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
        w.told[1] = left - 1;
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

/* The last word of the data is taken away as it comes, as if not yet written, before the watch is told of it. */
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
    if (t->initiator != f->b->n[1]->nic_agent || t->address == w.remote_word) return;
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
    order_watch_start(&w, b, 0);
    ck_assert_int_eq(host_config_write(b->n[1]->host, NODE_DEVICE, 0x40, 4, 1), 0);
    order_watch_post(&w, 30, 1, NX_START | (_i ? NX_INTERRUPT : NX_REMOTE));
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(f.thefts, 1);
    ck_assert_uint_eq(w.early_remote, _i ? 0 : 1);
    ck_assert_uint_eq(w.early_interrupt, _i ? 1 : 0);
    over = 1;
}
