/* Ranks: processes that share the work of a simulation, group by group.
 *
 * All make the same system and go through the same windows (window.c). A group that runs elsewhere has here what others
 * must know of it: how far it is, whether it waits, the events it has posted. With that each rank computes the next
 * step by itself, equally in all. After each round every rank sends one message to every other: news of its groups, and
 * data for groups there. */
#include "sim/core/parallel/parallel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CARRY = 4096 /* most bytes of one carrier in a message */
};
static const double LOST = 2.3; /* [s] that a rank may be silent after the order to end */

typedef LIST(unsigned char) buffer;

typedef struct {
    unsigned char *at;
    size_t size;
} known;

struct ranks {
    const sim_transport *t;
    LIST(sim_carrier) carriers;
    LIST(known) known;
    buffer news, message; /* message: news and data for one rank */
    uint32_t turn;        /* messages to each rank so far */
    bool interrupted;
    uint64_t bytes; /* sent */
    double waited;  /* [s] */
};

/* ---- messages ---- */

/* State of a rank; behind it its error. */
typedef struct {
    uint32_t turn;
    uint32_t interrupted, error;
} head;

/* Of a group; behind it come the events it has posted, the tasks that are over, and its error. */
typedef struct {
    sim_time now, next, wake, next_wait, last_progress;
    uint64_t order;
    uint32_t due, posted, ended, error;
    uint8_t waits, calls, stop, tasks_due;
} group_news;

typedef struct {
    sim_time time;
    uint64_t order;
    int64_t deliver; /* distance of functions in this program */
    uint32_t known, at, size, others;
} event_news;

typedef struct {
    uint32_t carrier, size;
} carried;

static void add(buffer *b, const void *data, size_t size)
{
    while (b->room < b->count + size) {
        size_t count = b->count;
        b->count = b->room;
        list_add(b);
        b->count = count;
    }
    if (size) memcpy(b->at + b->count, data, size);
    b->count += size;
}

typedef struct {
    const unsigned char *at;
    size_t left;
} reader;

/* The next bytes of a message. */
static const void *next_bytes(reader *r, size_t size)
{
    const unsigned char *at = r->at;
    if (size > r->left) {
        fprintf(stderr, "sim: a message between ranks ends early\n");
        exit(EXIT_FAILURE);
    }
    r->at += size;
    r->left -= size;
    return at;
}

static void get(reader *r, void *to, size_t size) { memcpy(to, next_bytes(r, size), size); }

static const char *groups_of(const sim *s, unsigned rank, char *text, size_t size)
{
    *text = '\0';
    for (size_t i = 1; i < s->groups.count; i++)
        if (s->groups.at[i]->rank == rank)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "", s->groups.at[i]->name);
    return text;
}

/* One that stays silent after the message to end, from a rank that ended or that has seen another one die, has died. */
static void wait_on(const sim *s, unsigned other, double began)
{
    char text[200];
    if (!sim_interrupted() || sim_wall() - began < LOST) return;
    if (s->ranks->t->rank == (other == 0))
        fprintf(stderr, "sim: rank %u (%s) is gone at %.3f us, and the run with it\n", other,
                groups_of(s, other, text, sizeof text), (double)s->now * 1e-6);
    _exit(EXIT_FAILURE);
}

static reader receive(sim *s, unsigned from)
{
    struct ranks *r = s->ranks;
    reader message = {0};
    double began = sim_wall();
    while (!(message.at = r->t->receive(from, &message.left, 0.1))) wait_on(s, from, began);
    r->waited += sim_wall() - began;
    return message;
}

static void send(sim *s, unsigned to, const buffer *b)
{
    struct ranks *r = s->ranks;
    double began = sim_wall();
    while (!r->t->send(to, b->at, b->count, 0.1)) wait_on(s, to, began);
    r->waited += sim_wall() - began;
    r->bytes += b->count;
}

/* All are at the same place in the same simulation, or something is wrong with it. */
static void check_turn(const struct ranks *r, uint32_t turn, unsigned from)
{
    if (turn == r->turn) return;
    fprintf(stderr, "sim: rank %u is at message %" PRIu32 ", rank %u at %" PRIu32 ": they do not run the same\n",
            r->t->rank, r->turn, from, turn);
    exit(EXIT_FAILURE);
}

/* ---- news of a rank ---- */

static void write_head(sim *s)
{
    struct ranks *r = s->ranks;
    head h = {++r->turn, sim_interrupted(), s->error ? (uint32_t)strlen(s->error) + 1 : 0};
    r->interrupted = h.interrupted;
    r->news.count = 0;
    add(&r->news, &h, sizeof h);
    add(&r->news, s->error, h.error);
}

static void read_head(sim *s, reader *m, unsigned from)
{
    head h;
    get(m, &h, sizeof h);
    check_turn(s->ranks, h.turn, from);
    s->ranks->interrupted |= h.interrupted;
    if (h.error) sim_fail(s, "%s", (const char *)next_bytes(m, h.error));
}

