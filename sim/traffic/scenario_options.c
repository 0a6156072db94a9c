/* Options of a scenario: text in, parameters or a complaint out. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/* From the smallest packet to the largest that a switch forwards [bytes]. */
static const unsigned sweep[] = {8, 16, 24, 56, 120, 248, 376, 496};

static size_choice fixed(unsigned words)
{
    return (size_choice){.kind = SIZES_FIXED, .low = words, .high = words};
}

void scenario_params_default(scenario_params *p)
{
    *p = (scenario_params){.warmup = 50 * SIM_US, .measure = 200 * SIM_US, .drain = 500 * SIM_US, .batches = 10};
    p->pattern.kind = PATTERN_ONE_WAY;
    p->pattern.part = 0.5;
}

static int complain(char *error, const char *option, const char *value, const char *expected)
{
    snprintf(error, SCENARIO_ERROR, "%s %s: expected %s", option, value, expected);
    return -1;
}

/* ---- numbers ---- */

static int get_number(const char *text, double least, double most, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return !errno && end != text && !*end && *value >= least && *value <= most && strspn(text, "0123456789.") == strlen(text);
}

static int get_whole(const char *text, unsigned long least, unsigned long most, unsigned long *value)
{
    char *end;
    errno = 0;
    *value = strtoul(text, &end, 10);
    return !errno && end != text && !*end && strspn(text, "0123456789") == strlen(text) && *value >= least && *value <= most;
}

/* ---- sizes ---- */

static int get_bytes(const char *text, unsigned *words)
{
    unsigned long bytes;
    if (!get_whole(text, 8, 8 * PATTERN_MOST_WORDS, &bytes) || bytes % 8) return 0;
    *words = (unsigned)(bytes / 8);
    return 1;
}

/* One choice: A, A..B or A/B/P. Alters text. */
static int get_size(char *text, size_choice *s)
{
    char *second = strstr(text, ".."), *third;
    double percent;
    *s = (size_choice){0};
    if (second) {
        *second = '\0';
        s->kind = SIZES_UNIFORM;
        return get_bytes(text, &s->low) && get_bytes(second + 2, &s->high) && s->low < s->high;
    }
    if ((second = strchr(text, '/'))) {
        *second++ = '\0';
        if (!(third = strchr(second, '/'))) return 0;
        *third++ = '\0';
        s->kind = SIZES_BIMODAL;
        if (!get_bytes(text, &s->low) || !get_bytes(second, &s->high) || !get_number(third, 0, 100, &percent)) return 0;
        s->part_low = percent / 100;
        return 1;
    }
    s->kind = SIZES_FIXED;
    return get_bytes(text, &s->low) && get_bytes(text, &s->high);
}

static int set_sizes(scenario_params *p, const char *option, const char *value, char *error)
{
    static const char expected[] =
        "sweep, or up to 32 of BYTES, LEAST..MOST, SMALL/LARGE/PERCENT_SMALL with commas between; bytes are multiples "
        "of 8 from 8 to 4096";
    char copy[1024], *save = NULL;
    p->rows = 0;
    if (!strcmp(value, "sweep")) {
        for (unsigned i = 0; i < sizeof sweep / sizeof sweep[0]; i++) p->sizes[p->rows++] = fixed(sweep[i] / 8);
        return 0;
    }
    if (strlen(value) >= sizeof copy) return complain(error, option, "...", expected);
    strcpy(copy, value);
    for (char *one = strtok_r(copy, ",", &save); one; one = strtok_r(NULL, ",", &save))
        if (p->rows == SCENARIO_ROWS || !get_size(one, &p->sizes[p->rows++])) return complain(error, option, value, expected);
    return p->rows ? 0 : complain(error, option, value, expected);
}

const char *scenario_size_text(const size_choice *s, char *text, size_t size)
{
    if (s->kind == SIZES_FIXED) snprintf(text, size, "%u", 8 * s->low);
    else if (s->kind == SIZES_UNIFORM) snprintf(text, size, "%u..%u", 8 * s->low, 8 * s->high);
    else snprintf(text, size, "%u/%u/%g", 8 * s->low, 8 * s->high, 100 * s->part_low);
    return text;
}

/* ---- options ---- */

static int set_kind(scenario_params *p, const char *option, const char *value, char *error)
{
    char names[SCENARIO_ERROR] = "one of";
    for (int i = 0; pattern_name(i); i++) {
        if (!strcmp(value, pattern_name(i))) {
            p->pattern.kind = (pattern_kind)i;
            return 0;
        }
        strcat(strcat(names, " "), pattern_name(i));
    }
    return complain(error, option, value, names);
}

static int set_time(sim_time *time, const char *option, const char *value, double least, char *error)
{
    double us;
    if (!get_number(value, least, 1e7, &us))
        return complain(error, option, value, least > 0 ? "microseconds, 1 to 10000000" : "microseconds, 0 to 10000000");
    *time = (sim_time)(us * (double)SIM_US);
    return 0;
}

