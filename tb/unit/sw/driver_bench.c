#include "driver_bench.h"

#include <stdlib.h>

#include "test.h"

mock_net net;
mock_host host[2];
nx_device *dev[2];
nx_params params;

void set_up(void)
{
    const char *seed = getenv("SIM_SEED");
    mock_net_init(&net, 2, seed ? strtoull(seed, NULL, 0) : 1);
    for (unsigned i = 0; i < 2; i++) mock_host_init(&host[i], &net, i);
    mock_allow(&net.node[1], DESTINATION, 1 << 20);
    params = nx_params_default();
    params.timeout_ns = 5u * 1000 * 1000;
}

void open_both(void)
{
    for (unsigned i = 0; i < 2; i++) {
        params.node_id = i;
        dev[i] = mock_open(&host[i], &params);
    }
}

void tear_down(void)
{
    for (unsigned i = 0; i < 2; i++) nx_close(dev[i]);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(host[i].allocated, 0);
        ck_assert_uint_eq(net.node[i].wild, 0);
        ck_assert_uint_eq(net.node[i].reg[NIC_DESCRIPTOR_OVERWRITES / 4], 0);
    }
}

void steps(unsigned n)
{
    while (n--) mock_step(&net);
}

nx_descriptor descriptor(unsigned words, unsigned flags)
{
    return (nx_descriptor){.source = SOURCE, .destination = DESTINATION, .words = words, .flow = 1, .flags = flags};
}

void must(nx_device *d, int result) { ck_assert_msg(result == NX_OK, "%s", nx_last_error(d)); }
