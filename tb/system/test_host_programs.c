/* Programs that run on all hosts at once (make run), and results of failing ones. */
#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim2");
RUNS("nicxbar-sim");
RUNS("programs/pingpong.so");
RUNS("programs/throughput.so");
RUNS("programs/pcix.so");
RUNS("programs/latency.so");
RUNS("programs/nxlatency.so");
RUNS("programs/nxstat.so");
RUNS("programs/nxtrace.so");
RUNS("nxstat");
RUNS("nxtrace");

/* nx_main with the argument as its last part, for host 1. */
static const char wrong[] = "#include <stdlib.h>\n#include <string.h>\n#include \"nx_host.h\"\n"
                            "static unsigned runs;\n"
                            "int nx_main(nx_host *host, int argc, char **argv)\n"
                            "{\n"
                            "    const char *what = argc > 1 ? argv[1] : \"\";\n"
                            "    host->platform->wait(host->platform->self);\n"
                            "    nx_print(host, \"runs %u of %u, %s\", ++runs, host->hosts, what);\n"
                            "    if (host->rank != 1) return 0;\n"
                            "    if (!strcmp(what, \"crash\")) *(volatile int *)8 = 1;\n"
                            "    if (!strcmp(what, \"exit\")) exit(0);\n"
                            "    return !strcmp(what, \"return\") ? 7 : 0;\n"
                            "}\n";

TEST_CASE("host_programs", .timeout = 60, .teardown = shell_clean);

static void compile(const char *name)
{
    ck_assert_msg(
        !shell_says("cc -g -Wall -Wextra -Werror -iquote sw/driver -shared -fPIC -o $D/%s.so $D/%s.c", name, name),
        "%s", shell_output);
}

TEST(messages_go_back_and_forth_and_both_figures_are_in_the_results)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "GOOD: results in",
                  "$P --program ${P%%/*}/programs/pingpong.so --json $D/run.json -- --sizes 8..512 --rounds 2");
    ck_shell_says(0, "7\n", "grep -c '\"unit\": \"ns\"' $D/run.json");
    /* 2.0 us in the five tests of S1 for 24 bytes (README): here with a post by the other host's software in between */
    ck_shell_says(0, "2",
                  "grep -A2 'trip, 8 bytes' $D/run.json | sed -n 's/.*\"value\": \\([0-9]*\\).*/\\1/p' | cut -c1");
    ck_shell_says(0, "GOOD: results in",
                  "$P --program ${P%%/*}/programs/throughput.so --direct --json $D/run.json -- --sizes 4096..4096");
    ck_shell_says(
        0, "28",
        "sed -n 's/.*\"value\": \\([0-9]*\\).*/\\1/p' $D/run.json"); /* of 298 MiB/s, 285 with packets of 496 bytes */
}

/* The one figure that looks into the NIC signal by signal, which are found by name. */
TEST(stages_of_the_smallest_packet_are_seen)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "GOOD: 1 figures in", "$P --figures nic_latency_min_packet --json $D/figures.json");
    ck_output_has("FIFO VOQ to link");
}

TEST(time_stamps_tell_how_long_packets_were_in_the_nic)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(
        0, "from host 1, in NIC",
        "$P --direct --nic monitored --program ${P%%/*}/programs/nxlatency.so --json $D/run.json -- --packets 20");
    ck_output_has("     1  in NIC          20 ");
    ck_shell_says(1, "no time stamps: TIME stands still",
                  "$P --direct --program ${P%%/*}/programs/nxlatency.so --json $D/run.json");
}

TEST(with_stamps_of_the_switch_each_stage_is_shown_and_saved)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "from host 1, in switch",
                  "$P --nic monitored --switch-monitor 'stamps 1 errors' --out $D --program "
                  "${P%%/*}/programs/nxlatency.so -- --packets 20 "
                  "--histogram --save $D/stamps");
    ck_output_has("     1  in switch       20 ");
    ck_shell_says(0, "40 4", "awk '!/[a-z]/ && $5 && $6 { n++ } END { print n, NR - n }' $D/stamps.0 $D/stamps.1");
    ck_shell_says(0, "1", "ls $D/switch.dump | wc -l");
    ck_shell_says(2, "expected without --direct: there is no switch",
                  "$P --direct --switch-monitor 'stamps 1' --program ${P%%/*}/programs/nxlatency.so");
}

/* 4 messages of 4096 bytes each way, and one notification: 2 descriptors each, 3968 bytes as 8 packets and 128 bytes as
 * one. */
