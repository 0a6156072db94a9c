/* nicxbar-sim: the command line, and whether it makes sense. */
#define _GNU_SOURCE /* asprintf */
#include "sim/app/nicxbar/options_private.h"

#include <ctype.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nx_sizes.h"
#include "sim/app/figures/microbench.h"
#include "sim/core/kernel/event.h"
#include "sim/core/kernel/model.h"
#include "sim/model/host/host_params.h"
#include "sim/observe/cycles/cycles_names.h"
#include "sim/traffic/faults/classes.h"

enum {
    SWITCH_PAYLOAD = 62,
    DIRECT_PAYLOAD = 512 /* longest payloads that cross [64-bit words] */,
    FIRST_WAVES_FROM_US = 20,
    FIRST_WAVES_TO_US = 50 /* nodes are up, the first packets of the file have landed; 3 MB */
};

/* ---- the table; that of the traffic is in scenario_options.c */

enum {
    WINDOWS = RUN_SUITE | RUN_FILE | RUN_SCENARIO,
    SYSTEM = WINDOWS | RUN_PROGRAM,
    ALL = SYSTEM | RUN_SOAK | RUN_FIGURES | RUN_MICROBENCH
};
enum { MAKE = 1 << 16 /* make has a variable for it, as for all of the traffic: NIC for --nic */ };

#define FLAG(field) OPTION_FLAG(program_options, field)
#define TEXT(field) OPTION_TEXT(program_options, field)
#define CHOICE(field) OPTION_CHOICE(program_options, field)
#define WHOLE(field) OPTION_WHOLE(program_options, field)
#define US ((double)(UINT64_MAX / SIM_US))

static int recorded_time(const option *o __attribute__((unused)), void *field, const char *value,
                         char error[OPTION_ERROR])
{
    if (!event_time(value, field)) return 0;
    snprintf(error, OPTION_ERROR, "a time, 5us for instance");
    return -1;
}

static int recorded_size(const option *o __attribute__((unused)), void *field, const char *value,
                         char error[OPTION_ERROR])
{
    static const char units[] = "KMG";
    char *end;
    double size = isdigit((unsigned char)*value) ? strtod(value, &end) : 0;
    const char *unit = size > 0 && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    for (int i = 0; unit && i <= unit - units; i++) size *= 1024;
    if (size >= 4 << 20 && size < 1e15 && strspn(value, "0123456789.") == (size_t)(end - value) && !end[unit != NULL]) {
        *(uint64_t *)field = (uint64_t)size;
        return 0;
    }
    snprintf(error, OPTION_ERROR, "a size of 4M or more, 100M for instance");
    return -1;
}

