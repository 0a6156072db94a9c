/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
#include "nc_ni.h"

#include "coherent_register_map.h"
#include "sync_register_map.h"

enum {
    QUEUE_STEP = 32, /* from the registers of a queue to those of the next one */
    SEND_STEP = CNI_SEND1_CONTROL - CNI_SEND0_CONTROL,
    SEND_BUFFER = 0x2000, /* of queue 0; of queue 1 behind it */
    SEND_BUFFER_BYTES = 0x200,
    RECEIVE_MEMORY = 0x4000,
    STORE_CLOCKS = 2 /* from one store of a processor to the next */
};

/* Upper half of word 0 of a send slot, and of word 0 of a message. */
#define OPERATION (1u << 31)
#define PHASE (1u << 27)
#define FLOW_SHIFT 20
#define IN_SLOT (1u << 19)
#define HELD (1u << 18)
#define M_PHASE (1u << 31)
#define M_SOURCE(high) ((high) >> 24 & 0x7f)
#define M_DAMAGED (1u << 23)
#define M_WORDS(high) ((high)&0x3ff)

static uint32_t get(nc_cpu *cpu, uint32_t offset) { return nc_load(cpu, NC_REGISTERS + offset); }
static void put(nc_cpu *cpu, uint32_t offset, uint32_t value) { nc_store(cpu, NC_REGISTERS + offset, value); }

int nc_waited(nc_cpu *cpu, uint64_t since, const char *what)
{
    if (nc_now(cpu) - since < NC_TIMEOUT) return 0;
    return nc_fail(cpu, "waited %llu ms for %s", (unsigned long long)(NC_TIMEOUT / 1000000000), what);
}

static uint32_t ring_of(const nc_ni_plan *plan, unsigned processor)
{
    return NC_AT_RING + processor * (plan->ni == NC_UNCACHED ? 0x800 : NC_RING_BYTES);
}

static enum nc_send send_of(const nc_ni_plan *plan, unsigned q)
{
    return q && plan->prepared && plan->send == NC_SEND_UNCACHED ? NC_SEND_DOORBELL : plan->send;
}

static uint32_t mode_of(enum nc_receive ni)
{
    static const uint32_t modes[] = {[NC_MEMORY] = 0, [NC_UPDATE] = 1, [NC_ALLOCATE] = 2, [NC_UNCACHED] = 3};
    return modes[ni];
}

void nc_ni_window(nc_cpu *cpu, uint32_t first, uint32_t bytes, enum nc_receive mode, unsigned cache)
{
    put(cpu, CNI_WINDOW0_LAST, first + bytes - NC_LINE);
    put(cpu, CNI_WINDOW0_BASE,
        first | CNI_WINDOW0_BASE_ENABLE_MASK | cache << CNI_WINDOW0_BASE_CACHE_SHIFT | mode_of(mode));
}

void nc_update_range(nc_cpu *cpu, unsigned number, uint32_t first, uint32_t bytes)
{
    uint32_t step = number * (CNI_UPDATE1_BASE - CNI_UPDATE0_BASE);
    put(cpu, CNI_UPDATE0_BASE + step, 0);
    if (bytes) {
        put(cpu, CNI_UPDATE0_LAST + step, first + bytes - NC_LINE);
        put(cpu, CNI_UPDATE0_BASE + step, first | CNI_UPDATE0_BASE_ENABLE_MASK);
    }
}

/* ---- a node */

/* Clocks from the first store to a slot's first line to the last one: until then the NI would read in vain. */
static uint32_t read_delay(const nc_ni_plan *plan)
{
    unsigned stores = 2 + plan->message / 4;
    return STORE_CLOCKS * (stores < NC_LINE / 4 ? stores : NC_LINE / 4);
}

