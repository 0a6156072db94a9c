/* nicxbar-sim: the main program. Two hosts, two NICs, one cable; a file crosses, and a table says what happened. `make sim` runs it. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cycles.h"
#include "exchange.h"
#include "figures.h"
#include "meter.h"
#include "report.h"
#include "sniffer.h"

/* With no file named the program itself that built us crosses: /usr/bin/make is on every machine that gets here, some 240 KB. */
static const char *const default_files[] = {"/usr/bin/make", "/usr/bin/gmake", "/bin/sh"};

struct options {
    const char *file, *waves, *json, *bridge, *only;
    uint64_t seed, wave_from_us, wave_to_us;
    unsigned payload;
    int both, cycles, figures, interrupts, sniff, monitor;
};

static const char usage[] = "usage: nicxbar-sim [options]\n"
                            "  --file PATH      what crosses, from host 0 to host 1 (default: /usr/bin/make, both ways at once)\n"
                            "  --both           both ways at once, with --file too\n"
                            "  --bridge NAME    hosts: server2004 (default) or ideal\n"
                            "  --payload WORDS  longest packet payload in 64-bit words, 1..512 (default 62 = 496 bytes)\n"
                            "  --interrupts     host software sleeps until INTA# instead of polling memory\n"
                            "  --seed N         of everything random (default 1)\n"
                            "  --waves PATH     record waves (FST); --wave-from US, --wave-to US: only between these simulated times\n"
                            "  --sniff          print every frame on the cable\n"
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

static struct options parse(int argc, char **argv)
{
    enum { FILE_, BOTH, BRIDGE, PAYLOAD, INTERRUPTS, SEED, WAVES, FROM, TO, SNIFF, NO_MONITOR, CYCLES, FIGURES, JSON, HELP };
    static const struct option long_options[] = {{"file", 1, 0, FILE_},
                                                 {"both", 0, 0, BOTH},
                                                 {"bridge", 1, 0, BRIDGE},
                                                 {"payload", 1, 0, PAYLOAD},
                                                 {"interrupts", 0, 0, INTERRUPTS},
                                                 {"seed", 1, 0, SEED},
                                                 {"waves", 1, 0, WAVES},
                                                 {"wave-from", 1, 0, FROM},
                                                 {"wave-to", 1, 0, TO},
                                                 {"sniff", 0, 0, SNIFF},
                                                 {"no-monitor", 0, 0, NO_MONITOR},
                                                 {"cycles", 0, 0, CYCLES},
                                                 {"figures", 2, 0, FIGURES},
                                                 {"json", 1, 0, JSON},
                                                 {"help", 0, 0, HELP},
                                                 {0, 0, 0, 0}};
    struct options o = {.seed = 1, .bridge = "server2004", .payload = 62, .wave_to_us = UINT64_MAX, .monitor = 1};
    int c;
    while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) switch (c) {
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

/* Size of a file that can be read; ends the program if it cannot. */
static uint64_t file_size(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (!f || fstat(fileno(f), &st)) {
        fprintf(stderr, "nicxbar-sim: --file %s: %s\n", path, strerror(errno));
        exit(2);
    }
    fclose(f);
    if (!S_ISREG(st.st_mode)) {
        fprintf(stderr, "nicxbar-sim: --file %s: expected a regular file\n", path);
        exit(2);
    }
    return (uint64_t)st.st_size;
}

struct measure {
    meter *meter;
    sim_cycles *cycles;
};

static void started(void *arg)
{
    struct measure *m = arg;
    meter_clear(m->meter);
    if (m->cycles) sim_cycles_start(m->cycles);
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    if (o.figures) return figures_run(o.only, o.seed, o.json ? o.json : "build/figures.json");

    int both = o.both || !o.file;
    for (size_t i = 0; !o.file && i < sizeof default_files / sizeof default_files[0]; i++)
        if (!access(default_files[i], R_OK)) o.file = default_files[i];
    if (!o.file) {
        fprintf(stderr, "nicxbar-sim: no file to send is on this machine: name one with --file\n");
        return 2;
    }

    exchange x = {.interrupts = o.interrupts};
    for (int i = 0; i < 1 + both; i++) x.direction[i] = (exchange_direction){.path = o.file, .size = file_size(o.file)};

    pair_params params;
    pair_params_default(&params);
    params.sim.seed = o.seed;
    params.sim.quiet = 0;
    params.sim.waves = o.waves;
    params.sim.waves_from = o.wave_from_us * SIM_US;
    if (o.wave_to_us != UINT64_MAX) params.sim.waves_to = o.wave_to_us * SIM_US;
    for (int i = 0; i < 2; i++) {
        params.node[i].host = strcmp(o.bridge, "ideal") ? host_params_server2004() : host_params_ideal();
        params.node[i].host.monitor = o.monitor;
    }
    params.driver.payload_words = o.payload;
    x.p = pair_new(&params);
    if (!x.p) return 1;

    struct measure measure = {.meter = meter_new(x.p)};
    sniffer *print = NULL;
    if (o.sniff) {
        print = sniffer_new(sniffer_print_frame, stdout);
        sniffer_attach(print, x.p->wire, 0);
    }
    if (o.cycles) {
        measure.cycles = sim_cycles_new(x.p->s);
        for (int i = 0; i < 2; i++) sim_cycles_add(measure.cycles, x.p->node[i]->nic.model);
    }
    x.started = started;
    x.arg = &measure;
    sim_task_new(x.p->s, "exchange", exchange_run, &x);

    double began = report_wall();
    int result = sim_run(x.p->s, SIM_FOREVER);
    double seconds = report_wall() - began;

    int good = result == SIM_OK && exchange_good(&x);
    report r = {.x = &x,
                .meter = measure.meter,
                .cycles = measure.cycles,
                .bridge = o.bridge,
                .payload = o.payload,
                .wall = seconds,
                .result = result,
                .good = good,
                .waves = o.waves,
                .json = o.json     ? o.json
                        : o.cycles ? "build/cycles.json"
                                   : "build/sim.json"};
    if (report_print(&r, stdout)) good = 0;

    sniffer_free(print);
    sim_cycles_free(measure.cycles);
    meter_free(measure.meter);
    pair_free(x.p);
    return good ? 0 : result == SIM_INTERRUPTED ? 130 : 1;
}