/* clang-format off */
const option program_what[] = {
    {.help = "usage: nicxbar-sim [options]"},
    {.help = "What is run; without an option that says so, a file through the switch and the five tests of S1 4.2:"},
    {"file", "PATH", RUN_FILE, TEXT(file), 0, 0, NULL, "send one file from host 0 to host 1 (default: /usr/bin/make, both ways at once)"},
    {"both", NULL, RUN_FILE | RUN_SUITE, FLAG(both), 0, 0, NULL, "with --file: both ways"},
    {"direct", NULL, RUN_FILE | RUN_SCENARIO | RUN_PROGRAM, FLAG(direct), 0, 0, NULL,
        "no switch: two nodes and a cable; a file, a program, or a scenario in which no node sends to itself"},
    {"soak", "[N]", RUN_SOAK, WHOLE(soak), 1, 0, NULL,
        "random traffic of N packets (1000000) both ways without a switch, compared with a reference model"},
    {"program", "PATH", RUN_PROGRAM, TEXT(program), 0, 0, NULL,
        "shared object whose nx_main runs on every host (nx_host.h; make run builds it); its arguments follow --"},
    {"figures", "[NAME]", RUN_FIGURES, TEXT(only), 0, 0, NULL, "measure the figures of the documents, or one of them"},
    {"synthesis", "FOLDER", RUN_FIGURES, TEXT(synthesis), 0, 0, NULL, "folder of the synthesis results (default build)"},
    {"microbench", "[NAME]", RUN_MICROBENCH, CHOICE(benchmark), 0, 0, MICROBENCH_NAMES,
        "host programs that measure bus, NIC, link and switch on nodes of their own: " MICROBENCH_NAMES ", or all of them"},
    {"programs", "FOLDER", RUN_MICROBENCH, TEXT(programs), 0, 0, NULL, "folder of these programs (default build/programs)"},
    {"message-sizes", "LIST", RUN_MICROBENCH, TEXT(message_sizes), 0, 0, NULL,
        "message sizes of pcix and throughput instead of those of the documents: 8..4096 (doubled) or 8,64,4096 or both, in bytes, multiples of 8"},
    {0}
};
const option program_how[] = {
    {"switch-monitor", "COMMANDS", RUN_PROGRAM | RUN_SCENARIO | MAKE, TEXT(commands), 0, 0, NULL,
        "commands of the tool switch_monitor: settings once all nodes are up, tables at the end (all; weight 3 0 20 flows); registers go "
        "to switch.dump"},
    {.help = "The system:"},
    {"nodes", "N", SYSTEM, WHOLE(nodes), 2, FABRIC_NODES, NULL, "nodes around the switch (default 4; 2 for a file)"},
    {"node-ids", "ID,...", SYSTEM | MAKE, TEXT(node_ids), 0, 0, NULL, "node IDs, 0..127: the source that receivers see (default 0,1,..)"},
    {"nic", "NAME", RUN_SOAK | SYSTEM | RUN_MICROBENCH | MAKE, TEXT(nic_name), 0, 0, NULL,
        "default, 4splits (reads at once), 1voq (one output queue for all), monitored (samples, traces, time stamps) or sync (remote "
        "queues, counters, words); default only beyond 8 ports"},
    {"sync", "0|1", SYSTEM | MAKE, WHOLE(sync), 0, 1, "0 or 1", "1: NICs with remote queues, counters and words, as --nic sync"},
    {"skew", "PS,...", SYSTEM | MAKE, TEXT(skew), 0, 0, NULL,
        "extra delay of each link of a cable against the fastest: 0,50000 (default 0; up to 102400 are tolerated)"},
    {"paths", "LINK,...", SYSTEM | MAKE, TEXT(paths_in_use), 0, 0, NULL, "links in use, of several by packet: 0,2 (default all)"},
    {"path-latency", "CLOCKS,...", SYSTEM | MAKE, TEXT(path_latencies), 0, 0, NULL,
        "latency of the cables of each link by packet [network clocks], 20 or more: 23,23,23,150 (default 23 each)"},
    {"memory", "NAME", SYSTEM | MAKE, CHOICE(memory), 0, 0, "zbt, sdram or ddr", "external memory of the NIC: zbt (default), sdram or ddr"},
    {"pci-mhz", "MHZ", SYSTEM | MAKE, CHOICE(pci_mhz), 0, 0, "66, 100 or 133", "bus clock [MHz]: 66, 100 (default) or 133"},
    {"bridge", "NAME", SYSTEM, CHOICE(bridge), 0, 0, HOST_PARAMS_NAMES, "timing of the hosts: server2004 (default), server2006 or ideal"},
    {"payload", "WORDS", SYSTEM, WHOLE(payload), 1, DIRECT_PAYLOAD, NULL,
        "longest packet payload in 64-bit words, 1..62 (default 62 = 496 bytes), with --direct 1..512"},
    {"interrupts", NULL, RUN_FILE | RUN_SUITE, FLAG(interrupts), 0, 0, NULL,
        "file transfers wait for INTA# instead of polling memory"},
    {"faults", "PLAN", RUN_FILE | RUN_SCENARIO | RUN_PROGRAM | RUN_SOAK | MAKE, TEXT(faults), 0, 0, NULL,
        "faults by plan, with a report at the end (default traffic: --scenario round-robin): 'cut node1 at 20us for 5us; "
        "biterror node0>switch every 10000 words'; help: the grammar"},
    RUN_SEED(ALL, program_options, seed),
    RUN_INITIAL(SYSTEM | MAKE, program_options),
    {.help = "What is shown:"},
    RUN_WAVES(SYSTEM | RUN_SOAK, program_options), /* the five tests are shorter then */
    {"first-waves", "PATH", RUN_SUITE, TEXT(first_waves), 0, 0, NULL,
        "in build/full: record the first packets of the file into PATH, print its name and end; else: name PATH in the last line"},
    RUN_WAVE_SCOPES(SYSTEM | RUN_SOAK, program_options, "node1, xbar, nic1.dma.outgoing"),
    RUN_WAVE_TIMES(SYSTEM | MAKE | RUN_SOAK, program_options, "nic0.dma.outgoing.state == 3 && nic0.status_set[4]"),
    {"wave-before", "TIME", SYSTEM | MAKE, recorded_time, OPTION_FIELD(program_options, wave_before), 0, 0, NULL,
        "with an event in --wave-from: also record this time before it"},
    {"wave-size", "SIZE", SYSTEM | MAKE, recorded_size, OPTION_FIELD(program_options, wave_size), 0, 0, NULL,
        "keep the last SIZE bytes, 100M for instance (4M or more), in up to four files: x.fst and before it x-1.fst, x-2.fst, x-3.fst"},
    {"pins", "FOLDER", SYSTEM, TEXT(pins), 0, 0, NULL, "record the pins of all chips, edge by edge (sim/core/kernel/pins.c)"},
    {"pins-to", "US", SYSTEM, WHOLE(pins_to_us), 1, US, NULL, "end of the recording of pins [simulated us]"},
    {"sniff", "[=NODE]", SYSTEM, WHOLE(sniff_node), 0, FABRIC_NODES - 1, NULL, "print every frame on the cable of this node (default 0)"},
    {"capture", "PATH", SYSTEM | MAKE, TEXT(capture), 0, 0, NULL,
        "write every frame of every cable as pcapng, for Wireshark with scripts/wireshark/nicxbar.lua"},
    {"trace", "WHAT", SYSTEM | MAKE, CHOICE(trace), 0, 0, "1, packets or 0",
        "write the life of every packet and what every module does (1), or packets alone, into trace.json for ui.perfetto.dev"},
    {"trace-from", "TIME", SYSTEM | MAKE, recorded_time, OPTION_FIELD(program_options, trace_from), 0, 0, NULL, "start of the trace: 100us"},
    {"trace-to", "TIME", SYSTEM | MAKE, recorded_time, OPTION_FIELD(program_options, trace_to), 0, 0, NULL, "end of the trace"},
    {"trace-size", "SIZE", SYSTEM | MAKE, recorded_size, OPTION_FIELD(program_options, trace_size), 0, 0, NULL,
        "maximum size of the trace, 1G for instance (4M or more; default 200M)"},
    {"window", "CLOCKS", WINDOWS | MAKE, WHOLE(window), 0, FABRIC_WINDOW, NULL,
        "length of the lookahead window [clocks] (default 16; 0: edge by edge); results are the same"},
    {"threads", "N", WINDOWS | MAKE, WHOLE(threads), 1, FABRIC_NODES + 1, NULL,
        "worker threads (default: one per CPU if a short trial shows a speed-up)"},
    {"ranks", "N", WINDOWS | MAKE, WHOLE(ranks), 1, FABRIC_NODES + 1, NULL,
        "processes that share nodes and switch, started by mpirun; results are the same (default 1)"},
    {"hosts", "NAMES", WINDOWS | MAKE, TEXT(hosts), 0, 0, NULL,
        "with --ranks: hosts to run on, passed to mpirun (a,b or a hostfile)"},
    {"lanes", "N", WINDOWS, WHOLE(lanes), 1, SIM_LANES_MOST, NULL,
        "NICs evaluated together in one SIMD batch: 1, or the number the program was built for "
        "(default that, with four nodes or more; make LANES=... builds others)"},
    {"check-lanes", NULL, WINDOWS, FLAG(check_lanes), 0, 0, NULL,
        "compare SIMD batches with NICs evaluated one by one, in all state"},
    {"no-monitor", NULL, SYSTEM, FLAG(no_monitor), 0, 0, NULL, "no PCI-X protocol monitor (faster)"},
    RUN_CYCLES(SYSTEM, program_options, CYCLES_SORTS),
    {"json", "PATH", SYSTEM | RUN_FIGURES | RUN_MICROBENCH, TEXT(json), 0, 0, NULL,
        "file of the results (default sim.json, cycles.json, figures.json or microbench.json)"},
    {"out", "FOLDER", SYSTEM | RUN_FIGURES | RUN_MICROBENCH, TEXT(out), 0, 0, NULL,
        "folder of files with default names (default build); a file that another run is writing is not touched: another name is used"},
    {"help", NULL, ALL, NULL, 0, 0, 0, 0, NULL, "this help"},
    {0}
};
/* clang-format on */
static const option *const tables[] = {program_what, scenario_options, program_how};
enum { TABLES = 3, CODES = 256 /* what getopt_long returns for the first: no character, such as '?' or ':' */ };

