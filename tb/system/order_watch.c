#include "order_watch.h"

#include <stdlib.h>

static uint64_t sender_clock(const order_watch *w)
{
    return pcix_bus_clock(host_bus(w->b->n[w->from]->host));
}

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
    if (f->from != w->from || !f->has_header || f->is_check || f->end != SNIFFER_COMPLETE) return;
    order_piece *p = ends_at(w, f->address + 8 * f->length);
    if (p && !p->left) p->left = sender_clock(w);
}

/* ---- the sender's bus */

void order_watch_local(order_watch *w, const pcix_transaction *t)
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
        if (i >= w->told[queue]) asked |= p->flags & NX_LOCAL;
    }
    if (!asked) w->strangers++; /* nothing new in it that wanted to be told */
    w->told[queue] = count;
}

static void sender_bus(void *self, const pcix_transaction *t)
{
    order_watch *w = self;
    if (t->initiator != w->b->n[w->from]->nic_agent || !t->bytes || !pcix_is_memory_write(t->command)) return;
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
    uint64_t note = memory_get64(host_memory(w->b->n[!w->from]->host), w->remote_word);
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
    if (t->initiator != w->b->n[!w->from]->nic_agent) return;
    if (t->address == w->remote_word) note_written(w, t->last_data);
    else data_written(w, (uint32_t)(t->address + t->bytes), t->last_data);
}

/* INTA# fell: for something that became whole before that, and not before the flag was cleared. */
static int has_cause(const order_watch *w)
{
    for (unsigned i = w->count; i-- > 0;) {
        const order_piece *p = &w->piece[i];
        if (p->flags & NX_INTERRUPT && p->whole && p->whole < w->edge && p->whole + ORDER_EVENT >= w->cleared_before) return 1;
    }
    return 0;
}

static void receiver_clock(void *self, const pcix_sample *s)
{
    order_watch *w = self;
    uint64_t now = pcix_bus_clock(host_bus(w->b->n[!w->from]->host));
    if (s->inta && !w->inta) {
        w->interrupts++;
        w->edge = now;
        w->cleared_before = w->cleared;
    }
    /* writes are judged some clocks late */
    if (w->edge && now == w->edge + 2 * ORDER_EVENT) w->early_interrupt += !has_cause(w);
    w->inta = s->inta != 0;
}

/* ---- life */

void order_watch_start(order_watch *w, bench *b, int from)
{
    *w = (order_watch){.b = b, .from = from, .nearest = UINT64_MAX};
    w->local_words = bench_get(b, from, NIC_LOCAL_NOTIFY_LOW);
    w->remote_word = bench_get(b, !from, NIC_REMOTE_NOTIFY_LOW) + 8 * (uint64_t)from;
    for (unsigned q = 0; q < nx_queues(b->n[from]->dev); q++) w->departed[q] = bench_get(b, from, NIC_QUEUE_DEPARTED + 4 * q);
    w->wire = sniffer_new(frame, w);
    ck_assert_int_eq(sniffer_attach(w->wire, b->p->wire, 0), 0);
    ck_assert_int_ge(host_on_transaction(b->n[from]->host, sender_bus, w), 0);
    ck_assert_int_ge(host_on_transaction(b->n[!from]->host, receiver_bus, w), 0);
    ck_assert_int_ge(host_on_written(b->n[!from]->host, written, w), 0);
    ck_assert_int_ge(pcix_bus_add_watcher(host_bus(b->n[!from]->host), receiver_clock, w), 0);
}

void order_watch_post(order_watch *w, unsigned words, unsigned queue, unsigned flags)
{
    ck_assert_uint_lt(w->count, ORDER_PIECES);
    order_piece *o = &w->piece[w->count];
    *o = (order_piece){.p = bench_make(w->b, w->from, words), .queue = queue, .flags = flags};
    w->in_queue[queue][w->posted[queue]++] = w->count++;
    nx_descriptor d = {.source = o->p.source, .destination = o->p.destination, .words = words, .flow = queue, .flags = flags};
    int r = nx_post(w->b->n[w->from]->dev, &d, &o->p.ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(w->b->n[w->from]->dev));
}

void order_watch_end(order_watch *w)
{
    for (unsigned q = 0; q < ORDER_QUEUES; q++)
        if (w->posted[q]) {
            int r = nx_drain(w->b->n[w->from]->dev, q);
            ck_assert_msg(r == 0, "queue %u: %s", q, nx_last_error(w->b->n[w->from]->dev));
        }
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
    ck_assert_msg(!w->strangers, "%u notifications that nobody asked for", w->strangers);
    for (unsigned q = 0; q < ORDER_QUEUES; q++)
        for (unsigned i = 0; i < w->posted[q]; i++) {
            const order_piece *o = &w->piece[w->in_queue[q][i]];
            bench_must_arrive(w->b, &o->p);
            ck_assert_uint_gt(o->left, 0);
            ck_assert_uint_eq(o->notes, o->flags & NX_REMOTE ? 1 : 0);
            if (o->flags & NX_LOCAL) ck_assert_msg(w->told[q] > i, "queue %u: no local notification for transfer %u", q, i);
        }
}
