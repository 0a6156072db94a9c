/* What tasks see of a host: reset, results, flushes, interrupts, statistics, a run that a violation ends. The device is the one in C. */
#include <stdlib.h>
#include <string.h>

#include "c_device.h"
#include "sim/host/host.h"
#include "simulation.h"
#include "test.h"

static sim *s;
static sim_clock *clk;
static host *h;
static c_device device;
static int result;

CLEANUP(host_free);

static void run(const host_params *p, void (*software)(void *))
{
    s = quiet_sim(0);
    clk = make_clock(s, "pci", 10 * SIM_NS, 0);
    h = host_new(s, clk, p, "host0");
    after_test(host_free_cleanup, h);
    if (h != NULL) {
        c_device_init(&device, host_bus(h), 1);
        pcix_monitor_set_capability(host_monitor(h), device.agent, 0x48);
    }
    sim_task_new(s, "software", software, NULL);
    result = sim_run(s, 10 * SIM_MS);
}

static void expect_ok(void)
{
    ck_assert_msg(result == SIM_OK, "%s: %s", sim_result_name(result), sim_error(s));
    ck_assert_uint_eq(pcix_monitor_violations(host_monitor(h)), 0);
}

/* --- reset --- */

static uint64_t rise;

static void only_reset(void *arg)
{
    (void)arg;
    ck_assert_int_eq(pcix_bus_at(host_bus(h), pcix_bus_clock(host_bus(h)))->rst_n, 0);
    host_reset(h);
    uint64_t now = pcix_bus_clock(host_bus(h));
    for (rise = now; pcix_bus_at(host_bus(h), rise - 1)->rst_n; rise--) ck_assert_uint_gt(rise, 1);
}

TEST(reset_shows_the_pattern_of_the_mode, .to = 4)
{
    host_params p = host_params_ideal();
    p.mode = _i;
    run(&p, only_reset);
    ck_assert_int_eq(result, SIM_OK);
    /* {DEVSEL#,STOP#,TRDY#} asserted = mode; REQ64# low = 64-bit slot; from 10 clocks before RST# rises (1.2) */
    for (uint64_t c = rise - 10; c <= rise; c++) {
        const pcix_sample *x = pcix_bus_at(host_bus(h), c);
        ck_assert_int_eq(pcix_low(x, PCIX_DEVSEL), _i >> 2 & 1);
        ck_assert_int_eq(pcix_low(x, PCIX_STOP), _i >> 1 & 1);
        ck_assert_int_eq(pcix_low(x, PCIX_TRDY), _i & 1);
        ck_assert(pcix_low(x, PCIX_REQ64));
        ck_assert(!pcix_low(x, PCIX_FRAME) && !pcix_low(x, PCIX_IRDY));
    }
    /* held for at most 50 ns, then driven high, then free; no FRAME# within five clocks */
    ck_assert_uint_eq(pcix_bus_at(host_bus(h), rise + 5)->driven, 0);
    for (uint64_t c = rise; c < rise + 5; c++) ck_assert(!pcix_low(pcix_bus_at(host_bus(h), c), PCIX_FRAME));
    expect_ok();
}

static void prepare(void)
{
    host_reset(h);
    ck_assert_int_eq(host_config_write(h, 1, 0x04, 2, 0x146), PCIX_OK);
}

/* --- accesses --- */

