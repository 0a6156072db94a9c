#include "sim/app/packet_mode/pm_setup.h"

#include <stdlib.h>
#include <string.h>

pm_setup pm_setup_default(void)
{
    return (pm_setup){.sizes = "bimodal",
                      .pattern = "uniform",
                      .arrivals = "poisson",
                      .cells = "0",
                      .load = 0.8,
                      .part = 0.5,
                      .ports = 16,
                      .clocks = 2000000,
                      .warmup = UINT64_MAX,
                      .seed = 1,
                      .priorities = 1};
}

uint64_t pm_setup_warmup(uint64_t clocks) { return clocks / 10 > 200000 ? clocks / 10 : 200000; }

/* ---- values that are no numbers ---- */

static int get_sizes(const char *text, size_choice *s, unsigned grain, unsigned most)
{
    unsigned least = grain > 5 ? grain : 5;
    double part;
    char end;
    if (!strcmp(text, "bimodal")) *s = (size_choice){SIZES_BIMODAL, least, 1024, 0.95};
    else if (!strcmp(text, "uniform")) *s = (size_choice){SIZES_UNIFORM, least, 1024, 0};
    else if (!strcmp(text, "constant")) *s = (size_choice){SIZES_FIXED, 1024, 1024, 0};
    else if (text[strspn(text, "0123456789./")]) return -1; /* no signs, blanks, exponents */
    else if (sscanf(text, "%9u/%9u/%lf%c", &s->low, &s->high, &part, &end) == 3 && part >= 0 && part <= 100)
        *s = (size_choice){SIZES_BIMODAL, s->low, s->high, part / 100};
    else if (sscanf(text, "%9u..%9u%c", &s->low, &s->high, &end) == 2)
        *s = (size_choice){SIZES_UNIFORM, s->low, s->high, 0};
    else if (sscanf(text, "%9u%c", &s->low, &end) == 1) *s = (size_choice){SIZES_FIXED, s->low, s->low, 0};
    else return -1;
    return s->low >= 1 && s->low <= s->high && s->high <= most && s->low % grain == 0 && s->high % grain == 0 ? 0 : -1;
}

static int get_pattern(const pm_setup *o, pm_traffic *t)
{
    if (!strncmp(o->pattern, "zipf/", 5)) return option_get_real(o->pattern + 5, 0, 20, &t->zipf) ? 0 : -1;
    t->pattern.kind = pattern_find(o->pattern);
    if (!t->pattern.kind || t->pattern.kind->traits & PATTERN_ANSWERS ||
        pattern_senders(&t->pattern) + 1 != 1u << o->ports)
        return -1;
    return 0;
}

