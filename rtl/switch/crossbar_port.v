// Everything of one port p of the switch: its link, its row's end, its column. A crossbar is PORTS of these.
//
//     gt_rx --> switch_port --------------------------> row_*     to the columns of all ports
//     gt_tx <------ ^ | <--- credit_scheduler <-------- left      packets of input p that have left, from all ports
//                   | v <--- output_scheduler <---.
//                   '------- crosspoints ---------+---- column_*  what all inputs write for output p
//                            of the column        '---> departed  packets that leave through output p
//
// All is in the clock of port p, except signals from an input i or an output o, which are in the clock of that port.
// FAR says which of these use the other clock; what they write crosses in the crosspoints, their departures in
// sync_held. All but the line and timers is in the gated clock `run_clk`; `busy` says that there is work.
`default_nettype none
`include "slots.vh"
`include "switch_registers.vh"
module crossbar_port #(
    // ports of the switch, 2..16
    parameter PORTS = 8,
    // bit q = 1: port q is on the other clock
    parameter [31:0] FAR = 0,
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
    output wire                     busy,
    input  wire                     far_run_clk,        // of the ports in FAR
    input  wire                     far_rst,

    // transceiver, see crossbar
    output wire [31:0]              gt_tx_data,
    output wire [3:0]               gt_tx_k,
    input  wire [31:0]              gt_rx_data,
    input  wire [3:0]               gt_rx_k,
    input  wire [3:0]               gt_rx_notintable,
    input  wire [3:0]               gt_rx_disperr,
    input  wire                     gt_rx_loss_of_sync,
    input  wire [1:0]               gt_rx_buf_status,
    input  wire                     gt_tx_buf_err,

    // time base, settings: see switch_timer, switch_port
    input  wire                     window_start,
    input  wire                     window_late,
    input  wire                     tick,
    input  wire                     refresh,
    input  wire                     enable,
    input  wire [23:0]              down_clocks,
    input  wire [11:0]              capacity,
    input  wire [6:0]               node,
    input  wire                     stamp,
    input  wire [31:0]              now,
    input  wire [PORTS-1:0]         input_enable,       // inputs that the output may serve
    input  wire [PORTS*8-1:0]       weight,             // of input i in [8*i +: 8]

    // row: what this input writes, see crosspoint
    output wire [PORTS-1:0]         row_valid,          // bit o: into the column of output o
    output wire                     row_start,
    output wire                     row_end,
    output wire                     row_poisoned,
    output wire [31:0]              row_data,
    input  wire [PORTS-1:0]         row_overflow,       // bit o: ... has no space

    // column: what input i writes for this output, in bit or slice i, in the clock of input i
    input  wire [PORTS-1:0]         column_valid,
    input  wire [PORTS-1:0]         column_start,
    input  wire [PORTS-1:0]         column_end,
    input  wire [PORTS-1:0]         column_poisoned,
    input  wire [PORTS*32-1:0]      column_data,
    output wire [PORTS-1:0]         column_overflow,

    // departures: bit i, a packet of input i starts to leave through this output; and bit o, one of this input through
    // output o, in the clock of output o. Units stay until the next time
    output wire [PORTS-1:0]         departed,
    output wire [7:0]               departed_units,
    input  wire [PORTS-1:0]         left,
    input  wire [PORTS*8-1:0]       left_units,

    // to the monitor, see there
    output wire [7:0]               status,
    output wire [23:0]              view,
    output wire [15:0]              events,             // bits by their names in registers.map
    output wire [70:0]              words,              // for the trace, see switch_port
    output wire [PORTS-1:0]         arrived,
    output wire [PORTS*10-1:0]      occupancy,
    output wire                     out_start,
    output wire                     out_drained,
    output reg  [$clog2(PORTS)-1:0] out_input,
    output wire [9:0]               out_units
);
    localparam LOG2_PORTS = $clog2(PORTS);

    // ---- link
    wire                  stored;
    wire                  record;
    wire [LOG2_PORTS-1:0] header_output;
    wire [9:0]            header_units;
    wire [11:0]           record_units;
    wire [9:0]            occupied;
    wire                  credit_request;
    wire [31:0]           credit_word;
    wire                  credit_take;
    wire                  choose;
    wire                  chosen;
    wire [LOG2_PORTS-1:0] chosen_input;
    wire [PORTS-1:0]      chosen_onehot;
    wire                  taken;
    wire [9:0]            taken_units;
    wire [PORTS-1:0]      rd_valid;
    wire [PORTS-1:0]      rd_end;
    wire [PORTS-1:0]      rd_poisoned;
    wire [PORTS*32-1:0]   rd_data;
    wire [PORTS-1:0]      rd_pop;
    wire                  in_sync;
    wire                  down;
    wire                  remote_fault;
    wire                  credit_seen;
    wire                  dry;
    wire                  stored_event;
    wire                  port_busy;

    switch_port #(
        .PORTS(PORTS), .MAX_WORDS(MAX_WORDS), .UP_CLOCKS(UP_CLOCKS), .RECORD_PERIOD(RECORD_PERIOD),
        .RECORD_HOLD(RECORD_HOLD), .STAMPS(STAMPS), .TRACE(TRACE)
    ) port (
        .clk (clk), .run_clk (run_clk), .rst (rst), .busy (port_busy),
        .gt_tx_data (gt_tx_data), .gt_tx_k (gt_tx_k), .gt_rx_data (gt_rx_data), .gt_rx_k (gt_rx_k),
        .gt_rx_notintable (gt_rx_notintable), .gt_rx_disperr (gt_rx_disperr), .gt_rx_loss_of_sync (gt_rx_loss_of_sync),
        .gt_rx_buf_status (gt_rx_buf_status), .gt_tx_buf_err (gt_tx_buf_err),
        .window_start (window_start), .window_late (window_late), .tick (tick), .enable (enable),
        .down_clocks (down_clocks), .capacity (capacity), .node (node), .stamp (stamp), .now (now),
        .wr_valid (row_valid), .wr_start (row_start), .wr_end (row_end), .wr_poisoned (row_poisoned),
        .wr_data (row_data), .stored (stored), .record (record), .header_output (header_output),
        .header_units (header_units), .record_units (record_units), .occupied (occupied),
        .credit_request (credit_request), .credit_word (credit_word), .credit_take (credit_take), .choose (choose),
        .chosen (chosen), .chosen_onehot (chosen_onehot), .taken (taken), .taken_units (taken_units),
        .rd_valid (rd_valid), .rd_end (rd_end), .rd_poisoned (rd_poisoned), .rd_data (rd_data), .rd_pop (rd_pop),
        .departed (departed), .departed_units (departed_units), .in_sync (in_sync), .down (down),
        .remote_fault (remote_fault), .nic_credit_seen (credit_seen), .nic_units (view[23:12]),
        .nic_credit (view[11:0]), .ev_packet_in (stored_event), .ev_header_crc (events[`SWITCH_NC_HEADER_CRC]),
        .ev_drop_length (events[`SWITCH_NC_DROP_LENGTH]), .ev_drop_flow (events[`SWITCH_NC_DROP_FLOW]),
        .ev_drop_space (events[`SWITCH_NC_DROP_SPACE]), .ev_alignment (events[`SWITCH_NC_ALIGNMENT]),
        .ev_padded (events[`SWITCH_NC_PADDED]), .ev_credit_rejected (events[`SWITCH_NC_CREDIT_REJECTED]),
        .ev_record (events[`SWITCH_NC_RECORD]), .ev_record_unknown (events[`SWITCH_NC_RECORD_UNKNOWN]),
        .ev_loss_of_sync (events[`SWITCH_NC_LOSS_OF_SYNC]), .ev_down (events[`SWITCH_NC_DOWN]),
        .ev_drained (out_drained), .ev_start (out_start), .ev_dry (dry), .ev_code (events[`SWITCH_NC_CODE]),
        .words (words)
    );

    // ---- schedulers
    wire [PORTS-1:0]      returned;                     // `left` in this clock
    wire [PORTS*10-1:0]   returned_units;
    wire [PORTS-1:0]      waiting;
    wire                  scheduler_overflow;

    assign busy = port_busy || chosen || (|waiting);

    `CREDIT_SCHEDULER #(.OUTPUTS(PORTS)) credits (
        .clk (run_clk), .rst (rst), .departed (returned), .departed_units (returned_units),
        .stored (stored), .stored_output (header_output), .stored_units (header_units),
        .record (record), .record_output (header_output), .record_units (record_units), .occupied (occupied),
        .refresh (refresh), .request (credit_request), .word (credit_word), .take (credit_take)
    );

    `OUTPUT_SCHEDULER #(.INPUTS(PORTS)) scheduler (
        .clk (run_clk), .rst (rst), .arrived (arrived), .occupancy (occupancy), .enable (input_enable | {PORTS{down}}),
        .weight (weight), .choose (choose), .chosen (chosen), .chosen_input (chosen_input),
        .chosen_onehot (chosen_onehot), .taken (taken), .taken_units (taken_units), .waiting (waiting),
        .overflow (scheduler_overflow)
    );

    // ---- column, and signals from the other ports' columns
    wire [PORTS*10-1:0] unused_space;
    wire [PORTS-1:0]    unused_underflow;               // the transmitter pops words that are missing, and knows (dry)
    genvar q;
    generate
        for (q = 0; q < PORTS; q = q + 1) begin : row
            wire its_clk;                               // of port q
            wire its_rst;
            if (FAR[q]) begin : other
                assign its_clk = far_run_clk;
                assign its_rst = far_rst;
            end else begin : same
                assign its_clk = run_clk;
                assign its_rst = rst;
            end

            `CROSSPOINT #(.LOG2_WORDS(9), .SAME_CLOCK(FAR[q] ? 0 : 1)) buffer (
                .wr_clk (its_clk), .wr_rst (its_rst), .wr_valid (column_valid[q]), .wr_start (column_start[q]),
                .wr_end (column_end[q]), .wr_poisoned (column_poisoned[q]), .wr_data (column_data[32*q +: 32]),
                .wr_space (unused_space[10*q +: 10]), .overflow (column_overflow[q]),
                .rd_clk (run_clk), .rd_rst (rst), .arrived (arrived[q]), .rd_valid (rd_valid[q]), .rd_end (rd_end[q]),
                .rd_poisoned (rd_poisoned[q]), .rd_data (rd_data[32*q +: 32]), .rd_pop (rd_pop[q]),
                .occupancy (occupancy[10*q +: 10]), .underflow (unused_underflow[q])
            );

            sync_held #(.WIDTH(8), .SAME_CLOCK(FAR[q] ? 0 : 1)) departure (
                .src_clk (its_clk), .src_rst (its_rst), .src_pulse (left[q]), .src_data (left_units[8*q +: 8]),
                .dst_clk (run_clk), .dst_rst (rst), .dst_pulse (returned[q]), .dst_data (returned_units[10*q +: 8])
            );
            assign returned_units[10*q+8 +: 2] = 2'b00;
        end
    endgenerate

    // ---- to the monitor; with `departed`: what left
    assign status = {3'd0, remote_fault, credit_seen, down && (|waiting), down, in_sync};
    assign events[`SWITCH_NC_DRAINED]              = out_drained;
    assign events[`SWITCH_NC_CROSSPOINT_OVERFLOW]  = |row_overflow;
    assign events[`SWITCH_NC_CROSSPOINT_UNDERFLOW] = dry;
    assign events[`SWITCH_NC_SCHEDULER_OVERFLOW]   = scheduler_overflow;
    assign out_units = {2'b00, departed_units};
    always @(posedge run_clk) out_input <= chosen_input;

    wire unused = &{1'b0, stored_event, unused_space, unused_underflow, far_run_clk, far_rst};
endmodule
`default_nettype wire
