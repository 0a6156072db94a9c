/* A disk over RDMA for third-party programs: nbdcopy, fio, nbdinfo; and refusals of bad input. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"
#include "test.h"

RUNS("disk");
RUNS("nbd-plugin.so");
#define KILL "${PYTHON:-python3} -S scripts/tool.py diskkill "
TEST_CASE("disk", .timeout = 120, .teardown = shell_clean);

/* A disk of this many bytes, and random bytes of the same size; $B is the program, with them and its results in $D. */
static void disk(unsigned bytes)
{
    shell_program("disk");
    (void)shell_folder();
    ck_assert_int_eq(shell("truncate -s %u $D/disk && head -c %u /dev/urandom > $D/random", bytes, bytes), 0);
    shell_put("run", "exec timeout -k 5 100 $P --image $D/disk --out $D \"$@\"");
}

/* The part of a run's results that another run with the same requests repeats. */
#define SAME "sed '/wall/d' $D/disk.json"
#define RUN(code, text, ...) ck_shell_says(code, text, "sh $D/run " __VA_ARGS__)

TEST(nbdcopy_copies_both_ways_and_fio_verifies)
{
    disk(1 << 20);
    RUN(0, "GOOD: results in",
        "--run 'nbdcopy --flush $D/random \"$uri\" && cmp $D/random $D/disk && nbdcopy \"$uri\" $D/back && cmp "
        "$D/random $D/back && "
        "fio --name=v --ioengine=nbd --uri=\"$uri\" --rw=randrw --bs=4k --size=256k --iodepth=8 --verify=crc32c "
        "--verify_state_save=0 "
        "--minimal > $D/fio'");
    ck_output_has("rates and latencies are in simulated time");
    /* Nothing went around: the NICs' own counters saw more leave than was copied. */
    ck_assert_int_eq(shell("awk '/\"out\":/ { sent += 8 * $2 } END { exit !(sent >= 2 * 1048576) }' $D/disk.json"), 0);
    ck_assert_int_eq(shell("test -s $D/disk.json && ! test -e $D/disk.sock"), 0);
}

TEST(clients_get_the_properties_of_the_disk)
{
    disk(65536);
    RUN(0, "host 1: nbd+unix:///host1?socket=",
        "--nodes 4 --run 'for u in \"$uri\" \"$uri1\" \"$uri3\"; do nbdinfo \"$u\"; done; nbdinfo --map \"$uri\"'");
    static const char *const texts[] = {"export-size: 65536",
                                        "can_flush: true",
                                        "can_fua: true",
                                        "can_trim: true",
                                        "can_zero: true",
                                        "can_multi_conn: true",
                                        "is_read_only: false",
                                        "block_size_minimum: 512\n",
                                        "block_size_preferred: 4096",
                                        "block_size_maximum: 33554432",
                                        "65536    0  data", /* all of the file is a hole */
                                        "host 3: nbd+unix:///host3?socket=",
                                        "export=\"host3\""};
    for (int i = 0; i < COUNT(texts); i++) ck_output_has(texts[i]);
}

/* A port that is free. */
static void port(void)
{
    shell_put(
        "port",
        "for p in $(seq 31000 31099); do (exec 3<>/dev/tcp/127.0.0.1/$p) 2>/dev/null || { echo $p; break; }; done");
}

/* Requests that libraries refuse to send, byte by byte: raw HOST read|write OFFSET LENGTH prints the error number of
 * the answer. */
static void raw(void)
{
    shell_put("raw", "exec 3<>/dev/tcp/127.0.0.1/$(echo \"$uri\" | sed 's|.*:||; s|/.*||')\n"
                     "number() { printf \"%0*x\" $(($2 * 2)) $(($1)) | sed 's/../\\\\x&/g'; }\n"
                     "[ $2 = read ]; write=$?\n"
                     "head -c 18 <&3 >/dev/null\n" /* both sides' magic; flags of the client; the export by its name */
                     "printf \"$(number 3 4)IHAVEOPT$(number 1 4)$(number 5 4)$1\" >&3\n"
                     "head -c 10 <&3 >/dev/null\n" /* size and flags */
                     "printf \"$(number 0x25609513 4)$(number 0 2)$(number $write 2)$(number 7 8)$(number $3 "
                     "8)$(number $4 4)\" >&3\n"
                     "[ $write = 0 ] || head -c $4 /dev/zero | tr '\\0' Z >&3\n"
                     "head -c 8 <&3 | od -An -j4 -tx1\n");
}

