#include "sx_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sx_print.h"

static int number(sx_switch *sw, const char *command, const char *text, unsigned *value)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 0);
    if (*text && *text != '-' && !*end && !errno && n <= 0xffffffff) {
        *value = (unsigned)n;
        return 0;
    }
    snprintf(sw->error, sizeof sw->error, "%s: '%.40s' is no number", command, text);
    return -1;
}

static int weight(sx_switch *sw, const unsigned *a)
{
    return sx_weight_set(sw, a[0], a[1], a[2]);
}
static int enable(sx_switch *sw, const unsigned *a)
{
    return sx_enable_set(sw, a[0], 1);
}
static int disable(sx_switch *sw, const unsigned *a)
{
    return sx_enable_set(sw, a[0], 0);
}
static int serve(sx_switch *sw, const unsigned *a)
{
    return sx_inputs_set(sw, a[0], a[1]);
}
static int capacity(sx_switch *sw, const unsigned *a)
{
    return sx_capacity_set(sw, a[0], a[1]);
}
static int node(sx_switch *sw, const unsigned *a)
{
    return sx_node_set(sw, a[0], a[1]);
}
static int downtime(sx_switch *sw, const unsigned *a)
{
    return sx_down_time_set(sw, a[0]);
}
static int stamps(sx_switch *sw, const unsigned *a)
{
    return sx_stamps_set(sw, a[0] != 0);
}
static int clear(sx_switch *sw, const unsigned *a)
{
    return (void)a, sx_clear(sw);
}

static const struct {
    const char *name;
    int arguments;
    int (*set)(sx_switch *, const unsigned *); /* NULL: a table, or the dump */
    unsigned tables;                           /* 0: the dump */
} commands[] = {
    {"ports", 0, NULL, SX_PORT_TABLE},
    {"flows", 0, NULL, SX_FLOW_TABLE},
    {"occupancy", 0, NULL, SX_OCCUPANCY_TABLE},
    {"times", 0, NULL, SX_TIME_TABLE},
    {"errors", 0, NULL, SX_ERROR_TABLE},
    {"weights", 0, NULL, SX_WEIGHT_TABLE},
    {"all", 0, NULL, SX_ALL_TABLES},
    {"dump", 0, NULL, 0},
    {"weight", 3, weight, 0},
    {"enable", 1, enable, 0},
    {"disable", 1, disable, 0},
    {"serve", 2, serve, 0},
    {"capacity", 2, capacity, 0},
    {"node", 2, node, 0},
    {"downtime", 1, downtime, 0},
    {"stamps", 1, stamps, 0},
    {"clear", 0, clear, 0},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* The number of a command, or -1 with the error set: no such one, or too few words behind it. */
static int find(sx_switch *sw, int count, char *const *words)
{
    for (int n = 0; n < COMMANDS; n++)
        if (!strcmp(commands[n].name, words[0])) {
            if (commands[n].arguments < count) return n;
            snprintf(sw->error, sizeof sw->error, "%s: expected %d numbers", commands[n].name, commands[n].arguments);
            return -1;
        }
    snprintf(sw->error, sizeof sw->error, "unknown command '%.40s'", words[0]);
    return -1;
}

int sx_command(sx_switch *sw, int which, int count, char *const *words, FILE *out)
{
    unsigned tables = count ? 0 : SX_ALL_TABLES; /* asked for and not yet printed: those that stand side by side make one print */
    int n, shows = which & SX_SHOWS;
    for (int at = 0; at < count; at += 1 + commands[n].arguments) {
        unsigned value[3] = {0};
        if ((n = find(sw, count - at, words + at)) < 0) return -1;
        for (int a = 0; a < commands[n].arguments; a++)
            if (number(sw, commands[n].name, words[at + 1 + a], &value[a])) return -1;
        if (commands[n].tables) {
            tables |= commands[n].tables;
            continue;
        }
        if (shows && tables && sx_print(sw, tables, out)) return -1;
        tables = 0;
        if (!commands[n].set && shows && sx_dump(sw, out)) return -1;
        if (commands[n].set && which & SX_SETTINGS && commands[n].set(sw, value)) return -1;
    }
    return shows && tables && sx_print(sw, tables, out) ? -1 : 0;
}
