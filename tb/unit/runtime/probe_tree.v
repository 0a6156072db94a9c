// Fixture: probes in generate loops, below two levels, on two clocks, one of them through a plain assignment.
`default_nettype none
module probe_tree #(
    // jobs per clock domain, 1..8
    parameter JOBS = 2
) (
    input  wire              fast_clk,
    input  wire              slow_clk,
    input  wire              rst,
    input  wire [JOBS-1:0]   fast_start,
    input  wire              slow_start,
    input  wire [7:0]        length,
    input  wire              hold,
    output wire [8*JOBS-1:0] fast_left,
    output wire [7:0]        slow_left
);
    wire slow = slow_clk;
    genvar i, k;
    generate
        for (i = 0; i < 1; i = i + 1) begin : outer
            for (k = 0; k < JOBS; k = k + 1) begin : inner
                probe_counter job (
                    .clk (fast_clk), .rst (rst), .start (fast_start[k]), .length (length + k[7:0]), .hold (hold),
                    .left (fast_left[8*k +: 8])
                );
            end
        end
    endgenerate
    probe_middle middle (.clk (slow), .rst (rst), .start (slow_start), .length (length), .left (slow_left));
endmodule
`default_nettype wire
