/* Figures over the cable: saturated throughput, and the round trip of a credit. */
#include <stdio.h>

#include "sim/app/figures/figures_private.h"
#include "sim/model/cable/sniffer.h"

/* ---- throughput: saturated for 1 ms after 100 us of warm-up, descriptors write-combined by four ---- */

struct saturated {
    double mib[2], bus[2]; /* shares of the bus clocks of each node that move data */
    meter *meter;
};

static void saturated_software(bench *b)
{
    struct saturated *r = b->arg;
    int both = b->f->variant != 0;
    meter *m = meter_new(b->p);
    flood flood[2];
    for (int i = 0; i < 1 + both; i++) flood_start(&flood[i], b, i);
    sim_wait_time(b->p->s, 100 * SIM_US);
    meter_clear(m);
    sim_wait_time(b->p->s, 1 * SIM_MS);
    for (int i = 0; i < 1 + both; i++) {
        meter_direction d;
        meter_get(m, i, &d);
        r->mib[i] = d.mib_per_second;
        r->bus[i] = d.sender_bus_data;
    }
    for (int i = 0; i < 1 + both; i++) flood_end(&flood[i]);
    r->meter = m;
}

static int measure_saturated(const figure *f, uint64_t seed, double *value)
{
    struct saturated r = {{0}, {0}, NULL};
    pair_params params;
    bench_params(f, seed, &params);
    params.driver.transfer_bytes =
        f->payload * (f->nic && f->payload == 62 ? 8 * 8 : 8); /* two links want longer reads */
    bench b;
    int result = bench_run(&b, f, &params, saturated_software, &r);
    bench_close(&b);
    meter_free(r.meter);
    /* variation 1: the slower one of both directions, 2: their sum */
    if (f->variant == 2)
        figure_note("  %.1f and %.1f %% of the clocks of the buses move data\n", 100 * r.bus[0], 100 * r.bus[1]);
    *value = f->variant == 2 ? r.mib[0] + r.mib[1] : f->variant && r.mib[1] < r.mib[0] ? r.mib[1] : r.mib[0];
    return result;
}

/* ---- four links by byte carry more than a bus: the share of the rate of the sender's reads alone ---- */

struct one_way {
    double mib;
    meter *meter;
};

static void bus_software(bench *b)
{
    struct one_way *r = b->arg;
    meter *m = meter_new(b->p);
    flood flood;
    meter_direction d;
    flood_start(&flood, b, 0);
    sim_wait_time(b->p->s, 100 * SIM_US);
    meter_clear(m);
    sim_wait_time(b->p->s, SIM_MS / 2);
    meter_get(m, 0, &d);
    r->mib = d.mib_per_second;
    flood_end(&flood);
    r->meter = m;
}

/* The same packets with both buses as they are, and with a receiver that is faster than its sender. Writes alone are
 * faster than reads (dma_write_4k, dma_read_4k). */
static int measure_bus_share(const figure *f, uint64_t seed, double *value)
{
    double mib[2];
    for (int i = 0; i < 2; i++) {
        struct one_way r = {0, NULL};
        pair_params params;
        bench b;
        bench_params(f, seed, &params);
        params.driver.transfer_bytes = f->payload * 8;
        if (i) {
            params.node[1].host = figure_host("ideal");
            params.node[1].pci_mhz = 133;
        }
        int failed = bench_run(&b, f, &params, bus_software, &r);
        bench_close(&b);
        meter_free(r.meter);
        if (failed) return -1;
        mib[i] = r.mib;
    }
    *value = 100 * mib[0] / mib[1];
    figure_note("  %.1f MiB/s; the sender's reads alone %.1f\n", mib[0], mib[1]);
    return 0;
}

/* ---- from RST# to the first packet that may leave ---- */

static void bring_up_software(bench *b)
{
    double *us = b->arg;
    node *from = b->p->node[0], *to = b->p->node[1];
    uint64_t source = from->platform.alloc(from, 8, 8), destination = to->platform.alloc(to, 8, 8);
    memory_put64(host_memory(from->host), source, 0x5a5a, 0xff);
    if (nx_transfer(from->dev, 1, source, (uint32_t)destination, 8, 0, NULL) || nx_drain(from->dev, 1))
        bench_fail(b, from->name, nx_last_error(from->dev));
    *us = 1e-6 * (double)sim_now(b->p->s);
}

