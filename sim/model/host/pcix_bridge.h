/* The host bridge: arbiter, initiator for the CPU, target in front of the host's memory, completer of split reads. A C
 * agent on a pcix_bus.
 *
 * Its behaviour is data: host_params for everything, host_range for particular addresses. Its Requester ID is device 0,
 * function 0 of its bus.
 *
 * CPU accesses come in as posted writes (a queue of post_depth entries, in order) and as calls, which finish later. A
 * call never overtakes writes posted before it; writes posted later may overtake a call that is retried or split. A
 * split completion for a device never overtakes posted writes that were there when its data was ready (pcix.md 7.11).
 */
#ifndef SIM_MODEL_HOST_PCIX_BRIDGE_H
#define SIM_MODEL_HOST_PCIX_BRIDGE_H

#include <stddef.h>

#include "sim/model/host/host_params.h"
#include "sim/model/host/memory.h"
#include "sim/model/host/pcix_bus.h"

enum { PCIX_CALLS = 32 /* at once */, PCIX_POST = 64 /* bytes per posted write */ };

/* Results of a call and of posted writes. */
enum { PCIX_OK = 0, PCIX_MASTER_ABORT = -1, PCIX_TARGET_ABORT = -2, PCIX_ERROR_MESSAGE = -3, PCIX_PARITY_ERROR = -4 };

/* A CPU access that waits for an answer. Belongs to the caller and must stay until `done` is called. */
typedef struct pcix_call {
    int command; /* configuration, I/O, Memory Read DWORD, Memory Read Block */
    uint64_t address;
    unsigned count;  /* Memory Read Block: bytes, 1..4096 */
    uint8_t enables; /* DWORD commands: bytes wanted, bit set = wanted */
    uint8_t *data;   /* to write, or where the bytes go; 4 bytes for DWORD commands */
    void (*done)(void *arg);
    void *arg;
    int status;       /* PCIX_OK ...; valid when done */
    uint32_t message; /* with PCIX_ERROR_MESSAGE: the Split Completion Message */
    /* --- private to the bridge --- */
    uint64_t push;
    uint64_t not_before;
    unsigned moved;
    bool split;
} pcix_call;

/* Special behaviour of a range of addresses as seen from devices; several may apply to one address. */
enum host_range_kind {
    HOST_RANGE_NOBODY,       /* not claimed: master abort */
    HOST_RANGE_TARGET_ABORT, /* value = data phase in which it comes */
    HOST_RANGE_NARROW,       /* 32-bit target */
    HOST_RANGE_RETRY,        /* value = how often each new request is retried */
    HOST_RANGE_SINGLE,       /* Single Data Phase Disconnect */
    HOST_RANGE_DISCONNECT,   /* Disconnect at Next ADB, signalled in data phase `value` */
    HOST_RANGE_IMMEDIATE,    /* reads are answered at once */
    HOST_RANGE_WAITS,        /* value = wait states */
    HOST_RANGE_DECODE,       /* value = 2, 3, 4, 6 */
    HOST_RANGE_SPLIT_ERROR /* reads end with an error message: value[11:0] = class, index; value >> 12 = pieces of data
                              before it */
};
typedef struct host_range {
    uint64_t from, to; /* inclusive */
    int kind;          /* enum host_range_kind */
    unsigned value;
} host_range;

/* A completer that fails: reads of devices that have been answered with Split Response and end otherwise than they
 * should. */
enum pcix_completion_fault_kind {
    PCIX_COMPLETION_DROPPED, /* nothing more comes */
    PCIX_COMPLETION_LATE,    /* it comes `value` clocks later than it would have */
    PCIX_COMPLETION_COUNT,   /* its Byte Count is wrong: what remains ^ `value` (and 4095; 0 means 4096); nothing more
                                comes */
    PCIX_COMPLETION_LOWER,   /* its Lower Address is wrong: ^ `value`; nothing more comes */
    PCIX_COMPLETION_MESSAGE  /* an error message instead: value = class, index (6.7) */
};
typedef struct pcix_completion_fault {
    int kind;        /* enum pcix_completion_fault_kind */
    unsigned skip;   /* reads to leave alone first */
    unsigned times;  /* how many in a row to hit; 0 means 1 */
    unsigned pieces; /* completions of such a read that come as they should before; at most as many as its cuts make */
    unsigned value;
    /* not NULL: asked for each read, without end, instead of skip and times */
    bool (*choose)(void *arg);
    void *arg;
} pcix_completion_fault;

