#include "counter_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "sniffer.h"
#include "test.h"

/* What is counted by itself. */
#define COUNTS(X)                                                                                                                          \
    X(bus_reads)           /* transactions of ours that read, each Retry one */                                                            \
    X(bus_writes)          /* that write */                                                                                                \
    X(bus_words_read)      /* 64-bit words that came in data phases of our reads and of their completions */                               \
    X(bus_words_written)   /* that left in data phases of our writes, notifications apart */                                               \
    X(bus_read_clocks)     /* FRAME# or IRDY# low in a read of ours or a completion for it */                                              \
    X(bus_write_clocks)    /* in a write of ours */                                                                                        \
    X(bus_read_time)       /* from REQ# to two clocks after the last data phase of a read sequence; of several at once once */             \
    X(bus_write_time)      /* from REQ# to the last data phase of a write sequence */                                                      \
    X(bus_reads_cut)       /* reads that we left at an ADB before their byte count */                                                      \
    X(bus_writes_cut)      /* writes */                                                                                                    \
    X(bus_split_responses) /* Split Responses to us */                                                                                     \
    X(bus_split_time)      /* clocks behind a Split Response up to the first datum, of several at once once */                             \
    X(bus_packets_written) /* write sequences that are no notifications */                                                                 \
    X(local_notifications) /* write sequences to the area of the local notifications */                                                    \
    X(remote_notifications)                                                                                                                \
    X(flagged_notifications) /* of them with bit 63, in host memory */                                                                     \
    X(inta_clocks)           /* INTA# low */                                                                                               \
    X(inta_edges)                                                                                                                          \
    X(memory_words_written) /* accesses at the pins of the external memory */                                                              \
    X(memory_words_read)                                                                                                                   \
    X(sent_clocks) /* words on the tx pins that are not idle */                                                                            \
    X(sent_packets)                                                                                                                        \
    X(sent_words) /* 64-bit words of packets, headers included */                                                                          \
    X(sent_records)                                                                                                                        \
    X(sent_credits)    /* credit words */                                                                                                  \
    X(received_clocks) /* as sent by the other node: only what is not damaged on the way */                                                \
    X(received_packets)                                                                                                                    \
    X(received_words)                                                                                                                      \
    X(received_records)                                                                                                                    \
    X(received_credits) /* both credits of each word */                                                                                    \
    X(pins_unknown)     /* clocks with a bit of gt_rx_notintable */                                                                        \
    X(pins_disparity)                                                                                                                      \
    X(pins_loss_of_sync) /* rising edges */                                                                                                \
    X(pins_tx_buffer)                                                                                                                      \
    X(net_clocks) /* all clocks: more a counter of clocks cannot say */                                                                    \
    X(pci_clocks)

#define NAME(name) name,
enum count { COUNTS(NAME) KINDS };
#undef NAME
#define NAME(name) #name,
static const char *const names[KINDS] = {COUNTS(NAME)};
#undef NAME

enum { TAGS = 32, LAST = 0x400 /* bytes of registers that the walk looks at */, COPIED = 20 /* [us] no copy is older */ };

/* Times that overlap count once: intervals of one kind come in the order of their ends, those of several tags mixed. */
typedef struct spans {
    struct span {
        uint64_t from, to;
    } * at;
    size_t count, room;
} spans;
enum { READ_LEAST, READ_MOST, WRITE_LEAST, WRITE_MOST, SPLIT_LEAST, SPLIT_MOST, SPANS };

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
    } read[TAGS], write;
    uint64_t asked[2]; /* reads, writes: first clock with REQ# low since the last sequence left the initiator; 0: none yet */
    int inta, loss_of_sync, damaged;
    uint32_t made[LAST / 4], base[LAST / 4];
    uint64_t before[2][KINDS]; /* when `base` was read: some time before, and then */
    uint8_t seen[LAST / 4];
};

static void span_add(spans *s, uint64_t from, uint64_t to)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->at = realloc(s->at, s->room * sizeof *s->at);
        ck_assert_ptr_nonnull(s->at);
    }
    s->at[s->count++] = (struct span){from, to};
}

static int by_from(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Clocks in any of them, both ends included. */
static uint64_t span_clocks(spans *s)
{
    uint64_t sum = 0, done = 0;
    if (s->count) qsort(s->at, s->count, sizeof *s->at, by_from);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t from = s->at[i].from > done ? s->at[i].from : done + 1;
        if (s->at[i].to < from) continue;
        sum += s->at[i].to - from + 1;
        done = s->at[i].to;
    }
    return sum;
}

/* ---- the bus */

static int requests(const counter_watch *w, const pcix_sample *s)
{
    return !(s->req_n >> w->n->nic_agent & 1);
}

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
    if (!t->bytes || !q->left) return;  /* a completion for no read of ours is thrown away */
    w->now[bus_words_read] += t->bytes; /* bytes until it is asked for */
    if (q->split) {
        span_add(&w->span[SPLIT_LEAST], q->split + 1, t->first_data);
        span_add(&w->span[SPLIT_MOST], q->split + 1, t->first_data);
    }
    q->split = 0;
    q->left -= t->bytes < q->left ? t->bytes : q->left;
    if (q->left) return;
    span_add(&w->span[READ_LEAST], q->from_least, t->last_data + 2);
    span_add(&w->span[READ_MOST], q->from, t->last_data + 2);
}