/* Two connections to host 1. One writes, reads until the target has crashed with the data written, and both flush
 * twice. A third one, that comes then, also flushes. */
TEST(a_loss_is_reported_to_every_connection_by_its_next_flush)
{
    disk(65536);
    port();
    shell_put(
        "flushes",
        "number() { printf \"%0*x\" $(($2 * 2)) $(($1)) | sed 's/../\\\\x&/g'; }\n"
        "connect() { eval \"exec $1<>/dev/tcp/127.0.0.1/$(echo \"$uri\" | sed 's|.*:||; s|/.*||')\"; head -c 18 <&$1 "
        ">/dev/null\n"
        "    printf \"$(number 3 4)IHAVEOPT$(number 1 4)$(number 5 4)host1\" >&$1; head -c 10 <&$1 >/dev/null; }\n"
        "call() { printf \"$(number 0x25609513 4)$(number 0 2)$(number $2 2)$(number 7 8)$(number 0 8)$(number $3 "
        "4)\"; }\n"
        "answer() { echo $(head -c 16 <&$1 | od -An -j7 -N1 -tu1); }\n"
        "flush() { call $1 3 0 >&$1; answer $1; }\n"
        "connect 3; connect 4\n"
        "{ call 3 1 512; head -c 512 /dev/zero | tr '\\0' Z; } >&3; answer 3\n"
        "call 3 0 512 >$D/read\n"
        "for i in $(seq 40); do cat $D/read >&3; answer 3; head -c 512 <&3 >/dev/null; done | sort | uniq -c\n"
        "echo flushes: $(flush 3) $(flush 4) $(flush 3) $(flush 4) $(connect 5; flush 5)\n");
    RUN(0, "flushes: 5 5 0 0 0\n",
        "--port $(bash $D/port) --faults 'crash target at 500us for 100us' --run 'bash $D/flushes'");
    ck_output_has("40 0\n");
    ck_output_has("fault: crash target at 500us for 100us: struck");
}

/* Three initiators: one reads data that another wrote; a write of a part of a sector keeps the rest; requests beyond
 * the end fail. */
TEST(what_one_host_writes_another_one_reads)
{
    disk(65536);
    port();
    raw();
    RUN(0, "GOOD",
        "--nodes 4 --port $(bash $D/port) --run 'nbdcopy $D/random \"$uri1\" && nbdcopy \"$uri2\" $D/back && cmp "
        "$D/random $D/back && "
        "for what in \"write 300 100\" \"write 65536 512\" \"write 65024 1024\" \"read 65024 1024\"; do "
        "echo $what: $(bash $D/raw host3 $what); done; "
        "nbdcopy \"$uri1\" $D/back && cmp -n 300 $D/random $D/back && cmp -i 400 $D/random $D/back && "
        "test $(tail -c +301 $D/back | head -c 100 | tr -d Z | wc -c) = 0'");
    ck_output_has("write 300 100: 00 00 00 00\n");
    ck_output_has("write 65536 512: 00 00 00 1c\n"); /* ENOSPC */
    ck_output_has("write 65024 1024: 00 00 00 1c\n");
    ck_output_has("read 65024 1024: 00 00 00 16\n"); /* EINVAL */
}

TEST(a_port_of_this_machine_alone)
{
    disk(65536);
    port();
    RUN(0, "nbd://127.0.0.1:",
        "--port $(bash $D/port) --run 'nbdinfo \"$uri\" && p=${uri##*:} && ! build/nicxbar check disk PORT=${p%%/*} "
        "OUT=$D'");
    ck_output_has("in use; expected a port of 127.0.0.1 that is free");
    ck_output_has("export-size: 65536");
    shell_put("again", "$P --image $D/random --out $D --port $(echo \"$uri\" | sed 's|.*:||; s|/.*||') 2>&1");
    RUN(2, "in use; expected no other make disk with it", "--run 'sh $D/run --run true'");
    RUN(2, "expected a port of 127.0.0.1 that is free", "--port $(bash $D/port) --run 'sh $D/again'");
}

TEST(the_exit_code_is_that_of_the_command)
{
    disk(65536);
    RUN(7, "RUN has ended: code 7", "--run 'exit 7'");
    RUN(137, "RUN has ended: code 137", "--run 'kill -9 $$'");
    /* The line that runs the requests again does, without clients. */
    RUN(3, "again: make disk IMAGE=", "--run 'nbdcopy $D/random \"$uri\"; exit 3'");
    shell_put("output", shell_output);
    ck_assert_int_eq(
        shell("sed -n 's/^again: make disk //p' $D/output > $D/again && %s > $D/first && truncate -s 0 $D/disk && "
              "truncate -s 65536 $D/disk",
              SAME),
        0);
    ck_shell_says(0, "GOOD",
                  "eval \"$(cat $D/again)\"; test $WAVES = 1 && sh $D/run --image $IMAGE --nodes $NODES --seed $SEED "
                  "--replay $REPLAY");
    ck_assert_int_eq(shell("cmp $D/random $D/disk && %s | diff $D/first - >&2", SAME), 0);
}

