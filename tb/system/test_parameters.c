/* Parameters of the two top modules: what the heads of rtl/nic.v and rtl/crossbar.v allow starts, what they do not is refused before the
 * first clock, by Icarus at elaboration or by a sentence with "must" (or "do not fit") and the value. */
#include <stdio.h>
#include <string.h>

#include "shell.h"
#include "test.h"

static const struct {
    const char *top, *legal, *illegal; /* values of one parameter each */
} cases[] = {
    {"nic", "DECODE=2 DECODE=3 DECODE=4", "DECODE=1 DECODE=5"},
    {"nic", "BAR0_BITS=21 BAR0_BITS=27", "BAR0_BITS=11 BAR0_BITS=20 BAR0_BITS=28"}, /* 4096 blocks of 64 words are 2 Mbyte */
    {"nic", "QUEUES=8 QUEUES=16", "QUEUES=4 QUEUES=12 QUEUES=32"},
    {"nic", "SPLITS=1 SPLITS=2 SPLITS=4", "SPLITS=0 SPLITS=5"},
    {"nic", "VOQS=1 VOQS=8", "VOQS=0 VOQS=2 VOQS=16"},
    {"nic", "LOG2_VOQ_WORDS=10 LOG2_VOQ_WORDS=12", "LOG2_VOQ_WORDS=8 LOG2_VOQ_WORDS=9 LOG2_VOQ_WORDS=13"},
    {"nic", "SEGMENT_WORDS=16 SEGMENT_WORDS=512", "SEGMENT_WORDS=15 SEGMENT_WORDS=513"},
    {"nic", "BLOCK_WORDS=16 BLOCK_WORDS=512", "BLOCK_WORDS=8 BLOCK_WORDS=48 BLOCK_WORDS=1024"},
    {"nic", "LOG2_BLOCKS=4 LOG2_BLOCKS=14", "LOG2_BLOCKS=3 LOG2_BLOCKS=15"},
    {"nic", "LOG2_STAGING=10 LOG2_STAGING=12", "LOG2_STAGING=9 LOG2_STAGING=13"},
    {"nic", "LOG2_FIFO=10 LOG2_FIFO=11", "LOG2_FIFO=9 LOG2_FIFO=12"},
    {"nic", "PAYLOAD_LIMIT=1 PAYLOAD_LIMIT=512", "PAYLOAD_LIMIT=0 PAYLOAD_LIMIT=513"},
    {"nic", "CUT_THROUGH=0 CUT_THROUGH=511", "CUT_THROUGH=512 CUT_THROUGH=-1"},
    {"nic", "IDLE_WORDS=1032 IDLE_WORDS=65535", "IDLE_WORDS=1031 IDLE_WORDS=65536"},
    {"crossbar", "PORTS=2 PORTS=5 PORTS=16", "PORTS=0 PORTS=1 PORTS=17"},
    {"crossbar", "MONITOR=0 MONITOR=1", "MONITOR=2"},
    {"crossbar", "CAPACITY_UNITS=128 CAPACITY_UNITS=4064", "CAPACITY_UNITS=127 CAPACITY_UNITS=4065"},
    {"crossbar", "DOWN_CLOCKS=1 DOWN_CLOCKS=16777215", "DOWN_CLOCKS=0 DOWN_CLOCKS=16777216"},
    {"crossbar", "UP_CLOCKS=1 UP_CLOCKS=65535", "UP_CLOCKS=0 UP_CLOCKS=65536"},
    {"crossbar", "IDLE_WORDS=512 IDLE_WORDS=8192", "IDLE_WORDS=511 IDLE_WORDS=8193"},
    {"crossbar", "RECORD_PERIOD=2 RECORD_PERIOD=65535", "RECORD_PERIOD=1 RECORD_PERIOD=65536"},
    {"crossbar", "RECORD_HOLD=1 RECORD_HOLD=1023", "RECORD_HOLD=0 RECORD_HOLD=1024"},
    {"crossbar", "REFRESH_PERIOD=2 REFRESH_PERIOD=65535", "REFRESH_PERIOD=1 REFRESH_PERIOD=65536"},
};

static void each(const char *top, const char *values, int legal)
{
    char list[256];
    snprintf(list, sizeof list, "%s", values);
    for (char *p = strtok(list, " "); p; p = strtok(NULL, " ")) {
        int code = shell_says(
            "${IVERILOG:-iverilog} -g2005 -Ibuild/generated -s %s -P %s.%s -o $D/m $(find rtl -name '*.v') && vvp -n $D/m", top, top, p);
        int started = !code && !strstr(shell_output, " must ") && !strstr(shell_output, "do not fit");
        ck_assert_msg(started == legal, "%s %s is %s: %s", top, p, legal ? "legal" : "illegal, and was not refused", shell_output);
    }
}

TEST_CASE("parameters", .timeout = 120, .teardown = shell_clean);

TEST(a_legal_value_starts, .to = COUNT(cases))
{
    each(cases[_i].top, cases[_i].legal, 1);
}

TEST(an_illegal_value_is_refused, .to = COUNT(cases))
{
    each(cases[_i].top, cases[_i].illegal, 0);
}
