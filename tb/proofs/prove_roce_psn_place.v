// Proof of roce_psn_place: `bad` is never high, for all PSNs and windows. The PSNs are made the other way round, by
// walking on from the expected one in numbers that do not wrap, of 26 bits, and taking 2**24 off where one is reached:
//
//   before, ahead   1..2**23 steps back, or 1..2**23 - 1 steps on; the expected PSN at none; always one of the three
//   steps           as many as were walked on
//   inside          a window of any size has as many PSNs, from its first one on, and no other
`default_nettype none
module prove_roce_psn_place (
    input  wire        clk,
    input  wire [23:0] any_from,
    input  wire [23:0] any_steps,     // on
    input  wire [22:0] any_back,      // steps back, less one
    input  wire [23:0] any_window,    // PSNs in it
    output wire        bad
);
    localparam [25:0] MODULUS = 26'h100_0000;

    reg [23:0] from, walked, window;
    reg [22:0] less;
    always @(posedge clk) {from, walked, window, less} <= {any_from, any_steps, any_window, any_back};

    function [23:0] walk(input [23:0] at, input [23:0] by);
        reg [25:0] sum;
        begin
            sum  = {2'b00, at} + {2'b00, by};
            sum  = (sum >= MODULUS) ? sum - MODULUS : sum;
            walk = sum[23:0];
        end
    endfunction

    wire [23:0] steps, unused_steps;
    wire        expected, before, ahead, inside, back_expected, back_before, back_ahead, unused_inside;
    wire [23:0] back      = {1'b0, less} + 24'd1;
    wire [25:0] back_from = {2'b00, from} - {2'b00, back} + ((from < back) ? MODULUS : 26'd0);

    roce_psn_place on (
        .psn (walk(from, walked)), .from (from), .to (walk(from, window)), .steps (steps),
        .expected (expected), .before (before), .ahead (ahead), .inside (inside)
    );
    roce_psn_place behind (
        .psn (back_from[23:0]), .from (from), .to (from), .steps (unused_steps),
        .expected (back_expected), .before (back_before), .ahead (back_ahead), .inside (unused_inside)
    );

    assign bad = steps != walked || expected != (walked == 24'd0) ||
                 ahead != (walked != 24'd0 && walked < 24'h80_0000) ||
                 {1'b0, expected} + {1'b0, before} + {1'b0, ahead} != 2'd1 || inside != (walked < window) ||
                 back_expected || !back_before || back_ahead || unused_inside;
endmodule
`default_nettype wire
