#include "sim/core/kernel/event.h"
#include "sim/core/kernel/kernel.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST = 3, NAME = 200, NESTED = 100 /* ( ! ~ within each other */, STEPS = 1000 };

/* An expression in the order in which a stack computes it. */
typedef struct {
    enum {
        NUMBER,
        SIGNAL,
        NOT,
        INVERT,
        LESS,
        LESS_EQUAL,
        GREATER,
        GREATER_EQUAL,
        EQUAL,
        UNEQUAL,
        AND,
        OR,
        BOTH,
        EITHER
    } what;
    uint64_t value; /* of a number; of a signal: which */
} step;

/* A signal as it is written. */
typedef struct {
    char *name;         /* with what may be an index of an array or select bits */
    size_t plain;       /* length without that */
    unsigned high, low; /* bits that are selected */
    bool selects;
    uint32_t signal; /* 0: not found */
    unsigned bits;
    struct {
        char name[NAME];
        unsigned distance;
    } near[NEAREST];
} operand;

struct event {
    LIST(step) steps;
    LIST(operand) operands;
    LIST(uint32_t) signals;
    const char *text, *at; /* while it is read */
    unsigned nested;
    char *error;
};

/* ---- reading ---- */

static bool wrong(event *e, const char *expected)
{
    if (!*e->error)
        snprintf(e->error, EVENT_ERROR, "%.200s: expected %s%s%.20s", e->text, expected,
                 *e->at ? " before " : " at its end", e->at);
    return false;
}

static void skip_space(event *e)
{
    while (isspace((unsigned char)*e->at)) e->at++;
}

static bool take(event *e, const char *text)
{
    skip_space(e);
    if (strncmp(e->at, text, strlen(text))) return false;
    e->at += strlen(text);
    return true;
}

static void add(event *e, int what, uint64_t value) { *list_add(&e->steps) = (step){what, value}; }

static bool read_number(event *e, uint64_t *value)
{
    char *end;
    skip_space(e);
    if (!isdigit((unsigned char)*e->at)) return wrong(e, "a number");
    errno = 0;
    *value = strtoull(e->at, &end, e->at[1] == 'x' || e->at[1] == 'X' ? 16 : 10); /* 010 is ten */
    if (errno) return wrong(e, "a number of up to 64 bits");
    if (isalnum((unsigned char)*end) || *end == '_' || *end == '\'') return wrong(e, "a number such as 12 or 0x1f");
    e->at = end;
    return true;
}

/* A number of a bit between spaces; NULL: it is none. */
static const char *read_bit(const char *at, unsigned *bit)
{
    at += strspn(at, " ");
    size_t digits = strspn(at, "0123456789");
    if (!digits || digits > 6) return NULL;
    *bit = (unsigned)strtoul(at, NULL, 10);
    return at + digits + strspn(at + digits, " ");
}

/* A name with dots; [..] within it belongs to it if a dot follows. */
static bool read_signal(event *e)
{
    const char *begin = e->at, *end = begin, *plain = NULL;
    for (;;) {
        while (isalnum((unsigned char)*end) || *end == '_' || *end == '.' || *end == '$') end++;
        size_t index = *end == '[' ? 1 + strspn(end + 1, "0123456789: ") : 0;
        plain = end;
        if (!index) break;
        if (end[index] != ']') {
            e->at = end + index;
            return wrong(e, "]");
        }
        end += index + 1;
        if (*end != '.') break;
    }
    operand o = {.name = new_zeroed((size_t)(end - begin) + 1), .plain = (size_t)(plain - begin)};
    memcpy(o.name, begin, (size_t)(end - begin));
    *list_add(&e->operands) = o;
    operand *last = &e->operands.at[e->operands.count - 1];
    if (plain < end) {
        const char *behind = read_bit(plain + 1, &last->high);
        last->low = last->high;
        if (behind && *behind == ':') behind = read_bit(behind + 1, &last->low);
        e->at = plain;
        if (!behind || *behind != ']' || last->low > last->high || last->high - last->low > 63)
            return wrong(e, "a bit, or up to 64 of them as [high:low],");
        last->selects = true;
    }
    e->at = end;
    add(e, SIGNAL, e->operands.count - 1);
    return true;
}

static bool read_any(event *e, unsigned level);
static bool read_one(event *e);

