#include <string.h>

#include "fake_node.h"
#include "nc_litmus.h"
#include "nc_ni.h"
#include "test.h"

TEST_CASE("coherent_sw", .timeout = 300);

static nc_options options_of(enum nc_receive ni, enum nc_send send, unsigned message, unsigned nodes)
{
    return (nc_options){.ni = ni,
                        .send = send,
                        .message = message,
                        .nodes = nodes,
                        .direct = nodes == 2,
                        .rounds = 6,
                        .cache_kb = 4,
                        .ways = 2,
                        .seed = 7};
}

static double line(const nc_result *lines, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(lines[i].name, name)) return lines[i].value;
    ck_abort_msg("there is no result \"%s\"", name);
}

/* All modes of all programs that they do not refuse; messages of 8 bytes up to those of two packets. */
TEST(programs_run, .to = 9 * NC_RECEIVES * NC_SENDS)
{
    static const unsigned messages[] = {8, 24, 64, 200, 512}, nodes[] = {2, 3, 4, 8};
    const nc_program *program = nc_programs[_i / NC_RECEIVES / NC_SENDS];
    unsigned ran = 0;
    for (unsigned m = 0; m < COUNT(messages); m++) {
        nc_options o = options_of((enum nc_receive)(_i / NC_SENDS % NC_RECEIVES), (enum nc_send)(_i % NC_SENDS),
                                  messages[m], nodes[(m + (unsigned)_i) % 4]);
        nc_result lines[NC_RESULTS];
        unsigned count = 0;
        if (nc_refusal(program, &o)) continue;
        fake_net *net = fake_net_new(o.nodes, 1 + (unsigned)_i, NULL);
        const char *error = fake_net_run(net, program, &o, lines, &count);
        ck_assert_msg(!error, "%s, %u bytes, %u nodes: %s", program->name, o.message, o.nodes, error);
        ck_assert_uint_eq(fake_net_refused(net), 0);
        ck_assert_uint_gt(count, 0);
        for (unsigned i = 0; i < count; i++) ck_assert_msg(lines[i].value > 0, "%s: %f", lines[i].name, lines[i].value);
        ran++;
        if (!(program->uses & NC_USES_MESSAGE)) break;
    }
    nc_options two = options_of((enum nc_receive)(_i / NC_SENDS % NC_RECEIVES), (enum nc_send)(_i % NC_SENDS), 64, 2);
    ck_assert(ran || nc_refusal(program, &two));
}

/* ---- faults of the node that the programs must notice */

static const struct {
    const char *program;
    fake_faults faults;
    const char *error; /* part of it */
} noticed[] = {
    {"pingpong", {.damaged = 5}, "loss indicated"},
    {"pingpong", {.corrupt = 5}, ", expected "},
    {"stream", {.corrupt = 6}, ", expected "},
    {"stream", {.phase_first = 1}, ", expected "},
    {"queue", {.corrupt = 4}, ", expected "},
    {"halo", {.damaged = 9}, "border of node"},
    {"exchange", {.lost = 3}, "tells of block"},
    {"exchange", {.damaged = 3}, "loss indicated"},
    {"stream", {.lost = 5}, "message 4 of node 0"},
    {"pingpong", {.lost = 5}, "waited 20 ms for a message"},
    {"barrier", {.no_release = 1}, "waited 20 ms for "},
};

TEST(faults_are_noticed, .to = COUNT(noticed))
{
    nc_options o = options_of(NC_UPDATE, NC_SEND_CACHABLE, 64, 2);
    nc_result lines[NC_RESULTS];
    unsigned count;
    const char *error =
        fake_net_run(fake_net_new(2, 1, &noticed[_i].faults), nc_program_of(noticed[_i].program), &o, lines, &count);
    ck_assert_msg(error && strstr(error, noticed[_i].error), "%s: %s, expected \"%s\"", noticed[_i].program,
                  error ? error : "no error", noticed[_i].error);
}

/* A point of a border that has arrived wrong is a result that the plain C program has not. */
TEST(halo_is_compared)
{
    nc_options o = options_of(NC_MEMORY, NC_SEND_DOORBELL, 8, 2);
    nc_result lines[NC_RESULTS];
    unsigned count, compared = 0;
    for (unsigned packet = 20; packet < 24; packet++) {
        fake_faults faults = {.corrupt = packet};
        const char *error = fake_net_run(fake_net_new(2, packet, &faults), &nc_halo, &o, lines, &count);
        ck_assert_ptr_nonnull(error);
        compared += strstr(error, "the plain C program has") != NULL;
    }
    ck_assert_uint_gt(compared, 0);
}

