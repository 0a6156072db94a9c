#include "register_bench.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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
    struct register_bench *b = calloc(1, sizeof *b);
    sim_params p;
    sim_clock_params c = {"clk", PERIOD, 0, 0, (int64_t)PERIOD / 2};
    sim_params_default(&p);
    p.watchdog = 0;
    b->s = sim_new(&p);
    sim_clock *clk = sim_clock_new(b->s, &c);
    if (big) {
        b->big = registers16_new(b->s, "registers");
        sim_model_clock(b->big->model, clk, b->big->clk);
        BUS(b, b->big);
        *b->big->soft_reset_done = *b->big->queues_resetting = *b->big->copy_update = 0;
    } else {
        b->m = registers8_new(b->s, "registers");
        sim_model_clock(b->m->model, clk, b->m->clk);
        BUS(b, b->m);
        for (unsigned i = 0; i < REGISTER_EVENTS; i++) *register_bench_event(b, i).input = 0;
        *b->m->soft_reset_done = *b->m->queues_resetting = *b->m->copy_update = *b->m->link_status = 0;
        *b->m->queue_heads = *b->m->queue_tails = 0;
        *b->m->queue_fulls = 0;
        *b->m->tx_space = *b->m->rx_space = *b->m->dma_states = *b->m->bus_states = *b->m->link_states = 0;
        *b->m->voq_states = *b->m->free_blocks = 0;
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

void register_bench_free(struct register_bench *b)
{
    if (b->m) registers8_free(b->m);
    if (b->big) registers16_free(b->big);
    sim_free(b->s);
    free(b);
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

struct register_event register_bench_event(struct register_bench *b, unsigned i)
{
    const registers8 *m = b->m;
    const struct register_event all[] = {
        {"ev_h2n_op", m->ev_h2n_op},
        {"ev_n2h_op", m->ev_n2h_op},
        {"ev_h2n_request", m->ev_h2n_request},
        {"ev_n2h_request", m->ev_n2h_request},
        {"ev_h2n_word", m->ev_h2n_word},
        {"ev_n2h_word", m->ev_n2h_word},
        {"h2n_requesting", m->h2n_requesting},
        {"n2h_requesting", m->n2h_requesting},
        {"h2n_granted", m->h2n_granted},
        {"n2h_granted", m->n2h_granted},
        {"ev_h2n_disconnect", m->ev_h2n_disconnect},
        {"ev_n2h_disconnect", m->ev_n2h_disconnect},
        {"irq_active", m->irq_active},
        {"ev_irq", m->ev_irq},
        {"ev_local_notified", m->ev_local_notified},
        {"ev_remote_notified", m->ev_remote_notified},
        {"ev_split", m->ev_split},
        {"ev_first_data", m->ev_first_data},
        {"ev_bad_body", m->ev_bad_body},
        {"ev_header_step", m->ev_header_step},
        {"ev_h2n_overflow", m->ev_h2n_overflow},
        {"ev_n2h_overflow", m->ev_n2h_overflow},
        {"ev_migrated", m->ev_migrated},
        {"ev_fetched", m->ev_fetched},
        {"body_exhausted", m->body_exhausted},
        {"ev_damaged", m->ev_damaged},
        {"ev_bad_length", m->ev_bad_length},
        {"ev_bad_address", m->ev_bad_address},
        {"ev_bad_flow", m->ev_bad_flow},
        {"ev_overwrite", m->ev_overwrite},
        {"ev_partial", m->ev_partial},
        {"ev_read_failed", m->ev_read_failed},
        {"ev_write_error", m->ev_write_error},
        {"ev_gap", m->ev_gap},
        {"ev_flagged", m->ev_flagged},
        {"ev_packet_dropped", m->ev_packet_dropped},
        {"ev_credit_rejected", m->ev_credit_rejected},
        {"ev_fifo_error", m->ev_fifo_error},
    };
    _Static_assert(sizeof all / sizeof *all == REGISTER_EVENTS, "REGISTER_EVENTS");
    ck_assert_uint_lt(i, REGISTER_EVENTS);
    return all[i];
}
