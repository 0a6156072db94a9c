// Body CRC by tables: an alternative to crc32_word64 (contract: there) with fewer LUTs, and block RAMs instead.
//
// The CRC is linear: each byte of the sum of word and old CRC contributes a term, read from a table of 256 words. Each
// of four block RAMs holds the tables of two bytes and reads both in the clock of the step; their outputs are added.
// The CRC is valid from the next clock on, as in crc32_word64, but behind a block RAM's access and an XOR of eight: 160
// LUTs and 4 block RAMs, where crc32_word64 takes 332 LUTs.
`default_nettype none
module crc32_word64_table (
    input  wire        clk,
    input  wire        rst,
    input  wire        first,   // with step: a new CRC begins with this word
    input  wire        step,    // data is taken
    input  wire [63:0] data,
    output wire [31:0] crc      // over all that was taken, from the clock after it on
);
    localparam [31:0] INITIAL    = 32'hFFFF_FFFF;
    localparam [31:0] POLYNOMIAL = 32'h04C1_1DB7;

    // contribution of each bit of a byte, bit 0 first, with this many bytes of zeros behind the byte
    function [255:0] parts;
        input [31:0] zeros;
        reg   [31:0] part;
        integer      k;
        begin
            part = POLYNOMIAL;
            for (k = 0; k < 8 + 8 * zeros; k = k + 1) begin
                parts = {part, parts[255:32]};
                part  = {part[30:0], 1'b0} ^ (POLYNOMIAL & {32{part[31]}});
            end
        end
    endfunction

    reg         fresh;         // no step since reset
    wire [63:0] sum = data ^ {(first || fresh) ? INITIAL : crc, 32'd0};
    wire [31:0] pair [0:3];

    always @(posedge clk)
        if (rst)       fresh <= 1'b1;
        else if (step) fresh <= 1'b0;

    genvar g;
    generate
        for (g = 0; g < 4; g = g + 1) begin : bytes
            (* ram_style = "block" *) reg [31:0] table_of [0:511];   // of byte 2g, then of byte 2g + 1
            reg [31:0] low, high;
            localparam [255:0] LOW = parts(2 * g), HIGH = parts(2 * g + 1);
            integer    n;
            initial
                for (n = 0; n < 256; n = n + 1) begin
                    table_of[n]       = {32{n[0]}} & LOW[31:0]    ^ {32{n[1]}} & LOW[63:32]
                                      ^ {32{n[2]}} & LOW[95:64]   ^ {32{n[3]}} & LOW[127:96]
                                      ^ {32{n[4]}} & LOW[159:128] ^ {32{n[5]}} & LOW[191:160]
                                      ^ {32{n[6]}} & LOW[223:192] ^ {32{n[7]}} & LOW[255:224];
                    table_of[256 + n] = {32{n[0]}} & HIGH[31:0]    ^ {32{n[1]}} & HIGH[63:32]
                                      ^ {32{n[2]}} & HIGH[95:64]   ^ {32{n[3]}} & HIGH[127:96]
                                      ^ {32{n[4]}} & HIGH[159:128] ^ {32{n[5]}} & HIGH[191:160]
                                      ^ {32{n[6]}} & HIGH[223:192] ^ {32{n[7]}} & HIGH[255:224];
                end
            always @(posedge clk)
                if (step) low <= table_of[{1'b0, sum[16*g +: 8]}];
            always @(posedge clk)
                if (step) high <= table_of[{1'b1, sum[16*g + 8 +: 8]}];
            assign pair[g] = low ^ high;
        end
    endgenerate

    assign crc = fresh ? INITIAL : pair[0] ^ pair[1] ^ pair[2] ^ pair[3];

    // ---- measuring
    wire probe_busy = step;
endmodule
`default_nettype wire
