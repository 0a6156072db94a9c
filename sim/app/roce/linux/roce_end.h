/* The end of a line that Linux talks to: the RoCE v2 chip with its driver, or the NIC in C with nothing of the RTL.
 * What a run does with it is the same for both, in the words of the driver (sw/roce/rn.h).
 *
 *     roce_end *e = roce_end_of_chip(system);          or roce_end_line_make(&line, sim, seed, pcap, error) and
 * line.end if (roce_end_open(e)) return;                    from a task, as all that follows roce_end_qp *qp =
 * roce_end_qp_new(e, 15, 16384); roce_end_connect(qp, &connection); roce_end_post(qp, &(rn_work){.opcode = RN_WRITE,
 * .local = roce_end_memory(e) + at, ...});
 *
 * Functions that return int return 0, or -1 after sim_fail, unless stated otherwise.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_END_H
#define SIM_APP_ROCE_LINUX_ROCE_END_H

#include "sim/app/roce/board/roce_system.h"

enum { ROCE_END_MEMORY = 8 << 20 /* [bytes] for data */ };

typedef struct roce_end roce_end;
typedef struct roce_end_qp roce_end_qp;

/* NULL: no memory. The system has no peer. */
roce_end *roce_end_of_chip(roce_system *y);
/* At end 0 of the line. NULL: error says why. */
roce_end *roce_end_of_nic(sim *s, sim_clock *clock, ethernet_wire *wire, char error[ROCE_SYSTEM_ERROR]);
/* System of the NIC in C, like a roce_system of the chip: a line, a clock, a capture of all frames sent. */
typedef struct roce_end_line {
    ethernet_wire *wire;
    pcap_writer *pcap;
    sim_clock *clock;
    roce_end *end;
} roce_end_line;
/* pcap: NULL is allowed. -1: `error` has the reason; free it in this case as well. */
int roce_end_line_make(roce_end_line *n, sim *s, uint64_t seed, const char *pcap, char error[ROCE_SYSTEM_ERROR]);
/* -1: not all could be written to the file, and error says so. */
int roce_end_line_free(roce_end_line *n, char error[ETHERNET_ERROR]);
void roce_end_free(roce_end *e);
int roce_end_open(roce_end *e);
void roce_end_close(roce_end *e);

/* Where its memory for data begins, as work calls it; and its bytes. */
uint64_t roce_end_memory(const roce_end *e);
void roce_end_write(roce_end *e, uint64_t at, const uint8_t *from, size_t length);
void roce_end_read(roce_end *e, uint64_t at, uint8_t *to, size_t length);

/* With `count` receive buffers of `bytes` bytes (a multiple of 256). NULL: as -1. */
roce_end_qp *roce_end_qp_new(roce_end *e, unsigned buffers, unsigned bytes);
void roce_end_qp_free(roce_end_qp *qp);
/* Nothing is sent or taken any more. */
int roce_end_qp_disable(roce_end_qp *qp);
unsigned roce_end_qp_number(const roce_end_qp *qp);
int roce_end_connect(roce_end_qp *qp, const rn_connection *c);
int roce_end_post(roce_end_qp *qp, const rn_work *w);
/* The next completion: 1, 0: none, or -1. */
int roce_end_poll(roce_end_qp *qp, rn_completion *c);
/* The next message, at most `size` bytes of it, whose buffer is given back: 1, 0: none, or -1. */
int roce_end_receive(roce_end_qp *qp, uint8_t *to, size_t size, uint32_t *length);
/* The QP has failed: 1; *syndrome of the NAK, *code of S5 table 2-4 (the NIC in C: 0). Or 0, or -1. */
int roce_end_failed(roce_end_qp *qp, unsigned *syndrome, unsigned *code);

/* Datagrams of QP 1 of the NIC in C, and the next one that came: 1, 0: none, NX_ERROR_PROTOCOL: it is none of 256
 * bytes, or -1. */
int roce_end_mad_send(roce_end *e, const rn_address *to, const uint8_t mad[RN_MAD]);
int roce_end_mad_receive(roce_end *e, rn_address *from, uint8_t mad[RN_MAD]);

/* Since it was opened, modulo 2^16. */
typedef struct roce_end_counters {
    uint16_t packets_in, packets_out, naks_in /* of all kinds */, sequence_naks_out, rnr_naks_out;
    uint16_t sent_again; /* requests */
    uint16_t duplicates; /* requests that were taken before, and answers to what does not wait for any */
    uint16_t dropped;    /* packets in that the chip has dropped, of whatever reason */
    int early_too;       /* duplicates include READ responses ahead of a missing one (the chip) */
} roce_end_counters;
int roce_end_count(roce_end *e, roce_end_counters *c);
/* Of the NIC in C. */
const rnic_counters *roce_end_nic_counters(const roce_end *e);

#endif
