// Proof of fifo_async with two free clocks: in each step of time either may have an edge, both at once, or one none for
// ever. `bad` is never high, whatever is written, committed and taken back, and whenever words are taken. CLOCKS=free.
//
//   order      words come out in their order, each once, none that was taken back or not committed
//   counts     wr_count is never too low, rd_count never too high
//   no loss    neither side reports overflow or underflow, if it looks at wr_full and rd_valid
//   Gray       a pointer that crosses changes one bit at a time
//
// A word is its number. Assumed: both sides have an edge in reset before either leaves it, each at a time of its own.
`default_nettype none
module prove_fifo_async #(
    parameter LOG2_DEPTH = 2,
    parameter COMMIT = 0,
    // 1: one side leaves reset although the other one has not had an edge
    parameter ALONE = 0
) (
    input  wire wr_clk,
    input  wire rd_clk,
    input  wire any_start,
    input  wire any_write,
    input  wire any_commit,
    input  wire any_rollback,
    input  wire any_pop,
    output wire bad
);
    localparam L = LOG2_DEPTH;
    localparam [L:0] ONE = 1;

    reg        wr_seen, rd_seen, wr_go, rd_go;     // an edge in reset; out of reset
    initial    {wr_seen, rd_seen, wr_go, rd_go} = 4'd0;
    wire       both = wr_seen && (rd_seen || ALONE != 0);
    always @(posedge wr_clk) begin
        wr_seen <= 1'b1;
        wr_go   <= wr_go || (both && any_start);
    end
    always @(posedge rd_clk) begin
        rd_seen <= 1'b1;
        rd_go   <= rd_go || (wr_seen && rd_seen && any_start);
    end

    wire         full, overflow, valid, underflow, wake;
    wire [L:0]   wr_count, rd_count, data;
    reg  [L:0]   written, committed, popped;       // numbers of the next word, of the first one that may not come out
    wire         write = any_write && wr_go && !full;
    wire         pop   = any_pop && rd_go && valid;
    wire [L:0]   more  = written + {{L{1'b0}}, write};
    always @(posedge wr_clk)
        if (!wr_go) {written, committed} <= {2*L+2{1'b0}};
        else begin
            written <= COMMIT != 0 && any_rollback ? committed : more;
            if (COMMIT == 0 || (any_commit && !any_rollback)) committed <= more;
        end
    always @(posedge rd_clk)
        if (!rd_go) popped <= {L+1{1'b0}};
        else        popped <= popped + {{L{1'b0}}, pop};

    fifo_async #(.WIDTH(L + 1), .LOG2_DEPTH(L), .COMMIT(COMMIT)) fifo (
        .wr_clk (wr_clk), .wr_rst (!wr_go), .wr_valid (write), .wr_data (written), .wr_commit (any_commit && wr_go),
        .wr_rollback (any_rollback && wr_go), .wr_count (wr_count), .wr_full (full), .wr_overflow (overflow),
        .rd_clk (rd_clk), .rd_run_clk (rd_clk), .rd_wake (wake), .rd_rst (!rd_go), .rd_data (data), .rd_valid (valid),
        .rd_pop (pop), .rd_count (rd_count), .rd_underflow (underflow)
    );

    // ---- what crosses, a step of time ago; any edge makes a step
    (* hierconn *) wire [L:0] \fifo.wr_gray , \fifo.rd_gray ;
    (* gclk *) reg global;
    reg [L:0] wr_gray, rd_gray;
    reg       known;
    initial   known = 1'b0;
    always @(posedge global) begin
        wr_gray <= \fifo.wr_gray ;
        rd_gray <= \fifo.rd_gray ;
        known   <= wr_go && rd_go;
    end
    wire [L:0] wr_changes = wr_gray ^ \fifo.wr_gray , rd_changes = rd_gray ^ \fifo.rd_gray ;

    wire [L:0] here  = written - popped;           // words in it
    wire [L:0] ready = committed - popped;         // ... that may come out
    assign bad = wr_go && rd_go && ((valid && (data != popped || ready == {L+1{1'b0}})) || wr_count < here
                                    || rd_count > ready || overflow || underflow
                                    || (known && ((wr_changes & (wr_changes - ONE)) != 0
                                                  || (rd_changes & (rd_changes - ONE)) != 0)));
endmodule
`default_nettype wire
