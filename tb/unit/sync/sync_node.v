// DMA engine and output queues of a NIC with SYNC=1, as rtl/nic/nic.v wires them, for tests with a link in C: packets
// leave at out_* and arrive at n2h_*; bus, registers and credits are outside, too.
`default_nettype none
`include "slots.vh"
module sync_node (
    input  wire        clk,
    input  wire        rst,
    output wire        busy,

    // BAR1
    input  wire        reg_wr_valid,
    input  wire [14:3] reg_wr_addr,
    input  wire [63:0] reg_wr_data,
    input  wire [7:0]  reg_wr_be,
    input  wire [14:3] reg_rd_addr,
    output wire [63:0] reg_rd_data,

    // bus
    output wire        wr_req,
    output wire [63:0] wr_addr,
    output wire [9:0]  wr_words,
    input  wire        wr_ack,
    output wire [63:0] wr_data,
    output wire        wr_data_valid,
    input  wire        wr_data_pop,
    input  wire        wr_done,
    input  wire [1:0]  wr_status,
    output wire        rd_req,
    output wire [63:0] rd_addr,
    output wire [9:0]  rd_words,
    input  wire        rd_ack,
    input  wire [63:0] rd_data,
    input  wire        rd_data_valid,
    input  wire        rd_done,

    // link
    output wire        out_valid,
    output wire [67:0] out_data,
    input  wire [6:0]  out_count,
    input  wire        departed_valid,
    input  wire [2:0]  departed_queue,
    input  wire        departed_local,
    input  wire        credit_valid,
    input  wire [6:0]  credit_value,
    output wire        credit_taken,
    input  wire        n2h_valid,
    input  wire [67:0] n2h_data,
    input  wire [10:0] n2h_count,
    output wire        n2h_pop,

    input  wire [63:0] cfg_remote_notify,
    input  wire [63:0] cfg_local_notify,
    input  wire        cfg_benchmark,
    input  wire        soft_reset,
    output wire        soft_reset_done,
    output wire        irq_event,
    output wire        ev_bug,              // never
    output wire        ev_skipped,          // a descriptor was illegal
    output wire        ev_gap,
    output wire        ev_bad_body,
    output wire        ev_transfer,
    input  wire [1:0]  view_pair,
    output wire [63:0] view_departed,
    output wire [63:0] view_skipped,
    output wire [55:0] queue_heads,
    output wire [55:0] queue_tails
);
    wire        voq_hold, voq_pause, voq_reserve, voq_wr_valid, voq_wr_commit, voq_wr_rollback, voq_wr_eager,
                voq_piece_end, flush, voq_idle, dropped_valid, moved_valid, moved_lost, cfg_groups, dma_busy, voq_busy;
    wire [87:0] voq_room;
    wire [2:0]  voq_reserve_queue, dropped_queue, moved_queue;
    wire [10:0] voq_reserve_words;
    wire [67:0] voq_wr_data;
    wire        overflow, voq_overflow, bad_length, bad_address, bad_flow;
    wire [63:0] queue_data, sync_data;
    reg  [1:0]  reading_queue;

    always @(posedge clk) reading_queue <= {reading_queue[0], reg_rd_addr[14]};

    assign reg_rd_data = reading_queue[1] ? queue_data : sync_data;
    assign ev_bug      = overflow || voq_overflow;
    assign ev_skipped  = bad_length || bad_address || bad_flow;
    assign busy        = dma_busy || voq_busy;

    dma_engine #(.SYNC(1)) dma (
        .clk (clk), .rst (rst), .slept (8'd0), .busy (dma_busy),
        .q_wr_valid (reg_wr_valid && reg_wr_addr[14]), .q_wr_addr (reg_wr_addr[13:3]), .q_wr_data (reg_wr_data),
        .q_wr_be (reg_wr_be), .q_rd_addr (reg_rd_addr[13:3]), .q_rd_data (queue_data),
        .s_wr_valid (reg_wr_valid && !reg_wr_addr[14]), .s_rd_addr (reg_rd_addr[13:3]), .s_rd_data (sync_data),
        .cfg_groups (cfg_groups), .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack),
        .wr_data (wr_data), .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done),
        .wr_status (wr_status), .wr_underflow (1'b0), .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words),
        .rd_ack (rd_ack), .rd_data (rd_data), .rd_data_valid (rd_data_valid), .rd_data_tag (5'd0), .rd_done (rd_done),
        .rd_done_tag (5'd0), .rd_status (3'd0), .voq_hold (voq_hold), .voq_pause (voq_pause), .voq_room (voq_room),
        .voq_reserve (voq_reserve), .voq_reserve_queue (voq_reserve_queue), .voq_reserve_words (voq_reserve_words),
        .voq_wr_valid (voq_wr_valid), .voq_wr_data (voq_wr_data), .voq_wr_commit (voq_wr_commit),
        .voq_wr_rollback (voq_wr_rollback), .voq_wr_eager (voq_wr_eager), .voq_piece_end (voq_piece_end),
        .flush (flush), .dropped_valid (dropped_valid), .dropped_queue (dropped_queue), .voq_idle (voq_idle),
        .moved_valid (moved_valid), .moved_lost (moved_lost), .moved_queue (moved_queue), .n2h_rd_valid (n2h_valid),
        .n2h_rd_data (n2h_data), .n2h_rd_count (n2h_count), .n2h_rd_pop (n2h_pop), .n2h_rd_path (2'd0),
        .n2h_rd_over (1'b0), .n2h_rd_bad (1'b0), .departed_valid (departed_valid), .departed_queue (departed_queue),
        .departed_local (departed_local), .lost_valid (1'b0), .lost_queue (3'd0), .cfg_bus_master (1'b1),
        .cfg_initiator_enable (1'b1), .cfg_queue_reset (1'b0), .cfg_sequence_zero (1'b0),
        .cfg_benchmark (cfg_benchmark), .cfg_payload_limit (10'd62), .cfg_max_read_words (10'd512),
        .cfg_cut_through (9'd96), .cfg_remote_notify (cfg_remote_notify), .cfg_local_notify (cfg_local_notify),
        .cfg_receive_paths ({128{1'b1}}), .cfg_reseq_timeout (24'd0), .stamp (1'b0), .now (32'd0),
        .soft_reset (soft_reset), .soft_reset_done (soft_reset_done), .queue_heads (queue_heads),
        .queue_tails (queue_tails), .view_pair (view_pair), .view_departed (view_departed),
        .view_skipped (view_skipped), .irq_event (irq_event), .ev_bad_length (bad_length),
        .ev_bad_address (bad_address), .ev_bad_flow (bad_flow), .ev_transfer_read (ev_transfer), .ev_gap (ev_gap),
        .ev_bad_body (ev_bad_body), .ev_internal_overflow (overflow),
        .sending (), .arb_hold_write (), .rd_tag (), .rd_abandon (), .lost_taken (), .queues_resetting (),
        .queue_fulls (), .fsm_states (), .ev_overwrite (), .ev_partial (), .ev_read_failed (), .ev_packet_written (),
        .ev_start (), .ev_write_error (), .ev_local_notified (), .ev_remote_notified (), .ev_flagged (), .ev_step (),
        .ev_late (), .ev_restart (), .reseq_depth (), .writing_packet ()
    );

    voq #(.SYNC(1)) queues (
        .clk (clk), .rst (rst), .slept (8'd0), .busy (voq_busy), .voq_hold (voq_hold), .voq_pause (voq_pause),
        .voq_room (voq_room), .voq_reserve (voq_reserve), .voq_reserve_queue (voq_reserve_queue),
        .voq_reserve_words (voq_reserve_words), .voq_wr_valid (voq_wr_valid), .voq_wr_data (voq_wr_data),
        .voq_wr_commit (voq_wr_commit), .voq_wr_rollback (voq_wr_rollback), .voq_wr_eager (voq_wr_eager),
        .voq_piece_end (voq_piece_end), .flush (flush), .voq_idle (voq_idle), .dropped_valid (dropped_valid),
        .dropped_queue (dropped_queue), .moved_valid (moved_valid), .moved_lost (moved_lost),
        .moved_queue (moved_queue), .out_valid (out_valid), .out_data (out_data), .out_count (out_count),
        .out_path (), .out_hold (1'b0), .out_quiet (), .path_up (1'b1), .path_dead (1'b0), .cfg_paths (8'hFF),
        .cfg_ahead (10'd0), .credit_path (2'd0), .credit_valid (credit_valid), .credit_lane (7'd0),
        .credit_value (credit_value), .credit_taken (credit_taken), .cfg_direct (1'b1), .cfg_sequence_zero (1'b0),
        .cfg_groups (cfg_groups), .cfg_tx_capacity (12'd2046), .cfg_body_limit (13'd0), .win_req (1'b0),
        .win_we (1'b0), .win_addr (24'd0), .win_wdata (64'd0), .win_be (8'd0), .win_ack (), .win_rdata (),
        .mem_valid (), .mem_ready (1'b1), .mem_we (), .mem_addr (), .mem_wdata (), .mem_be (), .mem_rvalid (1'b0),
        .mem_rdata (72'd0), .level_words (), .level_blocks (), .free_blocks (), .states (), .backpressure (),
        .ev_migrated (), .ev_fetched (), .ev_damaged (), .exhausted (), .ev_overflow (voq_overflow)
    );
endmodule
`default_nettype wire
