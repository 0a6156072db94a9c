#include "sim/app/packet_mode/pm_shares.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/app/packet_mode/pm_jobs.h"
#include "sim/app/packet_mode/pm_run.h"
#include "sim/core/kernel/results.h"
#include "sim/core/kernel/text_table.h"
#include "sim/traffic/workload/option.h"
#include "sim/traffic/workload/statistics.h"

enum {
    LONGEST = 1024,
    SHORTEST = 5,
    MOST_ON_ITS_WAY = 1 << 14,
    SAVED = 1024 /* words, as pm_service_times has it */,
    IDLE_CLOCKS = 37 /* an idle VPS, 5 words */,
    FILLING = 65536 /* clocks */,
    IN_A_ROW = 16 /* times as long a window for PPM, at least */,
    UNITS = 400 /* of the lightest flow, in a window: each is 0.25 % of its share */,
    PACKETS = 100 /* the same, where packets are long */,
    PROLONGED = 1024 /* times, at most: a window for a delay */,
    IDEAL_PACKETS = 200000000 /* of the ideal alone: its mean settles as slowly, and its interval counts */
};
#define ALLOWED 2.0 /* [%] that a share may be off (S3 2) */
#define NARROW 0.05 /* the half-width of a delay's interval, as a part of it */

typedef struct options {
    const char *arch, *json;
    uint64_t clocks, seed;
    unsigned jobs;
    int help;
} options;

#define TEXT(field) OPTION_TEXT(options, field)
#define WHOLE(field) OPTION_WHOLE(options, field)

/* clang-format off */
static const option table[] = {
    {.help = "The switch:"},
    {"arch", "NAME", 1, TEXT(arch), 0, 0, NULL, "sm (default), ppm, dpm or vps, 16x16, with the schedulers in its slots"},
    {.help = "The runs:"},
    {"clocks", "N", 1, WHOLE(clocks), 20000, 1e9, "a number of clocks",
        "clocks of each delay, at least (default 600000); shares run as long as needed"},
    RUN_SEED(0, options, seed),
    {"jobs", "N", 0, WHOLE(jobs), 1, PM_MOST_JOBS, "a number of processes", "rows at a time (default 2)"},
    RUN_JSON(options),
    RUN_HELP(options),
    {0},
};
/* clang-format on */

/* Traffic of an input. */
typedef enum {
    SILENT,
    GREEDY, /* as fast as the line is, each packet to the output to which least is on its way: no VOQ gets empty */
    RANDOM, /* Poisson, at `rate` of the line */
    VIDEO   /* packets of LONGEST words at a constant rate, with a random phase */
} source_kind;

typedef struct source {
    source_kind kind;
    double rate;
    int bimodal; /* sizes: 95 % of 5 words, 5 % of 1024; else 5 to 64 */
} source;

/* Packets of a watched input under way, by number; and their delay on the ideal line with weights: the input's share as
 * a line of its own, with a budget of unused words that may be sent at once: SAVED less the words that line would carry
 * meanwhile. */
typedef struct flow {
    uint64_t first[MOST_ON_ITS_WAY];
    double ideal[MOST_ON_ITS_WAY];
    uint32_t put;
    double free; /* clock up to which that line is used; in the past if words are saved */
    batch_sums batch[PM_BATCHES];
} flow;

typedef struct trial {
    const char *name;
    const sim_config *model;
    unsigned ports;
    source source[PM_PORTS];
    uint8_t weight[PM_PORTS][PM_PORTS];
    const uint8_t (*set)[PM_PORTS]; /* weights that the switch gets */
    unsigned outputs;               /* each input sends to outputs 0 .. outputs - 1 */
    unsigned watched;               /* input whose delay is measured; PM_PORTS: none */
    double share, ideal, ideal_ci;  /* its part of the line; in the long run, its mean wait in the ideal one */
    /* results */
    double words[PM_PORTS][PM_PORTS], sum;
    batches_mean delay;
    /* the run */
    uint64_t seed, random, warmup, clocks;
    struct {
        double instant;
        uint64_t free;
        int64_t inside[PM_PORTS]; /* words on their way */
    } at[PM_PORTS];
    flow *flow;
} trial;

