/* See dma_bench.h. The sample side checks the engine's outputs; the drive side plays the agents. */
#include "dma_bench.h"

#include "dma_bench_voq.h"
#include "dma_engine_2.h"
#include "dma_engine_4.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POSTS 16384

unsigned dma_bench_below(struct dma_bench *b, uint64_t n) { return (unsigned)sim_random_below(b->s, n); }
#define below dma_bench_below

int dma_bench_chance(struct dma_bench *b, unsigned percent) { return percent >= 100 || below(b, 100) < percent; }
#define chance dma_bench_chance

void dma_bench_mistake(struct dma_bench *b, const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    vsnprintf(b->last_mistake, sizeof b->last_mistake, fmt, a);
    va_end(a);
    b->mistakes++;
    if (!b->no_fail) sim_fail(b->s, "clock %llu: %s", (unsigned long long)b->clocks, b->last_mistake);
}
#define mistake dma_bench_mistake

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
            if (b->written[q] < b->posts[q] && b->written[q] - b->heads[q] < DEPTH) break;
    if (!b->half_written && !(b->written[q] < b->posts[q] && b->written[q] - b->heads[q] < DEPTH)) return;
    struct descriptor *d = &b->posted[q][b->written[q]];
    d->bad = d->length == 0 || d->length > 512 || (d->source & 7) || (d->destination & 7) || d->flow != q;
    *m->q_wr_valid = 1;
    *m->q_wr_be = 0xff;
    *m->q_wr_addr = (uint16_t)((q * DEPTH + b->written[q] % DEPTH) * 2 + b->half_written);
    *m->q_wr_data = !b->half_written ? d->source
                                     : (uint64_t)d->flags << 60 | (uint64_t)d->start << 59 | (uint64_t)d->flow << 52 |
                                           (uint64_t)d->length << 32 | d->destination;
    b->write_queue = q;
    if (b->half_written) {
        b->written[q]++;
        b->write_queue = (q + 1) % QUEUES;
    }
    b->half_written = !b->half_written;
}

void dma_bench_limit(struct dma_bench *b, unsigned words)
{
    *b->m->cfg_payload_limit = (uint16_t)words;
    b->limit_count += !b->limits[words];
    b->limits[words] = 1;
}

/* ---- bus reads ---- */

unsigned dma_bench_longest(const struct dma_bench *b)
{
    return *b->m->cfg_max_read_words < b->piece_words ? *b->m->cfg_max_read_words : b->piece_words;
}

/* The words that the next read of a transfer must ask for, as long as the settings have not changed since it was
 * fetched. */
static unsigned next_piece(struct dma_bench *b, const struct descriptor *d)
{
    unsigned most = dma_bench_longest(b), limit = *b->m->cfg_payload_limit, left = d->length - d->asked;
    unsigned whole = d->length <= most ? d->length : limit > most ? most : most / limit * limit;
    return left < whole ? left : whole;
}

static void acknowledge_read(struct dma_bench *b)
{
    dma_engine *m = b->m;
    uint64_t at = *m->rd_addr;
    unsigned words = *m->rd_words;
    struct descriptor *d = descriptor_at(b, at);
    struct bus_read *r = NULL;
    for (unsigned i = 0; i < MAX_READS; i++) {
        if (b->reading[i].active && b->reading[i].tag == *m->rd_tag)
            mistake(b, "a read with tag %u, which is outstanding", *m->rd_tag);
        if (!b->reading[i].active) r = &b->reading[i];
    }
    b->reads++;
    uint32_t tag = 1u << *m->rd_tag;
    if ((b->abandoned_tags & tag) && __builtin_popcount(b->used_since[*m->rd_tag] & ~tag) < 6)
        mistake(b, "a read with tag %u, whose last one was abandoned", *m->rd_tag);
    b->abandoned_tags &= ~tag;
    for (unsigned i = 0; i < 32; i++) b->used_since[i] |= tag;
    if (!d || !r || d->bad || d->aborted || d->whole || d->zeros || d->given_up || (d->failed && b->splits == 1)) {
        mistake(b, "a read of %016llx, which is not to be read", (unsigned long long)at);
        return;
    }
    if (at != d->source + 8 * d->asked || words == 0 || words > d->length - d->asked || d->piece_count == 20 ||
        (b->limit_count == 1 && words != next_piece(b, d))) {
        mistake(b, "a read of %u words at %016llx, %u of %u asked for", words, (unsigned long long)at, d->asked,
                d->length);
        return;
    }
    r->active = 1;
    r->tag = *m->rd_tag;
    r->of = d;
    r->piece = &d->pieces[d->piece_count++];
    r->piece->offset = (uint16_t)d->asked;
    r->piece->words = (uint16_t)words;
    r->address = at;
    r->left = words;
    r->status = 0;
    r->wait = 1 + below(b, b->read_latency);
    d->asked += words;
    if (b->fail_one_in && below(b, b->fail_one_in) == 0) {
        r->status = 1 + below(b, 5);
        if (r->status != 3) r->left = below(b, words + 1);
    }
    if (b->read_plan) b->read_plan(b, d, words, &r->left, &r->status);
    if (++b->reading_count > b->most_reads) b->most_reads = b->reading_count;
}