static void start_send_queue(nc_cpu *cpu, const nc_ni_plan *plan, unsigned q)
{
    static const uint32_t modes[] = {[NC_SEND_CACHABLE] = 1, [NC_SEND_DOORBELL] = 2, [NC_SEND_UNCACHED] = 3};
    uint32_t ring = NC_AT_SEND + q * NC_RING_BYTES, step = q * SEND_STEP;
    unsigned log2_slot = nc_log2_slot(plan->message), log2_slots = nc_log2_send_slots(plan);
    for (uint32_t at = ring; at < ring + (1u << (log2_slot + log2_slots)); at += 1u << log2_slot)
        nc_store(cpu, NC_COHERENT + at, 0); /* phase of the lap before the first one */
    nc_set(cpu, NC_AT_REPORT + q * NC_LINE, 0, 0);
    put(cpu, CNI_SEND0_CONTROL + step, 0);
    put(cpu, CNI_SEND0_BASE + step, ring);
    put(cpu, CNI_SEND0_REPORT + step, (NC_AT_REPORT + q * NC_LINE) | CNI_SEND0_REPORT_ENABLE_MASK);
    put(cpu, CNI_SEND0_CONTROL + step,
        read_delay(plan) << CNI_SEND0_CONTROL_DELAY_SHIFT | log2_slots << CNI_SEND0_CONTROL_LOG2_SLOTS_SHIFT |
            log2_slot << CNI_SEND0_CONTROL_LOG2_SLOT_SHIFT | modes[send_of(plan, q)]);
}

/* Messages are numbered since reset; phase of the slot's first word when number n is in it. */
static uint32_t phase(uint32_t n, unsigned log2_slots) { return n >> log2_slots & 1 ? 0 : M_PHASE; }

static void start_queue(nc_cpu *cpu, const nc_ni_plan *plan, unsigned q)
{
    uint32_t step = q * QUEUE_STEP, first = get(cpu, SYNC_QUEUE_TAIL + step);
    unsigned log2_slot = nc_log2_slot(plan->message), log2_slots = nc_log2_slots(plan, q);
    uint32_t ring = ring_of(plan, q);
    put(cpu, SYNC_QUEUE_SETUP + step, 0);
    if (plan->ni != NC_UNCACHED) /* receive memory is 0 at first, and only read */
        for (uint32_t n = first; n < first + (1u << log2_slots); n++)
            nc_store(cpu, NC_COHERENT + ring + ((n & ((1u << log2_slots) - 1)) << log2_slot),
                     phase(n, log2_slots) ^ M_PHASE);
    put(cpu, SYNC_QUEUE_BASE_LOW + step, ring);
    put(cpu, SYNC_QUEUE_BASE_HIGH + step, 0);
    put(cpu, SYNC_QUEUE_SOURCES + step, 0xffff);
    put(cpu, SYNC_QUEUE_HEAD + step, first);
    put(cpu, SYNC_QUEUE_SETUP + step,
        SYNC_QUEUE_SETUP_ENABLE_MASK | log2_slots << SYNC_QUEUE_SETUP_LOG2_SLOTS_SHIFT |
            (log2_slot - 6) << SYNC_QUEUE_SETUP_LOG2_SIZE_SHIFT);
}

int nc_ni_prepare(nc_cpu *cpu, const nc_ni_plan *plan)
{
    uint32_t queue_modes = 0;
    uint64_t since = nc_now(cpu);
    enum nc_receive others = plan->ni == NC_MEMORY || plan->ni == NC_UNCACHED ? NC_MEMORY : NC_UPDATE;
    while (!(get(cpu, SYNC_BUILD) & SYNC_BUILD_READY_MASK))
        if (nc_waited(cpu, since, "queues and counters")) return -1;
    for (uint32_t at = NC_AT_MEET; at < NC_AT_REPORT; at += NC_LINE) nc_set(cpu, at, 0, 0);
    for (unsigned i = 0; i < NC_CELLS; i++) nc_set(cpu, NC_AT_CELL(i), 0, 0);
    for (uint32_t at = NC_AT_COUNTER; at < NC_AT_COUNTER + 64 * 8; at += 8) nc_set(cpu, at, 0, 0);
    for (uint32_t at = NC_AT_ANSWER; at < NC_AT_ANSWER + 64 * 16; at += 8) nc_set(cpu, at, 0, 0);
    put(cpu, CNI_NODE_ID, cpu->node);
    put(cpu, CNI_REMOTE_NOTIFY, NC_AT_REMOTE);
    put(cpu, CNI_LOCAL_NOTIFY, NC_AT_LOCAL);
    put(cpu, CNI_OTHER_MODE, mode_of(others));
    for (unsigned p = 0; p < 2; p++) queue_modes |= (8u | p << 2 | mode_of(plan->ni)) << 4 * p;
    put(cpu, CNI_QUEUE_MODES_LOW, queue_modes);
    if (plan->ni == NC_UNCACHED) {
        put(cpu, CNI_WINDOW1_LAST, NC_AT_CELL(NC_CELLS - 1) & ~(NC_LINE - 1u));
        put(cpu, CNI_WINDOW1_BASE, NC_AT_CELL(0) | CNI_WINDOW1_BASE_ENABLE_MASK | mode_of(NC_UNCACHED));
    }
    put(cpu, SYNC_COUNTER_BASE_LOW, NC_AT_COUNTER | SYNC_COUNTER_BASE_LOW_ENABLE_MASK);
    put(cpu, SYNC_ANSWER_BASE_LOW, NC_AT_ANSWER | SYNC_ANSWER_BASE_LOW_ENABLE_MASK);
    put(cpu, SYNC_REFUSED_BASE_LOW, NC_AT_REFUSED | SYNC_REFUSED_BASE_LOW_ENABLE_MASK);
    for (unsigned p = 0; p < 2; p++) {
        start_queue(cpu, plan, p);
        start_send_queue(cpu, plan, p);
    }
    put(cpu, CNI_CONTROL, CNI_CONTROL_ENABLE_MASK | (cpu->options->direct ? CNI_CONTROL_DIRECT_MASK : 0));
    nc_sync(cpu);
    if (get(cpu, CNI_STATUS) & CNI_STATUS_RING_REFUSED_MASK) return nc_fail(cpu, "a send queue refused its ring");
    return 0;
}

