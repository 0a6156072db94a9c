// The monitor's part of one port of the switch, in the port's clock: settings, status, counters; and accesses to them,
// one at a time. Registers: rtl/switch/registers.map, from 0x4000 on.
//
// `access` starts one; address and data are held until `done`, at least one clock later. `rd_data` is 0 except in the
// clock of `done`.
`default_nettype none
`include "switch_registers.vh"
module monitor_port #(
    // ports of the switch, 2..16
    parameter PORTS = 8,
    // 1: with counters; 0: without
    parameter MONITOR = 1,
    // added to every forwarding time, 0..255
    parameter FORWARDING_OFFSET = 0,
    // bit i: input i is on clk_b; and whether this port is (1) or not (0)
    parameter DOMAIN = 0,
    parameter SIDE = 0,
    // added to the forwarding times of inputs in the other clock, 0..255
    parameter CROSSING_CLOCKS = 0,
    // buffer of the NIC behind the port after reset [units], 1..4095
    parameter CAPACITY_UNITS = 2046
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     clear,    // all counters
    input  wire [3:0]               turn,     // of the event counters, see monitor_events

    // accesses: word address in the page of the port
    input  wire                     access,   // one clock; the rest is held until `done`
    input  wire                     we,
    input  wire [9:2]               addr,
    input  wire [31:0]              wdata,
    output reg                      done,
    output wire [31:0]              rdata,

    // settings and status
    output reg                      port_enable,
    output reg  [11:0]              port_capacity,
    output reg  [7:0]               port_node,
    output reg  [PORTS-1:0]         input_enable,
    output reg  [PORTS*8-1:0]       weight,
    input  wire [7:0]               port_status,
    input  wire [23:0]              port_view,

    // packets and events
    input  wire [PORTS-1:0]         arrived,
    input  wire [PORTS*10-1:0]      occupancy,
    input  wire                     out_start,
    input  wire                     out_drained,
    input  wire [$clog2(PORTS)-1:0] out_input,
    input  wire [9:0]               out_units,
    input  wire [15:0]              port_events
);
    localparam [31:0] CAPACITY = CAPACITY_UNITS;
    localparam [31:0] ENTRIES  = PORTS;

    wire [14:0] offset = {5'b10000, addr, 2'b00};        // as in the map
    wire        is_flow   = (offset < `SWITCH_HEADER_ERRORS);
    wire        is_event  = (offset >= `SWITCH_HEADER_ERRORS) && (offset < `SWITCH_WEIGHT);
    wire        is_weight = (offset >= `SWITCH_WEIGHT) && (offset < `SWITCH_PORT_CONTROL);
    wire        built     = ({1'b0, addr[5:2]} < ENTRIES[4:0]);      // of an entry of an array

    // ---- settings
    wire [31:0] enable_mask = wdata;

    always @(posedge clk)
        if (rst) begin
            port_enable   <= 1'b1;
            port_capacity <= CAPACITY[11:0];
            port_node     <= 8'd0;
            input_enable  <= {PORTS{1'b1}};
        end else if (access && we)
            case (offset)
                `SWITCH_PORT_CONTROL: port_enable   <= wdata[`SWITCH_PORT_CONTROL_ENABLE_BIT];
                `SWITCH_CAPACITY:     port_capacity <= {wdata[11:5], wdata[4:0] & {5{!(&wdata[11:5])}}}; // at most 4064
                `SWITCH_INPUT_ENABLE: input_enable  <= enable_mask[PORTS-1:0];
                `SWITCH_NODE_ID:      port_node     <= wdata[`SWITCH_NODE_ID_GIVEN_BIT:0];
                default: ;
            endcase

    // Weights: flip-flops for the scheduler (none, if it does not use them), a small memory to read them back.
    reg  [7:0]  weights [0:15];
    reg  [15:0] weight_written;
    wire        weight_write = access && we && is_weight && built;

    always @(posedge clk)
        if (weight_write)
            weights[addr[5:2]] <= wdata[7:0];
    always @(posedge clk)
        if (rst)               weight_written <= 16'd0;
        else if (weight_write) weight_written[addr[5:2]] <= 1'b1;

    integer i;
    always @(posedge clk)
        if (rst)
            weight <= {PORTS{8'd1}};
        else if (weight_write)
            for (i = 0; i < PORTS; i = i + 1)
                if (addr[5:2] == i[3:0]) weight[8*i +: 8] <= wdata[7:0];

    // ---- counters
    wire        flow_done;
    wire [31:0] flow_data;
    wire [31:0] event_data;
    wire        flow_access = access && !we && is_flow && built;

    generate
        if (MONITOR != 0) begin : counters
            monitor_flows #(
                .INPUTS(PORTS), .FORWARDING_OFFSET(FORWARDING_OFFSET), .DOMAIN(DOMAIN), .SIDE(SIDE),
                .CROSSING_CLOCKS(CROSSING_CLOCKS)
            ) flow_counts (
                .clk (clk), .rst (rst), .clear (clear), .arrived (arrived), .occupancy (occupancy),
                .out_start (out_start), .out_drained (out_drained), .out_input (out_input), .out_units (out_units),
                .rd_start (flow_access), .rd_row (addr[8:2]), .rd_done (flow_done), .rd_data (flow_data)
            );
            monitor_events event_counts (
                .clk (clk), .rst (rst), .clear (clear), .turn (turn), .events (port_events), .rd_index (addr[5:2]),
                .rd_data (event_data)
            );
        end else begin : no_counters
            reg answer;
            always @(posedge clk) answer <= flow_access && !rst;
            assign flow_done  = answer;
            assign flow_data  = 32'd0;
            assign event_data = 32'd0;
            wire   unused     = &{1'b0, clear, turn, arrived, occupancy, out_start, out_drained, out_input, out_units,
                                  port_events};
        end
    endgenerate

    // ---- answers
    wire [15:0] inputs_shown = {{16-PORTS{1'b0}}, input_enable};
    reg  [31:0] value;

    always @(posedge clk)
        if (rst) begin
            done  <= 1'b0;
            value <= 32'd0;
        end else begin
            done  <= flow_done || (access && !flow_access);
            value <= 32'd0;
            if (flow_done)
                value <= flow_data;
            else if (access && !we) begin
                if (is_event)
                    value <= event_data;
                if (is_weight && built)
                    value <= {24'd0, weight_written[addr[5:2]] ? weights[addr[5:2]] : 8'd1};
                case (offset)
                    `SWITCH_PORT_CONTROL: value <= {31'd0, port_enable};
                    `SWITCH_INPUT_ENABLE: value <= {16'd0, inputs_shown};
                    `SWITCH_CAPACITY:     value <= {20'd0, port_capacity};
                    `SWITCH_PORT_STATUS:  value <= {24'd0, port_status};
                    `SWITCH_PORT_VIEW:    value <= {8'd0, port_view};
                    `SWITCH_NODE_ID:      value <= {24'd0, port_node};
                    default: ;
                endcase
            end
        end

    assign rdata = value;

    wire unused = &{1'b0, wdata, enable_mask};
endmodule
`default_nettype wire
