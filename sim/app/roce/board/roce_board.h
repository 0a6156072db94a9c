/* A board with the RoCE v2 chip (rtl/roce.v): memory behind its masters, a processor at its registers, an application
 * at its handshake ports, a MAC at an end of an Ethernet line, and a sender and receiver of non-RoCE frames. Every port
 * is watched by its monitor, in every run.
 *
 *     roce_board_params p = roce_board_defaults(&roce_8_config);
 *     roce_board *b = roce_board_new(sim, &p, wire, 0, "target");       out of reset 16 clocks later
 *     axi_cpu_write32(b->cpu, ROCE_XRNICCONF, ...)                       from a task
 *     memory_read(b->bytes, ...)                                          memory shared by chip and software
 *
 * The chip is a configuration of rtl/roce.v, roce_8 of sim/app/roce/models for instance: a program that includes its
 * header gets it linked. Its clock is 156.25 MHz with 8 bytes per clock and 200 MHz with 64 (S5 2, Performance; 10 and
 * 100 Gb/s).
 */
#ifndef SIM_APP_ROCE_BOARD_ROCE_BOARD_H
#define SIM_APP_ROCE_BOARD_ROCE_BOARD_H

#include "sim/model/axi/axi_cpu.h"
#include "sim/model/axi/axi_doorbells.h"
#include "sim/model/axi/axi_memory.h"
#include "sim/model/axi/axi_monitor.h"
#include "sim/model/axi/axi_stream_monitor.h"
#include "sim/model/ethernet/ethernet_mac.h"
#include "sim/model/ethernet/ethernet_wire.h"

enum { ROCE_BOARD_MASTERS = 5, ROCE_BOARD_STREAMS = 4, ROCE_BOARD_INTERRUPTS = 9 };

typedef struct roce_board_params {
    const sim_config *chip;
    double ppm; /* of the chip's clock; default 0 */
    axi_memory_params memory;
    axi_cpu_params cpu;
    axi_doorbells_params doorbells;
    unsigned other_stall; /* [percent] of clocks in which a word of rx_other is not taken; default 0 */
} roce_board_params;
roce_board_params roce_board_defaults(const sim_config *chip);

/* A frame that is no RoCE v2, from the chip; without padding removed. In the drive phase; the bytes are valid during
 * the call. */
typedef void (*roce_on_other)(void *self, const uint8_t *frame, size_t length);

typedef struct roce_board {
    sim *sim;
    sim_clock *clock;
    sim_model *chip;
    unsigned bytes, qps; /* of the chip: bytes per clock, NUM_QP */
    axi_memory *memory;
    memory *bytes_of; /* of `memory` */
    axi_cpu *cpu;
    axi_doorbells *doorbells;
    ethernet_mac *mac;
    axi_monitor *lite, *masters[ROCE_BOARD_MASTERS];
    axi_stream_monitor *streams[ROCE_BOARD_STREAMS];
    sim_port rst, interrupt[ROCE_BOARD_INTERRUPTS];
    struct roce_other *other;
    unsigned reset_clocks; /* until it is out of reset */
} roce_board;

/* rx_pkt_hndler_dr, rx_pkt_hndler_rdrsp, wqe_proc_top, wqe_proc_wr_ddr, qp_mgr: the ports of `memory`, in this order.
 */
extern const char *const roce_board_master_names[ROCE_BOARD_MASTERS];

/* NULL: something of it cannot be made, and sim_fail says what. Free it after the last sim_run, before the wire and
 * sim_free. */
roce_board *roce_board_new(sim *s, const roce_board_params *params, ethernet_wire *wire, int end, const char *name);
void roce_board_free(roce_board *b);
/* Holds the chip in reset for `clocks` clocks, from now on. */
void roce_board_reset(roce_board *b, unsigned clocks);
/* Levels of the interrupt pins, bit i is xrnic_intr i. */
unsigned roce_board_interrupts(const roce_board *b);

void roce_board_on_other(roce_board *b, roce_on_other fn, void *self);
/* Queues a frame at tx_other: 14 .. ETHERNET_LONGEST bytes, shorter than 60 are filled with zeros. 0, or -1: wrong
 * length, or no memory. */
int roce_board_send_other(roce_board *b, const uint8_t *frame, size_t length);
/* Nothing is under way in memory, at the handshake ports, in the MAC, at tx_other. */
int roce_board_idle(const roce_board *b);

#endif
