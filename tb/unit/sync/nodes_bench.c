#include "nodes_bench.h"

#include <string.h>

uint64_t *nodes_at(struct nodes *b, unsigned n, uint64_t address)
{
    ck_assert_msg(address / 8 < MEMORY && address % 8 == 0, "node %u: address %llx at clock %llu", n,
                  (unsigned long long)address, (unsigned long long)b->clock);
    return &b->node[n].memory[address / 8];
}

static void bus(struct nodes *b, unsigned n)
{
    struct node *x = &b->node[n];
    sync_node *m = x->m;
    *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->rd_ack = *m->rd_data_valid = *m->rd_done = 0;
    sim_model_eval(x->model);
    if (x->closing && --x->closing == 0) *m->wr_done = 1;
    if (x->stopped) return;
    if (x->wait) x->wait--;
    else if (!x->writing && *m->wr_req) {
        *m->wr_ack = 1;
        x->write_at = *m->wr_addr;
        x->write_words = *m->wr_words;
        x->writing = 1;
        x->popped = 0;
        x->wait = (unsigned)sim_random_below(b->s, b->slow + 1);
    } else if (x->writing == 1 && *m->wr_data_valid) {
        *m->wr_data_pop = 1;
        *nodes_at(b, n, x->write_at + 8 * (unsigned)x->popped++) = *m->wr_data;
        if ((unsigned)x->popped == x->write_words) {
            x->writing = 2;
            x->wait = (unsigned)sim_random_below(b->s, b->slow + 1);
        }
    } else if (x->writing == 2 && !x->closing) { /* the last data phase: another may be acknowledged before wr_done */
        x->closing = 4;
        x->writing = 0;
    }
    if (x->read_wait) x->read_wait--;
    else if (!x->reading && *m->rd_req) {
        *m->rd_ack = 1;
        x->read_at = *m->rd_addr;
        x->read_words = *m->rd_words;
        x->reading = 1;
        x->given = 0;
        x->read_wait = 10 + (unsigned)sim_random_below(b->s, 4 * b->slow + 1);
    } else if (x->reading == 1) {
        *m->rd_data_valid = 1;
        *m->rd_data = *nodes_at(b, n, x->read_at + 8 * (unsigned)x->given++);
        if ((unsigned)x->given == x->read_words) x->reading = 2;
    } else if (x->reading == 2) {
        *m->rd_done = 1;
        x->reading = 0;
    }
}

/* A word leaves a node. A packet is shown to the other one when it is whole. */
static void leaves(struct nodes *b, unsigned n)
{
    struct node *x = &b->node[n];
    sync_node *m = x->m;
    if (!*m->out_valid) return;
    uint64_t data = m->out_data[0] | (uint64_t)m->out_data[1] << 32;
    unsigned mark = m->out_data[2];
    if (mark & 1) {
        x->ends = mark >> 2 & 1;
        x->queue = data >> 56 & 127;
        x->local = data >> 53 & 1;
        x->left = data >> 32 & 1023;
        x->drops = b->lose && sim_random_below(b->s, b->lose) == 0;
        data = (data & ~(127ull << 56)) | (uint64_t)n << 56;
        mark = 1;
        ck_assert_uint_eq(x->queue, 1 - n);
        x->answers += (data & 1) && (data >> 17 & 7) == 7;
    } else {
        x->left--;
        mark &= 2;
        if (mark && b->damage && sim_random_below(b->s, b->damage) == 0) mark |= 4;
        if (mark) ck_assert_uint_eq(x->left, 0);
    }
    x->line[x->in % LINE] = data;
    x->marks[x->in % LINE] = (uint8_t)mark;
    x->in++;
    if (mark & 2) {
        if (x->drops) { /* its units come back at once, as after a check record */
            x->units += 2 * (x->in - x->here - 1) + 4;
            x->in = x->here;
        }
        x->here = x->in;
        if (x->ends) {
            x->departing = 1;
            x->departs_local = x->local;
            x->departs_queue = x->queue;
        }
    }
    ck_assert_uint_lt(x->in - x->out, LINE - 100);
}

static void link(struct nodes *b, unsigned n)
{
    struct node *x = &b->node[n], *from = &b->node[1 - n];
    sync_node *m = x->m;
    *m->departed_valid = 0;
    if (x->departing) {
        *m->departed_valid = 1;
        *m->departed_queue = (uint8_t)x->departs_queue;
        *m->departed_local = (uint8_t)x->departs_local;
        x->departing = 0;
    }
    *m->out_count = 0;
    *m->credit_valid = x->units / 32 != x->told / 32 || b->clock % 64 == 0;
    *m->credit_value = (uint8_t)(x->units / 32 & 127);
    if (*m->credit_valid) x->told = x->units;
    unsigned there = from->here != from->out, at = from->out % LINE;
    *m->n2h_valid = (uint8_t)there;
    m->n2h_data[0] = (uint32_t)from->line[at];
    m->n2h_data[1] = (uint32_t)(from->line[at] >> 32);
    m->n2h_data[2] = from->marks[at];
    *m->n2h_count = (uint16_t)(from->here - from->out);
}