static void usage(FILE *f)
{
    char text[100];
    for (int i = 0; i < TABLES; i++)
        for (const option *o = tables[i]; o->name || o->help; o++) {
            option_help(o, f);
            if (o != option_find(scenario_options, "scenario")) continue;
            for (const pattern_kind *kind = pattern_kinds; kind->name; kind++)
                option_wrap(f, (unsigned)fprintf(f, "%30s%s", "", kind->name), 44,
                            pattern_sentence(kind, NULL, text, sizeof text));
            for (const sync_kind *kind = sync_kinds; kind->name; kind++)
                option_wrap(f, (unsigned)fprintf(f, "%30s%s", "", kind->name), 44, kind->sentence);
        }
}

void program_refuse(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    option_refuse("nicxbar-sim", text);
}

int program_given(const program_options *o, const char *name)
{
    const struct program_line *l = o->line;
    for (unsigned i = 0; i < l->count; i++)
        if (!strcmp(l->at[i].o->name, name)) return l->at[i].given;
    return 0;
}

#define refuse program_refuse

/* ---- options against each other ---- */

/* The first of which the option is given is run, else the last. Of the first ones, which choose, one may be given. */
static const struct run_names {
    program_run run;
    const char *option, *chosen, *is;
} runs[] = {
    {RUN_SOAK, "soak", "with --soak", "a soak"},
    {RUN_FIGURES, "figures", "with --figures", "the figures"},
    {RUN_MICROBENCH, "microbench", "with --microbench", "the micro-benchmarks"},
    {RUN_SCENARIO, "scenario", "with --scenario NAME", "a scenario"},
    {RUN_FILE, "file", "with --file PATH", "a file transfer"},
    {RUN_PROGRAM, "program", "with --program PATH", "a program"},
    {RUN_FILE, "direct", "with --direct", "a file transfer"},
    {RUN_SCENARIO, "faults", NULL, "a scenario"},
    {RUN_SUITE, NULL, "without any of the options that choose a run", "a file and the five tests"},
};
enum { RUNS = sizeof runs / sizeof runs[0], CHOICES = 6 };

