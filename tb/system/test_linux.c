/* make linux without a kernel: guests in C in its place (c_guest.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "c_guest.h"
#include "crossbar2.h"
#include "nic_register_map.h"
#include "nx.h"
#include "nx_bus.h"
#include "shell.h"
#include "sim/app/linux/linux_world.h"
#include "sim/model/host/pcix_agent.h"
#include "sim/model/host/pcix_target.h"
#include "test.h"

TEST_CASE("linux", .timeout = 120, .teardown = shell_clean);

/* What a test may say of a run. */
static linux_options options(int (*guest)(int argc, char **argv))
{
    char error[OPTION_ERROR] = "";
    char name[] = "linux";
    char *none[] = {name, NULL};
    linux_options o;
    ck_assert_int_eq(linux_options_read(&o, 1, none, error), 0);
    o.guest = guest;
    o.logs = shell_folder();
    return o;
}

/* Two of these guests; the world, after its run. */
static linux_world *run_with(const linux_options *o, int code)
{
    char error[LINUX_ERROR] = "";
    linux_world *w = linux_world_new(o, &crossbar2_config, error);
    ck_assert_msg(w != NULL, "%s", error);
    const int got = linux_world_run(w);
    if (got != code) {
        (void)shell("cat $D/*.log >&2");
        linux_report(w, stderr);
    }
    ck_assert_msg(got == code, "code %d, expected %d: %s", got, code, w->failure);
    return w;
}

static linux_world *run_guests(int (*guest)(int argc, char **argv), int code)
{
    const linux_options o = options(guest);
    return run_with(&o, code);
}

#define ck_log_has(host, text) ck_assert_int_eq(shell("grep -q '%s' $D/host%u.log", text, host), 0)

/* ---- software of guests ---- */

static void must(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "not so: %s\n", what);
    exit(4);
}

typedef struct seat {
    c_guest *g;
    struct nx_platform p;
    nx_bus *bus;
    nx_device *dev;
} seat;

/* Opens the driver on the NIC and waits for its link. */
static seat *open_nic(int argc, char **argv)
{
    static seat n;
    nx_params params = nx_params_default();
    n.g = c_guest_new(argc, argv);
    n.p = c_guest_platform(n.g);
    params.node_id = n.g->host - 1;
    params.direct = 0;
    must(!nx_bus_scan(&n.p, NULL, &n.bus), "the bus is scanned");
    must(!nx_open(&n.p, nx_bus_find(n.bus, NX_VENDOR_ID, NX_DEVICE_ID, 0), &params, &n.dev), "the driver opens");
    must(!nx_wait_link(n.dev), "the link is up");
    return &n;
}

static int close_nic(seat *n)
{
    const c_guest *g = n->g;
    printf("at %llu ns, %llu polls, %u interrupts\n", (unsigned long long)g->now, (unsigned long long)g->polls,
           g->interrupts);
    nx_close(n->dev);
    nx_bus_free(n->bus);
    return c_guest_end(n->g, 0);
}

/* ---- enumeration ---- */

static int enumerate(int argc, char **argv)
{
    seat *n = open_nic(argc, argv);
    uint32_t id = 0;
    n->p.config_read(n->p.self, 1, 0, 4, &id);
    printf("id %08x, %u queues\n", id, nx_queues(n->dev));
    must(!chdir(n->g->folder) && !system("lspci -F config | grep -q '^00:01.0 .*17df'"), "lspci reads the scan's dump");
    return close_nic(n);
}

TEST(two_guests_enumerate_their_nics_and_get_their_links_up)
{
    linux_world *w = run_guests(enumerate, 0);
    ck_log_has(1, "^id 17df1600, 8 queues");
    ck_log_has(2, "^id 17df1600, 8 queues");
    for (int i = 0; i < 2; i++) {
        const guest_bus_counts *c = guest_bus_get_counts(w->guest[i].bus);
        ck_assert_uint_gt(c->config_reads, 10);
        ck_assert_uint_gt(c->writes, 5);
        ck_assert_uint_eq(c->failed, 0);
        ck_assert_uint_eq(c->resets, 1);
    }
    linux_world_free(w);
}

