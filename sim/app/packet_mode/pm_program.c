#include "sim/app/packet_mode/pm_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/packet_mode/pm_options.h"
#include "sim/core/kernel/results.h"
#include "sim/core/kernel/text_table.h"

static int refuse(const char *text)
{
    fprintf(stderr, "packet-mode: %s\n", text);
    return 2;
}

static int wrong(const char *name, const char *value, const char *expected)
{
    char error[OPTION_ERROR];
    option_complain(error, name, value, expected);
    return refuse(error);
}

/* ---- output ---- */

static void print_delays(FILE *t, const char *name, const pm_delays *d)
{
    fprintf(t, "%s\t%lu\t%.2f\t%.2f\t", name, d->packets, d->mean, d->weighted);
    if (isnan(d->p99) && !isnan(d->mean)) fprintf(t, "> %d", PM_P99_MOST);
    else fprintf(t, "%.2f", d->p99);
    fprintf(t, "\t%.2f\n", d->deviation);
}

static void print_priorities(FILE *t, const pm_options *o, const pm_result *priority)
{
    static const char *const names[] = {"low priority", "high priority"};
    for (int k = 1; k >= 0; k--) {
        const pm_result *r = &priority[k];
        print_delays(t, names[k], &r->all);
        if (k || strcmp(o->run.arrivals, "saturated")) print_delays(t, "  ideal switch", &r->ideal);
        fprintf(t, "  in %.4f, out %.4f words per line and clock; mean +- ", r->offered, r->throughput);
        if (r->unstable) fputs("-; UNSTABLE\n", t);
        else fprintf(t, "%.2f\n", r->measure[PM_MEAN].half_width);
    }
}

static void print(const pm_options *o, const pm_architecture *a, const pm_result *r, const pm_result *priority)
{
    printf("%s, %u ports, %s, sizes %s, load %g, arrivals %s, seed %lu\n", a->words, o->run.ports, o->run.pattern,
           o->run.sizes, o->run.load, o->run.arrivals, o->run.seed);
    static const char *const rows[PM_MEASURES] = {"all packets", "weighted by length", "up to a segment",
                                                  "longer",      "longer, reassembly", "words per line, clock"};
    char fanout[12];
    if (o->run.priorities == 2) printf("two priorities: %g of high priority in addition\n", o->run.high_load);
    snprintf(fanout, sizeof fanout, "%u", o->run.fanout ? o->run.fanout : 4);
    if (o->run.multicast > 0)
        printf("%g of the packets name %s %s%s\n", o->run.multicast,
               o->run.set ? "the outputs" : "outputs at random, as many as", o->run.set ? o->run.set : fanout,
               o->run.copies  ? "; the source sends a copy to each"
               : o->run.split ? "; a unit may go to a part of them first"
                              : "");
    printf("\nwords per line and clock: in %.4f, out %.4f; of a packet: %.1f, %.1f bytes%s\n", r->offered,
           r->throughput, r->all.words, 8 * r->all.words,
           r->unstable ? "; UNSTABLE: the backlog of the switch grows, so no delays are given" : "");
    puts("");
    FILE *t = text_table(stdout, 0, "<delay [64 clocks]\tpackets\tmean\tweighted\tp99\tdeviation");
    print_delays(t, "all packets", &r->all);
    print_delays(t, "up to a segment", &r->shorter);
    print_delays(t, "longer", &r->longer);
    if (o->run.priorities == 2) print_priorities(t, o, priority);
    else print_delays(t, "ideal switch", &r->ideal);
    fputs("\n", t);
    fclose(t);
    t = text_table(stdout, 0, "<0 95 % intervals\tbatches\tmean\t+-\twith control\t+-");
    for (pm_measure m = 0; m < PM_MEASURES; m++) {
        const batches_mean *b = &r->measure[m];
        if (b->batches)
            fprintf(t, "%s\t%u\t%.2f\t%.2f\t%.2f\t%.2f\n", rows[m], b->batches, b->mean, b->half_width, b->controlled,
                    b->controlled_half_width);
    }
    fclose(t);
    if (r->long_run.mean > 0)
        printf("control: the ideal switch, in the long run: mean %.3f +- %.3f, weighted %.3f +- %.3f\n",
               r->long_run.mean / PM_UNIT, r->long_run.mean_ci / PM_UNIT, r->long_run.weighted / PM_UNIT,
               r->long_run.weighted_ci / PM_UNIT);
    if (!r->unstable)
        printf("\nwhere: VOQ %.2f, crosspoint %.2f, reassembly %.2f; weighted %.2f, %.2f, %.2f; means of single flows "
               "%.2f to %.2f\n",
               r->in_voq, r->in_crosspoint, r->in_reassembly, r->weighted_voq, r->weighted_crosspoint,
               r->weighted_reassembly, r->least_flow, r->most_flow);
    if (strcmp(o->run.arch, "iq"))
        printf("packet mode: %lu of %lu packets longer than a segment, %.1f %%; cancelled %lu; locks refused %lu\n",
               r->pairs, r->packets_of_segments,
               r->packets_of_segments ? 100.0 * (double)r->pairs / (double)r->packets_of_segments : 0, r->cancelled,
               r->refused);
    printf("most words: in a VOQ %u, in a crosspoint and on its cable %u, in an egress card %u\n", r->most_voq,
           r->most_crosspoint, r->most_reassembly);
    if (r->ended)
        printf("cells in which one packet ended: %lu; its pair was made again at once: %lu\n", r->ended, r->lone);
    if (r->dropped) printf("packets for a full VOQ, left out: %lu\n", r->dropped);
    printf("%lu clocks in %.1f s, %.0f kHz; every word compared\n", r->clocks, r->wall,
           (double)r->clocks / r->wall / 1000);
}

