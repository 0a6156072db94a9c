// Outgoing half of the DMA engine, reading side: takes descriptors from the request queues, checks them, and asks the bus interface
// for their data. The data themselves go to the packetizer.
//
//     request_queues --descriptor--> [check] --> next --> active --rd_req--> pcix_core --rd_data--> dma_packetizer
//                                        \----- idle: straight -----^
//
// One descriptor is fetched and checked while the one before is being read, so that the next read request stands in the clock after
// rd_done. A transfer is read in pieces of at most `cfg_max_read_words`; a piece is asked for only when H2N has room for all its
// words and the headers of the packets they will be cut into (completions may not be refused). With a payload limit below 32 words a
// piece is one packet, which bounds the headers that can fall into one piece (see dma_packetizer). The payload limit is looked at
// once per transfer: changing it never disturbs one under way.
//
// An illegal descriptor (length 0 or above 512, an address that is no multiple of 8, a flow that is not its queue's) is handed on
// as a transfer to be skipped. When a read fails the rest of its transfer is abandoned.
//
// Software reset (`flush`): what was taken is given up; a request not yet acknowledged is withdrawn; a read under way is awaited and
// its words thrown away (`discard`). While bus mastering is off such a read cannot end: then the reset does not wait for it, and
// its words are thrown away whenever they come.
//
//     clk         0        1        2         3        4
//     ready   ____/~~~~~~~~\__________________________________
//     take    ____/~~~~~~~~\__________________________________
//     fetching ____________/~~~~~~~~\_________________________      check, size of the first piece
//     rd_req  ______________________/~~~~~~~~ (room in H2N)         2 clocks after `ready` when nothing is under way
`default_nettype none
module dma_outgoing #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // log2 of QUEUES
    parameter LOG2_QUEUES = 3,
    // 64-bit words that H2N holds, 1023..2047
    parameter FIFO_WORDS = 1023
) (
    input  wire                   clk,
    input  wire                   rst,

    // request queues
    input  wire [QUEUES-1:0]      ready,
    output wire                   take,
    output wire [LOG2_QUEUES-1:0] take_queue,
    input  wire [127:0]           take_descriptor,

    // read sequences of the bus interface
    output wire                   rd_req,
    output wire [63:0]            rd_addr,
    output wire [9:0]             rd_words,
    output wire [4:0]             rd_tag,
    input  wire                   rd_ack,
    input  wire                   rd_data_valid,
    input  wire                   rd_done,
    input  wire [2:0]             rd_status,
    input  wire [9:0]             cfg_max_read_words, // >= 64

    // to the packetizer: a transfer has begun (its parameters); its words
    output wire                   transfer_valid,    // one clock
    output wire [63:0]            transfer_word,     // word 1 of the descriptor
    output wire [LOG2_QUEUES-1:0] transfer_queue,
    output wire [9:0]             transfer_limit,    // longest payload of its packets
    output wire                   transfer_skip,     // it is not read: illegal, or given up by a software reset
    input  wire                   transfer_full,     // it can take no more transfers
    input  wire                   transfer_hold,     // ... none that is to be read
    input  wire                   calm,              // few words of the last piece wait in it
    output wire                   room_given,        // a piece has been asked for: room for its words and headers is reserved
    output wire                   discard,           // words and ends of reads that come now belong to no transfer
    output wire                   read_turn,         // a read request is about to follow: a new write should let it go first

    // room in H2N
    input  wire [10:0]            h2n_count,
    input  wire [9:0]             cfg_payload_limit, // 1..512

    // set-up
    input  wire                   cfg_bus_master,
    input  wire                   enable,            // new transfers may be taken and pieces asked for
    input  wire                   flush,             // software reset: give up what was taken
    output wire                   idle,              // nothing left that a software reset has to wait for

    // results
    output reg                    ev_bad_length,
    output reg                    ev_bad_address,
    output reg                    ev_bad_flow,
    output wire                   read_failed,       // one clock: the active transfer was abandoned
    output wire                   ev_transfer_read,  // one clock: all data of a transfer have been read
    output wire [2:0]             state
);
    localparam [2:0] IDLE    = 3'd0,   // no transfer
                     REQUEST = 3'd1,   // read request stands, or waits for room in H2N
                     DATA    = 3'd2,   // waits for the end of the piece
                     GIVE_UP = 3'd3;   // the transfer is gone, its read is still under way

    localparam [10:0] CAPACITY = FIFO_WORDS[10:0];

    // Words that the count of H2N does not show yet when the next piece is asked for: up to 13 of the last piece in the packetizer,
    // 2 headers among and after them, 4 on their way into the FIFO and its count. Also 2 headers of the new piece.
    localparam [10:0] UNSEEN = 11'd24;

    // ---- fetch and check
    wire                   pick_any;
    wire [QUEUES-1:0]      pick_grant;
    wire [LOG2_QUEUES-1:0] pick_index;
    reg  [LOG2_QUEUES-1:0] last_queue;
    reg                    fetching;       // the descriptor's words are there in this clock
    reg                    next_valid;
    reg                    next_skip;
    reg  [63:0]            next_source;
    reg  [63:0]            next_word;
    wire                   load;           // the next transfer becomes the active one

    round_robin #(.N(QUEUES), .LOG2_N(LOG2_QUEUES)) pick (
        .request (ready),
        .last    (last_queue),
        .any     (pick_any),
        .grant   (pick_grant),
        .index   (pick_index)
    );

    assign take       = (|pick_grant) && pick_any && enable && !flush && !fetching && (!next_valid || load);
    assign take_queue = pick_index;

    wire [63:0] source      = take_descriptor[63:0];
    wire [63:0] word        = take_descriptor[127:64];
    wire        bad_length  = (word[41:32] == 10'd0) || (word[41:32] > 10'd512);
    wire        bad_address = (|source[2:0]) || (|word[2:0]);
    wire        bad_flow    = (word[58:52] != {{7-LOG2_QUEUES{1'b0}}, last_queue});
    wire        bad         = bad_length || bad_address || bad_flow;

    always @(posedge clk)
        if (rst) begin
            last_queue     <= {LOG2_QUEUES{1'b0}};
            fetching       <= 1'b0;
            next_valid     <= 1'b0;
            ev_bad_length  <= 1'b0;
            ev_bad_address <= 1'b0;
            ev_bad_flow    <= 1'b0;
        end else begin
            fetching       <= take;
            ev_bad_length  <= fetching && bad_length;
            ev_bad_address <= fetching && bad_address && !bad_length;
            ev_bad_flow    <= fetching && bad_flow && !bad_address && !bad_length;
            if (take) last_queue <= pick_index;
            next_valid     <= (fetching || next_valid) && !load;
        end

    always @(posedge clk)
        if (fetching) begin
            next_source <= source;
            next_word   <= word;
            next_skip   <= bad;
        end

    // ---- the next transfer becomes the active one
    reg  [2:0]  fsm;
    reg  [63:0] address;
    reg  [9:0]  words_left;                // not asked for yet
    reg  [9:0]  piece;
    reg  [9:0]  piece_limit;

    wire        failed   = (fsm == DATA) && rd_done && (rd_status != 3'd0);
    wire        complete = (fsm == DATA) && rd_done && (rd_status == 3'd0) && (words_left == 10'd0);
    wire        skip     = flush || (next_valid ? next_skip : bad);
    wire [63:0] load_word = next_valid ? next_word : word;

    assign load           = (next_valid || fetching) && !transfer_full && (skip || !transfer_hold)
                            && ((fsm == IDLE) || failed || complete || (fsm == GIVE_UP && skip));
    assign transfer_valid = load;
    assign transfer_word  = load_word;
    assign transfer_queue = last_queue;    // no other descriptor is taken before this one is loaded
    assign transfer_limit = cfg_payload_limit;
    assign transfer_skip  = skip;

    // ---- size of the pieces
    wire        small_packets = (cfg_payload_limit < 10'd32);
    wire [9:0]  limit_now     = small_packets ? cfg_payload_limit : cfg_max_read_words;
    wire [9:0]  whole_piece   = load ? limit_now : piece_limit;
    wire [9:0]  whole_left    = load ? load_word[41:32] : words_left;

    always @(posedge clk) begin
        if (load) begin
            address     <= next_valid ? next_source : source;
            words_left  <= load_word[41:32];
            piece_limit <= limit_now;
        end else if (rd_ack) begin
            address    <= address + {51'd0, piece, 3'b000};
            words_left <= words_left - piece;
        end
        if (load || fsm == DATA)
            piece <= (whole_left < whole_piece) ? whole_left : whole_piece;
    end

    // ---- room: headers that fall into a piece are 2 at most if it is one packet, else words / 32 + 2
    reg  [10:0] free_words;
    wire [10:0] needed_words = {1'b0, piece} + {6'd0, piece[9:5]} + UNSEEN;

    always @(posedge clk)
        if (rst) free_words <= 11'd0;
        else     free_words <= CAPACITY - h2n_count;

    // ---- reading the active transfer
    assign rd_req     = (fsm == REQUEST) && (needed_words <= free_words) && calm && enable && !flush;
    assign rd_addr    = address;
    assign rd_words   = piece;
    assign rd_tag     = 5'd0;
    assign room_given = rd_ack || (fsm == DATA);
    assign discard    = flush || (fsm == GIVE_UP);

    assign read_failed      = failed && !flush;
    assign ev_transfer_read = complete && !flush;
    assign idle  = !next_valid && !fetching && ((fsm == IDLE) || (fsm == GIVE_UP && !cfg_bus_master));
    assign state = fsm;

    always @(posedge clk)
        if (rst)
            fsm <= IDLE;
        else
            case (fsm)
                IDLE:    if (load && !skip) fsm <= REQUEST;
                REQUEST: if (flush) fsm <= IDLE;
                         else if (rd_ack) fsm <= DATA;
                DATA:    if (rd_done) fsm <= (flush || ((failed || complete) && !(load && !skip))) ? IDLE : REQUEST;
                         else if (flush) fsm <= GIVE_UP;
                default: if (rd_done) fsm <= IDLE;
            endcase

    // ---- whose turn. A read gives the bus back at its Split Response; a write that starts then fills the latency of the read. A write
    // that starts just before the completion comes delays it, and the bus idles for the latency of the next read instead. So while more
    // is to be read, and H2N has room for it, a write that has not started waits
    //   * when the completion is likely to be near: LATE to LATEST clocks after the request was taken, without data so far;
    //   * from the last words of a piece until the next request is taken, or 15 clocks have shown that it is not coming.
    // In all a write loses at most MOST clocks to a read, however slowly its words come.
    localparam [6:0] LATE = 7'd28, LATEST = 7'd76;
    localparam [7:0] MOST = 8'd255;

    reg  [9:0]  coming;     // words of the piece still to come
    reg         arriving;   // the first of them has come
    reg  [6:0]  waited;     // clocks since the request was taken
    reg  [3:0]  patience;
    reg  [7:0]  held;       // clocks in which a write had to wait since the request was taken
    wire        more      = (words_left != 10'd0) || (next_valid && !next_skip);
    wire [9:0]  next_left = (words_left != 10'd0) ? words_left : next_word[41:32];
    wire        follows   = (fsm == DATA) && more && ({1'b0, coming} + {1'b0, next_left} + UNSEEN <= free_words);
    wire        ends_soon = follows && arriving && (coming <= 10'd64);
    wire        data_near = follows && !arriving && (waited >= LATE) && (waited < LATEST);

    assign read_turn = enable && !flush && (held != MOST)
                       && (ends_soon || data_near || (fsm == REQUEST && patience != 4'd0 && needed_words <= free_words));

    always @(posedge clk)
        if (rst) begin
            coming   <= 10'd0;
            arriving <= 1'b0;
            waited   <= 7'd0;
            patience <= 4'd0;
            held     <= 8'd0;
        end else begin
            arriving <= !rd_ack && (arriving || rd_data_valid);
            if (rd_ack)             coming <= piece;
            else if (rd_data_valid) coming <= coming - 10'd1;
            if (rd_ack)                waited <= 7'd0;
            else if (waited != LATEST) waited <= waited + 7'd1;
            if (rd_ack)         held <= 8'd0;
            else if (read_turn) held <= held + 8'd1;
            if (fsm == DATA)           patience <= 4'd15;
            else if (patience != 4'd0) patience <= patience - 4'd1;
        end

    // ---- measuring
    wire probe_busy  = (fsm != IDLE) || fetching || next_valid;
    wire probe_stall = (fsm == REQUEST) && !rd_ack;
    wire probe_start = transfer_valid;
    wire probe_done  = ev_transfer_read || read_failed;
endmodule
`default_nettype wire