/* ---- stores and loads ---- */

static uint64_t pattern(uint64_t at) { return (at + 1) * 0x9e3779b97f4a7c15u; }

/* 1000 stores of all sizes in a row, then loads of all sizes; a load sees the store just before it. */
static int store_and_load(int argc, char **argv)
{
    static const uint32_t sizes[] = {8, 4, 2, 1, 64, 200, 4096};
    c_guest *g = c_guest_new(argc, argv);
    uint8_t image[0x8000], back[4096];
    const uint8_t ones = 0xee;
    uint32_t at = 0;
    for (unsigned i = 0; i < sizeof image / 8; i++) memcpy(image + 8 * i, &(uint64_t){pattern(i)}, 8);
    c_guest_place(g);
    for (unsigned n = 0; n < 1000; n++, at += 8) c_guest_put(g, C_WRITE, 0, at, image + at, 8);
    for (unsigned i = 0; i < 7; at += sizes[i++]) c_guest_put(g, C_WRITE, 0, at, image + at, sizes[i]);
    for (uint32_t from = 0; from < at; from += sizeof back) {
        const uint32_t size = at - from < sizeof back ? at - from : sizeof back;
        c_guest_get(g, C_READ, 0, from, back, size);
        must(!memcmp(back, image + from, size), "all stores have arrived");
    }
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t from = 0; from < 24; from += sizes[i]) {
            const uint64_t value = pattern(77 + from);
            c_guest_put(g, C_WRITE, 0, from, &value, sizes[i]);
            c_guest_get(g, C_READ, 0, from, back, sizes[i]);
            must(!memcmp(back, &value, sizes[i]), "a load comes behind the store before it");
        }
    c_guest_put(g, C_FILL, 0, 0x100, &ones, 100);
    c_guest_get(g, C_READ, 0, 0x100, back, 100);
    for (unsigned i = 0; i < 100; i++) must(back[i] == ones, "a fill stores its byte");
    return c_guest_end(g, 0);
}

TEST(stores_in_a_row_arrive_in_order_before_a_load)
{
    linux_world *w = run_guests(store_and_load, 0);
    const guest_bus_counts *c = guest_bus_get_counts(w->guest[0].bus);
    ck_assert_uint_eq(c->writes, 1000 + 7 + 3 + 6 + 12 + 24 + 1);
    ck_assert_uint_eq(c->failed, 0);
    linux_world_free(w);
}

/* Memory of another kind: what no BAR claims ends in ones, and does not stop the queue. */
static int load_from_nowhere(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t value = 0, id = 0;
    c_guest_get(g, C_READ, 2, 0, &value, 4); /* no such BAR: address 0 */
    must(value == UINT32_MAX, "what nobody claims reads as ones");
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    must(id == (NX_DEVICE_ID << 16 | NX_VENDOR_ID), "the device is still there");
    return c_guest_end(g, 0);
}

TEST(a_load_that_nobody_claims_gives_ones)
{
    linux_world *w = run_guests(load_from_nowhere, 0);
    ck_assert_uint_eq(guest_bus_get_counts(w->guest[0].bus)->failed, 1);
    linux_world_free(w);
}

/* ---- a load without an end ---- */

/* An agent that claims 0xf9000000 and answers with Retry, for ever. */
static struct {
    pcix_bus *bus;
    pcix_target target;
    pcix_parity_state parity;
} deaf;

static bool claim(void *owner, const pcix_access *q, pcix_answer *a)
{
    (void)owner;
    *a = (pcix_answer){.decode = 2};
    return !q->idsel && q->address >> 24 == 0xf9;
}

static void say_retry(void *owner, const pcix_access *q, pcix_answer *a)
{
    (void)owner, (void)q;
    a->end = PCIX_END_RETRY;
}

static void end(void *owner, const pcix_access *q, int how, unsigned bytes, bool parity_error)
{
    (void)owner, (void)q, (void)how, (void)bytes, (void)parity_error;
}

static void be_deaf(void *self, const pcix_sample *now, pcix_drive *out)
{
    (void)self;
    pcix_target_step(&deaf.target, now, pcix_bus_at(deaf.bus, now->clock - 1), false, 5, out);
    pcix_drive_parity(&deaf.parity, out);
}

