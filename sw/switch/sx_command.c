#include "sx_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nx_number.h"
#include "nx_save.h"
#include "sx_internal.h"
#include "sx_print.h"
#include "sx_trace.h"

static int number(sx_switch *sw, const char *command, const char *text, unsigned *value)
{
    uint64_t n;
    if (!nx_number_or_hex(text, UINT32_MAX, &n)) return sx_fail(sw, "%s: '%.40s' is no number", command, text);
    *value = (unsigned)n;
    return 0;
}

static int weight(sx_switch *sw, const unsigned *a) { return sx_weight_set(sw, a[0], a[1], a[2]); }
static int enable(sx_switch *sw, const unsigned *a) { return sx_enable_set(sw, a[0], 1); }
static int disable(sx_switch *sw, const unsigned *a) { return sx_enable_set(sw, a[0], 0); }
static int serve(sx_switch *sw, const unsigned *a) { return sx_inputs_set(sw, a[0], a[1]); }
static int capacity(sx_switch *sw, const unsigned *a) { return sx_capacity_set(sw, a[0], a[1]); }
static int node(sx_switch *sw, const unsigned *a) { return sx_node_set(sw, a[0], a[1]); }
static int downtime(sx_switch *sw, const unsigned *a) { return sx_down_time_set(sw, a[0]); }
static int stamps(sx_switch *sw, const unsigned *a) { return sx_stamps_set(sw, a[0] != 0); }
static int clear(sx_switch *sw, const unsigned *a) { return (void)a, sx_clear(sw); }

/* ---- traces: a[0] is the port */

#define UNTIL_FULL (1u << 31) /* instead of events */

static int trace_start(sx_switch *sw, const unsigned *a)
{
    return sx_trace_start(sw, a[0], a[1] != UNTIL_FULL, a[1] & ~UNTIL_FULL, a[2]);
}
static int trace_freeze(sx_switch *sw, const unsigned *a) { return sx_trace_freeze(sw, a[0]); }
static int trace_clear(sx_switch *sw, const unsigned *a) { return sx_trace_clear(sw, a[0]); }
static int trace_there(sx_switch *sw, const unsigned *a)
{
    sx_trace_state state;
    return sx_trace_state_get(sw, a[0], &state);
}

static int trace_take(sx_switch *sw, const unsigned *a, const char *path, FILE *out)
{
    static nx_trace trace;
    (void)path;
    if (sx_trace_take(sw, a[0], &trace)) return -1;
    sx_trace_print(&trace, out);
    if (!sx_trace_check(&trace, out)) fprintf(out, "nothing looks wrong\n");
    return 0;
}

static int trace_save(sx_switch *sw, const unsigned *a, const char *path, FILE *out)
{
    static nx_trace trace;
    if (sx_trace_take(sw, a[0], &trace)) return -1;
    if (!path) return 0;
    FILE *file = nx_save_open(path);
    if (!file || nx_save_close(file, path, nx_trace_save(&trace, file)))
        return sx_fail(sw, "%.100s: %s", path, strerror(errno));
    fprintf(out, "trace of port %u, %u and %u entries%s: nxtrace %s\n", trace.number, trace.entries[NX_PORT_IN],
            trace.entries[NX_PORT_OUT], trace.frozen ? ", frozen" : "", path);
    return 0;
}

static int dump(sx_switch *sw, const unsigned *a, const char *path, FILE *out)
{
    return (void)a, (void)path, sx_dump(sw, out);
}

