/* Plays the NIC at the memory port: shows requests one after the other, each from its clock on until it is taken, and
 * writes down events as text: commands to the chips and answers, with their clocks. */
#ifndef EXTERNAL_BENCH_H
#define EXTERNAL_BENCH_H

#include "sim/model/external/external.h"
#include "test.h"

enum { BENCH_REQUESTS = 20000, BENCH_TEXT = 8192 };

typedef struct request {
    uint64_t from; /* first clock in which it may be shown */
    uint64_t word;
    int write;
    uint64_t data;
    uint8_t tag;
    uint16_t enables;
} request;

typedef struct external_bench {
    sim *s;
    sim_clock *clock;
    external *m;
    uint8_t valid, we, ready, rvalid;
    uint32_t addr, wdata[3], rdata[3];
    uint16_t be;
    /* script */
    request requests[BENCH_REQUESTS];
    unsigned count;
    unsigned shown;       /* place of the request on the pins, or of the next one */
    unsigned outstanding; /* reads */
    unsigned most;        /* reads kept outstanding at most; default EXTERNAL_READS */
    /* record */
    uint64_t now;
    uint64_t taken_at[BENCH_REQUESTS];
    uint64_t answered_at[BENCH_REQUESTS];
    uint64_t answer[BENCH_REQUESTS]; /* of the nth read */
    uint8_t answer_tag[BENCH_REQUESTS];
    unsigned answers;
    char commands[BENCH_TEXT];    /* "2 ACTIVATE 0 0; 4 READ 0 0; " */
    char read_clocks[BENCH_TEXT]; /* "7 8 " */
} external_bench;

/* Stops the test if the parameters are refused. */
external_bench *external_bench_new(const external_params *p, uint64_t seed);
void external_bench_read(external_bench *b, uint64_t from, uint64_t word);
void external_bench_write(external_bench *b, uint64_t from, uint64_t word, uint64_t data, uint8_t tag,
                          uint16_t enables);
/* Runs for this many clocks; the result of sim_run must be `expected`. */
void external_bench_run(external_bench *b, uint64_t clocks, int expected);

#endif
