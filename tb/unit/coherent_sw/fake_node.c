#include "fake_node.h"

#include <stdlib.h>
#include <string.h>

#include "coherent_register_map.h"
#include "simulation.h"
#include "sync_register_map.h"
#include "test.h"

enum {
    NODES = 8,
    MEMORY = 0x200000,
    WORDS = 64,  /* of a packet */
    PIPE = 1024, /* packets on a link */
    TURN = 10000 /* [ps] */
};

typedef struct packet {
    unsigned source, length;
    uint32_t low; /* header [31:0] */
    uint64_t word[WORDS];
    uint64_t due;
    int damaged, lost;
} packet;

typedef struct send_queue {
    unsigned mode;
    uint32_t consumed, doorbell;
    uint64_t look;      /* turn in which the next slot's first line is read; 0: none */
    int busy, released; /* releases that nothing has used yet */
    uint64_t buffer[WORDS];
} send_queue;

typedef struct posted {
    uint32_t address, value;
} posted;

typedef struct node {
    fake_net *net;
    unsigned id;
    uint32_t memory[MEMORY / 4];
    uint32_t reg[0x2000 / 4];
    uint32_t receive[1024];
    uint64_t word[256];
    send_queue send[2];
    packet pipe[PIPE];
    unsigned pipe_first, pipe_count, arrived; /* lines of the first one that are in memory */
    int32_t counter[64];
    uint32_t state[64]; /* COUNTER_STATE */
    struct {
        uint16_t taken, refused;
        int closed;
        unsigned reason;
    } source[NODES][16];
    posted buffer[2][8];
    unsigned buffered[2];
} node;

struct fake_net {
    unsigned nodes, operations, refused;
    int is_over;
    fake_faults faults;
    uint64_t random, now;
    node *node;
    sim *sim;
    sim_clock *turn;
    nc_cpu cpu[NODES][2];
    struct nc_platform platform[NODES][2];
    struct self {
        node *n;
        unsigned p;
    } self[NODES][2];
    int result[NODES][2];
};

static unsigned dice(fake_net *net, unsigned below)
{
    net->random = net->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(net->random >> 33) % below;
}

static uint32_t *reg(node *n, uint32_t offset) { return &n->reg[offset / 4]; }
static uint32_t field(uint32_t value, uint32_t mask) { return (value & mask) / (mask & -mask); }

/* ---- memory as the network interface writes it */

static uint64_t get64(const node *n, uint32_t at)
{
    ck_assert_msg(at % 8 == 0 && at < MEMORY, "a read of the network interface at %x", at);
    return (uint64_t)n->memory[at / 4] << 32 | n->memory[at / 4 + 1];
}

static unsigned mode_at(const node *n, uint32_t at)
{
    static const uint32_t windows[2][2] = {{CNI_WINDOW0_BASE, CNI_WINDOW0_LAST}, {CNI_WINDOW1_BASE, CNI_WINDOW1_LAST}};
    for (unsigned w = 0; w < 2; w++) {
        uint32_t base = n->reg[windows[w][0] / 4], last = n->reg[windows[w][1] / 4];
        if (base & CNI_WINDOW0_BASE_ENABLE_MASK && at >= (base & CNI_WINDOW0_BASE_LINE_MASK) &&
            at < (last & CNI_WINDOW0_LAST_LINE_MASK) + 32)
            return base & 3;
    }
    return n->reg[CNI_OTHER_MODE / 4] & 3;
}

static void set64_mode(node *n, uint32_t at, uint64_t value, unsigned mode)
{
    ck_assert_msg(at % 8 == 0 && at < MEMORY, "a write of the network interface at %x", at);
    uint32_t *to = mode == 3 ? &n->receive[at / 4 % 1024] : &n->memory[at / 4];
    to[0] = (uint32_t)(value >> 32);
    to[1] = (uint32_t)value;
}

static void set64(node *n, uint32_t at, uint64_t value) { set64_mode(n, at, value, mode_at(n, at)); }

/* ---- links */

