/* Bench of the whole receive path, roce_rx, of either width: everything around it in C.
 *
 *   MAC          frames are queued by rx_bench_frame and come in word by word, without a gap or with random ones
 * (idle_percent) registers    the rows of each QP in `rows`, read a clock after they are asked for; own_* by
 * rx_bench_own memory       memory_bench.h: one behind dr and rdrsp requester    answers each response after some
 * clocks, as `answer` says TX, software take ACKs, doorbells and other frames with random pauses, and log them
 *
 * Checker: rx_bench_expect names the messages that must arrive in a QP's receive queue, in order. At each doorbell the
 * bench looks into memory, in the clock in which it rings: the entry must hold the next message, byte by byte, its
 * length must be at RQLENBA, and the index must be the next one. ACKs must not name a packet before its message can be
 * read; an error is a text in `mistake`.
 */
#ifndef TB_RX_BENCH_H
#define TB_RX_BENCH_H

#include "memory_bench.h"
#include "roce_frames.h"
#include "roce_rx.h"

enum {
    RX_LOG = 4096,
    RX_EXPECTED = 600,
    ENTRY_BASE = 0x10000,
    LENGTHS = 0x8000,
    BELLS = 0x4000,
    READS = 0xc0000,
    ERRORS = 0x1000,
    STATUS = 0x2000
};

/* clang-format off */
#define RX_EVENTS(X)                                                                                                                       \
    X(in_all)                                                                                                                              \
    X(in_dropped)                                                                                                                          \
    X(in_send)                                                                                                                             \
    X(in_read_response)                                                                                                                    \
    X(in_ack) X(in_mad) X(in_invalid) X(in_duplicate) X(in_nak) X(in_marked) X(in_last_valid) X(irq_invalid) X(irq_mad) X(irq_rq)          \
        X(rnr_valid) X(set_fatal_valid) X(put_valid) X(put_error)
/* clang-format on */
#define RX_EVENT_NAME(name) EV_##name,
enum { RX_EVENTS(RX_EVENT_NAME) EV_COUNT };

struct rx_ack {
    unsigned qp, psn, syndrome, msn;
    uint64_t clock;
};

struct rx_bell {
    unsigned qp, index;
    uint64_t clock;
};

struct rx_response {
    unsigned qp, opcode, psn, syndrome, msn, length;
};

struct rx_message {
    uint8_t *bytes;
    unsigned length;
};

struct rx_answer {
    int write, drop, fatal;
    uint32_t addr, error;
    unsigned code;
    uint64_t due;
};

struct rx_frame {
    uint8_t *bytes;
    unsigned length;
    int bad_fcs;
};

typedef struct rx_bench {
    sim *s;
    sim_clock *clk;
    sim_model *m;
    const roce_rx_ports *p;
    axi_memory *memory;
    axi_memory_params memory_params; /* as it is now */
    memory_port *dr, *rdrsp;
    uint64_t last_write; /* clock in which memory has answered one */
    unsigned bytes;
    uint64_t clocks;
    uint32_t rows[128][QP_WORDS];
    unsigned idle_percent,
        busy_percent;          /* of the MAC's clocks without a word; of the clocks in which a taker takes nothing */
    unsigned tick_every;       /* clocks; 0: never */
    unsigned quiet;            /* rx_bench_run ends when nothing has happened for this many clocks; 300 */
    int hold_acks, hold_bells; /* the taker takes none */
    int consumes;              /* software takes each message at its doorbell */
    int other_only;            /* busy_percent is of other frames alone */
    unsigned line_gap;         /* bytes of the line's time between frames, to the fraction of a clock */
    struct rx_frame frames[RX_LOG];
    unsigned frame_count, frame_now, at;
    uint64_t last_word; /* clock of the last word of the last frame */
    struct rx_ack acks[RX_LOG];
    struct rx_bell bells[RX_LOG];
    struct rx_response responses[RX_LOG];
    struct rx_answer answers[RX_LOG];
    unsigned ack_count, bell_count, response_count, answered;
    struct rx_answer answer; /* answers of the requester; addr: of the next payload, its length is added */
    unsigned answer_delay;
    uint8_t other[RX_LOG * 16];
    unsigned other_lengths[512], other_bytes, other_count;
    unsigned events[EV_COUNT], set_fatal_qp, set_fatal_code, irq_qp, nak_qp;
    struct rx_message expected[OUR_QPS + 1][RX_EXPECTED]; /* by QP number */
    unsigned expected_count[OUR_QPS + 1], arrived[OUR_QPS + 1], index[OUR_QPS + 1];
    unsigned own_taken, row, owed; /* bytes of the line's time */
    char mistake[200];
} rx_bench;

/* Payload of packets. */
extern uint8_t text[70000];
/* A good packet with this much of it. */
packet text_packet(unsigned opcode, unsigned qp, uint32_t psn, unsigned length);

/* kind 0: 8 bytes per clock, 1: 64, 2: 8 with STRICT_S5. The chip is on, all QPs off. */
rx_bench *rx_bench_new(int kind);
/* QP (from 1 on) on or off, in one clock; all eight off. */
void rx_bench_switch(rx_bench *b, unsigned qp, int on);
void rx_bench_all_off(rx_bench *b);
/* QP (from 1 on) up: PMTU code, receive buffers of size * 256 bytes, depth entries at RX_ENTRY(qp), the first expected
 * PSN. By handshake port, with lengths. */
void rx_bench_qp(rx_bench *b, unsigned qp, int v6, unsigned pmtu_code, unsigned size, unsigned depth, uint32_t psn);
uint32_t rx_entry(unsigned qp);
/* Memory is like that from now on: clocks to its answers, share of clocks in which it takes, or answers, nothing. */
void rx_bench_memory(rx_bench *b, unsigned latency, unsigned stall_percent);
/* The content there, until the next call; at most as much as `text` has. */
const uint8_t *rx_bytes(rx_bench *b, uint32_t address, unsigned size);
uint32_t rx_word(rx_bench *b, uint32_t address);
/* Writes by dr, or rdrsp, that memory has answered. */
uint64_t rx_writes(const rx_bench *b, const memory_port *port);
/* Writes (or reads) a register of the receive path, or starts the QP; returns the value read. */
uint32_t rx_bench_own(rx_bench *b, unsigned qp, unsigned word, int write, int start, uint32_t data);
void rx_bench_frame(rx_bench *b, const uint8_t *frame, unsigned length, int bad_fcs);
void rx_bench_packet(rx_bench *b, const packet *p);
/* The next message of the QP. */
void rx_bench_expect(rx_bench *b, unsigned qp, const uint8_t *bytes, unsigned length);
/* A message as SENDs of the QP's PMTU from this PSN on, the last one asks for an ACK; expected too. Returns the next
 * PSN. */
uint32_t rx_bench_message(rx_bench *b, unsigned qp, uint32_t psn, const uint8_t *bytes, unsigned length);
/* Until all frames are in and nothing has happened for `quiet` clocks (longer if memory is slower), at most `clocks`.
 */
void rx_bench_run(rx_bench *b, unsigned clocks);
/* ... and all expected messages have arrived without an error. */
void rx_bench_holds(rx_bench *b);
const char *rx_bench_wrong(rx_bench *b);

#endif
