/* nicxbar-sim with several links as its users run it: links that are cut, for a time and for ever; options that do not
 * fit. */
#include <jansson.h>
#include <stdlib.h>

#include "shell.h"
#include "sim/core/kernel/splitmix64.h"
#include "test.h"

RUNS("nicxbar-sim2-links");

static void set_up(void)
{
    shell_program("nicxbar-sim2-links");
    shell_folder();
}

TEST_CASE("links_program", .timeout = 120, .setup = set_up, .teardown = shell_clean);

#define RUN "$P --nodes 2 --out $D "
#define TRAFFIC "--sizes 8..496 --load 0.5 --warmup 20 --measure 60 "
#define BUNDLE RUN "--direct --nic 2links --scenario one-way " TRAFFIC
#define PATHS RUN "--nic 2paths --scenario round-robin " TRAFFIC

/* Counters of that link alone rise, on both sides. */
TEST(a_cut_is_seen_by_the_counters_of_its_link)
{
    ck_shell_says(0, "cut node0.link1 at 30us for 4us", BUNDLE "--faults 'cut node0.link1 at 30us for 4us'");
    ck_output_has("seen by node 0 GT1_LOSS_OF_SYNC 1, node 1 GT1_LOSS_OF_SYNC 1;");
    ck_output_has("GOOD: results in ");
    ck_shell_says(0, "cut node1.link0 at 30us for 4us",
                  PATHS "--faults 'cut node1.link0 at 30us for 4us; cut node0.link1 at 50us for 2us'");
    ck_output_has("seen by node 1 GT0_LOSS_OF_SYNC 1, port 1 SYNC_LOST 1;");
    ck_output_has("seen by node 0 GT1_LOSS_OF_SYNC 1, port 0 of switch 1 SYNC_LOST 1;");
    ck_output_has("GOOD: results in ");
}

/* By packet the others carry on: losses are reported, and all else arrives. */
TEST(by_packet_a_link_may_be_cut_for_ever)
{
    ck_shell_says(0, "GOOD: results in ", PATHS "--faults 'cut node1.link1 at 30us for ever'");
    ck_output_has("seen by node 1 GT1_LOSS_OF_SYNC 1, port 1 of switch 1 SYNC_LOST 1;");
}

/* Frames are found on all links: by packet each has its own, by byte they share each one. */
TEST(faults_in_frames_of_several_links_are_seen, .to = 2)
{
    ck_shell_says(0, "GOOD: results in ",
                  "%s --faults 'biterror node0 every 2500 words; word node0 drop at 50us; packet node0 sop at 60us; "
                  "packet node0 bodycrc at 70us;"
                  "packet node0 truncate at 40us; credit node1 parity every 20; record node1 headercrc every 3'",
                  _i ? BUNDLE : PATHS);
}

/* All packets of both directions, as sniffers have counted them, on paths of which one is longer: those on the other
 * one overtake. */
TEST(a_file_tells_what_each_path_has_carried)
{
    ck_shell_says(0, "GOOD: results in ",
                  "cd $D && seq 4000 >file && " RUN
                  "--nic 2paths --path-latency 23,223 --file file --both --json r.json");
    ck_output_has("path  packets  share [%]  use [%]\n0 ");
    ck_output_has("reordering: a packet was ahead of the oldest one due by ");
    ck_output_has("; 0 headers lost, 0 late\n");
    char path[64];
    snprintf(path, sizeof path, "%s/r.json", shell_folder());
    json_t *all = json_load_file(path, 0, NULL), *reordering = json_object_get(all, "reordering"), *o;
    json_int_t packets = 0, depth = json_integer_value(json_object_get(reordering, "depth_most"));
    double shares = 0;
    size_t i;
    json_array_foreach(json_object_get(all, "directions"), i, o) packets +=
        json_integer_value(json_object_get(o, "packets"));
    ck_assert_int_gt(packets, 50);
    ck_assert_msg(depth > 2 && depth < packets / 2, "ahead by %d", (int)depth);
    json_array_foreach(json_object_get(reordering, "paths"), i, o)
    {
        double share = json_real_value(json_object_get(o, "share")), use = json_real_value(json_object_get(o, "use"));
        packets -= json_integer_value(json_object_get(o, "packets"));
        shares += share;
        ck_assert_msg(share > 0.2 && use > 0.1 && use < 1, "path %zu: share %g, use %g", i, share, use);
    }
    ck_assert_uint_eq(i, 2);
    ck_assert_int_eq(packets, 0);
    ck_assert_double_eq_tol(shares, 1, 1e-9);
    json_decref(all);
    /* one path has no report */
    ck_shell_says(0, "GOOD: results in ", "cd $D && " RUN "--file file --json r.json && ! grep reordering r.json");
    ck_output_lacks("share [%]");
}

/* A cut at a random time of either link of either node, for long enough that the paths are reported, or not, and a bus
 * that retries: the file crosses, and the watch of the paths ends with it. */
