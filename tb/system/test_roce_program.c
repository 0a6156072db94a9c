/* The programs of the RoCE v2 chip: refusals, and the end of a run without progress. */
#include "shell.h"
#include "test.h"

#include <string.h>

RUNS("roce-sim");
RUNS("roce-storage");
RUNS("roce-verbs");

TEST_CASE("roce_program", .timeout = 60, .teardown = shell_clean);

static const struct {
    const char *arguments, *message;
} wrong[] = {
    {"--qps 128", "qps 128: expected a number of connections, 1 to 127"},
    {"--bytes 16", "bytes 16: expected 8 or 64"},
    {"--soak 5 --bytes 16", "bytes 16: expected 8 or 64"},
    {"--pmtu 300", "pmtu 300: expected 256, 512, 1024, 2048 or 4096"},
    {"--ip 5", "ip 5: expected 4 or 6"},
    {"--shortest 5 --longest 4", "shortest message: 5, expected 1 to 4"},
    {"--mix foo", "mix foo: expected some of send-in"},
    {"--faults 'lose line 101%'", "faults: column 11: '101%', expected frames such as 17 or 10..20, or a percentage"},
    {"--faults 'cut nobody at 5us for 5us'", "faults: column 5: 'nobody', expected chip, peer or line"},
    {"--peer linux", "peer linux: expected c, roce or rxe"},
    {"--peer roce --mix read", "mix read: expected SENDs alone with peer roce"},
    {"--figures all", "pcap: expected without figures"},
    {"--soak 5 --figures all", "soak: expected without figures"},
    {"--soak 5 --peer rxe", "soak: expected without peer rxe"},
    {"--soak 0", "soak 0: expected a number of packets"},
    {"--soak 5 --cycles", "cycles: expected without soak"},
    {"--cycles", "cycles: expected build/full/roce-sim"},
    {"--sort busy", "sort: expected together with cycles"},
    {"--waves x.fst", "waves x.fst: expected build/full/roce-sim"},
    {"--wave-from 5us", "wave-from: expected --waves FILE with it"},
};

/* In one line; files of an earlier run stay. */
TEST(wrong_options_are_refused)
{
    shell_program("roce-sim");
    shell_put("earlier", "kept\n");
    for (int i = 0; i < COUNT(wrong); i++) {
        ck_shell_says(2, wrong[i].message, "$P --pcap $D/earlier %s", wrong[i].arguments);
        ck_assert_ptr_eq(strchr(shell_output, '\n'), strrchr(shell_output, '\n'));
    }
    shell_program("roce-storage");
    ck_shell_says(2, "pmtu 300: expected 256", "$P --pcap $D/earlier --pmtu 300");
    ck_shell_says(2, "depth 65: expected a number of commands", "$P --pcap $D/earlier --depth 65");
    ck_shell_says(2, "faults: column 5: 'nobody', expected chip, peer or line",
                  "$P --pcap $D/earlier --faults 'cut nobody at 5us for 5us'");
    shell_program("roce-verbs");
    ck_shell_says(2, "only nothing: expected a part of the name of a row", "$P --pcap $D/earlier --only nothing");
    ck_shell_says(2, "timeout 32: expected a code of IBA, 1 to 31", "$P --pcap $D/earlier --timeout 32");
    ck_shell_says(0, "kept\n", "cat $D/earlier");
}

static const char *const programs[] = {"roce-sim", "roce-storage"};

/* A file that may not grow: its part can be opened. */
TEST(a_full_disk_is_reported_and_what_is_saved_opens, .to = COUNT(programs))
{
    shell_program(programs[_i]);
    ck_shell_says(1, "BAD: /dev/full: No space left on device; it has 0 whole frames", "$P --pcap /dev/full %s",
                  _i ? "--commands 4 --depth 1" : "--messages 2");
    ck_shell_says(1, "x.pcap: File too large; it has ", "trap '' XFSZ; ulimit -f 40; $P --pcap $D/x.pcap %s",
                  _i ? "--commands 16 --depth 1" : "--messages 10");
    ck_assert_int_eq(shell("n=$(tshark -r $D/x.pcap 2>/dev/null | wc -l); [ $n -gt 10 ]"), 0);
}

/* With a script in the place of QEMU. */
TEST(a_run_with_linux_that_cannot_go_on_leaves_no_guest, .to = 2)
{
    shell_program(_i ? "roce-verbs" : "roce-sim");
    shell_put("start", "#!/bin/sh\necho $$ >${0%/*}/pid\necho boots\nexec sleep 1000\n");
    ck_shell_says(1, "BAD: failed: /dev/full: No space left on device\n",
                  "chmod +x $D/start; $P %s --guest $D --console /dev/full", _i ? "--only rnr" : "--peer rxe");
    ck_output_has("boots");
    ck_assert_int_ne(shell("kill -0 $(cat $D/pid) 2>/dev/null"), 0);
    shell_put("start", "#!/bin/sh\nexit 1\n");
    ck_shell_says(1, "QEMU has ended before Linux was done\n", "$P %s --guest $D --console $D/log --pcap /dev/full",
                  _i ? "--only rnr" : "--peer rxe");
    ck_output_has("/dev/full: No space left on device; it has 0 whole frames");
}

