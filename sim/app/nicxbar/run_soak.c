/* nicxbar-sim --soak: random traffic against the reference model in runs of a size that can be repeated alone; each has
 * the next seed. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/app/nicxbar/run.h"
#include "sim/traffic/scenario/traffic.h"

enum { RUN_PACKETS = 5000 };

/* Every fourth seed cuts the cable too. */
static int cuts(uint64_t seed) { return seed % 4 == 3; }

static void closing_line(const traffic_counts *sum, uint64_t runs, uint64_t seed, double seconds)
{
    printf("GOOD: %" PRIu64 " packets in %" PRIu64 " runs, %" PRIu64 " transfers, %.1f MiB, %" PRIu64
           " notifications as the reference model says, "
           "%" PRIu64 " packets lost by faults and reported; seeds %" PRIu64 "..%" PRIu64 "; %.0f s\n",
           sum->landed + sum->lost, runs, sum->departed, (double)sum->bytes / (1024.0 * 1024.0),
           sum->notifications + sum->counts, sum->lost, seed, seed + runs - 1, seconds);
}

static void add(traffic_counts *sum, const traffic_counts *n)
{
    sum->landed += n->landed;
    sum->lost += n->lost;
    sum->departed += n->departed;
    sum->bytes += n->bytes;
    sum->notifications += n->notifications;
    sum->counts += n->counts;
}

int run_soak(const program_options *o, const nic_kind *nics)
{
    traffic_counts sum = {0};
    double began = sim_wall();
    uint64_t run = 0;
    do {
        traffic_params p = traffic_params_default();
        traffic_result r;
        uint64_t left = o->soak - sum.landed - sum.lost;
        p.seed = o->seed + run++;
        p.nics = nics;
        p.links = (unsigned)sim_config_parameter(o->nic, "LINKS", 1);
        p.by_packet = sim_config_parameter(o->nic, "BOND", 0) != 0;
        p.packets = left < RUN_PACKETS ? left : RUN_PACKETS;
        p.before = sum.landed + sum.lost;
        p.all = o->soak;
        p.cuts = !o->faults && cuts(p.seed);
        p.plan = o->faults ? &o->plan : NULL;
        p.account = stdout;
        p.quiet = 0;
        p.waves = o->waves;
        p.waves_scopes = o->wave_scopes;
        p.waves_from = o->wave_from_time;
        p.waves_to = o->wave_to_time;
        int bad = traffic_run(&p, &r);
        traffic_print(&p, &r, stdout);
        fflush(stdout);
        if (r.result == SIM_INTERRUPTED) return 130;
        if (bad) {
            printf("rerun: make soak PACKETS=%" PRIu64 " SEED=%" PRIu64 " WAVES=1", p.packets, p.seed);
            if (p.links > 1) printf(" LINKS=%u BOND=%s", p.links, p.by_packet ? "packet" : "byte");
            printf("\n");
            return 1;
        }
        for (int i = 0; i < 2; i++) add(&sum, &r.from[i]);
    } while (sum.landed + sum.lost < o->soak);
    closing_line(&sum, run, o->seed, sim_wall() - began);
    return 0;
}
