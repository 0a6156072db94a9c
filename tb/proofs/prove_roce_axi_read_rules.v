// Proof of roce_axi_read as an AXI4 master: it breaks no rule of sim/model/axi/axi_rules.h, whatever pieces are asked
// for, anywhere in 4 GB, and whenever its memory takes and gives. Assumed: the memory breaks no rule of a slave, and it
// takes no address while four reads are under way. (What comes out of it: prove_roce_axi_read.)
`default_nettype none
`include "bus_rules.vh"
module prove_roce_axi_read_rules #(
    parameter BYTES      = 8,
    parameter LOG2_WORDS = 3
) (
    input  wire               clk,
    input  wire               any_command,
    input  wire [31:0]        any_address,
    input  wire [11:0]        any_length,     // less one
    input  wire               any_arready,
    input  wire               any_rvalid,
    input  wire [8*BYTES-1:0] any_rdata,
    input  wire [1:0]         any_rresp,
    input  wire               any_rlast,
    input  wire               any_out_ready,
    output wire               bad
);
    localparam [31:0] SIZE = $clog2(BYTES);

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire               cmd_ready, arvalid, rready;
    wire [31:0]        araddr;
    wire [7:0]         arlen;
    wire               full;
    wire               arready = any_arready && !full;
    wire [8*BYTES+3:0] unused;
    roce_axi_read #(.BYTES(BYTES), .OUTSTANDING(2), .LOG2_WORDS(LOG2_WORDS)) reader (
        .clk (clk), .rst (rst), .cmd_valid (any_command), .cmd_ready (cmd_ready), .cmd_addr (any_address),
        .cmd_length ({1'b0, any_length} + 13'd1), .arvalid (arvalid), .arready (arready), .araddr (araddr),
        .arlen (arlen), .rvalid (any_rvalid), .rready (rready), .rdata (any_rdata), .rresp (any_rresp),
        .out_valid (unused[0]), .out_ready (any_out_ready), .out_data (unused[4 +: 8*BYTES]), .out_last (unused[1]),
        .out_error (unused[2]), .busy (unused[3])
    );

    wire [`AXI_RULES-1:0] broken;
    wire [1:0]            unused_full;
    axi_properties #(.BYTES(BYTES), .MOST(4)) port (
        .clk (clk), .rst (rst), .awvalid (1'b0), .awready (1'b0), .awaddr (32'd0), .awlen (8'd0), .awsize (3'd0),
        .awburst (2'd0), .awid (1'b0), .awkind (8'd0), .wvalid (1'b0), .wready (1'b0), .wdata ({8*BYTES{1'b0}}),
        .wstrb ({BYTES{1'b0}}), .wlast (1'b0), .bvalid (1'b0), .bready (1'b0), .bresp (2'd0), .bid (1'b0),
        .arvalid (arvalid), .arready (arready), .araddr (araddr), .arlen (arlen), .arsize (SIZE[2:0]), .arburst (2'd1),
        .arid (1'b0), .arkind (8'd0), .rvalid (any_rvalid), .rready (rready), .rdata (any_rdata), .rresp (any_rresp),
        .rlast (any_rlast), .rid (1'b0), .broken (broken), .writes_full (unused_full[0]), .early_full (unused_full[1]),
        .reads_full (full)
    );

    reg  given;                       // what is assumed has held so far
    wire holds = given && (broken & `AXI_SLAVE_RULES) == {`AXI_RULES{1'b0}};
    initial given = 1'b1;
    always @(posedge clk) given <= holds;

    assign bad = holds && (broken & `AXI_MASTER_RULES) != {`AXI_RULES{1'b0}};
endmodule
`default_nettype wire