TEST(an_interrupted_run_leaves_a_pcap_that_opens, .to = COUNT(programs))
{
    static const char *const signals[] = {"INT", "TERM"};
    shell_program(programs[_i]);
    ck_shell_says(130, "INTERRUPTED: results are not saved",
                  "timeout --preserve-status -s %s 0.3 $P --pcap $D/x.pcap --json $D/x.json %s", signals[_i],
                  _i ? "--commands 1000000" : "--messages 1000000");
    ck_assert_int_eq(shell("n=$(tshark -r $D/x.pcap 2>$D/said | wc -l); [ $n -gt 10 ] && ! grep -q short $D/said && ! "
                           "[ -e $D/x.json ]"),
                     0);
}

/* Files of a run that goes on are left alone. */
TEST(two_runs_at_a_time_have_files_of_their_own)
{
    shell_program("roce-sim");
    ck_shell_says(0, "/x-2.pcap\n",
                  "$P --messages 60 --pcap $D/x.pcap >/dev/null & sleep 0.1; $P --messages 1 --pcap $D/x.pcap; wait");
    ck_assert_int_eq(
        shell("[ $(tshark -r $D/x.pcap 2>/dev/null | wc -l) -gt $(tshark -r $D/x-2.pcap 2>/dev/null | wc -l) ]"), 0);
}

static const struct {
    const char *program, *cut, *options, *message[2];
} silences[] = {
    /* the chip repeats, until retries are exhausted */
    {"roce-sim", "peer", "--mix write", {"QP ", "ended with an error: FATAL code 6 (S5 table 2-4), opcode 0a, PSN "}},
    /* its peer does */
    {"roce-sim",
     "peer",
     "--mix send-in",
     {" of the chip): send ", "ended with retries out; the last from the chip was "}},
    {"roce-storage",
     "peer",
     "--timeout 2",
     {"the host's command ", "ended with retries out; the last from the node was SEND only, PSN "}},
    {"roce-storage",
     "chip",
     "--timeout 2",
     {"QP 2 of the node ended with an error: FATAL code 6 (S5 table 2-4), ", "the last from the host was "}},
    /* nothing is repeated: a timeout would come after 34 ms, 5 million clocks */
    {"roce-sim",
     "peer",
     "--mix write --messages 200 --timeout 13 --qps 1",
     {"the peer is silent: QP 2 waits, and the last from its peer was ACK, PSN ", " us"}},
    {"roce-storage", "peer", "--timeout 13", {"the host is silent: QP 2 waits, and the last from it was ", " us"}},
};
enum { SHORT_SILENCES = 4 };

TEST(an_end_that_falls_silent_is_reported_with_qp_and_psn, .to = long_form() ? COUNT(silences) : SHORT_SILENCES)
{
    shell_program(silences[_i].program);
    ck_assert_int_eq(shell_says("$P %s --faults 'lose line 0%%; cut %s at 60us for ever' 2>/dev/null | grep ^BAD",
                                silences[_i].options, silences[_i].cut),
                     0);
    for (int i = 0; i < 2; i++) ck_output_has(silences[_i].message[i]);
}

/* The same seed, the same results: of one run, of a soak in runs, of two chips. */
TEST(a_soak_adds_up_its_runs)
{
    shell_program("roce-sim");
    ck_shell_says(
        0, "GOOD: ", "$P --soak 1500 --bytes 8 --qps 5 --messages 5 --longest 4096 --peer roce --json $D/soak.json");
    ck_assert_int_eq(shell("s=$(jq -e '.soak[0].packets' $D/soak.json) && [ $s -ge 1500 ]"), 0);
    ck_output_has(" 8 bytes per clock, seed 2: ");
}

/* READs and WRITEs, in packets of 256 bytes at 100 Gb/s: 4 x 1172 responses and 4 ACKs are dealt with as fast as they
 * come. */
TEST(reads_during_writes_are_lost_nowhere)
{
    shell_program("roce-sim");
    ck_shell_says(0, "chip: packets in 4692, dropped 0, invalid 0, duplicates 0,",
                  "$P --bytes 64 --qps 1 --pmtu 256 --mix read,write --shortest 300000 --longest 300000 --messages 4 "
                  "--faults 'lose line "
                  "0%%' --timeout 8 "
                  "--json $D/r.json --pcap $D/r.pcap");
    ck_output_has("packets sent again 0\npeer: ");
}

/* make cycles finds them by name. */
TEST(every_module_with_a_clock_has_probes)
{
    shell_says("grep -lw 'input *wire *clk' rtl/roce/*.v | xargs grep -L probe_busy");
    ck_assert_str_eq(shell_output, "");
}
