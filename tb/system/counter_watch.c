#include "counter_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "sim/model/cable/sniffer.h"
#include "spans.h"
#include "test.h"

/* Independent counts. */
#define COUNTS(X)                                                                                                      \
    X(bus_reads)         /* transactions of ours that read, each Retry one */                                          \
    X(bus_writes)        /* that write */                                                                              \
    X(bus_words_read)    /* 64-bit words that came in data phases of our reads and of their completions */             \
    X(bus_words_written) /* that left in data phases of our writes, without notifications */                           \
    X(bus_read_clocks)   /* FRAME# or IRDY# low in a read of ours or a completion for it */                            \
    X(bus_write_clocks)  /* in a write of ours */                                                                      \
    X(bus_read_time)  /* from REQ# to two clocks after the last data phase of a read sequence; of several at once once \
                       */                                                                                              \
    X(bus_write_time) /* from REQ# to the last data phase of a write sequence */                                       \
    X(bus_reads_cut)  /* reads that we left at an ADB before their byte count */                                       \
    X(bus_writes_cut) /* writes */                                                                                     \
    X(bus_split_responses) /* Split Responses to us */                                                                 \
    X(bus_split_time)      /* clocks behind a Split Response up to the first datum, of several at once once */         \
    X(bus_packets_written) /* write sequences that are no notifications */                                             \
    X(local_notifications) /* write sequences to the area of the local notifications */                                \
    X(remote_notifications)                                                                                            \
    X(flagged_notifications) /* of them with bit 63, in host memory */                                                 \
    X(inta_clocks)           /* INTA# low */                                                                           \
    X(inta_edges)                                                                                                      \
    X(memory_words_written) /* accesses at the pins of the external memory */                                          \
    X(memory_words_read)                                                                                               \
    X(sent_clocks) /* words on the tx pins that are not idle */                                                        \
    X(sent_packets)                                                                                                    \
    X(sent_words) /* 64-bit words of packets, headers included */                                                      \
    X(sent_records)                                                                                                    \
    X(sent_credits)    /* credit words */                                                                              \
    X(received_clocks) /* as sent by the other node: only undamaged ones */                                            \
    X(received_packets)                                                                                                \
    X(received_words)                                                                                                  \
    X(received_records)                                                                                                \
    X(received_credits) /* both credits of each word */                                                                \
    X(pins_unknown)     /* clocks with a bit of gt_rx_notintable */                                                    \
    X(pins_disparity)                                                                                                  \
    X(pins_loss_of_sync) /* rising edges */                                                                            \
    X(pins_tx_buffer)                                                                                                  \
    X(held_clocks)    /* network clocks in which packets had been read, and the next one had no credit */              \
    X(refused_clocks) /* PCI clocks of that in which the body had its blocks */                                        \
    X(pci_clocks)

#define NAME(name) name,
enum count { COUNTS(NAME) KINDS };
#undef NAME
#define NAME(name) #name,
static const char *const names[KINDS] = {COUNTS(NAME)};
#undef NAME

enum {
    TAGS = 32,
    LAST = 0x400 /* bytes of registers that the walk looks at */,
    COPIED = 20 /* [us] no copy is older */
};

enum {
    READ_LEAST, /* [PCI clocks] */
    READ_MOST,
    WRITE_LEAST,
    WRITE_MOST,
    SPLIT_LEAST,
    SPLIT_MOST,
    HELD_LEAST, /* [ps] */
    HELD_MOST,
    FULL_LEAST, /* [ps] blocks of external memory are at the limit */
    FULL_MOST,
    EITHER, /* [ps] of such a pair */
    SPANS
};

/* Words that pass no pin between bus and cable: bounds of how long it takes. All were found by trying; a wrong one
 * fails the comparison. */
