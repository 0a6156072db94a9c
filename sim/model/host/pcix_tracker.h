/* Follows the transactions on a bus: finds the phase of each clock and keeps one record per transaction.
 *
 * It looks at resolved wires only, takes what it sees at face value (the monitor checks) and is always on. Widths, ends
 * and byte counts follow sections 3 and 5.
 */
#ifndef SIM_MODEL_HOST_PCIX_TRACKER_H
#define SIM_MODEL_HOST_PCIX_TRACKER_H

#include "sim/model/host/pcix.h"

/* One transaction. Clocks are bus clocks; 0 = did not happen. */
typedef struct pcix_transaction {
    uint64_t number; /* 1, 2, ... */
    int initiator;   /* agent, -1 unknown */
    int target;      /* agent, -1 no answer */
    int command;     /* enum pcix_command; of the second address phase with DAC */
    int end;         /* enum pcix_end */
    bool dac, req64, ack64;
    uint64_t address;
    uint32_t attribute;
    uint8_t attribute_cbe; /* C/BE[3:0]# of the attribute phase */
    uint32_t first_word;   /* AD[31:0] of the first data phase */
    unsigned byte_count;   /* asked for; 4 for DWORD commands */
    unsigned data_phases;
    unsigned bytes;         /* moved */
    uint64_t request;       /* REQ# of the initiator low since; 0: it was high */
    uint64_t start;         /* first address phase: FRAME# falls */
    uint64_t address_clock; /* last address phase, "A" */
    uint64_t devsel;        /* "d" */
    uint64_t response;      /* "r" */
    uint64_t first_data, last_data;
    uint64_t over; /* first clock with FRAME# and IRDY# high again */
} pcix_transaction;

typedef struct pcix_tracker pcix_tracker;
typedef void (*pcix_on_transaction)(void *self, const pcix_transaction *t);

pcix_tracker *pcix_tracker_new(void);
void pcix_tracker_free(pcix_tracker *k);

/* Takes clock `s` (its predecessor is `before`); sets s->phase and s->index. Called by the bus, but for idle clocks
 * that are like the one before. */
void pcix_tracker_clock(pcix_tracker *k, pcix_sample *s, const pcix_sample *before);
/* Calls `fn` in the clock `over` of each transaction, in the order they were added; -1 if there are too many. */
int pcix_tracker_on_transaction(pcix_tracker *k, pcix_on_transaction fn, void *self);
/* Calls `fn` in the clock `first_data` of each transaction that moves data; the same. */
int pcix_tracker_on_data(pcix_tracker *k, pcix_on_transaction fn, void *self);
/* The running transaction, or the last one while the bus is idle. */
const pcix_transaction *pcix_tracker_now(const pcix_tracker *k);
/* Clocks so far with a data phase, and clocks that were not idle. */
uint64_t pcix_tracker_data_clocks(const pcix_tracker *k);
uint64_t pcix_tracker_busy_clocks(const pcix_tracker *k);
/* Index of the last data phase as far as known now (by byte count, target disconnect, FRAME#); valid from clock
 * `response` of a data transfer. */
unsigned pcix_tracker_last_index(const pcix_tracker *k);
/* The same without what FRAME# says: where the transaction ends if the initiator does not cut it. */
unsigned pcix_tracker_planned_index(const pcix_tracker *k);

#endif