static void configuration(void *arg)
{
    (void)arg;
    uint32_t v;
    prepare();
    ck_assert_int_eq(host_config_write(h, 1, 0x10, 4, 0x11223344), PCIX_OK);
    ck_assert_int_eq(host_config_write(h, 1, 0x12, 1, 0x99), PCIX_OK);
    ck_assert_int_eq(host_config_write(h, 1, 0x10, 2, 0xabcd), PCIX_OK);
    ck_assert_int_eq(host_config_read(h, 1, 0x10, 4, &v), PCIX_OK);
    ck_assert_uint_eq(v, 0x1199abcd);
    ck_assert_int_eq(host_config_read(h, 1, 0x11, 1, &v), PCIX_OK);
    ck_assert_uint_eq(v, 0xab);
    ck_assert_int_eq(host_config_read(h, 1, 0x12, 2, &v), PCIX_OK);
    ck_assert_uint_eq(v, 0x1199);
    ck_assert_int_eq(host_config_read(h, 5, 0x00, 2, &v), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(v, 0xffff);
    ck_assert_int_eq(host_config_read(h, 1, 0x11, 2, &v), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_config_write(h, 16, 0x10, 4, 0), HOST_BAD_ARGUMENT);
}

TEST(configuration_accesses_have_three_sizes)
{
    host_params p = host_params_ideal();
    run(&p, configuration);
    expect_ok();
}

static void failures(void *arg)
{
    (void)arg;
    uint64_t v;
    uint8_t line[64] = {0};
    prepare();
    ck_assert_int_eq(host_read(h, 0xe0000004, 4, &v), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(v, 0xffffffff);
    ck_assert_int_eq(host_read(h, 0xe0000000, 8, &v), PCIX_MASTER_ABORT);
    ck_assert_uint_eq(v, UINT64_MAX);
    ck_assert_int_eq(host_write(h, 0xe0000000, 4, 1), PCIX_OK); /* posted: the failure shows at the flush */
    ck_assert_int_eq(host_flush(h), PCIX_MASTER_ABORT);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    ck_assert_int_eq(host_write(h, 0xd0000004, 8, 1), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_write(h, 0xd0000000, 9, 1), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_read(h, 0xd0000000, 0, &v), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_write_combined(h, 0xd0000020, line, 40), HOST_BAD_ARGUMENT);
    ck_assert_int_eq(host_read_block(h, 0xd0000000, line, 4097), HOST_BAD_ARGUMENT);
}

TEST(failures_come_back_as_results)
{
    host_params p = host_params_ideal();
    run(&p, failures);
    ck_assert_int_eq(host_write(h, 0xd0000000, 4, 1), HOST_BAD_ARGUMENT); /* not in a task */
    ck_assert_int_eq(host_flush(h), HOST_BAD_ARGUMENT);
    expect_ok();
}

static void full_queue(void *arg)
{
    (void)arg;
    prepare();
    for (unsigned i = 0; i < 40; i++) ck_assert_int_eq(host_write(h, 0xd0000000 + 4 * i, 4, i + 1), PCIX_OK);
    ck_assert_int_eq(host_flush(h), PCIX_OK);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t word;
        memcpy(&word, device.memory + 4 * i, 4);
        ck_assert_uint_eq(word, i + 1);
    }
    const host_stats *t = host_get_stats(h);
    ck_assert_uint_eq(t->by_command[PCIX_MEMORY_WRITE], 40);
    ck_assert_uint_eq(t->by_command[PCIX_CONFIG_WRITE], 1);
    ck_assert_uint_eq(t->transactions, 41);
    ck_assert_uint_eq(t->data_clocks, 41);
    ck_assert_uint_eq(t->bytes, 41 * 4);
    ck_assert_uint_gt(t->idle_clocks, 0);
    ck_assert_uint_lt(t->idle_clocks, t->clocks);
    host_stats_clear(h);
    ck_assert_uint_eq(host_get_stats(h)->clocks, 0);
}

TEST(stores_wait_for_room_in_the_bridge)
{
    host_params p = host_params_server2004();
    p.post_depth = 2;
    run(&p, full_queue);
    expect_ok();
}

static int ordered;
static void other(void *arg)
{
    uint64_t v;
    for (int i = 0; i < 20; i++) ck_assert_int_eq(host_read(h, 0xd0000000 + (uint64_t)(uintptr_t)arg, 4, &v), PCIX_OK);
    ordered++;
}
static void several(void *arg)
{
    (void)arg;
    prepare();
    sim_task *t[4];
    for (uintptr_t i = 0; i < 4; i++) t[i] = sim_task_new(s, "reader", other, (void *)(8 * i));
    for (int i = 0; i < 4; i++) sim_join(t[i]);
    ck_assert_int_eq(ordered, 4);
}

TEST(tasks_share_the_bridge)
{
    host_params p = host_params_ideal();
    run(&p, several);
    expect_ok();
}

static void raise_interrupt(void *arg)
{
    (void)arg;
    sim_wait_cycles(clk, 200);
    device.inta = true;
}
static void wait_interrupt(void *arg)
{
    (void)arg;
    prepare();
    uint64_t from = sim_clock_cycles(clk);
    sim_task_new(s, "device", raise_interrupt, NULL);
    ck_assert(!host_interrupt(h));
    host_wait_interrupt(h);
    ck_assert(host_interrupt(h));
    ck_assert_uint_ge(sim_clock_cycles(clk) - from, 200);
    device.inta = false;
    sim_wait_cycles(clk, 3);
    ck_assert(!host_interrupt(h));
}

TEST(interrupt_wakes_the_task)
{
    host_params p = host_params_ideal();
    run(&p, wait_interrupt);
    expect_ok();
}

/* --- trouble --- */

static void speak_out_of_turn(void *arg)
{
    (void)arg;
    prepare();
    static uint8_t data[64];
    static c_dma d = {.command = PCIX_WRITE_BLOCK, .address = 0x10000, .count = 64, .data = data};
    ck_assert_int_eq(host_config_write(h, 1, 0x04, 2, 0x142), PCIX_OK); /* Bus Master off */
    sim_wait_cycles(clk, 20);
    c_device_dma(&device, &d);
    sim_wait_cycles(clk, 100);
}

TEST(violation_ends_the_run_and_shows_the_bus)
{
    host_params p = host_params_ideal();
    run(&p, speak_out_of_turn);
    ck_assert_int_eq(result, SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(s), "BUS_MASTER"));
    ck_assert_ptr_nonnull(strstr(sim_error(s), "host0"));
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    sim_report_print(s, f); /* what a run that is not quiet prints */
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "\nFRAME#"));
    free(text);
}

