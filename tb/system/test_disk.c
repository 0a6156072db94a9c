/* A disk in the simulated world: data written are read back and are in the file, through hosts, NICs and the switch. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disk_bench.h"
#include "shell.h"
#include "sim/app/disk/disk_load.h"
#include "test.h"

TEST_CASE("block", .timeout = 300, .teardown = shell_clean);

enum { COPIED = 192 << 10 };
static uint8_t out[COPIED], in[COPIED];
static disk_words words;
static char error[DISK_SERVICE_ERROR];

/* Copies random bytes in and out, in requests that are parts of places, whole ones and several. */
static void copy(void)
{
    static const uint32_t sizes[] = {512, 4096, 16384, 65536};
    for (uint32_t i = 0; i < COPIED; i++) out[i] = (uint8_t)(sim_random(disk.s->f->s) >> 20);
    memset(in, 0, COPIED);
    for (uint32_t at = 0, i = 0, size; at < COPIED; at += size, i++) {
        size = sizes[i % 4] < COPIED - at ? sizes[i % 4] : COPIED - at;
        disk_ask(1, NX_DISK_WRITE, 4096 + at, size, out + at);
    }
    disk_answer(8);
    for (unsigned i = 0; i < disk.submitted; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    disk_ask(1, NX_DISK_FLUSH, 0, 0, NULL);
    disk_answer(1);
    disk_read_image();
    ck_assert_msg(!memcmp(disk.file + 4096, out, COPIED), "the file differs from the data written");
    for (uint32_t at = 0; at < COPIED; at += 32768) disk_ask(1, NX_DISK_READ, 4096 + at, 32768, in + at);
    disk_answer(4);
    ck_assert_msg(!memcmp(in, out, COPIED), "data read differ from data written");
}

/* By interrupts with flags, by polling with pointers. */
TEST(what_goes_in_comes_out_is_in_the_file_and_went_through_the_nics, .to = 2)
{
    disk_service_params p = disk_params(2);
    p.block.poll = p.block.pointers = _i;
    p.cache = _i ? DISK_WRITETHROUGH : DISK_WRITEBACK;
    p.cache_bytes = 64 << 10;
    disk_serve(p);
    copy();
    /* In lookahead windows: of 224 ns at most. */
    ck_assert_uint_ge(sim_windows(disk.s->f->s).windows, (sim_now(disk.s->f->s) - disk.s->began) / (400 * SIM_NS));
    ck_assert_msg(!disk_words_get(disk.s, &words, error), "%s", error);
    for (unsigned i = 0; i < 2; i++) ck_assert_uint_ge(8ull * words.in[i], COPIED);
}

/* The NICs' counts are compared with the answers to clients: a request that is done in some other way is missing there.
 */
TEST(what_goes_around_the_nics_is_noticed_by_their_counters, .to = 2)
{
    nx_disk_request r = {.operation = _i ? NX_DISK_READ : NX_DISK_WRITE, .length = COPIED / 2};
    disk_serve(disk_params(2));
    copy();
    ck_assert_msg(!disk_words_get(disk.s, &words, error), "%s", error);
    disk_count(&disk.s->seat[1], &r);
    ck_assert_int_eq(disk_words_get(disk.s, &words, error), -1);
    ck_assert_msg(strstr(error, "host 1: its NIC has counted") != NULL, "%s", error);
    ck_assert_msg(strstr(error, _i ? "in, expected at least" : "out, expected at least") != NULL, "%s", error);
}

TEST(the_world_stands_still_without_a_request)
{
    disk_serve(disk_params(2));
    disk_ask(1, NX_DISK_READ, 0, 512, in);
    disk_answer(1);
    const sim_time then = sim_now(disk.s->f->s);
    const double running = disk.s->running;
    disk_answer(1);
    ck_assert_uint_eq(sim_now(disk.s->f->s), then);
    ck_assert_double_eq(disk.s->running, running);
    disk_ask(1, NX_DISK_READ, 0, 512, in);
    disk_answer(1);
    ck_assert_uint_lt(sim_now(disk.s->f->s), then + 60 * SIM_US);
}

/* ---- Ctrl-C ---- */

static void look_and_interrupt(void *self)
{
    disk_look(self);
    if (disk.ended >= 8 && disk.ended < disk.wanted) raise(SIGINT);
}

TEST(after_an_interrupt_requests_end_and_what_was_answered_can_be_put_into_the_file)
{
    unsigned answered = 0;
    disk_serve(disk_params(2));
    memset(out, 0x42, COPIED);
    for (unsigned i = 0; i < 40; i++) disk_ask(1, NX_DISK_WRITE, 4096 * i, 4096, out + 4096 * i);
    disk.depth = 8;
    disk.submitted = disk.ended = 0;
    ck_assert_int_eq(disk_service_serve(disk.s, -1, look_and_interrupt, NULL), 130);
    ck_assert_uint_eq(disk.ended, disk.submitted);
    ck_assert_uint_lt(disk.submitted, 40);
    ck_assert_int_eq(disk_service_sync(disk.s), 0);
    disk_read_image();
    for (unsigned i = 0; i < disk.submitted; i++) {
        answered += disk.asked[i].status == NX_DISK_OK;
        if (disk.asked[i].status == NX_DISK_OK) ck_assert(!memcmp(disk.file + 4096 * i, out, 4096));
        else ck_assert_uint_eq(disk.asked[i].status, NX_DISK_ESHUTDOWN);
    }
    ck_assert_uint_ge(answered, 8);
    ck_assert_uint_lt(answered, disk.submitted);
}

/* ---- the whole simulator is killed ---- */
#if !defined __SANITIZE_THREAD__ /* tasks are threads to it, which it does not follow into a child */

typedef struct acknowledged {
    uint32_t version, first; /* blocks first .. first + 3 */
} acknowledged;

/* Writes four blocks, flushes, says so, and on. */
static void write_for_ever(int tell, uint32_t version)
{
    for (;; version++) {
        const acknowledged a = {version, version * 2654435761u % (DISK_BYTES / 4096 - 4)};
        for (uint32_t i = 0; i < 4 * 4096; i += 4) memcpy(out + i, &version, 4);
        for (unsigned i = 0; i < 4; i++) disk_ask(1, NX_DISK_WRITE, (a.first + i) * 4096, 4096, out + 4096 * i);
        disk_answer(4);
        if (disk_do(1, NX_DISK_FLUSH, 0, 0, 0, NULL) != NX_DISK_OK || write(tell, &a, sizeof a) != sizeof a) _exit(1);
    }
}

/* Each time a child goes on from here, with the file as the one before has left it. */
TEST(the_simulator_is_killed_50_times_and_each_flushed_block_is_in_the_file)
{
    static uint32_t flushed[DISK_BYTES / 4096];
    uint32_t last = 0;
    disk_serve(disk_params(2));
    for (unsigned kills = 0; kills < 50; kills++) {
        acknowledged a;
        int tell[2], status, killed = 0;
        ck_assert_int_eq(pipe(tell), 0);
        fflush(NULL);
        pid_t child = fork();
        if (!child) write_for_ever(tell[1], last + 1);
        close(tell[1]);
        while (read(tell[0], &a, sizeof a) == sizeof a) {
            for (unsigned i = 0; i < 4; i++) flushed[a.first + i] = a.version;
            last = a.version;
            if (killed) continue;
            usleep((useconds_t)(rand() % 40000));
            killed = !kill(child, SIGKILL);
        }
        close(tell[0]);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        last++; /* may have been begun */
        disk_read_image();
        for (unsigned i = 0; i < DISK_BYTES; i += 512) {
            uint32_t version;
            memcpy(&version, disk.file + i, 4);
            ck_must(version >= flushed[i / 4096] && version <= last, "sector %u: version %u, expected %u .. %u",
                    i / 512, version, flushed[i / 4096], last);
            for (unsigned k = 4; k < 512; k += 4)
                ck_must(!memcmp(disk.file + i, disk.file + i + k, 4), "sector %u is torn", i / 512);
        }
    }
    ck_assert_uint_ge(last, 100);
}
#endif

/* ---- the same run again ---- */

/* Slices of any length, and in variation 1 an interrupt: with clients, both come by the time that passes. */
static int interrupts;
static void look_at_any_time(void *self)
{
    disk_look(self);
    disk.s->slice = (sim_time)(rand() % 9000 + 1) * SIM_NS;
    if (interrupts && disk.ended >= 12 && disk.ended < disk.wanted) raise(SIGINT);
}

/* The report without the time that passed outside. */
static json_t *report(void)
{
    json_t *all = disk_service_json(disk.s);
    json_object_del(all, "wall_running_s");
    json_object_del(all, "wall_standing_s");
    return all;
}

TEST(a_record_is_the_same_run_again_bit_by_bit, .to = 2)
{
    char record[80], pins[2][80];
    interrupts = _i;
    for (unsigned i = 0; i < 2; i++) snprintf(pins[i], sizeof pins[i], "%s/pins%u", shell_folder(), i);
    ck_assert_int_eq(shell("mkdir $D/pins0 $D/pins1"), 0);
    snprintf(record, sizeof record, "%s/record", shell_folder());
    disk_service_params p = disk_params(3);
    p.record = record;
    p.fabric.sim.pins = pins[0];
    disk_serve(p);
    for (unsigned i = 0; i < 20; i++) {
        memset(out + 4096 * i, (int)i + 1, 4096);
        disk_ask(1 + i % 2, i % 3 ? NX_DISK_WRITE : NX_DISK_READ, 8192 * i, 4096, out + 4096 * i);
    }
    disk.depth = 3;
    ck_assert_int_eq(disk_service_serve(disk.s, -1, look_at_any_time, NULL), _i ? 130 : 0);
    json_t *first = report();
    const sim_time ended = sim_now(disk.s->f->s);
    clean_up();
    p = disk_params(3);
    p.fabric.sim.pins = pins[1];
    disk_serve(p);
    ck_assert_msg(!disk_service_replay(disk.s, record, error), "%s", error);
    ck_assert_uint_eq(sim_now(disk.s->f->s), ended);
    json_t *again = report();
    ck_assert(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    clean_up();
    ck_assert_int_eq(shell("diff -rq $D/pins0 $D/pins1 && test $(ls $D/pins0 | wc -l) -ge 4"), 0);
}

TEST(records_that_cannot_be_run_are_refused_in_one_line)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "expected a record of this version, which begins with nicxbar-block 3"},
        {"nicxbar-block 2\n900000000 end\n", "expected a record of this version, which begins with nicxbar-block 3"},
        {RECORD_BEGIN, "it ends after line 1; expected a whole record, with end in its last line"},
        {RECORD_BEGIN "900000000 1 1 0 0 512 0\n", "it ends after line 2; expected a whole record"},
        {RECORD_BEGIN "900000000 1 2 0 0 512 0 0000\n",
         "line 2: expected a request of host 1..1, not before the one above"},
        {RECORD_BEGIN "900000000 2 1 0 0 512 0\n", "line 2: expected a request of host 1..1"},
        {RECORD_BEGIN "900000000 4294967297 1 0 0 512 0\n", "line 2: expected a request of host 1..1"},
        {RECORD_BEGIN "900000000 1 1 0 0 512 0 00\n", "line 2: expected a request of host 1..1"},
        {RECORD_BEGIN "900000000 1 1 0 0 512 0\n0 1 1 0 0 512 0\n",
         "expected a request of host 1..1, not before the one above"},
        {RECORD_BEGIN "soon stop\n", "line 2: expected a request"},
        {RECORD_BEGIN "900000000 ending\n", "line 2: expected a request"},
        {RECORD_BEGIN "900000000 end\n900000000 end\n", "line 3: expected a request"},
        /* cut off; the second one's last line is as long as the first line that getline has room for */
        {RECORD_BEGIN "900000000 1 1 0 0 51", "it ends after line 2; expected a whole record"},
        {RECORD_BEGIN
         "0000000000000000000000000000000000000000000000000000000000000000000000000000000000099999999999 1 2 0 0 8 0",
         "it ends after line 2; expected a whole record"},
    };
    disk_serve(disk_params(2));
    for (int i = 0; i < COUNT(cases); i++) {
        char path[80];
        shell_put("record", cases[i].text);
        snprintf(path, sizeof path, "%s/record", shell_folder());
        ck_assert_int_eq(disk_service_replay(disk.s, path, error), -1);
        ck_assert_msg(strstr(error, cases[i].error) != NULL, "case %d: %s", i, error);
    }
}

