// Which queues have a packet that may start: one bit each for "all its words are here" and "it has credit".
//
// One queue is looked at in each clock, and its two bits are written: the queue into which a header is being written, in that very
// clock, so that its packet can start in the next; else a queue of which something has just changed; else one after the other.
// A packet that has started takes the bits of its queue away (those of all queues where these share one credit lane), until it has been
// read and counted. So the bits may come late by some clocks, but are never wrong: words and credits only become more in between,
// but for a credit that is less than the last one, which takes the bit away too.
//
// A queue whose context is empty and whose ring is not asks for a `load`: the word at its head is read. A queue in whose ring an
// ABORT stands (`aborts`) has the word at its head looked at before each packet (a load that keeps the word): it may be that ABORT.
//
//     put_header  ___/~~~\_______      commit   ___/~~~\___________________
//     look        -- |q  | -----       look     -------|q  |----------------
//     ready[q]    _______/~~~~~~ *)    ready[q] ___________/~~~~~~~~~~~~~~~~      *) put_eager
`default_nettype none
module voq_ready #(
    // queues, 1..16
    parameter VOQS = 8,
    // log2 of VOQS, at least 1
    parameter LOG2_VOQS = 3,
    // log2 of the words of a ring, 8..12
    parameter LOG2_VOQ_WORDS = 10
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      clear,         // all queues are empty
    input  wire                      halt,          // nothing is to be loaded, `halt_voq` is looked at
    input  wire [LOG2_VOQS-1:0]      halt_voq,
    input  wire                      shared,        // all queues share one credit lane

    // headers
    input  wire                      put_look,      // one is being written
    input  wire                      put_header,    // ... into the context of an empty queue
    input  wire                      put_eager,     // ... and its packet may start before its words are here
    input  wire                      put_commit,    // what has been put is committed, or thrown away
    input  wire                      put_rollback,
    input  wire [LOG2_VOQS-1:0]      put_voq,
    input  wire [9:0]                put_size,
    output wire                      put_free,      // the context of put_voq is free

    // visible words
    input  wire                      shown_valid,
    input  wire [LOG2_VOQS-1:0]      shown_voq,
    input  wire                      shown_abort,
    input  wire                      credit_changed,
    input  wire                      credit_lower,
    input  wire [LOG2_VOQS-1:0]      credit_voq,

    // the queue that is looked at
    output wire [LOG2_VOQS-1:0]      look_voq,
    input  wire [LOG2_VOQ_WORDS-1:0] look_words,
    input  wire [9:0]                look_size,
    output wire [9:0]                fits_size,     // size of the packet whose credit is asked for
    input  wire                      look_fits,

    // packets
    input  wire                      take,          // the packet of `take_voq` has started
    input  wire [LOG2_VOQS-1:0]      take_voq,
    input  wire [LOG2_VOQS-1:0]      cur_voq,       // the one that started last
    input  wire                      cur_reading,   // not all its words have been read
    input  wire                      cur_counted,   // one clock: its context has been stepped and its units counted
    input  wire                      cur_last,      // with cur_counted: it was the last one of its transfer
    input  wire                      cur_waits,     // that is still to be done
    input  wire                      cur_read,      // one clock: its last word has been read

    // loads
    output reg                       load_valid,    // the word at the head of load_voq is to be read: held until `load_issue`
    output reg                       load_keep,     // ... and left there
    output reg  [LOG2_VOQS-1:0]      load_voq,      // the same until load_done
    input  wire                      load_issue,
    input  wire                      load_done,     // one clock: the word is there
    input  wire                      load_abort,    // ... and is an ABORT
    input  wire                      load_header,   // ... or a header

    output wire [VOQS-1:0]           waiting,       // has a packet
    output wire [VOQS-1:0]           eligible,      // ... with credit
    output wire [VOQS-1:0]           blocked,       // ... without
    output wire                      look_used      // something of look_voq is here
);
    localparam SLOTS = 1 << LOG2_VOQS;
    localparam WIDE  = (LOG2_VOQ_WORDS > 10) ? LOG2_VOQ_WORDS : 10;
    localparam [LOG2_VOQS-1:0] STEP = (VOQS == 1) ? 0 : 1;

    initial
        if (VOQS < 1 || VOQS > 16 || VOQS > SLOTS || LOG2_VOQS < 1) begin
            $display("%m: VOQS must be 1..16 and at most 2**LOG2_VOQS, is %0d (LOG2_VOQS %0d)", VOQS, LOG2_VOQS);
            $finish;
        end

    reg [SLOTS-1:0] valid;     // has a context
    reg [SLOTS-1:0] ready;     // the words of its packet are here
    reg [SLOTS-1:0] credit;    // it has credit
    reg [SLOTS-1:0] aborts;    // an ABORT may be in the ring
    reg [SLOTS-1:0] peeked;    // the word at the head is none
    reg             pending;   // the context of put_voq holds a header that is not committed

    // ---- the queue that is looked at
    reg                 again_load;
    reg                 again_cur;
    reg                 again;
    reg [LOG2_VOQS-1:0] again_voq;
    reg [LOG2_VOQS-1:0] turn;
    assign look_voq = halt ? halt_voq : put_look ? put_voq : again_load ? load_voq : again_cur ? cur_voq : again ? again_voq : turn;

    always @(posedge clk)
        if (rst) begin
            again_load <= 1'b0;
            again_cur  <= 1'b0;
            again      <= 1'b0;
            turn       <= {LOG2_VOQS{1'b0}};
        end else begin
            again_load <= load_done || (again_load && put_look);
            again_cur  <= cur_read || (again_cur && !take && (put_look || again_load));
            again      <= (credit_changed || shown_valid) && !again;
            if (!put_look && !again_load && !again_cur && !again) turn <= turn + STEP;
        end

    always @(posedge clk)
        again_voq <= credit_changed ? credit_voq : shown_voq;

    // ---- what is found there
    wire                here     = (look_words != {LOG2_VOQ_WORDS{1'b0}});
    wire [WIDE-1:0]     words    = {{WIDE-LOG2_VOQ_WORDS{1'b0}}, look_words};
    wire [WIDE-1:0]     size     = {{WIDE-10{1'b0}}, look_size};
    wire                careful  = aborts[look_voq] && !peeked[look_voq];
    wire                complete = valid[look_voq] && (words >= size) && !careful;
    wire                mine     = (look_voq == cur_voq);
    wire                masked   = (cur_waits && (shared || mine)) || (cur_reading && mine) || (put_look && !put_header);
    wire                loadable = here && (!valid[look_voq] || careful) && !masked && !halt && !load_valid && !load_done;

    assign fits_size = put_look ? put_size : look_size;
    assign put_free  = !valid[put_voq];
    assign look_used = here || valid[look_voq];
    assign waiting   = ready[VOQS-1:0];
    assign eligible  = ready[VOQS-1:0] & credit[VOQS-1:0];
    assign blocked   = ready[VOQS-1:0] & ~credit[VOQS-1:0];

    integer i;
    always @(posedge clk)
        for (i = 0; i < SLOTS; i = i + 1)
            if (rst || clear || (take && (shared || take_voq == i[LOG2_VOQS-1:0]))
                || (credit_lower && (shared || credit_voq == i[LOG2_VOQS-1:0])))
                ready[i] <= 1'b0;
            else if (look_voq == i[LOG2_VOQS-1:0] && !masked)
                ready[i] <= put_header ? put_eager : complete;

    always @(posedge clk)
        if (!put_look || put_header)
            credit[look_voq] <= look_fits;

    always @(posedge clk)
        if (rst || clear) begin
            valid   <= {SLOTS{1'b0}};
            aborts  <= {SLOTS{1'b0}};
            peeked  <= {SLOTS{1'b0}};
            pending <= 1'b0;
        end else begin
            if (put_commit || put_rollback)              pending            <= 1'b0;
            else if (put_header)                         pending            <= !put_eager;
            if (put_commit && pending)                   valid[put_voq]     <= 1'b1;
            if (put_header && (put_eager || put_commit)) valid[put_voq]     <= 1'b1;
            if (cur_counted && cur_last)                 valid[cur_voq]     <= 1'b0;
            if (load_done && load_keep && load_abort)    valid[load_voq]    <= 1'b0;
            if (load_done && !load_keep && load_header)  valid[load_voq]    <= 1'b1;
            if (!here)                                   aborts[look_voq]   <= 1'b0;
            if (shown_abort)                             aborts[shown_voq]  <= 1'b1;
            if (load_done)                               peeked[load_voq]   <= load_keep && !load_abort;
            if (take)                                    peeked[take_voq]   <= 1'b0;
        end

    // ---- loads
    always @(posedge clk)
        if (rst) load_valid <= 1'b0;
        else     load_valid <= loadable || (load_valid && !load_issue);

    always @(posedge clk)
        if (loadable) begin
            load_voq  <= look_voq;
            load_keep <= valid[look_voq];
        end

    wire unused = &{1'b0, ready, credit};

    // ---- measuring
    wire probe_busy  = |valid;
    wire probe_stall = |blocked;
    wire probe_start = load_valid && load_issue;
    wire probe_done  = load_done;
endmodule
`default_nettype wire
