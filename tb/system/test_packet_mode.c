/* The packet-mode switches (S3, appendix): exact latency of a packet through an idle one; each word under load; answers
 * of the program. pm_run checks every word. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "pm_dpm_4.h"
#include "pm_dpm_generous_2.h"
#include "pm_faulty.h"
#include "pm_iq_4.h"
#include "pm_iq_generous_3.h"
#include "pm_ppm_4.h"
#include "pm_sm_4.h"
#include "pm_sm_bad_2.h"
#include "pm_vps_4.h"
#include "pm_vps_64_4.h"
#include "shell.h"
#include "sim/app/packet_mode/pm_program.h"
#include "sim/app/packet_mode/pm_run.h"
#include "test.h"

enum { RTT = 61 };

static const sim_config *const model[] = {&pm_sm_4_config, &pm_ppm_4_config, &pm_dpm_4_config, &pm_vps_4_config,
                                          &pm_iq_4_config};
enum { SM, PPM, DPM, VPS, IQ };

static pm_run_params params(int architecture, const char *pattern_name, size_choice sizes, double load)
{
    if (architecture == IQ) { /* whole cells */
        sizes.low = (sizes.low + 7) / 8 * 8;
        sizes.high = (sizes.high + 7) / 8 * 8;
    }
    return (pm_run_params){
        .model = model[architecture],
        .quiet = 1,
        .warmup = 1000,
        .clocks = 20000,
        .traffic = {.pattern = {.kind = pattern_find(pattern_name), .nodes = 4, .part = 0.5, .sizes = sizes, .seed = 1},
                    .grain = architecture == IQ ? 8 : 1,
                    .load = load}};
}

TEST_CASE("idle", .timeout = 60);

/* S3 VI-B, by the rules of each architecture: SM waits for the last segment, DPM for the whole packet or RTT and a
 * segment of it. */
static double idle_clocks(int architecture, unsigned words)
{
    if (architecture == SM) return 64.0 * ((words + 63) / 64 - 1);
    if (architecture == DPM) return words < RTT + 64 ? words : RTT + 64;
    return 0;
}

TEST(a_packet_in_an_idle_switch_takes_just_so_long, .to = 5)
{
    static const unsigned sizes[] = {1, 5, 64, 65, 125, 126, 320, 1024};
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        unsigned words = sizes[k];
        pm_run_params p = params(_i, "permutation", (size_choice){SIZES_FIXED, words, words, 0}, words / 40000.0);
        p.clocks = 100000;
        pm_result r = pm_run(&p);
        ck_assert_msg(!r.error, "%u words: %s", words, r.error);
        ck_assert_uint_ge(r.all.packets, 2);
        ck_assert_msg(r.all.deviation == 0 && fabs(r.all.mean * PM_UNIT - idle_clocks(_i, words)) < 1e-9,
                      "%u words: %g clocks, deviation %g, expected %g", words, r.all.mean * PM_UNIT,
                      r.all.deviation * PM_UNIT, idle_clocks(_i, words));
    }
}

TEST_CASE("load", .timeout = 60);

TEST(every_word_comes_once_and_in_order_under_load, .to = 5)
{
    static const struct {
        const char *pattern;
        size_choice sizes;
        double load;
        pm_process process;
    } loads[] = {
        {"uniform", {SIZES_BIMODAL, 5, 1024, 0.95}, 0.8, PM_POISSON},
        {"uniform", {SIZES_BIMODAL, 5, 1024, 0.95}, 1, PM_SATURATED},
        {"uniform", {SIZES_UNIFORM, 1, 1024, 0}, 0.6, PM_ONOFF},
        {"uniform", {SIZES_BIMODAL, 5, 1024, 0.95}, 0.8, PM_INSTANT},
        {"hot-spot", {SIZES_UNIFORM, 1, 64, 0}, 1, PM_SATURATED},
        {"uniform", {SIZES_FIXED, 1, 1, 0}, 1, PM_SATURATED},
        {"uniform", {SIZES_BIMODAL, 1, 128, 0.5}, 1, PM_SATURATED},
        {"diagonal", {SIZES_FIXED, 1024, 1024, 0}, 1, PM_SATURATED},
    };
    for (unsigned k = 0; k < sizeof loads / sizeof loads[0]; k++) {
        pm_run_params p = params(_i, loads[k].pattern, loads[k].sizes, loads[k].load);
        p.traffic.process = loads[k].process;
        pm_result r = pm_run(&p);
        ck_assert_msg(!r.error, "load %u: %s", k, r.error);
        ck_assert_uint_gt(r.all.packets, 50);
        /* high-water marks: a crosspoint has the words that there is room for and no more; of units of 64 some wait for
         * a busy output */
        unsigned room = _i == IQ ? 0 : (unsigned)sim_config_parameter(model[_i], "XPOINT_WORDS", 64);
        ck_assert_uint_le(r.most_crosspoint, room);
        if (loads[k].process == PM_SATURATED && (_i == SM || _i == PPM)) ck_assert_uint_eq(r.most_crosspoint, room);
        ck_assert_msg(r.most_voq >= 4 && r.most_voq < 8192 + 1024 + 64, "load %u: VOQ %u", k, r.most_voq);
    }
}