/* The record of a write of 512 bytes at 0, and one that is cut off in its numbers, its data, or behind the line: the
 * disk stays as it is.
 */
TEST(nothing_of_a_record_that_is_not_whole_is_written)
{
    static const char *const rest[] = {"9", "900000001 1 2 0 4096 512 0", "900000001 1 2 0 4096 512 0 abab",
                                       "900000001 1 2 0 4096 512 0 abab\n", ""};
    char path[80];
    disk_serve(disk_params(2));
    snprintf(path, sizeof path, "%s/record", shell_folder());
    for (int i = 0; i < COUNT(rest); i++) {
        FILE *f = shell_file("record", "w+");
        fputs(RECORD_BEGIN "900000000 1 2 0 0 512 0 ", f);
        for (unsigned k = 0; k < 512; k++) fputs("ab", f);
        fprintf(f, "\n%s", rest[i]);
        fclose(f);
        ck_assert_int_eq(disk_service_replay(disk.s, path, error), -1);
        ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, 8192, out), NX_DISK_OK);
        for (unsigned k = 0; k < 8192; k++) ck_must(!out[k], "case %d: byte %u is 0x%02x, expected 0", i, k, out[k]);
    }
}

TEST(a_record_that_cannot_be_written_is_reported)
{
    disk_service_params p = disk_params(2);
    p.record = "/dev/full";
    disk_serve(p);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, 0, 0, 16384, out), NX_DISK_OK);
    ck_assert_int_eq(disk_service_sync(disk.s), -1);
}

