#include "voq_bench.h"

#include <string.h>

#include "voq_16.h"
#include "voq_shared.h"
#include "voq_small.h"

unsigned voq_bench_level(const struct voq_bench *b, unsigned voq)
{
    return (unsigned)sim_port_field(&b->v->level_words, voq * 12, 12);
}

unsigned voq_bench_blocks(const struct voq_bench *b, unsigned voq)
{
    unsigned bits = b->v->free_blocks.bits;
    return (unsigned)sim_port_field(&b->v->level_blocks, voq * bits, bits);
}

unsigned voq_bench_free_blocks(const struct voq_bench *b) { return (unsigned)sim_port_get(&b->v->free_blocks); }

void voq_bench_body_limit(struct voq_bench *b, unsigned blocks)
{
    b->body_limit = blocks;
    sim_port_set(&b->v->cfg_body_limit, blocks);
}

static int chance(struct voq_bench *b, unsigned percent)
{
    return percent >= 100 || (percent && sim_random_below(b->s, 100) < percent);
}

/* ---- memory ---- */

/* Words that have gone into the block, in a table hashed by their data. With one queue for all, headers have bits of
 * their own in it. */
enum { KNOWN = 1 << 16 };
#define NOT_OF_HEADERS (1ull << 63 | 15ull << 56 | 7)

static struct voq_written *known_at(struct voq_bench *b, uint64_t data)
{
    return &b->known[(data * 0x9e3779b97f4a7c15ull) >> 48 & (KNOWN - 1)];
}

static void know(struct voq_bench *b, uint64_t data, struct voq_transfer *t, int index)
{
    if (index < 0) data &= ~NOT_OF_HEADERS;
    *known_at(b, data) = (struct voq_written){data, t, index};
}

/* One wrong bit of 72. Its meaning is taken from the data, not from the tag byte. */
static void damage(struct voq_bench *b, uint32_t *word)
{
    unsigned bit = (unsigned)sim_random_below(b->s, 72);
    uint64_t data = word[0] | (uint64_t)word[1] << 32;
    struct voq_written *w = known_at(b, data), *h = known_at(b, data & ~NOT_OF_HEADERS);
    int is_data = w->t && w->index >= 0 && w->data == data,
        is_header = !is_data && h->t && h->index < 0 && h->data == (data & ~NOT_OF_HEADERS);
    int is_abort = (data & ~NOT_OF_HEADERS & ~(15ull << 52)) == 0;
    if (!is_data && !is_header && !is_abort) return; /* forgotten */
    word[bit / 32] ^= 1u << bit % 32;
    b->damages++;
    if (bit >= 64 && bit < 69) b->kind_damages++;
    else if (is_data) b->data_damages++, voq_ref_damage(&b->ref, w->t, w->index);
    else if (is_header) b->header_damages++, voq_ref_damage(&b->ref, h->t, -1);
}

static void memory_sample(struct voq_bench *b)
{
    voq *p = &b->p;
    if (!*p->mem_valid || !*p->mem_ready) return;
    unsigned address = (unsigned)sim_port_get(&b->v->mem_addr);
    if (address >= b->size.blocks * b->size.block_words) {
        voq_ref_break(&b->ref, VOQ_MEMORY, "address %u, but %u blocks of %u words", address, b->size.blocks,
                      b->size.block_words);
        return;
    }
    if (*p->mem_we) {
        memcpy(b->memory[address].word, p->mem_wdata, sizeof b->memory[address].word);
        b->memory[address].written = 1;
        if (*p->mem_be != 0x1ff)
            voq_ref_break(&b->ref, VOQ_MEMORY, "word %u written with byte enables %03x", address, *p->mem_be);
        return;
    }
    if (!b->memory[address].written) voq_ref_break(&b->ref, VOQ_MEMORY, "word %u read, but never written", address);
    if (b->read_count >= b->reads_most) {
        voq_ref_break(&b->ref, VOQ_MEMORY, "more than %u reads outstanding", b->reads_most);
        return;
    }
    /* The memory keeps the order of accesses: a later write does not change the answer. */
    memcpy(b->reads[b->read_count].word, b->memory[address].word, sizeof b->reads[0].word);
    if (b->damage_per_1000 && sim_random_below(b->s, 1000) < b->damage_per_1000)
        damage(b, b->reads[b->read_count].word);
    b->reads[b->read_count++].wait = 1 + (unsigned)sim_random_below(b->s, b->memory_latency);
}

