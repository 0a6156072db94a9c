/* Memory, processor, application and monitors at the pins of a model: seen by sim/model/axi as a chip with AXI ports.
 */
#include <string.h>

#include "axi_exerciser.h"
#include "axi_exerciser64.h"
#include "axi_exerciser_address.h"
#include "axi_exerciser_doorbell.h"
#include "axi_exerciser_last.h"
#include "memory_bench.h"
#include "sim/model/axi/axi_cpu.h"
#include "sim/model/axi/axi_doorbells.h"

CLEANUP(axi_cpu_free);
CLEANUP(axi_doorbells_free);
CLEANUP(axi_monitor_free);

enum {
    SOURCE = 0x00,
    DESTINATION = 0x04,
    WORDS = 0x08,
    COPIES = 0x0c,
    WORST = 0x10,
    KEPT = 0x14,
    SLAVE_ERROR = 0x20,
    DECODE_ERROR = 0x24
};

static struct {
    sim *s;
    sim_clock *clock;
    sim_model *chip;
    axi_memory *memory;
    axi_cpu *cpu;
    axi_doorbells *doorbells;
    axi_monitor *monitors[3];
    unsigned bytes, rang[2], qp[2][64];
    uint32_t index[2][64];
    int done;
} b;

static void note(int kind, unsigned qp, uint32_t index)
{
    ck_assert_uint_lt(b.rang[kind], 64);
    b.qp[kind][b.rang[kind]] = qp;
    b.index[kind][b.rang[kind]++] = index;
}

static void received(void *self, unsigned qp, uint32_t index)
{
    (void)self;
    note(AXI_RQCI, qp, index);
}

static void completed(void *self, unsigned qp, uint32_t index)
{
    (void)self;
    note(AXI_SQPI, qp, index);
}

static void make(const sim_config *config, const axi_memory_params *memory, const axi_cpu_params *cpu,
                 const axi_doorbells_params *doorbells)
{
    static const char *const prefixes[] = {"in_m_axi_", "out_m_axi_", "s_axi_lite_"};
    memset(&b, 0, sizeof b);
    b.s = quiet_sim(0);
    b.clock = make_clock(b.s, "clk", 5000, 0);
    b.chip = make_clocked(b.s, b.clock, config, "chip");
    b.memory = memory_bench_new(b.s, b.clock, memory);
    for (int i = 0; i < 2; i++) {
        const memory_port *p = memory_bench_port(b.memory, b.clock, b.chip, prefixes[i]);
        b.monitors[i] = p->monitor;
        b.bytes = p->pins.bytes;
    }
    axi_pins pins;
    ck_assert_msg(axi_pins_of(b.chip, prefixes[2], &pins) == 0, "%s", sim_error(b.s));
    b.monitors[2] = axi_monitor_new(b.s, b.clock, &pins, prefixes[2]);
    after_test(axi_monitor_free_cleanup, b.monitors[2]);
    b.cpu = axi_cpu_new(b.s, b.clock, &pins, cpu, "cpu");
    ck_assert_msg(b.cpu != NULL, "%s", sim_error(b.s));
    after_test(axi_cpu_free_cleanup, b.cpu);
    b.doorbells = axi_doorbells_new(b.s, b.clock, b.chip, doorbells, "application");
    ck_assert_msg(b.doorbells != NULL, "%s", sim_error(b.s));
    after_test(axi_doorbells_free_cleanup, b.doorbells);
    axi_doorbells_listen(b.doorbells, received, completed, NULL);
    *(uint8_t *)sim_model_port(b.chip, "rst")->at = 1;
    run_clocks(b.s, b.clock, 5);
    *(uint8_t *)sim_model_port(b.chip, "rst")->at = 0;
    run_clocks(b.s, b.clock, 2);
}

