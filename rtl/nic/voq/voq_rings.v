// Rings: the on-chip part of all VOQs, one block memory with one write port and one read port.
//
// Each queue is a ring of 2**LOG2_VOQ_WORDS words that holds one word less. Two writers share the write port: words of
// the DMA engine (`put_*`, never refused) and words read from external memory (`fetch_*`, taken while the engine does
// not use the port). Clocks in which such a word is refused are counted up, clocks without the engine are counted down.
// From 2**LOG2_PATIENCE on `pause` asks the engine for no new piece. So a word waits for at most that many clocks and
// the pieces reserved by then, and waiting words get half of the clocks in the long run (proof voq-port). Words put are
// visible only when committed; fetched words at once. The place of a put word is the committed pointer of its queue
// plus the number of uncommitted words: only one piece is written at a time, so a rollback sets that number to 0.
//
// The read port reads the word at the head of `rd_voq`; it is on `rd_data` from the next clock until the next read.
// `rd_keep` leaves the word in the ring.
//
// `look_words` is the number of visible words, combinational; `scan_start` the read pointer for voq_space.
//
//     put_valid   ___/~~~~~~~\___________________________
//     put_commit  _______/~~~\___________________________
//     look_words  -----------|2|--------------|1|0|------
//     rd_valid    ____________________________/~~~~~\____
//     rd_data     ______________________________|w0 |w1 |
//
// `clear` empties the ring of one queue per clock: its pointers return to 0, and uncommitted words are dropped. Nothing
// is put meanwhile. This module does not know whether a ring is full: voq_space and voq_pieces do.
`default_nettype none
module voq_rings #(
    // queues, 1..16
    parameter VOQS = 8,
    // log2 of the words of a ring, 8..12
    parameter LOG2_VOQ_WORDS = 10,
    // log2 of the clocks in which words from external memory are refused until the engine pauses, 0..12
    parameter LOG2_PATIENCE = 10
) (
    input  wire                                   clk,
    input  wire                                   clear,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] clear_voq,     // it is emptied

    // words of the DMA engine for queue `put_voq`, which stays the same until everything is committed or rolled back
    input  wire                                   put_turn,      // the engine uses the port in this clock: any of these
    input  wire                                   put_valid,
    input  wire                                   put_bypass,    // with put_valid: the word goes elsewhere, not stored
    input  wire [66:0]                            put_data,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] put_voq,
    input  wire                                   put_commit,    // all words put, this clock's included, become visible
    input  wire                                   put_rollback,  // what is not visible is dropped
    output wire                                   put_empty,     // put_voq: its ring is empty, nothing uncommitted
    output wire [LOG2_VOQ_WORDS-1:0]              put_words,     // words not committed, that of this clock included

    // words from external memory
    input  wire                                   fetch_valid,
    input  wire [67:0]                            fetch_data,    // [67]: damaged
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] fetch_voq,
    output wire                                   fetch_ready,
    input  wire                                   fetch_due,     // level: words are to arrive, or wait
    output wire                                   pause,         // level: the engine reserves nothing

    // visible words change in the next clock
    output wire                                   shown_valid,
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] shown_voq,
    output wire                                   shown_abort,   // the word of this clock is an ABORT

    // read port
    input  wire                                   rd_valid,      // rd_data shows the word in the next clock
    input  wire                                   rd_keep,       // with it: the word stays in the ring
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] rd_voq,
    output wire [67:0]                            rd_data,

    // views
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] look_voq,
    output wire [LOG2_VOQ_WORDS-1:0]              look_words,    // visible words
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] scan_voq,
    output wire [LOG2_VOQ_WORDS-1:0]              scan_start     // its read pointer
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    localparam W         = LOG2_VOQ_WORDS;
    localparam SLOTS     = 1 << LOG2_VOQS;
    localparam ADDRESS   = (VOQS == 1) ? W : LOG2_VOQS + W;

    localparam [W-1:0] ONE  = {{W-1{1'b0}}, 1'b1};
    localparam [W-1:0] ZERO = {W{1'b0}};

    initial
        if (LOG2_VOQ_WORDS < 8 || LOG2_VOQ_WORDS > 12 || VOQS < 1 || VOQS > 16) begin
            $display("%m: LOG2_VOQ_WORDS must be 8..12, is %0d; VOQS 1..16, is %0d", LOG2_VOQ_WORDS, VOQS);
            $finish;
        end

    (* ram_style = "distributed" *) reg [W-1:0] ends [0:SLOTS-1];        // first place that is not visible
    (* ram_style = "distributed" *) reg [W-1:0] starts [0:SLOTS-1];      // next word to read
    reg  [W-1:0] hidden;                                              // words of the piece being written, not committed

    // ---- writing
    wire                 fetch   = fetch_valid && fetch_ready;
    wire                 put     = put_turn && put_valid && !put_bypass && !put_rollback;
    wire                 store   = put || fetch;
    wire [LOG2_VOQS-1:0] voq     = put_turn ? put_voq : clear ? clear_voq : fetch_voq;
    wire [67:0]          word    = put_turn ? {1'b0, put_data} : fetch_data;
    wire [W-1:0]         base    = ends[voq];
    wire [W-1:0]         place   = base + (hidden & {W{put_turn}});
    wire [W-1:0]         all     = hidden + {{W-1{1'b0}}, put};
    wire                 show    = put_turn ? put_commit && !put_rollback : fetch;
    wire [LOG2_VOQS+W-1:0] wr_at = {voq, place};

    assign fetch_ready = !put_turn && !clear;
    assign put_empty   = (look_words == ZERO) && (hidden == ZERO);
    assign put_words   = all;
    assign shown_valid = show;
    assign shown_voq   = voq;
    assign shown_abort = show && store && word[66];

    always @(posedge clk)
        if (show || clear)
            ends[voq] <= (base & {W{!clear}}) + (put_turn ? all : ONE & {W{!clear}});

    always @(posedge clk)
        if (clear || (put_turn && (put_commit || put_rollback)))
            hidden <= ZERO;
        else if (put)
            hidden <= all;

    // ---- arbitration of the write port
    reg [12:0] owed;       // at most 1024 and the clocks reserved then: 8 pieces of 516 clocks

    assign pause = |owed[12:LOG2_PATIENCE];

    always @(posedge clk)
        if (!fetch_due || clear)           owed <= 13'd0;
        else if (put_turn && fetch_valid)  owed <= owed + 13'd1;
        else if (!put_turn && |owed)       owed <= owed - 13'd1;

    // ---- reading
    wire [LOG2_VOQS-1:0]   start_at = clear ? clear_voq : rd_voq;
    wire [W-1:0]           start    = starts[start_at];
    wire [LOG2_VOQS+W-1:0] rd_at    = {rd_voq, start};

    always @(posedge clk)
        if (clear || (rd_valid && !rd_keep))
            starts[start_at] <= (start & {W{!clear}}) + (ONE & {W{!clear}});

    assign look_words = ends[look_voq] - starts[look_voq];
    assign scan_start = starts[scan_voq];

    // ---- the words, in slices as wide as one block RAM has them at this depth: so no multiplexers join several. One
    // memory in simulation, where each slice costs time
`ifdef SYNTHESIS
    localparam SLICE  = (ADDRESS >= 14) ? 1 : (ADDRESS == 13) ? 2 : (ADDRESS == 12) ? 4 : (ADDRESS == 11) ? 9
                        : (ADDRESS == 10) ? 18 : 36;
