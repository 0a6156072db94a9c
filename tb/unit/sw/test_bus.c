/* Bus bring-up and dumps against the fake device. */
#include <stdlib.h>
#include <string.h>

#include "mock_host.h"
#include "nic_register_map.h"
#include "nx_dump.h"
#include "nx_stat.h"
#include "shell.h"
#include "test.h"

RUNS("nxstat");

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
    /* content of the device: memory, master, parity, SERR (S1 3.1.2); 0x80; 0xFE with the low bits zero */
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
    ck_assert_str_eq(nx_bus_last_error(bus), "device 1: BAR 1 needs 0x8000 bytes, expected room in the window "
                                             "0x80000000..0x87ffffff from 0x88000000, below 4 GB");
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

/* ---- adopted devices */

CLEANUP(nx_bus_free);

/* BARs of the scan, as a kernel knows them. */
static nx_bar placed[6];

static void place(void)
{
    memcpy(placed, nx_bus_get(mock_scan(&host, NULL, NX_OK), 0)->bar, sizeof placed);
    for (int reg = 4; reg < 6; reg++) host.nic->config[reg] = 0;
    host.nic->config[0x0c] = host.nic->config[0x0d] = host.nic->config[0x4a] = 0;
    mock_config_write(host.nic, 0x04, 2, 0x0002);
    mock_config_write(host.nic, 0x3c, 1, 9);
}

static nx_bus *adopt(int device, int result)
{
    nx_bus *bus;
    const int error = nx_bus_adopt(&host.platform, NULL, device, placed, &bus);
    after_test(nx_bus_free_cleanup, bus);
    ck_assert_msg(error == result, "%d: %s", error, nx_bus_last_error(bus));
    return bus;
}

TEST(adopted_nic_keeps_its_place_and_gets_the_registers_of_the_scan)
{
    nx_device *dev;
    place();
    nx_bus *bus = adopt(1, NX_OK);
    ck_assert_uint_eq(nx_bus_count(bus), 1);
    const nx_function *f = nx_bus_find(bus, 0x1600, 0x17df, 0);
    ck_assert_int_eq(f->device, 1);
    ck_assert_uint_eq(f->class_code, 0x020000);
    ck_assert_uint_eq(f->bar[0].address, 0x80000000u);
    ck_assert_uint_eq(f->bar[1].address, 0x88000000u);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x04, 2), 0x0146);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x0c, 1), 0x80);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x0d, 1), 0xf8);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x10, 4), 0x80000000u);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x14, 4), 0x88000000u);
    ck_assert_uint_eq(f->interrupt_line, 9);
    ck_assert_uint_eq(mock_config_read(host.nic, 0x4a, 2), 0x000d);
    ck_assert_uint_eq(f->max_read_bytes, 4096);
    ck_assert_int_eq(nx_open(&host.platform, f, NULL, &dev), NX_OK);
    nx_close(dev);
}