static void memory_drive(struct voq_bench *b)
{
    voq *p = &b->p;
    *p->mem_ready = (uint8_t)chance(b, b->memory_percent);
    *p->mem_rvalid = 0;
    if (b->read_count && b->reads[0].wait <= 1) {
        *p->mem_rvalid = 1;
        memcpy(p->mem_rdata, b->reads[0].word, sizeof b->reads[0].word);
        memmove(b->reads, b->reads + 1, --b->read_count * sizeof b->reads[0]);
    }
    for (unsigned i = 0; i < b->read_count; i++) b->reads[i].wait -= b->reads[i].wait > 1;
}

/* ---- link ---- */

static void link_sample(struct voq_bench *b, const struct voq_output *o)
{
    if (!o->valid) return;
    if (b->fifo_count == 63) {
        voq_ref_break(&b->ref, VOQ_STOP, "the link FIFO is full");
        return;
    }
    if (o->marks & 1) b->lane_of_packet = b->ref.direct ? 0 : o->data >> 56 & 15;
    b->fifo[b->fifo_count].lane = (uint8_t)b->lane_of_packet;
    b->fifo[b->fifo_count++].units = o->marks & 1 ? 4 : 2;
}

static void link_drive(struct voq_bench *b)
{
    voq *p = &b->p;
    b->drain_due = b->drain_due % 100 + b->drain_percent;
    if (b->fifo_count && (b->drain_even ? b->drain_due >= 100 : chance(b, b->drain_percent))) {
        b->forwarded[b->fifo[0].lane] = (b->forwarded[b->fifo[0].lane] + b->fifo[0].units) & 4095;
        memmove(b->fifo, b->fifo + 1, --b->fifo_count * sizeof b->fifo[0]);
    }
    *p->out_count = (uint8_t)b->fifo_count;
    *p->credit_valid = 0;
    b->given.credit = 0;
    unsigned lane = b->ref.direct ? 0 : (unsigned)sim_random_below(b->s, b->size.queues);
    if (chance(b, b->credit_percent) && !(b->stopped >> lane & 1)) {
        unsigned value = b->forwarded[lane] >> 5;
        if (chance(b, b->wrong_percent)) {
            unsigned lower = (value - (unsigned)sim_random_below(b->s, 1 + b->ref.capacity / 32)) & 127;
            if (((b->ref.lanes[lane].sent - (lower << 5)) & 4095) <= b->ref.capacity) value = lower;
        }
        *p->credit_valid = 1;
        *p->credit_lane = (uint8_t)lane;
        *p->credit_value = (uint8_t)value;
        b->given.credit = 1;
    }
}

/* ---- the engine ---- */

static void make_transfer(struct voq_bench *b, unsigned q)
{
    struct voq_transfer *t = &b->now[q].t;
    memset(t, 0, sizeof *t);
    t->queue = q;
    t->id = ++b->next_id;
    t->flags = (unsigned)sim_random_below(b->s, 8);
    t->limit = b->limit_fixed ? b->limit_fixed : 1 + (unsigned)sim_random_below(b->s, b->limit_most);
    t->length = b->queue_length[q] ? b->queue_length[q]
                : b->length_fixed  ? b->length_fixed
                                   : 1 + (unsigned)sim_random_below(b->s, b->length_most);
    t->address = (uint32_t)sim_random(b->s) & ~7u;
    b->now[q].in = NULL;
    b->now[q].asked = 0;
    b->now[q].valid = 1;
    b->made++;
}

/* Words that the reference knows to be on chip for this queue, at least: committed and not sent, reserved and not
 * written. */
static unsigned promised(const struct voq_bench *b, unsigned q)
{
    unsigned v = b->size.voqs == 1 ? 0 : q, n = 0;
    for (unsigned i = b->ref.head[v]; i < b->ref.count[v]; i++)
        n += b->ref.lists[v][i]->committed - b->ref.lists[v][i]->sent;
    for (unsigned i = 0; i < b->piece_count; i++)
        if (b->size.voqs == 1 || b->pieces[i].t->queue == q) n += b->pieces[i].reserved - (i == 0 ? b->written : 0);
    return n;
}

