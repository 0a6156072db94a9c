#include "pm_program.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "pm_run.h"
#include "results.h"

typedef struct options {
    const char *arch, *sizes, *pattern, *arrivals, *waves, *json, *set;
    double load, part, high_load, multicast;
    unsigned ports, hot, cells, priorities, fanout, copies, split;
    uint64_t clocks, warmup, seed, wave_clocks;
    int help;
} options;

enum { MAKE = 1 }; /* of an option: a variable of make, too */

#define WHOLE(field) OPTION_WHOLE(options, field)
#define REAL(field) OPTION_REAL(options, field)
#define TEXT(field) OPTION_TEXT(options, field)

/* clang-format off */
static const option table[] = {
    {.help = "The switch:"},
    {"arch", "NAME", MAKE, TEXT(arch), 0, 0, NULL,
        "sm: segments; ppm, dpm: probabilistic, deterministic packet mode; vps: packets of any size; iq: bufferless"},
    {"ports", "N", MAKE, WHOLE(ports), 2, PM_PORTS, "16 or 4", "16 (default) or 4"},
    {"priorities", "N", MAKE, WHOLE(priorities), 1, 2, "1 or 2", "2: two lanes from line to line, strict order; not iq (1)"},
    {"split", "0|1", MAKE, WHOLE(split), 0, 1, "0 or 1", "1: what names several outputs goes to those that have room, to the rest later (0)"},
    {.help = "Traffic:"},
    {"load", "L", MAKE, REAL(load), 0.001, 1.2, "a part of the line's rate",
        "of each line in, with multicast of each line out (0.8; with two priorities of low priority, 0.5)"},
    {"high-load", "L", MAKE, REAL(high_load), 0, 1.2, "a part of the line's rate, 0 to 1.2", "the same of high priority (0.3 if there is one)"},
    {"multicast", "P", MAKE, REAL(multicast), 0, 1, "a part of the packets", "that name several outputs; sm, ppm, vps (0)"},
    {"fanout", "N", MAKE, WHOLE(fanout), 1, PM_PORTS, "a number of outputs", "that they name, at random (4)"},
    {"set", "PORTS", MAKE, TEXT(set), 0, 0, NULL, "... or these: 0,2,3"},
    {"copies", "0|1", MAKE, WHOLE(copies), 0, 1, "0 or 1", "1: the source sends a copy to each of them instead (0)"},
    {"sizes", "S", MAKE, TEXT(sizes), 0, 0, NULL,
        "bimodal (default: 95 % of 5 words, 5 % of 1024), uniform (5 to 1024), constant (1024), or words: 64, or 5..1024, or 5/1024/95"},
    {"pattern", "P", MAKE, TEXT(pattern), 0, 0, NULL,
        "uniform (default), zipf/K, or a scenario of make sim: hot-spot, permutation, diagonal, unbalanced"},
    {"arrivals", "A", MAKE, TEXT(arrivals), 0, 0, NULL,
        "poisson (default), instant (whole packets at once), onoff (geometric gaps), saturated (as fast as the line is, load 1); those of "
        "high priority are always poisson; none: only these"},
    {"hot", "PORT", MAKE, WHOLE(hot), 0, PM_PORTS - 1, "a port", "of hot-spot (0)"},
    {"part", "P", MAKE, REAL(part), 0, 1, "a part of the packets", "of hot-spot and unbalanced (0.5)"},
    {"cells", "0|1", MAKE, WHOLE(cells), 0, 1, "0 or 1",
        "1: packets are multiples of a cell of 8 words, 8 at least, and begin with a cell; always so with iq"},
    {.help = "The run:"},
    {"clocks", "N", MAKE, WHOLE(clocks), 1000, 1e10, "a number of clocks", "that are measured (2000000)"},
    {"warmup", "N", MAKE, WHOLE(warmup), 0, 1e10, "a number of clocks", "before (a tenth, 200000 at least)"},
    {"seed", "N", 0, WHOLE(seed), 0, 0, "a number", "of everything random (1)"},
    {"waves", "FILE", 0, TEXT(waves), 0, 0, NULL, "an FST file; programs in build/full only"},
    {"wave-clocks", "N", 0, WHOLE(wave_clocks), 1, 1e9, "a number of clocks", "that are recorded (20000)"},
    {"json", "FILE", 0, TEXT(json), 0, 0, NULL, "results go there, too"},
    {"help", NULL, 0, OPTION_FLAG(options, help), 0, 0, NULL, "this text"},
    {0},
};
/* clang-format on */

