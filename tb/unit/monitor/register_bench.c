#include "register_bench.h"

#include <string.h>

#include "nic_register_map.h"
#include "registers16.h"
#include "simulation.h"

#define PERIOD (10 * SIM_NS)

/* The counts of the queues, as the DMA engine shows them: combinationally. */
static void show_counts(void *self)
{
    struct register_bench *b = self;
    unsigned q = 2u * *b->m->view_pair;

    *b->m->view_departed = (uint64_t)b->departed[q + 1] << 32 | b->departed[q];
    *b->m->view_skipped = (uint64_t)b->skipped[q + 1] << 32 | b->skipped[q];
}

struct register_bench *register_bench_new(int big)
{
    struct register_bench *b = test_memory(sizeof *b);
    size_t ports;
    b->s = loud_sim(0);
    sim_clock *clk = make_clock(b->s, "clk", PERIOD, (int64_t)PERIOD / 2);
    sim_model *model = make_model(b->s, big ? &registers16_config : &registers8_config, "registers");
    b->m = MODEL_AS(registers8, model, "queue_heads queue_tails queue_fulls");
    b->ports = PORTS_AS(registers8, model);
    for (const sim_port *p = sim_model_ports(model, &ports), *end = p + ports; p < end; p++)
        for (unsigned bit = 0; !p->output && bit < p->bits; bit++) sim_port_set_field(p, bit, 1, 0);
    sim_model_clock(model, clk, b->m->clk);
    sim_model_clock(model, clk, b->m->copy_clk);
    sim_clock_attach(clk, NULL, show_counts, b);
    register_bench_reset(b);
    register_bench_step(b, 1);
    return b;
}

void register_bench_reset(struct register_bench *b)
{
    *b->m->rst = 1;
    register_bench_step(b, 3);
    *b->m->rst = 0;
}

void register_bench_step(struct register_bench *b, unsigned clocks)
{
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + clocks * PERIOD), SIM_TIME_LIMIT);
}

void register_bench_put(struct register_bench *b, unsigned offset, uint64_t data, unsigned be)
{
    ck_assert_uint_eq(offset % 8, 0);
    *b->m->wr_valid = 1;
    *b->m->wr_addr = (uint16_t)(offset / 8);
    *b->m->wr_data = data;
    *b->m->wr_be = (uint8_t)be;
    register_bench_step(b, 1);
    *b->m->wr_valid = 0;
    *b->m->wr_addr = (uint16_t) ~*b->m->wr_addr & 0x7ff;
    *b->m->wr_data = ~data;
    *b->m->wr_be = 0xff;
}

void register_bench_write_64(struct register_bench *b, unsigned offset, uint64_t data, unsigned be)
{
    register_bench_put(b, offset, data, be);
    register_bench_step(b, 1);
}

void register_bench_write(struct register_bench *b, unsigned offset, uint32_t value, unsigned be)
{
    uint64_t other = (uint64_t)~value; /* on the lanes that are not enabled */
    if (offset & 4) register_bench_write_64(b, offset - 4, (uint64_t)value << 32 | (other & 0xffffffff), be << 4);
    else register_bench_write_64(b, offset, other << 32 | value, be);
}

uint64_t register_bench_read_64(struct register_bench *b, unsigned offset)
{
    *b->m->rd_addr = (uint16_t)(offset / 8);
    register_bench_step(b, 1);
    *b->m->rd_addr = (uint16_t) ~*b->m->rd_addr & 0x7ff;
    register_bench_step(b, 1);
    return *b->m->rd_data;
}

uint32_t register_bench_read(struct register_bench *b, unsigned offset)
{
    return (uint32_t)(register_bench_read_64(b, offset & ~7u) >> (offset & 4 ? 32 : 0));
}

void register_bench_copy(struct register_bench *b, unsigned place, uint32_t value)
{
    *b->m->copy_update = 1;
    *b->m->copy_index = (uint8_t)place;
    *b->m->copy_value = value;
    register_bench_step(b, 1);
    *b->m->copy_update = 0;
    *b->m->copy_value = ~value;
}

void register_bench_event(struct register_bench *b, unsigned event, int level)
{
    ck_assert_uint_lt(event, NIC_EVENT_COUNT);
    *b->m->events = (*b->m->events & ~(1ull << event)) | (uint64_t)level << event;
}

void register_bench_pulse(struct register_bench *b, unsigned event, unsigned clocks)
{
    register_bench_event(b, event, 1);
    register_bench_step(b, clocks);
    register_bench_event(b, event, 0);
}

void register_bench_events(struct register_bench *b, int level)
{
    for (unsigned i = 0; i < NIC_EVENT_COUNT; i++) register_bench_event(b, i, level);
}