/* While an egress card's line is busy with long packets of the other inputs, one input brings it more short ones than
 * 1023 or 2047, which may all start. All of them leave. */
typedef struct {
    unsigned sent[4], words;
} flood;

static pm_packet flood_next(void *self, unsigned input)
{
    enum { SHORT = 3000, LONG_CLOCKS = 3300 };
    flood *f = self;
    unsigned k = f->sent[input]++;
    if (input < 3) return (pm_packet){.first = k ? UINT64_MAX : 10, .words = 1024};
    return (pm_packet){.first = k < SHORT ? LONG_CLOCKS + (uint64_t)k * f->words : UINT64_MAX, .words = f->words};
}

TEST(short_packets_behind_long_ones_all_leave, .to = 2)
{
    flood f = {.words = 1};
    pm_run_params p = params(_i ? PPM : SM, "hot-spot", (size_choice){SIZES_UNIFORM, 1, 1024, 0}, 1);
    p.warmup = 0;
    p.next = flood_next;
    p.self = &f;
    pm_result r = pm_run(&p);
    ck_assert_msg(!r.error, "%s", r.error);
    ck_assert_uint_eq(r.all.packets, 3003);
    if (!_i) ck_assert_uint_gt(r.most_reassembly, 2047);
}

/* From the words that leave and their times: cells in which just one packet ended, and those behind which its pair sent
 * the next packet at once. Lengths are whole cells; events are counted one clock before a cell's last word is on the
 * line out. */
typedef struct {
    uint64_t from, to;
    unsigned ended[20000 / 8], pair[20000 / 8],
        next[20000 / 8]; /* by cell: packets; input, output of the last of them; a pair begins */
} cells_seen;

static void end_of_packet(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last)
{
    cells_seen *c = self;
    (void)number;
    for (uint64_t at = last - 1, k = 0; k < 2; k++, at = first - 2) {
        if (at < c->from || at >= c->to) continue;
        at = (at - c->from) / 8;
        if (k) c->next[at] |= 1u << (4 * input + output);
        else c->ended[at]++, c->pair[at] = 4 * input + output;
    }
}

TEST(a_lone_pair_of_iq_that_is_made_again_is_counted, .to = 4)
{
    static const struct {
        const char *pattern;
        double load;
        pm_process process;
        int again; /* always, never, or sometimes */
    } of[] = {{"uniform", 0.7, PM_ONOFF, -1},
              {"uniform", 1, PM_SATURATED, -1},
              {"permutation", 0.02, PM_POISSON, 0},
              {"uniform", 1, PM_STAIRCASE, 1}};
    static cells_seen c;
    uint64_t ended = 0, lone = 0;
    size_choice sizes = _i < 3 ? (size_choice){SIZES_UNIFORM, 8, 128, 0} : (size_choice){SIZES_FIXED, 256, 256, 0};
    pm_run_params p = params(IQ, of[_i].pattern, sizes, of[_i].load);
    p.traffic.process = of[_i].process;
    c = (cells_seen){.from = 1004 + (_i == 3 ? 132080 : 0)};
    c.to = c.from + p.clocks;
    p.seen = end_of_packet;
    p.self = &c;
    pm_result r = pm_run(&p);
    ck_assert_msg(!r.error, "%s", r.error);
    for (unsigned k = 0; k < p.clocks / 8; k++)
        if (c.ended[k] == 1) ended++, lone += c.next[k] >> c.pair[k] & 1;
    ck_assert_msg(r.ended == ended && r.lone == lone, "counted %lu and %lu, seen %lu and %lu", r.ended, r.lone, ended,
                  lone);
    ck_assert_uint_gt(ended, 20);
    ck_assert_msg(of[_i].again < 0 ? lone > 0 && lone < ended : lone == (of[_i].again ? ended : 0), "%lu of %lu", lone,
                  ended);
}