typedef struct pcix_bridge_stats {
    uint64_t writes_taken, write_bytes, reads_split, reads_immediate, read_bytes; /* as target */
    uint64_t retries_given, disconnects_given, aborts_given, parity_errors;
    uint64_t completions, completions_discarded, error_messages;  /* as completer */
    uint64_t posted, posted_failed, calls, retries_met, perr_met; /* as initiator */
} pcix_bridge_stats;

typedef struct pcix_bridge pcix_bridge;

/* Becomes the next agent of `bus`. `params` is copied. NULL: no memory left, or the bus is full. */
pcix_bridge *pcix_bridge_new(pcix_bus *bus, memory *m, const host_params *params);
void pcix_bridge_free(pcix_bridge *b);
int pcix_bridge_agent(const pcix_bridge *b);

/* Posts a write of 1..64 bytes that does not cross a multiple of 4096. `lanes[i]` 0 = byte i is not written; NULL = all
 * are. Up to 4 bytes within one DWORD go as a 32-bit Memory Write, more with 64 bits. `combined`: a whole line of 64
 * bytes is spaced by combined_period instead of write_period, a part of one by nothing. Returns false if the queue is
 * full. */
bool pcix_bridge_post(pcix_bridge *b, uint64_t address, const void *data, size_t size, const uint8_t *lanes,
                      bool combined);
/* Writes posted and not yet on the bus to their end. */
unsigned pcix_bridge_posted(const pcix_bridge *b);
/* Called whenever a posted write has left (ok or not). */
void pcix_bridge_on_posted(pcix_bridge *b, void (*fn)(void *arg, int status), void *arg);
/* Starts a call; false if PCIX_CALLS are running already. */
bool pcix_bridge_begin(pcix_bridge *b, pcix_call *call);

/* `fn` is asked about each new memory request of a device (by its command): how often it is to be retried besides what
 * the parameters say. At most 8 are asked; false if there are more. */
bool pcix_bridge_on_request(pcix_bridge *b, unsigned (*fn)(void *arg, int command), void *arg);

/* At most 32 ranges; false if there are more. */
bool pcix_bridge_add_range(pcix_bridge *b, const host_range *r);
void pcix_bridge_clear_ranges(pcix_bridge *b);
/* Changes the behaviour from now on. Reads under way keep theirs. */
void pcix_bridge_set_params(pcix_bridge *b, const host_params *params);
const pcix_bridge_stats *pcix_bridge_get_stats(const pcix_bridge *b);

/* Sends an unsolicited Split Completion (a test of the requester): false if the completer is full. */
bool pcix_bridge_inject_completion(pcix_bridge *b, unsigned requester, unsigned tag, unsigned lower_address,
                                   unsigned count);
/* Reads answered with Split Response from now on: at most 16 faults wait at once; false if there are more, or if
 * `value` changes nothing. Several count `skip` at the same time; the first that is due hits. */
bool pcix_bridge_fail_completion(pcix_bridge *b, const pcix_completion_fault *f);
/* Reads that have been hit so far. */
uint64_t pcix_bridge_completion_faults(const pcix_bridge *b);
/* Called for each read that is hit and will not be completed as the protocol wants (no call for an error message): the
 * Requester ID and Tag of the Split Response under way. For the protocol monitor. */
void pcix_bridge_on_completion_fault(pcix_bridge *b, void (*fn)(void *arg, unsigned requester, unsigned tag),
                                     void *arg);
/* During reset: drives the initialization pattern `mode` and REQ64# while `on`; releases them properly afterwards. */
void pcix_bridge_pattern(pcix_bridge *b, bool on);

#endif
