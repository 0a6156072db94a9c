/* A disk in the simulated world: what goes in comes out and is in the file, through hosts, NICs and the switch. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "block_load.h"
#include "block_private.h"
#include "crossbar4.h"
#include "shell.h"
#include "test.h"

TEST_CASE("block", .timeout = 300, .teardown = shell_clean);

enum { IMAGE = 1 << 20, ASKED = 64 };

static char image[64];
static block_service *s;
static uint8_t now_there[IMAGE];

CLEANUP(block_service_free);

static block_service_params params(unsigned nodes)
{
    block_service_params p = block_service_params_default(nodes, &crossbar4_config);
    p.fabric.sim.quiet = 1;
    p.image = image;
    p.block.place_bytes = 16384;
    if (!*image) {
        snprintf(image, sizeof image, "%s/disk", shell_folder());
        fclose(shell_file("disk", "w+"));
        ck_assert_int_eq(truncate(image, IMAGE), 0);
    }
    return p;
}

static void serve(block_service_params p)
{
    char error[BLOCK_SERVICE_ERROR];
    s = block_service_new(&p, error);
    ck_assert_msg(s != NULL, "%s", error);
    after_test(block_service_free_cleanup, s);
}

/* ---- requests from outside: all of a list, so many at a time ---- */

static block_request asked[ASKED];
static unsigned submitted, ended, wanted, depth, host_of[ASKED];

static void done(void *self, block_request *r)
{
    (void)self;
    (void)r;
    ended++;
}

static void look(void *self)
{
    (void)self;
    while (submitted < wanted && submitted - ended < depth && block_service_room(s, host_of[submitted])) {
        asked[submitted].done = done;
        block_service_submit(s, host_of[submitted], &asked[submitted]);
        submitted++;
    }
}

static void ask(unsigned host, unsigned operation, uint64_t offset, uint32_t length, void *data)
{
    host_of[wanted] = host;
    asked[wanted++] = (block_request){.operation = operation, .offset = offset, .length = length, .data = data};
}

static void answer(unsigned at_a_time)
{
    depth = at_a_time;
    submitted = ended = 0;
    ck_assert_msg(!block_service_serve(s, -1, look, NULL), "%s", sim_error(s->f->s));
    ck_assert_uint_eq(ended, wanted);
    wanted = 0;
}

static void read_image(void)
{
    int fd = open(image, O_RDONLY);
    ck_assert_int_eq(pread(fd, now_there, IMAGE, 0), IMAGE);
    close(fd);
}

static uint64_t on_the_cable(unsigned node)
{
    cable_stats both[2];
    int end;
    for (int i = 0; i < 2; i++) cable_get_stats(fabric_wire(s->f, node, &end), i, 0, &both[i]);
    return both[0].bytes + both[1].bytes;
}

enum { COPIED = 192 << 10 };
static uint8_t out[COPIED], in[COPIED];

/* Copies random bytes in and out, in requests that are parts of places, whole ones and several. */
static void copy(void)
{
    static const uint32_t sizes[] = {512, 4096, 16384, 65536};
    const uint64_t before[2] = {on_the_cable(0), on_the_cable(1)};
    for (uint32_t i = 0; i < COPIED; i++) out[i] = (uint8_t)(sim_random(s->f->s) >> 20);
    memset(in, 0, COPIED);
    for (uint32_t at = 0, i = 0, size; at < COPIED; at += size, i++) {
        size = sizes[i % 4] < COPIED - at ? sizes[i % 4] : COPIED - at;
        ask(1, NX_BLOCK_WRITE, 4096 + at, size, out + at);
    }
    answer(8);
    for (unsigned i = 0; i < submitted; i++) ck_assert_uint_eq(asked[i].status, NX_BLOCK_OK);
    ask(1, NX_BLOCK_FLUSH, 0, 0, NULL);
    answer(1);
    read_image();
    ck_assert_msg(!memcmp(now_there + 4096, out, COPIED), "the file is not what was written");
    for (uint32_t at = 0; at < COPIED; at += 32768) ask(1, NX_BLOCK_READ, 4096 + at, 32768, in + at);
    answer(4);
    ck_assert_msg(!memcmp(in, out, COPIED), "what was read is not what was written");
    for (unsigned i = 0; i < 2; i++) ck_assert_uint_ge(on_the_cable(i) - before[i], 2 * COPIED);
}

/* By interrupts with flags, by polling with pointers. */
TEST(what_goes_in_comes_out_is_in_the_file_and_went_over_the_cables, .to = 2)
{
    block_service_params p = params(2);
    p.block.poll = p.block.pointers = _i;
    p.cache = _i ? BLOCK_WRITETHROUGH : BLOCK_WRITEBACK;
    p.cache_bytes = 64 << 10;
    serve(p);
    copy();
}

