// Proof of dma_outgoing and dma_voq_writer, as dma_engine connects them, with voq_pieces as voq does, for two queues:
// `bad` is never high, whatever descriptors come, when space and reads are given, and how reads end.
//
//   pieces    the writer's list has a place for each piece, and holds 8 at most
//   reserved  voq_pieces has a place for each reservation; a piece ends only if one was reserved
//   room      what is reserved is within the room of that clock
//   words     a piece has no more words than are reserved for it, and as many only if its end comes with the last one
//
// Assumed: no software reset (voq_pieces is cleared then). `lemmas` is what makes a step enough; MEMORIES=seen, because
// they name the list.
`default_nettype none
module prove_dma_pieces #(
    parameter SPLITS = 4,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1,
    // 1: with answers, immediates, and operations that are held; without LEMMAS
    parameter SYNC = 0
) (
    input  wire         clk,
    input  wire [1:0]   any_ready,
    input  wire [127:0] any_descriptor,
    input  wire [3:0]   any_number,
    input  wire [21:0]  any_room,
    input  wire [8:0]   any_level,
    input  wire [4:0]   any_tag,
    input  wire [1:0]   any_answer,
    input  wire [1:0]   any_full,
    input  wire         any_item,
    input  wire         any_end,
    input  wire         any_bad,
    output wire         bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    wire        rd_req, item_ready, discard, reserve, reserve_queue, piece_valid, piece_now, piece_reserved,
                piece_first, piece_last;
    wire        piece_queue, abandon, abandon_queue, piece_end, head_valid;
    wire [1:0]  piece_kind;
    wire [9:0]  piece_words, piece_limit;
    wire [10:0] reserve_words;
    wire [41:0] piece_order;
    wire [31:0] piece_created;
    wire [3:0]  piece_number, abandon_number, pieces;
    wire        item = any_item && running;
    wire        put;
    reg  [10:0] used;                 // words of the piece that is being written
    always @(posedge clk) used <= running && !piece_end ? used + {10'd0, put} : 11'd0;

    wire [8:0]  piece_extra;
    wire        word_free;
    dma_outgoing #(.QUEUES(2), .SPLITS(SPLITS), .SYNC(SYNC)) outgoing (
        .clk (clk), .rst (!running), .ready (any_ready), .take_descriptor (any_descriptor), .take_number (any_number),
        .rd_req (rd_req), .rd_ack (rd_req && any_level[0]), .rd_data_valid (any_level[1]),
        .read_over (item && any_end && item_ready), .abandoned (any_level[2]), .abandoned_tag (any_tag),
        .discard (discard), .voq_room (any_room), .voq_pause (any_level[3]), .voq_reserve (reserve),
        .voq_reserve_queue (reserve_queue), .voq_reserve_words (reserve_words), .piece_valid (piece_valid),
        .piece_now (piece_now), .piece_kind (piece_kind), .piece_reserved (piece_reserved), .piece_first (piece_first),
        .piece_last (piece_last), .piece_queue (piece_queue), .piece_words (piece_words), .piece_limit (piece_limit),
        .piece_order (piece_order), .piece_created (piece_created), .piece_number (piece_number), .pieces (pieces),
        .abandon (abandon), .abandon_queue (abandon_queue), .abandon_number (abandon_number),
        .cfg_payload_limit (10'd62), .cfg_max_read_words (10'd512), .cfg_benchmark (any_level[4]),
        .piece_extra (piece_extra), .word_free (word_free), .answer_valid (any_answer[0]),
        .answer_queue (any_answer[1]),
        .answer_header (32'hE0001), .answer_word (64'd0), .ask_full (any_full),
        .stamp (any_level[5]), .bus_moves (any_level[6]), .enable (any_level[7]), .flush (1'b0),
        .queue_reset (any_level[8])
    );
    dma_voq_writer #(.QUEUES(2), .ITEMS_WAIT(SPLITS > 1), .SYNC(SYNC)) writer (
        .clk (clk), .rst (!running), .piece_valid (piece_valid), .piece_now (piece_now), .piece_kind (piece_kind),
        .piece_reserved (piece_reserved), .piece_first (piece_first), .piece_last (piece_last),
        .piece_queue (piece_queue), .piece_words (piece_words), .piece_limit (piece_limit), .piece_order (piece_order),
        .piece_created (piece_created), .piece_number (piece_number), .pieces (pieces),
        .piece_extra (piece_extra), .piece_word (64'd0), .word_free (word_free),
        .abandon (abandon), .abandon_queue (abandon_queue),
        .abandon_number (abandon_number), .item_valid (item), .item_end (any_end),
        .item_bad (any_bad), .item_data (64'd0), .item_ready (item_ready), .discard (discard), .stamp (any_level[5]),
        .voq_valid (put), .voq_piece_end (piece_end), .flush (1'b0)
    );
    voq_pieces #(.LOG2_QUEUES(1)) reserved (
        .clk (clk), .clear (!running), .reserve (reserve), .reserve_body (1'b0), .reserve_queue (reserve_queue),
        .reserve_words (reserve_words), .head_valid (head_valid), .put_commit (1'b0), .put_words (11'd0),
        .piece_end (piece_end)
    );

    // ---- lemmas: what is reserved is a piece of the list, the one prepared, or of the descriptor being loaded
    (* hierconn *) wire \writer.p_full , \reserved.full , \outgoing.prepared , \outgoing.reserved ,
                        \outgoing.load_reserved ;
    (* hierconn *) wire \outgoing.load ;
    (* hierconn *) wire [1:0] \outgoing.waiting ;
    (* hierconn *) wire [2:0] \writer.fsm , \writer.list.rd_pointer , \writer.list.wr_pointer ;
    (* hierconn *) wire [4:0] \reserved.count ;
    (* hierconn *) wire [3:0] \reserved.list.rd_pointer , \reserved.list.wr_pointer ;
    (* hierconn *) wire [71:0] \writer.list.memory[0] , \writer.list.memory[1] , \writer.list.memory[2] ,
                               \writer.list.memory[3] ;
    (* hierconn *) wire [71:0] \writer.list.memory[4] , \writer.list.memory[5] , \writer.list.memory[6] ,
                               \writer.list.memory[7] ;
    wire [23:0] of = {\writer.list.memory[7] [71:69], \writer.list.memory[6] [71:69], \writer.list.memory[5] [71:69],
                      \writer.list.memory[4] [71:69], \writer.list.memory[3] [71:69], \writer.list.memory[2] [71:69],
                      \writer.list.memory[1] [71:69], \writer.list.memory[0] [71:69]};   // kind, reserved
    // words: what the writer has put, and has still to put
    (* hierconn *) wire [9:0] \writer.piece_left , \outgoing.size.limit_now ;
    wire [79:0] lengths = {
        \writer.list.memory[7] [65:56], \writer.list.memory[6] [65:56], \writer.list.memory[5] [65:56],
        \writer.list.memory[4] [65:56], \writer.list.memory[3] [65:56], \writer.list.memory[2] [65:56],
        \writer.list.memory[1] [65:56], \writer.list.memory[0] [65:56]};
    wire [10:0] own  = {1'b0, pieces == 4'd0 ? piece_words : lengths[10*\writer.list.rd_pointer +: 10]};
    wire        fits = (\writer.fsm == 3'd0 || \writer.fsm == 3'd5) ? used == 11'd0
                       : \writer.fsm == 3'd1 || \writer.fsm == 3'd4
                         ? \writer.piece_left != 10'd0 && {1'b0, \writer.piece_left } <= own
                           && used <= own + 11'd1 - {1'b0, \writer.piece_left }
                       : \writer.fsm <= 3'd3 && used <= own + 11'd1;
    wire [2:0]  front = of[3*\writer.list.rd_pointer +: 3];
    reg  [4:0]  sum;
    reg  [2:0]  one;
    reg  [9:0]  length;
    reg         kinds;
    integer     k;
    always @* begin
        sum   = {4'd0, \outgoing.prepared && \outgoing.reserved } + {4'd0, \outgoing.load_reserved };
        kinds = 1'b1;
        one   = 3'd0;
        length = 10'd0;
        for (k = 0; k < 8; k = k + 1)
            if (k[3:0] < pieces) begin
                length = lengths[10*((\writer.list.rd_pointer + k[2:0]) & 3'd7) +: 10];
                one   = of[3*((\writer.list.rd_pointer + k[2:0]) & 3'd7) +: 3];
                sum   = sum + {4'd0, one[0]};
                kinds = kinds && (one[2:1] == 2'd0 || (one[0] && length != 10'd0 && length <= 10'd512));
            end
    end
    // needs: what is compared with the room is the next piece of the queue, 512 words at most, and two more
    (* hierconn *) wire \outgoing.cancelled , \outgoing.queue , \outgoing.load_queue ;
    (* hierconn *) wire [1:0] \outgoing.contexts.begun ;
    (* hierconn *) wire [9:0] \outgoing.size.read_now , \outgoing.size.sum ;
    (* hierconn *) wire [19:0] \outgoing.contexts.needs , \outgoing.contexts.progress[0] ;
    (* hierconn *) wire [19:0] \outgoing.contexts.progress[1] ;
    (* hierconn *) wire [63:0] \outgoing.contexts.orders[0] , \outgoing.contexts.orders[1] ;
    wire [63:0] order_0 = \outgoing.contexts.orders[0] , order_1 = \outgoing.contexts.orders[1] ;
    wire [9:0]  next_0  = \outgoing.contexts.begun [0] ? \outgoing.contexts.progress[0] [9:0] : order_0[11:2];
    wire [9:0]  next_1  = \outgoing.contexts.begun [1] ? \outgoing.contexts.progress[1] [9:0] : order_1[11:2];
    wire needs = \outgoing.size.limit_now <= \outgoing.size.read_now
                 && (! \outgoing.load || \outgoing.size.sum != 10'd0) && \outgoing.size.read_now <= 10'd512
                 && \outgoing.size.sum <= 10'd512 && (! \outgoing.load || ! \outgoing.waiting [\outgoing.load_queue ])
                 && (! \outgoing.prepared || \outgoing.cancelled || \outgoing.waiting [\outgoing.queue ])
                 && (! \outgoing.waiting [0] || order_0[0]
                     || (next_0 != 10'd0 && order_0[11:2] != 10'd0 && next_0 <= 10'd512 && order_0[11:2] <= 10'd512
                         && \outgoing.contexts.needs [9:0] == next_0 + 10'd2))
                 && (! \outgoing.waiting [1] || order_1[0]
                     || (next_1 != 10'd0 && order_1[11:2] != 10'd0 && next_1 <= 10'd512 && order_1[11:2] <= 10'd512
                         && \outgoing.contexts.needs [19:10] == next_1 + 10'd2));
    wire lemmas = needs && fits && kinds && sum == \reserved.count && pieces <= 4'd8
                  && \writer.list.wr_pointer == \writer.list.rd_pointer + pieces[2:0]
                  && \reserved.list.wr_pointer == \reserved.list.rd_pointer + \reserved.count [3:0]
                  && \reserved.count <= 5'd16 && (\writer.fsm == 3'd0 || (pieces != 4'd0 && front[2:1] != 2'd0))
                  && (!\outgoing.prepared || !\outgoing.reserved || pieces <= 4'd6)
                  && (!\outgoing.load_reserved || (!\outgoing.prepared && \outgoing.load && pieces == 4'd0));

    assign bad = running && ((reserve && reserve_words > any_room[11*reserve_queue +: 11])
                             || (piece_valid && \writer.p_full ) || (reserve && \reserved.full )
                             || (put && used + {10'd0, !piece_end} >= own + 11'd2)
                             || (piece_end && !head_valid) || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
