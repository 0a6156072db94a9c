#include "loss_bench.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES = 0x10000000, DESTINATIONS = 0x40000000, PATIENCE = 500 /* [us] */ };
#define COPIED (20 * SIM_US) /* network counters are copies: none is older than this */

/* ---- the way back */

static void deliver(void *self, const far_end_packet *p)
{
    loss *l = self;
    enum far_end_fault fault = FAR_END_GOOD;
    if (l->fault_after >= 0 && l->fault_after-- == 0) {
        fault = l->fault;
        l->faults_done++;
    }
    ck_assert_int_eq(far_end_forward(l->p->far, p, p->flow, fault), 0);
    sim_progress(l->p->s);
}

void loss_arm(loss *l, unsigned skip, enum far_end_fault fault)
{
    l->fault_after = (int)skip;
    l->fault = fault;
}

/* ---- notifications, judged as they are written */

static int piece_of(const loss_flow *f, uint32_t address)
{
    for (unsigned i = 0; i < f->posted; i++)
        if (address >= f->piece[i].destination && address < f->piece[i].destination + 8 * f->piece[i].words) return (int)i;
    return -1;
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    loss *l = self;
    (void)when;
    if (!l->notes || t->initiator != l->n->nic_agent || t->address < l->notes || t->address >= l->notes + 8 * LOSS_FLOWS) return;
    unsigned flow = (unsigned)(t->address - l->notes) / 8;
    loss_flow *f = &l->flow[flow];
    uint64_t note = memory_get64(host_memory(l->n->host), t->address);
    int i = piece_of(f, (uint32_t)note);
    if (i < 0 || (note >> 56 & 0x7f) != flow) {
        l->strangers++;
        return;
    }
    f->last = note;
    if (note >> 63) {
        f->flagged++;
    } else {
        unsigned missing = 0, from = f->told < (unsigned)i ? f->told : (unsigned)i;
        for (unsigned k = from; k <= (unsigned)i; k++) missing += !loss_arrived(l, &f->piece[k]);
        f->good += !missing;
        l->lies += missing != 0;
    }
    f->told = (unsigned)i + 1;
}

/* ---- life */

void loss_params(port_params *p)
{
    port_params_default(p);
    p->sim.watchdog = 0;
    p->driver.timeout_ns = 2000 * 1000;
}

static void main_task(void *arg)
{
    loss *l = arg;
    ck_assert_msg(port_start(l->p) == 0, "%s", l->n->error);
    l->notes = loss_get(l, NIC_REMOTE_NOTIFY_LOW);
    loss_forgive(l);
    l->software(l, l->variation);
    ck_assert_msg(l->lies == 0, "%u good notifications for data that are not there", l->lies);
    ck_assert_uint_eq(l->strangers, 0);
    port_stop(l->p);
}

void loss_run(const port_params *params, void (*software)(loss *, int), int variation)
{
    static loss l;
    port_params defaults;
    loss_params(&defaults);
    l = (loss){.fault_after = -1, .software = software, .variation = variation};
    l.p = port_new(params ? params : &defaults, deliver, &l);
    ck_assert_ptr_nonnull(l.p);
    l.n = l.p->n;
    ck_assert_int_eq(host_on_written(l.n->host, on_written, &l), 0);
    sim_task_new(l.p->s, "software", main_task, &l);
    int r = sim_run(l.p->s, 50 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(l.p->s));
    port_free(l.p);
}

/* ---- pieces */

loss_piece *loss_make(loss *l, unsigned flow, unsigned words)
{
    loss_flow *f = &l->flow[flow];
    ck_assert_uint_lt(f->posted, LOSS_PIECES);
    loss_piece *p = &f->piece[f->posted];
    *p = (loss_piece){.flow = flow, .words = words, .source = SOURCES + l->next, .destination = (uint32_t)(DESTINATIONS + l->next)};
    l->next += 4096 + 8 * sim_random_below(l->p->s, 4); /* room for faults aimed at an address range */
    for (unsigned i = 0; i < words; i++) memory_put64(host_memory(l->n->host), p->source + 8 * i, sim_random(l->p->s) | 1, 0xff);
    return p;
}

void loss_post(loss *l, loss_piece *p, unsigned flags)
{
    nx_descriptor d = {.source = p->source, .destination = p->destination, .words = p->words, .flow = p->flow, .flags = flags | NX_START};
    p->flags = flags;
    l->flow[p->flow].posted++;
    int r = nx_post(l->n->dev, &d, &p->ticket);
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(l->n->dev));
}

loss_piece *loss_send(loss *l, unsigned flow, unsigned words, unsigned flags)
{
    loss_piece *p = loss_make(l, flow, words);
    loss_post(l, p, flags);
    return p;
}

