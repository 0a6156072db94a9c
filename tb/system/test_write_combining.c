/* Descriptors through the CPU's write-combining buffers: one burst per line on a quiet processor; torn, late and
 * disordered lines over all queues on a wild one; and drivers that break the rules, which show. */
#include "system_bench.h"
#include "test.h"

enum { QUEUES = 8, DEPTH = 128 };

/* Follows the queue window on the bus: written 32-bit words, and start flags that came before something they release.
 */
struct listener {
    bench *b;
    uint64_t base;
    int device;
    unsigned writes, by_bytes[65];
    uint64_t address[64], start[64]; /* of the first ones */
    uint8_t written[QUEUES][DEPTH];  /* bit per word; since the slot was posted */
    uint8_t flag[QUEUES][DEPTH];     /* the slot has a start flag */
    unsigned cluster[QUEUES][DEPTH]; /* slots it releases, itself included */
    unsigned early;
};

static int complete(const struct listener *l, unsigned queue, unsigned slot)
{
    for (unsigned i = 0; i < l->cluster[queue][slot]; i++)
        if (l->written[queue][(slot + DEPTH - i) % DEPTH] != 15) return 0;
    return 1;
}

static void on_transaction(void *self, const pcix_transaction *t)
{
    struct listener *l = self;
    if (t->target != l->device || t->address < l->base || t->address >= l->base + QUEUES * DEPTH * 16 || !t->bytes)
        return;
    if (t->command != PCIX_MEMORY_WRITE) return;
    if (l->writes < 64) {
        l->address[l->writes] = t->address;
        l->start[l->writes] = t->start;
    }
    l->writes++;
    l->by_bytes[t->bytes <= 64 ? t->bytes : 0]++;
    for (uint64_t word = (t->address - l->base) / 4; word * 4 < t->address - l->base + t->bytes; word++) {
        unsigned queue = (unsigned)(word / (DEPTH * 4)), slot = (unsigned)(word / 4 % DEPTH);
        l->written[queue][slot] |= (uint8_t)(1u << word % 4);
        if (word % 4 == 3 && l->flag[queue][slot]) l->early += !complete(l, queue, slot);
    }
}

static void listen(struct listener *l, bench *b)
{
    *l = (struct listener){.b = b};
    l->base = bench_slot(b, 0, 0);
    l->device = b->n[0]->nic_agent;
    ck_assert_int_ge(host_on_transaction(b->n[0]->host, on_transaction, l), 0);
}

/* ---- a quiet processor */

TEST_CASE("write_combining", .timeout = 60);

static void small_transfers(pair_params *p, int variation)
{
    p->driver.transfer_bytes = 64;
    if (!variation) p->node[0].host = host_params_ideal();
}

SOFTWARE_TEST_ON(small_transfers, four_descriptors_cross_the_bus_in_one_burst, .to = 2)
{
    static struct listener l;
    nx_device *dev = b->n[0]->dev;
    listen(&l, b);
    piece p = bench_make(b, 0, 96); /* 12 descriptors of 64 bytes */
    bench_ok(b, 0, nx_transfer(dev, 1, p.source, p.destination, 8 * p.words, NX_REMOTE | NX_LOCAL, &p.ticket));
    nx_notification note;
    bench_ok(b, 1, nx_notification_wait(b->n[1]->dev, 0, &note));
    bench_must_arrive(b, &p);
    ck_assert_uint_eq(l.writes, 3);
    ck_assert_uint_eq(l.by_bytes[64], 3);
    for (unsigned i = 0; i < 3; i++) ck_assert_uint_eq(l.address[i], l.base + DEPTH * 16 + 64 * i);
    for (unsigned i = 1; _i && i < 3; i++) ck_assert_uint_eq(l.start[i] - l.start[i - 1], 24); /* pcix.md 13.3 */
    /* a single descriptor does not fill a line: two writes of 8 bytes, one burst on a server */
    bench_good(b, 0, 8);
    ck_assert_uint_eq(l.writes, _i ? 4 : 5);
    ck_assert_uint_eq(l.by_bytes[_i ? 16 : 8], _i ? 1 : 2);
    bench_expect_nothing(b, ALL);
}

/* ---- a wild one */

enum { PIECES = 600 };

