// Fixture: never comes back. With `spin` a loop does not end; with `swing` two registers clock each other, in no time.
`default_nettype none
module endless (
    input  wire       clk,
    input  wire       spin,
    input  wire       swing,
    input  wire [7:0] length,
    output reg  [7:0] count,
    output wire       turn
);
    reg [7:0] n;
    always @* begin
        n = 8'd0;
        while (spin || n != length) n = n + 8'd1;
    end
    always @(posedge clk) count <= n;

    reg a, b;
    wire same   = swing && a == b;
    wire differ = swing && a != b;
    always @(posedge same) a <= !a;
    always @(posedge differ) b <= !b;
    assign turn = a;
endmodule
`default_nettype wire