/* ---- litmus */

/* Worked by hand for a sequentially consistent machine: name of the test, thread and register of what must not be seen
 * together. Registers of a thread are numbered as they are loaded. */
static const struct {
    const char *name;
    struct {
        unsigned thread, number, value;
    } never[2];
    unsigned outcomes;
} by_hand[] = {
    {"message", {{1, 0, 1}, {1, 1, 0}}, 3},
    {"store buffers", {{0, 0, 0}, {1, 0, 0}}, 3},
    {"loads, then stores", {{0, 0, 1}, {1, 0, 1}}, 3},
    {"own store", {{0, 1, 0}, {1, 1, 0}}, 3},
    {"one word", {{1, 0, 2}, {1, 1, 1}}, 10},
    {"atomic, exclusive", {{0, 0, 0}, {1, 0, 0}}, 4},
    {"lock", {{0, 0, 0}, {1, 0, 0}}, 6},
    {"message of the NI", {{0, 0, 1}, {0, 1, 0}}, 3},
    {"message of the NI, two readers", {{1, 0, 0}, {1, 0, 3}}, 12},
    {"sent behind a store", {{0, 0, 0}, {0, 0, 0}}, 1},
    {"sent while stored", {{0, 0, 2}, {0, 0, 2}}, 2},
    {"sent in order", {{0, 0, 1}, {0, 1, 0}}, 3},
};

TEST(litmus_model_as_by_hand, .to = COUNT(by_hand))
{
    nc_outcome allowed[NC_LITMUS_SETS];
    unsigned t = 0;
    while (t < nc_litmus_count && strcmp(nc_litmus_tests[t].name, by_hand[_i].name)) t++;
    ck_assert_uint_lt(t, nc_litmus_count);
    int count = nc_litmus_allowed(&nc_litmus_tests[t], &nc_memory_model_default, allowed);
    ck_assert_int_eq(count, (int)by_hand[_i].outcomes);
    for (int i = 0; i < count; i++) {
        unsigned same = 0;
        for (unsigned k = 0; k < 2; k++)
            same += nc_outcome_register(allowed[i], by_hand[_i].never[k].thread, by_hand[_i].never[k].number) ==
                    by_hand[_i].never[k].value;
        ck_assert_uint_lt(same, 2);
    }
}

/* A store buffer is what makes them differ. */
TEST(litmus_model_with_a_store_buffer)
{
    static const nc_memory_model buffer = {.store_buffer = 1};
    nc_outcome allowed[NC_LITMUS_SETS];
    for (unsigned t = 0; t < nc_litmus_count; t++) {
        int strict = nc_litmus_allowed(&nc_litmus_tests[t], &nc_memory_model_default, allowed);
        int loose = nc_litmus_allowed(&nc_litmus_tests[t], &buffer, allowed);
        ck_assert_int_ge(strict, 1);
        ck_assert_int_ge(loose, strict);
        if (!strcmp(nc_litmus_tests[t].name, "store buffers")) ck_assert_int_eq(loose, 4);
        if (!strcmp(nc_litmus_tests[t].name, "store buffers, sync")) ck_assert_int_eq(loose, 3);
    }
}

TEST(litmus_texts)
{
    static const char *const wrong[] = {"Qx", "Ra", "Wx", "Wx4", "Rx Rx Rx Rx Rx", "S S S S S S S"};
    nc_litmus_op ops[NC_LITMUS_OPS];
    ck_assert_int_eq(nc_litmus_parse("Wx1 S Ry Tz", ops), 4);
    ck_assert(ops[0].kind == 'W' && ops[0].word == 0 && ops[0].operand == 1);
    ck_assert(ops[2].kind == 'R' && ops[2].word == 1 && ops[2].operand == 0);
    ck_assert(ops[3].kind == 'T' && ops[3].word == 2 && ops[3].operand == 1);
    ck_assert_int_eq(nc_litmus_parse(NULL, ops), 0);
    for (unsigned i = 0; i < COUNT(wrong); i++) ck_assert_msg(nc_litmus_parse(wrong[i], ops) < 0, "%s", wrong[i]);
}

