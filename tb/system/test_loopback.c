/* A NIC whose transceiver is in loopback, in each of its modes: the host writes to itself, transfers of every
 * length, shared out among the modes, the longest in each, all data compared; and the same NIC sends nothing of it into
 * the memory of the other host. */
#include "system_bench.h"
#include "test.h"

enum { LONGEST = 512, GROUP = 8, STRIDE = 8192 /* bytes */ };

static const struct {
    unsigned mode, limit, id;
    int direct;
    unsigned first, step; /* lengths, LONGEST comes last */
} settings[] = {{1, 62, 9, 1, 1, 3}, {2, 512, 127, 1, 2, 3}, {3, 62, 64, 1, 3, 3}, {1, 62, 0, 0, 1, 5}};

struct place {
    unsigned words;
    uint64_t source, target;
};

static uint64_t word_of(unsigned words, unsigned i)
{
    return ((uint64_t)words << 32 | i) * 0x9e3779b97f4a7c15u ^ 0x5555;
}

static void prepare(memory *m, const struct place *p)
{
    for (unsigned i = 0; i < p->words; i++) memory_put64(m, p->source + 8 * i, word_of(p->words, i), 0xff);
    for (unsigned i = 0; i < p->words + 2; i++) memory_put64(m, p->target + 8 * i, 0, 0xff);
}

static void compare(bench *b, const struct place *p)
{
    memory *m = host_memory(b->n[0]->host);
    for (unsigned i = 0; i < p->words; i++)
        ck_assert_msg(memory_get64(m, p->target + 8 + 8 * i) == word_of(p->words, i), "%u words: word %u", p->words, i);
    ck_assert_uint_eq(memory_get64(m, p->target) | memory_get64(m, p->target + 8 + 8 * p->words), 0);
    ck_assert_uint_eq(memory_get64(host_memory(b->n[1]->host), p->target + 8), 0);
}

static unsigned after(unsigned length, unsigned step)
{
    return length < LONGEST && length + step > LONGEST ? LONGEST : length + step;
}

TEST_CASE("loopback", .timeout = 120);

static void with_loopback(pair_params *p, int variation)
{
    p->driver.loopback = settings[variation].mode;
    p->driver.payload_words = settings[variation].limit;
    p->driver.direct = settings[variation].direct;
    p->driver.tx_capacity = 2046;
    p->node[0].node_id = settings[variation].id;
}

SOFTWARE_TEST_ON(with_loopback, a_nic_in_loopback_writes_every_length_into_its_own_host, .to = COUNT(settings))
{
    node *n = b->n[0];
    uint64_t source = n->platform.alloc(n, GROUP * STRIDE, 8), target = n->platform.alloc(n, GROUP * STRIDE, 8);
    unsigned done = 0, groups = 0;
    for (unsigned next = settings[_i].first; next <= LONGEST; groups++) {
        struct place p[GROUP];
        unsigned count = 0;
        nx_ticket ticket;
        nx_notification note;
        for (; count < GROUP && next <= LONGEST; count++, next = after(next, settings[_i].step)) {
            p[count] = (struct place){next, source + count * STRIDE, target + count * STRIDE};
            prepare(host_memory(n->host), &p[count]);
        }
        for (unsigned i = 0; i < count; i++) {
            nx_descriptor d = {.source = p[i].source,
                               .destination = (uint32_t)p[i].target + 8,
                               .words = p[i].words,
                               .flow = settings[_i].direct ? groups % 8 : 0,
                               .flags = i == count - 1 ? NX_REMOTE | NX_LOCAL | NX_START : 0};
            ck_assert_msg(!nx_post(n->dev, &d, &ticket), "%s", nx_last_error(n->dev));
        }
        ck_assert_msg(!nx_wait(n->dev, &ticket), "%u words: %s", p[0].words, nx_last_error(n->dev));
        ck_assert_msg(!nx_notification_wait(n->dev, settings[_i].id, &note), "%u words: %s", p[0].words,
                      nx_last_error(n->dev));
        ck_assert_uint_eq(note.source, settings[_i].id);
        ck_assert_uint_eq(note.words, (p[count - 1].words - 1) % settings[_i].limit + 1);
        for (unsigned i = 0; i < count; i++) compare(b, &p[i]);
        done += count;
    }
    bench_expect_nothing(b, ALL);
    ck_assert_uint_eq(done, (LONGEST - settings[_i].first + settings[_i].step - 1) / settings[_i].step + 1);
    ck_assert_uint_eq(bench_get(b, 0, NIC_REMOTE_NOTIFICATIONS), groups);
    ck_assert_uint_ge(bench_get(b, 0, NIC_NET_IN_PACKETS), done);
    ck_assert_uint_eq(bench_get(b, 0, NIC_NET_IN_PACKETS), bench_get(b, 0, NIC_NET_OUT_PACKETS));
    ck_assert_uint_eq(bench_get(b, 1, NIC_NET_IN_PACKETS), 0);
}