static double uniform(trial *t)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(t->random >> 11) / 9007199254740992.0;
}

static pm_packet next(void *self, unsigned i)
{
    trial *t = self;
    const source *s = &t->source[i];
    pm_packet p = {.first = UINT64_MAX, .words = 1};
    double mean = s->kind == VIDEO ? LONGEST : s->bimodal ? 0.95 * SHORTEST + 0.05 * LONGEST : (SHORTEST + 64) / 2.0;
    if (s->kind == SILENT) return p;
    p.words = s->kind == VIDEO ? LONGEST
              : s->bimodal     ? (uniform(t) < 0.95 ? SHORTEST : LONGEST)
                               : SHORTEST + (unsigned)(uniform(t) * (64 - SHORTEST + 1));
    /* first all inputs fill their VOQs, those of one output after the other */
    if (t->outputs > 1 && t->at[i].free < FILLING) p.output = (unsigned)(t->at[i].free * t->outputs / FILLING);
    else
        for (unsigned o = 1; o < t->outputs; o++)
            if (t->at[i].inside[o] < t->at[i].inside[p.output]) p.output = o;
    t->at[i].inside[p.output] += p.words;
    if (s->kind == RANDOM) t->at[i].instant -= log(1 - uniform(t)) * mean / s->rate;
    if (s->kind == VIDEO) t->at[i].instant += t->at[i].instant ? mean / s->rate : 1 + uniform(t) * mean / s->rate;
    p.first = t->at[i].free > (uint64_t)t->at[i].instant ? t->at[i].free : (uint64_t)t->at[i].instant;
    t->at[i].free = p.first + p.words;
    if (i == t->watched) {
        uint32_t at = t->flow->put++ % MOST_ON_ITS_WAY;
        t->flow->free = fmax(t->flow->free, (double)p.first - SAVED * (1 - t->share) / t->share);
        t->flow->first[at] = p.first;
        t->flow->ideal[at] = fmax(0, t->flow->free - (double)p.first);
        t->flow->free += p.words / t->share;
    }
    return p;
}

static void seen(void *self, unsigned i, unsigned o, uint32_t number, uint64_t first, uint64_t last)
{
    trial *t = self;
    uint64_t from = t->warmup + 4, clocks = t->clocks;
    t->at[i].inside[o] -= (int64_t)(last + 1 - first);
    if (first < from || first >= from + clocks) return;
    t->words[i][o] += (double)(last + 1 - first);
    if (i != t->watched) return;
    unsigned b = (unsigned)((first - from) * PM_BATCHES / clocks);
    /* the run also counts the clocks of reset, and the clock in which a word is driven */
    t->flow->batch[b].count++;
    t->flow->batch[b].sum += (double)(first - 4 - 1 - IDLE_CLOCKS) - (double)t->flow->first[number % MOST_ON_ITS_WAY];
    t->flow->batch[b].control += t->flow->ideal[number % MOST_ON_ITS_WAY];
}

/* The watched input alone on the ideal line: packets, no clocks. A stream of constant rate never waits there: NAN. */
static void ideal(trial *t)
{
    double mean[PM_BATCHES] = {0};
    unsigned i = t->watched;
    t->ideal = t->ideal_ci = NAN;
    if (t->source[i].kind != RANDOM || !(t->flow = calloc(1, sizeof *t->flow))) return;
    t->random = t->seed * 2 + 1;
    for (unsigned b = 0; b < PM_BATCHES; b++)
        for (unsigned k = 0; k < IDEAL_PACKETS / PM_BATCHES; k++) {
            next(t, i);
            mean[b] += t->flow->ideal[(t->flow->put - 1) % MOST_ON_ITS_WAY] / (IDEAL_PACKETS / PM_BATCHES);
        }
    t->ideal = statistics_mean(mean, PM_BATCHES, &t->ideal_ci);
    free(t->flow);
    t->flow = NULL;
    memset(t->at, 0, sizeof t->at);
}

