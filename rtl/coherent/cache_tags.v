// Tags of one way of a cache: the processor and the snoops read, each at its own port; a line that has come is noted.
// A tag read in the clock in which it is written is not used.
`default_nettype none
module cache_tags #(
    // log2 of the sets, >= 1
    parameter LOG2_SETS = 8,
    // bits of a tag, >= 1
    parameter TAG_BITS = 15
) (
    input  wire                 clk,
    input  wire                 write,
    input  wire [LOG2_SETS-1:0] write_set,
    input  wire [TAG_BITS-1:0]  write_tag,
    input  wire [LOG2_SETS-1:0] a_set,
    output reg  [TAG_BITS-1:0]  a_tag,    // one clock later
    input  wire [LOG2_SETS-1:0] b_set,
    output reg  [TAG_BITS-1:0]  b_tag
);
    (* no_rw_check *) reg [TAG_BITS-1:0] memory [0:(1<<LOG2_SETS)-1];

    always @(posedge clk) begin
        if (write) memory[write_set] <= write_tag;
        a_tag <= memory[a_set];
        b_tag <= memory[b_set];
    end
endmodule
`default_nettype wire