static void expected_trouble(void *arg)
{
    pcix_monitor_expect(host_monitor(h), PCIX_RULE_BUS_MASTER);
    speak_out_of_turn(arg);
    ck_assert_uint_eq(pcix_monitor_missing(host_monitor(h)), 0);
}

TEST(expected_violation_does_not)
{
    host_params p = host_params_ideal();
    run(&p, expected_trouble);
    expect_ok();
}

static void nothing(void *arg)
{
    (void)arg;
}

/* --- what the bridge stores --- */

static struct {
    uint64_t last;              /* word that is looked at in every clock */
    uint64_t there[8], told[8]; /* clocks in which writes were in memory first, and were told of */
    uint64_t when[8], last_data[8];
    unsigned wrote, told_of, bytes;
} stored;
enum { STORE_AT = 0x10000, STORE_BYTES = 4096, STORE_WRITES = 8 };

static void look_at_memory(void *self)
{
    (void)self;
    if (stored.wrote < STORE_WRITES && memory_get64(host_memory(h), stored.last) == stored.wrote + 1)
        stored.there[stored.wrote++] = sim_clock_cycles(clk);
}

static void on_written(void *self, const pcix_transaction *t, sim_time when)
{
    ck_assert_ptr_eq(self, &stored);
    ck_assert_int_eq(t->initiator, device.agent);
    stored.bytes += t->bytes;
    if (t->address + t->bytes < STORE_AT + STORE_BYTES) return; /* the first part of one that was disconnected */
    stored.told[stored.told_of] = sim_clock_cycles(clk);
    stored.when[stored.told_of] = when;
    stored.last_data[stored.told_of++] = t->last_data;
}

static unsigned length_of(unsigned i)
{
    return i & 1 ? 8 * (i + 1) : (unsigned)STORE_BYTES >> i;
}

/* Writes of other lengths, the last word of each its number. */
static void write_often(void *arg)
{
    uint64_t data[STORE_BYTES / 8] = {0};
    (void)arg;
    prepare();
    for (unsigned i = 0; i < STORE_WRITES; i++) {
        unsigned count = length_of(i);
        data[count / 8 - 1] = i + 1;
        c_dma d = {.command = PCIX_WRITE_BLOCK, .address = STORE_AT + STORE_BYTES - count, .count = count, .data = (uint8_t *)data};
        c_device_dma(&device, &d);
        while (!c_device_idle(&device)) sim_wait_cycles(clk, 1);
        sim_wait_cycles(clk, 20);
        data[count / 8 - 1] = 0;
    }
}

TEST(a_write_is_told_of_in_the_clock_its_last_word_is_in_memory, .to = 8)
{
    host_params p = host_params_ideal();
    if (_i & 1) p.write_waits = 2;
    if (_i & 2) p.write_buffer = 256;
    if (_i & 4) p.hidden_arbitration = false;
    stored.last = STORE_AT + STORE_BYTES - 8;
    run(&p, nothing);
    ck_assert_int_eq(host_on_written(h, on_written, &stored), 0);
    sim_clock_attach(clk, NULL, look_at_memory, &stored); /* behind the host's own */
    sim_task_new(s, "writes", write_often, NULL);
    result = sim_run(s, 10 * SIM_MS);
    ck_assert_uint_eq(stored.wrote, STORE_WRITES);
    ck_assert_uint_eq(stored.told_of, STORE_WRITES);
    unsigned bytes = 0;
    for (unsigned i = 0; i < STORE_WRITES; i++) {
        bytes += length_of(i);
        ck_assert_uint_eq(stored.told[i], stored.there[i]);
        ck_assert_uint_eq(stored.when[i], (stored.last_data[i] - 1) * 10 * SIM_NS);
    }
    ck_assert_uint_eq(stored.bytes, bytes);
    expect_ok();
}

TEST(wrong_parameters_are_named)
{
    host_params p = host_params_ideal();
    p.write_waits = 3;
    run(&p, nothing);
    ck_assert_ptr_null(h);
    ck_assert_int_eq(result, SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(s), "write_waits"));
}

TEST(table_shows_a_transaction)
{
    host_params p = host_params_ideal();
    char *text = NULL;
    size_t size = 0;
    run(&p, full_queue);
    FILE *f = open_memstream(&text, &size);
    host_print_bus(h, f, 30);
    fclose(f);
    ck_assert_ptr_nonnull(strstr(text, "data0"));
    ck_assert_ptr_nonnull(strstr(text, "attr"));
    ck_assert_ptr_nonnull(strstr(text, "00000028")); /* the last word stored */
    free(text);
    expect_ok();
}
