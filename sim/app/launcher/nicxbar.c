/* nicxbar: what make is asked for, checked before anything is built. It knows the option tables of all programs and no
 * model.
 *
 *     nicxbar make GOALS VARIABLES       for scripts/mk/variables.mk: words of the form name=text, a blank in a text as
 * U+2423 nicxbar check GOAL... X=Y...       silent, or one line with the error, and exit code 1 nicxbar commands the
 * same for each line "PLACE make ..." of the standard input nicxbar help [GOAL|VARIABLE], markdown PROGRAM, completion
 * bash
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nx_program.h"
#include "sim/app/coherent/coherent_options.h"
#include "sim/app/disk/disk_options.h"
#include "sim/app/launcher/request.h"
#include "sim/app/linux/linux_options.h"
#include "sim/app/nicxbar/options.h"
#include "sim/app/packet_mode/pm_options.h"
#include "sim/app/roce/roce_options.h"
#include "sim/app/roce/storage/roce_storage_options.h"

NX_PROGRAM("nicxbar check GOAL... [VARIABLE=VALUE...] | help [GOAL|VARIABLE] | help-all | markdown PROGRAM | "
           "completion bash | "
           "commands | make GOALS VARIABLES");

/* ---- for make ---- */

static void put_text(const char *text)
{
    for (; *text; text++)
        if (*text == ' ' || *text == '\t' || *text == '\n') fputs("\xe2\x90\xa3", stdout);
        else putchar(*text);
}

static void put_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'') fputs("'\\''", stdout);
        else if (*text == ' ') fputs("\xe2\x90\xa3", stdout);
        else putchar(*text);
    putchar('\'');
}

static void put_field(const char *name, const char *text)
{
    printf("%s=", name);
    put_text(text);
    putchar(' ');
}

