// Frames on their way from a MAC that cannot be stopped: a ring of words in block memory, in which a frame is kept
// whole or not at all.
//
// Words arrive with wr_valid. With the last one of a frame `wr_keep` says whether the frame stays; it stays if it also
// had space all the way (`wr_fits`). Otherwise the next frame overwrites it. `wr_start` is the frame's first word,
// `wr_next` the word behind its last. Any word may be read; the next clock shows it and it stays until the next rd_en.
// Space is freed by moving the ring's end to `free_to`, the wr_next of a finished frame; frames are freed in order.
`default_nettype none
module roce_rx_ring #(
    // bytes per word, 8 or 64
    parameter BYTES = 8,
    // log2 of the words, 4..14; one of them is never used
    parameter LOG2_WORDS = 12
) (
    input  wire                  clk,
    input  wire                  rst,
    // frames
    input  wire                  wr_valid,
    input  wire                  wr_last,
    input  wire                  wr_keep,      // with wr_last: the frame stays
    input  wire [8*BYTES-1:0]    wr_data,
    output wire                  wr_fits,      // this word and those before it in its frame have space
    output wire [LOG2_WORDS-1:0] wr_start,
    output wire [LOG2_WORDS-1:0] wr_next,
    // words
    input  wire                  rd_en,
    input  wire [LOG2_WORDS-1:0] rd_addr,
    output reg  [8*BYTES-1:0]    rd_data,
    // finished frames
    input  wire                  free_valid,
    input  wire [LOG2_WORDS-1:0] free_to
);
    localparam [LOG2_WORDS-1:0] ONE = {{LOG2_WORDS-1{1'b0}}, 1'b1};

    initial
        if (LOG2_WORDS < 4 || LOG2_WORDS > 14) begin
            $display("%m: LOG2_WORDS must be 4..14, is %0d", LOG2_WORDS);
            $finish;
        end

    (* ram_style = "block" *) reg [8*BYTES-1:0] words [0:(1 << LOG2_WORDS)-1];
    reg [LOG2_WORDS-1:0] oldest;    // first word of the oldest frame
    reg [LOG2_WORDS-1:0] start;     // of the arriving frame
    reg [LOG2_WORDS-1:0] next;      // its next word
    reg                  lost;      // a word of it had no space

    assign wr_next  = next + ONE;
    assign wr_start = start;
    assign wr_fits  = !lost && wr_next != oldest;

    always @(posedge clk) begin
        if (wr_valid && wr_fits) words[next] <= wr_data;
        if (rd_en) rd_data <= words[rd_addr];
    end

    always @(posedge clk)
        if (rst) begin
            oldest <= {LOG2_WORDS{1'b0}};
            start  <= {LOG2_WORDS{1'b0}};
            next   <= {LOG2_WORDS{1'b0}};
            lost   <= 1'b0;
        end else begin
            if (free_valid) oldest <= free_to;
            if (wr_valid && wr_last) begin
                lost  <= 1'b0;
                next  <= wr_keep && wr_fits ? wr_next : start;
                start <= wr_keep && wr_fits ? wr_next : start;
            end else if (wr_valid) begin
                lost <= !wr_fits;
                if (wr_fits) next <= wr_next;
            end
        end

    // ---- measuring
    wire                  probe_busy       = wr_valid || oldest != next;
    wire                  probe_stall_full = wr_valid && !wr_fits;
    wire [LOG2_WORDS-1:0] probe_level      = next - oldest;
endmodule
`default_nettype wire
