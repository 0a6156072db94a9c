/* nicxbar-sim: options. What runs is in run_file.c, run_scenario.c, run_suite.c and figures.c. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "program.h"

static const char usage[] =
    "usage: nicxbar-sim [options]          without any: a file through the switch and the five tests of S1 4.2\n"
    "  --file PATH      what crosses, from host 0 to host 1 (default: /usr/bin/make, both ways at once)\n"
    "  --both           both ways at once, with --file too\n"
    "  --nodes N        nodes around the switch (default 4; 2 for a file)\n"
    "  --direct         no switch: two nodes and a cable\n"
    "  --bridge NAME    hosts: server2004 (default) or ideal\n"
    "  --payload WORDS  longest packet payload in 64-bit words, 1..512 (default 62 = 496 bytes)\n"
    "  --interrupts     host software sleeps until INTA# instead of polling memory\n"
    "  --scenario NAME  traffic instead of a file: ping-pong, one-way, self, three-to-one, n-to-one, round-robin, uniform, hot-spot,\n"
    "                   permutation, diagonal, unbalanced\n"
    "    --sizes LIST     payload bytes, one row each: 496 or 8..496 (uniform) or 40/496/60 (60 % of 40) or sweep; commas between\n"
    "    --arrivals A     saturated (default) or poisson; --load L: Poisson arrivals that take so much of each link, 0.001 to 2\n"
    "    --hot NODE --part P   hot-spot: part P (0.5) of the packets to this node (0); unbalanced: part P to the own node\n"
    "    --warmup US --measure US   before and of the window (50, 200); --packets N: until so many have landed\n"
    "    --notify N       every nth packet of a flow asks for a remote notification (8)\n"
    "    --outstanding N  packets of a flow between posting and landing, at most (16; 0, the default with Poisson arrivals: no limit)\n"
    "  --switch-monitor COMMANDS   of the tool switch_monitor: settings once all nodes are up, tables at the end (all; weight 3 0 20 "
    "flows);\n"
    "                   and the registers in build/switch.dump\n"
    "  --soak [N]       random traffic of N packets (1000000) both ways without a switch, compared with a reference model\n"
    "  --seed N         of everything random (default 1)\n"
    "  --waves PATH     record waves (FST); --wave-from US, --wave-to US: only between these simulated times\n"
    "  --sniff[=NODE]   print every frame on the cable of that host (0)\n"
    "  --no-monitor     without the PCI-X protocol monitor (faster)\n"
    "  --cycles         also: clocks busy, stalled, idle and latency of every module\n"
    "  --figures [NAME] measure the figures of the documents instead, or one of them\n"
    "  --json PATH      where the results go (default build/sim.json, build/figures.json)\n";

static unsigned long long number(const char *option, const char *text, unsigned long long most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (errno || *end || end == text || strchr(text, '-') || value > most) {
        fprintf(stderr, "nicxbar-sim: %s %s: expected a number from 0 to %llu\n", option, text, most);
        exit(2);
    }
    return value;
}

static void set_scenario(program_options *o, const char *option, const char *value)
{
    char error[SCENARIO_ERROR];
    if (scenario_set(&o->scenario, option, value, error)) {
        fprintf(stderr, "nicxbar-sim: --%s\n", error);
        exit(2);
    }
    o->scenario_given = 1;
}

static program_options parse(int argc, char **argv, const program_chips *chips)
{
    enum {
        FILE_,
        BOTH,
        BRIDGE,
        PAYLOAD,
        INTERRUPTS,
        SEED,
        WAVES,
        FROM,
        TO,
        SNIFF,
        NO_MONITOR,
        CYCLES,
        FIGURES,
        JSON,
        HELP,
        NODES,
        DIRECT,
        SCENARIO,
        SOAK,
        COMMANDS
    };
    static const struct option long_options[] = {{"file", 1, 0, FILE_},
                                                 {"both", 0, 0, BOTH},
                                                 {"bridge", 1, 0, BRIDGE},
                                                 {"payload", 1, 0, PAYLOAD},
                                                 {"interrupts", 0, 0, INTERRUPTS},
                                                 {"seed", 1, 0, SEED},
                                                 {"waves", 1, 0, WAVES},
                                                 {"wave-from", 1, 0, FROM},
                                                 {"wave-to", 1, 0, TO},
                                                 {"sniff", 2, 0, SNIFF},
                                                 {"no-monitor", 0, 0, NO_MONITOR},
                                                 {"cycles", 0, 0, CYCLES},
                                                 {"figures", 2, 0, FIGURES},
                                                 {"json", 1, 0, JSON},
                                                 {"help", 0, 0, HELP},
                                                 {"nodes", 1, 0, NODES},
                                                 {"direct", 0, 0, DIRECT},
                                                 {"scenario", 1, 0, SCENARIO},
                                                 {"load", 1, 0, SCENARIO},
                                                 {"sizes", 1, 0, SCENARIO},
                                                 {"arrivals", 1, 0, SCENARIO},
                                                 {"hot", 1, 0, SCENARIO},
                                                 {"part", 1, 0, SCENARIO},
                                                 {"warmup", 1, 0, SCENARIO},
                                                 {"measure", 1, 0, SCENARIO},
                                                 {"packets", 1, 0, SCENARIO},
                                                 {"notify", 1, 0, SCENARIO},
                                                 {"outstanding", 1, 0, SCENARIO},
                                                 {"soak", 2, 0, SOAK},
                                                 {"switch-monitor", 1, 0, COMMANDS},
                                                 {0, 0, 0, 0}};
    program_options o = {.chips = chips, .seed = 1, .bridge = "server2004", .payload = 62, .wave_to_us = UINT64_MAX, .monitor = 1};
    int c, index = 0;
    scenario_params_default(&o.scenario);
    while ((c = getopt_long(argc, argv, "", long_options, &index)) != -1) switch (c) {
        case FILE_:
            o.file = optarg;
            break;
        case BOTH:
            o.both = 1;
            break;
        case BRIDGE:
            o.bridge = optarg;
            break;
        case PAYLOAD:
            o.payload = (unsigned)number("--payload", optarg, 512);
            break;
        case INTERRUPTS:
            o.interrupts = 1;
            break;
        case SEED:
            o.seed = number("--seed", optarg, UINT64_MAX);
            break;
        case WAVES:
            o.waves = optarg;
            break;
        case FROM:
            o.wave_from_us = number("--wave-from", optarg, UINT64_MAX / SIM_US);
            break;
        case TO:
            o.wave_to_us = number("--wave-to", optarg, UINT64_MAX / SIM_US);
            break;
        case SNIFF:
            o.sniff = 1;
            if (optarg) o.sniff_node = (unsigned)number("--sniff", optarg, FABRIC_NODES - 1);
            break;
        case NO_MONITOR:
            o.monitor = 0;
            break;
        case CYCLES:
            o.cycles = 1;
            break;
        case FIGURES:
            o.figures = 1;
            o.only = optarg;
            break;
        case JSON:
            o.json = optarg;
            break;
        case NODES:
            o.nodes = (unsigned)number("--nodes", optarg, 1000);
            if (!o.nodes) {
                fprintf(stderr, "nicxbar-sim: --nodes 0: expected 2..16\n");
                exit(2);
            }
            break;
        case DIRECT:
            o.direct = 1;
            break;
        case SCENARIO:
            set_scenario(&o, long_options[index].name, optarg);
            break;
        case SOAK:
            if (!optarg && optind < argc && *argv[optind] != '-') optarg = argv[optind++];
            o.soak = optarg ? number("--soak", optarg, UINT64_MAX) : 1000000;
            if (!o.soak) {
                fprintf(stderr, "nicxbar-sim: --soak 0: expected at least one packet\n");
                exit(2);
            }
            break;
        case COMMANDS:
            o.commands = optarg;
            break;
        case HELP:
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    if (o.figures && !o.only && optind < argc) o.only = argv[optind++];
    if (optind < argc) {
        fprintf(stderr, "nicxbar-sim: %s: not an option\n%s", argv[optind], usage);
        exit(2);
    }
    if (strcmp(o.bridge, "server2004") && strcmp(o.bridge, "ideal")) {
        fprintf(stderr, "nicxbar-sim: --bridge %s: expected server2004 or ideal\n", o.bridge);
        exit(2);
    }
    if (!o.payload) {
        fprintf(stderr, "nicxbar-sim: --payload 0: expected 1..512 words of 64 bits\n");
        exit(2);
    }
    return o;
}

/* Nodes and scenario against each other and against the switch this program has. */
static void complete(program_options *o)
{
    unsigned most = o->direct ? 2 : o->chips->chip->ports;
    char error[SCENARIO_ERROR];
    if (o->nodes && (o->nodes < 2 || o->nodes > most)) {
        fprintf(stderr, "nicxbar-sim: --nodes %u: expected 2..%u%s\n", o->nodes, most,
                o->direct ? " without a switch" : ", the ports of this program's switch (make sim NODES=... builds others)");
        exit(2);
    }
    if (!o->scenario_given && o->sniff_node > 1) {
        fprintf(stderr, "nicxbar-sim: --sniff %u: expected a node of the file transfer, 0 or 1\n", o->sniff_node);
        exit(2);
    }
    if (o->commands && (!o->scenario_given || o->direct)) {
        fprintf(stderr, "nicxbar-sim: --switch-monitor %s: expected together with --scenario, and a switch\n", o->commands);
        exit(2);
    }
    if (!o->scenario_given) return;
    if (!o->nodes) o->nodes = o->direct ? 2 : most < 4 ? most : 4;
    if (scenario_complete(&o->scenario, o->nodes, !o->direct, o->payload, o->seed, error)) {
        fprintf(stderr, "nicxbar-sim: --%s\n", error);
        exit(2);
    }
    if (o->sniff_node >= o->nodes) {
        fprintf(stderr, "nicxbar-sim: --sniff %u: expected a node, 0..%u\n", o->sniff_node, o->nodes - 1);
        exit(2);
    }
}

int nicxbar_sim(int argc, char **argv, const program_chips *chips)
{
    program_options o = parse(argc, argv, chips);
    complete(&o);
    if (o.soak) return run_soak(&o);
    if (o.figures) return figures_run(o.only, o.seed, o.json ? o.json : "build/figures.json", chips->chip);
    if (o.scenario_given) return run_scenario(&o);
    if (o.file || o.direct || o.cycles || o.sniff || o.waves || o.interrupts) return run_file(&o);
    return run_suite(&o);
}
