/* Plans of faults as text; the grammar is in ethernet_wire.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/ethernet/ethernet_wire_internal.h"

/* The words of a clause. */
typedef struct clause {
    char text[128];
    char *word[12];
    unsigned words;
} clause;

__attribute__((format(printf, 3, 4))) static int wrong(char *error, const char *text, const char *format, ...)
{
    char expected[128];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    snprintf(error, ETHERNET_ERROR, "plan of faults, \"%.80s\": expected %.120s", text, expected);
    return -1;
}

/* Digits, and what follows them. */
static const char *number(const char *text, uint64_t *value)
{
    char *end;

    if (!text || *text < '0' || *text > '9') return NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno ? NULL : end;
}

static int time_of(const char *text, uint64_t *ps)
{
    static const struct {
        const char *name;
        uint64_t ps;
    } units[] = {{"ps", 1}, {"ns", SIM_NS}, {"us", SIM_US}, {"ms", SIM_MS}};
    const char *unit = number(text, ps);

    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name) && *ps <= UINT64_MAX / 2 / units[i].ps) {
            *ps *= units[i].ps;
            return 0;
        }
    return -1;
}

static int range_of(const char *text, uint64_t *first, uint64_t *last)
{
    const char *rest = number(text, first);

    *last = *first;
    if (rest && !strncmp(rest, "..", 2)) rest = number(rest + 2, last);
    return rest && !*rest && *last >= *first ? 0 : -1;
}

static void split(const char *text, size_t length, clause *c)
{
    *c = (clause){.words = 0};
    snprintf(c->text, sizeof c->text, "%.*s", (int)length, text);
    for (char *rest = c->text, *word; c->words < 12 && (word = strtok_r(rest, " \t\n", &rest)) != NULL;) c->word[c->words++] = word;
}

static int is(const clause *c, unsigned word, const char *text)
{
    return word < c->words && !strcmp(c->word[word], text);
}

/* One clause that is not empty. */
static int read_clause(const ethernet_wire *w, const char *whole, const clause *c, strike *s, char *error)
{
    /* the word between the frames and the argument; NULL: there is none */
    static const char *const before_argument[ETHERNET_FAULTS] = {
        [ETHERNET_DELAY] = "by", [ETHERNET_FLIP] = "bit", [ETHERNET_SPOIL] = "bit"};
    ethernet_fault_kind kind = ETHERNET_LOSE;
    const char *rest, *before;
    uint64_t duration;

    while (kind < ETHERNET_FAULTS && !is(c, 0, ethernet_fault_name(kind))) kind++;
    if (kind == ETHERNET_FAULTS) return wrong(error, whole, "lose, duplicate, delay, flip, spoil or cut");
    *s = (strike){.fault.kind = kind};
    if (!is(c, 1, w->params.name[0]) && !is(c, 1, w->params.name[1]))
        return wrong(error, whole, "the end that frames come from, %.20s or %.20s", w->params.name[0], w->params.name[1]);
    s->from = is(c, 1, w->params.name[1]);
    if (kind == ETHERNET_CUT) {
        if (c->words != 6 || !is(c, 2, "at") || time_of(c->word[3], &s->first) || !is(c, 4, "for") || time_of(c->word[5], &duration) ||
            !duration)
            return wrong(error, whole, "cut %.20s at 20us for 5us", c->word[1]);
        s->last = s->first + duration - 1;
        return 0;
    }
    if (c->words < 3 || range_of(c->word[2], &s->first, &s->last)) return wrong(error, whole, "frames such as 17 or 10..20");
    before = before_argument[kind];
    if (!before) return c->words == 3 ? 0 : wrong(error, whole, "nothing behind the frames");
    rest = is(c, 3, before) && c->words == 5 ? number(c->word[4], &s->fault.argument) : NULL;
    if (!rest || *rest) return wrong(error, whole, "\"%s\" and a number behind the frames", before);
    return kind == ETHERNET_DELAY && !s->fault.argument ? wrong(error, whole, "a delay by 1 frame or more") : 0;
}

int ethernet_wire_plan(ethernet_wire *w, const char *text, char error[ETHERNET_ERROR])
{
    size_t clauses = 1, count = 0;
    strike *strikes;
    int bad = 0;

    for (const char *t = text; *t; t++) clauses += *t == ';';
    strikes = calloc(clauses, sizeof *strikes);
    if (!strikes) {
        snprintf(error, ETHERNET_ERROR, "plan of faults: out of memory");
        return -1;
    }
    for (const char *from = text; from && !bad;) {
        size_t length = strcspn(from, ";");
        char whole[96];
        clause c;

        snprintf(whole, sizeof whole, "%.*s", (int)length, from);
        if (length >= sizeof c.text) {
            bad = wrong(error, whole, "a clause of fewer than %zu characters", sizeof c.text);
            break;
        }
        split(from, length, &c);
        if (c.words) bad = read_clause(w, whole + strspn(whole, " "), &c, &strikes[count++], error);
        from = from[length] ? from + length + 1 : NULL;
    }
    if (!bad && count && (bad = ethernet_wire_add(w, strikes, count)) != 0)
        snprintf(error, ETHERNET_ERROR, "plan of faults: out of memory");
    free(strikes);
    return bad;
}
