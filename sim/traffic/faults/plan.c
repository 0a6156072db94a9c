/* Text to a plan. */
#include "sim/traffic/faults/plan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/faults/classes.h"

struct parser {
    const char *text, *at; /* at: behind the word */
    const char *word;      /* the word being looked at; empty at the end of a fault */
    size_t length;
    unsigned nodes;
    int has_switch;
    char *error;
};

/* ---- words ---- */

static void next(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
    p->word = p->at;
    while (*p->at && *p->at != ';' && !isspace((unsigned char)*p->at)) p->at++;
    p->length = (size_t)(p->at - p->word);
}

static int is(const struct parser *p, const char *word)
{
    return strlen(word) == p->length && !strncmp(p->word, word, p->length);
}

__attribute__((format(printf, 2, 3))) static int expected(const struct parser *p, const char *format, ...)
{
    char list[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(list, sizeof list, format, arguments);
    va_end(arguments);
    snprintf(p->error, FAULT_ERROR, "column %u: %s%.*s%s, expected %s", (unsigned)(p->word - p->text) + 1, p->length ? "'" : "",
             p->length ? (int)p->length : 3, p->length ? p->word : "end", p->length ? "'" : "", list);
    return -1;
}

/* ---- numbers ---- */

/* A number at the beginning of the word, its suffix behind it; NULL if there is none. */
static const char *number(const struct parser *p, double *value)
{
    char text[32], *end;
    if (p->length >= sizeof text || !p->length) return NULL;
    memcpy(text, p->word, p->length);
    text[p->length] = '\0';
    if (!isdigit((unsigned char)text[text[0] == '+' || text[0] == '-'])) return NULL;
    *value = strtod(text, &end);
    return p->word + (end - text);
}

static int suffix(const struct parser *p, const char *from, const char *text)
{
    size_t length = (size_t)(p->word + p->length - from);
    return strlen(text) == length && !strncmp(from, text, length);
}

/* 1: a time, 0: the word is none. */
static int is_time(const struct parser *p, sim_time *time)
{
    double value;
    const char *from = number(p, &value);
    if (!from || value < 0) return 0;
    if (suffix(p, from, "ns")) value *= (double)SIM_NS;
    else if (suffix(p, from, "us")) value *= (double)SIM_US;
    else if (suffix(p, from, "ms")) value *= (double)SIM_MS;
    else return 0;
    if (value > 1e18) return 0;
    *time = (sim_time)(value + 0.5);
    return 1;
}

/* A time behind a word that wants one. */
static int take_time(struct parser *p, sim_time least, sim_time *time)
{
    next(p);
    if (!is_time(p, time) || *time < least) return expected(p, "a time%s, as 20us (ns, us, ms)", least ? " above 0" : "");
    next(p);
    return 0;
}

static int is_count(const struct parser *p, uint64_t *count)
{
    double value;
    const char *from = number(p, &value);
    if (!from || !suffix(p, from, "") || value < 1 || value > 1e15 || value != (double)(uint64_t)value) return 0;
    *count = (uint64_t)value;
    return 1;
}

/* ---- the parts of a fault ---- */

/* Adds a name to a list "a, b or c" unless it is there. */
static void add_name(char *list, size_t size, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ',')) return;
    snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? ", " : "", name);
}

static int take_class(struct parser *p, fault *f)
{
    char list[160] = "";
    for (unsigned i = 0; i < fault_class_count; i++) {
        add_name(list, sizeof list, fault_classes[i].name);
        if (is(p, fault_classes[i].name) && !f->class) f->class = &fault_classes[i];
    }
    if (!f->class) return expected(p, "one of %s", list);
    next(p);
    return 0;
}

/* "node3" or "host3" at the beginning: behind it, NULL if it is not that or not such a node. */
static const char *node_at(const struct parser *p, const char *at, const char *name, unsigned *node)
{
    size_t n = strlen(name);
    char *end;
    if (strncmp(at, name, n) || !isdigit((unsigned char)at[n])) return NULL;
    unsigned long value = strtoul(at + n, &end, 10);
    if (value >= p->nodes || end > p->word + p->length) return NULL;
    *node = (unsigned)value;
    return end;
}

