/* What stands behind pcix_core in the NIC, in C: registers, a memory behind the window, and a DMA engine that runs lists of Sequences. */
#ifndef NICXBAR_TB_CORE_USER_H
#define NICXBAR_TB_CORE_USER_H

#include <stdint.h>

#include "sim/host/pcix_bus.h"
#include "sim/runtime/sim.h"

enum { CORE_REGISTERS = 32768 /* bytes */, CORE_WINDOW = 4096, CORE_QUEUE = 64 };

/* The user ports of pcix_core that are used here: its inputs, its outputs. */
typedef struct core_ports {
    uint8_t *rst, *rst_n_pin, *win_ack, *wr_req, *wr_data_valid, *rd_req, *rd_tag, *arb_pick_write, *arb_hold_write, *irq_event;
    uint16_t *wr_words, *rd_words;
    uint64_t *reg_rd_data, *win_rdata, *wr_addr, *wr_data, *rd_addr;
    const uint8_t *reg_wr_valid, *reg_wr_be, *reg_rd_valid, *win_req, *win_we, *win_be, *wr_ack, *wr_data_pop, *wr_underflow, *wr_done,
        *wr_status, *rd_ack, *rd_data_valid, *rd_data_tag, *rd_done, *rd_done_tag, *rd_status, *arb_started, *arb_started_write;
    const uint16_t *reg_wr_addr, *reg_rd_addr;
    const uint32_t *win_addr;
    const uint64_t *reg_wr_data, *win_wdata, *rd_data;
} core_ports;
#define CORE_PORTS(m)                                                                                                                      \
    {                                                                                                                                      \
        .rst = (m)->rst, .rst_n_pin = (m)->rst_n_pin, .reg_rd_data = (m)->reg_rd_data, .win_ack = (m)->win_ack,                            \
        .win_rdata = (m)->win_rdata, .wr_req = (m)->wr_req, .wr_addr = (m)->wr_addr, .wr_words = (m)->wr_words, .wr_data = (m)->wr_data,   \
        .wr_data_valid = (m)->wr_data_valid, .rd_req = (m)->rd_req, .rd_addr = (m)->rd_addr, .rd_words = (m)->rd_words,                    \
        .rd_tag = (m)->rd_tag, .arb_pick_write = (m)->arb_pick_write, .arb_hold_write = (m)->arb_hold_write, .irq_event = (m)->irq_event,  \
        .reg_wr_valid = (m)->reg_wr_valid, .reg_wr_be = (m)->reg_wr_be, .reg_rd_valid = (m)->reg_rd_valid,                                 \
        .reg_wr_addr = (m)->reg_wr_addr, .reg_rd_addr = (m)->reg_rd_addr, .reg_wr_data = (m)->reg_wr_data, .win_req = (m)->win_req,        \
        .win_we = (m)->win_we, .win_be = (m)->win_be, .win_addr = (m)->win_addr, .win_wdata = (m)->win_wdata, .wr_ack = (m)->wr_ack,       \
        .wr_data_pop = (m)->wr_data_pop, .wr_underflow = (m)->wr_underflow, .wr_done = (m)->wr_done, .wr_status = (m)->wr_status,          \
        .rd_ack = (m)->rd_ack, .rd_data = (m)->rd_data, .rd_data_valid = (m)->rd_data_valid, .rd_data_tag = (m)->rd_data_tag,              \
        .rd_done = (m)->rd_done, .rd_done_tag = (m)->rd_done_tag, .rd_status = (m)->rd_status, .arb_started = (m)->arb_started,            \
        .arb_started_write = (m)->arb_started_write                                                                                        \
    }
/* Pins of pcix_core, whose reset pin has another name than the NIC's. */
#define CORE_PINS(m)                                                                                                                       \
    {                                                                                                                                      \
        PCIX_PINS_IO_(m, ad), PCIX_PINS_IO_(m, cbe_n), PCIX_PINS_IO_(m, par), PCIX_PINS_IO_(m, par64), PCIX_PINS_IO_(m, frame_n),          \
            PCIX_PINS_IO_(m, irdy_n), PCIX_PINS_IO_(m, trdy_n), PCIX_PINS_IO_(m, devsel_n), PCIX_PINS_IO_(m, stop_n),                      \
            PCIX_PINS_IO_(m, req64_n), PCIX_PINS_IO_(m, ack64_n), PCIX_PINS_IO_(m, perr_n),                                                \
            .serr_n_i = (m)->serr_n_i, .serr_n_oe = (m)->serr_n_oe, .idsel_i = (m)->idsel_i, .gnt_n_i = (m)->gnt_n_i,                      \
            .req_n_o = (m)->req_n_o, .req_n_oe = (m)->req_n_oe, .inta_n_oe = (m)->inta_n_oe, .rst_n = (m)->rst_n_pin                       \
    }

/* One DMA Sequence. */
typedef struct core_dma {
    uint64_t address;
    unsigned words; /* 1..512 */
    uint64_t *data; /* written from, or read into */
    unsigned tag;   /* reads */
    /* result */
    int done, status;
    unsigned moved;        /* words */
    uint64_t asked, ended; /* clocks: request shown to the core, done */
} core_dma;

typedef struct core_user {
    core_ports p;
    uint64_t clock;
    uint8_t registers[CORE_REGISTERS];
    uint8_t window[CORE_WINDOW];
    unsigned window_latency; /* [clocks] */
    core_dma *writes[CORE_QUEUE], *reads[CORE_QUEUE];
    unsigned write_in, write_out, write_data, write_done; /* counters: queued, acked, data being popped, done */
    unsigned read_in, read_out;
    core_dma *tags[32];
    unsigned underflows, problems;
    /* pipeline */
    uint64_t read_stage, read_value;
    unsigned window_age;
    int picked_write;
} core_user;

/* Attaches to `clock`; after host_new, so that inputs of the core follow those of the bus. */
void core_user_init(core_user *u, sim_clock *clock, const core_ports *p);
void core_user_write(core_user *u, core_dma *d);
void core_user_read(core_user *u, core_dma *d);

#endif
