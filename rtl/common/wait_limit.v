// A bound on waiting for schedulers that are not fair: counts for each candidate the grants of others since it became a
// candidate, and flags those that are `overdue`. A scheduler that serves the overdue first, round robin, lets no
// candidate wait for more than 8 x 2**ceil(log2(N)) + N grants.
//
// The count restarts when the candidate is granted or is no candidate for a clock. `overdue` is a register and changes
// only in clocks after a grant, or for members that are no candidates.
`default_nettype none
module wait_limit #(
    // candidates, 2..128
    parameter N = 8
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [N-1:0] candidate,   // requests the next grant
    input  wire         turn,        // one clock: a grant is given
    input  wire [N-1:0] winner,      // with turn: the granted candidate, one-hot
    output wire [N-1:0] overdue
);
    localparam LAST = $clog2(N) + 3;

    initial
        if (N < 2 || N > 128) begin
            $display("%m: N must be 2..128, is %0d", N);
            $finish;
        end

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : candidate_of
            reg [LAST:0] passed;
            always @(posedge clk)
                if (rst || !candidate[i] || (turn && winner[i]))
                    passed <= {LAST+1{1'b0}};
                else if (turn && !passed[LAST])
                    passed <= passed + {{LAST{1'b0}}, 1'b1};
            assign overdue[i] = passed[LAST];
        end
    endgenerate
endmodule
`default_nettype wire
