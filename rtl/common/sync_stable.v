// Shows a value in another clock domain while it is stable. The source changes it only while `src_busy` is high.
//
// `dst_hold` is high from before the source can become busy until `dst_busy` is. Then, and while `dst_busy` is high,
// the value reads 0. The last change comes with the fall of `src_busy`, at least one destination clock before that of
// `dst_busy`: no register is needed.
`default_nettype none
module sync_stable #(
    // bits of the value, >= 1
    parameter WIDTH = 8
) (
    input  wire             src_busy,   // straight from a flop
    input  wire [WIDTH-1:0] src_data,
    input  wire             dst_clk,
    input  wire             dst_rst,
    input  wire             dst_hold,
    output wire             dst_busy,   // 2 to 3 clocks late
    output wire [WIDTH-1:0] dst_data
);
    sync_bit busy_crossing (.clk (dst_clk), .rst (dst_rst), .in (src_busy), .out (dst_busy));
    assign dst_data = (dst_busy || dst_hold) ? {WIDTH{1'b0}} : src_data;
endmodule
`default_nettype wire
