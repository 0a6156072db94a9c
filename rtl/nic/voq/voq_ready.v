// Which queues have a packet that may start: one bit each for "all its words are here" and "it has credit".
//
// One queue is updated in each clock, both bits: the queue into which a header is being written, in that very clock, so
// that its packet can start in the next; else a queue that has just changed; else one after the other. A packet that
// has started clears the bits of its queue until it has been read and counted. So the bits may be late by some clocks,
// but are never wrong: words and credits only increase in between, except for a credit lower than the last one, which
// clears the credit bits.
//
// Where all queues share one virtual channel, a start clears the credit bits of all of them, and the choice ignores
// credit: every queue with a packet is eligible, and the choice waits until it `may_start`. Otherwise credit that
// returns in small parts would always go to the queue updated first, or to the one with the shortest packets.
//
// A queue whose context is empty and whose ring is not requests a `load`: the word at its head is read. If the ring of
// a queue holds an ABORT (`aborts`), the word at its head is read before each packet (a load that keeps the word): it
// may be that ABORT.
//
//     put_header  ___/~~~\_______      commit   ___/~~~\___________________
//     look        -- |q  | -----       look     -------|q  |----------------
//     ready[q]    _______/~~~~~~ *)    ready[q] ___________/~~~~~~~~~~~~~~~~      *) put_eager
`default_nettype none
module voq_ready #(
    // queues, 1..16
    parameter VOQS = 8,
    // paths by which a packet may go, 1..4
    parameter PATHS = 1,
    // log2 of the words of a ring, 8..12
    parameter LOG2_VOQ_WORDS = 10
) (
    input  wire                                        clk,
    input  wire                                        rst,
    input  wire [7:0]                                  slept,         // clock_gate: clocks missed
    input  wire                                        clear,         // all queues are empty
    input  wire                                        halt,          // nothing may be loaded, `halt_voq` is shown
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      halt_voq,
    input  wire                                        shared,        // all queues share one virtual channel

    // headers
    input  wire                                        put_look,      // one is being written
    input  wire                                        put_header,    // ... into the context of an empty queue
    input  wire                                        put_eager,     // ... its packet may start before its words
    input  wire                                        put_commit,    // the words put are committed, or dropped
    input  wire                                        put_rollback,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      put_voq,
    input  wire [9:0]                                  put_size,
    output wire                                        put_free,      // with put_look: the context of put_voq is free

    // visible words
    input  wire                                        shown_valid,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      shown_voq,
    input  wire                                        shown_abort,
    input  wire                                        credit_changed, // credit_voq (shared: choice) has new credit
    input  wire                                        credit_lower,  // ... and less of it than before
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      credit_voq,

    // the queue being updated
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      look_voq,
    input  wire [LOG2_VOQ_WORDS-1:0]                   look_words,    // visible words
    input  wire [9:0]                                  look_size,
    output wire [9:0]                                  fits_size,     // size of the packet whose credit is checked
    input  wire [PATHS-1:0]                            look_fits,     // its credit is enough, by each path

    // packets
    input  wire                                        take,          // the packet of `take_grant` starts
    input  wire [(1<<$clog2(VOQS > 1 ? VOQS : 2))-1:0] take_grant,    // one-hot
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      take_voq,      // ... its number
    input  wire [PATHS-1:0]                            path_open,     // a packet may start on this path
    output wire [PATHS-1:0]                            take_paths,    // open paths for the packet of take_voq
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      cur_voq,       // the one that started last
    input  wire                                        cur_reading,   // not all its words have been read
    input  wire                                        cur_counted,   // one clock: its context stepped, units counted
    input  wire                                        cur_last,      // with cur_counted: the last one of its transfer
    input  wire                                        cur_waits,     // ... that has still to be done
    input  wire                                        cur_read,      // one clock: its last word has been read

    // loads
    output reg                                         load_valid,    // load_voq's head must be read, to `load_issue`
    output reg                                         load_keep,     // ... and left there
    output reg  [$clog2(VOQS > 1 ? VOQS : 2)-1:0]      load_voq,      // the same until load_done
    input  wire                                        load_issue,
    input  wire                                        load_done,     // one clock: the word has been read
    input  wire                                        load_abort,    // ... and is an ABORT
    input  wire                                        load_header,   // ... or a header

    output wire [VOQS-1:0]                             waiting,       // has a packet
    output wire [VOQS-1:0]                             eligible,      // ... with credit; shared: with or without
    output wire                                        may_start,     // take_grant's packet has credit by an open path
    output wire [VOQS-1:0]                             blocked,       // ... without
    output wire                                        look_used      // look_voq holds words
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    localparam SLOTS     = 1 << LOG2_VOQS;
    localparam WIDE      = (LOG2_VOQ_WORDS > 10) ? LOG2_VOQ_WORDS : 10;
    localparam [LOG2_VOQS-1:0] STEP = (VOQS == 1) ? 0 : 1;

    initial
        if (VOQS < 1 || VOQS > 16) begin
            $display("%m: VOQS must be 1..16, is %0d", VOQS);
            $finish;
        end

    reg [SLOTS-1:0] valid;     // has a context
    reg [SLOTS-1:0] ready;     // the words of its packet are complete
    reg [PATHS*SLOTS-1:0] credit;    // it has credit: a bit per queue for each path
    reg [SLOTS-1:0] aborts;    // an ABORT may be in the ring
    reg [SLOTS-1:0] peeked;    // the word at the head is none
    reg             pending;   // the context of put_voq holds a header that is not committed

    // ---- the queue being updated
    reg  [LOG2_VOQS-1:0] next_voq;     // in the next clock
    reg  [LOG2_VOQS-1:0] turn;
    reg                  event_last;
    wire [LOG2_VOQS-1:0] turn_now  = turn + (slept[LOG2_VOQS-1:0] & {LOG2_VOQS{VOQS != 1}});
    wire                 event_now = (credit_changed || shown_valid) && !event_last;
    assign look_voq = halt ? halt_voq : put_look ? put_voq : next_voq;

    always @(posedge clk)
        if (rst) begin
            next_voq   <= {LOG2_VOQS{1'b0}};
            turn       <= {LOG2_VOQS{1'b0}};
            event_last <= 1'b0;
        end else begin
            event_last <= event_now;
            turn       <= turn_now;
            if (load_done)      next_voq <= load_voq;
            else if (cur_read)  next_voq <= cur_voq;
            else if (event_now) next_voq <= !credit_changed ? shown_voq : shared ? take_voq : credit_voq;
            else if (!put_look) begin
                next_voq <= turn_now;
                turn     <= turn_now + STEP;
            end
        end

    // ---- its state
    wire            here     = (look_words != {LOG2_VOQ_WORDS{1'b0}});
    wire [WIDE-1:0] words    = {{WIDE-LOG2_VOQ_WORDS{1'b0}}, look_words};
    wire [WIDE-1:0] size     = {{WIDE-10{1'b0}}, look_size};
    wire [SLOTS-1:0] suspect = aborts & ~peeked;
    wire            taken    = valid[look_voq];
    wire            careful  = suspect[look_voq];
    wire            complete = taken && (words >= size) && !careful;
    wire            mine     = (look_voq == cur_voq);
    wire            usable   = !(cur_waits && (shared || mine)) && !(cur_reading && mine) && (!put_look || put_header);
    wire            found    = put_header ? put_eager : complete;
    wire            loadable = here && (!taken || careful) && usable && !take && !halt && !load_valid && !load_done;

    localparam [SLOTS-1:0] FIRST = 1;
    wire [SLOTS-1:0] at_look = {SLOTS{usable}} & (FIRST << look_voq);      // one bit per queue

    assign fits_size = put_look ? put_size : look_size;
    assign put_free  = !taken;
    assign look_used = here || taken;
    assign waiting    = ready[VOQS-1:0];

    reg  [SLOTS-1:0] open;             // has credit by a path that is open
    reg  [SLOTS-1:0] without;          // has a packet, and credit by none
    integer          p;

    always @* begin
        open = {SLOTS{1'b0}};
        for (p = 0; p < PATHS; p = p + 1) open = open | (credit[SLOTS*p +: SLOTS] & {SLOTS{path_open[p]}});
    end

    wire [SLOTS-1:0] may_go = ready & (open | {SLOTS{shared}});
    assign eligible  = may_go[VOQS-1:0];
    assign blocked   = without[VOQS-1:0];
    assign may_start = |(take_grant & open);

    generate
        if (PATHS == 1) begin : one_path
            assign take_paths = credit[take_voq] && path_open;
        end else begin : several_paths
            // the queue updated last, once more: all paths of one queue
            (* ram_style = "distributed" *) reg [PATHS-1:0] by_paths [0:SLOTS-1];

            assign take_paths = by_paths[take_voq] & path_open;

            always @(posedge clk)
                if (usable) by_paths[look_voq] <= look_fits;
        end
    endgenerate

    // ---- next state of the bits
    wire                 none     = rst || clear;
    wire                 forget   = (take && shared) || credit_lower;
    wire                 put_set  = (put_commit && pending) || (put_header && (put_eager || put_commit));
    wire [LOG2_VOQS-1:0] ctx_voq  = load_done ? load_voq : cur_voq;
    wire                 ctx_set  = load_done && !load_keep && load_header;
    wire                 ctx_move = ctx_set || (load_done ? load_keep && load_abort : cur_counted && cur_last);
    wire                 ctx_peek = load_done && load_keep && !load_abort;

    // which queue, one bit each
    wire [SLOTS-1:0] at_put  = {SLOTS{put_set}} & (FIRST << put_voq);
    wire [SLOTS-1:0] at_ctx  = FIRST << ctx_voq;
    wire [SLOTS-1:0] started = {SLOTS{take}} & take_grant;
    integer          i, j, k;

    always @(posedge clk) begin
        ready   <= {SLOTS{!none}} & ~started & ((ready & ~at_look) | (at_look & {SLOTS{found}}));
        without <= {SLOTS{!none && !forget}} & ~started
                   & ((without & ~at_look) | (at_look & {SLOTS{found && !(|look_fits)}}));
        peeked <= {SLOTS{!none}} & ~started & (peeked | (at_ctx & {SLOTS{ctx_peek}}));
        for (i = 0; i < PATHS*SLOTS; i = i + 1)
            if (forget || at_look[i%SLOTS]) credit[i] <= look_fits[i/SLOTS] && !forget;
    end

    always @(posedge clk)
        if (none || put_set || ctx_move)
            for (j = 0; j < SLOTS; j = j + 1)
                if (none)                       valid[j] <= 1'b0;
                else if (at_put[j])             valid[j] <= 1'b1;
                else if (at_ctx[j] && ctx_move) valid[j] <= ctx_set;

    always @(posedge clk)
        if (none || shown_abort || !here)
            for (k = 0; k < SLOTS; k = k + 1)
                if (none)                                                  aborts[k] <= 1'b0;
                else if (shown_abort && shown_voq == k[LOG2_VOQS-1:0]) aborts[k] <= 1'b1;
                else if (!here && at_look[k])                              aborts[k] <= 1'b0;

    always @(posedge clk)
        if (none || put_commit || put_rollback) pending <= 1'b0;
        else if (put_header)                    pending <= !put_eager;

    // ---- loads
    always @(posedge clk)
        if (rst) load_valid <= 1'b0;
        else     load_valid <= loadable || (load_valid && !load_issue);

    always @(posedge clk)
        if (loadable) begin
            load_voq  <= look_voq;
            load_keep <= taken;
        end

    wire unused = &{1'b0, ready, may_go, without, slept};

    // ---- measuring
    wire probe_busy         = |valid;
    wire probe_stall_credit = |blocked;
    wire probe_start        = load_valid && load_issue;
    wire probe_done         = load_done;
endmodule
`default_nettype wire