static bool read_nested(event *e)
{
    if (++e->nested > NESTED) return wrong(e, "no more than 100 of ( ! ~ within each other");
    bool good = true;
    if (*e->at == '(') {
        e->at++;
        good = read_any(e, 0) && (take(e, ")") || wrong(e, ")"));
    } else {
        int what = *e->at++ == '!' ? NOT : INVERT;
        good = read_one(e);
        add(e, what, 0);
    }
    e->nested--;
    return good;
}

static bool read_one(event *e)
{
    uint64_t value = 0;
    skip_space(e);
    if (e->steps.count >= STEPS) return wrong(e, "no more than 1000 signals, numbers and operators");
    if (*e->at && strchr("(!~", *e->at)) return read_nested(e);
    if (isdigit((unsigned char)*e->at)) {
        if (!read_number(e, &value)) return false;
        add(e, NUMBER, value);
        return true;
    }
    if (isalpha((unsigned char)*e->at) || *e->at == '_') return read_signal(e);
    return wrong(e, "a signal or a number");
}

/* Operators of a level bind less than those of the next. Longer ones stand before those that they begin with. */
static const struct {
    const char *text;
    unsigned level;
    int what;
} operators[] = {{"||", 0, EITHER},        {"&&", 1, BOTH},    {"|", 2, OR},          {"&", 3, AND},
                 {"==", 4, EQUAL},         {"!=", 4, UNEQUAL}, {"<=", 5, LESS_EQUAL}, {"<", 5, LESS},
                 {">=", 5, GREATER_EQUAL}, {">", 5, GREATER}};
enum { OPERATORS = sizeof operators / sizeof operators[0], LEVELS = 6 };

/* The operator that comes, OPERATORS: none of this level. */
static size_t read_operator(event *e, unsigned level)
{
    skip_space(e);
    for (size_t i = 0; i < OPERATORS; i++) {
        if (strncmp(e->at, operators[i].text, strlen(operators[i].text))) continue;
        if (operators[i].level != level) return OPERATORS;
        e->at += strlen(operators[i].text);
        return i;
    }
    return OPERATORS;
}

static bool read_any(event *e, unsigned level)
{
    if (level == LEVELS) return read_one(e);
    if (!read_any(e, level + 1)) return false;
    for (size_t i; (i = read_operator(e, level)) < OPERATORS;) {
        if (!read_any(e, level + 1)) return false;
        add(e, operators[i].what, 0);
    }
    return true;
}

event *event_new(const char *text, char error[EVENT_ERROR])
{
    event *e = new_zeroed(sizeof *e);
    e->text = e->at = text;
    e->error = error;
    *error = '\0';
    bool good = read_any(e, 0);
    skip_space(e);
    if (good && *e->at) good = wrong(e, "an operator (== != < <= > >= & | && ||)");
    if (good && !e->operands.count) good = wrong(e, "a signal, nic0.pci_rst_n for instance,");
    if (good) return e;
    event_free(e);
    return NULL;
}

void event_free(event *e)
{
    if (!e) return;
    for (size_t i = 0; i < e->operands.count; i++) free(e->operands.at[i].name);
    list_free(&e->operands);
    list_free(&e->steps);
    list_free(&e->signals);
    free(e);
}

/* ---- finding its signals ---- */

/* How many letters must change. */
static unsigned distance(const char *a, const char *b)
{
    size_t n = strlen(b);
    unsigned row[NAME + 1];
    if (n > NAME || strlen(a) > NAME) return NAME;
    for (size_t k = 0; k <= n; k++) row[k] = (unsigned)k;
    for (size_t i = 1; a[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t k = 1; k <= n; k++) {
            unsigned least = corner + (a[i - 1] != b[k - 1]);
            corner = row[k];
            if (row[k] + 1 < least) least = row[k] + 1;
            if (row[k - 1] + 1 < least) least = row[k - 1] + 1;
            row[k] = least;
        }
    }
    return row[n];
}

static void remember_near(operand *o, const char *name)
{
    char asked[NAME];
    snprintf(asked, sizeof asked, "%.*s", (int)o->plain, o->name);
    unsigned d = 1 + distance(asked, name);
    for (int i = 0; i < NEAREST; i++) {
        if (!strcmp(o->near[i].name, name)) return;
        if (o->near[i].distance && o->near[i].distance <= d) continue;
        memmove(&o->near[i + 1], &o->near[i], (size_t)(NEAREST - 1 - i) * sizeof o->near[0]);
        snprintf(o->near[i].name, NAME, "%s", name);
        o->near[i].distance = d;
        return;
    }
}