/* A processor whose loads pass its stores is caught. */
TEST(litmus_notices_a_store_buffer)
{
    nc_options o = options_of(NC_MEMORY, NC_SEND_DOORBELL, 8, 2);
    nc_result lines[NC_RESULTS];
    fake_faults faults = {.store_buffer = 2};
    unsigned count;
    o.rounds = 60;
    const char *error = fake_net_run(fake_net_new(2, 3, &faults), &nc_litmus, &o, lines, &count);
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error, "store buffers") && strstr(error, "is not allowed"), "%s", error);
}

/* Most outcomes that are allowed are seen. */
TEST(litmus_sees_what_is_allowed)
{
    nc_options o = options_of(NC_UPDATE, NC_SEND_CACHABLE, 8, 2);
    nc_result lines[NC_RESULTS];
    unsigned count;
    o.rounds = 60;
    const char *error = fake_net_run(fake_net_new(2, 5, NULL), &nc_litmus, &o, lines, &count);
    ck_assert_msg(!error, "%s", error);
    double allowed = line(lines, count, "outcomes allowed"), seen = line(lines, count, "of these seen");
    ck_assert_msg(seen >= allowed / 2, "%g of %g", seen, allowed);
}

/* ---- objects of part A, and what the processors of a node share */

static const nc_ni_plan plan = {.ni = NC_UPDATE, .send = NC_SEND_DOORBELL, .message = 16};

static int prepare_objects(nc_cpu *cpu)
{
    nc_set(cpu, NC_AT_PROGRAM, 0, 0);
    nc_set(cpu, NC_AT_PROGRAM + NC_LINE, 0, 0);
    return nc_ni_prepare(cpu, &plan);
}

/* All add to a word of node 1; node 0 also swaps another one. */
static int run_words(nc_cpu *cpu)
{
    static const uint32_t two[2] = {0, 2}, other[4] = {0, 7, 1, 8};
    uint32_t old[2] = {0, 0}, last = 0;
    nc_ni ni;
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned i = 0; i < 10; i++) {
        if (cpu->node == 1 && nc_host_command(cpu, NC_FETCH_ADD, 5, 0, 2)) return -1;
        if (cpu->node == 1) continue;
        if (nc_ni_ask(&ni, 1, NC_FETCH_ADD, 5, two, old)) return -1;
        if (old[0] || old[1] % 2 || (i && old[1] <= last))
            return nc_fail(cpu, "FETCH_ADD gave %u after %u", old[1], last);
        last = old[1];
    }
    if (cpu->node || cpu->processor) return 0;
    if (nc_ni_operation(&ni, 1, NC_WRITE, 9, 0, other, 1)) return -1;
    if (nc_ni_ask(&ni, 1, NC_COMPARE_SWAP, 9, other, old)) return -1;
    if (old[1] != 7) return nc_fail(cpu, "COMPARE_SWAP gave %u", old[1]);
    if (nc_ni_ask(&ni, 1, NC_SWAP, 9, two, old)) return -1;
    if (old[0] != 1 || old[1] != 8) return nc_fail(cpu, "SWAP gave %u, %u", old[0], old[1]);
    nc_add(cpu, "words", "", 1, NC_SUM);
    return 0;
}

/* Both processors add to a word under a lock; nothing is lost. */
static int run_lock(nc_cpu *cpu)
{
    uint32_t lock = NC_COHERENT + NC_AT_PROGRAM, word = lock + NC_LINE;
    for (unsigned i = 0; i < 50; i++) {
        nc_lock(cpu, lock);
        uint32_t value = nc_load(cpu, word);
        nc_work(cpu, 20);
        nc_store(cpu, word, value + 1);
        nc_unlock(cpu, lock);
    }
    nc_meet(cpu, NC_COHERENT + NC_AT_MEET);
    nc_add(cpu, "word", "", nc_load(cpu, word), NC_MIN);
    return 0;
}

