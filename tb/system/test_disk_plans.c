/* Disks over RDMA on the RTL with faults by plan: several of one host, under load, ends that crash; wrong plans. After
 * each: right data or an error, nothing hangs, buffer space is whole again, and the next request is served. */
#include <string.h>

#include "disk_bench.h"
#include "shell.h"
#include "sim/app/disk/disk_load.h"
#include "test.h"

TEST_CASE("plans", .timeout = 300, .teardown = shell_clean);

enum { MOST = 192 << 10 };
static uint8_t out[MOST], in[MOST];

/* ---- several faults of one host ---- */

/* A read that begins while both are in force is answered when the longer one, of 1 ms, is over. */
static const char *const sums[] = {
    "dead host1 at 100us for 1ms; dma host1 off at 300us for 20us",
    "dead host1 at 100us for 1ms; dead host1 at 300us for 20us",
    "dead host1 at 100us for 1ms; dma host1 off at 100us for 20us",
    "dma host1 off at 100us for 1ms; dma host1 off at 300us for 20us",
    "cut host1 at 100us for 1ms; cut host1 at 300us for 20us",
    "dead target at 100us for 1ms; crash target at 300us for 20us",
    "crash target at 100us for 20us; dead target at 100us for 1ms",
    "crash target at 100us for 1ms; crash target at 300us for 20us",
    "dma target off at 100us for 1ms; dead target at 300us for 20us",
};

TEST(faults_of_one_host_add_up, .to = COUNT(sums))
{
    char wrong[FAULT_ERROR];
    disk_service_params p = disk_params(2);
    ck_assert_msg(!disk_fault_read(sums[_i], 2, &p.faults, wrong), "%s", wrong);
    disk_serve(p);
    ck_assert(!disk_slice(disk.s, disk.s->began + 310 * SIM_US));
    ck_assert_uint_eq(disk_do(1, NX_DISK_READ, 0, 0, 512, in), NX_DISK_OK);
    ck_assert_uint_ge((sim_now(disk.s->f->s) - disk.s->began) / SIM_US, 1100);
    disk_must_serve();
}

TEST(packets_that_faults_strike_add_up)
{
    char wrong[FAULT_ERROR];
    disk_service_params p = disk_params(2);
    ck_assert(!disk_fault_read(
        "packet host1 drop at 10us times 3; packet host1 body at 10us; packet host1 drop at 20us times 2", 2, &p.faults,
        wrong));
    disk_serve(p);
    ck_assert(!disk_slice(disk.s, disk.s->began + 30 * SIM_US));
    const host_seat *seat = &disk.s->seat[1];
    ck_assert_uint_eq(seat->hits[0][DISK_LOSE], 5);
    ck_assert_uint_eq(disk_do(1, NX_DISK_WRITE, 0, 0, 16384, out), NX_DISK_OK);
    for (unsigned i = 0; i < 8 && seat->hits[0][DISK_FLIP]; i++) disk_must_serve();
    ck_assert_uint_eq(seat->hits[0][DISK_LOSE] + seat->hits[0][DISK_FLIP], 0);
}

/* ---- under load ---- */

static void with_faults(const char *text, disk_service_params p)
{
    char error[FAULT_ERROR];
    p.block.timeout_ns = 300 * 1000;
    ck_assert_msg(!disk_fault_read(text, p.fabric.nodes, &p.faults, error), "%s", error);
    disk_serve(p);
}

