/* Parameters of the top modules: values allowed by the heads of rtl/nic/nic.v, rtl/crossbar.v and the packet-mode
 * switches start; others are refused before the first clock, by Icarus at elaboration or by a sentence with "must" (or
 * "do not fit") and the value. */
#include <stdio.h>
#include <string.h>

#include "shell.h"
#include "test.h"

#define VPS "UNIT_IS_PACKET=1,REASSEMBLY=0,"
#define DPM "PACKET_MODE=2,REASSEMBLY=0,"

static const struct {
    const char *top, *legal, *illegal; /* values of one parameter each, or of several that belong together */
} cases[] = {
    {"nic", "DECODE=2 DECODE=3 DECODE=4", "DECODE=1 DECODE=5"},
    {"nic", "BAR0_BITS=21 BAR0_BITS=27",
     "BAR0_BITS=11 BAR0_BITS=20 BAR0_BITS=28"}, /* 4096 blocks of 64 words are 2 Mbyte */
    {"nic", "QUEUES=8 QUEUES=16", "QUEUES=4 QUEUES=12 QUEUES=32"},
    {"nic", "LINKS=1 LINKS=2 LINKS=4", "BOND=2"},
    {"nic", "SPLITS=1 SPLITS=2 SPLITS=4", "SPLITS=0 SPLITS=5"},
    {"nic", "VOQS=8 VOQS=1", "VOQS=0 VOQS=2 VOQS=16"},
    {"nic", "LOG2_VOQ_WORDS=10 LOG2_VOQ_WORDS=12", "LOG2_VOQ_WORDS=8 LOG2_VOQ_WORDS=9 LOG2_VOQ_WORDS=13"},
    {"nic", "SEGMENT_WORDS=16 SEGMENT_WORDS=512", "SEGMENT_WORDS=15 SEGMENT_WORDS=513"},
    {"nic", "BLOCK_WORDS=16 BLOCK_WORDS=512", "BLOCK_WORDS=8 BLOCK_WORDS=48 BLOCK_WORDS=1024"},
    {"nic", "LOG2_BLOCKS=4 LOG2_BLOCKS=14", "LOG2_BLOCKS=3 LOG2_BLOCKS=15"},
    {"nic", "LOG2_STAGING=10 LOG2_STAGING=12", "LOG2_STAGING=9 LOG2_STAGING=13"},
    {"nic", "LOG2_FIFO=10 LOG2_FIFO=11", "LOG2_FIFO=9 LOG2_FIFO=12"},
    {"nic", "PAYLOAD_LIMIT=1 PAYLOAD_LIMIT=512", "PAYLOAD_LIMIT=0 PAYLOAD_LIMIT=513"},
    {"nic", "LINKS=2,BOND=1,LOG2_FIFO=8,PAYLOAD_LIMIT=238",
     "LINKS=3 BOND=2 LINKS=2,BOND=1,LOG2_FIFO=8,PAYLOAD_LIMIT=239"},
    {"nic", "LINKS=4,BOND=1", "LINKS=4,BOND=1,LOG2_FIFO=7 LINKS=4,BOND=1,LOG2_FIFO=11"},
    {"nic", "CUT_THROUGH=0 CUT_THROUGH=511", "CUT_THROUGH=512 CUT_THROUGH=-1"},
    {"nic", "IDLE_WORDS=1032 IDLE_WORDS=65535", "IDLE_WORDS=1031 IDLE_WORDS=65536"},
    {"crossbar", "PORTS=2 PORTS=5 PORTS=16", "PORTS=0 PORTS=1 PORTS=17"},
    {"crossbar", "MONITOR=0 MONITOR=1", "MONITOR=2"},
    {"crossbar", "MAX_WORDS=1 MAX_WORDS=64", "MAX_WORDS=0 MAX_WORDS=65"}, /* a longer payload fits into no crosspoint */
    {"crossbar", "CAPACITY_UNITS=128 CAPACITY_UNITS=4064", "CAPACITY_UNITS=127 CAPACITY_UNITS=4065"},
    {"crossbar", "DOWN_CLOCKS=1 DOWN_CLOCKS=16777215", "DOWN_CLOCKS=0 DOWN_CLOCKS=16777216"},
    {"crossbar", "UP_CLOCKS=1 UP_CLOCKS=65535", "UP_CLOCKS=0 UP_CLOCKS=65536"},
    {"crossbar", "IDLE_WORDS=512 IDLE_WORDS=8192", "IDLE_WORDS=511 IDLE_WORDS=8193"},
    {"crossbar", "RECORD_PERIOD=2 RECORD_PERIOD=65535", "RECORD_PERIOD=1 RECORD_PERIOD=65536"},
    {"crossbar", "RECORD_HOLD=1 RECORD_HOLD=1023", "RECORD_HOLD=0 RECORD_HOLD=1024"},
    {"crossbar", "REFRESH_PERIOD=2 REFRESH_PERIOD=65535", "REFRESH_PERIOD=1 REFRESH_PERIOD=65536"},
    {"pm_switch", "PORTS=2 PORTS=5 PORTS=16", "PORTS=1 PORTS=17"},
    {"pm_switch", "SEGMENT_WORDS=3 SEGMENT_WORDS=1024,XPOINT_WORDS=1024",
     "SEGMENT_WORDS=2 SEGMENT_WORDS=1025,XPOINT_WORDS=1025"},
    {"pm_switch", "MOST_WORDS=2 MOST_WORDS=4096", "MOST_WORDS=1 MOST_WORDS=4097"},
    {"pm_switch", "XPOINT_WORDS=64 XPOINT_WORDS=8191", "XPOINT_WORDS=63 XPOINT_WORDS=8192"},
    {"pm_switch", VPS "XPOINT_WORDS=1024", VPS "XPOINT_WORDS=1023 UNIT_IS_PACKET=2"},
    {"pm_switch", DPM "XPOINT_WORDS=188", DPM "XPOINT_WORDS=187"}, /* RTT + 2 segments - 1 */
    {"pm_switch", DPM "XPOINT_WORDS=189,FORWARD_CLOCKS=31", DPM "XPOINT_WORDS=188,FORWARD_CLOCKS=31"},
    {"pm_switch", DPM "XPOINT_WORDS=400,FORWARD_CLOCKS=224",
     DPM "XPOINT_WORDS=400,FORWARD_CLOCKS=225"}, /* packets' numbers have 8 bits */
    {"pm_switch", "PACKET_MODE=0 PACKET_MODE=1",
     "PACKET_MODE=3 PACKET_MODE=1,REASSEMBLY=0 " VPS "XPOINT_WORDS=1280,PACKET_MODE=1"},
    {"pm_switch", "REASSEMBLY=1", "REASSEMBLY=0 REASSEMBLY=2"},
    {"pm_switch",
     "FORWARD_CLOCKS=2 FORWARD_CLOCKS=256,XPOINT_WORDS=320", /* 5 segments for a round trip of 287 and a decision */
     "FORWARD_CLOCKS=1 FORWARD_CLOCKS=257,XPOINT_WORDS=320 FORWARD_CLOCKS=256,XPOINT_WORDS=319"},
    {"pm_switch", "RETURN_CLOCKS=7 RETURN_CLOCKS=256,XPOINT_WORDS=320",
     "RETURN_CLOCKS=6 RETURN_CLOCKS=257,XPOINT_WORDS=320"},
    {"pm_switch", "SCHEDULING_CLOCKS=2 SCHEDULING_CLOCKS=3 SCHEDULING_CLOCKS=16,XPOINT_WORDS=128",
     "SCHEDULING_CLOCKS=1 SCHEDULING_CLOCKS=17,XPOINT_WORDS=128 SCHEDULING_CLOCKS=4 "
     "SCHEDULING_CLOCKS=3,RETURN_CLOCKS=7"},
    {"pm_switch", "SCHEDULING_CLOCKS=5,SEGMENT_WORDS=6,XPOINT_WORDS=66",
     "SCHEDULING_CLOCKS=5,SEGMENT_WORDS=5,XPOINT_WORDS=70"},
    {"pm_switch", "PACKET_MODE=1,SCHEDULING_CLOCKS=3,FORWARD_CLOCKS=29", "PACKET_MODE=1,SCHEDULING_CLOCKS=3"},
    {"pm_switch", DPM "XPOINT_WORDS=188,SCHEDULING_CLOCKS=16 " VPS "XPOINT_WORDS=1024,SCHEDULING_CLOCKS=16",
     DPM "XPOINT_WORDS=188,SCHEDULING_CLOCKS=17 " VPS "XPOINT_WORDS=64,MOST_WORDS=64,SCHEDULING_CLOCKS=4"},
    {"pm_switch",
     "PACKET_MODE=1,FORWARD_CLOCKS=2 PACKET_MODE=1,SEGMENT_WORDS=1024,XPOINT_WORDS=1024 "
     "PACKET_MODE=1,FORWARD_CLOCKS=31,CREDIT_CLOCKS=1",
     "PACKET_MODE=1,FORWARD_CLOCKS=31 PACKET_MODE=1,CREDIT_CLOCKS=3"},
    {"pm_switch", "CREDIT_CLOCKS=1 CREDIT_CLOCKS=15",
     "CREDIT_CLOCKS=0 CREDIT_CLOCKS=16 " DPM "XPOINT_WORDS=192,CREDIT_CLOCKS=3"},
    {"pm_switch", "PRIORITIES=2 MULTICAST=1 SPLIT=1", "PRIORITIES=0 PRIORITIES=3 MULTICAST=2 SPLIT=2"},
    {"pm_switch", DPM "XPOINT_WORDS=192,PRIORITIES=2", DPM "XPOINT_WORDS=192,MULTICAST=1"},
    {"pm_switch", "LOOK_BACK=0 LOOK_BACK=2 LOCK_RELEASE=1", "LOOK_BACK=3 LOCK_RELEASE=2"},
    /* the ring of packets and the memory hold what a source brings that obeys line_full: a unit and some clocks more
       than VOQ_WORDS */
    {"pm_switch", "VOQ_WORDS=1 VOQ_WORDS=16316", "VOQ_WORDS=0 VOQ_WORDS=16317 VOQ_WORDS=16384"},
    {"pm_switch", VPS "XPOINT_WORDS=1280,VOQ_WORDS=15356", VPS "XPOINT_WORDS=1280,VOQ_WORDS=15357"},
    {"pm_switch", "VOQ_BLOCKS=294 VOQ_BLOCKS=65536",
     "VOQ_BLOCKS=293 VOQ_BLOCKS=65537 PRIORITIES=2,MULTICAST=1,VOQ_BLOCKS=881"},
    {"pm_switch", "VOQ_PACKETS=32768", "VOQ_PACKETS=8192 VOQ_PACKETS=16385"},
    {"pm_iq", "PORTS=2 PORTS=16", "PORTS=1 PORTS=17"},
    {"pm_iq", "CELL_WORDS=3 CELL_WORDS=64", "CELL_WORDS=2 CELL_WORDS=65"},
    {"pm_iq", "SCHEDULING_CLOCKS=8 CELL_WORDS=16,SCHEDULING_CLOCKS=16", "SCHEDULING_CLOCKS=2 SCHEDULING_CLOCKS=9"},
    {"pm_iq", "MOST_WORDS=2 MOST_WORDS=4096", "MOST_WORDS=1 MOST_WORDS=4097"},
    {"pm_iq", "VOQ_WORDS=1 VOQ_WORDS=16380 VOQ_PACKETS=32768 VOQ_BLOCKS=324",
     "VOQ_WORDS=0 VOQ_WORDS=16381 VOQ_PACKETS=16385 VOQ_BLOCKS=323 VOQ_BLOCKS=65537"},
};

