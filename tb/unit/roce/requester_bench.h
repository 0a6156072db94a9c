/* Bench for the requester of the RoCE chip: TX, the responses, the registers and the memory around it, and a checker
 * who works out from the posted WQEs alone (S5 table 2-1, IBA 9) what each packet and each completion must be.
 *
 *   software   rq_open makes a QP ready, rq_post puts a WQE into its queue, rq_ring rings its doorbell
 *   TX         takes commands, each is checked: its PSN says which packet of which WQE it must be; rq_command gives
 * them one by one peer       with `peer` on: executes packets in order and answers as IBA wants, with losses, doubles
 * and RNR NAKs at random; else rq_respond drives responses word by word memory     sim/model/axi's, with monitors at
 * all three ports; entries and doorbells are checked as they come: order, contents, and that a WQE completes only after
 * the peer has executed it, or after all its data are in memory, and when TX has no packet of it
 *
 * The first violated rule is in `wrong`. rq_end fails unless it is empty. */
#ifndef TB_REQUESTER_BENCH_H
#define TB_REQUESTER_BENCH_H

#include <stdint.h>

#include "roce_frames.h"
#include "roce_requester.h"
#include "sim/model/axi/axi_memory.h"
#include "simulation.h"

enum { RQ_QPS = 64, RQ_WORKS = 4096, RQ_LOG = 1 << 15, RQ_WIRE = 1 << 12 };
enum { RQ_WRITE = 0, RQ_SEND = 2, RQ_READ = 4 }; /* of a WQE */
/* Where things are in memory. */
#define RQ_SQ(qp) (0x100000u + (qp)*0x4000u)
#define RQ_CQ(qp) (0x400000u + (qp)*0x400u)
#define RQ_DB(qp) (0x500000u + (qp)*4u)
#define RQ_ERRORS 0x600000u

/* A WQE and its progress. */
typedef struct rq_work {
    uint16_t wrid;
    uint8_t opcode, sdata[16];
    uint32_t length, rtag;
    uint64_t laddr, roffset;
    unsigned refused;        /* reasons for which it must be refused, rtl/roce/roce_wqe_packet.v */
    uint32_t first, packets; /* PSN of its first packet, PSNs that it has */
    uint32_t executed;       /* packets that the peer has executed */
    uint32_t got, put;       /* packets of a READ's answer accepted, and in memory */
    unsigned in_tx;          /* packets that TX has */
} rq_work;

typedef struct rq_command {
    uint64_t clock;
    unsigned qp, opcode, psn, ackreq, inline_, length, work;
    uint64_t va;
    uint32_t rkey, dma_length, addr;
} rq_command;

typedef struct rq_answer {
    unsigned qp, psn, write, drop, fatal, code;
    uint32_t addr, error;
    uint64_t clock;
} rq_answer;

typedef struct rq_response {
    unsigned qp, opcode, psn, syndrome, length;
    uint64_t due;
} rq_response;

typedef struct rq_qp {
    rq_work work[RQ_WORKS];
    unsigned posted, entries, completed; /* WQEs posted, entries written, doorbells rung */
    unsigned depth, mtu, conf;
    unsigned error_from; /* WQEs from this one on must have ERRFLAG */
    uint32_t next;       /* PSN of the next WQE */
    unsigned refused;
    unsigned interrupts;
    uint32_t expected; /* the peer's PSN */
    unsigned peer_work;
    int naked;
} rq_qp;

/* Faults of the bench on purpose, for its own checks. */
typedef enum {
    RQ_NOTHING,
    RQ_PSN_WRONG,
    RQ_ADDRESS_WRONG,
    RQ_LENGTH_WRONG,
    RQ_ACKREQ_WRONG,
    RQ_PLACE_WRONG,
    RQ_ENTRY_WRONG,
    RQ_ENTRY_LOST,
    RQ_DOORBELL_WRONG,
    RQ_EARLY,
    RQ_FAULTS
} rq_fault;