int event_offer(event *e, const char *group, const char *name, uint32_t signal, unsigned bits)
{
    char full[NAME], without[NAME], by_group[NAME];
    int looked = 0;
    snprintf(full, sizeof full, "%s", name);
    full[strcspn(full, " ")] = '\0';
    char *inside = strchr(full, '.'), *instance = inside ? strchr(inside + 1, '.') : NULL;
    if (!inside) return 0;
    if (!instance) instance = inside; /* of the model itself */
    snprintf(without, sizeof without, "%.*s%s", (int)(inside - full), full, instance);
    snprintf(by_group, sizeof by_group, "%s%s", group, instance);
    for (size_t i = 0; i < e->operands.count; i++) {
        operand *o = &e->operands.at[i];
        for (int k = 0; k < 3; k++) {
            const char *other = k == 0 ? full : k == 1 ? without : by_group;
            bool whole = !strcmp(o->name, other),
                 plain = strlen(other) == o->plain && !strncmp(o->name, other, o->plain);
            if (whole) o->selects = false; /* one of an array */
            if (!whole && !plain) continue;
            o->signal = signal;
            o->bits = bits;
            looked = 1;
        }
        if (!o->signal) remember_near(o, without);
    }
    return looked;
}

int event_complete(event *e, char error[EVENT_ERROR])
{
    for (size_t i = 0; i < e->operands.count; i++) {
        operand *o = &e->operands.at[i];
        if (!o->signal) {
            int n = snprintf(error, EVENT_ERROR, "no signal %.*s; the nearest are",
                             o->plain < NAME ? (int)o->plain : NAME, o->name);
            for (int k = 0; k < NEAREST && o->near[k].distance && n < EVENT_ERROR; k++)
                n += snprintf(error + n, (size_t)(EVENT_ERROR - n), "%s %s", k ? "," : "", o->near[k].name);
            return -1;
        }
        if (!o->selects) {
            o->high = (o->bits > 64 ? 64 : o->bits) - 1;
            o->low = 0;
        }
        if (o->high >= o->bits || (!o->selects && o->bits > 64)) {
            snprintf(error, EVENT_ERROR, "%s has %u bits: expected some of them, [%u:0] for instance", o->name, o->bits,
                     o->bits > 64 ? 63u : o->bits - 1);
            return -1;
        }
        *list_add(&e->signals) = o->signal;
    }
    return 0;
}

const uint32_t *event_signals(const event *e, size_t *count)
{
    *count = e->signals.count;
    return e->signals.at;
}

/* ---- computing ---- */

static uint64_t compute(int what, uint64_t a, uint64_t b)
{
    switch (what) {
    case LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case GREATER:
        return a > b;
    case GREATER_EQUAL:
        return a >= b;
    case EQUAL:
        return a == b;
    case UNEQUAL:
        return a != b;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case BOTH:
        return a && b;
    default:
        return a || b;
    }
}

int event_holds(const event *e, uint64_t (*bits)(void *from, uint32_t signal, unsigned lsb, unsigned bits), void *from)
{
    uint64_t stack[e->steps.count];
    size_t n = 0;
    for (size_t i = 0; i < e->steps.count; i++) {
        const step *s = &e->steps.at[i];
        const operand *o = s->what == SIGNAL ? &e->operands.at[s->value] : NULL;
        if (s->what == NUMBER) stack[n++] = s->value;
        else if (o) stack[n++] = bits(from, o->signal, o->low, o->high - o->low + 1);
        else if (s->what == NOT) stack[n - 1] = !stack[n - 1];
        else if (s->what == INVERT) stack[n - 1] = ~stack[n - 1];
        else {
            n--;
            stack[n - 1] = compute(s->what, stack[n - 1], stack[n]);
        }
    }
    return stack[0] != 0;
}

/* ---- times ---- */

int event_time(const char *text, sim_time *time)
{
    static const struct {
        const char *unit;
        sim_time ps;
    } units[] = {{"ps", 1}, {"ns", SIM_NS}, {"us", SIM_US}, {"ms", SIM_MS}};
    char *end;
    double value = strtod(text, &end);
    if (!isdigit((unsigned char)*text) || strspn(text, "0123456789.") != (size_t)(end - text)) return -1;
    while (*end == ' ') end++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].unit)) continue;
        value *= (double)units[i].ps;
        if (value > 9e18) return -1;
        *time = (sim_time)(value + 0.5);
        return 0;
    }
    return -1;
}