/* Returns an error text, NULL: none. */
static const char *run(trial *t)
{
    int waited = 0;
    pm_run_params p = {.model = t->model,
                       .traffic = {.pattern = {.nodes = t->ports, .sizes = {SIZES_FIXED, 5, 5, 0}, .seed = t->seed},
                                   .process = PM_SATURATED,
                                   .grain = 1,
                                   .load = 1},
                       .warmup = t->warmup = t->clocks / 5 + (t->outputs > 1 ? 2 * FILLING : 0),
                       .clocks = t->clocks,
                       .next = next,
                       .weight = t->set ? t->set : t->weight,
                       .seen = seen,
                       .self = t};
    t->random = t->seed * 2 + 1;
    if (!(t->flow = calloc(1, sizeof *t->flow))) return "memory is exhausted";
    pm_result r = pm_run(&p);
    for (unsigned i = 0; i < PM_PORTS; i++)
        for (unsigned o = 0; o < PM_PORTS; o++) t->sum += t->words[i][o] / (double)t->clocks / t->outputs;
    for (unsigned b = 0; b < PM_BATCHES; b++) waited |= t->flow->batch[b].control > 0;
    t->delay = batches_get(t->flow->batch, PM_BATCHES, t->ideal, t->ideal_ci);
    /* a window in which nothing waited there says nothing about what does */
    if (!waited) t->delay.controlled_half_width += isnan(t->ideal) ? 0 : t->ideal;
    free(t->flow);
    t->flow = NULL;
    return r.error ? r.error : r.interrupted ? "interrupted" : NULL;
}

/* The largest deviation [%]: of a saturated flow's share from its weight, of a stream's throughput from its load. */
static double off(const trial *t)
{
    double most = 0;
    for (unsigned o = 0; o < t->outputs; o++) {
        double words = 0, weights = 0;
        for (unsigned i = 0; i < t->ports; i++)
            if (t->source[i].kind == GREEDY) {
                words += t->words[i][o];
                weights += t->weight[i][o];
            }
        for (unsigned i = 0; i < t->ports; i++) {
            double want =
                t->source[i].kind == GREEDY ? words * t->weight[i][o] / weights : t->source[i].rate * (double)t->clocks;
            if (t->source[i].kind != SILENT && !(fabs(t->words[i][o] / want - 1) <= most))
                most = fabs(t->words[i][o] / want - 1);
        }
    }
    return 100 * most;
}

/* ---- the trials ---- */

static trial fresh(const sim_config *model, uint64_t seed, const char *name, unsigned outputs)
{
    trial t = {.name = name,
               .model = model,
               .ports = (unsigned)sim_config_parameter(model, "PORTS", PM_PORTS),
               .seed = seed,
               .outputs = outputs,
               .watched = PM_PORTS};
    for (unsigned i = 0; i < PM_PORTS; i++)
        for (unsigned k = 0; k < PM_PORTS; k++) t.weight[i][k] = 1;
    return t;
}

/* A window in which the flow with the smallest share sends at least `words` words. In PPM an output looks back after
 * each unit that ends within a packet, as nearly all units of short packets do: an input that alone sends to it gets
 * some 30 units in a row, and the deviation of a share grows by that factor. */
