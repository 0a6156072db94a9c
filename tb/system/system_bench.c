#include "system_bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { SOURCES = 0x10000000, DESTINATIONS = 0x40000000 };
/* network counters are copies: none is older than this */
#define COPIED (20 * SIM_US)

/* ---- life */

void bench_params(pair_params *p)
{
    pair_params_default(p);
    p->sim.watchdog = 0;
    p->driver.timeout_ns = 2000 * 1000;
}

static void main_task(void *arg)
{
    bench *b = arg;
    ck_assert_msg(pair_start(b->p) == 0, "%s %s", b->n[0]->error, b->n[1]->error);
    bench_forgive(b, 0);
    bench_forgive(b, 1);
    b->software(b, b->variation);
    pair_stop(b->p);
}

void bench_run_body(const pair_params *params, void (*software)(bench *, int), void (*body)(bench *), int variation, sim_time limit)
{
    pair_params defaults;
    bench b = {.software = software, .body = body, .variation = variation};
    bench_params(&defaults);
    b.p = pair_new(params ? params : &defaults);
    ck_assert_ptr_nonnull(b.p);
    for (int i = 0; i < 2; i++) b.n[i] = b.p->node[i];
    sim_task_new(b.p->s, "software", main_task, &b);
    int r = sim_run(b.p->s, limit);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(b.p->s));
    pair_free(b.p);
}

void bench_run_for(const pair_params *params, void (*software)(bench *, int), int variation, sim_time limit)
{
    bench_run_body(params, software, NULL, variation, limit);
}

void bench_run(const pair_params *params, void (*software)(bench *, int), int variation)
{
    bench_run_for(params, software, variation, 20 * SIM_MS);
}

/* ---- registers */

uint32_t bench_get(bench *b, int node, unsigned offset)
{
    uint32_t value;
    int r = nx_register_read(b->n[node]->dev, offset, &value);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->n[node]->dev));
    return value;
}

void bench_put(bench *b, int node, unsigned offset, uint32_t value)
{
    int r = nx_register_write(b->n[node]->dev, offset, value);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->n[node]->dev));
}

void bench_set(bench *b, int node, unsigned offset, uint32_t value)
{
    bench_put(b, node, offset, value);
    bench_get(b, node, offset);
}

uint32_t bench_status(bench *b, int node)
{
    uint32_t status = bench_get(b, node, NIC_STATUS);
    bench_set(b, node, NIC_STATUS, status);
    return status;
}

void bench_initiator(bench *b, int node, int on)
{
    uint32_t control = bench_get(b, node, NIC_CONTROL) & ~NIC_CONTROL_INITIATOR_ENABLE_MASK;
    bench_put(b, node, NIC_CONTROL, control | (on ? NIC_CONTROL_INITIATOR_ENABLE_MASK : 0));
    bench_get(b, node, NIC_CONTROL); /* the write is posted: it has arrived when this comes back */
}

void bench_wait(bench *b, sim_time time)
{
    sim_wait_time(b->p->s, time);
}

/* ---- pieces */

piece bench_make(bench *b, int from, unsigned words)
{
    piece p = {.from = from, .words = words};
    p.source = SOURCES + b->next[from];
    p.destination = (uint32_t)(DESTINATIONS + b->next[from]);
    b->next[from] += 8 * (uint64_t)words + 8 * sim_random_below(b->p->s, 4);
    for (unsigned i = 0; i < words; i++) {
        uint64_t word = sim_random(b->p->s) | 1;
        memory_write(host_memory(b->n[from]->host), p.source + 8 * i, &word, 8);
    }
    return p;
}

void bench_post(bench *b, piece *p, unsigned flags)
{
    nx_device *dev = b->n[p->from]->dev;
    nx_descriptor d = {
        .source = p->source, .destination = p->destination, .words = p->words, .flow = (unsigned)!p->from, .flags = flags | NX_START};
    int r = nx_post(dev, &d, &p->ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(dev));
}