static void do_task(void (*task)(void *), void *arg, int expected)
{
    sim_task_new(b.s, "task", task, arg);
    int result = sim_run(b.s, sim_now(b.s) + 100000 * sim_clock_period(b.clock));
    ck_assert_msg(result == expected, "seed %llu: %s: %s", (unsigned long long)sim_seed(b.s), sim_result_name(result),
                  sim_error(b.s));
}

/* ---- memory and monitors at the pins of a model */

static uint32_t copy(uint32_t from, uint32_t to, unsigned words)
{
    uint32_t before = 0, now, worst;
    ck_assert_int_eq(axi_cpu_read32(b.cpu, COPIES, &before), 0);
    ck_assert_int_eq(axi_cpu_write32(b.cpu, SOURCE, from), 0);
    ck_assert_int_eq(axi_cpu_write32(b.cpu, DESTINATION, to), 0);
    ck_assert_int_eq(axi_cpu_write32(b.cpu, WORDS, words), 0);
    do axi_cpu_read32(b.cpu, COPIES, &now);
    while (now == before);
    axi_cpu_read32(b.cpu, WORST, &worst);
    return worst;
}

static void copies(void *arg)
{
    (void)arg;
    memory *bytes = axi_memory_bytes(b.memory);
    unsigned most = 4096 / b.bytes < 256 ? 4096 / b.bytes : 256;
    for (unsigned words = 1; words <= most; words = words < 4                          ? words + 1
                                                    : words * 2 > most && words < most ? most
                                                                                       : words * 2) {
        uint8_t data[4096], got[4096];
        unsigned size = words * b.bytes;
        for (unsigned i = 0; i < size; i++) data[i] = (uint8_t)(i * 3 + (i >> 8) + words);
        memory_write(bytes, 0x40000, data, size);
        ck_assert_uint_eq(copy(0x40000, 0x80000 + 0x1000 * words, words), AXI_OKAY);
        memory_read(bytes, 0x80000 + 0x1000 * words, got, size);
        ck_assert_msg(!memcmp(data, got, size), "%u words: other data", words);
    }
    axi_memory_add_range(b.memory, 0x41000, 1, AXI_SLVERR);
    axi_memory_add_range(b.memory, 0x90000, 1, AXI_DECERR);
    ck_assert_uint_eq(copy(0x41000, 0x50000, 2), AXI_SLVERR);
    ck_assert_uint_eq(copy(0x40000, 0x90000, 2), AXI_DECERR);
    for (int i = 0; i < 3; i++) ck_assert_uint_eq(axi_monitor_outstanding(b.monitors[i]), 0);
}

/* As fast as it goes; slow in everything; READY only in answer to VALID. */
TEST(a_model_copies_memory, .to = 6)
{
    axi_memory_params p = axi_memory_defaults();
    axi_cpu_params cpu = axi_cpu_defaults();
    if (_i / 2 == 1) {
        for (int c = 0; c < AXI_CHANNELS; c++) p.stall[c] = 40;
        p.spread = 50;
        p.bandwidth = 5;
        cpu = (axi_cpu_params){.latency = 0, .spread = 20, .skew = 5, .stall = 50};
    }
    p.ready_after_valid = _i / 2 == 2;
    make(_i & 1 ? &axi_exerciser64_config : &axi_exerciser_config, &p, &cpu, NULL);
    ck_assert_uint_eq(b.bytes, _i & 1 ? 64 : 8);
    do_task(copies, NULL, SIM_OK);
}

static void one_copy(void *arg)
{
    (void)arg;
    copy(0x1000, 0x2000, 4);
}

TEST(faults_of_a_model_are_found, .to = 2)
{
    axi_memory_params p = axi_memory_defaults();
    p.stall[AXI_AR] = 99;
    make(_i ? &axi_exerciser_address_config : &axi_exerciser_last_config, _i ? &p : NULL, NULL, NULL);
    do_task(one_copy, NULL, SIM_FAILED);
    const char *expected = _i ? "AXI_AR_HELD (master" : "AXI_W_LAST (master";
    ck_assert_msg(strstr(sim_error(b.s), expected) != NULL, "%s", sim_error(b.s));
}

