/* Help by subject, options of programs as Markdown, completion for bash: all from the tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/app/launcher/request.h"
#include "sim/traffic/faults/plan.h"

enum { COLUMN = 26 };

static void upper(const char *name, char *text, size_t size)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++) text[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
    text[i] = '\0';
}

static void print_variable(const char *name, const option *o)
{
    int used = printf("  %s=%s", name, o->argument ? o->argument : "1");
    option_wrap(stdout, (unsigned)used, COLUMN, o->help);
}

/* Headings are printed with their first row. */
static void print_own(unsigned bits)
{
    const char *heading = NULL;
    for (const option *o = variables; o->name || o->help; o++) {
        if (!o->name) heading = o->help;
        if (!o->name || !(o->runs & bits) || (o->runs & BUILDS && bits != ANY)) continue;
        if (heading) printf("%s\n", heading);
        heading = NULL;
        print_variable(o->name, o);
    }
}

static int is_of_make(const program_table *t, const option *o) { return o->name && (!t->make || o->runs & t->make); }

static void print_program(const program_table *t, int *head)
{
    char name[64];
    for (const option *const *rows = t->rows; *rows; rows++)
        for (const option *o = *rows; o->name || o->help; o++) {
            if (!is_of_make(t, o)) continue;
            if (!*head && t->head) printf("%s\n", t->head);
            *head = 1;
            upper(o->name, name, sizeof name);
            print_variable(name, o);
        }
}

/* A variable by its name, wherever it is. */
static int print_one(const char *subject)
{
    char name[64];
    int found = 0;
    for (const option *o = variables; o->name || o->help; o++)
        if (o->name && !strcasecmp(o->name, subject)) print_variable(o->name, o), found = 1;
    for (const program_table *t = program_tables; t->name; t++)
        for (const option *const *rows = t->rows; *rows; rows++)
            for (const option *o = *rows; o->name || o->help; o++) {
                if (!is_of_make(t, o)) continue;
                upper(o->name, name, sizeof name);
                if (strcasecmp(name, subject)) continue;
                printf("%s:\n", t->name);
                print_variable(name, o);
                found = 1;
            }
    return found;
}

void help_faults(const char *system)
{
    static const struct {
        const char *name;
        const struct fault_system *system;
    } systems[] = {{"nic", &fault_nic}, {"roce", &fault_line}, {"disk", &fault_disk}, {"linux", &fault_linux}};
    for (unsigned i = 0; i < sizeof systems / sizeof systems[0]; i++)
        if (!system || !strcmp(system, systems[i].name)) fault_plan_help(systems[i].system, stdout);
}

int help_subject(const char *subject)
{
    const goal *g = goals;
    while (g->name && strcasecmp(g->name, subject)) g++;
    if (!g->name) {
        if (print_one(subject)) {
            if (!strcasecmp(subject, "faults")) help_faults(NULL);
            return 0;
        }
        const char *names[80] = {NULL};
        char like[200];
        unsigned n = 0;
        for (g = goals; g->name; g++) names[n++] = g->name;
        nearest(subject, names, like, sizeof like);
        fprintf(stderr, "help %s: no such goal or variable; the nearest: %s\n", subject, like);
        return -1;
    }
    printf("make %s: %s\n", g->name, g->help ? g->help : "part of another goal");
    if (g->example) printf("  %s\n", g->example);
    putchar('\n');
    unsigned limited = g->bit;
    print_own(limited);
    for (const program_table *t = program_tables; t->name; t++) {
        int head = 0;
        if (t->variables & g->bit) print_program(t, &head);
    }
    return 0;
}

/* Ten goals on a screen. */
void help_goals(void)
{
    puts("nicxbar: RDMA NICs and switches in Verilog, driven by a C testbench.\n");
    for (const goal *g = goals; g < goals + 10; g++) printf("  make %-12s %-34s %s\n", g->name, g->help, g->example);
    puts("\nThe RoCE v2 chip: make sim CHIP=roce. Variables of a goal: make help SIM, or make help PATTERN for one of "
         "them.\n"
         "All goals and variables: make help-all. Manuals: README.md. Completion in bash: eval \"$(build/nicxbar "
         "completion bash)\"");
}

void help_all(void)
{
    const char *variable, *module;
    for (const goal *g = goals; g->name; g++)
        if (g->help) printf("  make %-20s  %-44s  %s\n", g->name, g->help, g->example ? g->example : "");
    puts("");
    print_own(ANY);
    puts("Another module in a slot, in every goal:");
    for (unsigned i = 0; slot_row(i, &variable, &module); i++) printf("  %s=MODULE (default %s)\n", variable, module);
    for (const program_table *t = program_tables; t->name; t++) {
        int head = 0;
        printf("Options of %s that are variables:\n", t->name);
        print_program(t, &head);
    }
}

/* A row for each option, headings in bold. */
int help_markdown(const char *program)
{
    int found = 0;
    for (const program_table *t = program_tables; t->name; t++) {
        if (strcmp(t->name, program)) continue;
        if (!found++) puts("| option | variable | |\n|---|---|---|");
        for (const option *const *rows = t->rows; *rows; rows++)
            for (const option *o = *rows; o->name || o->help; o++) {
                char name[64] = "";
                if (!o->name) continue;
                if (is_of_make(t, o)) upper(o->name, name, sizeof name);
                printf("| `--%s%s%s` | %s%s%s | ", o->name, o->argument ? " " : "", o->argument ? o->argument : "",
                       *name ? "`" : "", name, *name ? "`" : "");
                for (const char *c = o->help; *c; c++) printf("%s%c", *c == '|' ? "\\" : "", *c);
                puts(" |");
            }
    }
    return found ? 0 : -1;
}

void help_completion(void)
{
    const char *variable, *module;
    char name[64];
    fputs("_nicxbar_make()\n{\n    local word=${COMP_WORDS[COMP_CWORD]}\n    COMPREPLY=($(compgen -W '", stdout);
    for (const goal *g = goals; g->name; g++)
        if (g->help) printf("%s ", g->name);
    for (const option *o = variables; o->name || o->help; o++)
        if (o->name) printf("%s= ", o->name);
    for (unsigned i = 0; slot_row(i, &variable, &module); i++) printf("%s= ", variable);
    for (const program_table *t = program_tables; t->name; t++)
        for (const option *const *rows = t->rows; *rows; rows++)
            for (const option *o = *rows; o->name || o->help; o++) {
                if (!is_of_make(t, o)) continue;
                upper(o->name, name, sizeof name);
                printf("%s= ", name);
            }
    puts("' -- \"$word\"))\n    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n}\ncomplete -F _nicxbar_make make");
}
