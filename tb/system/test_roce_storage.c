/* The storage node on the RoCE v2 chip: a host's reads and writes of blocks, by the handshake ports alone. roce_storage
 * checks the content of each block; every port by its monitor. */
#include "roce_8.h"
#include "sim/app/roce/storage/roce_storage.h"
#include "simulation.h"

#include <string.h>

TEST_CASE("roce storage", .timeout = 120);

static sim *s;
static roce_system *system_;
static roce_storage *storage;

static void end_system(void *self)
{
    (void)self;
    roce_storage_free(storage);
    roce_system_free(system_);
    storage = NULL;
    system_ = NULL;
}

static void system_new(const roce_system_params *params, const roce_storage_params *p)
{
    char error[ROCE_SYSTEM_ERROR];
    s = quiet_sim(0);
    system_ = roce_system_new(s, params, error);
    ck_must(system_, "%s", error);
    after_test(end_system, NULL);
    storage = roce_storage_new(system_, p, error);
    ck_must(storage, "%s", error);
}

static roce_storage_params few(void)
{
    roce_storage_params p = roce_storage_defaults();
    p.commands = 24;
    p.blocks = 64;
    return p;
}

static void run_to_the_end(void)
{
    int result = sim_run(s, 50 * SIM_MS);
    uint64_t answered, all;
    roce_storage_progress(storage, &answered, &all);
    ck_must(result == SIM_OK && answered == all && roce_storage_complete(storage), "%s: %s; %lu of %lu commands",
            sim_result_name(result), sim_error(s), answered, all);
}

/* Each command has a doorbell, its buffer is given back, and 4 KB do not come faster than the line carries them. */
TEST(blocks_are_read_and_written)
{
    roce_system_params p = roce_system_defaults(&roce_8_config);
    roce_storage_params t = few();
    t.deepest = 8;
    system_new(&p, &t);
    run_to_the_end();
    unsigned count;
    const roce_storage_phase *f = roce_storage_phases(storage, &count);
    const axi_doorbells_stats *d = axi_doorbells_get_stats(system_->board->doorbells);
    ck_assert_uint_eq(count, 8);
    ck_assert_uint_eq(d->received, 8 * 24);
    ck_assert_uint_eq(d->posted[AXI_RQCI], 8 * 24);
    for (unsigned i = 0; i < count; i++) {
        ck_assert_uint_eq(f[i].bytes, 24 * STORAGE_BLOCK);
        ck_assert_uint_ge(f[i].mean, (STORAGE_BLOCK + STORAGE_COMMAND + STORAGE_ANSWER) * 8 * SIM_NS / 10);
        ck_assert_uint_ge(f[i].last - f[i].first, f[i].bytes * 8 * SIM_NS / 10);
        ck_assert_uint_le(f[i].ninety_nine, f[i].last - f[i].first);
    }
}

/* Lost packets, memory that stalls, IPv6, short packets, and commands for missing blocks. */
TEST(a_bad_line_loses_no_block)
{
    roce_system_params p = roce_system_defaults(&roce_8_config);
    roce_storage_params t = few();
    p.wire.lose = p.wire.duplicate = p.wire.delay = 0.01;
    p.wire.seed = 5;
    for (int c = 0; c < AXI_CHANNELS; c++) p.board.memory.stall[c] = 10;
    t.deepest = 4;
    t.pmtu = 1024;
    t.ip = 6;
    t.beyond = 5;
    t.timeout = 3;
    system_new(&p, &t);
    run_to_the_end();
    ck_assert_uint_gt(ethernet_wire_get_stats(system_->wire, 0).struck[ETHERNET_LOSE], 0);
    unsigned count;
    ck_assert_uint_eq(roce_storage_phases(storage, &count)[0].bytes, (24 - 4) * STORAGE_BLOCK);
}

/* The checker's fault: one byte of one block is wrong. */
static void corrupt(void *self)
{
    uint64_t store;
    uint8_t byte;
    while (!(store = roce_storage_store(storage))) sim_wait_cycles(system_->board->clock, 16);
    store += *(const uint64_t *)self;
    memory_read(system_->board->bytes_of, store, &byte, 1);
    byte ^= 1;
    memory_write(system_->board->bytes_of, store, &byte, 1);
}

TEST(a_wrong_byte_in_the_store_is_found, .to = 2)
{
    static const uint64_t at[] = {17 * STORAGE_BLOCK + 4095, 0};
    roce_system_params p = roce_system_defaults(&roce_8_config);
    roce_storage_params t = few();
    t.deepest = 1;
    t.commands = _i ? 1 : 300;
    system_new(&p, &t);
    sim_task_new(s, "corrupt", corrupt, (void *)&at[_i]);
    ck_assert_int_eq(sim_run(s, 50 * SIM_MS), SIM_FAILED);
    ck_assert_ptr_nonnull(strstr(sim_error(s), _i ? "at the end byte 0 of block 0" : "read block 17): byte 4095"));
}

/* Parameters out of range: one line with the expectation. */
TEST(wrong_parameters_are_refused)
{
    roce_system_params p = roce_system_defaults(&roce_8_config);
    char error[ROCE_SYSTEM_ERROR];
    roce_storage_params t = few();
    system_new(&p, &t);
    t.deepest = 65;
    ck_assert_ptr_null(roce_storage_new(system_, &t, error));
    ck_assert_str_eq(error, "queue depth: 65, expected 1 to 64");
    t = few();
    t.pmtu = 1000;
    ck_assert_ptr_null(roce_storage_new(system_, &t, error));
    ck_assert_str_eq(error, "path MTU: 1000, expected 256, 512, 1024, 2048 or 4096");
    sim_stop(s);
}
