/* The run of `make sim`: a file through the switch, and the five validation tests of S1 4.2 in a short form, with the
 * figures of the documents. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/nicxbar/run.h"
#include "sim/app/nicxbar/scenario_report.h"
#include "sim/core/kernel/text_table.h"

static const struct test {
    const char *name, *title;
    const char *documents; /* of the largest packets [MB/s] */
    int per_node, unfair;  /* shown: what each node gets; how even the senders of one receiver are */
} tests[] = {
    {"ping-pong", "ping-pong, 2 nodes", "no errors", 0, 0},     {"one-way", "one way", "287 of 300", 0, 0},
    {"self", "one way to itself", "270 of 300", 0, 0},          {"three-to-one", "3 to 1, sum", "279 of 300", 0, 1},
    {"round-robin", "all to all, per node", "no errors", 1, 0},
};
enum { TESTS = sizeof tests / sizeof tests[0] };

static const char measure_us[] = "300", warmup_us[] = "40";
static const char waves_measure_us[] = "30", waves_warmup_us[] = "20"; /* the whole run would be 600 MB of waves */

struct body {
    fabric *f;
    scenario *x;
    const program_options *o;
    FILE *out, *table; /* table: the rows of out */
    file_run file;
    int file_done, brief;
    recordings made;
    json_t *all, *list;
    unsigned done;
};

/* Small packets, the largest, and all between. */
static void sizes(unsigned payload, char *text, size_t size)
{
    if (payload > 3) snprintf(text, size, "24,%u,8..%u", 8 * payload, 8 * payload);
    else if (payload > 1) snprintf(text, size, "%u,8..%u", 8 * payload, 8 * payload);
    else snprintf(text, size, "8");
}

static void print_row(FILE *out, const struct test *t, const scenario *x, unsigned i)
{
    const scenario_row *r = &x->row[i];
    char text[48];
    double unfair = t->unfair ? scenario_unfairness(r, x->f->nodes, 0) : NAN;
    int one_link = x->f->links * x->f->bundle == 1; /* as in the documents */
    int largest = r->sizes.kind == SIZES_FIXED && r->sizes.low == 62 && one_link;
    fprintf(out, "%s\t%s\t%" PRIu64 "\t%.1f\t%s\t%.2f\t%.2f\t%.2f\t%.1f\t%s\n", i ? " " : t->title,
            scenario_size_text(&r->sizes, text, sizeof text), r->packets,
            r->all.mib_per_s / (t->per_node ? x->f->nodes : 1), largest ? t->documents : "", 1e-3 * r->all.latency_min,
            1e-3 * r->all.latency_median, 1e-3 * r->all.latency_p99, 100 * unfair,
            !r->complete ? "not finished"
            : *x->error  ? "FAILED"
                         : "good");
}

static void report_test(struct body *b)
{
    for (unsigned i = 0; i < b->x->rows; i++) print_row(b->table, &tests[b->done], b->x, i);
    scenario_paths_line(b->x, b->out);
    if (*b->x->error) fprintf(b->out, "    %s\n", b->x->error);
    json_array_append_new(b->list, scenario_json(b->x));
}

/* The rows of the file transfer. */
static void report_file(struct body *b, int result)
{
    file_run *run = &b->file;
    file_run_result(b->o, run, result, 0);
    for (int i = 0; i < 2; i++) {
        meter_direction m;
        if (!run->x.direction[i].path) continue;
        meter_get(run->meter, i, &m);
        const double some = m.packets ? 0 : NAN;
        fprintf(b->table, "file, host %d to %d\t%u\t%" PRIu64 "\t%.1f\t\t%.2f\t%.2f\t%.2f\t\t%s\n", i, !i,
                8 * b->o->payload, m.packets, m.mib_per_second, some + 1e-3 * m.latency_min,
                some + 1e-3 * m.latency_median, some + 1e-3 * m.latency_p99,
                run->report.good            ? "SHA-256 equal"
                : result == SIM_INTERRUPTED ? "not finished"
                                            : "FAILED");
    }
    json_object_set_new(b->all, "file", report_json(&run->report));
}

static void poll_again(void *arg)
{
    node *n = arg;
    nx_use_interrupts(n->dev, 0);
}

static void window(void *arg, int open) { sim_cycles_window(arg, open); }

static int transfer(struct body *b)
{
    exchange_run(&b->file.x);
    sim_wait_time(b->f->s, 20 * SIM_US); /* nothing of it is on its way when the next counts */
    meter_stop(b->file.meter);
    if (!exchange_good(&b->file.x)) {
        sim_fail(b->f->s, "the file has not crossed as it was sent");
        return -1;
    }
    b->file_done = 1;
    report_file(b, SIM_OK);
    for (unsigned i = 0; i < 2; i++) sim_do_in(b->f->node[i]->group, poll_again, b->f->node[i], NULL, 0);
    return 0;
}

