/* The ports of pcix_core by name, whatever its parameters: the bench works through these pointers. */
#ifndef NICXBAR_TB_CORE_PINS_H
#define NICXBAR_TB_CORE_PINS_H

#include <stdint.h>

typedef struct {
    uint8_t *rst, *rst_n_pin, *cbe_n_i, *par_i, *par64_i, *frame_n_i, *irdy_n_i, *trdy_n_i, *devsel_n_i, *stop_n_i, *req64_n_i, *ack64_n_i,
        *perr_n_i, *serr_n_i, *idsel_i, *gnt_n_i, *win_ack, *wr_req, *wr_data_valid, *rd_req, *rd_tag, *arb_pick_write, *arb_hold_write,
        *irq_event, *queue0_head, *queue0_tail, *rd_abandon;
    uint64_t *ad_i, *reg_rd_data, *win_rdata, *wr_addr, *wr_data, *rd_addr;
    const uint64_t *ad_o, *reg_wr_data, *win_wdata, *rd_data;
    const uint8_t *ad_oe, *cbe_n_o, *cbe_n_oe, *par_o, *par_oe, *par64_o, *par64_oe, *frame_n_o, *frame_n_oe, *irdy_n_o, *irdy_n_oe,
        *trdy_n_o, *trdy_n_oe, *devsel_n_o, *devsel_n_oe, *stop_n_o, *stop_n_oe, *req64_n_o, *req64_n_oe, *ack64_n_o, *ack64_n_oe,
        *perr_n_o, *perr_n_oe, *serr_n_oe, *req_n_o, *req_n_oe, *inta_n_oe, *reg_wr_valid, *reg_wr_be, *reg_rd_valid, *win_req, *win_we,
        *win_be, *wr_ack, *wr_data_pop, *wr_underflow, *wr_done, *wr_status, *rd_ack, *rd_data_valid, *rd_data_tag, *rd_done, *rd_done_tag,
        *rd_status, *arb_read, *arb_write, *arb_started, *arb_started_write, *cfg_bus_master, *cfg_memory_enable, *ev_read_request_done,
        *ev_write_request_done, *ev_read_disconnect, *ev_write_disconnect, *ev_split_response, *split_waiting, *ev_unexpected_completion,
        *read_bus_active, *write_bus_active, *read_requesting, *write_requesting, *irq_active, *ev_irq_assert, *ev_parity_error,
        *ev_read_given_up;
    const uint16_t *reg_wr_addr, *reg_rd_addr, *cfg_max_read_words;
    const uint32_t *win_addr, *fsm_states;
    uint16_t *wr_words, *rd_words;
    uint32_t *cfg_completion_timer;
} core_pins;

