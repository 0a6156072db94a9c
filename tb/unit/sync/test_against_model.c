/* sync_unit against the model in C of tb/unit/sw/mock_sync.c, which was written from README.md and registers.map alone:
 * the same random operations go to both; whenever the unit has nothing to do, memory, answers, registers, releases and
 * interrupts must be the same.
 */
#include <stdlib.h>
#include <string.h>

#include "mock_nic.h"
#include "simulation.h"
#include "sync_register_map.h"
#include "sync_unit.h"
#include "test.h"

enum {
    PERIOD = 10000,
    SOURCES = 8,
    AREA = 0x100000, /* of all that is written: counters, answers, refusals, rings */
    AREA_BYTES = 0x200000,
    COUNTERS = AREA,
    ANSWERS = AREA + 0x400,
    REFUSALS = AREA + 0x800,
    RINGS = AREA + 0x10000, /* a ring every 0x20000 bytes, 8 of them */
    RING_STEP = 0x20000,
    QUEUES = 10, /* used by the test: 8 with a ring, one that is off, one that is illegal */
    SLOW = 20000 /* clocks until the unit must be idle again */
};

typedef struct packet {
    uint64_t header, payload[62];
    int drop;
} packet;

static struct bench {
    sim *s;
    sim_clock *clk;
    sync_unit *m;
    mock_net net;
    mock_nic *nic;
    uint8_t *memory; /* as the unit has written it */
    unsigned stall;  /* of 8: how seldom bus and answers move */

    packet sending;
    unsigned lost_source; /* 1 + a source that loses something; 0: none */
    unsigned sent_words;
    enum { NOTHING, BEGIN, WORDS, END } step;

    int writing;
    uint64_t write_at, write_from;
    unsigned write_left, ends;
    struct {
        uint64_t from, when;
    } end[8]; /* of writes, still to come */

    int held;
    unsigned failed;        /* writes of messages */
    unsigned owed[SOURCES]; /* replies */
    struct {
        uint64_t header, word;
    } reply[SOURCES][8];
    unsigned replies[SOURCES], checked[SOURCES];
    uint64_t reported[SOURCES][16]; /* the last REFUSED */
    uint16_t due[SOURCES][8][16];   /* refused messages when a request was executed, by request modulo 8 */
    unsigned asked[SOURCES], released[8], interrupts, expected_interrupt, answers;
    uint64_t expected[SOURCES][8];
    unsigned expected_header[SOURCES][8];
} b;

static unsigned below(unsigned n) { return (unsigned)sim_random_below(b.s, n); }

static int moves(void) { return below(8) >= b.stall; }

/* ---- before the edge: what the unit shows ---- */

static void take_answer(void)
{
    const unsigned node = *b.m->answer_node, operation = *b.m->answer_header >> 16 & 15;
    const unsigned object = *b.m->answer_header >> 20;
    b.answers++;
    ck_must(node < SOURCES, "an answer to node %u", node);
    if (operation == 14) {
        b.reported[node][object % 16] = *b.m->answer_word;
        return;
    }
    ck_must(operation == 15 && b.replies[node] < b.checked[node] + 8, "operation %u as an answer", operation);
    for (unsigned q = 0; q < 16; q++) {
        const uint16_t due = b.due[node][b.replies[node] % 8][q];
        ck_must((int16_t)((uint16_t)(b.reported[node][q] >> 32) - due) >= 0,
                "node %u: a REPLY leaves before the REFUSED of queue %u that was due, %u", node, q, due);
    }
    b.reply[node][b.replies[node] % 8].header = *b.m->answer_header;
    b.reply[node][b.replies[node]++ % 8].word = *b.m->answer_word;
    b.owed[node]--;
}

static void before_edge(void *self)
{
    (void)self;
    if (*b.m->answer_taken) take_answer();
    for (unsigned q = 0; q < 8; q++) b.released[q] += *b.m->release_mask >> q & 1;
    b.interrupts += *b.m->irq_event;
    if (*b.m->wr_data_pop) {
        ck_must(*b.m->wr_data_valid, "a word was popped that is not there");
        for (unsigned i = 0; i < 8; i++) b.memory[b.write_at + i] = (uint8_t)(*b.m->wr_data >> 8 * i);
        b.write_at += 8;
        b.write_left--;
    }
    if (*b.m->op_valid && *b.m->op_take) b.sent_words++;
}

/* ---- behind the edge: what it is given ---- */