static int refuse(const char *text)
{
    fprintf(stderr, "packet-mode: %s\n", text);
    return 2;
}

static int wrong(const char *name, const char *value, const char *expected)
{
    char error[OPTION_ERROR];
    if (*value) option_complain(error, name, value, expected);
    else snprintf(error, sizeof error, "%s: expected %s", name, expected);
    return refuse(error);
}

/* ---- values that are no numbers ---- */

static int get_sizes(const char *text, size_choice *s, unsigned grain)
{
    unsigned least = grain > 5 ? grain : 5;
    double part;
    char end;
    if (!strcmp(text, "bimodal")) *s = (size_choice){SIZES_BIMODAL, least, 1024, 0.95};
    else if (!strcmp(text, "uniform")) *s = (size_choice){SIZES_UNIFORM, least, 1024, 0};
    else if (!strcmp(text, "constant")) *s = (size_choice){SIZES_FIXED, 1024, 1024, 0};
    else if (sscanf(text, "%u/%u/%lf%c", &s->low, &s->high, &part, &end) == 3 && part >= 0 && part <= 100)
        *s = (size_choice){SIZES_BIMODAL, s->low, s->high, part / 100};
    else if (sscanf(text, "%u..%u%c", &s->low, &s->high, &end) == 2) *s = (size_choice){SIZES_UNIFORM, s->low, s->high, 0};
    else if (sscanf(text, "%u%c", &s->low, &end) == 1) *s = (size_choice){SIZES_FIXED, s->low, s->low, 0};
    else return -1;
    return s->low >= 1 && s->low <= s->high && s->high <= 1024 && s->low % grain == 0 && s->high % grain == 0 ? 0 : -1;
}

static int get_pattern(const options *o, pm_traffic *t)
{
    char end;
    if (sscanf(o->pattern, "zipf/%lf%c", &t->zipf, &end) == 1 && t->zipf >= 0 && t->zipf <= 20) return 0;
    t->pattern.kind = pattern_find(o->pattern);
    if (!t->pattern.kind || t->pattern.kind->traits & PATTERN_ANSWERS || pattern_senders(&t->pattern) + 1 != 1u << o->ports) return -1;
    return 0;
}

static int get_process(const char *name, pm_traffic *t)
{
    static const char *const names[] = {"poisson", "onoff", "saturated", "instant"};
    if (!strcmp(name, "none")) return 0;
    for (unsigned k = 0; k < 4; k++)
        if (!strcmp(name, names[k])) {
            t->process = (pm_process)k;
            return 0;
        }
    return -1;
}

/* Ports behind commas, one at least. */
static int get_set(const char *text, unsigned ports, uint32_t *set)
{
    *set = 0;
    do {
        char *end;
        unsigned long port = strtoul(text, &end, 10);
        if (end == text || *text < '0' || *text > '9' || port >= ports || (*end && *end != ',')) return -1;
        *set |= 1u << port;
        text = *end ? end + 1 : NULL;
    } while (text);
    return 0;
}