static void sample_read(struct dma_bench *b)
{
    dma_engine *m = b->m;
    for (unsigned i = 0; i < MAX_READS; i++) {
        struct bus_read *r = &b->reading[i];
        if (r->active && *m->rd_data_valid && *m->rd_data_tag == r->tag) {
            r->piece->delivered++;
            b->last_word_clock = b->clocks;
            b->word_clocks++;
        }
        if (r->active && *m->rd_done && *m->rd_done_tag == r->tag) {
            r->piece->done = 1;
            r->piece->status = (uint8_t)r->status;
            r->of->failed |= r->status != 0;
            r->active = 0;
            if (r->status == 5) {
                b->abandoned_tags |= 1u << r->tag;
                b->used_since[r->tag] = 0;
            }
            b->reading_count--;
            b->read_done_clock = b->clocks;
            b->read_done_behind = b->word_clocks - b->words_written - (*m->voq_wr_valid && !(m->voq_wr_data[2] & 5));
        }
    }
    if (*m->rd_req && b->read_done_clock && b->read_done_clock != b->clocks) {
        uint64_t idle = b->clocks - b->read_done_clock;
        b->idle_sum += idle;
        b->idle_count++;
        if (idle > b->idle_worst) b->idle_worst = idle;
        if (idle > b->read_done_behind + b->idle_worst_behind) b->idle_worst_behind = idle - b->read_done_behind;
        b->read_done_clock = 0;
    }
    if (*m->rd_ack) {
        if (!*m->rd_req) mistake(b, "the bench acknowledged a read that was withdrawn");
        else acknowledge_read(b);
        b->ack_clock = b->clocks;
    }
}

/* Tags are the places of the reads, 0 .. splits - 1 in turn, below something else. */
static struct bus_read *read_at(struct dma_bench *b, unsigned place)
{
    for (unsigned i = 0; i < MAX_READS; i++)
        if (b->reading[i].active && b->reading[i].tag % b->splits == place) return &b->reading[i];
    return NULL;
}

/* At most one word and one end in a clock: of any of the reads, or, in order, words of the oldest only. */
static void drive_read(struct dma_bench *b)
{
    dma_engine *m = b->m;
    int word = chance(b, b->read_percent);
    unsigned first = b->in_order ? b->next_place : below(b, MAX_READS);
    *m->rd_data_valid = *m->rd_done = *m->rd_ack = 0;
    *m->rd_data = sim_random(b->s);
    *m->rd_data_tag = *m->rd_done_tag = (uint8_t)below(b, 32);
    *m->rd_status = (uint8_t)below(b, 8);
    for (unsigned k = 0; k < MAX_READS && !b->bus_off; k++) {
        unsigned place = (first + k) % MAX_READS;
        struct bus_read *r = read_at(b, place);
        if (!r) continue;
        if (*m->rd_abandon & 2) {
            r->wait = r->left = 0;
            r->status = 5;
        } else if (b->completions_off || (r->wait && r->wait--)) continue;
        if (r->left) {
            if (!word) continue;
            word = 0;
            *m->rd_data_valid = 1;
            *m->rd_data = dma_bench_word(r->address);
            *m->rd_data_tag = (uint8_t)r->tag;
            r->address += 8;
            /* the end comes a clock after the last word; sometimes later, or with it */
            if (--r->left == 0 && below(b, 8) == 0) r->wait = below(b, 4);
            if (r->left || b->read_percent >= 100 || below(b, 4)) continue;
        }
        if (*m->rd_done) continue;
        *m->rd_done = 1;
        *m->rd_done_tag = (uint8_t)r->tag;
        *m->rd_status = (uint8_t)r->status;
        b->next_place = (place + 1) % MAX_READS;
    }
}

/* ---- bus writes ---- */