/* Now and then the write of a message fails: its slot says so. */
static int fails(uint64_t from)
{
    const uint64_t first = from - 8;
    if (from < RINGS || from % 64 != 8 || below(5)) return 0;
    mock_set64(b.nic, first, mock_get64(b.nic, first) | (uint64_t)1 << 55);
    b.failed++;
    return 1;
}

/* Four clocks behind its last word a write is done; the next one may be under way by then. */
static void end_writes(void)
{
    *b.m->wr_done = b.ends && b.end[0].when == sim_clock_cycles(b.clk);
    if (!*b.m->wr_done) return;
    *b.m->wr_status = (uint8_t)fails(b.end[0].from);
    memmove(&b.end[0], &b.end[1], --b.ends * sizeof b.end[0]);
}

static void drive_bus(void)
{
    *b.m->wr_ack = *b.m->wr_data_pop = 0;
    end_writes();
    if (!b.writing && *b.m->wr_req && moves()) {
        b.write_at = b.write_from = *b.m->wr_addr;
        b.write_left = *b.m->wr_words;
        ck_must(b.write_at % 8 == 0 && b.write_left && b.write_at >= AREA &&
                    b.write_at + 8 * b.write_left <= AREA + AREA_BYTES,
                "%u words are written at %llx", b.write_left, (unsigned long long)b.write_at);
        *b.m->wr_ack = 1;
        b.writing = 1;
    } else if (b.writing && b.write_left) {
        *b.m->wr_data_pop = *b.m->wr_data_valid && moves();
    } else if (b.writing) {
        b.writing = 0;
        b.end[b.ends].from = b.write_from;
        b.end[b.ends++].when = sim_clock_cycles(b.clk) + 3;
    }
}

static void drive_answers(void)
{
    const int taken = *b.m->answer_taken;
    *b.m->answer_taken = 0;
    *b.m->answer_room = (uint8_t)(moves() ? 0xff : 0);
    if (b.held && *b.m->answer_valid && !taken) {
        *b.m->answer_room = 0xff;
        *b.m->answer_taken = 1;
        b.held = 0;
    } else if (!taken) {
        b.held = *b.m->answer_valid && moves();
        if (b.held) *b.m->answer_room = 0xff;
    }
    *b.m->answer_held = (uint8_t)(b.held || *b.m->answer_taken);
}

static void drive_operation(void)
{
    const unsigned words = (unsigned)(b.sending.header >> 32 & 0x3ff);
    *b.m->op_begin = *b.m->op_valid = *b.m->op_end = *b.m->op_drop = *b.m->loss_valid = 0;
    if (b.lost_source) {
        *b.m->loss_valid = 1;
        *b.m->loss_source = (uint8_t)(b.lost_source - 1);
        b.lost_source = 0;
    } else if (b.step == BEGIN && *b.m->op_ready) {
        *b.m->op_begin = 1;
        *b.m->op_header = b.sending.header;
        b.sent_words = 0;
        b.step = WORDS;
    } else if (b.step == WORDS && b.sent_words < words) {
        *b.m->op_valid = 1;
        *b.m->op_word = b.sending.payload[b.sent_words];
    } else if (b.step == WORDS) {
        *b.m->op_end = 1;
        *b.m->op_drop = *b.m->loss_valid = (uint8_t)b.sending.drop;
        *b.m->loss_source = b.sending.header >> 56 & 127;
        b.step = NOTHING;
    }
}

static void after_edge(void *self)
{
    (void)self;
    drive_bus();
    drive_answers();
    drive_operation();
}

/* ---- the bench ---- */

static void clocks(unsigned n) { run_clocks(b.s, b.clk, n); }

static void settle(void)
{
    const unsigned stall = b.stall;
    unsigned quiet = 0, n = 0;
    b.stall = 0;
    for (; quiet < 12; n++) {
        clocks(1);
        quiet = b.step == NOTHING && *b.m->idle && !*b.m->busy && !b.writing && !b.ends && !*b.m->answer_valid
                    ? quiet + 1
                    : 0;
        ck_must(n < SLOW, "not idle after %u clocks: step %d writing %d idle %d busy %d answer %d", n, (int)b.step,
                b.writing, *b.m->idle, *b.m->busy, *b.m->answer_valid);
    }
    b.stall = stall;
}