static void reserve_drive(struct voq_bench *b)
{
    voq *p = &b->p;
    *p->voq_reserve = 0;
    if (b->since_reserve < 2 || b->room_age > 3 || b->piece_count == 8 || *b->p.voq_pause ||
        !chance(b, b->reserve_percent))
        return;
    unsigned q = (unsigned)sim_random_below(b->s, b->size.queues);
    while (!(b->queues_used >> q & 1)) q = (q + 1) % b->size.queues;
    if (!b->now[q].valid && b->made >= b->transfers_wanted) return;
    if (!b->now[q].valid) make_transfer(b, q);
    struct voq_transfer *t = &b->now[q].t;
    unsigned whole = b->piece_most / t->limit * t->limit, left = t->length - b->now[q].asked;
    struct voq_piece n = {.words = left < whole ? left : whole, .from = b->now[q].asked, .fails_after = -1};
    n.reserved = n.words + 2 + (chance(b, 10) ? (unsigned)sim_random_below(b->s, 20) : 0);
    if (n.reserved > b->room[q] + b->room_lie) return;
    n.first = b->now[q].asked == 0;
    n.last = n.words == left;
    n.never = n.first && chance(b, b->never_percent);
    if (n.first) b->now[q].in = voq_ref_add(&b->ref, t);
    n.t = b->now[q].in;
    n.t->nothing = n.never;
    if (chance(b, b->fail_percent)) n.fails_after = (int)sim_random_below(b->s, n.words + 1);
    b->now[q].asked += n.words;
    if (n.last || n.never) b->now[q].valid = 0;
    if (b->body_limit == 0 && promised(b, q) + n.reserved > b->size.ring_words - 1)
        voq_ref_break(&b->ref, VOQ_ROOM, "queue %u: %u words reserved, but %u of %u are taken", q, n.reserved,
                      promised(b, q), b->size.ring_words - 1);
    b->pieces[b->piece_count++] = n;
    *p->voq_reserve = 1;
    *p->voq_reserve_queue = (uint8_t)q;
    *p->voq_reserve_words = (uint16_t)n.reserved;
    b->room_age = 100;
}

static void put(struct voq_bench *b, uint64_t data, unsigned marks)
{
    *b->p.voq_wr_valid = 1;
    b->p.voq_wr_data[0] = (uint32_t)data;
    b->p.voq_wr_data[1] = (uint32_t)(data >> 32);
    b->p.voq_wr_data[2] = marks;
}

static void end_piece(struct voq_bench *b)
{
    *b->p.voq_piece_end = 1;
    memmove(b->pieces, b->pieces + 1, --b->piece_count * sizeof b->pieces[0]);
    b->written = b->in_packet = 0;
    b->header_written = b->aborting = 0;
}

static void commit(struct voq_bench *b, struct voq_piece *w)
{
    *b->p.voq_wr_commit = 1;
    b->given.commit = w->t;
    b->given.committed = w->from + b->written;
    b->in_packet = 0;
}

static void write_drive(struct voq_bench *b)
{
    voq *p = &b->p;
    struct voq_piece *w = &b->pieces[0];
    *p->voq_wr_valid = *p->voq_wr_commit = *p->voq_wr_rollback = *p->voq_piece_end = *p->voq_wr_eager = 0;
    b->given.commit = b->given.eager = b->given.abort = NULL;
    int eager_now = b->piece_count && b->header_written && w->t->eager && w->first;
    if (!b->piece_count || (!eager_now && !chance(b, b->write_percent))) return;
    if (w->never || (w->t->aborted && !b->aborting)) {
        end_piece(b);
    } else if (b->aborting) {
        /* The mark; the piece ends with it or later. */
        if (!w->t->aborted && b->given.abort == NULL) {
            put(b, 0, 4);
            *p->voq_wr_commit = 1;
            b->given.abort = w->t;
            b->aborts++;
            if (b->now[w->t->queue].in == w->t) b->now[w->t->queue].valid = 0;
            if (chance(b, 50)) return;
        }
        end_piece(b);
    } else if (w->first && !b->header_written && (w->fails_after != 0 || chance(b, 50))) {
        int eager = w->fails_after < 0 && chance(b, b->eager_percent);
        put(b, voq_ref_header(w->t), 1);
        know(b, voq_ref_header(w->t), w->t, -1);
        *p->voq_wr_eager = (uint8_t)eager;
        b->given.eager = eager ? w->t : NULL;
        b->eagers += (unsigned)eager;
        b->header_written = 1;
        b->header_put_clock = b->ref.clock + 1;
    } else if ((int)b->written == w->fails_after) {
        if (b->in_packet || b->header_written) {
            *p->voq_wr_rollback = 1;
            if (b->written < w->words && chance(b, 30)) put(b, 0x1234, 0);
        }
        b->aborting = 1;
    } else if (b->written < w->words) {
        int last = ++b->written == w->words, of_all = last && w->last;
        put(b, voq_ref_word(w->t->id, w->from + b->written - 1), of_all ? 2 : 0);
        know(b, voq_ref_word(w->t->id, w->from + b->written - 1), w->t, (int)(w->from + b->written - 1));
        b->in_packet++;
        if ((!last && b->in_packet == w->t->limit) || (last && w->fails_after < 0 && (eager_now || chance(b, 50))))
            commit(b, w);
        if (last && *p->voq_wr_commit && (eager_now || chance(b, 50))) end_piece(b);
    } else {
        if (b->in_packet) commit(b, w);
        if (chance(b, 70)) end_piece(b);
    }
}

