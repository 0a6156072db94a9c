/* Options of a scenario: text in, parameters or a complaint out. */
#include <stdio.h>
#include <string.h>

#include "sim/traffic/scenario/scenario_params.h"

/* From the smallest packet to the largest that a switch forwards [bytes]. */
static const unsigned sweep[] = {8, 16, 24, 56, 120, 248, 376, 496};
enum { SWEEP = sizeof sweep / sizeof sweep[0] };

static size_choice fixed(unsigned words) { return (size_choice){.kind = SIZES_FIXED, .low = words, .high = words}; }

/* ---- sizes ---- */

static int get_bytes(const char *text, unsigned *words)
{
    uint64_t bytes;
    if (!option_get_whole(text, 8, 8 * PATTERN_MOST_WORDS, &bytes) || bytes % 8) return 0;
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
        if (!get_bytes(text, &s->low) || !get_bytes(second, &s->high) || !option_get_real(third, 0, 100, &percent))
            return 0;
        s->part_low = percent / 100;
        return 1;
    }
    s->kind = SIZES_FIXED;
    return get_bytes(text, &s->low) && get_bytes(text, &s->high);
}

static int set_sizes(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    scenario_params *p = field;
    char copy[1024], *save = NULL;
    (void)o;
    (void)error;
    p->rows = 0;
    if (!strcmp(value, "sweep")) {
        for (unsigned i = 0; i < SWEEP; i++) p->sizes[p->rows++] = fixed(sweep[i] / 8);
        return 0;
    }
    if (strlen(value) >= sizeof copy) return -1;
    strcpy(copy, value);
    for (char *one = strtok_r(copy, ",", &save); one; one = strtok_r(NULL, ",", &save))
        if (p->rows == SCENARIO_ROWS || !get_size(one, &p->sizes[p->rows++])) return -1;
    return p->rows ? 0 : -1;
}

const char *scenario_size_text(const size_choice *s, char *text, size_t size)
{
    if (s->kind == SIZES_FIXED) snprintf(text, size, "%u", 8 * s->low);
    else if (s->kind == SIZES_UNIFORM) snprintf(text, size, "%u..%u", 8 * s->low, 8 * s->high);
    else snprintf(text, size, "%u/%u/%g", 8 * s->low, 8 * s->high, 100 * s->part_low);
    return text;
}

/* ---- remote queues, counters, words ---- */

/* clang-format off */
const sync_kind sync_kinds[] = {
    {"queue", "all others send messages to a remote queue of the last node", SYNC_QUEUE, "message slots"},
    {"barrier", "all nodes meet at barriers, released by NICs and by software in turn", SYNC_BARRIER, "message"},
    {"lock", "all nodes pass a ticket lock at node 0", SYNC_LOCK, "message"},
    {"counter", "all nodes change words and counters of any node", SYNC_COUNTER, "message"},
    {0}
};
/* clang-format on */

static int set_message(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    (void)o;
    (void)error;
    return get_bytes(value, field) && *(unsigned *)field <= 62 ? 0 : -1;
}

/* ---- other values that are no numbers ---- */

static int set_kind(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    char names[OPTION_ERROR - 80];
    scenario_params *p = field;
    const pattern_kind *kind = pattern_find(value);
    (void)o;
    p->sync = NULL;
    for (const sync_kind *k = sync_kinds; k->name; k++)
        if (!strcmp(value, k->name)) p->sync = k;
    if (kind) p->pattern.kind = kind;
    else if (!p->sync)
        snprintf(error, OPTION_ERROR, "one of %s; or queue, barrier, lock or counter",
                 pattern_names(0, names, sizeof names));
    return kind || p->sync ? 0 : -1;
}

static int set_arrivals(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    const char *name;
    if (option_choice(o, &name, value, error)) return -1;
    *(int *)field = !strcmp(name, "poisson");
    return 0;
}

static int set_outstanding(const option *o, void *field, const char *value, char error[OPTION_ERROR])
{
    uint64_t number;
    (void)o;
    (void)error;
    if (!option_get_whole(value, 0, 100000, &number) || (number && number < 4)) return -1;
    *(unsigned *)field = (unsigned)number;
    return 0;
}

/* ---- the table ---- */

#define PLACE(field) OPTION_FIELD(scenario_params, field)
#define WHOLE(field) OPTION_WHOLE(scenario_params, field)
#define REAL(field) OPTION_REAL(scenario_params, field)
#define TIME(field) OPTION_TIME(scenario_params, field)