static const struct run_names *chosen(const program_options *o)
{
    const struct run_names *r = runs;
    while (r->option && !program_given(o, r->option)) r++;
    for (const struct run_names *other = r + 1; other < runs + CHOICES; other++)
        if (program_given(o, other->option))
            refuse("--%s and --%s: expected one of them: each selects the run", r->option, other->option);
    return r;
}

static void check_run(const struct run_names *run, const option *o, unsigned where, const char *value)
{
    char text[256] = "";
    if (where & run->run) return;
    for (int i = 0; i < RUNS; i++)
        if (where & runs[i].run && runs[i].chosen && !(runs[i].option && !strcmp(runs[i].option, o->name)))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " or " : "", runs[i].chosen);
    refuse("--%s%s%s: means nothing for %s; expected %s", o->name, value ? " " : "", value ? value : "", run->is, text);
}

static const sim_config *nic_of(const program_chips *chips, const char *name)
{
    char names[128] = "default";
    if (!strcmp(name, "default")) return chips->nic;
    for (const nic_kind *n = chips->others; n && n->name; n++) {
        if (!strcmp(name, n->name)) return n->config;
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", n->name);
    }
    refuse("--nic %s: expected one of %s with a switch of %u ports", name, names, switch_ports(chips->chip));
}

static void check_ids(program_options *o)
{
    const char *text = o->node_ids;
    for (unsigned i = 0; i < o->nodes; i++) {
        unsigned long id = i;
        char *end;
        if (text) {
            id = strtoul(text, &end, 10);
            if (!isdigit((unsigned char)*text) || id >= FABRIC_IDS || (i + 1 < o->nodes ? *end++ != ',' : *end != 0))
                refuse("--node-ids %s: expected %u numbers of 0..%d, with commas between them", o->node_ids, o->nodes,
                       FABRIC_IDS - 1);
            text = end;
        }
        for (unsigned k = 0; k < i; k++)
            if (o->node_id[k] == id) refuse("--node-ids %s: expected %u different ones", o->node_ids, o->nodes);
        o->node_id[i] = (unsigned)id;
    }
}