/* ---- the report ---- */

static double mean(unsigned part)
{
    const disk_figures *g = &disk.s->seat[1].figures[NX_DISK_READ];
    return 1e-3 * g->sum[part] / (double)g->requests;
}

/* An interrupt that costs 5 us more is 5 us more of the part that is called so, and in that of the command at the
 * target; the others stay.
 */
TEST(the_parts_of_a_latency_are_where_the_time_goes)
{
    double part[2][PARTS];
    for (unsigned k = 0; k < 2; k++) {
        disk_service_params p = disk_params(2);
        p.interrupt_cost = 5 * k * SIM_US;
        disk_serve(p);
        for (unsigned i = 0; i < 8; i++) ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 4096 * i, 4096, in), NX_DISK_OK);
        for (unsigned i = 0; i < PARTS; i++) part[k][i] = mean(i);
        clean_up();
    }
    for (unsigned k = 0; k < 2; k++) {
        double sum = 0;
        for (unsigned i = 0; i < PART_ALL; i++) sum += part[k][i];
        ck_assert_double_eq_tol(sum, part[k][PART_ALL], 1e-6);
        ck_assert_double_gt(part[k][PART_BACK],
                            12); /* 9 packets of 496 bytes and less at 298 MiB/s, and a completion */
    }
    ck_assert_double_lt(part[0][PART_INTERRUPT], 3);
    ck_assert_double_eq_tol(part[1][PART_INTERRUPT] - part[0][PART_INTERRUPT], 5, 0.1);
    ck_assert_double_eq_tol(part[1][PART_COMMAND] - part[0][PART_COMMAND], 5, 0.5);
    ck_assert_double_eq_tol(part[1][PART_BACK], part[0][PART_BACK], 0.5);
    ck_assert_double_eq_tol(part[1][PART_TARGET], part[0][PART_TARGET], 0.1);
}