/* One flow alone fills its line; S3 VI: no speedup is needed. In DPM the start of a packet waits for a round trip and a
 * segment of it, so with short packets between long ones it does not: printed. */
TEST(one_busy_flow_fills_its_line, .to = 5)
{
    static const size_choice sizes[] = {{SIZES_FIXED, 1024, 1024, 0}, {SIZES_BIMODAL, 5, 1024, 0.95}};
    for (unsigned k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        pm_run_params p = params(_i, "permutation", sizes[k], 1);
        int mixed = _i == DPM && sizes[k].kind != SIZES_FIXED;
        p.traffic.process = PM_SATURATED;
        p.warmup = 30000; /* SM: until the longest packet has come the line out waits for its last segment */
        p.clocks = 30000;
        pm_result r = pm_run(&p);
        ck_assert_msg(!r.error, "%s", r.error);
        if (mixed)
            printf("one busy flow in DPM, %u to %u words: throughput %.3f\n", sizes[k].low, sizes[k].high,
                   r.throughput);
        ck_assert_msg(r.throughput > (mixed ? 0.9 : 0.999), "%u to %u words: throughput %g", sizes[k].low,
                      sizes[k].high, r.throughput);
    }
}

/* Uniform, all lines saturated: each of the 16 flows has its 16th, within 2 %, in SM and VPS. For the others the
 * extremes are printed. */
TEST(flows_of_a_saturated_switch_have_equal_shares, .to = 5)
{
    pm_run_params p = params(_i, "uniform", (size_choice){SIZES_FIXED, 5, 5, 0}, 1);
    double least = 1, most = 0;
    p.traffic.process = PM_SATURATED;
    p.clocks = _i == SM || _i == VPS ? 300000 : 50000;
    pm_result r = pm_run(&p);
    ck_assert_msg(!r.error, "%s", r.error);
    for (unsigned k = 0; k < 16; k++) {
        least = fmin(least, r.share[k / 4][k % 4]);
        most = fmax(most, r.share[k / 4][k % 4]);
    }
    if (_i == SM || _i == VPS)
        ck_assert_msg(least > 0.98 / 16 && most < 1.02 / 16, "shares %g to %g of 1/16", least * 16, most * 16);
    else printf("%s, all saturated: shares %.3f to %.3f of 1/16\n", model[_i]->name, least * 16, most * 16);
}

/* A number for all departures and their times. */
static void mix(void *self, unsigned input, unsigned output, uint32_t number, uint64_t first, uint64_t last)
{
    uint64_t *sum = self;
    *sum = (*sum ^ first << 32 ^ last << 8 ^ input << 4 ^ output ^ (uint64_t)number << 48) * 0x9e3779b97f4a7c15;
}

static uint64_t departures(const sim_config *m, size_choice sizes, double load)
{
    uint64_t sum = 1;
    pm_run_params p = params(SM, "uniform", sizes, load);
    p.model = m;
    if (load == 1) p.traffic.process = PM_SATURATED;
    p.seen = mix;
    p.self = &sum;
    pm_result r = pm_run(&p);
    ck_assert_msg(!r.error, "%s: %s", m->name, r.error);
    ck_assert_uint_gt(r.all.packets, 500);
    return sum;
}

/* Then units are packets, and there is nothing to stay for (S3 II, III). With others there is: they are not alike. */
TEST(packets_of_a_segment_make_sm_ppm_and_vps_alike, .to = 3)
{
    static const double loads[] = {0.5, 0.9, 1};
    static const size_choice segment = {SIZES_FIXED, 64, 64, 0}, longer = {SIZES_FIXED, 65, 65, 0};
    uint64_t sm = departures(&pm_sm_4_config, segment, loads[_i]);
    ck_assert_uint_eq(departures(&pm_ppm_4_config, segment, loads[_i]), sm);
    ck_assert_uint_eq(departures(&pm_vps_64_4_config, segment, loads[_i]), sm);
    ck_assert_uint_ne(departures(&pm_ppm_4_config, longer, loads[_i]), departures(&pm_sm_4_config, longer, loads[_i]));
}

/* S3 IV-A: of RTT and a segment of a packet nothing is asked for if that is all of it. */
TEST(packets_of_a_round_trip_and_a_segment_need_no_lock)
{
    for (unsigned k = 0; k < 2; k++) {
        pm_run_params p = params(DPM, "uniform", (size_choice){SIZES_UNIFORM, 1, k ? 1024 : RTT + 64, 0}, 1);
        p.traffic.process = PM_SATURATED;
        p.clocks = 50000;
        pm_result r = pm_run(&p);
        ck_assert_msg(!r.error, "%s", r.error);
        ck_assert_msg((r.pairs + r.refused > 0) == k, "%lu locks taken, %lu refused", r.pairs, r.refused);
    }
}

