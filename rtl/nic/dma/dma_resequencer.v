// Resequencer of headers (S2 2.6): packets of one source that arrive over several paths, in any order, are notified in
// the order of their numbers. Payloads are in memory already, each at its place; only notifications are kept here.
//
// Per source: E, the number that is due; the last number of each path; 2**LOG2_PLACES places for waiting headers.
//
//     ask     the header of a packet has arrived:          late: it is behind E; it is dropped, and its source gets a
//             is it written?                               loss indication
//     done    its payload has been written (or dropped)    it is E: E advances, the caller notifies it in this clock
//                                                          else it gets a place
//     note    a packet in a place is due, and wants a notification or an interrupt
//
// Numbers have ten bits: a number is early when it is less than 512 ahead of E, else late. A sender does not run that
// far ahead (rtl/nic/voq/voq_ahead).
//
// E is lost and advances when
//   * every path in use has delivered a later number. A path keeps the order of its packets (the rule of RFC 1990)
//   * or headers have waited for `cfg_timeout` clocks since E last advanced to a packet that has arrived
//   * or the packet asked for has no place, as it is 2**LOG2_PLACES or more ahead. With 512 places that looks like one
//     behind E; it is not, since its path has delivered a number ahead of E and keeps the order
// but never while the packet with that number is being written. The source then gets a loss indication, which its next
// notification carries; also after a late packet, a damaged one, and a notification that did not arrive (`mark_valid`).
//
// A number whose place is taken, or has just been passed, arrives again from a source that was reset. The newer packet
// stays, and the source gets a loss indication.
//
// If a source sends only late packets for `cfg_timeout` clocks, it was reset. Waiting packets are notified as above,
// and E becomes the number of the next packet, with a loss indication.
//
// `flush` (software reset): waiting packets are passed without a notification, and missing ones are no longer awaited;
// the sources get a loss indication. `holds` falls when that is done.
//
// After `rst` all places are emptied, one per clock; `ask_ready` stays low meanwhile. `done` of the packet due is
// answered in its clock. A waiting packet is notified at most 2 x SOURCES + 3 clocks after E has reached it, since
// another waiting source takes two (look, decide); or when the note before it is taken; no packet arrives in between.
`default_nettype none
module dma_resequencer #(
    // sources, 2..16, a power of two
    parameter SOURCES = 8,
    // paths, 1..4
    parameter PATHS = 4,
    // log2 of the places of each source, 2..9
    parameter LOG2_PLACES = 9
) (
    input  wire                       clk,
    input  wire                       rst,
    output wire                       busy,          // a header waits, or a time runs

    // set-up
    input  wire [SOURCES*PATHS-1:0]   cfg_paths,     // paths in use of source s in [PATHS*s +: PATHS]
    input  wire [23:0]                cfg_timeout,   // clocks; 0: no limit
    input  wire                       time_runs,     // this clock counts: low while the caller takes no waiting packets
    input  wire                       flush,         // level
    output wire                       holds,         // a header waits, or a note is pending

    // a header has arrived; all stays as it is until the packet's `done`
    input  wire                       ask_valid,     // until ask_ready
    input  wire [$clog2(SOURCES)-1:0] ask_source,
    input  wire [9:0]                 ask_number,
    input  wire [1:0]                 ask_path,
    output wire                       ask_ready,
    output wire                       ask_late,      // with it: the packet must not be written, and has no `done`

    // one clock: the packet asked for last has been written
    input  wire                       done_valid,
    input  wire [45:0]                done_kept,     // header [55:52], [41:0]
    input  wire                       done_damaged,  // ... with damage
    output wire                       done_now,      // it is due: the caller notifies it, if it wants that
    output wire                       done_flagged,  // ... with a loss indication

    // a packet that has waited: held until note_taken
    output reg                        note_valid,
    output reg  [63:0]                note_header,   // with the loss indication in [63]
    input  wire                       note_taken,

    // one clock: this source has lost something else
    input  wire                       mark_valid,
    input  wire [$clog2(SOURCES)-1:0] mark_source,

    // one clock each
    output reg                        ev_lost,       // a number was timed out
    output reg                        ev_late,       // a packet behind E arrived
    output reg                        ev_restart,    // the numbers of a source were restarted
    output reg  [9:0]                 depth          // farthest that a packet has ever been ahead of E
);
    localparam BITS   = $clog2(SOURCES);
    localparam PLACES = 1 << LOG2_PLACES;
    localparam SWEEP  = BITS + LOG2_PLACES;

    initial
        if (SOURCES < 2 || SOURCES > 16 || (SOURCES & (SOURCES - 1)) != 0 || PATHS < 1 || PATHS > 4 || LOG2_PLACES < 2
            || LOG2_PLACES > 9) begin
            $display("%m: SOURCES must be 2, 4, 8 or 16, is %0d; PATHS 1..4, is %0d; LOG2_PLACES 2..9, is %0d", SOURCES,
                     PATHS, LOG2_PLACES);
            $finish;
        end

    // ---- of each source. In each clock one source is read and changed: that of the caller, else the next one.
    (* ram_style = "distributed" *) reg [9:0]           due [0:SOURCES-1];         // E
    (* ram_style = "distributed" *) reg [LOG2_PLACES:0] waiting [0:SOURCES-1];     // headers in places
    (* ram_style = "distributed" *) reg [PATHS-1:0]     later [0:SOURCES-1];       // the path delivered more than E
    (* ram_style = "distributed" *) reg [24:0]          since [0:SOURCES-1];       // E advanced, or the first waits
    (* ram_style = "distributed" *) reg [24:0]          late_since [0:SOURCES-1];
    reg [SOURCES-1:0] some_wait;      // waiting is not 0
    reg [SOURCES-1:0] late_run;       // its last packet was late
    reg [SOURCES-1:0] late_over;      // ... and such have arrived for the time-out
    reg [SOURCES-1:0] marks;

    reg [47:0]        places [0:SOURCES*PLACES-1];     // {here, damaged, kept}
    reg [47:0]        shown;

    reg  [24:0]       now;
    reg               sweeping;
    reg  [SWEEP-1:0]  sweep;
    reg  [BITS-1:0]   turn;
    reg               looking;         // `shown` is the place of E of `turn`
    reg  [BITS-1:0]   looked_at;       // ... or of this source, when E of the caller's must advance
    reg               writing;         // between ask and done

    wire [BITS-1:0]   at = (ask_valid || done_valid) ? ask_source : turn;
    wire [9:0]        at_due = due[at];
    wire [9:0]        at_next = at_due + 10'd1;
    wire [LOG2_PLACES:0] at_waiting = waiting[at];
    wire [PATHS-1:0]  at_later = later[at];
    wire [PATHS-1:0]  at_paths = cfg_paths[PATHS*at +: PATHS];
    wire              expired = (cfg_timeout != 24'd0) && (now - since[at] >= {1'b0, cfg_timeout});
    wire              late_expired = (cfg_timeout != 24'd0) && (now - late_since[at] >= {1'b0, cfg_timeout});

    // ---- the caller's packet
    wire [9:0]        ahead    = ask_number - at_due;
    wire              behind   = ahead[9];
    wire              restart  = behind && late_run[at] && late_over[at];
    wire [3:0]        later_wide = {{4-PATHS{1'b0}}, at_later};
    wire              no_place = behind ? later_wide[ask_path] : (ahead[9:LOG2_PLACES] != {10-LOG2_PLACES{1'b0}});
    wire              stuck    = restart ? some_wait[at] : no_place;  // E must advance before it can be answered
    wire              asked    = ask_valid && !sweeping && !stuck;
    wire              accept   = asked && (!behind || restart);
    wire              refuse   = asked && behind && !restart;
    wire              passed   = done_valid && behind;                // its place was passed while it was written
    wire              keep     = done_valid && !done_now && !passed;
    reg               fresh;                                          // `shown` is the place of the packet asked for
    reg               here;
    wire              taken    = fresh ? shown[47] : here;            // that place is
    wire              drops    = done_now && taken;

    assign ask_ready    = asked;
    assign ask_late     = behind && !restart;
    assign done_now     = done_valid && (ahead == 10'd0) && !(note_valid && note_header[56 +: BITS] == ask_source);
    assign done_flagged = marks[at] || done_damaged;

    // ---- places: the one of E is read, then it is passed or lost
    wire              caller   = (ask_valid && !stuck) || done_valid;
    wire              forced   = ask_valid && stuck;                  // then `at` is the source of the caller
    wire              all_later = ((at_later | ~at_paths) == {PATHS{1'b1}}) && ((at_later & at_paths) != {PATHS{1'b0}});
    wire              look     = !caller && !sweeping && !looking && (some_wait[at] || all_later || forced);
    wire              decide   = looking && !caller && (at == looked_at);
    wire              being_written = writing && !forced && (at == ask_source) && (ahead == 10'd0);
    wire              wants    = shown[44] || shown[42];              // header [54], [52]
    wire              pass     = decide && shown[47] && (flush || !(note_valid && wants && !note_taken));
    wire              lose     = decide && !shown[47] && (all_later || (some_wait[at] && (expired || flush)) || forced)
                                 && !being_written;
    wire              goes_on  = done_now || pass || lose;
    wire              damaged  = done_now ? done_damaged : shown[46];
    wire              notifies = done_now ? done_kept[44] : shown[44];

    assign holds = (|some_wait) || note_valid;
    assign busy = (|some_wait) || (|(late_run & ~late_over)) || note_valid || sweeping || looking || ask_valid
                  || writing;

    // ---- next state of the source
    wire [BITS-1:0]   to = sweeping ? sweep[LOG2_PLACES +: BITS] : at;
    wire [9:0]        new_due = (accept && restart) ? ask_number : goes_on ? at_next : at_due;

    always @(posedge clk)
        if (sweeping || goes_on || (accept && restart))
            due[to] <= new_due & {10{!sweeping}};

    wire [LOG2_PLACES:0] new_waiting = at_waiting + {{LOG2_PLACES{1'b0}}, keep && !taken}
                                       - {{LOG2_PLACES{1'b0}}, pass || drops};

    always @(posedge clk)
        if (sweeping || keep || pass || drops)
            waiting[to] <= new_waiting & {LOG2_PLACES+1{!sweeping}};

    always @(posedge clk)
        if (done_now || pass || (keep && !some_wait[at]))
            since[at] <= now;

    always @(posedge clk)
        if (refuse && !late_run[at])
            late_since[at] <= now;

    // The last number of each path, and whether it is behind E: a bit that falls when E reaches it, since ten bits are
    // ambiguous for a path that has carried nothing for long.
    reg  [PATHS-1:0]  new_later;
    wire [PATHS-1:0]  is_next;

    genvar p;
    generate
        for (p = 0; p < PATHS; p = p + 1) begin : of_path
            (* ram_style = "distributed" *) reg [9:0] last [0:SOURCES-1];
            localparam [1:0] ME = p;
            wire mine = (ask_path == ME);
            assign is_next[p] = (last[at] == at_next);
            always @(posedge clk)
                if (accept && mine) last[at] <= ask_number;
            always @* begin
                new_later[p] = at_later[p];
                if (accept && restart)   new_later[p] = 1'b0;
                else if (accept && mine) new_later[p] = (ahead != 10'd0);
                else if (goes_on)        new_later[p] = at_later[p] && !is_next[p];
            end
        end
    endgenerate

    always @(posedge clk)
        if (sweeping || accept || goes_on)
            later[to] <= new_later & {PATHS{!sweeping}};

    // ---- places
    wire [SWEEP-1:0] write_place = sweeping ? sweep
                                   : {at, keep ? ask_number[LOG2_PLACES-1:0] : at_due[LOG2_PLACES-1:0]};

    always @(posedge clk) begin
        if (sweeping || keep || pass || drops)
            places[write_place] <= keep ? {1'b1, done_damaged, done_kept} : 48'd0;
        if (look || accept)
            shown <= places[{at, accept ? ask_number[LOG2_PLACES-1:0] : at_due[LOG2_PLACES-1:0]}];
        fresh <= accept;
        here  <= taken && !(pass && at == ask_source && ahead == 10'd0);
    end

    wire [SOURCES-1:0] one = {{SOURCES-1{1'b0}}, 1'b1};
    wire [SOURCES-1:0] at_one = one << at;
    wire [6:0]         at_flow = {{7-BITS{1'b0}}, at};

    always @(posedge clk)
        if (rst) begin
            sweeping   <= 1'b1;
            sweep      <= {SWEEP{1'b0}};
            now        <= 25'd0;
            turn       <= {BITS{1'b0}};
            looking    <= 1'b0;
            looked_at  <= {BITS{1'b0}};
            writing    <= 1'b0;
            note_valid <= 1'b0;
            some_wait  <= {SOURCES{1'b0}};
            late_run   <= {SOURCES{1'b0}};
            late_over  <= {SOURCES{1'b0}};
            marks      <= {SOURCES{1'b0}};
            depth      <= 10'd0;
            ev_lost    <= 1'b0;
            ev_late    <= 1'b0;
            ev_restart <= 1'b0;
        end else begin
            now        <= now + {24'd0, time_runs};
            sweep      <= sweep + {{SWEEP-1{1'b0}}, 1'b1};
            sweeping   <= sweeping && !(&sweep);
            ev_lost    <= lose;
            ev_late    <= refuse;
            ev_restart <= accept && restart;

            if (accept && !restart && ahead > depth) depth <= ahead;
            if (accept)          writing <= 1'b1;
            else if (done_valid) writing <= 1'b0;

            // a source is left when it has no work in this clock
            looking <= look
                       || (looking && !accept && !(pass || lose) && (caller ? (at != looked_at) : decide && shown[47]));
            if (look) looked_at <= at;
            if (!caller && !forced && !look && !(looking && (pass || lose || shown[47])))
                turn <= turn + {{BITS-1{1'b0}}, 1'b1};

            if (keep)                                                some_wait <= some_wait | at_one;
            else if ((pass || drops) && at_waiting == {{LOG2_PLACES{1'b0}}, 1'b1}) some_wait <= some_wait & ~at_one;

            if (refuse)                     late_run <= late_run | at_one;
            else if (accept)                late_run <= late_run & ~at_one;
            if (accept || (refuse && !late_run[at])) late_over <= late_over & ~at_one;
            else if (late_run[at] && late_expired)   late_over <= late_over | at_one;

            if (note_taken) note_valid <= 1'b0;
            if (pass && wants && !flush) begin
                note_valid  <= 1'b1;
                note_header <= {marks[at] || shown[46], at_flow, shown[45:42], at_due, shown[41:0]};
            end

            marks <= (marks & ~(((done_now || pass) && notifies) ? at_one : {SOURCES{1'b0}}))
                     | ((refuse || lose || (accept && restart) || ((done_now || pass) && damaged && !notifies)
                         || (pass && flush) || passed || (done_valid && taken))
                        ? at_one : {SOURCES{1'b0}})
                     | (mark_valid ? one << mark_source : {SOURCES{1'b0}});
        end

    // ---- measuring
    wire probe_busy       = caller || looking;
    wire probe_stall_note = decide && shown[47] && !pass;
    wire probe_start      = keep;
    wire probe_done       = pass;
endmodule
`default_nettype wire
