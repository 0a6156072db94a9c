/* See dma_bench.h. The sample side looks at what the engine does and checks it; the drive side plays the agents. */
#include "dma_bench.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POSTS 16384

static uint64_t below(struct dma_bench *b, uint64_t n)
{
    return sim_random_below(b->s, n);
}

static int chance(struct dma_bench *b, unsigned percent)
{
    return percent >= 100 || below(b, 100) < percent;
}

static void __attribute__((format(printf, 2, 3))) mistake(struct dma_bench *b, const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    vsnprintf(b->last_mistake, sizeof b->last_mistake, fmt, a);
    va_end(a);
    b->mistakes++;
    if (!b->no_fail)
        sim_fail(b->s, "clock %llu: %s", (unsigned long long)b->clocks, b->last_mistake);
}

uint64_t dma_bench_word(uint64_t address)
{
    uint64_t x = (address >> 3) * 0x9e3779b97f4a7c15ull;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ (x >> 29);
}

/* ---- descriptors ---- */

struct descriptor *dma_bench_post(struct dma_bench *b, unsigned queue, unsigned length, unsigned flags, int start)
{
    unsigned index = b->posts[queue]++;
    ck_assert_uint_lt(index, MAX_POSTS);
    struct descriptor *d = &b->posted[queue][index];
    memset(d, 0, sizeof *d);
    d->source = (uint64_t)queue << 40 | (uint64_t)index << 13;
    d->flow = queue;
    d->length = length;
    d->flags = flags;
    d->start = start != 0;
    d->destination = (uint32_t)dma_bench_word(d->source) & 0xffff0ff8;
    return d;
}

static struct descriptor *descriptor_at(struct dma_bench *b, uint64_t address)
{
    unsigned queue = (unsigned)(address >> 40), index = (unsigned)(address >> 13 & 0x7ffffff);
    return queue < QUEUES && index < b->posts[queue] ? &b->posted[queue][index] : NULL;
}

/* Writes one 64-bit word of a descriptor whose slot is free: first the source, then the operation. */
static void drive_descriptors(struct dma_bench *b)
{
    dma_engine *m = b->m;
    *m->q_wr_valid = 0;
    unsigned q = b->write_queue;
    if (!b->half_written)
        for (unsigned i = 0; i < QUEUES; i++, q = (q + 1) % QUEUES)
            if (b->written[q] < b->posts[q] && b->written[q] - b->heads[q] < DEPTH)
                break;
    if (!b->half_written && !(b->written[q] < b->posts[q] && b->written[q] - b->heads[q] < DEPTH))
        return;
    struct descriptor *d = &b->posted[q][b->written[q]];
    d->bad = d->length == 0 || d->length > 512 || (d->source & 7) || (d->destination & 7) || d->flow != q;
    *m->q_wr_valid = 1;
    *m->q_wr_be = 0xff;
    *m->q_wr_addr = (uint16_t)((q * DEPTH + b->written[q] % DEPTH) * 2 + b->half_written);
    *m->q_wr_data = !b->half_written ? d->source
                    : (uint64_t)d->flags << 60 | (uint64_t)d->start << 59 | (uint64_t)d->flow << 52 | (uint64_t)d->length << 32
                      | d->destination;
    b->write_queue = q;
    if (b->half_written) {
        b->written[q]++;
        b->write_queue = (q + 1) % QUEUES;
    }
    b->half_written = !b->half_written;
}

/* ---- H2N: what the engine writes ---- */

void dma_bench_limit(struct dma_bench *b, unsigned words)
{
    *b->m->cfg_payload_limit = (uint16_t)words;
    b->limit_count += !b->limits[words];
    b->limits[words] = 1;
}

static unsigned limit_of(struct dma_bench *b, const struct descriptor *d)
{
    return d->limit ? d->limit : *b->m->cfg_payload_limit;
}

/* Words in the packets that a failed transfer may have sent: those that were complete, never the last. */
static unsigned sent_of_failed(struct dma_bench *b, const struct descriptor *d)
{
    unsigned limit = limit_of(b, d), packets = d->delivered / limit, most = (d->length - 1) / limit;
    return (packets < most ? packets : most) * limit;
}

