/* The checks in their order: names, values, goals, rules, programs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/launcher/request.h"

/* All names that mean something; NULL behind the last. */
static const char **all_names(void)
{
    static const char *names[400];
    static char made[300][40];
    unsigned n = 0, m = 0;
    const char *variable, *module;
    for (const option *o = variables; o->name || o->help; o++)
        if (o->name) names[n++] = o->name;
    for (unsigned i = 0; slot_row(i, &variable, &module); i++) names[n++] = variable;
    for (const program_table *t = program_tables; t->name; t++)
        for (const option *const *rows = t->rows; *rows; rows++)
            for (const option *o = *rows; o->name || o->help; o++) {
                if (!o->name || (t->make && !(o->runs & t->make)) || m == 300 || n > 390) continue;
                for (size_t i = 0; i <= strlen(o->name) && i < 40; i++)
                    made[m][i] = o->name[i] == '-' ? '_' : (char)toupper((unsigned char)o->name[i]);
                unsigned k = 0;
                while (k < n && strcmp(names[k], made[m])) k++;
                if (k == n) names[n++] = made[m++];
            }
    names[n] = NULL;
    return names;
}

static int is_name(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name)) list++;
    return *list != NULL;
}

/* Variables of old, and what says the same now. */
static const struct {
    const char *name, *now;
} old_variables[] = {{"FAULT", "FAULTS='cut host1 at 3ms for 50us; packet host1 drop at 4ms times 3'"},
                     {"CUT", "FAULTS='cut node0.link1 at 20us for 5us; cut node1 at 50us for ever'"},
                     {"LOSS", "FAULTS='lose line 0.1%'"},
                     {"DUPLICATE", "FAULTS='duplicate line 0.1%'"},
                     {"REORDER", "FAULTS='delay line 0.1%'"},
                     {"CORRUPT", "FAULTS='flip line 0.05%; spoil line 0.05%'"}};

static int check_names(request *r)
{
    const char **names = all_names(), *first = NULL;
    char like[200], all[400] = "";
    for (unsigned i = 0; i < r->count; i++) {
        if (is_name(r->given[i].name, names)) continue;
        for (unsigned k = 0; k < sizeof old_variables / sizeof old_variables[0]; k++)
            if (!strcmp(r->given[i].name, old_variables[k].name))
                return complain(r, r->given[i].name, r->given[i].value, "is said so now: %s; make help faults",
                                old_variables[k].now);
        if (!first) first = r->given[i].name;
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", r->given[i].name);
    }
    if (!first) return 0;
    nearest(first, names, like, sizeof like);
    snprintf(r->error, REQUEST_ERROR, "unknown variable%s; the nearest to %s: %s; make help-all says what can be done",
             all, first, like);
    return -1;
}

void add_nearest(request *r, const char *value, const char *expected)
{
    char copy[600], like[100], *save = NULL;
    const char *list[60] = {NULL};
    unsigned n = 0;
    if (!expected || !(strstr(expected, " or ") || strstr(expected, " one of ")) || strlen(value) < 3 ||
        !isalpha((unsigned char)*value))
        return;
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(expected, ";("), expected);
    for (char *w = strtok_r(copy, " ,", &save); w && n < 59; w = strtok_r(NULL, " ,", &save))
        if (strcmp(w, "or") && strcmp(w, "expected") && strcmp(w, ":")) list[n++] = w;
    if (nearest(value, list, like, sizeof like) > 2) return;
    snprintf(r->error + strlen(r->error), REQUEST_ERROR - strlen(r->error), "; the nearest: %s", like);
}

/* The value as its row has it. */
static int check_value(request *r, const option *o, unsigned i)
{
    uint64_t unused;
    char why[OPTION_ERROR] = "";
    const char *value = r->given[i].value;
    if (!o->set || !*value || !o->set(o, &unused, value, why)) return 0;
    int choice = o->set == option_choice; /* its help explains the names */
    complain(r, r->given[i].name, value, "expected %s%s%s%s", *why ? why : o->expected, choice ? " (" : "",
             choice ? o->help : "", choice ? ")" : "");
    add_nearest(r, value, o->expected);
    return -1;
}

/* "sim, cycles and soak": goals of these bits. */
static void name_goals(unsigned bits, char *text, size_t size)
{
    const char *names[64];
    unsigned n = 0, seen = 0;
    for (const goal *g = goals; g->name; g++)
        if (g->bit & bits && !(g->bit & seen & ~(PAGES | TEST)) && g->help && g->bit < OTHER)
            names[n++] = g->name, seen |= g->bit;
    *text = '\0';
    for (unsigned i = 0; i < n; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", names[i]);
}

static int means_nothing(request *r, unsigned i, unsigned bits)
{
    char text[600];
    if (__builtin_popcount(bits) > 17)
        return complain(r, r->given[i].name, r->given[i].value, "means nothing for make %s", r->goal[0]);
    name_goals(bits, text, sizeof text);
    return complain(r, r->given[i].name, r->given[i].value, "means something for make %s only", text);
}

static int check_meaning(request *r, unsigned i)
{
    const char *name = r->given[i].name, *value = r->given[i].value, *variable, *module;
    const option *own = variable_row(name);
    unsigned bits, roce = is(r, "CHIP", "roce");
    for (unsigned s = 0; slot_row(s, &variable, &module); s++)
        if (!strcmp(variable, name)) return 0;
    const option *of_program = program_row(r, name, &bits);
    if (own) bits |= own->runs;
    if (*value && !(bits & r->goals)) return means_nothing(r, i, bits);
    if (own && own->runs & r->goals) return check_value(r, own, i);
    if (!of_program && *value && bits && roce)
        return complain(r, name, value, "means nothing with CHIP=roce%s", is(r, "STORAGE", "1") ? " STORAGE=1" : "");
    if (!of_program && *value && bits && has(r, "NODE"))
        return complain(r, name, value, "means nothing with NODE=%s", value_of(r, "NODE"));
    if (!of_program && *value && bits)
        return complain(r, name, value, "means something with %s only", program_needs(name));
    return 0;
}

int request_check(request *r)
{
    int makes = r->goals & ~HELP && !(r->goals & HELP);
    if (*r->error || check_names(r)) return -1;
    if (!makes) return 0;
    int step =
        r->nested && !(r->goals & ~(unsigned)(OTHER | FILES)); /* of another make, which has accepted its variables */
    for (unsigned i = 0; i < r->count && !step; i++)
        if (check_meaning(r, i)) return -1;
    if (entry_of(r, "FAULTS") >= 0 && !has(r, "FAULTS"))
        return complain(r, "FAULTS", "", "expected a plan; make help faults says what there is");
    if (is(r, "FAULTS", "help"))
        return r->goal_count < 2
                   ? 0
                   : complain(r, "FAULTS", "help", "expected one goal: it prints the classes, and runs nothing");
    return (!step && request_rules(r)) || request_program(r) ? -1 : 0;
}
