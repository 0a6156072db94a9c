/* Bus bring-up and dumps against the fake device. */
#include <stdlib.h>
#include <string.h>

#include "mock_host.h"
#include "nic_register_map.h"
#include "nx_dump.h"
#include "shell.h"
#include "test.h"

static mock_net net;
static mock_host host;

static void set_up(void)
{
    mock_net_init(&net, 3, 1);
    mock_host_init(&host, &net, 0);
}

TEST_CASE("bus", .setup = set_up, .teardown = shell_clean);

TEST(scan_finds_sizes_places_and_enables_the_nic)
{
    mock_nic *nic = host.nic;
    const nx_function *f;
    nx_bus *bus = mock_scan(&host, NULL, NX_OK);
    ck_assert_uint_eq(nx_bus_count(bus), 1);
    f = nx_bus_find(bus, 0x1600, 0x17df, 0);
    ck_assert_ptr_eq(f, nx_bus_get(bus, 0));
    ck_assert_ptr_null(nx_bus_get(bus, 1));
    ck_assert_ptr_null(nx_bus_find(bus, 0x1600, 0x17df, 1));
    ck_assert_int_eq(f->device, 1);
    ck_assert_uint_eq(f->class_code, 0x020000);
    ck_assert_uint_eq(f->revision, 0x17);
    ck_assert_uint_eq(f->bar[0].size, 128u << 20);
    ck_assert_uint_eq(f->bar[1].size, 32u << 10);
    ck_assert_uint_eq(f->bar[0].address, 0x80000000u);
    ck_assert_uint_eq(f->bar[1].address, 0x88000000u);
    for (int i = 2; i < 6; i++) ck_assert_uint_eq(f->bar[i].size, 0);
    /* what stands in the device: memory, master, parity, SERR (S1 3.1.2); 0x80; 0xFE with the low bits zero */
    ck_assert_uint_eq(mock_config_read(nic, 0x04, 2), 0x0146);
    ck_assert_uint_eq(mock_config_read(nic, 0x0c, 1), 0x80);
    ck_assert_uint_eq(mock_config_read(nic, 0x0d, 1), 0xf8);
    ck_assert_uint_eq(mock_config_read(nic, 0x10, 4), 0x80000000u);
    ck_assert_uint_eq(mock_config_read(nic, 0x14, 4), 0x88000000u);
    ck_assert_uint_eq(mock_config_read(nic, 0x3c, 1), 11);
    /* PCI-X: parity recovery, no relaxed ordering, 4096 bytes, one split; captured numbers */
    ck_assert_uint_eq(f->pcix, 0x48);
    ck_assert_uint_eq(mock_config_read(nic, 0x4a, 2), 0x000d);
    ck_assert_uint_eq(f->max_read_bytes, 4096);
    ck_assert_uint_eq(f->max_splits, 1);
    ck_assert_uint_eq(f->pcix_status & 0xffff, 1 << 3);
}

TEST(splits_follow_the_designed_maximum_and_the_limit)
{
    nx_bus_params params = nx_bus_params_default();
    host.nic->config[0x4f] |= 0x01; /* designed splits 25:23 = 3: four */
    host.nic->config[0x4e] |= 0x80;
    nx_bus *bus = mock_scan(&host, NULL, NX_OK);
    ck_assert_uint_eq(nx_bus_get(bus, 0)->max_splits, 4);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x4a, 2), 0x003d);
    params.max_splits = 2;
    params.relaxed_ordering = 1;
    mock_scan(&host, &params, NX_OK);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x4a, 2), 0x001f);
}

TEST(several_cards_get_places_of_their_own_and_keep_them)
{
    uint64_t first[3][2];
    host.device_count = 3;
    host.platform.window_size = 0x18000000;
    net.node[1].bar_size[0] = 1 << 12; /* a small one between large ones */
    for (int round = 0; round < 2; round++) {
        nx_bus *bus = mock_scan(&host, NULL, NX_OK);
        ck_assert_uint_eq(nx_bus_count(bus), 3);
        for (unsigned a = 0; a < 3; a++)
            for (int i = 0; i < 2; i++) {
                const nx_bar *x = &nx_bus_get(bus, a)->bar[i];
                ck_assert_uint_eq(x->address % x->size, 0);
                ck_assert_uint_ge(x->address, MOCK_WINDOW);
                ck_assert_uint_le(x->address + x->size, MOCK_WINDOW + 0x18000000ull);
                if (round) ck_assert_uint_eq(x->address, first[a][i]);
                first[a][i] = x->address;
                for (unsigned b = 0; b < 3; b++)
                    for (int k = 0; k < 2; k++) {
                        const nx_bar *y = &nx_bus_get(bus, b)->bar[k];
                        ck_assert(x == y || x->address + x->size <= y->address || y->address + y->size <= x->address);
                    }
            }
        ck_assert_int_eq(nx_bus_find(bus, 0x1600, 0x17df, 2)->device, 3);
    }
}