/* The descriptor whose packet must come next on this queue, NULL if none may come. */
static struct descriptor *next_to_send(struct dma_bench *b, unsigned q)
{
    for (; b->current[q] < b->written[q]; b->current[q]++) {
        struct descriptor *d = &b->posted[q][b->current[q]];
        if (d->bad || d->whole)
            continue;
        if (d->failed && d->sent == sent_of_failed(b, d))
            continue;
        return d;
    }
    return NULL;
}

static void check_packet(struct dma_bench *b)
{
    const struct n2h_word *h = &b->h2n[b->packet_start % 2048];
    unsigned q = (unsigned)(h->data >> 56), words = (unsigned)(h->data >> 32) & 1023, have = b->h2n_written - b->packet_start;
    struct descriptor *d = q < QUEUES ? next_to_send(b, q) : NULL;
    if (!d) {
        mistake(b, "packet %016llx on queue %u, where none is due", (unsigned long long)h->data, q);
        return;
    }
    if (d->sent == 0 && words < d->length)
        d->limit = words;
    if (d->sent == 0 && words < d->length && !(words <= 512 && b->limits[words]))
        mistake(b, "a packet of %u words, which never was the limit", words);
    unsigned left = d->length - d->sent, limit = limit_of(b, d), expect = left < limit ? left : limit;
    if (d->sent == 0 && words == d->length)
        expect = left;
    int last = expect == left;
    uint64_t header = (uint64_t)q << 56 | (uint64_t)(last ? d->flags : 0) << 52 | 1ull << 51
                      | (uint64_t)(*b->m->cfg_sequence_zero ? 0 : b->sequence[q] % 512) << 42 | (uint64_t)expect << 32
                      | (uint32_t)(d->destination + 8 * d->sent);
    if (h->data != header || h->mark != (last ? 5u : 1u))
        mistake(b, "header %016llx mark %u, expected %016llx mark %u", (unsigned long long)h->data, h->mark,
                (unsigned long long)header, last ? 5 : 1);
    if (have != expect + 1)
        mistake(b, "%u words committed, expected %u", have, expect + 1);
    for (unsigned i = 0; i < expect && i + 1 < have; i++) {
        const struct n2h_word *w = &b->h2n[(b->packet_start + 1 + i) % 2048];
        uint64_t data = dma_bench_word(d->source + 8 * (d->sent + i));
        if (w->data != data || w->mark != (i + 1 == expect ? 2u : 0u))
            mistake(b, "queue %u packet word %u is %016llx mark %u, expected %016llx", q, i, (unsigned long long)w->data, w->mark,
                    (unsigned long long)data);
    }
    if (d->sent + expect > d->delivered)
        mistake(b, "a packet left before its data came");
    if (last && (d->failed || (b->reading && b->read_of == d)))
        mistake(b, "the last packet of a transfer left before its read had ended well");
    d->sent += expect;
    b->sequence[q]++;
    b->packets++;
    if (last) {
        d->whole = 1;
        b->transfers++;
        b->fifo_transfers[b->transfers_in % 4096].queue = q;
        b->fifo_transfers[b->transfers_in % 4096].local = d->flags >> 1 & 1;
        b->transfers_in++;
    }
}

static void sample_h2n(struct dma_bench *b)
{
    dma_engine *m = b->m;
    if (*m->h2n_wr_valid) {
        if (b->h2n_written - b->h2n_read >= H2N_WORDS)
            mistake(b, "H2N overflows");
        struct n2h_word *w = &b->h2n[b->h2n_written++ % 2048];
        w->data = m->h2n_wr_data[0] | (uint64_t)m->h2n_wr_data[1] << 32;
        w->mark = m->h2n_wr_data[2] & 15;
        if (b->h2n_written - b->h2n_read > b->max_in_h2n)
            b->max_in_h2n = b->h2n_written - b->h2n_read;
    }
    if (*m->h2n_wr_rollback) {
        b->h2n_written = b->packet_start = b->h2n_committed;
    } else if (*m->h2n_wr_commit) {
        b->commit_clock = b->clocks;
        if (b->h2n_written == b->packet_start)
            mistake(b, "commit without words");
        else
            check_packet(b);
        b->h2n_committed = b->packet_start = b->h2n_written;
        sim_progress(b->s);
    }
}

