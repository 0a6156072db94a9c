// FIFO between two clocks that takes and delivers up to two words per clock: two fifo_async, written and read
// alternately, so the order of the words is kept. For the network FIFOs of four links by byte.
//
// Holds 2**LOG2_DEPTH - 2 words. Word 0 of a port is the older one, in the low bits; word 1 is valid only together with
// it. A reader that takes one word at a time uses word 0 alone.
//
// Everything else is as in fifo_async: latency, overflow, underflow, counts that err on the safe side. `rd_count`
// counts words that follow each other without a gap.
`default_nettype none
module fifo_async_pair #(
    // bits per word, >= 1
    parameter WIDTH = 68,
    // log2 of the words of both, 3..16
    parameter LOG2_DEPTH = 10
) (
    // writer
    input  wire                  wr_clk,
    input  wire                  wr_rst,
    input  wire [1:0]            wr_valid,      // 00, 01 or 11
    input  wire [2*WIDTH-1:0]    wr_data,
    output wire [LOG2_DEPTH:0]   wr_count,      // words in it; never too low
    output wire                  wr_full,       // it cannot take two words
    output wire                  wr_overflow,   // one clock: a word is lost
    // reader
    input  wire                  rd_clk,
    input  wire                  rd_run_clk,    // gated (clock_gate): may stop while the reader idles, rd_wake low
    output wire                  rd_wake,       // words are in the FIFO, or on their way into rd_data
    input  wire                  rd_rst,
    output wire [2*WIDTH-1:0]    rd_data,       // the next words, while rd_valid
    output wire [1:0]            rd_valid,      // 00, 01 or 11
    input  wire [1:0]            rd_pop,        // 00, 01 or 11: these are taken
    output wire [LOG2_DEPTH:0]   rd_count,      // words available, rd_data included; never too high
    output wire                  rd_underflow   // one clock: popped while empty
);
    initial
        if (LOG2_DEPTH < 3 || LOG2_DEPTH > 16) begin
            $display("%m: LOG2_DEPTH must be 3..16, is %0d", LOG2_DEPTH);
            $finish;
        end

    reg wr_odd;      // the next word goes into the second FIFO
    reg rd_odd;      // the next word comes from the second one

    always @(posedge wr_clk)
        if (wr_rst) wr_odd <= 1'b0;
        else        wr_odd <= wr_odd ^ wr_valid[0] ^ wr_valid[1];

    always @(posedge rd_run_clk)
        if (rd_rst) rd_odd <= 1'b0;
        else        rd_odd <= rd_odd ^ rd_pop[0] ^ rd_pop[1];

    wire [1:0]              put     = wr_odd ? {wr_valid[0], wr_valid[1]} : wr_valid;
    wire [1:0]              pop     = rd_odd ? {rd_pop[0], rd_pop[1]} : rd_pop;
    wire [1:0]              here, full, overflow, underflow, wake;
    wire [2*WIDTH-1:0]      data;
    wire [2*LOG2_DEPTH-1:0] wr_counts, rd_counts;

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : side
            fifo_async #(.WIDTH(WIDTH), .LOG2_DEPTH(LOG2_DEPTH - 1), .COMMIT(0)) fifo (
                .wr_clk (wr_clk), .wr_rst (wr_rst), .wr_valid (put[i]),
                .wr_data (wr_odd == i ? wr_data[0 +: WIDTH] : wr_data[WIDTH +: WIDTH]), .wr_commit (1'b0),
                .wr_rollback (1'b0), .wr_count (wr_counts[i*LOG2_DEPTH +: LOG2_DEPTH]), .wr_full (full[i]),
                .wr_overflow (overflow[i]), .rd_clk (rd_clk), .rd_run_clk (rd_run_clk), .rd_wake (wake[i]),
                .rd_rst (rd_rst), .rd_data (data[i*WIDTH +: WIDTH]), .rd_valid (here[i]), .rd_pop (pop[i]),
                .rd_count (rd_counts[i*LOG2_DEPTH +: LOG2_DEPTH]), .rd_underflow (underflow[i])
            );
        end
    endgenerate

    wire [LOG2_DEPTH-1:0] of_next  = rd_odd ? rd_counts[LOG2_DEPTH +: LOG2_DEPTH] : rd_counts[0 +: LOG2_DEPTH];
    wire [LOG2_DEPTH-1:0] of_other = rd_odd ? rd_counts[0 +: LOG2_DEPTH] : rd_counts[LOG2_DEPTH +: LOG2_DEPTH];
    wire                  odd_left = (of_next > of_other);

    assign wr_count     = {1'b0, wr_counts[0 +: LOG2_DEPTH]} + {1'b0, wr_counts[LOG2_DEPTH +: LOG2_DEPTH]};
    assign wr_full      = |full;
    assign wr_overflow  = |overflow;
    assign rd_wake      = |wake;
    assign rd_data      = rd_odd ? {data[0 +: WIDTH], data[WIDTH +: WIDTH]} : data;
    assign rd_valid     = rd_odd ? {&here, here[1]} : {&here, here[0]};
    assign rd_count     = odd_left ? {of_other, 1'b1} : {of_next, 1'b0};
    assign rd_underflow = |underflow;
endmodule
`default_nettype wire