/* A BAR of the guest's own making is there. Behind it nothing is answered any more, and each load ends. */
static int load_for_ever(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t value = 0, id = 0, bar = 0xf9000000;
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    must(id == (NX_DEVICE_ID << 16 | NX_VENDOR_ID), "the device is there");
    c_guest_put(g, C_CONFIG_WRITE, 0, 0x18, &bar, 4);
    for (int i = 0; i < 3; i++) {
        c_guest_get(g, C_READ, 2, 0, &value, 4);
        must(value == UINT32_MAX, "what is not answered ends in ones");
        value = 0;
    }
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    must(id == UINT32_MAX, "so do loads behind it");
    return c_guest_end(g, 0);
}

TEST(a_load_without_an_answer_ends_in_ones)
{
    static const pcix_target_calls calls = {.claim = claim, .answer = say_retry, .end = end};
    const linux_options o = options(load_for_ever);
    char error[LINUX_ERROR] = "";
    linux_world *w = linux_world_new(&o, &crossbar2_config, error);
    ck_assert_msg(w != NULL, "%s", error);
    for (int i = 0; i < 2; i++) guest_bus_set_patience(w->guest[i].bus, 100 * SIM_US);
    deaf.bus = host_bus(w->f->node[0]->host);
    deaf.target.calls = &calls;
    pcix_target_reset(&deaf.target);
    ck_assert_int_ge(pcix_bus_add_agent(deaf.bus, "deaf", be_deaf, NULL), 0);
    linux_world_run(w);
    const guest_bus_counts *c = guest_bus_get_counts(w->guest[0].bus);
    ck_assert_uint_eq(c->failed, 4);
    linux_world_free(w);
}

/* ---- DMA and interrupts ---- */

TEST_CASE("linux_messages", .timeout = 120, .teardown = shell_clean);

enum { MESSAGE = 4096, ROUNDS = 40 };

static void check_nx(const seat *n, int result)
{
    if (!result) return;
    fprintf(stderr, "%s\n", nx_last_error(n->dev));
    exit(4);
}

/* Messages to and fro, each with a time of its own between interrupt and answer. Host 1 begins. */
static int play(seat *n, unsigned rounds, unsigned bytes, unsigned step)
{
    const unsigned peer = 2 - n->g->host;
    const uint64_t out = n->p.alloc(n->p.self, MESSAGE, 8), in = 0x01000000;
    uint64_t words[MESSAGE / 8], got[MESSAGE / 8];
    check_nx(n, nx_use_interrupts(n->dev, 1));
    for (unsigned r = 0; r < 2 * rounds; r++) {
        nx_ticket ticket;
        nx_notification note;
        for (unsigned i = 0; i < bytes / 8; i++) words[i] = pattern(i + r * 1000);
        c_guest_wait(n->g, n->g->now + step * (r / 2) % 5000);
        if (r % 2 == n->g->host - 1) {
            n->p.mem_write(n->p.self, out, words, bytes);
            check_nx(n,
                     nx_transfer(n->dev, peer, out, (uint32_t)in, bytes, NX_REMOTE | NX_INTERRUPT | NX_LOCAL, &ticket));
            check_nx(n, nx_wait(n->dev, &ticket));
            continue;
        }
        check_nx(n, nx_notification_wait(n->dev, peer, &note));
        n->p.mem_read(n->p.self, in, got, bytes);
        must(!memcmp(got, words, bytes), "a message arrives as it was sent");
    }
    const nx_wait_statistics waits = nx_wait_counts(n->dev);
    printf("late %llu, sleeps %llu, interrupts %llu\n", (unsigned long long)waits.late,
           (unsigned long long)waits.sleeps, (unsigned long long)waits.interrupts);
    must(waits.late == 0 && waits.interrupts > 0, "no interrupt is late");
    return close_nic(n);
}

static int exchange(int argc, char **argv) { return play(open_nic(argc, argv), ROUNDS, MESSAGE, 0); }

