/* Library and commands of the switch's monitor on registers in memory, written from the map alone. */
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "shell.h"
#include "sx.h"
#include "sx_command.h"
#include "sx_line.h"
#include "sx_print.h"
#include "test.h"

RUNS("nxstat");

/* A switch of three ports as the map describes it: offsets worked out by hand. */
typedef struct {
    uint32_t value[0x8000 / 4];
    unsigned reads, writes, silent_from; /* accesses from this one on get no answer; 0: all do */
    unsigned last_write;
} registers;

static registers r;

static int read32(void *self, unsigned offset, uint32_t *value)
{
    registers *s = self;
    ck_assert_uint_lt(offset, 0x8000);
    ck_assert_uint_eq(offset % 4, 0);
    if (s->silent_from && s->reads + s->writes + 1 >= s->silent_from) return -1;
    s->reads++;
    *value = s->value[offset / 4];
    return 0;
}

static int write32(void *self, unsigned offset, uint32_t value)
{
    registers *s = self;
    if (s->silent_from && s->reads + s->writes + 1 >= s->silent_from) return -1;
    s->writes++;
    s->last_write = offset;
    s->value[offset / 4] = value;
    return 0;
}

static const struct sx_platform platform = {&r, read32, write32};
static sx_switch sw;

static void setup(void)
{
    memset(&r, 0, sizeof r);
    r.value[0x000 / 4] = 0x53580100;
    r.value[0x004 / 4] = 0x103; /* with counters, 3 ports */
    r.value[0x008 / 4] = 4;
    r.value[0x010 / 4] = 78125;
    for (unsigned p = 0; p < 3; p++) {
        unsigned page = 0x4000 + 0x400 * p;
        for (unsigned i = 0; i < 3; i++) {
            r.value[(page + 0x00 + 4 * i) / 4] = 1000 * (p + 1) + i;
            r.value[(page + 0x40 + 4 * i) / 4] = 10 * (p + 1) + i;
            r.value[(page + 0x80 + 4 * i) / 4] = 40 + i;
            r.value[(page + 0xc0 + 4 * i) / 4] = i == 2 ? 0x0000ffff : 0x0064000d;
            r.value[(page + 0x100 + 4 * i) / 4] = (300 + p) << 16 | (7 + i);
            r.value[(page + 0x180 + 4 * i) / 4] = 1 + i;
        }
        r.value[(page + 0x1c0) / 4] = p != 1;
        r.value[(page + 0x1c4) / 4] = 7;
        r.value[(page + 0x1c8) / 4] = 2046;
        r.value[(page + 0x1cc) / 4] = p == 1 ? 6 : 9;
        r.value[(page + 0x1d0) / 4] = 0x123456;
    }
    r.value[0x4140 / 4] = 5;  /* header errors at port 0 */
    r.value[0x496c / 4] = 77; /* drained at port 2 */
    ck_assert_int_eq(sx_open(&sw, &platform), 0);
}

TEST_CASE("monitor", .setup = setup, .teardown = shell_clean);

TEST(open_finds_out_what_is_there)
{
    ck_assert_uint_eq(sw.ports, 3);
    ck_assert_int_eq(sw.counters, 1);
    ck_assert_uint_eq(sw.clock_b, 4);
    r.value[0] = 0x4e580100;
    ck_assert_int_eq(sx_open(&sw, &platform), -1);
    ck_assert_str_eq(sw.error, "VERSION is 0x4e580100: this is no switch");
    r.value[0] = 0x53580200;
    ck_assert_int_eq(sx_open(&sw, &platform), -1);
    ck_assert_ptr_nonnull(strstr(sw.error, "major version 2, expected 1"));
    r.value[0] = 0x53580107; /* a newer minor version is fine */
    ck_assert_int_eq(sx_open(&sw, &platform), 0);
    r.value[1] = 0x111;
    ck_assert_int_eq(sx_open(&sw, &platform), -1);
    ck_assert_ptr_nonnull(strstr(sw.error, "17 ports"));
}

