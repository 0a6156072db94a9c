/* Simulations of sync_bit for tests of runs and of their waves. */
#ifndef TB_RUNS_BENCH_H
#define TB_RUNS_BENCH_H

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "full_models.h"
#include "shell.h"
#include "simulation.h"
#include "sync_bit.h"
#include "test.h"

/* The output of fst2vcd for a file of the folder, in shell_output; "" if it is not readable. */
static inline void show(const char *file) { shell_says("fst2vcd $D/%s 2>/dev/null", file); }

struct bench {
    sim *s;
    sim_clock *k;
    sync_bit *m;
    char waves[128];
    int reports, signal;
};

static inline sim_params quiet_params(void)
{
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    return p;
}

/* It goes after the test, or with clean_up(), which closes the waves. */
static inline struct bench *new_bench(sim_time watchdog, const char *folder, sim_time from, sim_time to)
{
    struct bench *b = test_memory(sizeof *b);
    sim_params p = quiet_params();
    p.watchdog = watchdog;
    p.waves_from = from;
    p.waves_to = to;
    if (folder) {
        snprintf(b->waves, sizeof b->waves, "%s/w.fst", folder);
        p.waves = b->waves;
    }
    b->s = sim_of(&p);
    b->k = make_clock(b->s, "k", 1000, 500);
    b->m = sync_bit_new(b->s, "u");
    sim_model_clock(b->m->model, b->k, b->m->clk);
    *b->m->rst = 0;
    *b->m->in = 0;
    return b;
}

#endif