/* A long service: figures as if each latency had been kept, in as much memory as after the first. */
TEST(figures_of_latency_take_no_more_memory_and_are_right)
{
    enum { ALL = 200000 };
    nx_disk_request r = {.operation = NX_DISK_DISCARD, .length = 512};
    double least, median, p99, most;
    size_t used = 0;
    disk_serve(disk_params(2));
    ck_assert_uint_eq(disk_do(1, NX_DISK_FLUSH, 0, 0, 0, NULL), NX_DISK_OK);
    for (uint64_t i = 0; i < ALL; i++) {
        const uint64_t k = i * 7919 % ALL;
        r.times.done = 3000 + k * k / 16;
        disk_count(&disk.s->seat[1], &r);
        if (!i) used = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    ck_assert_uint_le(mallinfo2().uordblks + mallinfo2().hblkhd, used);
    json_t *all = disk_service_json(disk.s), *host = json_array_get(json_object_get(all, "hosts"), 1);
    ck_assert_int_eq(json_unpack(json_array_get(json_object_get(host, "operations"), 1), "{s:{s:F, s:F, s:F, s:F}}",
                                 "latency_us", "min", &least, "median", &median, "p99", &p99, "max", &most),
                     0);
    ck_assert_double_eq_tol(least, 3, 1e-9);
    ck_assert_double_eq_tol(median / (3 + 1e-3 * 99999.0 * 99999 / 16), 1, 3e-4);
    ck_assert_double_eq_tol(p99 / (3 + 1e-3 * 197999.0 * 197999 / 16), 1, 3e-4);
    ck_assert_double_eq_tol(most, 3 + 1e-3 * (199999ull * 199999 / 16), 1e-6);
    json_decref(all);
}

/* Each 4 GiB the registers are read, which have 32 bits; then a host may move more than they can count. */
TEST(words_of_a_nic_are_counted_beyond_32_bits)
{
    host_seat *seat;
    disk_serve(disk_params(2));
    for (unsigned i = 0; i < 2; i++) disk.s->seat[i].moved = DISK_WORDS_LOOK;
    copy();
    for (unsigned i = 0; i < 2; i++) ck_assert(disk.s->seat[i].moved < DISK_WORDS_LOOK && disk.s->seat[i].words[0]);
    seat = &disk.s->seat[1];
    seat->figures[NX_DISK_WRITE].bytes += (uint64_t)64 << 30;
    ck_assert_int_eq(disk_words_get(disk.s, &words, error), -1);
    seat->words[0] += (uint64_t)8 << 30;
    ck_assert_msg(!disk_words_get(disk.s, &words, error), "%s", error);
    ck_assert_uint_gt(words.out[1], (uint64_t)8 << 30);
}

/* ---- a file that fails ---- */

/* In place of that of libc. */
static int syncs_fail;
int fdatasync(int fd)
{
    if (!syncs_fail) return fsync(fd);
    syncs_fail--;
    errno = EIO;
    return -1;
}

/* stderr goes into a file; then it must be there, as often. */
static void listen(void)
{
    FILE *f = shell_file("said", "w+");
    ck_assert_int_ge(dup2(fileno(f), STDERR_FILENO), 0);
    fclose(f);
}

static void must_have_said(const char *text)
{
    ck_shell_says(0, text, "cat $D/said");
    ck_output_has("the request ends with an error, the service goes on");
    ck_assert_int_eq(shell("test $(wc -l < $D/said) = 1"), 0);
}

TEST(a_file_that_has_become_shorter_ends_a_read_with_eio_and_service_goes_on)
{
    disk_serve(disk_params(2));
    listen();
    ck_assert_int_eq(truncate(disk.image, 8192), 0);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 16384, 4096, in), NX_DISK_EIO);
        ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 4096, 4096, in), NX_DISK_OK);
    }
    must_have_said("read at byte 16384: the file has become shorter");
}

