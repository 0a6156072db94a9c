// Outgoing half of the DMA engine, reading side: takes descriptors from the request queues and requests their data from
// the bus interface, piece by piece. The data go to dma_voq_writer, with a record of every piece in their order.
//
//     request_queues --> dma_fetch --> dma_contexts --eligible--> dma_queue_scheduler
//                                           | next piece of the queue chosen     |
//                                           v                                    |
//      voq <--room reserved-- [ prepared piece ] <-------------------------------+
//                                     | rd_req                 \--> piece_*, to dma_voq_writer
//
// One piece is prepared at a time: its space in the output queue is reserved, then its read request is held until it is
// taken, and the next piece is chosen. So the next request is ready in the clock after a tag becomes free. If the space
// is gone before it could be reserved, another piece is chosen. Where all queues share one output queue (SHARED_ROOM) a
// piece is chosen without looking at its space, and waits for it: else short pieces would take all space before a long
// one fits. A descriptor that meets an idle engine is prepared while it is being stored.
//
// A piece record says: a read, zeros (benchmark mode: nothing is read), or neither, where a transfer is only reported
// as skipped or reserved space is returned. With SPLITS = 1 a read is requested only when the writer has no other
// piece, since its words cannot wait.
//
// Benchmark mode, idle: space for the longest piece is reserved before the descriptor is known, so that the header is
// at the output queue in the very clock in which the descriptor leaves its memory (`piece_now`).
//
// With SYNC (rtl/sync) an immediate is a piece whose word is in its descriptor: given when its space is reserved, like
// zeros. So is an answer of the hardware, which has no descriptor: it is prepared when no other piece is, in turn with
// those of the queues, and steps back if its space is gone, or for a software reset. An operation that asks reports it
// (`ask_valid`) when it is given.
//
// Software reset (`flush`): contexts are emptied, each is reported as skipped; a request not yet acknowledged is
// withdrawn; outstanding reads are awaited and their words dropped (`discard`). While they cannot end (not `bus_moves`)
// the reset does not wait, and their words are dropped when they arrive; no read is requested before that.
//
// Reset of the queues: descriptor numbers restart, so none is taken before all that were taken have ended (`renewing`).
// Else an old read that fails would end the new transfer of that number.
//
// Tags: the place of a read among SPLITS, 0 .. SPLITS-1 in order, below a generation number. An abandoned read ends its
// generation: no read reuses its tag until all other tags have been used, so that a late completion matches none. 31 is
// the tag of writes.
//
//     clk          0        1        2        3
//     take     ____/~~~~~~~~\__________________________________
//     load     _____________/~~~~~~~~\_________________________   checked, stored
//     rd_req   ______________________/~~~~~~~~ (room, free tag)   voq_reserve in its first clock
//
// benchmark mode: voq_reserve with `take`, header with `load`.
`default_nettype none
`include "slots.vh"
module dma_outgoing #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // outstanding reads, 1..4
    parameter SPLITS = 1,
    // most words of a piece, 64..512; with 2 more it must fit into an output queue
    parameter PIECE_WORDS = 512,
    // 1: all request queues have the same output queue; 0: each has one of its own
    parameter SHARED_ROOM = 0,
    // 1: with operations, groups and immediates, without SHARED_ROOM; 0: without
    parameter SYNC = 0
) (
    input  wire                      clk,
    input  wire                      rst,

    // request queues
    input  wire [QUEUES-1:0]         ready,
    output wire                      take,
    output wire [$clog2(QUEUES)-1:0] take_queue,
    input  wire [127:0]              take_descriptor,   // one clock after `take`
    input  wire [3:0]                take_number,       // with it: its place in its queue, modulo 16

    // read sequences of the bus interface
    output wire                      rd_req,            // until rd_ack, or withdrawn before it
    output wire [63:0]               rd_addr,
    output wire [9:0]                rd_words,
    output wire [4:0]                rd_tag,
    input  wire                      rd_ack,
    input  wire                      rd_data_valid,
    input  wire                      read_over,         // one clock: the oldest read has ended, its words are used
    input  wire                      abandoned,         // one clock: the bus interface abandoned a read; may complete
    input  wire [4:0]                abandoned_tag,     // its tag
    output wire                      discard,           // words and ends of reads that arrive now belong to no piece
    output wire                      read_turn,         // a new write should let a read go first
    output wire                      reading,           // a read is in progress

    // space in the output queues
    input  wire [QUEUES*11-1:0]      voq_room,          // true from 2 clocks after the last reservation
    input  wire                      voq_pause,         // level: nothing is reserved
    output wire                      voq_reserve,       // one clock, every third at most
    output wire [$clog2(QUEUES)-1:0] voq_reserve_queue,
    output wire [10:0]               voq_reserve_words,

    // pieces, to the writer
    output wire                      piece_valid,       // one clock
    output wire                      piece_now,         // with it: its header is to be written in this clock
    output wire [1:0]                piece_kind,        // 0 nothing, 1 read, 2 zeros, 3 piece_word
    output wire                      piece_reserved,    // space was reserved for it
    output wire                      piece_first,
    output wire                      piece_last,        // its transfer ends with it
    output wire [$clog2(QUEUES)-1:0] piece_queue,
    output wire [9:0]                piece_words,
    output wire [9:0]                piece_limit,       // longest payload of its packets [words]
    output wire [41:0]               piece_order,       // {three flags, length, destination address [31:3]}
    output wire [31:0]               piece_created,     // when its descriptor was made, with `stamp`
    output wire [8:0]                piece_extra,       // {group, destination address [2:0]}
    output wire [63:0]               piece_word,
    input  wire                      word_free,         // with SYNC: a piece with a word may come
    output wire [3:0]                piece_number,      // take_number of its descriptor
    input  wire [3:0]                pieces,            // in the writer, 0..8
    input  wire                      abandon,           // a piece has failed: its transfer is over
    input  wire [$clog2(QUEUES)-1:0] abandon_queue,
    input  wire [3:0]                abandon_number,    // its piece_number

    // operations, as in sync_unit; without SYNC nothing
    output wire [QUEUES-1:0]         answer_room,
    input  wire                      answer_valid,
    input  wire [$clog2(QUEUES)-1:0] answer_queue,
    input  wire [31:0]               answer_header,
    input  wire [63:0]               answer_word,
    output wire                      answer_held,
    output wire                      answer_taken,
    output wire                      ask_valid,
    output wire [$clog2(QUEUES)-1:0] ask_queue,
    output wire [14:0]               ask_operand,
    input  wire [QUEUES-1:0]         ask_full,

    // set-up
    input  wire [9:0]                cfg_payload_limit, // 1..512
    input  wire [9:0]                cfg_max_read_words, // 64..512
    input  wire                      cfg_benchmark,     // level: zeros are sent, nothing is read
    input  wire                      stamp,             // level: the high half of a source is its creation time
    input  wire                      bus_moves,         // level: bus sequences can end; a software reset waits for them
    input  wire                      enable,            // new transfers may be taken and pieces asked for
    input  wire                      flush,             // software reset: drop taken transfers
    input  wire                      queue_reset,       // one clock: descriptor numbers restart
    output wire                      idle,              // a software reset need not wait

    // results
    output wire                      ev_bad_length,
    output wire                      ev_bad_address,
    output wire                      ev_bad_flow,
    output wire [2:0]                state
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam [2:0] IDLE     = 3'd0,   // no transfer
                     NO_ROOM  = 3'd1,   // transfers wait for space in their output queues
                     READING  = 3'd2,   // reads outstanding, no piece prepared
                     PREPARED = 3'd3,   // a piece is prepared: its space, or a tag, is missing
                     REQUEST  = 3'd4,   // its read request is up
                     STALE    = 3'd5;   // reads from before a software reset are outstanding

    localparam [1:0] NOTHING = 2'd0, READ = 2'd1, ZEROS = 2'd2, WORD = 2'd3;
    localparam [2:0] MOST_READS = SPLITS[2:0];
    localparam [2:0] LAST_TAG   = MOST_READS - 3'd1;
    localparam [9:0] LONGEST    = PIECE_WORDS[9:0];

    initial
        if (SPLITS < 1 || SPLITS > 4) begin
            $display("%m: SPLITS must be 1..4, is %0d", SPLITS);
            $finish;
        end

    initial
        if (SYNC != 0 && SHARED_ROOM != 0) begin
            $display("%m: SYNC must be 0 with SHARED_ROOM, is %0d", SYNC);
            $finish;
        end

    // ---- sizes, descriptors, contexts
    wire [9:0]             longest, limit, whole;
    wire                   settled;
    wire                   load, load_bad;
    wire [LOG2_QUEUES-1:0] load_queue;
    wire [63:0]            load_source, load_word;
    wire [41:0]            load_order = {load_word[62:60], load_word[41:32], load_word[31:3]};
    wire [QUEUES-1:0]      waiting, eligible;
    wire                   shown_fits, shown_bad, shown_benchmark, shown_first, shown_last;
    wire [41:0]            shown_order;
    wire [9:0]             shown_words, shown_limit;
    wire [3:0]             shown_number;
    wire [63:0]            shown_address;
    wire                   advance, remove, abandon_hit;
    wire                   context_fits, context_bad, context_benchmark, context_first, context_last, context_cut;
    wire [41:0]            context_order;
    wire [9:0]             context_words, context_limit;
    wire [3:0]             context_number;
    wire [13:0]            load_extra, context_extra;
    wire                   pick_answer;    // the answer is prepared next
    wire                   answering;      // the prepared piece is an answer
    wire                   load_word_here; // with load: it is immediate, or asks
    wire                   shown_word;     // the piece shown is a word that is known

    reg                    prepared;       // a piece is prepared
    reg  [LOG2_QUEUES-1:0] queue;          // ... of this queue
    reg                    reserved;       // ... and its space is reserved
    reg                    cancelled;      // ... but its transfer has been abandoned
    reg                    load_reserved;  // space was reserved for the descriptor that is being loaded
    wire                   load_at_once;   // ... and it fits: it does not go through its context
    reg                    renewing;       // descriptors taken before a reset of the queues have not ended

    always @(posedge clk)
        if (rst) renewing <= 1'b0;
        else     renewing <= queue_reset
                             || (renewing && (load || prepared || (waiting != {QUEUES{1'b0}}) || (pieces != 4'd0)));

    dma_piece_size #(.PIECE_WORDS(PIECE_WORDS)) size (
        .clk (clk), .rst (rst), .cfg_payload_limit (cfg_payload_limit), .cfg_max_read_words (cfg_max_read_words),
        .longest (longest), .limit (limit), .whole (whole), .settled (settled)
    );

    dma_fetch #(.QUEUES(QUEUES), .SYNC(SYNC)) fetch (
        .clk (clk), .rst (rst),
        .ready (ready), .take (take), .take_queue (take_queue), .take_descriptor (take_descriptor),
        .free (~waiting), .go (enable && !flush && settled && !renewing), .limit (limit),
        .load (load), .load_queue (load_queue), .load_source (load_source), .load_word (load_word),
        .load_bad (load_bad), .ev_bad_length (ev_bad_length), .ev_bad_address (ev_bad_address),
        .ev_bad_flow (ev_bad_flow)
    );

    dma_contexts #(.QUEUES(QUEUES), .SHARED_ROOM(SHARED_ROOM), .SYNC(SYNC)) contexts (
        .clk (clk), .rst (rst), .flush (flush),
        .load (load && !load_at_once), .load_queue (load_queue), .load_source (load_source[63:3]),
        .load_order (load_order), .load_bad (load_bad), .load_benchmark (cfg_benchmark), .load_number (take_number),
        .load_extra (load_extra), .held (ask_full),
        .longest (longest), .limit (limit), .whole (whole),
        .room (voq_room), .waiting (waiting), .eligible (eligible),
        .shown_queue (queue), .shown_fits (context_fits), .shown_bad (context_bad),
        .shown_benchmark (context_benchmark), .shown_address (shown_address), .shown_words (context_words),
        .shown_first (context_first), .shown_last (context_last), .shown_order (context_order),
        .shown_limit (context_limit), .shown_number (context_number), .shown_extra (context_extra),
        .advance (advance && !answering), .remove (remove),
        .abandon (abandon), .abandon_queue (abandon_queue), .abandon_number (abandon_number), .abandon_hit (context_cut)
    );

    // ---- the choice
    wire                   pick_any;
    wire [QUEUES-1:0]      pick_grant;
    wire [LOG2_QUEUES-1:0] pick_index;

    `DMA_QUEUE_SCHEDULER #(.QUEUES(QUEUES)) scheduler (
        .clk (clk), .rst (rst), .waiting (waiting), .eligible (eligible),
        .any (pick_any), .grant (pick_grant), .index (pick_index),
        .used ((advance && !answering) || load_at_once), .used_queue (piece_queue),
        .used_words (piece_words), .used_last (piece_last)
    );

    wire pick = !prepared && pick_any && (|pick_grant) && !abandon && !pick_answer;
    wire meet = !prepared && !pick && !pick_answer && load && !load_at_once;   // what is being stored is next

    // ---- the prepared piece
    reg  [1:0] since_reserve;
    reg  [2:0] outstanding;
    reg        stale;          // reads from before a software reset are still outstanding
    wire       room_known   = (since_reserve == 2'd0);
    wire       may_reserve  = room_known && !voq_pause;
    wire       in_vain      = shown_bad || cancelled || flush;
    wire       reserve      = prepared && !reserved && !in_vain && shown_fits && may_reserve && enable
                              && (pieces < 4'd7);
    wire       step_back    = ((SHARED_ROOM == 0) && prepared && !reserved && !in_vain && !shown_fits && room_known)
                              || (answering && flush);
    wire       tag_free     = (SPLITS == 1) ? (pieces == 4'd0 && outstanding == 3'd0) : (outstanding != MOST_READS);
    wire       drop_piece   = prepared && in_vain && !pieces[3] && !answering;
    wire       give_zeros   = prepared && !in_vain && reserved && shown_benchmark && (!shown_word || word_free);
    wire       leave        = rd_ack || give_zeros || drop_piece;

    assign advance = rd_ack || give_zeros;
    assign remove  = drop_piece && !cancelled;
    assign rd_req  = prepared && !in_vain && !shown_benchmark && (reserved || reserve) && tag_free && !stale && enable;
    assign rd_words = shown_words;
    assign rd_addr  = {shown_address[63:32] & {32{!stamp}}, shown_address[31:0]};

    always @(posedge clk)
        if (rst) begin
            prepared  <= 1'b0;
            reserved  <= 1'b0;
            cancelled <= 1'b0;
            queue     <= {LOG2_QUEUES{1'b0}};
        end else begin
            prepared  <= prepared ? !(leave || step_back) : (pick || meet || pick_answer);
            reserved  <= prepared && !leave && !(answering && flush) && (reserved || reserve);
            cancelled <= prepared && !leave && !step_back && (cancelled || (abandon_hit && abandon_queue == queue));
            if (!prepared) queue <= pick ? pick_index : pick_answer ? answer_queue : load_queue;
        end

    // ---- benchmark mode, idle engine: space first, then the descriptor
    wire [10:0] room_taken   = voq_room[take_queue*11 +: 11];
    wire        reserve_take = take && cfg_benchmark && (waiting == {QUEUES{1'b0}}) && !prepared && (pieces == 4'd0)
                               && may_reserve && (room_taken >= {1'b0, LONGEST} + 11'd2);
    wire        at_once      = load && load_reserved;

    assign load_at_once = at_once && !load_bad && (load_word[41:32] <= longest) && !load_word_here;

    always @(posedge clk)
        if (rst) begin
            load_reserved <= 1'b0;
            since_reserve <= 2'd0;
        end else begin
            load_reserved <= reserve_take;
            since_reserve <= {since_reserve[0], voq_reserve};
        end

    assign voq_reserve       = reserve || reserve_take;
    assign voq_reserve_queue = reserve ? queue : take_queue;
    assign voq_reserve_words = (reserve ? {1'b0, shown_words} : {1'b0, LONGEST}) + 11'd2;

    // ---- with SYNC the piece shown may be an answer, or an immediate
    assign shown_order     = answering ? {3'd0, 10'd1, answer_header[31:3]} : context_order;
    assign shown_words     = answering ? 10'd1 : context_words;
    assign shown_limit     = answering ? 10'd1 : context_limit;
    assign shown_number    = context_number;
    assign shown_first     = answering || context_first;
    assign shown_last      = answering || context_last;
    assign shown_bad       = context_bad && !answering;
    assign shown_benchmark = context_benchmark || shown_word;      // nothing is read
    assign abandon_hit     = context_cut && !answering;

    generate
        if (SYNC != 0) begin : operations
            reg  [QUEUES-1:0] rooms;                               // space for an answer
            reg               is_answer;
            reg               last_answer;                         // the last piece was one
            integer           r;
            wire              asks = load_word[63] && (load_word[19:18] == 2'b01) && (load_word[17:16] != 2'b00);

            always @*
                for (r = 0; r < QUEUES; r = r + 1)
                    rooms[r] = (voq_room[r*11+2 +: 9] != 9'd0);    // 4 words or more

            assign pick_answer    = !prepared && answer_valid && rooms[answer_queue] && !flush
                                    && !(last_answer && (pick_any || load)) && !at_once;
            assign answering      = is_answer;
            assign load_extra     = {asks, load_word[51], load_word[47:42], load_word[2:0], load_source[2:0]};
            assign load_word_here = load_word[51] || asks;
            assign shown_word     = is_answer || context_extra[12];
            assign shown_fits     = is_answer ? rooms[queue] : context_fits;
            assign answer_room    = rooms;
            assign answer_held    = pick_answer || is_answer;
            assign answer_taken   = advance && is_answer;
            assign ask_valid      = advance && !is_answer && context_extra[13];
            assign ask_operand    = {context_order[12:0], context_extra[5:4]};
            assign piece_extra    = at_once ? {load_word[47:42], load_word[2:0]}
                                    : is_answer ? {6'd0, answer_header[2:0]} : context_extra[11:3];
            assign piece_word     = is_answer ? answer_word : {shown_address[63:3], context_extra[2:0]};

            always @(posedge clk)
                if (rst) begin
                    is_answer   <= 1'b0;
                    last_answer <= 1'b0;
                end else begin
                    is_answer <= prepared ? is_answer && !(leave || step_back) : pick_answer;
                    if (advance || load_at_once) last_answer <= is_answer;
                end
        end else begin : transfers
            assign {pick_answer, answering, load_word_here, shown_word, answer_held, answer_taken, ask_valid} = 7'd0;
            assign shown_fits  = context_fits;
            assign load_extra  = 14'd0;
            assign answer_room = {QUEUES{1'b0}};
            assign ask_operand = 15'd0;
            assign piece_extra = 9'd0;
            assign piece_word  = 64'd0;
            wire unused_answers = &{1'b0, word_free, answer_valid, answer_queue, answer_header, answer_word,
                                    context_extra};
        end
    endgenerate

    assign ask_queue = queue;

    // ---- records for the writer
    assign piece_valid    = leave || at_once;
    assign piece_now      = load_at_once;
    assign piece_kind     = at_once ? (load_at_once ? ZEROS : NOTHING) : rd_ack ? READ
                            : give_zeros ? (shown_word ? WORD : ZEROS) : NOTHING;
    assign piece_reserved = at_once || rd_ack || reserved;
    assign piece_first    = at_once || shown_first;
    assign piece_last     = at_once ? load_at_once : drop_piece ? !cancelled : shown_last;
    assign piece_queue    = at_once ? load_queue : queue;
    assign piece_words    = at_once ? load_word[41:32] : shown_words;
    assign piece_limit    = at_once ? limit : shown_limit;
    assign piece_order    = at_once ? load_order : shown_order;
    assign piece_created  = at_once ? load_source[63:32] : shown_address[63:32];
    assign piece_number   = at_once ? take_number : shown_number;

    // ---- outstanding reads
    localparam PLACE_BITS = (SPLITS == 1) ? 0 : (SPLITS == 2) ? 1 : 2;
    localparam [4:0] LAST_GENERATION = (5'd31 >> PLACE_BITS) - 5'd1;

    reg  [2:0] next_tag;
    reg  [4:0] generation;
    wire [2:0] outstanding_next = outstanding + {2'd0, rd_ack} - {2'd0, read_over};

    assign reading = (outstanding != 3'd0);
    assign discard = flush || stale;
    assign rd_tag  = (generation << PLACE_BITS) | {2'd0, next_tag};

    always @(posedge clk)
        if (rst)
            generation <= 5'd0;
        else if (abandoned && (abandoned_tag >> PLACE_BITS) == generation)
            generation <= (generation == LAST_GENERATION) ? 5'd0 : generation + 5'd1;

    always @(posedge clk)
        if (rst) begin
            outstanding <= 3'd0;
            next_tag    <= 3'd0;
            stale       <= 1'b0;
        end else begin
            outstanding <= outstanding_next;
            stale       <= discard && (outstanding_next != 3'd0);
            if (rd_ack) next_tag <= (next_tag == LAST_TAG) ? 3'd0 : next_tag + 3'd1;
        end

    dma_read_turn turn (
        .clk (clk), .rst (rst), .enable (enable && !flush && !stale),
        .rd_ack (rd_ack), .rd_words (rd_words), .rd_data_valid (rd_data_valid),
        .outstanding_none (!reading), .outstanding_one (outstanding == 3'd1),
        .prepared (prepared && reserved && !in_vain && !shown_benchmark), .read_turn (read_turn)
    );

    wire unused = &{1'b0, load_source[2:0], load_word[63], load_word[59:42], load_word[2:0]};

    assign idle  = (waiting == {QUEUES{1'b0}}) && !load && !prepared && (!reading || !bus_moves);
    assign state = rd_req ? REQUEST : prepared ? PREPARED : stale ? STALE : reading ? READING
                   : (waiting != {QUEUES{1'b0}}) ? NO_ROOM : IDLE;

    // ---- measuring
    wire       probe_busy       = (waiting != {QUEUES{1'b0}}) || prepared || reading;
    wire       probe_stall_bus  = !reading && rd_req && !rd_ack;
    wire       probe_stall_room = !reading && !rd_ack && !prepared && (waiting != {QUEUES{1'b0}});
    wire       probe_stall      = !reading && !rd_ack && ((waiting != {QUEUES{1'b0}}) || prepared);
    wire       probe_start      = advance || load_at_once;
    wire       probe_done       = read_over;
    wire [2:0] probe_state      = state;
endmodule
`default_nettype wire