/* More messages than the queue holds, nobody reads: the answers say how many were taken. */
static int run_refused(nc_cpu *cpu)
{
    static const uint32_t data[2];
    nc_ni ni;
    uint32_t at = NC_AT_REFUSED + 128 * 1;
    uint64_t since = nc_now(cpu);
    if (cpu->node) return 0;
    nc_set(cpu, at, 0, 0);
    if (nc_ni_open(&ni, cpu, &plan)) return -1;
    for (unsigned i = 0; i < 20; i++)
        if (nc_ni_operation(&ni, 1, NC_ENQUEUE, 0, 0, data, 1)) return -1;
    while (nc_high(cpu, at) != (1u << 24 | 4))
        if (nc_waited(cpu, since, "4 refused messages")) return -1;
    nc_add(cpu, "taken", "", nc_low(cpu, at), NC_SUM);
    return 0;
}

static const nc_program own_programs[] = {
    {.name = "words", .min_nodes = 2, .max_nodes = 8, .processors = 2, .prepare = prepare_objects, .run = run_words},
    {.name = "lock", .min_nodes = 2, .max_nodes = 8, .processors = 2, .prepare = prepare_objects, .run = run_lock},
    {.name = "refused",
     .min_nodes = 2,
     .max_nodes = 8,
     .processors = 1,
     .prepare = prepare_objects,
     .run = run_refused},
};

TEST(objects, .to = COUNT(own_programs))
{
    static const double expected[] = {1, 100, 16};
    nc_options o = options_of(NC_UPDATE, NC_SEND_DOORBELL, 16, 3);
    nc_result lines[NC_RESULTS];
    unsigned count;
    const char *error = fake_net_run(fake_net_new(3, 11, NULL), &own_programs[_i], &o, lines, &count);
    ck_assert_msg(!error, "%s", error);
    ck_assert_uint_eq(count, 1);
    ck_assert_double_eq(lines[0].value, expected[_i]);
}

/* ---- options and results */

TEST(wrong_options_are_refused)
{
    static const struct {
        const char *program;
        nc_options options;
    } wrong[] = {
        {"pingpong", {.message = 64, .nodes = 1, .cache_kb = 16}},
        {"pingpong", {.message = 64, .nodes = 9, .cache_kb = 16}},
        {"pingpong", {.message = 4, .nodes = 2, .cache_kb = 16}},
        {"pingpong", {.message = 20, .nodes = 2, .cache_kb = 16}},
        {"pingpong", {.message = 520, .nodes = 2, .cache_kb = 16}},
        {"pingpong", {.message = 64, .nodes = 2, .cache_kb = 2}},
        {"pingpong", {.ni = NC_RECEIVES, .message = 64, .nodes = 2, .cache_kb = 16}},
        {"pingpong", {.send = NC_SENDS, .message = 64, .nodes = 2, .cache_kb = 16}},
        {"queue", {.ni = NC_UNCACHED, .message = 512, .nodes = 8, .cache_kb = 16}},
        {"pollution", {.ni = NC_UNCACHED, .message = 64, .nodes = 2, .cache_kb = 16}},
        {"litmus", {.ni = NC_UPDATE, .send = NC_SEND_UNCACHED, .message = 64, .nodes = 2, .cache_kb = 16}},
    };
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        const char *refusal = nc_refusal(nc_program_of(wrong[i].program), &wrong[i].options);
        ck_assert_msg(refusal && strstr(refusal, "expected"), "%u: %s", i, refusal ? refusal : "taken");
    }
    ck_assert_ptr_null(nc_program_of("pong"));
}

TEST(results_of_processors_become_one)
{
    nc_cpu cpus[3];
    nc_result lines[NC_RESULTS];
    for (unsigned i = 0; i < 3; i++) {
        nc_cpu_init(&cpus[i], &nc_pingpong, NULL, NULL, i, 0);
        if (i == 1) nc_add(&cpus[i], "only here", "", 5, NC_MEAN);
        nc_add(&cpus[i], "mean", "", i, NC_MEAN);
        nc_add(&cpus[i], "least", "", i + 1, NC_MIN);
        nc_add(&cpus[i], "most", "", i + 1, NC_MAX);
        nc_add(&cpus[i], "sum", "", i, NC_SUM);
    }
    ck_assert_uint_eq(nc_fold(cpus, 3, lines), 5);
    ck_assert_double_eq(line(lines, 5, "mean"), 1);
    ck_assert_double_eq(line(lines, 5, "least"), 1);
    ck_assert_double_eq(line(lines, 5, "most"), 3);
    ck_assert_double_eq(line(lines, 5, "sum"), 3);
    ck_assert_double_eq(line(lines, 5, "only here"), 5);
}
