/* Bench for dma_resequencer, with a list per source: packets delivered by each path, written, notified. It checks of
 * each notification whether it may be now, and how it must be flagged; of each number timed out whether one of the
 * rules of the module's head allows it; and how long something may wait for which a rule allows it to go on. The first
 * error is in `wrong`. */
#ifndef TB_RESEQUENCER_BENCH_H
#define TB_RESEQUENCER_BENCH_H

#include "dma_resequencer.h"
#include "simulation.h"

enum {
    SOURCES = 8,
    MOST_PATHS = 4,
    KEPT = 2048,  /* numbers of a source that the list holds */
    TAKEN = 200,  /* [clocks] from the module's note until it is taken, at most */
    LAG = 4000,   /* [clocks] for a search over all sources while others also go on */
    NOTIFIES = 4, /* header [54], [53], [52] as bits 2, 1, 0 */
    INTERRUPTS = 1
};

typedef enum { NOWHERE, WRITING, HERE, GONE } state;

struct packet {
    state state;
    unsigned flags, damaged;
    uint32_t address;
    uint64_t came;
};

struct source {
    struct packet at[KEPT];
    unsigned held;                /* of these WRITING or HERE */
    uint64_t next;                /* all below have been notified, passed or lost */
    uint64_t sent;                /* number that the sender uses next */
    uint64_t brought[MOST_PATHS]; /* number behind the last one that each path has brought; 0: none */
    uint64_t on_way[MOST_PATHS][KEPT], first[MOST_PATHS], count[MOST_PATHS];
    uint64_t went_on;    /* clock of the last notification */
    uint64_t late_since; /* clock of the first of several late packets */
    unsigned mark, forced, late_run;
    uint64_t stuck;
};

struct bench {
    sim *s;
    sim_clock *clk;
    sim_model *model;
    dma_resequencer *m;
    unsigned paths, in_use, places, timeout, slow;
    struct source of[SOURCES];
    uint64_t lost, late, notified, flagged, clock;
    char wrong[200];
};

struct bench *reseq_bench_new(const sim_config *config, uint64_t seed);
/* Which paths are used by all sources, and the time-out [clocks]. */
void reseq_set_up(struct bench *b, unsigned in_use, unsigned timeout);
/* A packet arrives, is written for some clocks, and done. */
void reseq_arrive(struct bench *b, unsigned s, unsigned path, uint64_t number, unsigned flags, unsigned damaged,
                  unsigned clocks);
void reseq_clock(struct bench *b);
/* Takes due reports, as the caller does between two packets. */
void reseq_take_notes(struct bench *b);
/* Both, for some clocks. */
void reseq_idle(struct bench *b, unsigned clocks);
void reseq_set_state(struct source *x, struct packet *p, state state);
/* A random number below n. */
unsigned reseq_below(struct bench *b, unsigned n);
/* Records an error, if it is the first. */
void reseq_complain(struct bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails if there was an error. */
void reseq_good(struct bench *b);

#endif
