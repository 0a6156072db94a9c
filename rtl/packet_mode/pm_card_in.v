// Line card, way in: a virtual output queue (VOQ) for each output, and the input scheduler (S3 appendix II).
//
// A packet counts whole when its first word arrives: the line is as fast as the link, so the packet may leave while it comes in. What is
// sent in one go is a unit: the first SEGMENT_WORDS of a VOQ or all of a shorter one, several packets if they fit, no padding; with
// UNIT_IS_PACKET the packet at the head. A unit leaves only when there is credit for the whole of it.
//
//   line, first word of a packet at t    words and VOQ from t + 1 on
//   credit on the pins at t              credit from t + 1 on
//   choice at t                          first word of the unit on the link at t + 2, the others in the clocks behind it
//
// With line_held a packet is stored and does not count; line_release counts the oldest one of a VOQ, as its first word would: arrivals of
// whole packets.
//
// The next choice is made while the last word of a unit is being fetched, so units follow each other without a gap.
//
// `link_side` goes with a word through the crosspoint; rtl/packet_mode/README.md has its bits.
`default_nettype none
`include "slots.vh"
module pm_card_in #(
    parameter PORTS          = 16,     // 2..16
    parameter SEGMENT_WORDS  = 64,     // a unit at most, 2..1024
    parameter UNIT_IS_PACKET = 0,      // 1: a unit is a packet
    parameter PACKET_MODE    = 0,      // 1: probabilistic; 2: deterministic, link_side is for outputs that serve packets
    parameter MOST_WORDS     = 1024,   // longest packet
    parameter XPOINT_WORDS   = 64,     // a crosspoint
    parameter VOQ_WORDS      = 8192,   // `line_full` from here on
    parameter VOQ_BLOCKS     = 4096,   // memory of all VOQs, blocks of 64 words
    parameter VOQ_PACKETS    = 16384,   // packets in a VOQ, a power of 2
    // computed, not to be set
    parameter UNIT_WORDS     = (UNIT_IS_PACKET != 0) ? MOST_WORDS : SEGMENT_WORDS,
    parameter SIDE           = 2 + $clog2(UNIT_WORDS),
    parameter PW             = $clog2(PORTS)
) (
    input  wire             clk,
    input  wire             rst,

    // the weight of an output for the input scheduler is set
    input  wire             weight_write,
    input  wire [PW-1:0]    weight_output,
    input  wire [7:0]       weight,

    // the line: words of a packet come without a gap; output and words (of the packet) stand with the first one
    input  wire             line_valid,
    input  wire             line_first,
    input  wire [PW-1:0]    line_output,
    input  wire [12:0]      line_words,
    input  wire [63:0]      line_word,
    output reg  [PORTS-1:0] line_full,       // the VOQ holds VOQ_WORDS or more
    input  wire             line_held,       // steady; 1: a packet does not count yet when it comes
    input  wire             line_release,    // while line_held: the oldest packet that is held for ...
    input  wire [PW-1:0]    release_output,  // ... counts from now on; all of it has come

    // from the crossbar, by cable: room in the crosspoint of an output
    input  wire             credit_valid,
    input  wire [PW-1:0]    credit_output,
    input  wire [12:0]      credit_words,
    input  wire             credit_notice,   // stay with, or turn to, the packet `credit_id` of this output
    input  wire [7:0]       credit_id,       // number of the packet within its flow

    // to the crossbar, by cable
    output reg              link_valid,
    output reg  [PW-1:0]    link_output,
    output reg              link_first,      // of a unit
    output reg              link_end,        // last word of a packet
    output reg  [SIDE-1:0]  link_side,
    output wire [63:0]      link_word,

    output reg              error_line,      // packet refused: no memory; or a gap in a packet, or 0 words or more than MOST_WORDS
    output reg              error_credit,    // more credit than a crosspoint has room
    output wire             error_notice     // the input scheduler does not expect this notice
);
    localparam WW   = 24;                    // words in a VOQ
    localparam RING = $clog2(VOQ_PACKETS);
    localparam [31:0] SEGMENT = SEGMENT_WORDS;
    localparam [31:0] MOST    = MOST_WORDS;
    localparam [31:0] XPOINT  = XPOINT_WORDS;
    localparam [31:0] FULL    = VOQ_WORDS;

    initial
        if (PORTS < 2 || PORTS > 16 || SEGMENT_WORDS < 2 || SEGMENT_WORDS > 1024 || MOST_WORDS < 2 || MOST_WORDS > 4096) begin
            $display("%m: PORTS must be 2..16, SEGMENT_WORDS 2..1024, MOST_WORDS 2..4096; they are %0d, %0d, %0d",
                     PORTS, SEGMENT_WORDS, MOST_WORDS);
            $finish;
        end else if (XPOINT_WORDS < UNIT_WORDS) begin
            $display("%m: XPOINT_WORDS must hold a whole unit of %0d words, is %0d", UNIT_WORDS, XPOINT_WORDS);
            $finish;
        end else if ((1 << RING) != VOQ_PACKETS || VOQ_PACKETS <= VOQ_WORDS) begin
            $display("%m: VOQ_PACKETS must be a power of 2 and more than VOQ_WORDS = %0d, is %0d", VOQ_WORDS, VOQ_PACKETS);
            $finish;
        end

    // ---- what waits

    (* mem2reg *) reg [WW-1:0]   words  [0:PORTS-1];   // in the VOQ and not in a unit yet, packets that come in counted whole
    (* mem2reg *) reg [12:0]     credit [0:PORTS-1];
    reg [12:0]     head   [0:PORTS-1];   // the packet at the head of the VOQ, for UNIT_IS_PACKET
    reg [12:0]     rest   [0:PORTS-1];   // what is left of a packet that has left in part, 0: none has
    reg [12:0]     sizes  [0:PORTS*VOQ_PACKETS-1]; // packets of each VOQ, a ring
    (* mem2reg *) reg [RING-1:0] size_in  [0:PORTS-1];
    reg [RING-1:0] size_out [0:PORTS-1];

    // ---- the line

    reg [12:0]        coming;            // words of the packet on the line that are still to come
    reg [PW-1:0]      coming_output;
    wire              first      = line_valid && line_first;
    wire [PW-1:0]     in_output  = line_first ? line_output : coming_output;
    wire [RING-1:0]   next_size  = size_in[line_output] + 1'b1;
    wire              unused_flag;
    wire              lost;
    wire              empty;
    wire              refused    = first && (next_size == size_out[line_output] || line_words == 0 || line_words > MOST[12:0]);
    wire              arrived    = first && !refused;

    // ---- what counts from this clock on: the packet that comes, or one that was held

    (* mem2reg *) reg [RING-1:0] size_held [0:PORTS-1];
    wire              counts       = line_held ? line_release : arrived;
    wire [PW-1:0]     count_output = line_held ? release_output : line_output;
    wire [12:0]       count_words  = line_held ? sizes[{release_output, size_held[release_output]}] : line_words;

    // ---- the unit in flight

    reg [12:0]        unit;              // words of it that are still to be fetched, the one of this clock counted
    reg [PW-1:0]      flow;
    reg               starts;            // this clock fetches its first word
    wire              fetch      = (unit != 0);
    wire              boundary   = (rest[flow] == 0);
    wire [RING-1:0]   size_place = size_out[flow];
    wire [RING-1:0]   size_next  = size_place + 1'b1;
    wire [12:0]       left       = boundary ? sizes[{flow, size_place}] : rest[flow]; // of the packet, the word of this clock counted
    wire              ends_here  = fetch && (left == 1);
    wire [12:0]       after      = sizes[{flow, boundary ? size_next : size_place}];  // the packet behind it
    wire              pop        = fetch && boundary;

    // ---- the choice

    wire [PORTS-1:0]  eligible;
    integer           i;
    genvar            g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : voq
            if (UNIT_IS_PACKET != 0) assign eligible[g] = (words[g] != 0) && (credit[g] >= head[g]);
            else assign eligible[g] = (words[g] != 0) && ((words[g] >= SEGMENT[WW-1:0]) ? (credit[g] >= SEGMENT[12:0])
                                                                                        : (credit[g] >= words[g][12:0]));
        end
    endgenerate

    reg               notice;
    reg [PW-1:0]      notice_output;
    reg [7:0]         notice_id;
    wire              choose = (unit <= 1);
    wire              chosen;
    wire [PW-1:0]     chosen_output;

    `PM_INPUT_SCHEDULER #(.FLOWS(PORTS), .PACKET_MODE(PACKET_MODE)) scheduler (
        .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_output), .weight (weight), .eligible (eligible),
        .choose (choose), .chosen (chosen), .chosen_flow (chosen_output), .flow (flow), .unit_start (starts), .unit_words (unit),
        .unit_end (unit == 1), .packet_end (ends_here), .notice (notice), .notice_flow (notice_output), .notice_id (notice_id),
        .error (error_notice)
    );

    // where the size of the packet behind the chosen one stands
    wire [RING-1:0] behind = (pop && flow == chosen_output) ? size_next + 1'b1 : size_out[chosen_output] + 1'b1;
    wire [WW-1:0] waiting  = words[chosen_output];
    wire [12:0] new_unit = (UNIT_IS_PACKET != 0) ? head[chosen_output] :
                             (waiting >= SEGMENT[WW-1:0]) ? SEGMENT[12:0] : waiting[12:0];

    // ---- what goes with a word

    wire                  ends      = (left <= unit); // its packet ends within the unit
    wire                  unbroken  = (unit == 2) && (ends_here ? (after != 1) : (left != 2)); // the unit ends within a packet
    wire [SIDE-3:0]       count     = ((PACKET_MODE == 2 && ends) ? left[SIDE-3:0] : unit[SIDE-3:0]) - 1'b1;
    wire [SIDE-1:0]       side      = (PACKET_MODE == 2) ? {1'b0, ends, count} :
                                      starts ? {ends_here, ends, count} : {ends_here, ends, unbroken, {SIDE-3{1'b0}}};

    always @(posedge clk) begin
        if (arrived) sizes[{line_output, size_in[line_output]}] <= line_words;
        link_output <= flow;
        link_first  <= starts;
        link_end    <= ends_here;
        link_side   <= side;
        notice_output <= credit_output;
        notice_id     <= credit_id;
    end

    always @(posedge clk)
        if (rst) begin
            coming       <= 0;
            unit         <= 0;
            starts       <= 1'b0;
            link_valid   <= 1'b0;
            notice       <= 1'b0;
            error_line   <= 1'b0;
            error_credit <= 1'b0;
            line_full    <= {PORTS{1'b0}};
            for (i = 0; i < PORTS; i = i + 1) begin
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
                coming        <= arrived ? line_words - 1'b1 : 0;
                coming_output <= line_output;
            end else if (coming != 0) coming <= coming - 1'b1;
            error_line <= refused || lost || empty || (coming != 0 && !line_valid) || (first && coming != 0) ||
                          (line_valid && !line_first && coming == 0);
            if (arrived) size_in[line_output] <= next_size;
            if (counts && line_held) size_held[count_output] <= size_held[count_output] + 1'b1;
            if (counts && words[count_output] == 0) head[count_output] <= count_words;

            // credit
            notice       <= credit_valid && credit_notice;
            error_credit <= credit_valid && ({1'b0, credit[credit_output]} + {1'b0, credit_words} > {1'b0, XPOINT[12:0]});

            for (i = 0; i < PORTS; i = i + 1) begin
                if ((counts && count_output == i[PW-1:0]) || (chosen && chosen_output == i[PW-1:0])) begin
                    words[i] <= words[i] + ((counts && count_output == i[PW-1:0]) ? {{WW-13{1'b0}}, count_words} : {WW{1'b0}})
                                         - ((chosen && chosen_output == i[PW-1:0]) ? {{WW-13{1'b0}}, new_unit} : {WW{1'b0}});
                end
                line_full[i] <= (words[i] >= FULL[WW-1:0]);
                if ((credit_valid && credit_output == i[PW-1:0]) || (chosen && chosen_output == i[PW-1:0]))
                    credit[i] <= credit[i] + ((credit_valid && credit_output == i[PW-1:0]) ? credit_words : 13'd0)
                                           - ((chosen && chosen_output == i[PW-1:0]) ? new_unit : 13'd0);
            end

            // the unit
            starts     <= chosen;
            link_valid <= fetch;
            if (chosen) begin
                unit <= new_unit;
                flow <= chosen_output;
                // the packet behind the one chosen is the head, if it has come: this clock's is the line's
                if (UNIT_IS_PACKET != 0 && waiting != {{WW-13{1'b0}}, head[chosen_output]})
                    head[chosen_output] <= sizes[{chosen_output, behind}];
                else if (UNIT_IS_PACKET != 0 && counts && count_output == chosen_output) head[chosen_output] <= count_words;
            end else if (fetch) unit <= unit - 1'b1;
            if (fetch) rest[flow] <= left - 1'b1;
            if (pop) size_out[flow] <= size_next;
        end

    pm_queues #(.QUEUES(PORTS), .WIDTH(64), .LOG2_BLOCK(6), .BLOCKS(VOQ_BLOCKS)) voqs (
        .clk (clk), .rst (rst), .write (line_valid && !refused), .write_queue (in_output), .write_word (line_word), .write_flag (1'b0),
        .read (fetch), .read_queue (flow), .read_flag (unused_flag), .read_word (link_word), .overflow (lost), .underflow (empty)
    );
endmodule
`default_nettype wire
