/* nicxbar-sim: runs the system of the options (options.c). */
#include <string.h>

#include "sim/app/figures/figures.h"
#include "sim/app/figures/microbench.h"
#include "sim/app/nicxbar/run.h"

static int run(const program_options *o, const program_chips *chips)
{
    switch (o->run) {
    case RUN_FILE:
        return run_file(o);
    case RUN_SCENARIO:
        return o->scenario.sync ? run_sync(o) : run_scenario(o);
    case RUN_SOAK:
        return run_soak(o, chips->others);
    case RUN_PROGRAM:
        return run_program(o);
    case RUN_FIGURES:
        return figures_run(o->only, o->seed, o->json, chips->chip, chips->others, o->synthesis);
    case RUN_MICROBENCH:
        if (strcmp(o->nic_name, "default"))
            return microbench_run(
                &(microbench_params){o->benchmark, o->message_sizes, o->programs, o->json, o->seed, .nic = o->nic});
        return microbench_run(&(microbench_params){o->benchmark, o->message_sizes, o->programs, o->json, o->seed,
                                                   .chip = chips->chip, .monitored = o->nic});
    default:
        return run_suite(o);
    }
}

int nicxbar_sim(int argc, char **argv, const program_chips *chips)
{
    program_options o = program_parse(argc, argv, chips);
    ranks_begin(&o, argc, argv);
    program_claim(&o);
    ranks_share(&o);
    int code = run(&o, chips);
    if (o.ranks_end) o.ranks_end();
    return code;
}
