/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The network interface of a coherent node, from its processors: messages, RDMA, objects of part A
 * (rtl/coherent/cni.md, rtl/sync/README.md).
 *
 *   prepare (processor 0)                       run (each processor)
 *   nc_ni_prepare(cpu, &plan)                   nc_ni ni; nc_ni_open(&ni, cpu, &plan);
 *                                               nc_ni_send(&ni, node, processor, data, bytes); nc_ni_receive(&ni, &m);
 *
 * Processor p sends by send queue p and receives by queue p of part A. Of one node only one processor sends to a queue:
 * the room that a queue has is divided among the nodes, and what a node's program has read is returned to it as a count
 * in its memory (credits), so no message is ever refused.
 *
 * Functions return 0, or -1 with cpu->error.
 */
#ifndef NC_NI_H
#define NC_NI_H

#include "nc_internal.h"

enum {
    NC_PACKET_MAX = 496,   /* payload of a packet [bytes] */
    NC_TRANSFER_MAX = 4096 /* ... of an RDMA descriptor */
};

#define NC_REGISTERS 0x80000000u

/* Offsets in coherent memory, the same on all nodes. What a processor uses at once lies at different places modulo 8 KB
 * (a way of 16 KB), if slots have at most 128 bytes also modulo 4 KB. */
enum {
    NC_AT_CELLS = 0x0c00,    /* words that other nodes write; [11:0] is their place in receive memory, too */
    NC_AT_MEET = 0x0e00,     /* lines of nc_meet, 0 at first: 4 of them */
    NC_AT_REPORT = 0x0e80,   /* a line for each send queue: slots consumed */
    NC_AT_LOCAL = 0x0ec0,    /* local notifications, 8 bytes for each send queue */
    NC_AT_REMOTE = 0x0f00,   /* remote notifications, 8 bytes for each node */
    NC_AT_REFUSED = 0x1000,  /* counts of refused messages */
    NC_AT_COUNTER = 0x1800,  /* words of counters that have come to zero, 8 bytes each */
    NC_AT_ANSWER = 0x1c00,   /* answers, 16 bytes for each slot */
    NC_AT_SEND = 0x4000,     /* rings of the send queues, NC_RING_BYTES each */
    NC_AT_RING = 0x9000,     /* rings of the queues 0 and 1; in receive memory at 0 and 0x800 */
    NC_RING_BYTES = 0x2000,  /* from one ring to the next; none has more than half of that */
    NC_AT_PROGRAM = 0x100000 /* all from here on belongs to the programs */
};

/* Words of 64 bits for nc_ni_write whose reader polls them where NI= puts them: those below 16 are credits. */
enum { NC_CELL_CREDITS = 0, NC_CELL_PROGRAM = 16, NC_CELLS = 64 };
#define NC_AT_CELL(i) (NC_AT_CELLS + 8 * (uint32_t)(i))

typedef struct nc_ni_plan {
    enum nc_receive ni;
    enum nc_send send;
    unsigned message;   /* longest payload of a message; one that is longer than NC_PACKET_MAX is several packets */
    int prepared;       /* slots of send queue 1 are held until it is released; it lies in memory whatever SEND= is */
    unsigned receivers; /* processors of a node that receive messages: 0, 1 or 2 */
    unsigned senders;   /* nodes that send to one queue; 0: no credits, the program never has more than 2 under way */
} nc_ni_plan;

/* A packet of a message. */
typedef struct nc_message {
    unsigned source; /* node */
    unsigned bytes;
    int damaged; /* something of this source was lost or damaged before it */
    uint32_t data[NC_PACKET_MAX / 4];
} nc_message;

enum { NC_NODES_MAX = 8 };

typedef struct nc_ni {
    nc_cpu *cpu;
    enum nc_send send[2];
    unsigned queue; /* the send queue used: its processor's, unless the program chooses the other, which nobody uses */
    int held;       /* the next nc_ni_write waits, with all behind it in its queue, until the queue is released */
    unsigned log2_slot, log2_slots_in, log2_slots_out; /* of its queue and of the send queues */
    unsigned senders, window[2];                       /* messages that a sender may have in queue 0 or 1 */
    uint32_t ring, cells;                              /* addresses of its queue and of the cells */
    uint32_t written[2], consumed[2];                  /* slots of the send queues */
    uint32_t read, told;                               /* messages of its queue, and how many of them the NI knows of */
    uint32_t sent[NC_NODES_MAX][2], given[NC_NODES_MAX][2]; /* messages to a queue, and those read there */
    uint32_t from[NC_NODES_MAX], returned[NC_NODES_MAX];    /* messages of a node, and credits returned to it */
    unsigned asked;                                         /* operations that are answered */
    /* Called while nc_ni_send waits for credits, unless NULL: receives, where two send to each other. */
    int (*waiting)(void *arg);
    void *waiting_arg;
} nc_ni;

