// FIFO in one clock domain, show-ahead. For short queues (LUT memory: the read is not registered).
//
// Holds 2**LOG2_DEPTH words, one word per clock in and out; a word written shows in the next clock. Writing into a full
// FIFO loses the word and raises `overflow` for a clock; popping an empty one does nothing and raises `underflow`.
`default_nettype none
module fifo_sync #(
    // bits per word, >= 1
    parameter WIDTH = 8,
    // log2 of the words, 1..8
    parameter LOG2_DEPTH = 4
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                wr_valid,
    input  wire [WIDTH-1:0]    wr_data,
    output wire                full,
    output wire [WIDTH-1:0]    rd_data,    // the oldest word, while rd_valid
    output wire                rd_valid,
    input  wire                rd_pop,     // rd_data is taken
    output reg  [LOG2_DEPTH:0] count,      // words in it
    output reg                 overflow,   // one clock: a word is lost
    output reg                 underflow   // one clock: popped while empty
);
    localparam [LOG2_DEPTH:0]   ONE  = {{LOG2_DEPTH{1'b0}}, 1'b1};
    localparam [LOG2_DEPTH-1:0] STEP = ONE[LOG2_DEPTH-1:0];

    initial
        if (LOG2_DEPTH < 1 || LOG2_DEPTH > 8) begin
            $display("%m: LOG2_DEPTH must be 1..8, is %0d", LOG2_DEPTH);
            $finish;
        end

    (* ram_style = "distributed" *) reg [WIDTH-1:0] memory [0:(1 << LOG2_DEPTH)-1];
    reg [LOG2_DEPTH-1:0] wr_pointer;
    reg [LOG2_DEPTH-1:0] rd_pointer;

    wire accept = wr_valid && !full;
    wire take   = rd_pop && rd_valid;

    assign full     = count[LOG2_DEPTH];
    assign rd_valid = (count != {LOG2_DEPTH+1{1'b0}});
    assign rd_data  = memory[rd_pointer];

    always @(posedge clk)
        if (accept)
            memory[wr_pointer] <= wr_data;

    always @(posedge clk)
        if (rst) begin
            wr_pointer <= {LOG2_DEPTH{1'b0}};
            rd_pointer <= {LOG2_DEPTH{1'b0}};
            count      <= {LOG2_DEPTH+1{1'b0}};
            overflow   <= 1'b0;
            underflow  <= 1'b0;
        end else begin
            if (accept) wr_pointer <= wr_pointer + STEP;
            if (take)   rd_pointer <= rd_pointer + STEP;
            if (accept && !take) count <= count + ONE;
            if (take && !accept) count <= count - ONE;
            overflow  <= wr_valid && full;
            underflow <= rd_pop && !rd_valid;
        end

    // ---- measuring
    wire                probe_busy       = rd_valid;
    wire                probe_stall_full = full;
    wire [LOG2_DEPTH:0] probe_level      = count;
endmodule
`default_nettype wire
