/* nicxbar-sim: the command line, and whether it makes sense. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "switch_access.h"

enum { SWITCH_PAYLOAD = 62, DIRECT_PAYLOAD = 512 /* longest payloads that cross [64-bit words] */ };

static const char usage[] =
    "usage: nicxbar-sim [options]          without any that chooses a run: a file through the switch and the five tests of S1 4.2\n"
    "What is run:\n"
    "  --file PATH      only a file, from host 0 to host 1 (without: /usr/bin/make, both ways at once); --both: both ways with --file too\n"
    "  --direct         no switch: two nodes and a cable; a file, or with --scenario ping-pong, one-way, n-to-one\n"
    "  --scenario NAME  traffic: ping-pong, one-way, self, three-to-one, n-to-one, round-robin, uniform, hot-spot, permutation,\n"
    "                   diagonal, unbalanced. Each sender has a queue of packets for each receiver\n"
    "    --sizes LIST     payload bytes, one row each: 496 or 8..496 (uniform) or 40/496/60 (60 % of 40) or sweep; commas between\n"
    "    --arrivals A     saturated (default): packets as fast as they are taken, and never fewer than the link carries, so that a "
    "receiver\n"
    "                     that is behind does not stop the others; or poisson; --load L: Poisson arrivals that take so much of each link,\n"
    "                     0.001 to 2\n"
    "    --hot NODE --part P   hot-spot: part P (0.5) of the packets to this node (0); unbalanced: part P to the own node\n"
    "    --warmup US --measure US   before and of the window (50, 200); --packets N: until so many have landed\n"
    "    --notify N       every nth packet of a flow asks for a remote notification (8)\n"
    "    --outstanding N  packets of a flow between posting and landing, at most (16; 0, the default with Poisson arrivals: no limit)\n"
    "    --switch-monitor COMMANDS   of the tool switch_monitor: settings once all nodes are up, tables at the end (all; weight 3 0 20\n"
    "                     flows); and the registers in build/switch.dump\n"
    "  --soak [N]       random traffic of N packets (1000000) both ways without a switch, compared with a reference model\n"
    "  --figures [NAME] measure the figures of the documents, or one of them; --synthesis FOLDER: where the sizes are (build)\n"
    "The system:\n"
    "  --nodes N        nodes around the switch (default 4; 2 for a file)\n"
    "  --nic NAME       default, 4splits (four outstanding reads) or 1voq (one output queue for all); default only beyond 8 ports\n"
    "  --memory NAME    behind the NIC: zbt (default) or sdram\n"
    "  --bridge NAME    hosts: server2004 (default) or ideal\n"
    "  --payload WORDS  longest packet payload in 64-bit words, 1..62 (default 62 = 496 bytes), with --direct 1..512\n"
    "  --interrupts     at a file transfer host software sleeps until INTA# instead of polling memory\n"
    "  --seed N         of everything random (default 1)\n"
    "What is shown:\n"
    "  --waves PATH     record waves (FST), with the five tests of a short run; --wave-from US, --wave-to US: only between these "
    "simulated\n"
    "                   times\n"
    "  --pins FOLDER    record the pins of all chips, edge by edge (sim/runtime/pins.c), until the simulated time --pins-to US\n"
    "  --sniff[=NODE]   print every frame on the cable of that host (0)\n"
    "  --no-monitor     without the PCI-X protocol monitor (faster)\n"
    "  --cycles         also: clocks busy, stalled, idle and latency of every module\n"
    "  --json PATH      where the results go (default build/sim.json, build/cycles.json, build/figures.json)\n";

enum { SYSTEM = RUN_SUITE | RUN_FILE | RUN_SCENARIO, ALL = SYSTEM | RUN_SOAK | RUN_FIGURES };

/* clang-format off */
enum { HELP, FILE_, BOTH, DIRECT, SCENARIO, PARAMETER, COMMANDS, SOAK, FIGURES, SYNTHESIS, NODES, NIC, MEMORY, BRIDGE, PAYLOAD, INTERRUPTS,
       SEED, WAVES, FROM, TO, PINS, PINS_TO, SNIFF, NO_MONITOR, CYCLES, JSON };