TEST(registers_are_taken_apart)
{
    sx_flow f;
    sx_port p;
    ck_assert_int_eq(sx_flow_get(&sw, 1, 0, &f), 0);
    ck_assert_uint_eq(f.words, 2000);
    ck_assert_uint_eq(f.packets, 20);
    ck_assert_uint_eq(f.occupancy, 7);
    ck_assert_uint_eq(f.occupancy_most, 301);
    ck_assert_int_eq(f.measured, 1);
    ck_assert_uint_eq(f.time_last, 40);
    ck_assert_uint_eq(f.time_least, 13);
    ck_assert_uint_eq(f.time_most, 100);
    ck_assert_int_eq(sx_flow_get(&sw, 1, 2, &f), 0);
    ck_assert_int_eq(f.measured, 0);
    ck_assert_int_eq(sx_port_get(&sw, 2, &p), 0);
    ck_assert(p.enabled && p.sync && !p.down && !p.draining && p.credits);
    ck_assert_uint_eq(p.inputs, 7);
    ck_assert_uint_eq(p.capacity, 2046);
    ck_assert_uint_eq(p.node, 2);
    ck_assert_uint_eq(p.transmitted, 0x123);
    ck_assert_uint_eq(p.credit, 0x456);
    ck_assert_uint_eq(p.weight[2], 3);
    for (unsigned e = 0; e < SX_EVENTS; e++) ck_assert_uint_eq(p.event[e], e == 11 ? 77 : 0);
    ck_assert_str_eq(sx_event_name(11), "DRAINED");
    ck_assert_str_eq(sx_event_name(0), "HEADER_ERRORS");
    ck_assert_str_eq(sx_event_name(16), "?");
    ck_assert_int_eq(sx_port_get(&sw, 1, &p), 0);
    ck_assert(!p.enabled && !p.sync && p.down && p.draining && !p.credits);
}

static const struct {
    const char *command;
    unsigned offset;
    uint32_t value;
} settings[] = {
    {"weight 2 1 255", 0x4984, 255}, {"weight 0 0 1", 0x4180, 1}, {"enable 1", 0x45c0, 1},
    {"disable 2", 0x49c0, 0},        {"serve 1 0x5", 0x45c4, 5},  {"capacity 0 100", 0x41c8, 100},
    {"downtime 500", 0x10, 500},     {"clear", 0x0c, 1},          {"node 1 100", 0x45d8, 0xe4},
    {"node 2 0", 0x49d8, 0x80},
};

/* Runs a line of commands; their output is in `output`. */
static char *output;
static int which = SX_SETTINGS | SX_SHOWS;
static int command(const char *line)
{
    char copy[128], *words[16];
    int count = 0;
    size_t size;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) words[count++] = w;
    free(output);
    FILE *out = open_memstream(&output, &size);
    int result = sx_command(&sw, which, count, words, out);
    fclose(out);
    return result;
}

TEST(commands_write_their_register, .to = COUNT(settings))
{
    unsigned writes = r.writes;
    ck_assert_int_eq(command(settings[_i].command), 0);
    ck_assert_uint_eq(r.writes, writes + 1);
    ck_assert_uint_eq(r.last_write, settings[_i].offset);
    ck_assert_uint_eq(r.value[settings[_i].offset / 4], settings[_i].value);
}

static const struct {
    const char *command, *error;
} refusals[] = {
    {"weight 3 0 1", "output 3: expected 0 to 2"},
    {"weight 0 3 1", "input 3: expected 0 to 2"},
    {"weight 0 0 0", "weight 0: expected 1 to 255"},
    {"weight 0 0 256", "weight 256: expected 1 to 255"},
    {"weight 0 0", "weight: expected OUTPUT INPUT WEIGHT"},
    {"weight 0 0 x", "weight: 'x' is no number"},
    {"weight 0 0 -1", "weight: '-1' is no number"},
    {"weight 0 0 +1", "weight: '+1' is no number"},
    {"weight 0 0 0x", "weight: '0x' is no number"},
    {"enable 3", "port 3: expected 0 to 2"},
    {"serve 0 8", "inputs 0x8: there are 3"},
    {"capacity 0 4065", "capacity 4065: expected 1 to 4064 units"},
    {"capacity 0 0", "capacity 0: expected 1 to 4064 units"},
    {"node 0 128", "node 128: expected 0 to 127"},
    {"node 3 1", "port 3: expected 0 to 2"},
    {"downtime 0", "down time 0: expected 1 to 16777215 clocks"},
    {"downtime 16777216", "down time 16777216: expected 1 to 16777215 clocks"},
    {"tables", "unknown command 'tables'"},
};

TEST(nonsense_is_refused_and_nothing_written, .to = COUNT(refusals))
{
    unsigned writes = r.writes;
    ck_assert_int_eq(command(refusals[_i].command), -1);
    ck_assert_str_eq(sw.error, refusals[_i].error);
    ck_assert_uint_eq(r.writes, writes);
}