static void print_variable_name(const option *o)
{
    for (const char *c = o->name; *c; c++) putchar(*c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

/* Names of the variables of a table: those with this bit, none of `without`, some of `with`. No field: they go on with
 * the one before, which had `more`. */
static void put_names(const char *field, const option *rows, unsigned bit, unsigned without, unsigned with, int more)
{
    int first = *field != '\0';
    printf("%s%s", field, *field ? "=" : "");
    for (const option *o = rows; o->name || o->help; o++) {
        if (!o->name || (bit && !(o->runs & bit)) || o->runs & without || (with && !(o->runs & with))) continue;
        if (!first) fputs("\xe2\x90\xa3", stdout);
        first = 0;
        print_variable_name(o);
    }
    if (!more) putchar(' ');
}

static void put_program(const request *r)
{
    static const char *const sizes[] = {"",   "",   "2",  "",   "",   "8",  "8",  "8", "8",
                                        "16", "16", "16", "16", "16", "16", "16", "16"};
    const char *size = sizes[nodes_of(r) <= 16 && has(r, "NODES") ? nodes_of(r) : 4];
    int direct = is(r, "SWITCH", "0") || is(r, "SWITCHES", "0"), several = links_of(r) > 1;
    if (is(r, "CHIP", "roce")) {
        put_field("program", is(r, "STORAGE", "1") ? "roce-storage" : "roce-sim");
        return;
    }
    if (r->goals & (SIM | CYCLES) && has(r, "NODE")) {
        const char *kb = has(r, "CACHE_KB") ? value_of(r, "CACHE_KB") : "16",
                   *ways = has(r, "WAYS") ? value_of(r, "WAYS") : "2";
        int standard = !strcmp(kb, "16") && !strcmp(ways, "2");
        fputs("program=coherent-sim", stdout);
        if (!standard) printf("-%s-%s", kb, ways);
        putchar(' ');
        return;
    }
    fputs("program=nicxbar-sim", stdout);
    if (several && is_by_packet(r)) printf("%s-links ", !strcmp(size, "8") ? size : "");
    else
        printf("%s%s%s ", several ? "-bundle" : "", direct ? "" : size,
               !direct && is(r, "SWITCH", "traced") ? "-traced" : "");
}

/* Tools that the goals need: words of scripts/setup.sh. */
static void put_needs(const request *r)
{
    static const struct {
        unsigned goals;
        const char *what;
    } needs[] = {{INTEROP, " rxe interop"},
                 {TEST | ORACLE | CROSSBAR, " test"},
                 {SYNTH | PROVE | FIGURES | COMPARE, " synth"},
                 {LINUX, " linux"},
                 {WAVE, " wave"},
                 {PAGES, " page"},
                 {FUZZ, " fuzz"},
                 {SPEED, " speed"},
                 {CURVES | FIGURES, " curves"},
                 {DISK_TEST, " disk-test"},
                 {DISK | DISK_TEST, " disk"}};
    char text[200] = "build";
    for (unsigned i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (needs[i].goals & r->goals && (needs[i].goals != FUZZ || has_goal(r, "fuzz"))) strcat(text, needs[i].what);
    if (is(r, "PEER", "rxe")) strcat(text, " rxe");
    if (has(r, "RANKS")) strcat(text, " ranks");
    if (has_goal(r, "lint")) strcat(text, " lint");
    if (has_goal(r, "fourstate")) strcat(text, " synth fourstate");
    if (has_goal(r, "life")) strcat(text, " test");
    if (has_goal(r, "mutants")) strcat(text, " test synth");
    put_field("needs", text);
}

/* Variables that mean nothing in the environment; make forgets them. */
static void put_environment(void)
{
    fputs("environment=PINS\xe2\x90\xa3SLOT_FOLDER", stdout);
    const char *variable, *module;
    for (const option *o = variables; o->name || o->help; o++)
        if (o->name && !(o->runs & BUILDS) && getenv(o->name)) printf("\xe2\x90\xa3%s", o->name);
    for (unsigned i = 0; slot_row(i, &variable, &module); i++)
        if (getenv(variable)) printf("\xe2\x90\xa3%s", variable);
    for (const program_table *t = program_tables; t->name; t++)
        for (const option *const *rows = t->rows; *rows; rows++)
            for (const option *o = *rows; o->name || o->help; o++) {
                if (!o->name || (t->make && !(o->runs & t->make))) continue;
                fputs("\xe2\x90\xa3", stdout);
                print_variable_name(o);
            }
    putchar(' ');
}

/* No variable selects a run: its first packets are recorded. */
static void put_first(const request *r)
{
    static const char *const others[] = {"SEED", "OUT", "BUILD", "LANES", "WINDOW", "THREADS", NULL};
    int first = 1;
    for (unsigned i = 0; i < r->count; i++) {
        int known = 0;
        for (const char *const *o = others; *o; o++) known |= !strcmp(*o, r->given[i].name);
        const option *row = variable_row(r->given[i].name);
        known |= row && row->runs & BUILDS;
        first &= known;
    }
    put_field("first", first && r->goals & SIM ? "yes" : "");
}

static void put_given(const request *r)
{
    unsigned bits;
    fputs("given=", stdout);
    for (unsigned i = 0; i < r->count; i++) printf("%s%s", i ? "\xe2\x90\xa3" : "", r->given[i].name);
    putchar(' ');
    for (unsigned i = 0; i < r->count; i++) {
        const option *o = program_row(r, r->given[i].name, &bits);
        if (!*r->given[i].value || !strcmp(r->given[i].name, "NIC")) continue;
        printf("--%s=--", r->given[i].name);
        if (o) printf("%s", o->name);
        else
            for (const char *c = r->given[i].name; *c; c++)
                putchar(*c == '_' ? '-' : *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        fputs("\xe2\x90\xa3", stdout);
        put_quoted(r->given[i].value);
        putchar(' ');
    }
    if (!*nic_of_request(r)) return;
    fputs("--NIC=--nic\xe2\x90\xa3", stdout);
    put_quoted(nic_of_request(r));
    putchar(' ');
}

/* Whose classes of faults are meant. */
static const char *fault_system_of(const request *r)
{
    return r->goals & DISK ? "disk" : r->goals & LINUX ? "linux" : is(r, "CHIP", "roce") ? "roce" : "nic";
}

static int for_make(char *goal_names, char *variable_texts)
{
    request r;
    if (request_read(&r, goal_names, variable_texts) || request_check(&r)) {
        put_field("wrong", r.error);
        puts("");
        return 0;
    }
    if (is(&r, "FAULTS", "help")) put_field("answer", fault_system_of(&r));
    put_program(&r);
    put_needs(&r);
    put_environment();
    fputs("phony=", stdout);
    for (const goal *g = goals; g->name; g++) printf("%s%s", g == goals ? "" : "\xe2\x90\xa3", g->name);
    putchar(' ');
    put_first(&r);
    put_given(&r);
    put_names("scenario", scenario_options, 0, 0, 0, 1);
    put_names("", program_how, MAKE_OF_SYSTEMS, RUN_SUITE | RUN_SOAK, 0, 0);
    put_names("system", program_how, MAKE_OF_SYSTEMS, 0, RUN_SUITE, 0);
    put_names("run", program_how, MAKE_OF_SYSTEMS, RUN_SUITE, RUN_SOAK, 0);
    put_names("packet_mode", pm_options_table, 1, 0, 0, 0);
    put_names("disk", disk_options_table, 1, 0, 0, 0);
    put_names("linux", linux_options_table, 1, 0, 0, 0);
    put_names("coherent", coherent_options_table, 1, 0, 0, 0);
    put_names("chip", is(&r, "STORAGE", "1") ? storage_options_table : roce_options_table, 1, 0, 0, 0);
    puts("");
    return 0;
}

/* ---- checks alone ---- */

/* A goal that is only named must be one. */
static int check(char *goal_names, char *variable_texts, int only_named)
{
    request r;
    if (!request_read(&r, goal_names, variable_texts) && (only_named || !request_check(&r))) return 0;
    puts(r.error);
    return 1;
}

/* Words into goals, and variables as make has them. */
static void sort_words(char **words, int count, char **goal_names, char **variable_texts)
{
    size_t size = 1;
    for (int i = 0; i < count; i++) size += 2 * strlen(words[i]) + 2;
    char *g = *goal_names = calloc(1, size), *v = *variable_texts = calloc(1, size);
    for (int i = 0; i < count; i++) {
        int is_goal = !strchr(words[i], '=');
        char **to = is_goal ? &g : &v;
        for (const char *c = words[i]; *c; c++) {
            if (!is_goal && (*c == ' ' || *c == '\\')) *(*to)++ = '\\';
            if (!is_goal && *c == '$') *(*to)++ = '$';
            *(*to)++ = *c;
        }
        *(*to)++ = ' ';
    }
}

static int check_words(char **words, int count, int only_named)
{
    char *goal_names, *variable_texts;
    sort_words(words, count, &goal_names, &variable_texts);
    if (strspn(goal_names, " ") == strlen(goal_names)) strcpy(goal_names, "help");
    return check(goal_names, variable_texts, only_named);
}

/* The words of a line of a shell: quotes and backslashes are taken off; $$ is a dollar, as make has it. */
static int split(char *line, char **words, int most)
{
    int n = 0;
    char *at = line, *to = line;
    while (*at && n < most) {
        at += strspn(at, " \t\n");
        if (!*at) break;
        words[n++] = to;
        for (char quote = 0; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (!quote && (*at == '\'' || *at == '"')) quote = *at;
            else if (quote && *at == quote) quote = 0;
            else if (*at == '\\' && quote != '\'' && at[1]) *to++ = *++at;
            else if (*at == '$' && at[1] == '$') continue;
            else *to++ = *at;
        }
        if (*at) at++;
        *to++ = '\0';
    }
    return n;
}

/* Each line in a process of its own. */
static int check_commands(void)
{
    static char line[8192], shown[8192];
    int bad = 0, status;
    while (fgets(line, sizeof line, stdin)) {
        char *words[200], *command = strstr(line, " make ");
        line[strcspn(line, "\n")] = '\0';
        strcpy(shown, line);
        if (!command) continue;
        fflush(stdout);
        int out[2];
        if (pipe(out)) return 1;
        pid_t child = fork();
        if (!child) {
            dup2(out[1], 1);
            close(out[0]);
            int count = split(command + 6, words, 200);
            int code = check_words(words, count, count == 1);
            fflush(stdout);
            _exit(code); /* exit would set back the input, which is shared */
        }
        close(out[1]);
        char text[4096];
        size_t n = 0;
        ssize_t got;
        while (n < sizeof text - 1 && (got = read(out[0], text + n, sizeof text - 1 - n)) > 0) n += (size_t)got;
        text[n] = '\0';
        close(out[0]);
        if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
        if (!status) continue;
        printf("%s\n    %s", shown, text);
        bad = 1;
    }
    return bad;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "help";
    if (!strcmp(what, "make") && argc == 4) return for_make(argv[2], argv[3]);
    if (!strcmp(what, "check")) return check_words(argv + 2, argc - 2, 0);
    if (!strcmp(what, "commands")) return check_commands();
    if (!strcmp(what, "help") && argc < 3) return help_goals(), 0;
    if (!strcmp(what, "help") && argc == 4 && !strcmp(argv[2], "faults")) return help_faults(argv[3]), 0;
    if (!strcmp(what, "help")) return help_subject(argv[2]) ? 2 : 0;
    if (!strcmp(what, "help-all")) return help_all(), 0;
    if (!strcmp(what, "markdown") && argc == 3 && !help_markdown(argv[2])) return 0;
    if (!strcmp(what, "completion")) return help_completion(), 0;
    fprintf(stderr, "nicxbar %s: expected check, commands, help, help-all, make, markdown PROGRAM or completion bash\n",
            what);
    return 2;
}
