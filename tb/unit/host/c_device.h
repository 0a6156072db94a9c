/* A device in C for tests of the host: a memory behind one address range, configuration space, and an initiator that
 * runs requests in order.
 *
 * Built from the same initiator and target halves as the bridge; what those do on the pins is pinned by test_tables.c
 * against pcix.md section 12.
 */
#ifndef NICXBAR_TB_C_DEVICE_H
#define NICXBAR_TB_C_DEVICE_H

#include "sim/model/host/pcix_agent.h"
#include "sim/model/host/pcix_bus.h"
#include "sim/model/host/pcix_initiator.h"
#include "sim/model/host/pcix_target.h"

enum { C_DEVICE_QUEUE = 64, C_DEVICE_MEMORY = 65536 };

/* One DMA Sequence. It goes on by itself after Retry, Split Response and disconnects. */
typedef struct c_dma {
    int command; /* Memory Write Block, Memory Write, Memory Read Block, Memory Read DWORD */
    uint64_t address;
    unsigned count; /* bytes */
    unsigned tag;
    unsigned flags; /* of a Split Completion: {SCE, SCM} */
    uint8_t *data;
    /* result */
    bool done;
    int end; /* enum pcix_end of the last transaction */
    unsigned moved;
    uint32_t message; /* of a Split Completion Message */
    bool error_message;
    uint64_t requested;   /* clock REQ# fell */
    uint64_t first_start; /* FRAME# of the first transaction */
    uint64_t last_data;   /* last data phase (of the last completion for a split read) */
    unsigned transactions;
    bool parity_error;
} c_dma;

typedef struct c_device {
    /* data */
    pcix_bus *bus;
    int agent, slot;
    uint64_t base; /* memory at base .. base + C_DEVICE_MEMORY - 1 */
    unsigned waits;
    bool narrow;       /* 32-bit target */
    int answer;        /* enum pcix_end for memory accesses; PCIX_END_COUNT = normal */
    unsigned answers;  /* how many accesses get it; after that normal */
    bool split_config; /* configuration accesses get Split Response */
    bool inta;
    unsigned latency_timer;
    bool serr_enable, parity_response;

    /* state */
    uint8_t memory[C_DEVICE_MEMORY];
    uint8_t config[256];
    unsigned id;
    pcix_initiator initiator;
    pcix_target target;
    pcix_parity_state parity;
    c_dma *queue[C_DEVICE_QUEUE];
    unsigned in, out;
    c_dma *splits[32];
    c_dma *completing;
    c_dma *running;
    c_dma owed; /* the completion of a configuration access */
    uint8_t owed_data[4];
    uint64_t not_before;
} c_device;

/* Becomes the next agent of `bus`; slot = device number. */
void c_device_init(c_device *d, pcix_bus *bus, int slot);
void c_device_dma(c_device *d, c_dma *dma);
bool c_device_idle(const c_device *d);

#endif
