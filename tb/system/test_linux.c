/* make linux without a kernel: guests in C in its place; accesses, DMA, interrupts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crossbar2.h"
#include "linux_bench.h"
#include "nic_register_map.h"
#include "sim/model/host/pcix_agent.h"
#include "sim/model/host/pcix_target.h"
#include "test.h"

TEST_CASE("linux", .timeout = 120, .teardown = shell_clean);

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
    const linux_options o = guest_options(load_for_ever);
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