piece bench_send(bench *b, int from, unsigned words, unsigned flags)
{
    piece p = bench_make(b, from, words);
    bench_post(b, &p, flags);
    return p;
}

int bench_arrived(bench *b, const piece *p)
{
    for (unsigned i = 0; i < p->words; i++)
        if (memory_get64(host_memory(b->n[p->from]->host), p->source + 8 * i) !=
            memory_get64(host_memory(b->n[!p->from]->host), p->destination + 8 * i))
            return 0;
    return 1;
}

void bench_must_arrive(bench *b, const piece *p)
{
    for (unsigned i = 0; i < p->words; i++) {
        uint64_t sent = memory_get64(host_memory(b->n[p->from]->host), p->source + 8 * i);
        uint64_t got = memory_get64(host_memory(b->n[!p->from]->host), p->destination + 8 * i);
        ck_assert_msg(sent == got, "word %u of %u to 0x%08x of node %d is 0x%016llx, expected 0x%016llx", i, p->words, p->destination,
                      !p->from, (unsigned long long)got, (unsigned long long)sent);
    }
}

void bench_untouched(bench *b, const piece *p)
{
    for (unsigned i = 0; i < p->words; i++) ck_assert_uint_eq(memory_get64(host_memory(b->n[!p->from]->host), p->destination + 8 * i), 0);
}

void bench_notified(bench *b, const piece *p, int flagged)
{
    nx_notification note;
    nx_device *dev = b->n[!p->from]->dev;
    int r = nx_notification_wait(dev, b->n[p->from]->params.node_id, &note);
    ck_assert_msg(r == (flagged ? NX_ERROR_FLAGGED : NX_OK), "expected a %s notification, have %d: %s", flagged ? "flagged" : "good", r,
                  nx_last_error(dev));
    unsigned limit = nx_parameters(b->n[p->from]->dev)->payload_words;
    unsigned last = p->words % limit ? p->words % limit : limit;
    ck_assert_uint_eq(note.words, last);
    ck_assert_uint_eq(note.destination, p->destination + 8 * (p->words - last));
    ck_assert_uint_eq(note.source, (unsigned)p->from);
}

void bench_good(bench *b, int from, unsigned words)
{
    piece p = bench_send(b, from, words, NX_REMOTE | NX_LOCAL);
    bench_notified(b, &p, 0);
    bench_must_arrive(b, &p);
    int r = nx_wait(b->n[from]->dev, &p.ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->n[from]->dev));
}

void bench_told(bench *b, int from, unsigned words)
{
    piece p = bench_send(b, from, words, NX_REMOTE | NX_LOCAL);
    bench_notified(b, &p, 1);
    bench_must_arrive(b, &p);
    int r = nx_wait(b->n[from]->dev, &p.ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->n[from]->dev));
    bench_expect(b, !from, NIC_STATUS_SEQUENCE_GAP_MASK, CHANGES({NIC_SEQUENCE_GAPS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
}

/* ---- counters */

void bench_forgive(bench *b, int node)
{
    bench_wait(b, COPIED);
    bench_put(b, node, NIC_STATUS, 0xffffffff);
    error_counters_take(&b->errors[node], b->n[node]->dev);
}

uint32_t bench_risen(bench *b, int node, unsigned offset)
{
    return error_counters_risen(&b->errors[node], offset);
}

void bench_expect(bench *b, int node, uint32_t status, const change *list)
{
    bench_wait(b, COPIED);
    char text[2000];
    int bad = error_counters_compare(&b->errors[node], list, text, sizeof text);
    uint32_t have = bench_get(b, node, NIC_STATUS);
    bench_put(b, node, NIC_STATUS, have);
    ck_assert_msg(!bad && have == status, "node %d:%s STATUS is 0x%04x, expected 0x%04x", node, text, have, status);
}

void bench_expect_nothing(bench *b, int node)
{
    bench_expect(b, node, 0, CHANGES({0, 0}));
}