static int measure_bring_up(const figure *f, uint64_t seed, double *value)
{
    pair_params params;
    bench b;
    bench_params(f, seed, &params);
    int failed = bench_run(&b, f, &params, bring_up_software, value);
    bench_close(&b);
    return failed;
}

/* ---- one packet on the cable ---- */

/* The frame that carries the packet begins at its first SOP on the idle link after the transfer was posted: credit and
 * check frames of this side have one too, so every SOP is a candidate until a header behind it names the destination.
 */
static void on_word(void *self, int from, uint64_t word, sim_time time, uint64_t clock, const uint32_t *data,
                    const uint8_t *k)
{
    packet_watch *w = self;
    (void)clock;
    if (from != 0 || !w->armed || w->found) return;
    uint32_t low = *data; /* of two links: byte i of the header is byte i / 2 of link i % 2 */
    if (w->links == 2)
        low = (data[0] & 0xff00) << 16 | (data[1] & 0xff00) << 8 | (data[0] & 0xff) << 8 | (data[1] & 0xff);
    if (frame_is_sop(*data, *k)) {
        w->sop_word = word;
        w->sop_out = time;
        w->sop_in = 0;
    } else if (word <= w->sop_word + 4 && low == w->destination && !*k) {
        w->found = 1; /* the low half of the header is the destination address */
    }
}

static void on_arrival(void *self, int from, unsigned link, uint64_t word, sim_time time, uint64_t clock)
{
    packet_watch *w = self;
    (void)link;
    (void)clock;
    if (from == 0 && word == w->sop_word) w->sop_in = time;
    if (w->arrived) w->arrived(w->arg, from, word, time);
}

void packet_watch_attach(packet_watch *w, cable *wire)
{
    w->links = cable_links(wire);
    cable_add_observer(wire, on_word, w);
    cable_set_arrival(wire, on_arrival, w);
}

/* ---- round trip: single 496-byte packets on an idle link, several relative phases of the clocks; the worst counts
 * ---- */

enum { TRIES = 8 };

struct round_trip {
    bench *b;
    int nic_agent;
    packet_watch packet;
    uint64_t credit_word; /* index of the word sent; 0: not yet */
    sim_time frame, credit_in;
    unsigned counter; /* of the last credit seen before the packet */
    sniffer *sniffer;
    double worst;
};

static void on_frame(void *self, const sniffer_frame *f)
{
    struct round_trip *r = self;
    if (f->from == 1 && f->credits) {
        if (r->packet.armed && r->packet.sop_out && !r->credit_word && f->credit[0].counter != r->counter &&
            f->credit[0].flow == 0)
            r->credit_word = f->word;
        if (!r->packet.armed || !r->packet.sop_out) r->counter = f->credit[0].counter;
    }
}

static void on_credit(void *self, int from, uint64_t word, sim_time time)
{
    struct round_trip *r = self;
    if (from == 1 && r->credit_word && word == r->credit_word && !r->credit_in) r->credit_in = time;
}

static void on_write(void *self, const pcix_transaction *t)
{
    struct round_trip *r = self;
    node *n = r->b->p->node[1];
    if (r->packet.armed && t->command == PCIX_WRITE_BLOCK && t->initiator == r->nic_agent &&
        t->address == r->packet.destination)
        r->frame = figure_bus_time(n, t->start);
}

