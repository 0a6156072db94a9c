/* A host as seen by its tasks: reset, results, flushes, interrupts, statistics, a run that a violation ends. The device
 * is the one in C. */
#include <stdlib.h>
#include <string.h>

#include "host_bench.h"
#include "test.h"

static host_bench b = {.quiet = true};

/* --- reset --- */

HOST_TEST(reset_shows_the_pattern_of_the_mode, (p.mode = _i, b.in_reset = true), .to = 4)
{
    pcix_bus *bus = host_bus(b.h);
    ck_assert_int_eq(pcix_bus_at(bus, pcix_bus_clock(bus))->rst_n, 0);
    host_reset(b.h);
    uint64_t rise = pcix_bus_clock(bus);
    for (; pcix_bus_at(bus, rise - 1)->rst_n; rise--) ck_assert_uint_gt(rise, 1);
    /* {DEVSEL#,STOP#,TRDY#} asserted = mode; REQ64# low = 64-bit slot; from 10 clocks before RST# rises (1.2) */
    for (uint64_t c = rise - 10; c <= rise; c++) {
        const pcix_sample *x = pcix_bus_at(bus, c);
        ck_assert_int_eq(pcix_low(x, PCIX_DEVSEL), _i >> 2 & 1);
        ck_assert_int_eq(pcix_low(x, PCIX_STOP), _i >> 1 & 1);
        ck_assert_int_eq(pcix_low(x, PCIX_TRDY), _i & 1);
        ck_assert(pcix_low(x, PCIX_REQ64));
        ck_assert(!pcix_low(x, PCIX_FRAME) && !pcix_low(x, PCIX_IRDY));
    }
    /* held for at most 50 ns, then driven high, then free; no FRAME# within five clocks */
    ck_assert_uint_eq(pcix_bus_at(bus, rise + 5)->driven, 0);
    for (uint64_t c = rise; c < rise + 5; c++) ck_assert(!pcix_low(pcix_bus_at(bus, c), PCIX_FRAME));
}

/* --- accesses --- */