void ranks_agree(sim *s)
{
    struct ranks *r = s->ranks;
    write_head(s);
    for (unsigned to = 0; to < r->t->count; to++)
        if (to != r->t->rank) send(s, to, &r->news);
    for (unsigned from = 0; from < r->t->count; from++) {
        if (from == r->t->rank) continue;
        reader m = receive(s, from);
        read_head(s, &m, from);
    }
}

/* ---- news of groups ---- */

static uint32_t known_at(const sim *s, const void *self, uint32_t *at)
{
    const struct ranks *r = s->ranks;
    const unsigned char *p = self;
    for (size_t i = 0; i < r->known.count; i++)
        if (p >= r->known.at[i].at && p < r->known.at[i].at + r->known.at[i].size) {
            *at = (uint32_t)(p - r->known.at[i].at);
            return (uint32_t)i;
        }
    fprintf(stderr, "sim: an event is posted to memory that other ranks do not know (sim_known)\n");
    abort();
}

static void write_group(sim *s, buffer *b, sim_group *g)
{
    group_news n = {.now = g->now,
                    .next = g->next,
                    .wake = g->wake,
                    .next_wait = g->asks ? group_tasks_next(g) : SIM_FOREVER,
                    .last_progress = g->last_progress,
                    .order = g->order,
                    .due = g->due,
                    .posted = (uint32_t)(g->posted.count - g->sent),
                    .ended = (uint32_t)g->ended.count,
                    .error = g->error ? (uint32_t)strlen(g->error) + 1 : 0,
                    .waits = g->waits,
                    .calls = g->calls,
                    .stop = g->stop,
                    .tasks_due = g->tasks_due};
    add(b, &n, sizeof n);
    for (; g->sent < g->posted.count; g->sent++) {
        const posted *t = &g->posted.at[g->sent];
        event_news news = {t->time,           t->order, (intptr_t)t->deliver - (intptr_t)sim_new, 0, 0,
                           (uint32_t)t->size, t->others};
        news.known = known_at(s, t->self, &news.at);
        add(b, &news, sizeof news);
        add(b, &g->events.at[t->at], t->size);
    }
    for (size_t i = 0; i < g->ended.count; i++) add(b, &g->ended.at[i], sizeof g->ended.at[i]);
    add(b, g->error, n.error);
}

static void read_group(sim *s, reader *m, sim_group *g)
{
    group_news n;
    bool called = g->calls, ended = g->error || g->stop;
    get(m, &n, sizeof n);
    g->now = n.now;
    g->next = n.next;
    g->wake = n.wake;
    g->next_wait = n.next_wait;
    g->asks = n.next_wait != SIM_FOREVER;
    g->last_progress = n.last_progress;
    g->order = (size_t)n.order;
    g->due = n.due;
    g->waits = n.waits;
    g->calls = n.calls;
    g->stop = n.stop;
    g->tasks_due = n.tasks_due;
    for (uint32_t i = 0; i < n.posted; i++) {
        event_news t;
        get(m, &t, sizeof t);
        if (t.known >= s->ranks->known.count) next_bytes(m, SIZE_MAX);
        keep_posted(g,
                    &(posted){.time = t.time,
                              .order = (size_t)t.order,
                              .deliver = (void (*)(void *, const void *))((intptr_t)sim_new + (intptr_t)t.deliver),
                              .self = s->ranks->known.at[t.known].at + t.at,
                              .size = t.size,
                              .others = t.others},
                    next_bytes(m, t.size));
    }
    for (uint32_t i = 0; i < n.ended; i++) get(m, list_add(&g->ended), sizeof *g->ended.at);
    if (n.error) {
        const char *text = next_bytes(m, n.error);
        if (!g->error) g->error = new_string(text);
    }
    if (g->calls && !called) window_call(g);
    if ((g->error || g->stop) && !ended) window_shorten(s, g->now + 1);
}

/* ---- data between groups ---- */

static void write_carried(sim *s, buffer *b, unsigned to)
{
    unsigned char data[CARRY];
    struct ranks *r = s->ranks;
    for (size_t i = 0; i < r->carriers.count; i++) {
        const sim_carrier *c = &r->carriers.at[i];
        if (c->from->group->elsewhere || c->to->group->rank != to) continue;
        for (;;) {
            carried part = {(uint32_t)i, (uint32_t)c->take(c->self, data, sizeof data)};
            if (!part.size) break;
            add(b, &part, sizeof part);
            add(b, data, part.size);
        }
    }
}

static void read_carried(sim *s, reader *m)
{
    while (m->left) {
        carried part;
        get(m, &part, sizeof part);
        if (part.carrier >= s->ranks->carriers.count) next_bytes(m, SIZE_MAX);
        const sim_carrier *c = &s->ranks->carriers.at[part.carrier];
        c->put(c->self, next_bytes(m, part.size), part.size);
    }
}

