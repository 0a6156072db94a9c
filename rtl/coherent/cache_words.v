// Words of one way of a cache, with two ports that both read and write: one of the processor, one of the interconnect.
//
// A read gives the word as it was before the clock, one clock later. Never written at one port and read or written at
// the other in one clock is the same word, or what has been read is not used: coherent_cache says why. Without byte
// enables in the block RAMs of this family each byte is a memory of its own.
`default_nettype none
module cache_words #(
    // log2 of the words, >= 1
    parameter LOG2_DEPTH = 10,
    // bytes of a word, >= 1
    parameter BYTES = 8
) (
    input  wire                  clk,
    input  wire [LOG2_DEPTH-1:0] a_index,
    input  wire [BYTES-1:0]      a_write,
    input  wire [8*BYTES-1:0]    a_wdata,
    output wire [8*BYTES-1:0]    a_rdata,
    input  wire [LOG2_DEPTH-1:0] b_index,
    input  wire [BYTES-1:0]      b_write,
    input  wire [8*BYTES-1:0]    b_wdata,
    output wire [8*BYTES-1:0]    b_rdata
);
    genvar i;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : lane
            (* no_rw_check *) reg [7:0] memory [0:(1<<LOG2_DEPTH)-1];
            reg [7:0] a, b;
            always @(posedge clk) begin
                if (a_write[i]) memory[a_index] <= a_wdata[8*i +: 8];
                a <= memory[a_index];
            end
            always @(posedge clk) begin
                if (b_write[i]) memory[b_index] <= b_wdata[8*i +: 8];
                b <= memory[b_index];
            end
            assign a_rdata[8*i +: 8] = a;
            assign b_rdata[8*i +: 8] = b;
        end
    endgenerate
endmodule
`default_nettype wire