/* clang-format off */
const option scenario_options[] = {
    {.help = "Traffic:"},
    {"scenario", "NAME", 0, set_kind, 0, 0, 0, 0, NULL,
        "traffic pattern; each sender has a queue of packets for each receiver, so a slow receiver does not stop the others. NAME:"},
    {"sizes", "LIST", 0, set_sizes, 0, 0, 0, 0, "sweep, or up to 32 of BYTES, LEAST..MOST, SMALL/LARGE/PERCENT_SMALL with commas between; "
        "bytes are multiples of 8 from 8 to 4096",
        "payload bytes, one row each: 496 or 8..496 (uniform) or 40/496/60 (60 % of 40) or sweep; commas between"},
    {"arrivals", "A", 0, set_arrivals, PLACE(poisson), 0, 0, "poisson or saturated",
        "saturated (default: as fast as packets are taken, never fewer than the link carries) or poisson"},
    {"load", "L", 0, REAL(pattern.load), 0.001, 2, "a part of the link's rate",
        "Poisson arrivals with the share L of each sender's link (default 0.8); a load that the system cannot carry is reported as overloaded"},
    {"hot", "NODE", 0, WHOLE(pattern.hot), 0, PATTERN_NODES - 1, "a node", "node that the scenario singles out (default 0)"},
    {"part", "P", 0, REAL(pattern.part), 0, 1, "a part of the packets", "share of the packets, where the scenario uses one (default 0.5)"},
    {"warmup", "US", 0, TIME(warmup), 0, 1e7, "microseconds", "warm-up before the window [us] (default 50)"},
    {"measure", "US", 0, TIME(measure), 1, 1e7, "microseconds", "measured window [us] (default 200)"},
    {"packets", "N", 0, WHOLE(packets), 1, 1e9, "a number of packets", "window in packets that have landed; queue to counter: operations (default 1000)"},
    {"notify", "N", 0, WHOLE(notify), 1, 1e5, "a number of packets", "remote notification for every nth packet of a flow (default 8)"},
    {"outstanding", "N", 0, set_outstanding, PLACE(outstanding), 0, 0, "packets of a flow, 4 to 100000, or 0 for no limit",
        "limit of packets of a flow between posting and landing (default 16; 0, the default with Poisson arrivals: none)"},
    {"message", "BYTES", 0, set_message, PLACE(message), 0, 0, "a multiple of 8 from 8 to 496",
        "queue: payload of a message [bytes] (default 64); barrier, lock and counter take it without using it"},
    {"slots", "N", 0, WHOLE(slots), 2, 4096, "2, 4, 8 .. 4096",
        "queue: slots of the remote queue (default 128)"},
    {"body-limit", "N", 0, WHOLE(body_limit), 0, 4096, "blocks of external memory",
        "pages of external memory for the body of one output queue of a NIC, register BODY_LIMIT (default 512; 0: no bodies)"},
    {0}
};
/* clang-format on */

void scenario_params_default(scenario_params *p)
{
    *p = (scenario_params){.message = 8,
                           .slots = 128,
                           .warmup = 50 * SIM_US,
                           .measure = 200 * SIM_US,
                           .drain = 500 * SIM_US,
                           .batches = 10,
                           .body_limit = ~0u};
    p->pattern.kind = pattern_find("one-way");
    p->pattern.part = 0.5;
}

int scenario_set(scenario_params *p, const char *name, const char *value, char error[OPTION_ERROR])
{
    const option *o = option_find(scenario_options, name);
    if (!o) return option_complain(error, name, value, "no such option");
    p->given |= 1u << (o - scenario_options);
    return option_set(o, p, value, error);
}

static int given(const scenario_params *p, const char *name)
{
    return p->given >> (option_find(scenario_options, name) - scenario_options) & 1;
}

