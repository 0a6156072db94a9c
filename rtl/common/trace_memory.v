// One capture point of the tracing memories (S4 2.8): 2048 entries of 72 bits, one for each word that passes, and some
// for events. Below, the point is one side of a FIFO; in the switch, and before the deskew of several links by byte, it
// is one direction of a link, and an entry holds two of the link's words.
//
//     [63:0]   data                              of an event: [63:32] clocks since the start, modulo 2^32; [31:0] by
//                                                its kind
//     [64]     SOP: a header word
//     [65]     EOP: the last word of a packet
//     [66]     VALID: the word went into the FIFO, or out of it
//     [67]     STALL: with VALID, the point has waited since the entry before; without, the word was refused: written
//              to a full FIFO, or taken from an empty one (the data then repeat the word before)
//     [69:68]  of a word: bits [67:66] of the word stream
//     [71:70]  of a word: `word_link`
//     [71:68]  without VALID and STALL: kind of the event, 1.. as in trace_kinds of nx_trace.h; FROZEN is made here
//
// `run` high: recording starts at entry 0. Low: stops at once. With `circular` the entry after 2047 is 0 and `level`
// says so; else the recording ends there. `freeze` writes an entry of the kind FROZEN; the recording ends `after`
// entries behind it. The memory is never cleared and keeps its content in a software reset.
//
// An event has an entry of its own. Words have precedence: an event waits for a clock without one. A second event
// replaces the waiting one and sets bit [31] of its data.
//
// With PAIRS = 1 two entries may be written in a clock: word 0 and word 1, in this order, or a word and an event. They
// are in two memories in turn, of half as many entries each. A recording ends between the two if that is its end.
`default_nettype none
module trace_memory #(
    // log2 of the entries, 4..11
    parameter LOG2_ENTRIES = 11,
    // words that may pass in a clock, 1 or 2
    parameter WORDS = 1,
    // 1: two entries per clock, see above; with 2 WORDS always
    parameter PAIRS = (WORDS == 2) ? 1 : 0
) (
    input  wire                    clk,          // gated: may stop while `busy` is low (clock_gate)
    input  wire                    rst,
    output wire                    busy,         // recording: its clocks must be counted

    // control
    input  wire                    run,          // level
    input  wire                    circular,     // level, the same while `run`
    input  wire                    freeze,       // one clock
    input  wire [LOG2_ENTRIES-1:0] after,        // with it

    // what is recorded
    input  wire [WORDS-1:0]        word_valid,
    input  wire [WORDS-1:0]        word_refused, // a word is either, and word 1 only with word 0
    input  wire [68*WORDS-1:0]     word_data,    // with either
    input  wire [1:0]              word_link,    // the link that they belong to
    input  wire                    held,         // level: a word waits here
    input  wire                    event_valid,
    input  wire [3:0]              event_kind,
    input  wire [30:0]             event_data,

    // state
    output reg                     active,       // records
    output reg  [LOG2_ENTRIES:0]   level,        // where the next entry goes; top bit: entries behind it are valid, too

    // read side
    input  wire                    rd_clk,
    input  wire                    rd_enable,
    input  wire [LOG2_ENTRIES-1:0] rd_index,
    output wire [71:0]             rd_data
);
    localparam [3:0] FROZEN = 4'd15;
    localparam [LOG2_ENTRIES-1:0] LAST = {LOG2_ENTRIES{1'b1}};
    localparam [LOG2_ENTRIES-1:0] ONE  = {{LOG2_ENTRIES-1{1'b0}}, 1'b1};

    initial
        if (LOG2_ENTRIES < 4 || LOG2_ENTRIES > 11 || (WORDS != 1 && WORDS != 2)
            || PAIRS < WORDS - 1 || PAIRS > 1) begin
            $display("%m: LOG2_ENTRIES must be 4..11, is %0d; WORDS 1 or 2, is %0d; PAIRS 0 or, with 2 always, 1, ",
                     LOG2_ENTRIES, WORDS, "is %0d", PAIRS);
            $finish;
        end

    reg                    started;      // `run` has been seen
    reg                    was_held;     // since the last entry of a word
    reg                    marks;        // FROZEN has still to be written
    reg                    freezing;     // ... or is written: `left` more entries
    reg                    waits;        // an event waits
    reg  [3:0]             waits_kind;
    reg  [31:0]            waits_data;
    reg  [LOG2_ENTRIES-1:0] left;
    reg  [31:0]            clocks;

    wire [LOG2_ENTRIES-1:0] at = level[LOG2_ENTRIES-1:0];

    wire word    = word_valid[0] || word_refused[0];
    wire two     = word_valid[WORDS-1] || word_refused[WORDS-1];      // with 2 WORDS: word 1 is here
    wire at_end  = (at == LAST);
    wire ends    = freezing && (left == ONE);
    wire apart   = word && (PAIRS == 0 || (WORDS == 2 && two) || ends || (at_end && !circular)); // no event beside it
    wire second  = active && (PAIRS != 0) && word && !ends && (circular || !at_end)
                   && ((WORDS == 2 && two) || marks || waits);       // a second entry is written
    wire writes  = active && (word || marks || waits);
    wire marked  = active && marks && !apart;
    wire full    = writes && !circular && (at_end || (second && at == LAST - ONE));
    wire over    = (marked && left == {LOG2_ENTRIES{1'b0}}) || (writes && (ends || (second && freezing
                                                                                    && left == ONE + ONE)));
    wire [LOG2_ENTRIES-1:0] step = ONE + {{LOG2_ENTRIES-1{1'b0}}, second};

    assign busy = (started != run) || active;

    wire [71:0] word_entry  = {word_link, word_data[67:66], word_refused[0] || was_held, word_valid[0],
                               word_data[65:64], word_data[63:0]};
    wire [71:0] event_entry = {marks ? FROZEN : waits_kind, 4'd0, clocks, marks ? 32'd0 : waits_data};

    always @(posedge clk)
        if (rst) begin
            active  <= 1'b0;
            started <= 1'b0;
            level   <= {LOG2_ENTRIES+1{1'b0}};
        end else if (!run) begin
            active  <= 1'b0;
            started <= 1'b0;
        end else if (!started) begin
            active  <= 1'b1;
            started <= 1'b1;
            level   <= {LOG2_ENTRIES+1{1'b0}};
        end else if (active) begin
            active <= !(full || over);
            if (writes)
                level <= {level[LOG2_ENTRIES] || at_end || (second && at == LAST - ONE), at + step};
        end

    always @(posedge clk)
        if (!active) begin
            was_held   <= 1'b0;
            marks      <= 1'b0;
            freezing   <= 1'b0;
            waits      <= 1'b0;
            clocks     <= 32'd0;
        end else begin
            was_held <= held || (was_held && !word);
            clocks   <= clocks + 32'd1;
            if (freeze) begin
                marks <= 1'b1;
                left  <= after;
            end else if (marked) begin
                marks    <= 1'b0;
                freezing <= 1'b1;
            end else if (freezing && writes)
                left <= left - step;
            if (event_valid) begin
                waits      <= 1'b1;
                waits_kind <= event_kind;
                waits_data <= {waits && (apart || marks), event_data};
            end else if (!apart && !marks)
                waits <= 1'b0;
        end

    wire [71:0] entry = word ? word_entry : event_entry;

    generate
        if (PAIRS != 0) begin : in_turn
            wire [67:0]               word_1       = word_data[68*(WORDS-1) +: 68];
            wire [71:0]               entry_1      = {word_link, word_1[67:66], word_refused[WORDS-1],
                                                      word_valid[WORDS-1], word_1[65:0]};
            wire [71:0]               second_entry = (WORDS == 2 && two) ? entry_1 : event_entry;
            wire                      odd   = at[0];
            wire [LOG2_ENTRIES-2:0]   place = at[LOG2_ENTRIES-1:1];
            wire [143:0]              shown;
            reg                       shown_odd;

            assign rd_data = shown_odd ? shown[143:72] : shown[71:0];

            always @(posedge rd_clk)
                if (rd_enable) shown_odd <= rd_index[0];

            memory_async #(.WIDTH(72), .LOG2_DEPTH(LOG2_ENTRIES - 1)) even_entries (
                .wr_clk (clk), .wr_valid (odd ? second : writes), .wr_index (place + {{LOG2_ENTRIES-2{1'b0}}, odd}),
                .wr_data (odd ? second_entry : entry), .rd_clk (rd_clk), .rd_enable (rd_enable),
                .rd_index (rd_index[LOG2_ENTRIES-1:1]), .rd_data (shown[71:0])
            );
            memory_async #(.WIDTH(72), .LOG2_DEPTH(LOG2_ENTRIES - 1)) odd_entries (
                .wr_clk (clk), .wr_valid (odd ? writes : second), .wr_index (place),
                .wr_data (odd ? entry : second_entry), .rd_clk (rd_clk), .rd_enable (rd_enable),
                .rd_index (rd_index[LOG2_ENTRIES-1:1]), .rd_data (shown[143:72])
            );
        end else begin : in_one
            memory_async #(.WIDTH(72), .LOG2_DEPTH(LOG2_ENTRIES)) entries (
                .wr_clk (clk), .wr_valid (writes), .wr_index (at), .wr_data (entry), .rd_clk (rd_clk),
                .rd_enable (rd_enable), .rd_index (rd_index), .rd_data (rd_data)
            );
        end
    endgenerate

    // ---- measuring
    wire probe_busy  = writes;
    wire probe_stall = 1'b0;
    wire probe_start = word;
    wire probe_done  = writes;
endmodule
`default_nettype wire