static const struct {
    const char *name;
    int argument, what;
    unsigned runs; /* those in which it means something */
} options[] = {
    {"help", 0, HELP, ALL}, {"file", 1, FILE_, RUN_FILE}, {"both", 0, BOTH, RUN_FILE | RUN_SUITE},
    {"direct", 0, DIRECT, RUN_FILE | RUN_SCENARIO}, {"scenario", 1, SCENARIO, RUN_SCENARIO},
    {"sizes", 1, PARAMETER, RUN_SCENARIO}, {"arrivals", 1, PARAMETER, RUN_SCENARIO}, {"load", 1, PARAMETER, RUN_SCENARIO},
    {"hot", 1, PARAMETER, RUN_SCENARIO}, {"part", 1, PARAMETER, RUN_SCENARIO}, {"warmup", 1, PARAMETER, RUN_SCENARIO},
    {"measure", 1, PARAMETER, RUN_SCENARIO}, {"packets", 1, PARAMETER, RUN_SCENARIO}, {"notify", 1, PARAMETER, RUN_SCENARIO},
    {"outstanding", 1, PARAMETER, RUN_SCENARIO}, {"switch-monitor", 1, COMMANDS, RUN_SCENARIO},
    {"soak", 2, SOAK, RUN_SOAK}, {"figures", 2, FIGURES, RUN_FIGURES}, {"synthesis", 1, SYNTHESIS, RUN_FIGURES},
    {"nodes", 1, NODES, SYSTEM}, {"nic", 1, NIC, SYSTEM}, {"memory", 1, MEMORY, SYSTEM}, {"bridge", 1, BRIDGE, SYSTEM},
    {"payload", 1, PAYLOAD, SYSTEM}, {"interrupts", 0, INTERRUPTS, RUN_FILE | RUN_SUITE}, {"seed", 1, SEED, ALL},
    {"waves", 1, WAVES, SYSTEM | RUN_SOAK}, {"wave-from", 1, FROM, SYSTEM | RUN_SOAK}, {"wave-to", 1, TO, SYSTEM | RUN_SOAK},
    {"sniff", 2, SNIFF, SYSTEM}, {"no-monitor", 0, NO_MONITOR, SYSTEM}, {"cycles", 0, CYCLES, SYSTEM},
    {"pins", 1, PINS, SYSTEM}, {"pins-to", 1, PINS_TO, SYSTEM},
    {"json", 1, JSON, SYSTEM | RUN_FIGURES},
};
/* clang-format on */
enum { OPTIONS = sizeof options / sizeof options[0] };

/* Says what is wrong and ends the program. */
static void __attribute__((format(printf, 1, 2), noreturn)) refuse(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "nicxbar-sim: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    exit(2);
}

static unsigned long long number(const char *option, const char *text, unsigned long long least, unsigned long long most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (errno || *end || end == text || strchr(text, '-') || value < least || value > most)
        refuse("--%s %s: expected a number from %llu to %llu", option, text, least, most);
    return value;
}

/* 1 if it is the second of two names, 0 if the first. */
static int choice(const char *option, const char *text, const char *first, const char *second)
{
    if (strcmp(text, first) && strcmp(text, second)) refuse("--%s %s: expected %s or %s", option, text, first, second);
    return !strcmp(text, second);
}

static const nic_kind *nic_of(const program_chips *chips, const char *name)
{
    char names[128] = "default";
    if (!strcmp(name, "default")) return chips->nic;
    for (const struct program_nic *n = chips->others; n && n->name; n++) {
        if (!strcmp(name, n->name)) return n->nic;
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", n->name);
    }
    refuse("--nic %s: expected one of %s with a switch of %u ports", name, names, chips->chip->ports);
}

