/* Disturbances of random traffic, and its random settings; both follow from the seed. */
#include "sim/core/kernel/splitmix64.h"
#include "sim/traffic/scenario/traffic_private.h"

enum { MOST_SKEW = 8 * 12800 /* [ps] between links by byte */ };

/* A stream of its own: the setting must be known before there is a simulation. */
static uint64_t draw(uint64_t *state, uint64_t below) { return splitmix64(state) % below; }

int traffic_setting(const traffic_params *params, pair_params *p)
{
    char plain[16], splits[24];
    snprintf(plain, sizeof plain, "%u%s", params->links, params->by_packet ? "paths" : "links");
    snprintf(splits, sizeof splits, "%s%s", params->by_packet ? "" : "4splits-", plain);
    const sim_config *const one[] = {&nic_config, &nic_config, nic_kind_of(params->nics, "4splits"),
                                     nic_kind_of(params->nics, "1voq")};
    const sim_config *const a = nic_kind_of(params->nics, plain), *const b = nic_kind_of(params->nics, splits);
    const sim_config *const several[] = {a, a, b, b}, *const *kinds = params->links > 1 ? several : one;
    static const unsigned stalls[] = {0, 0, 30, 70}, mhz[] = {100, 66, 133};
    static const unsigned limits[2][7] = {{62, 62, 512, 511, 13, 128, 1}, {62, 62, 494, 493, 13, 128, 1}},
                          slots[] = {128, 128, 100, 17, 5};
    uint64_t state = params->seed, ids = ~params->seed;
    if (!kinds[2] || !kinds[3]) return -1;
    pair_params_default(p);
    p->sim.seed = params->seed;
    p->sim.quiet = params->quiet;
    p->sim.watchdog = 20 * SIM_MS;
    if (params->waves) {
        p->sim.waves = params->waves;
        p->sim.waves_scopes = params->waves_scopes;
        p->sim.waves_from = params->waves_from;
        if (params->waves_to) p->sim.waves_to = params->waves_to;
    }
    p->driver.payload_words = limits[params->by_packet != 0][draw(&state, 7)];
    p->driver.slots = slots[draw(&state, sizeof slots / sizeof slots[0])];
    p->driver.posting = (enum nx_posting)draw(&state, 3);
    p->driver.store_and_forward = draw(&state, 4) == 0;
    p->driver.notify_every = 64; /* never: the senders ask more often */
    for (int i = 0; i < 2; i++) {
        node_params *n = &p->node[i];
        n->node_id = (unsigned)draw(&ids, params->by_packet ? 8 : 128); /* by packet a NIC keeps headers of 8 sources */
        n->host = draw(&state, 2) ? host_params_ideal() : host_params_server2004();
        n->jitter = draw(&state, 2) ? 100 : 0;
        n->nic = kinds[draw(&state, sizeof one / sizeof one[0])];
        n->external = draw(&state, 2) ? external_params_sdram() : external_params_zbt();
        n->external.stall_percent = stalls[draw(&state, sizeof stalls / sizeof stalls[0])];
        n->host.hidden_arbitration = draw(&state, 2);
        n->host.park = (int)draw(&state, 3);
        n->host.grant_delay = (unsigned)draw(&state, 5);
        n->pci_mhz = mhz[draw(&state, sizeof mhz / sizeof mhz[0])];
    }
    for (unsigned l = 0; l < 2 * params->links && params->links > 1; l++)
        p->cable.skew[l % 2][l / 2] = draw(&state, MOST_SKEW + 1);
    return 0;
}

