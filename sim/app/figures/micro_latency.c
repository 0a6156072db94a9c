/* Where the time of a message of 8 bytes goes (S4, figure 4): (a) one message, its descriptor by stores; (b) two
 * messages, both descriptors in one burst. Moments are the clock edges at which an event shows on the pins; a part runs
 * from one to the next, so that the parts add up to the whole. The mean of all rounds, in which the clocks of bus and
 * network drift past each other. */
#include <math.h>
#include <string.h>

#include "sim/app/figures/micro.h"

enum { QUEUES = 0x4000 /* in BAR1 */, ROUNDS = 12 };
/* Clocks from the last data phase of a descriptor to the begin of its time stamps (rtl/design.md 3). */
enum { TO_SLOT = 4 };

/* The moments, in their order. */
enum { ADDRESS, POSTED, REQUEST, READ, SOP_OUT, SOP_IN, WRITE_REQUEST, WRITTEN, MOMENTS, PARTS = MOMENTS - 1 };
static const struct {
    const char *name, *counted;
} parts[PARTS] = {
    {"send-initiation", "address phase of the first store to the last data phase of the last descriptor"},
    {"send-NIC, to the read", "to REQ# for the read"},
    {"send-DMA", "to the data phase that brings the message"},
    {"send-NIC, to the link", "to SOP on the pins to the transceiver"},
    {"transceivers and cable", "to SOP on the pins from the other one"},
    {"recv-NIC", "to REQ# for the write"},
    {"recv-DMA", "to the data phase with which the message is in memory"},
};

struct rounds {
    const node *n[2];
    uint64_t queues, shared;
    sim_time moment[MOMENTS], second, in_memory;
    packet_watch packet;
    uint64_t request, response; /* of the read */
    unsigned done, counted;
    double sum[PARTS], whole, both; /* means [ns] */
    double difference;              /* largest difference of the measured total and the sum of the parts [ns] */
    uint64_t split, read, write;    /* clocks of the bus, of all rounds */
    double counter[3];              /* SPLIT_DURATION, H2N_ACTIVE, N2H_ACTIVE */
    double clock;                   /* of the sender's bus [ps] */
    double stamped;                 /* by the stamps: in the sender's NIC [clocks of its bus] */
    double receive_clock;           /* of the receiver's bus [ps] */
    double received;                /* by its NIC: recv-NIC [clocks of its bus] */
};

static void at_sender(void *self, const pcix_transaction *t)
{
    struct rounds *r = self;
    const node *n = r->n[0];
    if (t->command == PCIX_MEMORY_WRITE && t->target == n->nic_agent && t->address >= r->queues &&
        !r->moment[REQUEST]) {
        if (!r->packet.armed) {
            r->packet.armed = 1;
            r->moment[ADDRESS] = figure_bus_time(n, t->start);
        }
        r->moment[POSTED] = figure_bus_time(n, t->last_data);
    }
    if (t->command == PCIX_READ_BLOCK && t->initiator == n->nic_agent && r->packet.armed && !r->moment[REQUEST]) {
        r->request = t->request ? t->request : t->start;
        r->moment[REQUEST] = figure_bus_time(n, r->request);
        r->response = t->response;
    }
    if (t->command == PCIX_SPLIT_COMPLETION && t->target == n->nic_agent && r->moment[REQUEST] && !r->moment[READ]) {
        r->moment[READ] = figure_bus_time(n, t->last_data);
        r->read += t->last_data - r->request;
        r->split += t->first_data - r->response - 1;
    }
}

/* The round ends when all messages have arrived: the answer leaves only then. */
static void at_receiver(void *self, const pcix_transaction *t)
{
    struct rounds *r = self;
    const node *n = r->n[1];
    if (t->command != PCIX_WRITE_BLOCK || t->initiator != n->nic_agent || !r->packet.armed) return;
    if (t->address == r->shared) {
        uint64_t request = t->request && t->request < t->start ? t->request : t->start;
        r->write += t->last_data - request;
        r->moment[WRITE_REQUEST] = figure_bus_time(n, request);
        r->moment[WRITTEN] = figure_bus_time(n, t->last_data);
    }
    if (t->address == r->shared + 8) r->second = figure_bus_time(n, t->last_data);
}

