#include "disk_mock.h"

#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "test.h"

mock_net net;
mock_host mock[BENCH_HOSTS];
static nx_device *device[BENCH_HOSTS];

static uint64_t dice(void) { return mock_random(&net); }

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

disk_bench *disk_mock_new(unsigned hosts)
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
    disk_bench *b = disk_bench_new(hosts, device, platform, MOCK_MAILBOX, 2048, dice);
    for (unsigned i = 0; i < hosts; i++) {
        b->params[i].timeout_ns = 300 * 1000;
        b->params[i].place_bytes = 8192;
    }
    after_test(close_devices, NULL);
    return b;
}

disk_client *disk_mock_everything(disk_bench *b, unsigned depth, unsigned operations)
{
    for (unsigned i = 1; i < b->hosts; i++)
        b->client[i - 1] = (disk_client){.host = i,
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

void disk_mock_run(disk_bench *b, void (*sequence)(void *bench))
{
    static disk_seat seat[BENCH_HOSTS];
    struct mock_task task[2 * BENCH_HOSTS + 2];
    unsigned tasks = 0;
    disk_bench_open(b);
    for (unsigned i = 0; i < b->hosts; i++) {
        seat[i] = (disk_seat){b, i};
        mock[i].awake = disk_bench_awake;
        mock[i].awake_arg = &seat[i];
        task[tasks++] = (struct mock_task){disk_bench_host, &seat[i]};
    }
    for (unsigned i = 0; i < b->clients; i++) task[tasks++] = (struct mock_task){disk_bench_client, &b->client[i]};
    if (sequence) task[tasks++] = (struct mock_task){sequence, b};
    if (b->extra_task) task[tasks++] = (struct mock_task){b->extra_task, b};
    mock_run(task, tasks);
    for (unsigned i = 1; i < b->hosts; i++) b->counts[i] = nx_disk_get_counts(b->disk[i]);
    b->target_counts = nx_disk_target_get_counts(b->target);
    for (unsigned i = 0; i < b->hosts && *b->wrong; i++) mock[i].lies_fallow = 1; /* transfers under way go on */
    disk_bench_close(b);
    disk_bench_check(b);
}