/* Scenarios of operations need NICs that have them. */
static void check_sync(program_options *o)
{
    const sync_kind *kind = o->run == RUN_SCENARIO ? o->scenario.sync : NULL;
    if (!o->sync && !kind) return;
    if (!strcmp(o->nic_name, "default")) o->nic_name = "sync";
    if (kind && o->nodes > 8)
        refuse("--nodes %u: expected 2..8 with --scenario %s, which NICs of 16 queues do not have", o->nodes,
               kind->name);
    if (kind && o->node_ids) refuse("--node-ids %s: expected none: answers go where sources are ports", o->node_ids);
    if (kind && o->ranks) refuse("--ranks %u: expected none with --scenario %s", o->ranks, kind->name);
    if (sim_config_parameter(nic_of(o->chips, o->nic_name), "SYNC", 0)) return;
    refuse("--nic %s: expected sync with %s%s", o->nic_name, kind ? "--scenario " : "--sync 1", kind ? kind->name : "");
}

static void check_system(program_options *o)
{
    unsigned most = o->direct ? 2 : switch_ports(o->chips->chip), payload = o->direct ? DIRECT_PAYLOAD : SWITCH_PAYLOAD;
    if (o->nodes > most)
        refuse("--nodes %u: expected 2..%u%s", o->nodes, most,
               o->direct ? " without a switch"
                         : ", the ports of this program's switch (make sim NODES=... builds others)");
    if (o->payload > payload)
        refuse("--payload %u: expected 1..%u words of 64 bits with a switch, whose buffers hold no longer packet (up "
               "to %u with --direct)",
               o->payload, payload, DIRECT_PAYLOAD);
    if (!o->nodes) o->nodes = o->run == RUN_FILE || o->direct || most < 4 ? 2 : 4;
    unsigned groups = o->nodes + !o->direct;
    if (o->threads > groups)
        refuse("--threads %u: expected 1..%u, one for each of %u nodes%s", o->threads, groups, o->nodes,
               o->direct ? "" : " and one for the switch");
    check_ids(o);
    if (o->sniff && o->sniff_node >= o->nodes)
        refuse("--sniff %u: expected a node, 0..%u", o->sniff_node, o->nodes - 1);
    o->nic = nic_of(o->chips, o->nic_name);
    program_check_links(o);
    unsigned built = o->nic->lanes ? o->nic->lanes->width : 1;
    if (o->lanes > 1 && o->lanes != built)
        refuse("--lanes %u: expected 1%s; make sim LANES=%u builds %u", o->lanes,
               built > 1 ? ", or what this program was built for" : ": this program was built without lanes", o->lanes,
               o->lanes);
    if (o->check_lanes && (built == 1 || o->lanes == 1))
        refuse("--check-lanes: expected with lanes; programs for more than four nodes are built with them, where that "
               "is faster (LANES=8)");
    if (!o->lanes) o->lanes = o->nodes < 4 && !o->check_lanes ? 1 : built;
}

/* Builds of the NIC are drawn from the seed, all with the links of this one. */
static void check_soak(program_options *o)
{
    o->nic = nic_of(o->chips, o->nic_name);
    if (o->nic != o->chips->nic && sim_config_parameter(o->nic, "LINKS", 1) == 1)
        refuse("--nic %s: expected default in a soak of two NICs, or one of several links", o->nic_name);
}

