// The requests with the largest level, combinational: all of them that have it. The caller breaks the tie.
//
// From the most significant bit down, requests with a 0 drop out if another one has a 1. Each bit costs a level of an
// OR over N and an AND, so the caller should reduce levels to few bits.
`default_nettype none
module largest #(
    // requests, 2..128
    parameter N = 8,
    // bits of a level, 1..16
    parameter BITS = 4
) (
    input  wire [N-1:0]      request,
    input  wire [N*BITS-1:0] level,      // of request i in [BITS*i +: BITS]
    output reg  [N-1:0]      mask        // 0 without a request
);
    initial
        if (N < 2 || N > 128 || BITS < 1 || BITS > 16) begin
            $display("%m: N must be 2..128, is %0d; BITS 1..16, is %0d", N, BITS);
            $finish;
        end

    reg [N-1:0] one;      // remaining requests with a 1 in this bit
    integer b, i;

    always @* begin
        mask = request;
        one  = {N{1'b0}};
        for (b = BITS - 1; b >= 0; b = b - 1) begin
            for (i = 0; i < N; i = i + 1)
                one[i] = mask[i] && level[BITS*i + b];
            if (|one)
                mask = one;
        end
    end
endmodule
`default_nettype wire
