// One port of the switch: the receiving half with its alignment, the transmitting half with its flow control, and the
// rule for ports that are down. Only wiring apart from that rule.
//
//     gt_rx --> link_rx_align --> switch_rx ----------------> crosspoints of the row
//                                   |  \--- stored, record --> credit scheduler
//                     credits from the NIC                          | credits for the NIC
//                                   v                               v
//     gt_tx <-- link_gt_tx <---- switch_tx <-- link_credit_rx, link_check_record
//                                   ^---------------------- crosspoints of the column, output scheduler
//
// Down (design.md 3): disabled, or without synchronisation for `down_clocks` clocks and at most 128 more, or the NIC
// has reported that it receives nothing. Until then packets wait, so a cut of some microseconds only delays them. While
// the port is down its column is drained; the next packet of each input with a drained packet carries a wrong body CRC
// to report the loss (switch_tx). A port without synchronisation for that time makes its NIC stop sending (link_gt_tx).
// The port takes packets from its NIC while it is enabled; if it drops some, the next one for the same output reports
// the loss (switch_rx).
`default_nettype none
module switch_port #(
    // ports of the switch, 2..16
    parameter PORTS = 8,
    // parameters of the modules inside; see there
    parameter MAX_WORDS = 62,
    parameter UP_CLOCKS = 128,
    parameter RECORD_PERIOD = 2048,
    parameter RECORD_HOLD = 512,
    // 1: with time stamps in packets; 0: without
    parameter STAMPS = 1,
    // 1: with `words`; 0: they are 0
    parameter TRACE = 0
) (
    input  wire                     clk,
    input  wire                     run_clk,            // the same, gated while `busy` is low (clock_gate)
    input  wire                     rst,
    output wire                     busy,               // something arrives, waits for the transmitter or leaves

    // transceiver
    output wire [31:0]              gt_tx_data,
    output wire [3:0]               gt_tx_k,
    input  wire [31:0]              gt_rx_data,
    input  wire [3:0]               gt_rx_k,
    input  wire [3:0]               gt_rx_notintable,   // per byte: no character of the code
    input  wire [3:0]               gt_rx_disperr,      // per byte: wrong running disparity
    input  wire                     gt_rx_loss_of_sync,
    input  wire [1:0]               gt_rx_buf_status,   // [1] = overflow or underflow (UG024)
    input  wire                     gt_tx_buf_err,

    // time base and configuration, in this clock
    input  wire                     window_start,       // from switch_timer
    input  wire                     window_late,
    input  wire                     tick,               // one clock in 64
    input  wire                     enable,
    input  wire [23:0]              down_clocks,        // without synchronisation until the port counts as down
    input  wire [11:0]              capacity,           // receive buffer of the NIC [link words], at most 4064
    input  wire [6:0]               node,               // ID of the NIC
    input  wire                     stamp,              // packets get time stamps, see switch_rx
    input  wire [31:0]              now,                // the time for them

    // crosspoints of the row
    output wire [PORTS-1:0]         wr_valid,
    output wire                     wr_start,
    output wire                     wr_end,
    output wire                     wr_poisoned,
    output wire [31:0]              wr_data,

    // credit scheduler
    output wire                     stored,
    output wire                     record,
    output wire [$clog2(PORTS)-1:0] header_output,
    output wire [9:0]               header_units,
    output wire [11:0]              record_units,
    input  wire [9:0]               occupied,
    input  wire                     credit_request,
    input  wire [31:0]              credit_word,
    output wire                     credit_take,

    // output scheduler
    output wire                     choose,
    input  wire                     chosen,
    input  wire [PORTS-1:0]         chosen_onehot,
    output wire                     taken,
    output wire [9:0]               taken_units,

    // crosspoints of the column
    input  wire [PORTS-1:0]         rd_valid,
    input  wire [PORTS-1:0]         rd_end,
    input  wire [PORTS-1:0]         rd_poisoned,
    input  wire [PORTS*32-1:0]      rd_data,
    output wire [PORTS-1:0]         rd_pop,

    // to the credit schedulers
    output wire [PORTS-1:0]         departed,
    output wire [7:0]               departed_units,

    // status
    output wire                     in_sync,
    output reg                      down,               // level: packets are discarded
    output wire                     remote_fault,       // level: the NIC receives nothing
    output wire                     nic_credit_seen,    // a valid credit has been received
    output wire [11:0]              nic_units,          // transmitted to the NIC
    output wire [11:0]              nic_credit,         // last credit of the NIC

    // events, see the blocks
    output wire                     ev_packet_in,
    output wire                     ev_padded,
    output wire                     ev_header_crc,
    output wire                     ev_alignment,
    output wire                     ev_drop_length,
    output wire                     ev_drop_flow,
    output wire                     ev_drop_space,
    output wire                     ev_record,
    output wire                     ev_record_unknown,
    output wire                     ev_credit_rejected,
    output wire                     ev_start,           // a packet's SOP is on gt_tx_data
    output wire                     ev_drained,
    output wire                     ev_dry,
    output wire                     ev_loss_of_sync,
    output reg                      ev_down,
    output wire                     ev_code,

    // for the trace: [31:0] received, [64] a word, [65] SOP, [66] idle or no synchronisation, [67] a code error in it,
    // none of them: nothing came; [63:32] sent, [68] a word, [69] SOP, neither: idle; [70] a packet waits for credit
    output wire [70:0]              words
);
    // ---- synchronisation, down
    wire ev_unknown;
    wire ev_disparity;
    wire ev_tx_buffer;
    wire link_up;                                       // both ways
    wire word_fault;
    link_sync #(.UP_CLOCKS(UP_CLOCKS)) sync (
        .clk (clk), .rst (rst), .rx_notintable (gt_rx_notintable), .rx_disperr (gt_rx_disperr),
        .rx_loss_of_sync (gt_rx_loss_of_sync), .rx_buf_error (gt_rx_buf_status[1]), .tx_buf_error (gt_tx_buf_err),
        .word_fault (word_fault), .in_sync (in_sync), .remote_fault (remote_fault), .link_up (link_up),
        .ev_unknown (ev_unknown), .ev_loss_of_sync (ev_loss_of_sync), .ev_disparity (ev_disparity),
        .ev_tx_buffer (ev_tx_buffer)
    );

    reg  [18:0] ticks_lost;      // 64 clocks each, without synchronisation; more than down_clocks, to pass its largest
    wire        lost_long = (ticks_lost > {1'b0, down_clocks[23:6]});
    wire        down_next = !enable || remote_fault || (!in_sync && (down || lost_long));
    always @(posedge clk)
        if (rst || in_sync)
            ticks_lost <= 19'd0;
        else if (tick && !lost_long)
            ticks_lost <= ticks_lost + 19'd1;
    always @(posedge run_clk)
        if (rst) begin
            down    <= 1'b0;
            ev_down <= 1'b0;
        end else begin
            down    <= down_next;
            ev_down <= down_next && !down;
        end

    // ---- receiving half
    wire        rx_busy;
    wire        tx_busy;
    wire [31:0] word_in;
    wire        word_valid;
    wire        word_in_sop;
    wire        word_k;
    wire        word_error;
    wire        word_lost;
    wire        credit_valid;
    wire        credit_bad;
    wire [31:0] credit_in;
    link_rx_align align (
        .clk (clk), .rst (rst), .rx_data (gt_rx_data), .rx_k (gt_rx_k), .rx_notintable (gt_rx_notintable),
        .rx_disperr (gt_rx_disperr), .rx_loss_of_sync (gt_rx_loss_of_sync), .rx_buf_error (gt_rx_buf_status[1]),
        .word (word_in), .word_valid (word_valid), .word_sop (word_in_sop), .word_fault (word_fault), .word_k (word_k),
        .word_error (word_error), .word_lost (word_lost)
    );
    switch_rx #(.OUTPUTS(PORTS), .MAX_WORDS(MAX_WORDS), .STAMPS(STAMPS)) rx (
        .clk (run_clk), .rst (rst), .busy (rx_busy), .enable (enable), .source (node), .stamp (stamp), .now (now),
        .word (word_in), .word_valid (word_valid), .word_sop (word_in_sop), .word_k (word_k), .word_error (word_error),
        .word_lost (word_lost),
        .wr_valid (wr_valid), .wr_start (wr_start), .wr_end (wr_end), .wr_poisoned (wr_poisoned), .wr_data (wr_data),
        .stored (stored), .record (record), .header_output (header_output), .header_units (header_units),
        .record_units (record_units), .occupied (occupied),
        .credit_valid (credit_valid), .credit_bad (credit_bad), .credit_word (credit_in),
        .ev_packet (ev_packet_in), .ev_padded (ev_padded), .ev_header_crc (ev_header_crc), .ev_alignment (ev_alignment),
        .ev_drop_length (ev_drop_length), .ev_drop_flow (ev_drop_flow), .ev_drop_space (ev_drop_space),
        .ev_record (ev_record), .ev_record_unknown (ev_record_unknown), .ev_code (ev_code)
    );

    // ---- transmitting half; towards the NIC there is one virtual channel, number 0
    wire        packets_may_start;
    wire        hold;
    wire        record_request;
    wire        record_take;
    wire        record_again;
    wire [11:0] units_sent;
    wire [9:0]  ask_length;
    wire        granted;
    wire        ask_take;
    wire        word_idle;
    wire        word_sop;
    wire [31:0] word_out;
    wire        lane;
    wire        lane_known;
    wire        record_busy;
    wire        credit_accepted;
    wire        accepted_again;
    wire        packet_sent;
    wire        backpressure;
    wire [6:0]  accepted_lane;
    wire [6:0]  accepted_value;
    wire [11:0] accepted_units;
    wire        unused = &{1'b0, down_clocks[5:0], gt_rx_buf_status[0], lane, lane_known, credit_accepted,
                           accepted_again, accepted_lane, accepted_value, accepted_units, ev_unknown, ev_disparity,
                           ev_tx_buffer};

    initial
        if (RECORD_PERIOD < 2 || RECORD_PERIOD > 65535) begin
            $display("%m: RECORD_PERIOD must be 2..65535, is %0d", RECORD_PERIOD);
            $finish;
        end

    wire [$clog2(RECORD_PERIOD)-1:0] record_count;
    wire                             record_due;
    wire                             unused_count = &{1'b0, record_count};

    link_timer #(.PERIOD(RECORD_PERIOD)) record_timer (.clk (clk), .rst (rst), .count (record_count),
                                                       .due (record_due));
    link_check_record #(.LANES(1), .HOLD(RECORD_HOLD)) check_record (
        .clk (run_clk), .rst (rst), .busy (record_busy), .due (record_due), .link_up (link_up), .lanes_used (1'b1),
        .request (record_request), .lane (lane), .take (record_take),
        .again (record_again), .hold (hold), .packets_may_start (packets_may_start)
    );
    link_credit_rx #(.FLOWS(1)) credit_rx (
        .clk (run_clk), .rst (rst), .cfg_direct (1'b1), .cfg_flow_enable (1'b1), .cfg_capacity (capacity),
        .ask_flow (7'd0), .ask_length (ask_length), .ask_lane_known (lane_known), .ask_granted (granted),
        .take (ask_take), .credit_valid (credit_valid), .credit_bad (credit_bad), .credit_word (credit_in),
        .record_take (record_take), .record_lane (1'b0), .record_units (units_sent), .record_again (record_again),
        .hold (hold), .view_flow (7'd0), .view_seen (nic_credit_seen), .view_transmitted (nic_units),
        .view_credit (nic_credit), .ev_accepted (credit_accepted), .accepted_again (accepted_again),
        .accepted_lane (accepted_lane), .accepted_value (accepted_value), .accepted_units (accepted_units),
        .ev_rejected (ev_credit_rejected)
    );
    switch_tx #(.INPUTS(PORTS), .MAX_WORDS(MAX_WORDS), .STAMPS(STAMPS)) tx (
        .clk (run_clk), .rst (rst), .busy (tx_busy), .now (now), .packets_may_start (packets_may_start), .down (down),
        .window_start (window_start), .window_late (window_late),
        .choose (choose), .chosen (chosen), .chosen_onehot (chosen_onehot), .taken (taken), .taken_units (taken_units),
        .rd_valid (rd_valid), .rd_end (rd_end), .rd_poisoned (rd_poisoned), .rd_data (rd_data), .rd_pop (rd_pop),
        .departed (departed), .departed_units (departed_units),
        .ask_length (ask_length), .granted (granted), .ask_take (ask_take),
        .credit_request (credit_request), .credit_word (credit_word), .credit_take (credit_take),
        .record_request (record_request), .record_units (units_sent), .record_take (record_take),
        .word_idle (word_idle), .word_sop (word_sop), .word_data (word_out), .word_sent (gt_tx_data),
        .ev_start (ev_start), .ev_packet (packet_sent), .ev_drained (ev_drained), .ev_dry (ev_dry),
        .ev_backpressure (backpressure)
    );
    link_gt_tx gt_tx (
        .clk (clk), .rst (rst), .fault (lost_long), .idle (word_idle), .sop (word_sop), .data (word_out),
        .tx_data (gt_tx_data), .tx_k (gt_tx_k)
    );

    // ---- clock gating: idle words pass, or there is no synchronisation, and all received words are processed
    wire   line_idle = word_valid && word_k && !word_in_sop && !word_error && !word_lost;

    assign busy = !(in_sync ? line_idle : word_lost) || (down != down_next) || rx_busy || tx_busy || credit_request
                  || record_busy;

    // ---- for the trace
    generate
        if (TRACE != 0) begin : trace
            wire passes = word_valid && !word_lost;
            assign words = {backpressure, !word_idle && word_sop, !word_idle && !word_sop,
                            passes && word_error, word_lost || (passes && word_k && !word_in_sop),
                            passes && word_in_sop, passes && !word_k, word_out, word_in};
        end else begin : no_trace
            assign words = 71'd0;
        end
    endgenerate

    // ---- measuring
    wire probe_busy         = !word_idle || (word_valid && !word_k);
    wire probe_stall_credit = backpressure;
    wire probe_start        = taken;
    wire probe_done         = packet_sent;
endmodule
`default_nettype wire