/* ---- processor */

static void registers(void *arg)
{
    (void)arg;
    uint32_t value = 0;
    ck_assert_int_eq(axi_cpu_write32(b.cpu, KEPT, 0x11223344), 0);
    ck_assert_int_eq(axi_cpu_read32(b.cpu, KEPT, &value), 0);
    ck_assert_uint_eq(value, 0x11223344);
    ck_assert_int_eq(axi_cpu_write_bytes(b.cpu, KEPT, 0xaabbccdd, 5), 0);
    axi_cpu_read32(b.cpu, KEPT, &value);
    ck_assert_uint_eq(value, 0x11bb33dd);
    ck_assert_int_eq(axi_cpu_read32(b.cpu, SLAVE_ERROR, &value), AXI_CPU_SLVERR);
    ck_assert_uint_eq(value, UINT32_MAX);
    ck_assert_int_eq(axi_cpu_read32(b.cpu, DECODE_ERROR, &value), AXI_CPU_DECERR);
    ck_assert_int_eq(axi_cpu_write32(b.cpu, SLAVE_ERROR, 0), AXI_CPU_SLVERR);
    ck_assert_int_eq(axi_cpu_write32(b.cpu, DECODE_ERROR, 0), AXI_CPU_DECERR);
    ck_assert_int_eq(axi_cpu_read32(b.cpu, 2, &value), AXI_CPU_BAD_ARGUMENT);
    ck_assert_int_eq(axi_cpu_write32(b.cpu, 0x100, 0), AXI_CPU_BAD_ARGUMENT); /* 8 bits of address */
    ck_assert_int_eq(axi_cpu_write_bytes(b.cpu, KEPT, 0, 16), AXI_CPU_BAD_ARGUMENT);
    ck_assert_uint_eq(axi_cpu_accesses(b.cpu), 8);
}

TEST(the_processor_reads_and_writes_registers)
{
    uint32_t value;
    make(&axi_exerciser_config, NULL, NULL, NULL);
    do_task(registers, NULL, SIM_OK);
    ck_assert_int_eq(axi_cpu_read32(b.cpu, KEPT, &value), AXI_CPU_BAD_ARGUMENT); /* no task */
}

static void many(void *arg)
{
    uint32_t mine = *(uint32_t *)arg, value;
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(axi_cpu_write32(b.cpu, mine, mine * 0x1000001u + (unsigned)i), 0);
        ck_assert_int_eq(axi_cpu_read32(b.cpu, mine, &value), 0);
        ck_assert_uint_eq(value, mine * 0x1000001u + (unsigned)i);
    }
    b.done++;
}

TEST(tasks_take_turns_at_the_processor)
{
    static uint32_t places[] = {SOURCE, DESTINATION, KEPT};
    axi_cpu_params cpu = {.latency = 3, .spread = 9, .skew = 4, .stall = 30};
    make(&axi_exerciser_config, NULL, &cpu, NULL);
    sim_task_new(b.s, "a", many, &places[0]);
    sim_task_new(b.s, "b", many, &places[1]);
    do_task(many, &places[2], SIM_OK);
    ck_assert_int_eq(b.done, 3);
    ck_assert_uint_eq(axi_cpu_accesses(b.cpu), 300);
}

static void timed(void *arg)
{
    uint64_t *clocks = arg, from = sim_clock_cycles(b.clock);
    axi_cpu_write32(b.cpu, KEPT, 1);
    *clocks = sim_clock_cycles(b.clock) - from;
}

/* 25 clocks to the pins; there the slave answers in the next clock, and the task goes on after the edge that takes the
 * answer. */