TEST(adoption_writes_nothing_unless_the_bars_are_those_of_the_device)
{
    static const struct {
        int bar;
        nx_bar is;
        int result;
        const char *text;
    } WRONG[] = {
        {1, {.address = 0x88001000, .size = 0x9000}, NX_ERROR_ARGUMENT, "BAR 1 is said to have 0x9000 bytes at"},
        {1, {.address = 0x88001000, .size = 0x8000}, NX_ERROR_ARGUMENT, "expected a power of two at a multiple of it"},
        {1, {.address = 0x88000000, .size = 8}, NX_ERROR_ARGUMENT, "BAR 1 is said to have 0x8 bytes"},
        {1, {.size = 0x8000}, NX_ERROR_ARGUMENT, "0x8000 bytes at 0x0,"},
        {1, {.address = 0x188000000, .size = 0x8000}, NX_ERROR_ARGUMENT, "below 4 GB"},
        {1, {.address = 0x87ff8000, .size = 0x8000}, NX_ERROR_ARGUMENT, "BAR 1 at 0x87ff8000 overlaps BAR 0"},
        {5, {.address = 0xa0000000, .size = 0x8000, .wide = 1}, NX_ERROR_ARGUMENT, "BAR 5 is said"},
        {0, {.address = 0x80000000, .size = 1 << 27, .wide = 1}, NX_ERROR_ARGUMENT, "BAR 1 is given, expected none"},
        {1,
         {.address = 0x88008000, .size = 0x8000},
         NX_ERROR_DEVICE,
         "BAR 1 reads 0x0000000088000000, expected 0x88008000"},
        {1, {.address = 0x88000000, .size = 0x8000, .prefetchable = 1}, NX_ERROR_DEVICE, "expected 0x88000008"},
        {1, {.address = 0x88000000, .size = 0x8000, .io = 1}, NX_ERROR_DEVICE, "expected 0x88000001"},
        {1, {0}, NX_ERROR_DEVICE, "BAR 1 reads 0x0000000088000000, expected 0x00000000"},
        {2, {.address = 0xa0000000, .size = 0x8000}, NX_ERROR_DEVICE, "BAR 2 reads 0x0000000000000000, expected 0xa0"}};
    place();
    for (int i = 0; i < COUNT(WRONG); i++) {
        const nx_bar was = placed[WRONG[i].bar];
        placed[WRONG[i].bar] = WRONG[i].is;
        const nx_bus *bus = adopt(1, WRONG[i].result);
        ck_assert_msg(strstr(nx_bus_last_error(bus), WRONG[i].text) != NULL, "%d: %s", i, nx_bus_last_error(bus));
        placed[WRONG[i].bar] = was;
        ck_assert_uint_eq(mock_config_read(host.nic, 0x04, 2), 0x0002);
        ck_assert_uint_eq(mock_config_read(host.nic, 0x0d, 1), 0);
        ck_assert_uint_eq(mock_config_read(host.nic, 0x14, 4), 0x88000000u);
    }
}

TEST(adoption_of_no_device_is_refused)
{
    place();
    ck_assert_str_eq(nx_bus_last_error(adopt(2, NX_ERROR_NO_DEVICE)), "device 2: no device answers");
    ck_assert_str_eq(nx_bus_last_error(adopt(32, NX_ERROR_ARGUMENT)), "device is 32, expected 0..31");
    ck_assert_str_eq(nx_bus_last_error(adopt(-1, NX_ERROR_ARGUMENT)), "device is -1, expected 0..31");
    host.nic->config[0x0e] = 1;
    ck_assert_str_eq(nx_bus_last_error(adopt(1, NX_ERROR_DEVICE)), "device 1: header type 0x01, expected 0x00 or 0x80");
    host.nic->config[0x0e] = 0;
    host.nic->config[0x49] = 0x48;
    host.nic->config[0x48] = 9;
    ck_assert_ptr_nonnull(strstr(nx_bus_last_error(adopt(1, NX_ERROR_DEVICE)), "capability list leads to 0x48"));
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
    static const char *const EXPECTED[] = {
        "Ethernet controller [0200]",
        "Control: I/O- Mem+ BusMaster+",
        "ParErr+",
        "SERR+",
        "Latency: 248",
        "Cache Line Size: 512 bytes",
        " 0b 01 00 00\n", /* IRQ 11, INTA: test_config_space */
        "Region 0: Memory at 80000000 (32-bit, non-prefetchable)",
        "Region 1: Memory at 88000000 (32-bit, non-prefetchable)",
        "Capabilities: [48] PCI-X non-bridge device",
        "Command: DPERE+ ERO- RBC=4096 OST=1",
        "Status: Dev=00:01.0 64bit+ 133MHz+ SCD- USC- DC=simple DMMRBC=4096 DMOST=1 DMCRS=32"};
    mock_scan(&host, NULL, NX_OK);
    ck_assert_int_eq(nx_config_dump(&host.platform, 1, "the card", f), NX_OK);
    ck_assert_int_eq(nx_config_dump(&host.platform, 7, "none", f), NX_ERROR_BUS);
    fclose(f);
    ck_assert_int_eq(shell_says("lspci -F $D/dump -vvv -nn && grep ^30: $D/dump"), 0);
    for (int i = 0; i < COUNT(EXPECTED); i++) ck_output_has(EXPECTED[i]);
}

/* ---- looks at all registers */

static nx_stat before, after;