/* Seen at the memory, not at the bus. */
static void in_memory(void *self, const pcix_transaction *t, sim_time when)
{
    struct rounds *r = self;
    if (t->address == r->shared && r->packet.armed) r->in_memory = when;
}

/* The answer has been posted at the other end: its first store ends the round. */
static void at_answer(void *self, const pcix_transaction *t)
{
    struct rounds *r = self;
    at_receiver(self, t);
    if (t->command != PCIX_MEMORY_WRITE || t->target != r->n[1]->nic_agent || !r->packet.armed || !r->moment[WRITTEN])
        return;
    r->moment[SOP_OUT] = r->packet.sop_out;
    r->moment[SOP_IN] = r->packet.sop_in;
    double sum = 0, whole = (double)(r->in_memory - r->moment[ADDRESS]);
    for (unsigned i = 0; i < PARTS; i++) {
        double part = (double)r->moment[i + 1] - (double)r->moment[i];
        r->sum[i] += part / 1000 / ROUNDS;
        sum += part;
    }
    r->whole += whole / 1000 / ROUNDS;
    if (r->second) r->both += (double)(r->second - r->moment[ADDRESS]) / 1000 / ROUNDS;
    r->difference = fmax(r->difference, fabs(sum - whole) / 1000);
    r->done++;
    memset(r->moment, 0, sizeof r->moment);
    r->packet.armed = r->packet.found = 0;
    r->packet.sop_word = 0;
    r->packet.sop_out = r->packet.sop_in = 0;
}

static void began(micro_run *run)
{
    struct rounds *r = run->arg;
    for (int i = 0; i < 2; i++) r->n[i] = run->f->node[i];
    r->clock = (double)sim_clock_period(r->n[0]->pci_clock) / (1 + run->f->params.node[0].pci_ppm * 1e-6);
    r->receive_clock = (double)sim_clock_period(r->n[1]->pci_clock) / (1 + run->f->params.node[1].pci_ppm * 1e-6);
    r->queues = nx_bus_find(r->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address + QUEUES;
    r->shared = run->shared;
    r->packet = (packet_watch){.destination = (uint32_t)run->shared};
    packet_watch_attach(&r->packet, run->f->wire[0]);
    host_on_transaction(r->n[0]->host, at_sender, r);
    host_on_transaction(r->n[1]->host, at_answer, r);
    host_on_written(r->n[1]->host, in_memory, r);
}

static void on_figure(micro_run *run, unsigned rank, const char *name, double value)
{
    static const char *const counters[3] = {"SPLIT_DURATION", "H2N_ACTIVE", "N2H_ACTIVE"};
    struct rounds *r = run->arg;
    (void)rank;
    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(name, counters[i])) r->counter[i] = value;
    if (!strcmp(name, "in the sender's NIC")) r->stamped = value;
    if (!strcmp(name, "recv-NIC")) r->received = value;
}

/* ---- rows ---- */

static void put(micro *m, const char *letter, const char *name, const char *unit, const char *documents, char sense,
                double limit, const char *counted, double first, double second)
{
    char text[80];
    snprintf(text, sizeof text, "(%s) %s", letter, name);
    micro_put(m, &(micro_row){text, unit, documents, sense, limit, counted}, (double[]){first, second});
}

static double mean(uint64_t clocks) { return (double)clocks / ROUNDS; }

static double without_cable(const struct rounds *r) { return r->whole - r->sum[SOP_OUT]; }

/* A message by the counters and by the pins: H2N_ACTIVE goes on for two clocks, and both count the clock in which REQ#
 * falls. */
static double disagreement(const struct rounds *r)
{
    double split = fabs(r->counter[0] - (mean(r->split) + 1)), read = fabs(r->counter[1] - (mean(r->read) + 3));
    return fmax(fmax(split, read), fabs(r->counter[2] - (mean(r->write) + 1)));
}

