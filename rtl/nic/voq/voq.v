// Virtual output queues: transfers wait here, one queue per destination, until there is credit for their next packet,
// so that a blocked destination blocks no other (S2 2.5). The head of each queue is on chip, all of it while it is
// short; the body of a long one is in external memory. Packets are made only when they leave.
//
//     voq_wr_*   --> voq_pieces --> voq_rings  ------------------> voq_departure --> out_* (link FIFO)
//     (DMA engine)       |            ^   voq_space: room         voq_context, voq_ready, voq_scheduler,
//                        v            |                           voq_credit, voq_sequence
//                     voq_body  ------+
//                 (mem_*: external memory)                        voq_flush: reset, software reset
//
// For the interface to the DMA engine see dma_engine.v, for the bits of a word dma_voq_writer.v.
//
// Latency: header written into an empty queue with voq_wr_eager in clock n, credit and link FIFO free: the packet's
// header is at out_valid in n + 1, its first word in n + 3, then one word per clock. Otherwise a packet starts 2 clocks
// after it has been committed (3 more if its header had to be read from the ring), a few more if other queues change at
// the same time.
`default_nettype none
module voq #(
    // request queues = destinations, 8 or 16
    parameter QUEUES = 8,
    // output queues: QUEUES, or 1: one for all destinations
    parameter VOQS = 8,
    // links with packets of their own, 1..4, and log2 of the words of the FIFO of each, 6..10
    parameter PATHS = 1,
    parameter LOG2_OUT = 6,
    // log2 of the words that a queue has on chip, 8..12; it must hold the longest piece and 3 words more
    parameter LOG2_VOQ_WORDS = 10,
    // longest burst to or from external memory [words], 16..512
    parameter SEGMENT_WORDS = 128,
    // block of external memory [words], power of two, 16..512
    parameter BLOCK_WORDS = 64,
    // log2 of the number of blocks, 4..14
    parameter LOG2_BLOCKS = 12,
    // log2 of the window onto the external memory [bytes], 12..27; the blocks must fit
    parameter BAR0_BITS = 27,
    // log2 of the words on their way into external memory, 10..12
    parameter LOG2_STAGING = 10,
    // 1: with operations and groups, see voq_departure; 0: without
    parameter SYNC = 0
) (
    input  wire                            clk,
    input  wire                            rst,
    input  wire [7:0]                      slept,               // clock_gate: clocks missed
    output wire                            busy,                // clock_gate: there is work, or an answer is awaited
    input  wire                            flush,               // level, until voq_idle
    output wire                            voq_idle,            // with flush: everything has been dropped
    input  wire                            dropped_valid,       // one clock: a software reset dropped a transfer that
    input  wire [$clog2(QUEUES)-1:0]       dropped_queue,       // on its way here; before flush

    // DMA engine
    input  wire                            voq_hold,            // level: bodies offer no space
    output wire                            voq_pause,           // level: nothing may be reserved
    output wire [QUEUES*11-1:0]            voq_room,            // words that may be reserved, 11 bits per queue
    input  wire                            voq_reserve,         // one clock
    input  wire [$clog2(QUEUES)-1:0]       voq_reserve_queue,
    input  wire [10:0]                     voq_reserve_words,
    input  wire                            voq_wr_valid,
    input  wire [67:0]                     voq_wr_data,
    input  wire                            voq_wr_commit,       // all words written, this clock's included, are visible
    input  wire                            voq_wr_rollback,     // what is not visible is dropped
    input  wire                            voq_piece_end,       // the oldest piece reserved is over
    input  wire                            voq_wr_eager,        // with a header: its piece's words follow without a gap
    output wire                            moved_valid,         // one clock: a transfer has left: to the link,
    output wire                            moved_lost,          // ... or dropped: its header was damaged
    output wire [$clog2(QUEUES)-1:0]       moved_queue,

    // link
    output wire                            out_valid,
    output wire [67:0]                     out_data,
    input  wire [PATHS*(LOG2_OUT+1)-1:0]   out_count,           // words in the link FIFO of each path
    output wire [1:0]                      out_path,            // with out_valid: into that of this path
    input  wire                            out_hold,            // level: several paths: no packet may start
    output wire                            out_quiet,           // no packet is on its way to it
    input  wire                            credit_valid,
    input  wire [6:0]                      credit_lane,
    input  wire [6:0]                      credit_value,        // counter bits [11:5]
    input  wire [1:0]                      credit_path,         // the link by which it arrived
    output wire                            credit_taken,        // credit_* is held until then
    input  wire [PATHS-1:0]                path_up,             // level, several paths: this link is up
    input  wire [PATHS-1:0]                path_dead,           // ... it has been down for long

    // set-up
    input  wire [PATHS*QUEUES-1:0]         cfg_paths,           // several paths: to destination d by [PATHS*d +: PATHS]
    input  wire [9:0]                      cfg_ahead,           // several paths: see voq_ahead
    input  wire                            cfg_direct,          // level: all queues share one virtual channel
    input  wire                            cfg_sequence_zero,   // level: sequence numbers are all 0
    input  wire                            cfg_groups,          // level, with SYNC: packets carry groups instead
    input  wire [11:0]                     cfg_tx_capacity,     // buffer of each virtual channel [units]
    input  wire [LOG2_BLOCKS:0]            cfg_body_limit,      // blocks that one VOQ may hold, 0: no bodies

    // host's window onto the external memory
    input  wire                            win_req,             // held until win_ack, read data with it
    input  wire                            win_we,
    input  wire [BAR0_BITS-1:3]            win_addr,
    input  wire [63:0]                     win_wdata,
    input  wire [7:0]                      win_be,              // bytes that are written
    output wire                            win_ack,
    output wire [63:0]                     win_rdata,

    // external memory
    output wire                            mem_valid,           // held until mem_ready
    output wire                            mem_we,
    output wire [BAR0_BITS-1:3]            mem_addr,
    output wire [71:0]                     mem_wdata,
    output wire [8:0]                      mem_be,              // bytes that are written
    input  wire                            mem_ready,
    input  wire                            mem_rvalid,          // in the order of the reads
    input  wire [71:0]                     mem_rdata,

    // status
    output wire [VOQS*12-1:0]              level_words,         // on chip, words reserved included
    output wire [VOQS*(LOG2_BLOCKS+1)-1:0] level_blocks,        // blocks in external memory
    output wire [LOG2_BLOCKS:0]            free_blocks,
    output wire [31:0]                     states,
    output wire                            ev_migrated,         // a word has been written out
    output wire                            ev_fetched,          // a word has been read back
    output wire                            ev_damaged,          // a word of a body was read back damaged
    output wire                            exhausted,           // level: a queue is refused a (longer) body
    output wire                            backpressure,        // level: packets are ready, none has credit
    output reg                             ev_overflow          // a bug: something has been lost
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam LOG2_VOQS   = (VOQS == 1) ? 1 : LOG2_QUEUES;
    localparam W           = LOG2_VOQ_WORDS;

    initial begin
        if (QUEUES != 8 && QUEUES != 16) begin
            $display("%m: QUEUES must be 8 or 16, is %0d", QUEUES);
            $finish;
        end
        if (VOQS != 1 && VOQS != QUEUES) begin
            $display("%m: VOQS must be 1 or QUEUES, is %0d (QUEUES %0d)", VOQS, QUEUES);
            $finish;
        end
        if (LOG2_VOQ_WORDS < 8 || LOG2_VOQ_WORDS > 12 || LOG2_STAGING < 10 || LOG2_STAGING > 12) begin
            $display("%m: LOG2_VOQ_WORDS must be 8..12, is %0d; LOG2_STAGING 10..12, is %0d", LOG2_VOQ_WORDS,
                     LOG2_STAGING);
            $finish;
        end
        if (SEGMENT_WORDS < 16 || SEGMENT_WORDS > 512 || BLOCK_WORDS < 16 || BLOCK_WORDS > 512
            || (BLOCK_WORDS & (BLOCK_WORDS - 1)) != 0) begin
            $display("%m: SEGMENT_WORDS must be 16..512, is %0d; BLOCK_WORDS a power of two, 16..512, is %0d",
                     SEGMENT_WORDS, BLOCK_WORDS);
            $finish;
        end
        if (LOG2_BLOCKS < 4 || LOG2_BLOCKS > 14 || BAR0_BITS < 12 || BAR0_BITS > 27
            || (BLOCK_WORDS << LOG2_BLOCKS) > (1 << (BAR0_BITS - 3))) begin
            $display("%m: LOG2_BLOCKS must be 4..14, is %0d; BAR0_BITS 12..27 and large enough for the blocks, is %0d",
                     LOG2_BLOCKS, BAR0_BITS);
            $finish;
        end
    end

    // ---- software reset
    wire                   halt, departure_idle, skip, body_flush, body_flushed, clear, settle, clear_numbers,
                           skip_used;
    wire [LOG2_QUEUES-1:0] at;
    wire [1:0]             clear_path;
    wire [2:0]             flush_state, departure_state;
    wire [3:0]             body_state;
    wire [VOQS-1:0]        body, body_open, blocked, ring_low;
    wire [LOG2_VOQS-1:0]   at_voq, reserve_voq, head_voq;
    wire [(1 << LOG2_VOQS)-1:0] bodies = {{(1 << LOG2_VOQS)-VOQS{1'b0}}, body};

    voq_flush #(.LOG2_QUEUES(LOG2_QUEUES), .LOG2_PATHS($clog2(PATHS))) emptying (
        .clk (clk), .rst (rst), .flush (flush), .done (voq_idle), .cfg_direct (cfg_direct), .halt (halt),
        .departure_idle (departure_idle), .at (at), .used (skip_used || bodies[at_voq]), .skip (skip),
        .dropped_valid (dropped_valid), .dropped_queue (dropped_queue), .body_flush (body_flush),
        .body_flushed (body_flushed), .clear (clear), .settle (settle), .clear_numbers (clear_numbers),
        .clear_path (clear_path), .state (flush_state)
    );

    // ---- pieces: on chip or body
    wire                   head_valid, head_body, head_only, reserve_body, give, pieces_overflow;
    wire [LOG2_QUEUES-1:0] head_queue;
    wire [10:0]            head_words, give_words;
    wire [W-1:0]           put_words;
    wire [W+10:0]          put_wide  = {11'd0, put_words};
    wire [W+10:0]          give_wide = {{W{1'b0}}, give_words};
    wire                   touched   = voq_wr_valid || voq_wr_commit || voq_wr_rollback || voq_piece_end;
    wire                   chip      = head_valid && !head_body;
    wire                   put_commit   = chip && voq_wr_commit && !voq_wr_rollback;
    wire                   put_rollback = chip && voq_wr_rollback;

    voq_pieces #(.LOG2_QUEUES(LOG2_QUEUES)) pieces (
        .clk (clk), .clear (clear),
        .reserve (voq_reserve), .reserve_body (reserve_body), .reserve_queue (voq_reserve_queue),
        .reserve_words (voq_reserve_words), .head_valid (head_valid), .head_body (head_body), .head_queue (head_queue),
        .head_words (head_words), .head_only (head_only), .put_commit (put_commit), .put_words (put_wide[10:0]),
        .piece_end (voq_piece_end), .give (give), .give_words (give_words), .ev_overflow (pieces_overflow)
    );

    // ---- one queue for each destination, or one for all
    wire [VOQS*11-1:0] room;
    wire [67:0]        word;

    generate
        if (VOQS == 1) begin : single
            // A transfer that ends in nothing but an ABORT must name its destination: there is no header. Headers and
            // ABORTs carry it three times, in otherwise unused bits: [55:52], [59:56] and {[63], [2:0]}. So it is known
            // whatever bit external memory damages.
            wire [QUEUES-1:0] mine;
            wire [3:0]        to = {{4-LOG2_QUEUES{1'b0}}, head_queue};
            genvar q;

            assign at_voq      = 1'b0;
            assign reserve_voq = 1'b0;
            assign head_voq    = 1'b0;
            assign word        = (voq_wr_data[66] || voq_wr_data[64])
                                 ? {voq_wr_data[67:64], to[3], voq_wr_data[62:60], to, to, voq_wr_data[51:3], to[2:0]}
                                 : voq_wr_data;

            voq_single #(.QUEUES(QUEUES)) order (
                .clk (clk), .clear (clear), .reserve (voq_reserve), .reserve_queue (voq_reserve_queue),
                .head_only (head_only), .wr_opens (voq_wr_valid && voq_wr_data[64]),
                .wr_closes (voq_wr_valid && (voq_wr_data[65] || voq_wr_data[66])), .piece_end (voq_piece_end),
                .mine (mine)
            );
            for (q = 0; q < QUEUES; q = q + 1) begin : each
                assign voq_room[11*q +: 11] = room & {11{mine[q]}};
            end
        end else begin : several
            assign at_voq      = at;
            assign reserve_voq = voq_reserve_queue;
            assign head_voq    = head_queue;
            assign word        = voq_wr_data;
            assign voq_room    = room;
        end
    endgenerate

    // ---- on chip
    wire                 shown_valid, shown_abort, put_empty, put_header, rd_valid, rd_keep, space_overflow, wanting;
    wire                 fetch_valid, fetch_ready, fetch_reserve, body_short, body_overflow, body_busy, ev_stray;
    wire [LOG2_VOQS-1:0] shown_voq, look_voq, rd_voq, scan_voq, fetch_voq, fetch_to;
    wire [W-1:0]         look_words, scan_start;
    wire [67:0]          rd_data;
    wire [67:0]          fetch_data;
    wire [9:0]           fetch_words;
    wire [10:0]          body_room;
    wire [VOQS*12-1:0]   ring_free;

    voq_rings #(.VOQS(VOQS), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS)) rings (
        .clk (clk), .clear (clear), .clear_voq (at_voq),
        .put_turn (chip && touched), .put_valid (voq_wr_valid), .put_bypass (put_header), .put_data (word[66:0]),
        .put_voq (head_voq), .put_commit (voq_wr_commit), .put_rollback (voq_wr_rollback), .put_empty (put_empty),
        .put_words (put_words), .fetch_valid (fetch_valid), .fetch_data (fetch_data), .fetch_voq (fetch_to),
        .fetch_ready (fetch_ready), .fetch_due (body_busy), .pause (voq_pause),
        .shown_valid (shown_valid), .shown_voq (shown_voq), .shown_abort (shown_abort),
        .rd_valid (rd_valid), .rd_keep (rd_keep), .rd_voq (rd_voq), .rd_data (rd_data),
        .look_voq (look_voq), .look_words (look_words), .scan_voq (scan_voq), .scan_start (scan_start)
    );

    voq_space #(.VOQS(VOQS), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS)) space (
        .clk (clk), .rst (rst), .slept (slept), .closed (clear || settle), .clear (settle),
        .reserve (voq_reserve), .reserve_voq (reserve_voq), .reserve_words (voq_reserve_words),
        .reserve_body (reserve_body), .give (give), .give_voq (head_voq), .give_words (give_wide[W-1:0]),
        .fetch_reserve (fetch_reserve), .fetch_reserve_voq (fetch_voq), .fetch_reserve_words (fetch_words),
        .scan_voq (scan_voq), .scan_start (scan_start),
        .blocked (blocked), .body (body), .body_open (body_open), .body_room (body_room & {11{!voq_hold}}),
        .body_short (body_short), .room (room), .taken (level_words), .free (ring_free), .low (ring_low),
        .exhausted (wanting), .ev_overflow (space_overflow)
    );

    // Level for the scheduler: a queue that has a body is longer than all that are on chip alone.
    wire [VOQS*12-1:0] level;
    genvar v;
    generate
        for (v = 0; v < VOQS; v = v + 1) begin : level_of
            assign level[12*v +: 12] = level_words[12*v +: 12] | {12{body[v]}};
        end
    endgenerate

    voq_departure #(
        .VOQS(VOQS), .LOG2_QUEUES(LOG2_QUEUES), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS), .PATHS(PATHS), .LOG2_OUT(LOG2_OUT),
        .SYNC(SYNC)
    ) departure (
        .clk (clk), .rst (rst), .slept (slept), .clear (clear), .clear_numbers (clear_numbers), .clear_lane (at),
        .clear_path (clear_path), .halt (halt),
        .idle (departure_idle), .skip_valid (skip), .skip_lane (at), .skip_voq (at_voq), .skip_used (skip_used),
        .cfg_direct (cfg_direct), .cfg_sequence_zero (cfg_sequence_zero), .cfg_groups (cfg_groups),
        .cfg_tx_capacity (cfg_tx_capacity),
        .put_look (chip && voq_wr_valid && voq_wr_data[64]), .put_empty (put_empty), .put_header (put_header),
        .put_eager (voq_wr_eager), .put_commit (put_commit), .put_rollback (put_rollback), .put_voq (head_voq),
        .put_data (voq_wr_data[63:0]),
        .shown_valid (shown_valid), .shown_voq (shown_voq), .shown_abort (shown_abort),
        .look_voq (look_voq), .look_words (look_words), .rd_valid (rd_valid), .rd_keep (rd_keep), .rd_voq (rd_voq),
        .rd_data (rd_data), .level (level), .credit_valid (credit_valid), .credit_lane (credit_lane),
        .credit_value (credit_value), .credit_path (credit_path), .credit_taken (credit_taken),
        .path_up (path_up), .path_dead (path_dead), .cfg_paths (cfg_paths), .cfg_ahead (cfg_ahead),
        .out_path (out_path), .out_hold (out_hold),
        .out_valid (out_valid), .out_data (out_data), .out_count (out_count), .out_quiet (out_quiet),
        .moved_valid (moved_valid), .moved_lost (moved_lost), .moved_queue (moved_queue),
        .blocked (blocked), .backpressure (backpressure), .ev_stray (ev_stray), .state (departure_state)
    );

    // ---- bodies
    voq_body #(
        .VOQS(VOQS), .SEGMENT_WORDS(SEGMENT_WORDS), .BLOCK_WORDS(BLOCK_WORDS), .LOG2_BLOCKS(LOG2_BLOCKS),
        .BAR0_BITS(BAR0_BITS), .LOG2_STAGING(LOG2_STAGING)
    ) bodies_outside (
        .clk (clk), .rst (rst), .slept (slept), .flush (body_flush), .flushed (body_flushed),
        .in_valid (voq_wr_valid && head_valid && head_body), .in_data (word), .in_voq (head_voq),
        .in_commit (voq_wr_commit && head_valid && head_body),
        .in_rollback (voq_wr_rollback && head_valid && head_body),
        .in_piece_end (voq_piece_end && head_valid && head_body), .in_piece_words (head_words), .reserve (reserve_body),
        .reserve_voq (reserve_voq), .reserve_words (voq_reserve_words), .body (body), .body_room (body_room),
        .body_open (body_open), .body_short (body_short), .cfg_body_limit (cfg_body_limit),
        .fetch_reserve (fetch_reserve), .fetch_voq (fetch_voq), .fetch_words (fetch_words), .ring_free (ring_free),
        .ring_low (ring_low), .out_valid (fetch_valid), .out_voq (fetch_to), .out_data (fetch_data),
        .out_ready (fetch_ready), .win_req (win_req), .win_we (win_we), .win_addr (win_addr), .win_wdata (win_wdata),
        .win_be (win_be), .win_ack (win_ack), .win_rdata (win_rdata), .mem_valid (mem_valid), .mem_we (mem_we),
        .mem_addr (mem_addr), .mem_wdata (mem_wdata), .mem_be (mem_be), .mem_ready (mem_ready),
        .mem_rvalid (mem_rvalid), .mem_rdata (mem_rdata), .level_blocks (level_blocks), .free_blocks (free_blocks),
        .ev_migrated (ev_migrated), .ev_fetched (ev_fetched), .ev_damaged (ev_damaged), .ev_overflow (body_overflow),
        .busy (body_busy), .state (body_state)
    );

    // ---- status
    wire [VOQS+15:0] blocked_wide = {16'd0, blocked};

    assign busy      = halt || head_valid || (level_words != {VOQS*12{1'b0}}) || !departure_idle || body_busy;
    assign exhausted = wanting && (|cfg_body_limit);
    assign states    = {blocked_wide[15:0], 4'd0, body_state, 1'b0, flush_state, 1'b0, departure_state};

    always @(posedge clk)
        if (rst) ev_overflow <= 1'b0;
        else     ev_overflow <= pieces_overflow || space_overflow || body_overflow || ev_stray
                                || (touched && !head_valid && !halt);

    wire unused = &{1'b0, head_only, put_wide, give_wide, blocked_wide};

    // ---- measuring
    wire probe_busy         = head_valid || out_valid || (|blocked);
    wire probe_stall_credit = backpressure;
    wire probe_start        = voq_wr_valid && voq_wr_data[64];
    wire probe_done         = moved_valid;
endmodule
`default_nettype wire
