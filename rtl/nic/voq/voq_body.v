// The bodies of the VOQs: words that do not fit on chip go through a staging queue into blocks of external memory, one
// linked list of blocks per VOQ, and return into the rings in their order.
//
//      in_* --> voq_staging --+                     +--> voq_returns --> out_* (ring)
//                             |    voq_memory       |
//               voq_turns ----+--> mem_* port  -----+    voq_turns: a segment written out, or a segment fetched
//               voq_blocks: addresses, lists, free blocks          voq_fetch: which VOQ is fetched, how many words
//               voq_limits: what may be reserved                   voq_presence: which VOQs have a body
//               voq_encode: the tag byte of a word                 voq_decode: its kind, damaged or not
//
// Words never overtake: the staging is one queue; a word is read only after its write was taken by the memory, whose
// port keeps the order of accesses; answers arrive in the order of the reads and go through one queue into the ring. No
// word is lost: a piece is reserved before its first word arrives, in the staging and in free blocks; a word requested
// has a place in voq_returns.
//
// Cost in clocks: a word committed in clock n is offered to the memory in n + 3 if the port is idle; a segment of n
// words takes n + 1 clocks to write, n + 2 to fetch; a word read is offered to the ring 2 clocks later.
//
// `flush` drops everything; hold it until `flushed`. Word w of block b is at byte address (b x BLOCK_WORDS + w) x 8.
`default_nettype none
module voq_body #(
    // queues, 1..16
    parameter VOQS = 8,
    // longest burst moved to or from external memory at once [words], 16..512
    parameter SEGMENT_WORDS = 128,
    // words per block, power of two, 16..512
    parameter BLOCK_WORDS = 64,
    // log2 of the blocks, 4..14
    parameter LOG2_BLOCKS = 12,
    // log2 of the window onto the external memory [bytes], 12..27; the blocks must fit
    parameter BAR0_BITS = 27,
    // log2 of the staging queue [words], 10..12
    parameter LOG2_STAGING = 10
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [7:0]                             slept,            // clock_gate: clocks missed
    input  wire                                   flush,            // level, until `flushed`
    output wire                                   flushed,

    // ---- words for the bodies; the pieces in the order of their reservation
    input  wire                                   in_valid,
    input  wire [67:0]                            in_data,          // a word as voq.v gets it
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] in_voq,
    input  wire                                   in_commit,        // all words written, with this clock's, are good
    input  wire                                   in_rollback,      // uncommitted words are dropped
    input  wire                                   in_piece_end,     // the oldest piece is over
    input  wire [10:0]                            in_piece_words,   // reserved for it: not less than its words

    // ---- reservations, at most body_room words
    input  wire                                   reserve,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] reserve_voq,
    input  wire [10:0]                            reserve_words,
    output wire [VOQS-1:0]                        body,             // from the clock after `reserve` to its last word's
    output wire [10:0]                            body_room,        // counts a reservation from the next clock on
    output wire [VOQS-1:0]                        body_open,        // this VOQ may have more blocks
    output wire                                   body_short,       // body_room is below 512 for want of free blocks
    input  wire [LOG2_BLOCKS:0]                   cfg_body_limit,   // blocks for one VOQ, 0: no bodies

    // ---- back into the rings
    output wire                                   fetch_reserve,    // one clock: fetch_words will arrive for fetch_voq
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] fetch_voq,
    output wire [9:0]                             fetch_words,
    input  wire [VOQS*12-1:0]                     ring_free,        // counts a segment from after fetch_reserve on
    input  wire [VOQS-1:0]                        ring_low,         // less than half full
    output wire                                   out_valid,
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] out_voq,
    output wire [67:0]                            out_data,         // [67]: damaged, only its kind is certain
    input  wire                                   out_ready,

    // ---- window of the host: held until acknowledged
    input  wire                                   win_req,
    input  wire                                   win_we,
    input  wire [BAR0_BITS-1:3]                   win_addr,
    input  wire [63:0]                            win_wdata,
    input  wire [7:0]                             win_be,
    output wire                                   win_ack,
    output wire [63:0]                            win_rdata,

    // ---- external memory
    output wire                                   mem_valid,        // held until mem_ready
    output wire                                   mem_we,
    output wire [BAR0_BITS-1:3]                   mem_addr,
    output wire [71:0]                            mem_wdata,
    output wire [8:0]                             mem_be,
    input  wire                                   mem_ready,
    input  wire                                   mem_rvalid,       // in the order of the reads
    input  wire [71:0]                            mem_rdata,

    // ---- status
    output wire [VOQS*(LOG2_BLOCKS+1)-1:0]        level_blocks,     // blocks of each queue
    output wire [LOG2_BLOCKS:0]                   free_blocks,
    output reg                                    ev_migrated,      // a word has been written out
    output wire                                   ev_fetched,       // a word has gone into its ring
    output reg                                    ev_damaged,       // a word was read back damaged
    output reg                                    ev_overflow,      // never: a lost word, no space, unexpected answer
    output wire                                   busy,             // clock_gate: a word is here
    output wire [3:0]                             state             // window word, words for a ring awaited, voq_turns
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    localparam WORD_BITS = LOG2_BLOCKS + $clog2(BLOCK_WORDS);

    // ---- staging
    wire                  head_valid, head_word, head_end, staging_full, staging_overflow;
    wire [LOG2_VOQS-1:0]  head_voq;
    wire [66:0]           head_data;
    wire [LOG2_STAGING:0] space;
    wire                  write_done, read_done, skip;
    wire                  pop = write_done || skip;

    voq_staging #(.LOG2_VOQS(LOG2_VOQS), .LOG2_DEPTH(LOG2_STAGING)) staging (
        .clk (clk), .rst (rst), .clear (flush),
        .in_valid (in_valid), .in_data (in_data[66:0]), .in_voq (in_voq), .in_commit (in_commit),
        .in_rollback (in_rollback), .in_piece_end (in_piece_end), .in_piece_words (in_piece_words),
        .reserve (reserve), .reserve_words (reserve_words), .space (space),
        .head_valid (head_valid), .head_word (head_word), .head_end (head_end), .head_voq (head_voq),
        .head_data (head_data), .pop (pop), .half_full (staging_full), .overflow (staging_overflow)
    );

    // ---- arbitration, and which VOQ
    wire                  fetching, write_try, read_try, fetch_ready, fetch_urgent, fetch_pick, returns_room;
    wire [9:0]            segment;
    wire [9:0]            outside;
    wire                  outside_many, fetch_none, sizing;
    wire [1:0]            turn;
    wire [VOQS-1:0]       present;
    reg                   staging_urgent;

    always @(posedge clk) staging_urgent <= |(body & ~present & ring_low);

    voq_turns #(.SEGMENT_WORDS(SEGMENT_WORDS)) turns (
        .clk (clk), .rst (rst), .clear (flush),
        .head_valid (head_valid), .head_word (head_word), .staging_full (staging_full),
        .staging_urgent (staging_urgent), .fetch_ready (fetch_ready), .fetch_urgent (fetch_urgent),
        .fetch_pick (fetch_pick), .fetch_none (fetch_none), .fetch_words (segment), .sizing (sizing),
        .returns_room (returns_room), .returns_blocked (out_valid && !out_ready),
        .fetching (fetching), .write_try (write_try), .read_try (read_try), .write_done (write_done),
        .read_done (read_done), .skip (skip), .begins (fetch_reserve), .left (fetch_words), .state (turn)
    );

    voq_fetch #(.VOQS(VOQS), .SEGMENT_WORDS(SEGMENT_WORDS)) fetch (
        .clk (clk), .rst (rst), .slept (slept), .present (present), .ring_free (ring_free), .ring_low (ring_low),
        .ready (fetch_ready), .urgent (fetch_urgent), .pick (fetch_pick), .sizing (sizing),
        .voq (fetch_voq), .outside_many (outside_many), .outside (outside), .none (fetch_none), .words (segment)
    );

    // ---- addresses
    wire                  write_ok, read_ok, broken;
    wire [WORD_BITS-1:0]  address;
    wire [LOG2_VOQS-1:0]  look;
    wire [LOG2_BLOCKS:0]  look_level;

    voq_blocks #(
        .VOQS(VOQS), .BLOCK_WORDS(BLOCK_WORDS), .LOG2_BLOCKS(LOG2_BLOCKS)
    ) blocks (
        .clk (clk), .rst (rst), .clear (flush),
        .at (fetching ? fetch_voq : head_voq), .at_read (fetching), .address (address), .write_ok (write_ok),
        .read_ok (read_ok), .wrote (write_done), .was_read (read_done), .at_many (outside_many),
        .at_words (outside),
        .present (present), .free_blocks (free_blocks), .look (look), .look_level (look_level), .broken (broken)
    );

    voq_limits #(
        .VOQS(VOQS), .BLOCK_WORDS(BLOCK_WORDS), .LOG2_BLOCKS(LOG2_BLOCKS),
        .LOG2_STAGING(LOG2_STAGING)
    ) limits (
        .clk (clk), .rst (rst), .slept (slept), .clear (flush), .limit (cfg_body_limit),
        .space (space), .free_blocks (free_blocks), .room (body_room), .blocks_short (body_short),
        .present (present), .look (look), .look_level (look_level), .open (body_open), .levels (level_blocks)
    );

    // ---- the port
    wire        body_taken, body_rvalid, win_waiting, mem_unexpected;
    wire [71:0] body_rdata;
    wire [67:0] come_data;
    wire [7:0]  tag;
    wire        come_odd, come_fixed;
    wire        odd        = ^address;
    wire        body_write = write_try && write_ok && !flush;
    wire        body_read  = read_try && read_ok && !flush;

    voq_encode encode (.word (head_data), .odd_address (odd), .tag (tag));
    voq_decode decode (.valid (mem_rvalid), .raw (body_rdata), .odd_address (come_odd), .word (come_data),
                       .fixed (come_fixed));

    voq_memory #(.BAR0_BITS(BAR0_BITS), .WORD_BITS(WORD_BITS)) memory (
        .clk (clk), .rst (rst),
        .body_write (body_write), .body_read (body_read), .body_addr (address), .body_wdata ({tag, head_data[63:0]}),
        .body_taken (body_taken),
        .body_rvalid (body_rvalid), .body_rdata (body_rdata),
        .win_req (win_req), .win_we (win_we), .win_addr (win_addr), .win_wdata (win_wdata), .win_be (win_be),
        .win_ack (win_ack), .win_rdata (win_rdata),
        .mem_valid (mem_valid), .mem_we (mem_we), .mem_addr (mem_addr), .mem_wdata (mem_wdata), .mem_be (mem_be),
        .mem_ready (mem_ready), .mem_rvalid (mem_rvalid), .mem_rdata (mem_rdata), .waiting (win_waiting),
        .unexpected (mem_unexpected)
    );

    assign write_done = body_taken && body_write;
    assign read_done  = body_taken && body_read;

    // ---- words read back
    wire        returned, returns_none, returns_unexpected;
    wire [4:0]  issued, handed;

    voq_returns #(.LOG2_VOQS(LOG2_VOQS)) returns (
        .clk (clk), .rst (rst), .clear (flush), .ask (read_done), .ask_voq (fetch_voq), .ask_mark (odd),
        .room (returns_room),
        .come_valid (body_rvalid), .come_mark (come_odd), .come_data (come_data),
        .out_valid (returned), .out_voq (out_voq), .out_data (out_data), .out_ready (out_ready),
        .none (returns_none), .asked (issued), .handed (handed), .unexpected (returns_unexpected)
    );

    assign out_valid = returned && !flush;
    assign flushed   = flush && returns_none;

    voq_presence #(.VOQS(VOQS), .PIECE_BITS(LOG2_STAGING + 1)) presence (
        .clk (clk), .rst (rst), .slept (slept), .clear (flush), .reserve (reserve), .reserve_voq (reserve_voq),
        .piece_gone (pop && head_end), .piece_gone_voq (head_voq), .present (present), .issued (issued),
        .handed (handed), .body (body)
    );

    // ---- events
    assign ev_fetched  = out_valid && out_ready;
    assign state       = {win_waiting, returned, turn};

    always @(posedge clk)
        if (rst) begin
            ev_overflow <= 1'b0;
            ev_damaged  <= 1'b0;
            ev_migrated <= 1'b0;
        end else begin
            ev_overflow <= staging_overflow || mem_unexpected || returns_unexpected || (write_try && broken);
            ev_damaged  <= body_rvalid && (come_data[67] || come_fixed);
            ev_migrated <= write_done;
        end

    wire unused = &{1'b0, in_data[67]};

    assign busy = (|body) || !returns_none || win_req || win_waiting || flush;

    // ---- measuring
    wire probe_busy         = (|body) || !returns_none;
    wire probe_stall_memory = (body_write || body_read) && !body_taken;
    wire probe_start        = write_done;
    wire probe_done         = ev_fetched;
endmodule
`default_nettype wire
