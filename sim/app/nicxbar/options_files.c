/* nicxbar-sim: options that name files, and those that parts of the system understand. */
#define _GNU_SOURCE /* asprintf */
#include "sim/app/nicxbar/options_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/kernel/model.h"
#include "sim/core/kernel/results.h"
#include "sim/observe/cycles/cycles_report.h"
#include "sim/system/nodes/switch_access.h"

#define refuse program_refuse

static void check_commands(const program_options *o)
{
    char wrong[SWITCH_ERROR];
    if (!o->commands) return;
    if (switch_check(o->chips->chip, o->commands, wrong)) refuse("--switch-monitor %s: %s", o->commands, wrong);
}

/* ---- files ---- */

/* A file that does not exist yet must be one that can be made, but is not made before there is something to write. */
static void check_writable(const char *option, const char *path)
{
    int there = !access(path, F_OK), fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0) refuse("--%s %s: cannot be written: %s", option, path, strerror(errno));
    close(fd);
    if (!there) unlink(path);
}

/* In the folder of --out. */
static const char *in_out(const program_options *o, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", o->out, name) < 0) refuse("out of memory");
    return path;
}

/* Files that are written for as long as the run goes, and get their name when they are whole. */
static void check_recorded(const char *option, const char *path)
{
    if (results_is_device(path)) refuse("--%s %s: expected a file, this is something else", option, path);
    check_writable(option, path);
}

/* With no file named: the program that built us, some 240 KB, on every machine that gets here; or a short one. */
static const char *default_file(int brief)
{
    static const char *const files[][3] = {{"/usr/bin/make", "/usr/bin/gmake", "/bin/sh"},
                                           {"/etc/services", "/etc/passwd", "/bin/sh"}};
    for (int i = 0; i < 3; i++)
        if (!access(files[brief][i], R_OK)) return files[brief][i];
    refuse("no file to send is on this machine: name one with --file");
}

static void check_sent_file(program_options *o)
{
    struct stat st;
    if (!o->file) {
        o->file = default_file(o->brief);
        o->both = 1;
    }
    FILE *f = fopen(o->file, "rb");
    if (!f || fstat(fileno(f), &st)) refuse("--file %s: %s", o->file, strerror(errno));
    fclose(f);
    if (!S_ISREG(st.st_mode)) refuse("--file %s: expected a regular file", o->file);
    o->file_size = (uint64_t)st.st_size;
}

/* Identity of a run, for comparisons: chips, and all options except those of output and speed. */
static const char *in_words(const program_options *o)
{
    const struct program_line *l = o->line;
    static const char *const no_matter[] = {
        "seed",      "waves",   "wave-scopes", "wave-from",  "wave-to", "wave-before", "wave-size",
        "pins",      "pins-to", "sniff",       "capture",    "window",  "threads",     "ranks",
        "hosts",     "lanes",   "check-lanes", "no-monitor", "cycles",  "sort",        "base",
        "threshold", "json",    "out",         "nodes",      "direct",  "first-waves"};
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f, "%u nodes, %s, %s, seed %" PRIu64, o->nodes, o->direct ? "no switch" : o->chips->chip->name,
            o->nic->name, o->seed);
    for (unsigned i = 0; i < l->count; i++) {
        size_t k = 0, count = sizeof no_matter / sizeof no_matter[0];
        while (k < count && strcmp(no_matter[k], l->at[i].o->name)) k++;
        if (l->at[i].given && k == count)
            fprintf(f, ", %s%s%s", l->at[i].o->name, l->at[i].value ? " " : "", l->at[i].value ? l->at[i].value : "");
    }
    fclose(f);
    return text;
}

static void check_cycles(program_options *o)
{
    char error[CYCLES_ERROR];
    if (!o->cycles) return;
    o->system = in_words(o);
    if (o->base && !(o->base_cycles = cycles_base(o->base, o->system, error))) refuse("--base %s: %s", o->base, error);
}

static void check_files(program_options *o)
{
    struct stat st;
    if (program_given(o, "out") && (stat(o->out, &st) || !S_ISDIR(st.st_mode) || access(o->out, W_OK | X_OK)))
        refuse("--out %s: expected an existing folder that can be written", o->out);
    if (o->run & (RUN_FILE | RUN_SUITE)) check_sent_file(o);
    if (o->waves) check_recorded("waves", o->waves);
    if (o->capture) check_writable("capture", o->capture);
    if (o->trace) check_recorded("trace", o->trace_path = in_out(o, "trace.json"));
    if (o->pins && access(o->pins, W_OK | X_OK)) refuse("--pins %s: expected a folder: %s", o->pins, strerror(errno));
    if (!o->json)
        o->json = in_out(o, o->run == RUN_FIGURES      ? "figures.json"
                            : o->run == RUN_MICROBENCH ? "microbench.json"
                            : o->cycles                ? "cycles.json"
                                                       : "sim.json");
    if (o->run != RUN_SOAK) check_writable("json", o->json);
    if (o->commands) check_writable("switch-monitor: dump", o->dump = in_out(o, "switch.dump"));
    check_cycles(o);
    int modules = o->trace && *o->trace == '1';
    if ((o->waves || o->cycles || modules) && !o->chips->nic->waves)
        refuse("--%s: this program is built for speed and cannot look into its chips; expected "
               "build/full/nicxbar-sim*, which "
               "make sim WAVES=1, make sim TRACE=1 and make cycles build and run",
               o->waves    ? "waves"
               : o->cycles ? "cycles"
                           : "trace 1");
}

/* More threads than processors would wait for others that do not run. */
static void check_threads(program_options *o)
{
    unsigned most = sim_processors() > 2 ? sim_processors() : 2;
    if (o->threads <= sim_processors()) return;
    if (o->threads < most) most = o->threads;
    fprintf(stderr, "nicxbar-sim: --threads %u: number of processors here: %u; %u threads run%s\n", o->threads,
            sim_processors(), most, most > sim_processors() ? ", slower than one" : "");
    o->threads = most;
}

program_options program_parse(int argc, char **argv, const program_chips *chips)
{
    program_options o;
    program_read(&o, argc, argv, chips);
    check_threads(&o);
    check_commands(&o);
    check_files(&o);
    return o;
}

void program_claim(program_options *o)
{
    if (o->transport && o->transport->rank) return; /* the first one does */
    const char **const path[] = {&o->json, &o->waves, &o->capture, &o->dump, &o->trace_path};
    for (int i = o->first_only; i < 5; i++)
        if (*path[i]) *path[i] = results_claim(*path[i]);
}
