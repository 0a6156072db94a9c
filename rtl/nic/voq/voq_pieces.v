// Pieces reserved by the DMA engine, in the order of their reservation, in which it writes them: the queue of the
// words, and whether they go on chip or into the body.
//
// `head_*` is the piece being written; a piece may be written from the clock after its reservation on. At the end of an
// on-chip piece `give` returns the unused part of its reservation.
`default_nettype none
module voq_pieces #(
    // log2 of the request queues, 1..4
    parameter LOG2_QUEUES = 3
) (
    input  wire                   clk,
    input  wire                   clear,

    input  wire                   reserve,
    input  wire                   reserve_body,    // it goes into the body
    input  wire [LOG2_QUEUES-1:0] reserve_queue,
    input  wire [10:0]            reserve_words,

    output wire                   head_valid,
    output wire                   head_body,       // the oldest piece goes into the body
    output wire [LOG2_QUEUES-1:0] head_queue,
    output wire [10:0]            head_words,      // reserved for it
    output wire                   head_only,       // no other piece is in the list

    input  wire                   put_commit,      // its words in the ring that are not committed, now or from now on
    input  wire [10:0]            put_words,
    input  wire                   piece_end,
    output wire                   give,            // one clock: an on-chip piece has ended
    output wire [10:0]            give_words,      // reserved for it and not used

    output wire                   ev_overflow      // more pieces than the list holds, no end, more words than reserved
);
    wire       full, overflow, underflow;
    wire [4:0] count;
    reg [10:0] used;
    wire [10:0] reach    = used + put_words;
    wire [10:0] used_now = put_commit ? reach : used;

    // Twice the eight that the engine may hold: space for the one that arrives while another ends.
    fifo_sync #(.WIDTH(LOG2_QUEUES + 12), .LOG2_DEPTH(4)) list (
        .clk (clk), .rst (clear),
        .wr_valid (reserve), .wr_data ({reserve_body, reserve_queue, reserve_words}), .full (full),
        .rd_data ({head_body, head_queue, head_words}), .rd_valid (head_valid), .rd_pop (piece_end),
        .count (count), .overflow (overflow), .underflow (underflow)
    );

    assign head_only   = (count == 5'd1);
    assign give        = piece_end && head_valid && !head_body;
    assign give_words  = head_words - used_now;
    assign ev_overflow = overflow || underflow || (head_valid && !head_body && reach > head_words);

    always @(posedge clk)
        if (clear || piece_end) used <= 11'd0;
        else                    used <= used_now;

    wire unused = full;

    // ---- measuring
    wire probe_busy  = head_valid;
    wire probe_start = reserve;
    wire probe_done  = piece_end;
endmodule
`default_nettype wire