static void check_ranks(const program_options *o)
{
    static const char *const together[] = {"faults", "sniff", "capture", "trace", "pins", "cycles"};
    unsigned groups = o->nodes + !o->direct;
    if (o->ranks && sim_config_parameter(o->nic, "BOND", 0))
        refuse("--ranks %u: expected with a NIC of one link", o->ranks);
    if (o->hosts && !o->ranks) refuse("--hosts %s: expected together with --ranks N", o->hosts);
    if (!o->ranks) return;
    if (o->ranks > groups)
        refuse("--ranks %u: expected 1..%u, one for each of %u nodes%s", o->ranks, groups, o->nodes,
               o->direct ? "" : " and one for the switch");
    for (unsigned i = 0; i < sizeof together / sizeof together[0]; i++)
        if (program_given(o, together[i]))
            refuse("--ranks %u: expected without --%s, which looks at several nodes at once", o->ranks, together[i]);
}

static void check_scenario(program_options *o)
{
    char error[OPTION_ERROR];
    if (scenario_complete(&o->scenario, o->nodes, !o->direct, o->payload, o->seed, error)) refuse("--%s", error);
}

static void check_faults(program_options *o)
{
    char error[FAULT_ERROR];
    int soak = o->run == RUN_SOAK;
    if (!o->faults) return;
    unsigned links = (unsigned)sim_config_parameter(o->nic, "LINKS", 1);
    if (fault_plan_read(o->faults, soak ? 2 : o->nodes, !soak && !o->direct, &o->plan, error))
        refuse("--faults: %s", error);
    for (unsigned i = 0; i < o->plan.count; i++) {
        const fault *f = &o->plan.fault[i];
        if (f->class->reads && fault_is_lossy(f) && soak)
            refuse("--faults: '%s': expected none that costs transfers before they leave: the model of a soak follows "
                   "each",
                   f->text);
        if (soak && sim_config_parameter(o->nic, "BOND", 0) && !strcmp(f->class->name, "cut") &&
            f->length > 900 * SIM_US)
            refuse("--faults: '%s': expected cuts of up to 900 us: a NIC drops packets that wait longer for a link by "
                   "packet, and the model "
                   "of a soak follows each",
                   f->text);
        if (f->link >= (int)links) refuse("--faults: '%s': expected a link of 0..%u", f->text, links - 1);
        if (f->link >= 0 && f->class->kinds && strcmp(f->class->unit, "words") &&
            !sim_config_parameter(o->nic, "BOND", 0) && links > 1)
            refuse("--faults: '%s': expected no link: those of a bundle by byte share each frame", f->text);
    }
    if (o->run == RUN_SCENARIO && o->plan.lossy && !o->scenario.sync &&
        o->scenario.pattern.kind->traits & PATTERN_ANSWERS)
        refuse("--scenario ping-pong: expected another with --faults that cost packets: there is only one in play");
    o->scenario.lossy = o->plan.lossy;
}

static void check_microbench(program_options *o)
{
    int pair = o->run == RUN_MICROBENCH && strcmp(o->nic_name, "default");
    if (pair) o->nic = nic_of(o->chips, o->nic_name);
    if (pair && (sim_config_parameter(o->nic, "LINKS", 1) != 2 || sim_config_parameter(o->nic, "BOND", 0)))
        refuse("--nic %s: expected default or, for a pair of links, 2links with --microbench", o->nic_name);
    if (pair && o->benchmark && !strcmp(o->benchmark, "distribution"))
        refuse("--microbench distribution: expected NICs with one link: links by byte do not pass a switch (S2 2.4)");
    if (o->run == RUN_MICROBENCH && !pair &&
        (!o->benchmark || !strcmp(o->benchmark, "distribution") || !strcmp(o->benchmark, "latency"))) {
        if (!o->chips->others)
            refuse("--microbench%s%s: expected a program whose switch has up to 8 ports: beyond there is no NIC with "
                   "time stamps",
                   o->benchmark ? " " : "", o->benchmark ? o->benchmark : "");
        o->nic = nic_of(o->chips, "monitored");
    }
    unsigned size[NX_SIZES], most = o->benchmark && !strcmp(o->benchmark, "throughput") ? 1 << 20 : 4096;
    if (!o->message_sizes) return;
    if (o->benchmark && strcmp(o->benchmark, "throughput") && strcmp(o->benchmark, "pcix"))
        refuse("--message-sizes %s: means nothing for --microbench %s; expected pcix or throughput", o->message_sizes,
               o->benchmark);
    if (strlen(o->message_sizes) > 200 || !nx_sizes_read(o->message_sizes, most, size))
        refuse("--message-sizes %s: expected FIRST..LAST, doubled from one to the next, or A,B..C,...: multiples of 8 "
               "from 8 to %u%s",
               o->message_sizes, most, most == 4096 ? ", with --microbench throughput to 1048576" : "");
}

