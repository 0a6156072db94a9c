#include "sync_bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

unsigned sync_below(struct sync_bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

uint64_t sync_random_small(struct sync_bench *b)
{
    return sync_below(b, 5) ? (uint64_t)sync_below(b, 7) - 3 : sim_random(b->s);
}

void sync_complain(struct sync_bench *b, const char *format, ...)
{
    va_list list;
    if (*b->wrong) return;
    va_start(list, format);
    int n = snprintf(b->wrong, sizeof b->wrong, "clock %llu: ", (ull)b->clock);
    vsnprintf(b->wrong + n, sizeof b->wrong - (size_t)n, format, list);
    va_end(list);
}

void sync_good(struct sync_bench *b) { ck_assert_str_eq(b->wrong, ""); }

/* ---- what must be ---- */

static struct sync_write *expect(struct sync_bench *b, uint64_t address, unsigned words)
{
    if (b->expected_count == EXPECTED) sync_complain(b, "too many writes are awaited");
    struct sync_write *w = &b->expected[(b->expected_first + b->expected_count++) % EXPECTED];
    *w = (struct sync_write){.address = address, .words = words};
    return w;
}

static void enqueue(struct sync_bench *b, unsigned s, unsigned object, unsigned operand, unsigned words,
                    const uint64_t *data)
{
    unsigned q = object & 15;
    if (s >= NODES) {
        b->counts[10]++;
        return;
    }
    unsigned slots = 1u << b->queue[q].log2_slots, bytes = 64u << b->queue[q].log2_size;
    int fits = b->queue[q].log2_slots >= 1 && b->queue[q].log2_slots <= 12 &&
               b->queue[q].base % ((uint64_t)slots * bytes) == 0;
    unsigned reason = object > 15                                               ? OBJECT
                      : b->pair[s][q].closed                                    ? b->pair[s][q].reason
                      : !b->queue[q].on || !fits                                ? OFF
                      : !(b->queue[q].sources >> s & 1)                         ? SOURCE
                      : words > bytes / 8 - 1 || words > MOST_WORDS             ? LONG
                      : ((b->queue[q].tail - b->queue[q].head) & 8191) >= slots ? FULL
                                                                                : 0;
    if (reason) {
        unsigned was_closed = b->pair[s][q].closed && object < 16;
        b->pair[s][q].refused++;
        if (!b->pair[s][q].closed) {
            b->pair[s][q].reason = reason;
            b->pair[s][q].closed = reason != OBJECT;
        }
        b->counts[object > 15                    ? 12
                  : was_closed || reason == FULL ? 8
                  : reason == OFF                ? 9
                  : reason == SOURCE             ? 10
                                                 : 11]++;
        return;
    }
    if (!b->pair[s][q].closed) b->pair[s][q].reason = 0;
    uint64_t slot = b->queue[q].base + (uint64_t)(b->queue[q].tail & (slots - 1)) * bytes;
    memcpy(expect(b, slot + 8, words)->data, data, words * sizeof *data);
    expect(b, slot, 1)->data[0] = (uint64_t) !(b->queue[q].tail >> b->queue[q].log2_slots & 1) << 63 |
                                  (uint64_t)s << 56 | (uint64_t)b->slot_mark[s] << 55 | (uint64_t)words << 32 |
                                  (uint64_t)b->queue[q].tail << 16 | operand;
    b->must_interrupt += b->queue[q].interrupt && b->queue[q].tail == b->queue[q].head;
    b->slot_mark[s] = 0;
    b->queue[q].tail = (b->queue[q].tail + 1) & 8191;
    b->pair[s][q].taken++;
    b->counts[0]++;
}

static void count(struct sync_bench *b, unsigned s, unsigned operation, unsigned c, uint64_t data, unsigned damaged)
{
    b->counter[c].value = (int32_t)((operation == SET ? 0 : (uint32_t)b->counter[c].value) + (uint32_t)data);
    if (operation == SET) {
        b->counter[c].write = b->counter[c].interrupt = b->counter[c].armed = b->counter[c].damaged = 0;
        b->counter[c].mask = 0;
    }
    if (operation == ARM) {
        b->counter[c].write = data >> 63 & 1;
        b->counter[c].interrupt = data >> 62 & 1;
        b->counter[c].armed = 1;
        b->counter[c].mask = data >> 32 & 0xffff;
    }
    b->counter[c].damaged |= damaged;
    if (s < NODES) {
        b->counter[c].damaged |= b->counter_mark[s];
        b->counter_mark[s] = 0;
    }
    b->counts[1]++;
    if (b->counter[c].value || !b->counter[c].armed) return;
    b->counter[c].armed = 0;
    b->counter[c].times = (b->counter[c].times + 1) & 255;
    b->must_release |= b->counter[c].mask;
    if (b->counter[c].write)
        expect(b, COUNTER_WORDS + 8 * c, 1)->data[0] = (uint64_t)(b->counter[c].times & 1) << 63 | (uint64_t)s << 56 |
                                                       (uint64_t)b->counter[c].damaged << 55 | (uint64_t)c << 48 |
                                                       b->counter[c].times;
    b->must_interrupt += b->counter[c].interrupt;
    b->counter[c].damaged = 0;
    b->counts[b->counter[c].mask & ~(unsigned)*b->m->prepared ? 7 : 6]++;
}

static uint64_t operate(struct sync_bench *b, unsigned operation, unsigned w, uint64_t first, uint64_t second)
{
    uint64_t old = b->word[w];
    b->word[w] = operation == FETCH_ADD                    ? old + first
                 : operation == WRITE || operation == SWAP ? first
                 : old == first                            ? second
                                                           : old;
    b->counts[2]++;
    return old;
}

static void reply(struct sync_bench *b, unsigned s, uint64_t value, unsigned operand, unsigned status)
{
    unsigned i = (b->reply_first[s] + b->reply_count[s]++) % 8;
    if (b->reply_count[s] > 4) sync_complain(b, "the bench asks too much for source %u", s);
    b->reply[s][i].value = value;
    b->reply[s][i].operand = operand;
    b->reply[s][i].status = status;
}

/* A good packet takes effect. */
static void apply(struct sync_bench *b, unsigned s, unsigned operation, unsigned object, unsigned operand,
                  unsigned words, const uint64_t *data)
{
    unsigned asked = operation >= FETCH_ADD && operation <= COMPARE_SWAP;
    unsigned is_counter = operation == ADD || operation == ARM,
             is_word = operation >= WRITE && operation <= COMPARE_SWAP;
    unsigned q = object & 15;
    if (operation == ENQUEUE) {
        enqueue(b, s, object, operand, words, data);
        return;
    }
    if (!is_counter && !is_word && operation != REOPEN && operation < REFUSED) {
        b->counts[13]++;
        return;
    }
    if ((asked || operation == REOPEN || operation == REFUSED) && s >= NODES) {
        b->counts[asked ? 15 : 10]++;
        return;
    }
    unsigned no_object = is_counter ? object > 63 : is_word ? object > 255 : operation == REPLY ? 0 : object > 15;
    unsigned bad_length = words != (operation == COMPARE_SWAP ? 2 : 1);
    if (no_object || bad_length) {
        b->counts[no_object ? 12 : 11]++;
        if (asked) reply(b, s, 0, operand, no_object ? OBJECT : LENGTH);
    } else if (is_counter) count(b, s, operation, object, data[0], 0);
    else if (is_word) {
        uint64_t old = operate(b, operation, object, data[0], words > 1 ? data[1] : 0);
        if (asked) reply(b, s, old, operand, 0);
    } else if (operation == REOPEN) {
        if ((b->pair[s][q].refused & 0x7fff) != operand) b->pair[s][q].again++; /* it is told again */
        else {
            b->pair[s][q].closed = 0;
            b->counts[3]++;
        }
    } else if (operation == REFUSED) {
        expect(b, REFUSALS + 128 * s + 8 * q, 1)->data[0] = data[0];
        b->counts[5]++;
    }
}

/* ---- the bus and the answers ---- */

static void write_over(struct sync_bench *b)
{
    struct sync_write *e = &b->expected[b->expected_first], *w = &b->over;
    b->writes++;
    if (!b->expected_count) {
        sync_complain(b, "%u words are written to %llx, expected none", w->words, (ull)w->address);
        return;
    }
    if (w->address != e->address || w->words != e->words)
        sync_complain(b, "%u words are written to %llx, expected %u to %llx", w->words, (ull)w->address, e->words,
                      (ull)e->address);
    for (unsigned i = 0; i < e->words && i < w->words; i++) {
        if (w->data[i] != e->data[i])
            sync_complain(b, "word %u of the write to %llx is %016llx, expected %016llx", i, (ull)w->address,
                          (ull)w->data[i], (ull)e->data[i]);
        if (w->address < RINGS || w->address + 8 * w->words > MEMORY_END)
            sync_complain(b, "a write to %llx", (ull)w->address);
        else b->memory[(w->address - RINGS) / 8 + i] = w->data[i];
    }
    b->expected_first = (b->expected_first + 1) % EXPECTED;
    b->expected_count--;
}

static void take_answer(struct sync_bench *b)
{
    sync_unit *m = b->m;
    unsigned s = *m->answer_node, operation = *m->answer_header >> 16 & 15, object = *m->answer_header >> 20;
    unsigned operand = *m->answer_header >> 1 & 0x7fff;
    uint64_t word = *m->answer_word;
    b->answers++;
    b->counts[4]++;
    if (!(*m->answer_header & 1) || s >= NODES) sync_complain(b, "answer %08x to %u", (unsigned)*m->answer_header, s);
    else if (operation == REFUSED) {
        unsigned refused = word >> 32 & 0xffff;
        if (object > 15 || operand || (word & 0x00ff0000ffff0000ull))
            sync_complain(b, "REFUSED %08x %016llx", (unsigned)*m->answer_header, (ull)word);
        else if (refused == b->pair[s][object].told_refused && !b->pair[s][object].again)
            sync_complain(b, "REFUSED to %u for queue %u tells nothing new: %u", s, object, refused);
        else {
            if (refused == b->pair[s][object].told_refused) b->pair[s][object].again--;
            b->pair[s][object].told_refused = refused;
            b->pair[s][object].told_taken = word & 0xffff;
            b->pair[s][object].told_reason = (unsigned)(word >> 56);
        }
    } else if (operation == REPLY) {
        unsigned i = b->reply_first[s] % 8;
        if (!b->reply_count[s]) sync_complain(b, "a REPLY to %u that asked nothing", s);
        else if (b->reply[s][i].value != word || b->reply[s][i].operand != operand || b->reply[s][i].status != object)
            sync_complain(b, "REPLY to %u: %016llx, operand %x, status %u, expected %016llx, %x, %u", s, (ull)word,
                          operand, object, (ull)b->reply[s][i].value, b->reply[s][i].operand, b->reply[s][i].status);
        b->reply_first[s] = (i + 1) % 8;
        b->reply_count[s]--;
    } else sync_complain(b, "answer %08x", (unsigned)*m->answer_header);
}

void sync_clocks(struct sync_bench *b, unsigned clocks)
{
    sync_unit *m = b->m;
    while (clocks--) {
        *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->answer_taken = *m->wr_status = 0;
        sim_model_eval(b->model);
        if (b->closing && --b->closing == 0) {
            *m->wr_done = 1;
            if (b->fail) {
                b->fail--;
                *m->wr_status = 1;
            }
            write_over(b);
        }
        if (b->wait) b->wait--;
        else if (b->bus == 0 && *m->wr_req && !b->stall) {
            *m->wr_ack = 1;
            b->now = (struct sync_write){.address = *m->wr_addr, .words = *m->wr_words};
            if (b->now.words > MOST_WORDS || !b->now.words) sync_complain(b, "a write of %u words", b->now.words);
            b->bus = 1;
            b->popped = 0;
            b->wait = (int)sync_below(b, b->slow + 1);
        } else if (b->bus == 1 && *m->wr_data_valid) {
            *m->wr_data_pop = 1;
            b->now.data[b->popped++] = *m->wr_data;
            if ((unsigned)b->popped == b->now.words) {
                b->bus = 2;
                b->wait = (int)sync_below(b, b->slow + 1);
            } else if (b->slow) b->wait = (int)sync_below(b, 3) / 2;
        } else if (b->bus == 2 && !b->closing) { /* the last data phase */
            b->over = b->now;
            b->closing = 3;
            b->bus = 0;
            if (*m->wr_req && !b->stall) { /* the next one at once, if it is asked for */
                *m->wr_ack = 1;
                b->now = (struct sync_write){.address = *m->wr_addr, .words = *m->wr_words};
                b->bus = 1;
                b->popped = 0;
                b->overlaps++;
            }
            b->wait = (int)sync_below(b, b->slow + 1);
        }
        *m->answer_held = 0;
        if (*m->answer_valid && !b->refuse && sync_below(b, 4) == 0) {
            *m->answer_held = *m->answer_taken = 1;
            take_answer(b);
        }
        sim_model_eval(b->model);
        b->interrupts += *m->irq_event;
        b->releases += *m->release_mask != 0;
        b->released |= *m->release_mask;
        run_clocks(b->s, b->clk, 1);
        b->clock++;
    }
    *m->wr_ack = *m->wr_data_pop = *m->wr_done = *m->answer_taken = *m->answer_held = 0;
    sim_model_eval(b->model);
}

static int open_answers(const struct sync_bench *b)
{
    for (unsigned s = 0; s < NODES; s++) {
        if (b->reply_count[s]) return 1;
        for (unsigned q = 0; q < QUEUES; q++)
            if (b->pair[s][q].told_refused != b->pair[s][q].refused) return 1;
    }
    return 0;
}

void sync_drain(struct sync_bench *b)
{
    if (!b->refuse) *b->m->answer_room = (1 << NODES) - 1;
    for (unsigned i = 0; i < 100000 && !*b->wrong; i++) {
        if (!b->expected_count && !*b->m->busy && !b->bus && !b->closing && (b->refuse || !open_answers(b))) break;
        sync_clocks(b, 1);
    }
    if (b->expected_count)
        sync_complain(b, "%u writes are missing, the first to %llx", b->expected_count,
                      (ull)b->expected[b->expected_first].address);
    if (!b->refuse && open_answers(b)) sync_complain(b, "answers are missing");
    for (unsigned s = 0; s < NODES && !b->refuse; s++)
        for (unsigned q = 0; q < QUEUES; q++)
            if (b->pair[s][q].refused && b->pair[s][q].told_reason != b->pair[s][q].reason && b->pair[s][q].closed)
                sync_complain(b, "source %u was told reason %u of queue %u, expected %u", s, b->pair[s][q].told_reason,
                              q, b->pair[s][q].reason);
    if (*b->m->busy && !b->refuse) sync_complain(b, "busy without end");
    sync_clocks(b, 8);
}

/* ---- the host ---- */

void sync_store(struct sync_bench *b, unsigned offset, uint64_t value, unsigned halves)
{
    *b->m->reg_wr_valid = 1;
    *b->m->reg_wr_addr = (uint16_t)(offset / 8);
    *b->m->reg_wr_data = value;
    *b->m->reg_wr_be = (uint8_t)((halves & 1 ? 15 : 0) | (halves & 2 ? 240 : 0));
    sync_clocks(b, 1);
    *b->m->reg_wr_valid = 0;
}

uint64_t sync_load(struct sync_bench *b, unsigned offset)
{
    sync_clocks(b, 2); /* a store before it has arrived */
    *b->m->reg_rd_addr = (uint16_t)(offset / 8);
    sync_clocks(b, 2);
    return *b->m->reg_rd_data;
}

void sync_make_queue(struct sync_bench *b, unsigned q, unsigned log2_slots, unsigned log2_size, unsigned sources)
{
    unsigned at = 32 * q;
    b->queue[q].base = RINGS + (uint64_t)RING * q;
    b->queue[q].log2_slots = log2_slots;
    b->queue[q].log2_size = log2_size;
    b->queue[q].sources = sources;
    b->queue[q].on = 1;
    b->queue[q].interrupt = q % 2;
    b->queue[q].head = b->queue[q].tail;
    sync_store(b, SYNC_QUEUE_BASE_LOW + at, b->queue[q].base, 3);
    sync_store(b, SYNC_QUEUE_HEAD + at, b->queue[q].head, 1);
    sync_store(b, SYNC_QUEUE_SETUP + at,
               (uint64_t)sources << 32 | SYNC_QUEUE_SETUP_ENABLE_MASK | (q % 2 ? SYNC_QUEUE_SETUP_INTERRUPT_MASK : 0) |
                   log2_slots << SYNC_QUEUE_SETUP_LOG2_SLOTS_SHIFT | log2_size,
               3);
}

void sync_read_queue(struct sync_bench *b, unsigned q, unsigned messages)
{
    b->queue[q].head = (b->queue[q].head + messages) & 8191;
    sync_store(b, SYNC_QUEUE_HEAD + 32 * q, b->queue[q].head, 1);
}

uint64_t sync_host(struct sync_bench *b, unsigned operation, unsigned object, uint64_t data, uint64_t second)
{
    sync_store(b, SYNC_HOST_DATA_LOW, data, 3);
    sync_store(b, SYNC_HOST_SECOND_LOW, second, 3);
    sync_store(b, SYNC_HOST_COMMAND, (uint64_t)object << 20 | (uint64_t)operation << 16, 1);
    sync_clocks(b, 2);
    for (unsigned i = 0; i < 10000 && sync_load(b, SYNC_HOST_COMMAND) & SYNC_HOST_COMMAND_BUSY_MASK; i++) continue;
    if (operation >= ADD && operation <= SET && object < 64) count(b, 127, operation, object, data, 0);
    if (operation >= WRITE && operation <= COMPARE_SWAP && object < 256) operate(b, operation, object, data, second);
    return sync_load(b, SYNC_HOST_RESULT_LOW);
}

/* ---- packets ---- */

static void wait_ready(struct sync_bench *b)
{
    for (unsigned i = 0; i < 20000 && !*b->m->op_ready; i++) sync_clocks(b, 1);
    if (!*b->m->op_ready) sync_complain(b, "no packet is taken any more");
}

void sync_loss(struct sync_bench *b, unsigned source)
{
    *b->m->loss_valid = 1;
    *b->m->loss_source = (uint8_t)source;
    sync_clocks(b, 1);
    *b->m->loss_valid = 0;
    if (source < NODES) b->slot_mark[source] = b->counter_mark[source] = 1;
}

void sync_packet(struct sync_bench *b, unsigned source, unsigned operation, unsigned object, unsigned operand,
                 unsigned words, const uint64_t *data, unsigned bad)
{
    sync_unit *m = b->m;
    wait_ready(b);
    *m->op_begin = 1;
    *m->op_header = (uint64_t)source << 56 | 1ull << 51 | (uint64_t)words << 32 | (uint64_t)object << 20 |
                    (uint64_t)operation << 16 | (uint64_t)operand << 1 | 1;
    sync_clocks(b, 1);
    *m->op_begin = 0;
    for (unsigned i = 0; i < words;) {
        if (b->gaps) sync_clocks(b, sync_below(b, b->gaps + 1));
        *m->op_valid = 1;
        *m->op_word = data[i];
        sim_model_eval(b->model);
        *m->op_end = i == words - 1 && *m->op_take;
        *m->op_drop = (uint8_t)bad;
        i += *m->op_take;
        sync_clocks(b, 1);
        *m->op_valid = *m->op_end = *m->op_drop = 0;
    }
    if (bad) sync_loss(b, source);
    else apply(b, source, operation, object, operand, words, data);
}

void sync_operation(struct sync_bench *b, unsigned source, unsigned operation, unsigned object, unsigned operand,
                    uint64_t first, uint64_t second)
{
    uint64_t data[2] = {first, second};
    sync_packet(b, source, operation, object, operand, operation == COMPARE_SWAP ? 2 : 1, data, 0);
}

void sync_message(struct sync_bench *b, unsigned source, unsigned q, unsigned words, unsigned bad)
{
    uint64_t data[1024];
    for (unsigned i = 0; i < words; i++) data[i] = sim_random(b->s);
    sync_packet(b, source, ENQUEUE, q, sync_below(b, 0x8000), words, data, bad);
}

void sync_group(struct sync_bench *b, unsigned source, unsigned group, unsigned words, unsigned damaged)
{
    wait_ready(b);
    *b->m->group_valid = 1;
    *b->m->group_header = (uint64_t)source << 56 | 1ull << 51 | (uint64_t)group << 42 | (uint64_t)words << 32;
    *b->m->group_damaged = (uint8_t)damaged;
    sync_clocks(b, 1);
    *b->m->group_valid = 0;
    if (damaged && source < NODES) b->slot_mark[source] = 1;
    count(b, source, ADD, group, -(uint32_t)words, damaged);
}

struct sync_bench *sync_bench_new(uint64_t seed)
{
    struct sync_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    b->model = make_clocked(b->s, b->clk, seed % 2 ? &sync_unit_pipelined_config : &sync_unit_config, "dut");
    b->m = MODEL_AS(sync_unit, b->model, NULL);
    *b->m->answer_room = (1 << NODES) - 1;
    *b->m->prepared = 0xffff;
    *b->m->enable = *b->m->bus_moves = 1;
    b->slow = 3;
    *b->m->rst = 1;
    run_clocks(b->s, b->clk, 3);
    *b->m->rst = 0;
    sync_clocks(b, 1030);
    if (!(sync_load(b, SYNC_BUILD) & SYNC_BUILD_READY_MASK)) sync_complain(b, "not ready in time");
    sync_store(b, SYNC_COUNTER_BASE_LOW, COUNTER_WORDS | 1, 3);
    sync_store(b, SYNC_ANSWER_BASE_LOW, ANSWERS | 1, 3);
    sync_store(b, SYNC_REFUSED_BASE_LOW, REFUSALS | 1, 3);
    return b;
}