TEST(tables_say_what_the_registers_say)
{
    ck_assert_int_eq(command("flows occupancy times errors weights ports"), 0);
    const char *const lines[] = {
        "switch: 3 ports, with counters; a port is down after 78125 clocks without synchronisation\n",
        "\npackets forwarded\nfrom \\ to          0          1          2\n        0         10         20         30\n"
        "        1         11         21         31\n        2         12         22         32\n",
        "\nwords forwarded\nfrom \\ to          0          1          2\n        0       1000       2000       3000\n",
        "        0      7/300      7/301      7/302\n",
        "        1       13..100 (41)       13..100 (41)       13..100 (41)\n",
        "        2                  -                  -                  -\n",
        "HEADER_ERRORS                  5          0          0\n",
        "DRAINED                        0          0         77\n",
        "\nweights\nfrom \\ to          0          1          2\n        0          1          1          1\n",
        "   0     a     yes   yes  up            2046         291      1110  0x0007\n",
        "   1     a      no    no  draining      2046         291      none  0x0007\n",
        "   2     b     yes   yes  up            2046         291      1110  0x0007\n",
    };
    for (unsigned n = 0; n < sizeof lines / sizeof lines[0]; n++)
        ck_assert_msg(strstr(output, lines[n]) != NULL, "expected:\n%s\nin:\n%s", lines[n], output);
    ck_assert_ptr_null(strstr(output, "PADDED")); /* never happened */
    r.value[0x4140 / 4] = r.value[0x496c / 4] = 0;
    ck_assert_int_eq(command("errors"), 0);
    ck_assert_ptr_nonnull(strstr(output, "\nevents by port\nnone\n"));
    r.value[1] = 3; /* without counters only the existing registers */
    ck_assert_int_eq(sx_open(&sw, &platform), 0);
    ck_assert_int_eq(command("all"), 0);
    ck_assert_ptr_nonnull(strstr(output, "without counters"));
    ck_assert_ptr_nonnull(strstr(output, "\nweights\n"));
    ck_assert_ptr_null(strstr(output, "packets forwarded"));
}

TEST(a_dump_shows_the_same_tables_later)
{
    static sx_dump_image image;
    unsigned line;
    ck_assert_int_eq(command("all"), 0);
    char *tables = strdup(output);
    ck_assert_int_eq(command("dump"), 0);
    ck_assert_ptr_nonnull(strstr(output, "\n4404 000007d1 FLOW_WORDS[1] of port 1\n"));
    ck_assert_ptr_nonnull(strstr(output, "\n496c 0000004d DRAINED of port 2\n"));
    FILE *f = fmemopen(output, strlen(output), "r");
    ck_assert_int_eq(sx_dump_read(&image, f, &line), 0);
    fclose(f);
    struct sx_platform dump = sx_dump_platform(&image);
    ck_assert_int_eq(sx_open(&sw, &dump), 0);
    ck_assert_int_eq(command("all"), 0);
    ck_assert_str_eq(output, tables);
    ck_assert_int_eq(command("clear"), -1);
    ck_assert_str_eq(sw.error, "this is a dump: register 0x000c cannot be written");
    free(tables);
    static char bad[] = "# a comment\n0000 53580100\n0001 5\n";
    f = fmemopen(bad, strlen(bad), "r");
    ck_assert_int_eq(sx_dump_read(&image, f, &line), -1);
    ck_assert_uint_eq(line, 3);
    fclose(f);
}

TEST(settings_and_tables_may_be_requested_separately)
{
    which = SX_SETTINGS;
    ck_assert_int_eq(command("weight 0 1 20 weights all"), 0);
    ck_assert_str_eq(output, "");
    ck_assert_uint_eq(r.value[0x4184 / 4], 20);
    ck_assert_int_eq(command("weight 0 1 20 weihgts"), -1);
    which = SX_SHOWS;
    ck_assert_int_eq(command("weight 0 1 30 weights"), 0);
    ck_assert_ptr_nonnull(strstr(output, "\nweights\n"));
    ck_assert_uint_eq(r.value[0x4184 / 4], 20);
    which = SX_SETTINGS | SX_SHOWS;
}

