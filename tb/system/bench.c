#include "bench.h"

#include <string.h>

enum { CAPACITY = 2046 /* link words, reset value of TX_CAPACITY */, PACKET_WORDS = 62, SMALLEST = 6, FILLING = 60 };

static void software(void *arg)
{
    bench *b = arg;
    ck_assert_msg(pair_start(b->p) == 0, "%s %s", b->p->node[0]->error, b->p->node[1]->error);
    b->body(b);
    pair_stop(b->p);
}

void bench_run_pair(void (*change)(pair_params *, int arg), void (*body)(bench *), int arg)
{
    pair_params params;
    pair_params_default(&params);
    params.sim.watchdog = 0;
    if (change) change(&params, arg);
    bench b = {.p = pair_new(&params), .body = body, .arg = arg};
    ck_assert_ptr_nonnull(b.p);
    sim_task_new(b.p->s, "test", software, &b);
    int r = sim_run(b.p->s, 100 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(b.p->s));
    pair_free(b.p);
}

uint32_t bench_register(bench *b, int node, unsigned offset)
{
    uint32_t value = 0;
    int r = nx_register_read(b->p->node[node]->dev, offset, &value);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->p->node[node]->dev));
    return value;
}

void bench_set(bench *b, int node, unsigned offset, uint32_t value)
{
    int r = nx_register_write(b->p->node[node]->dev, offset, value);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->p->node[node]->dev));
    bench_register(b, node, offset); /* pushes the write */
}

void bench_pause(bench *b, sim_time time)
{
    sim_wait_time(b->p->s, time);
}

void bench_post(bench *b, move *m, int from, unsigned bytes, unsigned flags)
{
    node *sender = b->p->node[from], *receiver = b->p->node[!from];
    m->from = from;
    m->bytes = bytes;
    m->source = sender->platform.alloc(sender, 4096, 8);
    m->destination = (uint32_t)receiver->platform.alloc(receiver, 4096, 8);
    ck_assert(m->source && m->destination);
    for (unsigned i = 0; i < bytes; i++) m->data[i] = (uint8_t)sim_random(b->p->s);
    memory_write(host_memory(sender->host), m->source, m->data, bytes);
    b->moves++;
    int r = nx_transfer(sender->dev, (unsigned)!from, m->source, m->destination, bytes, flags, NULL);
    ck_assert_msg(r == 0, "%s", nx_last_error(sender->dev));
}

int bench_arrived(bench *b, const move *m)
{
    uint8_t got[4096];
    memory_read(host_memory(b->p->node[!m->from]->host), m->destination, got, m->bytes);
    return !memcmp(got, m->data, m->bytes);
}

int bench_notified(bench *b, int from)
{
    nx_notification note;
    return nx_notification_wait(b->p->node[!from]->dev, (unsigned)from, &note);
}

void bench_good_move(bench *b, int from, unsigned bytes)
{
    move m;
    bench_post(b, &m, from, bytes, NX_REMOTE);
    int r = bench_notified(b, from);
    ck_assert_msg(r == 0, "transfer %d: %s", b->moves, nx_last_error(b->p->node[!from]->dev));
    ck_assert_msg(bench_arrived(b, &m), "transfer %d: data differ", b->moves);
}

void bench_told_move(bench *b, int from, unsigned bytes)
{
    move m;
    uint32_t gaps = bench_register(b, !from, NIC_SEQUENCE_GAPS);
    bench_post(b, &m, from, bytes, NX_REMOTE);
    ck_assert_int_eq(bench_notified(b, from), NX_ERROR_FLAGGED);
    ck_assert_uint_eq(bench_register(b, !from, NIC_SEQUENCE_GAPS), gaps + 1);
    ck_assert_msg(bench_arrived(b, &m), "transfer %d: data differ", b->moves);
}

struct space {
    unsigned transmitted, credit, received, forwarded;
};

static struct space look(bench *b, int from)
{
    uint32_t tx = bench_register(b, from, NIC_TX_SPACE), rx = bench_register(b, !from, NIC_RX_SPACE);
    return (struct space){tx >> 16 & 0xfff, tx & 0xfff, rx >> 16 & 0xfff, rx & 0xfff};
}

void bench_space_agrees(bench *b, int from)
{
    struct space s = {0};
    for (int tries = 0; tries < 100; tries++) {
        s = look(b, from);
        if (s.transmitted == s.received && s.forwarded == s.received && s.credit == (s.forwarded & 0xfe0u)) return;
        bench_pause(b, 2 * SIM_US);
    }
    ck_abort_msg("views of free space differ: transmitted %u, credit %u, received %u, forwarded %u", s.transmitted, s.credit, s.received,
                 s.forwarded);
}

void bench_fill_to_the_last_word(bench *b, int from)
{
    static move filling[FILLING];
    bench_space_agrees(b, from);
    uint32_t control = bench_register(b, !from, NIC_CONTROL);
    bench_set(b, !from, NIC_CONTROL, control & ~NIC_CONTROL_INITIATOR_ENABLE_MASK);
    struct space s = look(b, from);
    unsigned left = CAPACITY - ((s.transmitted - s.credit) & 0xfff), n = 0;
    for (; left >= 2 * PACKET_WORDS + 4; left -= 2 * PACKET_WORDS + 4) bench_post(b, &filling[n++], from, 8 * PACKET_WORDS, 0);
    /* then the smallest packets until none leaves: the CRC words of what is stored need no room, so more fit than `left` says */
    for (; n < FILLING; n++) bench_post(b, &filling[n], from, 8, n == FILLING - 1 ? NX_REMOTE : 0);
    bench_pause(b, 150 * SIM_US);
    s = look(b, from);
    unsigned used = (s.transmitted - s.credit) & 0xfff;
    ck_assert_msg(used <= CAPACITY && used + SMALLEST > CAPACITY, "%u words of credit are in use, expected %d less at most %d", used,
                  CAPACITY, SMALLEST - 1);
    ck_assert_uint_eq(s.transmitted, s.received);
    ck_assert_uint_eq(bench_status(b, !from) & NIC_STATUS_FIFO_ERROR_MASK, 0);
    bench_set(b, !from, NIC_CONTROL, control);
    int r = bench_notified(b, from);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->p->node[!from]->dev));
    for (unsigned i = 0; i < n; i++) ck_assert_msg(bench_arrived(b, &filling[i]), "packet %u of the full buffer differs", i);
    bench_space_agrees(b, from);
}

uint32_t bench_status(bench *b, int node)
{
    uint32_t status = bench_register(b, node, NIC_STATUS);
    bench_set(b, node, NIC_STATUS, status);
    return status;
}

int bench_main(Suite *suite)
{
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
