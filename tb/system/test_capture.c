/* Frames as pcapng (--capture) and scripts/wireshark/nicxbar.lua, checked by tshark: its counts equal those of the
 * sniffer and of the faults in the same run. */
#include <stdlib.h>

#include "shell.h"
#include "test.h"

RUNS("nicxbar-sim2");
RUNS("nicxbar-sim2-links");

TEST_CASE("capture", .timeout = 60, .teardown = shell_clean);

#define RUN                                                                                                            \
    "$P --nodes 2 --scenario uniform --sizes 8..496 --warmup 5 --measure 40 --json $D/run.json --capture $D/f.pcapng "
/* tshark with the dissector; not as root, for whom versions behind 4.0 run no script, without a word. */
#define TSHARK                                                                                                         \
    "cp scripts/wireshark/nicxbar.lua $D && chmod 755 $D && chmod 644 $D/nicxbar.lua $D/f.pcapng; as=; [ $(id -u) != " \
    "0 ] || "                                                                                                          \
    "as='setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/'; $as tshark -X lua_script:$D/nicxbar.lua "
/* How many frames a display filter of Wireshark lets through. */
#define COUNT_OF "LC_ALL=C; export LC_ALL; " TSHARK "-r $D/f.pcapng -Y '%s' -T fields -e frame.number 2>$D/why | wc -l"

static unsigned count(const char *filter)
{
    ck_assert_msg(!shell_says(COUNT_OF, filter), "%s", shell_output);
    unsigned frames = (unsigned)atoi(shell_output);
    /* only a warning for root is allowed there */
    ck_assert_msg(!shell_says("! grep -v 'This could be dangerous' $D/why"), "%s: %s", filter, shell_output);
    return frames;
}

static unsigned printed(const char *pattern)
{
    ck_assert_int_le(shell_says("grep -c '%s' $D/sniffed", pattern), 1);
    return (unsigned)atoi(shell_output);
}

TEST(tshark_counts_what_the_sniffer_printed)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_assert_msg(!shell_says(RUN "--sniff >$D/sniffed 2>&1"), "%s", shell_output);
    ck_assert_uint_gt(count("nicxbar.kind == 1"), 100);
    const char *const out = "frame.interface_name == \"node0>switch\" && ",
                      *const in = "frame.interface_name == \"switch>node0\" && ";
    const struct {
        const char *direction, *filter, *pattern;
    } rows[] = {
        {out, "nicxbar.kind == 1", "a>b .* data "},
        {in, "nicxbar.kind == 1", "b>a .* data "},
        {out, "nicxbar.kind == 2", "a>b *[0-9]* credit"},
        {in, "nicxbar.kind == 2", "b>a *[0-9]* credit"},
        {out, "nicxbar.kind == 3", "a>b .* check "},
        {in, "nicxbar.kind == 3", "b>a .* check "},
        {out, "nicxbar.conversation == \"0>1\"", "a>b .* data flow 1 "},
        {in, "nicxbar.conversation == \"1>0\"", "b>a .* data flow 1 "},
        {out, "nicxbar.kind == 1 && nicxbar.credit", "a>b .* data .*, credit "},
        {out, "nicxbar.notify.remote == 1", "a>b .* notify remote"},
        {out, "nicxbar.length == 1", "a>b .* 8 bytes to"},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        char filter[200];
        snprintf(filter, sizeof filter, "%s%s", rows[i].direction, rows[i].filter);
        ck_assert_msg(count(filter) == printed(rows[i].pattern), "%s: tshark %u, sniffer %u", filter, count(filter),
                      printed(rows[i].pattern));
    }
    ck_assert_uint_eq(count("_ws.expert || nicxbar.kind == 4"), 0);
    ck_assert_uint_eq(count("frame.time_delta < 0"), 0); /* in the order of time */
}

/* Several links: by packet each has an interface, a sniffer, and ten bits of sequence; by byte all are one. Each frame
 * as described by tshark, and by the sniffer, as lines: kind, interface. Before its reset a chip can send a SOP alone:
 * registers start at random. */
static const struct several {
    const char *nic, *a, *b; /* interfaces: %s is the link */
} several[] = {
    {"2paths", "node0>switch%s", "switch%s>node0"},
    {"2paths --direct", "node0>node1.link%s", "node1.link%s>node0"},
    {"2links --direct", "node0>node1", "node1>node0"},
};

TEST(frames_of_several_links_are_those_that_the_sniffer_printed, .to = COUNT(several))
{
    const struct several *s = &several[_i];
    shell_program("nicxbar-sim2-links");
    shell_folder();
    ck_assert_msg(
        !shell_says(
            "$P --nodes 2 --nic %s --scenario one-way --sizes 8..496 --warmup 5 --measure 60 --json $D/run.json "
            "--capture $D/f.pcapng --sniff >$D/sniffed 2>&1",
            s->nic),
        "%s", shell_output);
    ck_assert_msg(
        !shell_says(
            "awk '/ (a>b|b>a) /{ l = $1 == \"link\" ? $2 : \"\"; k = / data /? 1 : / check / ? 3 : /EMPTY/ ? 4 : 2; "
            "print k, sprintf(/a>b/ ? \"%s\" : \"%s\", l) (k == 4 ? \" Frame\\\\ cut\\\\ short\" : \"\") } /BAD|CUT/' "
            "$D/sniffed | sort >$D/ours",
            s->a, s->b),
        "%s", shell_output);
    ck_assert_msg(
        !shell_says(
            TSHARK
            "-r $D/f.pcapng -T fields -E separator=' ' -e nicxbar.kind "
            "-e frame.interface_name -e _ws.expert.message -Y 'frame.interface_name contains \"node0\"' 2>/dev/null | "
            "sed 's/ *$//' | sort >$D/theirs; diff $D/ours $D/theirs && grep -c '^1 node0>' $D/ours"),
        "%s", shell_output);
    ck_assert_int_gt(atoi(shell_output), 100);
}

TEST(what_faults_did_to_frames_is_seen)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(0, "GOOD",
                  RUN
                  "--faults 'packet node0>switch body at 20us times 3; packet node1>switch header at 21us times 2'");
    ck_assert_uint_eq(count("nicxbar.body_crc.bad && frame.interface_name == \"node0>switch\""), 3);
    ck_assert_uint_eq(count("nicxbar.header_crc.bad && frame.interface_name == \"node1>switch\""), 2);
    ck_assert_uint_eq(count("nicxbar.header_crc.bad"), 2); /* the switch lets none through */
    ck_assert_uint_ge(count("nicxbar.sequence.gap"), 1);   /* packets that it dropped are missing */
}

TEST(a_file_that_cannot_be_written_is_reported_and_the_run_is_not_good)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(1, "--capture /dev/full: No space left on device", RUN "--capture /dev/full");
    ck_output_has("FAILED: results in ");
    ck_output_has("packets, "); /* the run went on */
    ck_shell_says(2, "--capture /nowhere/f: cannot be written", RUN "--capture /nowhere/f");
}

TEST(on_a_full_disk_the_run_goes_on_and_the_frames_up_to_there_can_be_read)
{
    shell_program("nicxbar-sim2");
    shell_folder();
    ck_shell_says(1, "f.pcapng: File too large; the frames up to there can be read",
                  "trap '' XFSZ; ulimit -f 60; " RUN);
    ck_output_has("FAILED: results in ");
    ck_output_has("packets, ");
    ck_assert_uint_gt(count("nicxbar.kind == 1"), 20);
}
