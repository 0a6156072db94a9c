// Fixture: what follows from inputs without a clock, by itself and together with registers; a clock that is also a
// value, a reset that acts without a clock, and an edge that is made inside.
`default_nettype none
module passes_through (
    input  wire        clk,
    input  wire        other_clk,
    input  wire        rst_n,
    input  wire        enable,
    input  wire [11:0] a,
    input  wire [39:0] b,
    input  wire [99:0] c,
    output wire [39:0] sum,      // of a and b
    output wire        odd,      // c has an odd number of ones
    output wire        shown,    // other_clk, if enable
    output wire [11:0] beside,   // a beside what it was at the last edge of clk
    output reg  [11:0] last,
    output reg  [7:0]  others,   // edges of other_clk, both of them
    output reg  [7:0]  gated     // rising edges of clk && enable
);
    wire gated_clk = clk && enable;
    reg  [7:0] rises, falls;

    assign sum    = b + {28'd0, a};
    assign odd    = ^c;
    assign shown  = other_clk && enable;
    assign beside = a ^ last;

    always @(posedge clk or negedge rst_n)
        if (!rst_n) last <= 12'd0;
        else        last <= a;
    always @(posedge other_clk or negedge rst_n)
        if (!rst_n) rises <= 8'd0;
        else        rises <= rises + 8'd1;
    always @(negedge other_clk or negedge rst_n)
        if (!rst_n) falls <= 8'd0;
        else        falls <= falls + 8'd1;
    always @(posedge gated_clk or negedge rst_n)
        if (!rst_n) gated <= 8'd0;
        else        gated <= gated + 8'd1;
    always @* others = rises + falls;
endmodule
`default_nettype wire
