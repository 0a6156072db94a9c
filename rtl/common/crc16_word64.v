// Header CRC, 64 bits per step: the default module of the plug-in point "header CRC".
//
// Polynomial x^16 + x^12 + x^5 + 1 (0 5 12 16), initial value FFFF, first bit data[63], not reflected, not inverted at
// the end (S1 3.1.6): CRC-16/IBM-3740, whose check value over "123456789" is 29B1.
//
// Contract of the plug-in point:
//   * a clock with `step` takes the 64 bits of `data`; `crc` shows the CRC over everything taken so far from the next
//     clock on and keeps it until the next step. Steps may come in every clock.
//   * `first` with `step` starts a new CRC with this word; the old CRC is discarded. `first` without `step` is ignored.
//   * after reset `crc` is the initial value.
// It never stalls and never looks at `data` without `step`.
//
// The CRC is linear: the old CRC is added to the first bits of the word, and each new bit is the parity of some bits of
// that sum. `taps` computes which: bit i of the sum contributes x^(i + 16) modulo the polynomial. Synthesis builds
// trees of four levels of four-input LUTs; the simulator evaluates them only in clocks with a step.
`default_nettype none
module crc16_word64 (
    input  wire        clk,
    input  wire        rst,
    input  wire        first,   // with step: a new CRC begins with this word
    input  wire        step,    // data is taken
    input  wire [63:0] data,
    output reg  [15:0] crc      // over all that was taken, from the clock after it on
);
    localparam [15:0] INITIAL    = 16'hFFFF;
    localparam [15:0] POLYNOMIAL = 16'h1021;

    // the bits of the sum whose parity is the output bit `chosen` (one-hot)
    function [63:0] taps;
        input [15:0] chosen;
        integer i;
        reg [15:0] power;
        begin
            power = POLYNOMIAL;
            for (i = 0; i < 64; i = i + 1) begin
                taps[i] = |(power & chosen);
                power   = {power[14:0], 1'b0} ^ (POLYNOMIAL & {16{power[15]}});
            end
        end
    endfunction

    wire [63:0] sum = data ^ {first ? INITIAL : crc, 48'd0};

    genvar g;
    generate
        for (g = 0; g < 16; g = g + 1) begin : crc_bit
            localparam [63:0] TAPS = taps(16'd1 << g);
            always @(posedge clk)
                if (rst)
                    crc[g] <= INITIAL[g];
                else if (step)
                    crc[g] <= ^(sum & TAPS);
        end
    endgenerate

    // ---- measuring
    wire probe_busy = step;
endmodule
`default_nettype wire