TEST(the_world_stands_still_without_a_request)
{
    serve(params(2));
    ask(1, NX_BLOCK_READ, 0, 512, in);
    answer(1);
    const sim_time then = sim_now(s->f->s);
    const double running = s->running;
    answer(1);
    ck_assert_uint_eq(sim_now(s->f->s), then);
    ck_assert_double_eq(s->running, running);
    ask(1, NX_BLOCK_READ, 0, 512, in);
    answer(1);
    ck_assert_uint_lt(sim_now(s->f->s), then + 60 * SIM_US);
}

/* Flips a bit of the first data that a NIC writes into the memory of its host: they have passed all CRCs. */
static unsigned flips;
static void flip(void *self, const pcix_transaction *t, sim_time when)
{
    memory *m = host_memory(self);
    (void)when;
    if (!flips || t->bytes < 400) return;
    flips--;
    memory_put64(m, t->address, memory_get64(m, t->address) ^ 1, 0xff);
}

/* At the initiator, at the target. */
TEST(a_bit_that_changes_in_a_hosts_memory_is_seen_by_the_checksum_and_made_good, .to = 2)
{
    host *h;
    serve(params(2));
    h = s->f->node[!_i]->host;
    ck_assert_int_eq(host_on_written(h, flip, h), 0);
    flips = _i;
    memset(out, 0x3c, 16384);
    ask(1, NX_BLOCK_WRITE, 0, 16384, out);
    answer(1);
    flips = !_i;
    ask(1, NX_BLOCK_READ, 0, 16384, in);
    answer(1);
    ck_assert_uint_eq(asked[0].status, NX_BLOCK_OK);
    ck_assert(!memcmp(in, out, 16384));
    ck_assert_uint_eq(flips, 0);
    ck_assert_uint_eq(nx_block_get_counts(s->seat[1].disk).losses[_i ? NX_BLOCK_LOST_TOLD : NX_BLOCK_LOST_CHECKSUM], 1);
    ck_assert_uint_eq(nx_block_target_get_counts(s->target).losses[NX_BLOCK_LOST_CHECKSUM], _i);
}

TEST(a_cable_that_is_cut_for_good_gives_an_error_and_no_data)
{
    block_service_params p = params(3);
    int end;
    p.block.timeout_ns = 100 * 1000;
    serve(p);
    memset(in, 0x77, 512);
    cable_cut(fabric_wire(s->f, 1, &end), CABLE_BOTH);
    ask(1, NX_BLOCK_READ, 0, 512, in);
    ask(2, NX_BLOCK_READ, 0, 4096, in + 4096);
    answer(2);
    ck_assert_uint_eq(asked[0].status, NX_BLOCK_EIO);
    ck_assert_uint_eq(asked[1].status, NX_BLOCK_OK);
    ck_assert_uint_eq(in[0], 0x77);
    cable_reconnect(fabric_wire(s->f, 1, &end), CABLE_BOTH);
    ask(1, NX_BLOCK_READ, 0, 512, in);
    answer(1);
    ck_assert_uint_eq(asked[0].status, NX_BLOCK_OK);
    ck_assert_uint_eq(in[0], 0);
}

/* ---- slots that come word by word ---- */

static void every_clock(void *self)
{
    sim_wait_cycles(((node *)self)->pci_clock, 1);
}

/* Each word that a NIC writes is a transaction of its own, descriptors leave the processors in any order and in pieces, and memory is
 * looked at in every clock of the bus. */
TEST(slots_that_come_word_by_word_are_seen_whole)
{
    block_service_params p = params(2);
    p.block.poll = 1;
    for (unsigned i = 0; i < 2; i++) p.fabric.node[i].host.combining = write_combining_wild();
    serve(p);
    for (unsigned i = 0; i < 2; i++) {
        node *n = s->f->node[i];
        n->platform.wait = every_clock;
        ck_assert_int_eq(host_add_range(n->host, &(host_range){NODE_MEMORY, NODE_MEMORY_END - 1, HOST_RANGE_SINGLE, 0}), 0);
    }
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 24; i++) {
            memset(k ? in + 512 * i : out + 512 * i, k ? 0 : (int)i + 1, 512);
            ask(1, k ? NX_BLOCK_READ : NX_BLOCK_WRITE, 512 * i, 512, k ? in + 512 * i : out + 512 * i);
        }
        answer(8);
    }
    ck_assert(!memcmp(in, out, 24 * 512));
    ck_assert_uint_gt(pcix_bridge_get_stats(host_bridge(s->f->node[1]->host))->disconnects_given, 24 * 64);
    ck_assert_uint_eq(nx_block_get_counts(s->seat[1].disk).recoveries, 0);
}

