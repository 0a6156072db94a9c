/*
 * The whole switch between NICs in C: every packet exactly once, in order per flow, data and CRCs right, header rebuilt, credits never
 * exceeded and all returned, whatever the clocks' frequencies and phases.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "switch_bench.h"

static struct switch_bench *b;

static unsigned random_length(void)
{
    unsigned kind = (unsigned)sim_random_below(b->s, 4);

    return kind == 0  ? LONGEST_WORDS
           : kind < 3 ? 1 + (unsigned)sim_random_below(b->s, 6)
                      : 1 + (unsigned)sim_random_below(b->s, LONGEST_WORDS);
}

/* Each NIC queues `count` packets for random destinations. */
static void queue_uniform(unsigned count)
{
    for (unsigned p = 0; p < b->setup.ports; p++)
        for (unsigned i = 0; i < count; i++) nic_send(b->group.nic[p], (unsigned)sim_random_below(b->s, b->setup.ports), random_length());
}

static const struct switch_setup setups[] = {
    {2, 100, -100, -1, 0}, {2, -100, 100, 0, 300}, {4, 100, -100, -1, 300},
    {4, -100, 100, -1, 0}, {8, 100, -100, -1, 0},  {8, 0, 0, 6400, 0},
};

START_TEST(random_traffic_arrives_once_in_order_and_intact)
{
    const struct switch_setup *setup = &setups[_i];

    b = switch_bench_new(setup);
    switch_bench_open(b);
    for (unsigned p = 0; p < setup->ports; p++) b->group.nic[p]->corrections = 20;
    for (int round = 0; round < 3; round++) {
        for (unsigned p = 0; p < setup->ports; p++) {
            b->group.nic[p]->pop_percent = (int[]){100, 60, 30}[(round + p) % 3];
            b->group.nic[p]->back_to_back = (round + p) % 2;
        }
        queue_uniform(150);
        switch_bench_run(b, 6000);
    }
    for (unsigned p = 0; p < setup->ports; p++) b->group.nic[p]->pop_percent = 100, b->group.nic[p]->back_to_back = 1;
    switch_bench_drain(b);
    ck_assert_uint_eq(switch_bench_good(b), 450 * setup->ports);
    switch_bench_free(b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("crossbar");
    TCase *t = tcase_create("traffic");
    SRunner *r = srunner_create(s);

    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, random_traffic_arrives_once_in_order_and_intact, 0, sizeof setups / sizeof setups[0]);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
