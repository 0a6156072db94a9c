// Buffer of a crosspoint: a memory with a port that an input writes and one that an output reads. It is a ring; the
// column keeps the write and read places (pm_column).
`default_nettype none
module pm_crosspoint #(
    parameter WIDTH = 72,                      // bits per word
    parameter WORDS = 64,                      // 2..8191
    // computed, not to be set
    parameter BITS  = $clog2(WORDS)
) (
    input  wire             clk,
    input  wire             write,
    input  wire [BITS-1:0]  write_place,
    input  wire [WIDTH-1:0] write_word,
    input  wire             fetch,
    input  wire [BITS-1:0]  fetch_place,       // of a word that was written in a clock before
    output reg  [WIDTH-1:0] word               // fetched in the clock before
);
    reg [WIDTH-1:0] memory [0:WORDS-1];

    always @(posedge clk) begin
        if (write) memory[write_place] <= write_word;
        if (fetch) word <= memory[fetch_place];
    end
endmodule
`default_nettype wire