/* The link: takes committed words, reports departures some clocks later; flushes at a packet boundary. */
static void drive_link(struct dma_bench *b)
{
    dma_engine *m = b->m;
    unsigned there = b->h2n_committed - b->h2n_read;
    *m->tx_departed = 0;
    for (unsigned i = 0; i < b->departing_count; i++)
        if ((b->departing[i] & 255) > 0)
            b->departing[i]--;
    if (b->departing_count && (b->departing[0] & 255) == 0) {
        *m->tx_departed = 1;
        unsigned q = b->departing[0] >> 8 & 255;
        b->departed[q]++;
        if (b->departing[0] >> 16)
            b->local_due[q] = b->departed[q];
        memmove(b->departing, b->departing + 1, --b->departing_count * sizeof b->departing[0]);
    }
    b->link_quiet = there || b->link_busy ? 0 : b->link_quiet + 1;
    *m->link_flush_done = *m->link_flush && b->link_quiet > 16;
    if (!b->link_busy && *m->link_flush && there) {
        const struct n2h_word *w = &b->h2n[b->h2n_read % 2048];
        b->h2n_read += 1 + ((unsigned)(w->data >> 32) & 1023);
        if (w->mark & 4)
            b->transfers_out++;
    } else if (there && chance(b, b->drain_percent)) {
        const struct n2h_word *w = &b->h2n[b->h2n_read++ % 2048];
        if (!b->link_busy)
            b->link_last = w->mark >> 2 & 1;
        b->link_busy = !(w->mark & 2);
        if (!b->link_busy && b->link_last) {
            unsigned t = b->transfers_out++ % 4096;
            unsigned wait = b->departing_count ? (b->departing[b->departing_count - 1] & 255) : 0;
            ck_assert_uint_lt(b->departing_count, 64);
            unsigned delay = 1 + (unsigned)below(b, 28);
            b->departing[b->departing_count++] =
                (delay > wait ? delay : wait + 1) | b->fifo_transfers[t].queue << 8 | b->fifo_transfers[t].local << 16;
        }
    }
    /* the writer knows of reads three clocks late */
    memmove(b->h2n_history + 1, b->h2n_history, sizeof b->h2n_history - sizeof b->h2n_history[0]);
    b->h2n_history[0] = b->h2n_read;
    *m->h2n_wr_count = (uint16_t)(b->h2n_written - b->h2n_history[3]);
}

/* ---- bus reads ---- */

static void acknowledge_read(struct dma_bench *b)
{
    dma_engine *m = b->m;
    uint64_t at = *m->rd_addr;
    unsigned words = *m->rd_words, max_read = *m->cfg_max_read_words;
    struct descriptor *d = descriptor_at(b, at);
    b->reading = 1;
    b->reads++;
    if (!d || d->bad || d->failed || d->whole) {
        mistake(b, "a read of %016llx, which is not to be read", (unsigned long long)at);
        b->reading = 0;
        return;
    }
    unsigned left = d->length - d->asked, limit = limit_of(b, d), most = limit < 32 ? limit : max_read;
    if (at != d->source + 8 * d->asked || words == 0 || words > left
        || (b->limit_count == 1 && words != (left < most ? left : most)))
        mistake(b, "a read of %u words at %016llx, %u left", words, (unsigned long long)at, left);
    d->asked += words;
    b->read_of = d;
    b->read_left = b->read_deliver = words;
    b->read_address = at;
    b->read_status = 0;
    if (b->read_plan)
        b->read_plan(b, d, words, &b->read_deliver, &b->read_status);
    b->read_left = b->read_deliver;
    b->read_wait = 1 + (unsigned)below(b, b->read_latency);
}

static void sample_read(struct dma_bench *b)
{
    dma_engine *m = b->m;
    if (*m->rd_data_valid) {
        if (b->read_of)
            b->read_of->delivered++;
        b->last_word_clock = b->clocks;
    }
    if (*m->rd_done) {
        if (b->read_of && b->read_status)
            b->read_of->failed = 1;
        b->reading = 0;
        b->read_of = NULL;
        b->read_done_clock = b->clocks;
    }
    if (*m->rd_req && b->read_done_clock) {
        uint64_t idle = b->clocks - b->read_done_clock;
        b->idle_sum += idle;
        b->idle_count++;
        if (idle > b->idle_worst)
            b->idle_worst = idle;
        b->read_done_clock = 0;
    }
    if (*m->rd_ack) {
        if (!*m->rd_req)
            mistake(b, "the bench acknowledged a read that was withdrawn");
        else
            acknowledge_read(b);
        b->ack_clock = b->clocks;
    }
}

