/* Latency and throughput by source, as the receivers of random traffic around a switch see them (S2 5.3): from the time
 * stamps in the packets, which the host program finds in its memory and saves, and from pins (stages.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nx_latency.h"
#include "sim/app/figures/micro.h"
#include "sim/system/nodes/stages.h"
#include "sim/system/nodes/switch_access.h"

enum {
    NODES = 4,
    PACKETS = 150 /* from each node to each other one */,
    STEP = 2 /* of the curves [%] */,
    SHOWN = 0 /* receiver */
};
/* In the NIC stamps begin 4 clocks after the last data phase of a descriptor (rtl/design.md 3). */
enum { TO_SLOT = 4 };

static const char *const stage_names[NX_LATENCY_STAGES] = {"in NIC", "in switch"};

/* Packets from one node to another on the pins, in their order. */
struct seen {
    unsigned count, words[PACKETS];
    double clocks[NX_LATENCY_STAGES][PACKETS], left[PACKETS]; /* left: [network clocks] */
};

/* Of all packets to a node. */
struct arrived {
    double first, last; /* [network clocks] */
    uint64_t words;
    unsigned last_words; /* of the last one: it is not over when the time is */
};

struct system {
    fabric *f;
    stages *view;
    unsigned surplus, strangers;
    struct seen seen[NODES][NODES]; /* [from][to] */
    struct arrived to[NODES];
    nx_latency stamps[NODES];
};

/* ---- pins ---- */

static void on_packet(void *self, const stages_packet *p)
{
    struct system *x = self;
    const fabric_params *params = &x->f->params;
    struct seen *s = &x->seen[p->from][p->to];
    struct arrived *to = &x->to[p->to];
    double pci = (double)sim_clock_period(x->f->node[p->from]->pci_clock) / (1 + params->node[p->from].pci_ppm * 1e-6);
    double net = (double)sim_clock_period(x->f->clock[0]) / (1 + params->switch_ppm[0] * 1e-6);
    unsigned i = s->count++;
    if (i >= PACKETS) {
        x->surplus++;
        return;
    }
    s->words[i] = p->frame->length;
    s->left[i] = (double)p->at[STAGE_LEFT] / net;
    s->clocks[NX_IN_NIC][i] = (double)(p->at[STAGE_DEPARTED] - p->at[STAGE_CREATED]) / pci - TO_SLOT;
    s->clocks[NX_IN_SWITCH][i] = (double)(p->at[STAGE_LEFT] - p->at[STAGE_ARRIVED]) / net;
    if (!to->words) to->first = s->left[i];
    to->last = s->left[i];
    to->last_words = s->words[i];
    to->words += s->words[i];
}

static void began(micro_run *r)
{
    struct system *x = r->arg;
    char error[SWITCH_ERROR];
    x->f = r->f;
    x->view = stages_new(r->f, on_packet, x);
    if (!x->view) sim_fail(r->f->s, "no memory");
    else if (switch_settings(r->f, "stamps 1", error)) sim_fail(r->f->s, "%s", error);
}

static void ended(micro_run *r)
{
    struct system *x = r->arg;
    if (x->view) x->strangers = (unsigned)stages_strangers(x->view);
    stages_free(x->view);
    x->view = NULL;
}

/* Payload of a source in the time of all [MiB/s]. */
static double pins_rate(const struct system *x, unsigned from, unsigned to)
{
    const struct arrived *a = &x->to[to];
    const struct seen *s = &x->seen[from][to];
    uint64_t words = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->left[i] < a->last) words += s->words[i];
    return 8.0 * (double)words * NX_LINK_KHZ * 1e3 / (1 << 20) / (a->last - a->first);
}