static void once(struct nodes *b)
{
    for (unsigned n = 0; n < 2; n++) link(b, n);
    for (unsigned n = 0; n < 2; n++) {
        bus(b, n);
        sim_model_eval(b->node[n].model);
    }
    for (unsigned n = 0; n < 2; n++) {
        struct node *x = &b->node[n], *from = &b->node[1 - n];
        if (*x->m->n2h_pop) {
            unsigned at = from->out++ % LINE;
            if (from->marks[at] & 1) from->units += 4 + 2 * (from->line[at] >> 32 & 1023);
        }
        leaves(b, n);
        x->interrupts += *x->m->irq_event;
        x->skipped += *x->m->ev_skipped;
        x->gaps += *x->m->ev_gap;
        x->bad += *x->m->ev_bad_body;
        x->transfers += *x->m->ev_transfer;
        ck_assert_msg(!*x->m->ev_bug, "node %u: overflow at clock %llu", n, (unsigned long long)b->clock);
    }
    run_clocks(b->s, b->clk, 1);
    b->clock++;
}

void nodes_run(struct nodes *b, unsigned clocks)
{
    while (clocks--) once(b);
}

void nodes_drain(struct nodes *b)
{
    unsigned quiet = 0;
    for (unsigned i = 0; i < 200000 && quiet < 100; i++) {
        once(b);
        int idle = 1;
        for (unsigned n = 0; n < 2; n++) {
            struct node *x = &b->node[n];
            if (x->here != x->out || x->writing || x->closing || x->reading || *x->m->wr_req || *x->m->rd_req ||
                x->in != x->here)
                idle = 0;
        }
        quiet = idle ? quiet + 1 : 0;
    }
    ck_assert_uint_eq(quiet, 100);
}

void nodes_store(struct nodes *b, unsigned n, unsigned offset, uint64_t value)
{
    sync_node *m = b->node[n].m;
    *m->reg_wr_valid = 1;
    *m->reg_wr_addr = (uint16_t)(offset / 8);
    *m->reg_wr_data = value;
    *m->reg_wr_be = 255;
    once(b);
    *m->reg_wr_valid = 0;
}

uint64_t nodes_load(struct nodes *b, unsigned n, unsigned offset)
{
    nodes_run(b, 2);
    *b->node[n].m->reg_rd_addr = (uint16_t)(offset / 8);
    nodes_run(b, 2);
    sim_model_eval(b->node[n].model);
    return *b->node[n].m->reg_rd_data >> (offset & 4 ? 32 : 0);
}

void nodes_make_queue(struct nodes *b, unsigned n, unsigned q, unsigned log2_slots, unsigned log2_size)
{
    nodes_store(b, n, SYNC_QUEUE_BASE_LOW + 32 * q, RING_AT + 0x1000 * q);
    nodes_store(b, n, SYNC_QUEUE_SETUP + 32 * q,
                0xffull << 32 | SYNC_QUEUE_SETUP_ENABLE_MASK | log2_slots << SYNC_QUEUE_SETUP_LOG2_SLOTS_SHIFT |
                    log2_size);
}

void nodes_post(struct nodes *b, unsigned n, uint64_t word0, uint64_t word1)
{
    unsigned q = 1 - n, slot = b->node[n].tail[q]++ % 128;
    unsigned offset = 0x4000 + 2048 * q + 16 * slot;
    word1 |= (uint64_t)q << 52;
    nodes_store(b, n, offset, word0);
    nodes_store(b, n, offset + 8, word1);
}

void nodes_immediate(struct nodes *b, unsigned n, unsigned operation, unsigned object, unsigned operand,
                     uint64_t payload, uint64_t flags)
{
    nodes_post(b, n, payload,
               OPERATION | IMMEDIATE | START | 1ull << 32 | (uint64_t)object << 20 | (uint64_t)operation << 16 |
                   operand << 1 | flags);
}

struct nodes *nodes_new(uint64_t seed)
{
    struct nodes *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->slow = 3;
    for (unsigned n = 0; n < 2; n++) {
        struct node *x = &b->node[n];
        x->model = make_clocked(b->s, b->clk, &sync_node_config, n ? "b" : "a");
        x->m = MODEL_AS(sync_node, x->model, NULL);
        *x->m->cfg_remote_notify = NOTIFY_AT;
        *x->m->cfg_local_notify = LOCAL_AT;
        *x->m->rst = 1;
    }
    run_clocks(b->s, b->clk, 3);
    for (unsigned n = 0; n < 2; n++) *b->node[n].m->rst = 0;
    run_clocks(b->s, b->clk, 1040);
    for (unsigned n = 0; n < 2; n++) {
        nodes_store(b, n, SYNC_COUNTER_BASE_LOW, COUNTERS_AT | 1);
        nodes_store(b, n, SYNC_ANSWER_BASE_LOW, ANSWERS_AT | 1);
        nodes_store(b, n, SYNC_REFUSED_BASE_LOW, REFUSED_AT | 1);
    }
    return b;
}
