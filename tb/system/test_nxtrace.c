/* Faults by plan, and the reports of a monitored NIC and nxtrace: each kind of error freezes the trace with the words
 * around it, and each of the bugs of S4 3.3 to 3.5 is named from the saved trace alone. */
#include <string.h>

#include "nx_trace.h"
#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim2");
RUNS("nicxbar-sim2-monitored");
RUNS("programs/nxtrace.so");
RUNS("nxtrace");

TEST_CASE("nxtrace", .timeout = 60, .teardown = shell_clean);

enum { AFTER = 20, MESSAGES = 3 };

/* Messages each way with this plan; the traces of the hosts are in $D/trace.0 and $D/trace.1. */
static void trace_by(const char *program, const char *options, const char *plan, const char *freeze, unsigned bytes,
                     unsigned link)
{
    shell_program(program);
    shell_folder();
    ck_shell_says(0, "GOOD: results in",
                  "$P %s --faults '%s' --json $D/run.json --program ${P%%/*}/programs/nxtrace.so -- "
                  "--messages %d --size %u --after %d --link %u %s%s --save $D/trace",
                  options, plan, MESSAGES, bytes, AFTER, link, freeze ? "--freeze " : "", freeze ? freeze : "");
}

static void trace_with(const char *way, const char *plan, const char *freeze)
{
    char options[80];
    snprintf(options, sizeof options, "%s --nic monitored", way);
    trace_by("nicxbar-sim2", options, plan, freeze, 1024, 0);
}

/* ---- the bugs of the documents */

static const struct {
    const char *way, *plan;
    unsigned host;
    const char *said;
} bugs[] = {
    {"--direct", "word node0>node1 drop at 5us", 1, ": word lost on the link: "},
    {"--direct", "word node0>node1 repeat at 5us", 1, ": word doubled on the link: "},
    {"--direct", "word node0>node1 stale at 5us", 1, ": empty FIFO repeated its last word on the link: "},
    {"--direct", "packet node0>node1 headercrc at 5us; record node0>node1 drop 100%", 0, ": credits slipped: lane 0, "},
    {"", "word switch>node1 stale at 5us", 1, ": empty FIFO repeated its last word on the link: "},
};

TEST(each_bug_is_named_from_the_saved_trace_alone, .to = COUNT(bugs))
{
    trace_with(bugs[_i].way, bugs[_i].plan, "BODY_CRC");
    shell_program("nxtrace");
    ck_shell_says(1, bugs[_i].said, "$P $D/trace.%u", bugs[_i].host);
    for (int i = 0; i < COUNT(bugs); i++)
        if (strcmp(bugs[i].said, bugs[_i].said) && strncmp(bugs[i].said, bugs[_i].said, 16))
            ck_output_lacks(bugs[i].said);
}

/* ---- a fault in one of several links: by packet on any of them, whichever is traced; by byte found in whole words */

static const struct {
    const char *nic, *way, *plan;
    unsigned link, host;
    const char *said;
} of_links[] = {
    {"4paths", "--direct", "word node0.link2>node1 drop at 5us", 0, 1, "link 2: word lost on the link: "},
    {"4paths", "", "word switch>node1 stale at 6us", 3, 1, ": empty FIFO repeated its last word on the link: "},
    {"2paths", "", "word node0.link1>switch repeat at 5us", 0, 1, "link 1: word doubled on the link: "},
    {"4paths", "--direct", "packet node0.link3>node1 drop at 5us", 1, 1, "1 packets missing before it"},
    {"4paths", "--direct", "packet node0.link2>node1 headercrc at 5us; record node0.link2>node1 drop 100%", 2, 0,
     ": credits slipped: lane 0, "},
    {"4links", "--direct", "word node0.link2>node1 drop at 5us", 2, 1, "link 2 of 4: word lost"},
    {"4links", "--direct", "word node0.link3>node1 repeat at 5us", 0, 1, "link 3 of 4: word doubled"},
    {"4links", "--direct", "word node0.link1>node1 stale at 5us", 1, 1, "link 1 of 4: word changed, or an empty FIFO"},
    {"2links", "--direct", "word node0.link1>node1 drop at 5us", 1, 1, "link 1 of 2: word lost"},
    {"2links", "--direct", "word node0.link0>node1 stale at 5us", 1, 1, "link 0 of 2: word changed, or an empty FIFO"},
    {"4links", "--direct", "packet node0>node1 headercrc at 5us; record node0>node1 drop 100%", 0, 0,
     ": credits slipped: lane 0, "},
};

