// One of up to four words, by its number. Combinational.
//
// Two four-input LUTs per bit, which synthesis does not find by itself: the first chooses between words 0 and 1, or
// says which of the upper two the second takes.
`default_nettype none
module one_of_four #(
    // bits of a word, >= 1
    parameter WIDTH = 8,
    // words, 2..4; with a number beyond them the output means nothing
    parameter WORDS = 4
) (
    input  wire [WIDTH*WORDS-1:0] words,    // word w in [WIDTH*w +: WIDTH]
    input  wire [1:0]             number,
    output wire [WIDTH-1:0]       word
);
    initial
        if (WIDTH < 1 || WORDS < 2 || WORDS > 4) begin
            $display("%m: WIDTH must be at least 1, is %0d; WORDS 2..4, is %0d", WIDTH, WORDS);
            $finish;
        end

    wire [WIDTH-1:0] lower = number[0] ? words[WIDTH +: WIDTH] : words[0 +: WIDTH];

    generate
        if (WORDS == 2) begin : one_of_two
            wire unused = number[1];
            assign word = lower;
        end else begin : more
            wire [WIDTH-1:0] hint  = number[1] ? {WIDTH{number[0]}} : lower;
            wire [WIDTH-1:0] third = words[2*WIDTH +: WIDTH];
            wire [WIDTH-1:0] last  = words[(WORDS-1)*WIDTH +: WIDTH];
            assign word = number[1] ? ((hint & last) | (~hint & third)) : hint;
        end
    endgenerate
endmodule
`default_nettype wire
