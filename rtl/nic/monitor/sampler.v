// Sampling facility (S1 3.1.4.2, S4 4.3): at a fixed interval the numbers of words sent and received so far are written
// into a memory of 2048 samples. PCI clock.
//
//     start     a write of `count` arms it: sums, `taken` and the clock of the interval are 0. The first clock with
//               `dma` is the first one that is sampled; 0 stops, and so does the last sample
//     sample    its sums count all clocks up to the end of its interval; they are not cleared between two samples, so
//               the difference of two samples is the traffic between them
//     wrap      sample k is at address k modulo 2048: with a larger count the last 2048 are kept. The sums are modulo
//               2^32
//     reading   a write of the index shows that sample 2 clocks later, as it is then; at any time, also while it runs
//
// Two columns are 64 bits and 8 block RAMs; the third, clocks without credit (STALLED), makes it 96 bits and 11.
`default_nettype none
module sampler #(
    // 1: with the third column; 0: without, it reads 0
    parameter STALLED = 1
) (
    input  wire        clk,          // gated while `busy` is low (clock_gate)
    input  wire        rst,
    output wire        busy,         // clocks are being sampled

    // sampled signals
    input  wire        dma,          // level: a DMA transfer is in progress
    input  wire        word_out,
    input  wire        word_in,
    input  wire        stalled,      // level: packets wait, and none has credit

    // set-up
    input  wire [31:0] interval,     // [clocks]; 0 counts as 1
    input  wire        wr_count,     // `wr_data` is the number of samples to take
    input  wire        wr_index,     // `wr_data` is the sample that is shown
    input  wire [31:0] wr_data,

    // shown sample
    output reg  [31:0] left,         // samples to take
    output reg  [31:0] taken,        // samples taken since the start
    output reg  [10:0] index,
    output wire [31:0] shown_out,    // of sample `index`
    output wire [31:0] shown_in,
    output wire [31:0] shown_stalled
);
    localparam BITS = (STALLED != 0) ? 96 : 64;

    initial
        if (STALLED != 0 && STALLED != 1) begin
            $display("%m: STALLED must be 0 or 1, is %0d", STALLED);
            $finish;
        end

    reg         armed, running, show;
    reg  [31:0] clocks;              // of this interval
    reg  [31:0] out, in, without;    // the sums
    wire        samples  = running || (armed && dma);
    wire        ends     = samples && (clocks + 32'd1 >= interval);
    wire [31:0] out_next = out + {31'd0, word_out};
    wire [31:0] in_next  = in + {31'd0, word_in};
    wire [31:0] without_next = without + {31'd0, stalled};
    wire [95:0] sample   = {without_next, in_next, out_next};

    assign busy = running;

    always @(posedge clk)
        if (rst) begin
            armed   <= 1'b0;
            running <= 1'b0;
            left    <= 32'd0;
            taken   <= 32'd0;
            clocks  <= 32'd0;
            out     <= 32'd0;
            in      <= 32'd0;
            without <= 32'd0;
        end else if (wr_count) begin
            armed   <= (wr_data != 32'd0);
            running <= 1'b0;
            left    <= wr_data;
            taken   <= (wr_data != 32'd0) ? 32'd0 : taken;
            clocks  <= 32'd0;
            out     <= 32'd0;
            in      <= 32'd0;
            without <= 32'd0;
        end else if (samples) begin
            armed   <= 1'b0;
            running <= !ends || (left != 32'd1);
            clocks  <= ends ? 32'd0 : clocks + 32'd1;
            out     <= out_next;
            in      <= in_next;
            without <= without_next;
            if (ends) begin
                left  <= left - 32'd1;
                taken <= taken + 32'd1;
            end
        end

    wire [BITS-1:0] shown;
    memory_async #(.WIDTH(BITS), .LOG2_DEPTH(11)) samples_taken (
        .wr_clk (clk), .wr_valid (ends), .wr_index (taken[10:0]), .wr_data (sample[BITS-1:0]),
        .rd_clk (clk), .rd_enable (show), .rd_index (index), .rd_data (shown)
    );

    always @(posedge clk)
        if (rst) begin
            show  <= 1'b0;
            index <= 11'd0;
        end else begin
            show <= wr_index;
            if (wr_index) index <= wr_data[10:0];
        end

    assign shown_out     = shown[31:0];
    assign shown_in      = shown[63:32];

    generate
        if (STALLED != 0) begin : third
            assign shown_stalled = shown[BITS-1:64];
        end else begin : no_third
            assign shown_stalled = 32'd0;
            wire   unused = &{1'b0, sample[95:64]};
        end
    endgenerate

    // ---- measuring
    wire probe_busy  = samples;
    wire probe_stall = 1'b0;
    wire probe_start = ends;
    wire probe_done  = ends;
endmodule
`default_nettype wire
