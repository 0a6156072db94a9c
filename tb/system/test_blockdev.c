/* A disk over RDMA for programs that nobody here wrote: nbdcopy, fio, nbdinfo. And what bad input gets. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"
#include "test.h"

RUNS("blockdev");
RUNS("nbd-plugin.so");
TEST_CASE("blockdev", .timeout = 120, .teardown = shell_clean);

/* A disk of so many bytes, and random bytes of the same size; $B is the program, with them and its results in $D. */
static void disk(unsigned bytes)
{
    shell_program("blockdev");
    (void)shell_folder();
    ck_assert_int_eq(shell("truncate -s %u $D/disk && head -c %u /dev/urandom > $D/random", bytes, bytes), 0);
    shell_put("run", "exec timeout -k 5 100 $P --image $D/disk --out $D \"$@\"");
}

#define RUN(code, text, ...) ck_shell_says(code, text, "sh $D/run " __VA_ARGS__)

TEST(nbdcopy_copies_both_ways_and_fio_verifies)
{
    disk(1 << 20);
    RUN(0, "GOOD: results in",
        "--run 'nbdcopy --flush $D/random \"$uri\" && cmp $D/random $D/disk && nbdcopy \"$uri\" $D/back && cmp $D/random $D/back && "
        "fio --name=v --ioengine=nbd --uri=\"$uri\" --rw=randrw --bs=4k --size=256k --iodepth=8 --verify=crc32c --verify_state_save=0 "
        "--minimal > $D/fio'");
    ck_output_has("rates and latencies are of simulated time");
    /* Nothing went around: the NICs' own counters saw more leave than was copied. */
    ck_assert_int_eq(shell("awk '/\"out\":/ { sent += 8 * $2 } END { exit !(sent >= 2 * 1048576) }' $D/blockdev.json"), 0);
    ck_assert_int_eq(shell("test -s $D/blockdev.json && ! test -e $D/blockdev.sock"), 0);
}

TEST(what_clients_are_told_of_the_disk)
{
    disk(65536);
    RUN(0, "host 1: nbd+unix:///host1?socket=", "--nodes 4 --run 'for u in \"$uri\" \"$uri1\" \"$uri3\"; do nbdinfo \"$u\"; done'");
    static const char *const texts[] = {"export-size: 65536",
                                        "can_flush: true",
                                        "can_fua: true",
                                        "can_trim: true",
                                        "can_zero: true",
                                        "can_multi_conn: true",
                                        "is_read_only: false",
                                        "block_size_minimum: 1\n",
                                        "block_size_preferred: 4096",
                                        "block_size_maximum: 33554432",
                                        "host 3: nbd+unix:///host3?socket=",
                                        "export=\"host3\""};
    for (int i = 0; i < COUNT(texts); i++) ck_output_has(texts[i]);
}

/* Three initiators, what one writes another reads; a part of a sector keeps what is beside it. */
TEST(what_one_host_writes_another_one_reads)
{
    disk(65536);
    RUN(0, "GOOD",
        "--nodes 4 --run 'nbdcopy $D/random \"$uri1\" && nbdcopy \"$uri2\" $D/back && cmp $D/random $D/back && "
        "fio --name=w --ioengine=nbd --uri=\"$uri3\" --rw=write --bs=100 --size=1k --io_size=100 --offset=300 --buffer_pattern=0x5a "
        "--minimal > $D/fio "
        "&& "
        "nbdcopy \"$uri1\" $D/back && cmp -n 300 $D/random $D/back && cmp -i 400 $D/random $D/back && "
        "test $(tail -c +301 $D/back | head -c 100 | tr -d Z | wc -c) = 0'");
}

TEST(a_port_of_this_machine_alone)
{
    disk(65536);
    shell_put("port", "for p in $(seq 31000 31099); do (exec 3<>/dev/tcp/127.0.0.1/$p) 2>/dev/null || { echo $p; break; }; done");
    RUN(0, "nbd://127.0.0.1:", "--port $(bash $D/port) --run 'nbdinfo \"$uri\"'");
    ck_output_has("export-size: 65536");
    shell_put("again", "$P --image $D/random --out $D --port $(echo \"$uri\" | sed 's|.*:||; s|/.*||') 2>&1");
    RUN(2, "expected a port of 127.0.0.1 that is free", "--port $(bash $D/port) --run 'sh $D/again'");
}

TEST(the_exit_code_is_that_of_the_command)
{
    disk(65536);
    RUN(7, "RUN has ended: code 7", "--run 'exit 7'");
    RUN(137, "RUN has ended: code 137", "--run 'kill -9 $$'");
}