static void limit_files(rlim_t bytes)
{
    struct rlimit l;
    getrlimit(RLIMIT_FSIZE, &l);
    l.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/* Written through: the write says so; written back: the flush does, and when there is room again nothing is lost. */
TEST(a_disk_without_room_ends_a_request_with_enospc_and_service_goes_on, .to = 2)
{
    disk_service_params p = disk_params(2);
    p.cache = _i ? DISK_WRITEBACK : DISK_WRITETHROUGH;
    disk_serve(p);
    listen();
    memset(out, 0x5c, 8192);
    limit_files(65536);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, 0, 131072, 4096, out), _i ? NX_DISK_OK : NX_DISK_ENOSPC);
    ck_assert_uint_eq(disk_do(1, NX_DISK_FLUSH, 0, 0, 0, NULL), _i ? NX_DISK_ENOSPC : NX_DISK_OK);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, 0, 4096, 4096, out), NX_DISK_OK);
    limit_files(RLIM_INFINITY);
    if (!_i) ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, 0, 131072, 4096, out), NX_DISK_OK);
    ck_assert_uint_eq(disk_do(1, NX_DISK_FLUSH, 0, 0, 0, NULL), NX_DISK_OK);
    disk_read_image();
    ck_assert(!memcmp(disk.file + 131072, out, 4096) && !memcmp(disk.file + 4096, out, 4096));
    must_have_said("write at byte 131072: File too large");
}

