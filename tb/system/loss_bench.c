#include "loss_bench.h"

enum { PATIENCE = 500 /* [us] */, STREAM = 30 };

/* ---- the way back */

static struct {
    int after; /* packets until one is damaged; -1: none is */
    enum far_end_fault fault;
    unsigned done;
} damage;

static void deliver(void *self, const far_end_packet *p)
{
    bench *b = self;
    enum far_end_fault fault = FAR_END_GOOD;
    if (damage.after >= 0 && damage.after-- == 0) {
        fault = damage.fault;
        damage.done++;
    }
    ck_assert_int_eq(far_end_forward(b->port->far, p, p->flow, fault), 0);
    sim_progress(b->s);
}

void loss_arm(unsigned skip, enum far_end_fault fault)
{
    damage.after = (int)skip;
    damage.fault = fault;
}

unsigned loss_faults(void) { return damage.done; }

/* ---- life */

CLEANUP(port_free);

void loss_run(void (*change)(port_params *, int), void (*software)(bench *, int), int variation)
{
    bench *b = test_memory(sizeof *b);
    port_params params;
    port_params_default(&params);
    params.sim.watchdog = 0;
    params.driver.timeout_ns = 2000 * 1000;
    if (change) change(&params, variation);
    b->port = port_new(&params, deliver, b);
    ck_assert_ptr_nonnull(b->port);
    after_test(port_free_cleanup, b->port);
    b->s = b->port->s;
    b->wire = b->port->wire;
    b->n[0] = b->port->n;
    b->nodes = 1;
    b->flows = BENCH_FLOWS;
    b->room = 4096; /* for faults aimed at an address range */
    for (unsigned i = 0; i < BENCH_FLOWS; i++) b->flow[i] = (flow){.from = b->n[0], .to = b->n[0], .queue = i, .id = i};
    damage.after = -1;
    damage.done = 0;
    bench_run_on(b, software, variation);
    for (unsigned i = 0; i < BENCH_FLOWS; i++) bench_sound(b, i);
}

/* ---- pieces */

int loss_reported(bench *b, const piece *p)
{
    const flow *f = &b->flow[p->flow];
    for (unsigned us = 0; f->notified <= p->number; us++) {
        ck_assert_msg(us < PATIENCE, "flow %u: no notification of piece %u in %d us; reported %u of %u", p->flow,
                      p->number, PATIENCE, f->notified, f->posted);
        bench_wait(b, SIM_US);
    }
    return (int)(f->last >> 63);
}

int loss_notified(bench *b, unsigned flow, unsigned words)
{
    piece p = bench_send(b, flow, words, NX_REMOTE);
    return loss_reported(b, &p);
}

void loss_expect(bench *b, const change *list) { bench_expect(b, 0, ANY, list); }

void loss_prove(bench *b)
{
    for (unsigned flow = 0; flow < BENCH_FLOWS; flow++) {
        ck_assert_int_eq(loss_notified(b, flow, 200), 0);
        ck_assert_int_eq(loss_notified(b, flow, 1), 0);
        bench_sound(b, flow);
    }
}

/* ---- traffic on all flows, struck at a random moment */

static unsigned any_piece(bench *b, unsigned flow, piece *p)
{
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(b->s, 512));
    return sim_random_below(b->s, 3) ? NX_REMOTE : 0;
}

void loss_struck(bench *b, void (*strike)(bench *b), int times)
{
    unsigned lost = 0;
    for (unsigned i = 0; i < BENCH_FLOWS; i++) bench_stream(b, i, STREAM, any_piece, 1);
    while (times--) {
        bench_wait(b, 1 + sim_random_below(b->s, 400 * SIM_US));
        strike(b);
    }
    bench_join(b);
    bench_wait(b, 300 * SIM_US);
    for (unsigned i = 0; i < BENCH_FLOWS; i++) {
        const flow *f = &b->flow[i];
        unsigned missing = bench_missing(b, f->piece, f->posted),
                 pending = bench_missing(b, &f->piece[f->notified], f->posted - f->notified);
        lost += missing;
        int flagged = loss_notified(b, i, 10);
        ck_assert_msg(!pending || flagged, "flow %u: %u pieces are missing, the next notification is good", i, pending);
        ck_assert_msg(!missing || f->flagged, "flow %u: %u pieces are missing, none was flagged", i, missing);
        bench_sound(b, i);
    }
    ck_assert_msg(lost > 0, "nothing was lost: the blow missed");
    bench_forgive(b, ALL);
    loss_prove(b);
    loss_expect(b, CHANGES({0, 0}));
}
