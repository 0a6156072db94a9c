// A counter of clocks that runs while `src_run`, and a copy of it that follows in another clock.
//
// Only the lowest four bits cross, in Gray code; the copy adds the difference. So it never skips a count, however wide
// it is, as long as less than 16 clocks of the source pass in one of the destination.
//
// Latency: in a clock of the destination the copy shows the count as it was before the edge 3 clocks earlier, and AHEAD
// more. With the frequency of both clocks the same and AHEAD = 3 both agree to one count.
`default_nettype none
module sync_count #(
    // bits of the count, 5..64
    parameter WIDTH = 32,
    // by how much the copy is ahead of the count when neither counts
    parameter [WIDTH-1:0] AHEAD = 0
) (
    input  wire             src_clk,
    input  wire             src_rst,
    input  wire             src_run,     // level: it counts
    output reg  [WIDTH-1:0] src_count,
    input  wire             dst_clk,
    input  wire             dst_rst,     // not while src_run
    output reg  [WIDTH-1:0] dst_count
);
    initial
        if (WIDTH < 5 || WIDTH > 64) begin
            $display("%m: WIDTH must be 5..64, is %0d", WIDTH);
            $finish;
        end

    wire [WIDTH-1:0] src_next = src_count + 1'b1;
    reg  [3:0]       src_gray;

    always @(posedge src_clk)
        if (src_rst) begin
            src_count <= {WIDTH{1'b0}};
            src_gray  <= 4'd0;
        end else if (src_run) begin
            src_count <= src_next;
            src_gray  <= src_next[3:0] ^ (src_next[3:0] >> 1);
        end

    wire [3:0] gray_at_dst, low;
    sync_bit #(.WIDTH(4)) crossing (.clk (dst_clk), .rst (dst_rst), .in (src_gray), .out (gray_at_dst));
    gray_to_binary #(.WIDTH(4)) decoder (.gray (gray_at_dst), .binary (low));

    wire [3:0] moved = low + AHEAD[3:0] - dst_count[3:0];

    always @(posedge dst_clk)
        if (dst_rst)            dst_count <= AHEAD;
        else if (moved != 4'd0) dst_count <= dst_count + {{WIDTH-4{1'b0}}, moved};
endmodule
`default_nettype wire
