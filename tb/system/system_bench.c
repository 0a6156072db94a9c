#include "system_bench.h"

#include <stdio.h>

enum { RESET_CLOCKS = 8192 /* of the PCI bus, in which a software reset ends */ };
/* network counters are copies: none is older than this */
#define COPIED (20 * SIM_US)

/* ---- notifications, checked as they are written */

static int piece_at(const flow *f, uint32_t address)
{
    for (unsigned i = 0; i < f->posted; i++)
        if (address >= f->piece[i].destination && address < f->piece[i].destination + 8 * f->piece[i].words)
            return (int)i;
    return -1;
}

static void verify(bench *b, flow *f)
{
    uint64_t note = memory_get64(host_memory(f->to->host), f->word);
    int at = piece_at(f, (uint32_t)note);
    if (at < 0 || (note >> 56 & 0x7f) != f->id) {
        f->strangers++;
        return;
    }
    f->last = note;
    if (note >> 63) {
        f->flagged++;
    } else {
        unsigned first = f->sender_reports || f->notified > (unsigned)at ? (unsigned)at : f->notified;
        unsigned missing = bench_missing(b, &f->piece[first], (unsigned)at + 1 - first);
        f->good += !missing;
        f->lies += missing != 0;
    }
    f->notified = (unsigned)at + 1;
}

static void written(void *self, const pcix_transaction *t, sim_time when)
{
    const struct ear *e = self;
    (void)when;
    for (flow *f = e->b->flow; f < e->b->flow + e->b->flows; f++)
        if (f->to == e->at && t->address == f->word && t->initiator == e->at->nic_agent) verify(e->b, f);
}

static void check_all(bench *b)
{
    for (unsigned i = 0; i < b->nodes; i++) {
        uint64_t words = bench_get(b, (int)i, NIC_REMOTE_NOTIFY_LOW);
        for (flow *f = b->flow; f < b->flow + b->flows; f++)
            if (f->to == b->n[i]) f->word = words + 8 * f->id;
        b->ear[i] = (struct ear){b, b->n[i]};
        ck_assert_int_ge(host_on_written(b->n[i]->host, written, &b->ear[i]), 0);
    }
}

void bench_sound(const bench *b, unsigned flow)
{
    ck_assert_msg(!b->flow[flow].lies, "%u good notifications of flow %u for data that have not arrived",
                  b->flow[flow].lies, flow);
    ck_assert_uint_eq(b->flow[flow].strangers, 0);
}

/* ---- life */

CLEANUP(pair_free);
CLEANUP(frame_tap_free);

frame_tap *tap_on(cable *wire)
{
    frame_tap *t = frame_tap_new(wire);
    after_test(frame_tap_free_cleanup, t);
    return t;
}

static void main_task(void *arg)
{
    bench *b = arg;
    ck_assert_msg((b->p ? pair_start(b->p) : port_start(b->port)) == 0, "%s %s", b->n[0]->error,
                  b->p ? b->n[1]->error : "");
    check_all(b);
    bench_forgive(b, ALL);
    b->software(b, b->variation);
    for (unsigned i = 0; i < b->flows; i++)
        ck_assert_msg(!b->flow[i].lies, "%u good notifications of flow %u for data that have not arrived",
                      b->flow[i].lies, i);
    if (b->p) pair_stop(b->p);
    else port_stop(b->port);
}

void bench_run_on(bench *b, void (*software)(bench *, int), int variation)
{
    b->software = software;
    b->variation = variation;
    sim_task_new(b->s, "software", main_task, b);
    int r = sim_run(b->s, 100 * SIM_MS);
    ck_assert_msg(r == SIM_OK, "%s: %s", sim_result_name(r), sim_error(b->s));
}