/* Offsets and bits worked out by hand from the map: BUILD bit 10; port 2 from 0x4800 on. */
TEST(a_trace_is_set_up_by_its_registers)
{
    r.value[1] = 0x503;
    ck_assert_int_eq(sx_open(&sw, &platform), 0);
    ck_assert_int_eq(command("trace-start 2 HEADER_ERRORS,CODE_ERRORS 100"), 0);
    ck_assert_uint_eq(r.value[0x4a04 / 4], 0x8001);
    ck_assert_uint_eq(r.value[0x4a08 / 4], 100);
    ck_assert_uint_eq(r.value[0x4a00 / 4], 0x11); /* round and round */
    r.value[0x4a00 / 4] = 0x2311;                 /* both points record, port 2 */
    ck_assert_int_eq(command("traces"), 0);
    ck_assert_ptr_nonnull(strstr(output, "with counters and traces;"));
    ck_assert_ptr_nonnull(
        strstr(output, "\n    a     0  stopped    -\n    b     2  running    to be: HEADER_ERRORS CODE_ERRORS, 100 "
                       "entries behind it\n"));
    r.value[0x4a00 / 4] = 0x2012;
    r.value[0x4a0c / 4] = 0x8000;
    ck_assert_int_eq(command("all"), 0);
    ck_assert_ptr_nonnull(strstr(output, "\n    b     2  frozen     CODE_ERRORS, 100 entries behind it\n"));
    ck_assert_int_eq(command("trace-start 2 full 0"), 0);
    ck_assert_uint_eq(r.value[0x4a04 / 4], 0);
    ck_assert_uint_eq(r.value[0x4a00 / 4], 1);
    ck_assert_int_eq(command("trace-start 1 any 0 trace-freeze 1"), 0);
    ck_assert_uint_eq(r.value[0x4604 / 4], 0xfe7f); /* all but the two of check records */
    ck_assert_uint_eq(r.value[0x4600 / 4], 2);
    static const struct {
        const char *command, *error;
    } wrong[] = {
        {"trace-start 3 any 0", "port 3: expected 0 to 2"},
        {"trace-start 0 any 1024", "1024 entries kept, expected 0 to 1023"},
        {"trace-start 0 PADED 0",
         "trace-start: 'PADED': expected any, none, full, or events with commas between them, such as "
         "HEADER_ERRORS,PADDED"},
        {"trace-start 0 PADDED, 0",
         "trace-start: 'PADDED,': expected any, none, full, or events with commas between them, such as "
         "HEADER_ERRORS,PADDED"},
        {"trace-take 1",
         "the memories of its clock hold a trace of port 0, not of port 1: a clock traces one port at a time"},
        {"trace-save 0", "trace-save: expected PORT FILE"},
        {"trace-save 0 /nothere/x", "/nothere/x: No such file or directory"},
    };
    for (unsigned i = 0; i < COUNT(wrong); i++) {
        ck_assert_int_eq(command(wrong[i].command), -1);
        ck_assert_str_eq(sw.error, wrong[i].error);
    }
    r.value[1] = 0x103;
    ck_assert_int_eq(sx_open(&sw, &platform), 0);
    ck_assert_int_eq(command("trace-start 0 any 0"), -1);
    ck_assert_ptr_nonnull(strstr(sw.error, "built without tracing memories"));
    ck_assert_int_eq(command("traces"), 0);
    ck_assert_ptr_null(strstr(output, "frozen by"));
}

/* Wherever the answers stop, the reason is reported. */
TEST(no_answer_is_an_error)
{
    ck_assert_int_eq(command("all"), 0);
    unsigned accesses = r.reads;
    for (unsigned n = 1; n < accesses; n += 1 + n / 8) {
        r.silent_from = r.reads + r.writes + n;
        ck_assert_int_eq(command("all"), n < accesses - 3 ? -1 : 0);
        if (n < accesses - 3) ck_assert_ptr_nonnull(strstr(sw.error, "no answer to a read of register 0x"));
    }
    r.silent_from = 1;
    ck_assert_int_eq(command("clear"), -1);
    ck_assert_str_eq(sw.error, "no answer to a write of register 0x000c");
    ck_assert_int_eq(sx_open(&sw, &platform), -1);
}

