/* Observers, and the tracks; the manual is in the header. */
#include "sim/observe/trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/observe/trace/trace_private.h"

void *trace_memory(size_t size)
{
    void *memory = size == SIZE_MAX ? NULL : calloc(1, size);
    if (memory) return memory;
    fprintf(stderr, "trace: out of memory\n");
    exit(1);
}

bool trace_takes(const trace *t, sim_time begin, sim_time end)
{
    return !t->over && end >= t->p.from && begin <= t->p.to;
}

touch trace_slice(trace *t, track *k, sim_time begin, sim_time end, const char *name, const char *args,
                  const char *track_name)
{
    if (begin < k->free_at) begin = k->free_at;
    if (end < begin) end = begin;
    k->free_at = end;
    if (!trace_takes(t, begin, end)) return (touch){0};
    if (!k->named) trace_file_track(t->file, k->process, k->number, track_name);
    k->named = true;
    trace_file_slice(t->file, k->process, k->number, begin, end, name, args);
    return (touch){k->process, k->number, begin};
}

void trace_value(trace *t, unsigned process, const char *name, long value)
{
    char args[40];
    sim_time now = sim_now(t->s);
    if (!trace_takes(t, now, now)) return;
    snprintf(args, sizeof args, "\"now\":%ld", value > 0 ? value : 0);
    trace_file_values(t->file, process, now, name, args);
}

/* ---- cables ---- */

static void on_header(void *self, const sniffer_frame *f)
{
    wire *w = self;
    lane *l = &w->lane[f->from];
    if (w->t->over || f->is_check) return;
    if (l->from && w->t->f->chip.model) life_switched(w, l, f);
    else life_sent(w, l, f);
}

/* Credits are for what the other end sends. */
static void on_frame(void *self, const sniffer_frame *f)
{
    wire *w = self;
    lane *l = &w->lane[!f->from];
    char name[NAME_ROOM];
    if (w->t->over) return;
    for (unsigned i = 0; i < f->credits; i++) {
        const frame_credit_fields *c = &f->credit[i];
        if (!c->marked || !c->parity_ok || c->flow >= QUEUES || l->credit[c->flow] == c->counter * 32u) continue;
        l->credit[c->flow] = c->counter * 32u;
        snprintf(name, sizeof name, "%s, not credited, flow %u [words]", l->from ? "in" : "out", c->flow);
        trace_value(w->t, w->process, name, (l->sent[c->flow] - l->credit[c->flow]) & 0xfff);
    }
    life_frame_ended(w, &w->lane[f->from], f);
}

static void on_word(void *self, int from, uint64_t word, sim_time time, const uint32_t *data, const uint8_t *k,
                    const uint64_t *flip)
{
    wire *w = self;
    lane *l = &w->lane[from];
    uint32_t words[CABLE_LINKS] = {data[w->at]};
    (void)time;
    (void)flip;
    if (k[w->at] || w->t->over) {
        l->sop = word;
        l->words = frame_is_sop(data[w->at], k[w->at]);
        return;
    }
    if (!l->words) return;
    if (w->bundle > 1) frame_of_links(words, data, w->bundle);
    for (unsigned i = 0; i < w->bundle && l->words && !(l->words == 1 && frame_is_credit(words[i])); i++) {
        if (l->words++ == 1) {
            l->high = words[i];
        } else {
            l->words = 0;
            life_flies(w, l, (uint64_t)l->high << 32 | words[i]);
        }
    }
}

/* Without a switch a cable has all links. */
static void on_arrival(void *self, int from, unsigned link, uint64_t word, sim_time time, uint64_t clock)
{
    wire *w = self;
    (void)clock;
    if (link && w->bundle > 1) return;
    if (link) w = w->t->wire[link];
    if (!w->t->over) life_arrived(w, &w->lane[from], word, time);
}

static int watch_wire(trace *t, unsigned i)
{
    bool direct = !t->f->chip.model;
    unsigned node = direct ? 0 : i % t->nodes, link = direct ? i : i / t->nodes;
    int end;
    char name[NAME_ROOM];
    cable *c = fabric_link(t->f, node, link, &end);
    wire *w = t->wire[i] = trace_memory(sizeof *w);
    *w = (wire){.t = t, .node = node, .link = link, .at = direct ? link : 0, .bundle = t->f->bundle};
    w->process = link ? P_LINK + FABRIC_NODES * (link - 1) + node : P_CABLE + node;
    int n = snprintf(name, sizeof name, "cable %s-%s", t->f->node[node]->name, direct ? t->f->node[1]->name : "switch");
    if (t->f->links > 1) snprintf(name + n, sizeof name - (size_t)n, direct ? ", link %u" : "%u", link);
    trace_file_process(t->file, w->process, name);
    for (unsigned from = 0; from < 2; from++) {
        lane *l = &w->lane[from];
        l->from = from;
        l->link = direct || !from ? (track){.process = P_NIC + (direct ? from : node), .number = link ? 41 + link : 40}
                                  : (track){.process = P_SWITCH + link, .number = node + 1};
        for (unsigned k = 0; k < FLIGHT_TRACKS; k++)
            l->flight[k] = (track){.process = w->process, .number = 1 + FLIGHT_TRACKS * from + k};
    }
    w->sniffer = sniffer_new(on_frame, w);
    if (!w->sniffer || sniffer_attach(w->sniffer, c, w->at)) return -1;
    sniffer_on_header(w->sniffer, on_header);
    if (cable_add_witness(c, on_word, w)) return -1;
    if (!w->at) cable_set_arrival(c, on_arrival, w);
    return 0;
}