/* 64 bits, or one half of them. */
static void put(unsigned offset, uint64_t value, unsigned be)
{
    *b.m->reg_wr_valid = 1;
    *b.m->reg_wr_addr = (uint16_t)(offset / 8);
    *b.m->reg_wr_data = value;
    *b.m->reg_wr_be = (uint8_t)be;
    clocks(1);
    *b.m->reg_wr_valid = 0;
    clocks(2);
    if (be & 0x0f) mock_sync_write(b.nic, offset, (uint32_t)value);
    if (be & 0xf0) mock_sync_write(b.nic, offset + 4, (uint32_t)(value >> 32));
}

static void put32(unsigned offset, uint32_t value)
{
    put(offset & ~7u, (uint64_t)value << (offset & 4) * 8, offset & 4 ? 0xf0 : 0x0f);
}

static uint64_t get(unsigned offset)
{
    *b.m->reg_rd_addr = (uint16_t)(offset / 8);
    clocks(3);
    return *b.m->reg_rd_data;
}

static void new_bench(unsigned stall)
{
    memset(&b, 0, sizeof b);
    b.s = loud_sim(1000 * stall);
    b.stall = stall;
    b.clk = make_clock(b.s, "clk", PERIOD, 0);
    sim_model *model = make_clocked(b.s, b.clk, &sync_unit_config, "unit");
    b.m = MODEL_AS(sync_unit, model, NULL);
    b.memory = test_memory(MOCK_MEMORY);
    mock_net_init(&b.net, 1, sim_seed(b.s));
    b.nic = &b.net.node[0];
    b.nic->sync.built = 1;
    mock_allow(b.nic, AREA, AREA_BYTES);
    for (unsigned at = AREA; at < AREA + AREA_BYTES; at += 8) mock_set64(b.nic, at, 0);
    sim_clock_attach(b.clk, before_edge, after_edge, NULL);
    *b.m->rst = 1;
    clocks(4);
    *b.m->rst = 0;
    *b.m->enable = *b.m->bus_moves = 1;
    *b.m->prepared = 0xffff;
    clocks(1100);
    put(SYNC_COUNTER_BASE_LOW, COUNTERS | 1, 0xff);
    put(SYNC_ANSWER_BASE_LOW, ANSWERS | 1, 0xff);
    put(SYNC_REFUSED_BASE_LOW, REFUSALS | 1, 0xff);
    b.interrupts = 0; /* of before the reset */
}

static void open_queue(unsigned q)
{
    const unsigned log2_slots = 1 + below(6), log2_size = q % 4;
    put(SYNC_QUEUE_BASE_LOW + 32 * q, RINGS + RING_STEP * (q % 8) + (q == 9 ? 64 : 0), 0xff);
    put32(SYNC_QUEUE_SOURCES + 32 * q, q == 3 ? 0x5f : 0xff);
    put32(SYNC_QUEUE_SETUP + 32 * q, (q == 8 ? 0 : SYNC_QUEUE_SETUP_ENABLE_MASK) | log2_slots << 4 | log2_size |
                                         (q % 3 ? 0 : SYNC_QUEUE_SETUP_INTERRUPT_MASK));
}

/* ---- the same ---- */

static void same(const char *what, unsigned i, uint64_t unit, uint64_t model)
{
    ck_assert_msg(unit == model, "%s %u: the unit has 0x%llx, the model 0x%llx", what, i, (unsigned long long)unit,
                  (unsigned long long)model);
}

static void same_memory(void)
{
    if (!memcmp(b.memory + AREA, b.nic->memory + AREA, AREA_BYTES)) return;
    for (unsigned at = AREA; at < AREA + AREA_BYTES; at += 8) {
        uint64_t unit;
        memcpy(&unit, b.memory + at, 8);
        same("word of memory at", at, unit, mock_get64(b.nic, at));
    }
}

static void same_answers(void)
{
    for (unsigned n = 0; n < SOURCES; n++) {
        same("replies to node", n, b.replies[n], b.asked[n]);
        for (; b.checked[n] < b.replies[n]; b.checked[n]++) {
            const unsigned i = b.checked[n] % 8;
            same("header of a reply to node", n, b.reply[n][i].header, b.expected_header[n][i]);
            same("old value for node", n, b.reply[n][i].word, b.expected[n][i]);
        }
        for (unsigned q = 0; q < 16; q++) {
            const unsigned refused = b.nic->sync.ring[q].of[n].refused & 0xffff;
            if (refused) same("refused by queue", q, b.reported[n][q] >> 32 & 0xffff, refused);
        }
    }
}

