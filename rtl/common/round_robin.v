// Round-robin choice among requests, combinational (S2 3 calls it a priority enforcer): the first request after `last`, in
// cyclic order. The caller keeps `last` and moves it when it uses the grant.
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
    output reg  [N-1:0]         grant,   // one-hot
    output reg  [$clog2(N)-1:0] index    // number of the grant; `last` without a request
);
    localparam LOG2_N = $clog2(N);

    initial
        if (N < 2 || N > 128) begin
            $display("%m: N must be 2..128, is %0d", N);
            $finish;
        end

    // Requests above `last` have precedence; the lowest one of those, else the lowest of all.
    reg [N-1:0] above;
    integer i;

    assign any = |request;

    always @* begin
        for (i = 0; i < N; i = i + 1)
            above[i] = request[i] && (i[LOG2_N-1:0] > last);
        grant = {N{1'b0}};
        index = last;
        for (i = N - 1; i >= 0; i = i - 1)
            if ((|above) ? above[i] : request[i]) begin
                grant    = {N{1'b0}};
                grant[i] = 1'b1;
                index    = i[LOG2_N-1:0];
            end
    end
endmodule
`default_nettype wire
