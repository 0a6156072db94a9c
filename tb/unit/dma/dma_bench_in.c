/* See dma_bench_in.h. */
#include "dma_bench_in.h"

#include <check.h>
#include <stdlib.h>

/* ---- bus writes ---- */

static struct dma_write *write_now(struct dma_bench *b)
{
    return &b->writes[b->write_count];
}

void dma_bench_sample_write(struct dma_bench *b)
{
    dma_engine *m = b->m;
    if (*m->wr_done) {
        struct dma_write *w = write_now(b);
        w->ended = b->clocks;
        w->status = *m->wr_status;
        b->writing = 0;
        b->write_count++;
        if (w->words == 1 && w->address >= LOCAL_NOTIFY && w->address < LOCAL_NOTIFY + 8 * QUEUES && w->status == 0) {
            unsigned q = (unsigned)(w->address - LOCAL_NOTIFY) / 8;
            if (w->data[0] > b->voq[q].departed || w->data[0] < b->local_seen[q])
                dma_bench_mistake(b, "local notification %llu of queue %u, where %u have departed", (unsigned long long)w->data[0], q,
                                  b->voq[q].departed);
            b->local_seen[q] = (unsigned)w->data[0];
        }
        if (b->write_count + 1 >= b->write_room) {
            b->write_room *= 2;
            b->writes = realloc(b->writes, b->write_room * sizeof *b->writes);
            ck_assert_ptr_nonnull(b->writes);
        }
        sim_progress(b->s);
    }
    if (*m->wr_data_pop) {
        if (!*m->wr_data_valid) dma_bench_mistake(b, "the bench popped nothing");
        write_now(b)->data[b->write_popped++] = *m->wr_data;
    }
    if (*m->wr_ack) {
        struct dma_write *w = write_now(b);
        if (!*m->wr_req || b->writing) dma_bench_mistake(b, "the bench acknowledged a write that was withdrawn");
        b->writing = 1;
        w->address = *m->wr_addr;
        w->words = *m->wr_words;
        w->begun = b->clocks;
        b->write_popped = b->write_closing = 0;
        b->write_started = 0;
        b->write_status_now = b->write_plan ? b->write_plan(b, w->address, w->words) : 0;
        b->write_wait = 1 + (unsigned)dma_bench_below(b, b->write_latency);
        if (w->words == 0 || w->words > 512 || (w->address & 7))
            dma_bench_mistake(b, "a write of %u words to %016llx", w->words, (unsigned long long)w->address);
    }
}

void dma_bench_drive_write_end(struct dma_bench *b)
{
    dma_engine *m = b->m;
    *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->wr_underflow = 0;
    *m->wr_status = (uint8_t)dma_bench_below(b, 4);
    if (!b->writing || b->bus_off || b->write_popped < write_now(b)->words || !b->write_started) return;
    if (++b->write_closing == 6) {
        *m->wr_done = 1;
        *m->wr_status = (uint8_t)b->write_status_now;
    }
}

void dma_bench_drive_write_pop(struct dma_bench *b)
{
    dma_engine *m = b->m;
    if (!b->bus_off && !b->writing && *m->wr_req && dma_bench_chance(b, b->ack_percent)) *m->wr_ack = 1;
    if (!b->writing || *m->wr_done) return;
    unsigned words = write_now(b)->words, left = words - b->write_popped;
    if (b->write_wait && !b->bus_off) b->write_wait--;
    else if (!b->bus_off && !*m->arb_hold_write) b->write_started = 1;
    if (!left) return;
    if (b->write_popped < 2) {
        *m->wr_data_pop = *m->wr_data_valid;
    } else if (b->write_started && !b->bus_off && (b->write_status_now == 1 || dma_bench_chance(b, b->write_percent))) {
        if (!*m->wr_data_valid && b->write_status_now != 1) {
            *m->wr_underflow = 1;
            if (++b->underflows > b->underflows_allowed)
                dma_bench_mistake(b, "a write runs dry after %u of %u words", b->write_popped, words);
        }
        *m->wr_data_pop = *m->wr_data_valid;
    }
}

/* ---- N2H ---- */

void dma_bench_put(struct dma_bench *b, uint64_t data, unsigned mark)
{
    if (b->n2h_queued == b->n2h_room) {
        b->n2h_room = b->n2h_room ? 2 * b->n2h_room : 4096;
        b->n2h = realloc(b->n2h, b->n2h_room * sizeof *b->n2h);
        b->n2h_arrival = realloc(b->n2h_arrival, b->n2h_room * sizeof *b->n2h_arrival);
        ck_assert_ptr_nonnull(b->n2h);
        ck_assert_ptr_nonnull(b->n2h_arrival);
    }
    b->n2h[b->n2h_queued].data = data;
    b->n2h[b->n2h_queued++].mark = mark;
}

uint64_t dma_bench_header(unsigned source, unsigned number, unsigned length, unsigned flags, uint32_t address)
{
    return (uint64_t)source << 56 | (uint64_t)flags << 52 | 1ull << 51 | (uint64_t)(number % 512) << 42 | (uint64_t)length << 32 | address;
}

void dma_bench_packet(struct dma_bench *b, uint64_t header, uint64_t salt, int bad)
{
    unsigned words = (unsigned)(header >> 32) & 1023;
    dma_bench_put(b, header, 1);
    for (unsigned i = 0; i < words; i++)
        dma_bench_put(b, dma_bench_word((header & 0xffffffff) + 8 * i + salt), i + 1 < words ? 0 : bad ? 6 : 2);
}

void dma_bench_sample_n2h(struct dma_bench *b)
{
    if (!*b->m->n2h_rd_pop) return;
    if (!*b->m->n2h_rd_valid) dma_bench_mistake(b, "N2H is popped empty");
    else b->n2h_popped++;
}

void dma_bench_drive_n2h(struct dma_bench *b)
{
    dma_engine *m = b->m;
    b->n2h_credit += b->n2h_rate;
    while (b->n2h_credit >= 1) {
        if (b->n2h_arrived == b->n2h_queued || b->n2h_arrived - b->n2h_popped >= N2H_WORDS) {
            b->n2h_credit = 0;
            break;
        }
        b->n2h_credit -= 1;
        b->n2h_arrival[b->n2h_arrived++] = b->clocks;
    }
    unsigned there = b->n2h_arrived - b->n2h_popped;
    const struct stream_word *w = &b->n2h[b->n2h_popped];
    *m->n2h_rd_count = (uint16_t)there;
    *m->n2h_rd_valid = there != 0;
    m->n2h_rd_data[0] = there ? (uint32_t)w->data : (uint32_t)sim_random(b->s);
    m->n2h_rd_data[1] = there ? (uint32_t)(w->data >> 32) : (uint32_t)sim_random(b->s);
    m->n2h_rd_data[2] = there ? w->mark : (uint32_t)dma_bench_below(b, 16);
}