static void leave(node *n, unsigned to, const packet *p)
{
    fake_net *net = n->net;
    ck_assert_msg(to < net->nodes, "a packet to node %u of %u", to, net->nodes);
    node *d = &net->node[to];
    ck_assert_uint_lt(d->pipe_count, PIPE);
    packet *q = &d->pipe[(d->pipe_first + d->pipe_count) % PIPE];
    uint64_t before = d->pipe_count ? d->pipe[(d->pipe_first + d->pipe_count - 1) % PIPE].due : 0;
    *q = *p;
    q->source = n->id;
    q->due = net->now + 4 + dice(net, 24);
    if (q->due < before) q->due = before;
    d->pipe_count++;
    if (!(p->low & 1) || (p->low >> 16 & 15) >= 14) return;
    net->operations++;
    q->damaged = net->operations == net->faults.damaged;
    q->lost = net->operations == net->faults.lost;
    if (net->operations == net->faults.corrupt) q->word[0] ^= 0x100;
}

static unsigned destination(const node *n, uint64_t word0)
{
    unsigned flow = word0 >> 52 & 0x7f;
    if (!(n->reg[CNI_CONTROL / 4] & CNI_CONTROL_DIRECT_MASK)) return flow;
    ck_assert_msg(flow == 0, "flow %u in DIRECT mode", flow);
    return n->id ^ 1;
}

static void answer(node *n, unsigned to, unsigned object, unsigned operation, unsigned operand, uint64_t word)
{
    packet p = {.length = 1, .low = object << 20 | operation << 16 | operand << 1 | 1, .word = {word}};
    leave(n, to, &p);
}

/* ---- send queues */

static uint32_t *send_reg(node *n, unsigned q, uint32_t offset)
{
    return reg(n, offset + q * (CNI_SEND1_CONTROL - CNI_SEND0_CONTROL));
}

static uint32_t slot_at(node *n, unsigned q)
{
    uint32_t control = *send_reg(n, q, CNI_SEND0_CONTROL);
    unsigned log2_slots = field(control, CNI_SEND0_CONTROL_LOG2_SLOTS_MASK);
    return *send_reg(n, q, CNI_SEND0_BASE) +
           ((n->send[q].consumed & ((1u << log2_slots) - 1)) << field(control, CNI_SEND0_CONTROL_LOG2_SLOT_MASK));
}

/* A slot of whole `slot` bytes has been read. 0: it is held. */
static int take_slot(node *n, unsigned q, const uint64_t *word, unsigned slot)
{
    send_queue *s = &n->send[q];
    uint32_t control = *send_reg(n, q, CNI_SEND0_CONTROL);
    unsigned log2_slots = field(control, CNI_SEND0_CONTROL_LOG2_SLOTS_MASK), length = word[0] >> 32 & 0x3ff;
    int in_slot = word[0] >> 51 & 1, operation = word[0] >> 63;
    if (word[0] >> 50 & 1 && s->mode != 3) {
        if (!s->released) return 0;
        s->released--;
    }
    ck_assert_msg(!(word[0] >> 42 & 0xff) && length >= 1 && length <= 512 && operation == (int)(word[0] & 1) &&
                      (!operation || length <= 62) && (!in_slot || length <= slot / 8 - 1) &&
                      !(operation && word[0] >> 62 & 1) && (in_slot || s->mode != 3),
                  "node %u: send queue %u, slot %u: illegal descriptor %016llx", n->id, q, s->consumed,
                  (unsigned long long)word[0]);
    for (unsigned at = 0; at < length; at += 62) {
        packet p = {.length = length - at < 62 ? length - at : 62, .low = (uint32_t)word[0] + (operation ? 0 : 8 * at)};
        for (unsigned i = 0; i < p.length; i++)
            p.word[i] = in_slot ? word[1 + at + i] : get64(n, (uint32_t)word[1] + 8 * (at + i));
        leave(n, destination(n, word[0]), &p);
    }
    s->consumed++;
    uint32_t report = *send_reg(n, q, CNI_SEND0_REPORT);
    if (report & 1 && s->mode != 3 && s->consumed % (1u << log2_slots) % ((1u << log2_slots) / 4) == 0)
        set64(n, report & ~7u, s->consumed & 0xffff);
    return 1;
}

