/* What programs would refuse, before they are built: their own options read what they would be called with. Chips are
 * described by what the options ask of them: a name and parameters. */
#include <ctype.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/coherent/coherent_options.h"
#include "sim/app/disk/disk_options.h"
#include "sim/app/launcher/request.h"
#include "sim/app/linux/linux_options.h"
#include "sim/app/nicxbar/options.h"
#include "sim/app/packet_mode/pm_figures.h"
#include "sim/app/packet_mode/pm_options.h"
#include "sim/app/roce/roce_options.h"
#include "sim/app/roce/storage/roce_storage_options.h"

enum { MOST_WORDS = 160 };

const program_table program_tables[] = {
    {"nicxbar-sim", "nicxbar-sim: a system of nodes", {scenario_options, NULL, NULL}, 0, SIM | CYCLES | SOAK},
    {"nicxbar-sim", NULL, {program_what, program_how, NULL}, MAKE_OF_SYSTEMS, OF_SYSTEMS},
    {"packet-mode", PM_OPTIONS_HEAD, {pm_options_table, NULL, NULL}, 1, PACKET_MODE},
    {"disk", DISK_OPTIONS_HEAD, {disk_options_table, NULL, NULL}, 1, DISK},
    {"nicxbar-linux", LINUX_OPTIONS_HEAD, {linux_options_table, NULL, NULL}, 1, LINUX},
    {"roce-sim", ROCE_OPTIONS_HEAD, {roce_options_table, NULL, NULL}, 1, SIM | CYCLES | SOAK},
    {"roce-storage", STORAGE_OPTIONS_HEAD, {storage_options_table, NULL, NULL}, 1, SIM},
    {"coherent-sim", COHERENT_OPTIONS_HEAD, {coherent_options_table, NULL, NULL}, 1, SIM | CYCLES},
    {0},
};
enum { SCENARIO, SYSTEM_TABLE, PM_TABLE, DISK_TABLE, LINUX_TABLE, ROCE_TABLE, STORAGE_TABLE, COHERENT_TABLE };

/* "SWITCH_MONITOR" and "switch-monitor". */
static int is_variable_of(const option *o, const char *name)
{
    const char *a = o->name;
    for (; *a && *name; a++, name++)
        if (toupper((unsigned char)(*a == '-' ? '_' : *a)) != *name) return 0;
    return *a == *name;
}

static const option *row_in(const program_table *t, const char *name)
{
    for (const option *const *rows = t->rows; *rows; rows++)
        for (const option *o = *rows; o->name || o->help; o++)
            if (o->name && (!t->make || o->runs & t->make) && is_variable_of(o, name)) return o;
    return NULL;
}

/* Of one that several goals have, those of this variable: some are for more goals than their table, or fewer. */
static unsigned goals_of_row(unsigned table, const option *o)
{
    static const struct {
        const char *name;
        unsigned table, goals;
    } others[] = {{"arch", PM_TABLE, PACKET_MODE | ORACLE | SHARES | CURVES | DISTRO},
                  {"clocks", PM_TABLE, PACKET_MODE | SHARES | CROSSBAR | CONTRACT},
                  {"load", PM_TABLE, PACKET_MODE | CROSSBAR},
                  {"node", COHERENT_TABLE, SIM | CYCLES | SOAK},
                  {"packets", SCENARIO, SIM | CYCLES | SOAK | ORACLE},
                  {"record", DISK_TABLE, DISK | INTEROP},
                  {"bytes", ROCE_TABLE, SIM | CYCLES | SOAK | INTEROP | SYNTH},
                  {"switch-monitor", SYSTEM_TABLE, SIM | CYCLES | RUN | SOAK}};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].table == table && !strcmp(others[i].name, o->name)) return others[i].goals;
    return program_tables[table].variables;
}