static void processors(pair_params *p, int variation)
{
    p->sim.seed += (uint64_t)variation;
    if (variation & 1) p->node[0].host = host_params_ideal();
    write_combining_params *w = &p->node[0].host.combining;
    *w = write_combining_wild();
    switch (variation) {
    case 2: /* quiet: nothing comes out of order, so the count of early start flags must be 0 */
        *w = write_combining_quiet();
        break;
    case 3: /* as torn as can be */
        w->split = 1000;
        w->gap = 100;
        break;
    case 4: /* highest address first: the start flag always is the first to leave */
        *w = write_combining_quiet();
        w->order = WC_DESCENDING;
        w->gap = 20;
        break;
    case 5: /* hardly any line lives long */
        w->evict = 400;
        w->pause = 20;
        break;
    case 6: /* one buffer, few slots: queues are full all the time */
        w->buffers = 1;
        p->driver.slots = 6;
        break;
    default:
        break;
    }
}

SOFTWARE_TEST_ON(processors, torn_late_and_disordered_lines_release_nothing_stale, .to = 12)
{
    static struct listener l;
    static piece pieces[PIECES];
    unsigned held[QUEUES] = {0}, next[QUEUES] = {0};
    nx_device *dev = b->n[0]->dev;
    listen(&l, b);
    for (unsigned i = 0; i < PIECES; i++) {
        piece *p = &pieces[i];
        unsigned queue = (unsigned)sim_random_below(b->s, QUEUES), slot = next[queue]++ % DEPTH;
        *p = bench_make(b, 0, 1 + (unsigned)sim_random_below(b->s, i % 5 ? 16 : 200));
        int start = held[queue] == 15 || sim_random_below(b->s, 4) == 0 || i + 40 > PIECES;
        l.written[queue][slot] = 0;
        l.flag[queue][slot] = (uint8_t)start;
        l.cluster[queue][slot] = ++held[queue];
        if (start) held[queue] = 0;
        bench_post_on(b, p, queue, start ? NX_START : 0);
        if (sim_random_below(b->s, 30) == 0) bench_wait(b, sim_random_below(b->s, 3 * SIM_US));
    }
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        piece p = bench_make(b, 0, 1);
        bench_post_on(b, &p, queue, NX_START | NX_LOCAL | NX_REMOTE);
        bench_ok(b, 0, nx_drain(dev, queue));
    }
    bench_wait(b, 20 * SIM_US);
    for (unsigned i = 0; i < PIECES; i++) bench_must_arrive(b, &pieces[i]);
    bench_expect_nothing(b, ALL); /* nothing overwritten, nothing skipped */
    const wc_stats *s = host_combining_stats(b->n[0]->host);
    if (_i != 2) ck_assert_uint_gt(l.early, 20); /* the case occurs: start flags do come first */
    else ck_assert_uint_eq(l.early, 0);
    ck_assert_uint_gt(s->partial_lines, 50);
}

/* ---- full queues */

struct full {
    bench *b;
    piece extra;
    unsigned queue;
    int posted;
};

static void one_more(void *arg)
{
    struct full *f = arg;
    bench_post_on(f->b, &f->extra, f->queue, NX_START | NX_LOCAL);
    f->posted = 1;
}

/* The device serves nothing until all queues are full to the last slot; a caller that posts then waits, and goes on
 * when slots come free.
 */
static void wild(pair_params *p, int variation)
{
    if (variation) p->node[0].host.combining = write_combining_wild();
}

SOFTWARE_TEST_ON(wild, eight_full_queues_are_seen_waited_for_and_emptied, .to = 2)
{
    static piece pieces[QUEUES][DEPTH];
    static struct full full[QUEUES];
    nx_device *dev = b->n[0]->dev;
    bench_initiator(b, 0, 0);
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        for (unsigned i = 0; i < DEPTH; i++) {
            piece *p = &pieces[queue][i];
            ck_assert_int_eq(nx_free_slots(dev, queue), (int)(DEPTH - i));
            *p = bench_make(b, 0, 1 + (unsigned)sim_random_below(b->s, 8));
            bench_post_on(b, p, queue, i % 4 == 3 ? NX_START : 0);
        }
        ck_assert_int_eq(nx_free_slots(dev, queue), 0);
    }
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        full[queue] = (struct full){b, bench_make(b, 0, 4), queue, 0};
        sim_task_new(b->s, "one more", one_more, &full[queue]);
    }
    bench_wait(b, 50 * SIM_US);
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        ck_assert(!full[queue].posted);
        ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * queue), 0);
    }
    ck_assert_uint_eq(bench_get(b, 0, NIC_DESCRIPTOR_OVERWRITES), 0);
    bench_initiator(b, 0, 1);
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        for (unsigned tries = 0; !full[queue].posted; tries++) {
            ck_assert_uint_lt(tries, 1000);
            bench_wait(b, SIM_US);
        }
        bench_ok(b, 0, nx_drain(dev, queue));
        ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * queue), DEPTH + 1);
        ck_assert_int_eq(nx_free_slots(dev, queue), DEPTH);
    }
    bench_wait(b, 20 * SIM_US);
    for (unsigned queue = 0; queue < QUEUES; queue++) {
        for (unsigned i = 0; i < DEPTH; i++) bench_must_arrive(b, &pieces[queue][i]);
        bench_must_arrive(b, &full[queue].extra);
    }
    bench_expect_nothing(b, ALL);
}