int loss_arrived(const loss *l, const loss_piece *p)
{
    for (unsigned i = 0; i < p->words; i++)
        if (memory_get64(host_memory(l->n->host), p->source + 8 * i) != memory_get64(host_memory(l->n->host), p->destination + 8 * i))
            return 0;
    return 1;
}

void loss_wait(loss *l, sim_time time)
{
    sim_wait_time(l->p->s, time);
}

int loss_told(loss *l, const loss_piece *p)
{
    loss_flow *f = &l->flow[p->flow];
    unsigned i = (unsigned)(p - f->piece);
    for (unsigned us = 0; f->told <= i; us++) {
        ck_assert_msg(us < PATIENCE, "flow %u: no notification of piece %u in %d us; told %u of %u", p->flow, i, PATIENCE, f->told,
                      f->posted);
        loss_wait(l, SIM_US);
    }
    return (int)(f->last >> 63);
}

int loss_notified(loss *l, unsigned flow, unsigned words)
{
    return loss_told(l, loss_send(l, flow, words, NX_REMOTE));
}

/* ---- registers */

uint32_t loss_get(loss *l, unsigned offset)
{
    uint32_t value;
    int r = nx_register_read(l->n->dev, offset, &value);
    ck_assert_msg(r == 0, "%s", nx_last_error(l->n->dev));
    return value;
}

void loss_put(loss *l, unsigned offset, uint32_t value)
{
    int r = nx_register_write(l->n->dev, offset, value);
    ck_assert_msg(r == 0, "%s", nx_last_error(l->n->dev));
}

void loss_forgive(loss *l)
{
    loss_wait(l, COPIED);
    error_counters_take(&l->errors, l->n->dev);
}

void loss_expect(loss *l, const change *list)
{
    char text[2000];
    loss_wait(l, COPIED);
    ck_assert_msg(!error_counters_compare(&l->errors, list, text, sizeof text), "%s", text);
}

void loss_prove(loss *l)
{
    for (unsigned flow = 0; flow < LOSS_FLOWS; flow++) {
        ck_assert_int_eq(loss_notified(l, flow, 200), 0);
        ck_assert_int_eq(loss_notified(l, flow, 1), 0);
    }
    ck_assert_uint_eq(l->lies, 0);
}

/* ---- traffic on all flows, struck at a random moment */

enum { STREAM = 30 };

struct stream {
    loss *l;
    unsigned flow;
    sim_task *task;
};

static void stream(void *arg)
{
    struct stream *s = arg;
    loss *l = s->l;
    for (unsigned i = 0; i < STREAM; i++) {
        loss_piece *p = loss_make(l, s->flow, 1 + (unsigned)sim_random_below(l->p->s, 512));
        nx_descriptor d = {.source = p->source,
                           .destination = p->destination,
                           .words = p->words,
                           .flow = s->flow,
                           .flags = (sim_random_below(l->p->s, 3) ? NX_REMOTE : 0) | NX_START};
        l->flow[s->flow].posted++;
        int r = nx_post(l->n->dev, &d, &p->ticket);
        ck_assert_msg(r == NX_OK || r == NX_ERROR_ABANDONED, "%s", nx_last_error(l->n->dev));
    }
    int r;
    while ((r = nx_drain(l->n->dev, s->flow)) == NX_ERROR_ABANDONED) {
    } /* others of the flow are under way still */
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(l->n->dev));
}

void loss_struck(loss *l, void (*strike)(loss *l), int times)
{
    static struct stream s[LOSS_FLOWS];
    unsigned lost = 0;
    for (unsigned i = 0; i < LOSS_FLOWS; i++) {
        s[i] = (struct stream){.l = l, .flow = i};
        s[i].task = sim_task_new(l->p->s, "stream", stream, &s[i]);
    }
    while (times--) {
        loss_wait(l, 1 + sim_random_below(l->p->s, 400 * SIM_US));
        strike(l);
    }
    for (unsigned i = 0; i < LOSS_FLOWS; i++) sim_join(s[i].task);
    loss_wait(l, 300 * SIM_US);
    for (unsigned i = 0; i < LOSS_FLOWS; i++) {
        loss_flow *f = &l->flow[i];
        unsigned missing = 0, untold = 0;
        for (unsigned k = 0; k < f->posted; k++)
            if (!loss_arrived(l, &f->piece[k])) {
                missing++;
                untold += k >= f->told;
            }
        lost += missing;
        int flagged = loss_notified(l, i, 10);
        ck_assert_msg(!untold || flagged, "flow %u: %u pieces are missing, the next notification is good", i, untold);
        ck_assert_msg(!missing || f->flagged, "flow %u: %u pieces are missing, none was flagged", i, missing);
    }
    ck_assert_uint_eq(l->lies, 0);
    ck_assert_msg(lost > 0, "nothing was lost: the blow missed");
    loss_forgive(l);
    loss_prove(l);
    loss_expect(l, CHANGES({0, 0}));
}
