#include <jansson.h>
#include <stdlib.h>

#include "roce_register_map.h"
#include "sim/app/roce/board/roce_run.h"
#include "sim/app/roce/roce_program.h"
#include "sim/app/roce/storage/roce_storage_options.h"
#include "sim/core/kernel/results.h"
#include "sim/traffic/faults/line.h"

#define PATIENCE (20 * SIM_MS) /* without an answer */

static int refuse(const char *text) { return roce_refuse("roce-storage", text); }

typedef struct run {
    const storage_options *o;
    sim *sim;
    roce_system *system;
    roce_storage *storage;
    uint32_t sent_again, dropped; /* the chip's counters */
    double wall;
} run;

/* When all is done: reads the chip's counters, and the run ends. */
static void end_task(void *self)
{
    run *r = self;
    rn_device *d;
    while (!roce_storage_complete(r->storage)) sim_wait_cycles(r->system->board->clock, 256);
    d = r->system->device;
    if (rn_register_read(d, ROCE_RETRYCNTSTS, &r->sent_again) || rn_register_read(d, ROCE_INALLDRPPKTCNT, &r->dropped))
        sim_fail(r->sim, "%s", rn_last_error(d));
    r->dropped >>= 16;
    roce_system_close(r->system);
}

static void status(void *self, FILE *f)
{
    uint64_t answered, all;
    roce_storage_progress(((run *)self)->storage, &answered, &all);
    fprintf(f, "%lu of %lu commands", answered, all);
}

static void missing(void *self, FILE *f) { roce_storage_print_missing(((run *)self)->storage, f, 20); }

static void print(const run *r)
{
    double us = (double)sim_now(r->sim) / SIM_US, clocks = (double)sim_clock_cycles(r->system->board->clock);
    roce_storage_print(r->storage, stdout);
    printf("\nframes dropped by the chip %u, packets sent again by the chip %u, by the host %lu\n", r->dropped,
           r->sent_again, rnic_get_counters(r->system->peer)->resent_pkts);
    printf("%.1f us, %.0f clocks of the chip in %.1f s: %.0f kHz; every byte compared\n", us, clocks, r->wall,
           clocks / r->wall / 1e3);
}

/* Wall time is not in it: the same seed gives the same file. */
static json_t *to_json(const run *r)
{
    const storage_options *o = r->o;
    return json_pack("{ss si si sI si si sf so si si sI sf sI}", "chip", "roce", "bytes_per_clock", o->bytes, "block",
                     STORAGE_BLOCK, "seed", (json_int_t)o->seed, "path_mtu", o->pmtu, "memory_latency_clocks",
                     o->latency, "loss", fault_line_chance(&o->plan, ETHERNET_LOSE, 0), "storage",
                     roce_storage_json(r->storage), "dropped", r->dropped, "sent_again", r->sent_again,
                     "sent_again_by_host", (json_int_t)rnic_get_counters(r->system->peer)->resent_pkts, "simulated_us",
                     (double)sim_now(r->sim) / SIM_US, "clocks", (json_int_t)sim_clock_cycles(r->system->board->clock));
}

/* 0, or an exit code. */
static int make_all(run *r, const roce_system_params *params, const roce_storage_params *storage)
{
    char error[ROCE_SYSTEM_ERROR];
    if (!(r->system = roce_system_new(r->sim, params, error)) ||
        !(r->storage = roce_storage_new(r->system, storage, error)))
        return refuse(error);
    sim_report(r->sim, NULL, missing, r, "commands");
    sim_status(r->sim, status, r);
    if (sim_task_new(r->sim, "end", end_task, r)) return 0;
    fprintf(stderr, "roce-storage: no memory left\n");
    return 1;
}

static int run_all(run *r, const roce_system_params *params, const roce_storage_params *storage, const char *json)
{
    const storage_options *o = r->o;
    int code = make_all(r, params, storage), ran;
    if (!code) {
        printf("Storage node on the RoCE v2 chip (%s): blocks of %d bytes, path MTU %u, IPv%u, memory answers after %u "
               "clocks, seed %lu\n\n",
               params->board.chip->name, STORAGE_BLOCK, o->pmtu, o->ip, o->latency, o->seed);
        code = roce_simulate(r->sim, &r->wall);
    }
    ran = !code;
    if (ran) print(r);
    return roce_conclude(code, r->system, ran ? to_json(r) : NULL, json, o->pcap);
}

int roce_storage_program(int argc, char **argv, const sim_config *const chips[])
{
    storage_options o;
    roce_storage_params storage;
    char error[OPTION_ERROR];
    if (storage_options_read(&o, argc, argv, &storage, error)) return refuse(error);
    if (o.help) {
        option_help_table(storage_options_table, STORAGE_OPTIONS_HEAD, stdout);
        return 0;
    }
    const sim_config *chip = roce_chip_asked(chips, o.bytes, 1, error);
    if (!chip) return refuse(error);
    sim_params sp;
    roce_claim(&o.json);
    roce_claim(&o.pcap);
    roce_claim(&o.waves);
    sim_params_default(&sp);
    sp.seed = o.seed;
    sp.watchdog = PATIENCE;
    const roce_waves waves = {o.waves, o.wave_scopes, o.wave_from, o.wave_to};
    if (roce_wave_params(&waves, chip, "build/full/roce-storage", &sp, error)) return refuse(error);
    roce_system_params params = roce_system_defaults(chip);
    params.qps = 2;
    params.pcap = o.pcap;
    params.faults = o.faults;
    params.board.memory.latency = o.latency;
    for (int c = 0; c < AXI_CHANNELS; c++) params.board.memory.stall[c] = o.stall;
    params.wire.seed = o.seed;

    run r = {.o = &o, .sim = sim_new(&sp)};
    int code = r.sim ? run_all(&r, &params, &storage, o.json) : 1;
    if (!r.sim) fprintf(stderr, "roce-storage: no memory left\n");
    if (r.sim) {
        roce_storage_free(r.storage);
        roce_system_free(r.system);
        sim_free(r.sim);
    }
    return code;
}