static void rows(micro *m, int b, const struct rounds r[MICRO_HOSTS])
{
    static const char *const shares[2][2] = {{"40", "51.6"}, {"12", "58.2"}};
    const char *letter = b ? "b" : "a", *const documents[PARTS] = {
                                            b ? "105" : "400", NULL, b ? "509" : "516", NULL, NULL, NULL, NULL};
    for (unsigned i = 0; i < PARTS; i++) {
        put(m, letter, parts[i].name, "ns", documents[i], i == ADDRESS ? '<' : 0, b ? 110 : 400,
            b ? NULL : parts[i].counted, r[0].sum[i], r[1].sum[i]);
        if (i == ADDRESS || i == REQUEST)
            put(m, letter, "... of the whole without transceivers and cable", "%", shares[b][i != ADDRESS], 0, 0, NULL,
                100 * r[0].sum[i] / without_cable(&r[0]), 100 * r[1].sum[i] / without_cable(&r[1]));
        if (i == REQUEST)
            put(m, letter, "... less the split of the host", "clocks", "5.6", '<', 10,
                b ? NULL : "the clocks between Split Response and first data phase are the split: see pcix",
                mean(r[0].read - r[0].split), mean(r[1].read - r[1].split));
    }
    put(m, letter, "whole", "ns", NULL, 0, 0,
        b ? NULL : "address phase of the first store to the first message in memory", r[0].whole, r[1].whole);
    put(m, letter, "... without transceivers and cable", "ns", b ? "875" : "1000", 0, 0, NULL, without_cable(&r[0]),
        without_cable(&r[1]));
    put(m, letter, "... sum of the parts against it, at most", "ns", NULL, '<', 10,
        b ? NULL : "the end of the whole by the host's memory", r[0].difference, r[1].difference);
    if (b) put(m, letter, "second message in memory", "ns", NULL, 0, 0, NULL, r[0].both, r[1].both);
    else
        put(m, letter, "NIC's counters against pins, at most", "clocks", NULL, '<', 1,
            "SPLIT_DURATION, H2N_ACTIVE, N2H_ACTIVE against the split, send-DMA, recv-DMA", disagreement(&r[0]),
            disagreement(&r[1]));
}

/* Clocks of the sender's bus between two moments, by the pins. */
static double bus_clocks(const struct rounds *r, unsigned from, unsigned to)
{
    double ns = 0;
    for (unsigned i = from; i < to; i++) ns += r->sum[i];
    return 1000 * ns / r->clock;
}

/* One message of 24 bytes, as short as one with time stamps can be. The NIC's work between descriptor and link, less
 * the read. H2N_ACTIVE goes on for two clocks and counts the one in which REQ# falls. */
static void stamp_rows(micro *m, const struct rounds r[MICRO_HOSTS])
{
    double by_stamps[MICRO_HOSTS], by_pins[MICRO_HOSTS], nic[MICRO_HOSTS], nic_pins[MICRO_HOSTS],
        deviation[MICRO_HOSTS];
    double received[MICRO_HOSTS], received_pins[MICRO_HOSTS];
    for (unsigned h = 0; h < MICRO_HOSTS; h++) {
        by_stamps[h] = r[h].stamped;
        by_pins[h] = bus_clocks(&r[h], POSTED, SOP_OUT) - TO_SLOT;
        nic[h] = r[h].stamped - (r[h].counter[1] - 3);
        nic_pins[h] = bus_clocks(&r[h], POSTED, REQUEST) + bus_clocks(&r[h], READ, SOP_OUT) - TO_SLOT;
        received[h] = r[h].received;
        received_pins[h] = 1000 * r[h].sum[SOP_IN] / r[h].receive_clock;
        deviation[h] = fmax(fmax(fabs(by_stamps[h] - by_pins[h]), fabs(nic[h] - nic_pins[h])),
                            fabs(received[h] - received_pins[h]));
    }
    micro_put(m,
              &(micro_row){"(c) in the sender's NIC, by time stamps", "clocks", NULL, 0, 0,
                           "descriptor in its slot to SOP on the pins"},
              by_stamps);
    micro_put(m,
              &(micro_row){"... by pins", "clocks", NULL, 0, 0,
                           "4 clocks after the last data phase of the descriptor to SOP"},
              by_pins);
    micro_put(m,
              &(micro_row){"(c) send-NIC, by stamps and H2N_ACTIVE", "clocks", NULL, 0, 0,
                           "in the sender's NIC, less the read"},
              nic);
    micro_put(m, &(micro_row){"... by pins", "clocks", NULL, 0, 0, "both parts of send-NIC"}, nic_pins);
    micro_put(
        m,
        &(micro_row){"(c) recv-NIC, by RECEIVE_CLOCKS", "clocks", NULL, 0, 0, "SOP on the pins to REQ# for the write"},
        received);
    micro_put(m, &(micro_row){"... by pins", "clocks", NULL, 0, 0, NULL}, received_pins);
    micro_put(m, &(micro_row){"(c) stamps and counters against pins, at most", "clocks", NULL, '<', 1, NULL},
              deviation);
}