HOST_TEST(configuration_accesses_have_three_sizes, p)
{
    uint32_t v;
    ck_assert_int_eq(host_config_write(b.h, 1, 0x10, 4, 0x11223344), PCIX_OK);
    ck_assert_int_eq(host_config_write(b.h, 1, 0x12, 1, 0x99), PCIX_OK);
    ck_assert_int_eq(host_config_write(b.h, 1, 0x10, 2, 0xabcd), PCIX_OK);
    ck_assert_int_eq(host_config_read(b.h, 1, 0x10, 4, &v), PCIX_OK);
    ck_assert_uint_eq(v, 0x1199abcd);
    ck_assert_int_eq(host_config_read(b.h, 1, 0x11, 1, &v), PCIX_OK);
    ck_assert_uint_eq(v, 0xab);
    ck_assert_int_eq(host_config_read(b.h, 1, 0x12, 2, &v), PCIX_OK);
    ck_assert_uint_eq(v, 0x1199);
    ck_assert_int_eq(host_config_read(b.h, 5, 0x00, 2, &v), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(v, 0xffff);
    ck_assert_int_eq(host_config_read(b.h, 1, 0x11, 2, &v), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_config_write(b.h, 16, 0x10, 4, 0), HOST_BAD_ARGUMENT);
}

HOST_TEST(failures_come_back_as_results, p)
{
    uint64_t v;
    uint8_t line[64] = {0};
    ck_assert_int_eq(host_read(b.h, 0xe0000004, 4, &v), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(v, 0xffffffff);
    ck_assert_int_eq(host_read(b.h, 0xe0000000, 8, &v), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(v, UINT64_MAX);
    ck_assert_int_eq(host_write(b.h, 0xe0000000, 4, 1), PCIX_OK); /* posted: the failure shows at the flush */
    ck_assert_int_eq(host_flush(b.h), PCIX_MASTER_ABORT);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
    ck_assert_int_eq(host_write(b.h, 0xd0000004, 8, 1), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_write(b.h, 0xd0000000, 9, 1), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_read(b.h, 0xd0000000, 0, &v), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_write_combined(b.h, 0xd0000020, line, 40), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_read_block(b.h, 0xd0000000, line, 4097), HOST_BAD_ARGUMENT);
}

static void fill_queue(void)
{
    ck_assert_int_eq(host_config_write(b.h, 1, 0x10, 4, 0), PCIX_OK);
    for (unsigned i = 0; i < 40; i++) ck_assert_int_eq(host_write(b.h, 0xd0000000 + 4 * i, 4, i + 1), PCIX_OK);
    ck_assert_int_eq(host_flush(b.h), PCIX_OK);
}

HOST_TEST(stores_wait_for_room_in_the_bridge, (p = host_params_server2004(), p.post_depth = 2))
{
    fill_queue();
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t word;
        memcpy(&word, b.device.memory + 4 * i, 4);
        ck_assert_uint_eq(word, i + 1);
    }
    const host_stats *t = host_get_stats(b.h);
    ck_assert_uint_eq(t->by_command[PCIX_MEMORY_WRITE], 40);
    ck_assert_uint_eq(t->by_command[PCIX_CONFIG_WRITE], 1);
    ck_assert_uint_eq(t->transactions, 41);
    ck_assert_uint_eq(t->data_clocks, 41);
    ck_assert_uint_eq(t->bytes, 41 * 4);
    ck_assert_uint_gt(t->idle_clocks, 0);
    ck_assert_uint_lt(t->idle_clocks, t->clocks);
    host_stats_clear(b.h);
    ck_assert_uint_eq(host_get_stats(b.h)->clocks, 0);
}

static int ordered;
static void other(void *arg)
{
    uint64_t v;
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(host_read(b.h, 0xd0000000 + (uint64_t)(uintptr_t)arg, 4, &v), PCIX_OK);
    ordered++;
}

HOST_TEST(tasks_share_the_bridge, p)
{
    sim_task *t[4];
    for (uintptr_t i = 0; i < 4; i++) t[i] = sim_task_new(b.s, "reader", other, (void *)(8 * i));
    for (int i = 0; i < 4; i++) sim_join(t[i]);
    ck_assert_int_eq(ordered, 4);
}

static void raise_interrupt(void *arg)
{
    (void)arg;
    sim_wait_cycles(b.clk, 200);
    b.device.inta = true;
}

HOST_TEST(interrupt_wakes_the_task, p)
{
    uint64_t from = sim_clock_cycles(b.clk);
    sim_task_new(b.s, "device", raise_interrupt, NULL);
    ck_assert(!host_interrupt(b.h));
    host_wait_interrupt(b.h);
    ck_assert(host_interrupt(b.h));
    ck_assert_uint_ge(sim_clock_cycles(b.clk) - from, 200);
    b.device.inta = false;
    sim_wait_cycles(b.clk, 3);
    ck_assert(!host_interrupt(b.h));
}

/* --- trouble --- */

static void speak_out_of_turn(__attribute__((unused)) int _i)
{
    static uint8_t data[64];
    static c_dma d = {.command = PCIX_WRITE_BLOCK, .address = 0x10000, .count = 64, .data = data};
    ck_assert_int_eq(host_config_write(b.h, 1, 0x04, 2, 0x142), PCIX_OK); /* Bus Master off */
    sim_wait_cycles(b.clk, 20);
    c_device_dma(&b.device, &d);
    sim_wait_cycles(b.clk, 100);
}

TEST(violation_ends_the_run_and_shows_the_bus)
{
    host_bench_run(&b, host_params_ideal(), speak_out_of_turn, 0);
    ck_assert_int_eq(b.result, SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(b.s), "BUS_MASTER"));
    ck_assert_ptr_nonnull(strstr(sim_error(b.s), "host0"));
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    sim_report_print(b.s, f); /* report of a run that is not quiet */
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "\nFRAME#"));
    free(text);
}