TEST(messages_cross_the_switch_by_dma_and_interrupts)
{
    linux_world *w = run_guests(exchange, 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_ge(guest_bus_get_counts(w->guest[i].bus)->raised, ROUNDS / 2);
        ck_assert_uint_ge(host_get_stats(w->f->node[i]->host)->bytes, 2 * ROUNDS * MESSAGE);
    }
    linux_world_free(w);
}

/* The NIC of host 1 is told to read what is no memory of the guest's: behind its end, and in the kernel before it. */
static int send_what_is_not_there(int argc, char **argv)
{
    static const uint64_t places[] = {C_GUEST_MEMORY, C_GUEST_FROM - 4096};
    seat *n = open_nic(argc, argv);
    nx_status status;
    for (unsigned i = 0; n->g->host == 1 && i < 2; i++) {
        nx_ticket ticket;
        check_nx(n, nx_transfer(n->dev, 1, places[i], 0x01000000, 64, NX_LOCAL, &ticket));
        c_guest_wait(n->g, n->g->now + 100000);
        check_nx(n, nx_status_read(n->dev, &status));
        printf("status %08x\n", status.status);
        check_nx(n, nx_reset(n->dev));
    }
    return close_nic(n);
}

static uint64_t master_aborts(int (*guest)(int argc, char **argv))
{
    linux_world *w = run_guests(guest, 0);
    const uint64_t count = host_get_stats(w->f->node[0]->host)->by_end[PCIX_END_MASTER_ABORT];
    linux_world_free(w);
    return count;
}

TEST(nobody_claims_what_is_outside_of_a_guests_memory)
{
    ck_assert_uint_eq(master_aborts(send_what_is_not_there), master_aborts(enumerate) + 2);
}

/* Arrivals at every phase of enable, flush, look, sleep: each round moves them by 7 ns. */
static int drift(int argc, char **argv) { return play(open_nic(argc, argv), (unsigned)long_runs(400, 50000), 8, 7); }

TEST(no_interrupt_is_lost_at_any_phase) { linux_world_free(run_guests(drift, 0)); }

TEST(the_same_seed_is_the_same_run)
{
    for (int i = 0; i < 2; i++) {
        linux_world_free(run_guests(exchange, 0));
        ck_assert_int_eq(shell("cat $D/host*.log >$D/said%d", i), 0);
    }
    ck_assert_int_eq(shell("cmp $D/said0 $D/said1"), 0);
}

/* ---- time ---- */

TEST_CASE("linux_time", .timeout = 120, .teardown = shell_clean);

static int sleep_long(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t id;
    c_guest_wait(g, g->now + (g->host == 1 ? 2000000000 : 700000));
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    return c_guest_end(g, 0);
}

TEST(time_in_which_nothing_moves_is_skipped)
{
    linux_world *w = run_guests(sleep_long, 0);
    ck_assert_uint_ge(linux_world_now(w), 2000000000);
    ck_assert_uint_ge(w->skipped, 1990000000);
    ck_assert_uint_le(w->simulated, 3 * LINUX_QUIET);
    linux_world_free(w);
}

/* Steps of 256 ns, as of a clock that is read, with a register read between some. */
static int read_clock(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t id;
    c_guest_wait(g, g->now + (g->host == 1 ? 500000 : 100000000));
    for (int i = 0; g->host == 1 && i < 40000; i++) {
        if (i % 10000 == 9999) c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
        c_guest_wait(g, g->now + 256);
    }
    printf("%llu ns, %u messages\n", (unsigned long long)g->now, g->sequence);
    must(g->sequence < 20000, "a guest that is alone does not ask for each step");
    return c_guest_end(g, 0);
}

TEST(short_steps_of_a_guest_that_is_alone_cost_nothing) { linux_world_free(run_guests(read_clock, 0)); }

static int sleep_short(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    c_guest_wait(g, g->now + 1000000);
    return c_guest_end(g, 0);
}

TEST(with_skip_0_all_time_is_simulated)
{
    linux_options o = options(sleep_short);
    o.skip = 0;
    linux_world *w = run_with(&o, 0);
    ck_assert_uint_eq(w->skipped, 0);
    ck_assert_uint_ge(w->simulated, SIM_MS);
    linux_world_free(w);
}