static int get_process(const char *name, pm_traffic *t)
{
    static const char *const names[] = {"poisson", "onoff", "saturated", "instant", "staircase"};
    if (!strcmp(name, "none")) return 0; /* only packets of high priority */
    for (unsigned k = 0; k < 5; k++)
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

static int complain(char error[OPTION_ERROR], const char *name, double value, const char *expected)
{
    char text[24];
    snprintf(text, sizeof text, "%g", value);
    return option_complain(error, name, text, expected);
}

/* Priorities and sets of outputs: what belongs together, and which switch has it. */
static int get_lanes(const pm_setup *s, pm_run_params *p, char error[OPTION_ERROR])
{
    pm_traffic *t = &p->traffic;
    int bufferless = !strcmp(s->arch, "iq");
    char text[64];
    if (s->priorities == 2 && bufferless) return complain(error, "priorities", 2, "1 with --arch=iq");
    if (s->high_load > 0 && s->priorities != 2)
        return complain(error, "high-load", s->high_load, "to be given with --priorities=2 only");
    if (!strcmp(s->arrivals, "none") && s->high_load == 0)
        return option_complain(error, "arrivals", "none", "another one without packets of high priority");
    if (!pm_traffic_full(t) && s->load + s->high_load > 1.2 + 1e-9) {
        int high = s->high_load > s->load;
        snprintf(text, sizeof text, "1.2 at most with --%s=%g", high ? "load" : "high-load",
                 high ? s->load : s->high_load);
        return complain(error, high ? "high-load" : "load", high ? s->high_load : s->load, text);
    }
    if (s->multicast > 0 && bufferless) return complain(error, "multicast", s->multicast, "0 with --arch=iq");
    if (s->multicast > 0 && !strcmp(s->arch, "dpm"))
        return complain(
            error, "multicast", s->multicast,
            "0 with --arch=dpm: an output that waits for a lock would stop the credit of the one that has it");
    if (s->multicast == 0 && (s->set || s->fanout || s->copies || s->split)) {
        snprintf(error, OPTION_ERROR, "%s: expected together with --multicast=P, a part of the packets",
                 s->set      ? "set"
                 : s->fanout ? "fanout"
                 : s->copies ? "copies"
                             : "split");
        return -1;
    }
    if (s->set && get_set(s->set, s->ports, &t->outputs))
        return option_complain(error, "set", s->set, "ports of this switch, one at least: 0,2,3");
    snprintf(text, sizeof text, "a number of outputs, 1 to %u", s->ports);
    if (s->fanout > s->ports) return complain(error, "fanout", s->fanout, text);
    if ((t->process == PM_INSTANT || t->process == PM_STAIRCASE) && (s->priorities == 2 || s->multicast > 0))
        return option_complain(error, "arrivals", s->arrivals,
                               "poisson, onoff or saturated with --priorities=2 or --multicast");
    if (t->process == PM_SATURATED && s->copies)
        return option_complain(error, "arrivals", s->arrivals, "poisson or onoff with --copies=1");
    snprintf(text, sizeof text, "0 with --arch=%s; sm and vps have it", s->arch);
    if (s->split && strcmp(s->arch, "sm") && strcmp(s->arch, "vps")) return complain(error, "split", 1, text);
    if (!p->model)
        return option_complain(error, "priorities or multicast", s->arch,
                               "build/packet-mode-lanes, the program whose switches have them");
    t->high_load = s->high_load;
    t->multicast = s->multicast;
    t->fanout = s->fanout ? s->fanout : 4;
    p->copies = (int)s->copies;
    return 0;
}

/* Kind 0: neither; 1: two priorities and sets of outputs; 2: with SPLIT. */
static const sim_config *model_of(const pm_architecture *a, unsigned kind, unsigned ports)
{
    const sim_config *other = a->model[6 + kind];
    if (ports == 16 || ports == 4) return a->model[2 * kind + (ports == 4)];
    return other && sim_config_parameter(other, "PORTS", 16) == ports ? other : NULL;
}

const sim_config *pm_setup_model(const pm_setup *s, const pm_architecture *a)
{
    unsigned sets = s->multicast > 0 && !s->copies;
    return model_of(a, s->split ? 2 : s->priorities == 2 || sets ? 1 : 0, s->ports);
}

int pm_setup_params(const pm_setup *s, const pm_architecture *architectures, pm_run_params *p, char error[OPTION_ERROR])
{
    const pm_architecture *a = architectures;
    char text[24];
    unsigned most;
    *p = (pm_run_params){0};
    while (a->name && strcmp(a->name, s->arch)) a++;
    if (!a->name) return option_complain(error, "arch", s->arch, "sm, ppm, dpm, vps or iq");
    if (!model_of(a, 0, s->ports) && !model_of(a, 1, s->ports) && !model_of(a, 2, s->ports))
        return complain(error, "ports", s->ports,
                        "16 or 4, or the number in the program's name; make packet-mode makes one of any number");
    p->model = pm_setup_model(s, a);
    most = p->model ? (unsigned)sim_config_parameter(p->model, "MOST_WORDS", 1024) : 1024;
    p->traffic.pattern = (pattern){.nodes = s->ports, .hot = s->hot, .part = s->part, .seed = s->seed};
    p->traffic.padded = !strcmp(s->cells, "padded");
    p->traffic.grain = strcmp(s->cells, "0") || !strcmp(s->arch, "iq") ? 8 : 1;
    p->traffic.load = s->load;
    if (get_sizes(s->sizes, &p->traffic.pattern.sizes, p->traffic.padded ? 1 : p->traffic.grain, most))
        return option_complain(error, "sizes", s->sizes,
                               "bimodal, uniform, constant, or words from 1 to 1024 (of cells: multiples of 8): 64, "
                               "5..1024 or 5/1024/95 (95 % of 5)");
    if (get_pattern(s, &p->traffic))
        return option_complain(
            error, "pattern", s->pattern,
            "zipf/K with K from 0 to 20, uniform, hot-spot, permutation, diagonal, unbalanced or round-robin");
    if (get_process(s->arrivals, &p->traffic))
        return option_complain(error, "arrivals", s->arrivals,
                               "one of none, poisson, instant, onoff, saturated or staircase");
    snprintf(text, sizeof text, "%u", s->hot);
    if (s->hot >= s->ports) return option_complain(error, "hot", text, "a port of this switch");
    snprintf(text, sizeof text, "%g", s->load);
    if (p->traffic.process == PM_INSTANT && s->load > PM_INSTANT_MOST)
        return option_complain(error, "load", text, "0.95 at most with --arrivals=instant");
    if (pm_traffic_full(&p->traffic)) p->traffic.load = 1;
    p->clocks = s->clocks;
    p->warmup = s->warmup == UINT64_MAX ? pm_setup_warmup(s->clocks) : s->warmup;
    return get_lanes(s, p, error);
}
