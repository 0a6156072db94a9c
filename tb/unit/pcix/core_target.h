/* The host's memory as a target of the NIC's transactions: its answers are planned by the test, its observations are
 * kept. */
#ifndef NICXBAR_TB_CORE_TARGET_H
#define NICXBAR_TB_CORE_TARGET_H

#include "core_bench.h"

enum { PLAN_DATA, PLAN_RETRY, PLAN_SPLIT, PLAN_ABORT, PLAN_SINGLE, PLAN_NOBODY, PLAN_NEVER };

typedef struct {
    int kind;
    int decode; /* 2, 3, 4 or 6 */
    int waits;
    int narrow;           /* no ACK64# */
    int stop_phase;       /* Disconnect at Next ADB from this data phase on (0..), -1 = never */
    int abort_phase;      /* Target-Abort instead of this data phase, -1 = never */
    int wait_phase;       /* illegal: a wait state instead of this data phase, then gone, -1 = never */
    int perr_phase;       /* PERR# for this data phase, -1 = never */
    int bad_parity_phase; /* wrong parity on this read data phase, -1 = never */
} target_plan;

typedef struct {
    target_plan plan;
    uint64_t address, first, start; /* first: column of the first address phase, start: of the last */
    uint32_t attribute;
    unsigned command, count, dual, tag;
    unsigned phases;         /* data phases that moved */
    uint64_t response, last; /* columns */
    uint64_t frame_high, irdy_high;
} target_seen;

#define SEEN_MAX 4096
typedef struct host_target {
    target_plan normal; /* used when no plan is queued */
    target_plan queue[256];
    unsigned queued, used;
    int retry_reads; /* all reads are answered with Retry, whatever the plan says */
    target_seen seen[SEEN_MAX];
    unsigned count; /* transactions of the NIC seen */
    uint64_t data_phases;
} host_target;

/* Switches the target on; plan: DATA, decode 2, no waits, 64 bits. */
void host_target_on(bench *b);
/* Next plan for a transaction of the NIC, a copy of the normal one to be changed. */
target_plan *host_plan(bench *b, int kind);
/* Host memory as seen by the target: 64-bit words, 512 KB, addresses taken modulo that. */
uint64_t host_memory_word(bench *b, uint64_t address);

/* Transaction number i that the target has seen; fails the test if there is none. */
const target_seen *host_seen(const bench *b, unsigned i);
/* A DMA write of words first .. first + n - 1, waited for: it must end with this status, having popped n words. */
void host_write_and_wait(bench *b, uint64_t address, unsigned n, unsigned first, unsigned status);
/* The words first ... are in host memory at `address`. */
void host_check_memory(bench *b, uint64_t address, unsigned n, unsigned first);
/* The words read after the first `from` are n words of host memory at `address`, and no more have come. */
void host_check_read(bench *b, unsigned from, uint64_t address, unsigned n);

#endif
