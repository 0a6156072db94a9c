// One capture point of the tracing memories (S4 2.8): 2048 entries of 72 bits, one for each word that passes, and some
// for events. Below, the point is one side of a FIFO; in the switch it is one direction of a link, and an entry holds
// two of the link's words.
//
//     [63:0]   data                              of an event: [63:32] clocks since the start, modulo 2^32; [31:0] by
//                                                its kind
//     [64]     SOP: a header word
//     [65]     EOP: the last word of a packet
//     [66]     VALID: the word went into the FIFO, or out of it
//     [67]     STALL: with VALID, the point has waited since the entry before; without, the word was refused: written
//              to a full FIFO, or taken from an empty one (the data then repeat the word before)
//     [69:68]  of a word: bits [67:66] of the word stream
//     [71:68]  without VALID and STALL: kind of the event, 1.. as in trace_kinds of nx_trace.h; FROZEN is made here
//
// `run` high: recording starts at entry 0. Low: stops at once. With `circular` the entry after 2047 is 0 and `level`
// says so; else the recording ends there. `freeze` writes an entry of the kind FROZEN; the recording ends `after`
// entries behind it. The memory is never cleared and keeps its content in a software reset.
//
// An event has an entry of its own. Words have precedence: an event waits for a clock without one. A second event
// replaces the waiting one and sets bit [31] of its data.
`default_nettype none
module trace_memory #(
    // log2 of the entries, 4..11
    parameter LOG2_ENTRIES = 11
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
    input  wire                    word_valid,
    input  wire                    word_refused, // not in the same clock
    input  wire [67:0]             word_data,    // with either
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
        if (LOG2_ENTRIES < 4 || LOG2_ENTRIES > 11) begin
            $display("%m: LOG2_ENTRIES must be 4..11, is %0d", LOG2_ENTRIES);
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

    wire word    = word_valid || word_refused;
    wire writes  = active && (word || marks || waits);
    wire full    = writes && !circular && (level[LOG2_ENTRIES-1:0] == LAST);
    wire marked  = active && marks && !word;
    wire over    = (marked && left == {LOG2_ENTRIES{1'b0}}) || (writes && freezing && left == ONE);

    assign busy = (started != run) || active;

    wire [71:0] word_entry  = {2'b00, word_data[67:66], word_refused || was_held, word_valid, word_data[65:64],
                               word_data[63:0]};
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
                level <= {level[LOG2_ENTRIES] || (level[LOG2_ENTRIES-1:0] == LAST), level[LOG2_ENTRIES-1:0] + ONE};
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
                left <= left - ONE;
            if (event_valid) begin
                waits      <= 1'b1;
                waits_kind <= event_kind;
                waits_data <= {waits && (word || marks), event_data};
            end else if (!word && !marks)
                waits <= 1'b0;
        end

    memory_async #(.WIDTH(72), .LOG2_DEPTH(LOG2_ENTRIES)) entries (
        .wr_clk (clk), .wr_valid (writes), .wr_index (level[LOG2_ENTRIES-1:0]),
        .wr_data (word ? word_entry : event_entry), .rd_clk (rd_clk), .rd_enable (rd_enable), .rd_index (rd_index),
        .rd_data (rd_data)
    );

    // ---- measuring
    wire probe_busy  = writes;
    wire probe_stall = 1'b0;
    wire probe_start = word;
    wire probe_done  = writes;
endmodule
`default_nettype wire
