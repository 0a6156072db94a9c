/* Changes in the configuration space, as lspci of pciutils reads it from a dump: after RST#, while regions are sized,
 * and each status bit by its cause. */
#include <string.h>

#include "nx_dump.h"
#include "shell.h"
#include "system_bench.h"
#include "test.h"

enum { TEXT = 8192, STATUS_COMMAND = 0x04, BAR0 = 0x10, BAR1 = 0x14, PCIX_STATUS = 0x4c, MEMORY_ENABLE = 2 };

/* Output of lspci about node 0's NIC now, also in shell_output. */
static void decode(bench *b, char text[TEXT])
{
    FILE *f = shell_file("dump", "w");
    ck_assert_int_eq(nx_config_dump(&b->n[0]->platform, NODE_DEVICE, "NIC", f), NX_OK);
    fclose(f);
    ck_assert_int_eq(shell_says("lspci -n -vvv -F $D/dump 2>/dev/null"), 0);
    snprintf(text, TEXT, "%s", shell_output);
}

TEST_CASE("config_status", .timeout = 60, .teardown = shell_clean);

/* All address bits that can be set: they give the regions' sizes. */
SOFTWARE_TEST(lspci_sees_regions_of_128_mb_and_32_kb)
{
    char text[TEXT];
    uint32_t command, bar[2];
    host *h = b->n[0]->host;
    ck_assert_int_eq(host_config_read(h, NODE_DEVICE, STATUS_COMMAND, 4, &command), 0);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(host_config_read(h, NODE_DEVICE, BAR0 + 4 * i, 4, &bar[i]), 0);
    host_config_write(h, NODE_DEVICE, STATUS_COMMAND, 2, command & 0xffff & ~(uint32_t)MEMORY_ENABLE);
    for (int reg = 0x10; reg < 0x34; reg += 4)
        if (reg < 0x28 || reg == 0x30) host_config_write(h, NODE_DEVICE, reg, 4, 0xffffffff);
    decode(b, text);
    ck_output_has("Mem- BusMaster+");
    ck_output_has("Region 0: Memory at f8000000 (32-bit, non-prefetchable) [disabled]"); /* 128 MB */
    ck_output_has("Region 1: Memory at ffff8000 (32-bit, non-prefetchable) [disabled]"); /* 32 KB */
    ck_assert(!strstr(text, "Region 2") && !strstr(text, "Expansion ROM"));
    for (int i = 0; i < 2; i++) host_config_write(h, NODE_DEVICE, BAR0 + 4 * i, 4, bar[i]);
    host_config_write(h, NODE_DEVICE, STATUS_COMMAND, 2, command & 0xffff);
    bench_good(b, 0, 62);
    bench_good(b, 1, 62);
    ck_assert_uint_eq(nx_bus_find(b->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[0].size, 128 << 20);
    ck_assert_uint_eq(nx_bus_find(b->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].size, 32 << 10);
}

SOFTWARE_TEST(lspci_sees_a_device_after_reset)
{
    char text[TEXT];
    host_reset(b->n[0]->host);
    decode(b, text);
    ck_output_has("Control: I/O- Mem- BusMaster- SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- FastB2B-");
    ck_output_has("Status: Cap+ 66MHz+ UDF- FastB2B- ParErr- DEVSEL=slow >TAbort- <TAbort- <MAbort- >SERR- <PERR- ");
    ck_output_has("DMMRBC=4096 DMOST=1 DMCRS=32 RSCEM-");
    ck_shell_says(0, " 00 01 00 00\n", "grep ^30: $D/dump"); /* IRQ 0, INTA: test_config_space */
    uint32_t timer;
    host_config_read(b->n[0]->host, NODE_DEVICE, 0x0c, 4, &timer);
    ck_assert_uint_eq(timer, 0x4000); /* design.md 3: PCI-X mode starts with 64 */
}

/* ---- status bits: each is set by its cause, shown, cleared by writing 1, and no other is touched */

struct cause {
    int kind; /* enum host_range_kind of the address read or written */
    unsigned value;
    int write; /* at the receiver's side of node 0, else a source of node 0 */
    const char *says;
    uint32_t status, pcix; /* bits that clear it */
};
static const struct cause causes[] = {
    {HOST_RANGE_NOBODY, 0, 0, "<MAbort+", 0x2000, 0},          {HOST_RANGE_TARGET_ABORT, 0, 0, "<TAbort+", 0x1000, 0},
    {HOST_RANGE_SPLIT_ERROR, 0x100, 0, "RSCEM+", 0, 1u << 29}, {HOST_RANGE_NOBODY, 0, 1, "<MAbort+", 0x2000, 0},
    {HOST_RANGE_TARGET_ABORT, 1, 1, "<TAbort+", 0x1000, 0},
};

SOFTWARE_TEST(a_status_bit_is_set_by_its_cause_and_cleared_by_writing_1, .to = COUNT(causes))
{
    const struct cause *c = &causes[_i];
    char before[TEXT], text[TEXT];
    int from = c->write;
    piece bad = bench_make(b, from, 40);
    uint64_t at = c->write ? bad.destination : bad.source;
    host_range range = {at, at + 8 * bad.words - 1, c->kind, c->value};
    decode(b, before);
    ck_assert_int_eq(host_add_range(b->n[0]->host, &range), 0);
    bench_post(b, &bad, 0);
    bench_wait(b, 10 * SIM_US);
    host_clear_ranges(b->n[0]->host);
    decode(b, text);
    ck_output_has(c->says);
    unsigned differ = 0;
    for (size_t i = 0; text[i]; i++) differ += text[i] != before[i];
    ck_assert_msg(differ == 1, "more than one thing has changed:\n%s%s", before, text);
    if (c->status) host_config_write(b->n[0]->host, NODE_DEVICE, STATUS_COMMAND + 2, 2, c->status);
    if (c->pcix) host_config_write(b->n[0]->host, NODE_DEVICE, PCIX_STATUS, 4, c->pcix);
    decode(b, text);
    ck_assert_str_eq(text, before);
}

SOFTWARE_TEST(an_unexpected_completion_is_shown, .to = 2)
{
    char before[TEXT], text[TEXT];
    decode(b, before);
    unsigned requester = (unsigned)b->n[0]->params.host.bus_number << 8 | NODE_DEVICE << 3;
    pcix_monitor_expect(host_monitor(b->n[0]->host), PCIX_RULE_COMPLETION_UNEXPECTED);
    ck_assert(pcix_bridge_inject_completion(host_bridge(b->n[0]->host), requester, 5, 0, _i ? 512 : 8));
    bench_wait(b, 5 * SIM_US);
    decode(b, text);
    ck_output_has("USC+");
    host_config_write(b->n[0]->host, NODE_DEVICE, PCIX_STATUS, 4, 1u << 19);
    decode(b, text);
    ck_assert_str_eq(text, before);
    bench_good(b, 0, 512);
    bench_good(b, 1, 512);
    bench_expect(b, 0, NIC_STATUS_UNEXPECTED_COMPLETION_MASK, CHANGES({NIC_UNEXPECTED_COMPLETIONS, 1}));
}