TEST(a_file_crosses_while_links_are_cut, .to = 3)
{
    const char *seed = getenv("SIM_SEED");
    uint64_t state = (seed ? strtoull(seed, NULL, 0) : 1) + (unsigned)_i, random = splitmix64(&state);
    ck_shell_says(
        0, "GOOD: results in ",
        "cd $D && seq 2000 >file && " RUN
        "--nic 2paths --file file --seed %u --faults 'cut node%u.link%u at %uus for %s; retry host%u write 20%%'",
        (unsigned)(random >> 32), (unsigned)random >> 1 & 1, (unsigned)random & 1, 5 + (unsigned)(random >> 2) % 40,
        ((const char *[]){"5us", "1200us", "ever"})[_i], (unsigned)(random >> 8) & 1);
    ck_output_has("SHA-256 equal");
}

/* A window of blocks longer than the timeout precedes the restarted transfer. */
TEST(a_long_file_begins_again_once)
{
    ck_shell_says(0, "transfers begun again: 1\nGOOD: results in ",
                  "cd $D && seq 80000 | head -c 400001 >file && " RUN
                  "--direct --file file --faults 'cut node1 at 20us for 5us'");
}

/* Two nodes without a common path for more than 1 ms talk again when one of them has a path back. */
TEST(nodes_without_a_common_path_talk_again_when_one_is_back)
{
    ck_shell_says(0, "GOOD: results in ",
                  RUN "--nic 2paths --scenario uniform --sizes 24 --load 0.02 --warmup 5 --measure 2000 "
                      "--faults 'cut node0.link0 at 10us for 1050us; cut node1.link1 at 20us for ever'");
}

/* The remaining links carry nothing: the run ends, and says why. */
TEST(a_cut_that_leaves_no_way_ends_the_run, .to = 3)
{
    static const struct {
        const char *command, *text;
    } ends[] = {
        {BUNDLE "--faults 'cut node0.link1 at 30us for ever'",
         "BAD: a bundle by byte is down until all of its links are back: nothing passes"},
        {PATHS "--faults 'cut node1.link1 at 30us for ever; cut node1.link0 at 40us for ever'",
         "BAD: node 1 has no link left: nothing leaves it, and nothing comes to it"},
        {RUN "--scenario round-robin --faults 'cut node1 at 30us for ever' " TRAFFIC, "BAD: node 1 has no link left"},
    };
    ck_shell_says(1, ends[_i].text, "%s", ends[_i].command);
    ck_output_has("LOSS_OF_SYNC 1"); /* the account is printed all the same */
    ck_output_has("FAILED: results in ");
}

/* Of both ends: which link is late, and by how much. */
TEST(a_bundle_with_too_much_skew_names_the_link, .to = 2)
{
    ck_shell_says(
        1,
        _i ? "link is down: link 1 is 1" : "link is down: links 0 and 1 are 15 words or more apart (192 ns), expected",
        RUN "--direct --nic 2links --scenario one-way --skew %s --trace=packets", _i ? "0,140000" : "300000,0");
}

/* S1 figure 13, S4 figures 3 and 4: more than one link carries (298 MiB/s), less than two (596). */
TEST(micro_benchmarks_measure_a_pair_of_links)
{
    ck_shell_says(0, "GOOD: results in",
                  "$P --microbench latency --nic 2links --programs ${P%%/*}/programs --json $D/latency.json");
    ck_output_has("(a) ... of the whole without transceivers and cable    %               51.6        4");
    ck_output_lacks("(c)");
    ck_shell_says(0, "GOOD: results in",
                  "$P --microbench throughput --message-sizes 8,3968 --nic 2links --programs ${P%%/*}/programs --json "
                  "$D/throughput.json");
    char path[240];
    snprintf(path, sizeof path, "%s/throughput.json", shell_folder());
    json_t *file = json_load_file(path, 0, NULL), *rows = json_object_get(file, "rows"), *row;
    size_t i;
    int found = 0;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), "one way, 496-byte packets, whole ones, least"))
            continue;
        double rate = json_real_value(json_object_get(row, "server2004"));
        ck_assert(rate > 555 && rate < 596);
        found++;
    }
    ck_assert_int_eq(found, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(file, "links")), 2);
    json_decref(file);
    ck_shell_says(2, "--microbench distribution: expected NICs with one link",
                  "$P --microbench distribution --nic 2links");
    ck_shell_says(2, "--nic 2paths: expected default or, for a pair of links, 2links with --microbench",
                  "$P --microbench latency --nic 2paths");
}

TEST(links_that_do_not_fit_are_refused)
{
    static const struct {
        const char *command, *text;
    } bad[] = {
        {"--nic 2links", "--nic 2links: expected with --direct: links by byte do not pass a switch (S2 2.4)"},
        {"--cut 0:1:1:1", "--cut: no such option"},
        {"--nic 2paths --faults 'cut node0.link2 at 1us for 1us'",
         "--faults: 'cut node0.link2 at 1us for 1us': expected a link of 0..1"},
        {"--nic 2paths --paths 0,0", "--paths 0,0: expected different links of 0..1"},
        {"--nic 2paths --path-latency 19,23", "--path-latency 19,23: expected 2 numbers of clocks, 20 to 100000 each"},
        {"--nic 2links --direct --skew 5", "--skew 5: expected a number of ps for each of 2 links"},
        {"--soak 5 --nic 2paths --faults 'cut node0.link1 at 20us for ever'", "expected cuts of up to 900 us"},
        {"--soak 5 --nic 2paths --faults 'cut node1 at 1us for 1ms'", "expected cuts of up to 900 us"},
    };
    for (int i = 0; i < COUNT(bad); i++) ck_shell_says(2, bad[i].text, "$P %s", bad[i].command);
}