`else
    localparam SLICE  = 68;
`endif
    localparam SLICES = (67 + SLICE) / SLICE;
    wire [SLICES*SLICE:0]   wr_word = {{SLICES*SLICE-67{1'b0}}, word};
    wire [SLICES*SLICE-1:0] rd_word;
    genvar i;

    generate
        for (i = 0; i < SLICES; i = i + 1) begin : slices
            (* ram_style = "block" *) reg [SLICE-1:0] memory [0:(VOQS << W)-1];
            reg [SLICE-1:0] rd;

            always @(posedge clk) begin
                if (store)    memory[wr_at[ADDRESS-1:0]] <= wr_word[SLICE*i +: SLICE];
                if (rd_valid) rd <= memory[rd_at[ADDRESS-1:0]];
            end
            assign rd_word[SLICE*i +: SLICE] = rd;
        end
    endgenerate

    assign rd_data = rd_word[67:0];
    wire unused = &{1'b0, rd_word, wr_word[SLICES*SLICE]};

    generate
        if (VOQS == 1) begin : single
            wire unused_single = &{1'b0, wr_at[LOG2_VOQS+W-1:W], rd_at[LOG2_VOQS+W-1:W]};
        end
    endgenerate

    // ---- measuring
    wire probe_busy       = store || rd_valid;
    wire probe_stall_turn = fetch_valid && !fetch_ready;
    wire probe_start      = store;
    wire probe_done       = rd_valid && !rd_keep;
endmodule
`default_nettype wire
