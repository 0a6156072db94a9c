/* Bench for the coherent network interface with part A (coherent_ni): interconnect, memory, processor ports and link in
 * C, on one clock.
 *
 *   interconnect   takes a request after a random time, one broadcast at a time with the timing of
 *                  rtl/coherent/README.md; memory is an array, and no cache has a line. cni_snoop() makes a broadcast
 * of another agent and returns what the NI answered registers      cni_write(), cni_read() by a processor port N2H
 * cni_packet() queues a packet; its words come every `pace` clocks H2N            packets are collected in `sent`,
 * checked against their headers, and reported as gone; their lanes get credit unless `blocked`
 *
 * Always checked: a request stays as it is until it is taken; a packet in H2N has no gap longer than the link bears,
 * its length, its sequence number; credits are kept. */
#ifndef TB_CNI_BENCH_H
#define TB_CNI_BENCH_H

#include "coherent_ni.h"
#include "coherent_register_map.h"
#include "simulation.h"
#include "sync_register_map.h"

enum { CNI_READ, CNI_READ_EXCLUSIVE, CNI_UPGRADE, CNI_WRITEBACK, CNI_UPDATE, CNI_INVALIDATE_WRITE, CNI_READ_ONCE };
enum { CNI_MEMORY_WORDS = 1 << 16, CNI_LANES = 8 };
enum { CNI_NOTIFY = 4, CNI_LOCAL = 2, CNI_IRQ = 1 }; /* header [54:52] */

/* A request as it was broadcast. */
typedef struct cni_request {
    unsigned kind, line, mask, full, allocate, cache; /* mask: of words */
    uint64_t clock;                                   /* of its broadcast */
} cni_request;

typedef struct cni_sent {
    uint64_t header; /* without the number */
    uint64_t data[64];
    unsigned last;  /* of its transfer */
    uint64_t clock; /* of its header */
} cni_sent;

typedef struct cni_bench {
    sim *s;
    sim_clock *clk;
    coherent_ni *m;
    uint64_t memory[CNI_MEMORY_WORDS];
    cni_request requests[4096];
    unsigned request_count;
    cni_sent sent[1024];
    unsigned sent_count, gone_count;
    unsigned patience;    /* clocks until a request is taken: 0 .. this */
    unsigned latency;     /* of a read of memory [clocks] */
    unsigned pace;        /* clocks for a word of N2H */
    unsigned blocked;     /* lanes without new credit */
    int direct;           /* CONTROL.DIRECT */
    unsigned group;       /* not 0: packets carry it instead of their number, in both directions */
    uint64_t snoop_clock; /* of the last broadcast of cni_snoop */
    uint64_t last_word;   /* clock in which the last word of a packet was first shown */
    /* inside */
    int quiet; /* in reset */
    uint64_t n2h[1 << 16][2];
    unsigned n2h_put, n2h_got, n2h_wait;
    int shown;
    unsigned number[128];
    struct {
        int busy, own, read, write;
        unsigned clock, kind, line, word, last, tag, beat;
        uint64_t data[4];
        cni_request *log;
    } b;
    struct {
        unsigned wait, line, tag, beat;
    } fill[4];
    unsigned fills;
    int was_valid;
    unsigned was_kind, was_line, waiting;
    int snoop_wanted, snoop_answer;
    unsigned snoop_kind, snoop_line;
    unsigned lane_units[CNI_LANES], lane_told[CNI_LANES], out_number[CNI_LANES];
    unsigned out_left, out_gap, gone_wait;
    struct {
        int valid, write, done;
        unsigned address, data;
        uint32_t result;
        int error;
    } access[2];
} cni_bench;

/* Reset, receive memory and part A cleared, CONTROL as given, credit on all lanes. */
cni_bench *cni_bench_new(unsigned control);
void cni_run(cni_bench *b, unsigned clocks);
/* Runs until nothing moves, `most` clocks at most. */
void cni_settle(cni_bench *b, unsigned most);
uint64_t cni_clock(const cni_bench *b);

/* By port 0, or 1; an error acknowledge fails the test, or is returned by _try. */
void cni_write(cni_bench *b, unsigned offset, uint32_t value);
uint32_t cni_read(cni_bench *b, unsigned offset);
int cni_try(cni_bench *b, unsigned port, int write, unsigned offset, uint32_t *value);

/* A packet of a source with its next number: header [54:52] flags, [31:0] address. `damage`: 1 bad body, 2 its number
 * is one too high, 4 header [63]. */
void cni_packet(cni_bench *b, unsigned source, unsigned flags, uint32_t address, const uint64_t *data, unsigned words,
                unsigned damage);
/* The word 0 of a slot, and [31:0] of an operation. */
uint64_t cni_descriptor(unsigned flow, unsigned flags, unsigned words, uint32_t address, unsigned phase);
uint32_t cni_operation(unsigned object, unsigned operation, unsigned operand);

/* A broadcast of cache 0; returns whether the NI has the line. */
int cni_snoop(cni_bench *b, unsigned kind, unsigned line);
uint64_t cni_random(cni_bench *b);
/* A hardware reset: everything on its way is gone on both sides. */
void cni_reset(cni_bench *b, unsigned control);

#endif