/* A load that they carry, in windows in which a few long packets make a difference; and more than lines carry. */
TEST(a_backlog_that_chance_explains_is_not_called_unstable, .to = 5)
{
    for (unsigned k = 0; k < 8; k++) {
        double load = k < 4 ? 0.8 : 1.2;
        pm_run_params p = params(_i, "uniform", (size_choice){SIZES_BIMODAL, 5, 1024, 0.95}, load);
        p.warmup = 30000;
        p.clocks = 50000;
        p.traffic.pattern.seed = k % 4 + 1;
        pm_result r = pm_run(&p);
        ck_assert_msg(!r.error, "load %g, seed %u: %s", load, k % 4 + 1, r.error);
        ck_assert_msg(r.unstable == (load > 1), "load %g, seed %u: %s", load, k % 4 + 1,
                      r.unstable ? "unstable" : "stable");
    }
}

/* A packet comes in the clock in which the window of this seed is prolonged: it must be waited for, and once. */
TEST(a_prolonged_window_waits_for_its_packets)
{
    pm_run_params p = params(IQ, "uniform", (size_choice){SIZES_BIMODAL, 5, 1024, 0.95}, 0.1);
    pm_ideal_means ideal;
    p.clocks = 10000;
    p.half_width = 12;
    p.needed = 1u << PM_MEAN;
    p.traffic.process = PM_ONOFF;
    p.traffic.pattern.seed = 12;
    ck_assert_int_eq(pm_ideal_long_run(&p.traffic, 1000000, PM_UNIT, -1, &ideal), 0);
    p.ideal = &ideal;
    pm_result r = pm_run(&p);
    ck_assert_msg(!r.error, "%s", r.error);
    ck_assert_uint_eq(r.windows, PM_PROLONGED + 1);
    ck_assert_msg(!r.unstable && r.clocks < 5 * p.clocks + p.warmup + 9000, "%s after %lu clocks",
                  r.unstable ? "unstable" : "ends", r.clocks);
}

/* tb/system/pm_faulty.v: the checker must see the faults of this switch in packets of its outputs. */
TEST(a_fault_on_a_line_out_ends_the_run, .to = 8)
{
    static const char *const says[] = {
        "output 0: the line rests within a packet from 1",
        "output 1: packet 4, word 0 from 1, expected packet 5, word 0",
        "output 2: word 8 of 8 of packet 5 from 1 is not marked as the last",
        "output 3: the word 0103000000050001 is not of this output, or not of the input it is said to be",
        "output 0: packet 2, word 8 from 1, expected packet 2, word 9",
        "output 1: packet 2, word 10 from 1, expected packet 2, word 9",
        "is not of this output, or not of the input it is said to be",
        "output 3: packets from 1 and 1 are mixed on the line"};
    unsigned words = _i < 4 ? 8 : 16;
    pm_run_params p = params(VPS, "hot-spot", (size_choice){SIZES_FIXED, words, words, 0}, 0.2);
    p.model = &pm_faulty_config;
    p.traffic.pattern.hot = (unsigned)_i % 4;
    p.traffic.pattern.part = 1;
    pm_result r = pm_run(&p);
    ck_assert_msg(r.error && strstr(r.error, says[_i]), "%s", r.error ? r.error : "no error");
}

/* One packet, from input 2 to output 1. */
static pm_packet once(void *self, unsigned input)
{
    unsigned *words = self, now = input == 2 ? *words : 0;
    if (now) *words = 0;
    return (pm_packet){.first = now ? 100 : UINT64_MAX, .words = now, .output = 1};
}

TEST(each_error_pin_ends_the_run_and_names_its_port, .to = 6)
{
    static const char *const says[][2] = {{": input 2: a packet was refused", "a line card takes each packet"},
                                          {": input 2: more credit than", "credit comes back once"},
                                          {": input 2: a notice that", "an input gets one notice of a packet"},
                                          {": input 2: two outputs hold its lock", "a lock has one holder"},
                                          {": output 2: a crosspoint overflowed", "a unit is sent with credit"},
                                          {": output 2: the egress card ran over", "a line does not rest while"}};
    unsigned words = 17 + (unsigned)_i;
    pm_run_params p = params(VPS, "uniform", (size_choice){SIZES_FIXED, words, words, 0}, 0.2);
    p.model = &pm_faulty_config;
    p.next = once;
    p.self = &words;
    pm_result r = pm_run(&p);
    ck_assert_msg(r.error && strstr(r.error, says[_i][0]), "%s", r.error ? r.error : "no error");
    ck_assert_msg(!strncmp(r.rule, says[_i][1], strlen(says[_i][1])), "%s", r.rule);
}