enum {
    READ_DELAY = 20,       /* [PCI clocks] from the last datum on the bus until the packet may go */
    CREDIT_LEAST_NET = 23, /* [network clocks] and */
    CREDIT_LEAST_PCI = 7,  /* [PCI clocks] from the end of a credit's frame at the other node until the packet may go */
    CREDIT_MOST_NET = 25,
    CREDIT_MOST_PCI = 12,
    START_LEAST =
        20, /* [network clocks] so long before the packet ahead has left the cable's pins may one start into the FIFO */
    START_MOST = 44,
    MOVED_LEAST = 3, /* [PCI clocks] a packet takes into the link FIFO, besides one for each word */
    MOVED_MOST = 8,
    GONE_LEAST =
        112, /* [network clocks] from the last word in the link FIFO to the end of the packet, when the FIFO was full */
    GONE_MOST = 128,
    BLOCK_WORDS = 64,
    QUEUE_WINDOW = 0x4000, /* of BAR1: the request queues */
    QUEUE_BYTES = 2048     /* one of them */
};

struct counter_watch {
    pair *p;
    node *n;
    int which;
    sniffer *wire;
    uint64_t remote, local; /* areas of the notifications */
    uint64_t now[KINDS];
    spans span[SPANS];
    struct sequence {
        uint64_t from, from_least, left, split; /* clocks; bytes; of the Split Response, 0: none or over */
        size_t number;                          /* of a read: its place in `body` */
    } read[TAGS], write;
    uint64_t
        asked[2]; /* reads, writes: first clock with REQ# low since the last sequence left the initiator; 0: none yet */
    int inta, loss_of_sync, damaged;
    struct held {
        uint64_t registers;                    /* address of BAR1 */
        unsigned capacity, limit, transmitted; /* units; blocks; units handed to the link, as in check records */
        struct credit {
            sim_time at; /* end of its frame at the other node */
            unsigned value;
        } * credit;                        /* received credits, the first one before the counted time */
        size_t credits, credit_room, used; /* the last packet fitted with that one */
        struct body {
            sim_time from, done; /* REQ#, last datum, 0: not yet */
            uint64_t end;        /* words read up to here */
        } * body;
        size_t bodies, body_room, taken; /* number that have left as a whole */
        unsigned queues, longest;        /* that were written to; payload of a packet [words] */
        uint64_t sent;                   /* words of bodies sent */
        sim_time read;                   /* all that is sent was read by then */
        sim_time gone_least, gone_most;  /* the packet before had gone to the link: not before, at the latest */
        sim_time last;                   /* it had left */
        uint64_t outside;                /* words in external memory */
        sim_time full_least, full_most;  /* it is at the limit since; 0: it is not */
        int lost;                        /* a read failed: the data read for a packet are unknown */
    } held;
    uint32_t made[LAST / 4], base[LAST / 4];
    uint64_t before[2][KINDS]; /* when `base` was read: some time before, and then */
    uint8_t seen[LAST / 4];
};

/* ---- packets that wait for credit: all on one lane; those of one queue leave in the order in which they are read */

static sim_time now_of(const counter_watch *w) { return sim_now(w->p->s); }

static sim_time pci_time(const counter_watch *w, uint64_t clock)
{
    return now_of(w) - (pcix_bus_clock(host_bus(w->n->host)) - clock) * sim_clock_period(w->n->pci_clock);
}

static size_t body_begins(counter_watch *w, uint64_t request, unsigned bytes)
{
    struct held *h = &w->held;
    h->body = grown(h->body, h->bodies, &h->body_room, sizeof *h->body);
    h->body[h->bodies] =
        (struct body){pci_time(w, request), 0, (h->bodies ? h->body[h->bodies - 1].end : 0) + bytes / 8};
    return h->bodies++;
}

static void credit_came(counter_watch *w, unsigned value)
{
    struct held *h = &w->held;
    h->credit = grown(h->credit, h->credits, &h->credit_room, sizeof *h->credit);
    h->credit[h->credits++] = (struct credit){now_of(w), value};
}

static sim_time later(sim_time a, sim_time b) { return a > b ? a : b; }

static sim_time sooner(sim_time a, sim_time b) { return a < b ? a : b; }