static int sleep_for_ever(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    c_guest_wait(g, TIME_TRAVEL_NEVER);
    return 0;
}

TEST(guests_that_all_sleep_for_ever_end_the_run)
{
    linux_world *w = run_guests(sleep_for_ever, 1);
    ck_assert_str_eq(w->failure, "all guests sleep for ever, and nothing is under way");
    linux_world_free(w);
}

static int spin(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    const uint32_t zero = 0;
    c_guest_put(g, C_CONFIG_WRITE, 0, 0x3c, &zero, 1);
    if (g->host == 1) pause();
    c_guest_wait(g, TIME_TRAVEL_NEVER);
    return 0;
}

TEST(a_guest_that_lets_no_time_pass_ends_the_run)
{
    linux_options o = options(spin);
    o.silence = 0.3;
    linux_world *w = run_with(&o, 1);
    ck_assert_str_eq(w->failure, "host1 has let no time pass for 0.3 s of wall time; the last that it asked for: "
                                 "configuration write of 1 bytes at 0x3c");
    linux_world_free(w);
}

static int idle(int argc, char **argv)
{
    (void)argc, (void)argv;
    pause();
    return 0;
}

TEST(a_guest_that_never_connects_ends_the_run)
{
    linux_options o = options(idle);
    o.connect = 0.3;
    linux_world *w = run_with(&o, 1);
    ck_assert_str_eq(w->failure, "host1 has not connected within 0.3 s, see its log");
    linux_world_free(w);
}

/* ---- the end ---- */

/* Host 2 waits for the file `stop`, in steps of 10 us. */
static int serve(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/stop", g->folder);
    if (g->host == 1) return c_guest_end(g, 7);
    while (stat(path, &st)) c_guest_wait(g, g->now + 10000);
    puts("stopped");
    return c_guest_end(g, 0);
}

TEST(the_code_is_that_of_host1_and_others_are_asked_to_stop)
{
    linux_world_free(run_guests(serve, 7));
    ck_log_has(2, "^stopped");
}

static int ignore_stop(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    if (g->host == 1) return c_guest_end(g, 0);
    for (;;) c_guest_wait(g, g->now + 1000000);
    return 0;
}

TEST(a_guest_that_does_not_stop_is_ended)
{
    linux_world *w = run_guests(ignore_stop, 0);
    ck_assert_int_eq(w->guest[1].pid, 0);
    ck_assert_uint_ge(linux_world_now(w), LINUX_STOP);
    ck_assert_uint_le(linux_world_now(w), LINUX_STOP + 2000000);
    linux_world_free(w);
}

static int end_early(int argc, char **argv)
{
    c_guest_new(argc, argv);
    return 5;
}

static int do_not_start(int argc, char **argv)
{
    (void)argc, (void)argv;
    puts("/dev/shm must be not mounted noexec");
    return 1;
}

TEST(a_kernel_that_does_not_start_is_a_failure)
{
    linux_world *w = run_guests(do_not_start, 1);
    ck_assert_str_eq(w->failure,
                     "host1 does not start (exit code 1): /dev/shm must be not mounted noexec (TMPDIR=folder: "
                     "its memory goes there)");
    linux_world_free(w);
}

TEST(host1_without_a_result_is_a_failure)
{
    linux_world *w = run_guests(end_early, 1);
    ck_assert_str_eq(w->failure, "host1 has ended without a result of its job (exit code 5), see its log");
    linux_world_free(w);
}

static int warn(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    puts("[    0.000001] WARNING: CPU: 0 PID: 1 at kernel/x.c:3");
    return c_guest_end(g, 0);
}

TEST(a_warning_of_the_kernel_is_kept)
{
    linux_world *w = run_guests(warn, 0);
    ck_assert_str_eq(w->guest[0].bad, "[    0.000001] WARNING: CPU: 0 PID: 1 at kernel/x.c:3");
    linux_world_free(w);
}

static int interrupt(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    if (g->host == 1) kill(getppid(), SIGINT);
    for (;;) c_guest_wait(g, g->now + 1000000);
    return 0;
}

