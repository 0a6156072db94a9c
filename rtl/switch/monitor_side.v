// The monitor's half in one of the two network clocks: the ports of that clock, and what they have in common.
//
// Vectors have slices for all ports of the switch; inputs of ports that are not on this clock are ignored, their
// outputs are 0. An access to a register of the other half is not answered: the requester knows where each port is.
`default_nettype none
`include "switch_registers.vh"
module monitor_side #(
    // ports of the switch, 2..16
    parameter PORTS = 8,
    // bit p: port p is on clk_b
    parameter DOMAIN = 0,
    // which of the two clocks this is: 0 clk_a, 1 clk_b; the ports on it are members
    parameter SIDE = 0,
    // 1: with counters; 0: without
    parameter MONITOR = 1,
    // added to every forwarding time, 0..255
    parameter FORWARDING_OFFSET = 0,
    // added to those from inputs in the other clock, 0..255
    parameter CROSSING_CLOCKS = 0,
    // buffer of the NICs behind the ports after reset [units], 1..4095
    parameter CAPACITY_UNITS = 2046,
    // clocks without synchronisation after which a port is down, after reset, 1..2**24-1
    parameter DOWN_CLOCKS = 78125,
    // 1: with time stamps in packets; 0: without
    parameter STAMPS = 1,
    // 1: with tracing memories; 0: without
    parameter TRACE = 0
) (
    input  wire                           clk,
    input  wire                           rst,
    input  wire [7:0]                     slept,     // clocks that `clk` has missed, see clock_gate
    output wire                           trace_busy, // the trace has something to write

    // accesses: `access` for a clock, address and data held until `done`
    input  wire                           access,
    input  wire                           we,
    input  wire [14:2]                    addr,
    input  wire [31:0]                    wdata,
    output wire                           done,
    output wire [31:0]                    rdata,     // 0 except in the clock of `done`

    // as in crossbar_monitor
    output reg  [23:0]                    down_time,
    output reg                            stamp,
    output wire [PORTS-1:0]               port_enable,
    output wire [PORTS*12-1:0]            port_capacity,
    output wire [PORTS*8-1:0]             port_node,
    output wire [PORTS*PORTS-1:0]         input_enable,
    output wire [PORTS*PORTS*8-1:0]       weight,
    input  wire [PORTS*8-1:0]             port_status,
    input  wire [PORTS*24-1:0]            port_view,
    input  wire [PORTS*PORTS-1:0]         arrived,
    input  wire [PORTS*PORTS*10-1:0]      occupancy,
    input  wire [PORTS-1:0]               out_start,
    input  wire [PORTS-1:0]               out_drained,
    input  wire [PORTS*$clog2(PORTS)-1:0] out_input,
    input  wire [PORTS*10-1:0]            out_units,
    input  wire [PORTS*16-1:0]            port_events,
    input  wire [PORTS*71-1:0]            port_words
);
    localparam LOG2_PORTS = $clog2(PORTS);
    localparam [31:0] DOWN = DOWN_CLOCKS;

    wire         shared = access && !addr[14];
    wire         clear  = shared && we && {addr, 2'b00} == `SWITCH_CLEAR;
    reg          shared_done;
    wire [PORTS-1:0]    port_done;
    wire [PORTS*32-1:0] port_rdata;
    reg  [31:0]         any_rdata;
    integer i;
    always @* begin
        any_rdata = 32'd0;
        for (i = 0; i < PORTS; i = i + 1)
            any_rdata = any_rdata | port_rdata[32*i +: 32];
    end

    always @(posedge clk)
        if (rst) begin
            down_time   <= DOWN[23:0];
            stamp       <= 1'b0;
            shared_done <= 1'b0;
        end else begin
            shared_done <= shared;
            if (shared && we && {addr, 2'b00} == `SWITCH_DOWN_TIME)
                down_time <= wdata[`SWITCH_DOWN_TIME_CLOCKS_MSB:0];
            if (shared && we && {addr, 2'b00} == `SWITCH_TIME_STAMPS)
                stamp <= wdata[`SWITCH_TIME_STAMPS_ENABLE_BIT] && (STAMPS != 0);
        end

    reg  [3:0] turn;             // of the event counters
    always @(posedge clk)
        if (rst || clear) turn <= 4'd0;
        else              turn <= turn + slept[3:0] + 4'd1;

    // ---- the trace of one of the ports here
    wire [31:0]         trace_rdata;
    assign done  = shared_done || |port_done;
    assign rdata = any_rdata | trace_rdata;
    wire [PORTS*16-1:0] events_here;
    wire [PORTS*71-1:0] words_here;
    generate
        if (TRACE != 0) begin : traced
            monitor_trace #(.PORTS(PORTS)) trace (
                .clk (clk), .rst (rst), .busy (trace_busy), .access (access), .we (we), .addr (addr), .wdata (wdata),
                .rdata (trace_rdata), .port_words (words_here), .port_events (events_here)
            );
        end else begin : no_trace
            assign trace_busy  = 1'b0;
            assign trace_rdata = 32'd0;
            wire   unused      = &{1'b0, events_here, words_here};
        end
    endgenerate

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port_of
            if (((DOMAIN >> p) & 1) == SIDE) begin : here
                assign events_here[16*p +: 16] = port_events[16*p +: 16];
                assign words_here[71*p +: 71]  = port_words[71*p +: 71];
                monitor_port #(
                    .PORTS(PORTS), .MONITOR(MONITOR), .FORWARDING_OFFSET(FORWARDING_OFFSET), .DOMAIN(DOMAIN),
                    .SIDE(SIDE), .CROSSING_CLOCKS(CROSSING_CLOCKS), .CAPACITY_UNITS(CAPACITY_UNITS)
                ) port_here (
                    .clk (clk), .rst (rst), .clear (clear), .turn (turn),
                    .access (access && addr[14] && addr[13:10] == p), .we (we), .addr (addr[9:2]), .wdata (wdata),
                    .done (port_done[p]), .rdata (port_rdata[32*p +: 32]),
                    .port_enable (port_enable[p]), .port_capacity (port_capacity[12*p +: 12]),
                    .port_node (port_node[8*p +: 8]), .input_enable (input_enable[PORTS*p +: PORTS]),
                    .weight (weight[PORTS*8*p +: PORTS*8]), .port_status (port_status[8*p +: 8]),
                    .port_view (port_view[24*p +: 24]), .arrived (arrived[PORTS*p +: PORTS]),
                    .occupancy (occupancy[PORTS*10*p +: PORTS*10]), .out_start (out_start[p]),
                    .out_drained (out_drained[p]), .out_input (out_input[LOG2_PORTS*p +: LOG2_PORTS]),
                    .out_units (out_units[10*p +: 10]), .port_events (port_events[16*p +: 16])
                );
            end else begin : elsewhere
                assign port_done[p]                   = 1'b0;
                assign port_rdata[32*p +: 32]         = 32'd0;
                assign port_enable[p]                 = 1'b0;
                assign port_capacity[12*p +: 12]      = 12'd0;
                assign port_node[8*p +: 8]            = 8'd0;
                assign input_enable[PORTS*p +: PORTS] = {PORTS{1'b0}};
                assign weight[PORTS*8*p +: PORTS*8]   = {PORTS*8{1'b0}};
                assign events_here[16*p +: 16]        = 16'd0;
                assign words_here[71*p +: 71]         = 71'd0;
                wire unused = &{1'b0, port_status[8*p +: 8], port_view[24*p +: 24], arrived[PORTS*p +: PORTS],
                                occupancy[PORTS*10*p +: PORTS*10], out_start[p], out_drained[p],
                                out_input[LOG2_PORTS*p +: LOG2_PORTS], out_units[10*p +: 10], port_events[16*p +: 16],
                                port_words[71*p +: 71]};
            end
        end
    endgenerate

    wire unused = &{1'b0, wdata, addr[13:10], clear, turn, slept[7:4]};
endmodule
`default_nettype wire
