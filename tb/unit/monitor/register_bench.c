#include "register_bench.h"
#include "simulation.h"

#include <string.h>

#include "nic_register_map.h"
#include "test.h"

#define PERIOD (10 * SIM_NS)

#define BUS(b, m)                                                                                                                          \
    ((b)->rst = (m)->rst, (b)->wr_valid = (m)->wr_valid, (b)->wr_be = (m)->wr_be, (b)->wr_addr = (m)->wr_addr,                             \
     (b)->rd_addr = (m)->rd_addr, (b)->wr_data = (m)->wr_data, (b)->rd_data = (m)->rd_data)

/* The counts of the queues, as the DMA engine shows them: combinationally. */
static void show_counts(void *self)
{
    struct register_bench *b = self;
    unsigned q = 2u * (b->m ? *b->m->view_pair : *b->big->view_pair);

    *(b->m ? b->m->view_departed : b->big->view_departed) = (uint64_t)b->departed[q + 1] << 32 | b->departed[q];
    *(b->m ? b->m->view_skipped : b->big->view_skipped) = (uint64_t)b->skipped[q + 1] << 32 | b->skipped[q];
}

struct register_bench *register_bench_new(int big)
{
    struct register_bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    sim_clock *clk = make_clock(b->s, "clk", PERIOD, (int64_t)PERIOD / 2);
    if (big) {
        b->big = registers16_new(b->s, "registers");
        sim_model_clock(b->big->model, clk, b->big->clk);
        BUS(b, b->big);
        memset(b->big->views, 0, (NIC_VIEW_BITS + 31) / 32 * 4);
        *b->big->soft_reset_done = *b->big->queues_resetting = *b->big->direct_held = *b->big->copy_update = 0;
    } else {
        b->m = registers8_new(b->s, "registers");
        sim_model_clock(b->m->model, clk, b->m->clk);
        BUS(b, b->m);
        register_bench_events(b, 0);
        *b->m->soft_reset_done = *b->m->queues_resetting = *b->m->direct_held = *b->m->copy_update = 0;
        *b->m->queue_heads = *b->m->queue_tails = 0;
        *b->m->queue_fulls = 0;
        for (unsigned bit = 0; bit < NIC_VIEW_BITS; bit++) register_bench_view(b, bit, 1, 0);
        *b->m->free_blocks = 0;
        memset(b->m->voq_words, 0, 12);
        memset(b->m->voq_blocks, 0, 16);
        *b->m->view_departed = *b->m->view_skipped = 0;
    }
    sim_clock_attach(clk, NULL, show_counts, b);
    *b->wr_valid = 0;
    *b->rst = 1;
    register_bench_step(b, 3);
    *b->rst = 0;
    register_bench_step(b, 1);
    return b;
}

void register_bench_step(struct register_bench *b, unsigned clocks)
{
    ck_assert_int_eq(sim_run(b->s, sim_now(b->s) + clocks * PERIOD), SIM_TIME_LIMIT);
}

void register_bench_put(struct register_bench *b, unsigned offset, uint64_t data, unsigned be)
{
    ck_assert_uint_eq(offset % 8, 0);
    *b->wr_valid = 1;
    *b->wr_addr = (uint16_t)(offset / 8);
    *b->wr_data = data;
    *b->wr_be = (uint8_t)be;
    register_bench_step(b, 1);
    *b->wr_valid = 0;
    *b->wr_addr = (uint16_t) ~*b->wr_addr & 0x7ff;
    *b->wr_data = ~data;
    *b->wr_be = 0xff;
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
    *b->rd_addr = (uint16_t)(offset / 8);
    register_bench_step(b, 1);
    *b->rd_addr = (uint16_t) ~*b->rd_addr & 0x7ff;
    register_bench_step(b, 1);
    return *b->rd_data;
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

uint32_t register_bench_setting(struct register_bench *b, unsigned lsb, unsigned bits)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bits; i++) value |= (b->m->settings[(lsb + i) / 32] >> (lsb + i) % 32 & 1) << i;
    return value;
}

void register_bench_view(struct register_bench *b, unsigned lsb, unsigned bits, uint32_t value)
{
    for (unsigned i = 0; i < bits; i++) {
        uint32_t *word = &b->m->views[(lsb + i) / 32], bit = 1u << (lsb + i) % 32;
        *word = value >> i & 1 ? *word | bit : *word & ~bit;
    }
}