TEST(a_window_too_small_is_refused_by_name)
{
    host.platform.window_size = 128 << 20;
    nx_bus *bus = mock_scan(&host, NULL, NX_ERROR_NO_SPACE);
    ck_assert_str_eq(nx_bus_last_error(bus),
                     "device 1: BAR 1 needs 0x8000 bytes, expected room in the window 0x80000000..0x87ffffff from 0x88000000, below 4 GB");
    /* not switched on */
    ck_assert_uint_eq(mock_config_read(host.nic, 0x04, 2) & 6, 0);
}

TEST(a_bar_with_holes_is_refused)
{
    host.nic->bar_size[1] = 0x9000;
    nx_bus *bus = mock_scan(&host, NULL, NX_ERROR_DEVICE);
    ck_assert_ptr_nonnull(strstr(nx_bus_last_error(bus), "device 1: BAR 1 reads 0x"));
}

TEST(a_capability_list_that_loops_is_refused)
{
    host.nic->config[0x48] = 9;
    host.nic->config[0x49] = 0x48;
    nx_bus *bus = mock_scan(&host, NULL, NX_ERROR_DEVICE);
    ck_assert_ptr_nonnull(strstr(nx_bus_last_error(bus), "capability list leads to 0x48"));
}

TEST(a_capability_behind_others_is_found)
{
    host.nic->config[0x34] = 0x80;
    host.nic->config[0x80] = 9;
    host.nic->config[0x81] = 0x48;
    nx_bus *bus = mock_scan(&host, NULL, NX_OK);
    ck_assert_uint_eq(nx_bus_get(bus, 0)->pcix, 0x48);
}

TEST(an_empty_bus_has_no_functions_and_cannot_be_opened)
{
    nx_device *dev;
    host.nic->device = 40;
    nx_bus *bus = mock_scan(&host, NULL, NX_OK);
    ck_assert_uint_eq(nx_bus_count(bus), 0);
    ck_assert_int_eq(nx_open(&host.platform, nx_bus_find(bus, 0x1600, 0x17df, 0), NULL, &dev), NX_ERROR_NO_DEVICE);
    ck_assert_str_eq(nx_last_error(dev), "no device given, expected a function found by nx_bus_scan");
    nx_close(dev);
}

/* ---- dumps */

TEST(lspci_decodes_the_dump)
{
    FILE *f = shell_file("dump", "w");
    static const char *const EXPECTED[] = {"Ethernet controller [0200]",
                                           "Control: I/O- Mem+ BusMaster+",
                                           "ParErr+",
                                           "SERR+",
                                           "Latency: 248",
                                           "Cache Line Size: 512 bytes",
                                           "Interrupt: pin A routed to IRQ 11",
                                           "Region 0: Memory at 80000000 (32-bit, non-prefetchable)",
                                           "Region 1: Memory at 88000000 (32-bit, non-prefetchable)",
                                           "Capabilities: [48] PCI-X non-bridge device",
                                           "Command: DPERE+ ERO- RBC=4096 OST=1",
                                           "Status: Dev=00:01.0 64bit+ 133MHz+ SCD- USC- DC=simple DMMRBC=4096 DMOST=1 DMCRS=32"};
    mock_scan(&host, NULL, NX_OK);
    ck_assert_int_eq(nx_config_dump(&host.platform, 1, "the card", f), NX_OK);
    ck_assert_int_eq(nx_config_dump(&host.platform, 7, "none", f), NX_ERROR_BUS);
    fclose(f);
    ck_assert_int_eq(shell_says("lspci -F $D/dump -vvv -nn"), 0);
    for (int i = 0; i < COUNT(EXPECTED); i++) ck_output_has(EXPECTED[i]);
}

TEST(registers_are_printed_with_names_and_fields)
{
    nx_params params = nx_params_default();
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    nx_device *dev;
    params.node_id = 5;
    dev = mock_open(&host, &params);
    ck_assert_int_eq(nx_registers_print(dev, 0, f), NX_OK);
    fflush(f);
    ck_assert_ptr_nonnull(strstr(text, "0x000 CONTROL 0x00000003  LOOPBACK=0 QUEUE_RESET=0"));
    ck_assert_ptr_nonnull(strstr(text, " DIRECT=1 INITIATOR_ENABLE=1\n"));
    ck_assert_ptr_nonnull(strstr(text, "0x204 BUILD 0x803ff128  QUEUES=8 LINKS=1 SPLITS=1 FIFO_WORDS=1023 QUEUE_DEPTH=128\n"));
    ck_assert_ptr_nonnull(strstr(text, "0x208 NODE_ID 0x00000005  ID=5\n"));
    ck_assert_ptr_null(strstr(text, "TX_CAPACITY"));
    rewind(f);
    ck_assert_int_eq(nx_registers_print(dev, 1, f), NX_OK);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "0x210 TX_CAPACITY 0x000007fe  UNITS=2046\n"));
    ck_assert_ptr_nonnull(strstr(text, "0x29c QUEUE_POINTERS[7] 0x00000000  FULL=0 HEAD=0 TAIL=0\n"));
    free(text);
    nx_close(dev);
}