static int earlier(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double pins_percentile(const struct seen *s, unsigned stage, unsigned percent)
{
    double sorted[PACKETS];
    memcpy(sorted, s->clocks[stage], sizeof sorted);
    qsort(sorted, PACKETS, sizeof *sorted, earlier);
    return sorted[(PACKETS - 1) * percent / 100];
}

/* ---- stamps ---- */

static uint32_t stamps_percentile(const struct system *x, unsigned from, unsigned to, unsigned stage, unsigned percent)
{
    uint32_t sorted[NODES * PACKETS];
    unsigned count = nx_latency_stage(&x->stamps[to], from, stage, sorted);
    return nx_latency_percentile(sorted, count, percent);
}

static const char *path_of(char path[80], const char *name, unsigned node)
{
    snprintf(path, 80, "%s.%u", name, node);
    return path;
}

/* Reads the results that the program has saved for each node. */
static int load(struct system *x, unsigned nodes, const char *name)
{
    int bad = 0;
    for (unsigned i = 0; i < nodes; i++) {
        char path[80], why[256] = "";
        path_of(path, name, i);
        FILE *file = fopen(path, "r");
        if (!file || nx_latency_load(&x->stamps[i], file, why, sizeof why)) {
            fprintf(stderr, "distribution: %s: %s\n", path, file ? why : strerror(errno));
            bad = -1;
        }
        if (file) fclose(file);
    }
    return bad;
}

/* ---- both ---- */

/* The most clocks by which a packet differs in each stage; -1: they are not the same packets. */
static int differ(const struct system *x, unsigned nodes, double worst[NX_LATENCY_STAGES])
{
    worst[NX_IN_NIC] = worst[NX_IN_SWITCH] = 0;
    for (unsigned to = 0; to < nodes; to++) {
        unsigned count[NODES] = {0};
        for (unsigned i = 0; i < x->stamps[to].count; i++) {
            const nx_latency_packet *p = &x->stamps[to].packet[i];
            const struct seen *s = p->source < nodes ? &x->seen[p->source][to] : NULL;
            unsigned k = s ? count[p->source]++ : 0;
            if (!s || k >= PACKETS || s->words[k] != p->words) return -1;
            worst[NX_IN_NIC] =
                fmax(worst[NX_IN_NIC], fabs(p->stamps.departed - p->stamps.created - s->clocks[NX_IN_NIC][k]));
            worst[NX_IN_SWITCH] =
                fmax(worst[NX_IN_SWITCH], fabs(p->stamps.left - p->stamps.arrived - s->clocks[NX_IN_SWITCH][k]));
        }
        for (unsigned from = 0; from < nodes; from++)
            if (x->seen[from][to].count != (from == to ? 0 : PACKETS) || count[from] != x->seen[from][to].count)
                return -1;
    }
    return x->surplus || x->strangers ? -1 : 0;
}

static double stamps_sum(const struct system *x, unsigned nodes, unsigned to)
{
    double sum = 0;
    for (unsigned from = 0; from < nodes; from++) sum += nx_latency_rate(&x->stamps[to], from);
    return sum;
}

/* All words on the cable to a receiver, from any sender [MiB/s]. */
static double pins_all(const struct arrived *a)
{
    return 8.0 * (double)(a->words - a->last_words) * NX_LINK_KHZ * 1e3 / (1 << 20) / (a->last - a->first);
}

static int run_on(micro *m, unsigned host, unsigned nodes, struct system *x)
{
    char folder[] = "/tmp/nicxbar-XXXXXX", name[40], arguments[100];
    memset(x, 0, sizeof *x);
    if (!mkdtemp(folder)) {
        fprintf(stderr, "distribution: %s: %s\n", folder, strerror(errno));
        return -1;
    }
    snprintf(name, sizeof name, "%s/stamps", folder);
    snprintf(arguments, sizeof arguments, "--packets %d --save %s", PACKETS, name);
    micro_run r = {.program = "nxlatency",
                   .arguments = arguments,
                   .host = host,
                   .posting = NX_POST_COMBINED,
                   .payload = 62,
                   .nodes = nodes,
                   .began = began,
                   .ended = ended,
                   .arg = x};
    int bad = micro_run_program(m, "random traffic", &r);
    if (!bad) bad = load(x, nodes, name);
    for (unsigned i = 0; i < nodes; i++) {
        char path[80];
        unlink(path_of(path, name, i));
    }
    rmdir(folder);
    return bad;
}

static void table(micro *m, const struct system *x, unsigned nodes, unsigned host)
{
    static const unsigned percents[] = {0, 50, 99, 100};
    printf("\n%s, receiver %d: clocks by stamps | by pins\n", micro_hosts[host], SHOWN);
    FILE *t = text_table(stdout, 0, "<source\t<\tleast\tmedian\t99 %\tmost");
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned stage = 0; from != SHOWN && stage < NX_LATENCY_STAGES; stage++) {
            fprintf(t, "%u\t%s", from, stage_names[stage]);
            for (unsigned i = 0; i < 4; i++)
                fprintf(t, "\t%u | %7.1f", stamps_percentile(x, from, SHOWN, stage, percents[i]),
                        pins_percentile(&x->seen[from][SHOWN], stage, percents[i]));
            fputs("\n", t);
            for (unsigned percent = 0; percent <= 100; percent += STEP) {
                char curve[64];
                snprintf(curve, sizeof curve, "%s, from %u, stamps, %s", stage_names[stage], from, micro_hosts[host]);
                micro_point(m, "distribution", curve, stamps_percentile(x, from, SHOWN, stage, percent), percent);
                snprintf(curve, sizeof curve, "%s, from %u, pins, %s", stage_names[stage], from, micro_hosts[host]);
                micro_point(m, "distribution", curve, pins_percentile(&x->seen[from][SHOWN], stage, percent), percent);
            }
        }
    fclose(t);
    t = text_table(stdout, 0, "<source\t<payload\tstamps\t<|\tpins  [MiB/s]");
    for (unsigned from = 0; from < nodes; from++)
        if (from != SHOWN)
            fprintf(t, "%u\t \t%.1f\t|\t%.1f\n", from, nx_latency_rate(&x->stamps[SHOWN], from),
                    pins_rate(x, from, SHOWN));
    fprintf(t, "all\t \t%.1f\t|\t%.1f\n", stamps_sum(x, nodes, SHOWN), pins_all(&x->to[SHOWN]));
    fclose(t);
}

