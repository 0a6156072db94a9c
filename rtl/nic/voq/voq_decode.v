// Decodes a word of a body read from external memory: its kind, and is it damaged? The code: `voq_encode`.
//
// For certain:  one wrong bit anywhere. In the kind it is corrected (`fixed`); elsewhere it is detected (damaged).
//               Two or three wrong bits next to each other in the data, any odd number of wrong bits in one third of
//               them, a good word of an address whose parity differs (one address line), a word of zeros.
// Not found:    an even number of wrong bits in each of the three thirds of the data; two or more wrong bits of the
//               kind, which make another kind of it (the departure finds most of those, since the word is then out of
//               place); a lost write, if the old word at that address is good.
//
// Combinational: three levels of four-input LUTs, one more for the parity. Nothing is evaluated without a word.
`default_nettype none
module voq_decode (
    input  wire        valid,        // else the word is no header, no last word, no ABORT, not damaged or corrected
    input  wire [71:0] raw,          // [71:64] tag byte
    input  wire        odd_address,  // parity of the address that was read
    output wire [67:0] word,         // [67] damaged; [66] ABORT, [65] last, [64] header: one or none; [63:0] data
    output reg         fixed         // its kind had a wrong bit
);
    localparam [63:0] THIRD = 64'h9249_2492_4924_9249;

    // Each of the two bits of a kind is in the code three times: twice itself, once joined with the other bit. So the
    // votes of one bit need four bits of the code, and a wrong one has one vote.
    wire [4:0] code = raw[68:64];
    reg        by4_0, by4_1, first, second, bad;
    reg  [2:0] parity;

    always @* begin
        {by4_0, by4_1, first, second, bad, fixed} = 6'd0;
        parity = 3'd0;
        if (valid) begin
            by4_0  = code[4] ^ code[1];
            by4_1  = code[4] ^ code[0];
            first  = (code[0] && code[2]) || (by4_0 && (code[0] || code[2]));
            second = (code[1] && code[3]) || (by4_1 && (code[1] || code[3]));
            fixed  = (code[0] ^ code[2]) || (code[1] ^ code[3]) || (code[0] ^ code[1] ^ code[4]);
            parity = {^(raw[63:0] & (THIRD << 2)), ^(raw[63:0] & (THIRD << 1)), ^{raw[63:0] & THIRD, odd_address}};
            bad    = (parity != ~raw[71:69]);
        end
    end

    assign word = {bad, first && second, second && !first, first && !second, raw[63:0]};
endmodule
`default_nettype wire
