// The coherent network interface: only wiring. It stands beside the caches as agent 2 of snoop_switch; all that it
// reads and writes are lines on the interconnect (S2 4). The link with its FIFOs (nic_link) and part A (sync_unit) are
// outside.
//
//                 processors' stores and loads          snoop_switch
//                          |                                 |
//                    cni_registers                        cni_bus
//                      | set-up, buffers             reads /      \ lines
//                      +-------------------> cni_send x 2          cni_lines <-- cni_status: notifications, reports
//                                                 | packets          ^     ^
//        H2N <------------------------------- cni_out                |     cni_writes <-- part A
//                                                 ^ answers          |                      ^
//        N2H -------------------------------------|----------- cni_receive -- operations ---/
//
// Nothing here waits for a program: N2H is drained at the pace of the interconnect, a send queue without credit holds
// up only itself, answers have their own requester.
//
// Latency of a message for a queue, mode update, interconnect idle, from its last word at n2h_valid: last line at
// req_valid 2, first word 6, and the interconnect between them; tb/unit/cni measures it.
`default_nettype none
`include "coherent_registers.vh"
module cni #(
    // as in coherent_node.v
    parameter CACHE_KB = 16,
    parameter WAYS = 2,
    // node IDs that may be sources, 2..128
    parameter SOURCES = 16,
    // destinations, 8 or 16
    parameter LANES = 8,
    // log2 of the words of H2N, 6..10
    parameter LOG2_H2N = 6
) (
    input  wire         clk,
    input  wire         rst,

    // processor ports: port p has the bits from p x width on
    input  wire [1:0]   reg_valid,
    input  wire [1:0]   reg_write,
    input  wire [35:0]  reg_address,       // [19:2]
    input  wire [63:0]  reg_wdata,
    input  wire [7:0]   reg_be,
    output wire [1:0]   reg_done,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    input  wire [1:0]   plb_error,
    input  wire [63:0]  plb_error_address,
    output wire [1:0]   irq,

    // UPDATE ranges of the caches: range r has the bits from r x width on
    output wire [1:0]   range_enable,
    output wire [45:0]  range_base,
    output wire [45:0]  range_last,

    // agent 2 of snoop_switch (README.md)
    output wire         req_valid,
    output wire [2:0]   req_kind,
    output wire [22:0]  req_line,
    output wire [1:0]   req_word,
    output wire [1:0]   req_last,
    output wire         req_tag,
    output wire         req_full,
    output wire         req_allocate,
    output wire         req_cache,
    input  wire         req_taken,
    input  wire         snoop_valid,
    input  wire [2:0]   snoop_kind,
    input  wire [22:0]  snoop_line,
    output wire         answer_has,
    input  wire         result_valid,
    input  wire         result_shared,
    input  wire         out_take,
    input  wire [1:0]   out_word,
    output wire [63:0]  out_data,
    output wire [7:0]   out_mask,
    input  wire         in_valid,
    input  wire         in_own,
    input  wire         in_last,
    input  wire [63:0]  in_data,
    input  wire         in_tag,
    input  wire         snoop_done,

    // part A: sync_unit
    output wire         sync_reg_wr_valid,
    output wire [12:3]  sync_reg_addr,
    output wire [63:0]  sync_reg_wr_data,
    output wire [7:0]   sync_reg_wr_be,
    input  wire [63:0]  sync_reg_rd_data,
    input  wire         op_ready,
    output wire         op_begin,
    output wire [63:0]  op_header,
    output wire         op_valid,
    input  wire         op_take,
    output wire [63:0]  op_word,
    output wire         op_end,
    output wire         op_drop,
    output wire         op_written,
    input  wire         op_waits,
    input  wire         slot_valid,
    input  wire [27:6]  slot_address,
    output wire         group_valid,
    output wire         group_damaged,
    output wire         loss_valid,
    output wire [6:0]   loss_source,
    input  wire         sync_wr_req,
    input  wire [63:0]  sync_wr_addr,
    input  wire [9:0]   sync_wr_words,
    output wire         sync_wr_ack,
    input  wire [63:0]  sync_wr_data,
    input  wire         sync_wr_data_valid,
    output wire         sync_wr_data_pop,
    output wire         sync_wr_done,
    output wire [1:0]   sync_wr_status,
    input  wire         sync_wr_queue_valid,
    input  wire [3:0]   sync_wr_queue,
    input  wire         sync_wr_first,
    input  wire         sync_irq,
    output wire [LANES-1:0] answer_room,
    input  wire         answer_valid,
    input  wire [$clog2(LANES)-1:0] answer_node,
    input  wire [31:0]  answer_header,
    input  wire [63:0]  answer_word,
    output wire         answer_held,
    output wire         answer_taken,
    output wire         ask_valid,
    output wire [$clog2(LANES)-1:0] ask_queue,
    output wire [14:0]  ask_operand,
    input  wire [LANES-1:0] ask_full,
    input  wire [1:0]   sync_release,
    input  wire         cfg_groups,
    output wire         enable,
    output wire         flush,             // level: software reset
    input  wire         sync_idle,

    // link
    input  wire         n2h_valid,
    input  wire [67:0]  n2h_data,
    output wire         n2h_pop,
    output wire         h2n_valid,
    output wire [67:0]  h2n_data,
    input  wire [LOG2_H2N:0] h2n_count,
    input  wire         gone_valid,
    input  wire         gone_local,
    input  wire         credit_valid,
    input  wire [6:0]   credit_lane,
    input  wire [6:0]   credit_value,
    output wire         credit_taken,
    input  wire         switching,         // level: the link has not followed DIRECT yet
    output wire [`CNI_SETTING_BITS-1:0] settings,
    input  wire [83:0]  link_view,         // see nic_link
    input  wire         link_dropped,      // one clock each, as in nic_clocks
    input  wire         link_rejected,
    input  wire         link_fifo_error
);
    localparam LOG2_LANES = $clog2(LANES);

`include "coherent_register_wires.vh"

    // ---- registers
    wire        ev_received, ev_sent, ev_notified, ev_flagged, ev_line_taken, ev_line, ev_read, ev_seen;
    wire [1:0]  st_valid, release_queue;
    wire [5:0]  st_word, payload_limit;
    wire        st_high, direct_held, soft_reset, soft_reset_done;
    wire [31:0] st_data;
    wire [8:0]  uncached_word;
    wire [63:0] uncached_data;

    cni_registers #(.CACHE_KB(CACHE_KB), .WAYS(WAYS), .SOURCES(SOURCES), .LANES(LANES)) window (
        .clk (clk), .rst (rst), .reg_valid (reg_valid), .reg_write (reg_write), .reg_address (reg_address),
        .reg_wdata (reg_wdata), .reg_be (reg_be), .reg_done (reg_done), .reg_rdata (reg_rdata),
        .reg_error (reg_error), .plb_error (plb_error), .plb_error_address (plb_error_address),
        .sync_wr_valid (sync_reg_wr_valid), .sync_addr (sync_reg_addr), .sync_wr_data (sync_reg_wr_data),
        .sync_wr_be (sync_reg_wr_be), .sync_rd_data (sync_reg_rd_data), .st_valid (st_valid), .st_word (st_word),
        .st_high (st_high), .st_data (st_data), .st_hold (in_valid), .uncached_word (uncached_word),
        .uncached_data (uncached_data), .settings (settings), .views (views), .events (events),
        .counted ({ev_buffer_busy, |plb_error, ev_seen, ev_read, ev_line_taken, ev_line, ev_flagged, ev_notified,
                   ev_slot_skipped, ev_bad_address, ev_bad_body, ev_gap, ev_sent, ev_received}),
        .direct_held (direct_held), .direct_refused (ev_direct_refused), .soft_reset (soft_reset),
        .soft_reset_done (soft_reset_done),
        .release_queue (release_queue), .payload_limit (payload_limit), .irq (irq)
    );

    wire        sequence_zero = settings[`CNI_SETTING_CONTROL_SEQUENCE_ZERO];
    wire        direct        = settings[`CNI_SETTING_CONTROL_DIRECT];

    assign flush        = soft_reset;
    assign enable       = settings[`CNI_SETTING_CONTROL_ENABLE] && !soft_reset;
    assign range_enable = {settings[`CNI_SETTING_UPDATE1_BASE_ENABLE], settings[`CNI_SETTING_UPDATE0_BASE_ENABLE]};
    assign range_base   = {settings[`CNI_SETTING_UPDATE1_BASE_LINE], settings[`CNI_SETTING_UPDATE0_BASE_LINE]};
    assign range_last   = {settings[`CNI_SETTING_UPDATE1_LAST_LINE], settings[`CNI_SETTING_UPDATE0_LAST_LINE]};

    // ---- send queues
    wire [1:0]  rd_valid, rd_share, rd_ordered, rd_data_valid, watching, seen, report, skipped, refused, too_early,
                send_idle, full, held, stopped, pk_valid, pk_asks, pk_last;
    wire [45:0] rd_line, watch_line;
    wire [31:0] consumed;
    wire [2*LOG2_LANES-1:0] pk_flow;
    wire [11:0] pk_words, pk_group;
    wire [63:0] pk_address;
    wire [5:0]  pk_flags;
    wire [3:0]  pk_offset;
    wire [1:0]  fills, stores;
    wire [11:0] fill_place;
    wire [6:0]  buffer_place;
    wire [63:0] buffer_data;
    wire [63:0] fill_data = (|st_valid) ? {2{st_data}} : in_data;   // never both, see st_hold
    wire [2:0]  moving, started, taken;
    wire [1:0]  may_ask;
    wire [1:0]  mode [0:1];
    wire [3:0]  log2_slot [0:1], log2_slots [0:1];
    wire [21:0] base [0:1];
    wire [7:0]  delay [0:1];
    wire [15:0] doorbell [0:1];

    assign mode[0]       = settings[`CNI_SETTING_SEND0_CONTROL_MODE];
    assign mode[1]       = settings[`CNI_SETTING_SEND1_CONTROL_MODE];
    assign log2_slot[0]  = settings[`CNI_SETTING_SEND0_CONTROL_LOG2_SLOT];
    assign log2_slot[1]  = settings[`CNI_SETTING_SEND1_CONTROL_LOG2_SLOT];
    assign log2_slots[0] = settings[`CNI_SETTING_SEND0_CONTROL_LOG2_SLOTS];
    assign log2_slots[1] = settings[`CNI_SETTING_SEND1_CONTROL_LOG2_SLOTS];
    assign base[0]       = settings[`CNI_SETTING_SEND0_BASE_ADDRESS];
    assign base[1]       = settings[`CNI_SETTING_SEND1_BASE_ADDRESS];
    assign delay[0]      = settings[`CNI_SETTING_SEND0_CONTROL_DELAY];
    assign delay[1]      = settings[`CNI_SETTING_SEND1_CONTROL_DELAY];
    assign doorbell[0]   = settings[`CNI_SETTING_SEND0_DOORBELL_WRITTEN];
    assign doorbell[1]   = settings[`CNI_SETTING_SEND1_DOORBELL_WRITTEN];

    genvar q;
    generate
        for (q = 0; q < 2; q = q + 1) begin : of_queue
            cni_send #(.LANES(LANES)) send (
                .clk (clk), .rst (rst), .flush (flush), .idle (send_idle[q]), .cfg_mode (mode[q]),
                .cfg_log2_slot (log2_slot[q]), .cfg_log2_slots (log2_slots[q]), .cfg_base (base[q]),
                .cfg_delay (delay[q]), .cfg_doorbell (doorbell[q]), .cfg_limit (payload_limit),
                .cfg_groups (cfg_groups), .release_slot (release_queue[q] || sync_release[q]),
                .consumed (consumed[16*q +: 16]), .buffer_full (full[q]), .held (held[q]), .stopped (stopped[q]),
                .rd_valid (rd_valid[q]), .rd_share (rd_share[q]), .rd_line (rd_line[23*q +: 23]),
                .rd_ordered (rd_ordered[q]), .rd_data_valid (rd_data_valid[q]), .rd_data_last (in_last),
                .watching (watching[q]), .watch_line (watch_line[23*q +: 23]),
                .seen (seen[q]), .st_valid (st_valid[q]), .st_word (st_word), .st_high (st_high),
                .fill_data (fill_data), .fills (fills[q]), .stores (stores[q]),
                .fill_place (fill_place[6*q +: 6]), .pk_valid (pk_valid[q]),
                .pk_flow (pk_flow[LOG2_LANES*q +: LOG2_LANES]),
                .pk_words (pk_words[6*q +: 6]), .pk_address (pk_address[32*q +: 32]),
                .pk_flags (pk_flags[3*q +: 3]), .pk_group (pk_group[6*q +: 6]), .pk_last (pk_last[q]),
                .pk_asks (pk_asks[q]), .pk_moving (moving[q]), .pk_taken (taken[q]),
                .pk_offset (pk_offset[2*q +: 2]), .report (report[q]), .ev_skipped (skipped[q]),
                .ev_ring_refused (refused[q]), .ev_buffer_busy (too_early[q])
            );
            assign may_ask[q] = !pk_asks[q] || !ask_full[pk_flow[LOG2_LANES*q +: LOG2_LANES]];
        end
    endgenerate

    cni_buffer buffers (
        .clk (clk), .write ({|(stores & {2{st_high}}) || (|fills), |(stores & {2{!st_high}}) || (|fills)}),
        .write_place ((|stores) ? {stores[1], st_word} : fills[1] ? {1'b1, fill_place[11:6]} : {1'b0, fill_place[5:0]}),
        .write_data (fill_data), .read_place (buffer_place), .read_data (buffer_data)
    );

    // ---- packets to the link
    wire out_idle, status_idle, status_error;

    cni_out #(.LANES(LANES), .LOG2_H2N(LOG2_H2N)) to_link (
        .clk (clk), .rst (rst), .valid ({answer_valid, pk_valid & may_ask}), .flow ({answer_node, pk_flow}),
        .words ({6'd1, pk_words}), .address ({answer_header, pk_address}), .flags ({3'd0, pk_flags}),
        .group ({6'd0, pk_group}), .last ({1'b1, pk_last}), .moving (moving), .started (started), .taken (taken),
        .offset (pk_offset), .buffer_place (buffer_place), .buffer_data (buffer_data), .answer (answer_word),
        .h2n_valid (h2n_valid), .h2n_data (h2n_data),
        .h2n_count (h2n_count), .credit_valid (credit_valid), .credit_lane (credit_lane),
        .credit_value (credit_value), .credit_taken (credit_taken), .enable (enable && !switching),
        .cfg_direct (direct), .cfg_sequence_zero (sequence_zero), .cfg_groups (cfg_groups),
        .cfg_capacity (settings[`CNI_SETTING_TX_CAPACITY_UNITS]), .answer_room (answer_room), .idle (out_idle)
    );

    assign answer_taken = taken[2];
    assign answer_held  = moving[2];
    assign ask_valid    = |(started[1:0] & pk_asks);
    assign ask_queue    = started[1] ? pk_flow[LOG2_LANES +: LOG2_LANES] : pk_flow[0 +: LOG2_LANES];
    assign ask_operand  = started[1] ? pk_address[47:33] : pk_address[15:1];

    // ---- words that are written
    wire [2:0]   word_valid, word_ready, word_last;
    wire [74:0]  word_address;
    wire [191:0] word_data;
    wire [1:0]   word_keep, word_start, fence_done;
    wire         word_of_queue, receive_fence, receive_idle, lines_idle;

    cni_receive #(.SOURCES(SOURCES)) receiver (
        .clk (clk), .rst (rst), .n2h_valid (n2h_valid), .n2h_data (n2h_data), .n2h_pop (n2h_pop),
        .enable (enable), .flush (flush), .idle (receive_idle), .cfg_sequence_zero (sequence_zero),
        .cfg_groups (cfg_groups), .cfg_remote_notify (settings[`CNI_SETTING_REMOTE_NOTIFY_ADDRESS]),
        .word_valid (word_valid[0]), .word_ready (word_ready[0]), .word_address (word_address[24:0]),
        .word_data (word_data[63:0]), .word_last (word_last[0]), .word_keep (word_keep[0]),
        .word_start (word_start[0]), .word_of_queue (word_of_queue), .fence (receive_fence),
        .lines_idle (lines_idle), .op_ready (op_ready), .op_begin (op_begin), .op_header (op_header),
        .op_valid (op_valid), .op_take (op_take), .op_word (op_word), .op_end (op_end), .op_drop (op_drop),
        .op_written (op_written), .op_waits (op_waits), .slot_valid (slot_valid), .slot_address (slot_address),
        .group_valid (group_valid), .group_damaged (group_damaged), .loss_valid (loss_valid),
        .loss_source (loss_source), .ev_received (ev_received), .ev_gap (ev_gap), .ev_bad_body (ev_bad_body),
        .ev_bad_address (ev_bad_address), .ev_notified (ev_notified), .ev_flagged (ev_flagged),
        .ev_step (ev_header_step)
    );

    cni_writes part_a (
        .clk (clk), .rst (rst), .wr_req (sync_wr_req), .wr_addr (sync_wr_addr), .wr_words (sync_wr_words),
        .wr_ack (sync_wr_ack), .wr_data (sync_wr_data), .wr_data_valid (sync_wr_data_valid),
        .wr_data_pop (sync_wr_data_pop), .wr_done (sync_wr_done), .wr_status (sync_wr_status),
        .wr_queue_valid (sync_wr_queue_valid), .wr_first (sync_wr_first), .word_valid (word_valid[1]),
        .word_ready (word_ready[1]), .word_address (word_address[49:25]), .word_data (word_data[127:64]),
        .word_last (word_last[1]), .word_keep (word_keep[1]), .word_start (word_start[1])
    );

    assign word_last[2] = 1'b1;

    cni_status to_programs (
        .clk (clk), .rst (rst), .sent_valid (|(started & {1'b1, pk_last})), .sent_by ({started[2], started[1]}),
        .gone_valid (gone_valid), .gone_local (gone_local), .report (report), .consumed (consumed),
        .cfg_local_notify (settings[`CNI_SETTING_LOCAL_NOTIFY_ADDRESS]),
        .cfg_report_enable ({settings[`CNI_SETTING_SEND1_REPORT_ENABLE], settings[`CNI_SETTING_SEND0_REPORT_ENABLE]}),
        .cfg_report_address ({settings[`CNI_SETTING_SEND1_REPORT_ADDRESS],
                              settings[`CNI_SETTING_SEND0_REPORT_ADDRESS]}),
        .word_valid (word_valid[2]), .word_ready (word_ready[2]), .word_address (word_address[74:50]),
        .word_data (word_data[191:128]), .idle (status_idle), .ev_error (status_error)
    );

    // ---- lines
    wire        wr_valid, wr_invalidate, wr_full, wr_allocate, wr_cache, wr_taken;
    wire [22:0] wr_line;
    wire [1:0]  wr_word, wr_last;

    cni_lines line_writer (
        .clk (clk), .rst (rst), .word_valid (word_valid), .word_ready (word_ready), .word_address (word_address),
        .word_data (word_data), .word_last (word_last), .word_keep (word_keep), .word_start (word_start),
        .word_of_queue ({sync_wr_queue_valid, word_of_queue}), .word_queue ({sync_wr_queue, op_header[23:20]}),
        .cfg_queues ({settings[`CNI_SETTING_QUEUE_MODES_HIGH], settings[`CNI_SETTING_QUEUE_MODES_LOW]}),
        .fence ({sync_irq, receive_fence}), .fence_done (fence_done),
        .cfg_other ({settings[`CNI_SETTING_OTHER_MODE_CACHE], settings[`CNI_SETTING_OTHER_MODE_MODE]}),
        .cfg_enable ({settings[`CNI_SETTING_WINDOW1_BASE_ENABLE], settings[`CNI_SETTING_WINDOW0_BASE_ENABLE]}),
        .cfg_base ({settings[`CNI_SETTING_WINDOW1_BASE_LINE], settings[`CNI_SETTING_WINDOW0_BASE_LINE]}),
        .cfg_last ({settings[`CNI_SETTING_WINDOW1_LAST_LINE], settings[`CNI_SETTING_WINDOW0_LAST_LINE]}),
        .cfg_mode ({settings[`CNI_SETTING_WINDOW1_BASE_CACHE], settings[`CNI_SETTING_WINDOW1_BASE_MODE],
                    settings[`CNI_SETTING_WINDOW0_BASE_CACHE], settings[`CNI_SETTING_WINDOW0_BASE_MODE]}),
        .req_valid (wr_valid), .req_invalidate (wr_invalidate), .req_line (wr_line), .req_word (wr_word),
        .req_last (wr_last), .req_full (wr_full), .req_allocate (wr_allocate), .req_cache (wr_cache),
        .req_taken (wr_taken), .out_take (out_take), .out_word (out_word), .out_data (out_data),
        .out_mask (out_mask), .snoop_done (snoop_done), .uncached_word (uncached_word),
        .uncached_data (uncached_data), .idle (lines_idle), .ev_line (ev_line)
    );

    cni_bus agent (
        .clk (clk), .rst (rst), .wr_valid (wr_valid), .wr_invalidate (wr_invalidate), .wr_line (wr_line),
        .wr_word (wr_word), .wr_last (wr_last), .wr_full (wr_full), .wr_allocate (wr_allocate),
        .wr_cache (wr_cache), .wr_taken (wr_taken), .rd_valid (rd_valid), .rd_share (rd_share),
        .rd_line (rd_line), .rd_ordered (rd_ordered), .rd_data_valid (rd_data_valid), .watching (watching),
        .watch_line (watch_line), .seen (seen), .req_valid (req_valid), .req_kind (req_kind),
        .req_line (req_line), .req_word (req_word), .req_last (req_last), .req_tag (req_tag),
        .req_full (req_full), .req_allocate (req_allocate), .req_cache (req_cache), .req_taken (req_taken),
        .snoop_valid (snoop_valid), .snoop_kind (snoop_kind), .snoop_line (snoop_line), .answer_has (answer_has),
        .in_valid (in_valid), .in_own (in_own), .in_tag (in_tag), .ev_read (ev_read), .ev_seen (ev_seen)
    );

    // an Update that a cache had
    reg update_asked;
    always @(posedge clk)
        if (req_taken) update_asked <= wr_taken && !wr_invalidate;

    // ---- events, views, software reset
    assign ev_slot_skipped    = |skipped;
    assign ev_ring_refused    = |refused;
    assign ev_buffer_busy     = |too_early;
    assign ev_packet_dropped  = link_dropped;
    assign ev_credit_rejected = link_rejected;
    assign ev_fifo_error      = link_fifo_error || status_error;
    assign {ev_plb1_error, ev_plb0_error} = plb_error;
    assign {ev_object, ev_arrived} = fence_done;
    assign ev_sent            = |started;
    assign ev_line_taken      = result_valid && result_shared && update_asked;

    assign view_send0_consumed_slots   = consumed[15:0];
    assign view_send0_consumed_busy    = full[0];
    assign view_send0_consumed_held    = held[0];
    assign view_send0_consumed_stopped = stopped[0];
    assign view_send1_consumed_slots   = consumed[31:16];
    assign view_send1_consumed_busy    = full[1];
    assign view_send1_consumed_held    = held[1];
    assign view_send1_consumed_stopped = stopped[1];
    assign view_link_status_remote_fault = link_view[83];
    assign view_link_status_loss_of_sync = link_view[50];
    assign view_link_status_credit_seen  = link_view[49];
    assign view_link_status_up           = link_view[48];
    assign view_tx_space_transmitted     = link_view[47:36];
    assign view_tx_space_credit          = link_view[35:24];
    assign view_rx_space_received        = link_view[23:12];
    assign view_rx_space_forwarded       = link_view[11:0];

    assign direct_held     = !out_idle || !status_idle || switching;
    assign soft_reset_done = receive_idle && (&send_idle) && out_idle && lines_idle && sync_idle && soft_reset;

    wire unused = &{1'b0, link_view[82:51]};

    // ---- measuring
    wire probe_busy = !lines_idle || !receive_idle || !out_idle;
endmodule
`default_nettype wire
