/* nxstat: registers, counters and states in words, of a NIC out of a file (nx_stat_save, make run PROGRAM=nxstat), or
 * of a switch: out of a dump of its monitor (make run or sim SWITCH_MONITOR=all), or live at the end of a terminal line
 * (sw/switch/sx_line.h).
 *
 *   nxstat [--all] SOURCE       what differs from reset, or all
 *   nxstat BEFORE AFTER         what moved between two of one kind
 *   nxstat --watch SECONDS line:PATH      what moved, every so many seconds, until the switch does not answer
 *
 * Exit code 1 and one line: the switch does not answer. 2 and one line: a file is none of these, cut off, or cannot be
 * read.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nx_number.h"
#include "nx_program.h"
#include "nx_stat.h"
#include "switch_register_map.h"
#include "sx_line.h"
#include "sx_print.h"
#include "sx_stat.h"

typedef struct source {
    const char *name;
    int is_switch;
    nx_stat nic;
    sx_dump_image registers;
    struct sx_platform platform;
    sx_line line;
    sx_switch sw;
} source;

static int fail(const char *name, const char *why)
{
    fprintf(stderr, "nxstat: %s: %s\n", name, why);
    return 2;
}

static int open_line(source *s)
{
    s->is_switch = 1;
    s->line.to = fopen(s->name + 5, "w");
    s->line.from = s->line.to ? fopen(s->name + 5, "r") : NULL;
    if (!s->line.from) return fail(s->name, strerror(errno));
    s->platform = sx_line_platform(&s->line);
    if (!sx_open(&s->sw, &s->platform) && !sx_take(&s->sw, &s->registers)) return 0;
    fail(s->name, s->sw.error);
    return 1;
}

/* A dump has every register of the switch that it is of. */
static int open_dump(source *s, FILE *file)
{
    unsigned at;
    char why[128];
    if (sx_dump_read(&s->registers, file, &at)) {
        snprintf(why, sizeof why,
                 "line %u: cut off, or no dump of a switch, expected OFFSET VALUE NAME (or 'nxstat 1' at the start: a "
                 "look at a NIC)",
                 at);
        return fail(s->name, why);
    }
    s->platform = sx_dump_platform(&s->registers);
    if (!s->registers.known[SWITCH_VERSION / 4])
        return fail(s->name, "empty, expected a look at a NIC or a dump of a switch");
    if (sx_open(&s->sw, &s->platform)) return fail(s->name, s->sw.error);
    for (sx_register r = {0}; sx_register_next(s->sw.ports, &r);) {
        if (s->registers.known[r.offset / 4]) continue;
        snprintf(why, sizeof why, "cut off: expected a line %04x VALUE %s", r.offset, r.name);
        return fail(s->name, why);
    }
    return 0;
}

static int open_source(source *s, const char *name)
{
    char why[256];
    s->name = name;
    if (!strncmp(name, "line:", 5)) return open_line(s);
    FILE *file = fopen(name, "r");
    if (!file) return fail(name, strerror(errno));
    int c = getc(file), bad;
    ungetc(c, file);
    s->is_switch = c != 'n';
    if (s->is_switch) bad = open_dump(s, file);
    else if ((bad = nx_stat_load(&s->nic, file, why, sizeof why))) bad = fail(name, why);
    fclose(file);
    return bad;
}

static unsigned moved(const source *before, const source *after)
{
    return after->is_switch ? sx_stat_moved(&after->sw, &before->registers, &after->registers, stdout)
                            : nx_stat_moved(&before->nic, &after->nic, stdout);
}

#define USAGE                                                                                                          \
    "nxstat [--all] SOURCE, nxstat BEFORE AFTER, or nxstat --watch SECONDS line:PATH; a source is a look at a NIC "    \
    "that was saved, a "                                                                                               \
    "dump of a switch, or line:PATH, a switch at a terminal line"

static int usage(void)
{
    fprintf(stderr, "nxstat: expected " USAGE "\n");
    return 2;
}

NX_PROGRAM(USAGE);

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'}, {"watch", required_argument, NULL, 'w'}, {0}};
    static source before, after;
    unsigned all = 0, seconds = 0;
    int c, bad;
    opterr = 0;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'a') all = 1;
        else if (c != 'w' || !nx_number(optarg, 1, UINT32_MAX, &seconds)) return usage();
    }
    int sources = argc - optind;
    if (sources < 1 || sources > 2 || (sources == 2 && (all || seconds)) ||
        (seconds && (all || strncmp(argv[optind], "line:", 5))))
        return usage();
    if ((bad = open_source(&after, argv[optind]))) return bad;
    if (sources == 2) {
        before = after;
        memset(&after, 0, sizeof after);
        if ((bad = open_source(&after, argv[optind + 1]))) return bad;
        if (before.is_switch != after.is_switch || (after.is_switch && before.sw.ports != after.sw.ports))
            return fail(after.name, "expected one of the same kind as the first: NIC, or switch of as many ports");
        if (!moved(&before, &after)) printf("nothing moved\n");
        return 0;
    }
    if (after.is_switch) sx_stat_print(&after.sw, &after.registers, (int)all, stdout);
    else nx_stat_print(&after.nic, (int)all, stdout);
    while (seconds) {
        fflush(stdout);
        sleep(seconds);
        before.registers = after.registers;
        if (sx_take(&after.sw, &after.registers)) return fail(after.name, after.sw.error), 1;
        if (!moved(&before, &after)) printf("nothing moved\n");
    }
    return 0;
}