/* log2 of the bytes of a slot for `bytes` of payload and the word before them. */
unsigned nc_log2_slot(unsigned bytes);
/* log2 of the slots of a send queue, and of a processor's queue: 4 KB if many send to it. Receive memory holds both
 * rings, 2 KB and 1 KB. */
unsigned nc_log2_send_slots(const nc_ni_plan *plan);
unsigned nc_log2_slots(const nc_ni_plan *plan, unsigned processor);
/* NULL if the plan can be had; else what was expected. */
const char *nc_ni_refusal(const nc_ni_plan *plan);
int nc_ni_prepare(nc_cpu *cpu, const nc_ni_plan *plan);
/* Waits for the link, too. */
int nc_ni_open(nc_ni *ni, nc_cpu *cpu, const nc_ni_plan *plan);

/* One packet: at most NC_PACKET_MAX bytes, a multiple of 8, into queue `processor` of a node. */
int nc_ni_send(nc_ni *ni, unsigned node, unsigned processor, const uint32_t *data, unsigned bytes);
/* 1: a packet has been taken out, 0: none is there. */
int nc_ni_poll(nc_ni *ni, nc_message *m);
/* Waits for one, at most NC_TIMEOUT. */
int nc_ni_receive(nc_ni *ni, nc_message *m);

/* The other node's word at `to` of its coherent memory becomes {high, low}: in order with all that this processor sends
 * there. */
int nc_ni_write(nc_ni *ni, unsigned node, uint32_t to, uint32_t high, uint32_t low);
/* Copies coherent memory to a node's, at most NC_TRANSFER_MAX bytes, all multiples of 8. Not by SEND=uncached. */
int nc_ni_transfer(nc_ni *ni, unsigned node, uint32_t from, uint32_t to, unsigned bytes);
/* Low half of a cell, as the processor sees it. */
static inline uint32_t nc_ni_cell(nc_ni *ni, unsigned i) { return nc_load(ni->cpu, ni->cells + 8 * i + 4); }
/* Returns when all slots written have been read by the NI. */
int nc_ni_drain(nc_ni *ni);

/* Operations of part A (rtl/sync/README.md). */
enum nc_operation {
    NC_ENQUEUE = 0,
    NC_ADD = 1,
    NC_ARM = 2,
    NC_SET = 3, /* of its own node only */
    NC_WRITE = 4,
    NC_FETCH_ADD = 5,
    NC_SWAP = 6,
    NC_COMPARE_SWAP = 7,
    NC_REOPEN = 8
};
/* One that is not answered; `words` of 64 bits in the slot. */
int nc_ni_operation(nc_ni *ni, unsigned node, enum nc_operation operation, unsigned object, unsigned operand,
                    const uint32_t *data, unsigned words);
/* One that is, 5..7: waits for the old value {high, low} of a node's word. */
int nc_ni_ask(nc_ni *ni, unsigned node, enum nc_operation operation, unsigned word, const uint32_t *data,
              uint32_t old[2]);
/* One of this node to itself, 1..7; one processor at a time. */
int nc_host_command(nc_cpu *cpu, enum nc_operation operation, unsigned object, uint32_t high, uint32_t low);

/* Lines from `first` for `bytes` are received as `mode` says, by window 0. */
void nc_ni_window(nc_cpu *cpu, uint32_t first, uint32_t bytes, enum nc_receive mode, unsigned cache);
/* Stores to these lines update the other cache, by range `number` 0 or 1; bytes = 0: no such range. */
void nc_update_range(nc_cpu *cpu, unsigned number, uint32_t first, uint32_t bytes);

/* 64-bit word at an offset of coherent memory. */
static inline uint32_t nc_high(nc_cpu *cpu, uint32_t at) { return nc_load(cpu, NC_COHERENT + at); }
static inline uint32_t nc_low(nc_cpu *cpu, uint32_t at) { return nc_load(cpu, NC_COHERENT + at + 4); }
static inline void nc_set(nc_cpu *cpu, uint32_t at, uint32_t high, uint32_t low)
{
    nc_store(cpu, NC_COHERENT + at + 4, low);
    nc_store(cpu, NC_COHERENT + at, high);
}

/* Nothing that a program waits for takes longer [ps]. */
#define NC_TIMEOUT ((uint64_t)20 * 1000 * 1000 * 1000)
/* 0, or -1 and an error "waited 20 ms for ..." when `since` is too long ago. */
int nc_waited(nc_cpu *cpu, uint64_t since, const char *what);

#endif