static void save_stat(const nx_stat *stat, const char *name)
{
    FILE *f = shell_file(name, "w");
    ck_assert_int_eq(nx_stat_save(stat, f), 0);
    fclose(f);
}

/* Anything in all registers that the fake device does not work with. */
static nx_device *make_stats(void)
{
    nx_params params = nx_params_default();
    params.direct = 0;
    nx_device *dev = mock_open(&host, &params);
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        for (unsigned k = 0; k < nic_registers[i].count && nic_registers[i].offset != NIC_CONTROL &&
                             nic_registers[i].links == 1 && !nic_registers[i].paths;
             k++)
            net.node[0].reg[nic_registers[i].offset / 4 + k] = (uint32_t)mock_random(&net);
    net.node[0].reg[NIC_BUILD / 4] &= ~(NIC_BUILD_LINKS_MASK | NIC_BUILD_BOND_MASK);
    net.node[0].reg[NIC_BUILD / 4] |= 2 << NIC_BUILD_LINKS_SHIFT; /* counters of links 2 and 3 are not shown */
    net.node[0].reg[NIC_DMA_STATES / 4] = 0x1251;
    net.node[0].reg[NIC_VIEW_FLOW / 4] = 5;
    for (unsigned i = 0; i < 16; i++) net.node[0].tx_space[i] = (uint32_t)mock_random(&net);
    ck_assert_int_eq(nx_stat_take(dev, &before), NX_OK);
    ck_assert_uint_eq(net.node[0].reg[NIC_VIEW_FLOW / 4], 5);
    ck_assert_uint_eq(before.lanes, 8);
    ck_assert_uint_lt(before.from_ns, before.to_ns);
    save_stat(&before, "before");
    shell_program("nxstat");
    return dev;
}

/* The offset of a name such as VOQ_LEVEL[3], and the device's value there; -1: a virtual channel. */
static int read_by_name(nx_device *dev, char *name, uint32_t *value)
{
    unsigned index = 0, lane;
    if (sscanf(name, "TX_SPACE.lane%u", &lane) == 1) return *value = net.node[0].tx_space[lane], -1;
    if (sscanf(name + strcspn(name, "["), "[%u]", &index) == 1) *strchr(name, '[') = 0;
    int offset = nx_register_offset(name);
    ck_assert_msg(offset >= 0, "%s is no register", name);
    ck_assert_int_eq(nx_register_read(dev, (unsigned)offset + 4 * index, value), NX_OK);
    return offset;
}

TEST(a_look_shows_every_register_and_field_as_the_device_has_it)
{
    nx_device *dev = make_stats();
    unsigned registers = 0, fields = 0, arrays = 0;
    int offset = -1;
    uint32_t value = 0;
    ck_shell_says(0, ", errors: ", "$P --all $D/before");
    ck_output_has("\n    incoming                     WAIT\n");
    ck_output_has("\n    software_reset             ENGINE\n");
    for (char *line = strtok(strchr(shell_output, '\n') + 1, "\n"); line; line = strtok(NULL, "\n")) {
        char name[48], shown[16], *end;
        ck_assert_int_eq(sscanf(line, "%47s %15s", name, shown), 2);
        uint32_t number = (uint32_t)strtoul(shown, &end, 0);
        if (*line != ' ') {
            offset = read_by_name(dev, name, &value);
            registers++;
            ck_assert_msg(number == value, "%s, the device has 0x%08x", line, value);
            continue;
        }
        for (unsigned i = 0; i < NIC_FIELD_TABLE_COUNT; i++)
            if ((int)nic_fields[i].offset == (offset < 0 ? (int)NIC_TX_SPACE : offset) &&
                !strcmp(nic_fields[i].name, name)) {
                uint64_t mask = ((uint64_t)2 << nic_fields[i].msb) - ((uint64_t)1 << nic_fields[i].lsb);
                ck_assert_msg(number == (value & mask) >> nic_fields[i].lsb, "%s, in 0x%08x", line, value);
                fields++;
            }
    }
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++)
        arrays += nic_registers[i].links <= 2 && !nic_registers[i].paths ? nic_registers[i].count : 0;
    ck_assert_uint_eq(registers, arrays + 8);
    ck_assert_uint_ge(fields, NIC_FIELD_TABLE_COUNT + 8 * 2);
    nx_close(dev);
}