TEST(ctrl_c_ends_the_guests_first)
{
    linux_world *w = run_guests(interrupt, 130);
    char folder[80];
    strcpy(folder, w->folder);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(w->guest[i].pid, 0);
    linux_world_free(w);
    ck_assert_int_ne(access(folder, F_OK), 0);
}

/* ---- faults ---- */

/* The first life of `mortal` waits for its end, the second one's job ends well. */
static int live_twice(c_guest *g, unsigned mortal)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/born", g->folder);
    const int again = !stat(path, &st);
    if (g->host != mortal) snprintf(path, sizeof path, "%s/stop", g->folder);
    else if (!again) fclose(fopen(path, "w"));
    printf("life %d at %llu us\n", 1 + again, (unsigned long long)g->now / 1000);
    fflush(stdout);
    if (g->host == mortal && again) return c_guest_end(g, 0);
    if (g->host == 1) { /* until host 2 has lived twice */
        c_guest_wait(g, 5000000);
        return c_guest_end(g, 0);
    }
    do c_guest_wait(g, g->now + 10000);
    while (g->host == mortal || stat(path, &st));
    return c_guest_end(g, 0);
}

static int host1_dies(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    if (g->host != 1) return live_twice(g, 1);
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/born", g->folder);
    if (!stat(path, &st)) return puts("life 2"), c_guest_end(g, 6);
    fclose(fopen(path, "w"));
    for (;;) c_guest_wait(g, g->now + 10000);
    return 0;
}

static int host2_dies(int argc, char **argv) { return live_twice(c_guest_new(argc, argv), 2); }

static linux_world *run_faults(int (*guest)(int argc, char **argv), const char *plan, int code)
{
    char error[400] = "";
    linux_options o = options(guest);
    ck_assert_msg(!linux_faults_read(plan, 2, &o.plan, error), "%s", error);
    linux_world *w = run_with(&o, code);
    for (unsigned i = 0; i < w->faults.count; i++) ck_assert_msg(w->faults.fault[i].begun, "fault %u", i);
    return w;
}

TEST(a_guest_is_killed_and_started_again)
{
    linux_world *w = run_faults(host2_dies, "kill host2 at 1ms; start host2 at 2ms; start host1 at 3ms", 0);
    ck_log_has(2, "^life 1 at 3[0-9] us");
    ck_log_has(2, "^life 2 at 20[0-9][0-9] us");
    ck_assert_ptr_null(w->faults.fault[0].wrong);
    ck_assert_ptr_null(w->faults.fault[1].wrong);
    ck_assert_str_eq(w->faults.fault[2].wrong, "it was running");
    linux_world_free(w);
}

TEST(host1_that_is_killed_ends_the_run_unless_it_is_started_again)
{
    linux_world *w = run_faults(host1_dies, "kill host1 at 1ms; start host1 at 2ms", 6);
    ck_log_has(1, "^life 2");
    linux_world_free(w);
    shell_clean();
    w = run_faults(host1_dies, "kill host1 at 1ms", 1);
    ck_assert_str_eq(w->failure, "host1 has ended without a result of its job (exit code 137), see its log");
    linux_world_free(w);
}

static int watch_link(int argc, char **argv)
{
    seat *n = open_nic(argc, argv);
    uint32_t link = 0;
    for (unsigned i = 0; i < 3; i++) {
        c_guest_wait(n->g, 1020000 + 1000000 * (uint64_t)i);
        must(!nx_register_read(n->dev, NIC_LINK_STATUS, &link), "the NIC answers");
        printf("%s\n", link & NIC_LINK_STATUS_UP_MASK ? "up" : "down");
    }
    return close_nic(n);
}

TEST(a_cable_is_cut_for_a_while_and_for_ever)
{
    linux_world *w = run_faults(watch_link, "cut host1 at 1ms for 50us; cut host1 at 3ms for ever", 0);
    ck_assert_int_eq(shell("[ \"$(head -n 3 $D/host1.log | paste -sd,)\" = down,up,down ]"), 0);
    ck_assert_int_eq(shell("[ \"$(head -n 3 $D/host2.log | paste -sd,)\" = up,up,up ]"), 0);
    linux_world_free(w);
}

