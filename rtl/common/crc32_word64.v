// Body CRC, 64 bits per step: the default module of the plug-in point "body CRC".
//
// Ethernet's polynomial 04C11DB7 (0 1 2 4 5 7 8 10 11 12 16 22 23 26 32), initial value FFFF_FFFF, first bit data[63],
// not reflected, not inverted at the end (S1 3.1.6): CRC-32/MPEG-2, whose check value over "123456789" is 0376E6E7.
//
// Contract of the plug-in point:
//   * a clock with `step` takes the 64 bits of `data`; `crc` shows the CRC over everything taken so far from the next
//     clock on and keeps it until the next step. Steps may come in every clock.
//   * `first` with `step` starts a new CRC with this word; the old CRC is discarded. `first` without `step` is ignored.
//   * after reset `crc` is the initial value.
// It never stalls and never looks at `data` without `step`.
//
// The CRC is linear: the old CRC is added to the first bits of the word, and each new bit is the parity of some bits of
// that sum. `taps` computes which: bit i of the sum contributes x^(i + 32) modulo the polynomial. Synthesis builds
// trees of four levels of four-input LUTs; the simulator evaluates them only in clocks with a step.
`default_nettype none
module crc32_word64 (
    input  wire        clk,
    input  wire        rst,
    input  wire        first,   // with step: a new CRC begins with this word
    input  wire        step,    // data is taken
    input  wire [63:0] data,
    output reg  [31:0] crc      // over all that was taken, from the clock after it on
);
    localparam [31:0] INITIAL    = 32'hFFFF_FFFF;
    localparam [31:0] POLYNOMIAL = 32'h04C1_1DB7;

    // the bits of the sum whose parity is the output bit `chosen` (one-hot)
    function [63:0] taps;
        input [31:0] chosen;
        integer i;
        reg [31:0] power;
        begin
            power = POLYNOMIAL;
            for (i = 0; i < 64; i = i + 1) begin
                taps[i] = |(power & chosen);
                power   = {power[30:0], 1'b0} ^ (POLYNOMIAL & {32{power[31]}});
            end
        end
    endfunction

    wire [63:0] sum = data ^ {first ? INITIAL : crc, 32'd0};

    genvar g;
    generate
        for (g = 0; g < 32; g = g + 1) begin : crc_bit
            localparam [63:0] TAPS = taps(32'd1 << g);
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