static void span_add_time(counter_watch *w, int kind, sim_time from, sim_time to)
{
    if (to > from) span_add(&w->span[kind], from, to - 1);
}

static int several_queues(const struct held *h) { return (h->queues & (h->queues - 1)) != 0; }

/* The first credit with which a packet of this many words fits. */
static sim_time fits_since(struct held *h, unsigned words, size_t *at)
{
    while (*at + 1 < h->credits && ((h->transmitted - h->credit[*at].value) & 0xfff) + 2 * words + 4 > h->capacity)
        ++*at;
    return h->credit[*at].at;
}

/* A packet has left: how long did it wait, all of it read, the one before it gone to the link, and no credit for it?
 * The one before has gone when its last word is in the link FIFO: words follow each other in PCI clocks, while there
 * are 60 as the link takes them. With several queues it is not known which words were its own: at the least all had
 * been read; and another, longer one may have waited instead: at the most the longest there can be. A queue with a body
 * keeps its next packets on chip, several queues may not. */
static void packet_left(counter_watch *w, const sniffer_frame *f)
{
    struct held *h = &w->held;
    sim_time net = sim_clock_period(w->n->net_clock), pci = sim_clock_period(w->n->pci_clock), asked = 0,
             end = now_of(w);
    while (h->taken < h->bodies && h->body[h->taken].end <= h->sent) h->taken++;
    if (h->taken < h->bodies) asked = h->body[h->taken].from;
    h->sent += f->length;
    int several = several_queues(h);
    for (size_t i = h->taken;
         i < h->bodies && (several ? h->body[i].from < f->time : !i || h->body[i - 1].end < h->sent); i++)
        h->read = later(h->read, h->body[i].done ? h->body[i].done : end);
    if (several && h->outside) h->read = end;
    sim_time read = h->read + READ_DELAY * pci, came = fits_since(h, f->length, &h->used);
    sim_time came_least = came + CREDIT_LEAST_NET * net + CREDIT_LEAST_PCI * pci;
    sim_time came_most = came + CREDIT_MOST_NET * net + CREDIT_MOST_PCI * pci, most = came_most;
    if (several) {
        size_t used = h->used;
        most += fits_since(h, h->longest, &used) - came;
    }
    h->transmitted = (h->transmitted + 2 * f->length + 4) & 0xfff;
    if (!h->lost) span_add_time(w, HELD_LEAST, later(read, h->gone_most), came_least);
    span_add_time(w, HELD_MOST, later(asked, h->gone_least), w->damaged ? f->time : sooner(most, f->time));
    if (h->outside || h->lost || w->damaged) read = f->time;
    sim_time took_least = later(later(asked, came_least), later(h->gone_least, h->last - START_MOST * net));
    sim_time took_most =
        sooner(f->time, later(later(read, came_most), later(h->gone_most, h->last - START_LEAST * net)));
    h->gone_least = later(took_least + (f->length + MOVED_LEAST) * pci, end - GONE_MOST * net);
    h->gone_most = sooner(end, later(later(took_most + (f->length + MOVED_MOST) * pci, end - GONE_LEAST * net), read));
    h->last = end;
}

/* Words went to external memory or came back: checks the number of blocks against a queue's limit. */
static void full_since(counter_watch *w, int least, int is)
{
    struct held *h = &w->held;
    sim_time *since = least ? &h->full_least : &h->full_most;
    if (is && !*since) *since = now_of(w);
    if (is || !*since) return;
    span_add(&w->span[least ? FULL_LEAST : FULL_MOST], *since, now_of(w) - 1);
    *since = 0;
}

/* ---- the bus */

static int requests(const counter_watch *w, const pcix_sample *s) { return !(s->req_n >> w->n->nic_agent & 1); }