/* Options that the pattern excludes. */
static int check_pattern(const scenario_params *p, unsigned nodes, int has_switch, char *error)
{
    const pattern_kind *kind = p->pattern.kind;
    static const struct {
        const char *option, *what;
        unsigned trait;
    } parameters[] = {{"hot", "a hot node is named", PATTERN_HOT}, {"part", "a part is given", PATTERN_PART}};
    char value[32], text[OPTION_ERROR - 100], names[OPTION_ERROR / 2];
    snprintf(value, sizeof value, "%u", nodes);
    if (nodes < kind->nodes) {
        snprintf(text, sizeof text, "at least %u for the scenario %s", kind->nodes, kind->name);
        return option_complain(error, "nodes", value, text);
    }
    if (!has_switch && !(kind->traits & PATTERN_PAIR)) {
        snprintf(text, sizeof text, "%s where there is no switch: a node cannot send to itself",
                 pattern_names(PATTERN_PAIR, names, sizeof names));
        return option_complain(error, "scenario", kind->name, text);
    }
    if (kind->traits & PATTERN_ANSWERS && (given(p, "load") || given(p, "arrivals")))
        return option_complain(error, "scenario", kind->name,
                               "no load and no arrivals: each packet answers the one before");
    if (kind->traits & PATTERN_ANSWERS && (given(p, "notify") || given(p, "outstanding")))
        return option_complain(error, "scenario", kind->name,
                               "no notify and no outstanding: one packet is in play, and each is notified");
    for (int i = 0; i < 2; i++)
        if (given(p, parameters[i].option) && !(kind->traits & parameters[i].trait)) {
            snprintf(text, sizeof text, "%s where %s", pattern_names(parameters[i].trait, names, sizeof names),
                     parameters[i].what);
            return option_complain(error, "scenario", kind->name, text);
        }
    if (p->pattern.hot >= nodes) {
        snprintf(value, sizeof value, "%u", p->pattern.hot);
        snprintf(text, sizeof text, "a node, 0 to %u", nodes - 1);
        return option_complain(error, "hot", value, text);
    }
    return 0;
}

/* A scenario of operations takes few of the options. */
static int complete_sync(scenario_params *p, unsigned nodes, unsigned payload_words, uint64_t seed, char *error)
{
    char text[OPTION_ERROR - 100], value[32];
    for (const option *o = scenario_options; o->name || o->help; o++) {
        if (!o->name || !given(p, o->name) || !strcmp(o->name, "scenario") || !strcmp(o->name, "packets") ||
            strstr(p->sync->takes, o->name))
            continue;
        snprintf(text, sizeof text, "no %s with it", o->name);
        return option_complain(error, "scenario", p->sync->name, text);
    }
    if (p->message > payload_words) {
        snprintf(value, sizeof value, "%u", 8 * p->message);
        snprintf(text, sizeof text, "at most %u bytes, the longest payload of a packet (--payload)", 8 * payload_words);
        return option_complain(error, "message", value, text);
    }
    if (p->slots & (p->slots - 1)) {
        snprintf(value, sizeof value, "%u", p->slots);
        return option_complain(error, "slots", value, "2, 4, 8 .. 4096");
    }
    if (!p->packets) p->packets = 1000;
    p->rows = 0;
    p->pattern.nodes = nodes;
    p->pattern.seed = seed;
    return 0;
}

int scenario_complete(scenario_params *p, unsigned nodes, int has_switch, unsigned payload_words, uint64_t seed,
                      char error[OPTION_ERROR])
{
    pattern *t = &p->pattern;
    char value[32], text[96], size[32];
    static const char *const of_queues[] = {"message", "slots"};
    if (p->sync) return complete_sync(p, nodes, payload_words, seed, error);
    for (int i = 0; i < 2; i++)
        if (given(p, of_queues[i])) {
            snprintf(text, sizeof text, "queue where %s is given", of_queues[i]);
            return option_complain(error, "scenario", t->kind->name, text);
        }
    if (check_pattern(p, nodes, has_switch, error)) return -1;
    if (given(p, "load") && given(p, "arrivals") && !p->poisson)
        return option_complain(error, "arrivals", "saturated",
                               "poisson with a load: saturated senders send whatever the link takes");
    if (p->packets && given(p, "measure")) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)p->packets);
        return option_complain(error, "packets", value,
                               "no measure with it: the window ends when that number of packets has landed");
    }
    if (given(p, "load")) p->poisson = 1;
    if (p->poisson && !given(p, "load")) t->load = 0.8;
    if (!given(p, "sizes")) {
        unsigned most = payload_words < 62 ? payload_words : 62;
        p->rows = 0;
        for (unsigned i = 0; t->kind->traits & PATTERN_SWEEP && i < SWEEP && sweep[i] / 8 < most; i++)
            p->sizes[p->rows++] = fixed(sweep[i] / 8);
        p->sizes[p->rows++] = fixed(most);
    }
    for (unsigned i = 0; i < p->rows; i++)
        if (p->sizes[i].low > payload_words || p->sizes[i].high > payload_words) {
            snprintf(text, sizeof text, "at most %u bytes, the longest payload of a packet (--payload)",
                     8 * payload_words);
            return option_complain(error, "sizes", scenario_size_text(&p->sizes[i], size, sizeof size), text);
        }
    if (!given(p, "outstanding")) p->outstanding = p->poisson ? 0 : 16;
    if (!given(p, "notify")) p->notify = t->kind->traits & PATTERN_ANSWERS ? 1 : 8;
    t->nodes = nodes;
    t->seed = seed;
    if (!t->word_time) t->word_time = 12800;
    return 0;
}
