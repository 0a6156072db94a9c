#include "block_mock.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "test.h"

mock_net net;
mock_host mock[BENCH_HOSTS];
static nx_device *device[BENCH_HOSTS];

static uint64_t dice(void)
{
    return mock_random(&net);
}

static void close_devices(void *what)
{
    (void)what;
    for (unsigned i = 0; i < BENCH_HOSTS; i++) {
        if (!device[i]) continue;
        nx_close(device[i]);
        device[i] = NULL;
        ck_assert_uint_eq(mock[i].allocated, 0);
        ck_assert_uint_eq(net.node[i].wild, 0);
        ck_assert_uint_eq(net.node[i].reg[NIC_DESCRIPTOR_OVERWRITES / 4], 0);
    }
}

block_bench *block_mock_new(unsigned hosts)
{
    const char *seed = getenv("SIM_SEED");
    const struct nx_platform *platform[BENCH_HOSTS];
    mock_net_init(&net, hosts, seed ? strtoull(seed, NULL, 0) : 1);
    for (unsigned i = 0; i < hosts; i++) {
        nx_params p = nx_params_default();
        p.node_id = i;
        p.direct = 0;
        p.timeout_ns = 5u * 1000 * 1000;
        mock_host_init(&mock[i], &net, i);
        net.node[i].words_per_step = 64;
        device[i] = mock_open(&mock[i], &p);
        platform[i] = &mock[i].platform;
    }
    block_bench *b = block_bench_new(hosts, device, platform, MOCK_MAILBOX, 2048, dice);
    for (unsigned i = 0; i < hosts; i++) {
        b->params[i].timeout_ns = 300 * 1000;
        b->params[i].place_bytes = 8192;
    }
    after_test(close_devices, NULL);
    return b;
}

block_client *block_mock_everything(block_bench *b, unsigned depth, unsigned operations)
{
    for (unsigned i = 1; i < b->hosts; i++)
        b->client[i - 1] = (block_client){.host = i,
                                          .depth = depth,
                                          .operations = operations,
                                          .mix = {0, 40, 40, 5, 5, 10},
                                          .first = 600 * (i - 1),
                                          .sectors = 600,
                                          .least = 1,
                                          .most = 40,
                                          .fua = 20};
    return b->client;
}

void block_mock_run(block_bench *b, void (*story)(void *bench))
{
    static block_seat seat[BENCH_HOSTS];
    struct mock_task task[2 * BENCH_HOSTS + 2];
    unsigned tasks = 0;
    block_bench_open(b);
    for (unsigned i = 0; i < b->hosts; i++) {
        seat[i] = (block_seat){b, i};
        mock[i].awake = block_bench_awake;
        mock[i].awake_arg = &seat[i];
        task[tasks++] = (struct mock_task){block_bench_host, &seat[i]};
    }
    for (unsigned i = 0; i < b->clients; i++) task[tasks++] = (struct mock_task){block_bench_client, &b->client[i]};
    if (story) task[tasks++] = (struct mock_task){story, b};
    if (b->beside) task[tasks++] = (struct mock_task){b->beside, b};
    mock_run(task, tasks);
    for (unsigned i = 1; i < b->hosts; i++) b->counts[i] = nx_block_get_counts(b->disk[i]);
    b->target_counts = nx_block_target_get_counts(b->target);
    for (unsigned i = 0; i < b->hosts && *b->wrong; i++) mock[i].lies_fallow = 1; /* what was going on goes on */
    block_bench_close(b);
    block_bench_judge(b);
}
