/* Systems of coherent nodes: each program of sw/coherent, which checks its own results, with all modes of the network
 * interface, on two nodes and a cable and around a switch; tables and JSON of a run. */
#include "sim/app/coherent/coherent_report.h"

#include <stdlib.h>
#include <string.h>

#include "coherent_node.h"
#include "coherent_register_map.h"
#include "crossbar8.h"
#include "nc_ni.h"
#include "nic_sync.h"
#include "shell.h"
#include "sim/core/kernel/splitmix64.h"
#include "test.h"

RUNS("coherent-sim");

static const coherent_chips chips = {&coherent_node_config, &crossbar8_config, &nic_sync_config};

/* A run of these arguments. NULL: they are refused. */
static coherent_run *run_of(const char *text, int expected)
{
    char words[300], *argument[40] = {"coherent-sim"}, *rest = NULL, error[OPTION_ERROR];
    int count = 1;
    coherent_options o;
    sim_params p;
    snprintf(words, sizeof words, "%s", text);
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) argument[count++] = w;
    ck_assert_msg(!coherent_options_read(&o, count, argument, error), "%s: %s", text, error);
    sim_params_default(&p);
    p.quiet = 1;
    coherent_run *r = coherent_run_new(&o, &chips, &p, error);
    ck_assert_msg(r != NULL, "%s: %s", text, error);
    int result = coherent_run_simulate(r);
    ck_assert_msg(result == expected, "%s: %s", text, sim_error(r->f->s));
    return r;
}

TEST_CASE("coherent", .timeout = 300, .teardown = shell_clean);

/* All modes of sending and receiving. */
static const char *const receives[] = {"uncached", "memory", "update", "allocate"}, *const sends[] = {"cachable",
                                                                                                      "doorbell",
                                                                                                      "uncached"};

TEST(messages_arrive_in_every_mode, .to = 12)
{
    char text[200];
    unsigned sizes[] = {8, 64, 504};
    for (int i = 0; i < COUNT(sizes); i++) {
        snprintf(text, sizeof text, "--ni %s --send %s --message %u --rounds 6", receives[_i % 4], sends[_i / 4],
                 sizes[i]);
        coherent_run_free(run_of(text, 0));
    }
    snprintf(text, sizeof text, "--scenario stream --ni %s --send %s --rounds 40", receives[_i % 4], sends[_i / 4]);
    coherent_run_free(run_of(text, 0));
}

static const char *const programs[] = {
    "--scenario queue --nodes 8 --rounds 20",
    "--scenario queue --nodes 3 --rounds 20 --ni uncached --send uncached --message 8",
    "--scenario queue --nodes 4 --rounds 10 --ni allocate --send doorbell --message 496",
    "--scenario barrier --nodes 4 --rounds 5",
    "--scenario barrier --nodes 8 --rounds 3 --ni memory --send doorbell",
    "--scenario halo --rounds 3",
    "--scenario halo --nodes 4 --rounds 2 --ni memory",
    "--scenario producer --rounds 30",
    "--scenario producer --rounds 30 --message 8 --nodes 2",
    "--scenario pollution --ni allocate",
    "--scenario pollution --ni memory",
    "--scenario litmus --rounds 2",
    "--scenario pingpong --nodes 8 --rounds 5 --ratio 1",
    "--scenario pingpong --ratio 4 --rounds 5 --seed 9",
    "--scenario exchange --rounds 6 --message 256",
    "--scenario exchange --rounds 4 --nodes 8 --ni allocate --send doorbell",
    "--node mixed --scenario exchange --nodes 8 --rounds 4 --message 512",
    "--node mixed --rounds 8",
    "--node mixed --scenario stream --nodes 4 --message 512 --ni allocate --send uncached --rounds 30",
    "--node mixed --scenario queue --nodes 8 --ni memory --send doorbell --rounds 10",
    "--node mixed --scenario barrier --nodes 8 --rounds 4",
};

TEST(every_program_is_right, .to = COUNT(programs)) { coherent_run_free(run_of(programs[_i], 0)); }

