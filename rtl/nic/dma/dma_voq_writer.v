// Outgoing half of the DMA engine, writing side: turns the pieces that dma_outgoing has requested, and their words,
// into transfers in the output queues (rtl/nic/voq).
//
// Word of an output queue: [63:0] data, [64] header, [65] last word of the transfer, [66] abort mark (data undefined),
// [67] 0; at most one of [64], [65], [66] is 1. Header: [62] remote notification, [61] local notification, [60] remote
// interrupt, [58:52] destination = queue, [51:42] payload limit of its packets and [41:32] length, both 1..512 words,
// [31:0] destination address, a multiple of 8. Packets are made of these fields when they depart.
//
// Pieces are written in the order of their reservations. A piece is a whole number of packets, or the remainder of its
// transfer: no packet spans two pieces. A packet becomes visible (`voq_commit`) with its last word, the last one of a
// piece when its read has ended well.
//
// Every loss is reported: when a read fails, words not yet visible are rolled back and the abort mark is written in
// their place. It makes the sequence numbers of this destination skip one, so that the receiver's next notification
// carries a loss indication. No more of the transfer leaves: pieces of it that had been requested already are dropped
// as they arrive. It counts as skipped.
//
//     item (words, end)  ____|w0 |w1 |w2 |end|______        ____|w0 |w1 |bad|________
//     voq_valid          /hdr|w0 |w1 |w2 \__________        /hdr|w0 |w1 \___|abort|__
//     voq_commit         ________________/~~~\______        ________________/~~~~~\__
//     voq_rollback       ___________________________        ____________/~~~\________
//     voq_piece_end      ________________/~~~\______        ________________/~~~~~\__
//
// Latency: a word is written in the clock in which it arrives; a header in the clock after its read was acknowledged,
// or in the very clock of `piece_now`. Zeros (benchmark mode) follow their header without a gap, one per clock.
//
// Time stamps (`stamp`, S2 5.3): the time at which its descriptor was made is the high half of the first word of each
// packet of three words or more.
//
// With SYNC: [57:52] of the header are the group, [2:0] those of the destination address (an operation has [0] = 1);
// and a piece may be one word that is known, written like a piece of zeros. An answer of the hardware (operations 14
// and 15) has no descriptor: it is reported by `served_answer` too.
//
// Software reset (`flush`): a piece of zeros goes on to its end, since its words are promised; else nothing is written,
// and the pieces are dropped; a transfer is reported with its last piece, or by dma_outgoing if not requested.
`default_nettype none
module dma_voq_writer #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // 1: an item waits until it is taken; 0: it must be taken in its clock
    parameter ITEMS_WAIT = 0,
    // 1: with time stamps; 0: without
    parameter STAMPS = 0,
    // 1: with operations, groups and immediates; 0: without
    parameter SYNC = 0
) (
    input  wire                      clk,
    input  wire                      rst,

    // pieces; see dma_outgoing
    input  wire                      piece_valid,
    input  wire                      piece_now,
    input  wire [1:0]                piece_kind,
    input  wire                      piece_reserved,
    input  wire                      piece_first,
    input  wire                      piece_last,
    input  wire [$clog2(QUEUES)-1:0] piece_queue,
    input  wire [9:0]                piece_words,
    input  wire [9:0]                piece_limit,
    input  wire [41:0]               piece_order,
    input  wire [31:0]               piece_created,
    input  wire [8:0]                piece_extra,
    input  wire [63:0]               piece_word,
    output wire                      word_free,      // a piece with a word may come
    input  wire [3:0]                piece_number,
    output wire [3:0]                pieces,         // held here, 0..8
    output wire                      abandon,        // one clock: a piece has failed, its transfer is over
    output wire [$clog2(QUEUES)-1:0] abandon_queue,
    output wire [3:0]                abandon_number,

    // items of the reads, in the order of the pieces: words, then an end
    input  wire                      item_valid,
    input  wire                      item_end,
    input  wire                      item_bad,       // with item_end: the read has failed
    input  wire [63:0]               item_data,
    output wire                      item_ready,     // it is taken
    input  wire                      discard,        // items belong to no piece

    input  wire                      stamp,          // level: packets carry time stamps

    // output queues
    output wire                      voq_valid,
    output wire [67:0]               voq_data,
    output wire                      voq_commit,
    output wire                      voq_rollback,
    output wire                      voq_piece_end,
    output wire                      voq_eager,

    // set-up
    input  wire                      flush,          // software reset: pieces are dropped
    output wire                      idle,           // no piece is held

    // results: each descriptor is reported once, in order for each queue
    output reg                       served,         // one clock, never two consecutive
    output reg  [$clog2(QUEUES)-1:0] served_queue,
    output wire                      served_answer,  // ... it is none, but an answer
    output reg                       served_left,    // it is in its output queue as a whole; else skipped or abandoned
    output wire                      ev_overflow,    // a piece or a word arrived where none can: a bug, never otherwise
    output wire [2:0]                state
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam [2:0] IDLE    = 3'd0,   // between pieces; writes the header
                     DATA    = 3'd1,   // words of a read
                     VERDICT = 3'd2,   // all words are in; waits for the end of the read
                     ABORT   = 3'd3,   // the read failed: writes the abort mark
                     ZEROS   = 3'd4,   // benchmark mode: words without a read
                     DISCARD = 3'd5;   // a read for a transfer that has failed already

    localparam [1:0] NOTHING = 2'd0, READ = 2'd1, WORD = 2'd3;
    localparam WIDTH = LOG2_QUEUES + 71;

    // ---- pieces; one with `piece_now` finds nothing before it
    wire             waits;
    wire [WIDTH-1:0] in_front;
    wire [WIDTH-1:0] coming = {piece_kind, piece_reserved, piece_first, piece_last, piece_queue, piece_words,
                               piece_limit, piece_order, piece_number};
    wire             pop;
    wire             p_full, p_overflow, p_underflow;

    fifo_sync #(.WIDTH(WIDTH), .LOG2_DEPTH(3)) list (
        .clk (clk), .rst (rst), .wr_valid (piece_valid), .wr_data (coming), .full (p_full),
        .rd_data (in_front), .rd_valid (waits), .rd_pop (pop), .count (pieces), .overflow (p_overflow),
        .underflow (p_underflow)
    );

    wire [31:0] created;
    generate
        if (STAMPS != 0) begin : stamps
            wire [31:0] created_front;
            wire        c_valid, c_full, c_overflow, c_underflow;
            wire [3:0]  c_count;

            fifo_sync #(.WIDTH(32), .LOG2_DEPTH(3)) times (
                .clk (clk), .rst (rst), .wr_valid (piece_valid), .wr_data (piece_created), .full (c_full),
                .rd_data (created_front), .rd_valid (c_valid), .rd_pop (pop), .count (c_count), .overflow (c_overflow),
                .underflow (c_underflow)
            );
            assign created = created_front;  // requested only behind the header of its piece

            wire unused = &{1'b0, c_valid, c_full, c_count, c_overflow, c_underflow};
        end else begin : no_stamps
            wire unused = &{1'b0, piece_created};
            assign created = 32'd0;
        end
    endgenerate

    wire [1:0]             kind;
    wire                   reserved, first, last;
    wire [LOG2_QUEUES-1:0] queue;
    wire [9:0]             words, limit;
    wire [41:0]            order;
    wire [3:0]             number;

    assign {kind, reserved, first, last, queue, words, limit, order, number} = waits ? in_front : coming;

    // with SYNC: words and more of the header
    wire [63:0] known_word;
    wire [8:0]  extra;
    wire        is_answer;
    reg         answered;              // the descriptor reported is an answer
    generate
        if (SYNC != 0) begin : operations
            wire [8:0]  extra_front;
            reg  [63:0] kept_word;             // one is enough: immediates follow each other
            reg         word_kept;
            wire        e_valid, e_full, e_overflow, e_underflow;
            wire [3:0]  e_count;

            fifo_sync #(.WIDTH(9), .LOG2_DEPTH(3)) extras (
                .clk (clk), .rst (rst), .wr_valid (piece_valid), .wr_data (piece_extra), .full (e_full),
                .rd_data (extra_front), .rd_valid (e_valid), .rd_pop (pop), .count (e_count), .overflow (e_overflow),
                .underflow (e_underflow)
            );

            always @(posedge clk)
                if (rst) word_kept <= 1'b0;
                else     word_kept <= (piece_valid && piece_kind == WORD) || (word_kept && !(pop && kind == WORD));

            always @(posedge clk)
                if (piece_valid && piece_kind == WORD) kept_word <= piece_word;

            assign word_free  = !word_kept;
            assign extra      = waits ? extra_front : piece_extra;
            assign known_word = kept_word & {64{kind == WORD}};
            assign is_answer  = extra[0] && (&order[16:14]);

            wire unused = &{1'b0, e_valid, e_full, e_count, e_overflow, e_underflow};
        end else begin : transfers
            wire unused = &{1'b0, piece_extra, piece_word};
            assign known_word = 64'd0;
            assign word_free  = 1'b1;
            assign extra      = 9'd0;
            assign is_answer  = 1'b0;
        end
    endgenerate

    // ---- the current piece
    reg  [2:0]        fsm;
    reg  [9:0]        piece_left;
    reg  [9:0]        packet_left;
    reg  [QUEUES-1:0] dead;             // the transfer of which pieces may still arrive has failed

    wire halt         = flush && (fsm != ZEROS);   // zeros are promised (`voq_eager`): they go on to the piece's end
    wire begins       = (fsm == IDLE) && (waits || piece_now) && !flush;
    wire nothing      = begins && (kind == NOTHING) && !served;       // reports are never made in two clocks in a row
    wire dropped      = (fsm == IDLE) && waits && flush && !served;
    wire header       = begins && (kind != NOTHING) && first;
    wire in_vain      = begins && (kind == READ) && !first && dead[queue];
    wire item_word    = item_valid && !item_end && !discard;
    wire item_last    = item_valid && item_end && !discard;
    wire write_word   = (fsm == ZEROS) || (fsm == DATA && item_word);
    wire last_word    = (piece_left == 10'd1);
    wire last_packet  = (packet_left == 10'd1);
    wire failed       = item_last && ((fsm == DATA) || (fsm == VERDICT && item_bad));
    wire good         = (item_last && (fsm == VERDICT) && !item_bad) || (fsm == ZEROS && last_word);
    wire discarded    = item_last && (fsm == DISCARD);

    assign pop            = nothing || dropped || ((good || discarded || fsm == ABORT) && !halt);
    assign item_ready     = discard || (fsm == DATA) || (fsm == VERDICT) || (fsm == DISCARD);
    assign abandon        = (fsm == ABORT) && !flush;
    assign abandon_queue  = queue;
    assign abandon_number = number;

    reg         packet_begins;          // the next word is the first of its packet
    wire        stamp_here = stamp && packet_begins && (limit > 10'd2) && (piece_left > 10'd2) && (STAMPS != 0);
    wire [63:0] data       = (item_data & {64{fsm != ZEROS}}) | (known_word & {64{fsm == ZEROS}});

    wire [6:0]  destination = {{7-LOG2_QUEUES{1'b0}}, queue} & {7{SYNC == 0}} | {1'b0, extra[8:3]};

    assign voq_valid      = (header || write_word || fsm == ABORT) && !halt;
    assign voq_data       = header ? {4'b0001, 1'b0, order[41:39], 1'b0, destination, limit, order[38:0], extra[2:0]}
                            : {1'b0, fsm == ABORT, last_word && last && (fsm != ABORT), 1'b0, stamp_here ? created
                               : data[63:32],
                               data[31:0]};
    assign voq_commit     = ((write_word && last_packet && !last_word) || good || fsm == ABORT) && !halt;
    assign voq_rollback   = failed && !halt;
    assign voq_piece_end  = (good || discarded || fsm == ABORT || (nothing && reserved)) && !halt;
    assign voq_eager      = header && (kind != READ);

    assign idle        = (fsm == IDLE) && !waits && !served;
    assign ev_overflow = p_overflow || p_underflow || (item_word && fsm == VERDICT)
                         || ((ITEMS_WAIT == 0) && item_valid && !item_ready);
    assign state       = fsm;

    always @(posedge clk)
        if (rst)
            fsm <= IDLE;
        else if (halt)
            fsm <= IDLE;
        else
            case (fsm)
                IDLE:    if (begins && kind != NOTHING) fsm <= in_vain ? DISCARD : (kind == READ) ? DATA : ZEROS;
                DATA:    if (failed) fsm <= ABORT;
                         else if (item_word && last_word) fsm <= VERDICT;
                VERDICT: if (failed) fsm <= ABORT;
                         else if (good) fsm <= IDLE;
                ZEROS:   if (last_word) fsm <= IDLE;
                DISCARD: if (discarded) fsm <= IDLE;
                default: fsm <= IDLE;
            endcase

    always @(posedge clk)
        if (fsm == IDLE) begin
            piece_left    <= words;
            packet_left   <= limit;
            packet_begins <= 1'b1;
        end else if (write_word) begin
            piece_left    <= piece_left - 10'd1;
            packet_left   <= last_packet ? limit : packet_left - 10'd1;
            packet_begins <= last_packet;
        end

    always @(posedge clk)
        if (rst)
            dead <= {QUEUES{1'b0}};
        else if (abandon)
            dead[queue] <= !last;
        else if ((begins || dropped) && first)
            dead[queue] <= 1'b0;

    // ---- reports
    always @(posedge clk)
        if (rst) served <= 1'b0;
        else     served <= ((nothing || (good && !halt)) && last) || abandon
                           || (dropped && last && (first || !dead[queue]));

    always @(posedge clk) begin
        answered     <= is_answer;
        served_queue <= queue;
        served_left  <= good && !halt;
    end

    assign served_answer = answered && (SYNC != 0);
    wire unused = p_full;

    // ---- measuring
    wire       probe_busy       = waits || (fsm != IDLE);
    wire       probe_stall_data = (fsm == DATA || fsm == VERDICT || fsm == DISCARD) && !item_valid;
    wire       probe_start      = header;
    wire       probe_done       = good || abandon;
    wire [2:0] probe_state      = fsm;
endmodule
`default_nettype wire