int nc_ni_open(nc_ni *ni, nc_cpu *cpu, const nc_ni_plan *plan)
{
    uint64_t since = nc_now(cpu);
    unsigned p = cpu->processor;
    *ni = (nc_ni){.cpu = cpu,
                  .send = {send_of(plan, 0), send_of(plan, 1)},
                  .queue = p,
                  .log2_slot = nc_log2_slot(plan->message),
                  .log2_slots_out = nc_log2_send_slots(plan),
                  .log2_slots_in = nc_log2_slots(plan, p),
                  .senders = plan->senders};
    for (unsigned q = 0; plan->senders && q < 2; q++) ni->window[q] = (1u << nc_log2_slots(plan, q)) / plan->senders;
    ni->ring = plan->ni == NC_UNCACHED ? NC_REGISTERS + RECEIVE_MEMORY + (ring_of(plan, p) & 0xfff)
                                       : NC_COHERENT + ring_of(plan, p);
    ni->cells =
        plan->ni == NC_UNCACHED ? NC_REGISTERS + RECEIVE_MEMORY + (NC_AT_CELL(0) & 0xfff) : NC_COHERENT + NC_AT_CELL(0);
    ni->read = get(cpu, SYNC_QUEUE_HEAD + p * QUEUE_STEP);
    ni->told = ni->read;
    while (!(get(cpu, CNI_LINK_STATUS) & CNI_LINK_STATUS_UP_MASK)) {
        if (nc_waited(cpu, since, "the link")) return -1;
        nc_work(cpu, 100);
    }
    return 0;
}

/* ---- sending */

static uint32_t flow(const nc_ni *ni, unsigned node)
{
    return ni->cpu->options->direct ? 0 : (uint32_t)node << FLOW_SHIFT;
}

/* Until a slot may be written. */
static int await_slot(nc_ni *ni, unsigned q)
{
    nc_cpu *cpu = ni->cpu;
    uint64_t since = nc_now(cpu);
    if (ni->send[q] == NC_SEND_UNCACHED) {
        while (get(cpu, CNI_SEND0_CONSUMED + q * SEND_STEP) & CNI_SEND0_CONSUMED_BUSY_MASK)
            if (nc_waited(cpu, since, "the send buffer")) return -1;
        return 0;
    }
    while (ni->written[q] - ni->consumed[q] == 1u << ni->log2_slots_out) {
        ni->consumed[q] += (uint16_t)(nc_low(cpu, NC_AT_REPORT + q * NC_LINE) - ni->consumed[q]);
        if (ni->written[q] - ni->consumed[q] < 1u << ni->log2_slots_out) break;
        /* the report may be of up to a quarter of the ring ago */
        ni->consumed[q] += (uint16_t)(get(cpu, CNI_SEND0_CONSUMED + q * SEND_STEP) - ni->consumed[q]);
        if (nc_waited(cpu, since, "a send slot")) return -1;
    }
    return 0;
}