/* A sequence has left the initiator in clock `at`: REQ# that is low from then on may be that of the next one. */
static void left(counter_watch *w, int writes, uint64_t at)
{
    const pcix_bus *bus = host_bus(w->n->host);
    w->asked[writes] = 0;
    for (uint64_t c = at; c <= pcix_bus_clock(bus) && !w->asked[writes]; c++)
        if (requests(w, pcix_bus_at(bus, c))) w->asked[writes] = c;
}

static void read_moved(counter_watch *w, struct sequence *q, const pcix_transaction *t)
{
    if (!t->bytes || !q->left) return;  /* a completion for no read of ours is dropped */
    w->now[bus_words_read] += t->bytes; /* bytes until it is asked for */
    if (q->split) {
        span_add(&w->span[SPLIT_LEAST], q->split + 1, t->first_data);
        span_add(&w->span[SPLIT_MOST], q->split + 1, t->first_data);
    }
    q->split = 0;
    q->left -= t->bytes < q->left ? t->bytes : q->left;
    if (q->left) return;
    w->held.body[q->number].done = pci_time(w, t->last_data);
    span_add(&w->span[READ_LEAST], q->from_least, t->last_data + 2);
    span_add(&w->span[READ_MOST], q->from, t->last_data + 2);
}

/* Writes of the host to BAR1. */
static void on_setting(counter_watch *w, const pcix_transaction *t)
{
    struct held *h = &w->held;
    uint64_t offset = t->address - h->registers;
    if (offset == NIC_TX_CAPACITY) h->capacity = t->first_word;
    if (offset == NIC_BODY_LIMIT) h->limit = t->first_word;
    if (offset >= QUEUE_WINDOW && offset < 2 * QUEUE_WINDOW) h->queues |= 1u << (offset - QUEUE_WINDOW) / QUEUE_BYTES;
}

static void on_transaction(void *self, const pcix_transaction *t)
{
    counter_watch *w = self;
    uint64_t clocks = t->over - t->start, *now = w->now;
    if (t->command == PCIX_SPLIT_COMPLETION && t->target == w->n->nic_agent) {
        now[bus_read_clocks] += clocks;
        read_moved(w, &w->read[t->address >> 24 & (TAGS - 1)], t);
    }
    if (t->initiator != w->n->nic_agent) {
        if (t->target == w->n->nic_agent && !pcix_is_memory_read(t->command)) on_setting(w, t);
        return;
    }
    int read = pcix_is_memory_read(t->command);
    struct sequence *q = read ? &w->read[t->attribute >> 24 & (TAGS - 1)] : &w->write;
    now[read ? bus_reads : bus_writes]++;
    now[read ? bus_read_clocks : bus_write_clocks] += clocks;
    if (t->end == PCIX_END_INITIATOR) now[read ? bus_reads_cut : bus_writes_cut]++;
    if (!q->left) {
        uint64_t from = w->asked[!read];
        if (from > t->start || !from) from = t->start;
        *q = (struct sequence){from, t->start, t->byte_count, 0, read ? body_begins(w, from, t->byte_count) : 0};
    }
    if (read) {
        if (t->end == PCIX_END_SPLIT) {
            now[bus_split_responses]++;
            q->split = t->response;
        }
        read_moved(w, q, t);
        if (t->end == PCIX_END_MASTER_ABORT ||
            t->end == PCIX_END_TARGET_ABORT) { /* the time until it ends is not defined */
            q->left = 0;
            w->held.lost = 1;
            span_add(&w->span[READ_LEAST], q->from_least, t->start);
            span_add(&w->span[READ_MOST], q->from, t->over + 4);
            left(w, 0, t->start);
        } else if (t->end == PCIX_END_SPLIT || !q->left)
            left(w, 0, t->end == PCIX_END_SPLIT ? t->response + 1 : t->last_data + 1);
        return;
    }
    int local = t->address >= w->local && t->address < w->local + 8 * NIC_QUEUE_DEPARTED_COUNT;
    int remote = t->address >= w->remote && t->address < w->remote + 8 * 128;
    if (!local && !remote) now[bus_words_written] += t->bytes;
    q->left -= t->bytes < q->left ? t->bytes : q->left;
    if (t->end == PCIX_END_MASTER_ABORT || t->end == PCIX_END_TARGET_ABORT) {
        q->left = 0;
        span_add(&w->span[WRITE_LEAST], q->from_least, t->start);
        span_add(&w->span[WRITE_MOST], q->from, t->over + 4);
        left(w, 1, t->start);
        now[bus_packets_written] += !local && !remote; /* over, not written: N2H_DMA_OPS counts it */
        return;
    }
    if (q->left) return;
    now[local ? local_notifications : remote ? remote_notifications : bus_packets_written]++;
    span_add(&w->span[WRITE_LEAST], q->from_least, t->last_data);
    span_add(&w->span[WRITE_MOST], q->from, t->last_data);
    left(w, 1, t->last_data + 1);
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    counter_watch *w = self;
    (void)when;
    if (t->address >= w->remote && t->address < w->remote + 8 * 128)
        w->now[flagged_notifications] += memory_get64(host_memory(w->n->host), t->address) >> 63;
}

