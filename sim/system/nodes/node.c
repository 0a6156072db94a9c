#include "sim/system/nodes/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_dump.h"
#include "sim/core/kernel/model.h"

node_params node_params_default(unsigned id)
{
    /* crystals: some fast, some slow, none alike */
    static const double ppm[8] = {60, -40, 100, -100, 20, -80, 85, -5};
    node_params p = {
        .node_id = id,
        .nic = &nic_config,
        .host = host_params_server2004(),
        .window = NODE_WINDOW,
        .pci_mhz = 100,
        .net_period = 12800,
        .pci_ppm = ppm[(id + 3) % 8] - 3 * (id / 8),
        .net_ppm = ppm[id % 8] - 3 * (id / 8),
        .jitter = 0,
        .external = external_params_zbt(),
    };
    return p;
}

sim_time node_pci_period(unsigned mhz, int *mode)
{
    static const struct {
        unsigned mhz;
        sim_time period;
    } classes[] = {{66, 15000}, {100, 10000}, {133, 7500}};
    for (int i = 0; i < 3; i++)
        if (classes[i].mhz == mhz) {
            if (mode) *mode = i + 1;
            return classes[i].period;
        }
    return 0;
}

static sim_clock *new_clock(node *n, const char *which, sim_time period, double ppm)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s", n->name, which);
    sim_clock_params p = {
        .name = name, .period = period, .ppm = ppm, .jitter = n->params.jitter, .phase = -1, .group = n->group};
    return sim_clock_new(n->s, &p);
}

static unsigned look(const node *n, const char *signal, unsigned lsb, unsigned bits)
{
    uint64_t value = 0;
    sim_model_word(n->nic.model, "nic", signal, &value);
    return (unsigned)(value >> lsb & ((UINT64_C(1) << bits) - 1));
}

/* State of the NIC: its registers of states in words. */
static void report_nic(const node *n, FILE *f)
{
    static const struct {
        const char *name, *signal;
        unsigned offset;
    } states[] = {{"PCI-X", "view_bus_states", NIC_BUS_STATES},
                  {"DMA", "view_dma_states", NIC_DMA_STATES},
                  {"output queues", "view_voq_states", NIC_VOQ_STATES},
                  {"link", "view_link_states", NIC_LINK_STATES}};
    char text[256];
    for (unsigned i = 0; i < sizeof states / sizeof states[0]; i++) {
        nx_states_format(states[i].offset, look(n, states[i].signal, 0, 32), text, sizeof text);
        fprintf(f, "  %s: %s\n", states[i].name, text);
    }
    fprintf(f, "  link %s\n", look(n, "view_link_status_up", 0, 1) ? "up" : "down");
    fprintf(f, "  credits [units]: sent %u, last credit %u; received %u, forwarded %u\n",
            look(n, "view_tx_space_transmitted", 0, 12), look(n, "view_tx_space_credit", 0, 12),
            look(n, "view_rx_space_received", 0, 12), look(n, "view_rx_space_forwarded", 0, 12));
}

/* One line about waiting work, if any. */
static void report_waiting(void *self, FILE *f)
{
    const node *n = self;
    unsigned words[2] = {look(n, "h2n_wr_count", 0, 11), look(n, "n2h_rd_count", 0, 11)},
             no_credit = look(n, "view_voq_states", 16, 16);
    unsigned left[8] = {0}, any = 0;
    for (unsigned q = 0; q < 8 && (!n->dev || nx_queues(n->dev) <= 8);
         q++) { /* of sixteen the pointers do not fit into one word */
        left[q] = (look(n, "queue_tails", 7 * q, 7) - look(n, "queue_heads", 7 * q, 7)) & 127;
        any |= left[q];
    }
    if (!any && !words[0] && !words[1] && !no_credit) return;
    fprintf(f, "%s:", n->name);
    if (any) fprintf(f, " descriptors in queues");
    for (unsigned q = 0; q < 8; q++)
        if (left[q]) fprintf(f, " %u: %u", q, left[q]);
    if (no_credit) fprintf(f, "%s output queues without credit 0x%x", any ? ";" : "", no_credit);
    if (words[0] || words[1])
        fprintf(f, "%s words from the host %u, to it %u", any || no_credit ? ";" : "", words[0], words[1]);
    fprintf(f, "\n");
}