static void drive_read(struct dma_bench *b)
{
    dma_engine *m = b->m;
    *m->rd_data_valid = *m->rd_done = *m->rd_ack = 0;
    *m->rd_data = sim_random(b->s);
    *m->rd_status = (uint8_t)below(b, 8);
    if (b->bus_off || !b->reading)
        return;
    if (b->read_wait) {
        b->read_wait--;
        return;
    }
    if (b->read_left) {
        if (!chance(b, b->read_percent))
            return;
        *m->rd_data_valid = 1;
        *m->rd_data = dma_bench_word(b->read_address);
        b->read_address += 8;
        /* the end comes a clock after the last word; sometimes later, or with it */
        if (--b->read_left == 0 && below(b, 8) == 0)
            b->read_wait = (unsigned)below(b, 4);
        if (b->read_left || b->read_percent >= 100 || below(b, 4))
            return;
    }
    *m->rd_done = 1;
    *m->rd_status = (uint8_t)b->read_status;
}

/* ---- bus writes ---- */

static struct dma_write *write_now(struct dma_bench *b)
{
    return &b->writes[b->write_count];
}

static void sample_write(struct dma_bench *b)
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
            if (w->data[0] > b->departed[q] || w->data[0] < b->local_seen[q])
                mistake(b, "local notification %llu of queue %u, where %u have departed", (unsigned long long)w->data[0], q,
                        b->departed[q]);
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
        if (!*m->wr_data_valid)
            mistake(b, "the bench popped nothing");
        write_now(b)->data[b->write_popped++] = *m->wr_data;
    }
    if (*m->wr_ack) {
        struct dma_write *w = write_now(b);
        if (!*m->wr_req || b->writing)
            mistake(b, "the bench acknowledged a write that was withdrawn");
        b->writing = 1;
        w->address = *m->wr_addr;
        w->words = *m->wr_words;
        w->begun = b->clocks;
        b->write_popped = b->write_closing = 0;
        b->write_started = 0;
        b->write_status_now = b->write_plan ? b->write_plan(b, w->address, w->words) : 0;
        b->write_wait = 1 + (unsigned)below(b, b->write_latency);
        if (w->words == 0 || w->words > 512 || (w->address & 7))
            mistake(b, "a write of %u words to %016llx", w->words, (unsigned long long)w->address);
    }
}

/* Before the engine's outputs have settled: the end of a sequence. After: pops and acknowledges, which depend on them. */
static void drive_write_end(struct dma_bench *b)
{
    dma_engine *m = b->m;
    *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->wr_underflow = 0;
    *m->wr_status = (uint8_t)below(b, 4);
    if (!b->writing || b->bus_off || b->write_popped < write_now(b)->words || !b->write_started)
        return;
    if (++b->write_closing == 6) {
        *m->wr_done = 1;
        *m->wr_status = (uint8_t)b->write_status_now;
    }
}