static void rates(micro *m, struct system x[MICRO_HOSTS], unsigned nodes)
{
    const char *counted =
        "payload, from SOP of the first packet of all to SOP of the last one out of the switch; so are the next ones";
    for (unsigned from = 0; from < nodes; from++)
        for (int pins = 0; from != SHOWN && pins < 2; pins++) {
            char name[64];
            double value[MICRO_HOSTS];
            snprintf(name, sizeof name, "to %d from %u, by %s", SHOWN, from, pins ? "pins" : "stamps");
            for (unsigned h = 0; h < MICRO_HOSTS; h++)
                value[h] = pins ? pins_rate(&x[h], from, SHOWN) : nx_latency_rate(&x[h].stamps[SHOWN], from);
            micro_put(m, &(micro_row){name, "MiB/s", NULL, 0, 0, counted}, value);
            counted = NULL;
        }
}

static int run(micro *m)
{
    static struct system x[MICRO_HOSTS];
    unsigned nodes = micro_nodes(m, NODES);
    double stage[NX_LATENCY_STAGES][MICRO_HOSTS], span[MICRO_HOSTS] = {0}, sum[MICRO_HOSTS] = {0};
    int bad = 0;
    for (unsigned h = 0; !bad && h < MICRO_HOSTS; h++) {
        double worst[NX_LATENCY_STAGES];
        if ((bad = run_on(m, h, nodes, &x[h]))) break;
        if ((bad = differ(&x[h], nodes, worst))) {
            fprintf(
                stderr,
                "distribution: the packets on the pins are not those with stamps in memory, or not in their order\n");
            break;
        }
        for (unsigned i = 0; i < NX_LATENCY_STAGES; i++) stage[i][h] = worst[i];
        for (unsigned to = 0; to < nodes; to++) {
            const struct arrived *a = &x[h].to[to];
            span[h] = fmax(span[h], fabs(nx_latency_span(&x[h].stamps[to]) - (a->last - a->first)));
            sum[h] = fmax(sum[h], 100 * fabs(stamps_sum(&x[h], nodes, to) / pins_all(a) - 1));
        }
    }
    if (!bad) {
        micro_put(
            m,
            &(micro_row){
                "in NIC: stamps against pins, any packet, at most", "clocks", NULL, '<', 1,
                "PCI clocks of the sender: 4 after the descriptor's last data phase to SOP on the pins of the NIC"},
            stage[NX_IN_NIC]);
        micro_put(m,
                  &(micro_row){"in switch: stamps against pins, any packet, at most", "clocks", NULL, '<', 1,
                               "clocks of the switch: SOP on the pins of one port to SOP on those of the other"},
                  stage[NX_IN_SWITCH]);
        rates(m, x, nodes);
        micro_put(m,
                  &(micro_row){"time of all packets: stamps against pins, at most", "clocks", NULL, '<', 1,
                               "SOP of the first to SOP of the last packet to a receiver, out of the switch"},
                  span);
        micro_put(m,
                  &(micro_row){"sum of the sources against all on the cable, at most", "%", NULL, '<', 0.01,
                               "rates by stamps, and all payload that the pins show, of each receiver"},
                  sum);
        for (unsigned h = 0; h < MICRO_HOSTS; h++) table(m, &x[h], nodes, h);
    }
    for (unsigned h = 0; h < MICRO_HOSTS; h++)
        for (unsigned i = 0; i < nodes; i++) nx_latency_clear(&x[h].stamps[i]);
    return bad ? -1 : 0;
}

const micro_benchmark micro_distribution = {
    "distribution", "latency and throughput by source, by time stamps in packets and by pins, around a switch (S2 5.3)",
    run};