TEST(two_looks_show_what_moved_and_nothing_else)
{
    nx_device *dev = make_stats();
    ck_shell_says(0, "\nnothing moved\n", "$P $D/before $D/before");
    uint32_t *reg = net.node[0].reg;
    reg[NIC_H2N_WORDS / 4] += 62;
    reg[NIC_NET_IN_WORDS / 4] = 0;
    reg[NIC_STATUS / 4] ^= NIC_STATUS_BODY_CRC_MASK;
    reg[NIC_LOCAL_NOTIFY_LOW / 4] = 0x1000;
    reg[NIC_VOQ_LEVEL / 4 + 3] = (reg[NIC_VOQ_LEVEL / 4 + 3] & ~4095u) | 17;
    reg[NIC_DMA_STATES / 4] = 0x1221;
    net.node[0].tx_space[6] ^= 1;
    ck_assert_int_eq(nx_stat_take(dev, &after), NX_OK);
    save_stat(&after, "after");
    ck_shell_says(0, "\nH2N_WORDS  ", "$P $D/before $D/after");
    ck_output_has(", +62: 64-bit words of DMA reads received");
    ck_output_has(" -> 0, cleared or wrapped around: 64-bit words put into the net-to-host FIFO");
    ck_output_has(reg[NIC_STATUS / 4] & NIC_STATUS_BODY_CRC_MASK ? "\nSTATUS.BODY_CRC            0 -> 1: "
                                                                 : "\nSTATUS.BODY_CRC            1 -> 0: ");
    ck_output_has(" -> 0x00001000: bus address of the local notifications");
    ck_output_has("\nVOQ_LEVEL[3].WORDS ");
    ck_output_has("\nDMA_STATES.outgoing        STALE -> READING\n");
    ck_output_has("\nTX_SPACE.lane6.CREDIT ");
    unsigned lines = 0;
    for (const char *c = shell_output; *c; c++) lines += *c == '\n';
    ck_assert_uint_eq(lines, 1 + 7);
    nx_close(dev);
}

TEST(a_file_that_is_no_whole_look_is_refused_in_one_line)
{
    nx_close(make_stats());
    for (unsigned n = 0; n < 180; n += n < 3 ? 1 : 59) {
        ck_shell_says(2, n ? ": cut off, expected " : "empty, expected a look at a NIC or a dump of a switch",
                      "head -n %u $D/before > $D/cut; $P $D/cut", n);
        ck_assert_uint_eq(strcspn(shell_output, "\n") + 1, strlen(shell_output));
    }
    ck_shell_says(2, "line 3: cut off, expected HEAD_TAIL",
                  "head -n 2 $D/before > $D/cut; printf 'HEAD_TAIL 0x00' >> $D/cut; $P $D/cut");
    ck_shell_says(2, "cut off or damaged, expected end", "head -n -1 $D/before > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 1: a look of version 2, expected version 1",
                  "sed 's/^nxstat 1/nxstat 2/' $D/before > $D/cut; $P $D/cut");
    ck_shell_says(2, "with register map 9, expected map 1", "sed 's/map 1/map 9/' $D/before > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 1: 'nxstat 1 x', expected map, node",
                  "sed '1s/.*/nxstat 1 x/' $D/before > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 1: no look at a NIC, expected 'nxstat 1'", "echo none > $D/cut; $P $D/cut");
    ck_shell_says(2, "line 5: 'xyz', expected REMOTE_NOTIFY_HIGH and its value",
                  "sed '5s/.*/xyz/' $D/before > $D/cut; $P $D/before $D/cut");
    ck_shell_says(2, "line 1: cut off, or no dump of a switch", "echo hello > $D/cut; $P $D/cut");
    ck_shell_says(2, "nothere: No such file", "$P $D/nothere");
    ck_shell_says(2, "expected nxstat [--all] SOURCE", "$P");
    ck_shell_says(2, "expected nxstat [--all] SOURCE", "$P --watch 1 $D/before");
    ck_shell_says(2, "expected nxstat [--all] SOURCE", "$P --other $D/before");
}