host_params traffic_host(sim *s, const host_params *normal)
{
    static const unsigned decodes[] = {2, 3, 4, 6}, buffers[] = {0, 128, 256, 512};
    host_params p;
    do {
        p = sim_random_below(s, 2) ? host_params_ideal() : host_params_server2004();
        p.hole_from = normal->hole_from;
        p.hole_to = normal->hole_to;
        p.decode = decodes[sim_random_below(s, 4)];
        p.narrow = sim_random_below(s, 8) == 0;
        p.mode = normal->mode;
        /* the arbiter stays as it is: a GNT# may not be taken back at once */
        p.hidden_arbitration = normal->hidden_arbitration;
        p.park = normal->park;
        p.grant_delay = normal->grant_delay;
        p.write_waits = 2 * (unsigned)sim_random_below(s, 4);
        p.write_retries = sim_random_below(s, 2) ? (unsigned)sim_random_below(s, 6) : 0;
        p.write_buffer = buffers[sim_random_below(s, 4)];
        p.read_retries = sim_random_below(s, 2) ? (unsigned)sim_random_below(s, 6) : 0;
        p.immediate_reads = sim_random_below(s, 4) == 0;
        p.read_waits = (unsigned)sim_random_below(s, 8);
        p.split_latency = 16 + (unsigned)sim_random_below(s, 200);
        p.completion_gap = 2 + (unsigned)sim_random_below(s, 20);
        p.cuts = (unsigned)sim_random_below(s, HOST_CUTS + 1);
        for (unsigned i = 0; i < HOST_CUTS; i++) p.cut_adqs[i] = 1 + (unsigned)sim_random_below(s, 12);
        p.narrow_completions = sim_random_below(s, 4) == 0;
        p.count_modified = sim_random_below(s, 4) == 0;
    } while (host_params_check(&p));
    return p;
}

void traffic_body_limits(struct traffic_run *r)
{
    static const int limits[] = {-1, -1, 0, 3, 40, 1000};
    for (int i = 0; i < 2; i++) {
        int limit = limits[sim_random_below(r->p->s, sizeof limits / sizeof limits[0])];
        if (limit >= 0) nx_register_write(r->p->node[i]->dev, NIC_BODY_LIMIT, (uint32_t)limit);
    }
}

static void initiator(struct traffic_run *r, node *n, int on)
{
    uint32_t control = 0;
    if (nx_register_read(n->dev, NIC_CONTROL, &control)) traffic_fail(r, "%s: %s", n->name, nx_last_error(n->dev));
    control &= ~NIC_CONTROL_INITIATOR_ENABLE_MASK;
    if (nx_register_write(n->dev, NIC_CONTROL, control | (on ? NIC_CONTROL_INITIATOR_ENABLE_MASK : 0)))
        traffic_fail(r, "%s: %s", n->name, nx_last_error(n->dev));
}

void traffic_disturbance_task(void *arg)
{
    struct traffic_watch *w = arg;
    node *n = w->r->p->node[w->node];
    sim *s = n->s;
    while (!w->r->over) {
        sim_wait_time(s, 1 + sim_random_below(s, 60 * SIM_US));
        host_params p = traffic_host(s, &n->params.host);
        host_set_params(n->host, &p);
        if (sim_random_below(s, 4)) continue;
        initiator(w->r, n, 0);
        /* a long pause fills the receive buffer and then the bodies of the sender's output queues */
        sim_wait_time(s, sim_random_below(s, sim_random_below(s, 16) ? 40 * SIM_US : 600 * SIM_US));
        initiator(w->r, n, 1);
    }
    host_set_params(n->host, &n->params.host);
}

void traffic_cuts_task(void *arg)
{
    struct traffic_run *r = arg;
    sim *s = r->p->s;
    while (!r->over) {
        int directions = 1 + (int)sim_random_below(s, 3);
        unsigned links = r->params->links > 1 ? 1 + (unsigned)sim_random_below(s, (1u << r->params->links) - 1) : 1;
        sim_wait_time(s, 1 + sim_random_below(s, 400 * SIM_US));
        cable_cut_links(r->p->wire, directions, links);
        sim_wait_time(s, 1 + sim_random_below(s, sim_random_below(s, 2) ? 2 * SIM_US : 60 * SIM_US));
        cable_reconnect_links(r->p->wire, directions, links);
    }
}
