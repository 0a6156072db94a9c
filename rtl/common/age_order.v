// The request present longest among N, combinational. The order of all members is kept, one bit for each pair.
//
// A member that is not present, or is `renewed`, is youngest from the next clock on; members that leave and return
// together keep their order.
// A present member is never overtaken, so the answer changes only with `present`, `renewed` and `request`.
`default_nettype none
module age_order #(
    // members, 2..16
    parameter N = 8
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [N-1:0] present,
    input  wire [N-1:0] renewed,     // leaves and returns in one clock
    input  wire [N-1:0] request,     // eligible members
    output reg  [N-1:0] oldest       // one-hot among these, 0 without a request
);
    initial
        if (N < 2 || N > 16) begin
            $display("%m: N must be 2..16, is %0d", N);
            $finish;
        end

    wire [N*N-1:0] older;            // bit N*i + j: i is older than j; only i < j are registers
    wire [N-1:0]   young = ~present | renewed;

    genvar i, j;
    generate
        for (i = 0; i < N; i = i + 1) begin : first
            for (j = i + 1; j < N; j = j + 1) begin : second
                reg before;
                always @(posedge clk)
                    if (rst)                       before <= 1'b1;
                    else if (young[i] != young[j]) before <= young[j];
                assign older[N*i + j] = before;
                assign older[N*j + i] = !before;
            end
            assign older[N*i + i] = 1'b0;
        end
    endgenerate

    integer a, b;
    always @*
        for (a = 0; a < N; a = a + 1) begin
            oldest[a] = request[a];
            for (b = 0; b < N; b = b + 1)
                if (request[b] && older[N*b + a])
                    oldest[a] = 1'b0;
        end
endmodule
`default_nettype wire