/* 1 if these goals have the variables of a table. */
static int takes(const request *r, unsigned table, const option *o)
{
    int roce = is(r, "CHIP", "roce"), storage = roce && is(r, "STORAGE", "1"), coherent = has(r, "NODE");
    if (table == COHERENT_TABLE) return coherent;
    if (table <= SYSTEM_TABLE && coherent && r->goals & (SIM | CYCLES)) return 0;
    if (table == STORAGE_TABLE) return storage;
    if (table == ROCE_TABLE) return (roce && !storage) || r->goals & INTEROP;
    if (table <= SYSTEM_TABLE) return !roce || (r->goals & SOAK && !strcmp(o->name, "packets"));
    return 1;
}

const option *program_row(const request *r, const char *name, unsigned *goal_bits)
{
    const option *found = NULL;
    *goal_bits = 0;
    for (unsigned t = 0; program_tables[t].name; t++) {
        const option *o = row_in(&program_tables[t], name);
        if (!o) continue;
        unsigned bits = goals_of_row(t, o);
        *goal_bits |= bits;
        if (!found && bits & r->goals && takes(r, t, o)) found = o;
    }
    return found;
}

const char *program_needs(const char *name)
{
    return row_in(&program_tables[COHERENT_TABLE], name) ? "NODE=coherent or mixed" : "CHIP=roce";
}

/* ---- messages: from options to variables ---- */

static const struct {
    const char *option, *variable;
} other_words[] = {{"direct", "SWITCH=0"},  {"soak", "make soak"},     {"figures", "make figures"},
                   {"program", "make run"}, {"cycles", "make cycles"}, {"microbench", "make microbench"},
                   {"json", "OUT"}};

static const char *end_of_name(const char *text)
{
    while (islower((unsigned char)*text) || *text == '-' || isdigit((unsigned char)*text)) text++;
    return text;
}

/* "--load 0.5" is LOAD=0.5; NAME and N are placeholders of values. */
static void put_option(const char **at, char *out, size_t size)
{
    const char *name = *at + 2, *end = end_of_name(name);
    size_t n = strlen(out), length = (size_t)(end - name);
    for (unsigned i = 0; i < sizeof other_words / sizeof other_words[0]; i++)
        if (strlen(other_words[i].option) == length && !strncmp(other_words[i].option, name, length)) {
            snprintf(out + n, size - n, "%s", other_words[i].variable);
            *at = end;
            if (*end == ' ' && end[1] && strchr("NP", end[1])) *at = end + 1 + strcspn(end + 1, " ,;:)");
            return;
        }
    for (; name < end && n + 1 < size; name++) out[n++] = *name == '-' ? '_' : (char)toupper((unsigned char)*name);
    out[n] = '\0';
    *at = end;
    size_t value = *end == '=' || *end == ' ' ? strcspn(end + 1, " ,;:)") : 0;
    int capitals = value && strspn(end + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == value;
    if (*end != '=' && !capitals && !(value && isdigit((unsigned char)end[1]))) return;
    snprintf(out + n, size - n, "=%.*s", (int)value, end + 1);
    *at = end + 1 + value;
}

/* A program's message says "--load 7: ..." or "load 7: ...": the head becomes LOAD=7, options behind it become
 * variables. */
static void in_variables(request *r, const char *text)
{
    char out[REQUEST_ERROR] = "";
    const char *at = text, *at_value = "";
    char of_plan[40];
    for (unsigned i = 0; i < r->count; i++) {
        const char *head = text + (strncmp(text, "--", 2) ? 0 : 2), *end = end_of_name(head);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(end - head), head);
        if (!strcmp(name, "soak")) strcpy(name, "packets");
        option o = {.name = name};
        if (!is_variable_of(&o, r->given[i].name) || (*end != ':' && *end != ' ') || !strncmp(end, " and ", 5))
            continue;
        const char *value = r->given[i].value, *colon = strstr(end, ": ");
        size_t length = strlen(value) < 80 ? strlen(value) : 80;
        if (*end == ' ' && !strncmp(end + 1, value, length) && end[1 + length] == ':') colon = end + 1 + length;
        if (!colon) continue;
        snprintf(out, sizeof out, "%s=%s", r->given[i].name, value);
        at = colon;
        at_value = value;
        break;
    }
    while (*at) {
        if (!strncmp(at, "--", 2) && islower((unsigned char)at[2])) {
            put_option(&at, out, sizeof out);
            continue;
        }
        size_t n = strlen(out);
        if (n + 2 < sizeof out) {
            out[n] = *at;
            out[n + 1] = '\0';
        }
        at++;
    }
    snprintf(r->error, REQUEST_ERROR, "%s", out);
    const char *expected = strstr(out, "', expected "), *word = expected;
    while (word && word > out && word[-1] != '\'') word--; /* of a plan */
    snprintf(of_plan, sizeof of_plan, "%.*s", word ? (int)(expected - word) : 0, word ? word : "");
    add_nearest(r, word ? of_plan : at_value, word ? expected + 2 : strstr(out, ": expected "));
}

