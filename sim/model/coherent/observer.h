/* Observer of the coherent memory system (rtl/coherent/coherent_memory.v): looks at the pins of both processors and at
 * the interconnect in every clock, and drives nothing.
 *
 *     observer_pins pins = OBSERVER_PINS(m);                  m: a binding of coherent_memory
 *     observer *o = observer_new(sim, clock, &pins, peek, memory);
 *
 * It keeps its own memory, in which writes take effect in the order of the interconnect, and checks:
 *
 *   value   a load, an atomic load, a line that the network interface reads give the newest value, word by word
 *   owner   a cache stores without UPDATE only if nobody else can hold the line; one that answers E or M is the only
 * one lost    a line that has been stored to is answered as M until memory has it half    no access to a line ends
 * while an UPDATE of it is being merged truth   memory, where no cache has M, is what has been written
 * (observer_check_memory) waits   nothing waits longer than `bound` clocks, if that is set
 *
 * The first violation is kept: rule, clock and words; sim_fail reports it, unless a test wants it (quiet). What is
 * counted per cache is for tables. A reset makes it forget all lines: the caches are empty, memory is the truth. Lines
 * that a program changes behind the port (peek's memory) must be forgotten. */
#ifndef SIM_MODEL_COHERENT_OBSERVER_H
#define SIM_MODEL_COHERENT_OBSERVER_H

#include <stdint.h>

#include "sim/core/kernel/sim.h"

enum { OBSERVER_WORDS = 4 /* of 64 bits in a line */ };

typedef enum observer_kind {
    OBSERVER_READ,
    OBSERVER_READ_EXCLUSIVE,
    OBSERVER_UPGRADE,
    OBSERVER_WRITEBACK,
    OBSERVER_UPDATE,
    OBSERVER_INVALIDATE_WRITE,
    OBSERVER_READ_ONCE,
    OBSERVER_KINDS
} observer_kind;

typedef enum observer_rule {
    OBSERVER_FINE,
    OBSERVER_VALUE,
    OBSERVER_OWNER,
    OBSERVER_LOST,
    OBSERVER_HALF,
    OBSERVER_TRUTH,
    OBSERVER_WAITS
} observer_rule;

/* Ports of coherent_memory; what is wider than 64 bits in words of 32, lowest first. */
typedef struct observer_pins {
    const uint8_t *rst, *request, *rnw, *size2, *cancel, *addrack, *rddack, *wrdack, *busy;
    const uint64_t *abus;
    const uint16_t *be;
    const uint32_t *wrdbus, *rddbus;
    const uint8_t *snoop_valid, *snoop_kind, *snoop_source, *snoop_allocate, *snoop_cache, *snoop_done;
    const uint32_t *snoop_line;
    const uint8_t *answer_has, *answer_supplies, *answer_dirty, *answer_takes, *ni_has;
    const uint8_t *ni_tag, *ni_word, *ni_out_take, *ni_out_word, *ni_out_mask, *ni_in_valid, *ni_in_word, *ni_in_tag;
    const uint64_t *ni_out_data, *ni_in_data;
} observer_pins;

#define OBSERVER_PINS(m)                                                                                               \
    ((observer_pins){.rst = (m)->rst,                                                                                  \
                     .request = (m)->request,                                                                          \
                     .rnw = (m)->rnw,                                                                                  \
                     .size2 = (m)->size2,                                                                              \
                     .cancel = (m)->cancel,                                                                            \
                     .addrack = (m)->addrack,                                                                          \
                     .rddack = (m)->rddack,                                                                            \
                     .wrdack = (m)->wrdack,                                                                            \
                     .busy = (m)->busy,                                                                                \
                     .abus = (m)->abus,                                                                                \
                     .be = (m)->be,                                                                                    \
                     .wrdbus = (m)->wrdbus,                                                                            \
                     .rddbus = (m)->rddbus,                                                                            \
                     .snoop_valid = (m)->snoop_valid,                                                                  \
                     .snoop_kind = (m)->snoop_kind,                                                                    \
                     .snoop_source = (m)->snoop_source,                                                                \
                     .snoop_allocate = (m)->snoop_allocate,                                                            \
                     .snoop_cache = (m)->snoop_cache,                                                                  \
                     .snoop_done = (m)->snoop_done,                                                                    \
                     .snoop_line = (m)->snoop_line,                                                                    \
                     .answer_has = (m)->answer_has,                                                                    \
                     .answer_supplies = (m)->answer_supplies,                                                          \
                     .answer_dirty = (m)->answer_dirty,                                                                \
                     .answer_takes = (m)->answer_takes,                                                                \
                     .ni_has = (m)->ni_has,                                                                            \
                     .ni_tag = (m)->ni_tag,                                                                            \
                     .ni_word = (m)->ni_word,                                                                          \
                     .ni_out_take = (m)->ni_out_take,                                                                  \
                     .ni_out_word = (m)->ni_out_word,                                                                  \
                     .ni_out_mask = (m)->ni_out_mask,                                                                  \
                     .ni_in_valid = (m)->ni_in_valid,                                                                  \
                     .ni_in_word = (m)->ni_in_word,                                                                    \
                     .ni_in_tag = (m)->ni_in_tag,                                                                      \
                     .ni_out_data = (m)->ni_out_data,                                                                  \
                     .ni_in_data = (m)->ni_in_data})

/* Of one cache. A miss is cold if the line was never there, coherence if a snoop took it away, else capacity. */
typedef struct observer_cache_stats {
    uint64_t loads, stores, atomics; /* that have ended */
    uint64_t hits;                   /* without a broadcast */
    uint64_t cold, capacity, coherence, upgrades;
    uint64_t load_clocks;           /* of all loads, from request to data */
    uint64_t worst_hit, worst_wait; /* [clocks] of a load that hit; of any word, behind the one before it */
    uint64_t snoops, snoops_found;  /* of others */
    uint64_t updates_merged, updates_missed, allocated;
} observer_cache_stats;

typedef struct observer_stats {
    uint64_t clocks, busy;                  /* of the interconnect: from a broadcast until its words have moved */
    uint64_t broadcasts[3][OBSERVER_KINDS]; /* by agent */
    observer_cache_stats cache[2];
} observer_stats;

typedef struct observer observer;

/* peek(memory, word) gives a word of 64 bits of the memory behind the port, by number; called when a line is first
 * broadcast. NULL: no memory is left. */
observer *observer_new(sim *s, sim_clock *clock, const observer_pins *pins,
                       uint64_t (*peek)(void *memory, uint64_t word), void *memory);
void observer_free(observer *o);
/* After it a violation only is kept. */
void observer_quiet(observer *o);
/* Longest wait of a processor's word, from its request or the end of the one before it, and of the words that a
 * broadcast moves [clocks]; 0: any. */
void observer_bound(observer *o, uint64_t clocks);

/* Rule and text of the first violation; OBSERVER_FINE and "". */
observer_rule observer_violation(const observer *o, const char **text);
/* All lines that have been broadcast and that no cache has in M, when nothing is under way. */
void observer_check_memory(observer *o);
/* A word as it is now by the order of the interconnect; of a line never broadcast: what memory has. */
uint64_t observer_word(observer *o, uint64_t word);
void observer_forget(observer *o);

observer_stats observer_get_stats(const observer *o);
const char *observer_kind_name(observer_kind k);

#endif