static void round_trip_software(bench *b)
{
    struct round_trip *r = b->arg;
    node *from = b->p->node[0], *to = b->p->node[1];
    uint64_t source = from->platform.alloc(from, 496, 8);
    r->b = b;
    r->packet = (packet_watch){.destination = (uint32_t)to->platform.alloc(to, 496, 8), .arrived = on_credit, .arg = r};
    r->nic_agent = to->nic_agent;
    sniffer *s = sniffer_new(on_frame, r);
    sniffer_attach(s, b->p->wire, 0);
    packet_watch_attach(&r->packet, b->p->wire);
    host_on_transaction(to->host, on_write, r);
    r->sniffer = s;
    for (int i = 0; i < TRIES && !*b->error; i++) {
        sim_wait_time(b->p->s, 60 * SIM_US + sim_random_below(b->p->s, 100000));
        r->packet.found = 0;
        r->packet.sop_word = r->credit_word = 0;
        r->packet.sop_out = r->packet.sop_in = r->frame = r->credit_in = 0;
        r->packet.armed = 1;
        if (nx_transfer(from->dev, 1, source, r->packet.destination, 496, 0, NULL)) {
            bench_fail(b, from->name, nx_last_error(from->dev));
            break;
        }
        sim_wait_time(b->p->s, 20 * SIM_US);
        r->packet.armed = 0;
        if (!r->packet.found || !r->packet.sop_in || !r->frame || !r->credit_in) {
            bench_fail(b, "round trip", "packet or credit not seen");
            break;
        }
        /* the credit word follows its SOP by one clock */
        double clocks = ((double)(r->credit_in - r->packet.sop_out) - (double)(r->frame - r->packet.sop_in)) /
                            (double)from->params.net_period +
                        1;
        if (clocks > r->worst) r->worst = clocks;
    }
}

static int measure_round_trip(const figure *f, uint64_t seed, double *value)
{
    struct round_trip r = {0};
    pair_params params;
    bench_params(f, seed, &params);
    bench b;
    int result = bench_run(&b, f, &params, round_trip_software, &r);
    bench_close(&b);
    sniffer_free(r.sniffer);
    *value = r.worst;
    return result;
}

const figure figures_link[] = {
    {"direct_1link_payload", "MiB/s", NULL, '>', 285, measure_saturated, "server2004", 62, 0, NULL, 0, NULL},
    {"direct_1link_payload_4k", "MiB/s", NULL, '>', 293, measure_saturated, "server2004", 512, 0, NULL, 0, NULL},
    {"direct_1link_both_ways_payload", "MiB/s", NULL, '>', 282, measure_saturated, "server2004", 62, 1, NULL, 0, NULL},
    {"round_trip_base", "clocks", "85..90", '<', 85, measure_round_trip, "ideal", 62, 0, NULL, 0, NULL},
    {"direct_1link_payload_66mhz", "MiB/s", NULL, 0, 0, measure_saturated, "server2004", 62, 0, NULL, 66, NULL},
    {"direct_1link_payload_4k_66mhz", "MiB/s", NULL, 0, 0, measure_saturated, "server2004", 512, 0, NULL, 66, NULL},
    {"direct_1link_payload_133mhz", "MiB/s", NULL, 0, 0, measure_saturated, "server2004", 62, 0, NULL, 133, NULL},
    {"direct_1link_payload_4k_133mhz", "MiB/s", NULL, 0, 0, measure_saturated, "server2004", 512, 0, NULL, 133, NULL},
    {"direct_2link_payload", "MiB/s", NULL, '>', 555, measure_saturated, "server2004", 62, 0, NULL, 0, "2links"},
    {"direct_2link_payload_4k", "MiB/s", "596 limit", '>', 585, measure_saturated, "server2004", 512, 0, NULL, 0,
     "2links"},
    {"direct_2link_both_ways_payload", "MiB/s", NULL, 0, 0, measure_saturated, "server2004", 62, 2, NULL, 0, "2links"},
    {"direct_4link_payload_4k", "% of reads", NULL, '>', 95, measure_bus_share, "server2004", 512, 0, NULL, 0,
     "4splits-4links"},
    {"direct_4link_payload_4k_133mhz", "% of reads", NULL, '>', 95, measure_bus_share, "server2004", 512, 0, NULL, 133,
     "4splits-4links"},
    {"bundle_bring_up", "us", NULL, 0, 0, measure_bring_up, "ideal", 62, 0, NULL, 0, "2links"},
    {0},
};
