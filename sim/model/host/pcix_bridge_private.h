/* Shared by the parts of the bridge. Only for pcix_bridge*.c. */
#ifndef SIM_MODEL_HOST_PCIX_BRIDGE_PRIVATE_H
#define SIM_MODEL_HOST_PCIX_BRIDGE_PRIVATE_H

#include "sim/model/host/pcix_agent.h"
#include "sim/model/host/pcix_arbiter.h"
#include "sim/model/host/pcix_bridge.h"
#include "sim/model/host/pcix_initiator.h"
#include "sim/model/host/pcix_target.h"

enum {
    BRIDGE_POSTS = 64,
    BRIDGE_SPLITS = 32,
    BRIDGE_RANGES = 32,
    BRIDGE_RETRIES = 8,
    BRIDGE_ASKED = 8,
    BRIDGE_FAULTS = 16
};
enum { BRIDGE_LEAD = 3 }; /* clocks by which the bridge asks for the bus before it can use it */

struct post {
    uint64_t address, arrival, not_before;
    unsigned size, moved;
    bool masked;
    uint8_t data[PCIX_POST], lanes[PCIX_POST];
};

/* A read of a device that was answered with Split Response. */
struct split {
    bool dword, relaxed;
    uint64_t address, ready, served;
    unsigned total, done, piece;
    unsigned requester, tag;
    int message;     /* class and index of the error message to end with; -1 none */
    int fault;       /* enum pcix_completion_fault_kind; -1 none */
    unsigned value;  /* of the fault */
    unsigned pieces; /* of data before the message or the fault */
};

/* A request that was retried and is expected again. */
struct retried {
    bool used;
    int command;
    uint64_t address;
    uint32_t attribute;
    unsigned left;
};

/* what the initiator is working on */
enum bridge_work { WORK_NONE, WORK_POST, WORK_CALL, WORK_SPLIT };

struct pcix_bridge {
    pcix_bus *bus;
    memory *memory;
    host_params p;
    int agent;
    pcix_initiator initiator;
    pcix_target target;
    pcix_arbiter arbiter;
    pcix_parity_state parity;
    pcix_bridge_stats stats;

    /* CPU side */
    struct post posts[BRIDGE_POSTS];
    uint64_t posted_in, posted_out;
    uint64_t last_arrival;
    pcix_call *calls[PCIX_CALLS]; /* index = Tag */
    unsigned call_count, call_turn;
    void (*on_posted)(void *arg, int status);
    void *on_posted_arg;

    /* completer */
    struct split splits[BRIDGE_SPLITS];
    uint32_t split_used; /* bit per split */
    uint64_t split_from; /* clock in which the first of them is ready; UINT64_MAX: there is none */
    uint64_t order;
    uint64_t completion_end; /* clock of the last data phase of the last completion */
    uint8_t completion[4096];
    pcix_completion_fault faults[BRIDGE_FAULTS];
    unsigned fault_count;
    uint64_t faults_done;
    void (*on_fault)(void *arg, unsigned requester, unsigned tag);
    void *on_fault_arg;

    /* target */
    host_range ranges[BRIDGE_RANGES];
    unsigned range_count;
    struct retried retried[BRIDGE_RETRIES];
    unsigned retried_turn;
    struct {
        unsigned (*fn)(void *arg, int command);
        void *arg;
    } on_request[BRIDGE_ASKED];
    unsigned asked;
    uint8_t immediate[4096];
    pcix_call *completing; /* call whose completion is coming in */

    /* work */
    int work; /* enum bridge_work */
    unsigned work_index;
    int last_work;
    bool pattern, pattern_release;
    bool asleep; /* nothing to do and nothing under way: the GNT# of the last clock stands */
};

/* It has got something to do. */
static inline void bridge_wake(pcix_bridge *b)
{
    b->asleep = false;
    pcix_bus_wake(b->bus);
}

/* pcix_bridge_target.c */
extern const pcix_target_calls bridge_target_calls;
/* pcix_bridge_completer.c */
bool bridge_split_add(pcix_bridge *b, const pcix_access *q, int message, unsigned pieces);
/* Index of the split whose completion may start in clock m + lead; -1 none. The first is for the second only: one may
 * be ready. */
int bridge_split_choose(const pcix_bridge *b, uint64_t m);
static inline int bridge_split_ready(const pcix_bridge *b, uint64_t m)
{
    if (m < b->split_from || (b->completion_end != 0 && m < b->completion_end + 1 + b->p.completion_gap)) return -1;
    return bridge_split_choose(b, m);
}
void bridge_split_request(pcix_bridge *b, unsigned index, pcix_request *q);
void bridge_split_result(pcix_bridge *b, unsigned index, const pcix_initiator *x);
/* pcix_bridge.c */
void bridge_call_finish(pcix_bridge *b, unsigned tag, int status);
static inline unsigned bridge_id(const pcix_bridge *b) { return PCIX_ID(b->p.bus_number, 0, 0); }

#endif