static void send_step(node *n, unsigned q)
{
    send_queue *s = &n->send[q];
    uint64_t word[WORDS];
    uint32_t control = *send_reg(n, q, CNI_SEND0_CONTROL);
    unsigned slot = 1u << field(control, CNI_SEND0_CONTROL_LOG2_SLOT_MASK), at;
    int phase = !(s->consumed >> field(control, CNI_SEND0_CONTROL_LOG2_SLOTS_MASK) & 1);
    if (!s->mode || dice(n->net, 2)) return;
    if (s->mode == 3) {
        if (s->busy && take_slot(n, q, s->buffer, 512)) s->busy = 0;
        return;
    }
    at = slot_at(n, q);
    if (s->mode == 1 ? !s->look || s->look > n->net->now || (int)(get64(n, at) >> 59 & 1) != phase
                     : s->consumed == s->doorbell) {
        if (s->mode == 1 && s->look && s->look <= n->net->now) s->look = 0;
        return;
    }
    for (unsigned i = 0; i < slot / 8; i++) word[i] = get64(n, at + 8 * i);
    if (take_slot(n, q, word, slot)) s->look = n->net->now + 1;
}

/* ---- objects of part A */

static void set_low(uint32_t *word, uint32_t mask, uint32_t value) { *word = (*word & ~mask) | (value & mask); }

static uint64_t execute(node *n, unsigned source, unsigned operation, unsigned object, const uint64_t *word)
{
    if (operation >= 4) {
        ck_assert_uint_lt(object, 256);
        uint64_t old = n->word[object];
        if (operation == 5) n->word[object] += word[0];
        else if (operation != 7) n->word[object] = word[0];
        else if (old == word[0]) n->word[object] = word[1];
        return old;
    }
    ck_assert_uint_lt(object, 64);
    uint32_t *state = &n->state[object];
    if (operation == 3) {
        n->counter[object] = (int32_t)word[0];
        *state &= ~SYNC_COUNTER_STATE_ARMED_MASK;
        return 0;
    }
    n->counter[object] = (int32_t)((uint32_t)n->counter[object] + (uint32_t)word[0]);
    if (operation == 2) set_low(state, 0xc000ffff, (uint32_t)(word[0] >> 32)), *state |= SYNC_COUNTER_STATE_ARMED_MASK;
    if (n->counter[object] || !(*state & SYNC_COUNTER_STATE_ARMED_MASK)) return 0;
    unsigned times = (field(*state, SYNC_COUNTER_STATE_TIMES_MASK) + 1) & 0xff;
    *state &= ~SYNC_COUNTER_STATE_ARMED_MASK;
    set_low(state, SYNC_COUNTER_STATE_TIMES_MASK, times << SYNC_COUNTER_STATE_TIMES_SHIFT);
    if (*state & SYNC_COUNTER_STATE_WRITE_MASK && *reg(n, SYNC_COUNTER_BASE_LOW) & 1)
        set64(n, (*reg(n, SYNC_COUNTER_BASE_LOW) & ~511u) + 8 * object,
              (uint64_t)(times & 1) << 63 | (uint64_t)source << 56 | (uint64_t)object << 48 | times);
    for (unsigned q = 0; q < 2; q++)
        if (*state >> q & 1 && !n->net->faults.no_release) n->send[q].released++;
    return 0;
}

static uint32_t *queue_reg(node *n, unsigned q, uint32_t offset) { return reg(n, offset + 32 * q); }

/* The reason for which a message is refused, or 0. */
static unsigned refusal(node *n, const packet *p, unsigned q)
{
    uint32_t setup = *queue_reg(n, q, SYNC_QUEUE_SETUP);
    uint32_t in = (*queue_reg(n, q, SYNC_QUEUE_TAIL) - *queue_reg(n, q, SYNC_QUEUE_HEAD)) & 0x1fff;
    if (n->source[p->source][q].closed) return n->source[p->source][q].reason;
    if (!(setup & SYNC_QUEUE_SETUP_ENABLE_MASK)) return 2;
    if (!(*queue_reg(n, q, SYNC_QUEUE_SOURCES) >> p->source & 1)) return 3;
    if (8 * (p->length + 1) > 64u << (setup & 3)) return 4;
    return in >> field(setup, SYNC_QUEUE_SETUP_LOG2_SLOTS_MASK) ? 1 : 0;
}

static void tell_refused(node *n, unsigned source, unsigned q)
{
    answer(n, source, q, 14, 0,
           (uint64_t)n->source[source][q].reason << 56 | (uint64_t)n->source[source][q].refused << 32 |
               n->source[source][q].taken);
}