TEST(plans_that_cannot_be_are_refused)
{
    static const struct {
        const char *text, *error;
    } cases[] = {{"kill host3 at 1ms", "faults: column 6: 'host3', expected host1..host2"},
                 {"cut host0 at 1ms for 1us", "faults: column 5: 'host0', expected host1..host2"},
                 {"cut target at 1ms for 1us", "faults: column 5: 'target', expected host1..host2"},
                 {"kill host1 every 3ms", "faults: column 12: 'every', expected at"},
                 {"cut host1 at 1ms", "faults: column 17: end, expected for and how long"},
                 {"crash host1 at 1ms", "faults: column 1: 'crash', expected one of cut, kill, start, pull"}};
    for (int i = 0; i < COUNT(cases); i++) {
        linux_faults faults;
        char error[400] = "";
        ck_assert_int_eq(linux_faults_read(cases[i].text, 2, &faults, error), -1);
        ck_assert_str_eq(error, cases[i].error);
    }
}

/* ---- hostile guests ---- */

TEST_CASE("linux_hostile", .timeout = 120, .teardown = shell_clean);

static void kick(c_guest *g)
{
    const uint32_t queue[2] = {0, 0};
    c_guest_say(g, 35, queue, 8, -1);
}

/* A command of these bytes, as its descriptors say. */
static void command(c_guest *g, const void *bytes, uint32_t size, uint32_t said, uint16_t flags, uint16_t next)
{
    const uint64_t at = 0x700000;
    const struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } d = {at, said, flags, next};
    const uint16_t head = 0, one = (uint16_t)(g->ring[0].given + 1);
    memcpy(g->memory + at, bytes, size);
    memcpy(g->memory + g->ring[0].descriptors, &d, sizeof d);
    memcpy(g->memory + g->ring[0].available + 4 + 2 * (g->ring[0].given++ % C_GUEST_RING), &head, 2);
    memcpy(g->memory + g->ring[0].available + 2, &one, 2);
    kick(g);
}

