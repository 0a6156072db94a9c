// The buffered crossbar switch: only wiring (S1 3.2; S2 3).
//
// For units and ranges of the parameters see the modules that use them. Port p is slice p of every gt_* vector and runs
// on clk_b if bit p of DOMAIN is 1, else on clk_a. The monitor port is on clk_a.
//
// Each clock has two ports, the second one behind a clock buffer (BUFGCE) outside, whose enable is made here
// (clock_gate). Both clocks are gated together: work in one is reported to the other before a packet can cross, because
// a packet is written 4 clocks after its SOP at the soonest, and leaves after it has waited in the output's clock.
`default_nettype none
module crossbar #(
    // ports, 2..16
    parameter PORTS = 8,
    // bit p = 1: port p is on clk_b; default: the upper half
    parameter [31:0] DOMAIN = (1 << PORTS) - (1 << (PORTS / 2)),
    // longest payload [64-bit words], 1..64; 62 (496 bytes) makes 512 bytes with header and CRCs, 64 is S2's 512 bytes
    parameter MAX_WORDS = 62,
    // 1: with the monitor's counters; 0: without
    parameter MONITOR = 1,
    // receive buffer of a NIC at reset [link words], 128..4064
    parameter CAPACITY_UNITS = 2046,
    // clocks without synchronisation after which a port counts as down, at reset (1 ms); it may be up to 128 later
    parameter DOWN_CLOCKS = 78125,
    // clocks in synchronisation before a link counts as up, 1..65535
    parameter UP_CLOCKS = 128,
    // at least one idle word is sent in this many words, 512..8192
    parameter IDLE_WORDS = 2048,
    // clocks between check records of a port, 2..65535
    parameter RECORD_PERIOD = 2048,
    // clocks after its first record in which a port's credits are ignored, 1..1023
    parameter RECORD_HOLD = 512,
    // clocks between two unchanged credits, 2..65535
    parameter REFRESH_PERIOD = 4096,
    // 1: with logic that only measures (time stamps in packets); 0: without
    parameter MONITORING = 1,
    // 1: with tracing memories of what one port of each clock receives and sends (S4 2.8); 0: without
    parameter TRACE = 0
) (
    input  wire                clk_a,
    input  wire                run_clk_a,         // clk_a through a clock buffer outside, with this enable
    output wire                run_a,
    input  wire                clk_b,
    input  wire                run_clk_b,         // clk_b, the same
    output wire                run_b,
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

    // monitor (clk_a): an access is taken in a clock with mon_valid and mon_ready; read data comes with mon_rvalid
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
            $display("%m: PORTS must be 2..16, is %0d; DOMAIN of so many bits, is %0d; ", PORTS, DOMAIN,
                     "CAPACITY_UNITS 128..4064, is %0d", CAPACITY_UNITS);
            $finish;
        end

    initial
        if ((MONITORING != 0 && MONITORING != 1) || (TRACE != 0 && TRACE != 1)) begin
            $display("%m: MONITORING must be 0 or 1, is %0d; TRACE 0 or 1, is %0d", MONITORING, TRACE);
            $finish;
        end

    initial
        if ((MONITOR != 0 && MONITOR != 1) || DOWN_CLOCKS < 1 || MAX_WORDS < 1 || MAX_WORDS > 64) begin
            $display("%m: MONITOR must be 0 or 1, is %0d; DOWN_CLOCKS at least 1, is %0d; MAX_WORDS 1..64, is %0d",
                     MONITOR, DOWN_CLOCKS, MAX_WORDS);
            $finish;
        end

    localparam LOG2_PORTS = $clog2(PORTS);
    localparam [31:0] ALL = (1 << PORTS) - 1;
    // the monitor's forwarding time: header CRC at gt_rx_data to `arrived` in one clock domain; the SOP is on
    // gt_tx_data with out_start
    localparam FORWARDING_OFFSET = 4;

    // ---- clocks' resets; slice p of port_* belongs to port p and is in its clock, but for bits o * PORTS + i
    wire                         rst_a;
    wire                         rst_b;
    reset_sync reset_a (.clk (clk_a), .rst_n_pin (rst_n), .rst (rst_a));
    reset_sync reset_b (.clk (clk_b), .rst_n_pin (rst_n), .rst (rst_b));

    // time bases: [0] of clk_a, [1] of clk_b
    wire [1:0]                   window_start;
    wire [1:0]                   window_late;
    wire [1:0]                   tick;
    wire [1:0]                   refresh;
    switch_timer #(.IDLE_WORDS(IDLE_WORDS), .MAX_WORDS(MAX_WORDS), .REFRESH_PERIOD(REFRESH_PERIOD)) timer_a (
        .clk (clk_a), .rst (rst_a), .window_start (window_start[0]), .window_late (window_late[0]), .tick (tick[0]),
        .refresh (refresh[0])
    );
    switch_timer #(.IDLE_WORDS(IDLE_WORDS), .MAX_WORDS(MAX_WORDS), .REFRESH_PERIOD(REFRESH_PERIOD)) timer_b (
        .clk (clk_b), .rst (rst_b), .window_start (window_start[1]), .window_late (window_late[1]), .tick (tick[1]),
        .refresh (refresh[1])
    );

    // time for stamps, [0] of clk_a, [1] of clk_b
    wire [1:0]                   stamp;
    wire [31:0]                  now_a;
    wire [31:0]                  now_b;
    generate
        if (MONITORING != 0) begin : time_of_stamps
            sync_count #(.AHEAD(3)) count (
                .src_clk (clk_a), .src_rst (rst_a), .src_run (stamp[0]), .src_count (now_a),
                .dst_clk (clk_b), .dst_rst (rst_b), .dst_count (now_b)
            );
        end else begin : no_time
            assign now_a = 32'd0;
            assign now_b = 32'd0;
        end
    endgenerate

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
    wire [PORTS-1:0]             row_poisoned;
    wire [PORTS*32-1:0]          row_data;

    // columns: crosspoint of input i in the column of output o, bit o * PORTS + i
    wire [PORTS*PORTS-1:0]       arrived;
    wire [PORTS*PORTS*10-1:0]    occupancy;
    wire [PORTS*PORTS-1:0]       overflow;           // input's clock

    // departures from output o, in its clock, bit o * PORTS + i
    wire [PORTS*PORTS-1:0]       departed;
    wire [PORTS*8-1:0]           departed_units;

    // for the monitor
    wire [PORTS*8-1:0]           port_status;
    wire [PORTS*24-1:0]          port_view;
    wire [PORTS*16-1:0]          port_events;
    wire [PORTS*71-1:0]          port_words;
    wire [PORTS-1:0]             port_busy;
    wire [PORTS-1:0]             out_start;
    wire [PORTS-1:0]             out_drained;
    wire [PORTS*LOG2_PORTS-1:0]  out_input;
    wire [PORTS*10-1:0]          out_units;
    wire [7:0]                   slept_a;
    wire [7:0]                   slept_b;
    wire                         monitor_busy_a;
    wire                         monitor_busy_b;

    assign gt_loopback = {PORTS{2'b00}};

    genvar p;
    genvar q;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port_of
            wire clk;
            wire run_clk;
            wire rst;
            wire far_run_clk;
            wire far_rst;
            if (DOMAIN[p]) begin : on_b
                assign clk         = clk_b;
                assign run_clk     = run_clk_b;
                assign rst         = rst_b;
                assign far_run_clk = run_clk_a;
                assign far_rst     = rst_a;
            end else begin : on_a
                assign clk         = clk_a;
                assign run_clk     = run_clk_a;
                assign rst         = rst_a;
                assign far_run_clk = run_clk_b;
                assign far_rst     = rst_b;
            end

            // from the other ports' rows and columns
            localparam [31:0] NUMBER = p;
            wire [6:0]       node = port_node[8*p+7] ? port_node[8*p +: 7] : NUMBER[6:0];
            wire [PORTS-1:0] column_valid;
            wire [PORTS-1:0] row_overflow;
            wire [PORTS-1:0] left;
            for (q = 0; q < PORTS; q = q + 1) begin : other
                assign column_valid[q] = row_valid[PORTS*q+p];
                assign row_overflow[q] = overflow[PORTS*q+p];
                assign left[q]         = departed[PORTS*q+p];
            end

            crossbar_port #(
                .PORTS(PORTS), .FAR(DOMAIN[p] ? ~DOMAIN & ALL : DOMAIN), .MAX_WORDS(MAX_WORDS), .UP_CLOCKS(UP_CLOCKS),
                .RECORD_PERIOD(RECORD_PERIOD), .RECORD_HOLD(RECORD_HOLD), .STAMPS(MONITORING), .TRACE(TRACE)
            ) unit (
                .clk (clk), .run_clk (run_clk), .rst (rst), .busy (port_busy[p]), .far_run_clk (far_run_clk),
                .far_rst (far_rst), .gt_tx_data (gt_tx_data[32*p +: 32]), .gt_tx_k (gt_tx_k[4*p +: 4]),
                .gt_rx_data (gt_rx_data[32*p +: 32]), .gt_rx_k (gt_rx_k[4*p +: 4]),
                .gt_rx_notintable (gt_rx_notintable[4*p +: 4]), .gt_rx_disperr (gt_rx_disperr[4*p +: 4]),
                .gt_rx_loss_of_sync (gt_rx_loss_of_sync[p]), .gt_rx_buf_status (gt_rx_buf_status[2*p +: 2]),
                .gt_tx_buf_err (gt_tx_buf_err[p]), .window_start (window_start[DOMAIN[p]]),
                .window_late (window_late[DOMAIN[p]]), .tick (tick[DOMAIN[p]]), .refresh (refresh[DOMAIN[p]]),
                .enable (port_enable[p]), .down_clocks (port_down_time[24*p +: 24]),
                .capacity (port_capacity[12*p +: 12]), .node (node), .stamp (stamp[DOMAIN[p]]),
                .now (DOMAIN[p] ? now_b : now_a), .input_enable (input_enable[PORTS*p +: PORTS]),
                .weight (weight[8*PORTS*p +: 8*PORTS]), .row_valid (row_valid[PORTS*p +: PORTS]),
                .row_start (row_start[p]), .row_end (row_end[p]), .row_poisoned (row_poisoned[p]),
                .row_data (row_data[32*p +: 32]), .row_overflow (row_overflow), .column_valid (column_valid),
                .column_start (row_start), .column_end (row_end), .column_poisoned (row_poisoned),
                .column_data (row_data), .column_overflow (overflow[PORTS*p +: PORTS]),
                .departed (departed[PORTS*p +: PORTS]), .departed_units (departed_units[8*p +: 8]), .left (left),
                .left_units (departed_units), .status (port_status[8*p +: 8]), .view (port_view[24*p +: 24]),
                .events (port_events[16*p +: 16]), .words (port_words[71*p +: 71]),
                .arrived (arrived[PORTS*p +: PORTS]), .occupancy (occupancy[10*PORTS*p +: 10*PORTS]),
                .out_start (out_start[p]), .out_drained (out_drained[p]),
                .out_input (out_input[LOG2_PORTS*p +: LOG2_PORTS]), .out_units (out_units[10*p +: 10])
            );
        end
    endgenerate

    crossbar_monitor #(
        .PORTS(PORTS), .DOMAIN(DOMAIN), .MONITOR(MONITOR), .FORWARDING_OFFSET(FORWARDING_OFFSET),
        .CAPACITY_UNITS(CAPACITY_UNITS), .DOWN_CLOCKS(DOWN_CLOCKS), .STAMPS(MONITORING), .TRACE(TRACE)
    ) monitor (
        .clk_a (clk_a), .run_clk_a (run_clk_a), .rst_a (rst_a), .slept_a (slept_a), .busy_a (monitor_busy_a),
        .clk_b (clk_b), .run_clk_b (run_clk_b), .rst_b (rst_b), .slept_b (slept_b), .busy_b (monitor_busy_b),
        .mon_valid (mon_valid), .mon_we (mon_we), .mon_addr (mon_addr), .mon_wdata (mon_wdata), .mon_ready (mon_ready),
        .mon_rvalid (mon_rvalid), .mon_rdata (mon_rdata),
        .stamp (stamp), .now (now_a), .port_enable (port_enable), .port_down_time (port_down_time),
        .port_capacity (port_capacity), .port_node (port_node), .input_enable (input_enable), .weight (weight),
        .port_status (port_status), .port_view (port_view), .arrived (arrived), .occupancy (occupancy),
        .out_start (out_start), .out_drained (out_drained), .out_input (out_input), .out_units (out_units),
        .port_events (port_events), .port_words (port_words)
    );

    // ---- clock gating. After the last work: 6 clocks until its events occur, 16 to be counted (monitor_events)
    localparam STILL = 24;

    wire busy_a = monitor_busy_a || refresh[0] || (|(port_busy & ~DOMAIN[PORTS-1:0]));
    wire busy_b = monitor_busy_b || refresh[1] || (|(port_busy & DOMAIN[PORTS-1:0]));
    wire a_at_b;
    wire b_at_a;
    reg  busy_out_a;
    reg  busy_out_b;

    always @(posedge clk_a) busy_out_a <= busy_a || rst_a;
    always @(posedge clk_b) busy_out_b <= busy_b || rst_b;
    sync_bit to_b (.clk (clk_b), .rst (rst_b), .in (busy_out_a), .out (a_at_b));
    sync_bit to_a (.clk (clk_a), .rst (rst_a), .in (busy_out_b), .out (b_at_a));

    clock_gate #(.STILL(STILL)) rest_a (
        .clk (clk_a), .rst (rst_a), .busy (busy_a || b_at_a), .run (run_a), .run_clk (run_clk_a), .slept (slept_a)
    );
    clock_gate #(.STILL(STILL)) rest_b (
        .clk (clk_b), .rst (rst_b), .busy (busy_b || a_at_b), .run (run_b), .run_clk (run_clk_b), .slept (slept_b)
    );
endmodule
`default_nettype wire