static void same_registers(void)
{
    static const unsigned counts[] = {SYNC_MESSAGES,     SYNC_COUNTED,        SYNC_WORD_OPERATIONS,
                                      SYNC_REOPENED,     SYNC_COUNTERS_ACTED, SYNC_REFUSED_FULL,
                                      SYNC_REFUSED_OFF,  SYNC_REFUSED_SOURCE, SYNC_BAD_LENGTH,
                                      SYNC_BAD_OBJECT,   SYNC_BAD_OPERATION,  SYNC_UNEXPECTED_ANSWERS,
                                      SYNC_ANSWERS_LOST, SYNC_STATUS,         SYNC_ANSWERS_WRITTEN};
    for (int i = 0; i < COUNT(counts); i++)
        same("register at", counts[i], (uint32_t)(get(counts[i] & ~7u) >> (counts[i] & 4) * 8),
             mock_sync_read(b.nic, counts[i]));
    for (unsigned q = 0; q < QUEUES; q++)
        same("tail of queue", q, get(SYNC_QUEUE_HEAD + 32 * q) >> 32, b.nic->sync.ring[q].tail);
    for (unsigned c = 0; c < MOCK_COUNTERS; c++) {
        same("counter", c, (uint32_t)get(SYNC_COUNTER_VALUE + 8 * c), (uint32_t)b.nic->sync.counter[c].value);
        same("state of counter", c, get(SYNC_COUNTER_VALUE + 8 * c) >> 32, b.nic->sync.counter[c].state);
    }
    for (unsigned i = 0; i < SOURCES * 16; i++) {
        const unsigned offset = SYNC_SOURCE_MESSAGES + 8 * i;
        same("messages of source and queue", i, (uint32_t)get(offset), mock_sync_read(b.nic, offset));
        if (mock_sync_read(b.nic, offset + 4) >> 31)
            same("closed source and queue", i, get(offset) >> 32, mock_sync_read(b.nic, offset + 4));
    }
    for (unsigned w = 0; w < MOCK_WORDS; w += 1 + below(40))
        same("word", w, get(SYNC_WORD + 8 * w), b.nic->sync.word[w]);
}

static void compare(void)
{
    settle();
    same_memory();
    same_answers();
    same_registers();
    for (unsigned q = 0; q < 8; q++) {
        same("releases of queue", q, b.released[q], b.nic->sync.releases[q]);
        b.released[q] = b.nic->sync.releases[q] = 0;
    }
    same("an interrupt", 0, b.interrupts != 0, (uint64_t)(b.nic->irq_flag || b.expected_interrupt));
    b.interrupts = b.expected_interrupt = 0;
    b.nic->irq_flag = 0;
}

/* ---- random operations ---- */

static uint64_t random64(void) { return sim_random(b.s); }

static unsigned words_for(unsigned operation)
{
    if (operation == 0) return 1 + below(below(4) ? 8 : 62);
    if (!below(12)) return 1 + below(4); /* mostly wrong */
    return operation == 7 ? 2 : 1;
}

static unsigned object_for(unsigned operation)
{
    if (operation == 0 || operation == 8) return below(30) ? below(QUEUES) : below(4096);
    if (operation < 4) return below(30) ? below(6) : below(4096);
    return below(30) ? below(8) : below(4096);
}

/* Mostly small numbers, so that counters meet 0. */
static uint64_t data_for(unsigned operation)
{
    if (operation == 1) return (uint32_t)(below(8) ? (int)below(5) - 2 : (int)random64());
    if (operation == 2) return (uint64_t)(below(4) << 30 | below(256)) << 32 | (uint32_t)((int)below(5) - 2);
    return below(2) ? below(4) : random64();
}

static void make_packet(packet *p, unsigned source)
{
    static const uint8_t likely[] = {0, 0, 0, 0, 1, 1, 2, 4, 5, 5, 6, 7, 7, 8, 8};
    const unsigned operation = below(40) ? likely[below(COUNT(likely))] : below(16);
    unsigned words = words_for(operation), operand = below(32768);
    const unsigned object = object_for(operation);
    if (operation == 8 && object < 16 && below(4)) operand = b.nic->sync.ring[object].of[source].refused & 0x7fff;
    if (operation >= 14) words = 1;
    for (unsigned i = 0; i < words; i++) p->payload[i] = data_for(operation);
    p->header = (uint64_t)source << 56 | (uint64_t)!below(20) << 52 | (uint64_t)1 << 51 | (uint64_t)words << 32 |
                (uint64_t)(object << 20 | operation << 16 | operand << 1 | 1);
    p->drop = !below(15);
}