TEST(a_sync_that_fails_ends_that_flush_with_eio_and_service_goes_on)
{
    disk_serve(disk_params(2));
    listen();
    memset(out, 0x5c, 8192);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, 0, 0, 4096, out), NX_DISK_OK);
    syncs_fail = 2;
    ck_assert_uint_eq(disk_do(1, NX_DISK_FLUSH, 0, 0, 0, NULL), NX_DISK_EIO);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, NX_DISK_FUA, 4096, 4096, out), NX_DISK_EIO);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, NX_DISK_FUA, 4096, 4096, out), NX_DISK_OK);
    ck_assert_uint_eq(disk_do(1, NX_DISK_FLUSH, 0, 0, 0, NULL), NX_DISK_OK);
    must_have_said("sync at byte 0: Input/output error");
}

/* Host 1's flush finds that data of both hosts may be lost: each gets one report, and the run fails. */
TEST(a_sync_that_fails_is_reported_to_every_host_once)
{
    disk_serve(disk_params(3));
    listen();
    for (unsigned host = 1; host < 3; host++)
        ck_assert_uint_eq(disk_do(host, NX_DISK_WRITE, 0, 8192 * host, 4096, out), NX_DISK_OK);
    syncs_fail = 1;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned host = 1; host < 3; host++)
            ck_assert_uint_eq(disk_do(host, NX_DISK_FLUSH, 0, 0, 0, NULL), i ? NX_DISK_OK : NX_DISK_EIO);
    ck_assert_int_eq(disk_service_sync(disk.s), -1);
    must_have_said("sync at byte 0: Input/output error");
}

/* In place of that of libc, as on a file system without holes. */
static int no_holes;
int fallocate(int fd, int mode, off_t offset, off_t length)
{
    if (!no_holes) return (int)syscall(SYS_fallocate, fd, mode, offset, length);
    errno = no_holes;
    return -1;
}

TEST(a_discard_that_the_file_cannot_do_leaves_what_was_written_last, .to = 2)
{
    disk_serve(disk_params(2));
    listen();
    for (unsigned i = 1; i < 3; i++) {
        memset(out, (int)i, 4096);
        ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, i == 1 ? NX_DISK_FUA : 0, 0, 4096, out), NX_DISK_OK);
    }
    no_holes = _i ? EIO : EOPNOTSUPP;
    ck_assert_uint_eq(disk_do(1, NX_DISK_DISCARD, 0, 0, 4096, NULL), _i ? NX_DISK_EIO : NX_DISK_OK);
    ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, 4096, in), NX_DISK_OK);
    ck_assert_msg(!memcmp(in, out, 4096), "byte 0 is %u, expected 2", in[0]);
    no_holes = 0;
    ck_assert_uint_eq(disk_do(1, NX_DISK_DISCARD, 0, 0, 4096, NULL), NX_DISK_OK);
    ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, 4096, in), NX_DISK_OK);
    memset(out, 0, 4096);
    ck_assert_msg(!memcmp(in, out, 4096), "byte 0 is %u, expected 0", in[0]);
}

TEST(images_that_cannot_be_served_are_refused)
{
    static const struct {
        const char *path;
        long size;
        const char *text;
    } cases[] = {
        {"nothing", -1, "No such file or directory; expected a file that can be read"},
        {".", -1, "expected a file that can be read"},
        {"empty", 0, "0 bytes, expected a multiple of 512"},
        {"odd", 700, "700 bytes, expected a multiple of 512"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char path[100];
        disk_service_params p = disk_params(2);
        snprintf(path, sizeof path, "%s/%s", shell_folder(), cases[i].path);
        if (cases[i].size >= 0) {
            fclose(shell_file(cases[i].path, "w+"));
            ck_assert_int_eq(truncate(path, cases[i].size), 0);
        }
        p.image = path;
        ck_assert_ptr_null(disk_service_new(&p, error));
        ck_assert_msg(strstr(error, cases[i].text) != NULL, "%s", error);
    }
}