static void on_bus_clock(void *self, const pcix_sample *s)
{
    counter_watch *w = self;
    int inta = s->inta >> w->n->nic_agent & 1;
    w->now[inta_clocks] += (unsigned)inta;
    w->now[inta_edges] += inta && !w->inta;
    w->inta = inta;
    w->now[pci_clocks]++;
    for (int i = 0; i < 2; i++)
        if (!w->asked[i] && requests(w, s)) w->asked[i] = s->clock;
}

static void on_memory_clock(void *self)
{
    counter_watch *w = self;
    const external_pins *m = &w->n->nic.memory;
    w->now[memory_words_written] += *m->mem_valid && *m->mem_ready && *m->mem_we;
    w->now[memory_words_read] += *m->mem_rvalid;
    struct held *h = &w->held;
    h->outside += (uint64_t)(*m->mem_valid && *m->mem_ready && *m->mem_we) - *m->mem_rvalid;
    full_since(w, 1, h->limit && h->outside >= (uint64_t)h->limit * BLOCK_WORDS);
    full_since(w, 0, h->limit && h->outside + 2 * BLOCK_WORDS > (uint64_t)h->limit * BLOCK_WORDS);
}

/* ---- the cable */

static void on_frame(void *self, const sniffer_frame *f)
{
    counter_watch *w = self;
    int sent = f->from == w->which;
    uint64_t *now = w->now;
    now[sent ? sent_credits : received_credits] += f->credits ? sent ? 1 : 2 : 0;
    for (unsigned i = 0; i < f->credits && !sent; i++)
        if (f->credit[i].flow == 0 && f->credit[i].parity_ok) credit_came(w, f->credit[i].counter * 32u);
    if (!f->has_header) return;
    if (sent && f->is_check) w->held.transmitted = f->address & 0xfff;
    else if (sent) packet_left(w, f);
    now[sent ? sent_records : received_records] += (unsigned)f->is_check;
    if (f->is_check) return;
    now[sent ? sent_packets : received_packets]++;
    now[sent ? sent_words : received_words] += 1 + f->length;
}

static void on_word(void *self, int from, uint64_t index, sim_time time, uint64_t clock, const uint32_t *data,
                    const uint8_t *k)
{
    counter_watch *w = self;
    sniffer_word(w->wire, from, index, time, clock, *data, *k);
    if (*k != 0xf) w->now[from == w->which ? sent_clocks : received_clocks]++;
}

static void on_net_clock(void *self)
{
    counter_watch *w = self;
    const gt_pins *g = &w->n->nic.gt;
    w->now[pins_unknown] += (*g->rx_notintable & 15) != 0;
    w->now[pins_disparity] += (*g->rx_disperr & 15) != 0;
    w->now[pins_tx_buffer] += *g->tx_buf_err & 1;
    w->now[pins_loss_of_sync] += (*g->rx_loss_of_sync & 1) && !w->loss_of_sync;
    w->loss_of_sync = *g->rx_loss_of_sync & 1;
}