void bench_run(void (*change)(pair_params *, int), void (*software)(bench *, int), int variation)
{
    bench *b = test_memory(sizeof *b);
    pair_params params;
    pair_params_default(&params);
    params.sim.watchdog = 0;
    params.driver.timeout_ns = 2000 * 1000;
    if (change) change(&params, variation);
    b->p = pair_new(&params);
    ck_assert_ptr_nonnull(b->p);
    after_test(pair_free_cleanup, b->p);
    b->s = b->p->s;
    b->wire = b->p->wire;
    b->nodes = b->flows = 2;
    for (unsigned i = 0; i < 2; i++) b->n[i] = b->p->node[i];
    for (unsigned i = 0; i < 2; i++)
        b->flow[i] = (flow){.from = b->n[i], .to = b->n[!i], .queue = !i, .id = b->n[i]->params.node_id};
    bench_run_on(b, software, variation);
}

/* ---- registers */

void bench_ok(bench *b, int node, int result)
{
    ck_assert_msg(result == NX_OK, "node %d: %s", node, nx_last_error(b->n[node]->dev));
}

uint32_t bench_get(bench *b, int node, unsigned offset)
{
    uint32_t value;
    bench_ok(b, node, nx_register_read(b->n[node]->dev, offset, &value));
    return value;
}

void bench_put(bench *b, int node, unsigned offset, uint32_t value)
{
    bench_ok(b, node, nx_register_write(b->n[node]->dev, offset, value));
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
    bench_set(b, node, NIC_CONTROL, control | (on ? NIC_CONTROL_INITIATOR_ENABLE_MASK : 0));
}

void bench_wait(bench *b, sim_time time) { sim_wait_time(b->s, time); }

void bench_ask_reset(bench *b, int node)
{
    bench_put(b, node, NIC_CONTROL, bench_get(b, node, NIC_CONTROL) | NIC_CONTROL_SOFT_RESET_MASK);
    b->asked[node] = sim_now(b->s);
}

void bench_reset_ends(bench *b, int node)
{
    const sim_time most = RESET_CLOCKS * node_pci_period(b->n[node]->params.pci_mhz, NULL);
    while (bench_get(b, node, NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK)
        ck_assert_msg(sim_now(b->s) - b->asked[node] < most, "the software reset of node %d does not end", node);
}

void bench_soft_reset(bench *b, int node)
{
    bench_ask_reset(b, node);
    bench_reset_ends(b, node);
}

/* ---- pieces */

piece bench_make(bench *b, unsigned flow, unsigned words)
{
    const struct flow *f = &b->flow[flow];
    uint64_t *next = &b->next[f->from != b->n[0]];
    piece p = {.flow = flow,
               .words = words,
               .source = BENCH_SOURCES + *next,
               .destination = (uint32_t)(BENCH_DESTINATIONS + *next)};
    *next += (b->room ? b->room : 8 * words) + 8 * sim_random_below(b->s, 4);
    for (unsigned i = 0; i < words; i++)
        memory_put64(host_memory(f->from->host), p.source + 8 * i, sim_random(b->s) | 1, 0xff);
    return p;
}

static int post_on(bench *b, piece *p, unsigned queue, unsigned flags)
{
    nx_descriptor d = {
        .source = p->source, .destination = p->destination, .words = p->words, .flow = queue, .flags = flags};
    return nx_post(b->flow[p->flow].from->dev, &d, &p->ticket);
}

void bench_post_on(bench *b, piece *p, unsigned queue, unsigned flags)
{
    int r = post_on(b, p, queue, flags);
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(b->flow[p->flow].from->dev));
}

/* may_lose: earlier losses of the flow are reported by nx_post, which then has posted nothing. */
static void post(bench *b, piece *p, unsigned flags, int may_lose)
{
    flow *f = &b->flow[p->flow];
    int r;
    ck_assert_uint_lt(f->posted, BENCH_PIECES);
    p->number = f->posted++;
    f->piece[p->number] = *p;
    do r = post_on(b, p, f->queue, flags | NX_START);
    while (may_lose && r == NX_ERROR_ABANDONED);
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(f->from->dev));
}

void bench_post(bench *b, piece *p, unsigned flags) { post(b, p, flags, 0); }

piece bench_send(bench *b, unsigned flow, unsigned words, unsigned flags)
{
    piece p = bench_make(b, flow, words);
    bench_post(b, &p, flags);
    return p;
}