/* For the picture: S4's bar, then those of our hosts. S4 has only three parts; the last is the remainder. */
static void bars(micro *m, struct rounds r[2][MICRO_HOSTS])
{
    static const struct {
        double initiation, dma, rest;
    } s4[2] = {{400, 516, 84}, {105, 509, 261}};
    for (int b = 0; b < 2; b++)
        for (unsigned bar = 0; bar <= MICRO_HOSTS; bar++) {
            for (unsigned i = 0; i < PARTS; i++) {
                double theirs = i == ADDRESS ? s4[b].initiation : i == REQUEST ? s4[b].dma : 0;
                micro_point(m, "latency", parts[i].name, b * (MICRO_HOSTS + 1) + bar,
                            bar ? r[b][bar - 1].sum[i] : theirs);
            }
            micro_point(m, "latency", "both NICs, recv-DMA", b * (MICRO_HOSTS + 1) + bar, bar ? 0 : s4[b].rest);
        }
}

static int run(micro *m)
{
    enum { RUNS = 3 };
    int runs = micro_links(m) == 1 ? RUNS : RUNS - 1; /* (c): NICs with time stamps have one link here */
    static struct rounds r[RUNS][MICRO_HOSTS];
    static const enum nx_posting posting[RUNS] = {NX_POST_STORES32, NX_POST_COMBINED, NX_POST_STORES32};
    static const char *const arguments[RUNS] = {"--messages 1 --rounds 12", "--messages 2 --rounds 12",
                                                "--stamps --rounds 12"};
    static const char *const letters[RUNS] = {"(a)", "(b)", "(c)"};
    for (int b = 0; b < runs; b++)
        for (unsigned h = 0; h < MICRO_HOSTS; h++) {
            r[b][h] = (struct rounds){.done = 0};
            micro_run x = {.program = "latency",
                           .arguments = arguments[b],
                           .host = h,
                           .posting = posting[b],
                           .payload = 512,
                           .stamps = b == 2,
                           .began = began,
                           .figure = on_figure,
                           .arg = &r[b][h]};
            if (micro_run_program(m, letters[b], &x)) return -1;
            if (r[b][h].done != ROUNDS) {
                fprintf(stderr, "latency: %u rounds seen on the pins, expected %d\n", r[b][h].done, ROUNDS);
                return -1;
            }
        }
    bars(m, r);
    printf("(a) one message of 8 bytes, four stores; (b) two, their descriptors in one burst, up to the first in "
           "memory%s\n",
           runs < RUNS ? ""
                       : "; (c) one of 24 bytes\nwith time stamps, four stores: the same by the NIC's own measurement");
    for (int b = 0; b < 2; b++) rows(m, b, r[b]);
    double less[2][MICRO_HOSTS];
    for (unsigned h = 0; h < MICRO_HOSTS; h++) {
        less[0][h] = 100 * (1 - r[1][h].whole / r[0][h].whole);
        less[1][h] = 100 * (1 - without_cable(&r[1][h]) / without_cable(&r[0][h]));
    }
    micro_put(m, &(micro_row){"(b) less than (a)", "%", NULL, '>', 12.5, NULL}, less[0]);
    micro_put(m, &(micro_row){"... without transceivers and cable", "%", "12.5", '>', 12.5, NULL}, less[1]);
    if (runs == RUNS) stamp_rows(m, r[2]);
    return 0;
}

const micro_benchmark micro_latency = {"latency", "where the time of a message of 8 bytes goes (S4, figure 4)", run};