/* Priorities and sets of outputs: what belongs together, and which switch has it. 0, or the code of a refusal. */
static int get_lanes(options *o, const pm_architecture *a, pm_run_params *p)
{
    pm_traffic *t = &p->traffic;
    char value[24];
    int bufferless = !strcmp(o->arch, "iq");
    if (o->priorities == 2 && bufferless) return wrong("priorities", "2", "1 with iq");
    if (o->high_load < 0) o->high_load = o->priorities == 2 ? 0.3 : 0;
    snprintf(value, sizeof value, "%g", o->high_load);
    if (o->high_load > 0 && o->priorities != 2) return wrong("high-load", value, "to be given with priorities 2 only");
    if (o->load < 0) o->load = o->priorities == 2 ? 0.5 : 0.8;
    if (!strcmp(o->arrivals, "none")) {
        if (o->high_load == 0) return wrong("arrivals", "none", "another one without packets of high priority");
        o->load = 0;
    }
    snprintf(value, sizeof value, "%g", o->load);
    if (t->process != PM_SATURATED && o->load + o->high_load > 1.2) return wrong("load", value, "1.2 at most with high-load");
    snprintf(value, sizeof value, "%g", o->multicast);
    if (o->multicast > 0 && bufferless) return wrong("multicast", value, "0 with iq");
    if (o->multicast > 0 && !strcmp(o->arch, "dpm"))
        return wrong("multicast", value, "0 with dpm: an output that waits for a lock would stop the credit of the one that has it");
    if (o->multicast == 0 && (o->set || o->fanout || o->copies || o->split))
        return wrong(o->set ? "set" : o->fanout ? "fanout" : o->copies ? "copies" : "split", "", "multicast P with it, P more than 0");
    if (o->set && get_set(o->set, o->ports, &t->outputs)) {
        char error[OPTION_ERROR];
        option_complain(error, "set", o->set, "ports of this switch, one at least: 0,2,3");
        return refuse(error);
    }
    if (!o->fanout) o->fanout = 4;
    snprintf(value, sizeof value, "%u", o->fanout);
    if (o->fanout > o->ports) return wrong("fanout", value, "no more than there are ports");
    if (t->process == PM_INSTANT && (o->priorities == 2 || o->multicast > 0))
        return wrong("arrivals", o->arrivals, "poisson, onoff or saturated with priorities or multicast");
    if (t->process == PM_SATURATED && o->copies) return wrong("arrivals", o->arrivals, "poisson or onoff with copies");
    if (o->split && !a->model[2]) return wrong("split", "1", "0 with this switch; sm and vps have it");
    if (o->split) p->model = a->model[2 + (o->ports == 4)];
    if ((o->priorities == 2 && sim_config_parameter(p->model, "PRIORITIES", 1) != 2) ||
        (o->multicast > 0 && !sim_config_parameter(p->model, "MULTICAST", 0)))
        return wrong("priorities or multicast", o->arch, "build/packet-mode-lanes, the program whose switches have them");
    t->high_load = o->high_load;
    t->multicast = o->multicast;
    t->fanout = o->fanout;
    p->copies = (int)o->copies;
    return 0;
}

/* ---- what is printed ---- */

static void print_delays(const char *name, const pm_delays *d)
{
    printf("%-22s %9lu %10.2f %10.2f %10.2f %10.2f\n", name, d->packets, d->mean, d->weighted, d->p99, d->deviation);
}

static void print_priorities(const options *o, const pm_result *priority)
{
    static const char *const names[] = {"low priority", "high priority"};
    for (int k = 1; k >= 0; k--) {
        const pm_result *r = &priority[k];
        print_delays(names[k], &r->all);
        if (k || strcmp(o->arrivals, "saturated")) print_delays("  ideal switch", &r->ideal);
        printf("  in %.4f, out %.4f words per line and clock; mean +- %.2f%s\n", r->offered, r->throughput, r->all.mean_ci,
               r->unstable ? "; UNSTABLE" : "");
    }
}

