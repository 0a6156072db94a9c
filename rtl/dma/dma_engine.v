// DMA engine of the NIC: request queues, outgoing half (queues to host-to-net FIFO), incoming half (net-to-host FIFO to the host's
// memory), notifier. Only wiring; each block's head says how it works. PCI clock.
//
//     bus writes -> request_queues -> dma_outgoing --read requests--> bus interface
//                                         |  transfers                   | data
//                                         +------> dma_packetizer <------+ ---> H2N
//     N2H -> dma_incoming --\                          | transfers written
//                            dma_write_mux --> bus interface
//     dma_notifier <--------/------------------------- +     <- departures from the link
`default_nettype none
module dma_engine #(
    // request queues, 2..16, with QUEUES * QUEUE_DEPTH = 1024
    parameter QUEUES = 8,
    // log2 of QUEUES
    parameter LOG2_QUEUES = 3,
    // log2 of the descriptors per queue
    parameter LOG2_DEPTH = 7,
    // 64-bit words that each network FIFO holds, 1023..2047
    parameter FIFO_WORDS = 1023
) (
    input  wire                 clk,
    input  wire                 rst,

    // request queue memory as the target sees it (BAR1 + 0x4000); reads answered two clocks later
    input  wire                 q_wr_valid,
    input  wire [13:3]          q_wr_addr,
    input  wire [63:0]          q_wr_data,
    input  wire [7:0]           q_wr_be,
    input  wire [13:3]          q_rd_addr,
    output wire [63:0]          q_rd_data,

    // bus interface: write sequences
    output wire                 wr_req,
    output wire [63:0]          wr_addr,
    output wire [9:0]           wr_words,
    input  wire                 wr_ack,
    output wire [63:0]          wr_data,
    output wire                 wr_data_valid,
    input  wire                 wr_data_pop,
    input  wire                 wr_done,
    input  wire [1:0]           wr_status,
    input  wire                 wr_underflow,
    output wire                 arb_hold_write,    // a read request is about to come: a write that has not started should wait

    // bus interface: read sequences
    output wire                 rd_req,
    output wire [63:0]          rd_addr,
    output wire [9:0]           rd_words,
    output wire [4:0]           rd_tag,
    input  wire                 rd_ack,
    input  wire [63:0]          rd_data,
    input  wire                 rd_data_valid,
    input  wire                 rd_done,
    input  wire [2:0]           rd_status,

    // H2N write side, N2H read side
    output wire                 h2n_wr_valid,
    output wire [67:0]          h2n_wr_data,
    output wire                 h2n_wr_commit,
    output wire                 h2n_wr_rollback,
    input  wire [10:0]          h2n_wr_count,
    input  wire                 n2h_rd_valid,
    input  wire [67:0]          n2h_rd_data,
    input  wire [10:0]          n2h_rd_count,
    output wire                 n2h_rd_pop,

    // link, already in this clock domain
    input  wire                 tx_departed,       // one clock per transfer that has left
    output wire                 link_flush,        // throw away packets waiting in H2N
    input  wire                 link_flush_done,

    // set-up
    input  wire                 cfg_bus_master,
    input  wire                 cfg_initiator_enable,
    input  wire                 cfg_queue_reset,   // one clock
    output wire                 queues_resetting,  // level: queue writes are rejected until it falls
    input  wire                 cfg_sequence_zero,
    input  wire                 cfg_direct,
    input  wire [9:0]           cfg_payload_limit, // 1..512
    input  wire [9:0]           cfg_max_read_words,
    input  wire [8:0]           cfg_cut_through,
    input  wire [63:0]          cfg_remote_notify,
    input  wire [63:0]          cfg_local_notify,
    input  wire                 soft_reset,
    output wire                 soft_reset_done,   // one clock

    // what software sees
    output wire [QUEUES*7-1:0]  queue_heads,
    output wire [QUEUES*7-1:0]  queue_tails,
    output wire [QUEUES*32-1:0] queue_departed,
    output wire [QUEUES*32-1:0] queue_skipped,
    output wire [31:0]          fsm_states,

    // events, one clock each
    output wire                 irq_event,
    output wire                 ev_overwrite,
    output wire                 ev_partial,
    output wire                 ev_bad_length,
    output wire                 ev_bad_address,
    output wire                 ev_bad_flow,
    output wire                 ev_read_failed,
    output wire                 ev_transfer_read,
    output wire                 ev_packet_written,
    output wire                 ev_start,
    output wire                 ev_gap,
    output wire                 ev_bad_body,
    output wire                 ev_write_error,
    output wire                 ev_local_notified,
    output wire                 ev_remote_notified,
    output wire                 ev_flagged,
    output wire                 ev_step,
    output wire                 ev_internal_overflow
);
    wire                   flush;
    wire                   enable = cfg_bus_master && cfg_initiator_enable;
    wire [QUEUES-1:0]      ready;
    wire                   take;
    wire [LOG2_QUEUES-1:0] take_queue;
    wire [127:0]           take_descriptor;
    wire                   served, served_left, served_local;
    wire [LOG2_QUEUES-1:0] served_queue;
    wire                   transfer_valid, transfer_skip, transfer_full, notifier_full;
    wire [63:0]            transfer_word;
    wire [LOG2_QUEUES-1:0] transfer_queue;
    wire [9:0]             transfer_limit;
    wire                   calm, room_given, discard;
    wire                   packetizer_overflow, notifier_overflow;
    wire                   incoming_write_error, notifier_write_error;
    wire                   outgoing_idle, packetizer_idle, incoming_idle, notifier_idle;
    wire                   forget, notifier_empty;
    wire [2:0]             outgoing_state, packetizer_state, incoming_state, reset_state;

    wire                   a_req, a_ack, a_data_valid, a_data_pop, a_done;
    wire [63:0]            a_addr, a_data;
    wire [9:0]             a_words;
    wire                   b_req, b_ack, b_done;
    wire [63:0]            b_addr, b_data;

    // nibble per FSM: packetizer, outgoing, incoming, reset
    assign fsm_states = {16'd0, 1'b0, reset_state, 1'b0, incoming_state, 1'b0, outgoing_state, 1'b0, packetizer_state};

    assign ev_internal_overflow = packetizer_overflow || notifier_overflow;
    assign ev_write_error       = incoming_write_error || notifier_write_error;

    request_queues #(.QUEUES(QUEUES), .LOG2_QUEUES(LOG2_QUEUES), .LOG2_DEPTH(LOG2_DEPTH)) queues (
        .clk (clk), .rst (rst), .queue_reset (cfg_queue_reset), .resetting (queues_resetting),
        .wr_valid (q_wr_valid), .wr_addr (q_wr_addr), .wr_data (q_wr_data), .wr_be (q_wr_be),
        .rd_addr (q_rd_addr), .rd_data (q_rd_data),
        .ready (ready), .take (take), .take_queue (take_queue), .take_descriptor (take_descriptor),
        .served (served), .served_queue (served_queue),
        .heads (queue_heads), .tails (queue_tails), .overwrite (ev_overwrite), .partial (ev_partial)
    );

    dma_outgoing #(.QUEUES(QUEUES), .LOG2_QUEUES(LOG2_QUEUES), .FIFO_WORDS(FIFO_WORDS)) outgoing (
        .clk (clk), .rst (rst),
        .ready (ready), .take (take), .take_queue (take_queue), .take_descriptor (take_descriptor),
        .rd_req (rd_req), .rd_addr (rd_addr), .rd_words (rd_words), .rd_tag (rd_tag), .rd_ack (rd_ack),
        .rd_data_valid (rd_data_valid), .read_turn (arb_hold_write),
        .rd_done (rd_done), .rd_status (rd_status), .cfg_max_read_words (cfg_max_read_words),
        .transfer_valid (transfer_valid), .transfer_word (transfer_word), .transfer_queue (transfer_queue),
        .transfer_limit (transfer_limit), .transfer_skip (transfer_skip), .transfer_full (transfer_full), .transfer_hold (notifier_full),
        .calm (calm), .room_given (room_given), .discard (discard),
        .h2n_count (h2n_wr_count), .cfg_payload_limit (cfg_payload_limit),
        .cfg_bus_master (cfg_bus_master), .enable (enable), .flush (flush), .idle (outgoing_idle),
        .ev_bad_length (ev_bad_length), .ev_bad_address (ev_bad_address), .ev_bad_flow (ev_bad_flow),
        .read_failed (ev_read_failed), .ev_transfer_read (ev_transfer_read), .state (outgoing_state)
    );

    dma_packetizer #(.QUEUES(QUEUES), .LOG2_QUEUES(LOG2_QUEUES)) packetizer (
        .clk (clk), .rst (rst),
        .transfer_valid (transfer_valid), .transfer_word (transfer_word), .transfer_queue (transfer_queue),
        .transfer_limit (transfer_limit), .transfer_skip (transfer_skip), .transfer_full (transfer_full),
        .rd_data_valid (rd_data_valid), .rd_data (rd_data), .rd_done (rd_done), .rd_status (rd_status),
        .calm (calm), .room_given (room_given), .discard (discard),
        .h2n_valid (h2n_wr_valid), .h2n_data (h2n_wr_data), .h2n_commit (h2n_wr_commit), .h2n_rollback (h2n_wr_rollback),
        .cfg_sequence_zero (cfg_sequence_zero), .cfg_direct (cfg_direct), .flush (flush), .idle (packetizer_idle),
        .served (served), .served_queue (served_queue), .served_left (served_left), .served_local (served_local),
        .ev_overflow (packetizer_overflow), .state (packetizer_state)
    );

    dma_incoming incoming (
        .clk (clk), .rst (rst),
        .n2h_valid (n2h_rd_valid), .n2h_data (n2h_rd_data), .n2h_count (n2h_rd_count), .n2h_pop (n2h_rd_pop),
        .wr_req (a_req), .wr_addr (a_addr), .wr_words (a_words), .wr_ack (a_ack), .wr_data (a_data),
        .wr_data_valid (a_data_valid), .wr_data_pop (a_data_pop), .wr_done (a_done), .wr_status (wr_status),
        .wr_underflow (wr_underflow),
        .cfg_bus_master (cfg_bus_master), .enable (enable), .flush (flush), .idle (incoming_idle),
        .cfg_sequence_zero (cfg_sequence_zero), .cfg_cut_through (cfg_cut_through), .cfg_remote_notify (cfg_remote_notify),
        .irq_event (irq_event), .ev_packet (ev_packet_written), .ev_start (ev_start), .ev_gap (ev_gap), .ev_bad_body (ev_bad_body),
        .ev_write_error (incoming_write_error), .ev_notified (ev_remote_notified), .ev_flagged (ev_flagged), .ev_step (ev_step),
        .state (incoming_state)
    );

    dma_notifier #(.QUEUES(QUEUES), .LOG2_QUEUES(LOG2_QUEUES)) notifier (
        .clk (clk), .rst (rst),
        .served (served), .served_queue (served_queue), .served_left (served_left), .served_local (served_local),
        .full (notifier_full), .departed (tx_departed), .forget (forget), .empty (notifier_empty),
        .wr_req (b_req), .wr_addr (b_addr), .wr_data (b_data), .wr_ack (b_ack), .wr_done (b_done), .wr_status (wr_status),
        .cfg_bus_master (cfg_bus_master), .enable (enable), .flush (flush), .cfg_local_notify (cfg_local_notify),
        .departed_counts (queue_departed), .skipped_counts (queue_skipped), .ev_notified (ev_local_notified),
        .ev_write_error (notifier_write_error), .ev_overflow (notifier_overflow), .idle (notifier_idle)
    );

    dma_write_mux write_mux (
        .clk (clk), .rst (rst),
        .a_req (a_req), .a_addr (a_addr), .a_words (a_words), .a_ack (a_ack), .a_data (a_data),
        .a_data_valid (a_data_valid), .a_data_pop (a_data_pop), .a_done (a_done),
        .b_req (b_req), .b_addr (b_addr), .b_data (b_data), .b_ack (b_ack), .b_done (b_done),
        .wr_req (wr_req), .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data),
        .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done)
    );

    dma_reset resetting (
        .clk (clk), .rst (rst), .soft_reset (soft_reset), .soft_reset_done (soft_reset_done),
        .flush (flush), .halves_idle (outgoing_idle && packetizer_idle && incoming_idle && notifier_idle),
        .link_flush (link_flush), .link_flush_done (link_flush_done), .forget (forget), .forgotten (notifier_empty),
        .state (reset_state)
    );
endmodule
`default_nettype wire
