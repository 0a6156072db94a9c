// Proof of roce_axi_write as an AXI4 master: it breaks no rule of sim/model/axi/axi_rules.h, whatever pieces are
// written, anywhere in 4 GB, and whenever its memory takes and answers, addresses before data or behind them.
//
// The rules of addresses hold whatever the memory does. For those of data it is assumed that the memory breaks no rule
// of a slave, takes no address while four writes are under way, and no more than EARLY beats before their address.
`default_nettype none
`include "bus_rules.vh"
module prove_roce_axi_write_rules #(
    parameter BYTES = 8,
    // bytes of the longest piece, 1..4096
    parameter MOST_LENGTH = 4096,
    parameter EARLY = 4,
    // 0: the rules of addresses; 1: those of data
    parameter DATA = 0
) (
    input  wire                     clk,
    input  wire                     any_command,
    input  wire [31:0]              any_address,
    input  wire [12:0]              any_length,     // less one
    input  wire [$clog2(BYTES)-1:0] any_skip,
    input  wire                     any_data_valid,
    input  wire [8*BYTES-1:0]       any_data,
    input  wire                     any_awready,
    input  wire                     any_wready,
    input  wire                     any_bvalid,
    input  wire [1:0]               any_bresp,
    output wire                     bad
);
    localparam [31:0] SIZE   = $clog2(BYTES);
    localparam [31:0] LENGTH = MOST_LENGTH;

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire               cmd_ready, awvalid, wvalid, wlast, bready, writes_full, early_full;
    wire [31:0]        awaddr;
    wire [7:0]         awlen;
    wire [8*BYTES-1:0] wdata;
    wire [BYTES-1:0]   wstrb;
    wire [2:0]         unused;
    wire               awready = any_awready && (DATA == 0 || !writes_full);
    wire               wready  = any_wready && !early_full;
    wire               short   = any_length < LENGTH[12:0];
    roce_axi_write #(.BYTES(BYTES), .OUTSTANDING(2)) writer (
        .clk (clk), .rst (rst), .cmd_valid (any_command && short), .cmd_ready (cmd_ready), .cmd_addr (any_address),
        .cmd_length (any_length + 13'd1), .cmd_skip (any_skip), .data_valid (any_data_valid), .data_ready (unused[0]),
        .data (any_data), .done_valid (unused[1]), .done_error (unused[2]),
        .awvalid (awvalid), .awready (awready), .awaddr (awaddr), .awlen (awlen), .wvalid (wvalid), .wready (wready),
        .wdata (wdata), .wstrb (wstrb), .wlast (wlast), .bvalid (any_bvalid), .bready (bready), .bresp (any_bresp)
    );

    wire [`AXI_RULES-1:0] broken;
    wire                  unused_full;
    axi_properties #(.BYTES(BYTES), .MOST(4), .EARLY(EARLY)) port (
        .clk (clk), .rst (rst), .awvalid (awvalid), .awready (awready), .awaddr (awaddr), .awlen (awlen),
        .awsize (SIZE[2:0]), .awburst (2'd1), .awid (1'b0), .awkind (8'd0), .wvalid (wvalid), .wready (wready),
        .wdata (wdata), .wstrb (wstrb), .wlast (wlast), .bvalid (any_bvalid), .bready (bready), .bresp (any_bresp),
        .bid (1'b0), .arvalid (1'b0), .arready (1'b0), .araddr (32'd0), .arlen (8'd0), .arsize (3'd0), .arburst (2'd0),
        .arid (1'b0), .arkind (8'd0), .rvalid (1'b0), .rready (1'b0), .rdata ({8*BYTES{1'b0}}), .rresp (2'd0),
        .rlast (1'b0), .rid (1'b0), .broken (broken), .writes_full (writes_full), .early_full (early_full),
        .reads_full (unused_full)
    );

    reg  given;                       // what is assumed has held so far; addresses need none of it
    wire holds = DATA == 0 || given && (broken & `AXI_SLAVE_RULES) == {`AXI_RULES{1'b0}};
    initial given = 1'b1;
    always @(posedge clk) given <= holds;

    wire [`AXI_RULES-1:0] one  = {{`AXI_RULES-1{1'b0}}, 1'b1};
    wire [`AXI_RULES-1:0] data = one << `AXI_W_HELD | one << `AXI_W_RESET | one << `AXI_W_STROBES | one << `AXI_W_LAST;
    assign bad = holds && (broken & `AXI_MASTER_RULES & (DATA != 0 ? data : ~data)) != {`AXI_RULES{1'b0}};
endmodule
`default_nettype wire