static void print(const options *o, const pm_architecture *a, const pm_result *r, const pm_result *priority)
{
    printf("%s, %u ports, %s, sizes %s, load %g, arrivals %s, seed %lu\n", a->words, o->ports, o->pattern, o->sizes, o->load, o->arrivals,
           o->seed);
    if (o->priorities == 2) printf("two priorities: %g of high priority besides\n", o->high_load);
    if (o->multicast > 0)
        printf("%g of the packets name %s %s%s\n", o->multicast, o->set ? "the outputs" : "outputs at random, as many as",
               o->set ? o->set : (char[12]){(char)('0' + o->fanout / 10), (char)('0' + o->fanout % 10), 0},
               o->copies  ? "; the source sends a copy to each"
               : o->split ? "; a unit may go to a part of them first"
                          : "");
    printf("\nwords per line and clock: in %.4f, out %.4f%s\n", r->offered, r->throughput,
           r->unstable ? "; UNSTABLE: what waits in the switch grows, so the delays below mean nothing" : "");
    printf("\ndelay [64 clocks]        packets       mean   weighted        p99  deviation\n");
    print_delays("all packets", &r->all);
    print_delays("up to a segment", &r->shorter);
    print_delays("longer", &r->longer);
    if (o->priorities == 2) print_priorities(o, priority);
    else print_delays("ideal switch", &r->ideal);
    printf("\n95 %% intervals: mean %.2f +- %.2f, weighted +- %.2f; with the ideal switch as control: mean %.2f +- %.2f, weighted %.2f +- "
           "%.2f\n",
           r->all.mean, r->all.mean_ci, r->weighted_ci, r->mean_cv, r->mean_cv_ci, r->weighted_cv, r->weighted_cv_ci);
    printf("ideal switch in the long run: mean %.2f, weighted %.2f\n", r->ideal_long_mean, r->ideal_long_weighted);
    printf("where: VOQ %.2f, crosspoint %.2f, reassembly %.2f; weighted %.2f, %.2f, %.2f; means of single flows %.2f to %.2f\n", r->in_voq,
           r->in_crosspoint, r->in_reassembly, r->weighted_voq, r->weighted_crosspoint, r->weighted_reassembly, r->least_flow,
           r->most_flow);
    printf(
        "packet modes begun %lu, of %lu packets longer than a segment; cancelled %lu; locks refused %lu; most words in an egress card %u\n",
        r->pairs, r->packets_of_segments, r->cancelled, r->refused, r->most_reassembly);
    if (r->lone) printf("pairs of cells that could only be the one before: %lu\n", r->lone);
    if (r->dropped) printf("packets for a full VOQ, left out: %lu\n", r->dropped);
    printf("%lu clocks in %.1f s, %.0f kHz; every word compared\n", r->clocks, r->wall, (double)r->clocks / r->wall / 1000);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *delays_json(const pm_delays *d)
{
    return json_pack("{sI so so so so so}", "packets", (json_int_t)d->packets, "mean", number(d->mean), "mean_ci", number(d->mean_ci),
                     "weighted", number(d->weighted), "p99", number(d->p99), "deviation", number(d->deviation));
}

static json_t *result_json(const options *o, const pm_result *r)
{
    json_t *shares = json_array();
    for (unsigned i = 0; i < o->ports; i++) {
        json_t *row = json_array();
        for (unsigned k = 0; k < o->ports; k++) json_array_append_new(row, json_real(r->share[i][k]));
        json_array_append_new(shares, row);
    }
    return json_pack(
        "{ss si ss ss ss sf sI sI sI sb so so so so so so so so so so so so s[ooo] s[ooo] s[oo] so sI sI sI sI sI sI si}", "arch", o->arch,
        "ports", (int)o->ports, "sizes", o->sizes, "pattern", o->pattern, "arrivals", o->arrivals, "load", o->load, "clocks",
        (json_int_t)o->clocks, "warmup", (json_int_t)o->warmup, "seed", (json_int_t)o->seed, "unstable", r->unstable, "offered",
        number(r->offered), "throughput", number(r->throughput), "all", delays_json(&r->all), "shorter", delays_json(&r->shorter), "longer",
        delays_json(&r->longer), "ideal", delays_json(&r->ideal), "ideal_long_mean", number(r->ideal_long_mean), "ideal_long_weighted",
        number(r->ideal_long_weighted), "mean_cv", number(r->mean_cv), "mean_cv_ci", number(r->mean_cv_ci), "weighted_cv",
        number(r->weighted_cv), "weighted_cv_ci", number(r->weighted_cv_ci), "parts", number(r->in_voq), number(r->in_crosspoint),
        number(r->in_reassembly), "weighted_parts", number(r->weighted_voq), number(r->weighted_crosspoint), number(r->weighted_reassembly),
        "flow_means", number(r->least_flow), number(r->most_flow), "shares", shares, "pairs", (json_int_t)r->pairs, "cancelled",
        (json_int_t)r->cancelled, "refused", (json_int_t)r->refused, "lone", (json_int_t)r->lone, "dropped", (json_int_t)r->dropped,
        "longer_packets", (json_int_t)r->packets_of_segments, "most_reassembly", (int)r->most_reassembly);
}

static json_t *priority_json(const pm_result *r)
{
    return json_pack("{so so sb so so so so so so so}", "offered", number(r->offered), "throughput", number(r->throughput), "unstable",
                     r->unstable, "all", delays_json(&r->all), "shorter", delays_json(&r->shorter), "longer", delays_json(&r->longer),
                     "ideal", delays_json(&r->ideal), "ideal_long_mean", number(r->ideal_long_mean), "mean_cv", number(r->mean_cv),
                     "mean_cv_ci", number(r->mean_cv_ci));
}

/* What only switches with priorities or sets have. */
static json_t *with_lanes(json_t *j, const options *o, const pm_result *priority)
{
    if (o->priorities == 2)
        json_object_update_new(j, json_pack("{si sf so so}", "priorities", 2, "high_load", o->high_load, "high",
                                            priority_json(&priority[1]), "low", priority_json(&priority[0])));
    if (o->multicast > 0)
        json_object_update_new(j, json_pack("{sf si ss* sb sb}", "multicast", o->multicast, "fanout", (int)o->fanout, "set", o->set,
                                            "copies", (int)o->copies, "split", (int)o->split));
    return j;
}

/* ---- the program ---- */

int packet_mode(int argc, char **argv, const pm_architecture *architectures)
{
    options o = {.arch = "dpm",
                 .sizes = "bimodal",
                 .pattern = "uniform",
                 .arrivals = "poisson",
                 .load = -1,
                 .high_load = -1,
                 .priorities = 1,
                 .part = 0.5,
                 .ports = 16,
                 .clocks = 2000000,
                 .warmup = UINT64_MAX,
                 .seed = 1,
                 .wave_clocks = 20000};
    const pm_architecture *a = architectures;
    pm_run_params p = {0};
    pm_result priority[PM_PRIORITIES];
    char error[OPTION_ERROR], number_text[24], *path = NULL;
    int code;
    for (int k = 1; k < argc; k++) {
        const option *row = !strncmp(argv[k], "--", 2) ? option_find(table, argv[k] + 2) : NULL;
        if (!row) return wrong(argv[k], "", "an option; --help says which there are");
        if (row->argument && k + 1 == argc) return wrong(row->name, "", row->expected ? row->expected : row->argument);
        if (option_set(row, &o, row->argument ? argv[++k] : NULL, error)) return refuse(error);
    }
    if (o.help) {
        puts("packet-mode: a switch for packets longer than its crosspoints (S3, appendix), line to line\n");
        for (const option *row = table; row->name || row->help; row++) option_help(row, stdout);
        return 0;
    }
    while (a->name && strcmp(a->name, o.arch)) a++;
    if (!a->name) return wrong("arch", o.arch, "sm, ppm, dpm, vps or iq");
    p.model = a->model[o.ports == 4];
    snprintf(number_text, sizeof number_text, "%u", o.ports);
    if (o.ports != 16 && o.ports != 4) return wrong("ports", number_text, "16 or 4");
    p.traffic.pattern = (pattern){.nodes = o.ports, .hot = o.hot, .part = o.part, .seed = o.seed};
    p.traffic.grain = o.cells || !strcmp(o.arch, "iq") ? 8 : 1;
    if (get_sizes(o.sizes, &p.traffic.pattern.sizes, p.traffic.grain))
        return wrong(
            "sizes", o.sizes,
            "bimodal, uniform, constant, or words from 1 to 1024 (of cells: multiples of 8): 64, 5..1024 or 5/1024/95 (95 % of 5)");
    if (get_pattern(&o, &p.traffic))
        return wrong("pattern", o.pattern,
                     "zipf/K with K from 0 to 20, uniform, hot-spot, permutation, diagonal, unbalanced or round-robin");
    if (get_process(o.arrivals, &p.traffic)) return wrong("arrivals", o.arrivals, "poisson, instant, onoff or saturated");
    if ((code = get_lanes(&o, a, &p)) != 0) return code;
    p.traffic.load = o.load;
    if (o.priorities == 2) p.priority = priority;
    snprintf(number_text, sizeof number_text, "%u", o.hot);
    if (o.hot >= o.ports) return wrong("hot", number_text, "a port of this switch");
    if (o.warmup == UINT64_MAX) o.warmup = o.clocks / 10 > 200000 ? o.clocks / 10 : 200000;
    snprintf(number_text, sizeof number_text, "%g", o.load);
    if (p.traffic.process == PM_INSTANT && o.load > PM_INSTANT_MOST)
        return wrong("load", number_text, "0.95 at most with arrivals instant");
    if (p.traffic.process == PM_SATURATED) o.load = p.traffic.load = 1;
    if (o.waves && !p.model->waves) return wrong("waves", o.waves, "build/full/packet-mode, which is built to be looked into");
    p.clocks = o.clocks;
    p.warmup = o.warmup;
    p.waves = o.waves;
    p.wave_clocks = o.wave_clocks;
    if (o.json && !(path = results_claim(o.json))) return 1;

    pm_result r = pm_run(&p);
    code = r.error && *r.error ? 1 : r.interrupted ? 130 : 0;
    if (!code) {
        print(&o, a, &r, priority);
        if (path && results_write(with_lanes(result_json(&o, &r), &o, priority), path)) code = 1;
    }
    if (code == 1)
        printf("BAD: %s; again: packet-mode --arch %s --seed %lu ...\n", r.error ? r.error : "the results are not saved", o.arch, o.seed);
    else if (code) puts("INTERRUPTED: nothing is saved");
    else printf("GOOD%s%s\n", path ? ": results in " : "", path ? path : "");
    free(path);
    return code;
}
