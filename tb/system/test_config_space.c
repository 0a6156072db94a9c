/* The configuration space, dumped over the bus, as lspci of pciutils reads it. */
#include <string.h>

#include "nx_dump.h"
#include "shell.h"
#include "system_space.h"
#include "test.h"

static const char *const expected[] = {
    "Ethernet controller [0200]: ",
    "[1600:17df] (rev 17)",
    "Control: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr+ Stepping- SERR+ FastB2B- DisINTx-",
    "Status: Cap+ 66MHz+ UDF- FastB2B- ParErr- DEVSEL=slow >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-",
    "Latency: 248",
    "Cache Line Size: 512 bytes",
    " 0b 01 00 00\n", /* 0x3c of the dump: IRQ 11, INTA; not by lspci, whose 3.15 says "pin B" */
    "Region 0: Memory at e0000000 (32-bit, non-prefetchable)",
    "Region 1: Memory at e8000000 (32-bit, non-prefetchable)",
    "Capabilities: [48] PCI-X non-bridge device",
    "Command: DPERE+ ERO- RBC=4096 OST=1",
    "Status: Dev=00:01.0 64bit+ 133MHz+ SCD- USC- DC=simple DMMRBC=4096 DMOST=1 DMCRS=32 RSCEM- 266MHz- 533MHz-",
};

TEST_CASE("configuration", .timeout = 60, .teardown = shell_clean);

SOFTWARE_TEST(lspci_decodes_the_configuration_space)
{
    FILE *f = shell_file("dump", "w");
    ck_assert_int_eq(nx_config_dump(&b->n[0]->platform, NODE_DEVICE, "nicxbar", f), 0);
    fclose(f);
    ck_assert_int_eq(shell_says("lspci -F $D/dump -vvv -nn && grep ^30: $D/dump"), 0);
    for (int i = 0; i < COUNT(expected); i++) ck_output_has(expected[i]);
}

/* BAR sizes as all-ones sizing finds them, against S1 3.1.2 and design.md 3. */
SOFTWARE_TEST(bars_have_their_sizes)
{
    const nx_function *nic = nx_bus_find(b->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0);
    ck_assert_uint_eq(nic->bar[0].size, 1u << 27);
    ck_assert_uint_eq(nic->bar[1].size, 1u << 15);
    ck_assert_uint_eq(nic->max_splits, 1);
    ck_assert_uint_eq(nic->max_read_bytes, 4096);
}

/* The window of BAR0 reaches the external memory: any width, both halves, and data of one side read by the other. */
SOFTWARE_TEST(the_window_of_bar0_reaches_the_external_memory)
{
    node *n = b->n[0];
    uint64_t window = nx_bus_find(n->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[0].address;
    uint8_t model[256] = {0}, got[256];
    for (unsigned i = 0; i < sizeof model / 8; i++) external_put(n->external, 0x7654300 / 8 + i, 0, 0);
    for (int i = 0; i < 200; i++) {
        static const int sizes[] = {1, 2, 4, 8};
        int size = sizes[sim_random_below(b->s, 4)];
        unsigned at = (unsigned)sim_random_below(b->s, 256 / (unsigned)size) * (unsigned)size;
        uint64_t value = sim_random(b->s), back = 0;
        if (size < 8) value &= (1ull << 8 * size) - 1;
        ck_assert_int_eq(host_write(n->host, window + 0x7654300 + at, size, value), 0);
        memcpy(model + at, &value, (size_t)size);
        if (i % 3 == 0) {
            ck_assert_int_eq(host_read(n->host, window + 0x7654300 + at, size, &back), 0);
            ck_assert_uint_eq(back, value);
        }
    }
    host_flush(n->host);
    bench_wait(b, 10 * SIM_US);
    for (unsigned i = 0; i < sizeof got / 8; i++) {
        uint64_t word = external_get(n->external, 0x7654300 / 8 + i, NULL);
        for (unsigned k = 0; k < 8; k++) got[8 * i + k] = (uint8_t)(word >> 8 * k);
    }
    ck_assert_mem_eq(got, model, sizeof model);
    ck_assert_int_eq(host_read_block(n->host, window + 0x7654300, got, sizeof got), 0);
    ck_assert_mem_eq(got, model, sizeof model);
    bench_good(b, 0, 512);
}