/* Which rule is broken, when, and how to see it again. scripts/packet_mode.sh reads the clock. */
static void print_broken(const pm_options *o, const pm_result *r, int argc, char **argv)
{
    printf("BAD: %s\n    rule     %s\n    clock    %lu of %s (seed %lu)\n    again    packet-mode", r->error, r->rule,
           r->clocks, o->run.arch, o->run.seed);
    for (int k = 1; k < argc; k++) printf(" %s", argv[k]);
    puts("");
}

/* ---- the program ---- */

int packet_mode(int argc, char **argv, const pm_architecture *architectures)
{
    pm_options o;
    const pm_architecture *a = architectures;
    pm_ideal_means ideal;
    pm_run_params p = {0};
    pm_result priority[PM_PRIORITIES];
    char error[OPTION_ERROR], *path = NULL;
    int code;
    if (pm_options_read(&o, argc, argv, architectures, &p, error)) return refuse(error);
    if (o.help) {
        option_help_table(pm_options_table, PM_OPTIONS_HEAD, stdout);
        return 0;
    }
    while (strcmp(a->name, o.run.arch)) a++;
    if (pm_traffic_full(&p.traffic)) o.run.load = 1;
    if (o.run.priorities == 2) p.priority = priority;
    if (o.waves && !p.model->waves)
        return wrong("waves", o.waves, "build/full/packet-mode, which is built to be looked into");
    p.half_width = o.half_width;
    p.needed = 1u << PM_MEAN | 1u << PM_WEIGHTED;
    p.waves = o.waves;
    p.wave_from = o.wave_from;
    p.wave_clocks = o.wave_clocks;
    if (o.json && !(path = results_claim(o.json))) return 1;
    if (!pm_traffic_full(&p.traffic)) {
        if (!pm_ideal_long_run(&p.traffic, o.ideal_clocks, PM_UNIT, -1, &ideal)) p.ideal = &ideal;
    }

    pm_result r = pm_run(&p);
    code = r.error && *r.error ? 1 : r.interrupted ? 130 : 0;
    if (!code) {
        print(&o, a, &r, priority);
        if (path && results_write(pm_result_json(&o.run, &r, priority), path)) code = 1;
    }
    if (code == 1 && r.error) print_broken(&o, &r, argc, argv);
    else if (code == 1) puts("BAD: the results are not saved");
    else if (code) puts("INTERRUPTED: nothing is saved");
    else printf("GOOD%s%s\n", path ? ": results in " : "", path ? path : "");
    free(path);
    return code;
}
