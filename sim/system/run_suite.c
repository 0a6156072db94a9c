/* What `make sim` shows: a file through the switch, and the five validation tests of S1 4.2 in a short form, beside the figures of the
 * documents. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "program.h"
#include "scenario_report.h"

static const struct test {
    const char *name, *title;
    const char *documents; /* of the largest packets [MB/s] */
    int per_node;          /* shown is what each node gets */
} tests[] = {
    {"ping-pong", "ping-pong, 2 nodes", "no errors", 0},     {"one-way", "one way", "287 of 300", 0},
    {"self", "one way to itself", "270 of 300", 0},          {"three-to-one", "3 to 1, sum", "279 of 300", 0},
    {"round-robin", "all to all, per node", "no errors", 1},
};
enum { TESTS = sizeof tests / sizeof tests[0] };

static const char sizes[] = "24,496,8..496", measure_us[] = "300", warmup_us[] = "40";

struct body {
    fabric *f;
    scenario *x;
    const program_options *o;
    json_t *list;
    unsigned done;
};

static void print_row(const struct test *t, const scenario *x, unsigned i)
{
    const scenario_row *r = &x->row[i];
    char text[48];
    double unfair = x->params.pattern.kind == PATTERN_THREE_TO_ONE ? scenario_unfairness(r, x->f->nodes, 0) : NAN;
    int largest = r->sizes.kind == SIZES_FIXED && r->sizes.low == 62;
    printf("%-20s %-8s %8" PRIu64 " %10.1f %12s %9.2f %9.2f %9.2f ", i ? "" : t->title, scenario_size_text(&r->sizes, text, sizeof text),
           r->packets, r->all.mib_per_s / (t->per_node ? x->f->nodes : 1), largest ? t->documents : "-", 1e-3 * r->all.latency_min,
           1e-3 * r->all.latency_median, 1e-3 * r->all.latency_p99);
    if (isnan(unfair)) printf("%9s  ", "-");
    else printf("%9.1f  ", 100 * unfair);
    printf("%s\n", !r->complete ? "not finished" : *x->error ? "FAILED" : "good");
    fflush(stdout);
}

static void report_test(struct body *b)
{
    for (unsigned i = 0; i < b->x->rows; i++) print_row(&tests[b->done], b->x, i);
    if (*b->x->error) printf("    %s\n", b->x->error);
    json_array_append_new(b->list, scenario_json(b->x));
}

static void software(void *arg)
{
    struct body *b = arg;
    char error[SCENARIO_ERROR];
    if (fabric_start(b->f)) {
        sim_fail(b->f->s, "%s", fabric_error(b->f));
        return;
    }
    for (b->done = 0; b->done < TESTS; b->done++) {
        scenario_params p;
        scenario_params_default(&p);
        int unknown = scenario_set(&p, "scenario", tests[b->done].name, error);
        if (!unknown && pattern_nodes(p.pattern.kind) > b->f->nodes) continue;
        if (unknown || scenario_set(&p, "sizes", sizes, error) || scenario_set(&p, "measure", measure_us, error) ||
            scenario_set(&p, "warmup", warmup_us, error) || scenario_complete(&p, b->f->nodes, 1, b->o->payload, b->o->seed, error)) {
            sim_fail(b->f->s, "%s", error);
            return;
        }
        if (scenario_run(b->x, &p)) return; /* the failure ends the simulation; reported behind it */
        report_test(b);
    }
    fabric_stop(b->f);
}

/* Packets in memory, not clocks: what has crossed both ways. */
static int print_file(const program_options *o, json_t *all)
{
    file_run run;
    if (file_run_do(o, &run)) return -1;
    const report *r = &run.report;
    char title[32];
    for (int i = 0; i < 2; i++) {
        meter_direction m;
        if (!run.x.direction[i].path) continue;
        meter_get(run.meter, i, &m);
        snprintf(title, sizeof title, "file, host %d to %d", i, !i);
        printf("%-20s %-8u %8" PRIu64 " %10.1f %12s %9.2f %9.2f %9.2f %9s  %s\n", title, 8 * o->payload, m.packets, m.mib_per_second, "-",
               1e-3 * m.latency_min, 1e-3 * m.latency_median, 1e-3 * m.latency_p99, "-",
               r->good                        ? "SHA-256 equal"
               : r->result == SIM_INTERRUPTED ? "not finished"
                                              : "FAILED");
    }
    fflush(stdout);
    json_object_set_new(all, "file", report_json(r));
    int result = r->result, good = r->good;
    file_run_close(&run);
    return result == SIM_INTERRUPTED ? SIM_INTERRUPTED : good ? SIM_OK : SIM_FAILED;
}

int run_suite(const program_options *o)
{
    double began = report_wall();
    json_t *all = json_object();
    printf("%-20s %-8s %8s %10s %12s %9s %9s %9s %9s\n", "", "payload", "packets", "payload", "documents", "latency", "[us]", "",
           "unfair-");
    printf("%-20s %-8s %8s %10s %12s %9s %9s %9s %9s  %s\n", "test", "[bytes]", "checked", "[MiB/s]", "", "min", "median", "p99",
           "ness [%]", "verdict");
    unsigned most = o->chips->chip->ports, nodes = o->nodes ? o->nodes : most < 4 ? most : 4;
    int result = print_file(o, all);
    if (result < 0) return 1;
    double ms = 0;
    if (result == SIM_OK) {
        fabric_params p;
        program_fabric(o, nodes, &p);
        struct body b = {.f = fabric_new(&p), .o = o, .list = json_array()};
        b.x = b.f ? scenario_new(b.f) : NULL;
        if (!b.x) return 1;
        sim_task_new(b.f->s, "tests", software, &b);
        result = sim_run(b.f->s, SIM_FOREVER);
        if (result != SIM_OK && b.done < TESTS) {
            scenario_interrupted(b.x);
            report_test(&b);
        }
        json_object_set_new(all, "tests", b.list);
        ms = 1e-9 * (double)sim_now(b.f->s);
        printf("%u nodes, %s with clocks of %+g and %+g ppm; hosts %s; every word compared; seed %" PRIu64 "\n", b.f->nodes,
               b.f->chip.kind->name, p.switch_ppm[0], p.switch_ppm[1], o->bridge, o->seed);
        printf("unfairness: largest deviation from an equal share of the packets in a short window; over 1 ms: make figures\n");
        scenario_free(b.x);
        fabric_free(b.f);
    }
    const char *path = o->json ? o->json : "build/sim.json";
    json_object_set_new(all, "good", json_boolean(result == SIM_OK));
    json_object_set_new(all, "result", json_string(sim_result_name(result)));
    json_object_set_new(all, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(all, "wall_s", json_real(report_wall() - began));
    int failed = report_write(all, path);
    printf("%.3f ms of tests simulated; %.1f s in all\n", ms, report_wall() - began);
    printf("%s: %s%s\n",
           result == SIM_INTERRUPTED     ? "INTERRUPTED"
           : result == SIM_OK && !failed ? "GOOD"
                                         : "FAILED",
           failed ? "results not written" : "results in ", failed ? "" : path);
    return result == SIM_INTERRUPTED ? 130 : result != SIM_OK || failed;
}