static void on_transaction(void *self, const pcix_transaction *t)
{
    counter_watch *w = self;
    uint64_t clocks = t->over - t->start, *now = w->now;
    if (t->command == PCIX_SPLIT_COMPLETION && t->target == w->n->nic_agent) {
        now[bus_read_clocks] += clocks;
        read_moved(w, &w->read[t->address >> 24 & (TAGS - 1)], t);
    }
    if (t->initiator != w->n->nic_agent) return;
    int read = pcix_is_memory_read(t->command);
    struct sequence *q = read ? &w->read[t->attribute >> 24 & (TAGS - 1)] : &w->write;
    now[read ? bus_reads : bus_writes]++;
    now[read ? bus_read_clocks : bus_write_clocks] += clocks;
    if (t->end == PCIX_END_INITIATOR) now[read ? bus_reads_cut : bus_writes_cut]++;
    if (!q->left) {
        uint64_t from = w->asked[!read];
        *q = (struct sequence){from && from < t->start ? from : t->start, t->start, t->byte_count, 0};
    }
    if (read) {
        if (t->end == PCIX_END_SPLIT) {
            now[bus_split_responses]++;
            q->split = t->response;
        }
        read_moved(w, q, t);
        if (t->end == PCIX_END_MASTER_ABORT || t->end == PCIX_END_TARGET_ABORT) { /* how long it takes to give up is not said */
            q->left = 0;
            span_add(&w->span[READ_LEAST], q->from_least, t->start);
            span_add(&w->span[READ_MOST], q->from, t->over + 4);
            left(w, 0, t->start);
        } else if (t->end == PCIX_END_SPLIT || !q->left) left(w, 0, t->end == PCIX_END_SPLIT ? t->response + 1 : t->last_data + 1);
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
}

/* ---- the cable */

static void on_frame(void *self, const sniffer_frame *f)
{
    counter_watch *w = self;
    int sent = f->from == w->which;
    uint64_t *now = w->now;
    now[sent ? sent_credits : received_credits] += f->credits ? sent ? 1 : 2 : 0;
    if (!f->has_header) return;
    now[sent ? sent_records : received_records] += (unsigned)f->is_check;
    if (f->is_check) return;
    now[sent ? sent_packets : received_packets]++;
    now[sent ? sent_words : received_words] += 1 + f->length;
}

static void on_word(void *self, int from, uint64_t index, sim_time time, uint64_t clock, const uint32_t *data, const uint8_t *k)
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
    w->now[net_clocks]++;
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
        if (is_counter(r)) value[r->offset / 4] = get(w, r->offset);
    memcpy(count[1], w->now, sizeof w->now);
}

static void let_go(void *watch)
{
    counter_watch *w = watch;
    for (unsigned i = 0; i < SPANS; i++) free(w->span[i].at);
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
    w->loss_of_sync = *w->n->nic.gt.rx_loss_of_sync & 1;
    ck_assert_int_eq(cable_add_observer(p->wire, on_word, w), 0);
    ck_assert_int_eq(host_on_transaction(w->n->host, on_transaction, w) || host_on_written(w->n->host, on_written, w), 0);
    ck_assert_int_ge(pcix_bus_add_watcher(host_bus(w->n->host), on_bus_clock, w), 0);
    sim_clock_attach(w->n->pci_clock, on_memory_clock, NULL, w);
    sim_clock_attach(w->n->net_clock, on_net_clock, NULL, w);
    take(w, w->base, w->before);
    return w;
}

void counter_watch_made(counter_watch *w, unsigned offset, uint32_t count)
{
    w->made[offset / 4] += count;
}

void counter_watch_given_up(counter_watch *w)
{
    uint64_t now = pcix_bus_clock(host_bus(w->n->host));
    for (unsigned i = 0; i < TAGS; i++) {
        struct sequence *q = &w->read[i];
        if (!q->left) continue;
        span_add(&w->span[READ_MOST], q->from, now);
        if (q->split) span_add(&w->span[SPLIT_MOST], q->split + 1, now);
        q->left = q->split = 0;
    }
}

void counter_watch_damaged(counter_watch *w)
{
    w->damaged = 1;
}

static int value(counter_watch *w, unsigned offset, const char *compare, uint64_t after[2][KINDS], uint64_t *least, uint64_t *most)
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
        if (i == pci_clocks) *most = after[1][i]; /* the cumulative timer runs on unseen */
        if (i == net_clocks || i == pci_clocks || (w->damaged && i >= received_clocks && i <= received_credits)) *least = 0;
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
            n += (size_t)snprintf(text + n, size - n, " %s rose by %u, expected %llu..%llu (%s);", r->name, by, (unsigned long long)least,
                                  (unsigned long long)most, r->compare);
        w->seen[r->offset / 4] |= by != 0;
    }
    for (unsigned i = 0; i < SPANS; i++) w->span[i].count = 0;
    memset(w->made, 0, sizeof w->made);
    w->damaged = 0;
    memcpy(w->base, now, sizeof now);
    memcpy(w->before, after, sizeof after);
    return n ? -1 : 0;
}

int counter_watch_has_seen(const counter_watch *w, unsigned offset)
{
    return w->seen[offset / 4];
}
