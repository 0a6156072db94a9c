// Proof of roce_registers as an AXI4-Lite slave: it breaks no rule of sim/model/axi/axi_lite_rules.h, whatever software
// reads and writes, whatever the blocks around it answer, and however long they take to answer.
//
// Assumed: the master breaks none of its rules.
`default_nettype none
`include "bus_rules.vh"
module prove_roce_registers_rules (
    input  wire        clk,
    input  wire        any_awvalid,
    input  wire [15:0] any_awaddr,
    input  wire        any_wvalid,
    input  wire [31:0] any_wdata,
    input  wire [3:0]  any_wstrb,
    input  wire        any_bready,
    input  wire        any_arvalid,
    input  wire [15:0] any_araddr,
    input  wire        any_rready,
    input  wire        any_sqpi,
    input  wire        any_rqci,
    input  wire [15:0] any_handshake_addr,
    input  wire [15:0] any_handshake_index,
    input  wire        any_rx_ready,
    input  wire [31:0] any_rx_rdata,
    input  wire        any_rq_ready,
    input  wire [31:0] any_rq_rdata,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire        awready, wready, bvalid, arready, rvalid;
    wire [31:0] rdata;
    roce_registers #(.NUM_QP(8)) registers (
        .clk (clk), .rst (rst),
        .lite_awvalid (any_awvalid), .lite_awready (awready), .lite_awaddr (any_awaddr), .lite_wvalid (any_wvalid),
        .lite_wready (wready), .lite_wdata (any_wdata), .lite_wstrb (any_wstrb), .lite_bvalid (bvalid),
        .lite_bready (any_bready), .lite_arvalid (any_arvalid), .lite_arready (arready), .lite_araddr (any_araddr),
        .lite_rvalid (rvalid), .lite_rready (any_rready), .lite_rdata (rdata),
        .sqpi_valid (any_sqpi), .sqpi_addr (any_handshake_addr), .sqpi_index (any_handshake_index),
        .rqci_valid (any_rqci), .rqci_addr (any_handshake_addr), .rqci_index (any_handshake_index),
        .rx_own_ready (any_rx_ready), .rx_own_rdata (any_rx_rdata), .rq_own_ready (any_rq_ready),
        .rq_own_rdata (any_rq_rdata)
    );

    wire [`AXI_LITE_RULES-1:0] broken;
    wire [2:0]                 unused_full;
    axi_lite_properties #(.ADDRESS(16), .LOG2_MOST(1)) port (
        .clk (clk), .rst (rst),
        .awvalid (any_awvalid), .awready (awready), .awaddr (any_awaddr), .wvalid (any_wvalid), .wready (wready),
        .wdata (any_wdata), .wstrb (any_wstrb), .bvalid (bvalid), .bready (any_bready), .bresp (2'd0),
        .arvalid (any_arvalid), .arready (arready), .araddr (any_araddr), .rvalid (rvalid), .rready (any_rready),
        .rdata (rdata), .rresp (2'd0), .broken (broken), .writes_full (unused_full[0]), .data_full (unused_full[1]),
        .reads_full (unused_full[2])
    );

    reg  given;                       // what is assumed has held so far
    wire holds = given && (broken & `AXI_LITE_MASTER_RULES) == {`AXI_LITE_RULES{1'b0}};
    initial given = 1'b1;
    always @(posedge clk) given <= holds;

    assign bad = holds && (broken & `AXI_LITE_SLAVE_RULES) != {`AXI_LITE_RULES{1'b0}};
endmodule
`default_nettype wire