static uint64_t window(const trial *t, double words)
{
    double share = 1;
    for (unsigned o = 0; o < t->outputs; o++) {
        double sum = 0;
        for (unsigned i = 0; i < t->ports; i++) sum += t->source[i].kind == SILENT ? 0 : t->weight[i][o];
        for (unsigned i = 0; i < t->ports; i++)
            if (t->source[i].kind != SILENT) share = fmin(share, t->weight[i][o] / sum);
    }
    if (t->outputs == 1 && sim_config_parameter(t->model, "PACKET_MODE", 0) == 1)
        words = fmax(words, 64.0 * UNITS * IN_A_ROW);
    return (uint64_t)(words / share);
}

const char *pm_shares_measure(pm_shares_trial *s)
{
    trial t = fresh(s->model, s->seed, "", s->outputs);
    const char *error;
    memcpy(t.weight, s->weight, sizeof t.weight);
    t.set = s->set;
    for (unsigned i = 0; i < t.ports; i++) t.source[i] = (source){s->inputs >> i & 1 ? GREEDY : SILENT, 1, 0};
    t.clocks = window(&t, 64.0 * s->units);
    error = run(&t);
    s->throughput = t.sum;
    s->off = off(&t);
    return error;
}

/* A row of the results. It is measured in a process of its own, so it is in memory that both have. */
typedef struct row {
    trial t, alone;  /* alone: a delay without the others */
    double off;      /* of a share [%] */
    int wide, over;  /* a delay's interval is too wide; the row is complete */
    char error[200]; /* error text, "": none */
} row;

typedef struct rows {
    const options *o;
    row *list;
    unsigned count, shares; /* how many; the first of them are shares, the others delays */
    unsigned started, over, printed;
    int bad, wide;
    json_t *share, *delay;
    FILE *table;
} rows;

static const struct {
    const char *name;
    unsigned inputs, outputs; /* bits; how many */
    unsigned most;            /* weights are 1 + (input + output) mod most */
    unsigned streams;         /* bits: video, 5 % below its share; the others bursty then */
} all_shares[] = {
    {"2 flows into an output, weights 1 to 2", 0x3, 1, 8, 0},
    {"4 flows into an output, weights 1 to 4", 0xf, 1, 8, 0},
    {"8 flows into an output, weights 1 to 8", 0xff, 1, 8, 0},
    {"16 flows into an output, weights 1 to 8", 0xffff, 1, 8, 0},
    {"16 flows into an output, 8 of them idle, weights 2, 4, 6, 8", 0xaaaa, 1, 8, 0},
    {"16x16, weight of input i and output o: 1 + (i + o) mod 16", 0xffff, PM_PORTS, 16, 0},
    {"4 video streams of 8 KB packets among 16 flows, weights 1 to 4", 0xffff, 1, 4, 0x8888},
};

static trial share_trial(const options *o, const sim_config *model, unsigned n)
{
    trial t = fresh(model, o->seed, all_shares[n].name, all_shares[n].outputs);
    double sum = 0;
    for (unsigned i = 0; i < PM_PORTS; i++) {
        t.source[i] = (source){all_shares[n].inputs >> i & 1 ? GREEDY : SILENT, 1, all_shares[n].streams != 0};
        for (unsigned k = 0; k < PM_PORTS; k++) t.weight[i][k] = (uint8_t)(1 + (i + k) % all_shares[n].most);
        sum += t.weight[i][0];
    }
    for (unsigned i = 0; i < PM_PORTS; i++)
        if (all_shares[n].streams >> i & 1) t.source[i] = (source){VIDEO, 0.95 * t.weight[i][0] / sum, 0};
    t.clocks = window(&t, all_shares[n].streams ? (double)LONGEST * PACKETS : 64.0 * UNITS);
    return t;
}

/* A flow of weight 4 and 15 saturated ones of weights 1 to 3: its share is 4 of 34. */
static const struct {
    const char *name;
    source source;
    int bursty;
} all_delays[] = {
    {"Poisson, 5 to 64 words, 50 % below its share", {RANDOM, 0.5, 0}, 0},
    {"Poisson, 5 to 64 words, 5 % below its share", {RANDOM, 0.95, 0}, 0},
    {"... the others bursty: 5 % of their packets are 8 KB", {RANDOM, 0.95, 0}, 1},
    {"video: 8 KB at a constant rate, 5 % below its share", {VIDEO, 0.95, 0}, 0},
    {"... the others bursty", {VIDEO, 0.95, 0}, 1},
};