/* What the model makes of it. */
static void model_packet(const packet *p, unsigned source)
{
    const unsigned operation = (unsigned)(p->header >> 16 & 15), before = b.nic->sync.replies;
    if (p->drop) {
        mock_sync_loss(b.nic, source);
        return;
    }
    b.expected_interrupt |= (unsigned)(p->header >> 52 & 1);
    mock_sync_operation(b.nic, source, p->header, p->payload);
    if (operation < 5 || operation > 7) return;
    ck_assert_uint_eq(b.nic->sync.replies, before + 1);
    const unsigned i = b.asked[source]++ % 8;
    for (unsigned q = 0; q < 16; q++) b.due[source][i][q] = (uint16_t)b.nic->sync.ring[q].of[source].refused;
    b.expected[source][i] = b.nic->sync.reply[0].value;
    b.expected_header[source][i] =
        b.nic->sync.reply[0].status << 20 | 15u << 16 | b.nic->sync.reply[0].operand << 1 | 1;
    b.nic->sync.waiting[source]--;
    b.nic->sync.replies = 0;
}

static void one_packet(void)
{
    const unsigned source = below(SOURCES);
    packet p;
    make_packet(&p, source);
    const unsigned operation = (unsigned)(p.header >> 16 & 15);
    if (operation >= 5 && operation <= 7 && !p.drop) {
        if (b.owed[source] == 4) return; /* the sender's hardware holds it back */
        b.owed[source]++;
    }
    model_packet(&p, source);
    b.sending = p;
    b.step = BEGIN;
    for (unsigned n = 0; b.step != NOTHING; n++) {
        clocks(1);
        ck_must(n < SLOW, "an operation does not begin for %u clocks", n);
    }
    if (!below(3)) clocks(below(30));
}

/* While the unit has nothing to do: what the host and the other parts of the NIC do. */
static void something_else(void)
{
    const unsigned q = below(8), source = below(SOURCES);
    switch (below(6)) {
    case 0:
        put32(SYNC_QUEUE_HEAD + 32 * q, b.nic->sync.ring[q].tail);
        break;
    case 1:
        b.lost_source = source + 1;
        clocks(2);
        mock_sync_loss(b.nic, source);
        break;
    case 2:
        put(SYNC_WORD + 8 * below(8), random64(), 0xff);
        break;
    case 3:
        put(SYNC_HOST_DATA_LOW, data_for(2), 0xff);
        put(SYNC_HOST_SECOND_LOW, random64(), 0xff);
        put32(SYNC_HOST_COMMAND, (below(10) ? below(6) : below(4096)) << 20 | (1 + below(7)) << 16);
        clocks(60);
        if (mock_sync_read(b.nic, SYNC_HOST_COMMAND) & 7) break;
        if ((mock_sync_read(b.nic, SYNC_HOST_COMMAND) >> 16 & 15) < 5) break; /* no result */
        same("result of the host", 0, get(SYNC_HOST_RESULT_LOW),
             (uint64_t)mock_sync_read(b.nic, SYNC_HOST_RESULT_HIGH) << 32 |
                 mock_sync_read(b.nic, SYNC_HOST_RESULT_LOW));
        break;
    case 4:
        put32(SYNC_STATUS, 0xffffffff);
        break;
    default:
        if (b.nic->sync.unanswered[q] == 4) break;
        *b.m->ask_queue = (uint8_t)q;
        *b.m->ask_operand = (uint16_t)below(32768);
        if (b.nic->sync.asked[*b.m->ask_operand % 64].open) break; /* software uses a slot once */
        *b.m->ask_valid = 1;
        mock_sync_ask(b.nic, q, (uint64_t)5 << 16 | (uint64_t)*b.m->ask_operand << 1 | 1);
        clocks(1);
        *b.m->ask_valid = 0;
        clocks(80);
    }
    clocks(10);
}

TEST_CASE("against_model", .timeout = 300);

TEST(random_operations_have_the_effects_of_the_model, .to = long_runs(24, 400))
{
    new_bench((unsigned)_i % 4 * 2);
    for (int i = 0; i < _i; i++) sim_random(b.s); /* another course */
    for (unsigned q = 0; q < QUEUES; q++) open_queue(q);
    compare();
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned k = below(20); k; k--) one_packet();
        compare();
        for (unsigned k = below(6); k; k--) something_else();
        compare();
    }
    ck_assert_uint_gt(b.nic->sync.reg[SYNC_MESSAGES / 4], 5);
    ck_assert_uint_gt(b.answers, 5);
    ck_assert_uint_gt(b.failed, 0);
}
