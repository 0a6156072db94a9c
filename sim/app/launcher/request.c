#define _GNU_SOURCE /* strcasestr */
#include "sim/app/launcher/request.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- goals and variables given ---- */

int entry_of(const request *r, const char *name)
{
    for (unsigned i = 0; i < r->count; i++)
        if (!strcmp(r->given[i].name, name)) return (int)i;
    return -1;
}

const char *value_of(const request *r, const char *name)
{
    int i = entry_of(r, name);
    return i < 0 ? "" : r->given[i].value;
}

int has(const request *r, const char *name) { return *value_of(r, name) != '\0'; }

int has_goal(const request *r, const char *name)
{
    unsigned i = 0;
    while (i < r->goal_count && strcmp(r->goal[i], name)) i++;
    return i < r->goal_count;
}

const option *variable_row(const char *name)
{
    for (const option *o = variables; o->name || o->help; o++)
        if (o->name && !strcmp(o->name, name)) return o;
    return NULL;
}

int is(const request *r, const char *name, const char *value) { return !strcmp(value_of(r, name), value); }

int complain(request *r, const char *name, const char *value, const char *format, ...)
{
    va_list list;
    int n = snprintf(r->error, REQUEST_ERROR, "%s=%.200s: ", name, value);
    va_start(list, format);
    vsnprintf(r->error + n, (size_t)(REQUEST_ERROR - n), format, list);
    va_end(list);
    return -1;
}

/* The bit of a goal: a name with a slash or a point is a file. 0: there is no such goal. */
static unsigned bit_of(const char *name)
{
    for (const goal *g = goals; g->name; g++)
        if (!strcmp(g->name, name)) return g->bit;
    return strpbrk(name, "/.") ? FILES : 0;
}

static int no_such_goal(request *r, const char *name)
{
    const char *names[MOST_GOALS * 2] = {NULL};
    char like[200];
    unsigned n = 0;
    for (const renamed_goal *g = renamed_goals; g->old; g++)
        if (!strcmp(g->old, name))
            return snprintf(r->error, REQUEST_ERROR, "%s: is called make %s now", name, g->now), -1;
    for (const goal *g = goals; g->name; g++) names[n++] = g->name;
    nearest(name, names, like, sizeof like);
    snprintf(r->error, REQUEST_ERROR, "%s: no such goal; the nearest to %s: %s; make help says what can be done", name,
             name, like);
    return -1;
}

/* The next definition: its end is cut off, blanks get rid of their backslashes, dollars of their twins. NULL: there is
 * none. */
static char *next_definition(char **at)
{
    char *from = *at + strspn(*at, " "), *to = from, *start = from;
    if (!*from) return NULL;
    for (; *from && *from != ' '; from++) {
        if (*from == '\\' && from[1]) from++;
        else if (*from == '$' && from[1] == '$') from++;
        *to++ = *from;
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return start;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

int request_read(request *r, char *goal_names, char *variable_texts)
{
    char *text, *save = NULL;
    *r = (request){.nested = getenv("MAKELEVEL") && atoi(getenv("MAKELEVEL")) > 0};
    while ((text = next_definition(&variable_texts))) {
        size_t name = strcspn(text, "=:+?!");
        char *value = strchr(text, '=');
        if (!value || r->count == MOST_GIVEN) continue;
        text[name] = '\0';
        int i = entry_of(r, text);
        if (i >= 0) r->given[i].value = value + 1;
        else {
            r->given[r->count].name = text;
            r->given[r->count++].value = value + 1;
        }
    }
    qsort(r->given, r->count, sizeof r->given[0], by_name);
    for (char *g = strtok_r(goal_names, " ", &save); g && r->goal_count < MOST_GOALS; g = strtok_r(NULL, " ", &save)) {
        unsigned bit = bit_of(g);
        if (!bit && !(r->goals & HELP)) return no_such_goal(r, g);
        r->goals |= bit;
        r->goal[r->goal_count++] = g;
    }
    return 0;
}

/* ---- words that are near ---- */

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Letters to change, add or take away, large and small alike. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[128], n = (unsigned)strlen(b);
    if (n > 127) n = 127;
    for (unsigned k = 0; k <= n; k++) row[k] = k;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (unsigned k = 1; k <= n; k++) {
            unsigned cost = corner + (toupper((unsigned char)a[i - 1]) != toupper((unsigned char)b[k - 1]));
            corner = row[k];
            row[k] = least(cost, least(row[k], row[k - 1]) + 1);
        }
    }
    return row[n];
}

double nearest(const char *word, const char *const list[], char *text, size_t size)
{
    double far[256], first = 0;
    unsigned n = 0, taken = 0;
    for (; n < 256 && list[n]; n++) {
        far[n] = distance(word, list[n]);
        if (strcasestr(list[n], word) && far[n] > 1) far[n] = 1 + far[n] / 100;
    }
    *text = '\0';
    for (; taken < 3 && taken < n; taken++) {
        unsigned best = 0;
        for (unsigned i = 1; i < n; i++)
            if (far[i] < far[best]) best = i;
        if (far[best] > 1e8 || (taken && far[best] > first + 0.5)) break;
        if (!taken) first = far[best];
        snprintf(text + strlen(text), size - strlen(text), "%s%s", taken ? ", " : "", list[best]);
        far[best] = 1e9;
    }
    return first;
}

/* ---- slots ---- */

int slot_row(unsigned n, const char **variable, const char **module)
{
    static struct {
        char variable[64], module[64];
    } slot[64];
    static unsigned count = ~0u;
    if (count == ~0u) {
        char line[512];
        FILE *f = fopen("scripts/slots", "r");
        count = 0;
        while (f && count < 64 && fgets(line, sizeof line, f))
            if (isupper((unsigned char)*line) &&
                sscanf(line, "%63s %63s", slot[count].variable, slot[count].module) == 2)
                count++;
        if (f) fclose(f);
    }
    if (n >= count) return 0;
    *variable = slot[n].variable;
    *module = slot[n].module;
    return 1;
}