/* One line of the message; 1: all of it is there. */
static int enqueue(node *n, const packet *p)
{
    unsigned q = p->low >> 20, reason;
    ck_assert_uint_lt(q, 16);
    uint32_t setup = *queue_reg(n, q, SYNC_QUEUE_SETUP), *tail = queue_reg(n, q, SYNC_QUEUE_TAIL);
    if (!n->arrived && (reason = refusal(n, p, q))) {
        n->net->refused++;
        n->source[p->source][q].closed = 1;
        n->source[p->source][q].reason = reason;
        n->source[p->source][q].refused++;
        tell_refused(n, p->source, q);
        return 1;
    }
    unsigned log2_slots = field(setup, SYNC_QUEUE_SETUP_LOG2_SLOTS_MASK), lines = (p->length + 1 + 3) / 4;
    uint32_t slot = *queue_reg(n, q, SYNC_QUEUE_BASE_LOW) +
                    ((*tail & ((1u << log2_slots) - 1)) * (64u << field(setup, SYNC_QUEUE_SETUP_LOG2_SIZE_MASK)));
    uint32_t modes = *reg(n, q < 8 ? CNI_QUEUE_MODES_LOW : CNI_QUEUE_MODES_HIGH) >> q % 8 * 4 & 15;
    unsigned mode = modes & 8 ? modes & 3 : mode_at(n, slot);
    uint64_t first = (uint64_t) !(*tail >> log2_slots & 1) << 63 | (uint64_t)p->source << 56 |
                     (uint64_t)p->damaged << 55 | (uint64_t)p->length << 32 | (uint64_t)*tail << 16 |
                     (p->low >> 1 & 0x7fff);
    unsigned line = n->net->faults.phase_first ? n->arrived : (n->arrived + 1) % lines;
    for (unsigned w = 4 * line; w < 4 * line + 4 && w <= p->length; w++)
        set64_mode(n, slot + 8 * w, w ? p->word[w - 1] : first, mode);
    if (++n->arrived < lines) return 0;
    *tail = (*tail + 1) & 0x1fff;
    n->source[p->source][q].taken++;
    return 1;
}

static int operate(node *n, const packet *p)
{
    unsigned operation = p->low >> 16 & 15, object = p->low >> 20, operand = p->low >> 1 & 0x7fff;
    if (operation == 0) return enqueue(n, p);
    if (operation == 8) {
        if ((n->source[p->source][object].refused & 0x7fff) == operand) n->source[p->source][object].closed = 0;
        else tell_refused(n, p->source, object);
    } else if (operation == 14) {
        if (*reg(n, SYNC_REFUSED_BASE_LOW) & 1)
            set64(n, (*reg(n, SYNC_REFUSED_BASE_LOW) & ~2047u) + 128 * p->source + 8 * object, p->word[0]);
    } else if (operation == 15) {
        uint32_t at = (*reg(n, SYNC_ANSWER_BASE_LOW) & ~1023u) + 16 * (operand & 63);
        if (!n->arrived++) return set64(n, at, p->word[0]), 0;
        set64(n, at + 8, (uint64_t)(operand >> 6 & 1) << 63 | (uint64_t)p->source << 56 | object << 16 | operand);
    } else {
        uint64_t old = execute(n, p->source, operation, object, p->word);
        if (operation >= 5 && operation <= 7) answer(n, p->source, 0, 15, operand, old);
    }
    return 1;
}

static void receive_step(node *n)
{
    packet *p = &n->pipe[n->pipe_first];
    if (!n->pipe_count || p->due > n->net->now || dice(n->net, n->net->faults.phase_first ? 40 : 2)) return;
    if (!p->lost) {
        if (p->low & 1) {
            if (!operate(n, p)) return;
        } else {
            do set64(n, p->low + 8 * n->arrived, p->word[n->arrived]);
            while (++n->arrived < p->length && (p->low + 8 * n->arrived) % 32);
            if (n->arrived < p->length) return;
        }
    }
    n->arrived = 0;
    n->pipe_first = (n->pipe_first + 1) % PIPE;
    n->pipe_count--;
}

/* ---- processors */

