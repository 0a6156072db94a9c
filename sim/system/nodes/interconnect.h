/* What the caches of a coherent node ask of their interconnect, counted from outside: broadcasts as snoop_switch shows
 * them (rtl/coherent/README.md).
 *
 *     interconnect *x = interconnect_new(n);          after cnode_new, before sim_run
 *     interconnect_counts c = interconnect_get(x);
 *
 * A miss is a READ or READ_EXCLUSIVE of a cache. Its cause: cold, the cache has not asked for this line before, nor was
 * it put there; coherence, another agent has taken the line away since then; else capacity, it has been evicted. */
#ifndef SIM_SYSTEM_NODES_INTERCONNECT_H
#define SIM_SYSTEM_NODES_INTERCONNECT_H

#include "sim/system/nodes/cnode.h"

enum {
    SNOOP_READ,
    SNOOP_READ_EXCLUSIVE,
    SNOOP_UPGRADE,
    SNOOP_WRITEBACK,
    SNOOP_UPDATE,
    SNOOP_INVALIDATE_WRITE,
    SNOOP_READ_ONCE,
    SNOOP_KINDS
};
/* "READ" ... */
extern const char *const snoop_kind_names[SNOOP_KINDS];

typedef struct cache_counts {
    uint64_t cold, capacity, coherence;     /* misses by cause */
    uint64_t upgrades, updates, writebacks; /* requests of other kinds */
    uint64_t snoops, found;                 /* broadcasts of others; of lines that it had */
    uint64_t invalidated;                   /* lines taken away */
    uint64_t updates_taken, updates_missed; /* UPDATEs of others that it merged; that it had no line for */
    uint64_t allocated;                     /* lines that were put there, or read because the interconnect said so */
} cache_counts;

typedef struct interconnect_counts {
    uint64_t clocks, data; /* all; those in which data move */
    uint64_t by_kind[SNOOP_KINDS];
    cache_counts cache[COHERENT_CPUS];
} interconnect_counts;

typedef struct interconnect interconnect;

/* NULL: no memory is left, or the chip has no such signals (sim_fail). */
interconnect *interconnect_new(cnode *n);
/* Before the node. NULL is allowed. */
void interconnect_free(interconnect *x);
/* Since interconnect_clear, or the start; what lines a cache has had is kept. */
interconnect_counts interconnect_get(const interconnect *x);
void interconnect_clear(interconnect *x);
/* Called with each broadcast, in the sample phase; kind, number of the line, agent 0, 1 (caches) or 2. NULL removes it.
 */
void interconnect_on_broadcast(interconnect *x, void (*fn)(void *self, unsigned kind, uint32_t line, unsigned source),
                               void *self);

#endif