/* tb/system/bad_pm_turns.v: a block in a slot that does wrong ends the run by the rule that it breaks, and when. */
TEST(a_block_that_does_wrong_is_reported, .to = 4)
{
    static const struct {
        const char *rule, *says;
    } of[] = {{NULL, NULL},
              {"no flow starves", "to output 1 starves: it waits since clock"},
              {"a unit is sent with credit for all of it", "a crosspoint overflowed or underflowed"},
              {"while words wait, some word leaves", "nothing has left since clock"}};
    uint8_t weight[PM_PORTS][PM_PORTS];
    pm_run_params p = params(SM, "uniform", (size_choice){SIZES_UNIFORM, 5, 300, 0}, 1);
    memset(weight, _i + 1, sizeof weight);
    p.traffic.process = PM_SATURATED;
    p.model = &pm_sm_bad_2_config;
    p.traffic.pattern.nodes = 2;
    p.weight = weight;
    p.clocks = 200000;
    pm_result r = pm_run(&p);
    if (!_i) {
        ck_assert_msg(!r.error && !r.rule, "%s", r.error);
        return;
    }
    ck_assert_msg(r.error && strstr(r.error, of[_i].says), "%s", r.error ? r.error : "no error");
    ck_assert_msg(!strncmp(r.rule, of[_i].rule, strlen(of[_i].rule)), "%s", r.rule);
    ck_assert_uint_lt(r.clocks, 180000);
}

/* Error outputs of the switches also end a run. */
TEST(two_that_have_what_one_may_have_end_the_run, .to = 2)
{
    static const char *const says[] = {": two outputs hold its lock", ": a crosspoint overflowed or underflowed"};
    pm_run_params p = params(_i ? IQ : DPM, "uniform", (size_choice){SIZES_FIXED, 1024, 1024, 0}, 1);
    p.model = _i ? &pm_iq_generous_3_config : &pm_dpm_generous_2_config;
    p.traffic.pattern.nodes = _i ? 3 : 2;
    p.traffic.process = PM_SATURATED;
    pm_result r = pm_run(&p);
    ck_assert_msg(r.error && strstr(r.error, says[_i]), "%s", r.error ? r.error : "no error");
}

/* A run that assumes longer cables than there are. */
TEST(a_packet_that_is_too_fast_ends_the_run)
{
    sim_config longer = pm_vps_4_config;
    pm_run_params p = params(VPS, "uniform", (size_choice){SIZES_FIXED, 8, 8, 0}, 0.2);
    longer.parameters = "PORTS=4 FORWARD_CLOCKS=31";
    p.model = &longer;
    pm_result r = pm_run(&p);
    ck_assert_msg(r.error && strstr(r.error, "was faster than through an idle switch"), "%s",
                  r.error ? r.error : "no error");
}

TEST_CASE("program", .timeout = 60, .teardown = shell_clean);

static const pm_architecture architectures[] = {
    {"sm", "segments", {&pm_sm_4_config, &pm_sm_4_config}}, {"iq", "cells", {&pm_iq_4_config, &pm_iq_4_config}}, {0}};

/* Its exit code for these arguments; its output on stderr is in `said`. */
static int program(const char *arguments, char said[500])
{
    char copy[200], *argv[20] = {"packet-mode"}, *save = NULL;
    int argc = 1, saved = dup(2), code;
    FILE *f = tmpfile();
    ck_assert(f && saved >= 0 && strlen(arguments) < sizeof copy);
    strcpy(copy, arguments);
    for (char *a = strtok_r(copy, " ", &save); a; a = strtok_r(NULL, " ", &save)) argv[argc++] = a;
    dup2(fileno(f), 2);
    code = packet_mode(argc, argv, architectures);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(f);
    said[fread(said, 1, 499, f)] = 0;
    fclose(f);
    return code;
}