/* ---- Ctrl-C ---- */

static void look_and_interrupt(void *self)
{
    look(self);
    if (ended >= 8 && ended < wanted) raise(SIGINT);
}

TEST(after_an_interrupt_requests_end_and_what_was_answered_can_be_put_into_the_file)
{
    unsigned answered = 0;
    serve(params(2));
    memset(out, 0x42, COPIED);
    for (unsigned i = 0; i < 40; i++) ask(1, NX_BLOCK_WRITE, 4096 * i, 4096, out + 4096 * i);
    depth = 8;
    submitted = ended = 0;
    ck_assert_int_eq(block_service_serve(s, -1, look_and_interrupt, NULL), 130);
    ck_assert_uint_eq(ended, submitted);
    ck_assert_uint_lt(submitted, 40);
    ck_assert_int_eq(block_service_sync(s), 0);
    read_image();
    for (unsigned i = 0; i < submitted; i++) {
        answered += asked[i].status == NX_BLOCK_OK;
        if (asked[i].status == NX_BLOCK_OK) ck_assert(!memcmp(now_there + 4096 * i, out, 4096));
        else ck_assert_uint_eq(asked[i].status, NX_BLOCK_ESHUTDOWN);
    }
    ck_assert_uint_ge(answered, 8);
    ck_assert_uint_lt(answered, submitted);
}

/* ---- the whole simulator is killed ---- */

typedef struct acknowledged {
    uint32_t version, first; /* blocks first .. first + 3 */
} acknowledged;

/* Writes four blocks, flushes, says so, and on. */
static void write_for_ever(int tell)
{
    serve(params(2));
    for (uint32_t version = 1;; version++) {
        const acknowledged a = {version, (uint32_t)(sim_random_below(s->f->s, IMAGE / 4096 - 4))};
        for (uint32_t i = 0; i < 4 * 4096; i += 4) memcpy(out + i, &version, 4);
        for (unsigned i = 0; i < 4; i++) ask(1, NX_BLOCK_WRITE, (a.first + i) * 4096, 4096, out + 4096 * i);
        answer(4);
        ask(1, NX_BLOCK_FLUSH, 0, 0, NULL);
        answer(1);
        if (asked[0].status != NX_BLOCK_OK || write(tell, &a, sizeof a) != sizeof a) _exit(1);
    }
}

TEST(the_simulator_is_killed_and_each_flushed_block_is_in_the_file, .to = 3)
{
    static uint32_t flushed[IMAGE / 4096], last;
    acknowledged a;
    int tell[2];
    (void)params(2);
    ck_assert_int_eq(pipe(tell), 0);
    fflush(NULL);
    pid_t child = fork();
    if (!child) write_for_ever(tell[1]);
    close(tell[1]);
    for (int killed = 0; read(tell[0], &a, sizeof a) == sizeof a;) {
        for (unsigned i = 0; i < 4; i++) flushed[a.first + i] = a.version;
        last = a.version;
        if (last == 3 && !killed) {
            usleep(20000u + 37000u * (unsigned)_i);
            killed = !kill(child, SIGKILL);
        }
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert_uint_ge(last, 3);
    read_image();
    for (unsigned i = 0; i < IMAGE; i += 512) {
        uint32_t version;
        memcpy(&version, now_there + i, 4);
        ck_assert_uint_ge(version, flushed[i / 4096]);
        ck_assert_uint_le(version, last + 1);
        for (unsigned k = 4; k < 512; k += 4) ck_assert_msg(!memcmp(now_there + i, now_there + i + k, 4), "sector %u is torn", i / 512);
    }
}

/* ---- faults by plan, under load ---- */

static void with_faults(const char *text, block_service_params p)
{
    char error[BLOCK_FAULT_ERROR];
    p.block.timeout_ns = 300 * 1000;
    ck_assert_msg(!block_fault_read(text, p.fabric.nodes, &p.faults, error), "%s", error);
    serve(p);
}

/* Of each initiator 16 blocks are written, read and compared; `good`: none may fail. */
static void write_and_read(unsigned initiators, unsigned good)
{
    enum { SIZE = 8192, COUNT_OF = 16 };
    static uint8_t data[3][COUNT_OF][SIZE], back[3][COUNT_OF][SIZE];
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < COUNT_OF; i++)
            for (unsigned h = 0; h < initiators; h++) {
                memset(back[h][i], 0, SIZE);
                if (!k) memset(data[h][i], (int)(16 * h + i + 1), SIZE);
                ask(h + 1, k ? NX_BLOCK_READ : NX_BLOCK_WRITE, (h * COUNT_OF + i) * SIZE, SIZE, (k ? back : data)[h][i]);
            }
        answer(16);
        for (unsigned i = 0; i < submitted; i++)
            if (good & 1u << (host_of[i] - 1)) ck_assert_uint_eq(asked[i].status, NX_BLOCK_OK);
    }
    for (unsigned h = 0; h < initiators; h++)
        if (good & 1u << h) ck_assert_msg(!memcmp(data[h], back[h], sizeof data[h]), "what host %u read is not what it wrote", h + 1);
}