static struct dma_write *write_now(struct dma_bench *b) { return &b->writes[b->write_count]; }

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
            if (w->data[0] > b->voq[q].departed || w->data[0] < b->local_seen[q])
                mistake(b, "local notification %llu of queue %u, where %u have departed",
                        (unsigned long long)w->data[0], q, b->voq[q].departed);
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
        if (!*m->wr_data_valid) mistake(b, "the bench popped nothing");
        write_now(b)->data[b->write_popped++] = *m->wr_data;
    }
    if (*m->wr_ack) {
        struct dma_write *w = write_now(b);
        if (!*m->wr_req || b->writing) mistake(b, "the bench acknowledged a write that was withdrawn");
        b->writing = 1;
        w->address = *m->wr_addr;
        w->words = *m->wr_words;
        w->begun = b->clocks;
        b->write_popped = b->write_closing = 0;
        b->write_started = 0;
        b->write_status_now = b->write_plan ? b->write_plan(b, w->address, w->words) : 0;
        b->write_wait = 1 + below(b, b->write_latency);
        if (w->words == 0 || w->words > 512 || (w->address & 7))
            mistake(b, "a write of %u words to %016llx", w->words, (unsigned long long)w->address);
    }
}

/* Before the engine's outputs have settled: the end of a sequence. */
static void drive_write_end(struct dma_bench *b)
{
    dma_engine *m = b->m;
    *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->wr_underflow = 0;
    *m->wr_status = (uint8_t)below(b, 4);
    if (!b->writing || b->bus_off || b->write_popped < write_now(b)->words || !b->write_started) return;
    if (++b->write_closing == 6) {
        *m->wr_done = 1;
        *m->wr_status = (uint8_t)b->write_status_now;
    }
}

/* After: pops and acknowledges, which depend on them. */
static void drive_write_pop(struct dma_bench *b)
{
    dma_engine *m = b->m;
    if (!b->bus_off && !b->writing && *m->wr_req && chance(b, b->ack_percent)) *m->wr_ack = 1;
    if (!b->writing || *m->wr_done) return;
    unsigned words = write_now(b)->words, left = words - b->write_popped;
    if (b->write_wait && !b->bus_off) b->write_wait--;
    else if (!b->bus_off && !*m->arb_hold_write) b->write_started = 1;
    if (!left) return;
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
    return (uint64_t)source << 56 | (uint64_t)flags << 52 | 1ull << 51 | (uint64_t)(number % 512) << 42 |
           (uint64_t)length << 32 | address;
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
    if (!*b->m->n2h_rd_pop) return;
    if (!*b->m->n2h_rd_valid) mistake(b, "N2H is popped empty");
    else b->n2h_popped++;
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
    const struct stream_word *w = &b->n2h[b->n2h_popped];
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
#define COUNT_EVENT(name) b->ev.name += *m->ev_##name;
    EVENTS(COUNT_EVENT)
    b->ev.resets += *m->soft_reset_done;
    if (*m->irq_event) {
        b->irq[b->ev.irq % 4096].clock = b->clocks;
        b->irq[b->ev.irq++ % 4096].after_writes = b->write_count;
    }
    if (*m->ev_internal_overflow) mistake(b, "internal overflow, states %08x", *m->fsm_states);
}

static unsigned pointer_at(uint64_t pointers, unsigned q) { return (unsigned)(pointers >> 7 * q) & 127; }

