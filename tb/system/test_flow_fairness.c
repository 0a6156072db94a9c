/* Two request queues that are both full: each goes on while the other does, whatever the sizes of their transfers and
 * however slow the receiver is. With one lane of credit for all (DIRECT), with one output queue for all (VOQS = 1), and
 * when one comes back from external memory. */
#include "nic_1voq.h"
#include "nic_4links.h"
#include "system_space.h"
#include "test.h"

enum {
    PIECES = 50,
    AHEAD = 8
}; /* in each queue; most that the other one may send meanwhile, and one for each packet of a transfer */

static const struct setting {
    const sim_config *nic;
    int slow; /* the receiver's host takes less than the link brings */
    unsigned queue[2], words[2];
} settings[] = {
    {NULL, 1, {0, 1}, {62, 62}},
    {NULL, 1, {7, 0}, {62, 62}},
    {NULL, 1, {3, 5}, {500, 62}},
    {NULL, 1, {0, 1}, {400, 1}},
    {NULL, 0, {0, 1}, {62, 62}},
    {&nic_1voq_config, 0, {0, 1}, {500, 62}},
    {&nic_1voq_config, 1, {6, 2}, {300, 1}},
    {&nic_1voq_config, 1, {0, 7}, {62, 500}},
};

static void hosts(pair_params *p, int variation)
{
    const struct setting *c = &settings[variation];
    if (c->nic) p->node[0].nic = p->node[1].nic = c->nic;
    if (!c->slow) return;
    p->node[1].host.write_retries = 3;
    p->node[1].host.write_buffer = 128;
    p->node[1].host.narrow = 1;
}

TEST_CASE("fairness", .timeout = 60);

SOFTWARE_TEST_ON(hosts, no_queue_stands_still_while_another_sends, .to = COUNT(settings))
{
    const struct setting *c = &settings[_i];
    uint32_t left[2], others[2] = {0, 0}; /* not departed; departed of the other queue since this one went on */
    piece sent[2][PIECES];
    bench_initiator(b, 0, 0);
    for (unsigned i = 0; i < PIECES; i++)
        for (unsigned k = 0; k < 2; k++) {
            sent[k][i] = bench_make(b, 0, c->words[k]);
            bench_post_on(b, &sent[k][i], c->queue[k], NX_START);
        }
    bench_initiator(b, 0, 1);
    left[0] = left[1] = PIECES;
    while (left[0] && left[1]) {
        uint32_t now[2];
        bench_wait(b, SIM_US);
        for (unsigned k = 0; k < 2; k++) now[k] = PIECES - bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * c->queue[k]);
        for (unsigned k = 0; k < 2; k++) {
            others[k] = now[k] != left[k] ? 0 : others[k] + left[!k] - now[!k];
            ck_assert_msg(others[k] <= AHEAD + c->words[k] / 62,
                          "queue %u starves, %u of %u left, while queue %u sends %u", c->queue[k], now[k], PIECES,
                          c->queue[!k], others[k]);
        }
        memcpy(left, now, sizeof left);
    }
    ck_assert_int_eq(nx_drain(b->n[0]->dev, c->queue[0]), NX_OK);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, c->queue[1]), NX_OK);
    bench_wait(b, 100 * SIM_US);
    for (unsigned i = 0; i < PIECES; i++)
        for (unsigned k = 0; k < 2; k++) bench_must_arrive(b, &sent[k][i]);
    bench_expect_nothing(b, ALL);
}

static void fast(pair_params *p, int variation)
{
    (void)variation;
    for (int i = 0; i < 2; i++) {
        p->node[i].nic = &nic_4links_config;
        p->node[i].host = host_params_ideal();
        p->node[i].pci_mhz = 133;
    }
    p->driver.payload_words = 512;
}

/* Four links take a word in nearly every clock of the sender. Queue 0 has a long body, then queue 1 sends zeros: the
 * DMA engine has a word for the rings in every clock, and words from external memory have half of the clocks all the
 * same, but for 1024 and 8 pieces of 516 (voq_pause). */
SOFTWARE_TEST_ON(fast, a_body_comes_back_beside_an_engine_that_has_a_word_for_every_clock)
{
    enum { WORDS = 512, BODY = 60, BESIDE = 120, PAUSE = (1024 + 8 * 516 + WORDS - 1) / WORDS };
    piece p = bench_make(b, 0, WORDS);
    uint32_t departed[2] = {0, 0};
    bench_initiator(b, 1, 0);
    bench_set(b, 0, NIC_CONTROL, bench_get(b, 0, NIC_CONTROL) | NIC_CONTROL_BENCHMARK_MASK);
    for (unsigned i = 0; i < BODY; i++) bench_post_on(b, &p, 0, NX_START);
    bench_wait(b, 400 * SIM_US);
    ck_assert_uint_gt(bench_get(b, 0, NIC_MIGRATED_WORDS), BODY * WORDS / 2);
    bench_initiator(b, 1, 1);
    for (unsigned i = 0; i < BESIDE; i++) bench_post_on(b, &p, 1, NX_START);
    while (departed[0] < BODY && departed[1] < BESIDE) {
        bench_wait(b, SIM_US);
        for (unsigned k = 0; k < 2; k++) departed[k] = bench_get(b, 0, NIC_QUEUE_DEPARTED + 4 * k);
    }
    ck_assert_msg(departed[1] <= departed[0] + PAUSE, "queue 0 has sent %u of %u, queue 1 meanwhile %u", departed[0],
                  BODY, departed[1]);
    ck_assert_int_eq(nx_drain(b->n[0]->dev, 1), NX_OK);
    bench_wait(b, 100 * SIM_US);
}
