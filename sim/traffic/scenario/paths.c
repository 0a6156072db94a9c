#include "sim/traffic/scenario/paths.h"

#include <string.h>

#include "nic_register_map.h"

enum { COPY_US = 20 /* until the network counters of other links are shown */ };

/* One node, all its links. */
struct look {
    node *n;
    const fabric *f;
    unsigned link;
    struct seen {
        int result;
        uint64_t words[FABRIC_LINKS], busy[FABRIC_LINKS]; /* on the wire */
        uint32_t packets, units;                          /* of one link, since RST# */
        uint32_t lost, late;
        char error[160];
    } seen;
};

static void say(struct look *l)
{
    if (l->seen.result) snprintf(l->seen.error, sizeof l->seen.error, "%s", nx_last_error(l->n->dev));
}

static void look_at_wires(void *arg)
{
    struct look *l = arg;
    for (unsigned k = 0; k < l->f->links; k++) {
        int end;
        uint64_t idle;
        cable *wire = fabric_link(l->f, l->n->id, k, &end);
        l->seen.words[k] = cable_sent(wire, end, l->f->chip.model ? 0 : k, &idle);
        l->seen.busy[k] = l->seen.words[k] - idle;
    }
}

static void show_link(void *arg)
{
    struct look *l = arg;
    l->seen.result = nx_register_write(l->n->dev, NIC_PATH_VIEW,
                                       l->link < FABRIC_LINKS ? 1u << l->link << NIC_PATH_VIEW_COUNTED_SHIFT : 0);
    say(l);
}

static void count_link(void *arg)
{
    struct look *l = arg;
    l->seen.result = nx_register_read(l->n->dev, NIC_NET_OUT_PACKETS, &l->seen.packets) ||
                     nx_register_read(l->n->dev, NIC_NET_OUT_WORDS, &l->seen.units);
    say(l);
}

static void count_headers(void *arg)
{
    struct look *l = arg;
    uint32_t events = 0;
    l->seen.result = nx_register_read(l->n->dev, NIC_SEQUENCE_GAPS, &l->seen.lost) ||
                     nx_register_read(l->n->dev, NIC_RESEQ_EVENTS, &events);
    l->seen.late = (events & NIC_RESEQ_EVENTS_LATE_MASK) >> NIC_RESEQ_EVENTS_LATE_SHIFT;
    say(l);
}

/* 0, or -1: it does not exist, or an earlier one has failed. */
static int at_node(paths *p, unsigned i, struct look *l, void (*fn)(void *))
{
    if (*p->error) return -1;
    l->n = p->f->node[i];
    l->f = p->f;
    sim_do_in(l->n->group, fn, l, &l->seen, sizeof l->seen);
    if (l->seen.result) snprintf(p->error, sizeof p->error, "node %u: %s", i, l->seen.error);
    return *p->error ? -1 : 0;
}

/* Of all nodes since RST#. */
static int count_all(paths *p, paths_counts *c)
{
    const fabric *f = p->f;
    memset(c, 0, sizeof *c);
    for (unsigned link = 0; link <= f->links; link++) { /* in the end all are shown again */
        for (unsigned i = 0; i < f->nodes; i++)
            if (at_node(p, i, &(struct look){.link = link < f->links ? link : FABRIC_LINKS}, show_link)) return -1;
        if (link == f->links) break;
        sim_wait_time(f->s, COPY_US * SIM_US);
        for (unsigned i = 0; i < f->nodes; i++) {
            struct look l = {.link = link};
            if (at_node(p, i, &l, count_link)) return -1;
            c->packets[link] += l.seen.packets;
            c->units[link] += l.seen.units;
        }
    }
    for (unsigned i = 0; i < f->nodes; i++) {
        struct look l = {0};
        if (at_node(p, i, &l, count_headers)) return -1;
        c->lost += l.seen.lost;
        c->late += l.seen.late;
    }
    return 0;
}

void paths_begin(paths *p, fabric *f)
{
    p->f = f;
    memset(p->words, 0, sizeof p->words);
    memset(p->busy, 0, sizeof p->busy);
    *p->error = '\0';
}

void paths_window(paths *p, int open)
{
    for (unsigned i = 0; i < p->f->nodes && p->f->links > 1; i++) {
        struct look l = {0};
        at_node(p, i, &l, look_at_wires);
        for (unsigned k = 0; k < p->f->links; k++) { /* modulo 2^64 */
            p->words[k] += open ? -l.seen.words[k] : l.seen.words[k];
            p->busy[k] += open ? -l.seen.busy[k] : l.seen.busy[k];
        }
    }
}

int paths_end(paths *p, paths_report *report)
{
    const paths_counts before = p->counts;
    uint64_t units = 0;
    if (p->f->links == 1) return 0;
    if (count_all(p, &p->counts)) return -1;
    report->links = p->f->links;
    for (unsigned l = 0; l < report->links; l++) units += p->counts.units[l] - before.units[l];
    for (unsigned l = 0; l < report->links; l++) {
        report->path[l].packets = p->counts.packets[l] - before.packets[l];
        report->path[l].share = units ? (double)(p->counts.units[l] - before.units[l]) / (double)units : 0;
        report->path[l].use = p->words[l] ? (double)p->busy[l] / (double)p->words[l] : 0;
    }
    report->lost = p->counts.lost - before.lost;
    report->late = p->counts.late - before.late;
    return 0;
}

/* ---- overtaking ---- */

enum { AHEAD_MOST = sizeof((overtaking *)0)->ahead / sizeof(uint64_t) - 1 };

void overtaking_add(overtaking *o, unsigned ahead) { o->ahead[ahead < AHEAD_MOST ? ahead : AHEAD_MOST]++; }

void overtaking_get(const overtaking *o, unsigned *median, unsigned *most)
{
    uint64_t all = 0, below = 0;
    *median = *most = 0;
    for (unsigned i = 0; i <= AHEAD_MOST; i++)
        if (o->ahead[i]) all += o->ahead[i], *most = i;
    while (*median < AHEAD_MOST && (below += o->ahead[*median]) * 2 < all) ++*median;
}
