// FIFO between two clock domains, show-ahead, on demand with commit: the writer's words become visible to the reader
// only when committed.
//
// One block memory of 2**LOG2_DEPTH words with a registered read; it holds 2**LOG2_DEPTH - 1 words (S1 3.1.1: the
// pointers leave one place unused). Both sides run at one word per clock.
//
//   * Writer: `wr_valid` stores a word. `wr_commit` makes everything written so far (the word of this clock included)
//     visible, `wr_rollback` discards what is not committed (a word of this clock too); rollback wins over commit.
//     With COMMIT = 0 each word is visible at once. `wr_count` = words written (committed or not) that the reader is
//     not yet known to have taken: never too low, so it may be used to reserve space.
//   * Reader: `rd_data` is the next word while `rd_valid`; `rd_pop` takes it. `rd_count` = words known to be available
//     (the one shown included): never too high.
//
// Visible words appear one per writer clock: a reader that pops no faster than that finds the words of a committed
// packet without a gap.
//
// Latency: a word committed at a write edge shows after 1 write clock + 3 to 4 read clocks. Writing into a full FIFO
// loses the word and raises `wr_overflow` for a clock; popping an empty one does nothing and raises `rd_underflow`.
`default_nettype none
module fifo_async #(
    // bits per word, >= 1
    parameter WIDTH = 68,
    // log2 of the memory's words, 2..16
    parameter LOG2_DEPTH = 10,
    // 0: each word is visible at once; wr_commit and wr_rollback are ignored
    parameter COMMIT = 1
) (
    // writer
    input  wire                  wr_clk,
    input  wire                  wr_rst,
    input  wire                  wr_valid,
    input  wire [WIDTH-1:0]      wr_data,
    input  wire                  wr_commit,     // all words written, this clock's included, become visible
    input  wire                  wr_rollback,   // uncommitted words are discarded; wins over wr_commit
    output wire [LOG2_DEPTH:0]   wr_count,      // words in it, committed or not; never too low
    output wire                  wr_full,
    output reg                   wr_overflow,   // one clock: a word is lost
    // reader
    input  wire                  rd_clk,
    input  wire                  rd_run_clk,    // gated (clock_gate): may stop while the reader idles, rd_wake low
    output wire                  rd_wake,       // words are in the FIFO, or on their way into rd_data
    input  wire                  rd_rst,
    output reg  [WIDTH-1:0]      rd_data,       // the next word, while rd_valid
    output reg                   rd_valid,
    input  wire                  rd_pop,        // rd_data is taken
    output wire [LOG2_DEPTH:0]   rd_count,      // words available, rd_data included; never too high
    output reg                   rd_underflow   // one clock: popped while empty
);
    localparam [LOG2_DEPTH:0] ONE      = {{LOG2_DEPTH{1'b0}}, 1'b1};
    localparam [LOG2_DEPTH:0] CAPACITY = {1'b0, {LOG2_DEPTH{1'b1}}};

    initial
        if (LOG2_DEPTH < 2 || LOG2_DEPTH > 16) begin
            $display("%m: LOG2_DEPTH must be 2..16, is %0d", LOG2_DEPTH);
            $finish;
        end

    reg [WIDTH-1:0] memory [0:(1 << LOG2_DEPTH)-1];

    // Pointers are one bit wider than an address; differences are word counts.
    reg  [LOG2_DEPTH:0] wr_pointer;      // next word to write
    reg  [LOG2_DEPTH:0] wr_gray;         // the first word not visible to the reader, in Gray code
    reg  [LOG2_DEPTH:0] rd_pointer;      // next word to pop
    reg  [LOG2_DEPTH:0] rd_gray;
    wire [LOG2_DEPTH:0] wr_gray_at_rd;
    wire [LOG2_DEPTH:0] rd_gray_at_wr;
    wire [LOG2_DEPTH:0] wr_at_rd;
    wire [LOG2_DEPTH:0] rd_at_wr;

    wire                wr_accept       = wr_valid && !wr_full;
    wire [LOG2_DEPTH:0] wr_pointer_more = wr_pointer + ONE;

    assign wr_count = wr_pointer - rd_at_wr;
    assign wr_full  = (wr_count >= CAPACITY);

    always @(posedge wr_clk)
        if (wr_accept)
            memory[wr_pointer[LOG2_DEPTH-1:0]] <= wr_data;

    always @(posedge wr_clk)
        if (wr_rst) wr_overflow <= 1'b0;
        else        wr_overflow <= wr_valid && wr_full;

    generate
        if (COMMIT == 0) begin : at_once
            always @(posedge wr_clk)
                if (wr_rst) begin
                    wr_pointer <= {LOG2_DEPTH+1{1'b0}};
                    wr_gray    <= {LOG2_DEPTH+1{1'b0}};
                end else if (wr_accept) begin
                    wr_pointer <= wr_pointer_more;
                    wr_gray    <= wr_pointer_more ^ (wr_pointer_more >> 1);
                end
            wire unused = &{1'b0, wr_commit, wr_rollback};
        end else begin : by_commit
            reg  [LOG2_DEPTH:0] wr_committed;    // first word not visible to the reader, soon
            wire [LOG2_DEPTH:0] wr_pointer_next   = wr_accept ? wr_pointer_more : wr_pointer;
            wire [LOG2_DEPTH:0] wr_committed_next = (wr_commit && !wr_rollback) ? wr_pointer_next : wr_committed;

            // A commit moves the committed pointer by many words in one step, which would change many bits of a Gray
            // code at once. So the visible pointer follows the committed one by one word per clock, which is as fast as
            // the reader can pop.
            reg  [LOG2_DEPTH:0] wr_visible;
            wire [LOG2_DEPTH:0] wr_visible_next = wr_visible + ONE;

            always @(posedge wr_clk)
                if (wr_rst) begin
                    wr_pointer   <= {LOG2_DEPTH+1{1'b0}};
                    wr_committed <= {LOG2_DEPTH+1{1'b0}};
                    wr_visible   <= {LOG2_DEPTH+1{1'b0}};
                    wr_gray      <= {LOG2_DEPTH+1{1'b0}};
                end else begin
                    wr_pointer   <= wr_rollback ? wr_committed : wr_pointer_next;
                    wr_committed <= wr_committed_next;
                    if (wr_visible != wr_committed_next) begin
                        wr_visible <= wr_visible_next;
                        wr_gray    <= wr_visible_next ^ (wr_visible_next >> 1);
                    end
                end
        end
    endgenerate

    sync_bit #(.WIDTH(LOG2_DEPTH + 1)) to_reader (.clk (rd_clk), .rst (rd_rst), .in (wr_gray), .out (wr_gray_at_rd));
    sync_bit #(.WIDTH(LOG2_DEPTH + 1)) to_writer (.clk (wr_clk), .rst (wr_rst), .in (rd_gray), .out (rd_gray_at_wr));
    gray_to_binary #(.WIDTH(LOG2_DEPTH + 1)) wr_binary (.gray (wr_gray_at_rd), .binary (wr_at_rd));
    gray_to_binary #(.WIDTH(LOG2_DEPTH + 1)) rd_binary (.gray (rd_gray_at_wr), .binary (rd_at_wr));

    assign rd_wake = (wr_gray_at_rd != rd_gray);

    wire rd_take = rd_pop && rd_valid;
    wire [LOG2_DEPTH:0] rd_pointer_next = rd_pointer + {{LOG2_DEPTH{1'b0}}, rd_take};
    wire [LOG2_DEPTH:0] rd_gray_next    = rd_pointer_next ^ (rd_pointer_next >> 1);

    assign rd_count = wr_at_rd - rd_pointer;

    always @(posedge rd_run_clk)
        rd_data <= memory[rd_pointer_next[LOG2_DEPTH-1:0]];

    always @(posedge rd_run_clk)
        if (rd_rst) begin
            rd_pointer   <= {LOG2_DEPTH+1{1'b0}};
            rd_gray      <= {LOG2_DEPTH+1{1'b0}};
            rd_valid     <= 1'b0;
            rd_underflow <= 1'b0;
        end else begin
            rd_pointer   <= rd_pointer_next;
            rd_gray      <= rd_gray_next;
            rd_valid     <= (rd_gray_next != wr_gray_at_rd);
            rd_underflow <= rd_pop && !rd_valid;
        end

    // ---- measuring, each side by its own clock
    wire                wr_probe_busy        = wr_valid;
    wire                wr_probe_stall_full  = wr_full;
    wire [LOG2_DEPTH:0] wr_probe_level       = wr_count;
    wire                rd_probe_busy        = rd_valid;
    wire                rd_probe_stall_taker = rd_valid && !rd_pop;
    wire [LOG2_DEPTH:0] rd_probe_level       = rd_count;
endmodule
`default_nettype wire