/* A slot with `words` of 64 bits behind its descriptor. */
static int put_slot(nc_ni *ni, uint32_t high, uint32_t low, const uint32_t *data, unsigned words)
{
    nc_cpu *cpu = ni->cpu;
    unsigned q = ni->queue, slot = ni->written[q] & ((1u << ni->log2_slots_out) - 1);
    uint32_t at = ni->send[q] == NC_SEND_UNCACHED
                      ? NC_REGISTERS + SEND_BUFFER + q * SEND_BUFFER_BYTES
                      : NC_COHERENT + NC_AT_SEND + q * NC_RING_BYTES + (slot << ni->log2_slot);
    nc_work(cpu, NC_WORK_CALL);
    if (await_slot(ni, q)) return -1;
    /* the first line last, since the NI waits for a store to it */
    for (unsigned i = 2 * 3; i < 2 * words; i++) nc_store(cpu, at + 8 + 4 * i, data[i]);
    for (unsigned i = 0; i < 2 * words && i < 2 * 3; i++) nc_store(cpu, at + 8 + 4 * i, data[i]);
    nc_store(cpu, at + 4, low);
    if (ni->send[q] != NC_SEND_UNCACHED && !(ni->written[q] >> ni->log2_slots_out & 1)) high |= PHASE;
    nc_store(cpu, at, high);
    ni->written[q]++;
    if (ni->send[q] == NC_SEND_DOORBELL)
        put(cpu, CNI_SEND0_DOORBELL + q * SEND_STEP, ni->written[q] & CNI_SEND0_DOORBELL_WRITTEN_MASK);
    return 0;
}

int nc_ni_write(nc_ni *ni, unsigned node, uint32_t to, uint32_t high, uint32_t low)
{
    uint32_t held = ni->held ? HELD : 0;
    ni->held = 0;
    to += ni->cpu->options->base[node];
    return put_slot(ni, IN_SLOT | held | flow(ni, node) | 1, to, (const uint32_t[]){high, low}, 1);
}

int nc_ni_transfer(nc_ni *ni, unsigned node, uint32_t from, uint32_t to, unsigned bytes)
{
    if (ni->send[ni->queue] == NC_SEND_UNCACHED) return nc_fail(ni->cpu, "SEND=uncached sends no memory");
    to += ni->cpu->options->base[node];
    return put_slot(ni, flow(ni, node) | bytes / 8, to, (const uint32_t[]){0, from}, 1);
}

int nc_ni_operation(nc_ni *ni, unsigned node, enum nc_operation operation, unsigned object, unsigned operand,
                    const uint32_t *data, unsigned words)
{
    return put_slot(ni, OPERATION | IN_SLOT | flow(ni, node) | words,
                    (uint32_t)object << 20 | (uint32_t)operation << 16 | operand << 1 | 1, data, words);
}

int nc_ni_drain(nc_ni *ni)
{
    nc_cpu *cpu = ni->cpu;
    unsigned q = ni->queue;
    uint64_t since = nc_now(cpu);
    while ((uint16_t)get(cpu, CNI_SEND0_CONSUMED + q * SEND_STEP) != (uint16_t)ni->written[q])
        if (nc_waited(cpu, since, "the send queue")) return -1;
    return 0;
}

/* Cells 2 n and 2 n + 1: messages that node n has read from its queues 0 and 1. */
int nc_ni_send(nc_ni *ni, unsigned node, unsigned processor, const uint32_t *data, unsigned bytes)
{
    uint64_t since = nc_now(ni->cpu);
    uint32_t *sent = &ni->sent[node][processor], *given = &ni->given[node][processor];
    while (ni->senders && *sent - *given >= ni->window[processor]) {
        *given = nc_ni_cell(ni, 2 * node + processor);
        if (*sent - *given < ni->window[processor]) break;
        if (ni->waiting && ni->waiting(ni->waiting_arg)) return -1;
        if (nc_waited(ni->cpu, since, "credits")) return -1;
    }
    ++*sent;
    return nc_ni_operation(ni, node, NC_ENQUEUE, processor, 0, data, bytes / 8);
}

/* ---- receiving */