/* Arguments of a command: a FILE, EVENTS, else numbers. */
static const struct command {
    const char *name, *arguments;
    int (*set)(sx_switch *, const unsigned *); /* a setting, or whether it can be shown later; or NULL */
    int (*show)(sx_switch *, const unsigned *, const char *path, FILE *);
    unsigned tables;
} commands[] = {
    {.name = "ports", .arguments = "", .tables = SX_PORT_TABLE},
    {.name = "flows", .arguments = "", .tables = SX_FLOW_TABLE},
    {.name = "occupancy", .arguments = "", .tables = SX_OCCUPANCY_TABLE},
    {.name = "times", .arguments = "", .tables = SX_TIME_TABLE},
    {.name = "errors", .arguments = "", .tables = SX_ERROR_TABLE},
    {.name = "weights", .arguments = "", .tables = SX_WEIGHT_TABLE},
    {.name = "traces", .arguments = "", .tables = SX_TRACE_TABLE},
    {.name = "all", .arguments = "", .tables = SX_ALL_TABLES},
    {.name = "dump", .arguments = "", .show = dump},
    {.name = "weight", .arguments = "OUTPUT INPUT WEIGHT", .set = weight},
    {.name = "enable", .arguments = "PORT", .set = enable},
    {.name = "disable", .arguments = "PORT", .set = disable},
    {.name = "serve", .arguments = "OUTPUT MASK", .set = serve},
    {.name = "capacity", .arguments = "PORT UNITS", .set = capacity},
    {.name = "node", .arguments = "PORT ID", .set = node},
    {.name = "downtime", .arguments = "CLOCKS", .set = downtime},
    {.name = "stamps", .arguments = "0|1", .set = stamps},
    {.name = "clear", .arguments = "", .set = clear},
    {.name = "trace-start", .arguments = "PORT EVENTS AFTER", .set = trace_start},
    {.name = "trace-freeze", .arguments = "PORT", .set = trace_freeze},
    {.name = "trace-clear", .arguments = "PORT", .set = trace_clear},
    {.name = "trace-take", .arguments = "PORT", .set = trace_there, .show = trace_take},
    {.name = "trace-save", .arguments = "PORT FILE", .set = trace_there, .show = trace_save},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

void sx_command_help(FILE *out)
{
    unsigned column = 0;
    for (int n = 0; n < COMMANDS; n++) {
        unsigned length = (unsigned)(strlen(commands[n].name) + strlen(commands[n].arguments)) + 3;
        fprintf(out, "%s%s%s%s",
                !n                      ? "  "
                : column + length > 120 ? ",\n  "
                                        : ", ",
                commands[n].name, *commands[n].arguments ? " " : "", commands[n].arguments);
        column = column + length > 120 || !n ? length : column + length;
    }
    fprintf(out, "\n");
}

static int arguments_of(const struct command *c)
{
    int n = *c->arguments != 0;
    for (const char *at = c->arguments; (at = strchr(at, ' ')); at++) n++;
    return n;
}

/* The number of a command, or -1 with the error set: no such one, or too few words behind it. */
static int find(sx_switch *sw, int count, char *const *words)
{
    for (int n = 0; n < COMMANDS; n++)
        if (!strcmp(commands[n].name, words[0]))
            return arguments_of(&commands[n]) < count
                       ? n
                       : sx_fail(sw, "%s: expected %s", commands[n].name, commands[n].arguments);
    return sx_fail(sw, "unknown command '%.40s'", words[0]);
}

static int events(sx_switch *sw, const char *text, unsigned *value)
{
    *value = !strcmp(text, "none") ? 0 : !strcmp(text, "full") ? UNTIL_FULL : sx_trace_events(text);
    if (*value || !strcmp(text, "none")) return 0;
    return sx_fail(sw,
                   "trace-start: '%.60s': expected any, none, full, or events with commas between them, such as %s,%s",
                   text, sx_event_name(0), sx_event_name(5));
}

/* A file must be one that can be written, but is not made before there is something to write. */
static int writable(sx_switch *sw, const char *path)
{
    int there = !access(path, F_OK);
    FILE *file = fopen(path, "a");
    if (!file) return sx_fail(sw, "%.100s: %s", path, strerror(errno));
    fclose(file);
    if (!there) unlink(path);
    return 0;
}

/* The words behind a command. */
static int read_arguments(sx_switch *sw, const struct command *c, int which, char *const *words, unsigned *value,
                          const char **path)
{
    const char *what = c->arguments;
    for (int a = 0; *what; a++) {
        int is_file = !strncmp(what, "FILE", 4), is_events = !strncmp(what, "EVENTS", 6);
        if (is_file) *path = words[a];
        if (is_file && which & SX_SETTINGS && writable(sw, *path)) return -1;
        if (is_events && events(sw, words[a], &value[a])) return -1;
        if (!is_file && !is_events && number(sw, c->name, words[a], &value[a])) return -1;
        what += strcspn(what, " ");
        what += *what == ' ';
    }
    return 0;
}

int sx_command(sx_switch *sw, int which, int count, char *const *words, FILE *out)
{
    unsigned tables =
        count ? 0 : SX_ALL_TABLES; /* asked for and not yet printed: those that stand side by side make one print */
    int n, shows = which & SX_SHOWS;
    for (int at = 0; at < count; at += 1 + arguments_of(&commands[n])) {
        unsigned value[3] = {0};
        const char *path = NULL;
        if ((n = find(sw, count - at, words + at)) < 0) return -1;
        const struct command *c = &commands[n];
        if (read_arguments(sw, c, which, words + at + 1, value, &path)) return -1;
        if (c->tables) {
            tables |= c->tables;
            continue;
        }
        if (shows && tables && sx_print(sw, tables, out)) return -1;
        tables = 0;
        if (c->set && which & SX_SETTINGS && c->set(sw, value)) return -1;
        if (c->show && shows && c->show(sw, value, which & SX_FILES ? path : NULL, out)) return -1;
    }
    return shows && tables && sx_print(sw, tables, out) ? -1 : 0;
}