/* ---- nodes ---- */

static int watch_node(trace *t, unsigned i)
{
    seat *h = t->seat[i] = trace_memory(sizeof *h);
    char name[NAME_ROOM];
    h->t = t;
    h->n = t->f->node[i];
    h->i = i;
    h->depth = DESCRIPTORS / (unsigned)sim_config_parameter(h->n->params.nic, "QUEUES", 8);
    h->bus = (track){.process = P_HOST + i, .number = 1};
    h->buffer = (track){.process = P_NIC + i, .number = 41};
    for (unsigned k = 0; k < TAGS; k++) h->reads[k] = (track){.process = P_NIC + i, .number = 1 + k};
    for (unsigned to = 0; to < t->nodes; to++) {
        h->voq_head[to] = (track){.process = P_NIC + i, .number = TAGS + 20 + to};
        for (unsigned l = 0; l < t->f->links; l++)
            t->cross[l][i][to] = (track){.process = P_SWITCH + l, .number = 20 + FABRIC_NODES * to + i};
    }
    snprintf(name, sizeof name, "host %u", i);
    trace_file_process(t->file, P_HOST + i, name);
    trace_file_process(t->file, P_NIC + i, h->n->nic_name);
    return bus_watch(h);
}

/* ---- life ---- */

static void free_all(trace *t)
{
    life_end(t);
    modules_free(t->modules);
    for (unsigned i = 0; i < t->wires; i++) {
        int end;
        cable_set_arrival(fabric_link(t->f, t->wire[i]->node, t->wire[i]->link, &end), NULL, NULL);
        sniffer_free(t->wire[i]->sniffer);
        free(t->wire[i]);
    }
    for (unsigned i = 0; i < t->nodes; i++) free(t->seat[i]);
    free(t);
}

static void on_window(void *self, const char *what, sim_time from, sim_time to)
{
    trace *t = self;
    trace_slice(t, &t->window, from, to, what, NULL, "measured");
}

trace *trace_new(fabric *f, const trace_params *params)
{
    trace *t = trace_memory(sizeof *t);
    char name[NAME_ROOM];
    int failed = 0;
    *t = (trace){.p = *params, .f = f, .s = f->s, .window = {.process = P_RUN, .number = 1}};
    if (params->from) {
        t->part = trace_memory(strlen(params->path) + sizeof ".part");
        sprintf(t->part, "%s.part", params->path);
    }
    t->file = trace_file_new(t->part ? t->part : params->path);
    if (!t->file) {
        free(t->part);
        free(t);
        return NULL;
    }
    trace_file_process(t->file, P_RUN, "the run");
    trace_file_process(t->file, P_LIVES, "lives of packets, from>to");
    t->nodes = f->nodes;
    for (unsigned i = 0; i < t->nodes && !failed; i++) failed = watch_node(t, i);
    unsigned wires = (f->chip.model ? f->nodes : 1) * f->links;
    for (; t->wires < wires && !failed; t->wires++) failed = watch_wire(t, t->wires);
    for (unsigned l = 0; l < f->links && f->chip.model; l++) {
        snprintf(name, sizeof name, f->links > 1 ? "switch %u" : "switch", l);
        trace_file_process(t->file, P_SWITCH + l, name);
    }
    if (!failed && params->modules && !(t->modules = modules_new(t))) failed = 1;
    if (failed) return NULL;
    f->watch = (fabric_watch){.landed = life_made, .window = on_window, .self = t};
    return t;
}

/* From now on something is recorded. 0, or -1: the file cannot have its name (errno). */
static int begin(trace *t)
{
    if (!t->part || sim_now(t->s) < t->p.from) return 0;
    if (rename(t->part, t->p.path)) return -1;
    free(t->part);
    t->part = NULL;
    return 0;
}

/* Open spans end here. */
static void end(trace *t)
{
    sim_time now = sim_now(t->s);
    if (t->over) return;
    modules_end(t->modules);
    life_end(t);
    t->over = true;
    t->result.from = t->p.from < now ? t->p.from : now;
    t->result.to = now;
}

void trace_look(trace *t)
{
    begin(t);
    t->result.full = trace_file_count(t->file).bytes >= t->p.most;
    if (t->result.full || sim_now(t->s) > t->p.to || trace_file_failed(t->file)) end(t);
}

int trace_close(trace *t, trace_result *result)
{
    trace_file_counts all;
    if (!t) return 0;
    end(t);
    t->f->watch = (fabric_watch){0};
    int failed = begin(t) | trace_file_close(t->file, &all), why = errno;
    t->result.none = t->part && sim_now(t->s) < t->p.from;
    if (t->result.none) remove(t->part);
    free(t->part);
    *result = t->result;
    result->events = all.events;
    result->bytes = all.bytes;
    free_all(t);
    errno = why;
    return failed;
}
