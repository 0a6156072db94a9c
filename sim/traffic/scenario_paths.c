/* What each of several links by packet has carried in a run, and how far packets overtook each other. */
#include <string.h>

#include "nic_register_map.h"
#include "scenario_private.h"

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
    l->seen.result = nx_register_write(l->n->dev, NIC_PATH_VIEW, l->link < FABRIC_LINKS ? 1u << l->link << NIC_PATH_VIEW_COUNTED_SHIFT : 0);
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
    l->seen.result =
        nx_register_read(l->n->dev, NIC_SEQUENCE_GAPS, &l->seen.lost) || nx_register_read(l->n->dev, NIC_RESEQ_EVENTS, &events);
    l->seen.late = (events & NIC_RESEQ_EVENTS_LATE_MASK) >> NIC_RESEQ_EVENTS_LATE_SHIFT;
    say(l);
}

static void at_node(struct scenario_state *x, unsigned i, struct look *l, void (*fn)(void *))
{
    l->n = x->f->node[i];
    l->f = x->f;
    sim_do_in(l->n->group, fn, l, &l->seen, sizeof l->seen);
    if (l->seen.result) scenario_fail(x, "node %u: %s", i, l->seen.error);
}

/* Of all nodes since RST#. */
static void count_all(struct scenario_state *x, struct scenario_path_counts *c)
{
    const fabric *f = x->f;
    memset(c, 0, sizeof *c);
    for (unsigned link = 0; link <= f->links && !*x->run->error; link++) { /* in the end all are shown again */
        for (unsigned i = 0; i < f->nodes; i++) at_node(x, i, &(struct look){.link = link < f->links ? link : FABRIC_LINKS}, show_link);
        if (link == f->links) break;
        sim_wait_time(f->s, COPY_US * SIM_US);
        for (unsigned i = 0; i < f->nodes; i++) {
            struct look l = {.link = link};
            at_node(x, i, &l, count_link);
            c->packets[link] += l.seen.packets;
            c->units[link] += l.seen.units;
        }
    }
    for (unsigned i = 0; i < f->nodes && !*x->run->error; i++) {
        struct look l = {0};
        at_node(x, i, &l, count_headers);
        c->lost += l.seen.lost;
        c->late += l.seen.late;
    }
}

void scenario_paths_window(struct scenario_state *x, int open)
{
    for (unsigned i = 0; i < x->f->nodes && x->f->links > 1; i++) {
        struct look l = {0};
        at_node(x, i, &l, look_at_wires);
        for (unsigned k = 0; k < x->f->links; k++) { /* modulo 2^64 */
            x->wire_words[k] += open ? -l.seen.words[k] : l.seen.words[k];
            x->wire_busy[k] += open ? -l.seen.busy[k] : l.seen.busy[k];
        }
    }
}

void scenario_paths_begin(struct scenario_state *x)
{
    memset(x->wire_words, 0, sizeof x->wire_words);
    memset(x->wire_busy, 0, sizeof x->wire_busy);
    memset(&x->run->paths, 0, sizeof x->run->paths);
    ledger_depth_begin(x->ledger);
}

void scenario_paths_end(struct scenario_state *x)
{
    scenario_paths *p = &x->run->paths;
    const struct scenario_path_counts before = x->paths;
    uint64_t units = 0;
    if (x->f->links == 1 || *x->run->error) return;
    count_all(x, &x->paths);
    p->links = x->f->links;
    for (unsigned l = 0; l < p->links; l++) units += x->paths.units[l] - before.units[l];
    for (unsigned l = 0; l < p->links; l++) {
        p->path[l].packets = x->paths.packets[l] - before.packets[l];
        p->path[l].share = units ? (double)(x->paths.units[l] - before.units[l]) / (double)units : 0;
        p->path[l].use = x->wire_words[l] ? (double)x->wire_busy[l] / (double)x->wire_words[l] : 0;
    }
    p->lost = x->paths.lost - before.lost;
    p->late = x->paths.late - before.late;
    ledger_depth(x->ledger, &p->depth_median, &p->depth_most);
}