static void perform(node *n, uint32_t address, uint32_t value)
{
    if (address >> 28 == 4) {
        uint32_t at = address & 0xfffffff;
        ck_assert_msg(at < MEMORY, "a store to %08x", address);
        n->memory[at / 4] = value;
        for (unsigned q = 0; q < 2; q++)
            if (n->send[q].mode == 1 && !n->send[q].look && at / 32 == slot_at(n, q) / 32)
                n->send[q].look = n->net->now + 1 + dice(n->net, 16);
        return;
    }
    uint32_t offset = address - 0x80000000u;
    if (offset >= 0x2000 && offset < 0x2400) {
        unsigned q = offset >> 9 & 1, word = offset % 0x200 / 8;
        ck_assert_msg(!n->send[q].busy, "node %u: a store to a busy send buffer", n->id);
        uint64_t *w = &n->send[q].buffer[word];
        *w = offset & 4 ? (*w & 0xffffffff00000000) | value : (uint64_t)value << 32 | (uint32_t)*w;
        if (word == 0 && !(offset & 4)) n->send[q].busy = 1;
        return;
    }
    ck_assert_msg(offset < 0x1000 && offset % 4 == 0, "a store to %08x", address);
    uint32_t *r = reg(n, offset);
    for (unsigned q = 0; q < 2; q++) {
        if (r == send_reg(n, q, CNI_SEND0_CONTROL)) {
            unsigned size = field(value, CNI_SEND0_CONTROL_LOG2_SLOT_MASK);
            n->send[q] = (send_queue){.mode = value & 3, .look = 1};
            ck_assert(!(value & 3) || (size >= 6 && size <= 9));
        }
        if (r == send_reg(n, q, CNI_SEND0_DOORBELL)) n->send[q].doorbell = value;
    }
    *r = value;
    if (offset == SYNC_HOST_COMMAND)
        execute(n, n->id, field(value, SYNC_HOST_COMMAND_OPERATION_MASK), field(value, SYNC_HOST_COMMAND_OBJECT_MASK),
                (const uint64_t[]){(uint64_t)*reg(n, SYNC_HOST_DATA_HIGH) << 32 | *reg(n, SYNC_HOST_DATA_LOW)}),
            *r = 0;
}

static uint32_t value_at(node *n, uint32_t address)
{
    uint32_t offset = address - 0x80000000u;
    if (address >> 28 >= 4 && address >> 28 <= 6) {
        ck_assert_msg((address & 0xfffffff) < MEMORY, "a load from %08x", address);
        uint32_t *w = &n->memory[(address & 0xfffffff) / 4], old = *w;
        if (address >> 28 == 5) *w = ~0u;
        if (address >> 28 == 6) ++*w;
        return old;
    }
    if (offset >= 0x4000 && offset < 0x5000) return n->receive[(offset - 0x4000) / 4];
    ck_assert_msg(offset < 0x1000, "a load from %08x", address);
    for (unsigned q = 0; q < 2; q++)
        if (reg(n, offset) == send_reg(n, q, CNI_SEND0_CONSUMED))
            return (n->send[q].consumed & 0xffff) | (n->send[q].busy ? CNI_SEND0_CONSUMED_BUSY_MASK : 0);
    return *reg(n, offset);
}

static void drain(node *n, unsigned p)
{
    if (!n->buffered[p]) return;
    posted first = n->buffer[p][0];
    memmove(n->buffer[p], n->buffer[p] + 1, --n->buffered[p] * sizeof first);
    perform(n, first.address, first.value);
}

static void pass(node *n, unsigned clocks) { sim_wait_cycles(n->net->turn, clocks + dice(n->net, 3)); }

static uint32_t load32(void *self, uint32_t address)
{
    struct self *s = self;
    node *n = s->n;
    ck_assert_msg(address % 4 == 0, "a load from %08x", address);
    pass(n, 1);
    for (unsigned i = n->buffered[s->p]; i--;)
        if (n->buffer[s->p][i].address == address) return n->buffer[s->p][i].value;
    while (address >> 28 != 4 && n->buffered[s->p]) drain(n, s->p);
    return value_at(n, address);
}

static void store32(void *self, uint32_t address, uint32_t value)
{
    struct self *s = self;
    node *n = s->n;
    ck_assert_msg(address % 4 == 0, "a store to %08x", address);
    pass(n, 1);
    while (n->buffered[s->p] && n->buffered[s->p] >= n->net->faults.store_buffer) drain(n, s->p);
    if (n->net->faults.store_buffer) n->buffer[s->p][n->buffered[s->p]++] = (posted){address, value};
    else perform(n, address, value);
}

