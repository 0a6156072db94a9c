/* External memory runs out: a queue's own limit, all blocks of the memory, or no bodies at all. The pressure goes back
 * to the request queues, the other destinations do not notice, nothing is lost, and when the destination goes again
 * everything comes back. */
#include <stdlib.h>

#include "nic_64blocks.h"
#include "sim/traffic/scenario/head_of_line.h"
#include "test.h"

static head_of_line run(const head_of_line_params *p)
{
    head_of_line r;
    int bad = head_of_line_run(p, &r);
    ck_assert_msg(!bad, "%s", r.error);
    return r;
}

enum { BLOCK_WORDS = 64, RING_WORDS = 1024, STAGING_WORDS = 1024 };

static void defaults(head_of_line_params *p, int variation)
{
    head_of_line_params_default(p);
    p->port.sim.seed += (uint64_t)variation << 32;
    p->bytes = 3968; /* eight packets */
    p->warm_up = 300 * SIM_US;
    p->before = 50 * SIM_US;
    p->stop = 500 * SIM_US;
    p->port.driver.slots = 18;
}

/* Data taken from a victim's request queue fit into its ring, its blocks and the staging; the rest waits in the queue.
 */
static void pressure_is_in_the_queue(const head_of_line *r, const head_of_line_params *p, unsigned blocks)
{
    unsigned words = RING_WORDS + blocks * BLOCK_WORDS + STAGING_WORDS, most = words / (p->bytes / 8) + 2,
             slots = p->port.driver.slots;
    ck_assert_msg(r->queued + most >= slots, "%u of %u descriptors are queued, at most %u can have been taken",
                  r->queued, slots, most);
    ck_assert_uint_gt(r->queued, 0);
}

static const int limits[] = {0, 1, 8, 30, 60};

TEST_CASE("body_exhausted", .timeout = 60);

TEST(a_queue_at_its_limit_presses_back_and_the_others_do_not_notice, .to = COUNT(limits))
{
    head_of_line_params p;
    unsigned limit = (unsigned)limits[_i];
    defaults(&p, _i);
    p.body_limit = limits[_i];
    p.victims = 1u << _i;
    head_of_line r = run(&p);
    unsigned most =
        limit ? limit + STAGING_WORDS / BLOCK_WORDS + 1 : 0; /* the limit is looked at when words are reserved */
    ck_assert_msg(r.blocks <= most, "%u blocks are taken, at most %u were expected", r.blocks, most);
    ck_assert_msg(r.blocks >= limit, "%u blocks are taken, the limit is %u", r.blocks, limit);
    pressure_is_in_the_queue(&r, &p, most);
    ck_assert_msg(limit ? r.exhausted > 0 : r.migrated == 0, "limit %u: exhausted for %u clocks, %lu words migrated",
                  limit, r.exhausted, (unsigned long)r.migrated);
    ck_assert_uint_eq(r.fetched, r.migrated);
    ck_assert_msg(r.others_stopped >= 0.98 * 285, "the others had %.1f MiB/s", r.others_stopped);
}

/* A memory of 64 blocks for several queues that need more. */
TEST(a_full_memory_presses_back_and_the_others_do_not_notice, .to = 3)
{
    head_of_line_params p;
    defaults(&p, _i);
    p.port.node.nic = &nic_64blocks_config;
    p.body_limit = 64;
    p.stop = (_i < 2 ? 1500 : 3000) * SIM_US; /* filling the memory takes the bus for more than one of them */
    p.victims = _i == 0 ? 0x0e : _i == 1 ? 0xc3 : 0x7f;
    if (_i == 1) p.port.node.external = external_params_sdram();
    if (_i == 2) p.port.node.external.stall_percent = 60;
    head_of_line r = run(&p);
    ck_assert_msg(r.blocks > 40 && r.blocks <= 64, "%u blocks are taken of 64", r.blocks);
    pressure_is_in_the_queue(&r, &p, 64);
    ck_assert_uint_gt(r.exhausted, 0);
    ck_assert_uint_gt(r.migrated, 40 * BLOCK_WORDS);
    ck_assert_uint_eq(r.fetched, r.migrated);
    ck_assert_msg(r.others_stopped >= 0.98 * 285, "the others had %.1f MiB/s", r.others_stopped);
}

/* Destinations that are slow keep taking while their bodies are at the limit: words go out and in at once. */
TEST(slow_destinations_live_with_a_full_memory, .to = 6)
{
    head_of_line_params p;
    defaults(&p, _i);
    p.port.node.nic = &nic_64blocks_config;
    p.body_limit = _i & 1 ? 64 : 10;
    p.victims = _i & 2 ? 0x55 : 0xf7;
    p.slow = 4 + (unsigned)_i * 5;
    p.bytes = _i & 1 ? 4096 : 1000;
    p.port.driver.slots = _i & 1 ? 12 : 24; /* more than ring, blocks and staging hold */
    p.port.driver.payload_words = _i & 2 ? 62 : 31;
    if (_i & 1) p.port.node.external = external_params_sdram();
    p.port.node.external.stall_percent = 10 * (unsigned)_i;
    head_of_line r = run(&p);
    ck_assert_uint_gt(r.migrated, 0);
    ck_assert_uint_eq(r.fetched, r.migrated);
    ck_assert_uint_gt(r.victims_waited, 0);
}