static void read_both(bench *b, const piece *p, unsigned word, uint64_t *sent, uint64_t *got)
{
    *sent = memory_get64(host_memory(b->flow[p->flow].from->host), p->source + 8 * word);
    *got = memory_get64(host_memory(b->flow[p->flow].to->host), p->destination + 8 * word);
}

int bench_arrived(bench *b, const piece *p)
{
    uint64_t sent = 0, got = 0;
    for (unsigned i = 0; i < p->words && sent == got; i++) read_both(b, p, i, &sent, &got);
    return sent == got;
}

unsigned bench_missing(bench *b, const piece *p, unsigned n)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < n; i++) missing += !bench_arrived(b, &p[i]);
    return missing;
}

void bench_must_arrive(bench *b, const piece *p)
{
    uint64_t sent, got;
    for (unsigned i = 0; i < p->words; i++) {
        read_both(b, p, i, &sent, &got);
        ck_assert_msg(sent == got, "word %u of %u to 0x%08x of flow %u is 0x%016llx, expected 0x%016llx", i, p->words,
                      p->destination, p->flow, (unsigned long long)got, (unsigned long long)sent);
    }
}

void bench_untouched(bench *b, const piece *p)
{
    uint64_t sent, got;
    for (unsigned i = 0; i < p->words; i++) {
        read_both(b, p, i, &sent, &got);
        ck_assert_uint_eq(got, 0);
    }
}

/* Waits for the next notification, which must be of this piece; returns the driver's result. */
static int notified(bench *b, const piece *p)
{
    const flow *f = &b->flow[p->flow];
    nx_notification note;
    int r = nx_notification_wait(f->to->dev, f->id, &note);
    ck_assert_msg(r == NX_OK || r == NX_ERROR_FLAGGED, "%s", nx_last_error(f->to->dev));
    unsigned limit = nx_parameters(f->from->dev)->payload_words;
    unsigned last = p->words % limit ? p->words % limit : limit;
    ck_assert_uint_eq(note.words, last);
    ck_assert_uint_eq(note.destination, p->destination + 8 * (p->words - last));
    ck_assert_uint_eq(note.source, f->id);
    return r;
}

void bench_notified(bench *b, const piece *p, int flagged)
{
    int r = notified(b, p);
    ck_assert_msg(r == (flagged ? NX_ERROR_FLAGGED : NX_OK), "expected a %s notification",
                  flagged ? "flagged" : "good");
}

int bench_next(bench *b, unsigned flow, unsigned words)
{
    piece p = bench_send(b, flow, words, NX_REMOTE | NX_LOCAL);
    int flagged = notified(b, &p) == NX_ERROR_FLAGGED;
    bench_must_arrive(b, &p);
    int r = nx_wait(b->flow[flow].from->dev, &p.ticket);
    ck_assert_msg(r == 0, "%s", nx_last_error(b->flow[flow].from->dev));
    return flagged;
}

void bench_good(bench *b, unsigned flow, unsigned words)
{
    ck_assert_msg(!bench_next(b, flow, words), "expected a good notification");
}

void bench_reported(bench *b, unsigned flow, unsigned words)
{
    ck_assert_msg(bench_next(b, flow, words), "expected a flagged notification");
    bench_expect(b, !flow, NIC_STATUS_SEQUENCE_GAP_MASK,
                 CHANGES({NIC_SEQUENCE_GAPS, 1}, {NIC_FLAGGED_NOTIFICATIONS, 1}));
}

int bench_take(bench *b, unsigned flow)
{
    nx_notification note;
    return nx_notification_poll(b->flow[flow].to->dev, b->flow[flow].id, &note);
}

