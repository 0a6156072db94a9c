// Monitor of the switch (S4 3.7): settings, status and counters behind one register port. The registers:
// rtl/switch/registers.map.
//
// Everything of port p is kept in the clock of port p (clk_b if DOMAIN[p], else clk_a): settings, counts of packets
// forwarded as an output, counts of errors as an input or output. The register port is in clk_a; an access to a port of
// the other clock goes over and back through sync_word and takes about 40 clocks; one of the same clock about 5.
//
// The output port reports a packet when it starts to leave (`out_*`), the crosspoint when its first word is stored
// (`arrived`). The forwarding time is taken in clocks of the output from `arrived` to `out_start`, for one packet per
// flow at a time; FORWARDING_OFFSET is added, and CROSSING_CLOCKS for an input in the other clock: then it is up to a
// clock too long, depending on the phases.
//
// MONITOR = 0 leaves out all counters (they read 0). Settings and status stay. TRACE = 1: one trace for each clock.
`default_nettype none
`include "switch_registers.vh"
module crossbar_monitor #(
    // ports of the switch, 2..16
    parameter PORTS = 8,
    // bit p: port p is on clk_b
    parameter DOMAIN = 0,
    // 1: with counters; 0: without
    parameter MONITOR = 1,
    // clocks from the header CRC at the receiving port to `arrived`, plus those from `out_start` to SOP at the
    // transmitter, 0..255
    parameter FORWARDING_OFFSET = 0,
    // clocks by which `arrived` is later from an input in the other clock, worst phase, 0..255
    parameter CROSSING_CLOCKS = 2,
    // buffer of the NICs behind the ports after reset [units], 1..4064
    parameter CAPACITY_UNITS = 2046,
    // clocks without synchronisation after which a port is down, after reset, 1..2**24-1
    parameter DOWN_CLOCKS = 78125,
    // 1: with time stamps in packets; 0: without
    parameter STAMPS = 1,
    // 1: with tracing memories; 0: without
    parameter TRACE = 0
) (
    input  wire                           clk_a,
    input  wire                           run_clk_a,        // the same, and clk_b; gated while `busy_` is low
    input  wire                           rst_a,
    input  wire [7:0]                     slept_a,          // clocks that run_clk_a has missed
    output wire                           busy_a,           // an access is in progress, or the trace has to write
    input  wire                           clk_b,
    input  wire                           run_clk_b,
    input  wire                           rst_b,
    input  wire [7:0]                     slept_b,
    output wire                           busy_b,

    // register port, clk_a: an access is taken in a clock with mon_valid and mon_ready; mon_rvalid answers a read
    input  wire                           mon_valid,
    input  wire                           mon_we,
    input  wire [15:2]                    mon_addr,
    input  wire [31:0]                    mon_wdata,
    output wire                           mon_ready,
    output wire                           mon_rvalid,
    output wire [31:0]                    mon_rdata,

    // time stamps
    output wire [1:0]                     stamp,            // packets get them, [0] of clk_a, [1] of clk_b
    input  wire [31:0]                    now,              // the time, clk_a

    // settings, slice p in the clock of port p
    output wire [PORTS-1:0]               port_enable,      // 0: the port is down
    output wire [PORTS*24-1:0]            port_down_time,   // clocks without synchronisation after which a port is down
    output wire [PORTS*12-1:0]            port_capacity,    // buffer of the NIC behind it [units]
    output wire [PORTS*8-1:0]             port_node,        // [7] its ID is [6:0], else the number of the port
    output wire [PORTS*PORTS-1:0]         input_enable,     // bit o*PORTS+i: output o may serve input i
    output wire [PORTS*PORTS*8-1:0]       weight,           // [(o*PORTS+i)*8 +: 8]: weight of input i at output o

    // status, slice p in the clock of port p
    input  wire [PORTS*8-1:0]             port_status,      // bits of PORT_STATUS, see registers.map
    input  wire [PORTS*24-1:0]            port_view,        // [23:12] units transmitted to the NIC [11:0] its credit

    // packets, in the clock of output o
    input  wire [PORTS*PORTS-1:0]         arrived,          // bit o*PORTS+i: from the crosspoint of input i
    input  wire [PORTS*PORTS*10-1:0]      occupancy,        // [(o*PORTS+i)*10 +: 10]: words in it
    input  wire [PORTS-1:0]               out_start,        // a packet starts to leave; not twice within 7 clocks
    input  wire [PORTS-1:0]               out_drained,      // ... or is drained; not twice within 5 clocks
    input  wire [PORTS*$clog2(PORTS)-1:0] out_input,        // its input
    input  wire [PORTS*10-1:0]            out_units,        // its size

    // events of port p in [16*p +: 16], in the clock of port p: one clock each, bits `SWITCH_NC_.. (registers.map)
    input  wire [PORTS*16-1:0]            port_events,
    input  wire [PORTS*71-1:0]            port_words        // for the trace, slice p in port p's clock, see switch_port
);
    localparam [1:0] IDLE  = 2'd0;
    localparam [1:0] START = 2'd1;
    localparam [1:0] WAIT  = 2'd2;
    localparam [31:0] BUILT = PORTS;

    initial
        if (PORTS < 2 || PORTS > 16 || FORWARDING_OFFSET < 0 || FORWARDING_OFFSET > 255 || CAPACITY_UNITS < 1
            || CAPACITY_UNITS > 4064 || DOWN_CLOCKS < 1 || DOWN_CLOCKS >= (1 << 24)) begin
            $display("%m: PORTS must be 2..16, is %0d; FORWARDING_OFFSET 0..255, is %0d;", PORTS, FORWARDING_OFFSET);
            $display("%m: CAPACITY_UNITS must be 1..4064, is %0d; DOWN_CLOCKS 1..2**24-1, is %0d", CAPACITY_UNITS,
                     DOWN_CLOCKS);
            $finish;
        end

    // ---- one access at a time
    reg  [1:0]  state;
    reg         we;
    reg  [15:2] addr;
    reg  [31:0] wdata;
    reg         waits_a, waits_b;
    reg         answer;
    reg  [31:0] value;

    wire        to_port = (addr[15:14] == 2'b01);
    wire        shared  = (addr[15:14] == 2'b00) && we;           // for both sides
    wire [15:0] domains;
    wire        port_b  = domains[addr[13:10]];
    wire        built   = ({1'b0, addr[13:10]} < BUILT[4:0]);
    wire        need_a  = shared || (to_port && built && !port_b);
    wire        need_b  = (|domains) && (shared || (to_port && built && port_b));
    wire        a_done, b_done;
    wire [31:0] a_rdata, b_rdata;
    wire        over    = (state == WAIT) && (!waits_a || a_done) && (!waits_b || b_done);
    wire [23:0] down_time_a, down_time_b;
    wire        b_access, b_we, b_side_done;
    wire        trace_busy_a, trace_busy_b;

    assign mon_ready  = (state == IDLE);
    assign busy_a     = !mon_ready || trace_busy_a;
    assign busy_b     = b_access || trace_busy_b;
    assign mon_rvalid = answer;
    assign mon_rdata  = value;

    localparam [31:0] BUILD = (PORTS << `SWITCH_BUILD_PORTS_LSB) | ((MONITOR != 0) ? 1 << `SWITCH_BUILD_MONITOR_LSB : 0)
                              | ((STAMPS != 0) ? 1 << `SWITCH_BUILD_STAMPS_LSB : 0)
                              | ((TRACE != 0) ? 1 << `SWITCH_BUILD_TRACE_LSB : 0);
    reg  [31:0] of_switch;
    always @*
        case ({addr, 2'b00})
            {1'b0, `SWITCH_VERSION}:   of_switch = `SWITCH_VERSION_RESET;
            {1'b0, `SWITCH_BUILD}:     of_switch = BUILD;
            {1'b0, `SWITCH_DOMAINS}:   of_switch = {16'd0, domains};
            {1'b0, `SWITCH_DOWN_TIME}: of_switch = {8'd0, down_time_a};
            {1'b0, `SWITCH_TIME_STAMPS}: of_switch = {31'd0, stamp[0]};
            {1'b0, `SWITCH_TIME}:      of_switch = now;
            default:                   of_switch = 32'd0;
        endcase

    always @(posedge clk_a)
        if (rst_a) begin
            state   <= IDLE;
            we      <= 1'b0;
            addr    <= 14'd0;
            wdata   <= 32'd0;
            waits_a <= 1'b0;
            waits_b <= 1'b0;
            answer  <= 1'b0;
            value   <= 32'd0;
        end else begin
            answer <= over && !we;
            case (state)
                IDLE:
                    if (mon_valid) begin
                        state <= START;
                        we    <= mon_we;
                        addr  <= mon_addr;
                        wdata <= mon_wdata;
                    end
                START: begin
                    state   <= WAIT;
                    waits_a <= need_a;
                    waits_b <= need_b;
                    value   <= to_port ? 32'd0 : of_switch;
                end
                default: begin
                    if (over) state <= IDLE;
                    waits_a <= waits_a && !a_done;
                    waits_b <= waits_b && !b_done;
                    value   <= value | a_rdata | b_rdata;
                end
            endcase
        end

    // ---- the two sides
    wire [14:2] b_addr;
    wire [31:0] b_wdata, b_side_rdata;
    wire [PORTS-1:0]         enable_a, enable_b;
    wire [PORTS*12-1:0]      capacity_a, capacity_b;
    wire [PORTS*8-1:0]       node_a, node_b;
    wire [PORTS*PORTS-1:0]   inputs_a, inputs_b;
    wire [PORTS*PORTS*8-1:0] weight_a, weight_b;

    monitor_crossing crossing (
        .a_clk (clk_a), .a_rst (rst_a), .a_access (state == START && need_b), .a_we (we), .a_addr (addr[14:2]),
        .a_wdata (wdata), .a_done (b_done), .a_rdata (b_rdata),
        .b_clk (clk_b), .b_rst (rst_b), .b_access (b_access), .b_we (b_we), .b_addr (b_addr), .b_wdata (b_wdata),
        .b_done (b_side_done), .b_rdata (b_side_rdata)
    );

    monitor_side #(
        .PORTS(PORTS), .DOMAIN(DOMAIN), .SIDE(0), .MONITOR(MONITOR), .FORWARDING_OFFSET(FORWARDING_OFFSET),
        .CROSSING_CLOCKS(CROSSING_CLOCKS), .CAPACITY_UNITS(CAPACITY_UNITS), .DOWN_CLOCKS(DOWN_CLOCKS), .STAMPS(STAMPS),
        .TRACE(TRACE)
    ) side_a (
        .clk (run_clk_a), .rst (rst_a), .slept (slept_a), .trace_busy (trace_busy_a),
        .access (state == START && need_a), .we (we), .addr (addr[14:2]), .wdata (wdata),
        .done (a_done), .rdata (a_rdata), .down_time (down_time_a), .stamp (stamp[0]), .port_enable (enable_a),
        .port_capacity (capacity_a), .port_node (node_a),
        .input_enable (inputs_a), .weight (weight_a), .port_status (port_status), .port_view (port_view),
        .arrived (arrived), .occupancy (occupancy), .out_start (out_start), .out_drained (out_drained),
        .out_input (out_input), .out_units (out_units), .port_events (port_events), .port_words (port_words)
    );

    monitor_side #(
        .PORTS(PORTS), .DOMAIN(DOMAIN), .SIDE(1), .MONITOR(MONITOR), .FORWARDING_OFFSET(FORWARDING_OFFSET),
        .CROSSING_CLOCKS(CROSSING_CLOCKS), .CAPACITY_UNITS(CAPACITY_UNITS), .DOWN_CLOCKS(DOWN_CLOCKS), .STAMPS(STAMPS),
        .TRACE(TRACE)
    ) side_b (
        .clk (run_clk_b), .rst (rst_b), .slept (slept_b), .trace_busy (trace_busy_b),
        .access (b_access), .we (b_we), .addr (b_addr), .wdata (b_wdata),
        .done (b_side_done), .rdata (b_side_rdata), .down_time (down_time_b), .stamp (stamp[1]),
        .port_enable (enable_b), .port_capacity (capacity_b), .port_node (node_b),
        .input_enable (inputs_b), .weight (weight_b), .port_status (port_status), .port_view (port_view),
        .arrived (arrived), .occupancy (occupancy), .out_start (out_start), .out_drained (out_drained),
        .out_input (out_input), .out_units (out_units), .port_events (port_events), .port_words (port_words)
    );

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port_of
            assign domains[p]                     = ((DOMAIN >> p) & 1) != 0;
            assign port_enable[p]                 = domains[p] ? enable_b[p] : enable_a[p];
            assign port_down_time[24*p +: 24]     = domains[p] ? down_time_b : down_time_a;
            assign port_node[8*p +: 8]            = domains[p] ? node_b[8*p +: 8] : node_a[8*p +: 8];
            assign port_capacity[12*p +: 12]      = domains[p] ? capacity_b[12*p +: 12] : capacity_a[12*p +: 12];
            assign input_enable[PORTS*p +: PORTS] = domains[p] ? inputs_b[PORTS*p +: PORTS]
                                                    : inputs_a[PORTS*p +: PORTS];
            assign weight[PORTS*8*p +: PORTS*8]   = domains[p] ? weight_b[PORTS*8*p +: PORTS*8]
                                                    : weight_a[PORTS*8*p +: PORTS*8];
        end
        for (p = PORTS; p < 16; p = p + 1) begin : no_port
            assign domains[p] = 1'b0;
        end
    endgenerate
endmodule
`default_nettype wire
