// The buffered crossbar switch: only wiring (S1 3.2; S2 3).
//
// Parameters are those of the blocks; see there for their units and ranges. Port p is slice p of every gt_* vector and runs on clk_b
// if bit p of DOMAIN is 1, else on clk_a. The monitor port is on clk_a.
`default_nettype none
`include "slots.vh"
`include "switch_registers.vh"
module crossbar #(
    // ports, 2..16
    parameter PORTS = 8,
    // bit p = 1: port p is on clk_b; default: the upper half
    parameter [31:0] DOMAIN = (1 << PORTS) - (1 << (PORTS / 2)),
    // longest payload [64-bit words], 1..64; 62 (496 bytes) makes 512 bytes with header and CRCs, 64 is S2's payload of 512 bytes
    parameter MAX_WORDS = 62,
    // 1: with the monitor's counters; 0: without
    parameter MONITOR = 1,
    // receive buffer of a NIC at reset [link words], 128..4064
    parameter CAPACITY_UNITS = 2046,
    // clocks without synchronisation after which a port counts as down, at reset (1 ms); it may be up to 128 later
    parameter DOWN_CLOCKS = 78125,
    // clocks in synchronisation before a link counts as up, 1..65535
    parameter UP_CLOCKS = 128,
    // one idle word is sent at least in so many words, 512..8192
    parameter IDLE_WORDS = 2048,
    // clocks between check records of a port, 2..65535
    parameter RECORD_PERIOD = 2048,
    // clocks after its first record in which a port's credits are ignored, 1..1023
    parameter RECORD_HOLD = 512,
    // clocks between two unchanged credits, 2..65535
    parameter REFRESH_PERIOD = 4096
) (
    input  wire                clk_a,
    input  wire                clk_b,
    input  wire                rst_n,             // pin, asynchronous

    // transceivers, 32 bits per clock and port, byte [31:24] first; K flag bit 3 belongs to it
    output wire [PORTS*32-1:0] gt_tx_data,
    output wire [PORTS*4-1:0]  gt_tx_k,
    input  wire [PORTS*32-1:0] gt_rx_data,
    input  wire [PORTS*4-1:0]  gt_rx_k,
    input  wire [PORTS*4-1:0]  gt_rx_notintable,  // per byte: no character of the code
    input  wire [PORTS*4-1:0]  gt_rx_disperr,     // per byte: wrong running disparity
    input  wire [PORTS-1:0]    gt_rx_loss_of_sync, // level
    input  wire [PORTS*2-1:0]  gt_rx_buf_status,  // [1] = overflow or underflow (UG024)
    input  wire [PORTS-1:0]    gt_tx_buf_err,
    output wire [PORTS*2-1:0]  gt_loopback,       // always 0: none

    // monitor (clk_a): an access is taken in a clock with mon_valid and mon_ready; read data comes later with mon_rvalid
    input  wire                mon_valid,
    input  wire                mon_we,            // 1: a write
    input  wire [15:2]         mon_addr,
    input  wire [31:0]         mon_wdata,
    output wire                mon_ready,
    output wire                mon_rvalid,
    output wire [31:0]         mon_rdata
);
    initial
        if (PORTS < 2 || PORTS > 16 || (DOMAIN >> PORTS) != 0 || CAPACITY_UNITS < 128 || CAPACITY_UNITS > 4064) begin
            $display("%m: PORTS must be 2..16, is %0d; DOMAIN of so many bits, is %0d; CAPACITY_UNITS 128..4064, is %0d", PORTS, DOMAIN,
                     CAPACITY_UNITS);
            $finish;
        end

    initial
        if ((MONITOR != 0 && MONITOR != 1) || DOWN_CLOCKS < 1 || MAX_WORDS < 1 || MAX_WORDS > 64) begin
            $display("%m: MONITOR must be 0 or 1, is %0d; DOWN_CLOCKS at least 1, is %0d; MAX_WORDS 1..64, is %0d", MONITOR, DOWN_CLOCKS,
                     MAX_WORDS);
            $finish;
        end

    localparam LOG2_PORTS = $clog2(PORTS);
    // the monitor's forwarding time: header CRC at gt_rx_data to `arrived` in one clock domain; the SOP is on gt_tx_data with out_start
    localparam FORWARDING_OFFSET = 4;

    // ---- clocks' resets; slice p of everything named port_* belongs to port p and is in its clock, but for bits o * PORTS + i
    wire                         rst_a;
    wire                         rst_b;
    reset_sync reset_a (.clk (clk_a), .rst_n_pin (rst_n), .rst (rst_a));
    reset_sync reset_b (.clk (clk_b), .rst_n_pin (rst_n), .rst (rst_b));

    // time bases: [0] of clk_a, [1] of clk_b
    wire [1:0]                   window_start;
    wire [1:0]                   window_late;
    wire [1:0]                   tick;
    switch_timer #(.IDLE_WORDS(IDLE_WORDS), .MAX_WORDS(MAX_WORDS)) timer_a (
        .clk (clk_a), .rst (rst_a), .window_start (window_start[0]), .window_late (window_late[0]), .tick (tick[0])
    );
    switch_timer #(.IDLE_WORDS(IDLE_WORDS), .MAX_WORDS(MAX_WORDS)) timer_b (
        .clk (clk_b), .rst (rst_b), .window_start (window_start[1]), .window_late (window_late[1]), .tick (tick[1])
    );

    // settings
    wire [PORTS-1:0]             port_enable;
    wire [PORTS*24-1:0]          port_down_time;
    wire [PORTS*12-1:0]          port_capacity;
    wire [PORTS*8-1:0]           port_node;
    wire [PORTS*PORTS-1:0]       input_enable;
    wire [PORTS*PORTS*8-1:0]     weight;

    // rows: input i writes
    wire [PORTS*PORTS-1:0]       row_valid;          // bit i * PORTS + o
    wire [PORTS-1:0]             row_start;
    wire [PORTS-1:0]             row_end;
    wire [PORTS-1:0]             row_spoiled;
    wire [PORTS*32-1:0]          row_data;

    // columns: crosspoint of input i in the column of output o, bit o * PORTS + i
    wire [PORTS*PORTS-1:0]       arrived;
    wire [PORTS*PORTS-1:0]       rd_valid;
    wire [PORTS*PORTS-1:0]       rd_end;
    wire [PORTS*PORTS-1:0]       rd_spoiled;
    wire [PORTS*PORTS*32-1:0]    rd_data;
    wire [PORTS*PORTS-1:0]       rd_pop;
    wire [PORTS*PORTS*10-1:0]    occupancy;
    wire [PORTS*PORTS-1:0]       unused_underflow;   // the transmitter pops what is not there yet, and knows (dry)
    wire [PORTS*PORTS-1:0]       overflow;           // bit i * PORTS + o, input's clock

    // departures: from output o, in its clock, bit o * PORTS + i; and as input i sees them, bit i * PORTS + o
    wire [PORTS*PORTS-1:0]       departed;
    wire [PORTS*8-1:0]           departed_units;
    wire [PORTS*PORTS-1:0]       returned;
    wire [PORTS*PORTS*10-1:0]    returned_units;

    // for the monitor
    wire [PORTS*8-1:0]           port_status;
    wire [PORTS*24-1:0]          port_view;
    wire [PORTS*16-1:0]          port_events;
    wire [PORTS-1:0]             out_start;
    wire [PORTS-1:0]             out_drained;
    wire [PORTS*LOG2_PORTS-1:0]  out_input;
    wire [PORTS*10-1:0]          out_units;

    assign gt_loopback = {PORTS{2'b00}};

    genvar i;
    genvar o;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : port_of
            wire clk;
            wire rst;
            if (DOMAIN[i]) begin : on_b
                assign clk = clk_b;
                assign rst = rst_b;
            end else begin : on_a
                assign clk = clk_a;
                assign rst = rst_a;
            end

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
            wire [PORTS-1:0]      waiting;
            wire                  scheduler_overflow;
            wire                  up;
            wire                  down;
            wire                  credit_seen;
            wire                  dry;
            wire                  stored_event;
            wire [15:0]           events;                      // bits by their names in registers.map
            wire                  unused = &{1'b0, waiting, stored_event};

            switch_port #(
                .PORTS(PORTS), .PORT(i), .MAX_WORDS(MAX_WORDS), .UP_CLOCKS(UP_CLOCKS), .RECORD_PERIOD(RECORD_PERIOD),
                .RECORD_HOLD(RECORD_HOLD)
            ) port (
                .clk (clk), .rst (rst),
                .gt_tx_data (gt_tx_data[32*i +: 32]), .gt_tx_k (gt_tx_k[4*i +: 4]), .gt_rx_data (gt_rx_data[32*i +: 32]),
                .gt_rx_k (gt_rx_k[4*i +: 4]), .gt_rx_notintable (gt_rx_notintable[4*i +: 4]), .gt_rx_disperr (gt_rx_disperr[4*i +: 4]),
                .gt_rx_loss_of_sync (gt_rx_loss_of_sync[i]), .gt_rx_buf_status (gt_rx_buf_status[2*i +: 2]),
                .gt_tx_buf_err (gt_tx_buf_err[i]),
                .window_start (window_start[DOMAIN[i]]), .window_late (window_late[DOMAIN[i]]), .tick (tick[DOMAIN[i]]),
                .enable (port_enable[i]), .down_clocks (port_down_time[24*i +: 24]), .capacity (port_capacity[12*i +: 12]),
                .node (port_node[8*i +: 8]),
                .wr_valid (row_valid[PORTS*i +: PORTS]), .wr_start (row_start[i]), .wr_end (row_end[i]), .wr_spoiled (row_spoiled[i]),
                .wr_data (row_data[32*i +: 32]),
                .stored (stored), .record (record), .header_output (header_output), .header_units (header_units),
                .record_units (record_units), .occupied (occupied),
                .credit_request (credit_request), .credit_word (credit_word), .credit_take (credit_take),
                .choose (choose), .chosen (chosen), .chosen_onehot (chosen_onehot), .taken (taken), .taken_units (taken_units),
                .rd_valid (rd_valid[PORTS*i +: PORTS]), .rd_end (rd_end[PORTS*i +: PORTS]), .rd_spoiled (rd_spoiled[PORTS*i +: PORTS]),
                .rd_data (rd_data[32*PORTS*i +: 32*PORTS]), .rd_pop (rd_pop[PORTS*i +: PORTS]),
                .departed (departed[PORTS*i +: PORTS]), .departed_units (departed_units[8*i +: 8]),
                .link_up (up), .down (down), .nic_credit_seen (credit_seen),
                .nic_units (port_view[24*i+12 +: 12]), .nic_credit (port_view[24*i +: 12]),
                .ev_packet_in (stored_event), .ev_header_crc (events[`SWITCH_NC_HEADER_CRC]),
                .ev_drop_length (events[`SWITCH_NC_DROP_LENGTH]), .ev_drop_flow (events[`SWITCH_NC_DROP_FLOW]),
                .ev_drop_space (events[`SWITCH_NC_DROP_SPACE]), .ev_alignment (events[`SWITCH_NC_ALIGNMENT]),
                .ev_padded (events[`SWITCH_NC_PADDED]), .ev_credit_rejected (events[`SWITCH_NC_CREDIT_REJECTED]),
                .ev_record (events[`SWITCH_NC_RECORD]), .ev_record_unknown (events[`SWITCH_NC_RECORD_UNKNOWN]),
                .ev_loss_of_sync (events[`SWITCH_NC_LOSS_OF_SYNC]), .ev_down (events[`SWITCH_NC_DOWN]),
                .ev_drained (out_drained[i]), .ev_start (out_start[i]), .ev_dry (dry), .ev_code (events[`SWITCH_NC_CODE])
            );
            assign port_status[8*i +: 8] = {4'd0, credit_seen, down && (|waiting), down, up};
            assign events[`SWITCH_NC_DRAINED]              = out_drained[i];
            assign events[`SWITCH_NC_CROSSPOINT_OVERFLOW]  = |overflow[PORTS*i +: PORTS];
            assign events[`SWITCH_NC_CROSSPOINT_UNDERFLOW] = dry;
            assign events[`SWITCH_NC_SCHEDULER_OVERFLOW]   = scheduler_overflow;
            assign port_events[16*i +: 16]                 = events;

            `CREDIT_SCHEDULER #(.OUTPUTS(PORTS), .REFRESH_PERIOD(REFRESH_PERIOD)) credits (
                .clk (clk), .rst (rst), .departed (returned[PORTS*i +: PORTS]), .departed_units (returned_units[10*PORTS*i +: 10*PORTS]),
                .stored (stored), .stored_output (header_output), .stored_units (header_units),
                .record (record), .record_output (header_output), .record_units (record_units), .occupied (occupied),
                .request (credit_request), .word (credit_word), .take (credit_take)
            );

            `OUTPUT_SCHEDULER #(.INPUTS(PORTS)) scheduler (
                .clk (clk), .rst (rst), .arrived (arrived[PORTS*i +: PORTS]), .enable (input_enable[PORTS*i +: PORTS]),
                .weight (weight[8*PORTS*i +: 8*PORTS]),
                .choose (choose), .chosen (chosen), .chosen_input (chosen_input), .chosen_onehot (chosen_onehot), .taken (taken),
                .taken_units (taken_units), .waiting (waiting), .overflow (scheduler_overflow)
            );

            // with `departed`: what left
            reg [LOG2_PORTS-1:0] left_input;
            always @(posedge clk) left_input <= chosen_input;
            assign out_input[LOG2_PORTS*i +: LOG2_PORTS] = left_input;
            assign out_units[10*i +: 10]                 = {2'b00, departed_units[8*i +: 8]};
        end

        for (o = 0; o < PORTS; o = o + 1) begin : column
            for (i = 0; i < PORTS; i = i + 1) begin : row
                localparam SAME_CLOCK = (DOMAIN[i] == DOMAIN[o]) ? 1 : 0;
                wire wr_clk;
                wire wr_rst;
                wire rd_clk;
                wire rd_rst;
                if (DOMAIN[i]) begin : from_b
                    assign wr_clk = clk_b;
                    assign wr_rst = rst_b;
                end else begin : from_a
                    assign wr_clk = clk_a;
                    assign wr_rst = rst_a;
                end
                if (DOMAIN[o]) begin : to_b
                    assign rd_clk = clk_b;
                    assign rd_rst = rst_b;
                end else begin : to_a
                    assign rd_clk = clk_a;
                    assign rd_rst = rst_a;
                end

                wire [9:0] unused_space;
                `CROSSPOINT #(.LOG2_WORDS(9), .SAME_CLOCK(SAME_CLOCK)) buffer (
                    .wr_clk (wr_clk), .wr_rst (wr_rst), .wr_valid (row_valid[PORTS*i+o]), .wr_start (row_start[i]), .wr_end (row_end[i]),
                    .wr_spoiled (row_spoiled[i]), .wr_data (row_data[32*i +: 32]), .wr_space (unused_space),
                    .overflow (overflow[PORTS*i+o]),
                    .rd_clk (rd_clk), .rd_rst (rd_rst), .arrived (arrived[PORTS*o+i]), .rd_valid (rd_valid[PORTS*o+i]),
                    .rd_end (rd_end[PORTS*o+i]), .rd_spoiled (rd_spoiled[PORTS*o+i]), .rd_data (rd_data[32*(PORTS*o+i) +: 32]),
                    .rd_pop (rd_pop[PORTS*o+i]), .occupancy (occupancy[10*(PORTS*o+i) +: 10]), .underflow (unused_underflow[PORTS*o+i])
                );

                sync_held #(.WIDTH(8), .SAME_CLOCK(SAME_CLOCK)) departure (
                    .src_clk (rd_clk), .src_rst (rd_rst), .src_pulse (departed[PORTS*o+i]), .src_data (departed_units[8*o +: 8]),
                    .dst_clk (wr_clk), .dst_rst (wr_rst), .dst_pulse (returned[PORTS*i+o]),
                    .dst_data (returned_units[10*(PORTS*i+o) +: 8])
                );
                assign returned_units[10*(PORTS*i+o)+8 +: 2] = 2'b00;
            end
        end
    endgenerate

    crossbar_monitor #(
        .PORTS(PORTS), .DOMAIN(DOMAIN), .MONITOR(MONITOR), .FORWARDING_OFFSET(FORWARDING_OFFSET), .CAPACITY_UNITS(CAPACITY_UNITS),
        .DOWN_CLOCKS(DOWN_CLOCKS)
    ) monitor (
        .clk_a (clk_a), .rst_a (rst_a), .clk_b (clk_b), .rst_b (rst_b),
        .mon_valid (mon_valid), .mon_we (mon_we), .mon_addr (mon_addr), .mon_wdata (mon_wdata), .mon_ready (mon_ready),
        .mon_rvalid (mon_rvalid), .mon_rdata (mon_rdata),
        .port_enable (port_enable), .port_down_time (port_down_time), .port_capacity (port_capacity), .port_node (port_node),
        .input_enable (input_enable),
        .weight (weight),
        .port_status (port_status), .port_view (port_view), .arrived (arrived), .occupancy (occupancy),
        .out_start (out_start), .out_drained (out_drained), .out_input (out_input), .out_units (out_units), .port_events (port_events)
    );
endmodule
`default_nettype wire
