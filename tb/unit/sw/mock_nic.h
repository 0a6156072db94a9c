/* A fake network interface for tests of the software: configuration space, registers, request queues, notifications and
 * a cable, as design.md 3, pcix.md 11 and S1 3.1.2-3.1.4 describe them. It shares nothing with the RTL or with the
 * driver but the names of the registers, and knows nothing of clocks: everything happens in mock_step.
 *
 * Nodes lie in one net. In DIRECT mode node 0 and node 1 are at the two ends of a cable; else packets go to the node
 * that the flow ID names. Data arrive a few words per step, so that software sees half-written records.
 */
#ifndef MOCK_NIC_H
#define MOCK_NIC_H

#include <stdint.h>
#include <stdio.h>

#include "mock_sync.h"

enum {
    MOCK_NODES = 4,
    MOCK_QUEUES = 8,
    MOCK_DEPTH = 128,
    MOCK_MEMORY = 64 << 20,
    MOCK_HEAP = 4 << 20, /* from here on the hosts allocate */
    MOCK_RANGES = 64,
    MOCK_PACKETS = 1024,
    MOCK_FIFO = 1023, /* words */
    MOCK_POSTED = 4096
};

struct mock_packet {
    uint64_t header;
    uint64_t payload[512];
    unsigned arrived; /* words that are in memory */
    unsigned wait;    /* steps until it is on the wire */
    int last;         /* end of a transfer: its departure counts */
    int local;        /* ... and is notified */
    unsigned queue;
    int bad;  /* body damaged on the way */
    int lost; /* dropped on the way */
};

struct mock_range {
    uint64_t base, size;
};

typedef struct mock_nic {
    struct mock_net *net;
    unsigned id;
    uint8_t *memory;                      /* MOCK_MEMORY bytes from bus address 0 */
    struct mock_range range[MOCK_RANGES]; /* where the device may write */
    unsigned ranges;

    /* configuration space */
    uint8_t config[256];
    int device; /* number on its bus */
    uint64_t bar_size[6];
    int irq_enable, irq_flag;

    /* registers and request queues */
    uint32_t reg[0x400 / 4];
    uint32_t tx_space[16]; /* TX_SPACE of each lane: VIEW_FLOW says which one is shown */
    uint64_t entry[MOCK_QUEUES][MOCK_DEPTH][2];
    uint8_t written[MOCK_QUEUES][MOCK_DEPTH]; /* one bit per 32-bit word */
    unsigned head[MOCK_QUEUES], tail[MOCK_QUEUES];
    unsigned next_queue;
    mock_sync sync;
    unsigned reset_steps;
    unsigned sweep_steps; /* of the written bits: queue writes are rejected */
    unsigned sequence_out[128], sequence_in[128];
    uint8_t tainted[128]; /* the next notification of this source is flagged */

    /* packets that this node has sent, oldest first */
    struct mock_packet *wire;
    unsigned wire_first, wire_count, wire_words;

    /* behaviour to choose */
    unsigned latency;        /* steps from reading to departure */
    unsigned words_per_step; /* arriving */
    unsigned write_delay; /* steps that a write of the device stays in the bridge; the answer of a register read pushes
                             it out */
    int reads_push_nothing; /* a bridge that does not */
    int stuck;              /* nothing leaves any more */
    int reset_hangs;
    unsigned hold_direct;                      /* this many changes of DIRECT are refused */
    uint64_t fail_read_at;                     /* the nth descriptor from now on fails in its DMA read; 0 = none */
    uint64_t drop_packet_at, damage_packet_at; /* the nth packet from now on; 0 = none */
    uint64_t drop_bytes; /* a packet with a payload of this many bytes is dropped, once; 0 = none */

    int trusting; /* a start flag releases all slots before it, written or not: the design that written bits avoid */
    int damage_silently;     /* ... and neither CRC nor loss indication reports it */
    int die_with_read_error; /* stuck from a failed read on */

    /* writes of the device on their way to memory, oldest first */
    struct {
        uint64_t address, value, due;
    } * posted;
    uint64_t posted_in, posted_out;

    void (*on_write)(struct mock_nic *nic, uint64_t address,
                     uint64_t value); /* each word that it writes, before it does; may be NULL */

    /* observations */
    uint64_t wild; /* writes of the device to memory that it was not given */
    uint64_t descriptors, packets, register_reads;
    uint64_t early_starts; /* start flags that came before something they release */
} mock_nic;

typedef struct mock_net {
    mock_nic node[MOCK_NODES];
    unsigned nodes;
    uint64_t now; /* [ns] */
    uint64_t random;
} mock_net;

void mock_net_init(mock_net *net, unsigned nodes, uint64_t seed);
uint64_t mock_random(mock_net *net);
/* Time passes: every device serves, sends, receives a little. */
void mock_step(mock_net *net);
/* The device may write here. */
void mock_allow(mock_nic *nic, uint64_t base, uint64_t size);
void mock_forbid(mock_nic *nic, uint64_t base);

/* A word that the device writes to its host's memory, after all that it has written before. */
void mock_device_writes(mock_nic *nic, uint64_t address, uint64_t value);
/* A packet of one word that the device makes itself, to a node; or it is lost on the way. */
void mock_packet_send(mock_nic *nic, unsigned to, uint64_t header, uint64_t word, int lost);

uint32_t mock_config_read(mock_nic *nic, int reg, int size);
void mock_config_write(mock_nic *nic, int reg, int size, uint32_t value);
/* Address in register space: 0 = hit, -1 = no BAR there or decoding off (master abort). 32-bit words. */
int mock_bar_read(mock_nic *nic, uint64_t address, uint32_t *value);
int mock_bar_write(mock_nic *nic, uint64_t address, uint32_t value);
int mock_interrupt(const mock_nic *nic);
uint64_t mock_get64(const mock_nic *nic, uint64_t address);
void mock_set64(mock_nic *nic, uint64_t address, uint64_t value);

#endif
