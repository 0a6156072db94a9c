#include "moves.h"

static void software(bench *b, int variation)
{
    (void)variation;
    b->body(b);
}

void moves_run(void (*change)(pair_params *, int arg), void (*body)(bench *), int arg)
{
    pair_params params;
    bench_params(&params);
    if (change) change(&params, arg);
    bench_run_body(&params, software, body, arg, 100 * SIM_MS);
}

void move_post(bench *b, move *m, int from, unsigned bytes, unsigned flags)
{
    m->from = from;
    m->bytes = bytes;
    m->source = b->n[from]->platform.alloc(b->n[from], 4096, 8);
    m->destination = (uint32_t)b->n[!from]->platform.alloc(b->n[!from], 4096, 8);
    ck_assert(m->source && m->destination);
    for (unsigned i = 0; i < bytes; i++) m->data[i] = (uint8_t)sim_random(b->p->s);
    memory_write(host_memory(b->n[from]->host), m->source, m->data, bytes);
    int r = nx_transfer(b->n[from]->dev, (unsigned)!from, m->source, m->destination, bytes, flags, NULL);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->n[from]->dev));
}

int move_arrived(bench *b, const move *m)
{
    uint8_t got[4096];
    memory_read(host_memory(b->n[!m->from]->host), m->destination, got, m->bytes);
    return !memcmp(got, m->data, m->bytes);
}

int move_notified(bench *b, int from)
{
    nx_notification note;
    return nx_notification_wait(b->n[!from]->dev, b->n[from]->params.node_id, &note);
}

void move_good(bench *b, int from, unsigned bytes)
{
    move m;
    move_post(b, &m, from, bytes, NX_REMOTE);
    int r = move_notified(b, from);
    ck_assert_msg(r == 0, "%u bytes to 0x%08x: %s", bytes, m.destination, nx_last_error(b->n[!from]->dev));
    ck_assert_msg(move_arrived(b, &m), "%u bytes to 0x%08x: data differ", bytes, m.destination);
}

void move_told(bench *b, int from, unsigned bytes)
{
    move m;
    uint32_t gaps = bench_get(b, !from, NIC_SEQUENCE_GAPS);
    move_post(b, &m, from, bytes, NX_REMOTE);
    ck_assert_int_eq(move_notified(b, from), NX_ERROR_FLAGGED);
    ck_assert_uint_eq(bench_get(b, !from, NIC_SEQUENCE_GAPS), gaps + 1);
    ck_assert_msg(move_arrived(b, &m), "%u bytes to 0x%08x: data differ", bytes, m.destination);
}

void move_fill(bench *b, int from)
{
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    bench_fill(b, from);
}
