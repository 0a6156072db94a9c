// Round-robin choice among requests, combinational (S2 3 calls it a priority enforcer): the first request after `last`,
// in cyclic order. The caller keeps `last` and moves it when it uses the grant.
//
// With no request `any` is 0, `grant` is 0 and `index` is `last`.
`default_nettype none
module round_robin #(
    // requests, 2..128
    parameter N = 8
) (
    input  wire [N-1:0]         request,
    input  wire [$clog2(N)-1:0] last,    // served last, < N
    output wire                 any,
    output wire [N-1:0]         grant,   // one-hot
    output wire [$clog2(N)-1:0] index    // number of the grant; `last` without a request
);
    localparam LOG2_N = $clog2(N);

    initial
        if (N < 2 || N > 128) begin
            $display("%m: N must be 2..128, is %0d", N);
            $finish;
        end

    // Requests above `last` have precedence; the lowest one of those, else the lowest of all.
    wire [N-1:0] above = request & ({N{1'b1}} << last << 1);
    wire [N-1:0] from  = (|above) ? above : request;

    assign any   = |request;
    assign grant = from & (~from + 1'b1);

    // A bit of the index is set if the grant is one of the numbers that have it: 1, 3, 5, ...; 2, 3, 6, 7, ...
    genvar b;
    generate
        for (b = 0; b < LOG2_N; b = b + 1) begin : bits
            localparam [127:0] NUMBERS = {64 >> b{{1 << b{1'b1}}, {1 << b{1'b0}}}};
            assign index[b] = any ? |(grant & NUMBERS[N-1:0]) : last[b];
        end
    endgenerate
endmodule
`default_nettype wire