static void software(void *arg)
{
    struct body *b = arg;
    char error[SCENARIO_ERROR], list[48];
    if (fabric_start(b->f)) {
        sim_fail(b->f->s, "%s", fabric_error(b->f));
        return;
    }
    if (transfer(b)) return;
    sizes(b->o->payload, list, sizeof list);
    for (b->done = 0; b->done < TESTS; b->done++) {
        scenario_params p;
        scenario_params_default(&p);
        int unknown = scenario_set(&p, "scenario", tests[b->done].name, error);
        if (!unknown && p.pattern.kind->nodes > b->f->nodes) continue;
        if (unknown || scenario_set(&p, "sizes", list, error) ||
            scenario_set(&p, "measure", b->brief ? waves_measure_us : measure_us, error) ||
            scenario_set(&p, "warmup", b->brief ? waves_warmup_us : warmup_us, error) ||
            scenario_complete(&p, b->f->nodes, 1, b->o->payload, b->o->seed, error)) {
            sim_fail(b->f->s, "%s", error);
            return;
        }
        if (scenario_run(b->x, &p)) return; /* the failure ends the simulation; reported behind it */
        report_test(b);
    }
    fabric_stop(b->f);
}

static int verdict(struct body *b, int result, double began)
{
    const program_options *o = b->o;
    double ms = 1e-9 * (double)sim_now(b->f->s);
    fprintf(b->out, "%u nodes, %s with clocks of %+g and %+g ppm; hosts %s; every word compared; seed %" PRIu64 "\n",
            b->f->nodes, b->f->chip.kind->name, b->f->params.switch_ppm[0], b->f->params.switch_ppm[1], o->bridge,
            o->seed);
    fprintf(b->out, "unfairness: largest deviation from an equal share of the packets in a short window; over 1 ms: "
                    "make figures\n");
    if (b->brief)
        fprintf(b->out,
                "short for the waves: windows of %s us instead of %s, a small file; --wave-from and --wave-to record a "
                "part of the whole\n",
                waves_measure_us, measure_us);
    program_cycles_result(o, b->file.cycles, b->all);
    json_object_set_new(b->all, "tests", b->list);
    json_object_set_new(b->all, "good", json_boolean(result == SIM_OK));
    json_object_set_new(b->all, "result", json_string(sim_result_name(result)));
    json_object_set_new(b->all, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(b->all, "simulated_ms", json_real(ms));
    json_object_set_new(b->all, "wall_s", json_real(sim_wall() - began));
    fprintf(b->out, "%.3f ms simulated in %.1f s\n", ms, sim_wall() - began);
    ranks_print(o, b->f, sim_wall() - began, b->out);
    return program_verdict(o, result, 1, b->all, &b->made, b->out);
}

/* The run up to the end of the recording. Its errors are reported by the run of the fast models, which is the same. */
static int record_first(const program_options *o, fabric *f)
{
    int result = sim_recorded(f->s, sim_run(f->s, o->wave_to_time));
    if (result == SIM_INTERRUPTED) return 130;
    if (sim_waves_missing(f->s)) return 1;
    return puts(o->waves) < 0;
}

int run_suite(const program_options *o)
{
    double began = sim_wall();
    fabric_params p;
    struct body b = {.o = o, .out = stdout, .brief = o->brief};
    char *table = NULL;
    size_t table_size;
    program_fabric(o, &p);
    b.f = fabric_new(&p);
    b.x = b.f ? scenario_new(b.f) : NULL;
    if (!b.x || file_run_new(o, b.f, &b.file) || program_record(o, b.f, &b.made)) return 1;
    sniffers print;
    program_sniffer(o, b.f, &print);
    if (o->sniff) b.out = open_memstream(&table, &table_size); /* the rows are printed together, after all frames */
    program_windows(o, b.f);
    b.x->window = window;
    b.x->arg = b.file.cycles;
    b.all = json_object();
    b.list = json_array();
    sim_task_new(b.f->s, "tests", software, &b);
    if (o->first_only) return record_first(o, b.f);
    b.table = text_table(b.out, 1,
                         "<20 test\t<8 payload\n[bytes]\tpackets\nchecked\tpayload\n[MiB/s]\t>10 documents\n"
                         "\t>7 latency [us]\nmin\t>7 median\t>7 p99\tunfair-\nness [%]\t<verdict");
    int result = program_sim(b.f->s);
    if (!b.file_done) report_file(&b, result);
    else if (result != SIM_OK && b.done < TESTS) {
        scenario_interrupted(b.x);
        report_test(&b);
        if (!b.x->rows || b.x->row[b.x->rows - 1].complete) /* before its first row, or behind its last one */
            fprintf(b.table, "%s\t \t \t \t \t \t \t \t \tnot finished\n", tests[b.done].title);
    }
    fclose(b.table);
    int code = verdict(&b, result, began);
    if (o->sniff) {
        fclose(b.out);
        fputs(table, stdout);
        free(table);
    }
    file_run_close(&b.file);
    scenario_free(b.x);
    fabric_free(b.f);
    program_sniffer_free(&print);
    return code;
}
