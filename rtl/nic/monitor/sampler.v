// Sampling facility (S1 3.1.4.2, S4 4.3): at a fixed interval the numbers of words sent and received so far are written
// into a memory of 2048 samples. PCI clock.
//
//     start     a write of `count` arms it: sums, `taken` and the clock of the interval are 0. The first clock with
//               `dma` is the first one that is sampled; 0 stops, and so does the last sample
//     sample    its sums count all clocks up to the end of its interval; they are not cleared between two samples, so
//               the difference of two samples is the traffic between them
//     wrap      sample k is at address k modulo 2048: with a larger count the last 2048 are kept. The sums are modulo
//               2^32
//     reading   a write of the index shows that sample 2 clocks later, as it is then; at any time, also while it runs.
//               With several links its sums are those of the chosen links, a clock later
//
// Two columns are 64 bits and 8 block RAMs, two for each link by packet; the last one, clocks without credit (STALLED),
// makes it 32 bits more, which are 3 or 4.
`default_nettype none
module sampler #(
    // 1: with the column of clocks without credit; 0: without, it reads 0
    parameter STALLED = 1,
    // links by packet, each with two columns of its own, 1..4
    parameter LINKS = 1
) (
    input  wire        clk,          // gated while `busy` is low (clock_gate)
    input  wire        rst,
    output wire        busy,         // clocks are being sampled

    // sampled signals
    input  wire        dma,          // level: a DMA transfer is in progress
    input  wire [LINKS-1:0] word_out,
    input  wire [LINKS-1:0] word_in,
    input  wire        stalled,      // level: packets wait, and none has credit

    // set-up
    input  wire [31:0] interval,     // [clocks]; 0 counts as 1
    input  wire        wr_count,     // `wr_data` is the number of samples to take
    input  wire        wr_index,     // `wr_data` is the sample that is shown: [19:16] the links in sum, 0 all
    input  wire [31:0] wr_data,

    // shown sample
    output reg  [31:0] left,         // samples to take
    output reg  [31:0] taken,        // samples taken since the start
    output reg  [10:0] index,
    output wire [LINKS-1:0] links,   // shown in sum
    output wire [31:0] shown_out,    // of sample `index`
    output wire [31:0] shown_in,
    output wire [31:0] shown_stalled
);
    localparam SUMS = 64 * LINKS;                // {in, out} of each link
    localparam BITS = SUMS + ((STALLED != 0) ? 32 : 0);

    initial
        if ((STALLED != 0 && STALLED != 1) || LINKS < 1 || LINKS > 4) begin
            $display("%m: STALLED must be 0 or 1, is %0d; LINKS 1..4, is %0d", STALLED, LINKS);
            $finish;
        end

    reg         armed, running, show;
    reg  [31:0] clocks;              // of this interval
    reg  [SUMS-1:0] sums;
    reg  [31:0] without;
    wire        samples  = running || (armed && dma);
    wire        ends     = samples && (clocks + 32'd1 >= interval);
    wire [SUMS-1:0] sums_next;
    wire [31:0] without_next = without + {31'd0, stalled};
    wire [SUMS+31:0] sample  = {without_next, sums_next};
    genvar l;

    generate
        for (l = 0; l < LINKS; l = l + 1) begin : next
            assign sums_next[64*l +: 64] = {sums[64*l + 32 +: 32] + {31'd0, word_in[l]},
                                            sums[64*l +: 32] + {31'd0, word_out[l]}};
        end
    endgenerate

    assign busy = running;

    always @(posedge clk)
        if (rst) begin
            armed   <= 1'b0;
            running <= 1'b0;
            left    <= 32'd0;
            taken   <= 32'd0;
            clocks  <= 32'd0;
            sums    <= {SUMS{1'b0}};
            without <= 32'd0;
        end else if (wr_count) begin
            armed   <= (wr_data != 32'd0);
            running <= 1'b0;
            left    <= wr_data;
            taken   <= (wr_data != 32'd0) ? 32'd0 : taken;
            clocks  <= 32'd0;
            sums    <= {SUMS{1'b0}};
            without <= 32'd0;
        end else if (samples) begin
            armed   <= 1'b0;
            running <= !ends || (left != 32'd1);
            clocks  <= ends ? 32'd0 : clocks + 32'd1;
            sums    <= sums_next;
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

    generate
        if (LINKS > 1) begin : in_sum
            reg  [LINKS-1:0] chosen;
            reg  [63:0]      sum, kept;
            wire [LINKS-1:0] all = {LINKS{chosen == {LINKS{1'b0}}}};
            integer          i;

            always @* begin
                sum = 64'd0;
                for (i = 0; i < LINKS; i = i + 1)
                    if (chosen[i] || all[i])
                        sum = {sum[63:32] + shown[64*i + 32 +: 32], sum[31:0] + shown[64*i +: 32]};
            end

            always @(posedge clk) begin
                kept <= sum;
                if (rst)           chosen <= {LINKS{1'b0}};
                else if (wr_index) chosen <= wr_data[16 +: LINKS];
            end

            assign links                  = chosen;
            assign {shown_in, shown_out}  = kept;
        end else begin : of_one
            assign links                  = 1'b0;
            assign {shown_in, shown_out}  = shown[63:0];
        end

        if (STALLED != 0) begin : last
            assign shown_stalled = shown[SUMS +: 32];
        end else begin : no_last
            assign shown_stalled = 32'd0;
            wire   unused = &{1'b0, sample[SUMS +: 32]};
        end
    endgenerate

    // ---- measuring
    wire probe_busy  = samples;
    wire probe_stall = 1'b0;
    wire probe_start = ends;
    wire probe_done  = ends;
endmodule
`default_nettype wire