/* 1 if a top with these values, NAME=VALUE[,NAME=VALUE...], starts. */
static int starts(const char *top, const char *values)
{
    /* what another top is made of is not read, and switches are small: both take longer than all else */
    int nic = strncmp(top, "pm_", 3) && strcmp(top, "crossbar");
    const char *files = !strncmp(top, "pm_", 3) ? "rtl/packet_mode/*.v rtl/common/*.v"
                        : nic ? "rtl/switch/crc*.v rtl/nic/*.v rtl/nic/*/*.v rtl/sync/*.v rtl/common/*.v"
                              : "rtl/crossbar.v rtl/switch/*.v rtl/nic/link/*.v rtl/common/*.v";
    int code = shell_says("${IVERILOG:-iverilog} -g2005 -Ibuild/generated -s %s $(echo %s%s | sed 's/^\\|,/ -P%s./g') "
                          "-o $D/m %s && vvp -n $D/m",
                          top, nic || !strncmp(values, "PORTS", 5) ? "" : "PORTS=2,", values, top, files);
    return !code && !strstr(shell_output, " must ") && !strstr(shell_output, "do not fit");
}

static void each(const char *top, const char *values, int legal)
{
    char list[256], *rest = NULL;
    snprintf(list, sizeof list, "%s", values);
    for (char *p = strtok_r(list, " ", &rest); p; p = strtok_r(NULL, " ", &rest))
        ck_assert_msg(starts(top, p) == legal, "%s %s is %s: %s", top, p,
                      legal ? "legal" : "illegal, and was not refused", shell_output);
}