/* A time, or an event; its signals are looked up when the system is built. */
static void check_when(const program_options *o, const char *name, const char *text, sim_time *time, const char **event)
{
    char error[EVENT_ERROR];
    if (!text || !event_time(text, time)) return;
    if (o->run == RUN_SOAK) refuse("--%s %s: expected a time in a soak, 100us for instance", name, text);
    struct event *e = event_new(text, error);
    if (!e) refuse("--%s %s%s", name, error, isdigit((unsigned char)*text) ? ", or a time, 100us for instance" : "");
    event_free(e);
    *event = text;
}

static void check_waves(program_options *o)
{
    o->wave_to_time = SIM_FOREVER;
    check_when(o, "wave-from", o->wave_from, &o->wave_from_time, &o->wave_from_event);
    check_when(o, "wave-to", o->wave_to, &o->wave_to_time, &o->wave_to_event);
    if (o->first_waves && (o->waves || o->ranks)) refuse("--first-waves: expected without --waves and --ranks");
    o->first_only = o->first_waves && o->chips->nic->waves;
    if (o->first_only) {
        o->waves = o->first_waves;
        o->wave_from_time = FIRST_WAVES_FROM_US * SIM_US;
        o->wave_to_time = FIRST_WAVES_TO_US * SIM_US;
    }
    if (o->wave_from_time >= o->wave_to_time)
        refuse("--wave-to %s: expected more than --wave-from %s", o->wave_to, o->wave_from);
    if (o->wave_before && !o->wave_from_event) refuse("--wave-before: expected together with an event in --wave-from");
    o->brief = o->run == RUN_SUITE && o->waves && !o->first_waves && !o->wave_from && !o->wave_to && !o->wave_size;
}

/* ---- the command line ---- */

static void take(program_options *o, const option *row, const char *value)
{
    char error[OPTION_ERROR];
    if (!strcmp(row->name, "help")) {
        usage(stdout);
        exit(0);
    }
    int ours = option_find(scenario_options, row->name) != row;
    if (!strcmp(row->name, "faults") && !strcmp(value, "help")) {
        fault_plan_help(&fault_nic, stdout);
        exit(0);
    }
    if (ours ? option_set(row, o, value, error) : scenario_set(&o->scenario, row->name, value, error))
        refuse("--%s", error);
}

/* Errors of getopt_long: an option without its value, with a value that it does not take, or an unknown one. Names the
 * nearest ones. */
static void __attribute__((noreturn)) wrong_word(const struct program_line *l, const char *word, int no_value)
{
    char like[200] = "";
    const char *name = word + strspn(word, "-");
    size_t length = strcspn(name, "="), best = 2;
    for (unsigned i = 0; i < l->count; i++) {
        const option *o = l->at[i].o;
        if (strncmp(o->name, name, length) || o->name[length]) continue;
        if (no_value) refuse("%s: expected %s behind it", word, o->argument);
        refuse("%s: expected no value", word);
    }
    for (unsigned i = 0; i < l->count && *word == '-';
         i++) { /* those with most letters in common from the beginning on */
        size_t same = 0;
        while (same < length && l->at[i].o->name[same] == name[same]) same++;
        if (same > best) *like = 0;
        if (same < best) continue;
        if (same > best) best = same;
        size_t used = strlen(like);
        snprintf(like + used, sizeof like - used, "%s--%s", used ? ", " : "", l->at[i].o->name);
    }
    refuse("%s: no such option%s%s; --help names all", word, *like ? ", but there is " : "", like);
}

