// Body CRC by parities: an alternative to crc32_word32 (contract: there).
//
// Each new bit is the parity of some bits of the sum of data and old CRC, found as in crc32_word64 (rtl/common);
// synthesis shares the common terms: 218 LUTs on 4 levels, where crc32_word32 takes 209 on 3.
`default_nettype none
module crc32_word32_flat (
    input  wire        clk,
    input  wire        clear,
    input  wire        step,
    input  wire [31:0] data,
    input  wire        due,
    output wire [31:0] crc_next,
    output reg  [31:0] crc
);
    localparam [31:0] INITIAL    = 32'hFFFF_FFFF;
    localparam [31:0] POLYNOMIAL = 32'h04C1_1DB7;

    // the bits of the sum whose parity is the output bit `chosen` (one-hot)
    function [31:0] taps;
        input [31:0] chosen;
        integer i;
        reg [31:0] power;
        begin
            power = POLYNOMIAL;
            for (i = 0; i < 32; i = i + 1) begin
                taps[i] = |(power & chosen);
                power   = {power[30:0], 1'b0} ^ (POLYNOMIAL & {32{power[31]}});
            end
        end
    endfunction

    wire [31:0] sum = data ^ crc;
    wire [31:0] next;

    genvar g;
    generate
        for (g = 0; g < 32; g = g + 1) begin : crc_bit
            localparam [31:0] TAPS = taps(32'd1 << g);
            assign next[g] = ^(sum & TAPS);
        end
    endgenerate
    assign crc_next = next & {32{due}};

    always @(posedge clk)
        if (clear)
            crc <= INITIAL;
        else if (step)
            crc <= next;

    // ---- measuring
    wire probe_busy = due || (step && !clear);
endmodule
`default_nettype wire