/* Drawn from the number of the test; many with make soak NODE=coherent. */
TEST(any_options_do, .from = 1, .to = long_form() ? 301 : 5)
{
    static const char *const scenarios[] = {"pingpong", "stream",   "queue",     "barrier", "exchange",
                                            "halo",     "producer", "pollution", "litmus"};
    uint64_t state = 1000 * (uint64_t)_i + strtoull(getenv("SEED") ? getenv("SEED") : "1", NULL, 0);
    char text[300], error[OPTION_ERROR], words[300], *rest;
    coherent_options o;
    do {
        uint64_t r[10];
        for (unsigned i = 0; i < 10; i++) r[i] = splitmix64(&state);
        const char *scenario = scenarios[r[0] % COUNT(scenarios)];
        int all = strcmp(scenario, "barrier") && strcmp(scenario, "pollution") && strcmp(scenario, "litmus");
        int n = snprintf(text, sizeof text, "--scenario %s --rounds %u --seed %u --ratio %u", scenario,
                         2 + (unsigned)(r[1] % 4), (unsigned)(r[2] % 1000), 1 + (unsigned)(r[3] % 4));
        if (strcmp(scenario, "producer"))
            n += snprintf(text + n, sizeof text - (size_t)n, " --ni %s --send %s", receives[r[4] % 4], sends[r[5] % 3]);
        if (all) n += snprintf(text + n, sizeof text - (size_t)n, " --message %u", 8 * (1 + (unsigned)(r[6] % 64)));
        if (r[7] % 2) n += snprintf(text + n, sizeof text - (size_t)n, " --nodes %u", 2 + (unsigned)(r[8] % 7));
        if (r[9] % 5 == 0) snprintf(text + n, sizeof text - (size_t)n, " --node mixed");
        char *argument[40] = {"coherent-sim"};
        int count = 1;
        snprintf(words, sizeof words, "%s", text);
        rest = NULL;
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) argument[count++] = w;
        if (!coherent_options_read(&o, count, argument, error)) break;
    } while (1);
    coherent_run_free(run_of(text, 0));
}

TEST(a_run_has_counts_of_processors_and_memories)
{
    coherent_run *r = run_of("--rounds 10", 0);
    json_t *all = coherent_report_json(r);
    ck_assert_str_eq(json_string_value(json_object_get(all, "program")), "pingpong");
    ck_assert_uint_eq(json_array_size(json_object_get(all, "processors")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(all, "memories")), 2);
    json_t *line = json_object_get(json_object_get(all, "lines"), "round trip");
    ck_assert(json_real_value(json_object_get(line, "value")) > 500);
    ck_assert_str_eq(json_string_value(json_object_get(line, "unit")), "ns");
    json_decref(all);
    coherent_run_free(r);
}

/* The same run is the same to the clock. */
TEST(a_run_repeats)
{
    double value[2];
    for (int i = 0; i < 2; i++) {
        coherent_run *r = run_of("--rounds 10 --seed 5", 0);
        value[i] = r->line[0].value;
        coherent_run_free(r);
    }
    ck_assert(value[0] == value[1]);
}

/* ---- programs of these tests, on two nodes and a cable ---- */

static coherent_run *under_test;

/* Runs both functions; what has gone wrong, "" if nothing. The run is under_test. */
static const char *run_program(int (*prepare)(nc_cpu *cpu), int (*run)(nc_cpu *cpu), const char *options)
{
    static nc_program program;
    char words[100], *argument[10] = {"coherent-sim"}, *rest = NULL, error[OPTION_ERROR];
    int count = 1;
    coherent_options o;
    sim_params p;
    snprintf(words, sizeof words, "%s", options);
    for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) argument[count++] = w;
    program = (nc_program){.name = "test", .processors = 1, .prepare = prepare, .run = run};
    ck_assert(!coherent_options_read(&o, count, argument, error));
    o.program = &program;
    sim_params_default(&p);
    p.quiet = 1;
    under_test = coherent_run_new(&o, &chips, &p, error);
    ck_assert_msg(under_test != NULL, "%s", error);
    coherent_run_simulate(under_test);
    return sim_error(under_test->f->s);
}

static int nothing(nc_cpu *cpu)
{
    (void)cpu;
    return 0;
}