static void sync_all(void *self)
{
    struct self *s = self;
    while (s->n->buffered[s->p]) drain(s->n, s->p);
    pass(s->n, 1);
}

static void work(void *self, uint32_t clocks) { pass(((struct self *)self)->n, clocks / 4 + 1); }
static uint64_t now(void *self) { return ((struct self *)self)->n->net->now * TURN; }

/* ---- the whole */

static void network(void *arg)
{
    fake_net *net = arg;
    while (!net->is_over) {
        net->now++;
        for (unsigned i = 0; i < net->nodes; i++) {
            node *n = &net->node[i];
            for (unsigned q = 0; q < 2; q++) {
                send_step(n, q);
                if (!dice(net, 40)) drain(n, q);
            }
            receive_step(n);
        }
        sim_wait_cycles(net->turn, 1);
    }
}

static void fake_net_free(void *arg)
{
    fake_net *net = arg;
    free(net->node);
    free(net);
}

fake_net *fake_net_new(unsigned nodes, uint64_t seed, const fake_faults *faults)
{
    fake_net *net = calloc(1, sizeof *net);
    ck_assert(net && nodes <= NODES);
    net->nodes = nodes;
    net->random = seed;
    if (faults) net->faults = *faults;
    net->node = calloc(nodes, sizeof *net->node);
    ck_assert_ptr_nonnull(net->node);
    for (unsigned i = 0; i < nodes; i++) {
        node *n = &net->node[i];
        n->net = net;
        n->id = i;
        for (unsigned w = 0; w < MEMORY / 4; w++) n->memory[w] = 0xa5a5a5a5 + w; /* undefined at first */
        *reg(n, CNI_LINK_STATUS) = CNI_LINK_STATUS_UP_MASK;
        *reg(n, SYNC_BUILD) = SYNC_BUILD_SYNC_MASK | SYNC_BUILD_READY_MASK;
        for (unsigned p = 0; p < 2; p++) {
            net->self[i][p] = (struct self){n, p};
            net->platform[i][p] = (struct nc_platform){.self = &net->self[i][p],
                                                       .load32 = load32,
                                                       .store32 = store32,
                                                       .sync = sync_all,
                                                       .work = work,
                                                       .now = now};
        }
    }
    after_test(fake_net_free, net);
    return net;
}

unsigned fake_net_refused(const fake_net *net) { return net->refused; }

struct call {
    fake_net *net;
    nc_cpu *cpu;
    int (*fn)(nc_cpu *);
    int *left;
};

static void one(void *arg)
{
    struct call *c = arg;
    if (c->fn(c->cpu)) {
        if (!c->cpu->error[0]) strcpy(c->cpu->error, "failed without an error");
        c->net->is_over = 1;
        sim_stop(c->net->sim);
    }
    if (!--*c->left) c->net->is_over = 1;
}

static const char *all(fake_net *net, const nc_program *program, int (*fn)(nc_cpu *), unsigned processors)
{
    struct call calls[2 * NODES];
    int left = (int)(net->nodes * processors), started = 0;
    net->sim = quiet_sim(0);
    net->turn = make_clock(net->sim, "turn", 1000, 0);
    net->is_over = 0;
    for (unsigned i = 0; i < net->nodes; i++)
        for (unsigned p = 0; p < processors; p++) {
            calls[started] = (struct call){net, &net->cpu[i][p], fn, &left};
            sim_task_new(net->sim, program->name, one, &calls[started++]);
        }
    sim_task_new(net->sim, "network", network, net);
    sim_run(net->sim, SIM_FOREVER);
    for (int i = 0; i < started; i++)
        if (calls[i].cpu->error[0]) return calls[i].cpu->error;
    return NULL;
}

const char *fake_net_run(fake_net *net, const nc_program *program, const nc_options *options,
                         nc_result lines[NC_RESULTS], unsigned *count)
{
    const char *error = nc_refusal(program, options);
    if (error) return error;
    for (unsigned i = 0; i < net->nodes; i++)
        for (unsigned p = 0; p < 2; p++) nc_cpu_init(&net->cpu[i][p], program, &net->platform[i][p], options, i, p);
    if ((error = all(net, program, program->prepare, 1))) return error;
    if ((error = all(net, program, program->run, program->processors))) return error;
    *count = nc_fold(&net->cpu[0][0], 2 * net->nodes, lines);
    return NULL;
}