/* The slot has been read. */
static int give_back(nc_ni *ni, unsigned source)
{
    nc_cpu *cpu = ni->cpu;
    unsigned p = cpu->processor, slots = 1u << ni->log2_slots_in;
    ni->read++;
    /* the room of a credit is there before the credit is */
    int is_due = ni->senders && ++ni->from[source] - ni->returned[source] >= (ni->window[p] + 1) / 2;
    if (ni->senders ? is_due : ni->read - ni->told >= slots / 2) {
        put(cpu, SYNC_QUEUE_HEAD + p * QUEUE_STEP, ni->read & SYNC_QUEUE_HEAD_NUMBER_MASK);
        ni->told = ni->read;
    }
    if (!is_due) return 0;
    ni->returned[source] = ni->from[source];
    return nc_ni_write(ni, source, NC_AT_CELL(2 * cpu->node + p), 0, ni->from[source]);
}

int nc_ni_poll(nc_ni *ni, nc_message *m)
{
    nc_cpu *cpu = ni->cpu;
    uint32_t at = ni->ring + ((ni->read & ((1u << ni->log2_slots_in) - 1)) << ni->log2_slot), high = nc_load(cpu, at);
    nc_work(cpu, NC_WORK_LOOP);
    if ((high & M_PHASE) != phase(ni->read, ni->log2_slots_in)) return 0;
    m->source = M_SOURCE(high);
    m->bytes = 8 * M_WORDS(high);
    m->damaged = !!(high & M_DAMAGED);
    if (m->bytes > NC_PACKET_MAX || m->bytes + 8 > 1u << ni->log2_slot || m->source >= NC_NODES_MAX)
        return nc_fail(cpu, "slot %u: %08x is no first word of a message", ni->read & ((1u << ni->log2_slots_in) - 1),
                       high);
    nc_load_block(cpu, at + 8, m->data, m->bytes / 4);
    return give_back(ni, m->source) ? -1 : 1;
}

int nc_ni_receive(nc_ni *ni, nc_message *m)
{
    uint64_t since = nc_now(ni->cpu);
    int there;
    while (!(there = nc_ni_poll(ni, m)))
        if (nc_waited(ni->cpu, since, "a message")) return -1;
    return there < 0 ? -1 : 0;
}

/* ---- counters and words */

static uint32_t phase_of_use(uint32_t use) { return use & 1 ? M_PHASE : 0; }

/* An operation that is answered: slot 32 p + a turning number, so a processor may have several; here it waits. */
int nc_ni_ask(nc_ni *ni, unsigned node, enum nc_operation operation, unsigned word, const uint32_t *data,
              uint32_t old[2])
{
    nc_cpu *cpu = ni->cpu;
    uint64_t since = nc_now(cpu);
    unsigned slot = 32 * cpu->processor, use = ++ni->asked;
    uint32_t at = NC_AT_ANSWER + 16 * slot, operand = slot | (use & 0x1ff) << 6;
    if (nc_ni_operation(ni, node, operation, word, operand, data, operation == NC_COMPARE_SWAP ? 2 : 1)) return -1;
    while ((nc_high(cpu, at + 8) & M_PHASE) != phase_of_use(use)) {
        nc_work(cpu, NC_WORK_LOOP);
        if (nc_waited(cpu, since, "an answer")) return -1;
    }
    uint32_t low = nc_low(cpu, at + 8);
    if (low != operand)
        return nc_fail(cpu, "word %u of node %u: answered %08x, expected operand %04x", word, node, low, operand);
    old[0] = nc_high(cpu, at);
    old[1] = nc_low(cpu, at);
    return 0;
}

int nc_host_command(nc_cpu *cpu, enum nc_operation operation, unsigned object, uint32_t high, uint32_t low)
{
    uint64_t since = nc_now(cpu);
    put(cpu, SYNC_HOST_DATA_LOW, low);
    put(cpu, SYNC_HOST_DATA_HIGH, high);
    put(cpu, SYNC_HOST_COMMAND,
        object << SYNC_HOST_COMMAND_OBJECT_SHIFT | (uint32_t)operation << SYNC_HOST_COMMAND_OPERATION_SHIFT);
    for (;;) {
        uint32_t state = get(cpu, SYNC_HOST_COMMAND);
        if (!(state & SYNC_HOST_COMMAND_BUSY_MASK))
            return state & SYNC_HOST_COMMAND_REASON_MASK
                       ? nc_fail(cpu, "operation %d on object %u refused, reason %u", operation, object,
                                 state & SYNC_HOST_COMMAND_REASON_MASK)
                       : 0;
        if (nc_waited(cpu, since, "an operation of its own")) return -1;
    }
}