/* ---- */

static uint32_t get(counter_watch *w, unsigned offset)
{
    uint32_t value;
    ck_assert_msg(nx_register_read(w->n->dev, offset, &value) == 0, "%s", nx_last_error(w->n->dev));
    return value;
}

static int is_counter(const struct nic_register *r)
{
    return strcmp(r->access, "rc") == 0 || strcmp(r->access, "nc") == 0;
}

static void take(counter_watch *w, uint32_t value[LAST / 4], uint64_t count[2][KINDS])
{
    memcpy(count[0], w->now, sizeof w->now);
    sim_wait_time(w->p->s, COPIED * SIM_US);
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++)
        if (is_counter(r)) value[r->offset / 4] = r->links > 1 ? 0 : get(w, r->offset); /* these NICs have one */
    memcpy(count[1], w->now, sizeof w->now);
}

static void let_go(void *watch)
{
    counter_watch *w = watch;
    for (unsigned i = 0; i < SPANS; i++) free(w->span[i].at);
    free(w->held.credit);
    free(w->held.body);
    sniffer_free(w->wire);
    free(w);
}

counter_watch *counter_watch_new(pair *p, int which)
{
    counter_watch *w = calloc(1, sizeof *w);
    ck_assert_ptr_nonnull(w);
    after_test(let_go, w);
    w->p = p;
    w->which = which;
    w->n = p->node[which];
    w->remote = get(w, NIC_REMOTE_NOTIFY_LOW);
    w->local = get(w, NIC_LOCAL_NOTIFY_LOW);
    w->wire = sniffer_new(on_frame, w);
    w->held.registers = nx_bus_find(w->n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address;
    w->held.capacity = get(w, NIC_TX_CAPACITY);
    w->held.longest = get(w, NIC_PAYLOAD_LIMIT);
    w->held.limit = get(w, NIC_BODY_LIMIT);
    w->held.transmitted = get(w, NIC_TX_SPACE) >> 16 & 0xfff;
    credit_came(w, get(w, NIC_TX_SPACE) & 0xfff);
    w->loss_of_sync = *w->n->nic.gt.rx_loss_of_sync & 1;
    ck_assert_int_eq(cable_add_observer(p->wire, on_word, w), 0);
    ck_assert_int_eq(host_on_transaction(w->n->host, on_transaction, w) || host_on_written(w->n->host, on_written, w),
                     0);
    ck_assert_int_ge(pcix_bus_add_watcher(host_bus(w->n->host), on_bus_clock, w), 0);
    sim_clock_attach(w->n->pci_clock, on_memory_clock, NULL, w);
    sim_clock_attach(w->n->net_clock, on_net_clock, NULL, w);
    take(w, w->base, w->before);
    return w;
}

void counter_watch_made(counter_watch *w, unsigned offset, uint32_t count) { w->made[offset / 4] += count; }

void counter_watch_given_up(counter_watch *w)
{
    uint64_t now = pcix_bus_clock(host_bus(w->n->host));
    for (unsigned i = 0; i < TAGS; i++) {
        struct sequence *q = &w->read[i];
        if (!q->left) continue;
        w->held.lost = 1;
        span_add(&w->span[READ_MOST], q->from, now);
        if (q->split) span_add(&w->span[SPLIT_MOST], q->split + 1, now);
        q->left = q->split = 0;
    }
}

void counter_watch_damaged(counter_watch *w) { w->damaged = 1; }

/* Time in spans of both kinds. */
static uint64_t overlap(counter_watch *w, int a, int b)
{
    spans *all = &w->span[EITHER];
    all->count = 0;
    for (size_t i = 0; i < w->span[a].count; i++) span_add(all, w->span[a].at[i].from, w->span[a].at[i].to);
    for (size_t i = 0; i < w->span[b].count; i++) span_add(all, w->span[b].at[i].from, w->span[b].at[i].to);
    return span_clocks(&w->span[a]) + span_clocks(&w->span[b]) - span_clocks(all);
}

static int value(counter_watch *w, unsigned offset, const char *compare, uint64_t after[2][KINDS], uint64_t *least,
                 uint64_t *most)
{
    if (strcmp(compare, "made") == 0 || strcmp(compare, "never") == 0) {
        *least = *most = w->made[offset / 4];
        return 0;
    }
    for (unsigned i = 0; i < KINDS; i++) {
        if (strcmp(names[i], compare)) continue;
        *least = after[0][i] > w->before[1][i] ? after[0][i] - w->before[1][i] : 0;
        *most = after[1][i] - w->before[0][i];
        if (i == bus_words_read || i == bus_words_written) *least /= 8, *most /= 8;
        if (i == bus_split_time) *least = span_clocks(&w->span[SPLIT_LEAST]), *most = span_clocks(&w->span[SPLIT_MOST]);
        if (i == bus_read_time) *least = span_clocks(&w->span[READ_LEAST]), *most = span_clocks(&w->span[READ_MOST]);
        if (i == bus_write_time) *least = span_clocks(&w->span[WRITE_LEAST]), *most = span_clocks(&w->span[WRITE_MOST]);
        if (i == held_clocks) {
            *least = span_clocks(&w->span[HELD_LEAST]) / sim_clock_period(w->n->net_clock);
            *most = span_clocks(&w->span[HELD_MOST]) / sim_clock_period(w->n->net_clock);
        }
        if (i == refused_clocks) {
            int several = several_queues(&w->held); /* and which one has the blocks */
            *least = several ? 0 : overlap(w, HELD_LEAST, FULL_LEAST) / sim_clock_period(w->n->pci_clock);
            *most = several ? span_clocks(&w->span[FULL_MOST]) : overlap(w, HELD_MOST, FULL_MOST);
            *most /= sim_clock_period(w->n->pci_clock);
        }
        if (i == pci_clocks) *most = after[1][i]; /* the cumulative timer runs on unseen */
        if (i == pci_clocks || (w->damaged && i >= received_clocks && i <= received_credits)) *least = 0;
        return 0;
    }
    return -1;
}

int counter_watch_value(counter_watch *w, unsigned offset, const char *compare, uint64_t *least, uint64_t *most)
{
    uint64_t both[2][KINDS];
    memcpy(both[0], w->now, sizeof w->now);
    memcpy(both[1], w->now, sizeof w->now);
    return value(w, offset, compare, both, least, most);
}

int counter_watch_compare(counter_watch *w, char *text, size_t size)
{
    uint32_t now[LAST / 4] = {0};
    uint64_t after[2][KINDS], least, most;
    size_t n = 0;
    *text = 0;
    take(w, now, after);
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++) {
        if (!is_counter(r)) continue;
        uint32_t by = now[r->offset / 4] - w->base[r->offset / 4];
        if (value(w, r->offset, r->compare, after, &least, &most)) {
            if (n < size) n += (size_t)snprintf(text + n, size - n, " %s is compared with nothing;", r->name);
            continue;
        }
        if ((by < least || by > most) && n < size)
            n += (size_t)snprintf(text + n, size - n, " %s rose by %u, expected %llu..%llu (%s);", r->name, by,
                                  (unsigned long long)least, (unsigned long long)most, r->compare);
        w->seen[r->offset / 4] |= by != 0;
    }
    for (unsigned i = 0; i < SPANS; i++) w->span[i].count = 0;
    w->held.bodies = w->held.taken = 0;
    w->held.sent = 0;
    w->held.queues = 0;
    w->held.lost = 0;
    memset(w->made, 0, sizeof w->made);
    w->damaged = 0;
    memcpy(w->base, now, sizeof now);
    memcpy(w->before, after, sizeof after);
    return n ? -1 : 0;
}

int counter_watch_has_seen(const counter_watch *w, unsigned offset) { return w->seen[offset / 4]; }
