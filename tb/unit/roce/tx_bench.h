/* Bench of roce_tx, either width: configuration of QPs, commands, ACKs and other frames in; memory for payload; a MAC
 * that takes frames.
 *
 * What must come out is made a second time in C (roce_frames.h). Every frame that leaves is compared byte for byte:
 * data with commands, ACKs with ACKs, other frames with other frames, each in their order. So are the reports of
 * commands and the counts. AXI is checked by the monitors of sim/model/axi; a gap in a frame ends the run. */
#ifndef TB_ROCE_TX_BENCH_H
#define TB_ROCE_TX_BENCH_H

#include "roce_frames.h"
#include "roce_tx.h"
#include "sim/model/axi/axi_memory.h"
#include "simulation.h"

enum { TX_MOST = 8192, TX_QPS = 128, TX_MEMORY = 1 << 16 /* [bytes] of random payload, from address 0 on */ };

typedef struct tx_command {
    unsigned qp, opcode, psn, ackreq, rkey, dma_length;
    uint64_t va;
    int inlined;
    uint8_t data[16]; /* if inlined */
    uint32_t address; /* else */
    unsigned length;
    int off, error; /* expected: the QP is disabled, memory answers an error */
} tx_command;

typedef struct tx_ack {
    unsigned qp, psn, syndrome, msn;
    int off;
} tx_ack;

/* A frame that is to come, or came. */
typedef struct tx_frame {
    unsigned length;
    uint8_t bytes[FRAME_LONGEST];
} tx_frame;

typedef struct tx_bench {
    sim *s;
    sim_clock *clk;
    sim_model *m;
    const roce_tx_ports *p;
    axi_memory *memory;
    axi_memory_params memory_params;
    unsigned bytes; /* of a word */
    unsigned idle;  /* [%] of the clocks in which no new command, ACK or other frame is shown */
    unsigned stall; /* [%] of the clocks in which the MAC is not ready, 100: never */
    int line;       /* 1: the MAC leaves the 24 bytes of preamble, FCS and gap between frames */
    int tolerant;   /* 1: wrong frames are counted, and no failure */

    /* own addresses, and the configuration by QP: tx_configure */
    uint8_t mac[6], ipv4[4], ipv6[16];
    unsigned udp_source;
    uint32_t row[TX_QPS][QP_WORDS];

    tx_command *command; /* TX_MOST of each */
    tx_ack *ack;
    unsigned commands, taken, reported, reported_left, acks, acks_taken, others, others_taken;
    unsigned frames[3];         /* seen: data, ACKs, other frames */
    unsigned wrong;             /* of them were not as expected */
    unsigned in_a_row[3];       /* most frames of a kind without one of another */
    unsigned words, data_words; /* taken by the MAC; of data frames */
    tx_frame last;              /* that came */
    uint64_t clock, first_word, last_word, first_command, first_ack;
    unsigned count[6]; /* of pulses: send, read_write, ack, mad, nak, rnr */

    /* for the bench itself */
    tx_frame in;
    unsigned other_at;
    int debt;                         /* [half bytes] that the line is behind */
    unsigned kind, row_length;        /* of the last frames */
    unsigned compared, acks_compared; /* items whose frames have come, or never will */
    int command_gone, ack_gone, other_gone;
    unsigned asked;
} tx_bench;

tx_bench *tx_bench_new(const sim_config *config, unsigned bytes);
/* QP `qp` (QP number - 1): enabled, with addresses of a peer at random; IPv6 if `v6`. */
void tx_configure(tx_bench *b, unsigned qp, int v6);
void tx_add_command(tx_bench *b, const tx_command *command);
void tx_add_ack(tx_bench *b, unsigned qp, unsigned psn, unsigned syndrome, unsigned msn);
/* That many frames of other kinds, of every length from 60 on. */
void tx_add_others(tx_bench *b, unsigned count);
/* A random command of this opcode with this payload, inlined if `address` is -1. */
tx_command tx_random_command(tx_bench *b, unsigned qp, unsigned opcode, int64_t address, unsigned length);
/* Until all has come; then counts and reports are compared. */
void tx_run(tx_bench *b);

/* [half bytes] that the line takes in a clock: 10 Gb/s at 156.25 MHz, or 100 Gb/s at 200 MHz. */
int tx_line(const tx_bench *b);

/* Expected results. */
packet tx_packet_of_command(const tx_bench *b, const tx_command *command);
packet tx_packet_of_ack(const tx_bench *b, const tx_ack *ack);

#endif