static int place_is(const struct parser *p, fault *f)
{
    const char *end = p->word + p->length, *at;
    unsigned other;
    if (f->class->place != FAULT_AT_LINK) return node_at(p, p->word, f->class->place == FAULT_AT_HOST ? "host" : "node", &f->node) == end;
    f->directions = FAULT_OUT | FAULT_IN;
    if (p->has_switch && p->length > 7 && !strncmp(p->word, "switch>", 7)) {
        f->directions = FAULT_IN;
        return node_at(p, p->word + 7, "node", &f->node) == end;
    }
    at = node_at(p, p->word, "node", &f->node);
    if (at && end - at > 5 && !strncmp(at, ".link", 5) && isdigit((unsigned char)at[5])) {
        size_t digits = strspn(at + 5, "0123456789");
        if (digits > 2) return 0;
        f->link = atoi(at + 5);
        at += 5 + digits;
        if (at > end) return 0;
    }
    if (!at || at == end) return at == end;
    f->directions = FAULT_OUT;
    if (*at++ != '>') return 0;
    if (p->has_switch) return end - at == 6 && !strncmp(at, "switch", 6);
    return node_at(p, at, "node", &other) == end && other != f->node;
}

static int take_place(struct parser *p, fault *f)
{
    if (!place_is(p, f)) {
        const char *name = f->class->place == FAULT_AT_HOST ? "host" : "node";
        if (f->class->place != FAULT_AT_LINK) return expected(p, "%s0..%s%u", name, name, p->nodes - 1);
        if (!p->has_switch) return expected(p, "node0, node1, node0>node1 or node1>node0");
        return expected(p, "a cable: nodeN, nodeN>switch or switch>nodeN, N 0..%u", p->nodes - 1);
    }
    next(p);
    return 0;
}

static int take_kind(struct parser *p, fault *f)
{
    char list[160] = "";
    const char *name = f->class->name;
    if (!f->class->kind) return 0;
    for (unsigned i = 0; i < fault_class_count; i++) {
        const fault_class *c = &fault_classes[i];
        if (strcmp(c->name, name)) continue;
        add_name(list, sizeof list, c->kind);
        if (!is(p, c->kind)) continue;
        f->class = c;
        next(p);
        return 0;
    }
    return expected(p, "one of %s", list);
}

static int take_value(struct parser *p, fault *f)
{
    sim_time time;
    if (f->class->value == FAULT_VALUE_PPM) {
        const char *from = number(p, &f->value);
        if (!from || !suffix(p, from, "") || f->value < -200 || f->value > 200) return expected(p, "ppm from -200 to +200");
        next(p);
    } else if (f->class->value == FAULT_VALUE_TIME) {
        if (!is_time(p, &time) || !time) return expected(p, "a time above 0, as 20us (ns, us, ms)");
        f->value = (double)time / (double)SIM_US;
        next(p);
    }
    return 0;
}

/* What "every" and "random" take. */
static int take_distance(struct parser *p, fault *f)
{
    const char *unit = f->class->unit;
    next(p);
    if (is_time(p, &f->time) && f->time) {
        next(p);
        return 0;
    }
    if (!unit || !is_count(p, &f->number))
        return unit ? expected(p, "a time above 0 (ns, us, ms) or a number of %s", unit) : expected(p, "a time above 0 (ns, us, ms)");
    next(p);
    if (is(p, unit)) next(p);
    return 0;
}