/* ---- drivers that break the rules */

static struct nx_platform real;

static int no_fence(void *self)
{
    (void)self;
    return 0;
}

/* Slot and state of queue 1 of node 0. */
static unsigned pointers(bench *b) { return bench_get(b, 0, NIC_QUEUE_POINTERS + 4) >> 16; }

static void no_flush(pair_params *p, int variation)
{
    (void)variation;
    p->node[0].host.combining.flush_on_uncached = false;
}

SOFTWARE_TEST_ON(no_flush, a_driver_without_fences_is_caught)
{
    piece p = bench_make(b, 0, 8);
    b->n[0]->platform.fence = no_fence;
    bench_post(b, &p, NX_LOCAL);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &p.ticket), NX_ERROR_TIMEOUT);
    ck_assert(!bench_arrived(b, &p));
    ck_assert_uint_eq(pointers(b), 0);
    ck_assert_uint_eq(host_combining_stats(b->n[0]->host)->pieces, 0); /* it never left the processor */
    host_fence(b->n[0]->host);
    bench_wait(b, 10 * SIM_US);
    bench_must_arrive(b, &p);
}

/* The start flag in the first descriptor of a line instead of the last. */
static int start_first(void *self, uint64_t address, const void *from, size_t size)
{
    uint8_t line[64];
    memcpy(line, from, size);
    if (line[size - 1] & 8) {
        line[size - 1] &= (uint8_t)~8;
        line[15] |= 8;
    }
    return real.write_combined(self, address, line, size);
}

static void lines(pair_params *p, int variation)
{
    (void)variation;
    p->driver.transfer_bytes = 64;
}

SOFTWARE_TEST_ON(lines, a_driver_with_the_start_flag_in_the_wrong_place_is_caught)
{
    real = b->n[0]->platform;
    b->n[0]->platform.write_combined = start_first;
    piece p = bench_make(b, 0, 32);
    ck_assert_int_eq(nx_transfer(b->n[0]->dev, 1, p.source, p.destination, 256, NX_LOCAL, &p.ticket), 0);
    ck_assert_int_eq(nx_wait(b->n[0]->dev, &p.ticket), NX_ERROR_TIMEOUT);
    ck_assert_uint_eq(pointers(b), 1u << 8 | 4); /* head 1, tail 4: three wait for a start flag at or behind them */
    piece first = p;
    first.words = 8;
    bench_must_arrive(b, &first);
    ck_assert(!bench_arrived(b, &p));
    ck_assert_uint_eq(bench_get(b, 0, NIC_DESCRIPTOR_ERRORS), 0);
}

/* Slots count as free as soon as they are posted. */
static uint64_t departed;
static bench *liar;
static void all_departed(void *self, uint64_t address, void *to, size_t size)
{
    real.mem_read(self, address, to, size);
    if (size == 8 && address == bench_get(liar, 0, NIC_LOCAL_NOTIFY_LOW) + 8) memcpy(to, &departed, 8);
}

SOFTWARE_TEST(a_driver_that_uses_slots_too_early_is_caught)
{
    static piece pieces[DEPTH + 3];
    real = b->n[0]->platform;
    liar = b;
    bench_initiator(b, 0, 0); /* nothing is served */
    b->n[0]->platform.mem_read = all_departed;
    for (departed = 0; departed < DEPTH + 3; departed++) pieces[departed] = bench_send(b, 0, 2, 0);
    host_fence(b->n[0]->host);
    /* two writes of 64 bits each; the device counts the words of one clock once */
    ck_assert_uint_eq(bench_get(b, 0, NIC_DESCRIPTOR_OVERWRITES), 3 * 2);
    ck_assert_uint_eq(bench_get(b, 0, NIC_STATUS), NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK);
    bench_initiator(b, 0, 1);
    bench_wait(b, 100 * SIM_US);
    /* the first one has been executed, the rest was not */
    for (unsigned i = 0; i < DEPTH + 3; i++)
        if (i < DEPTH) bench_must_arrive(b, &pieces[i]);
        else bench_untouched(b, &pieces[i]);
}
