// Contexts of the outgoing half: for each request queue the current transfer, how much of it has been requested, and
// whether its next piece fits into its output queue (VOQ). A transfer whose output queue is full waits here and blocks
// only its own queue.
//
// The descriptor is written once, at `load`, the progress at `advance`: two memories with one writer each. Only the
// space that the next piece needs is in flip-flops, since it is compared for all queues at once.
//
// With SYNC a context also keeps what operations, groups and immediates need: `extra`. An operation that is answered
// does not fit while its queue is `held`: too many wait for their answers.
//
// A transfer of up to `longest` words is one piece; a longer one is cut into pieces of `whole` words, a multiple of its
// packets' limit, and a remainder. These sizes are sampled once, at `load`: a change affects no transfer in progress.
//
//     load  ____/~~~\________          advance ____/~~~\__________
//     waiting, eligible  /~~~~~        shown       piece 0 | piece 1 (or the context is free)
`default_nettype none
module dma_contexts #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // 1: all request queues have one output queue: the choice does not depend on its space (dma_outgoing); 0: each its
    // own
    parameter SHARED_ROOM = 0,
    // 1: with operations, groups and immediates; 0: without
    parameter SYNC = 0
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      flush,            // space no longer matters: all that waits will be dropped

    // a transfer moves in; only into a free context
    input  wire                      load,             // one clock
    input  wire [$clog2(QUEUES)-1:0] load_queue,
    input  wire [63:3]               load_source,      // address of its first word
    input  wire [41:0]               load_order,       // {three flags, length, destination address [31:3]}
    input  wire                      load_bad,         // it is to be skipped
    input  wire                      load_benchmark,   // zeros instead of the data at its source
    input  wire [13:0]               load_extra,       // with SYNC: {asks, immediate, group, destination, source [2:0]}
    input  wire [QUEUES-1:0]         held,             // with SYNC: operations that ask must wait
    input  wire [3:0]                load_number,      // place of the descriptor in its queue, modulo 16
    input  wire [9:0]                longest,          // one piece up to this many words
    input  wire [9:0]                limit,            // longest payload of a packet [words]
    input  wire [9:0]                whole,            // words of a piece of a longer transfer

    // space in the output queues
    input  wire [QUEUES*11-1:0]      room,             // words of each
    output reg  [QUEUES-1:0]         waiting,          // there is a transfer
    output wire [QUEUES-1:0]         eligible,         // ... and space for its next piece, or SHARED_ROOM

    // the next piece of one queue
    input  wire [$clog2(QUEUES)-1:0] shown_queue,
    output wire                      shown_fits,       // there is space for it
    output wire                      shown_bad,        // it is to be skipped
    output wire                      shown_benchmark,  // zeros instead of the data at shown_address
    output wire [63:0]               shown_address,
    output wire [9:0]                shown_words,
    output wire                      shown_first,      // it is its transfer's first piece
    output wire                      shown_last,       // ... last piece
    output wire [41:0]               shown_order,      // as loaded
    output wire [9:0]                shown_limit,      // of its packets
    output wire [3:0]                shown_number,     // as loaded
    output wire [13:0]               shown_extra,      // as loaded
    input  wire                      advance,          // one clock: requested; the last one frees the context
    input  wire                      remove,           // one clock: the transfer leaves the context as a whole

    // a piece of a transfer has failed: the remainder of that transfer is not requested
    input  wire                      abandon,          // one clock
    input  wire [$clog2(QUEUES)-1:0] abandon_queue,
    input  wire [3:0]                abandon_number,   // shown_number of the piece
    output wire                      abandon_hit       // with it: that remainder is in the context
);
    // ---- memories. orders: flags, length, destination; limit; whole piece; benchmark, bad. progress: words
    // requested so far, words of the next piece; valid once begun
    (* ram_style = "distributed" *) reg [60:0] sources  [0:QUEUES-1];
    (* ram_style = "distributed" *) reg [63:0] orders   [0:QUEUES-1];
    (* ram_style = "distributed" *) reg [3:0]  numbers  [0:QUEUES-1];
    (* ram_style = "distributed" *) reg [19:0] progress [0:QUEUES-1];

    reg  [QUEUES-1:0]    begun;          // the first piece has been requested
    reg  [QUEUES*10-1:0] needs;          // space that the next piece needs, with header and abort mark; 0: none

    wire [9:0]  load_length = load_order[38:29];
    wire [9:0]  load_piece = (load_length <= longest) ? load_length : whole;
    wire [9:0]  load_need  = load_bad ? 10'd0 : load_piece + 10'd2;
    wire [60:0] source     = sources[shown_queue];
    wire [63:0] order      = orders[shown_queue];
    wire [19:0] reached    = progress[shown_queue];

    always @(posedge clk)
        if (load) begin
            sources[load_queue] <= load_source;
            orders[load_queue]  <= {load_order, limit, load_piece, load_benchmark, load_bad};
            numbers[load_queue] <= load_number;
        end

    // ---- the next piece of the queue shown
    wire [9:0] length     = order[60:51];
    wire [9:0] whole_here = order[11:2];
    wire [9:0] asked      = shown_first ? 10'd0 : reached[19:10];
    wire [9:0] asked_next = asked + shown_words;
    wire [9:0] left_next  = length - asked_next;
    wire [9:0] piece_next = (left_next < whole_here) ? left_next : whole_here;

    assign shown_bad       = order[0];
    assign shown_benchmark = order[1];
    assign shown_limit     = order[21:12];
    assign shown_order     = order[63:22];
    assign shown_number    = numbers[shown_queue];
    assign shown_first     = !begun[shown_queue];
    assign shown_words     = shown_first ? whole_here : reached[9:0];
    assign shown_last      = (left_next == 10'd0);
    assign shown_address   = {source + {51'd0, asked}, 3'b000};

    always @(posedge clk)
        if (advance) progress[shown_queue] <= {asked_next, piece_next};

    // ---- compared for all queues at once
    wire [QUEUES-1:0] one          = {{QUEUES-1{1'b0}}, 1'b1};
    wire [QUEUES-1:0] load_at      = load ? one << load_queue : {QUEUES{1'b0}};
    wire [QUEUES-1:0] advance_at   = advance ? one << shown_queue : {QUEUES{1'b0}};
    wire [QUEUES-1:0] leave_at     = (remove || (advance && shown_last)) ? one << shown_queue : {QUEUES{1'b0}};
    wire [QUEUES-1:0] abandon_at   = abandon_hit ? one << abandon_queue : {QUEUES{1'b0}};
    wire [9:0]        need_next    = piece_next + 10'd2;
    wire [QUEUES-1:0] fits;

    assign abandon_hit = abandon && waiting[abandon_queue] && begun[abandon_queue]
                         && (numbers[abandon_queue] == abandon_number);
    assign eligible    = waiting & (fits | {QUEUES{flush || SHARED_ROOM != 0}});
    assign shown_fits  = fits[shown_queue];

    always @(posedge clk)
        if (rst) begin
            waiting <= {QUEUES{1'b0}};
            begun   <= {QUEUES{1'b0}};
        end else begin
            waiting <= (waiting | load_at) & ~leave_at & ~abandon_at;
            begun   <= (begun | advance_at) & ~load_at;
        end

    integer i;
    always @(posedge clk)
        if (load || advance)
            for (i = 0; i < QUEUES; i = i + 1)
                if (load_at[i])         needs[i*10 +: 10] <= load_need;
                else if (advance_at[i]) needs[i*10 +: 10] <= need_next;

    wire [QUEUES-1:0] waits;          // it asks, and is held

    genvar g;
    generate
        if (SYNC != 0) begin : with_extras
            (* ram_style = "distributed" *) reg [13:0] extras [0:QUEUES-1];
            reg  [QUEUES-1:0] asks;

            assign shown_extra = extras[shown_queue];
            assign waits       = asks & held & ~{QUEUES{flush}};

            always @(posedge clk) begin
                if (load) extras[load_queue] <= load_extra;
                asks <= (asks & ~load_at) | (load_at & {QUEUES{load_extra[13] && !load_bad}});
            end
        end else begin : no_extras
            wire unused_extras = &{1'b0, load_extra, held};
            assign shown_extra = 14'd0;
            assign waits       = {QUEUES{1'b0}};
        end

        for (g = 0; g < QUEUES; g = g + 1) begin : queue
            assign fits[g] = (room[g*11 +: 11] >= {1'b0, needs[g*10 +: 10]}) && !waits[g];
        end
    endgenerate

    // ---- measuring
    wire probe_busy       = |waiting;
    wire probe_stall_room = (|waiting) && ((waiting & fits) == {QUEUES{1'b0}}) && !flush;
    wire probe_start      = load;
    wire probe_done       = |leave_at;
endmodule
`default_nettype wire
