/* Descriptors written behind the driver's back, at random: into all queues, in any order and width of the stores, legal
 * and illegal ones, pieces of them twice or as bytes, many times around each queue. Legal ones arrive, illegal ones are
 * counted, nothing else happens. */
#include "system_space.h"
#include "test.h"

enum { QUEUES = 8, DEPTH = 128, ROUNDS = 40, BATCH = 24, WORDS_MOST = 20 };

struct slot {
    uint64_t word[2];
    piece p;
    int legal;
};

struct storm {
    bench *b;
    unsigned next[QUEUES]; /* slot */
    uint32_t departed[QUEUES], skipped[QUEUES];
    uint32_t overwrites, status;
    uint8_t order[16];
};

static void store(struct storm *s, uint64_t at, int size, uint64_t value)
{
    ck_assert_int_eq(host_write(s->b->n[0]->host, at, size, size == 8 ? value : value & ((1ull << 8 * size) - 1)), 0);
}

static struct slot draw(struct storm *s, unsigned queue)
{
    sim *r = s->b->s;
    struct slot d = {.legal = 1, .p = bench_make(s->b, 0, 1 + (unsigned)sim_random_below(r, WORDS_MOST))};
    uint64_t words = d.p.words, flow = queue, source = d.p.source, destination = d.p.destination;
    unsigned which = (unsigned)sim_random_below(r, 16);
    if (which == 0) words = 0;
    if (which == 1) words = 513;
    if (which == 2) words = 513 + sim_random_below(r, 511);
    if (which == 3) source += 1 + sim_random_below(r, 7);
    if (which == 4) destination += 1 + sim_random_below(r, 7);
    if (which == 5) flow = (queue + 1 + sim_random_below(r, 127)) % 128;
    d.legal = words == d.p.words && source == d.p.source && destination == d.p.destination && flow == queue;
    if (words == 0 || words > 512) s->status |= NIC_STATUS_DESCRIPTOR_LENGTH_MASK;
    if (source % 8 || destination % 8) s->status |= NIC_STATUS_DESCRIPTOR_ADDRESS_MASK;
    if (flow != queue) s->status |= NIC_STATUS_DESCRIPTOR_FLOW_MASK;
    d.word[0] = source;
    d.word[1] = flow << 52 | words << 32 | destination;
    return d;
}

/* One 32-bit word, perhaps first as bytes (ignored), perhaps twice (the second time rejected). */
static void store32(struct storm *s, const struct slot *d, uint64_t at, unsigned part, int twice)
{
    sim *r = s->b->s;
    uint32_t value = (uint32_t)(d->word[part / 2] >> 32 * (part & 1));
    if (sim_random_below(r, 20) == 0) {
        store(s, at + 4 * part + sim_random_below(r, 4), 1, 0xff);
        s->status |= NIC_STATUS_DESCRIPTOR_PARTIAL_MASK;
    }
    store(s, at + 4 * part, 4, value);
    if (twice && sim_random_below(r, 20) == 0) {
        store(s, at + 4 * part, 4, sim_random(r));
        s->overwrites++;
        s->status |= NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK;
    }
}

/* Writes slots first..first+n-1 of a queue in random order, the last one, which has the start flag, at the end: it may
 * be served at once, so a second store into it would already belong to the next time around. */
static void write_batch(struct storm *s, unsigned queue, struct slot *d, unsigned n)
{
    sim *r = s->b->s;
    unsigned order[BATCH], first = s->next[queue];
    for (unsigned i = 0; i < n; i++) order[i] = i;
    for (unsigned i = n - 1; i-- > 1;) {
        unsigned k = (unsigned)sim_random_below(r, i + 1), other = order[i];
        order[i] = order[k];
        order[k] = other;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned k = order[i];
        uint64_t at = bench_slot(s->b, queue, first + k);
        unsigned rotate = (unsigned)sim_random_below(r, 4);
        switch (sim_random_below(r, 4)) {
        case 0:
            for (unsigned part = 0; part < 4; part++) store32(s, &d[k], at, (part + rotate) % 4, k != n - 1);
            break;
        case 1:
            store(s, at + 8 * (rotate & 1), 8, d[k].word[rotate & 1]);
            store(s, at + 8 * (~rotate & 1), 8, d[k].word[~rotate & 1]);
            break;
        case 2:
            store(s, at + 8, 8, d[k].word[1]);
            store32(s, &d[k], at, rotate & 1, k != n - 1);
            store32(s, &d[k], at, ~rotate & 1, k != n - 1);
            break;
        default: {
            /* a write-combined line of this descriptor alone, torn or the wrong way round */
            static const uint8_t orders[3][3] = {{0, 1}, {1, 0}, {0, HOST_FLUSH_BREAK, 1}};
            unsigned o = (unsigned)sim_random_below(r, 3);
            uint8_t real[3];
            for (unsigned j = 0; j < 3; j++)
                real[j] = orders[o][j] == HOST_FLUSH_BREAK ? HOST_FLUSH_BREAK : (uint8_t)(orders[o][j] + at % 64 / 8);
            host_set_flush_order(s->b->n[0]->host, real, o == 2 ? 3 : 2);
            ck_assert_int_eq(host_write_combined(s->b->n[0]->host, at, d[k].word, 16), 0);
            host_set_flush_order(s->b->n[0]->host, real, 0);
        }
        }
    }
    s->next[queue] = (first + n) % DEPTH;
}

static void hosts(pair_params *p, int variation)
{
    p->sim.seed += (uint64_t)variation << 32;
    if (variation & 1) p->node[0].host = p->node[1].host = host_params_ideal();
}