static nc_ni_plan plan_of(const nc_cpu *cpu)
{
    return (nc_ni_plan){.ni = cpu->options->ni, .send = cpu->options->send, .message = 64};
}

static int prepare_messages(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu);
    return nc_ni_prepare(cpu, &plan);
}

/* Accesses that the chip answers with an error: it keeps their address, and ends nothing. */
static const struct {
    uint32_t address;
    char what; /* l load, s store, L line read, S line write */
} refused[] = {{0x90000000, 'l'}, {0x80100000, 's'}, {0x80000000, 'L'}, {0x80002000, 'S'},
               {0x80000004, 's'}, {0x80004000, 's'}, {0x80000300, 'l'}};

static int refused_accesses(nc_cpu *cpu)
{
    coherent_processor *p = &under_test->processor[cpu->node][0];
    uint8_t line[32] = {0};
    if (cpu->node) return 0;
    for (int i = 0; i < COUNT(refused); i++) {
        uint32_t a = refused[i].address;
        uint64_t before = p->errors;
        if (refused[i].what == 'l') ck_assert_uint_eq(nc_load(cpu, a), UINT32_MAX);
        if (refused[i].what == 's') nc_store(cpu, a, 1);
        if (refused[i].what == 'L') ppc405_line_read(p->cpu, a, line);
        if (refused[i].what == 'S') ppc405_line_write(p->cpu, a, line);
        nc_sync(cpu);
        ck_assert_msg(p->errors > before, "%c of 0x%08x: no error", refused[i].what, a);
        ck_assert_uint_eq(nc_load(cpu, 0x80000000 + CNI_PLB0_ERROR) & ~31u, a & ~31u);
    }
    return 0;
}

TEST(accesses_without_a_range_are_answered_with_an_error)
{
    const char *error = run_program(nothing, refused_accesses, "");
    ck_assert_msg(strstr(error, "answered with an error, the last one at 0x80000300") != NULL, "%s", error);
    coherent_run_free(under_test);
}

/* Lines that the internal cache would move pass through the coherent cache and the private PLB. */
static int lines(nc_cpu *cpu)
{
    ppc405 *c = under_test->processor[cpu->node][0].cpu;
    static const uint32_t places[] = {0x40300000, 0x00001000, 0xc0000040};
    for (unsigned i = 0; i < 3; i++) {
        uint8_t to[32], from[32];
        for (unsigned k = 0; k < 32; k++) to[k] = (uint8_t)(7 * k + i + cpu->node);
        ppc405_line_write(c, places[i], to);
        ppc405_line_read(c, places[i] + 12, from);
        ck_assert_mem_eq(from, to, 32);
        ck_assert_uint_eq(nc_load(cpu, places[i] + 4), (uint32_t)to[4] << 24 | to[5] << 16 | to[6] << 8 | to[7]);
        nc_store(cpu, places[i] + 8, 0x12345678);
        ck_assert_uint_eq(ppc405_load8(c, places[i] + 10), 0x56);
    }
    return 0;
}

TEST(lines_pass_through_cache_and_private_bus)
{
    ck_assert_str_eq(run_program(nothing, lines, ""), "");
    coherent_run_free(under_test);
}

static uint64_t broadcasts(unsigned node)
{
    observer_stats s = observer_get_stats(under_test->f->cnode[node]->observer);
    uint64_t sum = 0;
    for (unsigned a = 0; a < 3; a++)
        for (unsigned k = 0; k < OBSERVER_KINDS; k++) sum += s.broadcasts[a][k];
    return sum;
}

static int poll_empty(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu);
    nc_message m;
    nc_ni ni;
    uint64_t before = 0;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned i = 0; i < 400; i++) {
        if (i == 20) before = broadcasts(cpu->node);
        ck_assert_int_eq(nc_ni_poll(&ni, &m), 0);
    }
    ck_assert_uint_eq(broadcasts(cpu->node), before);
    return 0;
}

TEST(polling_an_empty_queue_makes_no_traffic, .from = 1, .to = 4)
{
    char options[40];
    snprintf(options, sizeof options, "--ni %s --send cachable", receives[_i]);
    ck_assert_str_eq(run_program(prepare_messages, poll_empty, options), "");
    coherent_run_free(under_test);
}