/* ---- software resets ---- */

static void reset_drive(struct voq_bench *b)
{
    voq *p = &b->p;
    if (!b->resetting) {
        if (!b->reset_now && !(b->reset_per_10000 && sim_random_below(b->s, 10000) < b->reset_per_10000)) return;
        b->resetting = 1;
        b->reset_now = 0;
        b->reset_seen = 0;
        *p->flush = 1;
        *p->dropped_valid = sim_random_below(b->s, 2) != 0; /* in the last clock in which it may come */
        *p->dropped_queue = (uint8_t)sim_random_below(b->s, b->size.queues);
        b->given_up = *p->dropped_valid ? 1u << *p->dropped_queue : 0;
        return; /* words written in this clock still count */
    }
    *p->voq_wr_valid = *p->voq_wr_commit = *p->voq_wr_rollback = *p->voq_piece_end = *p->voq_wr_eager =
        *p->voq_reserve = 0;
    *p->dropped_valid = 0;
    b->given.commit = b->given.eager = b->given.abort = NULL;
    b->piece_count = b->written = b->in_packet = 0;
    b->header_written = b->aborting = 0;
    b->room_age = 100;
    for (unsigned q = 0; q < 16; q++) b->now[q].valid = b->now[q].valid && b->now[q].asked == 0;
    if (b->resetting == 1 && *p->voq_idle) {
        voq_ref_reset_done(&b->ref, b->body_limit ? ~0u : 0, b->given_up);
        b->resetting = 2;
        b->reset_hold = (unsigned)sim_random_below(b->s, 40);
        b->resets++;
    } else if (b->resetting == 2 && b->reset_hold-- == 0) {
        *p->flush = 0;
        b->resetting = 0;
    }
}

/* ---- every clock ---- */

static void sample(void *self)
{
    struct voq_bench *b = self;
    voq *p = &b->p;
    b->clocks++;
    if (*p->rst) return;
    struct voq_output o = {.valid = *p->out_valid,
                           .data = p->out_data[0] | (uint64_t)p->out_data[1] << 32,
                           .marks = p->out_data[2],
                           .count = *p->out_count,
                           .moved = *p->moved_valid,
                           .moved_lost = *p->moved_lost,
                           .moved_queue = *p->moved_queue,
                           .error = *p->ev_overflow};
    if (b->corrupt) b->corrupt(b, &o);
    if (b->resetting && !b->reset_seen) {
        b->reset_seen = 1;
        b->ref.resetting = 1;
    }
    for (unsigned v = 0; b->body_limit && b->clocks % 16 == 0 && v < b->size.voqs; v++) {
        unsigned outside = voq_bench_blocks(b, v) > 0 || promised(b, v) > voq_bench_level(b, v);
        b->ref.bodies = (b->ref.bodies & ~(1u << v)) | outside << v;
    }
    voq_ref_output(&b->ref, &o);
    link_sample(b, &o);
    if (b->given.commit) b->given.commit->committed = b->given.committed;
    if (b->given.eager) b->given.eager->eager = 1;
    if (b->given.abort) b->given.abort->aborted = 1;
    if (b->given.credit) voq_ref_credit(&b->ref, *p->credit_lane, *p->credit_value);
    memory_sample(b);
    b->since_reserve = *p->voq_reserve ? 0 : b->since_reserve + 1;
    b->room_age++;
    if (b->since_reserve >= 2 && !b->resetting && (b->room_age > 3 || chance(b, 60))) {
        for (unsigned q = 0; q < b->size.queues; q++)
            b->room[q] = (unsigned)sim_port_field(&b->v->voq_room, q * 11, 11);
        b->room_age = 0;
    }
    b->migrated += *p->ev_migrated;
    b->fetched += *p->ev_fetched;
    b->damages_seen += *p->ev_damaged;
    b->exhausted += *p->exhausted;
    b->backpressure += *p->backpressure;
}

