/* One destination of eight stops or is slow: throughput of the others; no packet is lost or reordered. */
#include <stdlib.h>

#include "nic_1voq.h"
#include "sim/traffic/scenario/head_of_line.h"
#include "test.h"

static head_of_line run(const head_of_line_params *p)
{
    head_of_line r;
    int bad = head_of_line_run(p, &r);
    ck_assert_msg(!bad, "%s", r.error);
    return r;
}

TEST_CASE("head_of_line", .timeout = 60);

/* The seven others share the whole link, in equal parts; its data go to external memory and come back. */
TEST(the_others_keep_full_rate_while_one_destination_is_stopped, .to = 2)
{
    head_of_line_params p;
    head_of_line_params_default(&p);
    p.warm_up = 400 * SIM_US;
    p.stop = SIM_MS;
    p.victims = _i ? 1 << 7 : 1 << 0;
    p.port.sim.seed += (uint64_t)_i << 32;
    head_of_line r = run(&p);
    ck_assert_msg(r.before >= 285, "all had %.1f MiB/s", r.before);
    ck_assert_msg(r.others_stopped >= 0.99 * r.before, "all had %.1f MiB/s, now seven have %.1f", r.before,
                  r.others_stopped);
    /* a millisecond is some 85 packets for each, so a packet more or less is 1.2 % */
    ck_assert_msg(7 * r.slowest_stopped >= 0.97 * r.others_stopped, "the slowest had %.1f of %.1f MiB/s",
                  r.slowest_stopped, r.others_stopped);
    ck_assert_msg(r.others_recovering >= 0.99 * r.before * 7 / 8, "all had %.1f, afterwards seven had %.1f MiB/s",
                  r.before, r.others_recovering);
    ck_assert_uint_gt(r.migrated, 4096);
    ck_assert_uint_eq(r.fetched, r.migrated);
    ck_assert_uint_eq(r.exhausted, 0);
}

/* The NIC with one queue for all destinations: the design that virtual output queues replace. */
TEST(with_a_single_queue_one_stopped_destination_stops_all)
{
    head_of_line_params p;
    head_of_line_params_default(&p);
    p.warm_up = 400 * SIM_US;
    p.stop = SIM_MS;
    p.port.node.nic = &nic_1voq_config;
    head_of_line r = run(&p);
    ck_assert_msg(r.others_stopped < 0.1 * r.before, "all had %.1f MiB/s, now seven have %.1f", r.before,
                  r.others_stopped);
    ck_assert_msg(r.others_recovering > 0.9 * r.before * 7 / 8, "all had %.1f, afterwards seven had %.1f MiB/s",
                  r.before, r.others_recovering);
}

struct shape {
    unsigned bytes, victim, slow, payload, slots;
};
static const struct shape shapes[] = {
    {496, 0, 0, 62, 0}, {496, 7, 16, 62, 0}, {4096, 5, 0, 62, 24}, {4096, 1, 40, 13, 16},
    {24, 2, 0, 62, 0},  {8, 6, 2, 62, 0},    {248, 3, 0, 1, 16},
};

TEST(nothing_is_lost_or_reordered_when_one_destination_stands, .to = COUNT(shapes))
{
    const struct shape *s = &shapes[_i];
    head_of_line_params p;
    head_of_line_params_default(&p);
    p.bytes = s->bytes;
    p.victims = 1u << s->victim;
    p.slow = s->slow;
    p.port.driver.payload_words = s->payload;
    p.port.driver.slots = s->slots;
    p.warm_up = 300 * SIM_US;
    p.before = 50 * SIM_US;
    p.stop = 300 * SIM_US;
    head_of_line r = run(&p);
    ck_assert_uint_gt(r.victims_waited, 0);
}

/* ---- the run itself notices errors */

struct fault {
    uint64_t at; /* word of the link */
    uint32_t flip;
    int lose; /* words that become idle */
    unsigned done;
};

static void tap(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct fault *f = self;
    (void)flip;
    if (from || word_index < f->at) return;
    if (f->flip && !*k && !f->done) {
        *data ^= f->flip;
        f->done = 1;
    }
    if (f->lose > 0 && (f->done || *k == 8)) {
        f->done = 1;
        f->lose--;
        *data = 0xbcbcbcbc;
        *k = 15;
    }
}

static void started(void *arg, port *p) { cable_set_tap(p->wire, tap, arg); }

static struct fault faults[] = {
    {25000, 0x00010000, 0, 0}, /* one bit somewhere in a frame */
    {25001, 0x00000001, 0, 0},
    {25000, 0, 129, 0}, /* a packet */
    {28000, 0, 2000, 0},
};

TEST(damage_on_the_cable_does_not_pass_unnoticed, .to = COUNT(faults))
{
    head_of_line_params p;
    head_of_line r;
    head_of_line_params_default(&p);
    p.warm_up = 300 * SIM_US;
    p.before = 50 * SIM_US;
    p.stop = 300 * SIM_US;
    p.port.sim.quiet = 1;
    p.started = started;
    p.arg = &faults[_i];
    ck_assert_int_eq(head_of_line_run(&p, &r), -1);
    ck_assert_uint_eq(faults[_i].done, 1);
    ck_assert_msg(*r.error, "a reason was expected");
}