static trial delay_trial(const options *o, const sim_config *model, unsigned n)
{
    trial t = fresh(model, o->seed, all_delays[n].name, 1);
    unsigned sum = 0;
    t.watched = 0;
    t.clocks = o->clocks;
    for (unsigned i = 0; i < PM_PORTS; i++) {
        t.weight[i][0] = i ? 1 + i % 3 : 4;
        sum += t.weight[i][0];
        t.source[i] = (source){GREEDY, 1, all_delays[n].bursty};
    }
    t.source[0] = all_delays[n].source;
    t.share = (double)t.weight[0][0] / sum;
    t.source[0].rate *= t.share;
    return t;
}

static const char *measure_delay(row *r)
{
    const uint64_t most = PROLONGED * r->t.clocks;
    const char *error;
    ideal(&r->t);
    r->alone = r->t;
    for (unsigned i = 1; i < PM_PORTS; i++) r->alone.source[i].kind = SILENT;
    for (trial again = r->t;; r->t = again) { /* longer, until the interval is short enough */
        again.clocks = 4 * r->t.clocks;
        if ((error = run(&r->t))) return error;
        r->wide = !(r->t.delay.controlled_half_width < NARROW * r->t.delay.controlled);
        if (!r->wide || r->t.clocks >= most) break;
    }
    return run(&r->alone);
}

static int next_row(void *self)
{
    rows *all = self;
    return all->started < all->count ? (int)all->started++ : -1;
}

static int measure(void *self, int n)
{
    const rows *all = self;
    row *r = &all->list[n];
    const char *error = (unsigned)n < all->shares ? run(&r->t) : measure_delay(r);
    r->off = off(&r->t);
    snprintf(r->error, sizeof r->error, "%s", error ? error : "");
    return error != NULL;
}

static void print_share(rows *all, const row *r)
{
    const trial *t = &r->t;
    fprintf(all->table, "%s\t%" PRIu64 "\t%.4f\t%.2f\t%s\n", t->name, t->clocks, t->sum, r->off,
            r->off <= ALLOWED ? "good" : "OFF");
    json_array_append_new(all->share, json_pack("{ss sI sf sf}", "name", t->name, "clocks", (json_int_t)t->clocks,
                                                "throughput", t->sum, "off_percent", r->off));
    all->bad |= !(r->off <= ALLOWED);
}

static void print_delay(rows *all, const row *r)
{
    const trial *t = &r->t;
    double mean = t->delay.controlled, interval = 100 * t->delay.controlled_half_width / mean,
           wait = isnan(t->ideal) ? 0 : t->ideal;
    fprintf(all->table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%s\n", t->name, mean, interval, wait,
            r->alone.delay.mean, mean * 0.0256, mean * 0.0064, r->wide ? "wide" : "");
    json_array_append_new(all->delay,
                          json_pack("{ss sI sf sf sf sf sf}", "name", t->name, "clocks", (json_int_t)t->clocks, "rate",
                                    t->source[0].rate, "mean_clocks", mean, "interval_percent", interval,
                                    "ideal_clocks", wait, "alone_clocks", r->alone.delay.mean));
    all->wide |= r->wide;
}

