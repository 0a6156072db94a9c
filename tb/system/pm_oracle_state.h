/* State of the oracle and what its parts share: pm_oracle.c and, of the outputs with locks, pm_oracle_locks.c. */
#ifndef TB_SYSTEM_PM_ORACLE_STATE_H
#define TB_SYSTEM_PM_ORACLE_STATE_H

#include "pm_oracle.h"

enum { PORTS = 16, FLIGHT = 64, NOBODY = -1, INSIDE = 2 /* clocks through the egress card */ };

/* Part of a packet in a unit, in a crosspoint or under way to it. */
typedef struct part {
    uint32_t packet;
    unsigned words, unit; /* unit: words of the unit that begins with this part, else 0 */
    int ends;             /* the packet ends with it */
    uint64_t came;        /* its first word at the column; in reassembly: the clock from which the packet is sure */
} part;

typedef struct parts {
    part *ring;
    uint32_t size, get, put;
} parts;

typedef struct flow {
    uint32_t *packets, come, size; /* numbers of journeys, all that the VOQ ever had */
    uint32_t head;                 /* the first that is not all in units */
    unsigned sent;                 /* words of it that are */
    unsigned waiting;              /* words in the VOQ */
    unsigned room;                 /* credit that the card has */
    parts crosspoint, reassembly;
    uint32_t sure; /* the last packet in reassembly, plus 1 */
    unsigned owed; /* words: credit that waits in the row */
    int urgent, notice;
    uint32_t notice_packet;
    uint64_t owed_since;
} flow;

typedef struct credit {
    uint64_t counts; /* clock from which the input's choice knows it */
    unsigned output, words;
    int notice;
    uint32_t packet;
} credit;

typedef struct input {
    uint64_t free; /* the next choice */
    unsigned last; /* served */
    int within;    /* its last unit ended within a packet */
    int notice, mode;
    uint32_t notice_packet, mode_packet;
    /* its row of the crossbar */
    credit flight[FLIGHT];
    unsigned get, put;
    uint64_t row_free, urgent_comes;
    unsigned row_last;
    /* its lock */
    int holder;
    unsigned holder_last;
    uint32_t locked_packet;
    uint64_t unlock;
} input;

/* Unit of an output: a unit; with locks, a part. */
typedef struct taken {
    uint64_t sent; /* its first word leaves the column */
    unsigned from, words;
    int locked, notice, begins;
    uint32_t packet;
} taken;

typedef struct output {
    uint64_t free, start;
    unsigned last, from;
    int starting, mode, look; /* mode: input it stays with */
    unsigned looked;          /* looks back in a row that found something */
    /* with locks */
    int asks, serves, locked, first_part;
    taken taken[8];
    unsigned get, put, counted;
    unsigned words, marked, overdue; /* words since the last mark; inputs */
    /* egress card */
    uint64_t line_free;
    unsigned line_last;
} output;

typedef struct oracle {
    pm_oracle_params p;
    pm_journey *j;
    size_t count, left;
    uint64_t clock;
    flow flow[PORTS][PORTS];
    input in[PORTS];
    output out[PORTS];
    char error[200];
} oracle;

/* The first of `mask` behind `last`, in cyclic order. */
static inline unsigned round_robin(unsigned mask, unsigned last)
{
    unsigned above = mask & ~((2u << last) - 1);
    return (unsigned)__builtin_ctz(above ? above : mask);
}

static inline part *at(const parts *q, uint32_t k) { return &q->ring[k & (q->size - 1)]; }

static inline part *head(const parts *q) { return q->get == q->put ? NULL : at(q, q->get); }

void oracle_fail(oracle *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Credit for words that leave a crosspoint waits in the input's row. */
void oracle_owe(oracle *s, flow *f, unsigned words, int urgent, int notice, uint32_t packet);
/* The packet's first word is at the egress card, or fetched there, and all follow. */
void oracle_leaves(oracle *s, uint32_t packet, uint64_t clock);

#endif
