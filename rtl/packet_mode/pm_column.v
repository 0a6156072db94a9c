// A column of the crossbar: the crosspoints of all inputs for one output, and the output scheduler.
//
//   choice at t        a unit may be chosen in the clock in which its first word arrives
//   t + 1              its first word is fetched (DPM: if the lock requested at t is granted)
//   t + 2              it is on the way to the egress card, and credit for the unit goes to its input's credit row
//
// The next choice is made one word before the end, so units follow each other without a gap, unless one is a word.
//
// SCHEDULING_CLOCKS > 2 delays the view of choices by SCHEDULING_CLOCKS - 2 clocks; choices are SCHEDULING_CLOCKS apart
// at least. The words themselves are in their crosspoint at once. DPM: an output with a lock chooses again when it has
// seen the packet's last word, which may have left by then, so it never holds two locks.
//
// In deterministic packet mode (FRAGMENTS) the output sends packets: `count` of a word's side is the remainder of its
// packet within its unit (a fragment), credit is given per fragment, and the next choice is made at the packet's end.
// With two segments only, RTT + SEGMENT_WORDS (S3 IV), a short packet and a long one behind it can leave less than 125
// words of the long one in the crosspoint and no space for the next segment, for ever; so it must hold RTT + 2 *
// SEGMENT_WORDS - 1 words.
//
// With PRIORITIES = 2 each input has a crosspoint for either priority, and there is an output scheduler for each: units
// of high priority go first, except while packet mode keeps the output. A unit in which packet mode ends does not begin
// it again, so high priority waits for one packet at most. With MULTICAST words have one more bit, set for packets that
// name sets; these do not pair.
`default_nettype none
`include "slots.vh"
module pm_column #(
    parameter PORTS         = 16,              // 2..16
    parameter SEGMENT_WORDS = 64,              // a unit at most, 3..1024
    parameter UNIT_WORDS    = SEGMENT_WORDS,   // the same; where a unit is a packet, the longest packet
    parameter PACKET_MODE   = 0,               // 1: probabilistic; 2: deterministic, outputs send packets
    parameter PRIORITIES    = 1,               // 1 or 2
    parameter MULTICAST     = 0,               // 1: packets may go to several outputs
    parameter XPOINT_WORDS  = 64,              // of a crosspoint
    parameter RTT           = 61,              // from credit that leaves to the word for it, see pm_switch
    parameter SCHEDULING_CLOCKS = 2,           // of a decision, 2..16: from the arrival of a word to its departure
    parameter LOOK_BACK     = 2,               // of pm_output_scheduler
    parameter LOCK_RELEASE  = 0,               // a lock is free when 0: the packet's last word arrived; 1: it left
    parameter REFUSE_LOCK_UP = 1,              // 0: crosspoints that lock up are not refused: for a test that shows why
    // computed, not to be set
    parameter PW            = $clog2(PORTS),
    parameter TARGET        = (MULTICAST != 0) ? PORTS : PW,
    parameter SIDE          = 2 + $clog2(UNIT_WORDS)
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [PW-1:0]         number,       // of this output

    // sets the weight of an input for the output scheduler
    input  wire                  weight_write,
    input  wire [PW-1:0]         weight_input,
    input  wire [7:0]            weight,

    // from all inputs, at the end of their cables
    input  wire [PORTS-1:0]      in_valid,
    input  wire [PORTS*TARGET-1:0] in_target,  // bit b of the output, inputs from PORTS * b on; MULTICAST: output b
    input  wire [PORTS-1:0]      in_priority,
    input  wire [PORTS-1:0]      in_multicast,
    input  wire [PORTS-1:0]      in_first,
    input  wire [PORTS-1:0]      in_end,
    input  wire [PORTS*SIDE-1:0] in_side,
    input  wire [PORTS*64-1:0]   in_word,

    // locks of the inputs (FRAGMENTS)
    input  wire [PORTS-1:0]      lock_free,
    output wire                  lock_ask,
    output wire                  lock_high,    // ... for a packet of high priority
    output wire [PW-1:0]         lock_input,
    input  wire                  lock_granted, // one clock behind lock_ask
    output wire                  lock_release,
    output wire [PW-1:0]         lock_released,

    // credit
    output wire                  credit_valid,
    output wire                  credit_priority,
    output wire [PW-1:0]         credit_input,
    output wire [12:0]           credit_words,
    output wire                  credit_notice,
    output wire                  credit_urgent,
    output wire [7:0]            credit_id,
    input  wire [PORTS*4-1:0]    credit_late,  // per input: clocks that an urgent credit of this clock would wait

    // to the egress card
    output reg                   out_valid,
    output wire [PW-1:0]         out_input,
    output wire                  out_priority,
    output wire                  out_multicast,
    output wire                  out_end,      // last word of a packet
    output wire                  out_sure,     // the remainder of this packet follows without a gap
    output wire [63:0]           out_word,

    output reg                   error_words,  // a crosspoint ran over or empty in the clock before
    output wire                  event_pair,   // packet mode begins
    output wire                  event_cancel, // it does not, because its notice would have been late
    output wire                  event_refused // a lock was not granted
);
    localparam WIDTH = 64 + SIDE + MULTICAST;
    localparam ROWS  = ((PRIORITIES - 1) << PW) + PORTS; // crosspoints: input; those of high priority from 2^PW on
    localparam RW    = PW + PRIORITIES - 1;
    localparam HIGH  = ROWS - PORTS;
    localparam FRAGMENTS = (PACKET_MODE == 2) ? 1 : 0;
    localparam LATE  = SCHEDULING_CLOCKS - 2;            // clocks until a choice sees a word
    localparam [31:0] SLOT = SCHEDULING_CLOCKS - 1;
    localparam [31:0] LOOKS = LATE;
    localparam [31:0] ENOUGH = RTT + SEGMENT_WORDS;
    localparam [31:0] FULL = UNIT_WORDS;

    initial
        if (SEGMENT_WORDS < 3 || SEGMENT_WORDS > 1024) begin
            $display("%m: SEGMENT_WORDS must be 3..1024, is %0d", SEGMENT_WORDS);
            $finish;
        end else if (FRAGMENTS != 0 && REFUSE_LOCK_UP != 0 && XPOINT_WORDS < RTT + 2 * SEGMENT_WORDS - 1) begin
            $display("%m: XPOINT_WORDS must be at least RTT + 2 * SEGMENT_WORDS - 1 = %0d, ",
                     RTT + 2 * SEGMENT_WORDS - 1, "or two segments lock up; it is %0d", XPOINT_WORDS);
            $finish;
        end

    // ---- the crosspoints

    localparam BITS = $clog2(XPOINT_WORDS);
    localparam PB   = BITS + 1;                // a place in a crosspoint, above it a bit that changes with each round
    localparam [31:0] LAST_PLACE = XPOINT_WORDS - 1;
    localparam [31:0] ALL = XPOINT_WORDS;

    reg  [PORTS-1:0]   hits;
    wire [ROWS-1:0]    hits_low   = {{HIGH{1'b0}}, (PRIORITIES == 2) ? hits & ~in_priority : hits};
    wire [ROWS-1:0]    hits_high  = {{HIGH{1'b0}}, (PRIORITIES == 2) ? hits & in_priority : {PORTS{1'b0}}};
    wire [ROWS-1:0]    write      = hits_low | hits_high << HIGH;
    wire [ROWS-1:0]    fetches;
    wire [WIDTH-1:0]   words [0:ROWS-1];
    reg  [PB*ROWS-1:0] write_places;
    (* mem2reg *) reg [PB-1:0] fetch_place [0:ROWS-1];
    integer            i;
    generate
        if (MULTICAST != 0) begin : named
            always @* hits = in_valid & in_target[PORTS*{{32-PW{1'b0}}, number} +: PORTS];
        end else begin : numbered
            integer n;
            always @* begin
                hits = in_valid;
                for (n = 0; n < PW; n = n + 1) hits = hits & (in_target[PORTS*n +: PORTS] ^ {PORTS{~number[n]}});
            end
        end
    endgenerate

    genvar g;
    genvar p;
    generate
        for (g = 0; g < ROWS; g = g + 1) begin : row
            localparam INPUT = g % (1 << PW);
            if (INPUT < PORTS) begin : used
                wire [WIDTH-1:0] written;
                if (MULTICAST != 0) begin : kind
                    assign written = {in_multicast[INPUT], in_side[SIDE*INPUT +: SIDE], in_word[64*INPUT +: 64]};
                end else begin : no_kind
                    assign written = {in_side[SIDE*INPUT +: SIDE], in_word[64*INPUT +: 64]};
                end
                pm_crosspoint #(.WIDTH(WIDTH), .WORDS(XPOINT_WORDS)) crosspoint (
                    .clk (clk), .write (write[g]), .write_place (write_places[PB*g +: BITS]), .write_word (written),
                    .fetch (fetches[g]), .fetch_place (fetch_place[g][BITS-1:0]), .word (words[g])
                );
            end else begin : hole
                assign words[g] = {WIDTH{1'b0}};
            end
        end
    endgenerate

    // ---- waiting units

    localparam UB = $clog2(XPOINT_WORDS + 1);
    localparam SB = $clog2(RTT + SEGMENT_WORDS + 1);
    wire [ROWS-1:0]    first_low   = {{HIGH{1'b0}}, in_first};
    wire [ROWS-1:0]    end_low     = {{HIGH{1'b0}}, in_end};
    wire [ROWS-1:0]    seen;                   // words that choices see from now on; in these: ...
    wire [ROWS-1:0]    first_seen;             // ... the first of a unit
    wire [ROWS-1:0]    end_seen;               // ... the last of a packet
    generate
        if (LATE == 0) begin : at_once
            assign seen       = write;
            assign first_seen = first_low | first_low << HIGH;
            assign end_seen   = end_low | end_low << HIGH;
        end else begin : late
            reg [3*ROWS*LATE-1:0] before;
            assign {seen, first_seen, end_seen} = before[3*ROWS*LATE-1 -: 3*ROWS];
            always @(posedge clk)
                if (rst) before <= {3*ROWS*LATE{1'b0}};
                else begin
                    before              <= before << 3 * ROWS;
                    before[3*ROWS-1:0]  <= {write, first_low | first_low << HIGH, end_low | end_low << HIGH};
                end
        end
    endgenerate
    reg  [UB*ROWS-1:0] units;                  // that wait; FRAGMENTS: whole packets
    reg  [ROWS-1:0]    some;                   // units > 0
    reg  [ROWS-1:0]    sending;                // FRAGMENTS: its packet is being sent and not whole
    reg  [SB*ROWS-1:0] stored;                 // FRAGMENTS: words of the arriving packet, up to ENOUGH
    reg  [ROWS-1:0]    long;                   // stored is enough to begin, and the packet is the one at the head
    wire [ROWS-1:0]    new_units = seen & ((FRAGMENTS != 0) ? (end_seen & long & ~sending) : first_seen);
    wire [ROWS-1:0]    waiting   = some | new_units;

    // ---- the packet being sent

    reg               pending;                 // chosen in the clock before
    reg  [RW-1:0]     pending_row;
    reg               pending_partial;
    reg  [RW-1:0]     out_row;
    reg               first;                   // the word that leaves is the first of a unit or a fragment
    reg  [12:0]       rest;                    // words of it that are left, the leaving one counted; not while first
    reg               ends_before;             // FRAGMENTS: the fragment ends a packet; not while first
    reg               begins;                  // FRAGMENTS: it begins one; while first
    reg               locked;                  // FRAGMENTS: for this packet the lock was taken
    reg  [7:0]        id [0:ROWS-1];           // packets that have been sent, modulo 256

    reg               through;                 // the word arrived when it was fetched, ...
    reg  [WIDTH-1:0]  through_word;            // ... and is here
    wire [WIDTH-1:0]  word  = through ? through_word : words[out_row];
    wire [SIDE-1:0]   side  = word[SIDE+63:64];
    wire [12:0]       left  = first ? {{15-SIDE{1'b0}}, side[SIDE-3:0]} + 13'd1 : rest;
    wire              ends  = (FRAGMENTS != 0 && !first) ? ends_before : side[SIDE-2];
    wire              done  = (FRAGMENTS == 0) || ends;
    assign out_word      = word[63:0];
    assign out_end       = (FRAGMENTS != 0) ? (left == 13'd1 && ends) : side[SIDE-1];
    assign out_input     = out_row[PW-1:0];
    assign out_priority  = (PRIORITIES == 2) && out_row[RW-1];
    assign out_multicast = (MULTICAST != 0) && word[WIDTH-1];

    wire              refused     = pending && pending_partial && !lock_granted;
    wire              fetch_first = pending && !refused;
    wire              fetch_next  = out_valid && (left != 13'd1 || !done);
    wire [RW-1:0]     fetch_row   = fetch_first ? pending_row : out_row;
    wire              fetch       = fetch_first || fetch_next;
    // its packet's last fragment, a word, is next
    wire              one_left    = (FRAGMENTS != 0) && left == 13'd1 && side[SIDE-1];
    wire              slot_over;               // the decision before is done, or had no effect
    wire              looks;                   // the output is idle, and still may look back
    wire              choose      = (!pending || refused) && slot_over
                                    && (!out_valid || (left <= 13'd2 && done) || one_left);
    wire              unbroken    = (left == 13'd1) ? !side[SIDE-1] : (!first && side[SIDE-3]);
    wire              continues   = looks || (out_valid && unbroken);
    wire              served      = out_valid && first;

    // A choice of each priority; packet mode keeps the output with a packet.
    wire [PRIORITIES-1:0]    chosen_of;
    wire [PRIORITIES*PW-1:0] input_of;
    wire [PRIORITIES-1:0]    partial_of;
    wire [PRIORITIES-1:0]    notice_of;
    wire [PRIORITIES-1:0]    urgent_of;
    wire [PRIORITIES-1:0]    mode_of;
    wire [PRIORITIES-1:0]    stays;
    wire [PRIORITIES-1:0]    cancelled_of;
    wire              chosen         = |chosen_of;
    wire              chosen_high    = (PRIORITIES == 2) && chosen_of[PRIORITIES-1];
    wire [PW:0]       chosen_wide    = chosen_high ? {1'b1, input_of[PW*(PRIORITIES-1) +: PW]}
                                       : {1'b0, input_of[PW-1:0]};
    wire [RW-1:0]     chosen_row     = chosen_wide[RW-1:0];
    wire              chosen_partial = chosen_high ? partial_of[PRIORITIES-1] : partial_of[0];
    wire              mode           = out_priority ? mode_of[PRIORITIES-1] : mode_of[0];

    // The lock is held from the clock of its grant on; the packet's end may arrive in that very clock.
    reg  held;
    wire holds     = held || (fetch_first && pending_partial);
    wire [RW-1:0] holder = fetch_first ? pending_row : out_row;
    wire released  = seen[holder] && end_seen[holder];
    assign lock_released = (LOCK_RELEASE != 0) ? out_input : holder[PW-1:0];
    assign lock_release  = (LOCK_RELEASE != 0) ? (out_valid && locked && out_end) : (holds && released);

    generate
        if (LATE == 0) begin : short_slot
            assign slot_over = 1'b1;
            assign looks     = 1'b0;
        end else begin : long_slot
            reg [3:0] rests;                   // clocks until the next choice may be made
            reg [3:0] may_look;                // clocks in which the output may look back, while it is idle
            assign slot_over = (refused || rests == 4'd0) && (!held || released);
            assign looks     = may_look != 4'd0 && !out_valid;
            always @(posedge clk)
                if (rst) begin
                    rests    <= 4'd0;
                    may_look <= 4'd0;
                end else begin
                    rests    <= chosen ? SLOT[3:0] : (rests != 4'd0 && !refused) ? rests - 4'd1 : 4'd0;
                    may_look <= (out_valid && left == 13'd1 && unbroken) ? LOOKS[3:0]
                                : (may_look != 4'd0) ? may_look - 4'd1 : 4'd0;
                end
        end
    endgenerate

    // Write and read places. A crosspoint is empty if these are the same, full if they are a round apart.
    wire [PB-1:0]     fetch_from = fetch_place[fetch_row];
    wire [PW-1:0]     fetch_input = fetch_row[PW-1:0];
    wire              passes     = fetch && fetch_from == write_places[PB*{{32-RW{1'b0}}, fetch_row} +: PB];
    wire [PB-1:0]     next_to    = write_places[PB*{{32-RW{1'b0}}, out_row} +: PB];
    wire [PB-1:0]     next_from  = fetch_place[out_row];
    // words behind the one that leaves
    wire [12:0]       level      = {{13-BITS{1'b0}}, next_to[BITS-1:0]} - {{13-BITS{1'b0}}, next_from[BITS-1:0]} +
                                   ((next_to[BITS] != next_from[BITS]) ? ALL[12:0] : 13'd0);
    assign fetches = {{ROWS-1{1'b0}}, fetch} << fetch_row;

    always @(posedge clk)
        if (rst) begin
            error_words  <= 1'b0;
            write_places <= {PB*ROWS{1'b0}};
            for (i = 0; i < ROWS; i = i + 1) fetch_place[i] <= {PB{1'b0}};
        end else begin
            error_words <= passes && !write[fetch_row];
            if (|write)
                for (i = 0; i < ROWS; i = i + 1)
                    if (write[i]) begin
                        if (!fetches[i] && (write_places[PB*i +: PB] ^ fetch_place[i]) == {1'b1, {BITS{1'b0}}})
                            error_words <= 1'b1;
                        write_places[PB*i +: PB] <= (write_places[PB*i +: BITS] == LAST_PLACE[BITS-1:0]) ?
                                                    {~write_places[PB*i+BITS], {BITS{1'b0}}}
                                                    : write_places[PB*i +: PB] + 1'b1;
                    end
            if (fetch) fetch_place[fetch_row] <= (fetch_from[BITS-1:0] == LAST_PLACE[BITS-1:0]) ?
                                                 {~fetch_from[BITS], {BITS{1'b0}}} : fetch_from + 1'b1;
        end

    always @(posedge clk) begin
        through <= passes;
        if (passes) begin
            through_word[SIDE+63:0] <= {in_side[SIDE*{{32-PW{1'b0}}, fetch_input} +: SIDE],
                                        in_word[64*{{32-PW{1'b0}}, fetch_input} +: 64]};
            if (MULTICAST != 0) through_word[WIDTH-1] <= in_multicast[fetch_input];
        end
    end

    generate
        for (p = 0; p < PRIORITIES; p = p + 1) begin : of
            localparam OTHER = PRIORITIES - 1 - p;
            localparam AT    = p << PW;
            wire       mine  = (PRIORITIES == 1) || out_priority == (p == 1);
            wire       free  = (PRIORITIES == 1) || (!stays[OTHER] && (p == 1 || !chosen_of[OTHER]));
            assign stays[p] = out_valid && unbroken && mine && mode_of[p];
            `PM_OUTPUT_SCHEDULER #(
                .FLOWS(PORTS), .PACKET_MODE(PACKET_MODE), .SLACK(SEGMENT_WORDS - RTT - SCHEDULING_CLOCKS),
                .LOOK_BACK(LOOK_BACK)
            ) scheduler (
                .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_input), .weight (weight),
                .waiting (waiting[AT +: PORTS]), .arriving (new_units[AT +: PORTS] & ~some[AT +: PORTS]),
                .partial (long[AT +: PORTS] & ~new_units[AT +: PORTS] & ~some[AT +: PORTS] & ~sending[AT +: PORTS]),
                .lock_free (lock_free), .choose (choose && free), .continues (continues && mine),
                .chosen (chosen_of[p]), .chosen_flow (input_of[PW*p +: PW]), .chosen_partial (partial_of[p]),
                .served (served && mine), .served_words (left), .served_full (left == FULL[12:0] && !out_multicast),
                .served_ends (ends), .served_whole (level + 13'd1 >= left),
                .served_late (credit_late[4*out_input +: 4]), .served_locked (locked), .served_packet (begins),
                .notice (notice_of[p]), .urgent (urgent_of[p]), .mode (mode_of[p]), .cancelled (cancelled_of[p])
            );
        end
    endgenerate

    assign out_sure      = (FRAGMENTS != 0) || ends || mode;
    assign credit_valid  = served;
    assign credit_priority = out_priority;
    assign credit_input  = out_input;
    assign credit_words  = left;
    assign credit_notice = |notice_of;
    assign credit_urgent = |urgent_of;
    assign credit_id     = id[out_row];
    assign lock_ask      = chosen && chosen_partial;
    assign lock_high     = chosen_high;
    assign lock_input    = chosen_row[PW-1:0];
    assign event_pair    = credit_notice;
    assign event_cancel  = |cancelled_of;
    assign event_refused = refused;

    // A choice is taken at once, a packet that is not whole with its lock.
    wire [ROWS-1:0] one     = {{ROWS-1{1'b0}}, 1'b1};
    wire [ROWS-1:0] taken   = ((chosen && !chosen_partial) ? one << chosen_row : {ROWS{1'b0}}) |
                              ((fetch_first && pending_partial) ? one << pending_row : {ROWS{1'b0}});
    wire [ROWS-1:0] more    = seen & ((FRAGMENTS != 0) ? end_seen : first_seen); // a unit arrives
    wire [ROWS-1:0] changes = more ^ taken;

    always @(posedge clk) begin
        out_row <= fetch_row;
        if (chosen) pending_row <= chosen_row;
        if (chosen) pending_partial <= chosen_partial;
        rest        <= left - 13'd1;
        ends_before <= ends;
        begins      <= fetch_first;
    end

    always @(posedge clk)
        if (rst) begin
            pending   <= 1'b0;
            out_valid <= 1'b0;
            first     <= 1'b0;
            locked    <= 1'b0;
            held      <= 1'b0;
            some      <= {ROWS{1'b0}};
            sending   <= {ROWS{1'b0}};
            long      <= {ROWS{1'b0}};
            units     <= {UB*ROWS{1'b0}};
            stored    <= {SB*ROWS{1'b0}};
            for (i = 0; i < ROWS; i = i + 1) id[i] <= 8'd0;
        end else begin
            pending   <= chosen;
            out_valid <= fetch;
            first     <= fetch_first || (fetch_next && left == 13'd1);
            if (fetch_first) locked <= pending_partial;
            held      <= holds && !released;
            if (out_valid && out_end) id[out_row] <= id[out_row] + 8'd1;
            if (|changes)
                for (i = 0; i < ROWS; i = i + 1)
                    if (changes[i] && more[i]) begin
                        sending[i] <= 1'b0;
                        some[i]    <= !sending[i];
                        if (!sending[i]) units[UB*i +: UB] <= units[UB*i +: UB] + 1'b1;
                    end else if (changes[i]) begin
                        sending[i] <= (FRAGMENTS != 0) && !some[i];
                        some[i]    <= units[UB*i +: UB] > {{UB-1{1'b0}}, 1'b1};
                        if (some[i]) units[UB*i +: UB] <= units[UB*i +: UB] - 1'b1;
                    end
            if (FRAGMENTS != 0 && |seen)
                for (i = 0; i < ROWS; i = i + 1)
                    if (seen[i] && end_seen[i]) begin
                        stored[SB*i +: SB] <= {SB{1'b0}};
                        long[i]            <= 1'b0;
                    end else if (seen[i] && !long[i]) begin
                        stored[SB*i +: SB] <= stored[SB*i +: SB] + 1'b1;
                        long[i]            <= (stored[SB*i +: SB] + 1'b1 == ENOUGH[SB-1:0]);
                    end
        end

    wire unused = &{1'b0, in_priority, in_multicast, stays, chosen_wide, waiting, level};
endmodule
`default_nettype wire