/* Ctrl-C while a copy is under way: pending requests end with ESHUTDOWN, written data are in the file. */
TEST(ctrl_c_ends_requests_and_saves_what_was_written)
{
    disk(4 << 20);
    RUN(130, "INTERRUPTED: all that was written is in",
        "--run 'fio --name=w --ioengine=nbd --uri=\"$uri\" --rw=write --bs=64k --size=64k --buffer_pattern=0x5a "
        "--minimal > $D/fio; "
        "nbdcopy \"$uri\" $D/back 2> $D/copy & sleep 0.3; kill -INT $PPID; wait'");
    ck_output_has("ms simulated");
    ck_assert_int_eq(shell("grep -q 'transport endpoint shutdown' $D/copy"), 0);
    ck_assert_int_eq(shell("test $(head -c 65536 $D/disk | tr -d Z | wc -c) = 0"), 0);
}

/* The command does not end when it is asked to: the first Ctrl-C waits for it, the second one does not. */
TEST(a_second_ctrl_c_kills)
{
    disk(65536);
    RUN(130, "host 1:", "--run 'trap : TERM; kill -INT $PPID; sleep 0.5; kill -INT $PPID; sleep 1'");
    ck_output_lacks("INTERRUPTED");
    ck_assert_int_eq(shell("test -e $D/disk.json"), 1);
}

TEST(nbdkit_that_ends_by_itself_is_not_taken_for_the_command)
{
    disk(65536);
    RUN(1, "BAD: nbdkit has ended, see above; results in",
        "--run 'until [ $nbdkit ]; do for p in /proc/[0-9]*; do read -r name < $p/comm; test \"$name\" = nbdkit && " /* it may not be yet */
        "grep -q \"^PPid:.$PPID$\" $p/status && nbdkit=${p#/proc/}; done; done; kill -9 $nbdkit; exec sleep 60' 2>&1");
    ck_output_has("nbdkit has ended by itself, with code 137");
}

TEST(a_terminal_sees_progress)
{
    disk(65536);
    RUN(0, "GOOD", "--run 'nbdcopy $D/random \"$uri\"; sleep 1.2'");
    ck_output_lacks("stopped   ");
    ck_shell_says(0, "1 requests, 0.1 MiB, ",
                  "script -qec \"sh $D/run --run 'nbdcopy $D/random \\\"\\$uri\\\"; sleep 1.2'\" $D/terminal");
    ck_output_has("stopped   ");
}

TEST(after_kill_9_the_next_run_finds_what_was_flushed)
{
    disk(65536);
    ck_assert_int_ne(shell_says("sh $D/run --run 'nbdcopy --flush $D/random \"$uri\" && kill -9 $PPID; sleep 5'"), 0);
    ck_assert_int_eq(shell("test -S $D/disk.sock && cmp $D/random $D/disk"), 0);
    RUN(0, "GOOD", "--run 'nbdcopy \"$uri\" $D/back && cmp $D/random $D/back'");
}

/* A client that is connected and asks for nothing does not keep the address of a simulator that was killed. */
TEST(after_kill_9_clients_that_stay_do_not_keep_the_port)
{
    disk(65536);
    port();
    shell_put("stay", "exec 3<>/dev/tcp/127.0.0.1/$2\nhead -c 18 <&3 >/dev/null\n"
                      "printf '\\0\\0\\0\\3IHAVEOPT\\0\\0\\0\\1\\0\\0\\0\\5host1' >&3\nhead -c 10 <&3 >/dev/null\n"
                      "trap '' TERM\nkill -9 $1\nexec sleep 4\n");
    shell_put("twice", "p=$(bash $D/port)\nsh $D/run --port $p --run \"exec bash $D/stay \\$PPID $p\"\n"
                       "sh $D/run --port $p --run 'echo served'\n");
    ck_shell_says(0, "served", "sh $D/twice");
}