TEST_CASE("parameters", .timeout = 120, .teardown = shell_clean);

/* The ranges of the parameters of a packet-mode switch depend on each other: one by one. */
TEST(a_legal_value_starts, .to = COUNT(cases))
{
    if (!strncmp(cases[_i].top, "pm_", 3)) each(cases[_i].top, cases[_i].legal, 1);
}

/* Those of a NIC and of a crossbar do not: the first value of each parameter in one build, the second ones in another,
 * the third ones. */
TEST(legal_values_start_together, .to = 3)
{
    static const char *const tops[] = {"nic", "crossbar"};
    for (int t = 0; t < COUNT(tops); t++) {
        char all[512] = "";
        for (int i = 0; i < COUNT(cases); i++) {
            const char *value = cases[i].legal;
            if (strcmp(cases[i].top, tops[t])) continue;
            for (int skip = _i; skip && strchr(value, ' '); skip--) value = strchr(value, ' ') + 1;
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.*s", *all ? "," : "", (int)strcspn(value, " "),
                     value);
        }
        ck_assert_msg(starts(tops[t], all), "%s %s is legal: %s", tops[t], all, shell_output);
    }
}

TEST(an_illegal_value_is_refused, .to = COUNT(cases)) { each(cases[_i].top, cases[_i].illegal, 0); }

