// Proof of crosspoint with two free clocks: in each step of time either may have an edge, both at once, or one none for
// ever. `bad` is never high, whenever words are written and taken. CLOCKS=free. (Which words come: prove_crosspoint;
// `arrived`: sync_pulse of prove_crossings.)
//
//   order      words come out in their order, each once, with their flags; without a word data and flags are 0
//   counts     wr_space and occupancy are never too high
//   no loss    neither side reports overflow or underflow, if it looks at wr_space and rd_valid
//   Gray       a pointer that crosses changes one bit at a time
//
// A word is its number, its flags are two bits of it. Assumed: both sides have an edge in reset before either leaves
// it, each at a time of its own. With 4 words: an edit allows so few.
`default_nettype none
module prove_crosspoint_clocks (
    input  wire wr_clk,
    input  wire rd_clk,
    input  wire any_start,
    input  wire any_write,
    input  wire any_pop,
    output wire bad
);
    localparam L = 2;
    localparam [L:0] ROOM = (1 << L) - 1;

    reg        wr_seen, rd_seen, wr_go, rd_go;     // an edge in reset; out of reset
    initial    {wr_seen, rd_seen, wr_go, rd_go} = 4'd0;
    always @(posedge wr_clk) begin
        wr_seen <= 1'b1;
        wr_go   <= wr_go || (wr_seen && rd_seen && any_start);
    end
    always @(posedge rd_clk) begin
        rd_seen <= 1'b1;
        rd_go   <= rd_go || (wr_seen && rd_seen && any_start);
    end

    wire         overflow, valid, underflow, ends, poisoned;
    wire [L:0]   space, occupancy;
    wire [31:0]  data;
    reg  [L:0]   written, popped;                  // numbers of the next words
    wire         write = any_write && wr_go && space != 3'd0;
    wire         pop   = any_pop && rd_go && valid;
    always @(posedge wr_clk) written <= wr_go ? written + {{L{1'b0}}, write} : {L+1{1'b0}};
    always @(posedge rd_clk) popped  <= rd_go ? popped + {{L{1'b0}}, pop} : {L+1{1'b0}};

    crosspoint #(.LOG2_WORDS(L)) buffer (
        .wr_clk (wr_clk), .wr_rst (!wr_go), .wr_valid (write), .wr_start (write), .wr_end (written[1]),
        .wr_poisoned (written[0]), .wr_data ({29'd0, written}), .wr_space (space), .overflow (overflow),
        .rd_clk (rd_clk), .rd_rst (!rd_go), .rd_valid (valid), .rd_end (ends), .rd_poisoned (poisoned), .rd_data (data),
        .rd_pop (pop), .occupancy (occupancy), .underflow (underflow)
    );

    // ---- what crosses, a step of time ago; any edge makes a step
    (* hierconn *) wire [L-1:0] \buffer.crossing.wr_gray , \buffer.crossing.rd_gray ;
    (* gclk *) reg global;
    reg [L-1:0] wr_gray, rd_gray;
    reg         known;
    initial     known = 1'b0;
    always @(posedge global) begin
        wr_gray <= \buffer.crossing.wr_gray ;
        rd_gray <= \buffer.crossing.rd_gray ;
        known   <= wr_go && rd_go;
    end

    wire [L:0] here = written - popped;            // words in it
    wire [L:0] word = valid ? popped : {L+1{1'b0}};
    assign bad = wr_go && rd_go && (data != {29'd0, word} || ends != word[1] || poisoned != word[0]
                                    || (valid && here == 3'd0) || space > ROOM - here || occupancy > here
                                    || overflow || underflow
                                    || (known && (&(wr_gray ^ \buffer.crossing.wr_gray )
                                                  || &(rd_gray ^ \buffer.crossing.rd_gray ))));
endmodule
`default_nettype wire