int bench_transfer(node *from, node *to, unsigned flow, unsigned bytes)
{
    uint64_t source = from->platform.alloc(from, bytes, 8), destination = to->platform.alloc(to, bytes, 8);
    uint8_t sent[8192], got[8192];
    nx_ticket ticket;
    nx_notification note;
    ck_assert(source && destination && bytes <= sizeof sent);
    for (unsigned i = 0; i < bytes; i++) sent[i] = (uint8_t)sim_random(from->s);
    memory_write(host_memory(from->host), source, sent, bytes);
    int r = nx_transfer(from->dev, flow, source, (uint32_t)destination, bytes, NX_REMOTE | NX_LOCAL, &ticket);
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(from->dev));
    int result = nx_notification_wait(to->dev, from->params.node_id, &note);
    ck_assert_msg(result == NX_OK || result == NX_ERROR_FLAGGED, "%s", nx_last_error(to->dev));
    ck_assert_uint_eq(note.source, from->params.node_id);
    ck_assert_uint_eq(note.raw >> 56 & 0x7f, from->params.node_id);
    ck_assert_uint_eq(note.destination + 8 * note.words, destination + (bytes + 7) / 8 * 8);
    r = nx_wait(from->dev, &ticket);
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(from->dev));
    memory_read(host_memory(to->host), destination, got, bytes);
    if (result == NX_OK) ck_assert_mem_eq(sent, got, bytes);
    return result;
}

/* ---- descriptors behind the driver's back */

uint64_t bench_slot(bench *b, unsigned queue, unsigned slot)
{
    return nx_bus_find(b->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + 0x4000 +
           (queue * 128 + slot % 128) * 16;
}

uint64_t bench_word1(uint32_t destination, unsigned words, unsigned flow, unsigned start)
{
    return (uint64_t)start << 59 | (uint64_t)flow << 52 | (uint64_t)words << 32 | destination;
}

void bench_raw(bench *b, unsigned queue, unsigned slot, uint64_t word0, uint64_t word1, unsigned parts)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t value = (i < 2 ? word0 : word1) >> 32 * (i & 1) & 0xffffffff;
        if (parts >> i & 1)
            ck_assert_int_eq(host_write(b->n[0]->host, bench_slot(b, queue, slot) + 4 * i, 4, value), 0);
    }
    host_flush(b->n[0]->host);
}

/* ---- streams */

struct stream {
    bench *b;
    flow *f;
    unsigned pieces;
    unsigned (*draw)(bench *b, unsigned flow, piece *p);
    int may_lose;
};

static void stream(void *arg)
{
    struct stream *s = arg;
    nx_device *dev = s->f->from->dev;
    int r;
    for (unsigned i = 0; i < s->pieces; i++) {
        piece p;
        unsigned flags = s->draw(s->b, (unsigned)(s->f - s->b->flow), &p);
        post(s->b, &p, flags, s->may_lose);
    }
    do r = nx_drain(dev, s->f->queue);
    while (s->may_lose && r == NX_ERROR_ABANDONED); /* others are under way still */
    ck_assert_msg(r == NX_OK, "%s", nx_last_error(dev));
}

void bench_stream(bench *b, unsigned flow, unsigned pieces, unsigned (*draw)(bench *b, unsigned flow, piece *p),
                  int may_lose)
{
    struct stream *s = test_memory(sizeof *s);
    *s = (struct stream){b, &b->flow[flow], pieces, draw, may_lose};
    s->f->task = sim_task_new(b->s, "stream", stream, s);
}

uint32_t bench_accounted(bench *b, int from)
{
    const unsigned queue = b->flow[from].queue;
    const uint32_t departed = bench_get(b, from, NIC_QUEUE_DEPARTED + 4 * queue),
                   skipped = bench_get(b, from, NIC_QUEUE_SKIPPED + 4 * queue),
                   pointers = bench_get(b, from, NIC_QUEUE_POINTERS + 4 * queue);
    ck_assert_uint_eq(departed + skipped, b->flow[from].posted);
    ck_assert_uint_eq(pointers >> 24 & 0x7f, pointers >> 16 & 0x7f);
    return skipped;
}

void bench_join(bench *b)
{
    for (unsigned i = 0; i < b->flows; i++)
        if (b->flow[i].task) sim_join(b->flow[i].task);
}

/* ---- counters */