/* Fills it in from a generated binding of pcix_core. */
#define CORE_PINS(m)                                                                                                                       \
    (core_pins)                                                                                                                            \
    {                                                                                                                                      \
        .rst = (m)->rst, .rst_n_pin = (m)->rst_n_pin, .ad_i = (m)->ad_i, .ad_o = (m)->ad_o, .ad_oe = (m)->ad_oe, .cbe_n_i = (m)->cbe_n_i,  \
        .cbe_n_o = (m)->cbe_n_o, .cbe_n_oe = (m)->cbe_n_oe, .par_i = (m)->par_i, .par_o = (m)->par_o, .par_oe = (m)->par_oe,               \
        .par64_i = (m)->par64_i, .par64_o = (m)->par64_o, .par64_oe = (m)->par64_oe, .frame_n_i = (m)->frame_n_i,                          \
        .frame_n_o = (m)->frame_n_o, .frame_n_oe = (m)->frame_n_oe, .irdy_n_i = (m)->irdy_n_i, .irdy_n_o = (m)->irdy_n_o,                  \
        .irdy_n_oe = (m)->irdy_n_oe, .trdy_n_i = (m)->trdy_n_i, .trdy_n_o = (m)->trdy_n_o, .trdy_n_oe = (m)->trdy_n_oe,                    \
        .devsel_n_i = (m)->devsel_n_i, .devsel_n_o = (m)->devsel_n_o, .devsel_n_oe = (m)->devsel_n_oe, .stop_n_i = (m)->stop_n_i,          \
        .stop_n_o = (m)->stop_n_o, .stop_n_oe = (m)->stop_n_oe, .req64_n_i = (m)->req64_n_i, .req64_n_o = (m)->req64_n_o,                  \
        .req64_n_oe = (m)->req64_n_oe, .ack64_n_i = (m)->ack64_n_i, .ack64_n_o = (m)->ack64_n_o, .ack64_n_oe = (m)->ack64_n_oe,            \
        .perr_n_i = (m)->perr_n_i, .perr_n_o = (m)->perr_n_o, .perr_n_oe = (m)->perr_n_oe, .serr_n_i = (m)->serr_n_i,                      \
        .serr_n_oe = (m)->serr_n_oe, .idsel_i = (m)->idsel_i, .gnt_n_i = (m)->gnt_n_i, .req_n_o = (m)->req_n_o, .req_n_oe = (m)->req_n_oe, \
        .inta_n_oe = (m)->inta_n_oe, .reg_wr_valid = (m)->reg_wr_valid, .reg_wr_addr = (m)->reg_wr_addr, .reg_wr_data = (m)->reg_wr_data,  \
        .reg_wr_be = (m)->reg_wr_be, .reg_rd_valid = (m)->reg_rd_valid, .reg_rd_addr = (m)->reg_rd_addr, .reg_rd_data = (m)->reg_rd_data,  \
        .win_req = (m)->win_req, .win_we = (m)->win_we, .win_addr = (m)->win_addr, .win_wdata = (m)->win_wdata, .win_be = (m)->win_be,     \
        .win_ack = (m)->win_ack, .win_rdata = (m)->win_rdata, .wr_req = (m)->wr_req, .wr_addr = (m)->wr_addr, .wr_words = (m)->wr_words,   \
        .wr_ack = (m)->wr_ack, .wr_data = (m)->wr_data, .wr_data_valid = (m)->wr_data_valid, .wr_data_pop = (m)->wr_data_pop,              \
        .wr_underflow = (m)->wr_underflow, .wr_done = (m)->wr_done, .wr_status = (m)->wr_status, .rd_req = (m)->rd_req,                    \
        .rd_addr = (m)->rd_addr, .rd_words = (m)->rd_words, .rd_tag = (m)->rd_tag, .rd_ack = (m)->rd_ack, .rd_data = (m)->rd_data,         \
        .rd_data_valid = (m)->rd_data_valid, .rd_data_tag = (m)->rd_data_tag, .rd_done = (m)->rd_done, .rd_done_tag = (m)->rd_done_tag,    \
        .rd_status = (m)->rd_status, .arb_read = (m)->arb_read, .arb_write = (m)->arb_write, .arb_started = (m)->arb_started,              \
        .arb_started_write = (m)->arb_started_write, .arb_pick_write = (m)->arb_pick_write, .arb_hold_write = (m)->arb_hold_write,         \
        .cfg_bus_master = (m)->cfg_bus_master, .cfg_memory_enable = (m)->cfg_memory_enable, .cfg_max_read_words = (m)->cfg_max_read_words, \
        .irq_event = (m)->irq_event, .queue0_head = (m)->queue0_head, .queue0_tail = (m)->queue0_tail,                                     \
        .ev_read_request_done = (m)->ev_read_request_done, .ev_write_request_done = (m)->ev_write_request_done,                            \
        .ev_read_disconnect = (m)->ev_read_disconnect, .ev_write_disconnect = (m)->ev_write_disconnect,                                    \
        .ev_split_response = (m)->ev_split_response, .split_waiting = (m)->split_waiting,                                                  \
        .ev_unexpected_completion = (m)->ev_unexpected_completion, .read_bus_active = (m)->read_bus_active,                                \
        .write_bus_active = (m)->write_bus_active, .read_requesting = (m)->read_requesting, .write_requesting = (m)->write_requesting,     \
        .irq_active = (m)->irq_active, .ev_irq_assert = (m)->ev_irq_assert, .ev_parity_error = (m)->ev_parity_error,                       \
        .cfg_completion_timer = (m)->cfg_completion_timer, .rd_abandon = (m)->rd_abandon, .ev_read_given_up = (m)->ev_read_given_up,       \
        .fsm_states = (m)->fsm_states                                                                                                      \
    }

#endif
