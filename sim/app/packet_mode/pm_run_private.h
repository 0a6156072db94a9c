/* A run in its parts: traffic into the lines (pm_run_in.c), checks of the lines out (pm_run_out.c), and its window,
 * pins and results (pm_run.c). */
#ifndef SIM_APP_PACKET_MODE_PM_RUN_PRIVATE_H
#define SIM_APP_PACKET_MODE_PM_RUN_PRIVATE_H

#include <string.h>

#include "sim/app/packet_mode/pm_run.h"
#include "sim/core/kernel/sim.h"

enum {
    ERRORS = 6,
    EVENTS = 5,
    FIXED_IQ = 10,   /* clocks of an idle IQ */
    STAIRCASE = 4,   /* packets of each flow that wait when the staircase begins */
    STAIRS = 131080, /* ... in this clock, the first of a cell; */
    STEPS = STAIRS + 1000,
    LEAD = 131072 /* clocks from which on whole packets are brought to the cards before their instants; half of a card's
                     memory */
};

/* Kind of a flow besides its input and output: a sum of these. */
enum { HIGH = 1, SET = 2, CLASSES = 4, FLOWS = 0xf20 };

/* A packet on its way to an output. */
typedef struct packet {
    uint64_t first, link, column;
    uint32_t words;
    uint32_t number; /* in its payload: within its flow, or of all of its input that name sets */
    int64_t ideal;   /* clocks that it waits in the ideal switch; -1: not known yet */
} packet;

/* Packets of a flow from the oldest that has not left on; a ring. */
typedef struct flow {
    packet *ring;
    uint32_t size, put, brought, counted, leave, offset; /* packets; words of the one that leaves */
    uint64_t moved; /* when a word left last, or the first one of those that wait came */
} flow;

/* A packet, or copy of one, on the line in. */
typedef struct sending {
    pm_packet packet;
    uint32_t number;
    int left_out; /* only its time is taken */
} sending;

typedef struct line {
    pm_packet next; /* that comes in */
    pm_packet held; /* the next one that counts, of arrivals of whole packets */
    sending *queue; /* packets to send, a ring: one packet, or waiting copies */
    uint32_t size, put, take, offset;
    uint32_t sets[PM_PRIORITIES]; /* packets that named sets */
    int leaving[PM_PRIORITIES];   /* input whose packet goes out, -1: none */
} line;

typedef struct run {
    const pm_run_params *p;
    pm_result *r;
    sim *s;
    unsigned ports, port_bits;
    int cells;                 /* the bufferless one */
    unsigned priorities, sets; /* the switch has two priorities; takes sets of outputs */
    int mixes;                 /* on a line out packets of high priority come between words of others */
    unsigned scheduling;       /* clocks of a decision */
    uint64_t clock, fixed;
    uint64_t moved,
        patience; /* when a word left last; clocks that a flow may wait for its next one, 0: not looked at */
    int stuck;    /* the run ends early: a card's memory is full, or packets of the window do not leave */
    int64_t inside, of[PM_PORTS], memory; /* words in the switch; from each input; capacity of a card */
    int closed;                           /* nothing new comes any more; then there were still ... */
    uint64_t left[PM_PRIORITIES];         /* ... packets of the window */
    uint64_t waiting[2][PM_PRIORITIES];   /* packets in the switch: of the window; of its possible extension */
    uint64_t first, last, input, priority, multicast; /* pins of the lines out in this clock */
    uint64_t midway;                                  /* lines out that are within a packet */
    int counting;                                     /* this clock is in the window or its possible extension */
    /* Words of each flow and priority that have come and are not on the link yet, that are on the link or in the
     * crosspoint. Not counted where packets name sets: with these a word is in several places. */
    enum { UNCOUNTED, VOQS, VOQS_AND_CROSSPOINTS } levels;
    int32_t in_voq[FLOWS], in_crosspoint[FLOWS]; /* by place_of */
    /* pins */
    uint8_t *rst, *line_held;
    sim_port line_valid, line_first, line_output, line_words, out_valid, out_first, out_last, out_input, link_valid,
        column_valid;
    sim_port line_priority, line_set, line_multicast, out_priority, out_multicast; /* where the switch has them */
    sim_port weight_write, weight_input, weight_output, weight;
    sim_port error[ERRORS], event[EVENTS], egress_most, line_full;
    uint8_t *line_word, *out_word, *link_word, *column_word;
    sim_port line_release, release_output;
    pm_arrivals arrivals,
        releases; /* whole packets: as they are brought to the cards, and as they count, LEAD clocks later */
    pm_ideal ideal;
    line line[PM_PORTS];
    flow flow[CLASSES][PM_PORTS][PM_PORTS];
    pm_statistics *statistics, *of_priority[PM_PRIORITIES]; /* of all packets; of each priority, if that is asked for */
} run;

static inline packet *at(const flow *f, uint32_t number) { return &f->ring[number & (f->size - 1)]; }

/* The payload: input, class and output (0 with a set), number, offset. */
static inline uint64_t word_of(unsigned input, unsigned class, unsigned output, uint32_t number, unsigned offset)
{
    return (uint64_t)input << 56 | (uint64_t)(class << 4 | (class & SET ? 0 : output)) << 48 | (uint64_t)number << 16 |
           offset;
}

/* The flow of a word, without sets: its input, priority and output. */
static inline unsigned place_of(uint64_t word) { return word >> 48 & 0xf1f; }

/* More words in a place; `most` is its high-water mark. */
static inline void rises(int32_t *level, unsigned words, unsigned *most)
{
    unsigned now = (unsigned)(*level += (int32_t)words);
    if ((int32_t)now > (int32_t)*most) *most = now;
}

static inline unsigned class_of(const pm_packet *p) { return (p->priority ? HIGH : 0) + (p->set ? SET : 0); }

/* Packets come whole. */
static inline int held(const run *r)
{
    return r->p->traffic.process == PM_INSTANT || (r->p->traffic.process == PM_STAIRCASE && r->clock < STEPS);
}

/* As pm_statistics_part says. */
static inline int part_at(const run *r, uint64_t clock) { return pm_statistics_part(r->statistics, clock); }

/* The words on the lines in, `now` clocks after reset. */
void pm_run_in(run *r, uint64_t now);
/* The next packet of an input. */
pm_packet pm_run_next(run *r, unsigned i);
/* Checks the words of this clock on the lines out, the errors that the hardware reports, and waiting flows. */
void pm_run_out(run *r);
/* Clocks that a flow may wait for its next word; 0: for ever. */
uint64_t pm_run_patience(const run *r);

#endif
