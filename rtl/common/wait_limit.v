// A bound on waiting for schedulers that do not take turns: counts for each candidate the turns that others have had since it could have
// one, and says who is `overdue`. A scheduler that serves the overdue first, round robin, keeps nobody waiting for more than
// 8 x 2**ceil(log2(N)) + N turns.
//
// A candidate that has its turn, or is none for a clock, starts anew. `overdue` is a register bit and changes in clocks after a turn only,
// or of those that are no candidates.
`default_nettype none
module wait_limit #(
    // candidates, 2..128
    parameter N = 8
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [N-1:0] candidate,   // could have the next turn
    input  wire         turn,        // one clock: a turn is given away
    input  wire [N-1:0] winner,      // with turn: to whom, one-hot
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
