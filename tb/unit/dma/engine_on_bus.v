// The DMA engine with its bus interface and arbiter, as rtl/nic/nic.v wires them, for tests on a real bus. Output
// queues and network are outside: room, reservations and ends of pieces, and packets that come in.
`default_nettype none
`include "slots.vh"
module engine_on_bus #(
    // outstanding reads, 1..4
    parameter SPLITS = 1
) (
    input  wire        clk,
    input  wire        rst_n_pin,
    input  wire [63:0] ad_i,
    output wire [63:0] ad_o,
    output wire [1:0]  ad_oe,
    input  wire [7:0]  cbe_n_i,
    output wire [7:0]  cbe_n_o,
    output wire [1:0]  cbe_n_oe,
    input  wire        par_i,
    output wire        par_o,
    output wire        par_oe,
    input  wire        par64_i,
    output wire        par64_o,
    output wire        par64_oe,
    input  wire        frame_n_i,
    output wire        frame_n_o,
    output wire        frame_n_oe,
    input  wire        irdy_n_i,
    output wire        irdy_n_o,
    output wire        irdy_n_oe,
    input  wire        trdy_n_i,
    output wire        trdy_n_o,
    output wire        trdy_n_oe,
    input  wire        devsel_n_i,
    output wire        devsel_n_o,
    output wire        devsel_n_oe,
    input  wire        stop_n_i,
    output wire        stop_n_o,
    output wire        stop_n_oe,
    input  wire        req64_n_i,
    output wire        req64_n_o,
    output wire        req64_n_oe,
    input  wire        ack64_n_i,
    output wire        ack64_n_o,
    output wire        ack64_n_oe,
    input  wire        perr_n_i,
    output wire        perr_n_o,
    output wire        perr_n_oe,
    input  wire        serr_n_i,
    output wire        serr_n_oe,
    input  wire        idsel_i,
    input  wire        gnt_n_i,
    output wire        req_n_o,
    output wire        req_n_oe,
    output wire        inta_n_oe,

    input  wire [87:0] voq_room,
    output wire        voq_reserve,
    output wire [2:0]  voq_reserve_queue,
    output wire [10:0] voq_reserve_words,
    output wire        voq_piece_end,

    input  wire        n2h_valid,
    input  wire [67:0] n2h_data,
    input  wire [10:0] n2h_count,
    output wire        n2h_pop,
    output wire        transfer_left,      // one clock: a transfer is in its output queue as a whole
    output wire        packet_written,     // one clock: the payload of a packet is in the host's memory
    output wire        underflow,
    output wire [55:0] heads,
    output wire        trouble
);
    wire         rst;
    wire         reg_wr_valid, reg_rd_valid;
    wire [14:3]  reg_wr_addr, reg_rd_addr;
    wire [63:0]  reg_wr_data, reg_rd_data;
    wire [7:0]   reg_wr_be;
    wire         wr_req, wr_ack, wr_data_valid, wr_data_pop, wr_done;
    wire [63:0]  wr_addr, wr_data;
    wire [9:0]   wr_words;
    wire [1:0]   wr_status;
    wire         rd_req, rd_ack, rd_data_valid, rd_done;
    wire [63:0]  rd_addr, rd_data;
    wire [9:0]   rd_words, max_read_words;
    wire [4:0]   rd_tag, rd_data_tag, rd_done_tag;
    wire [2:0]   rd_status;
    wire [1:0]   rd_abandon;
    wire         arb_read, arb_write, arb_started, arb_started_write, arb_pick_write, arb_hold_write;
    wire         bus_master, irq_event, read_failed, write_error, overflow;
    wire [55:0]  tails;
    wire [7:0]   fulls;

    reset_sync reset (.clk (clk), .rst_n_pin (rst_n_pin), .rst (rst));

    pcix_core #(.SPLITS(SPLITS)) pcix (
        .pin_clk (clk), .clk (clk), .rst (rst), .rst_n_pin (rst_n_pin), .busy (), .par_i (par_i),
        .frame_n_i (frame_n_i), .devsel_n_o (devsel_n_o),
        .irdy_n_oe (irdy_n_oe), .req64_n_i (req64_n_i), .inta_n_oe (inta_n_oe), .ad_i (ad_i), .ad_o (ad_o),
        .ad_oe (ad_oe), .cbe_n_i (cbe_n_i), .cbe_n_o (cbe_n_o), .cbe_n_oe (cbe_n_oe), .par_o (par_o), .par_oe (par_oe),
        .par64_i (par64_i), .par64_o (par64_o), .par64_oe (par64_oe), .frame_n_o (frame_n_o), .frame_n_oe (frame_n_oe),
        .irdy_n_i (irdy_n_i), .irdy_n_o (irdy_n_o), .trdy_n_i (trdy_n_i), .trdy_n_o (trdy_n_o), .trdy_n_oe (trdy_n_oe),
        .devsel_n_i (devsel_n_i), .devsel_n_oe (devsel_n_oe), .stop_n_i (stop_n_i), .stop_n_o (stop_n_o),
        .stop_n_oe (stop_n_oe), .req64_n_o (req64_n_o), .req64_n_oe (req64_n_oe), .ack64_n_i (ack64_n_i),
        .ack64_n_o (ack64_n_o), .ack64_n_oe (ack64_n_oe), .perr_n_i (perr_n_i), .perr_n_o (perr_n_o),
        .perr_n_oe (perr_n_oe), .serr_n_i (serr_n_i), .serr_n_oe (serr_n_oe), .idsel_i (idsel_i), .gnt_n_i (gnt_n_i),
        .req_n_o (req_n_o), .req_n_oe (req_n_oe), .reg_wr_valid (reg_wr_valid), .reg_wr_addr (reg_wr_addr),
        .reg_wr_data (reg_wr_data), .reg_wr_be (reg_wr_be), .reg_rd_valid (reg_rd_valid), .reg_rd_addr (reg_rd_addr),
        .reg_rd_data (reg_rd_data), .win_req (), .win_we (), .win_addr (), .win_wdata (), .win_be (), .win_ack (1'b0),
        .win_rdata (64'd0), .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack),
        .wr_data (wr_data), .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_underflow (underflow),
        .wr_done (wr_done), .wr_status (wr_status), .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words),
        .rd_tag (rd_tag), .rd_ack (rd_ack), .rd_data (rd_data), .rd_data_valid (rd_data_valid),
        .rd_data_tag (rd_data_tag), .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status),
        .rd_abandon (rd_abandon), .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write), .arb_hold_write (arb_hold_write),
        .cfg_bus_master (bus_master), .cfg_memory_enable (), .cfg_bus_class (), .cfg_max_read_words (max_read_words),
        .cfg_completion_timer (24'd1000000), .irq_event (irq_event), .queue0_head (heads[6:0]),
        .queue0_tail (tails[6:0]), .ev_read_request_done (), .ev_write_request_done (), .ev_read_disconnect (),
        .ev_write_disconnect (), .ev_split_response (), .split_waiting (), .ev_unexpected_completion (),
        .ev_read_abandoned (), .read_bus_active (), .write_bus_active (), .read_requesting (), .write_requesting (),
        .ev_write_word (), .irq_active (), .ev_irq_assert (), .ev_parity_error (), .fsm_states ()
    );

    `DMA_ARBITER #(.READS_IN_ROW((SPLITS > 1) ? 1 : 2)) arbiter (
        .clk (clk), .rst (rst), .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write)
    );

    dma_engine #(.SPLITS(SPLITS)) dma (
        .clk (clk), .rst (rst), .slept (8'd0), .busy (), .sending (), .q_wr_valid (reg_wr_valid && reg_wr_addr[14]),
        .q_wr_addr (reg_wr_addr[13:3]), .q_wr_data (reg_wr_data),
        .q_wr_be (reg_wr_be), .q_rd_addr (reg_rd_addr[13:3]), .q_rd_data (reg_rd_data), .wr_req (wr_req),
        .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data), .wr_data_valid (wr_data_valid),
        .wr_data_pop (wr_data_pop), .wr_done (wr_done), .wr_status (wr_status), .wr_underflow (underflow),
        .arb_hold_write (arb_hold_write), .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag),
        .rd_ack (rd_ack), .rd_data (rd_data), .rd_data_valid (rd_data_valid), .rd_data_tag (rd_data_tag),
        .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status), .rd_abandon (rd_abandon), .voq_hold (),
        .voq_pause (1'b0), .voq_room (voq_room), .voq_reserve (voq_reserve), .voq_reserve_queue (voq_reserve_queue),
        .voq_reserve_words (voq_reserve_words), .voq_wr_valid (), .voq_wr_data (), .voq_wr_commit (),
        .voq_wr_rollback (), .voq_wr_eager (), .voq_piece_end (voq_piece_end), .flush (), .voq_idle (1'b1),
        .dropped_valid (), .dropped_queue (), .moved_valid (1'b0), .moved_lost (1'b0), .moved_queue (3'd0),
        .n2h_rd_valid (n2h_valid), .n2h_rd_data (n2h_data), .n2h_rd_count (n2h_count), .n2h_rd_pop (n2h_pop),
        .n2h_rd_over (1'b0), .n2h_rd_bad (1'b0), .departed_valid (1'b0), .departed_queue (3'd0), .departed_local (1'b0),
        .cfg_bus_master (bus_master), .cfg_initiator_enable (1'b1), .cfg_queue_reset (1'b0), .queues_resetting (),
        .cfg_sequence_zero (1'b1), .cfg_benchmark (1'b0), .cfg_payload_limit (10'd512),
        .cfg_max_read_words (max_read_words), .cfg_cut_through (9'd96), .cfg_remote_notify (64'd0),
        .cfg_local_notify (64'd0), .stamp (1'b0), .now (32'd0), .soft_reset (1'b0), .soft_reset_done (),
        .queue_heads (heads), .queue_tails (tails), .queue_fulls (fulls), .view_pair (2'd0), .view_departed (),
        .view_skipped (), .fsm_states (), .irq_event (irq_event), .ev_overwrite (), .ev_partial (), .ev_bad_length (),
        .ev_bad_address (), .ev_bad_flow (), .ev_read_failed (read_failed), .ev_transfer_read (transfer_left),
        .ev_packet_written (packet_written), .ev_start (), .ev_gap (), .ev_bad_body (), .ev_write_error (write_error),
        .ev_local_notified (), .ev_remote_notified (), .ev_flagged (), .ev_step (), .writing_packet (),
        .ev_internal_overflow (overflow)
    );

    assign trouble = read_failed || write_error || overflow;

    wire unused = &{1'b0, reg_rd_valid, reg_rd_addr[14], tails[55:7], fulls};
endmodule
`default_nettype wire
