#include "fabric_flows.h"

#include "nic_register_map.h"
#include "system_bench.h"
#include "test.h"

fabric_flow fabric_flows[FLOW_NODES][FLOW_NODES];
static uint64_t words[FLOW_NODES]; /* bus addresses of the notification words of each node */
static int over;

#define FIRST (&fabric_flows[0][0])
#define END (FIRST + (size_t)FLOW_NODES * FLOW_NODES)

int fabric_flow_notified(const scenario_bench *b, unsigned from, unsigned to)
{
    return bench_transfer(b->f->node[from], b->f->node[to], to, FLOW_BYTES);
}

void fabric_flows_are_good(const scenario_bench *b)
{
    for (unsigned from = 0; from < FLOW_NODES; from++)
        for (unsigned to = 0; to < FLOW_NODES; to++)
            ck_assert_msg(!fabric_flow_notified(b, from, to), "flow %u to %u: flagged, nothing has been lost", from,
                          to);
}

static int landed(const fabric_flow *w, unsigned i)
{
    const fabric *f = w->b->f;
    for (unsigned k = 0; k < w->message[i].words; k++)
        if (memory_get64(host_memory(f->node[w->from]->host), w->message[i].source + 8 * k) !=
            memory_get64(host_memory(f->node[w->to]->host), w->message[i].destination + 8 * k))
            return 0;
    return 1;
}

static void sender(void *arg)
{
    fabric_flow *w = arg;
    node *n = w->b->f->node[w->from], *m = w->b->f->node[w->to];
    while (w->sent < w->messages && !w->stopped) {
        unsigned i = w->sent, words = 1 + (unsigned)sim_random_below(w->b->f->s, FLOW_WORDS);
        w->message[i].words = words;
        w->message[i].source = n->platform.alloc(n, 8 * FLOW_WORDS, 8);
        w->message[i].destination = m->platform.alloc(m, 8 * FLOW_WORDS, 8);
        for (unsigned k = 0; k < words; k++)
            memory_put64(host_memory(n->host), w->message[i].source + 8 * k, sim_random(w->b->f->s) | 1, 0xff);
        w->sent++;
        int result = nx_transfer(n->dev, w->to, w->message[i].source, (uint32_t)w->message[i].destination, 8 * words,
                                 i % 3 ? 0 : NX_REMOTE, NULL);
        ck_assert_msg(!result || result == NX_ERROR_ABANDONED, "flow %u to %u: %s", w->from, w->to,
                      nx_last_error(n->dev));
        sim_progress(w->b->f->s);
        sim_wait_time(w->b->f->s, (1 + sim_random_below(w->b->f->s, 6)) * SIM_US);
    }
}

/* Checked as it is written: one that comes soon after another takes its place in memory, with its flag. */
static void written(void *self, const pcix_transaction *t, sim_time when)
{
    const node *n = self;
    (void)when;
    for (fabric_flow *w = FIRST; w < END; w++) {
        if (over || w->to != n->id || t->initiator != n->nic_agent || t->address != words[w->to] + 8 * w->from)
            continue;
        const uint64_t note = memory_get64(host_memory(n->host), t->address);
        unsigned i = 0;
        while (i < w->sent && (uint32_t)note - w->message[i].destination >= 8 * w->message[i].words) i++;
        ck_must(i < w->sent, "flow %u to %u: a notification of 0x%08x", w->from, w->to, (uint32_t)note);
        for (unsigned k = w->notified; k <= i && !(note >> 63); k++)
            ck_must(landed(w, k), "flow %u to %u: message %u has not arrived, the notification of %u is good", w->from,
                    w->to, k, i);
        w->good += !(note >> 63);
        if (w->notified <= i) w->notified = i + 1;
    }
}

static void hear(const node *n) { words[n->id] = read_register(n, NIC_REMOTE_NOTIFY_LOW); }

void fabric_flows_begin(scenario_bench *b, unsigned messages)
{
    over = 0;
    ck_assert_uint_le(messages, FLOW_MESSAGES);
    for (unsigned from = 0; from < FLOW_NODES; from++)
        for (unsigned to = 0; to < FLOW_NODES; to++) {
            fabric_flow *w = &fabric_flows[from][to];
            *w = (fabric_flow){.b = b, .from = from, .to = to, .messages = messages};
            w->sender = sim_task_new(b->f->s, "sender", sender, w);
        }
    for (unsigned i = 0; i < FLOW_NODES; i++) {
        hear(b->f->node[i]);
        ck_assert_int_ge(host_on_written(b->f->node[i]->host, written, b->f->node[i]), 0);
    }
}

void fabric_flows_sent(unsigned messages)
{
    for (fabric_flow *w = FIRST; w < END; w++) {
        if (w->messages > messages) w->messages = messages;
        sim_join(w->sender);
    }
}

void fabric_flows_end(scenario_bench *b, sim_time us)
{
    pause_for(b, us);
    over = 1;
    /* the next notification of a flow reports losses since the last one, then all are good */
    for (fabric_flow *w = FIRST; w < END; w++) {
        unsigned missing = 0;
        nx_notification old;
        nx_device *dev = b->f->node[w->from]->dev;
        int drained; /* what was dropped is told once, then the wait goes on */
        for (unsigned tries = 0; (drained = nx_drain(dev, w->to)) == NX_ERROR_ABANDONED && tries < 20; tries++)
            continue;
        ck_assert_msg(!drained, "flow %u to %u: %s", w->from, w->to, nx_last_error(dev));
        for (unsigned i = w->notified; i < w->sent; i++) missing += !landed(w, i);
        nx_notification_poll(b->f->node[w->to]->dev, w->from, &old);
        int result = fabric_flow_notified(b, w->from, w->to);
        ck_assert_msg(!missing || result == NX_ERROR_FLAGGED,
                      "flow %u to %u: %u messages are missing, the next notification is good", w->from, w->to, missing);
        ck_assert_uint_gt(w->good, 10);
    }
    fabric_flows_are_good(b);
}

void fabric_reset_switch(scenario_bench *b, unsigned path)
{
    switch_chip *chip = path ? &b->f->path[path - 1].chip : &b->f->chip;
    *chip->rst_n = 0;
    pause_for(b, 1 + sim_random_below(b->f->s, 10));
    *chip->rst_n = 1;
}

void fabric_reset_node(scenario_bench *b, unsigned node_number, const nx_params *driver)
{
    node *n = b->f->node[node_number];
    for (fabric_flow *w = FIRST; w < END; w++) w->stopped |= w->from == node_number;
    for (fabric_flow *w = FIRST; w < END; w++)
        if (w->from == node_number) sim_join(w->sender); /* the NIC and the wires are still full */
    nx_device *dev = n->dev;
    n->dev = NULL;
    host_reset(n->host);
    nx_close(dev);
    nx_bus_free(n->bus);
    n->bus = NULL;
    ck_assert_msg(!node_start(n, driver), "%s", n->error);
    hear(n);
    for (fabric_flow *w = FIRST; w < END; w++) {
        if (w->from == node_number || w->to == node_number) w->notified = w->sent;
        if (w->from != node_number) continue;
        w->stopped = 0;
        w->sender = sim_task_new(b->f->s, "sender", sender, w);
    }
}
