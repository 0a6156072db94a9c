// Fixture: what follows from registers of two clocks that may rest (run_clk, far_run_clk), of those beside them that do
// not, and of inputs.
`default_nettype none
module half_at_rest (
    input  wire        clk,
    input  wire        run_clk,
    input  wire        far_clk,
    input  wire        far_run_clk,
    input  wire        rst,
    input  wire [7:0]  d,
    input  wire        load,
    output reg  [7:0]  kept,       // of clk, with `load`
    output reg  [7:0]  far_kept,   // of far_clk, with `load`
    output wire [7:0]  mixed,      // of clk and run_clk
    output wire [7:0]  far_mixed,  // of far_clk and far_run_clk
    output wire [7:0]  both,       // of all four, and of d
    output reg  [7:0]  count       // of clk: never rests
);
    reg [7:0] a, b, c, far_a, far_b, far_c;

    always @(posedge clk) begin
        if (load) kept <= d;
        count <= count + 8'd1;
    end
    always @(posedge far_clk) if (load) far_kept <= d + 8'd1;
    always @(posedge run_clk) begin
        a <= d;
        b <= a ^ far_kept;
        c <= rst ? 8'd0 : b + mixed;
    end
    always @(posedge far_run_clk) begin
        far_a <= d;
        far_b <= far_a ^ kept;
        far_c <= rst ? 8'd0 : far_b + far_mixed;
    end

    wire [7:0] near_mix = ((a ^ kept) + (b & ~kept)) ^ ((c | kept) + (a & b)) ^ (b ^ c) ^ (a + c);
    wire [7:0] far_mix  = ((far_a ^ far_kept) + (far_b & ~far_kept)) ^ ((far_c | far_kept) + (far_a & far_b)) ^
                          (far_b ^ far_c) ^ (far_a + far_c);
    assign mixed = (near_mix & 8'h0F) + (near_mix >> 4) + (a & c) + (b | kept);
    assign far_mixed  = (far_mix & 8'h0F) + (far_mix >> 4) + (far_a & far_c) + (far_b | far_kept);
    assign both = ((near_mix + far_mix) ^ (a + far_b) ^ (b + far_c) ^ (c + far_a) ^ (a & far_a) ^ (b & far_b) ^
                   (c & far_c)) +
                  (kept ^ far_kept) + d;
endmodule
`default_nettype wire