TEST_CASE("descriptor_storm", .timeout = 60);

SOFTWARE_TEST_ON(hosts, random_descriptors_arrive_or_are_counted, .to = 9)
{
    /* 0: all queues, which in DIRECT share one sequence of numbers; else queue _i - 1 */
    unsigned from = _i ? (unsigned)_i - 1 : 0, to = _i ? (unsigned)_i : QUEUES;
    static struct slot d[QUEUES][BATCH];
    static struct storm s;
    s = (struct storm){.b = b};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned count[QUEUES] = {0};
        for (unsigned q = from; q < to; q++) {
            count[q] = 1 + (unsigned)sim_random_below(b->s, BATCH);
            for (unsigned i = 0; i < count[q]; i++) d[q][i] = draw(&s, q);
            d[q][count[q] - 1].word[1] |= 1ull << 59; /* the start flag */
            write_batch(&s, q, d[q], count[q]);
        }
        for (unsigned q = from; q < to; q++)
            for (unsigned i = 0; i < count[q]; i++) {
                s.departed[q] += (uint32_t)d[q][i].legal;
                s.skipped[q] += (uint32_t)!d[q][i].legal;
            }
        host_flush(b->n[0]->host);
        for (unsigned q = from; q < to; q++) {
            unsigned tries = 0;
            while (bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * q) != s.departed[q] ||
                   bench_get(b, 0, NIC_QUEUE_SKIPPED + 4 * q) != s.skipped[q]) {
                ck_assert_msg(++tries < 100, "queue %u: departed %u skipped %u, expected %u and %u", q,
                              bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * q), bench_get(b, 0, NIC_QUEUE_SKIPPED + 4 * q),
                              s.departed[q], s.skipped[q]);
                bench_wait(b, SIM_US);
            }
            ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_POINTERS + 4 * q), s.next[q] << 24 | s.next[q] << 16);
        }
        bench_agree(b, 0, 9);
        for (unsigned q = from; q < to; q++)
            for (unsigned i = 0; i < count[q]; i++)
                if (d[q][i].legal) bench_must_arrive(b, &d[q][i].p);
                else bench_untouched(b, &d[q][i].p);
    }
    uint32_t skipped = 0;
    for (unsigned q = from; q < to; q++) skipped += s.skipped[q];
    bench_expect(b, 0, s.status,
                 CHANGES({NIC_DESCRIPTOR_ERRORS, skipped}, {NIC_DESCRIPTOR_OVERWRITES, s.overwrites},
                         {NIC_QUEUE_SKIPPED + 4 * 0, s.skipped[0]}, {NIC_QUEUE_SKIPPED + 4 * 1, s.skipped[1]},
                         {NIC_QUEUE_SKIPPED + 4 * 2, s.skipped[2]}, {NIC_QUEUE_SKIPPED + 4 * 3, s.skipped[3]},
                         {NIC_QUEUE_SKIPPED + 4 * 4, s.skipped[4]}, {NIC_QUEUE_SKIPPED + 4 * 5, s.skipped[5]},
                         {NIC_QUEUE_SKIPPED + 4 * 6, s.skipped[6]}, {NIC_QUEUE_SKIPPED + 4 * 7, s.skipped[7]}));
    bench_expect_nothing(b, 1);
    /* the driver knows nothing of all this: it starts afresh */
    bench_ok(b, 0, nx_reset(b->n[0]->dev));
    bench_ok(b, 0, nx_wait_link(b->n[0]->dev));
    bench_forgive(b, 0);
    bench_prove(b);
}

/* A full queue takes nothing more, and drops nothing. */
SOFTWARE_TEST(a_full_queue_keeps_what_it_has, .to = 2)
{
    static struct storm s;
    static struct slot d[DEPTH];
    unsigned queue = _i ? 7 : 1;
    s = (struct storm){.b = b};
    for (unsigned i = 0; i < DEPTH; i++) {
        d[i].p = bench_make(b, 0, 5);
        d[i].word[0] = d[i].p.source;
        d[i].word[1] = (uint64_t)queue << 52 | 5ull << 32 | d[i].p.destination;
    }
    /* all but the last, none with a start flag: nothing leaves */
    for (unsigned i = 0; i < DEPTH - 1; i++) host_write_combined(b->n[0]->host, bench_slot(b, queue, i), d[i].word, 16);
    for (unsigned i = 0; i < 10; i++) /* in vain */
        store(&s, bench_slot(b, queue, i), 8, d[DEPTH - 1].word[0]);
    host_flush(b->n[0]->host);
    bench_wait(b, 20 * SIM_US);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_POINTERS + 4 * queue), (DEPTH - 1) << 16);
    for (unsigned i = 0; i < DEPTH; i++) bench_untouched(b, &d[i].p);
    d[DEPTH - 1].word[1] |= 1ull << 59;
    host_write_combined(b->n[0]->host, bench_slot(b, queue, DEPTH - 1), d[DEPTH - 1].word, 16);
    host_flush(b->n[0]->host);
    bench_wait(b, 150 * SIM_US);
    for (unsigned i = 0; i < DEPTH; i++) bench_must_arrive(b, &d[i].p);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_POINTERS + 4 * queue), 0);
    ck_assert_uint_eq(bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * queue), DEPTH);
    bench_expect(b, 0, NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK, CHANGES({NIC_DESCRIPTOR_OVERWRITES, 10}));
    bench_expect_nothing(b, 1);
}