TEST(a_disk_that_shrinks_gives_an_error_and_service_goes_on)
{
    disk(65536);
    RUN(0, "GOOD",
        "--run 'truncate -s 4096 $D/disk; ! nbdcopy \"$uri\" $D/back && "
        "fio --name=r --ioengine=nbd --uri=\"$uri\" --rw=read --bs=4k --size=4k --minimal > $D/fio'");
    ck_output_has("Input/output error");
}

/* The message of a full file system: with the limit for files the same comes from the kernel. */
TEST(a_full_disk_gives_an_error_and_service_goes_on)
{
    disk(262144);
    for (int back = 0; back < 2; back++) {
        ck_shell_says(back, back ? "BAD: the image differs from the data written" : "GOOD",
                      "trap '' XFSZ; ulimit -f 64; sh $D/run --cache %s --record /dev/null --run '! nbdcopy --flush "
                      "$D/random \"$uri\" && "
                      "fio --name=r --ioengine=nbd --uri=\"$uri\" --rw=randrw --bs=4k --size=16k --minimal > $D/fio'",
                      back ? "writeback" : "writethrough");
        ck_output_has("the request ends with an error, the service goes on");
        ck_output_has("No space left on device");
    }
    ck_output_has("bytes that clients have written are not in");
}

/* Root may read and write everything, unless it drops its capabilities. */
TEST(a_file_that_cannot_be_written_is_read_only_and_one_that_cannot_be_read_is_refused)
{
    disk(65536);
    shell_put("as", "[ $(id -u) != 0 ] || as='setpriv --bounding-set=-dac_override,-dac_read_search'; exec $as \"$@\"");
    ck_assert_int_eq(
        shell("cp $D/random $D/disk && chmod 444 $D/disk && sh $D/as build/nicxbar check disk IMAGE=$D/disk OUT=$D"),
        0);
    ck_shell_says(0, "0.1 MiB, read-only (the file cannot be written), host 0 serves it",
                  "sh $D/as sh $D/run --run 'nbdinfo \"$uri\"; nbdcopy \"$uri\" $D/back && cmp $D/back $D/random; "
                  "! nbdcopy $D/random \"$uri\"'");
    ck_output_has("is_read_only: true");
    ck_assert_int_eq(shell("chmod 000 $D/disk"), 0);
    ck_shell_says(1, "it cannot be read; expected a file that can",
                  "sh $D/as build/nicxbar check disk IMAGE=$D/disk OUT=$D");
    ck_shell_says(1, "Permission denied; expected a file that can be read", "sh $D/as sh $D/run --run true");
}

/* Flushed sectors survive SIGKILL, others are whole; the check of that, fed its fault. make disk-test does it 50 times.
 */
TEST(clients_and_simulators_that_are_killed)
{
    disk(65536);
    ck_shell_says(0, "1 of 1 good: what was flushed is there", KILL "$P $D 1 1 client");
    ck_shell_says(0, "2 of 2 good: what was flushed is there", KILL "$P $D 2 1 simulator");
    ck_shell_says(0, "1 of 1 good: flushed data are on the disk", KILL "$P $D 1 1 target");
    ck_assert_int_eq(
        shell("cp $D/random $D/mixed && head -c 512 $D/disk | dd of=$D/mixed bs=512 seek=9 conv=notrunc 2>$D/dd"), 0);
    ck_assert_int_eq(shell(KILL "check $D/disk $D/random $D/mixed"), 0);
    ck_assert_int_eq(shell("head -c 100 $D/disk | dd of=$D/mixed bs=1 seek=10000 conv=notrunc 2>$D/dd"), 0);
    ck_shell_says(1, "sector 19 is neither the old one nor the new one", KILL "check $D/disk $D/random $D/mixed");
}

TEST(a_record_is_the_same_run_again)
{
    disk(65536);
    RUN(0, "GOOD", "--record $D/record --run 'nbdcopy $D/random \"$uri\" && nbdcopy \"$uri\" $D/back'");
    ck_assert_int_eq(shell("%s > $D/first && truncate -s 0 $D/disk && truncate -s 65536 $D/disk", SAME), 0);
    RUN(0, "GOOD", "--replay $D/record");
    ck_assert_int_eq(shell("cmp $D/random $D/disk && %s | diff $D/first - >&2", SAME), 0);
    ck_assert_int_eq(shell("head -n 3 $D/record > $D/short"), 0);
    RUN(2, "expected a whole record", "--replay $D/short");
    ck_assert_int_eq(shell("sed '1s/ [0-9]*$/ 0/' $D/record > $D/old"), 0);
    RUN(2, "expected a record of this version", "--replay $D/old");
}

