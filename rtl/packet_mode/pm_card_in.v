// Line card, way in: a virtual output queue (VOQ) for each output, and the input scheduler (S3 appendix II).
//
// A packet counts whole when its first word arrives: the line is as fast as the link, so the packet may leave while it
// arrives. A unit is sent without interruption: the first SEGMENT_WORDS of a VOQ or all of a shorter one, several
// packets if they fit, no padding; with UNIT_IS_PACKET the packet at the head. A unit leaves only when there is credit
// for the whole of it.
//
//   line, first word of a packet at t    words and VOQ from t + 1 on
//   credit on the pins at t              credit from t + 1 on
//   choice at t                          first word of the unit on the link at t + 2, the others behind it
//
// SCHEDULING_CLOCKS > 2 delays the scheduler's view of arrivals by SCHEDULING_CLOCKS - 2; pm_switch delays credit.
//
// With line_held a packet is stored but not counted; line_release counts the oldest one of a VOQ, as its first word
// would: arrivals of whole packets. These are of low priority and name no sets.
//
// The next choice is made while the last word of a unit is being fetched, so units follow each other without a gap.
//
// `link_side` accompanies a word through the crosspoint; its bits: rtl/packet_mode/README.md.
//
// With PRIORITIES = 2 there is a VOQ per output and priority, credit and an input scheduler for each priority. Units of
// high priority go first, except while packet mode keeps the input. With MULTICAST packets that name sets of outputs
// wait in one more queue per priority (pm_multicast), which is the last flow of the scheduler.
`default_nettype none
`include "slots.vh"
module pm_card_in #(
    parameter PORTS          = 16,     // 2..16
    parameter SEGMENT_WORDS  = 64,     // a unit at most, 2..1024
    parameter UNIT_IS_PACKET = 0,      // 1: a unit is a packet
    parameter PACKET_MODE    = 0,      // 1: probabilistic; 2: deterministic, link_side for outputs that serve packets
    parameter MOST_WORDS     = 1024,   // longest packet
    parameter PRIORITIES     = 1,      // 1 or 2
    parameter MULTICAST      = 0,      // 1: packets may name sets of outputs; not with PACKET_MODE 2
    parameter SPLIT          = 0,      // of pm_multicast
    parameter XPOINT_WORDS   = 64,     // a crosspoint, of one priority
    parameter SCHEDULING_CLOCKS = 2,   // of a decision, 2..16
    parameter VOQ_WORDS      = 8192,   // `line_full` from here on
    parameter VOQ_BLOCKS     = 4096,   // memory of all VOQs, blocks of 64 words
    parameter VOQ_PACKETS    = 16384,   // packets in a VOQ, a power of 2
    // computed, not to be set
    parameter UNIT_WORDS     = (UNIT_IS_PACKET != 0) ? MOST_WORDS : SEGMENT_WORDS,
    parameter SIDE           = 2 + $clog2(UNIT_WORDS),
    parameter PW             = $clog2(PORTS),
    parameter TARGET         = (MULTICAST != 0) ? PORTS : PW,
    parameter QUEUES         = PRIORITIES * (PORTS + MULTICAST)
) (
    input  wire             clk,
    input  wire             rst,

    // sets the weight of an output for the input scheduler, or of all packets that name sets
    input  wire             weight_write,
    input  wire             weight_multicast, // MULTICAST: of those that name sets
    input  wire [PW-1:0]    weight_output,
    input  wire [7:0]       weight,

    // the line: words of a packet arrive without a gap; output or set, priority and words (of the packet) are valid
    // with the first one
    input  wire             line_valid,
    input  wire             line_first,
    input  wire             line_priority,   // PRIORITIES = 2: 1: high
    input  wire             line_multicast,  // MULTICAST: the packet goes to all of line_set
    input  wire [PORTS-1:0] line_set,        // ... bit o for output o, one at least
    input  wire [PW-1:0]    line_output,     // else to this one
    input  wire [12:0]      line_words,
    input  wire [63:0]      line_word,
    output wire [QUEUES-1:0] line_full,      // VOQ_WORDS or more in the VOQ: of each output, sets; then of high class

    input  wire             line_held,       // steady; 1: a packet does not count yet when it arrives
    input  wire             line_release,    // while line_held: the oldest packet that is held for ...
    input  wire [PW-1:0]    release_output,  // ... counts from now on; all of it has arrived

    // from the crossbar, by cable: space in the crosspoint of an output
    input  wire             credit_valid,
    input  wire             credit_priority,
    input  wire [PW-1:0]    credit_output,
    input  wire [12:0]      credit_words,
    input  wire             credit_notice,   // stay with, or switch to, the packet `credit_id` of this output
    input  wire [7:0]       credit_id,       // number of the packet within its flow

    // to the crossbar, by cable
    output reg              link_valid,
    output reg  [TARGET-1:0] link_target,    // the output; MULTICAST: bit o for each output o
    output reg              link_priority,
    output reg              link_multicast,  // of a packet that names a set
    output reg              link_first,      // of a unit
    output reg              link_end,        // last word of a packet
    output reg  [SIDE-1:0]  link_side,
    output wire [63:0]      link_word,

    output reg              error_line,      // packet refused: no memory, a gap, 0 words, over MOST_WORDS, an empty set
    output reg              error_credit,    // more credit than a crosspoint has room
    output wire             error_notice     // this notice is unexpected
);
    localparam WW   = 24;                    // words in a VOQ
    localparam RING = $clog2(VOQ_PACKETS);
    localparam FLOWS = PORTS + MULTICAST;    // of a priority
    localparam FW   = $clog2(FLOWS);
    localparam ROWS = ((PRIORITIES - 1) << PW) + PORTS; // VOQs: output, those of high priority from 2^PW on
    localparam RW   = PW + PRIORITIES - 1;
    localparam ALL  = ROWS + PRIORITIES * MULTICAST;    // queues in the memory, those of sets behind the VOQs
    localparam AW   = $clog2(ALL);
    localparam [31:0] SEGMENT = SEGMENT_WORDS;
    localparam [31:0] MOST    = MOST_WORDS;
    localparam [31:0] XPOINT  = XPOINT_WORDS;
    localparam [31:0] FULL    = VOQ_WORDS;

    initial
        if (PORTS < 2 || PORTS > 16 || SEGMENT_WORDS < 2 || SEGMENT_WORDS > 1024 || MOST_WORDS < 2
            || MOST_WORDS > 4096) begin
            $display("%m: PORTS must be 2..16, SEGMENT_WORDS 2..1024, MOST_WORDS 2..4096; they are %0d, %0d, %0d",
                     PORTS, SEGMENT_WORDS, MOST_WORDS);
            $finish;
        end else if (PRIORITIES < 1 || PRIORITIES > 2 || (MULTICAST != 0 && (MULTICAST != 1 || PACKET_MODE == 2))) begin
            $display("%m: PRIORITIES must be 1 or 2, MULTICAST 0 or 1 and with PACKET_MODE 2 always 0 (an output that ",
                     "waits for a lock stops the credit of the one that has it); they are %0d, %0d, PACKET_MODE %0d",
                     PRIORITIES, MULTICAST, PACKET_MODE);
            $finish;
        end else if (XPOINT_WORDS < UNIT_WORDS || XPOINT_WORDS > 8191) begin
            $display("%m: XPOINT_WORDS must hold a whole unit of %0d words, and be 8191 at most; it is %0d", UNIT_WORDS,
                     XPOINT_WORDS);
            $finish;
        end else if ((1 << RING) != VOQ_PACKETS || VOQ_PACKETS <= VOQ_WORDS || VOQ_WORDS < 1) begin
            $display("%m: VOQ_PACKETS must be a power of 2 and more than VOQ_WORDS, which must be 1 at least; ",
                     "they are %0d, %0d", VOQ_PACKETS, VOQ_WORDS);
            $finish;
        end

    localparam LAST = PRIORITIES - 1;
    localparam [31:0] OF_SETS = ROWS;
    localparam [31:0] SETS    = PORTS;       // their flow number for a scheduler

    // ---- waiting words

    (* mem2reg *) reg [WW-1:0]   words  [0:ROWS-1];    // in the VOQ, not in a unit yet, arriving packets counted whole
    (* mem2reg *) reg [12:0]     credit [0:ROWS-1];
    reg [12:0]     head   [0:ROWS-1];    // the packet at the head of the VOQ, for UNIT_IS_PACKET
    reg [12:0]     rest   [0:ROWS-1];    // remainder of a packet that has left in part, 0: none has
    reg [12:0]     sizes  [0:ROWS*VOQ_PACKETS-1]; // packets of each VOQ, a ring
    (* mem2reg *) reg [RING-1:0] size_in  [0:ROWS-1];
    reg [RING-1:0] size_out [0:ROWS-1];

    // ---- the line

    reg [12:0]        coming;            // words of the packet on the line that are still to arrive
    reg [AW-1:0]      coming_queue;
    wire              first      = line_valid && line_first;
    wire              to_set     = (MULTICAST != 0) && line_multicast;
    wire [PW:0]       line_wide  = {line_priority, line_output};
    wire [RW-1:0]     line_row   = line_wide[RW-1:0]; // of high priority only where there are two
    wire              line_high  = (PRIORITIES == 2) && line_priority;
    wire [AW-1:0]     in_queue   = !line_first ? coming_queue :
                                   to_set ? OF_SETS[AW-1:0] + {{AW-1{1'b0}}, line_high} : {{AW-RW{1'b0}}, line_row};
    wire [RING-1:0]   next_size  = size_in[line_row] + 1'b1;
    wire              unused_flag;
    wire              lost;
    wire              empty;
    wire [PRIORITIES-1:0] sets_full;
    wire              no_place   = to_set ? sets_full[line_high] || line_set == {PORTS{1'b0}}
                                   : next_size == size_out[line_row];
    wire              refused    = first && (no_place || line_words == 0 || line_words > MOST[12:0]);
    wire              arrived    = first && !refused;
    wire              arrived_row = arrived && !to_set;

    // ---- counted from this clock on: the arriving packet, or a held one; LATE clocks later with longer decisions

    localparam LATE = SCHEDULING_CLOCKS - 2;
    (* mem2reg *) reg [RING-1:0] size_held [0:ROWS-1];
    wire              enters       = line_held ? line_release : arrived_row;
    wire [PW:0]       held_wide    = {1'b0, release_output};
    wire [RW-1:0]     enters_row   = line_held ? held_wide[RW-1:0] : line_row;
    wire [12:0]       enters_words = line_held ? sizes[{enters_row, size_held[enters_row]}] : line_words;
    wire              counts;
    wire [RW-1:0]     count_row;
    wire [12:0]       count_words;
    wire              count_set;               // one that names a set
    wire              count_high;
    wire [PORTS-1:0]  count_outputs;
    generate
        if (LATE == 0) begin : at_once
            assign counts        = enters;
            assign count_row     = enters_row;
            assign count_words   = enters_words;
            assign count_set     = arrived && to_set;
            assign count_high    = line_high;
            assign count_outputs = line_set;
        end else begin : late
            localparam SEEN = RW + 13 + PORTS + 3;
            reg [SEEN*LATE-1:0] before;
            assign {counts, count_row, count_words, count_set, count_high, count_outputs} = before[SEEN*LATE-1 -: SEEN];
            always @(posedge clk)
                if (rst) before <= {SEEN*LATE{1'b0}};
                else begin
                    before            <= before << SEEN;
                    before[SEEN-1:0] <= {enters, enters_row, enters_words, arrived && to_set, line_high, line_set};
                end
        end
    endgenerate

    // ---- the unit in flight

    reg [12:0]        unit;              // words of it that are still to be fetched, the one of this clock counted
    reg [RW-1:0]      flow;
    reg               high;              // its priority
    reg               of_set;            // it is of a packet that names a set
    reg               set_ends;          // ... and its packet ends within it
    reg               set_again;         // ... and it was sent to other outputs before
    reg [PORTS-1:0]   unit_outputs;      // ... to which it is sent now
    reg               starts;            // this clock fetches its first word
    wire              fetch      = (unit != 0);
    wire              boundary   = (rest[flow] == 0);
    wire [RING-1:0]   size_place = size_out[flow];
    wire [RING-1:0]   size_next  = size_place + 1'b1;
    // of the packet, the word of this clock counted
    wire [12:0]       left       = of_set   ? (set_ends ? unit : MOST[12:0] + 13'd2) :
                                   boundary ? sizes[{flow, size_place}] : rest[flow];
    wire              ends_here  = fetch && (left == 1);
    wire [12:0]       after      = sizes[{flow, boundary ? size_next : size_place}];  // the packet behind it
    wire              pop        = fetch && boundary && !of_set;

    // ---- the choice, of each priority

    wire [ROWS-1:0]             eligible;
    wire [PRIORITIES*13-1:0]    set_words;     // of the unit at the head of those that name sets
    wire [PRIORITIES*WW-1:0]    set_stored;    // words that wait
    wire [PRIORITIES-1:0]       set_unit_ends;
    wire [PRIORITIES-1:0]       again_of;
    wire [PRIORITIES*PORTS-1:0] set_outputs;
    wire [PRIORITIES-1:0]       chosen_of;
    wire [PRIORITIES*FW-1:0]    flow_of;
    wire [PRIORITIES-1:0]       stays;         // packet mode keeps the input with a packet of this priority
    wire [PRIORITIES-1:0]       notice_errors;

    reg               notice;
    reg               notice_high;
    reg [PW-1:0]      notice_output;
    reg [7:0]         notice_id;
    wire              choose  = (unit <= 1);
    wire [FW-1:0]     in_flight = of_set ? SETS[FW-1:0] : {{FW-PW{1'b0}}, flow[PW-1:0]};
    wire [FW-1:0] weight_flow = (MULTICAST != 0 && weight_multicast) ? SETS[FW-1:0] : {{FW-PW{1'b0}}, weight_output};
    genvar            g;
    genvar            p;
    generate
        for (p = 0; p < PRIORITIES; p = p + 1) begin : of
            localparam OTHER = PRIORITIES - 1 - p;
            wire [PORTS-1:0] kept;
            wire [FLOWS-1:0] may;
            wire             free = (PRIORITIES == 1) || (!stays[OTHER] && (p == 1 || !chosen_of[OTHER]));
            assign may[PORTS-1:0] = eligible[(p << PW) +: PORTS] & (~kept | {PORTS{stays[p]}});
            `PM_INPUT_SCHEDULER #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) scheduler (
                .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_flow), .weight (weight),
                .eligible (may), .choose (choose && free), .chosen (chosen_of[p]), .chosen_flow (flow_of[FW*p +: FW]),
                .flow (in_flight), .unit_start (starts && high == (p == 1)), .unit_words (unit),
                .unit_end (unit == 1 && high == (p == 1)), .packet_end (ends_here && high == (p == 1)),
                .notice (notice && notice_high == (p == 1)), .notice_flow ({{FW-PW{1'b0}}, notice_output}),
                .notice_id (notice_id), .stay (stays[p]), .error (notice_errors[p])
            );
            if (MULTICAST != 0) begin : sets
                wire [PORTS-1:0] room;
                wire [PORTS-1:0] empty_voq;
                wire             other      = chosen_of[p] && flow_of[FW*p +: FW] != SETS[FW-1:0];
                wire [PORTS-1:0] voq_chosen = other ? {{PORTS-1{1'b0}}, 1'b1} << flow_of[FW*p +: FW] : {PORTS{1'b0}};
                for (g = 0; g < PORTS; g = g + 1) begin : voq
                    assign room[g]      = (credit[(p << PW) + g] >= set_words[13*p +: 13]);
                    assign empty_voq[g] = (words[(p << PW) + g] == {WW{1'b0}});
                end
                pm_multicast #(
                    .PORTS(PORTS), .SEGMENT_WORDS(SEGMENT_WORDS), .UNIT_IS_PACKET(UNIT_IS_PACKET), .SPLIT(SPLIT),
                    .PACKETS(VOQ_PACKETS), .LATE(LATE)
                ) sets_waiting (
                    .clk (clk), .rst (rst), .arrived (count_set && count_high == (p == 1)),
                    .arrived_words (count_words), .arrived_set (count_outputs), .full (sets_full[p]),
                    .stored (set_stored[WW*p +: WW]), .eligible (may[PORTS]), .words (set_words[13*p +: 13]),
                    .ends (set_unit_ends[p]), .again (again_of[p]), .room (room),
                    .outputs (set_outputs[PORTS*p +: PORTS]), .kept (kept),
                    .chosen (chosen_of[p] && flow_of[FW*p +: FW] == SETS[FW-1:0]), .chosen_other (other),
                    .lacks (~(eligible[(p << PW) +: PORTS] | empty_voq)), .served (empty_voq | voq_chosen)
                );
            end else begin : no_sets
                assign kept                             = {PORTS{1'b0}};
                assign sets_full[p]                     = 1'b0;
                assign set_words[13*p +: 13]            = 13'd0;
                assign set_stored[WW*p +: WW]           = {WW{1'b0}};
                assign set_unit_ends[p]                 = 1'b0;
                assign again_of[p]                      = 1'b0;
                assign set_outputs[PORTS*p +: PORTS]    = {PORTS{1'b0}};
            end
        end
    endgenerate
    wire             chosen      = |chosen_of;
    wire             chosen_high = (PRIORITIES == 2) && chosen_of[LAST];
    wire [FW-1:0]    chosen_flow = chosen_high ? flow_of[FW*LAST +: FW] : flow_of[FW-1:0];
    wire             chosen_set  = (MULTICAST != 0) && chosen_flow == SETS[FW-1:0];
    wire             take        = chosen && !chosen_set;
    wire [PW:0]      chosen_wide = {chosen_high, chosen_flow[PW-1:0]};
    wire [RW-1:0]    chosen_row  = chosen_wide[RW-1:0];
    wire [PORTS-1:0] to_outputs  = set_outputs[(chosen_high ? PORTS : 0) +: PORTS];

    // place of the size of the packet behind the chosen one
    wire [RING-1:0] behind = (pop && flow == chosen_row) ? size_next + 1'b1 : size_out[chosen_row] + 1'b1;
    wire [WW-1:0] waiting  = words[chosen_row];
    wire [12:0] new_unit = chosen_set ? set_words[(chosen_high ? 13 : 0) +: 13] :
                           (UNIT_IS_PACKET != 0) ? head[chosen_row] :
                             (waiting >= SEGMENT[WW-1:0]) ? SEGMENT[12:0] : waiting[12:0];

    // ---- arrivals and departures

    wire [PW:0]    credit_wide = {credit_priority, credit_output};
    wire [RW-1:0]  credit_row  = credit_wide[RW-1:0];
    wire [ROWS-1:0] one = {{ROWS-1{1'b0}}, 1'b1};
    wire [ROWS-1:0] sets_go = !(chosen && chosen_set) ? {ROWS{1'b0}} : // a unit of a set goes to these outputs
                              {{ROWS-PORTS{1'b0}}, to_outputs} << (chosen_high ? ROWS - PORTS : 0);
    reg [ROWS-1:0] touched;              // in the clock before words or credit changed here
    reg [ROWS-1:0] eligible_before;
    wire [ROWS-1:0] checked;             // whether they are eligible now, where they are touched
    reg [ROWS-1:0] full;                 // VOQ_WORDS and more, in the clock before
    integer        i;
    generate
        for (g = 0; g < ROWS; g = g + 1) begin : voq
            wire [12:0] needs = (UNIT_IS_PACKET != 0) ? head[g] : (words[g] >= SEGMENT[WW-1:0]) ? SEGMENT[12:0]
                                : words[g][12:0];
            assign checked[g] = touched[g] ? words[g] != 0 && credit[g] >= needs : eligible_before[g];
        end
    endgenerate
    assign eligible = (|touched) ? checked : eligible_before;

    // Each scheduler sees its own; no notice may arrive while the input stays with a packet of the other priority.
    assign error_notice = |notice_errors || (PRIORITIES == 2 && notice && stays[notice_high ? 0 : LAST]);

    // ---- side information of a word

    wire                  ends      = (left <= unit); // its packet ends within the unit
    // the unit ends within a packet
    wire                  unbroken  = (unit == 2) && (ends_here ? (after != 1) : (left != 2));
    wire [SIDE-3:0]       count     = ((PACKET_MODE == 2 && ends) ? left[SIDE-3:0] : unit[SIDE-3:0]) - 1'b1;
    wire [SIDE-1:0]       side      = (PACKET_MODE == 2) ? {left == unit + 1'b1, ends, count} :
                                      starts ? {ends_here, ends, count} : {ends_here, ends, unbroken, {SIDE-3{1'b0}}};
    wire [TARGET-1:0]     target;

    always @(posedge clk) begin
        if (arrived_row) sizes[{line_row, size_in[line_row]}] <= line_words;
        link_target    <= target;
        link_priority  <= high;
        link_multicast <= of_set;
        link_first     <= starts;
        link_end       <= ends_here;
        link_side      <= side;
        notice_high    <= (PRIORITIES == 2) && credit_priority;
        notice_output  <= credit_output;
        notice_id      <= credit_id;
    end

    always @(posedge clk)
        if (rst) begin
            coming       <= 0;
            unit         <= 0;
            high         <= 1'b0;
            of_set       <= 1'b0;
            starts       <= 1'b0;
            link_valid   <= 1'b0;
            notice       <= 1'b0;
            error_line   <= 1'b0;
            error_credit <= 1'b0;
            touched         <= {ROWS{1'b0}};
            eligible_before <= {ROWS{1'b0}};
            full            <= {ROWS{1'b0}};
            for (i = 0; i < ROWS; i = i + 1) begin
                words[i]    <= 0;
                credit[i]   <= XPOINT[12:0];
                rest[i]     <= 0;
                size_in[i]  <= 0;
                size_out[i] <= 0;
                size_held[i] <= 0;
            end
        end else begin
            // the line
            if (first) begin
                coming       <= arrived ? line_words - 1'b1 : 0;
                coming_queue <= in_queue;
            end else if (coming != 0) coming <= coming - 1'b1;
            error_line <= refused || lost || empty || (coming != 0 && !line_valid) || (first && coming != 0) ||
                          (line_valid && !line_first && coming == 0);
            if (arrived_row) size_in[line_row] <= next_size;
            if (enters && line_held) size_held[enters_row] <= size_held[enters_row] + 1'b1;
            if (counts && words[count_row] == 0) head[count_row] <= count_words;

            // credit
            notice       <= credit_valid && credit_notice;
            error_credit <= credit_valid && ({1'b0, credit[credit_row]} + {1'b0, credit_words} > {1'b0, XPOINT[12:0]});

            // the last assignment wins
            if (counts) words[count_row] <= words[count_row] + {{WW-13{1'b0}}, count_words};
            if (take)
                words[chosen_row] <= waiting - {{WW-13{1'b0}}, new_unit} +
                                     ((counts && count_row == chosen_row) ? {{WW-13{1'b0}}, count_words} : {WW{1'b0}});
            if (credit_valid) credit[credit_row] <= credit[credit_row] + credit_words;
            if (take)
                credit[chosen_row] <= credit[chosen_row] - new_unit
                                      + ((credit_valid && credit_row == chosen_row) ? credit_words : 13'd0);
            if (MULTICAST != 0 && |sets_go)
                for (i = 0; i < ROWS; i = i + 1)
                    if (sets_go[i]) credit[i] <= credit[i] - new_unit
                                                 + ((credit_valid && credit_row == i[RW-1:0]) ? credit_words : 13'd0);
            touched <= (counts ? one << count_row : {ROWS{1'b0}}) | (take ? one << chosen_row : {ROWS{1'b0}}) |
                       (credit_valid ? one << credit_row : {ROWS{1'b0}}) | sets_go;
            eligible_before <= eligible;
            if (|touched)
                for (i = 0; i < ROWS; i = i + 1)
                    if (touched[i]) full[i] <= (words[i] >= FULL[WW-1:0]);

            // the unit
            starts     <= chosen;
            link_valid <= fetch;
            if (chosen) begin
                unit   <= new_unit;
                high   <= chosen_high;
                of_set <= chosen_set;
                set_ends  <= set_unit_ends[chosen_high];
                set_again <= chosen_set && again_of[chosen_high];
                unit_outputs <= to_outputs;
            end else if (fetch) unit <= unit - 1'b1;
            if (take) begin
                flow <= chosen_row;
                // the packet behind the chosen one is the head, if it has arrived: in this clock, on the line
                if (UNIT_IS_PACKET != 0 && waiting != {{WW-13{1'b0}}, head[chosen_row]})
                    head[chosen_row] <= sizes[{chosen_row, behind}];
                else if (UNIT_IS_PACKET != 0 && counts && count_row == chosen_row) head[chosen_row] <= count_words;
            end
            if (fetch && !of_set) rest[flow] <= left - 1'b1;
            if (pop) size_out[flow] <= size_next;
        end

    // ---- full VOQs

    generate
        for (p = 0; p < PRIORITIES; p = p + 1) begin : reported
            assign line_full[FLOWS*p +: PORTS] = full[(p << PW) +: PORTS];
            if (MULTICAST != 0) begin : sets
                reg full_sets;
                always @(posedge clk) full_sets <= !rst && set_stored[WW*p +: WW] >= FULL[WW-1:0];
                assign line_full[FLOWS*p + PORTS] = full_sets;
            end
        end
    endgenerate

    // ---- the memory, and the unit that goes to several outputs one after the other

    wire [63:0]   fetched;
    wire [AW-1:0] out_queue = of_set ? OF_SETS[AW-1:0] + {{AW-1{1'b0}}, high} : {{AW-RW{1'b0}}, flow};

    pm_queues #(.QUEUES(ALL), .WIDTH(64), .LOG2_BLOCK(6), .BLOCKS(VOQ_BLOCKS)) voqs (
        .clk (clk), .rst (rst), .write (line_valid && !refused), .write_queue (in_queue), .write_word (line_word),
        .write_flag (1'b0), .read (fetch && !set_again), .read_queue (out_queue), .read_flag (unused_flag),
        .read_word (fetched), .overflow (lost), .underflow (empty)
    );

    generate
        if (MULTICAST != 0) begin : to_sets
            assign target = of_set ? unit_outputs : {{PORTS-1{1'b0}}, 1'b1} << flow[PW-1:0];
        end else begin : to_one
            assign target = flow[PW-1:0];
        end
        if (MULTICAST != 0 && SPLIT != 0) begin : split
            localparam PLACES = $clog2(UNIT_WORDS);
            reg [63:0]       unit_memory [0:(PRIORITIES<<PLACES)-1]; // of each priority
            reg [63:0]       repeated;
            reg [PLACES-1:0] place;      // of the word that is fetched
            reg [PLACES-1:0] save_place; // of the word fetched in the clock before, ...
            reg              save_high;
            reg              save;       // ... which may be fetched again
            reg              repeats;
            function [PLACES+PRIORITIES-2:0] place_of(input is_high, input [PLACES-1:0] number);
                begin
                    place_of             = {{PLACES+PRIORITIES-2{1'b0}}, is_high} << PLACES;
                    place_of[PLACES-1:0] = number;
                end
            endfunction
            wire [PLACES+PRIORITIES-2:0] save_to     = place_of(save_high, save_place);
            wire [PLACES+PRIORITIES-2:0] repeat_from = place_of(high, place);
            always @(posedge clk) begin
                place      <= (chosen || !fetch) ? {PLACES{1'b0}} : place + 1'b1;
                save_place <= place;
                save_high  <= high;
                save       <= fetch && of_set && !set_again;
                repeats    <= set_again;
                if (save) unit_memory[save_to] <= fetched;
                if (set_again) repeated <= (save && save_to == repeat_from) ? fetched : unit_memory[repeat_from];
            end
            assign link_word = repeats ? repeated : fetched;
        end else begin : whole
            assign link_word = fetched;
        end
    endgenerate

    wire unused = &{1'b0, unused_flag, line_priority, line_multicast, line_set, credit_priority, of_set, set_ends,
                    set_again, unit_outputs, again_of, set_unit_ends, sets_full, set_words, set_outputs, set_stored,
                    stays, chosen_of, full, line_wide, held_wide, chosen_wide, credit_wide, count_set, count_high,
                    count_outputs};
endmodule
`default_nettype wire