static int take_when(struct parser *p, fault *f)
{
    double value;
    const char *percent = number(p, &value);
    int parts = f->class->unit != NULL;
    if (f->class->value == FAULT_VALUE_PPM) return 0;
    if (is(p, "at")) {
        f->when = FAULT_AT;
        f->times = 1;
        return take_time(p, 0, &f->time);
    }
    if (is(p, "every") || is(p, "random")) {
        f->when = is(p, "every") ? FAULT_EVERY : FAULT_RANDOM;
        return take_distance(p, f);
    }
    if (parts && percent && suffix(p, percent, "%") && value > 0 && value <= 100) {
        f->when = FAULT_PART;
        f->part = value / 100;
        next(p);
        return 0;
    }
    return expected(p, "at, every%s random%s", parts ? "," : " or", parts ? " or a percentage above 0%" : "");
}

/* How long one that lasts does. */
static int take_length(struct parser *p, fault *f)
{
    struct parser after = *p;
    next(&after);
    if (!is(&after, "ever") || f->when != FAULT_AT || f->class->place != FAULT_AT_LINK) return take_time(p, 1, &f->length);
    f->length = SIM_FOREVER;
    *p = after;
    next(p);
    return 0;
}

static int take_options(struct parser *p, fault *f)
{
    while (p->length) {
        if (is(p, "for") && f->class->timed) {
            if (take_length(p, f)) return -1;
        } else if (is(p, "from") && f->when != FAULT_AT && f->when != FAULT_ALWAYS) {
            if (take_time(p, 0, &f->from)) return -1;
        } else if (is(p, "times") && f->when != FAULT_ALWAYS) {
            next(p);
            if (!is_count(p, &f->times)) return expected(p, "a number of times");
            next(p);
        } else {
            return expected(p, f->when == FAULT_ALWAYS ? "; or the end" : "%s%stimes, ; or the end", f->class->timed ? "for, " : "",
                            f->when == FAULT_AT ? "" : "from, ");
        }
    }
    if (f->class->timed && !f->length) return expected(p, "for and how long");
    return 0;
}

static int take_fault(struct parser *p, fault *f)
{
    const char *begin;
    next(p);
    begin = p->word;
    *f = (fault){.link = -1, .times = UINT64_MAX};
    if (take_class(p, f) || take_place(p, f) || take_kind(p, f) || take_value(p, f) || take_when(p, f) || take_options(p, f)) return -1;
    size_t length = (size_t)(p->at - begin);
    while (length && isspace((unsigned char)begin[length - 1])) length--;
    snprintf(f->text, sizeof f->text, "%.*s", (int)length, begin);
    return 0;
}

int fault_is_lossy(const fault *f)
{
    /* a read takes some time by itself, too */
    int in_time = f->class->timer && f->class->value == FAULT_VALUE_TIME && f->value < 0.9 * FAULT_TIMER_US;
    return f->class->lossy && !in_time;
}

int fault_plan_read(const char *text, unsigned nodes, int has_switch, fault_plan *plan, char error[FAULT_ERROR])
{
    struct parser p = {.text = text, .at = text, .nodes = nodes, .has_switch = has_switch, .error = error};
    *plan = (fault_plan){0};
    do {
        if (plan->count == FAULT_PLAN_MOST) {
            next(&p);
            return expected(&p, "at most %d faults", FAULT_PLAN_MOST);
        }
        fault *f = &plan->fault[plan->count];
        if (take_fault(&p, f)) return -1;
        plan->count++;
        plan->lossy |= fault_is_lossy(f);
    } while (*p.at && *p.at++ == ';');
    return 0;
}

/* ---- help ---- */

void fault_plan_help(FILE *out)
{
    static const char *const places[] = {"CABLE", "nodeN", "hostN"};
    static const char *const values[] = {"", " PPM", " TIME"};
    for (unsigned i = 0; i < fault_class_count; i++) {
        const fault_class *c = &fault_classes[i];
        char words[64];
        snprintf(words, sizeof words, "%s %s%s%s%s", c->name, places[c->place], c->kind ? " " : "", c->kind ? c->kind : "",
                 values[c->value]);
        fprintf(out, "  %-28s %s%s%s%s\n", words, c->text, c->unit ? "; counts " : "", c->unit ? c->unit : "",
                c->timed ? "; for TIME" : "");
    }
}