TEST(options_that_cannot_be_are_refused_in_one_line)
{
    static const struct {
        const char *options, *says;
    } cases[] = {
        {"--image $D/none", "image"},
        {"--image $D", "image"},
        {"--image $D/empty", "0 bytes, expected a multiple of 512"},
        {"--image $D/odd", "1000 bytes, expected a multiple of 512"},
        {"--nodes 1", "expected 2 to 4"},
        {"--nodes 5", "expected 2 to 4"},
        {"--poll 2", "expected 0 or 1"},
        {"--queues ring", "expected pending or pointers"},
        {"--cache none", "expected writeback or writethrough"},
        {"--disk fast", "expected latency [us] and rate [MiB/s]"},
        {"--disk 1,2,3", "expected latency [us] and rate [MiB/s]"},
        {"--faults burn", "expected one of cut, packet, credit, crash, dead, dma"},
        {"--faults 'cut host2 at 1ms for 1us'", "expected target or host0..host1"},
        {"--host-cost 5", "expected nanoseconds of an interrupt and of a request"},
        {"--port 0", "expected a port"},
        {"--replay $D/none", "expected a record that can be read"},
        {"--replay $D/run --run true", "expected no run, port or record with it"},
        {"--out "
         "$D/"
         "a-name-of-more-than-a-hundred-characters-is-no-place-for-a-socket-because-its-path-has-to-fit-into-a-small-"
         "field",
         "expected a path of less than 108 characters"},
        {"--out $D/none", "socket"},
        {"--record $D/none/record --run true", "record"},
        {"--frobnicate", "expected an option"},
    };
    disk(4096);
    ck_assert_int_eq(shell("truncate -s 1000 $D/odd; truncate -s 0 $D/empty"), 0);
    for (int i = 0; i < COUNT(cases); i++) {
        ck_shell_fails(cases[i].says, "sh $D/run %s", cases[i].options);
        ck_assert_msg(!strchr(shell_output, '\n') || !strchr(shell_output, '\n')[1], "%s: more than a line: %s",
                      cases[i].options, shell_output);
    }
}

/* make disk refuses them before it builds anything. */
TEST(variables_that_cannot_be_are_refused_before_anything_is_built)
{
    static const struct {
        const char *variables, *says;
    } cases[] = {
        {"IMAGE=$D/none", "no such file; expected one"},
        {"IMAGE=$D", "expected a regular file"},
        {"IMAGE=$D/empty", "0 bytes; expected a multiple of 512"},
        {"IMAGE=$D/odd", "1000 bytes; expected a multiple of 512"},
        {"NODES=5", "expected 2 to 4"},
        {"POLL=x", "expected 0 or 1"},
        {"QUEUES=x", "expected pending or pointers"},
        {"CACHE=x", "expected writeback or writethrough"},
        {"DISK=1", "expected latency [us] and rate"},
        {"HOST_COST=1", "expected nanoseconds"},
        {"PORT=70000", "expected a port"},
        {"RUN='no-such-command x'", "there is no command no-such-command"},
        {"RUN='if'", "expected a command that sh understands"},
        {"FAULTS='cut host1 at 1ms for ever; burn at 2ms'",
         "column 28: 'burn', expected one of cut, packet, credit, crash, dead, dma"},
        {"FAULTS='cut host2 at 1ms for 1us'", "column 5: 'host2', expected target or host0..host1"},
        {"FAULTS='packet target drop at 4ms for 1us'", "column 27: 'for', expected times, ; or the end"},
        {"REPLAY=$D/none", "expected a record that can be read"},
        {"REPLAY=$D/odd", "expected a record of this version"},
        {"REPLAY=$D/short", "it is not whole"},
        {"REPLAY=$D/short RUN=true", "expected no run, port or record with it"},
        {"RECORD=$D/none/x", "expected a file that can be written"},
    };
    disk(4096);
    shell_put("short", "nicxbar-block 3\n1 2");
    ck_assert_int_eq(shell("truncate -s 1000 $D/odd; truncate -s 0 $D/empty"), 0);
    for (int i = 0; i < COUNT(cases); i++) {
        ck_shell_says(1, cases[i].says, "build/nicxbar check disk %s OUT=$D", cases[i].variables);
        ck_assert_msg(!strchr(shell_output, '\n')[1], "%s: more than a line: %s", cases[i].variables, shell_output);
    }
    ck_assert_int_eq(
        shell_says("build/nicxbar check disk IMAGE=$D/disk NODES=4 DISK=0,0 RUN='nbdcopy \"$uri\" x' OUT=$D"), 0);
}