static const char *const plans[] = {
    "cut host1 at 100us for 50us",
    "cut target at 100us for 400us",
    "lose 3 at 100us; lose 2 host1 at 400us",
    "flip body at 100us; flip body host1 at 300us",
    "lose 20 credits at 50us; lose 20 credits host1 at 60us",
    "dma off target at 100us for 600us",
    "dma off host2 at 100us for 600us",
};

TEST(faults_are_made_good_and_data_are_right, .to = COUNT(plans))
{
    const unsigned initiators = strstr(plans[_i], "host2") ? 2 : 1;
    uint64_t recoveries = 0;
    with_faults(plans[_i], params(1 + initiators));
    write_and_read(initiators, (1u << initiators) - 1);
    for (unsigned i = 0; i < s->p.faults.count; i++)
        ck_assert_msg(s->p.faults.fault[i].over, "%s did not strike", s->p.faults.fault[i].text);
    for (unsigned i = 1; i <= initiators; i++) recoveries += nx_block_get_counts(s->seat[i].disk).recoveries;
    ck_assert_msg(recoveries || s->p.faults.fault[0].kind == FAULT_LOSE_CREDITS || initiators == 2, "nothing was lost");
    for (unsigned i = 1; i <= initiators; i++) ask(i, NX_BLOCK_READ, 0, 512, in);
    answer(1);
    for (unsigned i = 0; i < initiators; i++) ck_assert_uint_eq(asked[i].status, NX_BLOCK_OK);
}

/* Host 1 dies while it writes; the others go on, at full rate and without a new session. */
TEST(an_initiator_dies_and_others_go_on_as_if_nothing_were)
{
    block_load l[2];
    with_faults("dead host1 at 50us", params(4));
    for (unsigned i = 0; i < 8; i++) ask(1, NX_BLOCK_WRITE, 16384 * i, 16384, out);
    depth = 8;
    submitted = ended = 0;
    look(NULL);
    wanted = 0;
    for (unsigned i = 0; i < 2; i++)
        l[i] = (block_load){.host = 2 + i, .operation = NX_BLOCK_READ, .depth = 8, .size = 16384, .bytes = 256 << 10, .requests = 24};
    ck_assert_int_eq(block_load_run(s, l, 2), 0);
    ck_assert_uint_eq(l[0].failed + l[1].failed, 0);
    ck_assert_double_gt(l[0].mib_per_s + l[1].mib_per_s, 270);
    for (unsigned i = 2; i < 4; i++) ck_assert_uint_eq(nx_block_get_counts(s->seat[i].disk).recoveries, 0);
}

/* What was flushed is in the file, what was not is old or new; the next flush tells if something may be gone. */
TEST(the_target_crashes_and_what_was_flushed_is_there)
{
    with_faults("crash target at 900us for 200us", params(2));
    memset(out, 0x11, COPIED);
    for (unsigned i = 0; i < 8; i++) ask(1, NX_BLOCK_WRITE, 16384 * i, 16384, out);
    answer(8);
    ask(1, NX_BLOCK_FLUSH, 0, 0, NULL);
    answer(1);
    ck_assert_uint_eq(asked[0].status, NX_BLOCK_OK);
    memset(out, 0x22, COPIED);
    ck_assert_uint_lt(sim_now(s->f->s), s->began + 800 * SIM_US);
    for (unsigned i = 0; i < 40; i++) ask(1, NX_BLOCK_WRITE, 16384 * (i % 8), 16384, out);
    answer(8);
    for (unsigned i = 0; i < submitted; i++) ck_assert_uint_eq(asked[i].status, NX_BLOCK_OK);
    ck_assert(s->p.faults.fault[0].over);
    ask(1, NX_BLOCK_FLUSH, 0, 0, NULL);
    answer(1);
    ck_assert_uint_eq(asked[0].status, NX_BLOCK_EIO); /* writes that were answered before the crash may be gone */
    read_image();
    for (unsigned i = 0; i < 8 * 16384; i += 512) {
        ck_assert(now_there[i] == 0x11 || now_there[i] == 0x22);
        ck_assert(!memcmp(now_there + i, now_there + i + 1, 511));
    }
    ask(1, NX_BLOCK_WRITE, 0, 4096, out);
    ask(1, NX_BLOCK_FLUSH, 0, 0, NULL);
    answer(1);
    for (unsigned i = 0; i < 2; i++) ck_assert_uint_eq(asked[i].status, NX_BLOCK_OK);
}

