// Header CRC by parities: an alternative to crc16_word32 (contract: there) with a shorter path.
//
// Each new bit is the parity of some bits of the sum of data and old CRC, found as in crc16_word64 (rtl/common): 110
// LUTs on 3 levels, where crc16_word32 takes 76 on 5.
`default_nettype none
module crc16_word32_flat (
    input  wire        clk,
    input  wire        clear,
    input  wire        step,
    input  wire [31:0] data,
    input  wire        due,
    output wire [15:0] crc_next,
    output reg  [15:0] crc
);
    localparam [15:0] INITIAL    = 16'hFFFF;
    localparam [15:0] POLYNOMIAL = 16'h1021;

    // the bits of the sum whose parity is the output bit `chosen` (one-hot)
    function [31:0] taps;
        input [15:0] chosen;
        integer i;
        reg [15:0] power;
        begin
            power = POLYNOMIAL;
            for (i = 0; i < 32; i = i + 1) begin
                taps[i] = |(power & chosen);
                power   = {power[14:0], 1'b0} ^ (POLYNOMIAL & {16{power[15]}});
            end
        end
    endfunction

    wire [31:0] sum = data ^ {crc, 16'd0};
    wire [15:0] next;

    genvar g;
    generate
        for (g = 0; g < 16; g = g + 1) begin : crc_bit
            localparam [31:0] TAPS = taps(16'd1 << g);
            assign next[g] = ^(sum & TAPS);
        end
    endgenerate
    assign crc_next = next & {16{due}};

    always @(posedge clk)
        if (clear)
            crc <= INITIAL;
        else if (step)
            crc <= next;

    // ---- measuring
    wire probe_busy = due || (step && !clear);
endmodule
`default_nettype wire
