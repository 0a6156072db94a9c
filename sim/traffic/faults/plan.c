/* Text to a plan. */
#include "sim/traffic/faults/plan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/traffic/faults/classes.h"

enum { WORD = 40 /* letters of a word that an error repeats */ };

struct parser {
    const char *text, *at; /* at: behind the word */
    const char *word;      /* the word being looked at; empty at the end of a fault */
    size_t length;
    const fault_system *system;
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
    snprintf(p->error, FAULT_ERROR, "column %u: %s%.*s%s, expected %s", (unsigned)(p->word - p->text) + 1,
             p->length ? "'" : "", p->length ? (int)(p->length < WORD ? p->length : WORD) : 3,
             p->length ? p->word : "end", p->length ? "'" : "", list);
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
    const size_t sign = !isdigit((unsigned char)*text), plain = sign + strspn(text + sign, "0123456789.");
    return plain == (size_t)(end - text) ? p->word + plain : NULL; /* 0x10 and 1e3 are no numbers of a plan */
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

/* A time behind a word that takes one. */
static int take_time(struct parser *p, sim_time least, sim_time *time)
{
    next(p);
    if (!is_time(p, time) || *time < least)
        return expected(p, "a time%s, as 20us (ns, us, ms)", least ? " above 0" : "");
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

/* Adds a name to a list "a, b or c" unless the list has it. */
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
    for (const fault_class *c = p->system->classes; c < p->system->classes + p->system->count; c++) {
        add_name(list, sizeof list, c->name);
        if (is(p, c->name) && !f->class) f->class = c;
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
    const enum fault_place place = f->class->place;
    unsigned other;
    if (place == FAULT_AT_END) {
        for (unsigned i = 0; i < 2; i++)
            if (is(p, p->system->ends[i]) || is(p, "line")) f->directions |= 1 << (f->node = i);
        return f->directions;
    }
    if (place == FAULT_AT_GUEST) {
        struct parser from_1 = *p;
        from_1.nodes++;
        return node_at(&from_1, p->word, "host", &f->node) == end && f->node-- > 0;
    }
    if (place >= FAULT_AT_SEAT && is(p, "target")) return 1;
    if (place != FAULT_AT_LINK)
        return place != FAULT_AT_TARGET &&
               node_at(p, p->word, place == FAULT_AT_NODE ? "node" : "host", &f->node) == end;
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
        const enum fault_place place = f->class->place;
        const char *name = place == FAULT_AT_HOST ? "host" : "node";
        if (place == FAULT_AT_END) return expected(p, "%s, %s or line", p->system->ends[0], p->system->ends[1]);
        if (place >= FAULT_AT_SEAT)
            return expected(p, place == FAULT_AT_SEAT ? "target or host0..host%u" : "target", p->nodes - 1);
        if (place == FAULT_AT_GUEST) return expected(p, "host1..host%u", p->nodes);
        if (place != FAULT_AT_LINK) return expected(p, "%s0..%s%u", name, name, p->nodes - 1);
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
    for (const fault_class *c = p->system->classes; c < p->system->classes + p->system->count; c++) {
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
        if (!from || !suffix(p, from, "") || f->value < -200 || f->value > 200)
            return expected(p, "ppm from -200 to +200");
        next(p);
    } else if (f->class->value == FAULT_VALUE_TIME) {
        if (!is_time(p, &time) || !time) return expected(p, "a time above 0, as 20us (ns, us, ms)");
        f->value = (double)time / (double)SIM_US;
        next(p);
    }
    return 0;
}

/* Arguments of "every" and "random". */
static int take_distance(struct parser *p, fault *f)
{
    const char *unit = f->class->unit;
    next(p);
    if (is_time(p, &f->time) && f->time) {
        next(p);
        return 0;
    }
    if (!unit || !is_count(p, &f->number))
        return unit ? expected(p, "a time above 0 (ns, us, ms) or a number of %s", unit)
                    : expected(p, "a time above 0 (ns, us, ms)");
    next(p);
    if (is(p, unit)) next(p);
    return 0;
}

/* "17" or "10..20". */
static int is_range(const struct parser *p, fault *f)
{
    char *end;
    if (!isdigit((unsigned char)*p->word)) return 0;
    f->number = f->last = strtoull(p->word, &end, 10);
    if (!strncmp(end, "..", 2) && isdigit((unsigned char)end[2])) f->last = strtoull(end + 2, &end, 10);
    return end == p->word + p->length && f->last >= f->number && f->last <= 1000000000000000;
}

static unsigned whens(const fault_class *c)
{
    return c->whens ? c->whens : 1 << FAULT_AT | 1 << FAULT_EVERY | 1 << FAULT_RANDOM | (c->unit != NULL) << FAULT_PART;
}

static int take_when(struct parser *p, fault *f)
{
    double value;
    const char *percent = number(p, &value);
    const unsigned may = whens(f->class), numbered = may >> FAULT_NUMBERED & 1;
    if (f->class->value == FAULT_VALUE_PPM) return 0;
    if (is(p, "at") && may >> FAULT_AT & 1) {
        f->when = FAULT_AT;
        f->times = 1;
        return take_time(p, 0, &f->time);
    }
    if ((is(p, "every") || is(p, "random")) && may >> FAULT_EVERY & 1) {
        f->when = is(p, "every") ? FAULT_EVERY : FAULT_RANDOM;
        return take_distance(p, f);
    }
    if (may >> FAULT_PART & 1 && percent && suffix(p, percent, "%") && value >= 0 && value <= 100 &&
        (value > 0 || numbered)) {
        f->when = FAULT_PART;
        f->part = value / 100;
        next(p);
        return 0;
    }
    if (numbered && is_range(p, f)) {
        f->when = FAULT_NUMBERED;
        next(p);
        return 0;
    }
    if (numbered) return expected(p, "frames such as 17 or 10..20, or a percentage");
    if (!(may >> FAULT_EVERY & 1)) return expected(p, "at");
    return expected(p, "at, every%s random%s", f->class->unit ? "," : " or",
                    f->class->unit ? " or a percentage above 0%" : "");
}

/* How long one that lasts does. */
static int take_length(struct parser *p, fault *f)
{
    struct parser after = *p;
    next(&after);
    if (!is(&after, "ever") || f->when != FAULT_AT || !f->class->ever) return take_time(p, 1, &f->length);
    f->length = SIM_FOREVER;
    *p = after;
    next(p);
    return 0;
}

static int take_options(struct parser *p, fault *f)
{
    const fault_class *c = f->class;
    const int from = !c->whens && f->when != FAULT_AT && f->when != FAULT_ALWAYS;
    const int times = f->when != FAULT_ALWAYS && (!c->whens || (c->unit && f->when == FAULT_AT)),
              with = f->when == FAULT_NUMBERED && c->with;
    int has = 0;
    while (p->length) {
        double value;
        if (is(p, "for") && c->timed) {
            if (take_length(p, f)) return -1;
        } else if (is(p, "from") && from) {
            if (take_time(p, 0, &f->from)) return -1;
        } else if (is(p, "times") && times) {
            next(p);
            if (!is_count(p, &f->times) || (c->most && f->times > c->most))
                return c->most ? expected(p, "a number of times, 1 to %u", c->most) : expected(p, "a number of times");
            next(p);
        } else if (with && is(p, c->with)) {
            next(p);
            const char *end = number(p, &value);
            if (!end || !suffix(p, end, "") || value < c->least || value > 1e9 || value != (double)(uint64_t)value)
                return expected(p, "a number, %u or more", c->least);
            f->which = (uint64_t)value;
            has = 1;
            next(p);
        } else {
            return expected(p, "%s%s%s%s%s; or the end", c->timed ? "for, " : "", from ? "from, " : "",
                            times ? "times, " : "", with ? c->with : "", with ? ", " : "");
        }
    }
    if (with && !has) return expected(p, "%s and a number", c->with);
    if (c->timed && !f->length && !(f->length = c->lasts)) return expected(p, "for and how long");
    return 0;
}

static int take_fault(struct parser *p, fault *f)
{
    const char *begin;
    next(p);
    begin = p->word;
    *f = (fault){.link = -1, .times = UINT64_MAX};
    if (take_class(p, f) || take_place(p, f) || take_kind(p, f) || take_value(p, f) || take_when(p, f) ||
        take_options(p, f))
        return -1;
    size_t length = (size_t)(p->at - begin);
    while (length && isspace((unsigned char)begin[length - 1])) length--;
    snprintf(f->text, sizeof f->text, "%.*s", (int)length, begin);
    return 0;
}

int fault_is_lossy(const fault *f)
{
    /* a read itself takes some time */
    int in_time = f->class->timer && f->class->value == FAULT_VALUE_TIME && f->value < 0.9 * FAULT_TIMER_US;
    return f->class->lossy && !in_time;
}

int fault_plan_read_for(const fault_system *system, const char *text, unsigned nodes, int has_switch, fault_plan *plan,
                        char error[FAULT_ERROR])
{
    struct parser p = {
        .text = text, .at = text, .system = system, .nodes = nodes, .has_switch = has_switch, .error = error};
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

int fault_plan_read(const char *text, unsigned nodes, int has_switch, fault_plan *plan, char error[FAULT_ERROR])
{
    return fault_plan_read_for(&fault_nic, text, nodes, has_switch, plan, error);
}

int fault_plan_asked(const fault_system *system, const char *text, unsigned nodes, fault_plan *plan, char *error)
{
    *plan = (fault_plan){0};
    if (text && !strcmp(text, "help")) {
        fault_plan_help(system, stdout);
        exit(0);
    }
    if (!text || !fault_plan_read_for(system, text, nodes, 0, plan, error + strlen("faults: "))) return 0;
    memcpy(error, "faults: ", strlen("faults: "));
    return -1;
}

/* ---- help ---- */

void fault_plan_help(const fault_system *system, FILE *out)
{
    static const char *const places[] = {"CABLE", "nodeN", "hostN", "END", "HOST", "target"};
    static const char *const values[] = {"", " PPM", " TIME"};
    fprintf(out, "%s:\n", system->heading);
    for (const fault_class *c = system->classes; c < system->classes + system->count; c++) {
        char words[64];
        snprintf(words, sizeof words, "%s %s%s%s%s", c->name, places[c->place], c->kind ? " " : "",
                 c->kind ? c->kind : "", values[c->value]);
        fprintf(out, "  %-28s %s%s%s%s%s%s\n", words, c->text, c->unit ? "; counts " : "", c->unit ? c->unit : "",
                c->with ? "; with " : "", c->with ? c->with : "", c->timed ? "; for TIME" : "");
    }
}
