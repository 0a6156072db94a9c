/* Figures of the virtual output queues: eight saturated queues of 496-byte transfers, one destination stopped for 10 ms
 * (head_of_line.h). The same run with one queue for all destinations shows their benefit. One run serves all figures of
 * its kind. */
#include <math.h>
#include <stdio.h>

#include "sim/app/figures/figures_private.h"
#include "sim/traffic/scenario/head_of_line.h"

enum { VOQS, SINGLE, EXHAUSTED, RUNS };
enum { LIMIT_BLOCKS = 32 };

struct hol_run {
    int done, result;
    uint64_t seed;
    head_of_line r;
};

static const head_of_line *run(const figure *f, int kind, uint64_t seed)
{
    static struct hol_run runs[RUNS];
    struct hol_run *x = &runs[kind];
    if (!x->done || x->seed != seed) {
        head_of_line_params p;
        head_of_line_params_default(&p);
        p.port.sim.seed = seed;
        p.port.node.host = figure_host(f->bridge);
        if (kind == SINGLE) p.port.node.nic = nic_kind_of(figures_nics, f->nic);
        if (kind == EXHAUSTED) {
            p.body_limit = LIMIT_BLOCKS;
            p.stop = 2 * SIM_MS;
        }
        *x = (struct hol_run){.done = 1, .seed = seed};
        x->result = head_of_line_run(&p, &x->r);
        if (x->result) fprintf(stderr, "%s: %s\n", f->name, x->r.error);
    }
    return x->result ? NULL : &x->r;
}

static int measure_voq_payload(const figure *f, uint64_t seed, double *value)
{
    const head_of_line *r = run(f, VOQS, seed);
    if (!r) return -1;
    *value = r->others_stopped;
    figure_note(
        "  all eight before the stop %.1f MiB/s; during it the slowest of the seven %.1f; after it the seven %.1f\n",
        r->before, r->slowest_stopped, r->others_recovering);
    return 0;
}

static int measure_single_payload(const figure *f, uint64_t seed, double *value)
{
    const head_of_line *r = run(f, SINGLE, seed);
    if (!r) return -1;
    *value = r->others_stopped;
    figure_note("  all eight before the stop %.1f MiB/s\n", r->before);
    return 0;
}

static int measure_body_words(const figure *f, uint64_t seed, double *value)
{
    const head_of_line *r = run(f, VOQS, seed);
    if (!r) return -1;
    *value = (double)r->migrated;
    return r->migrated == r->fetched ? 0 : -1;
}

static int measure_recovery(const figure *f, uint64_t seed, double *value)
{
    const head_of_line *r = run(f, VOQS, seed);
    if (!r) return -1;
    *value = r->recovery_us;
    figure_note("  %llu transfers waited; external memory was empty after %.0f us\n",
                (unsigned long long)r->victims_waited, r->body_us);
    return 0;
}

static int measure_body_recovery(const figure *f, uint64_t seed, double *value)
{
    const head_of_line *r = run(f, EXHAUSTED, seed);
    if (!r) return -1;
    *value = r->recovery_us;
    figure_note("  at most %d blocks: %u taken, %u descriptors left in the request queue, exhausted for %u clocks; the "
                "seven others %.1f MiB/s\n",
                LIMIT_BLOCKS, r->blocks, r->queued, r->exhausted, r->others_stopped);
    figure_note("  external memory was empty after %.0f us\n", r->body_us);
    return r->queued && r->exhausted ? 0 : -1;
}

const figure figures_voq[] = {
    {"hol_voq_payload", "MiB/s", NULL, '>', 285, measure_voq_payload, "server2004", 62, 0, NULL, 0, NULL},
    {"hol_single_queue_payload", "MiB/s", NULL, 0, 0, measure_single_payload, "server2004", 62, 0, NULL, 0, "1voq"},
    {"hol_body_words", "words", NULL, 0, 0, measure_body_words, "server2004", 62, 0, NULL, 0, NULL},
    {"hol_recovery", "us", NULL, 0, 0, measure_recovery, "server2004", 62, 0, NULL, 0, NULL},
    {"body_recovery", "us", NULL, 0, 0, measure_body_recovery, "server2004", 62, 0, NULL, 0, NULL},
    {0},
};