HOST_TEST(expected_violation_does_not, p)
{
    pcix_monitor_expect(b.monitor, PCIX_RULE_BUS_MASTER);
    speak_out_of_turn(0);
    ck_assert_uint_eq(pcix_monitor_missing(b.monitor), 0);
}

/* --- stores of the bridge --- */

static struct {
    uint64_t there[8], reported[8]; /* clocks in which writes were in memory first, and were reported */
    uint64_t when[8], last_data[8];
    unsigned wrote, told_of, bytes;
} stored;
enum { STORE_AT = 0x10000, STORE_BYTES = 4096, STORE_WRITES = 8 };

static void look_at_memory(void *self)
{
    (void)self;
    if (stored.wrote < STORE_WRITES && memory_get64(b.memory, STORE_AT + STORE_BYTES - 8) == stored.wrote + 1)
        stored.there[stored.wrote++] = sim_clock_cycles(b.clk);
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    ck_assert_ptr_eq(self, &stored);
    ck_assert_int_eq(t->initiator, b.device.agent);
    stored.bytes += t->bytes;
    if (t->address + t->bytes < STORE_AT + STORE_BYTES) return; /* the first part of one that was disconnected */
    stored.reported[stored.told_of] = sim_clock_cycles(b.clk);
    stored.when[stored.told_of] = when;
    stored.last_data[stored.told_of++] = t->last_data;
}

/* Writes of other lengths, the last word of each its number. */
HOST_TEST(a_write_is_reported_in_the_clock_its_last_word_is_in_memory,
          (p.write_waits = _i & 1 ? 2 : 0, p.write_buffer = _i & 2 ? 256 : 0, p.hidden_arbitration = !(_i & 4)),
          .to = 8)
{
    uint64_t data[STORE_BYTES / 8] = {0};
    unsigned bytes = 0;
    ck_assert_int_eq(host_on_written(b.h, on_written, &stored), 0);
    sim_clock_attach(b.clk, NULL, look_at_memory, &stored); /* behind the host's own */
    for (unsigned i = 0; i < STORE_WRITES; i++) {
        unsigned count = i & 1 ? 8 * (i + 1) : (unsigned)STORE_BYTES >> i;
        data[count / 8 - 1] = i + 1;
        c_dma d = {.command = PCIX_WRITE_BLOCK,
                   .address = STORE_AT + STORE_BYTES - count,
                   .count = count,
                   .data = (uint8_t *)data};
        c_device_dma(&b.device, &d);
        while (!c_device_idle(&b.device)) sim_wait_cycles(b.clk, 1);
        sim_wait_cycles(b.clk, 20);
        data[count / 8 - 1] = 0;
        bytes += count;
        ck_assert_uint_eq(stored.reported[i], stored.there[i]);
        ck_assert_uint_eq(stored.when[i], (stored.last_data[i] - 1) * 10 * SIM_NS);
    }
    ck_assert_uint_eq(stored.wrote, STORE_WRITES);
    ck_assert_uint_eq(stored.told_of, STORE_WRITES);
    ck_assert_uint_eq(stored.bytes, bytes);
}

static void nothing(__attribute__((unused)) int _i) {}

TEST(wrong_parameters_are_named)
{
    host_params p = host_params_ideal();
    p.write_waits = 3;
    host_bench_run(&b, p, nothing, 0);
    ck_assert_ptr_null(b.h);
    ck_assert_int_eq(b.result, SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(b.s), "write_waits"));
}

HOST_TEST(table_shows_a_transaction, p)
{
    char *text = NULL;
    size_t size = 0;
    fill_queue();
    FILE *f = open_memstream(&text, &size);
    host_print_bus(b.h, f, 30);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "data0"));
    ck_assert_ptr_nonnull(strstr(text, "attr"));
    ck_assert_ptr_nonnull(strstr(text, "00000028")); /* the last word stored */
    free(text);
}
