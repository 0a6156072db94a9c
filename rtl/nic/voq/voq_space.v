// Space in the rings: how much of each is used, and whether the next piece goes on chip or into the body.
//
// Used are the words in a ring and those reserved: for pieces of the DMA engine that have not ended, for segments being
// fetched. The unused part of a reservation is returned at the end of the piece. The accounts are four cumulative
// counts per queue, each in a small memory with one writer: reserved, fetched, returned, and the ring's read pointer
// (`scan_start`); taken = reserved + fetched - returned - read. One queue per clock is summed up and published in
// `taken`: a queue in the clock of its reservation, else one after the other. So a reservation shows in the next clock
// and freed space some clocks late. When a piece is reserved and a segment fetched in one clock, all rings count as
// full until they have been summed up again.
//
// A queue asks for a body when it is blocked (its next packet has no credit) and the ring has no space for the longest
// piece. While it has one and is not blocked it offers no space, until the body has been read back: then it needs no
// memory bandwidth.
//
// A reservation goes on chip if the queue has no body and its ring has space for it, else into the body, in agreement
// with `room`, in whichever of the last clocks the engine read it.
//
// `clear` resets the accounts of one queue per clock; the rings must be empty by then. Until a ring has been summed up
// again it has no space.
`default_nettype none
module voq_space #(
    // queues, 1..16
    parameter VOQS = 8,
    // log2 of the words of a ring, 8..12
    parameter LOG2_VOQ_WORDS = 10
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [7:0]                             slept,          // clock_gate: clocks missed
    input  wire                                   closed,         // the accounts are not valid: no space
    input  wire                                   clear,          // with closed, a clock per VOQ, alone: all is free

    // reservations
    input  wire                                   reserve,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] reserve_voq,
    input  wire [10:0]                            reserve_words,
    output wire                                   reserve_body,   // with reserve: it goes into the body
    input  wire                                   give,           // an on-chip piece has ended
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] give_voq,
    input  wire [LOG2_VOQ_WORDS-1:0]              give_words,
    input  wire                                   fetch_reserve,  // one clock: words for it arrive from external memory
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] fetch_reserve_voq,
    input  wire [9:0]                             fetch_reserve_words,

    // rings
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] scan_voq,
    input  wire [LOG2_VOQ_WORDS-1:0]              scan_start,     // its ring's read pointer

    // body
    input  wire [VOQS-1:0]                        blocked,        // the next packet has no credit
    input  wire [VOQS-1:0]                        body,           // has one
    input  wire [VOQS-1:0]                        body_open,      // may have (more of) one
    input  wire [10:0]                            body_room,      // words that may be reserved for bodies
    input  wire                                   body_short,     // no free blocks for the longest piece

    output wire [VOQS*11-1:0]                     room,           // may be reserved; combinational
    output wire [VOQS*12-1:0]                     taken,          // words of the ring in use or promised
    output wire [VOQS*12-1:0]                     free,           // 2**LOG2_VOQ_WORDS - 1 - taken
    output wire [VOQS-1:0]                        low,            // less than half taken
    output wire                                   exhausted,      // a queue needs a (longer) body and cannot get one
    output reg                                    ev_overflow     // more words are reserved than a ring holds
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    localparam W         = LOG2_VOQ_WORDS;
    localparam SLOTS     = 1 << LOG2_VOQS;
    localparam SUM       = (W > 11 ? W : 11) + 1;

    initial
        if (LOG2_VOQ_WORDS < 8 || LOG2_VOQ_WORDS > 12 || VOQS < 1 || VOQS > 16) begin
            $display("%m: LOG2_VOQ_WORDS must be 8..12, is %0d; VOQS 1..16, is %0d", LOG2_VOQ_WORDS, VOQS);
            $finish;
        end

    (* ram_style = "distributed" *) reg [W-1:0] reserved [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [W-1:0] fetched [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [W-1:0] given [0:SLOTS-1];
    reg  [VOQS*W-1:0]    levels;
    reg  [LOG2_VOQS-1:0] turn;

    // ---- the queue that is summed up
    localparam [LOG2_VOQS-1:0] STEP = (VOQS == 1) ? 0 : 1;

    wire [LOG2_VOQS-1:0] turn_now = turn + (slept[LOG2_VOQS-1:0] & {LOG2_VOQS{VOQS != 1}});
    wire                 fetching = fetch_reserve && !reserve;
    wire [LOG2_VOQS-1:0] s        = reserve ? reserve_voq : fetch_reserve ? fetch_reserve_voq : turn;
    wire [10:0]          more     = reserve ? reserve_words : fetching ? {1'b0, fetch_reserve_words} : 11'd0;

    // One carry chain for each sum of two: the bit below keeps synthesis from making one large sum of them.
    wire [W:0]           in       = {reserved[s], 1'b0} + {fetched[s], 1'b0};
    wire [W:0]           out      = {given[s], 1'b0} + {scan_start, 1'b0};
    wire [W:0]           sum      = {in[W:1], 1'b0} - {out[W:1], 1'b0};
    wire [SUM-1:0]       total    = {{SUM-W{1'b0}}, sum[W:1]} + {{SUM-11{1'b0}}, more};
    wire                 beyond   = |total[SUM-1:W];
    wire [SLOTS-1:0]     bodies   = {{SLOTS-VOQS{1'b0}}, body};
    wire                 on_chip  = reserve && !bodies[reserve_voq] && !beyond;
    wire                 counts   = on_chip || fetching;

    assign scan_voq     = s;
    assign reserve_body = reserve && !on_chip;

    // Decoded by AND: an enable that ends in an inverted OR costs an inverter for each flip-flop in synthesis.
    integer i;
    always @(posedge clk)
        for (i = 0; i < VOQS; i = i + 1)
            if (rst || closed || (reserve && fetch_reserve))
                levels[W*i +: W] <= {W{1'b1}};
            else if (&(s ~^ i[LOG2_VOQS-1:0]))
                levels[W*i +: W] <= counts ? total[W-1:0] : sum[W:1];

    always @(posedge clk)
        if (rst) begin
            turn        <= {LOG2_VOQS{1'b0}};
            ev_overflow <= 1'b0;
        end else begin
            turn        <= turn_now + (STEP & {LOG2_VOQS{!reserve && !fetch_reserve}});
            ev_overflow <= fetching && beyond && !clear;
        end

    // ---- the accounts
    wire [LOG2_VOQS-1:0] fetched_at  = clear ? turn : fetch_reserve_voq;
    wire [LOG2_VOQS-1:0] given_at    = clear ? turn : give_voq;
    wire [W-1:0]         keep        = {W{!clear}};
    wire [W+10:0]        reserve_add = {{W{1'b0}}, reserve_words};
    wire [W+9:0]         fetched_add = {{W{1'b0}}, fetch_reserve_words};

    always @(posedge clk)
        if (clear || on_chip)
            reserved[s] <= (reserved[s] & keep) + (reserve_add[W-1:0] & keep);
    always @(posedge clk)
        if (clear || fetch_reserve)
            fetched[fetched_at] <= (fetched[fetched_at] & keep) + (fetched_add[W-1:0] & keep);
    always @(posedge clk)
        if (clear || give)
            given[given_at] <= (given[given_at] & keep) + (give_words & keep);

    wire unused = &{1'b0, fetched_add, reserve_add, in[0], out[0], sum[0], slept};

    // ---- space that may be reserved
    wire          body_big = body_room[10] || (body_room[9] && (|body_room[8:1]));   // >= 514
    wire [VOQS-1:0] more_body = blocked & body_open;
    wire [VOQS-1:0] tight;        // < 516 left: about the longest piece, 512 words and 2
    wire [VOQS-1:0] in_body   = body | (tight & more_body & {VOQS{body_big}});
    genvar          j;

    assign exhausted = |(blocked & (body | tight) & (~body_open | {VOQS{body_short}}));

    generate
        for (j = 0; j < VOQS; j = j + 1) begin : ring
            wire [W+11:0] full = {12'd0, levels[W*j +: W]};
            wire [W+11:0] left = {12'd0, ~levels[W*j +: W]};

            assign tight[j]          = (left[11:9] == 3'd0) || (left[11:2] == 10'd128);
            assign room[11*j +: 11]  = in_body[j] ? (more_body[j] ? body_room : 11'd0) : left[11] ? 11'h7ff
                                       : left[10:0];
            assign taken[12*j +: 12] = full[11:0];
            assign free[12*j +: 12]  = left[11:0];
            assign low[j]            = left[W-1];

            wire unused_bits = &{1'b0, full, left};
        end
    endgenerate

    // ---- measuring
    wire probe_busy       = reserve || fetch_reserve || give;
    wire probe_stall_room = exhausted;
    wire probe_start      = reserve;
    wire probe_done       = reserve;
endmodule
`default_nettype wire
