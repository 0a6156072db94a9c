// Buffer of a crosspoint: a ring of words, written by an input and read by an output. Room is the input's business (credit), and whether a
// word is there the output's: here both are only checked.
//
// A word may be fetched in the clock in which it comes, and stands in `word` in the next one.
`default_nettype none
module pm_crosspoint #(
    parameter WIDTH = 72,                      // bits per word
    parameter WORDS = 64                       // 2..8191
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             write,
    input  wire [WIDTH-1:0] write_word,
    input  wire             fetch,
    output reg  [WIDTH-1:0] word,              // fetched in the clock before
    output reg  [12:0]      level,             // words in it
    output wire             error              // written without room, or fetched without a word
);
    localparam BITS = $clog2(WORDS);
    localparam [31:0] LAST_PLACE = WORDS - 1;
    localparam [31:0] ALL = WORDS;

    reg [WIDTH-1:0] memory [0:WORDS-1];
    reg [BITS-1:0]  write_place;
    reg [BITS-1:0]  fetch_place;

    assign error = (write && !fetch && level == ALL[12:0]) || (fetch && !write && level == 13'd0);

    always @(posedge clk) begin
        if (write) memory[write_place] <= write_word;
        if (fetch) word <= (level == 13'd0) ? write_word : memory[fetch_place];
    end

    always @(posedge clk)
        if (rst) begin
            write_place <= {BITS{1'b0}};
            fetch_place <= {BITS{1'b0}};
            level       <= 13'd0;
        end else if (write || fetch) begin
            if (write) write_place <= (write_place == LAST_PLACE[BITS-1:0]) ? {BITS{1'b0}} : write_place + 1'b1;
            if (fetch) fetch_place <= (fetch_place == LAST_PLACE[BITS-1:0]) ? {BITS{1'b0}} : fetch_place + 1'b1;
            if (write && !fetch) level <= level + 13'd1;
            if (fetch && !write) level <= level - 13'd1;
        end
endmodule
`default_nettype wire