/* ---- what programs would be called with ---- */

typedef struct words {
    char *at[MOST_WORDS];
    int count;
} words;

static void put(words *w, const char *name, const char *value)
{
    if (w->count + 2 >= MOST_WORDS) return;
    w->at[w->count++] = (char *)name;
    if (value) w->at[w->count++] = (char *)value;
}

/* Variables whose empty value is valid. */
static int may_be_empty(const char *name)
{
    return !strcmp(name, "SET") || !strcmp(name, "PATHS") || !strcmp(name, "FAULTS");
}

/* The variables of a table that are given. */
static void put_table(words *w, const request *r, unsigned table)
{
    static char names[MOST_WORDS][40];
    for (unsigned i = 0; i < r->count; i++) {
        const option *o = row_in(&program_tables[table], r->given[i].name);
        if (!o || (!*r->given[i].value && !may_be_empty(r->given[i].name)) || w->count >= MOST_WORDS - 2) continue;
        if (!strcmp(o->name, "nic")) continue;
        if (r->goals & SOAK && !has(r, "NODES") && !is(r, "CHIP", "roce") && !strcmp(o->name, "packets")) continue;
        snprintf(names[w->count], sizeof names[0], "--%s", o->name);
        put(w, names[w->count], r->given[i].value);
    }
}

const char *nic_of_request(const request *r)
{
    static char name[64];
    const char *nic = value_of(r, "NIC");
    if (links_of(r) == 1) return nic;
    int named = !strcmp(nic, "4splits") || !strcmp(nic, "monitored");
    snprintf(name, sizeof name, "%s%s%u%s", named ? nic : "", named ? "-" : "", links_of(r),
             is_by_packet(r) ? "paths" : "links");
    return name;
}

static jmp_buf refused;
static char refusal[2048];

static void keep(const char *text)
{
    snprintf(refusal, sizeof refusal, "%s", text);
    longjmp(refused, 1);
}

/* The chips of sim/system/chips/models and sim/bin, as far as options ask. */
static void describe(const request *r, program_chips *chips)
{
    static const sim_config plain = {.name = "nic", .parameters = ""},
                            sync = {.name = "nic_sync", .parameters = "SYNC=1"},
                            by_packet[] = {{.name = "nic_2paths", .parameters = "LINKS=2 BOND=1"},
                                           {.name = "nic_4paths", .parameters = "LINKS=4 BOND=1"}},
                            bundles[] = {{.name = "nic_2links", .parameters = "LINKS=2"},
                                         {.name = "nic_4links", .parameters = "LINKS=4"}};
    static const nic_kind one_link[] = {{"4splits", &plain},
                                        {"1voq", &plain},
                                        {"monitored", &plain},
                                        {"sync", &sync},
                                        {NULL, NULL}},
                          several[] = {{"2paths", &by_packet[0]},
                                       {"4paths", &by_packet[1]},
                                       {"2links", &bundles[0]},
                                       {"4links", &bundles[1]},
                                       {"4splits-2links", &bundles[0]},
                                       {"4splits-4links", &bundles[1]},
                                       {"monitored-2paths", &by_packet[0]},
                                       {"monitored-4paths", &by_packet[1]},
                                       {"monitored-2links", &bundles[0]},
                                       {"monitored-4links", &bundles[1]},
                                       {NULL, NULL}};
    static char parameters[40];
    static sim_config crossbar = {.name = "crossbar", .parameters = parameters};
    unsigned nodes = has(r, "NODES") ? nodes_of(r) : 4, ports = nodes == 2    ? 2
                                                                : nodes <= 4  ? 4
                                                                : nodes <= 8  ? 8
                                                                : nodes <= 12 ? 12
                                                                              : 16;
    snprintf(parameters, sizeof parameters, "PORTS=%u%s", ports, is(r, "SWITCH", "traced") ? " TRACE=1" : "");
    *chips = (program_chips){&crossbar, &plain, links_of(r) > 1 ? several : ports <= 8 ? one_link : NULL};
}