static void take(program_options *o, const char *name, int what, const char *value)
{
    char error[SCENARIO_ERROR];
    switch (what) {
    case HELP:
        fputs(usage, stdout);
        exit(0);
    case FILE_:
        o->file = value;
        break;
    case BOTH:
        o->both = 1;
        break;
    case DIRECT:
        o->direct = 1;
        break;
    case SCENARIO:
    case PARAMETER:
        if (scenario_set(&o->scenario, name, value, error)) refuse("--%s", error);
        break;
    case COMMANDS:
        o->commands = value;
        break;
    case SOAK:
        o->soak = value ? number(name, value, 1, UINT64_MAX) : 1000000;
        break;
    case FIGURES:
        o->only = value;
        break;
    case SYNTHESIS:
        o->sizes = value;
        break;
    case NODES:
        o->nodes = (unsigned)number(name, value, 2, FABRIC_NODES);
        break;
    case NIC:
        o->nic = nic_of(o->chips, value);
        break;
    case MEMORY:
        o->sdram = choice(name, value, "zbt", "sdram");
        break;
    case BRIDGE:
        choice(name, value, "server2004", "ideal");
        o->bridge = value;
        break;
    case PAYLOAD:
        o->payload = (unsigned)number(name, value, 1, DIRECT_PAYLOAD);
        break;
    case INTERRUPTS:
        o->interrupts = 1;
        break;
    case SEED:
        o->seed = number(name, value, 0, UINT64_MAX);
        break;
    case WAVES:
        o->waves = value;
        break;
    case FROM:
        o->wave_from_us = number(name, value, 0, UINT64_MAX / SIM_US);
        break;
    case TO:
        o->wave_to_us = number(name, value, 0, UINT64_MAX / SIM_US);
        break;
    case PINS:
        o->pins = value;
        break;
    case PINS_TO:
        o->pins_to_us = number(name, value, 1, UINT64_MAX / SIM_US);
        break;
    case SNIFF:
        o->sniff = 1;
        if (value) o->sniff_node = (unsigned)number(name, value, 0, FABRIC_NODES - 1);
        break;
    case NO_MONITOR:
        o->monitor = 0;
        break;
    case CYCLES:
        o->cycles = 1;
        break;
    case JSON:
        o->json = value;
        break;
    }
}

/* ---- options against each other ---- */

static const struct {
    program_run run;
    const char *chosen, *is;
} runs[] = {
    {RUN_FILE, "with --file or --direct", "a file transfer"},
    {RUN_SCENARIO, "with --scenario NAME", "a scenario"},
    {RUN_SOAK, "with --soak", "a soak"},
    {RUN_FIGURES, "with --figures", "the figures"},
    {RUN_SUITE, "without any of the options that choose a run", "a file and the five tests"},
};
enum { RUNS = sizeof runs / sizeof runs[0] };

static void check_run(program_run run, const char *name, const char *value, unsigned where)
{
    char text[256] = "";
    const char *is = "";
    if (where & run) return;
    for (int i = 0; i < RUNS; i++) {
        if (runs[i].run == run) is = runs[i].is;
        if (where & runs[i].run) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " or " : "", runs[i].chosen);
    }
    refuse("--%s%s%s: means nothing for %s; expected %s", name, value ? " " : "", value ? value : "", is, text);
}

static void check_system(program_options *o)
{
    unsigned most = o->direct ? 2 : o->chips->chip->ports, payload = o->direct ? DIRECT_PAYLOAD : SWITCH_PAYLOAD;
    if (o->nodes > most)
        refuse("--nodes %u: expected 2..%u%s", o->nodes, most,
               o->direct ? " without a switch" : ", the ports of this program's switch (make sim NODES=... builds others)");
    if (o->payload > payload)
        refuse("--payload %u: expected 1..%u words of 64 bits with a switch, whose buffers hold no longer packet (up to %u with --direct)",
               o->payload, payload, DIRECT_PAYLOAD);
    if (!o->nodes) o->nodes = o->run == RUN_FILE || o->direct || most < 4 ? 2 : 4;
    if (o->sniff && o->sniff_node >= o->nodes) refuse("--sniff %u: expected a node, 0..%u", o->sniff_node, o->nodes - 1);
}