void ranks_exchange(sim *s)
{
    struct ranks *r = s->ranks;
    write_head(s);
    for (size_t i = 1; i < s->groups.count; i++)
        if (!s->groups.at[i]->elsewhere) write_group(s, &r->news, s->groups.at[i]);
    for (unsigned k = 1; k < r->t->count; k++) {
        unsigned to = (r->t->rank + k) % r->t->count;
        r->message.count = 0;
        add(&r->message, r->news.at, r->news.count);
        write_carried(s, &r->message, to);
        send(s, to, &r->message);
    }
    for (unsigned k = 1; k < r->t->count; k++) {
        unsigned from = (r->t->rank + k) % r->t->count;
        reader m = receive(s, from);
        read_head(s, &m, from);
        for (size_t i = 1; i < s->groups.count; i++)
            if (s->groups.at[i]->rank == from) read_group(s, &m, s->groups.at[i]);
        read_carried(s, &m);
    }
    for (size_t i = 1; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        for (size_t k = 0; k < g->ended.count; k++) task_over(s, g->ended.at[k]);
        g->ended.count = 0;
    }
}

bool ranks_interrupted(const sim *s) { return s->ranks->interrupted; }

/* ---- edges and tasks ---- */

void ranks_skip(sim *s)
{
    for (size_t i = 1; i < s->groups.count; i++) {
        sim_group *g = s->groups.at[i];
        if (!g->elsewhere) continue;
        g->rising.count = 0;
        for (size_t k = 0; k < g->clocks.count; k++) {
            sim_clock *c = g->clocks.at[k];
            for (; c->next.time < g->until; clock_edge_next(c, &c->next)) {
                c->cycles++;
                if (c->next.time + 1 == g->until) clock_add(&g->rising, c);
            }
        }
        group_find_next(g);
    }
}

void ranks_meet(sim *s, sim_time now, size_t last)
{
    window_rising(s, now);
    tasks_collect(s, last);
    if (tasks_common(s)) {
        tasks_run_first(s);
        ranks_exchange(s);
        window_close(s);
    }
    tasks_run_all(s);
    while (!s->error && !s->stop && tasks_join(s)) {
        ranks_exchange(s);
        window_close(s);
        if (!tasks_common(s)) break;
        tasks_run_all(s);
    }
}

/* ---- what tasks of no group want ---- */

void sim_same(sim_group *g, void *at, size_t size)
{
    struct ranks *r = g->s->ranks;
    if (!r || !size) return;
    r->turn++;
    if (g->elsewhere) {
        reader m = receive(g->s, g->rank);
        uint32_t turn;
        get(&m, &turn, sizeof turn);
        check_turn(r, turn, g->rank);
        get(&m, at, size);
        return;
    }
    r->message.count = 0;
    add(&r->message, &r->turn, sizeof r->turn);
    add(&r->message, at, size);
    for (unsigned to = 0; to < r->t->count; to++)
        if (to != r->t->rank) send(g->s, to, &r->message);
}

void sim_known(sim *s, void *at, size_t size)
{
    if (s->ranks) *list_add(&s->ranks->known) = (known){at, size};
}

void sim_carry(sim *s, const sim_carrier *c)
{
    if (s->ranks && c->from->group->rank != c->to->group->rank) *list_add(&s->ranks->carriers) = *c;
}

int sim_group_here(const sim_group *g) { return !g->elsewhere; }

int sim_has_others(const sim *s) { return s->ranks && s->ranks->t->count > 1; }

/* ---- how a run ends ---- */

void ranks_report(sim *s, const report *r, FILE *f)
{
    char *text = NULL;
    size_t size = 0;
    sim_group *g = r->group ? s->groups.at[r->group->index] : NULL;
    if (!g || !g->elsewhere) {
        FILE *out = open_memstream(&text, &size);
        if (!out) exit(EXIT_FAILURE);
        r->dump(r->self, out);
        fclose(out);
    }
    if (g) {
        sim_same(g, &size, sizeof size);
        if (g->elsewhere) text = new_zeroed(size + 1);
        sim_same(g, text, size);
    }
    if (f) fwrite(text, 1, size, f);
    free(text);
}

void ranks_fail(const sim *s, const char *text)
{
    char groups[200];
    fprintf(stderr, "sim: rank %u (%s) failed at %.3f us: %s\n", s->ranks->t->rank,
            groups_of(s, s->ranks->t->rank, groups, sizeof groups), (double)s->now * 1e-6, text);
    _exit(EXIT_FAILURE);
}

sim_rank_costs sim_ranks_cost(const sim *s)
{
    const struct ranks *r = s->ranks;
    return r ? (sim_rank_costs){r->turn, r->bytes, r->waited} : (sim_rank_costs){0};
}

/* ---- making ---- */

void ranks_new(sim *s)
{
    s->ranks = new_zeroed(sizeof *s->ranks);
    s->ranks->t = s->params.ranks->transport;
}

void ranks_place(sim_group *g)
{
    g->rank = g->s->params.ranks->rank[g->index - 1];
    g->elsewhere = g->rank != g->s->ranks->t->rank;
    g->wake = SIM_FOREVER; /* until that rank says otherwise */
}

void ranks_free(sim *s)
{
    if (!s->ranks) return;
    list_free(&s->ranks->carriers);
    list_free(&s->ranks->known);
    list_free(&s->ranks->news);
    list_free(&s->ranks->message);
    free(s->ranks);
    s->ranks = NULL;
}
