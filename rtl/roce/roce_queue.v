// A short queue between two valid/ready interfaces, in order, in LUT memory: fifo_sync with the ports of a stream.
//
// A word put in shows in the next clock. It holds 2**LOG2_DEPTH words, and takes and delivers one in each clock;
// `in_ready` is low while it is full, whatever is taken out. So it can neither overflow nor underflow.
`default_nettype none
module roce_queue #(
    // bits per word, >= 1
    parameter WIDTH = 8,
    // log2 of the words, 1..8
    parameter LOG2_DEPTH = 4
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             in_valid,
    output wire             in_ready,
    input  wire [WIDTH-1:0] in_data,
    output wire             out_valid,
    input  wire             out_ready,
    output wire [WIDTH-1:0] out_data
);
    wire                full, overflow, underflow;
    wire [LOG2_DEPTH:0] count;

    assign in_ready = !full;

    fifo_sync #(.WIDTH(WIDTH), .LOG2_DEPTH(LOG2_DEPTH)) words (
        .clk (clk), .rst (rst),
        .wr_valid (in_valid && !full), .wr_data (in_data), .full (full),
        .rd_data (out_data), .rd_valid (out_valid), .rd_pop (out_valid && out_ready),
        .count (count), .overflow (overflow), .underflow (underflow)
    );

    wire unused = &{1'b0, count, overflow, underflow};

    // ---- measuring
    wire probe_busy       = out_valid;
    wire probe_stall_full = in_valid && full;
endmodule
`default_nettype wire