TEST(the_program_says_what_is_wrong_with_an_option)
{
    static const char *const wrong[][2] = {
        {"--load 2", "load 2: expected a part of the line's rate, 0.001 to 1.2"},
        {"--load 0", "load 0: expected a part of the line's rate, 0.001 to 1.2"},
        {"--arch voq", "arch voq: expected sm, ppm, dpm, vps or iq"},
        {"--arch sm --ports 5", "ports 5: expected 16 or 4, or the number in the program's name"},
        {"--arch sm --ports 17", "ports 17: expected a number of ports, 2 to 16"},
        {"--arch sm --sizes 0..5", "sizes 0..5: expected bimodal, uniform, constant, or words from 1 to 1024"},
        {"--arch sm --sizes 5..1025", "sizes 5..1025: expected bimodal, uniform, constant, or words from 1 to 1024"},
        {"--arch iq --sizes 5..1024",
         "sizes 5..1024: expected bimodal, uniform, constant, or words from 1 to 1024 (of cells: multiples of 8)"},
        {"--arch sm --pattern zipf/-1", "pattern zipf/-1: expected zipf/K with K from 0 to 20"},
        {"--arch sm --pattern sideways", "pattern sideways: expected zipf/K"},
        {"--arch sm --arrivals never",
         "arrivals never: expected one of none, poisson, instant, onoff, saturated or staircase"},
        {"--arch sm --arrivals instant --load 0.96", "load 0.96: expected 0.95 at most with --arrivals=instant"},
        {"--arch sm --cells 2", "cells 2: expected 0, 1 or padded"},
        {"--arch sm --half-width -1", "half-width -1: expected a percentage"},
        {"--arch sm --hot 4 --ports 4", "hot 4: expected a port of this switch"},
        {"--arch iq --priorities 2", "priorities 2: expected 1 with --arch=iq"},
        {"--arch sm --priorities 3", "priorities 3: expected 1 or 2"},
        {"--arch sm --high-load 0.3", "high-load 0.3: expected to be given with --priorities=2 only"},
        {"--arch sm --arrivals none", "arrivals none: expected another one"},
        {"--arch sm --load 1 --priorities 2", "load 1: expected 1.2 at most with --high-load=0.3"},
        {"--arch iq --multicast 1", "multicast 1: expected 0 with --arch=iq"},
        {"--arch sm --multicast 1 --set 1,4 --ports 4", "set 1,4: expected ports of this switch, one at least"},
        {"--arch sm --multicast 1 --set ,", "set ,: expected ports of this switch, one at least"},
        {"--arch sm --multicast 1 --fanout 0", "fanout 0: expected a number of outputs, 1 to 16"},
        {"--arch sm --multicast 1 --fanout 5 --ports 4", "fanout 5: expected a number of outputs, 1 to 4"},
        {"--arch sm --set 1", "set: expected together with --multicast=P"},
        {"--arch sm --multicast 1", "expected build/packet-mode-lanes"},
        {"--clocks", "clocks: expected a number of clocks"},
        {"--arch sm --waves x.fst", "waves x.fst: expected build/full/packet-mode"},
        {"--pots 4", "--pots: expected an option"},
    };
    for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char said[500];
        int code = program(wrong[k][0], said);
        ck_assert_msg(code == 2 && strstr(said, wrong[k][1]), "%s: code %d: %s", wrong[k][0], code, said);
    }
}