TEST(looks_at_a_nic_show_what_moved_meanwhile_and_later_from_files)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(
        0, "GOOD: results in",
        "$P --direct --program ${P%%/*}/programs/nxstat.so --json $D/run.json -- --watch --messages 4 --save $D/look");
    ck_output_has("host 0: REMOTE_NOTIFICATIONS       0 -> 1, +1: ");
    ck_output_has("host 1: node 1, ");
    shell_program("nxstat");
    ck_shell_says(0, "\nN2H_WORDS                  0 -> 2048, +2048: ", "$P $D/look.0.before $D/look.0");
    ck_output_has("\nNET_OUT_PACKETS            0 -> 36, +36: packets sent\n");
    ck_output_has("\nQUEUE_DEPARTED[1]          0 -> 8, +8: ");
    ck_shell_says(0, "\nNET_IN_PACKETS                     36  packets received and stored\n", "$P $D/look.1");
}

/* The same messages: 36 packets each way, of 2 x 62 + 4 and 2 x 16 + 4 words on the link. */
TEST(host_0_looks_at_the_switch_while_it_runs)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(
        0, "GOOD: results in",
        "$P --program ${P%%/*}/programs/nxstat.so --json $D/run.json -- --switch --watch --messages 4 --save $D/look");
    ck_output_has("host 0: switch: 2 ports\n");
    ck_output_lacks("host 1: switch");
    shell_program("nxstat");
    ck_shell_says(0, "\nFLOW_WORDS[1] of port 0    0 -> 4240, +4240: ", "$P $D/look.switch.before $D/look.switch");
    ck_output_has("\nFLOW_PACKETS[0] of port 1  0 -> 36, +36: packets forwarded");
    ck_output_lacks("FLOW_PACKETS[0] of port 0");
    ck_shell_says(0, "\nNET_IN_PACKETS                     36  packets received and stored\n", "$P $D/look.1");
    shell_program("nicxbar-sim2");
    ck_shell_says(1, "host 0: --switch: there is none",
                  "$P --direct --program ${P%%/*}/programs/nxstat.so --json $D/run.json -- --switch 2>&1");
}

/* Compiled twice: samples and traces on, and the same registers written with values that leave them off. */
static const char recording[] =
    "#include \"nic_register_map.h\"\n#include \"nx_host.h\"\n"
    "int nx_main(nx_host *host, int argc, char **argv)\n"
    "{\n"
    "    uint32_t taken;\n"
    "    nx_notification n;\n"
    "    nx_device *d = host->device;\n"
    "    (void)argc, (void)argv;\n"
    "    if (nx_register_write(d, NIC_SAMPLE_INTERVAL, 10) ||\n"
    "        nx_register_write(d, NIC_SAMPLE_COUNT, ON ? 0xffffffff : 0) ||\n"
    "        nx_register_write(d, NIC_TRACE_CONTROL,\n"
    "                          ON ? NIC_TRACE_CONTROL_START_MASK | NIC_TRACE_CONTROL_CIRCULAR_MASK : 0))\n"
    "        return 1;\n"
    "    for (unsigned i = 0; i < 8; i++)\n"
    "        if (nx_transfer(d, !host->rank, host->shared, (uint32_t)host->shared, 8 + 400 * i,\n"
    "                        i < 7 ? 0 : NX_REMOTE | NX_LOCAL, NULL)) return 2;\n"
    "    if (nx_notification_wait(d, host->node_id[!host->rank], &n) || nx_drain(d, !host->rank)) return 3;\n"
    "    if (nx_register_read(d, NIC_SAMPLE_TAKEN, &taken)) return 4;\n"
    "    nx_print(host, \"%s samples, %s\", taken ? \"some\" : \"no\",\n"
    "             nx_trace_running(d) ? \"traced\" : \"not traced\");\n"
    "    return 0;\n"
    "}\n";

TEST(a_nic_that_records_changes_nothing_in_the_results)
{
    shell_program("nicxbar-sim2");
    shell_put("mine.c", recording);
    ck_assert_msg(
        !shell_says("for on in 0 1; do mkdir $D/$on && cc -Wall -Wextra -Werror -DON=$on -iquote sw/driver -iquote "
                    "build/generated "
                    "-include sw/driver/nx_trace.h -shared -fPIC -o $D/$on/mine.so $D/mine.c || exit 1; done"),
        "%s", shell_output);
    ck_shell_says(0, "host 1: no samples, not traced",
                  "$P --nic monitored --program $D/0/mine.so --json $D/0/run.json");
    ck_shell_says(0, "host 1: some samples, traced", "$P --nic monitored --program $D/1/mine.so --json $D/1/run.json");
    ck_shell_says(0, "4\n",
                  "sed -i /wall_s/d $D/0/run.json $D/1/run.json && cmp $D/0/run.json $D/1/run.json && "
                  "grep -c '\"us\": \\|returned.: 0' $D/1/run.json");
}

