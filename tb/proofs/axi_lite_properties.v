// The rules of an AXI4-Lite port, for both of its sides: sim/model/axi/axi_lite_rules.h has the list, this file what
// each of them means in gates.
//
// `broken` has a bit for each rule, in the order of the list; `AXI_LITE_MASTER_RULES and `AXI_LITE_SLAVE_RULES
// (bus_rules.vh, made from the list) have the bits of those that a side must keep. A proof of a side requires none of
// its bits as long as none of the other side's was set. It follows 2**LOG2_MOST addresses of writes, data and reads at
// a time: while `writes_full`, `data_full` or `reads_full` no further one may be taken.
`default_nettype none
`include "bus_rules.vh"
module axi_lite_properties #(
    // bits of an address
    parameter ADDRESS = 32,
    // log2 of the accesses of a direction that may be under way, 1..8
    parameter LOG2_MOST = 2
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire                       awvalid,
    input  wire                       awready,
    input  wire [ADDRESS-1:0]         awaddr,
    input  wire                       wvalid,
    input  wire                       wready,
    input  wire [31:0]                wdata,
    input  wire [3:0]                 wstrb,
    input  wire                       bvalid,
    input  wire                       bready,
    input  wire [1:0]                 bresp,
    input  wire                       arvalid,
    input  wire                       arready,
    input  wire [ADDRESS-1:0]         araddr,
    input  wire                       rvalid,
    input  wire                       rready,
    input  wire [31:0]                rdata,
    input  wire [1:0]                 rresp,
    output wire [`AXI_LITE_RULES-1:0] broken,
    output wire                       writes_full,
    output wire                       data_full,
    output wire                       reads_full
);
    localparam [LOG2_MOST:0] NONE = {LOG2_MOST+1{1'b0}}, ONE = {{LOG2_MOST{1'b0}}, 1'b1};

    wire       aw_taken, w_taken, b_shown, ar_taken, r_shown;
    wire [9:0] unused;
    axi_channel_properties #(.WIDTH(ADDRESS)) aw (
        .clk (clk), .rst (rst), .valid (awvalid), .ready (awready), .payload (awaddr), .seen (unused[0]),
        .shown (unused[1]), .taken (aw_taken), .broken_held (broken[`AXI_LITE_AW_HELD]),
        .broken_reset (broken[`AXI_LITE_AW_RESET])
    );
    axi_channel_properties #(.WIDTH(36)) w (
        .clk (clk), .rst (rst), .valid (wvalid), .ready (wready), .payload ({wstrb, wdata}), .seen (unused[2]),
        .shown (unused[3]), .taken (w_taken), .broken_held (broken[`AXI_LITE_W_HELD]),
        .broken_reset (broken[`AXI_LITE_W_RESET])
    );
    axi_channel_properties #(.WIDTH(2)) b (
        .clk (clk), .rst (rst), .valid (bvalid), .ready (bready), .payload (bresp), .seen (unused[4]), .shown (b_shown),
        .taken (unused[5]), .broken_held (broken[`AXI_LITE_B_HELD]), .broken_reset (broken[`AXI_LITE_B_RESET])
    );
    axi_channel_properties #(.WIDTH(ADDRESS)) ar (
        .clk (clk), .rst (rst), .valid (arvalid), .ready (arready), .payload (araddr), .seen (unused[6]),
        .shown (unused[7]), .taken (ar_taken), .broken_held (broken[`AXI_LITE_AR_HELD]),
        .broken_reset (broken[`AXI_LITE_AR_RESET])
    );
    axi_channel_properties #(.WIDTH(34)) r (
        .clk (clk), .rst (rst), .valid (rvalid), .ready (rready), .payload ({rresp, rdata}), .seen (unused[8]),
        .shown (r_shown), .taken (unused[9]), .broken_held (broken[`AXI_LITE_R_HELD]),
        .broken_reset (broken[`AXI_LITE_R_RESET])
    );

    // ---- what has no response yet
    reg [LOG2_MOST:0] addresses, data, reads;
    initial {addresses, data, reads} = {NONE, NONE, NONE};
    wire b_due = b_shown && addresses != NONE && data != NONE;
    wire r_due = r_shown && reads != NONE;
    always @(posedge clk)
        if (rst) {addresses, data, reads} <= {NONE, NONE, NONE};
        else begin
            addresses <= addresses + (aw_taken ? ONE : NONE) - (b_due ? ONE : NONE);
            data      <= data + (w_taken ? ONE : NONE) - (b_due ? ONE : NONE);
            reads     <= reads + (ar_taken ? ONE : NONE) - (r_due ? ONE : NONE);
        end

    assign broken[`AXI_LITE_B_ALONE] = b_shown && !b_due;
    assign broken[`AXI_LITE_B_RESP]  = b_shown && bresp == 2'b01;
    assign broken[`AXI_LITE_R_ALONE] = r_shown && !r_due;
    assign broken[`AXI_LITE_R_RESP]  = r_shown && rresp == 2'b01;
    assign {writes_full, data_full, reads_full} = {addresses[LOG2_MOST], data[LOG2_MOST], reads[LOG2_MOST]};

    wire unused_here = &{1'b0, unused};
endmodule
`default_nettype wire
