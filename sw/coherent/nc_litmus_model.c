/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The memory model as a machine with few states, all of which are visited.
 *
 * Each processor executes in order, each access takes effect at once: the model is sequentially consistent. With a
 * store buffer, which the chip has not, stores and requests to the NI wait in it and leave it in order at any time;
 * loads see their own buffer first, `sync` and atomic loads wait until it is empty. The NI reads what it is asked for
 * in the order of the requests, at any time after each; packets of the other node are stores in order, each at any
 * time. */
#include <stdlib.h>
#include <string.h>

#include "nc_litmus.h"

const nc_memory_model nc_memory_model_default = {.store_buffer = 0};

const nc_litmus_test nc_litmus_tests[] = {
    /* two processors */
    {"message", {"Wx1 Wy1", "Ry Rx", NULL}, 0},
    {"message, one line", {"Wx1 Wy1", "Ry Rx", NULL}, 1},
    {"store buffers", {"Wx1 Ry", "Wy1 Rx", NULL}, 0},
    {"store buffers, sync", {"Wx1 S Ry", "Wy1 S Rx", NULL}, 0},
    {"store buffers, one sync", {"Wx1 S Ry", "Wy1 Rx", NULL}, 0},
    {"store buffers, one line", {"Wx1 Ry", "Wy1 Rx", NULL}, 1},
    {"loads, then stores", {"Rx Wy1", "Ry Wx1", NULL}, 0},
    {"own store", {"Wx1 Rx Ry", "Wy1 Ry Rx", NULL}, 0},
    {"one word", {"Wx1 Wx2", "Rx Rx Rx", NULL}, 0},
    {"two writers of one word", {"Wx1 Rx Rx", "Wx2 Rx Rx", NULL}, 0},
    {"two words written", {"Wx1 Wy2", "Wy1 Wx2", NULL}, 0},
    {"store, then read of the other", {"Wx1 Wy1", "Wy2 S Rx", NULL}, 0},
    {"atomic, exclusive", {"Tx Wy1", "Tx Ry", NULL}, 0},
    {"atomic, counting", {"Ix Ix", "Ix Rx", NULL}, 0},
    {"atomic, order", {"Wx1 Iy Rx", "Iy Rx", NULL}, 0},
    {"atomic store buffers", {"Wx1 Iz Ry", "Wy1 Iz Rx", NULL}, 0},
    {"lock", {"Tz Rx Wx1", "Tz Rx Wx1", NULL}, 0},
    /* the NI as writer */
    {"message of the NI", {"Ry Rx", NULL, "Wx1 Wy1"}, 0},
    {"message of the NI, one line", {"Ry Rx", NULL, "Wx1 Wy1"}, 1},
    {"message of the NI, two readers", {"Ry Rx", "Rx Ry", "Wx1 Wy1"}, 0},
    {"message of the NI, handed on", {"Rx Wy1", "Ry Rx", "Wx1"}, 0},
    {"message handed on, sync", {"Rx S Wy1", "Ry S Rx", "Wx1"}, 0},
    {"NI and processor, one word", {"Wx1 Rx", "Rx Rx", "Wx2"}, 0},
    {"NI and processor, one line", {"Wx1 Ry", "Rx Ry", "Wy1 Wz1"}, 1},
    {"NI and processors, two orders", {"Rx S Ry", "Ry S Rx Wz1", "Wx1 Wy1"}, 0},
    {"NI and an atomic", {"Ix Ix", "Ix", "Wx1"}, 0},
    /* the NI as reader */
    {"sent behind a store", {"Wx1 S Gx", NULL, NULL}, 0},
    {"sent behind a store, no sync", {"Wx1 Gx", NULL, NULL}, 0},
    {"sent while stored", {"Gx Wx1", NULL, NULL}, 0},
    {"sent in order", {"Gy Gx", "Wx1 Wy1", NULL}, 0},
    {"sent behind the other's store", {"Rx Gy", "Wy1 Wx1", NULL}, 0},
    {"sent after arrival", {"Rx Gx", NULL, "Wx1"}, 0},
};
const unsigned nc_litmus_count = sizeof nc_litmus_tests / sizeof *nc_litmus_tests;

int nc_litmus_parse(const char *text, nc_litmus_op ops[NC_LITMUS_OPS])
{
    static const char kinds[] = "WRSTIG";
    unsigned registers = 0;
    int count = 0;
    memset(ops, 0, NC_LITMUS_OPS * sizeof *ops);
    for (const char *c = text; c && *c;) {
        if (*c == ' ') {
            c++;
            continue;
        }
        if (count == NC_LITMUS_OPS || !strchr(kinds, *c)) return -1;
        nc_litmus_op *op = &ops[count++];
        op->kind = *c++;
        if (op->kind == 'S') continue;
        if (*c < 'x' || *c >= 'x' + NC_LITMUS_WORDS) return -1;
        op->word = (uint8_t)(*c++ - 'x');
        if (op->kind != 'W') {
            if (registers == NC_LITMUS_REGISTERS) return -1;
            op->operand = (uint8_t)registers++;
        } else if (*c >= '1' && *c <= '3') op->operand = (uint8_t)(*c++ - '0');
        else return -1;
    }
    return count;
}

/* A state fits into one word, so that those seen are known: of each thread the operations executed and those of them
 * that have left its buffer, what the NI has read, and what is known of the outcome. Requests to the NI wait in the
 * order in which they have left the buffers: at most two, thread and operation of each. */
typedef struct state {
    uint8_t done[NC_LITMUS_THREADS], left[2];
    uint8_t asked, ask[2]; /* thread << 4 | operation */
    nc_outcome outcome;
} state;