typedef struct rq_bench {
    sim *s;
    sim_clock *clk;
    roce_requester *m;
    const roce_requester_ports *p;
    axi_memory *memory;
    int wr_port;
    unsigned bytes, qps;
    uint64_t clock;
    uint32_t cfg[128][QP_WORDS];
    unsigned cfg_addr;
    rq_qp *qp;
    char wrong[240];
    rq_fault fault;

    /* knobs: percentages are chances */
    int peer;
    unsigned cmd_ready, sent_delay, put_delay, db_ready, ring_delay;
    unsigned lose, twice, swap, rnr, wire; /* per packet, each way; clocks each way */
    unsigned tick_clocks;
    int merges;             /* a doorbell may report any number of completions: QPs are off for a while */
    unsigned sent_error_at; /* number of a command, from 1 on, that is not sent; 0: none */
    unsigned put_error_at;  /* number of an answer's data, from 1 on, that do not get into memory */

    rq_command command[RQ_LOG];
    unsigned commands, looked;
    rq_answer answer[RQ_LOG];
    unsigned answers, asked;
    rq_response to_rsp[RQ_WIRE]; /* on the way to the requester */
    unsigned rsp_first, rsp_count;
    struct {
        rq_command c;
        uint64_t due;
    } to_peer[RQ_WIRE];
    unsigned peer_first, peer_count;
    struct {
        uint64_t due;
        unsigned qp, work, error;
    } sents[RQ_WIRE];
    unsigned sent_first, sent_count, sent_number;
    struct {
        uint64_t due;
        unsigned qp, work, error;
    } puts[RQ_WIRE];
    unsigned put_first, put_count, put_number;
    unsigned retries, fatals, illegals, done;
    struct {
        unsigned qp, code, opcode, psn;
    } error[256];
    unsigned errors;
    uint64_t last_doorbell; /* clock */

    /* doorbells and registers to be driven */
    int sq_ring, own_busy, set_fatal, rnr_set;
    unsigned sq_qp, sq_pi, set_fatal_qp;
} rq_bench;

/* bytes 8 or 64; qps 8, or 64 with 8 bytes. Out of reset, all knobs friendly: no delay, no loss. */
rq_bench *rq_new(unsigned bytes, unsigned qps, uint64_t seed);
/* Without a line on stderr if it ends badly: for its own checks. */
rq_bench *rq_new_quiet(uint64_t seed);
/* QPCONF bits, path MTU code, first PSN, depth; TIMEOUTCONF: v 10, 3 retries, 3 RNR retries. */
void rq_open(rq_bench *b, unsigned qp, unsigned conf, unsigned mtu_code, uint32_t psn, unsigned depth);
void rq_timeouts(rq_bench *b, unsigned qp, unsigned v, unsigned retries, unsigned rnr_retries);
void rq_rdlimit(rq_bench *b, unsigned qp, unsigned limit);
void rq_enable(rq_bench *b, unsigned qp, int on);
void rq_switch(rq_bench *b, unsigned qp, int on); /* alone, in one clock: without the start of rq_enable */
/* Registers. */
uint32_t rq_read(rq_bench *b, unsigned qp, unsigned word);
void rq_write(rq_bench *b, unsigned qp, unsigned word, uint32_t value);
/* A WQE; fields that are 0 are made up, except opcode and length. Its number. */
unsigned rq_post(rq_bench *b, unsigned qp, rq_work w);
unsigned rq_post_simple(rq_bench *b, unsigned qp, unsigned opcode, uint32_t length);
void rq_ring(rq_bench *b, unsigned qp);
void rq_run(rq_bench *b, unsigned clocks);
/* The next command; fails if none comes in `clocks`. */
rq_command *rq_next(rq_bench *b, unsigned clocks);
/* Fails if one comes. */
void rq_silence(rq_bench *b, unsigned clocks);
/* A response, and the answer to it. */
rq_answer *rq_respond(rq_bench *b, unsigned qp, unsigned opcode, uint32_t psn, unsigned syndrome, unsigned length);
rq_answer *rq_ack(rq_bench *b, unsigned qp, uint32_t psn);
/* Until this many WQEs of the QP are complete. */
void rq_completed(rq_bench *b, unsigned qp, unsigned count, unsigned clocks);
/* Passes if no error was recorded and every expected item was checked. */
void rq_end(rq_bench *b);
int rq_complain(rq_bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Each rule with both widths and from all PSNs. */
enum { KINDS = 2 * STARTS };
static inline rq_bench *bench_of(int kind) { return rq_new(kind & 1 ? 64 : 8, 8, (uint64_t)kind); }
static inline uint32_t start_of(int kind) { return psn_starts[kind / 2]; }

/* The next packets have the PSNs first .. first + count - 1, counted from the start; then none comes for a while. */
static inline void packets_are(rq_bench *b, int kind, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_uint_eq(rq_next(b, 300)->psn, (start_of(kind) + first + i) & 0xffffff);
    rq_silence(b, 200);
}

#endif