/* 0, or -1: the program would refuse it. */
static int read_program(request *r, words *w, const program_chips *chips)
{
    program_options o;
    option_refused = keep;
    if (!setjmp(refused)) {
        program_read(&o, w->count, w->at, chips);
        return 0;
    }
    in_variables(r, refusal);
    return -1;
}

static int check_system(request *r, words *w)
{
    program_chips chips;
    int soak = r->goals & SOAK && !(r->goals & (SIM | CYCLES | RUN));
    describe(r, &chips);
    if (has(r, "NODES")) put(w, "--nodes", value_of(r, "NODES"));
    if (has(r, "FILE")) put(w, "--file", value_of(r, "FILE"));
    if (*nic_of_request(r)) put(w, "--nic", nic_of_request(r));
    if (is_direct(r) && !soak) put(w, "--direct", NULL);
    if (r->goals & RUN) put(w, "--program", value_of(r, "PROGRAM"));
    if (soak && has(r, "NODES") && !has(r, "SCENARIO")) put(w, "--scenario", "uniform");
    if (soak && !has(r, "NODES")) put(w, "--soak", has(r, "PACKETS") ? value_of(r, "PACKETS") : "1000000");
    if (has(r, "WAVE_FROM") || has(r, "WAVE_TO") || has(r, "WAVE_BEFORE") || has(r, "WAVE_SIZE") ||
        (has(r, "WAVES") && !is(r, "WAVES", "0")))
        put(w, "--waves", "sim.fst");
    put_table(w, r, SYSTEM_TABLE);
    if (!(r->goals & RUN)) put_table(w, r, SCENARIO);
    return read_program(r, w, &chips);
}

static int check_microbench(request *r, words *w)
{
    program_chips chips;
    describe(r, &chips);
    if (links_of(r) == 2) put(w, "--nic", "2links");
    put(w, "--microbench", has(r, "BENCHMARK") ? value_of(r, "BENCHMARK") : NULL);
    if (has(r, "MESSAGE_SIZES")) put(w, "--message-sizes", value_of(r, "MESSAGE_SIZES"));
    return read_program(r, w, &chips);
}

static int check_packet_mode(request *r, words *w)
{
    static char parameters[16];
    static sim_config any = {.name = "pm", .parameters = parameters};
    static const sim_config *const a = &any;
    const pm_architecture architectures[] = {
        {"sm", "", {a, a, a, a, a, a, a, a, a}},  {"ppm", "", {a, a, a, a, a, a, a, a, a}},
        {"dpm", "", {a, a, a, a, a, a, a, a, a}}, {"vps", "", {a, a, a, a, a, a, a, a, a}},
        {"iq", "", {a, a, a, a, a, a, a, a, a}},  {0}};
    char error[OPTION_ERROR];
    pm_options o;
    pm_run_params p;
    put_table(w, r, PM_TABLE);
    snprintf(parameters, sizeof parameters, "PORTS=%u", has(r, "PORTS") ? (unsigned)atoi(value_of(r, "PORTS")) : 16);
    if (!pm_options_read(&o, w->count, w->at, architectures, &p, error)) return 0;
    in_variables(r, error);
    return -1;
}