enum { SEEN = 1 << 14 };

typedef struct search {
    const nc_memory_model *model;
    nc_litmus_op op[NC_LITMUS_THREADS][NC_LITMUS_OPS];
    int ops[NC_LITMUS_THREADS];
    uint64_t seen[SEEN]; /* hashed; 0: free */
    unsigned states;
    nc_outcome *allowed;
    int found;
} search;

static uint64_t key(const state *s)
{
    uint64_t k = s->outcome;
    for (unsigned t = 0; t < NC_LITMUS_THREADS; t++) k = k << 3 | s->done[t];
    for (unsigned t = 0; t < 2; t++) k = k << 3 | s->left[t];
    return ((k << 2 | s->asked) << 8 | (uint64_t)(s->ask[0] & 15) << 4 | (s->ask[1] & 15)) + 1;
}

/* 1: not seen before. */
static int is_new(search *f, const state *s)
{
    uint64_t k = key(s);
    for (unsigned i = (unsigned)(k * 0x9e3779b97f4a7c15u >> 50);; i = (i + 1) % SEEN) {
        if (f->seen[i] == k) return 0;
        if (f->seen[i]) continue;
        if (++f->states == SEEN) f->found = -1;
        f->seen[i] = k;
        return 1;
    }
}

static unsigned word(const state *s, unsigned w) { return nc_outcome_word(s->outcome, w); }
static void set(state *s, unsigned place, unsigned value)
{
    s->outcome = (s->outcome & ~(3u << 2 * place)) | (value & 3) << 2 * place;
}
static void set_word(state *s, unsigned w, unsigned value) { set(s, 2 * NC_LITMUS_REGISTERS + w, value); }
static void set_register(state *s, unsigned t, const nc_litmus_op *op, unsigned value)
{
    set(s, t * NC_LITMUS_REGISTERS + op->operand, value);
}
static int is_buffered(const nc_litmus_op *op) { return op->kind == 'W' || op->kind == 'G'; }

static unsigned in_buffer(const search *f, const state *s, unsigned t)
{
    unsigned n = 0;
    for (unsigned i = s->left[t]; i < s->done[t]; i++) n += (unsigned)is_buffered(&f->op[t][i]);
    return n;
}

static void visit(search *f, const state *from);

/* The oldest of the buffer leaves it; what is no store is no longer there. */
static void leave(search *f, const state *from, unsigned t)
{
    state s = *from;
    while (!is_buffered(&f->op[t][s.left[t]])) s.left[t]++;
    unsigned number = s.left[t]++;
    const nc_litmus_op *op = &f->op[t][number];
    if (op->kind == 'W') set_word(&s, op->word, op->operand);
    else if (s.asked == 2) return;
    else s.ask[s.asked++] = (uint8_t)(t << 3 | number);
    visit(f, &s);
}

static void execute(search *f, const state *from, unsigned t)
{
    state s = *from;
    const nc_litmus_op *op = &f->op[t][s.done[t]++];
    unsigned waiting = t < 2 ? in_buffer(f, from, t) : 0;
    if (t == 2) set_word(&s, op->word, op->operand);
    else if (is_buffered(op)) {
        if (f->model->store_buffer == 0) return leave(f, &s, t);
        if (waiting == f->model->store_buffer) return;
    } else if (op->kind == 'R') {
        unsigned value = word(&s, op->word);
        for (unsigned i = s.left[t]; i + 1 < s.done[t]; i++)
            if (f->op[t][i].kind == 'W' && f->op[t][i].word == op->word) value = f->op[t][i].operand;
        set_register(&s, t, op, value);
    } else if (waiting) return;
    else if (op->kind != 'S') {
        set_register(&s, t, op, word(&s, op->word));
        set_word(&s, op->word, op->kind == 'T' ? 3 : word(&s, op->word) + 1);
    }
    visit(f, &s);
}

static void read_by_ni(search *f, const state *from)
{
    state s = *from;
    unsigned t = s.ask[0] >> 3;
    const nc_litmus_op *op = &f->op[t][s.ask[0] & 7];
    set_register(&s, t, op, word(&s, op->word));
    s.ask[0] = s.ask[1];
    s.ask[1] = 0;
    s.asked--;
    visit(f, &s);
}

static void note(search *f, nc_outcome outcome)
{
    for (int i = 0; i < f->found; i++)
        if (f->allowed[i] == outcome) return;
    if (f->found == NC_LITMUS_SETS) f->found = -1;
    else f->allowed[f->found++] = outcome;
}

static void visit(search *f, const state *s)
{
    int over = 1;
    if (f->found < 0 || !is_new(f, s)) return;
    for (unsigned t = 0; t < NC_LITMUS_THREADS; t++) {
        if (s->done[t] < f->ops[t]) execute(f, s, t), over = 0;
        if (t < 2 && in_buffer(f, s, t)) leave(f, s, t), over = 0;
    }
    if (s->asked) read_by_ni(f, s), over = 0;
    if (over && f->found >= 0) note(f, s->outcome);
}

int nc_litmus_allowed(const nc_litmus_test *test, const nc_memory_model *model, nc_outcome allowed[NC_LITMUS_SETS])
{
    search *f = calloc(1, sizeof *f);
    int found = -1;
    if (!f) return -1;
    f->model = model;
    f->allowed = allowed;
    for (unsigned t = 0; t < NC_LITMUS_THREADS; t++)
        if ((f->ops[t] = nc_litmus_parse(test->thread[t], f->op[t])) < 0) goto end;
    visit(f, &(state){0});
    found = f->found;
end:
    free(f);
    return found;
}