TEST(hosts_share_no_variables_and_a_program_that_goes_wrong_is_named)
{
    shell_program("nicxbar-sim2");
    shell_put("mine.c", wrong);
    compile("mine");
    ck_shell_says(0, "host 0: runs 1 of 2, fine", "$P --program $D/mine.so --json $D/run.json -- fine");
    ck_output_has("host 1: runs 1 of 2, fine");
    ck_shell_says(1, "FAILED: mine crashed on host 1 at ", "$P --program $D/mine.so --json $D/run.json -- crash");
    ck_output_has("us: Segmentation fault, in\nnx_main at mine.c:11");
    ck_shell_says(1, "FAILED: mine called exit(0) on host 1 at ", "$P --program $D/mine.so --json $D/run.json -- exit");
    ck_shell_says(1, "mine on host 1 returned 7", "$P --program $D/mine.so --json $D/run.json -- return");
    ck_shell_says(0, "\"returned\": 7", "cat $D/run.json");
}

/* Faults and their observers; lost packets are known to the program only, which reports them by its return value. */
TEST(faults_by_plan_strike_programs_too)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "packet node0>node1 body at 5us       1 ",
                  "$P --direct --nic monitored --faults 'packet node0>node1 body at 5us; retry host1 write every 3' "
                  "--json $D/run.json "
                  "--program ${P%%/*}/programs/nxtrace.so -- --messages 2 --freeze BODY_CRC --save $D/trace");
    ck_output_has("seen by node 1 BODY_CRC_ERRORS 1");
    ck_output_has("host 1: not received: ");
    ck_shell_says(0, "null null null 1 ",
                  "sed -n '/packet node0/,/recovery_us/s/.*\"\\(struck\\|lost\\|damaged\\|recovery_us\\)\": "
                  "\\([^,]*\\).*/\\2/p' $D/run.json | "
                  "sort -r | tr '\\n' ' '");
    shell_program("nxtrace");
    ck_shell_says(1, "bad body", "$P $D/trace.1");
    ck_shell_says(0, "frozen 1 cause 00000080", "head -1 $D/trace.1");
    shell_program("nicxbar-sim2");
    ck_shell_says(1, "never struck: nothing of its kind came by in its time",
                  "$P --direct --faults 'packet node0>node1 body at 5ms' --json $D/run.json --program "
                  "${P%%/*}/programs/pingpong.so "
                  "-- --sizes 8..8 --rounds 1");
    ck_shell_says(1, "pingpong on host ",
                  "$P --direct --faults 'packet node0>node1 body at 1us' --json $D/run.json "
                  "--program ${P%%/*}/programs/pingpong.so -- --sizes 64..64 --rounds 2");
    ck_shell_says(2, "--faults: column 5: 'node7', expected node0, node1",
                  "$P --direct --faults 'cut node7 at 9ms for 1us' --program ${P%%/*}/programs/pingpong.so");
}

TEST(what_is_no_program_is_refused)
{
    shell_program("nicxbar-sim2");
    shell_put("empty.c", "extern int nothing;\n");
    compile("empty");
    ck_shell_says(1, "has no function nx_main", "$P --program $D/empty.so --json $D/run.json");
    ck_shell_says(1, "nothere.so: No such file", "$P --program $D/nothere.so --json $D/run.json");
    ck_shell_says(2,
                  "PROGRAM=nothere: expected one of latency nxlatency nxsample nxstat nxtrace pcix pingpong throughput",
                  "make run PROGRAM=nothere");
    ck_shell_says(2, "ARGS=x: means something for make run only", "make sim ARGS=x");
}

/* Values of S2 and S4 for one store, and for one, two and four descriptors; and the share of a split in a message of 8
 * bytes. */
TEST(a_short_micro_benchmark_counts_what_the_documents_do)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "GOOD: results in",
                  "$P --microbench pcix --message-sizes 8,512 --programs ${P%%/*}/programs --json $D/pcix.json");
    ck_output_has(
        "one 32-bit store                                       clocks            10        10.0        10.0  <= 10");
    ck_output_has(
        "1 descriptor combined                                  clocks     9 (90 ns)        9.00        9.00  <= 9");
    ck_output_has(
        "2 descriptors combined                                 clocks   11 (110 ns)        11.0        11.0  <= 11");
    ck_output_has(
        "4 descriptors combined                                 clocks            24        24.0        24.0  <= 24");
    ck_output_has(
        "... split: waiting for the first of 8 bytes            clocks       46 (S4)        56.0        46.0  report");
    ck_output_has("DMA read of 4 KB                                       clocks     592 (577)           -           - "
                  " <= 592    not measured");
    ck_output_has(
        "NIC's counters against pins, all sizes, at most        clocks             -        0.00        0.00  <= 1");
    ck_shell_says(0, "GOOD: results in", "$P --microbench latency --programs ${P%%/*}/programs --json $D/latency.json");
    ck_output_has("(c) send-NIC, by stamps and H2N_ACTIVE                 clocks             -        1");
    ck_output_has("(c) recv-NIC, by RECEIVE_CLOCKS                        clocks             -        22");
    ck_shell_says(0, "null", "sed -n '/name.*DMA read of 4 KB/,/}/s/.*met.: //p' $D/pcix.json");
}