static void odd_operation(c_guest *g) { command(g, "\x09", 2, 16, 0, 0); }
static void short_command(c_guest *g) { command(g, "\x02", 2, 7, 0, 0); }
static void outside_of_memory(c_guest *g) { command(g, "\x02", 2, 0x7fffffff, 0, 0); }
static void loop(c_guest *g) { command(g, "\x02", 2, 16, 1, 0); }
static void indirect(c_guest *g) { command(g, "\x02", 2, 16, 4, 0); }
static void no_such_descriptor(c_guest *g) { command(g, "\x02", 2, 16, 1, 999); }
static void memset_io(c_guest *g)
{
    const uint8_t message[24] = {2, 0, 0, 0, 100};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void no_such_bar(c_guest *g)
{
    const uint8_t message[24] = {4, 9, 0, 0, 4};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void no_data(c_guest *g)
{
    const uint8_t message[16] = {4, 0, 0, 0, 200};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void no_room_for_an_answer(c_guest *g)
{
    const uint8_t message[16] = {3, 0, 0, 0, 4};
    command(g, message, sizeof message, sizeof message, 0, 0);
}
static void ring_outside(c_guest *g)
{
    const uint64_t place[5] = {0, 0x10, 0x20, 0x30, 0};
    c_guest_say(g, 9, place, sizeof place, -1);
}
static void ring_of_odd_size(c_guest *g)
{
    const uint32_t size[2] = {0, 77};
    c_guest_say(g, 8, size, sizeof size, -1);
}
static void no_such_queue(c_guest *g)
{
    const uint32_t size[2] = {7, 64};
    c_guest_say(g, 8, size, sizeof size, -1);
}
static void unknown_message(c_guest *g) { c_guest_say(g, 30, NULL, 0, -1); }
static void long_message(c_guest *g)
{
    const vhost_user_header h = {35, 9, 100000};
    (void)!write(g->device, &h, sizeof h);
    pause();
}
static void half_a_message(c_guest *g)
{
    const vhost_user_header h = {35, 9, 8};
    (void)!write(g->device, &h, 7);
    close(g->device);
    pause();
}
static void half_of_time(c_guest *g)
{
    (void)!write(g->clock, "abc", 3);
    close(g->clock);
    pause();
}
static void odd_time(c_guest *g) { c_guest_ask(g, 6, 0); }
static void wait_for_nothing(c_guest *g) { c_guest_ask(g, 3, 0); }
static void memory_twice(c_guest *g)
{
    const uint64_t memory[5] = {1, C_GUEST_FROM, 4096, C_GUEST_FROM, C_GUEST_FROM};
    c_guest_say(g, 5, memory, sizeof memory, g->file);
}
static void shorter_memory(c_guest *g)
{
    memcpy(g->memory + g->ring[0].available + 2, "\0", 2);
    (void)!ftruncate(g->file, 0);
    c_guest_say(g, 35, (const uint32_t[2]){0, 0}, 8, -1);
    c_guest_say(g, 1, NULL, 0, -1);
}
static void many_stores(c_guest *g)
{
    const uint32_t zero = 0;
    for (;;) c_guest_put(g, C_WRITE, 1, 0x1000, &zero, 4);
}
static void too_many_chains(c_guest *g)
{
    const uint16_t far = (uint16_t)(g->ring[0].given + 5000);
    memcpy(g->memory + g->ring[0].available + 2, &far, 2);
    kick(g);
}

static const struct attack {
    void (*strike)(c_guest *g);
    const char *text;
} attacks[] = {
    {odd_operation, "command 9, expected 1 to 5"},
    {short_command, "command of 7 bytes, expected 16 or more"},
    {outside_of_memory, "queue 0: 0x7fffffff bytes at 0x700000, expected at most 65552 in the guest's memory"},
    {loop, "queue 0: descriptors that form a loop"},
    {indirect, "queue 0: an indirect descriptor, which was not offered"},
    {no_such_descriptor, "queue 0: descriptor 999 of 256"},
    {memset_io, "(memset_io comes as one)"},
    {no_such_bar, "of BAR9, expected 1 to 65536 bytes of BAR0 to BAR5"},
    {no_data, "write of 200 bytes with 0 of data"},
    {no_room_for_an_answer, "read of 4 bytes with room for 0, expected no less"},
    {ring_outside, "queue 0: 0x10, 0x20, 0x30: expected all of it in the guest's memory"},
    {ring_of_odd_size, "queue 0: size 77, expected a power of two up to 1024"},
    {no_such_queue, "message 8 of queue 7, expected 0 or 1"},
    {unknown_message, "message 30 of 0 bytes with flags 0x9"},
    {long_message, "message 35 of 100000 bytes"},
    {half_a_message, "the socket is closed in the middle of a message"},
    {half_of_time, "time travel: the socket is closed in the middle of a message"},
    {odd_time, "time travel: a message that is none of a guest's"},
    {wait_for_nothing, "time travel: the guest waits, and has not asked for a time"},
    {memory_twice, "another table of memory, expected one"},
    {shorter_memory, "the file of its memory has become shorter"},
    {many_stores, "more than 65536 accesses without letting time pass"},
    {too_many_chains, "queue 0: 5000 chains at once in 256 descriptors"},
};
static const struct attack *attack;

/* Host 1 uses its NIC all the time, host 2 is hostile. */
static int be_hostile(int argc, char **argv)
{
    c_guest *g = c_guest_new(argc, argv);
    uint32_t id;
    for (int i = 0; g->host == 1 && i < 100; i++) {
        c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
        must(id == (NX_DEVICE_ID << 16 | NX_VENDOR_ID), "the other host goes on");
    }
    if (g->host == 1) return c_guest_end(g, 0);
    c_guest_get(g, C_CONFIG_READ, 0, 0, &id, 4);
    attack->strike(g);
    return 0;
}

TEST(a_hostile_guest_is_dropped_alone, .to = COUNT(attacks))
{
    attack = &attacks[_i];
    linux_world *w = run_guests(be_hostile, 0);
    ck_assert_str_eq(w->guest[0].error, "");
    ck_assert_msg(strstr(w->guest[1].error, attack->text) != NULL, "expected \"%s\" in: %s", attack->text,
                  w->guest[1].error);
    ck_assert_ptr_null(w->guest[1].front);
    linux_world_free(w);
}
