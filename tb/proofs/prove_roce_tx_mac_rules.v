// Proof of roce_tx_mac at its four streams: the output to the MAC breaks no rule of sim/model/axi/axi_stream_rules.h,
// whichever frames come and whenever the MAC is ready. There is no gap inside a frame, since the MAC cannot wait.
//
// Assumed: the inputs break none of them either (roce_tx_fifo, roce_tx_ack).
`default_nettype none
`include "bus_rules.vh"
module prove_roce_tx_mac_rules (
    input  wire         clk,
    input  wire [2:0]   any_valid,     // ACK, data, other
    input  wire [191:0] any_data,
    input  wire [2:0]   any_last,
    input  wire [8:0]   any_bytes,
    input  wire         any_tready,
    output wire         bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire [2:0]  ready;
    wire        tvalid, tlast;
    wire [63:0] tdata;
    wire [7:0]  tkeep;
    roce_tx_mac #(.BYTES(8)) mac (
        .clk (clk), .rst (rst),
        .ack_valid (any_valid[0]), .ack_ready (ready[0]), .ack_data (any_data[63:0]), .ack_last (any_last[0]),
        .ack_bytes (any_bytes[2:0]), .data_valid (any_valid[1]), .data_ready (ready[1]), .data_data (any_data[127:64]),
        .data_last (any_last[1]), .data_bytes (any_bytes[5:3]), .other_valid (any_valid[2]), .other_ready (ready[2]),
        .other_data (any_data[191:128]), .other_last (any_last[2]), .other_bytes (any_bytes[8:6]),
        .tx_tvalid (tvalid), .tx_tready (any_tready), .tx_tdata (tdata), .tx_tkeep (tkeep), .tx_tlast (tlast)
    );

    wire [`AXI_STREAM_RULES-1:0]   broken;
    wire [3*`AXI_STREAM_RULES-1:0] broken_in;
    axi_stream_properties #(.BYTES(8), .NO_GAPS(1)) out (
        .clk (clk), .rst (rst), .tvalid (tvalid), .tready (any_tready), .tdata (tdata), .tkeep (tkeep), .tlast (tlast),
        .tuser (1'b0), .broken (broken)
    );
    genvar i;
    generate
        for (i = 0; i < 3; i = i + 1) begin : in
            wire [7:0] first = 8'hff >> (4'd8 - {1'b0, any_bytes[3*i +: 3]});
            wire       part  = any_last[i] && any_bytes[3*i +: 3] != 3'd0;
            axi_stream_properties #(.BYTES(8), .NO_GAPS(1)) stream (
                .clk (clk), .rst (rst), .tvalid (any_valid[i]), .tready (ready[i]), .tdata (any_data[64*i +: 64]),
                .tkeep (part ? first : 8'hff), .tlast (any_last[i]), .tuser (1'b0),
                .broken (broken_in[i*`AXI_STREAM_RULES +: `AXI_STREAM_RULES])
            );
        end
    endgenerate

    reg  given;                       // what is assumed has held so far
    wire holds = given && broken_in == {3*`AXI_STREAM_RULES{1'b0}};
    initial given = 1'b1;
    always @(posedge clk) given <= holds;

    assign bad = holds && broken != {`AXI_STREAM_RULES{1'b0}};
endmodule
`default_nettype wire