static void drive(void *self)
{
    struct voq_bench *b = self;
    *b->p.rst = b->clocks < 3;
    if (b->clocks < 4) return;
    link_drive(b);
    write_drive(b);
    reserve_drive(b);
    memory_drive(b);
    reset_drive(b);
    if (b->ref.broken) sim_stop(b->s);
}

static const struct {
    const sim_config *config;
    struct voq_size size;
} kinds[VOQ_KINDS] = {
    [VOQ_DEFAULT] = {&voq_config, {8, 8, 1024, 4096, 64}},
    [VOQ_16] = {&voq_16_config, {16, 16, 1024, 4096, 64}},
    [VOQ_SMALL] = {&voq_small_config, {8, 8, 256, 64, 16}},
    [VOQ_SHARED] = {&voq_shared_config, {8, 1, 1024, 4096, 64}},
};

struct voq_bench *voq_bench_new(enum voq_kind kind, uint64_t seed)
{
    struct voq_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    sim_model *model = make_clocked(b->s, b->clk, kinds[kind].config, "dut");
    b->p = *MODEL_AS(voq, model, "cfg_paths cfg_body_limit win_addr mem_addr level_words level_blocks free_blocks");
    b->v = PORTS_AS(voq, model);
    b->size = kinds[kind].size;
    voq_ref_init(&b->ref, b->size.queues, b->size.voqs);
    b->memory = test_memory(b->size.blocks * b->size.block_words * sizeof *b->memory);
    b->known = test_memory(KNOWN * sizeof *b->known);
    sim_clock_attach(b->clk, sample, drive, b);
    *b->p.rst = 1;
    *b->p.cfg_tx_capacity = 2048;
    b->ref.capacity = 2048;
    voq_bench_body_limit(b, 0);
    b->queues_used = (1u << b->size.queues) - 1;
    b->transfers_wanted = ~0u;
    b->length_most = b->size.ring_words < 512 ? 2 * b->size.ring_words : 512;
    b->piece_most = b->size.ring_words < 512 ? 200 : 512;
    b->limit_most = b->piece_most < 100 ? b->piece_most : 100;
    b->write_percent = b->reserve_percent = 100;
    b->drain_percent = 40;
    b->credit_percent = 20;
    b->memory_percent = 90;
    b->memory_latency = 10;
    b->reads_most = 16;
    b->room_age = 100;
    return b;
}

static void verify(struct voq_bench *b)
{
    if (b->ref.broken)
        ck_abort_msg("clock %llu, seed %llu: rule '%s': %s", (unsigned long long)b->clocks,
                     (unsigned long long)sim_seed(b->s), voq_rule_names[b->ref.broken], b->ref.text);
}

enum voq_rule voq_bench_try(struct voq_bench *b, uint64_t clocks)
{
    sim_run(b->s, sim_now(b->s) + clocks * 10000);
    return b->ref.broken;
}

void voq_bench_run(struct voq_bench *b, uint64_t clocks)
{
    int result = sim_run(b->s, sim_now(b->s) + clocks * 10000);
    verify(b);
    ck_assert_int_eq(result, SIM_TIME_LIMIT);
}

void voq_bench_finish(struct voq_bench *b, uint64_t clocks)
{
    uint64_t end = b->clocks + clocks;
    for (;;) {
        unsigned waiting = voq_ref_inside(&b->ref) + b->piece_count + b->ref.packet_left;
        for (unsigned q = 0; q < b->size.queues; q++) waiting += (unsigned)b->now[q].valid;
        if (!waiting && b->made >= b->transfers_wanted) break;
        if (b->clocks >= end) voq_ref_end(&b->ref);
        verify(b);
        ck_assert_uint_lt(b->clocks, end);
        voq_bench_run(b, 100);
    }
    voq_bench_run(b, 100);
    voq_ref_end(&b->ref);
    verify(b);
}

void voq_bench_drain(struct voq_bench *b, uint64_t clocks)
{
    b->stopped = b->reset_per_10000 = 0;
    b->transfers_wanted = b->made;
    voq_bench_finish(b, clocks);
}