static void drive_write_pop(struct dma_bench *b)
{
    dma_engine *m = b->m;
    if (!b->bus_off && !b->writing && *m->wr_req && chance(b, b->ack_percent))
        *m->wr_ack = 1;
    if (!b->bus_off && !b->reading && *m->rd_req && chance(b, b->ack_percent))
        *m->rd_ack = 1;
    if (!b->writing || *m->wr_done)
        return;
    unsigned words = write_now(b)->words, left = words - b->write_popped;
    if (b->write_wait && !b->bus_off)
        b->write_wait--;
    else if (!b->bus_off && !*m->arb_hold_write)
        b->write_started = 1;
    if (!left)
        return;
    if (b->write_popped < 2) {
        *m->wr_data_pop = *m->wr_data_valid;
    } else if (b->write_started && !b->bus_off && (b->write_status_now == 1 || chance(b, b->write_percent))) {
        if (!*m->wr_data_valid && b->write_status_now != 1) {
            *m->wr_underflow = 1;
            if (++b->underflows > b->underflows_allowed)
                mistake(b, "a write runs dry after %u of %u words", b->write_popped, words);
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

static void sample_n2h(struct dma_bench *b)
{
    if (!*b->m->n2h_rd_pop)
        return;
    if (!*b->m->n2h_rd_valid)
        mistake(b, "N2H is popped empty");
    else
        b->n2h_popped++;
}

static void drive_n2h(struct dma_bench *b)
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
    const struct n2h_word *w = &b->n2h[b->n2h_popped];
    *m->n2h_rd_count = (uint16_t)there;
    *m->n2h_rd_valid = there != 0;
    m->n2h_rd_data[0] = there ? (uint32_t)w->data : (uint32_t)sim_random(b->s);
    m->n2h_rd_data[1] = there ? (uint32_t)(w->data >> 32) : (uint32_t)sim_random(b->s);
    m->n2h_rd_data[2] = there ? w->mark : (uint32_t)below(b, 16);
}

/* ---- the whole ---- */

static void sample_events(struct dma_bench *b)
{
    dma_engine *m = b->m;
    b->ev.overwrite += *m->ev_overwrite;
    b->ev.partial += *m->ev_partial;
    b->ev.bad_length += *m->ev_bad_length;
    b->ev.bad_address += *m->ev_bad_address;
    b->ev.bad_flow += *m->ev_bad_flow;
    b->ev.read_failed += *m->ev_read_failed;
    b->ev.transfer_read += *m->ev_transfer_read;
    b->ev.packet_written += *m->ev_packet_written;
    b->ev.start += *m->ev_start;
    b->ev.gap += *m->ev_gap;
    b->ev.bad_body += *m->ev_bad_body;
    b->ev.write_error += *m->ev_write_error;
    b->ev.local_notified += *m->ev_local_notified;
    b->ev.remote_notified += *m->ev_remote_notified;
    b->ev.flagged += *m->ev_flagged;
    b->ev.step += *m->ev_step;
    b->ev.resets += *m->soft_reset_done;
    if (*m->irq_event) {
        b->irq[b->ev.irq % 4096].clock = b->clocks;
        b->irq[b->ev.irq++ % 4096].after_writes = b->write_count;
    }
    if (*m->ev_internal_overflow)
        mistake(b, "internal overflow, states %08x", *m->fsm_states);
}

static unsigned pointer_at(uint64_t pointers, unsigned q)
{
    return (unsigned)(pointers >> 7 * q) & 127;
}

static void bench_sample(void *self)
{
    struct dma_bench *b = self;
    dma_engine *m = b->m;
    b->clocks = sim_clock_cycles(b->clk);
    if (*m->rst)
        return;
    for (unsigned q = 0; q < QUEUES; q++)
        b->heads[q] += (pointer_at(*m->queue_heads, q) - b->heads[q]) % DEPTH;
    if (*m->q_wr_valid && (*m->q_wr_addr & 1))
        b->post_clock = b->clocks;
    if (*m->tx_departed)
        b->departure_clock = b->clocks;
    sample_read(b);
    sample_write(b);
    sample_n2h(b);
    sample_h2n(b);
    sample_events(b);
    if (*m->soft_reset_done) {
        *m->soft_reset = 0;
        b->left_at_reset = b->h2n_written - b->h2n_read;
        /* What was in hand has been given up. */
        for (unsigned q = 0; q < QUEUES; q++)
            if (b->current[q] < b->heads[q])
                b->current[q] = b->heads[q];
    }
}

static void bench_drive(void *self)
{
    struct dma_bench *b = self;
    dma_engine *m = b->m;
    if (*m->rst) {
        *m->rst = sim_clock_cycles(b->clk) < 4;
        return;
    }
    drive_descriptors(b);
    drive_link(b);
    drive_n2h(b);
    drive_read(b);
    drive_write_end(b);
    sim_model_eval(m->model);
    drive_write_pop(b);
}

struct dma_bench *dma_bench_new(uint64_t seed)
{
    struct dma_bench *b = calloc(1, sizeof *b);
    sim_params p;
    sim_clock_params c = {.name = "clk", .period = 10000};
    sim_params_default(&p);
    p.seed += seed;
    p.watchdog = 0;
    p.quiet = 1;
    b->s = sim_new(&p);
    b->clk = sim_clock_new(b->s, &c);
    dma_engine *m = b->m = dma_engine_new(b->s, "dut");
    sim_model_clock(m->model, b->clk, m->clk);
    sim_clock_attach(b->clk, bench_sample, bench_drive, b);
    for (unsigned q = 0; q < QUEUES; q++) {
        b->posted[q] = calloc(MAX_POSTS, sizeof **b->posted);
        ck_assert_ptr_nonnull(b->posted[q]);
    }
    b->write_room = 64;
    b->writes = calloc(b->write_room, sizeof *b->writes);
    dma_bench_put(b, 0, 0); /* makes room */
    b->n2h_queued = 0;
    b->ack_percent = b->read_percent = b->write_percent = b->drain_percent = 100;
    b->read_latency = b->write_latency = 8;
    b->n2h_rate = 0.375;
    *m->rst = 1;
    *m->q_wr_valid = *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->wr_underflow = *m->rd_ack = *m->rd_data_valid = *m->rd_done = 0;
    *m->h2n_wr_count = *m->n2h_rd_count = 0;
    *m->n2h_rd_valid = *m->tx_departed = *m->link_flush_done = *m->cfg_queue_reset = *m->cfg_sequence_zero = *m->cfg_direct = *m->soft_reset = 0;
    *m->cfg_bus_master = *m->cfg_initiator_enable = 1;
    *m->cfg_max_read_words = 512;
    *m->cfg_cut_through = 96;
    *m->cfg_remote_notify = REMOTE_NOTIFY;
    *m->cfg_local_notify = LOCAL_NOTIFY;
    dma_bench_limit(b, 62);
    dma_bench_run(b, 1040); /* the sweep of the request queues */
    return b;
}

void dma_bench_free(struct dma_bench *b)
{
    dma_engine_free(b->m);
    sim_free(b->s);
    for (unsigned q = 0; q < QUEUES; q++)
        free(b->posted[q]);
    free(b->writes);
    free(b->n2h);
    free(b->n2h_arrival);
    free(b);
}

void dma_bench_run(struct dma_bench *b, uint64_t clocks)
{
    int r = sim_run(b->s, sim_now(b->s) + clocks * 10000);
    ck_assert_msg(r == SIM_TIME_LIMIT, "seed %llu: %s: %s", (unsigned long long)sim_seed(b->s), sim_result_name(r), sim_error(b->s));
}

int dma_bench_quiet(struct dma_bench *b)
{
    for (unsigned q = 0; q < QUEUES; q++)
        if (b->heads[q] != b->posts[q] || b->local_seen[q] < b->local_due[q])
            return 0;
    return !b->reading && !b->writing && b->n2h_popped == b->n2h_queued && b->h2n_read == b->h2n_written && !b->departing_count
           && !*b->m->wr_req && !*b->m->rd_req && !*b->m->soft_reset;
}

void dma_bench_finish(struct dma_bench *b, uint64_t clocks)
{
    uint64_t end = b->clocks + clocks;
    int quiet = 0;
    while (b->clocks < end && quiet < 3) {
        dma_bench_run(b, 50);
        quiet = dma_bench_quiet(b) ? quiet + 1 : 0;
    }
    for (unsigned q = 0; q < QUEUES; q++) {
        unsigned departed = b->m->queue_departed[q], skipped = b->m->queue_skipped[q], whole = 0, bad = 0, failed = 0;
        for (unsigned i = 0; i < b->posts[q]; i++) {
            const struct descriptor *d = &b->posted[q][i];
            whole += (unsigned)d->whole;
            bad += (unsigned)d->bad;
            failed += (unsigned)d->failed;
            ck_assert_msg(!d->failed || b->expect_resets || d->sent == sent_of_failed(b, d),
                          "queue %u descriptor %u: %u words left after a failed read, expected %u", q, i, d->sent, sent_of_failed(b, d));
        }
        ck_assert_msg(quiet == 3, "seed %llu: not quiet after %llu clocks: queue %u head %u of %u, local %u of %u, states %08x",
                      (unsigned long long)sim_seed(b->s), (unsigned long long)clocks, q, b->heads[q], b->posts[q], b->local_seen[q],
                      b->local_due[q], *b->m->fsm_states);
        ck_assert_uint_eq(departed, b->departed[q]);
        ck_assert_uint_eq(departed + skipped, b->posts[q]);
        if (!b->expect_resets) {
            ck_assert_uint_eq(departed, whole);
            ck_assert_uint_eq(skipped, bad + failed);
        } else {
            ck_assert_uint_le(departed, whole);
            ck_assert_uint_ge(skipped, bad + failed);
        }
    }
}
