#include "external_bench.h"
#include "simulation.h"

#include <stdio.h>
#include <string.h>

enum { PERIOD = 10000 };

static void sample(void *self)
{
    external_bench *b = self;
    if (b->valid && b->ready) {
        b->taken_at[b->shown] = b->now;
        b->outstanding += !b->requests[b->shown].write;
        b->shown++;
    }
    if (b->rvalid) {
        size_t n = strlen(b->read_clocks);
        ck_assert_uint_lt(b->answers, BENCH_REQUESTS);
        b->answer[b->answers] = b->rdata[0] | (uint64_t)b->rdata[1] << 32;
        b->answer_tag[b->answers] = (uint8_t)b->rdata[2];
        b->answered_at[b->answers++] = b->now;
        snprintf(b->read_clocks + n, sizeof b->read_clocks - n, "%llu ", (unsigned long long)b->now);
        b->outstanding--;
    }
}

static void drive(void *self)
{
    external_bench *b = self;
    const request *r = &b->requests[b->shown];
    b->now++;
    b->valid = b->shown < b->count && b->now >= r->from && (r->write || b->outstanding < b->most);
    if (!b->valid) return;
    b->we = (uint8_t)r->write;
    b->addr = (uint32_t)r->word;
    b->wdata[0] = (uint32_t)r->data;
    b->wdata[1] = (uint32_t)(r->data >> 32);
    b->wdata[2] = r->tag;
    b->be = r->enables;
}

static void command(void *self, uint64_t clock, sdram_command c, unsigned bank, unsigned address)
{
    external_bench *b = self;
    size_t n = strlen(b->commands);
    snprintf(b->commands + n, sizeof b->commands - n, "%llu %s %u %u; ", (unsigned long long)clock,
             sdram_command_name(c), bank, address);
}

CLEANUP(external_free);

external_bench *external_bench_new(const external_params *p, uint64_t seed)
{
    external_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clock = make_clock(b->s, "pci", PERIOD, 0);
    external_pins pins = {&b->valid, &b->we, &b->addr, b->wdata, &b->be, &b->ready, &b->rvalid, b->rdata};
    b->m = external_new(b->s, b->clock, &pins, p);
    ck_assert_msg(b->m != NULL, "%s", sim_error(b->s));
    after_test(external_free_cleanup, b->m);
    external_on_command(b->m, command, b);
    b->most = EXTERNAL_READS;
    sim_clock_attach(b->clock, sample, drive, b);
    return b;
}

static void add(external_bench *b, request r)
{
    ck_assert_uint_lt(b->count, BENCH_REQUESTS);
    b->requests[b->count++] = r;
}

void external_bench_read(external_bench *b, uint64_t from, uint64_t word)
{
    add(b, (request){.from = from, .word = word});
}

void external_bench_write(external_bench *b, uint64_t from, uint64_t word, uint64_t data, uint8_t tag, uint16_t enables)
{
    add(b, (request){.from = from, .word = word, .write = 1, .data = data, .tag = tag, .enables = enables});
}

static void idle(void *arg)
{
    external_bench *b = arg;
    sim_wait_cycles(b->clock, 1u << 30);
}

void external_bench_run(external_bench *b, uint64_t clocks, int expected)
{
    if (!b->now) sim_task_new(b->s, "idle", idle, b);
    int r = sim_run(b->s, sim_now(b->s) + clocks * PERIOD);
    ck_assert_msg(r == expected, "the run ended with %s: %s", sim_result_name(r), sim_error(b->s));
}