/* The error counter with that number and its name; 0 after the last one. */
static unsigned counter(unsigned number, char *name, size_t size)
{
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++) {
        if (!r->error) continue;
        if (number < r->count) {
            if (r->count > 1) snprintf(name, size, "%s[%u]", r->name, number);
            else snprintf(name, size, "%s", r->name);
            return r->offset + 4 * number;
        }
        number -= r->count;
    }
    return 0;
}

void bench_forgive(bench *b, int node)
{
    char name[64];
    unsigned offset;
    bench_wait(b, COPIED);
    for (int n = 0; n < (int)b->nodes; n++) {
        if (node != ALL && node != n) continue;
        bench_put(b, n, NIC_STATUS, 0xffffffff);
        for (unsigned i = 0; (offset = counter(i, name, sizeof name)); i++) {
            ck_assert_uint_lt(i, ERROR_COUNTERS);
            b->errors[n][i] = bench_get(b, n, offset);
        }
    }
}

uint32_t bench_risen(bench *b, int node, unsigned offset)
{
    char name[64];
    unsigned at;
    for (unsigned i = 0; (at = counter(i, name, sizeof name)); i++)
        if (at == offset) return bench_get(b, node, offset) - b->errors[node][i];
    ck_abort_msg("0x%x is no error counter", offset);
    return 0;
}

void bench_expect(bench *b, int node, uint32_t status, const change *list)
{
    char name[64], text[2000] = "";
    size_t n = 0;
    unsigned offset;
    bench_wait(b, COPIED);
    for (unsigned i = 0; (offset = counter(i, name, sizeof name)); i++) {
        uint32_t now = bench_get(b, node, offset), by = now - b->errors[node][i], want = 0;
        for (const change *l = list; l->offset; l++)
            if (l->offset == offset) want = l->by;
        b->errors[node][i] = now;
        if (want != ANY && (want == SOME ? by == 0 : by != want) && n < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, " %s rose by %u, expected %u;", name, by, want);
    }
    uint32_t have = bench_get(b, node, NIC_STATUS);
    bench_put(b, node, NIC_STATUS, have);
    ck_assert_msg(!n && (have == status || status == ANY), "node %d:%s STATUS is 0x%04x, expected 0x%04x", node, text,
                  have, status);
}

void bench_expect_nothing(bench *b, int node)
{
    for (int i = 0; i < (int)b->nodes; i++)
        if (node == ALL || node == i) bench_expect(b, i, 0, CHANGES({0, 0}));
}

/* ---- faults of the bus */

void bench_range(bench *b, int node, uint64_t at, uint64_t bytes, int kind, unsigned value)
{
    ck_assert_int_ge(host_add_range(b->n[node]->host, &(host_range){at, at + bytes - 1, kind, value}), 0);
}

void bench_bus_fault(bench *b, int node, int by_nic, unsigned command, pcix_fault f)
{
    host *h = b->n[node]->host;
    f.initiator = by_nic ? b->n[node]->nic_agent : pcix_bridge_agent(host_bridge(h));
    f.commands = 1u << command;
    ck_assert(pcix_faults_add(host_faults(h), &f));
}

unsigned bench_bus_faults(bench *b, int node) { return (unsigned)pcix_faults_done(host_faults(b->n[node]->host)); }

uint32_t bench_config(bench *b, int node, int reg, int size)
{
    uint32_t value = 0;
    ck_assert_int_eq(host_config_read(b->n[node]->host, NODE_DEVICE, reg, size, &value), 0);
    return value;
}

uint32_t bench_pci_status(bench *b, int node)
{
    uint32_t value = bench_config(b, node, PCI_STATUS, 2) & 0xf900;
    host_config_write(b->n[node]->host, NODE_DEVICE, PCI_STATUS, 2, value);
    return value;
}

void bench_small_completions(bench *b, bool count_modified)
{
    host_params p = b->n[0]->params.host;
    p.cuts = 1;
    p.cut_adqs[0] = 1;
    p.count_modified = count_modified;
    host_set_params(b->n[0]->host, &p);
}