TEST(a_fault_in_one_of_several_links_is_named_from_the_saved_trace_alone, .to = COUNT(of_links))
{
    char options[80];
    snprintf(options, sizeof options, "%s --nic monitored-%s", of_links[_i].way, of_links[_i].nic);
    trace_by("nicxbar-sim2-monitored", options, of_links[_i].plan, NULL, 4096, of_links[_i].link);
    shell_program("nxtrace");
    ck_shell_says(1, of_links[_i].said, "$P $D/trace.%u", of_links[_i].host);
}

/* ---- each kind of error; those that no plan can cause, and the host's own write, are in test_monitored */

static const struct {
    const char *plan, *freeze;
    unsigned host;
    unsigned point;   /* where words are around it */
    const char *said; /* of it, NULL: a trace does not show it */
} kinds[] = {
    {"packet node0>node1 body at 5us", "BODY_CRC", 1, NX_N2H_IN, "word changed on the link"},
    {"packet node0>node1 truncate at 5us", "BODY_CRC", 1, NX_N2H_IN,
     "words omitted on the link: the packet ends before the "},
    {"packet node0>node1 header at 5us", "HEADER_CRC", 1, NX_N2H_IN, "1 packets missing"},
    {"packet node0>node1 headercrc at 5us", "PACKET_DROPPED", 1, NX_N2H_IN, "1 packets missing"},
    {"packet node0>node1 drop at 5us", "SEQUENCE_GAP", 1, NX_N2H_OUT, "1 packets missing"},
    {"credit node1>node0 parity at 5us", "CREDIT_REJECTED", 0, NX_H2N_OUT, "credit rejected: lane 0"},
    {"parity host1 write at 5us", "WRITE_ERROR", 1, NX_N2H_OUT, NULL},
    {"parity host0 read at 5us", "READ_ERROR", 0, NX_H2N_IN, NULL},
    {"completion host0 missing at 5us", "COMPLETION_TIMEOUT", 0, NX_H2N_IN, NULL},
    {"completion host0 late 230us at 5us", "UNEXPECTED_COMPLETION", 0, NX_H2N_IN, NULL},
};

static const char *const points[] = {"H2N_IN", "H2N_OUT", "N2H_IN", "N2H_OUT"};

TEST(each_kind_of_error_freezes_with_the_words_around_it, .to = COUNT(kinds))
{
    unsigned before, behind; /* nothing passes any more when a read is abandoned */
    trace_with("--direct", kinds[_i].plan, kinds[_i].freeze);
    ck_shell_says(0, "frozen 1", "head -1 $D/trace.%u", kinds[_i].host);
    ck_shell_says(0, "frozen 0", "head -1 $D/trace.%u", !kinds[_i].host);
    /* words of the point before the entry that says FROZEN, and entries behind it */
    ck_assert_int_eq(
        shell_says("awk '$1 == \"point\" { here = $2 == \"%s\" } here && $2 == \"f0\" { frozen = 1; next } "
                   "here && NF == 2 && !frozen { n++ } here && NF == 2 && frozen { m++ } END { print n + 0, m + 0 }' "
                   "$D/trace.%u",
                   points[kinds[_i].point], kinds[_i].host),
        0);
    ck_assert_int_eq(sscanf(shell_output, "%u %u", &before, &behind), 2);
    ck_assert_msg(before >= 8 && (behind || strstr(kinds[_i].plan, "completion")) && behind <= AFTER,
                  "%s: %u before, %u behind", kinds[_i].plan, before, behind);
    shell_program("nxtrace");
    shell_says("$P --packets $D/trace.%u", kinds[_i].host);
    ck_output_has(kinds[_i].freeze);
    ck_output_has("---- FROZEN here ----");
    if (kinds[_i].said) ck_output_has(kinds[_i].said);
}

/* A save on a full disk is reported, and the old file stays; which host saves first depends on the start values of
 * registers. */
TEST(a_trace_that_has_no_room_on_the_disk_is_reported)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(1, ": File too large",
                  "echo from before | tee $D/trace.0 >$D/trace.1; trap '' XFSZ; ulimit -f 200; $P --direct --nic "
                  "monitored --json $D/run.json "
                  "--program ${P%%/*}/programs/nxtrace.so -- --messages 3 --save $D/trace");
    ck_output_has("FAILED: results in ");
    ck_shell_says(0, "from before\nfrom before\n",
                  "cat $D/trace.[01]; test ! -e $D/trace.0.part -a ! -e $D/trace.1.part");
}