TEST(plans_that_cannot_be_are_refused_with_the_place)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "column 1: nothing there, expected cut, lose, flip, crash, dead or dma"},
        {"burn host1 at 3ms", "column 1: 'burn', expected cut, lose, flip, crash, dead or dma"},
        {"cut host7 at 3ms", "column 5: 'host7', expected target, or the number of a host that is there"},
        {"cut cable at 3ms", "column 5: 'cable', expected target or hostN"},
        {"cut host1 at soon", "column 14: 'soon', expected a time such as 50us or 3ms, less than 1000 s"},
        {"cut host1 3ms", "column 11: '3ms', expected at"},
        {"lose host1 at 3ms", "column 6: 'host1', expected how many, 1 to 1000"},
        {"lose 3 at 3ms for 2ms", "column 19: '2ms', expected no time: this strikes packets, not for a time"},
        {"crash host1 at 3ms", "column 7: 'host1', expected target"},
        {"flip body at 3ms, cut host1 at 2ms", "column 17: ',', expected ; or the end"},
        {"flip body at 3ms;", "column 18: nothing there, expected cut, lose, flip, crash, dead or dma"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char error[BLOCK_FAULT_ERROR];
        block_fault_plan plan;
        ck_assert_int_eq(block_fault_read(cases[i].text, 4, &plan, error), -1);
        ck_assert_str_eq(error, cases[i].error);
    }
}

TEST(a_record_is_the_same_run_again)
{
    char record[80], error[BLOCK_SERVICE_ERROR];
    block_service_params p = params(3);
    snprintf(record, sizeof record, "%s/record", shell_folder());
    p.record = record;
    serve(p);
    for (unsigned i = 0; i < 20; i++) {
        memset(out + 4096 * i, (int)i + 1, 4096);
        ask(1 + i % 2, i % 3 ? NX_BLOCK_WRITE : NX_BLOCK_READ, 8192 * i, 4096, out + 4096 * i);
    }
    answer(3);
    nx_block_counts counts[2] = {nx_block_get_counts(s->seat[1].disk), nx_block_get_counts(s->seat[2].disk)};
    double sum = s->seat[1].figures[NX_BLOCK_WRITE].sum[PART_ALL] + s->seat[2].figures[NX_BLOCK_READ].sum[PART_ALL];
    clean_up();
    *image = '\0';
    p = params(3);
    serve(p);
    ck_assert_msg(!block_service_replay(s, record, error), "%s", error);
    for (unsigned i = 0; i < 2; i++) {
        nx_block_counts again = nx_block_get_counts(s->seat[1 + i].disk);
        ck_assert_uint_eq(again.requests, counts[i].requests);
        ck_assert_uint_eq(again.bytes_written, counts[i].bytes_written);
    }
    ck_assert_double_eq(sum, s->seat[1].figures[NX_BLOCK_WRITE].sum[PART_ALL] + s->seat[2].figures[NX_BLOCK_READ].sum[PART_ALL]);
    ck_assert_int_eq(truncate(record, 2000), 0);
    ck_assert_int_eq(block_service_replay(s, record, error), -1);
    ck_assert_ptr_nonnull(strstr(error, "/record: line "));
    ck_assert_int_eq(block_service_replay(s, image, error), -1);
    ck_assert_ptr_nonnull(strstr(error, "expected a record of this version"));
}

TEST(images_that_cannot_be_served_are_refused)
{
    char error[BLOCK_SERVICE_ERROR];
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
        block_service_params p = params(2);
        snprintf(path, sizeof path, "%s/%s", shell_folder(), cases[i].path);
        if (cases[i].size >= 0) {
            fclose(shell_file(cases[i].path, "w+"));
            ck_assert_int_eq(truncate(path, cases[i].size), 0);
        }
        p.image = path;
        ck_assert_ptr_null(block_service_new(&p, error));
        ck_assert_msg(strstr(error, cases[i].text) != NULL, "%s", error);
    }
}