/* Of each initiator 10 blocks are written, read and compared; `good`: none may fail. */
static void write_and_read(unsigned initiators, unsigned good)
{
    enum { SIZE = 8192, COUNT_OF = 10 };
    static uint8_t data[3][COUNT_OF][SIZE], back[3][COUNT_OF][SIZE];
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < COUNT_OF; i++)
            for (unsigned h = 0; h < initiators; h++) {
                memset(back[h][i], 0, SIZE);
                if (!k) memset(data[h][i], (int)(16 * h + i + 1), SIZE);
                disk_ask(h + 1, k ? NX_DISK_READ : NX_DISK_WRITE, (h * COUNT_OF + i) * SIZE, SIZE,
                         (k ? back : data)[h][i]);
            }
        disk_answer(16);
        for (unsigned i = 0; i < disk.submitted; i++)
            if (good & 1u << (disk.host_of[i] - 1)) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    }
    for (unsigned h = 0; h < initiators; h++)
        if (good & 1u << h)
            ck_assert_msg(!memcmp(data[h], back[h], sizeof data[h]), "data read by host %u differ from those it wrote",
                          h + 1);
}

static const char *const plans[] = {
    "cut host1 at 100us for 50us",
    "cut target at 100us for 400us",
    "packet target drop at 100us times 3; packet host1 drop at 400us times 2",
    "packet target body at 100us; packet host1 body at 300us",
    "credit target drop at 50us times 20; credit host1 drop at 60us times 20",
    "dma target off at 100us for 600us",
    "dma host2 off at 100us for 600us",
};

TEST(faults_are_made_good_and_data_are_right, .to = COUNT(plans))
{
    const unsigned initiators = strstr(plans[_i], "host2") ? 2 : 1;
    uint64_t recoveries = 0;
    with_faults(plans[_i], disk_params(1 + initiators));
    write_and_read(initiators, (1u << initiators) - 1);
    for (unsigned i = 0; i < disk.s->p.faults.count; i++)
        ck_assert_msg(disk.s->p.faults.fault[i].over, "%s did not strike", disk.s->p.faults.fault[i].text);
    for (unsigned i = 1; i <= initiators; i++) recoveries += disk_counts(i).recoveries;
    ck_assert_msg(recoveries || disk.s->p.faults.fault[0].kind == DISK_LOSE_CREDITS || initiators == 2,
                  "nothing was lost");
    disk_must_be_well();
}

/* Host 1 crashes while it writes, and restarts: its session ends, a new one repairs all. Or it crashes for ever while
 * it reads: the target ends its session when nothing was taken for long. The others go on, at full rate and without a
 * new session. */