/* Each row as soon as it and those before it are measured. */
static void row_over(void *self, int n, int code)
{
    rows *all = self;
    if (isatty(2)) fprintf(stderr, "\r\033[K");
    if (code >= 128) snprintf(all->list[n].error, sizeof all->list[n].error, "ended by signal %d", code - 128);
    all->list[n].over = !code;
    all->over += !code;
    for (; all->printed < all->count && all->list[all->printed].over; all->printed++) {
        if (all->printed == all->shares) {
            fclose(all->table);
            puts("");
            all->table = text_table(stdout, 1,
                                    "<52 a flow with 4 of 34 parts of a saturated output\t>8 mean\n[clocks]\t>5 "
                                    "+-\n[%]\t>8 ideal\n[clocks]\t"
                                    ">8 its line\nalone\tat 2.5\nGb/s[us]\tat 10\nGb/s[us]");
        }
        (all->printed < all->shares ? print_share : print_delay)(all, &all->list[all->printed]);
    }
}

static void show(void *self)
{
    const rows *all = self;
    if (isatty(2)) fprintf(stderr, "\r\033[K%u of %u rows", all->over, all->count);
}

/* Returns an error text, NULL: none. */
static const char *measure_all(rows *all, const sim_config *model)
{
    const pm_jobs jobs = {all->o->jobs, next_row, measure, row_over, show, all};
    unsigned shares = sizeof all_shares / sizeof all_shares[0],
             count = shares + sizeof all_delays / sizeof all_delays[0];
    int code;
    all->shares = shares;
    all->count = count;
    all->list = mmap(NULL, count * sizeof *all->list, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all->list == MAP_FAILED) return "memory is exhausted";
    for (unsigned n = 0; n < count; n++)
        all->list[n].t = n < shares ? share_trial(all->o, model, n) : delay_trial(all->o, model, n - shares);
    all->table = text_table(stdout, 1, "<62 all saturated, packets of 5 to 64 words\t>8 clocks\t>6 rate\toff [%]");
    code = pm_jobs_run(&jobs);
    fclose(all->table);
    for (unsigned n = 0; n < count && code == 1; n++)
        if (*all->list[n].error) return all->list[n].error;
    return code == 130 ? "interrupted" : code ? "a row was not measured" : NULL;
}

int packet_shares(int argc, char **argv, const pm_architecture *architectures)
{
    options o = {.arch = "sm", .clocks = 600000, .seed = 1, .jobs = 2};
    const pm_architecture *a = architectures;
    char error[OPTION_ERROR], *path = NULL;
    const char *wrong;
    if (option_arguments(table, &o, argc, argv, error)) {
        fprintf(stderr, "packet-shares: %s\n", error);
        return 2;
    }
    if (o.help) {
        option_help_table(table, "packet-shares: what weights do in a packet-mode switch with weighted schedulers",
                          stdout);
        return 0;
    }
    while (a->name && strcmp(a->name, o.arch)) a++;
    if (!a->name) {
        fprintf(stderr, "packet-shares: arch %s: expected sm, ppm, dpm or vps\n", o.arch);
        return 2;
    }
    if (o.json && !(path = results_claim(o.json))) return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    rows r = {.o = &o, .share = json_array(), .delay = json_array()};
    printf("%s, 16 ports, weighted round robin at inputs and outputs, seed %" PRIu64 "\n\n", a->words, o.seed);
    wrong = measure_all(&r, a->model[0]);
    json_t *all = json_pack("{ss sI sI so so}", "arch", o.arch, "clocks", (json_int_t)o.clocks, "seed",
                            (json_int_t)o.seed, "shares", r.share, "delays", r.delay);
    if (wrong) json_decref(all);
    else if (path && results_write(all, path)) wrong = "the results are not saved";
    if (wrong) printf("BAD: %s; again: packet-shares --arch %s --seed %" PRIu64 "\n", wrong, o.arch, o.seed);
    else
        printf(
            "%s%s%s\n",
            r.bad ? "BAD: a share is off by more than 2 %"
            : r.wide
                ? "GOOD, but the interval of a delay is 5 % or wider after 1024 times as long; CLOCKS makes it narrower"
                : "GOOD",
            path ? ": results in " : "", path ? path : "");
    free(path);
    return wrong || r.bad;
}