/* The variables of make are looked at before anything is built. */
TEST(make_says_what_is_wrong_with_a_variable)
{
    static const char *const wrong[][2] = {
        {"packet-mode LOAD=0.0009", "LOAD=0.0009: expected a part of the line's rate, 0.001 to 1.2"},
        {"packet-mode LOAD=1.21", "LOAD=1.21: expected a part of the line's rate, 0.001 to 1.2"},
        {"packet-mode LOAD=much", "LOAD=much: expected a part"},
        {"packet-mode PORTS=1", "PORTS=1: expected a number of ports, 2 to 16"},
        {"packet-mode PORTS=17", "PORTS=17: expected a number of ports, 2 to 16"},
        {"packet-mode PORTS=007", "PORTS=007: expected a number of ports, 2 to 16"},
        {"packet-mode PORTS=5 HOT=5", "HOT=5: expected a port of this switch"},
        {"packet-mode ARCH=voq", "ARCH=voq: expected sm, ppm, dpm, vps or iq"},
        {"packet-mode PATTERN=zipf/-1", "PATTERN=zipf/-1: expected zipf/K with K from 0 to 20"},
        {"packet-mode PATTERN=sideways", "PATTERN=sideways: expected zipf/K"},
        {"packet-mode SIZES=0..5", "SIZES=0..5: expected bimodal, uniform, constant, or words from 1 to 1024"},
        {"packet-mode SIZES=5..1025", "SIZES=5..1025: expected"},
        {"packet-mode ARCH=iq SIZES=5..1024", "SIZES=5..1024: expected"},
        {"packet-mode ARRIVALS=never", "ARRIVALS=never: expected one of none, poisson"},
        {"packet-mode ARRIVALS=instant LOAD=0.96", "LOAD=0.96: expected 0.95 at most"},
        {"packet-mode CLOCKS=10", "CLOCKS=10: expected a number of clocks"},
        {"packet-mode HOT=4 PORTS=4", "HOT=4: expected a port"},
        {"packet-mode PART=2", "PART=2: expected a part"},
        {"curves FIGURE=fig9", "FIGURE=fig9: expected one of fig6"},
        {"curves QUICK=2", "QUICK=2: expected 0 or 1"},
        {"shares CLOCKS=19999", "CLOCKS=19999: expected a number of clocks, 20000 to"},
        {"packet-mode-crossbar CLOCKS=19999", "CLOCKS=19999: expected a number of clocks, 20000 to"},
        {"packet-mode-crossbar LOAD=0.95", "LOAD=0.95: expected 0.9 at most"},
        {"packet-mode WARMUP=-1", "WARMUP=-1: expected a number of clocks"},
        {"packet-mode-oracle SEEDS=0", "SEEDS=0: expected a number of seeds"},
        {"packet-mode-oracle PACKETS=few", "PACKETS=few: expected packets of a run"},
        {"packet-mode PRIORITIES=3", "PRIORITIES=3: expected 1 or 2"},
        {"packet-mode ARCH=iq PRIORITIES=2", "PRIORITIES=2: expected 1 with ARCH=iq"},
        {"packet-mode PRIORITIES=2 HIGH_LOAD=1.3", "HIGH_LOAD=1.3: expected a part of the line's rate, 0 to 1.2"},
        {"packet-mode HIGH_LOAD=0.3", "HIGH_LOAD=0.3: expected to be given with PRIORITIES=2 only"},
        {"packet-mode PRIORITIES=2 LOAD=1", "LOAD=1: expected 1.2 at most with HIGH_LOAD=0.3"},
        {"packet-mode PRIORITIES=2 HIGH_LOAD=0.9", "HIGH_LOAD=0.9: expected 1.2 at most with LOAD=0.5"},
        {"packet-mode ARRIVALS=none", "ARRIVALS=none: expected another one without"},
        {"packet-mode ARRIVALS=instant PRIORITIES=2", "ARRIVALS=instant: expected poisson, onoff or saturated"},
        {"packet-mode ARCH=iq MULTICAST=1", "MULTICAST=1: expected 0 with ARCH=iq"},
        {"packet-mode MULTICAST=0.1", "MULTICAST=0.1: expected 0 with ARCH=dpm"},
        {"packet-mode ARCH=sm MULTICAST=1.5", "MULTICAST=1.5: expected a part of the packets"},
        {"packet-mode ARCH=sm MULTICAST=1 SET=", "SET=: expected ports of this switch, one at least"},
        {"packet-mode ARCH=sm MULTICAST=1 SET=,", "SET=,: expected ports of this switch, one at least"},
        {"packet-mode ARCH=sm MULTICAST=1 SET=0,4 PORTS=4", "SET=0,4: expected ports of this switch, one at least"},
        {"packet-mode ARCH=sm SET=1,2", "SET=1,2: expected together with MULTICAST"},
        {"packet-mode ARCH=sm MULTICAST=1 FANOUT=5 PORTS=4", "FANOUT=5: expected a number of outputs, 1 to 4"},
        {"packet-mode ARCH=sm MULTICAST=0 FANOUT=2", "FANOUT=2: expected together with MULTICAST"},
        {"packet-mode ARCH=sm MULTICAST=1 COPIES=2", "COPIES=2: expected 0 or 1"},
        {"packet-mode ARCH=sm MULTICAST=1 COPIES=1 ARRIVALS=saturated",
         "ARRIVALS=saturated: expected poisson or onoff with COPIES=1"},
        {"packet-mode ARCH=ppm MULTICAST=1 SPLIT=1", "SPLIT=1: expected 0 with ARCH=ppm"},
        {"packet-mode ARRIVALS=instant LOAD=.96", "LOAD=.96: expected 0.95 at most"},
        {"packet-mode ARCH=sm ARRIVALS=instant MULTICAST=.5", "ARRIVALS=instant: expected poisson, onoff or saturated"},
    };
    for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        ck_shell_says(1, wrong[k][1], "build/nicxbar check %s", wrong[k][0]);
    static const char *const good[] = {
        "packet-mode ARCH=iq LOAD=.5 SIZES=8/1024/95 PATTERN=zipf/0.5 ARRIVALS=onoff PORTS=16",
        "curves FIGURE=fig8 QUICK=",
        "packet-mode ARCH=vps PRIORITIES=2 HIGH_LOAD=0.4 LOAD=0.8 MULTICAST=0.5 SET=0,3,15 SPLIT=1 COPIES=0 FANOUT=16",
        "packet-mode PRIORITIES=2 ARRIVALS=none LOAD=1.2 HIGH_LOAD=1.2",
        "packet-mode ARCH=sm PORTS=16 MULTICAST=1 FANOUT=9",
        "packet-mode MULTICAST=0.0"};
    for (unsigned k = 0; k < sizeof good / sizeof good[0]; k++)
        ck_assert_int_eq(shell_says("build/nicxbar check %s", good[k]), 0);
}