/* State of the node for the report of a run that ends badly; the host shows the bus, clock by clock. */
static void report(void *self, FILE *f)
{
    node *n = self;
    const host_stats *stats = host_get_stats(n->host);
    fprintf(f, "  bus: %llu clocks, %llu with data, %llu idle, %llu transactions\n", (unsigned long long)stats->clocks,
            (unsigned long long)stats->data_clocks, (unsigned long long)stats->idle_clocks,
            (unsigned long long)stats->transactions);
    report_nic(n, f);
    if (n->dev) fprintf(f, "  driver: %s\n", *nx_last_error(n->dev) ? nx_last_error(n->dev) : "no error");
}

node *node_new(sim *s, unsigned id, const node_params *params)
{
    node *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->s = s;
    n->id = id;
    n->params = params ? *params : node_params_default(id);
    snprintf(n->name, sizeof n->name, "node%u", id);
    n->group = sim_group_new(s, n->name);
    sim_time pci_period = node_pci_period(n->params.pci_mhz, &n->params.host.mode);
    if (!pci_period) sim_fail(s, "%s: a bus of %u MHz, expected 66, 100 or 133", n->name, n->params.pci_mhz);
    n->pci_clock = pci_period ? new_clock(n, "pci", pci_period, n->params.pci_ppm) : NULL;
    n->net_clock = new_clock(n, "net", n->params.net_period, n->params.net_ppm);
    if (!n->pci_clock || !n->net_clock) {
        free(n);
        return NULL;
    }
    n->params.host.hole_from = n->params.window;
    n->params.host.hole_to = (uint64_t)n->params.window + NODE_WINDOW_BYTES - 1;
    snprintf(n->host_name, sizeof n->host_name, "host%u", id);
    n->host = host_new(s, n->pci_clock, &n->params.host, n->host_name);
    snprintf(n->nic_name, sizeof n->nic_name, "nic%u", id);
    if (!n->host || nic_chip_make(n->params.nic, s, n->nic_name, &n->nic)) {
        node_free(n);
        return NULL;
    }
    sim_model_clock(n->nic.model, n->pci_clock, n->nic.pci_clk);
    sim_model_clock_buffered(n->nic.model, n->pci_clock, n->nic.pci_run_clk, n->nic.pci_run);
    sim_model_clock(n->nic.model, n->net_clock, n->nic.net_clk);
    sim_model_clock_buffered(n->nic.model, n->net_clock, n->nic.net_run_clk, n->nic.net_run);
    n->nic_agent = host_plug(n->host, NODE_DEVICE, &n->nic.bus);
    n->external = external_new(s, n->pci_clock, &n->nic.memory, &n->params.external);
    if (!n->external) {
        node_free(n);
        return NULL;
    }
    node_platform(n);
    sim_report(s, n->net_clock, report, n, n->name);
    sim_report_waiting(s, n->net_clock, report_waiting, n);
    return n;
}

void node_free(node *n)
{
    if (!n) return;
    nx_bus_free(n->bus);
    external_free(n->external);
    host_free(n->host);
    sim_model_free(n->nic.model);
    free(n);
}

int node_scan(node *n)
{
    host_reset(n->host);
    int result = nx_bus_scan(&n->platform, NULL, &n->bus);
    if (result) {
        snprintf(n->error, sizeof n->error, "%s: bus scan: %s", n->name,
                 n->bus ? nx_bus_last_error(n->bus) : "out of memory");
        return result;
    }
    if (!nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)) {
        snprintf(n->error, sizeof n->error, "%s: no NIC (%04x:%04x) on the bus", n->name, NX_VENDOR_ID, NX_DEVICE_ID);
        return -1;
    }
    return 0;
}

int node_start(node *n, const nx_params *params)
{
    int result = node_scan(n);
    if (result) return result;
    nx_params p = params ? *params : nx_params_default();
    p.node_id = n->params.node_id;
    result = nx_open(&n->platform, nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0), &p, &n->dev);
    if (!result) result = nx_wait_link(n->dev);
    if (result)
        snprintf(n->error, sizeof n->error, "%s: %s", n->name, n->dev ? nx_last_error(n->dev) : "out of memory");
    return result;
}
