// Frames that are no RoCE v2 (ARP, ping, ...) leave here for software: a ring of their own, so that a slow reader stops
// nothing else. A frame that finds no space is dropped and reported by `lost`.
//
// Latency: last word in, first word out 2 clocks; then a word each clock.
`default_nettype none
module roce_rx_other #(
    // bytes per word, 8 or 64
    parameter BYTES = 8,
    // log2 of the ring's words
    parameter LOG2_WORDS = 11
) (
    input  wire                   clk,
    input  wire                   rst,
    // frames from the MAC, all of them
    input  wire                   wr_valid,
    input  wire                   wr_last,
    input  wire                   wr_keep,     // with wr_last: this frame must be kept
    input  wire [$clog2(BYTES):0] wr_count,    // with wr_last: bytes in this word, 1..BYTES
    input  wire [8*BYTES-1:0]     wr_data,
    output wire                   lost,        // one clock: a frame to be kept had no space
    // output
    output wire [8*BYTES-1:0]     other_tdata,
    output wire [BYTES-1:0]       other_tkeep,
    output wire                   other_tlast,
    output reg                    other_tvalid,
    input  wire                   other_tready
);
    localparam                  COUNT = $clog2(BYTES) + 1;
    localparam [LOG2_WORDS-1:0] ONE   = {{LOG2_WORDS-1{1'b0}}, 1'b1};

    wire                  fits, room, keep;
    wire [LOG2_WORDS-1:0] start, next;
    wire                  waits;
    wire [LOG2_WORDS-1:0] frame_next;
    wire [COUNT-1:0]      frame_count;
    reg  [LOG2_WORDS-1:0] at;          // the next word to be read
    reg                   out_last;
    reg  [COUNT-1:0]      out_count;
    wire                  advance = !other_tvalid || other_tready;
    wire                  read    = waits && advance;
    wire                  ends    = at + ONE == frame_next;

    assign keep = wr_valid && wr_last && wr_keep;
    assign lost = keep && (!fits || !room);

    roce_rx_ring #(.BYTES(BYTES), .LOG2_WORDS(LOG2_WORDS)) ring (
        .clk (clk), .rst (rst),
        .wr_valid (wr_valid), .wr_last (wr_last), .wr_keep (wr_keep && room), .wr_data (wr_data),
        .wr_fits (fits), .wr_start (start), .wr_next (next),
        .rd_en (read), .rd_addr (at), .rd_data (other_tdata),
        .free_valid (read), .free_to (at + ONE)
    );
    roce_queue #(.WIDTH(LOG2_WORDS+COUNT), .LOG2_DEPTH(5)) frames (
        .clk (clk), .rst (rst),
        .in_valid (keep && fits), .in_ready (room), .in_data ({next, wr_count}),
        .out_valid (waits), .out_ready (read && ends), .out_data ({frame_next, frame_count})
    );

    always @(posedge clk)
        if (rst) begin
            at           <= {LOG2_WORDS{1'b0}};
            other_tvalid <= 1'b0;
        end else begin
            if (read) at <= at + ONE;
            if (advance) other_tvalid <= waits;
        end
    always @(posedge clk)
        if (read) begin
            out_last  <= ends;
            out_count <= frame_count;
        end

    assign other_tlast = out_last;
    assign other_tkeep = out_last ? ~({BYTES{1'b1}} << out_count) : {BYTES{1'b1}};

    wire unused = &{1'b0, start};

    // ---- measuring
    wire probe_busy        = waits || other_tvalid;
    wire probe_stall_taker = other_tvalid && !other_tready;
endmodule
`default_nettype wire