int scenario_set(scenario_params *p, const char *option, const char *value, char error[SCENARIO_ERROR])
{
    unsigned long number;
    if (!strcmp(option, "scenario")) return set_kind(p, option, value, error);
    if (!strcmp(option, "sizes")) {
        p->sizes_given = 1;
        return set_sizes(p, option, value, error);
    }
    if (!strcmp(option, "warmup")) return set_time(&p->warmup, option, value, 0, error);
    if (!strcmp(option, "measure")) p->measure_given = 1;
    if (!strcmp(option, "measure")) return set_time(&p->measure, option, value, 1, error);
    if (!strcmp(option, "arrivals")) {
        p->arrivals_given = 1;
        p->poisson = !strcmp(value, "poisson");
        return p->poisson || !strcmp(value, "saturated") ? 0 : complain(error, option, value, "poisson or saturated");
    }
    if (!strcmp(option, "load")) {
        p->load_given = 1;
        if (get_number(value, 0.001, 2, &p->pattern.load)) return 0;
        return complain(error, option, value, "a part of the link's rate, 0.001 to 2");
    }
    if (!strcmp(option, "part")) {
        p->part_given = 1;
        if (get_number(value, 0, 1, &p->pattern.part)) return 0;
        return complain(error, option, value, "a part of the packets, 0 to 1");
    }
    if (!strcmp(option, "hot")) {
        p->hot_given = 1;
        if (!get_whole(value, 0, PATTERN_NODES - 1, &number)) return complain(error, option, value, "a node, 0 to 15");
        p->pattern.hot = (unsigned)number;
        return 0;
    }
    if (!strcmp(option, "notify")) {
        p->notify_given = 1;
        if (!get_whole(value, 1, 100000, &number)) return complain(error, option, value, "a number of packets, 1 to 100000");
        p->notify = (unsigned)number;
        return 0;
    }
    if (!strcmp(option, "outstanding")) {
        p->outstanding_given = 1;
        if (!get_whole(value, 0, 100000, &number) || (number && number < 4))
            return complain(error, option, value, "packets of a flow, 4 to 100000, or 0 for no limit");
        p->outstanding = (unsigned)number;
        return 0;
    }
    if (!strcmp(option, "packets")) {
        if (!get_whole(value, 1, 1000000000, &number)) return complain(error, option, value, "a number of packets, 1 to 1000000000");
        p->packets = number;
        return 0;
    }
    return complain(error, option, value, "no such option");
}

int scenario_complete(scenario_params *p, unsigned nodes, int has_switch, unsigned payload_words, uint64_t seed, char error[SCENARIO_ERROR])
{
    pattern *t = &p->pattern;
    const char *name = pattern_name(t->kind);
    int test = t->kind <= PATTERN_ROUND_ROBIN;
    char value[32], text[96], size[32];
    snprintf(value, sizeof value, "%u", nodes);
    if (nodes < pattern_nodes(t->kind)) {
        snprintf(text, sizeof text, "at least %u for the scenario %s", pattern_nodes(t->kind), name);
        return complain(error, "nodes", value, text);
    }
    if (!has_switch && t->kind != PATTERN_PING_PONG && t->kind != PATTERN_ONE_WAY && t->kind != PATTERN_N_TO_ONE)
        return complain(error, "scenario", name, "ping-pong, one-way or n-to-one where there is no switch: a node cannot send to itself");
    if (p->load_given && p->arrivals_given && !p->poisson)
        return complain(error, "arrivals", "saturated", "poisson with a load: saturated senders send whatever the link takes");
    if (t->kind == PATTERN_PING_PONG && (p->load_given || p->arrivals_given))
        return complain(error, "scenario", name, "no load and no arrivals: each packet answers the one before");
    if (t->kind == PATTERN_PING_PONG && (p->notify_given || p->outstanding_given))
        return complain(error, "scenario", name, "no notify and no outstanding: one packet is in play, and each is notified");
    if (p->packets && p->measure_given) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)p->packets);
        return complain(error, "packets", value, "no measure beside it: the window ends when so many packets have landed");
    }
    if (p->hot_given && t->kind != PATTERN_HOT_SPOT) return complain(error, "scenario", name, "hot-spot where a hot node is named");
    if (p->part_given && t->kind != PATTERN_HOT_SPOT && t->kind != PATTERN_UNBALANCED)
        return complain(error, "scenario", name, "hot-spot or unbalanced where a part is given");
    if (t->hot >= nodes) {
        snprintf(value, sizeof value, "%u", t->hot);
        snprintf(text, sizeof text, "a node, 0 to %u", nodes - 1);
        return complain(error, "hot", value, text);
    }
    if (p->load_given) p->poisson = 1;
    if (p->poisson && !p->load_given) t->load = 0.8;
    if (!p->sizes_given) {
        unsigned most = payload_words < 62 ? payload_words : 62;
        p->rows = 0;
        for (unsigned i = 0; test && i < sizeof sweep / sizeof sweep[0] && sweep[i] / 8 < most; i++)
            p->sizes[p->rows++] = fixed(sweep[i] / 8);
        p->sizes[p->rows++] = fixed(most);
    }
    for (unsigned i = 0; i < p->rows; i++)
        if (p->sizes[i].low > payload_words || p->sizes[i].high > payload_words) {
            snprintf(text, sizeof text, "at most %u bytes, the longest payload of a packet (--payload)", 8 * payload_words);
            return complain(error, "sizes", scenario_size_text(&p->sizes[i], size, sizeof size), text);
        }
    if (!p->outstanding_given) p->outstanding = p->poisson ? 0 : 16;
    if (!p->notify_given) p->notify = t->kind == PATTERN_PING_PONG ? 1 : 8;
    t->nodes = nodes;
    t->seed = seed;
    if (!t->word_time) t->word_time = 12800;
    return 0;
}
