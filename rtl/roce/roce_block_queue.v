// A long queue between two valid/ready interfaces, in order, in block memory; roce_queue is the short one in LUTs.
//
// It takes and delivers one word in each clock. A word put in shows two clocks later at the earliest. It holds
// 2**LOG2_DEPTH words and the one that shows; `in_ready` is low while it is full, whatever is taken out. So it can
// neither overflow nor underflow.
`default_nettype none
module roce_block_queue #(
    // bits per word, >= 1
    parameter WIDTH = 72,
    // log2 of the words, 4..12
    parameter LOG2_DEPTH = 9
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             in_valid,
    output wire             in_ready,
    input  wire [WIDTH-1:0] in_data,
    output reg              out_valid,
    input  wire             out_ready,
    output reg  [WIDTH-1:0] out_data
);
    localparam [LOG2_DEPTH:0] ONE = {{LOG2_DEPTH{1'b0}}, 1'b1};

    initial
        if (LOG2_DEPTH < 4 || LOG2_DEPTH > 12) begin
            $display("%m: LOG2_DEPTH must be 4..12, is %0d", LOG2_DEPTH);
            $finish;
        end

    (* ram_style = "block" *) reg [WIDTH-1:0] words [0:(1 << LOG2_DEPTH)-1];
    reg  [LOG2_DEPTH:0] written, fetched;       // words so far; the oldest one that waits is at `fetched`
    wire [LOG2_DEPTH:0] level = written - fetched;
    wire                put   = in_valid && in_ready;
    wire                fetch = level != {LOG2_DEPTH+1{1'b0}} && (!out_valid || out_ready);

    assign in_ready = !level[LOG2_DEPTH];

    // A word is never fetched in the clock in which it is written.
    always @(posedge clk) begin
        if (put) words[written[LOG2_DEPTH-1:0]] <= in_data;
        if (fetch) out_data <= words[fetched[LOG2_DEPTH-1:0]];
    end
    always @(posedge clk)
        if (rst) begin
            written   <= {LOG2_DEPTH+1{1'b0}};
            fetched   <= {LOG2_DEPTH+1{1'b0}};
            out_valid <= 1'b0;
        end else begin
            if (put) written <= written + ONE;
            if (fetch) fetched <= fetched + ONE;
            out_valid <= fetch || (out_valid && !out_ready);
        end

    // ---- measuring
    wire                probe_busy       = out_valid;
    wire                probe_stall_full = in_valid && !in_ready;
    wire [LOG2_DEPTH:0] probe_level      = level;
endmodule
`default_nettype wire
