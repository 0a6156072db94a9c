// Body CRC of two 64-bit words per step, or of one: crc32_word64 for four links by byte, whose words have 128 bits.
//
// `crc` shows the CRC over everything taken so far from the clock after a step on. With `two` the words are
// data[127:64] and then data[63:0]; without it data[63:0] is the only one. `first` with `step` starts a new CRC.
//
// As in crc32_word64 each new bit is the parity of some bits of a sum, here of 128: the old CRC is added to the first
// bits of the first word.
// A single word takes the place of the second one behind zeros, which do not change the parities.
`default_nettype none
module crc32_word128 (
    input  wire         clk,
    input  wire         rst,
    input  wire         first,   // with step: a new CRC begins
    input  wire         step,    // data is taken
    input  wire         two,     // both words of it
    input  wire [127:0] data,
    output reg  [31:0]  crc      // over all that was taken, from the clock after it on
);
    localparam [31:0] INITIAL    = 32'hFFFF_FFFF;
    localparam [31:0] POLYNOMIAL = 32'h04C1_1DB7;

    // the bits of the sum whose parity is the output bit `chosen` (one-hot)
    function [127:0] taps;
        input [31:0] chosen;
        integer i;
        reg [31:0] power;
        begin
            power = POLYNOMIAL;
            for (i = 0; i < 128; i = i + 1) begin
                taps[i] = |(power & chosen);
                power   = {power[30:0], 1'b0} ^ (POLYNOMIAL & {32{power[31]}});
            end
        end
    endfunction

    wire [31:0]  before = first ? INITIAL : crc;
    wire [127:0] sum    = two ? data ^ {before, 96'd0} : {64'd0, data[63:0] ^ {before, 32'd0}};

    genvar g;
    generate
        for (g = 0; g < 32; g = g + 1) begin : crc_bit
            localparam [127:0] TAPS = taps(32'd1 << g);
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