/* Node 1 resets its interface while messages of node 0 arrive, and goes on. What it takes is whole and in order. */
enum { SENT = 60, RESET_AFTER = 12 };

static int send_on(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu);
    nc_ni ni;
    uint32_t data[16];
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned n = 0; n < SENT; n++) {
        for (unsigned i = 0; i < 16; i++) data[i] = 1000 * n + i;
        if (nc_ni_send(&ni, 1, 0, data, 64)) return -1;
        nc_work(cpu, 300);
    }
    return 0;
}

static int take_with_reset(nc_cpu *cpu)
{
    nc_ni_plan plan = plan_of(cpu);
    nc_message m;
    nc_ni ni;
    unsigned taken = 0, next = 0, quiet = 0, resets = 0;
    int got;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    while (next < SENT && quiet < 4000) {
        if ((got = nc_ni_poll(&ni, &m)) < 0) return -1;
        quiet = got ? 0 : quiet + 1;
        if (!got) continue;
        ck_assert_uint_eq(m.bytes, 64);
        ck_assert_uint_ge(m.data[0] / 1000, next);
        next = m.data[0] / 1000 + 1;
        for (unsigned i = 0; i < 16; i++) ck_assert_uint_eq(m.data[i], 1000 * (next - 1) + i);
        if (++taken % RESET_AFTER || resets == 2) continue;
        resets++;
        nc_store(cpu, 0x80000000 + CNI_CONTROL, CNI_CONTROL_SOFT_RESET_MASK);
        while (nc_load(cpu, 0x80000000 + CNI_CONTROL) & CNI_CONTROL_SOFT_RESET_MASK) nc_work(cpu, 20);
        if (prepare_messages(cpu) || nc_ni_open(&ni, cpu, &plan)) return -1;
    }
    ck_assert_uint_eq(next, SENT);
    ck_assert_uint_ge(taken, SENT / 2);
    ck_assert_uint_eq(resets, 2);
    return 0;
}

static int reset_in_traffic(nc_cpu *cpu) { return cpu->node ? take_with_reset(cpu) : send_on(cpu); }

TEST(a_node_is_reset_in_traffic, .to = 4)
{
    char options[40];
    snprintf(options, sizeof options, "--ni %s --send doorbell", receives[_i]);
    const char *error = run_program(prepare_messages, reset_in_traffic, options);
    ck_assert_msg(!*error, "%s: %s", receives[_i], error);
    coherent_run_free(under_test);
}

TEST(the_program_prints_tables_and_saves_json)
{
    ck_shell_says(0, "coherent, 2 nodes and a cable, pingpong, receive update, send cachable, messages of 64 bytes",
                  "build/coherent-sim --rounds 5 --json $D/sim.json");
    ck_output_has("round trip");
    ck_output_has("GOOD: results in");
    ck_shell_says(2, "coherent-sim-32-2", "build/coherent-sim --cache-kb 32 2>&1");
    ck_shell_says(2, "pingpong, stream, queue, barrier or exchange with node mixed",
                  "build/coherent-sim --node mixed --scenario halo 2>&1");
    ck_shell_says(2, "memory, update or allocate with node mixed",
                  "build/coherent-sim --node mixed --ni uncached 2>&1");
    ck_shell_says(2, "build/full/coherent-sim", "build/coherent-sim --waves $D/x.fst 2>&1");
}

/* The layout of make wave names signals that there are. */
TEST(the_layout_of_waves_finds_its_signals)
{
    ck_assert_int_eq(
        shell_says(
            "${PYTHON:-python3} scripts/design.py signals build/models/coherent_node/coherent_node.design coherent0 "
            ">$D/names; grep -o 'coherent0[.][^ ]*' scripts/waves/coherent.gtkw | "
            "sed 's/\\[[0-9]*:[0-9]*\\]$//' >$D/shown; [ $(wc -l <$D/shown) -gt 60 ] && ! grep -vxFf $D/names "
            "$D/shown"),
        0);
    ck_assert_str_eq(shell_output, "");
}