TEST(an_initiator_crashes_and_others_go_on_as_if_nothing_were, .to = 2)
{
    disk_load l[2];
    with_faults(_i ? "dead host1 at 50us for ever" : "dead host1 at 50us for 900us", disk_params(4));
    memset(out, 0x2f, MOST);
    for (unsigned i = 0; i < 12; i++)
        disk_ask(1, _i ? NX_DISK_READ : NX_DISK_WRITE, 16384 * i, 16384, (_i ? in : out) + 16384 * i);
    disk.depth = 12;
    disk.submitted = disk.ended = 0;
    disk_look(NULL);
    disk.wanted = 0;
    for (unsigned i = 0; i < 2; i++)
        l[i] = (disk_load){.host = 2 + i,
                           .operation = NX_DISK_READ,
                           .depth = 8,
                           .size = 16384,
                           .bytes = 256 << 10,
                           .requests = _i ? 27 : 16};
    ck_assert_int_eq(disk_load_run(disk.s, l, 2), 0);
    ck_assert_uint_eq(l[0].failed + l[1].failed, 0);
    ck_assert_double_gt(l[0].mib_per_s + l[1].mib_per_s, 270);
    for (unsigned i = 2; i < 4; i++) ck_assert_uint_eq(disk_counts(i).recoveries, 0);
    ck_assert_uint_eq(nx_disk_target_get_counts(disk.s->target).given_up, _i);
    if (_i) return;
    for (unsigned i = 0; disk.ended < disk.submitted && i < 4000; i++) disk_step(SIM_US);
    for (unsigned i = 0; i < 12; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    ck_assert_uint_eq(disk_counts(1).recoveries, 1);
    ck_assert_uint_eq(nx_disk_target_get_counts(disk.s->target).sessions, 4);
    ck_assert_uint_eq(disk_do(2, NX_DISK_READ, 0, 0, MOST, in), NX_DISK_OK);
    ck_assert(!memcmp(in, out, MOST));
    disk_must_be_well();
}

/* Flushed data are in the file, other data are old or new; the next flush reports a possible loss. */
TEST(the_target_crashes_and_what_was_flushed_is_there)
{
    with_faults("crash target at 900us for 200us", disk_params(2));
    memset(out, 0x11, MOST);
    for (unsigned i = 0; i < 8; i++) disk_ask(1, NX_DISK_WRITE, 16384 * i, 16384, out);
    disk_answer(8);
    disk_ask(1, NX_DISK_FLUSH, 0, 0, NULL);
    disk_answer(1);
    ck_assert_uint_eq(disk.asked[0].status, NX_DISK_OK);
    memset(out, 0x22, MOST);
    ck_assert_uint_lt(sim_now(disk.s->f->s), disk.s->began + 800 * SIM_US);
    for (unsigned i = 0; i < 40; i++) disk_ask(1, NX_DISK_WRITE, 16384 * (i % 8), 16384, out);
    disk_answer(8);
    for (unsigned i = 0; i < disk.submitted; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    ck_assert(disk.s->p.faults.fault[0].over);
    disk_ask(1, NX_DISK_FLUSH, 0, 0, NULL);
    disk_answer(1);
    ck_assert_uint_eq(disk.asked[0].status, NX_DISK_EIO); /* writes that were answered before the crash may be gone */
    disk_read_image();
    for (unsigned i = 0; i < 8 * 16384; i += 512) {
        ck_assert(disk.file[i] == 0x11 || disk.file[i] == 0x22);
        ck_assert(!memcmp(disk.file + i, disk.file + i + 1, 511));
    }
    disk_ask(1, NX_DISK_WRITE, 0, 4096, out);
    disk_ask(1, NX_DISK_FLUSH, 0, 0, NULL);
    disk_answer(1);
    for (unsigned i = 0; i < 2; i++) ck_assert_uint_eq(disk.asked[i].status, NX_DISK_OK);
    disk_must_be_well();
}

TEST(plans_that_cannot_be_are_refused_with_the_place)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "column 1: end, expected one of cut, packet, credit, crash, dead, dma"},
        {"burn host1 at 3ms", "column 1: 'burn', expected one of cut, packet, credit, crash, dead, dma"},
        {"cut host7 at 3ms for 1us", "column 5: 'host7', expected target or host0..host3"},
        {"cut cable at 3ms for 1us", "column 5: 'cable', expected target or host0..host3"},
        {"cut host1 at soon", "column 14: 'soon', expected a time, as 20us (ns, us, ms)"},
        {"cut host1 3ms", "column 11: '3ms', expected at"},
        {"cut host1 every 3ms", "column 11: 'every', expected at"},
        {"dead host1 at 3ms", "column 18: end, expected for and how long"},
        {"dma host1 off at 3ms for ever", "column 26: 'ever', expected a time above 0, as 20us (ns, us, ms)"},
        {"packet host1 drop at 3ms times 0", "column 32: '0', expected a number of times, 1 to 1000"},
        {"credit target drop at 3ms times 1001", "column 33: '1001', expected a number of times, 1 to 1000"},
        {"packet target drop at 3ms for 2ms", "column 27: 'for', expected times, ; or the end"},
        {"crash host1 at 3ms", "column 7: 'host1', expected target"},
        {"crash target at 3ms times 2", "column 21: 'times', expected for, ; or the end"},
        {"packet host1 body at 3ms;", "column 26: end, expected one of cut, packet, credit, crash, dead, dma"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        char error[FAULT_ERROR];
        disk_fault_plan plan;
        ck_assert_int_eq(disk_fault_read(cases[i].text, 4, &plan, error), -1);
        ck_assert_str_eq(error, cases[i].error);
    }
}