static void bench_sample(void *self)
{
    struct dma_bench *b = self;
    dma_engine *m = b->m;
    b->clocks = sim_clock_cycles(b->clk);
    if (*m->rst) return;
    if (*m->dropped_valid) b->given_up[*m->dropped_queue]++;
    for (unsigned q = 0; q < QUEUES; q++)
        for (unsigned n = (pointer_at(*m->queue_heads, q) - b->heads[q]) % DEPTH; n; n--) {
            const struct descriptor *d = &b->posted[q][b->heads[q]++];
            if (d->bad || d->whole || d->aborted || b->flushing) continue;
            if (b->given_up[q]) b->given_up[q]--; /* a software reset has dropped it, and reported that */
            else mistake(b, "queue %u: the slot of descriptor %u is free before it is done", q, b->heads[q] - 1);
        }
    if (*m->q_wr_valid && (*m->q_wr_addr & 1)) b->post_clock = b->clocks;
    if (*m->departed_valid) b->departure_clock = b->clocks;
    sample_read(b);
    sample_write(b);
    sample_n2h(b);
    dma_bench_sample_voq(b);
    sample_events(b);
    if (*m->soft_reset_done) {
        *m->soft_reset = 0;
        /* Transfers in progress have been abandoned. */
        for (unsigned q = 0; q < QUEUES; q++)
            for (unsigned i = b->current[q]; i < b->heads[q]; i++)
                b->posted[q][i].given_up |= !b->posted[q][i].whole && !b->posted[q][i].aborted;
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
    dma_bench_drive_voq(b);
    drive_n2h(b);
    drive_read(b);
    drive_write_end(b);
    sim_model_eval(m->model);
    drive_write_pop(b);
    if (!b->bus_off && b->reading_count < b->reads_allowed && *b->m->rd_req && chance(b, b->ack_percent))
        *b->m->rd_ack = 1;
}

static void free_logs(void *bench)
{
    struct dma_bench *b = bench;
    free(b->writes);
    free(b->n2h);
    free(b->n2h_arrival);
}

struct dma_bench *dma_bench_new(uint64_t seed, unsigned splits)
{
    const sim_config *config = splits == 1   ? &dma_engine_config
                               : splits == 2 ? &dma_engine_2_config
                                             : &dma_engine_4_config;
    struct dma_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    dma_engine *m = b->m = MODEL_AS(dma_engine, make_clocked(b->s, b->clk, config, "dut"), NULL);
    b->splits = b->reads_allowed = splits;
    b->piece_words = splits == 2 ? 100 : 512;
    sim_clock_attach(b->clk, bench_sample, bench_drive, b);
    after_test(free_logs, b);
    for (unsigned q = 0; q < QUEUES; q++) b->posted[q] = test_memory(MAX_POSTS * sizeof **b->posted);
    b->write_room = 64;
    b->writes = calloc(b->write_room, sizeof *b->writes);
    dma_bench_put(b, 0, 0); /* makes room */
    b->n2h_queued = 0;
    b->ack_percent = b->read_percent = b->write_percent = b->drain_percent = 100;
    b->read_latency = b->write_latency = 8;
    b->voq_words = 1024;
    b->n2h_rate = 0.375;
    *m->rst = 1;
    *m->cfg_bus_master = *m->cfg_initiator_enable = 1;
    *m->cfg_max_read_words = 512;
    *m->cfg_cut_through = 96;
    *m->cfg_remote_notify = REMOTE_NOTIFY;
    *m->cfg_local_notify = LOCAL_NOTIFY;
    dma_bench_limit(b, 62);
    dma_bench_run(b, 1040); /* the sweep of the request queues */
    return b;
}

void dma_bench_run(struct dma_bench *b, uint64_t clocks) { run_clocks(b->s, b->clk, clocks); }

int dma_bench_quiet(struct dma_bench *b)
{
    for (unsigned q = 0; q < QUEUES; q++)
        if (b->heads[q] != b->posts[q] || b->local_seen[q] < b->local_due[q]) return 0;
    for (unsigned q = 0; q < QUEUES; q++)
        if (dma_bench_in_voq(b, q)) return 0;
    return !b->reading_count && !b->writing && b->n2h_popped == b->n2h_queued && !b->link_left && !b->departing_count &&
           !b->piece_count && !*b->m->wr_req && !*b->m->rd_req && !*b->m->soft_reset;
}

unsigned dma_bench_departed(struct dma_bench *b, unsigned queue)
{
    *b->m->view_pair = (uint8_t)(queue / 2);
    sim_model_eval(b->m->model);
    return (unsigned)(*b->m->view_departed >> (queue % 2 ? 32 : 0));
}

unsigned dma_bench_skipped(struct dma_bench *b, unsigned queue)
{
    *b->m->view_pair = (uint8_t)(queue / 2);
    sim_model_eval(b->m->model);
    return (unsigned)(*b->m->view_skipped >> (queue % 2 ? 32 : 0));
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
        unsigned departed = dma_bench_departed(b, q), skipped = dma_bench_skipped(b, q), whole = 0, bad = 0, failed = 0;
        for (unsigned i = 0; i < b->posts[q]; i++) {
            const struct descriptor *d = &b->posted[q][i];
            whole += (unsigned)d->whole;
            bad += (unsigned)d->bad;
            failed += (unsigned)d->aborted;
            ck_assert_msg(!d->failed || d->aborted || b->expect_resets,
                          "queue %u descriptor %u: its read failed, but there is no abort mark", q, i);
        }
        ck_assert_msg(
            quiet == 3,
            "seed %llu: not quiet after %llu clocks: queue %u head %u of %u, local %u of %u, in VOQ %u, states %08x",
            (unsigned long long)sim_seed(b->s), (unsigned long long)clocks, q, b->heads[q], b->posts[q],
            b->local_seen[q], b->local_due[q], dma_bench_in_voq(b, q), *b->m->fsm_states);
        ck_assert_uint_eq(departed, b->voq[q].departed);
        ck_assert_uint_eq(departed, b->voq[q].moved);
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