static void check_scenario(program_options *o)
{
    char error[SCENARIO_ERROR];
    if (scenario_complete(&o->scenario, o->nodes, !o->direct, o->payload, o->seed, error)) refuse("--%s", error);
    if (!o->commands) return;
    if (o->direct) refuse("--switch-monitor %s: expected without --direct: there is no switch", o->commands);
    if (switch_check(o->chips->chip->ports, o->commands, error)) refuse("--switch-monitor %s: %s", o->commands, error);
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

const char *program_json(const program_options *o)
{
    return o->json ? o->json : o->run == RUN_FIGURES ? "build/figures.json" : o->cycles ? "build/cycles.json" : "build/sim.json";
}

static void check_files(const program_options *o, int from_to)
{
    if (o->file) program_file_size(o->file);
    if (from_to && !o->waves) refuse("--wave-from and --wave-to: expected together with --waves PATH");
    if (o->wave_from_us >= o->wave_to_us)
        refuse("--wave-to %llu: expected more than --wave-from %llu", (unsigned long long)o->wave_to_us,
               (unsigned long long)o->wave_from_us);
    if (o->waves) check_writable("waves", o->waves);
    if (o->pins_to_us && !o->pins) refuse("--pins-to: expected together with --pins FOLDER");
    if (o->pins && access(o->pins, W_OK | X_OK)) refuse("--pins %s: expected a folder: %s", o->pins, strerror(errno));
    if (o->run != RUN_SOAK) check_writable("json", program_json(o));
    if (o->commands) check_writable("switch-monitor: dump", "build/switch.dump");
}

/* ---- the command line ---- */

static program_run chosen(const char *const *value)
{
    program_run run = RUN_SUITE;
    for (int i = 0; i < OPTIONS; i++) {
        if (!value[i]) continue;
        if (options[i].what == SOAK) return RUN_SOAK;
        if (options[i].what == FIGURES) return RUN_FIGURES;
        if (options[i].what == SCENARIO) run = RUN_SCENARIO;
        if (run == RUN_SUITE && (options[i].what == FILE_ || options[i].what == DIRECT)) run = RUN_FILE;
    }
    return run;
}

program_options program_parse(int argc, char **argv, const program_chips *chips)
{
    static const char none[] = "";
    const char *value[OPTIONS] = {NULL}; /* of each option that is given */
    struct option list[OPTIONS + 1] = {{0}};
    program_options o = {.chips = chips,
                         .nic = chips->nic,
                         .seed = 1,
                         .bridge = "server2004",
                         .sizes = "build",
                         .payload = SWITCH_PAYLOAD,
                         .wave_to_us = UINT64_MAX,
                         .monitor = 1};
    int index = 0, c;
    scenario_params_default(&o.scenario);
    for (int i = 0; i < OPTIONS; i++) list[i] = (struct option){options[i].name, options[i].argument, NULL, i};
    while ((c = getopt_long(argc, argv, "", list, &index)) != -1) {
        if (c == '?') {
            fputs(usage, stderr);
            exit(2);
        }
        int what = options[c].what;
        if ((what == SOAK || what == FIGURES) && !optarg && optind < argc && *argv[optind] != '-') optarg = argv[optind++];
        take(&o, options[c].name, what, optarg);
        value[c] = optarg ? optarg : none;
    }
    if (optind < argc) {
        fprintf(stderr, "nicxbar-sim: %s: not an option\n%s", argv[optind], usage);
        exit(2);
    }
    o.run = chosen(value);
    int from_to = 0;
    for (int i = 0; i < OPTIONS; i++) {
        if (!value[i]) continue;
        check_run(o.run, options[i].name, value[i] == none ? NULL : value[i], options[i].runs);
        from_to |= options[i].what == FROM || options[i].what == TO;
    }
    if (o.run & SYSTEM) check_system(&o);
    if (o.run == RUN_SCENARIO) check_scenario(&o);
    check_files(&o, from_to);
    return o;
}
