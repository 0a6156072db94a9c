#include "fake_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "test.h"

mock_net net;
mock_host host[NODES];
nx_device *dev[NODES];
nx_sync *s[NODES];

mock_sync *device(unsigned node) { return &net.node[node].sync; }

void set_up(void)
{
    const char *seed = getenv("SIM_SEED");
    nx_params params = nx_params_default();
    mock_net_init(&net, NODES, seed ? strtoull(seed, NULL, 0) : 1);
    params.direct = 0;
    params.timeout_ns = 2u * 1000 * 1000;
    for (unsigned i = 0; i < NODES; i++) {
        device(i)->built = 1;
        mock_host_init(&host[i], &net, i);
        mock_allow(&net.node[i], MEMORY, 1 << 16);
        for (unsigned at = 0; at < 1 << 16; at += 8) mock_set64(&net.node[i], MEMORY + at, 0);
        params.node_id = i;
        dev[i] = mock_open(&host[i], &params);
    }
}

void open_sync(void)
{
    for (unsigned i = 0; i < NODES; i++) ck_assert_msg(!nx_sync_open(dev[i], &s[i]), "%s", nx_last_error(dev[i]));
}

void set_up_open(void)
{
    set_up();
    open_sync();
}

void tear_down(void)
{
    for (unsigned i = 0; i < NODES; i++) {
        nx_sync_close(s[i]);
        nx_close(dev[i]);
        ck_assert_uint_eq(host[i].allocated, 0);
        ck_assert_uint_eq(net.node[i].wild, 0);
        ck_assert_uint_eq(net.node[i].reg[NIC_DESCRIPTOR_OVERWRITES / 4], 0);
    }
}

void must(unsigned node, int result) { ck_assert_msg(result >= 0, "node %u: %s", node, nx_last_error(dev[node])); }

void fails(unsigned node, int result, int error, const char *text)
{
    ck_assert_msg(result == error, "%d, expected %d: %s", result, error, nx_last_error(dev[node]));
    ck_assert_msg(strstr(nx_last_error(dev[node]), text) != NULL, "'%s' has no '%s'", nx_last_error(dev[node]), text);
}

void steps(unsigned n)
{
    while (n--) mock_step(&net);
}

void run(void (*body)(void *), unsigned nodes)
{
    static unsigned number[NODES] = {0, 1, 2, 3};
    struct mock_task tasks[NODES];
    for (unsigned i = 0; i < nodes; i++) tasks[i] = (struct mock_task){body, &number[i]};
    mock_run(tasks, nodes);
}

uint64_t word_at(unsigned node, uint64_t address) { return mock_get64(&net.node[node], address); }