/* A part of a switch would call it by the part's own name. */
TEST(the_length_of_a_cable_is_refused_by_its_name, .to = 2)
{
    shell_says("${IVERILOG:-iverilog} -g2005 -Ibuild/generated -s pm_switch -Ppm_switch.PORTS=2 "
               "-Ppm_switch.FORWARD_CLOCKS=%d -o $D/m "
               "rtl/packet_mode/*.v rtl/common/*.v && vvp -n $D/m",
               _i ? 257 : 1);
    ck_output_has("pm_switch: FORWARD_CLOCKS must be 2..256, is ");
}

/* Parameters of several links: refused with the module's place, the value and the expectation. */
static const struct {
    const char *top, *values, *says;
} of_links[] = {
    {"nic", "LINKS=3", "nic: LINKS must be 1, 2 or 4, is 3; BOND 0 (by byte) or 1 (by packet), is 0"},
    {"nic", "LINKS=2,BOND=1,LOG2_FIFO=11",
     "nic: LOG2_FIFO must be 10 or 11 (a credit counter has 12 bits), by packet 8..10, is 11"},
    {"nic", "LINKS=2,MONITORING=2", "nic: MONITORING must be 0 or 1, is 2"},
    {"nic", "LINKS=2,BOND=1,SYNC=1,LOG2_FIFO=9", "SYNC 0 or (one link or by byte, VOQS = QUEUES) 1, is 1"},
    {"dma_resequencer", "SOURCES=6", "dma_resequencer: SOURCES must be 2, 4, 8 or 16, is 6"},
    {"dma_resequencer", "LOG2_PLACES=1", "LOG2_PLACES 2..9, is 1"},
    {"link_deskew", "LINKS=3", "link_deskew: LINKS must be 2 or 4, is 3"},
    {"nic_paths", "LINKS=2,LOG2_ORDER=7",
     "nic_paths: LOG2_ORDER must be enough for the 342 packets that N2H may hold, is 7"},
};

TEST(parts_of_several_links_refuse_by_name_value_and_range, .to = COUNT(of_links))
{
    ck_assert_int_eq(starts(of_links[_i].top, of_links[_i].values), 0);
    ck_output_has(of_links[_i].says);
}
