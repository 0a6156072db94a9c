// The tag byte stored in external memory with a word of a body, to detect damage when it is read (`voq_decode`).
//
//     tag [4:0]   kind of the word: data, last word, header or ABORT, in a code of distance 3: any one bit of it may be
//                 wrong
//         [7:5]   odd parity of the data bits j with j mod 3 = 0, 1, 2; that of the word's address goes into [5]
//
//     kind       code [4:0]        Bit 0, 2: header or ABORT; 1, 3: last word or ABORT; 4: one of the two, not both.
//     data       00000
//     last       11010
//     header     10101
//     ABORT      01111
//
// What is detected: see `voq_decode`. Combinational: three levels of four-input LUTs.
`default_nettype none
module voq_encode (
    input  wire [66:0] word,         // [66] ABORT, [65] last word, [64] header: one of them or none; [63:0] data
    input  wire        odd_address,  // parity of the address
    output wire [7:0]  tag
);
    // bits j of the data with j mod 3 = 0
    localparam [63:0] THIRD = 64'h9249_2492_4924_9249;

    wire first  = word[64] || word[66];
    wire second = word[65] || word[66];

    assign tag = {~^(word[63:0] & (THIRD << 2)), ~^(word[63:0] & (THIRD << 1)), ~^{word[63:0] & THIRD, odd_address},
                  first ^ second, second, first, second, first};
endmodule
`default_nettype wire
