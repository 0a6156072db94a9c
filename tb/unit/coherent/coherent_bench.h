/* coherent_memory with what is around it: a memory of random or fixed latency, a network interface that asks for lines
 * and shares some, two processors that show the next access while one is under way. The observer looks at all of it. */
#ifndef COHERENT_BENCH_H
#define COHERENT_BENCH_H

#include "coherent_memory_4.h"
#include "sim/model/coherent/observer.h"
#include "test.h"

/* Lines are places(0 .. LINES - 1): few sets, more lines than ways. */
enum { LINES = 8, MEMORY_WORDS = 1 << 12, ALLOCATE_HERE = OBSERVER_KINDS, TABLE_KINDS, TABLE_UNDER_WAY = 6 };

/* One access of a processor, or a request of the network interface. */
typedef struct plb_access {
    uint32_t address;
    int write, line, cancel; /* cancel: ABORT in that clock of the request, from 1 */
    uint8_t be;
    uint64_t data[4];
} plb_access;

typedef struct ni_request {
    unsigned kind, line, word, last, allocate, cache;
    uint64_t data[4];
    uint8_t mask[4];
} ni_request;

typedef struct coherent_bench {
    sim *s;
    sim_clock *clock;
    coherent_memory_4 *p;
    observer *o;
    uint64_t now;

    /* memory */
    uint64_t words[MEMORY_WORDS];
    unsigned latency, ready_percent; /* 1 .. latency clocks, or exactly -fixed */
    int fixed;
    struct {
        uint64_t data, at;
    } reads[16];
    unsigned first_read, read_count;
    uint64_t memory_reads, memory_writes;

    /* processors: `next` gives the next access of one, 0: none now; `done` is called with what was loaded */
    int (*next)(struct coherent_bench *, unsigned cpu, plb_access *);
    void (*done)(struct coherent_bench *, unsigned cpu, const plb_access *, const uint64_t *loaded);
    struct {
        plb_access asks, access; /* shown; acknowledged */
        int shown, waits;
        unsigned word, age;
        uint64_t loaded[4], asked, from;
        uint64_t pause; /* clocks until the next one is shown, from now on */
    } cpu[2];
    uint64_t accesses, errors;
    uint64_t clocks[2]; /* of the last access of each: from the request to its last data or until performed */

    /* registers: offsets from 0x100 on are refused; private PLBs: addresses from 0x1000 on */
    uint32_t registers[64];
    uint64_t private_words[2][64];
    unsigned delay; /* clocks until they answer */
    struct {
        unsigned age, word, busy;
        int accepted;
    } slave[2];
    uint32_t error_address;
    int error_write;

    /* network interface */
    int (*next_request)(struct coherent_bench *, ni_request *);
    void (*read_done)(struct coherent_bench *, unsigned line, const uint64_t *words);
    int shown;
    ni_request request, moving;
    unsigned tag, reads_open, open[2], read_line[2], read_words[2];
    uint64_t read_data[2][4];
    uint64_t ni_shown_at, ni_worst;
    int out_take;
    unsigned out_word;
    int shares[2]; /* lines that it holds, -1: none */
    uint32_t looked;
    int look, answers;
    uint64_t requests;

    /* state x request x own request under way, of cache c */
    uint32_t ticked[2][4][TABLE_KINDS][TABLE_UNDER_WAY];
    unsigned under_way[2], snooped, source;
    int age;
} coherent_bench;

/* A configuration's binding is `config`; seed as of quiet_sim. */
coherent_bench *coherent_bench_new(const sim_config *config, uint64_t seed);
/* Runs until `accesses` have been made in all and everything is idle; fails on a violation, and on an access that takes
 * more than `limit` clocks in all. */
void coherent_bench_run(coherent_bench *b, uint64_t accesses, uint64_t limit);
void coherent_bench_clocks(coherent_bench *b, uint64_t clocks);
/* Memory is what was written; call when idle. */
void coherent_bench_check(coherent_bench *b);
/* Number of line i. */
uint32_t place(unsigned i);
unsigned below(coherent_bench *b, unsigned n);

/* Scripts: one access or request at a time, to its end; the address of a word of line i. */
uint32_t at(unsigned i, unsigned offset);
uint32_t load(coherent_bench *b, unsigned cpu, uint32_t address);
void make_access(coherent_bench *b, unsigned cpu, plb_access *a); /* a->data: what was loaded */
void store(coherent_bench *b, unsigned cpu, uint32_t address, uint32_t value);
void request(coherent_bench *b, ni_request r);

#endif
