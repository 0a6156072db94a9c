/* A host at work with a storage node (roce_storage_node.h): reads and writes of blocks at queue depth 1, 2, 4 ..., and
 * their checker.
 *
 *     roce_storage_params p = roce_storage_defaults();
 *     roce_storage *t = roce_storage_new(system, &p, error);
 *     sim_run(...)                                             until all tasks have ended, then roce_storage_complete
 *     roce_storage_phases(t, &count)
 *
 * The host is the NIC in C; its software takes no time. One phase after the other: reads at each depth, then writes at
 * each depth. In a phase as many commands are under way as the depth says, for blocks at random, none of them twice at
 * once. A block's content follows from the seed, its number and how often it was written.
 *
 * Judged: every byte of a block that was read, in the moment of its answer; every byte of a block that was written, in
 * the store in the moment of its answer; every answer; at the end the whole store. A mismatch ends the run with
 * sim_fail.
 */
#ifndef SIM_APP_ROCE_STORAGE_ROCE_STORAGE_H
#define SIM_APP_ROCE_STORAGE_ROCE_STORAGE_H

#include "sim/app/roce/board/roce_system.h"
#include "sim/app/roce/storage/roce_storage_node.h"

enum { ROCE_STORAGE_DEEPEST = 64 };

typedef struct roce_storage_params {
    unsigned deepest;  /* depths are 1, 2, 4 ... up to it, 1..64; default 64 */
    unsigned commands; /* of a phase, 1..1000000; default 256 */
    unsigned blocks;   /* of the store, 64..16384; default 256 */
    unsigned pmtu;     /* [bytes] default 4096 */
    unsigned ip;       /* 4 or 6; default 4 */
    unsigned timeout;  /* code of both ends, 1..31; default 5: 131 us */
    unsigned reads;    /* READs of the node outstanding, 1..16; default 16 */
    unsigned access;   /* [clocks] of the node to memory, 1..100000; default 20, as axi_memory's */
    unsigned
        beyond; /* each `beyond`-th command asks for a block beyond the store, and must be refused; default 0: none */
} roce_storage_params;
roce_storage_params roce_storage_defaults(void);

typedef struct roce_storage_phase {
    unsigned operation; /* STORAGE_READ, STORAGE_WRITE */
    unsigned depth, answered;
    uint64_t bytes;       /* of blocks */
    sim_time first, last; /* [ps] when the first command was posted, when the last answer had come */
    sim_time mean,
        ninety_nine; /* [ps] from a command's posting to its answer: mean; the least that 99 % do not exceed */
} roce_storage_phase;

typedef struct roce_storage roce_storage;

/* -1: a parameter is out of range: `error` names it and the expectation. */
int roce_storage_check(const roce_storage_params *params, char error[ROCE_SYSTEM_ERROR]);

/* Makes its tasks. NULL: a parameter is out of range (`error` names it and the expectation), or no memory. */
roce_storage *roce_storage_new(roce_system *y, const roce_storage_params *params, char error[ROCE_SYSTEM_ERROR]);
void roce_storage_free(roce_storage *t);
const roce_storage_phase *roce_storage_phases(const roce_storage *t, unsigned *count);
/* Address of block 0 of the store in the chip's memory; 0 as long as there is none. */
uint64_t roce_storage_store(const roce_storage *t);
/* All has been answered and checked, and nothing is under way. */
int roce_storage_complete(const roce_storage *t);
/* Commands answered, and commands in all. */
void roce_storage_progress(const roce_storage *t, uint64_t *answered, uint64_t *all);
/* Which commands wait for what: a line for each, at most `lines` of them. */
void roce_storage_print_missing(const roce_storage *t, FILE *out, unsigned lines);
/* A line for each phase; the same for JSON, as an array. */
void roce_storage_print(const roce_storage *t, FILE *out);
struct json_t *roce_storage_json(const roce_storage *t);

#endif