TEST(counters_that_disagree_with_the_pins_fail_a_micro_benchmark)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(
        0, "1",
        "sed 's/(double)(after.i. - before.i.)/2.0 * (after[i] - before[i])/' sw/programs/latency.c >$D/latency.c; "
        "grep -c '2.0 . (after' $D/latency.c");
    compile("latency");
    ck_shell_says(1, "MISSED: results in", "$P --microbench latency --programs $D --json $D/latency.json");
    ck_output_has("(a) NIC's counters against pins, at most               clocks             -        69.0        57.0 "
                  " <= 1      MISSED");
    ck_shell_says(0, "1",
                  "sed 's/e->in_nic += s.departed - s.created/& + 2/' sw/programs/latency.c >$D/latency.c; grep -c "
                  "'created + 2' $D/latency.c");
    compile("latency");
    ck_shell_says(1, "MISSED: results in", "$P --microbench latency --programs $D --json $D/latency.json");
    ck_output_has("<= 1      MISSED\nCounted");
    ck_shell_says(0, "1",
                  "sed 's/(double)(after.2. - before.2.)/2.0 * packets + &/' sw/programs/latency.c >$D/latency.c; "
                  "grep -c '2.0 . packets' $D/latency.c");
    compile("latency");
    ck_shell_says(1, "MISSED: results in", "$P --microbench latency --programs $D --json $D/latency.json");
}

TEST(stamps_agree_with_the_pins)
{
    shell_program("nicxbar-sim");
    shell_folder();
    ck_shell_says(0, "GOOD: results in",
                  "$P --microbench distribution --programs ${P%%/*}/programs --json $D/stamps.json");
    ck_output_has(
        "in switch: stamps against pins, any packet, at most    clocks             -        1.00        1.00  <= 1");
    ck_shell_says(0, "51", "grep -c 'in switch, from 3, pins, server2004' $D/stamps.json");
}

TEST(stamps_that_disagree_with_the_pins_fail_a_micro_benchmark)
{
    shell_program("nicxbar-sim");
    shell_folder();
    ck_shell_says(
        0, "1",
        "sed 's/nx_stamps_read(payload);/& s.departed += 2, s.left += 3;/' sw/programs/nxlatency.c >$D/nxlatency.c; "
        "grep -c 'departed += 2' $D/nxlatency.c");
    compile("nxlatency");
    ck_shell_says(1, "MISSED: results in", "$P --microbench distribution --programs $D --json $D/stamps.json");
    ck_output_has("<= 1      MISSED\nin switch");
    ck_output_has("<= 1      MISSED\nto 0 from 1");
    ck_shell_says(
        0, "1",
        "sed 's/nx_latency_add(l, host->node_id.source., words/& + 1/' sw/programs/nxlatency.c >$D/nxlatency.c; "
        "grep -c 'words + 1' $D/nxlatency.c");
    compile("nxlatency");
    ck_shell_says(1, "the packets on the pins are not those",
                  "$P --microbench distribution --programs $D --json $D/stamps.json");
}

TEST(micro_benchmarks_that_there_are_not_are_refused)
{
    shell_program("nicxbar-sim2");
    ck_shell_says(2, "--microbench speed: expected pcix, throughput, capacity, latency or distribution",
                  "$P --microbench speed");
    ck_shell_says(2, "--message-sizes 12..24: expected FIRST..LAST", "$P --microbench pcix --message-sizes 12..24");
    ck_shell_says(2, "to 4096, with --microbench throughput to 1048576", "$P --microbench --message-sizes 8192");
    ck_shell_says(2, "--message-sizes 8: means nothing for --microbench latency",
                  "$P --microbench latency --message-sizes 8");
    ck_shell_says(1, "nowhere/pcix.so: No such file", "$P --microbench pcix --programs nowhere --json $D/pcix.json");
    ck_shell_says(2, "BENCHMARK=speed: expected pcix, throughput, capacity, latency or distribution",
                  "make microbench BENCHMARK=speed");
    ck_shell_says(2, "MESSAGE_SIZES=8-64: expected FIRST..LAST, doubled from one to the next",
                  "make microbench MESSAGE_SIZES=8-64");
    ck_shell_says(2, "BENCHMARK=pcix: means something for make microbench only", "make sim BENCHMARK=pcix");
}