/* Ctrl-C while a copy is under way: what is asked for ends with ESHUTDOWN, what was written is in the file. */
TEST(ctrl_c_ends_requests_and_saves_what_was_written)
{
    disk(4 << 20);
    RUN(130, "INTERRUPTED: all that was written is in",
        "--run 'fio --name=w --ioengine=nbd --uri=\"$uri\" --rw=write --bs=64k --size=64k --buffer_pattern=0x5a --minimal > $D/fio; "
        "nbdcopy \"$uri\" $D/back 2> $D/copy & sleep 0.3; kill -INT $PPID; wait'");
    ck_output_has("ms simulated");
    ck_assert_int_eq(shell("grep -q 'transport endpoint shutdown' $D/copy"), 0);
    ck_assert_int_eq(shell("test $(head -c 65536 $D/disk | tr -d Z | wc -c) = 0"), 0);
}

TEST(after_kill_9_the_next_run_finds_what_was_flushed)
{
    disk(65536);
    ck_assert_int_ne(shell_says("sh $D/run --run 'nbdcopy --flush $D/random \"$uri\" && kill -9 $PPID; sleep 5'"), 0);
    ck_assert_int_eq(shell("test -S $D/blockdev.sock && cmp $D/random $D/disk"), 0);
    RUN(0, "GOOD", "--run 'nbdcopy \"$uri\" $D/back && cmp $D/random $D/back'");
}

TEST(a_disk_that_shrinks_gives_an_error_and_service_goes_on)
{
    disk(65536);
    RUN(0, "GOOD",
        "--run 'truncate -s 4096 $D/disk; ! nbdcopy \"$uri\" $D/back && "
        "fio --name=r --ioengine=nbd --uri=\"$uri\" --rw=read --bs=4k --size=4k --minimal > $D/fio'");
    ck_output_has("Input/output error");
}

TEST(a_record_is_the_same_run_again)
{
    disk(65536);
    RUN(0, "GOOD", "--record $D/record --run 'nbdcopy $D/random \"$uri\" && nbdcopy \"$uri\" $D/back'");
    ck_assert_int_eq(shell("sed '/wall/d' $D/blockdev.json > $D/first && truncate -s 0 $D/disk && truncate -s 65536 $D/disk"), 0);
    RUN(0, "GOOD", "--replay $D/record");
    ck_assert_int_eq(shell("cmp $D/random $D/disk && sed '/wall/d' $D/blockdev.json | diff $D/first - >&2"), 0);
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
        {"--fault burn", "expected cut, lose, flip, crash, dead or dma"},
        {"--fault 'cut host2 at 1ms'", "expected target, or the number of a host that is there"},
        {"--host-cost 5", "expected nanoseconds of an interrupt and of a request"},
        {"--port 0", "expected a port"},
        {"--replay $D/none", "expected a record that can be read"},
        {"--replay $D/run --run true", "expected no run, port or record beside it"},
        {"--out $D/a-name-of-more-than-a-hundred-characters-is-no-place-for-a-socket-because-its-path-has-to-fit-into-a-small-field",
         "expected a path of less than 108 characters"},
        {"--out $D/none", "socket"},
        {"--record $D/none/record --run true", "record"},
        {"--frobnicate", "expected an option"},
    };
    disk(4096);
    ck_assert_int_eq(shell("truncate -s 1000 $D/odd; truncate -s 0 $D/empty"), 0);
    for (int i = 0; i < COUNT(cases); i++) {
        ck_shell_fails(cases[i].says, "sh $D/run %s", cases[i].options);
        ck_assert_msg(!strchr(shell_output, '\n') || !strchr(shell_output, '\n')[1], "%s: more than a line: %s", cases[i].options,
                      shell_output);
    }
}

/* make blockdev refuses them before it builds anything. */
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
        {"REPLAY=$D/none", "expected a record that can be read"},
        {"REPLAY=$D/odd", "expected a record of this version"},
        {"REPLAY=$D/short", "it is not whole"},
        {"REPLAY=$D/short RUN=true", "expected without RUN"},
        {"RECORD=$D/none/x", "expected a file that can be written"},
    };
    disk(4096);
    shell_put("short", "nicxbar-block 2\n1 2");
    ck_assert_int_eq(shell("truncate -s 1000 $D/odd; truncate -s 0 $D/empty"), 0);
    for (int i = 0; i < COUNT(cases); i++) {
        ck_shell_says(1, cases[i].says, "%s OUT=$D scripts/blockdev.sh", cases[i].variables);
        ck_assert_msg(!strchr(shell_output, '\n')[1], "%s: more than a line: %s", cases[i].variables, shell_output);
    }
    ck_assert_int_eq(shell_says("IMAGE=$D/disk NODES=4 DISK=0,0 RUN='nbdcopy \"$uri\" x' OUT=$D scripts/blockdev.sh"), 0);
}