static int check_disk(request *r, words *w)
{
    char error[OPTION_ERROR];
    disk_options o;
    put_table(w, r, DISK_TABLE);
    if (has(r, "NODES")) put(w, "--nodes", value_of(r, "NODES"));
    if (has(r, "OUT")) put(w, "--out", value_of(r, "OUT"));
    if (!disk_options_read(&o, w->count, w->at, error) && (is(r, "CHECK", "1") || !disk_options_here(&o, error)))
        return 0;
    in_variables(r, error);
    return -1;
}

static int check_linux(request *r, words *w)
{
    char error[OPTION_ERROR];
    linux_options o;
    put_table(w, r, LINUX_TABLE);
    if (has(r, "NODES")) put(w, "--nodes", value_of(r, "NODES"));
    if (!linux_options_read(&o, w->count, w->at, error)) return 0;
    in_variables(r, error);
    return -1;
}

static int check_roce(request *r, words *w)
{
    static const sim_config chip[] = {{.name = "roce_8_all", .parameters = "BYTES=8 NUM_QP=128"},
                                      {.name = "roce_64_all", .parameters = "BYTES=64 NUM_QP=128"}};
    char error[OPTION_ERROR];
    int good;
    if (is(r, "STORAGE", "1")) {
        storage_options o;
        roce_storage_params storage;
        put_table(w, r, STORAGE_TABLE);
        good = !storage_options_read(&o, w->count, w->at, &storage, error);
    } else {
        roce_options o;
        roce_setup setup;
        put_table(w, r, ROCE_TABLE);
        if (r->goals & SOAK) put(w, "--soak", has(r, "PACKETS") ? value_of(r, "PACKETS") : "1000000");
        good = !roce_options_read(&o, w->count, w->at, error) &&
               (o.figures || !roce_options_setup(&o, &chip[o.bytes == 64], &setup, error));
    }
    if (good) return 0;
    in_variables(r, error);
    return -1;
}

static int check_coherent(request *r, words *w)
{
    char error[OPTION_ERROR];
    coherent_options o;
    put_table(w, r, COHERENT_TABLE);
    if (has(r, "NODES")) put(w, "--nodes", value_of(r, "NODES"));
    if (!coherent_options_read(&o, w->count, w->at, error)) return 0;
    in_variables(r, error);
    return -1;
}

/* FIGURE is how names of figures begin. */
static int check_curves(request *r)
{
    const char *v = value_of(r, "FIGURE"), *list[80] = {NULL};
    char text[1200] = "", like[200];
    unsigned n = 0;
    if (!*v) return 0;
    for (const pm_figure *f = pm_all_figures; f->name && n < 79; f++) {
        if (!strncmp(f->name, v, strlen(v))) return 0;
        list[n++] = f->name;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", n > 1 ? ", " : "", f->name);
    }
    nearest(v, list, like, sizeof like);
    return complain(r, "FIGURE", v, "expected one of %s, or how some of them begin; the nearest: %s", text, like);
}

int request_program(request *r)
{
    words w = {{"make"}, 1};
    if (r->goals & CURVES && check_curves(r)) return -1;
    if (r->goals & CYCLES && has(r, "TEST")) return 0;
    if (r->goals & (SIM | CYCLES | SOAK) && is(r, "CHIP", "roce")) return check_roce(r, &w);
    if (r->goals & (SIM | CYCLES) && has(r, "NODE")) return check_coherent(r, &w);
    if (r->goals & OF_SYSTEMS) return check_system(r, &w);
    if (r->goals & PACKET_MODE) return check_packet_mode(r, &w);
    if (r->goals & MICROBENCH) return check_microbench(r, &w);
    if (r->goals & LINUX) return check_linux(r, &w);
    return r->goals & DISK ? check_disk(r, &w) : 0;
}
