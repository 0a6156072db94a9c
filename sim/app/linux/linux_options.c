#include "sim/app/linux/linux_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/model/host/host_params.h"

enum { MAKE = 1 /* of an option: it is also a variable of make */ };

#define WHOLE(field) OPTION_WHOLE(linux_options, field)
#define TEXT(field) OPTION_TEXT(linux_options, field)

static int set_memory(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    uint64_t mib;
    char number[16];
    const size_t n = strlen(value);
    if (n < 2 || n >= sizeof number || value[n - 1] != 'M') return -1;
    snprintf(number, sizeof number, "%.*s", (int)n - 1, value);
    if (!option_get_whole(number, 32, 2048, &mib)) return -1;
    return option_text(o, field, value, error);
}

/* clang-format off */
const option linux_options_table[] = {
    {.help = "What the guests do:"},
    {"run", "COMMAND", MAKE, TEXT(run), 0, 0, NULL,
        "shell command in guest host1, with the driver loaded; the run has its exit code"},
    {"workload", "NAME", MAKE, TEXT(workload), 0, 0, NULL,
        "work on a file system on the other host's disk: a file of scripts/linux/jobs, such as s1"},
    {"fs", "KIND", MAKE, OPTION_CHOICE(linux_options, fs), 0, 0, "ext4 or reiserfs",
        "with a workload: its file system (default ext4)"},
    {"scale", "N", MAKE, WHOLE(scale), 1, 1000, "a number from 1 to 1000",
        "with a workload: so many times the data (default 1)"},
    {"console", "0|1", MAKE, WHOLE(console), 0, 1, "0 or 1", "1: a shell in host1"},
    {"job", "NAME", 0, TEXT(job), 0, 0, NULL,
        "file of scripts/linux/jobs (default: check, or that of the options above)"},
    {.help = "The guests:"},
    {"nodes", "N", 0, WHOLE(nodes), 2, LINUX_HOSTS, "2 to 8, the ports of the switch",
        "guests around the switch (default 2)"},
    {"bridge", "NAME", MAKE, OPTION_CHOICE(linux_options, bridge), 0, 0, HOST_PARAMS_NAMES,
        "timing of the hosts: server2004 (default), server2006 or ideal"},
    {"kernel", "FILE", 0, TEXT(kernel), 0, 0, NULL, "User-mode Linux (default build/linux/linux)"},
    {"init", "FILE", 0, TEXT(init), 0, 0, NULL, "first program of a guest (default scripts/linux/init)"},
    {"mem", "SIZE", 0, set_memory, OPTION_FIELD(linux_options, mem), 0, 0, "32M to 2048M",
        "memory of a guest (default 128M)"},
    {.help = "The run:"},
    {"skip", "0|1", MAKE, WHOLE(skip), 0, 1, "0 or 1", "0: simulate also the time in which nothing moves"},
    {"faults", "PLAN", MAKE, TEXT(faults), 0, 0, NULL,
        "faults by plan, in the guests' time: 'cut host1 at 3ms for 50us; kill host2 at 5ms'; help: all"},
    {"out", "FOLDER", 0, TEXT(out), 0, 0, NULL, "folder of linux.json and linux/hostN.log (default build)"},
    RUN_SEED(0, linux_options, seed),
    RUN_WAVES(0, linux_options),
    RUN_WAVE_SCOPES(0, linux_options, "node1, xbar"),
    RUN_HELP(linux_options),
    {0},
};
/* clang-format on */

static const char *job_of(const linux_options *o)
{
    return o->job ? o->job : o->run ? "run" : o->console ? "console" : o->workload ? o->workload : "check";
}

static int is_job(const char *name)
{
    char path[100];
    const int n = snprintf(path, sizeof path, "scripts/linux/jobs/%s", name);
    return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")] && strcmp(name, "common") &&
           n < (int)sizeof path && !access(path, R_OK);
}

int linux_options_read(linux_options *o, int argc, char **argv, char error[OPTION_ERROR])
{
    *o = (linux_options){.fs = "ext4",
                         .kernel = "build/linux/linux",
                         .init = "scripts/linux/init",
                         .mem = "128M",
                         .bridge = "server2004",
                         .out = "build",
                         .nodes = 2,
                         .skip = 1,
                         .scale = 1,
                         .connect = 10,
                         .silence = 30,
                         .seed = 1};
    if (option_arguments(linux_options_table, o, argc, argv, error)) return -1;
    if (o->help) return 0;
    if (linux_faults_read(o->faults, o->nodes, &o->plan, error)) return -1;
    if (o->run && (o->workload || o->console))
        return option_complain(error, "run", o->run, "no workload and no console with it");
    if (o->workload && o->console) return option_complain(error, "workload", o->workload, "no console with it");
    o->job = job_of(o);
    if (is_job(o->job)) return 0;
    return option_complain(error, o->workload ? "workload" : "job", o->job, "a file of scripts/linux/jobs, such as s1");
}

int linux_options_here(const linux_options *o, char error[OPTION_ERROR])
{
    if (access(o->kernel, X_OK))
        return option_complain(error, "kernel", o->kernel, "User-mode Linux, which make linux builds");
    if (access(o->init, X_OK)) return option_complain(error, "init", o->init, "a program that can be run");
    return 0;
}