/* A switch of other ports: its program, and its model unless there is one already. */
TEST(make_finds_a_program_for_any_number_of_ports)
{
#define MAKE_RULES                                                                                                     \
    " scripts/packet_mode_program.sh %s %s %u $f && PORTS_FOLDER=$f ${PYTHON:-python3} -S scripts/tool.py programs"
    ck_shell_says(0, "MODEL := pm_vps_lanes_7 pm_switch rtl/packet_mode/pm_switch.v PORTS=7 PRIORITIES=2 MULTICAST=1",
                  "f=$D/7;" MAKE_RULES, "vps", "lanes", 7);
    ck_output_has("$(BUILT)/full/packet-mode-vps-lanes-7: ");
    ck_shell_says(0, "pm_iq_3", "f=$D/3;" MAKE_RULES " | grep '^$(BUILT)/packet-mode-iq-3:'", "iq", "plain", 3);
    ck_shell_says(0, "{{\"iq\", \"bufferless crossbar, packets in cells\", {[6] = &pm_iq_3_config}}, {0}}",
                  "scripts/packet_mode_program.sh iq plain 3 $D && cat $D/packet-mode-iq-3.c");
    ck_shell_fails("pm_ppm_split: expected an architecture", "scripts/packet_mode_program.sh ppm split 3 $D");
}

/* The full program, made when it is needed, records the clocks before; here both are shell scripts. */
TEST(a_broken_rule_is_shown_in_waves)
{
    shell_put("bad", "#!/bin/sh\necho 'BAD: it starves'; echo '    clock    54321 of sm (seed 7)'; exit 1\n");
    shell_put("full",
              "#!/bin/sh\necho $* >$D/seen; while [ $# -gt 1 ]; do [ $1 = --waves ] && echo waves >$2; shift; done\n");
    ck_shell_says(
        1, "    alone    make contract SLOT=pm_input_scheduler BLOCK=mine RTL=there\n",
        "chmod +x $D/bad $D/full; MAKE=true FULL=$D/full WAVES=$D/w/bad.fst FILLED=PM_INPUT_SCHEDULER=mine RTL=there "
        "scripts/packet_mode.sh $D/bad --arch sm");
    ck_output_has("BAD: it starves\n");
    ck_output_has("bad.fst, clocks 30321 to 54321\n");
    ck_shell_says(0, "--arch sm --waves", "cat $D/seen");
    ck_output_has("--wave-from 30321 --wave-clocks 24001\n");
    ck_assert_int_eq(
        shell("printf '#!/bin/sh\\nexit 3' >$D/bad; FULL=$D/full WAVES=$D/w/bad.fst scripts/packet_mode.sh $D/bad"), 3);
}

/* scripts/waves/pm_*.gtkw: each says in its first lines which switch it is of; and a signal that is not in it is found.
 */
TEST(save_files_show_signals_that_there_are)
{
    static const char names[] =
        "for f in scripts/waves/pm_*.gtkw; do m=$(sed -n 's/.*--arch \\([a-z]*\\) --ports \\([0-9]*\\).*/pm_\\1_\\2/p' "
        "$f); "
        "${PYTHON:-python3} scripts/design.py signals build/models/$m/$m.design switch >$D/names; sed '%s' $f | "
        "sed -n '/^[[@*-]/d; s/^+{.*} //; s/^([0-9]*)//; s/\\[[0-9]*:[0-9]*\\]$//; p' >$D/shown; "
        "[ $(wc -l <$D/shown) -gt 10 ] || echo $f shows nothing; grep -vxFf $D/names $D/shown; done";
    ck_assert_int_eq(shell_says(names, ""), 1); /* grep finds none */
    ck_output_lacks("shows nothing");
    ck_output_lacks("switch.");
    shell_says(names, "s/lock_granted$/lock_given/");
    ck_output_has("switch.pm_switch.port[3].column.lock_given\n");
}