TEST(an_access_takes_the_latency_of_the_processor)
{
    uint64_t clocks[2];
    axi_cpu_params cpu = {.latency = 25};
    make(&axi_exerciser_config, NULL, &cpu, NULL);
    do_task(timed, &clocks[0], SIM_OK);
    cpu.latency = 5;
    make(&axi_exerciser_config, NULL, &cpu, NULL);
    do_task(timed, &clocks[1], SIM_OK);
    ck_assert_uint_eq(clocks[0] - clocks[1], 20);
    ck_assert_uint_eq(clocks[1], 5 + 2);
}

/* ---- doorbells */

TEST(doorbells_go_to_their_registers_and_come_back, .to = 2)
{
    axi_doorbells_params p = {.stall = _i ? 80 : 0, .gap = _i ? 20 : 0};
    make(&axi_exerciser_config, NULL, NULL, &p);
    for (unsigned i = 0; i < 40; i++) {
        ck_assert_int_eq(axi_doorbells_post(b.doorbells, AXI_SQPI, 1 + i, (uint16_t)(i * 7)), 0);
        ck_assert_int_eq(axi_doorbells_post(b.doorbells, AXI_RQCI, 127 - i, (uint16_t)(60000 + i)), 0);
    }
    ck_assert_int_eq(axi_doorbells_idle(b.doorbells), 0);
    run_clocks(b.s, b.clock, 3000);
    ck_assert_int_eq(axi_doorbells_idle(b.doorbells), 1);
    for (int kind = 0; kind < 2; kind++) ck_assert_uint_eq(b.rang[kind], 40);
    for (unsigned i = 0; i < 40; i++) {
        ck_assert_uint_eq(b.qp[AXI_SQPI][i], 1 + i);
        ck_assert_uint_eq(b.index[AXI_SQPI][i], i * 7);
        ck_assert_uint_eq(b.qp[AXI_RQCI][i], 127 - i);
        ck_assert_uint_eq(b.index[AXI_RQCI][i], 60000 + i);
    }
    const axi_doorbells_stats *stats = axi_doorbells_get_stats(b.doorbells);
    ck_assert_uint_eq(stats->received + stats->completed + stats->posted[0] + stats->posted[1], 160);
    ck_assert_int_eq(axi_doorbells_post(b.doorbells, AXI_SQPI, 0, 0), -1);
    ck_assert_int_eq(axi_doorbells_post(b.doorbells, AXI_SQPI, 255, 0), -1);
    for (int i = 0; i < AXI_DOORBELLS_WAITING; i++)
        ck_assert_int_eq(axi_doorbells_post(b.doorbells, AXI_SQPI, 1, 0), 0);
    ck_assert_int_eq(axi_doorbells_post(b.doorbells, AXI_SQPI, 1, 0), -1);
}

TEST(a_doorbell_that_changes_while_it_waits_ends_the_run)
{
    axi_doorbells_params p = {.stall = 90};
    make(&axi_exerciser_doorbell_config, NULL, NULL, &p);
    axi_doorbells_post(b.doorbells, AXI_RQCI, 2, 5);
    sim_run(b.s, sim_now(b.s) + 1000 * sim_clock_period(b.clock));
    ck_assert_msg(strstr(sim_error(b.s), "application: ") && strstr(sim_error(b.s), "RQ_DOORBELL_HELD (chip") &&
                      strstr(sim_error(b.s), "rx_pkt_hndler_o_rq_db_data changes"),
                  "%s", sim_error(b.s));
}

TEST(ports_that_a_model_does_not_have_are_named)
{
    axi_pins pins;
    make(&axi_exerciser_config, NULL, NULL, NULL);
    ck_assert_int_eq(axi_pins_of(b.chip, "nothing_", &pins), -1);
    ck_assert_str_eq(sim_error(b.s), "model chip: AXI port nothing_*: there is neither awvalid nor arvalid");
    make(&axi_exerciser_config, NULL, NULL, NULL);
    axi_stream_pins stream;
    ck_assert_int_eq(axi_stream_pins_of(b.chip, "rx_", &stream), -1);
    ck_assert_str_eq(sim_error(b.s), "model chip: AXI4-Stream port rx_*: there is no tvalid");
}
