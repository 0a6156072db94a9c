// One block memory between two clocks: written in the first, read in the second. For data that do not change while
// read.
//
// `rd_data` is the word at `rd_index` as it was in the last clock with `rd_enable`, one clock later. A word written in
// that clock reads as anything: the reader must know that the writer has stopped (by another cell), or accept it.
`default_nettype none
module memory_async #(
    // bits of a word, >= 1
    parameter WIDTH = 72,
    // log2 of the words, 2..14
    parameter LOG2_DEPTH = 11
) (
    input  wire                  wr_clk,
    input  wire                  wr_valid,
    input  wire [LOG2_DEPTH-1:0] wr_index,
    input  wire [WIDTH-1:0]      wr_data,
    input  wire                  rd_clk,
    input  wire                  rd_enable,
    input  wire [LOG2_DEPTH-1:0] rd_index,
    output reg  [WIDTH-1:0]      rd_data
);
    reg [WIDTH-1:0] memory [0:(1<<LOG2_DEPTH)-1];

    always @(posedge wr_clk)
        if (wr_valid) memory[wr_index] <= wr_data;

    always @(posedge rd_clk)
        if (rd_enable) rd_data <= memory[rd_index];
endmodule
`default_nettype wire