static void read_line(program_options *o, struct program_line *l, int argc, char **argv)
{
    struct option list[MOST_OPTIONS + 1] = {{0}};
    for (int i = 0; i < TABLES; i++)
        for (const option *row = tables[i]; row->name || row->help; row++) {
            if (!row->name) continue;
            int argument = !row->argument ? no_argument : *row->argument == '[' ? optional_argument : required_argument;
            list[l->count] = (struct option){row->name, argument, NULL, CODES + (int)l->count};
            l->at[l->count].o = row;
            l->at[l->count++].runs = tables[i] == scenario_options ? RUN_SCENARIO : row->runs;
        }
    opterr = 0;
    while (optind < argc) {
        const char *word = argv[optind];
        if (o->program && !strcmp(word, "--")) {
            o->program_argv = argv + optind + 1;
            o->program_argc = argc - optind - 1;
            break;
        }
        int c = strncmp(word, "--", 2) || !word[2] ? '?' : getopt_long(argc, argv, ":", list, NULL);
        int no_value = c == ':' || (optarg && optarg == argv[optind - 1] && !strncmp(optarg, "--", 2));
        if (c == '?' || no_value) wrong_word(l, word, no_value);
        c -= CODES;
        const option *row = l->at[c].o;
        int may_follow = list[c].has_arg == optional_argument && row->argument[1] != '=';
        if (may_follow && !optarg && optind < argc && *argv[optind] != '-') optarg = argv[optind++];
        take(o, row, optarg);
        l->at[c].given = 1;
        l->at[c].value = optarg;
    }
}

/* Checks combinations of options of output and recording. */
static void check_shown(program_options *o)
{
    static const char *const of_waves[] = {"wave-from", "wave-to", "wave-before", "wave-size", "wave-scopes"},
                             *const of_cycles[] = {"sort", "base", "threshold"};
    for (int i = 0; i < 5 && !o->waves; i++)
        if (program_given(o, of_waves[i]))
            refuse("--%s: expected together with --waves PATH (make ... WAVES=1)", of_waves[i]);
    for (int i = 0; i < 3; i++)
        if (program_given(o, of_cycles[i]) && !o->cycles) refuse("--%s: expected together with --cycles", of_cycles[i]);
    if (program_given(o, "threshold") && !o->base)
        refuse("--threshold %g: expected together with --base PATH", o->threshold);
    if (o->trace && !strcmp(o->trace, "0")) o->trace = NULL;
    if ((program_given(o, "trace-from") || program_given(o, "trace-to") || program_given(o, "trace-size")) && !o->trace)
        refuse("--trace-from, --trace-to and --trace-size: expected together with --trace 1 or packets");
    if (o->trace_from >= o->trace_to) refuse("--trace-to: expected more than --trace-from");
    if (o->pins_to_us && !o->pins) refuse("--pins-to: expected together with --pins FOLDER");
}

void program_read(program_options *o, int argc, char **argv, const program_chips *chips)
{
    static struct program_line l;
    l = (struct program_line){0};
    *o = (program_options){.chips = chips,
                           .line = &l,
                           .seed = 1,
                           .soak = 1000000,
                           .nic_name = "default",
                           .bridge = "server2004",
                           .memory = "zbt",
                           .pci_mhz = "100",
                           .initial = "random",
                           .synthesis = "build",
                           .programs = "build/programs",
                           .out = "build",
                           .payload = SWITCH_PAYLOAD,
                           .window = FABRIC_WINDOW,
                           .trace_to = SIM_FOREVER,
                           .trace_size = 200 << 20,
                           .sort = "name",
                           .threshold = 5};
    scenario_params_default(&o->scenario);
    read_line(o, &l, argc, argv);
    const struct run_names *run = chosen(o);
    o->run = run->run;
    o->sniff = program_given(o, "sniff");
    for (unsigned i = 0; i < l.count; i++)
        if (l.at[i].given) check_run(run, l.at[i].o, l.at[i].runs, l.at[i].value);
    if (o->run == RUN_SCENARIO && !program_given(o, "scenario"))
        take(o, option_find(scenario_options, "scenario"), "round-robin");
    if (o->run & SYSTEM) check_sync(o);
    if (o->run & SYSTEM) check_system(o);
    if (o->run == RUN_SOAK) check_soak(o);
    check_ranks(o);
    if (o->run == RUN_SCENARIO) check_scenario(o);
    if (o->commands && o->direct)
        refuse("--switch-monitor %s: expected without --direct: there is no switch", o->commands);
    check_faults(o);
    check_microbench(o);
    check_waves(o);
    check_shown(o);
}