/* The two ends of a line, the far one in a process of its own. */
TEST(a_line_carries_reads_and_writes)
{
    int ends[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        FILE *from = fdopen(ends[1], "r"), *to = fdopen(dup(ends[1]), "w");
        fputs("\nr 0\n", to); /* noise as of a terminal that echoes */
        sx_line_serve(&platform, from, to);
        _exit(0);
    }
    close(ends[1]);
    sx_line line = {.from = fdopen(ends[0], "r"), .to = fdopen(dup(ends[0]), "w")};
    struct sx_platform far = sx_line_platform(&line);
    uint32_t value;
    ck_assert_int_eq(sx_open(&sw, &far), 0);
    ck_assert_uint_eq(sw.ports, 3);
    ck_assert_int_eq(command("weight 1 2 200 weights"), 0);
    ck_assert_ptr_nonnull(strstr(output, "        2          3        200          3\n"));
    /* nothing of a line that is too long, or not one of these, is done */
    fprintf(line.to, "what\nr -4\n%130s\n", "w c 1");
    char text[64];
    fflush(line.to);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_nonnull(fgets(text, sizeof text, line.from));
        ck_assert_str_eq(text, "error expected r OFFSET or w OFFSET VALUE\n");
    }
    signal(SIGPIPE, SIG_IGN);
    shutdown(ends[0], SHUT_RDWR);
    ck_assert_int_eq(far.read32(far.self, 0, &value), -1);
    waitpid(child, NULL, 0);
    fclose(line.to);
    fclose(line.from);
}

/* ---- the tool nxstat */

static void dump(const char *name)
{
    FILE *f = shell_file(name, "w");
    ck_assert_int_eq(sx_dump(&sw, f), 0);
    fclose(f);
    shell_program("nxstat");
}

TEST(a_dump_is_shown_in_words_and_with_a_later_one)
{
    dump("before");
    ck_shell_says(0, "switch: 3 ports\n", "$P $D/before");
    ck_output_has("\nFLOW_WORDS[1] of port 1          2001  words forwarded");
    ck_output_has("\nPORT_VIEW of port 2        0x00123456  the transmitter");
    ck_output_has("\n    TRANSMITTED                   291  units transmitted");
    ck_output_has("\nDRAINED of port 2                  77  packets drained");
    ck_output_lacks("PADDED");
    ck_shell_says(0, "\nPADDED of port 2                    0  truncated packets", "$P --all $D/before");
    ck_shell_says(0, "switch: 3 ports\nnothing moved\n", "$P $D/before $D/before");
    r.value[0x496c / 4] += 3;
    r.value[0x4040 / 4] = 0;
    r.value[0x41cc / 4] = 0xb;
    dump("after");
    ck_shell_says(0, "switch: 3 ports\nFLOW_PACKETS[0] of port 0  10 -> 0, cleared or wrapped around: packets",
                  "$P $D/before $D/after");
    ck_output_has("\nPORT_STATUS of port 0.DOWN 0 -> 1: ");
    ck_output_has("\nDRAINED of port 2          77 -> 80, +3: ");
    unsigned lines = 0;
    for (const char *c = shell_output; *c; c++) lines += *c == '\n';
    ck_assert_uint_eq(lines, 4);
}

TEST(a_dump_that_is_not_whole_is_refused)
{
    dump("whole");
    ck_shell_says(2, "cut off: expected a line 4008 VALUE FLOW_WORDS[2] of port 0\n",
                  "head -n 9 $D/whole > $D/cut; $P $D/cut");
    /* the comment is read to its end */
    ck_shell_says(0, "switch: 3 ports", "{ printf '#%%0300d 0000 0\\n' 0; cat $D/whole; } > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 1: cut off, or no dump of a switch", "echo '0 -1 X' > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 10: cut off, or no dump of a switch",
                  "head -n 9 $D/whole > $D/cut; printf 4008 >> $D/cut; $P $D/cut");
    ck_shell_says(2, "this is no switch", "sed 's/^0000 5358/0000 4e58/' $D/whole > $D/cut; $P $D/cut");
    ck_shell_says(2, "major version 2, expected 1", "sed 's/^0000 535801/0000 535802/' $D/whole > $D/cut; $P $D/cut");
}

/* A terminal line: $P talks to one end, the switch sits at the other one, and stops after this many answers. */
TEST(a_switch_at_a_line_is_watched_until_it_does_not_answer)
{
    int end, far;
    char name[64];
    struct termios raw = {0};
    cfmakeraw(&raw);
    ck_assert_int_eq(openpty(&end, &far, name, &raw, NULL), 0);
    setenv("L", name, 1);
    pid_t child = fork();
    if (child == 0) {
        FILE *from = fdopen(end, "r"), *to = fdopen(dup(end), "w");
        r.silent_from = r.reads + 400; /* in the third look at all registers of 3 ports */
        sx_line_serve(&platform, from, to);
        _exit(0);
    }
    shell_program("nxstat");
    ck_shell_says(1, "DRAINED of port 2                  77  packets", "$P --watch 1 line:$L");
    ck_output_has("switch: 3 ports\nnothing moved\n");
    ck_output_has("nxstat: line:/dev/pts/");
    ck_output_has(": no answer to a read of register 0x");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(far);
    close(end);
}
